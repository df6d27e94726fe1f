// map_norm.c - normalisations, pictures, recurrent layers and losses.
#include "frontend/mindspore/tables.h"

// ---- normalisations ----
static weft_value *norm_vector(ms_op *o, const char *name, weft_value *like, double number) {
  weft_value *given = ms_optional(o, name);
  if (given || o->b.failed)
    return given;
  weft_value *size = front_dim_list(&o->b, like, 1);
  return front_filled(&o->b, size, front_num(&o->b, like->fact.dtype, number));
}

static void norm_batch(ms_op *o) {
  front_op *b = &o->b;
  weft_value *x = ms_tensor(o, "x");
  if (b->failed)
    return;
  weft_value *in[5] = {x, norm_vector(o, "scale", x, 1), norm_vector(o, "offset", x, 0),
                       norm_vector(o, "mean", x, 0), norm_vector(o, "variance", x, 1)};
  bool training = ms_bool(o, "is_training", false);
  double eps = ms_float(o, "epsilon", 1e-5);
  if (training)
    front_fail(b, WEFT_E_UNSUPPORTED,
               "the model was exported in training mode: call net.set_train(False) before mindspore.export");
  if (ms_int(o, "data_format", 0) == 1)
    front_set_text(b, "data_format", "NHWC");
  else
    front_set_text(b, "data_format", "NCHW");
  front_set_float(b, "epsilon", eps);
  front_set_bool(b, "is_training", false);
  weft_value *y = b->failed ? NULL : front_emit(b, "BatchNorm", in, 5, NULL);
  ms_give_many(o, (weft_value *const[]){y, in[3], in[4], in[3], in[4]}, 5);
}

// Ones or zeros of the shape that is normalised, from axis `from` on.
static weft_value *norm_wide(ms_op *o, const char *name, weft_value *x, int64_t from, double number) {
  front_op *b = &o->b;
  weft_value *given = ms_optional(o, name);
  if (given || b->failed)
    return given;
  front_set_int(b, "dtype", WEFT_INT64);
  front_set_int(b, "start", from);
  weft_value *shape = front_do(b, "Shape", x, NULL, NULL);
  return b->failed ? NULL : front_filled(b, shape, front_num(b, x->fact.dtype, number));
}

static void norm_layer_from(ms_op *o, int64_t axis, int64_t params, double eps) {
  front_op *b = &o->b;
  weft_value *x = ms_tensor(o, "x");
  weft_value *gamma = norm_wide(o, "gamma", x, params, 1);
  weft_value *beta = norm_wide(o, "beta", x, params, 0);
  front_set_int(b, "begin_norm_axis", axis);
  front_set_int(b, "begin_params_axis", params);
  front_set_float(b, "epsilon", eps);
  ms_give_outputs(o, front_do(b, "LayerNorm", x, gamma, beta), 3);
}
static void norm_layer(ms_op *o) {
  int rank = front_rank_of(&o->b, ms_tensor(o, "x"));
  int64_t axis = front_axis(&o->b, ms_int(o, "begin_norm_axis", 1), rank);
  int64_t params = front_axis(&o->b, ms_int(o, "begin_params_axis", 1), rank);
  norm_layer_from(o, axis, params, ms_float(o, "epsilon", 1e-7));
}
static void norm_layer_ext(ms_op *o) {
  int64_t shape[MS_MAX_NUMBERS];
  int rank = front_rank_of(&o->b, ms_tensor(o, "x"));
  int64_t axis = rank - (int64_t)ms_ints(o, "normalized_shape", shape);
  if (!o->b.failed && axis < 0)
    front_fail(&o->b, WEFT_E_SHAPE, "argument 'normalized_shape' has more sizes than x axes, %d", rank);
  norm_layer_from(o, axis, axis, ms_float(o, "epsilon", 1e-5));
}

