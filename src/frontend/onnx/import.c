// import.c - an ONNX model into a graph. Names are bound as nodes are appended (ONNX demands topological
// order), and each node is inferred at once, so that operator functions can ask for ranks. Weights stay in
// the mapped files.
#include "base/allocated.h"
#include "frontend/onnx/report.h"
#include "tensor/tensor.h"
#include "weft/onnx.h"

const char *onnx_text(onnx_import *m, onnx_str s) {  // zero-terminated copy; NULL: out of memory
  return weft__arena_strdup(m->arena, onnx_str_text(s), s.bytes);
}

weft_status onnx_two_producers(onnx_import *m, onnx_str name, uint64_t offset) {
  return weft_fail(m->d, WEFT_E_DUPLICATE, "value '%.*s' has two producers; the second is at byte %llu",
                   (int)WEFT_MIN(name.bytes, 200), name.text, (unsigned long long)offset);
}

weft_status onnx_bind(onnx_import *m, onnx_str name, weft_value *v, uint64_t offset) {
  if (!name.bytes)
    return weft_fail(m->d, WEFT_E_MISSING, "the value at byte %llu has no name", (unsigned long long)offset);
  onnx_name *n = onnx_name_make(m, name);
  if (!n)
    return m->d->status;
  if (n->value)
    return onnx_two_producers(m, name, offset);
  n->value = v;
  return WEFT_OK;
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
  if (t->shape->dims.n > WEFT_MAX_RANK) {
    return weft_fail(m->d, WEFT_E_LIMIT, "%s: rank %zu is over the limit of %d", what,
                     (size_t)t->shape->dims.n, WEFT_MAX_RANK);
  }
  for (size_t i = 0; i < t->shape->dims.n; i++) {
    const onnx_dim *dim = &t->shape->dims.v[i];
    dims[i] = -1;
    if (dim->which == ONNX_DIM_VALUE && dim->value < -1)
      return weft_fail(m->d, WEFT_E_SHAPE, "%s: dim %zu is %lld", what, i, (long long)dim->value);
    if (dim->which == ONNX_DIM_VALUE)
      dims[i] = dim->value;
    if (dim->which == ONNX_DIM_PARAM && onnx_dim_is_named(m, dim->param))
      dims[i] = weft_dim_symbol(m->g->root->symbols, dim->param.text, dim->param.bytes, 0, -1);
  }
  return weft_desc_set(desc, dtype, WEFT_ND, dims, t->shape->dims.n);
}

weft_status onnx_describe_value(onnx_import *m, const onnx_type *t, weft_tensor_desc *desc,
                                const char *what) {
  const onnx_tensor_type *elem;
  uint8_t kind;
  if (!weft__onnx_kind(t, &kind, &elem)) {
    return weft_fail(m->d, WEFT_E_UNSUPPORTED,
                     "%s: its type at byte %llu is neither a tensor, nor a sequence or an optional of "
                     "tensors, nor a map from integers or strings, and other types are not imported",
                     what, (unsigned long long)t->offset);
  }
  WEFT_TRY(onnx_describe(m, elem, desc, what));
  desc->kind = kind;
  if (!weft__kind_is_map(kind))
    return WEFT_OK;
  // the type says what one value is, and not how many keys there are
  static const weft_dim any[2] = {-1, -1};
  return weft_desc_set(desc, desc->dtype, WEFT_ND, any, kind == WEFT_KIND_MAPS ? 2 : 1);
}

// The name a value gets in the graph: the model's, behind the call's inside a function.
const char *onnx_value_text(onnx_import *m, onnx_str name) {
  char text[512];
  if (!m->prefix)
    return onnx_text(m, name);
  snprintf(text, sizeof text, "%s%.*s", m->prefix, (int)WEFT_MIN(name.bytes, 200), onnx_str_text(name));
  for (size_t at = strlen(text), k = 1; weft_graph_find_value(m->g, text);
       k++)  // thousands of calls find theirs at once
    snprintf(text + at, sizeof text - at, "_%zu", k > 4 ? 1000 + onnx_fresh(m) : k);
  return weft__arena_strdup(m->arena, text, strlen(text));
}

// ---- the graph ----
int64_t onnx_version_of(const onnx_opset *v, size_t n, int64_t otherwise) {
  for (size_t i = 0; i < n; i++) {
    if (!v[i].domain.bytes || onnx_str_is(v[i].domain, "ai.onnx"))
      otherwise = v[i].version;
  }
  return otherwise;
}

