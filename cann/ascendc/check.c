// check.c - the checked mode. Each pipe has a clock: how many instructions of every pipe it knows to be done.
// An instruction advances its own pipe's; SetFlag keeps a copy of the source's clock, WaitFlag joins it into
// the target's, and so do EnQue and DeQue. Two accesses of the same bytes, one of them a write, have to be in
// one pipe or ordered by the clocks. The scalar unit hands out all instructions: what it waited for is known
// to all that it hands out later.
#include <stdlib.h>
#include <string.h>

#include "base/base.h"
#include "check_state.h"

static const char *const check_pipe_names[CHECK_PIPES] = {"S", "V", "M", "MTE1", "MTE2", "MTE3", "FIX"};

static int check_pipe(int pipe) {
  return pipe == WEFT_ASC_PIPE_FIX ? CHECK_PIPES - 1 : pipe < WEFT_ASC_PIPE_ALL ? pipe : WEFT_ASC_PIPE_S;
}

bool asc_check_wanted(void) {
  const char *asked = getenv("WEFT_ASC_CHECK");
  return asked && *asked && strcmp(asked, "0") != 0;
}

// ---- a core's state ----

static void core_free(check_core *c) {
  for (int i = 0; i < WEFT_ASC_REGIONS; i++) {
    free(c->cells[i]);
    free(c->written[i]);
  }
  check_table_free(&c->global);
  free(c);
}

void *asc_check_core_make(weft_asc_core *core, void *run_check) {
  check_core *c = calloc(1, sizeof *c);
  if (!c)
    return NULL;
  c->core = core;
  c->run = run_check;
  c->key = asc_block_of(core)->key;
  for (int i = 0; i < WEFT_ASC_REGIONS; i++) {
    const size_t cells = core->capacity[i] / CHECK_CELL + 1;
    c->cells[i] = calloc(cells, sizeof *c->cells[i]);
    c->written[i] = calloc(cells, sizeof *c->written[i]);
    if (c->cells[i] && c->written[i])
      continue;
    core_free(c);
    return NULL;
  }
  return c;
}

void asc_check_core_free(void *check) {
  if (check)
    core_free(check);
}

// ---- order ----

static void clock_join(check_clock *to, const check_clock *from) {
  for (int i = 0; i < CHECK_PIPES; i++)
    to->of[i] = WEFT_MAX(to->of[i], from->of[i]);
}

// An instruction of the pipe is handed out: it knows what the scalar unit waited for.
static void clock_advance(check_core *c, int pipe) {
  check_clock *own = &c->pipes[pipe];
  const check_clock *scalar = &c->pipes[WEFT_ASC_PIPE_S];
  for (int i = 0; i < CHECK_PIPES; i++) {
    if (i != WEFT_ASC_PIPE_S)
      own->of[i] = WEFT_MAX(own->of[i], i == pipe ? own->of[i] : scalar->of[i]);
  }
  own->of[pipe]++;
}

void asc_check_flag_set(weft_asc_core *core, int source, int target, int32_t id, weft_asc_at where) {
  check_core *c = core->check;
  c->flags[check_pipe(source)][check_pipe(target)][id] = c->pipes[check_pipe(source)];
  c->flags_at[check_pipe(source)][check_pipe(target)][id] = where;
}

void asc_check_flag_wait(weft_asc_core *core, int source, int target, int32_t id, weft_asc_at where) {
  (void)where;
  check_core *c = core->check;
  clock_join(&c->pipes[check_pipe(target)], &c->flags[check_pipe(source)][check_pipe(target)][id]);
}

void asc_check_barrier(weft_asc_core *core, int pipe) {
  check_core *c = core->check;
  if (pipe != WEFT_ASC_PIPE_ALL)
    return;
  check_clock all = {0};
  for (int i = 0; i < CHECK_PIPES; i++)
    clock_join(&all, &c->pipes[i]);
  for (int i = 0; i < CHECK_PIPES; i++)
    c->pipes[i] = all;
}

