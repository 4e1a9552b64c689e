// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/document/change_recipe.h"

#include "ui/document/document.h"

namespace crease {

ChangeRecipe::ChangeRecipe(Document& document, const QString& text, Recipe recipe)
    : QUndoCommand(text), m_document(&document), m_other(std::move(recipe))
{
}

void ChangeRecipe::swap()
{
    Recipe now = std::move(m_other);
    m_other = m_document->recipe();
    m_document->applyRecipe(now);
}

} // namespace crease
