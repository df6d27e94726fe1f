// spans.c - masks, blocks and repeats become runs of elements.
#include "spans.h"

#include "base/base.h"
#include "check.h"

enum { REPEAT_BYTES = 256, BLOCK_BYTES = 32 };

// The memory that holds an address; -1: none.
static int span_region(const weft_asc_core *core, const uint8_t *at) {
  for (int i = 0; i < WEFT_ASC_REGIONS; i++) {
    if (at >= core->memory[i] && at < core->memory[i] + core->capacity[i])
      return i;
  }
  return -1;
}

static bool span_take(weft_asc_core *core, int region, const uint8_t *at, uint64_t bytes) {
  const uint64_t offset = (uint64_t)(at - core->memory[region]);
  if (bytes > core->capacity[region] - offset)
    return false;
  core->dirty[region] = WEFT_MAX(core->dirty[region], (uint32_t)(offset + bytes));
  return true;
}

static void span_fail(weft_asc_core *core, const uint8_t *at, uint64_t bytes, const char *operand,
                      weft_asc_at where) {
  const int region = span_region(core, at);
  if (region < 0) {
    weft_asc_fail(
        where,
        "%s: address %p is in no on-chip memory of this core; a LocalTensor comes from a queue, a TBuf "
        "or LocalMemAllocator",
        operand, (const void *)at);
    return;
  }
  const uint64_t offset = (uint64_t)(at - core->memory[region]);
  weft_asc_fail(where, "%s: bytes %llu to %llu of %s, which has %u", operand, (unsigned long long)offset,
                (unsigned long long)(offset + bytes), weft_asc_region_name(region), core->capacity[region]);
}

void asc_local_span(weft_asc_core *core, const void *at, uint64_t bytes, const char *operand,
                    weft_asc_at where) {
  if (asc_in_ub(core, at, bytes, false))
    return;
  const int region = span_region(core, at);
  if (region < 0 || !span_take(core, region, at, bytes))
    span_fail(core, at, bytes, operand, where);
}

void asc_local_over(weft_asc_core *core, const void *at, uint64_t bytes, const char *operand,
                    weft_asc_at where) {
  if (!asc_in_ub(core, at, bytes, true))
    asc_local_span(core, at, bytes, operand, where);
}

void asc_local_read(weft_asc_core *core, const void *at, uint64_t bytes, const char *operand,
                    weft_asc_at where) {
  if (!bytes)
    return;
  asc_local_span(core, at, bytes, operand, where);
  if (core->check)
    asc_check_read(core, WEFT_ASC_PIPE_V, at, bytes, where);
}

void asc_local_write(weft_asc_core *core, const void *at, uint64_t bytes, const char *operand,
                     weft_asc_at where) {
  if (!bytes)
    return;
  asc_local_span(core, at, bytes, operand, where);
  if (core->check)
    asc_check_write(core, WEFT_ASC_PIPE_V, at, bytes, where);
}

weft_asc_core *asc_core_for(const char *name, weft_asc_at at) {
  weft_asc_core *core = asc_core_now();
  if (!core)
    weft_asc_fail(at, "%s works in a kernel's launch only", name);
  return core;
}

// The same of an operand by its number: names are put together only for a message.
static void operand_span(weft_asc_core *core, const void *at, uint64_t bytes, const char *name, uint32_t i,
                         bool over, weft_asc_at where) {
  static const char *const names[3] = {"dst", "src0", "src1"};
  if (asc_in_ub(core, at, bytes, over))
    return;
  const int region = span_region(core, at);
  if (region >= 0 && span_take(core, region, at, bytes))
    return;
  char operand[64];
  snprintf(operand, sizeof operand, "%s: %s", name, names[i]);
  span_fail(core, at, bytes, operand, where);
}

// The first n bits.
static uint64_t first_bits(uint64_t n) {
  return n >= 64 ? ~0ull : (1ull << n) - 1;
}

static bool operand_contiguous(const weft_asc_operand *o, uint32_t per_repeat) {
  const uint32_t blocks = per_repeat * (uint32_t)asc_dtype_bytes(o->dtype) / BLOCK_BYTES;
  return o->block == 1 && o->repeat == blocks;
}

