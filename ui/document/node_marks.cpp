// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/document/node_marks.h"

#include "core/support/text.h"

#include <QObject>
#include <QStringList>

namespace crease {

namespace {

void putWorst(NodeMarks& marks, NodeId node, NodeMark mark)
{
    const auto [known, isNew] = marks.try_emplace(node.index, mark);
    if (isNew)
        return;
    const Verdict both = worst(known->second.verdict, mark.verdict);
    if (both != known->second.verdict)
        known->second.note = std::move(mark.note);
    known->second.verdict = both;
    known->second.counts.add(mark.counts);
}

QString number(std::int64_t count)
{
    return QString::fromStdString(grouped(count));
}

QString causes(const Counts& counts)
{
    QStringList parts;
    const auto add = [&](std::int64_t count, const QString& cause) {
        if (count > 0)
            parts << cause;
    };
    add(counts.bias, QObject::tr("bias"));
    add(counts.ties, QObject::tr("ties"));
    add(counts.noise, QObject::tr("float32 rounding"));
    add(counts.runtime, QObject::tr("the engine's arithmetic"));
    add(counts.unexplained, QObject::tr("unexplained"));
    return parts.join(", ");
}

} // namespace

NodeMarks nodeMarks(const Trace& trace, const Verification& verification, std::size_t stage)
{
    NodeMarks marks;
    const Graph& graph = trace.graph(stage);
    // What the last pass made of a node counts, not what an earlier one did.
    for (std::size_t made = std::min(stage, verification.sites.size()); made >= 1; --made) {
        const auto& rewrites = trace.stages[made - 1].rewrites;
        const auto& certificates = verification.sites[made - 1];
        NodeMarks ofPass;
        for (std::size_t i = 0; i < std::min(rewrites.size(), certificates.size()); ++i) {
            if (!rewrites[i].on)
                continue;
            for (const NodeId node : rewrites[i].added) {
                if (graph.contains(node) && !marks.contains(node.index))
                    putWorst(ofPass, node,
                             {certificates[i].verdict, certificates[i].counts, false, certificates[i].note});
            }
        }
        marks.merge(ofPass);
    }
    if (stage == trace.stages.size()) {
        NodeMarks own;
        for (const TensorReport& tensor : verification.tensors) {
            const NodeId producer = graph.contains(tensor.value) ? graph.producer(tensor.value) : NodeId{};
            if (graph.contains(producer))
                putWorst(own, producer, {tensor.verdict, tensor.local.counts, true, {}});
        }
        for (auto& [node, mark] : own)
            marks.insert_or_assign(node, std::move(mark));
    }
    return marks;
}

QString certificateIcon(Verdict verdict)
{
    switch (verdict) {
    case Verdict::Exact:
        return "cert-exact";
    case Verdict::WithinSteps:
        return "cert-steps";
    case Verdict::WithinTolerance:
        return "cert-tolerance";
    case Verdict::Failed:
        return "cert-failed";
    case Verdict::NotChecked:
        break;
    }
    return "cert-unchecked";
}

QString markText(const NodeMark& mark)
{
    const Counts& counts = mark.counts;
    const QString note = QString::fromStdString(printable(mark.note));
    const QString rest = note.isEmpty() ? QString() : "; " + note;
    if (mark.verdict == Verdict::NotChecked)
        return note.isEmpty() ? QObject::tr("not checked") : QObject::tr("not checked: %1").arg(note);
    if (counts.compared() == 0 && mark.verdict == Verdict::Exact)
        return QObject::tr("exact: %1").arg(note.isEmpty() ? QObject::tr("its real values are equal") : note);
    if (counts.compared() == 0)
        return mark.verdict == Verdict::Failed
                   ? QObject::tr("failed: its real values differ%1").arg(rest)
                   : QObject::tr("within tolerance: its real values agree within 1e-5 of their range%1").arg(rest);
    if (counts.maxSteps == 0 && mark.verdict == Verdict::Exact)
        return QObject::tr("exact: all of %1 codes equal").arg(number(counts.compared()));
    QStringList parts;
    const std::array names{QObject::tr("off by one"), QObject::tr("off by two"), QObject::tr("off by more")};
    for (std::size_t i = 1; i < counts.offBy.size(); ++i) {
        if (counts.offBy[i] > 0)
            parts << QString("%1 %2 %3")
                         .arg(number(counts.offBy[i]),
                              counts.offBy[i] == 1 ? QObject::tr("code") : QObject::tr("codes"), names[i - 1]);
    }
    const QString verdict = mark.verdict == Verdict::Failed        ? QObject::tr("failed")
                            : mark.verdict == Verdict::WithinSteps ? QObject::tr("within steps")
                            : mark.verdict == Verdict::Exact       ? QObject::tr("exact")
                                                                   : QObject::tr("within tolerance");
    const QString why = causes(counts);
    return QObject::tr("%1: %2 of %3%4%5")
        .arg(verdict, parts.isEmpty() ? QObject::tr("no code differs") : parts.join(", "), number(counts.compared()),
             why.isEmpty() ? QString() : ": " + why, rest);
}

} // namespace crease
