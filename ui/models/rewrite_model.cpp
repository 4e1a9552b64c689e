// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/models/rewrite_model.h"

#include "core/support/text.h"
#include "ui/models/pass_model.h"
#include "ui/support/words.h"

#include "core/export/text_report.h"

#include <algorithm>

namespace crease {

namespace {

QString shown(const std::string& text)
{
    return QString::fromStdString(printable(text));
}

QString afterAt(const std::string& site)
{
    const std::size_t at = site.find('@');
    return shown(at == std::string::npos ? site : site.substr(at + 1));
}

QString errorText(const Certificate& certificate)
{
    if (certificate.verdict == Verdict::NotChecked) {
        return "·";
    }
    const std::int64_t steps = certificate.counts.maxSteps;
    return steps == 0 ? QStringLiteral("0")
                      : QStringLiteral("≤ ") + counted(steps, QObject::tr("step"), QObject::tr("steps"));
}

std::vector<MissedRow> missedRows(const Document& document)
{
    std::vector<MissedRow> rows;
    const Trace& trace = *document.trace();
    for (std::size_t i = 0; i < trace.stages.size(); ++i) {
        for (const MissedSite& missed : trace.stages[i].missed) {
            const bool before = trace.graph(i).contains(missed.miss.node);
            rows.push_back({shown(trace.stages[i].pass), afterAt(missed.site), shown(missed.miss.text),
                            shown(missed.miss.id), before ? i : i + 1, missed.miss.node});
        }
    }
    return rows;
}

} // namespace

RewriteModel::RewriteModel(Document& document, QObject* parent) : TableModel(parent), m_document(&document)
{
    connect(&document, &Document::changed, this, [this](Document::Change what) {
        if (what == Document::Change::Trace || what == Document::Change::Stage ||
            what == Document::Change::Verification) {
            refresh();
        }
    });
    refresh();
}

void RewriteModel::refresh()
{
    std::vector<RewriteRow> rows;
    const std::size_t stage = m_document->stage();
    if (m_document->trace() != nullptr && stage >= 1 && stage <= m_document->stageCount() &&
        !m_document->showsWhole()) { // each pass has its own list
        const Stage& shownStage = m_document->trace()->stages[stage - 1];
        const auto& verification = m_document->verification();
        for (std::size_t i = 0; i < shownStage.rewrites.size(); ++i) {
            const Rewrite& rewrite = shownStage.rewrites[i];
            RewriteRow row;
            row.number = static_cast<int>(i) + 1;
            row.site = QString::fromStdString(rewrite.site);
            row.anchor = afterAt(rewrite.site);
            row.rule = shown(rewrite.rule);
            row.law = shown(rewrite.law);
            row.fidelity = rewrite.fidelity == Fidelity::X ? "X" : rewrite.fidelity == Fidelity::R ? "R" : "A";
            row.text = shown(rewrite.text);
            row.nodes = QString("%1 → %2").arg(rewrite.roles.size()).arg(rewrite.added.size());
            row.on = rewrite.on;
            row.stage = stage;
            row.node = rewrite.anchor;
            if (verification != nullptr && stage - 1 < verification->sites.size() &&
                i < verification->sites[stage - 1].size()) {
                row.certificate = verification->sites[stage - 1][i];
            }
            rows.push_back(std::move(row));
        }
        for (const MissedSite& missed : shownStage.missed) {
            RewriteRow row;
            row.number = static_cast<int>(rows.size()) + 1;
            row.site = QString::fromStdString(missed.site);
            row.anchor = afterAt(missed.site);
            row.rule = shown(missed.rule);
            row.text = tr("near-miss: %1").arg(shown(missed.miss.text));
            row.isMiss = true;
            row.stage = stage;
            row.node = missed.miss.node;
            rows.push_back(std::move(row));
        }
    }
    setRows(std::move(rows));
}

int RewriteModel::rewriteCount() const
{
    return static_cast<int>(std::ranges::count_if(rows(), [](const RewriteRow& row) { return !row.isMiss; }));
}

int RewriteModel::rowOfSite(const QString& site) const
{
    const auto found = std::ranges::find(rows(), site, &RewriteRow::site);
    return found == rows().end() ? -1 : static_cast<int>(found - rows().begin());
}

QStringList RewriteModel::headers() const
{
    return {tr("on"),           tr("#"),     tr("Site"),      tr("Rule"), tr("Class"),
            tr("What it does"), tr("Nodes"), tr("Max error"), tr("Cert.")};
}

QVariant RewriteModel::cell(int column, int role, const RewriteRow& row) const
{
    switch (role) {
    case Qt::CheckStateRole:
        return column == On && !row.isMiss ? QVariant(row.on ? Qt::Checked : Qt::Unchecked) : QVariant();
    case CertificateRole:
        return column == Mark && !row.isMiss ? QVariant(certificateIcon(row.certificate.verdict))
               : column == On && row.isMiss  ? QVariant("near-miss")
                                             : QVariant();
    case DimRole:
        return row.isMiss || !row.on;
    case MonoRole:
        return column == Site || column == Nodes || column == Error || column == Number;
    case Qt::TextAlignmentRole:
        return column == Number || column == Nodes || column == Error ? QVariant(Qt::AlignRight | Qt::AlignVCenter)
                                                                      : QVariant(Qt::AlignLeft | Qt::AlignVCenter);
    case Qt::ToolTipRole:
        return column == Mark && !row.isMiss ? QString::fromStdString(sentence(row.certificate))
               : column == Class             ? row.law
                                             : row.text;
    case SortRole:
        return column == Number  ? QVariant(row.number)
               : column == Error ? QVariant(static_cast<qlonglong>(row.certificate.counts.maxSteps))
                                 : cell(column, Qt::DisplayRole, row);
    case Qt::DisplayRole:
        break;
    default:
        return {};
    }
    switch (column) {
    case Number:
        return QString::number(row.number);
    case Site:
        return row.anchor;
    case Rule:
        return row.rule;
    case Class:
        return row.isMiss ? "·" : row.fidelity;
    case Text:
        return row.text;
    case Nodes:
        return row.isMiss ? QString() : row.nodes;
    case Error:
        return row.isMiss ? QString() : errorText(row.certificate);
    default:
        return {};
    }
}

bool RewriteModel::edit(int column, int role, const RewriteRow& row, const QVariant& value)
{
    if (column != On || role != Qt::CheckStateRole || row.isMiss) {
        return false;
    }
    m_document->setSiteOn(row.site, value.toInt() == Qt::Checked);
    return true;
}

Qt::ItemFlags RewriteModel::cellFlags(int column, const RewriteRow& row) const
{
    const Qt::ItemFlags flags = Qt::ItemIsEnabled | Qt::ItemIsSelectable | Qt::ItemNeverHasChildren;
    return column == On && !row.isMiss ? flags | Qt::ItemIsUserCheckable : flags;
}

MissedModel::MissedModel(Document& document, QObject* parent) : TableModel(parent), m_document(&document)
{
    connect(&document, &Document::changed, this, [this](Document::Change what) {
        if (what == Document::Change::Trace) {
            refresh();
        }
    });
    refresh();
}

void MissedModel::refresh()
{
    std::vector<MissedRow> rows;
    if (m_document->trace() != nullptr) {
        rows = missedRows(*m_document);
        for (const QuantizerReport& entry : m_document->report().quantizers) {
            if (!entry.folded) {
                rows.push_back(
                    {tr("whole fold"), shown(entry.name), shown(entry.reasonText), shown(entry.reasonId), 0, {}});
            }
        }
        for (const Island& island : m_document->report().islands) {
            QStringList names;
            for (const std::string& node : island.nodes) {
                names << shown(node);
            }
            rows.push_back(
                {tr("float island"), names.join(", "), shown(island.reason), shown(island.reasonId),
                 m_document->stageCount(),
                 island.nodes.empty() ? NodeId{} : m_document->trace()->final().findNode(island.nodes.front())});
        }
    }
    setRows(std::move(rows));
}

QStringList MissedModel::headers() const
{
    return {tr("Where"), tr("What"), tr("Why it stayed in float"), tr("Reason")};
}

QVariant MissedModel::cell(int column, int role, const MissedRow& row) const
{
    if (role == MonoRole) {
        return column == What;
    }
    if (role != Qt::DisplayRole && role != SortRole && role != Qt::ToolTipRole) {
        return {};
    }
    switch (column) {
    case Pass:
        return row.pass;
    case What:
        return row.what;
    case Reason:
        return row.reason;
    default:
        return row.id;
    }
}

} // namespace crease
