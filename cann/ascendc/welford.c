// welford.c - means and squared deviations that are counted on number after number, or joined; running sums.
// In float, as the chip has them; where many means become one, sums are made in double.
#include <string.h>

#include "base/base.h"
#include "loops.h"
#include "spans.h"

static float welford_number(const void *x, weft_asc_dtype t, uint32_t i) {
  return (float)asc_element((const uint8_t *)x + (size_t)i * asc_dtype_bytes(t), t);
}

void weft_asc_welford_run(const weft_asc_welford *w, weft_asc_at at) {
  weft_asc_core *core = asc_core_for("WelfordUpdate", at);
  if (!core || !w->n)
    return;
  const uint32_t whole = WEFT_MAX(w->n, w->whole);
  const uint64_t bytes = (uint64_t)whole * sizeof(float);
  asc_local_read(core, w->old_mean, bytes, "WelfordUpdate: inputMean", at);
  asc_local_read(core, w->old_deviations, bytes, "WelfordUpdate: inputVariance", at);
  asc_local_read(core, w->x, (uint64_t)w->n * asc_dtype_bytes(w->dtype), "WelfordUpdate: inputX", at);
  asc_local_write(core, w->mean, bytes, "WelfordUpdate: outputMean", at);
  asc_local_write(core, w->deviations, bytes, "WelfordUpdate: outputVariance", at);
  for (uint32_t i = 0; i < whole; i++) {
    const float mean = w->old_mean[i];
    const float deviation = w->old_deviations[i];
    const float away = i < w->n ? welford_number(w->x, w->dtype, i) - mean : 0;
    const float moved = mean + away * w->weight;
    const float x = mean + away;
    w->mean[i] = moved;
    w->deviations[i] = deviation + away * (x - moved);
  }
}

static double welford_count(const weft_asc_welford_end *e, uint32_t i) {
  if (e->counts)
    return e->counts[i];
  return i < e->n_head ? (double)e->head : (double)e->tail;
}
void weft_asc_welford_end_run(const weft_asc_welford_end *e, weft_asc_at at) {
  weft_asc_core *core = asc_core_for("WelfordFinalize", at);
  if (!core || !e->n)
    return;
  const uint64_t bytes = (uint64_t)e->n * sizeof(float);
  asc_local_read(core, e->means, bytes, "WelfordFinalize: inputMean", at);
  asc_local_read(core, e->deviations, bytes, "WelfordFinalize: inputVariance", at);
  if (e->counts)
    asc_local_read(core, e->counts, bytes, "WelfordFinalize: counts", at);
  asc_local_write(core, e->mean, sizeof(float), "WelfordFinalize: outputMean", at);
  asc_local_write(core, e->variance, sizeof(float), "WelfordFinalize: outputVariance", at);
  double sum = 0;
  for (uint32_t i = 0; i < e->n; i++)
    sum += (double)e->means[i] * welford_count(e, i);
  const double mean = sum * (double)e->of_mean;
  double squares = 0;
  for (uint32_t i = 0; i < e->n; i++) {
    const double away = (double)e->means[i] - mean;
    squares += (double)e->deviations[i] + away * away * welford_count(e, i);
  }
  *e->mean = (float)mean;
  *e->variance = (float)(squares * (double)e->of_all);
}

// ---- running sums ----

static void cumsum_put(const weft_asc_cumsum *c, void *to, uint64_t place, float sum) {
  const size_t wide = asc_dtype_bytes(c->dtype);
  asc_convert((uint8_t *)to + place * wide, c->dtype, &sum, WEFT_ASC_F32, 0, 1);
}
// One row, or one column: `n` numbers that are `step` apart.
static void cumsum_line(const weft_asc_cumsum *c, uint64_t first, uint64_t step, uint32_t n) {
  const size_t wide = asc_dtype_bytes(c->dtype);
  float sum = 0;
  for (uint32_t i = 0; i < n; i++) {
    const uint64_t place = first + i * step;
    sum += (float)asc_element((const uint8_t *)c->src + place * wide, c->dtype);
    cumsum_put(c, c->dst, place, sum);
  }
}
void weft_asc_cumsum_run(const weft_asc_cumsum *c, weft_asc_at at) {
  weft_asc_core *core = asc_core_for("CumSum", at);
  if (!core || !c->rows || !c->columns)
    return;
  const size_t wide = asc_dtype_bytes(c->dtype);
  const uint64_t bytes = (uint64_t)c->rows * c->columns * wide;
  const uint64_t row_bytes = (uint64_t)c->columns * wide;
  asc_local_read(core, c->src, bytes, "CumSum: src", at);
  asc_local_write(core, c->dst, bytes, "CumSum: dst", at);
  const uint32_t lines = c->down ? c->columns : c->rows;
  for (uint32_t i = 0; i < lines; i++) {
    const uint64_t first = c->down ? i : (uint64_t)i * c->columns;
    cumsum_line(c, first, c->down ? c->columns : 1, c->down ? c->rows : c->columns);
  }
  if (!c->last)
    return;
  asc_local_write(core, c->last, row_bytes, "CumSum: lastRow", at);
  memcpy(c->last, (const uint8_t *)c->dst + bytes - row_bytes, row_bytes);
}
// SPDX-License-Identifier: Apache-2.0
