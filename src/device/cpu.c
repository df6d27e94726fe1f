// cpu.c - the host as a device: its memory is the allocator's, its streams run what they are given at once,
// on the caller's thread. Programs reach the CPU without it (src/run); it is what a new device is compared
// with.
#include "base/base.h"
#include "device/device.h"

typedef struct block {
  struct block *next, *prev;
  size_t bytes;
} block;
enum { HEAD = 64 };

typedef struct cpu {
  weft_allocator alloc;
  block blocks;  // a ring: what was given out
} cpu;
typedef struct stream {
  weft_status failed;
  char text[256];
} stream;

static void properties(weft_device_properties *out) {
  weft_device_properties p = {.size = out->size,
                              .cores = 1,
                              .streams = 64,
                              .align = HEAD,
                              .copy_ns = 50,
                              .copy_ns_per_byte = 0.1,
                              .launch_ns = 50,
                              .host_memory = true};
  WEFT_SIZED_OUT(out, &p, host_memory);
}

static weft_status open_cpu(const weft_device_setup *s, void **out, weft_diag *d) {
  cpu *c = weft__alloc(&s->alloc, sizeof *c, _Alignof(cpu));
  if (!c)
    return weft_fail(d, WEFT_E_NOMEM, "device cpu: out of memory");
  c->alloc = s->alloc;
  c->blocks.next = c->blocks.prev = &c->blocks;
  return *out = c, WEFT_OK;
}

static void free_block(cpu *c, block *b) {
  b->prev->next = b->next;
  b->next->prev = b->prev;
  weft__free(&c->alloc, b, b->bytes, HEAD);
}

static void close_cpu(void *dev) {
  cpu *c = dev;
  while (c->blocks.next != &c->blocks)
    free_block(c, c->blocks.next);
  weft_allocator a = c->alloc;
  weft__free(&a, c, sizeof *c, _Alignof(cpu));
}

static weft_status alloc_cpu(void *dev, size_t bytes, void **out, weft_diag *d) {
  cpu *c = dev;
  *out = NULL;
  block *b = bytes <= SIZE_MAX - HEAD ? weft__alloc(&c->alloc, bytes + HEAD, HEAD) : NULL;
  if (!b)
    return weft_fail(d, WEFT_E_NOMEM, "device cpu: no memory for %zu bytes", bytes);
  *b = (block){.next = c->blocks.next, .prev = &c->blocks, .bytes = bytes + HEAD};
  b->next->prev = c->blocks.next = b;
  return *out = (char *)b + HEAD, WEFT_OK;
}

static void free_cpu(void *dev, void *p) {
  if (p)
    free_block(dev, (block *)(void *)((char *)p - HEAD));
}

static weft_status stream_create(void *dev, void **out, weft_diag *d) {
  WEFT_TRY(alloc_cpu(dev, sizeof(stream), out, d));
  memset(*out, 0, sizeof(stream));
  return WEFT_OK;
}

static void stream_destroy(void *dev, void *s) {
  free_cpu(dev, s);
}

static weft_status stream_sync(void *dev, void *st, weft_diag *d) {
  stream *s = st;
  weft_status failed = s->failed;
  (void)dev;
  s->failed = WEFT_OK;
  return failed ? weft_fail(d, failed, "%s", s->text) : WEFT_OK;
}

static weft_status cpu_copy(void *dev, void *st, void *to, const void *from, size_t bytes,
                            weft_device_times *times, weft_diag *d) {
  const stream *s = st;
  (void)dev;
  (void)d;
  uint64_t begin = times ? weft__now_ns() : 0;
  if (bytes && !s->failed)
    memcpy(to, from, bytes);
  if (times)
    *times = (weft_device_times){begin, weft__now_ns()};
  return WEFT_OK;
}

static weft_status launch(void *dev, void *st, const weft_device_launch *l, weft_diag *d) {
  stream *s = st;
  (void)dev;
  (void)d;
  uint64_t begin = l->times ? weft__now_ns() : 0;
  weft_block b = l->block;
  for (b.phase = 0; !s->failed && b.phase < l->phases; b.phase++) {
    for (b.block = 0; !s->failed && b.block < b.blocks; b.block++)
      s->failed = l->run(&b);
  }
  if (s->failed && !s->text[0]) {
    snprintf(s->text, sizeof s->text, "kernel '%s' failed with %d (%s)", l->name, (int)s->failed,
             weft_status_name(s->failed));
  }
  if (l->times)
    *l->times = (weft_device_times){begin, weft__now_ns()};
  return WEFT_OK;
}

static weft_status event_create(void *dev, void **out, weft_diag *d) {
  (void)dev;
  (void)d;
  return *out = NULL, WEFT_OK;  // all that was given has been done
}
static void event_destroy(void *dev, void *event) {
  (void)dev;
  (void)event;
}
static weft_status event_on(void *dev, void *s, void *event, weft_diag *d) {
  (void)dev;
  (void)s;
  (void)event;
  (void)d;
  return WEFT_OK;
}
static weft_status event_sync(void *dev, void *event, weft_diag *d) {
  (void)dev;
  (void)event;
  (void)d;
  return WEFT_OK;
}

const weft_device weft__device_cpu = {.size = sizeof(weft_device),
                                      .name = "cpu",
                                      .summary = "this machine's processors",
                                      .properties = properties,
                                      .open = open_cpu,
                                      .close = close_cpu,
                                      .alloc = alloc_cpu,
                                      .free = free_cpu,
                                      .stream_create = stream_create,
                                      .stream_destroy = stream_destroy,
                                      .stream_sync = stream_sync,
                                      .copy_in = cpu_copy,
                                      .copy_out = cpu_copy,
                                      .launch = launch,
                                      .event_create = event_create,
                                      .event_destroy = event_destroy,
                                      .event_record = event_on,
                                      .event_wait = event_on,
                                      .event_sync = event_sync};
// SPDX-License-Identifier: Apache-2.0
