// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "ui/layout/layout_result.h"

namespace crease::layout::test {

class GraphMaker {
public:
    Index box(double width = 136)
    {
        Box b;
        b.id = m_graph.boxes.size() + 1;
        b.width = width;
        m_graph.boxes.push_back(b);
        return static_cast<Index>(m_graph.boxes.size() - 1);
    }
    void edge(Index from, Index to, Port port = Port::Main, bool tight = false)
    {
        Edge e;
        e.from = from;
        e.to = to;
        e.port = port;
        e.toOffset = port == Port::Main ? 0 : port == Port::Weight ? -52 : 52;
        e.tensor = from + 1;
        e.tight = tight;
        m_graph.edges.push_back(e);
    }
    const Graph& graph() const { return m_graph; }

private:
    Graph m_graph;
};

/// Residual blocks: quantizer, Conv with a quantized weight, BatchNorm, Relu, quantizer ..., Add with the block's
/// input.
inline Graph residualNetwork(int blocks)
{
    GraphMaker g;
    Index at = g.box();
    for (int b = 0; b < blocks; ++b) {
        const Index quantizer = g.box();
        g.edge(at, quantizer);
        Index x = quantizer;
        for (int conv = 0; conv < 2; ++conv) {
            const Index weight = g.box(124);
            const Index linear = g.box();
            g.edge(x, linear);
            g.edge(weight, linear, Port::Weight);
            const Index norm = g.box();
            g.edge(linear, norm);
            const Index relu = g.box();
            g.edge(norm, relu);
            x = g.box();
            g.edge(relu, x);
        }
        const Index add = g.box();
        g.edge(x, add);
        if (b % 2 == 1) {
            const Index weight = g.box(124);
            const Index down = g.box();
            g.edge(quantizer, down);
            g.edge(weight, down, Port::Weight);
            g.edge(down, add, Port::Operand);
        } else {
            g.edge(quantizer, add, Port::Operand);
        }
        at = g.box();
        g.edge(add, at);
    }
    return g.graph();
}

/// Blocks that all read one mask, as a transformer does.
inline Graph maskedNetwork(int blocks)
{
    GraphMaker g;
    const Index mask = g.box();
    Index at = g.box();
    for (int b = 0; b < blocks; ++b) {
        Index heads[3];
        const Index norm = g.box();
        g.edge(at, norm);
        for (Index& head : heads) {
            head = g.box();
            g.edge(norm, head);
        }
        const Index scores = g.box();
        g.edge(heads[0], scores);
        g.edge(heads[1], scores, Port::Operand);
        const Index masked = g.box();
        g.edge(scores, masked);
        g.edge(mask, masked, Port::Operand);
        const Index mix = g.box();
        g.edge(masked, mix);
        g.edge(heads[2], mix, Port::Operand);
        const Index add = g.box();
        g.edge(mix, add);
        g.edge(at, add, Port::Operand);
        at = add;
    }
    return g.graph();
}

/// Two tensors run down side by side and cross over in every cell, as in an unrolled LSTM: no cut at one tensor.
inline Graph recurrentNetwork(int cells)
{
    GraphMaker g;
    Index state = g.box();
    Index hidden = g.box();
    for (int c = 0; c < cells; ++c) {
        const Index gate = g.box();
        g.edge(hidden, gate);
        const Index forget = g.box();
        g.edge(gate, forget);
        const Index update = g.box();
        g.edge(gate, update);
        const Index multiply = g.box();
        g.edge(state, multiply);
        g.edge(forget, multiply, Port::Operand);
        const Index next = g.box();
        g.edge(multiply, next);
        g.edge(update, next, Port::Operand);
        const Index squash = g.box();
        g.edge(next, squash);
        const Index out = g.box();
        g.edge(squash, out);
        g.edge(update, out, Port::Operand);
        state = next;
        hidden = out;
    }
    return g.graph();
}

} // namespace crease::layout::test
