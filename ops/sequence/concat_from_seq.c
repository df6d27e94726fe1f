// ops/sequence/concat_from_seq.c - the tensors of a sequence joined along an axis; new_axis=true stacks them
// on a new one. ONNX ConcatFromSequence-11. An empty sequence is refused. AscendIR's ConcatFromSequence reads
// a RESOURCE handle.
#include "items.h"

enum { AXIS, NEW_AXIS };

static weft_status output_axis(weft_diag *d, const weft_op_desc *n, size_t rank, size_t *out) {
  return weft__axis(d, "attribute 'axis'", weft_node_int(n, AXIS), rank + weft_node_bool(n, NEW_AXIS), out);
}

static weft_status concat_from_seq_infer(weft_infer *it) {
  const weft_shape *s = it->in[0];
  size_t axis;
  if (weft_shape_is_unknown_rank(s))
    return weft__unknown_rank(it, 0);
  WEFT_TRY(output_axis(it->d, it->desc, s->rank, &axis));
  if (!weft_node_bool(it->desc, NEW_AXIS)) {
    weft_shape_copy(it->out[0], s);
    it->out[0]->dim[axis] = -1;
    return WEFT_OK;
  }
  WEFT_TRY(weft__unknown_dims(it, 0, s->rank + 1));
  for (size_t i = 0; i < s->rank; i++)
    it->out[0]->dim[i + (i >= axis)] = s->dim[i];
  return WEFT_OK;
}
static weft_status concat_from_seq_infer_range(weft_infer *it) {
  return weft__items_range(it, concat_from_seq_infer);
}

typedef struct join {
  size_t inner, from, count,
      total;  // elements behind the axis; this item's place along it; the axis of the output
} join;

// The items agree in every dim but `axis`; *out_length is the joined axis.
static weft_status check_items(const weft_call *c, size_t axis, int64_t *out_length) {
  const weft_tensor *seq = c->in[0];
  const weft_shape *first = &seq->items[0]->layout.origin;
  bool stack = weft_node_bool(c->desc, NEW_AXIS);
  *out_length = 0;
  for (size_t i = 0; i < seq->n_items; i++) {
    const weft_shape *s = &seq->items[i]->layout.origin;
    bool same = s->rank == first->rank;
    for (size_t k = 0; same && k < s->rank; k++)
      same = s->dim[k] == first->dim[k] || (k == axis && !stack);
    if (!same) {
      char a[256];
      char b[256];
      return weft_fail(c->d, WEFT_E_SHAPE, "item %zu has shape %s, which does not join %s along axis %zu", i,
                       weft_shape_text(s, NULL, a, sizeof a), weft_shape_text(first, NULL, b, sizeof b),
                       axis);
    }
    if (!weft__add_i64(*out_length, stack ? 1 : s->dim[axis], out_length))
      return weft_fail(c->d, WEFT_E_OVERFLOW, "the joined axis overflows");
  }
  return WEFT_OK;
}

static weft_status put_item(const weft_call *c, const weft_tensor *item, const join *j, weft_tensor *out) {
  size_t n = weft__elems(&item->layout.origin);
  for (size_t i = 0; i < n; i++) {
    WEFT_TRY(weft__poll_at(c, i));
    size_t rest = i % j->inner;
    size_t along = i / j->inner % j->count;
    size_t outer = i / j->inner / j->count;
    weft__copy_elem(item->dtype, out->data, (outer * j->total + j->from + along) * j->inner + rest,
                    item->data, i);
  }
  return WEFT_OK;
}

static weft_status put_strings(const weft_tensor *item, const join *j, const char **text, size_t *bytes,
                               weft_diag *d) {
  size_t n = weft__elems(&item->layout.origin);
  for (size_t i = 0; i < n; i++) {
    size_t rest = i % j->inner;
    size_t along = i / j->inner % j->count;
    size_t outer = i / j->inner / j->count;
    size_t at = (outer * j->total + j->from + along) * j->inner + rest;
    WEFT_TRY(weft_tensor_string(item, i, &text[at], &bytes[at], d));
  }
  return WEFT_OK;
}

