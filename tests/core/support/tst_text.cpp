// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/support/text.h"

#include <QTest>

using namespace crease;

class TestText : public QObject {
    Q_OBJECT

    const std::vector<std::string> m_passes{"recognise", "fold-constants", "fold-weights", "fold-batch-norm", "lower"};

private slots:
    void a_near_name_is_suggested_data()
    {
        QTest::addColumn<QString>("name");
        QTest::addColumn<QString>("suggested"); // empty: nothing
        QTest::newRow("a letter wrong") << "recognize" << "recognise";
        QTest::newRow("a letter missing") << "fold-batchnorm" << "fold-batch-norm";
        QTest::newRow("letters swapped") << "fold-wieghts" << "fold-weights";
        QTest::newRow("one letter") << "lowr" << "lower";
        QTest::newRow("a beginning") << "recog" << "recognise";
        QTest::newRow("a beginning of several") << "fold-" << "";
        QTest::newRow("the name itself") << "lower" << "lower";
        QTest::newRow("far") << "quantize" << "";
        QTest::newRow("another word of the length") << "xxxxx" << "";
        QTest::newRow("nothing") << "" << "";
    }

    void a_near_name_is_suggested()
    {
        QFETCH(QString, name);
        QFETCH(QString, suggested);
        const auto found = nearest(name.toStdString(), m_passes);
        QCOMPARE(QString::fromStdString(found.value_or("")), suggested);
        const std::string text = suggestion(name.toStdString(), m_passes);
        QCOMPARE(QString::fromStdString(text),
                 suggested.isEmpty() ? QString() : QString("; did you mean '%1'?").arg(suggested));
    }
};

QTEST_APPLESS_MAIN(TestText)
#include "tst_text.moc"
