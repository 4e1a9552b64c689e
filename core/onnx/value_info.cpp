// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/onnx/value_info.h"

#include "core/onnx/wire.h"
#include "core/tensor/onnx_types.h"

#include <algorithm>
#include <fmt/format.h>

namespace crease {

Metadata takeMetadata(std::string& extras, int field)
{
    Metadata metadata;
    for (const std::string& payload : wire::takeField(extras, field)) {
        metadata.push_back(wire::keyAndValue(payload));
    }
    return metadata;
}

std::string metadataBytes(const Metadata& metadata, int field)
{
    std::string bytes;
    for (const auto& [key, value] : metadata) {
        wire::appendField(bytes, field, wire::keyAndValueBytes(key, value));
    }
    return bytes;
}

Result<Value> readValueInfo(onnx::ValueInfoProto& proto)
{
    Value value;
    value.name = proto.name();
    value.doc = proto.doc_string();
    std::string extras = wire::extraFields(proto, {1, 2, 3});
    value.metadata = takeMetadata(extras, 4);
    if (!proto.has_type() || proto.type().value_case() == onnx::TypeProto::VALUE_NOT_SET) {
        return value;
    }
    if (!proto.type().has_tensor_type()) {
        value.opaqueType = proto.type().SerializePartialAsString();
        return value;
    }
    const auto& tensor = proto.type().tensor_type();
    if (tensor.elem_type() != 0) {
        value.type = elementTypeFromOnnx(tensor.elem_type());
        if (value.type == ElementType::Undefined) {
            return failure(ErrorKind::Input, "bad-type", fmt::format("element type {} is unknown", tensor.elem_type()));
        }
    }
    if (tensor.has_shape()) {
        Shape shape;
        for (const auto& dim : tensor.shape().dim()) {
            if (dim.dim_value() > std::int64_t{1} << 48) {
                return failure(ErrorKind::Input, "bad-type",
                               fmt::format("dimension {} is larger than any tensor's", dim.dim_value()));
            }
            if (dim.has_dim_value() && dim.dim_value() >= 0) {
                shape.push_back({dim.dim_value()});
            } else {
                shape.push_back({-1, dim.dim_param()});
            }
        }
        value.shape = std::move(shape);
    }
    return value;
}

bool hasDenotation(const onnx::TypeProto& type)
{
    const auto& dims = type.tensor_type().shape().dim();
    return type.has_tensor_type() && (!type.denotation().empty() || std::ranges::any_of(dims, [](const auto& dim) {
               return !dim.denotation().empty();
           }));
}

void writeValueInfo(const Value& value, const std::string& name, onnx::ValueInfoProto& proto)
{
    proto.set_name(name);
    if (!value.doc.empty()) {
        proto.set_doc_string(value.doc);
    }
    if (!value.metadata.empty()) {
        proto.MergeFromString(metadataBytes(value.metadata, 4));
    }
    if (!value.opaqueType.empty()) {
        proto.mutable_type()->ParsePartialFromString(value.opaqueType);
        return;
    }
    if (value.type == ElementType::Undefined && !value.shape) {
        return;
    }
    auto& tensor = *proto.mutable_type()->mutable_tensor_type();
    tensor.set_elem_type(static_cast<int>(onnxNumber(value.type)));
    if (value.shape) {
        auto& shape = *tensor.mutable_shape();
        for (const Dim& dim : *value.shape) {
            auto& written = *shape.add_dim();
            if (dim.known()) {
                written.set_dim_value(dim.value);
            } else if (!dim.symbol.empty()) {
                written.set_dim_param(dim.symbol);
            }
        }
    }
}

} // namespace crease
