// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/rewrite/driver.h"

#include "core/ir/verifier.h"
#include "core/rewrite/apply.h"

#include <chrono>
#include <fmt/format.h>
#include <map>
#include <queue>
#include <unordered_map>

namespace crease {

namespace {

std::string siteName(const Graph& graph, const Rule& rule, NodeId anchor)
{
    const Node& node = graph.node(anchor);
    const ValueId output = node.output();
    return fmt::format("{}@{}", rule.id, output.valid() ? graph.value(output).name : node.name);
}

/// Composes what single patches record into relations between the graph before the pass and the one after it.
class Provenance {
public:
    explicit Provenance(const Graph& before) : m_nodes(before.nodeCapacity()), m_values(before.valueCapacity()) {}

    std::vector<NodeId> roots(NodeId id) const
    {
        if (id.index < m_nodes) {
            return {id};
        }
        const auto found = m_nodeRoots.find(id);
        return found == m_nodeRoots.end() ? std::vector<NodeId>{}
                                          : std::vector<NodeId>(found->second.begin(), found->second.end());
    }

    void record(const std::vector<NodeId>& ancestors, const std::vector<NodeId>& added)
    {
        std::vector<NodeId> all;
        for (const NodeId ancestor : ancestors) {
            const std::vector<NodeId> from = roots(ancestor);
            all.insert(all.end(), from.begin(), from.end());
        }
        for (const NodeId id : added) {
            m_nodeRoots[id].insert(all.begin(), all.end());
        }
    }

    void record(const std::vector<ValueRelation>& relations)
    {
        for (const ValueRelation& relation : relations) {
            if (relation.before.index < m_values) {
                m_valueRoots[relation.after].push_back(relation);
                continue;
            }
            const auto found = m_valueRoots.find(relation.before);
            if (found == m_valueRoots.end()) {
                continue;
            }
            const std::vector<ValueRelation> earlier = found->second;
            for (const ValueRelation& root : earlier) {
                m_valueRoots[relation.after].push_back(composed(root, relation));
            }
        }
    }

    std::vector<NodeOrigin> origins(const Graph& after) const
    {
        std::vector<NodeOrigin> result;
        for (const auto& [id, from] : m_nodeRoots) {
            if (after.contains(id)) {
                for (const NodeId root : from) {
                    if (root != id) {
                        result.push_back({root, id});
                    }
                }
            }
        }
        return result;
    }

    std::vector<ValueRelation> relations(const Graph& after) const
    {
        std::vector<ValueRelation> result;
        for (const auto& [id, from] : m_valueRoots) {
            if (after.contains(id)) {
                result.insert(result.end(), from.begin(), from.end());
            }
        }
        return result;
    }

private:
    static ValueRelation composed(const ValueRelation& first, const ValueRelation& second)
    {
        ValueRelation both{first.before, second.after, Relation::SameReal, first.bound + second.bound};
        const auto either = [&](Relation kind) { return first.kind == kind || second.kind == kind; };
        if (either(Relation::Clamped)) {
            both.kind = Relation::Clamped;
        } else if (either(Relation::Within)) {
            both.kind = Relation::Within;
        } else if (either(Relation::Codes)) {
            both.kind = Relation::Codes;
        }
        return both;
    }

    std::size_t m_nodes;
    std::size_t m_values;
    std::map<NodeId, std::set<NodeId>> m_nodeRoots;
    std::map<ValueId, std::vector<ValueRelation>> m_valueRoots;
};

/// Nodes still to be looked at, in order of the graph; a node waits at most once.
class Worklist {
public:
    void push(std::uint32_t place, NodeId id)
    {
        if (m_waiting.size() <= id.index) {
            m_waiting.resize(id.index + 1, false);
        }
        if (!m_waiting[id.index]) {
            m_waiting[id.index] = true;
            m_queue.emplace(place, id);
        }
    }

    bool empty() const { return m_queue.empty(); }

