// message.c - GraphDef, FunctionDef, NodeDef and TensorProto. Nodes are listed with their inputs; everything
// else is looked for in the file when somebody asks.
#include "base/allocated.h"
#include "frontend/tf/tf.h"

bool tf_dtype(int64_t t, weft_dtype *out) {
  static const struct {
    int64_t of;
    weft_dtype t;
  } types[] = {{1, WEFT_FLOAT},    {2, WEFT_DOUBLE},  {3, WEFT_INT32},       {4, WEFT_UINT8},
               {5, WEFT_INT16},    {6, WEFT_INT8},    {7, WEFT_STRING},      {8, WEFT_COMPLEX64},
               {9, WEFT_INT64},    {10, WEFT_BOOL},   {14, WEFT_BF16},       {17, WEFT_UINT16},
               {19, WEFT_FLOAT16}, {22, WEFT_UINT32}, {18, WEFT_COMPLEX128}, {23, WEFT_UINT64}};
  for (size_t i = 0; i < WEFT_COUNT(types); i++) {
    if (types[i].of == t) {
      *out = types[i].t;
      return true;
    }
  }
  return false;
}

// ---- fields ----
wire_message tf_open(tf_import *m, tf_bytes b) {
  static const uint8_t none;
  if (!b.at)
    b = (tf_bytes){&none, 0};
  return (wire_message){.src = &m->source, .at = b.at, .end = b.at + b.n, .index = SIZE_MAX};
}

// Where a message is torn the failure is told where it is walked as a whole; looking for a field ends there.
bool tf_next(wire_message *w, wire_field *f) {
  weft_diag *d = w->src->d;
  w->src->d = NULL;
  bool ok = !weft__wire_next(w, f) && f->number;
  w->src->d = d;
  return ok;
}

bool tf_field(tf_import *m, tf_bytes message, uint32_t number, wire_field *out) {
  wire_message w = tf_open(m, message);
  while (tf_next(&w, out)) {
    if (out->number == number)
      return true;
  }
  return false;
}

tf_bytes tf_part(tf_import *m, tf_bytes message, uint32_t number) {
  wire_field f;
  if (!tf_field(m, message, number, &f) || f.type != WIRE_BYTES)
    return (tf_bytes){NULL, 0};
  return (tf_bytes){f.data, f.bytes};
}

bool tf_map_find(tf_import *m, tf_bytes message, uint32_t number, const char *key, tf_bytes *out) {
  wire_message w = tf_open(m, message);
  wire_field f;
  size_t n = strlen(key);
  while (tf_next(&w, &f)) {
    if (f.number != number || f.type != WIRE_BYTES)
      continue;
    tf_bytes entry = {f.data, f.bytes};
    tf_bytes k = tf_part(m, entry, 1);
    if (k.n == n && (!n || !memcmp(k.at, key, n))) {
      *out = tf_part(m, entry, 2);
      return out->at != NULL;
    }
  }
  return false;
}

const char *tf_text(tf_import *m, tf_bytes b) {
  return weft__arena_strdup(&m->f.arena, b.at ? (const char *)b.at : "", b.n);
}

// ---- references ----
weft_status tf_ref_of(tf_import *m, const uint8_t *at, size_t n, tf_ref *out) {
  char *text = weft__arena_strdup(&m->f.arena, (const char *)at, n);
  WEFT_TRY(weft__allocated(text, m->f.d));
  *out = (tf_ref){.node = text};
  char *last = strrchr(text, ':');
  if (!last)
    return WEFT_OK;
  size_t digits = strspn(last + 1, "0123456789");
  if (!digits || digits > 6 || last[1 + digits])
    return weft_fail(m->f.d, WEFT_E_INVALID, "'%.200s' does not name an output of a node", text);
  for (const char *p = last + 1; *p; p++)
    out->index = 10 * out->index + (uint32_t)(*p - '0');
  *last = 0;
  char *port = strrchr(text, ':');
  if (port) {
    *port = 0;
    out->port = port + 1;
  }
  return WEFT_OK;
}

