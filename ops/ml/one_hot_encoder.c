// ops/ml/one_hot_encoder.c - Y[..., k] = 1 where X is categories[k], 0 elsewhere.   ONNX (ai.onnx.ml)
// OneHotEncoder-1, its categories as an input. Numbers are cut to integers, NaN is no category. zeros false:
// E_NOT_FOUND for an element that is none of them. Of equal categories the last one counts.
#include "lookup.h"
#include "op_slots.h"
#include "tensor/tensor.h"

enum { X, CATEGORIES };

static weft_status one_hot_encoder_infer(weft_infer *it) {
  const weft_shape *x = it->in[X];
  const weft_shape *k = it->in[CATEGORIES];
  weft_dim dims[WEFT_MAX_RANK];
  WEFT_TRY(weft__expect_rank(it, CATEGORIES, 1, 1));
  WEFT_TRY(weft__expect_rank(it, X, 0, WEFT_MAX_RANK - 1));
  if ((it->in_dtype[X] == WEFT_STRING) != (it->in_dtype[CATEGORIES] == WEFT_STRING)) {
    return weft_fail(it->d, WEFT_E_DTYPE, "input 'X' is %s, 'categories' %s",
                     weft_dtype_serial(it->in_dtype[X]), weft_dtype_serial(it->in_dtype[CATEGORIES]));
  }
  if (weft_shape_is_unknown_rank(x))
    return weft__unknown_rank(it, 0);
  for (size_t i = 0; i < x->rank; i++)
    dims[i] = x->dim[i];
  dims[x->rank] = weft_shape_is_unknown_rank(k) ? -1 : k->dim[0];
  return weft_set_out_shape(it, 0, dims, x->rank + 1);
}

// The category that element i is; -1: none.
static weft_status category(const weft_call *c, const weft__lookup *table, size_t i, int64_t *out) {
  const weft_tensor *x = c->in[X];
  *out = -1;
  if (x->dtype == WEFT_STRING)
    return weft__lookup_find(table, x, i, c->d, out);
  if (weft_dtype_is_float(x->dtype)) {
    double f = weft_load_f64(x->dtype, x->data, i);
    if (f > -9223372036854775808.0 && f < 9223372036854775808.0)
      *out = weft__lookup_int(table, (int64_t)f);
    return WEFT_OK;
  }
  *out = weft__lookup_int(table, weft_load_i64(x->dtype, x->data, i));
  return WEFT_OK;
}

static weft_status one_hot_encoder_ref(const weft_call *c) {
  size_t n = weft__elems(&c->in[X]->layout.origin);
  size_t k = weft__elems(&c->in[CATEGORIES]->layout.origin);
  bool zeros = weft_node_bool(c->desc, WEFT_SLOT_ONE_HOT_ENCODER_ZEROS);
  if (!c->out[0])
    return WEFT_OK;
  float *y = c->out[0]->data;
  weft__lookup table;
  WEFT_TRY(weft__lookup_make(c, c->in[CATEGORIES], &table));
  size_t work = 0;
  for (size_t i = 0; i < n; i++) {
    int64_t at;
    WEFT_TRY(weft__poll_work(c, &work, k + 4));
    WEFT_TRY(category(c, &table, i, &at));
    if (at < 0 && !zeros) {
      return weft_fail(c->d, WEFT_E_NOT_FOUND, "input 'X': element %zu is not one of the %zu categories", i,
                       k);
    }
    memset(y + i * k, 0, k * sizeof *y);
    if (at >= 0)
      y[i * k + (size_t)at] = 1;
  }
  return WEFT_OK;
}

WEFT_OP(one_hot_encoder) = {
    WEFT_OP_HEAD,
    .name = "OneHotEncoder",
    .summary = "categories as rows with a single one",
    .in = PORTS({"X", NULL, WEFT_DT(STRING) | WEFT_SET_INDEX | WEFT_DT(FLOAT) | WEFT_DT(DOUBLE)},
                {"categories", NULL, WEFT_DT(STRING) | WEFT_DT(INT64)}),
    .out = PORTS({"Y", NULL, WEFT_DT(FLOAT)}),
    .attrs = ATTRS({"zeros", "Bool", "true"}),
    .traits = WEFT_SYMBOLIC,
    .infer = one_hot_encoder_infer,
    .ref = one_hot_encoder_ref,
    .examples = WEFT_EXAMPLES(
        "i64[3]{2,9,1}, i64[2]{1,2} -> f32[3,2]{0,1,0,0,1,0}",
        "str[1,2]{\"b\",\"a\"}, str[2]{\"a\",\"b\"} -> f32[1,2,2]{0,1,1,0}",
        "f32[4]{1.9,nan,inf,-0.5}, i64[2]{1,0} -> f32[4,2]{1,0,0,0,0,0,0,1}",
        "i32[]{7}, i64[2]{7,7} -> f32[2]{0,1}", "i64[2,0], i64[3]{1,2,3} -> f32[2,0,3]",
        "i64[2]{1,2}, i64[0] -> f32[2,0]", "i64[2,-1], i64[3] -> f32[2,-1,3]", "i64[?], i64[3] -> f32[?]",
        "i64[2]{1,5}, i64[1]{1} zeros=false !! E_NOT_FOUND element 1 is not one of the 1 categories",
        "str[1]{\"a\"}, i64[1]{1} !! E_DTYPE input 'X' is DT_STRING, 'categories' DT_INT64"),
};
// SPDX-License-Identifier: Apache-2.0
