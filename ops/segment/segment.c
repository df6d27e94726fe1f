// ops/segment/segment.c - slices of x summed (multiplied, averaged, the largest or smallest taken) by the
// segment that segment_ids name.   AscendIR Segment*, UnsortedSegment*, SparseSegment*, as TensorFlow
// computes them. Sorted: ids ascend from 0, and the last one says how many segments there are; a segment
// without slices is 0, in a product 1. Unsorted: num_segments says it, ids below 0 are left out, and a
// segment without slices is what the operation begins with. Sparse: slice i is row indices[i] of x. Floats
// are computed in double and rounded once.
#include "arrays.h"
#include "gather.h"
#include "op/air_rows.h"

enum { SUM, MEAN, PROD, MAX, MIN };
enum { SORTED, SORTED_D, UNSORTED, UNSORTED_D, SPARSE };
typedef struct segment {
  uint8_t op, form;
} segment;

static const segment *segment_of(const weft_op_desc *n) {
  return n->op->user;
}

static weft_status segment_after(const weft_infer *it, int64_t last, weft_dim *out) {
  if (last == INT64_MAX)
    return weft_fail(it->d, WEFT_E_RANGE, "the last segment has the number %lld", (long long)last);
  *out = last + 1;
  return WEFT_OK;
}
// How many segments there are: -1, not known.
static weft_status segment_count(const weft_infer *it, const segment *s, weft_dim *out) {
  int64_t last[1];
  int64_t n;
  bool known;
  *out = -1;
  if (s->form == SORTED_D) {
    const weft_attr *ids = it->desc->attr[0];
    WEFT_TRY(segment_after(it, ids->n ? ids->u.ints[ids->n - 1] : -1, out));
  } else if (s->form == UNSORTED_D) {
    *out = weft_node_int(it->desc, 0);
  } else if (s->form == UNSORTED) {
    WEFT_TRY(weft__in_ints(it, 2, last, 1, &n, &known));
    *out = known && n == 1 ? last[0] : -1;
    if (known && n == 1 && last[0] < 0 && !weft_dim_is_symbol(last[0]) && last[0] != WEFT_DIM_INVALID)
      return weft_fail(it->d, WEFT_E_RANGE, "input 'num_segments' is %lld", (long long)last[0]);
    if (*out == WEFT_DIM_INVALID)
      *out = -1;
  } else {
    const weft_tensor *ids = it->value[s->form == SPARSE ? 2 : 1];
    size_t have = ids->data ? weft__elems(&ids->layout.origin) : 0;
    if (ids->data)
      WEFT_TRY(segment_after(it, have ? weft_load_i64(ids->dtype, ids->data, have - 1) : -1, out));
  }
  if (*out < -1 && !weft_dim_is_symbol(*out))
    return weft_fail(it->d, WEFT_E_RANGE, "%lld segments", (long long)*out);
  return WEFT_OK;
}

static weft_status segment_infer(weft_infer *it) {
  const segment *s = segment_of(it->desc);
  const weft_shape *x = it->in[0];
  weft_dim n;
  size_t skip = 1;
  WEFT_TRY(segment_count(it, s, &n));
  if (s->form == UNSORTED || s->form == UNSORTED_D) {
    if (weft_shape_is_unknown_rank(it->in[1]))
      return weft__unknown_rank(it, 0);
    skip = it->in[1]->rank;
  }
  if (s->form == SORTED || s->form == SPARSE)
    WEFT_TRY(weft__expect_rank(it, 1, 1, 1));
  if (s->form == SPARSE)
    WEFT_TRY(weft__expect_rank(it, 2, 1, 1));
  WEFT_TRY(weft__expect_rank(it, 0, WEFT_MAX(skip, s->form == UNSORTED || s->form == UNSORTED_D ? 0 : 1),
                             WEFT_MAX_RANK));
  if (weft_shape_is_unknown_rank(x))
    return weft__unknown_rank(it, 0);
  for (size_t i = 0;
       s->form != SPARSE && s->form != SORTED_D && i < skip && !weft_shape_is_unknown_rank(it->in[1]); i++) {
    weft_dim same;
    WEFT_TRY(weft__merge_dim(it, x->dim[i], it->in[1]->dim[i], "a dim of x and of segment_ids", &same));
  }
  if (1 + x->rank - skip > WEFT_MAX_RANK)
    return weft_fail(it->d, WEFT_E_LIMIT, "rank %zu", 1 + x->rank - skip);
  weft_shape *y = it->out[0];
  y->rank = 1 + x->rank - skip;
  y->dim[0] = n;
  for (size_t i = skip; i < x->rank; i++)
    y->dim[1 + i - skip] = x->dim[i];
  return WEFT_OK;
}

