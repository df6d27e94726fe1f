// guard.c - guards by setting apart: a launch's outputs and workspaces are elsewhere while it runs, so that
// other streams may use their neighbours. Pointers in its tensors and arguments are changed for that time:
// who reads a value waits for its launch, and an input that is overwritten is nobody else's any more.
#include "run/guard.h"
#include "base/allocated.h"

struct weft__guard {
  char *room;  // of all launches of one stream
  uint32_t n;
  weft_apart part[];  // outputs, then workspaces
};

static bool by_asan(const weft__seg *s) {
#ifdef WEFT__BY_ASAN
  return !s->streams;
#else
  (void)s;
  return false;
#endif
}

static bool guarded(const weft__launch *l) {
  return !l->device && (l->kind == WEFT__RUN_REF || l->kind == WEFT__RUN_KERNEL ||
                        (l->kind == WEFT__RUN_CALL && l->kernel));
}

static uint32_t stream_of(const weft__seg *s, uint32_t launch) {
  return s->streams ? s->streams->plan.stream[launch] : 0;
}

static uint32_t parts_of(const weft__launch *l) {
  return l->call.n_out + l->n_workspaces;
}

// Of a kernel that finds shapes: as large as an output can be.
static size_t output_bytes(const weft_exec *x, const weft__launch *l, uint32_t i) {
  int64_t elems;
  int64_t bytes = -1;
  if (!l->most)
    return l->call.out[i]->bytes;
  if (!weft_shape_elems(&l->most[i].storage, &elems) && elems >= 0)
    bytes = weft_dtype_bytes(elems, x->fn->node[l->node]->out[i].fact.dtype);
  return bytes < 0 ? SIZE_MAX : (size_t)bytes;
}

static size_t room_of(const weft_exec *x, const weft__launch *l) {
  size_t all = 0;
  for (uint32_t i = 0; i < parts_of(l); i++) {
    size_t bytes = i < l->call.n_out ? output_bytes(x, l, i) : (size_t)l->workspace_bytes[i - l->call.n_out];
    size_t room = weft__apart_room(bytes);
    if (room > SIZE_MAX - all)
      return SIZE_MAX;
    all += room;
  }
  return all;
}

weft_status weft__guard_plan(weft_exec *x, weft__seg *s) {
  size_t most[WEFT__STREAMS] = {0};
  char *rooms[WEFT__STREAMS];
  if (by_asan(s))
    return WEFT_OK;
  for (uint32_t k = 0; k < s->n_launches; k++) {
    if (!guarded(&s->launch[k]))
      continue;
    size_t *m = &most[stream_of(s, k)];
    size_t room = room_of(x, &s->launch[k]);
    if (room != SIZE_MAX)
      *m = WEFT_MAX(*m, room);
  }
  for (uint32_t i = 0; i < WEFT__STREAMS; i++) {
    if (most[i] && !(rooms[i] = weft__arena_alloc(&s->mem, most[i], WEFT_APART_ALIGN)))
      return weft_fail(x->d, WEFT_E_NOMEM, "out of memory");
  }
  for (uint32_t k = 0; k < s->n_launches; k++) {
    weft__launch *l = &s->launch[k];
    if (!guarded(l) || !parts_of(l) || room_of(x, l) == SIZE_MAX)
      continue;
    l->guard = weft__arena_zalloc(&s->mem, sizeof *l->guard + parts_of(l) * sizeof(weft_apart), 16);
    WEFT_TRY(weft__allocated(l->guard, x->d));
    l->guard->n = parts_of(l);
    l->guard->room = rooms[stream_of(s, k)];
  }
  return WEFT_OK;
}

static bool overlaps(const weft_tensor *a, const weft_tensor *b) {
  uintptr_t p = (uintptr_t)a->data;
  uintptr_t q = (uintptr_t)b->data;
  return p < q + b->bytes && q < p + a->bytes;
}

static weft_apart part_of(const weft__launch *l, uint32_t i) {
  if (i >= l->call.n_out) {
    return (weft_apart){.at = l->block.workspace[i - l->call.n_out],
                        .bytes = l->workspace_bytes[i - l->call.n_out]};
  }
  const weft_tensor *t = l->call.out[i];
  if (!t->data || t->kind != WEFT_KIND_TENSOR)
    return (weft_apart){0};
  weft_apart p = {.at = t->data, .bytes = t->bytes, .moves = WEFT_APART_BACK};
  for (uint32_t k = 0; k < l->call.n_in; k++) {
    if (overlaps(l->call.in[k], t))
      p.moves |= WEFT_APART_IN;
  }
  return p;
}

