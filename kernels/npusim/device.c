// device.c - memory of the simulated NPU and its table of functions.
#define _DEFAULT_SOURCE  // MAP_ANONYMOUS
#include <sys/mman.h>

#include "npusim/npusim.h"

#ifndef MAP_NORESERVE
#define MAP_NORESERVE 0
#endif
enum { ALIGN = 64 };
#define MEMORY (sizeof(void *) >= 8 ? UINT64_C(8) << 30 : UINT64_C(256) << 20)
#define LEAST  (UINT64_C(16) << 20)

void weft__npusim_properties(weft_device_properties *out) {
  weft_device_properties p = {.size = out->size,
                              .cores = NPUSIM_CORES,
                              .streams = NPUSIM_STREAMS,
                              .align = ALIGN,
                              .memory_bytes = MEMORY,
                              .copy_ns = 2000,
                              .copy_ns_per_byte = 1.0 / 16,
                              .launch_ns = 1000};
  WEFT_SIZED_OUT(out, &p, host_memory);
}

static void unmap(npusim *n) {
  if (n->address)
    munmap(n->address, (size_t)n->bytes);
  if (n->store)
    munmap(n->store, (size_t)n->bytes);
  n->address = n->store = NULL;
}

// Two ranges of the same size: one of addresses only, one of bytes. Less when the system gives less.
static bool device_map(npusim *n) {
  for (n->bytes = MEMORY; n->bytes >= LEAST; n->bytes /= 2) {
    void *a = mmap(NULL, (size_t)n->bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    void *b = mmap(NULL, (size_t)n->bytes, PROT_READ | PROT_WRITE,
                   MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    n->address = a == MAP_FAILED ? NULL : a;
    n->store = b == MAP_FAILED ? NULL : b;
    if (n->address && n->store)
      return true;
    unmap(n);
  }
  return false;
}

static weft_status open_npusim(const weft_device_setup *s, void **out, weft_diag *d) {
  npusim *n = weft__alloc(&s->alloc, sizeof *n, _Alignof(npusim));
  *out = NULL;
  if (!n)
    return weft_fail(d, WEFT_E_NOMEM, "device npusim: out of memory");
  memset(n, 0, sizeof *n);
  n->alloc = s->alloc;
  bool mutex = !pthread_mutex_init(&n->lock, NULL);
  bool cond = mutex && !pthread_cond_init(&n->changed, NULL);
  if (cond && device_map(n))
    return *out = n, WEFT_OK;
  if (cond)
    pthread_cond_destroy(&n->changed);
  if (mutex)
    pthread_mutex_destroy(&n->lock);
  weft__free(&s->alloc, n, sizeof *n, _Alignof(npusim));
  return weft_fail(d, WEFT_E_NOMEM, "device npusim: the system gives no memory for it");
}

static void close_npusim(void *dev) {
  npusim *n = dev;
  while (n->streams)
    weft__npusim_stream_destroy(n, n->streams);
  unmap(n);
  WEFT_VEC_FREE(&n->alloc, n->pieces);
  pthread_cond_destroy(&n->changed);
  pthread_mutex_destroy(&n->lock);
  weft_allocator a = n->alloc;
  weft__free(&a, n, sizeof *n, _Alignof(npusim));
}

// The first gap that is large enough.
static weft_status alloc_npusim(void *dev, size_t bytes, void **out, weft_diag *d) {
  npusim *n = dev;
  uint64_t at = 0;
  uint64_t size = bytes ? bytes : 1;
  size_t i = 0;
  *out = NULL;
  if (size <= n->bytes)
    size = (size + ALIGN - 1) / ALIGN * ALIGN;
  for (; i < n->pieces.n && n->pieces.v[i].at - at < size; i++)
    at = n->pieces.v[i].at + n->pieces.v[i].bytes;
  if (size > n->bytes - at) {
    return weft_fail(d, WEFT_E_NOMEM, "device npusim: no room for %zu bytes in its memory of %llu", bytes,
                     (unsigned long long)n->bytes);
  }
  if (!WEFT_VEC_ROOM(&n->alloc, n->pieces))
    return weft_fail(d, WEFT_E_NOMEM, "device npusim: out of memory");
  memmove(n->pieces.v + i + 1, n->pieces.v + i, (n->pieces.n - i) * sizeof *n->pieces.v);
  n->pieces.v[i] = (npusim_piece){at, size};
  n->pieces.n++;
  return *out = n->address + at, WEFT_OK;
}

static void free_npusim(void *dev, void *p) {
  npusim *n = dev;
  for (size_t i = 0; p && i < n->pieces.n; i++) {
    if (n->address + n->pieces.v[i].at != (char *)p)
      continue;
    memmove(n->pieces.v + i, n->pieces.v + i + 1, (n->pieces.n - i - 1) * sizeof *n->pieces.v);
    n->pieces.n--;
    return;
  }
}

void *weft__npusim_translate(const npusim *n, const void *p, size_t bytes) {
  uintptr_t at = (uintptr_t)p - (uintptr_t)n->address;
  return at < n->bytes && bytes <= n->bytes - at ? n->store + at : NULL;
}

const weft_device weft__device_npusim = {.size = sizeof(weft_device),
                                         .name = "npusim",
                                         .summary = "a simulated NPU with memory and streams of its own",
                                         .properties = weft__npusim_properties,
                                         .open = open_npusim,
                                         .close = close_npusim,
                                         .alloc = alloc_npusim,
                                         .free = free_npusim,
                                         .stream_create = weft__npusim_stream_create,
                                         .stream_destroy = weft__npusim_stream_destroy,
                                         .stream_sync = weft__npusim_stream_sync,
                                         .copy_in = weft__npusim_copy_in,
                                         .copy_out = weft__npusim_copy_out,
                                         .launch = weft__npusim_launch,
                                         .event_create = weft__npusim_event_create,
                                         .event_destroy = weft__npusim_event_destroy,
                                         .event_record = weft__npusim_event_record,
                                         .event_wait = weft__npusim_event_wait,
                                         .event_sync = weft__npusim_event_sync};
// SPDX-License-Identifier: Apache-2.0
