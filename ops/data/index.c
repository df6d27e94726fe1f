// ops/data/index.c - elements at lists of places along some axes.   AscendIR Index, IndexByTensor,
// IndexPutV2,
// as PyTorch's x[i, :, j] has them. indexed_sizes (indices_mask) has 1 for each axis that has a list of
// places, 0 for one that is taken whole; the lists are broadcast together, and their axes stand where the
// first of them was, or in front where axes taken whole lie between. Places below 0 count from the end.
#include "air_slots.h"
#include "op/air_rows.h"
#include "sparse.h"

enum { X, FORM_INDEX = 0, FORM_TENSOR, FORM_PUT };

// Which input comes first of the lists, and where the mask stands.
typedef struct index_form {
  uint8_t form;
  uint32_t mask, lists;
} index_form;

typedef struct index_plan {
  const index_form *use;
  size_t rank;
  bool on[WEFT_MAX_RANK];       // has axis k a list?
  uint32_t list[WEFT_MAX_RANK]; // the input that is its list
  weft_shape places;            // of the lists, broadcast
  size_t front;                 // axes of x before them in the result
} index_plan;

static const index_form *form_of(const weft_op_desc *n) {
  return n->op->user;
}

// The mask: an attribute, or the elements of an input that are known.
static weft_status index_mask(weft_diag *d, const weft_op_desc *desc, const weft_tensor *value, size_t rank,
                              size_t n_lists, index_plan *p) {
  const bool attribute = p->use->form == FORM_TENSOR;
  const weft_attr *a = attribute ? desc->attr[WEFT_SLOT_INDEX_BY_TENSOR_INDICES_MASK] : NULL;
  const size_t n = attribute ? a->n : weft__elems(&value->layout.origin);
  size_t lists = 0;
  p->rank = rank;
  if (n > rank)
    return weft_fail(d, WEFT_E_SHAPE, "%zu axes are marked, input 'x' has %zu", n, rank);
  for (size_t k = 0; k < rank; k++) {
    const int64_t v = k >= n ? 0 : attribute ? a->u.ints[k] : weft_load_i64(value->dtype, value->data, k);
    if (v != 0 && v != 1)
      return weft_fail(d, WEFT_E_RANGE, "mark %zu of the axes is %lld, expected 0 or 1", k, (long long)v);
    p->on[k] = v == 1;
    p->list[k] = p->use->lists + (uint32_t)lists;
    lists += p->on[k];
  }
  if (lists == n_lists)
    return WEFT_OK;
  return weft_fail(d, WEFT_E_INVALID, "%zu axes are marked, but input 'indices' has %zu instances", lists,
                   n_lists);
}

// Where the axes of the lists stand.
static void index_front(index_plan *p) {
  size_t first = SIZE_MAX;
  size_t last = 0;
  size_t lists = 0;
  for (size_t k = 0; k < p->rank; k++) {
    first = p->on[k] && first == SIZE_MAX ? k : first;
    last = p->on[k] ? k : last;
    lists += p->on[k];
  }
  p->front = lists && last - first + 1 == lists ? first : 0;
}

static weft_status index_shape(const weft_infer *it, const index_plan *p, const weft_shape *x,
                               weft_shape *y) {
  size_t k = 0;
  size_t whole = 0;
  for (size_t i = 0; i < p->rank; i++)
    whole += !p->on[i];
  if (whole + p->places.rank > WEFT_MAX_RANK)
    return weft_fail(it->d, WEFT_E_LIMIT, "rank %zu", whole + (size_t)p->places.rank);
  y->rank = 0;
  for (; k < p->front; k++)
    y->dim[y->rank++] = x->dim[k];
  for (size_t i = 0; i < p->places.rank; i++)
    y->dim[y->rank++] = p->places.dim[i];
  for (; k < p->rank; k++) {
    if (!p->on[k])
      y->dim[y->rank++] = x->dim[k];
  }
  return WEFT_OK;
}

// The shape of x[lists]; *out_known false: not even its rank is.
static weft_status index_infer_shape(weft_infer *it, weft_shape *y, bool *out_known) {
  index_plan p = {.use = form_of(it->desc)};
  const weft_shape *x = it->in[X];
  const weft_tensor *mask = p.use->form == FORM_TENSOR ? NULL : it->value[p.use->mask];
  *out_known = false;
  if (mask)
    WEFT_TRY(weft__expect_rank(it, p.use->mask, 1, 1));
  for (uint32_t i = p.use->lists; i < it->n_in; i++) {
    if (weft_shape_is_unknown_rank(it->in[i]))
      return WEFT_OK;
    WEFT_TRY(weft__broadcast(it, &p.places, it->in[i], &p.places));
  }
  if (weft_shape_is_unknown_rank(x) || (mask && !mask->data))
    return WEFT_OK;
  WEFT_TRY(index_mask(it->d, it->desc, mask, x->rank, it->n_in - p.use->lists, &p));
  index_front(&p);
  *out_known = true;
  return index_shape(it, &p, x, y);
}

