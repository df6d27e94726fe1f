// softmax.c - softmax of rows: the largest number is taken off before e^x, the sum is float.
#include <string.h>

#include "base/base.h"
#include "check.h"
#include "loops.h"
#include "spans.h"

enum { PIECE = 512, PER_ROW = 8 };

// Numbers [from, from + n) of a row, as floats, less `most`, to e^x; gives their sum.
static float softmax_piece(const weft_asc_softmax *s, const uint8_t *row, uint32_t from, uint32_t n,
                           float most, float *out) {
  const asc_float_loops *loops = asc_floats();
  asc_convert(out, WEFT_ASC_F32, row + (size_t)from * asc_dtype_bytes(s->dtype), s->dtype, 0, n);
  loops->scalar[WEFT_ASC_SUB](out, out, &most, n);
  loops->vector[WEFT_ASC_EXP](out, out, NULL, n);
  return loops->sum(out, n);
}

static float softmax_most(const weft_asc_softmax *s, const uint8_t *row) {
  float piece[PIECE];
  float most = 0;
  for (uint32_t i = 0; i < s->columns; i += PIECE) {
    const uint32_t n = WEFT_MIN(s->columns - i, (uint32_t)PIECE);
    asc_convert(piece, WEFT_ASC_F32, row + (size_t)i * asc_dtype_bytes(s->dtype), s->dtype, 0, n);
    const float x = piece[asc_floats()->extreme(piece, n, true)];
    most = i == 0 || x > most || x != x ? x : most;
  }
  return most;
}

static void softmax_row(const weft_asc_softmax *s, uint32_t r) {
  const size_t wide = asc_dtype_bytes(s->dtype);
  const uint8_t *from = (const uint8_t *)s->src + (size_t)r * s->pitch * wide;
  uint8_t *to = (uint8_t *)s->dst + (size_t)r * s->pitch * wide;
  float piece[PIECE];
  const float most = softmax_most(s, from);
  float sum = 0;
  for (uint32_t i = 0; i < s->columns; i += PIECE)
    sum += softmax_piece(s, from, i, WEFT_MIN(s->columns - i, (uint32_t)PIECE), most, piece);
  for (uint32_t i = 0; i < s->columns; i += PIECE) {
    const uint32_t n = WEFT_MIN(s->columns - i, (uint32_t)PIECE);
    softmax_piece(s, from, i, n, most, piece);
    asc_floats()->scalar[WEFT_ASC_DIV](piece, piece, &sum, n);
    asc_convert(to + (size_t)i * wide, s->dtype, piece, WEFT_ASC_F32, 0, n);
  }
  for (uint32_t i = 0; i < PER_ROW; i++) {
    if (s->sum)
      s->sum[r * PER_ROW + i] = sum;
    if (s->max)
      s->max[r * PER_ROW + i] = most;
  }
}

static void softmax_check(weft_asc_core *core, const weft_asc_softmax *s, weft_asc_at at) {
  const size_t wide = asc_dtype_bytes(s->dtype);
  const uint64_t bytes = ((uint64_t)(s->rows - 1) * s->pitch + s->columns) * wide;
  const uint64_t beside = (uint64_t)s->rows * PER_ROW * sizeof(float);
  asc_local_span(core, s->src, bytes, "SoftMax: src", at);
  asc_local_span(core, s->dst, bytes, "SoftMax: dst", at);
  float *const each[2] = {s->sum, s->max};
  for (int i = 0; i < 2; i++) {
    if (!each[i])
      continue;
    asc_local_span(core, each[i], beside, i ? "SoftMax: max" : "SoftMax: sum", at);
    if (core->check)
      asc_check_write(core, WEFT_ASC_PIPE_V, each[i], beside, at);
  }
  for (uint32_t r = 0; core->check && r < s->rows; r++) {
    asc_check_read(core, WEFT_ASC_PIPE_V, (const uint8_t *)s->src + (size_t)r * s->pitch * wide,
                   s->columns * wide, at);
    asc_check_write(core, WEFT_ASC_PIPE_V, (uint8_t *)s->dst + (size_t)r * s->pitch * wide, s->columns * wide,
                    at);
  }
}

void weft_asc_softmax_run(const weft_asc_softmax *s, weft_asc_at at) {
  weft_asc_core *core = weft_asc_current();
  if (!core) {
    weft_asc_fail(at, "SoftMax works in a kernel's launch only");
    return;
  }
  if (!s->rows || !s->columns)
    return;
  softmax_check(core, s, at);
  for (uint32_t r = 0; r < s->rows; r++)
    softmax_row(s, r);
}
// SPDX-License-Identifier: Apache-2.0
