// convert_floats.c - f32 to f16 or bf16, or f16 back, throughout: initializers, constants, types in
// attributes, inputs and outputs. Numbers beyond the largest become the largest. Operators without a form in
// the narrow type, or with inputs that are f32 in any case, stay f32: Casts are put around the node, in
// bodies, too, so that names and every other node stay as they are. In functions that cannot be done; such a
// node is an error that names all of them. So is a node with bodies that hands on no bf16: its bodies would
// have to change at their borders. Sequences and optionals hold no bf16 in ONNX and stay f32.
#include <math.h>

#include "frontend/onnx/edit.h"

typedef struct only_f32 {
  const char *op;
  int64_t last;      // opset; 0: all
  uint32_t in, out;  // ports, bit by bit, that do not take the narrow type
} only_f32;
#define ALL UINT32_MAX
static const only_f32 f16_table[] = {
    {"CumSum", 13, ALL, ALL},       {"DequantizeLinear", 18, 2, 1}, {"DynamicQuantizeLinear", 0, ALL, ALL},
    {"IsInf", 19, ALL, 0},          {"MelWeightMatrix", 0, 0, ALL}, {"NonMaxSuppression", 0, ALL, 0},
    {"QLinearConv", 0, ALL, 0},     {"QLinearMatMul", 20, ALL, 0},  {"QuantizeLinear", 18, ALL, 0},
    {"Range", 0, ALL, ALL},         {"Resize", 10, 2, 0},           {"Resize", 0, 6, 0},
    {"TfIdfVectorizer", 0, 0, ALL}, {"Upsample", 0, 2, 0},
};

enum { OLDEST_BF16 = 13 };  // operator set; the first whose Cast makes bf16
static const only_f32 bf16_table[] = {
#include "frontend/onnx/bf16.inc"
};
// What other domains take is theirs to say: their nodes run as before.
static const only_f32 bf16_foreign = {"another domain's", 0, ALL, ALL};

static bool to_bf16(const onnx_edit *e) {
  return e->o->floats == WEFT_CONVERT_BF16;
}

static bool is_function(const onnx_edit *e, onnx_str op, onnx_str domain) {
  for (size_t i = 0; i < e->model->functions.n; i++) {
    const onnx_function *f = &e->model->functions.v[i];
    if (onnx_str_same(f->name, op) && onnx_str_same(f->domain, domain))
      return true;
  }
  return false;
}

static const only_f32 *find_rule(const onnx_edit *e, onnx_str op, onnx_str domain) {
  const only_f32 *table = to_bf16(e) ? bf16_table : f16_table;
  size_t n = to_bf16(e) ? WEFT_COUNT(bf16_table) : WEFT_COUNT(f16_table);
  if (is_function(e, op, domain))
    return NULL;
  if (domain.bytes && !onnx_str_is(domain, "ai.onnx"))
    return to_bf16(e) ? &bf16_foreign : NULL;
  for (size_t i = 0; i < n; i++) {
    if (onnx_str_is(op, table[i].op) && (!table[i].last || e->version <= table[i].last))
      return &table[i];
  }
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
  WEFT_TRY(weft__edit_allocated(x, e));
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
  x->next = *list;
  *list = x;
  return weft__edit_take(e, &w, &t, &x->payload);
}

int32_t weft__edit_narrow(const onnx_edit *e) {
  return to_bf16(e) ? ONNX_BFLOAT16 : ONNX_FLOAT16;
}

const char *weft__edit_narrow_name(const onnx_edit *e) {
  return to_bf16(e) ? "bf16" : "f16";
}

static weft_status wrap(onnx_edit *e, edit_node *n, const only_f32 *r, size_t *casts) {
  for (uint32_t i = 0; i < n->n_in; i++) {
    edit_value *v = n->in[i];
    if (!asks(r->in, i) || !f32(e, v) || (v->init && v->init->keep_type))
      continue;
    edit_value *made = weft__edit_fresh(e, v, "_f32");
    WEFT_TRY(weft__edit_allocated(made, e));
    WEFT_TRY(weft__edit_cast(e, &n->before, v, made, ONNX_FLOAT));
    n->in[i] = made;
    n->changed = true;
    ++*casts;
  }
  for (uint32_t i = 0; i < n->n_out; i++) {
    edit_value *v = n->out[i];
    if (!asks(r->out, i) || !f32(e, v))
      continue;
    edit_value *made = weft__edit_fresh(e, v, "_f32");
    WEFT_TRY(weft__edit_allocated(made, e));
    WEFT_TRY(weft__edit_cast(e, &n->after, made, v, weft__edit_narrow(e)));
    n->out[i] = made;
    n->changed = true;
    ++*casts;
    n->settled = true;  // attributes that say f32 stay
  }
  return WEFT_OK;
}

