// load.c - a frozen GraphDef or a SavedModel becomes a graph: inputs are its placeholders, or those of a
// signature; outputs are what nothing reads, or those of the signature, in the order of their keys.
#include "frontend/tf/load.h"

#include <stdlib.h>
#include <sys/stat.h>

#include "base/allocated.h"
#include "base/told.h"
#include "frontend/tf/tf.h"

typedef struct load_end {  // an input or output of the model
  const char *name;
  tf_ref ref;
  weft_dtype t;
  tf_bytes shape;  // at NULL: what the placeholder says
} load_end;
typedef struct load_ends {
  load_end *v;
  size_t n;
} load_ends;

static weft_status load_rows(tf_import *m) {
  for (size_t k = 0; k < tf_table_count; k++) {
    for (size_t i = 0; i < tf_tables[k]->n; i++) {
      const tf_row *r = &tf_tables[k]->v[i];
      bool set = !weft__map_set(&m->rows, r->op, strlen(r->op), (void *)(uintptr_t)r);
      WEFT_TRY(weft__allocated(set, m->f.d));
    }
  }
  return WEFT_OK;
}

// ---- ends of a frozen graph ----
static bool load_hidden(const tf_node *n) {
  static const char *const ops[] = {"NoOp", "Assert", "Placeholder", "Const", "VarHandleOp", "SaveV2"};
  for (size_t i = 0; i < WEFT_COUNT(ops); i++) {
    if (!strcmp(ops[i], n->op))
      return true;
  }
  return false;
}

static weft_status load_room(tf_import *m, load_ends *e, size_t n) {
  e->v = WEFT_NEW_N(&m->f.arena, load_end, n + 1);
  e->n = 0;
  return weft__allocated(e->v, m->f.d);
}

static weft_status load_frozen_ends(tf_import *m, load_ends *in, load_ends *out) {
  const tf_body *b = &m->main;
  bool *read = WEFT_NEW_N(&m->f.arena, bool, b->n_nodes + 1);
  WEFT_TRY(weft__allocated(read, m->f.d));
  WEFT_TRY(load_room(m, in, b->n_nodes));
  WEFT_TRY(load_room(m, out, b->n_nodes));
  for (size_t i = 0; i < b->n_nodes; i++) {
    for (size_t k = 0; k < b->nodes[i].n_in; k++) {
      const char *of = b->nodes[i].in[k].node;
      const tf_node *n = weft__map_find(&b->by_name, of, strlen(of));
      if (n)
        read[n - b->nodes] = true;
    }
  }
  for (size_t i = 0; i < b->n_nodes; i++) {
    const tf_node *n = &b->nodes[i];
    if (!strcmp(n->op, "Placeholder"))
      in->v[in->n++] = (load_end){.name = n->name, .ref = {.node = n->name}};
    else if (!read[i] && !load_hidden(n))
      out->v[out->n++] = (load_end){.name = n->name, .ref = {.node = n->name}};
  }
  return WEFT_OK;
}

// ---- ends of a signature ----
static int load_order(const void *a, const void *b) {
  return strcmp(((const load_end *)a)->name, ((const load_end *)b)->name);
}

// A map from names to TensorInfo, sorted by name.
static weft_status load_infos(tf_import *m, tf_bytes signature, uint32_t number, load_ends *e) {
  wire_message w = tf_open(m, signature);
  wire_field f;
  WEFT_TRY(load_room(m, e, signature.n / 4));
  for (;;) {
    WEFT_TRY(weft__wire_next(&w, &f));
    if (!f.number)
      break;
    if (f.number != number || f.type != WIRE_BYTES)
      continue;
    tf_bytes entry = {f.data, f.bytes};
    tf_bytes info = tf_part(m, entry, 2);
    tf_bytes name = tf_part(m, info, 1);
    load_end *end = &e->v[e->n];
    *end = (load_end){.name = tf_text(m, tf_part(m, entry, 1)), .shape = tf_part(m, info, 3)};
    WEFT_TRY(weft__allocated(end->name, m->f.d));
    if (!name.n)
      return weft_fail(m->f.d, WEFT_E_UNSUPPORTED, "'%.200s' of the signature is not a dense tensor",
                       end->name);
    WEFT_TRY(tf_ref_of(m, name.at, name.n, &end->ref));
    e->n++;
  }
  qsort(e->v, e->n, sizeof *e->v, load_order);
  return WEFT_OK;
}

