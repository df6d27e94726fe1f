// aten_rnn.c - recurrent layers. A layer of one or two directions is one CommonLSTM, CommonGRU or CommonRNN;
// layers follow each other. PyTorch orders the gates of an LSTM i f g o, of a GRU r z n; the primitives i o f
// g and z r n. The bias of the recurrent product lies inside the reset gate's product (linear_before_reset).
#include "frontend/torch/tables.h"

typedef struct rnn {
  const char *type;
  int gates;
  int order[4];  // PyTorch's gates in the primitive's order
  const char *activation;
  weft_value **params;
  size_t per_direction;  // tensors
  int64_t layers, directions;
  bool biases, batch_first, single;
  bool projected;                 // an LSTM gives a product of what it would give: w_hr, the last parameter
  weft_value *h, *c;              // states of all layers in front; c NULL: there is none
  weft_value **last_h, **last_c;  // of each layer behind
} rnn;

// Gates, blocks along axis 0, in the primitive's order.
static weft_value *rnn_reordered(front_op *b, const rnn *r, weft_value *v) {
  int64_t sizes[4];
  weft_value *parts[4];
  weft_dim all = front_dim(v, 0);
  if (b->failed || r->gates == 1)
    return v;
  if (all < 1 || all % r->gates)
    return front_none(b, WEFT_E_SHAPE, "weights with %lld rows for %d gates", front_shown(all), r->gates);
  for (int i = 0; i < r->gates; i++)
    sizes[i] = all / r->gates;
  weft_value *first = front_cut(b, v, 0, sizes, (size_t)r->gates);
  for (int i = 0; i < r->gates && !b->failed; i++)
    parts[i] = first + r->order[i];
  return b->failed ? NULL : front_joined(b, parts, (size_t)r->gates, 0);
}

// Tensor `k` of each direction of a layer, with the direction as first axis.
static weft_value *rnn_weights(front_op *b, const rnn *r, int64_t layer, size_t k) {
  weft_value *parts[2];
  for (int64_t d = 0; d < r->directions && !b->failed; d++) {
    weft_value *v = r->params[(size_t)(layer * r->directions + d) * r->per_direction + k];
    parts[d] = front_unsqueezed(b, rnn_reordered(b, r, v), 0);
  }
  return b->failed ? NULL : front_joined(b, parts, (size_t)r->directions, 0);
}

static weft_value *rnn_states(front_op *b, const rnn *r, weft_value *all, int64_t layer) {
  if (!all)
    return NULL;
  if (r->single)
    all = front_unsqueezed(b, all, 1);
  int64_t from = layer * r->directions;
  return front_part(b, all, 0, from, from + r->directions);
}

// One layer: y of [time, batch, directions * hidden], with the states behind it.
static weft_value *rnn_layer(pt_op *o, const rnn *r, weft_value *x, int64_t layer) {
  front_op *b = &o->b;
  weft_value *w = rnn_weights(b, r, layer, 0);
  weft_value *u = rnn_weights(b, r, layer, 1);
  weft_value *bias = NULL;
  weft_str names[2];
  if (r->biases) {
    weft_value *parts[2] = {rnn_weights(b, r, layer, 2), rnn_weights(b, r, layer, 3)};
    bias = b->failed ? NULL : front_joined(b, parts, 2, 1);
  }
  weft_value *in[7] = {x, w, u, bias, NULL, rnn_states(b, r, r->h, layer), rnn_states(b, r, r->c, layer)};
  weft_dim hidden = front_dim(u, 2);
  if (!b->failed && (hidden < 1 || hidden > INT32_MAX))
    front_fail(b, WEFT_E_SHAPE, "the recurrent weights have no known size");
  front_set_text(b, "direction", r->directions == 2 ? "bidirectional" : "forward");
  front_set_int(b, "hidden_size", hidden);
  if (r->gates == 3)
    front_set_int(b, "linear_before_reset", 1);
  for (int i = 0; i < 2; i++)
    names[i] = (weft_str){r->activation, r->activation ? strlen(r->activation) : 0};
  if (r->activation)
    front_set(b, "activations", weft_attr_strs(names, (size_t)r->directions));
  weft_value *y = front_emit(b, r->type, in, r->c ? 7 : 6, NULL);
  if (b->failed)
    return NULL;
  r->last_h[layer] = y + 1;
  r->last_c[layer] = r->c ? y + 2 : NULL;
  // [time, directions, batch, hidden]
  static const int64_t order[] = {0, 2, 1, 3};
  if (r->directions == 1)
    return front_squeezed(b, y, 1);
  weft_value *turned = front_permuted(b, y, order, 4);
  weft_value *parts[3] = {front_dim_list(b, turned, 0), front_dim_list(b, turned, 1),
                          front_list(b, &(int64_t){2 * hidden}, 1)};
  return front_reshape(b, turned, front_joined(b, parts, 3, 0));
}

