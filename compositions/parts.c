// compositions/parts.c - parts of tensors and what is written back into them, shapes as values, checks,
// powers.
#include <math.h>

#include "base/allocated.h"
#include "compose/compose.h"

#include "air_slots.h"

// ---- Crop: as Caffe's, from axis `axis` on as large as `size`, from the offsets on ----
static weft_status crop_build(weft__composing *c) {
  front_op *o = c->o;
  weft_value *y = weft__composed(c, "x");
  weft_value *like = weft__composed(c, "size");
  const weft_attr *offsets = c->desc->attr[WEFT_SLOT_CROP_OFFSETS];
  const int rank = front_rank_of(o, y);
  const int wanted = front_rank_of(o, like);
  const int64_t axis = front_axis(o, weft_node_int(c->desc, WEFT_SLOT_CROP_AXIS), rank);
  if (o->failed)
    return o->failed;
  if (wanted != rank)
    return front_fail(o, WEFT_E_SHAPE, "input 'x' has rank %d, input 'size' %d", rank, wanted);
  if (offsets->n != 1 && offsets->n != (uint64_t)(rank - axis))
    return front_fail(o, WEFT_E_INVALID, "attribute 'offsets' has %llu elements, expected 1 or %lld",
                      (unsigned long long)offsets->n, (long long)(rank - axis));
  for (int64_t k = axis; k < rank; k++) {
    const int64_t from = offsets->u.ints[offsets->n == 1 ? 0 : k - axis];
    const weft_dim have = front_dim(y, (int)k);
    const weft_dim want = front_dim(like, (int)k);
    if (have < 0 || want < 0)
      return front_fail(o, WEFT_E_UNKNOWN, "the sizes of axis %lld are not known", (long long)k);
    if (from < 0 || from > have || want > have - from)
      return front_fail(o, WEFT_E_RANGE, "axis %lld: %lld elements from %lld on, but there are %lld",
                        (long long)k, (long long)want, (long long)from, (long long)have);
    y = front_part(o, y, k, from, from + want);
  }
  weft__compose_name(c, "y", y);
  return o->failed;
}

// ---- gradients of slices: zeros, and dy where the slice was taken from ----
#define MASKS                                                                                                \
  "begin_mask=@begin_mask, end_mask=@end_mask, ellipsis_mask=@ellipsis_mask, new_axis_mask=@new_axis_mask, " \
  "shrink_axis_mask=@shrink_axis_mask"
static weft_status slice_grad(weft__composing *c, weft_value *shape, const char *slice) {
  int64_t sizes[WEFT_MAX_RANK];
  size_t rank;
  int64_t elems = 1;
  if (!front_known_ints(shape, sizes, WEFT_MAX_RANK, &rank))
    return c->o->failed ? c->o->failed : front_fail(c->o, WEFT_E_UNKNOWN, "the shape is not known");
  for (size_t k = 0; k < rank; k++) {
    if (sizes[k] < 0 || !weft__mul_i64(elems, sizes[k], &elems))
      return front_fail(c->o, WEFT_E_RANGE, "size %zu of the shape is %lld, or all of them overflow", k,
                        (long long)sizes[k]);
  }
  weft__compose_name(c, "sizes", front_list(c->o, sizes, rank));
  weft__compose_name(
      c, "places",
      front_reshape(c->o, front_counting(c->o, front_index(c->o, elems)), front_list(c->o, sizes, rank)));
  weft__compose_name(c, "flat", front_list(c->o, &elems, 1));
  WEFT_TRY(weft__compose_text(c, slice));
  return weft__compose_text(c,
                            "dy = Reshape(BroadcastTo(dy, Shape(at)), [-1]); "
                            "output = Reshape(ScatterNd(Reshape(at, [-1,1]), dy, flat), sizes, "
                            "allowzero=true)");
}
static weft_status strided_slice_grad_build(weft__composing *c) {
  return slice_grad(c, weft__composed(c, "shape"),
                    "at = StridedSlice(places, begin, end, strides, " MASKS ")");
}
static weft_status strided_slice_grad_d_build(weft__composing *c) {
  const weft_attr *a = c->desc->attr[WEFT_SLOT_STRIDED_SLICE_GRAD_D_SHAPE];
  if (a->n > WEFT_MAX_RANK)
    return front_fail(c->o, WEFT_E_LIMIT, "attribute 'shape': %llu axes", (unsigned long long)a->n);
  return slice_grad(c, front_list(c->o, a->u.ints, a->n),
                    "at = StridedSlice(places, list(begin), list(end), list(strides), " MASKS ")");
}