static void norm_group(ms_op *o) {
  front_op *b = &o->b;
  weft_value *x = ms_tensor(o, "x");
  int64_t groups = ms_int(o, "num_groups", 1);
  double eps = ms_float(o, "epsilon", 1e-5);
  if (b->failed)
    return;
  weft_value *in[3] = {x, norm_vector(o, "gamma", x, 1), norm_vector(o, "beta", x, 0)};
  front_set_int(b, "num_groups", groups);
  front_set_text(b, "data_format", "NCHW");
  front_set_float(b, "eps", eps);
  front_set_bool(b, "is_training", false);
  ms_give_outputs(o, b->failed ? NULL : front_emit(b, "GroupNorm", in, 3, NULL), 3);
}

static void norm_instance(ms_op *o) {
  front_op *b = &o->b;
  weft_value *x = ms_tensor(o, "x");
  double eps = ms_float(o, "epsilon", 1e-5);
  if (b->failed)
    return;
  weft_value *gamma = norm_vector(o, "gamma", x, 1);
  weft_value *beta = norm_vector(o, "beta", x, 0);
  front_set_float(b, "epsilon", eps);
  front_set_text(b, "data_format", "NCHW");
  ms_give_outputs(o, front_do(b, "InstanceNorm", x, gamma, beta), 3);
}

// x / sqrt(mean of squares + epsilon), over the axes of gamma
static void norm_rms(ms_op *o) {
  front_op *b = &o->b;
  weft_value *x = ms_tensor(o, "x");
  weft_value *gamma = ms_tensor(o, "gamma");
  int64_t axes[WEFT_MAX_RANK];
  int rank = front_rank_of(b, x);
  int n = front_rank_of(b, gamma);
  if (!b->failed && (n > rank || !n))
    front_fail(b, WEFT_E_SHAPE, "gamma has rank %d, x %d", n, rank);
  if (b->failed)
    return;
  for (int i = 0; i < n; i++)
    axes[i] = rank - n + i;
  weft_dtype t = x->fact.dtype;
  weft_dtype wide = t == WEFT_FLOAT16 || t == WEFT_BF16 ? (weft_dtype)WEFT_FLOAT : t;
  weft_value *v = front_as(b, x, wide);
  weft_value *mean =
      front_reduced(b, "ReduceMean", front_do(b, "Square", v, NULL, NULL), axes, (size_t)n, true);
  mean = front_do(b, "Add", mean, front_num(b, wide, ms_float(o, "epsilon", 1e-6)), NULL);
  weft_value *scale = front_do(b, "Rsqrt", mean, NULL, NULL);
  weft_value *y = front_do(b, "Mul", front_do(b, "Mul", v, scale, NULL), front_as(b, gamma, wide), NULL);
  ms_give_many(o, (weft_value *const[]){front_as(b, y, t), scale}, 2);
}

static void norm_local(ms_op *o) {
  weft_value *x = ms_tensor(o, "x");
  front_set_int(&o->b, "depth_radius", ms_int(o, "depth_radius", 5));
  front_set_float(&o->b, "bias", ms_float(o, "bias", 1));
  front_set_float(&o->b, "alpha", ms_float(o, "alpha", 1));
  front_set_float(&o->b, "beta", ms_float(o, "beta", 0.5));
  front_set_text(&o->b, "data_format", "NCHW");
  ms_give(o, front_do(&o->b, "LRN", x, NULL, NULL));
}

// ---- pictures ----
static const char *norm_word(ms_op *o, const char *name, const char *const *words, size_t n);

// How large a picture becomes: sizes, or factors, by which places are found, too: 1.3 times 5 is 6, but not
// six fifths. Corners that stay corners know sizes only.
static void norm_sizes(ms_op *o, weft_value *x, bool corners, weft_value **factors, weft_value **sizes) {
  front_op *b = &o->b;
  float by[3];
  ms_value v;
  const int rank = front_rank_of(b, x);
  if (ms_has(o, "size") || !ms_find(o, "scales", &v) || v.kind != MS_TUPLE) {
    *sizes = ms_numbers(o, "size");
    return;
  }
  if (!b->failed && (v.n < 1 || v.n > 3 || rank != (int)v.n + 2))
    front_fail(b, WEFT_E_SHAPE, "%zu scales for a picture of rank %d", v.n, rank);
  for (size_t i = 0; i < v.n && !b->failed; i++) {
    if (!ms_is_number(&v.items[i]))
      front_fail(b, WEFT_E_TYPE, "item %zu of argument 'scales' is no number", i);
    by[i] = (float)(v.items[i].kind == MS_FLOAT ? v.items[i].f : (double)v.items[i].i);
  }
  if (corners)
    *sizes = b->failed ? NULL : front_scaled_sizes(b, x, by, v.n);
  else
    *factors = b->failed ? NULL : front_floats(b, by, v.n);
}

