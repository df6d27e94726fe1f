// load.c - a .pt2 archive becomes a graph: its parts are read and checked, inputs are described, weights stay
// where they lie, all operators that are not read are told at once, then the nodes are made, and the outputs:
// first the user's, then what the program changed of its buffers and inputs.
#include "base/allocated.h"
#include "base/file.h"
#include "base/told.h"
#include "frontend/torch/load.h"
#include "frontend/torch/torch.h"

// ---- documents ----
static weft_status load_json(pt_import *m, const char *path, const pt_bytes *b, weft_json **out) {
  // what is read of few nodes, or where somebody asks: pt_meta, pt_view_of, pt_node_where
  static const char *const names[] = {"metadata", "tensor_meta", "module_call_graph"};
  static const weft__json_texts texts = {names, WEFT_COUNT(names), "tensor_values"};
  weft_status s = weft__json_parse_texts((const char *)b->data, b->n, &texts, &m->f.arena, out, m->f.d);
  if (s)
    weft_note(m->f.d, "in entry '%s' of the archive", path);
  return s;
}

// data/KIND/NAME_KIND_config.json; *out NULL: the archive has none.
static weft_status load_table(pt_import *m, const char *kind, const weft_json **out) {
  char path[300];
  pt_bytes b;
  weft_json *doc;
  *out = NULL;
  snprintf(path, sizeof path, "data/%s/%.200s_%s_config.json", kind, m->name, kind);
  WEFT_TRY(pt_archive_find(&m->archive, path, &b, m->f.d));
  if (!b.data)
    return WEFT_OK;
  WEFT_TRY(load_json(m, path, &b, &doc));
  *out = weft__json_get(doc, "config");
  return WEFT_OK;
}

static weft_status load_version(pt_import *m) {
  const weft_json *v = weft__json_get(weft__json_get(m->program, "schema_version"), "major");
  if (!v || !v->is_int)
    return weft_fail(m->f.d, WEFT_E_MISSING, "the program has no schema_version");
  if (v->i != PT_MAJOR) {
    return weft_fail(m->f.d, WEFT_E_VERSION,
                     "the program has schema version %lld, this weft reads %d: save the model again with "
                     "PyTorch 2.9 or newer",
                     (long long)v->i, PT_MAJOR);
  }
  return WEFT_OK;
}

static weft_status load_documents(pt_import *m, const weft_file *file) {
  pt_bytes b;
  weft_json *program;
  WEFT_TRY(pt_archive_open(&m->archive, file, &m->f.arena, m->f.d));
  WEFT_TRY(pt_archive_program(&m->archive, &m->name, &b, m->f.d));
  weft__arena_expect(&m->f.arena, b.n < SIZE_MAX / 8 ? b.n * 8 : b.n);  // what its JSON takes, about
  WEFT_TRY(load_json(m, "models/NAME.json", &b, &program));
  m->program = program;
  WEFT_TRY(load_version(m));
  WEFT_TRY(load_table(m, "weights", &m->weights));
  return load_table(m, "constants", &m->constants);
}

// ---- what is not read ----
static weft_status load_scan(pt_import *m, const weft_json *graph, int depth);

static weft_status load_scan_node(pt_scope *s, const weft_json *node, int depth) {
  pt_import *m = s->m;
  const char *target = pt_text(node, "target");
  const weft_json *inputs = weft__json_get(node, "inputs");
  bool in_place;
  char where[300];
  for (size_t i = 0; i < weft__json_count(inputs); i++) {
    const char *key;
    const weft_json *v = pt_only(weft__json_get(&inputs->items[i], "arg"), &key);
    if (v && !strcmp(key, "as_graph"))
      WEFT_TRY(load_scan(m, weft__json_get(v, "graph"), depth + 1));
  }
  if (++m->n_nodes > PT_MAX_NODES)
    return weft_fail(m->f.d, WEFT_E_LIMIT, "more than %d nodes", PT_MAX_NODES);
  if (!target || pt_row_of(m, target, &in_place) || pt_is_higher_order(target) || pt_custom_of(m, target))
    return WEFT_OK;
  if (!s->used.n)  // of few graphs somebody asks
    WEFT_TRY(pt_scope_uses(s));
  if (pt_is_dead(s, node))
    return WEFT_OK;
  const char *line = pt_node_where(m, node);
  snprintf(where, sizeof where, "'%.100s'%s%.180s", pt_node_name(node), line ? " of " : "", line ? line : "");
  return front_unknown(&m->f, target, where);
}

