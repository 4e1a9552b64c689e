// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/ir/graph.h"

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace crease::bench {

/// Fake-quantized networks of a form that a size can be given of, to see what grows faster than they do.
class NetworkMaker {
public:
    static constexpr std::array<std::string_view, 9> families{"chain",     "fan",    "quantizers", "weight", "tree",
                                                              "movements", "adders", "heads",      "concat"};

    NetworkMaker()
    {
        m_graph.name = "network";
        ModelInfo info;
        info.opsets[""] = 17;
        m_graph.setModel(info);
        m_scale = constant("scale", Tensor::scalar(0.05F));
        m_zeroPoint = constant("zero_point", Tensor::scalar<std::uint8_t>(128));
        m_weightScale = constant("weight_scale", Tensor::scalar(0.01F));
        m_weightZeroPoint = constant("weight_zero_point", Tensor::scalar<std::int8_t>(0));
    }

    /// `count` of what the family repeats.
    Graph make(std::string_view family, std::size_t count)
    {
        const ValueId input = value("x");
        m_graph.setInputs({input});
        std::vector<ValueId> ends;
        if (family == "chain") { // quantizer, convolution, quantizer, convolution ...
            ValueId at = input;
            repeat(count, [&] { at = conv(quantized(at)); });
            ends = {at};
        } else if (family == "fan") { // one value, read by every convolution
            const ValueId at = quantized(input);
            repeat(count, [&] { ends.push_back(quantized(conv(at))); });
        } else if (family == "quantizers") { // one value, quantized for every reader
            repeat(count, [&] { ends.push_back(add("Relu", {quantized(input)})); });
        } else if (family == "weight") { // one weight for all
            const ValueId shared = weight();
            ValueId at = input;
            repeat(count, [&] { at = add("Conv", {quantized(at), shared}); });
            ends = {at};
        } else if (family == "tree") { // branches, summed in pairs
            const ValueId at = quantized(input);
            repeat(count, [&] { ends.push_back(quantized(conv(at))); });
            while (ends.size() > 1) {
                std::vector<ValueId> sums;
                for (std::size_t i = 0; i < ends.size(); i += 2) {
                    sums.push_back(i + 1 < ends.size() ? quantized(add("Add", {ends[i], ends[i + 1]})) : ends[i]);
                }
                ends = std::move(sums);
            }
        } else if (family == "movements") { // a row of them between quantizer and convolution
            ValueId at = quantized(input);
            repeat(count, [&] { at = add("Transpose", {at}, {{"perm", std::vector<std::int64_t>{0, 2, 3, 1}}}); });
            ends = {conv(at)};
        } else if (family == "adders") { // a constant for each node
            ValueId at = quantized(input);
            repeat(count, [&] { at = add("Add", {at, bias({1, 2, 1, 1})}); });
            ends = {conv(quantized(at))};
        } else if (family == "heads") { // a float trunk with an output at each step
            ValueId at = input;
            repeat(count, [&] {
                at = add("Sigmoid", {at});
                ends.push_back(quantized(conv(quantized(at))));
            });
        } else { // one Concat of all branches
            const ValueId at = quantized(input);
            std::vector<ValueId> parts;
            repeat(count, [&] { parts.push_back(quantized(conv(at))); });
            ends = {add("Concat", parts, {{"axis", std::int64_t{1}}})};
        }
        for (ValueId& end : ends) {
            end = quantized(end);
        }
        m_graph.setOutputs(std::move(ends));
        return std::move(m_graph);
    }

private:
    template <class F>
    static void repeat(std::size_t count, F&& body)
    {
        for (std::size_t i = 0; i < count; ++i) {
            body();
        }
    }

    ValueId value(std::string name)
    {
        Value result;
        result.name = std::move(name);
        result.type = ElementType::Float32;
        if (result.name == "x") {
            result.shape = shapeOf({1, 2, 2, 2});
        }
        return m_graph.addValue(std::move(result));
    }

    ValueId constant(std::string name, Tensor tensor)
    {
        Value result;
        result.name = std::move(name);
        result.type = tensor.type();
        result.shape = shapeOf(tensor.dims());
        result.constant = std::move(tensor);
        return m_graph.addValue(std::move(result));
    }

    ValueId add(std::string_view op, std::vector<ValueId> inputs, Attributes attributes = {})
    {
        const std::string number = std::to_string(m_graph.nodeCapacity());
        const ValueId output = value("v" + number);
        Node node{.op = std::string(op), .name = std::string(op) + number};
        node.inputs = std::move(inputs);
        node.outputs = {output};
        node.attributes = std::move(attributes);
        node.version = 17;
        m_graph.addNode(std::move(node));
        return output;
    }

    ValueId quantized(ValueId from)
    {
        const ValueId codes = add("QuantizeLinear", {from, m_scale, m_zeroPoint});
        Value typed = m_graph.value(codes);
        typed.type = ElementType::UInt8;
        m_graph.setValue(codes, std::move(typed));
        return add("DequantizeLinear", {codes, m_scale, m_zeroPoint});
    }

    ValueId weight()
    {
        std::vector<std::int8_t> codes(4);
        for (std::int8_t& code : codes) {
            code = static_cast<std::int8_t>(static_cast<int>(next() % 200U) - 100);
        }
        const ValueId held =
            constant("w" + std::to_string(m_graph.valueCapacity()), Tensor::of<std::int8_t>({2, 2, 1, 1}, codes));
        return add("DequantizeLinear", {held, m_weightScale, m_weightZeroPoint});
    }

    ValueId bias(const Dims& dims)
    {
        const std::vector<float> numbers{static_cast<float>(next() % 1000U) / 1000.0F,
                                         static_cast<float>(next() % 1000U) / 1000.0F};
        return constant("b" + std::to_string(m_graph.valueCapacity()), Tensor::of<float>(dims, numbers));
    }

    ValueId conv(ValueId from)
    {
        const ValueId weights = weight();
        return add("Conv", {from, weights, bias({2})});
    }

    std::uint32_t next()
    {
        m_random = m_random * 1664525U + 1013904223U;
        return m_random >> 8U;
    }

    Graph m_graph;
    ValueId m_scale;
    ValueId m_zeroPoint;
    ValueId m_weightScale;
    ValueId m_weightZeroPoint;
    std::uint32_t m_random = 1;
};

} // namespace crease::bench
