// ops/control/batch_scan.c - Scan over a batch of sequences of different lengths.   ONNX Scan-8; AscendIR has
// none. Axis 0 of all inputs and outputs is the batch, axis 1 of scan inputs and outputs is time. For each
// item of the batch: body(state..., slice..., input...) -> (state..., element...), sequence_lens[item] times
// (without them: as often as the inputs are long). A direction of 1 goes backwards from the item's last
// slice. Elements past an item's length are 0.
#include "control.h"

enum { NUM_SCAN_INPUTS, DIRECTIONS };
enum { LENS, STATE, SCAN, INPUT };

typedef struct parts {
  uint32_t n_lens, n_state, n_scan, n_input, n_out;  // lens come first, the others follow
} parts;

static parts batch_scan_look(const weft_op_desc *n) {
  return (parts){n->in_port[LENS].count, n->in_port[STATE].count, n->in_port[SCAN].count,
                 n->in_port[INPUT].count, n->out_port[1].count};
}

// Input `in` without its first axes, which are merged into `axes`.
static weft_status item(weft_infer *it, uint32_t in, weft_dim *axes, size_t n, weft_described *out) {
  weft__describe_input(it, in, out);
  out->value = NULL;
  out->format = WEFT_ND;
  if (weft_shape_is_unknown_rank(&out->shape))
    return WEFT_OK;
  if (out->shape.rank < n) {
    return weft_fail(it->d, WEFT_E_SHAPE, "input %u: expected rank %zu or more, got %zu", in, n,
                     (size_t)out->shape.rank);
  }
  for (size_t i = 0; i < n; i++) {
    WEFT_TRY(weft__merge_dim(it, axes[i], out->shape.dim[i],
                             i ? "the lengths of the scan inputs" : "the batch", &axes[i]));
  }
  for (size_t i = n; i < out->shape.rank; i++)
    out->shape.dim[i - n] = out->shape.dim[i];
  out->shape.rank -= (uint32_t)n;
  return WEFT_OK;
}

static weft_status batch_scan_give(weft_infer *it, uint32_t out, const weft_dim *axes, size_t n,
                                   weft_described *e) {
  e->format = WEFT_ND;
  if (!weft_shape_is_unknown_rank(&e->shape)) {
    if (e->shape.rank + n > WEFT_MAX_RANK)
      return weft_fail(it->d, WEFT_E_LIMIT, "output %u: rank over %d", out, WEFT_MAX_RANK);
    for (size_t i = e->shape.rank; i > 0; i--)
      e->shape.dim[i - 1 + n] = e->shape.dim[i - 1];
    memcpy(e->shape.dim, axes, n * sizeof *axes);
    e->shape.rank += (uint32_t)n;
  }
  return weft__give_output(it, out, e);
}

static weft_status infer_parts(weft_infer *it, const parts *p, weft_described *in, weft_described *out) {
  uint32_t n_in = p->n_state + p->n_scan + p->n_input;
  weft_dim axes[2] = {-1, -1};
  if (p->n_lens && !weft_shape_is_unknown_rank(it->in[0])) {
    WEFT_TRY(weft__expect_rank(it, 0, 1, 1));
    axes[0] = it->in[0]->dim[0];
  }
  for (uint32_t i = 0; i < n_in; i++) {
    if (i < p->n_state + p->n_scan)
      WEFT_TRY(item(it, p->n_lens + i, axes, i < p->n_state ? 1 : 2, &in[i]));
    else
      weft__describe_input(it, p->n_lens + i, &in[i]);
  }
  WEFT_TRY(weft__settle_states(it, p->n_state, in, n_in, out, p->n_state + p->n_out));
  for (uint32_t i = 0; i < p->n_state; i++)
    WEFT_TRY(batch_scan_give(it, i, axes, 1, &in[i]));
  for (uint32_t i = 0; i < p->n_out; i++)
    WEFT_TRY(batch_scan_give(it, p->n_state + i, axes, 2, &out[p->n_state + i]));
  return WEFT_OK;
}

