// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/onnx/proto.h"
#include "core/support/job.h"
#include "core/support/result.h"

#include <cstdint>
#include <string>

namespace crease {

/// The bytes of a regular file of at most `maxBytes`.
Result<std::string> readModelFile(const std::string& path, std::uint64_t maxBytes, const Job& job);

/// Parses a ModelProto; bytes of another format are refused by name, malformed ones with the byte offset.
Result<void> parseModel(const std::string& bytes, onnx::ModelProto& model);

} // namespace crease