// ---- inputs ----
static weft_status load_input(tf_import *m, tf_scope *s, const load_end *e) {
  tf_node *n;
  weft_tensor_desc desc;
  weft_dim dims[WEFT_MAX_RANK];
  int rank = -1;
  WEFT_TRY(tf_find(m, &m->main, e->ref.node, &n));
  if (!n || strncmp(n->op, "Placeholder", 11))
    return weft_fail(m->f.d, WEFT_E_INVALID, "input '%.200s' is node '%.200s', which is no Placeholder",
                     e->name, e->ref.node);
  tf_op o = tf_op_of(s, n);
  weft_dtype t = tf_type(&o, "dtype", WEFT_UNDEFINED);
  tf_bytes attr = tf_part(m, tf_attr(&o, "shape"), 7);
  tf_bytes shape = e->shape.at ? e->shape : attr;
  if (t == WEFT_UNDEFINED)
    return weft_fail(m->f.d, WEFT_E_DTYPE, "input '%.200s' has a dtype that is not read", e->name);
  if (shape.at)
    WEFT_TRY(tf_shape(m, shape, dims, &rank));
  weft_desc_init(&desc);
  desc.dtype = t;
  if (rank >= 0)
    WEFT_TRY(weft_desc_set(&desc, t, WEFT_ND, dims, (size_t)rank));
  else {
    weft_shape_set_unknown_rank(&desc.layout.origin);
    weft_shape_set_unknown_rank(&desc.layout.storage);
  }
  weft_value *v = weft_graph_input_desc(m->f.g, e->name, &desc, m->f.d);
  if (!v)
    return m->f.d->status;
  tf_made *made = &s->made[n - m->main.nodes];
  made->out = WEFT_NEW(&m->f.arena, tf_value);
  WEFT_TRY(weft__allocated(made->out, m->f.d));
  *made->out = (tf_value){.kind = TF_TENSOR, .v = v};
  made->n = 1;
  made->state = 2;
  return WEFT_OK;
}

static weft_status load_output(tf_import *m, tf_scope *s, const load_end *e) {
  tf_value v;
  WEFT_TRY(tf_take(s, &e->ref, &v));
  if (v.kind != TF_TENSOR || !v.v)
    return weft_fail(m->f.d, WEFT_E_TYPE, "output '%.200s' is not a tensor", e->name);
  return front_output(&m->f, &s->s, v.v, e->name);
}

static weft_status load_graph(tf_import *m, const load_ends *in, const load_ends *out) {
  tf_scope s;
  if (!out->n)
    return weft_fail(m->f.d, WEFT_E_MISSING, "the model has no outputs");
  tf_ref *outputs = WEFT_NEW_N(&m->f.arena, tf_ref, out->n);
  WEFT_TRY(weft__allocated(outputs, m->f.d));
  for (size_t i = 0; i < out->n; i++)
    outputs[i] = out->v[i].ref;
  WEFT_TRY(tf_scan(m, &m->main, outputs, out->n, 0));
  WEFT_TRY(front_unknown_all(&m->f));
  weft_status st = tf_scope_begin(&s, m, NULL, &m->main, NULL, 0);
  for (size_t i = 0; !st && i < in->n; i++)
    st = load_input(m, &s, &in->v[i]);
  if (!st)
    st = weft__name_dims(m->f.g, m->f.d);
  if (!st)
    st = tf_main_writes(&s, outputs, out->n);
  for (size_t i = 0; !st && i < out->n; i++)
    st = load_output(m, &s, &out->v[i]);
  if (!st)
    st = tf_states_end(&s);
  tf_scope_end(&s);
  return st;
}

// ---- the two forms ----
static weft_status load_frozen(tf_import *m, tf_bytes file) {
  load_ends in;
  load_ends out;
  WEFT_TRY(load_rows(m));
  WEFT_TRY(tf_read_graph(m, file));
  WEFT_TRY(tf_read_all(m, &m->main));
  if (!m->main.n_nodes)
    return weft_fail(m->f.d, WEFT_E_INVALID, "the file holds no GraphDef with nodes");
  WEFT_TRY(load_frozen_ends(m, &in, &out));
  return load_graph(m, &in, &out);
}

