// convert_if.c - an If whose condition is known: the nodes of the branch that is taken stand in its place,
// its initializers as Constants. Names of the branch stay where nothing else has them; its outputs get the
// names of the If's. Exact. Not done: a branch with inputs, with external or sparse initializers, with
// repeated names, or with bodies that define a name which would change.
#include "frontend/onnx/edit.h"

typedef struct inlining {
  onnx_edit *e;
  edit_node *n;
  const onnx_graph *g;
  onnx_str raw;    // bytes of g
  weft_map names;  // of the branch -> edit_value
  edit_extra **tail;
} inlining;

static edit_value *convert_if_find(const inlining *x, onnx_str name) {
  return name.bytes ? weft__map_find(&x->names, name.text, name.bytes) : NULL;
}

// ---- names ----

static uint32_t mentions(const edit_node *n, const edit_value *v) {
  uint32_t k = 0;
  for (uint32_t i = 0; i < n->n_captures; i++)
    k += n->captures[i] == v;
  return k;
}

// The value that a name of the branch becomes; `out`: the If's output it is, or NULL. False: the name is
// there twice.
static weft_status define(inlining *x, onnx_str name, edit_value *out, bool *good) {
  onnx_edit *e = x->e;
  edit_value *v = weft__edit_find(e, name.text, name.bytes);
  *good = v && !convert_if_find(x, name);
  if (!*good)
    return WEFT_OK;
  if (out)
    v = out;
  else if (v->producer || v->init || v->input || v->output || v->mark || v->n_uses != mentions(x->n, v))
    v = weft__edit_fresh(e, v, "_if");
  WEFT_TRY(weft__edit_allocated(v, e));
  v->mark = true;
  return weft__map_set(&x->names, name.text, name.bytes, v) ? weft__edit_nomem(e) : WEFT_OK;
}

static edit_value *output_of(const inlining *x, onnx_str name) {
  for (size_t i = 0; i < x->g->outputs.n; i++) {
    onnx_str s = x->g->outputs.v[i].name;
    if (s.bytes == name.bytes && !memcmp(s.text, name.text, s.bytes) && x->n->out[i])
      return x->n->out[i];
  }
  return NULL;
}

static weft_status define_all(inlining *x, bool *good) {
  *good = true;
  for (size_t i = 0; *good && i < x->g->initializers.n; i++)
    WEFT_TRY(define(x, x->g->initializers.v[i].name, NULL, good));
  for (size_t i = 0; i < x->g->nodes.n; i++) {
    for (size_t k = 0; *good && k < x->g->nodes.v[i].outputs.n; k++) {
      onnx_str name = x->g->nodes.v[i].outputs.v[k];
      if (name.bytes)
        WEFT_TRY(define(x, name, output_of(x, name), good));
    }
  }
  return WEFT_OK;
}

// Does a body inside the branch define a name that changes?
static bool hidden(const inlining *x, const onnx_graph *g, int depth) {
  if (depth > ONNX_MAX_GRAPH_DEPTH)
    return true;
  bool bad = g->sparse_initializers.n > 0;
  for (size_t i = 0; i < g->inputs.n; i++)
    bad |= convert_if_find(x, g->inputs.v[i].name) != NULL;
  for (size_t i = 0; i < g->initializers.n; i++)
    bad |= convert_if_find(x, g->initializers.v[i].name) != NULL;
  for (size_t i = 0; !bad && i < g->nodes.n; i++) {
    const onnx_node *n = &g->nodes.v[i];
    for (size_t k = 0; k < n->outputs.n; k++)
      bad |= convert_if_find(x, n->outputs.v[k]) != NULL;
    for (size_t k = 0; !bad && k < n->attributes.n; k++) {
      bad |= n->attributes.v[k].graphs.n > 0;
      if (n->attributes.v[k].g)
        bad |= hidden(x, n->attributes.v[k].g, depth + 1);
    }
  }
  return bad;
}

