// carried.c - section OPER of a .weft file (docs/program-file.md): bytes that operators carry, and that weft
// does not look at. u32 records; each: u32 bytes of a name, u32 0, u64 bytes, the name, the bytes, zeros up
// to a multiple of 8. Operators come in the order of their first nodes.
#include "program/carried.h"
#include "base/allocated.h"
#include "op/proto.h"

enum { CARRIED_HEAD = 8, CARRIED_RECORD = 16, CARRIED_NAME = 256 };

static void carried_put(weft_text *t, uint64_t v, int bytes) {
  for (int i = 0; i < bytes; i++) {
    char c = (char)(v >> 8 * i);
    weft__text_write(t, &c, 1);
  }
}
static uint64_t carried_get(const uint8_t *p, int bytes) {
  uint64_t v = 0;
  for (int i = bytes; i-- > 0;)
    v = v << 8 | p[i];
  return v;
}

// ---- nodes of a program, over all functions ----
typedef struct carried_at {
  uint32_t fn, node;
} carried_at;
static const weft_node *carried_node(const weft_program *p, carried_at *at) {
  while (at->fn < p->n_fns && at->node >= p->fn[at->fn].n_nodes)
    *at = (carried_at){at->fn + 1, 0};
  return at->fn < p->n_fns ? p->fn[at->fn].node[at->node++] : NULL;
}
static const weft_op *carried_op(const weft_node *n) {
  return n->desc.proto->op;
}
static bool carried_is_first(const weft_program *p, const weft_node *of) {
  const weft_node *n;
  carried_at at = {0, 0};
  while ((n = carried_node(p, &at)) && carried_op(n) != carried_op(of))
    ;
  return n == of;
}

// ---- saving ----
static weft_status carried_inputs(const weft_node *n, weft_arena *a, weft_saved_node *out, weft_diag *d) {
  weft_described *in = WEFT_NEW_N(a, weft_described, (size_t)n->desc.pub.n_in + 1);
  WEFT_TRY(weft__allocated(in, d));
  for (uint32_t i = 0; i < n->desc.pub.n_in; i++) {
    const weft_fact *f = &n->in[i].value->fact;
    in[i] = (weft_described){
        .size = sizeof in[i], .dtype = f->dtype, .kind = f->kind, .format = f->format, .value = f->value};
    weft__fact_shape(f, &in[i].shape);
  }
  *out = (weft_saved_node){&n->desc.pub, in};
  return WEFT_OK;
}

static weft_status carried_record(const weft_program *p, const weft_op *op, weft_arena *a, weft_text *out,
                                  weft_diag *d) {
  const weft_node *n;
  carried_at at = {0, 0};
  size_t count = 0;
  size_t room = 0;
  weft_text own;
  while ((n = carried_node(p, &at)))
    room += carried_op(n) == op;
  weft_saved_node *node = WEFT_NEW_N(a, weft_saved_node, room + 1);
  WEFT_TRY(weft__allocated(node, d));
  at = (carried_at){0, 0};
  while ((n = carried_node(p, &at))) {
    if (carried_op(n) == op)
      WEFT_TRY(carried_inputs(n, a, &node[count++], d));
  }
  weft__text_init(&own, &p->env->alloc);
  const weft_saving saving = {.size = sizeof saving,
                              .n_nodes = (uint32_t)count,
                              .node = node,
                              .write = weft__text_write,
                              .ctx = &own,
                              .host = &p->env->host,
                              .d = d};
  weft_status s = op->save(&saving);
  if (s)
    weft_note(d, "while operator '%s' saves what a program carries for it", op->name);
  else if (own.failed)
    s = weft_fail(d, WEFT_E_NOMEM, "out of memory");
  size_t name = strlen(op->name);
  if (!s) {
    carried_put(out, name, 4);
    carried_put(out, 0, 4);
    carried_put(out, own.n, 8);
    weft__text_write(out, op->name, name);
    weft__text_write(out, own.v ? own.v : "", own.n);
    carried_put(out, 0, (int)((8 - (name + own.n) % 8) % 8));
  }
  weft__text_deinit(&own);
  return s;
}

