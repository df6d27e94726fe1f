// softmax.c - softmax of rows: the largest number is taken off before e^x, the sum is float.
#include <string.h>

#include "base/base.h"
#include "check.h"
#include "loops.h"
#include "spans.h"

enum { PIECE = 512, KEPT = 2048, PER_ROW = 8 };

// Numbers [from, from + n) of a row as floats: where they are, or in `room`.
static const float *softmax_floats(const weft_asc_softmax *s, const uint8_t *row, uint32_t from, uint32_t n,
                                   float *room) {
  const uint8_t *at = row + (size_t)from * asc_dtype_bytes(s->dtype);
  if (s->dtype == WEFT_ASC_F32)
    return (const float *)(const void *)at;
  asc_convert(room, WEFT_ASC_F32, at, s->dtype, 0, n);
  return room;
}

// Of such numbers e^(x - most); gives their sum.
static float softmax_piece(const weft_asc_softmax *s, const uint8_t *row, uint32_t from, uint32_t n,
                           float most, float *out) {
  asc_floats()->power_below(softmax_floats(s, row, from, n, out), most, out, n);
  return asc_floats()->sum(out, n);
}

static float softmax_most(const weft_asc_softmax *s, const uint8_t *row) {
  float room[PIECE];
  float most = 0;
  for (uint32_t i = 0; i < s->columns; i += PIECE) {
    const uint32_t n = WEFT_MIN(s->columns - i, (uint32_t)PIECE);
    const float *piece = softmax_floats(s, row, i, n, room);
    const float x = piece[asc_floats()->extreme(piece, n, true)];
    most = i == 0 || x > most || x != x ? x : most;
  }
  return most;
}

// The exponentials are kept where there is room for them, and made again where there is not.
static void softmax_row(const weft_asc_softmax *s, uint32_t r) {
  const size_t wide = asc_dtype_bytes(s->dtype);
  const uint8_t *from = (const uint8_t *)s->src + (size_t)r * s->pitch * wide;
  uint8_t *to = (uint8_t *)s->dst + (size_t)r * s->pitch * wide;
  float room[KEPT];
  const bool floats = s->dtype == WEFT_ASC_F32;
  const bool kept = floats || s->columns <= KEPT;
  float *powers = floats ? (float *)(void *)to : room;
  const float most = softmax_most(s, from);
  float sum = 0;
  for (uint32_t i = 0; i < s->columns; i += PIECE)
    sum +=
        softmax_piece(s, from, i, WEFT_MIN(s->columns - i, (uint32_t)PIECE), most, powers + (kept ? i : 0));
  const float by = 1 / sum;
  for (uint32_t i = 0; i < s->columns; i += PIECE) {
    const uint32_t n = WEFT_MIN(s->columns - i, (uint32_t)PIECE);
    float *piece = powers + (kept ? i : 0);
    if (!kept)
      softmax_piece(s, from, i, n, most, piece);
    asc_floats()->scalar[WEFT_ASC_MUL](piece, piece, &by, n);
    if (!floats)
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
  weft_asc_core *core = asc_core_now();
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
