// convert_cut.c - a part of a graph by value names: from `from` to `to`. Nodes are kept when an output is
// needed; the walk back stops at `from`. Types of new inputs and outputs come from inference, or from the
// model's own value_infos where it cannot be inferred (operators that weft does not import may lie outside
// the part, or inside).
#include "frontend/onnx/edit.h"

static bool known(const edit_value *v) {
  return v && (v->producer || v->init || v->input);
}

static weft_status convert_cut_find(const onnx_edit *e, const char *option, const char *name,
                                    edit_value **out) {
  size_t n = strlen(name);
  size_t most = WEFT_MAX(n / 2, 2);
  const edit_value *near = NULL;
  *out = weft__edit_find(e, name, n);
  if (n && known(*out))
    return WEFT_OK;
  if (n && *out && (*out)->captured) {
    return weft_fail(e->d, WEFT_E_UNSUPPORTED,
                     "%s: value '%.200s' lies in the body of a node, which cannot be cut", option, name);
  }
  for (size_t i = 0; i < e->names.n; i++) {
    const edit_value *v = e->names.entries[i].value;
    size_t k = known(v) ? weft_name_distance(name, n, v->text, most) : most + 1;
    if (k < most || (k == most && !near)) {
      near = v;
      most = k;
    }
  }
  return weft_fail(e->d, WEFT_E_NOT_FOUND, "%s: the model has no value '%.200s'%s%.200s%s", option, name,
                   near ? "; did you mean '" : "", near ? near->text : "", near ? "'?" : "");
}

// ---- walking back ----

typedef WEFT_VEC(edit_node *) node_stack;
typedef struct cut {
  onnx_edit *e;
  edit_value **from, **to;
  size_t n_from, n_to;
  node_stack stack;
} cut;

static bool is_from(const cut *c, const edit_value *v) {
  for (size_t i = 0; i < c->n_from; i++) {
    if (c->from[i] == v)
      return true;
  }
  return false;
}

static weft_status convert_cut_need(cut *c, edit_value *v) {
  if (!v || v->mark)
    return WEFT_OK;
  v->mark = true;
  if (is_from(c, v) || !v->producer || !v->producer->gone)
    return WEFT_OK;
  v->producer->gone = false;
  WEFT_TRY(weft__edit_allocated(WEFT_VEC_ROOM(&c->e->env->alloc, c->stack), c->e));
  c->stack.v[c->stack.n++] = v->producer;
  return WEFT_OK;
}

static weft_status walk_back(cut *c) {
  onnx_edit *e = c->e;
  for (size_t i = 0; i < e->n_nodes; i++)
    e->nodes[i].gone = true;
  for (size_t i = 0; i < c->n_to; i++)
    WEFT_TRY(convert_cut_need(c, c->to[i]));
  while (c->stack.n) {
    edit_node *n = c->stack.v[--c->stack.n];
    for (uint32_t i = 0; i < n->n_in; i++)
      WEFT_TRY(convert_cut_need(c, n->in[i]));
    for (uint32_t i = 0; i < n->n_captures; i++)
      WEFT_TRY(convert_cut_need(c, n->captures[i]));
  }
  return WEFT_OK;
}

// ---- the new border ----

// A ValueInfoProto of v: as the model has it, or by inference, or from an initializer.
static weft_status border(onnx_edit *e, uint32_t field, edit_value *v, weft_status known_status) {
  edit_info *old = v->input ? v->input : v->output ? v->output : v->info;
  onnx_str payload;
  if (field == 11 && old && old == v->input)
    return weft__edit_add_info(e, field, v, old->raw);
  WEFT_TRY(weft__edit_info_payload(e, v, old, &payload));
  if (!payload.text && old)
    payload = old->raw;
  if (!payload.text && field == 12 && known_status) {  // the part may be inferred where the whole cannot
    weft_text t;
    onnxw w;
    weft__text_init(&t, &e->env->alloc);
    onnxw_init(&w, &t);
    onnxw_bytes(&w, 1, v->text, v->name.bytes);
    WEFT_TRY(weft__edit_take(e, &w, &t, &payload));
    e->again = true;
  }
  if (payload.text)
    return weft__edit_add_info(e, field, v, payload);
  return weft_fail(e->d, known_status ? known_status : WEFT_E_UNKNOWN,
                   "%s '%s': its type is not known%s, and the model has no value_info of it; cut at another "
                   "value",
                   field == 11 ? "--from" : "--to", v->text,
                   known_status ? ", as the whole model cannot be inferred" : "");
}