static weft_status batch_scan_infer(weft_infer *it) {
  parts p = batch_scan_look(it->desc);
  size_t n_in = (size_t)p.n_state + p.n_scan + p.n_input;
  size_t n = n_in + p.n_state + p.n_out;
  if (weft_node_int(it->desc, NUM_SCAN_INPUTS) != (int64_t)p.n_scan) {
    return weft_fail(it->d, WEFT_E_INVALID, "attribute 'num_scan_inputs': %lld, the node has %u scan inputs",
                     (long long)weft_node_int(it->desc, NUM_SCAN_INPUTS), p.n_scan);
  }
  WEFT_TRY(weft__scan_list(it, DIRECTIONS, p.n_scan, true));
  weft_described *in = weft__described_new(it, n);
  if (!in)
    return WEFT_E_NOMEM;
  weft_status s = infer_parts(it, &p, in, in + n_in);
  weft__described_free(it, in, n);
  return s;
}

typedef struct run {
  const weft_call *c;
  parts p;
  size_t batch, most;  // items, and the length of time
  const weft_tensor **arg;
  weft_tensor **out;
  weft_tensor *state, *slice, *made;
  weft_tensor_list *final, *element;  // of each state and scan output, in order of items
  size_t *length;                     // of each item
} run;

// y = row `at` of x, whose first `skip` axes are counted as one.
static weft_status batch_scan_row(const run *r, const weft_tensor *x, size_t skip, size_t at,
                                  weft_tensor *y) {
  const weft_shape *s = &x->layout.origin;
  if (x->dtype == WEFT_STRING)
    return weft__no_kernel(r->c, x->dtype);
  weft_tensor_deinit(y);
  weft_tensor_init(y, weft__call_allocator(r->c));
  WEFT_TRY(weft_tensor_alloc(y, x->dtype, s->dim + skip, s->rank - skip, r->c->d));
  size_t n = weft__prod(s, skip, s->rank);
  for (size_t i = 0; i < n; i++)
    weft__copy_elem(x->dtype, y->data, i, x->data, at * n + i);
  return WEFT_OK;
}

static weft_status batch_scan_run_turn(run *r, size_t b, size_t turn) {
  const parts *p = &r->p;
  weft_ints back = weft_node_ints(r->c->desc, DIRECTIONS);
  for (uint32_t i = 0; i < p->n_scan; i++) {
    size_t at = i < back.n && back.v[i] ? r->length[b] - 1 - turn : turn;
    WEFT_TRY(batch_scan_row(r, r->c->in[p->n_lens + p->n_state + i], 2, b * r->most + at, &r->slice[i]));
    r->arg[p->n_state + i] = &r->slice[i];
  }
  for (uint32_t i = 0; i < p->n_state + p->n_out; i++)
    r->out[i] = &r->made[i];
  WEFT_TRY(r->c->host->call_graph(r->c, 0, r->arg, r->out));
  for (uint32_t i = 0; i < p->n_state; i++) {
    weft_tensor_deinit(&r->state[i]);
    r->state[i] = r->made[i];
    weft_tensor_init(&r->made[i], weft__call_allocator(r->c));
  }
  for (uint32_t i = 0; i < p->n_out; i++)
    WEFT_TRY(weft__list_take(r->c, &r->element[i], &r->made[p->n_state + i]));
  return WEFT_OK;
}

