// edit.c - opening a model for changes: names, uses, liveness. See edit.h.
#include "frontend/onnx/edit.h"

weft_status weft__edit_nomem(const onnx_edit *e) {
  return weft_fail(e->d, WEFT_E_NOMEM, "out of memory while converting '%s'", e->name);
}

void weft__edit_say(const onnx_edit *e, const char *fmt, ...) {
  char text[640];
  va_list ap;
  if (!e->o->report)
    return;
  va_start(ap, fmt);
  vsnprintf(text, sizeof text, fmt, ap);
  va_end(ap);
  e->o->report(e->o->report_ctx, text);
}

bool weft__edit_external(const onnx_tensor *t) {
  return t && (t->data_location == ONNX_LOCATION_EXTERNAL || t->external_data.n);
}

// ---- names ----

edit_value *weft__edit_find(const onnx_edit *e, const char *text, size_t bytes) {
  return weft__map_find(&e->names, text ? text : "", bytes);
}

edit_value *weft__edit_intern(onnx_edit *e, onnx_str name) {
  edit_value *v = weft__edit_find(e, name.text, name.bytes);
  if (v)
    return v;
  const char *text = weft__arena_strdup(&e->arena, onnx_str_text(name), name.bytes);
  v = text ? WEFT_NEW(&e->arena, edit_value) : NULL;
  if (!v)
    return NULL;
  v->text = text;
  v->name = (onnx_str){text, name.bytes};
  return weft__map_set(&e->names, text, name.bytes, v) ? NULL : v;
}

static bool taken(const onnx_edit *e, const char *text, size_t n) {
  for (; e; e = e->outer) {
    if (weft__edit_find(e, text, n))
      return true;
  }
  return false;
}

// New here and in the graphs around, where it is taken from now on.
edit_value *weft__edit_fresh(onnx_edit *e, const edit_value *like, const char *suffix) {
  char text[320];
  int n = snprintf(text, sizeof text, "%.*s%s", (int)WEFT_MIN(like->name.bytes, 240), like->text, suffix);
  while (taken(e, text, (size_t)n)) {
    n = snprintf(text, sizeof text, "%.*s%s_%u", (int)WEFT_MIN(like->name.bytes, 240), like->text, suffix,
                 ++e->n_names);
  }
  for (onnx_edit *o = e->outer; o; o = o->outer) {
    if (!weft__edit_intern(o, (onnx_str){text, (size_t)n}))
      return NULL;
  }
  return weft__edit_intern(e, (onnx_str){text, (size_t)n});
}

edit_value *weft__edit_follow(edit_value *v) {
  while (v && v->alias)
    v = v->alias;
  return v;
}

// ---- opening ----

// The raw bytes of every message of the graph; the parsed lists come in the same order.
static weft_status find_raw(onnx_edit *e) {
  edit_fields it;
  weft_status s = WEFT_OK;
  size_t node = 0;
  size_t tensor = 0;
  size_t input = 0;
  size_t output = 0;
  size_t info = 0;
  weft__edit_fields(&it, e->file, e->d);
  while (weft__edit_next(&it, &s)) {
    if (it.f.number == 7)
      e->graph = weft__edit_payload(&it);  // the last one, as the reader takes it
  }
  WEFT_TRY(s);
  weft__edit_fields(&it, e->graph, e->d);
  while (weft__edit_next(&it, &s)) {
    onnx_str raw = weft__edit_payload(&it);
    switch (it.f.number) {
      case 1:
        WEFT_ASSERT(node < e->n_nodes);
        e->nodes[node++].raw = raw;
        break;
      case 5:
        WEFT_ASSERT(tensor < e->n_tensors);
        e->tensors[tensor++].raw = raw;
        break;
      case 11:
        WEFT_ASSERT(input < e->n_inputs);
        e->inputs[input++].raw = raw;
        break;
      case 12:
        WEFT_ASSERT(output < e->n_outputs);
        e->outputs[output++].raw = raw;
        break;
      case 13:
        WEFT_ASSERT(info < e->n_infos);
        e->infos[info++].raw = raw;
        break;
      default:
        break;
    }
  }
  return s;
}

static weft_status intern_infos(onnx_edit *e, edit_info *list, const onnx_value_info *v, size_t n,
                                uint32_t field) {
  for (size_t i = 0; i < n; i++) {
    list[i].v = &v[i];
    list[i].field = field;
    edit_value *value = list[i].value = weft__edit_intern(e, v[i].name);
    WEFT_TRY(weft__edit_allocated(value, e));
    edit_info **slot = field == 11 ? &value->input : field == 12 ? &value->output : &value->info;
    if (!*slot)
      *slot = &list[i];
  }
  return WEFT_OK;
}

