// packed.c - constants in the layouts that kernels asked for. One list under a lock: it is looked at while
// planning, never while running.
//
// A constant that was packed is not read again, mostly. It is read a piece at a time, out of its file or made
// for the purpose (ir/remake.c), so that it need not be in memory beside what it is packed to; pages of a
// file go back, and what a pass has made sleeps.
#include "program/program.h"

#include <pthread.h>

typedef struct weft__packed {
  struct weft__packed *next;
  weft__pack k;
  const void *from;  // data of the constant, which other tensors may share; NULL: they are gone
} packed;

weft_status weft__packed_init(weft_program *p) {
  uint64_t bytes = 0;
  weft__slab_init(&p->slab, &p->env->alloc);
  for (size_t i = 0; i < p->graph->consts.n; i++) bytes += p->graph->consts.v[i]->fact.value->bytes;
  weft__slab_expect(&p->slab, bytes < SIZE_MAX ? (size_t)bytes : SIZE_MAX);
  p->lock = weft__alloc(&p->env->alloc, sizeof(pthread_mutex_t), _Alignof(pthread_mutex_t));
  if (!p->lock) return WEFT_E_NOMEM;
  if (!pthread_mutex_init(p->lock, NULL)) return WEFT_OK;
  weft__free(&p->env->alloc, p->lock, sizeof(pthread_mutex_t), _Alignof(pthread_mutex_t));
  p->lock = NULL;
  return WEFT_E_NOMEM;
}

static void drop_piece(weft_program *p) {
  weft__free(&p->env->alloc, p->piece, p->piece_bytes, weft__large_align(p->piece_bytes));
  p->piece = NULL, p->piece_bytes = 0;
}

void weft__packed_rest(weft_program *p) {
  pthread_mutex_lock(p->lock);
  drop_piece(p);
  pthread_mutex_unlock(p->lock);
}

void weft__packed_deinit(weft_program *p) {
  const weft_allocator *a = &p->env->alloc;
  while (p->packed) {
    packed *k = p->packed;
    p->packed = k->next;
    weft__free(a, k, sizeof *k, _Alignof(packed));
  }
  weft__slab_deinit(&p->slab);
  drop_piece(p);
  if (!p->lock) return;
  pthread_mutex_destroy(p->lock);
  weft__free(a, p->lock, sizeof(pthread_mutex_t), _Alignof(pthread_mutex_t));
}

// ---- reading what is to be packed ----
static void *room(weft_program *p, size_t bytes, weft_diag *d) {
  enum { LEAST = 256 << 10 };
  const weft_allocator *a = &p->env->alloc;
  if (p->piece && bytes <= p->piece_bytes) return p->piece;
  size_t want = WEFT_MAX(bytes, LEAST);
  drop_piece(p);
  p->piece = weft__alloc(a, want, weft__large_align(want));
  if (!p->piece) return weft_fail(d, WEFT_E_NOMEM, "no memory for %zu bytes of a constant", bytes), NULL;
  p->piece_bytes = want;
  return p->piece;
}

typedef struct source {
  weft_program *p;
  const weft_tensor *t;  // as it lies
  bool widens;           // f16 or bf16, and the kernel wants float
} source;

static const void *read_piece(const weft_packing *w, size_t from, size_t bytes) {
  const source *s = w->impl;
  size_t half = s->widens ? bytes / 2 : 0;  // lies behind what it is widened to
  char *to = room(s->p, bytes + half, w->d);
  if (!to || !bytes) return to;
  if (!s->widens) return weft__data_read(s->p->graph, s->t, from, bytes, to);
  const void *v = weft__data_read(s->p->graph, s->t, from / 2, half, to + bytes);
  float *floats = (float *)(void *)to;
  for (size_t i = 0; i < half / 2; i++) floats[i] = (float)weft_load_f64(s->t->dtype, v, i);
  return to;
}

// Constants of a mapped model lie at any byte; kernels are given aligned ones, floats where they ask for
// them, and whole ones when they do not read by pieces.
static weft_status pack_aligned(weft_program *p, const weft_packing *w, const weft_kernel *kernel) {
  if (!kernel) {
    const void *from = weft__data_read(p->graph, w->in, 0, w->bytes, w->to);
    if (from != w->to) memcpy(w->to, from, w->bytes);
    return WEFT_OK;
  }
  source s = {p, w->in, false};
  weft_tensor t = *w->in;
  weft_packing own = *w;
  own.in = &t, own.impl = &s;
  s.widens = (kernel->flags & WEFT_KERNEL_FLOATS) && (t.dtype == WEFT_FLOAT16 || t.dtype == WEFT_BF16);
  if (s.widens && t.bytes > SIZE_MAX / 4)
    return weft_fail(w->d, WEFT_E_NOMEM, "no memory for a constant of twice %zu bytes", t.bytes);
  if (s.widens) t.dtype = WEFT_FLOAT, t.bytes *= 2;
  t.data = NULL;
  if (kernel->flags & WEFT_KERNEL_PACKS_PIECES)
    own.read = read_piece;
  else if (!(t.data = (void *)(uintptr_t)read_piece(&own, 0, t.bytes)))
    return WEFT_E_NOMEM;
  return kernel->pack(&own);
}

