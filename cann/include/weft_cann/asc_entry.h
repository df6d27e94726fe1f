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
#include "weft_cann/asc_packed.h"

namespace weft_asc {
using packed = ::weft_asc_packed;

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
  p->all_bytes = end;
  for (size_t i = 0; i < n && i < p->n_sizes; i++) {
    p->sizes[2 * i] = static_cast<uint32_t>(offsets[i]);
    p->sizes[2 * i + 1] = static_cast<uint32_t>(sizes[i]);
  }
  if (p->blocks == 0)
    return WEFT_ASC_PACKED_DONE;
  if (p->each ? p->n_each < n : p->bytes < end)
    return WEFT_ASC_PACKED_TOO_FEW;
  const char *data = static_cast<const char *>(p->data);
  (void)data;
  call(name, file, line, kernel, p->blocks, nullptr,
       p->stream)(Take<P>(p->each ? p->each[I] : static_cast<const void *>(data + offsets[I]))...);
  return WEFT_ASC_PACKED_DONE;
}
}  // namespace own

template <typename... P>
int unpack(const char *name, const char *file, int line, void (*kernel)(P...), packed *p) {
  constexpr bool bytes = ((std::is_trivially_copyable<P>::value && !std::is_reference<P>::value) && ...);
  if constexpr (bytes)
    return own::Unpack(name, file, line, kernel, p, std::index_sequence_for<P...>());
  else
    return WEFT_ASC_PACKED_NOT_BYTES;
}
}  // namespace weft_asc
// SPDX-License-Identifier: Apache-2.0
