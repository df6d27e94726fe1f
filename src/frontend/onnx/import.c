// import.c - an ONNX model into a graph. Names are bound as nodes are appended (ONNX demands topological order), and each
// node is inferred at once, so that operator functions can ask for ranks. Weights stay in the mapped file.
#include "frontend/onnx/import.h"

#include "weft/onnx.h"

static const char *text_of(onnx_import *m, onnx_str s) {  // zero-terminated copy; NULL: out of memory
  return weft__arena_strdup(&m->arena, s.text ? s.text : "", s.bytes);
}

static weft_status plain_name(onnx_import *m, onnx_str s, const char *what, uint64_t offset) {
  if (s.bytes && memchr(s.text, 0, s.bytes))
    return weft_fail(m->d, WEFT_E_CORRUPT, "the name of %s at byte %llu contains a zero byte", what,
                     (unsigned long long)offset);
  return WEFT_OK;
}

weft_status onnx_fail(const onnx_op *o, weft_status s, const char *fmt, ...) {
  char text[768];
  va_list ap;
  va_start(ap, fmt);
  vsnprintf(text, sizeof text, fmt, ap);
  va_end(ap);
  return weft_fail(o->m->d, s, "%s", text);
}

// ---- reading the ONNX node ----
const onnx_attr *onnx_find_attr(const onnx_op *o, const char *name) {
  for (size_t i = 0; i < o->n->attributes.n; i++)
    if (onnx_str_is(o->n->attributes.v[i].name, name)) return &o->n->attributes.v[i];
  return NULL;
}

static weft_status typed(onnx_op *o, const char *name, int kind, const onnx_attr **out) {
  static const char *const names[] = {"none", "FLOAT", "INT", "STRING", "TENSOR", "GRAPH", "FLOATS", "INTS", "STRINGS"};
  const onnx_attr *a = *out = onnx_find_attr(o, name);
  if (!a || onnx_attr_kind(a) == kind) return WEFT_OK;
  int got = onnx_attr_kind(a);
  return onnx_fail(o, WEFT_E_TYPE, "attribute '%s' at byte %llu: expected %s, got %s", name, (unsigned long long)a->offset,
                   names[kind], got >= 0 && got < (int)WEFT_COUNT(names) ? names[got] : "another type");
}

weft_status onnx_int_attr(onnx_op *o, const char *name, int64_t dflt, int64_t *out) {
  const onnx_attr *a;
  WEFT_TRY(typed(o, name, ONNX_ATTR_INT, &a));
  *out = a ? a->i : dflt;
  return WEFT_OK;
}

weft_status onnx_float_attr(onnx_op *o, const char *name, float dflt, float *out) {
  const onnx_attr *a;
  WEFT_TRY(typed(o, name, ONNX_ATTR_FLOAT, &a));
  *out = a ? a->f : dflt;
  return WEFT_OK;
}

weft_status onnx_str_attr(onnx_op *o, const char *name, const char *dflt, weft_str *out) {
  const onnx_attr *a;
  WEFT_TRY(typed(o, name, ONNX_ATTR_STRING, &a));
  *out = a ? (weft_str){a->s.text ? a->s.text : "", a->s.bytes} : (weft_str){dflt, strlen(dflt)};
  return WEFT_OK;
}

weft_status onnx_ints_attr(onnx_op *o, const char *name, const int64_t **out, size_t *out_n) {
  const onnx_attr *a;
  WEFT_TRY(typed(o, name, ONNX_ATTR_INTS, &a));
  *out = a ? a->ints.v : NULL;
  *out_n = a ? a->ints.n : 0;
  return WEFT_OK;
}

weft_value *onnx_in(const onnx_op *o, size_t i) {
  if (i >= o->n->inputs.n || !o->n->inputs.v[i].bytes) return NULL;
  return weft__map_find(&o->m->values, o->n->inputs.v[i].text, o->n->inputs.v[i].bytes);
}

weft_status onnx_need(const onnx_op *o, size_t i, weft_value **out) {
  *out = onnx_in(o, i);
  return *out ? WEFT_OK : onnx_fail(o, WEFT_E_MISSING, "required input %zu is not given (the node has %zu)", i,
                                    (size_t)o->n->inputs.n);
}

