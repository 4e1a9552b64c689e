// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/exec/kernel.h"
#include "core/tensor/dispatch.h"

#include <string>

namespace crease {

/// The node's name, or that of its first output.
std::string kernelLabel(const Graph& graph, const Node& node);

/// An error of the node: kind Unsupported, id unsupported-op.
std::unexpected<Error> notClaimed(const KernelContext& context, std::string message);
/// An error of the node's inputs: kind Input, id bad-node.
std::unexpected<Error> badNode(const KernelContext& context, std::string message);

/// The float type that a result of this declared type has: float64 in Precision::Exact.
inline ElementType computedType(const KernelContext& context, ElementType declared)
{
    return context.exact() && isFloat(declared) ? ElementType::Float64 : declared;
}

/// One result.
inline Result<std::vector<Tensor>> one(Tensor tensor)
{
    std::vector<Tensor> outputs;
    outputs.push_back(std::move(tensor));
    return outputs;
}

/// The dimensions that the operands are broadcast to, or an error that gives both shapes.
Result<Dims> broadcastDims(const KernelContext& context, const Dims& a, const Dims& b);

/// Strides, in elements, of dense row-major data.
std::vector<std::int64_t> stridesOf(const Dims& dims);
/// Strides that read `dims` as if broadcast to `to` (0 along broadcast axes).
std::vector<std::int64_t> broadcastStrides(const Dims& dims, const Dims& to);

/// An axis attribute or value brought into [0, rank), or an error.
Result<int> axisOf(const KernelContext& context, std::int64_t axis, std::size_t rank);

/// The integers of an input that is absent (fallback) or any integer tensor.
std::vector<std::int64_t> intsOf(const KernelContext& context, std::size_t slot,
                                 std::vector<std::int64_t> fallback = {});

/// Integers that MatMul, Gemm and Einsum multiply, as those ops of ONNX do.
template <class T>
constexpr bool isWideInteger = std::is_integral_v<T> && sizeof(T) >= 4;

/// Calls f with std::type_identity<float> or <double>; false for other types. ThroughFloat kernels see only these.
template <class F>
bool dispatchFloat(ElementType type, F&& f)
{
    if (type == ElementType::Float32) {
        f(std::type_identity<float>{});
        return true;
    }
    if (type == ElementType::Float64) {
        f(std::type_identity<double>{});
        return true;
    }
    return false;
}

/// Calls f with a type of the element's width: for kernels that only move bytes. False for strings.
template <class F>
bool dispatchWidth(ElementType type, F&& f)
{
    switch (byteWidth(type)) {
    case 1:
        f(std::type_identity<std::uint8_t>{});
        return true;
    case 2:
        f(std::type_identity<std::uint16_t>{});
        return true;
    case 4:
        f(std::type_identity<std::uint32_t>{});
        return true;
    case 8:
        f(std::type_identity<std::uint64_t>{});
        return true;
    default:
        return false;
    }
}

/// The bytes of a tensor as words of the width of T.
template <class T>
const T* wordsOf(const Tensor& tensor)
{
    return reinterpret_cast<const T*>(tensor.raw());
}

} // namespace crease
