// recurrent_read.c - reads CommonRNN, CommonGRU and CommonLSTM: attributes, activations, which inputs are
// there.
#include "cpu/recurrent/recurrent_read.h"
#include "rnn.rule.h"

static const int kinds[WEFT_RNN_FUNCTIONS] = {[WEFT_RNN_RELU] = WEFT__ACT_RELU,
                                              [WEFT_RNN_TANH] = WEFT__ACT_TANH,
                                              [WEFT_RNN_SIGMOID] = WEFT__ACT_SIGMOID,
                                              [WEFT_RNN_AFFINE] = WEFT__ACT_AFFINE,
                                              [WEFT_RNN_LEAKY_RELU] = WEFT__ACT_LEAKY,
                                              [WEFT_RNN_THRESHOLDED_RELU] = WEFT__ACT_THRESHOLDED,
                                              [WEFT_RNN_SCALED_TANH] = WEFT__ACT_SCALED_TANH,
                                              [WEFT_RNN_HARD_SIGMOID] = WEFT__ACT_HARD_SIGMOID,
                                              [WEFT_RNN_ELU] = WEFT__ACT_ELU,
                                              [WEFT_RNN_SOFTSIGN] = WEFT__ACT_SOFTSIGN,
                                              [WEFT_RNN_SOFTPLUS] = WEFT__ACT_SOFTPLUS};
typedef struct layer {
  const char *op;
  int kind;
  size_t gates, n_acts;
  const char *acts[3];
} layer;
static const layer layers[] = {
    {"CommonGRU", WEFT__CELL_GRU, 3, 2, {"sigmoid", "tanh"}},
    {"CommonLSTM", WEFT__CELL_LSTM, 4, 3, {"sigmoid", "tanh", "tanh"}},
    {"CommonRNN", WEFT__CELL_RNN, 1, 1, {"tanh"}},
};

static const char *read_acts(const weft_op_desc *n, const layer *l, weft__recurrent *r) {
  const weft_attr *names = weft_attr_at(n, WEFT_RNN_ACTIVATIONS, WEFT_VT_LIST_STRING);
  const size_t count = weft__rnn_activation_count(n, l->n_acts);
  weft_rnn_activation act[6];
  if (names && names->n && names->n != count)
    return "has another number of activations";
  if (weft__rnn_activations(n, l->acts, l->n_acts, act) < count)
    return "has an activation that it does not know";
  r->usual = r->kind == WEFT__CELL_LSTM;
  for (size_t i = 0; i < count; i++) {
    const int usual = i % l->n_acts ? WEFT__ACT_TANH : WEFT__ACT_SIGMOID;
    weft__act *to = &r->act[i / l->n_acts][i % l->n_acts];
    *to = (weft__act){kinds[act[i].f], act[i].alpha, act[i].beta};
    r->usual &= to->kind == usual;  // of an LSTM
  }
  return NULL;
}

static bool stored_plain(const weft_layout *l) {
  return weft_shape_is_unknown_rank(&l->origin) || l->origin.rank == l->storage.rank;
}

static const char *recurrent_read_read_ports(const weft_tiling *t, weft__recurrent *r) {
  for (uint32_t p = 0; p < WEFT_COUNT(r->arg); p++) {
    int64_t i = r->arg[p] = weft_port_in(t->desc, p, 0);
    if (i < 0)
      continue;
    if (i >= (int64_t)t->n_in)
      return "has inputs that are not there";
    if (t->in_dtype[i] != (p == WEFT__RNN_LENGTHS ? WEFT_INT32 : WEFT_FLOAT))
      return "needs float";
    if (!stored_plain(t->in[i]))
      return "needs plain formats";
  }
  if (r->arg[WEFT__RNN_X] < 0 || r->arg[WEFT__RNN_W] < 0 || r->arg[WEFT__RNN_R] < 0)
    return "has no inputs";
  for (uint32_t i = 0; i < t->n_out; i++) {
    if (t->out_dtype[i] != WEFT_FLOAT)
      return "needs float";
    if (!stored_plain(t->out[i]))
      return "needs plain formats";
  }
  return t->n_out == (r->kind == WEFT__CELL_LSTM ? 3u : 2u) ? NULL : "has another number of outputs";
}

const char *weft__recurrent_read(const weft_tiling *t, weft__recurrent *r) {
  const layer *l = NULL;
  memset(r, 0, sizeof *r);
  for (size_t i = 0; i < WEFT_COUNT(layers); i++) {
    if (!strcmp(layers[i].op, t->desc->type))
      l = &layers[i];
  }
  if (!l)
    return "is no recurrent layer";
  const bool more = l->kind != WEFT__CELL_RNN && weft_node_int(t->desc, WEFT_RNN_MORE) != 0;
  r->kind = l->kind == WEFT__CELL_GRU && more ? WEFT__CELL_GRU_AFTER : l->kind;
  r->gates = l->gates;
  r->stages = r->kind == WEFT__CELL_GRU ? 2 : 1;
  r->dirs = weft__rnn_directions(t->desc);
  r->reverse = weft__rnn_is_reverse(t->desc, 0);
  r->coupled = l->kind == WEFT__CELL_LSTM && more;
  r->clip = weft_node_float(t->desc, WEFT_RNN_CLIP);
  r->hidden = (size_t)weft_node_int(t->desc, WEFT_RNN_HIDDEN);
  const char *no = read_acts(t->desc, l, r);
  if (!no)
    no = recurrent_read_read_ports(t, r);
  if (no)
    return no;
  r->usual &= !(r->clip >= 0) && !r->coupled && r->arg[WEFT__RNN_P] < 0;
  const weft_shape *x = &t->in[r->arg[WEFT__RNN_X]]->origin;
  if (!weft_shape_is_known(x))
    return NULL;
  if (x->rank != 3)
    return "needs an input of rank 3";
  r->steps = (size_t)x->dim[0];
  r->batch = (size_t)x->dim[1];
  r->inputs = (size_t)x->dim[2];
  return NULL;
}
// SPDX-License-Identifier: Apache-2.0
