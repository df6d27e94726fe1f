// compositions/recurrent.c - recurrent layers that hand out their gates. The states come from CommonLSTM and
// CommonGRU; once they are there, the gates of all steps are one product. The cells' state, which those do
// not hand out, is a memory of one number that decays by its forget gate (LinearAttention). One direction,
// without lengths, masks, peepholes, projections and clipping: what these do to the gates no page says.
#include <math.h>

#include "air_slots.h"
#include "compose/compose.h"
#include "op/named.h"

// ---- what is common ----
// Refuses attributes that have another value than the one that is computed.
static weft_status recurrent_plain(weft__composing *c) {
  static const char *const never[] = {"seq_length", "wci", "wcf", "wco", "mask", "real_mask", "project"};
  const weft_op_desc *n = c->desc;
  for (size_t i = 0; i < WEFT_COUNT(never); i++) {
    if (weft__composed(c, never[i]))
      return front_fail(c->o, WEFT_E_UNSUPPORTED, "input '%s': a layer with it is not computed", never[i]);
  }
  static const struct {
    const char *name, *text;
  } words[] = {{"direction", "UNIDIRECTIONAL"},
               {"activation", "tanh"},
               {"cell_type", "LSTM"},
               {"recurrent_activation", "sigmoid"}};
  for (size_t i = 0; i < WEFT_COUNT(words); i++) {
    uint32_t slot = weft__slot_named(c->desc, words[i].name);
    if (slot < n->n_attr && strcmp(weft_node_str(n, slot), words[i].text) != 0)
      return front_fail(c->o, WEFT_E_UNSUPPORTED, "attribute '%s': only %s is computed, not '%s'",
                        words[i].name, words[i].text, weft_node_str(n, slot));
  }
  bool sized = weft__int_named(n, "num_proj") || weft__flag_named(n, "use_peephole");
  if (sized || weft__float_named(n, "cell_clip") > 0 || !weft__flag_named(n, "time_major"))
    return front_fail(c->o, WEFT_E_UNSUPPORTED,
                      "attributes 'num_proj', 'use_peephole', 'cell_clip' and 'time_major': "
                      "only 0, false, -1 and true are computed");
  return WEFT_OK;
}
// The number of hidden units of a weight with `gates` gates: its last dim's part.
static int64_t recurrent_hidden(weft__composing *c, const char *port, int64_t gates) {
  weft_value *w = weft__composed(c, port);
  int rank = front_rank_of(c->o, w);
  weft_dim n = front_dim(w, 1);
  if (c->o->failed)
    return 0;
  if (rank != 2 || (n >= 0 && (n < gates || n % gates))) {
    front_fail(c->o, WEFT_E_SHAPE,
               "input '%s': expected [inputs, %lld x units], got rank %d and dim 1 of %lld", port,
               (long long)gates, rank, front_shown(n));
    return 0;
  }
  if (n < 0)
    front_fail(c->o, WEFT_E_UNKNOWN, "the number of hidden units is not known");
  return n / gates;
}
// x has to be [T, B, inputs].
static weft_status recurrent_x(weft__composing *c) {
  int rank = front_rank_of(c->o, weft__composed(c, "x"));
  return c->o->failed ? c->o->failed
         : rank == 3
             ? WEFT_OK
             : front_fail(c->o, WEFT_E_SHAPE, "input 'x': rank %d, expected 3 (steps, batch, inputs)", rank);
}
// `name`: a first state as [1, B, units]; zeros where none is given.
static weft_status recurrent_first(weft__composing *c, const char *port, const char *name, int64_t units) {
  front_op *o = c->o;
  weft_value *v = weft__composed(c, port);
  if (v) {
    int rank = front_rank_of(o, v);
    if (!o->failed && rank != 2 && rank != 3)
      return front_fail(o, WEFT_E_SHAPE, "input '%s': rank %d, expected 2 or 3", port, rank);
    v = rank == 2 ? front_unsqueezed(o, v, 0) : v;
  } else {
    weft_value *const dims[3] = {front_list(o, (const int64_t[]){1}, 1),
                                 front_dim_list(o, weft__composed(c, "x"), 1), front_list(o, &units, 1)};
    v = front_filled(o, front_joined(o, dims, 3, 0), front_num(o, WEFT_FLOAT, 0));
  }
  weft__compose_name(c, name, v);
  return o->failed;
}
// A matrix's or list's columns in parts of `units`: "k0", "k1" ... of "k".
static weft_status recurrent_cut(weft__composing *c, const char *name, int64_t n, int64_t units,
                                 int64_t axis) {
  weft_value *v = weft__composed(c, name);
  char part[24];
  for (int64_t i = 0; i < n && v; i++) {
    snprintf(part, sizeof part, "%s%d", name, (int)i);
    weft__compose_name(c, part, front_part(c->o, v, axis, i * units, (i + 1) * units));
  }
  return c->o->failed;
}
// "before": the state before each step, of "first" and "h". A gather keeps a name of the number of steps.
static weft_status recurrent_before(weft__composing *c) {
  front_op *o = c->o;
  weft_value *h = weft__composed(c, "h");
  weft_value *const parts[2] = {weft__composed(c, "first"), h};
  weft_value *all = front_joined(o, parts, 2, 0);
  weft_value *steps = front_counting(o, front_dim_index(o, h, 0));
  weft__compose_name(c, "before", front_do(o, "GatherV2", all, steps, front_index(o, 0)));
  return o->failed;
}
// Outputs in a dtype of the node's own, where halves would be those of the first input.
static weft_status recurrent_give(weft__composing *c, const char *const *names, size_t n, weft_dtype t) {
  for (size_t i = 0; i < n; i++)
    weft__compose_name(c, names[i], front_as(c->o, weft__composed(c, names[i]), t));
  c->half = WEFT_UNDEFINED;
  return c->o->failed;
}

