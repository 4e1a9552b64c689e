// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/dialogs/export_dialog.h"

#include <QDialogButtonBox>
#include <QFileDialog>
#include <QFormLayout>
#include <QPushButton>
#include <QRadioButton>
#include <QSpinBox>
#include <QVBoxLayout>

namespace crease {

SamplesDialog::SamplesDialog(Document& document, QWidget* parent) : QDialog(parent)
{
    setWindowTitle(tr("Samples"));
    auto* fromFile = new QRadioButton(tr("From a file or folder"), this);
    auto* random = new QRadioButton(tr("Random"), this);
    random->setChecked(true);
    auto* file = new QLineEdit(this);
    file->setPlaceholderText(tr(".npz, .npy, .pb, or a folder with input_K.pb"));
    file->setMinimumWidth(360);
    auto* browse = new QPushButton(tr("Browse …"), this);
    browse->setAutoDefault(false);
    auto* count = new QSpinBox(this);
    count->setRange(1, 100000);
    count->setValue(4);
    auto* seed = new QSpinBox(this);
    seed->setRange(0, 1 << 30);
    seed->setValue(1);
    auto* fileRow = new QHBoxLayout;
    fileRow->addWidget(file, 1);
    fileRow->addWidget(browse);
    auto* form = new QFormLayout;
    form->setLabelAlignment(Qt::AlignRight);
    form->addRow(fromFile);
    form->addRow(tr("File"), fileRow);
    form->addRow(random);
    form->addRow(tr("Count"), count);
    form->addRow(tr("Seed"), seed);
    auto* buttons = new QDialogButtonBox(this);
    buttons->addButton(QDialogButtonBox::Cancel);
    auto* use = buttons->addButton(tr("Use these"), QDialogButtonBox::AcceptRole);
    use->setDefault(true);
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(16, 16, 16, 12);
    layout->setSpacing(16);
    layout->addLayout(form);
    layout->addWidget(buttons);
    const auto enable = [=] {
        file->setEnabled(fromFile->isChecked());
        browse->setEnabled(fromFile->isChecked());
        count->setEnabled(random->isChecked());
        seed->setEnabled(random->isChecked());
        use->setEnabled(random->isChecked() || !file->text().isEmpty());
    };
    connect(fromFile, &QRadioButton::toggled, this, enable);
    connect(file, &QLineEdit::textChanged, this, enable);
    connect(browse, &QPushButton::clicked, this, [this, file, fromFile] {
        const QString chosen =
            QFileDialog::getOpenFileName(this, tr("Samples"), {}, tr("Samples (*.npz *.npy *.pb);;All files (*)"));
        if (!chosen.isEmpty()) {
            fromFile->setChecked(true);
            file->setText(chosen);
        }
    });
    connect(buttons, &QDialogButtonBox::rejected, this, &QDialog::reject);
    connect(buttons, &QDialogButtonBox::accepted, this, [=, this, &document] {
        if (fromFile->isChecked()) {
            document.readSamples(file->text());
        } else {
            document.useRandomSamples(count->value(), static_cast<quint64>(seed->value()));
        }
        accept();
    });
    enable();
}

} // namespace crease
