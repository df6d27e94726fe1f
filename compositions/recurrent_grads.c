// compositions/recurrent_grads.c - gradients through all steps of recurrent layers, step by step from the
// last one: as many nodes as there are steps, which have to be known. What the layers refuse (recurrent.c),
// these do.
#include "air_slots.h"
#include "compose/compose.h"
#include "op/named.h"

enum { GRADS_STEPS = 256 };

// Places of gates in weights, of an order such as "ijfo".
static weft_status grads_order(weft__composing *c, const char *gates, const char *other, size_t at[4]) {
  const char *order = weft__text_named(c->desc, "gate_order");
  if (strcmp(order, gates) != 0 && strcmp(order, other) != 0)
    return front_fail(c->o, WEFT_E_INVALID, "attribute 'gate_order': '%s' is neither %s nor %s", order, gates,
                      other);
  for (size_t i = 0; gates[i]; i++)
    at[i] = (size_t)(strchr(order, gates[i]) - order);
  return WEFT_OK;
}
static weft_status grads_begin(weft__composing *c, int64_t *out_steps) {
  static const char *const never[] = {"seq_length", "mask", "wci", "wcf", "wco"};
  for (size_t i = 0; i < WEFT_COUNT(never); i++) {
    if (weft__composed(c, never[i]))
      return front_fail(c->o, WEFT_E_UNSUPPORTED, "input '%s': gradients with it are not computed", never[i]);
  }
  bool other = strcmp(weft__text_named(c->desc, "direction"), "UNIDIRECTIONAL") != 0;
  if (other || !weft__flag_named(c->desc, "time_major") || weft__int_named(c->desc, "num_proj"))
    return front_fail(c->o, WEFT_E_UNSUPPORTED,
                      "attributes 'direction', 'time_major' and 'num_proj': only "
                      "UNIDIRECTIONAL, true and 0 are computed");
  weft_value *x = weft__composed(c, "x");
  int rank = front_rank_of(c->o, x);
  if (!c->o->failed && rank != 3)
    return front_fail(c->o, WEFT_E_SHAPE, "input 'x': rank %d, expected 3 (steps, batch, inputs)", rank);
  *out_steps = front_dim(x, 0);
  if (c->o->failed)
    return c->o->failed;
  if (*out_steps < 0)
    return front_fail(c->o, WEFT_E_UNKNOWN, "the number of steps is not known");
  return *out_steps > GRADS_STEPS
             ? front_fail(c->o, WEFT_E_UNSUPPORTED, "%lld steps, at most %d are computed",
                          (long long)*out_steps, GRADS_STEPS)
             : WEFT_OK;
}
// `to`: the state `from`, [1, B, units] or [B, units], as a matrix.
static weft_status grads_matrix(weft__composing *c, const char *from, const char *to) {
  weft_value *v = weft__composed(c, from);
  int rank = front_rank_of(c->o, v);
  if (!c->o->failed && rank != 2 && rank != 3)
    return front_fail(c->o, WEFT_E_SHAPE, "input '%s': rank %d, expected 2 or 3", from, rank);
  weft__compose_name(c, to, rank == 3 ? front_squeezed(c->o, v, 0) : v);
  return c->o->failed;
}
// Step t of each of these, as its name with a "t" in front.
static weft_status grads_step(weft__composing *c, const char *const *names, size_t n, int64_t t) {
  for (size_t i = 0; i < n; i++) {
    char to[24];
    snprintf(to, sizeof to, "t_%s", names[i]);
    weft__compose_name(c, to, front_picked(c->o, weft__composed(c, names[i]), 0, front_index(c->o, t)));
  }
  return c->o->failed;
}
// The parts named in `parts`, in the places `at`, as `to`.
static weft_status grads_gates(weft__composing *c, const char *const *parts, size_t n, const size_t *at,
                               const char *to) {
  weft_value *v[4] = {0};
  for (size_t i = 0; i < n; i++)
    v[at[i]] = weft__composed(c, parts[i]);
  weft__compose_name(c, to, front_joined(c->o, v, n, 1));
  return c->o->failed;
}
static weft_status grads_packed(weft__composing *c, weft_value *const *v, int64_t steps, const char *to) {
  uint32_t n = (uint32_t)steps;
  front_set_int(c->o, "axis", 0);
  front_set_int(c->o, "N", steps);
  weft__compose_name(c, to, front_emit(c->o, "Pack", v, n, &(const weft_use){.in_counts = &n}));
  return c->o->failed;
}
// "before": the states before each step.
static weft_status grads_before(weft__composing *c) {
  weft_value *h = weft__composed(c, "h");
  weft_value *const parts[2] = {front_unsqueezed(c->o, weft__composed(c, "h0"), 0),
                                front_part(c->o, h, 0, 0, -1)};
  weft__compose_name(c, "before", front_joined(c->o, parts, 2, 0));
  return c->o->failed;
}
// `dw` = the sum over steps and batch of v^T g.
static weft_status grads_weight(weft__composing *c, const char *v, const char *g, const char *dw) {
  char text[160];
  weft_value *m[2] = {weft__composed(c, v), weft__composed(c, g)};
  for (int i = 0; i < 2; i++) {
    weft_dim n = front_dim(m[i], 2);
    if (n < 0)
      return front_fail(c->o, WEFT_E_UNKNOWN, "the sizes of '%s' are not known", i ? g : v);
    weft__compose_name(c, i ? "flat_g" : "flat_v", front_reshaped(c->o, m[i], (const int64_t[]){-1, n}, 2));
  }
  snprintf(text, sizeof text, "%s = BatchMatMulV2(flat_v, flat_g, adj_x1=true)", dw);
  return weft__compose_text(c, text);
}
static weft_status grads_like(weft__composing *c, const char *name, const char *port) {
  weft_value *v = weft__composed(c, name);
  weft__compose_name(c, name, front_rank(weft__composed(c, port)) == 3 ? front_unsqueezed(c->o, v, 0) : v);
  return c->o->failed;
}

