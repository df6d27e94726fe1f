// cache.c - memory of a run that comes and goes with the data: freed blocks are kept by size and given out
// again, so that a run like one before asks the system for nothing. Sizes are rounded up to a quarter of a
// power of two. What tensors and workspaces take is counted by the run's budget, and so is what plans take.
#include "run/run.h"

enum { STEP = 64, CLASSES = 255 };

// The class of a size: 4 classes for each doubling.
static uint32_t class_of(size_t bytes, size_t *out_rounded) {
  size_t units = (bytes + STEP - 1) / STEP;
  if (units < 8) {
    *out_rounded = (units ? units : 1) * STEP;
    return (uint32_t)(units ? units : 1);
  }
  uint32_t log = 0;
  while (units >> (log + 3))
    log++;  // units in [4 << log, 8 << log)
  size_t part = (units + ((size_t)1 << log) - 1) >> log;
  if (part == 8) {
    part = 4;
    log++;
  }
  *out_rounded = (part << log) * STEP;
  return 8 + (log - 1) * 4 + (uint32_t)(part - 4);
}

static void *cache_take(weft__cache *c, size_t bytes) {
  if (bytes > SIZE_MAX / 4)
    return NULL;
  size_t rounded;
  uint32_t k = class_of(bytes, &rounded);
  if (k > CLASSES)
    return NULL;
  void *p = c->free[k];
  if (p)
    memcpy(&c->free[k], p, sizeof p);  // the first word of a free block is the next one
  else
    p = weft__alloc(&c->blocks, rounded, STEP);
  if (p)
    c->live_bytes += rounded;
  return p;
}

static void cache_give(weft__cache *c, void *p, size_t bytes) {
  size_t rounded;
  uint32_t k = class_of(bytes, &rounded);
  memcpy(p, &c->free[k], sizeof p);
  c->free[k] = p;
  c->live_bytes -= rounded;
}

static void *cached(void *ctx, void *ptr, size_t old_bytes, size_t new_bytes, size_t align) {
  weft__cache *c = ctx;
  if (align > STEP)
    return c->system.fn(c->system.ctx, ptr, old_bytes, new_bytes, align);
  if (!ptr)
    return cache_take(c, new_bytes);
  if (!new_bytes)
    return cache_give(c, ptr, old_bytes), NULL;
  size_t a;
  size_t b;
  if (class_of(old_bytes, &a) == class_of(new_bytes, &b))
    return ptr;
  void *p = cache_take(c, new_bytes);
  if (!p)
    return NULL;
  memcpy(p, ptr, WEFT_MIN(old_bytes, new_bytes));
  cache_give(c, ptr, old_bytes);
  return p;
}

static void *block(void *ctx, void *ptr, size_t old_bytes, size_t new_bytes, size_t align) {
  weft__cache *c = ctx;
  c->calls += new_bytes != 0;
  return c->system.fn(c->system.ctx, ptr, old_bytes, new_bytes, align);
}

static void *charged(void *ctx, void *ptr, size_t old_bytes, size_t new_bytes, size_t align) {
  weft__cache *c = ctx;
  if (new_bytes > old_bytes && !weft__budget_charge(c->budget, new_bytes - old_bytes))
    return NULL;
  void *p = cached(ctx, ptr, old_bytes, new_bytes, align);
  bool failed = new_bytes && !p;
  if (failed && new_bytes > old_bytes)
    weft__budget_release(c->budget, new_bytes - old_bytes);
  if (!failed && new_bytes < old_bytes)
    weft__budget_release(c->budget, old_bytes - new_bytes);
  return p;
}

static uint64_t over_free(uint64_t bytes) {
  return bytes > WEFT__KEPT_FREE ? bytes - WEFT__KEPT_FREE : 0;
}

static void *counted(void *ctx, void *ptr, size_t old_bytes, size_t new_bytes, size_t align) {
  weft__cache *c = ctx;
  const uint64_t before = over_free(c->kept_bytes);
  const uint64_t after = over_free(c->kept_bytes - old_bytes + new_bytes);
  if (after > before && !weft__budget_charge(c->budget, after - before))
    return NULL;
  void *p = block(c, ptr, old_bytes, new_bytes, align);
  const bool failed = new_bytes && !p;
  if (failed && after > before)
    weft__budget_release(c->budget, after - before);
  if (!failed && after < before)
    weft__budget_release(c->budget, before - after);
  if (!failed)
    c->kept_bytes += new_bytes - old_bytes;
  return p;
}

bool weft__cache_charges(const weft_allocator *a) {
  return a->fn == charged;
}

void weft__cache_init(weft__cache *c, const weft_allocator *system, weft__budget *budget) {
  memset(c, 0, sizeof *c);
  c->system = *system;
  c->budget = budget;
  c->tensors = (weft_allocator){charged, c};
  c->self = (weft_allocator){cached, c};
  c->blocks = (weft_allocator){block, c};
  c->counted = (weft_allocator){counted, c};
}

void weft__cache_deinit(weft__cache *c) {
  for (uint32_t k = 1; k <= CLASSES; k++) {
    size_t bytes = k < 8 ? (size_t)k * STEP : ((size_t)((k - 8) % 4 + 4) << ((k - 8) / 4 + 1)) * STEP;
    for (void *p = c->free[k], *next; p; p = next) {
      memcpy(&next, p, sizeof next);
      weft__free(&c->blocks, p, bytes, STEP);
    }
    c->free[k] = NULL;
  }
}
// SPDX-License-Identifier: Apache-2.0