static uint32_t runs_per_repeat(const asc_runs *r) {
  size_t widest = 1;
  for (uint32_t i = 0; i < r->n_operands; i++)
    widest = WEFT_MAX(widest, asc_dtype_bytes(r->operands[i].dtype));
  return (uint32_t)(REPEAT_BYTES / widest);
}

// Repeats whose operands follow one another are one run, where all elements take part.
static void runs_join(asc_runs *r) {
  const bool full = (r->mask[0] & first_bits(r->per_repeat)) == first_bits(r->per_repeat) &&
                    (r->per_repeat <= 64 || r->mask[1] == ~0ull);
  bool follow = full && r->left == UINT64_MAX;
  for (uint32_t i = 0; i < r->n_operands; i++)
    follow = follow && operand_contiguous(&r->operands[i], r->per_repeat);
  if (!follow || r->per_repeat > 128)
    return;
  r->left = (uint64_t)r->repeats * r->per_repeat;
  r->per_repeat = (uint32_t)r->left;
  r->repeats = r->left > 0;
  r->block = 0;
}

void asc_runs_begin_apart(asc_runs *r, const weft_asc_vector *v, weft_asc_core *core) {
  *r = (asc_runs){
      .v = v, .operands = {v->dst, v->src[0], v->src[1]}, .left = UINT64_MAX, .repeats = v->repeats};
  r->n_operands = 1 + v->n_sources - (v->scalar ? 1u : 0u);
  if (!v->in_repeats) {
    r->left = r->per_repeat = v->count;
    r->repeats = v->count > 0;
    return;
  }
  r->per_repeat = runs_per_repeat(r);
  const uint64_t *mask = v->mask_register ? core->mask : v->mask;
  r->mask[0] = mask[0];
  r->mask[1] = mask[1];
  if (v->mask_register && core->mask_counts) {
    r->left = mask[0];
    r->repeats = (uint32_t)((r->left + r->per_repeat - 1) / r->per_repeat);
    r->mask[0] = r->mask[1] = ~0ull;
  }
  for (uint32_t i = 0; i < r->n_operands; i++) {
    if (r->operands[i].block != 1)
      r->block = WEFT_MAX(r->block, 1u);
  }
  if (r->block) {
    size_t widest = 1;
    for (uint32_t i = 0; i < r->n_operands; i++)
      widest = WEFT_MAX(widest, asc_dtype_bytes(r->operands[i].dtype));
    r->block = (uint32_t)(BLOCK_BYTES / widest);
  }
}

void asc_runs_begin(asc_runs *r, const weft_asc_vector *v, weft_asc_core *core) {
  asc_runs_begin_apart(r, v, core);
  if (v->in_repeats)
    runs_join(r);
}

static bool run_takes(const asc_runs *r, uint32_t element) {
  const uint32_t bit = element & 127;  // bytes: a mask of 128 bits, used twice
  return r->mask[bit / 64] >> (bit % 64) & 1;
}

// Elements from `element` on that take part and lie together.
static uint32_t run_length(const asc_runs *r, uint32_t element, uint32_t limit) {
  uint32_t end = element + 1;
  const uint32_t stop = r->block ? WEFT_MIN(limit, (element / r->block + 1) * r->block) : limit;
  while (end < stop && run_takes(r, end))
    end++;
  return end - element;
}

static uint8_t *run_address(const weft_asc_operand *o, uint32_t repeat, uint32_t element) {
  const uint32_t bytes = (uint32_t)asc_dtype_bytes(o->dtype);
  const uint32_t per_block = BLOCK_BYTES / bytes;
  const uint64_t blocks = (uint64_t)repeat * o->repeat + (uint64_t)(element / per_block) * o->block;
  return (uint8_t *)o->at + blocks * BLOCK_BYTES + (uint64_t)(element % per_block) * bytes;
}

static bool runs_whole(asc_runs *r, asc_run_of *out) {
  if (r->repeat || !r->repeats)
    return false;
  *out = (asc_run_of){.n = (uint32_t)r->left};
  for (uint32_t i = 0; i < r->n_operands; i++)
    out->at[i] = r->operands[i].at;
  r->repeat = 1;
  return true;
}