// ---- LSTM ----
// Places of the gates i, j, f, o among the weights' columns.
static weft_status lstm_order(weft__composing *c, int at[4]) {
  uint32_t slot = weft__slot_named(c->desc, "gate_order");
  const char *order = slot < c->desc->n_attr ? weft_node_str(c->desc, slot) : "ijfo";
  if (strcmp(order, "ijfo") != 0 && strcmp(order, "ifjo") != 0)
    return front_fail(c->o, WEFT_E_INVALID, "attribute 'gate_order': '%s' is neither ijfo nor ifjo", order);
  for (int i = 0; i < 4; i++)
    at[i] = (int)(strchr(order, "ijfo"[i]) - order);
  return WEFT_OK;
}
// CommonLSTM wants the gates i, o, f, j as rows: "name" of the columns of "from".
static weft_status lstm_weight(weft__composing *c, const char *from, const char *to, int64_t units,
                               const int at[4]) {
  char text[160];
  WEFT_TRY(recurrent_cut(c, from, 4, units, 1));
  snprintf(text, sizeof text, "%s = ConcatV2({%s%d, %s%d, %s%d, %s%d}, [1])", to, from, at[0], from, at[3],
           from, at[2], from, at[1]);
  WEFT_TRY(weft__compose_text(c, text));
  weft__compose_name(c, to, front_unsqueezed(c->o, front_swapped(c->o, weft__composed(c, to), 0, 1), 0));
  return c->o->failed;
}
// "bias" [4 units], the forget gate's with its own number more; "b" is the bias.
static weft_status lstm_bias(weft__composing *c, int64_t units, const int at[4]) {
  char text[160];
  char *const end = text + sizeof text;
  char *p = text;
  weft__compose_name(c, "more", front_num(c->o, WEFT_FLOAT, weft__float_named(c->desc, "forget_bias")));
  if (!weft__composed(c, "b"))
    weft__compose_name(c, "b",
                       front_filled(c->o, front_list(c->o, (const int64_t[]){4 * units}, 1),
                                    front_num(c->o, WEFT_FLOAT, 0)));
  WEFT_TRY(recurrent_cut(c, "b", 4, units, 0));
  snprintf(text, sizeof text, "b%d = Add(b%d, more); bias = ConcatV2({b0, b1, b2, b3}, [0])", at[2], at[2]);
  WEFT_TRY(weft__compose_text(c, text));
  p += snprintf(p, (size_t)(end - p), "rows = ConcatV2({b%d, b%d, b%d, b%d, ", at[0], at[3], at[2], at[1]);
  snprintf(p, (size_t)(end - p), "ZerosLike(bias)}, [0])");
  WEFT_TRY(weft__compose_text(c, text));
  weft__compose_name(c, "rows", front_unsqueezed(c->o, weft__composed(c, "rows"), 0));
  return c->o->failed;
}
// "c": the cells' states, of gates "f", "i", "j" [T, B, units] and "first_c".
static weft_status lstm_cells(weft__composing *c, int64_t units) {
  static const char *const turned[][2] = {{"i", "ti"}, {"j", "tj"}, {"f", "tf"}};
  front_op *o = c->o;
  for (size_t i = 0; i < WEFT_COUNT(turned); i++)
    weft__compose_name(c, turned[i][1], front_swapped(o, weft__composed(c, turned[i][0]), 0, 1));
  weft_value *first = front_squeezed(o, weft__composed(c, "first_c"), 0);
  weft__compose_name(c, "past", front_unsqueezed(o, front_unsqueezed(o, first, 2), 3));
  WEFT_TRY(weft__compose_text(c, "ones = OnesLike(ti); decay = Log(tf)"));
  front_set_int(o, "kv_num_heads", units);
  front_set_int(o, "q_num_heads", units);
  front_set_float(o, "scale", 1);
  front_set_text(o, "update_rule", "gated");
  WEFT_TRY(weft__compose_text(c, "tc = LinearAttention(ones, ti, tj, past, decay)"));
  weft__compose_name(c, "c", front_swapped(o, weft__composed(c, "tc"), 0, 1));
  return o->failed;
}
// Of "wx" [inputs, 4 units] and "wh" [units, 4 units].
static weft_status lstm_layer(weft__composing *c, int64_t units) {
  int at[4];
  char text[192];
  WEFT_TRY(lstm_order(c, at));
  WEFT_TRY(lstm_weight(c, "wx", "w_rows", units, at));
  WEFT_TRY(lstm_weight(c, "wh", "r_rows", units, at));
  WEFT_TRY(lstm_bias(c, units, at));
  WEFT_TRY(recurrent_first(c, "init_h", "first", units));
  WEFT_TRY(recurrent_first(c, "init_c", "first_c", units));
  weft__compose_name(c, "nothing", NULL);
  front_set_int(c->o, "hidden_size", units);
  WEFT_TRY(weft__compose_text(c, "h = CommonLSTM(x, w_rows, r_rows, rows, nothing?, first, first_c)"));
  weft__compose_name(c, "h", front_squeezed(c->o, weft__composed(c, "h"), 1));
  WEFT_TRY(recurrent_before(c));
  WEFT_TRY(weft__compose_text(c, "g = Add(Add(BatchMatMulV2(x, wx), BatchMatMulV2(before, wh)), bias)"));
  WEFT_TRY(recurrent_cut(c, "g", 4, units, 2));
  snprintf(text, sizeof text, "i = Sigmoid(g%d); j = Tanh(g%d); f = Sigmoid(g%d); o = Sigmoid(g%d)", at[0],
           at[1], at[2], at[3]);
  WEFT_TRY(weft__compose_text(c, text));
  WEFT_TRY(lstm_cells(c, units));
  return weft__compose_text(
      c, "tanhc = Tanh(c); output_h = Identity(h); output_c = Identity(c); y = Identity(h)");
}
static weft_status dynamic_rnn_build(weft__composing *c) {
  WEFT_TRY(recurrent_plain(c));
  WEFT_TRY(recurrent_x(c));
  int64_t units = recurrent_hidden(c, "w", 4);
  weft_value *w = weft__composed(c, "w");
  weft_dim rows = front_dim(w, 0);
  WEFT_TRY(c->o->failed);
  if (rows < 0)
    return front_fail(c->o, WEFT_E_UNKNOWN, "the number of inputs is not known");
  if (rows < units)
    return front_fail(c->o, WEFT_E_SHAPE,
                      "input 'w': %lld rows, expected those of x and of %lld hidden units", (long long)rows,
                      (long long)units);
  weft__compose_name(c, "wx", front_part(c->o, w, 0, 0, rows - units));
  weft__compose_name(c, "wh", front_part(c->o, w, 0, rows - units, rows));
  return lstm_layer(c, units);
}
static weft_status dynamic_rnn_v2_build(weft__composing *c) {
  WEFT_TRY(recurrent_plain(c));
  WEFT_TRY(recurrent_x(c));
  int64_t units = recurrent_hidden(c, "weight_hidden", 4);
  WEFT_TRY(c->o->failed);
  weft__compose_name(c, "wx", weft__composed(c, "weight_input"));
  weft__compose_name(c, "wh", weft__composed(c, "weight_hidden"));
  return lstm_layer(c, units);
}

