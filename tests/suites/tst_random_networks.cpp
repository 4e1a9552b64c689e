// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/passes/pipeline.h"
#include "core/passes/report.h"
#include "tests/support/graph_run.h"

#include <algorithm>
#include <array>
#include <fmt/format.h>
#include <fmt/ranges.h>

using namespace crease;

namespace {

/// Writes random quantized networks in the text form: 1xCxHxW values, layers in every order, quantizers of every kind.
class Writer {
public:
    explicit Writer(unsigned seed) : m_random(seed) {}

    std::string network()
    {
        m_channels = 1 + below(3);
        m_height = 2 + below(3);
        m_width = 2 + below(3);
        m_text = fmt::format("graph \"random\" ir 8 opset \"\" 17\ninput %x: f32[{}]\n", shape());
        std::string at = quantized("x");
        const int layers = 2 + below(5);
        for (int i = 0; i < layers; ++i) {
            at = layer(at);
        }
        if (below(2) == 0) {
            at = quantized(at);
        }
        m_text += "output %" + at + "\n";
        for (int i = below(3); i > 0 && m_values.size() > 1; --i) {
            const std::string extra = m_values[static_cast<std::size_t>(below(static_cast<int>(m_values.size())))];
            if (m_text.find("output %" + extra + "\n") == std::string::npos) {
                m_text += "output %" + extra + "\n";
            }
        }
        return m_text;
    }

private:
    int below(int n) { return std::uniform_int_distribution<int>(0, n - 1)(m_random); }
    double real(double low, double high) { return std::uniform_real_distribution<double>(low, high)(m_random); }
    std::string shape() const { return fmt::format("1x{}x{}x{}", m_channels, m_height, m_width); }
    std::string name() { return fmt::format("v{}", m_next++); }

    std::string reals(int count, double low, double high)
    {
        std::vector<float> list;
        for (int i = 0; i < count; ++i) {
            list.push_back(static_cast<float>(real(low, high)));
        }
        return fmt::format("[{}]", fmt::join(list, ", "));
    }

    std::string quantized(const std::string& in)
    {
        const std::string n = name();
        const bool isSigned = below(2) == 0;
        const char* type = isSigned ? "s8" : "u8";
        const int zero = below(3) == 0 ? 0 : isSigned ? below(100) - 50 : below(200);
        m_text +=
            fmt::format("const %{0}s: f32{1} = [{2}]\nconst %{0}z: {3}{1} = [{4}]\n%{0}q: {3}[{5}] = "
                        "QuantizeLinear(%{6}, %{0}s, %{0}z)\n",
                        n, below(2) == 0 ? "[]" : "[1]", static_cast<float>(real(0.01, 0.08)), type, zero, shape(), in);
        std::string codes = n + "q";
        if (below(4) == 0) {
            m_text += fmt::format("const %{0}lo: {1}[] = [{2}]\nconst %{0}hi: {1}[] = [{3}]\n%{0}c: {1}[{4}] = "
                                  "Clip(%{5}, %{0}lo, %{0}hi)\n",
                                  n, type, isSigned ? -100 : 5, 120, shape(), codes);
            codes = n + "c";
        }
        m_text += fmt::format("%{0}: f32[{1}] = DequantizeLinear(%{2}, %{0}s, %{0}z)\n", n, shape(), codes);
        m_values.push_back(n);
        if (below(6) == 0) {
            m_values.push_back(codes);
        }
        if (below(6) == 0) {
            m_text += fmt::format("%{0}again: f32[{1}] = DequantizeLinear(%{2}, %{0}s, %{0}z)\n", n, shape(), codes);
            m_values.push_back(n + "again");
            return below(2) == 0 ? n : n + "again";
        }
        return n;
    }

    std::string weight(const std::string& dims, int count, int axis, int channels)
    {
        const std::string n = name();
        const bool perChannel = below(2) == 0;
        const std::string size = perChannel ? fmt::format("[{}]", channels) : "[]";
        std::vector<int> zeros(static_cast<std::size_t>(perChannel ? channels : 1), below(3) == 0 ? below(20) - 10 : 0);
        const std::string scales = reals(perChannel ? channels : 1, 0.005, 0.02);
        m_text += fmt::format("const %{0}s: f32{1} = {2}\nconst %{0}z: s8{1} = [{3}]\n", n, size, scales,
                              fmt::join(zeros, ", "));
        if (below(2) == 0) {
            std::vector<int> codes;
            for (int i = 0; i < count; ++i) {
                codes.push_back(below(10) == 0 ? -128 : below(256) - 128);
            }
            m_text += fmt::format("const %{0}q: s8[{1}] = [{2}]\n", n, dims, fmt::join(codes, ", "));
        } else {
            m_text +=
                fmt::format("const %{0}w: f32[{1}] = {2}\n%{0}q: s8[{1}] = QuantizeLinear(%{0}w, %{0}s, %{0}z) {{axis "
                            "= {3}}}\n",
                            n, dims, reals(count, -2.0, 2.0), axis);
        }
        m_text += fmt::format("%{0}: f32[{1}] = DequantizeLinear(%{0}q, %{0}s, %{0}z) {{axis = {2}}}\n", n, dims, axis);
        return n;
    }

