// ops/nn/linear_attention.c - attention with a matrix as memory: for each step S = exp(decay) * S, then with
// the delta rules v = beta * (v - S' (erase_gate * k)), then S = S + k v', y = scale * S' q.   ONNX
// LinearAttention-27; AscendIR has none. Query heads share the memory of their group. scale 0 means 1 /
// sqrt(head size). The state is kept in double and rounded at the end. chunk_size is a hint without effect.
#include "arrays.h"

enum { QUERY, KEY, VALUE, PAST, DECAY, BETA, ERASE };
enum { CHUNK_SIZE, KV_HEADS, Q_HEADS, SCALE, UPDATE_RULE };

static bool gated(const weft_op_desc *n) {
  return !strncmp(weft_node_str(n, UPDATE_RULE), "gated", 5);
}
static bool delta(const weft_op_desc *n) {
  return strstr(weft_node_str(n, UPDATE_RULE), "delta") != NULL;
}

static weft_status check_rule(const weft_infer *it) {
  uint32_t in;
  const char *rule = weft_node_str(it->desc, UPDATE_RULE);
  int64_t q = weft_node_int(it->desc, Q_HEADS);
  int64_t kv = weft_node_int(it->desc, KV_HEADS);
  if (q % kv) {
    return weft_fail(it->d, WEFT_E_INVALID,
                     "attribute 'q_num_heads': %lld is not a multiple of kv_num_heads %lld", (long long)q,
                     (long long)kv);
  }
  const bool wanted[2] = {gated(it->desc), delta(it->desc)};
  for (uint32_t i = 0; i < 2; i++) {
    if (weft__has_in(it->desc, DECAY + i, &in) != wanted[i]) {
      return weft_fail(it->d, WEFT_E_INVALID, "input '%s' must %sbe given with update_rule '%s'",
                       i ? "beta" : "decay", wanted[i] ? "" : "not ", rule);
    }
  }
  if (weft__has_in(it->desc, ERASE, &in) && !wanted[1]) {
    return weft_fail(it->d, WEFT_E_INVALID, "input 'erase_gate' must not be given with update_rule '%s'",
                     rule);
  }
  return WEFT_OK;
}

// The last dim of input `port` is heads * size: merges `size` with it, and the first two dims with b and t.
static weft_status linear_attention_packed(const weft_infer *it, uint32_t port, int64_t heads, weft_dim *b,
                                           weft_dim *t, weft_dim *size) {
  uint32_t in;
  char what[96];
  if (!weft__has_in(it->desc, port, &in))
    return WEFT_OK;
  WEFT_TRY(weft__expect_rank(it, in, 3, 3));
  const weft_shape *s = it->in[in];
  const char *name = weft__in_name(it->desc, in);
  if (weft_shape_is_unknown_rank(s))
    return WEFT_OK;
  snprintf(what, sizeof what, "dim 0 of input '%s'", name);
  WEFT_TRY(weft__merge_dim(it, *b, s->dim[0], what, b));
  snprintf(what, sizeof what, "dim 1 of input '%s'", name);
  WEFT_TRY(weft__merge_dim(it, *t, s->dim[1], what, t));
  if (!size)
    return WEFT_OK;
  if (s->dim[2] >= 0 && s->dim[2] % heads) {
    return weft_fail(it->d, WEFT_E_SHAPE, "input '%s': dim 2 is %lld, which %lld heads do not divide", name,
                     (long long)s->dim[2], (long long)heads);
  }
  snprintf(what, sizeof what, "head size of input '%s'", name);
  return weft__merge_dim(it, *size, weft__dim_part(it, s->dim[2], heads), what, size);
}

