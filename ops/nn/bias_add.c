// ops/nn/bias_add.c - y = x + bias along the channels.   AscendIR BiasAdd.
// Channels are the last axis for NHWC and NDHWC, axis 1 otherwise. Integers wrap; floats are added in double
// and rounded.
#include "arrays.h"
#include "norm.h"

enum { DATA_FORMAT };

static weft_status bias_add_infer(weft_infer *it) {
  const weft_shape *x = it->in[0];
  bool ranked = !weft_shape_is_unknown_rank(x);
  weft_dim channels = -1;
  WEFT_TRY(weft__expect_rank(it, 0, 2, WEFT_MAX_RANK));
  size_t axis = ranked ? weft__channel_axis(weft_node_str(it->desc, DATA_FORMAT), x->rank) : 0;
  if (ranked)
    channels = x->dim[axis];
  WEFT_TRY(weft__channel_params(it, 1, 1, &channels));
  weft_shape_copy(it->out[0], x);
  if (ranked)
    it->out[0]->dim[axis] = channels;
  it->out_format[0] = it->in_format[0];
  return WEFT_OK;
}

static weft_status bias_add_ref(const weft_call *c) {
  const weft_tensor *x = c->in[0];
  const weft_tensor *b = c->in[1];
  const weft_shape *s = &x->layout.origin;
  weft_tensor *y = c->out[0];
  if (!y)
    return WEFT_OK;
  weft_dtype t = x->dtype;
  bool complex = weft_dtype_is_complex(t);
  bool real = weft_dtype_is_float(t);
  bool natural = weft__is_unsigned(t);
  size_t axis = weft__channel_axis(weft_node_str(c->desc, DATA_FORMAT), s->rank);
  size_t n = weft__elems(s);
  size_t inner = weft__prod(s, axis + 1, s->rank);
  size_t channels = (size_t)s->dim[axis];
  for (size_t i = 0; i < n; i++) {
    WEFT_TRY(weft__poll_at(c, i));
    size_t k = i / inner % channels;
    if (complex) {
      double p[2], q[2];
      weft__load_complex(t, x->data, i, p);
      weft__load_complex(t, b->data, k, q);
      p[0] += q[0];
      p[1] += q[1];
      weft__store_complex(t, y->data, i, p);
    } else if (real)
      weft_store_f64(t, y->data, i, weft_load_f64(t, x->data, i) + weft_load_f64(t, b->data, k));
    else if (natural)
      weft_store_u64(t, y->data, i, weft_load_u64(t, x->data, i) + weft_load_u64(t, b->data, k));
    else {
      weft_store_u64(t, y->data, i,
                     (uint64_t)weft_load_i64(t, x->data, i) + (uint64_t)weft_load_i64(t, b->data, k));
    }
  }
  return WEFT_OK;
}

WEFT_OP(bias_add) = {
    WEFT_OP_HEAD,
    .name = "BiasAdd",
    .summary = "x + bias along the channels",
    .in = PORTS({"x", "T"}, {"bias", "T"}),
    .out = PORTS({"y", "T"}),
    .types = TYPES({"T", WEFT_SET_NUMBER}),
    .attrs = ATTRS({"data_format", "String", "\"NHWC\"", "one of NHWC|NCHW|NDHWC|NCDHW"}),
    .traits = WEFT_SYMBOLIC | WEFT_MONOTONE,
    .infer = bias_add_infer,
    .ref = bias_add_ref,
    .examples = WEFT_EXAMPLES(
        "f32[2,2]{1,2,3,4}, f32[2]{10,20} -> f32[2,2]{11,22,13,24}",
        "f32[1,2,2]{1,2,3,4}, f32[2]{10,nan} data_format=\"NCHW\" -> f32[1,2,2]{11,12,nan,nan}",
        "i8[1,1]{127}, i8[1]{1} -> i8[1,1]{-128}", "u16[1,1]{65535}, u16[1]{2} -> u16[1,1]{1}",
        "c64[1,1]{(1,2)}, c64[1]{(3,4)} -> c64[1,1]{(4,6)}", "f16[0,3], f16[3] -> f16[0,3]",
        "f32[-1,-1], f32[3] -> f32[-1,3]",
        "f32[2,2], f32[3] !! E_SHAPE channels of input 'bias': 2 and 3 differ",
        "f32[2], f32[2] !! E_SHAPE expected rank 2", "f32[2,2], f32[2,1] !! E_SHAPE expected rank 1",
        "f32[2,2], f16[2] !! E_DTYPE input 'bias'"),
};
// SPDX-License-Identifier: Apache-2.0
