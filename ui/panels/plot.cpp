// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/panels/plot.h"

#include <algorithm>

namespace crease {

Plot::Plot(const Theme& theme, QWidget* parent) : QCustomPlot(parent), m_theme(&theme)
{
    setMinimumHeight(90);
    axisRect()->setAutoMargins(QCP::msLeft | QCP::msBottom);
    axisRect()->setMargins(QMargins(8, 8, 12, 8));
    setTheme(theme);
}

void Plot::setTheme(const Theme& theme)
{
    m_theme = &theme;
    setBackground(theme[Token::Panel]);
    for (QCPAxis* axis : {xAxis, yAxis}) {
        axis->setBasePen(Qt::NoPen);
        axis->setTickPen(Qt::NoPen);
        axis->setSubTickPen(Qt::NoPen);
        axis->setTickLabelFont(monoFont(11));
        axis->setTickLabelColor(theme[Token::Text2]);
        axis->grid()->setPen(QPen(theme[Token::Line], 1));
        axis->grid()->setZeroLinePen(QPen(theme[Token::Line], 1));
    }
    xAxis->grid()->setVisible(false);
    replot(QCustomPlot::rpQueuedReplot);
}

void Plot::showPairs(const std::vector<double>& hollow, const std::vector<double>& filled, const QString& hollowName,
                     const QString& filledName)
{
    clearPlottables();
    clearItems();
    const auto add = [&](const std::vector<double>& values, const QString& name, bool solid) {
        QCPGraph* graph = addGraph();
        graph->setName(name);
        graph->setLineStyle(QCPGraph::lsNone);
        const QColor colour = (*m_theme)[solid ? Token::Accent : Token::Text2];
        graph->setScatterStyle(QCPScatterStyle(QCPScatterStyle::ssCircle, QPen(colour, 1.25),
                                               solid ? QBrush(colour) : QBrush((*m_theme)[Token::Panel]),
                                               solid ? 6.5 : 5.5));
        QVector<double> keys(static_cast<qsizetype>(values.size()));
        std::generate(keys.begin(), keys.end(), [n = 0.0]() mutable { return n++; });
        graph->setData(keys, QVector<double>(values.begin(), values.end()), true);
    };
    add(hollow, hollowName, false);
    add(filled, filledName, true);
    rescaleAxes();
    xAxis->scaleRange(1.06);
    yAxis->scaleRange(1.1);
    if (yAxis->range().lower > 0 || yAxis->range().size() == 0) {
        yAxis->setRangeLower(0);
    }
    replot(QCustomPlot::rpQueuedReplot);
}

void Plot::showHistogram(const std::vector<double>& positions, const std::vector<double>& counts, bool clipsLow,
                         bool clipsHigh)
{
    clearPlottables();
    clearItems();
    const double width = positions.size() > 1 ? positions[1] - positions[0] : 1.0;
    const auto bars = [&](std::size_t from, std::size_t to, Token colour) {
        auto* plottable = new QCPBars(xAxis, yAxis);
        plottable->setWidth(width);
        plottable->setPen(Qt::NoPen);
        plottable->setBrush((*m_theme)[colour]);
        plottable->setData(QVector<double>(positions.begin() + static_cast<std::ptrdiff_t>(from),
                                           positions.begin() + static_cast<std::ptrdiff_t>(to)),
                           QVector<double>(counts.begin() + static_cast<std::ptrdiff_t>(from),
                                           counts.begin() + static_cast<std::ptrdiff_t>(to)),
                           true);
    };
    if (!positions.empty()) {
        const std::size_t low = clipsLow ? 1 : 0;
        const std::size_t high = positions.size() - (clipsHigh && positions.size() > 1 ? 1 : 0);
        bars(0, low, Token::Changed);
        bars(low, high, Token::Text2);
        bars(high, positions.size(), Token::Changed);
    }
    rescaleAxes();
    yAxis->setRangeLower(0);
    replot(QCustomPlot::rpQueuedReplot);
}

void Plot::addReference(double y, const QString& text)
{
    auto* line = new QCPItemStraightLine(this);
    line->setPen(QPen((*m_theme)[Token::Text2], 1, Qt::DashLine));
    line->point1->setCoords(0, y);
    line->point2->setCoords(1, y);
    auto* words = new QCPItemText(this);
    words->setText(text);
    words->setFont(uiFont(11));
    words->setColor((*m_theme)[Token::Text2]);
    words->setPositionAlignment(Qt::AlignRight | Qt::AlignBottom);
    words->position->setTypeX(QCPItemPosition::ptAxisRectRatio);
    words->position->setTypeY(QCPItemPosition::ptPlotCoords);
    words->position->setCoords(1.0, y);
    yAxis->setRange(std::min(yAxis->range().lower, 0.0), std::max(yAxis->range().upper, y * 1.25));
    replot(QCustomPlot::rpQueuedReplot);
}

void Plot::showNothing()
{
    clearPlottables();
    clearItems();
    replot(QCustomPlot::rpQueuedReplot);
}

} // namespace crease
