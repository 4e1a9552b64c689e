// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/ir/integer_nodes.h"
#include "core/ops/op_table.h"
#include "core/passes/codes.h"
#include "core/passes/recognise_rules.h"

#include <algorithm>
#include <fmt/format.h>
#include <numeric>
#include <tuple>
#include <variant>

namespace crease {

namespace {

/// Integer nodes in a row that are followed: a thread's stack must hold them, also in a build with AddressSanitizer,
/// where one takes some 25 kB.
constexpr int kLongestRow = 128;

using Lifted = std::expected<ValueId, Miss>;

std::unexpected<Miss> missed(std::string id, std::string text, NodeId node)
{
    return std::unexpected(Miss{std::move(id), std::move(text), node});
}

Node fakeQuantNode(const Node& from, ValueId x, Grid grid, std::string source)
{
    Node node;
    node.op = nodes::fakeQuant;
    node.domain = nodes::domain;
    node.name = from.name;
    node.inputs = {x};
    node.attributes[std::string(nodes::grid)] = std::move(grid);
    node.attributes[std::string(nodes::source)] = std::move(source);
    node.doc = from.doc;
    node.metadata = from.metadata;
    return node;
}

Node dequantizeNode(const Node& from, ValueId codes)
{
    Node node;
    node.op = nodes::dequantize;
    node.domain = nodes::domain;
    node.name = from.name;
    node.inputs = {codes};
    node.doc = from.doc;
    node.metadata = from.metadata;
    return node;
}

bool isPassThrough(const Node& node)
{
    return node.is("Identity") || node.is("Dropout");
}

/// Turns codes that a DequantizeLinear reads into the floats that they stand for, from their source on.
class Lift {
public:
    Lift(const Graph& graph, NodeId id, const QuantizerParams& params, RecogniseState& state)
        : m_graph(graph), m_id(id), m_params(params), m_state(state), m_patch(graph, id)
    {
        m_output = graph.node(id).output();
        m_floatType = graph.value(m_output).type;
        if (!isFloat(m_floatType)) {
            m_floatType = ElementType::Float32;
        }
    }

    Outcome run()
    {
        const Lifted lifted = lift(m_graph.node(m_id).input(0), {}, true);
        if (!lifted) {
            if (lifted.error().id == "grids-differ" &&
                m_state.constants.find(m_graph, m_graph.node(m_id).input(0)) == nullptr) {
                return reinterpreted(lifted.error());
            }
            return lifted.error();
        }
        if (*lifted != m_output) {
            m_patch.replace(m_output, *lifted);
        }
        m_patch.role(m_id, "quantizer");
        m_patch.explain(m_text);
        return std::move(m_patch);
    }

private:
    Lifted lift(ValueId codes, CodeBounds bounds, bool top)
    {
        ++m_depth;
        Lifted lifted = liftOne(codes, bounds, top);
        --m_depth;
        return lifted;
    }

    Lifted liftOne(ValueId codes, CodeBounds bounds, bool top)
    {
        // In a row fewer than in all: a thread's stack must hold them.
        if (++m_steps > 4096 || m_depth > kLongestRow) {
            return missed(
                "too-long",
                fmt::format("more than {} integer nodes in a row, or 4,096 in all, stand before it", kLongestRow),
                m_id);
        }
        if (m_graph.isInput(codes)) {
            return liftInput(codes, bounds, top);
        }
        const NodeId producer = m_graph.producer(codes);
        if (!producer.valid()) {
            return missed("no-source", "its codes are an outer value of a subgraph", m_id);
        }
        const Node& node = m_graph.node(producer);
        if (isQuantizeLinear(node) || node.is(nodes::quantize, nodes::domain)) {
            return liftQuantizer(producer, bounds, top);
        }
        if (isPassThrough(node)) {
            m_patch.role(producer, "quantizer");
            return lift(node.input(0), bounds, top);
        }
        if (node.is("Cast")) {
            const std::optional<CodeBounds> range = rangeOf(node.input(0));
            const ElementType to = m_graph.value(codes).type;
            if (!range || !isInteger(to) || range->lo < lowest(to) || range->hi > highest(to)) {
                return missed("narrowing-cast",
                              fmt::format("a Cast to {} before it may change its codes", longName(to)), producer);
            }
            m_patch.role(producer, "quantizer");
            return lift(node.input(0), bounds, top);
        }
        if (const std::optional<CodeBounds> clip = codeBounds(m_graph, node, m_state.constants)) {
            m_patch.role(producer, "quantizer");
            m_clipped = true;
            return lift(node.input(0), {std::max(bounds.lo, clip->lo), std::min(bounds.hi, clip->hi)}, top);
        }
        if (movesCodes(node)) {
            return liftMovement(producer, codes, bounds, top);
        }
        return missed("unknown-codes",
                      fmt::format("its codes are made by {} '{}'", node.op, nodeLabel(m_graph, producer)), producer);
    }