// ---- shapes as values ----
static weft_status get_shape_build(weft__composing *c) {
  size_t n;
  weft_value *const *x = weft__composed_all(c, "x", &n);
  weft_value **s = WEFT_NEW_N(&c->o->f->arena, weft_value *, n + 1);
  WEFT_TRY(weft__allocated(s, c->o->f->d));
  if (!n)
    return front_fail(c->o, WEFT_E_INVALID, "input 'x' has no instance");
  for (size_t i = 0; i < n; i++)
    s[i] = front_as(c->o, front_shape(c->o, x[i]), WEFT_INT32);
  weft__compose_name(c, "y", front_joined(c->o, s, n, 0));
  return c->o->failed;
}

// axes: pairs of an input and one of its axes
static weft_status gather_shapes_build(weft__composing *c) {
  front_op *o = c->o;
  const weft_attr *axes = c->desc->attr[WEFT_SLOT_GATHER_SHAPES_AXES];
  const weft_dtype t = (weft_dtype)weft_node_int(c->desc, WEFT_SLOT_GATHER_SHAPES_DTYPE);
  size_t n;
  weft_value *const *x = weft__composed_all(c, "x", &n);
  weft_value **s = WEFT_NEW_N(&o->f->arena, weft_value *, (size_t)axes->n + 1);
  WEFT_TRY(weft__allocated(s, o->f->d));
  if (!axes->n || (t != WEFT_INT32 && t != WEFT_INT64))
    return front_fail(o, WEFT_E_INVALID, "attribute 'axes' has %llu pairs, attribute 'dtype' is %d",
                      (unsigned long long)axes->n, (int)t);
  for (size_t i = 0; i < axes->n; i++) {
    const weft_ints pair = axes->u.int_lists[i];
    if (pair.n != 2 || pair.v[0] < 0 || (uint64_t)pair.v[0] >= n)
      return front_fail(o, WEFT_E_RANGE, "attribute 'axes', pair %zu names no input of %zu", i, n);
    const int64_t axis = front_axis(o, pair.v[1], front_rank_of(o, x[pair.v[0]]));
    s[i] = o->failed ? NULL : front_dim_list(o, x[pair.v[0]], axis);
  }
  weft__compose_name(c, "shape", front_as(o, front_joined(o, s, axes->n, 0), t));
  return o->failed;
}

static weft_status empty_build(weft__composing *c) {
  const weft_dtype t = (weft_dtype)weft_node_int(c->desc, WEFT_SLOT_EMPTY_DTYPE);
  if (!weft_dtype_known(t) || t == WEFT_STRING)
    return front_fail(c->o, WEFT_E_DTYPE, "attribute 'dtype': %d is no dtype of numbers", (int)t);
  weft__compose_name(c, "y", front_filled(c->o, weft__composed(c, "shape"), front_num(c->o, t, 0)));
  return c->o->failed;
}

// ---- checks ----
static weft_status non_finite_check_build(weft__composing *c) {
  size_t n;
  weft_value *const *x = weft__composed_all(c, "tensor_list", &n);
  WEFT_TRY(weft__compose_text(c, "found = Less(1, 0)"));
  for (size_t i = 0; i < n; i++) {
    weft__compose_name(c, "x", x[i]);
    WEFT_TRY(weft__compose_text(c,
                                "bad = LogicalNot(IsFinite(x)); found = LogicalOr(found, ReduceAny(bad, "
                                "all(x)))"));
  }
  return weft__compose_text(c, "found_flag = Reshape(f32(found), [1])");
}

