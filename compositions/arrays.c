// compositions/arrays.c - elements moved, replaced and combined: scatters, rolls, permutations, pads, and
// products with transpositions around them.
#include "compose/compose.h"

#include "air_slots.h"

// ---- along an axis ----
// v with `axis` in front, or back where it was.
static weft_value *arrays_front(weft__composing *c, weft_value *v, int64_t axis, bool back) {
  int64_t order[WEFT_MAX_RANK];
  int rank = front_rank_of(c->o, v);
  for (int i = 0, n = 0; i < rank; i++) {
    if (back)
      order[i] = i == axis ? 0 : i < axis ? i + 1 : i;
    else
      order[i] = i == 0 ? axis : (n == axis ? ++n, n++ : n++);
  }
  return front_permuted(c->o, v, order, (size_t)rank);
}

// y = var with slices along an axis combined with those of updates, at indices [n].
static weft_status arrays_along(weft__composing *c, const char *var, weft_value *updates, int64_t axis,
                                const char *reduction, const char *y) {
  front_op *o = c->o;
  weft_value *v = weft__composed(c, var);
  axis = front_axis(o, axis, front_rank_of(o, v));
  v = arrays_front(c, v, axis, false);
  updates = arrays_front(c, updates, axis, false);
  front_set_ints(o, "axes", &(int64_t){-1}, 1);
  weft_value *at = front_do(o, "Unsqueeze", weft__composed(c, "indices"), NULL, NULL);
  front_set_text(o, "reduction", reduction);
  v = front_do(o, "TensorScatterUpdate", v, at, updates);
  weft__compose_name(c, y, arrays_front(c, v, axis, true));
  return o->failed;
}

static weft_status index_add_build(weft__composing *c) {
  return arrays_along(c, "var", weft__composed(c, "updates"),
                      weft_node_int(c->desc, WEFT_SLOT_INDEX_ADD_AXIS), "add", "var_out");
}
// Indices as many as updates name elements, a list of them slices.
static weft_status scatter_add_with_axis_build(weft__composing *c) {
  if (front_rank_of(c->o, weft__composed(c, "indices")) == front_rank_of(c->o, weft__composed(c, "var")))
    return weft__compose_text(c, "var = ScatterElements(var, indices, updates, axis=@axis, reduction='add')");
  return arrays_along(c, "var", weft__composed(c, "updates"),
                      weft_node_int(c->desc, WEFT_SLOT_SCATTER_ADD_WITH_AXIS_AXIS), "add", "var");
}
static weft_status inplace_index_add_build(weft__composing *c) {
  weft_value *updates = weft__composed(c, "updates");
  weft_value *alpha = weft__composed(c, "alpha");
  if (alpha)
    updates = front_do(c->o, "Mul", updates, front_as(c->o, alpha, updates->fact.dtype), NULL);
  return arrays_along(c, "var", updates, weft_node_int(c->desc, WEFT_SLOT_INPLACE_INDEX_ADD_AXIS), "add",
                      "var");
}

// Slices along an axis become one number: those that a mask along the axis names.
static weft_status arrays_fill(weft__composing *c, const char *value, int64_t axis, const char *y) {
  front_op *o = c->o;
  weft_value *x = weft__composed(c, "x");
  int rank = front_rank_of(o, x);
  axis = front_axis(o, axis, rank);
  if (!rank)
    return weft__compose_text(c, "y = Identity(x)");
  weft_value *zeros = front_filled(o, front_dim_list(o, x, axis), front_num(o, WEFT_INT32, 0));
  weft_value *at = weft__composed(c, "indices");
  weft_value *ones = front_filled(o, front_shape(o, at), front_num(o, WEFT_INT32, 1));
  front_set_ints(o, "axes", &(int64_t){-1}, 1);
  at = front_do(o, "Unsqueeze", at, NULL, NULL);
  weft_value *mask = front_as(o, front_do(o, "TensorScatterUpdate", zeros, at, ones), WEFT_BOOL);
  for (int i = (int)axis + 1; i < rank; i++)
    mask = front_unsqueezed(o, mask, front_rank(mask));
  weft_value *v = weft__composed(c, value);
  v = front_as(o, front_reshaped(o, v, NULL, 0), x->fact.dtype);
  weft__compose_name(c, y, front_where(o, mask, v, x));
  return o->failed;
}
static weft_status index_fill_build(weft__composing *c) {
  return arrays_fill(c, "val", weft_node_int(c->desc, WEFT_SLOT_INDEX_FILL_DIM), "y");
}
static weft_status inplace_index_fill_build(weft__composing *c) {
  return arrays_fill(c, "value", weft_node_int(c->desc, WEFT_SLOT_INPLACE_INDEX_FILL_DIM), "x");
}