    Lifted liftQuantizer(NodeId producer, CodeBounds bounds, bool top)
    {
        const Node& node = m_graph.node(producer);
        QuantizerParams params;
        if (isQuantizeLinear(node)) {
            const ParamsResult read = readParams(m_graph, producer, m_state.constants, m_state.findings);
            if (!read) {
                return std::unexpected(read.error());
            }
            params = *read;
        } else {
            const Grid& grid = *m_graph.value(node.output()).codes;
            params = {grid.scales, grid.zeroPoints, grid.axis, grid.storage, grid.qmin, grid.qmax};
        }
        if (!params.sameNumbers(m_params)) {
            m_differing = producer;
            m_differingParams = params;
            m_differingBounds = bounds;
            return missed(
                "grids-differ",
                fmt::format("quantized on {} but dequantized on {}", toText(params.grid()), toText(m_params.grid())),
                m_id);
        }
        if (!isFloat(m_graph.value(node.input(0)).type)) {
            return missed("integer-data",
                          fmt::format("it quantizes {} data", longName(m_graph.value(node.input(0)).type)), producer);
        }
        Grid grid = params.grid();
        grid.qmin = std::max({grid.qmin, bounds.lo, m_params.qmin});
        grid.qmax = std::min({grid.qmax, bounds.hi, m_params.qmax});
        if (grid.qmin > grid.qmax) {
            return missed("empty-range", fmt::format("its clamps leave no code ({} > {})", grid.qmin, grid.qmax), m_id);
        }
        m_patch.role(producer, "quantizer");
        const std::string source =
            m_clipped ? "QuantizeLinear, Clip, DequantizeLinear" : "QuantizeLinear, DequantizeLinear";
        m_text = fmt::format("{} on {}", source, toText(grid));
        const ValueId x = node.input(0);
        const bool clamped = grid.qmin > params.qmin || grid.qmax < params.qmax;
        const ValueId lifted = fakeQuant(producer, x, std::move(grid), source, top);
        m_patch.relate(node.output(), lifted, clamped ? Relation::Clamped : Relation::Codes);
        return lifted;
    }

    /// Whether a value that is there already can stand for the dequantizer's output: two graph outputs stay two.
    bool serves(ValueId existing, bool top) const { return !top || replaceable(m_graph, m_output, existing); }

    /// A FakeQuant of the same numbers that is there already, or a new one. Constants get one each.
    ValueId fakeQuant(NodeId producer, ValueId x, Grid grid, std::string source, bool top)
    {
        const bool constant = m_graph.value(x).isConstant();
        const std::span<const Use> uses = m_graph.uses(x);
        for (std::size_t i = uses.size(); !constant && i > 0 && i + 64 > uses.size(); --i) {
            const Node& reader = m_graph.node(uses[i - 1].node);
            if (reader.is(nodes::fakeQuant, nodes::domain) && *reader.gridAttribute(nodes::grid) == grid &&
                reader.attribute(nodes::lo) == nullptr && reader.attribute(nodes::order) == nullptr &&
                m_graph.value(reader.output()).type == m_floatType && serves(reader.output(), top)) {
                return reader.output();
            }
        }
        for (const auto& [made, madeGrid, value] : m_made) {
            if (made == x && madeGrid == grid) {
                return value;
            }
        }
        if (top) {
            Node node = fakeQuantNode(m_graph.node(m_id), x, grid, std::move(source));
            node.outputs = {m_output};
            m_patch.setNode(m_id, std::move(node));
            setOutputGrid(std::move(grid));
            return m_output;
        }
        Value value;
        value.name = m_graph.value(m_graph.node(producer).output()).name;
        value.type = m_floatType;
        value.shape = m_graph.value(x).shape;
        value.liesOn = grid;
        const ValueId made =
            m_patch.addNode(fakeQuantNode(m_graph.node(producer), x, grid, std::move(source)), std::move(value));
        m_made.emplace_back(x, std::move(grid), made);
        return made;
    }

