// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/ir/value.h"

namespace crease {

bool sameValue(const Value& a, const Value& b)
{
    return a.name == b.name && a.type == b.type && a.shape == b.shape && a.codes == b.codes && a.liesOn == b.liesOn &&
           a.constant.identical(b.constant) && a.alsoInput == b.alsoInput && a.doc == b.doc &&
           a.metadata == b.metadata && a.opaqueType == b.opaqueType;
}

} // namespace crease