// ---- rolls ----
// The last `shift` along an axis come to the front.
static weft_value *arrays_rolled(weft__composing *c, weft_value *x, int64_t axis, int64_t shift) {
  front_op *o = c->o;
  weft_dim dim = front_dim(x, (int)axis);
  if (o->failed)
    return NULL;
  if (dim < 0)
    return front_none(o, WEFT_E_UNKNOWN, "dim %lld is not known", (long long)axis);
  shift = dim ? shift % dim : 0;
  shift += shift < 0 ? dim : 0;
  if (!shift)
    return x;
  weft_value *parts[2] = {front_part(o, x, axis, dim - shift, dim), front_part(o, x, axis, 0, dim - shift)};
  return front_joined(o, parts, 2, axis);
}

static weft_status arrays_roll(weft__composing *c, weft_value *x, const weft_ints *shift,
                               const weft_ints *axes, const char *y) {
  front_op *o = c->o;
  int rank = front_rank_of(o, x);
  if (o->failed)
    return o->failed;
  if (!axes->n && shift->n == 1) {  // of all elements in a row
    weft_value *shape = front_shape(o, x);
    weft__compose_name(c, y, front_reshape(o, arrays_rolled(c, front_flat(o, x), 0, shift->v[0]), shape));
    return o->failed;
  }
  if (axes->n != shift->n)
    return front_fail(o, WEFT_E_SHAPE, "%lld shifts for %lld axes", (long long)shift->n, (long long)axes->n);
  for (size_t i = 0; i < (size_t)axes->n; i++)
    x = arrays_rolled(c, x, front_axis(o, axes->v[i], rank), shift->v[i]);
  weft__compose_name(c, y, x);
  return o->failed;
}

static weft_status roll_build(weft__composing *c) {
  const weft_attr *shift = c->desc->attr[WEFT_SLOT_ROLL_SHIFTS];
  const weft_attr *dims = c->desc->attr[WEFT_SLOT_ROLL_DIMS];
  return arrays_roll(c, weft__composed(c, "x"), &(weft_ints){shift->u.ints, shift->n},
                     &(weft_ints){dims->u.ints, dims->n}, "y");
}

static weft_status roll_v2_build(weft__composing *c) {
  int64_t shift[WEFT_MAX_RANK];
  int64_t axes[WEFT_MAX_RANK];
  size_t n_shift;
  size_t n_axes;
  if (!front_known_ints(weft__composed(c, "shift"), shift, WEFT_MAX_RANK, &n_shift) ||
      !front_known_ints(weft__composed(c, "axes"), axes, WEFT_MAX_RANK, &n_axes))
    return front_fail(c->o, WEFT_E_UNKNOWN, "inputs 'shift' and 'axes' are not known");
  return arrays_roll(c, weft__composed(c, "input"), &(weft_ints){shift, (int64_t)n_shift},
                     &(weft_ints){axes, (int64_t)n_axes}, "output");
}

// ---- orders ----
// Caffe's order: axes that it leaves out follow as they are.
static weft_status permute_build(weft__composing *c) {
  const weft_attr *a = c->desc->attr[WEFT_SLOT_PERMUTE_ORDER];
  weft_value *x = weft__composed(c, "x");
  int64_t order[WEFT_MAX_RANK];
  int rank = front_rank_of(c->o, x);
  uint32_t had = 0;
  int n = 0;
  for (uint64_t i = 0; i < a->n && !c->o->failed && n < rank; i++) {
    int64_t axis = front_axis(c->o, a->u.ints[i], rank);
    if (had >> axis & 1)
      return front_fail(c->o, WEFT_E_INVALID, "attribute 'order': axis %lld is there twice", (long long)axis);
    had |= UINT32_C(1) << axis;
    order[n++] = axis;
  }
  for (int i = 0; i < rank && n < rank; i++) {
    if (!(had >> i & 1))
      order[n++] = i;
  }
  weft__compose_name(c, "y", front_permuted(c->o, x, order, (size_t)rank));
  return c->o->failed;
}

