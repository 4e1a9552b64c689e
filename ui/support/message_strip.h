// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/support/result.h"
#include "ui/support/theme.h"

#include <QFrame>
#include <QLabel>
#include <QToolButton>

namespace crease {

/// The one place that shows an Error: a strip under the toolbar, never modal. What failed, then file, node, value, and
/// what to do.
class MessageStrip : public QFrame {
    Q_OBJECT

public:
    explicit MessageStrip(const Theme& theme, QWidget* parent = nullptr);
    void setTheme(const Theme& theme);

    void showError(const QString& what, const Error& error);
    void showWarning(const QString& what, const QString& detail);
    void showInfo(const QString& what, const QString& detail);
    QString text() const;
    QString shownDetail() const { return m_detail->text(); }

protected:
    void paintEvent(QPaintEvent* event) override;
    void resizeEvent(QResizeEvent* event) override;

private:
    void fitDetail();
    void show(const QString& icon, Token colour, const QString& what, const QString& detail);

    const Theme* m_theme;
    Token m_colour = Token::Accent;
    QString m_iconName = "info";
    QString m_whole; // of what m_detail shows as much as fits into two lines
    QLabel* m_icon;
    QLabel* m_what;
    QLabel* m_detail;
    QToolButton* m_close;
};

/// What a person can do about an error of this kind; empty where there is nothing general to say.
QString adviceFor(const Error& error);

} // namespace crease