void asc_check_sync_all(weft_asc_core *core) {
  check_core *c = core->check;
  asc_check_barrier(core, WEFT_ASC_PIPE_ALL);
  c->epoch++;
}

void asc_check_sync_some(weft_asc_core *core) {
  check_core *c = core->check;
  c->run->cross = true;
}

void asc_check_give(weft_asc_core *core, weft_asc_buffer *b, int source) {
  check_core *c = core->check;
  clock_join(&c->orders[b - core->buffers], &c->pipes[check_pipe(source)]);
}

void asc_check_take(weft_asc_core *core, weft_asc_buffer *b, int target) {
  check_core *c = core->check;
  clock_join(&c->pipes[check_pipe(target)], &c->orders[b - core->buffers]);
}

void asc_check_end(weft_asc_core *core) {
  check_core *c = core->check;
  c->run->logs[c->key] = c->global;
  c->global = (check_table){0};
  for (int source = 0; source < WEFT_ASC_PIPES; source++) {
    for (int target = 0; target < WEFT_ASC_PIPES; target++) {
      const uint32_t set = core->events[source][target] >> CHECK_EVENTS;
      if (!set)
        continue;
      const int id = __builtin_ctz(set);
      weft_asc_fail(
          c->flags_at[check_pipe(source)][check_pipe(target)][id],
          "the kernel ended with event %d from %s to %s set here, and nobody waited for it: the next "
          "kernel would find it set",
          id, check_pipe_names[check_pipe(source)], check_pipe_names[check_pipe(target)]);
    }
  }
}

// ---- cells ----

typedef struct check_access {
  check_core *core;
  int pipe;
  bool write, add;
  weft_asc_at where;
  const uint8_t *at;  // for messages
  uint64_t bytes;
} check_access;

static bool access_after(const check_access *a, int pipe, uint32_t time) {
  return pipe == a->pipe || a->core->pipes[a->pipe].of[pipe] >= time;
}

// "bytes 64 to 128 of UB", "global memory at 0x..."
static void access_place(const check_access *a, char *out, size_t room) {
  const weft_asc_core *core = a->core->core;
  for (int i = 0; i < WEFT_ASC_REGIONS; i++) {
    if (a->at < core->memory[i] || a->at >= core->memory[i] + core->capacity[i])
      continue;
    const uint64_t from = (uint64_t)(a->at - core->memory[i]);
    snprintf(out, room, "bytes %llu to %llu of %s", (unsigned long long)from,
             (unsigned long long)(from + a->bytes), weft_asc_region_name(i));
    return;
  }
  snprintf(out, room, "%llu bytes of global memory at %p", (unsigned long long)a->bytes, (const void *)a->at);
}

static void access_race(const check_access *a, bool wrote, int pipe, const char *file, int line) {
  char place[128];
  access_place(a, place, sizeof place);
  const char *own = check_pipe_names[a->pipe];
  const char *other = check_pipe_names[pipe];
  weft_asc_fail(a->where,
                "missing order: %s %s %s, which %s %s at %s:%d, and nothing says that this comes after it; "
                "SetFlag<HardEvent::%s_%s> behind that and WaitFlag before this, or a queue, would",
                own, a->write ? "writes" : "reads", place, other, wrote ? "writes" : "reads", file, line,
                other, own);
}

static void cell_check(const check_access *a, const check_cell *cell, uint32_t mask) {
  if (cell->written & mask && !access_after(a, cell->write_pipe, cell->write_time))
    access_race(a, true, cell->write_pipe, cell->write_file, cell->write_line);
  for (int pipe = 0; a->write && pipe < CHECK_PIPES; pipe++) {
    if (cell->read[pipe] & mask && !access_after(a, pipe, cell->read_time[pipe]))
      access_race(a, false, pipe, cell->read_file, cell->read_line);
  }
}

