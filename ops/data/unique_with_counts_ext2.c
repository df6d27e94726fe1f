// ops/data/unique_with_counts_ext2.c - distinct values.   AscendIR UniqueWithCountsExt2, ONNX Unique-11. Of
// x flattened, or slices along an axis. inverse_idx: which value each lane has. idx: the lane where each
// value occurs first, as ONNX has it, if return_inverse is set; otherwise what inverse_idx is, as
// TensorFlow's UniqueWithCountsV2 has it. An empty axis: x is flattened. In order of first occurrence, or
// ascending (NaN last) when sorted. NaN equals NaN, 0 equals -0.
#include "lists.h"

enum { OUT_IDX, SORTED, RETURN_INVERSE };
enum { Y, IDX, COUNT, INVERSE };

// Whether an output has a number for each lane rather than for each value.
static bool unique_with_counts_ext2_of_lanes(const weft_op_desc *n, uint32_t out) {
  return out == INVERSE || (out == IDX && !weft_node_bool(n, RETURN_INVERSE));
}

// The axis, if it is known; *out_n is the length of the axis list, -1 when that is not known.
static weft_status unique_with_counts_ext2_axis_of(weft_infer *it, int64_t *out_n, bool *out_known,
                                                   size_t *out_axis) {
  int64_t axis[1];
  *out_axis = 0;
  WEFT_TRY(weft__in_ints(it, 1, axis, 1, out_n, out_known));
  if (*out_n > 1) {
    return weft_fail(it->d, WEFT_E_SHAPE, "input 'axis': expected at most one element, got %lld",
                     (long long)*out_n);
  }
  *out_known = *out_known && (*out_n == 0 || weft__is_literal(axis[0]));
  if (*out_n == 0)
    *out_known = true;
  if (*out_n == 1 && *out_known && !weft_shape_is_unknown_rank(it->in[0]))
    return weft__axis_of_input(it->d, it->desc, 1, axis[0], it->in[0]->rank, out_axis);
  return WEFT_OK;
}

static weft_status unique_with_counts_ext2_infer(weft_infer *it) {
  const weft_shape *x = it->in[0];
  int64_t n;
  bool known;
  size_t axis;
  weft_dim lanes = 1;
  bool ranked = !weft_shape_is_unknown_rank(x);
  WEFT_TRY(unique_with_counts_ext2_axis_of(it, &n, &known, &axis));
  for (uint32_t i = 0; i < 4; i++)
    WEFT_TRY(weft__unknown_dims(it, i, 1));
  if (n == 0 && ranked) {
    for (size_t i = 0; i < x->rank; i++)
      lanes = weft_dim_mul(it->symbols, lanes, x->dim[i]);
  } else if (n != 0) {
    if (n < 0 || !ranked)
      return weft__unknown_rank(it, Y);
    if (!known)
      return weft__unknown_dims(it, Y, x->rank);
    WEFT_TRY(weft__same(it, Y, 0));
    it->out[Y]->dim[axis] = -1;
    lanes = x->dim[axis];
  }
  for (uint32_t i = IDX; i <= INVERSE && (n == 1 || ranked); i++) {
    if (unique_with_counts_ext2_of_lanes(it->desc, i))
      it->out[i]->dim[0] = lanes;
  }
  return WEFT_OK;
}