// Channels in groups change places with the groups.
static weft_status shuffle_channel_build(weft__composing *c) {
  front_op *o = c->o;
  weft_value *x = weft__composed(c, "x");
  int64_t group = weft_node_int(c->desc, WEFT_SLOT_SHUFFLE_CHANNEL_GROUP);
  int rank = front_rank_of(o, x);
  weft_dim channels = front_dim(x, 1);
  if (o->failed)
    return o->failed;
  if (rank < 2)
    return front_fail(o, WEFT_E_SHAPE, "input 'x': rank %d, expected at least 2", rank);
  if (channels < 0)
    return front_fail(o, WEFT_E_UNKNOWN, "the channels are not known");
  if (group < 1 || channels % group) {
    return front_fail(o, WEFT_E_RANGE, "attribute 'group': %lld does not divide %lld channels",
                      (long long)group, (long long)channels);
  }
  weft_value *shape = front_shape(o, x);
  int64_t split[4] = {0, group, channels / group, -1};
  front_set_bool(o, "allowzero", false);
  weft_value *v = front_do(o, "Reshape", x, front_list(o, split, 4), NULL);
  weft__compose_name(c, "y", front_reshape(o, front_swapped(o, v, 1, 2), shape));
  return o->failed;
}

// ---- Caffe's broadcasting: b's axes are x's from `axis` on ----
static weft_value *arrays_placed(weft__composing *c, weft_value *x, weft_value *b, int64_t axis) {
  int rank = front_rank_of(c->o, x);
  int of = front_rank_of(c->o, b);
  axis = front_axis(c->o, axis, rank);
  for (int i = (int)axis + of; i < rank && !c->o->failed; i++)
    b = front_unsqueezed(c->o, b, front_rank(b));
  return b;
}
static weft_status bias_build(weft__composing *c) {
  weft_value *x = weft__composed(c, "x");
  weft_value *b = arrays_placed(c, x, weft__composed(c, "bias"), weft_node_int(c->desc, WEFT_SLOT_BIAS_AXIS));
  weft__compose_name(c, "y", front_do(c->o, "Add", x, b, NULL));
  return c->o->failed;
}
static weft_status scale_build(weft__composing *c) {
  int64_t axis = weft_node_int(c->desc, WEFT_SLOT_SCALE_AXIS);
  weft_value *x = weft__composed(c, "x");
  weft_value *bias = weft__composed(c, "bias");
  weft_value *y = front_do(c->o, "Mul", x, arrays_placed(c, x, weft__composed(c, "scale"), axis), NULL);
  if (bias)
    y = front_do(c->o, "Add", y, arrays_placed(c, x, bias, axis), NULL);
  weft__compose_name(c, "y", y);
  return c->o->failed;
}

static weft_status tile_with_axis_build(weft__composing *c) {
  int64_t times[WEFT_MAX_RANK];
  weft_value *x = weft__composed(c, "x");
  int rank = front_rank_of(c->o, x);
  int64_t axis = front_axis(c->o, weft_node_int(c->desc, WEFT_SLOT_TILE_WITH_AXIS_AXIS), rank);
  for (int i = 0; i < rank; i++)
    times[i] = i == axis ? weft_node_int(c->desc, WEFT_SLOT_TILE_WITH_AXIS_TILES) : 1;
  weft__compose_name(c, "y", front_do(c->o, "Tile", x, front_list(c->o, times, (size_t)rank), NULL));
  return c->o->failed;
}