    std::string unary(const std::string& call)
    {
        const std::string n = name();
        m_text += fmt::format("%{}: f32[{}] = {}\n", n, shape(), call);
        m_values.push_back(n);
        return n;
    }

    std::string linear(const std::string& in)
    {
        const int out = 1 + below(3);
        const bool transposed = below(4) == 0;
        const std::string w = transposed ? weight(fmt::format("{}x{}x1x1", m_channels, out), m_channels * out, 1, out)
                                         : weight(fmt::format("{}x{}x1x1", out, m_channels), m_channels * out, 0, out);
        std::string bias;
        m_channels = out;
        if (below(2) == 0) {
            bias = name();
            m_text += fmt::format("const %{}: f32[{}] = {}\n", bias, out, reals(out, -1.0, 1.0));
            bias = ", %" + bias;
        }
        std::string at = unary(fmt::format("{}(%{}, %{}{})", transposed ? "ConvTranspose" : "Conv", in, w, bias));
        if (below(3) == 0) {
            const std::string f = name();
            m_text += fmt::format("const %{}: f32[1x{}x1x1] = {}\n", f, out, reals(out, 0.5, 2.0));
            at = unary(fmt::format("{}(%{}, %{})", below(2) == 0 ? "Div" : "Mul", at, f));
        }
        if (below(2) == 0) {
            const std::string p = name();
            m_text += fmt::format("const %{0}g: f32[{1}] = {2}\nconst %{0}b: f32[{1}] = {3}\nconst %{0}m: f32[{1}] = "
                                  "{4}\nconst %{0}v: f32[{1}] = {5}\n",
                                  p, out, reals(out, -2.0, 2.0), reals(out, -1.0, 1.0), reals(out, -1.0, 1.0),
                                  reals(out, 0.2, 3.0));
            at = unary(fmt::format("BatchNormalization(%{0}, %{1}g, %{1}b, %{1}m, %{1}v)", at, p));
        }
        return at;
    }

    std::string activation(const std::string& in)
    {
        static constexpr std::array ops{"Relu(%{})",      "Sigmoid(%{})", "HardSwish(%{})",
                                        "LeakyRelu(%{})", "Tanh(%{})",    "Identity(%{})"};
        return unary(fmt::format(fmt::runtime(ops[static_cast<std::size_t>(below(6))]), in));
    }

    std::string moved(const std::string& in)
    {
        if (below(2) == 0 || m_height < 2) {
            std::swap(m_height, m_width);
            return unary(fmt::format("Transpose(%{}) {{perm = [0, 1, 3, 2]}}", in));
        }
        --m_height;
        --m_width;
        return unary(fmt::format("{}(%{}) {{kernel_shape = [2, 2]}}", below(2) == 0 ? "MaxPool" : "AveragePool", in));
    }

    std::string joined(const std::string& in)
    {
        const std::string a = below(3) == 0 ? in : quantized(activation(in));
        const std::string b = below(3) == 0 ? in : quantized(in);
        if (below(3) == 0) {
            m_channels *= 2;
            return unary(fmt::format("Concat(%{}, %{}) {{axis = 1}}", a, b));
        }
        return unary(fmt::format("{}(%{}, %{})", below(2) == 0 ? "Add" : "Mul", a, b));
    }

    std::string layer(const std::string& in)
    {
        std::string at = in;
        switch (below(4)) {
        case 0:
            at = linear(at);
            break;
        case 1:
            at = activation(linear(at));
            break;
        case 2:
            at = m_width > 1 ? moved(at) : activation(at);
            break;
        default:
            at = m_channels < 5 ? joined(at) : activation(at);
        }
        return below(5) == 0 ? at : quantized(at);
    }

    std::mt19937 m_random;
    std::string m_text;
    std::vector<std::string> m_values;
    int m_channels = 1;
    int m_height = 1;
    int m_width = 1;
    int m_next = 0;
};

/// The same for matrices: Gemm in every form, MatMul with constant and with computed operands, weights behind a
/// Transpose, 16-bit quantizers, integer graph inputs.
class MatrixWriter {
public:
    explicit MatrixWriter(unsigned seed) : m_random(seed) {}

