// copy.c - copies of rows between global memory and the chip, and what atomic modes make of them.
#include <string.h>

#include "base/base.h"
#include "check.h"
#include "multicopy.h"
#include "loops.h"
#include "spans.h"

enum { COPY_FAR_TENSOR = 4 << 20, COPY_FAR = 1024 };  // in bytes
enum { COPY_NOBODYS = 65536 };                        // the system maps nothing below this address

static uint64_t copy_row_at_target(const weft_asc_copy *c) {
  const uint64_t bytes = c->left + c->row_bytes + c->right;
  return c->round ? (bytes + c->round - 1) / c->round * c->round : bytes;
}

// How many bytes of a row are to be copied. How large a GlobalTensor is its kernel says, and the device does
// not look: the checked mode alone tells what lies outside. But DataCopy moves whole blocks of 32 bytes, so
// the last one may reach behind a tensor's end as kernels let it, and here nothing behind the end is touched.
static uint64_t copy_inside(const weft_asc_core *core, const weft_asc_copy *c, const uint8_t *to,
                            const uint8_t *from) {
  const uint8_t *base = c->to_global ? c->to : c->from;
  const uint64_t start = (uint64_t)((c->to_global ? to : from) - base);
  const bool known = c->global_bytes != UINT64_MAX;
  if (!known || !c->in_blocks || core->check || start >= c->global_bytes)
    return c->row_bytes;
  const uint64_t rest = c->global_bytes - start;
  return rest < c->row_bytes && c->row_bytes - rest < 32 ? rest : c->row_bytes;
}

static void copy_check_global(const weft_asc_copy *c, const void *base, const void *at, uint64_t bytes,
                              const char *what, weft_asc_at where) {
  if (c->global_bytes == UINT64_MAX)
    return;
  const uint64_t from = (uint64_t)((const uint8_t *)at - (const uint8_t *)base);
  if (bytes > c->global_bytes || from > c->global_bytes - bytes)
    weft_asc_fail(where, "DataCopy: %s: bytes %lld to %lld of a GlobalTensor that has %llu from here on",
                  what, (long long)from, (long long)(from + bytes), (unsigned long long)c->global_bytes);
}

// Checked mode: what leaves the chip has to be written; within it, what nobody wrote goes on unwritten.
static void copy_check_model(weft_asc_core *core, const weft_asc_copy *c, uint8_t *to, const uint8_t *from,
                             weft_asc_at at) {
  if (c->in_blocks && c->row_bytes % 32)
    weft_asc_fail(at, "DataCopy: %llu bytes; it copies a multiple of 32 bytes, DataCopyPad any number",
                  (unsigned long long)c->row_bytes);
  if (!c->from_global)
    asc_check_aligned(core, from, "DataCopy: src", at);
  if (!c->to_global)
    asc_check_aligned(core, to, "DataCopy: dst", at);
  if (c->to_global)
    asc_check_read(core, c->pipe, from, c->row_bytes, at);
  else
    asc_check_lanes(core, c->pipe, from, c->row_bytes, at);
  if (c->to_global && core->atomic != WEFT_ASC_STORE)
    asc_check_add(core, c->pipe, to, c->row_bytes, at);
  else
    asc_check_write(core, c->pipe, to, copy_row_at_target(c), at);
  if (!c->from_global && !c->to_global)
    asc_check_flow(core, to + c->left, 1, from, 1, c->row_bytes);
}

static void copy_check_row(weft_asc_core *core, const weft_asc_copy *c, uint8_t *to, const uint8_t *from,
                           weft_asc_at at) {
  const uint64_t target = copy_row_at_target(c);
  if (!c->from_global)
    asc_local_span(core, from, c->row_bytes, "DataCopy: src", at);
  if (!c->to_global && target == c->left + c->row_bytes + c->right)
    asc_local_over(core, to, target, "DataCopy: dst", at);
  else if (!c->to_global)
    asc_local_span(core, to, target, "DataCopy: dst", at);
  if (!core->check)
    return;
  if (c->to_global)
    copy_check_global(c, c->to, to, c->row_bytes, "dst", at);
  if (c->from_global)
    copy_check_global(c, c->from, from, c->row_bytes, "src", at);
  copy_check_model(core, c, to, from, at);
}

static void copy_fill(uint8_t *to, uint64_t bytes, const weft_asc_copy *c) {
  for (uint64_t i = 0; i < bytes; i++)
    to[i] = (uint8_t)(c->pad >> (8 * (i % c->element)));
}

static void copy_atomic(const weft_asc_core *core, uint8_t *to, const uint8_t *from, uint64_t bytes,
                        weft_asc_at at) {
  static const weft_asc_vector_op ops[] = {WEFT_ASC_COPY, WEFT_ASC_ADD, WEFT_ASC_MAX, WEFT_ASC_MIN};
  const weft_asc_dtype t = core->atomic_dtype;
  const size_t wide = asc_dtype_bytes(t);
  const size_t n = bytes / wide;
  const weft_asc_vector_op op = ops[core->atomic];
  if (t == WEFT_ASC_F32) {
    asc_floats()->vector[op](to, to, from, n);
    return;
  }
  const asc_loop loop = asc_integer_loop(op, t, false);
  if (loop) {
    loop(to, to, from, n);
    return;
  }
  if (t != WEFT_ASC_F16 && t != WEFT_ASC_BF16)
    weft_asc_fail(at, "DataCopy: no atomic operation on %s", asc_dtype_name(t));
  for (size_t i = 0; i < n; i++) {
    float x = (float)asc_element(to + i * 2, t);
    const float y = (float)asc_element(from + i * 2, t);
    asc_floats()->vector[op](&x, &x, &y, 1);
    asc_convert(to + i * 2, t, &x, WEFT_ASC_F32, 0, 1);
  }
}

