// load_graph.c - makes the graph of a file through the builder's functions, which check names, attributes,
// counts and cycles. The sections with the graph, its facts and its origins are read side by side. See
// load.c. Facts are what the file says: they are checked for sense (dims, ranges, values that fit), not
// inferred again.
#include "ir/file.h"
#include "op/attr.h"

static weft_status load_graph_no_memory(weft__loader *l) {
  return weft_fail(l->d, WEFT_E_NOMEM, "graph file: out of memory");
}
// WEFT_TRY(graph_allocated(p, ..)): unless everything that was asked for is there, no_memory.
static weft_status graph_allocated(bool all, weft__loader *l) {
  return all ? WEFT_OK : load_graph_no_memory(l);
}

// ---- attributes ----

static weft_status read_attr_value(weft__loader *l, weft__reader *r, weft_attr *a);

// The least bytes of an item in the file.
static size_t least_bytes(weft_attr_type item) {
  static const uint8_t bytes[] = {[WEFT_VT_INT] = 8, [WEFT_VT_BOOL] = 1};
  return item < WEFT_COUNT(bytes) && bytes[item] ? bytes[item] : 4;
}

static weft_status read_item(weft__loader *l, weft__reader *r, weft_attr *item) {
  if (item->type != WEFT_VT_BOOL)
    return read_attr_value(l, r, item);
  item->u.b = !r->status && r->v[r->at++];
  return r->status;
}

static weft_status read_list(weft__loader *l, weft__reader *r, weft_attr *a) {
  const weft__list_type *type = weft__list_type_of(a->type);
  if (!type)
    return weft__reader_fail(r, WEFT_E_CORRUPT, "attribute type %u is not known", a->type);
  a->n = weft__read_count(r, least_bytes(type->item), "list items");
  void *list = weft__arena_array(&l->scratch, a->n + 1, type->item_bytes, 8);
  WEFT_TRY(graph_allocated(list, l));
  for (size_t i = 0; i < a->n; i++) {
    weft_attr item = {.type = type->item};
    WEFT_TRY(read_item(l, r, &item));
    type->set(list, i, &item);
  }
  a->u.ints = list;  // all members of the union are pointers here
  return r->status;
}

// Lists and texts lie in the scratch arena and in the file.
static weft_status read_attr_value(weft__loader *l, weft__reader *r, weft_attr *a) {
  uint32_t bits;
  const weft__file_string *s;
  switch (a->type) {
    case WEFT_VT_NONE:
      break;
    case WEFT_VT_INT:
      a->u.i = weft__read_i64(r);
      break;
    case WEFT_VT_TYPE:
      a->u.i = weft__load_dtype(l, r);
      break;
    case WEFT_VT_FLOAT:
      bits = weft__read_u32(r);
      memcpy(&a->u.f, &bits, sizeof bits);
      break;
    case WEFT_VT_BOOL:
      a->u.b = weft__read_u32(r) != 0;
      break;
    case WEFT_VT_STRING:
    case WEFT_VT_BYTES:
      s = weft__load_string(l, r);
      a->u.s = s ? s->text : "";
      a->n = s ? s->bytes : 0;
      break;
    case WEFT_VT_TENSOR:
      a->u.tensor = weft__load_tensor(l, r, 2);
      break;
    default:
      return read_list(l, r, a);
  }
  return r->status;
}

static weft_status read_attr(weft__loader *l, weft__reader *r, weft_attr *a) {
  uint32_t type = weft__read_u32(r);
  memset(a, 0, sizeof *a);
  a->is_default = type >> 31;
  a->type = (weft_attr_type)type;
  if ((type & ~WEFT__FILE_DEFAULT) > UINT16_MAX)
    return weft__reader_fail(r, WEFT_E_CORRUPT, "attribute type 0x%x is not known", type);
  return read_attr_value(l, r, a);
}

// What an attribute's tensors held is the node's now.
static void release_tensors(const weft_attr *a) {
  if (a->type == WEFT_VT_TENSOR)
    weft_tensor_deinit((weft_tensor *)a->u.tensor);
  for (size_t i = 0; a->type == WEFT_VT_LIST_TENSOR && i < a->n; i++)
    weft_tensor_deinit((weft_tensor *)a->u.tensors[i]);
}