bool onnx_wants(const onnx_op *o, size_t i) {
  return i < o->n->outputs.n && o->n->outputs.v[i].bytes &&
         weft__map_find(&o->m->used, o->n->outputs.v[i].text, o->n->outputs.v[i].bytes);
}

weft_status onnx_dtype(onnx_op *o, int64_t elem_type, weft_dtype *out) {
  if (weft__onnx_dtype(elem_type, out)) return WEFT_OK;
  return onnx_fail(o, WEFT_E_DTYPE, "element type %lld is not known", (long long)elem_type);
}

int onnx_rank(const weft_value *v) { return v->fact.set && !v->fact.unknown_rank ? v->fact.rank : -1; }

// ---- emitting primitives ----
void onnx_set(onnx_op *o, const char *name, weft_attr value) {
  WEFT_ASSERT(o->n_attrs < WEFT_COUNT(o->attrs));
  o->attrs[o->n_attrs++] = (weft_named_attr){name, value};
}

static weft_status bind(onnx_import *m, onnx_str name, weft_value *v, uint64_t offset) {
  WEFT_TRY(plain_name(m, name, "a value", offset));
  if (weft__map_find(&m->values, name.text, name.bytes))
    return weft_fail(m->d, WEFT_E_DUPLICATE, "value '%.*s' has two producers; the second is at byte %llu",
                     (int)WEFT_MIN(name.bytes, 200), name.text, (unsigned long long)offset);
  if (weft__map_set(&m->values, name.text, name.bytes, v)) return weft_fail(m->d, WEFT_E_NOMEM, "out of memory");
  return WEFT_OK;
}

static weft_status set_origin(onnx_op *o, weft_node *node) {
  const char *name = text_of(o->m, o->n->name), *type = text_of(o->m, o->n->op_type);
  if (!name || !type) return onnx_fail(o, WEFT_E_NOMEM, "out of memory");
  weft_origin origin = {.file = o->m->file, .offset = o->n->offset, .name = name, .type = type};
  return weft_node_set_origin(node, &origin, o->m->d);
}

static weft_status describe_type(onnx_import *m, const onnx_tensor_type *t, weft_tensor_desc *desc, const char *what) {
  weft_dtype dtype = WEFT_UNDEFINED;
  weft_dim dims[WEFT_MAX_RANK];
  if (t->elem_type && !weft__onnx_dtype(t->elem_type, &dtype))
    return weft_fail(m->d, WEFT_E_DTYPE, "%s: element type %d is not known", what, t->elem_type);
  weft_desc_init(desc);
  desc->dtype = dtype;
  if (!t->shape) {
    weft_shape_set_unknown_rank(&desc->layout.origin);
    weft_shape_set_unknown_rank(&desc->layout.storage);
    return WEFT_OK;
  }
  if (t->shape->dims.n > WEFT_MAX_RANK)
    return weft_fail(m->d, WEFT_E_LIMIT, "%s: rank %zu is over the limit of %d", what, (size_t)t->shape->dims.n, WEFT_MAX_RANK);
  for (size_t i = 0; i < t->shape->dims.n; i++) {
    const onnx_dim *dim = &t->shape->dims.v[i];
    dims[i] = -1;
    if (dim->which == ONNX_DIM_VALUE && dim->value < -1)
      return weft_fail(m->d, WEFT_E_SHAPE, "%s: dim %zu is %lld", what, i, (long long)dim->value);
    if (dim->which == ONNX_DIM_VALUE) dims[i] = dim->value;
    if (dim->which == ONNX_DIM_PARAM && dim->param.bytes && !memchr(dim->param.text, 0, dim->param.bytes))
      dims[i] = weft_dim_symbol(m->g->root->symbols, dim->param.text, dim->param.bytes, 0, -1);
  }
  return weft_desc_set(desc, dtype, WEFT_ND, dims, t->shape->dims.n);
}

