// run.h - a launch while it goes on. Blocks are numbered by `key`, the order in which their atomic additions
// are made: the first core of every block, and beside it those that a kernel of both kinds of cores adds.
#pragma once
#include <pthread.h>

#include "fibre.h"
#include "weft_cann/asc_core.h"
#include "weft_cann/asc_units.h"

enum { ASC_GROUP_CORES = 3, ASC_FLAGS = 32, ASC_STACK_BYTES = 1 << 20, ASC_MESSAGE_BYTES = 2048 };
// Of the largest UB (memory.c), whose pages a block has a bit each for.
enum { ASC_UB_PAGE = 1024, ASC_UB_LIMIT = 1 << 20, ASC_UB_WORDS = ASC_UB_LIMIT / ASC_UB_PAGE / 64 };

typedef enum asc_block_state { ASC_NOT_BEGUN, ASC_RUNNING, ASC_WAITING, ASC_ENDED } asc_block_state;

typedef struct asc_text {
  char *text;
  size_t used, room;
} asc_text;

// A copy from global memory to UB that was not made yet: late.h.
typedef struct asc_late {
  const uint8_t *from;
  uint32_t offset, bytes;
  bool free;  // its buffer was given back
} asc_late;

// One core's work: a fibre, and the memories of its core.
typedef struct asc_block {
  weft_asc_core core;
  asc_fibre *fibre;
  struct asc_run *run;
  struct asc_block *next;  // of a worker's own that wait, or of those that are free
  uint8_t *memory;         // all of the core's memories
  size_t memory_bytes;
  uint32_t key;
  uint32_t arch;  // whose memories it has
  // pages of UB that a block touched since the core was made
  uint64_t ub_used[ASC_UB_WORDS];
  // that this one did: of the others, those above hold what is to be cleared
  uint64_t ub_ready[ASC_UB_WORDS];
  asc_late late[8];
  uint32_t n_late;
  uint32_t late_first, late_end;  // bytes of UB outside of which nothing is late
  uint32_t late_made;             // in this launch: they had to be made after all
  bool far;                       // something was copied past the caches
  bool pointers;                  // the kernel uses addresses of memory by itself: nothing is late
  bool (*ready)(void *arg);       // what it waits for
  void *ready_arg;
  const char *waits_for;
  weft_asc_at waits_at;
  weft_asc_cube cube;
  weft_asc_loops loops[2];  // around copies in and out
  uint8_t *work;            // of the cube's products: the block's, as one that fails never returns
  size_t work_bytes;
  struct asc_kept *kept;        // of weft_asc_keep
  struct asc_threads *threads;  // of a function of threads, kept for the next
} asc_block;

typedef struct asc_run {
  const weft_asc_launch *launch;
  pthread_mutex_t lock;
  pthread_cond_t changed;
  uint32_t next;          // first block that has not begun
  uint32_t begun, ended;  // cores
  uint32_t running;
  int task;         // WEFT_ASC_TASK_*, -1 as long as no block said it
  uint32_t *added;  // keys of cores that blocks added
  uint32_t n_added, taken_added;
  uint8_t *state;        // asc_block_state of each key
  asc_block **block_of;  // of each key that runs or waits
  asc_text *prints;      // of each key
  bool failed;
  char message[ASC_MESSAGE_BYTES];
  // barriers of all cores of a kind, and flags between cores
  uint32_t arrived[3], generation[3];
  uint16_t *inbox;   // [key][flag]: flags that came for it
  uint16_t *groups;  // [block][flag]: vector cores of a group that set it
  uint32_t everywhere[3][ASC_FLAGS];
  void *check;  // checked mode: what all blocks wrote
} asc_run;

// The block that this thread runs; NULL outside of launches. A block that waits goes on in the thread that it
// began in, so an address of this does not grow old.
extern __attribute__((visibility("hidden"))) _Thread_local asc_block *asc_now;
static inline asc_block *asc_block_current(void) {
  return asc_now;
}
static inline weft_asc_core *asc_core_now(void) {
  return (weft_asc_core *)asc_now;
}
// The core is what a block begins with.
static inline asc_block *asc_block_of(weft_asc_core *core) {
  return (asc_block *)core;
}
// Gives the processor to another block until ready(arg), which is called under the run's lock.
void asc_block_wait(asc_block *b, bool (*ready)(void *arg), void *arg, const char *what, weft_asc_at at);
// The launch failed; the first message stays. Under the lock.
void asc_run_fail(asc_run *r, const char *format, ...) __attribute__((format(printf, 2, 3)));
uint32_t asc_run_group_cores(const asc_run *r);  // that a block has
// How messages call a core: "block 3 of 8", "vector core 1 of block 3 of 8".
void asc_core_name(const weft_asc_core *core, char *out, size_t bytes);

// ---- memory.c ----
bool asc_memory_make(asc_block *b);
void asc_memory_begin(asc_block *b);  // as a core is before its block: all zero
void asc_memory_free(asc_block *b);
// Bytes of UB are about to be read or written; `over`: all of them written, whatever they were.
void asc_memory_clear(asc_block *b, uint32_t offset, uint32_t bytes, bool over);
static inline void asc_memory_touch(asc_block *b, uint32_t offset, uint32_t bytes, bool over) {
  const uint32_t first = offset / ASC_UB_PAGE;
  const uint32_t last = (offset + bytes - 1) / ASC_UB_PAGE;
  const uint64_t pages = ~0ull << first % 64 & ~0ull >> (63 - last % 64);
  const bool ready = first / 64 == last / 64 && !(~b->ub_ready[first / 64] & pages);
  if (bytes && !ready)
    asc_memory_clear(b, offset, bytes, over);
}

// ---- threads.c ----
typedef struct asc_threads asc_threads;
void asc_threads_free(asc_threads *t);

// ---- check.c: nothing of it runs where core->check is NULL ----
bool asc_check_wanted(void);
void *asc_check_run_make(const weft_asc_launch *l);
// Blocks that wrote the same bytes: the text of a failure, or NULL.
const char *asc_check_run_end(void *check);
void asc_check_run_free(void *check);
void *asc_check_core_make(weft_asc_core *core, void *run_check);
void asc_check_core_free(void *check);
// SPDX-License-Identifier: Apache-2.0
