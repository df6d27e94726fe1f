// weft_cann/asc_entry.h - what weft-ascc puts before each source in Ascend C: launches, and entries by which
// a kernel of a shared object is found and launched with arguments that are only bytes (aclrtLaunchKernel).
#pragma once
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <new>
#include <type_traits>
#include <utility>

#include "weft_cann/asc_launch.h"

namespace weft_asc {
// Arguments of a launch, in one of two forms, or the question how large they are.
struct packed {
  uint32_t bytes_of_this;  // sizeof(packed) of who calls
  uint32_t blocks;         // 0: only `sizes` is asked for
  void *stream;
  const void *data;  // one behind the other, each aligned as its type is
  size_t bytes;
  void *const *each;  // where each lies; nullptr: `data` holds them
  size_t n_each;
  uint32_t *sizes;  // room for n_sizes pairs of offset and size
  size_t n_sizes;
  size_t n_arguments;  // that there are: set in any case
};
enum { kPackedDone = 0, kPackedTooFew = 1, kPackedNotBytes = 2 };

namespace own {
constexpr size_t Aligned(size_t at, size_t to) {
  return (at + to - 1) / to * to;
}
template <typename T>
T Take(const void *from) {
  alignas(T) unsigned char bytes[sizeof(T)];
  memcpy(bytes, from, sizeof bytes);
  return *std::launder(reinterpret_cast<T *>(bytes));
}
template <typename... P, size_t... I>
int Unpack(const char *name, const char *file, int line, void (*kernel)(P...), packed *p,
           std::index_sequence<I...>) {
  constexpr size_t n = sizeof...(P);
  constexpr size_t sizes[n + 1] = {sizeof(P)..., 0};
  constexpr size_t aligned[n + 1] = {alignof(P)..., 1};
  size_t offsets[n + 1] = {};
  size_t end = 0;
  for (size_t i = 0; i < n; i++) {
    offsets[i] = Aligned(end, aligned[i]);
    end = offsets[i] + sizes[i];
  }
  p->n_arguments = n;
  for (size_t i = 0; i < n && i < p->n_sizes; i++) {
    p->sizes[2 * i] = static_cast<uint32_t>(offsets[i]);
    p->sizes[2 * i + 1] = static_cast<uint32_t>(sizes[i]);
  }
  if (p->blocks == 0)
    return kPackedDone;
  if (p->each ? p->n_each < n : p->bytes < end)
    return kPackedTooFew;
  const char *data = static_cast<const char *>(p->data);
  (void)data;
  call(name, file, line, kernel, p->blocks, nullptr,
       p->stream)(Take<P>(p->each ? p->each[I] : static_cast<const void *>(data + offsets[I]))...);
  return kPackedDone;
}
}  // namespace own

template <typename... P>
int unpack(const char *name, const char *file, int line, void (*kernel)(P...), packed *p) {
  constexpr bool bytes = ((std::is_trivially_copyable<P>::value && !std::is_reference<P>::value) && ...);
  if constexpr (bytes)
    return own::Unpack(name, file, line, kernel, p, std::index_sequence_for<P...>());
  else
    return kPackedNotBytes;
}
}  // namespace weft_asc
// SPDX-License-Identifier: Apache-2.0