static void norm_resize(ms_op *o, const char *mode, bool by_default_half) {
  static const int64_t axes[] = {2, 3, 4};
  front_op *b = &o->b;
  weft_value *x = ms_tensor(o, "x");
  int rank = front_rank_of(b, x);
  bool corners = ms_bool(o, "align_corners", false);
  bool half = ms_bool(o, "half_pixel_centers", by_default_half);
  weft_value *in[4] = {x, NULL, NULL, NULL};
  norm_sizes(o, x, corners, &in[2], &in[3]);
  if (!b->failed && (rank < 3 || rank > 5))
    front_fail(b, WEFT_E_SHAPE, "a picture of rank %d", rank);
  front_set_text(b, "mode", mode);
  front_set_text(b, "coordinate_transformation_mode",
                 corners ? "align_corners"
                 : half  ? "half_pixel"
                         : "asymmetric");
  if (*mode == 'n')
    front_set_text(b, "nearest_mode", corners || half ? "round_prefer_ceil" : "floor");
  front_set_ints(b, "axes", axes, b->failed ? 0 : (size_t)rank - 2);
  ms_give(o, b->failed ? NULL : front_emit(b, "Resize", in, in[3] ? 4 : 3, NULL));
}
static void norm_nearest(ms_op *o) {
  norm_resize(o, "nearest", false);
}
static void norm_linear(ms_op *o) {
  norm_resize(o, "linear", false);
}
static void norm_linear_half(ms_op *o) {
  norm_resize(o, "linear", true);
}
// As TensorFlow has it: weights from a table, edges left out where centres are at halves.
static void norm_cubic(ms_op *o) {
  static const int64_t last[] = {0, 2, 3, 1};
  static const int64_t first[] = {0, 3, 1, 2};
  front_op *b = &o->b;
  weft_value *x = ms_tensor(o, "x");
  const int rank = front_rank_of(b, x);
  if (!b->failed && rank != 4)
    front_fail(b, WEFT_E_SHAPE, "a picture of rank %d, expected 4", rank);
  const weft_dtype t = x ? x->fact.dtype : (weft_dtype)WEFT_FLOAT;
  weft_value *size = front_as(b, ms_numbers(o, "size"), WEFT_INT32);
  x = b->failed ? NULL : front_permuted(b, x, last, 4);
  front_set_bool(b, "align_corners", ms_bool(o, "align_corners", false));
  front_set_bool(b, "half_pixel_centers", ms_bool(o, "half_pixel_centers", false));
  weft_value *y = front_do(b, "ResizeBicubic", x, size, NULL);
  ms_give(o, b->failed ? NULL : front_as(b, front_permuted(b, y, first, 4), t));
}

// places: 0 asymmetric, 1 align_corners, 2 half_pixel, or a text.
static void norm_linear_1d(ms_op *o) {
  static const int64_t axes[] = {2};
  static const char *const words[] = {"asymmetric", "align_corners", "half_pixel"};
  weft_value *in[4] = {ms_tensor(o, "x"), NULL, NULL, ms_numbers(o, "size")};
  const char *places = norm_word(o, "places", words, 3);
  front_set_text(&o->b, "mode", "linear");
  front_set_text(&o->b, "coordinate_transformation_mode", places);
  front_set_ints(&o->b, "axes", axes, 1);
  ms_give(o, o->b.failed ? NULL : front_emit(&o->b, "Resize", in, 4, NULL));
}
static void norm_cubic_torch(ms_op *o) {
  static const int64_t axes[] = {2, 3};
  bool corners = ms_bool(o, "align_corners", false);
  weft_value *in[4] = {ms_tensor(o, "x"), NULL, NULL, NULL};
  norm_sizes(o, in[0], corners, &in[2], &in[3]);
  front_set_text(&o->b, "mode", "cubic");
  front_set_text(&o->b, "coordinate_transformation_mode", corners ? "align_corners" : "half_pixel");
  front_set_ints(&o->b, "axes", axes, 2);
  ms_give(o, o->b.failed ? NULL : front_emit(&o->b, "Resize", in, in[3] ? 4 : 3, NULL));
}