    Lifted liftInput(ValueId codes, CodeBounds bounds, bool top)
    {
        const Value& value = m_graph.value(codes);
        if (bounds.lo > m_params.qmin || bounds.hi < m_params.qmax || value.type != m_params.storage) {
            return missed("clamped-input",
                          fmt::format("a Clip or Cast stands between the graph input '{}' and it", value.name), m_id);
        }
        const Grid grid = m_params.grid();
        if (value.codes && *value.codes != grid) {
            return missed("grids-differ-on-input",
                          fmt::format("the graph input '{}' is dequantized on {} and on {}", value.name,
                                      toText(*value.codes), toText(grid)),
                          m_id);
        }
        if (const std::optional<NodeId> foreign = foreignReader(m_graph, codes)) {
            return missed("integer-reader",
                          fmt::format("the codes of graph input '{}' are also read by {} '{}'", value.name,
                                      m_graph.node(*foreign).op, nodeLabel(m_graph, *foreign)),
                          *foreign);
        }
        m_text = fmt::format("integer graph input '{}' on {}", value.name, toText(grid));
        for (const Use& use : m_graph.uses(codes)) {
            const Node& reader = m_graph.node(use.node);
            if (reader.is(nodes::dequantize, nodes::domain) && m_graph.value(reader.output()).type == m_floatType &&
                serves(reader.output(), top)) {
                return reader.output();
            }
        }
        for (const auto& [made, madeGrid, lifted] : m_made) {
            if (made == codes) {
                return lifted;
            }
        }
        if (!value.codes) {
            Value changed = value;
            changed.codes = grid;
            m_patch.setValue(codes, std::move(changed));
        }
        Node node = dequantizeNode(m_graph.node(m_id), codes);
        if (top) {
            node.outputs = {m_output};
            m_patch.setNode(m_id, std::move(node));
            setOutputGrid(grid);
            return m_output;
        }
        Value real;
        real.name = value.name + "/real";
        real.type = m_floatType;
        real.shape = value.shape;
        real.liesOn = grid;
        const ValueId made = m_patch.addNode(std::move(node), std::move(real));
        m_made.emplace_back(codes, grid, made);
        return made;
    }

    Lifted liftMovement(NodeId producer, ValueId codes, CodeBounds bounds, bool top)
    {
        const Node& node = m_graph.node(producer);
        if (m_params.axis) {
            return missed("movement-per-channel",
                          fmt::format("{} '{}' stands between a quantizer with {} scales and its dequantizer", node.op,
                                      nodeLabel(m_graph, producer), m_params.scales.size()),
                          producer);
        }
        Node moved = node;
        moved.captures.clear();
        for (std::size_t slot = 0; slot < (node.is("Concat") ? node.inputs.size() : 1); ++slot) {
            if (m_graph.value(node.inputs[slot]).isConstant()) {
                moved.inputs[slot] = constantPart(node.inputs[slot], bounds);
                continue;
            }
            const Lifted lifted = lift(node.inputs[slot], bounds, false);
            if (!lifted) {
                return lifted;
            }
            moved.inputs[slot] = *lifted;
        }
        m_patch.role(producer, "movement");
        m_text = fmt::format("{} moves from codes to numbers; {}", node.op, m_text);
        const auto slot = static_cast<std::size_t>(std::ranges::find(node.outputs, codes) - node.outputs.begin());
        if (const ValueId same = movedAlready(node, moved, slot); same.valid() && serves(same, top)) {
            return same;
        }
        for (const auto& [made, inputs, values] : m_moved) {
            if (made == producer && inputs == moved.inputs) {
                return values[slot];
            }
        }
        if (top && node.outputs.size() == 1) {
            moved.outputs = {m_output};
            m_patch.setNode(m_id, std::move(moved));
            return m_output;
        }
        std::vector<ValueId> outputs;
        for (const ValueId output : node.outputs) {
            Value value;
            value.name = m_graph.value(output).name;
            value.type = m_floatType;
            value.shape = m_graph.value(output).shape;
            outputs.push_back(m_patch.addValue(std::move(value)));
        }
        moved.outputs = outputs;
        m_moved.emplace_back(producer, moved.inputs, outputs);
        m_patch.addNode(std::move(moved));
        return outputs[slot];
    }