// ---- nodes ----
static weft_status message_operator(tf_import *m, tf_bytes name, const tf_operator **out) {
  const char *text = (const char *)name.at;
  *out = weft__map_find(&m->operators, text, name.n);
  if (*out)
    return WEFT_OK;
  tf_operator *o = WEFT_NEW(&m->f.arena, tf_operator);
  const char *kept = tf_text(m, name);
  WEFT_TRY(weft__allocated(o && kept, m->f.d));
  *o = (tf_operator){.name = kept, .row = weft__map_find(&m->rows, kept, strlen(kept))};
  o->direct = !o->row && weft__map_find(&m->functions, text, name.n);
  if (o->direct)
    o->row = weft__map_find(&m->rows, "StatefulPartitionedCall", strlen("StatefulPartitionedCall"));
  if (!o->row)
    o->custom = tf_custom_of(m, kept);
  tf_operator_writes(o);
  *out = o;
  return weft__allocated(!weft__map_set(&m->operators, kept, name.n, o), m->f.d);
}

typedef struct message_head {  // what a node says before its attributes
  tf_bytes name, op;
  size_t inputs, after;  // of the inputs, those that only say what comes before
} message_head;

static weft_status message_head_of(tf_import *m, tf_bytes b, message_head *out) {
  wire_message w = tf_open(m, b);
  wire_field f;
  *out = (message_head){.inputs = 0};
  for (;;) {
    WEFT_TRY(weft__wire_next(&w, &f));
    if (!f.number)
      return WEFT_OK;
    if (f.type != WIRE_BYTES)
      continue;
    const tf_bytes text = {f.data, f.bytes};
    if (f.number == 1 && !out->name.at)
      out->name = text;
    else if (f.number == 2 && !out->op.at)
      out->op = text;
    out->inputs += f.number == 3;
    out->after += f.number == 3 && f.bytes && *f.data == '^';
  }
}

static weft_status message_inputs(tf_import *m, tf_node *n, const message_head *head) {
  wire_message w = tf_open(m, n->message);
  wire_field f;
  size_t most = head->inputs;
  n->in = most ? WEFT_NEW_N(&m->f.arena, tf_ref, most) : NULL;
  n->after = head->after ? WEFT_NEW_N(&m->f.arena, const char *, head->after) : NULL;
  WEFT_TRY(weft__allocated((n->in || !most) && (n->after || !head->after), m->f.d));
  while (most && tf_next(&w, &f)) {
    if (f.number != 3 || f.type != WIRE_BYTES)
      continue;
    most--;
    if (f.bytes && *f.data == '^') {
      n->after[n->n_after] = tf_text(m, (tf_bytes){f.data + 1, f.bytes - 1});
      WEFT_TRY(weft__allocated(n->after[n->n_after++] != NULL, m->f.d));
    } else if (f.bytes)
      WEFT_TRY(tf_ref_of(m, f.data, f.bytes, &n->in[n->n_in++]));
  }
  return WEFT_OK;
}

weft_status tf_node_read(tf_import *m, tf_node *n) {
  message_head head;
  if (n->of)
    return WEFT_OK;
  WEFT_TRY(message_head_of(m, n->message, &head));
  n->name = tf_text(m, head.name);
  WEFT_TRY(weft__allocated(n->name, m->f.d));
  if (!head.op.n)
    return weft_fail(m->f.d, WEFT_E_INVALID, "node '%.200s' names no operator", n->name);
  n->n_in = n->n_after = 0;
  WEFT_TRY(message_inputs(m, n, &head));
  WEFT_TRY(message_operator(m, head.op, &n->of));
  n->op = n->of->name;
  return WEFT_OK;
}

weft_status tf_read_all(tf_import *m, tf_body *b) {
  for (size_t i = 0; i < b->n_nodes; i++)
    WEFT_TRY(tf_node_read(m, &b->nodes[i]));
  return WEFT_OK;
}

weft_status tf_find(tf_import *m, const tf_body *b, const char *name, tf_node **out) {
  *out = weft__map_find(&b->by_name, name, strlen(name));
  return *out ? tf_node_read(m, *out) : WEFT_OK;
}

