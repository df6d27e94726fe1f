// packed.c - constants in the layouts that kernels asked for. One list under a lock: it is looked at while
// planning, never while running.
#define _DEFAULT_SOURCE  // madvise
#include "program/program.h"

#include <pthread.h>
#include <sys/mman.h>

// Large ones ask for huge pages: weights that are read once a run cost as much address translation as
// reading.
enum { HUGE_PAGE = 2 << 20, ALIGN = 64 };
static size_t align_of(size_t bytes) {
  return bytes >= HUGE_PAGE ? HUGE_PAGE : ALIGN;
}
static void *alloc_packed(const weft_allocator *a, size_t bytes) {
  void *p = weft__alloc(a, bytes, align_of(bytes));
#ifdef MADV_HUGEPAGE
  if (p && bytes >= HUGE_PAGE)
    (void)madvise(p, bytes / HUGE_PAGE * HUGE_PAGE, MADV_HUGEPAGE);  // no more than a wish
#endif
  return p;
}

typedef struct weft__packed {
  struct weft__packed *next;
  const void *from;  // data of the constant
  const weft_kernel *kernel;
  uint64_t key;
  size_t bytes;
  void *to;
} packed;

weft_status weft__packed_init(weft_program *p) {
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
    weft__free(a, k->to, k->bytes, align_of(k->bytes));
    weft__free(a, k, sizeof *k, _Alignof(packed));
  }
  if (!p->lock) return;
  pthread_mutex_destroy(p->lock);
  weft__free(a, p->lock, sizeof(pthread_mutex_t), _Alignof(pthread_mutex_t));
}

// Constants of a mapped model lie at any byte; kernels are given aligned ones.
static weft_status pack_aligned(weft_program *p, const weft_packing *w, const weft_kernel *kernel) {
  if (!kernel) return memcpy(w->to, w->in->data, w->bytes), WEFT_OK;
  if ((uintptr_t)w->in->data % 64 % WEFT_MAX(1, weft_dtype_bits(w->in->dtype) / 8) == 0)
    return kernel->pack(w);
  void *copy = weft__alloc(&p->env->alloc, w->in->bytes, 64);
  if (!copy) return weft_fail(w->d, WEFT_E_NOMEM, "no memory for a constant of %zu bytes", w->in->bytes);
  memcpy(copy, w->in->data, w->in->bytes);
  weft_tensor t = *w->in;
  weft_packing own = *w;
  t.data = copy, own.in = &t;
  weft_status s = kernel->pack(&own);
  weft__free(&p->env->alloc, copy, w->in->bytes, 64);
  return s;
}

static weft_status make(weft_program *p, const weft_packing *w, const weft_kernel *kernel, packed **out) {
  const weft_allocator *a = &p->env->alloc;
  packed *k = weft__alloc(a, sizeof *k, _Alignof(packed));
  void *to = alloc_packed(a, w->bytes);
  weft_status s =
      k && to ? WEFT_OK
              : weft_fail(w->d, WEFT_E_NOMEM, "no memory for a packed constant of %zu bytes", w->bytes);
  weft_packing own = *w;
  own.to = to;
  if (!s) s = pack_aligned(p, &own, kernel);
  if (s) {
    weft__free(a, to, w->bytes, align_of(w->bytes));
    weft__free(a, k, sizeof *k, _Alignof(packed));
    return s;
  }
  *k = (packed){p->packed, w->in->data, kernel, w->key, w->bytes, to};
  p->packed = k;
  *out = k;
  return WEFT_OK;
}

weft_status weft__program_pack(weft_program *p, const weft_kernel *kernel, const weft_op_desc *desc,
                               uint32_t in, const weft_tensor *t, size_t bytes, uint64_t key,
                               const void **out, weft_diag *d) {
  if (kernel && !kernel->pack)
    return weft_fail(d, WEFT_E_KERNEL, "kernel '%s' asks for a packed input %u and has no pack function",
                     kernel->name, in);
  weft_packing w = {.size = sizeof w,
                    .index = in,
                    .desc = desc,
                    .host = &p->env->host,
                    .d = d,
                    .in = t,
                    .bytes = bytes,
                    .key = key};
  weft_status s = WEFT_OK;
  pthread_mutex_lock(p->lock);
  packed *k = p->packed;
  while (k && (k->from != t->data || k->kernel != kernel || k->key != key || k->bytes != bytes)) k = k->next;
  if (!k) s = make(p, &w, kernel, &k);
  pthread_mutex_unlock(p->lock);
  if (!s) *out = k->to;
  return s;
}

uint64_t weft__program_packed_bytes(weft_program *p) {
  uint64_t n = 0;
  pthread_mutex_lock(p->lock);
  for (const packed *k = p->packed; k; k = k->next) n += k->bytes;
  pthread_mutex_unlock(p->lock);
  return n;
}
