// export_rows.c - primitives that are ONNX operators, or a few of them: arithmetic, shapes, places,
// reductions.
#include "frontend/onnx/export.h"

// ---- helpers ----
static weft_dtype rows_type(const export *x) {
  const weft_value *v = export_in_value(x, 0);
  return v ? v->fact.dtype : (weft_dtype)WEFT_UNDEFINED;
}
static bool rows_is_float(weft_dtype t) {
  return (WEFT_BIT(t) & WEFT_FLOATS) != 0;
}
static int rows_rank(const export *x, uint32_t i) {
  const weft_value *v = export_in_value(x, i);
  return v && weft__fact_ranked(&v->fact) ? v->fact.rank : -1;
}
static bool rows_one(const export *x, uint32_t i, int64_t *out) {
  size_t n;
  return export_known(export_in_value(x, i), out, 1, &n) && n == 1;
}

// ---- arithmetic ----
static bool rows_cast(export *x) {
  int32_t to = export_type(x, (weft_dtype)export_attr_int(x, "dst_type", 0));
  if (!to)
    return false;
  (void)export_op1(x, "Cast", export_in(x, 0), NULL, NULL, export_out(x, 0));
  onnxw_attr_int(&x->w, "to", to);
  return true;
}

// Exp and Log with AscendIR's base, scale and shift.
static bool rows_exponent(export *x) {
  bool log = !strcmp(weft_node_type(x->node), "Log");
  float base = export_attr_float(x, "base", -1);
  if (export_attr_float(x, "scale", 1) != 1 || export_attr_float(x, "shift", 0) != 0)
    return false;
  if (base == -1) {
    (void)export_op1(x, log ? "Log" : "Exp", export_in(x, 0), NULL, NULL, export_out(x, 0));
    return true;
  }
  weft_dtype t = rows_type(x);
  if (!rows_is_float(t) || base <= 0)
    return false;
  double by = base == 2 ? 0.6931471805599453 : base == 10 ? 2.302585092994046 : 0;
  if (by == 0)
    return false;
  const char *number = export_number(x, t, log ? 1 / by : by);
  const char *v = log ? export_op1(x, "Log", export_in(x, 0), NULL, NULL, NULL) : export_in(x, 0);
  if (log)
    (void)export_op1(x, "Mul", v, number, NULL, export_out(x, 0));
  else
    (void)export_op1(x, "Exp", export_op1(x, "Mul", v, number, NULL, NULL), NULL, NULL, export_out(x, 0));
  return true;
}

static bool rows_square(export *x) {
  if (!rows_is_float(rows_type(x)) && !weft_dtype_is_integer(rows_type(x)))
    return false;
  (void)export_op1(x, "Mul", export_in(x, 0), export_in(x, 0), NULL, export_out(x, 0));
  return true;
}
static bool rows_squared_difference(export *x) {
  if (!rows_is_float(rows_type(x)) && !weft_dtype_is_integer(rows_type(x)))
    return false;
  const char *v = export_op1(x, "Sub", export_in(x, 0), export_in(x, 1), NULL, NULL);
  (void)export_op1(x, "Mul", v, v, NULL, export_out(x, 0));
  return true;
}

// A bias of channels that are not last gets dims of 1 behind it.
static bool rows_bias_add(export *x) {
  int64_t axes[WEFT_MAX_RANK];
  const weft_attr *format = export_attr(x, "data_format");
  const bool last = format && format->u.s[format->n - 1] == 'C';
  const int rank = rows_rank(x, 0);
  if (!format || rank < 0)
    return false;
  const char *bias = export_in(x, 1);
  for (int i = 2; i < rank; i++)
    axes[i - 2] = i - 1;
  if (!last && rank > 2)
    bias = export_op1(x, "Unsqueeze", bias, export_ints(x, axes, (size_t)rank - 2, false), NULL, NULL);
  (void)export_op1(x, "Add", export_in(x, 0), bias, NULL, export_out(x, 0));
  return true;
}
static bool rows_rsqrt(export *x) {
  if (!rows_is_float(rows_type(x)))
    return false;
  (void)export_op1(x, "Reciprocal", export_op1(x, "Sqrt", export_in(x, 0), NULL, NULL, NULL), NULL, NULL,
                   export_out(x, 0));
  return true;
}
static bool rows_not_equal(export *x) {
  (void)export_op1(x, "Not", export_op1(x, "Equal", export_in(x, 0), export_in(x, 1), NULL, NULL), NULL, NULL,
                   export_out(x, 0));
  return true;
}
static bool rows_mod(export *x) {
  (void)export_op1(x, "Mod", export_in(x, 0), export_in(x, 1), NULL, export_out(x, 0));
  onnxw_attr_int(&x->w, "fmod", 1);
  return true;
}