// Scan output i: the elements in their places, 0 in the others.
static weft_status batch_scan_place(const run *r, uint32_t i) {
  uint32_t out = r->p.n_state + i;
  const weft_tensor_list *l = &r->element[i];
  weft_shape all;
  weft_layout layout;
  if (!r->c->out[out])
    return WEFT_OK;
  weft__fact_shape(weft__call_fact(r->c, out), &all);
  if (!l->n && (weft_shape_is_unknown_rank(&all) || all.rank < 2)) {
    return weft_fail(r->c->d, WEFT_E_UNKNOWN,
                     "output %u: no turn was run, and the shape of an element is not known", out);
  }
  if (l->n && l->v[0].layout.origin.rank + 2 > WEFT_MAX_RANK)
    return weft_fail(r->c->d, WEFT_E_LIMIT, "output %u: rank over %d", out, WEFT_MAX_RANK);
  memset(&layout, 0, sizeof layout);
  layout.origin.rank = l->n ? l->v[0].layout.origin.rank + 2 : all.rank;
  for (size_t k = 2; k < layout.origin.rank; k++)
    layout.origin.dim[k] = l->n ? l->v[0].layout.origin.dim[k - 2] : WEFT_MAX(all.dim[k], 0);
  layout.origin.dim[0] = (weft_dim)r->batch;
  layout.origin.dim[1] = (weft_dim)r->most;
  weft_shape_copy(&layout.storage, &layout.origin);
  weft_dtype t = l->n ? l->v[0].dtype : weft__call_fact(r->c, out)->dtype;
  if (t == WEFT_STRING)
    return weft__no_kernel(r->c, t);
  WEFT_TRY(r->c->host->out_alloc(r->c, out, t, &layout, WEFT_ND));
  weft_tensor *y = r->c->out[out];
  if (y->bytes)
    memset(y->data, 0, y->bytes);
  size_t n = weft__prod(&layout.origin, 2, layout.origin.rank);
  size_t k = 0;
  for (size_t b = 0; b < r->batch; b++) {
    for (size_t turn = 0; turn < r->length[b]; turn++, k++) {
      if (!weft_shape_equal(&l->v[k].layout.origin, &l->v[0].layout.origin) || l->v[k].dtype != t) {
        return weft_fail(r->c->d, WEFT_E_SHAPE,
                         "output %u: the element of turn %zu of item %zu has another shape or dtype", out,
                         turn, b);
      }
      for (size_t e = 0; e < n; e++)
        weft__copy_elem(t, y->data, (b * r->most + turn) * n + e, l->v[k].data, e);
    }
  }
  return WEFT_OK;
}

static weft_status batch_scan_measure(run *r) {
  const weft_call *c = r->c;
  const weft_shape *first = &c->in[r->p.n_lens + r->p.n_state]->layout.origin;
  for (uint32_t i = 0; i < r->p.n_scan + r->p.n_state; i++) {
    const weft_shape *s = &c->in[r->p.n_lens + i]->layout.origin;
    bool scanned = i >= r->p.n_state;
    if (s->rank < 1u + scanned || s->dim[0] != first->dim[0] || (scanned && s->dim[1] != first->dim[1])) {
      return weft_fail(c->d, WEFT_E_SHAPE,
                       "input %u: batch or time differs from those of the first scan input", i);
    }
  }
  r->batch = (size_t)first->dim[0];
  r->most = (size_t)first->dim[1];
  void *space = NULL;
  WEFT_TRY(c->host->workspace(c, (r->batch + 1) * sizeof *r->length, &space));
  r->length = space;
  if (r->p.n_lens && c->in[0]->layout.origin.dim[0] != first->dim[0]) {
    return weft_fail(c->d, WEFT_E_SHAPE, "input 'sequence_lens': %lld lengths for a batch of %zu",
                     (long long)c->in[0]->layout.origin.dim[0], r->batch);
  }
  for (size_t b = 0; b < r->batch; b++) {
    int64_t n = r->p.n_lens ? weft_load_i64(c->in[0]->dtype, c->in[0]->data, b) : (int64_t)r->most;
    if (n < 0 || (uint64_t)n > r->most) {
      return weft_fail(c->d, WEFT_E_RANGE, "input 'sequence_lens': element %zu is %lld, outside [0, %zu]", b,
                       (long long)n, r->most);
    }
    r->length[b] = (size_t)n;
  }
  return WEFT_OK;
}