// ---- GRU ----
// Places of the gates z, r, h.
static weft_status gru_order(weft__composing *c, int at[3]) {
  const char *order = weft__text_named(c->desc, "gate_order");
  if (strcmp(order, "zrh") != 0 && strcmp(order, "rzh") != 0)
    return front_fail(c->o, WEFT_E_INVALID, "attribute 'gate_order': '%s' is neither zrh nor rzh", order);
  for (int i = 0; i < 3; i++)
    at[i] = (int)(strchr(order, "zrh"[i]) - order);
  return WEFT_OK;
}
static weft_status gru_weight(weft__composing *c, const char *from, const char *to, int64_t units,
                              const int at[3]) {
  char text[128];
  WEFT_TRY(recurrent_cut(c, from, 3, units, 1));
  snprintf(text, sizeof text, "%s = ConcatV2({%s%d, %s%d, %s%d}, [1])", to, from, at[0], from, at[1], from,
           at[2]);
  WEFT_TRY(weft__compose_text(c, text));
  weft__compose_name(c, to, front_unsqueezed(c->o, front_swapped(c->o, weft__composed(c, to), 0, 1), 0));
  return c->o->failed;
}
// A bias by gate; zeros where none is given.
static weft_status gru_bias(weft__composing *c, const char *port, const char *name, int64_t units) {
  weft_value *b = weft__composed(c, port);
  if (!b)
    b = front_filled(c->o, front_list(c->o, (const int64_t[]){3 * units}, 1), front_num(c->o, WEFT_FLOAT, 0));
  weft__compose_name(c, name, b);
  return recurrent_cut(c, name, 3, units, 0);
}
// The dtype of the first of these inputs that is there: biases, the first state, the inputs.
static weft_dtype gru_gives(const weft_op_desc *n, const weft_dtype *given, const weft_fact *facts) {
  static const char *const of[] = {"bias_input", "bias_hidden", "init_h", "x", "x_weight_input"};
  for (size_t i = 0; i < WEFT_COUNT(of); i++) {
    const char *at = (const char *)n->op->in;
    for (uint32_t p = 0; p < n->n_in_ports; p++, at += n->op->port_bytes) {
      uint32_t in = n->in_port[p].start;
      if (!strcmp(((const weft_port *)(const void *)at)->name, of[i]) && n->in_port[p].count)
        return given ? given[in] : facts[in].dtype;
    }
  }
  return WEFT_FLOAT;
}
static weft_status gru_dtype(weft_infer *it) {
  for (uint32_t i = 0; i < it->n_out; i++)
    it->out_dtype[i] = gru_gives(it->desc, it->in_dtype, NULL);
  return WEFT_OK;
}
// "gx" [T, B, 3 units]: what the inputs give, bias and all. "w_rows", "in": CommonGRU's.
static weft_status gru_layer(weft__composing *c, int64_t units, const int at[3]) {
  char text[320];
  bool after = weft__flag_named(c->desc, "reset_after");
  WEFT_TRY(gru_weight(c, "wh", "r_rows", units, at));
  snprintf(text, sizeof text, "rows = ConcatV2({bi%d, bi%d, bi%d, bh%d, bh%d, bh%d}, [0])", at[0], at[1],
           at[2], at[0], at[1], at[2]);
  WEFT_TRY(weft__compose_text(c, text));
  weft__compose_name(c, "rows", front_unsqueezed(c->o, weft__composed(c, "rows"), 0));
  weft__compose_name(c, "nothing", NULL);
  WEFT_TRY(recurrent_first(c, "init_h", "first", units));
  front_set_int(c->o, "hidden_size", units);
  front_set_int(c->o, "linear_before_reset", after);
  WEFT_TRY(weft__compose_text(c, "h = CommonGRU(in, w_rows, r_rows, rows, nothing?, first)"));
  weft__compose_name(c, "h", front_squeezed(c->o, weft__composed(c, "h"), 1));
  WEFT_TRY(recurrent_before(c));
  WEFT_TRY(weft__compose_text(c, "gh = Add(BatchMatMulV2(before, wh), bh)"));
  WEFT_TRY(recurrent_cut(c, "gx", 3, units, 2));
  WEFT_TRY(recurrent_cut(c, "gh", 3, units, 2));
  snprintf(text, sizeof text,
           "update = Sigmoid(Add(gx%d, gh%d)); reset = Sigmoid(Add(gx%d, gh%d)); output_h = Identity(h); y = "
           "Identity(h)",
           at[0], at[0], at[1], at[1]);
  WEFT_TRY(weft__compose_text(c, text));
  snprintf(text, sizeof text,
           after ? "hidden_new = Identity(gh%d); new = Tanh(Add(gx%d, Mul(reset, hidden_new)))"
                 : "hidden_new = Add(BatchMatMulV2(Mul(reset, before), wh%d), bh%d); new = Tanh(Add(gx%d, "
                   "hidden_new))",
           at[2], at[2], at[2]);
  WEFT_TRY(weft__compose_text(c, text));
  static const char *const outs[] = {"y", "output_h", "update", "reset", "new", "hidden_new"};
  return recurrent_give(c, outs, WEFT_COUNT(outs), gru_gives(c->desc, NULL, c->given));
}
static weft_status dynamic_gru_v2_build(weft__composing *c) {
  int at[3];
  WEFT_TRY(recurrent_plain(c));
  WEFT_TRY(recurrent_x(c));
  int64_t units = recurrent_hidden(c, "weight_hidden", 3);
  WEFT_TRY(c->o->failed);
  WEFT_TRY(gru_order(c, at));
  weft__compose_name(c, "wx", weft__composed(c, "weight_input"));
  weft__compose_name(c, "wh", weft__composed(c, "weight_hidden"));
  weft__compose_name(c, "in", weft__composed(c, "x"));
  WEFT_TRY(gru_weight(c, "wx", "w_rows", units, at));
  WEFT_TRY(gru_bias(c, "bias_input", "bi", units));
  WEFT_TRY(gru_bias(c, "bias_hidden", "bh", units));
  WEFT_TRY(weft__compose_text(c, "gx = Add(BatchMatMulV2(x, wx), bi)"));
  return gru_layer(c, units, at);
}
// The inputs are multiplied already: a weight of ones along the diagonal hands them on.
static weft_status dynamic_gru_hidden_build(weft__composing *c) {
  int at[3];
  front_op *o = c->o;
  WEFT_TRY(recurrent_plain(c));
  int64_t units = recurrent_hidden(c, "weight_hidden", 3);
  WEFT_TRY(o->failed);
  WEFT_TRY(gru_order(c, at));
  weft__compose_name(c, "x", weft__composed(c, "x_weight_input"));
  weft__compose_name(c, "gx", weft__composed(c, "x"));
  WEFT_TRY(recurrent_x(c));
  weft__compose_name(c, "wh", weft__composed(c, "weight_hidden"));
  WEFT_TRY(gru_bias(c, "", "bi", units));
  WEFT_TRY(gru_bias(c, "bias_hidden", "bh", units));
  weft_value *n = front_counting(o, front_index(o, 3 * units));
  weft__compose_name(c, "down", front_unsqueezed(o, n, 1));
  weft__compose_name(c, "across", front_unsqueezed(o, n, 0));
  WEFT_TRY(weft__compose_text(c, "wx = f32(Equal(down, across))"));
  weft__compose_name(c, "in", weft__composed(c, "x"));
  WEFT_TRY(gru_weight(c, "wx", "w_rows", units, at));
  return gru_layer(c, units, at);
}

