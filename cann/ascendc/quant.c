// quant.c - numbers times factors of their tensor, row or column: to whole numbers and back. Computed in
// float, piece by piece, so a tensor may be quantised in place where its elements keep their width.
#include <string.h>

#include "base/base.h"
#include "loops.h"
#include "spans.h"

enum { QUANT_PIECE = 256, QUANT_RINT = 1 };

static uint64_t quant_place(const weft_asc_factor *f, uint32_t row, uint32_t column) {
  return (uint64_t)(row / f->rows) * f->row_step + (uint64_t)(column / f->columns) * f->column_step;
}

static float quant_factor(const weft_asc_factor *f, uint32_t row, uint32_t column) {
  if (!f->at)
    return f->value;
  const uint8_t *at = (const uint8_t *)f->at + quant_place(f, row, column) * asc_dtype_bytes(f->dtype);
  float value;
  if (f->dtype != WEFT_ASC_U64)
    return (float)asc_element(at, f->dtype);
  memcpy(&value, at, sizeof value);
  return value;
}

// Those of a piece of a row.
static void quant_factors(const weft_asc_factor *f, uint32_t row, uint32_t column, uint32_t n, float *out) {
  const bool run = f->at && f->column_step == 1 && f->columns == 1 && f->dtype != WEFT_ASC_U64;
  if (run) {
    const uint64_t place = quant_place(f, row, column) * asc_dtype_bytes(f->dtype);
    asc_convert(out, WEFT_ASC_F32, (const uint8_t *)f->at + place, f->dtype, 0, n);
    return;
  }
  for (uint32_t i = 0; i < n; i++)
    out[i] = quant_factor(f, row, column + i);
}

static void quant_store(const weft_asc_quant *q, float *piece, void *to, uint32_t n) {
  uint16_t halves[QUANT_PIECE];
  const bool whole = q->to != WEFT_ASC_F32 && q->to != WEFT_ASC_F16 && q->to != WEFT_ASC_BF16;
  if (q->half) {
    asc_convert(halves, WEFT_ASC_F16, piece, WEFT_ASC_F32, 0, n);
    asc_convert(piece, WEFT_ASC_F32, halves, WEFT_ASC_F16, 0, n);
  }
  asc_convert(to, q->to, piece, WEFT_ASC_F32, whole ? QUANT_RINT : 0, n);
}

static void quant_piece(const weft_asc_quant *q, uint32_t row, uint32_t column, uint32_t n) {
  const asc_float_loops *loops = asc_floats();
  float piece[QUANT_PIECE];
  float scale[QUANT_PIECE];
  float offset[QUANT_PIECE];
  const uint64_t from = (uint64_t)row * q->src_pitch + column;
  const uint64_t to = (uint64_t)row * q->dst_pitch + column;
  asc_convert(piece, WEFT_ASC_F32, (const uint8_t *)q->src + from * asc_dtype_bytes(q->from), q->from, 0, n);
  quant_factors(&q->scale, row, column, n, scale);
  quant_factors(&q->offset, row, column, n, offset);
  if (q->offset_first)
    loops->vector[WEFT_ASC_ADD](piece, piece, offset, n);
  loops->vector[WEFT_ASC_MUL](piece, piece, scale, n);
  if (!q->offset_first)
    loops->vector[WEFT_ASC_ADD](piece, piece, offset, n);
  quant_store(q, piece, (uint8_t *)q->dst + to * asc_dtype_bytes(q->to), n);
}

static void quant_check_factor(weft_asc_core *core, const weft_asc_quant *q, const weft_asc_factor *f,
                               const char *name, weft_asc_at at) {
  if (!f->at)
    return;
  const uint64_t last = quant_place(f, q->rows - 1, q->columns - 1);
  asc_local_read(core, f->at, (last + 1) * asc_dtype_bytes(f->dtype), name, at);
}

void weft_asc_quant_run(const weft_asc_quant *q, weft_asc_at at) {
  weft_asc_core *core = asc_core_for("Quantisation", at);
  if (!core || !q->rows || !q->columns)
    return;
  quant_check_factor(core, q, &q->scale, "scale", at);
  quant_check_factor(core, q, &q->offset, "offset", at);
  for (uint32_t row = 0; row < q->rows; row++) {
    const uint64_t from = (uint64_t)row * q->src_pitch * asc_dtype_bytes(q->from);
    const uint64_t to = (uint64_t)row * q->dst_pitch * asc_dtype_bytes(q->to);
    asc_local_read(core, (const uint8_t *)q->src + from, q->columns * asc_dtype_bytes(q->from), "src", at);
    asc_local_write(core, (uint8_t *)q->dst + to, q->columns * asc_dtype_bytes(q->to), "dst", at);
  }
  for (uint32_t row = 0; row < q->rows; row++) {
    for (uint32_t column = 0; column < q->columns; column += QUANT_PIECE)
      quant_piece(q, row, column, WEFT_MIN(q->columns - column, (uint32_t)QUANT_PIECE));
  }
}
// SPDX-License-Identifier: Apache-2.0
