// message.c - ModelProto: its primitives, its graphs, and what every name in them is. Attributes and tensors
// are looked at when somebody asks.
#include "base/allocated.h"
#include "base/file.h"
#include "frontend/mindspore/mindspore.h"

enum {  // fields of the messages
  MODEL_GRAPH = 7,
  MODEL_FUNCTION = 8,
  MODEL_PRIMITIVE = 12,
  MODEL_USER_INFO = 14,
  GRAPH_NODE = 1,
  GRAPH_NAME = 2,
  GRAPH_PARAMETER = 3,
  GRAPH_INPUT = 5,
  GRAPH_OUTPUT = 6,
  GRAPH_ATTRIBUTE = 8,
  GRAPH_MAP_PARAMETER = 10,
  NODE_INPUT = 1,
  NODE_OUTPUT = 2,
  NODE_NAME = 3,
  NODE_TYPE = 4,
  NODE_DOMAIN = 7,
  PRIMITIVE_NAME = 1,
  PRIMITIVE_TYPE = 2,
  TENSOR_DIM = 1,
  TENSOR_TYPE = 2,
  TENSOR_NAME = 7,
  TENSOR_REF_KEY = 13
};

bool ms_dtype(int64_t t, weft_dtype *out) {
  static const weft_dtype types[] = {
      [1] = WEFT_FLOAT,   [2] = WEFT_UINT8,      [3] = WEFT_INT8,        [4] = WEFT_UINT16,
      [5] = WEFT_INT16,   [6] = WEFT_INT32,      [7] = WEFT_INT64,       [8] = WEFT_STRING,
      [9] = WEFT_BOOL,    [10] = WEFT_FLOAT16,   [11] = WEFT_DOUBLE,     [12] = WEFT_UINT32,
      [13] = WEFT_UINT64, [14] = WEFT_COMPLEX64, [15] = WEFT_COMPLEX128, [16] = WEFT_BF16,
      [17] = WEFT_DOUBLE};
  if (t < 1 || (size_t)t >= WEFT_COUNT(types))
    return false;
  *out = types[t];
  return true;
}

// ---- fields ----
wire_message ms_open(ms_import *m, ms_bytes b) {
  static const uint8_t none;
  if (!b.at)
    b = (ms_bytes){&none, 0};
  return (wire_message){.src = &m->source, .at = b.at, .end = b.at + b.n, .index = SIZE_MAX};
}

// Where a message is torn the failure is told where it is walked as a whole; looking for a field ends there.
bool ms_next(wire_message *w, wire_field *f) {
  weft_diag quiet = {0};
  weft_diag *d = w->src->d;
  w->src->d = &quiet;
  bool ok = !weft__wire_next(w, f) && f->number;
  w->src->d = d;
  return ok;
}

bool ms_field(ms_import *m, ms_bytes message, uint32_t number, wire_field *out) {
  wire_message w = ms_open(m, message);
  while (ms_next(&w, out)) {
    if (out->number == number)
      return true;
  }
  return false;
}

ms_bytes ms_part(ms_import *m, ms_bytes message, uint32_t number) {
  wire_field f;
  if (!ms_field(m, message, number, &f) || f.type != WIRE_BYTES)
    return (ms_bytes){NULL, 0};
  return (ms_bytes){f.data, f.bytes};
}

const char *ms_text(ms_import *m, const wire_field *f) {
  if (f->type != WIRE_BYTES)
    return "";
  return weft__arena_strdup(&m->f.arena, (const char *)f->data, f->bytes);
}

static const char *message_text(ms_import *m, ms_bytes message, uint32_t number) {
  wire_field f;
  return ms_field(m, message, number, &f) ? ms_text(m, &f) : "";
}

// How many fields of this number a message has, walked as a whole.
static weft_status message_count(ms_import *m, ms_bytes message, uint32_t number, size_t *out) {
  wire_message w = ms_open(m, message);
  wire_field f;
  *out = 0;
  for (;;) {
    WEFT_TRY(weft__wire_next(&w, &f));
    if (!f.number)
      return WEFT_OK;
    *out += f.number == number && f.type == WIRE_BYTES;
  }
}

static bool message_each(wire_message *w, uint32_t number, ms_bytes *out) {
  wire_field f;
  while (ms_next(w, &f)) {
    if (f.number == number && f.type == WIRE_BYTES) {
      *out = (ms_bytes){f.data, f.bytes};
      return true;
    }
  }
  return false;
}

// ---- names ----
ms_def *ms_def_of(const ms_import *m, const char *name) {
  return weft__map_find(&m->names, name, strlen(name));
}

