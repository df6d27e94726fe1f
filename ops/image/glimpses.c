// ops/image/glimpses.c - a window of each picture, channels last, at an offset y, x.   AscendIR
// ExtractGlimpse, ExtractGlimpseV2. Offsets are elements, or (normalized) parts of the picture; `centered`
// ones count half steps from its middle. The first version takes the window around that place. V2 does so for
// offsets that are both; others of it are where the window begins, not normalized ones whole steps from the
// middle. What the window has beyond the picture is 0 where noise is "zero", and refused otherwise, as noise
// is random.
#include "dims_move.h"
#include "op/air_rows.h"
#include "op/named.h"

static weft_status glimpse_infer(weft_infer *it) {
  const weft_shape *x = it->in[0];
  const weft_shape *at = it->in[2];
  weft_dim ignored;
  WEFT_TRY(weft__sized_pictures(it, 1));
  WEFT_TRY(weft__expect_rank(it, 2, 2, 2));
  if (weft_shape_is_unknown_rank(at))
    return WEFT_OK;
  WEFT_TRY(weft__merge_dim(it, 2, at->dim[1], "axis 1 of input 'offsets'", &ignored));
  if (weft_shape_is_unknown_rank(x))
    return WEFT_OK;
  return weft__merge_dim(it, x->dim[0], at->dim[0], "pictures and 'offsets'", &ignored);
}

// Where a window of `size` begins in an axis of n elements.
static int64_t glimpse_begin(const weft_op_desc *desc, double v, int64_t n, int64_t size) {
  const double far = 0x1p40;
  bool centered = weft__flag_named(desc, "centered");
  bool normalized = weft__flag_named(desc, "normalized");
  bool second = desc->op->user != NULL;
  float p = (float)v;
  if (normalized)
    p *= (float)n;
  if (centered)
    p = (second && !normalized ? p : p / 2) + (float)n / 2;
  if (!second || (centered && normalized))
    p -= (float)size / 2;
  return isnan(p) ? (int64_t)far : (int64_t)((double)p < -far ? -far : (double)p > far ? far : (double)p);
}

static weft_status glimpse_ref(const weft_call *c) {
  const weft_tensor *x = c->in[0];
  const weft_tensor *at = c->in[2];
  weft_tensor *y = c->out[0];
  if (!y || !weft__elems(&y->layout.origin))
    return WEFT_OK;
  const weft_shape *s = &x->layout.origin;
  const weft_shape *o = &y->layout.origin;
  bool zero = !strcmp(weft__text_named(c->desc, "noise"), "zero");
  size_t channels = (size_t)s->dim[3];
  size_t work = 0;
  size_t spots = (size_t)o->dim[1] * (size_t)o->dim[2];
  for (size_t i = 0, n = (size_t)o->dim[0] * spots; i < n; i++) {
    size_t image = i / spots;
    int64_t place[2];
    WEFT_TRY(weft__poll_work(c, &work, channels + 1));
    for (size_t k = 0; k < 2; k++) {
      double v = weft_load_f64(at->dtype, at->data, 2 * image + k);
      int64_t step = (int64_t)(k ? i % spots % (size_t)o->dim[2] : i % spots / (size_t)o->dim[2]);
      place[k] = glimpse_begin(c->desc, v, s->dim[1 + k], o->dim[1 + k]) + step;
    }
    bool inside = place[0] >= 0 && place[0] < s->dim[1] && place[1] >= 0 && place[1] < s->dim[2];
    if (!inside && !zero)
      return weft_fail(c->d, WEFT_E_UNSUPPORTED,
                       "the window of picture %zu goes beyond it, where 'noise' is '%s': only \"zero\" is "
                       "computed",
                       image, weft__text_named(c->desc, "noise"));
    size_t from =
        inside ? ((image * (size_t)s->dim[1] + (size_t)place[0]) * (size_t)s->dim[2] + (size_t)place[1]) *
                     channels
               : 0;
    for (size_t k = 0; k < channels; k++)
      weft_store_f64(y->dtype, y->data, i * channels + k,
                     inside ? weft_load_f64(x->dtype, x->data, from + k) : 0);
  }
  return WEFT_OK;
}

#define GLIMPSE(op_name, second, ...)                                                             \
  {                                                                                               \
    .name = op_name, .summary = "a window of each picture at an offset", .traits = WEFT_SYMBOLIC, \
    .infer = glimpse_infer, .ref = glimpse_ref, .values = "size", .user = second,                 \
    .examples = WEFT_EXAMPLES(__VA_ARGS__)                                                        \
  }
#define ROW_OF_FOUR "f32[1,1,4,1]{1,2,3,4}, i32[2]{1,2}, "

WEFT_ROWS(glimpses) = {
    GLIMPSE("ExtractGlimpse", NULL, ROW_OF_FOUR "f32[1,2]{0,0} -> f32[1,1,2,1]{2,3}",
            ROW_OF_FOUR "f32[1,2]{0,0.75} noise=\"zero\" -> f32[1,1,2,1]{3,4}",
            ROW_OF_FOUR "f32[1,2]{0,1} noise=\"zero\" -> f32[1,1,2,1]{4,0}",
            ROW_OF_FOUR "f32[1,2]{0,1} !! E_UNSUPPORTED picture 0"),
    GLIMPSE("ExtractGlimpseV2", "second", ROW_OF_FOUR "f32[1,2]{0,0} -> f32[1,1,2,1]{2,3}",
            ROW_OF_FOUR "f32[1,2]{0,1} centered=false normalized=false -> f32[1,1,2,1]{2,3}",
            ROW_OF_FOUR "f32[1,2]{0,1} !! E_UNSUPPORTED picture 0"),
    {0},
};
// SPDX-License-Identifier: Apache-2.0