    std::string network()
    {
        m_rows = 1 + below(3);
        m_columns = 1 + below(4);
        m_text = "graph \"random\" ir 10 opset \"\" 21\n";
        std::string at;
        if (below(3) == 0) {
            m_text += fmt::format("input %x: s8[{0}]\nconst %xs: f32[] = [0.03125]\nconst %xz: s8[] = [{1}]\n%xd: "
                                  "f32[{0}] = DequantizeLinear(%x, %xs, %xz)\n",
                                  shape(), below(20));
            at = "xd";
        } else {
            m_text += fmt::format("input %x: f32[{}]\n", shape());
            at = quantized("x");
        }
        for (int i = 1 + below(4); i > 0; --i) {
            at = layer(at);
            at = below(4) == 0 ? at : quantized(at);
        }
        return m_text + "output %" + at + "\n";
    }

private:
    int below(int n) { return std::uniform_int_distribution<int>(0, n - 1)(m_random); }
    float real(double low, double high)
    {
        return static_cast<float>(std::uniform_real_distribution<double>(low, high)(m_random));
    }
    std::string shape() const { return fmt::format("{}x{}", m_rows, m_columns); }
    std::string name() { return fmt::format("v{}", m_next++); }

    std::string reals(int count, double low, double high)
    {
        std::vector<float> list(static_cast<std::size_t>(count));
        std::ranges::generate(list, [&] { return real(low, high); });
        return fmt::format("[{}]", fmt::join(list, ", "));
    }

    std::string made(const std::string& call)
    {
        const std::string n = name();
        m_text += fmt::format("%{}: f32[{}] = {}\n", n, shape(), call);
        return n;
    }

    std::string quantized(const std::string& in)
    {
        const std::string n = name();
        const bool wide = below(4) == 0;
        m_text +=
            fmt::format("const %{0}s: f32[] = [{1}]\nconst %{0}z: {2}[] = [{3}]\n%{0}q: {2}[{4}] = "
                        "QuantizeLinear(%{5}, %{0}s, %{0}z)\n%{0}: f32[{4}] = DequantizeLinear(%{0}q, %{0}s, "
                        "%{0}z)\n",
                        n, wide ? real(0.0002, 0.001) : real(0.01, 0.08), wide ? "s16" : "s8", below(30), shape(), in);
        return n;
    }

    /// Rows x columns codes with a scale for each of `axis`.
    std::string weight(int rows, int columns, int axis)
    {
        const std::string n = name();
        const int channels = axis == 0 ? rows : columns;
        std::vector<int> codes(static_cast<std::size_t>(rows * columns));
        std::ranges::generate(codes, [&] { return below(256) - 128; });
        m_text += fmt::format("const %{0}c: s8[{1}x{2}] = [{3}]\nconst %{0}s: f32[{4}] = {5}\n%{0}: f32[{1}x{2}] = "
                              "DequantizeLinear(%{0}c, %{0}s) {{axis = {6}}}\n",
                              n, rows, columns, fmt::join(codes, ", "), channels, reals(channels, 0.005, 0.02), axis);
        return n;
    }

    std::string gemm(const std::string& in)
    {
        const int out = 1 + below(4);
        const bool transB = below(2) == 0;
        const std::string w = transB ? weight(out, m_columns, 0) : weight(m_columns, out, 1);
        std::string data = in;
        const bool transA = below(3) == 0;
        if (transA) {
            std::swap(m_rows, m_columns);
            data = made("Transpose(%" + in + ")");
            std::swap(m_rows, m_columns);
        }
        m_columns = out;
        std::string c;
        if (below(4) != 0) {
            const std::array<std::pair<std::string, int>, 4> forms{{{fmt::format("[{}]", out), out},
                                                                    {fmt::format("[1x{}]", out), out},
                                                                    {fmt::format("[{}x1]", m_rows), m_rows},
                                                                    {"[1]", 1}}};
            const auto& [dims, count] = forms[static_cast<std::size_t>(below(4))];
            const std::string n = name();
            m_text += fmt::format("const %{}: f32{} = {}\n", n, dims, reals(count, -1.0, 1.0));
            c = ", %" + n;
        }
        return made(fmt::format("Gemm(%{}, %{}{}) {{transA = {}, transB = {}, alpha = {:.2f}, beta = {:.2f}}}", data, w,
                                c, transA ? 1 : 0, transB ? 1 : 0, below(2) == 0 ? 1.0 : -0.75,
                                below(2) == 0 ? 1.0 : 0.5));
    }

