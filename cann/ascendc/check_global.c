// check_global.c - what blocks do to global memory. A block keeps its own accesses, apart for each stretch
// between two barriers of all blocks; when all have ended, bytes that two blocks wrote, or one wrote and
// another read, within one stretch are an error: their order is chance.
#include <stdlib.h>
#include <string.h>

#include "base/base.h"
#include "check_state.h"

enum {
  TABLE_FIRST = 1 << 10,
  TABLE_LIMIT = 1 << 20
};  // cells of a core; beyond the limit nothing is checked

static uint32_t table_hash(uint64_t key) {
  key *= 0x9E3779B97F4A7C15ull;
  return (uint32_t)(key >> 32);
}

static check_cell *table_slot(const check_table *t, uint64_t key) {
  uint32_t i = table_hash(key) & (t->room - 1);
  while (t->cells[i].key && t->cells[i].key != key)
    i = (i + 1) & (t->room - 1);
  return &t->cells[i];
}

static bool table_grow(check_table *t) {
  const check_table before = *t;
  t->room = before.room ? before.room * 2 : TABLE_FIRST;
  t->cells = t->room <= TABLE_LIMIT * 2 ? calloc(t->room, sizeof *t->cells) : NULL;
  if (!t->cells) {
    *t = before;
    t->full = true;
    return false;
  }
  for (uint32_t i = 0; i < before.room; i++) {
    if (before.cells[i].key)
      *table_slot(t, before.cells[i].key) = before.cells[i];
  }
  free(before.cells);
  return true;
}

static check_cell *table_cell(check_table *t, uint64_t key) {
  if (t->room) {
    check_cell *cell = table_slot(t, key);
    if (cell->key)
      return cell;
  }
  if (t->full || (2 * t->used >= t->room && !table_grow(t)))
    return NULL;
  check_cell *cell = table_slot(t, key);
  cell->key = key;
  t->used++;
  return cell;
}

// Addresses have 48 bits, a cell's number 43: the epoch takes the rest.
check_cell *check_global_cell(check_core *c, uint64_t address) {
  return table_cell(&c->global, (uint64_t)(c->epoch & 0xFFFF) << 48 | address / CHECK_CELL | 1ull << 47);
}

void check_table_free(check_table *t) {
  free(t->cells);
  *t = (check_table){0};
}

// ---- all blocks ----

void *asc_check_run_make(const weft_asc_launch *l) {
  check_run *r = calloc(1, sizeof *r);
  if (!r)
    return NULL;
  r->launch = l;
  r->logs = calloc((size_t)l->blocks * ASC_GROUP_CORES, sizeof *r->logs);
  if (r->logs)
    return r;
  free(r);
  return NULL;
}

void asc_check_run_free(void *check) {
  check_run *r = check;
  if (!r)
    return;
  for (uint32_t key = 0; key < r->launch->blocks * ASC_GROUP_CORES; key++)
    check_table_free(&r->logs[key]);
  free(r->logs);
  free(r);
}

// Who wrote a cell, of all blocks: the first, and whether others did, too.
typedef struct global_writer {
  uint64_t key;
  uint32_t written, added;
  uint32_t block;
  const check_cell *cell;
} global_writer;
typedef struct global_map {
  global_writer *slots;
  uint32_t room;
} global_map;

static global_writer *map_slot(const global_map *m, uint64_t key) {
  uint32_t i = table_hash(key) & (m->room - 1);
  while (m->slots[i].key && m->slots[i].key != key)
    i = (i + 1) & (m->room - 1);
  return &m->slots[i];
}

static uint64_t cell_address(uint64_t key, uint32_t mask) {
  return (key & ((1ull << 47) - 1)) * CHECK_CELL + (uint64_t)__builtin_ctz(mask);
}

static void found_two(check_run *r, const char *does, uint32_t block, const char *file, int line,
                      const global_writer *w, uint32_t mask) {
  snprintf(r->found, sizeof r->found,
           "%s:%d: blocks %u and %u of kernel %s meet in global memory at 0x%llx: block %u writes it at "
           "%s:%d, and block %u "
           "%s it here; nothing says which comes first (SyncAll between them would)",
           file, line, w->block, block, r->launch->name, (unsigned long long)cell_address(w->key, mask),
           w->block, w->cell->write_file, w->cell->write_line, block, does);
}

// Adds what a block wrote; true: another block wrote the same bytes.
static bool log_writes(check_run *r, const global_map *m, const check_table *log, uint32_t block) {
  for (uint32_t i = 0; i < log->room; i++) {
    const check_cell *cell = &log->cells[i];
    if (!cell->key || !cell->written)
      continue;
    global_writer *w = map_slot(m, cell->key);
    const uint32_t both = w->written & cell->written & ~(w->added & cell->added);
    if (w->key && both) {
      found_two(r, "writes", block, cell->write_file, cell->write_line, w, both);
      return true;
    }
    if (!w->key)
      *w = (global_writer){cell->key, 0, 0, block, cell};
    w->written |= cell->written;
    w->added |= cell->added;
  }
  return false;
}

static uint32_t cell_reads(const check_cell *cell) {
  uint32_t read = 0;
  for (int i = 0; i < CHECK_PIPES; i++)
    read |= cell->read[i];
  return read;
}

static bool log_reads(check_run *r, const global_map *m, const check_table *log, uint32_t block) {
  for (uint32_t i = 0; i < log->room; i++) {
    const check_cell *cell = &log->cells[i];
    if (!cell->key)
      continue;
    const global_writer *w = map_slot(m, cell->key);
    const uint32_t both = cell_reads(cell) & w->written & ~cell->written;
    if (!w->key || w->block == block || !both)
      continue;
    found_two(r, "reads", block, cell->read_file, cell->read_line, w, both);
    return true;
  }
  return false;
}

static bool logs_meet(check_run *r, const global_map *m, uint32_t keys) {
  for (uint32_t key = 0; key < keys; key++) {
    if (log_writes(r, m, &r->logs[key], key / ASC_GROUP_CORES))
      return true;
  }
  for (uint32_t key = 0; key < keys; key++) {
    if (log_reads(r, m, &r->logs[key], key / ASC_GROUP_CORES))
      return true;
  }
  return false;
}

const char *asc_check_run_end(void *check) {
  check_run *r = check;
  const uint32_t keys = r->launch->blocks * ASC_GROUP_CORES;
  uint64_t cells = 0;
  for (uint32_t key = 0; key < keys; key++)
    cells += r->logs[key].used;
  global_map m = {.room = 16};
  while (m.room < 2 * cells)
    m.room *= 2;
  // Flags between cores order what no barrier orders: nothing is known then.
  m.slots = r->cross ? NULL : calloc(m.room, sizeof *m.slots);
  const bool meet = m.slots && logs_meet(r, &m, keys);
  free(m.slots);
  return meet ? r->found : NULL;
}
// SPDX-License-Identifier: Apache-2.0