static const char *norm_word(ms_op *o, const char *name, const char *const *words, size_t n) {
  ms_value v;
  if (ms_find(o, name, &v) && v.kind == MS_TEXT)
    return v.text;
  int64_t i = ms_int(o, name, 0);
  if (i >= 0 && (size_t)i < n)
    return words[i];
  front_fail(&o->b, WEFT_E_RANGE, "argument '%s' is %lld", name, (long long)i);
  return "";
}
static void norm_grid(ms_op *o) {
  static const char *const modes[] = {"bilinear", "nearest"};
  static const char *const borders[] = {"zeros", "border", "reflection"};
  weft_value *x = ms_tensor(o, "x");
  weft_value *grid = ms_tensor(o, "grid");
  front_set_text(&o->b, "interpolation_mode", norm_word(o, "interpolation_mode", modes, 2));
  front_set_text(&o->b, "padding_mode", norm_word(o, "padding_mode", borders, 3));
  front_set_bool(&o->b, "align_corners", ms_bool(o, "align_corners", false));
  ms_give(o, front_do(&o->b, "GridSample", x, grid, NULL));
}
static void norm_affine(ms_op *o) {
  weft_value *theta = ms_tensor(o, "theta");
  weft_value *size = ms_numbers(o, "size");
  front_set_bool(&o->b, "align_corners", ms_bool(o, "align_corners", false));
  ms_give(o, front_do(&o->b, "AffineGrid", theta, size, NULL));
}

// ---- recurrent layers ----
// All weights in one row: those of x of each layer and direction, then those of the state, then the sums of
// the biases. Gates are i f g o; the primitive's i o f g.
enum { LSTM_GATES = 4, LSTM_LAYERS = 64 };

typedef struct lstm {
  weft_value *all, *h, *c;
  int64_t input, hidden, layers, directions, taken;
  bool biases;
} lstm;

// The next weights, of [4 * hidden, columns], as [1, 4 * hidden, columns] in the primitive's order.
static weft_value *lstm_take(front_op *b, lstm *l, int64_t columns) {
  static const int order[LSTM_GATES] = {0, 3, 1, 2};
  const int64_t shape[3] = {1, LSTM_GATES * l->hidden, columns};
  int64_t sizes[LSTM_GATES];
  weft_value *parts[LSTM_GATES];
  int64_t from = l->taken;
  l->taken += LSTM_GATES * l->hidden * columns;
  weft_value *v = front_reshaped(b, front_part(b, l->all, 0, from, l->taken), shape, 3);
  for (int i = 0; i < LSTM_GATES; i++)
    sizes[i] = l->hidden;
  weft_value *first = b->failed ? NULL : front_cut(b, v, 1, sizes, LSTM_GATES);
  for (int i = 0; i < LSTM_GATES && !b->failed; i++)
    parts[i] = first + order[i];
  return b->failed ? NULL : front_joined(b, parts, LSTM_GATES, 1);
}

typedef struct lstm_weights {
  weft_value *w[2 * LSTM_LAYERS], *r[2 * LSTM_LAYERS], *b[2 * LSTM_LAYERS];
} lstm_weights;

static void lstm_cut(front_op *b, lstm *l, lstm_weights *to) {
  int64_t n = l->layers * l->directions;
  for (int64_t i = 0; i < n; i++)
    to->w[i] = lstm_take(b, l, i < l->directions ? l->input : l->hidden * l->directions);
  for (int64_t i = 0; i < n; i++)
    to->r[i] = lstm_take(b, l, l->hidden);
  for (int64_t i = 0; i < n && l->biases; i++)
    to->b[i] = front_squeezed(b, lstm_take(b, l, 1), 2);
}

