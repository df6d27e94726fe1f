// reduce.c - reductions. A sum of floats is made in 16 lanes, which are added in pairs at the end
// (float_loops.h); of repeats, in repeats and then over them. MAX and MIN keep the place of the first.
#include <math.h>
#include <string.h>

#include "base/base.h"
#include "check.h"
#include "loops.h"
#include "spans.h"

enum { PIECE = 1024 };

// A reduction on its way.
typedef struct reduced {
  weft_asc_vector_op op;
  weft_asc_dtype dtype;
  bool any;
  float sum;        // of floats
  uint64_t whole;   // of integers: wraps
  uint8_t best[8];  // of MAX and MIN, in the dtype
  uint32_t place;
} reduced;

static bool reduce_floats(weft_asc_dtype t) {
  return t == WEFT_ASC_F32 || t == WEFT_ASC_F16 || t == WEFT_ASC_BF16;
}

static float reduce_sum(weft_asc_dtype t, const uint8_t *at, uint32_t n) {
  if (t == WEFT_ASC_F32)
    return asc_floats()->sum((const float *)(const void *)at, n);
  float piece[PIECE];
  float sum = 0;
  for (uint32_t i = 0; i < n; i += PIECE) {
    const uint32_t part = WEFT_MIN(n - i, (uint32_t)PIECE);
    asc_convert(piece, WEFT_ASC_F32, at + (size_t)i * 2, t, 0, part);
    sum += asc_floats()->sum(piece, part);
  }
  return sum;
}

static uint64_t reduce_integer(weft_asc_dtype t, const uint8_t *at) {
  uint64_t x = 0;
  if (asc_dtype_bytes(t) == 8) {
    memcpy(&x, at, 8);
    return x;
  }
  return (uint64_t)(int64_t)asc_element(at, t);
}

// Is x before what was found: larger, smaller, or NaN where that is not?
static bool reduce_better(const reduced *r, const uint8_t *x) {
  if (asc_dtype_bytes(r->dtype) == 8 && r->dtype != WEFT_ASC_F64) {
    const uint64_t a = reduce_integer(r->dtype, x);
    const uint64_t b = reduce_integer(r->dtype, r->best);
    const bool less = r->dtype == WEFT_ASC_U64 ? a < b : (int64_t)a < (int64_t)b;
    return a != b && less == (r->op == WEFT_ASC_MIN);
  }
  const double a = asc_element(x, r->dtype);
  const double b = asc_element(r->best, r->dtype);
  if (isnan(b))
    return false;
  return isnan(a) || (r->op == WEFT_ASC_MAX ? a > b : a < b);
}

// By vectors: the largest or smallest of the run, then as one element.
static void reduce_extreme(reduced *r, const uint8_t *at, uint32_t n, uint32_t place) {
  const size_t wide = asc_dtype_bytes(r->dtype);
  float piece[PIECE];
  for (uint32_t done = 0; done < n; done += PIECE) {
    const bool floats = r->dtype == WEFT_ASC_F32;
    const uint32_t part = floats ? n : WEFT_MIN(n - done, (uint32_t)PIECE);
    const float *from = floats ? (const float *)(const void *)at : piece;
    if (!floats)
      asc_convert(piece, WEFT_ASC_F32, at + done * wide, r->dtype, 0, part);
    const uint32_t i = done + (uint32_t)asc_floats()->extreme(from, part, r->op == WEFT_ASC_MAX);
    if (!r->any || reduce_better(r, at + i * wide)) {
      memcpy(r->best, at + i * wide, wide);
      r->place = place + i;
    }
    r->any = true;
    if (floats)
      return;
  }
}

static void reduce_take(reduced *r, const uint8_t *at, uint32_t n, uint32_t place) {
  const size_t wide = asc_dtype_bytes(r->dtype);
  if (r->op != WEFT_ASC_ADD && reduce_floats(r->dtype)) {
    reduce_extreme(r, at, n, place);
    return;
  }
  if (r->op == WEFT_ASC_ADD && reduce_floats(r->dtype))
    r->sum = r->any ? r->sum + reduce_sum(r->dtype, at, n) : reduce_sum(r->dtype, at, n);
  for (uint32_t i = 0; r->op == WEFT_ASC_ADD && !reduce_floats(r->dtype) && i < n; i++)
    r->whole += reduce_integer(r->dtype, at + i * wide);
  for (uint32_t i = 0; r->op != WEFT_ASC_ADD && i < n; i++) {
    if (r->any && !reduce_better(r, at + i * wide))
      continue;
    memcpy(r->best, at + i * wide, wide);
    r->place = place + i;
    r->any = true;
  }
  r->any = r->any || n;
}

