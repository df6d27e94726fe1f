// remake.c - constants that need not stay in memory: those of mapped files, which can be read from the file
// again, and those that passes have computed and can compute again (one number everywhere, a filter with a
// normalisation folded into it). The data of the latter are made when somebody asks for them, a piece at a
// time where a piece will do, as for kernels that pack them; asleep, they are NULL. Awake, they lie in slabs.
//
// Who holds a pointer to data keeps them awake: weft_value_data, printing, saving, the interpreter. Inside
// the library a program's planner puts a constant to sleep again when it was packed.
#include <inttypes.h>
#include <pthread.h>
#include <stdlib.h>

#include "ir/ir.h"
#include "base/allocated.h"
#include "base/file.h"
#include "tensor/tensor.h"

enum { DEEPEST = 8, LARGE = 64 << 10 };

typedef struct remake {
  weft_tensor *t;
  weft__recipe how;
  struct weft__slab_block *block;  // NULL: asleep
  uint8_t depth;                   // how many of these it is made of, one of the other
  bool filled, stays, may_sleep;
} remake;

struct weft__remakes {
  pthread_rwlock_t lock;  // who reads data keeps them from falling asleep; many may
  weft__slab slab;
  WEFT_VEC(remake) list;  // in the order of making
  weft_map by_tensor;     // address of the tensor -> 1 + its place in the list
};

// ---- files ----
weft_status weft__graph_mapped(weft_graph *g, const void *from, size_t bytes, int fd) {
  weft_root *r = g->root;
  if (!bytes)
    return WEFT_OK;
  if (!WEFT_VEC_ROOM(&r->alloc, r->maps))
    return WEFT_E_NOMEM;
  uint64_t now_bytes = 0;
  weft__mapping m = {.from = from, .bytes = bytes, .fd = fd};
  (void)weft__file_state(fd, &now_bytes, &m.written_ns);
  r->maps.v[r->maps.n++] = m;
  return WEFT_OK;
}

static weft_status file_changed(const weft__mapping *m, uint64_t now_bytes, weft_diag *d) {
  char path[256];
  return weft_fail(
      d, WEFT_E_IO,
      "file '%s' was written to while the model was in use: %zu bytes were mapped, it has %" PRIu64
      " now; load it again, and put new files in place of old ones by renaming (mv), or let weft "
      "copy files (weft_env_options.files; in Python copy=True)",
      weft__file_name(m->fd, path, sizeof path), m->bytes, now_bytes);
}

weft_status weft__maps_check(const weft_graph *g, weft_diag *d) {
  const weft_root *r = g->root;
  for (size_t i = 0; i < r->maps.n; i++) {
    const weft__mapping *m = &r->maps.v[i];
    uint64_t now_bytes = 0;
    int64_t written_ns = 0;
    if (!weft__file_state(m->fd, &now_bytes, &written_ns))
      continue;
    if (now_bytes < m->bytes || written_ns != m->written_ns)
      return file_changed(m, now_bytes, d);
  }
  return WEFT_OK;
}

// The file that these bytes lie in; NULL: none.
static const weft__mapping *file_of(const weft_root *r, const void *from, size_t bytes) {
  uintptr_t at = (uintptr_t)from;
  for (size_t i = 0; i < r->maps.n; i++) {
    const weft__mapping *m = &r->maps.v[i];
    uintptr_t begin = (uintptr_t)m->from;
    if (at >= begin && at - begin < m->bytes && m->bytes - (at - begin) >= bytes)
      return m;
  }
  return NULL;
}

void weft__data_rest(const weft_graph *g, const void *from, size_t bytes) {
  enum { FEW = 16 << 10 };
  if (bytes >= FEW && file_of(g->root, from, bytes))
    weft__mapped_rest(from, bytes);
}

void weft__maps_rest(const weft_graph *g) {
  const weft_root *r = g->root;
  for (size_t i = 0; i < r->maps.n; i++)
    weft__mapped_rest(r->maps.v[i].from, r->maps.v[i].bytes);
}

