// ops/control/loop.c - runs a sub-graph again and again, handing values on.   ONNX Loop-25; AscendIR has
// none. body(turn, cond, v..., input...) -> (cond, v..., scan...). Ends after M turns or when cond is false;
// either may be absent. v_final are the carried values; each scan output is stacked along a new first axis.
#include "control.h"

enum { M, COND, V, INPUT };

typedef struct shape_of {  // of one node
  uint32_t n_v;
  uint32_t n_input;
  uint32_t n_scan;
  uint32_t first_v;
  uint32_t first_input;
} shape_of;

static shape_of loop_look(const weft_op_desc *n) {
  shape_of s = {n->in_port[V].count, n->in_port[INPUT].count, n->out_port[1].count, n->in_port[V].start,
                n->in_port[INPUT].start};
  return s;
}

// Number of turns when it is known: M known, cond absent or known true, and the body's cond known true.
static weft_dim known_turns(const weft_infer *it, const weft_described *body_cond) {
  uint32_t i;
  if (!weft__has_in(it->desc, M, &i) || it->data_state[i] != WEFT_DATA_KNOWN ||
      weft_tensor_elems(it->value[i]) != 1)
    return -1;
  int64_t m = weft_load_i64(it->in_dtype[i], it->value[i]->data, 0);
  if (m <= 0)
    return 0;
  if (weft__has_in(it->desc, COND, &i)) {
    if (it->data_state[i] != WEFT_DATA_KNOWN || weft_tensor_elems(it->value[i]) != 1)
      return -1;
    if (!weft_load_i64(WEFT_BOOL, it->value[i]->data, 0))
      return 0;
  }
  const weft_tensor *v = body_cond->value;
  bool goes_on = v && v->data && weft_tensor_elems(v) == 1 && weft_load_i64(v->dtype, v->data, 0);
  return goes_on ? m : -1;
}

// Carried values: what holds before the first turn and after every one. Each round can only lose knowledge.
static weft_status loop_settle(weft_infer *it, const shape_of *s, weft_described *in, weft_described *out) {
  uint32_t n_in = 2 + s->n_v + s->n_input;
  uint32_t n_out = 1 + s->n_v + s->n_scan;
  for (int round = 0;; round++) {
    bool changed = false;
    WEFT_TRY(it->host->infer_graph(it, 0, in, n_in, out, n_out));
    for (uint32_t i = 0; i < s->n_v; i++) {
      char what[64];
      snprintf(what, sizeof what, "carried value %u before and after a turn", i);
      WEFT_TRY(weft__describe_merge(it, &in[2 + i], &out[1 + i], what, &changed));
    }
    if (!changed)
      return WEFT_OK;
    if (round == 32)
      return weft_fail(it->d, WEFT_E_LIMIT, "the shapes of the carried values do not settle");
  }
}

static weft_status outputs(weft_infer *it, const shape_of *s, const weft_described *in,
                           const weft_described *out) {
  weft_dim turns = known_turns(it, &out[0]);
  for (uint32_t i = 0; i < s->n_v; i++) {
    weft_described last = in[2 + i];
    last.kind = out[1 + i].kind;  // an optional that the body fills comes out as its item
    WEFT_TRY(weft__give_output(it, i, &last));
  }
  for (uint32_t i = 0; i < s->n_scan; i++) {
    const weft_described *e = &out[1 + s->n_v + i];
    weft_described stacked = *e;
    stacked.format = WEFT_ND;
    if (!weft_shape_is_unknown_rank(&e->shape)) {
      if (e->shape.rank == WEFT_MAX_RANK)
        return weft_fail(it->d, WEFT_E_LIMIT, "scan output %u: rank over %d", i, WEFT_MAX_RANK);
      stacked.shape.rank = e->shape.rank + 1;
      stacked.shape.dim[0] = turns;
      for (size_t k = 0; k < e->shape.rank; k++)
        stacked.shape.dim[1 + k] = e->shape.dim[k];
    }
    WEFT_TRY(weft__give_output(it, s->n_v + i, &stacked));
  }
  return WEFT_OK;
}

