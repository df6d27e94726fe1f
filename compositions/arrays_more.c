// compositions/arrays_more.c - pads, checks of shapes, crosses and places: more of arrays.
#include "compose/compose.h"

#include "air_slots.h"

static weft_status mirror_pad_build(weft__composing *c) {
  const char *mode = weft_node_str(c->desc, WEFT_SLOT_MIRROR_PAD_MODE);
  if (!strcmp(mode, "REFLECT"))
    return weft__compose_text(c, "y = PadV3(x, paddings, _none?, mode='reflect')");
  if (!strcmp(mode, "SYMMETRIC"))
    return weft__compose_text(c, "y = PadV3(x, paddings, _none?, mode='symmetric')");
  return front_fail(c->o, WEFT_E_INVALID, "attribute 'mode': '%s' is neither REFLECT nor SYMMETRIC", mode);
}

// What the shape says must be so.
static weft_status ensure_shape_build(weft__composing *c) {
  const weft_attr *shape = c->desc->attr[WEFT_SLOT_ENSURE_SHAPE_SHAPE];
  weft_value *x = weft__composed(c, "input");
  int rank = front_rank_of(c->o, x);
  if (c->o->failed)
    return c->o->failed;
  if ((size_t)rank != shape->n)
    return front_fail(c->o, WEFT_E_SHAPE, "input 'input' has rank %d, attribute 'shape' %llu dims", rank,
                      (unsigned long long)shape->n);
  for (int i = 0; i < rank; i++) {
    weft_dim dim = front_dim(x, i);
    if (dim >= 0 && shape->u.ints[i] >= 0 && dim != shape->u.ints[i])
      return front_fail(c->o, WEFT_E_SHAPE, "dim %d of 'input' is %lld, attribute 'shape' says %lld", i,
                        (long long)dim, (long long)shape->u.ints[i]);
  }
  return weft__compose_text(c, "output = Identity(input)");
}

// Which of its feature's boundaries each value comes behind.
static weft_status boosted_trees_bucketize_build(weft__composing *c) {
  size_t n;
  size_t lists;
  weft_value *const *x = weft__composed_all(c, "float_values", &n);
  weft_value *const *bounds = weft__composed_all(c, "bucket_boundaries", &lists);
  const uint32_t outs = c->desc->out_port[0].count;
  weft_value **y = WEFT_NEW_N(&c->o->f->arena, weft_value *, n + 1);
  if (!y)
    return front_fail(c->o, WEFT_E_NOMEM, "out of memory");
  if (lists != n || outs != n)
    return front_fail(c->o, WEFT_E_INVALID, "%zu lists of values, %zu of boundaries and %u outputs", n, lists,
                      outs);
  for (size_t i = 0; i < n; i++) {
    front_set_bool(c->o, "out_int32", true);
    y[i] = front_do(c->o, "BucketizeV2", x[i], bounds[i], NULL);
  }
  return weft__compose_names(c, "y", y, n);
}

// a x b = (a2 b3 - a3 b2, a3 b1 - a1 b3, a1 b2 - a2 b1) along an axis of 3; -65530: the first one
static weft_status cross_build(weft__composing *c) {
  front_op *o = c->o;
  weft_value *a = weft__composed(c, "x1");
  weft_value *b = weft__composed(c, "x2");
  weft_value *y[3];
  int64_t dim = weft_node_int(c->desc, WEFT_SLOT_CROSS_DIM);
  int rank = front_rank_of(o, a);
  if (dim == -65530) {
    bool unknown = false;
    for (dim = 0; dim < rank && front_dim(a, (int)dim) != 3; dim++)
      unknown |= front_dim(a, (int)dim) < 0;
    if (unknown && !o->failed)
      return front_fail(o, WEFT_E_UNKNOWN, "which axis has 3 elements is not known");
  }
  dim = front_axis(o, dim, rank);
  for (int64_t i = 0; i < 3; i++) {
    int64_t p = (i + 1) % 3;
    int64_t q = (i + 2) % 3;
    weft_value *left =
        front_do(o, "Mul", front_part(o, a, dim, p, p + 1), front_part(o, b, dim, q, q + 1), NULL);
    weft_value *right =
        front_do(o, "Mul", front_part(o, a, dim, q, q + 1), front_part(o, b, dim, p, p + 1), NULL);
    y[i] = front_do(o, "Sub", left, right, NULL);
  }
  if (!o->failed && front_dim(a, (int)dim) >= 0 && front_dim(a, (int)dim) != 3)
    return front_fail(o, WEFT_E_SHAPE, "axis %lld has %lld elements, expected 3", (long long)dim,
                      (long long)front_dim(a, (int)dim));
  weft__compose_name(c, "y", front_joined(o, y, 3, dim));
  return o->failed;
}

