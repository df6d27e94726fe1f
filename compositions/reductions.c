// compositions/reductions.c - variances, norms and places of the largest, along axes.
#include "compose/compose.h"

#include <math.h>

#include "air_slots.h"

#define W  COMPOSED_WIDE
#define BY COMPOSED_WIDE_BY

// "a": the axes of attribute `slot`, all where it is empty; "v": sums of squares over n - correction.
static weft_status reduced_variance(weft__composing *c, double correction) {
  char text[320];
  snprintf(text, sizeof text,
           "a = axes(dim, x); k = ReduceMean(x, a, keep_dims=true); q = ReduceSum(Square(Sub(x, k)), a, "
           "keep_dims=@keepdim); m = ReduceMean(x, a, keep_dims=@keepdim); "
           "n = RealDiv(count(x), count(q)); v = RealDiv(q, Maximum(Sub(n, %g), 0))",
           correction);
  return weft__compose_text(c, text);
}
static weft_status reduce_var_build(weft__composing *c) {
  WEFT_TRY(reduced_variance(c, (double)weft_node_int(c->desc, WEFT_SLOT_REDUCE_VAR_CORRECTION)));
  return weft__compose_text(c, "var = Identity(v); mean = Identity(m)");
}
static weft_status reduce_std_build(weft__composing *c) {
  WEFT_TRY(reduced_variance(c, weft_node_bool(c->desc, WEFT_SLOT_REDUCE_STD_UNBIASED)));
  return weft__compose_text(c, "y1 = Sqrt(v); y2 = Identity(m)");
}
static weft_status reduce_std_v2_build(weft__composing *c) {
  WEFT_TRY(reduced_variance(c, (double)weft_node_int(c->desc, WEFT_SLOT_REDUCE_STD_V2_CORRECTION)));
  return weft__compose_text(c, "std = Sqrt(v); mean = Identity(m)");
}

// The p-norm over axes "a" of |x|; p may be infinite either way.
static weft_status reduced_norm(weft__composing *c, double p) {
  char text[200];
  if (p == 0)
    return weft__compose_text(c, "y = ReduceSum(as(x, NotEqual(x, 0)), a, keep_dims=@keepdim)");
  if (isinf(p) || p >= 2147483647 || p <= -2147483648)
    return weft__compose_text(c, p > 0 ? "y = ReduceMax(Abs(x), a, keep_dims=@keepdim)"
                                       : "y = ReduceMin(Abs(x), a, keep_dims=@keepdim)");
  if (p == 1)
    return weft__compose_text(c, "y = ReduceSum(Abs(x), a, keep_dims=@keepdim)");
  if (p == 2)
    return weft__compose_text(c, "y = Sqrt(ReduceSum(Square(x), a, keep_dims=@keepdim))");
  snprintf(text, sizeof text, "y = Pow(ReduceSum(Pow(Abs(x), %.9g), a, keep_dims=@keepdim), %.17g)", p,
           1 / p);
  return weft__compose_text(c, text);
}
static weft_status lp_norm_build(weft__composing *c) {
  WEFT_TRY(weft__compose_text(c, "a = axes(axes, x)"));
  WEFT_TRY(reduced_norm(c, (double)weft_node_int(c->desc, WEFT_SLOT_LP_NORM_P)));
  return weft__compose_text(c, "y = Maximum(y, epsilon)");
}
static weft_status lp_norm_v2_build(weft__composing *c) {
  WEFT_TRY(weft__compose_text(c, "a = axes(axes, x)"));
  return reduced_norm(c, (double)weft_node_float(c->desc, WEFT_SLOT_LP_NORM_V2_P));
}

// ---- with places ----
static weft_status with_value(weft__composing *c, const char *place, const char *most, int64_t dim, bool keep,
                              weft_dtype t) {
  char text[400];
  if (t == WEFT_INT64 || t == WEFT_INT32) {
    snprintf(text, sizeof text,
             "i = %s(x, int(dimension), dtype=%d); values = %s(x, int(dimension), keep_dims=@keep_dims)",
             place, (int)t, most);
    WEFT_TRY(weft__compose_text(c, text));
  } else
    return front_fail(c->o, WEFT_E_DTYPE, "attribute 'indice_dtype': expected i32 or i64");
  weft_value *i = weft__composed(c, "i");
  int64_t axis = front_axis(c->o, dim, front_rank_of(c->o, weft__composed(c, "x")));
  weft__compose_name(c, "indice", keep ? front_unsqueezed(c->o, i, axis) : i);
  return c->o->failed;
}
static weft_status arg_max_with_value_build(weft__composing *c) {
  return with_value(c, "ArgMaxV2", "ReduceMax",
                    weft_node_int(c->desc, WEFT_SLOT_ARG_MAX_WITH_VALUE_DIMENSION),
                    weft_node_bool(c->desc, WEFT_SLOT_ARG_MAX_WITH_VALUE_KEEP_DIMS),
                    weft_node_dtype(c->desc, WEFT_SLOT_ARG_MAX_WITH_VALUE_INDICE_DTYPE));
}
static weft_status arg_min_with_value_build(weft__composing *c) {
  return with_value(c, "ArgMin", "ReduceMin", weft_node_int(c->desc, WEFT_SLOT_ARG_MIN_WITH_VALUE_DIMENSION),
                    weft_node_bool(c->desc, WEFT_SLOT_ARG_MIN_WITH_VALUE_KEEP_DIMS),
                    weft_node_dtype(c->desc, WEFT_SLOT_ARG_MIN_WITH_VALUE_INDICE_DTYPE));
}
static weft_status arg_max_with_value_dtype(weft_infer *it) {
  it->out_dtype[0] = weft_node_dtype(it->desc, WEFT_SLOT_ARG_MAX_WITH_VALUE_INDICE_DTYPE);
  it->out_dtype[1] = it->in_dtype[0];
  return WEFT_OK;
}

