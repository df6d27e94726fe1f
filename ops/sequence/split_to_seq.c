// ops/sequence/split_to_seq.c - a tensor cut along an axis into a sequence.   ONNX SplitToSequence-24.
// Without `split`: slices of length 1, whose axis keepdims=false removes. A scalar split: chunks of that
// length, the last may be shorter. A list: the chunks' lengths, which must add up. AscendIR's SplitToSequence
// gives a RESOURCE handle.
#include "dims_move.h"
#include "items.h"

enum { X, SPLIT };
enum { AXIS, KEEPDIMS };

static weft_status split_to_seq_infer(weft_infer *it) {
  const weft_shape *s = it->in[X];
  weft_shape_copy(it->out[0], s);
  if (weft_shape_is_unknown_rank(s))
    return WEFT_OK;
  size_t axis;
  WEFT_TRY(weft__axis(it->d, "attribute 'axis'", weft_node_int(it->desc, AXIS), s->rank, &axis));
  weft_shape *out = it->out[0];
  if (it->n_in == 1) {
    out->dim[axis] = 1;
    if (weft_node_bool(it->desc, KEEPDIMS))
      return WEFT_OK;
    for (size_t i = axis; i + 1 < out->rank; i++)
      out->dim[i] = out->dim[i + 1];
    out->rank--;
    return WEFT_OK;
  }
  int64_t lengths[WEFT_FRAME_ELEMS];
  int64_t n;
  bool known;
  out->dim[axis] = -1;
  if (it->value[SPLIT]->data && weft_tensor_elems(it->value[SPLIT]) > WEFT_FRAME_ELEMS)
    return WEFT_OK;
  WEFT_TRY(weft__in_ints(it, SPLIT, lengths, WEFT_COUNT(lengths), &n, &known));
  if (!known || !n || weft_shape_is_unknown_rank(it->in[SPLIT]))
    return WEFT_OK;
  if (!it->in[SPLIT]->rank && weft__is_literal(lengths[0]) && lengths[0] < 1)
    return weft_fail(it->d, WEFT_E_RANGE, "input 'split': chunks of length %lld", (long long)lengths[0]);
  if (lengths[0] < 0)
    return WEFT_OK;
  bool even = it->in[SPLIT]->rank || (lengths[0] > 0 && s->dim[axis] >= 0 && s->dim[axis] % lengths[0] == 0);
  for (int64_t i = 1; i < n; i++)
    even &= lengths[i] == lengths[0];
  if (even)
    out->dim[axis] = lengths[0];
  return WEFT_OK;
}

static weft_status chunks(const weft_call *c, int64_t length, size_t *out_n, int64_t *out_chunk) {
  const weft_tensor *split = c->n_in > SPLIT ? c->in[SPLIT] : NULL;
  *out_chunk = 1;
  *out_n = (size_t)length;
  if (!split)
    return WEFT_OK;
  size_t n = weft__elems(&split->layout.origin);
  if (split->layout.origin.rank > 1) {
    return weft_fail(c->d, WEFT_E_SHAPE, "input 'split': expected rank 0 or 1, got %zu",
                     split->layout.origin.rank);
  }
  if (!split->layout.origin.rank) {
    *out_chunk = weft_load_i64(split->dtype, split->data, 0);
    if (*out_chunk < 1)
      return weft_fail(c->d, WEFT_E_RANGE, "input 'split': chunks of length %lld", (long long)*out_chunk);
    *out_n = (size_t)(length / *out_chunk + (length % *out_chunk != 0));
    return WEFT_OK;
  }
  int64_t sum = 0;
  for (size_t i = 0; i < n; i++) {
    int64_t v = weft_load_i64(split->dtype, split->data, i);
    if (v < 0)
      return weft_fail(c->d, WEFT_E_RANGE, "input 'split': element %zu is %lld", i, (long long)v);
    if (!weft__add_i64(sum, v, &sum))
      sum = -1;
    if (sum < 0)
      break;
  }
  if (sum != length) {
    return weft_fail(c->d, WEFT_E_SHAPE, "input 'split': the lengths add up to %lld, the axis has %lld",
                     (long long)sum, (long long)length);
  }
  *out_n = n;
  *out_chunk = 0;
  return WEFT_OK;
}

static weft_status split_to_seq_ref(const weft_call *c) {
  const weft_tensor *x = c->in[X];
  size_t axis;
  size_t n;
  int64_t chunk;
  int64_t at = 0;
  WEFT_TRY(weft__axis(c->d, "attribute 'axis'", weft_node_int(c->desc, AXIS), x->layout.origin.rank, &axis));
  int64_t length = x->layout.origin.dim[axis];
  WEFT_TRY(chunks(c, length, &n, &chunk));
  if (!c->out[0])
    return WEFT_OK;
  bool drop = c->n_in == 1 && !weft_node_bool(c->desc, KEEPDIMS);
  WEFT_TRY(weft__items_make(c, c->out[0], WEFT_KIND_SEQUENCE, x->dtype, n));
  for (size_t i = 0; i < n; i++) {
    WEFT_TRY(weft__poll_at(c, i << 6));
    int64_t count =
        chunk ? WEFT_MIN(chunk, length - at) : weft_load_i64(c->in[SPLIT]->dtype, c->in[SPLIT]->data, i);
    WEFT_TRY(weft__item_slice(c, x, axis, at, count, drop, c->out[0]->items[i]));
    at += count;
  }
  return WEFT_OK;
}

WEFT_OP(split_to_seq) = {
    WEFT_OP_HEAD,
    .name = "SplitToSeq",
    .summary = "a tensor cut along an axis into a sequence",
    .in = PORTS({"input", "T"},
                {"split", NULL, WEFT_SET_INDEX, .kind = WEFT_OPTIONAL, .value = WEFT_VALUE_INFER}),
    .out = PORTS({"output_sequence", "T", .kinds = WEFT_KINDS_SEQUENCE}),
    .types = TYPES({"T", WEFT_ANY}),
    .attrs = ATTRS({"axis", "Int", "0"}, {"keepdims", "Bool", "true"}),
    .traits = WEFT_SYMBOLIC,
    .infer = split_to_seq_infer,
    .ref = split_to_seq_ref,
    .examples = WEFT_EXAMPLES(
        "f32[2,2]{1,2,3,4} -> seq(f32[1,2]{1,2},f32[1,2]{3,4})",
        "f32[2,2]{1,2,3,4} axis=-1 keepdims=false -> seq(f32[2]{1,3},f32[2]{2,4})",
        "i32[5]{1,2,3,4,5}, i64[]{2} -> seq(i32[2]{1,2},i32[2]{3,4},i32[1]{5})",
        "i32[5]{1,2,3,4,5}, i64[2]{2,3} keepdims=false -> seq(i32[2]{1,2},i32[3]{3,4,5})",
        "str[2]{\"a\",\"b\"} -> seq(str[1]{\"a\"},str[1]{\"b\"})", "f32[0,3] -> seq(f32)",
        "f32[-1,4] -> seq(f32)", "f32[3]{1,2,3}, i64[2]{1,1} !! E_SHAPE add up to 2",
        "f32[3]{1,2,3}, i64[]{0} !! E_RANGE input 'split'",
        "f32[3]{1,2,3} axis=1 !! E_RANGE attribute 'axis'", "f32[]{1} !! E_RANGE attribute 'axis'"),
};
// SPDX-License-Identifier: Apache-2.0