bool asc_runs_next(asc_runs *r, asc_run_of *out) {
  if (r->left != UINT64_MAX && r->left == r->per_repeat && r->repeats <= 1 && !r->block)
    return runs_whole(r, out);
  while (r->repeat < r->repeats) {
    uint32_t limit = r->per_repeat;
    if (r->left != UINT64_MAX)
      limit = (uint32_t)WEFT_MIN((uint64_t)limit, r->left - (uint64_t)r->repeat * r->per_repeat);
    while (r->element < limit && !run_takes(r, r->element))
      r->element++;
    if (r->element >= limit) {
      r->repeat++;
      r->element = 0;
      continue;
    }
    out->n = run_length(r, r->element, limit);
    out->repeat = r->repeat;
    out->element = r->element;
    for (uint32_t i = 0; i < r->n_operands; i++)
      out->at[i] = run_address(&r->operands[i], r->repeat, r->element);
    r->element += out->n;
    return true;
  }
  return false;
}

// The result of a lane is as good as what it was made of.
static void run_check_write(weft_asc_core *core, const asc_runs *r, const asc_run_of *run, weft_asc_at at) {
  const uint64_t wide = asc_dtype_bytes(r->operands[0].dtype);
  if (asc_op_accumulates(r->v->op))
    asc_check_read(core, WEFT_ASC_PIPE_V, run->at[0], run->n * wide, at);
  asc_check_write(core, WEFT_ASC_PIPE_V, run->at[0], run->n * wide, at);
  for (uint32_t i = 1; i < r->n_operands; i++) {
    if (run->at[i] != run->at[0])
      asc_check_flow(core, run->at[0], wide, run->at[i], asc_dtype_bytes(r->operands[i].dtype), run->n);
  }
}

// What is read comes first: where dst is a source, it is seen before it counts as written.
static void run_check(weft_asc_core *core, const asc_runs *r, const asc_run_of *run, bool writes,
                      const char *name, weft_asc_at at) {
  const bool over = !asc_op_accumulates(r->v->op);
  for (uint32_t i = 1; i < r->n_operands; i++) {
    const uint64_t bytes = (uint64_t)run->n * asc_dtype_bytes(r->operands[i].dtype);
    operand_span(core, run->at[i], bytes, name, i, false, at);
    if (core->check)
      asc_check_lanes(core, WEFT_ASC_PIPE_V, run->at[i], bytes, at);
  }
  if (!writes)
    return;
  operand_span(core, run->at[0], (uint64_t)run->n * asc_dtype_bytes(r->operands[0].dtype), name, 0, over, at);
  if (core->check)
    run_check_write(core, r, run, at);
}

// Elements one after another, outside of the checked mode: what most kernels do most of the time.
static void counted_check(weft_asc_core *core, const weft_asc_vector *v, bool writes, const char *name,
                          weft_asc_at at) {
  const uint32_t n = v->n_sources - (v->scalar ? 1u : 0u);
  if (!v->count)
    return;
  for (uint32_t i = 0; i < n; i++)
    operand_span(core, v->src[i].at, (uint64_t)v->count * asc_dtype_bytes(v->src[i].dtype), name, i + 1,
                 false, at);
  if (writes)
    operand_span(core, v->dst.at, (uint64_t)v->count * asc_dtype_bytes(v->dst.dtype), name, 0,
                 !asc_op_accumulates(v->op), at);
}

void asc_runs_check(weft_asc_core *core, const weft_asc_vector *v, bool writes, const char *name,
                    weft_asc_at at) {
  asc_runs r;
  asc_run_of run;
  if (!core->check && !v->in_repeats) {
    counted_check(core, v, writes, name, at);
    return;
  }
  asc_runs_begin(&r, v, core);
  for (uint32_t i = writes ? 0 : 1; core->check && i < r.n_operands; i++)
    asc_check_aligned(core, r.operands[i].at, name, at);
  while (asc_runs_next(&r, &run))
    run_check(core, &r, &run, writes, name, at);
}
// SPDX-License-Identifier: Apache-2.0