static weft_status load_scan(pt_import *m, const weft_json *graph, int depth) {
  const weft_json *nodes = weft__json_get(graph, "nodes");
  if (depth > FRONT_DEPTH)
    return weft_fail(m->f.d, WEFT_E_LIMIT, "graphs nested deeper than %d", FRONT_DEPTH);
  pt_scope scope;
  weft_status s = WEFT_OK;
  pt_scope_init(&scope, m, graph);
  for (size_t i = 0; !s && i < weft__json_count(nodes); i++)
    s = load_scan_node(&scope, &nodes->items[i], depth);
  pt_scope_end(&scope);
  return s;
}

static weft_status load_rows(pt_import *m) {
  size_t n = 0;
  for (size_t k = 0; k < pt_table_count; k++)
    n += pt_tables[k]->n;
  WEFT_TRY(weft__allocated(!weft__map_reserve(&m->rows, &m->f.arena, n), m->f.d));
  for (size_t k = 0; k < pt_table_count; k++) {
    for (size_t i = 0; i < pt_tables[k]->n; i++) {
      const pt_row *r = &pt_tables[k]->v[i];
      bool set = !weft__map_set(&m->rows, r->name, strlen(r->name), (void *)(uintptr_t)r);
      WEFT_TRY(weft__allocated(set, m->f.d));
    }
  }
  return WEFT_OK;
}

// ---- weights ----
// The element behind the last one that is read, from the storage's begin.
static bool load_extent(const pt_view *v, int64_t *out) {
  int64_t last = v->offset;
  int64_t step;
  for (size_t i = 0; i < v->rank; i++) {
    if (!v->dims[i]) {
      *out = 0;
      return true;
    }
    if (!weft__mul_i64(v->dims[i] - 1, v->strides[i], &step) || !weft__add_i64(last, step, &last))
      return false;
  }
  return weft__add_i64(last, 1, out);
}

// Axes in the order in which they lie in memory; true: they lie there without gaps.
static bool load_order(const pt_view *v, size_t order[WEFT_MAX_RANK]) {
  int64_t want = 1;
  for (size_t i = 0; i < v->rank; i++) {
    size_t k = i;
    for (; k && v->strides[order[k - 1]] < v->strides[i]; k--)
      order[k] = order[k - 1];
    order[k] = i;
  }
  for (size_t i = v->rank; i-- > 0;) {
    if (v->dims[order[i]] != 1 && v->strides[order[i]] != want)
      return false;
    if (!weft__mul_i64(want, v->dims[order[i]], &want))
      return false;
  }
  return true;
}

// A tensor with gaps or repeated elements, copied element by element.
static weft_status load_copied(pt_scope *s, const pt_view *v, const uint8_t *data, const char *name,
                               weft_value **out) {
  size_t one = weft_dtype_bits(v->t) / 8;
  weft_tensor *t = weft__graph_tensor(s->s.g);
  int64_t at[WEFT_MAX_RANK] = {0};
  weft_diag *d = s->m->f.d;
  WEFT_TRY(weft__allocated(t, d));
  WEFT_TRY(weft_tensor_alloc(t, v->t, v->dims, v->rank, d));
  size_t n = (size_t)weft_tensor_elems(t);
  for (size_t i = 0; i < n; i++) {
    int64_t from = v->offset;
    for (size_t k = 0; k < v->rank; k++)
      from += at[k] * v->strides[k];
    memcpy((uint8_t *)t->data + i * one, data + (size_t)from * one, one);
    for (size_t k = v->rank; k-- > 0;) {
      if (++at[k] < v->dims[k])
        break;
      at[k] = 0;
    }
  }
  *out = weft_graph_const(s->s.g, name, t, WEFT_CONST_BORROW, d);
  return *out ? WEFT_OK : d->status;
}

