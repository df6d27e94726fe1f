// packed.c - constants in the layouts that kernels asked for. One list under a lock: it is looked at while
// planning, never while running; hash tables find what is in it. What a plan needs is packed when all of it
// is planned, by the threads of its exec, one constant each at a time: where it lies and what is in it do not
// depend on who packs it.
//
// A constant that was packed is not read again, mostly. It is read a piece at a time, out of its file or made
// for the purpose (ir/remake.c), so that it need not be in memory beside what it is packed to; pages of a
// file go back, and what a pass has made sleeps.
#include "program/program.h"
#include "base/allocated.h"

#include <pthread.h>
#include <stdatomic.h>

typedef struct weft__packed {
  struct weft__packed *next, *same_slot[2];
  weft__pack k;
  const void *from;  // data of the constant, which other tensors may share; NULL: they are gone
} packed;

weft_status weft__packed_init(weft_program *p) {
  uint64_t bytes = 0;
  weft__slab_init(&p->slab, &p->graph->root->alloc);  // counts against the limit of the environment
  for (size_t i = 0; i < p->graph->consts.n; i++)
    bytes += p->graph->consts.v[i]->fact.value->bytes;
  weft__slab_expect(&p->slab, bytes < SIZE_MAX ? (size_t)bytes : SIZE_MAX);
  p->lock = weft__alloc(&p->env->alloc, sizeof(pthread_mutex_t), _Alignof(pthread_mutex_t));
  if (!p->lock)
    return WEFT_E_NOMEM;
  if (!pthread_mutex_init(p->lock, NULL))
    return WEFT_OK;
  weft__free(&p->env->alloc, p->lock, sizeof(pthread_mutex_t), _Alignof(pthread_mutex_t));
  p->lock = NULL;
  return WEFT_E_NOMEM;
}

// ---- finding them: two chained hash tables in one array ----
enum { BY_TENSOR, BY_DATA };

static const void *packed_key_of(const packed *k, int by) {
  return by == BY_TENSOR ? (const void *)k->k.of : k->from;
}

static packed **chain(const weft_program *p, int by, const void *key) {
  return &p->packed_find[(size_t)by * p->packed_slots +
                         (weft__hash(&key, sizeof key) & (p->packed_slots - 1))];
}

static void link_by(weft_program *p, packed *k, int by) {
  packed **head = chain(p, by, packed_key_of(k, by));
  k->same_slot[by] = *head;
  *head = k;
}
static void link_in(weft_program *p, packed *k) {
  link_by(p, k, BY_TENSOR);
  link_by(p, k, BY_DATA);
}

static bool more_slots(weft_program *p) {
  const weft_allocator *a = &p->env->alloc;
  size_t slots = p->packed_slots ? 2 * p->packed_slots : 16;
  size_t bytes;
  packed **find = weft_mul_size(slots, 2 * sizeof *find, &bytes) ? weft__alloc(a, bytes, 16) : NULL;
  if (!find)
    return false;
  memset(find, 0, bytes);
  weft__free(a, p->packed_find, 2 * p->packed_slots * sizeof *find, 16);
  p->packed_find = find;
  p->packed_slots = slots;
  for (packed *k = p->packed; k; k = k->next)
    link_in(p, k);
  return true;
}

// The newest of the list from now on; NULL: out of memory.
static packed *packed_add(weft_program *p, const weft__pack *pack) {
  if (p->n_packed == p->packed_slots && !more_slots(p))
    return NULL;
  packed *k = weft__alloc(&p->env->alloc, sizeof *k, _Alignof(packed));
  if (!k)
    return NULL;
  *k = (packed){.next = p->packed, .k = *pack, .from = pack->of->data};
  link_in(p, k);
  p->packed = k;
  p->n_packed++;
  return k;
}

static void remove_newest(weft_program *p) {
  packed *k = p->packed;
  for (int by = BY_TENSOR; by <= BY_DATA; by++) {
    packed **at = chain(p, by, packed_key_of(k, by));
    while (*at != k)
      at = &(*at)->same_slot[by];
    *at = k->same_slot[by];
  }
  p->packed = k->next;
  p->n_packed--;
  weft__free(&p->env->alloc, k, sizeof *k, _Alignof(packed));
}

static void drop_piece(const weft_allocator *a, weft__piece *k) {
  weft__free(a, k->data, k->bytes, weft__large_align(k->bytes));
  *k = (weft__piece){0};
}

