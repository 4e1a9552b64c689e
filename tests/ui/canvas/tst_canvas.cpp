// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/ui/canvas/demo_scene.h"
#include "ui/canvas/canvas_pair.h"
#include "ui/canvas/draw.h"
#include "ui/canvas/islands.h"
#include "ui/support/icons.h"

#include <QFontMetricsF>
#include <QPainter>
#include <QSignalSpy>
#include <QSvgRenderer>
#include <QWheelEvent>
#include <QtTest>

using namespace crease;

namespace {

/// Saves what was drawn where CREASE_PICTURES names a folder, to be looked at.
void keep(QWidget& widget, const QString& name)
{
    const QString folder = qEnvironmentVariable("CREASE_PICTURES");
    if (!folder.isEmpty())
        widget.grab().save(folder + "/" + name + ".png");
}

struct Demo {
    Scene beforeScene = test::beforeFold();
    PicturePtr before = makePicture(beforeScene);
    PicturePtr after = makeNextPicture(*before, test::afterFold(beforeScene), {});

    std::uint64_t id(const QString& op, const QString& name) const { return test::idOf(beforeScene, op, name); }
};

/// A view of 800 x 700 on a picture, centred on a point of the scene.
struct Pane {
    Camera camera;
    CanvasView view{camera};

    explicit Pane(PicturePtr picture, double zoom = 1, QPointF centre = {0, 300})
    {
        camera.setAnimated(false);
        view.resize(800, 700 + CanvasView::kHeadHeight);
        view.setLegendVisible(false);
        view.setMinimapVisible(false);
        view.setPicture(std::move(picture));
        camera.setView({centre, zoom, nullptr});
        view.show();
    }

    QPointF screen(QPointF scene) const
    {
        return camera.view().toScreen(scene, view.canvasSize()) + QPointF(0, CanvasView::kHeadHeight);
    }
    QPointF screen(std::uint64_t id) const { return screen(view.picture()->rect(*view.picture()->find(id)).center()); }
    QRect box(const QRectF& scene) const
    {
        return QRectF(screen(scene.topLeft()), screen(scene.bottomRight())).toAlignedRect();
    }
    QRect box(std::uint64_t id) const { return box(view.picture()->rect(*view.picture()->find(id))); }
    QImage image() { return view.grab().toImage(); }
};

int count(const QImage& image, const QRect& area, const QColor& colour)
{
    int n = 0;
    const QRect inside = area.intersected(image.rect());
    for (int y = inside.top(); y <= inside.bottom(); ++y) {
        for (int x = inside.left(); x <= inside.right(); ++x)
            n += image.pixel(x, y) == colour.rgb() ? 1 : 0;
    }
    return n;
}

/// The same, for what another renderer has blended a little.
int countNear(const QImage& image, const QColor& colour)
{
    int n = 0;
    for (int y = 0; y < image.height(); ++y) {
        for (int x = 0; x < image.width(); ++x) {
            const QColor c = image.pixelColor(x, y);
            n += std::abs(c.red() - colour.red()) + std::abs(c.green() - colour.green()) +
                             std::abs(c.blue() - colour.blue()) <
                         60
                     ? 1
                     : 0;
        }
    }
    return n;
}

/// Colours that are not plain along a row: text and lines leave many.
int distinct(const QImage& image, const QRect& area)
{
    std::set<QRgb> colours;
    const QRect inside = area.intersected(image.rect());
    for (int y = inside.top(); y <= inside.bottom(); ++y) {
        for (int x = inside.left(); x <= inside.right(); ++x)
            colours.insert(image.pixel(x, y));
    }
    return static_cast<int>(colours.size());
}

const Theme& light()
{
    return Theme::light();
}

/// Eight readers of one tensor, so that it has stubs.
PicturePtr hubPicture()
{
    Scene scene;
    for (std::uint64_t i = 1; i <= 9; ++i) {
        SceneNode node;
        node.id = i;
        node.op = "Op";
        node.name = node.shortName = QString("n%1").arg(i);
        scene.nodes.push_back(node);
    }
    for (std::uint32_t i = 1; i < 9; ++i) {
        SceneEdge chain;
        chain.from = i - 1;
        chain.to = i;
        chain.tensor = i;
        scene.edges.push_back(chain);
        if (i > 1) {
            SceneEdge hub = chain;
            hub.from = 0;
            hub.tensor = 1;
            hub.port = ScenePort::Operand;
            hub.toOffset = 52;
            scene.edges.push_back(hub);
        }
    }
    return makePicture(scene);
}

} // namespace

