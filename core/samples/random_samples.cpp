// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/samples/generator.h"
#include "core/samples/input_grid.h"
#include "core/samples/sample_builder.h"
#include "core/support/text.h"

#include "core/ir/integer_nodes.h"
#include "core/tensor/onnx_types.h"

#include <algorithm>
#include <cmath>
#include <set>

#include <fmt/format.h>

namespace crease {

namespace {

/// Real numbers from lowest to highest.
struct Range {
    double low = 0.0;
    double high = 0.0;
};

/// What the readers of an input say about it.
struct Hints {
    std::optional<Range> grid;              // it feeds a quantizer
    std::optional<std::int64_t> indexBelow; // it indexes a dimension of that size
    bool mask = false;
};

std::optional<Range> rangeOf(const std::vector<double>& scales, const std::vector<double>& zeroPoints, double qmin,
                             double qmax)
{
    std::optional<Range> range;
    for (std::size_t i = 0; i < std::max(scales.size(), zeroPoints.size()); ++i) {
        const double s = std::abs(scales[scales.size() == 1 ? 0 : i]);
        const double z = zeroPoints[zeroPoints.size() == 1 ? 0 : i];
        const Range channel{s * (qmin - z), s * (qmax - z)};
        if (!std::isfinite(channel.low) || !std::isfinite(channel.high) || !(channel.low < channel.high)) {
            return std::nullopt;
        }
        range = range ? Range{std::min(range->low, channel.low), std::max(range->high, channel.high)} : channel;
    }
    return range;
}

std::optional<Range> rangeOf(const Grid& grid)
{
    return rangeOf(grid.scales, {grid.zeroPoints.begin(), grid.zeroPoints.end()}, static_cast<double>(grid.qmin),
                   static_cast<double>(grid.qmax));
}

std::optional<Range> quantizerRange(const Graph& graph, const Node& node)
{
    if (node.is(nodes::fakeQuant, nodes::domain)) {
        const Grid* grid = node.gridAttribute(nodes::grid);
        return grid != nullptr ? rangeOf(*grid) : std::nullopt;
    }
    if (node.is(nodes::quantize, nodes::domain)) {
        const auto& codes = graph.value(node.output()).codes;
        return codes ? rangeOf(*codes) : std::nullopt;
    }
    const Tensor scale = constantOf(graph, node.input(1));
    const Tensor zero = constantOf(graph, node.input(2));
    if (!scale.valid() || !isFloat(scale.type()) || scale.size() == 0 || (zero.valid() && zero.size() == 0)) {
        return std::nullopt;
    }
    if (node.op == "QuantizeLinear") {
        const ElementType type = quantizedType(zero.type(), node.intAttribute("output_dtype", 0));
        if (!isInteger(type) ||
            (zero.valid() && zero.size() != 1 && scale.size() != 1 && zero.size() != scale.size())) {
            return std::nullopt;
        }
        return rangeOf(scale.toDoubles(), zero.valid() ? zero.toDoubles() : std::vector{0.0},
                       static_cast<double>(lowest(type)), static_cast<double>(highest(type)));
    }
    const Tensor bits = constantOf(graph, node.input(3));
    const bool qonnx =
        node.domain.find("qonnx") != std::string::npos || node.domain.find("brevitas") != std::string::npos;
    if (!qonnx || (node.op != "Quant" && node.op != "IntQuant") || bits.size() != 1 || zero.size() != 1) {
        return std::nullopt;
    }
    const double levels = std::exp2(std::clamp(bits.asDouble(0), 1.0, 32.0));
    const bool isSigned = node.intAttribute("signed", 1) != 0;
    return rangeOf(scale.toDoubles(), zero.toDoubles(), isSigned ? -levels / 2 : 0.0,
                   isSigned ? levels / 2 - 1 : levels - 1);
}

void lookAtReaders(const Graph& graph, ValueId value, Hints& hints, std::set<ValueId>& seen)
{
    if (!value.valid() || !seen.insert(value).second || seen.size() > 64) {
        return;
    }
    for (const Use& use : graph.uses(value)) {
        if (use.slot == Use::captured) {
            continue;
        }
        const Node& node = graph.node(use.node);
        if (use.slot == 0 && !hints.grid) {
            hints.grid = quantizerRange(graph, node);
        }
        if (use.slot == 1 && (node.op == "Gather" || node.op == "GatherElements")) {
            const auto& shape = graph.value(node.input(0)).shape;
            const auto axis = shape ? normalizedAxis(node.intAttribute("axis", 0), shape->size()) : std::nullopt;
            if (axis && (*shape)[static_cast<std::size_t>(*axis)].value > 0) {
                const std::int64_t size = (*shape)[static_cast<std::size_t>(*axis)].value;
                hints.indexBelow = std::min(hints.indexBelow.value_or(size), size);
            }
        }
        const bool toBool = node.op == "Cast" && node.intAttribute("to", 0) == 9;
        hints.mask = hints.mask || toBool || (node.op == "Where" && use.slot == 0);
        if (use.slot == 0 && (movesElements(node) || node.is("Cast"))) {
            lookAtReaders(graph, node.output(), hints, seen);
        }
    }
}

/// The dimensions that a random sample has: free ones are guessed as interface.md says, and each guess is announced.
Result<Dims> guessedDims(const Value& input, const std::optional<Shape>& shape, const SampleOptions& options)
{
    if (!shape) {
        auto error =
            failure(ErrorKind::Usage, "shape-needed",
                    fmt::format("input '{}' has no shape in the model: give it with --shape", printable(input.name)));
        error.error().value = input.name;
        return error;
    }
    const auto isChannels = [](const Dim& dim) { return dim.value == 1 || dim.value == 3; };
    const bool image = shape->size() == 4 && isChannels((*shape)[1]);
    const bool imageLast = shape->size() == 4 && !image && isChannels((*shape)[3]);
    Dims dims;
    bool guessed = false;
    for (std::size_t axis = 0; axis < shape->size(); ++axis) {
        const Dim& dim = (*shape)[axis];
        const bool side = (image && axis >= 2) || (imageLast && (axis == 1 || axis == 2));
        guessed = guessed || !dim.known();
        dims.push_back(dim.known() ? dim.value : side ? 224 : 1);
    }
    if (guessed) {
        addNote(options, Severity::Info, "guessed-shape",
                fmt::format("input '{}' is {} in the model; taken as {} (--shape says otherwise)",
                            printable(input.name), toText(*shape), toText(dims)),
                input.name);
    }
    return dims;
}

Result<Tensor> randomTensor(const Value& input, const Dims& dims, const Hints& hints, Generator generator)
{
    const auto count = elementCount(dims);
    if (!count || *count > (std::int64_t{1} << 31)) {
        return failure(ErrorKind::Usage, "sample-size",
                       fmt::format("a random sample of shape {} for input '{}' is too large", toText(dims),
                                   printable(input.name)));
    }
    const auto size = static_cast<std::size_t>(*count);
    if (isFloat(input.type)) {
        std::vector<double> values(size);
        for (double& value : values) {
            if (hints.grid) {
                value = hints.grid->low + (hints.grid->high - hints.grid->low) * generator.uniform();
            } else if (hints.mask) {
                value = static_cast<double>(generator.integer(0, 1));
            } else {
                value = generator.normal();
            }
        }
        return tensorOfDoubles(input.type, dims, values);
    }
    if (isInteger(input.type) || input.type == ElementType::Bool) {
        std::int64_t low = 0;
        std::int64_t high = 1;
        if (input.type != ElementType::Bool) {
            if (hints.indexBelow) {
                high = *hints.indexBelow - 1;
            } else if (input.codes) {
                low = input.codes->qmin;
                high = input.codes->qmax;
            } else if (!hints.mask) {
                low = lowest(input.type);
                high = highest(input.type);
            }
        }
        std::vector<std::int64_t> values(size);
        for (std::int64_t& value : values) {
            value = generator.integer(low, high);
        }
        return tensorOfInts(input.type, dims, values);
    }
    auto error = failure(ErrorKind::Unsupported, "sample-type",
                         fmt::format("input '{}' is {}: there are no random samples of that type",
                                     printable(input.name), longName(input.type)));
    error.error().value = input.name;
    return error;
}

} // namespace

Result<SampleSet> randomSamples(const Graph& graph, std::size_t count, std::uint64_t seed, const SampleOptions& options)
{
    const auto shapes = TRY(wantedShapes(graph, options));
    std::vector<Dims> dims;
    std::vector<Hints> hints;
    for (std::size_t i = 0; i < graph.inputs().size(); ++i) {
        const ValueId id = graph.inputs()[i];
        const Value& input = graph.value(id);
        dims.push_back(TRY(guessedDims(input, shapes[i], options)));
        std::set<ValueId> seen;
        Hints found;
        lookAtReaders(graph, id, found, seen);
        std::string name = input.name;
        std::ranges::transform(name, name.begin(), [](unsigned char c) { return std::tolower(c); });
        found.mask = found.mask || (isInteger(input.type) && name.find("mask") != std::string::npos);
        hints.push_back(found);
    }
    SampleSet set;
    set.seed = seed;
    set.source = fmt::format("random, seed {}", seed);
    for (std::size_t sample = 0; sample < count; ++sample) {
        std::vector<Tensor> tensors;
        for (std::size_t i = 0; i < dims.size(); ++i) {
            tensors.push_back(
                TRY(randomTensor(graph.value(graph.inputs()[i]), dims[i], hints[i], Generator(seed, sample, i))));
        }
        set.samples.push_back(std::move(tensors));
    }
    return set;
}

} // namespace crease