// ---- LSTM ----
static weft_status lstm_grads(weft__composing *c, int64_t steps) {
  static const char *const of[] = {"dy", "i", "j", "f", "o", "tanhct"};
  static const char *const gates[] = {"di", "dj", "df", "do"};
  size_t at[4];
  weft_value **g = WEFT_NEW_N(&c->o->f->arena, weft_value *, (size_t)steps + 1);
  if (!g)
    return front_fail(c->o, WEFT_E_NOMEM, "out of memory");
  if (!steps)
    return front_fail(c->o, WEFT_E_UNSUPPORTED, "no steps");
  WEFT_TRY(grads_order(c, "ijfo", "ifjo", at));
  WEFT_TRY(grads_matrix(c, "init_h", "h0"));
  WEFT_TRY(grads_matrix(c, "init_c", "c0"));
  WEFT_TRY(grads_matrix(c, "dh", "sh"));
  WEFT_TRY(grads_matrix(c, "dc", "sc"));
  if (!weft__composed(c, "tanhct"))
    WEFT_TRY(weft__compose_text(c, "tanhct = Tanh(c)"));
  for (int64_t t = steps; t-- > 0;) {
    WEFT_TRY(grads_step(c, of, WEFT_COUNT(of), t));
    if (t > 0)
      WEFT_TRY(grads_step(c, (const char *const[]){"c"}, 1, t - 1));
    else
      weft__compose_name(c, "t_c", weft__composed(c, "c0"));
    WEFT_TRY(weft__compose_text(
        c,
        "dht = Add(t_dy, sh); d = Add(sc, Mul(Mul(dht, t_o), Sub(1, Square(t_tanhct)))); "
        "di = Mul(Mul(d, t_j), Mul(t_i, Sub(1, t_i))); dj = Mul(Mul(d, t_i), Sub(1, Square(t_j))); "
        "df = Mul(Mul(d, t_c), Mul(t_f, Sub(1, t_f))); do = Mul(Mul(dht, t_tanhct), Mul(t_o, Sub(1, t_o)))"));
    WEFT_TRY(grads_gates(c, gates, 4, at, "g"));
    WEFT_TRY(weft__compose_text(c, "sh = BatchMatMulV2(g, wh, adj_x2=true); sc = Mul(d, t_f)"));
    g[t] = weft__composed(c, "g");
  }
  WEFT_TRY(grads_packed(c, g, steps, "all"));
  WEFT_TRY(grads_before(c));
  WEFT_TRY(grads_weight(c, "x", "all", "dw_x"));
  WEFT_TRY(grads_weight(c, "before", "all", "dw_h"));
  WEFT_TRY(weft__compose_text(c,
                              "dx = BatchMatMulV2(all, wx, adj_x2=true); db = ReduceSum(all, [0,1]); "
                              "dh_prev = Identity(sh); dc_prev = Identity(sc)"));
  WEFT_TRY(grads_like(c, "dh_prev", "init_h"));
  WEFT_TRY(grads_like(c, "dc_prev", "init_c"));
  static const char *const none[] = {"dwci", "dwcf", "dwco"};
  for (size_t i = 0; i < WEFT_COUNT(none); i++)
    WEFT_TRY(weft__compose_names(c, none[i], NULL, 0));
  return c->o->failed;
}
static weft_status dynamic_rnn_grad_build(weft__composing *c) {
  int64_t steps;
  weft_value *w = weft__composed(c, "w");
  WEFT_TRY(grads_begin(c, &steps));
  weft_dim inputs = front_dim(weft__composed(c, "x"), 2);
  if (front_rank_of(c->o, w) != 2 || inputs < 0 || c->o->failed)
    return front_fail(c->o, WEFT_E_UNKNOWN, "the sizes of 'x' and 'w' are not known");
  weft__compose_name(c, "wx", front_part(c->o, w, 0, 0, inputs));
  weft__compose_name(c, "wh", front_part(c->o, w, 0, inputs, INT64_MAX));
  WEFT_TRY(lstm_grads(c, steps));
  return weft__compose_text(c, "dw = ConcatV2({dw_x, dw_h}, [0])");
}
static weft_status dynamic_rnn_v2_grad_build(weft__composing *c) {
  int64_t steps;
  WEFT_TRY(grads_begin(c, &steps));
  if (strcmp(weft__text_named(c->desc, "activation"), "tanh") != 0 ||
      strcmp(weft__text_named(c->desc, "recurrent_activation"), "sigmoid") != 0)
    return front_fail(c->o, WEFT_E_UNSUPPORTED,
                      "attributes 'activation' and 'recurrent_activation': only tanh "
                      "and sigmoid are computed");
  weft__compose_name(c, "wx", weft__composed(c, "w_x"));
  weft__compose_name(c, "wh", weft__composed(c, "w_h"));
  return lstm_grads(c, steps);
}

