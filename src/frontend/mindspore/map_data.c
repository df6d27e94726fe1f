// map_data.c - elements arranged anew - views, joins, cuts, repeats - and tensors made of sizes and
// numbers.
#include "base/allocated.h"
#include "frontend/mindspore/tables.h"

// ---- shapes ----
static void data_reshape(ms_op *o) {
  weft_value *x = ms_tensor(o, "x");
  ms_give(o, front_reshape(&o->b, x, ms_numbers(o, "shape")));
}

static void data_transpose(ms_op *o) {
  int64_t order[MS_MAX_NUMBERS];
  weft_value *x = ms_tensor(o, "x");
  int rank = front_rank_of(&o->b, x);
  size_t n = ms_axes(o, "perm", rank, order);
  ms_give(o, front_permuted(&o->b, x, order, n));
}

static void data_turn(ms_op *o) {
  front_op *b = &o->b;
  weft_value *x = ms_tensor(o, "x");
  const int rank = front_rank_of(b, x);
  if (!b->failed && rank > 2)
    front_fail(b, WEFT_E_SHAPE, "expected rank 2 or less, got %d", rank);
  ms_give(o, rank == 2 ? front_swapped(b, x, 0, 1) : x);
}

static void data_swap(ms_op *o) {
  front_op *b = &o->b;
  weft_value *x = ms_tensor(o, "x");
  int rank = front_rank_of(b, x);
  int64_t first = front_axis(b, ms_int(o, "dim0", 0), rank);
  ms_give(o, rank ? front_swapped(b, x, first, front_axis(b, ms_int(o, "dim1", 1), rank)) : x);
}

static void data_expand_dims(ms_op *o) {
  front_op *b = &o->b;
  weft_value *x = ms_tensor(o, "x");
  ms_give(o, front_unsqueezed(b, x, front_axis(b, ms_int(o, "axis", 0), front_rank_of(b, x) + 1)));
}

// Axes that are not of size 1 stay when no axes are named.
static void data_squeeze(ms_op *o) {
  int64_t axes[MS_MAX_NUMBERS];
  weft_value *x = ms_tensor(o, "x");
  size_t n = ms_axes(o, "axis", front_rank_of(&o->b, x), axes);
  front_set_ints(&o->b, "axis", axes, n);
  ms_give(o, front_do(&o->b, "Squeeze", x, NULL, NULL));
}

// Axes from `from` to `to` become one.
static void data_flattened(ms_op *o, int64_t from, int64_t to) {
  front_op *b = &o->b;
  weft_value *x = ms_tensor(o, "x");
  weft_value *parts[WEFT_MAX_RANK + 1];
  size_t n = 0;
  int rank = front_rank_of(b, x);
  from = front_axis(b, from, rank);
  to = front_axis(b, to, rank);
  if (b->failed || !rank) {
    ms_give(o, front_flat(b, x));
    return;
  }
  for (int64_t i = 0; i < rank; i++) {
    if (i == from)
      parts[n++] = front_span(b, x, from, to + 1);
    else if (i < from || i > to)
      parts[n++] = front_dim_list(b, x, i);
  }
  ms_give(o, b->failed ? NULL : front_reshape(b, x, front_size_list(b, parts, n)));
}
static void data_flatten(ms_op *o) {
  const weft_value *x = ms_tensor(o, "x");
  if (front_rank(x) == 1)
    ms_give(o, front_unsqueezed(&o->b, ms_tensor(o, "x"), 1));
  else
    data_flattened(o, 1, -1);
}
static void data_flatten_ext(ms_op *o) {
  data_flattened(o, ms_int(o, "start", 0), ms_int(o, "end", -1));
}

