// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/samples/sample_builder.h"

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

/// A conversion that keeps every value, or rounds float64 to a narrower float.
Result<Tensor> convertedTo(const Tensor& array, const Value& input, const SampleOptions& options)
{
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

Result<std::vector<std::vector<std::int64_t>>> splitLabels(const Tensor& labels, std::size_t samples)
{
    const bool whole = isInteger(labels.type()) || labels.type() == ElementType::Bool;
    const std::size_t count = labels.rank() == 0 ? 0 : static_cast<std::size_t>(labels.dims()[0]);
    if (!whole && !isFloat(labels.type())) {
        return failure(ErrorKind::Input, "labels-type",
                       fmt::format("labels of type {} are not supported", longName(labels.type())));
    }
    if (samples == 0 || count == 0 || count % samples != 0) {
        return failure(ErrorKind::Input, "labels-count",
                       fmt::format("there are {} samples and labels of shape {}", samples, toText(labels.dims())));
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
Result<std::vector<Tensor>> assign(NamedTensors& arrays, const Graph& graph)
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
    if (!any && inputs.size() == 1 && arrays.size() == 1) {
        result[0] = std::exchange(arrays[0].second, Tensor{});
    } else if (!any) {
        for (std::size_t i = 0; i < inputs.size(); ++i) {
            result[i] = takeNamed(fmt::format("arr_{}", i));
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
    const auto perInput = TRY(assign(arrays, graph));
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
        const Tensor array = TRY(convertedTo(perInput[i], input, options));
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
    SampleSet set;
    set.samples.resize(count);
    for (auto& sample : set.samples) {
        const auto row = static_cast<std::size_t>(&sample - set.samples.data());
        for (const auto& column : columns) {
            sample.push_back(column[column.size() == 1 ? 0 : row]);
        }
    }
    if (labels.valid()) {
        set.labels = TRY(splitLabels(labels, count));
    }
    if (options.limit > 0 && set.samples.size() > options.limit) {
        set.samples.resize(options.limit);
        set.labels.resize(std::min(set.labels.size(), options.limit));
    }
    return set;
}

} // namespace crease
