// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QByteArray>
#include <QObject>
#include <QSettings>
#include <QStringList>

namespace crease {

/// One setting: key, default, value. A value equal to the default is not stored.
template <class T>
class Setting {
public:
    Setting(QSettings& store, QString key, T fallback)
        : m_store(&store), m_key(std::move(key)), m_fallback(std::move(fallback))
    {
    }

    T get() const { return m_store->value(m_key, QVariant::fromValue(m_fallback)).template value<T>(); }

    void set(const T& value)
    {
        if (value == m_fallback) {
            m_store->remove(m_key);
        } else {
            m_store->setValue(m_key, QVariant::fromValue(value));
        }
    }

private:
    QSettings* m_store;
    QString m_key;
    T m_fallback;
};

/// Everything that the window remembers from run to run.
class Settings {
public:
    Settings();
    /// For tests: a file of its own.
    explicit Settings(const QString& file);

private:
    QSettings m_store;

public:
    Setting<QString> theme{m_store, "view/theme", "system"}; // system, light, dark
    Setting<QByteArray> geometry{m_store, "window/geometry", {}};
    Setting<QByteArray> docks{m_store, "window/docks", {}};
    Setting<QStringList> recentFiles{m_store, "files/recent", {}};
    Setting<bool> legend{m_store, "view/legend", true};
    Setting<bool> minimap{m_store, "view/minimap", true};
    Setting<QString> exportFolder{m_store, "files/export", {}};

    void addRecent(const QString& file);
};

} // namespace crease