// ---- powers ----
// p = 0 counts, infinities ask for the largest or the smallest.
static weft_status lp_norm_reduce_v2_build(weft__composing *c) {
  const double p = weft_node_float(c->desc, WEFT_SLOT_LP_NORM_REDUCE_V2_P);
  WEFT_TRY(weft__compose_text(c, "over = axes(axes, x)"));
  if (isinf(p))
    return weft__compose_text(c, p > 0 ? "y = ReduceMax(Abs(x), over, keep_dims=@keepdim)"
                                       : "y = ReduceMin(Abs(x), over, keep_dims=@keepdim)");
  if (p == 0)
    return weft__compose_text(c, "y = ReduceSum(as(x, NotEqual(x, 0)), over, keep_dims=@keepdim)");
  return weft__compose_text(c, p == 1   ? "y = ReduceSum(Abs(x), over, keep_dims=@keepdim)"
                               : p == 2 ? "y = ReduceSum(Square(x), over, keep_dims=@keepdim)"
                                        : "y = ReduceSum(Pow(Abs(x), p), over, keep_dims=@keepdim)");
}
static weft_status lp_norm_update_v2_build(weft__composing *c) {
  const double p = weft_node_float(c->desc, WEFT_SLOT_LP_NORM_UPDATE_V2_P);
  if (isinf(p) || p == 0 || p == 1)
    return weft__compose_text(c, "y = Maximum(x, epsilon)");
  return weft__compose_text(
      c, p == 2 ? "y = Maximum(Sqrt(x), epsilon)" : "y = Maximum(Pow(x, RealDiv(1, p)), epsilon)");
}
static weft_status global_lp_pool_build(weft__composing *c) {
  weft_value *x = weft__composed(c, "x");
  const int rank = front_rank_of(c->o, x);
  int64_t over[WEFT_MAX_RANK];
  if (c->o->failed)
    return c->o->failed;
  if (rank < 3)
    return front_fail(c->o, WEFT_E_SHAPE, "input 'x' has rank %d, expected 3 or more", rank);
  for (int k = 2; k < rank; k++)
    over[k - 2] = k;
  weft__compose_name(c, "over", front_list(c->o, over, (size_t)rank - 2));
  return weft__compose_text(c, "y = Pow(ReduceSum(Pow(Abs(x), p), over, keep_dims=true), RealDiv(1, p))");
}
static weft_status log_space_d_build(weft__composing *c) {
  const int64_t steps = weft_node_int(c->desc, WEFT_SLOT_LOG_SPACE_D_STEPS);
  const double start = weft_node_float(c->desc, WEFT_SLOT_LOG_SPACE_D_START);
  const double end = weft_node_float(c->desc, WEFT_SLOT_LOG_SPACE_D_END);
  const weft_dtype t = (weft_dtype)weft_node_int(c->desc, WEFT_SLOT_LOG_SPACE_D_DTYPE);
  const weft_dim have = front_dim(weft__composed(c, "assist"), 0);
  if (steps < 0 || (have >= 0 && have != steps))
    return front_fail(c->o, WEFT_E_SHAPE, "attribute 'steps' is %lld, input 'assist' has %lld elements",
                      (long long)steps, (long long)have);
  if (t != WEFT_FLOAT && t != WEFT_FLOAT16)
    return front_fail(c->o, WEFT_E_DTYPE, "attribute 'dtype': expected 0 (f32) or 1 (f16), got %d", (int)t);
  weft__compose_name(c, "step",
                     front_num(c->o, WEFT_FLOAT, steps > 1 ? (end - start) / (double)(steps - 1) : 0));
  WEFT_TRY(weft__compose_text(c, "y = Pow(f32(base), Add(f32(start), Mul(f32(assist), step)))"));
  weft__compose_name(c, "y", front_as(c->o, weft__composed(c, "y"), t));
  return c->o->failed;
}

