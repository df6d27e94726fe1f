// ops/image/resize.c - x resampled along some axes.   AscendIR Resize, ONNX Resize-19.
// Sizes come from `scales` or `sizes`, one for each axis of `axes` (ext; empty: all); an input without
// elements is not given. mode nearest moves elements of any dtype; linear and cubic sum reals, integers
// truncated and saturated. tf_crop_and_resize takes `roi` [begins, ends] and puts extrapolation_value outside
// x; in other modes nothing is read of roi. Other ext attributes are ONNX's; nearest_mode "simple" is
// Resize-10's: floor, or ceil along an axis that shrinks. NaN reaches its neighbours.
#include "resize.h"

enum { X, ROI, SCALES, SIZES };

static weft_status resize_read(weft_diag *d, const weft_op_desc *n, size_t rank, weft_resize *r) {
  weft_ints axes = weft_node_ints(n, WEFT_SLOT_RESIZE_AXES);
  uint32_t mask;
  memset(r, 0, sizeof *r);
  r->rule = weft__resize_rule(n);
  r->n_sizes = -1;
  r->n = axes.n ? axes.n : rank;
  WEFT_TRY(weft__axes(d, "attribute 'axes'", axes.v, axes.n, rank, &mask));
  for (size_t k = 0; k < r->n; k++)
    r->axis[k] = !axes.n ? k : (size_t)(axes.v[k] < 0 ? axes.v[k] + (int64_t)rank : axes.v[k]);
  return WEFT_OK;
}

// Elements of an optional input: 0 when absent, -1 when not known. `each` is wanted, or nothing; each 0: any
// number.
static weft_status resize_count(weft_diag *d, const weft_op_desc *n, const weft_shape *s, uint32_t in,
                                size_t each, int64_t *out) {
  if (weft_shape_is_unknown_rank(s))
    return WEFT_OK;
  if (s->rank != 1)
    return weft_fail(d, WEFT_E_SHAPE, "input '%s': expected rank 1, got %zu", weft__in_name(n, in), s->rank);
  if (each && s->dim[0] > 0 && s->dim[0] != (weft_dim)each) {
    return weft_fail(d, WEFT_E_SHAPE, "input '%s': expected %zu elements, got %lld", weft__in_name(n, in),
                     each, (long long)s->dim[0]);
  }
  *out = s->dim[0] < 0 ? -1 : s->dim[0];
  return WEFT_OK;
}

static weft_status resize_both(weft_diag *d) {
  return weft_fail(d, WEFT_E_INVALID, "both 'scales' and 'sizes' are given");
}

static weft_status resize_infer(weft_infer *it) {
  const weft_shape *x = it->in[X];
  weft_resize r;
  int64_t n[4] = {0, 0, 0, 0};
  uint32_t in[4];
  bool known = false;
  if (weft_shape_is_unknown_rank(x))
    return weft__unknown_rank(it, 0);
  WEFT_TRY(resize_read(it->d, it->desc, x->rank, &r));
  if (r.rule.mode != WEFT_RESIZE_NEAREST && !((WEFT_NUMBERS | WEFT_DT(BOOL)) >> it->in_dtype[X] & 1)) {
    return weft_fail(it->d, WEFT_E_DTYPE, "input 'x': %s can be resampled in mode nearest only",
                     weft_dtype_serial(it->in_dtype[X]));
  }
  for (uint32_t port = ROI; port <= SIZES; port++) {
    if (weft__has_in(it->desc, port, &in[port])) {
      n[port] = -1;
      size_t each = port != ROI ? r.n : r.rule.place == WEFT_RESIZE_TF_CROP ? 2 * r.n : 0;
      WEFT_TRY(resize_count(it->d, it->desc, it->in[in[port]], in[port], each, &n[port]));
    }
  }
  if (x->rank && !n[SCALES] && !n[SIZES])
    return weft_fail(it->d, WEFT_E_MISSING, "neither 'scales' nor 'sizes' is given");
  if (n[SCALES] > 0 && it->value[in[SCALES]]->data)
    r.scales = it->value[in[SCALES]];
  if (r.scales && n[SIZES] > 0)
    return resize_both(it->d);
  if (r.rule.place == WEFT_RESIZE_TF_CROP && n[ROI] > 0 && it->value[in[ROI]]->data)
    r.roi = it->value[in[ROI]];
  if (n[SIZES] > 0) {
    WEFT_TRY(weft__in_ints(it, in[SIZES], r.sizes, WEFT_MAX_RANK, &n[0], &known));
    if (known)
      r.n_sizes = n[0];
  }
  if (r.rule.place == WEFT_RESIZE_TF_CROP && x->rank && !n[ROI])
    return weft_fail(it->d, WEFT_E_MISSING, "tf_crop_and_resize needs the input 'roi'");
  return weft__resize_dims(it->symbols, it->d, &r, x, it->out[0]);
}

