// emit.c - primitives and constants of an operator of the model: their names, their origins, and what
// the short forms of emit.h make of them. A failure stays in o->failed; every later step does nothing.
#include "emit/emit.h"

#include <stdarg.h>

#include "base/allocated.h"

// ---- scopes ----
weft_status front_scope_begin(front *f, front_scope *s, weft_graph *g, uint32_t depth) {
  *s = (front_scope){.g = g, .depth = depth};
  if (depth > FRONT_DEPTH)
    return weft_fail(f->d, WEFT_E_LIMIT, "graphs nested deeper than %d", FRONT_DEPTH);
  return weft__steps_begin(g, WEFT__READ_FLOATS, &s->append, f->d);
}

void front_scope_end(front_scope *s) {
  weft__steps_end(s->append);
  s->append = NULL;
}

front_op front_op_of(front *f, front_scope *s, const char *name, const char *type, uint64_t offset) {
  front_op o;  // not all zero: `attrs` is large, and set where it is used
  memset(&o, 0, offsetof(front_op, attrs));
  o.f = f;
  o.s = s;
  o.name = name;
  o.type = type;
  o.offset = offset;
  return o;
}

weft_status front_fail(front_op *o, weft_status s, const char *fmt, ...) {
  char text[768];
  va_list ap;
  if (o->failed)
    return o->failed;
  va_start(ap, fmt);
  vsnprintf(text, sizeof text, fmt, ap);
  va_end(ap);
  return o->failed = weft_fail(o->f->d, s, "%s", text);
}

weft_value *front_none(front_op *o, weft_status s, const char *fmt, ...) {
  char text[768];
  va_list ap;
  if (o->failed)
    return NULL;
  va_start(ap, fmt);
  vsnprintf(text, sizeof text, fmt, ap);
  va_end(ap);
  o->failed = weft_fail(o->f->d, s, "%s", text);
  return NULL;
}

// ---- attributes ----
void front_set(front_op *o, const char *name, weft_attr value) {
  if (o->failed)
    return;
  if (o->n_attrs == WEFT_COUNT(o->attrs)) {
    o->failed = front_fail(o, WEFT_E_LIMIT, "more than %zu attributes", WEFT_COUNT(o->attrs));
    return;
  }
  o->attrs[o->n_attrs++] = (weft_named_attr){name, value};
}
void front_set_int(front_op *o, const char *name, int64_t v) {
  front_set(o, name, weft_attr_int(v));
}
void front_set_bool(front_op *o, const char *name, bool v) {
  front_set(o, name, weft_attr_bool(v));
}
void front_set_float(front_op *o, const char *name, double v) {
  front_set(o, name, weft_attr_float((float)v));
}
void front_set_text(front_op *o, const char *name, const char *v) {
  front_set(o, name, weft_attr_str(v, strlen(v)));
}
void front_set_ints(front_op *o, const char *name, const int64_t *v, size_t n) {
  front_set(o, name, weft_attr_ints(v, n));
}

// ---- primitives ----
static const weft_origin *emit_origin(front_op *o) {
  weft_arena *a = &o->f->g->root->arena;
  if (o->origin)
    return o->origin;
  weft_origin *made = WEFT_NEW(a, weft_origin);
  const char *name = weft__arena_strdup(a, o->name, strlen(o->name));
  const char *type = weft__arena_strdup(a, o->type, strlen(o->type));
  if (!made || !name || !type)
    return NULL;
  *made = (weft_origin){.file = o->f->file, .offset = o->offset, .name = name, .type = type};
  return o->origin = made;
}

enum { EMIT_NAME = 300, EMIT_TYPE = 60, EMIT_LABEL = 400 };

static size_t emit_put(char *to, const char *text, size_t most) {
  const size_t n = strlen(text);
  const size_t kept = WEFT_MIN(n, most);
  memcpy(to, text, kept);
  return kept;
}

// NAME/Type_N
static void emit_number(char label[EMIT_LABEL], const char *name, const char *type, uint32_t number) {
  size_t at = emit_put(label, name, EMIT_NAME);
  label[at++] = '/';
  at += emit_put(label + at, type, EMIT_TYPE);
  label[at++] = '_';
  at += weft__put_u32(label + at, number);
  label[at] = 0;
}