// The version of a domain that a function, or the model, imports; 0: it imports none.
int64_t onnx_domain_version(const onnx_import *m, const onnx_function *f, onnx_str domain, int64_t ours) {
  if (!domain.bytes || onnx_str_is(domain, "ai.onnx"))
    return ours;
  for (int model = !f; model < 2; model++) {
    const onnx_opsets *o = model ? &m->model->opset_imports : &f->opset_imports;
    for (size_t i = 0; i < o->n; i++) {
      if (o->v[i].domain.bytes == domain.bytes && !memcmp(o->v[i].domain.text, domain.text, domain.bytes))
        return o->v[i].version;
    }
  }
  return 0;
}

const onnx_kind *onnx_node_kind(const onnx_import *m, const onnx_function *f, const onnx_node *n,
                                int64_t version) {
  int64_t found = onnx_domain_version(m, f, n->domain, version);
  bool ours = !n->domain.bytes || onnx_str_is(n->domain, "ai.onnx");
  if (!found && !ours)
    found = ONNX_NEWEST;  // a domain that is not imported, as ONNX Runtime reads it
  return onnx_kind_of(m->kinds, n->domain, n->op_type, found);
}

static const onnx_mapping *find_mapping(const onnx_import *m, const onnx_node *n) {
  const onnx_import *scope = m;
  while (scope->parent && !scope->function)
    scope = scope->parent;  // a body imports what surrounds it does
  return onnx_node_kind(m, scope->function, n, m->version)->map;
}

static void find_version(onnx_import *m) {
  m->version = onnx_version_of(m->model->opset_imports.v, m->model->opset_imports.n, -1);
  if (m->version < 0 && m->model->ir_version < 3)
    m->version = 1;
  if (m->version < 0 &&
      m->model->opset_imports.n)  // of other domains only: operators of ai.onnx are not found
    m->version = 0;
  else if (!m->version)
    m->version = -1;
}

static weft_status add_initializer(onnx_import *m, onnx_str given, uint64_t offset, const onnx_tensor *dense,
                                   const onnx_sparse_tensor *sparse) {
  const char *name = onnx_value_text(m, given);
  weft_tensor *tensor = weft__graph_tensor(m->g);  // the graph's; dense data stay in their file
  WEFT_TRY(weft__allocated(name && tensor, m->d));
  WEFT_TRY(dense ? weft__onnx_tensor(dense, m->data, true, tensor, m->d)
                 : weft__onnx_sparse(sparse, m->data, tensor, m->d));
  weft_value *v = weft_graph_const(m->g, name, tensor, WEFT_CONST_BORROW, m->d);
  return v ? onnx_bind(m, given, v, offset) : m->d->status;
}

static weft_status add_initializers(onnx_import *m) {
  const onnx_graph *g = m->graph;
  for (size_t i = 0; i < g->initializers.n + g->sparse_initializers.n; i++) {
    const onnx_tensor *t = i < g->initializers.n ? &g->initializers.v[i] : NULL;
    const onnx_sparse_tensor *sparse = t ? NULL : &g->sparse_initializers.v[i - g->initializers.n];
    onnx_str name = t ? t->name : sparse->values ? sparse->values->name : (onnx_str){NULL, 0};
    uint64_t offset = t ? t->offset : sparse->offset;
    weft_status s = add_initializer(m, name, offset, t, sparse);
    if (!s)
      continue;
    WEFT_TRY(onnx_set_aside(m, t ? (const void *)t : sparse, NULL, offset, s));
    if (name.bytes)
      WEFT_TRY(onnx_stand_in(m, name, offset));
  }
  return WEFT_OK;
}

// An input that is an initializer too is declared with the initializer's element type, rank and dims.
static weft_status check_declared(onnx_import *m, const onnx_value_info *v, const weft_value *is) {
  weft_tensor_desc desc;
  if (!v->type)
    return WEFT_OK;
  WEFT_TRY(onnx_describe_value(m, v->type, &desc, weft_value_name(is)));
  const weft_shape *s = &desc.layout.origin;
  if (desc.dtype != WEFT_UNDEFINED && desc.dtype != is->fact.dtype) {
    return weft_fail(m->d, WEFT_E_DTYPE, "graph input '%s' is declared as %s, its initializer is %s",
                     weft_value_name(is), weft_dtype_serial(desc.dtype), weft_dtype_serial(is->fact.dtype));
  }
  if (weft_shape_is_unknown_rank(s))
    return WEFT_OK;
  if ((int)s->rank != onnx_rank(is)) {
    return weft_fail(m->d, WEFT_E_SHAPE,
                     "graph input '%s' is declared with rank %zu, its initializer has rank %d",
                     weft_value_name(is), s->rank, onnx_rank(is));
  }
  for (size_t i = 0; i < s->rank; i++) {
    if (s->dim[i] >= 0 && s->dim[i] != is->fact.dims[i]) {
      return weft_fail(m->d, WEFT_E_SHAPE,
                       "graph input '%s' is declared with %lld in dim %zu, its initializer has %lld",
                       weft_value_name(is), (long long)s->dim[i], i, (long long)is->fact.dims[i]);
    }
  }
  return WEFT_OK;
}

