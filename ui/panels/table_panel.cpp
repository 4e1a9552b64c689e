// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/panels/table_panel.h"

#include "ui/models/table_model.h"

#include <QHeaderView>
#include <QVBoxLayout>

namespace crease {

TablePanel::TablePanel(QAbstractItemModel& model, const Theme& theme, const QString& emptySentence,
                       const QString& emptyHint, QWidget* parent)
    : QWidget(parent), m_proxy(new QSortFilterProxyModel(this)), m_view(new QTableView(this)),
      m_empty(new QWidget(this)), m_sentence(new QLabel(m_empty)), m_hint(new QLabel(m_empty)),
      m_filter(new QLineEdit(this)), m_stack(new QStackedLayout), m_delegate(new TableDelegate(theme, this))
{
    m_proxy->setSourceModel(&model);
    m_proxy->setFilterKeyColumn(-1);
    m_proxy->setFilterCaseSensitivity(Qt::CaseInsensitive);
    m_proxy->setSortRole(SortRole);
    m_view->setModel(m_proxy);
    m_view->setItemDelegate(m_delegate);
    m_view->setShowGrid(false);
    m_view->setFrameShape(QFrame::NoFrame);
    m_view->setSelectionBehavior(QAbstractItemView::SelectRows);
    m_view->setSelectionMode(QAbstractItemView::SingleSelection);
    m_view->setWordWrap(false);
    m_view->setMouseTracking(true);
    m_view->setSortingEnabled(true);
    m_view->sortByColumn(-1, Qt::AscendingOrder);
    m_view->verticalHeader()->hide();
    m_view->verticalHeader()->setSectionResizeMode(QHeaderView::Fixed);
    m_view->verticalHeader()->setDefaultSectionSize(22);
    m_view->horizontalHeader()->setFixedHeight(24);
    m_view->horizontalHeader()->setHighlightSections(false);
    m_view->horizontalHeader()->setFont(uiFont(12));
    m_view->horizontalHeader()->setDefaultAlignment(Qt::AlignLeft | Qt::AlignVCenter);
    m_view->setAccessibleName(emptySentence);

    m_sentence->setFont(uiFont(13, QFont::DemiBold));
    m_hint->setFont(uiFont(12));
    m_hint->setWordWrap(true);
    auto* emptyLayout = new QVBoxLayout(m_empty);
    emptyLayout->setContentsMargins(12, 12, 12, 12);
    emptyLayout->addWidget(m_sentence);
    emptyLayout->addWidget(m_hint);
    emptyLayout->addStretch();

    m_filter->setPlaceholderText(tr("Filter"));
    m_filter->setClearButtonEnabled(true);
    m_filter->setFixedHeight(22);
    m_filter->setMinimumWidth(200);
    connect(m_filter, &QLineEdit::textChanged, this, [this](const QString& text) {
        m_proxy->setFilterFixedString(text);
        updateEmpty();
    });

    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(0);
    m_stack->addWidget(m_view);
    m_stack->addWidget(m_empty);
    layout->addWidget(m_filter);
    layout->addLayout(m_stack);

    connect(m_view->selectionModel(), &QItemSelectionModel::currentRowChanged, this, [this](const QModelIndex& now) {
        if (now.isValid()) {
            emit rowSelected(sourceRow(now));
        }
    });
    connect(m_view, &QTableView::activated, this,
            [this](const QModelIndex& index) { emit rowActivated(sourceRow(index)); });
    connect(m_proxy, &QAbstractItemModel::modelReset, this, &TablePanel::updateEmpty);
    setEmptyText(emptySentence, emptyHint);
    setTheme(theme);
    updateEmpty();
}

void TablePanel::setTheme(const Theme& theme)
{
    m_delegate->setTheme(theme);
    QPalette hint = palette();
    hint.setColor(QPalette::WindowText, theme[Token::Text2]);
    m_hint->setPalette(hint);
    m_view->viewport()->update();
}

void TablePanel::setEmptyText(const QString& sentence, const QString& hint)
{
    m_sentence->setText(sentence);
    m_hint->setText(hint);
}

void TablePanel::setFilter(const QString& text)
{
    m_filter->setText(text);
}

QString TablePanel::filter() const
{
    return m_filter->text();
}

void TablePanel::selectRow(int row)
{
    const QModelIndex index = m_proxy->mapFromSource(m_proxy->sourceModel()->index(row, 0));
    if (index.isValid()) {
        m_view->setCurrentIndex(index);
        m_view->scrollTo(index);
    } else {
        m_view->clearSelection();
    }
}

int TablePanel::currentRow() const
{
    return m_view->currentIndex().isValid() ? sourceRow(m_view->currentIndex()) : -1;
}

void TablePanel::setColumnWidths(const QList<int>& widths, int stretched)
{
    QHeaderView* header = m_view->horizontalHeader();
    for (int i = 0; i < widths.size(); ++i) {
        header->setSectionResizeMode(i, i == stretched ? QHeaderView::Stretch : QHeaderView::Interactive);
        if (i != stretched) {
            header->resizeSection(i, widths[i]);
        }
    }
}

int TablePanel::sourceRow(const QModelIndex& index) const
{
    return m_proxy->mapToSource(index).row();
}

void TablePanel::updateEmpty()
{
    const int all = m_proxy->sourceModel()->rowCount();
    m_stack->setCurrentIndex(all == 0 ? 1 : 0);
    m_filter->setVisible(all > 0);
    emit countChanged(all);
}

} // namespace crease
