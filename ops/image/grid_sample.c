// ops/image/grid_sample.c - y at a place is x at the coordinates that the grid gives there.   AscendIR
// GridSample, ONNX GridSample-22. x [N, C, spatial...] (channel_last: [N, spatial..., C]), grid [N, out...,
// axes] with coordinates last axis of x first, y [N, C, out...]; -1 and 1 are the ends of an axis
// (align_corners: the centres of the end elements). Any number of spatial axes; bicubic needs two.
// padding_mode says what lies outside x. A NaN coordinate counts as element -1. Nearest rounds half to even.
#include "arrays.h"
#include "image/grid_sample.rule.h"

static weft_status grid_sample_infer(weft_infer *it) {
  const weft_shape *x = it->in[0];
  const weft_shape *g = it->in[1];
  weft_shape *y = it->out[0];
  WEFT_TRY(weft__expect_rank(it, 0, 3, WEFT_MAX_RANK));
  WEFT_TRY(weft__expect_rank(it, 1, 3, WEFT_MAX_RANK));
  bool x_known = !weft_shape_is_unknown_rank(x);
  bool g_known = !weft_shape_is_unknown_rank(g);
  if (!x_known && !g_known)
    return weft__unknown_rank(it, 0);
  size_t rank = x_known ? x->rank : g->rank;
  const char *mode = weft_node_str(it->desc, WEFT__SAMPLE_MODE);
  if (mode && !strcmp(mode, "bicubic") && rank != 4)
    return weft_fail(it->d, WEFT_E_SHAPE, "bicubic sampling needs inputs of rank 4, got %zu", rank);
  if (x_known && g_known && x->rank != g->rank) {
    return weft_fail(it->d, WEFT_E_SHAPE, "input 'grid': expected rank %zu as input 'x', got %zu", x->rank,
                     g->rank);
  }
  WEFT_TRY(weft__unknown_dims(it, 0, rank));
  weft_dim ignored;
  if (g_known) {
    WEFT_TRY(weft__merge_dim(it, g->dim[rank - 1], (weft_dim)rank - 2,
                             "last axis of input 'grid' and spatial axes", &ignored));
  }
  for (size_t k = 2; g_known && k < rank; k++)
    y->dim[k] = g->dim[k - 1];
  if (x_known)
    y->dim[1] = x->dim[weft_node_bool(it->desc, WEFT__SAMPLE_CHANNEL_LAST) ? rank - 1 : 1];
  return weft__merge_dim(it, x_known ? x->dim[0] : -1, g_known ? g->dim[0] : -1, "axis 0 of 'x' and 'grid'",
                         &y->dim[0]);
}

typedef struct sampler {
  const double *x;  // one channel of one image
  size_t stride;    // between its elements
  size_t rank;      // spatial
  int taps;
  weft__sampled_axis axis[WEFT_MAX_RANK];
} sampler;

// Where the element at these places stands among those of a plane; -1: nowhere.
static int64_t offset_of(const sampler *s, const double *place) {
  int64_t offset = 0;
  for (size_t k = 0; k < s->rank && offset >= 0; k++) {
    int64_t e = weft__sample_element(&s->axis[k], place[k]);
    offset = e < 0 ? -1 : offset * (int64_t)s->axis[k].n + e;
  }
  return offset;
}

// Sum over the taps along each axis; elements without weight are not read.
static double blend(const sampler *s, const double *p) {
  int at[WEFT_MAX_RANK] = {0};
  double sum = 0, place[WEFT_MAX_RANK];
  for (;;) {
    double w = 1;
    for (size_t k = 0; k < s->rank; k++) {
      place[k] = floor(p[k]) + at[k] - (s->taps == 4);
      w *= weft__sample_weight(s->taps, p[k] - place[k]);
    }
    int64_t offset = w == 0 ? -1 : offset_of(s, place);
    if (offset >= 0)
      sum += w * s->x[(size_t)offset * s->stride];
    size_t k = s->rank;
    while (k > 0 && ++at[k - 1] == s->taps)
      at[--k] = 0;
    if (!k)
      return sum;
  }
}

static void grid_sample_put(const weft_call *c, const sampler *s, double *p, size_t base, size_t to) {
  const weft_tensor *x = c->in[0];
  weft_tensor *y = c->out[0];
  if (s->taps > 1) {
    weft_store_f64(y->dtype, y->data, to, blend(s, p));
    return;
  }
  for (size_t k = 0; k < s->rank; k++)
    p[k] = rint(p[k]);
  int64_t offset = offset_of(s, p);
  if (offset >= 0)
    weft__copy_elem(x->dtype, y->data, to, x->data, base + (size_t)offset * s->stride);
  else
    weft_store_i64(y->dtype, y->data, to, 0);
}

