// sort.c - order by value. An item's value becomes a number whose order as an unsigned one is that of the
// values; beside it stands the item's place, so that no two are equal and the order is one.
#include <stdlib.h>
#include <string.h>

#include "base/base.h"
#include "run.h"
#include "spans.h"

typedef struct sort_entry {
  uint64_t key;  // smaller comes first
  uint64_t place;
} sort_entry;

static uint64_t sort_double(double x) {
  uint64_t bits = 0;
  if (x != x)
    return UINT64_MAX;
  x += 0.0;  // both zeros are equal
  memcpy(&bits, &x, sizeof bits);
  return bits >> 63 ? ~bits : bits | 1ull << 63;
}

static uint64_t sort_key(const void *at, weft_asc_dtype dtype, bool smallest) {
  uint64_t key = 0;
  if (dtype == WEFT_ASC_I64 || dtype == WEFT_ASC_U64) {
    memcpy(&key, at, sizeof key);
    key ^= dtype == WEFT_ASC_I64 ? 1ull << 63 : 0;
  } else {
    key = sort_double(asc_element(at, dtype));
  }
  return smallest ? key : ~key;
}

static int sort_before(const void *a, const void *b) {
  const sort_entry *x = a;
  const sort_entry *y = b;
  if (x->key != y->key)
    return x->key < y->key ? -1 : 1;
  return x->place < y->place ? -1 : x->place > y->place;
}

// Bytes of the block's own, as one that fails does not return.
static void *sort_work(weft_asc_core *core, size_t bytes, weft_asc_at at) {
  asc_block *b = asc_block_of(core);
  if (bytes > b->work_bytes) {
    free(b->work);
    b->work = malloc(bytes);
    b->work_bytes = b->work ? bytes : 0;
    if (!b->work)
      weft_asc_fail(at, "no memory for %zu bytes of a sort", bytes);
  }
  return b->work;
}

// `n` values, each `step` bytes after the other, in order.
static sort_entry *sort_entries(weft_asc_core *core, const void *values, uint32_t step, uint32_t n,
                                weft_asc_dtype dtype, bool smallest, size_t beside, weft_asc_at at) {
  sort_entry *entries = sort_work(core, n * sizeof *entries + beside, at);
  for (uint32_t i = 0; entries && i < n; i++) {
    entries[i].key = sort_key((const uint8_t *)values + (size_t)i * step, dtype, smallest);
    entries[i].place = i;
  }
  if (entries)
    qsort(entries, n, sizeof *entries, sort_before);
  return entries;
}

static void sort_list(weft_asc_core *core, const weft_asc_sort *s, size_t offset, weft_asc_at at) {
  const size_t bytes = (size_t)s->count * s->item;
  const uint8_t *from = (const uint8_t *)s->src + offset;
  sort_entry *entries = sort_entries(core, from + s->key, s->item, s->count, s->dtype, false, bytes, at);
  if (!entries)
    return;
  uint8_t *copy = (uint8_t *)(entries + s->count);
  memcpy(copy, from, bytes);
  for (uint32_t i = 0; i < s->count; i++)
    memcpy((uint8_t *)s->dst + offset + (size_t)i * s->item, copy + entries[i].place * s->item, s->item);
}

void weft_asc_sort_run(const weft_asc_sort *s, weft_asc_at at) {
  weft_asc_core *core = asc_core_for("Sort", at);
  const uint64_t bytes = (uint64_t)s->count * s->lists * s->item;
  if (!core || !bytes)
    return;
  asc_local_read(core, s->src, bytes, "Sort: src", at);
  asc_local_write(core, s->dst, bytes, "Sort: dst", at);
  for (uint32_t i = 0; i < s->lists; i++)
    sort_list(core, s, (size_t)i * s->count * s->item, at);
}

// ---- merging ----

typedef struct merge_state {
  const weft_asc_merge *m;
  const uint8_t *from[4];
  uint32_t taken[4];
} merge_state;

static bool merge_has(const merge_state *s, int list) {
  return s->m->lists >> list & 1 && s->taken[list] < s->m->lengths[list];
}

// The list whose next item comes first; -1: none is left.
static int merge_next(const merge_state *s) {
  int best = -1;
  uint64_t least = 0;
  for (int i = 0; i < 4; i++) {
    if (!merge_has(s, i))
      continue;
    const uint8_t *item = s->from[i] + (size_t)s->taken[i] * s->m->item;
    const uint64_t key = sort_key(item + s->m->key, s->m->dtype, false);
    if (best < 0 || key < least) {
      best = i;
      least = key;
    }
  }
  return best;
}

