// bundle.c - the variables of a SavedModel: variables.index, a table of LevelDB from keys to places, and
// shards of bytes. The restore function of the model says which key is which variable. Files are mapped, and
// tensors stay where they lie.
#include "base/allocated.h"
#include "base/file.h"
#include "frontend/tf/tf.h"

enum { BUNDLE_FOOTER = 48, BUNDLE_TRAILER = 5, BUNDLE_KEY = 4096, BUNDLE_SHARDS = 100000 };

// ---- files that the graph keeps ----
typedef struct bundle_file {
  weft_file file;
  weft_allocator alloc;
} bundle_file;

static void bundle_drop(void *ctx) {
  bundle_file *k = ctx;
  weft_allocator a = k->alloc;
  weft__file_unmap(&k->file);
  weft__free(&a, k, sizeof *k, _Alignof(bundle_file));
}

weft_status tf_file(tf_import *m, const char *path, tf_bytes *out) {
  weft_allocator *a = &m->f.env->alloc;
  bundle_file *k = weft__alloc(a, sizeof *k, _Alignof(bundle_file));
  WEFT_TRY(weft__allocated(k, m->f.d));
  *k = (bundle_file){.alloc = *a, .file = {.fd = -1}};
  weft_status s = weft__file_take(path, weft__env_copy_most(m->f.env), &k->file, m->f.d);
  if (!s && k->file.fd >= 0)
    s = weft__graph_mapped(m->f.g, k->file.data, k->file.bytes, k->file.fd);
  if (!s)
    s = weft_graph_keep(m->f.g, bundle_drop, k);
  if (s) {
    bundle_drop(k);
    return s;
  }
  *out = (tf_bytes){k->file.data, k->file.bytes};
  return WEFT_OK;
}

// ---- the table ----
static weft_status bundle_bad(tf_import *m, const char *what) {
  return weft_fail(m->f.d, WEFT_E_CORRUPT, "variables.index: %s", what);
}

static bool bundle_number(const uint8_t **at, const uint8_t *end, uint64_t *out) {
  uint64_t v = 0;
  for (unsigned shift = 0; shift < 64 && *at < end; shift += 7) {
    uint8_t b = *(*at)++;
    v |= (uint64_t)(b & 0x7f) << shift;
    if (b < 0x80) {
      *out = v;
      return true;
    }
  }
  return false;
}

static uint32_t bundle_u32(const uint8_t *p) {
  return (uint32_t)p[0] | (uint32_t)p[1] << 8 | (uint32_t)p[2] << 16 | (uint32_t)p[3] << 24;
}

// The entries of the block at a handle: without its trailer and its restart points.
static weft_status bundle_block(tf_import *m, tf_bytes file, tf_bytes handle, tf_bytes *out) {
  uint64_t offset;
  uint64_t size;
  const uint8_t *at = handle.at;
  const uint8_t *end = at + handle.n;
  if (!bundle_number(&at, end, &offset) || !bundle_number(&at, end, &size))
    return bundle_bad(m, "a place of a block is cut");
  bool inside = offset <= file.n && size <= file.n - offset && file.n - offset - size >= BUNDLE_TRAILER;
  if (!inside || size < 4)
    return bundle_bad(m, "a block lies outside the file");
  if (file.at[offset + size])
    return weft_fail(m->f.d, WEFT_E_UNSUPPORTED, "variables.index: a block is compressed");
  uint64_t restarts = bundle_u32(file.at + offset + size - 4);
  if (restarts > (size - 4) / 4)
    return bundle_bad(m, "a block has more restart points than bytes");
  *out = (tf_bytes){file.at + offset, (size_t)(size - 4 - 4 * restarts)};
  return WEFT_OK;
}

typedef weft_status (*bundle_entry)(tf_import *m, tf_bytes file, tf_bytes key, tf_bytes value);

static weft_status bundle_walk(tf_import *m, tf_bytes file, tf_bytes block, bundle_entry each) {
  uint8_t key[BUNDLE_KEY];
  size_t have = 0;
  const uint8_t *at = block.at;
  const uint8_t *end = at + block.n;
  while (at < end) {
    uint64_t n[3];  // bytes shared with the key before, bytes of its own, bytes of the value
    for (size_t i = 0; i < 3; i++) {
      if (!bundle_number(&at, end, &n[i]))
        return bundle_bad(m, "an entry is cut");
    }
    size_t room = (size_t)(end - at);
    if (n[0] > have || n[1] > BUNDLE_KEY - n[0] || n[1] > room || n[2] > room - n[1])
      return bundle_bad(m, "an entry passes the end of its block");
    memcpy(key + n[0], at, (size_t)n[1]);
    have = (size_t)(n[0] + n[1]);
    at += n[1];
    WEFT_TRY(each(m, file, (tf_bytes){key, have}, (tf_bytes){at, (size_t)n[2]}));
    at += n[2];
  }
  return WEFT_OK;
}

