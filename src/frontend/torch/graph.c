// graph.c - the nodes of a program, one after the other: an operator's row is found, run, and what it made
// gets the names that the node gives. In-place operators write into what their first argument stands for.
#include "base/allocated.h"
#include "frontend/torch/torch.h"

// ---- rows ----
// "aten.conv2d.default" of "torch.ops.aten.conv2d.default"; NULL: no ATen operator.
static const char *graph_aten(const char *target) {
  static const char prefix[] = "torch.ops.aten.";
  return strncmp(target, prefix, sizeof prefix - 1) ? NULL : target + sizeof prefix - 1;
}

static const pt_row *graph_row(const pt_import *m, const char *name, size_t bytes) {
  return weft__map_find(&m->rows, name, bytes);
}

const pt_row *pt_row_of(const pt_import *m, const char *target, bool *out_in_place) {
  const char *aten = graph_aten(target);
  char plain[160];
  *out_in_place = false;
  if (!aten)
    return graph_row(m, target, strlen(target));
  size_t n = strcspn(aten, ".");
  const pt_row *row = graph_row(m, aten, strlen(aten));
  if (!row)
    row = graph_row(m, aten, n);
  if (row || n < 2 || aten[n - 1] != '_' || (aten[n - 2] == '_' && aten[0] == '_') ||
      strlen(aten) >= sizeof plain)
    return row;
  *out_in_place = true;  // add_.Tensor is add.Tensor, written into self
  memcpy(plain, aten, n - 1);
  memcpy(plain + n - 1, aten + n, strlen(aten + n) + 1);
  row = graph_row(m, plain, strlen(plain));
  return row ? row : graph_row(m, plain, n - 1);
}

// ---- an operator of the program ----
static void graph_add_output(pt_op *o, const weft_json *named, bool apart) {
  const char *name = pt_text(named, "name");
  if (!name)
    name = pt_text(named, "as_name");
  if (o->b.failed || o->n_out == PT_MAX_OUTPUTS)
    return;
  pt_value *v = NULL;
  if (name && apart) {
    v = WEFT_NEW(&o->m->f.arena, pt_value);
    const pt_value *real = pt_name(o->s, name);
    if (v && real)
      v->meta = real->meta;
    o->b.failed = weft__allocated(v, o->m->f.d);
  } else if (name) {
    v = pt_name(o->s, name);
    if (!v && !(v = pt_name_new(o->s, name)))
      o->b.failed = o->m->f.d->status;
  }
  o->out[o->n_out++] = v;
}

static size_t graph_count_outputs(const weft_json *outputs) {
  size_t n = 0;
  for (size_t i = 0; i < weft__json_count(outputs); i++) {
    const char *key;
    const weft_json *v = pt_only(&outputs->items[i], &key);
    n += v && v->kind == WEFT_JSON_ARRAY ? v->n : 1;
  }
  return n;
}

static void graph_outputs(pt_op *o, bool apart) {
  const weft_json *outputs = weft__json_get(o->node, "outputs");
  o->out = WEFT_NEW_N(&o->m->f.arena, pt_value *, graph_count_outputs(outputs) + 1);
  o->b.failed = weft__allocated(o->out, o->m->f.d);
  for (size_t i = 0; i < weft__json_count(outputs); i++) {
    const char *key;
    const weft_json *v = pt_only(&outputs->items[i], &key);
    if (!v || v->kind != WEFT_JSON_ARRAY) {
      graph_add_output(o, v, apart);
      continue;
    }
    for (size_t k = 0; k < v->n; k++) {
      const char *inner;
      const weft_json *item = &v->items[k];
      graph_add_output(o, weft__json_get(item, "name") ? item : pt_only(item, &inner), apart);
    }
  }
}

const char *pt_node_name(const weft_json *node) {
  const char *key;
  const char *name = pt_text(node, "name");
  const weft_json *outputs = weft__json_get(node, "outputs");
  if (name && *name)
    return name;
  const weft_json *first = weft__json_count(outputs) ? pt_only(&outputs->items[0], &key) : NULL;
  if (weft__json_count(first))
    first = &first->items[0];
  name = pt_text(first, "name");
  return name ? name : "";
}

