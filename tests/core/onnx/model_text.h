// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/onnx/proto.h"
#include "core/support/result.h"

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wpedantic"
#pragma GCC diagnostic ignored "-Wshadow"
#pragma GCC diagnostic ignored "-Wold-style-cast"
#pragma GCC diagnostic ignored "-Wunused-parameter"
#pragma GCC diagnostic ignored "-Wnon-virtual-dtor"
#pragma GCC diagnostic ignored "-Woverloaded-virtual"
#include <onnx/defs/parser.h>
#pragma GCC diagnostic pop

#include <QTest>

#include <string>

namespace crease::test {

/// A ModelProto from the text syntax of onnx.
inline onnx::ModelProto protoOf(const std::string& text)
{
    onnx::ModelProto model;
    onnx::OnnxParser parser(text.c_str());
    const auto status = parser.Parse(model);
    if (!status.IsOK() || !parser.EndOfInput()) {
        qFatal("%s\nin %s", status.ErrorMessage().c_str(), text.c_str());
    }
    return model;
}

/// The same with a header for one opset.
inline onnx::ModelProto protoOf(int opset, const std::string& graph, int irVersion = 7)
{
    return protoOf("<ir_version: " + std::to_string(irVersion) + ", opset_import: [\"\" : " + std::to_string(opset) +
                   "]>\n" + graph);
}

inline std::string bytesOf(const onnx::ModelProto& model)
{
    return model.SerializePartialAsString();
}

} // namespace crease::test