// A Cast to bf16 makes the largest numbers of f32 infinite, as masks have them. Such a tensor is converted.
static bool beyond(const onnx_edit *e, const edit_value *v) {
  const weft_tensor *t = to_bf16(e) ? weft__edit_data(e, v) : NULL;
  bool has = false;
  for (int64_t i = 0; t && t->dtype == WEFT_FLOAT && i < weft_tensor_elems(t); i++) {
    double x = fabs(weft_load_f64(WEFT_FLOAT, t->data, (size_t)i));
    has |= x > EDIT_BF16_MOST && x - x == 0;
  }
  return has;
}

// An initializer that only such ports read stays f32.
static void keep_constants(onnx_edit *e) {
  for (size_t i = 0; i < e->n_nodes; i++) {
    edit_node *n = &e->nodes[i];
    const only_f32 *r = find_rule(e, n->n->op_type, n->n->domain);
    for (uint32_t k = 0; r && k < n->n_in; k++) {
      if (asks(r->in, k) && n->in[k] && n->in[k]->init)
        n->in[k]->n_uses--;
    }
  }
  for (size_t i = 0; i < e->n_tensors; i++) {
    edit_tensor *t = &e->tensors[i];
    const edit_value *v = t->value;
    bool inner = !v->captured && !v->output && !v->input;
    t->keep_type = t->t->data_type == ONNX_FLOAT && !v->n_uses && inner && f32(e, v) && !beyond(e, v);
  }
  weft__edit_count_uses(e);
  for (size_t i = 0; i < e->n_tensors; i++)
    e->tensors[i].keep_type &= e->tensors[i].value->n_uses > 0;
}

// ---- what lies inside ----

typedef struct inner {
  const onnx_edit *e;
  char text[512];
  size_t at, n;
} inner;

static void convert_floats_look(inner *x, const onnx_node *v, size_t n, bool count, int depth) {
  for (size_t i = 0; i < n && depth <= ONNX_MAX_GRAPH_DEPTH; i++) {
    const only_f32 *r = count ? find_rule(x->e, v[i].op_type, v[i].domain) : NULL;
    if (r && (r->in || r->out)) {
      if (x->n++ < 8) {
        weft__append(x->text, sizeof x->text, &x->at, "%s'%.*s' (%.*s)", x->at ? ", " : "",
                     (int)WEFT_MIN(v[i].name.bytes, 60), onnx_str_text(v[i].name),
                     (int)WEFT_MIN(v[i].op_type.bytes, 60), v[i].op_type.text);
      }
    }
    for (size_t k = 0; k < v[i].attributes.n; k++) {
      const onnx_attr *a = &v[i].attributes.v[k];
      if (a->g)
        convert_floats_look(x, a->g->nodes.v, a->g->nodes.n, true, depth + 1);
      for (size_t j = 0; j < a->graphs.n; j++)
        convert_floats_look(x, a->graphs.v[j].nodes.v, a->graphs.v[j].nodes.n, true, depth + 1);
    }
  }
}

static weft_status refuse_in_functions(onnx_edit *e) {
  inner x = {.e = e};
  for (size_t i = 0; i < e->model->functions.n; i++)
    convert_floats_look(&x, e->model->functions.v[i].nodes.v, e->model->functions.v[i].nodes.n, true, 0);
  if (!x.n)
    return WEFT_OK;
  return weft_fail(e->d, WEFT_E_UNSUPPORTED, "%zu node%s in functions take no %s: %s", x.n,
                   x.n == 1 ? "" : "s", weft__edit_narrow_name(e), x.text);
}

// Bodies with such nodes are converted as models of their own; all others are changed message by message.
static weft_status convert_inner(onnx_edit *e, edit_node *n) {
  inner x = {.e = e};
  const edit_body_step step = {.fn = weft__convert_floats, .strict = true};
  convert_floats_look(&x, n->n, 1, false, 0);
  if (!x.n)
    return WEFT_OK;
  WEFT_TRY(weft__convert_bodies(e, n, &step, &n->settled));
  if (n->settled) {
    weft__edit_say(e, "%zu node%s in bodies have no %s form: Casts put around: %s", x.n, x.n == 1 ? "" : "s",
                   weft__edit_narrow_name(e), x.text);
  }
  return WEFT_OK;
}

static void say_wrapped(const onnx_edit *e, const edit_node *n) {
  weft__edit_say(e, "node '%.*s' (%.*s) has no %s form in opset %lld: Casts put around it",
                 (int)WEFT_MIN(n->n->name.bytes, 100), onnx_str_text(n->n->name),
                 (int)WEFT_MIN(n->n->op_type.bytes, 100), n->n->op_type.text, weft__edit_narrow_name(e),
                 (long long)e->version);
}

