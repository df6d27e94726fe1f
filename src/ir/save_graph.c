// save_graph.c - a graph, walked and turned into the sections of a file (file.h). See save.c for the file
// itself. One walk fills the sections in memory; the data of tensors are only listed and written from where
// they lie. Strings up to WEFT__FILE_SHARED_STRING bytes, and equal tensors of constants and facts, are
// stored once.
#include "ir/file.h"
#include "op/attr.h"

// The first failure is kept; everything written after it is thrown away.
void weft__save_fail(weft__saver *s, weft_status status, const char *what, const char *name) {
  if (s->status)
    return;
  s->status = weft_fail(s->d, status, "graph '%s' cannot be saved: %s%s%s%s", s->graph->name, what,
                        name ? " '" : "", name ? name : "", name ? "'" : "");
}
void weft__save_no_memory(weft__saver *s) {
  weft__save_fail(s, WEFT_E_NOMEM, "out of memory", NULL);
}

// ---- bytes ----

static void save_graph_put(weft_text *t, uint64_t v, size_t bytes) {
  char b[8];
  for (size_t i = 0; i < bytes; i++)
    b[i] = (char)(unsigned char)(v >> (8 * i));
  weft__text_add(t, b, bytes);
}
void weft__save_u32(weft_text *t, uint32_t v) {
  save_graph_put(t, v, 4);
}
void weft__save_i64(weft_text *t, int64_t v) {
  save_graph_put(t, (uint64_t)v, 8);
}

void weft__save_count(weft__saver *s, weft_text *t, size_t n) {
  if (n >= WEFT__FILE_SAME)
    weft__save_fail(s, WEFT_E_LIMIT, "a list is longer than 2^32 entries", NULL);
  weft__save_u32(t, (uint32_t)n);
}

// ---- strings, dtypes, formats, dims ----

void weft__save_bytes(weft__saver *s, weft_text *t, const char *text, size_t bytes) {
  weft_text *strs = &s->section[WEFT__FILE_STRINGS];
  uint32_t *n = &s->count[WEFT__FILE_STRINGS];
  bool shared = bytes <= WEFT__FILE_SHARED_STRING;
  void *have = shared ? weft__map_find(&s->strings, text, bytes) : NULL;
  if (have) {
    weft__save_u32(t, (uint32_t)((uintptr_t)have - 1));
    return;
  }
  if (bytes >= WEFT__FILE_SAME || *n >= WEFT__FILE_SAME) {
    weft__save_fail(s, WEFT_E_LIMIT, "a string or their number is over 2^32", NULL);
    return;
  }
  char *key = shared ? weft__arena_strdup(&s->arena, text, bytes) : NULL;
  if (shared && (!key || weft__map_set(&s->strings, key, bytes, (void *)((uintptr_t)*n + 1))))
    weft__save_no_memory(s);
  weft__save_u32(strs, (uint32_t)bytes);
  weft__text_add(strs, text, bytes);
  save_graph_put(strs, 0, 1);
  weft__save_u32(t, (*n)++);
}

static void save_graph_put_string(weft__saver *s, weft_text *t, const char *text) {
  if (text)
    weft__save_bytes(s, t, text, strlen(text));
  else
    weft__save_u32(t, WEFT__FILE_NONE);
}

static void put_dtype(weft__saver *s, weft_text *t, int64_t dtype) {
  if (weft_dtype_known(dtype))
    s->dtypes |= WEFT_BIT(dtype);
  else
    weft__save_fail(s, WEFT_E_DTYPE, "it holds a dtype that is not known", NULL);
  weft__save_u32(t, (uint32_t)dtype);
}

static void put_format(weft__saver *s, weft_text *t, weft_format f) {
  if (weft_format_known(f))
    s->formats |= UINT64_C(1) << weft_format_primary(f);
  else
    weft__save_fail(s, WEFT_E_FORMAT, "it holds a format that is not known", NULL);
  weft__save_u32(t, f);
}

