// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/passes/tabulate.h"

#include "core/exec/kernel.h"
#include "core/ops/op_table.h"
#include "core/passes/match.h"

#include <algorithm>
#include <array>
#include <fmt/format.h>
#include <map>
#include <set>

namespace crease {

namespace {

constexpr std::size_t maxRegion = 48;
constexpr std::array binaries{"Add", "Sub", "Mul", "Div", "Pow", "Max", "Min", "PRelu"};
// Element-wise in their first input, whatever their folding class says.
constexpr std::array unaries{"Clip", "LeakyRelu"};

bool isElementwise(const Node& node)
{
    if (isCrease(node, nodes::fakeQuant)) {
        return node.gridAttribute(nodes::grid)->isPerTensor();
    }
    // What an inner region became already: it opens again where a larger one holds it.
    if (isCrease(node, nodes::table) || isCrease(node, nodes::quantize) || isCrease(node, nodes::dequantize)) {
        return node.attribute(nodes::bias) == nullptr && node.attribute("axis") == nullptr;
    }
    if (!node.domain.empty() && node.domain != "com.microsoft") {
        return false;
    }
    const bool listed =
        std::ranges::find(binaries, node.op) != binaries.end() || std::ranges::find(unaries, node.op) != unaries.end();
    return (listed || foldingClass(node) == FoldingClass::Unary) && node.outputs.size() == 1 && node.captures.empty() &&
           !node.is("Cast") && !node.is("Dropout");
}

bool isNarrow(const Grid* grid)
{
    return grid != nullptr && bitWidth(grid->storage) <= 8;
}

/// What lies between a quantizer and the one gridded value that decides it.
struct Region {
    ValueId input;
    std::vector<NodeId> inside; // in topological order
};

/// The most dimensions among the constants that the region reads: an element-wise op gives its result as many.
std::size_t constantRank(const Graph& graph, const Region& region)
{
    std::size_t rank = 0;
    for (const NodeId id : region.inside) {
        for (const ValueId read : graph.node(id).inputs) {
            if (read.valid() && read != region.input && scalarConstant(graph, read)) {
                const Value& value = graph.value(read);
                rank = std::max(rank, value.isConstant() ? value.constant.rank()
                                      : value.shape      ? value.shape->size()
                                                         : 0);
            }
        }
    }
    return rank;
}

/// Grows the region backwards from the quantizer's input until only one gridded value is left to depend on.
class Grower {
public:
    Grower(const Graph& graph, ValueId from) : m_graph(graph) { m_leaves.insert(from); }

    /// Nothing where the value depends on more than one gridded value or on what is no element-wise function; then
    /// `blocker` may say which.
    std::optional<Region> grow(NodeId& blocker)
    {
        while (m_inside.size() <= maxRegion) {
            const ValueId next = pick();
            if (!next.valid()) {
                return m_leaves.size() == 1 && !m_inside.empty() ? std::optional(region(*m_leaves.begin()))
                                                                 : std::nullopt;
            }
            const NodeId producer = m_graph.producer(next);
            if (!producer.valid() || !isElementwise(m_graph.node(producer)) || !open(producer)) {
                blocker = producer;
                return std::nullopt;
            }
            m_leaves.erase(next);
        }
        return std::nullopt;
    }

private:
    /// A leaf that must be opened: one on no 8-bit grid, or, where several are left, the one made last.
    ValueId pick() const
    {
        for (const ValueId leaf : m_leaves) {
            if (!isNarrow(tensorGrid(m_graph, leaf))) {
                return leaf;
            }
        }
        if (m_leaves.size() <= 1) {
            return {};
        }
        return *std::ranges::max_element(m_leaves, {}, [&](ValueId leaf) { return depth(leaf); });
    }

    /// A node deeper than another never feeds it: longest distance back to a leaf that cannot be opened, looked at
    /// within bounds.
    std::size_t depth(ValueId value) const
    {
        const auto known = m_depths.find(value);
        if (known != m_depths.end()) {
            return known->second;
        }
        m_depths[value] = 0;
        const NodeId producer = m_graph.producer(value);
        if (!producer.valid() || !isElementwise(m_graph.node(producer)) || m_depths.size() > maxRegion * 4) {
            return 0;
        }
        std::size_t deepest = 0;
        for (const ValueId input : m_graph.node(producer).inputs) {
            if (input.valid() && !m_graph.value(input).isConstant()) {
                deepest = std::max(deepest, depth(input));
            }
        }
        return m_depths[value] = deepest + 1;
    }