// Sizes that are known are numbers, the others tensors.
static void data_shape(ms_op *o) {
  weft_value *x = ms_tensor(o, "x");
  int rank = front_rank_of(&o->b, x);
  ms_value list = {.kind = MS_TUPLE, .n = (size_t)rank};
  list.items = WEFT_NEW_N(&o->m->f.arena, ms_value, list.n + 1);
  if (!list.items) {
    front_fail(&o->b, WEFT_E_NOMEM, "out of memory");
    return;
  }
  for (int i = 0; i < rank && !o->b.failed; i++) {
    weft_dim dim = front_dim(x, i);
    list.items[i] = dim >= 0 ? (ms_value){.kind = MS_INT, .i = dim}
                             : (ms_value){.kind = MS_TENSOR, .v = front_dim_index(&o->b, x, i)};
  }
  o->out = list;
}
static void data_tensor_shape(ms_op *o) {
  ms_give(o, front_shape(&o->b, ms_tensor(o, "x")));
}
static void data_size(ms_op *o) {
  weft_value *x = ms_tensor(o, "x");
  front_set_int(&o->b, "dtype", WEFT_INT64);
  ms_give(o, front_do(&o->b, "Size", x, NULL, NULL));
}
static void data_rank(ms_op *o) {
  int rank = front_rank_of(&o->b, ms_tensor(o, "x"));
  o->out = (ms_value){.kind = MS_INT, .i = rank};
}

// ---- joins and cuts ----
static void data_concat(ms_op *o) {
  weft_value **v;
  size_t n = ms_tensors(o, "x", &v);
  int rank = n ? front_rank_of(&o->b, v[0]) : 0;
  int64_t axis = front_axis(&o->b, ms_int(o, "axis", 0), rank);
  ms_give(o, o->b.failed ? NULL : front_joined(&o->b, v, n, axis));
}

static void data_stack(ms_op *o) {
  weft_value **v;
  size_t n = ms_tensors(o, "x", &v);
  uint32_t counts[1] = {(uint32_t)n};
  front_set_int(&o->b, "axis", ms_int(o, "axis", 0));
  front_set_int(&o->b, "N", (int64_t)n);
  ms_give(o, o->b.failed ? NULL : front_emit(&o->b, "Pack", v, n, &(weft_use){.in_counts = counts}));
}

static void data_unstack(ms_op *o) {
  front_op *b = &o->b;
  weft_value *x = ms_tensor(o, "x");
  int64_t axis = front_axis(b, ms_int(o, "axis", 0), front_rank_of(b, x));
  weft_dim n = front_dim(x, (int)axis);
  uint32_t counts[1] = {(uint32_t)n};
  if (!b->failed && (n < 0 || n > MS_MAX_NUMBERS))
    front_fail(b, WEFT_E_UNSUPPORTED, "axis %lld has %lld parts", (long long)axis, front_shown(n));
  front_set_int(b, "num", n);
  front_set_int(b, "axis", axis);
  weft_value *y = front_emit(b, "Unpack", &x, 1, &(weft_use){.out_counts = counts});
  ms_give_outputs(o, y, y ? (size_t)n : 0);
}

static void data_cut(ms_op *o, weft_value *x, int64_t axis, const int64_t *sizes, size_t n) {
  if (n == 1)
    ms_give_many(o, &x, 1);
  else
    ms_give_outputs(o, o->b.failed ? NULL : front_cut(&o->b, x, axis, sizes, n), n);
}

// Parts of `each` elements, the last one of what is left.
static void data_pieces(ms_op *o, weft_value *x, int64_t axis, int64_t each) {
  int64_t sizes[MS_MAX_NUMBERS];
  size_t n = 0;
  weft_dim all = front_dim(x, (int)axis);
  if (!o->b.failed && (all < 0 || each < 1 || (all + each - 1) / each > MS_MAX_NUMBERS))
    front_fail(&o->b, WEFT_E_UNSUPPORTED, "axis %lld of size %lld is cut into parts of %lld", (long long)axis,
               front_shown(all), (long long)each);
  for (int64_t at = 0; !o->b.failed && (at < all || !n); at += each)
    sizes[n++] = WEFT_MIN(each, all - at);
  data_cut(o, x, axis, sizes, n);
}

