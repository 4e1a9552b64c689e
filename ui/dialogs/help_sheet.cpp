// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/dialogs/export_dialog.h"
#include "ui/support/theme.h"

#include <QAction>
#include <QDialogButtonBox>
#include <QGridLayout>
#include <QScrollArea>
#include <QVBoxLayout>

namespace crease {

HelpSheet::HelpSheet(const QList<QAction*>& actions, QWidget* parent) : QDialog(parent)
{
    setWindowTitle(tr("Keys"));
    auto* body = new QWidget(this);
    auto* grid = new QGridLayout(body);
    grid->setHorizontalSpacing(16);
    grid->setVerticalSpacing(4);
    int row = 0;
    const auto add = [&](const QString& key, const QString& what) {
        auto* keyLabel = new QLabel(key, body);
        keyLabel->setFont(monoFont(12));
        auto* words = new QLabel(what, body);
        words->setFont(uiFont(12.5));
        grid->addWidget(keyLabel, row, 0);
        grid->addWidget(words, row, 1);
        ++row;
    };
    for (const QAction* action : actions) {
        if (!action->shortcut().isEmpty()) {
            QStringList keys;
            for (const QKeySequence& sequence : action->shortcuts()) {
                keys << sequence.toString(QKeySequence::NativeText);
            }
            QString text = action->text();
            text.remove('&').remove("…");
            add(keys.join(", "), text.trimmed());
        }
    }
    add(tr("Arrows"), tr("Walk the graph along its edges; in the list of passes: step"));
    add(tr("Home, End"), tr("In the list of passes: original, final"));
    add(tr("Alt+Up, Alt+Down"), tr("In the list of passes: move the pass; dragging it with the mouse does the same"));
    add(tr("Space"), tr("In the list of passes: switch the pass off or on"));
    add(tr("Enter"), tr("In the search box: next match of the regular expression"));
    add(tr("Esc"), tr("On the canvas: select nothing; while a pass is dragged: leave it where it is"));
    add(tr("Click, hover"), tr("Select a node; light its counterparts in the other pane"));
    add(tr("Drag"), tr("Move the canvas"));
    add(tr("Wheel, Shift+wheel, Ctrl+wheel"), tr("Scroll, scroll sideways, zoom"));
    add(tr("Drop"), tr("A model, a recipe (.json), or samples (.npz, .npy, .pb, a folder): opened"));
    grid->setRowStretch(row, 1);
    auto* scroll = new QScrollArea(this);
    scroll->setWidget(body);
    scroll->setWidgetResizable(true);
    scroll->setFrameShape(QFrame::NoFrame);
    auto* buttons = new QDialogButtonBox(QDialogButtonBox::Close, this);
    connect(buttons, &QDialogButtonBox::rejected, this, &QDialog::reject);
    auto* layout = new QVBoxLayout(this);
    layout->addWidget(scroll);
    layout->addWidget(buttons);
    resize(520, 620);
}

} // namespace crease
