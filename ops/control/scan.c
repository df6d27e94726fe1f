// ops/control/scan.c - runs a sub-graph over slices of its inputs, handing a state on.   ONNX Scan-25;
// AscendIR has none. body(state..., slice..., input...) -> (state..., element...). Slices come along
// scan_input_axes (0), elements are stacked along scan_output_axes (0); a direction of 1 goes backwards.
#include "control.h"

enum { NUM_SCAN_INPUTS, INPUT_AXES, INPUT_DIRECTIONS, OUTPUT_AXES, OUTPUT_DIRECTIONS };
enum { STATE, SCAN, INPUT };

typedef struct shape_of {
  uint32_t n_state, n_scan, n_input, n_out;
} shape_of;

static shape_of scan_look(const weft_op_desc *n) {
  shape_of s = {n->in_port[STATE].count, n->in_port[SCAN].count, n->in_port[INPUT].count,
                n->out_port[1].count};
  return s;
}

static int64_t scan_at(const weft_op_desc *n, uint32_t slot, size_t i) {
  weft_ints v = weft_node_ints(n, slot);
  return i < v.n ? v.v[i] : 0;
}

static weft_status scan_slice(weft_infer *it, uint32_t in, int64_t axis, weft_dim *turns,
                              weft_described *out) {
  weft__describe_input(it, in, out);
  out->value = NULL;
  if (weft_shape_is_unknown_rank(&out->shape))
    return WEFT_OK;
  size_t a;
  WEFT_TRY(weft__axis(it->d, "attribute 'scan_input_axes'", axis, out->shape.rank, &a));
  WEFT_TRY(weft__merge_dim(it, *turns, out->shape.dim[a], "the lengths of the scan inputs", turns));
  for (size_t i = a; i + 1 < out->shape.rank; i++)
    out->shape.dim[i] = out->shape.dim[i + 1];
  out->shape.rank--;
  return WEFT_OK;
}

static weft_status stacked(weft_infer *it, uint32_t i, const shape_of *s, weft_dim turns, weft_described *e) {
  e->format = WEFT_ND;
  if (!weft_shape_is_unknown_rank(&e->shape)) {
    size_t a;
    if (e->shape.rank == WEFT_MAX_RANK)
      return weft_fail(it->d, WEFT_E_LIMIT, "scan output %u: rank over %d", i, WEFT_MAX_RANK);
    WEFT_TRY(weft__axis(it->d, "attribute 'scan_output_axes'", scan_at(it->desc, OUTPUT_AXES, i),
                        e->shape.rank + 1, &a));
    for (size_t k = e->shape.rank++; k > a; k--)
      e->shape.dim[k] = e->shape.dim[k - 1];
    e->shape.dim[a] = turns;
  }
  return weft__give_output(it, s->n_state + i, e);
}

static weft_status scan_infer(weft_infer *it) {
  shape_of s = scan_look(it->desc);
  size_t n_in = (size_t)s.n_state + s.n_scan + s.n_input;
  size_t n = n_in + s.n_state + s.n_out;
  if (weft_node_int(it->desc, NUM_SCAN_INPUTS) != (int64_t)s.n_scan) {
    return weft_fail(it->d, WEFT_E_INVALID, "attribute 'num_scan_inputs': %lld, the node has %u scan inputs",
                     (long long)weft_node_int(it->desc, NUM_SCAN_INPUTS), s.n_scan);
  }
  WEFT_TRY(weft__scan_list(it, INPUT_AXES, s.n_scan, false));
  WEFT_TRY(weft__scan_list(it, INPUT_DIRECTIONS, s.n_scan, true));
  WEFT_TRY(weft__scan_list(it, OUTPUT_AXES, s.n_out, false));
  WEFT_TRY(weft__scan_list(it, OUTPUT_DIRECTIONS, s.n_out, true));
  weft_described *in = weft__described_new(it, n);
  weft_described *out = in + n_in;
  if (!in)
    return WEFT_E_NOMEM;
  weft_dim turns = -1;
  weft_status st = WEFT_OK;
  for (uint32_t i = 0; i < n_in && !st; i++) {
    if (i >= s.n_state && i < s.n_state + s.n_scan) {
      st = scan_slice(it, i, scan_at(it->desc, INPUT_AXES, i - s.n_state), &turns, &in[i]);
    } else {
      weft__describe_input(it, i, &in[i]);
      if (i < s.n_state)
        in[i].value = NULL;
    }
  }
  if (!st)
    st = weft__settle_states(it, s.n_state, in, (uint32_t)n_in, out, s.n_state + s.n_out);
  for (uint32_t i = 0; i < s.n_state && !st; i++)
    st = weft__give_output(it, i, &in[i]);
  for (uint32_t i = 0; i < s.n_out && !st; i++)
    st = stacked(it, i, &s, turns, &out[s.n_state + i]);
  weft__described_free(it, in, n);
  return st;
}

