// run.c - a launch: workers take blocks in their order and run each as a fibre of their own thread until it
// ends or waits; who waits is looked at before a new block is begun. Nobody runs and nobody can: the message
// names every block with what it waits for. A block that fails is left where it stands.
#include "run.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/base.h"
#include "check.h"
#include "late.h"
#include "pool.h"

_Thread_local asc_block *asc_now;
static _Thread_local char run_error[ASC_MESSAGE_BYTES];

weft_asc_core *weft_asc_current(void) {
  return asc_core_now();
}

const char *weft_asc_error(void) {
  return run_error;
}

void asc_core_name(const weft_asc_core *core, char *out, size_t bytes) {
  const bool mixed = asc_block_of((weft_asc_core *)core)->run->task >= WEFT_ASC_TASK_MIX_1_1;
  if (!mixed)
    snprintf(out, bytes, "block %u of %u", core->block, core->blocks);
  else if (core->kind == WEFT_ASC_AIC)
    snprintf(out, bytes, "the cube core of block %u of %u", core->block, core->blocks);
  else
    snprintf(out, bytes, "vector core %u of block %u of %u", core->sub_block, core->block / core->sub_blocks,
             core->blocks);
}

void asc_run_fail(asc_run *r, const char *format, ...) {
  if (r->failed)
    return;
  va_list args;
  va_start(args, format);
  vsnprintf(r->message, sizeof r->message, format, args);
  va_end(args);
  r->failed = true;
  pthread_cond_broadcast(&r->changed);
}

void weft_asc_fail(weft_asc_at at, const char *format, ...) {
  asc_block *b = asc_block_current();
  char text[ASC_MESSAGE_BYTES - 512];
  va_list args;
  va_start(args, format);
  vsnprintf(text, sizeof text, format, args);
  va_end(args);
  if (!b) {
    snprintf(run_error, sizeof run_error, "%s:%d: outside of a kernel's launch: %s", at.file, at.line, text);
    return;
  }
  char name[128];
  asc_core_name(&b->core, name, sizeof name);
  pthread_mutex_lock(&b->run->lock);
  asc_run_fail(b->run, "%s:%d: %s\n  in kernel %s, %s", at.file, at.line, text, b->run->launch->name, name);
  pthread_mutex_unlock(&b->run->lock);
  for (;;)
    asc_fibre_leave(b->fibre);
}

// ---- blocks ----

static void block_free(asc_block *b) {
  asc_threads_free(b->threads);
  free(b->work);
  asc_memory_free(b);
  asc_fibre_free(b->fibre);
  free(b);
}

// Cores that no launch has: making one costs a hundred microseconds, most of them for its pages.
enum { BLOCKS_KEPT = 64 };
static pthread_mutex_t kept_lock = PTHREAD_MUTEX_INITIALIZER;
static asc_block *kept_blocks;
static uint32_t n_kept;

static asc_block *kept_take(uint32_t arch) {
  asc_block *found = NULL;
  pthread_mutex_lock(&kept_lock);
  for (asc_block **at = &kept_blocks; *at && !found; at = &(*at)->next) {
    if ((*at)->arch != arch)
      continue;
    found = *at;
    *at = found->next;
    n_kept--;
    break;
  }
  pthread_mutex_unlock(&kept_lock);
  return found;
}

// What waits in the middle of a kernel can be left there: its stack begins anew.
static void kept_give(asc_block *b) {
  pthread_mutex_lock(&kept_lock);
  const bool room = n_kept < BLOCKS_KEPT;
  if (room) {
    b->next = kept_blocks;
    kept_blocks = b;
    n_kept++;
  }
  pthread_mutex_unlock(&kept_lock);
  if (!room)
    block_free(b);
}

// With the library: a package that is unloaded leaves nothing behind.
__attribute__((destructor)) static void kept_free(void) {
  while (kept_blocks) {
    asc_block *b = kept_blocks;
    kept_blocks = b->next;
    block_free(b);
  }
  n_kept = 0;
}

