// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/passes/pass.h"
#include "tests/support/graph_text.h"

namespace crease::test {

using RunPass = Result<Stage> (*)(const Graph&, const PassContext&, const Job&);

/// Text in, one or more passes, the last stage out. Every patch is verified.
inline Stage runPasses(std::string_view before, std::initializer_list<RunPass> passes, DriverOptions options = {})
{
    const Target target{};
    PassContext context{target, std::move(options), {}};
    context.driver.verifyEach = true;
    Stage stage;
    stage.after = graphOf(before);
    for (const RunPass pass : passes) {
        auto next = pass(stage.after, context, Job{});
        if (!next) {
            qFatal("%s", describe(next.error()).c_str());
        }
        stage = std::move(*next);
    }
    return stage;
}

/// The ids of the misses, joined by commas.
inline QString missIds(const Stage& stage)
{
    QStringList ids;
    for (const MissedSite& missed : stage.missed) {
        ids << QString::fromStdString(missed.miss.id);
    }
    return ids.join(",");
}

inline QString diagnosticIds(const Stage& stage)
{
    QStringList ids;
    for (const Diagnostic& diagnostic : stage.diagnostics) {
        ids << QString::fromStdString(diagnostic.id);
    }
    return ids.join(",");
}

} // namespace crease::test

/// The pass turns `given` into `expected`, and says truly whether it changed anything.
#define COMPARE_PASS(given, pass, expected)                                                                            \
    do {                                                                                                               \
        const ::crease::Stage passStage = ::crease::test::runPasses(given, {pass});                                    \
        COMPARE_GRAPH(passStage.after, expected);                                                                      \
        QCOMPARE(passStage.rewrites.empty(), ::crease::print(::crease::test::graphOf(given)) ==                        \
                                                 ::crease::print(::crease::test::graphOf(expected)));                  \
    } while (false)

#define PASS_CHANGES_NOTHING(given, pass) COMPARE_PASS(given, pass, given)
