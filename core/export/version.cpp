// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/export/version.h"

namespace crease {

std::string_view creaseVersion()
{
    return CREASE_VERSION;
}

} // namespace crease
