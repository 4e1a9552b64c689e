// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/rewrite/trace.h"

#include <QObject>

#include <cstddef>

namespace crease {

/// What is selected and hovered, for all views: a node of the graph of one stage.
class Selection : public QObject {
    Q_OBJECT

public:
    using QObject::QObject;

    std::size_t stage() const { return m_stage; }
    NodeId node() const { return m_node; }
    QString site() const { return m_site; }
    NodeId hovered() const { return m_hovered; }
    std::size_t hoveredStage() const { return m_hoveredStage; }

    void select(std::size_t stage, NodeId node);
    void clear() { select(0, {}); }
    /// Shows the node in the middle of its pane as well.
    void reveal(std::size_t stage, NodeId node);
    void setSite(const QString& site);
    void hover(std::size_t stage, NodeId node);
    /// Keeps to the same node when the graphs are made anew: by its op and name, or that of its first output. Clears
    /// where it is gone. A null `before`, or a null `now`, clears.
    void follow(const Trace* before, const Trace* now);
    /// Goes to what the node became, or came from, at another stage of the same trace. Clears where it has nothing.
    void followTo(const Trace& trace, std::size_t stage);

signals:
    void changed();
    void siteChanged();
    void hoverChanged();
    void revealRequested(std::size_t stage, crease::NodeId node);

private:
    std::size_t m_stage = 0;
    NodeId m_node;
    QString m_site;
    std::size_t m_hoveredStage = 0;
    NodeId m_hovered;
};

} // namespace crease