// An output of a node that stays which is an input now gets a name that nobody reads.
static weft_status free_names(cut *c) {
  for (size_t i = 0; i < c->n_from; i++) {
    edit_value *v = c->from[i];
    edit_node *n = v->producer;
    v->producer = NULL;
    for (uint32_t k = 0; n && !n->gone && k < n->n_out; k++) {
      if (n->out[k] != v)
        continue;
      n->out[k] = weft__edit_fresh(c->e, v, "_unused");
      WEFT_TRY(weft__edit_allocated(n->out[k], c->e));
      n->out[k]->producer = n;
      n->changed = true;
    }
  }
  return WEFT_OK;
}

static weft_status make_inputs(cut *c, weft_status inferred) {
  onnx_edit *e = c->e;
  for (size_t i = 0; i < c->n_from; i++) {
    edit_value *v = c->from[i];
    WEFT_TRY(border(e, 11, v, inferred));
    if (!v->mark)
      weft__edit_say(e, "note: input '%s' is not needed for the outputs", v->text);
    if (v->init) {
      v->init->gone = true;
      v->init = NULL;
    }
  }
  for (size_t i = 0; i < e->n_inputs; i++) {
    edit_info *in = &e->inputs[i];
    in->gone = true;
    if (is_from(c, in->value) || !in->value->mark)
      continue;
    if (!in->value->init && c->n_from)
      weft__edit_say(e, "note: input '%s' is still read and stays", in->value->text);
    WEFT_TRY(weft__edit_add_info(e, 11, in->value, in->raw));
  }
  for (size_t i = 0; i < e->n_inputs; i++)
    e->inputs[i].value->input = NULL;
  for (size_t i = 0; i < e->new_infos.n; i++)
    e->new_infos.v[i]->value->input = e->new_infos.v[i];
  return WEFT_OK;
}

static weft_status make_outputs(cut *c, weft_status inferred) {
  onnx_edit *e = c->e;
  if (!e->o->n_to)
    return WEFT_OK;
  for (size_t i = 0; i < e->n_outputs; i++)
    e->outputs[i].gone = true;
  for (size_t i = 0; i < c->n_to; i++) {
    WEFT_TRY(border(e, 12, c->to[i], inferred));
    c->to[i]->output = e->new_infos.v[e->new_infos.n - 1];
  }
  return WEFT_OK;
}

static weft_status find_all(cut *c) {
  onnx_edit *e = c->e;
  const weft_convert_options *o = e->o;
  c->n_from = o->n_from;
  c->n_to = o->n_to ? o->n_to : e->n_outputs;
  c->from = WEFT_NEW_N(&e->arena, edit_value *, c->n_from + 1);
  c->to = WEFT_NEW_N(&e->arena, edit_value *, c->n_to + 1);
  WEFT_TRY(weft__edit_allocated(c->from && c->to, e));
  for (size_t i = 0; i < c->n_from; i++) {
    WEFT_TRY(convert_cut_find(e, "--from", o->from[i], &c->from[i]));
    for (size_t k = 0; k < i; k++) {
      if (c->from[k] == c->from[i])
        return weft_fail(e->d, WEFT_E_DUPLICATE, "--from: value '%s' is given twice", o->from[i]);
    }
  }
  for (size_t i = 0; i < c->n_to; i++) {
    if (!o->n_to)
      c->to[i] = e->outputs[i].value;
    else
      WEFT_TRY(convert_cut_find(e, "--to", o->to[i], &c->to[i]));
    for (size_t k = 0; k < i && o->n_to; k++) {
      if (c->to[k] == c->to[i])
        return weft_fail(e->d, WEFT_E_DUPLICATE, "--to: value '%s' is given twice", o->to[i]);
    }
  }
  return WEFT_OK;
}

weft_status weft__convert_cut(onnx_edit *e) {
  cut c = {.e = e};
  weft_diag *d = e->d;
  weft_diag own = {0};
  size_t before = e->n_nodes;
  size_t after = 0;
  WEFT_TRY(find_all(&c));
  e->d = &own;
  weft_status inferred = weft__edit_infer(e, 1024);
  weft_status s;
  e->d = d;
  if (inferred == WEFT_E_NOMEM)
    return weft_fail(d, inferred, "%s", own.text);
  if (inferred) {
    weft_graph_destroy(e->g);
    e->g = NULL;
  }
  s = walk_back(&c);
  WEFT_VEC_FREE(&e->env->alloc, c.stack);
  if (!s)
    s = make_inputs(&c, inferred);
  if (!s)
    s = make_outputs(&c, inferred);
  if (!s)
    s = free_names(&c);
  if (s && s == inferred)
    weft_note(d, "%s", own.text);
  WEFT_TRY(s);
  weft__edit_sweep(e);
  for (size_t i = 0; i < before; i++)
    after += !e->nodes[i].gone;
  weft__edit_say(e, "cut: %zu of %zu nodes stay", after, before);
  return WEFT_OK;
}
// SPDX-License-Identifier: Apache-2.0