static weft_value *lstm_both(front_op *b, const lstm *l, weft_value *const *v, int64_t layer) {
  return b->failed ? NULL : front_joined(b, v + layer * l->directions, (size_t)l->directions, 0);
}

// The primitive's biases are those of x and those of the state; here they are added already.
static weft_value *lstm_bias(front_op *b, const lstm *l, weft_value *const *v, int64_t layer) {
  if (!l->biases)
    return NULL;
  weft_value *sum = lstm_both(b, l, v, layer);
  weft_value *parts[2] = {sum, front_do(b, "ZerosLike", sum, NULL, NULL)};
  return b->failed ? NULL : front_joined(b, parts, 2, 1);
}

static weft_value *lstm_layer(front_op *b, const lstm *l, const lstm_weights *w, weft_value *x, int64_t layer,
                              weft_value **states) {
  static const int64_t order[] = {0, 2, 1, 3};
  int64_t from = layer * l->directions;
  weft_value *in[7] = {x,
                       lstm_both(b, l, w->w, layer),
                       lstm_both(b, l, w->r, layer),
                       lstm_bias(b, l, w->b, layer),
                       NULL,
                       front_part(b, l->h, 0, from, from + l->directions),
                       front_part(b, l->c, 0, from, from + l->directions)};
  front_set_text(b, "direction", l->directions == 2 ? "bidirectional" : "forward");
  front_set_int(b, "hidden_size", l->hidden);
  weft_value *y = b->failed ? NULL : front_emit(b, "CommonLSTM", in, 7, NULL);
  if (b->failed)
    return NULL;
  states[0] = y + 1;
  states[1] = y + 2;
  if (l->directions == 1)
    return front_squeezed(b, y, 1);
  weft_value *turned = front_permuted(b, y, order, 4);
  weft_value *parts[3] = {front_dim_list(b, turned, 0), front_dim_list(b, turned, 1),
                          front_list(b, &(int64_t){2 * l->hidden}, 1)};
  return b->failed ? NULL : front_reshape(b, turned, front_joined(b, parts, 3, 0));
}

static bool lstm_read(ms_op *o, lstm *l) {
  *l = (lstm){.all = front_flat(&o->b, ms_tensor(o, "weights")),
              .h = ms_tensor(o, "h"),
              .c = ms_tensor(o, "c"),
              .input = ms_int(o, "input_size", 0),
              .hidden = ms_int(o, "hidden_size", 0),
              .layers = ms_int(o, "num_layers", 1),
              .directions = ms_bool(o, "bidirectional", false) ? 2 : 1,
              .biases = ms_bool(o, "has_bias", true)};
  if (ms_int(o, "proj_size", 0))
    front_fail(&o->b, WEFT_E_UNSUPPORTED, "an LSTM with projections (proj_size)");
  bool sizes = l->input > 0 && l->input < 1 << 20 && l->hidden > 0 && l->hidden < 1 << 20;
  if (!o->b.failed && (!sizes || l->layers < 1 || l->layers > LSTM_LAYERS))
    front_fail(&o->b, WEFT_E_RANGE, "an LSTM of %lld layers, %lld inputs and %lld states",
               (long long)l->layers, (long long)l->input, (long long)l->hidden);
  return !o->b.failed;
}

static void norm_lstm(ms_op *o) {
  front_op *b = &o->b;
  lstm l;
  lstm_weights w;
  weft_value *h[LSTM_LAYERS];
  weft_value *c[LSTM_LAYERS];
  weft_value *x = ms_tensor(o, "x");
  if (!lstm_read(o, &l))
    return;
  lstm_cut(b, &l, &w);
  for (int64_t i = 0; i < l.layers && !b->failed; i++) {
    weft_value *states[2];
    x = lstm_layer(b, &l, &w, x, i, states);
    h[i] = b->failed ? NULL : states[0];
    c[i] = b->failed ? NULL : states[1];
  }
  if (b->failed)
    return;
  weft_value *last_h = front_joined(b, h, (size_t)l.layers, 0);
  weft_value *last_c = front_joined(b, c, (size_t)l.layers, 0);
  ms_give_many(o, (weft_value *const[]){x, last_h, last_c, NULL, NULL}, 5);
}

