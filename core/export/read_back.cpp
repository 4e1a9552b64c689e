// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/export/read_back.h"

#include "core/exec/program.h"
#include "core/samples/samples.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <unordered_map>

namespace crease {

namespace {

std::unexpected<Error> differs(const std::string& message, const std::string& value)
{
    Error error{ErrorKind::Internal, "read-back-differs", "the written file reads back differently: " + message};
    error.value = value;
    return std::unexpected(std::move(error));
}

std::unordered_map<std::string, ValueId> byName(const Graph& graph)
{
    std::unordered_map<std::string, ValueId> names;
    for (const ValueId id : graph.values()) {
        names.emplace(graph.value(id).name, id);
    }
    return names;
}

bool sameNames(const Graph& a, const std::vector<ValueId>& left, const Graph& b, const std::vector<ValueId>& right)
{
    return std::ranges::equal(left, right, [&](ValueId x, ValueId y) { return a.value(x).name == b.value(y).name; });
}

/// Inputs by place: the same constant, or a value of the same name. A constant that is an attribute in the file's opset
/// has another name there.
Result<void> compareInputs(const Graph& written, const Node& node, const Graph& readBack, const Node& other,
                           const std::string& name)
{
    for (std::size_t slot = 0; slot < std::max(node.inputs.size(), other.inputs.size()); ++slot) {
        const ValueId left = node.input(slot);
        const ValueId right = other.input(slot);
        if (left.valid() != right.valid()) {
            return differs(fmt::format("input {} of {} is absent on one side", slot, node.op), name);
        }
        if (!left.valid()) {
            continue;
        }
        const Value& a = written.value(left);
        const Value& b = readBack.value(right);
        const bool same = a.isConstant() ? b.isConstant() && a.constant.identical(b.constant) : a.name == b.name;
        if (!same) {
            return differs(fmt::format("input {} of {} is '{}', not '{}'", slot, node.op, b.name, a.name), name);
        }
    }
    return {};
}

struct StepDifference {
    std::int64_t most = 0;
    std::int64_t count = 0; // of elements off by one or more
};

StepDifference stepsBetween(const Tensor& a, const Tensor& b)
{
    StepDifference difference;
    const std::vector<std::int64_t> left = a.toInts();
    const std::vector<std::int64_t> right = b.toInts();
    for (std::size_t i = 0; i < left.size(); ++i) {
        const std::int64_t steps = std::abs(left[i] - right[i]);
        difference.most = std::max(difference.most, steps);
        difference.count += steps > 0 ? 1 : 0;
    }
    return difference;
}

/// The largest difference as a part of the reference's range.
double relativeDifference(const Tensor& reference, const Tensor& value)
{
    double range = 0.0;
    double most = 0.0;
    for (std::size_t i = 0; i < reference.size(); ++i) {
        const double want = reference.asDouble(i);
        const double got = value.asDouble(i);
        if (std::isnan(want) && std::isnan(got)) {
            continue;
        }
        if (want == got) {
            range = std::max(range, std::isfinite(want) ? std::abs(want) : 0.0);
            continue;
        }
        range = std::max(range, std::abs(want));
        most = std::max(most, std::abs(want - got));
    }
    return most == 0.0 ? 0.0 : (range == 0.0 ? most : most / range);
}

} // namespace

Result<void> compareContents(const Graph& written, const Graph& readBack)
{
    if (written.nodeCount() != readBack.nodeCount()) {
        return differs(fmt::format("{} nodes against {}", readBack.nodeCount(), written.nodeCount()), {});
    }
    if (!sameNames(written, written.inputs(), readBack, readBack.inputs()) ||
        !sameNames(written, written.outputs(), readBack, readBack.outputs())) {
        return differs("its inputs or outputs have other names", {});
    }
    const auto names = byName(readBack);
    for (const NodeId id : written.order()) {
        const Node& node = written.node(id);
        for (const ValueId output : node.outputs) {
            if (!output.valid()) {
                continue;
            }
            const std::string& name = written.value(output).name;
            const auto found = names.find(name);
            const NodeId twin = found == names.end() ? NodeId{} : readBack.producer(found->second);
            if (!twin.valid()) {
                return differs("no node makes the value", name);
            }
            const Node& other = readBack.node(twin);
            if (node.op != other.op || node.domain != other.domain) {
                return differs(fmt::format("{} makes the value, not {}", other.op, node.op), name);
            }
            TRY(compareInputs(written, node, readBack, other, name));
        }
    }
    return {};
}

Result<void> compareResults(const Graph& final, const Graph& readBack, Diagnostics& diagnostics, const Job& job)
{
    const auto skipped = [&](const Error& error) {
        if (error.kind == ErrorKind::Cancelled) {
            return Result<void>(std::unexpected(error));
        }
        diagnostics.push_back(
            {Severity::Warning, "output-not-run",
             "the written file was compared with the graph it came from, but not run: " + describe(error), error.node,
             error.value});
        return Result<void>();
    };
    const auto samples = randomSamples(final, 1, 1, {});
    if (!samples) {
        return skipped(samples.error());
    }
    const auto reference = Program::create(final, {.threads = job.threads});
    const auto program = Program::create(readBack, {.threads = job.threads});
    if (!reference || !program) {
        return skipped(reference ? program.error() : reference.error());
    }
    std::unordered_map<std::string, Tensor> known;
    const auto names = byName(readBack);
    const auto ran = reference->run(samples->samples[0], job, [&](ValueId id, const Tensor& tensor) {
        const Value& value = final.value(id);
        if (value.codes && names.contains(value.name) && !value.isConstant()) {
            known.emplace(value.name, tensor);
        }
        return tensor;
    });
    if (!ran) {
        return skipped(ran.error());
    }
    Result<void> result;
    const auto outputs = program->run(samples->samples[0], job, [&](ValueId id, const Tensor& tensor) {
        const std::string& name = readBack.value(id).name;
        const auto found = known.find(name);
        // Sums that the file holds in float32 are compared where they become codes.
        if (found == known.end() || !isInteger(tensor.type()) || !result) {
            return tensor;
        }
        Tensor want = std::move(found->second);
        known.erase(found);
        if (want.dims() != tensor.dims() || want.type() != tensor.type()) {
            result = differs(fmt::format("{} of {} against {} of {}", longName(tensor.type()), toText(tensor.dims()),
                                         longName(want.type()), toText(want.dims())),
                             name);
            return tensor;
        }
        // Wider codes have no integer kernels: float32 sums reach a few of their smaller steps.
        const std::int64_t allowed = byteWidth(want.type()) == 1 ? 1 : 4;
        if (const StepDifference difference = stepsBetween(want, tensor); difference.most > allowed) {
            result = differs(
                fmt::format("{} of {} codes differ, by up to {} steps", difference.count, want.size(), difference.most),
                name);
        }
        return want;
    });
    if (!outputs) {
        return skipped(outputs.error());
    }
    TRY(result);
    constexpr double tolerance = 1e-3;
    for (std::size_t i = 0; i < outputs->size(); ++i) {
        const Tensor& want = (*ran)[i];
        const Tensor& got = (*outputs)[i];
        const std::string& name = readBack.value(readBack.outputs()[i]).name;
        if (want.dims() != got.dims()) {
            return differs("an output has another shape", name);
        }
        if (isFloat(want.type()) && relativeDifference(want, got) > tolerance) {
            return differs(fmt::format("a float output is off by {:.3g} of its range", relativeDifference(want, got)),
                           name);
        }
    }
    return {};
}

} // namespace crease