    std::string matMul(const std::string& in)
    {
        const int out = 1 + below(4);
        std::string w;
        if (below(2) == 0) {
            const std::string stored = weight(out, m_columns, 0);
            w = name();
            m_text += fmt::format("%{}: f32[{}x{}] = Transpose(%{})\n", w, m_columns, out, stored);
        } else {
            w = weight(m_columns, out, 1);
        }
        m_columns = out;
        const std::string at = made(fmt::format("MatMul(%{}, %{})", in, w));
        if (below(3) == 0) {
            return at;
        }
        const std::string n = name();
        m_text += fmt::format("const %{}: f32[{}] = {}\n", n, out, reals(out, -1.0, 1.0));
        return made(fmt::format("Add(%{}, %{})", n, at));
    }

    std::string attention(const std::string& in)
    {
        const std::string other = quantized(made("Tanh(%" + in + ")"));
        std::swap(m_rows, m_columns);
        const std::string turned = made("Transpose(%" + other + ")");
        std::swap(m_rows, m_columns);
        m_columns = m_rows;
        const std::string scores = made(fmt::format("MatMul(%{}, %{})", in, turned));
        return below(2) == 0 ? scores : made("Softmax(%" + scores + ")");
    }

    std::string layer(const std::string& in)
    {
        switch (below(5)) {
        case 0:
        case 1:
            return gemm(in);
        case 2:
        case 3:
            return matMul(in);
        default:
            return attention(in);
        }
    }

    std::mt19937 m_random;
    std::string m_text;
    int m_rows = 1;
    int m_columns = 1;
    int m_next = 0;
};

} // namespace

/// Every stage before biases and scales are rounded gives the numbers of the source, whatever the network.
class TestRandomNetworks : public QObject {
    Q_OBJECT

private slots:
    void images_data() { seeds(); }
    void images();
    void matrices_data() { seeds(); }
    void matrices();

private:
    static void seeds();
    static void exactUpToLowering(const std::string& text, unsigned seed);
};

void TestRandomNetworks::seeds()
{
    QTest::addColumn<unsigned>("seed");
    const int count = qEnvironmentVariableIntValue("CREASE_RANDOM_NETWORKS");
    for (unsigned seed = 1; seed <= static_cast<unsigned>(count > 0 ? count : 150); ++seed) {
        QTest::addRow("seed %u", seed) << seed;
    }
}

void TestRandomNetworks::images()
{
    QFETCH(unsigned, seed);
    exactUpToLowering(Writer(seed).network(), seed);
}

void TestRandomNetworks::matrices()
{
    QFETCH(unsigned, seed);
    exactUpToLowering(MatrixWriter(seed).network(), seed);
}

void TestRandomNetworks::exactUpToLowering(const std::string& text, unsigned seed)
{
    const Graph graph = test::graphOf(text);
    const auto target = findTarget("onnxruntime-qoperator");
    VERIFY_RESULT(target);
    const auto trace = runPipeline(graph, {}, *target, Job{});
    VERIFY_RESULT(trace);
    std::vector<std::vector<Tensor>> samples;
    for (unsigned sample = 0; sample < 4; ++sample) {
        samples.push_back(test::randomInputs(graph, seed * 8 + sample));
    }
    for (const std::vector<Tensor>& inputs : samples) {
        const std::vector<double> right = test::evaluate(graph, inputs);
        for (const Stage& stage : trace->stages) {
            if (stage.pass == "legalise") {
                break;
            }
            const double apart = test::difference(right, test::evaluate(stage.after, inputs));
            QVERIFY2(apart < 1e-9, qPrintable(QString("%1: %2\n%3")
                                                  .arg(QString::fromStdString(stage.pass))
                                                  .arg(apart)
                                                  .arg(QString::fromStdString(text))));
        }
    }
    const FoldReport report = makeReport(*trace);
    QVERIFY(report.integerLinearOps <= report.quantizedLinearOps);
    std::string reasons;
    for (const Island& island : report.islands) {
        reasons += island.reason + "; ";
    }
    const bool movedConcat = text.find("Concat") != std::string::npos;
    QVERIFY2(
        movedConcat || report.integerLinearOps == report.quantizedLinearOps,
        fmt::format("{} of {} linear ops: {}\n{}", report.integerLinearOps, report.quantizedLinearOps, reasons, text)
            .c_str());
}

QTEST_GUILESS_MAIN(TestRandomNetworks)
#include "tst_random_networks.moc"
