// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QLocale>
#include <QString>

namespace crease {

/// 1 node, 2 nodes, 1,012 nodes.
inline QString counted(qlonglong count, const QString& one, const QString& many)
{
    return QLocale(QLocale::English).toString(count) + " " + (count == 1 ? one : many);
}

} // namespace crease
