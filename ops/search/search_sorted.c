// ops/search/search_sorted.c - where numbers belong in sorted ones.   AscendIR SearchSorted (PyTorch),
// LowerBound, UpperBound (TensorFlow). right: the first place whose element is greater; otherwise the first
// whose element is not less. NaN comes last.
#include "arrays.h"
#include "op/air_rows.h"

enum { SEARCH, LOWER, UPPER };

static weft_status search_dtype(weft_infer *it) {
  it->out_dtype[0] = weft_node_dtype(it->desc, 0);
  return WEFT_OK;
}

static weft_status search_infer(weft_infer *it) {
  int kind = *(const int *)it->desc->op->user;
  WEFT_TRY(search_dtype(it));
  const weft_shape *s = it->in[0];
  const weft_shape *v = it->in[1];
  WEFT_TRY(weft__expect_rank(it, 0, 1, WEFT_MAX_RANK));
  bool both = !weft_shape_is_unknown_rank(s) && !weft_shape_is_unknown_rank(v);
  if (both && s->rank > 1 && v->rank != s->rank)
    return weft_fail(it->d, WEFT_E_SHAPE, "sorted numbers of rank %zu, values of rank %zu", s->rank, v->rank);
  for (size_t i = 0; both && s->rank > 1 && i + 1 < s->rank; i++) {
    weft_dim same;
    WEFT_TRY(
        weft__merge_dim(it, s->dim[i], v->dim[i], "a dim of the sorted numbers and of the values", &same));
  }
  if (kind == SEARCH && weft__has_in(it->desc, 2, &(uint32_t){0}))
    return weft_fail(it->d, WEFT_E_UNSUPPORTED, "input 'sorter' is not computed");
  weft_shape_copy(it->out[0], v);
  return WEFT_OK;
}

static bool search_less(double a, double b) {  // NaN is the greatest
  return isnan(b) ? !isnan(a) : a < b;
}

static size_t search_place(const double *row, size_t n, double v, bool right) {
  size_t low = 0;
  size_t high = n;
  while (low < high) {
    size_t mid = low + (high - low) / 2;
    bool before = right ? !search_less(v, row[mid]) : search_less(row[mid], v);
    low = before ? mid + 1 : low;
    high = before ? high : mid;
  }
  return low;
}

static weft_status search_ref(const weft_call *c) {
  int kind = *(const int *)c->desc->op->user;
  const weft_tensor *s = c->in[0];
  const weft_tensor *v = c->in[1];
  weft_tensor *y = c->out[0];
  double *row;
  bool right = kind == UPPER || (kind == SEARCH && weft_node_bool(c->desc, 1));
  WEFT_TRY(weft__load_f64s(c, s, &row));
  size_t width = (size_t)s->layout.origin.dim[s->layout.origin.rank - 1];
  size_t rows = weft__prod(&s->layout.origin, 0, s->layout.origin.rank - 1);
  size_t all = weft__elems(&v->layout.origin);
  size_t each = rows ? all / rows : 0;
  for (size_t i = 0; i < all; i++) {
    WEFT_TRY(weft__poll_at(c, i));
    size_t place = search_place(row + (each ? i / each : 0) * width * (rows > 1), width,
                                weft_load_f64(v->dtype, v->data, i), right);
    weft_store_i64(y->dtype, y->data, i, (int64_t)place);
  }
  return WEFT_OK;
}

#define PLACES(op_name, says, kind, ...)                                              \
  {                                                                                   \
    .name = op_name, .summary = says, .traits = WEFT_SYMBOLIC, .infer = search_infer, \
    .infer_dtype = search_dtype, .ref = search_ref, .user = &(const int){kind},       \
    .examples = WEFT_EXAMPLES(__VA_ARGS__)                                            \
  }

WEFT_ROWS(search_sorted) = {
    PLACES("SearchSorted", "where values belong in sorted numbers", SEARCH,
           "f32[3]{1,3,5}, f32[2]{3,6} -> i64[2]{1,3}",
           "f32[3]{1,3,5}, f32[2]{3,6} right=true dtype=i32 -> i32[2]{2,3}"),
    PLACES("LowerBound", "the first place that is not less", LOWER,
           "f32[1,3]{1,3,5}, f32[1,2]{3,6} -> i32[1,2]{1,3}"),
    PLACES("UpperBound", "the first place that is greater", UPPER,
           "f32[1,3]{1,3,5}, f32[1,2]{3,6} out_type=i32 -> i32[1,2]{2,3}"),
    {0},
};
// SPDX-License-Identifier: Apache-2.0