class TestCanvas : public QObject {
    Q_OBJECT

private slots:
    void levels_by_drawn_height()
    {
        using look::Level;
        QCOMPARE(look::levelOf(11.9 / 34), Level::Far);
        QCOMPARE(look::levelOf(12.1 / 34), Level::Middle);
        QCOMPARE(look::levelOf(23.9 / 34), Level::Middle);
        QCOMPARE(look::levelOf(24.1 / 34), Level::Near);
        QCOMPARE(look::levelOf(55.9 / 34), Level::Near);
        QCOMPARE(look::levelOf(56.1 / 34), Level::Close);
    }

    void levels_draw_less_from_afar()
    {
        const Demo demo;
        const std::uint64_t conv = demo.id("Conv", "block2/conv1");
        int previous = 0;
        for (const double zoom : {0.2, 0.45, 1.0}) {
            Pane pane(demo.before, zoom);
            const int colours = distinct(pane.image(), pane.box(conv).adjusted(1, 1, -1, -1));
            QVERIFY2(colours > previous, qPrintable(QString("%1: %2 after %3").arg(zoom).arg(colours).arg(previous)));
            previous = colours;
        }
        // Far: one filled block in the colour of the class, nothing else; untouched beside a diff it is quiet.
        Scene plain = demo.beforeScene;
        for (SceneNode& node : plain.nodes)
            node.diff = Diff::Same;
        Pane far(makePicture(plain), 0.2);
        const QRect block = far.box(conv).adjusted(2, 2, -2, -2);
        QCOMPARE(count(far.image(), block, light()[Token::ClassLinear]), block.width() * block.height());
        Pane diff(demo.before, 0.2);
        QCOMPARE(count(diff.image(), block, light()[Token::Quiet]), block.width() * block.height());
    }

    void hit_test_finds_the_node_under_the_point()
    {
        const Demo demo;
        for (const double zoom : {0.2, 0.5, 1.0, 2.5}) {
            const std::uint64_t conv = demo.id("Conv", "block2/conv2");
            Pane pane(demo.before, zoom, demo.before->rect(*demo.before->find(conv)).center());
            QCOMPARE(pane.view.nodeAt(pane.screen(conv)), std::optional(conv));
            const QRectF rect = demo.before->rect(*demo.before->find(conv));
            QCOMPARE(pane.view.nodeAt(pane.screen(rect.topLeft() + QPointF(2, 2))), std::optional(conv));
            QVERIFY(!pane.view.nodeAt(pane.screen(QPointF(rect.center().x(), rect.bottom() + 15))));
        }
    }

    void negative_head_is_not_canvas()
    {
        const Demo demo;
        const std::uint64_t conv = demo.id("Conv", "block2/conv1");
        Pane pane(demo.before, 1, demo.before->rect(*demo.before->find(conv)).center() + QPointF(0, 350));
        QVERIFY(!pane.view.nodeAt({400, 10}));
    }

    void zoom_keeps_the_point_under_the_cursor()
    {
        const Demo demo;
        Pane pane(demo.before);
        const QPointF anchor(123, 456);
        const QPointF scene = pane.camera.view().toScene(anchor, pane.view.canvasSize());
        for (const double factor : {1.7, 0.3, 2.2}) {
            pane.camera.zoomBy(factor, anchor, pane.view.canvasSize());
            const QPointF now = pane.camera.view().toScene(anchor, pane.view.canvasSize());
            QVERIFY(std::abs(now.x() - scene.x()) < 1e-6 && std::abs(now.y() - scene.y()) < 1e-6);
        }
        QVERIFY(std::abs(pane.camera.zoom() - 1.7 * 0.3 * 2.2) < 1e-9);
    }

    void far_down_in_a_deep_scene_nothing_drifts()
    {
        CameraView view{{1e7 + 0.125, 3e6 + 0.25}, 1, nullptr};
        QCOMPARE(view.toScreen({1e7 + 0.125, 3e6 + 1.25}, {800, 600}), QPointF(400, 301));
    }