// ---- computing ----
typedef struct slices {
  const weft_call *c;
  const segment *s;
  size_t n, inner, out;  // slices; elements of one; segments
  const int64_t *id;     // of each slice; -1: left out
  const int64_t *row;    // of x
  size_t *count;         // per segment
} slices;

static double begin_f64(const segment *s, bool empty) {
  bool unsorted = s->form == UNSORTED || s->form == UNSORTED_D;
  if (s->op == PROD)
    return 1;
  if (s->op == SUM || s->op == MEAN || (empty && !unsorted))
    return 0;
  return s->op == MAX ? -INFINITY : INFINITY;
}

// What an unsorted segment without slices has: the least or greatest number of the dtype.
static double most_of(weft_dtype t, bool least) {
  double most = t == WEFT_FLOAT16 ? 65504
                : t == WEFT_BF16  ? 3.3895313892515355e38
                : t == WEFT_FLOAT ? 3.4028234663852886e38
                                  : 1.7976931348623157e308;
  return least ? -most : most;
}

static weft_status segment_f64(const slices *v) {
  const weft_tensor *x = v->c->in[0];
  weft_tensor *y = v->c->out[0];
  const int op = v->s->op;
  bool unsorted = v->s->form == UNSORTED || v->s->form == UNSORTED_D;
  void *space;
  size_t work = 0;
  WEFT_TRY(weft__scratch(v->c, v->out * v->inner, &space));
  double *a = space;
  for (size_t i = 0; i < v->out * v->inner; i++)
    a[i] = begin_f64(v->s, v->count[i / v->inner] == 0);
  for (size_t i = 0; i < v->n; i++) {
    WEFT_TRY(weft__poll_work(v->c, &work, v->inner + 4));
    for (size_t k = 0; v->id[i] >= 0 && k < v->inner; k++) {
      double *to = &a[(size_t)v->id[i] * v->inner + k];
      double e = weft_load_f64(x->dtype, x->data, (size_t)v->row[i] * v->inner + k);
      if (op == SUM || op == MEAN)
        *to += e;
      else if (op == PROD)
        *to *= e;
      else
        *to = isnan(*to) || isnan(e) ? NAN : op == MAX ? fmax(*to, e) : fmin(*to, e);
    }
  }
  for (size_t i = 0; i < v->out * v->inner; i++) {
    size_t n = v->count[i / v->inner];
    if (op == MEAN && n)
      a[i] /= (double)n;
    if (!n && unsorted && op >= MAX)
      a[i] = most_of(y->dtype, op == MAX);
    weft_store_f64(y->dtype, y->data, i, a[i]);
  }
  return WEFT_OK;
}

static int64_t int_begin(weft_dtype t, const segment *s, bool empty) {
  bool unsorted = s->form == UNSORTED || s->form == UNSORTED_D;
  int bits = (int)weft_dtype_bits(t);
  bool natural = weft__is_unsigned(t);
  if (s->op == PROD)
    return 1;
  if (s->op < MAX || (empty && !unsorted))
    return 0;
  if (natural)
    return s->op == MAX ? 0 : (int64_t)(bits == 64 ? UINT64_MAX : (UINT64_C(1) << bits) - 1);
  return s->op == MAX ? (int64_t)(UINT64_MAX << (bits - 1)) : (int64_t)((UINT64_C(1) << (bits - 1)) - 1);
}

