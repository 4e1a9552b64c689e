// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/support/settings.h"

namespace crease {

Settings::Settings() : m_store("Crease", "crease") {}

Settings::Settings(const QString& file) : m_store(file, QSettings::IniFormat) {}

void Settings::addRecent(const QString& file)
{
    constexpr int most = 12;
    QStringList files = recentFiles.get();
    files.removeAll(file);
    files.prepend(file);
    recentFiles.set(files.mid(0, most));
}

} // namespace crease
