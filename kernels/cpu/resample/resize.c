// resize.c - Resize of the nearest elements of 1, 2, 4 or 8 bytes along any axes but more than three, and
// linear of f32, f16 and bf16 along the last two. Where each output plane, row and column comes from is
// worked out once a run, as the operator's own rule says, into tables in the workspace; then planes are made
// row by row. What lies behind the last axis that changes moves as one. Linear: rows of the input are spread
// to the output's width when they are first needed.
#include <math.h>

#include "cpu/move/move_ops.h"
#include "cpu/resample/resample_ops.h"
#include "cpu/resample/resize.h"
#include "axis.rule.h"

enum { COLUMNS = 512 };
typedef struct tap {
  uint32_t a;
  uint32_t b;  // linear: the next one
  float w;     // of b; 0: a alone
} tap;
typedef struct plan {
  weft__resampling r;
  // The last three axes; w is the last one that changes.
  weft_resize_axis d;
  weft_resize_axis h;
  weft_resize_axis w;
  size_t planes;  // of outputs, of which d.out each come from d.in of the input
  size_t per;     // planes of a block
  uint32_t out_arg;
  size_t bytes;   // that move as one
  uint8_t store;  // WEFT__STORE_*
  const weft__rows_ops *vec;
  const weft__move_ops *move;
  const weft__resample_ops *ops;
} plan;
// The scales of all axes, or of those of `axes`; NULL: sizes say the output.
static const char *resize_read_axes(const weft_tiling *t, const weft_tensor *scales, weft__resampling *r) {
  const weft_shape *x = &t->in[0]->origin;
  const weft_shape *y = &t->out[0]->origin;
  weft_ints axes = weft_node_ints(t->desc, WEFT_SLOT_RESIZE_AXES);
  size_t n = axes.n ? axes.n : x->rank;
  r->rank = x->rank;
  const bool complete = !scales || weft_tensor_elems(scales) == (int64_t)n;
  if (!complete || x->rank != y->rank)
    return "needs a scale for each axis";
  for (size_t k = 0; k < x->rank; k++) {
    const bool sizes_fit = x->dim[k] <= INT32_MAX && y->dim[k] <= INT32_MAX;
    if (x->dim[k] < 1 || !sizes_fit)
      return "nothing to resample, or too much";
    r->axis[k] = weft__resize_by_scale((size_t)x->dim[k], (size_t)y->dim[k], 1);
  }
  for (size_t k = 0; k < n; k++) {
    int64_t at = axes.n ? axes.v[k] : (int64_t)k;
    if (!weft__axis_inside(&at, x->rank))
      return "an axis that there is not";
    weft_resize_axis *a = &r->axis[at];
    *a = scales ? weft__resize_by_scale(a->in, a->out, weft__resize_scale(scales, k))
                : weft__resize_by_size(a->in, a->out);
  }
  return NULL;
}

const char *weft__resize_read(const weft_tiling *t, weft__resampling *r) {
  const weft_op_desc *n = t->desc;
  memset(r, 0, sizeof *r);
  const bool has_both = t->n_in && t->n_out == 1;
  if (!has_both || t->in_dtype[0] != t->out_dtype[0])
    return "another dtype comes out";
  if (!weft__rows_plain(t))
    return "needs known shapes in plain layouts";
  r->rule = weft__resize_rule(n);
  if (r->rule.place == WEFT_RESIZE_TF_CROP)
    return "has a region of interest";
  if (r->rule.policy != WEFT_RESIZE_STRETCH)
    return "keeps the aspect ratio";
  const int64_t at = weft_port_in(n, 2, 0);
  if (at < 0)
    return resize_read_axes(t, NULL, r);
  const weft_tensor *scales = t->value[at];
  if (!scales)
    return "the scales are not known";
  const bool empty = weft_tensor_elems(scales) == 0;  // sizes say the output
  if (!empty && !scales->data)
    return "the scales are not known";
  return resize_read_axes(t, empty ? NULL : scales, r);
}

bool weft__resize_by_rows(const weft__resampling *r) {
  const weft_resize_rule *rule = &r->rule;
  if (rule->mode == WEFT_RESIZE_NEAREST)
    return true;
  const bool many_taps = rule->mode == WEFT_RESIZE_CUBIC || rule->antialias;
  if (many_taps || rule->exclude_outside)
    return false;
  if (r->rank < 2)
    return false;
  for (size_t k = 0; k + 2 < r->rank; k++) {
    if (weft__resize_changes(&r->axis[k]))
      return false;
  }
  return true;
}