// Into the dtype of the result.
static void reduce_value(const reduced *r, weft_asc_dtype to, void *out) {
  if (r->op != WEFT_ASC_ADD && to == r->dtype)
    memcpy(out, r->best, asc_dtype_bytes(to));
  else if (r->op != WEFT_ASC_ADD)
    asc_convert(out, to, r->best, r->dtype, 0, 1);
  else if (reduce_floats(r->dtype) && to == WEFT_ASC_F32)
    memcpy(out, &r->sum, sizeof r->sum);
  else if (reduce_floats(r->dtype))
    asc_convert(out, to, &r->sum, WEFT_ASC_F32, 0, 1);
  else
    asc_convert(out, to, &r->whole, r->dtype == WEFT_ASC_U64 ? WEFT_ASC_U64 : WEFT_ASC_I64, 0, 1);
}

// The same where a sum of integers wraps.
static void reduce_result(const reduced *r, weft_asc_dtype to, void *out) {
  if (r->op == WEFT_ASC_ADD && !reduce_floats(r->dtype))
    memcpy(out, &r->whole, asc_dtype_bytes(to));
  else
    reduce_value(r, to, out);
}

// The place as an unsigned number as wide as the value.
static void reduce_place(const reduced *r, weft_asc_dtype to, void *out) {
  const uint64_t place = r->place;
  memcpy(out, &place, asc_dtype_bytes(to));
}

static void reduce_store(weft_asc_core *core, const reduced *r, const weft_asc_reduce *v, uint8_t *out,
                         weft_asc_at at) {
  const size_t wide = asc_dtype_bytes(v->to);
  const bool two =
      v->index_behind || v->order == WEFT_ASC_ORDER_VALUE_INDEX || v->order == WEFT_ASC_ORDER_INDEX_VALUE;
  const uint32_t value_at = v->order == WEFT_ASC_ORDER_INDEX_VALUE;
  const uint32_t place_at =
      v->order == WEFT_ASC_ORDER_INDEX_VALUE || v->order == WEFT_ASC_ORDER_INDEX ? 0 : 1;
  asc_local_span(core, out, wide * (two ? 2 : 1), "a reduction: dst", at);
  if (core->check)
    asc_check_write(core, WEFT_ASC_PIPE_V, out, wide * (two ? 2 : 1), at);
  if (v->order != WEFT_ASC_ORDER_INDEX)
    reduce_result(r, v->to, out + value_at * wide);
  if (two || v->order == WEFT_ASC_ORDER_INDEX)
    reduce_place(r, v->to, out + place_at * wide);
}

static void reduce_note(weft_asc_core *core, const reduced *r) {
  memset(core->reduced, 0, sizeof core->reduced);
  if (r->op == WEFT_ASC_ADD)
    core->accumulated = reduce_floats(r->dtype) ? (double)r->sum : (double)(int64_t)r->whole;
  else
    memcpy(&core->reduced[0], r->best, asc_dtype_bytes(r->dtype));
  core->reduced[1] = r->place;
}

// Elements of a part: the whole, a repeat, a block, a pair.
static uint32_t reduce_part(const weft_asc_reduce *v, uint32_t per_repeat) {
  switch (v->part) {
    case WEFT_ASC_REDUCE_BLOCK:
      return 32 / (uint32_t)asc_dtype_bytes(v->src.dtype);
    case WEFT_ASC_REDUCE_PAIR:
      return 2;
    case WEFT_ASC_REDUCE_ALL:
    case WEFT_ASC_REDUCE_REPEAT:
      break;
  }
  return per_repeat;
}

static uint32_t reduce_width(const weft_asc_reduce *v) {
  return v->order == WEFT_ASC_ORDER_VALUE_INDEX || v->order == WEFT_ASC_ORDER_INDEX_VALUE ? 2 : 1;
}

// Where the part of a repeat goes: stride counts what a repeat gives.
static uint8_t *reduce_target(const weft_asc_reduce *v, uint32_t repeat, uint32_t part, uint32_t parts) {
  const size_t each = asc_dtype_bytes(v->to) * reduce_width(v);
  return (uint8_t *)v->dst + ((size_t)repeat * v->dst_stride * parts + part) * each;
}

