// infer_node.c - inference of one node, the only path to an inference function. In order: inputs are laid
// out, dtypes checked against symbols and columns (inferring_inputs.c); the operator's functions run on unset
// outputs; what they left open is filled by rule (inferring_types.c), ranges are found (inferring_ranges.c);
// every output is checked. Costs: one copy of the live dims per value, no allocation, no look-up by name.
#include "op/inferring.h"

#define POISON INT64_C(0x5A5A5A5A5A5A5A5A)

const char *weft__in_name(const weft_op_desc *n, uint32_t i) {
  const char *port = (const char *)n->op->in;
  for (uint32_t k = 0; k < n->n_in_ports; k++, port += n->op->port_bytes) {
    if (i - n->in_port[k].start < n->in_port[k].count)
      return ((const weft_port *)port)->name;
  }
  return "?";
}

const char *weft__attr_name(const weft_op_desc *n, uint32_t slot) {
  return slot < n->n_attr
             ? ((const weft_attr_decl *)((const char *)n->op->attrs + (size_t)slot * n->op->attr_bytes))->name
             : "?";
}

static void unset_outputs(weft__inferring *r) {
  weft_frame *f = r->f;
  for (uint32_t i = 0; i < r->desc->n_out; i++) {
    f->out_store[i].rank = WEFT_RANK_UNSET;
#ifdef WEFT_CHECKED
    for (int k = 0; k < WEFT_MAX_RANK; k++)
      f->out_store[i].dim[k] = POISON;
#endif
    f->out_dtype[i] = WEFT_UNDEFINED;
    f->out_kind[i] = WEFT_KIND_TENSOR;
    f->out_format[i] = f->out_origin_format[i] = WEFT_FORMAT_RESERVED;
    f->out_elems_n[i] = -1;
    memset(&f->facts[i], 0, sizeof f->facts[i]);
  }
}

static uint64_t hash_inputs(const weft__inferring *r) {
#ifdef WEFT_CHECKED
  uint64_t h = 0;
  for (uint32_t i = 0; i < r->desc->n_in; i++) {
    const weft_shape *s = r->f->in[i];
    h = h * 31 + weft__hash(s->dim, WEFT_MIN(s->rank, (size_t)WEFT_MAX_RANK) * sizeof *s->dim) + s->rank;
  }
  return h;
#else
  (void)r;
  return 0;
#endif
}

// A function that failed and could not see a small integer value that is known: the prototype forgot to
// declare it (R123).
static void note_hidden_values(weft__inferring *r) {
  if (r->p->source == WEFT_FROM_BUILTIN)
    return;
  for (uint32_t i = 0; i < r->desc->n_in; i++) {
    const weft_tensor *v = r->in[i]->value;
    if (!v || r->f->data_state[i] != WEFT_DATA_NOT_DECLARED ||
        (v->dtype != WEFT_INT32 && v->dtype != WEFT_INT64) || v->layout.origin.rank > 1)
      continue;
    weft_note(
        r->d,
        "input %u ('%s') has no data (ValueDepend not declared): the function cannot see its known value", i,
        weft__in_name(r->desc, i));
  }
}

weft_status weft__inferring_call(weft__inferring *r, weft_infer_fn fn, const char *what) {
  uint64_t before = hash_inputs(r);
  weft_status s = fn(&r->it);
  if (s && r->d && !r->d->status)
    weft_fail(r->d, s, "%s returned %d (%s) without a message", what, (int)s, weft_status_name(s));
  if (s)
    note_hidden_values(r);
  if (!s && hash_inputs(r) != before)
    s = weft_fail(r->d, WEFT_E_STATE, "%s changed an input shape, which is read-only", what);
  return s;
}

const weft_port *weft__inferring_port(const weft__inferring *r, uint32_t i, uint32_t *out_port,
                                      uint32_t *out_rel) {
  uint32_t port = 0;
  if (r->p->simple) {
    port = i;
    *out_rel = 0;
  } else {
    while (i - r->desc->out_port[port].start >= r->desc->out_port[port].count)
      port++;
    *out_rel = i - r->desc->out_port[port].start;
  }
  *out_port = port;
  return &r->p->out[port];
}

weft_status weft__inferring_check(weft__inferring *r, uint32_t i, const weft_shape *s, const char *what) {
  uint32_t port;
  uint32_t rel;
  if (s->rank == WEFT_RANK_UNSET) {
    return weft_fail(r->d, WEFT_E_UNSET, "output %u shape not set%s: the function of '%s' did not set '%s'",
                     i, what, r->p->name, weft__inferring_port(r, i, &port, &rel)->name);
  }
  if (s->rank > WEFT_MAX_RANK) {
    return weft_fail(r->d, WEFT_E_LIMIT, "output %u%s: rank %zu is over the limit of %d", i, what, s->rank,
                     WEFT_MAX_RANK);
  }
  if (weft_shape_is_unknown_rank(s))
    return WEFT_OK;
  for (size_t k = 0; k < s->rank; k++) {
    if (s->dim[k] == POISON) {
      return weft_fail(r->d, WEFT_E_UNSET, "output %u%s: dim %zu was never written (rank set, dim not)", i,
                       what, k);
    }
    if (s->dim[k] < -1 && !weft_dim_is_symbol(s->dim[k]))
      return weft_fail(r->d, WEFT_E_SHAPE, "output %u%s: dim %zu is %lld", i, what, k, (long long)s->dim[k]);
    if (s->dim[k] > WEFT_DIM_MOST) {
      return weft_fail(r->d, WEFT_E_LIMIT, "output %u%s: dim %zu is %lld, over the limit of 2^52", i, what, k,
                       (long long)s->dim[k]);
    }
  }
  return WEFT_OK;
}

