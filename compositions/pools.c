// compositions/pools.c - pools under other names: MaxPoolV3 and AvgPoolV2 with the attributes that each has.
#include "compose/compose.h"
#include "op/named.h"

static int64_t pools_int(const weft__composing *c, const char *name) {
  const weft_attr *a = weft__attr_named(c->desc, name);
  return a && a->type == WEFT_VT_INT ? a->u.i : a ? a->u.b : 0;
}
static void pools_list(const weft__composing *c, const char *name, const char *as) {
  const weft_attr *a = weft__attr_named(c->desc, name);
  if (a && a->n)
    front_set_ints(c->o, as, a->u.ints, a->n);
}
static void pools_format(const weft__composing *c) {
  const weft_attr *a = weft__attr_named(c->desc, "data_format");
  if (a)
    front_set_text(c->o, "data_format", a->u.s);
}
static weft_status pools_done(weft__composing *c, const char *type) {
  weft__compose_name(c, "y", front_do(c->o, type, weft__composed(c, "x"), NULL, NULL));
  return c->o->failed;
}

static weft_status max_3d_build(weft__composing *c) {
  const weft_attr *mode = weft__attr_named(c->desc, "padding");
  pools_list(c, "ksize", "ksize");
  pools_list(c, "strides", "strides");
  pools_list(c, "pads", "pads");
  pools_list(c, "dilation", "dilations");
  if (mode)
    front_set_text(c->o, "padding_mode", mode->u.s);
  front_set_bool(c->o, "ceil_mode", pools_int(c, "ceil_mode") != 0);
  pools_format(c);
  return pools_done(c, "MaxPoolV3");
}

static weft_status avg_3d_build(weft__composing *c) {
  pools_list(c, "ksize", "ksize");
  pools_list(c, "strides", "strides");
  pools_list(c, "pads", "pads");
  front_set_bool(c->o, "ceil_mode", pools_int(c, "ceil_mode") != 0);
  front_set_bool(c->o, "exclusive", !pools_int(c, "count_include_pad"));
  front_set_int(c->o, "divisor_override", pools_int(c, "divisor_override"));
  pools_format(c);
  return pools_done(c, "AvgPoolV2");
}

// Window and strides are inputs.
static weft_status max_v2_build(weft__composing *c) {
  const char *const names[2] = {"ksize", "strides"};
  int64_t v[2][4];
  for (int i = 0; i < 2; i++) {
    size_t n;
    if (!front_known_ints(weft__composed(c, names[i]), v[i], 4, &n))
      return front_fail(c->o, WEFT_E_UNKNOWN, "input '%s' is not known", names[i]);
    front_set_ints(c->o, names[i], v[i], n);
  }
  front_set_text(c->o, "padding", weft__attr_named(c->desc, "padding")->u.s);
  pools_format(c);
  return pools_done(c, "MaxPool");
}

// Caffe's: sizes are rounded up, padding counts in means.
static weft_status caffe_build(weft__composing *c) {
  bool mean = pools_int(c, "mode") == 1;
  if (pools_int(c, "mode") > 1 || pools_int(c, "mode") < 0)
    return front_fail(c->o, WEFT_E_UNSUPPORTED,
                      "attribute 'mode' is %lld, expected 0 (the largest) or 1 (means)",
                      (long long)pools_int(c, "mode"));
  pools_list(c, "window", "ksize");
  pools_list(c, "stride", "strides");
  pools_list(c, "pad", "pads");
  pools_list(c, "dilation", "dilations");
  front_set_bool(c->o, "ceil_mode", pools_int(c, "ceil_mode") == 0);
  front_set_bool(c->o, "global_pooling", pools_int(c, "global_pooling") != 0);
  if (mean)
    front_set_bool(c->o, "exclusive", false);
  pools_format(c);
  return pools_done(c, mean ? "AvgPoolV2" : "MaxPoolV3");
}

// Caffe's pyramid: level l has 2^l by 2^l windows, which cover x and as little beside it as they can, equally
// much on both sides. Padding counts in means.
static weft_value *pyramid_level(weft__composing *c, int64_t bins, bool mean) {
  front_op *o = c->o;
  weft_value *x = weft__composed(c, "x");
  int64_t window[2];
  int64_t pads[4];
  for (int k = 0; k < 2; k++) {
    const weft_dim n = front_dim(x, 2 + k);
    if (n < bins)
      return front_none(o, n < 0 ? WEFT_E_UNKNOWN : WEFT_E_SHAPE,
                        "axis %d of input 'x' has %lld elements, a level of the pyramid %lld windows", 2 + k,
                        front_shown(n), (long long)bins);
    const int64_t beside = (bins - n % bins) % bins;
    window[k] = n / bins + (beside > 0);
    pads[2 * k] = (beside + 1) / 2;
    pads[2 * k + 1] = beside / 2;
  }
  front_set_ints(o, "ksize", window, 2);
  front_set_ints(o, "strides", window, 2);
  front_set_ints(o, "pads", pads, 4);
  if (mean)
    front_set_bool(o, "exclusive", false);
  weft_value *y = front_do(o, mean ? "AvgPoolV2" : "MaxPoolV3", x, NULL, NULL);
  weft_value *const dims[2] = {
      front_dim_list(o, x, 0),
      front_do(o, "Mul", front_dim_list(o, x, 1), front_list(o, (const int64_t[]){bins * bins}, 1), NULL)};
  return front_reshape(o, y, o->failed ? NULL : front_joined(o, dims, 2, 0));
}
static weft_status pyramid_build(weft__composing *c) {
  enum { MOST = 16 };
  const int64_t height = pools_int(c, "pyramid_height");
  const int64_t method = pools_int(c, "pool_method");
  weft_value *level[MOST];
  const int rank = front_rank_of(c->o, weft__composed(c, "x"));
  if (c->o->failed)
    return c->o->failed;
  if (rank != 4)
    return front_fail(c->o, WEFT_E_SHAPE, "input 'x' has rank %d, expected 4", rank);
  if (height < 1 || height > MOST || method < 0 || method > 1)
    return front_fail(
        c->o, WEFT_E_RANGE,
        "attributes 'pyramid_height' and 'pool_method' are %lld and %lld; expected 1 to %d, and 0 "
        "(the largest) or 1 (means)",
        (long long)height, (long long)method, MOST);
  for (int64_t l = 0; l < height && !c->o->failed; l++)
    level[l] = pyramid_level(c, INT64_C(1) << l, method == 1);
  weft__compose_name(c, "y", c->o->failed ? NULL : front_joined(c->o, level, (size_t)height, 1));
  return c->o->failed;
}

