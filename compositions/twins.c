// compositions/twins.c - AscendIR's older and newer forms of an operator, and those with attributes for
// inputs: the same concept with other ports. What a form adds that changes nothing on a CPU (hf32, assist
// inputs) is not read.
#include "compose/compose.h"

#include "air_slots.h"

// ---- what attributes decide ----
static weft_status confusion_transpose_build(weft__composing *c) {
  bool first = weft_node_bool(c->desc, WEFT_SLOT_CONFUSION_TRANSPOSE_D_TRANSPOSE_FIRST);
  return weft__compose_text(c, first ? "y = Reshape(TransposeD(x, perm=@perm), list(shape), allowzero=true)"
                                     : "y = TransposeD(Reshape(x, list(shape), allowzero=true), perm=@perm)");
}

static weft_status conv2d_v2_build(weft__composing *c) {
  const char *mode = weft_node_str(c->desc, WEFT_SLOT_CONV2_DV2_PAD_MODE);
  if (strcmp(mode, "SPECIFIC")) {
    return front_fail(c->o, WEFT_E_UNSUPPORTED,
                      "attribute 'pad_mode': only SPECIFIC is read, with explicit pads, not '%s'", mode);
  }
  return weft__compose_text(
      c,
      "y = Conv2D(x, filter, bias?, offset_w?, strides=@strides, pads=@pads, dilations=@dilations, "
      "groups=@groups, data_format=@data_format, offset_x=@offset_x)");
}

static weft_status div_v3_build(weft__composing *c) {
  int64_t mode = weft_node_int(c->desc, WEFT_SLOT_DIV_V3_MODE);
  if (mode < 0 || mode > 2)
    return front_fail(c->o, WEFT_E_RANGE,
                      "attribute 'mode': expected 0 (exact), 1 (towards 0) or 2 (down), got %lld",
                      (long long)mode);
  static const char *const text[3] = {"y = RealDiv(x1, x2)",
                                      "q = RealDiv(x1, x2); y = Mul(Sign(q), Floor(Abs(q)))",
                                      "y = Floor(RealDiv(x1, x2))"};
  return weft__compose_text(c, text[mode]);
}

// The dim is an input or an attribute.
static weft_status gather_d_build(weft__composing *c) {
  int64_t dim[1];
  size_t n;
  if (!front_known_ints(weft__composed(c, "dim"), dim, 1, &n) || n != 1)
    return front_fail(c->o, WEFT_E_UNKNOWN, "input 'dim' is not known");
  front_set_int(c->o, "dim", dim[0]);
  weft__compose_name(
      c, "y", front_do(c->o, "GatherElements", weft__composed(c, "x"), weft__composed(c, "index"), NULL));
  return c->o->failed;
}

// All of an axis in order. y2 NULL: the values alone.
static weft_status sort_into(weft__composing *c, int64_t axis, bool descending, weft_dtype index) {
  weft_value *x = weft__composed(c, "x");
  int rank = front_rank_of(c->o, x);
  axis = front_axis(c->o, axis, rank);
  if (c->o->failed)
    return c->o->failed;
  weft_value *k = rank ? front_dim_index(c->o, x, axis) : front_index(c->o, 1);
  front_set_int(c->o, "dim", axis);
  front_set_bool(c->o, "largest", descending);
  front_set_int(c->o, "indices_dtype", index);
  weft_value *y = front_do(c->o, "TopKV2", x, k, NULL);
  if (!y)
    return c->o->failed;
  weft__compose_name(c, "y1", y);
  weft__compose_name(c, "y", y);
  weft__compose_name(c, "y2", y + 1);
  return c->o->failed;
}
static weft_status sort_build(weft__composing *c) {
  return sort_into(c, weft_node_int(c->desc, WEFT_SLOT_SORT_AXIS),
                   weft_node_bool(c->desc, WEFT_SLOT_SORT_DESCENDING),
                   weft_node_dtype(c->desc, WEFT_SLOT_SORT_Y2_DTYPE));
}
static weft_status sort_dtype(weft_infer *it) {
  it->out_dtype[0] = it->in_dtype[0];
  it->out_dtype[1] = weft_node_dtype(it->desc, WEFT_SLOT_SORT_Y2_DTYPE);
  return WEFT_OK;
}
static weft_status sort_v2_build(weft__composing *c) {
  return sort_into(c, weft_node_int(c->desc, WEFT_SLOT_SORT_V2_AXIS),
                   weft_node_bool(c->desc, WEFT_SLOT_SORT_V2_DESCENDING), WEFT_INT32);
}