static void cell_note(const check_access *a, check_cell *cell, uint32_t mask) {
  const uint32_t now = a->core->pipes[a->pipe].of[a->pipe];
  if (!a->write) {
    cell->read[a->pipe] |= mask;
    cell->read_time[a->pipe] = now;
    cell->read_file = a->where.file;
    cell->read_line = a->where.line;
    return;
  }
  cell->written |= mask;
  cell->added = a->add ? cell->added | mask : cell->added & ~mask;
  cell->write_pipe = (uint8_t)a->pipe;
  cell->write_time = now;
  cell->write_file = a->where.file;
  cell->write_line = a->where.line;
}

// Bytes [from, to) of a cell.
static uint32_t cell_mask(uint64_t from, uint64_t to) {
  const uint64_t high = to >= CHECK_CELL ? ~0ull : (1ull << to) - 1;
  return (uint32_t)(high & ~((1ull << from) - 1));
}

// ---- what lies on the chip ----

static int core_region(const weft_asc_core *core, const void *at) {
  const uint8_t *byte = at;
  for (int i = 0; i < WEFT_ASC_REGIONS; i++) {
    if (byte >= core->memory[i] && byte < core->memory[i] + core->capacity[i])
      return i;
  }
  return -1;
}

// The buffer that holds where an access begins has to hold all of it, and the program has to have it.
static void access_buffer(const check_access *a) {
  static const char *const states[] = {"was given back by FreeTensor", "", "was put into its queue by EnQue",
                                       ""};
  const weft_asc_core *core = a->core->core;
  for (uint32_t i = 0; i < core->n_buffers; i++) {
    const weft_asc_buffer *b = &core->buffers[i];
    if (a->at < b->at || a->at >= b->at + b->bytes)
      continue;
    if (a->bytes > (uint64_t)(b->at + b->bytes - a->at))
      weft_asc_fail(a->where, "%s %s %llu bytes from byte %llu of a buffer that has %u",
                    check_pipe_names[a->pipe], a->write ? "writes" : "reads", (unsigned long long)a->bytes,
                    (unsigned long long)(a->at - b->at), b->bytes);
    if (b->state == WEFT_ASC_FREE || b->state == WEFT_ASC_QUEUED)
      weft_asc_fail(a->where, "%s %s a tensor that %s", check_pipe_names[a->pipe],
                    a->write ? "writes" : "reads", states[b->state]);
    return;
  }
}

static void access_local(const check_access *a, int region) {
  const weft_asc_core *core = a->core->core;
  const uint64_t first = (uint64_t)(a->at - core->memory[region]);
  access_buffer(a);
  for (uint64_t at = first; at < first + a->bytes; at = (at / CHECK_CELL + 1) * CHECK_CELL) {
    check_cell *cell = &a->core->cells[region][at / CHECK_CELL];
    const uint64_t base = at / CHECK_CELL * CHECK_CELL;
    const uint32_t mask = cell_mask(at - base, first + a->bytes - base);
    cell_check(a, cell, mask);
    if (a->write && (cell->written & mask) == cell->written)
      cell->written = 0;
    cell_note(a, cell, mask);
    if (a->write) {
      memset(cell->read, 0, sizeof cell->read);
      a->core->written[region][at / CHECK_CELL] |= mask;
    }
  }
}

static void access_global(const check_access *a) {
  const uint64_t first = (uint64_t)(uintptr_t)a->at;
  for (uint64_t at = first; at < first + a->bytes; at = (at / CHECK_CELL + 1) * CHECK_CELL) {
    check_cell *cell = check_global_cell(a->core, at);
    if (!cell)
      return;
    const uint64_t base = at / CHECK_CELL * CHECK_CELL;
    const uint32_t mask = cell_mask(at - base, first + a->bytes - base);
    cell_check(a, cell, mask);
    cell_note(a, cell, mask);
  }
}

static int access_make(const check_access *a) {
  const int region = core_region(a->core->core, a->at);
  if (region >= 0)
    access_local(a, region);
  else
    access_global(a);
  return region;
}

