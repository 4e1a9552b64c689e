// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QDockWidget>
#include <QHBoxLayout>
#include <QStackedWidget>
#include <QTabBar>
#include <QToolButton>

namespace crease {

class Theme;

/// A dock of several pages whose tabs stand in its title bar, each page with an optional tool (a filter) at the right.
/// The empty part of the bar drags the dock, as a title would.
class TabDock : public QDockWidget {
    Q_OBJECT

public:
    TabDock(const QString& title, QWidget* parent = nullptr);

    void addPage(QWidget* page, const QString& title, QWidget* tool = nullptr);
    void setPageTitle(const QWidget* page, const QString& title);
    void setCurrentPage(QWidget* page);
    QWidget* currentPage() const { return m_pages->currentWidget(); }
    void setTheme(const Theme& theme);

private:
    QTabBar* m_tabs;
    QStackedWidget* m_pages;
    QStackedWidget* m_tools;
    QToolButton* m_float;
};

} // namespace crease