// The model's name for the first primitive, NAME/Type_N for the others: no node has it. Returns its hash.
static uint64_t emit_label(front_op *o, const char *type, char label[EMIT_LABEL]) {
  const weft_map *names = &o->s->g->node_names;
  weft_key key;
  if (!o->named) {
    label[emit_put(label, o->name, EMIT_NAME)] = 0;
    key = weft__key(label);
    o->named = !weft__map_find_key(names, &key);
    if (o->named)
      return key.hash;
  }
  do {
    emit_number(label, o->name, type, o->f->n_made++);
    key = weft__key(label);
  } while (weft__map_find_key(names, &key));
  return key.hash;
}

weft_node *front_emit_open(front_op *o, const char *type, weft_value *const *in, size_t n,
                           const weft_use *counts) {
  char label[EMIT_LABEL];
  weft_node *node = NULL;
  if (o->failed)
    return NULL;
  const uint64_t hash = emit_label(o, type, label);
  weft_use use = counts ? *counts : (weft_use){0};
  use.attrs = o->attrs;
  use.n_attrs = o->n_attrs;
  use.name = label;
  const weft__adding adding = {
      .type = type, .use = &use, .in = in, .n_in = n, .name_is_free = true, .name_hash = hash};
  o->failed = weft__graph_add(o->s->g, &adding, &node, o->f->d);
  o->n_attrs = 0;
  if (o->failed)
    return NULL;
  node->origin = emit_origin(o);
  if (!node->origin)
    o->failed = weft_fail(o->f->d, WEFT_E_NOMEM, "out of memory");
  return node;
}

static const char emit_unknown[] = "weft/unknown_";

// A body in which something failed has stand-ins for it among its inputs: the node has failed, too, and the
// cause is told already.
static bool emit_body_failed(const weft_node *n) {
  for (uint32_t i = 0; i < n->n_graphs; i++) {
    const weft_graph *g = n->graphs[i];
    for (size_t k = 0; g && k < g->inputs.n; k++) {
      if (!strncmp(g->inputs.v[k]->name, emit_unknown, sizeof emit_unknown - 1))
        return true;
    }
  }
  return false;
}

void front_follow(front_op *o) {
  if (o->failed)
    return;
  o->f->told = true;
  o->failed = WEFT_E_UNKNOWN;
}

void front_close(front_op *o, weft_node *n) {
  if (!o->failed && o->f->n_problems && emit_body_failed(n))
    front_follow(o);
  if (!o->failed)
    o->failed = weft__steps_node(o->s->append, n, o->f->d);
}

weft_value *front_emit(front_op *o, const char *type, weft_value *const *in, size_t n,
                       const weft_use *counts) {
  weft_node *node = front_emit_open(o, type, in, n, counts);
  if (!node)
    return NULL;
  front_close(o, node);
  return o->failed ? NULL : &node->out[0];
}

weft_value *front_do(front_op *o, const char *type, weft_value *a, weft_value *b, weft_value *c) {
  weft_value *in[3] = {a, b, c};
  return front_emit(o, type, in, c ? 3 : b ? 2 : 1, NULL);
}

// The first primitive of an operator of the model has its name; the value that the model gives it goes
// before.
static void emit_yield(front_op *o, weft_value *v) {
  char label[EMIT_LABEL];
  do
    emit_number(label, v->name, weft__node_type(v->node), o->f->n_made++);
  while (weft_graph_find_value(v->graph, label));
  o->failed = weft__value_rename(v, label, o->f->d);
}

void front_name(front_op *o, weft_value *v, const char *name) {
  if (o->failed || !v || !v->node || !name || !o->origin || v->node->origin != o->origin)
    return;
  weft_value *holder = weft_graph_find_value(v->graph, name);
  if (holder && (holder == v || !holder->node || holder->node->origin != o->origin || holder->n_outputs))
    return;
  if (holder)
    emit_yield(o, holder);
  if (!o->failed)
    o->failed = weft__value_rename(v, name, o->f->d);
}

weft_status front_output(front *f, front_scope *s, weft_value *v, const char *name) {
  front_op o = front_op_of(f, s, name, "output", 0);
  const bool state = v->node && !strcmp(weft__node_type(v->node), "Variable");  // as it is before writes
  if (!v->node || v->n_outputs || state) {
    v = front_do(&o, "Identity", v, NULL, NULL);
    front_name(&o, v, name);
  } else if (strcmp(v->name, name) && !weft_graph_find_value(s->g, name)) {
    WEFT_TRY(weft__value_rename(v, name, f->d));
  }
  WEFT_TRY(o.failed);
  return weft_graph_output(s->g, v, f->d);
}

