// ops/image/projective.c - pictures, channels last, seen through a projective map.   AscendIR
// ImageProjectiveTransform, ImageProjectiveTransformV2. A row of transforms is a0, a1, a2, b0, b1, b2, c0,
// c1: output x, y shows the place (a0 x + a1 y + a2) / k, (b0 x + b1 y + b2) / k with k = c0 x + c1 y + 1;
// one row serves all pictures. Outside is fill_value, or as fill_mode says: REFLECT, WRAP, NEAREST.
#include "arrays.h"
#include "dims_move.h"
#include "op/air_rows.h"
#include "op/named.h"

typedef enum { FILL_CONSTANT, FILL_REFLECT, FILL_WRAP, FILL_NEAREST, FILLS } project_fill;
static const char *const project_fills[FILLS] = {"CONSTANT", "REFLECT", "WRAP", "NEAREST"};

static weft_status project_infer(weft_infer *it) {
  const weft_shape *x = it->in[0];
  const weft_shape *t = it->in[1];
  int64_t n;
  weft_dim ignored;
  WEFT_TRY(weft__sized_pictures(it, 2));
  WEFT_TRY(weft__expect_rank(it, 1, 2, 2));
  if (it->n_in > 3 && weft_shape_is_known(it->in[3]) && (weft_shape_elems(it->in[3], &n) || n != 1))
    return weft_fail(it->d, WEFT_E_SHAPE, "input 'fill_value': expected one element");
  if (weft_shape_is_unknown_rank(t))
    return WEFT_OK;
  WEFT_TRY(weft__merge_dim(it, 8, t->dim[1], "axis 1 of input 'transforms'", &ignored));
  if (weft_shape_is_unknown_rank(x) || t->dim[0] == 1)
    return WEFT_OK;
  return weft__merge_dim(it, x->dim[0], t->dim[0], "pictures and transforms", &ignored);
}

// A place brought back into an axis of n elements.
static double project_inside(project_fill fill, double p, double n) {
  double r = p;
  if (fill == FILL_CONSTANT || n <= 1)
    return fill == FILL_CONSTANT ? p : 0;
  if (fill == FILL_REFLECT && (p < 0 || p > n - 1)) {
    r = fmod(p < 0 ? -p : p, 2 * n);
    if (p < 0)
      r = r > n ? 2 * n - r : r - 1;
    else
      r = r >= n ? 2 * n - r - 1 : r;
  } else if (fill == FILL_WRAP && p < 0) {
    r = p + n * (trunc(-p / (n - 1)) + 1);
  } else if (fill == FILL_WRAP && p > n - 1) {
    r = p - n * trunc(p / (n - 1));
  }
  return r > 0 ? WEFT_MIN(r, n - 1) : 0;
}

typedef struct project_run {
  const weft_call *c;
  project_fill fill;
  bool nearest;
  double outside;
  size_t image;
  int64_t h, w;
  size_t channels, channel;
} project_run;

static double project_read(const project_run *r, double y, double x) {
  const weft_tensor *t = r->c->in[0];
  if (!(y >= 0 && y < (double)r->h && x >= 0 && x < (double)r->w))
    return r->outside;
  size_t at = (r->image * (size_t)r->h + (size_t)y) * (size_t)r->w + (size_t)x;
  return weft_load_f64(t->dtype, t->data, at * r->channels + r->channel);
}
static double project_sample(const project_run *r, double y, double x) {
  if (r->nearest)
    return project_read(r, round(y), round(x));
  double top = floor(y);
  double left = floor(x);
  double up = project_read(r, top, left) * (left + 1 - x) + project_read(r, top, left + 1) * (x - left);
  double down =
      project_read(r, top + 1, left) * (left + 1 - x) + project_read(r, top + 1, left + 1) * (x - left);
  return up * (top + 1 - y) + down * (y - top);
}

// In float, as TensorFlow has it.
static bool project_place(const double t[8], size_t i, size_t j, double *y, double *x) {
  float a = (float)j;
  float b = (float)i;
  float k = (float)t[6] * a + (float)t[7] * b + 1;
  if (k == 0)
    return false;
  *x = (double)(((float)t[0] * a + (float)t[1] * b + (float)t[2]) / k);
  *y = (double)(((float)t[3] * a + (float)t[4] * b + (float)t[5]) / k);
  return !isnan(*x) && !isnan(*y);
}

