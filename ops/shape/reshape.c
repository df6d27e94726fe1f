// ops/shape/reshape.c - the elements of x in another shape.   AscendIR Reshape, ONNX Reshape-19.
// One -1 is resolved; beside a 0 it is ambiguous and fails. A 0 is literal, or x's dim with allowzero=false.
// An empty `shape` makes a scalar of one element, or fails where documents are binding
// (weft_env_options.strict_document). axis, num_axes (Caffe's): only x's axes [axis,
// axis+num_axes) are reshaped.
#include "dims_move.h"

enum { AXIS, NUM_AXES, ALLOWZERO };
enum { X, SHAPE };

typedef struct target {
  size_t n, first, end;             // [first, end) come from `shape`, the others are x's
  int64_t elem[3 * WEFT_MAX_RANK];  // for messages
  weft_dim dim[3 * WEFT_MAX_RANK];
  bool copied[3 * WEFT_MAX_RANK];  // dim i is x's dim from[i]
  size_t from[3 * WEFT_MAX_RANK];
  int wild, unknown, n_unknown;  // places of -1 and of the unknown element; -1: none
} target;

// Which of x's axes are reshaped: [*first, *end).
static weft_status reshaped_axes(const weft_infer *it, size_t *first, size_t *end) {
  int64_t axis = weft_node_int(it->desc, AXIS);
  int64_t num = weft_node_int(it->desc, NUM_AXES);
  int64_t rank = (int64_t)it->in[X]->rank;
  if (num < -1)
    return weft_fail(it->d, WEFT_E_RANGE, "attribute 'num_axes': %lld, expected -1 or more", (long long)num);
  if (axis < -rank - 1 || axis > rank) {
    return weft_fail(it->d, WEFT_E_RANGE, "attribute 'axis': %lld is outside [%lld, %lld]", (long long)axis,
                     (long long)-rank - 1, (long long)rank);
  }
  if (axis < 0)
    axis += rank + 1;
  if (num > rank - axis) {
    return weft_fail(it->d, WEFT_E_RANGE,
                     "attribute 'num_axes': %lld axes from axis %lld on, x has rank %lld", (long long)num,
                     (long long)axis, (long long)rank);
  }
  *first = (size_t)axis;
  *end = num < 0 ? (size_t)rank : (size_t)(axis + num);
  return WEFT_OK;
}

static void keep_dim(const weft_infer *it, target *t, size_t from) {
  t->dim[t->n] = t->elem[t->n] = it->in[X]->dim[from];
  t->copied[t->n] = true;
  t->from[t->n++] = from;
}

static weft_status take_elem(const weft_infer *it, target *t, int64_t e) {
  size_t i = t->n;
  size_t at = i - t->first;
  t->elem[i] = e;
  t->dim[i] = weft__elem_dim(e);
  t->copied[i] = false;
  if (e == WEFT_DIM_INVALID) {
    t->unknown = (int)i;
    t->n_unknown++;
  } else if (weft__is_literal(e) && e < -1) {
    return weft_fail(it->d, WEFT_E_SHAPE, "input 'shape': element %zu is %lld, expected -1 or more", at,
                     (long long)e);
  } else if (e == -1) {
    if (t->wild >= 0) {
      return weft_fail(it->d, WEFT_E_SHAPE, "input 'shape': -1 stands at %zu and at %zu, one is allowed",
                       (size_t)t->wild - t->first, at);
    }
    t->wild = (int)i;
  } else if (e == 0 && !weft_node_bool(it->desc, ALLOWZERO)) {
    if (weft_shape_is_unknown_rank(it->in[X]))
      t->dim[i] = -1;
    else if (i >= it->in[X]->rank) {
      return weft_fail(it->d, WEFT_E_SHAPE,
                       "input 'shape': element %zu copies dim %zu of x, which has rank %zu", at, i,
                       it->in[X]->rank);
    } else {
      keep_dim(it, t, i);
      return WEFT_OK;
    }
  }
  t->n++;
  return WEFT_OK;
}

