// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/dialogs/export_dialog.h"

#include "core/export/text_report.h"
#include "ui/support/theme.h"

#include <QDialogButtonBox>
#include <QDir>
#include <QFileDialog>
#include <QFileInfo>
#include <QFormLayout>
#include <QPushButton>
#include <QVBoxLayout>

namespace crease {

ExportDialog::ExportDialog(Document& document, const QString& folder, QWidget* parent)
    : QDialog(parent), m_document(&document), m_target(new QComboBox(this)), m_io(new QComboBox(this)),
      m_file(new QLineEdit(this)), m_preview(new QLabel(this)), m_export(nullptr)
{
    setWindowTitle(tr("Export the folded model"));
    for (const Target& target : shippedTargets()) {
        m_target->addItem(QString::fromStdString(target.name));
        m_target->setItemData(m_target->count() - 1, QString::fromStdString(target.summary), Qt::ToolTipRole);
    }
    m_target->setCurrentText(QString::fromStdString(document.recipe().target));
    m_io->addItems({tr("float"), tr("integer")});
    m_io->setCurrentIndex(document.recipe().io == "integer" ? 1 : 0);
    m_io->setToolTip(tr("Whether inputs and outputs of the written model are float, as in the file, or integer codes"));
    const QFileInfo source(document.fileName());
    const QString base = folder.isEmpty() ? source.absolutePath() : folder;
    m_file->setText(QDir(base).filePath(source.completeBaseName() + ".int8.onnx"));
    m_file->setMinimumWidth(420);
    auto* browse = new QPushButton(tr("Browse …"), this);
    browse->setAutoDefault(false);
    auto* fileRow = new QHBoxLayout;
    fileRow->addWidget(m_file, 1);
    fileRow->addWidget(browse);
    auto* form = new QFormLayout;
    form->setLabelAlignment(Qt::AlignRight);
    form->addRow(tr("Target"), m_target);
    form->addRow(tr("Borders"), m_io);
    form->addRow(tr("File"), fileRow);
    m_preview->setWordWrap(true);
    m_preview->setFont(uiFont(12));
    m_preview->setTextInteractionFlags(Qt::TextSelectableByMouse);
    form->addRow(tr("What is written"), m_preview);
    auto* buttons = new QDialogButtonBox(this);
    buttons->addButton(QDialogButtonBox::Cancel);
    m_export = buttons->addButton(tr("Export"), QDialogButtonBox::AcceptRole);
    m_export->setDefault(true);
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(16, 16, 16, 12);
    layout->setSpacing(16);
    layout->addLayout(form);
    layout->addWidget(buttons);
    connect(buttons, &QDialogButtonBox::rejected, this, &QDialog::reject);
    connect(buttons, &QDialogButtonBox::accepted, this, &ExportDialog::start);
    connect(browse, &QPushButton::clicked, this, &ExportDialog::choose);
    connect(m_file, &QLineEdit::textChanged, this, &ExportDialog::refresh);
    connect(m_target, &QComboBox::textActivated, this, [this](const QString& name) { m_document->setTarget(name); });
    connect(m_io, &QComboBox::activated, this,
            [this](int index) { m_document->setIo(index == 1 ? "integer" : "float"); });
    connect(&document, &Document::changed, this, [this](Document::Change) { refresh(); });
    connect(&document.foldJob(), &JobRunner::finished, this, &ExportDialog::refresh);
    refresh();
}

void ExportDialog::refresh()
{
    const bool ready = m_document->stageCount() > 0 && !m_document->foldJob().isRunning() && !m_document->isStale();
    const bool isSource = m_document->isSource(m_file->text());
    m_export->setEnabled(ready && !m_file->text().isEmpty() && !isSource);
    if (!ready) {
        m_preview->setText(tr("Folding for this target …"));
        return;
    }
    const FoldReport& report = m_document->report();
    const auto& verification = m_document->verification();
    QStringList lines;
    lines << tr("%1 of %2 quantized linear ops are integer; %3 float island(s).")
                 .arg(report.integerLinearOps)
                 .arg(report.quantizedLinearOps)
                 .arg(report.islands.size());
    lines << tr("%1 nodes before, %2 after.")
                 .arg(m_document->trace()->original.nodeCount())
                 .arg(m_document->trace()->final().nodeCount());
    lines << tr("Certificate: %1.")
                 .arg(QString::fromStdString(sentence(verification != nullptr ? verification->whole : Certificate{})));
    const QFileInfo target(m_file->text());
    if (isSource) {
        lines << tr("This is the model that is open. Choose another name.");
    } else if (target.exists()) {
        lines << tr("The file exists and is replaced when the new one was read back and found right.");
    }
    m_preview->setText(lines.join('\n'));
}

void ExportDialog::choose()
{
    const QString file = QFileDialog::getSaveFileName(this, tr("Export to"), m_file->text(), tr("ONNX models (*.onnx)"),
                                                      nullptr, QFileDialog::DontConfirmOverwrite);
    if (!file.isEmpty()) {
        m_file->setText(file);
    }
}

void ExportDialog::start()
{
    m_document->exportTo(m_file->text(), true);
    accept();
}

} // namespace crease
