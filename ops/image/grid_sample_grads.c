// ops/image/grid_sample_grads.c - gradients of pictures and volumes read at the places of a grid, with
// respect to both.   AscendIR GridSampler2DGrad, GridSampler3DGrad: channels first, coordinates x, y(, z)
// from -1 to 1. The grid's gradient is that of the weights, 0 for the nearest, and for places that the
// padding brings back to a border.
#include "arrays.h"
#include "dims_move.h"
#include "image/grid_sample.rule.h"
#include "op/air_rows.h"
#include "op/named.h"

enum { SAMPLED_AXES = 3, SAMPLED_TAPS = 4 };
typedef struct sampled_taps {
  int n;
  int64_t at[SAMPLED_TAPS];  // -1: outside
  double weight[SAMPLED_TAPS], slope[SAMPLED_TAPS];
} sampled_taps;
typedef struct sampled_run {
  const weft_call *c;
  size_t nd, channels, spots, plane;
  int taps;
  weft__sampled_axis axis[SAMPLED_AXES];
  const double *x, *g, *grid;
  double *dx, *dgrid;
  size_t work;
} sampled_run;

static weft_status sampled_infer(weft_infer *it) {
  const weft_shape *g = it->in[0];
  const weft_shape *x = it->in[1];
  const weft_shape *grid = it->in[2];
  size_t rank = !strcmp(it->desc->op->name, "GridSampler3DGrad") ? 5 : 4;
  weft_dim same;
  weft_shape_copy(it->out[0], x);
  weft_shape_copy(it->out[1], grid);
  for (uint32_t i = 0; i < 3; i++)
    WEFT_TRY(weft__expect_rank(it, i, rank, rank));
  if (weft_shape_is_unknown_rank(g) || weft_shape_is_unknown_rank(x) || weft_shape_is_unknown_rank(grid))
    return WEFT_OK;
  WEFT_TRY(
      weft__merge_dim(it, (weft_dim)rank - 2, grid->dim[rank - 1], "coordinates of input 'grid'", &same));
  WEFT_TRY(weft__merge_dim(it, x->dim[0], g->dim[0], "axis 0 of 'x' and 'grad'", &same));
  WEFT_TRY(weft__merge_dim(it, x->dim[0], grid->dim[0], "axis 0 of 'x' and 'grid'", &same));
  WEFT_TRY(weft__merge_dim(it, x->dim[1], g->dim[1], "channels of 'x' and 'grad'", &same));
  for (size_t i = 0; i + 2 < rank; i++)
    WEFT_TRY(weft__merge_dim(it, g->dim[2 + i], grid->dim[1 + i], "places of 'grad' and 'grid'", &same));
  return WEFT_OK;
}

// Mirrored at both ends; *slope becomes what a step does.
static double sampled_mirror(const weft__sampled_axis *a, double p, double *slope) {
  if (!(a->span > 0))
    return *slope = 0, 0;
  double far = fabs(p - a->low);
  double rest = fmod(far, a->span);
  bool back = fmod(floor(far / a->span), 2) != 0;
  *slope *= (p < a->low) != back ? -1 : 1;
  return a->low + (back ? a->span - rest : rest);
}
static double sampled_place(const weft__sampled_axis *a, double v, int taps, double *slope) {
  double p = a->align ? (v + 1) / 2 * (a->n - 1) : ((v + 1) * a->n - 1) / 2;
  *slope = a->align ? (a->n - 1) / 2 : a->n / 2;
  p = isnan(p) ? -1 : p < -0x1p50 ? -0x1p50 : p > 0x1p50 ? 0x1p50 : p;
  if (taps > 2 || a->outside == WEFT__OUTSIDE_ZEROS)
    return p;
  if (a->outside == WEFT__OUTSIDE_REFLECTION)
    p = sampled_mirror(a, p, slope);
  if (p <= 0 || p >= a->n - 1)
    *slope = 0;
  return p <= 0 ? 0 : p >= a->n - 1 ? a->n - 1 : p;
}
static double sampled_cubic_slope(double distance) {
  const double c = -0.75;
  double x = fabs(distance);
  double s = x <= 1 ? (3 * (c + 2) * x - 2 * (c + 3)) * x : x < 2 ? (3 * c * x - 10 * c) * x + 8 * c : 0;
  return distance < 0 ? -s : s;
}

