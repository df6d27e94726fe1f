// ops/ml/zip_map.c - a map from keys to the elements of each row, as a sequence of maps.   ONNX (ai.onnx.ml)
// ZipMap-1, its class labels as an input; X [C] is one row. A probability of a class is then found by the
// class's name.
#include "maps.h"

enum { X, KEYS };

static weft_status zip_map_infer(weft_infer *it) {
  const weft_shape *x = it->in[X];
  const weft_shape *keys = it->in[KEYS];
  WEFT_TRY(weft__expect_rank(it, X, 1, 2));
  WEFT_TRY(weft__expect_rank(it, KEYS, 1, 1));
  bool known = !weft_shape_is_unknown_rank(x);
  weft_dim n = weft_shape_is_unknown_rank(keys) ? -1 : keys->dim[0];
  weft_dim rows = -1;
  if (known) {
    rows = x->rank == 1 ? 1 : x->dim[0];
    WEFT_TRY(weft__merge_dim(it, x->dim[x->rank - 1], n, "the columns of 'X' and the number of 'keys'", &n));
  }
  return weft_set_out_shape(it, 0, (weft_dim[2]){rows, n}, 2);
}

static weft_status zip_map_ref(const weft_call *c) {
  const weft_tensor *x = c->in[X];
  const weft_shape *s = &x->layout.origin;
  if (!c->out[0])
    return WEFT_OK;
  size_t n = weft__elems(&c->in[KEYS]->layout.origin);
  size_t bytes = weft__elem_bytes(x->dtype) * weft__elems(s);
  weft_dim dims[2] = {s->rank == 1 ? 1 : s->dim[0], s->dim[s->rank - 1]};
  if ((size_t)dims[1] != n)
    return weft_fail(c->d, WEFT_E_SHAPE, "input 'X' has %lld columns for %zu keys", (long long)dims[1], n);
  WEFT_TRY(weft__items_make(c, c->out[0], WEFT_KIND_MAPS, x->dtype, 2));
  WEFT_TRY(weft_tensor_copy(c->out[0]->items[0], c->in[KEYS], c->d));
  WEFT_TRY(weft_tensor_alloc(c->out[0]->items[1], x->dtype, dims, 2, c->d));
  if (bytes)
    memcpy(c->out[0]->items[1]->data, x->data, bytes);
  return WEFT_OK;
}

WEFT_OP(zip_map) = {
    WEFT_OP_HEAD,
    .name = "ZipMap",
    .summary = "rows as maps from keys to elements",
    .in = PORTS({"X", "T"}, {"keys", NULL, WEFT_DT(INT64) | WEFT_DT(STRING)}),
    .out = PORTS({"Z", "T", .kinds = WEFT_KINDS_MAPS}),
    .types = TYPES({"T", WEFT_DT(FLOAT) | WEFT_DT(DOUBLE)}),
    .traits = WEFT_SYMBOLIC,
    .infer = zip_map_infer,
    .ref = zip_map_ref,
    .examples = WEFT_EXAMPLES(
        "f32[2,2]{1,2,3,4}, i64[2]{7,8} -> maps(i64[2]{7,8},f32[2,2]{1,2,3,4})",
        "f32[2]{1,2}, str[2]{\"a\",\"b\"} -> maps(str[2]{\"a\",\"b\"},f32[1,2]{1,2})",
        "f32[0,1], str[1]{\"a\"} -> maps(str[1]{\"a\"},f32[0,1])",
        "f64[1,1]{0.5}, i64[1]{0} -> maps(i64[1]{0},f64[1,1]{0.5})",
        "f32[2,3], i64[2]{7,8} !! E_SHAPE the columns of 'X' and the number of 'keys': 3 and 2",
        "f32[1,1,1], i64[1]{7} !! E_SHAPE expected rank 1 to 2"),
};
// SPDX-License-Identifier: Apache-2.0
