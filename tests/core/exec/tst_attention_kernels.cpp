// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/core/exec/kernel_runner.h"

using namespace crease;
using namespace crease::test;

namespace {

NodeCase attentionOf(std::vector<Tensor> inputs, Attributes attributes = {})
{
    return {.op = "Attention", .inputs = std::move(inputs), .attributes = std::move(attributes), .version = 24};
}

const Tensor query = floats({1, 1, 2, 1}, {1, 1});
const Tensor key = floats({1, 1, 2, 1}, {0, 0});
const Tensor value = floats({1, 1, 2, 1}, {2, 4});

} // namespace

class TestAttentionKernels : public QObject {
    Q_OBJECT

private slots:
    void masks()
    {
        QCOMPARE(doublesOf(attentionOf({query, key, value}).output()), (Doubles{3, 3}));
        QCOMPARE(doublesOf(attentionOf({query, key, value}, {{"is_causal", std::int64_t{1}}}).output()),
                 (Doubles{2, 3}));
        const Tensor second = ints(ElementType::Bool, {2, 2}, {0, 1, 0, 0});
        QCOMPARE(doublesOf(attentionOf({query, key, value, second}).output()), (Doubles{4, 0}));
        // A mask that is shorter than the keys hides the rest.
        QCOMPARE(doublesOf(attentionOf({query, key, value, floats({2, 1}, {0, 0})}).output()), (Doubles{2, 2}));
        const Tensor three = floats({1, 1, 3, 1}, {0, 0, 0});
        const Tensor values = floats({1, 1, 3, 1}, {2, 4, 90});
        QCOMPARE(doublesOf(attentionOf({query, three, values, floats({2, 2}, {0, 0, 0, 0})}).output()),
                 (Doubles{3, 3}));
    }

    void cachesStandBefore()
    {
        NodeCase node = attentionOf({query, key, value, {}, floats({1, 1, 1, 1}, {0}), floats({1, 1, 1, 1}, {9})},
                                    {{"is_causal", std::int64_t{1}}});
        node.outputs = 3;
        const auto outputs = node.run();
        QVERIFY(outputs.has_value());
        QCOMPARE((*outputs)[0].toDoubles(), (Doubles{5.5, 5}));
        QCOMPARE((*outputs)[2].toDoubles(), (Doubles{9, 2, 4}));
    }

    void rotation()
    {
        const NodeCase node{
            .op = "RotaryEmbedding",
            .inputs = {floats({1, 1, 1, 4}, {1, 2, 3, 4}), floats({1, 1, 1}, {0}), floats({1, 1, 1}, {1})},
            .attributes = {{"rotary_embedding_dim", std::int64_t{2}}},
            .version = 23};
        QCOMPARE(doublesOf(node.output()), (Doubles{-2, 1, 3, 4}));
    }

    void negative_refused()
    {
        QVERIFY(attentionOf({query, floats({1, 1, 2, 2}, {0, 0, 0, 0}), value}).fails());
        QVERIFY(attentionOf({query, key, floats({1, 1, 1, 1}, {1})}).fails());
        QVERIFY(attentionOf({query, floats({1, 2, 2, 1}, {0, 0, 0, 0}), floats({1, 2, 2, 1}, {0, 0, 0, 0})}).fails());
        QVERIFY(attentionOf({query, key, value, floats({3, 2}, sixZeros())}).fails());
        QVERIFY(
            attentionOf({floats({1, 2, 3}, sixZeros()), floats({1, 2, 3}, sixZeros()), floats({1, 2, 3}, sixZeros())},
                        {{"q_num_heads", std::int64_t{2}}, {"kv_num_heads", std::int64_t{1}}})
                .fails());
        QVERIFY(attentionOf({query, key, value, {}, {}, {}, ints(ElementType::Int64, {2}, {1, 1})}).fails());
        const NodeCase far{.op = "RotaryEmbedding",
                           .inputs = {floats({1, 1, 1, 2}, {1, 2}), floats({1, 1}, {0}), floats({1, 1}, {1}),
                                      ints(ElementType::Int64, {1, 1}, {1})},
                           .version = 23};
        QVERIFY(far.fails());
        QVERIFY((NodeCase{.op = "SwiGLU", .inputs = {floats({1}, {1}), floats({2}, {1, 2})}, .version = 27}.fails()));
    }

private:
    static std::vector<float> sixZeros() { return {0, 0, 0, 0, 0, 0}; }
};

QTEST_GUILESS_MAIN(TestAttentionKernels)
#include "tst_attention_kernels.moc"
