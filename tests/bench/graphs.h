// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "ui/canvas/scene.h"

#include <vector>

namespace crease::bench {

/// Scenes as networks make them: residual blocks, attention blocks that share one mask, an unrolled recurrence.
enum class Family { Residual, Attention, Recurrent };

inline const char* familyName(Family family)
{
    return family == Family::Residual ? "residual" : family == Family::Attention ? "attention" : "recurrent";
}

class SceneMaker {
public:
    explicit SceneMaker(Family family) : m_family(family) {}

    Scene make(std::size_t nodes, bool allDifferent)
    {
        m_allDifferent = allDifferent;
        std::uint32_t at = node("Input", SceneClass::Quantizer);
        std::uint32_t other = node("Input", SceneClass::Quantizer);
        while (m_scene.nodes.size() < nodes) {
            ++m_block;
            switch (m_family) {
            case Family::Residual:
                at = residual(at);
                break;
            case Family::Attention:
                at = attention(at, other);
                break;
            case Family::Recurrent:
                recurrent(at, other);
                break;
            }
        }
        return std::move(m_scene);
    }

private:
    std::uint32_t node(const char* op, SceneClass look)
    {
        SceneNode n;
        n.id = m_scene.nodes.size() + 1;
        n.op = op;
        n.look = look;
        n.shortName = QString("block%1/%2").arg(m_block).arg(op);
        // Names of different lengths, so that no two blocks are laid out alike.
        if (m_allDifferent)
            n.shortName += QString("x").repeated(static_cast<int>((m_scene.nodes.size() * 2654435761u >> 7) % 24));
        n.name = "/" + n.shortName;
        n.section = static_cast<std::int32_t>(m_block / 16);
        if (static_cast<std::size_t>(n.section) >= m_scene.sections.size())
            m_scene.sections.push_back(QString("stage %1").arg(n.section));
        m_scene.nodes.push_back(n);
        return static_cast<std::uint32_t>(m_scene.nodes.size() - 1);
    }

    void edge(std::uint32_t from, std::uint32_t to, ScenePort port = ScenePort::Main)
    {
        SceneEdge e;
        e.from = from;
        e.to = to;
        e.port = port;
        e.toOffset = port == ScenePort::Main ? 0 : port == ScenePort::Weight ? -52 : 52;
        e.tensor = from + 1;
        e.precision = Precision::Int8;
        e.badge = SceneBadge{"s8", "0.0346 z0", "1×32×4×4", Precision::Int8, BadgeStyle::FakeQuantized};
        m_scene.edges.push_back(e);
    }

    std::uint32_t next(std::uint32_t from, const char* op, SceneClass look)
    {
        const auto n = node(op, look);
        edge(from, n);
        return n;
    }

    std::uint32_t residual(std::uint32_t at)
    {
        std::uint32_t x = at;
        for (int i = 0; i < 2; ++i) {
            const auto weight = node("FakeQuant", SceneClass::Quantizer);
            x = next(x, "Conv", SceneClass::Linear);
            edge(weight, x, ScenePort::Weight);
            x = next(x, "BatchNorm", SceneClass::Normalisation);
            x = next(x, "Relu", SceneClass::Activation);
            x = next(x, "FakeQuant", SceneClass::Quantizer);
        }
        const auto add = next(x, "Add", SceneClass::Elementwise);
        edge(at, add, ScenePort::Operand);
        return next(add, "FakeQuant", SceneClass::Quantizer);
    }

    std::uint32_t attention(std::uint32_t at, std::uint32_t mask)
    {
        const auto norm = next(at, "LayerNorm", SceneClass::Normalisation);
        const auto q = next(norm, "MatMul", SceneClass::Linear);
        const auto k = next(norm, "MatMul", SceneClass::Linear);
        const auto v = next(norm, "MatMul", SceneClass::Linear);
        const auto scores = next(q, "MatMul", SceneClass::Linear);
        edge(next(k, "Transpose", SceneClass::Movement), scores, ScenePort::Operand);
        const auto masked = next(scores, "Add", SceneClass::Elementwise);
        edge(mask, masked, ScenePort::Operand);
        const auto mix = next(next(masked, "Softmax", SceneClass::Activation), "MatMul", SceneClass::Linear);
        edge(v, mix, ScenePort::Operand);
        const auto add = next(mix, "Add", SceneClass::Elementwise);
        edge(at, add, ScenePort::Operand);
        return add;
    }

    void recurrent(std::uint32_t& state, std::uint32_t& hidden)
    {
        const auto gates = next(hidden, "Gemm", SceneClass::Linear);
        const auto forget = next(gates, "Sigmoid", SceneClass::Activation);
        const auto update = next(gates, "Tanh", SceneClass::Activation);
        const auto keep = next(state, "Mul", SceneClass::Elementwise);
        edge(forget, keep, ScenePort::Operand);
        const auto now = next(keep, "Add", SceneClass::Elementwise);
        edge(update, now, ScenePort::Operand);
        const auto out = next(next(now, "Tanh", SceneClass::Activation), "Mul", SceneClass::Elementwise);
        edge(update, out, ScenePort::Operand);
        state = now;
        hidden = out;
    }

    Family m_family;
    Scene m_scene;
    int m_block = 0;
    bool m_allDifferent = false;
};

} // namespace crease::bench
