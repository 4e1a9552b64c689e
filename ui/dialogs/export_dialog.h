// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "ui/document/document.h"

#include <QComboBox>
#include <QDialog>
#include <QLabel>
#include <QLineEdit>

namespace crease {

/// Target and file, and what will be written, before the button. Nothing is lost on a failed export: the strip says
/// why.
class ExportDialog : public QDialog {
    Q_OBJECT

public:
    ExportDialog(Document& document, const QString& folder, QWidget* parent = nullptr);
    QString file() const { return m_file->text(); }
    QString previewText() const { return m_preview->text(); }

private:
    void refresh();
    void choose();
    void start();

    Document* m_document;
    QComboBox* m_target;
    QComboBox* m_io;
    QLineEdit* m_file;
    QLabel* m_preview;
    QPushButton* m_export;
};

/// Samples from a file or folder, or random ones.
class SamplesDialog : public QDialog {
    Q_OBJECT

public:
    explicit SamplesDialog(Document& document, QWidget* parent = nullptr);
};

/// Every action with its key, made from the actions themselves.
class HelpSheet : public QDialog {
    Q_OBJECT

public:
    HelpSheet(const QList<QAction*>& actions, QWidget* parent = nullptr);
};

} // namespace crease
