// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/export/deployment.h"

#include <algorithm>
#include <cassert>
#include <fmt/format.h>

namespace crease {

Node standardNode(std::string_view op, std::vector<ValueId> inputs, std::string_view domain)
{
    return {.op = std::string(op), .domain = std::string(domain), .inputs = std::move(inputs)};
}

Deployment::Deployment(const Graph& final, const Target& target) : m_source(&final), m_target(&target), m_graph(final)
{
    const auto& opsets = final.model().opsets;
    const auto found = opsets.find("");
    m_opset = std::max({13, target.minOpset, found == opsets.end() ? 0 : found->second});
}

ValueId Deployment::constant(const Tensor& tensor, std::string_view name)
{
    constexpr std::size_t shareLimit = 4096;
    std::string key;
    if (tensor.bytes() <= shareLimit) {
        key = fmt::format("{} {} ", shortName(tensor.type()), toText(tensor.dims()));
        key.append(reinterpret_cast<const char*>(tensor.raw()), tensor.bytes());
        if (const auto found = m_constants.find(key); found != m_constants.end()) {
            return found->second;
        }
    }
    Value value;
    value.name = m_graph.freshName(name);
    value.type = tensor.type();
    value.shape = shapeOf(tensor.dims());
    value.constant = tensor;
    const ValueId id = m_graph.addValue(std::move(value));
    if (!key.empty()) {
        m_constants.emplace(std::move(key), id);
    }
    return id;
}

ValueId Deployment::floatScalar(double value, std::string_view name)
{
    return constant(Tensor::scalar(static_cast<float>(value)), name);
}

ValueId Deployment::scaleConstant(std::span<const double> scales, bool scalar, std::string_view name)
{
    const Dims dims = scalar ? Dims{} : Dims{static_cast<std::int64_t>(scales.size())};
    return constant(tensorOfDoubles(ElementType::Float32, dims, scales.first(scalar ? 1 : scales.size())), name);
}

GridConstants Deployment::gridConstants(const Grid& grid)
{
    const bool scalar = grid.isPerTensor();
    const Dims dims = scalar ? Dims{} : Dims{static_cast<std::int64_t>(grid.zeroPoints.size())};
    return {scaleConstant(grid.scales, scalar, m_base + "_scale"),
            constant(tensorOfInts(grid.storage, dims, grid.zeroPoints), m_base + "_zero_point")};
}

void Deployment::begin(NodeId id)
{
    const Node& node = m_graph.node(id);
    m_place = id;
    m_base = node.output().valid() ? m_graph.value(node.output()).name : node.op;
    m_graph.removeNode(id);
}

ValueId Deployment::add(Node node, std::string_view suffix, ElementType type, std::optional<Shape> shape)
{
    Value value;
    value.name = m_graph.freshName(fmt::format("{}_{}", m_base, suffix));
    value.type = type;
    value.shape = std::move(shape);
    const ValueId id = m_graph.addValue(std::move(value));
    produce(std::move(node), id);
    return id;
}

void Deployment::produce(Node node, std::vector<ValueId> outputs)
{
    node.outputs = std::move(outputs);
    m_graph.addNode(std::move(node), m_place);
}

AccumulatorForm Deployment::form(ValueId accumulator) const
{
    const auto found = m_forms.find(accumulator);
    return found == m_forms.end() ? AccumulatorForm::Integers : found->second;
}

void Deployment::report(Severity severity, std::string id, std::string text, ValueId where)
{
    const std::string name = where.valid() ? m_source->value(where).name : std::string();
    m_diagnostics.push_back({severity, std::move(id), std::move(text), name, name});
}

void Deployment::declareTies(std::string_view kernel, ValueId where, bool odd)
{
    Seen& seen = m_ties[std::string(kernel)];
    if (seen.count++ == 0) {
        seen.first = m_source->value(where).name;
    }
    seen.odd += odd ? 1 : 0;
}

void Deployment::declareWideWeights(ValueId where)
{
    if (m_wideWeights.count++ == 0) {
        m_wideWeights.first = m_source->value(where).name;
    }
}

Diagnostics Deployment::diagnostics() const
{
    Diagnostics all = m_diagnostics;
    for (const auto& [kernel, seen] : m_ties) {
        std::string text = fmt::format("{} {} of the file compute in float32: a value nearer to a tie than 2^-16 of a "
                                       "step may differ by one code",
                                       seen.count, kernel);
        if (seen.odd > 0) {
            text += fmt::format("; {} of them have an odd zero point, which the kernel adds before it rounds, so that "
                                "every exact tie does (the target option :ties=exact avoids the kernel)",
                                seen.odd);
        }
        const Severity severity = seen.odd > 0 ? Severity::Warning : Severity::Info;
        all.push_back({severity, "kernel-ties", std::move(text), seen.first, seen.first});
    }
    if (m_wideWeights.count > 0) {
        all.push_back({Severity::Info, "weights-beyond-7-bits",
                       fmt::format("{} ops multiply uint8 data by int8 weights beyond -64 … 64: x86 processors without "
                                   "VNNI saturate sums of two such products at 16 bits",
                                   m_wideWeights.count),
                       m_wideWeights.first, m_wideWeights.first});
    }
    return all;
}

} // namespace crease