// ---- losses ----
// reduction: 0 sum, 1 mean, 2 none; or a text.
static weft_value *norm_loss(ms_op *o, weft_value *v) {
  static const char *const words[] = {"sum", "mean", "none"};
  const char *how = ms_has(o, "reduction") ? norm_word(o, "reduction", words, 3) : "mean";
  if (!strcmp(how, "none"))
    return v;
  return front_reduced(&o->b, !strcmp(how, "sum") ? "ReduceSum" : "ReduceMean", v, NULL, 0, false);
}
static weft_value *norm_rule(ms_op *o, const char *text);

static void norm_mse(ms_op *o) {
  ms_give(o, norm_loss(o, norm_rule(o, "Square(Sub(x, y))")));
}
static void norm_l1(ms_op *o) {
  ms_give(o, norm_loss(o, norm_rule(o, "Abs(Sub(x, y))")));
}
static void norm_bce(ms_op *o) {
  weft_value *v =
      norm_rule(o, "Neg(Add(Mul(y, Maximum(Log(x), -100)), Mul(Sub(1, y), Maximum(Log(Sub(1, x)), -100))))");
  weft_value *w = ms_optional(o, "weight");
  ms_give(o, norm_loss(o, w ? front_do(&o->b, "Mul", v, w, NULL) : v));
}
// (1 - y) x + (1 + (p - 1) y) softplus(-x)
static void norm_bce_logits(ms_op *o) {
  bool positive = ms_has(o, "positive");
  weft_value *v = norm_rule(
      o, positive ? "Add(Mul(Sub(1, y), x), Mul(Add(1, Mul(Sub(positive, 1), y)), Softplus(Neg(x))))"
                  : "Add(Mul(Sub(1, y), x), Softplus(Neg(x)))");
  weft_value *w = ms_optional(o, "weight");
  ms_give(o, norm_loss(o, w ? front_do(&o->b, "Mul", v, w, NULL) : v));
}
static void norm_smooth_l1(ms_op *o) {
  double beta = ms_float(o, "beta", 1);
  weft_value *v = beta == 0 ? norm_rule(o, "Abs(Sub(x, y))")
                            : norm_rule(o,
                                        "SelectV2(Less(Abs(Sub(x, y)), beta|1), "
                                        "RealDiv(Mul(0.5, Square(Sub(x, y))), beta|1), "
                                        "Sub(Abs(Sub(x, y)), Mul(0.5, beta|1)))");
  ms_give(o, norm_loss(o, v));
}
// batchmean: the sum, divided by the size of axis 0.
static void norm_kl(ms_op *o) {
  front_op *b = &o->b;
  weft_value *v = norm_rule(o, "Sub(Xlogy(y, y), Mul(y, x))");
  if (!ms_is(o, "reduction", "mean", "batchmean")) {
    ms_give(o, norm_loss(o, v));
    return;
  }
  weft_value *n = v ? front_as(b, front_dim_index(b, v, 0), v->fact.dtype) : NULL;
  weft_value *sum = front_reduced(b, "ReduceSum", v, NULL, 0, false);
  ms_give(o, front_do(b, "RealDiv", sum, n, NULL));
}

static front_arg norm_find(void *ctx, const char *name, size_t bytes) {
  ms_op *o = ctx;
  ms_value v;
  (void)bytes;
  if (!ms_find(o, name, &v))
    return (front_arg){.kind = FRONT_ABSENT};
  if (v.kind == MS_FLOAT)
    return (front_arg){.kind = FRONT_FLOAT, .f = v.f};
  return (front_arg){.kind = FRONT_VALUE, .v = ms_tensor(o, name)};
}
static weft_value *norm_rule(ms_op *o, const char *text) {
  weft_value *x = ms_tensor(o, "x");
  weft_dtype t = x ? x->fact.dtype : (weft_dtype)WEFT_FLOAT;
  const front_rule r = {.text = text, .find = norm_find, .ctx = o, .type = t, .out = t};
  return o->b.failed ? NULL : front_eval(&o->b, &r);
}