// ---- life ----
static weft_status remake_begin(weft_root *r, weft_diag *d) {
  if (r->remakes)
    return WEFT_OK;
  struct weft__remakes *m = weft__alloc(&r->alloc, sizeof *m, _Alignof(struct weft__remakes));
  WEFT_TRY(weft__allocated(m, d));
  memset(m, 0, sizeof *m);
  if (pthread_rwlock_init(&m->lock, NULL)) {
    weft__free(&r->alloc, m, sizeof *m, _Alignof(struct weft__remakes));
    return weft_fail(d, WEFT_E_NOMEM, "cannot create a lock");
  }
  weft__slab_init(&m->slab, &r->alloc);
  weft__map_init(&m->by_tensor, &r->alloc);
  r->remakes = m;
  return WEFT_OK;
}

void weft__remakes_free(weft_root *r) {
  struct weft__remakes *m = r->remakes;
  WEFT_VEC_FREE(&r->alloc, r->maps);
  if (!m)
    return;
  weft__slab_deinit(&m->slab);
  WEFT_VEC_FREE(&r->alloc, m->list);
  weft__map_deinit(&m->by_tensor);
  pthread_rwlock_destroy(&m->lock);
  weft__free(&r->alloc, m, sizeof *m, _Alignof(struct weft__remakes));
}

static remake *remake_find(const weft_root *r, const weft_tensor *t) {
  struct weft__remakes *m = r->remakes;
  uintptr_t at = m ? (uintptr_t)weft__map_find(&m->by_tensor, (const char *)&t, sizeof t) : 0;
  return at ? &m->list.v[at - 1] : NULL;
}

static weft_status wake(const weft_root *r, remake *k, weft_diag *d);

weft_status weft__remake_const(weft_graph *g, weft_tensor *t, const weft__recipe *how, weft_diag *d) {
  weft_root *r = g->root;
  WEFT_TRY(remake_begin(r, d));
  struct weft__remakes *m = r->remakes;
  const weft_tensor **key = WEFT_NEW(&r->arena, const weft_tensor *);
  if (key)
    *key = t;
  if (!WEFT_VEC_ROOM(&r->alloc, m->list) || !key ||
      weft__map_set(&m->by_tensor, (const char *)key, sizeof t, (void *)(m->list.n + 1)))
    return weft_fail(d, WEFT_E_NOMEM, "out of memory");
  remake *source = how->from ? remake_find(r, how->from) : NULL;
  uint8_t depth = source ? (uint8_t)(source->depth + 1) : 0;
  if (depth == DEEPEST) {
    weft_status s = wake(r, source, d);
    if (s)
      return weft__map_remove(&m->by_tensor, (const char *)key, sizeof t), s;
    source->stays = true;
    depth = 0;
  }
  m->list.v[m->list.n++] = (remake){.t = t, .how = *how, .depth = depth};
  t->data = NULL;
  t->bytes = how->bytes;
  t->capacity = how->bytes;
  t->owned = 0;
  return WEFT_OK;
}

static void remake_fill(const void *ctx, const void *source, size_t at, size_t bytes, void *to) {
  const weft_tensor *one = ctx;
  size_t each = weft_dtype_bits(one->dtype) / 8;
  (void)source;
  (void)at;
  weft__repeat(to, one->data, each, bytes / each);
}

static bool same_number(const void *a, const void *b) {
  return weft__tensor_same(a, b);
}

weft_status weft__remake_filled(weft_graph *g, weft_tensor *t, size_t bytes, const weft_tensor *one,
                                weft_diag *d) {
  const weft__recipe how = {.fn = remake_fill, .same = same_number, .ctx = one, .bytes = bytes};
  WEFT_TRY(weft__remake_const(g, t, &how, d));
  g->root->remakes->list.v[g->root->remakes->list.n - 1].filled = true;
  return WEFT_OK;
}

static void as_it_is(const void *ctx, const void *source, size_t at, size_t bytes, void *to) {
  (void)ctx;
  (void)at;
  if (source != to)
    memcpy(to, source, bytes);
}

static bool no_context(const void *a, const void *b) {
  return a == b;
}

weft_status weft__remake_view(weft_graph *g, weft_tensor *t, const weft_tensor *from, weft_diag *d) {
  const weft_tensor *one = weft__data_number(g, from);
  if (one)
    return weft__remake_filled(g, t, from->bytes, one, d);
  const weft__recipe how = {.fn = as_it_is, .same = no_context, .from = from, .bytes = from->bytes};
  return weft__remake_const(g, t, &how, d);
}