// Rounded down: of floats by Floor, of integers less what is left.
static bool rows_floor_div(export *x) {
  const char *a = export_in(x, 0);
  const char *b = export_in(x, 1);
  if (rows_is_float(rows_type(x))) {
    (void)export_op1(x, "Floor", export_op1(x, "Div", a, b, NULL, NULL), NULL, NULL, export_out(x, 0));
    return true;
  }
  const char *rest = export_op1(x, "Mod", a, b, NULL, NULL);
  (void)export_op1(x, "Div", export_op1(x, "Sub", a, rest, NULL, NULL), b, NULL, export_out(x, 0));
  return true;
}
static bool rows_floor_mod(export *x) {
  const char *a = export_in(x, 0);
  const char *b = export_in(x, 1);
  if (!rows_is_float(rows_type(x))) {
    (void)export_op1(x, "Mod", a, b, NULL, export_out(x, 0));
    return true;
  }
  const char *whole = export_op1(x, "Floor", export_op1(x, "Div", a, b, NULL, NULL), NULL, NULL, NULL);
  (void)export_op1(x, "Sub", a, export_op1(x, "Mul", whole, b, NULL, NULL), NULL, export_out(x, 0));
  return true;
}

static bool rows_relu6(export *x) {
  if (!rows_is_float(rows_type(x)))
    return false;
  const char *most = export_number(x, rows_type(x), 6);
  (void)export_op1(x, "Clip", export_in(x, 0), export_number(x, rows_type(x), 0), most, export_out(x, 0));
  return true;
}
static bool rows_clip(export *x) {
  const char *low = export_in(x, 1);
  const char *high = export_in(x, 2);
  if (rows_rank(x, 1) == 0 && rows_rank(x, 2) == 0)
    (void)export_op1(x, "Clip", export_in(x, 0), low, high, export_out(x, 0));
  else
    (void)export_op1(x, "Min", export_op1(x, "Max", export_in(x, 0), low, NULL, NULL), high, NULL,
                     export_out(x, 0));
  return true;
}

static bool rows_elu(export *x) {
  float alpha = export_attr_float(x, "alpha", 1);
  float scale = export_attr_float(x, "scale", 1);
  float inner = export_attr_float(x, "input_scale", 1);
  const char *type = scale != 1 && inner == 1           ? "Selu"
                     : scale == 1 && inner == 1         ? "Elu"
                     : scale == 1 && inner * alpha == 1 ? "Celu"
                                                        : NULL;
  if (!type)
    return false;
  (void)export_op1(x, type, export_in(x, 0), NULL, NULL, export_out(x, 0));
  onnxw_attr_float(&x->w, "alpha", alpha);
  if (scale != 1)
    onnxw_attr_float(&x->w, "gamma", scale);
  return true;
}

static bool rows_swish(export *x) {
  float scale = export_attr_float(x, "scale", 1);
  const char *v = export_in(x, 0);
  if (scale != 1)
    v = export_op1(x, "Mul", v, export_number(x, rows_type(x), (double)scale), NULL, NULL);
  (void)export_op1(x, "Mul", export_in(x, 0), export_op1(x, "Sigmoid", v, NULL, NULL, NULL), NULL,
                   export_out(x, 0));
  return true;
}

static bool rows_round(export *x) {
  int64_t decimals = export_attr_int(x, "decimals", 0);
  weft_dtype t = rows_type(x);
  double by = 1;
  if (!rows_is_float(t) || decimals < -6 || decimals > 6)
    return false;
  for (int64_t i = decimals < 0 ? -decimals : decimals; i > 0; i--)
    by *= 10;
  if (!decimals) {
    (void)export_op1(x, "Round", export_in(x, 0), NULL, NULL, export_out(x, 0));
    return true;
  }
  const char *number = export_number(x, t, by);
  const char *v = export_op1(x, decimals > 0 ? "Mul" : "Div", export_in(x, 0), number, NULL, NULL);
  v = export_op1(x, "Round", v, NULL, NULL, NULL);
  (void)export_op1(x, decimals > 0 ? "Div" : "Mul", v, number, NULL, export_out(x, 0));
  return true;
}

