// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/ir/text_format.h"
#include "core/support/result.h"

#include <QTest>

#include <string>
#include <string_view>

namespace crease::test {

/// Parses or fails the test with the parser's message.
inline Graph graphOf(std::string_view text)
{
    auto graph = parse(text);
    if (!graph) {
        qFatal("%s", describe(graph.error()).c_str());
    }
    return std::move(*graph);
}

} // namespace crease::test

/// Compares the text form of a graph with the one that `expected` prints as, so that spacing and order of constants do
/// not matter.
#define COMPARE_GRAPH(actual, expected)                                                                                \
    QCOMPARE(QString::fromStdString(::crease::print(actual)),                                                          \
             QString::fromStdString(::crease::print(::crease::test::graphOf(expected))))

/// Fails the test with the error's message where a Result holds one.
#define VERIFY_RESULT(result)                                                                                          \
    QVERIFY2((result).has_value(), (result) ? "" : ::crease::describe((result).error()).c_str())