bool weft__is_remade(const weft_graph *g, const weft_tensor *t) {
  return remake_find(g->root, t) != NULL;
}

// ---- reading ----
static const void *read_data(const weft_root *r, const weft_tensor *t, size_t at, size_t bytes, void *to) {
  const remake *k = remake_find(r, t);
  if (k && !k->block) {
    const void *source = k->how.from ? read_data(r, k->how.from, at, bytes, to) : NULL;
    k->how.fn(k->how.ctx, source, at, bytes, to);
    return to;
  }
  const char *from = (const char *)t->data + at;
  const bool aligned = (uintptr_t)from % WEFT_MAX(1, weft_dtype_bits(t->dtype) / 8) == 0;
  // Beside a byte that is read of a mapped file the system may take 2 MiB into the process.
  const weft__mapping *file = t->bytes >= LARGE || !aligned ? file_of(r, from, bytes) : NULL;
  if (file && weft__file_read_at(file->fd, (uint64_t)(from - file->from), to, bytes))
    return to;
  return aligned ? from : memcpy(to, from, bytes);
}

const void *weft__data_read(const weft_graph *g, const weft_tensor *t, size_t at, size_t bytes, void *to) {
  struct weft__remakes *m = g->root->remakes;
  if (m)
    pthread_rwlock_rdlock(&m->lock);
  const void *p = read_data(g->root, t, at, bytes, to);
  if (m)
    pthread_rwlock_unlock(&m->lock);
  return p;
}

const weft_tensor *weft__data_number(const weft_graph *g, const weft_tensor *t) {
  const remake *k = remake_find(g->root, t);
  return k && k->filled ? k->how.ctx : NULL;
}

const void *weft__remake_ctx(const weft_graph *g, const weft_tensor *t, weft__remake_fn fn) {
  const remake *k = remake_find(g->root, t);
  return k && k->how.fn == fn ? k->how.ctx : NULL;
}

bool weft__data_same(const weft_graph *g, const weft_tensor *a, const weft_tensor *b) {
  if (a == b || (!weft__is_asleep(a) && !weft__is_asleep(b)))
    return weft__tensor_same(a, b);
  const remake *x = remake_find(g->root, a);
  const remake *y = remake_find(g->root, b);
  if (!x || !y || a->bytes != b->bytes || x->how.fn != y->how.fn || !x->how.same ||
      !x->how.same(x->how.ctx, y->how.ctx))
    return false;
  if (x->how.from != y->how.from &&
      (!x->how.from || !y->how.from || !weft__data_same(g, x->how.from, y->how.from)))
    return false;
  // as they are described
  weft_tensor u = *a;
  weft_tensor v = *b;
  u.data = v.data = NULL;
  return weft__tensor_same(&u, &v);
}

// ---- sleeping and waking ----
static void put_to_sleep(struct weft__remakes *m, remake *k) {
  if (!k->block || !k->may_sleep || k->stays)
    return;
  __atomic_store_n(&k->t->data, NULL, __ATOMIC_RELEASE);
  weft__slab_give(&m->slab, k->block);
  k->block = NULL;
}

static weft_status wake(const weft_root *r, remake *k, weft_diag *d) {
  if (k->block)
    return WEFT_OK;
  struct weft__slab_block *block;
  void *p = weft__slab_take(&r->remakes->slab, k->how.bytes, &block);
  if (!p)
    return weft_fail(d, WEFT_E_NOMEM, "no memory for a constant of %zu bytes", k->how.bytes);
  (void)read_data(r, k->t, 0, k->how.bytes, p);
  k->block = block;
  __atomic_store_n(&k->t->data, p, __ATOMIC_RELEASE);
  return WEFT_OK;
}

typedef WEFT_VEC(remake *) remake_list;

static int by_data(const void *a, const void *b) {
  uintptr_t x = (uintptr_t)(*(remake *const *)a)->t->data;
  uintptr_t y = (uintptr_t)(*(remake *const *)b)->t->data;
  return x < y ? -1 : x > y;
}

