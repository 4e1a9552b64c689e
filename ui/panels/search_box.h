// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "ui/support/theme.h"

#include <QAction>
#include <QLineEdit>

namespace crease {

/// The box of Ctrl+F. What is typed is always a regular expression; one that is not valid is marked while it is typed,
/// and the tooltip says what is wrong and where.
class SearchBox : public QLineEdit {
    Q_OBJECT

public:
    explicit SearchBox(const Theme& theme, QWidget* parent = nullptr);
    void setTheme(const Theme& theme);
    /// What is wrong with the pattern; empty for a valid one.
    QString error() const { return m_error; }
    /// Says how many nodes it found, in the tooltip.
    void showHits(int hits);

private:
    void check();
    void updateLook();

    const Theme* m_theme;
    QAction* m_icon;
    QString m_error;
};

} // namespace crease
