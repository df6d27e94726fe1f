// compose.c - a composed operator's primitives as a graph, and what follows from it: inference is inference
// of that graph, the reference runs it with reference kernels.
#include "compose/compose.h"

#include "base/allocated.h"
#include "interp/interp.h"
#include "op/infer_node.h"

bool weft__is_composed(const weft_op *op) {
  return op->infer == weft__composed_infer;
}

// ---- the graph ----
static weft_status compose_input(weft_graph *g, uint32_t i, const weft_fact *f, weft_value **out,
                                 weft_diag *d) {
  weft_tensor_desc desc;
  char name[32];
  weft_desc_init(&desc);
  desc.dtype = f->dtype;
  desc.kind = f->kind;
  weft_shape_set_unknown_rank(&desc.layout.origin);
  weft_shape_set_unknown_rank(&desc.layout.storage);
  snprintf(name, sizeof name, "in_%u", i);
  *out = weft_graph_input_desc(g, name, &desc, d);
  return *out ? weft__value_set_fact(*out, f, d) : d->status;
}

// Numbers in text are of the first input's dtype that is one of floats.
static weft_dtype compose_main(const weft_op_desc *desc, const weft_fact *in) {
  for (uint32_t i = 0; i < desc->n_in; i++) {
    if (in[i].kind == WEFT_KIND_TENSOR && weft_dtype_is_float(in[i].dtype))
      return in[i].dtype;
  }
  return desc->n_in ? in[0].dtype : WEFT_FLOAT;
}

// ---- halves in f32 ----
static bool is_half(weft_dtype t) {
  return t == WEFT_FLOAT16 || t == WEFT_BF16;
}

static weft_dtype compose_half(const weft_op_desc *desc, const weft_fact *in) {
  for (uint32_t i = 0; i < desc->n_in; i++) {
    if (in[i].kind == WEFT_KIND_TENSOR && is_half(in[i].dtype))
      return in[i].dtype;
  }
  return WEFT_UNDEFINED;
}

static weft_dtype_set compose_allows(const weft_op *op, const weft_port *port) {
  for (const weft_symbol *s = op->types; port->type && s && s->name; s++) {
    if (!strcmp(s->name, port->type))
      return s->set;
  }
  return port->dtypes;
}

// The dtype of the input that an output's follows, by name or by a symbol that both have; UNDEFINED: none.
static weft_dtype compose_followed(const weft__composing *c, const weft_port *out) {
  const weft_op_desc *desc = c->desc;
  const char *at = (const char *)desc->op->in;
  for (uint32_t p = 0; p < desc->n_in_ports; p++, at += desc->op->port_bytes) {
    const weft_port *in = (const weft_port *)at;
    bool same =
        out->type ? in->type && !strcmp(in->type, out->type) : out->follow && !strcmp(in->name, out->follow);
    if (same && desc->in_port[p].count)
      return c->given[desc->in_port[p].start].dtype;
  }
  return WEFT_UNDEFINED;
}

// The dtypes of outputs where the operator has a rule of its own, which reads dtypes and attributes only (an
// attribute may name one): c->said.
static weft_status compose_say(weft__composing *c, const weft_fact *in) {
  const weft_op_desc *desc = c->desc;
  if (!desc->op->infer_dtype || c->half == WEFT_UNDEFINED)
    return WEFT_OK;
  weft_dtype *t = WEFT_NEW_N(&c->o->f->arena, weft_dtype, (size_t)desc->n_in + desc->n_out + 1);
  WEFT_TRY(weft__allocated(t, c->o->f->d));
  c->said = t + desc->n_in;
  for (uint32_t i = 0; i < desc->n_in; i++)
    t[i] = in[i].dtype;
  for (uint32_t i = 0; i < desc->n_out; i++)
    c->said[i] = WEFT_UNDEFINED;
  weft_infer it = {.size = sizeof it, .n_in = desc->n_in, .n_out = desc->n_out, .desc = desc};
  it.d = c->o->f->d;
  it.in_dtype = t;
  it.out_dtype = c->said;
  return desc->op->infer_dtype(&it);
}