static pt_op graph_op(pt_scope *s, const weft_json *node, bool apart) {
  static const weft_json none = {.kind = WEFT_JSON_ARRAY};
  const char *target = pt_text(node, "target");
  const weft_json *inputs = weft__json_get(node, "inputs");
  const char *aten = target ? graph_aten(target) : NULL;
  pt_op o = {.b = front_op_of(&s->m->f, &s->s, pt_node_name(node),
                              aten     ? aten
                              : target ? target
                                       : "?",
                              0),
             .s = s,
             .m = s->m,
             .node = node,
             .inputs = inputs && inputs->kind == WEFT_JSON_ARRAY ? inputs : &none,
             .target = aten};
  o.row = target ? pt_row_of(s->m, target, &o.in_place) : NULL;
  o.custom = target && !o.row ? pt_custom_of(s->m, target) : NULL;
  graph_outputs(&o, apart);
  return o;
}

pt_op pt_op_of(pt_scope *s, const weft_json *node) {
  return graph_op(s, node, false);
}

pt_op pt_op_quiet(pt_scope *s, const weft_json *node, const front_op *like, bool apart) {
  pt_op o = graph_op(s, node, apart);
  if (like->failed)
    o.b.failed = like->failed;
  o.b.where = like->where;
  return o;
}

void pt_result(pt_op *o, size_t i, weft_value *v) {
  if (o->b.failed || i >= o->n_out || !o->out[i])
    return;
  if (!v) {
    front_fail(&o->b, WEFT_E_STATE, "output %zu is not made", i);
    return;
  }
  pt_value *out = o->out[i];
  weft_dtype want = pt_dtype_of(o->m, out);
  if (want != WEFT_UNDEFINED && v->fact.dtype != want && v->fact.dtype != WEFT_UNDEFINED)
    v = front_as(&o->b, v, want);
  out->v = v;
  if (!o->in_place && out->name)
    front_name(&o->b, v, out->name);
}

// ---- rules ----
static front_arg graph_find(void *ctx, const char *name, size_t bytes) {
  pt_op *o = ctx;
  (void)bytes;
  if (o->self && !strcmp(name, "self"))
    return (front_arg){.kind = FRONT_VALUE, .v = o->self};
  const weft_json *arg = pt_find(o, name);
  return arg ? pt_read_arg(o, arg) : (front_arg){.kind = FRONT_ABSENT};
}

static weft_dtype graph_rule_type(pt_op *o) {
  weft_dtype t = pt_out_type(o, 0);
  switch (o->row->mode) {
    case 'T':
      return t;
    case 'P':
      return pt_promoted(o);
    case 'S':
      return t == WEFT_BF16 || t == WEFT_FLOAT16 ? (weft_dtype)WEFT_FLOAT : t;
    case 'F':
      return weft_dtype_is_integer(t) || t == WEFT_BOOL ? (weft_dtype)WEFT_FLOAT : t;
    default:
      return WEFT_UNDEFINED;
  }
}

void pt_run_node(pt_op *o) {
  if (o->b.failed)
    return;
  if (o->custom) {
    pt_custom(o);
    return;
  }
  if (!o->row) {
    front_fail(&o->b, WEFT_E_UNSUPPORTED, "weft does not read this operator");
    return;
  }
  if (o->row->fn) {
    o->row->fn(o);
    return;
  }
  const front_rule r = {.text = o->row->rule,
                        .find = graph_find,
                        .ctx = o,
                        .type = graph_rule_type(o),
                        .out = pt_out_type(o, 0)};
  weft_value *y = front_eval(&o->b, &r);
  pt_result(o, 0, o->row->mode == 'S' ? front_as(&o->b, y, r.out) : y);
}

// ---- one node ----
// The value that an in-place operator changes.
static pt_value *graph_self(pt_op *o) {
  const char *key;
  const weft_json *arg = pt_find(o, "self");
  const weft_json *inner = pt_only(arg ? arg : pt_at(o, 0), &key);
  const char *name = pt_text(inner, "name");
  return name ? pt_name(o->s, name) : NULL;
}

