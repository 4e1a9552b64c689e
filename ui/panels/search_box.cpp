// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/panels/search_box.h"

#include "ui/support/icons.h"
#include "ui/support/words.h"

#include <QRegularExpression>

namespace crease {

namespace {

QString syntax()
{
    return QObject::tr(
        "A regular expression (Perl's), without regard to case, over a node's line: name, op, types, "
        "shapes and attributes.\nconv|gemm   s8\\[1x16   kernel_shape = \\[3   (\\[ is the bracket itself)\nEnter "
        "goes to the next match.");
}

} // namespace

SearchBox::SearchBox(const Theme& theme, QWidget* parent)
    : QLineEdit(parent), m_theme(&theme), m_icon(addAction(themedIcon("search", theme), QLineEdit::LeadingPosition))
{
    setPlaceholderText(tr("Find name, op, shape, dtype (Ctrl+F)"));
    setClearButtonEnabled(true);
    setFixedWidth(280);
    setAccessibleName(tr("Find"));
    connect(this, &QLineEdit::textChanged, this, &SearchBox::check);
    check();
}

void SearchBox::setTheme(const Theme& theme)
{
    m_theme = &theme;
    m_icon->setIcon(themedIcon("search", theme));
    updateLook();
}

void SearchBox::check()
{
    const QRegularExpression pattern(text());
    m_error = pattern.isValid()
                  ? QString()
                  : tr("Not a valid regular expression: %1 at character %2. Put \\ before a sign that means itself.")
                        .arg(pattern.errorString())
                        .arg(pattern.patternErrorOffset() + 1);
    setToolTip(m_error.isEmpty() ? syntax() : m_error);
    setAccessibleDescription(m_error);
    updateLook();
}

void SearchBox::updateLook()
{
    setStyleSheet(
        m_error.isEmpty()
            ? QString()
            : QString("QLineEdit { border: 2px solid %1; color: %1; }").arg((*m_theme)[Token::Failed].name()));
}

void SearchBox::showHits(int hits)
{
    setToolTip(tr("%1 match").arg(counted(hits, tr("node"), tr("nodes"))) + "\n" + syntax());
}

} // namespace crease
