// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/support/theme.h"

#include <QFile>
#include <QFontDatabase>
#include <QJsonDocument>
#include <QJsonObject>

#include <cmath>

// Outside of any namespace, as Q_INIT_RESOURCE asks for.
static void initResources()
{
    Q_INIT_RESOURCE(crease_resources);
}

namespace crease {

namespace {

constexpr std::array<const char*, static_cast<std::size_t>(Token::Count)> kNames = {"window",
                                                                                    "panel",
                                                                                    "canvas",
                                                                                    "header",
                                                                                    "field",
                                                                                    "line",
                                                                                    "node-line",
                                                                                    "edge",
                                                                                    "text",
                                                                                    "text-2",
                                                                                    "text-3",
                                                                                    "accent",
                                                                                    "on-accent",
                                                                                    "selection",
                                                                                    "hover",
                                                                                    "node",
                                                                                    "band",
                                                                                    "site",
                                                                                    "on-site",
                                                                                    "hatch",
                                                                                    "tip",
                                                                                    "quiet",
                                                                                    "class-linear",
                                                                                    "class-normalisation",
                                                                                    "class-activation",
                                                                                    "class-quantizer",
                                                                                    "class-movement",
                                                                                    "class-elementwise",
                                                                                    "class-constant",
                                                                                    "class-float-island",
                                                                                    "precision-float32",
                                                                                    "precision-float16",
                                                                                    "precision-int8",
                                                                                    "precision-int16",
                                                                                    "precision-int4",
                                                                                    "precision-int32",
                                                                                    "precision-index",
                                                                                    "diff-added",
                                                                                    "diff-removed",
                                                                                    "diff-changed",
                                                                                    "mark-exact",
                                                                                    "mark-steps",
                                                                                    "mark-tolerance",
                                                                                    "mark-failed",
                                                                                    "mark-unchecked",
                                                                                    "mark-glyph"};

double luminance(const QColor& colour)
{
    const auto channel = [](double c) { return c <= 0.03928 ? c / 12.92 : std::pow((c + 0.055) / 1.055, 2.4); };
    return 0.2126 * channel(colour.redF()) + 0.7152 * channel(colour.greenF()) + 0.0722 * channel(colour.blueF());
}

double contrast(const QColor& a, const QColor& b)
{
    const double high = std::max(luminance(a), luminance(b)) + 0.05;
    const double low = std::min(luminance(a), luminance(b)) + 0.05;
    return high / low;
}

QFont sized(QFont font, double pixels, QFont::Weight weight)
{
    // Pixel sizes are whole in QFont; look.md's half sizes go up, which is what hinting makes of them anyway.
    font.setPixelSize(std::max(1, static_cast<int>(std::lround(pixels))));
    font.setWeight(weight);
    return font;
}

} // namespace

const char* tokenName(Token token)
{
    return kNames[static_cast<std::size_t>(token)];
}

Theme::Theme(const char* name, bool dark) : m_dark(dark)
{
    initResources();
    QFile file(":/themes/tokens.json");
    const bool opened = file.open(QIODevice::ReadOnly);
    Q_ASSERT(opened);
    const QJsonObject tokens =
        QJsonDocument::fromJson(opened ? file.readAll() : QByteArray()).object()[name].toObject();
    for (std::size_t i = 0; i < kNames.size(); ++i)
        m_colours[i] = QColor(tokens[kNames[i]].toString());
}

const Theme& Theme::light()
{
    static const Theme theme("light", false);
    return theme;
}

const Theme& Theme::chosen(const QString& wish, const QPalette& desktop)
{
    const bool isDark = wish == "dark" || (wish == "system" && desktop.color(QPalette::Window).lightness() < 128);
    return isDark ? dark() : light();
}

const Theme& Theme::dark()
{
    static const Theme theme("dark", true);
    return theme;
}

QColor Theme::textOn(const QColor& fill) const
{
    const QColor white(0xFF, 0xFF, 0xFF);
    const QColor black(0x14, 0x17, 0x1A);
    return contrast(white, fill) >= contrast(black, fill) ? white : black;
}

QPalette Theme::palette() const
{
    const Theme& t = *this;
    QPalette p;
    p.setColor(QPalette::Window, t[Token::Window]);
    p.setColor(QPalette::WindowText, t[Token::Text]);
    p.setColor(QPalette::Base, t[Token::Panel]);
    p.setColor(QPalette::AlternateBase, t[Token::Band]);
    p.setColor(QPalette::Text, t[Token::Text]);
    p.setColor(QPalette::PlaceholderText, t[Token::Text3]);
    p.setColor(QPalette::Button, t[Token::Window]);
    p.setColor(QPalette::ButtonText, t[Token::Text]);
    p.setColor(QPalette::BrightText, t[Token::Failed]);
    p.setColor(QPalette::Highlight, t[Token::Selection]);
    p.setColor(QPalette::HighlightedText, t[Token::Text]);
    p.setColor(QPalette::Link, t[Token::Accent]);
    p.setColor(QPalette::LinkVisited, t[Token::Accent]);
    p.setColor(QPalette::ToolTipBase, t[Token::Tip]);
    p.setColor(QPalette::ToolTipText, t[Token::Text]);
    p.setColor(QPalette::Light, t[Token::Panel]);
    p.setColor(QPalette::Midlight, t[Token::Header]);
    p.setColor(QPalette::Mid, t[Token::Line]);
    p.setColor(QPalette::Dark, t[Token::NodeLine]);
    p.setColor(QPalette::Shadow, t[Token::NodeLine]);
    QColor disabled = t[Token::Text3];
    disabled.setAlphaF(0.75f);
    for (const auto role : {QPalette::WindowText, QPalette::Text, QPalette::ButtonText})
        p.setColor(QPalette::Disabled, role, disabled);
    return p;
}

QFont uiFont(double pixels, QFont::Weight weight)
{
    return sized(QFontDatabase::systemFont(QFontDatabase::GeneralFont), pixels, weight);
}

QFont monoFont(double pixels, QFont::Weight weight)
{
    return sized(QFontDatabase::systemFont(QFontDatabase::FixedFont), pixels, weight);
}

} // namespace crease