// A symbol of the pool becomes the handle it would have if the file's dims were the pool's.
static void put_dim(weft__saver *s, weft_text *t, weft_dim d) {
  size_t e;
  if (weft__symbol_index(s->symbols, d, &e)) {
    if (!s->dim_number[e] && WEFT_VEC_ROOM(&s->alloc, s->dims)) {
      s->dims.v[s->dims.n++] = (uint32_t)e;
      s->dim_number[e] = (uint32_t)s->dims.n;
    }
    if (!s->dim_number[e])
      weft__save_no_memory(s);
    d = WEFT_DIM_SYMBOL_LIMIT - (weft_dim)s->dim_number[e];
  } else if (weft_dim_is_symbol(d)) {
    d = WEFT_DIM_UNKNOWN;
  }
  weft__save_i64(t, d);
}

static void save_graph_put_shape(weft__saver *s, weft_text *t, const weft_shape *shape) {
  if (shape->rank == WEFT_RANK_UNSET)
    weft__save_u32(t, WEFT__FILE_RANK_UNSET);
  else if (weft_shape_is_unknown_rank(shape))
    weft__save_u32(t, WEFT__FILE_RANK_UNKNOWN);
  else
    weft__save_u32(t, (uint32_t)shape->rank);
  for (size_t i = 0; shape->rank <= WEFT_MAX_RANK && !weft_shape_is_unknown_rank(shape) && i < shape->rank;
       i++)
    put_dim(s, t, shape->dim[i]);
}

// ---- tensors ----

size_t weft__file_data_bytes(const weft_tensor *t) {
  if (t->dtype == WEFT_STRING || !t->data)
    return t->bytes;
  int64_t n = weft_dtype_bytes(weft_tensor_elems(t), t->dtype);
  return n < 0 ? SIZE_MAX : (size_t)n;
}

bool weft__file_layout_fits(const weft_layout *layout, weft_format origin_format, weft_format format) {
  const weft_shape *origin = &layout->origin;
  const weft_shape *storage = &layout->storage;
  int64_t n;
  int64_t m;
  if (!weft_shape_is_known(origin) || !weft_shape_is_known(storage))
    return false;
  if (weft_shape_elems(origin, &n) || weft_shape_elems(storage, &m))
    return false;
  return weft_shape_equal(origin, storage) || (format != origin_format && m >= n);
}

bool weft__file_storable(const weft_tensor *t, int depth) {
  if (weft__kind_has_items(t->kind)) {
    bool all = depth < WEFT__TENSOR_DEPTH;
    for (size_t i = 0; all && i < t->n_items; i++)
      all = weft__file_storable(t->items[i], depth + 1);
    return all;
  }
  if (!t->data)
    return t->kind == WEFT_KIND_TENSOR;
  if (!weft__file_layout_fits(&t->layout, t->origin_format, t->format))
    return false;
  bool handles = t->dtype == WEFT_RESOURCE || t->dtype == WEFT_VARIANT || t->dtype == WEFT_STRING_REF;
  return t->kind == WEFT_KIND_TENSOR && t->placement == WEFT_ON_HOST && !handles &&
         weft__file_data_bytes(t) <= t->bytes;
}

// Plain numbers only: texts have offsets inside that loading checks.
static bool lies_apart(const weft__saver *s, const weft_tensor *t, bool shared) {
  return s->apart && shared && t->kind == WEFT_KIND_TENSOR && t->data && t->dtype != WEFT_STRING &&
         weft__file_data_bytes(t) >= WEFT__FILE_APART_BYTES;
}

static void put_data(weft__saver *s, weft_text *to, const weft_tensor *t, bool apart) {
  size_t bytes = weft__file_data_bytes(t);
  uint32_t crc = apart ? weft__crc32(t->data, bytes, 0) : 0;
  bool room = apart ? WEFT_VEC_ROOM(&s->alloc, *s->apart) : WEFT_VEC_ROOM(&s->alloc, s->data);
  if (apart)
    weft__save_u32(to, crc);
  if (!room)
    weft__save_no_memory(s);
  else if (apart)
    s->apart->v[s->apart->n++] = (weft__weight){t, crc};
  else
    s->data.v[s->data.n++] = t;
}

