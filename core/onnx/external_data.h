// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/support/result.h"

#include <cstdint>
#include <memory>
#include <optional>
#include <set>
#include <string>

namespace crease {

/// Where the data of a tensor lies outside of the model file.
struct ExternalLocation {
    std::string location;
    std::uint64_t offset = 0;
    std::optional<std::uint64_t> length;
};

/// Reads external data below one folder and nowhere else: no absolute path, no "..", no symlink that leaves it.
class ExternalData {
public:
    explicit ExternalData(std::string folder) : m_folder(std::move(folder)) {}

    /// `bytes` is what the tensor's type and dimensions need.
    Result<std::shared_ptr<const std::string>> read(const ExternalLocation& where, std::uint64_t bytes);

    const std::set<std::string>& files() const { return m_files; }

private:
    std::string m_folder;
    std::set<std::string> m_files;
};

} // namespace crease
