// ops/data/embedding.c - rows of a table, by bags, and what their gradients add up to.   AscendIR
// EmbeddingBag, EmbeddingDenseGrad, EmbeddingDenseGradV2, as PyTorch computes them. A bag is a row of
// indices,
// or reaches from one offset to the next; it is summed, averaged or its maximum taken, without the padding
// index. Sums are in double.
#include "air_slots.h"
#include "op/air_rows.h"
#include "sparse.h"

enum { SUM, MEAN, MAX };

// ---- EmbeddingBag ----
enum { WEIGHT, INDICES, OFFSETS, SCALES };
enum { OUT_Y, OUT_BAG, OUT_SIZE, OUT_MAX };

static weft_status bag_mode(weft_diag *d, const weft_op_desc *n, int *out) {
  static const char *const names[] = {"sum", "mean", "max"};
  const char *mode = weft_node_str(n, WEFT_SLOT_EMBEDDING_BAG_MODE);
  for (*out = SUM; *out <= MAX; ++*out) {
    if (!strcmp(mode, names[*out]))
      return WEFT_OK;
  }
  return weft_fail(d, WEFT_E_INVALID, "attribute 'mode': '%s' is not sum, mean or max", mode);
}

// How many bags, and indices in all.
static weft_status bag_counts(weft_infer *it, weft_dim *bags, weft_dim *n) {
  const weft_shape *x = it->in[INDICES];
  const bool last = weft_node_bool(it->desc, WEFT_SLOT_EMBEDDING_BAG_INCLUDE_LAST_OFFSET);
  uint32_t at;
  *bags = *n = -1;
  const bool offsets = weft__has_in(it->desc, OFFSETS, &at);
  WEFT_TRY(weft__expect_rank(it, INDICES, 1, 2));
  if (weft_shape_is_unknown_rank(x))
    return WEFT_OK;
  *n = x->rank == 2 ? weft_dim_mul(it->symbols, x->dim[0], x->dim[1]) : x->dim[0];
  *bags = x->rank == 2 ? x->dim[0] : -1;
  if (offsets == (x->rank == 2))
    return weft_fail(it->d, WEFT_E_INVALID, "indices of rank %zu %s", (size_t)x->rank,
                     offsets ? "are bags by row, and take no offsets" : "need offsets");
  if (!offsets)
    return WEFT_OK;
  WEFT_TRY(weft__expect_rank(it, at, 1, 1));
  WEFT_TRY(weft__expect_dtype(it, at, INDICES));
  if (weft_shape_is_unknown_rank(it->in[at]))
    return WEFT_OK;
  const weft_dim have = it->in[at]->dim[0];
  if (have == 0 && last)
    return weft_fail(it->d, WEFT_E_SHAPE, "input 'offsets' has no elements, expected the last one at least");
  *bags = have == -1 || !last ? have : weft_dim_sub(it->symbols, have, 1);
  return WEFT_OK;
}

static weft_status bag_infer(weft_infer *it) {
  weft_dim bags;
  weft_dim n;
  int mode;
  uint32_t at;
  WEFT_TRY(bag_mode(it->d, it->desc, &mode));
  WEFT_TRY(weft__expect_rank(it, WEIGHT, 2, 2));
  WEFT_TRY(bag_counts(it, &bags, &n));
  const weft_dim width = weft_shape_is_unknown_rank(it->in[WEIGHT]) ? -1 : it->in[WEIGHT]->dim[1];
  if (weft__has_in(it->desc, SCALES, &at)) {
    if (mode != SUM)
      return weft_fail(it->d, WEFT_E_INVALID, "input 'per_sample_weights' goes with mode 'sum' only");
    if (!weft_shape_is_unknown_rank(it->in[at]) && !weft_shape_is_unknown_rank(it->in[INDICES]) &&
        it->in[at]->rank != it->in[INDICES]->rank)
      return weft_fail(it->d, WEFT_E_SHAPE, "input 'per_sample_weights' has another rank than 'indices'");
  }
  for (uint32_t i = OUT_BAG; i <= OUT_MAX; i++)
    it->out_dtype[i] = it->in_dtype[INDICES];
  WEFT_TRY(weft_set_out_shape(it, OUT_Y, (weft_dim[]){bags, width}, 2));
  WEFT_TRY(weft_set_out_shape(it, OUT_BAG, &n, 1));
  WEFT_TRY(weft_set_out_shape(it, OUT_SIZE, &bags, 1));
  return weft_set_out_shape(it, OUT_MAX, (weft_dim[]){bags, width}, mode == MAX ? 2 : 1);
}

typedef struct bags {
  const weft_call *c;
  const weft_tensor *table, *indices, *scales;
  size_t n, bags, width, rows;
  int64_t padding;
  int mode;
  double *sum;     // width
  int64_t *most;   // width: the index of the maximum
} bags;

