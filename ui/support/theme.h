// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QColor>
#include <QFont>
#include <QPalette>

#include <array>

namespace crease {

/// The colours of resources/themes/tokens.json, by the names that look.md gives them.
enum class Token : std::uint8_t {
    Window,
    Panel,
    Canvas,
    Header,
    Field,
    Line,
    NodeLine,
    Edge,
    Text,
    Text2,
    Text3,
    Accent,
    OnAccent,
    Selection,
    Hover,
    Node,
    Band,
    Site,
    OnSite,
    Hatch,
    Tip,
    Quiet,
    ClassLinear,
    ClassNormalisation,
    ClassActivation,
    ClassQuantizer,
    ClassMovement,
    ClassElementwise,
    ClassConstant,
    ClassFloatIsland,
    Float32,
    Float16,
    Int8,
    Int16,
    Int4,
    Int32,
    Index,
    Added,
    Removed,
    Changed,
    Exact,
    Steps,
    Tolerance,
    Failed,
    Unchecked,
    MarkGlyph,
    Count,
};

/// The name of a token in tokens.json.
const char* tokenName(Token token);

class Theme {
public:
    static const Theme& light();
    static const Theme& dark();
    /// By the setting (system, light, dark) and the desktop's own palette.
    static const Theme& chosen(const QString& wish, const QPalette& desktop);

    const QColor& operator[](Token token) const { return m_colours[static_cast<std::size_t>(token)]; }
    bool isDark() const { return m_dark; }
    /// White or black, whichever reads better on a filled badge of that colour.
    QColor textOn(const QColor& fill) const;
    /// For the widgets around the canvas.
    QPalette palette() const;

private:
    Theme(const char* name, bool dark);

    std::array<QColor, static_cast<std::size_t>(Token::Count)> m_colours;
    bool m_dark;
};

/// The desktop's face at a size in pixels; weights are Normal and DemiBold, nothing else.
QFont uiFont(double pixels, QFont::Weight weight = QFont::Normal);
QFont monoFont(double pixels, QFont::Weight weight = QFont::Normal);

} // namespace crease