// ---- AudioSpectrogram: magnitudes of the transforms of windowed parts, each filled up to a power of two
// ----
static weft_status audio_spectrogram_build(weft__composing *c) {
  front_op *o = c->o;
  const int64_t window = weft_node_int(c->desc, WEFT_SLOT_AUDIO_SPECTROGRAM_WINDOW_SIZE);
  const int64_t stride = weft_node_int(c->desc, WEFT_SLOT_AUDIO_SPECTROGRAM_STRIDE);
  int64_t n = 1;
  if (window < 2 || window > INT64_C(1) << 24 || stride < 1)
    return front_fail(o, WEFT_E_RANGE,
                      "attributes 'window_size' and 'stride' are %lld and %lld; expected 2 to 2^24, and 1 "
                      "or more",
                      (long long)window, (long long)stride);
  while (n < window)
    n *= 2;
  const int64_t behind[2] = {0, n - window};
  const int64_t behind_rows[4] = {0, 0, 0, n - window};
  weft__compose_name(c, "count", front_counting(o, front_index(o, window)));
  weft__compose_name(c, "step", front_num(o, WEFT_FLOAT, 6.28318530717958648 / (double)window));
  weft__compose_name(c, "pads", front_list(o, behind, 2));
  weft__compose_name(c, "row_pads", front_list(o, behind_rows, 4));
  WEFT_TRY(weft__compose_text(c,
                              "w = PadV3(Sub(0.5, Mul(0.5, Cos(Mul(f32(count), step)))), pads, _none?); "
                              "v = PadV3(TransposeD(x, perm=[1,0]), row_pads, _none?)"));
  front_set_int(o, "n_fft", n);
  front_set_int(o, "hop_length", stride);
  front_set_bool(o, "return_complex", false);
  weft__compose_name(c, "z", front_do(o, "STFT", weft__composed(c, "v"), weft__composed(c, "w"), NULL));
  WEFT_TRY(weft__compose_text(c, "spectrogram = TransposeD(ReduceSum(Square(z), [-1]), perm=[0,2,1])"));
  if (!weft_node_bool(c->desc, WEFT_SLOT_AUDIO_SPECTROGRAM_MAGNITUDE_SQUARED))
    WEFT_TRY(weft__compose_text(c, "spectrogram = Sqrt(spectrogram)"));
  return o->failed;
}

// ---- the last axis only ----
static weft_status reflection_pad_1d_build(weft__composing *c) {
  static const int64_t none[2 * WEFT_MAX_RANK] = {0};
  const int rank = front_rank_of(c->o, weft__composed(c, "x"));
  if (c->o->failed)
    return c->o->failed;
  if (rank < 1)
    return front_fail(c->o, WEFT_E_SHAPE, "input 'x' has rank 0, expected 1 or more");
  weft_value *parts[2] = {front_list(c->o, none, 2 * ((size_t)rank - 1)), weft__composed(c, "paddings")};
  weft__compose_name(c, "pads", front_joined(c->o, parts, 2, 0));
  return weft__compose_text(c, "y = PadV3(x, pads, _none?, mode='reflect')");
}

static weft_status index_put_build(weft__composing *c) {
  const bool adds = weft_node_int(c->desc, WEFT_SLOT_INDEX_PUT_ACCUMULATE) != 0;
  return weft__compose_text(
      c, adds ? "y = TensorScatterUpdate(x1, Unsqueeze(list(indices), axes=[-1]), x2, reduction='add')"
              : "y = TensorScatterUpdate(x1, Unsqueeze(list(indices), axes=[-1]), x2)");
}

// The attribute that names the output's dtype.
static weft_status log_space_d_dtype(weft_infer *it) {
  it->out_dtype[0] = (weft_dtype)weft_node_int(it->desc, WEFT_SLOT_LOG_SPACE_D_DTYPE);
  return WEFT_OK;
}
static weft_status gather_shapes_dtype(weft_infer *it) {
  it->out_dtype[0] = (weft_dtype)weft_node_int(it->desc, WEFT_SLOT_GATHER_SHAPES_DTYPE);
  return WEFT_OK;
}
static weft_status empty_dtype(weft_infer *it) {
  it->out_dtype[0] = (weft_dtype)weft_node_int(it->desc, WEFT_SLOT_EMPTY_DTYPE);
  return WEFT_OK;
}

static weft_status confusion_transpose_input_build(weft__composing *c) {
  const bool first = weft_node_bool(c->desc, WEFT_SLOT_CONFUSION_TRANSPOSE_TRANSPOSE_FIRST);
  return weft__compose_text(c, first ? "y = Reshape(TransposeD(x, perm=@perm), shape, allowzero=true)"
                                     : "y = TransposeD(Reshape(x, shape, allowzero=true), perm=@perm)");
}

