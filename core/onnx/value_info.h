// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/ir/value.h"
#include "core/onnx/proto.h"
#include "core/support/result.h"

namespace crease {

Result<Value> readValueInfo(onnx::ValueInfoProto& proto);
bool hasDenotation(const onnx::TypeProto& type); // of the type or a dimension: they are not kept
void writeValueInfo(const Value& value, const std::string& name, onnx::ValueInfoProto& proto);

/// The key/value pairs of a metadata_props field, taken out of the bytes of extra fields.
Metadata takeMetadata(std::string& extras, int field);
/// The reverse: the field's bytes.
std::string metadataBytes(const Metadata& metadata, int field);

} // namespace crease