// NHWC's axes or sizes in NCHW's order, or any other of these words.
static weft_status format_places(weft__composing *c, const char *from, const char *to, int64_t out[8],
                                 size_t *n) {
  *n = strlen(from);
  if (*n != strlen(to) || *n > 8 || *n < 1)
    return front_fail(c->o, WEFT_E_INVALID, "formats '%s' and '%s' do not have the same axes", from, to);
  for (size_t i = 0; i < *n; i++) {
    const char *at = strchr(to, from[i]);
    if (!at)
      return front_fail(c->o, WEFT_E_INVALID, "formats '%s' and '%s' do not have the same axes", from, to);
    out[i] = at - to;
  }
  return WEFT_OK;
}
static weft_status data_format_dim_map_build(weft__composing *c) {
  int64_t to[8];
  size_t n;
  WEFT_TRY(format_places(c, weft_node_str(c->desc, WEFT_SLOT_DATA_FORMAT_DIM_MAP_SRC_FORMAT),
                         weft_node_str(c->desc, WEFT_SLOT_DATA_FORMAT_DIM_MAP_DST_FORMAT), to, &n));
  weft_value *x = weft__composed(c, "x");
  weft__compose_name(c, "table", front_list(c->o, to, n));
  weft__compose_name(c, "n", front_int(c->o, x->fact.dtype, (int64_t)n));
  return weft__compose_text(c, "y = as(x, GatherV2(table, FloorMod(x, n), [0]))");
}
static weft_status data_format_vec_permute_build(weft__composing *c) {
  int64_t to[8];
  size_t n;
  const char *src = weft_node_str(c->desc, WEFT_SLOT_DATA_FORMAT_VEC_PERMUTE_SRC_FORMAT);
  const char *dst = weft_node_str(c->desc, WEFT_SLOT_DATA_FORMAT_VEC_PERMUTE_DST_FORMAT);
  WEFT_TRY(format_places(c, dst, src, to, &n));
  weft__compose_name(c, "order", front_list(c->o, to, n));
  return weft__compose_text(c, "y = GatherV2(x, order, [0])");
}

static weft_status sort_with_index_build(weft__composing *c) {
  front_op *o = c->o;
  weft_value *x = weft__composed(c, "x");
  int rank = front_rank_of(o, x);
  int64_t axis = front_axis(o, weft_node_int(c->desc, WEFT_SLOT_SORT_WITH_INDEX_AXIS), rank);
  weft_value *k = rank ? front_dim_index(o, x, axis) : front_index(o, 1);
  front_set_int(o, "dim", axis);
  front_set_bool(o, "largest", weft_node_bool(c->desc, WEFT_SLOT_SORT_WITH_INDEX_DESCENDING));
  front_set_int(o, "indices_dtype", WEFT_INT64);
  weft_value *y = front_do(o, "TopKV2", x, k, NULL);
  if (!y)
    return o->failed;
  weft__compose_name(c, "y", y);
  front_set_int(o, "dim", axis);
  weft__compose_name(c, "sorted_index",
                     rank ? front_do(o, "GatherElements", weft__composed(c, "index"), y + 1, NULL)
                          : weft__composed(c, "index"));
  return o->failed;
}

static weft_status nth_element_build(weft__composing *c) {
  front_op *o = c->o;
  weft_value *x = weft__composed(c, "x");
  int rank = front_rank_of(o, x);
  weft_value *k = rank > 0 ? front_dim_index(o, x, rank - 1) : NULL;
  if (!o->failed && rank < 1)
    return front_fail(o, WEFT_E_SHAPE, "input 'x': rank 0, expected at least 1");
  front_set_bool(o, "largest", weft_node_bool(c->desc, WEFT_SLOT_NTH_ELEMENT_REVERSE));
  weft_value *sorted = front_do(o, "TopKV2", x, k, NULL);
  weft_value *n = front_reshaped(o, weft__composed(c, "n"), NULL, 0);
  weft__compose_name(c, "y", front_picked(o, sorted, rank - 1, n));
  return o->failed;
}

static weft_status conjugate_transpose_build(weft__composing *c) {
  const bool complex = weft_dtype_is_complex(c->given[0].dtype);
  return weft__compose_text(c, complex ? "y = Transpose(Conj(x), perm)" : "y = Transpose(x, perm)");
}

// unique_len has as many elements as there are places; unique_indices say to which each entry belongs.
static weft_status coalesce_sparse_build(weft__composing *c) {
  weft_value *unique = weft__composed(c, "unique_len");
  const int rank = front_rank_of(c->o, unique);
  if (c->o->failed)
    return c->o->failed;
  if (rank != 1)
    return front_fail(c->o, WEFT_E_SHAPE, "input 'unique_len': rank %d, expected 1", rank);
  weft__compose_name(c, "n", front_dim_index(c->o, unique, 0));
  return weft__compose_text(c,
                            "new_inidces = UnsortedSegmentMax(indices, unique_indices, n); "
                            "new_values = UnsortedSegmentSum(values, unique_indices, n)");
}

