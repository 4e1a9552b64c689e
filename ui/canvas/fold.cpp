// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/canvas/fold.h"

#include <algorithm>
#include <cmath>

namespace crease {

namespace {

constexpr double kColumnGap = 100;
constexpr double kLabelGap = 96;
constexpr double kHeadGap = 64;
constexpr double kLeastWidth = 300;
constexpr double kTail = 16; // of an edge that goes on in the next column

/// Slices of the scene at the rows where no box is cut: the layout's segments, cut further where a section starts.
std::vector<Fold::Slice> sceneSlices(const Picture& picture)
{
    struct Row {
        double top;
        double bottom;
        double left;
        double right;
        std::int32_t section;
    };
    std::vector<Row> rows;
    const auto add = [&](const QRectF& r, std::int32_t section) {
        rows.push_back({r.top(), r.bottom(), r.left(), r.right(), section});
    };
    for (std::uint32_t n = 0; n < picture.scene().nodes.size(); ++n)
        add(picture.rect(n), picture.scene().nodes[n].section);
    for (const Ghost& ghost : picture.ghosts())
        add(ghost.rect, -1);
    std::ranges::sort(rows, {}, &Row::top);
    std::vector<Fold::Slice> slices;
    double low = 0;
    std::int32_t section = -1;
    for (const Row& row : rows) {
        const bool starts = row.section >= 0 && row.section > section;
        const bool apart = slices.empty() || row.top > low;
        if (apart) {
            Fold::Slice slice;
            slice.top = row.top;
            slice.section = std::max(section, row.section);
            slice.left = row.left;
            slice.right = row.right;
            slice.startsSection = starts;
            slices.push_back(slice);
        }
        if (starts && !apart)
            slices.back().startsSection = true;
        section = std::max(section, row.section);
        slices.back().section = section;
        low = std::max(low, row.bottom);
        slices.back().bottom = low;
        slices.back().left = std::min(slices.back().left, row.left);
        slices.back().right = std::max(slices.back().right, row.right);
    }
    return slices;
}

/// Fills columns of at most that height from left to right.
std::vector<QRectF> place(std::vector<Fold::Slice>& slices, double height)
{
    std::vector<QRectF> columns;
    std::size_t first = 0;
    double y = 0;
    double x = 0;
    double lastBottom = 0;
    const auto close = [&](std::size_t end) {
        double left = slices[first].left;
        double right = slices[first].right;
        for (std::size_t i = first; i < end; ++i) {
            left = std::min(left, slices[i].left);
            right = std::max(right, slices[i].right);
        }
        right = std::max(right, left + kLeastWidth);
        for (std::size_t i = first; i < end; ++i) {
            slices[i].column = static_cast<int>(columns.size());
            slices[i].dx = x - left;
        }
        columns.emplace_back(x, 0, right - left, y);
        x += right - left + kColumnGap;
        first = end;
    };
    for (std::size_t i = 0; i < slices.size(); ++i) {
        Fold::Slice& slice = slices[i];
        const double gap = y == 0 ? 0 : std::min(slice.top - lastBottom, 64.0);
        const double label = slice.startsSection && y > 0 ? kLabelGap : 0;
        const double size = slice.bottom - slice.top;
        if (y > 0 && y + gap + label + size > height) {
            close(i);
            y = 0;
        } else {
            y += gap + label;
        }
        slice.dy = y - slice.top;
        y += size;
        lastBottom = slice.bottom;
    }
    close(slices.size());
    return columns;
}

QRectF around(const std::vector<QRectF>& columns)
{
    QRectF all;
    for (const QRectF& column : columns)
        all = all.united(column);
    return all.adjusted(0, -kHeadGap, 0, 0);
}

} // namespace

Fold::Fold(const Picture& picture, QSizeF view)
{
    m_slices = sceneSlices(picture);
    if (m_slices.empty())
        return;
    double best = 0;
    double bestHeight = 0;
    for (int wanted = 1; wanted <= 64; ++wanted) {
        const double height = picture.bounds().height() / wanted + 64;
        const QRectF all = around(place(m_slices, height));
        const double zoom = std::min(view.width() / all.width(), view.height() / all.height());
        if (zoom > best) {
            best = zoom;
            bestHeight = height;
        }
    }
    m_columns = place(m_slices, bestHeight);
    m_sections = picture.scene().sections;
    m_bounds = around(m_columns);
}

const Fold::Slice& Fold::sliceAt(double y) const
{
    // Most callers come down the drawing in order: the slice of the last call or the one below.
    static thread_local std::size_t last = 0;
    if (last < m_slices.size() && m_slices[last].top <= y) {
        if (last + 1 == m_slices.size() || m_slices[last + 1].top > y)
            return m_slices[last];
        if (last + 2 == m_slices.size() || m_slices[last + 2].top > y)
            return m_slices[++last];
    }
    const auto at = std::ranges::upper_bound(m_slices, y, {}, &Slice::top);
    last = at == m_slices.begin() ? 0 : static_cast<std::size_t>(at - m_slices.begin()) - 1;
    return m_slices[last];
}

QPointF Fold::map(QPointF scene) const
{
    const Slice& slice = sliceAt(scene.y());
    const double below = scene.y() - slice.bottom;
    if (below <= 0)
        return {scene.x() + slice.dx, scene.y() + slice.dy};
    // Between two slices, where only edges are: the gap may be smaller here than in the scene.
    const double end = slice.bottom + slice.dy;
    const auto next = static_cast<std::size_t>(&slice - m_slices.data()) + 1;
    if (next < m_slices.size() && m_slices[next].column == slice.column) {
        const double share = below / std::max(1.0, m_slices[next].top - slice.bottom);
        return {scene.x() + slice.dx, end + share * (m_slices[next].top + m_slices[next].dy - end)};
    }
    return {scene.x() + slice.dx, end + std::min(below, kTail)};
}

QPointF Fold::unmap(QPointF folded) const
{
    int column = 0;
    while (column + 1 < columns() &&
           m_columns[static_cast<std::size_t>(column) + 1].left() - kColumnGap / 2 <= folded.x())
        ++column;
    const Slice* best = &m_slices.front();
    for (const Slice& slice : m_slices) {
        if (slice.column == column && (slice.top + slice.dy <= folded.y() || best->column != column))
            best = &slice;
    }
    return {folded.x() - best->dx, folded.y() - best->dy};
}

} // namespace crease
