// ops/sparse/sets.c - sets of values: a group is what shares all coordinates but the last one.   AscendIR
// DenseToDenseSetOperation, DenseToSparseSetOperation, SparseToSparseSetOperation, SetSize, as TensorFlow
// computes them. The result is a sparse tensor: groups in row-major order, values in each ascending and once;
// its last size is that of the largest set. Strings are ordered by their bytes.
#include "op/air_rows.h"
#include "sparse.h"
#include "tensor/tensor.h"

enum { DENSE_DENSE, DENSE_SPARSE, SPARSE_SPARSE };
enum { A_MINUS_B, B_MINUS_A, INTERSECTION, UNION };

// One side of an operation: values and the group of each.
typedef struct side {
  const weft_tensor *values;
  size_t n;
  const int64_t *group;
  size_t rank;                    // of a group
  int64_t dim[WEFT_MAX_RANK];     // its sizes
  size_t *order;                  // by group, then by value
} side;

static int set_compare(const weft_tensor *a, size_t i, const weft_tensor *b, size_t j) {
  if (a->dtype == WEFT_STRING) {
    const char *text[2] = {"", ""};
    size_t bytes[2] = {0, 0};
    if (weft_tensor_string(a, i, &text[0], &bytes[0], NULL) ||
        weft_tensor_string(b, j, &text[1], &bytes[1], NULL))
      return 0;
    const int order = memcmp(text[0], text[1], WEFT_MIN(bytes[0], bytes[1]));
    return order ? order : bytes[0] < bytes[1] ? -1 : bytes[0] > bytes[1];
  }
  const weft_any x = weft__any_at(a, i);
  const weft_any y = weft__any_at(b, j);
  return weft__any_less(a->dtype, x, y) ? -1 : weft__any_less(a->dtype, y, x);
}

static bool side_less(const side *s, size_t i, size_t j) {
  if (s->group[i] != s->group[j])
    return s->group[i] < s->group[j];
  const int order = set_compare(s->values, i, s->values, j);
  return order ? order < 0 : i < j;
}

// Merges runs of twice the length until all is one run.
static weft_status side_sort(const weft_call *c, side *s) {
  void *space[2];
  WEFT_TRY(weft__scratch(c, s->n, &space[0]));
  WEFT_TRY(weft__scratch(c, s->n, &space[1]));
  size_t *from = space[0];
  size_t *to = space[1];
  for (size_t i = 0; i < s->n; i++)
    from[i] = i;
  for (size_t run = 1; run < s->n; run *= 2) {
    for (size_t at = 0; at < s->n; at += 2 * run) {
      const size_t middle = WEFT_MIN(at + run, s->n);
      const size_t end = WEFT_MIN(at + 2 * run, s->n);
      size_t i = at;
      size_t j = middle;
      for (size_t k = at; k < end; k++) {
        WEFT_TRY(weft__poll_at(c, k));
        const bool right = i >= middle || (j < end && side_less(s, from[j], from[i]));
        to[k] = right ? from[j++] : from[i++];
      }
    }
    size_t *swap = from;
    from = to;
    to = swap;
  }
  s->order = from;
  return WEFT_OK;
}

// ---- reading the two sides ----
static weft_status side_dense(const weft_call *c, uint32_t in, side *s) {
  const weft_shape *x = &c->in[in]->layout.origin;
  void *space;
  s->values = c->in[in];
  s->n = weft__elems(x);
  s->rank = x->rank - 1;
  for (size_t k = 0; k < s->rank; k++)
    s->dim[k] = x->dim[k];
  WEFT_TRY(weft__scratch(c, s->n, &space));
  int64_t *group = space;
  for (size_t i = 0; i < s->n; i++) {
    WEFT_TRY(weft__poll_at(c, i));
    group[i] = (int64_t)(i / (size_t)x->dim[s->rank]);
  }
  s->group = group;
  return side_sort(c, s);
}

// indices, values and shape are inputs in, in + 1 and in + 2.
static weft_status side_sparse(const weft_call *c, uint32_t in, bool ordered, side *s) {
  weft_sparse t;
  int64_t *group;
  WEFT_TRY(weft__sparse_read(c, in, in + 2, &t));
  s->values = c->in[in + 1];
  s->n = t.n;
  s->rank = t.rank - 1;
  for (size_t k = 0; k < s->rank; k++)
    s->dim[k] = t.dim[k];
  for (size_t i = 1; ordered && i < t.n; i++) {
    if (t.place[i] < t.place[i - 1])
      return weft_fail(
          c->d, WEFT_E_INVALID,
          "input '%s': row %zu stands before row %zu in row-major order; sort them, or set attribute "
          "'validate_indices' to false",
          weft__in_name(c->desc, in), i, i - 1);
  }
  WEFT_TRY(weft__sparse_places(c, &t, (UINT32_C(1) << s->rank) - 1, &group));
  s->group = group;
  return side_sort(c, s);
}

