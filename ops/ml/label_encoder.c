// ops/ml/label_encoder.c - y = values[i] where keys[i] is x, default_value where no key is.   ONNX
// (ai.onnx.ml) LabelEncoder-4, its keys and values as inputs. A NaN key is found by any NaN; of equal keys
// the last one counts.
#include "lookup.h"
#include "tensor/tensor.h"

enum { X, KEYS, VALUES, DEFAULT };

static weft_status label_encoder_infer(weft_infer *it) {
  weft_dim n;
  WEFT_TRY(weft__expect_rank(it, KEYS, 1, 1));
  WEFT_TRY(weft__expect_rank(it, VALUES, 1, 1));
  if (!weft_shape_is_unknown_rank(it->in[KEYS]) && !weft_shape_is_unknown_rank(it->in[VALUES])) {
    WEFT_TRY(weft__merge_dim(it, it->in[KEYS]->dim[0], it->in[VALUES]->dim[0],
                             "the lengths of 'keys' and 'values'", &n));
  }
  return weft__same(it, 0, X);
}

static int64_t label_encoder_found_at(void *ctx, size_t i) {
  return ((const int64_t *)ctx)[i];
}

static weft_status label_encoder_ref(const weft_call *c) {
  const weft_tensor *x = c->in[X];
  const weft_tensor *keys = c->in[KEYS];
  size_t n = weft__elems(&x->layout.origin);
  size_t n_keys = weft__elems(&keys->layout.origin);
  size_t bytes;
  void *space;
  if (!c->out[0])
    return WEFT_OK;
  if (n_keys != weft__elems(&c->in[VALUES]->layout.origin)) {
    return weft_fail(c->d, WEFT_E_SHAPE, "%zu keys and %zu values", n_keys,
                     weft__elems(&c->in[VALUES]->layout.origin));
  }
  if (weft__elems(&c->in[DEFAULT]->layout.origin) != 1) {
    return weft_fail(c->d, WEFT_E_SHAPE, "input 'default_value': expected one element, got %zu",
                     weft__elems(&c->in[DEFAULT]->layout.origin));
  }
  if (!weft_mul_size(n, sizeof(int64_t), &bytes))
    return weft_fail(c->d, WEFT_E_OVERFLOW, "%zu elements", n);
  WEFT_TRY(c->host->workspace(c, bytes, &space));
  int64_t *found = space;
  weft__lookup table;
  WEFT_TRY(weft__lookup_make(c, keys, &table));
  for (size_t i = 0; i < n; i++) {
    WEFT_TRY(weft__poll_at(c, i));
    WEFT_TRY(weft__lookup_find(&table, x, i, c->d, &found[i]));
  }
  return weft__move(c, c->in[VALUES], c->out[0], label_encoder_found_at, found, c->in[DEFAULT]);
}

#define LABELS WEFT_SET_INTEGER | WEFT_FLOATS | WEFT_DT(STRING) | WEFT_DT(BOOL)
WEFT_OP(label_encoder) = {
    WEFT_OP_HEAD,
    .name = "LabelEncoder",
    .summary = "replaces keys by values",
    .in = PORTS({"X", "K"}, {"keys", "K"}, {"values", "V"}, {"default_value", "V"}),
    .out = PORTS({"Y", "V"}),
    .types = TYPES({"K", LABELS}, {"V", LABELS}),
    .traits = WEFT_SYMBOLIC | WEFT_MONOTONE,
    .infer = label_encoder_infer,
    .ref = label_encoder_ref,
    .examples = WEFT_EXAMPLES(
        "str[3]{\"a\",\"d\",\"b\"}, str[2]{\"a\",\"b\"}, i64[2]{5,6}, i64[]{-1} -> i64[3]{5,-1,6}",
        "f32[1,3]{nan,1,0}, f32[3]{1,nan,1}, str[3]{\"x\",\"y\",\"z\"}, str[1]{\"?\"} -> "
        "str[1,3]{\"y\",\"z\",\"?\"}",
        "i16[]{7}, i16[1]{7}, f32[1]{0.5}, f32[]{0} -> f32[]{0.5}",
        "i64[2]{1,2}, i64[0], i64[0], i64[]{9} -> i64[2]{9,9}",
        "i64[0], i64[1]{1}, str[1]{\"a\"}, str[]{\"b\"} -> str[0]",
        "i64[-1,2], i64[3], f32[3], f32[] -> f32[-1,2]",
        "i64[1]{1}, i64[2]{1,2}, i64[1]{1}, i64[]{0} !! E_SHAPE the lengths of 'keys' and 'values': 2 and 1",
        "i64[1]{1}, i64[1]{1}, i64[1]{1}, i64[2]{0,0} !! E_SHAPE input 'default_value'",
        "i64[1]{1}, f32[1]{1}, i64[1]{1}, i64[]{0} !! E_DTYPE input 'keys'"),
};
// SPDX-License-Identifier: Apache-2.0