static weft_status grid_sample_ref(const weft_call *c) {
  const weft_shape *x = &c->in[0]->layout.origin;
  const weft_shape *g = &c->in[1]->layout.origin;
  sampler s = {.rank = x->rank - 2, .taps = weft__sample_taps(c->desc)};
  double *v, *grid;
  if (!c->out[0] || !weft__elems(&c->out[0]->layout.origin))
    return WEFT_OK;
  bool last = weft_node_bool(c->desc, WEFT__SAMPLE_CHANNEL_LAST);
  size_t first = last ? 1 : 2;
  size_t image = weft__prod(x, first, first + s.rank);
  size_t spots = weft__prod(g, 1, g->rank - 1);
  size_t channels = (size_t)x->dim[last ? x->rank - 1 : 1];
  for (size_t k = 0; k < s.rank; k++) {
    s.axis[k] = weft__sampled_axis_of(c->desc, x->dim[k + first]);
    if (!image)
      s.axis[k].outside = WEFT__OUTSIDE_ZEROS;
  }
  s.stride = last ? channels : 1;
  WEFT_TRY(weft__load_f64s(c, c->in[0], &v));
  WEFT_TRY(weft__load_f64s(c, c->in[1], &grid));
  size_t work = 0;
  for (size_t i = 0; i < (size_t)x->dim[0] * spots; i++) {
    double p[WEFT_MAX_RANK];
    WEFT_TRY(weft__poll_work(c, &work, 16 * channels));
    for (size_t k = 0; k < s.rank; k++)
      p[k] = weft__sample_place(&s.axis[k], grid[i * s.rank + s.rank - 1 - k], s.taps);
    for (size_t e = 0; e < channels; e++) {
      size_t plane = i / spots * channels + e;
      size_t base = last ? i / spots * channels * image + e : plane * image;
      s.x = v + base;
      grid_sample_put(c, &s, p, base, plane * spots + i % spots);
    }
  }
  return WEFT_OK;
}

WEFT_OP(grid_sample) = {
    WEFT_OP_HEAD,
    .name = "GridSample",
    .summary = "x read at the coordinates of a grid",
    .in = PORTS({"x", "T"}, {"grid", NULL, WEFT_FLOATS}),
    .out = PORTS({"y", "T"}),
    .types = TYPES({"T", WEFT_NUMBERS | WEFT_DT(BOOL)}),
    .attrs = ATTRS({"interpolation_mode", "String", "\"bilinear\"", "one of bilinear|nearest|bicubic"},
                   {"padding_mode", "String", "\"zeros\"", "one of zeros|border|reflection"},
                   {"align_corners", "Bool", "false"}, {"channel_last", "Bool", "false"},
                   {"scheduler_mode", "Int", "1"}, {"pad_taps", "Bool", "false", .ext = 1}),
    .traits = WEFT_SYMBOLIC,
    .infer = grid_sample_infer,
    .ref = grid_sample_ref,
    .examples = WEFT_EXAMPLES(
        "f32[1,1,1,2]{1,3}, f32[1,1,3,2]{0,0,-1,0,1,0} align_corners=true -> f32[1,1,1,3]{2,1,3}",
        "f32[1,1,1,2]{1,3}, f32[1,1,3,2]{0,0,-1,0,2,0} -> f32[1,1,1,3]{2,0.5,0}",
        "f32[1,1,2]{1,3}, f32[1,3,1]{-1,0.5,5} padding_mode=\"border\" -> f32[1,1,3]{1,3,3}",
        "f32[1,1,4]{1,2,3,4}, f32[1,2,1]{1.5,-1.5} padding_mode=\"reflection\" -> f32[1,1,2]{3.5,1.5}",
        "f32[1,1,2]{1,3}, f32[1,4,1]{-1.5,0.4,0.5,nan} interpolation_mode=\"nearest\" -> f32[1,1,4]{0,3,3,0}",
        "f32[1,1,1,4]{1,2,4,8}, f32[1,1,1,2]{0,0} interpolation_mode=\"bicubic\" padding_mode=\"border\""
        " -> f32[1,1,1,1]{2.71875}",
        "f32[1,1,1,4]{0,8,0,0}, f32[1,1,1,2]{-1.125,0} interpolation_mode=\"bicubic\""
        " padding_mode=\"border\" -> f32[1,1,1,1]{0}",
        "f32[1,1,1,4]{0,8,0,0}, f32[1,1,1,2]{-1.125,0} interpolation_mode=\"bicubic\""
        " padding_mode=\"border\" pad_taps=true -> f32[1,1,1,1]{-0.28125}",
        "f32[1,2,0,4], f32[1,1,1,2]{0,0} -> f32[1,2,1,1]", "f16[0,3,4,4], f32[0,2,5,2] -> f16[0,3,2,5]",
        "f32[-1,3,8,8], f32[N,4,5,2] -> f32[N,3,4,5]", "f32[?], f32[2,4,5,2] -> f32[2,-1,4,5]",
        "f32[1,1,4,4], f32[1,2,2] !! E_SHAPE expected rank 4",
        "f32[1,1,4,4], f32[1,2,2,3] !! E_SHAPE 3 and 2 differ",
        "f32[1,1,4], f32[1,2,1] interpolation_mode=\"bicubic\" !! E_SHAPE bicubic",
        "f32[2,2,2]{1,10,3,30,5,50,7,70}, f32[2,1,1]{0,0.5} channel_last=true -> f32[2,2,1]{2,20,7,70}",
        "i32[1,2,3]{1,2,3,4,5,6}, f32[1,2,1]{-0.5,0.5} interpolation_mode=\"nearest\" channel_last=true"
        " -> i32[1,3,2]{1,4,2,5,3,6}",
        "f32[1,8,9,3], f32[N,4,5,2] channel_last=true -> f32[1,3,4,5]"),
};
// SPDX-License-Identifier: Apache-2.0