// -weight[y] * x[y], and the sum of the weights; those of the class that is ignored are 0.
static void norm_nll(ms_op *o) {
  front_op *b = &o->b;
  static const char *const words[] = {"sum", "mean", "none"};
  weft_value *x = ms_tensor(o, "x");
  weft_value *labels = ms_operand(o, "y", WEFT_INT64);
  const char *how = norm_word(o, "reduction", words, 3);
  weft_value *ignored = front_index(b, ms_int(o, "ignore", -100));
  weft_value *counts = front_do(b, "NotEqual", labels, ignored, NULL);
  weft_value *safe = front_where(b, counts, labels, front_index(b, 0));
  weft_value *at = front_unsqueezed(b, safe, 1);
  front_set_int(b, "dim", 1);
  weft_value *picked = front_do(b, "GatherElements", x, at, NULL);
  weft_value *weights = front_as(b, counts, x ? x->fact.dtype : (weft_dtype)WEFT_FLOAT);
  if (ms_has(o, "weight"))
    weights = front_do(b, "Mul", weights, front_picked(b, ms_tensor(o, "weight"), 0, safe), NULL);
  weft_value *loss = front_do(b, "Neg", front_squeezed(b, picked, 1), NULL, NULL);
  loss = front_do(b, "Mul", loss, weights, NULL);
  weft_value *total = front_reduced(b, "ReduceSum", weights, NULL, 0, false);
  if (strcmp(how, "none"))
    loss = front_reduced(b, "ReduceSum", loss, NULL, 0, false);
  if (!strcmp(how, "mean"))
    loss = front_do(b, "RealDiv", loss, total, NULL);
  ms_give_many(o, (weft_value *const[]){loss, total}, 2);
}

static void norm_multi_margin(ms_op *o) {
  weft_value *v = ms_tensor(o, "x");
  weft_value *target = ms_tensor(o, "target");
  const front_margin m = {
      .p = ms_float(o, "p", 1), .margin = ms_float(o, "margin", 1), .weight = ms_optional(o, "weight")};
  weft_value *y = front_multi_margin(&o->b, v, target, &m);
  if (ms_is(o, "reduction", "mean", "sum"))
    y = front_reduced(&o->b, "ReduceSum", y, NULL, 0, false);
  else if (!ms_is(o, "reduction", "mean", "none"))
    y = front_reduced(&o->b, "ReduceMean", y, NULL, 0, false);
  ms_give(o, y);
}

// -sum of labels * log softmax, and the gradient
static void norm_softmax_cross_entropy(ms_op *o) {
  front_op *b = &o->b;
  weft_value *x = ms_tensor(o, "x");
  weft_value *labels = ms_tensor(o, "y");
  int64_t axis = front_rank_of(b, x) - 1;
  front_set_ints(b, "axes", &axis, 1);
  weft_value *logs = front_do(b, "LogSoftmaxV2", x, NULL, NULL);
  weft_value *sum = front_reduced(b, "ReduceSum", front_do(b, "Mul", labels, logs, NULL), &axis, 1, false);
  weft_value *slope = front_do(b, "Sub", front_do(b, "Exp", logs, NULL, NULL), labels, NULL);
  ms_give_many(o, (weft_value *const[]){front_do(b, "Neg", sum, NULL, NULL), slope}, 2);
}
static void norm_sparse_cross_entropy(ms_op *o) {
  front_op *b = &o->b;
  weft_value *x = ms_tensor(o, "x");
  weft_value *labels = ms_tensor(o, "y");
  int64_t axis = 1;
  if (ms_bool(o, "is_grad", false))
    front_fail(b, WEFT_E_UNSUPPORTED, "the gradient of a loss");
  front_set_ints(b, "axes", &axis, 1);
  weft_value *logs = front_do(b, "LogSoftmaxV2", x, NULL, NULL);
  weft_value *at = front_unsqueezed(b, labels, 1);
  front_set_int(b, "dim", 1);
  weft_value *picked = front_do(b, "GatherElements", logs, at, NULL);
  ms_give(o, front_reduced(b, "ReduceMean", front_do(b, "Neg", picked, NULL, NULL), NULL, 0, false));
}