// The condition that a body sees is true: otherwise it would not run.
static const uint8_t yes = 1;
static const weft_tensor true_cond = {
    .dtype = WEFT_BOOL, .item_dtype = WEFT_UNDEFINED, .origin_format = WEFT_ND, .format = WEFT_ND,
    .data = (void *)(uintptr_t)&yes, .bytes = 1};

static weft_status loop_infer(weft_infer *it) {
  shape_of s = loop_look(it->desc);
  size_t n_in = 2 + (size_t)s.n_v + s.n_input;
  size_t n = n_in + 1 + s.n_v + s.n_scan;
  weft_described *in = weft__described_new(it, n);
  weft_described *out = in + n_in;
  if (!in)
    return WEFT_E_NOMEM;
  weft__describe_scalar(WEFT_INT64, &in[0]);
  weft__describe_scalar(WEFT_BOOL, &in[1]);
  in[1].value = &true_cond;
  for (uint32_t i = 0; i < s.n_v; i++) {
    weft__describe_input(it, s.first_v + i, &in[2 + i]);
    in[2 + i].value = NULL;  // another turn has another value
  }
  for (uint32_t i = 0; i < s.n_input; i++)
    weft__describe_input(it, s.first_input + i, &in[2 + s.n_v + i]);
  weft_status st = loop_settle(it, &s, in, out);
  if (!st)
    st = outputs(it, &s, in, out);
  weft__described_free(it, in, n);
  return st;
}

typedef struct loop {
  const weft_call *c;
  shape_of s;
  const weft_tensor **arg;  // of the body
  weft_tensor *state, *made;  // carried values; outputs of a turn
  weft_tensor **out;
  weft_tensor_list *scan;
  weft_tensor turn, cond;
} loop;

static weft_status loop_run_turn(loop *l, int64_t turn) {
  uint32_t n_out = 1 + l->s.n_v + l->s.n_scan;
  memcpy(l->turn.data, &turn, sizeof turn);
  for (uint32_t i = 0; i < n_out; i++)
    l->out[i] = &l->made[i];
  WEFT_TRY(l->c->host->call_graph(l->c, 0, l->arg, l->out));
  if (weft_tensor_elems(&l->made[0]) != 1 || l->made[0].dtype != WEFT_BOOL) {
    return weft_fail(l->c->d, WEFT_E_SHAPE, "turn %lld: the condition of the body is not a single bool",
                     (long long)turn);
  }
  *(uint8_t *)l->cond.data = *(const uint8_t *)l->made[0].data != 0;
  weft_tensor_deinit(&l->made[0]);
  for (uint32_t i = 0; i < l->s.n_v; i++) {
    weft_tensor_deinit(&l->state[i]);
    l->state[i] = l->made[1 + i];
    weft_tensor_init(&l->made[1 + i], weft__call_allocator(l->c));
    l->arg[2 + i] = &l->state[i];
  }
  for (uint32_t i = 0; i < l->s.n_scan; i++)
    WEFT_TRY(weft__list_take(l->c, &l->scan[i], &l->made[1 + l->s.n_v + i]));
  return WEFT_OK;
}

static weft_status loop_run_all(loop *l) {
  const weft_call *c = l->c;
  uint32_t in;
  int64_t most = INT64_MAX;
  WEFT_TRY(weft_tensor_alloc(&l->turn, WEFT_INT64, NULL, 0, c->d));
  WEFT_TRY(weft_tensor_alloc(&l->cond, WEFT_BOOL, NULL, 0, c->d));
  *(uint8_t *)l->cond.data = 1;
  if (weft__has_in(c->desc, M, &in)) {
    if (weft_tensor_elems(c->in[in]) != 1)
      return weft_fail(c->d, WEFT_E_SHAPE, "input 'M': expected one element");
    most = weft_load_i64(c->in[in]->dtype, c->in[in]->data, 0);
  }
  if (weft__has_in(c->desc, COND, &in)) {
    if (weft_tensor_elems(c->in[in]) != 1)
      return weft_fail(c->d, WEFT_E_SHAPE, "input 'cond': expected one element");
    *(uint8_t *)l->cond.data = *(const uint8_t *)c->in[in]->data != 0;
  }
  l->arg[0] = &l->turn;
  l->arg[1] = &l->cond;
  for (uint32_t i = 0; i < l->s.n_v; i++)
    l->arg[2 + i] = c->in[l->s.first_v + i];
  for (uint32_t i = 0; i < l->s.n_input; i++)
    l->arg[2 + l->s.n_v + i] = c->in[l->s.first_input + i];
  int64_t turn = 0;
  for (; turn < most && *(const uint8_t *)l->cond.data; turn++)
    WEFT_TRY(loop_run_turn(l, turn));
  for (uint32_t i = 0; i < l->s.n_v; i++) {
    if (!c->out[i])
      continue;
    if (!turn) {
      const weft_tensor *v = c->in[l->s.first_v + i];
      if (v->kind != weft__call_fact(c, i)->kind && v->n_items == 1)
        v = v->items[0];
      WEFT_TRY(weft_tensor_copy(c->out[i], v, c->d));
    } else {
      *c->out[i] = l->state[i];
      weft_tensor_init(&l->state[i], weft__call_allocator(c));
    }
  }
  for (uint32_t i = 0; i < l->s.n_scan; i++)
    WEFT_TRY(weft__stack(c, l->s.n_v + i, &l->scan[i], 0, false));
  return WEFT_OK;
}