typedef struct reduce_pass {
  weft_asc_core *core;
  const weft_asc_reduce *v;
  uint32_t per_repeat, of_part, parts;
  reduced now;
  uint32_t repeat, part;  // of `now`
  weft_asc_at at;
} reduce_pass;

static void pass_end(reduce_pass *p) {
  if (!p->now.any)
    return;
  reduce_store(p->core, &p->now, p->v, reduce_target(p->v, p->repeat, p->part, p->parts), p->at);
  reduce_note(p->core, &p->now);
  p->now = (reduced){.op = p->now.op, .dtype = p->now.dtype};
}

// A run may hold several parts; places count within a repeat.
static void pass_take(reduce_pass *p, const asc_run_of *run) {
  const size_t wide = asc_dtype_bytes(p->v->src.dtype);
  uint32_t done = 0;
  while (done < run->n) {
    const uint32_t element = run->element + done;
    const uint32_t part = element / p->of_part;
    const uint32_t n = WEFT_MIN(run->n - done, (part + 1) * p->of_part - element);
    if (p->repeat != run->repeat || p->part != part)
      pass_end(p);
    p->repeat = run->repeat;
    p->part = part;
    reduce_take(&p->now, run->at[1] + done * wide, n, element);
    done += n;
  }
}

static weft_asc_vector reduce_vector(const weft_asc_reduce *r) {
  weft_asc_vector v = {.op = r->op, .n_sources = 1};
  v.in_repeats = r->in_repeats;
  v.mask_register = r->mask_register;
  v.count = r->count;
  v.repeats = r->repeats;
  v.mask[0] = r->mask[0];
  v.mask[1] = r->mask[1];
  v.src[0] = r->src;
  v.dst = r->src;
  return v;
}

// What is reduced has to be written, lane by lane: a sum has no lane to spare.
static void reduce_check(weft_asc_core *core, const weft_asc_vector *v, weft_asc_at at) {
  asc_runs runs;
  asc_run_of run;
  asc_runs_check(core, v, false, "a reduction", at);
  asc_runs_begin(&runs, v, core);
  while (core->check && asc_runs_next(&runs, &run))
    asc_check_read(core, WEFT_ASC_PIPE_V, run.at[1], run.n * asc_dtype_bytes(v->src[0].dtype), at);
}

static void reduce_all(weft_asc_core *core, const weft_asc_reduce *r, const weft_asc_vector *v,
                       weft_asc_at at) {
  asc_runs runs;
  asc_run_of run;
  reduced now = {.op = r->op, .dtype = r->src.dtype};
  asc_runs_begin(&runs, v, core);
  const uint32_t per_repeat = (uint32_t)(256 / asc_dtype_bytes(r->src.dtype));
  while (asc_runs_next(&runs, &run))
    reduce_take(&now, run.at[1], run.n, run.repeat * per_repeat + run.element);
  if (!now.any && r->op != WEFT_ASC_ADD)
    return;
  reduce_store(core, &now, r, r->dst, at);
  reduce_note(core, &now);
}

void weft_asc_reduce_run(const weft_asc_reduce *r, weft_asc_at at) {
  weft_asc_core *core = asc_core_now();
  if (!core) {
    weft_asc_fail(at, "a reduction works in a kernel's launch only");
    return;
  }
  weft_asc_vector v = reduce_vector(r);
  reduce_check(core, &v, at);
  if (r->part == WEFT_ASC_REDUCE_ALL) {
    reduce_all(core, r, &v, at);
    return;
  }
  reduce_pass p = {.core = core, .v = r, .at = at, .now = {.op = r->op, .dtype = r->src.dtype}};
  p.per_repeat = (uint32_t)(256 / asc_dtype_bytes(r->src.dtype));
  p.of_part = reduce_part(r, p.per_repeat);
  p.parts = p.per_repeat / p.of_part;
  asc_runs runs;
  asc_run_of run;
  asc_runs_begin_apart(&runs, &v, core);
  while (asc_runs_next(&runs, &run))
    pass_take(&p, &run);
  pass_end(&p);
}

