// ops/image/grid_sample.c - y at a place is x at the coordinates that the grid gives there.   AscendIR
// GridSample, ONNX GridSample-22. x [N, C, spatial...] (channel_last: [N, spatial..., C]), grid [N, out...,
// axes] with coordinates last axis of x first, y [N, C, out...]; -1 and 1 are the ends of an axis
// (align_corners: the centres of the end elements). Any number of spatial axes; bicubic needs two.
// padding_mode says what lies outside x. A NaN coordinate counts as element -1. Nearest rounds half to even.
#include "arrays.h"

enum { MODE, PADDING, ALIGN, CHANNEL_LAST, SCHEDULER };
enum { ZEROS, BORDER, REFLECTION };

static weft_status infer(weft_infer *it) {
  const weft_shape *x = it->in[0], *g = it->in[1];
  weft_shape *y = it->out[0];
  WEFT_TRY(weft__expect_rank(it, 0, 3, WEFT_MAX_RANK));
  WEFT_TRY(weft__expect_rank(it, 1, 3, WEFT_MAX_RANK));
  bool x_known = !weft_shape_is_unknown_rank(x), g_known = !weft_shape_is_unknown_rank(g);
  if (!x_known && !g_known) return weft__unknown_rank(it, 0);
  size_t rank = x_known ? x->rank : g->rank;
  const char *mode = weft_node_str(it->desc, MODE);
  if (mode && !strcmp(mode, "bicubic") && rank != 4)
    return weft_fail(it->d, WEFT_E_SHAPE, "bicubic sampling needs inputs of rank 4, got %zu", rank);
  if (x_known && g_known && x->rank != g->rank)
    return weft_fail(it->d, WEFT_E_SHAPE, "input 'grid': expected rank %zu as input 'x', got %zu", x->rank,
                     g->rank);
  WEFT_TRY(weft__unknown_dims(it, 0, rank));
  weft_dim ignored;
  if (g_known)
    WEFT_TRY(weft__merge_dim(it, g->dim[rank - 1], (weft_dim)rank - 2,
                             "last axis of input 'grid' and spatial axes", &ignored));
  for (size_t k = 2; g_known && k < rank; k++) y->dim[k] = g->dim[k - 1];
  if (x_known) y->dim[1] = x->dim[weft_node_bool(it->desc, CHANNEL_LAST) ? rank - 1 : 1];
  return weft__merge_dim(it, x_known ? x->dim[0] : -1, g_known ? g->dim[0] : -1, "axis 0 of 'x' and 'grid'",
                         &y->dim[0]);
}

typedef struct sampler {
  const double *x;  // one channel of one image
  size_t stride;    // between its elements
  size_t rank;      // spatial
  int64_t dim[WEFT_MAX_RANK];
  int padding;
  bool align;
} sampler;

// The element that stands at place i of an axis; -1: none.
static int64_t element(const sampler *s, size_t axis, double i) {
  double n = (double)s->dim[axis], low = s->align ? 0 : -0.5, span = s->align ? n - 1 : n;
  if (i >= 0 && i <= n - 1) return (int64_t)i;
  if (s->padding == ZEROS || n == 0) return -1;
  if (s->padding == BORDER) return i < 0 ? 0 : (int64_t)n - 1;
  if (span == 0) return 0;
  double r = fmod(fabs(i - low), 2 * span);
  double v = floor(low + (r > span ? 2 * span - r : r) + 0.5);
  return v < 0 ? 0 : v > n - 1 ? (int64_t)n - 1 : (int64_t)v;
}

static double cubic(double x) {
  const double a = -0.75;
  x = fabs(x);
  if (x <= 1) return ((a + 2) * x - (a + 3)) * x * x + 1;
  return x < 2 ? ((a * x - 5 * a) * x + 8 * a) * x - 4 * a : 0;
}

// Sum over `taps` places along each axis, the first at floor(p) + first.
static double blend(const sampler *s, const double *p, int taps, int first) {
  int at[WEFT_MAX_RANK] = {0};
  double sum = 0;
  for (;;) {
    double w = 1;
    int64_t offset = 0;
    for (size_t k = 0; k < s->rank && offset >= 0; k++) {
      double place = floor(p[k]) + at[k] + first, d = fabs(p[k] - place);
      w *= taps == 2 ? (d < 1 ? 1 - d : 0) : cubic(d);
      int64_t e = w == 0 ? -1 : element(s, k, place);
      offset = e < 0 ? -1 : offset * s->dim[k] + e;
    }
    if (offset >= 0) sum += w * s->x[(size_t)offset * s->stride];
    size_t k = s->rank;
    while (k > 0 && ++at[k - 1] == taps) at[--k] = 0;
    if (!k) return sum;
  }
}

