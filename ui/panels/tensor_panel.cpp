// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/panels/tensor_panel.h"

#include "core/support/text.h"

#include <QHeaderView>
#include <QVBoxLayout>

#include <algorithm>
#include <cmath>
#include <set>

namespace crease {

namespace {

constexpr int kBins = 64;
constexpr std::size_t kShownValues = 2048;

struct Histogram {
    std::vector<double> positions;
    std::vector<double> counts;
    std::int64_t atLow = 0, atHigh = 0;
};

Histogram histogramOf(const Tensor& tensor, const Grid* grid)
{
    Histogram result;
    const std::vector<double> values = tensor.toDoubles();
    double low = std::numeric_limits<double>::infinity();
    double high = -low;
    for (const double value : values) {
        if (std::isfinite(value)) {
            low = std::min(low, value);
            high = std::max(high, value);
        }
    }
    if (!(low <= high)) {
        return result;
    }
    if (grid != nullptr) {
        low = static_cast<double>(
            std::max<std::int64_t>(grid->qmin, grid->isWide() ? static_cast<std::int64_t>(low) : grid->qmin));
        high = static_cast<double>(grid->isWide() ? static_cast<std::int64_t>(high) : grid->qmax);
    }
    const double span = std::max(high - low, 1e-300);
    const int bins = grid != nullptr && span < kBins ? static_cast<int>(span) + 1 : kBins;
    result.counts.assign(static_cast<std::size_t>(bins), 0.0);
    for (int i = 0; i < bins; ++i) {
        result.positions.push_back(low + span * (i + 0.5) / bins);
    }
    for (const double value : values) {
        if (std::isfinite(value)) {
            const int bin = std::clamp(static_cast<int>((value - low) / span * bins), 0, bins - 1);
            result.counts[static_cast<std::size_t>(bin)] += 1;
            result.atLow += grid != nullptr && value <= low ? 1 : 0;
            result.atHigh += grid != nullptr && value >= high ? 1 : 0;
        }
    }
    return result;
}

} // namespace

TensorPanel::TensorPanel(Document& document, Selection& selection, const Theme& theme, QWidget* parent)
    : QWidget(parent), m_document(&document), m_selection(&selection), m_values(new QComboBox(this)),
      m_summary(new QLabel(this)), m_histogram(new Plot(theme, this)), m_scales(new Plot(theme, this)),
      m_table(new QTableWidget(this)), m_save(new QPushButton(tr("Save as .npy …"), this))
{
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(8, 8, 8, 8);
    layout->setSpacing(6);
    m_summary->setFont(uiFont(12));
    m_summary->setWordWrap(true);
    m_summary->setTextInteractionFlags(Qt::TextSelectableByMouse);
    m_values->setSizeAdjustPolicy(QComboBox::AdjustToMinimumContentsLengthWithIcon);
    m_values->setAccessibleName(tr("Tensor"));
    m_histogram->setFixedHeight(120);
    m_scales->setFixedHeight(120);
    m_table->setEditTriggers(QAbstractItemView::NoEditTriggers);
    m_table->setFont(monoFont(11.5));
    m_table->setFrameShape(QFrame::NoFrame);
    m_table->horizontalHeader()->setDefaultSectionSize(64);
    m_table->verticalHeader()->setDefaultSectionSize(20);
    layout->addWidget(m_values);
    layout->addWidget(m_summary);
    layout->addWidget(m_histogram);
    layout->addWidget(m_scales);
    layout->addWidget(m_table, 1);
    layout->addWidget(m_save);
    connect(m_values, &QComboBox::currentIndexChanged, this, &TensorPanel::showValue);
    connect(&selection, &Selection::changed, this, &TensorPanel::refresh);
    connect(&document, &Document::changed, this, [this](Document::Change what) {
        if (what == Document::Change::Trace || what == Document::Change::Model) {
            refresh();
        }
    });
    connect(m_save, &QPushButton::clicked, this, [this] {
        const int index = m_values->currentIndex();
        const auto& trace = m_document->trace();
        if (index >= 0 && trace != nullptr) {
            const Value& value = trace->graph(m_selection->stage()).value(m_ids[static_cast<std::size_t>(index)]);
            emit saveRequested(value.constant, QString::fromStdString(value.name));
        }
    });
    refresh();
}

void TensorPanel::setTheme(const Theme& theme)
{
    m_histogram->setTheme(theme);
    m_scales->setTheme(theme);
    showValue();
}

void TensorPanel::refresh()
{
    m_values->clear();
    m_ids.clear();
    const auto& trace = m_document->trace();
    const std::size_t stage = m_selection->stage();
    if (trace != nullptr && stage <= trace->stages.size() && trace->graph(stage).contains(m_selection->node())) {
        const Graph& graph = trace->graph(stage);
        std::vector<ValueId> candidates = graph.node(m_selection->node()).inputs;
        // A weight stands one Dequantize or FakeQuant further up.
        for (const ValueId id : graph.node(m_selection->node()).inputs) {
            if (id.valid() && graph.producer(id).valid()) {
                const auto& further = graph.node(graph.producer(id)).inputs;
                candidates.insert(candidates.end(), further.begin(), further.end());
            }
        }
        std::set<ValueId> seen;
        std::vector<ValueId> found;
        for (const ValueId id : candidates) {
            if (id.valid() && graph.value(id).isConstant() && graph.value(id).type != ElementType::String &&
                seen.insert(id).second) {
                found.push_back(id);
            }
        }
        m_ids = found;
        const QSignalBlocker blocker(m_values);
        for (const ValueId id : found) {
            m_values->addItem(QString::fromStdString(printable(graph.value(id).name)));
        }
    }
    showValue();
}

void TensorPanel::showValue()
{
    const int index = m_values->currentIndex();
    const bool any = index >= 0 && static_cast<std::size_t>(index) < m_ids.size() && m_document->trace() != nullptr;
    for (QWidget* widget : {static_cast<QWidget*>(m_values), static_cast<QWidget*>(m_histogram),
                            static_cast<QWidget*>(m_table), static_cast<QWidget*>(m_save)}) {
        widget->setVisible(any);
    }
    m_scales->setVisible(false);
    if (!any) {
        m_summary->setText(tr("The selected node reads no constant. Select a Conv, Gemm or MatMul, or a quantizer of a "
                              "weight, to see its codes and scales."));
        return;
    }
    const Value& value = m_document->trace()->graph(m_selection->stage()).value(m_ids[static_cast<std::size_t>(index)]);
    const Tensor& tensor = value.constant;
    const Grid* grid = value.codes ? &*value.codes : nullptr;
    const Histogram histogram = histogramOf(tensor, grid);
    QString text = QString("%1 %2").arg(QString::fromStdString(std::string(longName(tensor.type()))),
                                        QString::fromStdString(toText(tensor.dims())));
    if (grid != nullptr) {
        text += "\n" + QString::fromStdString(toText(*grid)) +
                tr("\nat the ends of the range: %1 + %2 of %3")
                    .arg(histogram.atLow)
                    .arg(histogram.atHigh)
                    .arg(tensor.size());
    }
    m_summary->setText(text);
    m_histogram->showHistogram(histogram.positions, histogram.counts, histogram.atLow > 0, histogram.atHigh > 0);
    if (grid != nullptr && grid->scales.size() > 1) {
        m_scales->setVisible(true);
        m_scales->showPairs({}, grid->scales, {}, tr("scale per channel"));
    }
    showTable(tensor);
}

void TensorPanel::showTable(const Tensor& tensor)
{
    const auto columns =
        static_cast<int>(std::clamp<std::int64_t>(tensor.dims().empty() ? 1 : tensor.dims().back(), 1, 64));
    const auto count = std::min(tensor.size(), kShownValues);
    const int rows =
        static_cast<int>((count + static_cast<std::size_t>(columns) - 1) / static_cast<std::size_t>(columns));
    m_table->clear();
    m_table->setColumnCount(columns);
    m_table->setRowCount(rows);
    const bool real = isFloat(tensor.type());
    for (std::size_t i = 0; i < count; ++i) {
        const QString text =
            real ? QString::fromStdString(shortest(tensor.asDouble(i))) : QString::number(tensor.asInt(i));
        auto* item = new QTableWidgetItem(text);
        item->setTextAlignment(Qt::AlignRight | Qt::AlignVCenter);
        m_table->setItem(static_cast<int>(i) / columns, static_cast<int>(i) % columns, item);
    }
}

} // namespace crease