// Where bag b begins; the offsets ascend from 0, and the last bag ends with the indices.
static weft_status bag_begin(const bags *s, size_t b, size_t *out) {
  uint32_t at;
  if (!weft__has_in(s->c->desc, OFFSETS, &at)) {
    *out = b * (size_t)s->indices->layout.origin.dim[1];
    return WEFT_OK;
  }
  const weft_tensor *t = s->c->in[at];
  const size_t have = weft__elems(&t->layout.origin);
  const int64_t v = b < have ? weft_load_i64(t->dtype, t->data, b) : (int64_t)s->n;
  const int64_t before = b && b <= have ? weft_load_i64(t->dtype, t->data, b - 1) : 0;
  if (v < before || (uint64_t)v > s->n || (!b && v))
    return weft_fail(s->c->d, WEFT_E_RANGE,
                     "input 'offsets', element %zu is %lld; offsets ascend from 0 to %zu", b, (long long)v,
                     s->n);
  *out = (size_t)v;
  return WEFT_OK;
}

static weft_status bag_add(const bags *s, size_t i, size_t *taken) {
  const int64_t row = weft_load_i64(s->indices->dtype, s->indices->data, i);
  if (row < 0 || (uint64_t)row >= s->rows)
    return weft_fail(s->c->d, WEFT_E_RANGE, "input 'indices', element %zu: %lld is outside [0, %zu)", i,
                     (long long)row, s->rows);
  if (row == s->padding)
    return WEFT_OK;
  const double scale = s->scales ? weft_load_f64(s->scales->dtype, s->scales->data, i) : 1;
  for (size_t k = 0; k < s->width; k++) {
    const double v = weft_load_f64(s->table->dtype, s->table->data, (size_t)row * s->width + k);
    const bool more = !*taken || v > s->sum[k] || isnan(v);
    if (s->mode == MAX && more)
      s->most[k] = row;
    s->sum[k] = s->mode == MAX ? (more ? v : s->sum[k]) : s->sum[k] + scale * v;
  }
  ++*taken;
  return WEFT_OK;
}

static void bag_put(weft_tensor *t, size_t i, int64_t v) {
  if (t)
    weft_store_i64(t->dtype, t->data, i, v);
}

static weft_status bag_one(const bags *s, size_t b) {
  weft_tensor *const *out = s->c->out;
  size_t from;
  size_t to;
  size_t taken = 0;
  size_t work = 0;
  WEFT_TRY(bag_begin(s, b, &from));
  WEFT_TRY(bag_begin(s, b + 1, &to));
  for (size_t k = 0; k < s->width; k++) {
    s->sum[k] = 0;
    s->most[k] = 0;
  }
  for (size_t i = from; i < to; i++) {
    WEFT_TRY(weft__poll_work(s->c, &work, 1 + s->width));
    WEFT_TRY(bag_add(s, i, &taken));
    bag_put(out[OUT_BAG], i, (int64_t)b);
  }
  for (size_t k = 0; k < s->width; k++) {
    const double v = s->mode == MEAN && taken ? s->sum[k] / (double)taken : s->sum[k];
    if (out[OUT_Y])
      weft_store_f64(out[OUT_Y]->dtype, out[OUT_Y]->data, b * s->width + k, v);
    if (s->mode == MAX)
      bag_put(out[OUT_MAX], b * s->width + k, s->most[k]);
  }
  bag_put(out[OUT_SIZE], b, (int64_t)taken);
  if (s->mode != MAX)
    bag_put(out[OUT_MAX], b, 0);
  return WEFT_OK;
}

static weft_status bag_ref(const weft_call *c) {
  const weft_shape *x = &c->in[WEIGHT]->layout.origin;
  bags s = {.c = c, .table = c->in[WEIGHT], .indices = c->in[INDICES], .rows = (size_t)x->dim[0]};
  void *space;
  uint32_t at;
  s.width = (size_t)x->dim[1];
  s.n = weft__elems(&s.indices->layout.origin);
  s.padding = weft_node_int(c->desc, WEFT_SLOT_EMBEDDING_BAG_PADDING_IDX);
  WEFT_TRY(bag_mode(c->d, c->desc, &s.mode));
  s.bags = s.indices->layout.origin.rank == 2 ? (size_t)s.indices->layout.origin.dim[0] : 0;
  if (weft__has_in(c->desc, OFFSETS, &at))
    s.bags = (size_t)c->in[at]->layout.origin.dim[0] -
             weft_node_bool(c->desc, WEFT_SLOT_EMBEDDING_BAG_INCLUDE_LAST_OFFSET);
  s.scales = weft__has_in(c->desc, SCALES, &at) ? c->in[at] : NULL;
  if (s.scales && weft__elems(&s.scales->layout.origin) != s.n)
    return weft_fail(c->d, WEFT_E_SHAPE, "%zu weights for %zu indices", weft__elems(&s.scales->layout.origin),
                     s.n);
  const size_t room = s.bags ? s.width : 0;  // without bags none is looked at
  WEFT_TRY(weft__scratch(c, room, &space));
  s.sum = space;
  WEFT_TRY(weft__scratch(c, room, &space));
  s.most = space;
  if (c->out[OUT_BAG])
    memset(c->out[OUT_BAG]->data, 0, c->out[OUT_BAG]->bytes);
  for (size_t b = 0; b < s.bags; b++) {
    WEFT_TRY(weft__poll_at(c, b));
    WEFT_TRY(bag_one(&s, b));
  }
  return WEFT_OK;
}