// The result is written into self, whose other names it gets.
static void graph_in_place(pt_op *o) {
  pt_value *self = graph_self(o);
  weft_value *made = o->n_out && o->out[0] ? o->out[0]->v : NULL;
  if (o->b.failed)
    return;
  if (!self || !made) {
    front_fail(&o->b, WEFT_E_INVALID, "it changes something that is not a tensor of the program");
    return;
  }
  weft_value *old = pt_read(&o->b, o->s, self);
  if (!old)
    return;
  made = front_as(&o->b, made, old->fact.dtype);
  if (made != old)
    pt_write(o, self, made);
  const char *name = o->out[0]->name;
  if (!o->b.failed && name) {
    front_name(&o->b, made, name);
    o->b.failed = weft__allocated(!weft__map_set(&o->s->names, name, strlen(name), self), o->m->f.d);
  }
}

static void graph_alias(pt_op *o) {
  pt_value *self = graph_self(o);
  if (o->b.failed || !self || self->kind == PT_NUMBER || o->row->alias == 0)
    return;
  if (o->row->alias == 'C' && !pt_meta_contiguous(pt_meta(o->m, self)))
    return;
  for (size_t i = 0; i < o->n_out; i++) {
    pt_value *v = o->out[i];
    if (!v)
      continue;
    v->parent = self;
    v->node = o->node;
    v->index = (uint32_t)i;
    v->seen = self->version;
  }
}

static void graph_kinds(pt_op *o) {
  const weft_json *outputs = weft__json_get(o->node, "outputs");
  for (size_t i = 0; i < o->n_out; i++) {
    const char *key = "";
    if (i < weft__json_count(outputs))
      (void)pt_only(&outputs->items[i], &key);
    if (o->out[i])
      o->out[i]->kind = !strncmp(key, "as_sym_", 7) ? PT_NUMBER : PT_TENSOR;
  }
}

// What stands for outputs of a node that failed, so that the reading can go on and find more.
static void graph_stand_in(pt_op *o) {
  for (size_t i = 0; i < o->n_out; i++) {
    pt_value *v = o->out[i];
    weft_dim dims[WEFT_MAX_RANK];
    if (!v || v->v)
      continue;
    int rank = pt_meta_rank(pt_meta(o->m, v));
    const weft_json *sizes = weft__json_get(pt_meta(o->m, v), "sizes");
    for (int k = 0; k < rank; k++)
      dims[k] = pt_dim(o->m, &sizes->items[k]);
    bool number = v->kind == PT_NUMBER;
    v->v = front_stand_in(&o->b, number ? (weft_dtype)WEFT_INT64 : pt_dtype_of(o->m, v), dims,
                          number ? 0 : rank);
  }
}

const char *pt_node_where(pt_import *m, const weft_json *node) {
  const weft_json *raw = weft__json_get(node, "metadata");
  weft_json *meta;
  weft_diag quiet = {0};
  if (!raw || weft__json_parse(raw->s, raw->s_bytes, &m->f.arena, &meta, &quiet))
    return NULL;
  const char *trace = pt_text(meta, "stack_trace");
  const char *last = NULL;
  for (const char *at = trace; at && (at = strstr(at, "File \"")); at += 6)
    last = at + 6;
  if (!last)
    return NULL;
  size_t n = strcspn(last, "\"");
  const char *line = strstr(last + n, "line ");
  char text[200];
  snprintf(text, sizeof text, "%.*s:%.*s", (int)WEFT_MIN(n, 150), last,
           line ? (int)strspn(line + 5, "0123456789") : 0, line ? line + 5 : "");
  return weft__arena_strdup(&m->f.arena, text, strlen(text));
}

