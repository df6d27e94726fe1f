// compare.c - comparisons into bits, and the choice by bits. Bit i of the low byte first belongs to element
// i; in repeats, each has its own 256 bytes / element width of bits.
#include <math.h>
#include <string.h>

#include "base/base.h"
#include "check.h"
#include "loops.h"
#include "spans.h"

static bool compared_doubles(double x, double y, weft_asc_compare cmp) {
  switch (cmp) {
    case WEFT_ASC_LT:
      return x < y;
    case WEFT_ASC_GT:
      return x > y;
    case WEFT_ASC_EQ:
      return x == y;
    case WEFT_ASC_LE:
      return x <= y;
    case WEFT_ASC_GE:
      return x >= y;
    case WEFT_ASC_NE:
      break;
  }
  return x != y;
}

static int64_t integer_of(const void *src, weft_asc_dtype t) {
  int64_t x;
  if (asc_dtype_bytes(t) < 8)
    return (int64_t)asc_element(src, t);
  memcpy(&x, src, sizeof x);
  return x;
}

// 64-bit integers are not doubles.
static bool compared(const void *x, const void *y, weft_asc_dtype t, weft_asc_compare cmp) {
  if (t != WEFT_ASC_I64 && t != WEFT_ASC_U64)
    return compared_doubles(asc_element(x, t), asc_element(y, t), cmp);
  const int64_t a = integer_of(x, t);
  const int64_t b = integer_of(y, t);
  const bool less = t == WEFT_ASC_U64 ? (uint64_t)a < (uint64_t)b : a < b;
  return compared_doubles(a == b ? 0 : less ? -1 : 1, 0, cmp);
}

static void bit_put(uint8_t *bits, uint64_t i, bool on) {
  const uint8_t bit = (uint8_t)(1u << (i & 7));
  bits[i >> 3] = (uint8_t)(on ? bits[i >> 3] | bit : bits[i >> 3] & ~bit);
}

// The sources alone: dst is bits, not elements.
static weft_asc_vector sources_of(const weft_asc_vector *v) {
  weft_asc_vector s = *v;
  s.dst = v->src[0];
  return s;
}

// Eight floats at a time, which one byte of the result holds.
static void compare_floats(uint8_t *bits, const float *x, const float *y, size_t step, size_t n,
                           weft_asc_compare cmp) {
  for (size_t i = 0; i + 8 <= n; i += 8) {
    unsigned byte = 0;
    for (size_t j = 0; j < 8; j++)
      byte |= (unsigned)compared_doubles((double)x[i + j], (double)y[(i + j) * step], cmp) << j;
    bits[i / 8] = (uint8_t)byte;
  }
}

void weft_asc_compare_run(const weft_asc_vector *v, weft_asc_compare cmp, weft_asc_at at) {
  weft_asc_core *core = asc_core_now();
  if (!core) {
    weft_asc_fail(at, "Compare works in a kernel's launch only");
    return;
  }
  const weft_asc_vector s = sources_of(v);
  const weft_asc_dtype t = v->src[0].dtype;
  const size_t wide = asc_dtype_bytes(t);
  asc_runs_check(core, &s, false, "Compare", at);
  const uint32_t per_repeat = (uint32_t)(256 / wide);
  const uint64_t elements = v->in_repeats ? (uint64_t)per_repeat * v->repeats : v->count;
  uint8_t *bits = v->dst.at ? v->dst.at : (uint8_t *)core->compared;
  if (v->dst.at) {
    asc_local_span(core, bits, (elements + 7) / 8, "Compare: dst", at);
    if (core->check)
      asc_check_write(core, WEFT_ASC_PIPE_V, bits, (elements + 7) / 8, at);
  }
  if (!v->in_repeats && t == WEFT_ASC_F32 && v->count % 8 == 0) {
    compare_floats(bits, v->src[0].at, v->scalar ? (const void *)&v->value : v->src[1].at, v->scalar ? 0 : 1,
                   v->count, cmp);
    return;
  }
  asc_runs r;
  asc_run_of run;
  asc_runs_begin(&r, &s, core);
  while (asc_runs_next(&r, &run)) {
    const uint64_t first = (uint64_t)run.repeat * per_repeat + run.element;
    for (uint32_t i = 0; i < run.n; i++) {
      const void *y = v->scalar ? (const void *)&v->value : run.at[2] + i * wide;
      bit_put(bits, first + i, compared(run.at[1] + i * wide, y, t, cmp));
    }
  }
}

void weft_asc_compare_register(void *bits, bool load, weft_asc_at at) {
  weft_asc_core *core = asc_core_for(load ? "SetCmpMask" : "GetCmpMask", at);
  enum { BYTES = 16 };
  if (!core)
    return;
  if (load) {
    asc_local_read(core, bits, BYTES, "SetCmpMask: src", at);
    memcpy(core->compared, bits, BYTES);
    return;
  }
  asc_local_write(core, bits, BYTES, "GetCmpMask: dst", at);
  memcpy(bits, core->compared, BYTES);
}

void weft_asc_select_run(const weft_asc_vector *v, const void *bits, int mode, weft_asc_at at) {
  weft_asc_core *core = asc_core_now();
  if (!core) {
    weft_asc_fail(at, "Select works in a kernel's launch only");
    return;
  }
  const size_t wide = asc_dtype_bytes(v->dst.dtype);
  const uint32_t per_repeat = (uint32_t)(256 / wide);
  asc_runs_check(core, v, true, "Select", at);
  const uint64_t elements = !v->in_repeats ? v->count
                            : mode == 0    ? per_repeat
                                           : (uint64_t)per_repeat * v->repeats;
  const uint8_t *mask = bits ? bits : (const uint8_t *)core->compared;
  if (bits) {
    asc_local_span(core, bits, (elements + 7) / 8, "Select: mask", at);
    if (core->check)
      asc_check_read(core, WEFT_ASC_PIPE_V, bits, (elements + 7) / 8, at);
  }
  asc_runs r;
  asc_run_of run;
  asc_runs_begin(&r, v, core);
  while (asc_runs_next(&r, &run)) {
    const uint64_t first = (v->in_repeats && mode != 0 ? (uint64_t)run.repeat * per_repeat : 0) + run.element;
    for (uint32_t i = 0; i < run.n; i++) {
      const bool on = mask[(first + i) >> 3] >> ((first + i) & 7) & 1;
      const uint8_t *src = run.at[1] + i * wide;
      const uint8_t *other = v->scalar ? (const uint8_t *)&v->value : run.at[2] + i * wide;
      memmove(run.at[0] + i * wide, on != v->value_first ? src : other, wide);
    }
  }
}
// SPDX-License-Identifier: Apache-2.0