// The MetaGraphDef with the tag "serve", or the first.
static tf_bytes load_meta_graph(tf_import *m, tf_bytes file) {
  wire_message w = tf_open(m, file);
  wire_field f;
  tf_bytes first = {NULL, 0};
  while (tf_next(&w, &f)) {
    tf_bytes meta = {f.data, f.bytes};
    tf_bytes tag = f.number == 2 ? tf_part(m, tf_part(m, meta, 1), 4) : (tf_bytes){NULL, 0};
    if (f.number == 2 && !first.at)
      first = meta;
    if (tag.n == 5 && !memcmp(tag.at, "serve", 5))
      return meta;
  }
  return first;
}

enum { LOAD_NAMES = 500 };

// Of what a caller may choose: not what prepares the model's tables.
static bool load_is_signature(tf_bytes key) {
  static const char init[] = "__saved_model_init_op";
  return key.at && (key.n != sizeof init - 1 || memcmp(key.at, init, key.n) != 0);
}

// The keys of all signatures, joined; the last ones are left out where there is no room.
static void load_signature_names(tf_import *m, tf_bytes meta, char text[LOAD_NAMES]) {
  size_t at = 0;
  text[0] = 0;
  wire_message w = tf_open(m, meta);
  wire_field f;
  while (tf_next(&w, &f)) {
    tf_bytes key = f.number == 5 ? tf_part(m, (tf_bytes){f.data, f.bytes}, 1) : (tf_bytes){NULL, 0};
    if (key.n && load_is_signature(key))
      weft__append(text, LOAD_NAMES, &at, "%s%.*s", at ? ", " : "", (int)WEFT_MIN(key.n, 80), key.at);
  }
}

static weft_status load_no_signature(tf_import *m, tf_bytes meta, const char *wanted) {
  char text[LOAD_NAMES];
  load_signature_names(m, meta, text);
  return weft_fail(m->f.d, WEFT_E_NOT_FOUND, "the SavedModel has no signature '%.100s'; it has: %s", wanted,
                   text[0] ? text : "none");
}

// The signature of a model that has one, but for what prepares its tables.
static bool load_only_signature(tf_import *m, tf_bytes meta, tf_bytes *def) {
  wire_message w = tf_open(m, meta);
  wire_field f;
  size_t n = 0;
  while (tf_next(&w, &f)) {
    tf_bytes entry = {f.data, f.bytes};
    tf_bytes key = f.number == 5 ? tf_part(m, entry, 1) : (tf_bytes){NULL, 0};
    if (!load_is_signature(key))
      continue;
    *def = tf_part(m, entry, 2);
    n++;
  }
  return n == 1;
}

static weft_status load_saved(tf_import *m, tf_bytes file, const char *signature) {
  load_ends in;
  load_ends out;
  tf_bytes meta = load_meta_graph(m, file);
  tf_bytes def = {NULL, 0};
  char names[LOAD_NAMES];
  const char *wanted = signature ? signature : "serving_default";
  if (!meta.at)
    return weft_fail(m->f.d, WEFT_E_INVALID, "saved_model.pb holds no MetaGraphDef");
  WEFT_TRY(load_rows(m));
  WEFT_TRY(tf_read_graph(m, tf_part(m, meta, 2)));
  if (!tf_map_find(m, meta, 5, wanted, &def) && (signature || !load_only_signature(m, meta, &def)))
    return load_no_signature(m, meta, wanted);
  load_signature_names(m, meta, names);
  WEFT_TRY(weft_graph_set_meta(m->f.g, "tensorflow.signatures", names, m->f.d));
  WEFT_TRY(load_infos(m, def, 1, &in));
  WEFT_TRY(load_infos(m, def, 2, &out));
  WEFT_TRY(tf_bundle_open(m));
  WEFT_TRY(tf_bundle_restore(m, tf_part(m, meta, 3)));
  return load_graph(m, &in, &out);
}