static weft_status message_define(ms_import *m, const char *name, const ms_def *def) {
  size_t n = strlen(name);
  ms_def *kept = WEFT_NEW(&m->f.arena, ms_def);
  WEFT_TRY(weft__allocated(kept, m->f.d));
  *kept = *def;
  if (weft__map_find(&m->names, name, n))
    return weft_fail(m->f.d, WEFT_E_DUPLICATE, "two things of the model have the name '%.200s'", name);
  return weft__allocated(!weft__map_set(&m->names, name, n, kept), m->f.d);
}

// ---- nodes ----
// "REF::Conv2D:4" refers to a primitive of the model, a graph, or what a node gives; models of MindSpore
// before 2 name the operator itself.
static weft_status message_key(ms_import *m, ms_node *n) {
  static const char ref[] = "REF::";
  bool refers = !strncmp(n->key, ref, sizeof ref - 1);
  if (refers)
    n->key += sizeof ref - 1;
  size_t bytes = strlen(n->key);
  n->prim = weft__map_find(&m->prims, n->key, bytes);
  if (n->prim || !strcmp(n->key, "Constant"))
    return WEFT_OK;
  n->calls = weft__map_find(&m->graphs, n->key, bytes);
  if (n->calls || refers)
    return WEFT_OK;
  ms_prim *own = WEFT_NEW(&m->f.arena, ms_prim);
  WEFT_TRY(weft__allocated(own, m->f.d));
  *own = (ms_prim){.type = n->key, .message = n->message};
  n->prim = own;
  return WEFT_OK;
}

static weft_status message_node_inputs(ms_import *m, ms_node *n) {
  size_t most;
  WEFT_TRY(message_count(m, n->message, NODE_INPUT, &most));
  n->in = WEFT_NEW_N(&m->f.arena, const char *, most + 1);
  WEFT_TRY(weft__allocated(n->in, m->f.d));
  wire_message w = ms_open(m, n->message);
  wire_field f;
  while (n->n_in < most && ms_next(&w, &f)) {
    if (f.number != NODE_INPUT || f.type != WIRE_BYTES)
      continue;
    n->in[n->n_in] = ms_text(m, &f);
    WEFT_TRY(weft__allocated(n->in[n->n_in++], m->f.d));
  }
  return WEFT_OK;
}

static weft_status message_node(ms_import *m, ms_graph *g, ms_bytes b) {
  ms_node *n = &g->nodes[g->n_nodes];
  *n = (ms_node){.message = b, .offset = (uint64_t)(b.at - m->source.data)};
  WEFT_TRY(message_node_inputs(m, n));
  n->key = message_text(m, b, NODE_TYPE);
  n->name = message_text(m, b, NODE_OUTPUT);
  n->where = message_text(m, b, NODE_DOMAIN);
  WEFT_TRY(weft__allocated(n->key && n->name && n->where, m->f.d));
  if (!*n->name || !*n->key)
    return weft_fail(m->f.d, WEFT_E_INVALID, "a node of graph '%.200s' has no %s", g->name,
                     *n->name ? "operator" : "output");
  if (!*n->where)
    n->where = n->name;
  WEFT_TRY(message_key(m, n));
  return message_define(m, n->name, &(ms_def){MS_DEF_NODE, .graph = g, .index = g->n_nodes++});
}

static weft_status message_nodes(ms_import *m, ms_graph *g) {
  size_t n;
  ms_bytes b;
  WEFT_TRY(message_count(m, g->message, GRAPH_NODE, &n));
  m->n_nodes += n;
  if (m->n_nodes > MS_MAX_NODES)
    return weft_fail(m->f.d, WEFT_E_LIMIT, "more than %d nodes", MS_MAX_NODES);
  g->nodes = WEFT_NEW_N(&m->f.arena, ms_node, n + 1);
  WEFT_TRY(weft__allocated(g->nodes, m->f.d));
  wire_message w = ms_open(m, g->message);
  while (message_each(&w, GRAPH_NODE, &b))
    WEFT_TRY(message_node(m, g, b));
  return WEFT_OK;
}

// ---- ends and parameters of a graph ----
static weft_status message_ends(ms_import *m, ms_graph *g, uint32_t number, ms_end **out, size_t *n_out) {
  size_t n;
  ms_bytes b;
  WEFT_TRY(message_count(m, g->message, number, &n));
  *out = WEFT_NEW_N(&m->f.arena, ms_end, n + 1);
  WEFT_TRY(weft__allocated(*out, m->f.d));
  wire_message w = ms_open(m, g->message);
  for (*n_out = 0; message_each(&w, number, &b); ++*n_out) {
    ms_end *e = &(*out)[*n_out];
    *e = (ms_end){.name = message_text(m, b, 1), .tensor = ms_part(m, b, 2)};
    WEFT_TRY(weft__allocated(e->name, m->f.d));
    const ms_def input = {MS_DEF_INPUT, .graph = g, .index = *n_out};
    if (number == GRAPH_INPUT)
      WEFT_TRY(message_define(m, e->name, &input));
  }
  return WEFT_OK;
}

