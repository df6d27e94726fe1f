// compositions/quantise.h - numbers as small integers: rounding and saturation, scales of channels, scales of
// the data, and norms that end in them. Layer: compositions.
#pragma once
#include "air_slots.h"
#include "compose/compose.h"

// Rounds "v", saturates it to `t` and names it. `how`: round, rint, floor, ceil, trunc, in any case.
static inline weft_status quantise(weft__composing *c, const char *name, weft_dtype t, const char *how) {
  static const struct {
    char first;
    const char *of;
  } ways[] = {{'r', "Rint"}, {'f', "Floor"}, {'c', "Ceil"}, {'t', "Trunc"}};
  char text[96];
  const char *of = "Rint";
  bool half = t == WEFT_INT4;
  for (size_t i = 0; i < WEFT_COUNT(ways); i++) {
    if ((how[0] | 32) == ways[i].first)
      of = ways[i].of;
  }
  if (t == WEFT_INT8 || half || t == WEFT_UINT8) {
    int low = t == WEFT_UINT8 ? 0 : half ? -8 : -128;
    snprintf(text, sizeof text, "v = Maximum(Minimum(%s(v), %d), %d)", of, low + (half ? 15 : 255), low);
    WEFT_TRY(weft__compose_text(c, text));
  } else if (!weft_dtype_is_float(t) && t != WEFT_INT32)
    return front_fail(c->o, WEFT_E_UNSUPPORTED, "the dtype to quantise to, %s, is not computed",
                      weft_dtype_serial(t));
  else if (t == WEFT_INT32)
    WEFT_TRY(weft__compose_text(c, "v = Rint(v)"));
  weft__compose_name(c, name, front_as(c->o, weft__composed(c, "v"), t));
  return c->o->failed;
}

// A list of scales as one of x: along `axis`, with axes of 1 behind it.
static inline weft_status quantise_spread(weft__composing *c, const char *name, const char *x, int64_t axis) {
  weft_value *v = weft__composed(c, name);
  int rank = front_rank_of(c->o, weft__composed(c, x));
  if (!v || front_rank(v) != 1 || front_dim(v, 0) == 1 || c->o->failed)
    return c->o->failed;
  if (front_dim(v, 0) < 0)
    return front_fail(c->o, WEFT_E_UNKNOWN, "whether '%s' is one number is not known", name);
  axis = front_axis(c->o, axis, rank);
  for (int64_t i = axis + 1; i < rank; i++)
    v = front_unsqueezed(c->o, v, front_rank(v));
  weft__compose_name(c, name, v);
  return c->o->failed;
}

// What the text calls y in the dtype that an attribute has.
static inline weft_status quantise_give(weft__composing *c, weft_dtype t) {
  weft__compose_name(c, "y", front_as(c->o, weft__composed(c, "y"), t));
  return c->o->failed;
}

// A scale of 64 bits is a float in the lower half: "name" becomes it.
static inline weft_status quantise_scale(weft__composing *c, const char *name) {
  weft_value *v = weft__composed(c, name);
  if (v && (v->fact.dtype == WEFT_UINT64 || v->fact.dtype == WEFT_INT64)) {
    weft__compose_name(c, "packed", v);
    WEFT_TRY(weft__compose_text(c, "parts = Bitcast(packed, type=0)"));
    v = weft__composed(c, "parts");
    int rank = front_rank_of(c->o, v);
    if (!c->o->failed)
      v = front_picked(c->o, v, rank - 1, front_index(c->o, 0));
  }
  weft__compose_name(c, name, front_as(c->o, v, WEFT_FLOAT));
  return c->o->failed;
}

// y in the dtype of an attribute; int8 is rounded and saturated.
static inline weft_status product_give(weft__composing *c, weft_dtype t) {
  if (t == WEFT_INT8)
    WEFT_TRY(weft__compose_text(c, "y = Maximum(Minimum(Rint(y), 127), -128)"));
  weft__compose_name(c, "y", front_as(c->o, weft__composed(c, "y"), t));
  return c->o->failed;
}

// "v" by rows to `t`: the largest size is the last step.
static inline weft_status dynamic_rows(weft__composing *c, const char *y, const char *scale, weft_dtype t) {
  char text[200];
  if (t != WEFT_INT8 && t != WEFT_INT4)
    return front_fail(c->o, WEFT_E_UNSUPPORTED, "attribute 'dst_type': int8 and int4 are computed, not %s",
                      weft_dtype_serial(t));
  snprintf(text, sizeof text,
           "%s = RealDiv(ReduceMax(Abs(v), [-1]), %d); k = Unsqueeze(%s, axes=[-1]); v = SelectV2(Equal(k, "
           "0), ZerosLike(v), RealDiv(v, k))",
           scale, t == WEFT_INT8 ? 127 : 7, scale);
  WEFT_TRY(weft__compose_text(c, text));
  return quantise(c, y, t, "rint");
}
static inline weft_status dynamic_smooth(weft__composing *c, const char *smooth, const char *group) {
  if (weft__composed(c, group))
    return front_fail(c->o, WEFT_E_UNSUPPORTED, "input '%s': groups of rows are not computed", group);
  if (!weft__composed(c, smooth))
    return WEFT_OK;
  weft__compose_name(c, "smooth", weft__composed(c, smooth));
  return weft__compose_text(c, "v = Mul(v, smooth)");
}

#define RMS_ROWS "r = Mul(Mul(x, Rsqrt(Add(ReduceMean(Square(x), [-1], keep_dims=true), epsilon))), gamma)"
static inline weft_status quantised_norm(weft__composing *c) {
  if (front_rank_of(c->o, weft__composed(c, "gamma")) != 1)
    return c->o->failed ? c->o->failed
                        : front_fail(c->o, WEFT_E_UNSUPPORTED,
                                     "input 'gamma': only one axis, the last, is normalised");
  WEFT_TRY(weft__compose_text(c, RMS_ROWS));
  return weft__composed(c, "beta") ? weft__compose_text(c, "r = Add(r, beta)") : WEFT_OK;
}
// With scales and zero points given; without them the second output is 0.
static inline weft_status quantised_by(weft__composing *c, int which, bool divides, weft_dtype t) {
  char text[64];
  char scale[16];
  char zero[16];
  char y[8];
  snprintf(scale, sizeof scale, "scales%d", which);
  snprintf(zero, sizeof zero, "zero_points%d", which);
  snprintf(y, sizeof y, "y%d", which);
  if (weft__composed(c, scale)) {
    snprintf(text, sizeof text, divides ? "v = RealDiv(r, %s)" : "v = Mul(r, %s)", scale);
    WEFT_TRY(weft__compose_text(c, text));
  } else
    WEFT_TRY(weft__compose_text(c, "v = ZerosLike(r)"));
  if (weft__composed(c, scale) && weft__composed(c, zero)) {
    snprintf(text, sizeof text, "v = Add(v, f32(%s))", zero);
    WEFT_TRY(weft__compose_text(c, text));
  }
  return quantise(c, y, t, "rint");
}
// SPDX-License-Identifier: Apache-2.0