static void data_split(ms_op *o) {
  front_op *b = &o->b;
  weft_value *x = ms_tensor(o, "x");
  int64_t axis = front_axis(b, ms_int(o, "axis", 0), front_rank_of(b, x));
  int64_t n = ms_int(o, "output_num", 1);
  weft_dim all = front_dim(x, (int)axis);
  if (!b->failed && (n < 1 || n > MS_MAX_NUMBERS || (all >= 0 && all % n)))
    front_fail(b, WEFT_E_SHAPE, "axis %lld of size %lld has no %lld equal parts", (long long)axis,
               front_shown(all), (long long)n);
  if (!b->failed && all < 0) {
    ms_give_outputs(o, front_equal_parts(b, x, axis, (size_t)n), (size_t)n);
    return;
  }
  data_pieces(o, x, axis, b->failed || !all ? 1 : all / n);
}
static void data_split_tensor(ms_op *o) {
  weft_value *x = ms_tensor(o, "x");
  int64_t axis = front_axis(&o->b, ms_int(o, "axis", 0), front_rank_of(&o->b, x));
  data_pieces(o, x, axis, ms_int(o, "size", 1));
}
static void data_chunk(ms_op *o) {
  weft_value *x = ms_tensor(o, "x");
  int64_t axis = front_axis(&o->b, ms_int(o, "axis", 0), front_rank_of(&o->b, x));
  int64_t n = WEFT_MAX(ms_int(o, "chunks", 1), 1);
  weft_dim all = front_dim(x, (int)axis);
  data_pieces(o, x, axis, all > 0 ? (all + n - 1) / n : 1);
}
static void data_split_sizes(ms_op *o) {
  int64_t sizes[MS_MAX_NUMBERS];
  weft_value *x = ms_tensor(o, "x");
  int64_t axis = front_axis(&o->b, ms_int(o, "axis", 0), front_rank_of(&o->b, x));
  size_t n = ms_ints(o, "sizes", sizes);
  data_cut(o, x, axis, sizes, n);
}

// ---- parts ----
static void data_strided_slice(ms_op *o) {
  static const char *const masks[] = {"begin_mask", "end_mask", "ellipsis_mask", "new_axis_mask",
                                      "shrink_axis_mask"};
  front_op *b = &o->b;
  weft_value *in[4] = {ms_tensor(o, "x"), ms_numbers(o, "begin"), ms_numbers(o, "end"),
                       ms_numbers(o, "strides")};
  for (size_t i = 0; i < WEFT_COUNT(masks); i++)
    front_set_int(b, masks[i], ms_int(o, masks[i], 0));
  ms_give(o, b->failed ? NULL : front_emit(b, "StridedSlice", in, 4, NULL));
}
static void data_slice(ms_op *o) {
  weft_value *x = ms_tensor(o, "x");
  weft_value *begin = ms_numbers(o, "begin");
  ms_give(o, front_do(&o->b, "Slice", x, begin, ms_numbers(o, "size")));
}
static void data_slice_axis(ms_op *o) {
  front_op *b = &o->b;
  weft_value *x = ms_tensor(o, "x");
  int64_t axis = front_axis(b, ms_int(o, "axis", 0), front_rank_of(b, x));
  weft_value *from = ms_numbers(o, "start");
  weft_value *to = ms_numbers(o, "end");
  weft_value *step = ms_has(o, "step") ? ms_numbers(o, "step") : NULL;
  ms_give(o, front_sliced(b, x, axis, from, to, step));
}
static void data_narrow(ms_op *o) {
  front_op *b = &o->b;
  weft_value *x = ms_tensor(o, "x");
  int64_t axis = front_axis(b, ms_int(o, "axis", 0), front_rank_of(b, x));
  weft_value *from = ms_numbers(o, "start");
  ms_give(o, front_sliced(b, x, axis, from, front_do(b, "Add", from, ms_numbers(o, "length"), NULL), NULL));
}
static void data_select(ms_op *o) {
  front_op *b = &o->b;
  weft_value *x = ms_tensor(o, "x");
  int64_t axis = front_axis(b, ms_int(o, "axis", 0), front_rank_of(b, x));
  weft_value *at = ms_operand(o, "index", WEFT_INT64);
  ms_give(o, front_picked(b, x, axis, at));
}