static weft_status message_params(ms_import *m, ms_graph *g) {
  size_t n;
  ms_bytes b;
  WEFT_TRY(message_count(m, g->message, GRAPH_PARAMETER, &n));
  ms_param **all = WEFT_NEW_N(&m->f.arena, ms_param *, m->n_params + n + 1);
  ms_param *own = WEFT_NEW_N(&m->f.arena, ms_param, n + 1);
  WEFT_TRY(weft__allocated(all && own, m->f.d));
  if (m->n_params)
    memcpy(all, m->params, m->n_params * sizeof *all);
  m->params = all;
  wire_message w = ms_open(m, g->message);
  while (message_each(&w, GRAPH_PARAMETER, &b)) {
    const char *name = message_text(m, b, TENSOR_NAME);
    const char *user = message_text(m, b, TENSOR_REF_KEY);
    WEFT_TRY(weft__allocated(name && user, m->f.d));
    *own = (ms_param){.name = *user ? user : name, .tensor = b};
    m->params[m->n_params++] = own;
    WEFT_TRY(message_define(m, name, &(ms_def){MS_DEF_PARAM, .graph = g, .param = own++}));
  }
  return WEFT_OK;
}

// Models whose weights were obfuscated compute nonsense without a number that only their owner has.
static weft_status message_not_obfuscated(ms_import *m, ms_bytes message, uint32_t number) {
  wire_message w = ms_open(m, message);
  ms_bytes b;
  while (message_each(&w, number, &b)) {
    ms_bytes name = ms_part(m, b, 1);
    if (name.n >= 4 && !memcmp(name.at, "obf_", 4))
      return weft_fail(m->f.d, WEFT_E_UNSUPPORTED,
                       "the model is obfuscated ('%.*s'): export it again without obfuscation",
                       (int)WEFT_MIN(name.n, 80), (const char *)name.at);
  }
  return WEFT_OK;
}

static weft_status message_graph(ms_import *m, ms_graph *g) {
  WEFT_TRY(message_not_obfuscated(m, g->message, GRAPH_ATTRIBUTE));
  WEFT_TRY(message_params(m, g));
  WEFT_TRY(message_ends(m, g, GRAPH_INPUT, &g->in, &g->n_in));
  WEFT_TRY(message_ends(m, g, GRAPH_OUTPUT, &g->out, &g->n_out));
  if (ms_part(m, g->message, GRAPH_MAP_PARAMETER).at)
    return weft_fail(m->f.d, WEFT_E_UNSUPPORTED, "graph '%.200s' has a MapParameter, which is not read",
                     g->name);
  return message_nodes(m, g);
}

// ---- the model ----
static weft_status message_prims(ms_import *m, ms_bytes file) {
  wire_message w = ms_open(m, file);
  ms_bytes b;
  while (message_each(&w, MODEL_PRIMITIVE, &b)) {
    size_t unused;
    WEFT_TRY(message_count(m, b, 1, &unused));
    ms_prim *p = WEFT_NEW(&m->f.arena, ms_prim);
    const char *name = message_text(m, b, PRIMITIVE_NAME);
    WEFT_TRY(weft__allocated(p && name, m->f.d));
    *p = (ms_prim){.type = message_text(m, b, PRIMITIVE_TYPE), .message = b};
    WEFT_TRY(weft__allocated(p->type && !weft__map_set(&m->prims, name, strlen(name), p), m->f.d));
  }
  return WEFT_OK;
}

static weft_status message_add_graph(ms_import *m, ms_bytes b, ms_graph **out) {
  ms_graph *g = WEFT_NEW(&m->f.arena, ms_graph);
  WEFT_TRY(weft__allocated(g, m->f.d));
  *g = (ms_graph){
      .message = b, .name = message_text(m, b, GRAPH_NAME), .next = m->all, .number = m->n_graphs++};
  WEFT_TRY(weft__allocated(g->name, m->f.d));
  size_t n = strlen(g->name);
  if (weft__map_find(&m->graphs, g->name, n))
    return weft_fail(m->f.d, WEFT_E_DUPLICATE, "two graphs have the name '%.200s'", g->name);
  m->all = g;
  *out = g;
  return weft__allocated(!weft__map_set(&m->graphs, g->name, n, g), m->f.d);
}

static weft_status message_graphs(ms_import *m, ms_bytes file) {
  ms_graph *g;
  wire_message w = ms_open(m, file);
  ms_bytes b = ms_part(m, file, MODEL_GRAPH);
  if (!b.at)
    return weft_fail(m->f.d, WEFT_E_INVALID, "the file holds no graph");
  WEFT_TRY(message_add_graph(m, b, &m->main));
  while (message_each(&w, MODEL_FUNCTION, &b))
    WEFT_TRY(message_add_graph(m, b, &g));
  for (g = m->all; g; g = g->next)
    WEFT_TRY(message_graph(m, g));
  return WEFT_OK;
}