// ---- made of nothing, or of many ----
static weft_status eye_build(weft__composing *c) {
  front_op *o = c->o;
  int64_t rows = weft_node_int(c->desc, WEFT_SLOT_EYE_NUM_ROWS);
  int64_t columns = weft_node_int(c->desc, WEFT_SLOT_EYE_NUM_COLUMNS);
  const weft_attr *batch = c->desc->attr[WEFT_SLOT_EYE_BATCH_SHAPE];
  weft_dtype t = (weft_dtype)weft_node_int(c->desc, WEFT_SLOT_EYE_DTYPE);
  columns = columns ? columns : rows;
  if (rows < 0 || columns < 0 || !weft_dtype_known(t))
    return front_fail(o, WEFT_E_RANGE, "%lld rows, %lld columns of dtype %d", (long long)rows,
                      (long long)columns, (int)t);
  weft_value *in[4] = {front_counting(o, front_index(o, rows)), front_index(o, columns), front_num(o, t, 1),
                       front_num(o, t, 0)};
  weft_value *y = front_emit(o, "OneHot", in, 4, NULL);
  if (batch->n) {
    int64_t shape[WEFT_MAX_RANK];
    if (batch->n > WEFT_MAX_RANK - 2)
      return front_fail(o, WEFT_E_LIMIT, "attribute 'batch_shape': %llu axes", (unsigned long long)batch->n);
    memcpy(shape, batch->u.ints, batch->n * sizeof *shape);
    shape[batch->n] = rows;
    shape[batch->n + 1] = columns;
    y = front_expanded(o, y, front_list(o, shape, batch->n + 2));
  }
  weft__compose_name(c, "y", y);
  return o->failed;
}

static weft_status copy_build(weft__composing *c) {
  weft_value *x = weft__composed(c, "x");
  uint32_t n = c->desc->out_port[0].count;
  if (n != (uint64_t)weft_node_int(c->desc, WEFT_SLOT_COPY_N))
    return front_fail(c->o, WEFT_E_INVALID, "attribute 'N' is %lld, the node has %u outputs",
                      (long long)weft_node_int(c->desc, WEFT_SLOT_COPY_N), n);
  weft_value **y = WEFT_NEW_N(&c->o->f->arena, weft_value *, (size_t)n + 1);
  for (uint32_t i = 0; y && i < n; i++)
    y[i] = x;
  if (!y)
    return front_fail(c->o, WEFT_E_NOMEM, "out of memory");
  return weft__compose_names(c, "y", y, n);
}

static weft_status identity_n_build(weft__composing *c) {
  size_t n;
  weft_value *const *x = weft__composed_all(c, "x", &n);
  return weft__compose_names(c, "y", x, n);
}

static weft_status invert_permutation_build(weft__composing *c) {
  front_op *o = c->o;
  weft_value *x = weft__composed(c, "x");
  front_rank_of(o, x);
  if (!o->failed && front_rank(x) != 1)
    return front_fail(o, WEFT_E_SHAPE, "input 'x': rank %d, expected 1", front_rank(x));
  weft_value *count =
      front_as(o, front_counting(o, front_dim_index(o, x, 0)), x ? x->fact.dtype : WEFT_INT64);
  weft_value *zeros = front_do(o, "ZerosLike", x, NULL, NULL);
  front_set_ints(o, "axes", &(int64_t){-1}, 1);
  weft_value *at = front_do(o, "Unsqueeze", x, NULL, NULL);
  weft__compose_name(c, "y", front_do(o, "TensorScatterUpdate", zeros, at, count));
  return o->failed;
}

// ---- products ----
static weft_status fused_mat_mul_build(weft__composing *c) {
  static const struct {
    const char *name, *text;
  } kinds[] = {{"", "y = Identity(p)"},
               {"16cast32", "y = f32(p)"},
               {"add", "y = Add(p, x3)"},
               {"mul", "y = Mul(p, x3)"},
               {"relu", "y = Relu(p)"},
               {"gelu_erf", "y = Gelu(p, approximate='none')"},
               {"gelu_tanh", "y = Gelu(p, approximate='tanh')"}};
  const char *kind = weft_node_str(c->desc, WEFT_SLOT_FUSED_MAT_MUL_FUSED_OP_TYPE);
  WEFT_TRY(weft__compose_text(
      c, "p = MatMulV2(x1, x2, bias?, transpose_x1=@transpose_x1, transpose_x2=@transpose_x2)"));
  for (size_t i = 0; i < WEFT_COUNT(kinds); i++) {
    if (!strcmp(kinds[i].name, kind))
      return weft__compose_text(c, kinds[i].text);
  }
  return front_fail(c->o, WEFT_E_UNSUPPORTED, "attribute 'fused_op_type': '%s' is not known", kind);
}

