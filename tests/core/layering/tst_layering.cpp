// SPDX-License-Identifier: GPL-3.0-or-later
#include <QTest>
#include <algorithm>
#include <filesystem>
#include <fstream>
#include <map>
#include <regex>
#include <set>
#include <sstream>
#include <string>
#include <vector>

namespace fs = std::filesystem;

namespace {

constexpr std::size_t maximumLines = 800;

struct SourceFile {
    std::string path;
    std::string text;
};

using Names = std::set<std::string>;

/// Which folders of core a folder of core may include, itself aside.
std::map<std::string, Names> coreArrows()
{
    std::map<std::string, Names> arrows;
    Names before;
    for (const char* folder :
         {"support", "tensor", "ir", "ops", "exec", "rewrite", "targets", "passes", "verify", "plan"}) {
        arrows[folder] = before;
        before.insert(folder);
    }
    arrows["onnx"] = {"support", "tensor", "ir", "ops"};
    arrows["samples"] = {"support", "tensor", "ir", "onnx"};
    before.insert({"onnx", "samples"});
    arrows["engines"] = before;
    arrows["export"] = before;
    arrows["engines"].insert("export");
    arrows["export"].insert("engines");
    return arrows;
}

std::map<std::string, Names> uiArrows()
{
    const Names siblings = {"layout", "support", "document", "models"};
    return {{"layout", {}},
            {"support", {}},
            {"document", {"layout", "support"}},
            {"models", {"layout", "support", "document"}},
            {"canvas", siblings},
            {"panels", siblings},
            {"dialogs", siblings},
            {"main_window", {"layout", "support", "document", "models", "canvas", "panels", "dialogs"}}};
}

/// "core/ir/graph.h" is in unit "ir" of house "core"; "ui/main_window.h" in unit "main_window"; "app/x.cpp" in unit "".
struct Place {
    std::string house;
    std::string unit;
};

Place placeOf(const std::string& path)
{
    const fs::path parts(path);
    auto part = parts.begin();
    Place place{part->string(), {}};
    if (place.house != "core" && place.house != "ui")
        return place;
    if (++part == parts.end())
        return place;
    const bool isFolder = std::next(part) != parts.end();
    place.unit = isFolder ? part->string() : part->stem().string();
    if (place.house == "ui" && !isFolder && place.unit.starts_with("main_window"))
        place.unit = "main_window";
    return place;
}

bool isQt(const std::string& header)
{
    static const std::regex pattern(R"((Qt[A-Z]\w*/.*|Q[A-Z]\w*|q[a-z_]+\.h))");
    return std::regex_match(header, pattern);
}

bool isGraphviz(const std::string& header)
{
    return header.starts_with("graphviz/") || header == "gvc.h" || header == "cgraph.h";
}

bool isOnnxOrProtobuf(const std::string& header)
{
    return header.starts_with("onnx/") || header.starts_with("google/protobuf/");
}

bool isLayoutWorker(const std::string& path)
{
    return path.starts_with("app/layout_worker") || path.starts_with("app/crease_layout_worker");
}

void checkSystemInclude(const SourceFile& file, const std::string& header, std::vector<std::string>& found)
{
    const Place from = placeOf(file.path);
    if (from.house == "core" && isQt(header))
        found.push_back(file.path + ": core includes Qt's <" + header + ">");
    if (isGraphviz(header) && !isLayoutWorker(file.path))
        found.push_back(file.path + ": only the layout worker may include <" + header + ">");
    if (isOnnxOrProtobuf(header) && !(from.house == "core" && from.unit == "onnx"))
        found.push_back(file.path + ": only core/onnx may include <" + header + ">");
}

void checkOwnInclude(const SourceFile& file, const std::string& header, std::vector<std::string>& found)
{
    if (header.ends_with(".moc"))
        return;
    const Place from = placeOf(file.path);
    const Place to = placeOf(header);
    const auto refuse = [&] { found.push_back(file.path + ": may not include \"" + header + "\""); };
    if (to.house != "core" && to.house != "ui" && to.house != "app") {
        found.push_back(file.path + ": \"" + header + "\" is not included from the root");
        return;
    }
    if (isLayoutWorker(file.path))
        return refuse();
    if (from.house == "app")
        return;
    if (to.house == "app" || (from.house == "core" && to.house == "ui"))
        return refuse();
    if (from.house != to.house || from.unit == to.unit)
        return;
    static const std::map<std::string, Names> core = coreArrows();
    static const std::map<std::string, Names> ui = uiArrows();
    const auto& arrows = from.house == "core" ? core : ui;
    const auto allowed = arrows.find(from.unit);
    if (allowed == arrows.end() || !allowed->second.contains(to.unit))
        refuse();
}

void checkIncludes(const SourceFile& file, std::vector<std::string>& found)
{
    static const std::regex include(R"(^\s*#\s*include\s*([<"])([^>"]+)[>"])");
    std::istringstream lines(file.text);
    for (std::string line; std::getline(lines, line);) {
        std::smatch match;
        if (!std::regex_search(line, match, include))
            continue;
        checkSystemInclude(file, match[2], found);
        if (match[1] == "\"" && !isQt(match[2]) && !isGraphviz(match[2]) && !isOnnxOrProtobuf(match[2]))
            checkOwnInclude(file, match[2], found);
    }
}