// ---- with a projection ----
// States h and c, x W' with the biases, then U and the projection; gates in PyTorch's order, i f g o.
static void rnn_projected_step(pt_op *in, void *ctx, weft_value **v, weft_value **out) {
  front_op *b = &in->b;
  const int64_t *hidden = ctx;
  const int64_t sizes[4] = {*hidden, *hidden, *hidden, *hidden};
  weft_value *all = front_do(b, "Add", v[2], front_matmul(b, v[0], v[3], true), NULL);
  weft_value *gate = front_cut(b, all, 1, sizes, 4);
  if (b->failed)
    return;
  weft_value *fresh = front_do(b, "Tanh", gate + 2, NULL, NULL);
  weft_value *kept = front_do(b, "Mul", front_do(b, "Sigmoid", gate + 1, NULL, NULL), v[1], NULL);
  fresh = front_do(b, "Mul", front_do(b, "Sigmoid", gate, NULL, NULL), fresh, NULL);
  out[1] = front_do(b, "Add", kept, fresh, NULL);
  weft_value *shown = front_do(b, "Tanh", out[1], NULL, NULL);
  shown = front_do(b, "Mul", front_do(b, "Sigmoid", gate + 3, NULL, NULL), shown, NULL);
  out[0] = out[2] = front_matmul(b, shown, v[4], true);
}

// One direction of a layer: y of [time, batch, projected]; h and c behind it.
static weft_value *rnn_projected_way(pt_op *o, const rnn *r, weft_value *x, int64_t which,
                                     weft_value **last) {
  front_op *b = &o->b;
  weft_value **p = r->params + (size_t)which * r->per_direction;
  bool back = which % r->directions == 1;
  weft_value *h = r->single ? front_unsqueezed(b, r->h, 1) : r->h;
  weft_value *c = r->single ? front_unsqueezed(b, r->c, 1) : r->c;
  weft_value *gates = front_matmul(b, x, p[0], true);
  for (size_t i = 2; r->biases && i < 4; i++)
    gates = front_do(b, "Add", gates, p[i], NULL);
  weft_value *first = front_list(b, &(int64_t){0}, 1);
  if (back)
    gates = front_do(b, "ReverseV2", gates, first, NULL);
  weft_dim hidden = front_dim(p[r->per_direction - 1], 1);
  if (!b->failed && (hidden < 1 || hidden > INT32_MAX || front_dim(p[0], 0) != 4 * hidden))
    front_fail(b, WEFT_E_SHAPE, "a projection of %lld elements behind %lld rows of four gates",
               front_shown(hidden), front_shown(front_dim(p[0], 0)));
  weft_value *in[5] = {front_picked(b, h, 0, front_index(b, which)),
                       front_picked(b, c, 0, front_index(b, which)), gates, p[1], p[r->per_direction - 1]};
  weft_value *y = pt_scan(o, &(pt_steps){.in = in,
                                         .n = 5,
                                         .n_state = 2,
                                         .n_scan = 1,
                                         .n_out = 3,
                                         .step = rnn_projected_step,
                                         .ctx = &hidden});
  if (b->failed)
    return NULL;
  last[0] = front_unsqueezed(b, y, 0);
  last[1] = front_unsqueezed(b, y + 1, 0);
  return back ? front_do(b, "ReverseV2", y + 2, first, NULL) : y + 2;
}

static weft_value *rnn_projected_layer(pt_op *o, const rnn *r, weft_value *x, int64_t layer) {
  weft_value *last[2][2];
  weft_value *ways[2];
  weft_value *h[2];
  weft_value *c[2];
  const size_t n = (size_t)r->directions;
  for (size_t d = 0; d < n && !o->b.failed; d++) {
    ways[d] = rnn_projected_way(o, r, x, layer * r->directions + (int64_t)d, last[d]);
    h[d] = last[d][0];
    c[d] = last[d][1];
  }
  if (o->b.failed)
    return NULL;
  r->last_h[layer] = front_joined(&o->b, h, n, 0);
  r->last_c[layer] = front_joined(&o->b, c, n, 0);
  return front_joined(&o->b, ways, n, 2);
}

