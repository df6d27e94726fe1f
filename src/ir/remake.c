// remake.c - constants that need not stay in memory once kernels have packed them: those of mapped files,
// whose pages come again by themselves, and those that passes have computed and can compute again (a
// filter with a normalisation folded into it). The data of the latter lie in slabs; asleep, they are NULL.
//
// Who holds a pointer to data keeps them awake: weft_value_data, printing, saving, the interpreter. Inside
// the library a program's planner puts a constant to sleep when the only node that reads it has packed it.
#include <pthread.h>

#include "ir/ir.h"

typedef struct remake {
  weft_tensor *t;
  const weft_tensor *from;  // what fn reads, when it is one of these; it is made of nothing then
  weft__remake_fn fn;
  const void *ctx;
  size_t bytes;
  struct weft__slab_block *block;  // NULL: asleep
  bool stays, may_sleep, seen;
} remake;

struct weft__remakes {
  pthread_mutex_t lock;
  weft__slab slab;
  WEFT_VEC(remake) list;  // in the order of making
};

weft_status weft__graph_mapped(weft_graph *g, const void *from, size_t bytes) {
  weft_root *r = g->root;
  if (!bytes) return WEFT_OK;
  if (!WEFT_VEC_ROOM(&r->alloc, r->maps)) return WEFT_E_NOMEM;
  r->maps.v[r->maps.n++] = (weft__mapping){from, bytes};
  return WEFT_OK;
}

void weft__data_rest(const weft_graph *g, const void *from, size_t bytes) {
  enum { FEW = 16 << 10 };
  const weft_root *r = g->root;
  uintptr_t at = (uintptr_t)from;
  for (size_t i = 0; bytes >= FEW && i < r->maps.n; i++) {
    uintptr_t begin = (uintptr_t)r->maps.v[i].from;
    if (at < begin || at - begin >= r->maps.v[i].bytes || r->maps.v[i].bytes - (at - begin) < bytes) continue;
    weft__mapped_rest(from, bytes);
    return;
  }
}

static weft_status begin(weft_root *r, weft_diag *d) {
  if (r->remakes) return WEFT_OK;
  struct weft__remakes *m = weft__alloc(&r->alloc, sizeof *m, _Alignof(struct weft__remakes));
  if (!m) return weft_fail(d, WEFT_E_NOMEM, "out of memory");
  memset(m, 0, sizeof *m);
  if (pthread_mutex_init(&m->lock, NULL)) {
    weft__free(&r->alloc, m, sizeof *m, _Alignof(struct weft__remakes));
    return weft_fail(d, WEFT_E_NOMEM, "cannot create a mutex");
  }
  weft__slab_init(&m->slab, &r->alloc);
  r->remakes = m;
  return WEFT_OK;
}

void weft__remakes_free(weft_root *r) {
  struct weft__remakes *m = r->remakes;
  WEFT_VEC_FREE(&r->alloc, r->maps);
  if (!m) return;
  weft__slab_deinit(&m->slab);
  WEFT_VEC_FREE(&r->alloc, m->list);
  pthread_mutex_destroy(&m->lock);
  weft__free(&r->alloc, m, sizeof *m, _Alignof(struct weft__remakes));
}

static void *make_room(struct weft__remakes *m, remake *k, weft_diag *d) {
  void *p = weft__slab_take(&m->slab, k->bytes, &k->block);
  if (!p) weft_fail(d, WEFT_E_NOMEM, "no memory for a constant of %zu bytes", k->bytes);
  return p;
}

static remake *find(const weft_root *r, const weft_tensor *t) {
  struct weft__remakes *m = r->remakes;
  for (size_t i = 0; m && i < m->list.n; i++)
    if (m->list.v[i].t == t) return &m->list.v[i];
  return NULL;
}

weft_status weft__remake_alloc(weft_graph *g, weft_tensor *t, size_t bytes, weft__remake_fn fn,
                               const void *ctx, const weft_tensor *from, weft_diag *d) {
  weft_root *r = g->root;
  WEFT_TRY(begin(r, d));
  struct weft__remakes *m = r->remakes;
  if (!WEFT_VEC_ROOM(&r->alloc, m->list)) return weft_fail(d, WEFT_E_NOMEM, "out of memory");
  remake *k = &m->list.v[m->list.n];
  *k = (remake){.t = t, .fn = fn, .ctx = ctx, .bytes = bytes};
  remake *source = from ? find(r, from) : NULL;
  if (source && !source->from) k->from = from;  // otherwise chains could grow: it stays
  if (source && source->from) source->stays = true;
  if (!(t->data = make_room(m, k, d))) return WEFT_E_NOMEM;
  t->bytes = bytes, t->capacity = bytes, t->owned = 0;
  m->list.n++;
  return WEFT_OK;
}

