// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/panels/passes_panel.h"

#include "core/export/text_report.h"
#include "ui/support/words.h"

#include <QHeaderView>
#include <QKeyEvent>
#include <QMouseEvent>
#include <QPainter>
#include <QPainterPath>
#include <QVBoxLayout>

#include <algorithm>

namespace crease {

namespace {

QLabel* sectionHead(const QString& text, QWidget* parent)
{
    auto* label = new QLabel(text, parent);
    label->setFont(uiFont(12, QFont::DemiBold));
    label->setFixedHeight(24);
    label->setContentsMargins(8, 0, 8, 0);
    label->setAutoFillBackground(true);
    label->setBackgroundRole(QPalette::AlternateBase);
    return label;
}

} // namespace

StageLine::StageLine(const Theme& theme, QWidget* parent) : QWidget(parent), m_theme(&theme)
{
    setFixedHeight(72);
    setToolTip(tr("Nodes per stage; click to go to one"));
}

void StageLine::setCounts(std::vector<std::size_t> counts, std::size_t stage)
{
    m_counts = std::move(counts);
    m_stage = stage;
    update();
}

void StageLine::setTheme(const Theme& theme)
{
    m_theme = &theme;
    update();
}

QRectF StageLine::plotArea() const
{
    return QRectF(rect()).adjusted(10, 12, -46, -12);
}

void StageLine::paintEvent(QPaintEvent*)
{
    if (m_counts.size() < 2) {
        return;
    }
    QPainter painter(this);
    painter.setRenderHint(QPainter::Antialiasing);
    const QRectF area = plotArea();
    const auto [least, most] = std::ranges::minmax_element(m_counts);
    const double span = std::max(1.0, static_cast<double>(*most - *least));
    const auto xAt = [&](std::size_t i) {
        return area.left() + area.width() * static_cast<double>(i) / static_cast<double>(m_counts.size() - 1);
    };
    const auto yAt = [&](std::size_t count) {
        return area.bottom() - area.height() * static_cast<double>(count - *least) / span;
    };
    painter.setPen(QPen((*m_theme)[Token::Line], 1));
    painter.drawLine(area.bottomLeft(), area.bottomRight());
    QPainterPath path(QPointF(xAt(0), yAt(m_counts[0])));
    for (std::size_t i = 1; i < m_counts.size(); ++i) {
        path.lineTo(xAt(i), yAt(m_counts[i - 1]));
        path.lineTo(xAt(i), yAt(m_counts[i]));
    }
    painter.setPen(QPen((*m_theme)[Token::Text2], 1.5));
    painter.drawPath(path);
    if (m_stage < m_counts.size()) {
        painter.setPen(QPen((*m_theme)[Token::Accent], 1.5));
        painter.drawLine(QPointF(xAt(m_stage), area.top() - 6), QPointF(xAt(m_stage), area.bottom() + 6));
        painter.setBrush((*m_theme)[Token::Accent]);
        painter.drawEllipse(QPointF(xAt(m_stage), yAt(m_counts[m_stage])), 3.25, 3.25);
    }
    painter.setFont(monoFont(11));
    painter.setPen((*m_theme)[Token::Text2]);
    painter.drawText(QPointF(area.right() + 10, yAt(m_counts.front()) + 4), QString::number(m_counts.front()));
    if (m_counts.back() != m_counts.front()) {
        painter.drawText(QPointF(area.right() + 10, yAt(m_counts.back()) + 4), QString::number(m_counts.back()));
    }
}

void StageLine::mousePressEvent(QMouseEvent* event)
{
    if (m_counts.size() < 2) {
        return;
    }
    const QRectF area = plotArea();
    const double at = (event->position().x() - area.left()) / area.width() * static_cast<double>(m_counts.size() - 1);
    emit stageClicked(
        static_cast<std::size_t>(std::clamp(std::lround(at), 0L, static_cast<long>(m_counts.size()) - 1)));
}

PassesPanel::PassesPanel(Document& document, PassModel& model, const Theme& theme, QWidget* parent)
    : QWidget(parent), m_document(&document), m_model(&model), m_view(new PassList(theme, this)),
      m_delegate(new TableDelegate(theme, this)), m_line(new StageLine(theme, this)), m_title(sectionHead({}, this)),
      m_summary(new QLabel(this))
{
    m_view->setModel(&model);
    m_view->setItemDelegate(m_delegate);
    m_view->setShowGrid(false);
    m_view->setFrameShape(QFrame::NoFrame);
    m_view->setSelectionBehavior(QAbstractItemView::SelectRows);
    m_view->setSelectionMode(QAbstractItemView::SingleSelection);
    m_view->setWordWrap(false);
    m_view->setAccessibleName(tr("Passes"));
    m_view->verticalHeader()->hide();
    m_view->verticalHeader()->setDefaultSectionSize(22);
    m_view->horizontalHeader()->setFixedHeight(24);
    m_view->horizontalHeader()->setHighlightSections(false);
    m_view->horizontalHeader()->setFont(uiFont(12));
    m_view->horizontalHeader()->setMinimumSectionSize(24);
    m_view->horizontalHeader()->setSectionResizeMode(PassModel::Title, QHeaderView::Stretch);
    for (const auto& [column, width] : {std::pair(PassModel::Nodes, 46), std::pair(PassModel::Sites, 38),
                                        std::pair(PassModel::Time, 42), std::pair(PassModel::Mark, 24)}) {
        m_view->horizontalHeader()->setSectionResizeMode(column, QHeaderView::Fixed);
        m_view->horizontalHeader()->resizeSection(column, width);
    }
    m_view->installEventFilter(this);
    m_summary->setFont(uiFont(12));
    m_summary->setWordWrap(true);
    m_summary->setMargin(8);
    m_summary->setAlignment(Qt::AlignTop | Qt::AlignLeft);
    m_summary->setTextInteractionFlags(Qt::TextSelectableByMouse);

    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(0);
    layout->addWidget(m_view, 1);
    layout->addWidget(sectionHead(tr("Nodes per stage"), this));
    layout->addWidget(m_line);
    layout->addWidget(m_title);
    layout->addWidget(m_summary);

    connect(m_view->selectionModel(), &QItemSelectionModel::currentRowChanged, this, [this](const QModelIndex& now) {
        if (m_updating || !now.isValid() || m_model->row(now.row()).stage < 0) {
            return;
        }
        if (now.row() == m_model->rowOfWhole()) {
            m_document->showWhole();
        } else {
            m_document->setStage(static_cast<std::size_t>(m_model->row(now.row()).stage));
        }
    });
    connect(m_view, &PassList::rowMoved, this, [this](int row, int place) {
        // Row 0 is Original, which is no pass; taking the row out moves those behind it up.
        m_document->movePass(m_model->row(row).id, (place > row ? place - 1 : place) - 1);
    });
    connect(m_line, &StageLine::stageClicked, m_document, &Document::setStage);
    connect(&model, &QAbstractItemModel::modelReset, this, &PassesPanel::showStage);
    connect(&document, &Document::changed, this, [this](Document::Change what) {
        if (what == Document::Change::Stage) {
            showStage();
        }
    });
    setTheme(theme);
    showStage();
}

void PassesPanel::setTheme(const Theme& theme)
{
    m_delegate->setTheme(theme);
    m_view->setTheme(theme);
    m_line->setTheme(theme);
    QPalette quiet = palette();
    quiet.setColor(QPalette::WindowText, theme[Token::Text2]);
    m_summary->setPalette(quiet);
}

bool PassesPanel::eventFilter(QObject* watched, QEvent* event)
{
    if (event->type() == QEvent::KeyPress) {
        const auto* key = static_cast<QKeyEvent*>(event);
        if (key->key() == Qt::Key_Home || key->key() == Qt::Key_End) {
            if (key->key() == Qt::Key_Home) {
                m_document->setStage(0);
            } else {
                m_document->showWhole();
            }
            return true;
        }
        const bool move =
            (key->modifiers() & Qt::AltModifier) != 0 && (key->key() == Qt::Key_Up || key->key() == Qt::Key_Down);
        const int row = m_view->currentIndex().row();
        if (m_view->isDragging()) {
            return QWidget::eventFilter(watched, event);
        }
        if (move && row > 0 && !m_model->row(row).isBorder) {
            m_document->movePass(m_model->row(row).id, row - 1 + (key->key() == Qt::Key_Up ? -1 : 1));
            return true;
        }
    }
    return QWidget::eventFilter(watched, event);
}

void PassesPanel::showStage()
{
    m_updating = true;
    const auto& trace = m_document->trace();
    const std::size_t stage = m_document->stage();
    std::vector<std::size_t> counts;
    if (trace != nullptr) {
        for (std::size_t i = 0; i <= trace->stages.size(); ++i) {
            counts.push_back(trace->graph(i).nodeCount());
        }
    }
    m_line->setCounts(std::move(counts), stage);
    const bool isWhole = m_document->showsWhole();
    const int row = isWhole ? m_model->rowOfWhole() : m_model->rowOfStage(stage);
    if (row >= 0) {
        m_view->setCurrentIndex(m_model->index(row, 0));
        const PassRow& shown = m_model->row(row);
        m_title->setText(shown.title);
        QString text = shown.summary;
        if (isWhole) {
            text += ".\n" + QString::fromStdString(sentence(shown.certificate)) + ".";
        } else if (stage >= 1) {
            const auto missed = trace->stages[stage - 1].missed.size();
            text = counted(shown.sites, tr("site"), tr("sites")) +
                   (missed > 0 ? ", " + counted(static_cast<qlonglong>(missed), tr("near-miss"), tr("near-misses"))
                               : QString()) +
                   ".\n" + shown.summary + ".\n" + QString::fromStdString(sentence(shown.certificate)) + ".";
        }
        for (const QString& warning : shown.warnings) {
            text += "\n" + tr("Order: %1.").arg(warning);
        }
        m_summary->setText(text);
    } else {
        m_title->setText({});
        m_summary->setText({});
    }
    m_updating = false;
}

} // namespace crease
