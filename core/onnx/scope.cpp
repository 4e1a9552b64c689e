// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/onnx/scope.h"

#include <fmt/format.h>

namespace crease {

std::unexpected<Error> inputFault(std::string id, std::string message)
{
    return failure(ErrorKind::Input, std::move(id), std::move(message));
}

std::string labelOf(const onnx::NodeProto& proto)
{
    const std::string name = !proto.name().empty()     ? proto.name()
                             : proto.output_size() > 0 ? proto.output(0)
                                                       : std::string();
    return fmt::format("{} '{}'", printable(proto.op_type()), printable(name));
}

std::optional<ValueId> find(Scope& scope, const std::string& name)
{
    if (const auto found = scope.names.find(name); found != scope.names.end()) {
        return found->second;
    }
    if (scope.outer == nullptr) {
        return std::nullopt;
    }
    const auto outer = find(*scope.outer, name);
    if (!outer || !outer->valid()) {
        return outer;
    }
    const Value& source = scope.outer->graph.value(*outer);
    Value inner;
    inner.name = scope.graph.freshName(source.name);
    inner.type = source.type;
    inner.shape = source.shape;
    inner.opaqueType = source.opaqueType;
    const ValueId id = scope.graph.addValue(std::move(inner));
    scope.graph.addCaptured(id);
    scope.captures.push_back({{}, id, *outer});
    scope.names.emplace(name, id);
    return id;
}

} // namespace crease