// e^x - 1 and ln(1 + x): near 0 ONNX has nothing as exact.
static bool rows_near(export *x) {
  weft_dtype t = rows_type(x);
  if (!rows_is_float(t))
    return false;
  const char *one = export_number(x, t, 1);
  if (!strcmp(weft_node_type(x->node), "Expm1"))
    (void)export_op1(x, "Sub", export_op1(x, "Exp", export_in(x, 0), NULL, NULL, NULL), one, NULL,
                     export_out(x, 0));
  else
    (void)export_op1(x, "Log", export_op1(x, "Add", export_in(x, 0), one, NULL, NULL), NULL, NULL,
                     export_out(x, 0));
  return true;
}

static bool rows_xlogy(export *x) {
  weft_dtype t = rows_type(x);
  if (!rows_is_float(t))
    return false;
  const char *zero = export_number(x, t, 0);
  const char *none = export_op1(x, "Equal", export_in(x, 0), zero, NULL, NULL);
  const char *log = export_op1(x, "Log", export_in(x, 1), NULL, NULL, NULL);
  (void)export_op1(x, "Where", none, zero, export_op1(x, "Mul", export_in(x, 0), log, NULL, NULL),
                   export_out(x, 0));
  return true;
}

static bool rows_fill(export *x) {
  (void)export_op1(x, "Expand", export_in(x, 1), export_places(x, 0), NULL, export_out(x, 0));
  return true;
}
static bool rows_like(export *x) {
  weft_dtype t = rows_type(x);
  if (!rows_is_float(t) && !weft_dtype_is_integer(t) && t != WEFT_BOOL)
    return false;
  const char *shape = export_op1(x, "Shape", export_in(x, 0), NULL, NULL, NULL);
  const char *number = export_number(x, t, !strcmp(weft_node_type(x->node), "OnesLike"));
  (void)export_op1(x, "Expand", number, shape, NULL, export_out(x, 0));
  return true;
}

// ---- shapes ----
static bool rows_shape(export *x) {
  if (export_attr_int(x, "dtype", WEFT_INT64) != WEFT_INT64)
    return false;
  (void)export_op1(x, "Shape", export_in(x, 0), NULL, NULL, export_out(x, 0));
  if (export_attr_int(x, "start", 0))
    onnxw_attr_int(&x->w, "start", export_attr_int(x, "start", 0));
  int64_t end = export_attr_int(x, "end", INT64_MAX);
  if (end < WEFT_MAX_RANK)
    onnxw_attr_int(&x->w, "end", end);
  return true;
}
static bool rows_size(export *x) {
  if (export_attr_int(x, "dtype", WEFT_INT64) != WEFT_INT64)
    return false;
  (void)export_op1(x, "Size", export_in(x, 0), NULL, NULL, export_out(x, 0));
  return true;
}
static bool rows_reshape(export *x) {
  if (export_attr_int(x, "axis", 0) || export_attr_int(x, "num_axes", -1) != -1)
    return false;
  (void)export_op1(x, "Reshape", export_in(x, 0), export_places(x, 1), NULL, export_out(x, 0));
  onnxw_attr_int(&x->w, "allowzero", export_attr_int(x, "allowzero", 0));
  return true;
}
static bool rows_axes(export *x, const char *type, const char *attr) {
  weft_ints axes = export_attr_ints(x, attr);
  const char *list = axes.n ? export_ints(x, axes.v, axes.n, false) : NULL;
  (void)export_op1(x, type, export_in(x, 0), list, NULL, export_out(x, 0));
  return true;
}
static bool rows_squeeze(export *x) {
  return rows_axes(x, "Squeeze", "axis");
}
static bool rows_unsqueeze(export *x) {
  return rows_axes(x, "Unsqueeze", "axes");
}
static bool rows_expand_dims(export *x) {
  int64_t axis;
  if (!rows_one(x, 1, &axis))
    return false;
  (void)export_op1(x, "Unsqueeze", export_in(x, 0), export_ints(x, &axis, 1, false), NULL, export_out(x, 0));
  return true;
}
static bool rows_triangle(export *x) {
  const int64_t diagonal = export_attr_int(x, "diagonal", 0);
  (void)export_op1(x, "Trilu", export_in(x, 0), export_ints(x, &diagonal, 1, true), NULL, export_out(x, 0));
  onnxw_attr_int(&x->w, "upper", !strcmp(weft_node_type(x->node), "Triu"));
  return true;
}
static bool rows_transpose(export *x) {
  int64_t order[WEFT_MAX_RANK];
  size_t n;
  if (!export_known(export_in_value(x, 1), order, WEFT_MAX_RANK, &n))
    return false;
  (void)export_op1(x, "Transpose", export_in(x, 0), NULL, NULL, export_out(x, 0));
  onnxw_attr_ints(&x->w, "perm", order, n);
  return true;
}
static bool rows_concat(export *x) {
  const char *in[512];
  const bool attr = !strcmp(weft_node_type(x->node), "ConcatD");
  int64_t axis = export_attr_int(x, "concat_dim", 0);
  uint32_t n = x->node->desc.pub.n_in - !attr;
  if (n > WEFT_COUNT(in) || (!attr && !rows_one(x, 1, &axis)))
    return false;
  for (uint32_t i = 0; i < n; i++)
    in[i] = export_name(x, x->node->in[i].value);
  const char *out = export_out(x, 0);
  (void)export_op(x, "Concat", in, n, &out, 1);
  onnxw_attr_int(&x->w, "axis", axis);
  return true;
}

