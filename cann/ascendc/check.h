// check.h - the checked mode (WEFT_ASC_CHECK=1): what an access or an order means for the model of memories
// and pipes that check.c keeps. Callers look at core->check first.
#pragma once
#include "weft_cann/asc_core.h"

// An instruction of `pipe` reads or writes bytes; on the chip or in global memory.
void asc_check_read(weft_asc_core *core, int pipe, const void *at, uint64_t bytes, weft_asc_at where);
void asc_check_write(weft_asc_core *core, int pipe, const void *at, uint64_t bytes, weft_asc_at where);
// Global memory beyond what a GlobalTensor named, or beyond its allocation.
void asc_check_atomic(weft_asc_core *core, int pipe, const void *at, uint64_t bytes, weft_asc_at where);
// Flags and barriers order pipes.
void asc_check_flag_set(weft_asc_core *core, int source, int target, int32_t id, weft_asc_at where);
void asc_check_flag_wait(weft_asc_core *core, int source, int target, int32_t id, weft_asc_at where);
void asc_check_barrier(weft_asc_core *core, int pipe);
void asc_check_sync_all(weft_asc_core *core);
// A buffer goes from the pipe that had it to the one that gets it.
void asc_check_give(weft_asc_core *core, weft_asc_buffer *b, int source);
void asc_check_take(weft_asc_core *core, weft_asc_buffer *b, int target);
// Nothing of the core's memory has been written.
void asc_check_forget(weft_asc_core *core, const void *at, uint64_t bytes);