static weft_status transpose_batch_mat_mul_build(weft__composing *c) {
  static const char *const text[3] = {"x1 = TransposeD(x1, perm=@perm_x1)",
                                      "x2 = TransposeD(x2, perm=@perm_x2)",
                                      "y = TransposeD(y, perm=@perm_y)"};
  static const uint32_t slot[3] = {WEFT_SLOT_TRANSPOSE_BATCH_MAT_MUL_PERM_X1,
                                   WEFT_SLOT_TRANSPOSE_BATCH_MAT_MUL_PERM_X2,
                                   WEFT_SLOT_TRANSPOSE_BATCH_MAT_MUL_PERM_Y};
  if (weft_port_in(c->desc, 3, 0) >= 0)
    return front_fail(c->o, WEFT_E_UNSUPPORTED, "input 'scale' (quantised output) is not computed");
  for (size_t i = 0; i < 2; i++) {
    if (c->desc->attr[slot[i]]->n)
      WEFT_TRY(weft__compose_text(c, text[i]));
  }
  WEFT_TRY(weft__compose_text(c, "y = BatchMatMulV2(x1, x2, bias?)"));
  return c->desc->attr[slot[2]]->n ? weft__compose_text(c, text[2]) : WEFT_OK;
}

#define TUPLES(name, in, updates, how, out, ...)    \
  COMPOSED(name, "slices combined at index tuples", \
           out " = TensorScatterUpdate(" in ", indices, " updates ", reduction='" how "')", __VA_ARGS__)
#define SLICES(name, in, updates, how, out, ...)                                                            \
  COMPOSED(name, "slices along axis 0 combined at indices",                                                 \
           out " = TensorScatterUpdate(" in ", Unsqueeze(indices, axes=[-1]), " updates ", reduction='" how \
               "')",                                                                                        \
           __VA_ARGS__)
#define MINUS(v) "Sub(ZerosLike(" v "), " v ")"