static bool branch_hides(const inlining *x) {
  bool bad = false;
  for (size_t i = 0; i < x->g->nodes.n; i++) {
    for (size_t k = 0; !bad && k < x->g->nodes.v[i].attributes.n; k++) {
      const onnx_attr *a = &x->g->nodes.v[i].attributes.v[k];
      bad |= a->graphs.n > 0 || (a->g && hidden(x, a->g, 0));
    }
  }
  return bad;
}

// ---- writing ----

static void convert_if_put_name(const inlining *x, onnxw *w, uint32_t field, onnx_str name) {
  const edit_value *v = convert_if_find(x, name);
  onnxw_bytes(w, field, v ? v->text : name.text, v ? v->name.bytes : name.bytes);
}

static weft_status convert_if_put_graph(const inlining *x, onnxw *w, onnx_str raw);

static weft_status convert_if_put_attr(const inlining *x, onnxw *w, onnx_str raw) {
  edit_fields it;
  weft_status s = WEFT_OK;
  onnxw_open(w, 5);
  weft__edit_fields(&it, raw, x->e->d);
  while (weft__edit_next(&it, &s)) {
    if (it.f.number == 6)
      s = convert_if_put_graph(x, w, weft__edit_payload(&it));
    else
      weft__edit_put(w, it.whole);
  }
  onnxw_close(w);
  return s;
}

static weft_status convert_if_put_node(const inlining *x, onnxw *w, onnx_str raw) {
  edit_fields it;
  weft_status s = WEFT_OK;
  weft__edit_fields(&it, raw, x->e->d);
  while (weft__edit_next(&it, &s)) {
    if (it.f.number == 1 || it.f.number == 2)
      convert_if_put_name(x, w, it.f.number, weft__edit_payload(&it));
    else if (it.f.number == 5)
      s = convert_if_put_attr(x, w, weft__edit_payload(&it));
    else
      weft__edit_put(w, it.whole);
  }
  return s;
}

static weft_status put_info(const inlining *x, onnxw *w, uint32_t field, onnx_str raw) {
  edit_fields it;
  weft_status s = WEFT_OK;
  onnxw_open(w, field);
  weft__edit_fields(&it, raw, x->e->d);
  while (weft__edit_next(&it, &s)) {
    if (it.f.number == 1)
      convert_if_put_name(x, w, 1, weft__edit_payload(&it));
    else
      weft__edit_put(w, it.whole);
  }
  onnxw_close(w);
  return s;
}

static weft_status convert_if_put_graph(const inlining *x, onnxw *w, onnx_str raw) {
  edit_fields it;
  weft_status s = WEFT_OK;
  onnxw_open(w, 6);
  weft__edit_fields(&it, raw, x->e->d);
  while (weft__edit_next(&it, &s)) {
    uint32_t field = it.f.number;
    if (field == 1) {
      onnxw_open(w, 1);
      s = convert_if_put_node(x, w, weft__edit_payload(&it));
      onnxw_close(w);
    } else if (field >= 11 && field <= 13) {
      s = put_info(x, w, field, weft__edit_payload(&it));
    } else {
      weft__edit_put(w, it.whole);
    }
  }
  onnxw_close(w);
  return s;
}

static weft_status convert_if_append(inlining *x, weft_text *t, onnxw *w, weft_status s) {
  onnx_str payload;
  weft_status taken = weft__edit_take(x->e, w, t, &payload);
  if (!s)
    s = taken;
  WEFT_TRY(s);
  return weft__edit_add_node(x->e, &x->tail, payload);
}

static weft_status add_constant(inlining *x, onnx_str raw, onnx_str name) {
  weft_text t;
  onnxw w;
  weft__text_init(&t, &x->e->env->alloc);
  onnxw_init(&w, &t);
  convert_if_put_name(x, &w, 2, name);
  onnxw_str(&w, 4, "Constant");
  onnxw_open(&w, 5);
  onnxw_str(&w, 1, "value");
  onnxw_int(&w, 20, ONNX_ATTR_TENSOR);
  onnxw_bytes(&w, 5, raw.text, raw.bytes);
  onnxw_close(&w);
  return convert_if_append(x, &t, &w, WEFT_OK);
}

