// roi_align.c - RoiAlign of float: which numbers of a plane the samples of a region's outputs are made of is
// worked out once, in double as the operator's own rule says, and used for all channels. Samples that are
// more than fit a list are taken list by list.
#include <math.h>

#include "cpu/resample/resample_ops.h"
#include "cpu/gemm/product.h"
#include "cpu/rows/polled.h"
#include "cpu/rows/rows.h"
#include "image/roi_align.rule.h"

enum { ROWS = 2 };  // of elements around a sample; of each a pair is read
typedef struct plan {
  size_t images, channels, regions, high, wide, pieces;  // pieces: of a region's outputs
  int64_t h, w;
  weft_roi_rule rule;
  bool most;  // the largest corner of all samples, not their average
  weft_dtype index;
  const weft__resample_ops *vec;
} plan;

static const char *roi_align_read(const weft_tiling *t, plan *g) {
  const weft_op_desc *n = t->desc;
  const char *why = weft__rows_f32(t, 2);
  const char *mode = weft_node_str(n, WEFT_SLOT_ROI_ALIGN_MODE);
  memset(g, 0, sizeof *g);
  if (why)
    return why;
  if (t->n_in != 3 || (t->in_dtype[2] != WEFT_INT32 && t->in_dtype[2] != WEFT_INT64))
    return "needs the images' numbers";
  if (!mode)
    return "no mode";
  const weft_shape *x = &t->in[0]->origin;
  const weft_shape *y = &t->out[0]->origin;
  g->images = (size_t)x->dim[0];
  g->channels = (size_t)x->dim[1];
  g->h = x->dim[2];
  g->w = x->dim[3];
  g->regions = (size_t)y->dim[0];
  g->high = (size_t)y->dim[2];
  g->wide = (size_t)y->dim[3];
  g->rule = weft__roi_rule(n, y, t->in_dtype[0]);
  g->most = !strcmp(mode, "max");
  g->index = t->in_dtype[2];
  g->vec = weft__resample_find(t->host);
  if (g->w == 1)
    return "planes one number wide";
  if (g->h < 1 || g->w < 1 || g->h > INT32_MAX / g->w || !g->regions || !g->channels)
    return "nothing to sample, or too much";
  g->pieces = (g->high * g->wide + WEFT__GATHERED - 1) / WEFT__GATHERED;
  return NULL;
}

static const char *refuse_roi_align(const weft_tiling *t) {
  plan g;
  return roi_align_read(t, &g);
}

static weft_status tile_roi_align(weft_tiling *t) {
  plan *g = t->data;
  const char *why = roi_align_read(t, g);
  if (why)
    return t->host->fail(t->d, WEFT_E_KERNEL, "%s", why);
  size_t per;
  double samples = g->rule.ratio > 0 ? g->rule.ratio * g->rule.ratio : 4;
  t->data_bytes = sizeof *g;
  t->scratch_bytes = sizeof(weft__paired);
  t->blocks = weft__rows_blocks(g->regions * g->pieces,
                                WEFT__GATHERED * samples * (double)(10 + 2 * g->channels), &per);
  return WEFT_OK;
}

static weft_status find_region(const plan *g, const weft_block *b, size_t r, weft_roi *out) {
  const float *from = (const float *)b->arg[1] + 4 * r;
  const double box[4] = {(double)from[0], (double)from[1], (double)from[2], (double)from[3]};
  return weft__roi_region(&g->rule, box, out) ? WEFT_OK : WEFT_E_RANGE;
}

// The two elements around place v of an axis, `first` and the next, and their weights; outside no weight. At
// the end the second has all.
typedef struct side {
  int64_t first;
  double w[2];
} side;
static side side_of(double v, int64_t n) {
  side s = {0};
  int64_t low;
  double part;
  if (!weft__roi_between(v, n, &low, &part))
    return s;
  s.first = WEFT_MAX(WEFT_MIN(low, n - 2), 0);
  bool end = low > s.first;
  s.w[end] = 1 - part;
  s.w[!end] = part;
  return s;
}

// Outputs [from, from + n) of a region.
typedef struct outputs {
  weft_roi r;
  size_t from, n;
} outputs;