WEFT_ROWS(arrays) = {
    TUPLES("TensorScatterAdd", "x", "updates", "add", "y",
           "f32[2]{1,2}, i32[1,1]{1}, f32[1]{5} -> f32[2]{1,7}"),
    TUPLES("TensorScatterSub", "x", MINUS("updates"), "add", "y",
           "f32[2]{1,2}, i32[1,1]{1}, f32[1]{5} -> f32[2]{1,-3}"),
    TUPLES("TensorScatterMax", "input", "updates", "max", "output",
           "f32[2]{1,2}, i32[1,1]{1}, f32[1]{5} -> f32[2]{1,5}"),
    TUPLES("TensorScatterMin", "input", "updates", "min", "output",
           "f32[2]{1,2}, i32[1,1]{1}, f32[1]{5} -> f32[2]{1,2}"),
    TUPLES("ScatterNonAliasingAdd", "x", "updates", "add", "y",
           "f32[2]{1,2}, i32[1,1]{1}, f32[1]{5} -> f32[2]{1,7}"),
    TUPLES("ScatterNdAdd", "var", "updates", "add", "var",
           "f32[2]{1,2}, i32[1,1]{1}, f32[1]{5} -> f32[2]{1,7}"),
    TUPLES("ScatterNdSub", "var", MINUS("updates"), "add", "var",
           "f32[2]{1,2}, i32[1,1]{1}, f32[1]{5} -> f32[2]{1,-3}"),
    TUPLES("ScatterNdMax", "var", "updates", "max", "var",
           "f32[2]{1,2}, i32[1,1]{1}, f32[1]{5} -> f32[2]{1,5}"),
    TUPLES("ScatterNdMin", "var", "updates", "min", "var",
           "f32[2]{1,2}, i32[1,1]{1}, f32[1]{5} -> f32[2]{1,2}"),
    TUPLES("ScatterNdUpdate", "var", "updates", "none", "var",
           "f32[2]{1,2}, i32[1,1]{1}, f32[1]{5} -> f32[2]{1,5}"),
    SLICES("ScatterAdd", "var", "updates", "add", "var", "f32[2]{1,2}, i32[1]{1}, f32[1]{5} -> f32[2]{1,7}"),
    SLICES("ScatterSub", "var", MINUS("updates"), "add", "var",
           "f32[2]{1,2}, i32[1]{1}, f32[1]{5} -> f32[2]{1,-3}"),
    SLICES("ScatterMul", "var", "updates", "mul", "var", "f32[2]{1,2}, i32[1]{1}, f32[1]{5} -> f32[2]{1,10}"),
    SLICES("ScatterMax", "var", "updates", "max", "var", "f32[2]{1,2}, i32[1]{1}, f32[1]{5} -> f32[2]{1,5}"),
    SLICES("ScatterMin", "var", "updates", "min", "var", "f32[2]{1,2}, i32[1]{1}, f32[1]{5} -> f32[2]{1,2}"),
    SLICES("ScatterUpdate", "var", "updates", "none", "var",
           "f32[2]{1,2}, i32[1]{1}, f32[1]{5} -> f32[2]{1,5}"),
    SLICES("InplaceAdd", "x", "v", "add", "y", "f32[2]{1,2}, i32[1]{1}, f32[1]{5} -> f32[2]{1,7}"),
    SLICES("InplaceSub", "x", MINUS("v"), "add", "y", "f32[2]{1,2}, i32[1]{1}, f32[1]{5} -> f32[2]{1,-3}"),
    SLICES("InplaceUpdate", "x", "v", "none", "y", "f32[2]{1,2}, i32[1]{1}, f32[1]{5} -> f32[2]{1,5}"),
    COMPOSED("InplaceUpdateD", "slices along axis 0 replaced",
             "y = TensorScatterUpdate(x, Unsqueeze(list(indices), axes=[-1]), v)",
             "f32[2]{1,2}, f32[1]{5} indices=[1] -> f32[2]{1,5}"),
    COMPOSED("InplaceAddD", "slices along axis 0 added to",
             "y = TensorScatterUpdate(x, Unsqueeze(list(indices), axes=[-1]), v, reduction='add')",
             "f32[2]{1,2}, f32[1]{5} indices=[1] -> f32[2]{1,7}"),
    COMPOSED(
        "InplaceSubD", "slices along axis 0 taken from",
        "y = TensorScatterUpdate(x, Unsqueeze(list(indices), axes=[-1]), " MINUS("v") ", reduction='add')",
        "f32[2]{1,2}, f32[1]{5} indices=[1] -> f32[2]{1,-3}"),
    COMPOSED_BY("IndexAdd", "slices along an axis added to", index_add_build,
                "f32[2,2]{1,2,3,4}, i32[1]{1}, f32[2,1]{5,6} axis=1 -> f32[2,2]{1,7,3,10}"),
    COMPOSED_BY("ScatterAddWithAxis", "elements, or slices, along an axis added to",
                scatter_add_with_axis_build,
                "f32[2,2]{1,2,3,4}, i32[1]{1}, f32[2,1]{5,6} axis=1 -> f32[2,2]{1,7,3,10}",
                "f32[2,2]{1,2,3,4}, i32[1,2]{1,0}, f32[1,2]{5,6} axis=0 -> f32[2,2]{1,8,8,4}"),
    COMPOSED_BY("InplaceIndexAdd", "alpha times slices along an axis added", inplace_index_add_build,
                "f32[2,2]{1,2,3,4}, i32[1]{1}, f32[2,1]{5,6}, f32[1]{2} axis=1 -> f32[2,2]{1,12,3,16}"),
    COMPOSED_BY("IndexFill", "slices along an axis filled with a number", index_fill_build,
                "f32[2,2]{1,2,3,4}, i32[1]{1}, f32[1]{9} dim=1 -> f32[2,2]{1,9,3,9}"),
    COMPOSED_BY("InplaceIndexFill", "slices along an axis filled with a number", inplace_index_fill_build,
                "f32[2,2]{1,2,3,4}, i32[1]{1}, f32[1]{9} dim=0 -> f32[2,2]{1,2,9,9}"),
    COMPOSED("Embedding", "rows of x", "y = GatherV2(x, indices, [0])",
             "f32[3]{1,2,3}, i32[2]{2,0} -> f32[2]{3,1}"),
    COMPOSED_BY("Roll", "elements moved along axes, around the end", roll_build,
                "f32[3]{1,2,3} shifts=[1] dims=[0] -> f32[3]{3,1,2}",
                "f32[2,2]{1,2,3,4} shifts=[1] -> f32[2,2]{4,1,2,3}"),
    COMPOSED_READS_BY("RollV2", "elements moved along axes, around the end", "shift,axes", roll_v2_build,
                      "f32[3]{1,2,3}, i32[1]{1}, i32[1]{0} -> f32[3]{3,1,2}"),
    COMPOSED_BY("Permute", "axes in another order", permute_build,
                "f32[1,2]{1,2} order=[1] -> f32[2,1]{1,2}"),
    COMPOSED_BY("ShuffleChannel", "channels of groups in turn", shuffle_channel_build,
                "f32[1,4]{1,2,3,4} group=2 -> f32[1,4]{1,3,2,4}"),
    COMPOSED_BY("Bias", "x + bias along axes", bias_build,
                "f32[2,2]{1,2,3,4}, f32[2]{10,20} axis=0 -> f32[2,2]{11,12,23,24}"),
    COMPOSED_BY("Scale", "x scale + bias along axes", scale_build,
                "f32[2,2]{1,2,3,4}, f32[2]{10,20}, f32[2]{1,2} axis=0 -> f32[2,2]{11,21,62,82}"),
    COMPOSED_BY("TileWithAxis", "x repeated along an axis", tile_with_axis_build,
                "f32[2,1]{1,2} axis=1 tiles=2 -> f32[2,2]{1,1,2,2}"),
    COMPOSED("GLU", "half of x times the sigmoid of the other half",
             "a, b = SplitD(x, split_dim=@dim, num_split=2); y = Mul(a, Sigmoid(b))",
             "f32[2]{3,0} -> f32[1]{1.5}"),
    COMPOSED_BY("Eye", "ones on the diagonal", eye_build, "num_rows=2 -> f32[2,2]{1,0,0,1}",
                "num_rows=1 num_columns=2 batch_shape=[2] dtype=3 -> i32[2,1,2]{1,0,1,0}"),
    COMPOSED_BY("Copy", "x, N times", copy_build, "f32[2]{1,2} N=2 -> [f32[2]{1,2}, f32[2]{1,2}]"),
    COMPOSED_BY("IdentityN", "the inputs", identity_n_build,
                "[f32[2]{1,2}, f32[1]{3}] -> [f32[2]{1,2}, f32[1]{3}]"),
    COMPOSED_BY("InvertPermutation", "where each place went", invert_permutation_build,
                "i32[3]{2,0,1} -> i32[3]{1,2,0}"),
    COMPOSED("TensorEqual", "whether all elements are equal",
             "output_z = ReduceAll(Reshape(Equal(input_x, input_y), [-1]), [0], keep_dims=true)",
             "f32[2]{1,2}, f32[2]{1,2} -> bool[1]{true}"),
    COMPOSED_BY("FusedMatMul", "a product and one operator behind it", fused_mat_mul_build,
                "f32[1,2]{1,-2}, f32[2,1]{3,4} fused_op_type=\"relu\" -> f32[1,1]{0}"),
    COMPOSED_BY("TransposeBatchMatMul", "products of matrices between transpositions",
                transpose_batch_mat_mul_build,
                "f32[1,1,2]{1,2}, f32[1,2,1]{3,4} perm_y=[1,0,2] -> f32[1,1,1]{11}"),
    {0},
};
// SPDX-License-Identifier: Apache-2.0
