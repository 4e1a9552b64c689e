// SPDX-License-Identifier: MIT
// Lays out graph segments with dot: requests on stdin, answers on stdout. Ends with its input. A program of its own:
// nothing of Crease is in it but the definitions of the protocol.
#include <cerrno>
#include <cstdint>
#include <cstring>
#include <graphviz/gvc.h>
#include <string>
#include <unistd.h>
#include <vector>

/// What goes over the pipes between Crease and this program. Numbers are little-endian as the machine has them:
/// both ends run on the same one.
///
/// Request: Length, Header, then for each segment SegmentHead, its nodes, its edges.
/// Answer, one a segment and in their order: Length, AnswerHead, then a Place for each node.
/// Length counts the bytes that follow it.
namespace protocol {

using Length = std::uint32_t;
inline constexpr std::uint32_t kMagic = 0x43724c31;
inline constexpr Length kMaxLength = 64u << 20;

struct Header {
    std::uint32_t magic = kMagic;
    std::uint32_t segments = 0;
};

struct SegmentHead {
    std::uint32_t nodes = 0;
    std::uint32_t edges = 0;
    float columnGap = 16;
    float rankGap = 30;
};

enum class Role : std::uint32_t { Box = 0, Entry = 1, Exit = 2 };
enum class Side : std::uint32_t { Centre = 0, Left = 1, Right = 2 };

struct Node {
    Role role = Role::Box;
    float width = 0;
    float height = 0;
};

struct Edge {
    std::uint32_t from = 0;
    std::uint32_t to = 0;
    Side side = Side::Centre;
    std::uint32_t trunk = 0;
};

struct AnswerHead {
    std::uint32_t segment = 0;
    /// 0: laid out; otherwise no places follow.
    std::uint32_t failed = 0;
    std::uint32_t nodes = 0;
};

struct Place {
    float x = 0;
    float y = 0;
};

template <class T>
void put(std::string& out, const T& value)
{
    char bytes[sizeof(T)];
    std::memcpy(bytes, &value, sizeof(T));
    out.append(bytes, sizeof(T));
}

/// Takes a T off the front of [data, end); false when too little is left.
template <class T>
bool take(const char*& data, const char* end, T& value)
{
    if (static_cast<std::size_t>(end - data) < sizeof(T))
        return false;
    std::memcpy(&value, data, sizeof(T));
    data += sizeof(T);
    return true;
}

} // namespace protocol

namespace {

struct Segment {
    protocol::SegmentHead head;
    std::vector<protocol::Node> nodes;
    std::vector<protocol::Edge> edges;
};

constexpr double kPointsPerInch = 72;

class Graph {
public:
    explicit Graph(Agraph_t* graph) : m_graph(graph) {}
    ~Graph() { agclose(m_graph); }
    Graph(const Graph&) = delete;
    Graph& operator=(const Graph&) = delete;
    Agraph_t* get() const { return m_graph; }

    void set(void* object, const char* name, const std::string& value)
    {
        std::string key = name;
        std::string text = value;
        std::string none;
        agsafeset(object, key.data(), text.data(), none.data());
    }

private:
    Agraph_t* m_graph;
};

std::string inches(float points)
{
    return std::to_string(static_cast<double>(points) / kPointsPerInch);
}

/// Centres with y down; false when dot refuses.
bool layOut(GVC_t* context, const Segment& segment, std::vector<protocol::Place>& places)
{
    std::string name = "segment";
    Graph graph(agopen(name.data(), Agdirected, nullptr));
    graph.set(graph.get(), "nodesep", inches(segment.head.columnGap));
    graph.set(graph.get(), "ranksep", inches(segment.head.rankGap));
    graph.set(graph.get(), "splines", "false");
    graph.set(graph.get(), "nslimit", "2");
    std::string entriesName = "entries";
    std::string exitsName = "exits";
    Agraph_t* entries = agsubg(graph.get(), entriesName.data(), 1);
    Agraph_t* exits = agsubg(graph.get(), exitsName.data(), 1);
    graph.set(entries, "rank", "same");
    graph.set(exits, "rank", "same");
    std::vector<Agnode_t*> nodes;
    for (const protocol::Node& node : segment.nodes) {
        std::string id = std::to_string(nodes.size());
        Agnode_t* n = agnode(graph.get(), id.data(), 1);
        const bool box = node.role == protocol::Role::Box;
        graph.set(n, "shape", "box");
        graph.set(n, "fixedsize", "true");
        graph.set(n, "label", "");
        graph.set(n, "width", inches(box ? node.width : 4));
        graph.set(n, "height", inches(box ? node.height : 4));
        if (node.role == protocol::Role::Entry)
            agsubnode(entries, n, 1);
        if (node.role == protocol::Role::Exit)
            agsubnode(exits, n, 1);
        nodes.push_back(n);
    }
    for (const protocol::Edge& edge : segment.edges) {
        Agedge_t* e = agedge(graph.get(), nodes[edge.from], nodes[edge.to], nullptr, 1);
        if (edge.trunk != 0)
            graph.set(e, "weight", "20");
        if (edge.side == protocol::Side::Left)
            graph.set(e, "headport", "nw");
        else if (edge.side == protocol::Side::Right)
            graph.set(e, "headport", "ne");
    }
    if (gvLayout(context, graph.get(), "dot") != 0)
        return false;
    places.clear();
    for (Agnode_t* n : nodes)
        places.push_back({static_cast<float>(ND_coord(n).x), static_cast<float>(-ND_coord(n).y)});
    gvFreeLayout(context, graph.get());
    return true;
}

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

bool parseSegment(const char*& at, const char* end, Segment& segment)
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
    GVC_t* context = gvContext();
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
            Segment segment;
            if (!parseSegment(at, end, segment))
                return 2;
            std::vector<protocol::Place> places;
            const bool laidOut = layOut(context, segment, places);
            if (!answer(i, laidOut, places))
                return 0;
        }
    }
}