static weft_status loop_execute(const weft_call *c) {
  loop l = {.c = c, .s = loop_look(c->desc)};
  size_t n_out = 1 + (size_t)l.s.n_v + l.s.n_scan;
  size_t n_arg = 2 + (size_t)l.s.n_v + l.s.n_input;
  void *space = NULL;
  weft_tensor_init(&l.turn, weft__call_allocator(c));
  weft_tensor_init(&l.cond, weft__call_allocator(c));
  WEFT_TRY(c->host->workspace(c, n_arg * sizeof *l.arg + n_out * sizeof *l.out + l.s.n_scan * sizeof *l.scan,
                              &space));
  l.arg = space;
  l.out = (weft_tensor **)(l.arg + n_arg);
  l.scan = (weft_tensor_list *)(l.out + n_out);
  l.state = weft__tensors_new(c, l.s.n_v);
  l.made = weft__tensors_new(c, n_out);
  weft_status s = l.state && l.made ? loop_run_all(&l) : WEFT_E_NOMEM;
  for (uint32_t i = 0; i < l.s.n_scan; i++) {
    for (size_t k = 0; k < l.scan[i].n; k++)
      weft_tensor_deinit(&l.scan[i].v[k]);
    if (l.scan[i].v)
      weft__free(weft__call_allocator(c), l.scan[i].v, (l.scan[i].cap + 1) * sizeof(weft_tensor), 16);
  }
  weft__tensors_free(c, l.state, l.s.n_v);
  weft__tensors_free(c, l.made, n_out);
  weft_tensor_deinit(&l.turn);
  weft_tensor_deinit(&l.cond);
  return s;
}

WEFT_OP(loop) = {
    WEFT_OP_HEAD,
    .name = "Loop",
    .summary = "runs a sub-graph in turns, handing values on",
    .in = PORTS({"M", NULL, WEFT_DT(INT64), .kind = WEFT_OPTIONAL, .value = WEFT_VALUE_INFER},
                {"cond", NULL, WEFT_DT(BOOL), .kind = WEFT_OPTIONAL, .value = WEFT_VALUE_INFER},
                {"v_initial", NULL, WEFT_ANY, .kind = WEFT_DYNAMIC, .kinds = WEFT_ALL_KINDS},
                {"input", NULL, WEFT_ANY, .kind = WEFT_DYNAMIC, .value = WEFT_VALUE_INFER,
                 .kinds = WEFT_ALL_KINDS}),
    .out = PORTS({"v_final", NULL, WEFT_ANY, .kind = WEFT_DYNAMIC, .kinds = WEFT_ALL_KINDS},
                 {"scan_outputs", NULL, WEFT_ANY, .kind = WEFT_DYNAMIC}),
    .graphs = WEFT_NAMES("body"),
    .traits = WEFT_SYMBOLIC | WEFT_ANY_FORMAT,
    .infer = loop_infer,
    .execute = loop_execute,
    .examples = WEFT_EXAMPLES("f32[1]{1}, _, [], [] !! E_DTYPE input 'M'"),
};
// SPDX-License-Identifier: Apache-2.0