// ---- EmbeddingDenseGrad, V2: gradients added up by row of the table ----
enum { GRAD, GRAD_ROWS, GRAD_PLACES };

static weft_status dense_infer(weft_infer *it) {
  const int64_t rows = weft_node_int(it->desc, WEFT_SLOT_EMBEDDING_DENSE_GRAD_NUM_WEIGHTS);
  const weft_shape *g = it->in[GRAD];
  const weft_shape *x = it->in[GRAD_ROWS];
  weft_dim n = 1;
  weft_dim have = 1;
  if (rows < 0)
    return weft_fail(it->d, WEFT_E_RANGE, "attribute 'num_weights' is %lld", (long long)rows);
  WEFT_TRY(weft__expect_rank(it, GRAD, 1, WEFT_MAX_RANK));
  for (size_t i = 0; !weft_shape_is_unknown_rank(g) && i + 1 < g->rank; i++)
    n = weft_dim_mul(it->symbols, n, g->dim[i]);
  for (size_t i = 0; !weft_shape_is_unknown_rank(x) && i < x->rank; i++)
    have = weft_dim_mul(it->symbols, have, x->dim[i]);
  if (!weft_shape_is_unknown_rank(g) && !weft_shape_is_unknown_rank(x))
    WEFT_TRY(weft__merge_dim(it, n, have, "rows of the gradient and of indices", &n));
  if (it->n_in > GRAD_PLACES) {
    WEFT_TRY(weft__expect_rank(it, GRAD_ROWS, 1, 1));
    WEFT_TRY(weft__expect_rank(it, GRAD_PLACES, 1, 1));
    if (!weft_shape_is_unknown_rank(it->in[GRAD_PLACES]) && !weft_shape_is_unknown_rank(x))
      WEFT_TRY(weft__merge_dim(it, x->dim[0], it->in[GRAD_PLACES]->dim[0], "indices and their places", &n));
  }
  const weft_dim width = weft_shape_is_unknown_rank(g) ? -1 : g->dim[g->rank - 1];
  return weft_set_out_shape(it, 0, (weft_dim[]){rows, width}, 2);
}

typedef struct dense_grad {
  const weft_call *c;
  const weft_tensor *g, *rows;
  size_t n, width, table;
  int64_t padding;
  bool by_frequency;
  double *sum;
  size_t *times;  // by row
} dense_grad;

static weft_status dense_add(dense_grad *s, size_t i) {
  const int64_t row = weft_load_i64(s->rows->dtype, s->rows->data, i);
  size_t from = i;
  if (s->c->n_in > GRAD_PLACES) {
    const int64_t place = weft_load_i64(s->c->in[GRAD_PLACES]->dtype, s->c->in[GRAD_PLACES]->data, i);
    if (place < 0 || (uint64_t)place >= s->n)
      return weft_fail(s->c->d, WEFT_E_RANGE, "input 'pos_idx', element %zu: %lld is outside [0, %zu)", i,
                       (long long)place, s->n);
    from = (size_t)place;
  }
  if (row < 0 || (uint64_t)row >= s->table)
    return weft_fail(s->c->d, WEFT_E_RANGE, "input '%s', element %zu: %lld is outside [0, %zu)",
                     weft__in_name(s->c->desc, GRAD_ROWS), i, (long long)row, s->table);
  if (row == s->padding)
    return WEFT_OK;
  s->times[row]++;
  for (size_t k = 0; k < s->width; k++)
    s->sum[(size_t)row * s->width + k] += weft_load_f64(s->g->dtype, s->g->data, from * s->width + k);
  return WEFT_OK;
}

