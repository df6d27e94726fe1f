// ops/data/bincount.c - how often small integers stand there.   AscendIR Bincount, DenseBincount,
// ConfusionMatrix, as TensorFlow computes them.
#include "arrays.h"
#include "op/air_rows.h"

typedef struct bincount {
  bool dense;  // may have rows; binary_output
} bincount;

static weft_status bincount_infer(weft_infer *it) {
  const bincount *b = it->desc->op->user;
  int64_t size[1];
  int64_t n;
  bool known;
  WEFT_TRY(weft__in_ints(it, 1, size, 1, &n, &known));
  bool there = known && n == 1 && size[0] != WEFT_DIM_INVALID;
  if (there && !weft_dim_is_symbol(size[0]) && size[0] < 0)
    return weft_fail(it->d, WEFT_E_RANGE, "input 'size' is %lld", (long long)size[0]);
  const weft_shape *x = it->in[0];
  if (b->dense)
    WEFT_TRY(weft__expect_rank(it, 0, 1, 2));
  if (b->dense && weft_shape_is_unknown_rank(x))
    return weft__unknown_rank(it, 0);
  bool rows = b->dense && x->rank == 2;
  weft_shape *y = it->out[0];
  y->rank = 1u + rows;
  y->dim[0] = rows ? x->dim[0] : -1;
  y->dim[y->rank - 1] = there ? size[0] : -1;
  return WEFT_OK;
}

static weft_status bincount_ref(const weft_call *c) {
  const bincount *b = c->desc->op->user;
  const weft_tensor *x = c->in[0];
  const weft_tensor *w = c->in[2];
  weft_tensor *y = c->out[0];
  size_t n = weft__elems(&x->layout.origin);
  size_t weights = weft__elems(&w->layout.origin);
  size_t all = weft__elems(&y->layout.origin);
  size_t bins = (size_t)y->layout.origin.dim[y->layout.origin.rank - 1];
  bool rows = y->layout.origin.rank == 2;
  size_t width = rows ? (size_t)x->layout.origin.dim[1] : n;
  bool binary = b->dense && weft_node_bool(c->desc, 0);
  void *space;
  if (weights && weights != n && !binary)
    return weft_fail(c->d, WEFT_E_SHAPE, "%zu weights for %zu numbers", weights, n);
  WEFT_TRY(weft__scratch(c, all + 1, &space));
  double *a = space;
  memset(a, 0, all * sizeof *a);
  for (size_t i = 0; i < n; i++) {
    int64_t v = weft_load_i64(x->dtype, x->data, i);
    WEFT_TRY(weft__poll_at(c, i));
    if (v < 0)
      return weft_fail(c->d, WEFT_E_RANGE, "element %zu is %lld, expected 0 or more", i, (long long)v);
    if ((uint64_t)v >= bins)
      continue;
    double *to = &a[(rows ? i / width : 0) * bins + (size_t)v];
    if (binary)  // weights may be of any number: nobody looks at them
      *to = 1;
    else
      *to += weights ? weft_load_f64(w->dtype, w->data, i) : 1;
  }
  for (size_t i = 0; i < all; i++)
    weft_store_f64(y->dtype, y->data, i, a[i]);
  return WEFT_OK;
}

