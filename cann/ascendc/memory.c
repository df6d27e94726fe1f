// memory.c - a core's memories, as large as the chosen chip's: one mapping with a page that faults behind
// each. Pages come when they are touched. A block finds all of them zero: what the one before left is
// cleared, of UB only where the block comes to look, as most of it is written first.
#define _GNU_SOURCE
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/base.h"
#include "check.h"
#include "late.h"

enum { KB = 1024 };
typedef struct memory_chip {
  uint32_t arch;
  uint32_t bytes[WEFT_ASC_REGIONS];
} memory_chip;
// UB, L1, L0A, L0B, L0C, bias table, fixpipe buffer.
static const memory_chip memory_chips[] = {
    {2201, {192 * KB, 512 * KB, 64 * KB, 64 * KB, 128 * KB, 1 * KB, 7 * KB}},
    {3510, {248 * KB, 512 * KB, 64 * KB, 64 * KB, 256 * KB, 4 * KB, 16 * KB}},
    {2002, {256 * KB, 1024 * KB, 64 * KB, 64 * KB, 256 * KB, 64 * KB, 7 * KB}},
    {WEFT_ASC_ARCH_TWIN, {ASC_UB_LIMIT, 512 * KB, 64 * KB, 64 * KB, 128 * KB, 1 * KB, 7 * KB}},
    {1001, {256 * KB, 1024 * KB, 64 * KB, 64 * KB, 256 * KB, 64 * KB, 7 * KB}},
};

static const memory_chip *memory_chip_of(uint32_t arch) {
  for (size_t i = 0; i < WEFT_COUNT(memory_chips); i++) {
    if (memory_chips[i].arch == arch)
      return &memory_chips[i];
  }
  return &memory_chips[0];
}

static size_t memory_pages(uint32_t bytes, size_t page) {
  return (bytes + page - 1) / page * page + page;
}