static asc_block *block_make(asc_run *r) {
  const bool strict = r->check && r->launch->arch == WEFT_ASC_ARCH_TWIN;
  const uint32_t arch = strict ? 2201 : r->launch->arch;
  asc_block *b = kept_take(arch);
  if (b) {
    b->run = r;
    b->late_made = 0;
    return b;
  }
  b = calloc(1, sizeof *b);
  if (!b)
    return NULL;
  b->run = r;
  b->arch = arch;
  b->fibre = asc_fibre_make(ASC_STACK_BYTES);
  if (b->fibre && asc_memory_make(b))
    return b;
  block_free(b);
  return NULL;
}

static void block_body(void *arg) {
  asc_block *b = arg;
  b->run->launch->body(b->run->launch->args);
  if (b->core.pipe)
    weft_asc_pipe_reset(true, b->run->launch->at);
  if (b->core.check)
    asc_check_end(&b->core);
  asc_late_arrive(b);
}

uint32_t asc_run_group_cores(const asc_run *r) {
  return r->task == WEFT_ASC_TASK_MIX_1_2 ? 3 : r->task == WEFT_ASC_TASK_MIX_1_1 ? 2 : 1;
}

// Who a key is, as far as the launch's task is known: 0 and 1 are vector cores, 2 is the cube.
static void block_role(asc_block *b) {
  const asc_run *r = b->run;
  const uint32_t group = b->key / ASC_GROUP_CORES;
  const uint32_t place = b->key % ASC_GROUP_CORES;
  weft_asc_core *core = &b->core;
  const bool cube = place == 2 || r->task == WEFT_ASC_TASK_AIC;
  core->kind = cube ? WEFT_ASC_AIC : WEFT_ASC_AIV;
  core->sub_blocks = r->task == WEFT_ASC_TASK_MIX_1_2 ? 2 : 1;
  core->sub_block = cube ? 0 : place;
  core->block = cube ? group : group * core->sub_blocks + place;
}

static void block_begin(asc_block *b, uint32_t key) {
  const weft_asc_launch *l = b->run->launch;
  b->key = key;
  b->core.blocks = l->blocks;
  b->core.tiling_key = l->tiling_key;
  b->core.fibre = b;
  b->cube = (weft_asc_cube){0};
  b->loops[0] = b->loops[1] = (weft_asc_loops){0};
  asc_memory_begin(b);
  block_role(b);
  asc_fibre_start(b->fibre, block_body, b);
  b->run->state[key] = ASC_RUNNING;
  b->run->block_of[key] = b;
  b->run->begun++;
}

// The cores beside the first one of a block. Under the lock.
static void group_add(asc_run *r, uint32_t group) {
  if (r->task == WEFT_ASC_TASK_MIX_1_2)
    r->added[r->n_added++] = group * ASC_GROUP_CORES + 1;
  r->added[r->n_added++] = group * ASC_GROUP_CORES + 2;
  pthread_cond_broadcast(&r->changed);
}

void weft_asc_task(int task) {
  asc_block *b = asc_block_current();
  if (!b || b->key % ASC_GROUP_CORES || b->run->launch->task >= WEFT_ASC_TASK_MIX_1_1)
    return;
  asc_run *r = b->run;
  pthread_mutex_lock(&r->lock);
  r->task = task;
  block_role(b);
  if (task >= WEFT_ASC_TASK_MIX_1_1)
    group_add(r, b->key / ASC_GROUP_CORES);
  pthread_mutex_unlock(&r->lock);
}

// ---- workers ----

typedef struct run_worker {
  asc_run *run;
  asc_block *waiting, *idle;
} run_worker;

static bool block_ready(const asc_block *b) {
  return b->ready(b->ready_arg);
}

// One of the worker's own that need not wait any more, taken out of its list.
static asc_block *worker_ready(run_worker *w) {
  for (asc_block **at = &w->waiting; *at; at = &(*at)->next) {
    asc_block *b = *at;
    if (!block_ready(b))
      continue;
    *at = b->next;
    return b;
  }
  return NULL;
}