// Names an output as the model does and takes over what the model declares of it.
static weft_status bind_output(onnx_op *o, size_t i, weft_value *v) {
  onnx_str name = o->n->outputs.v[i];
  const char *text = text_of(o->m, name);
  if (!text) return onnx_fail(o, WEFT_E_NOMEM, "out of memory");
  WEFT_TRY(bind(o->m, name, v, o->n->offset));
  if (strcmp(v->name, text)) WEFT_TRY(weft__value_rename(v, text, o->m->d));
  const onnx_value_info *info = weft__map_find(&o->m->infos, name.text, name.bytes);
  const onnx_tensor_type *t = info ? onnx_value_tensor(info) : NULL;
  if (!t) return WEFT_OK;
  weft_tensor_desc desc;
  WEFT_TRY(describe_type(o->m, t, &desc, text));
  return weft_value_declare(v, &desc, o->m->d);
}

weft_status onnx_emit(onnx_op *o, const char *type, weft_value *const *in, size_t n_in, const weft_use *counts, size_t n_bind,
                      weft_value **out) {
  onnx_import *m = o->m;
  weft_use use = counts ? *counts : (weft_use){0};
  use.attrs = o->attrs, use.n_attrs = o->n_attrs;
  char name[256];
  const onnx_str given = o->n->name.bytes ? o->n->name : o->n->outputs.n ? o->n->outputs.v[0] : o->n->op_type;
  if (n_bind) snprintf(name, sizeof name, "%.*s", (int)WEFT_MIN(given.bytes, 200), given.text);
  else snprintf(name, sizeof name, "%.*s/%s_%u", (int)WEFT_MIN(given.bytes, 200), given.text, type, m->n_temp++);
  if (weft_graph_find_node(m->g, name)) {
    size_t at = strlen(name);
    snprintf(name + at, sizeof name - at, "_%u", m->n_temp++);
  }
  use.name = name;
  weft_node *node;
  WEFT_TRY(weft_graph_add(m->g, type, &use, in, n_in, &node, m->d));
  o->n_attrs = 0;
  WEFT_TRY(set_origin(o, node));
  for (size_t i = 0; i < n_bind && i < node->desc.pub.n_out; i++)
    if (i < o->n->outputs.n && o->n->outputs.v[i].bytes) WEFT_TRY(bind_output(o, i, &node->out[i]));
  if (out) *out = &node->out[0];
  return weft__steps_node(m->append, node, m->d);
}

static weft_status add_const(onnx_op *o, const weft_tensor *t, weft_value **out) {
  char name[64];
  do snprintf(name, sizeof name, "weft/const_%u", o->m->n_temp++);
  while (weft_graph_find_value(o->m->g, name));
  *out = weft_graph_const(o->m->g, name, t, WEFT_CONST_COPY, o->m->d);
  return *out ? WEFT_OK : o->m->d->status;
}

weft_status onnx_const_ints(onnx_op *o, const int64_t *v, size_t n, bool scalar, weft_value **out) {
  weft_tensor t;
  weft_dim dim = (weft_dim)n;
  weft_tensor_init(&t, &o->m->env->alloc);
  weft_status s = weft_tensor_borrow(&t, WEFT_INT64, &dim, !scalar, (void *)(uintptr_t)v, n * sizeof *v, o->m->d);
  if (!s) s = add_const(o, &t, out);
  weft_tensor_deinit(&t);
  return s;
}

weft_status onnx_const_scalar(onnx_op *o, weft_dtype dtype, double v, weft_value **out) {
  weft_tensor t;
  uint64_t store[2] = {0, 0};
  weft_tensor_init(&t, &o->m->env->alloc);
  weft_store_f64(dtype, store, 0, v);
  weft_status s = weft_tensor_borrow(&t, dtype, NULL, 0, store, weft_dtype_bits(dtype) / 8, o->m->d);
  if (!s) s = add_const(o, &t, out);
  weft_tensor_deinit(&t);
  return s;
}

// ---- the graph ----
typedef struct unsupported {
  const onnx_node *first;
  size_t nodes;
} unsupported;

static bool same_operator(const onnx_node *a, const onnx_node *b) {
  return a->op_type.bytes == b->op_type.bytes && a->domain.bytes == b->domain.bytes &&
         !memcmp(a->op_type.text ? a->op_type.text : "", b->op_type.text ? b->op_type.text : "", a->op_type.bytes) &&
         !memcmp(a->domain.text ? a->domain.text : "", b->domain.text ? b->domain.text : "", a->domain.bytes);
}

