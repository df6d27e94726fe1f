// convert_bodies.c - a step of the conversion inside the bodies of If, Loop, Scan and SequenceMap. A body
// becomes a model of its own: its inputs are described as inference found them, what it reads of the graph
// around it becomes inputs, or initializers where small values are known. The step runs on that; then what
// was added is taken away again, and the body's inputs and outputs are put back as they were. Names, order
// and number of the body's inputs and outputs never change. Cost: each level of nesting is read and inferred
// once more.
#include "frontend/onnx/edit.h"
#include "ir/ir.h"

enum { MOST_TURNS = 32, KNOWN_BYTES = 1 << 16 };

typedef struct body {
  onnx_edit *e;  // around it
  const edit_node *n;
  const onnx_graph *g;
  onnx_str raw;                // bytes of g
  const weft_graph *inferred;  // describes the inputs; NULL: there are none
  onnx_str *free;              // names it reads from around
  size_t n_free;
  const weft_tensor **value;  // by free name; NULL: an input
  weft_tensor_desc *desc;     // by free name
  onnx_str model;             // the model made of it
} body;

// ---- may it be done? ----

static bool declares(const onnx_graph *g, onnx_str name) {
  for (size_t i = 0; i < g->initializers.n; i++) {
    onnx_str s = g->initializers.v[i].name;
    if (onnx_str_same(s, name))
      return true;
  }
  return false;
}

// The sub-graph that inference made of a body with inputs.
static const weft_graph *find_inferred(const body *b) {
  for (uint32_t i = 0; i < b->n->n_out; i++) {
    const weft_value *v = b->n->out[i] ? weft__edit_fact(b->e, b->n->out[i]) : NULL;
    const weft_node *node = v ? v->node : NULL;
    if (node && node->n_graphs == 1 && node->graphs[0]->inputs.n >= b->g->inputs.n)
      return node->graphs[0];
  }
  return NULL;
}

static bool takes_part(body *b) {
  if (b->g->inputs.n && !(b->inferred = find_inferred(b)))
    return false;
  for (size_t i = 0; i < b->g->inputs.n; i++) {
    if (declares(b->g, b->g->inputs.v[i].name))
      return false;
  }
  return true;
}

// Symbols are named by number in each graph: what is not named by the model is not carried over.
static weft_status outer_values(body *b, bool values) {
  onnx_edit *e = b->e;
  onnx_import m = {.env = e->env, .arena = &e->arena, .d = e->d};
  WEFT_TRY(onnx_free_names(&m, &b->g, 1, &b->free, &b->n_free));
  b->value = WEFT_NEW_N(&e->arena, const weft_tensor *, b->n_free + 1);
  b->desc = WEFT_NEW_N(&e->arena, weft_tensor_desc, b->n_free + 1);
  WEFT_TRY(weft__edit_allocated(b->value && b->desc, e));
  for (size_t i = 0; i < b->n_free; i++) {
    edit_value *v = weft__edit_find(e, b->free[i].text, b->free[i].bytes);
    if (!v || !weft__edit_desc(e, v, &b->desc[i]) || !weft__edit_type_known(&b->desc[i]))
      return WEFT_E_UNKNOWN;
    const weft_tensor *t = values ? weft__edit_known(e, v) : NULL;
    if (t && t->bytes <= KNOWN_BYTES && weft__edit_elem_type(t->dtype))
      b->value[i] = t;
  }
  return WEFT_OK;
}

// ---- the model of a body ----

static bool convert_bodies_typed(const onnx_value_info *v) {
  const onnx_tensor_type *t = onnx_value_tensor(v);
  return v->type && (!t || t->elem_type != ONNX_UNDEFINED);
}

static bool calls(const onnx_model *m, const onnx_graph *g, int depth) {
  for (size_t i = 0; i < g->nodes.n && depth <= ONNX_MAX_GRAPH_DEPTH; i++) {
    const onnx_node *n = &g->nodes.v[i];
    for (size_t k = 0; k < m->functions.n; k++) {
      onnx_str f = m->functions.v[k].name;
      if (onnx_str_same(f, n->op_type))
        return true;
    }
    for (size_t k = 0; k < n->attributes.n; k++) {
      if (n->attributes.v[k].g && calls(m, n->attributes.v[k].g, depth + 1))
        return true;
    }
  }
  return false;
}

static void put_input(const body *b, onnxw *w, onnx_str name, const weft_tensor_desc *desc) {
  onnxw_open(w, 11);
  onnxw_bytes(w, 1, name.text, name.bytes);
  weft__edit_put_type(w, 2, desc, weft_graph_symbols(b->e->g), NULL);
  onnxw_close(w);
}

// What the body says of its outputs may be wrong and is left away; of a constant only the type of the
// elements stays.
static void put_output(const body *b, onnxw *w, const onnx_value_info *v) {
  const onnx_tensor_type *t = onnx_value_tensor(v);
  onnxw_open(w, 12);
  onnxw_bytes(w, 1, v->name.text, v->name.bytes);
  if (t && convert_bodies_typed(v) && declares(b->g, v->name)) {
    onnxw_open(w, 2);
    onnxw_open(w, 1);
    onnxw_int(w, 1, t->elem_type);
    onnxw_close(w);
    onnxw_close(w);
  }
  onnxw_close(w);
}