static weft_status read_named_attrs(weft__loader *l, weft__reader *r, weft_named_attr *out, uint32_t n) {
  for (uint32_t i = 0; i < n; i++) {
    out[i].name = weft__load_name(l, r);
    WEFT_TRY(read_attr(l, r, &out[i].value));
  }
  return r->status;
}

// ---- facts ----

typedef struct file_fact {
  weft_fact fact;
  weft_dim dims[WEFT_MAX_RANK], min[WEFT_MAX_RANK], max[WEFT_MAX_RANK];
  bool declared;
} file_fact;

static weft_status read_range(weft__reader *r, file_fact *f) {
  for (uint32_t i = 0; i < f->fact.rank; i++)
    f->min[i] = weft__read_i64(r);
  for (uint32_t i = 0; i < f->fact.rank; i++)
    f->max[i] = weft__read_i64(r);
  for (uint32_t i = 0; i < f->fact.rank; i++) {
    if (f->min[i] < 0 || f->max[i] < -1 || (f->max[i] >= 0 && f->max[i] < f->min[i])) {
      return weft__reader_fail(r, WEFT_E_CORRUPT, "the range of dim %u is %lld to %lld", i,
                               (long long)f->min[i], (long long)f->max[i]);
    }
  }
  f->fact.min = f->min;
  f->fact.max = f->max;
  return r->status;
}

static weft_status read_value(weft__loader *l, weft__reader *r, file_fact *f) {
  const weft_tensor *t = weft__load_tensor(l, r, 1);
  WEFT_TRY(r->status);
  if (!weft__file_value_fits(&f->fact, t)) {
    return weft__reader_fail(r, WEFT_E_CORRUPT,
                             "a known value does not have the dtype, shape or format of its fact");
  }
  f->fact.value = t;
  return WEFT_OK;
}

static weft_status read_elems(weft__loader *l, weft__reader *r, file_fact *f) {
  f->fact.n_elems = weft__read_count(r, 8, "elements");
  weft_dim *elems = WEFT_NEW_N(&l->scratch, weft_dim, (size_t)f->fact.n_elems + 1);
  WEFT_TRY(graph_allocated(elems, l));
  for (uint32_t i = 0; i < f->fact.n_elems; i++)
    elems[i] = weft__load_dim(l, r);
  f->fact.elems = elems;
  if (!r->status && !weft__file_elems_fit(&f->fact)) {
    return weft__reader_fail(r, WEFT_E_CORRUPT, "%u elements are known of a value of another size",
                             f->fact.n_elems);
  }
  return r->status;
}

static weft_status read_fact(weft__loader *l, weft__reader *r, file_fact *f) {
  weft_fact *fact = &f->fact;
  weft_shape shape;
  uint32_t flags = weft__read_u32(r);
  uint32_t kind = flags >> 8;
  uint32_t known = WEFT__FILE_DECLARED * 2 - 1;
  *fact = (weft_fact){.dtype = weft__load_dtype(l, r)};
  fact->item_dtype = weft__load_dtype(l, r);
  fact->origin_format = weft__load_format(l, r);
  fact->format = weft__load_format(l, r);
  weft__load_shape(l, r, &shape);
  WEFT_TRY(r->status);
  fact->kind = (uint8_t)kind;
  fact->set = shape.rank != WEFT_RANK_UNSET;
  fact->unknown_rank = fact->set && weft_shape_is_unknown_rank(&shape);
  bool ranked = weft__fact_ranked(fact);
  if (kind >= WEFT__KINDS || (flags & 255) > known || fact->set != ((flags & WEFT__FILE_SET) != 0) ||
      (!ranked && (flags & (WEFT__FILE_RANGE | WEFT__FILE_VALUE | WEFT__FILE_ELEMS))))
    return weft__reader_fail(r, WEFT_E_CORRUPT, "a fact with flags 0x%x and rank %zu", flags, shape.rank);
  fact->rank = ranked ? (uint8_t)shape.rank : 0;
  for (uint32_t i = 0; i < fact->rank; i++)
    f->dims[i] = shape.dim[i];
  fact->dims = f->dims;
  f->declared = flags & WEFT__FILE_DECLARED;
  if (flags & WEFT__FILE_RANGE)
    WEFT_TRY(read_range(r, f));
  if (flags & WEFT__FILE_VALUE)
    WEFT_TRY(read_value(l, r, f));
  if (flags & WEFT__FILE_ELEMS)
    WEFT_TRY(read_elems(l, r, f));
  return WEFT_OK;
}

