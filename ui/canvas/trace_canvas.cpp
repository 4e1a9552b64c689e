// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/canvas/trace_canvas.h"

#include "core/ir/text_format.h"
#include "ui/canvas/figures.h"
#include "ui/support/words.h"

#include <QCoreApplication>
#include <QRegularExpression>
#include <QVBoxLayout>

#include <algorithm>

namespace crease {

namespace {

QString title(const Trace& trace, std::size_t stage)
{
    if (stage == 0) {
        return QObject::tr("Original");
    }
    const PassInfo* info = findPass(trace.stages[stage - 1].pass);
    return info != nullptr ? QString::fromUtf8(info->title.data(), static_cast<qsizetype>(info->title.size()))
                           : QString::fromStdString(trace.stages[stage - 1].pass);
}

/// How many stages at the start two traces share, so that their layouts can be kept.
std::size_t sharedStages(const Trace& a, const Trace& b)
{
    const auto same = [](const Graph& left, const Graph& right) {
        return left.nodeCapacity() == right.nodeCapacity() && left.order() == right.order();
    };
    std::size_t count = 0;
    while (count <= std::min(a.stages.size(), b.stages.size()) && same(a.graph(count), b.graph(count))) {
        ++count;
    }
    return count;
}

} // namespace

QRegularExpression searchPattern(const QString& text)
{
    return QRegularExpression(text, QRegularExpression::CaseInsensitiveOption);
}

TraceCanvas::TraceCanvas(Document& document, Selection& selection, QWidget* parent)
    : QWidget(parent), m_document(&document), m_selection(&selection), m_panes(new CanvasPair(this)), m_layout(this)
{
    auto* box = new QVBoxLayout(this);
    box->setContentsMargins(0, 0, 0, 0);
    box->addWidget(m_panes);
    connect(&document, &Document::changed, this, [this](Document::Change what) {
        if (what == Document::Change::Trace) {
            traceChanged();
        } else if (what == Document::Change::Stage) {
            showStage();
        } else if (what == Document::Change::Verification) {
            showFigures();
        } else if (what == Document::Change::Model) {
            m_pictures.clear();
            m_layouts.clear();
            m_laidOut.reset();
        }
    });
    connect(&m_document->foldJob(), &JobRunner::started, this, &TraceCanvas::emptyTexts);
    connect(&m_document->foldJob(), &JobRunner::finished, this, &TraceCanvas::emptyTexts);
    connect(m_panes, &CanvasPair::selected, this, [this](CanvasPair::Pane pane, quint64 id) {
        const auto stage = stageOf(pane);
        if (stage) {
            m_selecting = true;
            m_selection->select(*stage, nodeOf(id).value_or(NodeId{})); // none for the box of an input or output
            m_selecting = false;
        }
    });
    connect(m_panes, &CanvasPair::selectionCleared, this, [this] { m_selection->clear(); });
    connect(m_panes, &CanvasPair::siteClicked, this, [this](int site) {
        const std::size_t stage = afterStage();
        if (stage >= 1 && m_laidOut != nullptr && stage <= m_laidOut->stages.size() && site >= 0 &&
            !m_document->showsWhole()) {
            const Stage& shown = m_laidOut->stages[stage - 1];
            const auto index = static_cast<std::size_t>(site);
            const std::size_t rewrites = shown.rewrites.size();
            if (index < rewrites) {
                m_selection->setSite(QString::fromStdString(shown.rewrites[index].site));
            } else if (index - rewrites < shown.missed.size()) {
                m_selection->setSite(QString::fromStdString(shown.missed[index - rewrites].site));
            }
        }
    });
    connect(&selection, &Selection::changed, this, &TraceCanvas::showSelection);
    connect(&selection, &Selection::revealRequested, this, [this](std::size_t stage, NodeId node) {
        if (stage != beforeStage() && stage != afterStage()) {
            m_document->setStage(stage);
        }
        m_panes->reveal(stage == afterStage() ? CanvasPair::Pane::After : CanvasPair::Pane::Before, sceneId(node));
    });
    connect(&selection, &Selection::siteChanged, this, [this] { showSite(true); });
    const std::string worker = layout::findWorker(QCoreApplication::applicationDirPath().toStdString());
    if (!worker.empty())
        m_workers = std::make_shared<layout::WorkerPool>(worker);
    emptyTexts();
}

std::size_t TraceCanvas::afterStage() const
{
    return m_document->stage();
}

std::size_t TraceCanvas::beforeStage() const
{
    return m_document->stage() == 0 || m_document->showsWhole() ? 0 : m_document->stage() - 1;
}

std::optional<std::size_t> TraceCanvas::stageOf(CanvasPair::Pane pane) const
{
    if (m_laidOut == nullptr || m_laidOut != m_document->trace()) {
        return std::nullopt; // what the panes still show is not what the document has
    }
    return pane == CanvasPair::Pane::Before ? beforeStage() : afterStage();
}

void TraceCanvas::traceChanged()
{
    const auto trace = m_document->trace();
    if (trace == nullptr) {
        m_layout.cancel();
        m_panes->clear();
        m_pictures.clear();
        m_layouts.clear();
        m_laidOut.reset();
        m_shown = false;
        emptyTexts();
        return;
    }
    std::vector<layout::LayoutPtr> known;
    if (m_laidOut != nullptr) {
        const std::size_t shared = std::min(sharedStages(*m_laidOut, *trace), m_layouts.size());
        known.assign(m_layouts.begin(), m_layouts.begin() + static_cast<std::ptrdiff_t>(shared));
    }
    std::vector<IslandNames> islands;
    for (const Island& island : m_document->report().islands) {
        islands.push_back({island.nodes, island.reason});
    }
    m_layout.start(tr("Laying out"), [this, trace, known, islands, segments = m_segments,
                                      workers = m_workers](const Job& job, const JobRunner::Deliver& deliver) {
        layout::Options options;
        options.stop = job.stop;
        options.cache = segments.get();
        options.workers = workers.get();
        auto layouts = layoutStages(*trace, known, options);
        if (job.cancelled() || layouts.size() != trace->stages.size() + 1) {
            return;
        }
        deliver([this, trace, islands, done = std::move(layouts)] {
            m_layouts = done;
            m_laidOut = trace;
            m_islands = islands;
            m_pictures.clear();
            showStage();
            emit layoutFinished();
        });
    });
}

void TraceCanvas::showStage()
{
    if (m_laidOut == nullptr || m_laidOut != m_document->trace() || m_document->stage() >= m_layouts.size()) {
        return;
    }
    const std::size_t after = afterStage();
    const std::size_t before = beforeStage();
    auto found = m_pictures.find({before, after});
    if (found == m_pictures.end()) {
        constexpr std::size_t kept = 24;
        if (m_pictures.size() > kept) {
            m_pictures.clear();
        }
        StagePictures pictures;
        if (after == 0) {
            pictures.before = stagePicture(*m_laidOut, m_layouts, 0, m_islands);
            pictures.after = pictures.before;
        } else {
            pictures = stagePictures(*m_laidOut, m_layouts, before, after, m_islands);
        }
        found = m_pictures.emplace(std::pair(before, after), std::move(pictures)).first;
    }
    const auto trace = m_laidOut;
    m_panes->setPictures(
        found->second.before, found->second.after,
        [trace, before, after](std::uint64_t id) { return sceneCounterparts(*trace, id, before, after); },
        [trace, before, after](std::uint64_t id) { return sceneCounterparts(*trace, id, after, before); });
    m_shown = true;
    const bool isWhole = m_document->showsWhole();
    const auto head = [&](CanvasView& view, const QString& what, std::size_t stage, const QString& change) {
        view.setHead(what,
                     (isWhole && stage == after ? tr("Final") : title(*trace, stage)) + ", " +
                         counted(static_cast<qlonglong>(trace->graph(stage).nodeCount()), tr("node"), tr("nodes")) +
                         change,
                     {});
    };
    head(m_panes->before(), tr("Before"), before, {});
    QString change;
    if (isWhole) {
        change = tr(", the whole fold");
    } else if (after > 0) {
        const Stage& stage = trace->stages[after - 1];
        change = stage.rewrites.empty()
                     ? tr(", unchanged")
                     : ", " + counted(std::ranges::count_if(stage.rewrites, &Rewrite::on), tr("site"), tr("sites"));
    }
    head(m_panes->after(), after == 0 ? tr("Graph") : tr("After"), after, change);
    showSelection();
    showSite(false);
    showFigures();
}

void TraceCanvas::showFigures()
{
    const auto verification = m_document->verification();
    const bool fits = verification && m_laidOut && m_laidOut == m_document->trace();
    const auto of = [&](std::size_t stage) { return fits ? figuresOf(*m_laidOut, *verification, stage) : nullptr; };
    m_panes->setFigures(CanvasPair::Pane::Before, of(beforeStage()));
    m_panes->setFigures(CanvasPair::Pane::After, of(afterStage()));
}

void TraceCanvas::showSelection()
{
    if (m_laidOut == nullptr || m_selecting) {
        return;
    }
    const NodeId node = m_selection->node();
    const std::size_t stage = m_selection->stage();
    if (!node.valid() || (stage != beforeStage() && stage != afterStage())) {
        m_panes->select(CanvasPair::Pane::After, std::nullopt);
        return;
    }
    m_panes->select(stage == afterStage() ? CanvasPair::Pane::After : CanvasPair::Pane::Before, sceneId(node));
}

void TraceCanvas::showSite(bool reveal)
{
    const std::size_t stage = afterStage();
    if (stage < 1 || m_laidOut == nullptr || m_laidOut != m_document->trace() || stage > m_laidOut->stages.size() ||
        m_document->showsWhole()) {
        m_panes->setActiveSite(-1);
        return;
    }
    const Stage& shown = m_laidOut->stages[stage - 1];
    const std::string site = m_selection->site().toStdString();
    const auto rewrite = std::ranges::find(shown.rewrites, site, &Rewrite::site);
    int index = -1;
    NodeId anchor;
    if (rewrite != shown.rewrites.end()) {
        index = static_cast<int>(rewrite - shown.rewrites.begin());
        anchor = rewrite->anchor;
    } else if (const auto miss = std::ranges::find(shown.missed, site, &MissedSite::site); miss != shown.missed.end()) {
        index = static_cast<int>(shown.rewrites.size()) + static_cast<int>(miss - shown.missed.begin());
        anchor = miss->miss.node;
    }
    m_panes->setActiveSite(index);
    if (reveal && anchor.valid() && m_laidOut->graph(beforeStage()).contains(anchor)) {
        m_panes->reveal(CanvasPair::Pane::Before, sceneId(anchor));
    }
}

void TraceCanvas::emptyTexts()
{
    if (m_document->foldJob().isRunning() && !m_document->isOpen()) {
        m_panes->after().setEmptyText(tr("Opening the model"), tr("Escape cancels."));
        return;
    }
    m_panes->after().setEmptyText(tr("No model is open."), tr("Drop an .onnx file here, or press Ctrl+O."));
}

void TraceCanvas::stepSite(int direction)
{
    const std::size_t stage = afterStage();
    if (m_laidOut == nullptr || stage < 1 || stage > m_laidOut->stages.size() || m_document->showsWhole()) {
        return;
    }
    const Stage& shown = m_laidOut->stages[stage - 1];
    std::vector<std::string> sites;
    for (const Rewrite& rewrite : shown.rewrites) {
        sites.push_back(rewrite.site);
    }
    for (const MissedSite& missed : shown.missed) {
        sites.push_back(missed.site);
    }
    if (sites.empty() || m_laidOut != m_document->trace()) {
        return;
    }
    const auto found = std::ranges::find(sites, m_selection->site().toStdString());
    const auto count = static_cast<std::ptrdiff_t>(sites.size());
    std::ptrdiff_t next =
        found == sites.end() ? (direction > 0 ? 0 : count - 1) : (found - sites.begin() + direction + count) % count;
    m_selection->setSite(QString::fromStdString(sites[static_cast<std::size_t>(next)]));
}

int TraceCanvas::find(const QString& text, int direction)
{
    const QRegularExpression pattern = searchPattern(text);
    if (m_laidOut == nullptr || m_laidOut != m_document->trace() || text.isEmpty() || !pattern.isValid()) {
        return 0;
    }
    const std::size_t stage = m_panes->currentPane() == CanvasPair::Pane::Before ? beforeStage() : afterStage();
    const Graph& graph = m_laidOut->graph(stage);
    std::vector<NodeId> hits;
    for (const NodeId id : graph.order()) {
        const QString line = QString::fromStdString(printNode(graph, id, {.maxElements = 4}));
        if (pattern.match(line).hasMatch()) {
            hits.push_back(id);
        }
    }
    if (!hits.empty()) {
        const auto found = m_selection->stage() == stage ? std::ranges::find(hits, m_selection->node()) : hits.end();
        const auto count = static_cast<std::ptrdiff_t>(hits.size());
        const std::ptrdiff_t next = found == hits.end() ? 0 : (found - hits.begin() + direction + count) % count;
        m_selection->reveal(stage, hits[static_cast<std::size_t>(next)]);
    }
    return static_cast<int>(hits.size());
}

PicturePtr TraceCanvas::currentPicture()
{
    const auto found = m_pictures.find({beforeStage(), afterStage()});
    if (found == m_pictures.end()) {
        return nullptr;
    }
    return m_panes->currentPane() == CanvasPair::Pane::Before ? found->second.before : found->second.after;
}

} // namespace crease