static weft_status index_infer(weft_infer *it) {
  weft_shape y = {.rank = 0};
  bool known;
  it->out_dtype[0] = it->in_dtype[X];
  WEFT_TRY(index_infer_shape(it, &y, &known));
  return known ? weft_set_out_shape(it, 0, y.dim, y.rank) : weft__unknown_rank(it, 0);
}

static weft_status put_infer(weft_infer *it) {
  weft_shape y = {.rank = 0};
  bool known;
  WEFT_TRY(weft__expect_dtype(it, 1, X));
  WEFT_TRY(index_infer_shape(it, &y, &known));
  if (known && !weft_shape_is_unknown_rank(it->in[1])) {
    weft_shape both;
    WEFT_TRY(weft__broadcast(it, &y, it->in[1], &both));
    if (both.rank != y.rank)
      return weft_fail(it->d, WEFT_E_SHAPE,
                       "input 'value' has rank %zu, the elements at the indices have %zu",
                       (size_t)it->in[1]->rank, (size_t)y.rank);
    for (size_t k = 0; k < y.rank; k++) {
      if (y.dim[k] >= 0 && both.dim[k] >= 0 && y.dim[k] != both.dim[k])
        return weft_fail(it->d, WEFT_E_SHAPE,
                         "axis %zu of input 'value' has %lld elements, the indices give %lld", k,
                         (long long)both.dim[k], (long long)y.dim[k]);
    }
  }
  return weft__same(it, 0, X);
}

// ---- places ----
typedef struct index_walk {
  const weft_call *c;
  index_plan p;
  weft_shape y;
  size_t step[WEFT_MAX_RANK];  // of x, elements
} index_walk;

static weft_status index_begin(const weft_call *c, index_walk *w) {
  const weft_shape *x = &c->in[X]->layout.origin;
  const index_form *use = form_of(c->desc);
  const weft_tensor *mask = use->form == FORM_TENSOR ? NULL : c->in[use->mask];
  *w = (index_walk){.c = c, .p = {.use = use}};
  WEFT_TRY(index_mask(c->d, c->desc, mask, x->rank, c->n_in - use->lists, &w->p));
  index_front(&w->p);
  for (uint32_t i = use->lists; i < c->n_in; i++) {  // inference has found that they broadcast
    const weft_shape *s = &c->in[i]->layout.origin;
    const size_t rank = WEFT_MAX(w->p.places.rank, s->rank);
    weft_shape both = {.rank = rank};
    for (size_t k = 0; k < rank; k++) {
      const weft_dim a = k + w->p.places.rank < rank ? 1 : w->p.places.dim[k + w->p.places.rank - rank];
      const weft_dim b = k + s->rank < rank ? 1 : s->dim[k + s->rank - rank];
      both.dim[k] = a == 1 ? b : a;
    }
    w->p.places = both;
  }
  for (size_t k = x->rank, step = 1; k-- > 0; step *= (size_t)x->dim[k])
    w->step[k] = step;
  weft_infer it = {.d = c->d};
  return index_shape(&it, &w->p, x, &w->y);
}

// The element of a list at coordinates of the result.
static size_t index_of_list(const index_walk *w, uint32_t in, const size_t *at) {
  const weft_shape *s = &w->c->in[in]->layout.origin;
  const size_t skip = w->p.front + w->p.places.rank - s->rank;
  size_t place = 0;
  for (size_t k = 0; k < s->rank; k++)
    place = place * (size_t)s->dim[k] + (s->dim[k] == 1 ? 0 : at[skip + k]);
  return place;
}

// Where element i of x[lists] lies in x.
static weft_status index_place(const index_walk *w, size_t i, size_t *out) {
  const weft_shape *x = &w->c->in[X]->layout.origin;
  size_t at[WEFT_MAX_RANK];
  for (size_t k = w->y.rank; k-- > 0; i /= (size_t)w->y.dim[k])
    at[k] = i % (size_t)w->y.dim[k];
  size_t next = 0;
  *out = 0;
  for (size_t k = 0; k < x->rank; k++) {
    if (next == w->p.front)
      next += w->p.places.rank;
    if (!w->p.on[k]) {
      *out += at[next++] * w->step[k];
      continue;
    }
    const weft_tensor *list = w->c->in[w->p.list[k]];
    const int64_t v = weft_load_i64(list->dtype, list->data, index_of_list(w, w->p.list[k], at));
    const int64_t from = v < 0 ? v + x->dim[k] : v;
    if (from < 0 || from >= x->dim[k])
      return weft_fail(w->c->d, WEFT_E_RANGE, "axis %zu: index %lld is outside [%lld, %lld)", k, (long long)v,
                       (long long)-x->dim[k], (long long)x->dim[k]);
    *out += (size_t)from * w->step[k];
  }
  return WEFT_OK;
}

static weft_status index_ref(const weft_call *c) {
  weft_tensor *y = c->out[0];
  index_walk w;
  size_t from;
  size_t work = 0;
  if (!y)
    return WEFT_OK;
  WEFT_TRY(index_begin(c, &w));
  for (size_t i = 0; i < weft__elems(&w.y); i++) {
    WEFT_TRY(weft__poll_work(c, &work, 1 + w.y.rank));
    WEFT_TRY(index_place(&w, i, &from));
    weft__copy_elem(y->dtype, y->data, i, c->in[X]->data, from);
  }
  return WEFT_OK;
}

