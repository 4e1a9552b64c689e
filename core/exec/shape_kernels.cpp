// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/exec/kernel_families.h"
#include "core/exec/kernel_support.h"
#include "core/exec/strided_copy.h"
#include "core/tensor/onnx_types.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <fmt/format.h>

namespace crease {

namespace {

using Outputs = Result<std::vector<Tensor>>;

Outputs shape(const KernelContext& context)
{
    const Dims& dims = context.input(0).dims();
    const auto rank = static_cast<std::int64_t>(dims.size());
    const auto bound = [rank](std::int64_t at) { return std::clamp<std::int64_t>(at < 0 ? at + rank : at, 0, rank); };
    const std::int64_t from = bound(context.node.intAttribute("start", 0));
    const std::int64_t to = std::max(from, bound(context.node.intAttribute("end", rank)));
    return one(Tensor::of<std::int64_t>({to - from}, Dims(dims.begin() + from, dims.begin() + to)));
}

Outputs size(const KernelContext& context)
{
    return one(Tensor::scalar(static_cast<std::int64_t>(context.input(0).size())));
}

/// The attribute, or one that is no list.
const Attribute& listOf(const Node& node, std::string_view key)
{
    static const Attribute none = std::int64_t{0};
    const Attribute* attribute = node.attribute(key);
    return attribute != nullptr ? *attribute : none;
}

Outputs constant(const KernelContext& context)
{
    const Node& node = context.node;
    Tensor value;
    if (const Tensor* tensor = node.tensorAttribute("value")) {
        value = *tensor;
    } else if (node.attribute("value_int") != nullptr) {
        value = Tensor::scalar<std::int64_t>(node.intAttribute("value_int", 0));
    } else if (node.attribute("value_float") != nullptr) {
        value = Tensor::scalar(static_cast<float>(node.floatAttribute("value_float", 0.0)));
    } else if (const auto* ints = std::get_if<std::vector<std::int64_t>>(&listOf(node, "value_ints"))) {
        value = Tensor::of({static_cast<std::int64_t>(ints->size())}, *ints);
    } else if (const auto* floats = std::get_if<std::vector<float>>(&listOf(node, "value_floats"))) {
        value = Tensor::of({static_cast<std::int64_t>(floats->size())}, *floats);
    } else {
        return notClaimed(context, "a constant that is no tensor of numbers");
    }
    return one(value.converted(computedType(context, value.type())));
}

Outputs constantOfShape(const KernelContext& context)
{
    const Tensor* value = context.node.tensorAttribute("value");
    const Tensor fill = value != nullptr ? *value : Tensor::scalar(0.0F);
    Dims dims = context.input(0).toInts();
    if (!elementCount(dims) || fill.size() != 1 || fill.type() == ElementType::String) {
        return badNode(context, fmt::format("the shape {}", toText(dims)));
    }
    const Tensor element = fill.converted(computedType(context, fill.type())).reshaped({});
    const std::vector<std::int64_t> strides(dims.size(), 0);
    return one(stridedCopy(element, dims, strides));
}

/// How many elements a Range of integers has: exactly, where double would round.
double stepsBetween(std::int64_t start, std::int64_t limit, std::int64_t delta)
{
    if (delta > 0 ? limit <= start : limit >= start) {
        return 0.0;
    }
    const auto low = static_cast<std::uint64_t>(std::min(start, limit));
    const std::uint64_t span = static_cast<std::uint64_t>(std::max(start, limit)) - low;
    const std::uint64_t step = delta > 0 ? static_cast<std::uint64_t>(delta) : 0 - static_cast<std::uint64_t>(delta);
    const std::uint64_t count = (span - 1) / step + 1;
    return static_cast<double>(count);
}

Outputs range(const KernelContext& context)
{
    const Tensor& start = context.input(0);
    const Tensor& limit = context.input(1);
    const Tensor& delta = context.input(2);
    const bool oneType = start.type() == limit.type() && start.type() == delta.type();
    if (!oneType || start.size() != 1 || limit.size() != 1 || delta.size() != 1 || delta.asDouble(0) == 0.0) {
        return badNode(context, "start, limit and delta are no single elements of one type, or delta is 0");
    }
    const double wished = isInteger(start.type())
                              ? stepsBetween(start.asInt(0), limit.asInt(0), delta.asInt(0))
                              : std::ceil((limit.asDouble(0) - start.asDouble(0)) / delta.asDouble(0));
    if (!(wished < 2147483648.0)) {
        return badNode(context, fmt::format("{} elements", wished));
    }
    const auto count = static_cast<std::int64_t>(std::max(wished, 0.0));
    Tensor y;
    dispatchNumeric(start.type(), [&]<class T>(std::type_identity<T>) {
        if constexpr (std::is_arithmetic_v<T> && !std::is_same_v<T, bool>) {
            TensorWriter<T> writer({count});
            const T from = start.data<T>()[0];
            const T step = delta.data<T>()[0];
            for (std::int64_t i = 0; i < count; ++i) {
                writer[static_cast<std::size_t>(i)] = static_cast<T>(from + static_cast<T>(i) * step);
            }
            y = std::move(writer).finish(start.type());
        }
    });
    return y.valid() ? one(std::move(y)) : notClaimed(context, fmt::format("elements of {}", longName(start.type())));
}

Outputs eyeLike(const KernelContext& context)
{
    const Tensor& x = context.input(0);
    ElementType type = elementTypeFromOnnx(context.node.intAttribute("dtype", onnxNumber(x.type())));
    type = computedType(context, type);
    if (x.rank() != 2) {
        return badNode(context, fmt::format("an input {}", toText(x.dims())));
    }
    if (!isFloat(type) && !isInteger(type) && type != ElementType::Bool) {
        return notClaimed(context, fmt::format("elements of {}", longName(type)));
    }
    const std::int64_t k = context.node.intAttribute("k", 0);
    std::vector<std::int64_t> values(x.size(), 0);
    const std::int64_t columns = x.dims()[1];
    for (std::size_t i = 0; i < values.size(); ++i) {
        const auto at = static_cast<std::int64_t>(i);
        values[i] = at % columns - at / columns == k ? 1 : 0;
    }
    return one(tensorOfInts(type, x.dims(), values));
}

Outputs nonZero(const KernelContext& context)
{
    const Tensor& x = context.input(0);
    std::vector<std::int64_t> found;
    const bool done = dispatchNumeric(x.type(), [&]<class T>(std::type_identity<T>) {
        if constexpr (std::is_arithmetic_v<T>) {
            const auto data = x.data<T>();
            for (std::size_t i = 0; i < data.size(); ++i) {
                if (data[i] != T(0)) {
                    found.push_back(static_cast<std::int64_t>(i));
                }
            }
        }
    });
    if (!done) {
        return notClaimed(context, fmt::format("elements of {}", longName(x.type())));
    }
    const auto strides = stridesOf(x.dims());
    TensorWriter<std::int64_t> writer({static_cast<std::int64_t>(x.rank()), static_cast<std::int64_t>(found.size())});
    for (std::size_t d = 0; d < x.rank(); ++d) {
        for (std::size_t i = 0; i < found.size(); ++i) {
            writer[d * found.size() + i] = found[i] / strides[d] % x.dims()[d];
        }
    }
    return one(std::move(writer).finish());
}

Outputs oneHot(const KernelContext& context)
{
    const Tensor& indices = context.input(0);
    const Tensor& values = context.input(2);
    const std::int64_t depth = context.input(1).size() == 1 ? context.input(1).asInt(0) : 0;
    if (depth < 1 || values.size() != 2) {
        return badNode(context, fmt::format("a depth of {} with {} values", depth, values.size()));
    }
    const auto axis =
        static_cast<std::size_t>(TRY(axisOf(context, context.node.intAttribute("axis", -1), indices.rank() + 1)));
    Dims dims = indices.dims();
    dims.insert(dims.begin() + static_cast<std::ptrdiff_t>(axis), depth);
    const std::int64_t inner = productOf(dims, axis + 1, dims.size());
    BytesWriter writer(values.type(), dims);
    const bool done = dispatchWidth(values.type(), [&]<class T>(std::type_identity<T>) {
        T* to = reinterpret_cast<T*>(writer.bytes());
        const T off = wordsOf<T>(values)[0];
        const T on = wordsOf<T>(values)[1];
        std::fill_n(to, productOf(dims, 0, dims.size()), off);
        for (std::size_t i = 0; i < indices.size(); ++i) {
            std::int64_t index = indices.asInt(i);
            index += index < 0 ? depth : 0;
            const auto at = static_cast<std::int64_t>(i);
            if (index >= 0 && index < depth) {
                to[(at / inner * depth + index) * inner + at % inner] = on;
            }
        }
    });
    return done ? one(std::move(writer).finish()) : notClaimed(context, "values of string");
}

constexpr HalfTypes asIs = HalfTypes::AsIs;

constexpr auto rows = std::to_array<KernelRow>({
    {"Shape", "", shape, asIs},
    {"Size", "", size, asIs},
    {"Constant", "", constant, asIs},
    {"ConstantOfShape", "", constantOfShape, asIs},
    {"Range", "", range},
    {"EyeLike", "", eyeLike, asIs},
    {"NonZero", "", nonZero},
    {"OneHot", "", oneHot, asIs},
});

} // namespace

std::span<const KernelRow> shapeKernels()
{
    return rows;
}

} // namespace crease