static sampled_taps sampled_taps_of(const weft__sampled_axis *a, double v, int taps) {
  double slope;
  double p = sampled_place(a, v, taps, &slope);
  sampled_taps r = {.n = taps};
  double low = taps == 1 ? nearbyint(p) : floor(p) - (taps == 4);
  for (int i = 0; i < taps; i++) {
    double at = low + i;
    bool inside = at >= 0 && at <= a->n - 1;
    r.at[i] = taps == 4 ? weft__sample_element(a, at) : inside ? (int64_t)at : -1;
    r.weight[i] = weft__sample_weight(taps, at - p);
    if (taps == 2)
      r.slope[i] = i ? slope : -slope;
    else
      r.slope[i] = taps == 1 ? 0 : sampled_cubic_slope(p - at) * slope;
  }
  if (taps == 2) {
    r.weight[1] = p - floor(p);
    r.weight[0] = 1 - r.weight[1];
  }
  return r;
}

// One combination of taps: where it lies, what it weighs, and the weights' slopes along each axis.
typedef struct sampled_tap {
  int64_t at;
  double weight, slope[SAMPLED_AXES];
} sampled_tap;
static sampled_tap sampled_combine(const sampled_run *r, const sampled_taps *t, size_t which) {
  sampled_tap v = {.weight = 1, .slope = {1, 1, 1}};
  for (size_t k = 0; k < r->nd; k++) {
    size_t i = which % (size_t)t[k].n;
    which /= (size_t)t[k].n;
    if (t[k].at[i] < 0)
      return (sampled_tap){.at = -1};
    v.at = v.at * (int64_t)r->axis[k].n + t[k].at[i];
    v.weight *= t[k].weight[i];
    for (size_t j = 0; j < r->nd; j++)
      v.slope[j] *= j == k ? t[k].slope[i] : t[k].weight[i];
  }
  return v;
}

static weft_status sampled_spot(sampled_run *r, size_t image, size_t spot) {
  const size_t at = (image * r->spots + spot) * r->nd;
  sampled_taps t[SAMPLED_AXES];
  size_t all = 1;
  for (size_t k = 0; k < r->nd; k++) {  // the last axis has the first coordinate
    t[k] = sampled_taps_of(&r->axis[k], r->grid[at + r->nd - 1 - k], r->taps);
    all *= (size_t)r->taps;
  }
  WEFT_TRY(weft__poll_work(r->c, &r->work, all * r->channels));
  for (size_t i = 0; i < all; i++) {
    sampled_tap v = sampled_combine(r, t, i);
    for (size_t channel = 0; channel < r->channels && v.at >= 0; channel++) {
      size_t plane = image * r->channels + channel;
      double g = r->g[plane * r->spots + spot];
      size_t from = plane * r->plane + (size_t)v.at;
      r->dx[from] += g * v.weight;
      for (size_t k = 0; k < r->nd; k++)
        r->dgrid[at + r->nd - 1 - k] += g * r->x[from] * v.slope[k];
    }
  }
  return WEFT_OK;
}

static weft_status sampled_store(const weft_call *c, weft_tensor *t, const double *v) {
  for (size_t i = 0, n = t ? weft__elems(&t->layout.origin) : 0; i < n; i++) {
    WEFT_TRY(weft__poll_at(c, i));
    weft_store_f64(t->dtype, t->data, i, v[i]);
  }
  return WEFT_OK;
}