static void list_unsupported(const onnx_import *m, const unsupported *u, weft_text *list) {
  const onnx_node *n = u->first;
  bool ours = !n->domain.bytes || onnx_str_is(n->domain, "ai.onnx");
  weft__text_addf(list, "\n  %.*s (%.*s", (int)WEFT_MIN(n->op_type.bytes, 100), n->op_type.text ? n->op_type.text : "",
                  ours ? 7 : (int)WEFT_MIN(n->domain.bytes, 60), ours ? "ai.onnx" : n->domain.text);
  if (ours) weft__text_addf(list, " %lld", (long long)m->version);
  weft__text_addf(list, "): %zu node%s, first '%.*s' at byte %llu", u->nodes, u->nodes == 1 ? "" : "s",
                  (int)WEFT_MIN(n->name.bytes, 60), n->name.text ? n->name.text : "", (unsigned long long)n->offset);
}

// Everything that cannot be imported is reported at once, before any work.
static weft_status check_operators(onnx_import *m) {
  unsupported found[24];
  size_t n_found = 0, nodes = 0;
  for (size_t i = 0; i < m->model->graph->nodes.n; i++) {
    const onnx_node *n = &m->model->graph->nodes.v[i];
    bool ours = !n->domain.bytes || onnx_str_is(n->domain, "ai.onnx");
    if (ours && weft__onnx_find(n->op_type, m->version)) continue;
    nodes++;
    size_t k = 0;
    while (k < n_found && !same_operator(found[k].first, n)) k++;
    if (k < n_found) found[k].nodes++;
    else if (n_found < WEFT_COUNT(found)) found[n_found++] = (unsupported){n, 1};
  }
  if (!nodes) return WEFT_OK;
  weft_text list;
  weft__text_init(&list, &m->env->alloc);
  for (size_t i = 0; i < n_found; i++) list_unsupported(m, &found[i], &list);
  weft_status s = weft_fail(m->d, WEFT_E_UNSUPPORTED, "%zu node%s with operators that weft does not import:%s%s", nodes,
                            nodes == 1 ? "" : "s", list.v ? list.v : "", n_found == WEFT_COUNT(found) ? "\n  ..." : "");
  weft__text_deinit(&list);
  return s;
}

static weft_status find_version(onnx_import *m) {
  m->version = -1;
  for (size_t i = 0; i < m->model->opset_imports.n; i++) {
    const onnx_opset *o = &m->model->opset_imports.v[i];
    if (!o->domain.bytes || onnx_str_is(o->domain, "ai.onnx")) m->version = o->version;
  }
  if (m->version < 0 && m->model->ir_version < 3) m->version = 1;
  if (m->version < 1 || m->version > 28)
    return weft_fail(m->d, WEFT_E_VERSION, "operator-set version %lld of ai.onnx: this weft reads 1 to 28",
                     (long long)m->version);
  return WEFT_OK;
}

static weft_status add_initializers(onnx_import *m) {
  const onnx_graph *g = m->model->graph;
  if (g->sparse_initializers.n)
    return weft_fail(m->d, WEFT_E_UNSUPPORTED, "the graph has %zu sparse initializers, which are not read yet",
                     (size_t)g->sparse_initializers.n);
  for (size_t i = 0; i < g->initializers.n; i++) {
    const onnx_tensor *t = &g->initializers.v[i];
    WEFT_TRY(plain_name(m, t->name, "an initializer", t->offset));
    const char *name = text_of(m, t->name);
    if (!name) return weft_fail(m->d, WEFT_E_NOMEM, "out of memory");
    weft_tensor *tensor = weft__graph_tensor(m->g);  // the graph's; its data stay in the file
    if (!tensor) return weft_fail(m->d, WEFT_E_NOMEM, "out of memory");
    WEFT_TRY(weft__onnx_tensor(t, true, tensor, m->d));
    weft_value *v = weft_graph_const(m->g, name, tensor, WEFT_CONST_BORROW, m->d);
    if (!v) return m->d->status;
    WEFT_TRY(bind(m, t->name, v, t->offset));
  }
  return WEFT_OK;
}