// The place on an axis that a coordinate of the grid means.
static double place(const sampler *s, size_t axis, double v) {
  double n = (double)s->dim[axis], p = s->align ? (v + 1) / 2 * (n - 1) : ((v + 1) * n - 1) / 2;
  if (isnan(p)) return -1;
  return p < -0x1p50 ? -0x1p50 : p > 0x1p50 ? 0x1p50 : p;
}

// The same brought back inside, when the padding does so.
static double folded(const sampler *s, size_t axis, double p) {
  double n = (double)s->dim[axis], low = s->align ? 0 : -0.5, span = s->align ? n - 1 : n;
  if (s->padding == ZEROS || (p >= low && p <= low + span)) return p;
  if (s->padding == BORDER) return p < 0 ? 0 : p > n - 1 ? n - 1 : p;
  if (span <= 0) return 0;
  double r = fmod(fabs(p - low), 2 * span);
  return low + (r > span ? 2 * span - r : r);
}

static void put(const weft_call *c, const sampler *s, const double *p, int taps, size_t base, size_t to) {
  const weft_tensor *x = c->in[0];
  weft_tensor *y = c->out[0];
  if (taps > 1) {
    weft_store_f64(y->dtype, y->data, to, blend(s, p, taps, taps == 4 ? -1 : 0));
    return;
  }
  int64_t offset = 0;
  for (size_t k = 0; k < s->rank && offset >= 0; k++) {
    int64_t e = element(s, k, rint(p[k]));
    offset = e < 0 ? -1 : offset * s->dim[k] + e;
  }
  if (offset >= 0)
    weft__copy_elem(x->dtype, y->data, to, x->data, base + (size_t)offset * s->stride);
  else
    weft_store_i64(y->dtype, y->data, to, 0);
}

static weft_status ref(const weft_call *c) {
  const weft_shape *x = &c->in[0]->layout.origin, *g = &c->in[1]->layout.origin;
  const char *mode = weft_node_str(c->desc, MODE), *padding = weft_node_str(c->desc, PADDING);
  sampler s = {.rank = x->rank - 2, .align = weft_node_bool(c->desc, ALIGN)};
  double *v, *grid;
  if (!c->out[0] || !weft__elems(&c->out[0]->layout.origin)) return WEFT_OK;
  s.padding = !strcmp(padding, "zeros") ? ZEROS : !strcmp(padding, "border") ? BORDER : REFLECTION;
  int taps = !strcmp(mode, "nearest") ? 1 : !strcmp(mode, "bilinear") ? 2 : 4;
  bool last = weft_node_bool(c->desc, CHANNEL_LAST);
  size_t first = last ? 1 : 2, image = weft__prod(x, first, first + s.rank),
         spots = weft__prod(g, 1, g->rank - 1), channels = (size_t)x->dim[last ? x->rank - 1 : 1];
  for (size_t k = 0; k < s.rank; k++) s.dim[k] = x->dim[k + first];
  s.stride = last ? channels : 1;
  if (!image) s.padding = ZEROS;
  WEFT_TRY(weft__load_f64s(c, c->in[0], &v));
  WEFT_TRY(weft__load_f64s(c, c->in[1], &grid));
  for (size_t i = 0; i < (size_t)x->dim[0] * spots; i++) {
    double p[WEFT_MAX_RANK];
    for (size_t k = 0; k < s.rank; k++) {
      p[k] = place(&s, k, grid[i * s.rank + s.rank - 1 - k]);
      if (taps > 1) p[k] = folded(&s, k, p[k]);
    }
    for (size_t e = 0; e < channels; e++) {
      size_t plane = i / spots * channels + e, base = last ? i / spots * channels * image + e : plane * image;
      s.x = v + base;
      put(c, &s, p, taps, base, plane * spots + i % spots);
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
                   {"scheduler_mode", "Int", "1"}),
    .traits = WEFT_SYMBOLIC,
    .infer = infer,
    .ref = ref,
    .examples = WEFT_EXAMPLES(
        "f32[1,1,1,2]{1,3}, f32[1,1,3,2]{0,0,-1,0,1,0} align_corners=true -> f32[1,1,1,3]{2,1,3}",
        "f32[1,1,1,2]{1,3}, f32[1,1,3,2]{0,0,-1,0,2,0} -> f32[1,1,1,3]{2,0.5,0}",
        "f32[1,1,2]{1,3}, f32[1,3,1]{-1,0.5,5} padding_mode=\"border\" -> f32[1,1,3]{1,3,3}",
        "f32[1,1,4]{1,2,3,4}, f32[1,2,1]{1.5,-1.5} padding_mode=\"reflection\" -> f32[1,1,2]{3.5,1.5}",
        "f32[1,1,2]{1,3}, f32[1,4,1]{-1.5,0.4,0.5,nan} interpolation_mode=\"nearest\" -> f32[1,1,4]{0,3,3,0}",
        "f32[1,1,1,4]{1,2,4,8}, f32[1,1,1,2]{0,0} interpolation_mode=\"bicubic\" padding_mode=\"border\""
        " -> f32[1,1,1,1]{2.71875}",
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