static weft_status add_identity(inlining *x, onnx_str from, const edit_value *to) {
  weft_text t;
  onnxw w;
  weft__text_init(&t, &x->e->env->alloc);
  onnxw_init(&w, &t);
  convert_if_put_name(x, &w, 1, from);
  onnxw_bytes(&w, 2, to->text, to->name.bytes);
  onnxw_bytes(&w, 3, to->text, to->name.bytes);
  onnxw_str(&w, 4, "Identity");
  return convert_if_append(x, &t, &w, WEFT_OK);
}

static weft_status add_all(inlining *x) {
  edit_fields it;
  weft_status s = WEFT_OK;
  size_t init = 0;
  weft__edit_fields(&it, x->raw, x->e->d);
  while (weft__edit_next(&it, &s)) {
    if (it.f.number == 5)
      s = add_constant(x, weft__edit_payload(&it), x->g->initializers.v[init++].name);
  }
  WEFT_TRY(s);
  weft__edit_fields(&it, x->raw, x->e->d);
  while (weft__edit_next(&it, &s)) {
    weft_text text;
    onnxw w;
    if (it.f.number != 1)
      continue;
    weft__text_init(&text, &x->e->env->alloc);
    onnxw_init(&w, &text);
    s = convert_if_put_node(x, &w, weft__edit_payload(&it));
    s = convert_if_append(x, &text, &w, s);
  }
  WEFT_TRY(s);
  for (size_t i = 0; i < x->g->outputs.n; i++) {
    if (x->n->out[i] && convert_if_find(x, x->g->outputs.v[i].name) != x->n->out[i])
      WEFT_TRY(add_identity(x, x->g->outputs.v[i].name, x->n->out[i]));
  }
  return WEFT_OK;
}

// ---- which branch ----

static bool find_branch(inlining *x) {
  onnx_edit *e = x->e;
  edit_node *n = x->n;
  if (!weft__edit_builtin(e, n, "If") || n->n_in != 1 || !n->in[0])
    return false;
  const weft_tensor *cond = weft__edit_known(e, n->in[0]);
  if (!cond || cond->dtype != WEFT_BOOL || weft_tensor_elems(cond) != 1)
    return false;
  const char *name = weft_load_i64(cond->dtype, cond->data, 0) ? "then_branch" : "else_branch";
  edit_fields it;
  edit_fields in;
  weft_status s = WEFT_OK;
  weft_status t = WEFT_OK;
  size_t k = 0;
  size_t found = 0;
  weft__edit_fields(&it, n->raw, e->d);
  while (weft__edit_next(&it, &s)) {
    if (it.f.number != 5)
      continue;
    const onnx_attr *a = &n->n->attributes.v[k++];
    if (!onnx_str_is(a->name, name))
      continue;
    weft__edit_fields(&in, weft__edit_payload(&it), e->d);
    while (weft__edit_next(&in, &t)) {
      if (in.f.number == 6) {
        x->g = a->g;
        x->raw = weft__edit_payload(&in);
        found++;
      }
    }
  }
  const onnx_graph *g = x->g;
  if (s || t || found != 1 || !g)
    return false;
  if (g->inputs.n || g->outputs.n != n->n_out || g->sparse_initializers.n || g->quantization_annotations.n)
    return false;
  for (size_t i = 0; i < g->initializers.n; i++) {
    if (weft__edit_external(&g->initializers.v[i]))
      return false;
  }
  return true;
}

weft_status weft__convert_inline_if(onnx_edit *e, edit_node *n, bool *out) {
  inlining x = {.e = e, .n = n, .tail = &n->before};
  bool good;
  *out = false;
  if (n->n_captures == 0 || n->before || n->raw.text == NULL || !find_branch(&x))
    return WEFT_OK;
  weft__map_init(&x.names, &e->env->alloc);
  weft_status s = define_all(&x, &good);
  if (!s && good && !branch_hides(&x)) {
    s = add_all(&x);
    *out = n->replaced = e->again = !s;
  }
  weft__map_deinit(&x.names);
  return s;
}
// SPDX-License-Identifier: Apache-2.0
