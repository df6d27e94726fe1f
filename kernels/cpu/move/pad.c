// pad.c - elements around a tensor, or cut off: Pad and PadV3 in every mode. The output is made row by row,
// each once: the row of x that its place names, with its ends, or the constant alone. A row runs along the
// last padded axis; what lies behind that is its unit. A long unit is a row by itself. How a row is put
// together - forwards, backwards, one unit again and again - is found once.
// Cost: x is read and y written once.
#include "cpu/move/lines.h"
#include "cpu/rows/rows.h"
#include "op_slots.h"
#include "pad.rule.h"

enum { AXES = 8, PIECES = 12, LONG_UNIT = 512 };
typedef struct piece {  // units [to, to + n) of a row are those of x from `from` on
  size_t to;
  size_t n;
  size_t from;
  int8_t step;  // 1, 0, -1
  bool fill;
} piece;
typedef struct plan {
  uint32_t n_in, axes, pieces, bytes;
  int32_t fill_arg;  // the input that holds the constant; -1: 0
  weft_pad_source mode;
  size_t unit, row, rows, per;   // in elements, but for the last two
  size_t base;                   // what is cut off in front of x, in elements
  int64_t dim[AXES], out[AXES];  // of the axes of rows
  weft_pad_axis axis[AXES];
  size_t step[AXES];  // of x, in elements
  piece piece[PIECES];
} plan;

// ---- host side ----
static weft_pad_source pad_mode_of(const weft_tiling *t) {
  if (strcmp(t->desc->type, "PadV3"))
    return WEFT_PAD_CONSTANT;
  return weft__pad_source(weft_node_str(t->desc, WEFT_SLOT_PAD_V3_MODE));
}

// Unpadded axes that lie side by side are one, the last of them the unit; *n are left.
static const char *pad_merge(const weft_tiling *t, plan *p, uint32_t *n) {
  int64_t pads[2 * WEFT_MAX_RANK];
  const weft_shape *x = &t->in[0]->origin;
  const weft_shape *y = &t->out[0]->origin;
  const bool v3 = !strcmp(t->desc->type, "PadV3");
  const bool pairs = !v3 || weft_node_bool(t->desc, WEFT_SLOT_PAD_V3_PADDINGS_CONTIGUOUS);
  const int count = weft__rows_ints(t, 1, pads, WEFT_COUNT(pads));
  bool joins = false;
  if (count < 0 || (size_t)count != 2 * x->rank || x->rank != y->rank)
    return "the paddings are not known";
  *n = 0;
  p->unit = 1;
  for (size_t i = 0; i < x->rank; i++) {
    const int64_t before = pads[weft__pad_count_at(i, 0, x->rank, pairs)];
    const bool whole = before == 0 && x->dim[i] == y->dim[i];
    if (whole && joins) {
      p->dim[*n - 1] *= x->dim[i];
      p->out[*n - 1] *= x->dim[i];
      p->axis[*n - 1].dim *= x->dim[i];
      continue;
    }
    if (*n == AXES)
      return "more than 8 axes that are padded in turn";
    p->dim[*n] = x->dim[i];
    p->out[*n] = y->dim[i];
    p->axis[(*n)++] = weft__pad_axis(x->dim[i], before, pads[weft__pad_count_at(i, 1, x->rank, pairs)]);
    joins = whole;
  }
  if (joins)
    p->unit = (size_t)p->dim[--*n];
  return NULL;
}

// The piece that begins at place `at` of an axis of `dim` elements, which may lie outside, and ends at `end`
// at the latest: its length, where it comes from, and in which steps.
static piece next_piece(weft_pad_source mode, int64_t at, int64_t end, int64_t dim) {
  const int64_t from = weft__pad_place(mode, at, dim);
  piece q = {.n = (size_t)(end - at), .from = from < 0 ? 0 : (size_t)from, .fill = from < 0};
  if (mode == WEFT_PAD_CONSTANT || mode == WEFT_PAD_EDGE) {
    const bool inside = at >= 0 && at < dim;
    const int64_t until = inside ? dim : at < 0 ? 0 : end;
    q.n = (size_t)(WEFT_MIN(until, end) - at);
    q.step = inside;
  } else if (dim > 1) {
    const int64_t period = weft__pad_period(mode, dim);
    const int64_t in = (at % period + period) % period;  // a period goes forwards, then backwards
    q.n = (size_t)WEFT_MIN((in < dim ? dim : period) - in, end - at);
    q.step = in < dim ? 1 : -1;
  }
  return q;
}

// Cuts a row into pieces, each as long as x goes on in equal steps, or not at all.
static const char *cut_row(plan *p, int64_t dim, int64_t out, int64_t before) {
  for (int64_t i = 0; i < out;) {
    if (p->pieces == PIECES)
      return "an axis is gone through too often";
    piece q = next_piece(p->mode, i - before, out - before, dim);
    q.to = (size_t)i;
    i += (int64_t)q.n;
    p->piece[p->pieces++] = q;
  }
  return NULL;
}

