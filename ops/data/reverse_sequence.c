// ops/data/reverse_sequence.c - leading parts reversed.   AscendIR ReverseSequence, ONNX ReverseSequence-10.
// In every batch, the first seq_lengths[b] elements along seq_dim. Lengths are checked: [0, size of seq_dim].
#include "dims_move.h"

enum { SEQ_DIM, BATCH_DIM };

static weft_status reverse_sequence_dims_of(weft_diag *d, const weft_op_desc *n, size_t rank, size_t *seq,
                                            size_t *batch) {
  WEFT_TRY(weft__axis(d, "attribute 'seq_dim'", weft_node_int(n, SEQ_DIM), rank, seq));
  WEFT_TRY(weft__axis(d, "attribute 'batch_dim'", weft_node_int(n, BATCH_DIM), rank, batch));
  if (*seq == *batch)
    return weft_fail(d, WEFT_E_INVALID, "attributes 'seq_dim' and 'batch_dim' are both %zu", *seq);
  return WEFT_OK;
}

static weft_status reverse_sequence_infer(weft_infer *it) {
  size_t seq;
  size_t batch;
  weft_dim any;
  WEFT_TRY(weft__expect_rank(it, 1, 1, 1));
  if (!weft_shape_is_unknown_rank(it->in[0])) {
    WEFT_TRY(reverse_sequence_dims_of(it->d, it->desc, it->in[0]->rank, &seq, &batch));
    if (!weft_shape_is_unknown_rank(it->in[1])) {
      WEFT_TRY(weft__merge_dim(it, it->in[0]->dim[batch], it->in[1]->dim[0],
                               "the batch dim and the elements of 'seq_lengths'", &any));
    }
  }
  return weft__same(it, 0, 0);
}

typedef struct sequences {
  const weft_tensor *lengths;
  size_t seq_step, seq, batch_step, batch;
} sequences;

static int64_t reverse_sequence_map(void *ctx, size_t i) {
  const sequences *s = ctx;
  size_t at = i / s->seq_step % s->seq;
  size_t b = i / s->batch_step % s->batch;
  size_t n = (size_t)weft_load_i64(s->lengths->dtype, s->lengths->data, b);
  return (int64_t)(at < n ? i - at * s->seq_step + (n - 1 - at) * s->seq_step : i);
}

static weft_status reverse_sequence_ref(const weft_call *c) {
  const weft_shape *x = &c->in[0]->layout.origin;
  sequences s = {.lengths = c->in[1]};
  size_t seq;
  size_t batch;
  if (!c->out[0])
    return WEFT_OK;
  WEFT_TRY(reverse_sequence_dims_of(c->d, c->desc, x->rank, &seq, &batch));
  s.seq = (size_t)x->dim[seq];
  s.batch = (size_t)x->dim[batch];
  s.seq_step = weft__prod(x, seq + 1, x->rank);
  s.batch_step = weft__prod(x, batch + 1, x->rank);
  for (size_t b = 0; b < s.batch; b++) {
    int64_t n = weft_load_i64(s.lengths->dtype, s.lengths->data, b);
    if (n < 0 || n > x->dim[seq]) {
      return weft_fail(c->d, WEFT_E_RANGE, "input 'seq_lengths': element %zu is %lld, outside [0, %lld]", b,
                       (long long)n, (long long)x->dim[seq]);
    }
  }
  return weft__move(c, c->in[0], c->out[0], reverse_sequence_map, &s, NULL);
}

WEFT_OP(reverse_sequence) = {
    WEFT_OP_HEAD,
    .name = "ReverseSequence",
    .summary = "leading parts of sequences in reverse order",
    .in = PORTS({"x", "T"}, {"seq_lengths", NULL, WEFT_SET_INDEX}),
    .out = PORTS({"y", "T"}),
    .types = TYPES({"T", WEFT_STORABLE}),
    .attrs = ATTRS({"seq_dim", "Int", NULL}, {"batch_dim", "Int", "0"}),
    .traits = WEFT_SYMBOLIC | WEFT_KEEP_FORMAT,
    .infer = reverse_sequence_infer,
    .ref = reverse_sequence_ref,
    .examples = WEFT_EXAMPLES(
        "f32[2,3]{1,2,3,4,5,6}, i64[2]{2,3} seq_dim=1 -> f32[2,3]{2,1,3,6,5,4}",
        "f32[3,2]{1,2,3,4,5,6}, i32[2]{3,0} seq_dim=0 batch_dim=1 -> f32[3,2]{5,2,3,4,1,6}",
        "f32[0,3], i32[0] seq_dim=1 -> f32[0,3]", "f32[N,-1], i32[N] seq_dim=1 -> f32[N,-1]",
        "f32[1,2]{1,2}, i32[1]{3} seq_dim=1 !! E_RANGE element 0 is 3, outside [0, 2]",
        "f32[2,3], i32[3] seq_dim=1 !! E_SHAPE 2 and 3", "f32[2,3], i32[2] seq_dim=0 !! E_INVALID are both 0",
        "f32[2,3], i32[2] seq_dim=2 !! E_RANGE attribute 'seq_dim'"),
};
// SPDX-License-Identifier: Apache-2.0