static weft_status import_add_input(onnx_import *m, const onnx_value_info *v) {
  const weft_value *there = onnx_value_of(m, v->name);
  if (there && onnx_doubted(m, there))
    return WEFT_OK;
  if (there && weft_value_origin(there) == WEFT_VALUE_CONST)  // an initializer gives it its value
    return check_declared(m, v, there);
  if (there) {
    return weft_fail(m->d, WEFT_E_DUPLICATE, "graph input '%.*s' appears twice; the second is at byte %llu",
                     (int)WEFT_MIN(v->name.bytes, 200), onnx_str_text(v->name),
                     (unsigned long long)v->offset);
  }
  const char *name = onnx_text(m, v->name);
  weft_tensor_desc desc;
  WEFT_TRY(weft__allocated(name, m->d));
  if (!v->type) {
    return weft_fail(m->d, WEFT_E_MISSING, "graph input '%s' at byte %llu has no type", name,
                     (unsigned long long)v->offset);
  }
  WEFT_TRY(onnx_describe_value(m, v->type, &desc, name));
  weft_value *value = weft_graph_input_desc(m->g, name, &desc, m->d);
  return value ? onnx_bind(m, v->name, value, v->offset) : m->d->status;
}

static weft_status add_inputs(onnx_import *m) {
  const onnx_graph *g = m->model->graph;
  for (size_t i = 0; i < g->inputs.n; i++) {
    const onnx_value_info *v = &g->inputs.v[i];
    weft_status s = import_add_input(m, v);
    if (!s)
      continue;
    WEFT_TRY(onnx_set_aside(m, v, NULL, v->offset, s));
    if (v->name.bytes && !onnx_value_of(m, v->name))
      WEFT_TRY(onnx_stand_in(m, v->name, v->offset));
  }
  return weft__name_dims(m->g, m->d);
}

static weft_status add_infos(onnx_import *m, const onnx_value_info *v, size_t n) {
  for (size_t i = 0; i < n; i++) {
    if (!v[i].name.bytes)
      continue;
    onnx_name *name = onnx_name_make(m, v[i].name);
    if (!name)
      return m->d->status;
    name->info = &v[i];
  }
  return WEFT_OK;
}

// An input of the function that the call leaves out.
static bool absent_here(const onnx_import *m, onnx_str name) {
  for (size_t i = 0; m->function && i < m->function->inputs.n; i++) {
    onnx_str s = m->function->inputs.v[i];
    if (s.bytes == name.bytes && !memcmp(s.text, name.text, s.bytes))
      return true;
  }
  return false;
}

static weft_status check_attributes(onnx_import *m, const onnx_node *n) {
  if (n->attributes.n > 256)
    return weft_fail(m->d, WEFT_E_LIMIT, "%zu attributes, at most 256 are read", (size_t)n->attributes.n);
  for (size_t i = 1; i < n->attributes.n; i++) {
    onnx_str s = n->attributes.v[i].name;
    if (onnx_named(n->attributes.v, i, onnx_str_text(s), s.bytes)) {
      return weft_fail(m->d, WEFT_E_DUPLICATE, "attribute '%.*s' is given twice", (int)WEFT_MIN(s.bytes, 60),
                       onnx_str_text(s));
    }
  }
  return WEFT_OK;
}

