// merge_equal.c - of nodes with the same operator, attributes and inputs one is kept, and of constants with
// equal data. Exact: equal nodes give equal results; random and effectful ones, and those with sub-graphs,
// are left. What two share must be physically the same: results that only mean the same (another C0) are not
// merged but told (R237, R238, R290). A hash table finds candidates: O(nodes + bytes of equal constants); of
// the data of a constant 256 bytes are hashed.
#include "pass/match.h"
#include "base/allocated.h"
#include "tensor/tensor.h"

enum { CHAIN = 64 };  // candidates looked at for one node

typedef struct slot {
  uint64_t hash;  // 0: empty
  void *item;
} slot;
typedef struct table {
  slot *v;
  size_t cap;
} table;

static weft_status table_init(weft_pass_run *r, table *t, size_t n) {
  const weft_allocator *a = &r->env->alloc;
  size_t bytes;
  for (t->cap = 64; t->cap < 2 * n;)
    t->cap *= 2;
  bool fits = weft_mul_size(t->cap, sizeof *t->v, &bytes);
  t->v = fits ? weft__alloc(a, bytes, 16) : NULL;
  WEFT_TRY(weft__allocated(t->v, r->d));
  memset(t->v, 0, bytes);
  return WEFT_OK;
}
static void table_deinit(weft_pass_run *r, table *t) {
  weft__free(&r->env->alloc, t->v, t->cap * sizeof *t->v, 16);
}
static slot *table_at(const table *t, uint64_t hash) {
  return &t->v[(size_t)hash & (t->cap - 1)];
}
static slot *table_next(const table *t, slot *s) {
  return ++s == t->v + t->cap ? t->v : s;
}
static void table_add(const table *t, slot *s, uint64_t hash, void *item) {
  while (s->hash)
    s = table_next(t, s);
  *s = (slot){hash, item};
}

static uint64_t mix(uint64_t h, uint64_t v) {
  h = (h ^ v) * UINT64_C(0x9E3779B97F4A7C15);
  return h ^ h >> 29;
}

// ---- constants ----

static uint64_t hash_tensor(const weft_graph *g, const weft_tensor *t) {
  uint64_t h = mix(t->dtype, t->bytes);
  for (size_t i = 0; i < t->layout.origin.rank; i++)
    h = mix(h, (uint64_t)t->layout.origin.dim[i]);
  enum { PART = 128 };
  _Alignas(64) char first[PART], last[PART];
  if (t->kind != WEFT_KIND_TENSOR || !t->bytes || !t->data || t->dtype == WEFT_STRING)
    return h | 1;
  if (t->bytes <= PART)
    return mix(h, weft__hash(t->data, t->bytes)) | 1;
  h = mix(h, weft__hash(weft__data_read(g, t, 0, PART, first), PART));
  return mix(h, weft__hash(weft__data_read(g, t, t->bytes - PART, PART, last), PART)) | 1;
}

static weft_status merge_const(weft_pass_run *r, table *t, weft_value *v) {
  if (!weft__value_read(v))
    return WEFT_OK;
  uint64_t h = hash_tensor(v->graph, v->fact.value);
  slot *at = table_at(t, h);
  for (int seen = 0; at->hash && seen < CHAIN; at = table_next(t, at)) {
    weft_value *first = at->item;
    if (at->hash != h)
      continue;
    seen++;
    if (!weft__data_same(v->graph, first->fact.value, v->fact.value))
      continue;
    const char *why = weft__pass_refuse(r, v, first);
    if (why) {
      weft__pass_skipped(r, NULL, "equal constants: %s", why);
      return WEFT_OK;
    }
    weft__pass_did(r, NULL, "constant '%s' is equal to '%s'", v->name, first->name);
    return weft__pass_replace(r, v, first);
  }
  table_add(t, at, h, v);
  return WEFT_OK;
}

// ---- nodes ----

static bool swappable(const weft_node *n) {
  return (n->desc.proto->op->traits & WEFT_COMMUTATIVE) && n->desc.pub.n_in == 2;
}

static uint64_t hash_node(const weft_node *n) {
  uint64_t h = mix(n->desc.pub.n_out, (uint64_t)(uintptr_t)n->desc.proto);
  if (swappable(n)) {
    uint32_t a = n->in[0].value->id;
    uint32_t b = n->in[1].value->id;
    return mix(mix(h, WEFT_MIN(a, b)), WEFT_MAX(a, b)) | 1;
  }
  for (uint32_t i = 0; i < n->desc.pub.n_in; i++)
    h = mix(h, n->in[i].value->id);
  return h | 1;
}

static bool same_inputs(const weft_node *a, const weft_node *b) {
  const weft_op_desc *p = &a->desc.pub;
  const weft_op_desc *q = &b->desc.pub;
  if (a->desc.proto != b->desc.proto || p->n_in != q->n_in || p->n_out != q->n_out)
    return false;
  bool same = true;
  for (uint32_t i = 0; same && i < p->n_in; i++)
    same = a->in[i].value == b->in[i].value;
  if (!same && swappable(a))
    same = a->in[0].value == b->in[1].value && a->in[1].value == b->in[0].value;
  for (uint32_t i = 0; same && i < p->n_in_ports; i++)
    same = p->in_port[i].count == q->in_port[i].count;
  for (uint32_t i = 0; same && i < p->n_out_ports; i++)
    same = p->out_port[i].count == q->out_port[i].count;
  return same;
}