// x, sizes, axis to n values; without sizes they are equal.
static bool rows_cut(export *x, uint32_t data, uint32_t at, bool sizes) {
  const char *out[512];
  int64_t axis;
  uint32_t n = x->node->desc.pub.n_out;
  if (n > WEFT_COUNT(out) || !rows_one(x, at, &axis))
    return false;
  for (uint32_t i = 0; i < n; i++)
    out[i] = export_name(x, &x->node->out[i]);
  const char *in[2] = {export_in(x, data), sizes ? export_in(x, 1) : ""};
  (void)export_op(x, "Split", in, 2, out, n);
  onnxw_attr_int(&x->w, "axis", axis);
  if (!sizes)
    onnxw_attr_int(&x->w, "num_outputs", n);
  return true;
}
static bool rows_split_v(export *x) {
  return rows_cut(x, 0, 2, true);
}
static bool rows_split(export *x) {
  return rows_cut(x, 1, 0, false);
}

static bool rows_slice(export *x) {
  static const char *const masks[] = {"begin_mask", "end_mask", "ellipsis_mask", "new_axis_mask",
                                      "shrink_axis_mask"};
  for (size_t i = 0; i < WEFT_COUNT(masks); i++) {
    if (export_attr_int(x, masks[i], 0))
      return false;
  }
  const char *in[5] = {export_in(x, 0), export_in(x, 1), export_in(x, 2), export_in(x, 3), export_in(x, 4)};
  const char *out = export_out(x, 0);
  (void)export_op(x, "Slice", in, 5, &out, 1);
  return true;
}

static bool rows_reverse(export *x) {
  int64_t axes[WEFT_MAX_RANK];
  int64_t last[WEFT_MAX_RANK];
  int64_t first[WEFT_MAX_RANK];
  int64_t back[WEFT_MAX_RANK];
  size_t n;
  if (!export_known(export_in_value(x, 1), axes, WEFT_MAX_RANK, &n) || !n)
    return false;
  for (size_t i = 0; i < n; i++) {
    last[i] = -1;
    first[i] = -INT64_MAX;
    back[i] = -1;
  }
  const char *in[5] = {export_in(x, 0), export_ints(x, last, n, false), export_ints(x, first, n, false),
                       export_ints(x, axes, n, false), export_ints(x, back, n, false)};
  const char *out = export_out(x, 0);
  (void)export_op(x, "Slice", in, 5, &out, 1);
  return true;
}

static bool rows_pad(export *x) {
  static const char *const modes[][2] = {{"constant", "constant"},
                                         {"reflect", "reflect"},
                                         {"edge", "edge"},
                                         {"circular", "wrap"},
                                         {"wrap", "wrap"}};
  const char *mode = NULL;
  for (size_t i = 0; i < WEFT_COUNT(modes); i++) {
    if (export_attr_is(x, "mode", modes[i][0]))
      mode = modes[i][1];
  }
  if (!mode || export_attr_int(x, "paddings_contiguous", 1))
    return false;
  (void)export_op1(x, "Pad", export_in(x, 0), export_places(x, 1), export_in(x, 2), export_out(x, 0));
  onnxw_attr_str(&x->w, "mode", mode);
  return true;
}