// The last three axes up to the last that changes; those behind are part of an element.
static const char *find_axes(plan *p) {
  const weft__resampling *r = &p->r;
  const bool nearest = r->rule.mode == WEFT_RESIZE_NEAREST;
  size_t last = r->rank;
  p->planes = 1;
  p->d = p->h = p->w = weft__resize_by_size(1, 1);
  while (nearest && last && !weft__resize_changes(&r->axis[last - 1])) {
    last--;
    p->bytes *= r->axis[last].in;
  }
  weft_resize_axis *const axes[] = {&p->w, &p->h, &p->d};
  for (size_t k = 0; k < WEFT_COUNT(axes) && k < last; k++)
    *axes[k] = r->axis[last - 1 - k];
  for (size_t k = 0; k + 3 < last; k++) {
    if (weft__resize_changes(&r->axis[k]))
      return "axes change that lie further apart than three";
    p->planes *= r->axis[k].in;
  }
  p->planes *= p->d.out;
  return NULL;
}

static const char *resize_make(const weft_tiling *t, plan *p) {
  memset(p, 0, sizeof *p);
  const char *why = weft__resize_read(t, &p->r);
  if (why)
    return why;
  const weft__resampling *r = &p->r;
  if (!weft__resize_by_rows(r))
    return "is done axis by axis";
  const weft_dtype type = t->in_dtype[0];
  p->bytes = weft__rows_elem_bytes(type);
  if (!p->bytes)
    return "needs elements of 1, 2, 4 or 8 bytes";
  p->store = weft__store_of(type);
  if (r->rule.mode && p->store == WEFT__STORE_NONE)
    return "needs f32, f16 or bf16";
  why = find_axes(p);
  if (why)
    return why;
  p->out_arg = t->n_in;
  p->vec = weft__rows_find(t->host);
  p->move = weft__move_find(t->host);
  p->ops = weft__resample_find(t->host);
  return NULL;
}
static const char *refuse_resize(const weft_tiling *t) {
  plan p;
  return resize_make(t, &p);
}
static weft_status tile_resize(weft_tiling *t) {
  plan *p = t->data;
  const char *why = resize_make(t, p);
  if (why)
    return t->host->fail(t->d, WEFT_E_KERNEL, "%s", why);
  double each = p->r.rule.mode ? 0.6 : 0.3 + 0.02 * (double)p->bytes;
  t->blocks = weft__rows_blocks(p->planes, (double)(p->h.out * p->w.out) * each, &p->per);
  t->phases = 2;
  t->n_workspaces = 1;
  t->workspace_bytes[0] = (p->d.out + p->h.out + p->w.out) * sizeof(tap) + 1;
  t->data_bytes = sizeof *p;
  if (p->r.rule.mode && p->store)
    t->scratch_bytes = (p->w.in + COLUMNS) * sizeof(float);
  return WEFT_OK;
}

static void resize_fill(const plan *p, const weft_resize_axis *a, tap *out) {
  const weft_resize_rule *r = &p->r.rule;
  for (size_t i = 0; i < a->out; i++) {
    const double x = weft__resize_changes(a) ? weft__resize_place(r, a, i) : (double)i;
    const double low = floor(x);
    if (r->mode == WEFT_RESIZE_NEAREST)
      out[i] = (tap){(uint32_t)weft__resize_nearest(r, a, x), 0, 0};
    else {
      out[i] = (tap){(uint32_t)weft__resize_clamped(low, a->in),
                     (uint32_t)weft__resize_clamped(low + 1, a->in), (float)(x - low)};
    }
  }
}

// Is each place along the axis taken twice? What most nets ask for.
static bool doubles(const weft_resize_axis *a, const tap *places) {
  if (a->out != 2 * a->in)
    return false;
  for (size_t i = 0; i < a->out; i++) {
    if (places[i].a != i / 2)
      return false;
  }
  return true;
}

#define PICKED(T)                       \
  for (size_t i = 0; i < p->w.out; i++) \
  memcpy(y + i * sizeof(T), from + cols[i].a * sizeof(T), sizeof(T))
