// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/targets/target.h"

#include "core/targets/shipped_targets.h"

#include <algorithm>
#include <cassert>
#include <fmt/format.h>
#include <numeric>

namespace crease {

namespace {

std::size_t editDistance(std::string_view a, std::string_view b)
{
    std::vector<std::size_t> row(b.size() + 1);
    std::iota(row.begin(), row.end(), std::size_t{0});
    for (std::size_t i = 0; i < a.size(); ++i) {
        std::size_t diagonal = row[0];
        row[0] = i + 1;
        for (std::size_t j = 0; j < b.size(); ++j) {
            const std::size_t changed = diagonal + (a[i] == b[j] ? 0 : 1);
            diagonal = row[j + 1];
            row[j + 1] = std::min({changed, row[j] + 1, row[j + 1] + 1});
        }
    }
    return row.back();
}

Result<void> setOptions(Target& target, const std::string& options)
{
    if (options.empty() || options == "ties=declared") {
        target.exactTies = false;
    } else if (options == "ties=exact") {
        target.exactTies = true;
    } else {
        return failure(
            ErrorKind::Usage, "unknown-target-option",
            fmt::format("'{}' is no option of target {}: ties=declared and ties=exact are", options, target.name));
    }
    return {};
}

} // namespace

const TargetOp* Target::op(std::string_view opName) const
{
    const auto found = ops.find(opName);
    return found == ops.end() ? nullptr : &found->second;
}

bool Target::accepts(std::string_view opName, std::span<const ElementType> operands) const
{
    const TargetOp* row = op(opName);
    return row && std::ranges::any_of(row->types, [operands](const std::vector<ElementType>& types) {
               if (types.size() == 1) {
                   return std::ranges::all_of(operands, [&](ElementType type) { return type == types[0]; });
               }
               return std::ranges::equal(types, operands);
           });
}

std::vector<Target> shippedTargets()
{
    std::vector<Target> targets;
    for (const char* text : shippedTargetTexts()) {
        auto target = targetFromJson(text);
        assert(target.has_value());
        targets.push_back(std::move(*target));
    }
    return targets;
}

Result<Target> findTarget(const std::string& name)
{
    const std::size_t colon = name.find(':');
    const std::string base = name.substr(0, colon);
    std::vector<Target> targets = shippedTargets();
    const Target* nearest = nullptr;
    std::size_t best = 0;
    for (Target& target : targets) {
        if (target.name == base) {
            TRY(setOptions(target, colon == std::string::npos ? std::string() : name.substr(colon + 1)));
            target.name = name;
            return target;
        }
        const std::size_t distance = editDistance(base, target.name);
        if (!nearest || distance < best) {
            nearest = &target;
            best = distance;
        }
    }
    return failure(ErrorKind::Usage, "unknown-target",
                   fmt::format("unknown target '{}': did you mean '{}'?", base, nearest->name));
}

} // namespace crease
