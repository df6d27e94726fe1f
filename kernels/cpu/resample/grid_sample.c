// grid_sample.c - GridSample of float, channels first, over one to three spatial axes: for a piece of the
// grid which numbers of a plane its places are sums of, and by which weights, is worked out once, in double
// as the operator's own rule says, and used for all channels. What is linear reads pairs of neighbours.
#include "cpu/resample/resample_ops.h"
#include "cpu/gemm/product.h"
#include "cpu/rows/rows.h"
#include "image/grid_sample.rule.h"

typedef struct plan {
  size_t axes, image;  // numbers of a plane
  size_t images, channels, spots, pieces;
  int taps;  // along each axis
  bool pairs;
  weft__sampled_axis axis[3];
  weft__linear_axis linear[3];  // where pairs are read
  const weft__resample_ops *vec;
} plan;
typedef union lists {
  weft__gathered one;
  weft__paired two;
} lists;

static weft__linear_axis linear_axis(const weft__sampled_axis *a) {
  const bool zeros = a->outside == WEFT__OUTSIDE_ZEROS;
  return (weft__linear_axis){.n = a->n,
                             .by = a->align ? a->n - 1 : a->n,
                             .less = a->align ? 0 : 1,
                             .low = zeros ? -1 : 0,
                             .high = zeros ? a->n : a->n - 1};
}

static const char *grid_sample_read(const weft_tiling *t, plan *g) {
  const weft_op_desc *n = t->desc;
  const char *why = weft__rows_f32(t, 2);
  memset(g, 0, sizeof *g);
  if (why)
    return why;
  const weft_shape *x = &t->in[0]->origin;
  const weft_shape *y = &t->out[0]->origin;
  if (x->rank < 3 || x->rank > 5)
    return "needs one to three spatial axes";
  if (weft_node_bool(n, WEFT__SAMPLE_CHANNEL_LAST))
    return "channels are last";
  g->axes = x->rank - 2;
  g->vec = weft__resample_find(t->host);
  g->taps = weft__sample_taps(n);
  if (g->taps == 4 && g->axes != 2)
    return "is cubic over other than two axes";
  g->images = (size_t)x->dim[0];
  g->channels = (size_t)x->dim[1];
  g->image = 1;
  g->pairs = g->taps == 2 && x->dim[x->rank - 1] > 1;
  for (size_t k = 0; k < g->axes; k++) {
    g->axis[k] = weft__sampled_axis_of(n, x->dim[2 + k]);
    g->image *= (size_t)x->dim[2 + k];
    g->linear[k] = linear_axis(&g->axis[k]);
    g->pairs &= g->axis[k].outside != WEFT__OUTSIDE_REFLECTION;
  }
  g->spots = weft__rows_prod(y, 2, y->rank);
  if (!g->image || !g->spots || g->image > INT32_MAX)
    return "a plane without elements, or too many";
  g->pieces = (g->spots + WEFT__GATHERED - 1) / WEFT__GATHERED;
  return NULL;
}

static const char *refuse_grid_sample(const weft_tiling *t) {
  plan g;
  return grid_sample_read(t, &g);
}

static weft_status tile_grid_sample(weft_tiling *t) {
  plan *g = t->data;
  const char *why = grid_sample_read(t, g);
  if (why)
    return t->host->fail(t->d, WEFT_E_KERNEL, "%s", why);
  size_t taps = 1;
  size_t per;
  for (size_t k = 0; k < g->axes; k++)
    taps *= (size_t)g->taps;
  t->data_bytes = sizeof *g;
  t->scratch_bytes = sizeof(lists);
  t->blocks = weft__rows_blocks(g->images * g->pieces,
                                WEFT__GATHERED * (double)(taps * (10 + g->channels / 2)), &per);
  return WEFT_OK;
}

// The taps of one place of the grid, in the order of the axes; `i`: of the piece.
static void grid_sample_list(const plan *g, const float *grid, weft__gathered *to, size_t i) {
  int64_t at[3][4];
  double w[3][4];
  for (size_t k = 0; k < g->axes; k++) {
    double p = weft__sample_place(&g->axis[k], (double)grid[g->axes - 1 - k], g->taps),
           low = g->taps == 1 ? rint(p) : floor(p);
    for (int t = 0; t < g->taps; t++) {
      double e = low + t - (g->taps == 4);
      w[k][t] = weft__sample_weight(g->taps, p - e);
      at[k][t] = w[k][t] == 0 ? -1 : weft__sample_element(&g->axis[k], e);
    }
  }
  for (size_t t = 0; t < to->taps; t++) {
    int64_t offset = 0;
    double weight = 1;
    size_t rest = t;
    size_t from[3] = {0};
    for (size_t k = g->axes; k-- > 0; rest /= (size_t)g->taps)
      from[k] = rest % (size_t)g->taps;
    for (size_t k = 0; k < g->axes && offset >= 0; k++) {
      int64_t e = at[k][from[k]];
      offset = e < 0 ? -1 : offset * (int64_t)g->axis[k].n + e;
      weight *= w[k][from[k]];
    }
    to->at[t][i] = offset < 0 ? 0 : (uint32_t)offset;
    to->w[t][i] = offset < 0 ? 0 : (float)weight;
  }
}

static void list_all(const plan *g, const float *grid, size_t n, lists *to) {
  if (g->pairs) {
    g->vec->linear(g->linear, g->axes, grid, n, &to->two);
    return;
  }
  to->one.taps = 1;
  for (size_t k = 0; k < g->axes; k++)
    to->one.taps *= (size_t)g->taps;
  for (size_t i = 0; i < n; i++)
    grid_sample_list(g, grid + i * g->axes, &to->one, i);
}

static weft_status run_grid_sample(const weft_block *b) {
  const plan *g = b->data;
  lists *to = b->scratch;
  for (size_t u = weft__share(g->images * g->pieces, b->block, b->blocks);
       u < weft__share(g->images * g->pieces, b->block + 1, b->blocks); u++) {
    size_t image = u / g->pieces;
    size_t first = u % g->pieces * WEFT__GATHERED;
    size_t n = WEFT_MIN(WEFT__GATHERED, g->spots - first);
    size_t plane = image * g->channels;
    list_all(g, (const float *)b->arg[1] + (image * g->spots + first) * g->axes, n, to);
    for (size_t c = plane; c < plane + g->channels; c++) {
      const float *x = (const float *)b->arg[0] + c * g->image;
      float *y = (float *)b->arg[2] + c * g->spots + first;
      if (g->pairs)
        g->vec->paired(x, &to->two, y, n, false);
      else
        g->vec->gathered(x, &to->one, y, n, false);
    }
  }
  return WEFT_OK;
}

WEFT_ROWS_KERNEL(grid_sample, "GridSample", "gathered", sizeof(plan));
// SPDX-License-Identifier: Apache-2.0
