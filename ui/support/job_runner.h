// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/support/job.h"

#include <QFutureWatcher>
#include <QObject>

#include <functional>

namespace crease {

/// Runs core functions off the GUI thread; the newest job wins. Inputs are copied into the work; what it finds comes
/// back as deliveries, functions that run on the GUI thread, in order, and only while no newer job was started and the
/// runner lives.
class JobRunner : public QObject {
    Q_OBJECT

public:
    using Delivery = std::function<void()>;
    using Deliver = std::function<void(Delivery)>;
    using Work = std::function<void(const Job& job, const Deliver& deliver)>;

    explicit JobRunner(QObject* parent = nullptr);
    ~JobRunner() override;

    /// Cancels and outdates the job before.
    void start(const QString& what, Work work);
    void cancel();  // the work still delivers what it says on cancellation
    void abandon(); // cancels, and nothing more of it is delivered
    bool isRunning() const { return m_running; }
    QString what() const { return m_what; }

signals:
    void started();
    void progressed(double fraction, const QString& what);
    void finished();

private:
    void drop();

    QFutureWatcher<Delivery> m_watcher;
    std::stop_source m_stop;
    QString m_what;
    int m_generation = 0;
    bool m_running = false;
};

} // namespace crease
