// packed.c - constants in the layouts that kernels asked for. One list under a lock: it is looked at while
// planning, never while running.
//
// A constant that was packed is not read again, mostly: pages of a file go back, and what a pass has made
// sleeps until somebody asks for it (ir/remake.c).
#include "program/program.h"

#include <pthread.h>

typedef struct weft__packed {
  struct weft__packed *next;
  weft__pack k;
  const void *from;  // data of the constant, which other tensors may share; NULL: they are gone
} packed;

weft_status weft__packed_init(weft_program *p) {
  weft__slab_init(&p->slab, &p->env->alloc);
  p->lock = weft__alloc(&p->env->alloc, sizeof(pthread_mutex_t), _Alignof(pthread_mutex_t));
  if (!p->lock) return WEFT_E_NOMEM;
  if (!pthread_mutex_init(p->lock, NULL)) return WEFT_OK;
  weft__free(&p->env->alloc, p->lock, sizeof(pthread_mutex_t), _Alignof(pthread_mutex_t));
  p->lock = NULL;
  return WEFT_E_NOMEM;
}

void weft__packed_deinit(weft_program *p) {
  const weft_allocator *a = &p->env->alloc;
  while (p->packed) {
    packed *k = p->packed;
    p->packed = k->next;
    weft__free(a, k, sizeof *k, _Alignof(packed));
  }
  weft__slab_deinit(&p->slab);
  if (!p->lock) return;
  pthread_mutex_destroy(p->lock);
  weft__free(a, p->lock, sizeof(pthread_mutex_t), _Alignof(pthread_mutex_t));
}

// Constants of a mapped model lie at any byte; kernels are given aligned ones, and floats where they ask for
// them.
static weft_status pack_aligned(weft_env *e, const weft_packing *w, const weft_kernel *kernel) {
  if (!kernel) return memcpy(w->to, w->in->data, w->bytes), WEFT_OK;
  const weft_dtype from = w->in->dtype;
  const bool widens = (kernel->flags & WEFT_KERNEL_FLOATS) && (from == WEFT_FLOAT16 || from == WEFT_BF16);
  if (!widens && (uintptr_t)w->in->data % 64 % WEFT_MAX(1, weft_dtype_bits(from) / 8) == 0)
    return kernel->pack(w);
  size_t bytes = w->in->bytes;
  void *copy = NULL;
  if (!widens || weft_mul_size(bytes, 2, &bytes)) copy = weft__alloc(&e->alloc, bytes, 64);
  if (!copy) return weft_fail(w->d, WEFT_E_NOMEM, "no memory for a constant of %zu bytes", bytes);
  weft_tensor t = *w->in;
  weft_packing own = *w;
  t.data = copy, t.bytes = bytes, own.in = &t;
  if (widens) {
    t.dtype = WEFT_FLOAT;
    for (size_t i = 0; i < bytes / 4; i++) ((float *)copy)[i] = (float)weft_load_f64(from, w->in->data, i);
  } else {
    memcpy(copy, w->in->data, bytes);
  }
  weft_status s = kernel->pack(&own);
  weft__free(&e->alloc, copy, bytes, 64);
  return s;
}

weft_status weft__packing_run(weft_env *e, const weft_kernel *kernel, const weft_op_desc *desc, uint32_t in,
                              const weft_tensor *t, size_t bytes, uint64_t key, void *to, weft_diag *d) {
  const weft_packing w = {.size = sizeof w,
                          .index = in,
                          .desc = desc,
                          .host = &e->host,
                          .d = d,
                          .in = t,
                          .to = to,
                          .bytes = bytes,
                          .key = key};
  if (kernel && !kernel->pack)
    return weft_fail(d, WEFT_E_KERNEL, "kernel '%s' asks for a packed input %u and has no pack function",
                     kernel->name, in);
  return pack_aligned(e, &w, kernel);
}

// What was read is not needed soon.
static void rest(weft_program *p, const weft_tensor *t) {
  const void *data = t->data;
  weft__data_rest(p->graph, data, t->bytes);
  weft__remake_sleep(p->graph, (weft_tensor *)(uintptr_t)t);
  if (t->data) return;
  for (packed *k = p->packed; k; k = k->next)  // something else may come to lie there
    if (k->from == data) k->from = NULL;
}

static weft_status make(weft_program *p, const weft_kernel *kernel, const weft_op_desc *desc, uint32_t in,
                        const weft_tensor *t, size_t bytes, uint64_t key, packed **out, weft_diag *d) {
  const weft_allocator *a = &p->env->alloc;
  struct weft__slab_block *block = NULL;
  WEFT_TRY(weft__remake_wake(p->graph, t, false, d));
  packed *k = weft__alloc(a, sizeof *k, _Alignof(packed));
  void *to = k ? weft__slab_take(&p->slab, bytes, &block) : NULL;
  weft_status s =
      to ? WEFT_OK : weft_fail(d, WEFT_E_NOMEM, "no memory for a packed constant of %zu bytes", bytes);
  if (!s) s = weft__packing_run(p->env, kernel, desc, in, t, bytes, key, to, d);
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