// The next core to begin, or false.
static bool run_next_key(asc_run *r, uint32_t *key) {
  if (r->taken_added < r->n_added) {
    *key = r->added[r->taken_added++];
    return true;
  }
  if (r->next >= r->launch->blocks)
    return false;
  *key = r->next++ * ASC_GROUP_CORES;
  if (r->launch->task >= WEFT_ASC_TASK_MIX_1_1)
    group_add(r, *key / ASC_GROUP_CORES);
  return true;
}

static asc_block *worker_begin(run_worker *w) {
  uint32_t key;
  if (!run_next_key(w->run, &key))
    return NULL;
  asc_block *b = w->idle;
  if (b)
    w->idle = b->next;
  else
    b = block_make(w->run);
  if (!b) {
    asc_run_fail(w->run, "no memory for block %u of kernel %s", key / ASC_GROUP_CORES, w->run->launch->name);
    return NULL;
  }
  block_begin(b, key);
  return b;
}

// Nobody runs, nobody is left to begin: is there one among all that could go on?
static bool run_stuck(const asc_run *r) {
  if (r->running || r->next < r->launch->blocks || r->taken_added < r->n_added)
    return false;
  for (uint32_t key = 0; key < r->launch->blocks * ASC_GROUP_CORES; key++) {
    if (r->state[key] == ASC_WAITING && block_ready(r->block_of[key]))
      return false;
  }
  return true;
}

static void run_fail_stuck(asc_run *r) {
  char text[1024] = "";
  size_t used = 0;
  uint32_t listed = 0;
  for (uint32_t key = 0; key < r->launch->blocks * ASC_GROUP_CORES; key++) {
    const asc_block *b = r->block_of[key];
    if (r->state[key] != ASC_WAITING || used > sizeof text - 256)
      continue;
    char name[128];
    asc_core_name(&b->core, name, sizeof name);
    if (listed++ < 6)
      used += (size_t)snprintf(text + used, sizeof text - used, "\n  %s waits for %s at %s:%d", name,
                               b->waits_for, b->waits_at.file, b->waits_at.line);
  }
  asc_run_fail(r, "kernel %s waits for ever: %u of its %u cores ended, and no other can go on%s",
               r->launch->name, r->ended, r->begun, text);
}

// Under the lock, and again under it when it returns.
static void worker_run(run_worker *w, asc_block *b) {
  asc_run *r = w->run;
  r->state[b->key] = ASC_RUNNING;
  r->running++;
  pthread_mutex_unlock(&r->lock);
  asc_block *before = asc_now;
  asc_now = b;
  const bool ended = asc_fibre_enter(b->fibre);
  asc_now = before;
  pthread_mutex_lock(&r->lock);
  r->running--;
  asc_block **list = &w->waiting;
  r->state[b->key] = ASC_WAITING;
  if (ended) {
    r->state[b->key] = ASC_ENDED;
    r->ended++;
    list = &w->idle;
  }
  b->next = *list;
  *list = b;
  pthread_cond_broadcast(&r->changed);
}

static void worker_free(run_worker *w) {
  asc_block *lists[2] = {w->waiting, w->idle};
  for (int i = 0; i < 2; i++) {
    while (lists[i]) {
      asc_block *b = lists[i];
      lists[i] = b->next;
      asc_check_core_free(b->core.check);
      b->core.check = NULL;
      kept_give(b);
    }
  }
}

static void worker_main(void *arg, uint32_t i) {
  (void)i;
  asc_run *r = arg;
  run_worker w = {.run = r};
  pthread_mutex_lock(&r->lock);
  while (!r->failed) {
    asc_block *b = worker_ready(&w);
    if (!b)
      b = worker_begin(&w);
    if (b) {
      worker_run(&w, b);
      continue;
    }
    if (!w.waiting && !r->running && r->ended == r->begun)
      break;
    if (run_stuck(r))
      run_fail_stuck(r);
    else if (!r->failed)
      pthread_cond_wait(&r->changed, &r->lock);
  }
  pthread_mutex_unlock(&r->lock);
  worker_free(&w);
}