typedef struct run {
  const weft_call *c;
  shape_of s;
  const weft_tensor **arg;
  weft_tensor **out;
  weft_tensor *state, *slice, *made;
  weft_tensor_list *stack;
} run;

static weft_status scan_cut(run *r, uint32_t i, size_t turn, size_t turns) {
  const weft_tensor *x = r->c->in[r->s.n_state + i];
  const weft_shape *s = &x->layout.origin;
  weft_tensor *y = &r->slice[i];
  size_t a;
  WEFT_TRY(
      weft__axis(r->c->d, "attribute 'scan_input_axes'", scan_at(r->c->desc, INPUT_AXES, i), s->rank, &a));
  if ((size_t)s->dim[a] != turns) {
    return weft_fail(r->c->d, WEFT_E_SHAPE, "scan input %u has %lld slices, another one %zu", i,
                     (long long)s->dim[a], turns);
  }
  weft_dim dims[WEFT_MAX_RANK];
  for (size_t k = 0, n = 0; k < s->rank; k++) {
    if (k != a)
      dims[n++] = s->dim[k];
  }
  if (x->dtype == WEFT_STRING)
    return weft__no_kernel(r->c, x->dtype);
  weft_tensor_deinit(y);
  weft_tensor_init(y, weft__call_allocator(r->c));
  WEFT_TRY(weft_tensor_alloc(y, x->dtype, dims, s->rank - 1, r->c->d));
  size_t from = scan_at(r->c->desc, INPUT_DIRECTIONS, i) ? turns - 1 - turn : turn;
  size_t outer = weft__prod(s, 0, a);
  size_t inner = weft__prod(s, a + 1, s->rank);
  for (size_t o = 0; inner && o < outer; o++) {
    for (size_t k = 0; k < inner; k++)
      weft__copy_elem(x->dtype, y->data, o * inner + k, x->data, (o * turns + from) * inner + k);
  }
  r->arg[r->s.n_state + i] = y;
  return WEFT_OK;
}

static weft_status scan_run_turn(run *r, size_t turn, size_t turns) {
  for (uint32_t i = 0; i < r->s.n_scan; i++)
    WEFT_TRY(scan_cut(r, i, turn, turns));
  for (uint32_t i = 0; i < r->s.n_state + r->s.n_out; i++)
    r->out[i] = &r->made[i];
  WEFT_TRY(r->c->host->call_graph(r->c, 0, r->arg, r->out));
  for (uint32_t i = 0; i < r->s.n_state; i++) {
    weft_tensor_deinit(&r->state[i]);
    r->state[i] = r->made[i];
    weft_tensor_init(&r->made[i], weft__call_allocator(r->c));
    r->arg[i] = &r->state[i];
  }
  for (uint32_t i = 0; i < r->s.n_out; i++)
    WEFT_TRY(weft__list_take(r->c, &r->stack[i], &r->made[r->s.n_state + i]));
  return WEFT_OK;
}

