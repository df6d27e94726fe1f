// map_signal.c - complex numbers and Fourier transforms, places of numbers among boundaries, sparse tensors
// and segments, boxes that do not overlap.
#include "base/allocated.h"
#include "frontend/tflite/tables.h"

// ---- complex numbers ----
static void signal_real(tl_op *o) {
  weft_value *x = tl_raw(o, 0);
  tl_give_raw(o, 0, front_complex_part(&o->b, x, 0));
}
static void signal_imag(tl_op *o) {
  weft_value *x = tl_raw(o, 0);
  tl_give_raw(o, 0, front_complex_part(&o->b, x, 1));
}
static void signal_size(tl_op *o) {
  tl_give_raw(o, 0, front_complex_abs(&o->b, tl_raw(o, 0)));
}

// Of the last two axes: cut or filled to the lengths, the last one by its first half.
static void signal_rfft2(tl_op *o) {
  front_op *b = &o->b;
  int64_t size[TL_MAX_NUMBERS];
  weft_value *x = tl_raw(o, 0);
  const size_t n = tl_known(o, 1, size);
  const int rank = front_rank_of(b, x);
  if (!b->failed && (rank < 2 || n != 2 || size[0] < 1 || size[1] < 1))
    front_fail(b, WEFT_E_SHAPE, "%zu lengths for a tensor of rank %d", n, rank);
  if (b->failed)
    return;
  x = front_complex_spread(b, x);
  x = front_dft(b, x, &(front_fourier){.axis = rank - 1, .n = size[1], .onesided = true});
  x = front_dft(b, x, &(front_fourier){.axis = rank - 2, .n = size[0]});
  tl_give_raw(o, 0, front_complex_made(b, x));
}

// ---- places and rows ----
static void signal_bucketize(tl_op *o) {
  front_op *b = &o->b;
  flat_list l = flat_items(&o->m->file, &o->op->options, 0, 4);
  weft_value *x = tl_in(o, 0);
  if (!b->failed && o->m->file.failed)
    b->failed = o->m->file.failed;
  float *v = b->failed ? NULL : WEFT_NEW_N(&o->m->f.arena, float, l.n + 1);
  if (!b->failed)
    b->failed = weft__allocated(v, o->m->f.d);
  if (b->failed)
    return;
  for (size_t i = 0; i < l.n; i++)
    v[i] = flat_f32_at(&o->m->file, &l, i);
  front_set(b, "boundaries", weft_attr_floats(v, l.n));
  tl_give_raw(o, 0, front_do(b, "Bucketize", x, NULL, NULL));
}

// Elements at places, the default elsewhere.
static void signal_to_dense(tl_op *o) {
  front_op *b = &o->b;
  weft_value *in[4] = {tl_raw(o, 0), tl_raw(o, 1), tl_raw(o, 2), tl_raw(o, 3)};
  front_set_bool(b, "validate_indices", false);
  tl_give_raw(o, 0, b->failed ? NULL : front_emit(b, "SparseToDense", in, 4, NULL));
}

// scored: the scores come out, too. Where boxes lose of their scores (sigma), the interpreter still leaves
// out those that overlap too much, which no primitive does.
static void signal_boxes(tl_op *o, bool scored) {
  front_op *b = &o->b;
  weft_value *in[6];
  const weft_value *soft = scored ? tl_raw(o, 5) : NULL;
  double sigma;
  if (!b->failed && scored && (!front_known_number(soft, &sigma) || sigma != 0))
    front_fail(b, WEFT_E_UNSUPPORTED, "soft_nms_sigma is not a constant 0");
  for (size_t i = 0; i < 5; i++)
    in[i] = tl_raw(o, i);
  in[5] = front_num(b, WEFT_FLOAT, 0);
  front_set_bool(b, "pad_to_max_output_size", true);
  front_set(b, "T", weft_attr_dtype(WEFT_FLOAT));
  weft_value *y = b->failed ? NULL : front_emit(b, "NonMaxSuppressionV5", in, 6, NULL);
  if (b->failed)
    return;
  tl_give_raw(o, 0, y);
  if (scored)
    tl_give_raw(o, 1, y + 1);
  tl_give_raw(o, scored ? 2 : 1, y + 2);
}
static void signal_boxes_v4(tl_op *o) {
  signal_boxes(o, false);
}
static void signal_boxes_v5(tl_op *o) {
  signal_boxes(o, true);
}

static const tl_row signal_rows[] = {
    {TL_BUCKETIZE, NULL, NULL, TL_RAW, 0, signal_bucketize},
    {TL_COMPLEX_ABS, NULL, NULL, TL_RAW, 0, signal_size},
    {TL_IMAG, NULL, NULL, TL_RAW, 0, signal_imag},
    {TL_MATRIX_DIAG, "MatrixDiag", NULL, TL_MOVE, 0, NULL},
    {TL_MATRIX_SET_DIAG, "MatrixSetDiag", NULL, TL_MOVE, 0, NULL},
    {TL_NON_MAX_SUPPRESSION_V4, NULL, NULL, TL_RAW, 0, signal_boxes_v4},
    {TL_NON_MAX_SUPPRESSION_V5, NULL, NULL, TL_RAW, 0, signal_boxes_v5},
    {TL_REAL, NULL, NULL, TL_RAW, 0, signal_real},
    {TL_RFFT2D, NULL, NULL, TL_RAW, 0, signal_rfft2},
    {TL_SEGMENT_SUM, "SegmentSum", NULL, TL_COMPUTE, 0, NULL},
    {TL_SPARSE_TO_DENSE, NULL, NULL, TL_RAW, 0, signal_to_dense},
};
const tl_rows tl_signal = TL_ROWS(signal_rows);
// SPDX-License-Identifier: Apache-2.0