// Dense in another order of its axes: as it lies, and turned by a Transpose.
static weft_status load_turned(pt_scope *s, const pt_view *v, const size_t *order, const uint8_t *data,
                               const char *name, weft_value **out) {
  weft_dim dims[WEFT_MAX_RANK];
  int64_t back[WEFT_MAX_RANK];
  size_t one = weft_dtype_bits(v->t) / 8;
  size_t n = one;
  for (size_t i = 0; i < v->rank; i++) {
    dims[i] = v->dims[order[i]];
    back[order[i]] = (int64_t)i;
    n *= (size_t)dims[i];
  }
  const front_data in = {v->t, dims, v->rank, data + (size_t)v->offset * one, n};
  WEFT_TRY(front_borrow(&s->m->f, s->s.g, name, &in, out));
  front_op o = front_op_of(&s->m->f, &s->s, name, "parameter", 0);
  *out = front_permuted(&o, *out, back, v->rank);
  return o.failed;
}

static weft_status load_weight(pt_scope *s, const pt_value *v, const pt_view *view, const pt_bytes *b,
                               const char *name, weft_value **out) {
  size_t order[WEFT_MAX_RANK];
  size_t one = weft_dtype_bits(view->t) / 8;
  int64_t extent;
  (void)v;
  if (!load_extent(view, &extent) || (uint64_t)extent > b->n / one) {
    return weft_fail(s->m->f.d, WEFT_E_CORRUPT, "its sizes and strides pass the end of its %zu bytes", b->n);
  }
  uint64_t elems = 1;
  for (size_t i = 0; i < view->rank; i++) {
    if (view->dims[i] && elems > (uint64_t)INT64_MAX / 16 / (uint64_t)view->dims[i])
      return weft_fail(s->m->f.d, WEFT_E_LIMIT, "its sizes overflow");
    elems *= (uint64_t)view->dims[i];
  }
  const front_data none = {view->t, view->dims, view->rank, b->data, 0};
  if (!elems)
    return front_borrow(&s->m->f, s->s.g, name, &none, out);
  if (!load_order(view, order))
    return load_copied(s, view, b->data, name, out);
  return load_turned(s, view, order, b->data, name, out);
}

// Where a weight lies and what it looks like: tied ones are one constant.
static const char *load_key(pt_import *m, const char *path, const pt_view *v, size_t *out_bytes) {
  size_t axes = v->rank * sizeof(int64_t);
  size_t n = strlen(path);
  int64_t head[3] = {(int64_t)v->t, v->offset, (int64_t)v->rank};
  *out_bytes = sizeof head + 2 * axes + n;
  char *key = weft__arena_alloc(&m->f.arena, *out_bytes, 1);
  if (!key)
    return NULL;
  memcpy(key, head, sizeof head);
  memcpy(key + sizeof head, v->dims, axes);
  memcpy(key + sizeof head + axes, v->strides, axes);
  memcpy(key + sizeof head + 2 * axes, path, n);
  return key;
}

// data/FOLDER/PATH
static const char *load_path(pt_import *m, const char *folder, const char *path) {
  static const char data[] = "data/";
  size_t n = strlen(folder);
  size_t bytes = strlen(path) + 1;
  char *full = weft__arena_alloc(&m->f.arena, sizeof data + n + bytes, 1);
  if (!full)
    return NULL;
  memcpy(full, data, sizeof data - 1);
  memcpy(full + sizeof data - 1, folder, n);
  full[sizeof data - 1 + n] = '/';
  memcpy(full + sizeof data + n, path, bytes);
  return full;
}

