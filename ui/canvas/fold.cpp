// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/canvas/fold.h"

#include <algorithm>
#include <cmath>

namespace crease {

namespace {

constexpr double kColumnGap = 120;
constexpr double kLabelGap = 96;
constexpr double kHeadGap = 64;

/// Slices of the scene at the rows where no box is cut: the layout's segments, cut further where a section starts.
std::vector<Fold::Slice> sceneSlices(const Picture& picture)
{
    struct Row {
        double top;
        double bottom;
        std::int32_t section;
    };
    std::vector<Row> rows;
    const auto add = [&](const QRectF& r, std::int32_t section) { rows.push_back({r.top(), r.bottom(), section}); };
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
            slice.startsSection = starts;
            slices.push_back(slice);
        }
        if (starts && !apart)
            slices.back().startsSection = true;
        section = std::max(section, row.section);
        slices.back().section = section;
        low = std::max(low, row.bottom);
        slices.back().bottom = low;
    }
    return slices;
}

double place(std::vector<Fold::Slice>& slices, double height, double pitch, int& columns)
{
    int column = 0;
    double y = 0;
    double tallest = 0;
    double lastBottom = 0;
    for (std::size_t i = 0; i < slices.size(); ++i) {
        Fold::Slice& slice = slices[i];
        const double gap = i == 0 || y == 0 ? 0 : std::min(slice.top - lastBottom, 64.0);
        const double label = slice.startsSection && y > 0 ? kLabelGap : 0;
        const double size = slice.bottom - slice.top;
        if (y > 0 && y + gap + label + size > height) {
            ++column;
            y = 0;
        } else {
            y += gap + label;
        }
        slice.column = column;
        slice.dx = column * pitch;
        slice.dy = y - slice.top;
        y += size;
        tallest = std::max(tallest, y);
        lastBottom = slice.bottom;
    }
    columns = column + 1;
    return tallest;
}

} // namespace

Fold::Fold(const Picture& picture, QSizeF view)
{
    m_slices = sceneSlices(picture);
    if (m_slices.empty())
        return;
    const QRectF scene = picture.bounds();
    m_left = scene.left();
    m_pitch = scene.width() + kColumnGap;
    double best = 0;
    double bestHeight = 0;
    for (int wanted = 1; wanted <= 64; ++wanted) {
        const double height = scene.height() / wanted + 64;
        int columns = 0;
        const double tallest = place(m_slices, height, m_pitch, columns);
        const double zoom = std::min(view.width() / (columns * m_pitch), view.height() / (tallest + kHeadGap));
        if (zoom > best) {
            best = zoom;
            bestHeight = height;
        }
    }
    const double tallest = place(m_slices, bestHeight, m_pitch, m_columns);
    m_bounds = QRectF(m_left, -kHeadGap, m_columns * m_pitch - kColumnGap, tallest + kHeadGap);
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
    return {scene.x() + slice.dx, scene.y() + slice.dy};
}

QPointF Fold::unmap(QPointF folded) const
{
    const int column = std::clamp(static_cast<int>(std::floor((folded.x() - m_left) / m_pitch)), 0, m_columns - 1);
    const Slice* best = &m_slices.front();
    for (const Slice& slice : m_slices) {
        if (slice.column == column && (slice.top + slice.dy <= folded.y() || best->column != column))
            best = &slice;
    }
    return {folded.x() - best->dx, folded.y() - best->dy};
}

} // namespace crease
