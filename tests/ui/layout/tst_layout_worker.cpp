// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/ui/layout/graphs.h"
#include "ui/layout/layout.h"
#include "ui/layout/worker_pool.h"

#include <QtTest>

#include <chrono>

using namespace crease::layout;

namespace {

const char* const kWorker = CREASE_LAYOUT_WORKER;

Options with(WorkerPool& pool)
{
    Options options;
    options.workers = &pool;
    options.dotAlways = true;
    return options;
}

QString script(const QTemporaryDir& folder, const QByteArray& text)
{
    QFile file(folder.filePath("worker"));
    if (!file.open(QIODevice::WriteOnly))
        return {};
    file.write(text);
    file.close();
    file.setPermissions(QFile::ReadOwner | QFile::WriteOwner | QFile::ExeOwner);
    return file.fileName();
}

} // namespace

class TestLayoutWorker : public QObject {
    Q_OBJECT

private slots:
    void dot_lays_out_every_segment()
    {
        WorkerPool pool(kWorker);
        const Graph graph = test::residualNetwork(30);
        const LayoutPtr layout = layoutGraph(graph, with(pool));
        QVERIFY(pool.statistics().laidOut > 0);
        QCOMPARE(pool.statistics().failed, std::size_t{0});
        for (Index a = 0; a < layout->boxes.size(); ++a) {
            for (Index b = a + 1; b < layout->boxes.size(); ++b)
                QVERIFY2(!layout->rect(a).intersects(layout->rect(b)), qPrintable(QString("%1 %2").arg(a).arg(b)));
        }
        for (const Edge& e : layout->edges)
            QVERIFY(layout->ranks[e.from] < layout->ranks[e.to]);
        QVERIFY2(layout->bounds.width() < 1000, qPrintable(QString::number(layout->bounds.width())));
    }

    void only_what_crosses_goes_to_dot()
    {
        WorkerPool pool(kWorker);
        Options options;
        options.workers = &pool;
        layoutGraph(test::residualNetwork(5), options);
        QCOMPARE(pool.statistics().started, std::size_t{0});
        // Three rows of three, each joined with each: no order is without crossings.
        test::GraphMaker g;
        std::vector<Index> above = {g.box(), g.box(), g.box()};
        for (int row = 0; row < 2; ++row) {
            std::vector<Index> below = {g.box(), g.box(), g.box()};
            for (Index a : above) {
                for (Index b : below)
                    g.edge(a, b);
            }
            above = below;
        }
        layoutGraph(g.graph(), options);
        QVERIFY(pool.statistics().laidOut > 0);
    }

    void crossings_are_counted_alike_for_every_engine()
    {
        SegmentGraph segment;
        segment.rows = 4;
        segment.nodes.resize(4);
        segment.edges = {{0, 3, 0, 0, Port::Main, false}, {1, 2, 0, 0, Port::Main, false}};
        SegmentPlacement placement{{1, 1, 2, 2}, {0, 100, 0, 100}, 4};
        QCOMPARE(straightCrossings(segment, placement), std::size_t{1});
        placement.xs = {0, 100, 100, 0};
        QCOMPARE(straightCrossings(segment, placement), std::size_t{0});
        // One runs past the other's end.
        placement = {{1, 1, 3, 2}, {0, 100, 0, 80}, 4};
        QCOMPARE(straightCrossings(segment, placement), std::size_t{1});
    }

    void worker_is_found_beside_the_program()
    {
        const QString folder = QFileInfo(kWorker).absolutePath();
        QVERIFY(QFileInfo::exists(QString::fromStdString(findWorker(folder.toStdString()))));
        QVERIFY(findWorker("/nonexistent").empty());
    }

    void worker_is_retired_after_its_share()
    {
        WorkerPool pool(kWorker, {1, 1, std::chrono::milliseconds(2000)});
        layoutGraph(test::residualNetwork(3), with(pool));
        layoutGraph(test::recurrentNetwork(3), with(pool));
        QCOMPARE(pool.statistics().started, std::size_t{2});
        QCOMPARE(pool.statistics().failed, std::size_t{0});
    }

    void negative_missing_worker_falls_back()
    {
        WorkerPool pool("/nonexistent/crease-layout-worker");
        const LayoutPtr layout = layoutGraph(test::residualNetwork(5), with(pool));
        QCOMPARE(pool.statistics().laidOut, std::size_t{0});
        QVERIFY(layout->centres == layoutGraph(test::residualNetwork(5))->centres);
    }

    void negative_crashing_worker_falls_back()
    {
        QTemporaryDir folder;
        WorkerPool pool(script(folder, "#!/bin/sh\nhead -c 20 >/dev/null\nkill -SEGV $$\n").toStdString());
        const LayoutPtr layout = layoutGraph(test::residualNetwork(5), with(pool));
        QCOMPARE(pool.statistics().laidOut, std::size_t{0});
        QVERIFY(pool.statistics().failed > 0);
        QVERIFY(layout->centres == layoutGraph(test::residualNetwork(5))->centres);
    }

    void negative_hanging_worker_is_killed()
    {
        QTemporaryDir folder;
        WorkerPool pool(script(folder, "#!/bin/sh\nexec sleep 100\n").toStdString(),
                        {1, 1000, std::chrono::milliseconds(50)});
        QElapsedTimer timer;
        timer.start();
        const LayoutPtr layout = layoutGraph(test::recurrentNetwork(3), with(pool));
        QVERIFY2(timer.elapsed() < 5000, qPrintable(QString::number(timer.elapsed())));
        QVERIFY(pool.statistics().failed > 0);
        QVERIFY(layout->centres == layoutGraph(test::recurrentNetwork(3))->centres);
    }

    void negative_babbling_worker_falls_back()
    {
        QTemporaryDir folder;
        WorkerPool pool(
            script(folder, "#!/bin/sh\nprintf '\\020\\000\\000\\000abcdefghabcdefgh'\nsleep 1\n").toStdString());
        const LayoutPtr layout = layoutGraph(test::residualNetwork(2), with(pool));
        QCOMPARE(pool.statistics().laidOut, std::size_t{0});
        QVERIFY(layout->centres == layoutGraph(test::residualNetwork(2))->centres);
    }
};

QTEST_GUILESS_MAIN(TestLayoutWorker)
#include "tst_layout_worker.moc"
