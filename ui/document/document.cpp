// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/document/document.h"

#include "core/export/text_report.h"
#include "core/samples/samples.h"
#include "core/support/text.h"
#include "ui/document/change_recipe.h"

#include <QDateTime>
#include <QFileInfo>
#include <QRegularExpression>
#include <QSaveFile>

#include <algorithm>
#include <cmath>

namespace crease {

namespace {

QString quotedForShell(const QString& text)
{
    static const QRegularExpression plain("^[A-Za-z0-9_./:=@%+,-]+$");
    if (plain.match(text).hasMatch()) {
        return text;
    }
    QString quoted = text;
    quoted.replace("'", "'\\''");
    return "'" + quoted + "'";
}

/// Whether two recipes give the same graphs: the borders of the written file and what must be integer do not touch
/// them.
bool sameFold(Recipe a, const Recipe& b)
{
    a.io = b.io;
    a.requireInteger = b.requireInteger;
    return a == b;
}

/// The stage of another trace that the same pass made; the same number where that pass is gone.
std::size_t stageOfSamePass(const Trace* before, std::size_t stage, const Trace& now)
{
    if (before != nullptr && stage >= 1 && stage <= before->stages.size()) {
        const auto found = std::ranges::find(now.stages, before->stages[stage - 1].pass, &Stage::pass);
        if (found != now.stages.end()) {
            return static_cast<std::size_t>(found - now.stages.begin()) + 1;
        }
    }
    return std::min(stage, now.stages.size());
}

/// Fewer bytes than this many are made up in memory.
constexpr double mostRandomBytes = 1e9;

} // namespace

Document::Document(QObject* parent) : QObject(parent)
{
    for (JobRunner* runner : {&m_fold, &m_read}) {
        connect(runner, &JobRunner::finished, this, [this] {
            if (std::exchange(m_verifyPending, false)) {
                verify();
            }
        });
    }
    auto target = findTarget(m_recipe.target);
    if (target) {
        m_target = std::move(*target);
    }
}

Certificate Document::stageCertificate(std::size_t stage) const
{
    return stage >= 1 && stage <= m_stageCertificates.size() ? m_stageCertificates[stage - 1] : Certificate{};
}

std::size_t Document::stageCount() const
{
    return m_trace == nullptr ? 0 : m_trace->stages.size();
}

void Document::open(const QString& file)
{
    const QString path = QFileInfo(file).absoluteFilePath();
    logLine(tr("Opening %1").arg(path));
    // A recipe names sites and nodes of its model: another model starts with a new one for the same target.
    const bool isOther = isOpen() && path != m_file;
    const Recipe before = m_recipe;
    Recipe recipe = m_recipe;
    if (isOther) {
        recipe = {};
        recipe.target = m_recipe.target;
    }
    m_opening = true;
    m_fold.start(
        tr("Opening %1").arg(QFileInfo(path).fileName()),
        [this, path, recipe, before, isOther, target = m_target](const Job& job, const JobRunner::Deliver& deliver) {
            auto model = importModel(path.toStdString(), {}, job);
            if (!model) {
                deliver([this, path, error = std::move(model).error()] {
                    m_opening = false;
                    fail(tr("%1 could not be opened").arg(QFileInfo(path).fileName()), error);
                });
                return;
            }
            auto shared = std::make_shared<const ImportedModel>(std::move(*model));
            auto opened = std::make_shared<Trace>();
            opened->original = shared->graph;
            deliver([this, path, shared, opened, recipe, before, isOther] {
                m_opening = false;
                m_verify.abandon();
                m_read.abandon(); // samples of the model before
                m_model = shared;
                m_file = path;
                m_trace = opened;
                m_report = {};
                m_verification.reset();
                m_stageCertificates.clear();
                m_samples.reset();
                m_notes.clear();
                m_stage = 0;
                m_whole = false;
                m_stageChosen = false;
                ++m_epoch;
                if (isOther && m_recipe == before) {
                    m_recipe = recipe;
                    m_recipeFile.clear();
                    m_undo.clear();
                }
                emit changed(Change::Model);
                emit changed(Change::Trace);
            });
            if (!target) {
                return;
            }
            auto trace = runPipeline(shared->graph, recipe, *target, job);
            if (!trace) {
                deliver([this, error = std::move(trace).error()] { fail(tr("Folding stopped"), error); });
                return;
            }
            auto report = makeReport(*trace);
            deliver(
                [this, recipe, whole = std::make_shared<const Trace>(std::move(*trace)), report = std::move(report)] {
                    logLine(tr("Folded: %1 of %2 quantized linear ops are integer")
                                .arg(report.integerLinearOps)
                                .arg(report.quantizedLinearOps));
                    showTrace(whole, report, recipe);
                });
        });
}

/// Takes up what a run found.
void Document::showTrace(const std::shared_ptr<const Trace>& trace, FoldReport report, const Recipe& recipe)
{
    const auto before = std::exchange(m_trace, trace);
    m_report = std::move(report);
    m_foldedRecipe = recipe;
    ++m_epoch;
    m_stage = m_whole                          ? stageCount()
              : !m_stageChosen && m_stage == 0 ? std::min<std::size_t>(1, stageCount())
                                               : stageOfSamePass(before.get(), m_stage, *trace);
    m_whole = m_whole && m_stage > 0;
    emit changed(Change::Trace);
    emit changed(Change::Stage);
    if (isStale()) {
        run(firstAffected(m_recipe)); // the recipe was edited while the model was being opened
    }
}

void Document::reload()
{
    if (isOpen()) {
        open(m_file);
    }
}

void Document::close()
{
    m_verifyPending = false;
    m_opening = false;
    for (JobRunner* runner : jobs()) {
        runner->abandon();
    }
    Recipe fresh;
    fresh.target = m_recipe.target;
    m_recipe = fresh;
    m_recipeFile.clear();
    m_notes.clear();
    m_model.reset();
    m_trace.reset();
    m_file.clear();
    m_report = {};
    m_verification.reset();
    m_stageCertificates.clear();
    m_samples.reset();
    m_stage = 0;
    m_whole = false;
    ++m_epoch;
    m_undo.clear();
    emit changed(Change::Model);
    emit changed(Change::Trace);
}

void Document::setStage(std::size_t stage)
{
    stage = std::min(stage, stageCount());
    m_stageChosen = true;
    if (stage != m_stage || m_whole) {
        m_stage = stage;
        m_whole = false;
        emit changed(Change::Stage);
    }
}

void Document::showWhole()
{
    m_stageChosen = true;
    if (!m_whole && stageCount() > 0) {
        m_stage = stageCount();
        m_whole = true;
        emit changed(Change::Stage);
    }
}

void Document::stepBack()
{
    setStage(m_whole ? m_stage : m_stage - std::min<std::size_t>(m_stage, 1));
}

void Document::stepForward()
{
    if (m_stage < stageCount()) {
        setStage(m_stage + 1);
    } else {
        showWhole();
    }
}

void Document::run(std::size_t from)
{
    if (!isOpen() || !m_target || m_opening) {
        return;
    }
    m_verify.cancel();
    const auto before = m_trace;
    const auto model = m_model;
    m_fold.start(tr("Folding"), [this, before, model, from, recipe = m_recipe,
                                 target = *m_target](const Job& job, const JobRunner::Deliver& deliver) {
        auto trace = from == 0 ? runPipeline(model->graph, recipe, target, job)
                               : rerunPipeline(*before, from, recipe, target, job);
        if (!trace) {
            deliver([this, error = std::move(trace).error()] { fail(tr("Folding stopped"), error); });
            return;
        }
        auto report = makeReport(*trace);
        deliver(
            [this, recipe, whole = std::make_shared<const Trace>(std::move(*trace)), report = std::move(report), from] {
                m_verification.reset();
                m_stageCertificates.resize(std::min(from, m_stageCertificates.size()));
                emit changed(Change::Verification);
                showTrace(whole, report, recipe);
            });
    });
}

void Document::refold()
{
    if (!m_fold.isRunning() && (stageCount() == 0 || isStale())) {
        run(firstAffected(m_recipe));
    }
}

bool Document::isStale() const
{
    return stageCount() > 0 && !sameFold(m_recipe, m_foldedRecipe);
}

bool Document::isBusy() const
{
    return m_fold.isRunning() || m_verify.isRunning() || m_export.isRunning() || m_read.isRunning();
}

QStringList Document::orderWarnings() const
{
    QStringList warnings;
    for (std::size_t stage = 0; stage < stageCount(); ++stage) {
        for (const Diagnostic& finding : m_trace->stages[stage].diagnostics) {
            if (finding.id == "pass-order") {
                warnings << QString::fromStdString(printable(finding.text));
            }
        }
    }
    return warnings;
}

void Document::verify()
{
    m_verifyPending = m_fold.isRunning() || m_read.isRunning();
    if (m_verifyPending || stageCount() == 0) {
        return;
    }
    m_stageCertificates.clear();
    m_verification.reset();
    emit changed(Change::Verification);
    const quint64 epoch = m_epoch;
    m_verify.start(tr("Verifying"), [this, epoch, trace = m_trace,
                                     given = m_samples](const Job& job, const JobRunner::Deliver& deliver) {
        std::shared_ptr<const SampleSet> samples = given;
        Diagnostics notes;
        if (samples == nullptr) {
            SampleOptions options;
            options.notes = &notes;
            auto random = randomSamples(trace->original, 4, 1, options);
            if (!random) {
                deliver([this, error = std::move(random).error()] { fail(tr("No samples could be made"), error); });
                return;
            }
            samples = std::make_shared<const SampleSet>(std::move(*random));
        }
        deliver([this, notes] {
            m_notes = notes;
            emit changed(Change::Messages);
        });
        const auto onStage = [&](std::size_t stage, const Certificate& certificate) {
            deliver([this, epoch, stage, certificate] {
                if (epoch == m_epoch) {
                    if (m_stageCertificates.size() <= stage) {
                        m_stageCertificates.resize(stage + 1);
                    }
                    m_stageCertificates[stage] = certificate;
                    emit changed(Change::Verification);
                }
            });
        };
        auto verification = verifyTrace(*trace, *samples, {}, job, onStage);
        if (!verification) {
            deliver([this, error = std::move(verification).error()] { fail(tr("Verifying stopped"), error); });
            return;
        }
        deliver([this, epoch, samples, whole = std::make_shared<const Verification>(std::move(*verification))] {
            if (epoch == m_epoch) {
                m_verification = whole;
                m_stageCertificates = whole->stages;
                logLine(
                    tr("Verified with %1: %2")
                        .arg(QString::fromStdString(samples->source), QString::fromStdString(sentence(whole->whole))));
                emit changed(Change::Verification);
            }
        });
    });
}

void Document::readSamples(const QString& path)
{
    if (!isOpen()) {
        fail(tr("Samples could not be read"),
             {ErrorKind::Usage, "no-model", "samples are read for an open model: open it first", path.toStdString()});
        return;
    }
    m_read.start(tr("Reading samples"), [this, path, model = m_model](const Job& job,
                                                                      const JobRunner::Deliver& deliver) {
        Diagnostics notes;
        SampleOptions options;
        options.notes = &notes;
        auto samples = crease::readSamples(path.toStdString(), model->graph, options, job);
        if (!samples) {
            deliver([this, path, error = std::move(samples).error()] {
                fail(tr("Samples could not be read from %1").arg(QFileInfo(path).fileName()), error);
            });
            return;
        }
        deliver([this, notes, shared = std::make_shared<const SampleSet>(std::move(*samples))] {
            logLine(tr("%1 samples from %2").arg(shared->samples.size()).arg(QString::fromStdString(shared->source)));
            takeSamples(shared, notes);
        });
    });
}

void Document::useRandomSamples(int count, quint64 seed)
{
    if (!isOpen()) {
        return;
    }
    m_read.start(tr("Making samples"), [this, count = static_cast<std::size_t>(std::max(count, 1)), seed,
                                        model = m_model](const Job&, const JobRunner::Deliver& deliver) {
        Diagnostics notes;
        SampleOptions options;
        options.notes = &notes;
        auto samples = randomSamples(model->graph, 1, seed, options);
        double bytes = 0;
        if (samples) {
            for (const Tensor& tensor : samples->samples.front()) {
                bytes += static_cast<double>(tensor.size()) * bitWidth(tensor.type()) / 8;
            }
        }
        if (samples && bytes * static_cast<double>(count) > mostRandomBytes) {
            samples = std::unexpected(Error{ErrorKind::Usage,
                                            "too-many-samples",
                                            QString("%1 samples of %2 bytes are more than a gigabyte; at most %3 fit")
                                                .arg(count)
                                                .arg(bytes, 0, 'f', 0)
                                                .arg(std::max(1.0, std::floor(mostRandomBytes / bytes)), 0, 'f', 0)
                                                .toStdString(),
                                            {}});
        } else if (samples && count > 1) {
            notes.clear();
            samples = randomSamples(model->graph, count, seed, options);
        }
        if (!samples) {
            deliver([this, error = std::move(samples).error()] { fail(tr("No samples could be made"), error); });
            return;
        }
        deliver([this, notes, shared = std::make_shared<const SampleSet>(std::move(*samples))] {
            logLine(tr("%1 samples, %2").arg(shared->samples.size()).arg(QString::fromStdString(shared->source)));
            takeSamples(shared, notes);
        });
    });
}

void Document::takeSamples(const std::shared_ptr<const SampleSet>& samples, const Diagnostics& notes)
{
    m_samples = samples;
    m_notes = notes;
    emit changed(Change::Samples);
    emit changed(Change::Messages);
}

bool Document::isSource(const QString& file) const
{
    const QString source = QFileInfo(m_file).canonicalFilePath();
    return !source.isEmpty() && QFileInfo(file).canonicalFilePath() == source;
}

void Document::exportTo(const QString& file, bool force)
{
    if (stageCount() == 0 || !m_target) {
        return;
    }
    if (m_fold.isRunning() || isStale()) {
        fail(tr("%1 was not written").arg(QFileInfo(file).fileName()),
             {ErrorKind::Usage, "not-folded", "the graphs are not yet those of the recipe: run the passes first",
              file.toStdString()});
        return;
    }
    if (isSource(file)) {
        fail(tr("%1 was not written").arg(QFileInfo(file).fileName()),
             {ErrorKind::Usage, "export-over-source", "this is the model that is open: choose another name",
              file.toStdString()});
        return;
    }
    ExportOptions options;
    options.force = force;
    options.sourceSha256 = m_model->sha256;
    options.integerIo = m_recipe.io;
    m_export.start(tr("Exporting"), [this, file, options, trace = m_trace, recipe = m_recipe,
                                     target = *m_target](const Job& job, const JobRunner::Deliver& deliver) {
        auto result = exportTrace(*trace, recipe, target, file.toStdString(), options, job);
        if (!result) {
            deliver([this, file, error = std::move(result).error()] {
                fail(tr("%1 was not written").arg(QFileInfo(file).fileName()), error);
            });
            return;
        }
        deliver([this, written = std::move(*result)] {
            logLine(tr("Exported %1, %2")
                        .arg(QString::fromStdString(written.file), QString::fromStdString(byteSize(written.bytes))));
            emit exported(written);
        });
    });
}

void Document::cancelJobs()
{
    m_verifyPending = false;
    for (JobRunner* runner : jobs()) {
        runner->cancel();
    }
}

void Document::edit(const QString& text, Recipe recipe)
{
    if (!(recipe == m_recipe)) {
        m_undo.push(new ChangeRecipe(*this, text, std::move(recipe)));
    }
}

void Document::applyRecipe(const Recipe& recipe)
{
    const std::size_t from = firstAffected(recipe);
    const bool otherTarget = recipe.target != m_recipe.target;
    m_recipe = recipe;
    if (otherTarget) {
        auto target = findTarget(recipe.target);
        if (!target) {
            fail(tr("The target cannot be used"), target.error());
            return;
        }
        m_target = std::move(*target);
    }
    emit changed(Change::Recipe);
    if (stageCount() == 0 || isStale() || m_fold.isRunning()) {
        run(from);
    }
}

/// The first stage of the trace that another recipe can touch: that of a switched site, or all where anything else
/// differs.
std::size_t Document::firstAffected(const Recipe& next) const
{
    const Recipe& made = m_foldedRecipe; // not m_recipe: a run in between may have been cancelled or outdated
    Recipe sameSites = next;
    sameSites.sitesOff = made.sitesOff;
    if (stageCount() == 0 || !sameFold(sameSites, made)) {
        return 0;
    }
    std::set<std::string> touched;
    std::ranges::set_symmetric_difference(next.sitesOff, made.sitesOff, std::inserter(touched, touched.end()));
    if (touched.empty()) {
        return stageCount();
    }
    for (std::size_t i = 0; i < m_trace->stages.size(); ++i) {
        const auto& rewrites = m_trace->stages[i].rewrites;
        if (std::ranges::any_of(rewrites, [&](const Rewrite& rewrite) { return touched.contains(rewrite.site); })) {
            return i;
        }
    }
    return 0;
}

void Document::setTarget(const QString& name)
{
    Recipe next = m_recipe;
    next.target = name.toStdString();
    edit(tr("Target %1").arg(name), std::move(next));
}

void Document::setPassOn(const QString& pass, bool on)
{
    Recipe next = m_recipe;
    if (on) {
        next.passesOff.erase(pass.toStdString());
    } else {
        next.passesOff.insert(pass.toStdString());
    }
    edit(on ? tr("Switch on %1").arg(pass) : tr("Switch off %1").arg(pass), std::move(next));
}

void Document::setSiteOn(const QString& site, bool on)
{
    Recipe next = m_recipe;
    if (on) {
        next.sitesOff.erase(site.toStdString());
    } else {
        next.sitesOff.insert(site.toStdString());
    }
    edit(on ? tr("Switch on %1").arg(site) : tr("Switch off %1").arg(site), std::move(next));
}

void Document::setKeepFloat(const QString& node, bool keep)
{
    Recipe next = m_recipe;
    if (keep) {
        next.keepFloat.insert(node.toStdString());
    } else {
        next.keepFloat.erase(node.toStdString());
    }
    edit(keep ? tr("Keep %1 in float").arg(node) : tr("Fold %1 again").arg(node), std::move(next));
}

void Document::setIo(const QString& io)
{
    Recipe next = m_recipe;
    next.io = io.toStdString();
    edit(tr("%1 borders").arg(io), std::move(next));
}

QStringList Document::passOrder() const
{
    QStringList order;
    if (m_recipe.passes.empty()) {
        for (const PassInfo& pass : passCatalogue()) {
            order << QString::fromUtf8(pass.id.data(), static_cast<qsizetype>(pass.id.size()));
        }
    } else {
        for (const std::string& pass : m_recipe.passes) {
            order << QString::fromStdString(pass);
        }
    }
    return order;
}

void Document::movePass(const QString& pass, int place)
{
    QStringList order = passOrder();
    const auto from = order.indexOf(pass);
    if (from < 0) {
        return;
    }
    order.move(from, std::clamp<qsizetype>(place, 0, order.size() - 1));
    Recipe next = m_recipe;
    next.passes.clear();
    for (const QString& name : order) {
        next.passes.push_back(name.toStdString());
    }
    if (std::ranges::equal(next.passes, passCatalogue(), {}, {}, &PassInfo::id)) {
        next.passes.clear(); // back where it began
    }
    edit(tr("Move %1").arg(pass), std::move(next));
}

void Document::openRecipe(const QString& file)
{
    QFile source(file);
    if (!source.open(QIODevice::ReadOnly)) {
        fail(tr("The recipe could not be opened"),
             {ErrorKind::Input, "unreadable-recipe", source.errorString().toStdString(), file.toStdString()});
        return;
    }
    auto recipe = recipeFromJson(source.readAll().toStdString());
    if (!recipe) {
        recipe.error().file = file.toStdString();
        fail(tr("The recipe could not be opened"), recipe.error());
        return;
    }
    std::vector<std::string> passes = recipe->passes;
    passes.insert(passes.end(), recipe->passesOff.begin(), recipe->passesOff.end());
    const auto unknown =
        std::ranges::find_if(passes, [](const std::string& pass) { return findPass(pass) == nullptr; });
    const auto target = findTarget(recipe->target);
    if (unknown != passes.end() || !target) {
        std::vector<std::string> known;
        for (const PassInfo& pass : passCatalogue()) {
            known.emplace_back(pass.id);
        }
        Error error = target ? Error{ErrorKind::Usage, "unknown-pass",
                                     "there is no pass '" + *unknown + "'" + suggestion(*unknown, known)}
                             : target.error();
        error.file = file.toStdString();
        fail(tr("The recipe could not be opened"), error);
        return;
    }
    m_recipeFile = file;
    edit(tr("Recipe %1").arg(QFileInfo(file).fileName()), std::move(*recipe));
    m_undo.setClean();
}

void Document::saveRecipe(const QString& file)
{
    QSaveFile target(file);
    const QByteArray text = QByteArray::fromStdString(recipeToJson(m_recipe));
    if (!target.open(QIODevice::WriteOnly) || target.write(text) != text.size() || !target.commit()) {
        fail(tr("The recipe was not saved"),
             {ErrorKind::Output, "cannot-write", target.errorString().toStdString(), file.toStdString()});
        return;
    }
    m_recipeFile = file;
    m_undo.setClean();
    logLine(tr("Recipe saved to %1").arg(file));
}

QString Document::commandLine() const
{
    QStringList words{"crease-cli",
                      "fold",
                      quotedForShell(m_file),
                      "-o",
                      quotedForShell(QFileInfo(m_file).completeBaseName() + ".int8.onnx"),
                      "--target",
                      QString::fromStdString(m_recipe.target)};
    for (const std::string& pass : m_recipe.passesOff) {
        words << "--without-pass" << quotedForShell(QString::fromStdString(pass));
    }
    for (const std::string& site : m_recipe.sitesOff) {
        words << "--without-site" << quotedForShell(QString::fromStdString(site));
    }
    for (const std::string& node : m_recipe.keepFloat) {
        words << "--keep-float" << quotedForShell(QString::fromStdString(node));
    }
    if (m_recipe.allowApproximate) {
        words << "--allow-approximate";
    }
    if (m_recipe.requireInteger) {
        words << "--require-integer";
    }
    if (m_recipe.io != "float") {
        words << "--io" << QString::fromStdString(m_recipe.io);
    }
    if (!m_recipe.passes.empty()) {
        words << "--recipe" << (m_recipeFile.isEmpty() ? "RECIPE.json" : quotedForShell(m_recipeFile));
    }
    if (m_samples != nullptr && QFileInfo::exists(QString::fromStdString(m_samples->source))) {
        words << "--samples" << quotedForShell(QString::fromStdString(m_samples->source));
    }
    return words.join(' ');
}

void Document::fail(const QString& what, Error error)
{
    if (error.kind == ErrorKind::Cancelled) {
        logLine(tr("Cancelled"));
        return;
    }
    logLine(what + ": " + QString::fromStdString(printable(describe(error))));
    emit failed({what, std::move(error)});
}

void Document::logLine(const QString& line)
{
    m_log << QDateTime::currentDateTime().toString("HH:mm:ss  ") + line;
    emit changed(Change::Messages);
}

} // namespace crease