static weft_status dense_ref(const weft_call *c) {
  weft_tensor *y = c->out[0];
  void *space;
  size_t work = 0;
  if (!y)
    return WEFT_OK;
  dense_grad s = {.c = c, .g = c->in[GRAD], .rows = c->in[GRAD_ROWS]};
  s.table = (size_t)y->layout.origin.dim[0];
  s.width = (size_t)y->layout.origin.dim[1];
  s.n = weft__elems(&s.rows->layout.origin);
  s.padding = weft_node_int(c->desc, WEFT_SLOT_EMBEDDING_DENSE_GRAD_PADDING_IDX);
  s.by_frequency = weft_node_bool(c->desc, WEFT_SLOT_EMBEDDING_DENSE_GRAD_SCALE_GRAD_BY_FREQ);
  WEFT_TRY(weft__scratch(c, s.table * s.width, &space));
  s.sum = space;
  memset(s.sum, 0, s.table * s.width * sizeof *s.sum);
  WEFT_TRY(weft__scratch(c, s.table, &space));
  s.times = space;
  memset(s.times, 0, s.table * sizeof *s.times);
  for (size_t i = 0; i < s.n; i++) {
    WEFT_TRY(weft__poll_work(c, &work, 1 + s.width));
    WEFT_TRY(dense_add(&s, i));
  }
  for (size_t i = 0; i < s.table * s.width; i++) {
    const size_t times = s.by_frequency ? s.times[i / s.width] : 1;
    WEFT_TRY(weft__poll_at(c, i));
    weft_store_f64(y->dtype, y->data, i, times ? s.sum[i] / (double)times : 0);
  }
  return WEFT_OK;
}

WEFT_ROWS(embedding) = {
    {"EmbeddingBag", "rows of a table, summed, averaged or their maximum taken, by bags",
        WEFT_SYMBOLIC, .infer = bag_infer, .ref = bag_ref,
     .examples = WEFT_EXAMPLES(
         "f32[3,2]{1,2,3,4,5,7}, i64[3]{0,2,1}, i64[2]{0,2} -> f32[2,2]{3,4.5,3,4}, i64[3]{0,0,1}, "
         "i64[2]{2,1}, "
         "i64[2]{0,0}",
         "f32[3,1]{1,3,5}, i32[2,2]{0,2,1,1}, _, f32[2,2]{1,10,2,3} mode=\"sum\" -> f32[2,1]{51,15}, "
         "i32[4]{0,0,1,1}, i32[2]{2,2}, i32[2]{0,0}",
         "f32[3,2]{1,9,3,4,5,7}, i64[3]{0,2,1}, i64[3]{0,2,3} mode=\"max\" include_last_offset=true "
         "padding_idx=1 -> f32[2,2]{5,9,0,0}, i64[3]{0,0,1}, i64[2]{2,0}, i64[2,2]{2,0,0,0}",
         "f32[-1,4], i64[N], i64[M] -> f32[M,4], i64[N], i64[M], i64[M]",
         "f32[3,2]{1,2,3,4,5,7}, i64[1]{3}, i64[1]{0} -> _, _, _, _ !! E_RANGE 3 is outside [0, 3)",
         "f32[3,2]{1,2,3,4,5,7}, i64[1]{1}, i64[2]{0,2} -> _, _, _, _ !! E_RANGE element 1 is 2",
         "f32[3,2], i64[1] -> _, _, _, _ !! E_INVALID need offsets")},
    {"EmbeddingDenseGrad", "gradients added up by row of the table",
        WEFT_SYMBOLIC, .infer = dense_infer, .ref = dense_ref,
     .examples = WEFT_EXAMPLES(
         "f32[3,2]{1,2,3,4,5,6}, i64[3]{1,0,1} num_weights=3 -> f32[3,2]{3,4,6,8,0,0}",
         "f32[1,3,1]{1,2,3}, i32[1,3]{1,0,1} num_weights=2 padding_idx=0 scale_grad_by_freq=true -> "
         "f32[2,1]{0,2}",
         "f32[N,4], i64[N] num_weights=3 -> f32[3,4]",
         "f32[1,1]{1}, i64[1]{3} num_weights=3 !! E_RANGE 3 is outside [0, 3)",
         "f32[2,1], i64[3] num_weights=3 !! E_SHAPE 2 and 3 differ")},
    {"EmbeddingDenseGradV2", "gradients added up by row of the table, indices sorted beforehand",
        WEFT_SYMBOLIC, .infer = dense_infer, .ref = dense_ref,
     .examples = WEFT_EXAMPLES(
         "f32[3,1]{1,2,4}, i32[3]{0,1,1}, i32[3]{1,0,2} num_weights=3 -> f32[3,1]{2,5,0}",
         "f32[1,1]{1}, i32[1]{0}, i32[1]{1} num_weights=3 !! E_RANGE 1 is outside [0, 1)")},
    {0},
};
// SPDX-License-Identifier: Apache-2.0
