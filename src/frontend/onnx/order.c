// order.c - the order in which a scope's nodes are appended. ONNX demands that nodes stand behind what they
// read; converters that add casts at the end of a file do not keep to it. Nodes stay where they are, except
// that makers of what a node reads are taken out of their places behind it and put directly in front of it. A
// depth-first walk with a stack of its own: O(nodes + names).
#include "frontend/onnx/report.h"
#include "base/allocated.h"

typedef struct order {
  onnx_import *m;
  const onnx_scope_node *v;
  size_t n, n_out, n_moved;
  uint32_t *out;
  uint8_t *state;   // NEW, OPEN or DONE
  uint32_t *stack;  // open nodes, each read by the one below it
  size_t *next;     // of each of them: the name to look at
  size_t depth;
} order;

enum { NEW, OPEN, DONE };

// Name k that the node or a body of it reads; NULL: absent.
static const onnx_name *order_read(const onnx_scope_node *s, size_t k) {
  return k < s->node->inputs.n ? s->names[k] : s->captured[k - s->node->inputs.n];
}

static size_t order_n_read(const onnx_scope_node *s) {
  return s->node->inputs.n + s->n_captured;
}

// The node that makes name k, when the name is not known from elsewhere; false: there is none.
static bool order_maker(const onnx_scope_node *s, size_t k, uint32_t *out) {
  const onnx_name *name = order_read(s, k);
  if (!name || !name->maker || name->value)
    return false;
  *out = name->maker - 1;
  return true;
}

// The first node that reads what a later one, or it itself, makes; n: there is none.
static size_t order_first_early(const onnx_scope_node *v, size_t n, uint32_t *out_maker) {
  for (size_t i = 0; i < n; i++) {
    for (size_t k = 0; k < order_n_read(&v[i]); k++) {
      if (order_maker(&v[i], k, out_maker) && *out_maker >= i)
        return i;
    }
  }
  return n;
}

typedef struct order_label {
  char text[300];
} order_label;

static const char *order_tell(const onnx_scope_node *s, order_label *l) {
  const onnx_node *n = s->node;
  snprintf(l->text, sizeof l->text, "node '%.*s' (%.*s) at byte %llu", (int)WEFT_MIN(n->name.bytes, 100),
           onnx_str_text(n->name), (int)WEFT_MIN(n->op_type.bytes, 100), onnx_str_text(n->op_type),
           (unsigned long long)n->offset);
  return l->text;
}

static weft_status order_cycle(const order *o, uint32_t maker) {
  order_label reader;
  order_label made;
  const onnx_scope_node *top = &o->v[o->stack[o->depth - 1]];
  (void)order_tell(top, &reader);
  if (top == &o->v[maker])
    return weft_fail(o->m->d, WEFT_E_CYCLE, "%s of %s reads its own output", reader.text, o->m->file);
  return weft_fail(
      o->m->d, WEFT_E_CYCLE,
      "the nodes of %s form a cycle: %s reads an output of %s, which needs what the first one makes",
      o->m->file, reader.text, order_tell(&o->v[maker], &made));
}

static void order_push(order *o, uint32_t node) {
  o->state[node] = OPEN;
  o->next[o->depth] = 0;
  o->stack[o->depth++] = node;
}

// Appends a node and, in front of it, what it still needs.
static weft_status order_append(order *o, uint32_t first) {
  order_push(o, first);
  while (o->depth) {
    uint32_t node = o->stack[o->depth - 1];
    uint32_t maker;
    size_t k = o->next[o->depth - 1]++;
    if (k == order_n_read(&o->v[node])) {
      o->state[node] = DONE;
      o->out[o->n_out++] = node;
      o->n_moved += o->depth > 1;
      o->depth--;
      continue;
    }
    if (!order_maker(&o->v[node], k, &maker) || o->state[maker] == DONE)
      continue;
    if (o->state[maker] == OPEN)
      return order_cycle(o, maker);
    order_push(o, maker);
  }
  return WEFT_OK;
}

weft_status onnx_order(onnx_import *m, const onnx_scope_node *v, size_t n, const uint32_t **out) {
  order o = {.m = m, .v = v, .n = n};
  order_label reader;
  order_label maker;
  uint32_t late = 0;
  const size_t early = order_first_early(v, n, &late);
  *out = NULL;
  if (early == n)
    return WEFT_OK;

  o.out = WEFT_NEW_N(&m->names.arena, uint32_t, n);
  o.stack = WEFT_NEW_N(&m->names.arena, uint32_t, n);
  o.next = WEFT_NEW_N(&m->names.arena, size_t, n);
  o.state = WEFT_NEW_N(&m->names.arena, uint8_t, n);
  WEFT_TRY(weft__allocated(o.out && o.stack && o.next && o.state, m->d));
  for (uint32_t i = 0; i < n; i++) {
    if (o.state[i] == NEW)
      WEFT_TRY(order_append(&o, i));
  }

  onnx_warn(m, v[0].node, "%s: %s stands in front of %s, whose output it reads; %zu node%s been moved",
            m->file, order_tell(&v[early], &reader), order_tell(&v[late], &maker), o.n_moved,
            o.n_moved == 1 ? " has" : "s have");
  *out = o.out;
  return WEFT_OK;
}
// SPDX-License-Identifier: Apache-2.0