// Arguments that say nothing about values, of every operator.
static const char *const graph_idle[] = {"device",
                                         "layout",
                                         "pin_memory",
                                         "memory_format",
                                         "non_blocking",
                                         "copy",
                                         "generator",
                                         "requires_grad",
                                         "dtype",
                                         "out_dtype",
                                         "implicit",
                                         "half_to_float",
                                         "momentum",
                                         "cudnn_enable",
                                         "cudnn_enabled",
                                         "benchmark",
                                         "deterministic",
                                         "allow_tf32",
                                         "exponential_average_factor",
                                         "scale_grad_by_freq",
                                         "sparse",
                                         "sparse_grad",
                                         "dropout",
                                         "dropout_p",
                                         "train",
                                         "stable",
                                         "sorted",
                                         "out_int32",
                                         "return_counts",
                                         "return_inverse",
                                         "return_debug_mask",
                                         "compute_log_sumexp",
                                         "compute_mode",
                                         "check_errors",
                                         "unsafe",
                                         "path",
                                         "physical_layout",
                                         "unroll_dim"};

// The same of operators whose name begins so; name NULL: all arguments.
static const struct {
  const char *of, *name;
} graph_idle_of[] = {{"native_group_norm", "N"},
                     {"native_group_norm", "C"},
                     {"native_group_norm", "HxW"},
                     {"embedding.", "padding_idx"},
                     {"_assert", NULL},
                     {"sym_constrain", NULL},
                     {"dropout", NULL},
                     {"native_dropout", NULL},
                     {"feature_dropout", NULL},
                     {"alpha_dropout", NULL},
                     {"empty", NULL},
                     {"new_empty", NULL},
                     {"new_full", "self"},
                     {"new_ones", "self"},
                     {"new_zeros", "self"},
                     {"to.", "other"},
                     {"type_as", "other"},
                     {"repeat_interleave", "output_size"},
                     {"_reshape_alias", "stride"}};

static bool graph_is_idle(const pt_op *o, const char *name) {
  for (size_t i = 0; i < WEFT_COUNT(graph_idle); i++) {
    if (!strcmp(name, graph_idle[i]))
      return true;
  }
  for (size_t i = 0; i < WEFT_COUNT(graph_idle_of); i++) {
    const char *of = graph_idle_of[i].of;
    const char *what = graph_idle_of[i].name;
    if (!strncmp(o->b.type, of, strlen(of)) && (!what || !strcmp(name, what)))
      return true;
  }
  return false;
}

// Layers and attention that leave elements out by chance, which only training wants.
static void graph_drops_nothing(pt_op *o) {
  double p = pt_has(o, "dropout_p") ? pt_float(o, "dropout_p", 0) : 0;
  if (pt_has(o, "dropout") && pt_bool(o, "train", false))
    p = pt_float(o, "dropout", 0);
  if (!o->b.failed && p > 0)
    front_fail(&o->b, WEFT_E_UNSUPPORTED,
               "the model was exported in training mode, with a dropout of %g: call model.eval() before "
               "torch.export.export",
               p);
}

// An argument that no mapping has looked at would be taken for its default.
static void graph_all_asked(pt_op *o, uint64_t asked) {
  graph_drops_nothing(o);
  for (size_t i = 0; i < o->inputs->n && i < 64 && !o->b.failed; i++) {
    const char *name = pt_text(&o->inputs->items[i], "name");
    const char *key;
    const weft_json *arg = pt_only(weft__json_get(&o->inputs->items[i], "arg"), &key);
    if (!arg || !strcmp(key, "as_none") || !name || !*name || (asked >> i & 1))
      continue;
    if (!graph_is_idle(o, name))
      front_fail(&o->b, WEFT_E_UNSUPPORTED, "weft does not read argument '%.60s' of this operator", name);
  }
}

// What is read of it must have been made: without a value its readers, or the model's outputs, would be left
// out.
static void graph_all_made(pt_op *o) {
  for (size_t i = 0; i < o->n_out && !o->b.failed; i++) {
    if (o->out[i] && !o->out[i]->v && pt_wants(o, i))
      front_fail(&o->b, WEFT_E_UNSUPPORTED, "weft does not make output %zu of this operator, which is read",
                 i);
  }
}

