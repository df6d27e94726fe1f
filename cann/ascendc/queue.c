// queue.c - TQue: a ring of buffers that one pipe fills and another empties. In program order a buffer is
// free, taken (AllocTensor), queued (EnQue), out (DeQue) and free again (FreeTensor).
#include "base/base.h"
#include "check.h"
#include "late.h"

static const char *const queue_states[] = {"free", "taken by AllocTensor", "put into the queue by EnQue",
                                           "taken out by DeQue"};

void weft_asc_queue_init(weft_asc_queue *q, uint32_t buffers, uint32_t bytes, weft_asc_at at) {
  weft_asc_core *core = asc_core_now();
  if (!core) {
    weft_asc_fail(at, "InitBuffer: a TPipe works in a kernel's launch only");
    return;
  }
  if (!buffers || buffers > WEFT_COUNT(core->buffers) - core->n_buffers)
    weft_asc_fail(at, "InitBuffer: %u buffers for a queue; a pipe has %zu, %u of them taken", buffers,
                  WEFT_COUNT(core->buffers), core->n_buffers);
  q->first = (uint8_t)core->n_buffers;
  q->count = (uint8_t)buffers;
  q->next = q->head = q->waiting = 0;
  for (uint32_t i = 0; i < buffers; i++) {
    weft_asc_buffer *b = weft_asc_buffer_init(q->region, bytes, at);
    b->state = WEFT_ASC_FREE;
    b->source = q->source;
    b->target = q->target;
  }
}

static weft_asc_core *queue_core(const weft_asc_queue *q, const char *call, weft_asc_at at) {
  weft_asc_core *core = asc_core_now();
  if (!core) {
    weft_asc_fail(at, "%s: a queue works in a kernel's launch only", call);
    return NULL;
  }
  if (!q->count)
    weft_asc_fail(at, "%s: the queue has no buffers; TPipe::InitBuffer gives it some", call);
  return core;
}

static uint32_t queue_count_state(const weft_asc_core *core, const weft_asc_queue *q, weft_asc_state state) {
  uint32_t n = 0;
  for (uint32_t i = 0; i < q->count; i++)
    n += core->buffers[q->first + i].state == state;
  return n;
}

weft_asc_buffer *weft_asc_queue_alloc(weft_asc_queue *q, weft_asc_at at) {
  weft_asc_core *core = queue_core(q, "AllocTensor", at);
  if (!core)
    return NULL;
  for (uint32_t i = 0; i < q->count; i++) {
    // The checked mode takes the buffers in turn, as the chip does: what is used after it was freed shows.
    const uint32_t place = core->check ? (q->next + i) % q->count : i;
    weft_asc_buffer *b = &core->buffers[q->first + place];
    if (b->state != WEFT_ASC_FREE)
      continue;
    b->state = WEFT_ASC_TAKEN;
    q->next = (uint8_t)((place + 1) % q->count);
    if (core->check) {
      asc_check_take(core, b, q->source);
      asc_check_forget(core, b->at, b->bytes);
    }
    return b;
  }
  weft_asc_fail(at,
                "AllocTensor: none of the queue's %u buffers is free (%u taken by AllocTensor, %u in the "
                "queue, %u taken "
                "out by DeQue); a device waits for ever. FreeTensor gives one back",
                q->count, queue_count_state(core, q, WEFT_ASC_TAKEN),
                queue_count_state(core, q, WEFT_ASC_QUEUED), queue_count_state(core, q, WEFT_ASC_OUT));
  return NULL;
}

// The buffer of the queue that holds an address.
static uint32_t queue_find(const weft_asc_core *core, const weft_asc_queue *q, const void *address,
                           const char *call, weft_asc_at at) {
  for (uint32_t i = 0; i < q->count; i++) {
    const weft_asc_buffer *b = &core->buffers[q->first + i];
    const uint8_t *byte = address;
    if (byte >= b->at && byte < b->at + b->bytes)
      return q->first + i;
  }
  weft_asc_fail(at, "%s: the tensor is none of this queue's buffers", call);
  return 0;
}

void weft_asc_queue_put(weft_asc_queue *q, const void *address, weft_asc_at at) {
  weft_asc_core *core = queue_core(q, "EnQue", at);
  if (!core)
    return;
  const uint32_t i = queue_find(core, q, address, "EnQue", at);
  weft_asc_buffer *b = &core->buffers[i];
  if (b->state == WEFT_ASC_FREE || b->state == WEFT_ASC_QUEUED)
    weft_asc_fail(at, "EnQue: the tensor is %s; AllocTensor comes first", queue_states[b->state]);
  b->state = WEFT_ASC_QUEUED;
  q->ring[(q->head + q->waiting++) % WEFT_COUNT(q->ring)] = (uint8_t)i;
  if (core->check)
    asc_check_give(core, b, q->source);
}

weft_asc_buffer *weft_asc_queue_take(weft_asc_queue *q, weft_asc_at at) {
  weft_asc_core *core = queue_core(q, "DeQue", at);
  if (!core)
    return NULL;
  if (!q->waiting)
    weft_asc_fail(
        at,
        "DeQue: nothing was put into the queue (%u of its %u buffers are taken by AllocTensor); EnQue "
        "comes first, a device waits for ever",
        queue_count_state(core, q, WEFT_ASC_TAKEN), q->count);
  weft_asc_buffer *b = &core->buffers[q->ring[q->head]];
  q->head = (uint8_t)((q->head + 1) % WEFT_COUNT(q->ring));
  q->waiting--;
  b->state = WEFT_ASC_OUT;
  if (core->check)
    asc_check_take(core, b, q->target);
  return b;
}

void weft_asc_queue_free(weft_asc_queue *q, const void *address, weft_asc_at at) {
  weft_asc_core *core = queue_core(q, "FreeTensor", at);
  if (!core)
    return;
  weft_asc_buffer *b = &core->buffers[queue_find(core, q, address, "FreeTensor", at)];
  if (b->state == WEFT_ASC_FREE)
    weft_asc_fail(at, "FreeTensor: the tensor is free already");
  if (core->check)
    asc_check_give(core, b, b->state == WEFT_ASC_TAKEN ? q->source : q->target);
  b->state = WEFT_ASC_FREE;
  asc_late_free(asc_block_of(core), b->at);
}
// SPDX-License-Identifier: Apache-2.0
