// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/document/selection.h"

namespace crease {

void Selection::select(std::size_t stage, NodeId node)
{
    if (stage != m_stage || node != m_node) {
        m_stage = stage;
        m_node = node;
        emit changed();
    }
}

void Selection::reveal(std::size_t stage, NodeId node)
{
    select(stage, node);
    emit revealRequested(stage, node);
}

void Selection::setSite(const QString& site)
{
    if (site != m_site) {
        m_site = site;
        emit siteChanged();
    }
}

void Selection::hover(std::size_t stage, NodeId node)
{
    if (stage != m_hoveredStage || node != m_hovered) {
        m_hoveredStage = stage;
        m_hovered = node;
        emit hoverChanged();
    }
}

} // namespace crease