    NodeId pop()
    {
        const NodeId id = m_queue.top().second;
        m_queue.pop();
        m_waiting[id.index] = false;
        return id;
    }

private:
    using Entry = std::pair<std::uint32_t, NodeId>;
    std::priority_queue<Entry, std::vector<Entry>, std::greater<>> m_queue;
    std::vector<bool> m_waiting;
};

} // namespace

Result<Stage> applyRules(const Graph& before, std::string_view pass, std::span<const Rule> rules,
                         const DriverOptions& options, const Job& job)
{
    const auto start = std::chrono::steady_clock::now();
    Stage stage;
    stage.pass = std::string(pass);
    stage.after = before;
    stage.nodesBefore = before.nodeCount();
    Graph& graph = stage.after;
    Provenance provenance(before);
    std::map<std::pair<NodeId, std::string_view>, MissedSite> missed;
    std::set<std::string> offSeen;
    std::vector<std::uint32_t> place(graph.nodeCapacity(), 0);
    Worklist work;
    for (std::uint32_t i = 0; i < graph.order().size(); ++i) {
        const NodeId id = graph.order()[i];
        if (graph.contains(id)) {
            place[id.index] = i;
            work.push(i, id);
        }
    }
    const std::size_t limit = (graph.nodeCapacity() + 64) * static_cast<std::size_t>(options.maxSweeps);
    std::size_t steps = 0;
    while (!work.empty()) {
        if ((steps++ & 63U) == 0) {
            TRY(job.check());
        }
        const NodeId id = work.pop();
        if (!graph.contains(id)) {
            continue;
        }
        if (steps > limit + stage.rewrites.size() * 64) {
            return failure(ErrorKind::Internal, "pass-does-not-end",
                           fmt::format("pass {} does not come to rest at node '{}'", pass, graph.node(id).name));
        }
        for (const Rule& rule : rules) {
            if (rule.fidelity == Fidelity::A && !options.allowApproximate) {
                continue;
            }
            Outcome outcome = rule.match(graph, id);
            if (std::holds_alternative<NoMatch>(outcome)) {
                missed.erase({id, rule.id});
                continue;
            }
            const std::string site = siteName(graph, rule, id);
            if (auto* miss = std::get_if<Miss>(&outcome)) {
                missed.insert_or_assign({id, rule.id}, MissedSite{site, std::string(rule.id), std::move(*miss)});
                continue;
            }
            const Patch& patch = std::get<Patch>(outcome);
            Rewrite rewrite{
                site, std::string(rule.id), std::string(rule.law), rule.fidelity, true, patch.text(), id, {}, {}, {}};
            for (const Role& role : patch.roles()) {
                for (const NodeId root : provenance.roots(role.node)) {
                    rewrite.roles.push_back({root, role.name});
                }
            }
            const std::vector<NodeId> anchorRoots = provenance.roots(id);
            rewrite.anchor = anchorRoots.empty() ? id : anchorRoots.front();
            if (options.switchedOff.contains(site)) {
                if (offSeen.insert(site).second) {
                    rewrite.on = false;
                    stage.rewrites.push_back(std::move(rewrite));
                }
                continue;
            }
            std::vector<NodeId> ancestors = PatchApplier::ancestors(patch);
            for (const Role& role : patch.roles()) {
                ancestors.push_back(role.node);
            }
            if (ancestors.empty()) {
                ancestors.push_back(id);
            }
            rewrite.values = PatchApplier::relations(patch);
            const Applied applied = PatchApplier::apply(graph, patch);
            rewrite.added = applied.added;
            provenance.record(ancestors, applied.added);
            provenance.record(rewrite.values);
            missed.erase({id, rule.id});
            place.resize(graph.nodeCapacity(), place[id.index]);
            if (options.verifyEach) {
                TRY(graph.sort());
                if (auto valid = verify(graph); !valid) {
                    Error error = std::move(valid).error();
                    error.message = fmt::format("after {} at {}: {}", pass, site, error.message);
                    return std::unexpected(std::move(error));
                }
            }
            stage.rewrites.push_back(std::move(rewrite));
            for (const NodeId added : applied.added) {
                work.push(place[added.index], added);
            }
            for (const NodeId neighbour : applied.around) {
                if (graph.contains(neighbour)) {
                    work.push(place[neighbour.index], neighbour);
                }
            }
            if (graph.contains(id)) {
                work.push(place[id.index], id);
            }
            break;
        }
    }
    TRY(graph.sort());
    const bool changed = std::ranges::any_of(stage.rewrites, &Rewrite::on);
    if (auto valid = changed ? verify(graph) : Result<void>{}; !valid) {
        Error error = std::move(valid).error();
        error.message = fmt::format("after pass {}: {}", pass, error.message);
        return std::unexpected(std::move(error));
    }
    for (auto& [anchor, miss] : missed) {
        const bool stale = !graph.contains(anchor.first);
        if (!stale && (graph.contains(miss.miss.node) || before.contains(miss.miss.node))) {
            stage.missed.push_back(std::move(miss));
        }
    }
    std::ranges::sort(stage.missed, {}, &MissedSite::site);
    for (Rewrite& rewrite : stage.rewrites) {
        std::erase_if(rewrite.added, [&](NodeId id) { return !graph.contains(id); });
        std::erase_if(rewrite.values, [&](const ValueRelation& relation) { return !graph.contains(relation.after); });
    }
    stage.origins = provenance.origins(graph);
    stage.relations = provenance.relations(graph);
    stage.milliseconds = std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start).count();
    return stage;
}

} // namespace crease
