// check.h - the checked mode (WEFT_ASC_CHECK=1): what an access or an order means for the model of memories
// and pipes that check.c keeps. Callers look at core->check first.
#pragma once
#include "weft_cann/asc_core.h"

// An instruction of `pipe` reads or writes bytes; on the chip or in global memory. What it reads has to be
// written before.
void asc_check_read(weft_asc_core *core, int pipe, const void *at, uint64_t bytes, weft_asc_at where);
void asc_check_write(weft_asc_core *core, int pipe, const void *at, uint64_t bytes, weft_asc_at where);
// The same of an addition to global memory, which other blocks may make, too.
void asc_check_add(weft_asc_core *core, int pipe, const void *at, uint64_t bytes, weft_asc_at where);
// A read of lanes whose results nobody may use: `asc_check_flow` says where they go.
void asc_check_lanes(weft_asc_core *core, int pipe, const void *at, uint64_t bytes, weft_asc_at where);
// dst[i] was made of src[i]: it is as good as that was. After the write of dst.
void asc_check_flow(weft_asc_core *core, const void *dst, uint64_t dst_bytes, const void *src,
                    uint64_t src_bytes, uint64_t n);
// An operand's address has to be one of a 32-byte block.
void asc_check_aligned(weft_asc_core *core, const void *at, const char *operand, weft_asc_at where);

// Flags and barriers order pipes.
void asc_check_flag_set(weft_asc_core *core, int source, int target, int32_t id, weft_asc_at where);
void asc_check_flag_wait(weft_asc_core *core, int source, int target, int32_t id, weft_asc_at where);
void asc_check_barrier(weft_asc_core *core, int pipe);
// All blocks were here: what they wrote to global memory is seen by all.
void asc_check_sync_all(weft_asc_core *core);
// Another core was waited for: which of its writes are seen is not known any more.
void asc_check_sync_some(weft_asc_core *core);
// A buffer goes from the pipe that had it to the one that gets it.
void asc_check_give(weft_asc_core *core, weft_asc_buffer *b, int source);
void asc_check_take(weft_asc_core *core, weft_asc_buffer *b, int target);
// Nothing has been written there.
void asc_check_forget(weft_asc_core *core, const void *at, uint64_t bytes);
// The block ended: flags that nobody waited for are an error of the next kernel.
void asc_check_end(weft_asc_core *core);
// SPDX-License-Identifier: Apache-2.0