bool weft__is_remade(const weft_graph *g, const weft_tensor *t) {
  return find(g->root, t) != NULL;
}

static void put_to_sleep(struct weft__remakes *m, remake *k) {
  if (!k->block || !k->may_sleep || k->stays) return;
  __atomic_store_n(&k->t->data, NULL, __ATOMIC_RELEASE);
  weft__slab_give(&m->slab, k->block);
  k->block = NULL;
}

// A value that has data of k: is it the one constant that may?
static void look_at(struct weft__remakes *m, const weft_value *v) {
  const weft_tensor *t = v->fact.value;
  if (!t || !t->data) return;
  for (size_t i = 0; i < m->list.n; i++) {
    remake *k = &m->list.v[i];
    uintptr_t from = (uintptr_t)k->t->data, at = (uintptr_t)t->data;
    if (at < from || at - from >= k->bytes) continue;
    bool once = v->origin == WEFT_VALUE_CONST && !v->graph->parent && v->n_uses == 1 && !v->n_outputs;
    k->seen = true;
    k->may_sleep = once && t == k->t && !k->stays;
    k->stays |= !k->may_sleep;
    return;
  }
}

void weft__remakes_allow(weft_graph *g) {
  struct weft__remakes *m = g->root->remakes;
  for (const weft_graph *s = m ? g->root->graphs : NULL; s; s = s->next_graph) {
    for (size_t i = 0; i < s->consts.n; i++) look_at(m, s->consts.v[i]);
    for (const weft_node *n = s->first; n; n = n->next)
      for (uint32_t i = 0; i < n->desc.pub.n_out; i++) look_at(m, &n->out[i]);
  }
  for (size_t i = 0; m && i < m->list.n; i++) {  // what others were made of
    remake *k = &m->list.v[i];
    if (k->seen) continue;
    k->may_sleep = true;
    put_to_sleep(m, k);
  }
}

void weft__remake_sleep(weft_graph *g, weft_tensor *t) {
  struct weft__remakes *m = g->root->remakes;
  if (!m) return;
  pthread_mutex_lock(&m->lock);
  remake *k = find(g->root, t);
  if (k) put_to_sleep(m, k);
  pthread_mutex_unlock(&m->lock);
}

static weft_status wake_one(struct weft__remakes *m, remake *k, weft_diag *d) {
  if (k->block) return WEFT_OK;
  void *p = make_room(m, k, d);
  if (!p) return WEFT_E_NOMEM;
  k->fn(k->ctx, p);
  __atomic_store_n(&k->t->data, p, __ATOMIC_RELEASE);
  return WEFT_OK;
}

static weft_status wake(const weft_root *r, remake *k, bool stay, weft_diag *d) {
  remake *source = k->block || !k->from ? NULL : find(r, k->from);
  if (source && source->block) source = NULL;  // somebody may be reading it
  if (source) WEFT_TRY(wake_one(r->remakes, source, d));
  weft_status s = wake_one(r->remakes, k, d);
  if (source) put_to_sleep(r->remakes, source);
  if (!s) k->stays |= stay;
  return s;
}

weft_status weft__remake_wake(const weft_graph *g, const weft_tensor *t, bool stay, weft_diag *d) {
  struct weft__remakes *m = g->root->remakes;
  weft_status s = WEFT_OK;
  if (!m) return WEFT_OK;
  pthread_mutex_lock(&m->lock);
  remake *k = find(g->root, t);
  if (k) s = wake(g->root, k, stay, d);
  pthread_mutex_unlock(&m->lock);
  return s;
}

weft_status weft__remake_wake_all(const weft_graph *g, weft_diag *d) {
  struct weft__remakes *m = g->root->remakes;
  weft_status s = WEFT_OK;
  if (!m) return WEFT_OK;
  pthread_mutex_lock(&m->lock);
  for (size_t i = 0; !s && i < m->list.n; i++) s = wake(g->root, &m->list.v[i], true, d);
  pthread_mutex_unlock(&m->lock);
  return s;
}
