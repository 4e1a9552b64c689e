// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/support/job.h"
#include "core/tensor/tensor.h"

#include <string>
#include <utility>
#include <vector>

namespace crease {

using NamedTensors = std::vector<std::pair<std::string, Tensor>>;

/// The arrays of an .npz in the order of the archive, names without ".npy". Checksums are checked; an archive that
/// expands to more than `maxExpansion` times its size (and a megabyte) is refused before it is unpacked.
Result<NamedTensors> readNpz(const std::string& path, double maxExpansion, const Job& job);

} // namespace crease
