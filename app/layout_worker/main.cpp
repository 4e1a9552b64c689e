// SPDX-License-Identifier: MIT
// Lays out graph segments with dot: requests on stdin, answers on stdout (ui/layout/protocol). Ends with its input.
#include "dot_layout.h"

#include <cerrno>
#include <string>
#include <unistd.h>

namespace protocol = layout_protocol;

namespace {

bool readAll(char* data, std::size_t size)
{
    while (size > 0) {
        const ssize_t n = read(STDIN_FILENO, data, size);
        if (n < 0 && errno == EINTR)
            continue;
        if (n <= 0)
            return false;
        data += n;
        size -= static_cast<std::size_t>(n);
    }
    return true;
}

bool writeAll(const std::string& data)
{
    std::size_t done = 0;
    while (done < data.size()) {
        const ssize_t n = write(STDOUT_FILENO, data.data() + done, data.size() - done);
        if (n < 0 && errno == EINTR)
            continue;
        if (n <= 0)
            return false;
        done += static_cast<std::size_t>(n);
    }
    return true;
}

bool parseSegment(const char*& at, const char* end, layout_worker::Segment& segment)
{
    if (!protocol::take(at, end, segment.head))
        return false;
    const std::size_t left = static_cast<std::size_t>(end - at);
    if (segment.head.nodes > left / sizeof(protocol::Node) || segment.head.edges > left / sizeof(protocol::Edge))
        return false;
    segment.nodes.resize(segment.head.nodes);
    segment.edges.resize(segment.head.edges);
    for (protocol::Node& node : segment.nodes) {
        if (!protocol::take(at, end, node))
            return false;
    }
    for (protocol::Edge& edge : segment.edges) {
        if (!protocol::take(at, end, edge) || edge.from >= segment.head.nodes || edge.to >= segment.head.nodes)
            return false;
    }
    return true;
}

bool answer(std::uint32_t index, bool laidOut, const std::vector<protocol::Place>& places)
{
    std::string body;
    protocol::put(body, protocol::AnswerHead{index, laidOut ? 0u : 1u, static_cast<std::uint32_t>(places.size())});
    if (laidOut) {
        for (const protocol::Place& place : places)
            protocol::put(body, place);
    }
    std::string message;
    protocol::put(message, static_cast<protocol::Length>(body.size()));
    return writeAll(message + body);
}

} // namespace

int main()
{
    layout_worker::DotLayout layout;
    std::string message;
    for (;;) {
        protocol::Length length = 0;
        if (!readAll(reinterpret_cast<char*>(&length), sizeof length))
            return 0;
        if (length > protocol::kMaxLength)
            return 2;
        message.resize(length);
        if (!readAll(message.data(), length))
            return 0;
        const char* at = message.data();
        const char* end = at + message.size();
        protocol::Header header;
        if (!protocol::take(at, end, header) || header.magic != protocol::kMagic)
            return 2;
        for (std::uint32_t i = 0; i < header.segments; ++i) {
            layout_worker::Segment segment;
            if (!parseSegment(at, end, segment))
                return 2;
            std::vector<protocol::Place> places;
            const bool laidOut = layout.run(segment, places);
            if (!answer(i, laidOut, places))
                return 0;
        }
    }
}