    bool open(NodeId id)
    {
        const Node& node = m_graph.node(id);
        for (const ValueId input : node.inputs) {
            if (!input.valid() || scalarConstant(m_graph, input)) {
                continue;
            }
            if (m_graph.value(input).isConstant()) {
                return false;
            }
            m_leaves.insert(input);
        }
        m_inside.insert(id);
        return true;
    }

    Region region(ValueId input) const
    {
        Region result{input, {}};
        std::set<NodeId> done;
        const auto visit = [&](auto& self, NodeId id) -> void {
            if (!m_inside.contains(id) || !done.insert(id).second) {
                return;
            }
            for (const ValueId read : m_graph.node(id).inputs) {
                if (read.valid() && read != input && m_graph.producer(read).valid()) {
                    self(self, m_graph.producer(read));
                }
            }
            result.inside.push_back(id);
        };
        for (const NodeId id : m_inside) {
            visit(visit, id);
        }
        return result;
    }

    const Graph& m_graph;
    std::set<ValueId> m_leaves;
    std::set<NodeId> m_inside;
    mutable std::map<ValueId, std::size_t> m_depths;
};

/// The region's outputs for every code of its input, evaluated in double.
Result<std::vector<double>> tabulate(const Graph& graph, const Region& region, const Grid& grid, ValueId output,
                                     Precision precision)
{
    const std::int64_t first = lowest(grid.storage);
    const auto entries = static_cast<std::size_t>(highest(grid.storage) - first + 1);
    std::vector<double> reals(entries);
    for (std::size_t i = 0; i < entries; ++i) {
        const std::int64_t code = std::clamp(first + static_cast<std::int64_t>(i), grid.qmin, grid.qmax);
        reals[i] = grid.scale() * static_cast<double>(code - grid.zeroPoint());
    }
    const Dims dims{static_cast<std::int64_t>(entries)};
    const ElementType real = precision == Precision::Exact ? ElementType::Float64 : ElementType::Float32;
    std::map<ValueId, Tensor> known{{region.input, tensorOfDoubles(real, dims, reals)}};
    const Job job;
    for (const NodeId id : region.inside) {
        const Node& node = graph.node(id);
        std::vector<Tensor> inputs;
        for (const ValueId read : node.inputs) {
            if (const auto found = known.find(read); read.valid() && found != known.end()) {
                inputs.push_back(found->second);
            } else if (!read.valid()) {
                inputs.emplace_back();
            } else {
                const Tensor& constant = graph.value(read).constant;
                const std::array<double, 1> number{*scalarConstant(graph, read)};
                inputs.push_back(constant.valid() && !isFloat(constant.type()) ? constant.reshaped({})
                                                                               : tensorOfDoubles(real, {}, number));
            }
        }
        std::vector<Tensor> outputs = TRY(evaluateNode(graph, node, inputs, precision, job));
        known[node.outputs[0]] = std::move(outputs[0]);
    }
    const Tensor& result = known.at(output);
    if (result.size() == entries) {
        return result.toDoubles();
    }
    return std::vector<double>(entries, result.asDouble(0));
}

/// The numbers as codes of the quantizer, decided in double.
Result<Tensor> quantizedEntries(const Node& quantizer, const Grid& grid, const std::vector<double>& reals)
{
    const auto entries = static_cast<std::int64_t>(reals.size());
    Graph scratch;
    const ValueId from = scratch.addValue({.name = "x", .type = ElementType::Float64});
    Value codes{.name = "q", .type = grid.storage};
    codes.codes = grid;
    const ValueId to = scratch.addValue(std::move(codes));
    Node quantize = quantizer;
    quantize.op = nodes::quantize;
    quantize.attributes.erase(std::string(nodes::grid));
    quantize.inputs = {from};
    quantize.outputs = {to};
    const std::vector<Tensor> input{tensorOfDoubles(ElementType::Float64, {entries}, reals)};
    std::vector<Tensor> outputs = TRY(evaluateNode(scratch, quantize, input, Precision::Exact, Job{}));
    return std::move(outputs.front());
}

Outcome tableOf(const Graph& graph, NodeId id)
{
    const Node& node = graph.node(id);
    if (!isCrease(node, nodes::fakeQuant)) {
        return NoMatch{};
    }
    const Grid& target = *node.gridAttribute(nodes::grid);
    const NodeId last = graph.producer(node.inputs[0]);
    if (!last.valid() || !isElementwise(graph.node(last)) || isNarrow(tensorGrid(graph, node.inputs[0]))) {
        return NoMatch{};
    }
    if (!target.isPerTensor() || bitWidth(target.storage) > 16) {
        return NoMatch{};
    }
    NodeId blocker;
    const auto region = Grower(graph, node.inputs[0]).grow(blocker);
    if (!region) {
        return NoMatch{};
    }
    const Grid& source = *tensorGrid(graph, region->input);
    const auto reals = tabulate(graph, *region, source, node.inputs[0], Precision::Exact);
    const auto singles = tabulate(graph, *region, source, node.inputs[0], Precision::Float32);
    std::vector<Role> roles{{id, "quantizer"}};
    for (const NodeId inside : region->inside) {
        roles.push_back({inside, graph.node(inside).domain == nodes::domain ? "quantizer" : "elementwise"});
    }
    const auto& shape = graph.value(region->input).shape;
    if (const std::size_t rank = constantRank(graph, *region); rank > 0 && (!shape || rank > shape->size())) {
        return Miss{"rank-raised",
                    fmt::format("a constant of {} dimensions is broadcast with '{}' of {}: a table keeps the shape of "
                                "its input",
                                rank, graph.value(region->input).name,
                                shape ? fmt::format("{}", shape->size()) : "unknown rank"),
                    last, roles};
    }
    if (!reals || !singles) {
        const Error& error = !reals ? reals.error() : singles.error();
        return Miss{"cannot-evaluate", fmt::format("{} cannot be evaluated: {}", labelOf(graph, last), error.message),
                    last, roles};
    }
    const auto entries = static_cast<std::int64_t>(reals->size());
    const auto table = quantizedEntries(node, target, *reals);
    const auto singleTable = quantizedEntries(node, target, *singles);
    if (!table || !singleTable) {
        return Miss{"cannot-evaluate", (!table ? table.error() : singleTable.error()).message, id, roles};
    }
    for (std::size_t i = 0; i < reals->size(); ++i) {
        const std::int64_t exact = table->asInt(i);
        const std::int64_t single = singleTable->asInt(i);
        if (std::abs(exact - single) > 1) {
            return Miss{
                "discontinuous",
                fmt::format("{} jumps where float32 decides otherwise: code {} gives {} in exact arithmetic and "
                            "{} in the file's float32",
                            labelOf(graph, last), lowest(source.storage) + static_cast<std::int64_t>(i), exact, single),
                last, roles};
        }
    }
    Patch patch(graph, id);
    const ValueId q = patch.addNode(
        {.op = std::string(nodes::quantize), .domain = std::string(nodes::domain), .inputs = {region->input}},
        codesLike(graph.value(region->input), source));
    Node tableNode{.op = std::string(nodes::table), .domain = std::string(nodes::domain), .inputs = {q}};
    tableNode.attributes[std::string(nodes::tableEntries)] = *table;
    const ValueId looked = patch.addNode(std::move(tableNode), codesLike(graph.value(node.outputs[0]), target));
    Value real = floatLike(graph.value(node.outputs[0]));
    real.liesOn = target;
    const ValueId y =
        patch.addNode({.op = std::string(nodes::dequantize), .domain = std::string(nodes::domain), .inputs = {looked}},
                      std::move(real));
    patch.replace(node.outputs[0], y);
    for (const Role& role : roles) {
        patch.role(role.node, role.name);
    }
    patch.explain(fmt::format("{} element-wise node{} between {} and {} depend on one 8-bit value: a table of {} "
                              "entries, evaluated in double",
                              region->inside.size(), region->inside.size() == 1 ? "" : "s", toText(source),
                              toText(target), entries));
    return patch;
}

} // namespace

std::vector<Rule> tabulateRules()
{
    return {{"tabulate/elementwise", "L10", Fidelity::X, tableOf}};
}

Result<Stage> runTabulate(const Graph& before, const PassContext& context, const Job& job)
{
    return applyRules(before, "tabulate", tabulateRules(), context.driver, job);
}

} // namespace crease