    void dragging_pans_and_clicking_does_not()
    {
        const Demo demo;
        Pane pane(demo.before);
        QSignalSpy selected(&pane.view, &CanvasView::selected);
        const QPointF before = pane.camera.view().centre;
        QTest::mousePress(&pane.view, Qt::LeftButton, {}, {400, 300});
        QTest::mouseMove(&pane.view, {430, 340});
        QTest::mouseRelease(&pane.view, Qt::LeftButton, {}, {430, 340});
        QCOMPARE(pane.camera.view().centre, before - QPointF(30, 40));
        QCOMPARE(selected.size(), 0);
        const std::uint64_t conv = demo.id("Conv", "block2/conv1");
        QTest::mouseClick(&pane.view, Qt::LeftButton, {}, pane.screen(conv).toPoint());
        QCOMPARE(selected.size(), 1);
        QCOMPARE(selected[0][0].toULongLong(), conv);
        QCOMPARE(pane.camera.view().centre, before - QPointF(30, 40));
    }

    void wheel_pans_and_with_control_zooms()
    {
        const Demo demo;
        Pane pane(demo.before);
        const auto wheel = [&](Qt::KeyboardModifiers modifiers) {
            QWheelEvent event({400, 300}, pane.view.mapToGlobal(QPointF(400, 300)), {}, {0, -120}, {}, modifiers,
                              Qt::NoScrollPhase, false);
            QCoreApplication::sendEvent(&pane.view, &event);
        };
        const CameraView before = pane.camera.view();
        wheel({});
        QVERIFY(pane.camera.view().centre.y() > before.centre.y());
        QCOMPARE(pane.camera.zoom(), before.zoom);
        wheel(Qt::ControlModifier);
        QVERIFY(pane.camera.zoom() < before.zoom);
    }

    void marks_of_a_diff()
    {
        const Demo demo;
        const std::uint64_t conv = demo.id("Conv", "block2/conv1");
        const std::uint64_t norm = demo.id("BatchNorm", "block2/bn1");
        const QRectF gone = demo.before->rect(*demo.before->find(norm));
        QCOMPARE(demo.after->ghosts().size(), std::size_t{2});
        Pane after(demo.after);
        const QImage image = after.image();
        QVERIFY(count(image, after.box(gone).adjusted(-1, -1, 1, 1), light()[Token::Removed]) > 60);
        QVERIFY(count(image, after.box(conv).adjusted(-1, -1, 1, 1), light()[Token::Changed]) > 100);
        Pane before(demo.before);
        QVERIFY(count(before.image(), before.box(norm).adjusted(-1, -1, 1, 1), light()[Token::Removed]) > 100);
        QCOMPARE(count(before.image(), before.box(conv).adjusted(-1, -1, 1, 1), light()[Token::Changed]), 0);
        after.view.setDiffVisible(false);
        QCOMPARE(count(after.image(), after.image().rect(), light()[Token::Removed]), 0);
        QCOMPARE(count(after.image(), after.image().rect(), light()[Token::Changed]), 0);
    }

    void added_nodes_have_a_double_outline()
    {
        const Demo demo;
        std::vector<layout::Origin> origins;
        Scene low = test::lowered(demo.after->scene(), origins);
        Pane pane(makeNextPicture(*demo.after, low, origins));
        const auto added = std::ranges::find(low.nodes, Diff::Added, &SceneNode::diff);
        QVERIFY(count(pane.image(), pane.box(added->id).adjusted(-1, -1, 1, 1), light()[Token::Added]) > 150);
    }

    void covered_places_leave_no_ghost()
    {
        const Demo demo;
        std::vector<layout::Origin> origins;
        const Scene low = test::lowered(demo.after->scene(), origins);
        const PicturePtr next = makeNextPicture(*demo.after, low, origins);
        for (const Ghost& ghost : next->ghosts())
            QVERIFY(next->nodesIn(ghost.rect.adjusted(1, 1, -1, -1)).empty());
        // A quantizer was replaced in its place, a Relu was not.
        QVERIFY(std::ranges::none_of(next->ghosts(), [](const Ghost& g) { return g.name.contains("q1"); }));
        QVERIFY(std::ranges::any_of(next->ghosts(), [](const Ghost& g) { return g.op == "Relu"; }));
    }

    void site_halo_and_role_tags()
    {
        const Demo demo;
        Pane pane(demo.before);
        const QRect norm = pane.box(demo.id("BatchNorm", "block2/bn1"));
        const QRect tag(norm.right() - 50, norm.bottom() + 2, 40, 8);
        const int without = count(pane.image(), tag, light()[Token::Site]);
        pane.view.setActiveSite(0);
        QVERIFY(count(pane.image(), tag, light()[Token::Site]) > without + 60);
        QCOMPARE(pane.view.siteAt(norm.center()), 0);
        QSignalSpy clicked(&pane.view, &CanvasView::siteClicked);
        QTest::mouseClick(&pane.view, Qt::LeftButton, {}, pane.box(demo.id("BatchNorm", "block2/bn2")).center());
        QCOMPARE(clicked.size(), 1);
        QCOMPARE(clicked[0][0].toInt(), 1);
    }

