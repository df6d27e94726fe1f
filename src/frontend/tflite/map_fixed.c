// map_fixed.c - operators on quantised tensors by the interpreter's own integer rules. Sums of bytes are
// ConvInteger and MatMulInteger; sums of 16-bit numbers are exact in double: 2^22 in each of at most 2^31
// products.
#include "frontend/tflite/tables.h"

static const int64_t fixed_to_first[] = {0, 3, 1, 2};
static const int64_t fixed_to_last[] = {0, 2, 3, 1};

static bool fixed_byte(const tl_tensor *t) {
  return t->t == WEFT_INT8 || t->t == WEFT_UINT8;
}

// Input i's zero point, a number of its type.
static weft_value *fixed_zero(tl_op *o, size_t i) {
  const tl_tensor *t = tl_tensor_in(o, i);
  return front_int(&o->b, t->t, tl_zero(o, t));
}

// Are both factors, and a bias at i if there is one, what the interpreter multiplies as integers?
static bool fixed_product(tl_op *o, size_t left, size_t right, size_t i) {
  int64_t low;
  int64_t high;
  const tl_tensor *x = tl_tensor_in(o, left);
  const tl_tensor *w = tl_tensor_in(o, right);
  const tl_tensor *bias = tl_tensor_in(o, i);
  if (!tl_is_fixed(x) || !tl_quantised(w) || !tl_range(o, &low, &high))
    return false;
  bool weights = fixed_byte(w) || (w->t == WEFT_INT16 && x->t == WEFT_INT16);
  bool biased = !bias || bias->t == WEFT_INT32 || (bias->t == WEFT_INT64 && x->t == WEFT_INT16);
  return weights && biased && (w->quant.n == 1 || w->t == WEFT_INT8) && !o->b.failed;
}

// A sum in double, plus the bias, as whole numbers: of 64 bits where the interpreter's are.
static weft_value *fixed_sum(tl_op *o, weft_value *sum, size_t i) {
  const tl_tensor *bias = tl_tensor_in(o, i);
  bool rows = o->op->code == TL_FULLY_CONNECTED;  // without a bias, sums of 32 bits
  bool wide = tl_tensor_out(o, 0)->t == WEFT_INT16 && (bias ? bias->t == WEFT_INT64 : !rows);
  weft_dtype t = wide ? WEFT_INT64 : WEFT_INT32;
  sum = front_as(&o->b, sum, t);
  return bias ? front_do(&o->b, "Add", sum, front_as(&o->b, tl_raw(o, i), t), NULL) : sum;
}

static void fixed_give(tl_op *o, weft_value *v, const tl_tensor *x, const tl_tensor *w, bool rounded) {
  size_t n;
  double *scales = tl_sum_scales(o, x, w, rounded, &n);
  if (scales)
    tl_give_raw(o, 0, tl_scaled_end(o, v, scales, n, -1, o->op->code != TL_FULLY_CONNECTED));
}

// ---- convolutions ----
static void fixed_conv_attrs(tl_op *o, const tl_window *w) {
  front_set_ints(&o->b, "strides", w->strides, 2);
  front_set_ints(&o->b, "dilations", w->dilations, 2);
  front_set_int(&o->b, "group", w->groups);
  front_set_text(&o->b, "auto_pad", w->same ? "SAME_UPPER" : "VALID");
}

bool tl_fixed_conv(tl_op *o, const tl_window *win) {
  static const int64_t plain[] = {0, 3, 1, 2};
  static const int64_t depthwise[] = {3, 0, 1, 2};
  front_op *b = &o->b;
  const tl_tensor *x = tl_tensor_in(o, 0);
  const tl_tensor *w = tl_tensor_in(o, 1);
  size_t n;
  if (!fixed_product(o, 0, 1, 2))
    return false;
  weft_value *in = front_permuted(b, tl_raw(o, 0), fixed_to_first, 4);
  weft_value *filter = front_permuted(b, tl_raw(o, 1), win->depthwise ? depthwise : plain, 4);
  weft_value *sum;
  if (fixed_byte(x)) {
    weft_value *list[5] = {in, filter, NULL, NULL, NULL};
    list[2] = tl_has(o, 2) ? tl_raw(o, 2) : NULL;
    list[3] = fixed_zero(o, 0);
    if (w->quant.n == 1 && tl_zero(o, w))
      list[4] = fixed_zero(o, 1);
    fixed_conv_attrs(o, win);
    sum = b->failed ? NULL : front_emit(b, "ConvInteger", list, list[4] ? 5 : 4, NULL);
  } else {
    in = tl_whole(o, x, in, WEFT_DOUBLE);
    filter = front_as(b, filter, WEFT_DOUBLE);
    fixed_conv_attrs(o, win);
    sum = front_do(b, "Conv", in, filter, NULL);
    sum = front_permuted(b, sum, fixed_to_last, 4);
    fixed_give(o, fixed_sum(o, sum, 2), x, w, false);
    return true;
  }
  double *scales = tl_sum_scales(o, x, w, x->t == WEFT_UINT8, &n);
  if (!scales)
    return true;
  weft_value *y = tl_scaled_end(o, sum, scales, n, 1, true);
  tl_give_raw(o, 0, front_permuted(b, y, fixed_to_last, 4));
  return true;
}