static bool has_body(const edit_node *n) {
  for (size_t i = 0; i < n->n->attributes.n; i++) {
    if (n->n->attributes.v[i].g || n->n->attributes.v[i].graphs.n)
      return true;
  }
  return false;
}

// Casts around a node with bodies would leave them reading and giving the narrow type.
static weft_status refuse_bodies(const onnx_edit *e, const edit_node *n, const only_f32 *r) {
  const char *name = onnx_str_text(n->n->name);
  if (r->last) {
    return weft_fail(e->d, WEFT_E_UNSUPPORTED,
                     "node '%.*s' (%s) takes bf16 from operator set %lld on, and the model's is %lld: export "
                     "it for a newer one, or convert it with onnx.version_converter",
                     (int)WEFT_MIN(n->n->name.bytes, 100), name, r->op, (long long)r->last + 1,
                     (long long)e->version);
  }
  return weft_fail(e->d, WEFT_E_UNSUPPORTED, "node '%.*s' (%s) takes bf16 in no operator set, and has a body",
                   (int)WEFT_MIN(n->n->name.bytes, 100), name, r->op);
}

static weft_status check_opset(const onnx_edit *e) {
  if (!to_bf16(e) || e->version >= OLDEST_BF16)
    return WEFT_OK;
  return weft_fail(
      e->d, WEFT_E_UNSUPPORTED,
      "the model's operator set is %lld, and ONNX has bf16 from %d on: export it for a newer one, "
      "or convert it with onnx.version_converter",
      (long long)e->version, OLDEST_BF16);
}

static weft_status to_narrow(onnx_edit *e) {
  size_t casts = 0;
  if (!e->outer)
    WEFT_TRY(refuse_in_functions(e));
  keep_constants(e);
  for (size_t i = 0; i < e->n_nodes; i++) {
    const only_f32 *r = find_rule(e, e->nodes[i].n->op_type, e->nodes[i].n->domain);
    size_t before = casts;
    if (r)
      WEFT_TRY(wrap(e, &e->nodes[i], r, &casts));
    if (r && has_body(&e->nodes[i]) && (casts > before || !r->last))
      return refuse_bodies(e, &e->nodes[i], r);
    if (casts > before)
      say_wrapped(e, &e->nodes[i]);
    if (e->nodes[i].n_captures)
      WEFT_TRY(convert_inner(e, &e->nodes[i]));
  }
  return WEFT_OK;
}

// What convert_border.c set apart: infos and constants as they are, and the Casts that give outputs.
static void keep_border(onnx_edit *e) {
  for (size_t i = 0; i < e->n_inputs; i++)
    e->inputs[i].keep = !e->inputs[i].value->init;
  for (size_t i = 0; i < e->n_infos; i++) {
    const edit_value *v = e->infos[i].value;
    e->infos[i].keep = (v->input && !v->init) || v->output;
  }
  for (size_t i = 0; i < e->n_outputs; i++) {
    edit_value *v = e->outputs[i].value;
    e->outputs[i].keep = true;
    if (v->init)
      v->init->keep_type = true;
    if (v->input)
      v->input->keep = true;
    if (v->producer && weft__edit_builtin(e, v->producer, "Cast"))
      v->producer->settled = true;
  }
}

weft_status weft__convert_floats(onnx_edit *e) {
  bool narrower = e->o->floats != WEFT_CONVERT_F32;
  size_t kept = 0;
  WEFT_TRY(check_opset(e));
  edit_deep *deep = WEFT_NEW(&e->arena, edit_deep);
  if (!e->counters)
    e->counters = WEFT_NEW_N(&e->arena, size_t, 3);
  WEFT_TRY(weft__edit_allocated(deep && e->counters, e));
  *deep = (edit_deep){.from = narrower ? ONNX_FLOAT : ONNX_FLOAT16,
                      .to = narrower ? weft__edit_narrow(e) : ONNX_FLOAT,
                      .n_tensors = e->counters,
                      .n_clamped = e->counters + 1,
                      .n_lost = e->counters + 2};
  WEFT_TRY(weft__edit_infer(e, 1024));
  e->deep = deep;
  if (narrower)
    WEFT_TRY(to_narrow(e));
  if (e->o->keep_io && !e->outer)
    keep_border(e);
  for (size_t i = 0; i < e->n_tensors; i++) {
    if (!e->tensors[i].keep_type)
      continue;
    kept++;
    if (e->tensors[i].value->info)
      e->tensors[i].value->info->gone = true;
  }
  if (kept)
    weft__edit_say(e, "%zu initializer%s stay f32, as their readers ask", kept, kept == 1 ? "" : "s");
  return WEFT_OK;
}
// SPDX-License-Identifier: Apache-2.0
