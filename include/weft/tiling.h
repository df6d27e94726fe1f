// weft/tiling.h - asking an operator's tiling function for a processor by name (`weft op tile --soc NAME`):
// what it chooses there can be looked at on a machine that has none. weft_tiling.device points to a
// weft_tiling_target then; it is NULL when weft tiles for a device of its own.
#pragma once
#include "weft/op.h"
#ifdef __cplusplus
extern "C" {
#endif

// What lies in the record: `elements` numbers one after another, not aligned.
typedef struct weft_tiling_field {
  const char *name;
  weft_dtype dtype;
  size_t at, elements;
} weft_tiling_field;
// What a tiling function says beside weft_tiling, if it likes.
typedef struct weft_tiling_said {
  uint32_t size;
  uint32_t schedule;                // how blocks are scheduled; 0
  const weft_tiling_field *fields;  // of the record; they live as long as the operator
  uint32_t n_fields;
} weft_tiling_said;
typedef struct weft_tiling_target {
  uint32_t size;
  const char *soc;         // "ascend910b"
  weft_tiling_said *said;  // zeroed but for its size
} weft_tiling_target;

// NULL: weft tiles for a device of its own.
static inline const weft_tiling_target *weft_tiling_for(const weft_tiling *t) {
  return (const weft_tiling_target *)t->device;
}
#ifdef __cplusplus
}
#endif
// SPDX-License-Identifier: Apache-2.0