typedef WEFT_VEC(edit_value *) value_list;

static weft_status capture(onnx_edit *e, onnx_str name, value_list *list) {
  if (!name.bytes)
    return WEFT_OK;
  edit_value *v = weft__edit_intern(e, name);
  WEFT_TRY(weft__edit_allocated(v && WEFT_VEC_ROOM(&e->env->alloc, *list), e));
  v->captured = true;
  list->v[list->n++] = v;
  return WEFT_OK;
}

// Every name that occurs in a body, whether it is an outer one or not: none of them is touched.
static weft_status capture_graph(onnx_edit *e, const onnx_graph *g, value_list *list, int depth) {
  if (depth > ONNX_MAX_GRAPH_DEPTH)
    return weft_fail(e->d, WEFT_E_LIMIT, "bodies nested deeper than %d", ONNX_MAX_GRAPH_DEPTH);
  for (size_t i = 0; i < g->initializers.n; i++)
    WEFT_TRY(capture(e, g->initializers.v[i].name, list));
  for (size_t i = 0; i < g->inputs.n; i++)
    WEFT_TRY(capture(e, g->inputs.v[i].name, list));
  for (size_t i = 0; i < g->outputs.n; i++)
    WEFT_TRY(capture(e, g->outputs.v[i].name, list));
  for (size_t i = 0; i < g->nodes.n; i++) {
    const onnx_node *n = &g->nodes.v[i];
    for (size_t k = 0; k < n->inputs.n; k++)
      WEFT_TRY(capture(e, n->inputs.v[k], list));
    for (size_t k = 0; k < n->outputs.n; k++)
      WEFT_TRY(capture(e, n->outputs.v[k], list));
    for (size_t k = 0; k < n->attributes.n; k++) {
      const onnx_attr *a = &n->attributes.v[k];
      if (a->g)
        WEFT_TRY(capture_graph(e, a->g, list, depth + 1));
      for (size_t j = 0; j < a->graphs.n; j++)
        WEFT_TRY(capture_graph(e, &a->graphs.v[j], list, depth + 1));
    }
  }
  return WEFT_OK;
}

static weft_status capture_bodies(onnx_edit *e, const onnx_node *n, value_list *list, int depth) {
  for (size_t i = 0; i < n->attributes.n; i++) {
    const onnx_attr *a = &n->attributes.v[i];
    if (a->g)
      WEFT_TRY(capture_graph(e, a->g, list, depth));
    for (size_t k = 0; k < a->graphs.n; k++)
      WEFT_TRY(capture_graph(e, &a->graphs.v[k], list, depth));
  }
  return WEFT_OK;
}

static weft_status keep_captures(onnx_edit *e, edit_node *n, const value_list *list) {
  if (!list->n)
    return WEFT_OK;
  n->captures = WEFT_NEW_N(&e->arena, edit_value *, list->n);
  WEFT_TRY(weft__edit_allocated(n->captures, e));
  memcpy(n->captures, list->v, list->n * sizeof *list->v);
  n->n_captures = (uint32_t)list->n;
  return WEFT_OK;
}

static weft_status node_captures(onnx_edit *e, edit_node *n) {
  value_list list = {0};
  n->captures = NULL;
  weft_status s = capture_bodies(e, n->n, &list, 0);
  if (!s)
    s = keep_captures(e, n, &list);
  WEFT_VEC_FREE(&e->env->alloc, list);
  return s;
}

static weft_status intern_node(onnx_edit *e, edit_node *n) {
  const onnx_strs *in = &n->n->inputs;
  const onnx_strs *out = &n->n->outputs;
  if (in->n > UINT32_MAX || out->n > UINT32_MAX)
    return weft_fail(e->d, WEFT_E_LIMIT, "%zu inputs of a node", (size_t)in->n);
  n->n_in = (uint32_t)in->n;
  n->n_out = (uint32_t)out->n;
  n->in = WEFT_NEW_N(&e->arena, edit_value *, in->n + 1);
  n->out = WEFT_NEW_N(&e->arena, edit_value *, out->n + 1);
  WEFT_TRY(weft__edit_allocated(n->in && n->out, e));
  for (size_t i = 0; i < in->n; i++) {
    if (in->v[i].bytes && !(n->in[i] = weft__edit_intern(e, in->v[i])))
      return weft__edit_nomem(e);
  }
  for (size_t i = 0; i < out->n; i++) {
    if (!out->v[i].bytes)
      continue;
    n->out[i] = weft__edit_intern(e, out->v[i]);
    WEFT_TRY(weft__edit_allocated(n->out[i], e));
    if (!n->out[i]->producer)
      n->out[i]->producer = n;
  }
  return node_captures(e, n);
}

