// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <initializer_list>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace google::protobuf {
class Message;
}

namespace crease::wire {

/// The bytes of every field of a message whose number is not in `handled`: those that the installed onnx header does
/// not know as well as those it knows and an older one does not. The message is left as it was.
std::string extraFields(google::protobuf::Message& message, std::initializer_list<int> handled);

/// Takes the payloads of all length-delimited fields of that number out of `bytes`.
std::vector<std::string> takeField(std::string& bytes, int number);

void appendVarint(std::string& bytes, std::uint64_t value);
void appendField(std::string& bytes, int number, std::string_view payload);

/// StringStringEntryProto.
std::pair<std::string, std::string> keyAndValue(const std::string& payload);
std::string keyAndValueBytes(const std::string& key, const std::string& value);

/// Where and why the bytes are no well-formed ModelProto (or TensorProto): one clause with the byte offset.
std::string describeFault(std::string_view bytes);

} // namespace crease::wire