bool tl_fixed_transposed(tl_op *o, const int64_t strides[2], const int64_t pads[4], const int64_t more[2]) {
  static const int64_t order[] = {3, 0, 1, 2};
  front_op *b = &o->b;
  const tl_tensor *x = tl_tensor_in(o, 2);
  const tl_tensor *w = tl_tensor_in(o, 1);
  if (!fixed_product(o, 2, 1, 3))
    return false;
  weft_value *filter = tl_whole(o, w, front_permuted(b, tl_raw(o, 1), order, 4), WEFT_DOUBLE);
  weft_value *in = tl_whole(o, x, front_permuted(b, tl_raw(o, 2), fixed_to_first, 4), WEFT_DOUBLE);
  front_set_ints(b, "strides", strides, 2);
  front_set_ints(b, "pads", pads, 4);
  front_set_ints(b, "output_padding", more, 2);
  weft_value *sum = front_permuted(b, front_do(b, "ConvTranspose", in, filter, NULL), fixed_to_last, 4);
  fixed_give(o, fixed_sum(o, sum, 3), x, w, false);
  return true;
}

// ---- products of matrices ----
static weft_value *fixed_products(tl_op *o, weft_value *left, weft_value *right, size_t bias) {
  front_op *b = &o->b;
  const tl_tensor *x = tl_tensor_in(o, 0);
  const tl_tensor *w = tl_tensor_in(o, 1);
  if (!fixed_byte(x) || !fixed_byte(w)) {
    left = tl_whole(o, x, left, WEFT_DOUBLE);
    right = tl_whole(o, w, right, WEFT_DOUBLE);
    return fixed_sum(o, front_do(b, "BatchMatMulV2", left, right, NULL), bias);
  }
  weft_value *list[5] = {left, right, NULL, fixed_zero(o, 0), NULL};
  list[2] = tl_has(o, bias) ? tl_raw(o, bias) : NULL;
  if (w->quant.n == 1 && tl_zero(o, w))
    list[4] = fixed_zero(o, 1);
  return b->failed ? NULL : front_emit(b, "MatMulInteger", list, list[4] ? 5 : 4, NULL);
}

bool tl_fixed_rows(tl_op *o) {
  static const int64_t order[] = {1, 0};
  front_op *b = &o->b;
  const tl_tensor *w = tl_tensor_in(o, 1);
  if (!fixed_product(o, 0, 1, 2) || front_rank(tl_raw(o, 1)) != 2)
    return false;
  weft_value *x = tl_raw(o, 0);
  weft_dim inner = front_dim(tl_raw(o, 1), 1);
  if (!tl_byte(o, 2, 0) && (front_rank(x) != 2 || front_dim(x, 1) != inner)) {
    const int64_t rows[2] = {-1, inner};
    x = front_reshaped(b, x, rows, 2);
  }
  weft_value *sum = fixed_products(o, x, front_permuted(b, tl_raw(o, 1), order, 2), 2);
  fixed_give(o, sum, tl_tensor_in(o, 0), w, true);
  return true;
}

static weft_value *fixed_matrix(tl_op *o, size_t i, bool turned) {
  weft_value *v = tl_raw(o, i);
  int rank = front_rank_of(&o->b, v);
  return turned && rank > 1 ? front_swapped(&o->b, v, rank - 2, rank - 1) : v;
}

