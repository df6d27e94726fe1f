// multicopy.c - copies in several dimensions.
#include "multicopy.h"

#include <string.h>

#include "base/base.h"
#include "check.h"
#include "run.h"
#include "spans.h"
#include "weft_cann/asc_units.h"

enum { MULTI_DIMS = 5 };

void weft_asc_copy_loops(bool out, const weft_asc_loops *loops) {
  asc_block *b = asc_block_current();
  if (b)
    b->loops[out] = loops ? *loops : (weft_asc_loops){0};
}

static uint64_t multi_rest(uint64_t bytes, uint64_t used) {
  return bytes == UINT64_MAX ? bytes : bytes > used ? bytes - used : 0;
}

void asc_copy_looped(weft_asc_core *core, const weft_asc_copy *c, asc_copy_fn copy, weft_asc_at at) {
  const weft_asc_loops *l = &asc_block_of(core)->loops[c->to_global];
  const bool crosses = c->to_global != c->from_global;
  if (!crosses || !l->times[0] || !l->times[1]) {
    copy(core, c, at);
    return;
  }
  for (uint32_t outer = 0; outer < l->times[1]; outer++) {
    for (uint32_t inner = 0; inner < l->times[0]; inner++) {
      const uint64_t from = outer * l->from[1] + inner * l->from[0];
      const uint64_t to = outer * l->to[1] + inner * l->to[0];
      weft_asc_copy once = *c;
      once.from = (const uint8_t *)c->from + from;
      once.to = (uint8_t *)c->to + to;
      once.global_bytes = multi_rest(c->global_bytes, c->to_global ? to : from);
      copy(core, &once, at);
    }
  }
}

// Where an element of the target comes from, or -1: from nowhere.
static int64_t multi_source(const weft_asc_multicopy *c, const uint32_t at[MULTI_DIMS]) {
  int64_t from = 0;
  for (int i = 0; i < MULTI_DIMS; i++) {
    int64_t inside = (int64_t)at[i] - c->dims[i].left;
    const bool outside = inside < 0 || inside >= c->dims[i].size;
    if (outside && (!c->nearest || !c->dims[i].size))
      return -1;
    inside = WEFT_MIN(WEFT_MAX(inside, 0), (int64_t)c->dims[i].size - 1);
    from += inside * (int64_t)c->dims[i].from;
  }
  return from;
}

static uint32_t multi_extent(const weft_asc_multicopy *c, int i) {
  return c->dims[i].left + c->dims[i].size + c->dims[i].right;
}

static bool multi_next(const weft_asc_multicopy *c, uint32_t at[MULTI_DIMS]) {
  for (int i = 0; i < MULTI_DIMS; i++) {
    if (++at[i] < multi_extent(c, i))
      return true;
    at[i] = 0;
  }
  return false;
}

// The furthest element of both sides.
static void multi_check(weft_asc_core *core, const weft_asc_multicopy *c, weft_asc_at at) {
  uint64_t to = 0, from = 0;
  bool inside = true;
  for (int i = 0; i < MULTI_DIMS; i++) {
    to += (uint64_t)(multi_extent(c, i) - 1) * c->dims[i].to;
    inside = inside && c->dims[i].size;
    from += c->dims[i].size ? (c->dims[i].size - 1) * c->dims[i].from : 0;
  }
  asc_local_span(core, c->to, (to + 1) * c->element, "DataCopy's dst", at);
  const uint64_t reach = (from + 1) * c->element;
  if (!core->check)
    return;
  if (inside && reach > c->global_bytes)
    weft_asc_fail(at, "DataCopy: byte %llu of a GlobalTensor that has %llu", (unsigned long long)reach,
                  (unsigned long long)c->global_bytes);
  if (inside)
    asc_check_read(core, WEFT_ASC_PIPE_MTE2, c->from, reach, at);
  asc_check_write(core, WEFT_ASC_PIPE_MTE2, c->to, (to + 1) * c->element, at);
}

void weft_asc_multicopy_run(const weft_asc_multicopy *c, weft_asc_at at) {
  weft_asc_core *core = asc_core_now();
  if (!core) {
    weft_asc_fail(at, "DataCopy works in a kernel's launch only");
    return;
  }
  for (int i = 0; i < MULTI_DIMS; i++) {
    if (!multi_extent(c, i))
      return;
  }
  multi_check(core, c, at);
  uint32_t place[MULTI_DIMS] = {0};
  do {
    uint64_t to = 0;
    for (int i = 0; i < MULTI_DIMS; i++)
      to += place[i] * c->dims[i].to;
    const int64_t from = multi_source(c, place);
    const void *element =
        from < 0 ? (const void *)&c->pad : (const uint8_t *)c->from + (uint64_t)from * c->element;
    memcpy((uint8_t *)c->to + to * c->element, element, c->element);
  } while (multi_next(c, place));
}
// SPDX-License-Identifier: Apache-2.0