static bool same_attrs(const weft_node *a, const weft_node *b) {
  if (a->desc.n_private != b->desc.n_private)
    return false;
  for (uint32_t i = 0; i < a->desc.pub.n_attr; i++) {
    const weft_attr *p = a->desc.pub.attr[i];
    const weft_attr *q = b->desc.pub.attr[i];
    if (p != q && (!p || !q || !weft_attr_equal(p, q)))
      return false;
  }
  for (uint32_t i = 0; i < a->desc.n_private; i++) {
    const weft_named_attr *p = &a->desc.private_attrs[i];
    const weft_attr *q = weft_node_attr(b, p->name);
    if (!q || !weft_attr_equal(&p->value, q))
      return false;
  }
  return true;
}

// Do the results mean the same while their bytes lie differently?
static bool only_layout_differs(const weft_node *a, const weft_node *b) {
  bool differs = false;
  for (uint32_t i = 0; i < a->desc.pub.n_out; i++) {
    const weft_fact *p = &a->out[i].fact;
    const weft_fact *q = &b->out[i].fact;
    if (!weft_format_compatible(p->format, q->format) || !weft__same_shape(p, q))
      return false;
    differs |= p->format != q->format;
  }
  return differs;
}

static weft_status merge_equal_merge(weft_pass_run *r, weft_node *n, weft_node *first) {
  for (uint32_t i = 0; i < n->desc.pub.n_out; i++) {
    weft_value *v = &n->out[i];
    const char *why = weft__value_read(v) ? weft__pass_refuse(r, v, &first->out[i]) : NULL;
    if (!why)
      continue;
    weft__pass_skipped(r, n, "like node '%s', but %s", weft__node_name(first), why);
    return WEFT_OK;
  }
  weft__pass_did(r, n, "the same as node '%s'", weft__node_name(first));
  for (uint32_t i = 0; i < n->desc.pub.n_out && n->graph; i++) {
    weft_value *v = &n->out[i];
    if (weft__value_read(v))
      WEFT_TRY(weft__pass_replace(r, v, &first->out[i]));
  }
  return WEFT_OK;
}

static bool used(const weft_node *n) {
  for (uint32_t i = 0; i < n->desc.pub.n_out; i++) {
    if (weft__value_read(&n->out[i]))
      return true;
  }
  return false;
}

static bool is_left(const weft_node *n) {
  return (n->desc.proto->op->traits & (WEFT_SIDE_EFFECT | WEFT_RANDOM)) || n->n_graphs || !used(n);
}

static weft_status merge_node(weft_pass_run *r, table *t, weft_node *n) {
  if (is_left(n))
    return WEFT_OK;
  uint64_t h = hash_node(n);
  slot *at = table_at(t, h);
  for (int seen = 0; at->hash && seen < CHAIN; at = table_next(t, at)) {
    weft_node *first = at->item;
    if (at->hash != h || !first->graph || !same_inputs(first, n))
      continue;
    seen++;
    if (same_attrs(first, n)) {
      if (!n->controls && !first->controls)
        return merge_equal_merge(r, n, first);
      weft__pass_skipped(r, n, "like node '%s', but one of them has control edges", weft__node_name(first));
    } else if (only_layout_differs(first, n)) {
      char x[64];
      char y[64];
      weft__pass_skipped(r, n, "means the same as node '%s', but its bytes lie differently: %s and %s",
                         weft__node_name(first), weft_format_text(n->out[0].fact.format, x, sizeof x),
                         weft_format_text(first->out[0].fact.format, y, sizeof y));
    }
  }
  table_add(t, at, h, n);
  return WEFT_OK;
}

// The table of a large graph is larger than the caches, too.
static void ask_ahead(const weft_pass_run *r, const table *t, size_t i) {
  enum { SLOTS = WEFT__AHEAD / 2 };
  if (i + SLOTS >= r->nodes.n)
    return;
  const weft_node *n = r->nodes.v[i + SLOTS];
  if (n->graph && !is_left(n))
    __builtin_prefetch(table_at(t, hash_node(n)), 1);
}

static weft_status merge_equal_run(weft_pass_run *r, weft_graph *g) {
  table t;
  WEFT_TRY(table_init(r, &t, g->consts.n + 1));
  weft_status s = WEFT_OK;
  for (size_t i = 0; i < g->consts.n && !s && weft__pass_may(r); i++)
    s = merge_const(r, &t, g->consts.v[i]);
  table_deinit(r, &t);
  WEFT_TRY(s);
  WEFT_TRY(table_init(r, &t, (size_t)g->n_nodes + 1));
  if (!s)
    s = weft__pass_nodes(r, g);
  for (size_t i = 0; i < r->nodes.n && !s && weft__pass_may(r); i++) {
    weft_node *n = weft__node_of(r->nodes.v, i, r->nodes.n);
    ask_ahead(r, &t, i);
    if (n->graph)
      s = merge_node(r, &t, n);
  }
  table_deinit(r, &t);
  return s;
}

WEFT_PASS(merge_equal) = {WEFT_PASS_HEAD, "merge-equal", "computes equal things once", WEFT_PASS_SIMPLIFY,
                          .run = merge_equal_run};
// SPDX-License-Identifier: Apache-2.0