static weft_status make_node(onnx_import *m, onnx_op *o) {
  const onnx_node *n = o->n;
  const onnx_function *f = onnx_find_function(m, n);
  o->map = f ? NULL : find_mapping(m, n);
  WEFT_TRY(check_attributes(m, n));
  for (size_t i = 0; i < n->inputs.n; i++) {
    if (n->inputs.v[i].bytes && !onnx_in(o, i) && !absent_here(m, n->inputs.v[i])) {
      return weft_fail(m->d, WEFT_E_NOT_FOUND,
                       "input %zu, '%.*s', is neither a graph input nor an initializer nor the output of "
                       "an earlier node",
                       i, (int)WEFT_MIN(n->inputs.v[i].bytes, 200), n->inputs.v[i].text);
    }
  }
  const weft_proto *custom = f || o->map ? NULL : onnx_custom(m, n);
  if (!f && !o->map && !custom) {
    return weft_fail(m->d, WEFT_E_UNSUPPORTED,
                     "weft does not import this operator in operator-set version %lld",
                     (long long)m->version);
  }
  WEFT_TRY(f            ? onnx_call_function(m, n, f)
           : custom     ? onnx_add_custom(o, custom)
           : o->map->fn ? o->map->fn(o)
                        : onnx_same(o));
  WEFT_TRY(o->failed);
  for (size_t i = 0; i < n->outputs.n; i++) {
    if (onnx_wants(o, i) && !o->out[i]->value) {
      return weft_fail(m->d, WEFT_E_UNSUPPORTED, "output %zu, '%.*s', is not made by the importer", i,
                       (int)WEFT_MIN(n->outputs.v[i].bytes, 200), n->outputs.v[i].text);
    }
  }
  return WEFT_OK;
}

// Does the node, or a body of it, read a value that stands for one which could not be made?
static weft_status find_doubt(onnx_op *o) {
  onnx_import *m = o->m;
  for (size_t i = 0; i < o->n->inputs.n; i++)
    o->doubtful |= onnx_doubted(m, onnx_in(o, i));
  for (size_t a = 0; a < o->n->attributes.n && !o->doubtful; a++) {
    const onnx_graph *body = o->n->attributes.v[a].g;
    onnx_str *names;
    size_t n = 0;
    if (body)
      WEFT_TRY(onnx_free_names(m, &body, 1, &names, &n));
    for (size_t i = 0; i < n; i++)
      o->doubtful |= onnx_doubted(m, onnx_value_of(m, names[i]));
  }
  return WEFT_OK;
}

// A node that failed: told, unless the cause lies in front of it or inside it, and its outputs are doubtful.
static weft_status after_failure(onnx_op *o, weft_status s, bool inside) {
  onnx_import *m = o->m;
  const onnx_node *n = o->n;
  bool own = !inside && (!o->doubtful || (s == WEFT_E_UNSUPPORTED && !strncmp(m->d->text, "attribute", 9)));
  weft_note(m->d, "in node '%.*s' (%.*s) of %s, at byte %llu", (int)WEFT_MIN(n->name.bytes, 200),
            onnx_str_text(n->name), (int)WEFT_MIN(n->op_type.bytes, 100), onnx_str_text(n->op_type), m->file,
            (unsigned long long)n->offset);
  m->problems->failures++;
  return onnx_set_aside(m, own ? n : NULL, n, n->offset, s);
}

static weft_status doubt_outputs(onnx_op *o) {
  const onnx_strs *names = &o->n->outputs;
  for (size_t i = 0; i < names->n; i++) {
    if (!names->v[i].bytes)
      continue;
    weft_value *v = o->out[i]->value;
    if (v && v->fact.set)
      WEFT_TRY(onnx_doubt(o->m, v));
    else
      WEFT_TRY(onnx_stand_in(o->m, names->v[i], o->n->offset));
  }
  return WEFT_OK;
}

// `names`: of its inputs, then of its outputs.
static weft_status import_add_node(onnx_import *m, const onnx_node *n, onnx_name *const *names) {
  onnx_op o;  // not all zero: `attrs` is large, and set where it is used
  memset(&o, 0, offsetof(onnx_op, attrs));
  o.m = m;
  o.n = n;
  o.in = names;
  o.out = names + n->inputs.n;
  size_t failures = m->problems->failures;
  if (m->problems->n || m->options->keep_unknown)
    WEFT_TRY(find_doubt(&o));
  const bool stands_in = m->options->keep_unknown && (o.doubtful || onnx_node_is_unknown(m, n));
  weft_status s = stands_in ? onnx_add_unknown(&o) : make_node(m, &o);
  bool inside = m->problems->failures != failures;
  if (s)
    WEFT_TRY(after_failure(&o, s, inside));
  return s || inside || (o.doubtful && !stands_in) ? doubt_outputs(&o) : WEFT_OK;
}