bool asc_memory_make(asc_block *b) {
  const memory_chip *chip = memory_chip_of(b->arch);
  WEFT_ASSERT(chip->bytes[WEFT_ASC_UB] <= ASC_UB_LIMIT);
  const size_t page = (size_t)sysconf(_SC_PAGESIZE);
  for (int i = 0; i < WEFT_ASC_REGIONS; i++)
    b->memory_bytes += memory_pages(chip->bytes[i], page);
  b->memory =
      mmap(NULL, b->memory_bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (b->memory == MAP_FAILED) {
    b->memory = NULL;
    return false;
  }
  uint8_t *at = b->memory;
  for (int i = 0; i < WEFT_ASC_REGIONS; i++) {
    b->core.memory[i] = at;
    b->core.capacity[i] = chip->bytes[i];
    at += memory_pages(chip->bytes[i], page);
    mprotect(at - page, page, PROT_NONE);
  }
  return true;
}

static void page_touch(asc_block *b, uint32_t page, uint32_t offset, uint64_t end, bool over) {
  const uint64_t bit = 1ull << page % 64;
  uint64_t *used = &b->ub_used[page / 64];
  uint64_t *ready = &b->ub_ready[page / 64];
  const uint32_t first = page * ASC_UB_PAGE;
  const bool all = over && first >= offset && first + ASC_UB_PAGE <= end;
  if (*used & ~*ready & bit && !all)
    memset(b->core.memory[WEFT_ASC_UB] + first, 0, ASC_UB_PAGE);
  *used |= bit;
  *ready |= bit;
}

void asc_memory_clear(asc_block *b, uint32_t offset, uint32_t bytes, bool over) {
  const uint64_t end = (uint64_t)offset + bytes;
  for (uint32_t page = offset / ASC_UB_PAGE; page * (uint64_t)ASC_UB_PAGE < end; page++)
    page_touch(b, page, offset, end, over);
}

void weft_asc_pointers(void) {
  asc_block *b = asc_block_current();
  if (!b)
    return;
  asc_late_all(&b->core);
  asc_memory_touch(b, 0, b->core.capacity[WEFT_ASC_UB], false);
  b->pointers = true;
}

typedef struct asc_kept {
  struct asc_kept *next;
  uint32_t bytes;
  _Alignas(16) uint8_t copy[];
} asc_kept;

// Among the last ones: a kernel whose tiles differ all does not look through all of them for each.
static const asc_kept *memory_find_kept(const asc_block *b, const void *from, uint32_t bytes) {
  enum { KEPT_LOOKED_AT = 16 };
  const asc_kept *k = b->kept;
  for (int i = 0; k && i < KEPT_LOOKED_AT; i++) {
    if (k->bytes == bytes && !memcmp(k->copy, from, bytes))
      return k;
    k = k->next;
  }
  return NULL;
}

const void *weft_asc_keep(const void *from, uint32_t bytes) {
  asc_block *b = asc_block_current();
  if (!b)
    return NULL;
  const asc_kept *found = memory_find_kept(b, from, bytes);
  if (found)
    return found->copy;
  asc_kept *k = malloc(sizeof *k + bytes);
  if (!k)
    weft_asc_fail((weft_asc_at){"SetShapeInfo", 0}, "no memory for %u bytes", bytes);
  k->next = b->kept;
  k->bytes = bytes;
  memcpy(k->copy, from, bytes);
  b->kept = k;
  return k->copy;
}

static void memory_free_kept(asc_block *b) {
  while (b->kept) {
    asc_kept *k = b->kept;
    b->kept = k->next;
    free(k);
  }
}

void asc_memory_begin(asc_block *b) {
  memory_free_kept(b);
  weft_asc_core *core = &b->core;
  memset(b->ub_ready, 0, sizeof b->ub_ready);
  b->n_late = 0;
  b->pointers = false;
  for (int i = WEFT_ASC_UB + 1; i < WEFT_ASC_REGIONS; i++) {
    if (core->dirty[i])  // memset of no bytes at a page that is not there takes a hundred nanoseconds
      memset(core->memory[i], 0, core->dirty[i]);
    core->dirty[i] = 0;
  }
  memset(core->used, 0, sizeof core->used);
  core->n_buffers = 0;
  core->atomic = WEFT_ASC_STORE;
  core->mask[0] = core->mask[1] = ~0ull;
  core->mask_counts = false;
  core->accumulated = 0;
  core->deq_scale = 1;
  core->pipe = NULL;
  memset(core->events, 0, sizeof core->events);
  core->mutexes = 0;
  memset(core->mutex_pipe, 0, sizeof core->mutex_pipe);
  memset(core->compared, 0, sizeof core->compared);
  memset(core->merged, 0, sizeof core->merged);
  memset(core->reduced, 0, sizeof core->reduced);
  if (!b->run->check)
    return;
  asc_check_core_free(core->check);
  core->check = asc_check_core_make(core, b->run->check);
}

void asc_memory_free(asc_block *b) {
  memory_free_kept(b);
  asc_check_core_free(b->core.check);
  if (b->memory)
    munmap(b->memory, b->memory_bytes);
}

static const char *const memory_names[WEFT_ASC_REGIONS] = {
    "UB", "L1", "L0A", "L0B", "L0C", "the bias table", "the fixpipe buffer"};
const char *weft_asc_region_name(int region) {
  return region >= 0 && region < WEFT_ASC_REGIONS ? memory_names[region] : "global memory";
}

uint8_t *weft_asc_region_at(int region, uint64_t offset, uint64_t bytes, weft_asc_at at) {
  weft_asc_core *core = asc_core_now();
  if (!core) {
    weft_asc_fail(at, "on-chip memory is there in a kernel's launch only");
    return NULL;
  }
  if (offset > core->capacity[region] || bytes > core->capacity[region] - offset)
    weft_asc_fail(at, "bytes %llu to %llu of %s, which has %u", (unsigned long long)offset,
                  (unsigned long long)(offset + bytes), memory_names[region], core->capacity[region]);
  core->dirty[region] = WEFT_MAX(core->dirty[region], (uint32_t)(offset + bytes));
  return core->memory[region] + offset;
}

weft_asc_buffer *weft_asc_buffer_init(int region, uint32_t bytes, weft_asc_at at) {
  weft_asc_core *core = asc_core_now();
  static _Thread_local weft_asc_buffer outside;
  if (!core) {
    weft_asc_fail(at, "InitBuffer: a TPipe works in a kernel's launch only");
    return &outside;
  }
  if (core->n_buffers == WEFT_COUNT(core->buffers))
    weft_asc_fail(at, "InitBuffer: a pipe has at most %zu buffers", WEFT_COUNT(core->buffers));
  const uint64_t whole = ((uint64_t)bytes + 31) / 32 * 32;
  const uint32_t from = core->used[region];
  if (whole > core->capacity[region] - from)
    weft_asc_fail(at, "InitBuffer: %u bytes more than %s has: %u of %u are taken already", bytes,
                  memory_names[region], from, core->capacity[region]);
  weft_asc_buffer *b = &core->buffers[core->n_buffers++];
  *b = (weft_asc_buffer){
      weft_asc_region_at(region, from, whole, at), (uint32_t)whole, (uint8_t)region, WEFT_ASC_TAKEN, 0, 0};
  core->used[region] = from + (uint32_t)whole;
  if (core->check)
    asc_check_forget(core, b->at, whole);
  return b;
}
// SPDX-License-Identifier: Apache-2.0