// A condition of rank 1 picks whole rows of x1 and x2.
static weft_status select_build(weft__composing *c) {
  weft_value *condition = weft__composed(c, "condition");
  weft_value *x = weft__composed(c, "x1");
  int rows = front_rank_of(c->o, condition);
  int rank = front_rank_of(c->o, x);
  for (int i = 1; rows == 1 && i < rank; i++)
    condition = front_unsqueezed(c->o, condition, i);
  weft__compose_name(c, "y", front_do(c->o, "SelectV2", condition, x, weft__composed(c, "x2")));
  return c->o->failed;
}

// alpha x2 + x1 in the type that all three promote to.
static weft_status axpy_v2_build(weft__composing *c) {
  weft_value *v[3] = {weft__composed(c, "x1"), weft__composed(c, "x2"), weft__composed(c, "alpha")};
  weft_dtype t = weft_dtype_promote(v[0]->fact.dtype, weft_dtype_promote(v[1]->fact.dtype, v[2]->fact.dtype));
  for (size_t i = 0; i < 3; i++)
    v[i] = front_as(c->o, v[i], t);
  weft_value *product = front_do(c->o, "Mul", v[1], v[2], NULL);
  weft__compose_name(c, "y", front_do(c->o, "Add", v[0], product, NULL));
  return c->o->failed;
}

// Without itself an element begins as what changes nothing; for the largest and the least any of the updates
// will do.
static weft_status scatter_elements_v2_build(weft__composing *c) {
  const char *how = weft_node_str(c->desc, WEFT_SLOT_SCATTER_ELEMENTS_V2_REDUCTION);
  if (!weft_node_bool(c->desc, WEFT_SLOT_SCATTER_ELEMENTS_V2_INCLUDE_SELF)) {
    WEFT_TRY(weft__compose_text(c, !strcmp(how, "add")   ? "first = ZerosLike(updates)"
                                   : !strcmp(how, "mul") ? "first = OnesLike(updates)"
                                                         : "first = updates"));
    WEFT_TRY(weft__compose_text(c, "var = ScatterElements(var, indices, first, axis=@axis)"));
  }
  return weft__compose_text(c,
                            "var = ScatterElements(var, indices, updates, axis=@axis, reduction=@reduction)");
}

// ---- the forms ----
#define MASKS                                                                                                \
  "begin_mask=@begin_mask, end_mask=@end_mask, ellipsis_mask=@ellipsis_mask, new_axis_mask=@new_axis_mask, " \
  "shrink_axis_mask=@shrink_axis_mask"
#define PRODUCT "transpose_x1=@transpose_x1, transpose_x2=@transpose_x2"
#define REDUCED(name, of, says, ...) \
  COMPOSED(name, says, "y = " of "(x, list(axes), keep_dims=@keep_dims)", __VA_ARGS__)
#define SAME(name, of, in, out, set) COMPOSED(name, of " by another name", out " = " of "(" in ")", set)