weft_status weft__carried_save(const weft_program *p, weft_text *out, weft_diag *d) {
  const weft_node *n;
  uint32_t count = 0;
  carried_at at = {0, 0};
  carried_at from = at;
  while ((n = carried_node(p, &at)))
    count += carried_op(n)->save && carried_is_first(p, n);
  if (!count)
    return WEFT_OK;
  weft_arena a;
  weft__arena_init(&a, &p->env->alloc);
  carried_put(out, count, 8);
  weft_status s = WEFT_OK;
  while (!s && (n = carried_node(p, &from))) {
    if (carried_op(n)->save && carried_is_first(p, n))
      s = carried_record(p, carried_op(n), &a, out, d);
  }
  weft__arena_deinit(&a);
  if (!s && out->failed)
    s = weft_fail(d, WEFT_E_NOMEM, "out of memory");
  return s;
}

// ---- loading ----
static weft_status carried_wrong(size_t at, weft_diag *d) {
  return weft_fail(d, WEFT_E_CORRUPT,
                   "program file, section 'OPER', byte %zu: this is no record of an operator", at);
}

// Operators come in the order of their first nodes: `at` goes on from one to the next.
static weft_status carried_take(const weft_program *p, carried_at *at, const char *name,
                                const weft_carried *carried) {
  const weft_node *n;
  weft_diag *d = carried->d;
  while ((n = carried_node(p, at)) && strcmp(weft__node_type(n), name))
    ;
  if (!n || !carried_is_first(p, n)) {
    return weft_fail(d, WEFT_E_CORRUPT,
                     "program file, section 'OPER': the program has no node of operator '%s' there", name);
  }
  const weft_op *op = carried_op(n);
  if (!op->load) {
    return weft_fail(d, WEFT_E_UNSUPPORTED,
                     "operator '%s' takes nothing from a program file, and this one has %zu bytes for it: "
                     "another build of its package wrote them",
                     op->name, carried->bytes);
  }
  weft_carried own = *carried;
  own.op = op;
  weft_status s = op->load(&own);
  if (s)
    weft_note(d, "while operator '%s' takes %zu bytes of a program file", op->name, carried->bytes);
  return s;
}

static bool carried_zeros(const uint8_t *v, size_t from, size_t to) {
  while (from < to && !v[from])
    from++;
  return from == to;
}

weft_status weft__carried_load(const weft_program *p, const uint8_t *v, size_t bytes, weft_diag *d) {
  if (bytes < CARRIED_HEAD || bytes % 8)
    return carried_wrong(0, d);
  uint64_t n = carried_get(v, 8);
  size_t at = CARRIED_HEAD;
  carried_at node = {0, 0};
  for (uint64_t i = 0; i < n; i++) {
    char text[CARRIED_NAME + 1];
    if (bytes - at < CARRIED_RECORD)
      return carried_wrong(at, d);
    size_t name = (size_t)carried_get(v + at, 4);
    uint64_t data = carried_get(v + at + 8, 8);
    size_t from = at + CARRIED_RECORD;
    bool fits = name && name <= CARRIED_NAME && !carried_get(v + at + 4, 4) && name <= bytes - from &&
                data <= bytes - from - name;
    size_t end = fits ? from + name + (size_t)data : from;
    size_t next = (end + 7) / 8 * 8;
    if (!fits || next > bytes || !carried_zeros(v, end, next))
      return carried_wrong(at, d);
    const weft_carried carried = {.size = sizeof carried,
                                  .data = v + from + name,
                                  .bytes = (size_t)data,
                                  .host = &p->env->host,
                                  .d = d};
    snprintf(text, sizeof text, "%.*s", (int)name, (const char *)v + from);
    WEFT_TRY(carried_take(p, &node, text, &carried));
    at = next;
  }
  return at == bytes ? WEFT_OK : carried_wrong(at, d);
}
// SPDX-License-Identifier: Apache-2.0
