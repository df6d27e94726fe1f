// Room rows: rows of numbers: sums, norms, softmax, arg, scan, TopK, LRN, NonZero.
// Uses: simd.
// Kernels: those that its sources name; tools/gen_kernel_table.py makes the table of all rooms.
//
// rows.h - what the kernels around products share: asking shapes, and cutting work into blocks.
#pragma once
#include "axis.rule.h"
#include "cpu/rows/rows_ops.h"
#include "weft/op.h"

// Are all shapes known and all layouts plain?
static inline bool weft__rows_plain_layout(const weft_layout *l) {
  return weft_shape_is_known(&l->origin) && weft_shape_equal(&l->origin, &l->storage);
}
static inline bool weft__rows_plain(const weft_tiling *t) {
  for (uint32_t i = 0; i < t->n_in; i++) {
    if (!weft__rows_plain_layout(t->in[i]))
      return false;
  }
  for (uint32_t i = 0; i < t->n_out; i++) {
    if (!weft__rows_plain_layout(t->out[i]))
      return false;
  }
  return true;
}
// 1, 2, 4 or 8, of dtypes whose elements are numbers of so many bytes; 0 of others.
static inline uint32_t weft__rows_elem_bytes(weft_dtype t) {
  static const uint8_t bytes_of_bits[] = {[8] = 1, [16] = 2, [32] = 4, [64] = 8};
  const uint32_t bits = weft_dtype_bits(t);
  const bool handle = t == WEFT_RESOURCE || t == WEFT_VARIANT;
  if (handle || t == WEFT_STRING)
    return 0;
  return bits < WEFT_COUNT(bytes_of_bits) ? bytes_of_bits[bits] : 0;
}
// NULL, or why elements of input i are not moved as they are; *out_bytes: of one.
static inline const char *weft__rows_whole(const weft_tiling *t, uint32_t i, uint32_t *out_bytes) {
  if (!weft__rows_plain(t))
    return "needs known shapes in plain layouts";
  *out_bytes = weft__rows_elem_bytes(t->in_dtype[i]);
  return *out_bytes ? NULL : "needs elements of 1, 2, 4 or 8 bytes";
}
// ---- how floats are stored ----
// Rows of f16 and bf16 are widened where they are used, computed in float and rounded once, to nearest, ties
// to even, when they are stored: memory is read and written in two bytes a number.
enum { WEFT__STORE_F32, WEFT__STORE_HALF, WEFT__STORE_BF16, WEFT__STORE_NONE };
static inline uint8_t weft__store_of(weft_dtype t) {
  if (t == WEFT_FLOAT)
    return WEFT__STORE_F32;
  if (t == WEFT_FLOAT16)
    return WEFT__STORE_HALF;
  return t == WEFT_BF16 ? WEFT__STORE_BF16 : WEFT__STORE_NONE;
}
// NULL, or why inputs [0, n) and output 0, whose dtypes are to be of `taken` (WEFT_DT), cannot be rows; `no`:
// why a dtype is not taken.
static inline const char *weft__rows_refuse(const weft_tiling *t, uint32_t n, uint64_t taken,
                                            const char *no) {
  if (t->n_in < n || t->n_out < 1)
    return "inputs or outputs are missing";
  uint64_t dtypes = WEFT_BIT(t->out_dtype[0]);
  for (uint32_t i = 0; i < n; i++)
    dtypes |= WEFT_BIT(t->in_dtype[i]);
  if (dtypes & ~taken)
    return no;
  return weft__rows_plain(t) ? NULL : "needs known shapes in plain layouts";
}
// NULL, or why inputs [0, n) and output 0 are not plain f32.
static inline const char *weft__rows_f32(const weft_tiling *t, uint32_t n) {
  return weft__rows_refuse(t, n, WEFT_DT(FLOAT), "needs f32");
}
// NULL, or why inputs [0, n) and output 0 are not plain f32, f16 or bf16.
static inline const char *weft__rows_floats(const weft_tiling *t, uint32_t n) {
  const uint64_t floats = WEFT_DT(FLOAT) | WEFT_DT(FLOAT16) | WEFT_DT(BF16);
  return weft__rows_refuse(t, n, floats, "needs f32, f16 or bf16");
}
// Numbers [at, at + n) of a tensor as floats: where they lie, or widened into `room`.
static inline const float *weft__rows_load(const weft__rows_ops *v, uint8_t store, const void *x, size_t at,
                                           size_t n, float *room) {
  if (store)
    v->widen[store - 1]((const uint16_t *)x + at, room, n);
  return store ? room : (const float *)x + at;
}
// Where to make numbers from `at` on: where they will lie, or in `room`, from which weft__rows_store rounds
// them.
static inline float *weft__rows_room(uint8_t store, void *y, size_t at, float *room) {
  return store ? room : (float *)y + at;
}
static inline void weft__rows_store(const weft__rows_ops *v, uint8_t store, void *y, size_t at, size_t n,
                                    const float *room) {
  if (store)
    v->narrow[store - 1](room, (uint16_t *)y + at, n);
}