void asc_block_wait(asc_block *b, bool (*ready)(void *arg), void *arg, const char *what, weft_asc_at at) {
  b->ready = ready;
  b->ready_arg = arg;
  b->waits_for = what;
  b->waits_at = at;
  asc_fibre_leave(b->fibre);
}

// ---- threads ----

static void run_work(void *arg) {
  worker_main(arg, 0);
}

// The checked mode finds the same mistake first each time: block after block, in one thread.
static uint32_t run_threads(const weft_asc_launch *l) {
  if (asc_check_wanted())
    return 1;
  uint32_t threads = l->threads;
  const char *asked = getenv("WEFT_THREADS");
  if (!threads && asked)
    threads = (uint32_t)strtoul(asked, NULL, 10);
  if (!threads)
    threads = (uint32_t)WEFT_MAX(sysconf(_SC_NPROCESSORS_ONLN), 1);
  return WEFT_MIN(WEFT_MIN(threads, l->blocks), 256u);
}

// ---- launches ----

static void run_free(asc_run *r) {
  asc_check_run_free(r->check);
  if (r->prints) {
    for (uint32_t key = 0; key < r->launch->blocks * ASC_GROUP_CORES; key++)
      free(r->prints[key].text);
  }
  free(r->prints);
  free(r->added);
  free(r->state);
  free(r->block_of);
  free(r->inbox);
  free(r->groups);
  pthread_mutex_destroy(&r->lock);
  pthread_cond_destroy(&r->changed);
}

static bool run_make(asc_run *r, const weft_asc_launch *l) {
  const size_t keys = (size_t)l->blocks * ASC_GROUP_CORES;
  *r = (asc_run){.launch = l, .task = l->task};
  pthread_mutex_init(&r->lock, NULL);
  pthread_cond_init(&r->changed, NULL);
  r->added = calloc(keys, sizeof *r->added);
  r->state = calloc(keys, sizeof *r->state);
  r->block_of = calloc(keys, sizeof *r->block_of);
  r->prints = calloc(keys, sizeof *r->prints);
  r->inbox = calloc(keys * ASC_FLAGS, sizeof *r->inbox);
  r->groups = calloc((size_t)l->blocks * ASC_FLAGS, sizeof *r->groups);
  bool made = r->added && r->state && r->block_of && r->prints && r->inbox && r->groups;
  if (made && asc_check_wanted()) {
    r->check = asc_check_run_make(l);
    made = r->check;
  }
  return made;
}

// What kernels printed, in the order of blocks.
static void run_print(const asc_run *r) {
  for (uint32_t key = 0; key < r->launch->blocks * ASC_GROUP_CORES; key++) {
    if (r->prints[key].used)
      fwrite(r->prints[key].text, 1, r->prints[key].used, stdout);
  }
  fflush(stdout);
}

int weft_asc_run(const weft_asc_launch *l) {
  if (!l->body || !l->blocks || l->blocks > 65535) {
    snprintf(run_error, sizeof run_error,
             "%s:%d: kernel %s was launched with %u blocks; 1 to 65535 are possible", l->at.file, l->at.line,
             l->name, l->blocks);
    return WEFT_ASC_INVALID;
  }
  asc_run r;
  if (!run_make(&r, l)) {
    run_free(&r);
    snprintf(run_error, sizeof run_error, "no memory to launch kernel %s", l->name);
    return WEFT_ASC_MEMORY;
  }
  const uint32_t threads = run_threads(l);
  if (l->parallel && threads > 1)
    l->parallel(l->parallel_ctx, worker_main, &r, threads);
  else
    asc_pool_run(run_work, &r, threads - 1);
  const char *found = r.check && !r.failed ? asc_check_run_end(r.check) : NULL;
  if (found)
    asc_run_fail(&r, "%s", found);
  run_print(&r);
  const bool failed = r.failed;
  if (failed)
    memcpy(run_error, r.message, sizeof run_error);
  run_free(&r);
  return failed ? WEFT_ASC_KERNEL : WEFT_ASC_OK;
}
// SPDX-License-Identifier: Apache-2.0