    void near_miss_is_hatched_and_says_why()
    {
        const Demo demo;
        Pane pane(demo.before, 1, {150, 300});
        const QRect box = pane.box(demo.id("BatchNorm", "block2/down.1"));
        QVERIFY(count(pane.image(), box.adjusted(-6, -6, 6, 6), light()[Token::Hatch]) > 40);
        QVERIFY(pane.view.toolTipAt(box.center()).contains("channel 11 holds code"));
        QVERIFY(!pane.view.toolTipAt(pane.box(demo.id("Conv", "block2/conv1")).center()).contains("near-miss"));
    }

    void lens_colours_edges_and_collapses_quantizers()
    {
        const Demo demo;
        Pane pane(demo.before);
        const QRect quantizer = pane.box(demo.id("FakeQuant", "block2/q1"));
        QVERIFY(count(pane.image(), quantizer, light()[Token::ClassQuantizer]) > 50);
        QCOMPARE(count(pane.image(), pane.image().rect(), light()[Token::Float32]), 0);
        pane.view.setLens(true, false);
        QCOMPARE(count(pane.image(), quantizer, light()[Token::ClassQuantizer]), 0);
        QVERIFY(count(pane.image(), quantizer, light()[Token::Int8]) > 30); // its badge
        QVERIFY(count(pane.image(), pane.image().rect(), light()[Token::Float32]) > 100);
        pane.view.setLens(true, true);
        QVERIFY(count(pane.image(), quantizer, light()[Token::ClassQuantizer]) > 50);
    }

    void selection_and_hover()
    {
        const Demo demo;
        const std::uint64_t conv = demo.id("Conv", "block2/conv1");
        Pane pane(demo.before);
        const QRect around = pane.box(conv).adjusted(-8, -8, 8, 8);
        QCOMPARE(count(pane.image(), around, light()[Token::Accent]), 0);
        pane.view.select(conv);
        QVERIFY(count(pane.image(), around, light()[Token::Accent]) > 300);
        pane.view.select(std::nullopt);
        QSignalSpy hovered(&pane.view, &CanvasView::hovered);
        QTest::mouseMove(&pane.view, pane.screen(conv).toPoint());
        QCOMPARE(hovered.size(), 1);
        QVERIFY(count(pane.image(), around, light()[Token::Accent]) > 60);
        QVERIFY(count(pane.image(), pane.box(conv), light()[Token::Hover]) > 1000);
    }

    void colour_by_precision()
    {
        const Demo demo;
        Scene scene = demo.beforeScene;
        const std::uint64_t conv = demo.id("Conv", "block2/conv1");
        std::ranges::find(scene.nodes, conv, &SceneNode::id)->precision = Precision::Int32;
        Pane pane(makePicture(scene));
        pane.view.setColourBy(ColourBy::Precision);
        QVERIFY(count(pane.image(), pane.box(conv), light()[Token::Int32]) > 100);
        QCOMPARE(count(pane.image(), pane.box(conv), light()[Token::ClassLinear]), 0);
    }

    void colour_by_error()
    {
        const Demo demo;
        const std::uint64_t conv = demo.id("Conv", "block2/conv1");
        const std::uint64_t relu = demo.id("Relu", "block2/Relu");
        Pane pane(demo.before);
        auto figures = std::make_shared<std::unordered_map<std::uint64_t, SceneFigures>>();
        (*figures)[conv] = {2.0, {}};
        (*figures)[relu] = {0.0, {}};
        pane.view.setFigures(figures);
        pane.view.setColourBy(ColourBy::Error);
        QVERIFY(count(pane.image(), pane.box(conv), light()[Token::Failed]) > 80);
        QVERIFY(count(pane.image(), pane.box(relu), light()[Token::Exact]) > 80);
        // What was not checked is quiet, never green.
        const std::uint64_t other = demo.id("Conv", "block2/conv2");
        QVERIFY(count(pane.image(), pane.box(other), light()[Token::Quiet]) > 80);
        QCOMPARE(count(pane.image(), pane.box(other), light()[Token::Exact]), 0);
    }