void weft__packed_rest(weft_program *p) {
  pthread_mutex_lock(p->lock);
  drop_piece(&p->env->alloc, &p->piece);
  pthread_mutex_unlock(p->lock);
}

void weft__packed_deinit(weft_program *p) {
  const weft_allocator *a = &p->env->alloc;
  while (p->packed) {
    packed *k = p->packed;
    p->packed = k->next;
    weft__free(a, k, sizeof *k, _Alignof(packed));
  }
  weft__free(a, p->packed_find, 2 * p->packed_slots * sizeof(packed *), 16);
  weft__slab_deinit(&p->slab);
  drop_piece(a, &p->piece);
  if (!p->lock)
    return;
  pthread_mutex_destroy(p->lock);
  weft__free(a, p->lock, sizeof(pthread_mutex_t), _Alignof(pthread_mutex_t));
}

// ---- reading what is to be packed ----
static void *packed_room(const weft_allocator *a, weft__piece *k, size_t bytes, weft_diag *d) {
  enum { LEAST = 256 << 10 };
  if (k->data && bytes <= k->bytes)
    return k->data;
  size_t want = WEFT_MAX(bytes, LEAST);
  drop_piece(a, k);
  k->data = weft__alloc(a, want, weft__large_align(want));
  if (!k->data)
    return weft_fail(d, WEFT_E_NOMEM, "no memory for %zu bytes of a constant", bytes), NULL;
  k->bytes = want;
  return k->data;
}

typedef struct source {
  weft_program *p;
  weft__piece *piece;
  const weft_tensor *t;  // as it lies
  bool widens;           // f16 or bf16, and the kernel wants float
} source;

static const void *read_piece(const weft_packing *w, size_t from, size_t bytes) {
  const source *s = w->impl;
  size_t half = s->widens ? bytes / 2 : 0;  // lies behind what it is widened to
  char *to = packed_room(&s->p->env->alloc, s->piece, bytes + half, w->d);
  if (!to || !bytes)
    return to;
  if (!s->widens)
    return weft__data_read(s->p->graph, s->t, from, bytes, to);
  const void *v = weft__data_read(s->p->graph, s->t, from / 2, half, to + bytes);
  float *floats = (float *)(void *)to;
  for (size_t i = 0; i < half / 2; i++)
    floats[i] = (float)weft_load_f64(s->t->dtype, v, i);
  return to;
}

// Constants of a mapped model lie at any byte; kernels are given aligned ones, floats where they ask for
// them, and whole ones when they do not read by pieces.
static weft_status pack_aligned(weft_program *p, weft__piece *piece, const weft_packing *w,
                                const weft_kernel *kernel) {
  if (!kernel) {
    const void *from = weft__data_read(p->graph, w->in, 0, w->bytes, w->to);
    if (from != w->to)
      memcpy(w->to, from, w->bytes);
    return WEFT_OK;
  }
  source s = {p, piece, w->in, false};
  weft_tensor t = *w->in;
  weft_packing own = *w;
  own.in = &t;
  own.impl = &s;
  s.widens = (kernel->flags & WEFT_KERNEL_FLOATS) && (t.dtype == WEFT_FLOAT16 || t.dtype == WEFT_BF16);
  if (s.widens && t.bytes > SIZE_MAX / 4)
    return weft_fail(w->d, WEFT_E_NOMEM, "no memory for a constant of twice %zu bytes", t.bytes);
  if (s.widens) {
    t.dtype = WEFT_FLOAT;
    t.bytes *= 2;
  }
  t.data = NULL;
  if (kernel->flags & WEFT_KERNEL_PACKS_PIECES)
    own.read = read_piece;
  else if (!(t.data = (void *)(uintptr_t)read_piece(&own, 0, t.bytes)))
    return WEFT_E_NOMEM;
  return kernel->pack(&own);
}

static weft_status pack_to(weft_program *p, weft__piece *piece, const weft__pack_wish *k, void *to,
                           weft_diag *d) {
  const weft_packing w = {.size = sizeof w,
                          .index = k->in,
                          .desc = k->desc,
                          .host = &p->env->host,
                          .d = d,
                          .in = k->t,
                          .to = to,
                          .bytes = k->bytes,
                          .key = k->key};
  if (k->kernel && !k->kernel->pack) {
    return weft_fail(d, WEFT_E_KERNEL, "kernel '%s' asks for a packed input %u and has no pack function",
                     k->kernel->name, k->in);
  }
  return pack_aligned(p, piece, &w, k->kernel);
}

