// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/exec/control_flow.h"

#include "core/exec/kernel_support.h"

#include <algorithm>
#include <cstring>
#include <exception>
#include <fmt/format.h>
#include <limits>

namespace crease {

namespace {

using Tensors = std::vector<Tensor>;

constexpr std::int64_t mostIterations = 300'000; // a file may ask for endless ones

const Graph* bodyOf(const Node& node, std::string_view name)
{
    const Attribute* attribute = node.attribute(name);
    const auto* body = attribute != nullptr ? std::get_if<GraphRef>(attribute) : nullptr;
    return body != nullptr ? body->get() : nullptr;
}

std::size_t productOf(const Dims& dims, std::size_t from, std::size_t to)
{
    std::size_t product = 1;
    for (std::size_t i = from; i < to; ++i) {
        product *= static_cast<std::size_t>(dims[i]);
    }
    return product;
}

Tensor bytesAs(ElementType type, Dims dims, std::shared_ptr<std::vector<std::byte>> bytes)
{
    const void* data = bytes->data();
    return Tensor::view(type, std::move(dims), std::move(bytes), data);
}

/// The slices of all iterations side by side along a new axis.
Result<Tensor> stacked(const KernelContext& context, const Tensors& slices, std::size_t axis)
{
    const Tensor& first = slices.front();
    for (const Tensor& slice : slices) {
        if (slice.type() != first.type() || slice.dims() != first.dims() || slice.type() == ElementType::String) {
            return badNode(context,
                           fmt::format("iterations give {} and {}", toText(first.dims()), toText(slice.dims())));
        }
    }
    if (axis > first.rank()) {
        return badNode(context, fmt::format("axis {} is out of range for rank {}", axis, first.rank() + 1));
    }
    Dims dims = first.dims();
    const std::size_t outer = productOf(dims, 0, axis);
    const std::size_t chunk = productOf(dims, axis, dims.size()) * byteWidth(first.type());
    dims.insert(dims.begin() + static_cast<std::ptrdiff_t>(axis), static_cast<std::int64_t>(slices.size()));
    auto bytes = std::make_shared<std::vector<std::byte>>(std::max<std::size_t>(outer * chunk * slices.size(), 1));
    for (std::size_t o = 0; o < outer && chunk > 0; ++o) {
        for (std::size_t i = 0; i < slices.size(); ++i) {
            std::memcpy(bytes->data() + (o * slices.size() + i) * chunk, slices[i].raw() + o * chunk, chunk);
        }
    }
    return bytesAs(first.type(), std::move(dims), std::move(bytes));
}

/// The part of a tensor at one index of an axis, without that axis.
Tensor sliceAt(const Tensor& tensor, std::size_t axis, std::size_t index)
{
    Dims dims = tensor.dims();
    const std::size_t outer = productOf(dims, 0, axis);
    const auto length = static_cast<std::size_t>(dims[axis]);
    const std::size_t chunk = productOf(dims, axis + 1, dims.size()) * byteWidth(tensor.type());
    dims.erase(dims.begin() + static_cast<std::ptrdiff_t>(axis));
    auto bytes = std::make_shared<std::vector<std::byte>>(std::max<std::size_t>(outer * chunk, 1));
    for (std::size_t o = 0; o < outer && chunk > 0; ++o) {
        std::memcpy(bytes->data() + o * chunk, tensor.raw() + (o * length + index) * chunk, chunk);
    }
    return bytesAs(tensor.type(), std::move(dims), std::move(bytes));
}

/// What an output of no iteration is: unknown dimensions count as 0.
Tensor noIterations(const KernelContext& context, const Graph& body, ValueId output, std::size_t axis)
{
    const Value& value = body.value(output);
    Dims dims;
    for (const Dim& dim : value.shape.value_or(Shape{})) {
        dims.push_back(dim.known() ? dim.value : 0);
    }
    dims.insert(dims.begin() + static_cast<std::ptrdiff_t>(std::min(axis, dims.size())), 0);
    return zeros(computedType(context, value.type), std::move(dims));
}

Result<Tensors> runIf(const KernelContext& context, const RunBody& runBody)
{
    if (!context.has(0) || context.input(0).size() != 1) {
        return badNode(context, "the condition is no single element");
    }
    const bool taken = context.input(0).asInt(0) != 0;
    return runBody(taken ? "then_branch" : "else_branch", {});
}

Result<Tensors> runLoop(const KernelContext& context, const RunBody& runBody)
{
    const Graph* body = bodyOf(context.node, "body");
    const std::size_t carried = context.inputs.size() > 2 ? context.inputs.size() - 2 : 0;
    if (body == nullptr || body->outputs().size() < carried + 1) {
        return badNode(context, "the body has fewer outputs than carried values");
    }
    for (std::size_t slot = 0; slot < 2; ++slot) {
        if (context.has(slot) && context.input(slot).size() != 1) {
            return badNode(context, "the trip count or the condition is no single element");
        }
    }
    const std::int64_t trips = context.has(0) ? context.input(0).asInt(0) : std::numeric_limits<std::int64_t>::max();
    bool going = !context.has(1) || context.input(1).asInt(0) != 0;
    Tensors state;
    for (std::size_t i = 0; i < carried; ++i) {
        state.push_back(context.input(i + 2));
    }
    std::vector<Tensors> scans(body->outputs().size() - 1 - carried);
    for (std::int64_t i = 0; going && i < trips; ++i) {
        TRY(context.job.check());
        if (i == mostIterations) {
            return notClaimed(context, fmt::format("more than {} iterations", mostIterations));
        }
        Tensors inputs{Tensor::scalar<std::int64_t>(i), Tensor::scalar<bool>(going)};
        inputs.insert(inputs.end(), state.begin(), state.end());
        const Tensors outputs = TRY(runBody("body", inputs));
        if (outputs[0].size() != 1) {
            return badNode(context, "the body's condition is no single element");
        }
        going = outputs[0].asInt(0) != 0;
        std::copy_n(outputs.begin() + 1, carried, state.begin());
        for (std::size_t s = 0; s < scans.size(); ++s) {
            scans[s].push_back(outputs[1 + carried + s]);
        }
    }
    for (std::size_t s = 0; s < scans.size(); ++s) {
        state.push_back(scans[s].empty() ? noIterations(context, *body, body->outputs()[1 + carried + s], 0)
                                         : TRY(stacked(context, scans[s], 0)));
    }
    return state;
}

struct ScanInput {
    const Tensor* tensor;
    std::size_t axis;
    bool backward;
};

Result<Tensors> runScan(const KernelContext& context, const RunBody& runBody)
{
    const Node& node = context.node;
    const auto scanned = static_cast<std::size_t>(node.intAttribute("num_scan_inputs", 0));
    const Graph* body = bodyOf(node, "body");
    if (node.version < 9) {
        return notClaimed(context, "the batched form of opset 8");
    }
    if (body == nullptr || scanned < 1 || scanned > context.inputs.size() ||
        body->outputs().size() + scanned < context.inputs.size()) {
        return badNode(context, "the body does not fit the inputs");
    }
    const std::size_t carried = context.inputs.size() - scanned;
    const auto axes = node.intsAttribute("scan_input_axes");
    const auto directions = node.intsAttribute("scan_input_directions");
    std::vector<ScanInput> scanInputs;
    std::int64_t length = -1;
    for (std::size_t i = 0; i < scanned; ++i) {
        const Tensor& tensor = context.input(carried + i);
        const int axis = TRY(axisOf(context, i < axes.size() ? axes[i] : 0, tensor.rank()));
        const std::int64_t now = tensor.dims()[static_cast<std::size_t>(axis)];
        if (length >= 0 && now != length) {
            return badNode(context, fmt::format("scan inputs of lengths {} and {}", length, now));
        }
        length = now;
        scanInputs.push_back({&tensor, static_cast<std::size_t>(axis), i < directions.size() && directions[i] == 1});
    }
    Tensors state(context.inputs.begin(), context.inputs.begin() + static_cast<std::ptrdiff_t>(carried));
    std::vector<Tensors> scans(body->outputs().size() - carried);
    for (std::int64_t i = 0; i < length; ++i) {
        TRY(context.job.check());
        Tensors inputs = state;
        for (const ScanInput& input : scanInputs) {
            inputs.push_back(
                sliceAt(*input.tensor, input.axis, static_cast<std::size_t>(input.backward ? length - 1 - i : i)));
        }
        const Tensors outputs = TRY(runBody("body", inputs));
        std::copy_n(outputs.begin(), carried, state.begin());
        for (std::size_t s = 0; s < scans.size(); ++s) {
            scans[s].push_back(outputs[carried + s]);
        }
    }
    const auto outputAxes = node.intsAttribute("scan_output_axes");
    const auto outputDirections = node.intsAttribute("scan_output_directions");
    for (std::size_t s = 0; s < scans.size(); ++s) {
        const std::int64_t wished = s < outputAxes.size() ? outputAxes[s] : 0;
        if (scans[s].empty()) {
            state.push_back(noIterations(context, *body, body->outputs()[carried + s], 0));
            continue;
        }
        if (s < outputDirections.size() && outputDirections[s] == 1) {
            std::ranges::reverse(scans[s]);
        }
        const int axis = TRY(axisOf(context, wished, scans[s].front().rank() + 1));
        state.push_back(TRY(stacked(context, scans[s], static_cast<std::size_t>(axis))));
    }
    return state;
}

} // namespace

bool isControlFlow(const Node& node)
{
    return node.domain.empty() && (node.op == "If" || node.op == "Loop" || node.op == "Scan");
}

Result<std::vector<Tensor>> runControlFlow(const KernelContext& context, const RunBody& runBody)
{
    try {
        if (context.node.op == "If") {
            return runIf(context, runBody);
        }
        return context.node.op == "Loop" ? runLoop(context, runBody) : runScan(context, runBody);
    } catch (const std::exception&) { // std::bad_alloc and its like: what the iterations leave is too large
        return notClaimed(context, "its outputs do not fit in memory");
    }
}

} // namespace crease
