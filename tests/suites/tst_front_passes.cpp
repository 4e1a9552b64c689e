// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/ir/integer_nodes.h"
#include "core/onnx/importer.h"
#include "core/passes/match.h"
#include "core/passes/pass.h"
#include "tests/support/graph_run.h"

#include <QDir>
#include <algorithm>

using namespace crease;

namespace {

struct Model {
    const char* file;
    int quantized;    // linear ops with data and weight behind quantizers (models/README.md)
    bool runs = true; // every op of the file has a kernel
};

constexpr Model models[] = {
    {"qat/a1_resnet_bn_ts13.onnx", 7},
    {"qat/a1_resnet_bn_dynamo18.onnx", 7},
    {"qat/a1_resnet_bn_u7_ts17dyn.onnx", 7},
    {"qat/a2_resnet_convbn_ts13.onnx", 7},
    {"qat/a2_resnet_convbn_ts13nofold.onnx", 7},
    {"qat/a2_eager_plain_dynamo18.onnx", 4},
    {"qat/a3_mobilenet_u8_dynamo18.onnx", 12},
    {"qat/a3_mobilenet_u8_ts17dyn.onnx", 12},
    {"qat/a4_transformer_ts17dyn.onnx", 10},
    {"qat/a5_mlp_ts13.onnx", 3},
    {"qat/a6_unet_dynamo18.onnx", 8},
    {"qat/b_brevitas_resnet_w8_qcdq_ts13.onnx", 7},
    {"qat/b_brevitas_mobile_w4_qcdq_ts17dyn.onnx", 8},
    {"qat/b_brevitas_resnet_w8_qonnx_ts13.onnx", 7, false},
    {"qat/c_ort_qdq_u8s8_pc.onnx", 7},
    {"qat/c_ort_qdq_s8s8_pc_sym.onnx", 7},
    {"qat/d_modelopt_resnet_ts13.onnx", 7},
    {"qat/d_torchao_pt2e_x86_resnet_dynamo18.onnx", 7},
    {"qat/t1_stock_op17.onnx", 0},
    {"qat/t1_noopt_op13.onnx", 0},
    {"qat/t1n_wq_op13.onnx", 7},
    {"qat/t2_wq_op17.onnx", 9},
    {"qat/t2_fromtflite_i8io_op17.onnx", 9},
    {"qat/t3_wq_op13.onnx", 2},
    {"qat-mobilenetv4s-torch.onnx", 47},
    {"qat-mobilenetv3-torchfx.onnx", 54},
    {"kws-qdq-ort.onnx", 6},
    {"kws-qdq-perchannel.onnx", 6},
    {"cnn-qcdq-brevitas.onnx", 2},
    {"qdq-multi-consumer-dq.onnx", 6},
    {"qdq-multi-consumer-dq.fixed.onnx", 6},
    {"qdq-multi-consumer-dq.16bit.onnx", 6},
    {"qdq-multi-consumer-dq.16bit-contrib.onnx", 6},
    {"mlp-qdq-identity-chains.onnx", 2},
    {"qdq-cast-identity-chains/model.onnx", 53},
    {"qdq-reshape-transpose.onnx", 1},
    {"qdq-multi-consumer-q-axis.onnx", 2},
    {"qdq-convtranspose-s8.onnx", 2},
    {"resnet8-qonnx.onnx", 10, false},
};

QDir modelFolder()
{
    return QDir(qEnvironmentVariable("CREASE_MODELS", CREASE_SOURCE_DIR "/../shared/models"));
}

/// Whether a value comes from a quantizer, through ops that only pick among their inputs.
bool isQuantized(const Graph& graph, ValueId value, int depth = 0)
{
    const NodeId producer = graph.producer(value);
    if (!producer.valid() || depth > 64) {
        return false;
    }
    const Node& node = graph.node(producer);
    if (isCrease(node, nodes::fakeQuant) || isCrease(node, nodes::dequantize)) {
        return true;
    }
    const std::vector<std::size_t> picked = pickedInputs(graph, node);
    return !picked.empty() && std::ranges::all_of(picked, [&](std::size_t slot) {
        return isQuantized(graph, node.input(slot), depth + 1);
    });
}

bool isCodes(const Graph& graph, ValueId value)
{
    const ValueId codes = codesBehind(graph, value);
    return codes.valid() && graph.value(codes).isConstant();
}

struct Counts {
    int linear = 0;
    int ready = 0;
    QStringList unready;
};

Counts countLinear(const Graph& graph)
{
    Counts counts;
    for (const NodeId id : graph.order()) {
        const Node& node = graph.node(id);
        if (!node.domain.empty() ||
            (node.op != "Conv" && node.op != "ConvTranspose" && node.op != "Gemm" && node.op != "MatMul")) {
            continue;
        }
        ++counts.linear;
        const NodeId weight = graph.producer(node.input(1));
        const bool dynamic = weight.valid() && !isCodes(graph, node.input(1)) && isQuantized(graph, node.input(1)) &&
                             !graph.value(graph.node(weight).input(0)).isConstant();
        if (isQuantized(graph, node.input(0)) && (isCodes(graph, node.input(1)) || dynamic)) {
            ++counts.ready;
        } else {
            counts.unready << QString::fromStdString(node.name);
        }
    }
    return counts;
}

} // namespace