// ---- the operation ----
typedef struct found_set {
  size_t n;
  int64_t *group;         // n
  int64_t *column;        // n: which one of its set
  uint8_t *second;        // n: does the value come from b?
  size_t *at;             // n: where there
  int64_t widest;
} found_set;

static const char *const set_names[] = {"a-b", "b-a", "intersection", "union"};

static weft_status set_operation(weft_diag *d, const weft_op_desc *desc, int *out) {
  const char *name = weft_node_str(desc, 0);
  for (*out = 0; *out < 4; ++*out) {
    if (!strcmp(name, set_names[*out]))
      return WEFT_OK;
  }
  return weft_fail(d, WEFT_E_INVALID,
                   "attribute 'set_operation': '%s' is not a-b, b-a, intersection or union", name);
}

// -1: the element of a comes first, 0: they are the same, 1: that of b does.
static int set_first(const side *a, size_t i, const side *b, size_t j) {
  if (i >= a->n || j >= b->n)
    return i < a->n ? -1 : 1;
  const size_t p = a->order[i];
  const size_t q = b->order[j];
  if (a->group[p] != b->group[q])
    return a->group[p] < b->group[q] ? -1 : 1;
  return set_compare(a->values, p, b->values, q);
}

// The next element of a side that differs from the one at i.
static size_t set_next(const side *s, size_t i) {
  size_t next = i + 1;
  while (next < s->n && s->group[s->order[next]] == s->group[s->order[i]] &&
         !set_compare(s->values, s->order[next], s->values, s->order[i]))
    next++;
  return next;
}

static void set_keep(found_set *f, const side *s, bool second, size_t i) {
  const int64_t group = s->group[s->order[i]];
  const bool same = f->n && f->group[f->n - 1] == group;
  f->group[f->n] = group;
  f->column[f->n] = same ? f->column[f->n - 1] + 1 : 0;
  f->second[f->n] = second;
  f->at[f->n] = s->order[i];
  f->widest = WEFT_MAX(f->widest, f->column[f->n] + 1);
  f->n++;
}

static weft_status set_walk(const weft_call *c, const side *a, const side *b, int how, found_set *f) {
  void *space[4];
  size_t work = 0;
  size_t i = 0;
  size_t j = 0;
  for (int k = 0; k < 4; k++)
    WEFT_TRY(weft__scratch(c, a->n + b->n, &space[k]));
  f->group = space[0];
  f->column = space[1];
  f->second = space[2];
  f->at = space[3];
  while (i < a->n || j < b->n) {
    const int first = set_first(a, i, b, j);
    const size_t next_a = first <= 0 ? set_next(a, i) : i;
    const size_t next_b = first >= 0 ? set_next(b, j) : j;
    const bool keep_a = (first < 0 && (how == A_MINUS_B || how == UNION)) || (!first && how >= INTERSECTION);
    const bool keep_b = first > 0 && (how == B_MINUS_A || how == UNION);
    WEFT_TRY(weft__poll_work(c, &work, 1 + next_a - i + next_b - j));
    if (keep_a)
      set_keep(f, a, false, i);
    if (keep_b)
      set_keep(f, b, true, j);
    i = next_a;
    j = next_b;
  }
  return WEFT_OK;
}

typedef struct set_picks {
  const side *s;
  const found_set *f;
} set_picks;

static const weft_tensor *set_pick(void *ctx, size_t i, size_t *out_index) {
  const set_picks *p = ctx;
  *out_index = p->f->at[i];
  return p->s[p->f->second[i]].values;
}

