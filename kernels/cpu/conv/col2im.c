// col2im.c - Col2Im of float over one to three spatial axes: a channel's image is cleared, and for each
// element of a block the rows that it is of all blocks are added to the rows of the image where they belong.
#include "cpu/gemm/product.h"
#include "cpu/rows/rows.h"
#include "op_slots.h"

typedef struct axis {
  size_t image, blocks;  // places; windows
  int64_t kernel, stride, dilation, begin;
} axis;
typedef struct plan {
  size_t planes, image, blocks, taps;
  axis a[3];  // leading ones of one place where there are fewer
} plan;

static int64_t col2im_value(weft_ints v, size_t i, int64_t dflt) {
  return i < (size_t)v.n ? v.v[i] : dflt;
}

static const char *col2im_read(const weft_tiling *t, plan *g) {
  const weft_op_desc *n = t->desc;
  const char *why = weft__rows_f32(t, 1);
  memset(g, 0, sizeof *g);
  if (why)
    return why;
  const weft_shape *x = &t->in[0]->origin;
  const weft_shape *y = &t->out[0]->origin;
  int64_t kernel[3];
  int64_t most = INT32_MAX;
  weft_ints pads = weft_node_ints(n, WEFT_SLOT_COL2IM_PADS);
  if (y->rank < 3 || y->rank > 5)
    return "needs one to three spatial axes";
  size_t axes = y->rank - 2;
  if (weft__rows_ints(t, 2, kernel, axes) != (int)axes)
    return "the blocks are not known";
  g->planes = (size_t)y->dim[0] * (size_t)y->dim[1];
  g->image = g->blocks = g->taps = 1;
  for (size_t i = 0; i < 3; i++) {
    size_t k = i + axes - 3;  // of the spatial axes
    bool there = i >= 3 - axes;
    axis *a = &g->a[i];
    *a = (axis){1, 1, 1, 1, 1, 0};
    if (!there)
      continue;
    *a = (axis){.image = (size_t)y->dim[2 + k],
                .kernel = kernel[k],
                .stride = col2im_value(weft_node_ints(n, WEFT_SLOT_COL2IM_STRIDES), k, 1),
                .dilation = col2im_value(weft_node_ints(n, WEFT_SLOT_COL2IM_DILATIONS), k, 1),
                .begin = col2im_value(pads, k, 0)};
    int64_t end = col2im_value(pads, axes + k, 0);
    if (a->kernel < 1 || a->kernel > most || a->stride > most || a->dilation > most || a->begin > most ||
        end > most || y->dim[2 + k] > most)
      return "has an axis that is too long";
    int64_t room = y->dim[2 + k] + a->begin + end - (a->kernel - 1) * a->dilation - 1;
    if (room < 0)
      return "has no block";
    a->blocks = (size_t)(room / a->stride) + 1;
    g->image *= a->image;
    g->blocks *= a->blocks;
    g->taps *= (size_t)a->kernel;
  }
  return (size_t)x->dim[2] == g->blocks && (size_t)x->dim[1] == g->taps * (size_t)y->dim[1]
             ? NULL
             : "has blocks of another number";
}

static const char *refuse_col2im(const weft_tiling *t) {
  plan g;
  return col2im_read(t, &g);
}

static weft_status tile_col2im(weft_tiling *t) {
  plan *g = t->data;
  const char *why = col2im_read(t, g);
  size_t per;
  if (why)
    return t->host->fail(t->d, WEFT_E_KERNEL, "%s", why);
  t->data_bytes = sizeof *g;
  t->blocks = weft__rows_blocks(g->planes, 0.3 * (double)(g->image + g->taps * g->blocks), &per);
  return WEFT_OK;
}

// Of blocks 0, 1, ... along an axis: those whose element `tap` lies inside the image.
static void col2im_inside(const axis *a, int64_t tap, size_t *out_first, size_t *out_last) {
  int64_t at = tap * a->dilation - a->begin;
  int64_t left = (int64_t)a->image - at;
  *out_first = at < 0 ? (size_t)((-at + a->stride - 1) / a->stride) : 0;
  *out_last = left <= 0 ? 0 : WEFT_MIN((size_t)((left - 1) / a->stride) + 1, a->blocks);
}

static void add_row(const float *x, float *y, size_t n, size_t stride) {
  if (stride == 1) {
    for (size_t i = 0; i < n; i++)
      y[i] += x[i];
  } else if (stride == 2) {
    for (size_t i = 0; i < n; i++)
      y[2 * i] += x[i];
  } else {
    for (size_t i = 0; i < n; i++)
      y[i * stride] += x[i];
  }
}

static void add_tap(const plan *g, const float *x, float *y, const int64_t tap[3]) {
  size_t first[3];
  size_t last[3];
  size_t at[3];
  for (size_t k = 0; k < 3; k++)
    col2im_inside(&g->a[k], tap[k], &first[k], &last[k]);
  if (last[2] <= first[2])
    return;
  for (size_t i = first[0]; i < last[0]; i++) {
    for (size_t j = first[1]; j < last[1]; j++) {
      const size_t block[3] = {i, j, first[2]};
      for (size_t k = 0; k < 3; k++)
        at[k] = (size_t)((int64_t)block[k] * g->a[k].stride + tap[k] * g->a[k].dilation - g->a[k].begin);
      add_row(x + (i * g->a[1].blocks + j) * g->a[2].blocks + first[2],
              y + (at[0] * g->a[1].image + at[1]) * g->a[2].image + at[2], last[2] - first[2],
              (size_t)g->a[2].stride);
    }
  }
}

static weft_status run_col2im(const weft_block *b) {
  const plan *g = b->data;
  for (size_t p = weft__share(g->planes, b->block, b->blocks);
       p < weft__share(g->planes, b->block + 1, b->blocks); p++) {
    const float *x = (const float *)b->arg[0] + p * g->taps * g->blocks;
    float *y = (float *)b->arg[3] + p * g->image;
    memset(y, 0, g->image * sizeof *y);
    for (size_t t = 0; t < g->taps; t++, x += g->blocks) {
      size_t rest = t / (size_t)g->a[2].kernel;
      size_t high = (size_t)g->a[1].kernel;
      const int64_t tap[3] = {(int64_t)(rest / high), (int64_t)(rest % high),
                              (int64_t)(t % (size_t)g->a[2].kernel)};
      add_tap(g, x, y, tap);
    }
  }
  return WEFT_OK;
}

WEFT_ROWS_KERNEL(col2im, "Col2Im", "rows", sizeof(plan));
// SPDX-License-Identifier: Apache-2.0
