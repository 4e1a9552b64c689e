// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/verify/certificate.h"

#include <algorithm>

namespace crease {

namespace {

int badness(Verdict verdict)
{
    switch (verdict) {
    case Verdict::Exact:
        return 0;
    case Verdict::WithinTolerance:
        return 1;
    case Verdict::WithinSteps:
        return 2;
    case Verdict::NotChecked:
        return 3;
    case Verdict::Failed:
        break;
    }
    return 4;
}

} // namespace

std::string_view verdictName(Verdict verdict)
{
    switch (verdict) {
    case Verdict::Exact:
        return "exact";
    case Verdict::WithinTolerance:
        return "within-tolerance";
    case Verdict::WithinSteps:
        return "within-steps";
    case Verdict::NotChecked:
        return "not-checked";
    case Verdict::Failed:
        break;
    }
    return "failed";
}

Verdict worst(Verdict a, Verdict b)
{
    return badness(a) >= badness(b) ? a : b;
}

void Counts::add(const Counts& other)
{
    for (std::size_t i = 0; i < offBy.size(); ++i) {
        offBy[i] += other.offBy[i];
    }
    ties += other.ties;
    noise += other.noise;
    bias += other.bias;
    runtime += other.runtime;
    unexplained += other.unexplained;
    maxSteps = std::max(maxSteps, other.maxSteps);
}

} // namespace crease
