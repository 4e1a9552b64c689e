// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/support/result.h"
#include "core/tensor/element_type.h"

#include <map>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace crease {

/// What one op accepts on a target: rows of operand types (activation, weight, output), and its hard rules.
struct TargetOp {
    std::vector<std::vector<ElementType>> types; // e.g. {u8, s8, u8}: all data inputs alike for elementwise ops
    bool perChannelWeights = true;
    bool weightZeroPoint = true;          // may be other than 0
    bool fusedClamp = true;               // a clamp inside the output type's range: by an integer Clip after it
    bool zeroPointBeforeRounding = false; // the kernel rounds after adding the zero point: ties differ where it is odd
};

/// A target as data, read from resources/targets/*.json (folding.md §6).
struct Target {
    std::string name;
    std::string title;
    std::string summary;
    std::string format; // onnx-qoperator | onnx-qdq
    bool allowsFloat = true;
    int minOpset = 13;
    ElementType bias = ElementType::Int32;
    ElementType activation = ElementType::UInt8; // what 8-bit codes of activations are shifted to
    bool exactTies = false; // option `ties: exact`: keep ops whose kernel gets ties wrong out of the integer form
    std::map<std::string, TargetOp, std::less<>> ops; // by op name; an op that is absent stays float in the file

    const TargetOp* op(std::string_view name) const;
    /// Whether one row of the op lists exactly these operand types; a row of one type stands for all operands alike.
    bool accepts(std::string_view op, std::span<const ElementType> operands) const;
};

/// Errors (kind Usage) name the key and what it should be.
Result<Target> targetFromJson(const std::string& text);
/// The targets that ship with the program (compiled in from resources/targets/*.json).
std::vector<Target> shippedTargets();
/// `name` may carry an option: onnxruntime-qoperator:ties=exact. Error (kind Usage) names the nearest known target.
Result<Target> findTarget(const std::string& name);

} // namespace crease
