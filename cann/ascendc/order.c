// order.c - flags, events and barriers of one core. Instructions are carried out in program order, so that
// all of it only counts: flags that were set, ids that are taken; and the checked mode learns of it.
#include "base/base.h"
#include "check.h"
#include "late.h"

enum { ORDER_EVENTS = 8 };

static const char *const order_pipes[WEFT_ASC_PIPES] = {"S",   "V", "M", "MTE1", "MTE2", "MTE3",
                                                        "ALL", "",  "",  "",     "FIX"};

static bool order_pipe_known(int pipe) {
  return pipe >= 0 && pipe < WEFT_ASC_PIPES && order_pipes[pipe][0];
}

int32_t weft_asc_event_alloc(int source, int target, bool keep, weft_asc_at at) {
  weft_asc_core *core = asc_core_now();
  if (!core)
    return 0;
  uint32_t *taken = &core->events[source][target];
  for (int32_t id = 0; id < ORDER_EVENTS; id++) {
    if (*taken >> id & 1)
      continue;
    if (keep)
      *taken |= 1u << id;
    return id;
  }
  weft_asc_fail(at, "no event from %s to %s is free: all %d are taken; ReleaseEventID gives one back",
                order_pipes[source], order_pipes[target], ORDER_EVENTS);
  return 0;
}

void weft_asc_event_release(int source, int target, int32_t id, weft_asc_at at) {
  weft_asc_core *core = asc_core_now();
  if (!core)
    return;
  if (id < 0 || id >= ORDER_EVENTS || !(core->events[source][target] >> id & 1))
    weft_asc_fail(at, "ReleaseEventID: event %d from %s to %s was not taken by AllocEventID", id,
                  order_pipes[source], order_pipes[target]);
  core->events[source][target] &= ~(1u << id);
}

// Flags that are set lie above the bits of ids that are taken.
static bool flag_known(int source, int target, int32_t id, const char *call, weft_asc_at at) {
  if (order_pipe_known(source) && order_pipe_known(target) && id >= 0 && id < ORDER_EVENTS)
    return true;
  weft_asc_fail(at, "%s: event %d; ids are 0 to %d", call, id, ORDER_EVENTS - 1);
  return false;
}

void weft_asc_flag_set(int source, int target, int32_t id, weft_asc_at at) {
  weft_asc_core *core = asc_core_now();
  if (!core || !flag_known(source, target, id, "SetFlag", at))
    return;
  const uint32_t bit = 1u << (ORDER_EVENTS + id);
  if (core->check && core->events[source][target] & bit)
    weft_asc_fail(at, "SetFlag: event %d from %s to %s is set already, and nobody waited for it", id,
                  order_pipes[source], order_pipes[target]);
  core->events[source][target] |= bit;
  if (core->check)
    asc_check_flag_set(core, source, target, id, at);
}

void weft_asc_flag_pass(int source, int target, weft_asc_at at) {
  const weft_asc_core *core = weft_asc_current();
  if (!core || !flag_known(source, target, 0, "Mutex", at))
    return;
  for (int32_t id = 0; id < ORDER_EVENTS; id++) {
    if (core->events[source][target] >> (ORDER_EVENTS + id) & 1)
      continue;  // a flag of the kernel's own
    weft_asc_flag_set(source, target, id, at);
    weft_asc_flag_wait(source, target, id, at);
    return;
  }
}

void weft_asc_flag_wait(int source, int target, int32_t id, weft_asc_at at) {
  weft_asc_core *core = asc_core_now();
  if (!core || !flag_known(source, target, id, "WaitFlag", at))
    return;
  const uint32_t bit = 1u << (ORDER_EVENTS + id);
  if (!(core->events[source][target] & bit))
    weft_asc_fail(at, "WaitFlag: event %d from %s to %s was not set; a device waits for ever", id,
                  order_pipes[source], order_pipes[target]);
  core->events[source][target] &= ~bit;
  if (target == WEFT_ASC_PIPE_S)
    asc_late_all(core);
  if (core->check)
    asc_check_flag_wait(core, source, target, id, at);
}

void weft_asc_barrier(int pipe, weft_asc_at at) {
  (void)at;
  weft_asc_core *core = asc_core_now();
  if (!core)
    return;
  if (pipe != WEFT_ASC_PIPE_V)
    asc_late_all(core);
  if (core->check)
    asc_check_barrier(core, pipe);
}

void weft_asc_pipe_reset(bool destroy, weft_asc_at at) {
  (void)at;
  weft_asc_core *core = asc_core_now();
  if (!core)
    return;
  if (core->check)
    asc_check_barrier(core, WEFT_ASC_PIPE_ALL);
  for (int i = 0; i < WEFT_ASC_REGIONS; i++)
    core->used[i] = 0;
  core->n_buffers = 0;
  for (int i = 0; i < WEFT_ASC_PIPES; i++) {
    for (int j = 0; j < WEFT_ASC_PIPES; j++)
      core->events[i][j] &= ~((1u << ORDER_EVENTS) - 1);
  }
  if (destroy)
    core->pipe = NULL;
}
// SPDX-License-Identifier: Apache-2.0