// An output in the dtype of the halves that came in, where its port has it, unless the operator says another.
static weft_value *compose_narrow(weft__composing *c, const weft_port *port, uint32_t out, weft_value *y) {
  if (!y || y->fact.dtype != WEFT_FLOAT || c->half == WEFT_UNDEFINED)
    return y;
  weft_dtype t = c->said ? c->said[out] : WEFT_UNDEFINED;
  if (t == WEFT_UNDEFINED)
    t = compose_followed(c, port);
  if (t == WEFT_UNDEFINED)
    t = c->half;
  return compose_allows(c->desc->op, port) & WEFT_BIT(t) ? front_as(c->o, y, t) : y;
}

static weft_status compose_outputs(weft__composing *c, weft_graph *g) {
  const weft_op_desc *desc = c->desc;
  const char *port = (const char *)desc->op->out;
  for (uint32_t p = 0; p < desc->n_out_ports; p++, port += desc->op->port_bytes) {
    const char *name = ((const weft_port *)port)->name;
    size_t n;
    weft_value *const *v = weft__composed_all(c, name, &n);
    if (n != desc->out_port[p].count) {
      return front_fail(c->o, WEFT_E_STATE,
                        "output '%s' has %u of the %zu instances that the composition makes", name,
                        desc->out_port[p].count, n);
    }
    for (size_t i = 0; i < n; i++) {
      weft_value *y = compose_narrow(c, (const weft_port *)port, desc->out_port[p].start + (uint32_t)i, v[i]);
      if (y && !y->node)  // an input handed through, or a constant
        y = front_do(c->o, "Identity", y, NULL, NULL);
      if (y)
        WEFT_TRY(weft_graph_output(g, y, c->o->f->d));
      WEFT_TRY(c->o->failed);
    }
  }
  return WEFT_OK;
}

// Inputs that have a new value, and no output of their name.
static weft_status compose_updates(weft__composing *c, weft__composed_graph *to) {
  const weft_op_desc *desc = c->desc;
  const char *port = (const char *)desc->op->in;
  for (uint32_t p = 0; p < desc->n_in_ports; p++, port += desc->op->port_bytes) {
    const char *name = ((const weft_port *)port)->name;
    bool given = false;
    for (const weft_port *out = desc->op->out; out->name; out++)
      given |= !strcmp(out->name, name);
    weft_value *v = weft__composed(c, name);
    uint32_t at = desc->in_port[p].start;
    if (given || desc->in_port[p].count != 1 || !v || v == c->in[at] ||
        to->n_updated == WEFT_COUNT(to->updated))
      continue;
    v = front_as(c->o, v, c->given[at].dtype);
    if (v && v->node) {
      to->updated[to->n_updated++] = at;
      WEFT_TRY(weft_graph_output(to->g, v, c->o->f->d));
    }
  }
  return c->o->failed;
}

static weft_status compose_begin(front *f, weft_env *e, const char *type, weft_diag *d) {
  memset(f, 0, sizeof *f);
  f->env = e;
  f->framework = "AscendIR";
  f->file = type;
  f->d = d;
  WEFT_TRY(weft_graph_create(e, type, &f->g, d));
  f->before = weft__budget_begin(&f->g->root->budget, NULL, &e->limits);
  weft__arena_init(&f->arena, &f->g->root->alloc);
  return WEFT_OK;
}

// ---- inputs of one shape ----
static uint32_t compose_instance(const weft__composing *c, const char *name) {
  const char *port = (const char *)c->desc->op->in;
  for (uint32_t p = 0; p < c->desc->n_in_ports; p++, port += c->desc->op->port_bytes) {
    if (!strcmp(((const weft_port *)(const void *)port)->name, name) && c->desc->in_port[p].count == 1)
      return c->desc->in_port[p].start;
  }
  return UINT32_MAX;
}