// One sample of each, dy and dx from the corner of what they cover.
static void list_sample(const plan *g, const outputs *o, double dy, double dx, weft__paired *to, size_t t) {
  const weft_roi *r = &o->r;
  const size_t from = o->from;
  const size_t n = o->n;
  const double by = g->most ? 1 : r->ny * r->nx;
  const uint32_t below = g->h > 1 ? (uint32_t)g->w : 0;
  side y = {0};
  for (size_t i = 0, row = from / g->wide, column = from % g->wide; i < n; i++) {
    if (i == 0 || column == 0) {
      y = side_of(r->y + (double)row * r->high + dy, g->h);
      y.w[0] /= by;
      y.w[1] /= by;
    }
    const side x = side_of(r->x + (double)column * r->wide + dx, g->w);
    const uint32_t at = (uint32_t)(y.first * g->w + x.first);
    for (size_t k = 0; k < ROWS; k++) {
      to->at[t + k][i] = k ? at + below : at;
      to->w[t + k][2 * i] = (float)(y.w[k] * x.w[0]);
      to->w[t + k][2 * i + 1] = (float)(y.w[k] * x.w[1]);
    }
    if (++column == g->wide) {
      column = 0;
      row++;
    }
  }
  for (size_t i = n; i % 8; i++) {
    for (size_t k = 0; k < ROWS; k++) {
      to->at[t + k][i] = 0;
      to->w[t + k][2 * i] = to->w[t + k][2 * i + 1] = 0;
    }
  }
}

// Samples [first, last).
static void roi_align_list(const plan *g, const outputs *o, size_t first, size_t last, weft__paired *to) {
  const weft_roi *r = &o->r;
  size_t nx = (size_t)r->nx;
  to->rows = (last - first) * ROWS;
  for (size_t s = first; s < last; s++) {
    const double dy = weft__roi_step((double)(s / nx), r->high, r->ny);
    const double dx = weft__roi_step((double)(s % nx), r->wide, r->nx);
    list_sample(g, o, dy, dx, to, (s - first) * ROWS);
  }
}

// `work`: since the clock was looked at.
static weft_status run_piece(const plan *g, const weft_block *b, size_t at, size_t piece, size_t *work) {
  enum { SAMPLES = WEFT__PAIR_ROWS / ROWS };
  size_t spots = g->high * g->wide;
  size_t from = piece * WEFT__GATHERED;
  outputs o = {.from = from, .n = WEFT_MIN(WEFT__GATHERED, spots - from)};
  size_t plane = (size_t)(g->h * g->w);
  int64_t image = weft_load_i64(g->index, b->arg[2], at);
  if (image < 0 || image >= (int64_t)g->images)
    return WEFT_E_RANGE;
  WEFT_TRY(find_region(g, b, at, &o.r));
  const float *x = (const float *)b->arg[0] + (size_t)image * g->channels * plane;
  float *y = (float *)b->arg[3] + at * g->channels * spots + from;
  size_t samples = (size_t)(o.r.ny * o.r.nx);
  size_t first = 0;
  do {  // once without samples, too
    size_t last = WEFT_MIN(first + SAMPLES, samples);
    roi_align_list(g, &o, first, last, b->scratch);
    for (size_t c = 0; c < g->channels; c++) {
      (g->most ? g->vec->paired_most : g->vec->paired)(x + c * plane, b->scratch, y + c * spots, o.n,
                                                       first > 0);
    }
    first = last;
    WEFT_TRY(weft__block_work(b, work, o.n * SAMPLES * (10 + 2 * g->channels)));
  } while (first < samples);
  return WEFT_OK;
}

static weft_status run_roi_align(const weft_block *b) {
  const plan *g = b->data;
  size_t work = 0;
  size_t units = g->regions * g->pieces;
  size_t last = weft__share(units, b->block + 1, b->blocks);
  for (size_t u = weft__share(units, b->block, b->blocks); u < last; u++)
    WEFT_TRY(run_piece(g, b, u / g->pieces, u % g->pieces, &work));
  return WEFT_OK;
}

WEFT_ROWS_KERNEL(roi_align, "RoiAlign", "pairs", sizeof(plan));
// SPDX-License-Identifier: Apache-2.0
