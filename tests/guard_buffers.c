// guard_buffers.c - see guard_buffers.h. What lies between a buffer and its guards, because of alignment,
// holds a value of its own.
#define _GNU_SOURCE
#include "guard_buffers.h"

#include <stdint.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum { GUARD_BUFFERS = 128 };
static struct {
  guard_buffer buffer[GUARD_BUFFERS];
  size_t n;
} guard_memory;
static const unsigned char guard_slack = 0xC5;

static size_t guard_page(void) {
  return (size_t)sysconf(_SC_PAGESIZE);
}

char *guard_buffers_add(size_t bytes, size_t align, int where, int garbage) {
  size_t inner = (bytes + guard_page() - 1) / guard_page() * guard_page();
  guard_buffer *b = &guard_memory.buffer[guard_memory.n];
  if (guard_memory.n == GUARD_BUFFERS)
    return NULL;
  *b = (guard_buffer){.mapped = inner + 2 * guard_page(), .bytes = bytes};
  b->map = mmap(NULL, b->mapped, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (b->map == MAP_FAILED)
    return NULL;
  if (inner && mprotect(b->map + guard_page(), inner, PROT_READ | PROT_WRITE))
    return NULL;
  guard_memory.n++;
  char *begin = b->map + guard_page();
  b->end = begin + inner;
  b->at = where == GUARD_AT_START ? begin : b->end - bytes;
  b->at -= (uintptr_t)b->at % align;
  memset(begin, guard_slack, inner);
  memset(b->at, garbage, bytes);
  return b->at;
}

void guard_buffers_drop(void) {
  while (guard_memory.n) {
    guard_memory.n--;
    munmap(guard_memory.buffer[guard_memory.n].map, guard_memory.buffer[guard_memory.n].mapped);
  }
}

static bool guard_is_slack(const char *from, const char *to) {
  for (const char *p = from; p < to; p++) {
    if ((unsigned char)*p != guard_slack)
      return false;
  }
  return true;
}

const guard_buffer *guard_buffers_spoiled(void) {
  for (size_t i = 0; i < guard_memory.n; i++) {
    const guard_buffer *b = &guard_memory.buffer[i];
    if (!guard_is_slack(b->map + guard_page(), b->at) || !guard_is_slack(b->at + b->bytes, b->end))
      return b;
  }
  return NULL;
}

const guard_buffer *guard_buffers_find(const void *p, size_t *out_index) {
  const char *at = p;
  for (size_t i = 0; i < guard_memory.n; i++) {
    const guard_buffer *b = &guard_memory.buffer[i];
    *out_index = i;
    if (at >= b->map && at < b->map + b->mapped)
      return b;
  }
  return NULL;
}
// SPDX-License-Identifier: Apache-2.0
