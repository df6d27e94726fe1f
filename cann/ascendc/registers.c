// registers.c - what loads and stores of the register interface may touch.
#include "check.h"
#include "run.h"
#include "spans.h"
#include "weft_cann/asc_units.h"

static void register_align(const void *at, uint32_t align, weft_asc_at where) {
  if ((uintptr_t)at % align)
    weft_asc_fail(where, "a register is loaded and stored at multiples of %u bytes; the address ends in %u",
                  align, (unsigned)((uintptr_t)at % align));
}

// The bytes from an address to the end of the memory that has it; 0: none has.
static uint64_t register_room(const weft_asc_core *core, const uint8_t *at) {
  for (int i = 0; i < WEFT_ASC_REGIONS; i++) {
    if (at >= core->memory[i] && at < core->memory[i] + core->capacity[i])
      return (uint64_t)(core->memory[i] + core->capacity[i] - at);
  }
  return 0;
}

uint64_t weft_asc_register_read(const void *from, uint64_t bytes, uint32_t align, weft_asc_at at) {
  weft_asc_core *core = asc_core_now();
  if (!core)
    return bytes;
  register_align(from, align, at);
  const uint64_t room = register_room(core, from);
  if (!room)
    asc_local_span(core, from, bytes, "a register's load", at);
  const uint64_t there = room < bytes ? room : bytes;
  // Lanes that nobody uses may be what nobody wrote: no finding of the checked mode.
  return there;
}

void weft_asc_register_write(void *to, uint64_t bytes, uint32_t align, weft_asc_at at) {
  weft_asc_core *core = asc_core_now();
  if (!core)
    return;
  register_align(to, align, at);
  asc_local_span(core, to, bytes, "a register's store", at);
  if (core->check)
    asc_check_write(core, WEFT_ASC_PIPE_V, to, bytes, at);
}

void weft_asc_register_convert(void *dst, weft_asc_dtype to, const void *src, weft_asc_dtype from, int round,
                               uint32_t n) {
  asc_convert(dst, to, src, from, round, n);
}
// SPDX-License-Identifier: Apache-2.0