static weft_status convert_bodies_put_graph(const body *b, onnxw *w) {
  edit_fields it;
  weft_status s = WEFT_OK;
  onnxw_open(w, 7);
  weft__edit_fields(&it, b->raw, b->e->d);
  while (weft__edit_next(&it, &s)) {
    if (it.f.number != 11 && it.f.number != 12)
      weft__edit_put(w, it.whole);
  }
  WEFT_TRY(s);
  for (size_t i = 0; i < b->g->outputs.n; i++)
    put_output(b, w, &b->g->outputs.v[i]);
  for (size_t i = 0; i < b->g->inputs.n; i++) {
    weft_tensor_desc desc;
    weft_value_desc(b->inferred->inputs.v[i], &desc);
    if (!weft__edit_type_known(&desc))
      return WEFT_E_UNKNOWN;
    put_input(b, w, b->g->inputs.v[i].name, &desc);
  }
  for (size_t i = 0; i < b->n_free; i++) {
    if (b->value[i])
      WEFT_TRY(weft__edit_put_tensor(b->e, w, 5, b->free[i], b->value[i]));
    else
      put_input(b, w, b->free[i], &b->desc[i]);
  }
  onnxw_close(w);
  return WEFT_OK;
}

// Versions, operator sets and, where one may be called, the functions of the model, around the body.
static weft_status make_model(body *b) {
  onnx_edit *e = b->e;
  weft_text t;
  onnxw w;
  edit_fields it;
  weft_status s = WEFT_OK;
  weft_status put = WEFT_OK;
  bool functions = calls(e->model, b->g, 0);
  weft__text_init(&t, &e->env->alloc);
  onnxw_init(&w, &t);
  weft__edit_fields(&it, e->file, e->d);
  while (weft__edit_next(&it, &s)) {
    if (it.f.number == 1 || it.f.number == 8 || (it.f.number == 25 && functions))
      weft__edit_put(&w, it.whole);
  }
  if (!s)
    put = convert_bodies_put_graph(b, &w);
  weft_status taken = weft__edit_take(e, &w, &t, &b->model);
  return s ? s : put ? put : taken;
}

// ---- the step ----

static weft_status one_turn(body *b, edit_step fn, onnx_str file, weft_diag *d, weft_text *out, bool *again) {
  weft_convert_options quiet = *b->e->o;
  quiet.report = NULL;
  onnx_edit in = {.env = b->e->env,
                  .o = &quiet,
                  .name = b->e->name,
                  .d = d,
                  .outer = b->e,
                  .external = b->e->external,
                  .counters = b->e->counters};
  weft_status s = weft__edit_open(&in, file);
  if (!s)
    s = fn(&in);
  if (!s)
    s = weft__edit_write(&in, out);
  *again = in.again;
  weft__edit_close(&in);
  return s;
}

static weft_status run_step(body *b, edit_step fn, weft_diag *d, weft_text *out) {
  onnx_str file = b->model;
  bool again = true;
  for (int turn = 0; again && turn < MOST_TURNS; turn++) {
    weft_text next;
    weft__text_init(&next, &b->e->env->alloc);
    weft_status s = one_turn(b, fn, file, d, &next, &again);
    weft__text_deinit(out);
    *out = next;
    file = (onnx_str){next.v, next.n};
    WEFT_TRY(s);
  }
  return WEFT_OK;
}

// ---- back into a body ----

static bool added(const body *b, onnx_str tensor, weft_diag *d) {
  edit_fields it;
  weft_status s = WEFT_OK;
  onnx_str name = {NULL, 0};
  weft__edit_fields(&it, tensor, d);
  while (weft__edit_next(&it, &s)) {
    if (it.f.number == 8)
      name = weft__edit_payload(&it);
  }
  for (size_t i = 0; i < b->n_free; i++) {
    if (onnx_str_same(b->free[i], name))
      return true;
  }
  return false;
}

static bool has_type(onnx_str info, weft_diag *d) {
  edit_fields it;
  weft_status s = WEFT_OK;
  bool found = false;
  weft__edit_fields(&it, info, d);
  while (weft__edit_next(&it, &s))
    found |= it.f.number == 2;
  return found;
}

// Inputs and outputs as they were; the step may have written the type of an output that had none.
static weft_status put_border(const body *b, onnxw *w, const onnx_str *outputs) {
  onnx_edit *e = b->e;
  edit_fields it;
  weft_status s = WEFT_OK;
  size_t n = 0;
  weft__edit_fields(&it, b->raw, e->d);
  while (weft__edit_next(&it, &s)) {
    onnx_str raw = weft__edit_payload(&it);
    if (it.f.number != 11 && it.f.number != 12)
      continue;
    if (it.f.number == 12 && n++ < b->g->outputs.n && !convert_bodies_typed(&b->g->outputs.v[n - 1]) &&
        has_type(outputs[n - 1], e->d))
      onnxw_bytes(w, 12, outputs[n - 1].text, outputs[n - 1].bytes);
    else if (e->deep)
      s = weft__deep_info(e, w, it.f.number, raw, true);
    else
      weft__edit_put(w, it.whole);
  }
  return s;
}

