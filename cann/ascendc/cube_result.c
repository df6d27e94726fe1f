// cube_result.c - results on their way out of the cube: scales, relu, the type that is stored, and the
// layout.
#include <math.h>
#include <string.h>

#include "base/base.h"
#include "check.h"
#include "cube.h"
#include "loops.h"
#include "run.h"
#include "spans.h"

enum { RESULT_PIECE = 512, ROUND_RINT = 1 };

// Of 64 bits: 19 bits of a float, then 9 bits that are added to an 8-bit integer.
static float scale_of(uint64_t bits) {
  const uint32_t word = (uint32_t)bits & 0xffffe000;
  float scale;
  memcpy(&scale, &word, sizeof scale);
  return scale;
}

static float scale_offset(uint64_t bits) {
  const int32_t nine = (int32_t)(bits >> 37 & 0x1ff);
  return (float)(nine >= 256 ? nine - 512 : nine);
}

static uint64_t result_place(const weft_asc_places *p, uint32_t m, uint32_t n) {
  return m * p->m_step + n / p->group * p->group_step + n % p->group * p->n_step;
}

static void result_scale(const weft_asc_result *r, float *x, uint32_t column, uint32_t n) {
  const bool bytes = r->to_dtype == WEFT_ASC_I8 || r->to_dtype == WEFT_ASC_U8;
  for (uint32_t i = 0; i < n; i++) {
    const uint64_t bits = r->scales ? r->scales[column + i] : r->scale;
    if (r->scaled)
      x[i] *= scale_of(bits);
    if (r->relu && !(x[i] > 0))
      x[i] = 0;
    if (r->scaled && bytes)
      x[i] = rintf(x[i]) + scale_offset(bits);
  }
}

// n elements of a row, which lie one after another in `from`, into `to`.
static void result_convert(const weft_asc_result *r, uint8_t *to, const uint8_t *from, uint32_t column,
                           uint32_t n) {
  const bool plain = !r->scaled && !r->relu;
  if (plain) {
    asc_convert(to, r->to_dtype, from, r->from_dtype, ROUND_RINT, n);
    return;
  }
  if (!r->scaled && r->from_dtype == WEFT_ASC_I32 && r->to_dtype == WEFT_ASC_I32) {
    for (uint32_t i = 0; i < n; i++) {
      int32_t x;
      memcpy(&x, from + (size_t)i * 4, 4);
      x = WEFT_MAX(x, 0);
      memcpy(to + (size_t)i * 4, &x, 4);
    }
    return;
  }
  float x[RESULT_PIECE];
  asc_convert(x, WEFT_ASC_F32, from, r->from_dtype, ROUND_RINT, n);
  result_scale(r, x, column, n);
  asc_convert(to, r->to_dtype, x, WEFT_ASC_F32, ROUND_RINT, n);
}

// Out to where it belongs: by the copy's own rules, which know atomic additions and the tensor's size.
static void result_store(weft_asc_core *core, const weft_asc_result *r, uint64_t place, const uint8_t *from,
                         uint32_t n, weft_asc_at at) {
  const uint64_t element = asc_dtype_bytes(r->to_dtype);
  uint8_t *to = (uint8_t *)r->to + place * element;
  if (!r->to_global) {
    asc_local_span(core, to, n * element, "the result", at);
    if (core->check)
      asc_check_write(core, WEFT_ASC_PIPE_FIX, to, n * element, at);
    memcpy(to, from, n * element);
    return;
  }
  weft_asc_copy c = {.to = to, .from = from, .to_global = true, .from_global = true, .rows = 1};
  c.dtype = r->to_dtype;
  c.element = (uint32_t)element;
  c.row_bytes = n * element;
  c.pipe = WEFT_ASC_PIPE_FIX;
  const bool known = r->global_bytes != UINT64_MAX;
  c.global_bytes = !known                              ? UINT64_MAX
                   : r->global_bytes > place * element ? r->global_bytes - place * element
                                                       : 0;
  weft_asc_copy_run(&c, at);
}

static void result_piece(weft_asc_core *core, const weft_asc_result *r, uint32_t row, uint32_t column,
                         uint32_t n, weft_asc_at at) {
  uint8_t out[RESULT_PIECE * 4];
  const uint8_t *from =
      (const uint8_t *)r->from + result_place(&r->from_places, row, column) * asc_dtype_bytes(r->from_dtype);
  result_convert(r, out, from, column, n);
  if (r->to_places.n_step == 1) {
    result_store(core, r, result_place(&r->to_places, row, column), out, n, at);
    return;
  }
  for (uint32_t i = 0; i < n; i++)
    result_store(core, r, result_place(&r->to_places, row, column + i),
                 out + i * asc_dtype_bytes(r->to_dtype), 1, at);
}

void weft_asc_result_run(const weft_asc_result *r, weft_asc_at at) {
  weft_asc_core *core = asc_core_now();
  if (!core) {
    weft_asc_fail(at, "Fixpipe works in a kernel's launch only");
    return;
  }
  if (r->to_global)
    asc_late_all(core);
  for (uint32_t row = 0; row < r->m; row++) {
    uint32_t n = 0;
    for (uint32_t column = 0; column < r->n; column += n) {
      n = WEFT_MIN(r->n - column, (uint32_t)RESULT_PIECE);
      n = WEFT_MIN(n, r->from_places.group - column % r->from_places.group);
      n = WEFT_MIN(n, r->to_places.group - column % r->to_places.group);
      result_piece(core, r, row, column, n, at);
    }
  }
}
// SPDX-License-Identifier: Apache-2.0