static weft_status add_inputs(onnx_import *m) {
  const onnx_graph *g = m->model->graph;
  for (size_t i = 0; i < g->inputs.n; i++) {
    const onnx_value_info *v = &g->inputs.v[i];
    WEFT_TRY(plain_name(m, v->name, "a graph input", v->offset));
    if (weft__map_find(&m->values, v->name.text, v->name.bytes)) continue;  // an initializer gives it its value
    const char *name = text_of(m, v->name);
    const onnx_tensor_type *t = onnx_value_tensor(v);
    weft_tensor_desc desc;
    if (!name) return weft_fail(m->d, WEFT_E_NOMEM, "out of memory");
    if (!t)
      return weft_fail(m->d, WEFT_E_UNSUPPORTED, "graph input '%s' at byte %llu is no tensor: sequences, optionals and maps are "
                       "not imported yet", name, (unsigned long long)v->offset);
    WEFT_TRY(describe_type(m, t, &desc, name));
    weft_value *value = weft_graph_input_desc(m->g, name, &desc, m->d);
    if (!value) return m->d->status;
    WEFT_TRY(bind(m, v->name, value, v->offset));
  }
  return WEFT_OK;
}

static weft_status add_infos(onnx_import *m, const onnx_value_info *v, size_t n) {
  for (size_t i = 0; i < n; i++)
    if (v[i].name.bytes && weft__map_set(&m->infos, v[i].name.text, v[i].name.bytes, (void *)(uintptr_t)&v[i]))
      return weft_fail(m->d, WEFT_E_NOMEM, "out of memory");
  return WEFT_OK;
}

static weft_status simple(onnx_op *o) {
  weft_value *in[8];
  size_t n = WEFT_MIN(o->n->inputs.n, WEFT_COUNT(in));
  if (o->n->inputs.n > WEFT_COUNT(in)) return onnx_fail(o, WEFT_E_LIMIT, "%zu inputs", (size_t)o->n->inputs.n);
  for (size_t i = 0; i < n; i++) in[i] = onnx_in(o, i);
  return onnx_emit(o, o->map->primitive, in, n, NULL, 1, NULL);
}

static weft_status add_node(onnx_import *m, const onnx_node *n) {
  onnx_op o = {.m = m, .n = n, .map = weft__onnx_find(n->op_type, m->version)};
  weft_status s = plain_name(m, n->name, "a node", n->offset);
  for (size_t i = 0; !s && i < n->inputs.n; i++)
    if (n->inputs.v[i].bytes && !onnx_in(&o, i))
      s = weft_fail(m->d, WEFT_E_NOT_FOUND, "input %zu, '%.*s', is neither a graph input nor an initializer nor the output of "
                    "an earlier node", i, (int)WEFT_MIN(n->inputs.v[i].bytes, 200), n->inputs.v[i].text);
  if (!s) s = o.map->fn ? o.map->fn(&o) : simple(&o);
  for (size_t i = 0; !s && i < n->outputs.n; i++)
    if (onnx_wants(&o, i) && !weft__map_find(&m->values, n->outputs.v[i].text, n->outputs.v[i].bytes))
      s = weft_fail(m->d, WEFT_E_UNSUPPORTED, "output %zu, '%.*s', is not made by the importer", i,
                    (int)WEFT_MIN(n->outputs.v[i].bytes, 200), n->outputs.v[i].text);
  if (s)
    weft_note(m->d, "in node '%.*s' (%.*s) of %s, at byte %llu", (int)WEFT_MIN(n->name.bytes, 200),
              n->name.text ? n->name.text : "", (int)WEFT_MIN(n->op_type.bytes, 100), n->op_type.text ? n->op_type.text : "",
              m->file, (unsigned long long)n->offset);
  return s;
}

static weft_status add_outputs(onnx_import *m) {
  const onnx_graph *g = m->model->graph;
  for (size_t i = 0; i < g->outputs.n; i++) {
    onnx_str name = g->outputs.v[i].name;
    weft_value *v = name.bytes ? weft__map_find(&m->values, name.text, name.bytes) : NULL;
    if (!v)
      return weft_fail(m->d, WEFT_E_NOT_FOUND, "graph output '%.*s' at byte %llu is not produced by any node",
                       (int)WEFT_MIN(name.bytes, 200), name.text ? name.text : "",
                       (unsigned long long)g->outputs.v[i].offset);
    WEFT_TRY(weft_graph_output(m->g, v, m->d));
  }
  return WEFT_OK;
}

