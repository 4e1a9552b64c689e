// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/passes/dialects.h"

#include "core/ir/integer_nodes.h"

#include <algorithm>
#include <array>
#include <set>

namespace crease {

namespace {

bool isStandardOrMicrosoft(const Node& node)
{
    return node.domain.empty() || node.domain == "com.microsoft";
}

bool readsClip(const Graph& graph, ValueId value)
{
    const NodeId producer = graph.producer(value);
    return producer.valid() && graph.node(producer).is("Clip");
}

bool isVector(const Graph& graph, ValueId scale)
{
    return scale.valid() && graph.value(scale).isConstant() && graph.value(scale).constant.size() > 1;
}

class Summary {
public:
    explicit Summary(const Graph& graph) : m_graph(graph) {}

    void see(const Node& node)
    {
        if (isStandardOrMicrosoft(node) && node.op == "QuantizeLinear") {
            m_names.insert(node.domain.empty() ? "QDQ" : "QDQ (com.microsoft)");
            ++m_quantizers;
            seeScale(node);
        } else if (isStandardOrMicrosoft(node) && node.op == "DequantizeLinear" && node.input(0).valid()) {
            seeDequantize(node);
        } else if (isStandardOrMicrosoft(node) && (node.op.starts_with("QLinear") || node.op == "QGemm")) {
            m_names.insert("QOperator");
        } else if (isStandardOrMicrosoft(node) &&
                   (node.op.starts_with("DynamicQuantize") || node.op == "MatMulInteger" || node.op == "ConvInteger")) {
            m_names.insert("dynamic quantization");
        } else if (node.domain.starts_with("qonnx") || node.domain.starts_with("onnx.brevitas") ||
                   node.domain.starts_with("finn")) {
            m_names.insert("QONNX");
            m_quantizers += node.op.find("Quant") != std::string::npos ? 1 : 0;
        } else if (node.op.find("FakeQuant") != std::string::npos ||
                   node.op.find("fake_quantize") != std::string::npos) {
            m_names.insert("fake-quant nodes (" + node.op + ")");
            ++m_quantizers;
        }
    }

    DialectSummary take() const
    {
        DialectSummary summary{{m_names.begin(), m_names.end()}, m_quantizers};
        if (summary.names.empty()) {
            summary.names.emplace_back("float");
        }
        return summary;
    }

private:
    void seeScale(const Node& node)
    {
        if (isVector(m_graph, node.input(1))) {
            m_names.insert("per channel");
        }
    }

    void seeDequantize(const Node& node)
    {
        m_names.insert(node.domain.empty() ? "QDQ" : "QDQ (com.microsoft)");
        seeScale(node);
        ValueId data = node.inputs[0];
        if (readsClip(m_graph, data)) {
            m_names.insert("QCDQ");
            data = m_graph.node(m_graph.producer(data)).input(0);
        }
        if (data.valid() && m_graph.value(data).isConstant()) {
            m_names.insert("integer weights");
            ++m_quantizers;
        }
    }

    const Graph& m_graph;
    std::set<std::string> m_names;
    std::size_t m_quantizers = 0;
};

} // namespace

bool isForeignQuantizer(const Node& node)
{
    static constexpr std::array<std::string_view, 19> names = {"BipolarQuant",
                                                               "Trunc",
                                                               "MultiThreshold",
                                                               "FloatQuant",
                                                               "FakeQuantize",
                                                               "FakeQuantWithMinMaxVars",
                                                               "FakeQuantWithMinMaxArgs",
                                                               "FakeQuantWithMinMaxVarsPerChannel",
                                                               "fake_quantize_per_tensor_affine",
                                                               "fake_quantize_per_channel_affine",
                                                               "QcQuantizeOp",
                                                               "TRT_FP8QuantizeLinear",
                                                               "TRT_FP8DequantizeLinear",
                                                               "VitisQuantizeLinear",
                                                               "VitisDequantizeLinear",
                                                               "ExtendedQuantizeLinear",
                                                               "ExtendedDequantizeLinear",
                                                               "FixNeuron",
                                                               "BFPQuantizeDequantize"};
    return std::ranges::find(names, node.op) != names.end();
}

DialectSummary summarizeDialects(const Graph& graph)
{
    Summary summary(graph);
    for (const NodeId id : graph.order()) {
        if (graph.contains(id)) {
            summary.see(graph.node(id));
        }
    }
    return summary.take();
}

} // namespace crease