// decay: one for each head, or for each key element; beta: one for each head, or one.
static weft_status gates(const weft_infer *it, int64_t heads, weft_dim key_size) {
  for (uint32_t port = DECAY; port <= BETA; port++) {
    uint32_t in;
    if (!weft__has_in(it->desc, port, &in) || weft_shape_is_unknown_rank(it->in[in]))
      continue;
    weft_dim n = it->in[in]->dim[2];
    weft_dim other = port == BETA ? 1 : key_size < 0 ? -1 : heads * key_size;
    if (n >= 0 && n != heads && other >= 0 && n != other) {
      return weft_fail(it->d, WEFT_E_SHAPE, "input '%s': dim 2 is %lld, expected %lld or %lld",
                       weft__in_name(it->desc, in), (long long)n, (long long)heads, (long long)other);
    }
  }
  return WEFT_OK;
}

static weft_status linear_attention_infer(weft_infer *it) {
  int64_t q = weft_node_int(it->desc, Q_HEADS);
  int64_t kv = weft_node_int(it->desc, KV_HEADS);
  weft_dim b = -1;
  weft_dim t = -1;
  weft_dim dk = -1;
  weft_dim dv = -1;
  uint32_t in;
  WEFT_TRY(check_rule(it));
  WEFT_TRY(linear_attention_packed(it, QUERY, q, &b, &t, &dk));
  WEFT_TRY(linear_attention_packed(it, KEY, kv, &b, &t, &dk));
  WEFT_TRY(linear_attention_packed(it, VALUE, kv, &b, &t, &dv));
  WEFT_TRY(linear_attention_packed(it, ERASE, kv, &b, &t, &dk));
  WEFT_TRY(linear_attention_packed(it, DECAY, kv, &b, &t, NULL));
  WEFT_TRY(linear_attention_packed(it, BETA, kv, &b, &t, NULL));
  if (weft__has_in(it->desc, PAST, &in)) {
    WEFT_TRY(weft__expect_rank(it, in, 4, 4));
    weft_dim heads = kv;
    weft_dim *dims[4] = {&b, &heads, &dk, &dv};
    for (size_t i = 0; i < 4 && !weft_shape_is_unknown_rank(it->in[in]); i++)
      WEFT_TRY(weft__merge_dim(it, *dims[i], it->in[in]->dim[i], "a dim of input 'past_state'", dims[i]));
  }
  WEFT_TRY(gates(it, kv, dk));
  WEFT_TRY(weft_set_out_shape(it, 0, (weft_dim[]){b, t, weft_dim_mul(it->symbols, dv, q)}, 3));
  return weft_set_out_shape(it, 1, (weft_dim[]){b, kv, dk, dv}, 4);
}

typedef struct run {
  const weft_call *c;
  const double *in[7];
  size_t last[7];  // dim 2 of each
  size_t b, t, q, kv, dk, dv;
  double scale, *state, *row;
} run;

static void linear_attention_one_step(const run *r, size_t at, size_t h) {  // at: batch * steps + step
  const double *k = r->in[KEY] + at * r->last[KEY] + h * r->dk;
  const double *v = r->in[VALUE] + at * r->last[VALUE] + h * r->dv;
  const double *erase = r->in[ERASE] ? r->in[ERASE] + at * r->last[ERASE] + h * r->dk : NULL;
  bool each = r->in[DECAY] && r->last[DECAY] != r->kv;
  for (size_t i = 0; r->in[DECAY] && i < r->dk; i++) {
    double by = exp(r->in[DECAY][at * r->last[DECAY] + (each ? h * r->dk + i : h)]);
    for (size_t m = 0; m < r->dv; m++)
      r->state[i * r->dv + m] *= by;
  }
  for (size_t m = 0; m < r->dv; m++) {
    double found = 0;
    for (size_t i = 0; r->in[BETA] && i < r->dk; i++)
      found += r->state[i * r->dv + m] * k[i] * (erase ? erase[i] : 1);
    r->row[m] =
        r->in[BETA] ? r->in[BETA][at * r->last[BETA] + (r->last[BETA] == 1 ? 0 : h)] * (v[m] - found) : v[m];
  }
  for (size_t i = 0; i < r->dk; i++) {
    for (size_t m = 0; m < r->dv; m++)
      r->state[i * r->dv + m] += k[i] * r->row[m];
  }
}

