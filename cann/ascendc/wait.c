// wait.c - blocks that wait for one another: barriers of all cores of a kind, flags between cores, and the
// turn that keeps atomic additions in the order of blocks. All of it under the run's lock.
#include "check.h"
#include "late.h"

// Cores of a kind that take part.
static uint32_t cores_of(const asc_run *r, int kind) {
  const bool pairs = r->task == WEFT_ASC_TASK_MIX_1_2 && kind == WEFT_ASC_AIV;
  return pairs ? 2 * r->launch->blocks : r->launch->blocks;
}

typedef struct wait_barrier {
  const asc_run *run;
  int kind;
  uint32_t generation;
} wait_barrier;
static bool barrier_open(void *arg) {
  const wait_barrier *w = arg;
  return w->run->generation[w->kind] != w->generation;
}

// kind 0: the cores of both kinds.
static void barrier_wait(asc_block *b, int kind, uint32_t cores, const char *what, weft_asc_at at) {
  asc_run *r = b->run;
  pthread_mutex_lock(&r->lock);
  wait_barrier w = {r, kind, r->generation[kind]};
  const bool last = ++r->arrived[kind] == cores;
  if (last) {
    r->arrived[kind] = 0;
    r->generation[kind]++;
    pthread_cond_broadcast(&r->changed);
  }
  pthread_mutex_unlock(&r->lock);
  if (!last)
    asc_block_wait(b, barrier_open, &w, what, at);
}

void weft_asc_sync_all(bool vectors_only, weft_asc_at at) {
  asc_block *b = asc_block_current();
  if (!b)
    return;
  weft_asc_barrier(WEFT_ASC_PIPE_ALL, at);
  const asc_run *r = b->run;
  if (vectors_only || r->task < WEFT_ASC_TASK_MIX_1_1)
    barrier_wait(b, b->core.kind, cores_of(r, b->core.kind), "SyncAll of all cores of its kind", at);
  else
    barrier_wait(b, 0, r->launch->blocks * asc_run_group_cores(r), "SyncAll of all cores", at);
  if (b->core.check)
    asc_check_sync_all(&b->core);
}

// ---- flags ----

static uint16_t *inbox_of(asc_run *r, uint32_t key, uint32_t flag) {
  return &r->inbox[(size_t)key * ASC_FLAGS + flag];
}

// All cores of a kind set the flag: each of them gets one.
static void cross_everywhere(asc_run *r, int kind, uint32_t flag) {
  if (++r->everywhere[kind][flag] < cores_of(r, kind))
    return;
  r->everywhere[kind][flag] = 0;
  for (uint32_t group = 0; group < r->launch->blocks; group++) {
    const uint32_t first = group * ASC_GROUP_CORES;
    if (kind == WEFT_ASC_AIC && r->task >= WEFT_ASC_TASK_MIX_1_1) {
      ++*inbox_of(r, first + 2, flag);
      continue;
    }
    ++*inbox_of(r, first, flag);
    if (r->task == WEFT_ASC_TASK_MIX_1_2)
      ++*inbox_of(r, first + 1, flag);
  }
}

// Whether the last vector core of the group set it.
static bool cross_group_full(asc_run *r, const asc_block *b, uint32_t flag) {
  uint16_t *set = &r->groups[(size_t)(b->key / ASC_GROUP_CORES) * ASC_FLAGS + flag];
  if (++*set < b->core.sub_blocks)
    return false;
  *set = 0;
  return true;
}

static void cross_vectors(asc_run *r, const asc_block *b, uint32_t flag) {
  const uint32_t first = b->key / ASC_GROUP_CORES * ASC_GROUP_CORES;
  ++*inbox_of(r, first, flag);
  if (r->task == WEFT_ASC_TASK_MIX_1_2)
    ++*inbox_of(r, first + 1, flag);
}

void weft_asc_cross_set(int mode, int pipe, uint32_t flag, weft_asc_at at) {
  asc_block *b = asc_block_current();
  if (!b)
    return;
  if (flag >= ASC_FLAGS) {
    weft_asc_fail(at, "CrossCoreSetFlag: flag %u; there are 0 to %d", flag, ASC_FLAGS - 1);
    return;
  }
  weft_asc_barrier(pipe, at);
  asc_run *r = b->run;
  pthread_mutex_lock(&r->lock);
  if (mode == 0)
    cross_everywhere(r, b->core.kind, flag);
  else if (b->core.kind == WEFT_ASC_AIC)
    cross_vectors(r, b, flag);
  else if (cross_group_full(r, b, flag)) {
    if (mode == 1)
      cross_vectors(r, b, flag);
    else
      ++*inbox_of(r, b->key / ASC_GROUP_CORES * ASC_GROUP_CORES + 2, flag);
  }
  pthread_cond_broadcast(&r->changed);
  pthread_mutex_unlock(&r->lock);
}

static bool inbox_full(void *arg) {
  return *(const uint16_t *)arg;
}

void weft_asc_cross_wait(int mode, int pipe, uint32_t flag, weft_asc_at at) {
  (void)mode;
  asc_block *b = asc_block_current();
  if (!b)
    return;
  if (flag >= ASC_FLAGS) {
    weft_asc_fail(at, "CrossCoreWaitFlag: flag %u; there are 0 to %d", flag, ASC_FLAGS - 1);
    return;
  }
  asc_run *r = b->run;
  uint16_t *inbox = inbox_of(r, b->key, flag);
  weft_asc_wait_for(inbox_full, inbox, "a flag of another core (CrossCoreWaitFlag)", at);
  pthread_mutex_lock(&r->lock);
  --*inbox;
  pthread_mutex_unlock(&r->lock);
  weft_asc_barrier(pipe, at);
  if (b->core.check)
    asc_check_sync_some(&b->core);
}

void weft_asc_wait_for(bool (*ready)(void *arg), void *arg, const char *what, weft_asc_at at) {
  asc_block *b = asc_block_current();
  if (!b)
    return;
  asc_late_all(&b->core);
  pthread_mutex_lock(&b->run->lock);
  const bool now = ready(arg);
  pthread_mutex_unlock(&b->run->lock);
  if (!now)
    asc_block_wait(b, ready, arg, what, at);
}

// ---- the turn ----

// The second vector core and the cube are there in mixed kernels only.
static bool key_takes_part(const asc_run *r, uint32_t key) {
  const uint32_t place = key % ASC_GROUP_CORES;
  if (place == 1)
    return r->task == WEFT_ASC_TASK_MIX_1_2;
  return place == 0 || r->task >= WEFT_ASC_TASK_MIX_1_1;
}

static bool key_can_go_on(const asc_run *r, uint32_t key) {
  switch ((asc_block_state)r->state[key]) {
    case ASC_NOT_BEGUN:
      return key_takes_part(r, key);
    case ASC_RUNNING:
      return true;
    case ASC_WAITING:
      return r->block_of[key]->ready(r->block_of[key]->ready_arg);
    case ASC_ENDED:
      break;
  }
  return false;
}

// No core before this one can do anything: all ended, or wait for something that is not there yet.
static bool turn_here(void *arg) {
  const asc_block *b = arg;
  for (uint32_t key = 0; key < b->key; key++) {
    if (key_can_go_on(b->run, key))
      return false;
  }
  return true;
}

void weft_asc_turn(weft_asc_at at) {
  asc_block *b = asc_block_current();
  if (b)
    weft_asc_wait_for(turn_here, b, "its turn to add to global memory", at);
}
// SPDX-License-Identifier: Apache-2.0
