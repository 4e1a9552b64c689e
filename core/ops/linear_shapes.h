// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/ops/shape_support.h"

namespace crease {

// The output shapes of the linear ops, whatever slots their operands stand in (Conv, QLinearConv, ConvInteger ...).
Result<MaybeShape> convShape(const ShapeContext& context, const MaybeShape& x, const MaybeShape& w);
Result<MaybeShape> matMulShape(const ShapeContext& context, const MaybeShape& a, const MaybeShape& b);
Result<MaybeShape> gemmShape(const ShapeContext& context, const MaybeShape& a, const MaybeShape& b);

// The output shape of a pooling and of a pooling over all spatial axes.
Result<MaybeShape> poolShape(const ShapeContext& context, const MaybeShape& x);
MaybeShape globalPoolShape(const MaybeShape& x);

} // namespace crease
