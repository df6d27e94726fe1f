// weft/tiling.h - asking an operator's tiling function for a processor by name (`weft op tile --soc NAME`):
// what it chooses there can be looked at on a machine that has none. weft_tiling.device points to a
// weft_tiling_target then; it is NULL when weft tiles for a device of its own. weft_tile_call asks while an
// operator runs, for a function of its own that launches a kernel.
#pragma once
#include <string.h>

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

// ---- for who launches kernels ----
// What a tiling function chose for the tensors of a call. `data` are the call's: they are there until it
// returns.
typedef struct weft_tiled {
  uint32_t size;
  uint32_t blocks, schedule;
  uint32_t n_workspaces;
  uint64_t key;
  const void *data;  // the record, 64-byte aligned
  size_t data_bytes;
  size_t workspace_bytes[16];
  bool atomic_clean;  // the kernel adds to its outputs: they must be zero before
} weft_tiled;

// What weft_tile_call describes a call with.
typedef struct weft_tile_arrays {
  const weft_layout **layout;  // of inputs, then of outputs
  weft_dtype *dtype;
  weft_format *format;
  void *record;
} weft_tile_arrays;
enum { WEFT_TILE_RECORD_BYTES = 65536 };
// Fills the arrays, in memory of the call's. E_LIMIT: too many tensors; E_STATE: an output is not described.
static inline weft_status weft_tile_describe(const weft_call *c, weft_tile_arrays *a) {
  const size_t n = (size_t)c->n_in + c->n_out;
  const size_t one = sizeof *a->layout + sizeof *a->dtype + sizeof *a->format;
  void *memory = NULL;
  if (n > 65536)
    return c->host->fail(c->d, WEFT_E_LIMIT, "more than 65536 inputs and outputs");
  const weft_status s = c->host->workspace(c, WEFT_TILE_RECORD_BYTES + n * one, &memory);
  if (s)
    return s;
  a->record = memory;
  memset(a->record, 0, WEFT_TILE_RECORD_BYTES);
  a->layout = (const weft_layout **)(void *)((char *)memory + WEFT_TILE_RECORD_BYTES);
  a->format = (weft_format *)(void *)(a->layout + n);
  a->dtype = (weft_dtype *)(void *)(a->format + n);
  for (size_t i = 0; i < n; i++) {
    const weft_tensor *t = i < c->n_in ? c->in[i] : c->out[i - c->n_in];
    if (!t)
      return c->host->fail(c->d, WEFT_E_STATE, "output %u has no description", (unsigned)(i - c->n_in));
    a->layout[i] = &t->layout;
    a->dtype[i] = t->dtype;
    a->format[i] = t->format;
  }
  return WEFT_OK;
}
// What the function said, checked against the room that it had.
static inline weft_status weft_tile_keep(const weft_call *c, const weft_tiling *t,
                                         const weft_tiling_said *said, weft_tiled *out) {
  if (t->data_bytes > t->data_cap || t->n_workspaces > 16) {
    return c->host->fail(c->d, WEFT_E_RANGE,
                         "the tiling function says %zu bytes of data and %u workspaces; room is "
                         "for %zu and 16",
                         t->data_bytes, t->n_workspaces, t->data_cap);
  }
  memset(out, 0, sizeof *out);
  out->size = sizeof *out;
  out->blocks = t->blocks;
  out->schedule = said->schedule;
  out->n_workspaces = t->n_workspaces;
  out->key = t->key;
  out->data = t->data;
  out->data_bytes = t->data_bytes;
  memcpy(out->workspace_bytes, t->workspace_bytes, sizeof out->workspace_bytes);
  out->atomic_clean = t->atomic_clean != 0;
  return WEFT_OK;
}
// Calls the tiling function of the call's operator (weft_op.tile) with the tensors of the call, values
// included, for the processor `soc` (NULL: "cpu"). Outputs must be described, as those of reference kernels
// are. E_UNSUPPORTED: the operator has no tiling function; otherwise what that function says. Inline, so that
// packages may call it; takes memory of the call's.
static inline weft_status weft_tile_call(const weft_call *c, const char *soc, weft_tiled *out) {
  weft_tiling_said said;
  weft_tiling_target target;
  weft_tiling t;
  weft_tile_arrays a;
  memset(&a, 0, sizeof a);
  if (!c->desc->op->tile)
    return c->host->fail(c->d, WEFT_E_UNSUPPORTED, "operator '%s' has no tiling function", c->desc->type);
  weft_status s = weft_tile_describe(c, &a);
  if (s)
    return s;
  memset(&said, 0, sizeof said);
  said.size = sizeof said;
  target.size = sizeof target;
  target.soc = soc ? soc : "cpu";
  target.said = &said;
  memset(&t, 0, sizeof t);
  t.size = sizeof t;
  t.n_in = c->n_in;
  t.n_out = c->n_out;
  t.desc = c->desc;
  t.host = c->host;
  t.d = c->d;
  t.in = a.layout;
  t.out = a.layout + c->n_in;
  t.in_dtype = a.dtype;
  t.out_dtype = a.dtype + c->n_in;
  t.in_format = a.format;
  t.out_format = a.format + c->n_in;
  t.value = c->in;
  t.device = &target;
  t.phases = 1;
  t.data = a.record;
  t.data_cap = WEFT_TILE_RECORD_BYTES;
  t.atomic_clean = 1;
  s = c->desc->op->tile(&t);
  return s ? s : weft_tile_keep(c, &t, &said, out);
}
#ifdef __cplusplus
}
#endif
// SPDX-License-Identifier: Apache-2.0