static weft_status pack_to(weft_program *p, const weft_kernel *kernel, const weft_op_desc *desc, uint32_t in,
                           const weft_tensor *t, size_t bytes, uint64_t key, void *to, weft_diag *d) {
  const weft_packing w = {.size = sizeof w,
                          .index = in,
                          .desc = desc,
                          .host = &p->env->host,
                          .d = d,
                          .in = t,
                          .to = to,
                          .bytes = bytes,
                          .key = key};
  if (kernel && !kernel->pack)
    return weft_fail(d, WEFT_E_KERNEL, "kernel '%s' asks for a packed input %u and has no pack function",
                     kernel->name, in);
  return pack_aligned(p, &w, kernel);
}

weft_status weft__packing_run(weft_program *p, const weft_kernel *kernel, const weft_op_desc *desc,
                              uint32_t in, const weft_tensor *t, size_t bytes, uint64_t key, void *to,
                              weft_diag *d) {
  pthread_mutex_lock(p->lock);  // of the piece
  weft_status s = pack_to(p, kernel, desc, in, t, bytes, key, to, d);
  pthread_mutex_unlock(p->lock);
  return s;
}

// What was read is not needed soon.
static void rest(weft_program *p, const weft_tensor *t) {
  const void *data = t->data;
  if (data) weft__data_rest(p->graph, data, t->bytes);
  weft__remake_sleep(p->graph, (weft_tensor *)(uintptr_t)t);
  if (t->data) return;
  for (packed *k = p->packed; k; k = k->next)  // something else may come to lie there
    if (k->from == data) k->from = NULL;
}

static weft_status make(weft_program *p, const weft_kernel *kernel, const weft_op_desc *desc, uint32_t in,
                        const weft_tensor *t, size_t bytes, uint64_t key, packed **out, weft_diag *d) {
  const weft_allocator *a = &p->env->alloc;
  struct weft__slab_block *block = NULL;
  packed *k = weft__alloc(a, sizeof *k, _Alignof(packed));
  void *to = k ? weft__slab_take(&p->slab, bytes, &block) : NULL;
  weft_status s =
      to ? WEFT_OK : weft_fail(d, WEFT_E_NOMEM, "no memory for a packed constant of %zu bytes", bytes);
  if (!s) s = pack_to(p, kernel, desc, in, t, bytes, key, to, d);
  if (s) {
    if (to) weft__slab_give(&p->slab, block);
    weft__free(a, k, sizeof *k, _Alignof(packed));
    return s;
  }
  *k = (packed){p->packed, {t, kernel, key, bytes, to}, t->data};
  p->packed = k;
  rest(p, t);
  *out = k;
  return WEFT_OK;
}

// The same tensor, or another one with the same data seen the same way: a view has other rows.
static bool is(const packed *k, const weft_tensor *t) {
  const weft_tensor *of = k->k.of;
  return of == t || (k->from && k->from == t->data && of->dtype == t->dtype && of->format == t->format &&
                     of->bytes == t->bytes && weft_shape_equal(&of->layout.origin, &t->layout.origin));
}

weft_status weft__program_pack(weft_program *p, const weft_kernel *kernel, const weft_op_desc *desc,
                               uint32_t in, const weft_tensor *t, size_t bytes, uint64_t key,
                               const void **out, weft_diag *d) {
  weft_status s = WEFT_OK;
  pthread_mutex_lock(p->lock);
  packed *k = p->packed;
  while (k && (!is(k, t) || k->k.kernel != kernel || k->k.key != key || k->k.bytes != bytes)) k = k->next;
  if (!k) s = make(p, kernel, desc, in, t, bytes, key, &k, d);
  pthread_mutex_unlock(p->lock);
  if (!s) *out = k->k.to;
  return s;
}

uint64_t weft__program_packed_bytes(weft_program *p) {
  uint64_t n = 0;
  pthread_mutex_lock(p->lock);
  for (const packed *k = p->packed; k; k = k->next) n += k->k.bytes;
  pthread_mutex_unlock(p->lock);
  return n;
}

weft_status weft__packed_add(weft_program *p, const weft__pack *k, weft_diag *d) {
  packed *own = weft__alloc(&p->env->alloc, sizeof *own, _Alignof(packed));
  if (!own) return weft_fail(d, WEFT_E_NOMEM, "out of memory");
  *own = (packed){p->packed, *k, k->of->data};
  p->packed = own;
  return WEFT_OK;
}

void weft__packed_each(weft_program *p, void (*fn)(void *ctx, const weft__pack *k), void *ctx) {
  packed *first = NULL, *k;
  pthread_mutex_lock(p->lock);
  for (int turn = 0; turn < 2; turn++) {  // the list has the newest first
    for (first = NULL; (k = p->packed); first = k) p->packed = k->next, k->next = first;
    p->packed = first;
    for (k = first; k && !turn; k = k->next) fn(ctx, &k->k);
  }
  pthread_mutex_unlock(p->lock);
}