static weft_status project_picture(project_run *r, const double t[8]) {
  weft_tensor *out = r->c->out[0];
  size_t high = (size_t)out->layout.origin.dim[1];
  size_t wide = (size_t)out->layout.origin.dim[2];
  for (size_t i = 0; i < high * wide; i++) {
    double y;
    double x;
    bool some = project_place(t, i / wide, i % wide, &y, &x);
    WEFT_TRY(weft__poll_at(r->c, i));
    y = some ? project_inside(r->fill, y, (double)r->h) : 0;
    x = some ? project_inside(r->fill, x, (double)r->w) : 0;
    for (r->channel = 0; r->channel < r->channels; r->channel++) {
      double v = some ? project_sample(r, y, x) : r->outside;
      weft_store_f64(out->dtype, out->data, (r->image * high * wide + i) * r->channels + r->channel, v);
    }
  }
  return WEFT_OK;
}

static weft_status project_ref(const weft_call *c) {
  const weft_tensor *maps = c->in[1];
  const weft_shape *s = &c->in[0]->layout.origin;
  const char *mode = weft__text_named(c->desc, "fill_mode");
  project_run r = {.c = c, .h = s->dim[1], .w = s->dim[2], .channels = (size_t)s->dim[3]};
  if (!c->out[0] || !weft__elems(&c->out[0]->layout.origin))
    return WEFT_OK;
  while (r.fill < FILLS && strcmp(project_fills[r.fill], mode))
    r.fill++;
  if (r.fill == FILLS)
    return weft_fail(c->d, WEFT_E_INVALID,
                     "attribute 'fill_mode' is '%s', expected CONSTANT, REFLECT, WRAP or NEAREST", mode);
  r.nearest = !strcmp(weft__text_named(c->desc, "interpolation"), "NEAREST");
  if (c->n_in > 3 && c->in[3])
    r.outside = weft_load_f64(c->in[3]->dtype, c->in[3]->data, 0);
  for (r.image = 0; r.image < (size_t)s->dim[0]; r.image++) {
    double t[8];
    size_t row = maps->layout.origin.dim[0] == 1 ? 0 : r.image;
    for (size_t i = 0; i < 8; i++)
      t[i] = weft_load_f64(maps->dtype, maps->data, 8 * row + i);
    WEFT_TRY(project_picture(&r, t));
  }
  return WEFT_OK;
}

#define PROJECT(op_name, ...)                                                                      \
  {                                                                                                \
    .name = op_name, .summary = "pictures seen through a projective map", .traits = WEFT_SYMBOLIC, \
    .infer = project_infer, .ref = project_ref, .values = "output_shape",                          \
    .examples = WEFT_EXAMPLES(__VA_ARGS__)                                                         \
  }
#define MOVED "f32[1,1,3,1]{1,2,4}, f32[1,8]{1,0,1,0,1,0,0,0}, i32[2]{1,3}"

WEFT_ROWS(projective) = {
    PROJECT("ImageProjectiveTransform", MOVED " interpolation=\"NEAREST\" -> f32[1,1,3,1]{2,4,0}",
            "f32[N,4,4,C], f32[N,8], i32[2] interpolation=\"NEAREST\" -> f32[N,-1,-1,C]",
            "f32[1,1,3,1], f32[1,7], i32[2] interpolation=\"NEAREST\" !! E_SHAPE 8 and 7 differ"),
    PROJECT("ImageProjectiveTransformV2",
            MOVED ", f32[]{9} interpolation=\"BILINEAR\" -> f32[1,1,3,1]{2,4,9}",
            MOVED " interpolation=\"BILINEAR\" fill_mode=\"REFLECT\" -> f32[1,1,3,1]{2,4,4}",
            MOVED " interpolation=\"BILINEAR\" fill_mode=\"WRAP\" -> f32[1,1,3,1]{2,4,1}"),
    {0},
};
// SPDX-License-Identifier: Apache-2.0
