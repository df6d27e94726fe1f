// ops/data/bitcast.c - the same bits read as another dtype.   AscendIR Bitcast, ONNX BitCast-26 for dtypes of
// the same size. A smaller dtype gives a new last axis with the parts of each element, lowest bytes first; a
// larger one takes the last axis, which must have as many elements as it has parts. Below a byte only the
// same size is taken; so it is with keep_dim true.
#include "op.h"

enum { TYPE, KEEP_DIM };
#define CASTABLE (WEFT_STORABLE & ~WEFT_DT(RESOURCE) & ~WEFT_DT(STRING))

static weft_status bitcast_infer(weft_infer *it) {
  const weft_shape *x = it->in[0];
  uint32_t from = weft_dtype_bits(it->in_dtype[0]);
  uint32_t to = weft_dtype_bits(weft_node_dtype(it->desc, TYPE));
  bool keep = weft_node_bool(it->desc, KEEP_DIM);
  weft_shape y;
  if (!to || !from || from == to)
    return weft__same(it, 0, 0);
  if (from % 8 || to % 8 || keep) {
    return weft_fail(it->d, WEFT_E_UNSUPPORTED, "attribute 'type': %s has %u bits, %s of the input has %u%s",
                     weft_dtype_name(weft_node_dtype(it->desc, TYPE)), to, weft_dtype_name(it->in_dtype[0]),
                     from, keep ? ", and keep_dim is true" : "");
  }
  if (weft_shape_is_unknown_rank(x))
    return weft__unknown_rank(it, 0);
  weft_shape_copy(&y, x);
  if (from > to) {
    if (x->rank == WEFT_MAX_RANK)
      return weft_fail(it->d, WEFT_E_LIMIT, "the result would have rank %d", WEFT_MAX_RANK + 1);
    y.dim[y.rank++] = from / to;
  } else {
    if (!x->rank)
      return weft_fail(it->d, WEFT_E_SHAPE, "input 'x': a scalar has no axis for the parts of %u bits", to);
    WEFT_TRY(weft__merge_dim(it, x->dim[x->rank - 1], to / from, "the last axis and the number of parts",
                             &y.dim[y.rank - 1]));
    y.rank--;
  }
  weft_shape_copy(it->out[0], &y);
  return WEFT_OK;
}

static weft_status bitcast_ref(const weft_call *c) {
  weft_tensor *y = c->out[0];
  if (y && y->bytes)
    memcpy(y->data, c->in[0]->data, WEFT_MIN(y->bytes, c->in[0]->bytes));
  return WEFT_OK;
}

WEFT_OP(bitcast) = {
    WEFT_OP_HEAD,
    .name = "Bitcast",
    .summary = "the same bits as another dtype",
    .in = PORTS({"x", NULL, CASTABLE}),
    .out = PORTS({"y", "T"}),
    .types = TYPES({"T", CASTABLE, .from_attr = "type"}),
    .attrs = ATTRS({"type", "Type", NULL}, {"keep_dim", "Bool", "false"}),
    .traits = WEFT_SYMBOLIC | WEFT_MONOTONE,
    .infer = bitcast_infer,
    .ref = bitcast_ref,
    .examples = WEFT_EXAMPLES("f32[2]{1,-2} type=i32 -> i32[2]{1065353216,-1073741824}",
                              "i32[2]{1,258} type=u8 -> u8[2,4]{1,0,0,0,2,1,0,0}",
                              "u16[2,2]{1,0,0,16256} type=f32 -> f32[2]{1.40129846e-45,1}",
                              "u4[3]{15,1,8} type=i4 -> i4[3]{-1,1,-8}", "f64[0,3] type=u64 -> u64[0,3]",
                              "f32[-1,4] type=u32 -> u32[-1,4]", "f32[?] type=u8 -> u8[?]",
                              "u8[3] type=i32 !! E_SHAPE 3 and 4 differ", "u8[] type=i16 !! E_SHAPE scalar",
                              "u8[2] type=i4 !! E_UNSUPPORTED attribute 'type': i4 has 4 bits",
                              "str[1]{\"a\"} type=u8 !! E_DTYPE input 'x'"),
};
// SPDX-License-Identifier: Apache-2.0
