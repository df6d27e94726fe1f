// my_op.c - MyOp of the article's complete registration: y has x's shape (R63); block_size and precision are
// for the tiling function, which writes two whole int64 {tile_size, n_tiles} and key 0 (R301-R304).
#include "documents.h"

enum { BLOCK_SIZE, PRECISION };

static weft_status infer(weft_infer *it) {
  return documents_same_shape(it, 0, 0);
}
static weft_status infer_dtype(weft_infer *it) {
  return weft_set_out_dtype(it, 0, weft_in_dtype(it, 0));
}

static weft_status tile(weft_tiling *t) {
  const int64_t *block = weft_node_int_at(t->desc, BLOCK_SIZE);
  const char *precision = weft_node_str(t->desc, PRECISION);
  if (!block || !precision)
    return t->host->fail(t->d, WEFT_E_MISSING, "attributes block_size and precision");
  int64_t n = (int64_t)documents_elems(&t->in[0]->origin);
  int64_t data[2] = {*block, n / *block + (n % *block != 0)};
  if (t->data_cap < sizeof data) {
    return t->host->fail(t->d, WEFT_E_LIMIT, "tiling data: %zu bytes, room for %zu", sizeof data,
                         t->data_cap);
  }
  memcpy(t->data, data, sizeof data);
  t->data_bytes = sizeof data;
  t->blocks = (uint32_t)data[1];
  t->key = 0;
  return WEFT_OK;
}

static weft_status ref(const weft_call *c) {
  if (c->out[0]->bytes)
    memcpy(c->out[0]->data, c->in[0]->data, c->out[0]->bytes);
  return WEFT_OK;
}

static const weft_column columns[] = {{WEFT_FLOAT16, WEFT_ND}, {WEFT_FLOAT, WEFT_ND}};

const weft_op documents_my_op = {
    WEFT_OP_HEAD,
    .name = "MyOp",
    .summary = "y = x, in blocks",
    .in = WEFT_PORTS({"x", .columns = columns}, {"w", .columns = columns}),
    .out = WEFT_PORTS({"y", .columns = columns}),
    .attrs = WEFT_ATTRS({"block_size", "Int", "32", "min 1"},
                        {"precision", "String", "\"high\"", "one of high|low"}),
    .n_columns = 2,
    .traits = WEFT_TILED,
    .infer = infer,
    .infer_dtype = infer_dtype,
    .ref = ref,
    .tile = tile,
    .targets = WEFT_NAMES("npusim"),
    .examples = WEFT_NAMES("f32[2,3,4,5], f32[1] -> f32[2,3,4,5]", "f16[2]{1,2}, f16[1]{3} -> f16[2]{1,2}",
                           "f32[1], f32[1] block_size=0 !! E_RANGE block_size must >= 1, got 0"),
};
// SPDX-License-Identifier: Apache-2.0