// ---- repeats ----
// Fewer numbers than axes are those of the last axes; more add axes.
static void data_tile(ms_op *o) {
  front_op *b = &o->b;
  int64_t times[MS_MAX_NUMBERS];
  int64_t all[WEFT_MAX_RANK];
  weft_value *x = ms_tensor(o, "x");
  size_t n = ms_ints(o, "dims", times);
  size_t rank = (size_t)front_rank_of(b, x);
  if (!b->failed && n > WEFT_MAX_RANK)
    front_fail(b, WEFT_E_LIMIT, "%zu repeats", n);
  for (; !b->failed && rank < n; rank++)
    x = front_unsqueezed(b, x, 0);
  for (size_t i = 0; i < rank && !b->failed; i++)
    all[i] = i + n < rank ? 1 : times[i + n - rank];
  ms_give(o, front_do(b, "Tile", x, front_list(b, all, b->failed ? 0 : rank), NULL));
}

// -1 keeps a size.
static void data_broadcast(ms_op *o) {
  front_op *b = &o->b;
  weft_value *parts[MS_MAX_NUMBERS];
  weft_value *x = ms_tensor(o, "x");
  ms_value list;
  if (!ms_find(o, "shape", &list) || list.kind != MS_TUPLE || list.n > MS_MAX_NUMBERS) {
    ms_give(o, front_expanded(b, x, ms_numbers(o, "shape")));
    return;
  }
  int rank = front_rank_of(b, x);
  for (size_t i = 0; i < list.n && !b->failed; i++) {
    int64_t axis = (int64_t)i + rank - (int64_t)list.n;
    bool keeps = list.items[i].kind == MS_INT && list.items[i].i == -1 && axis >= 0;
    weft_value *one = keeps ? NULL : ms_tensor_of(b, &list.items[i]);
    parts[i] = keeps ? front_dim_list(b, x, axis)
                     : front_reshaped(b, front_as(b, one, WEFT_INT64), (int64_t[]){1}, 1);
  }
  ms_give(o, b->failed ? NULL : front_expanded(b, x, front_joined(b, parts, list.n, 0)));
}
static void data_expand_as(ms_op *o) {
  weft_value *x = ms_tensor(o, "x");
  ms_give(o, front_expanded(&o->b, x, front_shape(&o->b, ms_tensor(o, "other"))));
}

// Each element so many times, one behind the other; without an axis those of the flat tensor.
static void data_repeat_each(ms_op *o) {
  front_op *b = &o->b;
  weft_value *parts[WEFT_MAX_RANK];
  int64_t times[WEFT_MAX_RANK];
  weft_value *x = ms_tensor(o, "x");
  if (!ms_has(o, "axis"))
    x = front_flat(b, x);
  int rank = front_rank_of(b, x);
  int64_t axis = front_axis(b, ms_int(o, "axis", 0), rank);
  int64_t n = ms_int(o, "repeats", 1);
  if (!b->failed && (n < 0 || rank == 0 || rank == WEFT_MAX_RANK))
    front_fail(b, WEFT_E_RANGE, "rank %d, repeated %lld times", rank, (long long)n);
  for (int i = 0; i <= rank && !b->failed; i++)
    times[i] = i == axis + 1 ? n : 1;
  for (int i = 0; i < rank && !b->failed; i++)
    parts[i] = front_dim_list(b, x, i);
  parts[axis] = front_size_by(b, "Mul", b->failed ? NULL : parts[axis], n);
  weft_value *wide = front_unsqueezed(b, x, axis + 1);
  wide = front_do(b, "Tile", wide, front_list(b, times, b->failed ? 0 : (size_t)rank + 1), NULL);
  ms_give(o, b->failed ? NULL : front_reshape(b, wide, front_size_list(b, parts, (size_t)rank)));
}