    /// Constant codes among moved ones, clamped by what stands between them and the dequantizer.
    ValueId constantPart(ValueId codes, CodeBounds bounds)
    {
        Value value = m_graph.value(codes);
        std::vector<std::int64_t> clamped = value.constant.toInts();
        for (std::int64_t& code : clamped) {
            code = std::min(std::max(code, bounds.lo), bounds.hi);
        }
        value.type = m_params.storage;
        value.constant = tensorOfInts(m_params.storage, value.constant.dims(), clamped);
        value.codes = m_params.grid();
        value.alsoInput = false;
        const ValueId constant = m_patch.addValue(std::move(value));
        Value real;
        real.name = m_graph.value(codes).name + "/real";
        real.type = m_floatType;
        real.shape = m_graph.value(codes).shape;
        real.liesOn = m_params.grid();
        return m_patch.addNode(dequantizeNode(m_graph.node(m_id), constant), std::move(real));
    }

    /// The same movement of the same float made for another reader of the codes.
    ValueId movedAlready(const Node& node, const Node& moved, std::size_t slot) const
    {
        if (!m_graph.contains(moved.inputs[0])) {
            return {};
        }
        const std::span<const Use> uses = m_graph.uses(moved.inputs[0]);
        for (std::size_t i = uses.size(); i > 0 && i + 64 > uses.size(); --i) {
            const Node& reader = m_graph.node(uses[i - 1].node);
            if (reader.inputs == moved.inputs && reader.outputs.size() == node.outputs.size() &&
                reader.is(node.op, node.domain)) {
                Node alike = reader;
                alike.name = node.name;
                alike.doc = node.doc;
                alike.metadata = node.metadata;
                if (sameNode(alike, node)) {
                    return reader.outputs[slot];
                }
            }
        }
        return {};
    }

    /// The codes that may occur, as far as Clips, quantizers and types say.
    std::optional<CodeBounds> rangeOf(ValueId codes, int depth = 0)
    {
        const ElementType type = m_graph.value(codes).type;
        if (!isInteger(type) || depth > 64) {
            return std::nullopt;
        }
        CodeBounds range{lowest(type), highest(type)};
        const NodeId producer = m_graph.producer(codes);
        if (!producer.valid()) {
            return range;
        }
        const Node& node = m_graph.node(producer);
        const std::optional<CodeBounds> clip = codeBounds(m_graph, node, m_state.constants);
        if (!clip && !isPassThrough(node) && !node.is("Cast")) {
            return range;
        }
        const std::optional<CodeBounds> inner = rangeOf(node.input(0), depth + 1);
        if (!inner) {
            return std::nullopt;
        }
        range.lo = std::max({range.lo, inner->lo, clip ? clip->lo : range.lo});
        range.hi = std::min({range.hi, inner->hi, clip ? clip->hi : range.hi});
        return range;
    }

