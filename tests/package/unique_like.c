// unique_like.c - UniqueLike: y = the distinct values of x in the order of their first occurrence, idx = the
// place in y of each element of x (R126-R130, R349). Class 3: the length of y comes from the data; the range
// bounds it.
#include "documents.h"

enum { OUT_IDX };

static weft_status infer(weft_infer *it) {
  weft_dim open = -1;
  it->out_dtype[0] = it->in_dtype[0];
  it->out_dtype[1] = weft_node_dtype(it->desc, OUT_IDX);
  WEFT_TRY(weft_set_out_shape(it, 0, &open, 1));
  return documents_same_shape(it, 1, 0);
}

// y: at least 1 when x has an element, at most all of them; idx: as x.
static weft_status infer_range(weft_infer *it) {
  const weft_shape *min = it->in_min[0];
  const weft_shape *max = it->in_max[0];
  int64_t least = 1;
  int64_t most = 1;
  if (weft_unknown_rank(min)) {
    least = 0;
    most = -1;
  }
  for (size_t i = 0; most != 0 && !weft_unknown_rank(min) && i < max->rank; i++) {
    if (min->dim[i] == 0)
      least = 0;
    if (max->dim[i] == 0)
      most = 0;
    else if (most > 0)
      most = max->dim[i] < 0 || most > INT64_MAX / max->dim[i] ? -1 : most * max->dim[i];
  }
  if (most == 0)
    least = 0;
  it->out_min[0]->rank = it->out_max[0]->rank = 1;
  it->out_min[0]->dim[0] = least;
  it->out_max[0]->dim[0] = most;
  *it->out_min[1] = *min;
  *it->out_max[1] = *max;
  return WEFT_OK;
}

// Fills y and idx; returns how many distinct values there are.
static size_t collect(const weft_call *c, size_t n, size_t bytes) {
  const char *x = c->in[0]->data;
  char *y = c->out[0]->data;
  size_t found = 0;
  for (size_t i = 0, k; i < n; i++) {
    for (k = 0; k < found && memcmp(y + k * bytes, x + i * bytes, bytes); k++)
      continue;
    if (k == found)
      memcpy(y + found++ * bytes, x + i * bytes, bytes);
    if (c->out[1]->dtype == WEFT_INT32)
      ((int32_t *)c->out[1]->data)[i] = (int32_t)k;
    else
      ((int64_t *)c->out[1]->data)[i] = (int64_t)k;
  }
  return found;
}

static weft_status execute(const weft_call *c) {
  const weft_host *h = c->host;
  const weft_shape *x = &c->in[0]->layout.origin;
  size_t n = documents_elems(x);
  weft_layout most = {.origin = {.rank = 1, .dim = {(weft_dim)n}}};
  weft_layout same = {.origin = *x, .storage = *x};
  most.storage = most.origin;
  if (!c->out[0] || !c->out[1])
    return h->fail(c->d, WEFT_E_UNSUPPORTED, "both outputs are needed");
  WEFT_TRY(h->out_alloc(c, 0, c->in[0]->dtype, &most, WEFT_ND));
  WEFT_TRY(h->out_alloc(c, 1, weft_node_dtype(c->desc, OUT_IDX), &same, WEFT_ND));
  most.origin.dim[0] = (weft_dim)collect(c, n, c->in[0]->dtype == WEFT_INT64 ? 8 : 4);
  return h->out_set_shape(c, 0, &most.origin);
}

const weft_op documents_unique_like = {
    WEFT_OP_HEAD,
    .name = "UniqueLike",
    .summary = "distinct values and where each element went",
    .in = WEFT_PORTS({"x", "T"}),
    .out = WEFT_PORTS({"y", "T"}, {"idx", "I"}),
    .types = WEFT_TYPES({"T", WEFT_DT(INT32) | WEFT_DT(INT64)},
                        {"I", WEFT_DT(INT32) | WEFT_DT(INT64), .from_attr = "out_idx"}),
    .attrs = WEFT_ATTRS({"out_idx", "Type", "DT_INT32"}),
    .traits = WEFT_DATA_DEPENDENT,
    .infer = infer,
    .infer_range = infer_range,
    .execute = execute,
    .examples =
        WEFT_NAMES("i32[4]{3,1,3,2} -> i32[3]{3,1,2}, i32[4]{0,1,0,2}",  // R349
                   "i64[3]{5,5,5} out_idx=i64 -> i64[1]{5}, i64[3]{0,0,0}", "i32[0]{} -> i32[0]{}, i32[0]{}",
                   "i32[2,2]{1,2,1,2} -> i32[2]{1,2}, i32[2,2]{0,1,0,1}", "i32[8] -> i32[-1], i32[8]",
                   "i32[3] out_idx=f32 !! E_DTYPE output 'idx'"),
};
// SPDX-License-Identifier: Apache-2.0