// The description a builder's function takes. Its storage shape is the origin shape; declarations may give
// another.
static void desc_of(const file_fact *f, weft_tensor_desc *out) {
  weft_shape s;
  weft_desc_init(out);
  out->dtype = f->fact.dtype;
  out->kind = f->fact.kind;
  out->origin_format = f->fact.origin_format;
  out->format = f->fact.format;
  weft__fact_shape(&f->fact, &s);
  weft_shape_copy(&out->layout.origin, &s);
  weft_shape_copy(&out->layout.storage, &s);
  out->has_range = f->fact.min != NULL;
  out->min.rank = out->max.rank = f->fact.rank;
  for (uint32_t i = 0; out->has_range && i < f->fact.rank; i++) {
    out->min.dim[i] = f->min[i];
    out->max.dim[i] = f->max[i];
  }
}

static weft_status read_declared(weft__loader *l, weft__reader *r, weft_value *v) {
  file_fact f;
  weft_tensor_desc desc;
  WEFT_TRY(read_fact(l, r, &f));
  if (f.declared || f.fact.value || f.fact.elems)
    return weft__reader_fail(r, WEFT_E_CORRUPT, "a declaration holds more than a description");
  desc_of(&f, &desc);
  uint32_t placement = weft__read_u32(r);
  weft_shape storage;
  weft__load_shape(l, r, &storage);
  if (!r->status && placement > WEFT_ON_DEVICE)
    weft__reader_fail(r, WEFT_E_CORRUPT, "placement %u is not known", placement);
  WEFT_TRY(r->status);
  desc.placement = (uint8_t)placement;
  if (storage.rank != WEFT_RANK_UNSET)
    weft_shape_copy(&desc.layout.storage, &storage);
  weft_status s = weft_value_declare(v, &desc, l->d);
  return s ? weft__reader_note(r, s) : WEFT_OK;
}

static weft_status load_input(weft__loader *l, weft_graph *g, weft__reader *r, weft_value **out) {
  weft__reader *facts = &l->section[WEFT__FILE_FACTS];
  file_fact f;
  weft_tensor_desc desc;
  const char *name = weft__load_name(l, r);
  WEFT_TRY(r->status);
  WEFT_TRY(read_fact(l, facts, &f));
  if (!f.fact.set)
    return weft__reader_fail(facts, WEFT_E_CORRUPT, "nothing is known of graph input '%.64s'", name);
  desc_of(&f, &desc);
  weft_value *v = weft_graph_input_desc(g, name, &desc, l->d);
  if (!v)
    return weft__reader_note(r, l->d->status);
  if (f.fact.value || f.fact.elems || f.fact.item_dtype != v->fact.item_dtype)
    WEFT_TRY(weft__value_set_fact(v, &f.fact, l->d));
  *out = v;
  return f.declared ? read_declared(l, facts, v) : WEFT_OK;
}

// ---- nodes ----

typedef WEFT_VEC(weft_value *) value_vec;
typedef struct node_links {
  weft_node *node;
  size_t at;  // of its links in the section
} node_links;
typedef struct build {
  weft_graph *g;
  value_vec values;
  WEFT_VEC(node_links) nodes;
  uint32_t depth;
} build;

static bool add_value(weft__loader *l, build *b, weft_value *v) {
  if (!WEFT_VEC_ROOM(&l->scratch.alloc, b->values))
    return false;
  b->values.v[b->values.n++] = v;
  return true;
}

static weft_status read_counts(weft__loader *l, weft__reader *r, uint32_t n, uint32_t n_here,
                               const uint32_t **out, uint64_t *out_total) {
  uint32_t *counts = WEFT_NEW_N(&l->scratch, uint32_t, (size_t)n_here + 1);
  WEFT_TRY(graph_allocated(counts, l));
  *out_total = 0;
  for (uint32_t i = 0; i < n; i++)
    *out_total += counts[i] = weft__read_u32(r);
  *out = counts;
  return r->status;
}

