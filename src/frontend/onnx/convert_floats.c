// convert_floats.c - f32 to f16 or back, throughout: initializers, constants, types in attributes, inputs and
// outputs. Numbers beyond 65504 become 65504. A few operators have no f16 form, or have inputs that are f32
// in any case: there Casts are put around the node, in bodies, too, so that names and every other node stay
// as they are. In functions that cannot be done; such a node is an error that names all of them.
#include "frontend/onnx/edit.h"

typedef struct only_f32 {
  const char *op;
  int64_t last;      // opset; 0: all
  uint32_t in, out;  // ports, bit by bit, that take no f16
} only_f32;
#define ALL UINT32_MAX
static const only_f32 table[] = {
    {"CumSum", 13, ALL, ALL},       {"DequantizeLinear", 18, 2, 1}, {"DynamicQuantizeLinear", 0, ALL, ALL},
    {"IsInf", 19, ALL, 0},          {"MelWeightMatrix", 0, 0, ALL}, {"NonMaxSuppression", 0, ALL, 0},
    {"QLinearConv", 0, ALL, 0},     {"QLinearMatMul", 20, ALL, 0},  {"QuantizeLinear", 18, ALL, 0},
    {"Range", 0, ALL, ALL},         {"Resize", 10, 2, 0},           {"Resize", 0, 6, 0},
    {"TfIdfVectorizer", 0, 0, ALL}, {"Upsample", 0, 2, 0},
};

static const only_f32 *find_rule(const onnx_edit *e, onnx_str op, onnx_str domain) {
  if (domain.bytes && !onnx_str_is(domain, "ai.onnx")) return NULL;
  for (size_t i = 0; i < WEFT_COUNT(table); i++)
    if (onnx_str_is(op, table[i].op) && (!table[i].last || e->version <= table[i].last)) return &table[i];
  return NULL;
}

static bool f32(const onnx_edit *e, const edit_value *v) {
  weft_tensor_desc desc;
  return v && weft__edit_desc(e, v, &desc) && desc.kind == WEFT_KIND_TENSOR && desc.dtype == WEFT_FLOAT;
}

static bool asks(uint32_t ports, uint32_t i) {
  return ports >> WEFT_MIN(i, 31) & 1;
}

weft_status weft__edit_cast(onnx_edit *e, edit_extra **list, const edit_value *from, const edit_value *to,
                            int32_t type) {
  weft_text t;
  onnxw w;
  edit_extra *x = WEFT_NEW(&e->arena, edit_extra);
  if (!x) return weft__edit_nomem(e);
  weft__text_init(&t, &e->env->alloc);
  onnxw_init(&w, &t);
  onnxw_bytes(&w, 1, from->text, from->name.bytes);
  onnxw_bytes(&w, 2, to->text, to->name.bytes);
  onnxw_bytes(&w, 3, to->text, to->name.bytes);
  onnxw_str(&w, 4, "Cast");
  onnxw_open(&w, 5);
  onnxw_str(&w, 1, "to");
  onnxw_int(&w, 20, ONNX_ATTR_INT);
  onnxw_int(&w, 3, type);
  onnxw_close(&w);
  x->next = *list, *list = x;
  return weft__edit_take(e, &w, &t, &x->payload);
}

static weft_status wrap(onnx_edit *e, edit_node *n, const only_f32 *r, size_t *casts) {
  for (uint32_t i = 0; i < n->n_in; i++) {
    edit_value *v = n->in[i];
    if (!asks(r->in, i) || !f32(e, v) || (v->init && v->init->keep_type)) continue;
    edit_value *made = weft__edit_fresh(e, v, "_f32");
    if (!made) return weft__edit_nomem(e);
    WEFT_TRY(weft__edit_cast(e, &n->before, v, made, ONNX_FLOAT));
    n->in[i] = made, n->changed = true, ++*casts;
  }
  for (uint32_t i = 0; i < n->n_out; i++) {
    edit_value *v = n->out[i];
    if (!asks(r->out, i) || !f32(e, v)) continue;
    edit_value *made = weft__edit_fresh(e, v, "_f32");
    if (!made) return weft__edit_nomem(e);
    WEFT_TRY(weft__edit_cast(e, &n->after, made, v, ONNX_FLOAT16));
    n->out[i] = made, n->changed = true, ++*casts;
  }
  return WEFT_OK;
}

// An initializer that only such ports read stays f32.
static void keep_constants(onnx_edit *e) {
  for (size_t i = 0; i < e->n_nodes; i++) {
    edit_node *n = &e->nodes[i];
    const only_f32 *r = find_rule(e, n->n->op_type, n->n->domain);
    for (uint32_t k = 0; r && k < n->n_in; k++)
      if (asks(r->in, k) && n->in[k] && n->in[k]->init) n->in[k]->n_uses--;
  }
  for (size_t i = 0; i < e->n_tensors; i++) {
    edit_tensor *t = &e->tensors[i];
    const edit_value *v = t->value;
    t->keep_type =
        t->t->data_type == ONNX_FLOAT && !v->n_uses && !v->captured && !v->output && !v->input && f32(e, v);
  }
  weft__edit_count_uses(e);
  for (size_t i = 0; i < e->n_tensors; i++) e->tensors[i].keep_type &= e->tensors[i].value->n_uses > 0;
}

// ---- what lies inside ----

typedef struct inner {
  const onnx_edit *e;
  char text[512];
  size_t at, n;
} inner;

