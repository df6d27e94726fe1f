// Room rows: rows of numbers: sums, norms, softmax, arg, scan, TopK, LRN, NonZero.
// Uses: simd.
// Kernels: those that its sources name; tools/gen_kernel_table.py makes the table of all rooms.
//
// rows.h - what the kernels around products share: asking shapes, and cutting work into blocks.
#pragma once
#include "cpu/rows/rows_ops.h"
#include "weft/op.h"

// Are all shapes known and all layouts plain?
static inline bool weft__rows_plain(const weft_tiling *t) {
  for (uint32_t i = 0; i < t->n_in + t->n_out; i++) {
    const weft_layout *l = i < t->n_in ? t->in[i] : t->out[i - t->n_in];
    if (!weft_shape_is_known(&l->origin) || !weft_shape_equal(&l->origin, &l->storage))
      return false;
  }
  return true;
}
// 1, 2, 4 or 8, of dtypes whose elements are numbers of so many bytes; 0 of others.
static inline uint32_t weft__rows_elem_bytes(weft_dtype t) {
  const uint32_t bits = weft_dtype_bits(t);
  const bool other = t == WEFT_STRING || t == WEFT_RESOURCE || t == WEFT_VARIANT;
  return !other && (bits == 8 || bits == 16 || bits == 32 || bits == 64) ? bits / 8 : 0;
}
// NULL, or why inputs [0, n) and output 0 are not plain f32.
static inline const char *weft__rows_f32(const weft_tiling *t, uint32_t n) {
  if (t->n_in < n || t->n_out < 1)
    return "inputs or outputs are missing";
  for (uint32_t i = 0; i < n; i++) {
    if (t->in_dtype[i] != WEFT_FLOAT)
      return "needs f32";
  }
  if (t->out_dtype[0] != WEFT_FLOAT)
    return "needs f32";
  return weft__rows_plain(t) ? NULL : "needs known shapes in plain layouts";
}

// ---- how floats are stored ----
// Rows of f16 and bf16 are widened where they are used, computed in float and rounded once, to nearest, ties
// to even, when they are stored: memory is read and written in two bytes a number.
enum { WEFT__STORE_F32, WEFT__STORE_HALF, WEFT__STORE_BF16, WEFT__STORE_NONE };
static inline uint8_t weft__store_of(weft_dtype t) {
  return t == WEFT_FLOAT     ? WEFT__STORE_F32
         : t == WEFT_FLOAT16 ? WEFT__STORE_HALF
         : t == WEFT_BF16    ? WEFT__STORE_BF16
                             : WEFT__STORE_NONE;
}
// NULL, or why inputs [0, n) and output 0 are not plain f32, f16 or bf16.
static inline const char *weft__rows_floats(const weft_tiling *t, uint32_t n) {
  if (t->n_in < n || t->n_out < 1)
    return "inputs or outputs are missing";
  for (uint32_t i = 0; i < n + 1; i++) {
    if (weft__store_of(i < n ? t->in_dtype[i] : t->out_dtype[0]) == WEFT__STORE_NONE)
      return "needs f32, f16 or bf16";
  }
  return weft__rows_plain(t) ? NULL : "needs known shapes in plain layouts";
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
  double total = (double)n * ns;
  size_t blocks = total < 6000 ? 1 : total / 3000 > 64 ? 64 : (size_t)(total / 3000);
  if (blocks > 1)
    blocks = (blocks + 7) / 8 * 8;  // most numbers of threads divide it
  if (blocks > n)
    blocks = n;
  if (!blocks)
    blocks = 1;
  *out_per = (n + blocks - 1) / blocks;
  if (!*out_per)
    *out_per = 1;
  blocks = (n + *out_per - 1) / *out_per;
  return blocks ? (uint32_t)blocks : 1;
}
// Integers of input i, a constant of i32 or i64; -1: not known or more than cap.
static inline int weft__rows_ints(const weft_tiling *t, uint32_t i, int64_t *out, size_t cap) {
  const weft_tensor *v = i < t->n_in ? t->value[i] : NULL;
  if (!v || (v->dtype != WEFT_INT32 && v->dtype != WEFT_INT64))
    return -1;
  int64_t n = weft_tensor_elems(v);
  if (n < 0 || (size_t)n > cap || (n && !v->data))
    return -1;  // an empty list has no data
  for (int64_t k = 0; k < n; k++)
    out[k] = weft_load_i64(v->dtype, v->data, (size_t)k);
  return (int)n;
}
// A kernel of the functions refuse_<id>, tile_<id> and run_<id>.
#define WEFT_ROWS_KERNEL_OF(symbol, op_name, kernel_name, bytes, id)                                  \
  const weft_kernel weft__kernel_##symbol = {sizeof(weft_kernel), op_name, "cpu", kernel_name, bytes, \
                                             refuse_##id,         NULL,    NULL,  tile_##id,   run_##id}
#define WEFT_ROWS_KERNEL(symbol, op_name, kernel_name, bytes) \
  WEFT_ROWS_KERNEL_OF(symbol, op_name, kernel_name, bytes, symbol)
// SPDX-License-Identifier: Apache-2.0
