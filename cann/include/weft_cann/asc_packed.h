// weft_cann/asc_packed.h - a launch whose arguments are only bytes: what weft_asc_entry_NAME of a shared
// object with kernels takes (weft-ascc writes these entries, aclrtLaunchKernel* call them).
#pragma once
#include <stddef.h>
#include <stdint.h>

// Arguments in one of two forms, or the question how large they are.
typedef struct weft_asc_packed {
  uint32_t size;    // of this struct, as who calls knows it
  uint32_t blocks;  // 0: only `sizes` is asked for
  void *stream;
  const void *data;  // one behind the other, each aligned as its type is
  size_t bytes;
  void *const *each;  // where each lies; NULL: `data` holds them
  size_t n_each;      // SIZE_MAX: not known, enough is promised
  uint32_t *sizes;    // room for n_sizes pairs of offset and size
  size_t n_sizes;
  size_t n_arguments;  // that there are, and how many bytes they take: set in any case
  size_t all_bytes;
} weft_asc_packed;
enum { WEFT_ASC_PACKED_DONE, WEFT_ASC_PACKED_TOO_FEW, WEFT_ASC_PACKED_NOT_BYTES };
typedef int (*weft_asc_entry_fn)(weft_asc_packed *p);
// SPDX-License-Identifier: Apache-2.0