static weft_status batch_scan_run_all(run *r) {
  const weft_call *c = r->c;
  const parts *p = &r->p;
  WEFT_TRY(batch_scan_measure(r));
  for (uint32_t i = 0; i < p->n_input; i++)
    r->arg[p->n_state + p->n_scan + i] = c->in[p->n_lens + p->n_state + p->n_scan + i];
  for (size_t b = 0; b < r->batch; b++) {
    for (uint32_t i = 0; i < p->n_state; i++) {
      WEFT_TRY(batch_scan_row(r, c->in[p->n_lens + i], 1, b, &r->state[i]));
      r->arg[i] = &r->state[i];
    }
    for (size_t turn = 0; turn < r->length[b]; turn++)
      WEFT_TRY(batch_scan_run_turn(r, b, turn));
    for (uint32_t i = 0; i < p->n_state; i++)
      WEFT_TRY(weft__list_take(c, &r->final[i], &r->state[i]));
  }
  for (uint32_t i = 0; i < p->n_state; i++)
    WEFT_TRY(weft__stack(c, i, &r->final[i], 0, false));
  for (uint32_t i = 0; i < p->n_out; i++)
    WEFT_TRY(batch_scan_place(r, i));
  return WEFT_OK;
}

static weft_status batch_scan_execute(const weft_call *c) {
  run r = {.c = c, .p = batch_scan_look(c->desc)};
  size_t n_out = (size_t)r.p.n_state + r.p.n_out;
  void *space = NULL;
  WEFT_TRY(c->host->workspace(c, (c->n_in + 1) * sizeof *r.arg + n_out * (sizeof *r.out + sizeof *r.final),
                              &space));
  r.arg = space;
  r.out = (weft_tensor **)(r.arg + c->n_in + 1);
  r.final = (weft_tensor_list *)(r.out + n_out);
  r.element = r.final + r.p.n_state;
  memset(r.final, 0, n_out * sizeof *r.final);
  r.state = weft__tensors_new(c, r.p.n_state);
  r.slice = weft__tensors_new(c, r.p.n_scan);
  r.made = weft__tensors_new(c, n_out);
  weft_status s = r.state && r.slice && r.made ? batch_scan_run_all(&r) : WEFT_E_NOMEM;
  for (size_t i = 0; i < n_out; i++)
    weft__list_free(c, &r.final[i]);
  weft__tensors_free(c, r.state, r.p.n_state);
  weft__tensors_free(c, r.slice, r.p.n_scan);
  weft__tensors_free(c, r.made, n_out);
  return s;
}

WEFT_OP(batch_scan) = {
    WEFT_OP_HEAD,
    .name = "BatchScan",
    .summary = "runs a sub-graph over slices of each item of a batch, handing a state on",
    .in = PORTS({"sequence_lens", NULL, WEFT_SET_INDEX, .kind = WEFT_OPTIONAL},
                {"initial_state", NULL, WEFT_ANY, .kind = WEFT_DYNAMIC},
                {"scan_inputs", NULL, WEFT_ANY, .kind = WEFT_DYNAMIC, .min_count = 1},
                {"input", NULL, WEFT_ANY, .kind = WEFT_DYNAMIC, .value = WEFT_VALUE_INFER,
                 .kinds = WEFT_ALL_KINDS}),
    .out = PORTS({"final_state", NULL, WEFT_ANY, .kind = WEFT_DYNAMIC},
                 {"scan_outputs", NULL, WEFT_ANY, .kind = WEFT_DYNAMIC}),
    .attrs = ATTRS({"num_scan_inputs", "Int", NULL, "min 1"}, {"directions", "ListInt", "[]", "each min 0"}),
    .graphs = WEFT_NAMES("body"),
    .traits = WEFT_SYMBOLIC | WEFT_ANY_FORMAT,
    .infer = batch_scan_infer,
    .execute = batch_scan_execute,
    .examples =
        WEFT_EXAMPLES("_, [], [f32[2,3]], [] num_scan_inputs=2 !! E_INVALID num_scan_inputs",
                      "_, [], [f32[2,3]], [] num_scan_inputs=1 directions=[2] !! E_RANGE element 0 is 2"),
};
// SPDX-License-Identifier: Apache-2.0
