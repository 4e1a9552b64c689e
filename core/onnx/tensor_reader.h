// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/onnx/external_data.h"
#include "core/onnx/proto.h"
#include "core/tensor/tensor.h"

#include <cstdint>

namespace crease {

struct TensorLimits {
    std::uint64_t maxBytes = std::uint64_t{2} << 30;
    std::uint64_t maxExternalBytes = std::uint64_t{16} << 30;
};

/// The tensor of a TensorProto. With `release` its raw_data is moved out instead of copied.
Result<Tensor> readTensor(onnx::TensorProto& proto, ExternalData& external, const TensorLimits& limits, bool release);
/// A sparse tensor in coordinate form, made dense.
Result<Tensor> readSparseTensor(onnx::SparseTensorProto& proto, ExternalData& external, const TensorLimits& limits);

/// Fills dims and data_type.
void writeTensorHeader(const Tensor& tensor, onnx::TensorProto& proto);
/// Fills dims, data_type and the data: raw_data, or string_data for strings.
void writeTensor(const Tensor& tensor, onnx::TensorProto& proto);
bool isPacked(ElementType type); // several elements a byte in a file
/// Two- and four-bit elements as the file has them: the first element in the low bits.
std::string packedBytes(const Tensor& tensor);

} // namespace crease