static weft_status add_outputs(onnx_import *m) {
  const onnx_graph *g = m->model->graph;
  for (size_t i = 0; i < g->outputs.n; i++) {
    onnx_str name = g->outputs.v[i].name;
    weft_value *v = onnx_value_of(m, name);
    weft_status s =
        v ? weft_graph_output(m->g, v, m->d)
          : weft_fail(m->d, WEFT_E_NOT_FOUND, "graph output '%.*s' at byte %llu is not produced by any node",
                      (int)WEFT_MIN(name.bytes, 200), onnx_str_text(name),
                      (unsigned long long)g->outputs.v[i].offset);
    if (s)
      WEFT_TRY(onnx_set_aside(m, &g->outputs.v[i], NULL, g->outputs.v[i].offset, s));
  }
  return WEFT_OK;
}

// Marks what bodies of a node read. Outputs that nobody reads are not made: the mask of a Dropout, the
// statistics of a BatchNormalization.
static weft_status use_in_bodies(onnx_import *m, onnx_scope_node *s) {
  const onnx_node *n = s->node;
  const onnx_graph *bodies[16];
  size_t n_bodies = 0;
  onnx_str *names;
  for (size_t a = 0; a < n->attributes.n && n_bodies < WEFT_COUNT(bodies); a++) {
    if (n->attributes.v[a].g)
      bodies[n_bodies++] = n->attributes.v[a].g;
  }
  if (!n_bodies)
    return WEFT_OK;
  WEFT_TRY(onnx_free_names(m, bodies, n_bodies, &names, &s->n_captured));
  s->captured = WEFT_NEW_N(&m->names.arena, onnx_name *, s->n_captured);
  WEFT_TRY(weft__allocated(s->captured, m->d));
  return onnx_name_list(m, &(onnx_strs){.v = names, .n = s->n_captured}, true, s->captured);
}

onnx_import onnx_scope_inside(onnx_import *m) {
  return (onnx_import){.env = m->env,
                       .arena = m->arena,
                       .parent = m,
                       .model = m->model,
                       .data = m->data,
                       .file = m->file,
                       .problems = m->problems,
                       .kinds = m->kinds,
                       .options = m->options,
                       .version = m->version,
                       .depth = m->depth + 1,
                       .d = m->d};
}

weft_status onnx_scope_begin(onnx_import *m, const onnx_import *around, weft_graph *g) {
  m->g = g;
  onnx_names_init(&m->names, &m->env->alloc);
  m->append = NULL;
  if (around && around->g == g) {
    m->append = around->append;  // a function is written into its caller's graph
    m->n_temp = around->n_temp;
    return WEFT_OK;
  }
  return weft__steps_begin(g, WEFT__READ_FLOATS, &m->append, m->d);
}

void onnx_scope_end(onnx_import *m) {
  if (!m->parent || m->parent->g != m->g)
    weft__steps_end(m->append);
  else
    m->parent->n_temp = m->n_temp;
  onnx_names_deinit(&m->names);
}

weft_status onnx_scope_values(onnx_import *m) {
  WEFT_TRY(add_infos(m, m->graph->value_infos.v, m->graph->value_infos.n));
  WEFT_TRY(add_infos(m, m->graph->outputs.v, m->graph->outputs.n));
  for (size_t i = 0; i < m->graph->outputs.n; i++)
    WEFT_TRY(onnx_name_list(m, &(onnx_strs){.v = &m->graph->outputs.v[i].name, .n = 1}, true, NULL));
  return add_initializers(m);
}

// The names of node i, made when they are new.
static weft_status name_node(onnx_import *m, onnx_scope_node *s, size_t i) {
  const onnx_node *n = s->node;
  onnx_name **outputs = s->names + n->inputs.n;
  WEFT_TRY(onnx_name_list(m, &n->inputs, true, s->names));
  WEFT_TRY(onnx_name_list(m, &n->outputs, false, outputs));
  for (size_t k = 0; k < n->outputs.n; k++) {
    if (outputs[k] && !outputs[k]->maker)
      outputs[k]->maker = (uint32_t)i + 1;
  }
  return use_in_bodies(m, s);
}