// Those that are awake, by where their data lie.
static bool list_awake(const weft_root *r, remake_list *out) {
  struct weft__remakes *m = r->remakes;
  for (size_t i = 0; i < m->list.n; i++) {
    if (!m->list.v[i].t->data)
      continue;
    if (!WEFT_VEC_ROOM(&r->alloc, *out))
      return false;
    out->v[out->n++] = &m->list.v[i];
  }
  if (out->n)
    qsort(out->v, out->n, sizeof *out->v, by_data);
  return true;
}

// The one in whose data t lies; NULL: none.
static remake *remake_around(const remake_list *awake, const weft_tensor *t) {
  size_t lo = 0;
  size_t hi = awake->n;
  uintptr_t at = (uintptr_t)t->data;
  while (lo < hi) {  // the last that begins at it or before
    size_t mid = lo + (hi - lo) / 2;
    if ((uintptr_t)awake->v[mid]->t->data <= at)
      lo = mid + 1;
    else
      hi = mid;
  }
  remake *k = lo ? awake->v[lo - 1] : NULL;
  return k && at - (uintptr_t)k->t->data < k->how.bytes ? k : NULL;
}

// Values that have data of a constant: may they go?
static void look_at(const weft_root *r, const remake_list *awake, const weft_value *v) {
  const weft_tensor *t = v->fact.value;
  if (!t || t->kind != WEFT_KIND_TENSOR || t->bytes == 0)
    return;
  remake *k = remake_find(r, t);
  if (!k)
    k = remake_around(awake, t);
  if (k)
    k->stays |= t != k->t || v->origin != WEFT_VALUE_CONST || v->graph->parent || v->n_outputs;
}

static weft_status look_at_all(const weft_root *r, weft_diag *d) {
  remake_list awake = {0};
  weft_status status = list_awake(r, &awake) ? WEFT_OK : weft_fail(d, WEFT_E_NOMEM, "out of memory");
  for (const weft_graph *s = status ? NULL : r->graphs; s; s = s->next_graph) {
    for (size_t i = 0; i < s->consts.n; i++)
      look_at(r, &awake, s->consts.v[i]);
    for (const weft_node *n = s->first; n; n = weft__node_after(n)) {
      for (uint32_t i = 0; i < n->desc.pub.n_out; i++)
        look_at(r, &awake, &n->out[i]);
    }
  }
  WEFT_VEC_FREE(&r->alloc, awake);
  return status;
}

weft_status weft__remakes_allow(weft_graph *g, weft_diag *d) {
  struct weft__remakes *m = g->root->remakes;
  if (m)
    WEFT_TRY(look_at_all(g->root, d));
  for (size_t i = 0; m && i < m->list.n; i++) {
    remake *k = &m->list.v[i];
    k->may_sleep = true;
    put_to_sleep(m, k);
    if (k->stays)
      WEFT_TRY(wake(g->root, k, d));
  }
  return WEFT_OK;
}

void weft__remake_sleep(weft_graph *g, weft_tensor *t) {
  struct weft__remakes *m = g->root->remakes;
  if (!m)
    return;
  pthread_rwlock_wrlock(&m->lock);
  remake *k = remake_find(g->root, t);
  if (k)
    put_to_sleep(m, k);
  pthread_rwlock_unlock(&m->lock);
}

weft_status weft__remake_wake(const weft_graph *g, const weft_tensor *t, bool stay, weft_diag *d) {
  struct weft__remakes *m = g->root->remakes;
  weft_status s = WEFT_OK;
  if (!m)
    return WEFT_OK;
  pthread_rwlock_wrlock(&m->lock);
  remake *k = remake_find(g->root, t);
  if (k)
    s = wake(g->root, k, d);
  if (k && !s)
    k->stays |= stay;
  pthread_rwlock_unlock(&m->lock);
  return s;
}

weft_status weft__remake_wake_all(const weft_graph *g, weft_diag *d) {
  struct weft__remakes *m = g->root->remakes;
  weft_status s = WEFT_OK;
  if (!m)
    return WEFT_OK;
  pthread_rwlock_wrlock(&m->lock);
  for (size_t i = 0; !s && i < m->list.n; i++) {
    s = wake(g->root, &m->list.v[i], d);
    m->list.v[i].stays |= !s;
  }
  pthread_rwlock_unlock(&m->lock);
  return s;
}
// SPDX-License-Identifier: Apache-2.0