    void certificate_marks_after_a_verification()
    {
        const Demo demo;
        const std::uint64_t conv = demo.id("Conv", "block2/conv1");
        const QRectF box = demo.before->rect(*demo.before->find(conv));
        const auto figures = [&](const QString& mark) {
            auto map = std::make_shared<std::unordered_map<std::uint64_t, SceneFigures>>();
            (*map)[conv] = {{}, {}, mark, "3 codes off by one of 64,000: bias"};
            return map;
        };
        Pane close(demo.before, 2.4, box.center());
        close.view.setDiffVisible(false);
        QCOMPARE(count(close.image(), close.box(conv), light()[Token::Steps]), 0);
        QVERIFY(!close.view.toolTipAt(close.screen(conv)).contains("64,000"));
        close.view.setFigures(figures("cert-steps"));
        QVERIFY(count(close.image(), close.box(conv), light()[Token::Steps]) > 60);
        QCOMPARE(count(close.image(), close.box(conv), light()[Token::Exact]), 0);
        QVERIFY(close.view.toolTipAt(close.screen(conv)).contains("3 codes off by one of 64,000: bias"));
        // At 100 % only what failed is marked.
        Pane near(demo.before, 1, box.center());
        near.view.setDiffVisible(false);
        near.view.setFigures(figures("cert-steps"));
        QCOMPARE(count(near.image(), near.box(conv), light()[Token::Steps]), 0);
        near.view.setFigures(figures("cert-failed"));
        QVERIFY(count(near.image(), near.box(conv), light()[Token::Failed]) > 30);
    }

    void island_reasons_are_whole_or_end_in_an_ellipsis()
    {
        Scene scene;
        SceneNode node;
        node.id = 1;
        node.op = "Softmax";
        scene.nodes = {node};
        SceneIsland island;
        island.nodes = {0};
        island.reason = "the target has no integer kernel for Softmax over an axis that is not the last one of its "
                        "input";
        scene.islands = {island};
        const PicturePtr picture = makePicture(scene);
        const IslandLabel label = islandLabel(*picture, picture->scene().islands[0]);
        QVERIFY(label.lines.size() > 2);
        QCOMPARE(label.lines.join(' '), island.reason);
        QVERIFY(label.area.height() >=
                IslandLabel::kHeadHeight +
                    static_cast<double>(label.lines.size()) * QFontMetricsF(uiFont(11)).height() - 1);
        for (const QString& line : label.lines)
            QVERIFY(QFontMetricsF(uiFont(11)).horizontalAdvance(line) <= IslandLabel::kWidth + 1);
        Pane pane(picture, 1, picture->rect(0).center());
        QVERIFY(pane.view.toolTipAt(pane.screen(label.area.center())).contains(island.reason));
        QVERIFY(pane.view.toolTipAt(pane.screen(1)).contains(island.reason));
        QVERIFY(pane.view.toolTipAt(pane.screen(label.area.bottomRight() + QPointF(40, 40))).isEmpty());
        // More than six lines: the last one is cut and says so.
        scene.islands[0].reason = QString("because of this ").repeated(40);
        const PicturePtr longer = makePicture(scene);
        const IslandLabel cut = islandLabel(*longer, longer->scene().islands[0]);
        QCOMPARE(cut.lines.size(), qsizetype{6});
        QVERIFY(cut.lines.back().endsWith(QChar(0x2026)));
    }

    void keyboard_walks_along_edges()
    {
        const Demo demo;
        Pane pane(demo.before);
        pane.view.select(demo.id("FakeQuant", "block1/q3"));
        QTest::keyClick(&pane.view, Qt::Key_Down);
        QCOMPARE(pane.view.state().selected, std::optional(demo.id("Conv", "block2/conv1")));
        QTest::keyClick(&pane.view, Qt::Key_Down);
        QCOMPARE(pane.view.state().selected, std::optional(demo.id("BatchNorm", "block2/bn1")));
        QTest::keyClick(&pane.view, Qt::Key_Up);
        QTest::keyClick(&pane.view, Qt::Key_Up);
        QCOMPARE(pane.view.state().selected, std::optional(demo.id("FakeQuant", "block1/q3")));
        QTest::keyClick(&pane.view, Qt::Key_Left);
        QCOMPARE(pane.view.state().selected, std::optional(demo.id("FakeQuant", "conv1.weight")));
        QTest::keyClick(&pane.view, Qt::Key_Escape);
        QVERIFY(!pane.view.state().selected);
    }

