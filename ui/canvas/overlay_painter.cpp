// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/canvas/overlay_painter.h"

#include <QFontMetricsF>

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>

namespace crease {

namespace {

constexpr double kRow = 17;
constexpr double kPadding = 10;
constexpr double kSwatch = 28;

struct Entry {
    QString text;
    std::function<void(const PaintContext&, QRectF)> swatch;
};

struct Column {
    QString title;
    std::vector<Entry> entries;
};

Entry classEntry(SceneClass look)
{
    return {look::className(look), [look](const PaintContext& c, QRectF r) {
                const QColor colour = c.colour(look::classToken(look));
                c.painter.fillRect(QRectF(r.left(), r.center().y() - 6, 4, 12), colour);
                c.icon(look::classIcon(look), {r.left() + 8, r.center().y() - 6, 12, 12}, colour);
            }};
}

Entry precisionEntry(Precision precision, bool asBlock)
{
    return {look::precisionName(precision), [precision, asBlock](const PaintContext& c, QRectF r) {
                if (asBlock) {
                    c.painter.fillRect(QRectF(r.left(), r.center().y() - 4, 18, 8),
                                       c.colour(look::precisionToken(precision)));
                    return;
                }
                c.painter.setPen(look::precisionPen(precision, c.theme, 1));
                c.painter.drawLine(QPointF(r.left(), r.center().y()), QPointF(r.left() + 22, r.center().y()));
            }};
}

Entry heatEntry(const QString& text, std::optional<double> share)
{
    return {text, [share](const PaintContext& c, QRectF r) {
                c.painter.fillRect(QRectF(r.left(), r.center().y() - 4, 18, 8), look::heatColour(share, 1, c.theme));
            }};
}

Entry diffEntry(Diff diff, const QString& text)
{
    return {text, [diff](const PaintContext& c, QRectF r) {
                const QRectF box(r.left() + 0.5, r.center().y() - 6, 17, 12);
                const QColor colour = c.colour(look::diffToken(diff));
                c.painter.setBrush(Qt::NoBrush);
                c.painter.setPen(diff == Diff::Removed ? look::dashed(colour, 1, {4, 3}) : QPen(colour, 1.5));
                c.painter.drawRoundedRect(box, 2, 2);
                c.icon(look::diffIcon(diff), {box.center().x() - 4, box.center().y() - 4, 8, 8}, colour);
            }};
}

Entry boxEntry(const QString& text, std::function<void(const PaintContext&, QRectF)> draw)
{
    return {text, [draw = std::move(draw)](const PaintContext& c, QRectF r) {
                draw(c, QRectF(r.left() + 0.5, r.center().y() - 6, 17, 12));
            }};
}

Entry badgeEntry(const QString& text, const SceneBadge& badge)
{
    return {text, [badge](const PaintContext& c, QRectF r) {
                SceneBadge cell = badge;
                cell.rest.clear();
                c.painter.save();
                c.painter.translate(r.left() + 11, r.center().y());
                c.painter.scale(0.85, 0.85);
                paintBadge(c, cell, {0, 0}, false);
                c.painter.restore();
            }};
}

std::vector<Column> legendColumns(const Picture& picture, const ViewState& state)
{
    std::array<bool, 8> classes{};
    std::array<bool, 7> precisions{};
    std::array<bool, 4> diffs{};
    const SceneBadge* styles[3] = {};
    for (const SceneNode& node : picture.scene().nodes) {
        if (node.kind != SceneNode::Kind::Op)
            continue;
        classes[static_cast<std::size_t>(node.look)] = true;
        diffs[static_cast<std::size_t>(node.diff)] = true;
        if (state.colourBy == ColourBy::Precision)
            precisions[static_cast<std::size_t>(node.precision)] = true;
    }
    for (const SceneEdge& edge : picture.scene().edges) {
        if (state.lens)
            precisions[static_cast<std::size_t>(edge.precision)] = true;
        if (edge.badge)
            styles[static_cast<std::size_t>(edge.badge->style)] = &*edge.badge;
    }
    Column first;
    const bool byHeat = state.colourBy == ColourBy::Error || state.colourBy == ColourBy::Saturation;
    const bool byPrecision = state.lens || state.colourBy == ColourBy::Precision;
    first.title = byPrecision ? QStringLiteral("Precision") : QStringLiteral("Op class");
    for (std::size_t i = 0; byPrecision && i < precisions.size(); ++i) {
        if (precisions[i])
            first.entries.push_back(precisionEntry(static_cast<Precision>(i), !state.lens));
    }
    for (std::size_t i = 0; !byPrecision && i < classes.size(); ++i) {
        if (classes[i])
            first.entries.push_back(classEntry(static_cast<SceneClass>(i)));
    }
    if (byHeat && !byPrecision) {
        first.title = state.colourBy == ColourBy::Error ? QStringLiteral("Error, steps") : QStringLiteral("Saturation");
        first.entries.clear();
        const bool isError = state.colourBy == ColourBy::Error;
        for (const double share : {0.0, 0.5, 1.0})
            first.entries.push_back(
                heatEntry(isError ? QString::number(2 * share) : QString("%1 %").arg(5 * share), share));
        first.entries.back().text += QStringLiteral(" or more");
        first.entries.push_back(heatEntry(QStringLiteral("not checked"), std::nullopt));
    }
    Column second;
    const bool hasDiff = state.showDiff && picture.hasDiff();
    second.title = hasDiff || !picture.scene().sites.empty() ? QStringLiteral("This pass") : QStringLiteral("Marks");
    if (state.showDiff) {
        if (diffs[static_cast<std::size_t>(Diff::Removed)] || !picture.ghosts().empty())
            second.entries.push_back(diffEntry(Diff::Removed, "removed"));
        if (diffs[static_cast<std::size_t>(Diff::Added)])
            second.entries.push_back(diffEntry(Diff::Added, "added"));
        if (diffs[static_cast<std::size_t>(Diff::Changed)])
            second.entries.push_back(diffEntry(Diff::Changed, "changed"));
    }
    const auto& sites = picture.scene().sites;
    if (state.showSites && std::ranges::any_of(sites, [](const SceneSite& s) { return !s.nearMiss; })) {
        second.entries.push_back(boxEntry("matched site", [](const PaintContext& c, QRectF r) {
            QColor fill = c.colour(Token::Site);
            c.painter.setPen(QPen(fill, 1.5));
            fill.setAlphaF(0.10f);
            c.painter.setBrush(fill);
            c.painter.drawRoundedRect(r, 3, 3);
        }));
    }
    if (state.showSites && std::ranges::any_of(sites, &SceneSite::nearMiss)) {
        second.entries.push_back(boxEntry("near-miss", [](const PaintContext& c, QRectF r) {
            c.painter.setBrush(Qt::NoBrush);
            c.painter.setPen(look::dashed(c.colour(Token::Hatch), 1, {3, 2}));
            c.painter.drawRoundedRect(r, 3, 3);
            c.painter.setPen(QPen(c.colour(Token::Hatch), 1));
            for (double x : {4.0, 9.0, 14.0})
                c.painter.drawLine(QPointF(r.left() + x - 3, r.bottom() - 2), QPointF(r.left() + x + 3, r.top() + 2));
        }));
    }
    if (!picture.scene().islands.empty()) {
        second.entries.push_back(boxEntry("float island", [](const PaintContext& c, QRectF r) {
            QColor fill = c.colour(Token::Float32);
            c.painter.setPen(look::dashed(fill, 1.5, {1.5, 2.5}));
            fill.setAlphaF(0.08f);
            c.painter.setBrush(fill);
            c.painter.drawRoundedRect(r, 3, 3);
        }));
    }
    if (const SceneBadge* b = styles[static_cast<std::size_t>(BadgeStyle::Stored)])
        second.entries.push_back(badgeEntry("stored type", *b));
    if (const SceneBadge* b = styles[static_cast<std::size_t>(BadgeStyle::FakeQuantized)])
        second.entries.push_back(badgeEntry("fake-quantized", *b));
    if (const SceneBadge* b = styles[static_cast<std::size_t>(BadgeStyle::Plain)])
        second.entries.push_back(badgeEntry(look::precisionName(b->precision), *b));
    if (!picture.layout().chips.empty()) {
        second.entries.push_back(boxEntry("long edge", [](const PaintContext& c, QRectF r) {
            c.painter.setPen(QPen(c.colour(Token::Edge), 1.25));
            c.painter.setBrush(Qt::NoBrush);
            c.painter.drawPath(look::pentagon(r));
        }));
    }
    std::vector<Column> columns;
    for (Column& column : std::array{std::move(first), std::move(second)}) {
        if (!column.entries.empty())
            columns.push_back(std::move(column));
    }
    return columns;
}

double columnWidth(const Column& column, const QFontMetricsF& text, const QFontMetricsF& title)
{
    double width = title.horizontalAdvance(column.title);
    for (const Entry& entry : column.entries)
        width = std::max(width, kSwatch + text.horizontalAdvance(entry.text));
    return width + 14;
}

double mapScale(const Fold& fold, QSizeF size)
{
    const QRectF b = fold.bounds();
    return std::min((size.width() - 16) / std::max(1.0, b.width()), (size.height() - 12) / std::max(1.0, b.height()));
}

QPointF toMap(const Fold& fold, QPointF folded, QSizeF size)
{
    const double scale = mapScale(fold, size);
    const QRectF b = fold.bounds();
    return {(folded.x() - b.center().x()) * scale + size.width() / 2,
            (folded.y() - b.center().y()) * scale + size.height() / 2};
}

} // namespace

QSizeF legendSize(const Picture& picture, const ViewState& state)
{
    const auto columns = legendColumns(picture, state);
    if (columns.empty())
        return {};
    const QFontMetricsF text(uiFont(11));
    const QFontMetricsF title(uiFont(11, QFont::DemiBold));
    double width = 2 * kPadding - 14;
    std::size_t rows = 0;
    for (const Column& column : columns) {
        width += columnWidth(column, text, title);
        rows = std::max(rows, column.entries.size());
    }
    return {width, 2 * kPadding + 20 + static_cast<double>(rows) * kRow - 4};
}

void paintLegend(const PaintContext& context, QPointF topLeft)
{
    const QSizeF size = legendSize(context.picture, context.state);
    QPainter& p = context.painter;
    const QRectF frame(topLeft, size);
    p.fillRect(frame, context.colour(Token::Panel));
    p.setPen(QPen(context.colour(Token::Line), 1));
    p.setBrush(Qt::NoBrush);
    p.drawRect(frame.adjusted(0.5, 0.5, -0.5, -0.5));
    const QFont text = uiFont(11);
    const QFont title = uiFont(11, QFont::DemiBold);
    double x = frame.left() + kPadding;
    for (const Column& column : legendColumns(context.picture, context.state)) {
        p.setFont(title);
        p.setPen(context.colour(Token::Text));
        p.drawText(QPointF(x, frame.top() + kPadding + 9), column.title);
        double y = frame.top() + kPadding + 20;
        for (const Entry& entry : column.entries) {
            entry.swatch(context, QRectF(x, y, kSwatch, kRow));
            p.setFont(text);
            p.setPen(context.colour(Token::Text));
            p.drawText(QPointF(x + kSwatch, y + kRow / 2 + 4), entry.text);
            y += kRow;
        }
        x += columnWidth(column, QFontMetricsF(text), QFontMetricsF(title));
    }
}

void paintMinimapBlocks(const PaintContext& context, const Fold& fold, QSizeF size)
{
    QPainter& p = context.painter;
    p.setRenderHint(QPainter::Antialiasing, false);
    const double scale = mapScale(fold, size);
    const bool isDiff = context.picture.hasDiff() && context.state.showDiff;
    const auto block = [&](const QRectF& scene, double least) {
        const QPointF centre = toMap(fold, fold.map(scene.center()), size);
        const double w = std::max(scene.width() * scale, least);
        const double h = std::max(scene.height() * scale * 0.8, least);
        return QRectF(std::round(centre.x() - w / 2), std::round(centre.y() - h / 2), std::ceil(w), std::ceil(h));
    };
    const Scene& scene = context.picture.scene();
    for (const bool changed : {false, true}) {
        for (std::uint32_t n = 0; n < scene.nodes.size(); ++n) {
            const SceneNode& node = scene.nodes[n];
            if (((node.diff != Diff::Same) && isDiff) != changed)
                continue;
            const QColor colour = !isDiff    ? context.colour(node)
                                  : !changed ? context.colour(Token::Quiet)
                                             : context.colour(look::diffToken(node.diff));
            p.fillRect(block(context.picture.rect(n), changed ? 2 : 1), colour);
        }
    }
    if (isDiff) {
        p.setBrush(Qt::NoBrush);
        for (const Ghost& ghost : context.picture.ghosts()) {
            const QRectF r = block(ghost.rect, 2);
            p.setPen(look::dashed(context.colour(Token::Removed), 1, {2, 1}));
            p.drawRect(r.adjusted(0, 0, -1, -1));
        }
    }
    p.setRenderHint(QPainter::Antialiasing, true);
}

std::vector<QRectF> minimapFrames(const Fold& fold, const QRectF& scene, QSizeF size)
{
    std::vector<QRectF> frames;
    int column = -1;
    for (const Fold::Slice& slice : fold.slices()) {
        if (slice.bottom < scene.top() || slice.top > scene.bottom())
            continue;
        const double top = std::max(slice.top, scene.top()) + slice.dy;
        const double bottom = std::min(slice.bottom, scene.bottom()) + slice.dy;
        const QRectF& area = fold.column(slice.column);
        const double left = std::max(scene.left() + slice.dx, area.left());
        const double right = std::min(scene.right() + slice.dx, area.right());
        if (left >= right)
            continue;
        const QRectF part(toMap(fold, {left, top}, size), toMap(fold, {right, bottom}, size));
        if (slice.column == column)
            frames.back() = frames.back().united(part);
        else
            frames.push_back(part);
        column = slice.column;
    }
    for (QRectF& frame : frames)
        frame = frame.adjusted(-2, -2, 2, 2).intersected(QRectF(QPointF(2, 2), size - QSizeF(4, 4)));
    return frames;
}

QPointF minimapToScene(const Fold& fold, QPointF position, QSizeF size)
{
    const double scale = mapScale(fold, size);
    const QRectF b = fold.bounds();
    return fold.unmap({(position.x() - size.width() / 2) / scale + b.center().x(),
                       (position.y() - size.height() / 2) / scale + b.center().y()});
}

} // namespace crease