static weft_status bundle_header(tf_import *m, tf_bytes value) {
  wire_field f;
  m->n_shards = tf_field(m, value, 1, &f) && f.value < BUNDLE_SHARDS ? (uint32_t)f.value : 0;
  if (tf_field(m, value, 2, &f) && f.value)
    return weft_fail(m->f.d, WEFT_E_UNSUPPORTED, "the variables were written by a big-endian machine");
  m->shards = WEFT_NEW_N(&m->f.arena, tf_bytes, m->n_shards + 1);
  return weft__allocated(m->shards, m->f.d);
}

static weft_status bundle_keep(tf_import *m, tf_bytes file, tf_bytes key, tf_bytes value) {
  (void)file;
  if (!key.n)
    return bundle_header(m, value);
  tf_bytes *kept = WEFT_NEW(&m->f.arena, tf_bytes);
  const char *text = tf_text(m, key);
  WEFT_TRY(weft__allocated(kept && text, m->f.d));
  *kept = value;
  return weft__allocated(!weft__map_set(&m->entries, text, key.n, kept), m->f.d);
}

static weft_status bundle_data(tf_import *m, tf_bytes file, tf_bytes key, tf_bytes value) {
  tf_bytes block;
  (void)key;
  WEFT_TRY(bundle_block(m, file, value, &block));
  return bundle_walk(m, file, block, bundle_keep);
}

static weft_status bundle_table(tf_import *m, tf_bytes file) {
  static const uint8_t magic[8] = {0x57, 0xfb, 0x80, 0x8b, 0x24, 0x75, 0x47, 0xdb};
  uint64_t skipped;
  tf_bytes block;
  if (file.n < BUNDLE_FOOTER || memcmp(file.at + file.n - 8, magic, 8))
    return bundle_bad(m, "it does not end like a table");
  const uint8_t *at = file.at + file.n - BUNDLE_FOOTER;
  const uint8_t *end = file.at + file.n - 8;
  if (!bundle_number(&at, end, &skipped) || !bundle_number(&at, end, &skipped))
    return bundle_bad(m, "its last 48 bytes are not a footer");
  WEFT_TRY(bundle_block(m, file, (tf_bytes){at, (size_t)(end - at)}, &block));
  return bundle_walk(m, file, block, bundle_data);
}

weft_status tf_bundle_open(tf_import *m) {
  char path[4096];
  tf_bytes file;
  snprintf(path, sizeof path, "%.4000s/variables/variables.index", m->folder);
  weft_diag quiet = {0};
  weft_diag *d = m->f.d;
  m->f.d = &quiet;
  weft_status s = tf_file(m, path, &file);
  m->f.d = d;
  if (s == WEFT_E_NOMEM)
    return weft_fail(d, s, "%s", quiet.text);
  return s ? WEFT_OK : bundle_table(m, file);  // without a file: a model without variables
}

// ---- which variable is which ----
// The keys of a RestoreV2: its constant of names, which many assignments read in turn.
typedef struct bundle_keys {
  const tf_node *restore;
  const char **v;
  size_t n;
} bundle_keys;

static weft_status bundle_read_keys(tf_import *m, const tf_body *b, const tf_node *restore,
                                    bundle_keys *out) {
  tf_node *names = NULL;
  tf_bytes value = {NULL, 0};
  wire_field f;
  *out = (bundle_keys){.restore = restore};
  if (restore->n_in > 1)
    WEFT_TRY(tf_find(m, b, restore->in[1].node, &names));
  if (!names || !tf_map_find(m, names->message, 5, "value", &value))
    return WEFT_OK;
  value = tf_part(m, value, 8);
  wire_message w = tf_open(m, value);
  size_t most = 0;
  while (tf_next(&w, &f))
    most += f.number == 8 && f.type == WIRE_BYTES;
  out->v = WEFT_NEW_N(&m->f.arena, const char *, most + 1);
  WEFT_TRY(weft__allocated(out->v, m->f.d));
  w = tf_open(m, value);
  for (;;) {
    WEFT_TRY(weft__wire_next(&w, &f));
    if (!f.number)
      return WEFT_OK;
    if (f.number != 8 || f.type != WIRE_BYTES)
      continue;
    out->v[out->n] = tf_text(m, (tf_bytes){f.data, f.bytes});
    WEFT_TRY(weft__allocated(out->v[out->n++], m->f.d));
  }
}