static weft_status segment_int(const slices *v) {
  const weft_tensor *x = v->c->in[0];
  weft_tensor *y = v->c->out[0];
  const int op = v->s->op;
  bool natural = weft__is_unsigned(x->dtype);
  void *space;
  size_t work = 0;
  WEFT_TRY(weft__scratch(v->c, v->out * v->inner, &space));
  uint64_t *a = space;
  for (size_t i = 0; i < v->out * v->inner; i++)
    a[i] = (uint64_t)int_begin(x->dtype, v->s, v->count[i / v->inner] == 0);
  for (size_t i = 0; i < v->n; i++) {
    WEFT_TRY(weft__poll_work(v->c, &work, v->inner + 4));
    for (size_t k = 0; v->id[i] >= 0 && k < v->inner; k++) {
      size_t at = (size_t)v->row[i] * v->inner + k;
      uint64_t *to = &a[(size_t)v->id[i] * v->inner + k];
      uint64_t e =
          natural ? weft_load_u64(x->dtype, x->data, at) : (uint64_t)weft_load_i64(x->dtype, x->data, at);
      bool less = natural ? e < *to : (int64_t)e < (int64_t)*to;
      if (op == SUM || op == MEAN)
        *to += e;
      else if (op == PROD)
        *to *= e;
      else if (less == (op == MIN))
        *to = e;
    }
  }
  for (size_t i = 0; i < v->out * v->inner; i++) {
    size_t n = v->count[i / v->inner];
    if (op == MEAN && n)
      a[i] = natural ? a[i] / n : (uint64_t)((int64_t)a[i] / (int64_t)n);
    if (natural)
      weft_store_u64(y->dtype, y->data, i, a[i]);
    else
      weft_store_i64(y->dtype, y->data, i, (int64_t)a[i]);
  }
  return WEFT_OK;
}

// Ids, checked; and the rows that they belong to.
static weft_status segment_ids(const weft_call *c, slices *v, int64_t *id, int64_t *row) {
  const segment *s = v->s;
  uint32_t at = s->form == SPARSE ? 2 : 1;
  const weft_attr *listed = s->form == SORTED_D ? c->desc->attr[0] : NULL;
  bool sorted = s->form != UNSORTED && s->form != UNSORTED_D;
  int64_t rows = s->form == SPARSE ? c->in[0]->layout.origin.dim[0] : 0;
  for (size_t i = 0; i < v->n; i++) {
    id[i] = listed ? listed->u.ints[i] : weft_load_i64(c->in[at]->dtype, c->in[at]->data, i);
    row[i] = (int64_t)i;
    if (s->form == SPARSE)
      WEFT_TRY(weft__checked_index(c, 1, i, rows, false, &row[i]));
    bool descends = sorted && (id[i] < 0 || (i && id[i] < id[i - 1]));
    if (descends || id[i] >= (int64_t)v->out) {
      return weft_fail(c->d, WEFT_E_RANGE, "segment id %zu is %lld, %s%zu segments", i, (long long)id[i],
                       sorted ? "expected ascending ones from 0, of " : "of ", v->out);
    }
    if (id[i] >= 0)
      v->count[id[i]]++;
    else
      id[i] = -1;
  }
  return WEFT_OK;
}

static weft_status segment_ref(const weft_call *c) {
  const segment *s = segment_of(c->desc);
  const weft_shape *x = &c->in[0]->layout.origin;
  const weft_shape *y = &c->out[0]->layout.origin;
  void *space[3];
  slices v = {.c = c, .s = s, .out = (size_t)y->dim[0], .inner = weft__prod(y, 1, y->rank)};
  if (s->form == SORTED_D)
    v.n = c->desc->attr[0]->n;
  else
    v.n = weft__elems(&c->in[s->form == SPARSE ? 2 : 1]->layout.origin);
  if (s->form == SPARSE && weft__elems(&c->in[1]->layout.origin) != v.n)
    return weft_fail(c->d, WEFT_E_SHAPE, "indices and segment_ids differ in their number of elements");
  if (s->form == SORTED_D && (size_t)x->dim[0] != v.n)
    return weft_fail(c->d, WEFT_E_SHAPE, "attribute 'segment_ids' has %zu elements, x has %lld slices", v.n,
                     (long long)x->dim[0]);
  WEFT_TRY(weft__scratch(c, v.n + 1, &space[0]));
  WEFT_TRY(weft__scratch(c, v.n + 1, &space[1]));
  WEFT_TRY(weft__scratch(c, v.out + 1, &space[2]));
  v.count = space[2];
  memset(v.count, 0, (v.out + 1) * sizeof *v.count);
  WEFT_TRY(segment_ids(c, &v, space[0], space[1]));
  v.id = space[0];
  v.row = space[1];
  if (WEFT_BIT(c->in[0]->dtype) & WEFT_FLOATS)
    return segment_f64(&v);
  return WEFT_BIT(c->in[0]->dtype) & WEFT_SET_INTEGER ? segment_int(&v) : weft__no_kernel(c, c->in[0]->dtype);
}