// Appends the tensor's record, and its data to a list; `key` gets what tells it from others.
static void save_graph_put_tensor(weft__saver *s, const weft_tensor *t, bool apart, weft_text *key) {
  weft_text *to = &s->section[WEFT__FILE_TENSORS];
  size_t from = to->n;
  bool has_data = t->data || (t->kind == WEFT_KIND_TENSOR && weft_dtype_bits(t->dtype) &&
                              weft__file_layout_fits(&t->layout, t->origin_format, t->format) &&
                              weft_tensor_elems(t) == 0);
  weft__save_u32(to, (uint32_t)t->kind | (has_data ? 256u : 0) | (apart ? (uint32_t)WEFT__FILE_APART : 0));
  put_dtype(s, to, t->dtype);
  put_dtype(s, to, t->item_dtype);
  put_format(s, to, t->origin_format);
  put_format(s, to, t->format);
  save_graph_put_shape(s, to, &t->layout.origin);
  save_graph_put_shape(s, to, &t->layout.storage);
  save_graph_put(to, t->data ? weft__file_data_bytes(t) : 0, 8);
  weft__save_count(s, to, t->n_items);
  if (t->data && weft__file_data_bytes(t)) {
    put_data(s, to, t, apart);
    if (!apart)
      save_graph_put(key, weft__hash(t->data, weft__file_data_bytes(t)), 8);
  }
  if (!to->failed)
    weft__text_add(key, to->v + from, to->n - from);
  for (size_t i = 0; i < t->n_items; i++)
    save_graph_put_tensor(s, t->items[i], false, key);
}

typedef struct tensor_entry {
  uint32_t number;
  size_t data;  // its first data in the list, or its place among those that lie apart
} tensor_entry;

static bool save_graph_same_bytes(const weft_tensor *a, const weft_tensor *b) {
  size_t bytes = weft__file_data_bytes(a);
  return bytes == weft__file_data_bytes(b) && (a->data == b->data || !memcmp(a->data, b->data, bytes));
}

// Is the data from `a` on the same as what was listed from `b` to the end?
static bool same_data(const weft__saver *s, bool apart, size_t a, size_t b) {
  if (apart)
    return save_graph_same_bytes(s->apart->v[a].t, s->apart->v[b].t);
  for (; b < s->data.n; a++, b++) {
    if (!save_graph_same_bytes(s->data.v[a], s->data.v[b]))
      return false;
  }
  return true;
}

static bool add_tensor(weft__saver *s, const weft_tensor *t, bool shared, weft_text *key, uint32_t *out) {
  weft_text *to = &s->section[WEFT__FILE_TENSORS];
  bool apart = lies_apart(s, t, shared);
  size_t bytes = to->n;
  size_t first = apart ? s->apart->n : s->data.n;
  save_graph_put_tensor(s, t, apart, key);
  if (s->status)
    return true;
  if (to->failed || key->failed)
    return false;
  *out = s->count[WEFT__FILE_TENSORS];
  tensor_entry *have = shared ? weft__map_find(&s->tensors, key->v, key->n) : NULL;
  if (have && same_data(s, apart, have->data, first)) {
    to->n = bytes;
    if (apart)
      s->apart->n = first;
    else
      s->data.n = first;
    *out = have->number;
    return true;
  }
  s->count[WEFT__FILE_TENSORS]++;
  if (!shared || have)
    return true;
  tensor_entry *e = WEFT_NEW(&s->arena, tensor_entry);
  char *copy = weft__arena_strdup(&s->arena, key->v, key->n);
  if (!e || !copy || weft__map_set(&s->tensors, copy, key->n, e))
    return false;
  *e = (tensor_entry){*out, first};
  return true;
}

// `shared`: constants and facts; attributes have tensors of their own. The caller has checked that it can be
// stored.
static void put_tensor_number(weft__saver *s, weft_text *t, const weft_tensor *tensor, bool shared) {
  weft_text key;
  uint32_t number = 0;
  if (s->status)
    return;
  weft__text_init(&key, &s->alloc);
  if (!add_tensor(s, tensor, shared, &key, &number))
    weft__save_no_memory(s);
  weft__text_deinit(&key);
  weft__save_u32(t, number);
}

// ---- attributes ----

static void put_attr_tensor(weft__saver *s, weft_text *t, const weft_tensor *tensor, const char *name) {
  if (weft__file_storable(tensor, 0))
    put_tensor_number(s, t, tensor, false);
  else
    weft__save_fail(s, WEFT_E_UNSUPPORTED, "data on a device or handles in attribute", name);
}