static weft_status argmax_3d_dtype(weft_infer *it) {
  it->out_dtype[0] = it->in_dtype[0];
  for (uint32_t i = 0; i < it->desc->n_attr; i++) {
    if (!strcmp(weft__attr_name(it->desc, i), "dtype"))
      it->out_dtype[1] = weft_node_int(it->desc, i) == 9 ? WEFT_INT64 : WEFT_INT32;
  }
  return WEFT_OK;
}

WEFT_ROWS(pools) = {
    COMPOSED_BY("MaxPool3D", "the largest of windows over three axes", max_3d_build,
                "f32[1,1,1,2,1]{1,4} ksize=[1,1,1,2,1] strides=[1,1,1,2,1] padding=\"VALID\" -> "
                "f32[1,1,1,1,1]{4}",
                "f32[1,1,1,2,1] ksize=[1,1,1,0,1] strides=[1,1,1,2,1] padding=\"VALID\" !! E_RANGE ksize"),
    COMPOSED_BY("AvgPool3D", "means of windows over three axes", avg_3d_build,
                "f32[1,1,1,2,1]{1,4} ksize=[1,1,1,2,1] strides=[1,1,1,2,1] pads=[0,0,0,0,0,0] -> "
                "f32[1,1,1,1,1]{2.5}"),
    COMPOSED_BY("AvgPool3DD", "means of windows over three axes", avg_3d_build,
                "f32[1,1,1,2,1]{1,4} ksize=[1,1,1,2,1] strides=[1,1,1,2,1] pads=[0,0,0,0,0,0] -> "
                "f32[1,1,1,1,1]{2.5}"),
    COMPOSED_READS_BY("MaxPoolV2", "the largest of windows whose sizes are inputs", "ksize,strides",
                      max_v2_build,
                      "f16[1,2,2,1]{1,4,3,2}, i32[4]{1,2,2,1}, i32[4]{1,2,2,1} padding=\"VALID\" -> "
                      "f16[1,1,1,1]{4}"),
    COMPOSED_BY("Pooling", "Caffe's pools", caffe_build,
                "f32[1,1,1,3]{1,4,2} window=[1,2] stride=[1,2] -> f32[1,1,1,2]{4,2}",
                "f32[1,1,1,3] mode=2 !! E_UNSUPPORTED attribute 'mode'"),
    COMPOSED_BY("SPP", "Caffe's pyramid of pools, all levels in one row", pyramid_build,
                "f32[1,1,3,3]{1,2,3,4,5,6,7,8,9} pyramid_height=2 -> f32[1,5]{9,1,3,7,9}",
                "f32[1,1,2,3]{1,2,3,4,5,6} pyramid_height=2 pool_method=1 -> f32[1,5]{3.5,0.5,2.5,2,5.5}",
                "f16[N,3,8,8] pyramid_height=3 -> f16[N,63]", "f32[0,3,4,4] pyramid_height=2 -> f32[0,15]",
                "f32[1,1,2,3] pyramid_height=3 !! E_SHAPE axis 2 of input 'x' has 2 elements",
                "f32[1,1,2,3] pyramid_height=0 !! E_RANGE 1 to 16"),
    {.name = "MaxPool3DWithArgmaxV2",
     .summary = "the largest of windows over three axes, and places in the channel",
     .traits = WEFT_SYMBOLIC,
     .infer = weft__composed_infer,
     .infer_dtype = argmax_3d_dtype,
     .ref = weft__composed_ref,
     .user = (&(const weft__composition){
         .text =
             "y, argmax = MaxPoolWithArgmaxV3(x, ksize=@ksize, strides=@strides, pads=@pads, dtype=@dtype, "
             "dilation=@dilation, ceil_mode=@ceil_mode, data_format=@data_format)"}),
     .examples = WEFT_EXAMPLES("f32[1,1,1,1,2]{1,4} ksize=[1,1,2] strides=[1,1,2] pads=[0,0,0,0,0,0] -> "
                               "f32[1,1,1,1,1]{4}, i32[1,1,1,1,1]{1}")},
    {0},
};
// SPDX-License-Identifier: Apache-2.0
