// SPDX-License-Identifier: GPL-3.0-or-later
// bench_window MODEL: how long the window takes from its start until it has painted the first graph, and for each step
// through the passes.
#include "ui/main_window.h"

#include <QApplication>
#include <QElapsedTimer>
#include <QTemporaryDir>

#include <algorithm>
#include <cstdio>

using namespace crease;

namespace {

double milliseconds(const QElapsedTimer& timer)
{
    return static_cast<double>(timer.nsecsElapsed()) / 1e6;
}

/// Lets events run until the condition holds: this program is the only user of the window.
template <class Condition>
bool waitUntil(Condition condition)
{
    QElapsedTimer limit;
    limit.start();
    while (!condition()) {
        QApplication::processEvents(QEventLoop::WaitForMoreEvents, 5);
        if (limit.elapsed() > 120000) {
            return false;
        }
    }
    return true;
}

} // namespace

int main(int argc, char** argv)
{
    QElapsedTimer timer;
    timer.start();
    if (!qEnvironmentVariableIsSet("QT_QPA_PLATFORM")) {
        qputenv("QT_QPA_PLATFORM", "offscreen");
    }
    QApplication application(argc, argv);
    if (argc < 2) {
        std::fprintf(stderr, "usage: bench_window MODEL\n");
        return 2;
    }
    const QTemporaryDir folder;
    Settings settings(folder.filePath("settings.ini"));
    MainWindow window(settings);
    window.resize(1600, 1000);
    window.show();
    QApplication::processEvents();
    std::printf("empty window painted      %7.0f ms\n", milliseconds(timer));
    bool laidOut = false;
    QObject::connect(&window.document(), &Document::changed, &window,
                     [&](Document::Change what) { laidOut = laidOut && what != Document::Change::Trace; });
    QObject::connect(&window.canvas(), &TraceCanvas::layoutFinished, &window, [&] { laidOut = true; });
    window.open(argv[1]);
    if (!waitUntil([&] { return window.canvas().isShown(); })) {
        std::fprintf(stderr, "no graph after 120 s: %s\n", qPrintable(window.messageText()));
        return 1;
    }
    window.canvas().repaint();
    QApplication::processEvents();
    std::printf("first graph painted       %7.0f ms\n", milliseconds(timer));
    if (!waitUntil([&] { return window.document().stageCount() > 0 && laidOut; })) {
        return 1;
    }
    std::printf("folded and laid out       %7.0f ms\n", milliseconds(timer));
    double slowest = 0;
    std::size_t at = 0;
    window.document().setStage(0);
    for (std::size_t stage = 0; stage <= window.document().stageCount() + 1; ++stage) {
        QElapsedTimer step;
        step.start();
        if (stage > 0) {
            window.document().stepForward(); // the last step shows the whole fold
        }
        window.repaint();
        QApplication::processEvents();
        if (milliseconds(step) > slowest) {
            slowest = milliseconds(step);
            at = stage;
        }
    }
    std::printf("slowest step              %7.1f ms (to stage %zu of %zu)\n", slowest, at,
                window.document().stageCount());
    return 0;
}