// ---- labels against predictions ----
static weft_status confusion_infer(weft_infer *it) {
  int64_t n = weft_node_int(it->desc, 0);
  if (n < 1 || n > INT32_MAX)
    return weft_fail(it->d, WEFT_E_RANGE, "attribute 'num_classes' is %lld", (long long)n);
  static const struct {
    const char *name;
    weft_dtype t;
  } types[] = {{"int32", WEFT_INT32},     {"float32", WEFT_FLOAT}, {"float", WEFT_FLOAT},
               {"float16", WEFT_FLOAT16}, {"int8", WEFT_INT8},     {"uint8", WEFT_UINT8}};
  const char *want = weft_node_str(it->desc, 1);
  it->out_dtype[0] = WEFT_UNDEFINED;
  for (size_t i = 0; i < WEFT_COUNT(types); i++) {
    if (!strcmp(types[i].name, want))
      it->out_dtype[0] = types[i].t;
  }
  if (it->out_dtype[0] == WEFT_UNDEFINED)
    return weft_fail(it->d, WEFT_E_DTYPE,
                     "attribute 'dtype': '%s' is none of int32, float32, float16, int8, uint8", want);
  WEFT_TRY(weft__expect_rank(it, 0, 1, 1));
  WEFT_TRY(weft__expect_rank(it, 1, 1, 1));
  it->out[0]->rank = 2;
  it->out[0]->dim[0] = it->out[0]->dim[1] = n;
  return WEFT_OK;
}

static weft_status confusion_ref(const weft_call *c) {
  const weft_tensor *w = c->n_in > 2 ? c->in[2] : NULL;
  weft_tensor *y = c->out[0];
  size_t classes = (size_t)y->layout.origin.dim[0];
  size_t n = weft__elems(&c->in[0]->layout.origin);
  void *space;
  if (weft__elems(&c->in[1]->layout.origin) != n || (w && weft__elems(&w->layout.origin) != n))
    return weft_fail(c->d, WEFT_E_SHAPE, "labels, predictions and weights differ in their number");
  WEFT_TRY(weft__scratch(c, classes * classes, &space));
  double *a = space;
  memset(a, 0, classes * classes * sizeof *a);
  for (size_t i = 0; i < n; i++) {
    double row = weft_load_f64(c->in[0]->dtype, c->in[0]->data, i);
    double col = weft_load_f64(c->in[1]->dtype, c->in[1]->data, i);
    if (!(row >= 0 && row < (double)classes && col >= 0 && col < (double)classes))
      return weft_fail(c->d, WEFT_E_RANGE, "label %g or prediction %g is no class of %zu", row, col, classes);
    a[(size_t)row * classes + (size_t)col] += w ? weft_load_f64(w->dtype, w->data, i) : 1;
  }
  for (size_t i = 0; i < classes * classes; i++)
    weft_store_f64(y->dtype, y->data, i, a[i]);
  return WEFT_OK;
}

WEFT_ROWS(bincounts) = {
    {.name = "Bincount",
     .summary = "how often each small integer stands there, or the sum of its weights",
     .traits = WEFT_SYMBOLIC,
     .infer = bincount_infer,
     .ref = bincount_ref,
     .values = "size",
     .like = "weights",
     .user = &(const bincount){false},
     .examples = WEFT_EXAMPLES("i32[3]{1,1,0}, i32[]{3}, f32[0] -> f32[3]{1,2,0}")},
    {.name = "DenseBincount",
     .summary = "how often each small integer stands there, or the sum of its weights",
     .traits = WEFT_SYMBOLIC,
     .infer = bincount_infer,
     .ref = bincount_ref,
     .values = "size",
     .like = "weights",
     .user = &(const bincount){true},
     .examples = WEFT_EXAMPLES("i32[3]{1,1,0}, i32[]{3}, f32[3]{2,3,4} -> f32[3]{4,5,0}",
                               "i32[3]{1,1,0}, i32[]{3}, f32[1]{2} binary_output=true -> f32[3]{1,1,0}",
                               "i32[3]{1,1,0}, i32[]{3}, f32[1]{2} !! E_SHAPE 1 weights for 3 numbers")},
    {.name = "ConfusionMatrix",
     .summary = "how often each label was predicted as each class",
     .traits = WEFT_SYMBOLIC,
     .infer = confusion_infer,
     .ref = confusion_ref,
     .examples =
         WEFT_EXAMPLES("i32[3]{0,1,1}, i32[3]{0,0,1} num_classes=2 dtype=\"int32\" -> i32[2,2]{1,0,1,1}")},
    {0},
};
// SPDX-License-Identifier: Apache-2.0
