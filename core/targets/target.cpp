// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/targets/target.h"

#include "core/support/text.h"
#include "core/targets/shipped_targets.h"

#include <algorithm>
#include <cassert>
#include <fmt/format.h>

namespace crease {

namespace {

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
    std::vector<std::string> known;
    for (Target& target : targets) {
        if (target.name == base) {
            TRY(setOptions(target, colon == std::string::npos ? std::string() : name.substr(colon + 1)));
            target.name = name;
            return target;
        }
        known.push_back(target.name);
    }
    const std::string hint = suggestion(base, known);
    return failure(ErrorKind::Usage, "unknown-target",
                   fmt::format("unknown target '{}'{}", base,
                               hint.empty() ? fmt::format(" (known: {})", fmt::join(known, ", ")) : hint));
}

} // namespace crease
