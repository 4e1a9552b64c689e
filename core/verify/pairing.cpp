// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/verify/pairing.h"

#include <algorithm>
#include <map>

namespace crease {

namespace {

/// The values of the graph before that a value of the graph after is equal to, given the relations that name it.
std::vector<ValueId> linksOf(const Graph& before, ValueId after, const std::vector<const ValueRelation*>& relations)
{
    std::vector<ValueId> links;
    bool sameId = before.contains(after);
    for (const ValueRelation* relation : relations) {
        if (relation->kind == Relation::Clamped) {
            sameId = sameId && relation->before != after;
        } else if (before.contains(relation->before) && relation->before != after) {
            links.push_back(relation->before);
        }
    }
    if (sameId) {
        links.insert(links.begin(), after);
    }
    return links;
}

/// linksOf for every value that a relation of the stage names.
std::map<ValueId, std::vector<ValueId>> linksOf(const Stage& stage, const Graph& before)
{
    std::map<ValueId, std::vector<const ValueRelation*>> relations;
    for (const ValueRelation& relation : stage.relations) {
        relations[relation.after].push_back(&relation);
    }
    std::map<ValueId, std::vector<ValueId>> result;
    for (const auto& [after, named] : relations) {
        result.emplace(after, linksOf(before, after, named));
    }
    return result;
}

/// By value id: whether it depends on an input of the graph.
std::vector<bool> dependOnInputs(const Graph& graph)
{
    std::vector<bool> result(graph.valueCapacity(), false);
    for (const ValueId id : graph.inputs()) {
        result[id.index] = true;
    }
    for (const NodeId id : graph.order()) {
        if (!graph.contains(id)) {
            continue;
        }
        const Node& node = graph.node(id);
        const bool depends =
            std::ranges::any_of(node.inputs, [&](ValueId input) { return input.valid() && result[input.index]; }) ||
            std::ranges::any_of(node.captures, [&](const Capture& capture) { return result[capture.outer.index]; });
        for (const ValueId output : node.outputs) {
            if (output.valid()) {
                result[output.index] = depends;
            }
        }
    }
    return result;
}

const Grid* narrowGrid(const Value& value)
{
    const auto& grid = value.codes ? value.codes : value.liesOn;
    return grid && !grid->isWide() ? &*grid : nullptr;
}

/// How the two can be compared, if at all.
std::optional<Pair> comparable(const Graph& before, const Graph& after, ValueId from, ValueId id, bool output)
{
    const Value& a = before.value(from);
    const Value& b = after.value(id);
    Pair pair{from, id, Pair::Kind::Steps, {}, output};
    const Grid* grid = narrowGrid(b) != nullptr ? narrowGrid(b) : narrowGrid(a);
    const bool realBefore = a.codes || isFloat(a.type);
    const bool realAfter = b.codes || isFloat(b.type);
    const bool plainCodes = !realBefore && isInteger(a.type) && b.codes && a.type == b.type;
    if (grid != nullptr && realAfter && (realBefore || plainCodes)) {
        pair.grid = *grid;
        return pair;
    }
    if (!output) {
        return std::nullopt;
    }
    if (realBefore && realAfter) {
        pair.kind = Pair::Kind::Reals;
        return pair;
    }
    const auto countable = [](const Value& value) {
        return !value.codes && (isInteger(value.type) || value.type == ElementType::Bool);
    };
    if (countable(a) && countable(b)) {
        pair.kind = Pair::Kind::Integers;
        return pair;
    }
    return std::nullopt;
}

/// The outputs by their place; a value that is an output twice has one pair.
void pairOutputs(const Graph& before, const Graph& after, Pairing& pairing, std::vector<bool>& done)
{
    for (std::size_t i = 0; i < after.outputs().size(); ++i) {
        const ValueId id = after.outputs()[i];
        if (done[id.index]) {
            continue;
        }
        done[id.index] = true;
        const auto pair =
            i < before.outputs().size() ? comparable(before, after, before.outputs()[i], id, true) : std::nullopt;
        if (pair) {
            pairing.pairs.push_back(*pair);
        } else {
            pairing.unpairedOutputs.push_back(after.value(id).name);
        }
    }
}

template <class LinksOf>
Pairing pairUp(const Graph& before, const Graph& after, LinksOf linksOfValue)
{
    Pairing pairing;
    std::vector<bool> done(after.valueCapacity(), false);
    pairOutputs(before, after, pairing, done);
    for (const ValueId id : after.values()) {
        if (done[id.index] || after.value(id).isConstant() || (!after.producer(id).valid() && !after.isInput(id))) {
            continue;
        }
        for (const ValueId from : linksOfValue(id)) {
            if (before.value(from).isConstant()) {
                continue;
            }
            if (const auto pair = comparable(before, after, from, id, false)) {
                pairing.pairs.push_back(*pair);
                break;
            }
        }
    }
    const std::vector<bool> variableBefore = dependOnInputs(before);
    const std::vector<bool> variableAfter = dependOnInputs(after);
    for (Pair& pair : pairing.pairs) {
        pair.constant = !variableBefore[pair.before.index] && !variableAfter[pair.after.index];
    }
    return pairing;
}

} // namespace

Pairing pairStage(const Trace& trace, std::size_t stage)
{
    const Graph& before = trace.graph(stage - 1);
    const Graph& after = trace.graph(stage);
    const auto links = linksOf(trace.stages[stage - 1], before);
    return pairUp(before, after, [&](ValueId id) {
        const auto found = links.find(id);
        if (found != links.end()) {
            return found->second;
        }
        return before.contains(id) ? std::vector<ValueId>{id} : std::vector<ValueId>{};
    });
}

Pairing pairWhole(const Trace& trace)
{
    std::vector<std::map<ValueId, std::vector<ValueId>>> links;
    for (std::size_t stage = 0; stage < trace.stages.size(); ++stage) {
        links.push_back(linksOf(trace.stages[stage], trace.graph(stage)));
    }
    return pairUp(trace.original, trace.final(), [&](ValueId id) {
        std::vector<ValueId> current{{id}};
        for (std::size_t stage = trace.stages.size(); stage-- > 0;) {
            std::vector<ValueId> next;
            const auto add = [&](ValueId value) {
                if (std::ranges::find(next, value) == next.end()) {
                    next.push_back(value);
                }
            };
            for (const ValueId value : current) {
                const auto found = links[stage].find(value);
                if (found != links[stage].end()) {
                    std::ranges::for_each(found->second, add);
                } else if (trace.graph(stage).contains(value)) {
                    add(value);
                }
            }
            current = std::move(next);
        }
        return current;
    });
}

} // namespace crease