static weft_status concat_from_seq_execute(const weft_call *c) {
  const weft_tensor *seq = c->in[0];
  weft_layout layout;
  size_t axis;
  size_t from = 0;
  size_t bytes;
  int64_t length;
  void *space = NULL;
  memset(&layout, 0, sizeof layout);
  if (!seq->n_items)
    return weft_fail(c->d, WEFT_E_INVALID, "input 'input_sequence' is empty: there is nothing to join");
  const weft_shape *s = &seq->items[0]->layout.origin;
  bool stack = weft_node_bool(c->desc, NEW_AXIS);
  bool strings = seq->item_dtype == WEFT_STRING;
  WEFT_TRY(output_axis(c->d, c->desc, s->rank, &axis));
  WEFT_TRY(check_items(c, axis, &length));
  if (!c->out[0])
    return WEFT_OK;
  weft_shape *out = &layout.origin;
  out->rank = s->rank + stack;
  if (out->rank > WEFT_MAX_RANK)
    return weft_fail(c->d, WEFT_E_LIMIT, "rank %zu is over the limit of %d", out->rank, WEFT_MAX_RANK);
  for (size_t i = 0; i < s->rank; i++)
    out->dim[i + (stack && i >= axis)] = s->dim[i];
  out->dim[axis] = length;
  weft_shape_copy(&layout.storage, out);
  WEFT_TRY(c->host->out_alloc(c, 0, seq->item_dtype, &layout, WEFT_ND));
  size_t n = weft__elems(out);
  if (!weft_mul_size(n, sizeof(char *) + sizeof(size_t), &bytes))
    return weft_fail(c->d, WEFT_E_OVERFLOW, "%zu strings", n);
  if (strings)
    WEFT_TRY(c->host->workspace(c, bytes, &space));
  const char **text = space;
  for (size_t i = 0; i < seq->n_items; i++) {
    join j = {weft__prod(out, axis + 1, out->rank), from,
              stack ? 1 : (size_t)seq->items[i]->layout.origin.dim[axis], (size_t)length};
    if (strings)
      WEFT_TRY(put_strings(seq->items[i], &j, text, (size_t *)(text + n), c->d));
    else
      WEFT_TRY(put_item(c, seq->items[i], &j, c->out[0]));
    from += j.count;
  }
  return strings ? weft__call_set_strings(c, c->out[0], out, text, (size_t *)(text + n)) : WEFT_OK;
}

WEFT_OP(concat_from_seq) = {
    WEFT_OP_HEAD,
    .name = "ConcatFromSeq",
    .summary = "the tensors of a sequence joined along an axis",
    .in = PORTS({"input_sequence", "T", .kinds = WEFT_KINDS_SEQUENCE}),
    .out = PORTS({"concat_result", "T"}),
    .types = TYPES({"T", WEFT_ANY}),
    .attrs = ATTRS({"axis", "Int", NULL}, {"new_axis", "Bool", "false"}),
    .traits = WEFT_SYMBOLIC | WEFT_DATA_DEPENDENT,
    .infer = concat_from_seq_infer,
    .infer_range = concat_from_seq_infer_range,
    .execute = concat_from_seq_execute,
    .examples = WEFT_EXAMPLES(
        "seq(f32[2]{1,2},f32[1]{3}) axis=0 -> f32[3]{1,2,3}",
        "seq(i32[2,1]{1,2},i32[2,2]{3,4,5,6}) axis=-1 -> i32[2,3]{1,3,4,2,5,6}",
        "seq(f32[2]{1,2},f32[2]{3,4}) axis=1 new_axis=true -> f32[2,2]{1,3,2,4}",
        "seq(i64[]{1},i64[]{2}) axis=0 new_axis=true -> i64[2]{1,2}",
        "seq(str[1]{\"a\"},str[2]{\"b\",\"c\"}) axis=0 -> str[3]{\"a\",\"b\",\"c\"}",
        "seq(i4[1]{-3},i4[2]{1,7}) axis=0 -> i4[3]{-3,1,7}", "seq(f32[0,2]) axis=0 -> f32[0,2]",
        "seq(f32[2,3],f32[2,3]) axis=1 -> f32[2,-1]", "seq(f32[2],f32[2]) axis=0 new_axis=true -> f32[-1,2]",
        "seq(f32) axis=0 !! E_INVALID empty", "seq(f32[1]{1},f32[1,1]{1}) axis=0 !! E_SHAPE item 1",
        "seq(f32[1]{1}) axis=1 !! E_RANGE attribute 'axis'"),
};
// SPDX-License-Identifier: Apache-2.0