weft_status onnx_scope_nodes(onnx_import *m, const onnx_node *nodes, size_t n) {
  size_t n_names = 0;
  const uint32_t *order;
  for (size_t i = 0; i < n; i++)
    n_names += nodes[i].inputs.n + nodes[i].outputs.n;
  onnx_name **names = WEFT_NEW_N(&m->names.arena, onnx_name *, n_names);
  onnx_scope_node *v = WEFT_NEW_N(&m->names.arena, onnx_scope_node, n);
  WEFT_TRY(weft__allocated(names && v, m->d));
  for (size_t i = 0; i < n; i++) {
    v[i] = (onnx_scope_node){.node = &nodes[i], .names = names};
    names += nodes[i].inputs.n + nodes[i].outputs.n;
    WEFT_TRY(name_node(m, &v[i], i));
  }
  WEFT_TRY(onnx_order(m, v, n, &order));
  for (size_t i = 0; i < n; i++) {
    const onnx_scope_node *s = &v[order ? order[i] : i];
    WEFT_TRY(import_add_node(m, s->node, s->names));
  }
  return WEFT_OK;
}

// Room for what the file names.
static weft_status import_expect(onnx_import *m, const onnx_graph *g) {
  size_t n = g->initializers.n + g->inputs.n;
  for (size_t i = 0; i < g->nodes.n; i++) {
    for (size_t k = 0; k < g->nodes.v[i].outputs.n; k++)
      n += g->nodes.v[i].outputs.v[k].bytes > 0;
  }
  WEFT_TRY(onnx_names_expect(m, n));
  return weft__graph_expect(m->g, g->nodes.n, n, m->d);
}

static weft_status import_fill(onnx_import *m, const onnx_graph *g) {
  WEFT_TRY(import_expect(m, g));
  WEFT_TRY(onnx_notes(m));
  WEFT_TRY(onnx_scope_values(m));
  WEFT_TRY(add_inputs(m));
  WEFT_TRY(onnx_scope_nodes(m, g->nodes.v, g->nodes.n));
  return add_outputs(m);
}

static weft_status import(onnx_import *m) {
  const onnx_graph *g = m->model->graph;
  m->graph = g;
  find_version(m);
  if (m->options->separate_dims)
    WEFT_TRY(onnx_dims_shared(m));
  WEFT_TRY(onnx_check_model(m));
  const char *name = weft__arena_strdup(&m->g->root->arena, onnx_str_text(g->name), g->name.bytes);
  const char *file = weft__arena_strdup(&m->g->root->arena, m->file, strlen(m->file));
  WEFT_TRY(weft__allocated(file && name, m->d));
  m->file = file;
  if (*name)
    m->g->name = name;
  weft_status s = onnx_scope_begin(m, NULL, m->g);
  if (!s)
    s = import_fill(m, g);
  onnx_scope_end(m);
  return s;
}

weft_status weft__onnx_read_files(weft_env *e, const onnx_source *from, const weft_onnx_options *options,
                                  weft_graph **out, weft_diag *d) {
  weft_diag own = {0};
  weft_onnx_options o = {0};
  WEFT_SIZED_IN(&o, options, keep_unknown);
  weft_arena arena;
  onnx_data data = {.files = from->files, .dense_left = ONNX_DENSE_BYTES};
  onnx_problems problems;
  onnx_import m = {
      .env = e, .data = &data, .file = from->name, .arena = &arena, .problems = &problems, .options = &o};
  m.d = d && !d->status ? d : &own;  // one that holds a failure already keeps it
  *out = NULL;
  WEFT_TRY(weft_graph_create(e, "graph", &m.g, m.d));  // it has what the model is read with counted
  weft__budget *budget = &m.g->root->budget;
  weft__allowance before = weft__budget_begin(budget, NULL, &e->limits);
  weft__arena_init(&arena, &m.g->root->alloc);
  weft__map_init(&m.shared_dims, &m.g->root->alloc);
  onnx_problems_init(&problems, &m.g->root->alloc);
  weft_status s = (m.kinds = onnx_kinds_make(&arena))
                      ? weft__onnx_read_model(from->data, from->bytes, &arena, &m.model, m.d)
                      : weft_fail(m.d, WEFT_E_NOMEM, "out of memory");
  if (!s)
    s = onnx_report(&m, import(&m));
  s = weft__graph_budget_end(m.g, &before, s, m.d);
  onnx_problems_deinit(&problems);
  weft__map_deinit(&m.shared_dims);
  if (s)
    weft_note(m.d, "while reading the ONNX model '%s'", from->name);
  weft__arena_deinit(&arena);
  if (s)
    weft_graph_destroy(m.g);
  else {
    // each node was inferred when it was appended
    m.g->root->inferred = m.g->root->changes;
    *out = m.g;
  }
  return s;
}
// SPDX-License-Identifier: Apache-2.0