    void stubs_light_up_and_jump()
    {
        const PicturePtr picture = hubPicture();
        const auto& chips = picture->layout().chips;
        QVERIFY(!chips.empty());
        const auto first = std::ranges::find(chips, true, &layout::StubChip::atSource);
        Pane pane(picture, 1, {first->rect.left, first->rect.top});
        const QPointF at =
            pane.screen({(first->rect.left + first->rect.right) / 2, (first->rect.top + first->rect.bottom) / 2});
        QCOMPARE(pane.view.chipAt(at), static_cast<int>(first - chips.begin()));
        QVERIFY(pane.view.toolTipAt(at).contains("goes to"));
        QTest::mouseClick(&pane.view, Qt::LeftButton, {}, at.toPoint());
        const SceneEdge& edge = picture->scene().edges[first->edges.front()];
        QCOMPARE(pane.view.state().selected, std::optional(picture->scene().nodes[edge.to].id));
        QCOMPARE(pane.view.chipAt({5, 700}), -1);
    }

    void fit_shows_everything()
    {
        const Demo demo;
        Pane pane(demo.before);
        pane.view.fit();
        QVERIFY(!pane.camera.isFolded());
        const QRect shown = pane.box(demo.before->bounds());
        QVERIFY(pane.view.rect().contains(shown));
    }

    void tall_graphs_are_fitted_in_columns()
    {
        const PicturePtr picture = makePicture(test::beforeFold(40));
        Pane pane(picture);
        pane.view.fit();
        QVERIFY(pane.camera.isFolded());
        const auto& fold = *pane.camera.view().fold;
        QVERIFY(fold.columns() > 3);
        for (std::uint32_t n = 0; n < picture->scene().nodes.size(); ++n) {
            const QPointF centre = picture->rect(n).center();
            QVERIFY(pane.view.rect().contains(pane.screen(centre).toPoint()));
            const QPointF back = fold.unmap(fold.map(centre));
            QVERIFY(std::abs(back.x() - centre.x()) < 1e-6 && std::abs(back.y() - centre.y()) < 1e-6);
            QCOMPARE(pane.view.nodeAt(pane.screen(centre)), std::optional(picture->scene().nodes[n].id));
        }
        // What lies between two slices (the bends of edges) stays between them, and never runs out of its column.
        const auto& slices = fold.slices();
        for (std::size_t i = 0; i + 1 < slices.size(); ++i) {
            const double gap = slices[i + 1].top - slices[i].bottom;
            for (const double share : {0.25, 0.99}) {
                const double y = fold.map({0, slices[i].bottom + share * gap}).y();
                QVERIFY(y >= slices[i].bottom + slices[i].dy - 1e-6);
                if (slices[i + 1].column == slices[i].column)
                    QVERIFY(y <= slices[i + 1].top + slices[i + 1].dy + 1e-6);
                else
                    QVERIFY(y <= fold.column(slices[i].column).bottom() + 16 + 1e-6);
            }
        }
        // Zooming in on a node unfolds around it.
        const std::uint64_t node = picture->scene().nodes[200].id;
        const QPointF at = pane.screen(node);
        while (pane.camera.isFolded())
            pane.camera.zoomBy(1.5, at - QPointF(0, CanvasView::kHeadHeight), pane.view.canvasSize());
        QCOMPARE(pane.view.nodeAt(at), std::optional(node));
    }

    void panes_share_the_camera_and_light_counterparts()
    {
        const Demo demo;
        CanvasPair pair;
        pair.setReducedMotion(true);
        pair.resize(1200, 700);
        const std::uint64_t norm = demo.id("BatchNorm", "block2/bn1");
        const std::uint64_t conv = demo.id("Conv", "block2/conv1");
        pair.setPictures(
            demo.before, demo.after,
            [&](std::uint64_t id) { return id == norm ? std::vector{conv} : std::vector<std::uint64_t>(); },
            [](std::uint64_t) { return std::vector<std::uint64_t>(); });
        pair.show();
        QVERIFY(pair.before().isVisible() && pair.after().isVisible());
        const auto at = [&](CanvasView& view, std::uint64_t id) {
            return (pair.camera().view().toScreen(view.picture()->rect(*view.picture()->find(id)).center(),
                                                  view.canvasSize()) +
                    QPointF(0, CanvasView::kHeadHeight))
                .toPoint();
        };
        QSignalSpy hovered(&pair, &CanvasPair::hovered);
        QTest::mouseMove(&pair.before(), at(pair.before(), norm));
        QCOMPARE(hovered.size(), 1);
        QCOMPARE(pair.after().state().counterparts, std::set<std::uint64_t>{conv});
        QVERIFY(!pair.before().toolTipAt(at(pair.before(), norm)).contains("no counterpart"));
        QTest::mouseMove(&pair.before(), at(pair.before(), conv));
        QVERIFY(pair.before().toolTipAt(at(pair.before(), conv)).contains("no counterpart"));
        pair.setMode(CanvasMode::Overlay);
        QVERIFY(!pair.before().isVisible());
        QVERIFY(pair.after().state().showDiff);
        pair.setMode(CanvasMode::Single);
        QVERIFY(!pair.after().state().showDiff);
    }