WEFT_ROWS(twins) = {
    // copies
    SAME("StopGradient", "Identity", "x", "y", "f32[2]{1,2} -> f32[2]{1,2}"),
    SAME("PreventGradient", "Identity", "x", "y", "f32[2]{1,2} -> f32[2]{1,2}"),
    SAME("Snapshot", "Identity", "x", "y", "f32[2]{1,2} -> f32[2]{1,2}"),
    SAME("TensorMove", "Identity", "x", "y", "f32[N] -> f32[N]"),
    SAME("PlaceholderWithDefault", "Identity", "x", "y", "f32[2]{1,2} shape=[2] -> f32[2]{1,2}"),
    COMPOSED("CastLike", "x in the dtype of target", "y = as(target, x)",
             "f32[2]{1.5,-2.5}, i32[1]{0} -> i32[2]{1,-2}"),
    COMPOSED("Assign", "the value that ref has from now on", "ref = Identity(value)",
             "f32[2]{1,2}, f32[2]{3,4} -> f32[2]{3,4}"),
    COMPOSED("AssignAdd", "ref + value, which ref is from now on", "ref = Add(ref, value)",
             "f32[2]{1,2}, f32[2]{3,4} -> f32[2]{4,6}"),
    COMPOSED("AssignSub", "var - value, which var is from now on", "var = Sub(var, value)",
             "f32[2]{1,2}, f32[2]{3,5} -> f32[2]{-2,-3}"),
    // element by element
    SAME("AddV2", "Add", "x1, x2", "y", "f32[N,2], f32[2] -> f32[N,2]"),
    SAME("SubV2", "Sub", "x1, x2", "y", "f32[2]{1,2}, f32[2]{3,4} -> f32[2]{-2,-2}"),
    SAME("MulV2", "Mul", "x1, x2", "y", "f32[2]{1,2}, f32[2]{3,4} -> f32[2]{3,8}"),
    SAME("DivV2", "Div", "x1, x2", "y", "f32[2]{1,2}, f32[2]{2,4} -> f32[2]{0.5,0.5}"),
    COMPOSED_BY("DivV3", "x1 / x2, exact or rounded", div_v3_build,
                "f32[2]{1,-7}, f32[2]{2,2} -> f32[2]{0.5,-3.5}",
                "f32[2]{1,-7}, f32[2]{2,2} mode=1 -> f32[2]{0,-3}",
                "f32[2]{1,-7}, f32[2]{2,2} mode=2 -> f32[2]{0,-4}",
                "f32[1], f32[1] mode=3 !! E_RANGE 'mode'"),
    SAME("MaximumV2", "Maximum", "x1, x2", "y", "f32[2]{1,2}, f32[2]{3,0} -> f32[2]{3,2}"),
    SAME("CeilV2", "Ceil", "x", "z", "f32[2]{1.2,-1.2} -> f32[2]{2,-1}"),
    SAME("SquareV2", "Square", "x", "z", "f32[2]{1,-3} -> f32[2]{1,9}"),
    SAME("TanV2", "Tan", "x", "y", "f32[1]{0} -> f32[1]{0}"),
    SAME("Log1pV2", "Log1p", "x1", "y", "f32[1]{0} -> f32[1]{0}"),
    SAME("InvertV2", "Invert", "x1", "y", "i16[2]{0,1} -> i16[2]{-1,-2}"),
    SAME("ReluV2", "Relu", "x", "y", "f32[2]{-1,2} -> f32[2]{0,2}"),
    SAME("SoftPlusV2", "Softplus", "x", "y", "f32[1]{0} -> f32[1]{0.693147} ~1e-6"),
    COMPOSED("Relu6D", "x between 0 and 6 scale",
             "y = Minimum(Relu(x), Muls(Fills(x, value=6), value=@scale))",
             "f32[3]{-1,2,9} scale=0.5 -> f32[3]{0,2,3}"),
    COMPOSED("SoftplusV2", "ln(1 + e^(beta x)) / beta; x where beta x is over the threshold",
             "b = Muls(x, value=@beta); y = SelectV2(Greater(b, threshold), x, RealDiv(Softplus(b), beta))",
             "f32[2]{0,30} -> f32[2]{0.693147,30} ~1e-6"),
    COMPOSED("AxpyV3", "a x + y", "z = Add(Muls(x, value=@a), y)",
             "f32[2]{1,2}, f32[2]{10,20} a=3 -> f32[2]{13,26}"),
    COMPOSED_BY("AxpyV2", "x1 + alpha x2", axpy_v2_build,
                "f32[2]{1,2}, f32[2]{10,20}, f32[1]{2} -> f32[2]{21,42}",
                "i32[2]{1,2}, f32[2]{10,20}, i32[1]{2} -> f32[2]{21,42}"),
    COMPOSED_BY("Select", "x1 where the condition holds, x2 elsewhere; a condition of rank 1 picks rows",
                select_build,
                "bool[2]{true,false}, f32[2,2]{1,2,3,4}, f32[2,2]{5,6,7,8} -> f32[2,2]{1,2,7,8}",
                "bool[2,2], f32[2,2], f32[2,2] -> f32[2,2]"),
    COMPOSED("MaskedFill", "value where the mask holds, x elsewhere", "z = SelectV2(mask, as(x, value), x)",
             "f32[2]{1,2}, bool[2]{true,false}, f32[]{9} -> f32[2]{9,2}"),
    COMPOSED_FINDS("MaskedSelect", "the elements of x where the mask holds, in their order",
                   "m = BroadcastTo(mask, Shape(x)); y = GatherNd(x, Where(m))",
                   "f32[3]{1,2,3}, bool[3]{true,false,true} -> f32[2]{1,3}"),
    // products
    COMPOSED("MatMul", "the product of two matrices", "y = MatMulV2(x1, x2, bias?, " PRODUCT ")",
             "f32[1,2]{1,2}, f32[2,1]{3,4} -> f32[1,1]{11}", "f32[N,4], f32[4,3], f32[3] -> f32[N,3]"),
    COMPOSED("MatMulV3", "the product of two matrices", "y = MatMulV2(x1, x2, bias?, offset_w?, " PRODUCT ")",
             "f32[1,2]{1,2}, f32[2,1]{3,4} -> f32[1,1]{11}"),
    COMPOSED("BatchMatMul", "products of matrices, batch by batch",
             "y = BatchMatMulV2(x1, x2, adj_x1=@adj_x1, adj_x2=@adj_x2)",
             "f32[1,1,2]{1,2}, f32[1,2,1]{3,4} -> f32[1,1,1]{11}"),
    COMPOSED("BatchMatMulV3", "products of matrices, batch by batch",
             "y = BatchMatMulV2(x1, x2, bias?, offset_w?, adj_x1=@adj_x1, adj_x2=@adj_x2)",
             "f32[1,1,2]{1,2}, f32[1,2,1]{3,4} -> f32[1,1,1]{11}"),
    COMPOSED("GemmV2", "alpha a b + beta c in c's place",
             "c = GEMM(f32(a), f32(b), c, f32(alpha), f32(beta), transpose_a=@transpose_a, "
             "transpose_b=@transpose_b)",
             "f16[1,2]{1,2}, f16[2,1]{3,4}, f16[1]{2}, f16[1]{1}, f32[1,1]{5} -> f32[1,1]{27}"),
    COMPOSED("Ger", "the outer product of two vectors",
             "y = Mul(Unsqueeze(x1, axes=[1]), Unsqueeze(x2, axes=[0]))",
             "f32[2]{1,2}, f32[2]{3,4} -> f32[2,2]{3,4,6,8}"),
    COMPOSED("GerV2", "A + alpha x y, the outer product",
             "z = Add(A, Muls(Mul(Unsqueeze(x, axes=[1]), Unsqueeze(y, axes=[0])), value=@alpha))",
             "f32[2]{1,2}, f32[1]{3}, f32[2,1]{1,1} alpha=2 -> f32[2,1]{7,13}"),
    COMPOSED("Dot", "the product of two vectors", "output = ReduceSum(Mul(input_x, input_y), [0])",
             "f32[2]{1,2}, f32[2]{3,4} -> f32[]{11}"),
    COMPOSED("DotV2", "the product of two vectors", "y = ReduceSum(Mul(x1, x2), [0])",
             "f32[2]{1,2}, f32[2]{3,4} -> f32[]{11}"),
    COMPOSED_BY("Conv2DV2", "Conv2D with a mode of padding", conv2d_v2_build,
                "f32[1,1,2,2]{1,2,3,4}, f32[1,1,1,1]{2} strides=[1,1,1,1] -> f32[1,1,2,2]{2,4,6,8}"),
    COMPOSED(
        "AvgPool", "means of windows, padded as TensorFlow's words say",
        "y = AvgPoolV2(x, ksize=@ksize, strides=@strides, padding_mode=@padding, data_format=@data_format)",
        "f32[1,2,2,1]{1,2,3,6} ksize=[1,2,2,1] strides=[1,2,2,1] padding=\"VALID\" -> f32[1,1,1,1]{3}"),
    // along axes
    REDUCED("ReduceSumD", "ReduceSum", "sums over axes", "f32[2,2]{1,2,3,4} axes=[1] -> f32[2]{3,7}",
            "f32[N,3] axes=[1] keep_dims=true -> f32[N,1]"),
    REDUCED("ReduceMaxD", "ReduceMax", "the largest over axes", "f32[2,2]{1,2,3,4} axes=[1] -> f32[2]{2,4}"),
    REDUCED("ReduceMinD", "ReduceMin", "the smallest over axes", "f32[2,2]{1,2,3,4} axes=[1] -> f32[2]{1,3}"),
    REDUCED("ReduceMeanD", "ReduceMean", "means over axes", "f32[2,2]{1,2,3,4} axes=[1] -> f32[2]{1.5,3.5}"),
    REDUCED("ReduceProdD", "ReduceProd", "products over axes", "f32[2,2]{1,2,3,4} axes=[1] -> f32[2]{2,12}"),
    REDUCED("ReduceAllD", "ReduceAll", "whether all hold over axes",
            "bool[2]{true,false} axes=[0] -> bool[]{false}"),
    REDUCED("ReduceAnyD", "ReduceAny", "whether any holds over axes",
            "bool[2]{true,false} axes=[0] -> bool[]{true}"),
    COMPOSED("ArgMaxD", "the place of the largest along an axis", "y = ArgMaxV2(x, int(dimension), dtype=3)",
             "f32[2,2]{1,2,4,3} dimension=1 -> i32[2]{1,0}"),
    COMPOSED("ArgMinD", "the place of the smallest along an axis", "y = ArgMin(x, int(dimension), dtype=3)",
             "f32[2,2]{1,2,4,3} dimension=1 -> i32[2]{0,1}"),
    COMPOSED("CumsumD", "sums so far along an axis",
             "y = Cumsum(x, int(axis), exclusive=@exclusive, reverse=@reverse)",
             "f32[3]{1,2,3} axis=0 -> f32[3]{1,3,6}"),
    COMPOSED("CumprodD", "products so far along an axis",
             "y = Cumprod(x, int(axis), exclusive=@exclusive, reverse=@reverse)",
             "f32[3]{1,2,3} axis=0 -> f32[3]{1,2,6}"),
    {.name = "Sort",
     .summary = "an axis in order, and where each came from",
     .traits = WEFT_SYMBOLIC,
     .infer = weft__composed_infer,
     .infer_dtype = sort_dtype,
     .ref = weft__composed_ref,
     .user = (&(const weft__composition){.build = sort_build}),
     .examples = WEFT_EXAMPLES("f32[3]{3,1,2} -> f32[3]{1,2,3}, i32[3]{1,2,0}",
                               "f32[3]{3,1,2} descending=true -> f32[3]{3,2,1}, i32[3]{0,2,1}")},
    COMPOSED_BY("SortV2", "an axis in order", sort_v2_build, "f32[3]{3,1,2} -> f32[3]{1,2,3}"),
    COMPOSED_READS("TopK", "the k largest along an axis, and their places", "k",
                   "values, indices = TopKV2(x, k, sorted=@sorted, largest=@largest, dim=@dim)",
                   "f32[3]{3,1,2}, i32[1]{2} -> f32[2]{3,2}, i32[2]{0,2}"),
    COMPOSED("TopKD", "the k largest along an axis, and their places",
             "values, indices = TopKV2(x, int(k), sorted=@sorted, largest=@largest, dim=@dim)",
             "f32[3]{3,1,2}, f16[6]{0..} k=2 -> f32[2]{3,2}, i32[2]{0,2}"),
    COMPOSED_READS("TopKV2D", "the k largest along an axis, and their places", "k",
                   "values, indices = TopKV2(x, k, sorted=@sorted, largest=@largest, dim=@dim)",
                   "f32[3]{3,1,2}, i32[1]{2}, f16[6]{0..} -> f32[2]{3,2}, i32[2]{0,2}"),
    // shapes
    COMPOSED("SqueezeV2", "x without axes of size 1", "y = Squeeze(x, axis=@axis)",
             "f32[1,2]{1,2} axis=[0] -> f32[2]{1,2}"),
    COMPOSED("UnsqueezeV2", "x with more axes of size 1", "y = Unsqueeze(x, axes=@axis)",
             "f32[2]{1,2} axis=[0] -> f32[1,2]{1,2}"),
    COMPOSED("BroadcastToD", "x repeated along axes of size 1", "y = BroadcastTo(x, list(shape))",
             "f32[1]{5} shape=[2] -> f32[2]{5,5}"),
    COMPOSED("ExpandD", "x repeated along axes of size 1", "y = Expand(x, list(shape))",
             "f32[1]{5} shape=[2] -> f32[2]{5,5}"),
    COMPOSED("TileD", "x repeated", "y = Tile(x, list(multiples))",
             "f32[2]{1,2} multiples=[2] -> f32[4]{1,2,1,2}"),
    COMPOSED_BY("ConfusionTransposeD", "a transposition and a reshape, either first",
                confusion_transpose_build,
                "f32[2,2]{1,2,3,4} perm=[1,0] shape=[4] transpose_first=true -> f32[4]{1,3,2,4}",
                "f32[4]{1,2,3,4} perm=[1,0] shape=[2,2] transpose_first=false -> f32[2,2]{1,3,2,4}"),
    // parts
    COMPOSED("SliceD", "a block of x", "y = Slice(x, list(offsets), list(size))",
             "f32[3]{1,2,3} offsets=[1] size=[2] -> f32[2]{2,3}"),
    COMPOSED_READS("SliceDV2", "a block of x", "offsets", "y = Slice(x, offsets, list(size))",
                   "f32[3]{1,2,3}, i32[1]{1} size=[2] -> f32[2]{2,3}"),
    COMPOSED("StridedSliceD", "x[begin:end:strides] with masks",
             "y = StridedSlice(x, list(begin), list(end), list(strides), " MASKS ")",
             "f32[4]{1,2,3,4} begin=[0] end=[4] strides=[2] -> f32[2]{1,3}"),
    COMPOSED_READS("StridedSliceV3", "x[begin:end:strides] along axes", "begin,end,axes,strides",
                   "y = StridedSliceV2(x, begin, end, axes?, strides?)",
                   "f32[4]{1,2,3,4}, i32[1]{1}, i32[1]{3} -> f32[2]{2,3}"),
    COMPOSED("SliceLastDim", "x[..., start:end:stride]",
             "y = StridedSliceV2(x, list(start), list(end), [-1], list(stride))",
             "f32[2,3]{1,2,3,4,5,6} start=0 end=2 -> f32[2,2]{1,2,4,5}"),
    COMPOSED("GatherV2D", "slices of x along an axis", "y = GatherV2(x, indices, int(axis))",
             "f32[3]{1,2,3}, i32[2]{2,0} axis=0 -> f32[2]{3,1}"),
    COMPOSED_READS_BY("GatherD", "elements of x along an axis, one for each index", "dim", gather_d_build,
                      "f32[2,2]{1,2,3,4}, i32[1]{1}, i32[2,1]{1,0} -> f32[2,1]{2,3}"),
    COMPOSED("SplitVD", "x cut into pieces",
             "y... = SplitV(x, list(size_splits), int(split_dim), num_split=@num_split)",
             "f32[3]{1,2,3} size_splits=[1,2] split_dim=0 num_split=2 -> [f32[1]{1}, f32[2]{2,3}]"),
    COMPOSED("ConcatV2D", "tensors one behind the other", "y = ConcatV2(x..., int(concat_dim))",
             "[f32[1]{1}, f32[2]{2,3}] concat_dim=0 N=2 -> f32[3]{1,2,3}"),
    COMPOSED("ParallelConcat", "tensors one behind the other along axis 0",
             "output_data = ConcatV2(values..., [0])",
             "[f32[1,2]{1,2}, f32[1,2]{3,4}] shape=[2,2] N=2 -> f32[2,2]{1,2,3,4}"),
    COMPOSED("ReverseV2D", "x backwards along axes", "y = ReverseV2(x, list(axis))",
             "f32[3]{1,2,3} axis=[0] -> f32[3]{3,2,1}"),
    COMPOSED("PadD", "x with zeros around it", "y = Pad(x, list(paddings))",
             "f32[1]{5} paddings=[[1,2]] -> f32[4]{0,5,0,0}"),
    COMPOSED_READS("PadV2", "x with a constant around it", "paddings",
                   "y = PadV3(x, paddings, constant_values)",
                   "f32[1]{5}, i32[1,2]{1,1}, f32[]{7} -> f32[3]{7,5,7}"),
    COMPOSED("PadV2D", "x with a constant around it", "y = PadV3(x, list(paddings), constant_values)",
             "f32[1]{5}, f32[1]{7} paddings=[[1,1]] -> f32[3]{7,5,7}"),
    COMPOSED(
        "PadV3D", "x with a border",
        "y = PadV3(x, list(paddings), constant_values, mode=@mode, paddings_contiguous=@paddings_contiguous)",
        "f32[1]{5} paddings=[[1,1]] constant_values=7 -> f32[3]{7,5,7}"),
    // made
    COMPOSED("FillD", "a tensor of one number", "y = Fill(list(dims), value)",
             "f32[]{5} dims=[2] -> f32[2]{5,5}"),
    COMPOSED("FillV2", "x filled with one number", "x = Fill(Shape(x), fill_value)",
             "f32[2]{1,2}, f32[]{5} -> f32[2]{5,5}"),
    COMPOSED("FillV2D", "a tensor of one number", "y = Fill(list(dims), value)",
             "value=5 dims=[2] -> f32[2]{5,5}"),
    COMPOSED("RangeD", "start, start + delta, ... below limit", "y = Range(start, limit, delta)",
             "f32[3]{0..} start=0 limit=3 delta=1 -> f32[3]{0,1,2}"),
    COMPOSED_READS("LinSpaceD", "num numbers from start to end", "num",
                   "z = LinSpace(f32(start), f32(end), num)",
                   "f32[1]{0}, f32[1]{1}, i64[1]{3} -> f32[3]{0,0.5,1}",
                   "f16[1]{0}, f16[1]{1}, i64[1]{3} -> f32[3]{0,0.5,1}"),
    COMPOSED("OneHotD", "on_value at the place of each index, off_value elsewhere",
             "y = OneHot(x, int(depth), on_value, off_value, axis=@axis)",
             "i32[2]{1,0}, f32[1]{5}, f32[1]{0} depth=2 -> f32[2,2]{0,5,5,0}"),
    SAME("DiagD", "Diag", "x", "y", "f32[2]{1,2}, f32[2,2]{0..} -> f32[2,2]{1,0,0,2}"),
    COMPOSED("ScatterNdD", "updates at their places in zeros", "y = ScatterNd(indices, x, list(shape))",
             "i32[2,1]{2,0}, f32[2]{5,6} shape=[3] -> f32[3]{6,0,5}"),
    COMPOSED_BY("ScatterElementsV2", "var with elements replaced, added or multiplied",
                scatter_elements_v2_build, "f32[3]{1,2,3}, i32[1]{1}, f32[1]{9} -> f32[3]{1,9,3}"),
    {0},
};
// SPDX-License-Identifier: Apache-2.0
