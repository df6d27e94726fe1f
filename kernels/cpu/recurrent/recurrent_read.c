// recurrent_read.c - reads CommonRNN, CommonGRU and CommonLSTM: attributes, activations, which inputs are
// there.
#include "cpu/recurrent/recurrent_read.h"
#include "rnn.rule.h"

typedef struct named_act {
  const char *name;
  int n;  // parameters
  weft__act act;
} named_act;
static const named_act acts[] = {
    {"relu", 0, {WEFT__ACT_RELU, 0, 0}},
    {"tanh", 0, {WEFT__ACT_TANH, 0, 0}},
    {"sigmoid", 0, {WEFT__ACT_SIGMOID, 0, 0}},
    {"affine", 2, {WEFT__ACT_AFFINE, 1, 0}},
    {"leakyrelu", 1, {WEFT__ACT_LEAKY, 0.01f, 0}},
    {"thresholdedrelu", 1, {WEFT__ACT_THRESHOLDED, 1, 0}},
    {"scaledtanh", 2, {WEFT__ACT_SCALED_TANH, 1, 1}},
    {"hardsigmoid", 2, {WEFT__ACT_HARD_SIGMOID, 0.2f, 0.5f}},
    {"elu", 1, {WEFT__ACT_ELU, 1, 0}},
    {"softsign", 0, {WEFT__ACT_SOFTSIGN, 0, 0}},
    {"softplus", 0, {WEFT__ACT_SOFTPLUS, 0, 0}},
};
typedef struct layer {
  const char *op;
  int kind;
  size_t gates, n_acts;
  int acts[3];
} layer;
static const layer layers[] = {
    {"CommonGRU", WEFT__CELL_GRU, 3, 2, {WEFT__ACT_SIGMOID, WEFT__ACT_TANH}},
    {"CommonLSTM", WEFT__CELL_LSTM, 4, 3, {WEFT__ACT_SIGMOID, WEFT__ACT_TANH, WEFT__ACT_TANH}},
    {"CommonRNN", WEFT__CELL_RNN, 1, 1, {WEFT__ACT_TANH}},
};

static const named_act *find(weft_str s) {
  for (size_t k = 0; k < WEFT_COUNT(acts); k++) {
    size_t i = 0;
    for (; i < s.bytes && acts[k].name[i]; i++) {
      char c = s.text[i];
      if ((c >= 'A' && c <= 'Z' ? c + 32 : c) != acts[k].name[i])
        break;
    }
    if (i == s.bytes && !acts[k].name[i])
      return &acts[k];
  }
  return NULL;
}

// Parameters are taken in order by those activations that have them; see ops/rnn.c.
static const char *read_acts(const weft_op_desc *n, const layer *l, weft__recurrent *r) {
  const weft_attr *names = weft_attr_at(n, WEFT_RNN_ACTIVATIONS, WEFT_VT_LIST_STRING);
  const weft_attr *alpha = weft_attr_at(n, WEFT_RNN_ALPHA, WEFT_VT_LIST_FLOAT);
  const weft_attr *beta = weft_attr_at(n, WEFT_RNN_BETA, WEFT_VT_LIST_FLOAT);
  size_t a = 0;
  size_t b = 0;
  size_t count = l->n_acts * r->dirs;
  bool given = names && names->n;
  if (given && names->n != count)
    return "has another number of activations";
  r->usual = r->kind == WEFT__CELL_LSTM;
  for (size_t i = 0; i < count; i++) {
    const named_act *f = given ? find(names->u.strs[i]) : &acts[l->acts[i % l->n_acts]];
    weft__act *to = &r->act[i / l->n_acts][i % l->n_acts];
    if (!f)
      return "has an activation that it does not know";
    *to = f->act;
    if (f->n > 0 && alpha && a < alpha->n)
      to->alpha = alpha->u.floats[a++];
    if (f->n > 1 && beta && b < beta->n)
      to->beta = beta->u.floats[b++];
    r->usual &= to->kind == l->acts[i % l->n_acts];
  }
  return NULL;
}

static bool stored_plain(const weft_layout *l) {
  return weft_shape_is_unknown_rank(&l->origin) || l->origin.rank == l->storage.rank;
}

static const char *read_ports(const weft_tiling *t, weft__recurrent *r) {
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
  const char *direction = weft_node_str(t->desc, WEFT_RNN_DIRECTION);
  const bool more = l->kind != WEFT__CELL_RNN && weft_node_int(t->desc, WEFT_RNN_MORE) != 0;
  r->kind = l->kind == WEFT__CELL_GRU && more ? WEFT__CELL_GRU_AFTER : l->kind;
  r->gates = l->gates;
  r->stages = r->kind == WEFT__CELL_GRU ? 2 : 1;
  r->dirs = direction && !strcmp(direction, "bidirectional") ? 2 : 1;
  r->reverse = direction && !strcmp(direction, "reverse");
  r->coupled = l->kind == WEFT__CELL_LSTM && more;
  r->clip = weft_node_float(t->desc, WEFT_RNN_CLIP);
  r->hidden = (size_t)weft_node_int(t->desc, WEFT_RNN_HIDDEN);
  const char *no = read_acts(t->desc, l, r);
  if (!no)
    no = read_ports(t, r);
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