    void new_pictures_leave_the_camera_alone()
    {
        const Demo demo;
        CanvasPair pair;
        pair.setReducedMotion(true);
        pair.resize(1200, 700);
        pair.setPictures(demo.before, demo.after, {}, {});
        pair.show();
        pair.camera().setView({{10, 20}, 0.8, nullptr});
        pair.setPictures(demo.after, demo.after, {}, {});
        QCOMPARE(pair.camera().view().centre, QPointF(10, 20));
        QCOMPARE(pair.camera().zoom(), 0.8);
    }

    void first_picture_can_be_read()
    {
        const Demo demo;
        CanvasPair pair;
        pair.resize(1200, 500);
        pair.setPictures(demo.before, demo.after, {}, {});
        pair.show();
        QCOMPARE(pair.camera().zoom(), 1.0);
        const QPointF first = pair.camera().view().toScreen(demo.before->rect(0).center(), pair.after().canvasSize());
        QVERIFY(first.y() > 0 && first.y() < 200);
        CanvasPair small;
        small.resize(1200, 1000);
        Scene two;
        two.nodes.resize(2);
        two.nodes[0].id = 1;
        two.nodes[1].id = 2;
        const PicturePtr pair2 = makePicture(two);
        small.setPictures(pair2, pair2, {}, {});
        small.show();
        for (std::uint32_t n : {0u, 1u}) {
            const QPointF at = small.camera().view().toScreen(pair2->rect(n).center(), small.after().canvasSize());
            QVERIFY(QRectF(QPointF(), small.after().canvasSize()).contains(at));
        }
    }

    void legend_lists_what_is_there()
    {
        const Demo demo;
        Pane pane(demo.after);
        const QRect corner(800 - 10 - 180, 726 - 10 - 100, 180, 100);
        const int without = distinct(pane.image(), corner);
        pane.view.setLegendVisible(true);
        QVERIFY(distinct(pane.image(), corner) > without + 20);
        // The quantizer's colour is in it; a class that no node has is not.
        const QRect legend(800 - 10 - 280, 726 - 10 - 140, 280, 140);
        QVERIFY(count(pane.image(), legend, light()[Token::ClassQuantizer]) > 30);
        QCOMPARE(count(pane.image(), legend, light()[Token::ClassConstant]), 0);
    }

    void minimap_moves_the_view()
    {
        const PicturePtr picture = makePicture(test::beforeFold(10));
        Pane pane(picture);
        pane.view.setMinimapVisible(true);
        const double before = pane.camera.view().centre.y();
        const QPoint inside(800 - 10 - 20, 726 - 10 - 20);
        QTest::mouseClick(&pane.view, Qt::LeftButton, {}, inside);
        QVERIFY(pane.camera.view().centre.y() > before);
        QVERIFY(!pane.view.state().selected);
    }

    void empty_pane_says_what_to_do()
    {
        Pane pane(nullptr);
        const int blank = distinct(pane.image(), QRect(100, 200, 600, 300));
        pane.view.setEmptyText("No model is open", "Drop an ONNX file here");
        QVERIFY(distinct(pane.image(), QRect(100, 200, 600, 300)) > blank);
        QCOMPARE(pane.view.nodeAt({300, 300}), std::nullopt);
    }