static weft_status graph_node(pt_scope *s, const weft_json *node) {
  uint64_t asked = 0;
  pt_op o = pt_op_of(s, node);
  if (!o.b.failed && !o.row && pt_is_dead(s, node))
    return WEFT_OK;
  graph_kinds(&o);
  if (pt_is_higher_order(o.b.type))
    (void)pt_higher_order(&o);
  else {
    if (o.in_place && !o.b.failed)  // its result is not what the name stands for yet
      o = pt_op_quiet(s, node, &o.b, true);
    if (o.in_place && o.n_out && o.out[0]) {
      const char *key;
      const weft_json *named = pt_only(&weft__json_get(node, "outputs")->items[0], &key);
      o.out[0]->name = pt_text(named, "name");
    }
    o.asked = &asked;
    pt_run_node(&o);
    if (o.in_place)
      graph_in_place(&o);
    else if (o.row || o.custom)
      graph_all_made(&o);
    if (!o.in_place && o.row)
      graph_alias(&o);
    graph_all_asked(&o, asked);
  }
  if (s->m->broken)
    return s->m->broken;
  if (!o.b.failed)
    return WEFT_OK;
  o.b.where = pt_node_where(s->m, node);
  WEFT_TRY(front_failed(&o.b));
  graph_stand_in(&o);
  return o.b.failed;
}

weft_status pt_scope_nodes(pt_scope *s) {
  const weft_json *nodes = weft__json_get(s->graph, "nodes");
  for (size_t i = 0; i < weft__json_count(nodes); i++)
    WEFT_TRY(graph_node(s, &nodes->items[i]));
  return WEFT_OK;
}

// ---- scopes ----
static weft_status graph_use(pt_scope *s, const weft_json *v, int depth);

static weft_status graph_use_items(pt_scope *s, const weft_json *v, int depth) {
  for (size_t i = 0; i < v->n; i++) {
    bool object = v->kind == WEFT_JSON_OBJECT;
    if (object && !strcmp(v->keys[i], "as_graph"))
      continue;  // its names are its own
    const weft_json *item = &v->items[i];
    bool name = object && item->kind == WEFT_JSON_STRING &&
                (!strcmp(v->keys[i], "name") || !strcmp(v->keys[i], "as_name"));
    if (name && weft__map_set(&s->used, item->s, item->s_bytes, s))
      return weft_fail(s->m->f.d, WEFT_E_NOMEM, "out of memory");
    if (!name)
      WEFT_TRY(graph_use(s, item, depth + 1));
  }
  return WEFT_OK;
}

// Every name in an argument.
static weft_status graph_use(pt_scope *s, const weft_json *v, int depth) {
  bool inner = v && (v->kind == WEFT_JSON_OBJECT || v->kind == WEFT_JSON_ARRAY);
  return inner && depth < 8 ? graph_use_items(s, v, depth) : WEFT_OK;
}

weft_status pt_scope_uses(pt_scope *s) {
  const weft_json *nodes = weft__json_get(s->graph, "nodes");
  for (size_t i = 0; i < weft__json_count(nodes); i++) {
    const weft_json *inputs = weft__json_get(&nodes->items[i], "inputs");
    for (size_t k = 0; k < weft__json_count(inputs); k++)
      WEFT_TRY(graph_use(s, weft__json_get(&inputs->items[k], "arg"), 0));
  }
  return graph_use(s, weft__json_get(s->graph, "outputs"), 0);
}

bool pt_is_dead(const pt_scope *s, const weft_json *node) {
  const char *target = pt_text(node, "target");
  const char *aten = target ? graph_aten(target) : NULL;
  size_t n = aten ? strcspn(aten, ".") : 0;
  const weft_json *outputs = weft__json_get(node, "outputs");
  if (!n || aten[n - 1] == '_' || !weft__json_count(outputs))
    return false;
  for (size_t i = 0; i < weft__json_count(outputs); i++) {
    const char *key;
    const char *name = pt_text(pt_only(&outputs->items[i], &key), "name");
    if (!name || weft__map_find(&s->used, name, strlen(name)))
      return false;
  }
  return true;
}

bool pt_wants(const pt_op *o, size_t i) {
  if (i >= o->n_out || !o->out[i])
    return false;
  const char *name = o->out[i]->name;
  return !name || weft__map_find(&o->s->used, name, strlen(name)) != NULL;
}

void pt_scope_init(pt_scope *s, pt_import *m, const weft_json *graph) {
  *s = (pt_scope){.m = m, .graph = graph};
  weft__map_init(&s->names, &m->f.arena.alloc);
  weft__map_init(&s->used, &m->f.arena.alloc);
  s->metas = weft__json_get(graph, "tensor_values");
}