static void data_reverse_sequence(ms_op *o) {
  weft_value *x = ms_tensor(o, "x");
  weft_value *lengths = ms_tensor(o, "lengths");
  front_set_int(&o->b, "seq_dim", ms_int(o, "seq_dim", 1));
  front_set_int(&o->b, "batch_dim", ms_int(o, "batch_dim", 0));
  ms_give(o, front_do(&o->b, "ReverseSequence", x, lengths, NULL));
}

static void data_meshgrid(ms_op *o) {
  front_op *b = &o->b;
  weft_value **v;
  weft_value *sizes[WEFT_MAX_RANK];
  weft_value *out[WEFT_MAX_RANK];
  size_t n = ms_tensors(o, "x", &v);
  enum { INDEXING_XY = 1 };
  ms_value indexing;
  bool number = ms_find(o, "indexing", &indexing) && indexing.kind == MS_INT;
  bool swapped = n > 1 && (number ? indexing.i == INDEXING_XY : ms_is(o, "indexing", "xy", "xy"));
  if (n > WEFT_MAX_RANK)
    front_fail(b, WEFT_E_LIMIT, "%zu axes", n);
  for (size_t i = 0; i < n && !b->failed; i++) {
    size_t at = swapped && i < 2 ? 1 - i : i;
    sizes[at] = front_dim_list(b, v[i], 0);
  }
  weft_value *shape = b->failed ? NULL : front_joined(b, sizes, n, 0);
  for (size_t i = 0; i < n && !b->failed; i++) {
    int64_t dims[WEFT_MAX_RANK];
    size_t at = swapped && i < 2 ? 1 - i : i;
    for (size_t k = 0; k < n; k++)
      dims[k] = k == at ? -1 : 1;
    out[i] = front_expanded(b, front_reshaped(b, v[i], dims, n), shape);
  }
  ms_give_many(o, out, b->failed ? 0 : n);
}

// ---- made of numbers ----
static void data_full(ms_op *o) {
  front_op *b = &o->b;
  bool ones = !strncmp(o->b.type, "Ones", 4);
  bool zeros = !strncmp(o->b.type, "Zeros", 5);
  weft_dtype t = ms_type(o, "dtype", ms_out_type(o, 0));
  weft_value *number = ones || zeros ? front_num(b, t, ones) : ms_operand(o, "value", t);
  ms_give(o, front_filled(b, ms_numbers(o, "shape"), number));
}

static void data_eye(ms_op *o) {
  front_op *b = &o->b;
  weft_dtype t = ms_type(o, "dtype", ms_out_type(o, 0));
  weft_value *n = ms_operand(o, "n", WEFT_INT64);
  weft_value *m = ms_has(o, "m") ? ms_operand(o, "m", WEFT_INT64) : n;
  weft_value *rows = front_unsqueezed(b, front_counting(b, n), 1);
  weft_value *same = front_do(b, "Equal", rows, front_counting(b, m), NULL);
  ms_give(o, front_as(b, same, t));
}

static void data_range(ms_op *o) {
  weft_dtype t = ms_type(o, "dtype", ms_out_type(o, 0));
  weft_value *start = ms_operand(o, "start", t);
  weft_value *limit = ms_operand(o, "end", t);
  ms_give(o, front_do(&o->b, "Range", start, limit, ms_operand(o, "step", t)));
}

static void data_linspace(ms_op *o) {
  weft_dtype t = ms_type(o, "dtype", ms_out_type(o, 0));
  weft_value *start = ms_operand(o, "start", t);
  weft_value *stop = ms_operand(o, "stop", t);
  ms_give(o, front_do(&o->b, "LinSpace", start, stop, ms_operand(o, "num", WEFT_INT64)));
}