// ---- one step back ----
static weft_status lstm_state_grad_build(weft__composing *c) {
  if (strcmp(weft__text_named(c->desc, "activation"), "tanh") != 0)
    return front_fail(c->o, WEFT_E_UNSUPPORTED, "attribute 'activation': only tanh is computed");
  WEFT_TRY(weft__compose_text(
      c,
      "d = Add(dct, Mul(Mul(dht, ot), Sub(1, Square(tanhct)))); "
      "di = Mul(Mul(d, jt), Mul(it, Sub(1, it))); dj = Mul(Mul(d, it), Sub(1, Square(jt))); "
      "df = Mul(Mul(d, c), Mul(ft, Sub(1, ft))); do = Mul(Mul(dht, tanhct), Mul(ot, Sub(1, ot))); "
      "dgate = ConcatV2({di, dj, df, do}, [-1]); dct_1 = Mul(d, ft)"));
  weft__compose_name(c, "dct_1", front_as(c->o, weft__composed(c, "dct_1"), c->given[0].dtype));
  return recurrent_give(c, (const char *const[]){"dgate"}, 1, WEFT_FLOAT16);
}

#define GRU(op_name, says, of, ...)                                                                       \
  {                                                                                                       \
    .name = op_name, .summary = says, .traits = WEFT_SYMBOLIC, .infer = weft__composed_infer,             \
    .infer_dtype = gru_dtype, .ref = weft__composed_ref,                                                  \
    .user = &(const weft__composition){.build = of, .wide = true}, .examples = WEFT_EXAMPLES(__VA_ARGS__) \
  }
