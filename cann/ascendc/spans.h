// spans.h - where an instruction's operands lie: bytes of an on-chip memory, checked before they are touched.
#pragma once
#include "late.h"
#include "loops.h"
#include "weft_cann/asc_core.h"

// Fails where [at, at + bytes) is not inside one on-chip memory. `operand`: "dst".
void asc_local_span(weft_asc_core *core, const void *at, uint64_t bytes, const char *operand,
                    weft_asc_at where);
// Whether it is inside UB; if so, it counts as touched. `over`: all of the bytes are about to be written.
static inline bool asc_in_ub(weft_asc_core *core, const void *at, uint64_t bytes, bool over) {
  const uint64_t offset = (uint64_t)(uintptr_t)at - (uint64_t)(uintptr_t)core->memory[WEFT_ASC_UB];
  const uint64_t room = core->capacity[WEFT_ASC_UB];
  if (offset >= room || bytes > room - offset)
    return false;
  asc_block *b = asc_block_of(core);
  if (asc_late_near(b, offset, bytes))
    asc_late_settle(b, (uint32_t)offset, (uint32_t)bytes, over);
  asc_memory_touch(b, (uint32_t)offset, (uint32_t)bytes, over);
  return true;
}
// Where an instruction that writes [dst, dst + dst_bytes) reads bytes of UB: there, or where a late copy has
// them. NULL: they are not inside UB.
static inline const void *asc_ub_source(weft_asc_core *core, const void *at, uint64_t bytes, const void *dst,
                                        uint64_t dst_bytes) {
  const uint8_t *from = at;
  const uint8_t *to = dst;
  const asc_block *b = asc_block_of(core);
  const bool apart = to == from || to >= from + bytes || from >= to + dst_bytes;
  const uint64_t offset = (uint64_t)(uintptr_t)at - (uint64_t)(uintptr_t)core->memory[WEFT_ASC_UB];
  const void *late = asc_late_near(b, offset, bytes) && apart ? asc_late_source(b, at, bytes) : NULL;
  if (late)
    return late;
  return asc_in_ub(core, at, bytes, false) ? at : NULL;
}
// The same where all of the bytes are about to be written.
void asc_local_over(weft_asc_core *core, const void *at, uint64_t bytes, const char *operand,
                    weft_asc_at where);

// The same of what a vector instruction that is no run of elements reads or writes, in checked mode all else,
// too.
void asc_local_read(weft_asc_core *core, const void *at, uint64_t bytes, const char *operand,
                    weft_asc_at where);
void asc_local_write(weft_asc_core *core, const void *at, uint64_t bytes, const char *operand,
                     weft_asc_at where);
// The core that an instruction runs on; NULL, and a failure, outside of launches.
weft_asc_core *asc_core_for(const char *name, weft_asc_at at);

// The elements of a vector instruction, run by run: `n` elements from place `element` of repeat `repeat`,
// which lie one after another in each operand.
typedef struct asc_runs {
  const weft_asc_vector *v;
  weft_asc_operand operands[3];  // dst, then the sources
  uint32_t n_operands;
  uint32_t per_repeat;  // elements of a repeat
  uint32_t block;       // of those after which an operand's next block begins; 0: none does
  uint64_t mask[2];
  uint64_t left;  // elements in counter mode; ~0: the mask holds for every repeat
  uint32_t repeats;
  // where it stands
  uint32_t repeat, element;
} asc_runs;
typedef struct asc_run_of {
  uint8_t *at[3];
  uint32_t n;
  uint32_t repeat, element;
} asc_run_of;
void asc_runs_begin(asc_runs *r, const weft_asc_vector *v, weft_asc_core *core);
// The same, where a repeat ends a run also when the next one follows it.
void asc_runs_begin_apart(asc_runs *r, const weft_asc_vector *v, weft_asc_core *core);
bool asc_runs_next(asc_runs *r, asc_run_of *out);
// Whether dst is read, too.
static inline bool asc_op_accumulates(weft_asc_vector_op op) {
  return op == WEFT_ASC_MUL_ADD || op == WEFT_ASC_FUSED_MUL_ADD || op == WEFT_ASC_FUSED_MUL_ADD_RELU ||
         op == WEFT_ASC_AXPY;
}
// Reads and writes that the instruction makes, checked: inside their memories, and in checked mode all else.
void asc_runs_check(weft_asc_core *core, const weft_asc_vector *v, bool writes, const char *name,
                    weft_asc_at at);
// SPDX-License-Identifier: Apache-2.0