// ---- GRU ----
static weft_status dynamic_gru_v2_grad_build(weft__composing *c) {
  static const char *const of[] = {"dy", "update", "reset", "new", "hidden_new", "before"};
  static const char *const of_x[] = {"dz", "dr", "dn"};
  static const char *const of_h[] = {"dz", "dr", "dhn"};
  size_t at[4];
  int64_t steps;
  WEFT_TRY(grads_begin(c, &steps));
  weft_value **gx = WEFT_NEW_N(&c->o->f->arena, weft_value *, 2 * ((size_t)steps + 1));
  weft_value **gh = gx + steps + 1;
  if (!gx)
    return front_fail(c->o, WEFT_E_NOMEM, "out of memory");
  if (!steps || !weft_node_bool(c->desc, WEFT_SLOT_DYNAMIC_GRUV2_GRAD_RESET_AFTER))
    return front_fail(c->o, WEFT_E_UNSUPPORTED,
                      "attribute 'reset_after': only true is computed, of one step or more");
  WEFT_TRY(grads_order(c, "zrh", "rzh", at));
  WEFT_TRY(grads_matrix(c, "init_h", "h0"));
  WEFT_TRY(grads_matrix(c, "dh", "sh"));
  WEFT_TRY(grads_before(c));
  for (int64_t t = steps; t-- > 0;) {
    WEFT_TRY(grads_step(c, of, WEFT_COUNT(of), t));
    WEFT_TRY(weft__compose_text(
        c,
        "dht = Add(t_dy, sh); dz = Mul(Mul(dht, Sub(t_before, t_new)), Mul(t_update, Sub(1, t_update))); "
        "dn = Mul(Mul(dht, Sub(1, t_update)), Sub(1, Square(t_new))); "
        "dr = Mul(Mul(dn, t_hidden_new), Mul(t_reset, Sub(1, t_reset))); dhn = Mul(dn, t_reset)"));
    WEFT_TRY(grads_gates(c, of_x, 3, at, "x_g"));
    WEFT_TRY(grads_gates(c, of_h, 3, at, "h_g"));
    WEFT_TRY(weft__compose_text(
        c, "sh = Add(Mul(dht, t_update), BatchMatMulV2(h_g, weight_hidden, adj_x2=true))"));
    gx[t] = weft__composed(c, "x_g");
    gh[t] = weft__composed(c, "h_g");
  }
  WEFT_TRY(grads_packed(c, gx, steps, "all_x"));
  WEFT_TRY(grads_packed(c, gh, steps, "all_h"));
  WEFT_TRY(grads_weight(c, "x", "all_x", "dw_input"));
  WEFT_TRY(grads_weight(c, "before", "all_h", "dw_hidden"));
  WEFT_TRY(weft__compose_text(c,
                              "dx = BatchMatMulV2(all_x, weight_input, adj_x2=true); "
                              "db_input = ReduceSum(all_x, [0,1]); db_hidden = ReduceSum(all_h, [0,1]); "
                              "dh_prev = Identity(sh)"));
  return grads_like(c, "dh_prev", "init_h");
}