static weft_status set_give(const weft_call *c, const side *s, const found_set *f) {
  const size_t rank = s[0].rank;
  int64_t dim[WEFT_MAX_RANK];
  size_t work = 0;
  WEFT_TRY(weft__found(c, 0, WEFT_INT64, (int64_t[]){(int64_t)f->n, (int64_t)rank + 1}, 2));
  for (size_t i = 0; c->out[0] && i < f->n; i++) {
    int64_t at = f->group[i];
    WEFT_TRY(weft__poll_work(c, &work, 1 + rank));
    weft_store_i64(WEFT_INT64, c->out[0]->data, i * (rank + 1) + rank, f->column[i]);
    for (size_t k = rank; k-- > 0; at /= s[0].dim[k])
      weft_store_i64(WEFT_INT64, c->out[0]->data, i * (rank + 1) + k, at % s[0].dim[k]);
  }
  WEFT_TRY(weft__found(c, 1, s[0].values->dtype, (int64_t[]){(int64_t)f->n}, 1));
  if (c->out[1])
    WEFT_TRY(weft__pick(c, c->out[1], set_pick, &(set_picks){s, f}));
  for (size_t k = 0; k < rank; k++)
    dim[k] = s[0].dim[k];
  dim[rank] = f->widest;
  return weft__found_ints(c, 2, WEFT_INT64, dim, rank + 1);
}

static weft_status set_execute(const weft_call *c) {
  const int form = *(const int *)c->desc->op->user;
  const bool ordered = weft_node_bool(c->desc, 1);
  side s[2];
  found_set f = {0};
  int how;
  WEFT_TRY(set_operation(c->d, c->desc, &how));
  if (form == SPARSE_SPARSE)
    WEFT_TRY(side_sparse(c, 0, ordered, &s[0]));
  else
    WEFT_TRY(side_dense(c, 0, &s[0]));
  if (form == DENSE_DENSE)
    WEFT_TRY(side_dense(c, 1, &s[1]));
  else
    WEFT_TRY(side_sparse(c, form == SPARSE_SPARSE ? 3 : 1, ordered, &s[1]));
  for (size_t k = 0; k < s[0].rank; k++) {
    if (s[0].dim[k] != s[1].dim[k])
      return weft_fail(c->d, WEFT_E_SHAPE, "axis %zu of the groups: %lld in 'x1' and %lld in 'x2'", k,
                       (long long)s[0].dim[k], (long long)s[1].dim[k]);
  }
  WEFT_TRY(set_walk(c, &s[0], &s[1], how, &f));
  return set_give(c, s, &f);
}

// ---- inference ----
static weft_status set_rank(const weft_infer *it, uint32_t in, bool sparse, weft_dim *out) {
  weft_dim n;
  if (sparse)
    WEFT_TRY(weft__sparse_infer(it, in, in + 1, in + 2, &n, out));
  else
    *out = weft_shape_is_unknown_rank(it->in[in]) ? -1 : (weft_dim)it->in[in]->rank;
  if (*out == 0)
    return weft_fail(it->d, WEFT_E_SHAPE, "input '%s': a set needs an axis, but there is none",
                     weft__in_name(it->desc, in));
  return WEFT_OK;
}

static weft_status set_infer(weft_infer *it) {
  const int form = *(const int *)it->desc->op->user;
  weft_dim rank;
  weft_dim other;
  int how;
  WEFT_TRY(set_operation(it->d, it->desc, &how));
  WEFT_TRY(set_rank(it, 0, form == SPARSE_SPARSE, &rank));
  WEFT_TRY(set_rank(it, form == SPARSE_SPARSE ? 3 : 1, form != DENSE_DENSE, &other));
  WEFT_TRY(weft__merge_dim(it, rank, other, "the ranks of 'x1' and 'x2'", &rank));
  const uint32_t second = form == DENSE_DENSE ? 1 : form == DENSE_SPARSE ? 2 : 4;
  WEFT_TRY(weft__expect_dtype(it, second, form == SPARSE_SPARSE ? 1 : 0));
  return weft__sparse_infer_found(it, 0, 1, 2, rank);
}

// ---- SetSize: how many values the set of each group has ----
static weft_status size_infer(weft_infer *it) {
  int64_t sizes[WEFT_MAX_RANK];
  int64_t n_sizes;
  bool known;
  weft_dim rank;
  WEFT_TRY(set_rank(it, 0, true, &rank));
  if (rank > WEFT_MAX_RANK)
    return weft_fail(it->d, WEFT_E_LIMIT, "input 'set_shape' has %lld sizes, at most %d", (long long)rank,
                     WEFT_MAX_RANK);
  if (rank < 0)
    return weft__unknown_rank(it, 0);
  WEFT_TRY(weft__in_ints(it, 2, sizes, WEFT_MAX_RANK, &n_sizes, &known));
  if (!known)
    return weft__unknown_dims(it, 0, (size_t)rank - 1);
  for (size_t k = 0; k + 1 < (size_t)rank; k++) {
    if (weft__is_literal(sizes[k]) && sizes[k] < 0)
      return weft_fail(it->d, WEFT_E_RANGE, "input 'set_shape', element %zu: the size is %lld", k,
                       (long long)sizes[k]);
    sizes[k] = weft__elem_dim(sizes[k]);
  }
  return weft_set_out_shape(it, 0, sizes, (size_t)rank - 1);
}

