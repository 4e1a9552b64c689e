// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/passes/pass.h"
#include "tests/support/graph_text.h"

namespace crease::test {

/// Text in, one pass of the catalogue for the QOperator target, its stage out.
inline Stage stageOf(Result<Stage> (*run)(const Graph&, const PassContext&, const Job&), std::string_view text,
                     DriverOptions options = {})
{
    static const Target target = *findTarget("onnxruntime-qoperator");
    options.verifyEach = true;
    auto stage = run(graphOf(text), PassContext{target, std::move(options), {}}, Job{});
    if (!stage) {
        qFatal("%s", describe(stage.error()).c_str());
    }
    return std::move(*stage);
}

inline const Value& named(const Graph& graph, std::string_view name)
{
    const ValueId id = graph.findValue(name);
    if (!id.valid()) {
        qFatal("no value %s in:\n%s", std::string(name).c_str(), print(graph).c_str());
    }
    return graph.value(id);
}

inline const Node& makerOf(const Graph& graph, std::string_view name)
{
    return graph.node(graph.producer(graph.findValue(name)));
}

} // namespace crease::test