// ---- gradients of the sparse forms: rows of the result get those of x back ----
static weft_status sparse_grad_infer(weft_infer *it) {
  int64_t rows[1];
  int64_t n;
  bool known;
  WEFT_TRY(weft__in_ints(it, 3, rows, 1, &n, &known));
  WEFT_TRY(weft__expect_rank(it, 0, 1, WEFT_MAX_RANK));
  if (known && n == 1 && rows[0] < 0 && !weft_dim_is_symbol(rows[0]) && rows[0] != WEFT_DIM_INVALID)
    return weft_fail(it->d, WEFT_E_RANGE, "input 'output_dim0' is %lld", (long long)rows[0]);
  weft_shape_copy(it->out[0], it->in[0]);
  if (!weft_shape_is_unknown_rank(it->in[0]))
    it->out[0]->dim[0] = known && n == 1 && rows[0] != WEFT_DIM_INVALID ? rows[0] : -1;
  return WEFT_OK;
}

static weft_status sparse_grad_ref(const weft_call *c) {
  const segment *s = segment_of(c->desc);
  weft_tensor *y = c->out[0];
  const weft_tensor *g = c->in[0];
  const weft_tensor *ids = c->in[2];
  size_t n = weft__elems(&ids->layout.origin);
  size_t inner = weft__prod(&y->layout.origin, 1, y->layout.origin.rank);
  size_t all = weft__elems(&y->layout.origin);
  int64_t segments = g->layout.origin.dim[0];
  void *space[2];
  size_t work = 0;
  if (weft__call_gives_nothing(c))  // as many segments of nothing as the input claims
    return WEFT_OK;
  WEFT_TRY(weft__scratch(c, all + 1, &space[0]));
  WEFT_TRY(weft__scratch(c, (size_t)segments + 1, &space[1]));
  double *a = space[0];
  size_t *count = space[1];
  memset(a, 0, all * sizeof *a);
  memset(count, 0, (size_t)segments * sizeof *count);
  if (weft__elems(&c->in[1]->layout.origin) != n)
    return weft_fail(c->d, WEFT_E_SHAPE, "indices and segment_ids differ in their number of elements");
  for (size_t i = 0; i < n; i++) {
    int64_t id;
    WEFT_TRY(weft__checked_index(c, 2, i, segments, false, &id));
    count[id]++;
  }
  for (size_t i = 0; i < n; i++) {
    int64_t row;
    int64_t id = weft_load_i64(ids->dtype, ids->data, i);
    WEFT_TRY(weft__checked_index(c, 1, i, y->layout.origin.dim[0], false, &row));
    WEFT_TRY(weft__poll_work(c, &work, inner + 4));
    double by = s->op == MEAN ? (double)count[id] : 1;
    for (size_t k = 0; k < inner; k++)
      a[(size_t)row * inner + k] += weft_load_f64(g->dtype, g->data, (size_t)id * inner + k) / by;
  }
  for (size_t i = 0; i < all; i++)
    weft_store_f64(y->dtype, y->data, i, a[i]);
  return WEFT_OK;
}

#define SEGMENT(op_name, says, op_of, form_of, reads, ...)                                                 \
  {                                                                                                        \
    .name = op_name, .summary = says, .traits = WEFT_SYMBOLIC, .infer = segment_infer, .ref = segment_ref, \
    .values = reads, .like = "x", .user = &(const segment){op_of, form_of},                                \
    .examples = WEFT_EXAMPLES(__VA_ARGS__)                                                                 \
  }