static weft_status intern_names(onnx_edit *e) {
  const onnx_graph *g = e->model->graph;
  WEFT_TRY(intern_infos(e, e->inputs, g->inputs.v, g->inputs.n, 11));
  WEFT_TRY(intern_infos(e, e->outputs, g->outputs.v, g->outputs.n, 12));
  WEFT_TRY(intern_infos(e, e->infos, g->value_infos.v, g->value_infos.n, 13));
  for (size_t i = 0; i < g->initializers.n; i++) {
    edit_tensor *t = &e->tensors[i];
    t->t = &g->initializers.v[i];
    t->value = weft__edit_intern(e, t->t->name);
    WEFT_TRY(weft__edit_allocated(t->value, e));
    if (!t->value->init)
      t->value->init = t;
  }
  for (size_t i = 0; i < g->nodes.n; i++) {
    e->nodes[i].n = &g->nodes.v[i];
    WEFT_TRY(intern_node(e, &e->nodes[i]));
  }
  for (size_t i = 0; i < g->quantization_annotations.n; i++) {
    const onnx_annotation *a = &g->quantization_annotations.v[i];
    for (size_t k = 0; k <= a->params.n; k++) {
      edit_value *v = weft__edit_intern(e, k ? a->params.v[k - 1].value : a->tensor_name);
      WEFT_TRY(weft__edit_allocated(v, e));
      v->annotated = true;
    }
  }
  return WEFT_OK;
}

weft_status weft__edit_open(onnx_edit *e, onnx_str file) {
  weft__arena_init(&e->arena, &e->env->alloc);
  weft__map_init(&e->names, &e->env->alloc);
  e->file = file;
  WEFT_TRY(weft__onnx_read_model(file.text, file.bytes, &e->arena, &e->model, e->d));
  const onnx_graph *g = e->model->graph;
  e->n_nodes = g->nodes.n;
  e->n_tensors = g->initializers.n;
  e->n_inputs = g->inputs.n;
  e->n_outputs = g->outputs.n;
  e->n_infos = g->value_infos.n;
  e->nodes = WEFT_NEW_N(&e->arena, edit_node, e->n_nodes + 1);
  e->tensors = WEFT_NEW_N(&e->arena, edit_tensor, e->n_tensors + 1);
  e->inputs = WEFT_NEW_N(&e->arena, edit_info, e->n_inputs + 1);
  e->outputs = WEFT_NEW_N(&e->arena, edit_info, e->n_outputs + 1);
  e->infos = WEFT_NEW_N(&e->arena, edit_info, e->n_infos + 1);
  WEFT_TRY(weft__edit_allocated(e->nodes && e->tensors && e->inputs && e->outputs && e->infos, e));
  e->version = 1;
  for (size_t i = 0; i < e->model->opset_imports.n; i++) {
    const onnx_opset *o = &e->model->opset_imports.v[i];
    if (!o->domain.bytes || onnx_str_is(o->domain, "ai.onnx"))
      e->version = o->version;
  }
  WEFT_TRY(find_raw(e));
  WEFT_TRY(intern_names(e));
  weft__edit_count_uses(e);
  return WEFT_OK;
}

void weft__edit_close(onnx_edit *e) {
  weft_graph_destroy(e->g);
  WEFT_VEC_FREE(&e->env->alloc, e->new_tensors);
  WEFT_VEC_FREE(&e->env->alloc, e->new_infos);
  weft__map_deinit(&e->names);
  weft__arena_deinit(&e->arena);
}

// ---- nodes ----

bool weft__edit_builtin(const onnx_edit *e, const edit_node *n, const char *op) {
  if (n->n->domain.bytes && !onnx_str_is(n->n->domain, "ai.onnx"))
    return false;
  if (!onnx_str_is(n->n->op_type, op))
    return false;
  for (size_t i = 0; i < e->model->functions.n; i++) {  // a model may define it anew
    const onnx_function *f = &e->model->functions.v[i];
    if (onnx_str_is(f->name, op) && (!f->domain.bytes || onnx_str_is(f->domain, "ai.onnx")))
      return false;
  }
  return true;
}

