// recurrent_read.c - reads CommonRNN, CommonGRU and CommonLSTM: attributes, activations, which inputs are
// there.
#include "cpu/recurrent/recurrent_read.h"

// Attribute slots that the three have in common (ops/rnn.h).
enum { ALPHA, BETA, ACTIVATIONS, CLIP, DIRECTION, HIDDEN, MORE };

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

static char lower(char c) {
  return c >= 'A' && c <= 'Z' ? (char)(c + 32) : c;
}

// Is it the name, but for the case of its letters?
static bool is_name(weft_str s, const char *name) {
  if (strlen(name) != s.bytes)
    return false;
  for (size_t i = 0; i < s.bytes; i++) {
    if (lower(s.text[i]) != name[i])
      return false;
  }
  return true;
}

static const named_act *find_act(weft_str s) {
  for (size_t k = 0; k < WEFT_COUNT(acts); k++) {
    if (is_name(s, acts[k].name))
      return &acts[k];
  }
  return NULL;
}

static const layer *find_layer(const char *op) {
  for (size_t i = 0; i < WEFT_COUNT(layers); i++) {
    if (!strcmp(layers[i].op, op))
      return &layers[i];
  }
  return NULL;
}

// The next number of a list, or what `otherwise` says.
static float next_of(const weft_attr *list, size_t *at, float otherwise) {
  const bool more = list && *at < list->n;
  return more ? list->u.floats[(*at)++] : otherwise;
}

// Parameters are taken in order by those activations that have them; see ops/rnn.c.
static const char *read_acts(const weft_op_desc *n, const layer *l, weft__recurrent *r) {
  const weft_attr *names = weft_attr_at(n, ACTIVATIONS, WEFT_VT_LIST_STRING);
  const weft_attr *alpha = weft_attr_at(n, ALPHA, WEFT_VT_LIST_FLOAT);
  const weft_attr *beta = weft_attr_at(n, BETA, WEFT_VT_LIST_FLOAT);
  size_t a = 0;
  size_t b = 0;
  size_t count = l->n_acts * r->dirs;
  bool given = names && names->n;
  if (given && names->n != count)
    return "has another number of activations";
  r->usual = r->kind == WEFT__CELL_LSTM;
  for (size_t i = 0; i < count; i++) {
    const named_act *f = given ? find_act(names->u.strs[i]) : &acts[l->acts[i % l->n_acts]];
    weft__act *to = &r->act[i / l->n_acts][i % l->n_acts];
    if (!f)
      return "has an activation that it does not know";
    *to = f->act;
    if (f->n > 0)
      to->alpha = next_of(alpha, &a, to->alpha);
    if (f->n > 1)
      to->beta = next_of(beta, &b, to->beta);
    r->usual &= to->kind == l->acts[i % l->n_acts];
  }
  return NULL;
}

static bool stored_plain(const weft_layout *l) {
  return weft_shape_is_unknown_rank(&l->origin) || l->origin.rank == l->storage.rank;
}

// A tensor of floats, or of what `type` says, in a plain format.
static const char *check_tensor(weft_dtype type, weft_dtype wanted, const weft_layout *l) {
  if (type != wanted)
    return "needs float";
  return stored_plain(l) ? NULL : "needs plain formats";
}

static const char *read_ports(const weft_tiling *t, weft__recurrent *r) {
  const char *no = NULL;
  for (uint32_t p = 0; p < WEFT_COUNT(r->arg) && !no; p++) {
    const int64_t i = weft_port_in(t->desc, p, 0);
    r->arg[p] = i;
    if (i < 0)
      continue;
    if (i >= (int64_t)t->n_in)
      return "has inputs that are not there";
    no = check_tensor(t->in_dtype[i], p == WEFT__RNN_LENGTHS ? WEFT_INT32 : WEFT_FLOAT, t->in[i]);
  }
  if (no)
    return no;
  const bool has_weights = r->arg[WEFT__RNN_W] >= 0 && r->arg[WEFT__RNN_R] >= 0;
  if (!has_weights || r->arg[WEFT__RNN_X] < 0)
    return "has no inputs";
  for (uint32_t i = 0; i < t->n_out && !no; i++)
    no = check_tensor(t->out_dtype[i], WEFT_FLOAT, t->out[i]);
  if (no)
    return no;
  return t->n_out == (r->kind == WEFT__CELL_LSTM ? 3u : 2u) ? NULL : "has another number of outputs";
}

const char *weft__recurrent_read(const weft_tiling *t, weft__recurrent *r) {
  const layer *l = find_layer(t->desc->type);
  memset(r, 0, sizeof *r);
  if (!l)
    return "is no recurrent layer";
  const char *set = weft_node_str(t->desc, DIRECTION);
  const char *direction = set ? set : "";
  const bool more = l->kind != WEFT__CELL_RNN && weft_node_int(t->desc, MORE) != 0;
  r->kind = l->kind == WEFT__CELL_GRU && more ? WEFT__CELL_GRU_AFTER : l->kind;
  r->gates = l->gates;
  r->stages = r->kind == WEFT__CELL_GRU ? 2 : 1;
  r->dirs = strcmp(direction, "bidirectional") ? 1 : 2;
  r->reverse = !strcmp(direction, "reverse");
  r->coupled = l->kind == WEFT__CELL_LSTM && more;
  r->clip = weft_node_float(t->desc, CLIP);
  r->hidden = (size_t)weft_node_int(t->desc, HIDDEN);
  const char *no = read_acts(t->desc, l, r);
  if (!no)
    no = read_ports(t, r);
  if (no)
    return no;
  const bool clips = r->clip >= 0;
  const bool peeps = r->arg[WEFT__RNN_P] >= 0;
  r->usual &= !clips && !r->coupled && !peeps;
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
