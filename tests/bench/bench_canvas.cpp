// SPDX-License-Identifier: GPL-3.0-or-later
// Prints how long layouts and frames take: bench_canvas [NODES ...], 1000, 10000 and 50000 without any.
#include "tests/bench/graphs.h"
#include "ui/canvas/canvas_view.h"
#include "ui/layout/worker_pool.h"

#include <QApplication>
#include <QElapsedTimer>

#include <algorithm>
#include <cstdio>

using namespace crease;

namespace {

template <class Work>
double milliseconds(int runs, Work&& work)
{
    std::vector<double> times;
    for (int i = 0; i < runs; ++i) {
        QElapsedTimer timer;
        timer.start();
        work();
        times.push_back(static_cast<double>(timer.nsecsElapsed()) / 1e6);
    }
    std::ranges::sort(times);
    return times[times.size() / 2];
}

void layouts(bench::Family family, std::size_t nodes)
{
    for (const bool allDifferent : {false, true}) {
        const Scene scene = bench::SceneMaker(family).make(nodes, allDifferent);
        const layout::Graph graph = layoutInput(scene);
        layout::LayoutPtr result;
        layout::SegmentCache cache(100000);
        layout::Options cached;
        cached.cache = &cache;
        const double cold = milliseconds(3, [&] { result = layout::layoutGraph(graph); });
        layout::layoutGraph(graph, cached);
        const double warm = milliseconds(3, [&] { layout::layoutGraph(graph, cached); });
        layout::WorkerPool pool(CREASE_LAYOUT_WORKER);
        layout::Options dot;
        dot.workers = &pool;
        dot.dotAlways = true;
        layout::SegmentCache once(100000);
        dot.cache = &once;
        const double byDot = milliseconds(1, [&] { layout::layoutGraph(graph, dot); });
        std::vector<layout::Origin> none;
        const double stage = milliseconds(3, [&] { layout::layoutNextStage(*result, graph, none); });
        std::printf("layout  %-9s %6zu nodes %-9s own %7.1f ms  cached %7.1f ms  dot %8.1f ms (%zu failed)  next stage "
                    "%7.1f ms  width %.0f, %zu segments, %zu chips\n",
                    bench::familyName(family), nodes, allDifferent ? "different" : "repeated", cold, warm, byDot,
                    pool.statistics().failed, stage, result->bounds.width(), result->segments.size(),
                    result->chips.size());
    }
}

void frames(std::size_t nodes)
{
    QElapsedTimer timer;
    timer.start();
    const PicturePtr picture = makePicture(bench::SceneMaker(bench::Family::Residual).make(nodes, false));
    const double made = static_cast<double>(timer.nsecsElapsed()) / 1e6;
    Camera camera;
    camera.setAnimated(false);
    CanvasView view(camera);
    view.resize(1600, 1000);
    view.setPicture(picture);
    view.show();
    QImage image(1600, 1000, QImage::Format_RGB32);
    const auto frame = [&] { view.render(&image); };
    const QPointF middle(0, picture->bounds().height() / 2);
    std::printf("frames  %6zu nodes, picture made in %.0f ms:", nodes, made);
    for (const double zoom : {2.5, 1.0, 0.75, 0.5, 0.36, 0.2}) {
        camera.setView({middle, zoom, nullptr});
        frame();
        std::printf("  %.2f: %.1f ms", zoom, milliseconds(9, [&] {
                        camera.pan({3, 7});
                        frame();
                    }));
    }
    view.fit();
    frame();
    std::printf("  all in view (%.4f): %.1f ms\n", camera.zoom(), milliseconds(9, frame));
}

} // namespace

int main(int argc, char** argv)
{
    qputenv("QT_QPA_PLATFORM", "offscreen");
    QApplication application(argc, argv);
    std::vector<std::size_t> sizes;
    for (int i = 1; i < argc; ++i)
        sizes.push_back(std::strtoul(argv[i], nullptr, 10));
    if (sizes.empty())
        sizes = {1000, 10000, 50000};
    for (std::size_t nodes : sizes) {
        for (bench::Family family : {bench::Family::Residual, bench::Family::Attention, bench::Family::Recurrent})
            layouts(family, nodes);
        frames(nodes);
    }
}