weft_status weft__compose_alike(const weft__composing *c, const char *a, const char *b) {
  const uint32_t i = compose_instance(c, a);
  const uint32_t k = compose_instance(c, b);
  char text[2][256];
  weft_shape s;
  weft_shape t;
  if (i == UINT32_MAX || k == UINT32_MAX || c->given[i].unknown_rank || c->given[k].unknown_rank)
    return WEFT_OK;
  weft__fact_shape(&c->given[i], &s);
  weft__fact_shape(&c->given[k], &t);
  bool same = s.rank == t.rank;
  for (size_t d = 0; same && d < s.rank; d++)
    same = s.dim[d] < 0 || t.dim[d] < 0 || s.dim[d] == t.dim[d];
  if (same)
    return WEFT_OK;
  const weft_symbols *names = c->o->f->g->root->symbols;
  return front_fail(c->o, WEFT_E_SHAPE, "input '%s' has shape %s, input '%s' %s: they have one shape", a,
                    weft_shape_text(&s, names, text[0], sizeof text[0]), b,
                    weft_shape_text(&t, names, text[1], sizeof text[1]));
}

static weft_status compose_alike_all(const weft__composing *c) {
  const char *first = (const char *)c->desc->op->in;
  for (uint32_t p = 1; p < c->desc->n_in_ports; p++) {
    const char *port = first + (size_t)p * c->desc->op->port_bytes;
    WEFT_TRY(weft__compose_alike(c, ((const weft_port *)(const void *)first)->name,
                                 ((const weft_port *)(const void *)port)->name));
  }
  return WEFT_OK;
}

static weft_status compose_fill(weft__composed_graph *out, const weft_op_desc *desc, const weft_fact *in) {
  front *f = &out->f;
  front_scope scope;
  weft_value **v = WEFT_NEW_N(&f->arena, weft_value *, (size_t)desc->n_in + 1);
  WEFT_TRY(weft__allocated(v, f->d));
  for (uint32_t i = 0; i < desc->n_in; i++)
    WEFT_TRY(compose_input(f->g, i, &in[i], &v[i], f->d));
  WEFT_TRY(front_scope_begin(f, &scope, f->g, 0));
  front_op o = front_op_of(f, &scope, desc->name, desc->type, 0);
  const weft__composition *by = desc->op->user;
  weft__composing c = {
      .o = &o, .desc = desc, .main = compose_main(desc, in), .half = WEFT_UNDEFINED, .in = v, .given = in};
  if (by->wide)
    c.half = compose_half(desc, in);
  for (uint32_t i = 0; i < desc->n_in && c.half != WEFT_UNDEFINED; i++) {
    if (is_half(in[i].dtype))
      v[i] = front_as(&o, v[i], WEFT_FLOAT);
  }
  if (c.half != WEFT_UNDEFINED && is_half(c.main))
    c.main = WEFT_FLOAT;
  weft_status s = compose_say(&c, in);
  if (!s && by->alike)
    s = compose_alike_all(&c);
  if (!s)
    s = by->build ? by->build(&c) : weft__compose_text(&c, by->text);
  if (!s)
    s = o.failed;
  if (!s)
    s = compose_outputs(&c, f->g);
  if (!s && out->updates && by->updates)
    s = compose_updates(&c, out);
  front_scope_end(&scope);
  return s;
}

void weft__composed_drop(weft__composed_graph *g) {
  if (!g->g)
    return;
  g->g->root->symbols = g->own;
  weft__arena_deinit(&g->f.arena);
  weft_graph_destroy(g->g);
  g->g = NULL;
}

weft_status weft__compose_graph(weft_env *e, weft_symbols *symbols, const weft_op_desc *desc,
                                const weft_fact *in, weft__composed_graph *out, weft_diag *d) {
  weft_diag own;
  weft_diag *to = d ? d : &own;
  weft_diag_clear(&own);
  out->g = NULL;
  out->n_updated = 0;
  WEFT_TRY(compose_begin(&out->f, e, desc->type, to));
  out->g = out->f.g;
  out->own = out->g->root->symbols;
  if (symbols)
    out->g->root->symbols = symbols;
  weft_status s = compose_fill(out, desc, in);
  s = weft__graph_budget_end(out->g, &out->f.before, s, to);
  if (s)
    weft__composed_drop(out);
  return s;
}

