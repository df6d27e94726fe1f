// dims_move.h - what operators of shape and data movement share: integers that come as inputs, strided views,
// movement
// of blocks, and the same movements on partly known values (infer_value). Layer: ops.
#pragma once
#include "op.h"

// ---- integers that come as inputs ----
// Elements of it->in_dims: a literal, a symbol, or WEFT_DIM_INVALID for an unknown one.
static inline bool weft__is_literal(int64_t e) {
  return e >= WEFT_DIM_SYMBOL_LIMIT;
}
static inline weft_dim weft__elem_dim(int64_t e) {
  return e == WEFT_DIM_INVALID ? -1 : e;
}
static inline int64_t weft__dim_elem(weft_dim d) {
  return d == -1 ? WEFT_DIM_INVALID : d;
}
// weft__in_ints for an input of any rank, read flat.
weft_status weft__in_flat(const weft_infer *it, uint32_t in, int64_t *out, size_t cap, int64_t *out_n,
                          bool *out_known);
// The one integer of an input (a scalar or [1]); E_SHAPE when it has more or none. Known: a literal.
weft_status weft__in_int(const weft_infer *it, uint32_t in, int64_t *out, bool *out_known);
weft_status weft__read_int(const weft_call *c, uint32_t in, int64_t *out);
// An axis that comes as an input: E_RANGE "input 'axis': 3 is outside [-2, 1]".
weft_status weft__axis_of_input(weft_diag *d, const weft_op_desc *n, uint32_t in, int64_t axis, size_t rank,
                                size_t *out);
// A shape that comes as an input. Unknown elements give -1, an unknown length an unknown rank; E_SHAPE below
// 0.
weft_status weft__in_target(const weft_infer *it, uint32_t in, weft_shape *out);
// Output 0 is input 0, pictures [batch, height, width, channels], in the size that input `in` holds: height
// and width of at least 1; E_RANGE, E_SHAPE.
weft_status weft__sized_pictures(weft_infer *it, uint32_t in);
// A count attribute ('N', 'num_split'): when given, or `always`, it must equal the instances that the node
// has.
weft_status weft__expect_count(const weft_infer *it, uint32_t slot, bool always, uint32_t have,
                               const char *what);

// ---- strided views ----
// Element (i0, i1, ...) of the result is element base + sum of i*step of the source, both in elements.
typedef struct weft_view {
  size_t rank;
  int64_t base, dim[WEFT_MAX_RANK], step[WEFT_MAX_RANK];
  size_t next;  // where the walk stands
  int64_t at, index[WEFT_MAX_RANK];
} weft_view;
void weft__view_init(weft_view *v, const weft_shape *source);  // the source itself; its shape is known
// A step times a number of places; 0 where that overflows: the source then has no elements, and nothing
// moves.
static inline int64_t weft__view_times(int64_t step, int64_t by) {
  return weft__mul_i64(step, by, &step) ? step : 0;
}
void weft__view_shift(weft_view *v, size_t axis, int64_t by);  // begins `by` places later along an axis
weft_status weft__view_move(const weft_call *c, uint32_t in, uint32_t out, weft_view *v);
void weft__view_elems(weft_infer *it, uint32_t in, uint32_t out, weft_view *v);

// ---- movement ----
weft_status weft__copy_all(const weft_call *c);  // output 0 has the elements of input 0 in the same order
void weft__copy_run(weft_dtype t, void *dst, size_t di, const void *src, size_t si,
                    size_t n);  // not for strings
// Output block j (of `block` elements) is input block map(j); -1 gives zeros.
weft_status weft__move_blocks(const weft_call *c, const weft_tensor *in, weft_tensor *out, size_t block,
                              weft_map_fn map, void *ctx);
// Output element i is element *out_index of the tensor that `pick` returns. All dtypes alike.
typedef const weft_tensor *(*weft_pick_fn)(void *ctx, size_t i, size_t *out_index);
weft_status weft__pick(const weft_call *c, weft_tensor *out, weft_pick_fn pick, void *ctx);

// ---- partly known values ----
weft_status weft__elems_same(weft_infer *it);  // an infer_value: output 0 has the elements of input 0
// Output element i is element map(i) of input `in`; nothing happens when they are not known or too many.
void weft__elems_map(weft_infer *it, uint32_t in, uint32_t out, size_t n, weft_map_fn map, void *ctx);
bool weft__elems_known_shapes(const weft_infer *it);  // are all input and output shapes known?
// SPDX-License-Identifier: Apache-2.0