// ---- places ----
static bool rows_gather(export *x) {
  int64_t axis;
  if (!rows_one(x, 2, &axis) || export_attr_int(x, "batch_dims", 0))
    return false;
  (void)export_op1(x, "Gather", export_in(x, 0), export_in(x, 1), NULL, export_out(x, 0));
  onnxw_attr_int(&x->w, "axis", axis);
  return true;
}
static bool rows_non_zero(export *x) {
  if (export_attr_int(x, "dtype", WEFT_INT64) != WEFT_INT64)
    return false;
  bool turned = export_attr_int(x, "transpose", 0) != 0;
  const char *v = export_op1(x, "NonZero", export_in(x, 0), NULL, NULL, turned ? export_out(x, 0) : NULL);
  if (!turned) {
    (void)export_op1(x, "Transpose", v, NULL, NULL, export_out(x, 0));
    onnxw_attr_ints(&x->w, "perm", (const int64_t[]){1, 0}, 2);
  }
  return true;
}
static bool rows_one_hot(export *x) {
  const char *zero = export_ints(x, (const int64_t[]){0}, 1, false);
  const char *parts[2] = {export_op1(x, "Unsqueeze", export_in(x, 3), zero, NULL, NULL),
                          export_op1(x, "Unsqueeze", export_in(x, 2), zero, NULL, NULL)};
  const char *values = export_op(x, "Concat", parts, 2, NULL, 0);
  onnxw_attr_int(&x->w, "axis", 0);
  // a negative place is none here, and one from the end there: it becomes the first that is too large
  const char *at = export_in(x, 0);
  const char *depth = export_in(x, 1);
  weft_dtype t = rows_type(x);
  if (!export_attr_int(x, "negative_index_support", 0) && (weft_dtype_is_signed(t) || rows_is_float(t))) {
    const char *none = export_op1(x, "Sub", at, at, NULL, NULL);
    const char *below = export_op1(x, "Less", at, none, NULL, NULL);
    const char *after = export_op1(x, "Cast", depth, NULL, NULL, NULL);
    onnxw_attr_int(&x->w, "to", export_type(x, t));
    at = export_op1(x, "Where", below, after, at, NULL);
  }
  (void)export_op1(x, "OneHot", at, depth, values, export_out(x, 0));
  onnxw_attr_int(&x->w, "axis", export_attr_int(x, "axis", -1));
  return true;
}
static bool rows_unique(export *x) {
  int64_t axis;
  size_t n;
  if (!export_known(export_in_value(x, 1), &axis, 1, &n) ||
      export_attr_int(x, "out_idx", WEFT_INT64) != WEFT_INT64)
    return false;
  const char *idx = export_out(x, 1);
  const char *out[4] = {export_out(x, 0), idx, export_out(x, 3), export_out(x, 2)};
  const char *in[1] = {export_in(x, 0)};
  if (!export_attr_int(x, "return_inverse", 0) && idx && *idx) {  // it is what inverse_idx is
    if (out[2] && *out[2])
      return false;
    out[1] = out[2];
    out[2] = idx;
  }
  (void)export_op(x, "Unique", in, 1, out, 4);
  if (n)
    onnxw_attr_int(&x->w, "axis", axis);
  onnxw_attr_int(&x->w, "sorted", export_attr_int(x, "sorted", 0));
  return true;
}
static bool rows_top_k(export *x) {
  if (export_attr_int(x, "indices_dtype", WEFT_INT32) != WEFT_INT64)
    return false;
  const char *in[2] = {export_in(x, 0), export_places(x, 1)};
  const char *out[2] = {export_out(x, 0), export_out(x, 1)};
  if (rows_rank(x, 1) == 0)
    in[1] = export_op1(x, "Unsqueeze", in[1], export_ints(x, (const int64_t[]){0}, 1, false), NULL, NULL);
  (void)export_op(x, "TopK", in, 2, out, 2);
  export_pass(x, "axis", "dim");
  export_pass(x, "largest", "largest");
  export_pass(x, "sorted", "sorted");
  return true;
}

