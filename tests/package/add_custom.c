// add_custom.c - AddCustom: z = x + y on fp16, fp32 and int32, ND (R14-R24, R43, R346). Three columns; mixed
// ones are refused (R19). Shapes must agree: broadcasting is not declared (R347). A blocked operator with a
// tiling function.
#include "documents.h"

static weft_status infer_shape(weft_infer *it) {
  const weft_shape *x = it->in[0];
  const weft_shape *y = it->in[1];
  if (weft_unknown_rank(x))
    return documents_same_shape(it, 0, 1);
  if (weft_unknown_rank(y))
    return documents_same_shape(it, 0, 0);
  if (x->rank != y->rank) {
    return it->host->fail(it->d, WEFT_E_SHAPE, "inputs 'x' and 'y': ranks %zu and %zu differ", x->rank,
                          y->rank);
  }
  weft_dim dims[WEFT_MAX_RANK];
  for (size_t i = 0; i < x->rank; i++) {
    if (x->dim[i] >= 0 && y->dim[i] >= 0 && x->dim[i] != y->dim[i]) {
      return it->host->fail(it->d, WEFT_E_SHAPE,
                            "inputs 'x' and 'y': dim %zu is %lld and %lld, no broadcasting", i,
                            (long long)x->dim[i], (long long)y->dim[i]);
    }
    dims[i] = x->dim[i] >= 0 ? x->dim[i] : y->dim[i];
  }
  return weft_set_out_shape(it, 0, dims, x->rank);
}

static weft_status infer_dtype(weft_infer *it) {
  return weft_set_out_dtype(it, 0, weft_in_dtype(it, 0));
}

typedef struct tiling {
  uint64_t elems, blocks;
} tiling;

static weft_status tile(weft_tiling *t) {
  tiling data = {documents_elems(&t->in[0]->origin), 1};
  if (t->data_cap < sizeof data) {
    return t->host->fail(t->d, WEFT_E_LIMIT, "tiling data: %zu bytes, room for %zu", sizeof data,
                         t->data_cap);
  }
  memcpy(t->data, &data, sizeof data);
  t->data_bytes = sizeof data;
  t->blocks = 1;
  return WEFT_OK;
}

static weft_status ref(const weft_call *c) {
  weft_dtype t = c->in[0]->dtype;
  const void *x = c->in[0]->data;
  const void *y = c->in[1]->data;
  void *z = c->out[0]->data;
  size_t n = documents_elems(&c->in[0]->layout.origin);
  for (size_t i = 0; i < n; i++) {
    if (t == WEFT_INT32)
      ((uint32_t *)z)[i] = ((const uint32_t *)x)[i] + ((const uint32_t *)y)[i];
    else
      documents_store(t, z, i, documents_load(t, x, i) + documents_load(t, y, i));
  }
  return WEFT_OK;
}

static const weft_column columns[] = {{WEFT_FLOAT16, WEFT_ND}, {WEFT_FLOAT, WEFT_ND}, {WEFT_INT32, WEFT_ND}};

const weft_op documents_add_custom = {
    WEFT_OP_HEAD,
    .name = "AddCustom",
    .summary = "z = x + y for equal shapes",
    .in = WEFT_PORTS({"x", .columns = columns}, {"y", .columns = columns}),
    .out = WEFT_PORTS({"z", .columns = columns}),
    .n_columns = 3,
    .traits = WEFT_MONOTONE | WEFT_ELEMENTWISE | WEFT_COMMUTATIVE | WEFT_INPLACE | WEFT_TILED,
    .infer = infer_shape,
    .infer_dtype = infer_dtype,
    .ref = ref,
    .tile = tile,
    .kernel = "add_custom",
    .targets = WEFT_NAMES("cpu", "ascendxxx"),
    .examples = WEFT_NAMES(
        "i32[2]{1,2}, i32[2]{3,4} -> i32[2]{4,6}",  // R346
        "i32[1]{2147483647}, i32[1]{1} -> i32[1]{-2147483648}",
        "f32[2]{0.1,16777216}, f32[2]{0.2,1} -> f32[2]{0.3,16777216} ~1e-7",
        "f16[4]{2048,2048,65504,-1}, f16[4]{1,3,16,0.0001220703125} -> f16[4]{2048,2052,inf,-1}",  // ties to
                                                                                                   // even
        "f16[8,2048], f16[8,2048] -> f16[8,2048]",                                                 // R1
        "f32[2,3], f32[2,3] -> f32[2,3]", "f32[-1,3], f32[5,3] -> f32[5,3]",                       // R347
        "f32[?], f32[5,3] -> f32[5,3]", "f32[0,3]{}, f32[0,3]{} -> f32[0,3]{}",
        "f32[2,3], f32[3,2] !! E_SHAPE dim 0 is 2 and 3", "f32[2,3], f32[3] !! E_SHAPE ranks 2 and 1",
        "f16[2,3], f32[2,3] !! E_DTYPE input 'y': got DT_FLOAT",  // R3, R19
        "i8[2], i8[2] !! E_DTYPE input 'x': got DT_INT8"),        // R17
};
// SPDX-License-Identifier: Apache-2.0