static const ms_row norm_rows[] = {
    {"MultiMarginLoss", "x target weight", NULL, 0, norm_multi_margin},
    {"NLLLoss", "x y weight reduction ignore", NULL, 0, norm_nll},
    {"ResizeLinear1D", "x size places", NULL, 0, norm_linear_1d},
    {"UpsampleBicubic2D", "x size scales align_corners", NULL, 0, norm_cubic_torch},
    {"AffineGrid", "theta size align_corners", NULL, 0, norm_affine},
    {"BCEWithLogitsLoss", "x y weight positive reduction", NULL, 0, norm_bce_logits},
    {"BatchNorm", "x scale offset mean variance is_training epsilon momentum data_format", NULL, 0,
     norm_batch},
    {"BatchNormExt", "x scale offset mean variance is_training momentum epsilon", NULL, 0, norm_batch},
    {"BinaryCrossEntropy", "x y weight reduction", NULL, 0, norm_bce},
    {"GridSampler2D", "x grid interpolation_mode padding_mode align_corners", NULL, 0, norm_grid},
    {"GridSampler3D", "x grid interpolation_mode padding_mode align_corners", NULL, 0, norm_grid},
    {"GroupNorm", "x num_groups gamma beta epsilon", NULL, 0, norm_group},
    {"InstanceNorm", "x gamma beta mean variance", NULL, 0, norm_instance},
    {"KLDivLoss", "x y", NULL, 0, norm_kl},
    {"L1LossExt", "x y reduction", NULL, 0, norm_l1},
    {"LRN", "x", NULL, 0, norm_local},
    {"LSTM", "x h c weights", NULL, 0, norm_lstm},
    {"LayerNorm", "x gamma beta begin_norm_axis begin_params_axis epsilon", NULL, 0, norm_layer},
    {"LayerNormExt", "x normalized_shape gamma beta epsilon", NULL, 0, norm_layer_ext},
    {"MSELossExt", "x y reduction", NULL, 0, norm_mse},
    {"ResizeBicubic", "x size align_corners half_pixel_centers", NULL, 0, norm_cubic},
    {"ResizeBilinear", "x", NULL, 0, norm_linear},
    {"ResizeBilinearV2", "x size align_corners half_pixel_centers", NULL, 0, norm_linear},
    {"ResizeNearestNeighbor", "x", NULL, 0, norm_nearest},
    {"ResizeNearestNeighborV2", "x size align_corners half_pixel_centers", NULL, 0, norm_nearest},
    {"RmsNorm", "x gamma epsilon", NULL, 0, norm_rms},
    {"SmoothL1Loss", "x y beta reduction", NULL, 0, norm_smooth_l1},
    {"SoftmaxCrossEntropyWithLogits", "x y", NULL, 0, norm_softmax_cross_entropy},
    {"SparseSoftmaxCrossEntropyWithLogits", "x y", NULL, 0, norm_sparse_cross_entropy},
    {"UpsampleBilinear2D", "x size scales align_corners", NULL, 0, norm_linear_half},
    {"UpsampleLinear1D", "x size scales align_corners", NULL, 0, norm_linear_half},
    {"UpsampleNearest1D", "x size scales", NULL, 0, norm_nearest},
    {"UpsampleNearest2D", "x size scales", NULL, 0, norm_nearest},
    {"UpsampleNearest3D", "x size scales", NULL, 0, norm_nearest},
    {"UpsampleTrilinear3D", "x size scales align_corners", NULL, 0, norm_linear_half},
};
const ms_rows ms_norm = MS_ROWS(norm_rows);
// SPDX-License-Identifier: Apache-2.0