// call: of the function that assigns; NULL: the main graph does.
static weft_status bundle_assigned(tf_import *m, const tf_body *b, const tf_node *assign, const tf_node *call,
                                   bundle_keys *keys) {
  size_t arg = 0;
  const tf_ref *from = &assign->in[1];
  tf_node *n;
  WEFT_TRY(tf_find(m, b, from->node, &n));
  while (n && n->n_in && (!strcmp(n->op, "Identity") || !strcmp(n->op, "Cast"))) {
    from = &n->in[0];
    WEFT_TRY(tf_find(m, b, from->node, &n));
  }
  if (!n || strcmp(n->op, "RestoreV2"))
    return WEFT_OK;
  if (call && (!tf_body_arg(b, assign->in[0].node, &arg) || arg >= call->n_in))
    return WEFT_OK;
  const tf_ref *handle = call ? &call->in[arg] : &assign->in[0];
  tf_variable *v = WEFT_NEW(&m->f.arena, tf_variable);
  WEFT_TRY(weft__allocated(v, m->f.d));
  v->name = handle->node;
  if (keys->restore != n)
    WEFT_TRY(bundle_read_keys(m, b, n, keys));
  v->key = from->index < keys->n ? keys->v[from->index] : NULL;
  return weft__allocated(!weft__map_set(&m->variables, v->name, strlen(v->name), v), m->f.d);
}

static bool bundle_assigns(tf_import *m, const tf_node *n) {
  static const char op[] = "AssignVariableOp";
  const tf_bytes given = tf_part(m, n->message, 2);
  return given.n == sizeof op - 1 && !memcmp(given.at, op, given.n);
}

static weft_status bundle_each(tf_import *m, const tf_body *b, const tf_node *call) {
  bundle_keys keys = {.restore = NULL};
  for (size_t i = 0; i < b->n_nodes; i++) {
    tf_node *n = &b->nodes[i];
    if (!bundle_assigns(m, n))
      continue;
    WEFT_TRY(tf_node_read(m, n));
    if (n->n_in == 2)
      WEFT_TRY(bundle_assigned(m, b, n, call, &keys));
  }
  return WEFT_OK;
}

// Keras' variables in a module of TensorFlow are saved through copies, which begin with what the variables
// hold: where a copy is restored and its variable is not, they have one key.
static weft_status bundle_copies(tf_import *m, const tf_body *b) {
  for (size_t i = 0; i < b->n_nodes; i++) {
    tf_node *n = &b->nodes[i];
    tf_node *from = NULL;
    if (!bundle_assigns(m, n))
      continue;
    WEFT_TRY(tf_node_read(m, n));
    if (n->n_in < 2)
      continue;
    WEFT_TRY(tf_find(m, b, n->in[1].node, &from));
    const tf_variable *copy = weft__map_find(&m->variables, n->in[0].node, strlen(n->in[0].node));
    if (!from || !from->n_in || strcmp(from->op, "ReadVariableOp") || !copy || !copy->key)
      continue;
    const char *name = from->in[0].node;
    if (weft__map_find(&m->variables, name, strlen(name)))
      continue;
    tf_variable *v = WEFT_NEW(&m->f.arena, tf_variable);
    WEFT_TRY(weft__allocated(v, m->f.d));
    v->name = name;
    v->key = copy->key;
    WEFT_TRY(weft__allocated(!weft__map_set(&m->variables, name, strlen(name), v), m->f.d));
  }
  return WEFT_OK;
}

weft_status tf_bundle_restore(tf_import *m, tf_bytes saver) {
  tf_body *b;
  tf_ref r;
  tf_bytes name = tf_part(m, saver, 3);
  if (!name.n)
    return WEFT_OK;
  WEFT_TRY(tf_ref_of(m, name.at, name.n, &r));
  tf_node *call;
  WEFT_TRY(tf_find(m, &m->main, r.node, &call));
  tf_bytes attr = {NULL, 0};
  if (!call)
    return WEFT_OK;
  if (!tf_map_find(m, call->message, 5, "f", &attr))  // as TensorFlow 1 saves
    return bundle_each(m, &m->main, NULL);
  const char *function = tf_text(m, tf_part(m, tf_part(m, attr, 10), 1));
  WEFT_TRY(weft__allocated(function, m->f.d));
  WEFT_TRY(tf_body_named(m, function, &b));
  WEFT_TRY(bundle_each(m, b, call));
  return bundle_copies(m, &m->main);
}

