// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/onnx/proto.h"
#include "core/support/result.h"

#include <map>
#include <string>
#include <tuple>
#include <vector>

namespace crease {

std::string normalDomain(const std::string& domain); // "" for ai.onnx

using OpsetImports = google::protobuf::RepeatedPtrField<onnx::OperatorSetIdProto>;
std::map<std::string, int> opsetsOf(const OpsetImports& imports);
/// `first`, and what only `second` has.
std::map<std::string, int> mergedOpsets(std::map<std::string, int> first, const std::map<std::string, int>& second);

/// The parts of a FunctionProto that onnx 1.12 does not know.
struct FunctionExtras {
    std::vector<onnx::AttributeProto> defaults;
    std::vector<onnx::ValueInfoProto> valueInfo;
};
Result<FunctionExtras> functionExtras(onnx::FunctionProto& function);

/// The functions of a model by domain, name and overload.
class FunctionTable {
public:
    static Result<FunctionTable> create(onnx::ModelProto& model);
    onnx::FunctionProto* find(const std::string& domain, const std::string& name, const std::string& overload) const;

private:
    std::map<std::tuple<std::string, std::string, std::string>, onnx::FunctionProto*> m_functions;
};

} // namespace crease