static weft_status load_weight_entry(pt_scope *s, pt_value *v, const char *name) {
  pt_import *m = s->m;
  const char *path = pt_text(v->weight, "path_name");
  const weft_json *pickled = weft__json_get(v->weight, "use_pickle");
  pt_bytes b;
  pt_view view;
  if (!path || (pickled && pickled->b)) {
    return weft_fail(
        m->f.d, WEFT_E_UNSUPPORTED,
        "it is stored as a Python pickle, as tensor subclasses are (quantised weights of torchao): "
        "export the model with plain tensors");
  }
  const char *full = load_path(m, v->weight_folder, path);
  WEFT_TRY(weft__allocated(full, m->f.d));
  WEFT_TRY(pt_archive_find(&m->archive, full, &b, m->f.d));
  if (!b.data)
    return weft_fail(m->f.d, WEFT_E_MISSING, "the archive has no entry '%s'", full);
  WEFT_TRY(pt_view_of(m, weft__json_get(v->weight, "tensor_meta"), &view));
  size_t bytes;
  const char *key = load_key(m, full, &view, &bytes);
  WEFT_TRY(weft__allocated(key, m->f.d));
  v->v = weft__map_find(&m->tied, key, bytes);
  if (v->v)
    return WEFT_OK;
  WEFT_TRY(load_weight(s, v, &view, &b, name, &v->v));
  return weft__allocated(!weft__map_set(&m->tied, key, bytes, v->v), m->f.d);
}

// The weight's own name. An input or an operator's result may have that already: the one that the program's
// graph gives it, then, or one with a number.
static const char *load_free_name(pt_scope *s, const pt_value *v) {
  const char *own = v->fqn && *v->fqn ? v->fqn : v->name;
  char numbered[300];
  if (!weft_graph_find_value(s->s.g, own))
    return own;
  if (!weft_graph_find_value(s->s.g, v->name))
    return v->name;
  do {
    snprintf(numbered, sizeof numbered, "%.250s.%u", own, (unsigned)s->m->f.n_made++);
  } while (weft_graph_find_value(s->s.g, numbered));
  return weft__arena_strdup(&s->m->f.arena, numbered, strlen(numbered));
}

weft_status pt_make_weight(pt_scope *s, pt_value *v) {
  const char *name = load_free_name(s, v);
  weft_status st = weft__allocated(name, s->m->f.d);
  if (!st)
    st = load_weight_entry(s, v, name);
  if (!st)
    st = pt_state_of(s, v);
  if (st)
    weft_note(s->m->f.d, "in weight '%.200s'", v->name);
  return st;
}

// ---- inputs ----
static const weft_json *load_entry(pt_import *m, const char *fqn, const char **out_folder) {
  const weft_json *e = fqn ? weft__json_get(m->weights, fqn) : NULL;
  *out_folder = "weights";
  if (e)
    return e;
  *out_folder = "constants";
  return fqn ? weft__json_get(m->constants, fqn) : NULL;
}

static weft_status load_user_input(pt_scope *s, const weft_json *argument) {
  const char *key;
  const weft_json *inner = pt_only(argument, &key);
  bool tensor = inner && !strcmp(key, "as_tensor");
  const char *name = pt_text(inner, tensor ? "name" : "as_name");
  weft_tensor_desc desc;
  weft_dim dims[WEFT_MAX_RANK];
  pt_import *m = s->m;
  if (!name)  // a number that was fixed when the program was exported
    return WEFT_OK;
  pt_value *v = pt_name_new(s, name);
  if (!v)
    return m->f.d->status;
  v->kind = tensor ? PT_TENSOR : PT_NUMBER;
  weft_dtype t = tensor                         ? pt_dtype_of(m, v)
                 : !strcmp(key, "as_sym_float") ? (weft_dtype)WEFT_DOUBLE
                 : !strcmp(key, "as_sym_bool")  ? (weft_dtype)WEFT_BOOL
                                                : (weft_dtype)WEFT_INT64;
  int rank = tensor ? pt_meta_rank(pt_meta(m, v)) : 0;
  if (rank < 0 || t == WEFT_UNDEFINED)
    return weft_fail(m->f.d, WEFT_E_INVALID, "input '%.200s' has no dtype or no sizes", name);
  const weft_json *sizes = weft__json_get(pt_meta(m, v), "sizes");
  for (int i = 0; i < rank; i++)
    dims[i] = pt_dim(m, &sizes->items[i]);
  weft_desc_init(&desc);
  WEFT_TRY(weft_desc_set(&desc, t, WEFT_ND, dims, (size_t)rank));
  v->v = weft_graph_input_desc(m->f.g, name, &desc, m->f.d);
  return v->v ? WEFT_OK : m->f.d->status;
}

