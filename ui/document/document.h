// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/export/exporter.h"
#include "core/onnx/importer.h"
#include "core/passes/pipeline.h"
#include "core/passes/report.h"
#include "core/verify/verify.h"
#include "ui/support/job_runner.h"

#include <QObject>
#include <QUndoStack>

#include <array>
#include <memory>
#include <optional>

namespace crease {

/// The open model, its recipe and what was found out about it. Lives on the GUI thread; work runs on copies in jobs.
class Document : public QObject {
    Q_OBJECT

public:
    /// What a view must look at again.
    enum class Change { Model, Trace, Stage, Recipe, Samples, Verification, Messages };
    Q_ENUM(Change)

    /// A failed action: what failed, and the error with file, node and value.
    struct Failure {
        QString what;
        Error error;
    };

    explicit Document(QObject* parent = nullptr);

    // What is there. A trace may be partial while a job runs.
    bool isOpen() const { return m_model != nullptr; }
    const ImportedModel& model() const { return *m_model; }
    QString fileName() const { return m_file; }
    const std::shared_ptr<const Trace>& trace() const { return m_trace; } // null until something was opened
    /// Counts up with every new run of the pipeline: caches key on (epoch, stage).
    quint64 epoch() const { return m_epoch; }
    const FoldReport& report() const { return m_report; }
    const Recipe& recipe() const { return m_recipe; }
    const std::optional<Target>& target() const { return m_target; }
    const std::shared_ptr<const SampleSet>& samples() const { return m_samples; } // null: four random ones
    const std::shared_ptr<const Verification>& verification() const { return m_verification; }
    Certificate stageCertificate(std::size_t stage) const; // of trace stage 1..n; not checked where nothing is known
    const Diagnostics& notes() const { return m_notes; }   // of samples and engines
    QStringList log() const { return m_log; }
    std::size_t stage() const { return m_stage; } // which graph is shown after; 0: the original
    std::size_t stageCount() const;               // stages of the trace
    /// The final graph stands beside the original one, not beside the stage before it.
    bool showsWhole() const { return m_whole; }
    QString recipeFile() const { return m_recipeFile; }
    /// The graphs shown are not those of the recipe: a run was cancelled or failed.
    bool isStale() const;
    /// What passes lose because one that they need comes later: one sentence each.
    QStringList orderWarnings() const;
    /// Whether a file is the open model itself, which an export never replaces.
    bool isSource(const QString& file) const;

    QUndoStack& undoStack() { return m_undo; }
    JobRunner& foldJob() { return m_fold; }
    JobRunner& verifyJob() { return m_verify; }
    JobRunner& exportJob() { return m_export; }
    JobRunner& samplesJob() { return m_read; }
    std::array<JobRunner*, 4> jobs() { return {&m_fold, &m_verify, &m_export, &m_read}; }
    bool isBusy() const;

    // Actions.
    void open(const QString& file);
    void reload();
    void close();
    void setStage(std::size_t stage);
    void showWhole();   // the original and the final graph
    void stepBack();    // ... from the whole fold to the last pass
    void stepForward(); // ... from the last pass to the whole fold
    void refold();      // where the graphs are stale
    void verify();      // after a fold or reading of samples that still runs
    void readSamples(const QString& path);
    void useRandomSamples(int count, quint64 seed);
    void exportTo(const QString& file, bool force);
    void cancelJobs();

    // Edits of the recipe: each can be undone.
    void setTarget(const QString& name);
    void setPassOn(const QString& pass, bool on);
    void setSiteOn(const QString& site, bool on);
    void movePass(const QString& pass, int place);
    void setKeepFloat(const QString& node, bool keep);
    void setIo(const QString& io); // float, integer
    void openRecipe(const QString& file);
    void saveRecipe(const QString& file);
    QString commandLine() const;   // crease-cli fold ... that does the same
    QStringList passOrder() const; // all passes of the recipe in order, also those that are off

signals:
    void changed(crease::Document::Change what);
    void failed(const crease::Document::Failure& failure);
    void exported(const crease::ExportResult& result);

private:
    friend class ChangeRecipe;
    void applyRecipe(const Recipe& recipe); // by the undo command
    void edit(const QString& text, Recipe recipe);
    void run(std::size_t from);
    void showTrace(const std::shared_ptr<const Trace>& trace, FoldReport report, const Recipe& recipe);
    void takeSamples(const std::shared_ptr<const SampleSet>& samples, const Diagnostics& notes);
    void fail(const QString& what, Error error);
    void logLine(const QString& line);
    std::size_t firstAffected(const Recipe& next) const;

    std::shared_ptr<const ImportedModel> m_model;
    QString m_file;
    QString m_recipeFile;
    std::shared_ptr<const Trace> m_trace;
    FoldReport m_report;
    Recipe m_recipe;
    Recipe m_foldedRecipe; // that m_trace was made with
    std::optional<Target> m_target;
    std::shared_ptr<const SampleSet> m_samples;
    std::shared_ptr<const Verification> m_verification;
    std::vector<Certificate> m_stageCertificates;
    Diagnostics m_notes;
    QStringList m_log;
    std::size_t m_stage = 0;
    bool m_stageChosen = false;
    bool m_whole = false;
    bool m_opening = false;       // the fold job is importing: it will take up the recipe
    bool m_verifyPending = false; // until the fold or the samples are there
    quint64 m_epoch = 0;
    QUndoStack m_undo;
    JobRunner m_fold;
    JobRunner m_verify;
    JobRunner m_export;
    JobRunner m_read;
};

} // namespace crease