weft_status weft__inferring_shapes(weft__inferring *r) {
  const weft_op *op = r->p->op;
  if (op->infer)
    return weft__inferring_call(r, op->infer, "the inference function");
  for (uint32_t i = 0; i < r->desc->n_out; i++) {
    uint32_t port;
    uint32_t rel;
    const weft_port *decl = weft__inferring_port(r, i, &port, &rel);
    int from = r->p->follow_shape[port];
    int64_t in = from < 0 ? -1 : weft_port_in(r->desc, (uint32_t)from, 0);
    if (from >= 0 && in < 0) {
      return weft_fail(r->d, WEFT_E_MISSING, "output '%s' follows the shape of '%s', which is absent",
                       decl->name, decl->follow);
    }
    if (in < 0) {
      const char *why = weft__proto_refusal(r->p);
      return weft_fail(r->d, WEFT_E_INCOMPLETE, "operator '%s' has no inference function%s%s", r->p->name,
                       why && *why ? ": " : "", why ? why : "");
    }
    weft_shape_copy(r->f->out[i], r->f->in[in]);
  }
  return WEFT_OK;
}

static weft_status infer_values(weft__inferring *r) {
  weft_frame *f = r->f;
  WEFT_TRY(weft__inferring_call(r, r->p->op->infer_value, "the value function"));
  for (uint32_t i = 0; i < r->desc->n_out; i++) {
    int64_t n = f->out_elems_n[i];
    if (n < 0)
      continue;
    if (n > WEFT_FRAME_ELEMS)
      return weft_fail(r->d, WEFT_E_LIMIT, "output %u: %lld value elements", i, (long long)n);
    f->facts[i].elems = f->out_elems[i];
    f->facts[i].n_elems = (uint32_t)n;
  }
  return WEFT_OK;
}

static weft_status infer_node_infer(weft__inferring *r) {
  weft_frame *f = r->f;
  const weft_op *op = r->p->op;
  WEFT_TRY(weft__inferring_inputs(r));
  unset_outputs(r);
  if (op->infer_dtype)
    WEFT_TRY(weft__inferring_call(r, op->infer_dtype, "the dtype function"));
  if (!op->infer) {
    for (uint32_t i = 0; i < r->desc->n_out; i++)
      WEFT_TRY(weft__inferring_dtype(r, i));
  }
  WEFT_TRY(weft__inferring_shapes(r));
  for (uint32_t i = 0; i < r->desc->n_out; i++) {
    WEFT_TRY(weft__inferring_check(r, i, f->out[i], ""));
    if (op->infer)
      WEFT_TRY(weft__inferring_dtype(r, i));
    WEFT_TRY(weft__inferring_kind(r, i));
    WEFT_TRY(weft__inferring_format(r, i));
  }
  bool ranges;
  WEFT_TRY(weft__inferring_ranges(r, &ranges));
  for (uint32_t i = 0; i < r->desc->n_out; i++) {
    weft_fact *fact = &f->facts[i];
    fact->unknown_rank = weft_shape_is_unknown_rank(f->out[i]);
    if (ranges)
      weft__inferring_range_of(r, i);
    fact->dtype = f->out_dtype[i];
    fact->kind = f->out_kind[i];
    fact->set = true;
    fact->item_dtype = fact->kind == WEFT_KIND_TENSOR ? (uint8_t)WEFT_UNDEFINED : fact->dtype;
    fact->rank = fact->unknown_rank ? 0 : (uint8_t)f->out[i]->rank;
    fact->dims = f->out[i]->dim;
    fact->format = f->out_format[i];
    fact->origin_format = f->out_origin_format[i];
  }
  return op->infer_value ? infer_values(r) : WEFT_OK;
}

weft_status weft__infer_node(weft_frame *f, const weft_proto *p, const weft_op_desc *desc,
                             const weft_fact *const *in, uint32_t stage, weft_diag *d) {
  weft_diag own;
  if (!d) {
    own.status = 0;
    own.length = 0;
    d = &own;
  }
  weft__inferring r;
  r.f = f;
  r.p = p;
  r.desc = desc;
  r.in = in;
  r.d = d;
  weft_status s = WEFT_OK;
  if ((desc->n_in > f->cap_in || desc->n_out > f->cap_out || !f->cap_out) &&
      !weft__frame_room(f, desc->n_in, desc->n_out))
    s = weft_fail(d, WEFT_E_NOMEM, "out of memory");
  if (!s) {
    r.it = (weft_infer){.size = sizeof r.it,
                        .n_in = desc->n_in,
                        .n_out = desc->n_out,
                        .stage = stage,
                        .desc = desc,
                        .host = &f->env->host,
                        .d = d,
                        .symbols = p->op->traits & WEFT_SYMBOLIC ? f->symbols : NULL,
                        .in = f->in,
                        .out = f->out,
                        .in_dtype = f->in_dtype,
                        .out_dtype = f->out_dtype,
                        .in_format = f->in_format,
                        .out_format = f->out_format,
                        .out_origin_format = f->out_origin_format,
                        .value = f->value,
                        .data_state = f->data_state,
                        .in_dims = f->in_dims,
                        .out_dims = f->out_elems,
                        .out_dims_n = f->out_elems_n,
                        .out_dims_cap = WEFT_FRAME_ELEMS,
                        .in_kind = f->in_kind,
                        .out_kind = f->out_kind,
                        .impl = f};
    s = infer_node_infer(&r);
  }
  if (s)
    weft_note(d, "while inferring node '%s' (%s)", desc->name, desc->type);
  return s;
}
// SPDX-License-Identifier: Apache-2.0
