// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/support/job_runner.h"

#include <QThread>
#include <QtConcurrentRun>

#include <algorithm>

namespace crease {

namespace {

constexpr int progressSteps = 1000;

void runWork(QPromise<JobRunner::Delivery>& promise, const std::stop_token& stop, const JobRunner::Work& work)
{
    promise.setProgressRange(0, progressSteps);
    Job job;
    job.stop = stop;
    job.threads = std::max(1, QThread::idealThreadCount());
    job.progress = [&promise](double fraction, std::string_view what) {
        promise.setProgressValueAndText(static_cast<int>(std::clamp(fraction, 0.0, 1.0) * progressSteps),
                                        QString::fromUtf8(what.data(), static_cast<qsizetype>(what.size())));
    };
    work(job, [&promise](JobRunner::Delivery delivery) { promise.addResult(std::move(delivery)); });
}

} // namespace

JobRunner::JobRunner(QObject* parent) : QObject(parent)
{
    connect(&m_watcher, &QFutureWatcher<Delivery>::resultsReadyAt, this, [this](int begin, int end) {
        const QFuture<Delivery> future = m_watcher.future();
        const int generation = m_generation;
        for (int i = begin; i < end; ++i) {
            future.resultAt(i)();
            if (m_generation != generation) {
                return; // the delivery started another job
            }
        }
    });
    connect(&m_watcher, &QFutureWatcher<Delivery>::progressTextChanged, this, [this](const QString& text) {
        emit progressed(static_cast<double>(m_watcher.progressValue()) / progressSteps, text);
    });
    connect(&m_watcher, &QFutureWatcher<Delivery>::progressValueChanged, this, [this](int value) {
        emit progressed(static_cast<double>(value) / progressSteps, m_watcher.progressText());
    });
    connect(&m_watcher, &QFutureWatcher<Delivery>::finished, this, [this] {
        m_running = false;
        emit finished();
    });
}

JobRunner::~JobRunner()
{
    drop();
}

void JobRunner::start(const QString& what, Work work)
{
    drop();
    m_stop = std::stop_source();
    m_what = what;
    m_running = true;
    m_watcher.setFuture(QtConcurrent::run(runWork, m_stop.get_token(), std::move(work)));
    emit started();
}

void JobRunner::cancel()
{
    m_stop.request_stop();
}

void JobRunner::abandon()
{
    if (m_running) {
        drop();
        emit finished();
    }
}

void JobRunner::drop()
{
    m_stop.request_stop();
    ++m_generation;
    m_watcher.setFuture({});
    m_running = false;
}

} // namespace crease