static const char *pad_make(const weft_tiling *t, plan *p) {
  uint32_t n = 0;
  memset(p, 0, sizeof *p);
  if (t->n_in < 2 || t->n_out != 1)
    return "inputs or outputs are missing";
  const char *why = weft__rows_whole(t, 0, &p->bytes);
  if (why)
    return why;
  if (!weft__rows_prod(&t->out[0]->origin, 0, t->out[0]->origin.rank))
    return NULL;  // no rows, whatever products their dims have
  p->n_in = t->n_in;
  p->mode = pad_mode_of(t);
  p->fill_arg = -1;
  if (weft_port_in(t->desc, 2, 0) >= 0)
    p->fill_arg = (int32_t)weft_port_in(t->desc, 2, 0);
  why = pad_merge(t, p, &n);
  if (why)
    return why;
  int64_t out = 1;
  weft_pad_axis along = {.dim = 1};
  size_t step = p->unit;
  if (n && p->unit * p->bytes < LONG_UNIT) {
    n--;
    out = p->out[n];
    along = p->axis[n];
    p->base = (size_t)along.first * step;
    step *= (size_t)p->dim[n];
  }
  for (uint32_t k = n; k-- > 0; step *= (size_t)p->dim[k]) {
    p->step[k] = step;
    p->base += (size_t)p->axis[k].first * step;
  }
  p->axes = n;
  p->rows = 1;
  p->row = (size_t)out * p->unit;
  for (uint32_t k = 0; k < n; k++)
    p->rows *= (size_t)p->out[k];
  return cut_row(p, along.dim, out, along.before);
}
static const char *refuse_pad(const weft_tiling *t) {
  plan p;
  return pad_make(t, &p);
}
static weft_status tile_pad(weft_tiling *t) {
  plan *p = t->data;
  const char *why = pad_make(t, p);
  if (why)
    return t->host->fail(t->d, WEFT_E_KERNEL, "%s", why);
  t->blocks = weft__rows_blocks(p->rows, 10 + (double)p->row * p->bytes * 0.06, &p->per);
  t->data_bytes = sizeof *p;
  return WEFT_OK;
}

// ---- device side ----
// A row may be the whole tensor, so it is put together a part at a time.
static weft_status pad_put_piece(const weft_block *b, const piece *q, char *to, const char *from,
                                 const void *fill) {
  enum { PART = 1 << 20 };  // bytes
  const plan *p = b->data;
  const bool plain = q->fill || q->step == 1;  // elements that lie side by side, wherever a unit ends
  const size_t unit = plain ? 1 : p->unit;
  const size_t all = plain ? q->n * p->unit : q->n;
  const size_t most = WEFT_MAX(PART / WEFT_MAX(unit * p->bytes, (size_t)1), (size_t)1);
  to += q->to * p->unit * p->bytes;
  from += q->from * p->unit * p->bytes;
  for (size_t n = 0, done = 0; done < all; done += n) {
    n = WEFT_MIN(most, all - done);
    if (q->fill)
      weft__line(p->bytes, to, fill, n, 1, 0);
    else
      weft__units(p->bytes, unit, to, from, n, q->step);
    to += n * unit * p->bytes;
    from = (const char *)((uintptr_t)from + n * unit * p->bytes * (size_t)q->step);
    if (n == most)
      WEFT_TRY(weft_block_poll(b));
  }
  return WEFT_OK;
}

static weft_status pad_put_row(const weft_block *b, char *to, const char *from, const void *fill) {
  const plan *p = b->data;
  for (uint32_t k = 0; k < p->pieces; k++)
    WEFT_TRY(pad_put_piece(b, &p->piece[k], to, from, fill));
  return WEFT_OK;
}

static weft_status run_pad(const weft_block *b) {
  const plan *p = b->data;
  static const uint64_t zero = 0;
  const void *fill = p->fill_arg >= 0 ? b->arg[p->fill_arg] : &zero;
  const char *x = (const char *)b->arg[0] + p->base * p->bytes;
  const size_t first = b->block * p->per;
  const size_t last = WEFT_MIN(first + p->per, p->rows);
  // at[k + 1]: the row's place in x as axes [0, k] have it; -1: nowhere
  int64_t index[AXES];
  int64_t at[AXES + 1];
  size_t rest = first;
  if (first >= last)
    return WEFT_OK;
  for (uint32_t k = p->axes; k-- > 0; rest /= (size_t)p->out[k])
    index[k] = (int64_t)(rest % (size_t)p->out[k]);
  at[0] = 0;
  char *y = (char *)b->arg[p->n_in] + first * p->row * p->bytes;
  const piece nowhere = {.n = p->unit ? p->row / p->unit : 0, .fill = true};
  uint32_t changed = 0;
  for (size_t r = first; r < last; r++, y += p->row * p->bytes) {
    for (uint32_t k = changed; k < p->axes; k++) {
      const int64_t i = weft__pad_place(p->mode, index[k] - p->axis[k].before, p->axis[k].dim);
      at[k + 1] = at[k] < 0 || i < 0 ? -1 : at[k] + i * (int64_t)p->step[k];
    }
    if (at[p->axes] < 0)
      WEFT_TRY(pad_put_piece(b, &nowhere, y, x, fill));
    else
      WEFT_TRY(pad_put_row(b, y, x + (size_t)at[p->axes] * p->bytes, fill));
    for (changed = p->axes; changed-- > 0;) {
      if (++index[changed] < p->out[changed])
        break;
      index[changed] = 0;
    }
  }
  return WEFT_OK;
}

WEFT_ROWS_KERNEL_OF(pad, "Pad", "pad", sizeof(plan), pad);
WEFT_ROWS_KERNEL_OF(pad_v3, "PadV3", "pad", sizeof(plan), pad);
// SPDX-License-Identifier: Apache-2.0