// The product of dims, those marked in `skip` left out. Known factors are checked for overflow.
static weft_status reshape_product(const weft_infer *it, const weft_dim *dims, const bool *skip, size_t n,
                                   const char *what, weft_dim *out) {
  int64_t known = 1;
  for (size_t i = 0; i < n; i++) {
    if (!skip[i] && dims[i] == 0) {
      *out = 0;
      return WEFT_OK;
    }
  }
  for (size_t i = 0; i < n; i++) {
    if (!skip[i] && dims[i] > 0 && !weft__mul_i64(known, dims[i], &known)) {
      return weft_fail(it->d, WEFT_E_OVERFLOW,
                       "the element count of %s overflows int64 at dim %zu, which is %lld", what, i,
                       (long long)dims[i]);
    }
  }
  *out = known;
  for (size_t i = 0; i < n; i++) {
    if (!skip[i] && dims[i] < 0)
      *out = weft_dim_mul(it->symbols, *out, dims[i]);
  }
  return WEFT_OK;
}

static weft_status differ(const weft_infer *it, const target *t, weft_dim total, weft_dim others,
                          const char *how) {
  char x[256];
  char y[256];
  weft_shape wanted;
  wanted.rank = t->n;
  for (size_t i = 0; i < t->n; i++)
    wanted.dim[i] = (int)i == t->wild ? -1 : t->dim[i];
  return weft_fail(it->d, WEFT_E_SHAPE, "x of shape %s has %lld elements, the target %s has %lld%s",
                   weft_shape_text(it->in[X], it->symbols, x, sizeof x), (long long)total,
                   weft_shape_text(&wanted, it->symbols, y, sizeof y), (long long)others, how);
}

static weft_status reshape_resolve(const weft_infer *it, target *t) {
  bool skip_x[WEFT_MAX_RANK] = {false};
  bool skip_y[WEFT_MAX_RANK] = {false};
  int open = t->wild >= 0 ? t->wild : t->n_unknown == 1 ? t->unknown : -1;
  weft_dim total = -1;
  weft_dim others;
  bool cancelled = false;
  if (open >= 0)
    skip_y[open] = true;
  for (size_t i = 0; i < t->n; i++)  // an unknown dim that is only copied stands on both sides
    if (t->copied[i] && t->dim[i] < 0)
      skip_x[t->from[i]] = skip_y[i] = cancelled = true;
  if (!weft_shape_is_unknown_rank(it->in[X]))
    WEFT_TRY(reshape_product(it, it->in[X]->dim, skip_x, it->in[X]->rank, "x", &total));
  WEFT_TRY(reshape_product(it, t->dim, skip_y, t->n, "the target", &others));
  if (t->wild >= 0 && others == 0) {
    return weft_fail(it->d, WEFT_E_SHAPE, "input 'shape': -1 at %zu is ambiguous beside a 0",
                     (size_t)t->wild - t->first);
  }
  if (t->wild < 0 && t->n_unknown == 0) {
    if (!cancelled && total >= 0 && others >= 0 && total != others)
      return differ(it, t, total, others, "");
    return WEFT_OK;
  }
  // What a wrong -1 stands for fails when it runs; an unknown element may be anything beside a 0.
  if (open < 0 || others == 0 || (t->wild < 0 && (cancelled || others < 0)))
    return WEFT_OK;
  if (t->wild >= 0 && t->n_unknown == 0 && total >= 0 && others > 0 && total % others)
    return differ(it, t, total, others, " times what -1 stands for, which does not divide it");
  if (t->wild >= 0 && t->n_unknown)
    return WEFT_OK;
  t->dim[open] = weft_dim_div_exact(it->symbols, total, others);
  return WEFT_OK;
}

// The documents' code takes no target without an element, nor does it where only part of x is reshaped.
static weft_status check_documented(const weft_infer *it, int64_t n) {
  if (n != 0 || !weft__infer_options(it)->strict_document)
    return WEFT_OK;
  return weft_fail(it->d, WEFT_E_SHAPE,
                   "input 'shape' is empty, at least one element is needed where documents are binding "
                   "(strict_document); without that option it makes one element a scalar");
}