// The names of private attributes: '_' first, each once.
static weft_status check_private(weft__loader *l, weft__reader *r, const weft_named_attr *attrs, uint32_t n) {
  weft_map names;
  weft_status s = WEFT_OK;
  weft__map_init(&names, &l->scratch.alloc);
  for (uint32_t i = 0; i < n && !s; i++) {
    const char *name = attrs[i].name;
    if (name[0] != '_')
      s = weft__reader_fail(r, WEFT_E_CORRUPT, "private attribute '%.64s' does not begin with '_'", name);
    else if (weft__map_find(&names, name, strlen(name)))
      s = weft__reader_fail(r, WEFT_E_CORRUPT, "private attribute '%.64s' appears twice", name);
    else if (n > 1 && weft__map_set(&names, name, strlen(name), (void *)name))
      s = load_graph_no_memory(l);
  }
  weft__map_deinit(&names);
  return s;
}

// Attributes that are the prototype's default are left to it; where it has changed, the file's value stays.
static weft_status load_graph_read_attrs(weft__loader *l, weft__reader *r, const weft__file_proto *f,
                                         weft_use *use) {
  const weft_proto *p = f->p;
  weft_named_attr *attrs = WEFT_NEW_N(&l->scratch, weft_named_attr, (size_t)f->n_attr + 1);
  WEFT_TRY(graph_allocated(attrs, l));
  uint32_t n = 0;
  for (uint32_t i = 0; i < f->n_attr; i++) {
    weft_attr *a = &attrs[n].value;
    attrs[n].name = p->attrs[i].name;
    WEFT_TRY(read_attr(l, r, a));
    if (a->is_default && p->defaults[i] && weft_attr_equal(a, p->defaults[i]))
      release_tensors(a);
    else
      n++;
  }
  uint32_t n_private = weft__read_count(r, 8, "private attributes");
  weft_named_attr *all = WEFT_NEW_N(&l->scratch, weft_named_attr, (size_t)n + n_private + 1);
  WEFT_TRY(graph_allocated(all, l));
  memcpy(all, attrs, n * sizeof *attrs);
  WEFT_TRY(read_named_attrs(l, r, all + n, n_private));
  WEFT_TRY(check_private(l, r, all + n, n_private));
  use->attrs = all;
  use->n_attrs = (size_t)n + n_private;
  return r->status;
}

static weft_status make_node(weft__loader *l, build *b, weft__reader *r, weft_node **out) {
  uint32_t proto = weft__read_u32(r);
  weft_use use = {.name = weft__load_name(l, r)};
  uint64_t n_in;
  uint64_t n_out;
  WEFT_TRY(r->status);
  if (proto >= l->n_protos)
    return weft__reader_fail(r, WEFT_E_CORRUPT, "prototype %u, the file has %u", proto, l->n_protos);
  if (!*use.name)
    return weft__reader_fail(r, WEFT_E_CORRUPT, "a node has no name");
  const weft__file_proto *f = &l->protos[proto];
  WEFT_TRY(read_counts(l, r, f->n_in, f->p->n_in, &use.in_counts, &n_in));
  WEFT_TRY(read_counts(l, r, f->n_out, f->p->n_out, &use.out_counts, &n_out));
  WEFT_TRY(load_graph_read_attrs(l, r, f, &use));
  if (n_in + n_out > (r->bytes - r->at) / 4) {
    return weft__reader_fail(r, WEFT_E_CORRUPT, "node '%.64s' has %llu inputs and %llu outputs in %zu bytes",
                             use.name, (unsigned long long)n_in, (unsigned long long)n_out, r->bytes - r->at);
  }
  weft_status s = weft_graph_add_node(b->g, f->p->name, &use, out, l->d);
  if (s)
    return weft__reader_note(r, s);
  for (size_t i = 0; i < use.n_attrs; i++)
    release_tensors(&use.attrs[i].value);
  return WEFT_OK;
}

static weft_status load_output(weft__loader *l, weft__reader *r, weft_value *v) {
  weft__reader *facts = &l->section[WEFT__FILE_FACTS];
  file_fact f;
  const char *name = weft__load_name(l, r);
  WEFT_TRY(r->status);
  weft_status s = weft__value_rename(v, name, l->d);
  if (s)
    return weft__reader_note(r, s);
  WEFT_TRY(read_fact(l, facts, &f));
  WEFT_TRY(weft__value_set_fact(v, &f.fact, l->d));
  return f.declared ? read_declared(l, facts, v) : WEFT_OK;
}

static weft_status load_graph(weft__loader *l, weft_graph *g);

