// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/ui/canvas/demo_scene.h"
#include "ui/canvas/canvas_pair.h"

#include <QSignalSpy>
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
};

} // namespace

class TestCanvas : public QObject {
    Q_OBJECT

private slots:
    void pictures()
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