void checkForm(const SourceFile& file, std::vector<std::string>& found)
{
    const auto lines = static_cast<std::size_t>(std::ranges::count(file.text, '\n'));
    if (lines > maximumLines)
        found.push_back(file.path + ": " + std::to_string(lines) + " lines, more than " + std::to_string(maximumLines));
    const std::string licence = isLayoutWorker(file.path) ? "MIT" : "GPL-3.0-or-later";
    const std::string head = file.text.substr(0, 200);
    if (head.find("SPDX-License-Identifier: " + licence + "\n") == std::string::npos)
        found.push_back(file.path + ": no line \"SPDX-License-Identifier: " + licence + "\" at its head");
}

bool isCpp(const std::string& path)
{
    return path.ends_with(".cpp") || path.ends_with(".h");
}

std::vector<std::string> violations(const SourceFile& file)
{
    std::vector<std::string> found;
    checkForm(file, found);
    const std::string house = placeOf(file.path).house;
    if (isCpp(file.path) && (house == "core" || house == "ui" || house == "app"))
        checkIncludes(file, found);
    return found;
}

bool isSource(const fs::path& path)
{
    static const Names suffixes = {".cpp", ".h", ".py", ".cmake", ".txt"};
    if (path.extension() == ".txt")
        return path.filename() == "CMakeLists.txt";
    return suffixes.contains(path.extension().string());
}

std::vector<SourceFile> sourcesOf(const fs::path& root)
{
    std::vector<SourceFile> files;
    for (const char* folder : {"core", "ui", "app", "tests", "scripts", "samples", "cmake"}) {
        if (!fs::is_directory(root / folder))
            continue;
        for (const auto& entry : fs::recursive_directory_iterator(root / folder)) {
            if (!entry.is_regular_file() || !isSource(entry.path()))
                continue;
            std::ifstream stream(entry.path(), std::ios::binary);
            std::ostringstream text;
            text << stream.rdbuf();
            files.push_back({fs::relative(entry.path(), root).generic_string(), text.str()});
        }
    }
    return files;
}

QString joined(const std::vector<std::string>& lines)
{
    QString text;
    for (const std::string& line : lines)
        text += QString::fromStdString(line) + "\n";
    return text;
}

const std::string gpl = "// SPDX-License-Identifier: GPL-3.0-or-later\n";
const std::string mit = "// SPDX-License-Identifier: MIT\n";

} // namespace

class tst_layering : public QObject {
    Q_OBJECT

private slots:
    void planted_data();
    void planted();
    void a_planted_file_is_found_on_disk();
    void the_tree_keeps_the_rules();
};

