// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "ui/models/pass_model.h"
#include "ui/panels/pass_list.h"
#include "ui/panels/table_delegate.h"

#include <QLabel>

namespace crease {

/// Nodes per stage as a stepped line, the shown stage marked.
class StageLine : public QWidget {
    Q_OBJECT

public:
    explicit StageLine(const Theme& theme, QWidget* parent = nullptr);
    void setCounts(std::vector<std::size_t> counts, std::size_t stage);
    void setTheme(const Theme& theme);

signals:
    void stageClicked(std::size_t stage);

protected:
    void paintEvent(QPaintEvent* event) override;
    void mousePressEvent(QMouseEvent* event) override;

private:
    QRectF plotArea() const;
    const Theme* m_theme;
    std::vector<std::size_t> m_counts;
    std::size_t m_stage = 0;
};

/// The passes: stepping with the arrow keys, check boxes, dragging to another place, and a sentence about the shown
/// one.
class PassesPanel : public QWidget {
    Q_OBJECT

public:
    PassesPanel(Document& document, PassModel& model, const Theme& theme, QWidget* parent = nullptr);
    void setTheme(const Theme& theme);
    PassList& view() { return *m_view; }
    QString summaryText() const { return m_summary->text(); }

protected:
    bool eventFilter(QObject* watched, QEvent* event) override;

private:
    void showStage();

    Document* m_document;
    PassModel* m_model;
    PassList* m_view;
    TableDelegate* m_delegate;
    StageLine* m_line;
    QLabel* m_title;
    QLabel* m_summary;
    bool m_updating = false;
};

} // namespace crease