bool tl_fixed_matmul(tl_op *o) {
  const tl_tensor *w = tl_tensor_in(o, 1);
  if (!fixed_product(o, 0, 1, 2) || w->quant.n > 1)
    return false;
  weft_value *left = fixed_matrix(o, 0, tl_byte(o, 0, 0));
  weft_value *right = fixed_matrix(o, 1, tl_byte(o, 1, 0));
  fixed_give(o, fixed_products(o, left, right, 2), tl_tensor_in(o, 0), w, true);
  return true;
}

// ---- element by element ----
static bool fixed_pair(tl_op *o) {
  int64_t low;
  int64_t high;
  const tl_tensor *x = tl_tensor_in(o, 0);
  const tl_tensor *y = tl_tensor_in(o, 1);
  return tl_is_fixed(x) && tl_is_fixed(y) && x->t == y->t && tl_range(o, &low, &high) &&
         x->t == tl_tensor_out(o, 0)->t && tl_scale(o, x, 0) > 0 && tl_scale(o, y, 0) > 0;
}

// Both sides on twice the greater scale, with some bits more; then the sum or difference, or its square.
bool tl_fixed_add(tl_op *o) {
  front_op *b = &o->b;
  weft_value *v[2];
  if (!fixed_pair(o))
    return false;
  bool small = fixed_byte(tl_tensor_in(o, 0));
  bool square = o->op->code == TL_SQUARED_DIFFERENCE;
  if (!small && (square || tl_byte(o, 1, 1)))  // scales that are powers of two have a rule of their own
    return false;
  int64_t unit = square ? 1 << 7 : small ? 1 << 20 : 1 << 15;
  double one = tl_scale(o, tl_tensor_in(o, 0), 0);
  double other = tl_scale(o, tl_tensor_in(o, 1), 0);
  double most = 2 * WEFT_MAX(one, other);
  const double scales[2] = {one / most, other / most};
  for (size_t i = 0; i < 2; i++) {
    v[i] = tl_whole(o, tl_tensor_in(o, i), tl_raw(o, i), WEFT_INT32);
    v[i] = front_do(b, "Mul", v[i], front_int(b, WEFT_INT32, unit), NULL);
    v[i] = tl_scaled(o, v[i], &scales[i], 1, true);
  }
  double step = most / (double)unit;
  double end = (square ? step * step : step) / tl_scale(o, tl_tensor_out(o, 0), 0);
  weft_value *sum = front_do(b, o->op->code == TL_ADD ? "Add" : "Sub", v[0], v[1], NULL);
  if (square)
    sum = front_do(b, "Mul", sum, sum, NULL);
  tl_give_raw(o, 0, tl_scaled_end(o, sum, &end, 1, -1, true));
  return true;
}

// Either side of zero has its own scale.
bool tl_fixed_leaky(tl_op *o) {
  int64_t low;
  int64_t high;
  front_op *b = &o->b;
  const tl_tensor *x = tl_tensor_in(o, 0);
  if (!tl_is_fixed(x) || !tl_range(o, &low, &high))
    return false;
  float end = (float)tl_scale(o, tl_tensor_out(o, 0), 0);
  double above = (double)((float)tl_scale(o, x, 0) / end);
  double below = (double)((float)tl_scale(o, x, 0) * (float)tl_float(o, 0, 0) / end);
  if (below < 0)
    return false;
  weft_value *v = tl_whole(o, x, tl_raw(o, 0), WEFT_INT32);
  weft_value *negative = front_do(b, "Less", v, front_int(b, WEFT_INT32, 0), NULL);
  weft_value *p = tl_scaled_end(o, v, &below, 1, -1, true);
  weft_value *q = tl_scaled_end(o, v, &above, 1, -1, true);
  tl_give_raw(o, 0, front_where(b, negative, p, q));
  return true;
}

bool tl_fixed_mul(tl_op *o) {
  if (!fixed_pair(o))
    return false;
  weft_value *x = tl_whole(o, tl_tensor_in(o, 0), tl_raw(o, 0), WEFT_INT32);
  weft_value *y = tl_whole(o, tl_tensor_in(o, 1), tl_raw(o, 1), WEFT_INT32);
  float product = (float)tl_scale(o, tl_tensor_in(o, 0), 0) * (float)tl_scale(o, tl_tensor_in(o, 1), 0);
  double scale = (double)(product / (float)tl_scale(o, tl_tensor_out(o, 0), 0));
  tl_give_raw(o, 0, tl_scaled_end(o, front_do(&o->b, "Mul", x, y, NULL), &scale, 1, -1, true));
  return true;
}

