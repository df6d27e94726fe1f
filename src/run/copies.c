// copies.c - what planning a node on a device needs beside planning: its inputs must lie there, its constants
// are brought there once, and what an execute function allocates is the device's. Copies themselves are nodes
// of their own, put in by placement (src/compile/place.c).
#include "run/run.h"
#include "base/allocated.h"

static const weft__place *copies_place_of(const weft_exec *x, const weft__seg *s, uint32_t v) {
  if (v < x->fn->n_in + x->fn->n_const)
    return NULL;
  while (v < s->v0)
    s = s->parent;
  return &s->place[v - s->v0];
}

static bool is_const(const weft_exec *x, const weft__seg *s, uint32_t v) {
  if (v >= x->fn->n_in && v < x->fn->n_in + x->fn->n_const)
    return true;
  const weft__place *p = copies_place_of(x, s, v);
  return p && p->kind == WEFT__AT_CONST;
}

static const char *name_of(const weft_exec *x, uint32_t device) {
  return device ? x->program->device[device]->name : "cpu";
}

weft_status weft__device_check(weft_exec *x, const weft__seg *s, uint32_t pos) {
  const weft__fn *f = x->fn;
  const weft_node *n = f->node[pos];
  uint32_t expected = f->copied[pos] ? f->copied[pos] - 1u : f->device[pos];
  if (f->device[pos] && n->n_graphs && !f->region[pos]) {
    return weft_fail(x->d, WEFT_E_UNSUPPORTED, "operators with sub-graphs run on the CPU, not on '%s'",
                     name_of(x, f->device[pos]));
  }
  for (uint32_t i = 0; i < n->desc.pub.n_in; i++) {
    uint32_t v = weft__local(x->program, n->in[i].value);
    const weft__place *p = copies_place_of(x, s, v);
    uint32_t space = p ? p->space : 0;
    if (is_const(x, s, v) || space == expected)
      continue;
    return weft_fail(x->d, WEFT_E_STATE,
                     "input %u ('%s') lies on '%s', the node expects it on '%s': a copy is missing", i,
                     f->value[v]->name, name_of(x, space), name_of(x, expected));
  }
  return WEFT_OK;
}

static weft_status upload(weft_exec *x, weft__seg *s, const weft__launch *l, uint32_t i, const void **out) {
  const weft_tensor *own = x->fn->node[l->node]->in[i].value->fact.value;  // lives as long as the program
  WEFT_TRY(weft__remake_wake(x->program->graph, l->call.in[i], true, x->d));
  return weft__upload_of(x, s, l->device, l->call.in[i], own == l->call.in[i], out);
}

weft_status weft__device_call(weft_exec *x, weft__seg *s, weft__launch *l) {
  const weft_tensor **in = (const weft_tensor **)(uintptr_t)l->call.in;
  const weft_op *op = x->fn->node[l->node]->desc.proto->op;
  if (op->execute && !weft__op_names_device(op, name_of(x, l->device))) {
    return weft_fail(x->d, WEFT_E_UNSUPPORTED,
                     "the execute function of op %s runs on the CPU: its targets do not name '%s'", op->name,
                     name_of(x, l->device));
  }
  for (uint32_t i = 0; i < l->call.n_in; i++) {
    const void *at;
    if (!is_const(x, s, weft__local(x->program, x->fn->node[l->node]->in[i].value)))
      continue;
    weft_tensor *t = WEFT_NEW(&s->mem, weft_tensor);
    WEFT_TRY(weft__allocated(t, x->d));
    WEFT_TRY(upload(x, s, l, i, &at));
    *t = *in[i];
    t->data = (void *)(uintptr_t)at;
    t->owned = 0;
    t->placement = WEFT_ON_DEVICE;
    in[i] = t;
  }
  return WEFT_OK;
}

weft_status weft__device_inputs(weft_exec *x, weft__seg *s, weft__launch *l, const weft_tiling *t) {
  const weft_node *n = x->fn->node[l->node];
  const void **packed = WEFT_NEW_N(&s->mem, const void *, (size_t)l->call.n_in + 1);
  WEFT_TRY(weft__allocated(packed, x->d));
  for (uint32_t i = 0; i < l->call.n_in; i++) {
    uint32_t v = weft__local(x->program, n->in[i].value);
    if (i < WEFT_COUNT(t->pack_bytes) && t->pack_bytes[i]) {
      return weft_fail(x->d, WEFT_E_UNSUPPORTED,
                       "kernel '%s' packs constants, which only kernels of the CPU do", l->kernel->name);
    }
    if (is_const(x, s, v))
      WEFT_TRY(upload(x, s, l, i, &packed[i]));
  }
  l->packed = packed;
  return WEFT_OK;
}
// SPDX-License-Identifier: Apache-2.0
