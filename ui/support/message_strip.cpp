// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/support/message_strip.h"

#include "core/support/text.h"
#include "ui/support/icons.h"

#include <QHBoxLayout>
#include <QPainter>

namespace crease {

QString adviceFor(const Error& error)
{
    switch (error.kind) {
    case ErrorKind::Input:
        return QObject::tr("Check that the file is a whole ONNX model and that its external data lies beside it.");
    case ErrorKind::Output:
        return QObject::tr("Choose another file or folder; nothing was changed.");
    case ErrorKind::Refused:
        return QObject::tr("Nothing was written. See Diagnostics and Missed for the reason.");
    case ErrorKind::Usage:
        return QObject::tr("Change the value and try again.");
    case ErrorKind::Unsupported:
        return QObject::tr("The model can still be looked at; this step cannot be done with it.");
    case ErrorKind::Internal:
        return QObject::tr("This is a fault of Crease; please report it with the model.");
    case ErrorKind::Cancelled:
        break;
    }
    return {};
}

MessageStrip::MessageStrip(const Theme& theme, QWidget* parent)
    : QFrame(parent), m_theme(&theme), m_icon(new QLabel(this)), m_what(new QLabel(this)), m_detail(new QLabel(this)),
      m_close(new QToolButton(this))
{
    setFixedHeight(44);
    setAutoFillBackground(true);
    setBackgroundRole(QPalette::Base);
    auto* layout = new QHBoxLayout(this);
    layout->setContentsMargins(16, 0, 8, 0);
    layout->setSpacing(8);
    for (QLabel* label : {m_what, m_detail}) {
        label->setTextFormat(Qt::PlainText);
        label->setTextInteractionFlags(Qt::TextSelectableByMouse);
    }
    m_what->setFont(uiFont(13, QFont::DemiBold));
    m_detail->setFont(uiFont(12));
    m_detail->setWordWrap(true);
    m_detail->setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Preferred);
    m_close->setAutoRaise(true);
    m_close->setToolTip(tr("Close"));
    layout->addWidget(m_icon);
    layout->addWidget(m_what);
    layout->addWidget(m_detail, 1);
    layout->addWidget(m_close);
    connect(m_close, &QToolButton::clicked, this, &QWidget::hide);
    setTheme(theme);
    hide();
}

void MessageStrip::setTheme(const Theme& theme)
{
    m_theme = &theme;
    m_close->setIcon(themedIcon("cancel", theme));
    m_icon->setPixmap(iconPixmap(m_iconName, theme[m_colour], theme[Token::MarkGlyph], 16, devicePixelRatioF()));
    update();
}

void MessageStrip::show(const QString& icon, Token colour, const QString& what, const QString& detail)
{
    m_iconName = icon;
    m_colour = colour;
    m_what->setText(what + ".");
    m_whole = detail;
    m_detail->setToolTip(detail);
    setTheme(*m_theme);
    setVisible(true);
    fitDetail();
}

void MessageStrip::showError(const QString& what, const Error& error)
{
    const QString advice = adviceFor(error);
    QString detail = QString::fromStdString(printable(describe(error)));
    detail += advice.isEmpty() ? "." : ". " + advice;
    show("error", Token::Failed, what, detail);
}

void MessageStrip::showWarning(const QString& what, const QString& detail)
{
    show("warning", Token::Tolerance, what, detail);
}

void MessageStrip::showInfo(const QString& what, const QString& detail)
{
    show("info", Token::Accent, what, detail);
}

QString MessageStrip::text() const
{
    return isHidden() ? QString() : m_what->text() + " " + m_whole;
}

void MessageStrip::fitDetail()
{
    layout()->activate();
    const QFontMetrics metrics(m_detail->font());
    const auto fits = [&](const QString& text) {
        const QRect area(0, 0, std::max(1, m_detail->width()), 10'000);
        return metrics.boundingRect(area, Qt::TextWordWrap, text).height() <= 2 * metrics.lineSpacing();
    };
    QString shown = m_whole;
    for (qsizetype length = m_whole.size() - 1; length > 0 && !fits(shown); --length) {
        shown = m_whole.left(length).trimmed() + QChar(0x2026);
    }
    m_detail->setText(shown);
}

void MessageStrip::resizeEvent(QResizeEvent* event)
{
    QFrame::resizeEvent(event);
    fitDetail();
}

void MessageStrip::paintEvent(QPaintEvent* event)
{
    QFrame::paintEvent(event);
    QPainter painter(this);
    painter.fillRect(0, 0, 4, height(), (*m_theme)[m_colour]);
    painter.fillRect(0, height() - 1, width(), 1, (*m_theme)[Token::Line]);
}

} // namespace crease