#define ROW(op_name, says, of, ...)                                                                        \
  {                                                                                                        \
    .name = op_name, .summary = says, .traits = WEFT_SYMBOLIC, .infer = weft__composed_infer,              \
    .ref = weft__composed_ref, .like = "x", .user = &(const weft__composition){.build = of, .wide = true}, \
    .examples = WEFT_EXAMPLES(__VA_ARGS__)                                                                 \
  }
#define N "f32[1,1,1]"
// clang-format off
WEFT_ROWS(recurrent_grads) = {
  ROW("DynamicRNNGrad", "gradients through all steps of DynamicRNN", dynamic_rnn_grad_build,
    // one step, all gates a half, c = 0: only the output's way and the input gate's
    N "{2}, f32[2,4]{1,1,1,1,1,1,1,1}, f32[4]{0,0,0,0}, " N "{0}, f32[1,1]{0}, f32[1,1]{0}, "
    "" N "{0}, " N "{0}, " N
    "{8}, f32[1,1]{0}, f32[1,1]{0}, " N "{0.5}, " N "{0.5}, " N "{0.5}, " N "{0.5}, " N "{0} -> "
    "f32[2,4]{1,3,0,0,0,0,0,0}, f32[4]{0.5,1.5,0,0}, " N "{2}, f32[1,1]{2}, f32[1,1]{2}, [], [], []",
    "f32[3,B,8], f32[12,16], f32[16], f32[3,B,4], f32[1,B,4], f32[1,B,4], f32[3,B,4], f32[3,B,4], "
    "f32[3,B,4], "
    "f32[B,4], f32[B,4], f32[3,B,4], f32[3,B,4], f32[3,B,4], f32[3,B,4] -> f32[12,16], f32[16], f32[3,B,8], "
    "f32[1,B,4], f32[1,B,4], [], [], []"),
  ROW("DynamicRNNV2Grad", "gradients through all steps of DynamicRNNV2", dynamic_rnn_v2_grad_build,
    "f32[3,B,8], f32[8,16], f32[4,16], f32[3,B,4], f32[1,B,4], f32[1,B,4], f32[3,B,4], f32[3,B,4], "
    "f32[3,B,4], "
    "f32[B,4], f32[B,4], f32[3,B,4], f32[3,B,4], f32[3,B,4], f32[3,B,4], f32[3,B,4] -> f32[8,16], f32[4,16], "
    "f32[16], f32[3,B,8], f32[1,B,4], f32[1,B,4], [], [], []"),
  ROW("DynamicGRUV2Grad", "gradients through all steps of DynamicGRUV2", dynamic_gru_v2_grad_build,
    // z = r = a half, n = 0, h before 1: dz = 8 / 4, dn = 4, dr = 4 * 3 / 4
    N "{2}, f32[1,3]{1,1,1}, f32[1,3]{1,1,1}, " N "{0}, f32[1,1]{1}, " N "{0.5}, " N "{8}, "
    "f32[1,1]{0}, " N "{0.5}, "
    N "{0.5}, " N "{0}, " N "{3} -> f32[1,3]{4,6,8}, f32[1,3]{2,3,2}, f32[3]{2,3,4}, f32[3]{2,3,2}, " N
    "{9}, f32[1,1]{11}",
    "f32[3,B,8], f32[8,12], f32[4,12], f32[3,B,4], f32[B,4], f32[3,B,4], f32[3,B,4], f32[B,4], f32[3,B,4], "
    "f32[3,B,4], f32[3,B,4], f32[3,B,4] -> f32[8,12], f32[4,12], f32[12], f32[12], f32[3,B,8], f32[B,4]"),
  {0},
};
// SPDX-License-Identifier: Apache-2.0
