// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/canvas/look.h"

#include <algorithm>
#include <cmath>

namespace crease::look {

namespace {

struct ClassRow {
    Token token;
    const char* icon;
    const char* name;
};

constexpr ClassRow kClasses[] = {
    {Token::ClassLinear, "class-linear", "linear"},
    {Token::ClassNormalisation, "class-normalisation", "normalisation"},
    {Token::ClassActivation, "class-activation", "activation"},
    {Token::ClassQuantizer, "class-quantizer", "quantizer"},
    {Token::ClassMovement, "class-movement", "data movement"},
    {Token::ClassElementwise, "class-elementwise", "elementwise"},
    {Token::ClassConstant, "class-constant", "constant"},
    {Token::ClassFloatIsland, "class-float", "island in float"},
};

struct PrecisionRow {
    Token token;
    const char* name;
    double width;
    std::initializer_list<double> dashes;
};

const PrecisionRow& precisionRow(Precision precision)
{
    static const PrecisionRow rows[] = {
        {Token::Float32, "float32", 1.5, {}},
        {Token::Float16, "float16", 1.5, {6, 3}},
        {Token::Int8, "int8", 2, {}},
        {Token::Int16, "int16", 2, {10, 2}},
        {Token::Int4, "int4", 2, {2, 2}},
        {Token::Int32, "int32 acc.", 3, {}},
        {Token::Index, "bool, index", 1, {6, 2, 1, 2}},
    };
    return rows[static_cast<std::size_t>(precision)];
}

QColor mix(const QColor& a, const QColor& b, double share)
{
    const auto channel = [&](int x, int y) { return static_cast<int>(std::lround(x + (y - x) * share)); };
    return {channel(a.red(), b.red()), channel(a.green(), b.green()), channel(a.blue(), b.blue())};
}

} // namespace

Level levelOf(double zoom)
{
    const double height = kNodeHeight * zoom;
    return height < 12 ? Level::Far : height < 24 ? Level::Middle : height <= 56 ? Level::Near : Level::Close;
}

Token classToken(SceneClass look)
{
    return kClasses[static_cast<std::size_t>(look)].token;
}

QString classIcon(SceneClass look)
{
    return kClasses[static_cast<std::size_t>(look)].icon;
}

QString className(SceneClass look)
{
    return kClasses[static_cast<std::size_t>(look)].name;
}

Token precisionToken(Precision precision)
{
    return precisionRow(precision).token;
}

QString precisionName(Precision precision)
{
    return precisionRow(precision).name;
}

Token diffToken(Diff diff)
{
    return diff == Diff::Added     ? Token::Added
           : diff == Diff::Removed ? Token::Removed
           : diff == Diff::Changed ? Token::Changed
                                   : Token::NodeLine;
}

QString diffIcon(Diff diff)
{
    return diff == Diff::Added     ? "diff-added"
           : diff == Diff::Removed ? "diff-removed"
           : diff == Diff::Changed ? "diff-changed"
                                   : "";
}

QPainterPath silhouette(SceneClass look, const QRectF& r)
{
    QPainterPath path;
    switch (look) {
    case SceneClass::Activation:
        path.addRoundedRect(r, 10, 10);
        return path;
    case SceneClass::Elementwise: {
        const double radius = std::min(r.width(), r.height()) / 2;
        path.addRoundedRect(r, radius, radius);
        return path;
    }
    case SceneClass::Quantizer: {
        constexpr double kCut = 7;
        path.addPolygon(QPolygonF({{r.left() + kCut, r.top()},
                                   {r.right() - kCut, r.top()},
                                   {r.right(), r.top() + kCut},
                                   {r.right(), r.bottom() - kCut},
                                   {r.right() - kCut, r.bottom()},
                                   {r.left() + kCut, r.bottom()},
                                   {r.left(), r.bottom() - kCut},
                                   {r.left(), r.top() + kCut}}));
        path.closeSubpath();
        return path;
    }
    case SceneClass::Constant: {
        constexpr double kFold = 9;
        path.addPolygon(QPolygonF({r.topLeft(),
                                   {r.right() - kFold, r.top()},
                                   {r.right(), r.top() + kFold},
                                   r.bottomRight(),
                                   r.bottomLeft()}));
        path.closeSubpath();
        return path;
    }
    case SceneClass::Linear:
    case SceneClass::Normalisation:
    case SceneClass::Movement:
    case SceneClass::FloatIsland:
        break;
    }
    path.addRoundedRect(r, 3, 3);
    return path;
}

QPainterPath pentagon(const QRectF& r)
{
    QPainterPath path;
    const double point = std::min(7.0, r.height() / 2);
    path.addPolygon(QPolygonF({r.topLeft(),
                               {r.right() - point, r.top()},
                               {r.right(), r.center().y()},
                               {r.right() - point, r.bottom()},
                               r.bottomLeft()}));
    path.closeSubpath();
    return path;
}

double stripWidth(SceneClass look)
{
    return look == SceneClass::Elementwise ? 11 : 5;
}

QPen dashed(const QColor& colour, double width, std::initializer_list<double> dashes)
{
    QPen pen(colour, width, Qt::SolidLine, Qt::FlatCap, Qt::MiterJoin);
    if (dashes.size() > 0) {
        QList<qreal> pattern;
        for (double dash : dashes)
            pattern.push_back(dash / width);
        pen.setDashPattern(pattern);
    }
    return pen;
}

QPen precisionPen(Precision precision, const Theme& theme, double scale)
{
    const PrecisionRow& row = precisionRow(precision);
    QPen pen = dashed(theme[row.token], row.width, row.dashes);
    pen.setWidthF(row.width * scale);
    return pen;
}

QColor heatColour(std::optional<double> value, double worst, const Theme& theme)
{
    if (!value || std::isnan(*value))
        return theme[Token::Quiet];
    return mix(theme[Token::Exact], theme[Token::Failed], std::clamp(*value / worst, 0.0, 1.0));
}

} // namespace crease::look
