// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/crease/draw.h"

#include "core/export/replacing.h"
#include "core/onnx/importer.h"
#include "core/passes/pipeline.h"
#include "core/passes/report.h"
#include "core/support/text.h"
#include "ui/canvas/draw.h"
#include "ui/canvas/scene_builder.h"
#include "ui/layout/segment_cache.h"

#include <QSaveFile>

#include <cstdio>

namespace crease {

namespace {

Result<std::size_t> stageNumber(const Trace& trace, const std::string& pass)
{
    if (pass.empty() || pass == "original") {
        return std::size_t{0};
    }
    if (pass == "final") {
        return trace.stages.size();
    }
    for (std::size_t i = 0; i < trace.stages.size(); ++i) {
        if (trace.stages[i].pass == pass) {
            return i + 1;
        }
    }
    std::vector<std::string> names{"original", "final"};
    for (const Stage& stage : trace.stages) {
        names.push_back(stage.pass);
    }
    const std::string hint = suggestion(pass, names);
    return failure(ErrorKind::Usage, "unknown-pass",
                   "there is no pass '" + pass + "'" +
                       (hint.empty() ? ": see crease-cli passes, or say original or final" : hint));
}

Result<QSizeF> sizeOf(const std::string& text)
{
    if (text.empty()) {
        return QSizeF();
    }
    int width = 0;
    int height = 0;
    char end = 0;
    if (std::sscanf(text.c_str(), "%dx%d%c", &width, &height, &end) != 2 || width < 1 || height < 1 || width > 32000 ||
        height > 32000) {
        return failure(ErrorKind::Usage, "bad-size",
                       "--size " + text + ": WIDTHxHEIGHT expected, each from 1 to 32000");
    }
    return QSizeF(width, height);
}

Result<void> draw(const DrawRequest& request)
{
    const QString file = QString::fromStdString(request.output);
    const auto format = pictureFormat(file);
    if (!format) {
        return failure(ErrorKind::Usage, "picture-format",
                       request.output + ": the name must end in .svg, .png, .pdf or .dot");
    }
    if (!request.stage.empty() && !request.diff.empty()) {
        return failure(ErrorKind::Usage, "stage-and-diff",
                       "--stage draws a graph and --diff what a pass changed in it: give one of the two");
    }
    TRY(mayReplace(request.output, request.force, FileOfOurs::Picture));
    TRY(checkNoInput("--draw", request.output, {request.model}));
    DrawOptions options;
    options.size = TRY(sizeOf(request.size));
    options.dark = request.theme == "dark";
    options.state.lens = request.lens;
    Recipe recipe;
    if (!request.target.empty()) {
        recipe.target = request.target;
    }
    const Target target = TRY(findTarget(recipe.target));
    const Job job;
    const ImportedModel model = TRY(importModel(request.model, {}, job));
    const Trace trace = TRY(runPipeline(model.graph, recipe, target, job));
    const bool isDiff = !request.diff.empty();
    const std::size_t stage = TRY(stageNumber(trace, isDiff ? request.diff : request.stage));
    std::vector<IslandNames> islands;
    for (const Island& island : makeReport(trace).islands) {
        islands.push_back({island.nodes, island.reason});
    }
    layout::SegmentCache cache;
    layout::Options layoutOptions;
    layoutOptions.cache = &cache;
    const auto layouts = layoutStages(trace, {}, layoutOptions);
    const PicturePtr picture = isDiff && stage > 0 ? stagePictures(trace, layouts, stage - 1, stage, islands).after
                                                   : stagePicture(trace, layouts, stage, islands);
    if (!request.around.empty()) {
        NodeId node = trace.graph(stage).findNode(request.around);
        if (!node.valid()) {
            const ValueId value = trace.graph(stage).findValue(request.around);
            node = value.valid() ? trace.graph(stage).producer(value) : NodeId{};
        }
        if (!node.valid()) {
            return failure(ErrorKind::Usage, "unknown-node",
                           "there is no node or value '" + request.around + "' at this stage");
        }
        options.around = sceneId(node);
    }
    const QByteArray bytes = pictureFile(*picture, options, *format);
    QSaveFile output(file);
    if (bytes.isEmpty() || !output.open(QIODevice::WriteOnly) || output.write(bytes) != bytes.size() ||
        !output.commit()) {
        Error error{ErrorKind::Output, "cannot-write",
                    "the picture cannot be written: " + output.errorString().toStdString()};
        error.file = request.output;
        return std::unexpected(std::move(error));
    }
    return {};
}

} // namespace

int drawToFile(const DrawRequest& request)
{
    const auto done = draw(request);
    if (done) {
        return 0;
    }
    std::fprintf(stderr, "crease: %s\n", printable(describe(done.error())).c_str());
    switch (done.error().kind) {
    case ErrorKind::Usage:
        return 2;
    case ErrorKind::Input:
        return 3;
    case ErrorKind::Internal:
        return 4;
    case ErrorKind::Output:
        return 5;
    case ErrorKind::Cancelled:
        return 130;
    case ErrorKind::Refused:
    case ErrorKind::Unsupported:
        break;
    }
    return 1;
}

} // namespace crease
