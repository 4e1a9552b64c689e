// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/support/result.h"
#include "core/tensor/tensor.h"

#include <string>

namespace crease {

struct NamedTensor {
    std::string name;
    Tensor tensor;
};

/// A bare serialised TensorProto, as in test_data_set_0/input_0.pb (formats.md §8.1). Data of its own only, no external
/// data. Errors: kind Input.
Result<NamedTensor> tensorFromProtoBytes(const std::string& bytes);
std::string tensorToProtoBytes(const std::string& name, const Tensor& tensor);

} // namespace crease