void tst_layering::planted_data()
{
    QTest::addColumn<QString>("path");
    QTest::addColumn<QString>("text");
    QTest::addColumn<int>("count");
    const auto row = [](const char* name, const char* path, const std::string& text, int count) {
        QTest::newRow(name) << QString(path) << QString::fromStdString(text) << count;
    };
    const auto including = [](const std::string& header) { return gpl + "#include " + header + "\n"; };
    row("downwards in core", "core/passes/fuse.cpp", including("\"core/ir/graph.h\""), 0);
    row("upwards in core", "core/ir/graph.h", including("\"core/passes/fuse.h\""), 1);
    row("own folder", "core/ir/graph.h", including("\"core/ir/value.h\""), 0);
    row("onnx to ops", "core/onnx/importer.cpp", including("\"core/ops/table.h\""), 0);
    row("onnx to exec", "core/onnx/importer.cpp", including("\"core/exec/kernel.h\""), 1);
    row("passes to onnx", "core/passes/fuse.cpp", including("\"core/onnx/importer.h\""), 1);
    row("samples to onnx", "core/samples/npz.cpp", including("\"core/onnx/tensor_file.h\""), 0);
    row("samples to passes", "core/samples/npz.cpp", including("\"core/passes/fuse.h\""), 1);
    row("export to anything", "core/export/qdq.cpp", including("\"core/plan/schedule.h\""), 0);
    row("verify to engines", "core/verify/certify.cpp", including("\"core/engines/process.h\""), 1);
    row("unknown folder", "core/misc/thing.cpp", including("\"core/ir/graph.h\""), 1);
    row("core to ui", "core/ir/graph.cpp", including("\"ui/document/document.h\""), 1);
    row("core to app", "core/ir/graph.cpp", including("\"app/arguments.h\""), 1);
    row("core to Qt", "core/ir/graph.cpp", including("<QString>"), 1);
    row("core to Qt module", "core/ir/graph.cpp", including("<QtCore/QString>"), 1);
    row("core to a standard header", "core/ir/graph.cpp", including("<queue>"), 0);
    row("ir to protobuf", "core/ir/graph.cpp", including("<onnx/onnx_pb.h>"), 1);
    row("onnx to protobuf", "core/onnx/importer.cpp", including("<onnx/onnx_pb.h>"), 0);
    row("core to Graphviz", "core/plan/schedule.cpp", including("<graphviz/gvc.h>"), 1);
    row("ui to core", "ui/document/document.h", including("\"core/ir/graph.h\""), 0);
    row("ui to Qt", "ui/document/document.h", including("<QObject>"), 0);
    row("document to models", "ui/document/document.h", including("\"ui/models/passes_model.h\""), 1);
    row("panels to models", "ui/panels/passes_panel.cpp", including("\"ui/models/passes_model.h\""), 0);
    row("panels to canvas", "ui/panels/passes_panel.cpp", including("\"ui/canvas/view.h\""), 1);
    row("support to layout", "ui/support/job_runner.h", including("\"ui/layout/layout.h\""), 1);
    row("main window to panels", "ui/main_window.cpp", including("\"ui/panels/passes_panel.h\""), 0);
    row("panels to main window", "ui/panels/passes_panel.cpp", including("\"ui/main_window.h\""), 1);
    row("ui to app", "ui/main_window.cpp", including("\"app/arguments.h\""), 1);
    row("app to anything of ours", "app/crease.cpp", including("\"ui/main_window.h\""), 0);
    row("app to Graphviz", "app/crease.cpp", including("<graphviz/gvc.h>"), 1);
    row("the worker to Graphviz", "app/layout_worker.cpp", mit + "#include <graphviz/gvc.h>\n", 0);
    row("the worker to ours", "app/layout_worker.cpp", mit + "#include \"ui/layout/layout.h\"\n", 1);
    row("the worker under the GPL", "app/layout_worker.cpp", gpl, 1);
    row("not from the root", "core/ir/graph.cpp", including("\"value.h\""), 1);
    row("by dots", "core/ir/graph.cpp", including("\"../tensor/tensor.h\""), 1);
    row("moc", "ui/main_window.cpp", including("\"main_window.moc\""), 0);
    row("no licence", "core/ir/graph.cpp", "int x;\n", 1);
    row("wrong licence", "core/ir/graph.cpp", mit, 1);
    row("800 lines", "core/ir/graph.cpp", gpl + std::string(799, '\n'), 0);
    row("801 lines", "core/ir/graph.cpp", gpl + std::string(800, '\n'), 1);
    row("a test may include all", "tests/ui/tst_window.cpp", including("\"value.h\""), 0);
}

void tst_layering::planted()
{
    QFETCH(QString, path);
    QFETCH(QString, text);
    QFETCH(int, count);
    const auto found = violations({path.toStdString(), text.toStdString()});
    QVERIFY2(std::ssize(found) == count, qPrintable(joined(found)));
}

void tst_layering::a_planted_file_is_found_on_disk()
{
    const fs::path root =
        fs::temp_directory_path() / ("tst_layering." + std::to_string(QCoreApplication::applicationPid()));
    fs::create_directories(root / "core/ir");
    std::ofstream(root / "core/ir/graph.h") << gpl << "#include \"core/passes/fuse.h\"\n";
    const auto files = sourcesOf(root);
    fs::remove_all(root);
    QCOMPARE(files.size(), std::size_t(1));
    QCOMPARE(violations(files[0]).size(), std::size_t(1));
}

void tst_layering::the_tree_keeps_the_rules()
{
    const auto files = sourcesOf(CREASE_SOURCE_DIR);
    QVERIFY(std::ranges::any_of(files, [](const SourceFile& file) { return file.path.starts_with("core/"); }));
    std::vector<std::string> found;
    for (const SourceFile& file : files)
        std::ranges::copy(violations(file), std::back_inserter(found));
    std::ranges::sort(found);
    QVERIFY2(found.empty(), qPrintable("\n" + joined(found)));
}

QTEST_GUILESS_MAIN(tst_layering)
#include "tst_layering.moc"