weft_status weft__packing_run(weft_program *p, const weft__pack_wish *w, void *to, weft_diag *d) {
  pthread_mutex_lock(p->lock);  // of the piece
  weft_status s = pack_to(p, &p->piece, w, to, d);
  pthread_mutex_unlock(p->lock);
  return s;
}

// What was read is not needed soon.
static void rest(weft_program *p, const weft_tensor *t) {
  const void *data = t->data;
  if (data)
    weft__data_rest(p->graph, data, t->bytes);
  weft__remake_sleep(p->graph, (weft_tensor *)(uintptr_t)t);
  if (t->data || !data)
    return;
  for (packed **at = chain(p, BY_DATA, data), *k; (k = *at);) {  // something else may come to lie there
    if (k->from != data) {
      at = &k->same_slot[BY_DATA];
      continue;
    }
    *at = k->same_slot[BY_DATA];
    k->from = NULL;
    link_by(p, k, BY_DATA);
  }
}

// The same tensor, or another one with the same data seen the same way: a view has other rows.
static bool is(const packed *k, const weft_tensor *t) {
  const weft_tensor *of = k->k.of;
  return of == t || (k->from && k->from == t->data && of->dtype == t->dtype && of->format == t->format &&
                     of->bytes == t->bytes && weft_shape_equal(&of->layout.origin, &t->layout.origin));
}

static const packed *packed_find(const weft_program *p, const weft__pack_wish *w) {
  const void *key[] = {w->t, w->t->data};
  for (int by = BY_TENSOR; by <= BY_DATA && p->packed_slots; by++) {
    for (const packed *k = key[by] ? *chain(p, by, key[by]) : NULL; k; k = k->same_slot[by]) {
      if (is(k, w->t) && k->k.kernel == w->kernel && k->k.key == w->key && k->k.bytes == w->bytes)
        return k;
    }
  }
  return NULL;
}

// ---- packing, by several threads ----
typedef struct job {
  const weft__pack_wish *wish;
  packed *k;
  struct weft__slab_block *block;
} job;

// Everybody takes the next job until there is none, or until one of his own has failed.
typedef struct worker {
  weft__piece piece;
  size_t failed;  // job
  weft_diag d;
} worker;
typedef struct crew {
  weft_program *p;
  const job *jobs;
  size_t n;
  atomic_size_t next;
  worker *workers;
} crew;

static void packed_work(void *ctx, uint32_t number) {
  crew *c = ctx;
  worker *w = &c->workers[number];
  for (size_t i; (i = atomic_fetch_add_explicit(&c->next, 1, memory_order_relaxed)) < c->n;) {
    const job *j = &c->jobs[i];
    weft_status s = pack_to(c->p, &w->piece, j->wish, j->k->k.to, &w->d);
    if (!s)
      continue;
    weft_fail(&w->d, s, "a constant cannot be packed");  // when nobody has said why
    w->failed = i;
    return;
  }
}

// The first job that failed is the one that is told, whoever did it: those before it were all taken.
static weft_status work_all(weft_program *p, weft_pool *pool, const job *jobs, size_t n, size_t *out_failed,
                            weft_diag *d) {
  const weft_allocator *a = &p->env->alloc;
  uint32_t hands = !pool ? 1 : p->env->options.parallel ? 8 : weft__pool_threads(pool);
  hands = (uint32_t)WEFT_MIN(hands, n);
  crew c = {.p = p, .jobs = jobs, .n = n, .workers = weft__alloc(a, hands * sizeof *c.workers, 16)};
  WEFT_TRY(weft__allocated(c.workers, d));
  memset(c.workers, 0, hands * sizeof *c.workers);
  weft__pool_run(pool, packed_work, &c, hands);
  const worker *first = NULL;
  for (uint32_t i = 0; i < hands; i++) {
    const worker *w = &c.workers[i];
    if (w->d.status && (!first || w->failed < first->failed))
      first = w;
  }
  weft_status s = first ? weft_fail(d, first->d.status, "%s", first->d.text) : WEFT_OK;
  if (first)
    *out_failed = first->failed;
  for (uint32_t i = 0; i < hands; i++)
    drop_piece(a, &c.workers[i].piece);
  weft__free(a, c.workers, hands * sizeof *c.workers, 16);
  return s;
}

