// ops/data/unique.c - distinct values in order of first occurrence.   AscendIR Unique.
// idx says which one every element is. ONNX's Unique is UniqueWithCountsExt2. NaN equals NaN, 0 equals -0.
// How many there are is found at run time.
#include "lists.h"

enum { OUT_IDX };

static weft_status unique_infer(weft_infer *it) {
  WEFT_TRY(weft__unknown_dims(it, 0, 1));
  return weft__same(it, 1, 0);
}

static weft_status unique_infer_range(weft_infer *it) {  // R127-R130
  int64_t min;
  int64_t max;
  weft__range_elems(it, &min, &max);
  it->out_min[0]->rank = it->out_max[0]->rank = 1;
  it->out_min[0]->dim[0] = min > 0;
  it->out_max[0]->dim[0] = max;
  weft_shape_copy(it->out_min[1], it->in_min[0]);
  weft_shape_copy(it->out_max[1], it->in_max[0]);
  return WEFT_OK;
}

static int64_t unique_map(void *ctx, size_t i) {
  return (int64_t)((const weft_distinct *)ctx)->first[i];
}

static weft_status unique_execute(const weft_call *c) {
  const weft_tensor *x = c->in[0];
  const weft_shape *s = &x->layout.origin;
  weft_dtype t = weft_node_dtype(c->desc, OUT_IDX);
  weft_distinct u;
  WEFT_TRY(weft__distinct(c, x, true, 0, false, &u));
  weft_shape bound = {.rank = 1, .dim = {(weft_dim)u.n_lanes}};
  weft_shape found = {.rank = 1, .dim = {(weft_dim)u.n}};
  WEFT_TRY(weft__alloc_found(c, 0, x->dtype, &bound, &found));
  if (c->out[0])
    WEFT_TRY(weft__move(c, x, c->out[0], unique_map, &u, NULL));
  WEFT_TRY(weft__alloc_found(c, 1, t, s, s));
  if (c->out[1] && t == WEFT_INT32 && u.n > INT32_MAX)
    return weft_fail(c->d, WEFT_E_OVERFLOW, "%zu values do not fit int32", u.n);
  for (size_t i = 0; c->out[1] && i < u.n_lanes; i++)
    weft_store_i64(t, c->out[1]->data, i, (int64_t)u.id[i]);
  return WEFT_OK;
}

WEFT_OP(unique) = {
    WEFT_OP_HEAD,
    .name = "Unique",
    .summary = "distinct values in order of first occurrence",
    .in = PORTS({"x", "T"}),
    .out = PORTS({"y", "T"}, {"idx", "U"}),
    .types = TYPES({"T", WEFT_NUMBERS | WEFT_DT(BOOL) | WEFT_DT(STRING)},
                   {"U", WEFT_SET_INDEX, .from_attr = "out_idx"}),
    .attrs = ATTRS({"out_idx", "Type", "DT_INT32"}),
    .traits = WEFT_SYMBOLIC | WEFT_DATA_DEPENDENT,
    .infer = unique_infer,
    .infer_range = unique_infer_range,
    .execute = unique_execute,
    .examples = WEFT_EXAMPLES(
        "i32[4]{3,1,3,2} -> i32[3]{3,1,2}, i32[4]{0,1,0,2}",  // R349
        "f32[3]{5,5,5} out_idx=i64 -> f32[1]{5}, i64[3]{0,0,0}", "f32[0] -> f32[0], i32[0]",
        "f32[2,2]{1,nan,nan,1} -> f32[2]{1,nan}, i32[2,2]{0,1,1,0}", "f32[]{2} -> f32[1]{2}, i32[]{0}",
        "str[3]{\"b\",\"a\",\"b\"} -> str[2]{\"b\",\"a\"}, i32[3]{0,1,0}", "f32[-1,3] -> f32[-1], i32[-1,3]",
        "f32[?] -> f32[-1], i32[?]", "f32[N] -> f32[-1], i32[N]",
        "i32[8]{1,2,3,4,5,1,2,3} -> i32[5]{1,2,3,4,5}, i32[8]{0,1,2,3,4,0,1,2}",  // R126
        "c64[1] !! E_DTYPE input 'x'", "f32[2] out_idx=f32 !! E_DTYPE output 'idx'"),
};
// SPDX-License-Identifier: Apache-2.0
