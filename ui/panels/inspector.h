// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "ui/document/document.h"
#include "ui/document/selection.h"
#include "ui/support/theme.h"

#include <QScrollArea>
#include <QVBoxLayout>

namespace crease {

/// Sections of keys and values under heads that fold away: the body of the inspector.
class SectionList : public QScrollArea {
    Q_OBJECT

public:
    explicit SectionList(const Theme& theme, QWidget* parent = nullptr);
    void setTheme(const Theme& theme) { m_theme = &theme; }
    void clear();
    void addTitle(const QString& icon, Token colour, const QString& title, const QString& subtitle,
                  const QString& name);
    void addSection(const QString& title, const QString& count);
    void addFact(const QString& key, const QString& value, const QString& toolTip = {});
    void addLink(const QString& text, const QString& where, std::function<void()> follow);
    void addProse(const QString& text);
    void addWidget(QWidget* widget);
    void finish();
    /// All text, for tests and for copying.
    QString text() const { return m_text.join('\n'); }

private:
    QWidget* newBody();
    const Theme* m_theme;
    QVBoxLayout* m_layout = nullptr;
    QVBoxLayout* m_section = nullptr;
    QStringList m_text;
};

/// Everything about the selected node: attributes, inputs and outputs with shapes and grids, where it came from, what
/// it becomes, why.
class NodePanel : public QWidget {
    Q_OBJECT

public:
    NodePanel(Document& document, Selection& selection, const Theme& theme, QWidget* parent = nullptr);
    void setTheme(const Theme& theme);
    QString text() const { return m_list->text(); }
    QString nodeName() const;
    QByteArray nodeJson() const;

private:
    void refresh();
    void addValue(const QString& slot, const Graph& graph, ValueId id);
    void addRelatives(const QString& title, std::size_t to, const std::vector<NodeId>& nodes);

    Document* m_document;
    Selection* m_selection;
    const Theme* m_theme;
    SectionList* m_list;
};

} // namespace crease
