// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/support/icons.h"

#include <QFile>
#include <QPainter>
#include <QPixmapCache>
#include <QSvgRenderer>

#include <cmath>

namespace crease {

QByteArray iconSvg(const QString& name, const QColor& colour, const QColor& glyph)
{
    Theme::light(); // makes sure that the resources are there
    QFile file(":/icons/" + name + ".svg");
    if (!file.open(QIODevice::ReadOnly))
        return {};
    QByteArray svg = file.readAll();
    svg.replace("#FFFFFF", glyph.name().toLatin1());
    svg.replace("<svg ", "<svg color=\"" + colour.name().toLatin1() + "\" ");
    return svg;
}

void drawIcon(QPainter& painter, const QRectF& rect, const QString& name, const QColor& colour, const QColor& glyph)
{
    QSvgRenderer renderer(iconSvg(name, colour, glyph));
    renderer.render(&painter, rect);
}

QPixmap iconPixmap(const QString& name, const QColor& colour, const QColor& glyph, double size, double pixelRatio)
{
    const int pixels = std::max(1, static_cast<int>(std::lround(size * pixelRatio)));
    const QString key = QString("crease/%1/%2/%3/%4").arg(name, colour.name(), glyph.name()).arg(pixels);
    QPixmap pixmap;
    if (QPixmapCache::find(key, &pixmap)) {
        pixmap.setDevicePixelRatio(pixelRatio);
        return pixmap;
    }
    pixmap = QPixmap(pixels, pixels);
    pixmap.fill(Qt::transparent);
    {
        QPainter painter(&pixmap);
        painter.setRenderHint(QPainter::Antialiasing);
        drawIcon(painter, QRectF(0, 0, pixels, pixels), name, colour, glyph);
    }
    QPixmapCache::insert(key, pixmap);
    pixmap.setDevicePixelRatio(pixelRatio);
    return pixmap;
}

Token markToken(const QString& icon)
{
    if (icon == "cert-exact")
        return Token::Exact;
    if (icon == "cert-steps")
        return Token::Steps;
    if (icon == "cert-tolerance" || icon == "warning")
        return Token::Tolerance;
    if (icon == "cert-failed" || icon == "error")
        return Token::Failed;
    return icon == "cert-unchecked" ? Token::Unchecked : Token::Text2;
}

QIcon themedIcon(const QString& name, const Theme& theme)
{
    QIcon icon;
    for (const int size : {14, 16, 20, 32}) {
        for (const double ratio : {1.0, 2.0}) {
            const auto add = [&](Token token, QIcon::Mode mode, QIcon::State state) {
                icon.addPixmap(iconPixmap(name, theme[token], theme[Token::MarkGlyph], size, ratio), mode, state);
            };
            add(Token::Text2, QIcon::Normal, QIcon::Off);
            add(Token::Accent, QIcon::Normal, QIcon::On);
            add(Token::Text3, QIcon::Disabled, QIcon::Off);
            add(Token::Text3, QIcon::Disabled, QIcon::On);
        }
    }
    return icon;
}

} // namespace crease