static weft_status message_room(tf_import *m, tf_body *body, size_t n) {
  m->n_nodes += n;
  if (m->n_nodes > TF_MAX_NODES)
    return weft_fail(m->f.d, WEFT_E_LIMIT, "more than %d nodes", TF_MAX_NODES);
  body->nodes = WEFT_NEW_N(&m->f.arena, tf_node, n + 1);
  bool room = !n || !weft__map_reserve(&body->by_name, &m->f.arena, n);
  return weft__allocated(body->nodes && room, m->f.d);
}

// The nodes by their names, which stay in the file.
static weft_status message_nodes(tf_import *m, tf_bytes b, uint32_t number, tf_body *body) {
  wire_message w = tf_open(m, b);
  wire_field f;
  size_t n = 0;
  for (;;) {
    WEFT_TRY(weft__wire_next(&w, &f));
    if (!f.number)
      break;
    n += f.number == number && f.type == WIRE_BYTES;
  }
  WEFT_TRY(message_room(m, body, n));
  w = tf_open(m, b);
  while (tf_next(&w, &f)) {
    if (f.number != number || f.type != WIRE_BYTES)
      continue;
    tf_node *node = &body->nodes[body->n_nodes++];
    node->message = (tf_bytes){f.data, f.bytes};
    node->offset = (uint64_t)(f.data - m->source.data);
    const tf_bytes name = tf_part(m, node->message, 1);
    const char *key = name.at ? (const char *)name.at : "";
    const tf_node *named = weft__map_intern(&body->by_name, key, name.n, node);
    WEFT_TRY(weft__allocated(named, m->f.d));
    if (named != node)
      return weft_fail(m->f.d, WEFT_E_DUPLICATE, "two nodes have the name '%.*s'", (int)WEFT_MIN(name.n, 200),
                       key);
  }
  return WEFT_OK;
}

// ---- functions ----
static weft_status message_functions(tf_import *m, tf_bytes library) {
  wire_message w = tf_open(m, library);
  wire_field f;
  for (;;) {
    WEFT_TRY(weft__wire_next(&w, &f));
    if (!f.number)
      return WEFT_OK;
    if (f.number != 1 || f.type != WIRE_BYTES)
      continue;
    tf_bytes *kept = WEFT_NEW(&m->f.arena, tf_bytes);
    WEFT_TRY(weft__allocated(kept, m->f.d));
    *kept = (tf_bytes){f.data, f.bytes};
    tf_bytes name = tf_part(m, tf_part(m, *kept, 1), 1);
    if (name.at)
      WEFT_TRY(weft__allocated(!weft__map_set(&m->functions, (const char *)name.at, name.n, kept), m->f.d));
  }
}

// Names of an OpDef's arguments: number 2 inputs, 3 outputs.
static weft_status message_args(tf_import *m, tf_bytes signature, uint32_t number, const char ***out,
                                size_t *n) {
  wire_message w = tf_open(m, signature);
  wire_field f;
  *n = 0;
  while (tf_next(&w, &f))
    *n += f.number == number && f.type == WIRE_BYTES;
  *out = WEFT_NEW_N(&m->f.arena, const char *, *n + 1);
  WEFT_TRY(weft__allocated(*out, m->f.d));
  size_t i = 0;
  w = tf_open(m, signature);
  while (tf_next(&w, &f)) {
    if (f.number != number || f.type != WIRE_BYTES)
      continue;
    (*out)[i] = tf_text(m, tf_part(m, (tf_bytes){f.data, f.bytes}, 1));
    WEFT_TRY(weft__allocated((*out)[i++], m->f.d));
  }
  return WEFT_OK;
}

// A function with hundreds of variables is asked for its arguments by each of its nodes.
static weft_status message_arg_places(tf_import *m, tf_body *body) {
  bool room = !body->n_args || !weft__map_reserve(&body->by_arg, &m->f.arena, body->n_args);
  WEFT_TRY(weft__allocated(room, m->f.d));
  for (size_t i = body->n_args; i-- > 0;) {  // of two with one name the first one counts
    const char *name = body->args[i];
    bool set = !weft__map_set(&body->by_arg, name, strlen(name), (void *)&body->args[i]);
    WEFT_TRY(weft__allocated(set, m->f.d));
  }
  return WEFT_OK;
}