#define SPARSE_GRAD(op_name, op_of, ...)                                                               \
  {                                                                                                    \
    .name = op_name, .summary = "the gradient of sums over segments of rows", .traits = WEFT_SYMBOLIC, \
    .infer = sparse_grad_infer, .ref = sparse_grad_ref, .values = "output_dim0",                       \
    .user = &(const segment){op_of, SPARSE}, .examples = WEFT_EXAMPLES(__VA_ARGS__)                    \
  }
#define SLICES "f32[3]{1,2,5}"

WEFT_ROWS(segments) = {
    SEGMENT("SegmentSum", "sums of segments", SUM, SORTED, "segment_ids",
            SLICES ", i32[3]{0,0,2} -> f32[3]{3,0,5}", SLICES ", i32[3]{1,0,2} !! E_RANGE segment id"),
    SEGMENT("SegmentMax", "the largest of segments", MAX, SORTED, "segment_ids",
            SLICES ", i32[3]{0,0,2} -> f32[3]{2,0,5}"),
    SEGMENT("SegmentMaxD", "the largest of segments", MAX, SORTED_D, NULL,
            SLICES " segment_ids=[0,0,2] -> f32[3]{2,0,5}"),
    SEGMENT("UnsortedSegmentSum", "sums of segments", SUM, UNSORTED, "num_segments",
            SLICES ", i32[3]{1,-1,0}, i32[]{2} -> f32[2]{5,1}"),
    SEGMENT("UnsortedSegmentProd", "products of segments", PROD, UNSORTED, "num_segments",
            SLICES ", i32[3]{1,-1,1}, i32[]{2} -> f32[2]{1,5}"),
    SEGMENT("UnsortedSegmentMax", "the largest of segments", MAX, UNSORTED, "num_segments",
            "i32[3]{1,2,5}, i32[3]{1,-1,1}, i32[]{2} -> i32[2]{-2147483648,5}"),
    SEGMENT("UnsortedSegmentMin", "the smallest of segments", MIN, UNSORTED, "num_segments",
            "i32[3]{1,2,5}, i32[3]{1,-1,1}, i32[]{2} -> i32[2]{2147483647,1}"),
    SEGMENT("UnsortedSegmentSumD", "sums of segments", SUM, UNSORTED_D, NULL,
            SLICES ", i32[3]{1,-1,0} num_segments=2 -> f32[2]{5,1}"),
    SEGMENT("UnsortedSegmentProdD", "products of segments", PROD, UNSORTED_D, NULL,
            SLICES ", i32[3]{1,-1,1} num_segments=2 -> f32[2]{1,5}"),
    SEGMENT("UnsortedSegmentMaxD", "the largest of segments", MAX, UNSORTED_D, NULL,
            "i32[3]{1,2,5}, i32[3]{1,-1,1} num_segments=2 -> i32[2]{-2147483648,5}"),
    SEGMENT("UnsortedSegmentMinD", "the smallest of segments", MIN, UNSORTED_D, NULL,
            "i32[3]{1,2,5}, i32[3]{1,-1,1} num_segments=2 -> i32[2]{2147483647,1}"),
    SEGMENT("SparseSegmentSum", "sums of segments of rows", SUM, SPARSE, "segment_ids",
            SLICES ", i32[3]{2,0,2}, i32[3]{0,0,1} -> f32[2]{6,5}"),
    SEGMENT("SparseSegmentMean", "means of segments of rows", MEAN, SPARSE, "segment_ids",
            SLICES ", i32[3]{2,0,2}, i32[3]{0,0,1} -> f32[2]{3,5}"),
    SPARSE_GRAD("SparseSegmentSumGrad", SUM,
                "f32[2]{4,6}, i32[3]{2,0,2}, i32[3]{0,0,1}, i32[]{3} -> f32[3]{4,0,10}"),
    SPARSE_GRAD("SparseSegmentMeanGrad", MEAN,
                "f32[2]{4,6}, i32[3]{2,0,2}, i32[3]{0,0,1}, i32[]{3} -> f32[3]{2,0,8}"),
    {0},
};
// SPDX-License-Identifier: Apache-2.0