    void drawing_without_a_window()
    {
        const Demo demo;
        DrawOptions options;
        const QByteArray png = pictureFile(*demo.after, options, PictureFormat::Png);
        QImage image;
        QVERIFY(image.loadFromData(png, "PNG"));
        QCOMPARE(image.size(), drawingSize(*demo.after, options).toSize());
        QVERIFY(count(image, image.rect(), light()[Token::Changed]) > 100);
        options.dark = true;
        QVERIFY(image.loadFromData(pictureFile(*demo.after, options, PictureFormat::Png), "PNG"));
        QCOMPARE(image.pixelColor(1, 1), Theme::dark()[Token::Canvas]);
        options.dark = false;
        options.size = {300, 200};
        QVERIFY(image.loadFromData(pictureFile(*demo.after, options, PictureFormat::Png), "PNG"));
        QCOMPARE(image.size(), QSize(300, 200));
        QVERIFY(pictureFile(*demo.after, {}, PictureFormat::Pdf).startsWith("%PDF-"));
        const QByteArray dot = pictureFile(*demo.after, {}, PictureFormat::Dot);
        QVERIFY(dot.startsWith("digraph") && dot.contains("BatchNorm") && dot.contains("->"));
        QCOMPARE(pictureFormat("a/B.SVG"), std::optional(PictureFormat::Svg));
        QVERIFY(!pictureFormat("model.onnx"));
    }

    void svg_shows_what_the_window_shows()
    {
        const Demo demo;
        DrawOptions options;
        options.legend = false;
        options.state.activeSite = 0;
        const QByteArray svg = pictureFile(*demo.before, options, PictureFormat::Svg);
        QVERIFY(svg.contains("block2/conv1"));
        QSvgRenderer renderer(svg);
        QVERIFY(renderer.isValid());
        QImage image(drawingSize(*demo.before, options).toSize(), QImage::Format_RGB32);
        image.fill(Qt::black);
        {
            QPainter painter(&image);
            renderer.render(&painter);
        }
        QCOMPARE(image.pixelColor(1, 1), light()[Token::Canvas]);
        for (const Token token : {Token::ClassLinear, Token::ClassQuantizer, Token::Removed, Token::Site, Token::Hatch})
            QVERIFY2(countNear(image, light()[token]) > 20, tokenName(token));
    }

    void pictures_are_kept_where_asked()
    {
        Demo demo;
        for (const Theme* theme : {&Theme::light(), &Theme::dark()}) {
            CanvasPair pair;
            pair.setReducedMotion(true);
            pair.setTheme(*theme);
            pair.resize(1110, 709);
            pair.before().setHead("Before", "Unshare, 39 nodes", "block2");
            pair.after().setHead("After", "Fold BN, 34 nodes, 5 removed, 10 changed", {});
            pair.setPictures(demo.before, demo.after, {}, {});
            pair.show();
            pair.setActiveSite(0);
            pair.camera().setView({QPointF(demo.before->bounds().center().x(), 300), 1, nullptr});
            pair.before().setHoveredFromOutside(test::idOf(demo.beforeScene, "BatchNorm", "block2/bn2"));
            pair.after().setCounterparts({test::idOf(demo.beforeScene, "Conv", "block2/conv2"),
                                          test::idOf(demo.beforeScene, "FakeQuant", "conv2.weight")},
                                         false);
            pair.after().select(test::idOf(demo.beforeScene, "Conv", "block2/conv1"));
            keep(pair, QString("main-%1").arg(theme->isDark() ? "dark" : "light"));
            std::vector<layout::Origin> origins;
            Scene low = test::lowered(demo.after->scene(), origins);
            const PicturePtr integer = makeNextPicture(*demo.after, low, origins);
            pair.setPictures(demo.before, integer, {}, {});
            pair.setMode(CanvasMode::Overlay);
            QCoreApplication::processEvents();
            pair.setLens(true, false);
            pair.setColourBy(ColourBy::Precision);
            keep(pair, QString("overlay-%1").arg(theme->isDark() ? "dark" : "light"));
            pair.camera().setView({QPointF(0, 300), 2.6, nullptr});
            keep(pair, QString("close-%1").arg(theme->isDark() ? "dark" : "light"));
            pair.camera().setView({QPointF(0, 300), 0.5, nullptr});
            keep(pair, QString("middle-%1").arg(theme->isDark() ? "dark" : "light"));
        }
        CanvasPair pair;
        pair.setReducedMotion(true);
        pair.resize(1110, 709);
        Scene many = test::beforeFold(60);
        const PicturePtr before = makePicture(many);
        pair.setPictures(before, makeNextPicture(*before, test::afterFold(many), {}), {}, {});
        pair.setMode(CanvasMode::Single);
        pair.show();
        keep(pair, "far-light");
        pair.setMode(CanvasMode::Overlay);
        pair.camera().setView({QPointF(0, 3000), 0.3, nullptr});
        keep(pair, "far-diff-light");
    }
};

QTEST_MAIN(TestCanvas)
#include "tst_canvas.moc"
