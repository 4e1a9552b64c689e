// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/support/wait_for.h"
#include "ui/support/job_runner.h"

#include <QSignalSpy>
#include <QThread>

#include <atomic>

using namespace crease;

class TestJobRunner : public QObject {
    Q_OBJECT

private slots:
    void deliveriesArriveInOrderOnTheGuiThread();
    void newestJobWins();
    void cancelStopsTheWork();
    void no_deliveryAfterTheRunnerIsGone();
    void no_deliveryOfAnAbandonedJob();
    void progressIsTold();
};

void TestJobRunner::no_deliveryOfAnAbandonedJob()
{
    JobRunner runner;
    QSignalSpy finished(&runner, &JobRunner::finished);
    bool delivered = false;
    std::atomic<bool> done = false;
    runner.start("left", [&](const Job& job, const JobRunner::Deliver& deliver) {
        while (!job.cancelled()) {
            QThread::msleep(1);
        }
        deliver([&] { delivered = true; });
        done = true;
    });
    runner.abandon();
    QVERIFY(!runner.isRunning());
    QCOMPARE(finished.size(), 1);
    WAIT_FOR(done.load());
    QCoreApplication::processEvents();
    QVERIFY(!delivered);
    // The next job is delivered again.
    runner.start("next", [&](const Job&, const JobRunner::Deliver& deliver) { deliver([&] { delivered = true; }); });
    WAIT_FOR(!runner.isRunning());
    QVERIFY(delivered);
}

void TestJobRunner::deliveriesArriveInOrderOnTheGuiThread()
{
    JobRunner runner;
    std::vector<int> seen;
    runner.start("counting", [&](const Job&, const JobRunner::Deliver& deliver) {
        for (int i = 0; i < 5; ++i) {
            deliver([&seen, i] {
                QCOMPARE(QThread::currentThread(), QCoreApplication::instance()->thread());
                seen.push_back(i);
            });
        }
    });
    WAIT_FOR(!runner.isRunning());
    QCOMPARE(seen, (std::vector<int>{0, 1, 2, 3, 4}));
}

void TestJobRunner::newestJobWins()
{
    JobRunner runner;
    QString result;
    std::atomic<bool> firstDone = false;
    runner.start("first", [&](const Job& job, const JobRunner::Deliver& deliver) {
        while (!job.cancelled()) {
            QThread::msleep(1);
        }
        deliver([&] { result += "first"; });
        firstDone = true;
    });
    runner.start("second",
                 [&](const Job&, const JobRunner::Deliver& deliver) { deliver([&] { result += "second"; }); });
    WAIT_FOR(!runner.isRunning());
    WAIT_FOR(firstDone.load());
    QCoreApplication::processEvents();
    QCOMPARE(result, QString("second"));
}

void TestJobRunner::cancelStopsTheWork()
{
    JobRunner runner;
    bool stopped = false;
    runner.start("waiting", [&](const Job& job, const JobRunner::Deliver& deliver) {
        while (job.check()) {
            QThread::msleep(1);
        }
        deliver([&] { stopped = true; });
    });
    runner.cancel();
    WAIT_FOR(!runner.isRunning());
    QVERIFY(stopped);
}

void TestJobRunner::no_deliveryAfterTheRunnerIsGone()
{
    bool delivered = false;
    std::atomic<bool> done = false;
    {
        JobRunner runner;
        runner.start("late", [&](const Job& job, const JobRunner::Deliver& deliver) {
            while (!job.cancelled()) {
                QThread::msleep(1);
            }
            deliver([&] { delivered = true; });
            done = true;
        });
    }
    WAIT_FOR(done.load());
    QCoreApplication::processEvents();
    QVERIFY(!delivered);
}

void TestJobRunner::progressIsTold()
{
    JobRunner runner;
    QSignalSpy spy(&runner, &JobRunner::progressed);
    runner.start("half", [](const Job& job, const JobRunner::Deliver&) { job.report(0.5, "half way"); });
    WAIT_FOR(!runner.isRunning());
    QVERIFY(!spy.isEmpty());
    QCOMPARE(spy.last()[1].toString(), QString("half way"));
}

QTEST_GUILESS_MAIN(TestJobRunner)
#include "tst_job_runner.moc"