// Outputs that nobody reads are not made: the mask of a Dropout, the statistics of a BatchNormalization.
static weft_status find_used(onnx_import *m) {
  static const char yes = 1;
  const onnx_graph *g = m->model->graph;
  for (size_t i = 0; i < g->nodes.n; i++)
    for (size_t k = 0; k < g->nodes.v[i].inputs.n; k++) {
      onnx_str s = g->nodes.v[i].inputs.v[k];
      if (s.bytes && weft__map_set(&m->used, s.text, s.bytes, (void *)(uintptr_t)&yes)) return weft_fail(m->d, WEFT_E_NOMEM, "out of memory");
    }
  for (size_t i = 0; i < g->outputs.n; i++) {
    onnx_str s = g->outputs.v[i].name;
    if (s.bytes && weft__map_set(&m->used, s.text, s.bytes, (void *)(uintptr_t)&yes)) return weft_fail(m->d, WEFT_E_NOMEM, "out of memory");
  }
  return WEFT_OK;
}

static weft_status import(onnx_import *m) {
  const onnx_graph *g = m->model->graph;
  WEFT_TRY(find_version(m));
  WEFT_TRY(check_operators(m));
  WEFT_TRY(plain_name(m, g->name, "the graph", g->offset));
  const char *name = text_of(m, g->name);
  if (!name) return weft_fail(m->d, WEFT_E_NOMEM, "out of memory");
  WEFT_TRY(weft_graph_create(m->env, *name ? name : "graph", &m->g, m->d));
  WEFT_TRY(weft__steps_begin(m->g, &m->append, m->d));
  WEFT_TRY(find_used(m));
  WEFT_TRY(add_infos(m, g->value_infos.v, g->value_infos.n));
  WEFT_TRY(add_infos(m, g->outputs.v, g->outputs.n));
  WEFT_TRY(add_initializers(m));
  WEFT_TRY(add_inputs(m));
  for (size_t i = 0; i < g->nodes.n; i++) WEFT_TRY(add_node(m, &g->nodes.v[i]));
  return add_outputs(m);
}

weft_status weft_onnx_read(weft_env *e, const void *data, size_t bytes, const char *name, weft_graph **out, weft_diag *d) {
  weft_diag own = {0};
  onnx_import m = {.env = e, .file = name, .d = d ? d : &own};
  *out = NULL;
  weft__arena_init(&m.arena, &e->alloc);
  weft__map_init(&m.values, &e->alloc);
  weft__map_init(&m.infos, &e->alloc);
  weft__map_init(&m.used, &e->alloc);
  weft_status s = weft__onnx_read_model(data, bytes, &m.arena, &m.model, m.d);
  if (!s) s = import(&m);
  if (s) weft_note(m.d, "while reading the ONNX model '%s'", name);
  weft__steps_end(m.append);
  weft__map_deinit(&m.values);
  weft__map_deinit(&m.infos);
  weft__map_deinit(&m.used);
  weft__arena_deinit(&m.arena);
  if (s) weft_graph_destroy(m.g);
  else *out = m.g;
  return s;
}

typedef struct mapped {
  weft_file file;
  weft_allocator alloc;
} mapped;

static void drop_mapped(void *ctx) {
  mapped *m = ctx;
  weft_allocator a = m->alloc;
  weft__file_unmap(&m->file);
  weft__free(&a, m, sizeof *m, _Alignof(mapped));
}

weft_status weft_onnx_load(weft_env *e, const char *path, weft_graph **out, weft_diag *d) {
  *out = NULL;
  mapped *m = weft__alloc(&e->alloc, sizeof *m, _Alignof(mapped));
  if (!m) return weft_fail(d, WEFT_E_NOMEM, "out of memory");
  memset(m, 0, sizeof *m);
  m->alloc = e->alloc;
  weft_status s = weft__file_map(path, &m->file, d);
  if (!s) s = weft_onnx_read(e, m->file.data, m->file.bytes, path, out, d);
  if (!s && (s = weft_graph_keep(*out, drop_mapped, m))) {
    weft_graph_destroy(*out);
    *out = NULL;
  }
  if (s) drop_mapped(m);
  return s;
}