// Slices along an axis whose norm is over maxnorm are scaled down to it.
static weft_status renorm_build(weft__composing *c) {
  int64_t axes[WEFT_MAX_RANK];
  size_t n = 0;
  int rank = front_rank_of(c->o, weft__composed(c, "x"));
  int64_t dim = front_axis(c->o, weft_node_int(c->desc, WEFT_SLOT_RENORM_DIM), rank);
  double p = (double)weft_node_float(c->desc, WEFT_SLOT_RENORM_P);
  for (int i = 0; i < rank; i++) {
    if (i != dim)
      axes[n++] = i;
  }
  weft__compose_name(c, "a", front_list(c->o, axes, n));
  char text[160];
  snprintf(text, sizeof text,
           p == 2 ? "q = Sqrt(ReduceSum(Square(x), a, keep_dims=true))"
                  : "q = Pow(ReduceSum(Pow(Abs(x), %.9g), a, keep_dims=true), %.17g)",
           p, 1 / p);
  WEFT_TRY(weft__compose_text(c, text));
  return weft__compose_text(
      c, "y = Mul(x, SelectV2(Greater(q, maxnorm), RealDiv(maxnorm, Add(q, 1e-7)), OnesLike(q)))");
}

static weft_status reduce_mean_with_cast_dtype(weft_infer *it) {
  weft_dtype t = weft_node_dtype(it->desc, WEFT_SLOT_REDUCE_MEAN_WITH_CAST_DTYPE);
  it->out_dtype[0] = t == WEFT_UNDEFINED ? it->in_dtype[0] : t;
  return WEFT_OK;
}
static weft_status reduce_mean_with_cast_build(weft__composing *c) {
  weft_dtype t = weft_node_dtype(c->desc, WEFT_SLOT_REDUCE_MEAN_WITH_CAST_DTYPE);
  weft_value *x = weft__composed(c, "x");
  weft__compose_name(c, "x", front_as(c->o, x, t));
  return weft__compose_text(
      c, "y = ReduceMean(x, axes, keep_dims=@keep_dims, noop_with_empty_axes=@noop_with_empty_axes)");
}

WEFT_ROWS(reductions) = {
    BY("ReduceVar", "variances and means over axes", reduce_var_build, "f32[2]{1,3} -> f32[]{2}, f32[]{2}",
       "f32[2]{1,3} correction=0 -> f32[]{1}, f32[]{2}"),
    BY("ReduceStd", "deviations and means over axes", reduce_std_build,
       "f32[2]{1,3} unbiased=false -> f32[]{1}, f32[]{2}"),
    BY("ReduceStdV2", "deviations and means over axes", reduce_std_v2_build,
       "f32[2]{1,3} correction=0 -> f32[]{1}, f32[]{2}"),
    BY("LpNorm", "norms over axes, at least epsilon", lp_norm_build, "f32[2]{3,4} -> f32[]{5}",
       "f32[2]{3,4} p=1 keepdim=true -> f32[1]{7}"),
    BY("LpNormV2", "norms over axes", lp_norm_v2_build, "f32[2]{3,4} -> f32[]{5}",
       "f32[2]{3,4} p=inf -> f32[]{4}"),
    COMPOSED_READS("ReduceNansum", "sums over axes without NaN", "axes",
                   "y = ReduceSum(SelectV2(IsNan(x), ZerosLike(x), x), axes, keep_dims=@keep_dims)",
                   "f32[3]{1,nan,2}, i32[1]{0} -> f32[]{3}"),
    {.name = "ReduceMeanWithCast",
     .summary = "means over axes in another dtype",
     .traits = WEFT_SYMBOLIC,
     .infer = weft__composed_infer,
     .infer_dtype = reduce_mean_with_cast_dtype,
     .ref = weft__composed_ref,
     .values = "axes",
     .user = (&(const weft__composition){.build = reduce_mean_with_cast_build}),
     .examples = WEFT_EXAMPLES("f16[2]{1,2}, i32[1]{0} dtype=f32 -> f32[]{1.5}")},
    {.name = "ArgMaxWithValue",
     .summary = "the largest along an axis and its place",
     .traits = WEFT_SYMBOLIC,
     .infer = weft__composed_infer,
     .infer_dtype = arg_max_with_value_dtype,
     .ref = weft__composed_ref,
     .user = (&(const weft__composition){.build = arg_max_with_value_build}),
     .examples = WEFT_EXAMPLES("f32[2,2]{1,2,4,3} dimension=1 -> i32[2]{1,0}, f32[2]{2,4}")},
    {.name = "ArgMinWithValue",
     .summary = "the smallest along an axis and its place",
     .traits = WEFT_SYMBOLIC,
     .infer = weft__composed_infer,
     .infer_dtype = arg_max_with_value_dtype,
     .ref = weft__composed_ref,
     .user = (&(const weft__composition){.build = arg_min_with_value_build}),
     .examples =
         WEFT_EXAMPLES("f32[2,2]{1,2,4,3} dimension=1 keep_dims=true -> i32[2,1]{0,1}, f32[2,1]{1,3}")},
    COMPOSED_BY("Renorm", "slices whose norm is too large scaled down", renorm_build,
                "f32[2,2]{3,4,0,1} p=2 dim=0 maxnorm=2.5 -> f32[2,2]{1.5,2,0,1} ~1e-6"),
    COMPOSED("EuclideanNormD", "the root of the sum of squares over axes",
             "y = EuclideanNorm(x, axes(axes, x), keep_dims=@keep_dims)", "f32[2]{3,4} -> f32[]{5}"),
    {0},
};
// SPDX-License-Identifier: Apache-2.0