static void read_out(const run *r, size_t at, size_t head) {
  weft_tensor *y = r->c->out[0];
  const double *q = r->in[QUERY] + at * r->last[QUERY] + head * r->dk;
  for (size_t m = 0; y && m < r->dv; m++) {
    double sum = 0;
    for (size_t i = 0; i < r->dk; i++)
      sum += q[i] * r->state[i * r->dv + m];
    weft_store_f64(y->dtype, y->data, (at * r->q + head) * r->dv + m, r->scale * sum);
  }
}

static weft_status one_head(const run *r, size_t b, size_t h, size_t *work) {
  size_t n = r->dk * r->dv;
  size_t first = (b * r->kv + h) * n;
  size_t group = r->q / r->kv;
  weft_tensor *present = r->c->out[1];
  for (size_t i = 0; i < n; i++)
    r->state[i] = r->in[PAST] ? r->in[PAST][first + i] : 0;
  for (size_t t = 0; t < r->t; t++) {
    WEFT_TRY(weft__poll_work(r->c, work, (2 + group) * n + 16));
    linear_attention_one_step(r, b * r->t + t, h);
    for (size_t g = 0; g < group; g++)
      read_out(r, b * r->t + t, h * group + g);
  }
  for (size_t i = 0; present && i < n; i++)
    weft_store_f64(present->dtype, present->data, first + i, r->state[i]);
  return WEFT_OK;
}

static weft_status linear_attention_ref(const weft_call *c) {
  run r = {
      .c = c, .q = (size_t)weft_node_int(c->desc, Q_HEADS), .kv = (size_t)weft_node_int(c->desc, KV_HEADS)};
  void *space;
  size_t n;
  size_t work = 0;
  if (weft__call_gives_nothing(c))  // as many steps of nothing as the input claims
    return WEFT_OK;
  for (uint32_t port = QUERY; port <= ERASE; port++) {
    uint32_t in;
    double *v;
    if (!weft__has_in(c->desc, port, &in))
      continue;
    WEFT_TRY(weft__load_f64s(c, c->in[in], &v));
    r.in[port] = v;
    r.last[port] = (size_t)c->in[in]->layout.origin.dim[2];
  }
  const weft_shape *q = &c->in[QUERY]->layout.origin;
  r.b = (size_t)q->dim[0];
  r.t = (size_t)q->dim[1];
  r.dk = r.last[QUERY] / r.q;
  r.dv = r.last[VALUE] / r.kv;
  r.scale = (double)weft_node_float(c->desc, SCALE);
  if (r.scale == 0)
    r.scale = r.dk ? 1 / sqrt((double)r.dk) : 1;
  if (!weft_mul_size(r.dk, r.dv, &n) || !weft_add_size(n, r.dv, &n))
    return weft_fail(c->d, WEFT_E_OVERFLOW, "head sizes %zu and %zu", r.dk, r.dv);
  WEFT_TRY(weft__scratch(c, n, &space));
  r.row = space;
  r.state = r.row + r.dv;
  for (size_t b = 0; b < r.b; b++) {
    for (size_t h = 0; h < r.kv; h++) {
      WEFT_TRY(weft__poll_work(c, &work, n));
      WEFT_TRY(one_head(&r, b, h, &work));
    }
  }
  return WEFT_OK;
}

