// ops/losses/margin.c - how far labels lie over other classes: rows of classes, labels up to the first -1.
#include "air_slots.h"
#include "op.h"
#include "op/air_rows.h"

static bool margin_none(const weft_op_desc *n) {
  return !strcmp(weft_node_str(n, WEFT_SLOT_MULTILABEL_MARGIN_LOSS_REDUCTION), "none");
}
static weft_status margin_infer(weft_infer *it) {
  const weft_shape *x = it->in[0];
  WEFT_TRY(weft__expect_rank(it, 0, 1, 2));
  WEFT_TRY(weft__expect_rank(it, 1, 1, 2));
  it->out_dtype[0] = it->in_dtype[0];
  it->out_dtype[1] = WEFT_INT32;
  weft_shape_copy(it->out[1], it->in[1]);
  if (!margin_none(it->desc))
    weft_shape_copy(it->out[0], &(weft_shape){0});
  else if (weft_shape_is_unknown_rank(x))
    weft_shape_copy(it->out[0], x);
  else
    WEFT_TRY(weft_set_out_shape(it, 0, x->dim, x->rank - 1));
  if (weft_shape_is_unknown_rank(x) || weft_shape_is_unknown_rank(it->in[1]))
    return WEFT_OK;
  if (x->rank != it->in[1]->rank)
    return weft_fail(it->d, WEFT_E_SHAPE, "inputs 'x' and 'target' have ranks %u and %u", (unsigned)x->rank,
                     (unsigned)it->in[1]->rank);
  for (size_t i = 0; i < x->rank; i++) {
    weft_dim same;
    WEFT_TRY(weft__merge_dim(it, x->dim[i], it->in[1]->dim[i], "classes and targets", &same));
  }
  return WEFT_OK;
}

static weft_status margin_row(const weft_call *c, size_t row, size_t classes, int32_t *is, double *out) {
  const weft_tensor *x = c->in[0];
  const weft_tensor *target = c->in[1];
  size_t n = 0;
  double sum = 0;
  for (size_t i = 0; i < classes; i++)
    is[i] = 0;
  for (; n < classes; n++) {
    int64_t t = weft_load_i64(target->dtype, target->data, row * classes + n);
    if (t < 0)
      break;
    if (t >= (int64_t)classes)
      return weft_fail(c->d, WEFT_E_RANGE, "label %lld of row %zu is outside [0, %zu]", (long long)t, row,
                       classes - 1);
    is[t] = 1;
  }
  for (size_t k = 0; k < n; k++) {
    size_t t = (size_t)weft_load_i64(target->dtype, target->data, row * classes + k);
    double at = weft_load_f64(x->dtype, x->data, row * classes + t);
    for (size_t i = 0; i < classes; i++) {
      double gap = 1 - at + weft_load_f64(x->dtype, x->data, row * classes + i);
      if (!is[i] && gap > 0)  // a class that is NaN misses nothing, as in PyTorch
        sum += gap;
    }
  }
  *out = sum / (double)classes;
  return WEFT_OK;
}
static weft_status margin_ref(const weft_call *c) {
  const weft_shape *s = &c->in[0]->layout.origin;
  size_t classes = (size_t)s->dim[s->rank - 1];
  size_t rows = s->rank > 1 ? (size_t)s->dim[0] : 1;
  bool none = margin_none(c->desc);
  double all = 0;
  void *is;
  WEFT_TRY(c->host->workspace(c, ((rows ? classes : 0) + 1) * sizeof(int32_t), &is));
  for (size_t r = 0; r < rows && (classes || none); r++) {
    double v = 0;
    WEFT_TRY(weft__call_poll(c));
    if (classes)
      WEFT_TRY(margin_row(c, r, classes, is, &v));
    all += v;
    if (none && c->out[0])
      weft_store_f64(c->out[0]->dtype, c->out[0]->data, r, v);
    if (c->out[1] && classes)
      memcpy((int32_t *)c->out[1]->data + r * classes, is, classes * sizeof(int32_t));
  }
  bool mean = !strcmp(weft_node_str(c->desc, WEFT_SLOT_MULTILABEL_MARGIN_LOSS_REDUCTION), "mean");
  if (!none && c->out[0])
    weft_store_f64(c->out[0]->dtype, c->out[0]->data, 0, mean ? all / (double)rows : all);
  return WEFT_OK;
}

// clang-format off
WEFT_ROWS(margin) = {
  {.name = "MultilabelMarginLoss", .summary = "what other classes have over labels less 1",
       .traits = WEFT_SYMBOLIC, .infer = margin_infer, .ref = margin_ref,
   .examples = WEFT_EXAMPLES("f32[1,2]{1,0.5}, i32[1,2]{0,-1} -> f32[]{0.25}, i32[1,2]{1,0}",
   "f32[1,3]{1,nan,0.75}, i32[1,3]{0,-1,1} -> f32[]{0.25}, i32[1,3]{1,0,0}",
   "f32[N,4], i32[N,4] reduction=\"none\" -> f32[N], i32[N,4]",
                             "f32[1,2]{1,0.5}, i32[1,2]{2,-1} !! E_RANGE label 2")},
  {0},
};
// SPDX-License-Identifier: Apache-2.0