static void put_value(weft__saver *s, weft_text *t, const weft_attr *a, const char *name);

static void put_list(weft__saver *s, weft_text *t, const weft_attr *a, const char *name) {
  weft__save_count(s, t, a->n);
  for (size_t i = 0; i < a->n && !s->status; i++) {
    const weft_attr item = weft__attr_item(a, i);
    if (item.type == WEFT_VT_BOOL)
      save_graph_put(t, item.u.b, 1);
    else if (item.type == WEFT_VT_NONE)
      weft__save_fail(s, WEFT_E_UNSUPPORTED, "the type of attribute", name);
    else
      put_value(s, t, &item, name);
  }
}

static void put_value(weft__saver *s, weft_text *t, const weft_attr *a, const char *name) {
  uint32_t bits;
  switch (a->type) {
    case WEFT_VT_NONE:
      break;
    case WEFT_VT_INT:
      weft__save_i64(t, a->u.i);
      break;
    case WEFT_VT_TYPE:
      put_dtype(s, t, a->u.i);
      break;
    case WEFT_VT_FLOAT:
      memcpy(&bits, &a->u.f, sizeof bits);
      weft__save_u32(t, bits);
      break;
    case WEFT_VT_BOOL:
      weft__save_u32(t, a->u.b);
      break;
    case WEFT_VT_STRING:
    case WEFT_VT_BYTES:
      weft__save_bytes(s, t, a->n ? a->u.s : "", a->n);
      break;
    case WEFT_VT_TENSOR:
      put_attr_tensor(s, t, a->u.tensor, name);
      break;
    default:
      put_list(s, t, a, name);
  }
}

static void save_graph_put_attr(weft__saver *s, weft_text *t, const weft_attr *a, const char *name) {
  weft__save_u32(t, a->type | (a->is_default ? WEFT__FILE_DEFAULT : 0));
  put_value(s, t, a, name);
}

static void put_named_attrs(weft__saver *s, weft_text *t, const weft_named_attr *attrs, size_t n) {
  weft__save_count(s, t, n);
  for (size_t i = 0; i < n; i++) {
    save_graph_put_string(s, t, attrs[i].name);
    save_graph_put_attr(s, t, &attrs[i].value, attrs[i].name);
  }
}

// ---- prototypes ----

static void put_proto_record(weft__saver *s, const weft_proto *p) {
  weft_text *t = &s->section[WEFT__FILE_PROTOS];
  save_graph_put_string(s, t, p->name);
  weft__save_u32(t, p->op->version);
  weft__save_u32(t, p->n_in);
  weft__save_u32(t, p->n_out);
  weft__save_u32(t, p->n_attr);
  weft__save_u32(t, p->n_graphs);
  for (uint32_t i = 0; i < p->n_in; i++) {
    save_graph_put_string(s, t, p->in[i].name);
    weft__save_u32(t, p->in[i].kind);
  }
  for (uint32_t i = 0; i < p->n_out; i++) {
    save_graph_put_string(s, t, p->out[i].name);
    weft__save_u32(t, p->out[i].kind);
  }
  for (uint32_t i = 0; i < p->n_attr; i++) {
    save_graph_put_string(s, t, p->attrs[i].name);
    weft__save_u32(t, p->attr_types[i]);
  }
  for (uint32_t i = 0; i < p->n_graphs; i++)
    save_graph_put_string(s, t, p->op->graphs[i]);
}

static void put_proto(weft__saver *s, weft_text *t, const weft_node *n) {
  const char *key = (const char *)&n->desc.proto;  // the pointer's own bytes
  void *have = weft__map_find(&s->protos, key, sizeof n->desc.proto);
  if (!have) {
    have = (void *)(uintptr_t)++s->count[WEFT__FILE_PROTOS];
    if (weft__map_set(&s->protos, key, sizeof n->desc.proto, have))
      weft__save_no_memory(s);
    put_proto_record(s, n->desc.proto);
  }
  weft__save_u32(t, (uint32_t)((uintptr_t)have - 1));
}

// ---- facts ----