static weft_value *rnn_joined(front_op *b, const rnn *r, weft_value *const *v) {
  weft_value *all = b->failed ? NULL : front_joined(b, v, (size_t)r->layers, 0);
  return r->single ? front_squeezed(b, all, 1) : all;
}

enum { RNN_LAYERS = 64 };

// What the node says of the layer, checked: as many weights as layers and directions want.
static void rnn_read(pt_op *o, rnn *r) {
  front_op *b = &o->b;
  weft_value **states;
  bool lstm = r->gates == 4;
  r->biases = pt_bool(o, "has_biases", true);
  r->layers = pt_int(o, "num_layers", 1);
  r->directions = pt_bool(o, "bidirectional", false) ? 2 : 1;
  r->batch_first = pt_bool(o, "batch_first", false);
  r->per_direction = r->biases ? 4 : 2;
  size_t n = pt_tensors(o, "params", &r->params);
  bool layers = r->layers >= 1 && r->layers <= RNN_LAYERS;
  size_t ways = layers ? (size_t)(r->layers * r->directions) : 0;
  r->projected = lstm && n == ways * (r->per_direction + 1);
  r->per_direction += r->projected;
  if (!lstm)
    r->h = pt_tensor(o, "hx");
  else if (pt_tensors(o, "hx", &states) == 2) {
    r->h = states[0];
    r->c = states[1];
  }
  bool states_there = r->h && (!lstm || r->c);
  bool fits = layers && states_there && n == ways * r->per_direction;
  for (size_t i = 0; i < n; i++)
    fits &= r->params[i] != NULL;
  if (!b->failed && !fits)
    front_fail(b, WEFT_E_UNSUPPORTED,
               "%zu weights for %lld layers in %lld directions: packed sequences are not read", n,
               (long long)r->layers, (long long)r->directions);
}

static void rnn_run(pt_op *o, rnn *r) {
  front_op *b = &o->b;
  weft_value *x = pt_tensor(o, "input");
  weft_value *last_h[RNN_LAYERS];
  weft_value *last_c[RNN_LAYERS];
  r->last_h = last_h;
  r->last_c = last_c;
  rnn_read(o, r);
  r->single = front_rank_of(b, x) == 2;
  if (r->single)
    x = front_unsqueezed(b, x, 1);
  else if (r->batch_first)
    x = front_swapped(b, x, 0, 1);
  for (int64_t i = 0; i < r->layers && !b->failed; i++)
    x = r->projected ? rnn_projected_layer(o, r, x, i) : rnn_layer(o, r, x, i);
  if (b->failed)
    return;
  pt_result(o, 0, r->single ? front_squeezed(b, x, 1) : r->batch_first ? front_swapped(b, x, 0, 1) : x);
  pt_result(o, 1, rnn_joined(b, r, last_h));
  if (r->c)
    pt_result(o, 2, rnn_joined(b, r, last_c));
}

static void rnn_lstm(pt_op *o) {
  rnn_run(o, &(rnn){.type = "CommonLSTM", .gates = 4, .order = {0, 3, 1, 2}});
}
static void rnn_gru(pt_op *o) {
  rnn_run(o, &(rnn){.type = "CommonGRU", .gates = 3, .order = {1, 0, 2}});
}
static void rnn_tanh(pt_op *o) {
  rnn_run(o, &(rnn){.type = "CommonRNN", .gates = 1, .activation = "Tanh"});
}
static void rnn_relu(pt_op *o) {
  rnn_run(o, &(rnn){.type = "CommonRNN", .gates = 1, .activation = "Relu"});
}

