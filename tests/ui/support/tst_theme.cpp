// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/support/icons.h"

#include <QDir>
#include <QSvgRenderer>
#include <QtTest>

using namespace crease;

class TestTheme : public QObject {
    Q_OBJECT

private slots:
    void every_token_has_a_colour()
    {
        for (const Theme* theme : {&Theme::light(), &Theme::dark()}) {
            for (int i = 0; i < static_cast<int>(Token::Count); ++i)
                QVERIFY2((*theme)[static_cast<Token>(i)].isValid(), tokenName(static_cast<Token>(i)));
        }
        QCOMPARE(Theme::light()[Token::Accent], QColor("#1B5DCF"));
        QCOMPARE(Theme::dark()[Token::MarkGlyph], QColor("#14171A"));
    }

    void every_icon_renders_in_its_colour()
    {
        Theme::light();
        const QStringList icons = QDir(":/icons").entryList();
        QVERIFY(icons.size() >= 61);
        for (const QString& file : icons) {
            const QString name = file.chopped(4);
            const QByteArray svg = iconSvg(name, QColor("#123456"), QColor("#654321"));
            QVERIFY2(QSvgRenderer(svg).isValid(), qPrintable(name));
            QVERIFY2(!svg.contains("#FFFFFF"), qPrintable(name));
        }
        const QImage image = iconPixmap("cert-exact", QColor("#1F8A5F"), Qt::white, 16, 1).toImage();
        QCOMPARE(image.pixelColor(2, 8), QColor("#1F8A5F"));
    }

    void negative_unknown_icon_is_empty() { QVERIFY(iconSvg("no-such-icon", Qt::red, Qt::white).isEmpty()); }

    void system_theme_is_that_of_the_desktop()
    {
        const QPalette night(QColor(30, 30, 32), QColor(20, 20, 22));
        const QPalette day(QColor(240, 240, 240), QColor(250, 250, 250));
        QVERIFY(Theme::chosen("system", night).isDark());
        QVERIFY(!Theme::chosen("system", day).isDark());
        // What was chosen counts more than the desktop.
        QVERIFY(!Theme::chosen("light", night).isDark());
        QVERIFY(Theme::chosen("dark", day).isDark());
    }

    void text_on_fill()
    {
        QCOMPARE(Theme::light().textOn(Theme::light()[Token::Int8]), QColor("#FFFFFF"));
        QCOMPARE(Theme::dark().textOn(Theme::dark()[Token::Int16]), QColor("#14171A"));
    }
};

QTEST_MAIN(TestTheme)
#include "tst_theme.moc"