bool weft__file_value_fits(const weft_fact *f, const weft_tensor *t) {
  const weft_fact v = weft__fact_of_tensor(t);
  if (!weft__fact_ranked(f) || v.unknown_rank || f->dtype != v.dtype || f->kind != v.kind)
    return false;
  if (f->kind != WEFT_KIND_TENSOR)
    return true;
  return f->format == v.format && f->origin_format == v.origin_format && f->rank == v.rank &&
         (!f->rank || !memcmp(f->dims, v.dims, f->rank * sizeof *f->dims));
}

bool weft__file_elems_fit(const weft_fact *f) {
  weft_shape shape;
  int64_t n;
  weft__fact_shape(f, &shape);
  return weft__fact_ranked(f) && !weft_shape_elems(&shape, &n) && n == (int64_t)f->n_elems;
}

static void put_range(weft_text *t, const weft_fact *f) {
  for (uint32_t i = 0; i < f->rank; i++)
    weft__save_i64(t, WEFT_MAX(f->min[i], 0));
  for (uint32_t i = 0; i < f->rank; i++)
    weft__save_i64(t, f->max[i] >= WEFT_MAX(f->min[i], 0) ? f->max[i] : -1);
}

static void put_fact(weft__saver *s, const weft_fact *f, const weft_declared *declared) {
  weft_text *t = &s->section[WEFT__FILE_FACTS];
  bool ranked = weft__fact_ranked(f);
  bool value = f->value && weft__file_storable(f->value, 0) && weft__file_value_fits(f, f->value);
  bool elems = f->elems && weft__file_elems_fit(f);
  bool range = ranked && f->min && f->max;
  uint32_t flags = (f->set ? WEFT__FILE_SET : 0u) | (range ? WEFT__FILE_RANGE : 0u) |
                   (value ? WEFT__FILE_VALUE : 0u) | (elems ? WEFT__FILE_ELEMS : 0u) |
                   (declared ? WEFT__FILE_DECLARED : 0u);
  weft__save_u32(t, flags | (uint32_t)f->kind << 8);
  put_dtype(s, t, f->dtype);
  put_dtype(s, t, f->item_dtype);
  put_format(s, t, f->origin_format);
  put_format(s, t, f->format);
  weft__save_u32(t, !f->set ? WEFT__FILE_RANK_UNSET : f->unknown_rank ? WEFT__FILE_RANK_UNKNOWN : f->rank);
  for (uint32_t i = 0; ranked && i < f->rank; i++)
    put_dim(s, t, f->dims[i]);
  if (range)
    put_range(t, f);
  if (value)
    put_tensor_number(s, t, f->value, true);
  if (elems)
    weft__save_count(s, t, f->n_elems);
  for (uint32_t i = 0; elems && i < f->n_elems; i++)
    put_dim(s, t, f->elems[i]);
  s->count[WEFT__FILE_FACTS]++;
  if (!declared)
    return;
  put_fact(s, &declared->fact, NULL);  // one level: a declaration has none
  weft__save_u32(t, declared->placement);
  weft__save_u32(t, declared->storage ? declared->storage_rank : WEFT__FILE_RANK_UNSET);
  for (uint32_t i = 0; declared->storage && i < declared->storage_rank; i++)
    put_dim(s, t, declared->storage[i]);
}

// ---- the graph ----

static void put_origin(weft__saver *s, const weft_node *n, uint32_t number) {
  weft_text *t = &s->section[WEFT__FILE_ORIGINS];
  const weft_origin *o = n->origin;
  const weft_origin *last = n->prev ? n->prev->origin : NULL;
  weft__save_u32(t, number);
  if (last && last->file && o->file && !strcmp(last->file, o->file))
    weft__save_u32(t, WEFT__FILE_SAME);
  else
    save_graph_put_string(s, t, o->file);
  save_graph_put(t, o->offset, 8);
  save_graph_put_string(s, t, o->name);
  save_graph_put_string(s, t, o->type);
  put_named_attrs(s, t, o->attrs, o->attrs ? o->n_attrs : 0);
  s->count[WEFT__FILE_ORIGINS]++;
}