// The node and its values; what it reads and waits for is connected when all nodes are there.
static weft_status load_node(weft__loader *l, build *b, weft__reader *r) {
  weft_node *n;
  WEFT_TRY(make_node(l, b, r, &n));
  const weft_allocator *a = &l->scratch.alloc;
  WEFT_TRY(graph_allocated(WEFT_VEC_ROOM(a, b->nodes) && WEFT_VEC_ROOM(a, l->nodes), l));
  b->nodes.v[b->nodes.n++] = (node_links){n, r->at};
  l->nodes.v[l->nodes.n++] = n;
  r->at += (size_t)n->desc.pub.n_in * 4;  // make_node saw that they are there
  uint32_t n_before = weft__read_count(r, 4, "control edges");
  r->at += (size_t)n_before * 4;
  for (uint32_t i = 0; i < n->desc.pub.n_out; i++) {
    WEFT_TRY(load_output(l, r, &n->out[i]));
    WEFT_TRY(graph_allocated(add_value(l, b, &n->out[i]), l));
  }
  uint32_t n_graphs = weft__read_count(r, 24, "sub-graphs");
  for (uint32_t i = 0; i < n_graphs; i++) {
    weft_graph *sub;
    uint32_t slot = weft__read_u32(r);
    weft_status s = weft_node_add_graph(n, slot, NULL, &sub, l->d);  // bounds the depth, too
    if (s)
      return weft__reader_note(r, s);
    WEFT_TRY(load_graph(l, sub));
  }
  return r->status;
}

static weft_status connect_inputs(weft__loader *l, const build *b, weft__reader *r, const node_links *k) {
  for (uint32_t i = 0; i < k->node->desc.pub.n_in; i++) {
    uint32_t v = weft__read_u32(r);
    if (v == WEFT__FILE_NONE)
      continue;
    if (v >= b->values.n)
      return weft__reader_fail(r, WEFT_E_CORRUPT, "value %u, the graph has %zu", v, b->values.n);
    weft_status s = weft_node_connect(k->node, i, b->values.v[v], l->d);
    if (s)
      return weft__reader_note(r, s);
  }
  return r->status;
}

static weft_status connect_controls(weft__loader *l, const build *b, weft__reader *r, const node_links *k) {
  uint32_t n = weft__read_u32(r);
  for (uint32_t i = 0; i < n; i++) {
    uint32_t before = weft__read_u32(r);
    if (before >= b->nodes.n)
      return weft__reader_fail(r, WEFT_E_CORRUPT, "node %u, the graph has %zu", before, b->nodes.n);
    weft_status s = weft_graph_add_control(b->g, b->nodes.v[before].node, k->node, l->d);
    if (s)
      return weft__reader_note(r, s);
  }
  return r->status;
}

static weft_status connect_node(weft__loader *l, build *b, weft__reader r, const node_links *k) {
  r.at = k->at;
  WEFT_TRY(connect_inputs(l, b, &r, k));
  return connect_controls(l, b, &r, k);
}

static weft_status load_parts(weft__loader *l, build *b, weft__reader *r) {
  const char *name = weft__load_name(l, r);
  uint32_t n = weft__read_count(r, 4, "graph inputs");
  WEFT_TRY(r->status);
  b->g->name = weft__arena_strdup(&b->g->root->arena, name, strlen(name));
  WEFT_TRY(graph_allocated(b->g->name, l));
  weft_value *v;
  for (uint32_t i = 0; i < n; i++) {
    WEFT_TRY(load_input(l, b->g, r, &v));
    WEFT_TRY(graph_allocated(add_value(l, b, v), l));
  }
  n = weft__read_count(r, 8, "constants");
  for (uint32_t i = 0; i < n; i++) {
    name = weft__load_name(l, r);
    const weft_tensor *t = weft__load_tensor(l, r, 1);
    WEFT_TRY(r->status);
    if (!(v = weft_graph_const(b->g, name, t, WEFT_CONST_BORROW, l->d)))  // the root owns it
      return weft__reader_note(r, l->d->status);
    WEFT_TRY(graph_allocated(add_value(l, b, v), l));
  }
  n = weft__read_count(r, 24, "nodes");
  for (uint32_t i = 0; i < n; i++)
    WEFT_TRY(load_node(l, b, r));
  for (size_t i = 0; i < b->nodes.n; i++)
    WEFT_TRY(connect_node(l, b, *r, &b->nodes.v[i]));
  n = weft__read_count(r, 4, "graph outputs");
  for (uint32_t i = 0; i < n; i++) {
    uint32_t at = weft__read_u32(r);
    if (at >= b->values.n)
      return weft__reader_fail(r, WEFT_E_CORRUPT, "value %u, the graph has %zu", at, b->values.n);
    WEFT_TRY(weft_graph_output(b->g, b->values.v[at], l->d));
  }
  return r->status;
}