// ---- inference ----
static void compose_fact(const weft_infer *it, uint32_t i, bool ranges, weft_fact *f) {
  const weft_shape *s = it->in[i];
  *f = (weft_fact){.dtype = it->in_dtype[i], .kind = it->in_kind[i], .set = true};
  f->format = f->origin_format = it->in_format[i];
  f->unknown_rank = weft_shape_is_unknown_rank(s);
  f->rank = f->unknown_rank ? 0 : (uint8_t)s->rank;
  f->dims = s->dim;
  f->item_dtype = f->kind == WEFT_KIND_TENSOR ? (uint8_t)WEFT_UNDEFINED : f->dtype;
  f->value = it->value[i]->data ? it->value[i] : NULL;
  if (it->in_dims && it->in_dims[i].v) {
    f->elems = it->in_dims[i].v;
    f->n_elems = (uint32_t)it->in_dims[i].n;
  }
  if (ranges && !f->unknown_rank) {
    f->min = it->in_min[i]->dim;
    f->max = it->in_max[i]->dim;
  }
}

static weft_status compose_inferred(weft_infer *it, bool ranges, weft__composed_graph *g) {
  const weft_frame *frame = it->impl;
  weft_fact few[8];
  weft_fact *in = few;
  weft_allocator a = frame->alloc;
  size_t bytes = it->n_in * sizeof *in;
  g->g = NULL;
  g->updates = false;
  if (it->n_in > WEFT_COUNT(few) && !(in = weft__alloc(&a, bytes, 16)))
    return weft_fail(it->d, WEFT_E_NOMEM, "out of memory");
  for (uint32_t i = 0; i < it->n_in; i++)
    compose_fact(it, i, ranges, &in[i]);
  weft_status s = weft__compose_graph(frame->env, it->symbols, it->desc, in, g, it->d);
  if (in != few)
    weft__free(&a, in, bytes, 16);
  return s;
}

// What cannot be composed yet has outputs of unknown rank.
static weft_status compose_unknown(weft_infer *it) {
  weft_diag_clear(it->d);
  for (uint32_t i = 0; i < it->n_out; i++)
    weft_shape_set_unknown_rank(it->out[i]);
  return WEFT_OK;
}

weft_status weft__composed_infer(weft_infer *it) {
  weft__composed_graph g;
  weft_status s = compose_inferred(it, false, &g);
  if (s == WEFT_E_UNKNOWN)
    return compose_unknown(it);
  for (uint32_t i = 0; !s && i < it->n_out; i++) {
    const weft_fact *f = &g.g->outputs.v[i]->fact;
    weft__fact_shape(f, it->out[i]);
    it->out_dtype[i] = f->dtype;
    it->out_kind[i] = f->kind;
  }
  weft__composed_drop(&g);
  return s;
}

weft_status weft__composed_range(weft_infer *it) {
  weft__composed_graph g;
  weft_status s = compose_inferred(it, true, &g);
  for (uint32_t i = 0; !s && i < it->n_out; i++) {
    const weft_fact *f = &g.g->outputs.v[i]->fact;
    weft__fact_shape(f, it->out_min[i]);
    weft__fact_shape(f, it->out_max[i]);
    for (uint32_t k = 0; !f->unknown_rank && k < f->rank; k++) {
      it->out_min[i]->dim[k] = f->min ? f->min[k] : WEFT_MAX(f->dims[k], 0);
      it->out_max[i]->dim[k] = f->max ? f->max[k] : WEFT_MAX(f->dims[k], -1);
    }
  }
  weft__composed_drop(&g);
  return s;
}