static weft_status put_ref(const weft_call *c) {
  const bool adds = weft_node_bool(c->desc, WEFT_SLOT_INDEX_PUT_V2_ACCUMULATE);
  weft_tensor *y = c->out[0];
  index_walk w;
  weft_walk values;
  size_t to;
  size_t work = 0;
  if (!y)
    return WEFT_OK;
  WEFT_TRY(index_begin(c, &w));
  if (y->data != c->in[X]->data)
    memcpy(y->data, c->in[X]->data, y->bytes);
  weft__walk_init(&values, &w.y);
  weft__walk_operand(&values, 0, &c->in[1]->layout.origin);
  for (; values.i < values.n; weft__walk_next(&values)) {
    WEFT_TRY(weft__poll_work(c, &work, 1 + w.y.rank));
    WEFT_TRY(index_place(&w, values.i, &to));
    const weft_any v = weft__any_at(c->in[1], values.at[0]);
    weft__any_put(y, to, adds ? weft__any_add(y->dtype, weft__any_at(y, to), v) : v);
  }
  return WEFT_OK;
}

static const index_form form_index = {FORM_INDEX, 1, 3};
static const index_form form_tensor = {FORM_TENSOR, 0, 1};
static const index_form form_put = {FORM_PUT, 2, 4};

WEFT_ROWS(index) = {
    {"Index", "elements at lists of places along some axes",
        WEFT_SYMBOLIC, .infer = index_infer, .ref = index_ref, .values = "indexed_sizes", .user = &form_index,
     .examples = WEFT_EXAMPLES(
         "f32[2,3]{1,2,3,4,5,6}, i64[2]{0,1}, i64[2]{1,1}, [i64[2]{2,-3}] -> f32[2,2]{3,1,6,4}",
         "f32[2,3]{1,2,3,4,5,6}, i64[2]{1,1}, i64[2]{1,1}, [i64[2]{0,1}, i64[1]{2}] -> f32[2]{3,6}",
         "f32[2,1,2]{1,2,3,4}, i64[3]{1,0,1}, i64[3]{2,2,1}, [i32[2]{0,1}, i32[2,1]{1,0}] -> "
         "f32[2,2,1]{2,4,1,3}",
         "f32[N,3], i64[1]{1}, i64[1], [i64[M]] -> f32[M,3]", "f32[2,3], i64[2], i64[2], [i64[M]] -> f32[?]",
         "f32[2]{1,2}, i64[1]{1}, i64[1]{1}, [i64[1]{2}] !! E_RANGE index 2 is outside [-2, 2)",
         "f32[2], i64[1]{0}, i64[1], [i64[1]] !! E_INVALID 0 axes are marked")},
    {"IndexAiCore", "elements at lists of places along some axes",
        WEFT_SYMBOLIC, .infer = index_infer, .ref = index_ref, .values = "indexed_sizes", .user = &form_index,
     .examples = WEFT_EXAMPLES(
         "f32[2,2]{1,2,3,4}, i64[2]{0,1}, i64[2]{1,1}, [i64[1]{1}] -> f32[2,1]{2,4}",
         "f32[2]{1,2}, i64[1]{1}, i64[1]{1}, [i64[1]{2}] !! E_RANGE index 2 is outside [-2, 2)")},
    {"IndexByTensor", "elements at lists of places along some axes",
        WEFT_SYMBOLIC, .infer = index_infer, .ref = index_ref, .user = &form_tensor, .like = "x",
     .examples = WEFT_EXAMPLES(
         "f32[2,3]{1,2,3,4,5,6}, [i64[2]{2,0}] indices_mask=[0,1] -> f32[2,2]{3,1,6,4}",
         "f32[2], [i64[1]] indices_mask=[2] !! E_RANGE mark 0 of the axes is 2")},
    {"IndexPutV2", "elements at lists of places replaced or added to",
        WEFT_SYMBOLIC, .infer = put_infer, .ref = put_ref, .values = "indexed_sizes", .user = &form_put,
     .like = "x",
     .examples = WEFT_EXAMPLES(
         "f32[2,2]{1,2,3,4}, f32[1]{9}, i64[2]{0,1}, i64[2]{2,1}, [i64[1]{1}] -> f32[2,2]{1,9,3,9}",
         "f32[2]{1,2}, f32[3]{1,2,3}, i64[1]{1}, i64[1]{1}, [i64[3]{0,0,1}] accumulate=true -> f32[2]{4,5}",
         "f32[2]{1,2}, f32[1]{7}, i64[1]{1}, i64[1]{1}, [i64[1]{-3}] !! E_RANGE index -3",
         "f32[2], f32[0], i64[1]{1}, i64[1], [i64[1]{0}] !! E_SHAPE has 0 elements, the indices give 1",
         "f32[2], i32[1], i64[1]{1}, i64[1], [i64[1]{0}] !! E_DTYPE one dtype")},
    {0},
};
// SPDX-License-Identifier: Apache-2.0
