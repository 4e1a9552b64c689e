// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/ops/shape_support.h"

#include <algorithm>
#include <fmt/format.h>

namespace crease {

namespace {

constexpr std::size_t largestContent = 64;

/// What is known of the values of one graph while it is walked.
struct Facts {
    std::vector<TypedShape> values;
    std::vector<std::optional<IntTerms>> contents;
};

std::string textOf(const MaybeShape& shape)
{
    return shape ? toText(*shape) : std::string("unknown");
}

std::optional<IntTerms> contentOf(const Tensor& tensor)
{
    if (!tensor.valid() || !isInteger(tensor.type()) || tensor.rank() > 1 || tensor.size() > largestContent) {
        return std::nullopt;
    }
    IntTerms terms;
    for (const std::int64_t value : tensor.toInts()) {
        terms.push_back({value, {}});
    }
    return terms;
}

TypedShape statedFact(const Value& value)
{
    return value.isConstant() ? TypedShape{value.constant.type(), shapeOf(value.constant.dims())}
                              : TypedShape{value.type, value.shape};
}

Facts statedFacts(const Graph& graph)
{
    Facts facts{std::vector<TypedShape>(graph.valueCapacity()),
                std::vector<std::optional<IntTerms>>(graph.valueCapacity())};
    for (const ValueId id : graph.values()) {
        facts.values[id.index] = statedFact(graph.value(id));
        facts.contents[id.index] = contentOf(graph.value(id).constant);
    }
    return facts;
}

/// Both are true of the value: what each leaves open the other may fill in. Nothing where they contradict.
std::optional<TypedShape> joined(const TypedShape& stated, const TypedShape& inferred)
{
    TypedShape result = stated;
    if (stated.type == ElementType::Undefined) {
        result.type = inferred.type;
    } else if (inferred.type != ElementType::Undefined && inferred.type != stated.type) {
        return std::nullopt;
    }
    if (!stated.shape || !inferred.shape) {
        result.shape = stated.shape ? stated.shape : inferred.shape;
        return result;
    }
    if (stated.shape->size() != inferred.shape->size()) {
        return std::nullopt;
    }
    for (std::size_t i = 0; i < stated.shape->size(); ++i) {
        const Dim& from = (*inferred.shape)[i];
        Dim& to = (*result.shape)[i];
        if (to.known() && from.known() && to != from) {
            return std::nullopt;
        }
        if (from.known() || (!to.known() && to.symbol.empty())) {
            to = from;
        }
    }
    return result;
}

ShapeContext contextOf(const Graph& graph, const Node& node, const Facts& facts)
{
    ShapeContext context{graph, node, {}, {}, {}};
    for (const ValueId id : node.inputs) {
        context.inputs.push_back(id.valid() ? facts.values[id.index] : TypedShape{});
        context.contents.push_back(id.valid() ? facts.contents[id.index] : std::nullopt);
    }
    context.outputContents.resize(std::max<std::size_t>(node.outputs.size(), 1));
    return context;
}

Result<Facts> inferFacts(const Graph& graph, Facts facts);

MaybeShape withLeading(const MaybeShape& shape, std::size_t axis, Dim dim)
{
    if (!shape || axis > shape->size()) {
        return {};
    }
    Shape result = *shape;
    result.insert(result.begin() + static_cast<std::ptrdiff_t>(axis), std::move(dim));
    return result;
}

/// The types and shapes of a body's outputs, given those of its inputs and captured values.
Result<std::vector<TypedShape>> bodyOutputs(const ShapeContext& context, const Facts& outer, std::string_view name,
                                            const std::vector<TypedShape>& inputs)
{
    const Attribute* attribute = context.node.attribute(name);
    const auto* body = attribute != nullptr ? std::get_if<GraphRef>(attribute) : nullptr;
    if (body == nullptr || *body == nullptr) {
        return shapeError(context, fmt::format("no subgraph {}", name));
    }
    const Graph& graph = **body;
    Facts facts = statedFacts(graph);
    for (std::size_t i = 0; i < std::min(inputs.size(), graph.inputs().size()); ++i) {
        TypedShape& fact = facts.values[graph.inputs()[i].index];
        fact = joined(fact, inputs[i]).value_or(fact);
    }
    for (const Capture& capture : context.node.captures) {
        if (capture.attribute == name) {
            facts.values[capture.inner.index] = outer.values[capture.outer.index];
            facts.contents[capture.inner.index] = outer.contents[capture.outer.index];
        }
    }
    facts = TRY(inferFacts(graph, std::move(facts)));
    std::vector<TypedShape> outputs;
    for (const ValueId id : graph.outputs()) {
        outputs.push_back(facts.values[id.index]);
    }
    return outputs;
}

ShapeResult inferIf(const ShapeContext& context, const Facts& facts)
{
    std::vector<TypedShape> taken = TRY(bodyOutputs(context, facts, "then_branch", {}));
    const std::vector<TypedShape> other = TRY(bodyOutputs(context, facts, "else_branch", {}));
    for (std::size_t i = 0; i < taken.size(); ++i) {
        const bool both = i < other.size() && taken[i].type == other[i].type && taken[i].shape && other[i].shape &&
                          taken[i].shape->size() == other[i].shape->size();
        if (!both) {
            taken[i].type = i < other.size() && taken[i].type == other[i].type ? taken[i].type : ElementType::Undefined;
            taken[i].shape.reset();
            continue;
        }
        for (std::size_t d = 0; d < taken[i].shape->size(); ++d) {
            if ((*taken[i].shape)[d] != (*other[i].shape)[d]) {
                (*taken[i].shape)[d] = Dim{};
            }
        }
    }
    return taken;
}

ShapeResult inferLoop(const ShapeContext& context, const Facts& facts)
{
    const std::size_t carried = context.inputs.size() > 2 ? context.inputs.size() - 2 : 0;
    std::vector<TypedShape> inputs{{ElementType::Int64, Shape{}}, {ElementType::Bool, Shape{}}};
    for (std::size_t i = 0; i < carried; ++i) {
        inputs.push_back({context.inputs[i + 2].type, {}}); // the shape may change from one iteration to the next
    }
    const std::vector<TypedShape> body = TRY(bodyOutputs(context, facts, "body", inputs));
    std::vector<TypedShape> outputs;
    for (std::size_t i = 1; i < body.size(); ++i) {
        if (i <= carried) {
            outputs.push_back({body[i].type, {}});
        } else {
            outputs.push_back({body[i].type, withLeading(body[i].shape, 0, Dim{})});
        }
    }
    return outputs;
}

ShapeResult inferScan(const ShapeContext& context, const Facts& facts)
{
    const auto scanned = static_cast<std::size_t>(context.node.intAttribute("num_scan_inputs", 0));
    if (scanned < 1 || scanned > context.inputs.size()) {
        return shapeError(context, fmt::format("{} scan inputs of {} inputs", scanned, context.inputs.size()));
    }
    const std::size_t carried = context.inputs.size() - scanned;
    const auto axes = context.node.intsAttribute("scan_input_axes");
    Dim length;
    std::vector<TypedShape> inputs;
    for (std::size_t i = 0; i < context.inputs.size(); ++i) {
        TypedShape input = context.inputs[i];
        if (i >= carried && input.shape) {
            const std::size_t axis =
                TRY(axisIn(context, i - carried < axes.size() ? axes[i - carried] : 0, input.shape->size()));
            length = (*input.shape)[axis];
            input.shape->erase(input.shape->begin() + static_cast<std::ptrdiff_t>(axis));
        }
        inputs.push_back(std::move(input));
    }
    const auto outputAxes = context.node.intsAttribute("scan_output_axes");
    std::vector<TypedShape> outputs = TRY(bodyOutputs(context, facts, "body", inputs));
    for (std::size_t i = carried; i < outputs.size(); ++i) {
        if (outputs[i].shape) {
            const std::int64_t wished = i - carried < outputAxes.size() ? outputAxes[i - carried] : 0;
            const std::size_t axis = TRY(axisIn(context, wished, outputs[i].shape->size() + 1));
            outputs[i].shape = withLeading(outputs[i].shape, axis, length);
        }
    }
    return outputs;
}

ShapeResult inferOne(ShapeContext& context, const Facts& facts)
{
    const Node& node = context.node;
    if (node.domain.empty() && node.op == "If") {
        return inferIf(context, facts);
    }
    if (node.domain.empty() && node.op == "Loop") {
        return inferLoop(context, facts);
    }
    if (node.domain.empty() && node.op == "Scan" && node.version >= 9) {
        return inferScan(context, facts);
    }
    const OpInfo* info = findOp(node.op, node.domain);
    if (info == nullptr || info->shape == nullptr) {
        return std::vector<TypedShape>{};
    }
    const auto count = static_cast<int>(node.inputs.size());
    if (count < info->minInputs || (info->maxInputs >= 0 && count > info->maxInputs)) {
        return shapeError(context, fmt::format("{} inputs, not {} to {}", count, info->minInputs, info->maxInputs));
    }
    return info->shape(context);
}

/// On codes the types are those of the grids, which the values state.
bool onCodes(const Graph& graph, const Node& node)
{
    const auto hasCodes = [&](ValueId id) { return id.valid() && graph.value(id).codes.has_value(); };
    return std::ranges::any_of(node.inputs, hasCodes) || std::ranges::any_of(node.outputs, hasCodes);
}

/// Whether there are as many numbers as the shape has elements: [2, 1] + [1, 2] has four.
bool isContentOf(const IntTerms& terms, const MaybeShape& shape)
{
    const auto dims = shape ? knownDims(*shape) : std::nullopt;
    return terms.size() <= largestContent && (!dims || elementCount(*dims) == static_cast<std::int64_t>(terms.size()));
}

Result<Facts> inferFacts(const Graph& graph, Facts facts)
{
    for (const NodeId id : graph.order()) {
        if (!graph.contains(id)) {
            continue;
        }
        const Node& node = graph.node(id);
        ShapeContext context = contextOf(graph, node, facts);
        std::vector<TypedShape> inferred = TRY(inferOne(context, facts));
        const bool statedTypes = onCodes(graph, node);
        for (std::size_t i = 0; i < node.outputs.size(); ++i) {
            const ValueId out = node.outputs[i];
            if (!out.valid() || i >= inferred.size()) {
                continue;
            }
            TypedShape& fact = facts.values[out.index];
            if (statedTypes && fact.type != ElementType::Undefined) {
                inferred[i].type = fact.type;
            }
            const std::optional<TypedShape> both = joined(fact, inferred[i]);
            if (!both) {
                return shapeError(context, fmt::format("the output {} is stated to be {} {}, and follows to be {} {}",
                                                       graph.value(out).name, shortName(fact.type), textOf(fact.shape),
                                                       shortName(inferred[i].type), textOf(inferred[i].shape)));
            }
            fact = *both;
            if (i < context.outputContents.size() && context.outputContents[i] &&
                isContentOf(*context.outputContents[i], fact.shape)) {
                facts.contents[out.index] = std::move(context.outputContents[i]);
            }
        }
    }
    return facts;
}

/// What the graph shall say of a value: for its inputs and outputs, the symbols of the file stay.
MaybeShape shapeToStore(const Graph& graph, ValueId id, const MaybeShape& inferred)
{
    const Value& value = graph.value(id);
    if (!value.shape || !inferred || (!graph.isOutput(id) && !graph.isInput(id))) {
        return inferred;
    }
    Shape kept = *value.shape;
    for (std::size_t i = 0; i < kept.size(); ++i) {
        if (!kept[i].known() && kept[i].symbol.empty()) {
            kept[i] = (*inferred)[i];
        }
    }
    return kept;
}

} // namespace

Result<void> inferShapes(Graph& graph)
{
    const Facts facts = TRY(inferFacts(graph, statedFacts(graph)));
    for (const ValueId id : graph.values()) {
        const Value& value = graph.value(id);
        const TypedShape& fact = facts.values[id.index];
        MaybeShape shape = shapeToStore(graph, id, fact.shape);
        if (value.type != fact.type || value.shape != shape) {
            Value changed = value;
            changed.type = fact.type;
            changed.shape = std::move(shape);
            graph.setValue(id, std::move(changed));
        }
    }
    return {};
}

Result<std::vector<TypedShape>> inferNode(const Graph& graph, const Node& node)
{
    if (foldingClass(node) == FoldingClass::Control) {
        const Facts facts = statedFacts(graph);
        ShapeContext context = contextOf(graph, node, facts);
        return inferOne(context, facts);
    }
    ShapeContext context{graph, node, {}, {}, {}};
    for (const ValueId id : node.inputs) {
        context.inputs.push_back(id.valid() ? statedFact(graph.value(id)) : TypedShape{});
        context.contents.push_back(id.valid() ? contentOf(graph.value(id).constant) : std::nullopt);
    }
    context.outputContents.resize(std::max<std::size_t>(node.outputs.size(), 1));
    return inferOne(context, {});
}

} // namespace crease