// Each tensor in as many chunks of an axis, the last filled up with zeros; chunks of all tensors side by
// side, flat.
static weft_value *chunk_cat_one(front_op *o, weft_value *x, int64_t dim, int64_t chunks) {
  const int rank = front_rank(x);
  weft_value *by = front_list(o, &chunks, 1);
  weft_value *over = front_do(o, "FloorMod", front_dim_list(o, x, dim), by, NULL);
  weft_value *pads[3] = {front_list(o, (const int64_t[2 * WEFT_MAX_RANK]){0}, 2 * (size_t)dim + 1),
                         front_do(o, "FloorMod", front_do(o, "Sub", by, over, NULL), by, NULL),
                         front_list(o, (const int64_t[2 * WEFT_MAX_RANK]){0}, 2 * (size_t)(rank - dim - 1))};
  x = front_do(o, "PadV3", x, front_joined(o, pads, 3, 0), NULL);
  weft_value *shape[2] = {front_part(o, front_shape(o, x), 0, 0, dim),
                          front_list(o, (int64_t[]){chunks, -1}, 2)};
  return front_reshape(o, x, front_joined(o, shape, 2, 0));
}
static weft_status chunk_cat_build(weft__composing *c) {
  size_t n;
  weft_value *const *x = weft__composed_all(c, "x", &n);
  const int64_t chunks = weft_node_int(c->desc, WEFT_SLOT_CHUNK_CAT_NUM_CHUNKS);
  weft_value **parts = WEFT_NEW_N(&c->o->f->arena, weft_value *, n + 1);
  int64_t dim = 0;
  if (!parts)
    return front_fail(c->o, WEFT_E_NOMEM, "out of memory");
  if (chunks < 1)
    return front_fail(c->o, WEFT_E_RANGE, "attribute 'num_chunks' is %lld, expected more than 0",
                      (long long)chunks);
  for (size_t i = 0; i < n; i++) {
    dim = front_axis(c->o, weft_node_int(c->desc, WEFT_SLOT_CHUNK_CAT_DIM), front_rank_of(c->o, x[i]));
    WEFT_TRY(c->o->failed);
    parts[i] = chunk_cat_one(c->o, x[i], dim, chunks);
  }
  weft__compose_name(c, "y", front_joined(c->o, parts, n, dim + 1));
  return c->o->failed;
}
static weft_status chunk_cat_dtype(weft_infer *it) {
  it->out_dtype[0] = it->in_dtype[0];
  return WEFT_OK;
}

