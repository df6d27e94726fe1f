// import.c - an ONNX model into a graph. Names are bound as nodes are appended (ONNX demands topological
// order), and each node is inferred at once, so that operator functions can ask for ranks. Weights stay in
// the mapped files.
#include "frontend/onnx/import.h"

#include "weft/onnx.h"

const char *onnx_text(onnx_import *m, onnx_str s) {  // zero-terminated copy; NULL: out of memory
  return weft__arena_strdup(m->arena, s.text ? s.text : "", s.bytes);
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
static const onnx_attr *named(const onnx_attr *v, size_t n, const char *name, size_t bytes) {
  for (size_t i = 0; i < n; i++)
    if (v[i].name.bytes == bytes && !memcmp(v[i].name.text ? v[i].name.text : "", name, bytes)) return &v[i];
  return NULL;
}

// An attribute of a function's node may stand for one of the call, or for the function's default.
static const onnx_attr *resolve(const onnx_import *m, const onnx_attr *a) {
  for (; a && a->ref_attr_name.bytes; m = m->parent) {
    while (m && !m->function) m = m->parent;
    if (!m) return NULL;
    onnx_str ref = a->ref_attr_name;
    const onnx_attr *given = named(m->call->attributes.v, m->call->attributes.n, ref.text, ref.bytes);
    a = given ? given
              : named(m->function->attribute_protos.v, m->function->attribute_protos.n, ref.text, ref.bytes);
  }
  return a;
}

const onnx_attr *onnx_find_attr(const onnx_op *o, const char *name) {
  return resolve(o->m, named(o->n->attributes.v, o->n->attributes.n, name, strlen(name)));
}

static weft_status typed(onnx_op *o, const char *name, int kind, const onnx_attr **out) {
  static const char *const names[] = {"none",  "FLOAT",  "INT",  "STRING", "TENSOR",
                                      "GRAPH", "FLOATS", "INTS", "STRINGS"};
  const onnx_attr *a = *out = onnx_find_attr(o, name);
  if (!a || onnx_attr_kind(a) == kind) return WEFT_OK;
  int got = onnx_attr_kind(a);
  return onnx_fail(o, WEFT_E_TYPE, "attribute '%s' at byte %llu: expected %s, got %s", name,
                   (unsigned long long)a->offset, names[kind],
                   got >= 0 && got < (int)WEFT_COUNT(names) ? names[got] : "another type");
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
  return *out ? WEFT_OK
              : onnx_fail(o, WEFT_E_MISSING, "required input %zu is not given (the node has %zu)", i,
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

int onnx_rank(const weft_value *v) {
  return v->fact.set && !v->fact.unknown_rank ? v->fact.rank : -1;
}

// ---- emitting primitives ----
void onnx_set(onnx_op *o, const char *name, weft_attr value) {
  if (o->failed) return;  // the short forms go on; nothing is emitted any more
  if (o->n_attrs == WEFT_COUNT(o->attrs)) {
    o->failed = onnx_fail(o, WEFT_E_LIMIT, "more than %zu attributes", WEFT_COUNT(o->attrs));
    return;
  }
  o->attrs[o->n_attrs++] = (weft_named_attr){name, value};
}

weft_status onnx_bind(onnx_import *m, onnx_str name, weft_value *v, uint64_t offset) {
  if (!name.bytes)
    return weft_fail(m->d, WEFT_E_MISSING, "the value at byte %llu has no name", (unsigned long long)offset);
  WEFT_TRY(plain_name(m, name, "a value", offset));
  if (weft__map_find(&m->values, name.text, name.bytes))
    return weft_fail(m->d, WEFT_E_DUPLICATE, "value '%.*s' has two producers; the second is at byte %llu",
                     (int)WEFT_MIN(name.bytes, 200), name.text, (unsigned long long)offset);
  if (weft__map_set(&m->values, name.text, name.bytes, v))
    return weft_fail(m->d, WEFT_E_NOMEM, "out of memory");
  return WEFT_OK;
}

static weft_status set_origin(onnx_op *o, weft_node *node) {
  const char *name = onnx_text(o->m, o->n->name), *type = onnx_text(o->m, o->n->op_type);
  if (!name || !type) return onnx_fail(o, WEFT_E_NOMEM, "out of memory");
  weft_origin origin = {.file = o->m->file, .offset = o->n->offset, .name = name, .type = type};
  return weft_node_set_origin(node, &origin, o->m->d);
}

weft_status onnx_describe(onnx_import *m, const onnx_tensor_type *t, weft_tensor_desc *desc,
                          const char *what) {
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
    return weft_fail(m->d, WEFT_E_LIMIT, "%s: rank %zu is over the limit of %d", what,
                     (size_t)t->shape->dims.n, WEFT_MAX_RANK);
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

weft_status onnx_describe_value(onnx_import *m, const onnx_type *t, weft_tensor_desc *desc,
                                const char *what) {
  const onnx_tensor_type *elem;
  uint8_t kind;
  if (!weft__onnx_kind(t, &kind, &elem))
    return weft_fail(m->d, WEFT_E_UNSUPPORTED,
                     "%s: its type at byte %llu is neither a tensor nor a sequence or an optional of "
                     "tensors, and other types are not imported",
                     what, (unsigned long long)t->offset);
  WEFT_TRY(onnx_describe(m, elem, desc, what));
  desc->kind = kind;
  return WEFT_OK;
}

// The name a value gets in the graph: the model's, behind the call's inside a function.
const char *onnx_value_text(onnx_import *m, onnx_str name) {
  char text[512];
  if (!m->prefix) return onnx_text(m, name);
  snprintf(text, sizeof text, "%s%.*s", m->prefix, (int)WEFT_MIN(name.bytes, 200),
           name.text ? name.text : "");
  for (size_t at = strlen(text), k = 1; weft_graph_find_value(m->g, text);
       k++)  // thousands of calls find theirs at once
    snprintf(text + at, sizeof text - at, "_%zu", k > 4 ? 1000 + onnx_fresh(m) : k);
  return weft__arena_strdup(m->arena, text, strlen(text));
}

// Names an output as the model does and takes over what the model declares of it.
static weft_status bind_output(onnx_op *o, size_t i, weft_value *v) {
  onnx_str name = o->n->outputs.v[i];
  const char *text = onnx_value_text(o->m, name);
  if (!text) return onnx_fail(o, WEFT_E_NOMEM, "out of memory");
  WEFT_TRY(onnx_bind(o->m, name, v, o->n->offset));
  if (strcmp(v->name, text)) WEFT_TRY(weft__value_rename(v, text, o->m->d));
  const onnx_value_info *info = weft__map_find(&o->m->infos, name.text, name.bytes);
  const onnx_tensor_type *elem;
  uint8_t kind;
  if (!info || !info->type || !weft__onnx_kind(info->type, &kind, &elem)) return WEFT_OK;
  weft_tensor_desc desc;
  WEFT_TRY(onnx_describe_value(o->m, info->type, &desc, text));
  return weft_value_declare(v, &desc, o->m->d);
}

weft_status onnx_bind_output(onnx_op *o, size_t i, weft_value *v) {
  WEFT_TRY(bind_output(o, i, v));
  return v->declared ? weft__steps_node(o->m->append, v->node, o->m->d)
                     : WEFT_OK;  // with what the model says of it
}

weft_status onnx_emit_open(onnx_op *o, const char *type, weft_value *const *in, size_t n_in,
                           const weft_use *counts, size_t n_bind, weft_node **out) {
  onnx_import *m = o->m;
  if (o->failed) return o->failed;
  weft_use use = counts ? *counts : (weft_use){0};
  use.attrs = o->attrs, use.n_attrs = o->n_attrs;
  char name[512];
  const char *prefix = m->prefix ? m->prefix : "";
  const onnx_str given = o->n->name.bytes ? o->n->name : o->n->outputs.n ? o->n->outputs.v[0] : o->n->op_type;
  const char *text = given.text ? given.text : "";
  if (n_bind)
    snprintf(name, sizeof name, "%s%.*s", prefix, (int)WEFT_MIN(given.bytes, 200), text);
  else
    snprintf(name, sizeof name, "%s%.*s/%s_%u", prefix, (int)WEFT_MIN(given.bytes, 200), text, type,
             onnx_fresh(m));
  for (size_t at = strlen(name); weft_graph_find_node(m->g, name);)
    snprintf(name + at, sizeof name - at, "_%u", onnx_fresh(m));
  use.name = name;
  weft_node *node;
  WEFT_TRY(weft_graph_add(m->g, type, &use, in, n_in, &node, m->d));
  o->n_attrs = 0;
  WEFT_TRY(set_origin(o, node));
  for (size_t i = 0; i < n_bind && i < node->desc.pub.n_out; i++)
    if (i < o->n->outputs.n && o->n->outputs.v[i].bytes) WEFT_TRY(bind_output(o, i, &node->out[i]));
  *out = node;
  return WEFT_OK;
}

weft_status onnx_emit(onnx_op *o, const char *type, weft_value *const *in, size_t n_in,
                      const weft_use *counts, size_t n_bind, weft_value **out) {
  weft_node *node;
  WEFT_TRY(onnx_emit_open(o, type, in, n_in, counts, n_bind, &node));
  if (out) *out = &node->out[0];
  return weft__steps_node(o->m->append, node, o->m->d);
}

weft_status onnx_const(onnx_op *o, const weft_tensor *t, weft_value **out) {
  char name[64];
  do snprintf(name, sizeof name, "weft/const_%u", onnx_fresh(o->m));
  while (weft_graph_find_value(o->m->g, name));
  *out = weft_graph_const(o->m->g, name, t, WEFT_CONST_COPY, o->m->d);
  return *out ? WEFT_OK : o->m->d->status;
}

weft_status onnx_const_ints(onnx_op *o, const int64_t *v, size_t n, bool scalar, weft_value **out) {
  weft_tensor t;
  weft_dim dim = (weft_dim)n;
  weft_tensor_init(&t, &o->m->env->alloc);
  weft_status s =
      weft_tensor_borrow(&t, WEFT_INT64, &dim, !scalar, (void *)(uintptr_t)v, n * sizeof *v, o->m->d);
  if (!s) s = onnx_const(o, &t, out);
  weft_tensor_deinit(&t);
  return s;
}

weft_status onnx_const_scalar(onnx_op *o, weft_dtype dtype, double v, weft_value **out) {
  weft_tensor t;
  uint64_t store[2] = {0, 0};
  weft_tensor_init(&t, &o->m->env->alloc);
  weft_store_f64(dtype, store, 0, v);
  weft_status s = weft_tensor_borrow(&t, dtype, NULL, 0, store, weft_dtype_bits(dtype) / 8, o->m->d);
  if (!s) s = onnx_const(o, &t, out);
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
         !memcmp(a->op_type.text ? a->op_type.text : "", b->op_type.text ? b->op_type.text : "",
                 a->op_type.bytes) &&
         !memcmp(a->domain.text ? a->domain.text : "", b->domain.text ? b->domain.text : "", a->domain.bytes);
}

static void list_unsupported(const onnx_import *m, const unsupported *u, weft_text *list) {
  const onnx_node *n = u->first;
  bool ours = !n->domain.bytes || onnx_str_is(n->domain, "ai.onnx");
  weft__text_addf(list, "\n  %.*s (%.*s", (int)WEFT_MIN(n->op_type.bytes, 100),
                  n->op_type.text ? n->op_type.text : "", ours ? 7 : (int)WEFT_MIN(n->domain.bytes, 60),
                  ours ? "ai.onnx" : n->domain.text);
  if (ours) weft__text_addf(list, " %lld", (long long)m->version);
  weft__text_addf(list, "): %zu node%s, first '%.*s' at byte %llu", u->nodes, u->nodes == 1 ? "" : "s",
                  (int)WEFT_MIN(n->name.bytes, 60), n->name.text ? n->name.text : "",
                  (unsigned long long)n->offset);
}

typedef struct scan {  // for operators that weft does not import
  onnx_import *m;
  unsupported found[24];
  size_t n_found, nodes;
} scan;

static int64_t version_of(const onnx_opset *v, size_t n, int64_t otherwise) {
  for (size_t i = 0; i < n; i++)
    if (!v[i].domain.bytes || onnx_str_is(v[i].domain, "ai.onnx")) otherwise = v[i].version;
  return otherwise;
}

// The version of a domain that a function, or the model, imports; 0: it imports none.
static int64_t domain_version(const onnx_import *m, const onnx_function *f, onnx_str domain, int64_t ours) {
  if (!domain.bytes || onnx_str_is(domain, "ai.onnx")) return ours;
  for (int model = !f; model < 2; model++) {
    const onnx_opsets *o = model ? &m->model->opset_imports : &f->opset_imports;
    for (size_t i = 0; i < o->n; i++)
      if (o->v[i].domain.bytes == domain.bytes && !memcmp(o->v[i].domain.text, domain.text, domain.bytes))
        return o->v[i].version;
  }
  return 0;
}

static const onnx_mapping *find_mapping(const onnx_import *m, const onnx_node *n) {
  const onnx_import *scope = m;
  while (scope->parent && !scope->function) scope = scope->parent;  // a body imports what surrounds it does
  return weft__onnx_find(n->domain, n->op_type, domain_version(m, scope->function, n->domain, m->version));
}

static void scan_nodes(scan *c, const onnx_node *v, size_t count, const onnx_function *f, int64_t version,
                       int depth) {
  for (size_t i = 0; i < count && depth < ONNX_MAX_GRAPH_DEPTH; i++) {
    const onnx_node *n = &v[i];
    for (size_t a = 0; a < n->attributes.n; a++)
      if (n->attributes.v[a].g)
        scan_nodes(c, n->attributes.v[a].g->nodes.v, n->attributes.v[a].g->nodes.n, f, version, depth + 1);
    if (onnx_find_function(c->m, n)) continue;
    if (weft__onnx_find(n->domain, n->op_type, domain_version(c->m, f, n->domain, version))) continue;
    c->nodes++;
    size_t k = 0;
    while (k < c->n_found && !same_operator(c->found[k].first, n)) k++;
    if (k < c->n_found)
      c->found[k].nodes++;
    else if (c->n_found < WEFT_COUNT(c->found))
      c->found[c->n_found++] = (unsupported){n, 1};
  }
}

// Everything that cannot be imported is reported at once, before any work.
static weft_status check_operators(onnx_import *m) {
  scan c = {.m = m};
  scan_nodes(&c, m->model->graph->nodes.v, m->model->graph->nodes.n, NULL, m->version, 0);
  for (size_t i = 0; i < m->model->functions.n; i++) {
    const onnx_function *f = &m->model->functions.v[i];
    scan_nodes(&c, f->nodes.v, f->nodes.n, f, version_of(f->opset_imports.v, f->opset_imports.n, m->version),
               0);
  }
  if (!c.nodes) return WEFT_OK;
  weft_text list;
  weft__text_init(&list, &m->env->alloc);
  for (size_t i = 0; i < c.n_found; i++) list_unsupported(m, &c.found[i], &list);
  weft_status s = weft_fail(
      m->d, WEFT_E_UNSUPPORTED, "%zu node%s with operators that weft does not import:%s%s", c.nodes,
      c.nodes == 1 ? "" : "s", list.v ? list.v : "", c.n_found == WEFT_COUNT(c.found) ? "\n  ..." : "");
  weft__text_deinit(&list);
  return s;
}

static weft_status find_version(onnx_import *m) {
  m->version = version_of(m->model->opset_imports.v, m->model->opset_imports.n, -1);
  if (m->version < 0 && m->model->ir_version < 3) m->version = 1;
  if (m->version < 0 &&
      m->model->opset_imports.n) {  // operators of other domains only: those of ai.onnx are not found
    m->version = 0;
    return WEFT_OK;
  }
  if (m->version < 1 || m->version > 28)
    return weft_fail(m->d, WEFT_E_VERSION, "operator-set version %lld of ai.onnx: this weft reads 1 to 28",
                     (long long)m->version);
  return WEFT_OK;
}

static weft_status add_initializer(onnx_import *m, onnx_str given, uint64_t offset, const onnx_tensor *dense,
                                   const onnx_sparse_tensor *sparse) {
  WEFT_TRY(plain_name(m, given, "an initializer", offset));
  const char *name = onnx_value_text(m, given);
  weft_tensor *tensor = weft__graph_tensor(m->g);  // the graph's; dense data stay in their file
  if (!name || !tensor) return weft_fail(m->d, WEFT_E_NOMEM, "out of memory");
  WEFT_TRY(dense ? weft__onnx_tensor(dense, m->data, true, tensor, m->d)
                 : weft__onnx_sparse(sparse, m->data, tensor, m->d));
  weft_value *v = weft_graph_const(m->g, name, tensor, WEFT_CONST_BORROW, m->d);
  return v ? onnx_bind(m, given, v, offset) : m->d->status;
}

static weft_status add_initializers(onnx_import *m) {
  const onnx_graph *g = m->graph;
  for (size_t i = 0; i < g->initializers.n; i++) {
    const onnx_tensor *t = &g->initializers.v[i];
    WEFT_TRY(add_initializer(m, t->name, t->offset, t, NULL));
  }
  for (size_t i = 0; i < g->sparse_initializers.n; i++) {
    const onnx_sparse_tensor *t = &g->sparse_initializers.v[i];
    WEFT_TRY(add_initializer(m, t->values ? t->values->name : (onnx_str){NULL, 0}, t->offset, NULL, t));
  }
  return WEFT_OK;
}

// An input that is an initializer too is declared with the initializer's element type, rank and dims.
static weft_status check_declared(onnx_import *m, const onnx_value_info *v, const weft_value *is) {
  weft_tensor_desc desc;
  if (!v->type) return WEFT_OK;
  WEFT_TRY(onnx_describe_value(m, v->type, &desc, weft_value_name(is)));
  const weft_shape *s = &desc.layout.origin;
  if (desc.dtype != WEFT_UNDEFINED && desc.dtype != is->fact.dtype)
    return weft_fail(m->d, WEFT_E_DTYPE, "graph input '%s' is declared as %s, its initializer is %s",
                     weft_value_name(is), weft_dtype_serial(desc.dtype), weft_dtype_serial(is->fact.dtype));
  if (weft_shape_is_unknown_rank(s)) return WEFT_OK;
  if ((int)s->rank != onnx_rank(is))
    return weft_fail(m->d, WEFT_E_SHAPE,
                     "graph input '%s' is declared with rank %zu, its initializer has rank %d",
                     weft_value_name(is), s->rank, onnx_rank(is));
  for (size_t i = 0; i < s->rank; i++)
    if (s->dim[i] >= 0 && s->dim[i] != is->fact.dims[i])
      return weft_fail(m->d, WEFT_E_SHAPE,
                       "graph input '%s' is declared with %lld in dim %zu, its initializer has %lld",
                       weft_value_name(is), (long long)s->dim[i], i, (long long)is->fact.dims[i]);
  return WEFT_OK;
}

static weft_status add_inputs(onnx_import *m) {
  const onnx_graph *g = m->model->graph;
  for (size_t i = 0; i < g->inputs.n; i++) {
    const onnx_value_info *v = &g->inputs.v[i];
    WEFT_TRY(plain_name(m, v->name, "a graph input", v->offset));
    const weft_value *there = weft__map_find(&m->values, v->name.text, v->name.bytes);
    if (there && weft_value_origin(there) == WEFT_VALUE_CONST) {  // an initializer gives it its value
      WEFT_TRY(check_declared(m, v, there));
      continue;
    }
    if (there)
      return weft_fail(
          m->d, WEFT_E_DUPLICATE, "graph input '%.*s' is there twice; the second is at byte %llu",
          (int)WEFT_MIN(v->name.bytes, 200), v->name.text ? v->name.text : "", (unsigned long long)v->offset);
    const char *name = onnx_text(m, v->name);
    weft_tensor_desc desc;
    if (!name) return weft_fail(m->d, WEFT_E_NOMEM, "out of memory");
    if (!v->type)
      return weft_fail(m->d, WEFT_E_MISSING, "graph input '%s' at byte %llu has no type", name,
                       (unsigned long long)v->offset);
    WEFT_TRY(onnx_describe_value(m, v->type, &desc, name));
    weft_value *value = weft_graph_input_desc(m->g, name, &desc, m->d);
    if (!value) return m->d->status;
    WEFT_TRY(onnx_bind(m, v->name, value, v->offset));
  }
  return WEFT_OK;
}

static weft_status add_infos(onnx_import *m, const onnx_value_info *v, size_t n) {
  for (size_t i = 0; i < n; i++)
    if (v[i].name.bytes &&
        weft__map_set(&m->infos, v[i].name.text, v[i].name.bytes, (void *)(uintptr_t)&v[i]))
      return weft_fail(m->d, WEFT_E_NOMEM, "out of memory");
  return WEFT_OK;
}

static weft_status simple(onnx_op *o) {
  weft_value *in[8];
  size_t n = WEFT_MIN(o->n->inputs.n, WEFT_COUNT(in));
  if (o->n->inputs.n > WEFT_COUNT(in))
    return onnx_fail(o, WEFT_E_LIMIT, "%zu inputs", (size_t)o->n->inputs.n);
  for (size_t i = 0; i < n; i++) in[i] = onnx_in(o, i);
  return onnx_emit(o, o->map->primitive, in, n, NULL, 1, NULL);
}

// An input of the function that the call leaves out.
static bool absent_here(const onnx_import *m, onnx_str name) {
  for (size_t i = 0; m->function && i < m->function->inputs.n; i++) {
    onnx_str s = m->function->inputs.v[i];
    if (s.bytes == name.bytes && !memcmp(s.text, name.text, s.bytes)) return true;
  }
  return false;
}

static weft_status check_attributes(onnx_import *m, const onnx_node *n) {
  if (n->attributes.n > 256)
    return weft_fail(m->d, WEFT_E_LIMIT, "%zu attributes, at most 256 are read", (size_t)n->attributes.n);
  for (size_t i = 1; i < n->attributes.n; i++) {
    onnx_str s = n->attributes.v[i].name;
    if (named(n->attributes.v, i, s.text ? s.text : "", s.bytes))
      return weft_fail(m->d, WEFT_E_DUPLICATE, "attribute '%.*s' is given twice", (int)WEFT_MIN(s.bytes, 60),
                       s.text ? s.text : "");
  }
  return WEFT_OK;
}

static weft_status add_node(onnx_import *m, const onnx_node *n) {
  const onnx_function *f = onnx_find_function(m, n);
  onnx_op o = {.m = m, .n = n, .map = f ? NULL : find_mapping(m, n)};
  weft_status s = plain_name(m, n->name, "a node", n->offset);
  if (!s) s = check_attributes(m, n);
  for (size_t i = 0; !s && i < n->inputs.n; i++)
    if (n->inputs.v[i].bytes && !onnx_in(&o, i) && !absent_here(m, n->inputs.v[i]))
      s = weft_fail(m->d, WEFT_E_NOT_FOUND,
                    "input %zu, '%.*s', is neither a graph input nor an initializer nor the output of "
                    "an earlier node",
                    i, (int)WEFT_MIN(n->inputs.v[i].bytes, 200), n->inputs.v[i].text);
  if (!s && !f && !o.map)
    s = weft_fail(m->d, WEFT_E_UNSUPPORTED, "weft does not import this operator in operator-set version %lld",
                  (long long)m->version);
  if (!s) s = f ? onnx_call_function(m, n, f) : o.map->fn ? o.map->fn(&o) : simple(&o);
  if (!s) s = o.failed;
  for (size_t i = 0; !s && i < n->outputs.n; i++)
    if (onnx_wants(&o, i) && !weft__map_find(&m->values, n->outputs.v[i].text, n->outputs.v[i].bytes))
      s = weft_fail(m->d, WEFT_E_UNSUPPORTED, "output %zu, '%.*s', is not made by the importer", i,
                    (int)WEFT_MIN(n->outputs.v[i].bytes, 200), n->outputs.v[i].text);
  if (s)
    weft_note(m->d, "in node '%.*s' (%.*s) of %s, at byte %llu", (int)WEFT_MIN(n->name.bytes, 200),
              n->name.text ? n->name.text : "", (int)WEFT_MIN(n->op_type.bytes, 100),
              n->op_type.text ? n->op_type.text : "", m->file, (unsigned long long)n->offset);
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

weft_status onnx_use_names(onnx_import *m, const onnx_strs *names, size_t n) {
  static const char yes = 1;
  for (size_t i = 0; i < n; i++)
    for (size_t k = 0; k < names[i].n; k++) {
      onnx_str s = names[i].v[k];
      if (s.bytes && weft__map_set(&m->used, s.text, s.bytes, (void *)(uintptr_t)&yes))
        return weft_fail(m->d, WEFT_E_NOMEM, "out of memory");
    }
  return WEFT_OK;
}

// Outputs that nobody reads are not made: the mask of a Dropout, the statistics of a BatchNormalization.
static weft_status find_used(onnx_import *m, const onnx_node *v, size_t n) {
  for (size_t i = 0; i < n; i++) {
    WEFT_TRY(onnx_use_names(m, &v[i].inputs, 1));
    const onnx_graph *bodies[16];
    size_t n_bodies = 0, n_names;
    onnx_str *names;
    for (size_t a = 0; a < v[i].attributes.n && n_bodies < WEFT_COUNT(bodies); a++)
      if (v[i].attributes.v[a].g) bodies[n_bodies++] = v[i].attributes.v[a].g;
    if (!n_bodies) continue;
    WEFT_TRY(onnx_free_names(m, bodies, n_bodies, &names, &n_names));
    WEFT_TRY(onnx_use_names(m, &(onnx_strs){.v = names, .n = n_names}, 1));
  }
  return WEFT_OK;
}

weft_status onnx_scope_begin(onnx_import *m, const onnx_import *around, weft_graph *g) {
  m->g = g;
  weft__map_init(&m->values, &m->env->alloc);
  weft__map_init(&m->infos, &m->env->alloc);
  weft__map_init(&m->used, &m->env->alloc);
  m->append = NULL;
  if (around && around->g == g) {
    m->append = around->append;  // a function is written into its caller's graph
    m->n_temp = around->n_temp;
    return WEFT_OK;
  }
  return weft__steps_begin(g, &m->append, m->d);
}

void onnx_scope_end(onnx_import *m) {
  if (!m->parent || m->parent->g != m->g)
    weft__steps_end(m->append);
  else
    m->parent->n_temp = m->n_temp;
  weft__map_deinit(&m->values);
  weft__map_deinit(&m->infos);
  weft__map_deinit(&m->used);
}

weft_status onnx_scope_values(onnx_import *m) {
  WEFT_TRY(add_infos(m, m->graph->value_infos.v, m->graph->value_infos.n));
  WEFT_TRY(add_infos(m, m->graph->outputs.v, m->graph->outputs.n));
  for (size_t i = 0; i < m->graph->outputs.n; i++)
    WEFT_TRY(
        onnx_use_names(m, &(onnx_strs){.v = (void *)(uintptr_t)&m->graph->outputs.v[i].name, .n = 1}, 1));
  return add_initializers(m);
}

weft_status onnx_scope_nodes(onnx_import *m, const onnx_node *nodes, size_t n) {
  WEFT_TRY(find_used(m, nodes, n));
  for (size_t i = 0; i < n; i++) WEFT_TRY(add_node(m, &nodes[i]));
  return WEFT_OK;
}

static weft_status import(onnx_import *m) {
  const onnx_graph *g = m->model->graph;
  m->graph = g;
  WEFT_TRY(find_version(m));
  WEFT_TRY(check_operators(m));
  WEFT_TRY(plain_name(m, g->name, "the graph", g->offset));
  const char *name = onnx_text(m, g->name);
  if (!name) return weft_fail(m->d, WEFT_E_NOMEM, "out of memory");
  WEFT_TRY(weft_graph_create(m->env, *name ? name : "graph", &m->g, m->d));
  weft_status s = onnx_scope_begin(m, NULL, m->g);
  if (!s) s = onnx_notes(m);
  if (!s) s = onnx_scope_values(m);
  if (!s) s = add_inputs(m);
  if (!s) s = onnx_scope_nodes(m, g->nodes.v, g->nodes.n);
  if (!s) s = add_outputs(m);
  onnx_scope_end(m);
  return s;
}

static weft_status read_model(weft_env *e, const void *data, size_t bytes, const char *name,
                              onnx_files *files, weft_graph **out, weft_diag *d) {
  weft_diag own = {0};
  weft_arena arena;
  onnx_data from = {.files = files, .dense_left = ONNX_DENSE_BYTES};
  onnx_import m = {.env = e, .data = &from, .file = name, .arena = &arena, .d = d ? d : &own};
  *out = NULL;
  weft__arena_init(&arena, &e->alloc);
  weft_status s = weft__onnx_read_model(data, bytes, &arena, &m.model, m.d);
  if (!s) s = import(&m);
  if (s) weft_note(m.d, "while reading the ONNX model '%s'", name);
  weft__arena_deinit(&arena);
  if (s)
    weft_graph_destroy(m.g);
  else
    *out = m.g;
  return s;
}

weft_status weft_onnx_read(weft_env *e, const void *data, size_t bytes, const char *name, weft_graph **out,
                           weft_diag *d) {
  return read_model(e, data, bytes, name, NULL, out, d);
}

typedef struct mapped {
  weft_file file;
  onnx_files *external;
  weft_allocator alloc;
} mapped;

static void drop_mapped(void *ctx) {
  mapped *m = ctx;
  weft_allocator a = m->alloc;
  weft__file_unmap(&m->file);
  onnx_files_destroy(m->external);
  weft__free(&a, m, sizeof *m, _Alignof(mapped));
}

weft_status weft_onnx_load(weft_env *e, const char *path, weft_graph **out, weft_diag *d) {
  *out = NULL;
  mapped *m = weft__alloc(&e->alloc, sizeof *m, _Alignof(mapped));
  if (!m) return weft_fail(d, WEFT_E_NOMEM, "out of memory");
  memset(m, 0, sizeof *m);
  m->alloc = e->alloc;
  weft_status s = weft__file_map(path, &m->file, d);
  if (!s) s = onnx_files_create(&e->alloc, path, &m->external, d);
  if (!s) s = read_model(e, m->file.data, m->file.bytes, path, m->external, out, d);
  onnx_files_settle(m->external);
  if (!s && (s = weft_graph_keep(*out, drop_mapped, m))) {
    weft_graph_destroy(*out);
    *out = NULL;
  }
  if (s) drop_mapped(m);
  return s;
}