static weft_status put_back(const body *b, onnxw *w, uint32_t field, onnx_str model) {
  onnx_edit *e = b->e;
  edit_fields it;
  weft_status s = WEFT_OK;
  size_t n = 0;
  onnx_str graph = {NULL, 0};
  onnx_str *outputs = WEFT_NEW_N(&e->arena, onnx_str, b->g->outputs.n + 1);
  WEFT_TRY(weft__edit_allocated(outputs, e));
  weft__edit_fields(&it, model, e->d);
  while (weft__edit_next(&it, &s)) {
    if (it.f.number == 7)
      graph = weft__edit_payload(&it);
  }
  WEFT_TRY(s);
  onnxw_open(w, field);
  weft__edit_fields(&it, graph, e->d);
  while (weft__edit_next(&it, &s)) {
    onnx_str raw = weft__edit_payload(&it);
    if (it.f.number == 12 && n < b->g->outputs.n)
      outputs[n++] = raw;
    if (it.f.number == 11 || it.f.number == 12 || (it.f.number == 5 && added(b, raw, e->d)))
      continue;
    weft__edit_put(w, it.whole);
  }
  if (!s)
    s = put_border(b, w, outputs);
  onnxw_close(w);
  return s;
}

// Puts the body, changed or as it was, into `w`.
static weft_status do_body(body *b, const edit_body_step *step, onnxw *w, uint32_t field, bool *changed) {
  onnx_edit *e = b->e;
  weft_diag own = {0};
  weft_text out;
  weft_status s = takes_part(b) ? outer_values(b, step->values) : WEFT_E_UNKNOWN;
  weft__text_init(&out, &e->env->alloc);
  if (!s)
    s = make_model(b);
  if (!s)
    s = run_step(b, step->fn, &own, &out);
  bool same = !s && out.n == b->model.bytes && !memcmp(out.v, b->model.text, out.n);
  *changed = !s && !same;
  if (*changed)
    s = put_back(b, w, field, (onnx_str){out.v, out.n});
  weft__text_deinit(&out);
  if (s == WEFT_E_NOMEM)
    return weft__edit_nomem(e);
  if (s && step->strict && own.length)
    return weft_fail(e->d, s, "in a body: %s", own.text);
  if (s && step->strict && !e->d->length)
    return weft_fail(e->d, s, "in a body: what it reads or its inputs are not known");
  if (s && e->d->length)
    return s;
  if (!*changed)
    onnxw_bytes(w, field, b->raw.text, b->raw.bytes);
  return WEFT_OK;
}

static weft_status do_attr(onnx_edit *e, const edit_node *n, const onnx_attr *a, onnx_str raw, onnxw *w,
                           const edit_body_step *step, bool *changed) {
  edit_fields it;
  weft_status s = WEFT_OK;
  size_t graphs = 0;
  weft__edit_fields(&it, raw, e->d);
  while (weft__edit_next(&it, &s))
    graphs += it.f.number == 6;
  WEFT_TRY(s);
  onnxw_open(w, 5);
  weft__edit_fields(&it, raw, e->d);
  while (weft__edit_next(&it, &s)) {
    bool done = false;
    body b = {.e = e, .n = n, .g = a->g, .raw = weft__edit_payload(&it)};
    if (it.f.number == 6 && graphs == 1 && a->g)
      s = do_body(&b, step, w, 6, &done);
    else
      weft__edit_put(w, it.whole);
    *changed |= done;
  }
  onnxw_close(w);
  return s;
}

weft_status weft__convert_bodies(onnx_edit *e, edit_node *n, const edit_body_step *step, bool *out) {
  weft_text text;
  onnxw w;
  edit_fields it;
  weft_status s = WEFT_OK;
  size_t attr = 0;
  *out = false;
  weft__text_init(&text, &e->env->alloc);
  onnxw_init(&w, &text);
  weft__edit_fields(&it, n->raw, e->d);
  while (weft__edit_next(&it, &s)) {
    if (it.f.number == 5) {
      WEFT_ASSERT(attr < n->n->attributes.n);
      s = do_attr(e, n, &n->n->attributes.v[attr++], weft__edit_payload(&it), &w, step, out);
    } else {
      weft__edit_put(&w, it.whole);
    }
  }
  onnx_str raw;
  weft_status taken = weft__edit_take(e, &w, &text, &raw);
  WEFT_TRY(s);
  WEFT_TRY(taken);
  if (*out) {
    n->raw = raw;
    n->changed = true;
  }
  return WEFT_OK;
}
// SPDX-License-Identifier: Apache-2.0