static weft_status sampled_begin(const weft_call *c, sampled_run *r) {
  const weft_shape *x = &c->in[1]->layout.origin;
  const char *mode = weft__text_named(c->desc, "interpolation_mode");
  const char *padding = weft__text_named(c->desc, "padding_mode");
  bool align = weft__flag_named(c->desc, "align_corners");
  double *v[3];
  void *space;
  *r = (sampled_run){.c = c, .nd = x->rank - 2u, .channels = (size_t)x->dim[1]};
  r->taps = !strcmp(mode, "nearest") ? 1 : !strcmp(mode, "bilinear") ? 2 : 4;
  if (r->taps == 4 && (strcmp(mode, "bicubic") || r->nd > 2))
    return weft_fail(c->d, WEFT_E_INVALID,
                     "attribute 'interpolation_mode' is '%s', expected bilinear, nearest%s", mode,
                     r->nd > 2 ? "" : " or bicubic");
  for (size_t k = 0; k < r->nd; k++) {
    double n = (double)x->dim[2 + k];
    r->axis[k] =
        (weft__sampled_axis){.n = n, .low = align ? 0 : -0.5, .span = align ? n - 1 : n, .align = align};
    r->axis[k].outside = !strcmp(padding, "zeros")    ? WEFT__OUTSIDE_ZEROS
                         : !strcmp(padding, "border") ? WEFT__OUTSIDE_BORDER
                                                      : WEFT__OUTSIDE_REFLECTION;
  }
  r->plane = weft__prod(x, 2, x->rank);
  r->spots = weft__prod(&c->in[0]->layout.origin, 2, x->rank);
  for (uint32_t i = 0; i < 3; i++)
    WEFT_TRY(weft__load_f64s(c, c->in[i], &v[i]));
  r->g = v[0];
  r->x = v[1];
  r->grid = v[2];
  size_t n = weft__elems(x);
  size_t m = weft__elems(&c->in[2]->layout.origin);
  WEFT_TRY(weft__scratch(c, n, &space));
  r->dx = memset(space, 0, n * sizeof(double));
  WEFT_TRY(weft__scratch(c, m, &space));
  r->dgrid = memset(space, 0, m * sizeof(double));
  return WEFT_OK;
}

static weft_status sampled_ref(const weft_call *c) {
  sampled_run r;
  WEFT_TRY(sampled_begin(c, &r));
  size_t images = (size_t)c->in[1]->layout.origin.dim[0];
  for (size_t i = 0; r.plane && r.channels && i < images; i++) {
    for (size_t k = 0; k < r.spots; k++)
      WEFT_TRY(sampled_spot(&r, i, k));
  }
  WEFT_TRY(sampled_store(c, c->out[0], r.dx));
  return sampled_store(c, c->out[1], r.dgrid);
}

#define SAMPLED(op_name, ...)                                                                           \
  {                                                                                                     \
    .name = op_name, .summary = "gradients of what is read at the places of a grid",                    \
    .traits = WEFT_SYMBOLIC, .infer = sampled_infer, .ref = sampled_ref,                                \
    .examples = WEFT_EXAMPLES(__VA_ARGS__)                                                              \
  }
WEFT_ROWS(grid_sample_grads) = {
    SAMPLED("GridSampler2DGrad",
            "f32[1,1,1,1]{2}, f32[1,1,1,2]{3,5}, f32[1,1,1,2]{0,0} -> f32[1,1,1,2]{1,1}, "
            "f32[1,1,1,2]{4,-4}",
            "f32[N,1,1,1], f32[N,1,4,4], f32[N,1,1,2] -> f32[N,1,4,4], f32[N,1,1,2]",
            "f32[1,1,1,1], f32[1,1,1,2], f32[1,1,1,3] -> _, _ !! E_SHAPE 2 and 3 differ"),
    SAMPLED("GridSampler3DGrad",
            "f32[1,1,1,1,1]{2}, f32[1,1,1,1,2]{3,5}, f32[1,1,1,1,3]{0,0,0} padding_mode=\"border\" -> "
            "f32[1,1,1,1,2]{1,1}, f32[1,1,1,1,3]{4,0,0}"),
    {0},
};
// SPDX-License-Identifier: Apache-2.0