bool tf_body_arg(const tf_body *b, const char *name, size_t *out) {
  const char **at = b->n_args ? weft__map_find(&b->by_arg, name, strlen(name)) : NULL;
  *out = at ? (size_t)(at - b->args) : 0;
  return at != NULL;
}

// Its nodes, which are listed by their names, and results.
static weft_status message_function(tf_import *m, tf_bytes b, tf_body *body) {
  const char **results = NULL;
  tf_bytes signature = tf_part(m, b, 1);
  WEFT_TRY(message_args(m, signature, 3, &results, &body->n_results));
  body->result_names = results;
  WEFT_TRY(tf_read_all(m, body));
  body->results = WEFT_NEW_N(&m->f.arena, tf_ref, body->n_results + 1);
  WEFT_TRY(weft__allocated(body->results, m->f.d));
  for (size_t i = 0; i < body->n_results; i++) {
    tf_bytes ref;
    if (!tf_map_find(m, b, 4, results[i], &ref))
      return weft_fail(m->f.d, WEFT_E_MISSING, "function '%.200s' does not say what its output '%.100s' is",
                       body->name, results[i]);
    WEFT_TRY(tf_ref_of(m, ref.at, ref.n, &body->results[i]));
  }
  return WEFT_OK;
}

// A function with its arguments and the names of its nodes.
static weft_status message_body(tf_import *m, const char *name, tf_bytes *out_text, tf_body **out) {
  const tf_bytes *b = weft__map_find(&m->functions, name, strlen(name));
  if (!b)
    return weft_fail(m->f.d, WEFT_E_NOT_FOUND, "the model has no function '%.200s'", name);
  tf_body *body = WEFT_NEW(&m->f.arena, tf_body);
  WEFT_TRY(weft__allocated(body, m->f.d));
  *body = (tf_body){.name = name, .next = m->bodies_read};
  m->bodies_read = body;
  weft__map_init(&body->by_name, &m->f.arena.alloc);
  weft__map_init(&body->by_arg, &m->f.arena.alloc);
  *out = body;
  *out_text = *b;
  WEFT_TRY(message_args(m, tf_part(m, *b, 1), 2, &body->args, &body->n_args));
  WEFT_TRY(message_arg_places(m, body));
  return message_nodes(m, *b, 3, body);
}

weft_status tf_body_of(tf_import *m, const char *name, tf_body **out) {
  tf_bytes text;
  *out = weft__map_find(&m->bodies, name, strlen(name));
  if (*out)
    return WEFT_OK;
  WEFT_TRY(message_body(m, name, &text, out));
  WEFT_TRY(weft__allocated(!weft__map_set(&m->bodies, name, strlen(name), *out), m->f.d));
  return message_function(m, text, *out);
}

weft_status tf_body_named(tf_import *m, const char *name, tf_body **out) {
  tf_bytes text;
  return message_body(m, name, &text, out);
}

static weft_status message_call(tf_import *m, tf_bytes func, tf_function_fn fn, void *ctx) {
  tf_bytes name = tf_part(m, func, 1);
  if (!name.n)
    return WEFT_OK;
  const char *text = tf_text(m, name);
  WEFT_TRY(weft__allocated(text, m->f.d));
  return fn(m, text, ctx);
}

// The branches of Case are a list of functions.
static weft_status message_call_list(tf_import *m, tf_bytes list, tf_function_fn fn, void *ctx) {
  wire_message w = tf_open(m, list);
  wire_field f;
  for (;;) {
    WEFT_TRY(weft__wire_next(&w, &f));
    if (!f.number)
      return WEFT_OK;
    if (f.number == 9 && f.type == WIRE_BYTES)
      WEFT_TRY(message_call(m, (tf_bytes){f.data, f.bytes}, fn, ctx));
  }
}