// ---- the reference ----
static weft_status compose_give(const weft_call *c, uint32_t i, const weft_tensor *made) {
  weft_tensor *out = c->out[i];
  if (!out)
    return WEFT_OK;
  if (made->kind != WEFT_KIND_TENSOR || made->dtype == WEFT_STRING)
    return weft_tensor_copy(out, made, c->d);
  if (out->dtype != made->dtype || !weft_shape_equal(&out->layout.origin, &made->layout.origin)) {
    return weft_fail(c->d, WEFT_E_STATE,
                     "output %u of '%s': its primitives gave another shape or dtype than inference", i,
                     c->desc->type);
  }
  memcpy(out->data, made->data, WEFT_MIN(out->bytes, made->bytes));
  return WEFT_OK;
}

static weft_status compose_hand(const weft_call *c, uint32_t i, const weft_tensor *made) {
  weft_layout layout;
  if (made->dtype == WEFT_STRING)  // its texts lie behind its elements
    return c->out[i] ? weft_tensor_copy(c->out[i], made, c->d) : WEFT_OK;
  weft_shape_copy(&layout.origin, &made->layout.origin);
  weft_shape_copy(&layout.storage, &made->layout.origin);
  WEFT_TRY(c->host->out_alloc(c, i, made->dtype, &layout, WEFT_ND));
  if (c->out[i])
    memcpy(c->out[i]->data, made->data, made->bytes);
  return c->host->out_set_shape(c, i, &made->layout.origin);
}

// The new value of an input that has room for it.
static weft_status compose_update(const weft_call *c, uint32_t in, const weft_tensor *made) {
  const weft_tensor *to = c->in[in];
  if (!weft_shape_equal(&to->layout.origin, &made->layout.origin) || to->dtype != made->dtype) {
    return weft_fail(c->d, WEFT_E_SHAPE,
                     "input '%s' is updated in place, and its new value has another shape or dtype",
                     weft__in_name(c->desc, in));
  }
  memcpy(to->data, made->data, WEFT_MIN(to->bytes, made->bytes));
  return WEFT_OK;
}

static weft_status compose_run(const weft_call *c, const weft__composed_graph *g, weft_tensor *out) {
  uint32_t n = c->n_out + g->n_updated;
  weft_status s = weft__interp_within(g->g, weft__call_budget(c), c->in, c->n_in, out, n, c->d);
  for (uint32_t i = 0; !s && i < g->n_updated; i++)
    s = compose_update(c, g->updated[i], &out[c->n_out + i]);
  for (uint32_t i = 0; !s && i < c->n_out; i++)
    s = c->desc->op->execute ? compose_hand(c, i, &out[i]) : compose_give(c, i, &out[i]);
  for (uint32_t i = 0; i < n; i++)
    weft_tensor_deinit(&out[i]);
  return s;
}

weft_status weft__composed_execute(const weft_call *c) {
  return weft__composed_ref(c);
}

weft_status weft__composed_ref(const weft_call *c) {
  const weft_allocator a = *weft__call_allocator(c);
  weft__composed_graph g;
  g.g = NULL;
  g.updates = weft__call_updates(c);
  const uint32_t room = c->n_out + (uint32_t)WEFT_COUNT(g.updated);
  size_t bytes = c->n_in * sizeof(weft_fact) + (room + 1) * sizeof(weft_tensor);
  weft_tensor *out = weft__alloc(&a, bytes, 16);
  WEFT_TRY(weft__allocated(out, c->d));
  weft_fact *in = (weft_fact *)(void *)(out + room + 1);
  for (uint32_t i = 0; i < c->n_in; i++)
    in[i] = weft__fact_of_tensor(c->in[i]);
  weft_status s = weft__compose_graph(weft__call_env(c), NULL, c->desc, in, &g, c->d);
  if (!s && (g.n_updated || c->desc->op->execute || !weft__call_gives_nothing(c)))
    s = compose_run(c, &g, out);
  weft__composed_drop(&g);
  weft__free(&a, out, bytes, 16);
  return s;
}
// SPDX-License-Identifier: Apache-2.0