// ---- constants ----
weft_value *front_const(front_op *o, const weft_tensor *t) {
  static const char first[] = "weft/const_";
  char name[64] = "weft/const_";
  weft_graph *g = o->s->g;
  if (o->failed)
    return NULL;
  weft_value *v = weft__const_find(g, t);
  if (v)
    return v;
  do
    name[sizeof first - 1 + weft__put_u32(name + sizeof first - 1, o->f->n_made++)] = 0;
  while (weft_graph_find_value(g, name));
  v = weft_graph_const(g, name, t, WEFT_CONST_COPY, o->f->d);
  o->failed = v ? weft__const_share(v, o->f->d) : o->f->d->status;
  return o->failed ? NULL : v;
}

// A constant of what lies at `data`.
static weft_value *emit_bytes(front_op *o, weft_dtype dtype, const weft_dim *dims, size_t rank,
                              const void *data, size_t bytes) {
  weft_tensor t;
  weft_value *v = NULL;
  if (o->failed)
    return NULL;
  weft_tensor_init(&t, &o->f->env->alloc);
  o->failed = weft_tensor_borrow(&t, dtype, dims, rank, (void *)(uintptr_t)data, bytes, o->f->d);
  v = front_const(o, &t);
  weft_tensor_deinit(&t);
  return v;
}

weft_value *front_num(front_op *o, weft_dtype dtype, double v) {
  uint64_t store[2] = {0, 0};
  weft_store_f64(dtype, store, 0, v);
  return emit_bytes(o, dtype, NULL, 0, store, weft_dtype_bits(dtype) / 8);
}

weft_value *front_int(front_op *o, weft_dtype dtype, int64_t v) {
  uint64_t store[2] = {0, 0};
  if (!weft_dtype_is_integer(dtype))
    return front_num(o, dtype, (double)v);
  weft_store_i64(dtype, store, 0, v);
  return emit_bytes(o, dtype, NULL, 0, store, weft_dtype_bits(dtype) / 8);
}

weft_value *front_list(front_op *o, const int64_t *v, size_t n) {
  static const int64_t none[1] = {0};
  weft_dim dim = (weft_dim)n;
  return emit_bytes(o, WEFT_INT64, &dim, 1, n ? v : none, n * sizeof *v);
}

weft_value *front_floats(front_op *o, const float *v, size_t n) {
  static const float none[1] = {0};
  weft_dim dim = (weft_dim)n;
  return emit_bytes(o, WEFT_FLOAT, &dim, 1, n ? v : none, n * sizeof *v);
}

weft_value *front_index(front_op *o, int64_t v) {
  return emit_bytes(o, WEFT_INT64, NULL, 0, &v, sizeof v);
}

weft_status front_borrow(front *f, weft_graph *g, const char *name, const front_data *data,
                         weft_value **out) {
  weft_tensor *t = weft__graph_tensor(g);
  WEFT_TRY(weft__allocated(t, f->d));
  WEFT_TRY(weft_tensor_borrow(t, data->t, data->dims, data->rank, (void *)(uintptr_t)data->data, data->bytes,
                              f->d));
  *out = weft_graph_const(g, name, t, WEFT_CONST_BORROW, f->d);
  return *out ? WEFT_OK : f->d->status;
}

weft_value *front_stand_in(front_op *o, weft_dtype t, const weft_dim *dims, int rank) {
  weft_tensor_desc desc;
  char name[64];
  weft_desc_init(&desc);
  weft_status s = rank < 0 ? WEFT_E_INVALID : weft_desc_set(&desc, t, WEFT_ND, dims, (size_t)rank);
  if (s) {
    weft_desc_init(&desc);
    weft_shape_set_unknown_rank(&desc.layout.origin);
    weft_shape_set_unknown_rank(&desc.layout.storage);
    desc.dtype = t;
  }
  do
    snprintf(name, sizeof name, "%s%u", emit_unknown, o->f->n_made++);
  while (weft_graph_find_value(o->s->g, name));
  weft_value *v = weft_graph_input_desc(o->s->g, name, &desc, o->f->d);
  if (!v)
    o->failed = o->f->d->status;
  return v;
}
// SPDX-License-Identifier: Apache-2.0
