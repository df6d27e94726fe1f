// recurrent_cell_plain.c - recurrent cells in vectors of four that every compiler knows (SSE on x86-64, NEON
// on aarch64, which has registers for more rows).
#include "cpu/recurrent/recurrent_cell.h"
#include "cpu/recurrent/recurrent_math.h"

#if defined(__aarch64__)
#include <arm_neon.h>
#endif

#define VEC 4
#if defined(__aarch64__)
#define ROWS 6
#else
#define ROWS 2
#endif
#define TABLE weft__cell_plain
typedef float vec __attribute__((vector_size(16)));
typedef float vec_at __attribute__((vector_size(16), aligned(4), may_alias));

static inline vec fused(vec a, vec b, vec c) {
#if defined(__aarch64__)
  return vfmaq_f32(c, a, b);
#else
  return a * b + c;
#endif
}
WEFT_INLINE vec sigmoid_of(vec x) {
  float v[VEC];
  *(vec_at *)v = x;
  WEFT_LOOP(size_t i = 0; i < VEC; i++)
    v[i] = weft__sigmoidf(v[i]);
  return *(vec_at *)v;
}
WEFT_INLINE vec tanh_of(vec x) {
  float v[VEC];
  *(vec_at *)v = x;
  WEFT_LOOP(size_t i = 0; i < VEC; i++)
    v[i] = weft__gate_tanhf(v[i]);
  return *(vec_at *)v;
}
#include "cpu/recurrent/recurrent_cell_body.h"

const weft__cell_ops *weft__cell_find(const weft_host *host) {
  return WEFT__BY_ISA(host, weft__cell);
}
// SPDX-License-Identifier: Apache-2.0