weft_status ms_read_model(ms_import *m, ms_bytes file) {
  size_t unused;
  WEFT_TRY(message_count(m, file, MODEL_GRAPH, &unused));
  WEFT_TRY(message_not_obfuscated(m, file, MODEL_USER_INFO));
  WEFT_TRY(message_prims(m, file));
  return message_graphs(m, file);
}

// ---- types ----
static weft_status message_dims(ms_import *m, ms_bytes tensor, weft_dim dims[WEFT_MAX_RANK], int *rank) {
  wire_message w = ms_open(m, tensor);
  wire_field f;
  *rank = 0;
  while (ms_next(&w, &f)) {
    const uint8_t *at = f.data;
    while (f.number == TENSOR_DIM && at < f.data + f.bytes) {
      uint64_t v;
      WEFT_TRY(weft__wire_number(&w, WIRE_VARINT, &at, f.data + f.bytes, &v));
      if (*rank == WEFT_MAX_RANK)
        return weft_fail(m->f.d, WEFT_E_LIMIT, "a shape has more than %d axes", WEFT_MAX_RANK);
      dims[(*rank)++] = (int64_t)v;
    }
  }
  return WEFT_OK;
}

weft_status ms_tensor_type(ms_import *m, ms_bytes tensor, weft_dtype *t, weft_dim dims[WEFT_MAX_RANK],
                           int *rank) {
  wire_field f;
  if (!ms_field(m, tensor, TENSOR_TYPE, &f) || !ms_dtype((int64_t)f.value, t))
    return weft_fail(m->f.d, WEFT_E_DTYPE, "a tensor has a dtype that is not read");
  WEFT_TRY(message_dims(m, tensor, dims, rank));
  if (*rank == 1 && dims[0] == -2)
    *rank = -1;
  for (int i = 0; i < *rank; i++)
    dims[i] = dims[i] < 0 ? -1 : dims[i];
  return WEFT_OK;
}

// ---- files beside the model ----
typedef struct message_kept {
  weft_file file;
  weft_allocator alloc;
} message_kept;

static void message_drop(void *ctx) {
  message_kept *k = ctx;
  weft_allocator a = k->alloc;
  weft__file_unmap(&k->file);
  weft__free(&a, k, sizeof *k, _Alignof(message_kept));
}

static weft_status message_open(ms_import *m, const char *path, ms_bytes *out) {
  weft_allocator *a = &m->f.env->alloc;
  message_kept *k = weft__alloc(a, sizeof *k, _Alignof(message_kept));
  WEFT_TRY(weft__allocated(k, m->f.d));
  *k = (message_kept){.alloc = *a, .file = {.fd = -1}};
  weft_status s = weft__file_take(path, weft__env_copy_most(m->f.env), &k->file, m->f.d);
  if (!s && k->file.fd >= 0)
    s = weft__graph_mapped(m->f.g, k->file.data, k->file.bytes, k->file.fd);
  if (!s)
    s = weft_graph_keep(m->f.g, message_drop, k);
  if (s) {
    message_drop(k);
    return s;
  }
  *out = (ms_bytes){k->file.data, k->file.bytes};
  return WEFT_OK;
}

static bool message_leaves(const char *location) {
  return *location == '/' || !*location || !strcmp(location, "..") || !strncmp(location, "../", 3) ||
         strstr(location, "/../") || strchr(location, '\\');
}

weft_status ms_file(ms_import *m, const char *location, ms_bytes *out) {
  char path[4096];
  size_t n = strlen(location);
  ms_bytes *kept = weft__map_find(&m->files, location, n);
  if (!m->path)
    return weft_fail(m->f.d, WEFT_E_UNSUPPORTED,
                     "data lie in the file '%.200s', and the model was read from memory: load it by its path",
                     location);
  const char *slash = strrchr(m->path, '/');
  if (!kept) {
    if (message_leaves(location))
      return weft_fail(m->f.d, WEFT_E_INVALID, "'%.200s' is not inside the folder of the model", location);
    snprintf(path, sizeof path, "%.*s%.2000s", slash ? (int)WEFT_MIN(slash - m->path + 1, 2000) : 0, m->path,
             location);
    kept = WEFT_NEW(&m->f.arena, ms_bytes);
    WEFT_TRY(weft__allocated(kept, m->f.d));
    WEFT_TRY(message_open(m, path, kept));
    WEFT_TRY(weft__allocated(!weft__map_set(&m->files, location, n, kept), m->f.d));
  }
  *out = *kept;
  return WEFT_OK;
}
// SPDX-License-Identifier: Apache-2.0