static weft_status unique_with_counts_ext2_infer_range(weft_infer *it) {
  int64_t n;
  int64_t min;
  int64_t max;
  bool known;
  size_t axis;
  bool ranked = !weft_shape_is_unknown_rank(it->in[0]);
  WEFT_TRY(unique_with_counts_ext2_axis_of(it, &n, &known, &axis));
  weft__range_elems(it, &min, &max);
  bool along = n == 1 && known && ranked;
  if (along) {
    min = it->in_min[0]->dim[axis];
    max = it->in_max[0]->dim[axis];
  } else if (n != 0) {
    min = 0;
    max = -1;
  }
  for (uint32_t i = 0; i < 4; i++) {
    it->out_min[i]->rank = it->out_max[i]->rank = 1;
    it->out_min[i]->dim[0] = unique_with_counts_ext2_of_lanes(it->desc, i) ? min : min > 0;
    it->out_max[i]->dim[0] = max;
  }
  if (n == 0)
    return WEFT_OK;
  weft_shape_copy(it->out_min[Y], along ? it->in_min[0] : it->out[Y]);
  weft_shape_copy(it->out_max[Y], along ? it->in_max[0] : it->out[Y]);
  if (along)
    it->out_min[Y]->dim[axis] = min > 0;
  for (size_t i = 0; !along && !weft_shape_is_unknown_rank(it->out[Y]) && i < it->out[Y]->rank; i++)
    it->out_min[Y]->dim[i] = 0;
  return WEFT_OK;
}

typedef struct lanes {
  const weft_distinct *u;
  size_t inner;
} lanes;

static int64_t unique_with_counts_ext2_map(void *ctx, size_t j) {  // block j of y: (outer, value)
  const lanes *l = ctx;
  return (int64_t)(j / l->u->n * l->u->n_lanes + l->u->first[j % l->u->n]);
}

static weft_status write_values(const weft_call *c, const weft_distinct *u, bool flat, size_t axis) {
  const weft_tensor *x = c->in[0];
  weft_shape bound = {.rank = 1, .dim = {(weft_dim)u->n_lanes}};
  weft_shape found;
  if (!c->out[Y])
    return WEFT_OK;
  if (!flat)
    weft_shape_copy(&bound, &x->layout.origin);
  weft_shape_copy(&found, &bound);
  found.dim[flat ? 0 : axis] = (weft_dim)u->n;
  WEFT_TRY(weft__alloc_found(c, Y, x->dtype, &bound, &found));
  lanes l = {u, flat ? 1 : weft__prod(&x->layout.origin, axis + 1, x->layout.origin.rank)};
  return weft__move_blocks(c, x, c->out[Y], l.inner, unique_with_counts_ext2_map, &l);
}

static weft_status unique_with_counts_ext2_execute(const weft_call *c) {
  weft_dtype t = weft_node_dtype(c->desc, OUT_IDX);
  weft_distinct u;
  int64_t axis[1];
  size_t n;
  size_t a = 0;
  WEFT_TRY(weft__read_ints(c, 1, axis, 1, &n));
  if (n)
    WEFT_TRY(weft__axis_of_input(c->d, c->desc, 1, axis[0], c->in[0]->layout.origin.rank, &a));
  WEFT_TRY(weft__distinct(c, c->in[0], n == 0, a, weft_node_bool(c->desc, SORTED), &u));
  WEFT_TRY(write_values(c, &u, n == 0, a));
  const bool places = !unique_with_counts_ext2_of_lanes(c->desc, IDX);
  WEFT_TRY(weft__write_counts(c, IDX, t, places ? u.first : u.id, places ? u.n : u.n_lanes, u.n_lanes));
  WEFT_TRY(weft__write_counts(c, COUNT, t, u.count, u.n, u.n_lanes));
  return weft__write_counts(c, INVERSE, t, u.id, u.n_lanes, u.n_lanes);
}

