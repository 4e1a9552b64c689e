// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/tensor/stack.h"

#include <cstring>

namespace crease {

Result<Tensor> stacked(std::span<const Tensor> tensors)
{
    if (tensors.empty()) {
        return failure(ErrorKind::Input, "nothing-to-join", "there are no tensors to join");
    }
    if (tensors.size() == 1) {
        return tensors.front();
    }
    Dims dims = tensors.front().dims();
    if (dims.empty()) {
        dims = {1};
    }
    const Dims rest(dims.begin() + 1, dims.end());
    std::int64_t length = 0;
    for (const Tensor& tensor : tensors) {
        const Dims mine = tensor.dims().empty() ? Dims{1} : tensor.dims();
        if (Dims(mine.begin() + 1, mine.end()) != rest || tensor.type() != tensors.front().type()) {
            return failure(ErrorKind::Input, "shapes-differ",
                           "results of " + toText(tensors.front().dims()) + " and " + toText(tensor.dims()) +
                               " cannot be joined in one array");
        }
        length += mine[0];
    }
    dims[0] = length;
    if (tensors.front().type() == ElementType::String) {
        std::vector<std::string> values;
        for (const Tensor& tensor : tensors) {
            values.insert(values.end(), tensor.stringValues().begin(), tensor.stringValues().end());
        }
        return Tensor::strings(std::move(dims), std::move(values));
    }
    std::size_t bytes = 0;
    for (const Tensor& tensor : tensors) {
        bytes += tensor.bytes();
    }
    const std::shared_ptr<std::byte[]> memory =
        std::make_shared_for_overwrite<std::byte[]>(std::max<std::size_t>(bytes, 1));
    std::size_t at = 0;
    for (const Tensor& tensor : tensors) {
        if (tensor.bytes() > 0) {
            std::memcpy(memory.get() + at, tensor.raw(), tensor.bytes());
            at += tensor.bytes();
        }
    }
    return Tensor::view(tensors.front().type(), std::move(dims), memory, memory.get());
}

} // namespace crease