weft_status pt_scope_begin(pt_scope *s, pt_import *m, weft_graph *g, const weft_json *graph, uint32_t depth) {
  pt_scope_init(s, m, graph);
  size_t n = s->metas && s->metas->kind == WEFT_JSON_OBJECT ? s->metas->n : 0;
  bool room = !weft__map_reserve(&s->names, &m->f.arena, n) && !weft__map_reserve(&s->used, &m->f.arena, n);
  WEFT_TRY(weft__allocated(room, m->f.d));
  WEFT_TRY(pt_scope_uses(s));
  if (!g)
    return WEFT_OK;
  WEFT_TRY(weft__graph_expect(g, weft__json_count(weft__json_get(graph, "nodes")), n, m->f.d));
  return front_scope_begin(&m->f, &s->s, g, depth);
}

void pt_scope_end(pt_scope *s) {
  front_scope_end(&s->s);
  weft__map_deinit(&s->names);
  weft__map_deinit(&s->used);
}

// ---- sub-graphs written into the graph around them ----
static weft_status graph_inline_fill(pt_op *o, pt_scope *in, weft_value *const *given, size_t n) {
  const weft_json *inputs = weft__json_get(in->graph, "inputs");
  if (weft__json_count(inputs) != n)
    return front_fail(&o->b, WEFT_E_INVALID, "its sub-graph has %zu inputs, it gives %zu",
                      weft__json_count(inputs), n);
  for (size_t i = 0; i < n; i++) {
    const char *key;
    const weft_json *inner = pt_only(&inputs->items[i], &key);
    const char *name = pt_text(inner, strcmp(key, "as_tensor") ? "as_name" : "name");
    pt_value *v = pt_name_new(in, name ? name : "");
    if (!v)
      return o->m->f.d->status;
    v->kind = strcmp(key, "as_tensor") ? PT_NUMBER : PT_TENSOR;
    v->v = given[i];
  }
  return pt_scope_nodes(in);
}

static weft_status graph_inline_outputs(pt_op *o, pt_scope *in, weft_value ***out, size_t *n_out) {
  const weft_json *outputs = weft__json_get(in->graph, "outputs");
  *n_out = weft__json_count(outputs);
  *out = WEFT_NEW_N(&o->m->f.arena, weft_value *, *n_out + 1);
  WEFT_TRY(weft__allocated(*out, o->m->f.d));
  pt_op reader = {.b = o->b, .s = in, .m = o->m, .inputs = o->inputs};
  for (size_t i = 0; i < *n_out; i++) {
    front_arg a = pt_read_arg(&reader, &outputs->items[i]);
    (*out)[i] = a.kind == FRONT_VALUE ? a.v : a.kind == FRONT_INT ? front_index(&reader.b, a.i) : NULL;
    if (a.kind == FRONT_BOOL)
      (*out)[i] = front_int(&reader.b, WEFT_BOOL, a.i);
    if (a.kind == FRONT_FLOAT)
      (*out)[i] = front_num(&reader.b, WEFT_FLOAT, a.f);
    if (!(*out)[i])
      front_fail(&reader.b, WEFT_E_UNSUPPORTED,
                 "output %zu of its sub-graph is neither a tensor nor a number", i);
  }
  return reader.b.failed;
}

weft_status pt_inline(pt_op *o, const weft_json *graph, weft_value *const *in, size_t n, weft_value ***out,
                      size_t *n_out) {
  pt_scope inner;
  weft_status s = pt_scope_begin(&inner, o->m, NULL, graph, o->s->s.depth + 1);
  inner.s = o->s->s;  // written where the operator stands
  if (!s)
    s = graph_inline_fill(o, &inner, in, n);
  if (!s)
    s = graph_inline_outputs(o, &inner, out, n_out);
  inner.s.append = NULL;
  weft__map_deinit(&inner.names);
  weft__map_deinit(&inner.used);
  o->b.failed = s;
  return s;
}
// SPDX-License-Identifier: Apache-2.0