static weft_status reshape_infer(weft_infer *it) {
  int64_t elem[WEFT_MAX_RANK];
  int64_t n;
  bool known;
  bool plain = weft_node_int(it->desc, AXIS) == 0 && weft_node_int(it->desc, NUM_AXES) == -1;
  WEFT_TRY(weft__in_ints(it, SHAPE, elem, WEFT_MAX_RANK, &n, &known));
  WEFT_TRY(check_documented(it, n));
  bool no_rank = weft_shape_is_unknown_rank(it->in[X]);
  if (n < 0 || (no_rank && !plain))
    return weft__unknown_rank(it, 0);
  target t = {.wild = -1, .unknown = -1};
  size_t rank = no_rank ? 0 : it->in[X]->rank;
  t.end = rank;
  if (!plain)
    WEFT_TRY(reshaped_axes(it, &t.first, &t.end));
  if (t.first + (rank - t.end) + (uint64_t)n > WEFT_MAX_RANK) {
    return weft_fail(it->d, WEFT_E_LIMIT, "output rank %llu is over the limit of %d",
                     (unsigned long long)(t.first + (rank - t.end) + (uint64_t)n), WEFT_MAX_RANK);
  }
  for (size_t i = 0; i < t.first; i++)
    keep_dim(it, &t, i);
  for (size_t i = 0; i < (size_t)n; i++)
    WEFT_TRY(take_elem(it, &t, known ? elem[i] : WEFT_DIM_INVALID));
  for (size_t i = t.end; i < rank; i++)
    keep_dim(it, &t, i);
  WEFT_TRY(reshape_resolve(it, &t));
  it->out[0]->rank = t.n;
  for (size_t i = 0; i < t.n; i++)
    it->out[0]->dim[i] = t.dim[i];
  return WEFT_OK;
}

// A single unknown dim beside known ones: x's element count, at least and at most, divided by theirs.
static weft_status reshape_infer_range(weft_infer *it) {
  const weft_shape *y = it->out[0];
  int64_t others = 1;
  int64_t least = 1;
  int64_t most = 1;
  size_t open = 0;
  size_t n_open = 0;
  weft_shape_copy(it->out_min[0], y);
  weft_shape_copy(it->out_max[0], y);
  if (weft_shape_is_unknown_rank(y))
    return WEFT_OK;
  bool fits = !weft_shape_is_unknown_rank(it->in[X]);
  for (size_t i = 0; i < y->rank; i++) {
    weft_dim_bounds(it->symbols, y->dim[i], &it->out_min[0]->dim[i], &it->out_max[0]->dim[i]);
    if (y->dim[i] < 0) {
      open = i;
      n_open++;
    } else
      fits = fits && weft__mul_i64(others, y->dim[i], &others);
  }
  for (size_t i = 0; fits && i < it->in[X]->rank; i++) {
    int64_t hi = it->in_max[X]->dim[i];
    fits = weft__mul_i64(least, it->in_min[X]->dim[i], &least);
    if (hi < 0)
      most = -1;
    else if (most >= 0 && !weft__mul_i64(most, hi, &most))
      most = -1;
  }
  if (!fits || n_open != 1 || others < 1 || y->dim[open] != -1)
    return WEFT_OK;
  it->out_min[0]->dim[open] = least / others + (least % others != 0);
  it->out_max[0]->dim[open] = most < 0 ? -1 : WEFT_MAX(most / others, it->out_min[0]->dim[open]);
  return WEFT_OK;
}