const onnx_attr *weft__edit_attr(const edit_node *n, const char *name) {
  for (size_t i = 0; i < n->n->attributes.n; i++) {
    if (onnx_str_is(n->n->attributes.v[i].name, name))
      return &n->n->attributes.v[i];
  }
  return NULL;
}

int64_t weft__edit_int(const edit_node *n, const char *name, int64_t dflt) {
  const onnx_attr *a = weft__edit_attr(n, name);
  return a && onnx_attr_kind(a) == ONNX_ATTR_INT ? a->i : dflt;
}

// ---- changes ----

weft_status weft__edit_add_tensor(onnx_edit *e, edit_value *v, const weft_tensor *t) {
  edit_tensor *made = WEFT_NEW(&e->arena, edit_tensor);
  WEFT_TRY(weft__edit_allocated(made && WEFT_VEC_ROOM(&e->env->alloc, e->new_tensors), e));
  *made = (edit_tensor){.value = v, .data = t};
  v->init = made;
  v->producer = NULL;
  e->new_tensors.v[e->new_tensors.n++] = made;
  return WEFT_OK;
}

weft_status weft__edit_add_info(onnx_edit *e, uint32_t field, edit_value *v, onnx_str payload) {
  edit_info *made = WEFT_NEW(&e->arena, edit_info);
  WEFT_TRY(weft__edit_allocated(made && WEFT_VEC_ROOM(&e->env->alloc, e->new_infos), e));
  *made = (edit_info){.value = v, .payload = payload, .field = field};
  e->new_infos.v[e->new_infos.n++] = made;
  return WEFT_OK;
}

weft_status weft__edit_add_node(onnx_edit *e, edit_extra ***tail, onnx_str payload) {
  edit_extra *x = WEFT_NEW(&e->arena, edit_extra);
  WEFT_TRY(weft__edit_allocated(x, e));
  x->payload = payload;
  **tail = x;
  *tail = &x->next;
  return WEFT_OK;
}

static void count_node(edit_node *n, int by) {
  for (uint32_t i = 0; i < n->n_in; i++) {
    if (n->in[i])
      n->in[i]->n_uses += (uint32_t)by;
  }
  for (uint32_t i = 0; i < n->n_captures; i++)
    n->captures[i]->n_uses += (uint32_t)by;
}

void weft__edit_count_uses(onnx_edit *e) {
  for (size_t i = 0; i < e->names.n; i++) {
    if (e->names.entries[i].value)
      ((edit_value *)e->names.entries[i].value)->n_uses = 0;
  }
  for (size_t i = 0; i < e->n_nodes; i++) {
    edit_node *n = &e->nodes[i];
    if (n->gone)
      continue;
    for (uint32_t k = 0; k < n->n_in; k++) {
      if (n->in[k] && n->in[k]->alias) {
        n->in[k] = weft__edit_follow(n->in[k]);
        n->changed = true;
      }
    }
    count_node(n, 1);
  }
}

static void drop_tensor(edit_tensor *t) {
  if (t->gone || weft__edit_wanted(t->value))
    return;
  t->gone = true;
  if (t->value->init == t)
    t->value->init = NULL;
  if (t->value->input)
    t->value->input->gone = true;  // its default is gone: it would become required
}

// Nodes come after what they read, so that one sweep from the end finds all that is dead.
void weft__edit_sweep(onnx_edit *e) {
  weft__edit_count_uses(e);
  for (size_t i = e->n_nodes; i-- > 0;) {
    edit_node *n = &e->nodes[i];
    bool used = n->gone;
    for (uint32_t k = 0; k < n->n_out; k++)
      used |= n->out[k] && n->out[k]->producer == n && weft__edit_wanted(n->out[k]);
    if (used)
      continue;
    n->gone = true;
    count_node(n, -1);
  }
  for (size_t i = 0; i < e->n_tensors; i++)
    drop_tensor(&e->tensors[i]);
  for (size_t i = 0; i < e->new_tensors.n; i++)
    drop_tensor(e->new_tensors.v[i]);
  for (size_t i = 0; i < e->n_infos; i++) {
    const edit_value *v = e->infos[i].value;
    bool made = v->producer && !v->producer->gone;
    bool given = (v->input && !v->input->gone) || v->init;
    if (!made && (!given || !weft__edit_wanted(v)))
      e->infos[i].gone = true;
  }
}
// SPDX-License-Identifier: Apache-2.0
