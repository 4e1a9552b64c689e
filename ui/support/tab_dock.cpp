// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/support/tab_dock.h"

#include "ui/support/icons.h"

namespace crease {

TabDock::TabDock(const QString& title, QWidget* parent)
    : QDockWidget(title, parent), m_tabs(new QTabBar), m_pages(new QStackedWidget(this)), m_tools(new QStackedWidget),
      m_float(new QToolButton)
{
    auto* bar = new QWidget(this);
    bar->setObjectName("dockBar");
    bar->setAttribute(Qt::WA_StyledBackground);
    bar->setFixedHeight(28);
    auto* layout = new QHBoxLayout(bar);
    layout->setContentsMargins(0, 0, 4, 0);
    layout->setSpacing(4);
    m_tabs->setDocumentMode(true);
    m_tabs->setDrawBase(false);
    m_tabs->setExpanding(false);
    m_tabs->setAccessibleName(title);
    m_tools->setMaximumHeight(24);
    m_tools->setSizePolicy(QSizePolicy::Fixed, QSizePolicy::Fixed);
    m_float->setToolTip(tr("Take this panel out of the window, or put it back"));
    m_float->setAccessibleName(m_float->toolTip());
    m_float->setAutoRaise(true);
    layout->addWidget(m_tabs);
    layout->addStretch(1);
    layout->addWidget(m_tools);
    layout->addWidget(m_float);
    setTitleBarWidget(bar);
    setWidget(m_pages);
    connect(m_tabs, &QTabBar::currentChanged, this, [this](int index) {
        m_pages->setCurrentIndex(index);
        m_tools->setCurrentIndex(index);
    });
    connect(m_float, &QToolButton::clicked, this, [this] { setFloating(!isFloating()); });
}

void TabDock::addPage(QWidget* page, const QString& title, QWidget* tool)
{
    // The stack shows and hides its own pages, so the tool's owner may still hide the tool inside.
    auto* place = new QWidget(m_tools);
    auto* layout = new QHBoxLayout(place);
    layout->setContentsMargins(0, 0, 0, 0);
    if (tool != nullptr) {
        layout->addWidget(tool);
    }
    m_tools->addWidget(place);
    m_pages->addWidget(page);
    m_tabs->addTab(title);
}

void TabDock::setPageTitle(const QWidget* page, const QString& title)
{
    m_tabs->setTabText(m_pages->indexOf(page), title);
}

void TabDock::setCurrentPage(QWidget* page)
{
    m_tabs->setCurrentIndex(m_pages->indexOf(page));
}

void TabDock::setTheme(const Theme& theme)
{
    m_float->setIcon(themedIcon("float-dock", theme));
}

} // namespace crease