static weft_status resize_ref(const weft_call *c) {
  weft_resize r;
  uint32_t in;
  size_t n;
  if (!c->out[0])
    return WEFT_OK;
  WEFT_TRY(resize_read(c->d, c->desc, c->in[X]->layout.origin.rank, &r));
  if (weft__has_in(c->desc, ROI, &in) && weft__elems(&c->in[in]->layout.origin))
    r.roi = c->in[in];
  if (weft__has_in(c->desc, SCALES, &in) && weft__elems(&c->in[in]->layout.origin))
    r.scales = c->in[in];
  if (weft__has_in(c->desc, SIZES, &in) && weft__elems(&c->in[in]->layout.origin)) {
    if (r.scales)
      return resize_both(c->d);
    WEFT_TRY(weft__read_ints(c, in, r.sizes, WEFT_MAX_RANK, &n));
    r.n_sizes = (int64_t)n;
  }
  return weft__resize_run(c, &r);
}

WEFT_OP(resize) = {
    WEFT_OP_HEAD,
    .name = "Resize",
    .summary = "resampling along some axes",
    .in = PORTS({"x", "T"}, {"roi", NULL, WEFT_FLOATS, .kind = WEFT_OPTIONAL, .value = WEFT_VALUE_INFER},
                {"scales", NULL, WEFT_DT(FLOAT), .kind = WEFT_OPTIONAL, .value = WEFT_VALUE_INFER},
                {"sizes", NULL, WEFT_SET_INDEX, .kind = WEFT_OPTIONAL, .value = WEFT_VALUE_INFER}),
    .out = PORTS({"y", "T"}),
    .types = TYPES({"T", WEFT_STORABLE}),
    .attrs = ATTRS(
        {"coordinate_transformation_mode", "String", "\"half_pixel\"",
         "one of " WEFT_RESIZE_PLACES},
        {"cubic_coeff_a", "Float", "-0.75"}, {"exclude_outside", "Int", "0"},
        {"extrapolation_value", "Float", "0.0"},
        {"mode", "String", "\"nearest\"", "one of " WEFT_RESIZE_MODES},
        {"nearest_mode", "String", "\"round_prefer_floor\"",
         "one of " WEFT_RESIZE_ROUNDS},
        {"antialias", "Int", "0", .ext = 1}, {"axes", "ListInt", "{}", .ext = 1},
        {"keep_aspect_ratio_policy", "String", "\"stretch\"", "one of " WEFT_RESIZE_POLICIES,
         .ext = 1}),
    .traits = WEFT_SYMBOLIC | WEFT_KEEP_FORMAT,
    .infer = resize_infer,
    .ref = resize_ref,
    .examples = WEFT_EXAMPLES(
        "f32[2]{1,2}, _, f32[1]{2} -> f32[4]{1,1,2,2}",
        "str[2]{\"a\",\"b\"}, _, f32[1]{2} -> str[4]{\"a\",\"a\",\"b\",\"b\"}",
        "f32[2]{1,2}, _, f32[1]{2} mode=\"linear\" -> f32[4]{1,1.25,1.75,2}",
        "f32[3]{1,2,4}, _, _, i64[1]{5} mode=\"linear\" coordinate_transformation_mode=\"align_corners\""
        " -> f32[5]{1,1.5,2,3,4}",
        "f32[4]{1,2,3,4}, _, f32[1]{0.5} mode=\"linear\" antialias=1 -> f32[2]{1.625,3.375}",
        "f32[1,2]{1,2}, f32[2]{0,2}, _, i32[1]{3} axes=[1] mode=\"linear\" extrapolation_value=9"
        " coordinate_transformation_mode=\"tf_crop_and_resize\" -> f32[1,3]{1,2,9}",
        "f32[2,4], _, _, i64[2]{4,4} keep_aspect_ratio_policy=\"not_larger\" -> f32[2,4]",
        "f32[N,-1], f32[0], f32[2]{2,0.5} -> f32[2*N,-1]", "f32[2,3], _, f32[2] -> f32[-1,-1]",
        "f32[?], _, f32[2]{1,1} -> f32[?]", "f16[0,3], _, f32[2]{2,2} -> f16[0,6]",
        "u8[2]{3,250}, _, f32[1]{1} -> u8[2]{3,250}", "f32[2] !! E_MISSING neither 'scales' nor 'sizes'",
        "f32[2], _, f32[1]{0} !! E_RANGE element 0 is 0",
        "f32[2], _, f32[2]{1,1} !! E_SHAPE expected 1 elements, got 2",
        "f32[0], _, _, i64[1]{2} !! E_SHAPE has no elements",
        "f32[2], _, f32[1]{1}, i64[1]{2} !! E_INVALID both", "f32[2], _, f32[1], i64[1]{3} -> f32[3]",
        "f32[16777217], f32[5], f32[1]{2} -> f32[33554434]", "f32[10], _, f32[1]{0.7} -> f32[7]",
        "f32[2,2], f32[3], f32[1]{2} axes=[1] coordinate_transformation_mode=\"tf_crop_and_resize\""
        " !! E_SHAPE expected 2 elements",
        "f32[2], _, f32[1]{1} axes=[1] !! E_RANGE attribute 'axes'"),
};
// SPDX-License-Identifier: Apache-2.0