static inline size_t weft__rows_prod(const weft_shape *s, size_t from, size_t to) {
  size_t n = 1;
  for (size_t i = from; i < to; i++)
    n *= (size_t)s->dim[i];
  return n;
}
// Work of `n` equal parts of `ns` each, cut into blocks of about 3 us; *out_per: parts of a block.
static inline uint32_t weft__rows_blocks(size_t n, double ns, size_t *out_per) {
  const double total = (double)n * ns;
  const double wanted = WEFT_MIN(total / 3000, 64);
  size_t blocks = total < 6000 ? 1 : (size_t)wanted;
  if (blocks > 1)
    blocks = (blocks + 7) / 8 * 8;  // most numbers of threads divide it
  blocks = WEFT_MAX(WEFT_MIN(blocks, n), 1);
  const size_t per = WEFT_MAX(n / blocks + (n % blocks != 0), 1);  // of any n: n + per may be too much
  *out_per = per;
  return (uint32_t)WEFT_MAX(n / per + (n % per != 0), 1);
}
// Integers of input i, a constant of i32 or i64; -1: not known or more than cap.
static inline int weft__rows_ints(const weft_tiling *t, uint32_t i, int64_t *out, size_t cap) {
  const weft_tensor *v = i < t->n_in ? t->value[i] : NULL;
  if (!v)
    return -1;
  const bool integers = v->dtype == WEFT_INT32 || v->dtype == WEFT_INT64;
  const int64_t n = integers ? weft_tensor_elems(v) : -1;
  if (n < 0 || (size_t)n > cap)
    return -1;
  if (n && !v->data)  // an empty list has none
    return -1;
  for (int64_t k = 0; k < n; k++)
    out[k] = weft_load_i64(v->dtype, v->data, (size_t)k);
  return (int)n;
}
// A tensor as lanes along an axis: `outer` times `inner` of them, of `lane` elements, `inner` apart.
typedef struct weft__rows_lanes {
  size_t outer, lane, inner;
} weft__rows_lanes;
// Input 0 along the axis that input 1 names. NULL, or why not.
static inline const char *weft__rows_lanes_of(const weft_tiling *t, weft__rows_lanes *out) {
  const weft_shape *s = &t->in[0]->origin;
  int64_t axis;
  if (!weft__rows_plain(t))
    return "needs known shapes in plain layouts";
  if (weft__rows_ints(t, 1, &axis, 1) != 1)
    return "the axis is not known";
  if (!weft__axis_inside(&axis, s->rank))
    return "the axis is outside";
  out->outer = weft__rows_prod(s, 0, (size_t)axis);
  out->lane = (size_t)s->dim[axis];
  out->inner = weft__rows_prod(s, (size_t)axis + 1, s->rank);
  return NULL;
}
// A kernel of the functions refuse_<id>, tile_<id> and run_<id>.
#define WEFT_ROWS_KERNEL_OF(symbol, op_name, kernel_name, bytes, id)                                  \
  const weft_kernel weft__kernel_##symbol = {sizeof(weft_kernel), op_name, "cpu", kernel_name, bytes, \
                                             refuse_##id,         NULL,    NULL,  tile_##id,   run_##id}
#define WEFT_ROWS_KERNEL(symbol, op_name, kernel_name, bytes) \
  WEFT_ROWS_KERNEL_OF(symbol, op_name, kernel_name, bytes, symbol)
// SPDX-License-Identifier: Apache-2.0
