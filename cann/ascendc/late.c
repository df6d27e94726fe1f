// late.c - copies into UB that were not made yet (late.h).
#include "late.h"

#include "base/base.h"
#include "loops.h"

enum { LATE_MADE = 2 };  // a core that had to make more of them in a launch makes all others at once

static bool late_meets(const asc_late *l, uint64_t offset, uint64_t bytes) {
  return offset < (uint64_t)l->offset + l->bytes && l->offset < offset + bytes;
}

static void late_drop(asc_block *b, uint32_t i) {
  b->late[i] = b->late[--b->n_late];
}

// The list is shorter before UB is touched, which asks for the list.
static void late_make(asc_block *b, uint32_t i) {
  const asc_late l = b->late[i];
  late_drop(b, i);
  b->late_made++;
  asc_memory_touch(b, l.offset, l.bytes, true);
  asc_floats()->move(b->core.memory[WEFT_ASC_UB] + l.offset, l.from, l.bytes);
}

bool asc_late_copy(weft_asc_core *core, const void *to, const void *from, uint64_t bytes) {
  asc_block *b = asc_block_of(core);
  const uint64_t place = (uint64_t)(uintptr_t)to - (uint64_t)(uintptr_t)core->memory[WEFT_ASC_UB];
  const uint64_t room = core->capacity[WEFT_ASC_UB];
  if (bytes < ASC_LATE_BYTES || b->pointers || b->late_made > LATE_MADE || place >= room ||
      bytes > room - place)
    return false;
  const uint32_t offset = (uint32_t)place;
  if (asc_late_near(b, offset, bytes))
    asc_late_settle(b, offset, (uint32_t)bytes, true);
  if (b->n_late == WEFT_COUNT(b->late))
    return false;
  b->late_first = b->n_late ? WEFT_MIN(b->late_first, offset) : offset;
  b->late_end = WEFT_MAX(b->n_late ? b->late_end : 0, offset + (uint32_t)bytes);
  b->late[b->n_late++] = (asc_late){.from = from, .offset = offset, .bytes = (uint32_t)bytes};
  return true;
}

const void *asc_late_source(const asc_block *b, const void *at, uint64_t bytes) {
  const uint64_t offset = (uint64_t)(uintptr_t)at - (uint64_t)(uintptr_t)b->core.memory[WEFT_ASC_UB];
  for (uint32_t i = 0; i < b->n_late; i++) {
    const asc_late *l = &b->late[i];
    if (offset >= l->offset && offset - l->offset < l->bytes && bytes <= l->bytes - (offset - l->offset))
      return l->from + (offset - l->offset);
  }
  return NULL;
}

void asc_late_settle(asc_block *b, uint32_t offset, uint32_t bytes, bool over) {
  for (uint32_t i = b->n_late; i-- > 0;) {
    const asc_late *l = &b->late[i];
    if (!late_meets(l, offset, bytes))
      continue;
    if (over && offset <= l->offset && (uint64_t)l->offset + l->bytes <= (uint64_t)offset + bytes)
      late_drop(b, i);
    else
      late_make(b, i);
  }
}

void asc_late_before_write(asc_block *b, const void *at, uint64_t bytes) {
  const uint64_t first = (uint64_t)(uintptr_t)at;
  for (uint32_t i = b->n_late; i-- > 0;) {
    const asc_late *l = &b->late[i];
    const uint64_t from = (uint64_t)(uintptr_t)l->from;
    const bool apart = first >= from + l->bytes || from >= first + bytes;
    if (!l->free || !apart)
      late_make(b, i);
  }
}

void asc_late_free(asc_block *b, const void *at) {
  const uint64_t offset = (uint64_t)(uintptr_t)at - (uint64_t)(uintptr_t)b->core.memory[WEFT_ASC_UB];
  for (uint32_t i = 0; i < b->n_late; i++) {
    if (b->late[i].offset == offset)
      b->late[i].free = true;
  }
}

void asc_late_arrive(asc_block *b) {
  if (!b->far)
    return;
  asc_floats()->arrive();
  b->far = false;
}

void asc_late_settle_all(asc_block *b) {
  while (b->n_late)
    late_make(b, b->n_late - 1);
}
// SPDX-License-Identifier: Apache-2.0