static weft_status scan_run_all(run *r) {
  const weft_call *c = r->c;
  const weft_shape *first = &c->in[r->s.n_state]->layout.origin;
  size_t a;
  WEFT_TRY(weft__axis(c->d, "attribute 'scan_input_axes'", scan_at(c->desc, INPUT_AXES, 0), first->rank, &a));
  size_t turns = (size_t)first->dim[a];
  for (uint32_t i = 0; i < c->n_in; i++)
    r->arg[i] = c->in[i];
  for (size_t turn = 0; turn < turns; turn++)
    WEFT_TRY(scan_run_turn(r, turn, turns));
  for (uint32_t i = 0; i < r->s.n_state; i++) {
    if (!c->out[i])
      continue;
    if (!turns)
      WEFT_TRY(weft_tensor_copy(c->out[i], c->in[i], c->d));
    else {
      *c->out[i] = r->state[i];
      weft_tensor_init(&r->state[i], weft__call_allocator(c));
    }
  }
  for (uint32_t i = 0; i < r->s.n_out; i++) {
    WEFT_TRY(weft__stack(c, r->s.n_state + i, &r->stack[i], scan_at(c->desc, OUTPUT_AXES, i),
                         scan_at(c->desc, OUTPUT_DIRECTIONS, i) != 0));
  }
  return WEFT_OK;
}

static weft_status scan_execute(const weft_call *c) {
  run r = {.c = c, .s = scan_look(c->desc)};
  size_t n_out = (size_t)r.s.n_state + r.s.n_out;
  void *space = NULL;
  WEFT_TRY(c->host->workspace(
      c, c->n_in * sizeof *r.arg + n_out * sizeof *r.out + r.s.n_out * sizeof *r.stack, &space));
  r.arg = space;
  r.out = (weft_tensor **)(r.arg + c->n_in);
  r.stack = (weft_tensor_list *)(r.out + n_out);
  r.state = weft__tensors_new(c, r.s.n_state);
  r.slice = weft__tensors_new(c, r.s.n_scan);
  r.made = weft__tensors_new(c, n_out);
  weft_status s = r.state && r.slice && r.made ? scan_run_all(&r) : WEFT_E_NOMEM;
  for (uint32_t i = 0; i < r.s.n_out; i++)
    weft__list_free(c, &r.stack[i]);
  weft__tensors_free(c, r.state, r.s.n_state);
  weft__tensors_free(c, r.slice, r.s.n_scan);
  weft__tensors_free(c, r.made, n_out);
  return s;
}

WEFT_OP(scan) = {
    WEFT_OP_HEAD,
    .name = "Scan",
    .summary = "runs a sub-graph over slices, handing a state on",
    .in = PORTS({"initial_state", NULL, WEFT_ANY, .kind = WEFT_DYNAMIC},
                {"scan_inputs", NULL, WEFT_ANY, .kind = WEFT_DYNAMIC, .min_count = 1},
                {"input", NULL, WEFT_ANY, .kind = WEFT_DYNAMIC, .value = WEFT_VALUE_INFER,
                 .kinds = WEFT_ALL_KINDS}),
    .out = PORTS({"final_state", NULL, WEFT_ANY, .kind = WEFT_DYNAMIC},
                 {"scan_outputs", NULL, WEFT_ANY, .kind = WEFT_DYNAMIC}),
    .attrs = ATTRS({"num_scan_inputs", "Int", NULL, "min 1"}, {"scan_input_axes", "ListInt", "[]"},
                   {"scan_input_directions", "ListInt", "[]", "each min 0"},
                   {"scan_output_axes", "ListInt", "[]"},
                   {"scan_output_directions", "ListInt", "[]", "each min 0"}),
    .graphs = WEFT_NAMES("body"),
    .traits = WEFT_SYMBOLIC | WEFT_ANY_FORMAT,
    .infer = scan_infer,
    .execute = scan_execute,
    .examples = WEFT_EXAMPLES(
        "[], [f32[2]], [] num_scan_inputs=2 !! E_INVALID num_scan_inputs",
        "[], [f32[2]], [] num_scan_inputs=1 scan_input_directions=[5] !! E_RANGE element 0 is 5",
        "[], [f32[2]], [] num_scan_inputs=1 scan_input_directions=[0,1] !! E_INVALID 2 elements",
        "[], [f32[2]], [] num_scan_inputs=1 scan_input_axes=[0,0] !! E_INVALID 2 elements"),
};
// SPDX-License-Identifier: Apache-2.0
