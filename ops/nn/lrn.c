// ops/nn/lrn.c - y = x / (bias + alpha * sum of x^2 over neighbouring channels) ^ beta.   AscendIR LRN, ONNX
// LRN-13. The neighbours of channel c are c - depth_radius .. c + depth_radius. With weft's `size` > 0 they
// are ONNX's instead, c - floor((size - 1) / 2) .. c + ceil((size - 1) / 2), and alpha is divided by size.
// weft: `data_format` "" takes the channels from the format of x: the last axis, or axis 1 for NCHW and
// NCDHW. NaN reaches its neighbours.
#include "arrays.h"
#include "nn/lrn.rule.h"
#include "norm.h"

static size_t lrn_axis_of(const weft_op_desc *n, weft_format f, size_t rank) {
  const char *data_format = weft_node_str(n, WEFT_SLOT_LRN_DATA_FORMAT);
  if (data_format && *data_format)
    return weft__channel_axis(data_format, rank);
  f = weft_format_primary(f);
  return f == WEFT_NCHW || f == WEFT_NCDHW ? 1 : rank - 1;
}

static weft_status lrn_infer(weft_infer *it) {
  WEFT_TRY(weft__expect_rank(it, 0, 2, WEFT_MAX_RANK));
  it->out_format[0] = it->in_format[0];
  return weft__same(it, 0, 0);
}

static weft_status lrn_lane(const weft_call *c, double *v, size_t n, const void *ctx) {
  size_t work = 0;
  const weft_lrn_rule *p = ctx;
  double *squares = v + n;
  for (size_t k = 0; k < n; k++)
    squares[k] = v[k] * v[k];
  for (size_t k = 0; k < n; k++) {
    size_t from = k > p->before ? k - p->before : 0;
    size_t to = p->after < n - k ? k + p->after + 1 : n;
    double sum = 0;
    WEFT_TRY(weft__poll_work(c, &work, to - from));
    for (size_t i = from; i < to; i++)
      sum += squares[i];
    v[k] /= pow(p->bias + p->alpha * sum, p->beta);
  }
  return WEFT_OK;
}

static weft_status lrn_ref(const weft_call *c) {
  const weft_tensor *x = c->in[0];
  const weft_shape *s = &x->layout.origin;
  if (!c->out[0])
    return WEFT_OK;
  const weft_lrn_rule p = weft__lrn_rule(c->desc);
  weft_lanes l;
  void *v;
  size_t words;
  size_t work = 0;
  weft__lanes_init(&l, s, UINT32_C(1) << lrn_axis_of(c->desc, x->format, s->rank));
  if (!weft_mul_size(l.elems, 2, &words))
    return weft_fail(c->d, WEFT_E_OVERFLOW, "%zu channels", l.elems);
  WEFT_TRY(weft__scratch(c, words, &v));
  for (size_t i = 0; i < l.n && l.elems; i++) {
    WEFT_TRY(weft__poll_work(c, &work, l.elems));
    weft__lane_load(&l, i, x->dtype, x->data, v);
    WEFT_TRY(lrn_lane(c, v, l.elems, &p));
    weft__lane_store(&l, i, x->dtype, c->out[0]->data, v);
  }
  return WEFT_OK;
}

WEFT_OP(lrn) = {
    WEFT_OP_HEAD,
    .name = "LRN",
    .summary = "normalisation by the squares of neighbouring channels",
    .in = PORTS({"x", "T"}),
    .out = PORTS({"y", "T"}),
    .types = TYPES({"T", WEFT_FLOATS}),
    .attrs = ATTRS({"depth_radius", "Int", "5", "min 0"}, {"bias", "Float", "1.0"}, {"alpha", "Float", "1.0"},
                   {"beta", "Float", "0.5"},
                   {"norm_region", "String", "\"ACROSS_CHANNELS\"", "one of ACROSS_CHANNELS"},
                   {"size", "Int", "0", "min 0", .ext = 1},
                   {"data_format", "String", "\"\"", "one of |NHWC|NCHW|NDHWC|NCDHW", .ext = 1}),
    .traits = WEFT_SYMBOLIC | WEFT_MONOTONE,
    .infer = lrn_infer,
    .ref = lrn_ref,
    .examples = WEFT_EXAMPLES(
        "f32[1,3]{1,2,2} depth_radius=1 bias=0.0 beta=1.0 -> f32[1,3]{0.2,0.22222222,0.25} ~1e-7",
        "f32[1,1,1,3]{1,2,2}@NHWC bias=0.0 -> f32[1,1,1,3]{0.33333334,0.6666667,0.6666667}@NHWC",
        "f32[1,3,1,1]{1,2,2}@NCHW bias=0.0 -> f32[1,3,1,1]{0.33333334,0.6666667,0.6666667}@NCHW",
        "f32[1,4,1]{1,2,2,1} size=2 bias=0.0 beta=1.0 alpha=2.0 data_format=\"NCHW\""
        " -> f32[1,4,1]{0.2,0.25,0.4,1}",
        "f32[1,3,1]{1,2,2} size=3 bias=0.0 beta=1.0 alpha=3.0 data_format=\"NCHW\""
        " -> f32[1,3,1]{0.2,0.22222222,0.25} ~1e-7",
        "f32[1,3]{nan,2,2} depth_radius=1 bias=1.0 beta=1.0 -> f32[1,3]{nan,nan,0.22222222} ~1e-7",
        "f64[1,2]{3,4} depth_radius=0 -> f64[1,2]{0.9486832980505138,0.9701425001453319} ~1e-15",
        "f16[0,3,4,4] -> f16[0,3,4,4]", "f32[-1,8] -> f32[-1,8]", "f32[3] !! E_SHAPE expected rank 2",
        "f32[1,3] depth_radius=-1 !! E_RANGE depth_radius must >= 0",
        "f32[1,3] norm_region=\"WITHIN_CHANNEL\" !! E_RANGE Invalid norm_region"),
};
// SPDX-License-Identifier: Apache-2.0