static void look(inner *x, const onnx_node *v, size_t n, bool count, int depth) {
  for (size_t i = 0; i < n && depth <= ONNX_MAX_GRAPH_DEPTH; i++) {
    const only_f32 *r = count ? find_rule(x->e, v[i].op_type, v[i].domain) : NULL;
    if (r && (r->in || r->out)) {
      if (x->n++ < 8)
        weft__append(x->text, sizeof x->text, &x->at, "%s'%.*s' (%s)", x->at ? ", " : "",
                     (int)WEFT_MIN(v[i].name.bytes, 60), v[i].name.text ? v[i].name.text : "", r->op);
    }
    for (size_t k = 0; k < v[i].attributes.n; k++) {
      const onnx_attr *a = &v[i].attributes.v[k];
      if (a->g) look(x, a->g->nodes.v, a->g->nodes.n, true, depth + 1);
      for (size_t j = 0; j < a->graphs.n; j++)
        look(x, a->graphs.v[j].nodes.v, a->graphs.v[j].nodes.n, true, depth + 1);
    }
  }
}

static weft_status refuse_in_functions(onnx_edit *e) {
  inner x = {.e = e};
  for (size_t i = 0; i < e->model->functions.n; i++)
    look(&x, e->model->functions.v[i].nodes.v, e->model->functions.v[i].nodes.n, true, 0);
  if (!x.n) return WEFT_OK;
  return weft_fail(e->d, WEFT_E_UNSUPPORTED, "%zu node%s in functions take no f16: %s", x.n,
                   x.n == 1 ? "" : "s", x.text);
}

// Bodies with such nodes are converted as models of their own; all others are changed message by message.
static weft_status convert_inner(onnx_edit *e, edit_node *n) {
  inner x = {.e = e};
  const edit_body_step step = {.fn = weft__convert_floats, .strict = true};
  look(&x, n->n, 1, false, 0);
  if (!x.n) return WEFT_OK;
  WEFT_TRY(weft__convert_bodies(e, n, &step, &n->settled));
  if (n->settled)
    weft__edit_say(e, "%zu node%s in bodies have no f16 form: Casts put around: %s", x.n, x.n == 1 ? "" : "s",
                   x.text);
  return WEFT_OK;
}

static void say_wrapped(const onnx_edit *e, const edit_node *n, const only_f32 *r) {
  weft__edit_say(e, "node '%.*s' (%s) has no f16 form in opset %lld: Casts put around it",
                 (int)WEFT_MIN(n->n->name.bytes, 100), n->n->name.text ? n->n->name.text : "", r->op,
                 (long long)e->version);
}

static weft_status to_half(onnx_edit *e) {
  size_t casts = 0;
  if (!e->outer) WEFT_TRY(refuse_in_functions(e));
  keep_constants(e);
  for (size_t i = 0; i < e->n_nodes; i++) {
    const only_f32 *r = find_rule(e, e->nodes[i].n->op_type, e->nodes[i].n->domain);
    size_t before = casts;
    if (r) WEFT_TRY(wrap(e, &e->nodes[i], r, &casts));
    if (casts > before) say_wrapped(e, &e->nodes[i], r);
    if (e->nodes[i].n_captures) WEFT_TRY(convert_inner(e, &e->nodes[i]));
  }
  return WEFT_OK;
}

// What convert_border.c set apart: infos and constants as they are, and the Casts that give outputs.
static void keep_border(onnx_edit *e) {
  for (size_t i = 0; i < e->n_inputs; i++) e->inputs[i].keep = !e->inputs[i].value->init;
  for (size_t i = 0; i < e->n_infos; i++) {
    const edit_value *v = e->infos[i].value;
    e->infos[i].keep = (v->input && !v->init) || v->output;
  }
  for (size_t i = 0; i < e->n_outputs; i++) {
    edit_value *v = e->outputs[i].value;
    e->outputs[i].keep = true;
    if (v->init) v->init->keep_type = true;
    if (v->input) v->input->keep = true;
    if (v->producer && weft__edit_builtin(e, v->producer, "Cast")) v->producer->settled = true;
  }
}

weft_status weft__convert_floats(onnx_edit *e) {
  bool to_f16 = e->o->floats == WEFT_CONVERT_F16;
  size_t kept = 0;
  edit_deep *deep = WEFT_NEW(&e->arena, edit_deep);
  if (!e->counters) e->counters = WEFT_NEW_N(&e->arena, size_t, 3);
  if (!deep || !e->counters) return weft__edit_nomem(e);
  *deep = (edit_deep){.from = to_f16 ? ONNX_FLOAT : ONNX_FLOAT16,
                      .to = to_f16 ? ONNX_FLOAT16 : ONNX_FLOAT,
                      .n_tensors = e->counters,
                      .n_clamped = e->counters + 1,
                      .n_lost = e->counters + 2};
  WEFT_TRY(weft__edit_infer(e, 1024));
  e->deep = deep;
  if (to_f16) WEFT_TRY(to_half(e));
  if (e->o->keep_io && !e->outer) keep_border(e);
  for (size_t i = 0; i < e->n_tensors; i++) {
    if (!e->tensors[i].keep_type) continue;
    kept++;
    if (e->tensors[i].value->info) e->tensors[i].value->info->gone = true;
  }
  if (kept) weft__edit_say(e, "%zu initializer%s stay f32, as their readers ask", kept, kept == 1 ? "" : "s");
  return WEFT_OK;
}