#define TYPED(op_name, says, of, reads, ...)                                                          \
  {                                                                                                   \
    .name = op_name, .summary = says, .traits = WEFT_SYMBOLIC, .infer = weft__composed_infer,         \
    .infer_dtype = of##_dtype, .ref = weft__composed_ref, .values = reads,                            \
    .user = (&(const weft__composition){.build = of##_build}), .examples = WEFT_EXAMPLES(__VA_ARGS__) \
  }

// clang-format off
WEFT_ROWS(parts) = {
    TYPED("ChunkCat", "chunks of tensors side by side", chunk_cat, NULL,
          "[f32[3]{1,2,3}, f32[2]{4,5}] dim=0 num_chunks=2 -> f32[2,3]{1,2,4,3,0,5}",
          "[f16[2,3], f16[2,N]] dim=1 num_chunks=2 -> f16[2,2,-1]",
          "[f32[2]] dim=0 num_chunks=0 !! E_RANGE num_chunks"),
    COMPOSED_BY("Crop", "a part as large as another tensor", crop_build,
                "f32[1,1,3]{1,2,3}, f32[1,1,2]{0,0} axis=2 offsets=[1] -> f32[1,1,2]{2,3}",
                "i32[2,3]{1,2,3,4,5,6}, i32[1,2]{0,0} axis=0 offsets=[1,0] -> i32[1,2]{4,5}",
                "f32[1,1,3]{1,2,3}, f32[1,1,2]{1,1} axis=2 offsets=[2] !! E_RANGE 2 elements from 2 on",
                "f32[3], f32[2,2] axis=0 offsets=[0] !! E_SHAPE has rank 1"),
    COMPOSED_READS_BY("StridedSliceGrad", "zeros, and dy where a slice was taken from",
                      "shape,begin,end,strides", strided_slice_grad_build,
                      "i32[2]{2,3}, i32[2]{0,0}, i32[2]{2,3}, i32[2]{1,2}, f32[2,2]{1,2,3,4} -> "
                      "f32[2,3]{1,0,2,3,0,4}",
                      "i32[1]{3}, i32[1]{1}, i32[1]{2}, i32[1]{1}, f32[]{5} shrink_axis_mask=1 -> "
                      "f32[3]{0,5,0}",
                      "i32[1]{-3}, i32[1]{1}, i32[1]{2}, i32[1]{1}, f32[1]{5} !! E_RANGE size 0 of the "
                      "shape is -3"),
    COMPOSED_BY("StridedSliceGradD", "zeros, and dy where a slice was taken from", strided_slice_grad_d_build,
                "f32[2]{1,2} shape=[4] begin=[3] end=[-5] strides=[-2] -> f32[4]{0,2,0,1}",
                "f32[2]{1,2} shape=[4] begin=[0] end=[3] strides=[1] !! E_SHAPE"),
    COMPOSED_READS_BY("ConfusionTranspose", "a reshape and a transpose, in either order", "shape",
                      confusion_transpose_input_build,
                      "f32[2,2]{1,2,3,4}, i64[1]{4} perm=[1,0] transpose_first=true -> f32[4]{1,3,2,4}",
                      "f32[4]{1,2,3,4}, i32[2]{2,2} perm=[1,0] transpose_first=false -> f32[2,2]{1,3,2,4}",
                      "f32[4]{1,2,3,4}, i32[2]{2,3} perm=[1,0] transpose_first=false !! E_SHAPE"),
    COMPOSED_BY("GetShape", "the shapes of all inputs, one behind the other", get_shape_build,
                "[f32[2,1]{1,2}, i8[3]{1,2,3}] -> i32[3]{2,1,3}", "[f32[]{1}] -> i32[0]"),
    TYPED("GatherShapes", "sizes of axes of the inputs", gather_shapes, NULL,
          "[f32[2,1]{1,2}, i8[3]{1,2,3}] axes=[[1,0],[0,-1]] -> i32[2]{3,1}",
          "[f32[2,3]] axes=[[0,0]] dtype=9 -> i64[1]",
          "[f32[2,3]] axes=[[1,0]] !! E_RANGE pair 0 names no input of 1"),
    TYPED("Empty", "a tensor of a shape; weft fills it with zeros", empty, "shape",
          "i32[2]{1,2} -> i32[1,2]{0,0}", "i32[1]{2} dtype=0 init=true -> f32[2]{0,0}",
          "i32[1]{2} dtype=99 !! E_DTYPE 99"),
    COMPOSED_BY("NonFiniteCheck", "whether any element is infinite or no number", non_finite_check_build,
                "[f32[2]{1,2}, f32[1]{inf}] -> f32[1]{1}", "[f16[2]{1,2}, f16[0]] -> f32[1]{0}"),
    COMPOSED_WIDE_BY("LpNormReduceV2", "sums of powers over axes", lp_norm_reduce_v2_build,
                     "f32[2]{3,4} -> f32[]{25}", "f32[2]{3,-4} p=inf axes=[0] keepdim=true -> f32[1]{4}",
                     "f32[2]{3,4} axes=[1] !! E_RANGE"),
    COMPOSED_WIDE_BY("LpNormUpdateV2", "roots of sums of powers", lp_norm_update_v2_build,
                     "f32[1]{25} -> f32[1]{5}", "f32[1]{8} p=3 -> f32[1]{2} ~1e-6"),
    COMPOSED_WIDE_BY("GlobalLpPool", "the norm of each channel", global_lp_pool_build,
                     "f32[1,1,2]{3,4} -> f32[1,1,1]{5} ~1e-6", "f32[N,3,4,5] p=1 -> f32[N,3,1,1]",
                     "f32[2,2] !! E_SHAPE has rank 2"),
    TYPED("LogSpaceD", "powers whose exponents lie evenly; assist counts from 0", log_space_d, NULL,
          "f32[3]{0,1,2} start=0 end=2 steps=3 dtype=0 -> f32[3]{1,10,100} ~1e-5",
          "f16[1]{0} start=1 end=2 steps=1 base=2 -> f16[1]{2}",
          "f32[2] start=0 end=2 steps=3 dtype=0 !! E_SHAPE has 2 elements"),
    COMPOSED("IndexFillD", "x times one assist, plus the other", "y = Add(Mul(x, assist1), assist2)",
             "f32[2]{1,2}, f32[2]{1,0}, f32[2]{0,9} dim=0 -> f32[2]{1,9}"),
    COMPOSED_BY("AudioSpectrogram", "magnitudes of the transforms of parts of a sound",
                audio_spectrogram_build,
                "f32[4,1]{1,1,1,1} window_size=2 stride=1 -> f32[1,3,2]{1,1,1,1,1,1} ~1e-6",
                "f32[4,1]{0,2,0,2} window_size=2 stride=2 magnitude_squared=true -> f32[1,2,2]{4,4,4,4} "
                "~1e-6", "f32[16,N] window_size=5 stride=2 -> f32[N,6,5]",
                "f32[4,1] window_size=1 stride=1 !! E_RANGE are 1 and 1"),
    COMPOSED_READS_BY("ReflectionPad1dV2", "the last axis continued by its reflection", "paddings",
                      reflection_pad_1d_build, "f32[1,3]{1,2,3}, i64[2]{2,1} -> f32[1,6]{3,2,1,2,3,2}",
                      "f32[]{1}, i64[2]{2,0} !! E_SHAPE has rank 0"),
    COMPOSED_BY("IndexPut", "slices along axis 0 replaced or added to", index_put_build,
                "f32[2]{1,2}, f32[2]{8,9} indices=[1,0] -> f32[2]{9,8}",
                "f32[2]{1,2}, f32[2]{8,9} indices=[1,1] accumulate=1 -> f32[2]{1,19}",
                "f32[2]{1,2}, f32[1]{8} indices=[2] !! E_RANGE"),
    COMPOSED_READS("SortedSparseSegmentMeanGrad",
                   "the gradient of SparseSegmentMean, its indices sorted beforehand", "output_dim0",
                   "indices = ScatterNd(Unsqueeze(pre_location_indices, axes=[-1]), sorted_indices, "
                   "Shape(segment_ids)); y = SparseSegmentMeanGrad(x, indices, segment_ids, output_dim0)",
                   "f32[2]{2,8}, i32[3]{0,2,2}, i32[3]{1,0,2}, i32[3]{0,0,1}, i32[]{3} -> f32[3]{1,0,9}"),
    COMPOSED_FINDS("UniqueWithCountsAndSorting",
                   "distinct values, which one each element is, and how often they occur",
                   "y, _first, counts, at = UniqueWithCountsExt2(Reshape(x, [-1]), [0], sorted=@sorted, "
                   "out_idx=@out_idx); indices = Reshape(at, Shape(x))",
                   "i32[2,2]{3,1,3,2} -> i32[3]{1,2,3}, i64[2,2]{2,0,2,1}, i64[3]{1,1,2}",
                   "f32[3]{3,1,3} sorted=false out_idx=i32 -> f32[2]{3,1}, i32[3]{0,1,0}, i32[2]{2,1}"),
    COMPOSED("ReadVariableOp", "x", "y = Identity(x)", "f32[2]{1,2} -> f32[2]{1,2}"),
    COMPOSED("GuaranteeConst", "x", "y = Identity(x)", "f32[2]{1,2} -> f32[2]{1,2}"),
    COMPOSED("InternalDataMove", "x", "y = Identity(x)",
             "f32[2]{1,2} src_buf=\"UB\" dst_buf=\"L1\" -> f32[2]{1,2}"),
    {0},
};
// SPDX-License-Identifier: Apache-2.0