// One integer input that is scaled anew.
bool tl_fixed_unary(tl_op *o) {
  int64_t low;
  int64_t high;
  const tl_tensor *x = tl_tensor_in(o, 0);
  if (!tl_is_fixed(x) || !tl_range(o, &low, &high))
    return false;
  double scale = tl_scale(o, x, 0) / tl_scale(o, tl_tensor_out(o, 0), 0);
  if (o->op->code == TL_RELU)
    scale = (double)(float)scale;
  weft_value *v = tl_whole(o, x, tl_raw(o, 0), WEFT_INT32);
  if (o->op->code == TL_RELU)
    v = front_do(&o->b, "Relu", v, NULL, NULL);
  tl_give_raw(o, 0, tl_scaled_end(o, v, &scale, 1, -1, true));
  return true;
}

// ---- means ----
// Integers divided by their count, halves away from zero.
static weft_value *fixed_rounded(front_op *b, weft_value *v) {
  weft_value *half = front_num(b, WEFT_FLOAT, 0.5);
  weft_value *sign = front_do(b, "Sign", v, NULL, NULL);
  weft_value *size = front_do(b, "Add", front_do(b, "Abs", v, NULL, NULL), half, NULL);
  return front_do(b, "Mul", front_do(b, "Floor", size, NULL, NULL), sign, NULL);
}

bool tl_fixed_pool(tl_op *o, weft_value *(*pool)(tl_op *o, const char *type, weft_value *x)) {
  int64_t low;
  int64_t high;
  front_op *b = &o->b;
  if (!tl_is_fixed(tl_tensor_in(o, 0)) || !tl_range(o, &low, &high))
    return false;
  weft_value *v = fixed_rounded(b, pool(o, "AvgPoolV2", front_as(b, tl_raw(o, 0), WEFT_FLOAT)));
  weft_value *least = front_num(b, WEFT_FLOAT, (double)low);
  v = front_do(b, "ClipByValueV2", v, least, front_num(b, WEFT_FLOAT, (double)high));
  tl_give_raw(o, 0, front_as(b, v, tl_tensor_out(o, 0)->t));
  return true;
}

// How many elements go into one mean; 0: not known.
static int64_t fixed_count(tl_op *o) {
  int64_t axes[TL_MAX_NUMBERS];
  int64_t count = 1;
  size_t n = 0;
  bool seen[WEFT_MAX_RANK] = {false};
  int rank = front_rank(tl_raw(o, 0));
  if (rank < 1 || !front_known_ints(tl_raw(o, 1), axes, TL_MAX_NUMBERS, &n))
    return 0;
  for (size_t i = 0; i < n; i++) {
    int64_t axis = axes[i] < 0 ? axes[i] + rank : axes[i];
    weft_dim dim = axis >= 0 && axis < rank ? front_dim(tl_raw(o, 0), (int)axis) : -1;
    if (dim < 1 || seen[axis] || dim > INT32_MAX / count)
      return 0;
    seen[axis] = true;
    count *= dim;
  }
  return count;
}

bool tl_fixed_mean(tl_op *o) {
  int64_t low;
  int64_t high;
  front_op *b = &o->b;
  const tl_tensor *x = tl_tensor_in(o, 0);
  if (!tl_is_fixed(x) || !tl_range(o, &low, &high))
    return false;
  int64_t count = fixed_count(o);
  if (!count || b->failed)
    return false;
  weft_value *whole = tl_whole(o, x, tl_raw(o, 0), WEFT_INT32);
  weft_value *axes = tl_raw(o, 1);
  front_set_bool(b, "keep_dims", tl_byte(o, 0, 0));
  front_set_bool(b, "noop_with_empty_axes", true);
  weft_value *sum = front_do(b, "ReduceSum", whole, axes, NULL);
  double scale = tl_scale(o, x, 0) / tl_scale(o, tl_tensor_out(o, 0), 0);
  tl_give_raw(o, 0, tl_mean_end(o, sum, scale, count));
  return true;
}
// SPDX-License-Identifier: Apache-2.0