weft_status tf_each_function(tf_import *m, const tf_node *n, tf_function_fn fn, void *ctx) {
  wire_message w = tf_open(m, n->message);
  wire_field f;
  for (;;) {
    WEFT_TRY(weft__wire_next(&w, &f));
    if (!f.number)
      return n->of && n->of->direct ? fn(m, n->op, ctx) : WEFT_OK;
    if (f.number != 5 || f.type != WIRE_BYTES)
      continue;
    tf_bytes value = tf_part(m, (tf_bytes){f.data, f.bytes}, 2);
    WEFT_TRY(message_call(m, tf_part(m, value, 10), fn, ctx));
    WEFT_TRY(message_call_list(m, tf_part(m, value, 1), fn, ctx));
  }
}

weft_status tf_read_graph(tf_import *m, tf_bytes graph_def) {
  wire_message w = tf_open(m, graph_def);
  wire_field f;
  WEFT_TRY(message_nodes(m, graph_def, 1, &m->main));
  while (tf_next(&w, &f)) {
    if (f.number == 2 && f.type == WIRE_BYTES)
      WEFT_TRY(message_functions(m, (tf_bytes){f.data, f.bytes}));
  }
  return WEFT_OK;
}

// ---- tensors ----
weft_status tf_shape(tf_import *m, tf_bytes shape, weft_dim dims[WEFT_MAX_RANK], int *rank) {
  wire_message w = tf_open(m, shape);
  wire_field f;
  *rank = 0;
  while (tf_next(&w, &f)) {
    if (f.number == 3 && f.value) {
      *rank = -1;
      return WEFT_OK;
    }
    if (f.number != 2 || f.type != WIRE_BYTES)
      continue;
    if (*rank == WEFT_MAX_RANK)
      return weft_fail(m->f.d, WEFT_E_LIMIT, "a shape has more than %d axes", WEFT_MAX_RANK);
    wire_field size;
    bool given = tf_field(m, (tf_bytes){f.data, f.bytes}, 1, &size);
    int64_t v = given ? (int64_t)size.value : 0;
    dims[(*rank)++] = v < 0 ? -1 : v;
  }
  return WEFT_OK;
}

// Which list of a TensorProto holds numbers of a dtype, and the wire type of each.
static uint32_t message_list(weft_dtype t, uint8_t *type) {
  *type = t == WEFT_FLOAT || t == WEFT_COMPLEX64     ? WIRE_FIXED32
          : t == WEFT_DOUBLE || t == WEFT_COMPLEX128 ? WIRE_FIXED64
                                                     : WIRE_VARINT;
  switch (t) {
    case WEFT_FLOAT:
      return 5;
    case WEFT_DOUBLE:
      return 6;
    case WEFT_COMPLEX64:
      return 9;
    case WEFT_INT64:
      return 10;
    case WEFT_BOOL:
      return 11;
    case WEFT_COMPLEX128:
      return 12;
    case WEFT_FLOAT16:
    case WEFT_BF16:
      return 13;
    case WEFT_UINT32:
      return 16;
    case WEFT_UINT64:
      return 17;
    default:
      return 7;
  }
}

// Numbers of a list, as units of `size` bytes; the last one is repeated to the end.
static weft_status message_numbers(tf_import *m, tf_bytes b, weft_dtype t, weft_tensor *to) {
  uint8_t type;
  uint32_t number = message_list(t, &type);
  size_t size = weft_dtype_bits(t) / 8 / (weft_dtype_is_complex(t) ? 2 : 1);
  size_t room = size ? to->bytes / size : 0;
  size_t n = 0;
  uint8_t *data = to->data;
  wire_message w = tf_open(m, b);
  wire_field f;
  while (tf_next(&w, &f)) {
    if (f.number != number)
      continue;
    const uint8_t *at = f.data;
    uint8_t each = f.type == WIRE_BYTES ? type : f.type;
    while (at < f.data + f.bytes) {
      uint64_t v;
      WEFT_TRY(weft__wire_number(&w, each, &at, f.data + f.bytes, &v));
      if (n == room)
        return weft__wire_fail(&w, f.tag, WEFT_E_SHAPE, "more numbers than its shape holds, %zu", room);
      memcpy(data + n++ * size, &v, size);
    }
  }
  size_t period = weft_dtype_is_complex(t) ? 2 : 1;
  if (n < period) {
    memset(data, 0, to->bytes);
    return WEFT_OK;
  }
  for (; n < room; n++)
    memcpy(data + n * size, data + (n - period) * size, size);
  return WEFT_OK;
}