WEFT_OP(linear_attention) = {
    WEFT_OP_HEAD,
    .name = "LinearAttention",
    .summary = "attention over a matrix memory, with decay and delta rules",
    .in = PORTS({"query", "T"}, {"key", "T"}, {"value", "T"}, {"past_state", "S", .kind = WEFT_OPTIONAL},
                {"decay", NULL, WEFT_FLOATS, .kind = WEFT_OPTIONAL},
                {"beta", NULL, WEFT_FLOATS, .kind = WEFT_OPTIONAL},
                {"erase_gate", NULL, WEFT_FLOATS, .kind = WEFT_OPTIONAL}),
    .out = PORTS({"output", "T"}, {"present_state", "S"}),
    .types = TYPES({"T", WEFT_FLOATS}, {"S", WEFT_FLOATS, .promote = "T"}),
    .attrs = ATTRS({"chunk_size", "Int", "64"}, {"kv_num_heads", "Int", NULL, "min 1;max 1048576"},
                   {"q_num_heads", "Int", NULL, "min 1;max 1048576"}, {"scale", "Float", "0.0"},
                   {"update_rule", "String", "\"gated_delta\"", "one of linear|gated|delta|gated_delta"}),
    .traits = WEFT_SYMBOLIC | WEFT_MONOTONE,
    .infer = linear_attention_infer,
    .ref = linear_attention_ref,
    .examples = WEFT_EXAMPLES(
        // S1 = 2*3 = 6, y1 = 1*6; S2 = 6 + 10*1 = 16, y2 = 2*16
        "f32[1,2,1]{1,2}, f32[1,2,1]{2,10}, f32[1,2,1]{3,1} q_num_heads=1 kv_num_heads=1 "
        "update_rule=\"linear\""
        " -> f32[1,2,1]{6,32}, f32[1,1,1,1]{16}",
        // two query heads on one memory [1,2], scale 10: S = [2,3]' * [1] + past [1,1]' = [3,4]
        "f32[1,1,4]{1,0,0,1}, f32[1,1,2]{2,3}, f32[1,1,1]{1}, f64[1,1,2,1]{1,1} q_num_heads=2 kv_num_heads=1 "
        "scale=10"
        " update_rule=\"linear\" -> f32[1,1,2]{30,40}, f64[1,1,2,1]{3,4}",
        // decay exp(0) = 1, found = 5*2 = 10, v = 0.5*(20-10) = 5, S = 5 + 2*5 = 15; erased by 0: v = 10, S =
        // 25
        "f32[1,1,1]{1}, f32[1,1,1]{2}, f32[1,1,1]{20}, f32[1,1,1,1]{5}, f32[1,1,1]{0}, f32[1,1,1]{0.5}"
        " q_num_heads=1 kv_num_heads=1 -> f32[1,1,1]{15}, f32[1,1,1,1]{15}",
        "f32[1,1,1]{1}, f32[1,1,1]{2}, f32[1,1,1]{20}, f32[1,1,1,1]{5}, _, f32[1,1,1]{0.5}, f32[1,1,1]{0}"
        " q_num_heads=1 kv_num_heads=1 update_rule=\"delta\" -> f32[1,1,1]{25}, f32[1,1,1,1]{25}",
        "f32[1,1,1]{1}, f32[1,1,1]{0}, f32[1,1,1]{0}, f32[1,1,1,1]{8}, f32[1,1,1]{-0.6931471805599453} "
        "q_num_heads=1"
        " kv_num_heads=1 update_rule=\"gated\" -> f32[1,1,1]{4}, f32[1,1,1,1]{4} ~1e-6",
        "f16[2,0,8], f16[2,0,4], f16[2,0,6] q_num_heads=4 kv_num_heads=2 update_rule=\"linear\" -> "
        "f16[2,0,12], f16[2,2,2,3]",
        "f32[B,-1,8], f32[B,-1,4], f32[-1,7,6] q_num_heads=4 kv_num_heads=2 update_rule=\"linear\""
        " -> f32[B,7,12], f32[B,2,2,3]",
        "f32[1,2,1], f32[1,2,1], f32[1,2,1] q_num_heads=1 kv_num_heads=1 -> _, _ !! E_INVALID input 'decay' "
        "must be given",
        "f32[1,2,3], f32[1,2,2], f32[1,2,2] q_num_heads=2 kv_num_heads=2 update_rule=\"linear\" -> _, _ !! "
        "E_SHAPE 2 heads",
        "f32[1,2,3], f32[1,2,2], f32[1,2,2] q_num_heads=3 kv_num_heads=2 update_rule=\"linear\" -> _, _"
        " !! E_INVALID is not a multiple"),
};
// SPDX-License-Identifier: Apache-2.0