static void data_one_hot(ms_op *o) {
  front_op *b = &o->b;
  weft_dtype t = ms_out_type(o, 0);
  weft_value *on = ms_has(o, "on") ? ms_tensor(o, "on") : front_num(b, t, 1);
  weft_value *off = ms_has(o, "off") ? ms_tensor(o, "off") : front_num(b, t, 0);
  weft_value *in[4] = {ms_tensor(o, "x"), ms_operand(o, "depth", WEFT_INT64), on, off};
  front_set_int(b, "axis", ms_int(o, "axis", -1));
  ms_give(o, b->failed ? NULL : front_emit(b, "OneHot", in, 4, NULL));
}

// ---- order and triangles ----
static void data_reverse(ms_op *o) {
  int64_t axes[MS_MAX_NUMBERS];
  weft_value *x = ms_tensor(o, "x");
  size_t n = ms_axes(o, "axis", front_rank_of(&o->b, x), axes);
  ms_give(o, n ? front_do(&o->b, "ReverseV2", x, front_list(&o->b, axes, n), NULL) : x);
}

static void data_roll(ms_op *o) {
  front_op *b = &o->b;
  int64_t by[MS_MAX_NUMBERS];
  int64_t axes[MS_MAX_NUMBERS];
  weft_value *x = ms_tensor(o, "x");
  size_t n = ms_ints(o, ms_has(o, "shift") ? "shift" : "shifts", by);
  size_t n_axes = ms_axes(o, ms_has(o, "axis") ? "axis" : "dims", front_rank_of(b, x), axes);
  if (!n_axes && n == 1) {
    weft_value *rolled = front_rolled(b, front_flat(b, x), 0, front_list(b, by, 1));
    ms_give(o, front_reshape(b, rolled, front_shape(b, x)));
    return;
  }
  if (!b->failed && n != n_axes)
    front_fail(b, WEFT_E_INVALID, "%zu shifts for %zu axes", n, n_axes);
  for (size_t i = 0; i < n && !b->failed; i++)
    x = front_rolled(b, x, axes[i], front_list(b, &by[i], 1));
  ms_give(o, x);
}

static void data_triangle(ms_op *o, const char *type) {
  weft_value *x = ms_tensor(o, "x");
  front_set_int(&o->b, "diagonal", ms_int(o, "diagonal", 0));
  ms_give(o, front_do(&o->b, type, x, NULL, NULL));
}
static void data_tril(ms_op *o) {
  data_triangle(o, "Tril");
}
static void data_triu(ms_op *o) {
  data_triangle(o, "Triu");
}
// Of each diagonal, counted from the main one, those below and above so many; negative: all of them.
static void data_band(ms_op *o) {
  front_op *b = &o->b;
  weft_value *x = ms_tensor(o, "x");
  int64_t lower = ms_int(o, "lower", -1);
  int64_t upper = ms_int(o, "upper", -1);
  if (lower >= 0) {
    front_set_int(b, "diagonal", -lower);
    x = front_do(b, "Triu", x, NULL, NULL);
  }
  if (upper >= 0) {
    front_set_int(b, "diagonal", upper);
    x = front_do(b, "Tril", x, NULL, NULL);
  }
  ms_give(o, x);
}
static void data_diag(ms_op *o) {
  ms_give(o, front_do(&o->b, "Diag", ms_tensor(o, "x"), NULL, NULL));
}