// ---- reading a variable ----
static weft_status bundle_shard(tf_import *m, uint64_t shard, tf_bytes *out) {
  char path[4096];
  if (shard >= m->n_shards)
    return weft_fail(m->f.d, WEFT_E_RANGE, "shard %llu of %u", (unsigned long long)shard,
                     (unsigned)m->n_shards);
  if (!m->shards[shard].at) {
    snprintf(path, sizeof path, "%.4000s/variables/variables.data-%05u-of-%05u", m->folder, (unsigned)shard,
             (unsigned)m->n_shards);
    WEFT_TRY(tf_file(m, path, &m->shards[shard]));
  }
  *out = m->shards[shard];
  return WEFT_OK;
}

static uint64_t bundle_field(tf_import *m, tf_bytes entry, uint32_t number) {
  wire_field f;
  return tf_field(m, entry, number, &f) ? f.value : 0;
}

static weft_status bundle_read(tf_op *o, tf_variable *v, tf_bytes entry) {
  tf_import *m = o->m;
  weft_dim dims[WEFT_MAX_RANK];
  weft_shape shape;
  int rank;
  int64_t elems;
  weft_dtype t;
  tf_bytes data;
  char name[400];
  uint64_t offset = bundle_field(m, entry, 4);
  uint64_t bytes = bundle_field(m, entry, 5);
  if (!tf_dtype((int64_t)bundle_field(m, entry, 1), &t) || t == WEFT_STRING)
    return weft_fail(m->f.d, WEFT_E_UNSUPPORTED, "variable '%.200s' has a dtype that is not read", v->name);
  if (tf_part(m, entry, 7).at)
    return weft_fail(m->f.d, WEFT_E_UNSUPPORTED, "variable '%.200s' is stored in slices", v->name);
  WEFT_TRY(tf_shape(m, tf_part(m, entry, 2), dims, &rank));
  bool bad = rank < 0 || weft_shape_init(&shape, dims, (size_t)rank) || weft_shape_elems(&shape, &elems);
  if (bad || weft_dtype_bytes(elems, t) < 0 || (uint64_t)weft_dtype_bytes(elems, t) != bytes)
    return weft_fail(m->f.d, WEFT_E_SHAPE,
                     "variable '%.200s' has %llu bytes, which is not what its shape needs", v->name,
                     (unsigned long long)bytes);
  WEFT_TRY(bundle_shard(m, bundle_field(m, entry, 3), &data));
  if (offset > data.n || bytes > data.n - offset)
    return weft_fail(m->f.d, WEFT_E_TRUNCATED, "variable '%.200s' passes the end of its shard", v->name);
  snprintf(name, sizeof name, "%.300s", v->name);
  for (uint32_t i = 1; weft_graph_find_value(o->s->s.g, name); i++)
    snprintf(name, sizeof name, "%.300s/value_%u", v->name, (unsigned)i);
  const front_data of = {t, dims, (size_t)rank, data.at + offset, (size_t)bytes};
  return front_borrow(&m->f, o->s->s.g, name, &of, &v->v);
}

weft_value *tf_variable_read(tf_op *o, tf_variable *v) {
  if (o->b.failed)
    return NULL;
  if (v->now && v->now->graph == o->s->s.g)
    return v->now;
  if (v->now) {
    return front_none(&o->b, WEFT_E_UNSUPPORTED,
                      "variable '%.200s', which the model writes to, is read in a branch or a loop: read it "
                      "outside, and hand the value in",
                      v->name);
  }
  if (v->v && v->v->graph == o->s->s.g)
    return v->v;
  const tf_bytes *entry = v->key ? weft__map_find(&o->m->entries, v->key, strlen(v->key)) : NULL;
  if (!entry)
    return front_none(&o->b, WEFT_E_MISSING, "variable '%.200s' is not among the restored ones", v->name);
  o->b.failed = bundle_read(o, v, *entry);
  return o->b.failed ? NULL : v->v;
}
// SPDX-License-Identifier: Apache-2.0