WEFT_OP(unique_with_counts_ext2) = {
    WEFT_OP_HEAD,
    .name = "UniqueWithCountsExt2",
    .summary = "distinct values with first places and counts",
    .in = PORTS({"x", "T"}, {"axis", NULL, WEFT_SET_INDEX, .value = WEFT_VALUE_INFER}),
    .out = PORTS({"y", "T"}, {"idx", "U"}, {"count", "U"}, {"inverse_idx", "U"}),
    .types = TYPES({"T", WEFT_SET_BASIC | WEFT_DT(BOOL) | WEFT_DT(STRING)},
                   {"U", WEFT_SET_INDEX, .from_attr = "out_idx"}),
    .attrs = ATTRS({"out_idx", "Type", "DT_INT64"}, {"sorted", "Bool", "false"},
                   {"return_inverse", "Bool", "false"}),
    .traits = WEFT_SYMBOLIC | WEFT_DATA_DEPENDENT,
    .infer = unique_with_counts_ext2_infer,
    .infer_range = unique_with_counts_ext2_infer_range,
    .execute = unique_with_counts_ext2_execute,
    .examples = WEFT_EXAMPLES(
        "f32[6]{2,1,1,3,4,3}, i64[0] return_inverse=true -> f32[4]{2,1,3,4}, i64[4]{0,1,3,4}, "
        "i64[4]{1,2,2,1}, "
        "i64[6]{0,1,1,2,3,2}",
        "f32[2,2]{1,3,2,3}, i64[0] sorted=true return_inverse=true -> f32[3]{1,2,3}, i64[3]{0,2,1}, "
        "i64[3]{1,1,2}, "
        "i64[4]{0,2,1,2}",
        "f32[3,3]{1,0,0,1,0,0,2,3,4}, i64[1]{0} sorted=true return_inverse=true -> "
        "f32[2,3]{1,0,0,2,3,4}, i64[2]{0,2}, "
        "i64[2]{2,1}, i64[3]{0,0,1}",
        "i32[2,3]{1,2,1,5,5,5}, i32[1]{-1} out_idx=i32 return_inverse=true -> i32[2,2]{1,2,5,5}, "
        "i32[2]{0,1}, i32[2]{2,1}, "
        "i32[3]{0,1,0}",
        "f32[0], i64[0] return_inverse=true -> f32[0], i64[0], i64[0], i64[0]",
        "f32[3,0], i64[1]{0} return_inverse=true -> f32[1,0], i64[1]{0}, i64[1]{3}, i64[3]{0,0,0}",
        "f32[3]{nan,1,nan}, i64[0] sorted=true return_inverse=true -> f32[2]{1,nan}, i64[2]{1,0}, "
        "i64[2]{1,2}, i64[3]{1,0,1}",
        "str[2]{\"b\",\"a\"}, i64[0] sorted=true return_inverse=true -> str[2]{\"a\",\"b\"}, "
        "i64[2]{1,0}, i64[2]{1,1}, "
        "i64[2]{1,0}",
        "i8[4]{-1,1,-2,-1}, i64[0] sorted=true return_inverse=true -> i8[3]{-2,-1,1}, i64[3]{2,0,1}, "
        "i64[3]{1,2,1}, "
        "i64[4]{1,2,0,1}",
        "u64[2]{18446744073709551615,1}, i64[0] sorted=true return_inverse=true -> "
        "u64[2]{1,18446744073709551615}, i64[2]{1,0}, "
        "i64[2]{1,1}, i64[2]{1,0}",
        "i32[4]{3,1,3,2}, i64[0] -> i32[3]{3,1,2}, i64[4]{0,1,0,2}, i64[3]{2,1,1}, i64[4]{0,1,0,2}",
        "f32[-1,3], i64[1]{0} return_inverse=true -> f32[-1,3], i64[-1], i64[-1], i64[-1]",
        "f32[2,N], i64[0] return_inverse=true -> f32[-1], i64[-1], i64[-1], i64[2*N]",
        "f32[2,N], i64[0] -> f32[-1], i64[2*N], i64[-1], i64[2*N]",
        "f32[2,3], i64[1] return_inverse=true -> f32[-1,-1], i64[-1], i64[-1], i64[-1]",
        "f32[?], i64[1]{0} return_inverse=true -> f32[?], i64[-1], i64[-1], i64[-1]", "f32[2], "
        "i64[1]{1} !! E_RANGE input 'axis'",
        "f32[2], i64[2]{0,1} !! E_LIMIT"),
};
// SPDX-License-Identifier: Apache-2.0