// ---- all of it ----
static weft_status load_begin(tf_import *m, weft_env *e, const char *name, weft_diag *d) {
  memset(m, 0, sizeof *m);
  WEFT_TRY(front_begin(&m->f, e, "TensorFlow", name, d));
  weft_map *maps[] = {&m->main.by_name, &m->functions, &m->bodies, &m->rows,
                      &m->operators,    &m->variables, &m->entries};
  for (size_t i = 0; i < WEFT_COUNT(maps); i++)
    weft__map_init(maps[i], &m->f.arena.alloc);
  return WEFT_OK;
}

static weft_status load_end_of(tf_import *m, weft_status s, weft_graph **out) {
  weft_map *maps[] = {&m->main.by_name, &m->functions, &m->bodies, &m->rows,
                      &m->operators,    &m->variables, &m->entries};
  for (size_t i = 0; i < WEFT_COUNT(maps); i++)
    weft__map_deinit(maps[i]);
  for (tf_body *b = m->bodies_read; b; b = b->next) {
    weft__map_deinit(&b->by_name);
    weft__map_deinit(&b->by_arg);
  }
  return front_end(&m->f, s, out);
}

static void load_source(tf_import *m, tf_bytes file, const char *root) {
  m->source = (wire_source){.data = file.at, .bytes = file.n, .root = root, .d = m->f.d};
  m->source.budget = &m->f.g->root->budget;
}

weft_status weft__tf_read(weft_env *e, const void *data, size_t bytes, const char *name, weft_graph **out,
                          weft_diag *d) {
  tf_import m;
  *out = NULL;
  WEFT_TRY(load_begin(&m, e, name, d));
  load_source(&m, (tf_bytes){data, bytes}, "GraphDef");
  weft_status s = weft__wire_step(&(wire_message){.src = &m.source});
  if (!s)
    s = load_frozen(&m, (tf_bytes){data, bytes});
  return weft__told(load_end_of(&m, s, out), d);
}

// The folder of a SavedModel whose saved_model.pb, or folder, `path` is; false: it is neither.
static bool load_folder(const char *path, char folder[4096]) {
  static const char file[] = "saved_model.pb";
  struct stat st;
  size_t n = strlen(path);
  size_t m = sizeof file - 1;
  bool named = n >= m && !strcmp(path + n - m, file) && (n == m || path[n - m - 1] == '/');
  if (!named && (stat(path, &st) || !S_ISDIR(st.st_mode)))
    return false;
  if (!named)
    snprintf(folder, 4096, "%.4000s", path);
  else
    snprintf(folder, 4096, "%.*s", n == m ? 1 : (int)WEFT_MIN(n - m, 4000), n == m ? "." : path);
  return true;
}

weft_status weft__tf_load(weft_env *e, const char *path, const char *signature, weft_graph **out,
                          weft_diag *d) {
  tf_import m;
  char folder[4096];
  char file[4096];
  tf_bytes data;
  bool saved = load_folder(path, folder);
  *out = NULL;
  WEFT_TRY(load_begin(&m, e, path, d));
  snprintf(file, sizeof file, saved ? "%.4000s/saved_model.pb" : "%.4000s", saved ? folder : path);
  m.folder = saved ? folder : NULL;
  weft_status s = tf_file(&m, file, &data);
  if (!s && signature && !saved)
    s = weft_fail(m.f.d, WEFT_E_INVALID, "a frozen graph has no signatures to choose '%.200s' from",
                  signature);
  if (!s) {
    load_source(&m, data, saved ? "SavedModel" : "GraphDef");
    weft__arena_expect(&m.f.arena, saved ? data.n * 2 : 0);  // weights lie elsewhere: so much its nodes take
    s = saved ? load_saved(&m, data, signature) : load_frozen(&m, data);
  }
  return weft__told(load_end_of(&m, s, out), d);
}

// node { name op ..}: a message in field 1 that begins with a text in its field 1.
bool weft__tf_begins(const void *data, size_t bytes) {
  const uint8_t *p = data;
  size_t i = 1;
  if (bytes < 16 || p[0] != 0x0a)
    return false;
  while (i < 6 && p[i] >= 0x80)
    i++;
  size_t name = i + 1;
  if (p[name] != 0x0a || p[name + 1] >= 0x80)
    return false;
  size_t op = name + 2 + p[name + 1];
  return op < bytes && p[op] == 0x12;
}
// SPDX-License-Identifier: Apache-2.0