// ---- one step ----
// x W' + b_ih and h U' + b_hh, cut into gates of PyTorch's order.
static bool rnn_gates(pt_op *o, weft_value *h, int gates, weft_value *x_gate[4], weft_value *h_gate[4]) {
  static const char *const names[2][3] = {{"input", "w_ih", "b_ih"}, {"hx", "w_hh", "b_hh"}};
  front_op *b = &o->b;
  for (int k = 0; k < 2; k++) {
    weft_value *v = k ? h : pt_tensor(o, names[k][0]);
    weft_value *y = front_matmul(b, v, pt_tensor(o, names[k][1]), true);
    weft_value *bias = pt_optional(o, names[k][2]);
    if (bias)
      y = front_do(b, "Add", y, bias, NULL);
    int last = front_rank_of(b, y) - 1;
    weft_dim all = front_dim(y, last);
    int64_t sizes[4];
    if (!b->failed && (all < 1 || all % gates))
      front_fail(b, WEFT_E_SHAPE, "%lld columns for %d gates", front_shown(all), gates);
    for (int i = 0; i < gates; i++)
      sizes[i] = all / gates;
    weft_value *first = gates == 1 || b->failed ? y : front_cut(b, y, last, sizes, (size_t)gates);
    for (int i = 0; i < gates && !b->failed; i++)
      (k ? h_gate : x_gate)[i] = first + i;
  }
  return !b->failed;
}

static weft_value *rnn_sum(front_op *b, const char *type, weft_value *x, weft_value *y) {
  return front_do(b, type, front_do(b, "Add", x, y, NULL), NULL, NULL);
}

static void rnn_lstm_cell(pt_op *o) {
  front_op *b = &o->b;
  weft_value **states;
  weft_value *x[4];
  weft_value *h[4];
  if (pt_tensors(o, "hx", &states) != 2) {
    front_fail(b, WEFT_E_MISSING, "argument 'hx' is not a pair of states");
    return;
  }
  if (!rnn_gates(o, states[0], 4, x, h))
    return;
  weft_value *in = rnn_sum(b, "Sigmoid", x[0], h[0]);
  weft_value *forget = rnn_sum(b, "Sigmoid", x[1], h[1]);
  weft_value *fresh = rnn_sum(b, "Tanh", x[2], h[2]);
  weft_value *out = rnn_sum(b, "Sigmoid", x[3], h[3]);
  weft_value *kept = front_do(b, "Mul", forget, states[1], NULL);
  weft_value *cell = front_do(b, "Add", kept, front_do(b, "Mul", in, fresh, NULL), NULL);
  pt_result(o, 0, front_do(b, "Mul", out, front_do(b, "Tanh", cell, NULL, NULL), NULL));
  pt_result(o, 1, cell);
}

// r z n: n + z (h - n), with n = tanh(x_n + r h_n)
static void rnn_gru_cell(pt_op *o) {
  front_op *b = &o->b;
  weft_value *state = pt_tensor(o, "hx");
  weft_value *x[4];
  weft_value *h[4];
  if (!rnn_gates(o, state, 3, x, h))
    return;
  weft_value *reset = rnn_sum(b, "Sigmoid", x[0], h[0]);
  weft_value *update = rnn_sum(b, "Sigmoid", x[1], h[1]);
  weft_value *fresh = rnn_sum(b, "Tanh", x[2], front_do(b, "Mul", reset, h[2], NULL));
  weft_value *more = front_do(b, "Mul", update, front_do(b, "Sub", state, fresh, NULL), NULL);
  pt_result(o, 0, front_do(b, "Add", fresh, more, NULL));
}

static void rnn_cell(pt_op *o, const char *type) {
  weft_value *x[4];
  weft_value *h[4];
  if (rnn_gates(o, pt_tensor(o, "hx"), 1, x, h))
    pt_result(o, 0, rnn_sum(&o->b, type, x[0], h[0]));
}
static void rnn_tanh_cell(pt_op *o) {
  rnn_cell(o, "Tanh");
}
static void rnn_relu_cell(pt_op *o) {
  rnn_cell(o, "Relu");
}

static const pt_row rnn_rows[] = {
    {"lstm.input", NULL, 0, rnn_lstm, 0},         {"gru.input", NULL, 0, rnn_gru, 0},
    {"rnn_tanh.input", NULL, 0, rnn_tanh, 0},     {"rnn_relu.input", NULL, 0, rnn_relu, 0},
    {"lstm_cell", NULL, 0, rnn_lstm_cell, 0},     {"gru_cell", NULL, 0, rnn_gru_cell, 0},
    {"rnn_tanh_cell", NULL, 0, rnn_tanh_cell, 0}, {"rnn_relu_cell", NULL, 0, rnn_relu_cell, 0},
};
const pt_rows pt_rnn = PT_ROWS(rnn_rows);
// SPDX-License-Identifier: Apache-2.0
