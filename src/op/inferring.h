// inferring.h - one inference of one node at work: what the files share that do its steps (infer_node.c).
// Layer: op.
#pragma once
#include "op/infer_node.h"

typedef struct weft__inferring {
  weft_frame *f;
  const weft_proto *p;
  const weft_op_desc *desc;
  const weft_fact *const *in;
  weft_diag *d;
  weft_infer it;
  weft_dtype symbol[64];
  uint64_t columns;  // that still match (the first 64)
} weft__inferring;

// Calls one of the operator's functions. A failure gets a message where the function gave none; inputs must
// stay as they are (E_STATE).
weft_status weft__inferring_call(weft__inferring *r, weft_infer_fn fn, const char *what);
// The port of output i and which of its instances that is.
const weft_port *weft__inferring_port(const weft__inferring *r, uint32_t i, uint32_t *out_port,
                                      uint32_t *out_rel);
// Is a shape that a function gave of output i set, and are its dims possible? what: "", " (range minimum)".
weft_status weft__inferring_check(weft__inferring *r, uint32_t i, const weft_shape *s, const char *what);
// The shape function, or what the outputs follow.
weft_status weft__inferring_shapes(weft__inferring *r);

// ---- inferring_inputs.c ----
// Every input into the frame, its dtype into the symbols, its columns out of those that match.
weft_status weft__inferring_inputs(weft__inferring *r);
// The shape of input i as the operator sees it: without WEFT_SYMBOLIC, symbols are -1.
void weft__inferring_lay(weft__inferring *r, uint32_t i);

// ---- inferring_types.c ----
weft_status weft__inferring_dtype(weft__inferring *r, uint32_t i);
// The kind of an output: what the function said, or the only one that its port gives.
weft_status weft__inferring_kind(weft__inferring *r, uint32_t i);
weft_status weft__inferring_format(weft__inferring *r, uint32_t i);
// E_DTYPE: "input 'x': got float32, allowed combinations are (..)".
weft_status weft__inferring_column_error(const weft__inferring *r, const char *what, const char *name,
                                         const char *how, weft_dtype got);

// ---- inferring_ranges.c ----
// *out_have: the frame holds ranges of all outputs.
weft_status weft__inferring_ranges(weft__inferring *r, bool *out_have);
// The range of output i into its fact, where it says more than the shape; a range of one size becomes the
// dim.
void weft__inferring_range_of(weft__inferring *r, uint32_t i);
// SPDX-License-Identifier: Apache-2.0
