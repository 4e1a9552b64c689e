// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/ui/layout/graphs.h"
#include "ui/layout/layout.h"
#include "ui/layout/ranks.h"
#include "ui/layout/rect_index.h"
#include "ui/layout/segment_graph.h"

#include <QtTest>

#include <algorithm>
#include <cmath>

using namespace crease::layout;

namespace {

QString overlap(const LayoutResult& layout)
{
    RectIndex index;
    for (Index b = 0; b < layout.boxes.size(); ++b) {
        if (!index.isFree(layout.rect(b)))
            return QString("box %1 overlaps box %2").arg(b).arg(index.find(layout.rect(b)).front());
        index.insert(b, layout.rect(b));
    }
    return {};
}

/// An edge whose drawn path runs through a box that is not one of its ends.
QString edgeThroughBox(const LayoutResult& layout)
{
    RectIndex index;
    for (Index b = 0; b < layout.boxes.size(); ++b)
        index.insert(b, layout.rect(b));
    for (Index e = 0; e < layout.edges.size(); ++e) {
        const auto& points = layout.paths[e].points;
        for (std::size_t i = 1; i < points.size(); ++i) {
            if (std::abs(points[i].x - points[i - 1].x) > 0.5)
                continue;
            const Rect piece{points[i].x - 1, std::min(points[i - 1].y, points[i].y) + 1, points[i].x + 1,
                             std::max(points[i - 1].y, points[i].y) - 1};
            for (Index b : index.find(piece)) {
                if (b != layout.edges[e].from && b != layout.edges[e].to)
                    return QString("edge %1 runs through box %2").arg(e).arg(b);
            }
        }
    }
    return {};
}

Graph withoutBoxes(const LayoutResult& layout, auto&& removed)
{
    Graph graph;
    std::vector<Index> kept(layout.boxes.size(), kNone);
    for (Index b = 0; b < layout.boxes.size(); ++b) {
        if (!removed(b)) {
            kept[b] = static_cast<Index>(graph.boxes.size());
            graph.boxes.push_back(layout.boxes[b]);
        }
    }
    // A removed box passes its main input on.
    const auto source = [&](Index b) {
        while (kept[b] == kNone) {
            const auto in =
                std::ranges::find_if(layout.edges, [&](const Edge& e) { return e.to == b && e.port == Port::Main; });
            if (in == layout.edges.end())
                return kNone;
            b = in->from;
        }
        return kept[b];
    };
    for (const Edge& e : layout.edges) {
        Edge copy = e;
        copy.from = source(e.from);
        copy.to = kept[e.to];
        if (copy.from != kNone && copy.to != kNone)
            graph.edges.push_back(copy);
    }
    return graph;
}

} // namespace

class TestLayout : public QObject {
    Q_OBJECT

private slots:
    void networks_data()
    {
        QTest::addColumn<int>("kind");
        QTest::addColumn<int>("size");
        for (int size : {1, 2, 7, 60}) {
            QTest::addRow("residual %d", size) << 0 << size;
            QTest::addRow("masked %d", size) << 1 << size;
            QTest::addRow("recurrent %d", size) << 2 << size;
        }
    }

    void networks()
    {
        QFETCH(int, kind);
        QFETCH(int, size);
        const Graph graph = kind == 0   ? test::residualNetwork(size)
                            : kind == 1 ? test::maskedNetwork(size)
                                        : test::recurrentNetwork(size);
        const LayoutPtr layout = layoutGraph(graph);
        QVERIFY(layout);
        QCOMPARE(layout->centres.size(), graph.boxes.size());
        QCOMPARE(overlap(*layout), QString());
        QCOMPARE(edgeThroughBox(*layout), QString());
        for (Index e = 0; e < layout->edges.size(); ++e) {
            const Edge& edge = layout->edges[e];
            QVERIFY2(layout->ranks[edge.from] < layout->ranks[edge.to], qPrintable(QString::number(e)));
            const EdgePath& path = layout->paths[e];
            if (path.shape == PathShape::Stub) {
                QVERIFY(path.points.empty());
                continue;
            }
            QCOMPARE(path.points.front().y, layout->rect(edge.from).bottom);
            QCOMPARE(path.points.back().y, layout->rect(edge.to).top);
            QCOMPARE(path.points.back().x, layout->centres[edge.to].x + edge.toOffset);
        }
    }

    void trunk_is_straight()
    {
        const LayoutPtr layout = layoutGraph(test::residualNetwork(20));
        // Every BatchNorm, Relu and Add of the main path is in one column.
        int inColumn = 0;
        for (const Point& c : layout->centres)
            inColumn += std::abs(c.x - layout->centres[0].x) < 0.5 ? 1 : 0;
        QVERIFY2(inColumn >= 20 * 11, qPrintable(QString::number(inColumn)));
        QVERIFY2(layout->bounds.width() < 700, qPrintable(QString::number(layout->bounds.width())));
    }