#define ROW(op_name, says, of, like_port, ...)                                                            \
  {                                                                                                       \
    .name = op_name, .summary = says, .traits = WEFT_SYMBOLIC, .infer = weft__composed_infer,             \
    .ref = weft__composed_ref, .like = like_port,                                                         \
    .user = &(const weft__composition){.build = of, .wide = true}, .examples = WEFT_EXAMPLES(__VA_ARGS__) \
  }
// clang-format off
WEFT_ROWS(recurrent) = {
  ROW("DynamicRNN", "long short-term memory, with its gates", dynamic_rnn_build, "x",
    // all weights 0: gates of a half, j 0; c = 2 / 2, then 1 / 2; h = tanh(c) / 2
    "f32[2,1,1]{1,2}, f32[2,4]{0,0,0,0,0,0,0,0}, f32[4]{0,0,0,0}, _, _, f32[1,1,1]{2} -> "
    "f32[2,1,1]{0.3807971,0.2310586}, f32[2,1,1]{0.3807971,0.2310586}, f32[2,1,1]{1,0.5}, "
    "f32[2,1,1]{0.5,0.5}, "
    "f32[2,1,1]{0,0}, f32[2,1,1]{0.5,0.5}, f32[2,1,1]{0.5,0.5}, f32[2,1,1]{0.7615942,0.4621172} ~1e-6",
    // a bias that opens i, j and o and shuts f, in the order i, f, j, o
    "f32[1,1,1]{0}, f32[2,4]{0,0,0,0,0,0,0,0}, f32[4]{50,-50,50,50}, _, f32[1,1]{7}, f32[1,1]{9} "
    "gate_order=\"ifjo\" -> f32[1,1,1]{0.7615942}, f32[1,1,1]{0.7615942}, f32[1,1,1]{1}, f32[1,1,1]{1}, "
    "f32[1,1,1]{1}, f32[1,1,1]{0}, f32[1,1,1]{1}, f32[1,1,1]{0.7615942} ~1e-6",
    "f16[T,B,8], f16[12,16], f16[16] -> f16[T,B,4], f16[T,B,4], f16[T,B,4], f16[T,B,4], f16[T,B,4], "
    "f16[T,B,4], "
    "f16[T,B,4], f16[T,B,4]",
    "f32[T,B,8], f32[12,16], f32[16] direction=\"BIDIRECTIONAL\" -> _, _, _, _, _, _, _, "
    "_ !! E_UNSUPPORTED direction",
    "f32[T,B,8], f32[12,15], f32[16] -> _, _, _, _, _, _, _, _ !! E_SHAPE input 'w'"),
  ROW("DynamicRNNV2", "long short-term memory, with its gates", dynamic_rnn_v2_build, "x",
    "f32[1,1,1]{1}, f32[1,4]{0,50,0,0}, f32[1,4]{0,0,0,0}, _, _, _, f32[1,1]{2} forget_bias=50 -> "
    "f32[1,1,1]{0.4933071}, f32[1,1,1]{0.4933071}, f32[1,1,1]{2.5}, f32[1,1,1]{0.5}, f32[1,1,1]{1}, "
    "f32[1,1,1]{1}, "
    "f32[1,1,1]{0.5}, f32[1,1,1]{0.9866143} ~1e-6",
    "f16[T,B,8], f16[8,16], f16[4,16] -> f16[T,B,4], f16[T,B,4], f16[T,B,4], f16[T,B,4], "
    "f16[T,B,4], f16[T,B,4], "
    "f16[T,B,4], f16[T,B,4]"),
  ROW("DynamicRNNV3", "long short-term memory, with its gates", dynamic_rnn_build, "x",
    "f32[1,1,1]{1}, f32[2,4]{0,0,0,0,0,0,0,0}, f32[4]{0,0,0,0}, _, _, f32[1,1,1]{2} -> "
    "f32[1,1,1]{0.3807971}, "
    "f32[1,1,1]{0.3807971}, f32[1,1,1]{1}, f32[1,1,1]{0.5}, f32[1,1,1]{0}, f32[1,1,1]{0.5}, f32[1,1,1]{0.5}, "
    "f32[1,1,1]{0.7615942} ~1e-6"),
  GRU("DynamicGRUV2", "gated recurrent unit, with its gates", dynamic_gru_v2_build,
    // z and r are a half, n = tanh(1 / 2 * 2): h = n / 2 + 4 / 2
    "f16[1,1,1]{1}, f16[1,3]{0,0,0}, f16[1,3]{0,0,0.5}, _, _, _, f32[1,1]{4} -> f32[1,1,1]{2.3807971}, "
    "f32[1,1,1]{2.3807971}, f32[1,1,1]{0.5}, f32[1,1,1]{0.5}, f32[1,1,1]{0.7615942}, f32[1,1,1]{2} ~1e-6",
    "f16[1,1,1]{1}, f16[1,3]{0,0,0}, f16[1,3]{0,0,0.5}, _, _, _, "
    "f32[1,1]{4} reset_after=false gate_order=\"rzh\" -> "
    "f32[1,1,1]{2.3807971}, f32[1,1,1]{2.3807971}, f32[1,1,1]{0.5}, f32[1,1,1]{0.5}, f32[1,1,1]{0.7615942}, "
    "f32[1,1,1]{1} ~1e-6",
    "f16[T,B,8], f16[8,12], f16[4,12] -> f16[T,B,4], f16[T,B,4], f16[T,B,4], f16[T,B,4], "
    "f16[T,B,4], f16[T,B,4]"),
  GRU("DynamicGRUV2Hidden", "gated recurrent unit of inputs that are multiplied already",
    dynamic_gru_hidden_build,
    "f32[1,1,3]{0,0,0}, f16[1,3]{0,0,0.5}, _, _, f32[1,1]{4} -> f32[1,1,1]{2.3807971}, "
    "f32[1,1,1]{2.3807971}, "
    "f32[1,1,1]{0.5}, f32[1,1,1]{0.5}, f32[1,1,1]{0.7615942}, f32[1,1,1]{2} ~1e-6"),
  ROW("BasicLSTMCellCStateGrad", "gradients of a memory cell's gates and state", lstm_state_grad_build, "c",
    "f32[1,1]{2}, f32[1,1]{1}, f32[1,1]{3}, f32[1,1]{0.5}, f32[1,1]{0.5}, f32[1,1]{0.5}, "
    "f32[1,1]{0.5}, f32[1,1]{0} -> "
    "f16[1,4]{0.4375,1.3125,1.75,0}, f32[1,1]{1.75}",
    "f16[B,4], f16[B,4], f16[B,4], f16[B,4], f16[B,4], f16[B,4], f16[B,4], f16[B,4] -> f16[B,16], f16[B,4]"),
  {0},
};
// SPDX-License-Identifier: Apache-2.0