static check_access access_of(weft_asc_core *core, int pipe, const void *at, uint64_t bytes,
                              weft_asc_at where) {
  const check_access a = {core->check, check_pipe(pipe), false, false, where, at, bytes};
  clock_advance(a.core, a.pipe);
  return a;
}

// The first byte that nobody wrote, or `bytes`.
static uint64_t first_unwritten(const check_core *c, int region, const void *at, uint64_t bytes) {
  const uint64_t first = (uint64_t)((const uint8_t *)at - c->core->memory[region]);
  for (uint64_t i = first; i < first + bytes; i++) {
    if (!(c->written[region][i / CHECK_CELL] >> (i % CHECK_CELL) & 1))
      return i - first;
  }
  return bytes;
}

void asc_check_lanes(weft_asc_core *core, int pipe, const void *at, uint64_t bytes, weft_asc_at where) {
  const check_access a = access_of(core, pipe, at, bytes, where);
  access_make(&a);
}

void asc_check_read(weft_asc_core *core, int pipe, const void *at, uint64_t bytes, weft_asc_at where) {
  const check_access a = access_of(core, pipe, at, bytes, where);
  const int region = access_make(&a);
  if (region < 0)
    return;
  const uint64_t missing = first_unwritten(a.core, region, at, bytes);
  if (missing == bytes)
    return;
  char place[128];
  access_place(&a, place, sizeof place);
  weft_asc_fail(where, "%s reads %s, and nobody wrote byte %llu of them", check_pipe_names[a.pipe], place,
                (unsigned long long)missing);
}

void asc_check_write(weft_asc_core *core, int pipe, const void *at, uint64_t bytes, weft_asc_at where) {
  check_access a = access_of(core, pipe, at, bytes, where);
  a.write = true;
  access_make(&a);
}

void asc_check_add(weft_asc_core *core, int pipe, const void *at, uint64_t bytes, weft_asc_at where) {
  check_access a = access_of(core, pipe, at, bytes, where);
  a.write = a.add = true;
  access_make(&a);
}

static void unwritten_mark(check_core *c, int region, uint64_t first, uint64_t bytes) {
  for (uint64_t i = first; i < first + bytes; i++)
    c->written[region][i / CHECK_CELL] &= ~(1u << (i % CHECK_CELL));
}

void asc_check_flow(weft_asc_core *core, const void *dst, uint64_t dst_bytes, const void *src,
                    uint64_t src_bytes, uint64_t n) {
  check_core *c = core->check;
  const int to = core_region(core, dst);
  const int from = core_region(core, src);
  if (to < 0 || from < 0 || first_unwritten(c, from, src, n * src_bytes) == n * src_bytes)
    return;
  const uint64_t first = (uint64_t)((const uint8_t *)dst - core->memory[to]);
  for (uint64_t i = 0; i < n; i++) {
    if (first_unwritten(c, from, (const uint8_t *)src + i * src_bytes, src_bytes) < src_bytes)
      unwritten_mark(c, to, first + i * dst_bytes, dst_bytes);
  }
}

void asc_check_forget(weft_asc_core *core, const void *at, uint64_t bytes) {
  const int region = core_region(core, at);
  if (region >= 0)
    unwritten_mark(core->check, region, (uint64_t)((const uint8_t *)at - core->memory[region]), bytes);
}

void asc_check_aligned(weft_asc_core *core, const void *at, const char *operand, weft_asc_at where) {
  const int region = core_region(core, at);
  if (region < 0)
    return;
  const uint64_t offset = (uint64_t)((const uint8_t *)at - core->memory[region]);
  if (offset % 32)
    weft_asc_fail(where, "%s: byte %llu of %s; an operand begins at a multiple of 32 bytes", operand,
                  (unsigned long long)offset, weft_asc_region_name(region));
}
// SPDX-License-Identifier: Apache-2.0