static void pick_row(const plan *p, const tap *cols, const char *from, char *y) {
  switch (p->bytes) {
    case 1:
      PICKED(uint8_t);
      break;
    case 2:
      PICKED(uint16_t);
      break;
    case 4:
      PICKED(uint32_t);
      break;
    case 8:
      PICKED(uint64_t);
      break;
    default:
      for (size_t i = 0; i < p->w.out; i++)
        memcpy(y + i * p->bytes, from + cols[i].a * p->bytes, p->bytes);
  }
}
static void nearest(const plan *p, const tap *rows, const tap *cols, const char *x, char *y) {
  const size_t line = p->w.out * p->bytes;
  bool twice = p->bytes == 4 && doubles(&p->w, cols);
  bool same = !weft__resize_changes(&p->w);
  if (twice && doubles(&p->h, rows)) {
    p->move->twice(x, y, p->w.in, p->h.in, 2);
    return;
  }
  for (size_t r = 0; r < p->h.out; r++, y += line) {
    const char *from = x + rows[r].a * p->w.in * p->bytes;
    if (r && rows[r].a == rows[r - 1].a)
      memcpy(y, y - line, line);
    else if (same)
      memcpy(y, from, line);
    else if (twice)
      p->move->twice(from, y, p->w.in, 1, 1);
    else
      pick_row(p, cols, from, y);
  }
}

static void spread(const float *from, const tap *cols, float *to_row, size_t n) {
  for (size_t i = 0; i < n; i++) {
    const float a = from[cols[i].a];
    const float b = from[cols[i].b];
    const float w = cols[i].w;
    to_row[i] = w == 0 ? a : w == 1 ? b : a * (1 - w) + b * w;
  }
}
// One plane. Of halves, a row of x is widened and a piece of a row of y made in the scratch.
static void linear(const plan *p, const tap *rows, const tap *cols, const weft_block *b, size_t plane) {
  float line[2][COLUMNS];
  float *room = b->scratch;
  void *y = b->arg[p->out_arg];
  const size_t x_at = plane * p->h.in * p->w.in;
  const size_t y_at = plane * p->h.out * p->w.out;
  for (size_t c = 0; c < p->w.out; c += COLUMNS) {
    size_t n = WEFT_MIN(p->w.out - c, COLUMNS);
    size_t have[2] = {SIZE_MAX, SIZE_MAX};
    for (size_t r = 0; r < p->h.out; r++) {
      const tap *t = &rows[r];
      const size_t want[2] = {t->a, t->b};
      const size_t at = y_at + r * p->w.out + c;
      float *out = weft__rows_room(p->store, y, at, p->store ? room + p->w.in : NULL);
      for (int k = 0; k < 2; k++) {  // a row lies in the line of its parity
        size_t slot = want[k] & 1;
        if (have[slot] == want[k])
          continue;
        spread(weft__rows_load(p->vec, p->store, b->arg[0], x_at + want[k] * p->w.in, p->w.in, room),
               cols + c, line[slot], n);
        have[slot] = want[k];
      }
      const float *above = line[t->a & 1];
      const float *below = line[t->b & 1];
      if (t->w == 0 || t->w == 1)
        memcpy(out, t->w == 0 ? above : below, n * sizeof *out);
      else
        p->ops->mix(above, below, out, n, 1 - t->w, t->w);
      weft__rows_store(p->vec, p->store, y, at, n, out);
    }
  }
}

static weft_status run_resize(const weft_block *b) {
  const plan *p = b->data;
  tap *planes = b->workspace[0];
  tap *rows = planes + p->d.out;
  tap *cols = rows + p->h.out;
  if (b->phase == 0) {
    if (b->block == 0) {
      resize_fill(p, &p->d, planes);
      resize_fill(p, &p->h, rows);
      resize_fill(p, &p->w, cols);
    }
    return WEFT_OK;
  }
  size_t first = b->block * p->per;
  size_t last = WEFT_MIN(first + p->per, p->planes);
  size_t in = p->h.in * p->w.in * p->bytes;
  size_t out = p->h.out * p->w.out * p->bytes;
  const char *x = b->arg[0];
  char *y = b->arg[p->out_arg];
  for (size_t i = first; i < last; i++) {
    size_t z = i % p->d.out;
    size_t from = i / p->d.out * p->d.in + planes[z].a;
    if (p->r.rule.mode)
      linear(p, rows, cols, b, i);
    else if (i > first && z && planes[z].a == planes[z - 1].a)
      memcpy(y + i * out, y + (i - 1) * out, out);
    else
      nearest(p, rows, cols, x + from * in, y + i * out);
  }
  return WEFT_OK;
}

WEFT_ROWS_KERNEL(resize, "Resize", "rows", sizeof(plan));
// SPDX-License-Identifier: Apache-2.0
