// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/ir/grid.h"
#include "core/ir/ids.h"
#include "core/ir/node.h"
#include "core/tensor/tensor.h"

#include <optional>
#include <string>

namespace crease {

/// An edge of the graph. Either float (or index, bool ...) or, when `codes` is set, a tensor of integer codes of that
/// grid.
struct Value {
    std::string name{}; // unique in its graph
    ElementType type = ElementType::Undefined;
    std::optional<Shape> shape{}; // nothing where the rank is unknown
    std::optional<Grid> codes{};  // the tensor holds codes of this grid; `type` is then the grid's storage type
    std::optional<Grid> liesOn{}; // a float tensor whose every element is known to be a point of this grid
    Tensor constant{};            // valid for an initializer
    bool alsoInput = false;       // the file listed this initializer as a graph input as well
    std::string doc{};
    Metadata metadata{};
    std::string opaqueType{}; // a type that is no tensor (sequence, optional, map): its TypeProto's bytes

    bool isConstant() const { return constant.valid(); }
};

bool sameValue(const Value& a, const Value& b);

} // namespace crease
