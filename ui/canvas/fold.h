// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "ui/canvas/picture.h"

#include <QSizeF>

namespace crease {

/// A tall drawing put in columns, so that all of it fits into a window: slices of the scene from top to bottom, each
/// moved as a whole. Points map there and back.
class Fold {
public:
    struct Slice {
        double top = 0; // in the scene
        double bottom = 0;
        double left = 0;
        double right = 0;
        double dx = 0;
        double dy = 0;
        int column = 0;
        std::int32_t section = -1;
        bool startsSection = false;
    };

    Fold() = default;
    /// The number of columns that shows the picture largest in a view of that size.
    Fold(const Picture& picture, QSizeF view);

    bool isEmpty() const { return m_slices.empty(); }
    QPointF map(QPointF scene) const;
    QPointF unmap(QPointF folded) const;
    /// The column that a row of the scene stands in.
    int columnOf(double y) const { return sliceAt(y).column; }
    QRectF bounds() const { return m_bounds; }
    int columns() const { return static_cast<int>(m_columns.size()); }
    /// Of the folded drawing; as wide as what stands in it.
    const QRectF& column(int index) const { return m_columns[static_cast<std::size_t>(index)]; }
    const std::vector<Slice>& slices() const { return m_slices; }
    /// Of the picture that it was made for: other stages may have other sections.
    const std::vector<QString>& sections() const { return m_sections; }

private:
    const Slice& sliceAt(double y) const;

    std::vector<Slice> m_slices;
    QRectF m_bounds;
    std::vector<QRectF> m_columns;
    std::vector<QString> m_sections;
};

} // namespace crease
