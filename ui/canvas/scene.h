// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QString>

#include <cstdint>
#include <optional>
#include <vector>

/// What the canvas draws, as plain data: it knows no graph of core's. scene_builder.h makes one of a trace.
namespace crease {

enum class SceneClass : std::uint8_t {
    Linear,
    Normalisation,
    Activation,
    Quantizer,
    Movement,
    Elementwise,
    Constant,
    FloatIsland,
};

enum class Precision : std::uint8_t { Float32, Float16, Int8, Int16, Int4, Int32, Index };

enum class Diff : std::uint8_t { Same, Added, Removed, Changed };

/// How the cell of a badge is drawn: filled where the tensor is stored in that type, hollow where it is float on that
/// grid, neutral for plain float.
enum class BadgeStyle : std::uint8_t { Stored, FakeQuantized, Plain };

struct SceneBadge {
    QString cell; // s8, u8, f32
    QString rest; // 0.0346 z0, axis 0 · 32, 32×4×4
    QString shape;
    Precision precision = Precision::Float32;
    BadgeStyle style = BadgeStyle::Plain;
};

struct SceneFact {
    QString key;
    QString value;
};

struct SceneNode {
    enum class Kind : std::uint8_t { Op, Input, Output };

    std::uint64_t id = 0;
    Kind kind = Kind::Op;
    QString op;
    QString name;      // whole
    QString shortName; // without what its neighbours share
    QString detail;    // kernel or shape
    SceneClass look = SceneClass::Movement;
    Diff diff = Diff::Same;
    Precision precision = Precision::Float32;
    /// Collapses into a badge on its edge while the lens is on.
    bool lensHides = false;
    std::optional<SceneBadge> grid; // of its output, for the lens
    std::optional<SceneBadge> weight;
    std::vector<SceneFact> facts;
    QString note; // what the pass did here, for the tooltip
    std::int32_t section = -1;
};

/// Which operand an edge brings; it enters at the centre, left, or right of it.
enum class ScenePort : std::uint8_t { Main, Weight, Operand };

struct SceneEdge {
    std::uint32_t from = 0; // index of a node of the scene
    std::uint32_t to = 0;
    ScenePort port = ScenePort::Main;
    double fromOffset = 0; // from the centre of the box
    double toOffset = 0;
    std::uint64_t tensor = 0; // the same for all readers of one tensor; not 0
    QString name;
    Precision precision = Precision::Float32;
    bool fakeQuantized = false; // float in the file, on an integer grid
    bool tight = false;         // joins a pair that may stand close together
    std::optional<SceneBadge> badge;
};

struct SceneRole {
    std::uint32_t node = 0; // index
    QString role;           // weight, linear, norm, activation, quantizer ...
};

struct SceneSite {
    QString name;
    std::vector<SceneRole> members;
    bool nearMiss = false;
    QString failed; // of a near-miss: the predicate with its value
};

struct SceneIsland {
    std::vector<std::uint32_t> nodes; // indices
    QString reason;
};

struct Scene {
    std::vector<SceneNode> nodes;
    std::vector<SceneEdge> edges;
    std::vector<SceneSite> sites;
    std::vector<SceneIsland> islands;
    std::vector<QString> sections;
};

/// What a verification found out about what a node makes, for Colour by and the marks.
struct SceneFigures {
    std::optional<double> error;      // largest, in steps of its grid
    std::optional<double> saturation; // share of its elements at an end of the grid
    QString mark{};                   // icon of its certificate; empty where nothing was to be compared
    QString says{};                   // what that mark means, in one line
};

/// What "Colour by" takes strips, glyphs and far blocks from.
enum class ColourBy : std::uint8_t { OpClass, Precision, Error, Saturation };

} // namespace crease
