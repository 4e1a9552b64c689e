// SPDX-License-Identifier: GPL-3.0-or-later
// bench_stages MODEL [FOLDER] (CREASE_DOT=1: with dot where the own engine leaves crossings): how long the pictures of
// each step through the passes take, and saves them to FOLDER.
#include "core/onnx/importer.h"
#include "core/passes/pipeline.h"
#include "core/targets/target.h"
#include "ui/canvas/draw.h"
#include "ui/canvas/scene_builder.h"
#include "ui/layout/worker_pool.h"

#include <QApplication>
#include <QElapsedTimer>
#include <QFile>

#include <cstdio>

using namespace crease;

namespace {

double since(QElapsedTimer& timer)
{
    const double ms = static_cast<double>(timer.nsecsElapsed()) / 1e6;
    timer.restart();
    return ms;
}

void save(const PicturePtr& picture, const QString& name, const DrawOptions& options)
{
    QFile file(name);
    if (!file.open(QIODevice::WriteOnly) || file.write(pictureFile(*picture, options, PictureFormat::Png)) <= 0)
        std::fprintf(stderr, "%s cannot be written\n", qPrintable(name));
}

} // namespace

int main(int argc, char** argv)
{
    qputenv("QT_QPA_PLATFORM", "offscreen");
    QApplication application(argc, argv);
    if (argc < 2) {
        std::fprintf(stderr, "usage: bench_stages MODEL [FOLDER]\n");
        return 2;
    }
    QElapsedTimer timer;
    timer.start();
    const auto model = importModel(argv[1], {}, {});
    if (!model) {
        std::fprintf(stderr, "%s\n", model.error().message.c_str());
        return 3;
    }
    std::printf("import %.0f ms, %zu nodes\n", since(timer), model->graph.nodeCount());
    Trace first;
    first.original = model->graph;
    layout::WorkerPool pool(layout::findWorker(QCoreApplication::applicationDirPath().toStdString()));
    layout::Options options;
    if (qEnvironmentVariableIsSet("CREASE_DOT"))
        options.workers = &pool;
    std::vector<layout::LayoutPtr> layouts = layoutStages(first, {}, options);
    std::printf("%zu segments by dot, %zu failed, ", pool.statistics().laidOut, pool.statistics().failed);
    stagePicture(first, layouts, 0);
    std::printf("first picture %.1f ms\n", since(timer));
    const Recipe recipe;
    const auto target = findTarget(recipe.target);
    const auto trace = target ? runPipeline(model->graph, recipe, *target, {}) : std::unexpected(target.error());
    if (!trace) {
        std::fprintf(stderr, "%s\n", trace.error().message.c_str());
        return 4;
    }
    std::printf("passes %.0f ms\n", since(timer));
    layouts = layoutStages(*trace, layouts, options);
    std::printf("layout of all stages %.1f ms\n", since(timer));
    for (std::size_t stage = 1; stage <= trace->stages.size(); ++stage) {
        timer.restart();
        const StagePictures pictures = stagePictures(*trace, layouts, stage - 1, stage);
        std::printf("%-18s %5zu nodes, %4zu ghosts, step %.1f ms\n", trace->stages[stage - 1].pass.c_str(),
                    trace->graph(stage).nodeCount(), pictures.after->ghosts().size(), since(timer));
        if (argc > 2) {
            const QString name = QString("%1/%2-%3")
                                     .arg(argv[2])
                                     .arg(stage, 2, 10, QLatin1Char('0'))
                                     .arg(QString::fromStdString(trace->stages[stage - 1].pass));
            save(pictures.before, name + "-before.png", {});
            DrawOptions drawing;
            drawing.state.lens = stage > 8;
            save(pictures.after, name + "-after.png", drawing);
            drawing.size = {1400, 900};
            save(pictures.after, name + "-fit.png", drawing);
        }
    }
}