    void trunk_is_straight_through_side_ports()
    {
        // x * f(x), many times over: the longer way enters by the second port of an op with three operands.
        test::GraphMaker g;
        Index at = g.box();
        for (int i = 0; i < 30; ++i) {
            const Index f = g.box();
            g.edge(at, f);
            const Index product = g.box();
            g.edge(at, product);
            g.edge(f, product, Port::Operand);
            g.edge(at, product, Port::Weight);
            at = product;
        }
        const LayoutPtr layout = layoutGraph(g.graph());
        for (const Point& c : layout->centres)
            QVERIFY2(std::abs(c.x - layout->centres[0].x) < 0.5, qPrintable(QString::number(c.x)));
    }

    void weights_stand_left_above_their_operator()
    {
        const LayoutPtr layout = layoutGraph(test::residualNetwork(3));
        int weights = 0;
        for (const Edge& e : layout->edges) {
            if (e.port != Port::Weight)
                continue;
            ++weights;
            QVERIFY(layout->centres[e.from].x < layout->centres[e.to].x);
            QCOMPARE(layout->ranks[e.from], layout->ranks[e.to] - 1);
        }
        QCOMPARE(weights, 7);
    }

    void rank_pitch_is_64_and_tight_pairs_are_closer()
    {
        test::GraphMaker g;
        const Index a = g.box();
        const Index b = g.box();
        const Index c = g.box();
        g.edge(a, b, Port::Main, true);
        g.edge(b, c);
        const LayoutPtr layout = layoutGraph(g.graph());
        QCOMPARE(layout->centres[b].y - layout->centres[a].y, 44.0);
        QCOMPARE(layout->centres[c].y - layout->centres[b].y, 64.0);
    }

    void same_input_same_layout()
    {
        const LayoutPtr first = layoutGraph(test::residualNetwork(12));
        const LayoutPtr second = layoutGraph(test::residualNetwork(12));
        QVERIFY(first->centres == second->centres);
        QVERIFY(first->paths == second->paths);
    }

    void wide_fan_out_becomes_stubs()
    {
        test::GraphMaker g;
        const Index hub = g.box();
        Index at = hub;
        for (int i = 0; i < 8; ++i) {
            const Index next = g.box();
            g.edge(at, next);
            if (i > 0)
                g.edge(hub, next, Port::Operand);
            at = next;
        }
        const LayoutPtr layout = layoutGraph(g.graph());
        const auto stubs =
            std::ranges::count(layout->paths, PathShape::Stub, [](const EdgePath& p) { return p.shape; });
        QCOMPARE(stubs, 7); // eight readers, the nearest stays drawn
        std::size_t atSource = 0;
        std::size_t named = 0;
        for (const StubChip& chip : layout->chips) {
            QVERIFY(chip.rect.width() > 0);
            for (Index b = 0; b < layout->boxes.size(); ++b)
                QVERIFY(!chip.rect.intersects(layout->rect(b)));
            if (chip.atSource) {
                ++atSource;
                named += chip.edges.size();
            }
        }
        QCOMPARE(atSource, kMaxChips);
        QCOMPARE(named, std::size_t{7});
    }

    void negative_six_readers_are_no_stubs()
    {
        test::GraphMaker g;
        const Index hub = g.box();
        for (int i = 0; i < 6; ++i)
            g.edge(hub, g.box());
        const LayoutPtr layout = layoutGraph(g.graph());
        QVERIFY(layout->chips.empty());
    }

    void long_edge_becomes_stub()
    {
        for (const int length : {20, 21}) {
            test::GraphMaker g;
            const Index first = g.box();
            Index at = first;
            for (int i = 0; i < length; ++i) {
                const Index next = g.box();
                g.edge(at, next);
                at = next;
            }
            g.edge(first, at, Port::Operand);
            const LayoutPtr layout = layoutGraph(g.graph());
            QCOMPARE(layout->paths.back().shape == PathShape::Stub, length > 20);
            QCOMPARE(layout->chips.size(), length > 20 ? std::size_t{2} : std::size_t{0});
        }
    }

    void cycle_is_survived()
    {
        test::GraphMaker g;
        const Index a = g.box();
        const Index b = g.box();
        g.edge(a, b);
        g.edge(b, a, Port::Operand);
        const LayoutPtr layout = layoutGraph(g.graph());
        QCOMPARE(overlap(*layout), QString());
    }

