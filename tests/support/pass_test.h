// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/rewrite/driver.h"
#include "tests/support/graph_text.h"

namespace crease::test {

/// Text in, rules, text out. An empty `after` means: must change nothing.
inline Stage runRules(std::string_view before, std::span<const Rule> rules, DriverOptions options = {})
{
    options.verifyEach = true;
    auto stage = applyRules(graphOf(before), "test", rules, options, Job{});
    if (!stage) {
        qFatal("%s", describe(stage.error()).c_str());
    }
    return std::move(*stage);
}

} // namespace crease::test

#define COMPARE_RULES(given, rules, expected)                                                                          \
    do {                                                                                                               \
        const ::crease::Stage ruleStage = ::crease::test::runRules(given, rules);                                      \
        COMPARE_GRAPH(ruleStage.after, expected);                                                                      \
        QCOMPARE(ruleStage.rewrites.empty(), ::crease::print(::crease::test::graphOf(given)) ==                        \
                                                 ::crease::print(::crease::test::graphOf(expected)));                  \
    } while (false)

/// The rules must leave the graph as it is.
#define NO_CHANGE(given, rules) COMPARE_RULES(given, rules, given)