    /// Quantized on one grid, dequantized on another: the codes stay, what they stand for changes. Two operations, and
    /// between them a table that maps each code to itself.
    Outcome reinterpreted(const Miss& why)
    {
        const Node& quantizer = m_graph.node(m_differing);
        const QuantizerParams& from = m_differingParams;
        if (const std::optional<Miss> bad = badScale(m_graph, m_differing, from.scales)) {
            return *bad;
        }
        const bool direct =
            std::ranges::all_of(m_patch.roles(), [](const Role& role) { return role.name == "quantizer"; });
        if (from.axis || m_params.axis || bitWidth(from.storage) > 8 || bitWidth(m_params.storage) > 8 || !direct ||
            !isQuantizeLinear(quantizer) || !isFloat(m_graph.value(quantizer.input(0)).type)) {
            return why;
        }
        Patch patch(m_graph, m_id);
        Node quantize;
        quantize.op = nodes::quantize;
        quantize.domain = nodes::domain;
        quantize.name = quantizer.name;
        quantize.inputs = {quantizer.input(0)};
        Value codes = m_graph.value(quantizer.output());
        codes.type = from.storage;
        codes.codes = from.grid();
        codes.doc.clear();
        const ValueId first = patch.addNode(std::move(quantize), std::move(codes));
        std::vector<std::int64_t> entries(std::size_t{1} << bitWidth(from.storage));
        std::iota(entries.begin(), entries.end(), lowest(from.storage));
        for (std::int64_t& entry : entries) {
            entry = std::max(std::min(std::max(entry, m_differingBounds.lo), m_differingBounds.hi), m_params.qmin);
            entry = std::min(entry, m_params.qmax);
        }
        entries.resize(256, entries.back());
        Node table;
        table.op = nodes::table;
        table.domain = nodes::domain;
        table.inputs = {first};
        table.attributes[std::string(nodes::tableEntries)] = tensorOfInts(m_params.storage, {256}, entries);
        Value second;
        second.name = m_graph.value(m_output).name + "/codes";
        second.type = m_params.storage;
        second.shape = m_graph.value(m_output).shape;
        second.codes = m_params.grid();
        const ValueId again = patch.addNode(std::move(table), std::move(second));
        Node dequantize = dequantizeNode(m_graph.node(m_id), again);
        dequantize.outputs = {m_output};
        patch.setNode(m_id, std::move(dequantize));
        Value output = m_graph.value(m_output);
        output.liesOn = m_params.grid();
        patch.setValue(m_output, std::move(output));
        for (const Role& role : m_patch.roles()) {
            patch.role(role.node, role.name);
        }
        patch.role(m_differing, "quantizer");
        patch.role(m_id, "quantizer");
        patch.explain(why.text + ": kept as two operations");
        return patch;
    }

    void setOutputGrid(Grid grid)
    {
        Value output = m_graph.value(m_output);
        output.liesOn = std::move(grid);
        output.type = m_floatType;
        m_patch.setValue(m_output, std::move(output));
    }

    const Graph& m_graph;
    NodeId m_id;
    const QuantizerParams& m_params;
    RecogniseState& m_state;
    Patch m_patch;
    ValueId m_output;
    ElementType m_floatType = ElementType::Float32;
    std::string m_text;
    bool m_clipped = false;
    int m_steps = 0;
    int m_depth = 0;
    std::vector<std::tuple<ValueId, Grid, ValueId>> m_made;
    std::vector<std::tuple<NodeId, std::vector<ValueId>, std::vector<ValueId>>> m_moved; // its new inputs and outputs
    NodeId m_differing;
    QuantizerParams m_differingParams;
    CodeBounds m_differingBounds;
};

} // namespace

Outcome recogniseDequantizer(const Graph& graph, NodeId id, RecogniseState& state)
{
    const Node& node = graph.node(id);
    if (!isDequantizeLinear(node) || !node.input(0).valid() || !node.output().valid()) {
        return NoMatch{};
    }
    const Tensor* constant = state.constants.find(graph, node.input(0));
    if (constant != nullptr && !isQuantizedHere(graph, node.input(0))) {
        return NoMatch{};
    }
    const ParamsResult params = readParams(graph, id, state.constants, state.findings);
    if (!params) {
        return params.error();
    }
    const std::optional<Miss> bad = badScale(graph, id, params->scales);
    if (!bad) {
        Outcome lifted = Lift(graph, id, *params, state).run();
        if (constant == nullptr || std::holds_alternative<Patch>(lifted)) {
            return lifted;
        }
    }
    if (constant == nullptr) {
        return *bad;
    }
    return constantCodes(graph, id, deadCodes(graph, id, *params, *constant, state), state);
}

} // namespace crease