// parameter, buffer or tensor_constant
static weft_status load_weight_input(pt_scope *s, const char *kind, const weft_json *spec) {
  const char *name = pt_text(weft__json_get(spec, "arg"), "name");
  pt_import *m = s->m;
  const char *fqn = pt_text(spec, !strcmp(kind, "parameter") ? "parameter_name"
                                  : !strcmp(kind, "buffer")  ? "buffer_name"
                                                             : "tensor_constant_name");
  if (!name || !fqn)
    return weft_fail(m->f.d, WEFT_E_INVALID, "an input of kind %s has no name", kind);
  pt_value *v = pt_name_new(s, name);
  if (!v)
    return m->f.d->status;
  v->kind = PT_WEIGHT;
  v->fqn = fqn;
  v->weight = load_entry(m, fqn, &v->weight_folder);
  if (!v->weight)
    return weft_fail(m->f.d, WEFT_E_MISSING, "the archive has no data for %s '%.200s'", kind, fqn);
  if (strcmp(kind, "buffer"))
    return WEFT_OK;
  v->next_buffer = m->buffers;
  m->buffers = v;
  return WEFT_OK;
}

static weft_status load_inputs(pt_scope *s, const weft_json *specs) {
  for (size_t i = 0; i < weft__json_count(specs); i++) {
    const char *kind;
    const weft_json *spec = pt_only(&specs->items[i], &kind);
    if (!strcmp(kind, "user_input"))
      WEFT_TRY(load_user_input(s, weft__json_get(spec, "arg")));
    else if (!strcmp(kind, "parameter") || !strcmp(kind, "buffer") || !strcmp(kind, "tensor_constant"))
      WEFT_TRY(load_weight_input(s, kind, spec));
    else if (strcmp(kind, "constant_input") && strcmp(kind, "token"))
      return weft_fail(s->m->f.d, WEFT_E_UNSUPPORTED,
                       "the program has an input of kind '%.60s'%s, which is not read", kind,
                       !strcmp(kind, "custom_obj") ? " (an object of TorchBind)" : "");
  }
  return weft__name_dims(s->m->f.g, s->m->f.d);
}

// ---- outputs ----
static weft_status load_output(pt_scope *s, const weft_json *argument, const char *as) {
  pt_import *m = s->m;
  static const weft_json none = {.kind = WEFT_JSON_ARRAY};
  pt_op o = {.b = front_op_of(&m->f, &s->s, "output", "output", 0), .s = s, .m = m, .inputs = &none};
  const char *key;
  const weft_json *inner = pt_only(argument, &key);
  const char *name = pt_text(inner, "name") ? pt_text(inner, "name") : pt_text(inner, "as_name");
  front_arg a = pt_read_arg(&o, argument);
  weft_value *v = a.v;
  if (a.kind == FRONT_ABSENT && !o.b.failed)  // None
    return WEFT_OK;
  if (a.kind == FRONT_INT && !v)
    v = front_index(&o.b, a.i);
  if (a.kind == FRONT_FLOAT && !v)
    v = front_num(&o.b, WEFT_DOUBLE, a.f);
  if (a.kind == FRONT_BOOL && !v)
    v = front_int(&o.b, WEFT_BOOL, a.i);
  if (o.b.failed)
    return o.b.failed;
  return front_output(&m->f, &s->s, v, as ? as : name ? name : "output");
}

// What the program changed: its signature says it, or it did so in place.
static weft_status load_changed(pt_scope *s, const weft_json *spec, const char *key, const char *of) {
  char name[300];
  const char *keys[1] = {"as_tensor"};
  weft_json values[1] = {*weft__json_get(spec, "arg")};
  const weft_json argument = {.kind = WEFT_JSON_OBJECT, .n = 1, .items = values, .keys = keys};
  const char *target = pt_text(spec, key);
  snprintf(name, sizeof name, "%.250s.%s", target ? target : of, "new");
  return load_output(s, &argument, name);
}