// Memory for all of them: for large ones first, then for small ones in what those have over and in one block
// that is as large as the rest of them.
static weft_status packed_reserve(weft_program *p, job *jobs, size_t n, size_t *out_failed, weft_diag *d) {
  enum { LARGE = 2 << 20, ALIGN = 64 };
  size_t left = 0;
  weft_status s = WEFT_OK;
  for (size_t i = 0; i < n; i++)
    left += jobs[i].k->k.bytes < LARGE ? jobs[i].k->k.bytes + ALIGN : 0;
  for (int small = 0; small < 2; small++) {
    for (size_t i = 0; i < n && !s; i++) {
      packed *k = jobs[i].k;
      if (small != (k->k.bytes < LARGE))
        continue;
      weft__slab_known(&p->slab, small ? left : 0);
      k->k.to = weft__slab_take(&p->slab, k->k.bytes, &jobs[i].block);
      left -= small ? k->k.bytes + ALIGN : 0;
      if (k->k.to)
        continue;
      *out_failed = i;
      s = weft_fail(d, WEFT_E_NOMEM, "no memory for a packed constant of %zu bytes", k->k.bytes);
      s = weft__budget_explain(&p->graph->root->budget, s, d);
    }
  }
  weft__slab_known(&p->slab, 0);
  return s;
}

static weft_status pack_all(weft_program *p, weft_pool *pool, const weft__pack_wish *w, size_t n, job *jobs,
                            size_t *out_failed, weft_diag *d) {
  size_t made = 0;
  size_t failed = 0;
  weft_status s = WEFT_OK;
  for (size_t i = 0; i < n && !s; i++) {
    const packed *k = packed_find(p, &w[i]);
    if (!k && (k = packed_add(p, &(weft__pack){w[i].t, w[i].kernel, w[i].key, w[i].bytes, NULL})))
      jobs[made++] = (job){&w[i], p->packed, NULL};  // its memory follows
    if (!k) {
      s = weft_fail(d, WEFT_E_NOMEM, "out of memory");
      *out_failed = i;
    }
    *w[i].out = k;
  }
  if (!s && made) {
    s = packed_reserve(p, jobs, made, &failed, d);
    if (!s)
      s = work_all(p, pool, jobs, made, &failed, d);
    if (s)
      *out_failed = (size_t)(jobs[failed].wish - w);
  }
  for (size_t i = 0; i < n && !s; i++)
    *w[i].out = ((const packed *)*w[i].out)->k.to;
  for (size_t i = 0; i < made && !s; i++)
    rest(p, jobs[i].wish->t);
  while (s && made--) {  // the newest of the list
    remove_newest(p);
    if (jobs[made].block)
      weft__slab_give(&p->slab, jobs[made].block);
  }
  return s;
}

weft_status weft__program_pack(weft_program *p, weft_pool *pool, const weft__pack_wish *w, size_t n,
                               size_t *out_failed, weft_diag *d) {
  const weft_allocator *a = &p->env->alloc;
  *out_failed = 0;
  if (!n)
    return WEFT_OK;
  job *jobs = weft__alloc(a, n * sizeof *jobs, 16);
  WEFT_TRY(weft__allocated(jobs, d));
  pthread_mutex_lock(p->lock);
  weft_status s = pack_all(p, pool, w, n, jobs, out_failed, d);
  pthread_mutex_unlock(p->lock);
  weft__free(a, jobs, n * sizeof *jobs, 16);
  return s;
}

uint64_t weft__program_packed_bytes(weft_program *p) {
  uint64_t n = 0;
  pthread_mutex_lock(p->lock);
  for (const packed *k = p->packed; k; k = k->next)
    n += k->k.bytes;
  pthread_mutex_unlock(p->lock);
  return n;
}

weft_status weft__packed_add(weft_program *p, const weft__pack *k, weft_diag *d) {
  return packed_add(p, k) ? WEFT_OK : weft_fail(d, WEFT_E_NOMEM, "out of memory");
}

void weft__packed_each(weft_program *p, void (*fn)(void *ctx, const weft__pack *k), void *ctx) {
  packed *first = NULL;
  packed *k;
  pthread_mutex_lock(p->lock);
  for (int turn = 0; turn < 2; turn++) {  // the list has the newest first
    for (first = NULL; (k = p->packed); first = k) {
      p->packed = k->next;
      k->next = first;
    }
    p->packed = first;
    for (k = first; k && !turn; k = k->next)
      fn(ctx, &k->k);
  }
  pthread_mutex_unlock(p->lock);
}
// SPDX-License-Identifier: Apache-2.0
