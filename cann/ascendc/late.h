// late.h - copies into UB that were not made yet. Most of what DataCopy brings is read once, by a vector
// instruction, which can as well read where it comes from. So a copy of a few kilobytes is noted, and made
// only when something else touches its bytes in UB, or when global memory could change: a program that is
// free of races has to wait for the copy before it lets that happen, and it waits by a flag, a barrier or a
// copy of its own, which all settle what is late. None of it in checked mode.
#pragma once
#include "run.h"

enum { ASC_LATE_BYTES = 2048 };  // and more: a smaller copy is made faster than it is noted

// Whether a copy that was not made may have to do with these bytes of UB.
static inline bool asc_late_near(const asc_block *b, uint64_t offset, uint64_t bytes) {
  return b->n_late && offset < b->late_end && b->late_first < offset + bytes;
}
// Notes a copy to a place in UB. False: it has to be made.
bool asc_late_copy(weft_asc_core *core, const void *to, const void *from, uint64_t bytes);
// Where in global memory the bytes are that UB is to have; NULL: in UB, or not in one piece.
const void *asc_late_source(const asc_block *b, const void *at, uint64_t bytes);
// UB bytes are about to be read or changed; `over`: all of them written.
void asc_late_settle(asc_block *b, uint32_t offset, uint32_t bytes, bool over);
// Global memory [at, at + bytes) is about to change by the block's own copy, which others may wait for.
void asc_late_before_write(asc_block *b, const void *at, uint64_t bytes);
// The buffer at this address was given back: nobody should read it any more.
void asc_late_free(asc_block *b, const void *at);
// All of them.
void asc_late_settle_all(asc_block *b);
// What went past the caches is where others see it.
void asc_late_arrive(asc_block *b);
// Both: what a wait, a barrier or a store of the kernel's own asks for.
static inline void asc_late_all(weft_asc_core *core) {
  asc_block *b = asc_block_of(core);
  asc_late_arrive(b);
  if (b->n_late)
    asc_late_settle_all(b);
}
// SPDX-License-Identifier: Apache-2.0
