// fixed_requant.c - FixedRequant of int32 sums to 8, 16 and 32 bits: rows of one multiplier each, in vectors
// (fixed_rows.h); multipliers below 0, shifts to the left and rows of few elements one by one, by the
// operator's own arithmetic. The same bits on every path.
#include "axis.rule.h"
#include "cpu/quant/fixed_rows.h"
#include "cpu/rows/rows.h"
#include "quant/fixed_requant.rule.h"

enum { FIXED_FEW = 8 };  // elements of a row that a vector loop is worth

typedef struct fixed_plan {
  const weft__fixed_ops *ops;
  size_t n, inner, axis, per;  // elements; of one multiplier side by side; multipliers; of a block
  weft_dtype t;
  bool many_multipliers, many_shifts, twice;
  int64_t zero, low, high;
} fixed_plan;

static int64_t fixed_least(weft_dtype t) {
  return t == WEFT_INT8 ? INT8_MIN : t == WEFT_INT16 ? INT16_MIN : t == WEFT_INT32 ? INT32_MIN : 0;
}
static int64_t fixed_most(weft_dtype t) {
  return t == WEFT_INT8 ? INT8_MAX : t == WEFT_UINT8 ? UINT8_MAX : t == WEFT_INT16 ? INT16_MAX : INT32_MAX;
}

static const char *fixed_read(const weft_tiling *t, fixed_plan *p) {
  const weft_op_desc *n = t->desc;
  memset(p, 0, sizeof *p);
  p->t = t->out_dtype[0];
  bool known = p->t == WEFT_INT8 || p->t == WEFT_UINT8 || p->t == WEFT_INT16 || p->t == WEFT_INT32;
  if (t->in_dtype[WEFT_FIXED_X] != WEFT_INT32 || !known)
    return "needs int32 sums, and a result of 8, 16 or 32 bits";
  if (!weft__rows_plain(t))
    return "needs known shapes in plain layouts";
  const weft_shape *x = &t->in[WEFT_FIXED_X]->origin;
  p->n = weft__rows_prod(x, 0, x->rank);
  p->many_multipliers = t->in[WEFT_FIXED_MULTIPLIER]->origin.rank > 0;
  p->many_shifts = t->in[WEFT_FIXED_SHIFT]->origin.rank > 0;
  p->twice = weft_node_bool(n, WEFT_FIXED_TWICE);
  p->zero = weft_node_int(n, WEFT_FIXED_ZERO_POINT);
  p->low = weft_node_int(n, WEFT_FIXED_LOW);
  p->high = weft_node_int(n, WEFT_FIXED_HIGH);
  bool bounded = p->low >= fixed_least(p->t) && p->high <= fixed_most(p->t) && p->low <= p->high;
  if (!bounded || p->zero < -65536 || p->zero > 65536)
    return "needs bounds that the result holds, and a zero point of 16 bits";
  p->inner = WEFT_MAX(p->n, 1);
  p->axis = 1;
  if (p->many_multipliers || p->many_shifts) {
    int64_t axis = weft_node_int(n, WEFT_FIXED_AXIS);
    if (!weft__axis_inside(&axis, x->rank))
      return "needs an axis of the numbers";
    p->axis = (size_t)x->dim[axis];
    p->inner = WEFT_MAX(weft__rows_prod(x, (size_t)axis + 1, x->rank), 1);
  }
  p->ops = weft__fixed_find(t->host);
  return NULL;
}

static const char *refuse_fixed_requant(const weft_tiling *t) {
  fixed_plan p;
  return fixed_read(t, &p);
}

static weft_status tile_fixed_requant(weft_tiling *t) {
  fixed_plan *p = t->data;
  const char *no = fixed_read(t, p);
  if (no)
    return t->host->fail(t->d, WEFT_E_KERNEL, "%s", no);
  t->blocks = weft__rows_blocks((p->n + 63) / 64, 40, &p->per);
  p->per *= 64;
  t->data_bytes = sizeof *p;
  return WEFT_OK;
}

// A row by shifts to the right alone; false: it is none, or what is added may pass its vectors by.
static bool fixed_by_of(const fixed_plan *p, int64_t multiplier, int64_t shift, weft__fixed_by *by) {
  if (multiplier < 0 || shift > 0)
    return false;
  int64_t right = 31 - shift;
  bool twice = p->twice && shift < 0;
  *by = (weft__fixed_by){.multiplier = (int32_t)multiplier,
                         .right = (uint32_t)right,
                         .half = (INT64_C(1) << (right - 1)) + (twice ? INT64_C(1) << 30 : 0),
                         .less = twice ? INT64_C(1) << 31 : 0,
                         .zero = (int32_t)p->zero,
                         .low = (int32_t)p->low,
                         .high = (int32_t)p->high};
  return right >= 1 && right <= 61;
}

static void fixed_elements(const fixed_plan *p, const int32_t *x, size_t n, int64_t multiplier, int64_t shift,
                           void *y, size_t at) {
  for (size_t i = 0; i < n; i++) {
    int64_t v = p->twice ? weft__fixed_twice(x[i], multiplier, shift)
                         : weft__fixed_once(x[i], multiplier, 31 - shift);
    weft_store_i64(p->t, y, at + i, weft__fixed_within(v + p->zero, p->low, p->high));
  }
}

static void fixed_row(const fixed_plan *p, const weft__fixed_by *by, const int32_t *x, size_t n, void *y,
                      size_t at) {
  switch (p->t) {
    case WEFT_INT32:
      p->ops->to_int32(x, n, by, (int32_t *)y + at);
      break;
    case WEFT_INT16:
      p->ops->to_int16(x, n, by, (int16_t *)y + at);
      break;
    default:  // bytes with and without a sign are stored alike
      p->ops->to_int8(x, n, by, (int8_t *)y + at);
  }
}

static weft_status run_fixed_requant(const weft_block *b) {
  const fixed_plan *p = b->data;
  const int32_t *x = b->arg[WEFT_FIXED_X];
  const int32_t *multipliers = b->arg[WEFT_FIXED_MULTIPLIER];
  const int32_t *shifts = b->arg[WEFT_FIXED_SHIFT];
  void *y = b->arg[3];
  const size_t last = WEFT_MIN((b->block + 1) * p->per, p->n);
  size_t n;
  for (size_t i = b->block * p->per; i < last; i += n) {
    const size_t row = i / p->inner;
    const size_t k = row % p->axis;
    const int64_t multiplier = multipliers[p->many_multipliers ? k : 0];
    const int64_t shift = weft__fixed_within(shifts[p->many_shifts ? k : 0], -31, 30);
    weft__fixed_by by;
    n = WEFT_MIN((row + 1) * p->inner, last) - i;
    if (n >= FIXED_FEW && fixed_by_of(p, multiplier, shift, &by))
      fixed_row(p, &by, x + i, n, y, i);
    else
      fixed_elements(p, x + i, n, multiplier, shift, y, i);
  }
  return WEFT_OK;
}
WEFT_ROWS_KERNEL(fixed_requant, "FixedRequant", "fixed", sizeof(fixed_plan));
// SPDX-License-Identifier: Apache-2.0