typedef void *(*place_fn)(const weft_apart *p, uint32_t n, const void *at);
// Writes only what changes: a tensor of no bytes has readers that wait for nobody.
static void move(void **at, const struct weft__guard *g, place_fn place) {
  void *to = place(g->part, g->n, *at);
  if (to != *at)
    *at = to;
}
static void point(weft__launch *l, place_fn place) {
  for (uint32_t i = 0; i < l->call.n_in; i++)
    move(&((weft_tensor *)(uintptr_t)l->call.in[i])->data, l->guard, place);
  for (uint32_t i = 0; i < l->call.n_out; i++)
    move(&l->call.out[i]->data, l->guard, place);
  for (uint32_t i = 0; i < l->n_workspaces; i++)
    move(&((void **)(uintptr_t)l->block.workspace)[i], l->guard, place);
}

void weft__guard_begin(weft_exec *x, weft__seg *s, weft__launch *l) {
  (void)x;
#ifdef WEFT__BY_ASAN
  if (by_asan(s) && guarded(l))
    weft__poison_around(x, s, l);
#endif
  (void)s;
  if (!l->guard)
    return;
  for (uint32_t i = 0; i < l->guard->n; i++)
    l->guard->part[i] = part_of(l, i);
  weft__apart_begin(l->guard->part, l->guard->n, l->guard->room);
  point(l, weft__apart_of);
}

// Whose memory it is: what is still needed after the node comes first.
static const char *owner(const weft_exec *x, const weft__seg *s, const weft__launch *l, const char *at) {
  for (; s; s = s->parent) {
    for (uint32_t v = s->v0; v < s->v1 && v < x->fn->first_out[l->node]; v++) {
      const weft__place *p = &s->place[v - s->v0];
      if ((p->kind != WEFT__AT_ARENA && p->kind != WEFT__AT_OUTPUT) || p->space)
        continue;
      if (x->fn->last[v] == WEFT__UNREAD || x->fn->last[v] < l->node)
        continue;
      const char *from = p->kind == WEFT__AT_ARENA ? x->arena : weft__exec_out(x, s, p->output)->data;
      size_t in = (uintptr_t)at - (uintptr_t)from - (size_t)p->offset;
      if (from && in < s->tensor[v - s->v0]->bytes)
        return x->fn->value[v]->name;
    }
  }
  return NULL;
}

static weft_status guard_tell(const weft_exec *x, const weft__seg *s, const weft__launch *l,
                              const weft_astray *a, weft_diag *d) {
  const weft_apart *p = &l->guard->part[a->part];
  const weft_node *n = x->fn->node[l->node];
  bool output = a->part < l->call.n_out;
  const char *name = output ? n->out[a->part].name : "";
  const char *hit = NULL;
  for (uint32_t k = a->near; k <= a->far && !hit; k++)
    hit = owner(x, s, l, a->behind ? p->at + p->bytes + k : p->at - 1 - k);
  return weft_fail(d, WEFT_E_KERNEL, "kernel '%s' of node '%s' wrote %u bytes %s its %s %u%s%s%s, %s%s%s",
                   l->kernel ? l->kernel->name : "reference", weft__node_name(n), a->far + 1,
                   a->behind ? "past the end of" : "before", output ? "output" : "workspace",
                   output ? a->part : a->part - l->call.n_out, *name ? " ('" : "", name, *name ? "')" : "",
                   hit ? "where '" : "where no value lies", hit ? hit : "", hit ? "' lies" : "");
}

weft_status weft__guard_end(weft_exec *x, weft__seg *s, weft__launch *l, weft_status status, weft_diag *d) {
#ifdef WEFT__BY_ASAN
  if (by_asan(s) && guarded(l))
    weft__poison_end(x, s, l);
#endif
  if (!l->guard)
    return status;
  weft_astray a;
  bool whole = weft__apart_end(l->guard->part, l->guard->n, &a);
  point(l, weft__apart_true);
  return whole || status ? status : guard_tell(x, s, l, &a, d);
}
// SPDX-License-Identifier: Apache-2.0