// What a sum or an extreme of floats leaves behind, beside the number itself.
static void plain_float(weft_asc_core *core, weft_asc_vector_op op, float *dst, const float *from,
                        uint32_t count, bool index_behind) {
  const asc_float_loops *loops = asc_floats();
  core->reduced[0] = core->reduced[1] = 0;
  if (op == WEFT_ASC_ADD) {
    *dst = loops->sum(from, count);
    core->accumulated = (double)*dst;
    return;
  }
  const uint32_t place = (uint32_t)loops->extreme(from, count, op == WEFT_ASC_MAX);
  const float best = from[place];
  *dst = best;
  if (index_behind)
    memcpy(dst + 1, &place, sizeof place);
  memcpy(&core->reduced[0], &best, sizeof best);
  core->reduced[1] = place;
}

static void plain_any(weft_asc_core *core, reduced *now, void *dst, const void *from, uint32_t count,
                      bool index_behind) {
  reduce_take(now, from, count, 0);
  reduce_result(now, now->dtype, dst);
  if (index_behind)
    reduce_place(now, now->dtype, (uint8_t *)dst + asc_dtype_bytes(now->dtype));
  reduce_note(core, now);
}

void weft_asc_reduce_plain(weft_asc_vector_op op, weft_asc_dtype dtype, void *dst, const void *src,
                           uint32_t count, bool index_behind, weft_asc_at at) {
  weft_asc_core *core = asc_core_now();
  const size_t wide = asc_dtype_bytes(dtype);
  const size_t results = index_behind ? 2 * wide : wide;
  const void *from = NULL;
  if (core && !core->check && count)
    from = asc_ub_source(core, src, count * wide, dst, results);
  if (from && asc_in_ub(core, dst, results, true)) {
    reduced now = {.op = op, .dtype = dtype};
    if (dtype == WEFT_ASC_F32)
      plain_float(core, op, dst, from, count, index_behind);
    else
      plain_any(core, &now, dst, from, count, index_behind);
    return;
  }
  weft_asc_reduce r = {.op = op, .to = dtype, .dst = dst, .count = count, .index_behind = index_behind};
  r.src = (weft_asc_operand){(void *)(uintptr_t)src, 1, 8, dtype};
  weft_asc_reduce_run(&r, at);
}

// ---- matrices ----

static void matrix_columns(const weft_asc_reduce_matrix *m) {
  const size_t wide = asc_dtype_bytes(m->dtype);
  for (uint32_t column = 0; column < m->columns; column++) {
    reduced now = {.op = m->op, .dtype = m->dtype};
    for (uint32_t row = 0; row < m->rows; row++)
      reduce_take(&now, (const uint8_t *)m->src + ((size_t)row * m->pitch + column) * wide, 1, row);
    if (now.any)
      reduce_value(&now, m->dtype, (uint8_t *)m->dst + column * wide);
  }
}

void weft_asc_reduce_matrix_run(const weft_asc_reduce_matrix *m, weft_asc_at at) {
  weft_asc_core *core = asc_core_now();
  const size_t wide = asc_dtype_bytes(m->dtype);
  if (!core) {
    weft_asc_fail(at, "a reduction works in a kernel's launch only");
    return;
  }
  if (!m->rows || !m->columns)
    return;
  const uint64_t source = ((uint64_t)(m->rows - 1) * m->pitch + m->columns) * wide;
  const uint64_t target = (m->of_rows ? m->rows : m->columns) * wide;
  asc_local_span(core, m->src, source, "a reduction: src", at);
  asc_local_span(core, m->dst, target, "a reduction: dst", at);
  for (uint32_t row = 0; core->check && row < m->rows; row++)
    asc_check_read(core, WEFT_ASC_PIPE_V, (const uint8_t *)m->src + (size_t)row * m->pitch * wide,
                   m->columns * wide, at);
  if (core->check)
    asc_check_write(core, WEFT_ASC_PIPE_V, m->dst, target, at);
  if (!m->of_rows) {
    matrix_columns(m);
    return;
  }
  for (uint32_t row = 0; row < m->rows; row++) {
    reduced now = {.op = m->op, .dtype = m->dtype};
    reduce_take(&now, (const uint8_t *)m->src + (size_t)row * m->pitch * wide, m->columns, 0);
    reduce_value(&now, m->dtype, (uint8_t *)m->dst + row * wide);
  }
}
// SPDX-License-Identifier: Apache-2.0
