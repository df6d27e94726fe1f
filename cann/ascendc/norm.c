// norm.c - norms of rows: computed in float, sums in the order of softmax.c's, each result rounded once.
#include <math.h>

#include "base/base.h"
#include "loops.h"
#include "spans.h"

enum { PIECE = 512 };

// Numbers [from, from + n) of a row or of gamma and beta, as floats: where they are, or in `room`.
static const float *norm_floats(const void *row, weft_asc_dtype dtype, uint32_t from, uint32_t n,
                                float *room) {
  const uint8_t *at = (const uint8_t *)row + (size_t)from * asc_dtype_bytes(dtype);
  if (dtype == WEFT_ASC_F32)
    return (const float *)(const void *)at;
  asc_convert(room, WEFT_ASC_F32, at, dtype, 0, n);
  return room;
}

static float norm_sum(const weft_asc_norm *n, const void *row) {
  float room[PIECE];
  float sum = 0;
  for (uint32_t i = 0; i < n->columns; i += PIECE) {
    const uint32_t part = WEFT_MIN(n->columns - i, (uint32_t)PIECE);
    sum += asc_floats()->sum(norm_floats(row, n->dtype, i, part, room), part);
  }
  return sum;
}

static float norm_sum_squares(const weft_asc_norm *n, const void *row, float mean) {
  float room[PIECE];
  float sum = 0;
  for (uint32_t i = 0; i < n->columns; i += PIECE) {
    const uint32_t part = WEFT_MIN(n->columns - i, (uint32_t)PIECE);
    sum += asc_floats()->squares(norm_floats(row, n->dtype, i, part, room), mean, part);
  }
  return sum;
}

static void norm_store(const weft_asc_norm *n, const void *from, uint8_t *to, float mean, float factor) {
  float room[PIECE], gamma[PIECE], beta[PIECE];
  const bool floats = n->dtype == WEFT_ASC_F32;
  for (uint32_t i = 0; i < n->columns; i += PIECE) {
    const uint32_t part = WEFT_MIN(n->columns - i, (uint32_t)PIECE);
    asc_norm_by by = {.mean = mean, .factor = factor};
    if (n->gamma)
      by.gamma = norm_floats(n->gamma, n->gamma_dtype, i, part, gamma);
    if (n->beta)
      by.beta = norm_floats(n->beta, n->gamma_dtype, i, part, beta);
    float *piece = floats ? (float *)(void *)to + i : room;
    asc_floats()->normalise(norm_floats(from, n->dtype, i, part, room), piece, part, &by);
    if (!floats)
      asc_convert(to + (size_t)i * asc_dtype_bytes(n->dtype), n->dtype, piece, WEFT_ASC_F32, 0, part);
  }
}

static void norm_beside(const weft_asc_norm *n, void *to, uint32_t row, float value) {
  const size_t wide = asc_dtype_bytes(n->beside_dtype);
  if (to)
    asc_convert((uint8_t *)to + row * wide, n->beside_dtype, &value, WEFT_ASC_F32, 0, 1);
}

static void norm_row(const weft_asc_norm *n, uint32_t r) {
  const size_t offset = (size_t)r * n->pitch * asc_dtype_bytes(n->dtype);
  const uint8_t *from = (const uint8_t *)n->src + offset;
  float mean = 0;
  if (n->given_mean)
    mean = n->given_mean[r];
  else if (!n->no_mean)
    mean = norm_sum(n, from) / (float)n->columns;
  const float variance =
      n->given_variance ? n->given_variance[r] : norm_sum_squares(n, from, mean) / (float)n->columns;
  const float factor = 1 / sqrtf(variance + n->epsilon);
  norm_store(n, from, (uint8_t *)n->dst + offset, mean, factor);
  norm_beside(n, n->mean, r, mean);
  norm_beside(n, n->spread, r, n->rstd ? factor : variance);
}

static void norm_check(weft_asc_core *core, const weft_asc_norm *n, weft_asc_at at) {
  const uint64_t wide = asc_dtype_bytes(n->dtype);
  const uint64_t beside = n->rows * asc_dtype_bytes(n->beside_dtype);
  const uint64_t given = n->rows * sizeof(float);
  const uint64_t factors = n->columns * asc_dtype_bytes(n->gamma_dtype);
  for (uint32_t r = 0; r < n->rows; r++) {
    const uint64_t offset = r * wide * n->pitch;
    asc_local_read(core, (const uint8_t *)n->src + offset, n->columns * wide, "norm: src", at);
    asc_local_write(core, (uint8_t *)n->dst + offset, n->columns * wide, "norm: dst", at);
  }
  asc_local_read(core, n->gamma, n->gamma ? factors : 0, "norm: gamma", at);
  asc_local_read(core, n->beta, n->beta ? factors : 0, "norm: beta", at);
  asc_local_read(core, n->given_mean, n->given_mean ? given : 0, "norm: mean", at);
  asc_local_read(core, n->given_variance, n->given_variance ? given : 0, "norm: variance", at);
  asc_local_write(core, n->mean, n->mean ? beside : 0, "norm: mean", at);
  asc_local_write(core, n->spread, n->spread ? beside : 0, "norm: variance", at);
}

void weft_asc_norm_run(const weft_asc_norm *n, weft_asc_at at) {
  weft_asc_core *core = asc_core_for("A norm", at);
  if (!core || !n->columns)
    return;
  norm_check(core, n, at);
  for (uint32_t r = 0; r < n->rows; r++)
    norm_row(n, r);
}
// SPDX-License-Identifier: Apache-2.0