WEFT_OP(reshape) = {
    WEFT_OP_HEAD,
    .name = "Reshape",
    .summary = "the same elements in another shape",
    .in = PORTS({"x", "T"}, {"shape", NULL, WEFT_SET_INDEX, .value = WEFT_VALUE_INFER}),
    .out = PORTS({"y", "T"}),
    .types = TYPES({"T", WEFT_STORABLE}),
    .attrs = ATTRS({"axis", "Int", "0"}, {"num_axes", "Int", "-1"}, {"allowzero", "Bool", "true", .ext = 1}),
    .traits = WEFT_SYMBOLIC | WEFT_VIEW,
    .infer = reshape_infer,
    .infer_range = reshape_infer_range,
    .infer_value = weft__elems_same,
    .ref = weft__copy_all,
    .examples = WEFT_EXAMPLES(
        "i32[2,3]{1,2,3,4,5,6}, i64[2]{3,2} -> i32[3,2]{1,2,3,4,5,6}",
        "f32[2,3,4]{0..}, i32[2]{4,6} -> f32[4,6]{0..}",                              // R81, R96
        "f32[2,3,4], i64[1]{24} -> f32[24]", "f32[2,3,4], i64[2]{-1,6} -> f32[4,6]",  // R82
        "f32[2,3,4], i32[2]{-1,6} -> f32[4,6]", "f32[2,3,4], i64[1]{-1} -> f32[24]",
        "f32[8,3,224,224], i64[2]{24,-1} -> f32[24,50176]",
        "f32[2,3,4], i64[2]{5,-1} !! E_SHAPE 24 elements, the target [5,-1] has 5",  // R83
        "f32[2,3,4], i64[2]{5,5} !! E_SHAPE 24 elements, the target [5,5] has 25",
        "f32[2,3,4], i64[2]{-1,-1} !! E_SHAPE -1 stands at 0 and at 1",  // R84
        "f32[2,3,4], i64[3]{2,-1,-1} !! E_SHAPE one is allowed",
        "f32[2,3,4], i64[2]{0,-1} !! E_SHAPE ambiguous",
        "f32[0,3], i64[2]{0,-1} !! E_SHAPE ambiguous",  // R85
        "f32[0,3], i64[2]{0,7} -> f32[0,7]", "f32[0,3], i64[2]{3,-1} -> f32[3,0]",
        "f32[2,3,4], i64[2]{-2,-12} !! E_SHAPE element 0 is -2",
        "f32[2,3,4], i64[2]{-6,-1} !! E_SHAPE is -6",         // R86
        "f32[24], i64[1]{4294967320} !! E_SHAPE 4294967320",  // R87
        "f32[24], f32[2]{4,6} !! E_DTYPE input 'shape'",
        "f32[8], i8[8]{8,1,1,1,1,1,1,1} !! E_DTYPE input 'shape'",  // R88
        "f32[1,1]{5}, i64[0] -> f32[]{5}",
        "f32[2,3], i64[0] !! E_SHAPE 6 elements, the target [] has 1",                               // R89
        "f32[24], i64[4294967296] !! E_LIMIT", "f32[24], i64[2,2]{1,2,3,4} !! E_SHAPE rank 0 or 1",  // R90
        "f32[24], i64[25]{24,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1} -> "
        "f32[24,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1]",  // R91
        "f32[24], i64[26]{24,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1} !! E_LIMIT 26",
        "f32[24], i64[2]{5,3689348814741910328} !! E_OVERFLOW overflow",              // R92
        "f32[-1,4], i64[2]{2,-1} -> f32[2,-1]", "f32[?], i64[2]{-1,6} -> f32[-1,6]",  // R93
        "f32[-1,3], i64[2]{-1,3} -> f32[-1,3]", "f32[-1,4], i64[2]{4,6} -> f32[4,6]",
        "f32[6,4], i64[2]{4,6} -> f32[4,6]",
        "f32[5,4], i64[2]{4,6} !! E_SHAPE 20 elements, the target [4,6] has 24",
        "f32[N,4], i64[2]{-1,2} -> f32[2*N,2]", "f32[2,12], i64[2] -> f32[-1,-1]",
        "f32[2,12], i64[-1] -> f32[?]",  // R94
        "f32[2,3,4]{0..}, i64[3]{0,0,-1} allowzero=false -> f32[2,3,4]{0..}",
        "f32[-1,-1,8], i64[4]{0,0,4,-1} allowzero=false -> f32[-1,-1,4,2]",
        "f32[-1,4], i64[2]{0,5} allowzero=false -> f32[-1,5]",
        "f32[0,4], i64[2]{0,5} allowzero=false -> f32[0,5]",
        "f32[2], i64[2]{1,0} allowzero=false !! E_SHAPE element 1 copies dim 1 of x",
        "f32[2,3,4], i64[1]{12} axis=1 -> f32[2,12]", "f32[2,3,4], i64[1]{-1} num_axes=2 -> f32[6,4]",
        "f32[2,3], i64[1]{1} axis=-1 num_axes=0 -> f32[2,3,1]",
        "f32[2,3], i64[1]{6} axis=4 !! E_RANGE attribute 'axis'",
        "str[2]{\"a\",\"bc\"}, i64[2]{2,1} -> str[2,1]{\"a\",\"bc\"}",
        "i4[3]{1,-2,3}, i64[2]{1,3} -> i4[1,3]{1,-2,3}"),
};
// SPDX-License-Identifier: Apache-2.0
