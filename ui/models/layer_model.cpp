// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/models/layer_model.h"

#include "core/support/text.h"

#include <algorithm>
#include <cmath>

namespace crease {

namespace {

QString shown(const std::string& text)
{
    return QString::fromStdString(printable(text));
}

QString countText(std::int64_t count)
{
    return count == 0 ? QStringLiteral("·") : QString::fromStdString(grouped(count));
}

QString shareText(std::int64_t count, std::int64_t all)
{
    return count == 0 || all == 0
               ? QStringLiteral("·")
               : QString::number(100.0 * static_cast<double>(count) / static_cast<double>(all), 'f', 2) + " %";
}

QString realText(double value, int digits)
{
    if (std::isnan(value)) {
        return "·";
    }
    return std::isinf(value) ? QObject::tr("exact") : QString::number(value, 'g', digits);
}

} // namespace

LayerModel::LayerModel(Document& document, QObject* parent) : TableModel(parent), m_document(&document)
{
    connect(&document, &Document::changed, this, [this](Document::Change what) {
        if (what == Document::Change::Verification || what == Document::Change::Model) {
            refresh();
        }
    });
    refresh();
}

void LayerModel::refresh()
{
    std::vector<LayerRow> rows;
    if (m_document->verification() != nullptr && m_document->trace() != nullptr) {
        const Graph& final = m_document->trace()->final();
        for (const TensorReport& tensor : m_document->verification()->tensors) {
            const NodeId node = final.contains(tensor.value) ? final.producer(tensor.value) : NodeId{};
            rows.push_back({static_cast<int>(rows.size()) + 1, tensor, node});
        }
    }
    setRows(std::move(rows));
}

int LayerModel::worst() const
{
    const auto error = [](const LayerRow& row) {
        const double steps = row.tensor.local.rmseOverScale;
        return std::isnan(steps) ? row.tensor.local.relative : steps;
    };
    const auto found = std::ranges::max_element(rows(), {}, error);
    return found == rows().end() ? -1 : static_cast<int>(found - rows().begin());
}

QStringList LayerModel::headers() const
{
    return {tr("#"),    tr("Tensor"),    tr("Pass"),         tr("off by 1"), tr("off by 2"), tr("more"),
            tr("ties"), tr("saturated"), tr("RMSE / scale"), tr("SQNR dB"),  tr("cosine"),   tr("accumulated off")};
}

QVariant LayerModel::cell(int column, int role, const LayerRow& row) const
{
    const Metrics& local = row.tensor.local;
    const Counts& counts = local.counts;
    const Counts& accumulated = row.tensor.accumulated.counts;
    if (role == Qt::TextAlignmentRole) {
        return column == Name || column == Pass ? QVariant(Qt::AlignLeft | Qt::AlignVCenter)
                                                : QVariant(Qt::AlignRight | Qt::AlignVCenter);
    }
    if (role == MonoRole) {
        return column != Pass;
    }
    if (role == Qt::ToolTipRole && column == Name) {
        return tr("%1\nfrom %2 in the source").arg(shown(row.tensor.name), shown(row.tensor.source));
    }
    if (role != Qt::DisplayRole && role != SortRole) {
        return {};
    }
    const bool sort = role == SortRole;
    const auto count = [&](std::int64_t value) {
        return sort ? QVariant(static_cast<qlonglong>(value)) : QVariant(countText(value));
    };
    const auto real = [&](double value, int digits) {
        return sort ? QVariant(std::isnan(value) ? -1.0 : value) : QVariant(realText(value, digits));
    };
    switch (column) {
    case Depth:
        return sort ? QVariant(row.depth) : QVariant(QString::number(row.depth));
    case Name:
        return shown(row.tensor.name);
    case Pass:
        return shown(row.tensor.stage);
    case OffBy1:
        return count(counts.offBy[1]);
    case OffBy2:
        return count(counts.offBy[2]);
    case More:
        return count(counts.offBy[3]);
    case Ties:
        return count(counts.ties);
    case Saturated:
        return sort ? QVariant(static_cast<qlonglong>(local.saturated))
                    : QVariant(shareText(local.saturated, local.elements));
    case Rmse:
        return real(local.rmseOverScale, 3);
    case Sqnr:
        return real(local.sqnrDb, 4);
    case Cosine:
        return real(local.cosine, 7);
    default:
        return count(accumulated.compared() - accumulated.offBy[0]);
    }
}

DiagnosticModel::DiagnosticModel(Document& document, QObject* parent) : TableModel(parent), m_document(&document)
{
    connect(&document, &Document::changed, this, [this](Document::Change what) {
        if (what == Document::Change::Trace || what == Document::Change::Messages || what == Document::Change::Model) {
            refresh();
        }
    });
    refresh();
}

void DiagnosticModel::refresh()
{
    std::vector<DiagnosticRow> rows;
    const auto add = [&](const QString& where, const Diagnostics& list, std::size_t stage) {
        for (const Diagnostic& entry : list) {
            const NodeId node = entry.node.empty() ? NodeId{} : m_document->trace()->graph(stage).findNode(entry.node);
            rows.push_back({where, entry, stage, node});
        }
    };
    if (m_document->isOpen() && m_document->trace() != nullptr) {
        add(tr("file"), m_document->model().diagnostics, 0);
        for (std::size_t i = 0; i < m_document->stageCount(); ++i) {
            add(shown(m_document->trace()->stages[i].pass), m_document->trace()->stages[i].diagnostics, i + 1);
        }
        add(tr("samples"), m_document->notes(), 0);
    }
    setRows(std::move(rows));
}

QStringList DiagnosticModel::headers() const
{
    return {tr("Severity"), tr("Where"), tr("What was found"), tr("Node or value"), tr("Id")};
}

QVariant DiagnosticModel::cell(int column, int role, const DiagnosticRow& row) const
{
    if (role == CertificateRole && column == Severity) {
        return row.diagnostic.severity == crease::Severity::Error     ? "error"
               : row.diagnostic.severity == crease::Severity::Warning ? "warning"
                                                                      : "info";
    }
    if (role == MonoRole) {
        return column == Place;
    }
    if (role != Qt::DisplayRole && role != SortRole && role != Qt::ToolTipRole) {
        return {};
    }
    switch (column) {
    case Severity:
        return role == Qt::DisplayRole ? QVariant() : QVariant(severityName(row.diagnostic.severity));
    case Where:
        return row.where;
    case Text:
        return shown(row.diagnostic.text);
    case Place:
        return shown(row.diagnostic.node.empty() ? row.diagnostic.value : row.diagnostic.node);
    default:
        return shown(row.diagnostic.id);
    }
}

} // namespace crease