static weft_status size_ref(const weft_call *c) {
  weft_tensor *y = c->out[0];
  side s;
  size_t work = 0;
  if (!y)
    return WEFT_OK;
  WEFT_TRY(side_sparse(c, 0, weft_node_bool(c->desc, 0), &s));
  memset(y->data, 0, y->bytes);
  for (size_t i = 0; i < s.n;) {
    const size_t group = (size_t)s.group[s.order[i]];
    const size_t next = set_next(&s, i);
    WEFT_TRY(weft__poll_work(c, &work, next - i));
    weft_store_i64(y->dtype, y->data, group, 1 + weft_load_i64(y->dtype, y->data, group));
    i = next;
  }
  return WEFT_OK;
}

static const int set_dense_dense = DENSE_DENSE;
static const int set_dense_sparse = DENSE_SPARSE;
static const int set_sparse_sparse = SPARSE_SPARSE;
#define SETS(op_name, says, form, ...)                                                             \
  {                                                                                                \
    .name = op_name, .summary = says, .traits = WEFT_SYMBOLIC | WEFT_DATA_DEPENDENT,               \
    .infer = set_infer, .infer_range = weft__found_range, .execute = set_execute, .user = &(form), \
    .examples = WEFT_EXAMPLES(__VA_ARGS__)                                                         \
  }

WEFT_ROWS(sets) = {
    SETS("DenseToDenseSetOperation", "sets of rows of two dense tensors", set_dense_dense,
         "i32[2,3]{3,1,3,5,5,5}, i32[2,2]{3,4,5,5} set_operation=\"union\" -> i64[4,2]{0,0,0,1,0,2,1,0}, "
         "i32[4]{1,3,4,5}, i64[2]{2,3}",
         "str[2]{\"b\",\"a\"}, str[1]{\"b\"} set_operation=\"a-b\" -> i64[1,1]{0}, str[1]{\"a\"}, i64[1]{1}",
         "i64[N,3], i64[N,2] set_operation=\"union\" -> i64[-1,2], i64[-1], i64[2]",
         "i32[2], i32[2] set_operation=\"xor\" -> _, _, _ !! E_INVALID 'xor' is not a-b",
         "i32[2,1]{1,2}, i32[3,1]{1,2,3} set_operation=\"a-b\" -> _, _, _ !! E_SHAPE axis 0 of the groups"),
    SETS("DenseToSparseSetOperation", "sets of rows of a dense tensor and a sparse one", set_dense_sparse,
         "i32[2,2]{3,1,5,6}, i64[2,2]{0,0,1,0}, i32[2]{3,5}, i64[2]{2,1} set_operation=\"intersection\" -> "
         "i64[2,2]{0,0,1,0}, i32[2]{3,5}, i64[2]{2,1}",
         "i32[2], i64[1,2], i32[1], i64[2] set_operation=\"a-b\" -> _, _, _ !! E_SHAPE the ranks"),
    SETS("SparseToSparseSetOperation", "sets of rows of two sparse tensors", set_sparse_sparse,
         "i64[2,2]{0,0,1,0}, u8[2]{3,200}, i64[2]{2,1}, i64[2,2]{1,0,1,1}, u8[2]{7,200}, i64[2]{2,2} "
         "set_operation=\"b-a\" -> i64[1,2]{1,0}, u8[1]{7}, i64[2]{2,1}",
         "i64[2,1]{1,0}, u8[2]{3,2}, i64[1]{2}, i64[0,1], u8[0], i64[1]{2} set_operation=\"a-b\" -> "
         "_, _, _ !! "
         "E_INVALID row 1 stands before row 0"),
    {"SetSize", "how many different values each row of a sparse tensor has",
     WEFT_SYMBOLIC, .infer = size_infer, .ref = size_ref, .values = "set_shape",
     .examples = WEFT_EXAMPLES(
         "i64[4,2]{0,0,0,1,2,0,2,1}, i32[4]{3,3,1,2}, i64[2]{3,2} -> i32[3]{1,0,2}",
         "i64[2,1]{0,1}, str[2]{\"a\",\"b\"}, i64[1]{2} -> i32[]{2}", "i64[-1,2], i32[-1], i64[2] -> i32[-1]",
         "i64[1,2]{3,0}, i32[1]{1}, i64[2]{3,2} !! E_RANGE 3 is outside [0, 3)")},
    {0},
};
// SPDX-License-Identifier: Apache-2.0
