// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/panels/inspector.h"
#include "ui/support/icons.h"

#include <QLabel>
#include <QToolButton>

namespace crease {

namespace {

constexpr int kKeyWidth = 86;
constexpr int kLinkWidth = 168;

/// One line that is elided in the middle where it does not fit; the tooltip then says all of it.
class ElidedLabel : public QLabel {
public:
    ElidedLabel(const QString& text, QWidget* parent) : QLabel(parent), m_full(text)
    {
        setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Preferred);
    }

protected:
    void resizeEvent(QResizeEvent* event) override
    {
        QLabel::resizeEvent(event);
        const QString fitting = fontMetrics().elidedText(m_full, Qt::ElideMiddle, contentsRect().width());
        if (fitting != text()) {
            setText(fitting);
        }
        if (toolTip().isEmpty() && fitting != m_full) {
            setToolTip(m_full);
        }
    }
    QSize sizeHint() const override { return {fontMetrics().horizontalAdvance(m_full) + 1, fontMetrics().height()}; }

private:
    QString m_full;
};

QLabel* dressed(QLabel* result, const QFont& font, const QColor& colour)
{
    result->setFont(font);
    result->setTextFormat(Qt::PlainText);
    QPalette palette = result->palette();
    palette.setColor(QPalette::WindowText, colour);
    result->setPalette(palette);
    result->setTextInteractionFlags(Qt::TextSelectableByMouse);
    return result;
}

QLabel* label(const QString& text, const QFont& font, const QColor& colour, QWidget* parent)
{
    return dressed(new QLabel(text, parent), font, colour);
}

QLabel* elided(const QString& text, const QFont& font, const QColor& colour, QWidget* parent)
{
    return dressed(new ElidedLabel(text, parent), font, colour);
}

} // namespace

SectionList::SectionList(const Theme& theme, QWidget* parent) : QScrollArea(parent), m_theme(&theme)
{
    setFrameShape(QFrame::NoFrame);
    setWidgetResizable(true);
    setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    clear();
}

void SectionList::clear()
{
    auto* body = new QWidget(this);
    body->setAutoFillBackground(true);
    body->setBackgroundRole(QPalette::Base);
    m_layout = new QVBoxLayout(body);
    m_layout->setContentsMargins(0, 0, 0, 8);
    m_layout->setSpacing(0);
    m_section = m_layout;
    m_text.clear();
    setWidget(body);
}

void SectionList::addTitle(const QString& icon, Token colour, const QString& title, const QString& subtitle,
                           const QString& name)
{
    auto* row = new QWidget(widget());
    auto* layout = new QHBoxLayout(row);
    layout->setContentsMargins(10, 10, 10, 8);
    auto* picture = new QLabel(row);
    picture->setPixmap(iconPixmap(icon, (*m_theme)[colour], (*m_theme)[Token::MarkGlyph], 18, devicePixelRatioF()));
    layout->addWidget(picture, 0, Qt::AlignTop);
    auto* words = new QVBoxLayout;
    words->setSpacing(2);
    words->addWidget(elided(title, uiFont(14, QFont::DemiBold), (*m_theme)[Token::Text], row));
    words->addWidget(elided(subtitle, uiFont(12), (*m_theme)[Token::Text2], row));
    words->addWidget(elided(name, monoFont(11.5), (*m_theme)[Token::Text2], row));
    layout->addLayout(words, 1);
    m_layout->addWidget(row);
    m_text << title << subtitle << name;
}

QWidget* SectionList::newBody()
{
    auto* body = new QWidget(widget());
    auto* layout = new QVBoxLayout(body);
    layout->setContentsMargins(10, 4, 10, 6);
    layout->setSpacing(3);
    m_section = layout;
    return body;
}

void SectionList::addSection(const QString& title, const QString& count)
{
    auto* head = new QWidget(widget());
    head->setFixedHeight(24);
    head->setAutoFillBackground(true);
    head->setBackgroundRole(QPalette::AlternateBase);
    auto* layout = new QHBoxLayout(head);
    layout->setContentsMargins(4, 0, 10, 0);
    layout->setSpacing(2);
    auto* arrow = new QToolButton(head);
    arrow->setAutoRaise(true);
    arrow->setFixedSize(18, 18);
    arrow->setStyleSheet("padding: 0");
    arrow->setIcon(themedIcon("chevron-down", *m_theme));
    arrow->setAccessibleName(tr("Show or hide %1").arg(title));
    layout->addWidget(arrow);
    layout->addWidget(label(title, uiFont(12, QFont::DemiBold), (*m_theme)[Token::Text], head));
    layout->addStretch();
    layout->addWidget(label(count, uiFont(12), (*m_theme)[Token::Text2], head));
    m_layout->addWidget(head);
    QWidget* body = newBody();
    m_layout->addWidget(body);
    connect(arrow, &QToolButton::clicked, body, [body, arrow, theme = m_theme] {
        const bool open = body->isHidden();
        body->setVisible(open);
        arrow->setIcon(themedIcon(open ? "chevron-down" : "chevron-right", *theme));
    });
    m_text << title + (count.isEmpty() ? QString() : " " + count);
}

void SectionList::addFact(const QString& key, const QString& value, const QString& toolTip)
{
    auto* row = new QWidget(widget());
    auto* layout = new QHBoxLayout(row);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(6);
    auto* left = label(key, uiFont(12), (*m_theme)[Token::Text2], row);
    left->setFixedWidth(kKeyWidth);
    left->setAlignment(Qt::AlignTop | Qt::AlignLeft);
    layout->addWidget(left);
    const QFont mono = monoFont(11.5);
    const bool breakable = value.contains(' ');
    auto* right = breakable ? label(value, mono, (*m_theme)[Token::Text], row)
                            : elided(value, mono, (*m_theme)[Token::Text], row);
    right->setWordWrap(breakable);
    right->setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Preferred);
    right->setToolTip(toolTip);
    layout->addWidget(right, 1);
    m_section->addWidget(row);
    m_text << key + ": " + value;
}

void SectionList::addLink(const QString& text, const QString& where, std::function<void()> follow)
{
    auto* row = new QWidget(widget());
    auto* layout = new QHBoxLayout(row);
    layout->setContentsMargins(0, 0, 0, 0);
    auto* button = new QToolButton(row);
    button->setAutoRaise(true);
    button->setFont(monoFont(11.5));
    button->setText(button->fontMetrics().elidedText(text, Qt::ElideMiddle, kLinkWidth));
    button->setToolTip(text);
    button->setCursor(Qt::PointingHandCursor);
    button->setStyleSheet(QString("color: %1; padding: 1px 2px").arg((*m_theme)[Token::Accent].name()));
    connect(button, &QToolButton::clicked, this, [follow = std::move(follow)] { follow(); });
    layout->addWidget(button);
    layout->addStretch();
    layout->addWidget(label(where, uiFont(12), (*m_theme)[Token::Text2], row));
    m_section->addWidget(row);
    m_text << text + " " + where;
}

void SectionList::addProse(const QString& text)
{
    auto* words = label(text, uiFont(12), (*m_theme)[Token::Text2], widget());
    words->setWordWrap(true);
    if (m_section == m_layout) {
        words->setContentsMargins(10, 10, 10, 4);
    }
    m_section->addWidget(words);
    m_text << text;
}

void SectionList::addWidget(QWidget* widget)
{
    m_section->addWidget(widget);
}

void SectionList::finish()
{
    m_layout->addStretch();
}

} // namespace crease