class TestFrontPasses : public QObject {
    Q_OBJECT

private slots:
    void initTestCase();
    void quantizedLinearOps_data();
    void quantizedLinearOps();
};

void TestFrontPasses::initTestCase()
{
    if (!modelFolder().exists()) {
        QSKIP("no models (CREASE_MODELS)");
    }
}

void TestFrontPasses::quantizedLinearOps_data()
{
    QTest::addColumn<QString>("file");
    QTest::addColumn<int>("quantized");
    QTest::addColumn<bool>("runs");
    for (const Model& model : models) {
        QTest::newRow(model.file) << model.file << model.quantized << model.runs;
    }
}

void TestFrontPasses::quantizedLinearOps()
{
    QFETCH(QString, file);
    QFETCH(int, quantized);
    QFETCH(bool, runs);
    const QString path = modelFolder().filePath(file);
    QVERIFY2(QFile::exists(path), qPrintable(path));
    const auto model = importModel(path.toStdString(), {}, Job{});
    VERIFY_RESULT(model);
    const Target target{};
    const PassContext context{target, {}, {}};
    Graph graph = model->graph;
    for (const char* name :
         {"recognise", "canonicalise", "fold-constants", "unshare", "fold-weights", "fold-batch-norm"}) {
        const PassInfo* pass = findPass(name);
        QVERIFY(pass != nullptr);
        const auto stage = pass->run(graph, context, Job{});
        VERIFY_RESULT(stage);
        if (qEnvironmentVariableIsSet("CREASE_SHOW")) {
            qInfo("%-16s %5zu nodes, %4zu rewrites, %3zu misses, %6.1f ms", name, stage->after.nodeCount(),
                  stage->rewrites.size(), stage->missed.size(), stage->milliseconds);
            for (const MissedSite& missed : stage->missed) {
                qInfo("    %s: %s: %s", missed.site.c_str(), missed.miss.id.c_str(), missed.miss.text.c_str());
            }
            for (const Diagnostic& diagnostic : stage->diagnostics) {
                qInfo("    %s %s: %s", severityName(diagnostic.severity), diagnostic.id.c_str(),
                      diagnostic.text.c_str());
            }
        }
        graph = stage->after;
    }
    const Counts counts = countLinear(graph);
    QVERIFY2(counts.ready == quantized, qPrintable(QString("%1 of %2, expected %3; not: %4")
                                                       .arg(counts.ready)
                                                       .arg(counts.linear)
                                                       .arg(quantized)
                                                       .arg(counts.unready.join(", "))));
    for (const NodeId id : graph.order()) {
        const Node& node = graph.node(id);
        QVERIFY2(node.op != "QuantizeLinear" && node.op != "DequantizeLinear", node.name.c_str());
    }
    if (runs) {
        SAME_NUMBERS(model->graph, graph);
    }
}

QTEST_GUILESS_MAIN(TestFrontPasses)
#include "tst_front_passes.moc"