static bool rows_pack(export *x) {
  const uint32_t n = x->node->desc.pub.n_in;
  const int64_t axis = export_attr_int(x, "axis", 0);
  const char **in = WEFT_NEW_N(&x->arena, const char *, (size_t)n + 1);
  if (!n || !in)
    return false;
  for (uint32_t i = 0; i < n; i++) {
    const char *v = export_name(x, x->node->in[i].value);
    in[i] = export_op1(x, "Unsqueeze", v, export_ints(x, &axis, 1, false), NULL, NULL);
  }
  const char *out = export_out(x, 0);
  (void)export_op(x, "Concat", in, n, &out, 1);
  onnxw_attr_int(&x->w, "axis", axis);
  return true;
}
static bool rows_unpack(export *x) {
  const uint32_t n = x->node->desc.pub.n_out;
  const int64_t axis = export_attr_int(x, "axis", 0);
  const char **out = WEFT_NEW_N(&x->arena, const char *, (size_t)n + 1);
  if (!n || !out)
    return false;
  for (uint32_t i = 0; i < n; i++)
    out[i] = export_made(x);
  const char *in = export_in(x, 0);
  (void)export_op(x, "Split", &in, 1, out, n);
  onnxw_attr_int(&x->w, "axis", axis);
  onnxw_attr_int(&x->w, "num_outputs", n);
  for (uint32_t i = 0; i < n; i++) {
    if (export_wanted(x, i))
      (void)export_op1(x, "Squeeze", out[i], export_ints(x, &axis, 1, false), NULL, export_out(x, i));
  }
  return true;
}

// [rank,2] by axis is, in ONNX, all that comes before and then all that comes behind.
static bool rows_pad_zeros(export *x) {
  const char *pads = export_op1(x, "Transpose", export_places(x, 1), NULL, NULL, NULL);
  const int64_t flat = -1;
  pads = export_op1(x, "Reshape", pads, export_ints(x, &flat, 1, false), NULL, NULL);
  (void)export_op1(x, "Pad", export_in(x, 0), pads, NULL, export_out(x, 0));
  return true;
}

// ---- reductions ----
static const char *rows_reduced(export *x, const char *type, const char *v, const char *out) {
  const char *y = export_op1(x, type, v, export_places(x, 1), NULL, out);
  onnxw_attr_int(&x->w, "keepdims", export_attr_int(x, "keep_dims", 0));
  onnxw_attr_int(&x->w, "noop_with_empty_axes", export_attr_int(x, "noop_with_empty_axes", 1));
  return y;
}
static bool rows_reduce(export *x) {
  static const char *const names[][2] = {
      {"ReduceSum", "ReduceSum"},       {"ReduceMean", "ReduceMean"}, {"ReduceMax", "ReduceMax"},
      {"ReduceMin", "ReduceMin"},       {"ReduceProd", "ReduceProd"}, {"ReduceLogSumExp", "ReduceLogSumExp"},
      {"ReduceLogSum", "ReduceLogSum"}, {"EuclideanNorm", "ReduceL2"}};
  for (size_t i = 0; i < WEFT_COUNT(names); i++) {
    if (!strcmp(names[i][0], weft_node_type(x->node)) && rows_type(x) != WEFT_BOOL) {
      (void)rows_reduced(x, names[i][1], export_in(x, 0), export_out(x, 0));
      return true;
    }
  }
  return false;
}
static bool rows_truth(export *x) {
  bool any = !strcmp(weft_node_type(x->node), "ReduceAny");
  if (rows_type(x) != WEFT_BOOL)
    return false;
  const char *v = export_op1(x, "Cast", export_in(x, 0), NULL, NULL, NULL);
  onnxw_attr_int(&x->w, "to", ONNX_INT32);
  v = rows_reduced(x, any ? "ReduceSum" : "ReduceMin", v, NULL);  // of nothing: false, true
  (void)export_op1(x, "Cast", v, NULL, NULL, export_out(x, 0));
  onnxw_attr_int(&x->w, "to", ONNX_BOOL);
  return true;
}
static bool rows_arg(export *x) {
  int64_t axis;
  const weft_dtype to = (weft_dtype)export_attr_int(x, "dtype", WEFT_INT64);
  if (!rows_one(x, 1, &axis) || (to != WEFT_INT64 && to != WEFT_INT32))
    return false;
  bool most = !strcmp(weft_node_type(x->node), "ArgMaxV2");
  const char *y = export_op1(x, most ? "ArgMax" : "ArgMin", export_in(x, 0), NULL, NULL,
                             to == WEFT_INT64 ? export_out(x, 0) : NULL);
  onnxw_attr_int(&x->w, "axis", axis);
  onnxw_attr_int(&x->w, "keepdims", export_attr_int(x, "keep_dims", 0));
  if (to == WEFT_INT64)
    return true;
  (void)export_op1(x, "Cast", y, NULL, NULL, export_out(x, 0));
  onnxw_attr_int(&x->w, "to", ONNX_INT32);
  return true;
}