    void empty_graph()
    {
        const LayoutPtr layout = layoutGraph({});
        QVERIFY(layout->centres.empty());
    }

    void stopping_gives_nothing()
    {
        std::stop_source source;
        source.request_stop();
        Options options;
        options.stop = source.get_token();
        QVERIFY(!layoutGraph(test::residualNetwork(3), options));
    }

    void repeated_blocks_come_from_the_cache()
    {
        SegmentCache cache;
        Options options;
        options.cache = &cache;
        const LayoutPtr first = layoutGraph(test::residualNetwork(40), options);
        const std::size_t distinct = cache.misses();
        const LayoutPtr second = layoutGraph(test::residualNetwork(40), options);
        QCOMPARE(cache.misses(), distinct);
        QVERIFY(cache.hits() > 0);
        QVERIFY(first->centres == second->centres);
        QVERIFY(layoutGraph(test::residualNetwork(40))->centres == first->centres);
    }

    void untouched_boxes_do_not_move()
    {
        const LayoutPtr before = layoutGraph(test::residualNetwork(10));
        const Graph next = withoutBoxes(*before, [](Index b) { return b % 14 == 4; });
        const LayoutPtr after = layoutNextStage(*before, next, {});
        QVERIFY(after->boxes.size() < before->boxes.size());
        for (Index a = 0; a < after->boxes.size(); ++a) {
            const Index b = static_cast<Index>(after->boxes[a].id - 1);
            QCOMPARE(after->centres[a].x, before->centres[b].x);
            QCOMPARE(after->centres[a].y, before->centres[b].y);
        }
        QCOMPARE(overlap(*after), QString());
        QCOMPARE(edgeThroughBox(*after), QString());
    }

    void new_boxes_stand_where_their_ancestors_stood()
    {
        const LayoutPtr before = layoutGraph(test::residualNetwork(4));
        Graph next{before->boxes, before->edges};
        const Index target = 4;
        next.boxes[target].id = 5000;
        const Origin origin{5000, {before->boxes[target].id}, 0};
        const LayoutPtr after = layoutNextStage(*before, next, std::span(&origin, 1));
        QCOMPARE(after->centres[target].x, before->centres[target].x);
        QCOMPARE(after->centres[target].y, before->centres[target].y);
    }

    void one_to_many_finds_free_space()
    {
        const LayoutPtr before = layoutGraph(test::residualNetwork(4));
        Graph next{before->boxes, before->edges};
        const Index target = 4;
        std::vector<Origin> origins;
        Index last = target;
        for (std::uint64_t id = 5000; id < 5003; ++id) {
            Box box = before->boxes[target];
            box.id = id;
            next.boxes.push_back(box);
            const Index added = static_cast<Index>(next.boxes.size() - 1);
            Edge edge;
            edge.from = last;
            edge.to = added;
            edge.tensor = 1000000 + id;
            next.edges.push_back(edge);
            last = added;
            origins.push_back({id, {before->boxes[target].id}, 0});
        }
        const LayoutPtr after = layoutNextStage(*before, next, origins);
        QCOMPARE(overlap(*after), QString());
        for (Index b = 0; b < before->boxes.size(); ++b)
            QVERIFY(after->centres[b] == before->centres[b]);
        for (std::size_t b = before->boxes.size(); b < after->boxes.size(); ++b) {
            QVERIFY(std::abs(after->centres[b].y - before->centres[target].y) < 400);
            QVERIFY(std::abs(after->centres[b].x - before->centres[target].x) < 600);
        }
    }

    void merged_column_stands_in_the_middle()
    {
        test::GraphMaker g;
        const Index a = g.box();
        const Index q = g.box();
        const Index dq = g.box();
        const Index z = g.box();
        g.edge(a, q);
        g.edge(q, dq, Port::Main, true);
        g.edge(dq, z);
        const LayoutPtr before = layoutGraph(g.graph());
        Graph next;
        next.boxes = {before->boxes[a], before->boxes[q], before->boxes[z]};
        next.boxes[1].id = 77;
        next.edges = {{0, 1, Port::Main, 0, 0, 1, false}, {1, 2, Port::Main, 0, 0, 2, false}};
        const Origin origin{77, {before->boxes[q].id, before->boxes[dq].id}, 0};
        const LayoutPtr after = layoutNextStage(*before, next, std::span(&origin, 1));
        QCOMPARE(after->centres[1].y, (before->centres[q].y + before->centres[dq].y) / 2);
        QCOMPARE(after->paths[0].points.size(), std::size_t{2});
    }
};

QTEST_GUILESS_MAIN(TestLayout)
#include "tst_layout.moc"
