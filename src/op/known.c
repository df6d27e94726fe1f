// known.c - small values that are known before anything runs: shape arithmetic and constants. Shared by
// inference over graphs and by the executor when it plans for a new shape.
#include "op/proto.h"
#include "base/allocated.h"
#include "op/infer_node.h"

// Inputs known, and few elements; the operator gives the same result whenever it is asked.
static bool inputs_known(const weft__value_finder *k, const weft_proto *p, const weft_op_desc *desc,
                         const weft_tensor *const *in) {
  if ((p->op->traits & (WEFT_SIDE_EFFECT | WEFT_RANDOM)) || p->n_graphs)
    return false;
  for (uint32_t i = 0; i < desc->n_in; i++) {
    if (!in[i] || in[i]->kind != WEFT_KIND_TENSOR || (in[i]->bytes && !in[i]->data) ||
        weft_tensor_elems(in[i]) > (int64_t)64 * k->max_elems)
      return false;
  }
  return true;
}

static bool outputs_small(const weft__value_finder *k, const weft_op_desc *desc, const weft_fact *facts) {
  for (uint32_t i = 0; i < desc->n_out; i++) {
    const weft_fact *f = &facts[i];
    int64_t elems = 1;
    if (!weft__fact_known(f) || f->kind != WEFT_KIND_TENSOR ||
        (f->format > WEFT_ND && f->format != f->origin_format))
      return false;
    for (uint32_t j = 0; j < f->rank; j++) {
      if (!weft__mul_i64(elems, f->dims[j], &elems) || elems > k->max_elems)
        return false;
    }
  }
  return true;
}

// An operator of weft's own whose output shape only its data tell: NonZero of a constant. Tensors in, tensors
// out.
static bool can_execute(const weft_proto *p, const weft_op_desc *desc, const weft_fact *facts) {
  if (p->source != WEFT_FROM_BUILTIN || !(p->op->traits & WEFT_DATA_DEPENDENT))
    return false;
  for (uint32_t i = 0; i < desc->n_out; i++) {
    if (facts[i].kind != WEFT_KIND_TENSOR || facts[i].dtype == WEFT_UNDEFINED)
      return false;
  }
  return true;
}

// Bytes that evaluating the next value may take, strings too: a few texts that are joined with themselves
// again and again would fill any memory.
static uint64_t bytes_left(const weft__value_finder *k) {
  enum { TOTAL = 64 << 20, EACH = 16 << 20, LEAST = 16 << 10 };
  uint64_t left = *k->known_bytes < TOTAL ? TOTAL - *k->known_bytes : 0;
  return WEFT_MAX(WEFT_MIN(left, EACH), LEAST);
}

// *out_known false: it would take too much memory, and is not known.
static weft_status call_bounded(weft__value_finder *k, const weft__node_call *n, bool *out_known,
                                weft_diag *d) {
  weft__budget *b = k->budget;
  weft_diag own;
  own.status = 0;
  own.length = 0;
  uint64_t live = weft__budget_live(b);
  const weft_limits most = {.size = sizeof most, .memory_limit_bytes = live + bytes_left(k)};
  const weft_call_options o = {.alloc = &b->self, .budget = b};
  weft__node_call bounded = *n;
  bounded.options = &o;
  weft__allowance before = weft__budget_begin(b, &most, NULL);
  weft_status s = weft__call_node(k->env, &bounded, &own);
  bool refused = s == WEFT_E_NOMEM && atomic_exchange(&b->refused_bytes, 0);
  s = weft__budget_end(b, &before, s, &own);
  *out_known = !s;
  if (refused) {
    for (uint32_t i = 0; i < n->desc->n_out; i++)
      weft_tensor_deinit(n->out[i]);
    return WEFT_OK;
  }
  if (s)
    return weft_fail(d, s, "%s", own.text);
  uint64_t now = weft__budget_live(b);
  *k->known_bytes += now > live ? now - live : 0;
  return WEFT_OK;
}

static weft_status evaluate(weft__value_finder *k, const weft_proto *p, const weft_op_desc *desc,
                            const weft_tensor *const *in, weft_fact *facts, weft_tensor **outs,
                            weft_diag *d) {
  for (uint32_t i = 0; i < desc->n_out; i++) {
    outs[i] = k->make(k->ctx);
    WEFT_TRY(weft__allocated(outs[i], d));
  }
  bool known = true;
  const weft__node_call n = {.proto = p, .desc = desc, .in = in, .facts = facts, .out = outs};
  WEFT_TRY(k->budget ? call_bounded(k, &n, &known, d) : weft__call_node(k->env, &n, d));
  if (!known)
    return WEFT_OK;
  for (uint32_t i = 0; i < desc->n_out; i++) {
    weft_fact *f = &facts[i];
    f->value = outs[i];
    if (weft__fact_known(f))
      continue;
    f->set = true;
    f->unknown_rank = false;
    f->rank = (uint8_t)outs[i]->layout.origin.rank;
    f->dims = outs[i]->layout.origin.dim;
    f->min = f->max = NULL;
  }
  k->n_found += desc->n_out;
  return WEFT_OK;
}

// Elements that are all known become a tensor, so that the nodes after it can be evaluated: Shape of a static
// tensor.
static weft_status materialise(weft__value_finder *k, const weft_op_desc *desc, weft_fact *facts,
                               weft_diag *d) {
  for (uint32_t i = 0; i < desc->n_out; i++) {
    weft_fact *f = &facts[i];
    int64_t elems = 1;
    bool known = f->elems && !f->value && weft__fact_known(f);
    known &= weft_dtype_is_integer(f->dtype) || f->dtype == WEFT_BOOL;
    for (uint32_t j = 0; known && j < f->rank; j++)
      known = weft__mul_i64(elems, f->dims[j], &elems);
    known = known && elems == f->n_elems;
    for (uint32_t j = 0; known && j < f->n_elems; j++)
      known = f->elems[j] > WEFT_DIM_SYMBOL_LIMIT;
    if (!known)
      continue;
    weft_tensor *t = k->make(k->ctx);
    WEFT_TRY(weft__allocated(t, d));
    WEFT_TRY(weft_tensor_alloc(t, f->dtype, f->dims, f->rank, d));
    for (uint32_t j = 0; j < f->n_elems; j++)
      weft_store_i64(f->dtype, t->data, j, f->elems[j]);
    f->value = t;
    k->n_found++;
  }
  return WEFT_OK;
}

weft_status weft__known_outputs(weft__value_finder *k, const weft_proto *p, const weft_op_desc *desc,
                                const weft_tensor *const *in, weft_fact *facts, weft_tensor **outs,
                                weft_diag *d) {
  bool execute = p->op->execute != NULL;
  if ((execute || p->op->ref) && inputs_known(k, p, desc, in) &&
      (execute ? can_execute(p, desc, facts) : outputs_small(k, desc, facts)))
    return evaluate(k, p, desc, in, facts, outs, d);
  return materialise(k, desc, facts, d);
}
// SPDX-License-Identifier: Apache-2.0
