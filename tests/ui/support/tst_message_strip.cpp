// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/support/message_strip.h"

#include <QLabel>
#include <QtTest>

using namespace crease;

class TestMessageStrip : public QObject {
    Q_OBJECT

private slots:
    void says_what_failed_where_and_what_to_do()
    {
        MessageStrip strip(Theme::light());
        strip.resize(900, 44);
        QVERIFY(strip.text().isEmpty());
        strip.showError("m.onnx could not be opened",
                        {ErrorKind::Input, "truncated", "the file ends early", "/a/m.onnx"});
        QVERIFY2(strip.text().startsWith("m.onnx could not be opened. /a/m.onnx: the file ends early"),
                 qPrintable(strip.text()));
        QVERIFY(strip.text().contains("Check that the file"));
        QCOMPARE(strip.findChildren<QLabel*>().size(), qsizetype{3});
    }

    void long_texts_end_in_an_ellipsis_and_are_whole_in_the_tooltip()
    {
        MessageStrip strip(Theme::light());
        strip.resize(900, 44);
        const QString detail = QString("absorb-activations runs before fold-batch-norm, ").repeated(20);
        strip.showWarning("This order destroys a pattern", detail);
        QVERIFY(strip.shownDetail().endsWith(QChar(0x2026)));
        QVERIFY(strip.shownDetail().size() < detail.size());
        QVERIFY(strip.shownDetail().size() > 60);
        QVERIFY(strip.text().endsWith(detail));
        strip.resize(20'000, 44);
        QCOMPARE(strip.shownDetail(), detail);
    }

    void no_ellipsis_where_it_fits()
    {
        MessageStrip strip(Theme::light());
        strip.resize(900, 44);
        strip.showInfo("Exported m.int8.onnx", "12 KB, 13 nodes");
        QCOMPARE(strip.shownDetail(), QString("12 KB, 13 nodes"));
    }
};

QTEST_MAIN(TestMessageStrip)
#include "tst_message_strip.moc"
