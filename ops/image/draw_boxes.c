// ops/image/draw_boxes.c - pictures, channels last, with the edges of boxes drawn into them.   AscendIR
// DrawBoundingBoxes, DrawBoundingBoxesV2. A box is y1, x1, y2, x2 in parts of the picture less one element,
// cut off to whole ones; edges outside are not drawn. The colours, red, green, blue and alpha, are taken in
// turn: those of 'colors', or ten.
#include "dims_move.h"
#include "op/air_rows.h"

static const float draw_colours[10][4] = {{1, 1, 0, 1},   {0, 0, 1, 1},    {1, 0, 0, 1},   {0, 1, 0, 1},
                                          {0.5f, 0, 0.5f, 1}, {0.5f, 0.5f, 0, 1}, {0.5f, 0, 0, 1},
                                          {0, 0, 0.5f, 1}, {0, 1, 1, 1},    {1, 0, 1, 1}};

static weft_status draw_infer(weft_infer *it) {
  const weft_shape *x = it->in[0];
  const weft_shape *b = it->in[1];
  weft_dim ignored;
  weft_shape_copy(it->out[0], x);
  WEFT_TRY(weft__expect_rank(it, 0, 4, 4));
  WEFT_TRY(weft__expect_rank(it, 1, 3, 3));
  if (it->n_in > 2)
    WEFT_TRY(weft__expect_rank(it, 2, 2, 2));
  if (weft_shape_is_unknown_rank(b))
    return WEFT_OK;
  WEFT_TRY(weft__merge_dim(it, 4, b->dim[2], "axis 2 of input 'boxes'", &ignored));
  if (weft_shape_is_unknown_rank(x))
    return WEFT_OK;
  if (x->dim[3] > 4)
    return weft_fail(it->d, WEFT_E_SHAPE, "input 'images' has %lld channels, at most 4 are drawn",
                     (long long)x->dim[3]);
  return weft__merge_dim(it, x->dim[0], b->dim[0], "pictures of 'images' and 'boxes'", &ignored);
}

typedef struct draw_run {
  const weft_call *c;
  size_t image, channels;
  int64_t h, w;
  float colour[4];
} draw_run;

// A whole element, far outside where the number is.
static int64_t draw_place(double v, int64_t n) {
  double p = (double)((float)v * (float)(n - 1));
  return isnan(p) ? -1 : p < -2 ? -2 : p > (double)n + 1 ? n + 1 : (int64_t)p;
}
static weft_status draw_line(const draw_run *r, int64_t y, int64_t x, int64_t n, bool down) {
  weft_tensor *out = r->c->out[0];
  for (int64_t i = 0; i < n; i++) {
    size_t row = (size_t)(y + (down ? i : 0));
    size_t column = (size_t)(x + (down ? 0 : i));
    size_t at = (r->image * (size_t)r->h + row) * (size_t)r->w + column;
    WEFT_TRY(weft__poll_at(r->c, (size_t)i));
    for (size_t k = 0; k < r->channels; k++)
      weft_store_f64(out->dtype, out->data, at * r->channels + k, (double)r->colour[k]);
  }
  return WEFT_OK;
}
static weft_status draw_box(const draw_run *r, const double b[4]) {
  const int64_t top = draw_place(b[0], r->h);
  const int64_t left = draw_place(b[1], r->w);
  const int64_t bottom = draw_place(b[2], r->h);
  const int64_t right = draw_place(b[3], r->w);
  if (top > bottom || left > right || top >= r->h || bottom < 0 || left >= r->w || right < 0)
    return WEFT_OK;
  const int64_t y = WEFT_MAX(top, 0);
  const int64_t x = WEFT_MAX(left, 0);
  const int64_t high = WEFT_MIN(bottom, r->h - 1) - y + 1;
  const int64_t wide = WEFT_MIN(right, r->w - 1) - x + 1;
  if (top >= 0)
    WEFT_TRY(draw_line(r, top, x, wide, false));
  if (bottom < r->h)
    WEFT_TRY(draw_line(r, bottom, x, wide, false));
  if (left >= 0)
    WEFT_TRY(draw_line(r, y, left, high, true));
  if (right < r->w)
    WEFT_TRY(draw_line(r, y, right, high, true));
  return WEFT_OK;
}

static void draw_colour(draw_run *r, size_t box) {
  const weft_tensor *given = r->c->n_in > 2 ? r->c->in[2] : NULL;
  const weft_shape *s = given ? &given->layout.origin : NULL;
  size_t rows = s ? (size_t)s->dim[0] : 0;
  size_t columns = s ? (size_t)s->dim[1] : 0;
  for (size_t k = 0; k < 4; k++) {
    r->colour[k] = r->channels == 1 ? 1 : draw_colours[box % 10][k];
    if (rows && k < columns)
      r->colour[k] = (float)weft_load_f64(given->dtype, given->data, box % rows * columns + k);
  }
}

static weft_status draw_ref(const weft_call *c) {
  const weft_tensor *boxes = c->in[1];
  if (!c->out[0] || !weft__elems(&c->out[0]->layout.origin))
    return WEFT_OK;
  const weft_shape *s = &c->out[0]->layout.origin;
  draw_run r = {.c = c, .channels = (size_t)s->dim[3], .h = s->dim[1], .w = s->dim[2]};
  size_t n = (size_t)boxes->layout.origin.dim[1];
  WEFT_TRY(weft__copy_all(c));
  for (r.image = 0; r.image < (size_t)s->dim[0]; r.image++) {
    for (size_t i = 0; i < n; i++) {
      double b[4];
      WEFT_TRY(weft__poll_at(c, i));
      for (size_t k = 0; k < 4; k++)
        b[k] = weft_load_f64(boxes->dtype, boxes->data, (r.image * n + i) * 4 + k);
      draw_colour(&r, i);
      WEFT_TRY(draw_box(&r, b));
    }
  }
  return WEFT_OK;
}

#define DRAW(op_name, ...)                                                                       \
  {                                                                                              \
    .name = op_name, .summary = "pictures with boxes drawn into them", .traits = WEFT_SYMBOLIC,  \
    .infer = draw_infer, .ref = draw_ref, .examples = WEFT_EXAMPLES(__VA_ARGS__)                 \
  }
WEFT_ROWS(draw_boxes) = {
    DRAW("DrawBoundingBoxes", "f32[1,1,3,1]{0,0,0}, f32[1,1,4]{0,0,0,0.5} -> f32[1,1,3,1]{1,1,0}",
         "f32[N,4,4,3], f32[N,2,4] -> f32[N,4,4,3]", "f32[1,1,3,1], f32[1,1,5] !! E_SHAPE 4 and 5 differ"),
    DRAW("DrawBoundingBoxesV2",
         "f32[1,1,3,1]{0,0,0}, f32[1,1,4]{0,0,0,0.5}, f32[1,1]{7} -> f32[1,1,3,1]{7,7,0}"),
    {0},
};
// SPDX-License-Identifier: Apache-2.0
