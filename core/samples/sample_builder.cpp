// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/samples/sample_builder.h"

#include "core/samples/input_grid.h"
#include "core/support/text.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

namespace crease {

namespace {

std::unexpected<Error> misfit(const Value& input, std::string id, std::string text)
{
    auto error = failure(ErrorKind::Input, std::move(id), std::move(text));
    error.error().value = input.name;
    return error;
}

Tensor slice(const std::shared_ptr<const Tensor>& array, std::size_t first, Dims dims)
{
    const auto* data = array->raw() + first * byteWidth(array->type());
    return Tensor::view(array->type(), std::move(dims), array, data);
}

/// Real numbers as the codes by which the graph reads an integer input: rounded half to even and saturated, as
/// QuantizeLinear does.
Result<Tensor> quantizedFor(const Tensor& array, const Value& input, const Grid& grid, const SampleOptions& options)
{
    const double scale = grid.scales.front();
    const auto zero = static_cast<double>(grid.zeroPoints.front());
    std::vector<std::int64_t> codes;
    codes.reserve(array.size());
    std::size_t outside = 0;
    for (std::size_t i = 0; i < array.size(); ++i) {
        const double real = array.asDouble(i);
        if (!std::isfinite(real)) {
            return misfit(input, "sample-nan",
                          fmt::format("element {} of the sample is {}, which is no number to quantize for the {} input",
                                      i, shortest(real), longName(input.type)));
        }
        const double code = std::nearbyint(real / scale) + zero;
        const double kept = std::clamp(code, static_cast<double>(grid.qmin), static_cast<double>(grid.qmax));
        outside += kept != code ? 1 : 0;
        codes.push_back(static_cast<std::int64_t>(kept));
    }
    addNote(options, Severity::Info, "sample-quantized",
            fmt::format("samples of input '{}' are {} and the input {}: they are quantized on the grid that the model "
                        "reads it by (scale {}, zero point {})",
                        printable(input.name), longName(array.type()), longName(input.type), shortest(scale),
                        grid.zeroPoints.front()),
            input.name);
    if (outside > 0) {
        addNote(options, Severity::Warning, "sample-saturated",
                fmt::format("{} of {} elements of input '{}' lie outside {} to {}, the reach of its grid, and saturate",
                            outside, array.size(), printable(input.name),
                            shortest(scale * (static_cast<double>(grid.qmin) - zero)),
                            shortest(scale * (static_cast<double>(grid.qmax) - zero))),
                input.name);
    }
    return tensorOfInts(input.type, array.dims(), codes);
}

/// A conversion that keeps every value, or rounds float64 to a narrower float; real numbers for an integer input are
/// quantized where its grid is known.
Result<Tensor> convertedTo(const Tensor& array, const Graph& graph, ValueId id, const SampleOptions& options)
{
    const Value& input = graph.value(id);
    if (array.type() == input.type || input.type == ElementType::Undefined) {
        return array;
    }
    const auto refuse = [&](std::string_view why) {
        return misfit(input, "sample-type",
                      fmt::format("input '{}' is {} and the sample is {}{}", printable(input.name),
                                  longName(input.type), longName(array.type()), why));
    };
    const bool fromWhole = isInteger(array.type()) || array.type() == ElementType::Bool;
    const bool toWhole = isInteger(input.type) || input.type == ElementType::Bool;
    if (isFloat(array.type()) && isInteger(input.type)) {
        const auto grid = inputGrid(graph, id);
        return grid ? quantizedFor(array, input, *grid, options)
                    : refuse(", and the model does not say by one scale how that is quantized: give the codes "
                             "themselves");
    }
    if ((!fromWhole && !isFloat(array.type())) || (!toWhole && !isFloat(input.type)) || (!fromWhole && toWhole)) {
        return refuse("");
    }
    if (toWhole) {
        const std::int64_t low = input.type == ElementType::Bool ? 0 : lowest(input.type);
        const std::int64_t high = input.type == ElementType::Bool ? 1 : highest(input.type);
        for (std::size_t i = 0; i < array.size(); ++i) {
            const std::int64_t value = array.asInt(i);
            if (value < low || value > high || (array.type() == ElementType::UInt64 && value < 0)) {
                return refuse(fmt::format(" with the value {}", value));
            }
        }
    }
    addNote(options, Severity::Info, "sample-converted",
            fmt::format("samples of input '{}' are converted from {} to {}", printable(input.name),
                        longName(array.type()), longName(input.type)),
            input.name);
    return array.converted(input.type);
}

bool fits(const Dims& dims, std::size_t from, const Shape& shape, std::size_t shapeFrom)
{
    if (dims.size() - from != shape.size() - shapeFrom) {
        return false;
    }
    for (std::size_t i = 0; from + i < dims.size(); ++i) {
        const Dim& dim = shape[shapeFrom + i];
        if (dim.known() && dim.value != dims[from + i]) {
            return false;
        }
    }
    return true;
}

/// The samples of one input that an array holds.
Result<std::vector<Tensor>> split(const Tensor& array, const Value& input, const std::optional<Shape>& shape,
                                  Batches batches)
{
    if (!shape) {
        return std::vector{array};
    }
    const Dims& dims = array.dims();
    if (array.size() == 0 && !dims.empty() && dims[0] == 0 &&
        !(shape->size() == dims.size() && (*shape)[0].value == 0)) {
        return misfit(input, "no-samples",
                      fmt::format("the array for input '{}' has shape {}: it holds no samples", printable(input.name),
                                  toText(dims)));
    }
    const auto shared = std::make_shared<const Tensor>(array);
    const auto pieces = [&](std::int64_t count, const Dims& each) {
        std::vector<Tensor> result;
        const std::size_t step = count > 0 ? array.size() / static_cast<std::size_t>(count) : 0;
        for (std::int64_t i = 0; i < count; ++i) {
            result.push_back(slice(shared, static_cast<std::size_t>(i) * step, each));
        }
        return result;
    };
    if (dims.size() == shape->size()) {
        const bool freeBatch = !shape->empty() && !shape->front().known() && batches == Batches::Split;
        if (fits(dims, 0, *shape, 0) && (!freeBatch || dims[0] == 1)) {
            return std::vector{array};
        }
        if (!shape->empty() && fits(dims, 1, *shape, 1)) {
            const std::int64_t batch = shape->front().known() ? shape->front().value : 1;
            if (batch > 0 && dims[0] > 0 && dims[0] % batch == 0) {
                Dims each = dims;
                each[0] = batch;
                return pieces(dims[0] / batch, each);
            }
        }
    } else if (dims.size() + 1 == shape->size() && fits(dims, 0, *shape, 1) &&
               (!shape->front().known() || shape->front().value == 1)) {
        Dims each = dims;
        each.insert(each.begin(), 1);
        return std::vector{array.reshaped(each)};
    } else if (dims.size() == shape->size() + 1 && dims[0] > 0 && fits(dims, 1, *shape, 0)) {
        return pieces(dims[0], Dims(dims.begin() + 1, dims.end()));
    }
    return misfit(input, "sample-shape",
                  fmt::format("input '{}' has shape {} and the sample has shape {}", printable(input.name),
                              toText(*shape), toText(dims)));
}

/// Labels go along the samples, or along the rows of those where a sample is a batch of several. Those of one sample
/// may have any shape.
Result<std::vector<std::vector<std::int64_t>>> splitLabels(const Tensor& labels, std::size_t samples, std::size_t rows)
{
    const bool whole = isInteger(labels.type()) || labels.type() == ElementType::Bool;
    const std::size_t count = labels.rank() == 0 ? 0 : static_cast<std::size_t>(labels.dims()[0]);
    if (!whole && !isFloat(labels.type())) {
        return failure(ErrorKind::Input, "labels-type",
                       fmt::format("labels of type {} are not supported", longName(labels.type())));
    }
    if (samples == 0 || labels.size() == 0 || (samples > 1 && count != samples && count != samples * rows)) {
        return failure(ErrorKind::Input, "labels-count",
                       fmt::format("there are {} samples{} and labels of shape {}", samples,
                                   rows > 1 ? fmt::format(" of {} rows", rows) : "", toText(labels.dims())));
    }
    std::vector<std::vector<std::int64_t>> result(samples);
    const std::size_t each = labels.size() / samples;
    for (std::size_t i = 0; i < labels.size(); ++i) {
        if (!whole && std::trunc(labels.asDouble(i)) != labels.asDouble(i)) {
            return failure(ErrorKind::Input, "labels-type",
                           fmt::format("label {} is {}, which is no whole number", i, labels.asDouble(i)));
        }
        result[i / each].push_back(labels.asInt(i));
    }
    return result;
}

/// Which array belongs to each input; arrays that are used are moved out.
Result<std::vector<Tensor>> assign(NamedTensors& arrays, const Graph& graph, const SampleOptions& options)
{
    const auto takeNamed = [&](std::string_view name) {
        for (auto& [arrayName, tensor] : arrays) {
            if (arrayName == name && tensor.valid()) {
                return std::exchange(tensor, Tensor{});
            }
        }
        return Tensor{};
    };
    const auto& inputs = graph.inputs();
    std::vector<Tensor> result;
    bool any = false;
    for (const ValueId id : inputs) {
        result.push_back(takeNamed(graph.value(id).name));
        any = any || result.back().valid();
    }
    const auto tell = [&](const std::string& array, ValueId id) {
        addNote(options, Severity::Info, "sample-by-place",
                fmt::format("{} is taken for input '{}'",
                            array.empty() ? "the array without a name" : "array '" + printable(array) + "'",
                            printable(graph.value(id).name)),
                graph.value(id).name);
    };
    if (!any && inputs.size() == 1 && arrays.size() == 1) {
        result[0] = std::exchange(arrays[0].second, Tensor{});
        tell(arrays[0].first, inputs[0]);
    } else if (!any) {
        for (std::size_t i = 0; i < inputs.size(); ++i) {
            const std::string name = fmt::format("arr_{}", i);
            result[i] = takeNamed(name);
            if (result[i].valid()) {
                tell(name, inputs[i]);
            }
        }
    }
    for (std::size_t i = 0; i < inputs.size(); ++i) {
        if (!result[i].valid()) {
            std::string names;
            for (const auto& [name, tensor] : arrays) {
                names += (names.empty() ? "'" : ", '") + printable(name) + "'";
            }
            return misfit(graph.value(inputs[i]), "sample-missing",
                          fmt::format("there is no array for input '{}' (the file has {})",
                                      printable(graph.value(inputs[i]).name), names.empty() ? "none" : names));
        }
    }
    return result;
}

} // namespace

void addNote(const SampleOptions& options, Severity severity, std::string id, std::string text, std::string value)
{
    if (options.notes == nullptr) {
        return;
    }
    Diagnostic note{severity, std::move(id), std::move(text), {}, std::move(value)};
    if (std::ranges::find(*options.notes, note) == options.notes->end()) {
        options.notes->push_back(std::move(note));
    }
}

Result<std::vector<std::optional<Shape>>> wantedShapes(const Graph& graph, const SampleOptions& options)
{
    std::vector<std::optional<Shape>> result;
    std::map<std::string, std::int64_t> symbols;
    std::size_t used = 0;
    for (const ValueId id : graph.inputs()) {
        const Value& input = graph.value(id);
        auto shape = input.shape;
        const auto given = options.shapes.find(input.name);
        if (given != options.shapes.end()) {
            ++used;
            if (shape && !fits(given->second, 0, *shape, 0)) {
                auto error = failure(ErrorKind::Usage, "shape-contradicts",
                                     fmt::format("--shape {}={} does not fit the model's {}", printable(input.name),
                                                 toText(given->second), toText(*shape)));
                error.error().value = input.name;
                return error;
            }
            for (std::size_t axis = 0; shape && axis < shape->size(); ++axis) {
                if (!(*shape)[axis].symbol.empty()) {
                    symbols.emplace((*shape)[axis].symbol, given->second[axis]);
                }
            }
            shape = shapeOf(given->second);
        }
        result.push_back(std::move(shape));
    }
    if (used != options.shapes.size()) {
        for (const auto& [name, dims] : options.shapes) {
            const bool found =
                std::ranges::any_of(graph.inputs(), [&](ValueId id) { return graph.value(id).name == name; });
            if (!found) {
                return failure(ErrorKind::Usage, "shape-no-input",
                               fmt::format("--shape names '{}', and the model has no such input", printable(name)));
            }
        }
    }
    for (auto& shape : result) {
        for (std::size_t axis = 0; shape && axis < shape->size(); ++axis) {
            const auto known = symbols.find((*shape)[axis].symbol);
            if (!(*shape)[axis].known() && known != symbols.end()) {
                (*shape)[axis] = Dim{known->second};
            }
        }
    }
    return result;
}

Result<SampleSet> samplesFromArrays(NamedTensors arrays, const Graph& graph, const SampleOptions& options,
                                    Batches batches)
{
    const auto shapes = TRY(wantedShapes(graph, options));
    Tensor labels;
    const bool labelsInput =
        std::ranges::any_of(graph.inputs(), [&](ValueId id) { return graph.value(id).name == "labels"; });
    if (!labelsInput) {
        const auto found = std::ranges::find(arrays, "labels", [](const auto& array) { return array.first; });
        if (found != arrays.end()) {
            labels = found->second;
            arrays.erase(found);
        }
    }
    const auto perInput = TRY(assign(arrays, graph, options));
    for (const auto& [name, tensor] : arrays) {
        if (tensor.valid()) {
            addNote(options, Severity::Warning, "sample-unused",
                    fmt::format("array '{}' belongs to no input of the model", printable(name)), name);
        }
    }
    std::vector<std::vector<Tensor>> columns;
    std::size_t count = 1;
    for (std::size_t i = 0; i < perInput.size(); ++i) {
        const Value& input = graph.value(graph.inputs()[i]);
        const Tensor array = TRY(convertedTo(perInput[i], graph, graph.inputs()[i], options));
        columns.push_back(TRY(split(array, input, shapes[i], batches)));
        if (columns.back().size() != 1) {
            if (count != 1 && columns.back().size() != count) {
                return misfit(input, "sample-count",
                              fmt::format("input '{}' has {} samples and another input has {}", printable(input.name),
                                          columns.back().size(), count));
            }
            count = columns.back().size();
        }
    }
    for (std::size_t i = 0; i < columns.size() && count > 1; ++i) {
        if (columns[i].size() == 1) {
            const std::string& name = graph.value(graph.inputs()[i]).name;
            addNote(options, Severity::Info, "sample-repeated",
                    fmt::format("the one array of input '{}' is used for all {} samples", printable(name), count),
                    name);
        }
    }
    SampleSet set;
    set.samples.resize(count);
    for (auto& sample : set.samples) {
        const auto row = static_cast<std::size_t>(&sample - set.samples.data());
        for (const auto& column : columns) {
            sample.push_back(column[column.size() == 1 ? 0 : row]);
        }
    }
    if (labels.valid()) {
        const Tensor& first = set.samples.front().empty() ? labels : set.samples.front().front();
        const std::size_t rows = first.rank() == 0 ? 1 : static_cast<std::size_t>(first.dims()[0]);
        set.labels = TRY(splitLabels(labels, count, rows));
    }
    if (options.limit > 0 && set.samples.size() > options.limit) {
        set.samples.resize(options.limit);
        set.labels.resize(std::min(set.labels.size(), options.limit));
    }
    return set;
}

} // namespace crease
