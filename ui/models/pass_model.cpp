// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/models/pass_model.h"

#include "core/export/text_report.h"
#include "core/support/text.h"

#include <algorithm>

namespace crease {

namespace {

const QString minus = QStringLiteral("\u2212");

QString text(std::string_view view)
{
    return QString::fromUtf8(view.data(), static_cast<qsizetype>(view.size()));
}

QString signedText(int value)
{
    return value == 0  ? QStringLiteral("·")
           : value < 0 ? minus + QString::number(-value)
                       : "+" + QString::number(value);
}

} // namespace

PassModel::PassModel(Document& document, QObject* parent) : TableModel(parent), m_document(&document)
{
    connect(&document, &Document::changed, this, [this](Document::Change what) {
        if (what == Document::Change::Trace || what == Document::Change::Recipe ||
            what == Document::Change::Verification || what == Document::Change::Model) {
            refresh();
        }
    });
    refresh();
}

void PassModel::refresh()
{
    std::vector<PassRow> rows;
    const auto& trace = m_document->trace();
    if (trace == nullptr) {
        setRows({});
        return;
    }
    rows.push_back({{},
                    tr("Original"),
                    0,
                    static_cast<int>(trace->original.nodeCount()),
                    0,
                    0,
                    {},
                    true,
                    false,
                    tr("The graph as the file has it"),
                    true,
                    {}});
    std::size_t stage = 0;
    for (const QString& id : m_document->passOrder()) {
        const PassInfo* info = findPass(id.toStdString());
        PassRow row{id,    info != nullptr ? text(info->title) : id,          -1,   0, 0, 0, {}, false,
                    false, info != nullptr ? text(info->summary) : QString(), true, {}};
        row.isOn = !m_document->recipe().passesOff.contains(id.toStdString());
        if (stage < trace->stages.size() && trace->stages[stage].pass == id.toStdString()) {
            const Stage& done = trace->stages[stage];
            ++stage;
            row.stage = static_cast<int>(stage);
            row.nodes = static_cast<int>(done.after.nodeCount()) - static_cast<int>(done.nodesBefore);
            row.sites = static_cast<int>(std::ranges::count_if(done.rewrites, &Rewrite::on));
            row.milliseconds = done.milliseconds;
            row.certificate = m_document->stageCertificate(stage);
            for (const Diagnostic& finding : done.diagnostics) {
                if (finding.id == "pass-order") {
                    row.warnings << QString::fromStdString(printable(finding.text));
                }
            }
        } else {
            row.isPending = row.isOn;
        }
        rows.push_back(row);
    }
    if (!trace->stages.empty()) {
        const auto& verification = m_document->verification();
        rows.push_back({{},
                        tr("Final"),
                        static_cast<int>(trace->stages.size()),
                        static_cast<int>(trace->final().nodeCount()),
                        0,
                        0,
                        verification != nullptr ? verification->whole : Certificate{},
                        true,
                        false,
                        tr("The final graph beside the original one; the mark is that of the whole fold"),
                        true,
                        {}});
    }
    setRows(std::move(rows));
}

int PassModel::rowOfStage(std::size_t stage) const
{
    const auto found =
        std::ranges::find_if(rows(), [&](const PassRow& row) { return row.stage == static_cast<int>(stage); });
    return found == rows().end() ? -1 : static_cast<int>(found - rows().begin());
}

int PassModel::rowOfWhole() const
{
    return !rows().empty() && rows().back().isBorder && rows().back().stage > 0 ? static_cast<int>(rows().size()) - 1
                                                                                : -1;
}

QStringList PassModel::headers() const
{
    return {tr("Pass"), tr("nodes"), tr("sites"), tr("ms"), QString()};
}

QVariant PassModel::cell(int column, int role, const PassRow& row) const
{
    const bool dim = row.isPending || (!row.isBorder && (row.stage < 0 || row.sites == 0));
    switch (role) {
    case DimRole:
        return dim;
    case MonoRole:
        return column != Title;
    case CertificateRole:
        return column == Mark && (row.sites > 0 || (row.isBorder && row.stage > 0))
                   ? certificateIcon(row.certificate.verdict)
                   : QVariant();
    case Qt::TextAlignmentRole:
        return column == Title ? QVariant(Qt::AlignLeft | Qt::AlignVCenter)
                               : QVariant(Qt::AlignRight | Qt::AlignVCenter);
    case Qt::CheckStateRole:
        return column == Title && !row.isBorder ? QVariant(row.isOn ? Qt::Checked : Qt::Unchecked) : QVariant();
    case SideIconRole:
        return column == Title && !row.warnings.isEmpty() ? QVariant("warning") : QVariant();
    case Qt::ToolTipRole:
        return column == Mark && row.stage > 0 ? QString::fromStdString(sentence(row.certificate))
                                               : (QStringList(row.summary) + row.warnings).join('\n');
    case Qt::DisplayRole:
        break;
    default:
        return {};
    }
    switch (column) {
    case Title:
        return row.title;
    case Nodes:
        return row.stage < 0 ? QString() : row.isBorder ? QString::number(row.nodes) : signedText(row.nodes);
    case Sites:
        return row.isBorder || row.sites == 0 ? QString() : QString::number(row.sites);
    case Time:
        return row.isBorder || row.stage < 0 ? QString() : QString::number(row.milliseconds, 'f', 1);
    default:
        return {};
    }
}

bool PassModel::edit(int column, int role, const PassRow& row, const QVariant& value)
{
    if (column != Title || role != Qt::CheckStateRole || row.isBorder) {
        return false;
    }
    m_document->setPassOn(row.id, value.toInt() == Qt::Checked);
    return true;
}

Qt::ItemFlags PassModel::cellFlags(int column, const PassRow& row) const
{
    Qt::ItemFlags flags = Qt::ItemIsEnabled | Qt::ItemIsSelectable | Qt::ItemNeverHasChildren;
    if (!row.isBorder) {
        flags |= Qt::ItemIsDragEnabled;
        if (column == Title) {
            flags |= Qt::ItemIsUserCheckable;
        }
    }
    return flags | Qt::ItemIsDropEnabled;
}

} // namespace crease