static void save_graph_put_node(weft__saver *s, const weft_node *n) {
  weft_text *t = &s->section[WEFT__FILE_GRAPH];
  const weft_op_desc *desc = &n->desc.pub;
  uint32_t n_before = n->controls ? n->controls->before.n : 0;
  if (n->origin)
    put_origin(s, n, s->n_nodes);
  s->n_nodes++;
  put_proto(s, t, n);
  save_graph_put_string(s, t, desc->name);
  for (uint32_t i = 0; i < desc->n_in_ports; i++)
    weft__save_u32(t, desc->in_port[i].count);
  for (uint32_t i = 0; i < desc->n_out_ports; i++)
    weft__save_u32(t, desc->out_port[i].count);
  for (uint32_t i = 0; i < desc->n_attr; i++)
    save_graph_put_attr(s, t, desc->attr[i], n->desc.proto->attrs[i].name);
  put_named_attrs(s, t, n->desc.private_attrs, n->desc.n_private);
  for (uint32_t i = 0; i < desc->n_in; i++)
    weft__save_u32(t, n->in[i].value ? s->value_number[n->in[i].value->id] : WEFT__FILE_NONE);
  weft__save_u32(t, n_before);
  for (uint32_t i = 0; i < n_before; i++)
    weft__save_u32(t, s->node_number[n->controls->before.v[i]->id]);
  for (uint32_t i = 0; i < desc->n_out; i++) {
    save_graph_put_string(s, t, n->out[i].name);
    put_fact(s, &n->out[i].fact, n->out[i].declared);
  }
  weft__save_u32(t, n->n_graphs);
  for (uint32_t i = 0; i < n->n_graphs && !s->status; i++) {
    weft__save_u32(t, n->graphs[i]->slot);
    weft__save_graph(s, n->graphs[i]);
  }
}

// Graphs are counted when they are complete: sub-graphs come before the graph they are in.
static void put_meta(weft__saver *s, const weft_graph *g) {
  weft_text *t = &s->section[WEFT__FILE_META];
  for (size_t i = 0; i < weft_graph_n_meta(g); i++) {
    weft_meta m = weft_graph_meta_at(g, i);
    weft__save_u32(t, s->count[WEFT__FILE_GRAPH]);
    save_graph_put_string(s, t, m.key);
    save_graph_put_string(s, t, m.value);
    s->count[WEFT__FILE_META]++;
  }
}

static void number_values(weft__saver *s, const weft_graph *g) {
  uint32_t at = 0;
  uint32_t node = 0;
  for (size_t i = 0; i < g->inputs.n; i++)
    s->value_number[g->inputs.v[i]->id] = at++;
  for (size_t i = 0; i < g->consts.n; i++)
    s->value_number[g->consts.v[i]->id] = at++;
  for (const weft_node *n = g->first; n; n = weft__node_after(n)) {
    s->node_number[n->id] = node++;
    for (uint32_t i = 0; i < n->desc.pub.n_out; i++)
      s->value_number[n->out[i].id] = at++;
  }
}

// Recurses at most WEFT_GRAPH_DEPTH_MAX deep.
void weft__save_graph(weft__saver *s, const weft_graph *g) {
  weft_text *t = &s->section[WEFT__FILE_GRAPH];
  number_values(s, g);
  save_graph_put_string(s, t, g->name);
  weft__save_count(s, t, g->inputs.n);
  for (size_t i = 0; i < g->inputs.n; i++) {
    save_graph_put_string(s, t, g->inputs.v[i]->name);
    put_fact(s, &g->inputs.v[i]->fact, g->inputs.v[i]->declared);
  }
  weft__save_count(s, t, g->consts.n);
  for (size_t i = 0; i < g->consts.n; i++) {
    const weft_value *v = g->consts.v[i];
    save_graph_put_string(s, t, v->name);
    if (weft__file_storable(v->fact.value, 0))
      put_tensor_number(s, t, v->fact.value, true);
    else
      weft__save_fail(s, WEFT_E_UNSUPPORTED, "data on a device or handles in constant", v->name);
  }
  weft__save_u32(t, g->n_nodes);
  for (const weft_node *n = g->first; n && !s->status; n = weft__node_after(n))
    save_graph_put_node(s, n);
  weft__save_count(s, t, g->outputs.n);
  for (size_t i = 0; i < g->outputs.n; i++)
    weft__save_u32(t, s->value_number[g->outputs.v[i]->id]);
  put_meta(s, g);
  s->count[WEFT__FILE_GRAPH]++;
}
// SPDX-License-Identifier: Apache-2.0
