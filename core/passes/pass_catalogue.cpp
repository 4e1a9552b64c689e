// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/passes/absorb_activations.h"
#include "core/passes/deduplicate.h"
#include "core/passes/eliminate_dead.h"
#include "core/passes/fuse.h"
#include "core/passes/legalise.h"
#include "core/passes/lower.h"
#include "core/passes/pass.h"
#include "core/passes/propagate_grids.h"
#include "core/passes/quantize_bias.h"
#include "core/passes/recognise.h"
#include "core/passes/tabulate.h"

#include <algorithm>
#include <array>

namespace crease {

namespace {

constexpr std::array catalogue{
    PassInfo{
        "recognise", "Recognise", "Every quantizer of the file becomes a FakeQuant with its grid",
        "Reads QuantizeLinear and DequantizeLinear pairs of ai.onnx and com.microsoft (P1), an integer Clip between "
        "them (P2), dequantized integer weights and biases (P3), integer inputs and outputs (P19) and QONNX Quant "
        "(P36); constants behind scales and zero points are evaluated. Data movement between a quantizer and its "
        "dequantizer moves behind it. Quantizers whose scale depends on data, blocked ones and unknown dialects "
        "stay and are named.",
        runRecognise},
};

} // namespace

std::span<const PassInfo> passCatalogue()
{
    return catalogue;
}

const PassInfo* findPass(std::string_view id)
{
    const auto found = std::ranges::find(catalogue, id, &PassInfo::id);
    return found == catalogue.end() ? nullptr : &*found;
}

} // namespace crease
