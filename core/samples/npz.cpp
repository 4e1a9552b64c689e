// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/samples/npz.h"

#include "core/samples/npy.h"
#include "core/samples/samples.h"
#include "core/support/text.h"

#include <algorithm>
#include <array>
#include <filesystem>
#include <fstream>
#include <memory>

#include <fmt/format.h>
#include <zip.h>

namespace crease {

namespace {

struct Discard {
    void operator()(zip_t* archive) const { zip_discard(archive); }
};
struct CloseEntry {
    void operator()(zip_file_t* entry) const { zip_fclose(entry); }
};
using Archive = std::unique_ptr<zip_t, Discard>;
using Entry = std::unique_ptr<zip_file_t, CloseEntry>;

constexpr double alwaysAllowed = 1 << 20;
constexpr std::size_t chunk = std::size_t{1} << 20;

std::unexpected<Error> broken(std::string text)
{
    return failure(ErrorKind::Input, "bad-npz", std::move(text));
}

std::string openErrorText(int code)
{
    zip_error_t error;
    zip_error_init_with_code(&error, code);
    std::string text = zip_error_strerror(&error);
    zip_error_fini(&error);
    return text;
}

/// What is wrong with a file that is no whole archive.
std::string brokenArchiveText(const std::string& path)
{
    std::array<char, 4> start{};
    std::ifstream stream(path, std::ios::binary);
    stream.read(start.data(), start.size());
    if (stream.gcount() == 0) {
        return "the file is empty";
    }
    return start == std::array{'P', 'K', '\x03', '\x04'}
               ? "the archive is cut off or damaged: the list of its arrays, at its end, is not there (copy it again)"
               : "this is no .npz archive";
}

struct Member {
    std::string name;
    zip_uint64_t index = 0;
    zip_uint64_t bytes = 0;
};

Result<std::vector<Member>> listMembers(zip_t* archive, double limit)
{
    std::vector<Member> members;
    double total = 0.0;
    const zip_int64_t count = zip_get_num_entries(archive, 0);
    for (zip_uint64_t i = 0; i < static_cast<zip_uint64_t>(std::max<zip_int64_t>(count, 0)); ++i) {
        zip_stat_t stat;
        zip_stat_init(&stat);
        if (zip_stat_index(archive, i, 0, &stat) != 0 || (stat.valid & ZIP_STAT_NAME) == 0 ||
            (stat.valid & ZIP_STAT_SIZE) == 0) {
            return broken(fmt::format("entry {} of the archive cannot be read", i));
        }
        total += static_cast<double>(stat.size);
        if (total > limit) {
            return failure(ErrorKind::Input, "npz-expansion",
                           fmt::format("the archive expands to more than {}, which is over the limit (crease-cli "
                                       "--max-expansion raises it)",
                                       byteSize(static_cast<std::uint64_t>(limit))));
        }
        members.push_back({stat.name, i, stat.size});
    }
    return members;
}

Result<std::string> readMember(zip_t* archive, const Member& member, const Job& job)
{
    const Entry entry(zip_fopen_index(archive, member.index, 0));
    if (!entry) {
        return broken(fmt::format("array '{}': {}", printable(member.name), zip_strerror(archive)));
    }
    std::string bytes(member.bytes, '\0');
    std::size_t done = 0;
    char beyond = 0;
    while (true) {
        TRY(job.check());
        const std::size_t left = bytes.size() - done;
        char* const to = left > 0 ? bytes.data() + done : &beyond;
        const zip_int64_t got = zip_fread(entry.get(), to, left > 0 ? std::min(left, chunk) : 1);
        if (got < 0) {
            return broken(fmt::format("array '{}': {}", printable(member.name),
                                      zip_error_strerror(zip_file_get_error(entry.get()))));
        }
        if (got == 0) {
            break;
        }
        if (left == 0) {
            return broken(fmt::format("array '{}' is longer than the archive says", printable(member.name)));
        }
        done += static_cast<std::size_t>(got);
    }
    if (done != bytes.size()) {
        return broken(fmt::format("array '{}' is cut off", printable(member.name)));
    }
    return bytes;
}

} // namespace

Result<NamedTensors> readNpz(const std::string& path, double maxExpansion, const Job& job)
{
    int code = 0;
    const Archive archive(zip_open(path.c_str(), ZIP_RDONLY, &code));
    if (!archive) {
        // What libzip calls the rest differs from release to release: no archive, inconsistent, truncated.
        const bool isUnreadable = code == ZIP_ER_NOENT || code == ZIP_ER_OPEN || code == ZIP_ER_READ ||
                                  code == ZIP_ER_SEEK || code == ZIP_ER_MEMORY;
        auto error = broken(isUnreadable ? openErrorText(code) : brokenArchiveText(path));
        error.error().file = path;
        return error;
    }
    std::error_code ignored;
    const auto fileBytes = static_cast<double>(std::filesystem::file_size(path, ignored));
    const auto inFile = [&](Error error) {
        error.file = path;
        return std::unexpected(std::move(error));
    };
    const auto members = listMembers(archive.get(), std::max(alwaysAllowed, maxExpansion * fileBytes));
    if (!members) {
        return inFile(members.error());
    }
    NamedTensors arrays;
    for (const Member& member : *members) {
        const auto bytes = readMember(archive.get(), member, job);
        if (!bytes) {
            return inFile(bytes.error());
        }
        auto tensor = tensorFromNpy(*bytes);
        if (!tensor) {
            tensor.error().message = fmt::format("array '{}': {}", printable(member.name), tensor.error().message);
            return inFile(tensor.error());
        }
        std::string name = member.name;
        if (name.ends_with(".npy")) {
            name.resize(name.size() - 4);
        }
        arrays.emplace_back(std::move(name), std::move(*tensor));
    }
    return arrays;
}

Result<void> writeNpz(const std::string& path, const std::vector<std::pair<std::string, Tensor>>& arrays)
{
    const auto failed = [&](std::string text) {
        auto error = failure(ErrorKind::Output, "npz-write", std::move(text));
        error.error().file = path;
        return error;
    };
    int code = 0;
    // libzip writes to a temporary name beside `path` and renames it when the archive is closed.
    Archive archive(zip_open(path.c_str(), ZIP_CREATE | ZIP_TRUNCATE, &code));
    if (!archive) {
        return failed(openErrorText(code));
    }
    std::vector<std::string> contents(arrays.size()); // libzip reads them when the archive is closed
    for (std::size_t i = 0; i < arrays.size(); ++i) {
        auto bytes = npyFromTensor(arrays[i].second);
        if (!bytes) {
            bytes.error().value = arrays[i].first;
            bytes.error().file = path;
            return std::unexpected(bytes.error());
        }
        contents[i] = std::move(*bytes);
        zip_source_t* source = zip_source_buffer(archive.get(), contents[i].data(), contents[i].size(), 0);
        if (source == nullptr) {
            return failed(zip_strerror(archive.get()));
        }
        const zip_int64_t index =
            zip_file_add(archive.get(), (arrays[i].first + ".npy").c_str(), source, ZIP_FL_ENC_UTF_8);
        if (index < 0) {
            zip_source_free(source);
            return failed(fmt::format("array '{}': {}", printable(arrays[i].first), zip_strerror(archive.get())));
        }
        const auto at = static_cast<zip_uint64_t>(index);
        constexpr zip_uint16_t firstDosDate = (1 << 5) | 1; // 1 January 1980, as numpy writes
        if (zip_set_file_compression(archive.get(), at, ZIP_CM_STORE, 0) != 0 ||
            zip_file_set_dostime(archive.get(), at, 0, firstDosDate, 0) != 0) {
            return failed(zip_strerror(archive.get()));
        }
    }
    if (arrays.empty()) {
        return failed("there is no array to write");
    }
    if (zip_set_archive_comment(archive.get(), npzMark.data(), static_cast<zip_uint16_t>(npzMark.size())) != 0) {
        return failed(zip_strerror(archive.get()));
    }
    if (zip_close(archive.get()) != 0) {
        return failed(zip_strerror(archive.get()));
    }
    [[maybe_unused]] zip_t* const closed = archive.release(); // zip_close freed it
    return {};
}

} // namespace crease