static weft_status load_changed_in_place(pt_scope *s, const weft_json *specs) {
  for (size_t i = 0; i < weft__json_count(specs); i++) {
    const char *kind;
    const char *key;
    char name[300];
    const weft_json *spec = pt_only(&specs->items[i], &kind);
    const weft_json *arg = weft__json_get(spec, "arg");
    const char *of = pt_text(arg, "name");
    if (!of)
      of = pt_text(pt_only(arg, &key), "name");
    pt_value *v = of ? pt_name(s, of) : NULL;
    if (!v || !v->changed)
      continue;
    front_op b = front_op_of(&s->m->f, &s->s, of, "output", 0);
    const char *fqn = pt_text(spec, "buffer_name");
    snprintf(name, sizeof name, "%.250s.new", fqn ? fqn : of);
    weft_value *now = pt_read(&b, s, v);
    WEFT_TRY(b.failed);
    WEFT_TRY(front_output(&s->m->f, &s->s, now, name));
  }
  return WEFT_OK;
}

static weft_status load_outputs(pt_scope *s, const weft_json *signature) {
  const weft_json *specs = weft__json_get(signature, "output_specs");
  for (size_t i = 0; i < weft__json_count(specs); i++) {
    const char *kind;
    const weft_json *spec = pt_only(&specs->items[i], &kind);
    if (!strcmp(kind, "user_output") || !strcmp(kind, "loss_output"))
      WEFT_TRY(load_output(s, weft__json_get(spec, "arg"), NULL));
  }
  for (size_t i = 0; i < weft__json_count(specs); i++) {
    const char *kind;
    const weft_json *spec = pt_only(&specs->items[i], &kind);
    if (!weft__json_get(spec, "arg"))
      continue;
    if (!strcmp(kind, "buffer_mutation"))
      WEFT_TRY(load_changed(s, spec, "buffer_name", "buffer"));
    else if (!strcmp(kind, "user_input_mutation"))
      WEFT_TRY(load_changed(s, spec, "user_input_name", "input"));
    else if (!strcmp(kind, "parameter_mutation"))
      WEFT_TRY(load_changed(s, spec, "parameter_name", "parameter"));
  }
  return load_changed_in_place(s, weft__json_get(signature, "input_specs"));
}

// ---- all of it ----
static weft_status load_fill(pt_import *m) {
  pt_scope s;
  const weft_json *module = weft__json_get(m->program, "graph_module");
  const weft_json *graph = weft__json_get(module, "graph");
  const weft_json *signature = weft__json_get(module, "signature");
  if (!graph || !signature)
    return weft_fail(m->f.d, WEFT_E_MISSING, "the program has no graph or no signature");
  WEFT_TRY(load_rows(m));
  WEFT_TRY(load_scan(m, graph, 0));
  WEFT_TRY(front_unknown_all(&m->f));
  const char *version = pt_text(m->program, "torch_version");
  if (version)
    WEFT_TRY(weft_graph_set_meta(m->f.g, "torch.version", version, m->f.d));
  weft_status st = pt_scope_begin(&s, m, m->f.g, graph, 0);
  if (!st)
    st = load_inputs(&s, weft__json_get(signature, "input_specs"));
  if (!st)
    st = pt_find_changes(&s, signature);
  if (!st)
    st = pt_scope_nodes(&s);
  if (!st)
    st = load_outputs(&s, signature);
  if (!st)
    st = pt_keep_changes(&s);
  pt_scope_end(&s);
  return m->broken ? m->broken : st;
}

weft_status weft__torch_read(weft_env *e, const weft_file *file, const char *name, weft_graph **out,
                             weft_diag *d) {
  pt_import m;
  memset(&m, 0, sizeof m);
  *out = NULL;
  WEFT_TRY(front_begin(&m.f, e, "PyTorch", name, d));
  weft__map_init(&m.rows, &m.f.arena.alloc);
  weft__map_init(&m.tied, &m.f.arena.alloc);
  weft__map_init(&m.archive.entries, &m.f.arena.alloc);
  weft_status s = load_documents(&m, file);
  if (!s)
    s = load_fill(&m);
  pt_archive_close(&m.archive);
  weft__map_deinit(&m.rows);
  weft__map_deinit(&m.tied);
  return weft__told(front_end(&m.f, s, out), d);
}
// SPDX-License-Identifier: Apache-2.0