static weft_status load_all(weft__loader *l, build *b) {
  WEFT_TRY(load_parts(l, b, &l->section[WEFT__FILE_GRAPH]));
  WEFT_TRY(weft__graph_settle(b->g, l->d));
  WEFT_TRY(graph_allocated(WEFT_VEC_ROOM(&l->scratch.alloc, l->graphs), l));
  l->graphs.v[l->graphs.n++] = b->g;
  return WEFT_OK;
}

// Recurses at most WEFT_GRAPH_DEPTH_MAX deep: weft_node_add_graph.
static weft_status load_graph(weft__loader *l, weft_graph *g) {
  build b = {.g = g};
  weft__graph_defer(g);
  weft_status s = load_all(l, &b);
  WEFT_VEC_FREE(&l->scratch.alloc, b.values);
  WEFT_VEC_FREE(&l->scratch.alloc, b.nodes);
  return s;
}

// ---- origins ----

static weft_status load_origin(weft__loader *l, weft__reader *r) {
  weft_origin o = {0};
  uint32_t number = weft__read_u32(r);
  if (!r->status && number >= l->nodes.n)
    return weft__reader_fail(r, WEFT_E_CORRUPT, "origin of node %u, the file has %zu", number, l->nodes.n);
  WEFT_TRY(r->status);
  weft_node *n = l->nodes.v[number];
  size_t at = r->at;
  if (weft__read_u32(r) == WEFT__FILE_SAME) {
    const weft_origin *last = n->prev ? n->prev->origin : NULL;
    if (!last || !last->file)
      return weft__reader_fail(r, WEFT_E_CORRUPT, "no file stands before node %u", number);
    o.file = last->file;
  } else if (!r->status) {
    r->at = at;
    const weft__file_string *s = weft__load_string(l, r);
    o.file = s ? s->text : NULL;
  }
  o.offset = weft__read_u64(r);
  const weft__file_string *name = weft__load_string(l, r);
  const weft__file_string *type = weft__load_string(l, r);
  o.name = name ? name->text : NULL;
  o.type = type ? type->text : NULL;
  uint32_t n_attrs = weft__read_count(r, 8, "attributes");
  weft_named_attr *attrs = WEFT_NEW_N(&l->scratch, weft_named_attr, (size_t)n_attrs + 1);
  WEFT_TRY(graph_allocated(attrs, l));
  WEFT_TRY(read_named_attrs(l, r, attrs, n_attrs));
  o.attrs = n_attrs ? attrs : NULL;
  o.n_attrs = n_attrs;
  WEFT_TRY(weft_node_set_origin(n, &o, l->d));
  for (uint32_t i = 0; i < n_attrs; i++)
    release_tensors(&attrs[i].value);
  return WEFT_OK;
}

static weft_status load_meta(weft__loader *l, weft__reader *r) {
  uint32_t number = weft__read_u32(r);
  const char *key = weft__load_name(l, r);
  const char *value = weft__load_name(l, r);
  WEFT_TRY(r->status);
  if (number >= l->graphs.n)
    return weft__reader_fail(r, WEFT_E_CORRUPT, "a note on graph %u, the file has %zu", number, l->graphs.n);
  weft_status s = weft_graph_set_meta(l->graphs.v[number], key, value, l->d);
  return s ? weft__reader_note(r, s) : WEFT_OK;
}

weft_status weft__load_graph(weft__loader *l) {
  weft__reader *origins = &l->section[WEFT__FILE_ORIGINS];
  weft__reader *meta = &l->section[WEFT__FILE_META];
  WEFT_TRY(load_graph(l, l->graph));
  for (uint32_t i = 0; origins->v && i < origins->count; i++)
    WEFT_TRY(load_origin(l, origins));
  for (uint32_t i = 0; meta->v && i < meta->count; i++)
    WEFT_TRY(load_meta(l, meta));
  return WEFT_OK;
}
// SPDX-License-Identifier: Apache-2.0