static weft_status message_strings(tf_import *m, tf_bytes b, const weft_dim *dims, size_t rank, size_t n,
                                   weft_tensor *to) {
  wire_message w = tf_open(m, b);
  wire_field f;
  size_t have = 0;
  const char **text = WEFT_NEW_N(&m->f.arena, const char *, n + 1);
  size_t *bytes = WEFT_NEW_N(&m->f.arena, size_t, n + 1);
  WEFT_TRY(weft__allocated(text && bytes, m->f.d));
  while (tf_next(&w, &f)) {
    if (f.number != 8 || f.type != WIRE_BYTES || have == n)
      continue;
    text[have] = (const char *)f.data;
    bytes[have++] = f.bytes;
  }
  for (size_t i = have; i < n; i++) {
    text[i] = have ? text[have - 1] : "";
    bytes[i] = have ? bytes[have - 1] : 0;
  }
  return weft_tensor_set_strings(to, dims, rank, text, bytes, m->f.d);
}

static weft_status message_fill(tf_import *m, tf_bytes b, weft_dtype t, const weft_dim *dims, size_t rank,
                                size_t elems, weft_tensor *to) {
  if (t == WEFT_STRING)
    return message_strings(m, b, dims, rank, elems, to);
  WEFT_TRY(weft_tensor_alloc(to, t, dims, rank, m->f.d));
  return to->bytes ? message_numbers(m, b, t, to) : WEFT_OK;
}

weft_status tf_tensor(tf_import *m, weft_graph *g, const char *name, tf_bytes b, weft_value **out) {
  wire_field f;
  weft_dtype t;
  weft_dim dims[WEFT_MAX_RANK];
  int rank;
  int64_t elems;
  weft_shape shape;
  weft_diag *d = m->f.d;
  if (!tf_field(m, b, 1, &f) || !tf_dtype((int64_t)f.value, &t))
    return weft_fail(d, WEFT_E_DTYPE, "the constant's dtype is not known");
  WEFT_TRY(tf_shape(m, tf_part(m, b, 2), dims, &rank));
  bool bad = rank < 0 || weft_shape_init(&shape, dims, (size_t)rank) || weft_shape_elems(&shape, &elems);
  if (bad || elems < 0 || weft_dtype_bytes(elems, t) < 0)
    return weft_fail(d, WEFT_E_SHAPE, "the constant's shape is not known");
  size_t bytes = t == WEFT_STRING ? 0 : (size_t)weft_dtype_bytes(elems, t);
  tf_bytes content = tf_part(m, b, 4);
  if (content.n && t != WEFT_STRING) {
    if (content.n != bytes)
      return weft_fail(d, WEFT_E_SHAPE, "tensor_content has %zu bytes, its shape needs %zu", content.n,
                       bytes);
    const front_data of = {t, dims, (size_t)rank, content.at, bytes};
    return front_borrow(&m->f, g, name, &of, out);
  }
  weft_tensor *to = weft__graph_tensor(g);
  const char *kept = weft__arena_strdup(&g->root->arena, name, strlen(name));
  WEFT_TRY(weft__allocated(to && kept, d));
  if ((size_t)elems > ((size_t)1 << 31))
    return weft_fail(d, WEFT_E_LIMIT, "a constant of %lld elements is written as a list", (long long)elems);
  WEFT_TRY(message_fill(m, b, t, dims, (size_t)rank, (size_t)elems, to));
  *out = weft_graph_const(g, kept, to, WEFT_CONST_BORROW, d);
  return *out ? WEFT_OK : d->status;
}
// SPDX-License-Identifier: Apache-2.0