WEFT_ROWS(arrays_more) = {
    COMPOSED_READS_BY("MirrorPad", "x with its own elements around it", "paddings", mirror_pad_build,
                      "f32[3]{1,2,3}, i32[1,2]{1,1} mode=\"REFLECT\" -> f32[5]{2,1,2,3,2}",
                      "f32[3]{1,2,3}, i32[1,2]{1,1} mode=\"SYMMETRIC\" -> f32[5]{1,1,2,3,3}"),
    COMPOSED_READS("CircularPad", "x around its ends", "paddings",
                   "y = PadV3(x, paddings, _none?, mode='circular')",
                   "f32[3]{1,2,3}, i64[2]{1,1} -> f32[5]{3,1,2,3,1}"),
    COMPOSED_BY("EnsureShape", "the input, whose shape must be as said", ensure_shape_build,
                "f32[2]{1,2} shape=[2] -> f32[2]{1,2}", "f32[2] shape=[3] !! E_SHAPE dim 0"),
    COMPOSED_BY("BoostedTreesBucketize", "buckets of features", boosted_trees_bucketize_build,
                "[f32[3]{0.5,1,3}, f32[2]{1,9}], [f32[2]{1,2}, f32[1]{5}] num_features=2 -> "
                "[i32[3]{0,0,2}, i32[2]{0,1}]"),
    COMPOSED_BY("Cross", "the cross product", cross_build, "f32[3]{1,0,0}, f32[3]{0,1,0} -> f32[3]{0,0,1}"),
    COMPOSED_BY("DataFormatDimMap", "axes of one format as those of another", data_format_dim_map_build,
                "i32[4]{0,1,2,3} -> i32[4]{0,2,3,1}"),
    COMPOSED_BY("DataFormatVecPermute", "sizes of one format in the order of another",
                data_format_vec_permute_build, "i32[4]{7,4,9,3} -> i32[4]{7,3,4,9}"),
    COMPOSED_BY("SortWithIndex", "an axis in order, and indices with it", sort_with_index_build,
                "f32[3]{3,1,2}, i32[3]{7,8,9} -> f32[3]{1,2,3}, i32[3]{8,9,7}"),
    COMPOSED_BY("NthElement", "the n-th smallest of the last axis", nth_element_build,
                "f32[3]{3,1,2}, i32[]{1} -> f32[]{2}"),
    COMPOSED("ScatterDiv", "slices along axis 0 divided at indices",
             "var = Div(var, TensorScatterUpdate(OnesLike(var), Unsqueeze(indices, axes=[-1]), updates, "
             "reduction='mul'))",
             "f32[3]{1,2,3}, i32[2]{1,1}, f32[2]{4,0.5} -> f32[3]{1,1,3}",
             "i32[2]{-7,8}, i32[1]{0}, i32[1]{2} -> i32[2]{-3,8}",
             "f32[2]{1,2}, i32[1]{2}, f32[1]{5} !! E_RANGE element 0 is 2"),
    COMPOSED_BY(
        "CoalesceSparse", "places that stand more than once joined, their values summed",
        coalesce_sparse_build,
        "i64[2]{0..}, i32[3]{1,0,1}, i64[3,2]{5,6,3,4,5,6}, f32[3]{1,2,4} -> i64[2,2]{3,4,5,6}, f32[2]{2,5}",
        "i32[1]{0}, i32[2]{0,0}, i32[2,1]{7,7}, i32[2,2]{1,2,3,4} -> i32[1,1]{7}, i32[1,2]{4,6}",
        "i64[N], i64[M], i64[M,3], f16[M] -> i64[N,3], f16[N]",
        "i64[1]{0}, i32[1]{1}, i64[1,1]{0}, f32[1]{1} -> _, _ !! E_RANGE segment id",
        "i64[], i32[1], i64[1,1], f32[1] -> _, _ !! E_SHAPE 'unique_len'"),
    COMPOSED_READS_BY("ConjugateTranspose", "axes in another order, complex numbers conjugated", "perm",
                      conjugate_transpose_build,
                      "c64[1,2]{(1,2),(3,-4)}, i32[2]{1,0} -> c64[2,1]{(1,-2),(3,4)}",
                      "f32[1,2]{1,2}, i64[2]{1,0} -> f32[2,1]{1,2}", "f32[2], i64[1]{1} !! E_RANGE"),
    COMPOSED_FINDS(
        "UniqueWithCounts", "distinct values, which one each element is, and how often they occur",
        "y, _first, count, idx = UniqueWithCountsExt2(x, [0], out_idx=@out_idx)",
        "i32[4]{3,1,3,2} out_idx=i32 -> i32[3]{3,1,2}, i32[4]{0,1,0,2}, i32[3]{2,1,1}",
        "str[3]{\"a\",\"bc\",\"a\"} out_idx=i32 -> str[2]{\"a\",\"bc\"}, i32[3]{0,1,0}, i32[2]{2,1}"),
    COMPOSED_FINDS("UniqueExt2", "distinct slices along an axis, and which one each slice is",
                   "y, _first, _count, idx = UniqueWithCountsExt2(x, axis, out_idx=@out_idx)",
                   "i32[3,2]{1,0,1,0,0,2}, i64[1]{0} -> i32[2,2]{1,0,0,2}, i32[3]{0,0,1}"),
    {0},
};
// SPDX-License-Identifier: Apache-2.0
