// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/onnx/external_data.h"

#include "core/support/text.h"

#include <algorithm>
#include <filesystem>
#include <fmt/format.h>
#include <fstream>

namespace crease {

namespace {

std::unexpected<Error> fault(std::string id, std::string message)
{
    return failure(ErrorKind::Input, std::move(id), std::move(message));
}

/// The real path of a file inside the folder.
Result<std::filesystem::path> pathInside(const std::string& folder, const std::string& location)
{
    const std::string shown = printable(location);
    if (folder.empty()) {
        return fault("external-data-refused", fmt::format("external data '{}' has no folder to lie in", shown));
    }
    const std::filesystem::path relative(location);
    if (location.empty() || location.find('\0') != std::string::npos || relative.is_absolute() ||
        location.find('\\') != std::string::npos ||
        std::ranges::any_of(relative, [](const auto& part) { return part == ".."; })) {
        return fault("external-data-refused",
                     fmt::format("external data '{}' is no path inside the model's folder", shown));
    }
    std::error_code error;
    const auto root = std::filesystem::canonical(folder, error);
    if (error) {
        return fault("external-data-missing", fmt::format("folder '{}': {}", printable(folder), error.message()));
    }
    auto file = std::filesystem::canonical(root / relative, error);
    if (error) {
        return fault("external-data-missing",
                     fmt::format("external data '{}' cannot be opened: {}", shown, error.message()));
    }
    const auto parts = std::ranges::mismatch(root, file);
    if (parts.in1 != root.end()) {
        return fault("external-data-refused", fmt::format("external data '{}' leads out of the model's folder", shown));
    }
    if (!std::filesystem::is_regular_file(file, error)) {
        return fault("external-data-refused", fmt::format("external data '{}' is no regular file", shown));
    }
    return file;
}

} // namespace

Result<std::shared_ptr<const std::string>> ExternalData::read(const ExternalLocation& where, std::uint64_t bytes)
{
    const std::filesystem::path file = TRY(pathInside(m_folder, where.location));
    std::error_code error;
    const std::uint64_t size = std::filesystem::file_size(file, error);
    if (error) {
        return fault("external-data-missing", fmt::format("external data '{}' cannot be opened: {}",
                                                          printable(where.location), error.message()));
    }
    if (where.length && *where.length != bytes) {
        return fault("external-data-length",
                     fmt::format("external data '{}' is said to be {} bytes long, the tensor needs {}",
                                 printable(where.location), *where.length, bytes));
    }
    if (where.offset > size || bytes > size - where.offset) {
        return fault("external-data-length",
                     fmt::format("external data '{}' has {} bytes, the tensor needs {} at offset {}",
                                 printable(where.location), size, bytes, where.offset));
    }
    auto data = std::make_shared<std::string>(static_cast<std::size_t>(bytes), '\0');
    std::ifstream stream(file, std::ios::binary);
    stream.seekg(static_cast<std::streamoff>(where.offset));
    stream.read(data->data(), static_cast<std::streamsize>(bytes));
    if (!stream) {
        return fault("external-data-missing",
                     fmt::format("external data '{}' cannot be read", printable(where.location)));
    }
    m_files.insert(where.location);
    return data;
}

} // namespace crease
