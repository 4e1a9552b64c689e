// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/onnx/attribute_reader.h"

#include <fmt/format.h>

namespace crease {

namespace {

using onnx::AttributeProto;

template <class T>
Tensor listTensor(const std::vector<T>& values)
{
    return Tensor::of<T>({static_cast<std::int64_t>(values.size())}, values);
}

} // namespace

AttributeProto::AttributeType kindOf(const AttributeProto& proto)
{
    if (proto.type() != AttributeProto::UNDEFINED) {
        return proto.type();
    }
    const auto when = [](bool set, AttributeProto::AttributeType kind) {
        return set ? kind : AttributeProto::UNDEFINED;
    };
    for (const auto kind :
         {when(proto.has_f(), AttributeProto::FLOAT), when(proto.has_i(), AttributeProto::INT),
          when(proto.has_s(), AttributeProto::STRING), when(proto.has_t(), AttributeProto::TENSOR),
          when(proto.has_g(), AttributeProto::GRAPH), when(proto.floats_size() > 0, AttributeProto::FLOATS),
          when(proto.ints_size() > 0, AttributeProto::INTS), when(proto.strings_size() > 0, AttributeProto::STRINGS),
          when(proto.tensors_size() > 0, AttributeProto::TENSORS),
          when(proto.graphs_size() > 0, AttributeProto::GRAPHS)}) {
        if (kind != AttributeProto::UNDEFINED) {
            return kind;
        }
    }
    return AttributeProto::UNDEFINED;
}

Result<Attribute> readPlainAttribute(AttributeProto& proto, ExternalData& external, const TensorLimits& limits)
{
    switch (kindOf(proto)) {
    case AttributeProto::FLOAT:
        return proto.f();
    case AttributeProto::INT:
        return proto.i();
    case AttributeProto::STRING:
        return proto.s();
    case AttributeProto::FLOATS:
        return std::vector<float>(proto.floats().begin(), proto.floats().end());
    case AttributeProto::INTS:
        return std::vector<std::int64_t>(proto.ints().begin(), proto.ints().end());
    case AttributeProto::STRINGS:
        return std::vector<std::string>(proto.strings().begin(), proto.strings().end());
    case AttributeProto::TENSOR:
        return TRY(readTensor(*proto.mutable_t(), external, limits, false));
    case AttributeProto::TENSORS: {
        std::vector<Tensor> tensors;
        for (onnx::TensorProto& tensor : *proto.mutable_tensors()) {
            tensors.push_back(TRY(readTensor(tensor, external, limits, false)));
        }
        return tensors;
    }
    default:
        return OpaqueAttribute{proto.SerializePartialAsString()};
    }
}

Result<Tensor> constantOf(Attributes& attributes, ExternalData& external, const TensorLimits& limits)
{
    for (auto& [key, attribute] : attributes) {
        if (auto* tensor = std::get_if<Tensor>(&attribute); tensor != nullptr && key == "value") {
            return *tensor;
        }
        if (auto* number = std::get_if<float>(&attribute); number != nullptr && key == "value_float") {
            return Tensor::scalar(*number);
        }
        if (auto* number = std::get_if<std::int64_t>(&attribute); number != nullptr && key == "value_int") {
            return Tensor::scalar(*number);
        }
        if (auto* text = std::get_if<std::string>(&attribute); text != nullptr && key == "value_string") {
            return Tensor::strings({}, {*text});
        }
        if (auto* list = std::get_if<std::vector<float>>(&attribute); list != nullptr && key == "value_floats") {
            return listTensor(*list);
        }
        if (auto* list = std::get_if<std::vector<std::int64_t>>(&attribute); list != nullptr && key == "value_ints") {
            return listTensor(*list);
        }
        if (auto* list = std::get_if<std::vector<std::string>>(&attribute); list != nullptr && key == "value_strings") {
            return Tensor::strings({static_cast<std::int64_t>(list->size())}, *list);
        }
        if (auto* opaque = std::get_if<OpaqueAttribute>(&attribute); opaque != nullptr && key == "sparse_value") {
            AttributeProto proto;
            if (proto.ParsePartialFromString(opaque->bytes)) {
                return readSparseTensor(*proto.mutable_sparse_tensor(), external, limits);
            }
        }
    }
    return failure(ErrorKind::Input, "bad-constant", "a Constant node has no value");
}

} // namespace crease
