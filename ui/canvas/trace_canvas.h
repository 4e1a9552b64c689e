// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "ui/canvas/canvas_pair.h"
#include "ui/canvas/scene_builder.h"
#include "ui/document/document.h"
#include "ui/document/selection.h"
#include "ui/layout/segment_cache.h"
#include "ui/layout/worker_pool.h"

#include <QRegularExpression>

#include <map>

namespace crease {

/// What is typed into the search box: always a regular expression (Perl's), without regard to case. A plain word is one
/// that finds itself.
QRegularExpression searchPattern(const QString& text);

/// The canvases of a document: lays the stages of its trace out in a job and shows the one before and the one after the
/// shown pass.
class TraceCanvas : public QWidget {
    Q_OBJECT

public:
    TraceCanvas(Document& document, Selection& selection, QWidget* parent = nullptr);

    CanvasPair& panes() { return *m_panes; }
    /// Both panes show laid-out graphs (not the empty state).
    bool isShown() const { return m_shown; }
    std::size_t beforeStage() const;
    std::size_t afterStage() const;
    void stepSite(int direction);
    /// Finds nodes of the shown graph by name, op, shape, type or attribute with a searchPattern. Number of matches;
    /// none where the pattern is not valid.
    int find(const QString& text, int direction);
    PicturePtr currentPicture();

signals:
    void layoutFinished();

private:
    void traceChanged();
    void showStage();
    void showSelection();
    void showSite(bool reveal);
    void showFigures();
    void emptyTexts();
    std::optional<std::size_t> stageOf(CanvasPair::Pane pane) const;

    Document* m_document;
    Selection* m_selection;
    CanvasPair* m_panes;
    JobRunner m_layout;
    std::shared_ptr<layout::SegmentCache> m_segments = std::make_shared<layout::SegmentCache>();
    std::shared_ptr<layout::WorkerPool> m_workers; // null without crease-layout-worker
    std::vector<layout::LayoutPtr> m_layouts;
    std::shared_ptr<const Trace> m_laidOut;                                  // the trace that m_layouts belong to
    std::map<std::pair<std::size_t, std::size_t>, StagePictures> m_pictures; // by the stages before and after
    std::vector<IslandNames> m_islands;
    bool m_shown = false;
    bool m_selecting = false;
};

} // namespace crease
