// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/crease/draw.h"
#include "core/export/version.h"
#include "ui/main_window.h"

#include <CLI/CLI.hpp>
#include <QApplication>

#include <clocale>
#include <cstdio>
#include <cstring>
#include <langinfo.h>
#include <memory>

namespace {

bool hasDisplay()
{
    return qEnvironmentVariableIsSet("QT_QPA_PLATFORM") || qEnvironmentVariableIsSet("DISPLAY") ||
           qEnvironmentVariableIsSet("WAYLAND_DISPLAY");
}

/// Qt tells of a missing XDG_RUNTIME_DIR on every start; a person at a shell asked for one line at most.
void say(QtMsgType, const QMessageLogContext&, const QString& text)
{
    if (!text.startsWith("QStandardPaths: ")) {
        std::fprintf(stderr, "crease: %s\n", qPrintable(text));
    }
}

/// Qt wants UTF-8 and says so in four lines where the locale has none (LANG unset, as on servers).
void ensureUtf8()
{
    const char* const locale = std::setlocale(LC_ALL, "");
    if (locale == nullptr || std::strcmp(nl_langinfo(CODESET), "UTF-8") != 0) {
        qputenv("LC_ALL", "C.UTF-8");
    }
    std::setlocale(LC_ALL, "C"); // Qt sets it
}

} // namespace

int main(int argc, char** argv)
{
    qInstallMessageHandler(say);
    ensureUtf8();
    CLI::App app{"Crease: see a fake-quantized network fold to integers, one proven pass at a time.", "crease"};
    app.set_version_flag("--version", std::string(crease::creaseVersion()));
    app.footer("Examples:\n  crease model.onnx\n  crease --draw after.svg model.onnx --stage fold-batch-norm\n  crease "
               "--draw diff.png model.onnx --diff lower --theme dark --size 1600x1000\n"
               "Folding and proving without a window: crease-cli.");
    crease::DrawRequest request;
    std::vector<std::string> files;
    app.add_option("FILE", files, "Models or recipes to open");
    app.add_option("--draw", request.output, "Draw a picture (.svg, .png, .pdf, .dot) instead of opening a window");
    app.add_flag("--force", request.force, "Replace an existing file that is no picture of Crease's");
    app.add_option("--stage", request.stage, "Draw the graph after this pass (default: original)");
    app.add_option("--diff", request.diff, "Draw the graph after this pass with what it changed (not with --stage)");
    app.add_flag("--lens", request.lens, "Quantizers collapse into badges on their edges");
    app.add_option("--theme", request.theme, "light or dark")->check(CLI::IsMember({"light", "dark"}));
    app.add_option("--around", request.around, "The picture around this node");
    app.add_option("--size", request.size, "WIDTHxHEIGHT in pixels");
    app.add_option("--target", request.target, "Fold for this target");
    try {
        app.parse(argc, argv);
    } catch (const CLI::ParseError& error) {
        return app.exit(error) == 0 ? 0 : 2;
    }
    if (!request.output.empty()) {
        if (files.size() != 1) {
            std::fprintf(stderr, "crease: --draw takes one model\n");
            return 2;
        }
        request.model = files.front();
        qputenv("QT_QPA_PLATFORM", "offscreen");
        const QGuiApplication drawing(argc, argv);
        return crease::drawToFile(request);
    }
    if (!hasDisplay()) {
        std::fprintf(stderr, "crease: there is no display; use crease-cli, or crease --draw for a picture\n");
        return 2;
    }
    QApplication::setOrganizationName("Crease");
    QApplication::setApplicationName("Crease");
    QApplication window(argc, argv);
    QApplication::setStyle("Fusion");
    crease::Settings settings;
    std::vector<std::unique_ptr<crease::MainWindow>> windows;
    const auto open = [&] {
        windows.push_back(std::make_unique<crease::MainWindow>(settings));
        windows.back()->show();
        return windows.back().get();
    };
    crease::MainWindow* first = open();
    bool used = false;
    for (const std::string& file : files) {
        const QString name = QString::fromStdString(file);
        const bool recipe = name.endsWith(".json");
        crease::MainWindow* target = recipe || !used ? first : open();
        used = used || !recipe;
        target->open(name);
    }
    return QApplication::exec();
}
