// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/ir/attribute.h"
#include "core/onnx/tensor_reader.h"
#include "core/support/result.h"

namespace crease {

/// The attribute's kind: its `type`, or what is set where an old file states none.
onnx::AttributeProto::AttributeType kindOf(const onnx::AttributeProto& proto);

/// Any attribute but a graph or graphs. Sparse tensors and type protos are kept as their bytes.
Result<Attribute> readPlainAttribute(onnx::AttributeProto& proto, ExternalData& external, const TensorLimits& limits);

/// The tensor that a Constant node's attributes give, whichever of its forms they use.
Result<Tensor> constantOf(Attributes& attributes, ExternalData& external, const TensorLimits& limits);

} // namespace crease
