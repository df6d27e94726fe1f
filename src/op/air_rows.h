// air_rows.h - operators whose prototype is AscendIR's, a row each: ports, attributes and dtypes come from
// the catalogue, the row says what the catalogue does not.
//
//   WEFT_ROWS(squares) = {
//     {"Squares", "y = x^2, and x^3 beside it", WEFT_SYMBOLIC | WEFT_MONOTONE,
//      .infer = weft__infer_same, .ref = squares_ref,
//      .examples = WEFT_EXAMPLES("f32[2]{1,2} -> f32[2]{1,4}, f32[2]{1,8}")},
//     {0},
//   };
//
// The build finds the tables (tools/gen_op_table.py). Attribute slots are those of the prototype's order;
// op_slots.h has their names, WEFT_SLOT_REDUCE_SUM_D_AXES.
// An output whose dtype no rule of the prototype decides has that of the input named `like`; without `like`,
// of the first input that allows the same dtypes.
// Layer: op.
#pragma once
#include "weft/op.h"

typedef struct weft__row {
  const char *name;
  const char *summary;
  uint64_t traits;
  weft_infer_fn infer;        // shapes; dtypes too where it likes
  weft_infer_fn infer_dtype;  // where it can be told without the shapes
  weft_infer_fn infer_range;
  weft_infer_fn infer_value;
  weft_call_fn ref;  // one of the two
  weft_call_fn execute;
  const char *values;  // inputs whose contents inference reads: "shape,axes"
  const char *like;    // see above
  const void *user;    // functions find it at desc->op->user
  const char *const *examples;
} weft__row;
#define WEFT_ROWS(symbol) const weft__row weft__rows_##symbol[]

// All tables, NULL at the end; each ends with a row without a name.
extern const weft__row *const weft__builtin_rows[];
// The operator of a row, its lists in `arena`. E_NOT_FOUND: the catalogue has none of this name.
struct weft_arena;
weft_status weft__row_op(const weft__row *row, struct weft_arena *arena, const weft_op **out);
// SPDX-License-Identifier: Apache-2.0