static uint32_t merge_lists(merge_state *s, uint8_t *to) {
  uint32_t n = 0;
  for (int list = merge_next(s); list >= 0; list = merge_next(s)) {
    memcpy(to + (size_t)n * s->m->item, s->from[list] + (size_t)s->taken[list] * s->m->item, s->m->item);
    s->taken[list]++;
    n++;
    if (s->m->stop && !merge_has(s, list))
      break;
  }
  return n;
}

static uint32_t merge_all(const weft_asc_merge *m) {
  uint32_t all = 0;
  for (int i = 0; i < 4; i++)
    all += m->lists >> i & 1 ? m->lengths[i] : 0;
  return all;
}

static bool merge_may(const weft_asc_merge *m, weft_asc_at at) {
  if (m->lists != 3 && m->lists != 7 && m->lists != 15) {
    weft_asc_fail(at, "MrgSort: validBit is %u; 3, 7 and 15 stand for two, three and four lists", m->lists);
    return false;
  }
  bool equal = m->lists == 15 && !m->stop;
  for (int i = 1; i < 4; i++)
    equal = equal && m->lengths[i] == m->lengths[0];
  if (m->repeats > 1 && !equal) {
    weft_asc_fail(at, "MrgSort: %u repeats take four lists of one length, none of which ends the merge",
                  m->repeats);
    return false;
  }
  return true;
}

void weft_asc_merge_run(const weft_asc_merge *m, weft_asc_at at) {
  weft_asc_core *core = asc_core_for("MrgSort", at);
  if (!core || !m->repeats || !merge_may(m, at))
    return;
  const uint32_t all = merge_all(m);
  const size_t bytes = (size_t)all * m->item;
  uint8_t *merged = sort_work(core, bytes, at);
  memset(core->merged, 0, sizeof core->merged);
  for (uint32_t repeat = 0; merged && repeat < m->repeats; repeat++) {
    merge_state s = {.m = m};
    for (int i = 0; i < 4; i++) {
      if (!(m->lists >> i & 1))
        continue;
      s.from[i] = (const uint8_t *)m->src[i] + repeat * bytes;
      asc_local_read(core, s.from[i], (uint64_t)m->lengths[i] * m->item, "MrgSort: a list", at);
    }
    const uint32_t n = merge_lists(&s, merged);
    asc_local_write(core, (uint8_t *)m->dst + repeat * bytes, (uint64_t)n * m->item, "MrgSort: dst", at);
    memcpy((uint8_t *)m->dst + repeat * bytes, merged, (size_t)n * m->item);
    memcpy(core->merged, s.taken, sizeof s.taken);
  }
  if (m->taken)
    memcpy(m->taken, core->merged, sizeof core->merged);
}

// ---- the first of a row ----

static uint64_t top_number(const uint8_t *numbers, uint32_t bytes, uint64_t place) {
  uint64_t number = place;
  if (numbers)
    memcpy(&number, numbers + place * bytes, bytes);
  return number;
}

static void top_row(weft_asc_core *core, const weft_asc_top *t, weft_asc_at at) {
  const size_t wide = asc_dtype_bytes(t->dtype);
  const size_t values = (size_t)t->n * wide;
  const size_t numbers = t->numbers ? (size_t)t->n * t->number_bytes : 0;
  sort_entry *entries =
      sort_entries(core, t->src, (uint32_t)wide, t->n, t->dtype, t->smallest, values + numbers, at);
  if (!entries)
    return;
  uint8_t *copy = (uint8_t *)(entries + t->n);
  memcpy(copy, t->src, values);
  if (numbers)
    memcpy(copy + values, t->numbers, numbers);
  for (uint32_t i = 0; i < t->k; i++) {
    const uint64_t place = entries[i].place;
    const uint64_t number = top_number(numbers ? copy + values : NULL, t->number_bytes, place);
    memcpy((uint8_t *)t->dst + i * wide, copy + place * wide, wide);
    if (t->dst_numbers)
      memcpy((uint8_t *)t->dst_numbers + (size_t)i * t->number_bytes, &number, t->number_bytes);
  }
}

void weft_asc_top_run(const weft_asc_top *t, weft_asc_at at) {
  weft_asc_core *core = asc_core_for("TopK", at);
  const uint64_t wide = asc_dtype_bytes(t->dtype);
  if (!core || !t->n)
    return;
  if (t->k > t->n) {
    weft_asc_fail(at, "TopK: %u of %u numbers", t->k, t->n);
    return;
  }
  asc_local_read(core, t->src, t->n * wide, "TopK: src", at);
  if (t->numbers)
    asc_local_read(core, t->numbers, (uint64_t)t->n * t->number_bytes, "TopK: indices", at);
  asc_local_write(core, t->dst, t->k * wide, "TopK: dst", at);
  if (t->dst_numbers)
    asc_local_write(core, t->dst_numbers, (uint64_t)t->k * t->number_bytes, "TopK: dst's indices", at);
  top_row(core, t, at);
}
// SPDX-License-Identifier: Apache-2.0
