// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/passes/recipe.h"

#include <QUndoCommand>

namespace crease {

class Document;

/// Swaps the document's recipe with the one it holds; an edit that ends where it began is obsolete.
class ChangeRecipe : public QUndoCommand {
public:
    ChangeRecipe(Document& document, const QString& text, Recipe recipe);

    void undo() override { swap(); }
    void redo() override { swap(); }

private:
    void swap();

    Document* m_document;
    Recipe m_other;
};

} // namespace crease