static void copy_row(weft_asc_core *core, const weft_asc_copy *c, uint8_t *to, const uint8_t *from,
                     weft_asc_at at) {
  const uint64_t inside = copy_inside(core, c, to, from);
  if (c->to_global && core->atomic != WEFT_ASC_STORE) {
    copy_atomic(core, to, from, inside, at);
    return;
  }
  if (c->to_global || c->from_global)
    asc_floats()->move(to + c->left, from, inside);
  else
    memmove(to + c->left, from, inside);
  if (!c->to_global && inside < c->row_bytes)
    memset(to + c->left + inside, 0, c->row_bytes - inside);
  if (c->left)
    copy_fill(to, c->left, c);
  if (c->right)
    copy_fill(to + c->left + c->row_bytes, c->right, c);
}

static void copy_rows(weft_asc_core *core, const weft_asc_copy *c, weft_asc_at at) {
  uint8_t *to = c->to;
  const uint8_t *from = c->from;
  const int64_t target = (int64_t)copy_row_at_target(c);
  for (uint32_t row = 0; row < c->rows; row++) {
    copy_check_row(core, c, to, from, at);
    copy_row(core, c, to, from, at);
    to += target + c->to_gap;
    from += (int64_t)c->row_bytes + c->from_gap;
  }
}

// An absent input is NULL, and a list of tensors that nobody filled has addresses of 0.
static bool copy_nowhere(const weft_asc_copy *c) {
  const bool global = c->to_global || c->from_global;
  return global && c->row_bytes && (uintptr_t)(c->to_global ? c->to : c->from) < COPY_NOBODYS;
}

void weft_asc_copy_run(const weft_asc_copy *c, weft_asc_at at) {
  weft_asc_core *core = asc_core_now();
  if (!core) {
    weft_asc_fail(at, "DataCopy works in a kernel's launch only");
    return;
  }
  if (copy_nowhere(c)) {
    weft_asc_fail(at, "DataCopy: %s: the GlobalTensor is at address %p: SetGlobalBuffer was given none",
                  c->to_global ? "dst" : "src", c->to_global ? (const void *)c->to : (const void *)c->from);
    return;
  }
  if (c->to_global)
    asc_late_all(core);
  if (c->to_global && core->atomic != WEFT_ASC_STORE)
    weft_asc_turn(at);
  if (!c->row_bytes)
    return;
  asc_copy_looped(core, c, copy_rows, at);
}

// ---- one row as it is ----

// Into a tensor so large that little of it stays in a cache.
static bool row_far(const void *to, uint64_t bytes, uint64_t global_bytes) {
  const bool large = global_bytes != UINT64_MAX && global_bytes >= COPY_FAR_TENSOR;
  return large && bytes >= COPY_FAR && (uintptr_t)to % 64 == 0;
}

static bool row_in(weft_asc_core *core, void *to, const void *from, uint64_t bytes) {
  if (asc_late_copy(core, to, from, bytes))
    return true;
  if (!asc_in_ub(core, to, bytes, true))
    return false;
  asc_floats()->move(to, from, bytes);
  return true;
}

static bool row_out(weft_asc_core *core, void *to, const void *from, uint64_t bytes, uint64_t global_bytes) {
  asc_block *b = asc_block_of(core);
  if (core->atomic != WEFT_ASC_STORE)
    return false;
  asc_late_before_write(b, to, bytes);
  if (!asc_in_ub(core, from, bytes, false))
    return false;
  if (row_far(to, bytes, global_bytes)) {
    asc_floats()->move_far(to, from, bytes);
    b->far = true;
    return true;
  }
  asc_late_arrive(b);
  asc_floats()->move(to, from, bytes);
  return true;
}

// Between global memory and UB, outside of the checked mode. False: not so, and nothing was done.
static bool row_run(weft_asc_core *core, void *to, const void *from, uint64_t bytes, uint64_t global_bytes,
                    uint32_t how) {
  const bool out = how & WEFT_ASC_COPY_OUT;
  const uint64_t rest = how & WEFT_ASC_COPY_IN_BLOCKS ? global_bytes : UINT64_MAX;
  const bool nowhere = (uintptr_t)(out ? to : from) < COPY_NOBODYS;
  if (!core || core->check || !bytes || rest < bytes || nowhere || asc_block_of(core)->loops[out].times[0])
    return false;
  return out ? row_out(core, to, from, bytes, global_bytes) : row_in(core, to, from, bytes);
}

void weft_asc_copy_row(void *to, const void *from, uint64_t bytes, uint64_t global_bytes, int pipe,
                       uint32_t how, weft_asc_at at) {
  if (row_run(asc_core_now(), to, from, bytes, global_bytes, how))
    return;
  weft_asc_copy c = {.to = to, .from = from, .rows = 1, .row_bytes = bytes, .pipe = pipe, .element = 1};
  c.global_bytes = global_bytes;
  c.to_global = how & WEFT_ASC_COPY_OUT;
  c.from_global = !c.to_global;
  c.in_blocks = how & WEFT_ASC_COPY_IN_BLOCKS;
  weft_asc_copy_run(&c, at);
}

void weft_asc_scalar(const void *address, uint32_t bytes, bool write, bool global, weft_asc_at at) {
  weft_asc_core *core = asc_core_now();
  if (!core)
    return;
  if (!global)
    asc_local_span(core, address, bytes, write ? "SetValue" : "GetValue", at);
  if (global && write)
    asc_late_all(core);
  if (!core->check)
    return;
  if (write)
    asc_check_write(core, WEFT_ASC_PIPE_S, address, bytes, at);
  else
    asc_check_read(core, WEFT_ASC_PIPE_S, address, bytes, at);
}
// SPDX-License-Identifier: Apache-2.0