static const ms_row data_rows[] = {
    {"Fill", "dtype shape value", NULL, 0, data_full},
    {"MatrixBandPart", "x lower upper", NULL, 0, data_band},
    {"OneHotExt", "x depth", NULL, 0, data_one_hot},
    {"RepeatInterleaveInt", "x repeats axis", NULL, 0, data_repeat_each},
    {"ReverseSequence", "x lengths", NULL, 0, data_reverse_sequence},
    {"Arange", "start end step dtype", NULL, 0, data_range},
    {"BroadcastTo", "x shape", NULL, 0, data_broadcast},
    {"BroadcastToView", "x shape", NULL, 0, data_broadcast},
    {"Chunk", "x chunks axis", NULL, 0, data_chunk},
    {"ChunkView", "x chunks axis", NULL, 0, data_chunk},
    {"Concat", "x axis", NULL, 0, data_concat},
    {"Diag", "x", NULL, 0, data_diag},
    {"DynamicShape", "x", NULL, 0, data_tensor_shape},
    {"ExpandAs", "x other", NULL, 0, data_expand_as},
    {"ExpandDims", "x axis", NULL, 0, data_expand_dims},
    {"ExpandDimsView", "x axis", NULL, 0, data_expand_dims},
    {"Eye", "n m dtype", NULL, 0, data_eye},
    {"FillScalar", "shape value dtype", NULL, 0, data_full},
    {"FillTensor", "shape value dtype", NULL, 0, data_full},
    {"FillV2", "shape value", NULL, 0, data_full},
    {"Flatten", "x", NULL, 0, data_flatten},
    {"FlattenExt", "x start end", NULL, 0, data_flatten_ext},
    {"LinSpace", "start stop num", NULL, 0, data_linspace},
    {"LinSpaceExt", "start stop num dtype", NULL, 0, data_linspace},
    {"Meshgrid", "x indexing", NULL, 0, data_meshgrid},
    {"Narrow", "x axis start length", NULL, 0, data_narrow},
    {"NarrowView", "x axis start length", NULL, 0, data_narrow},
    {"OneHot", "x depth on off axis", NULL, 0, data_one_hot},
    {"Ones", "shape dtype", NULL, 0, data_full},
    {"Range", "start end step", NULL, 0, data_range},
    {"Rank", "x", NULL, 0, data_rank},
    {"Repeat", "x dims", NULL, 0, data_tile},
    {"Reshape", "x shape", NULL, 0, data_reshape},
    {"ReverseV2", "x axis", NULL, 0, data_reverse},
    {"Roll", "x shifts dims", NULL, 0, data_roll},
    {"SelectExt", "x axis index", NULL, 0, data_select},
    {"SelectExtView", "x axis index", NULL, 0, data_select},
    {"Shape", "x", NULL, 0, data_shape},
    {"Size", "x", NULL, 0, data_size},
    {"Slice", "x begin size", NULL, 0, data_slice},
    {"SliceExt", "x axis start end step", NULL, 0, data_slice_axis},
    {"Split", "x axis output_num", NULL, 0, data_split},
    {"SplitTensor", "x size axis", NULL, 0, data_split_tensor},
    {"SplitTensorView", "x size axis", NULL, 0, data_split_tensor},
    {"SplitWithSize", "x sizes axis", NULL, 0, data_split_sizes},
    {"SplitWithSizeView", "x sizes axis", NULL, 0, data_split_sizes},
    {"Squeeze", "x axis", NULL, 0, data_squeeze},
    {"Stack", "x", NULL, 0, data_stack},
    {"StackExt", "x axis", NULL, 0, data_stack},
    {"StridedSlice", "x begin end strides begin_mask end_mask ellipsis_mask new_axis_mask shrink_axis_mask",
     NULL, 0, data_strided_slice},
    {"TensorShape", "x", NULL, 0, data_tensor_shape},
    {"TExt", "x", NULL, 0, data_turn},
    {"Tile", "x dims", NULL, 0, data_tile},
    {"Transpose", "x perm", NULL, 0, data_transpose},
    {"TransposeExt", "x dim0 dim1", NULL, 0, data_swap},
    {"TransposeExtView", "x dim0 dim1", NULL, 0, data_swap},
    {"TransposeView", "x perm", NULL, 0, data_transpose},
    {"Tril", "x diagonal", NULL, 0, data_tril},
    {"TrilExt", "x diagonal", NULL, 0, data_tril},
    {"Triu", "x diagonal", NULL, 0, data_triu},
    {"Unstack", "x", NULL, 0, data_unstack},
    {"UnstackExt", "x axis", NULL, 0, data_unstack},
    {"UnstackExtView", "x axis", NULL, 0, data_unstack},
    {"View", "x shape", NULL, 0, data_reshape},
    {"Zeros", "shape dtype", NULL, 0, data_full},
};
const ms_rows ms_data = MS_ROWS(data_rows);
// SPDX-License-Identifier: Apache-2.0