static const export_row rows[] = {
    {"Abs", "Abs", NULL, NULL},
    {"Acos", "Acos", NULL, NULL},
    {"Acosh", "Acosh", NULL, NULL},
    {"Add", "Add", NULL, NULL},
    {"ArgMaxV2", NULL, NULL, rows_arg},
    {"ArgMin", NULL, NULL, rows_arg},
    {"Asin", "Asin", NULL, NULL},
    {"Asinh", "Asinh", NULL, NULL},
    {"Atan", "Atan", NULL, NULL},
    {"Atanh", "Atanh", NULL, NULL},
    {"BiasAdd", NULL, NULL, rows_bias_add},
    {"BitwiseAnd", "BitwiseAnd", NULL, NULL},
    {"BitwiseNot", "BitwiseNot", NULL, NULL},
    {"BitwiseOr", "BitwiseOr", NULL, NULL},
    {"BitwiseXor", "BitwiseXor", NULL, NULL},
    {"BroadcastTo", "Expand", NULL, NULL},
    {"Cast", NULL, NULL, rows_cast},
    {"Ceil", "Ceil", NULL, NULL},
    {"ClipByValueV2", NULL, NULL, rows_clip},
    {"ConcatD", NULL, NULL, rows_concat},
    {"ConcatV2", NULL, NULL, rows_concat},
    {"Cos", "Cos", NULL, NULL},
    {"Cosh", "Cosh", NULL, NULL},
    {"Cumsum", "CumSum", "exclusive<exclusive reverse<reverse", NULL},
    {"Div", "Div", NULL, NULL},
    {"DynamicStitch", NULL, NULL, export_stitch},
    {"Elu", NULL, NULL, rows_elu},
    {"Equal", "Equal", NULL, NULL},
    {"Erf", "Erf", NULL, NULL},
    {"EuclideanNorm", NULL, NULL, rows_reduce},
    {"Exp", NULL, NULL, rows_exponent},
    {"Expand", "Expand", NULL, NULL},
    {"ExpandDims", NULL, NULL, rows_expand_dims},
    {"Expm1", NULL, NULL, rows_near},
    {"Fill", NULL, NULL, rows_fill},
    {"Floor", "Floor", NULL, NULL},
    {"FloorDiv", NULL, NULL, rows_floor_div},
    {"FloorMod", NULL, NULL, rows_floor_mod},
    {"GatherElements", "GatherElements", "axis<dim", NULL},
    {"GatherNd", "GatherND", "batch_dims<batch_dims", NULL},
    {"GatherV2", NULL, NULL, rows_gather},
    {"Gelu", "Gelu", "approximate<approximate", NULL},
    {"Greater", "Greater", NULL, NULL},
    {"GreaterEqual", "GreaterOrEqual", NULL, NULL},
    {"HardSigmoid", "HardSigmoid", "alpha<alpha beta<beta", NULL},
    {"HardSwish", "HardSwish", NULL, NULL},
    {"Identity", "Identity", NULL, NULL},
    {"IsInf", "IsInf", "detect_negative<detect_negative detect_positive<detect_positive", NULL},
    {"IsNan", "IsNaN", NULL, NULL},
    {"LeakyRelu", "LeakyRelu", "alpha<negative_slope", NULL},
    {"Less", "Less", NULL, NULL},
    {"LessEqual", "LessOrEqual", NULL, NULL},
    {"Log", NULL, NULL, rows_exponent},
    {"Log1p", NULL, NULL, rows_near},
    {"LogicalAnd", "And", NULL, NULL},
    {"LogicalNot", "Not", NULL, NULL},
    {"LogicalOr", "Or", NULL, NULL},
    {"MatrixDeterminant", "Det", NULL, NULL},
    {"Maximum", "Max", NULL, NULL},
    {"Minimum", "Min", NULL, NULL},
    {"Mish", "Mish", NULL, NULL},
    {"Mod", NULL, NULL, rows_mod},
    {"Mul", "Mul", NULL, NULL},
    {"Neg", "Neg", NULL, NULL},
    {"NonZero", NULL, NULL, rows_non_zero},
    {"NotEqual", NULL, NULL, rows_not_equal},
    {"OneHot", NULL, NULL, rows_one_hot},
    {"OnesLike", NULL, NULL, rows_like},
    {"PRelu", "PRelu", NULL, NULL},
    {"Pack", NULL, NULL, rows_pack},
    {"Pad", NULL, NULL, rows_pad_zeros},
    {"PadV3", NULL, NULL, rows_pad},
    {"ParallelDynamicStitch", NULL, NULL, export_stitch},
    {"Pow", "Pow", NULL, NULL},
    {"Range", "Range", NULL, NULL},
    {"RealDiv", "Div", NULL, NULL},
    {"Reciprocal", "Reciprocal", NULL, NULL},
    {"ReduceAll", NULL, NULL, rows_truth},
    {"ReduceAny", NULL, NULL, rows_truth},
    {"ReduceLogSum", NULL, NULL, rows_reduce},
    {"ReduceLogSumExp", NULL, NULL, rows_reduce},
    {"ReduceMax", NULL, NULL, rows_reduce},
    {"ReduceMean", NULL, NULL, rows_reduce},
    {"ReduceMin", NULL, NULL, rows_reduce},
    {"ReduceProd", NULL, NULL, rows_reduce},
    {"ReduceSum", NULL, NULL, rows_reduce},
    {"Relu", "Relu", NULL, NULL},
    {"Relu6", NULL, NULL, rows_relu6},
    {"Reshape", NULL, NULL, rows_reshape},
    {"ReverseV2", NULL, NULL, rows_reverse},
    {"Rint", "Round", NULL, NULL},
    {"Round", NULL, NULL, rows_round},
    {"Rsqrt", NULL, NULL, rows_rsqrt},
    {"ScatterElements", "ScatterElements", "axis<axis reduction<reduction", NULL},
    {"SelectV2", "Where", NULL, NULL},
    {"Selu", "Selu", "alpha<alpha gamma<gamma", NULL},
    {"Shape", NULL, NULL, rows_shape},
    {"Shrink", "Shrink", "bias<bias lambd<lambd", NULL},
    {"Sigmoid", "Sigmoid", NULL, NULL},
    {"Sign", "Sign", NULL, NULL},
    {"Sin", "Sin", NULL, NULL},
    {"Sinh", "Sinh", NULL, NULL},
    {"Size", NULL, NULL, rows_size},
    {"Softplus", "Softplus", NULL, NULL},
    {"Softsign", "Softsign", NULL, NULL},
    {"Split", NULL, NULL, rows_split},
    {"SplitV", NULL, NULL, rows_split_v},
    {"Sqrt", "Sqrt", NULL, NULL},
    {"Square", NULL, NULL, rows_square},
    {"SquaredDifference", NULL, NULL, rows_squared_difference},
    {"Squeeze", NULL, NULL, rows_squeeze},
    {"SqueezeV3", "Squeeze", NULL, NULL},
    {"StridedSlice", NULL, NULL, export_strided_slice},
    {"StridedSliceV2", NULL, NULL, rows_slice},
    {"StringConcat", "StringConcat", NULL, NULL},
    {"Sub", "Sub", NULL, NULL},
    {"Swish", NULL, NULL, rows_swish},
    {"Tan", "Tan", NULL, NULL},
    {"Tanh", "Tanh", NULL, NULL},
    {"TensorScatterUpdate", "ScatterND", "reduction<reduction", NULL},
    {"ThresholdedRelu", "ThresholdedRelu", "alpha<alpha", NULL},
    {"Tile", "Tile", NULL, NULL},
    {"TopKV2", NULL, NULL, rows_top_k},
    {"Transpose", NULL, NULL, rows_transpose},
    {"Tril", NULL, NULL, rows_triangle},
    {"Trilu", "Trilu", "upper<upper", NULL},
    {"Triu", NULL, NULL, rows_triangle},
    {"UniqueWithCountsExt2", NULL, NULL, rows_unique},
    {"Unpack", NULL, NULL, rows_unpack},
    {"Unsqueeze", NULL, NULL, rows_unsqueeze},
    {"UnsqueezeV3", "Unsqueeze", NULL, NULL},
    {"Xlogy", NULL, NULL, rows_xlogy},
    {"ZerosLike", NULL, NULL, rows_like},
};

const export_row *export_find(const char *primitive) {
  for (size_t i = 0; i < WEFT_COUNT(rows); i++) {
    if (!strcmp(rows[i].primitive, primitive))
      return &rows[i];
  }
  for (size_t i = 0; i < export_nn_count; i++) {
    if (!strcmp(export_nn_rows[i].primitive, primitive))
      return &export_nn_rows[i];
  }
  return NULL;
}
// SPDX-License-Identifier: Apache-2.0
