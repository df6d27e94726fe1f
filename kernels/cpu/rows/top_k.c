// top_k.c - TopKV2 of f32. A number and its place become one 64-bit key: the larger key is the better one,
// and no two are equal. Keys that may be among the best k are collected; when the room for them is full, the
// best k stay and the worst of these is what the next ones must exceed, which most of a long lane does not
// and is passed over LOOK numbers at a time. In the end the best k are sorted. A few are kept sorted all the
// time instead. Cost: one pass, and k log (n / k) keys or so.
#include "cpu/rows/polled.h"
#include "cpu/rows/rows.h"
#include "cpu/simd/vector_math.h"
#include "op_slots.h"
#include "axis.rule.h"

enum { LOOK = 32, ROOM = 64, FEW = 96, PIECE = 1 << 18, ROUNDS = 12, SORTED = 16 };
typedef struct plan {
  size_t outer, lane, inner, k, room;
  bool largest, wide;  // wide: indices of int64
} plan;

static const char *top_k_make(const weft_tiling *t, plan *p) {
  const weft_shape *s = &t->in[0]->origin;
  memset(p, 0, sizeof *p);
  const char *why = weft__rows_f32(t, 1);
  if (why)
    return why;
  if (t->n_out != 2 || (t->out_dtype[1] != WEFT_INT64 && t->out_dtype[1] != WEFT_INT32))
    return "needs indices of i32 or i64";
  int64_t axis = weft_node_int(t->desc, WEFT_SLOT_TOP_K_V2_DIM);
  if (!weft__axis_inside(&axis, s->rank) || t->out[0]->origin.rank != s->rank)
    return "the axis is outside";
  p->outer = weft__rows_prod(s, 0, (size_t)axis);
  p->lane = (size_t)s->dim[axis];
  p->inner = weft__rows_prod(s, (size_t)axis + 1, s->rank);
  p->k = (size_t)t->out[0]->origin.dim[axis];
  if (p->lane > INT32_MAX || p->k > p->lane)
    return "more than 2^31 elements along the axis";
  p->largest = weft_node_bool(t->desc, WEFT_SLOT_TOP_K_V2_LARGEST);
  p->wide = t->out_dtype[1] == WEFT_INT64;
  p->room = WEFT_MIN(2 * p->k + ROOM, WEFT_MAX(p->lane, p->k) + LOOK);
  return NULL;
}

static const char *refuse_top_k(const weft_tiling *t) {
  plan p;
  return top_k_make(t, &p);
}

static weft_status tile_top_k(weft_tiling *t) {
  plan *p = t->data;
  const char *why = top_k_make(t, p);
  if (why)
    return t->host->fail(t->d, WEFT_E_KERNEL, "%s", why);
  size_t lanes = p->outer * p->inner;
  double ns = (double)p->lane * 0.3 + (double)p->k * 12 + 100;
  // the lane, where it does not lie side by side
  size_t per;
  size_t keys;
  size_t copy = p->inner > 1 ? p->lane * sizeof(float) : 0;
  t->blocks = weft__rows_blocks(lanes, ns, &per);
  t->data_bytes = sizeof *p;
  t->skips = 3;
  if (!weft_mul_size(2 * sizeof(uint64_t), p->room, &keys) || keys > SIZE_MAX - copy)
    return t->host->fail(t->d, WEFT_E_OVERFLOW, "lanes of %zu elements are too large", p->lane);
  t->scratch_bytes = keys + copy;  // keys, and as many to sort them into
  return WEFT_OK;
}

// NaN is the largest, 0 is -0, and of equal numbers the first is the better one.
static inline uint64_t top_k_key_of(float x, size_t at, bool largest) {
  uint32_t u = x == 0 ? 0 : weft__bits(x);
  u ^= u >> 31 ? UINT32_MAX : UINT32_C(1) << 31;
  if (x != x)
    u = UINT32_MAX;
  return (uint64_t)(largest ? u : ~u) << 32 | (UINT32_MAX - (uint32_t)at);
}

// ---- the best k of n keys ----
static inline void swap(uint64_t *a, size_t i, size_t j) {
  uint64_t t = a[i];
  a[i] = a[j];
  a[j] = t;
}
static void sift(uint64_t *a, size_t i, size_t n) {  // the least on top
  for (size_t c = 2 * i + 1; c < n; i = c, c = 2 * i + 1) {
    if (c + 1 < n && a[c + 1] < a[c])
      c++;
    if (a[i] <= a[c])
      return;
    swap(a, i, c);
  }
}
// By a heap: where dividing has not come to an end soon.
static void keep_by_heap(uint64_t *a, size_t n, size_t k) {
  for (size_t i = k / 2; i-- > 0;)
    sift(a, i, k);
  for (size_t i = k; i < n; i++) {
    if (a[i] > a[0]) {
      a[0] = a[i];
      sift(a, 0, k);
    }
  }
}
// Of three places the one of the middle key.
static size_t middle(const uint64_t *a, size_t i, size_t j, size_t k) {
  if (a[i] < a[j])
    return a[j] < a[k] ? j : a[i] < a[k] ? k : i;
  return a[i] < a[k] ? i : a[j] < a[k] ? k : j;
}
// The best k come first, in any order. Divides without branches on keys.
static void top_k_keep(uint64_t *a, size_t n, size_t k) {
  for (int round = 0; k && k < n; round++) {
    if (round == ROUNDS) {
      keep_by_heap(a, n, k);
      return;
    }
    swap(a, 0, middle(a, 0, n / 2, n - 1));
    const uint64_t pivot = a[0];
    size_t better = 0;  // they follow the pivot
    for (size_t i = 1; i < n; i++) {
      const uint64_t v = a[i];
      a[i] = a[better + 1];
      a[better + 1] = v;
      better += v > pivot;
    }
    swap(a, 0, better);
    if (better > k)
      n = better;
    else if (better + 1 >= k)
      return;
    else {
      a += better + 1;
      n -= better + 1;
      k -= better + 1;
    }
  }
}

// Best first. By bytes, the last first, where there are many; `spare` has room for n.
static weft_status sort(const weft_block *b, uint64_t *a, uint64_t *spare, size_t n, const uint64_t **out) {
  size_t work = 0;
  *out = a;
  if (n <= FEW) {
    for (size_t i = 1; i < n; i++) {
      uint64_t v = a[i];
      size_t j = i;
      for (; j && a[j - 1] < v; j--)
        a[j] = a[j - 1];
      a[j] = v;
    }
    return WEFT_OK;
  }
  for (unsigned shift = 0; shift < 64; shift += 8) {
    uint32_t from[256] = {0};
    uint32_t at = 0;
    for (size_t i = 0; i < n; i++)
      from[a[i] >> shift & 255]++;
    if (from[a[0] >> shift & 255] == n)
      continue;
    for (size_t c = 256; c-- > 0;) {
      uint32_t count = from[c];
      from[c] = at;
      at += count;
    }
    for (size_t i = 0; i < n; i += PIECE) {
      WEFT_TRY(weft__block_work(b, &work, 4 * PIECE));
      for (size_t j = i; j < WEFT_MIN(i + PIECE, n); j++)
        spare[from[a[j] >> shift & 255]++] = a[j];
    }
    uint64_t *t = a;
    a = spare;
    spare = t;
  }
  *out = a;
  return WEFT_OK;
}

// ---- lanes ----
// May one of LOOK numbers be better than x? NaN of either kind says yes.
static bool may_exceed(const float *v, float x, bool largest) {
  uint32_t found = 0;
  if (largest) {
    WEFT_LOOP(size_t i = 0; i < LOOK; i++)
      found |= v[i] <= x ? 0 : 1u;
  } else {
    WEFT_LOOP(size_t i = 0; i < LOOK; i++)
      found |= v[i] >= x ? 0 : 1u;
  }
  return found;
}

static void top_k_collect(const plan *p, const float *x, uint64_t *keys) {
  size_t m = 0;
  uint64_t least = 0;  // keys must exceed it
  float bound = 0;
  for (size_t i = 0; i < p->lane; i += LOOK) {
    size_t n = WEFT_MIN(p->lane - i, LOOK);
    if (least && n == LOOK && !may_exceed(x + i, bound, p->largest))
      continue;
    const bool rare = least && p->k <= FEW;  // a branch that is seldom taken, or none
    for (size_t j = i; j < i + n; j++) {
      if (rare && (p->largest ? x[j] <= bound : x[j] >= bound))
        continue;
      uint64_t v = top_k_key_of(x[j], j, p->largest);
      keys[m] = v;
      m += v > least;
    }
    if (p->room - m > LOOK || m <= p->k)
      continue;
    top_k_keep(keys, m, p->k);
    m = p->k;
    least = keys[0];
    for (size_t j = 1; j < m; j++)
      least = WEFT_MIN(least, keys[j]);
    bound = x[UINT32_MAX - (uint32_t)least];
  }
  top_k_keep(keys, m, p->k);
}

// The same for a few, which are kept in order, best first.
static void collect_few(const plan *p, const float *x, uint64_t *keys) {
  size_t m = 0;
  float bound = 0;
  for (size_t i = 0; i < p->lane; i += LOOK) {
    size_t n = WEFT_MIN(p->lane - i, LOOK);
    if (m == p->k && n == LOOK && !may_exceed(x + i, bound, p->largest))
      continue;
    for (size_t j = i; j < i + n; j++) {
      if (m == p->k && (p->largest ? x[j] <= bound : x[j] >= bound))
        continue;
      uint64_t v = top_k_key_of(x[j], j, p->largest);
      if (m == p->k && v < keys[m - 1])
        continue;
      size_t to = m < p->k ? m++ : m - 1;
      for (; to && keys[to - 1] < v; to--)
        keys[to] = keys[to - 1];
      keys[to] = v;
      bound = x[UINT32_MAX - (uint32_t)keys[m - 1]];
    }
  }
}

static weft_status run_top_k(const weft_block *b) {
  const plan *p = b->data;
  const float *x = b->arg[0];
  float *values = b->arg[2];
  uint64_t *keys = b->scratch;
  float *copy = (float *)(void *)(keys + 2 * p->room);
  size_t lanes = p->k ? p->outer * p->inner : 0;
  size_t work = 0;
  for (size_t i = b->block; i < lanes; i += b->blocks) {
    WEFT_TRY(weft__block_work(b, &work, 4 * p->lane));
    const float *lane = x + i / p->inner * p->lane * p->inner + i % p->inner;
    for (size_t j = 0; p->inner > 1 && j < p->lane; j++)
      copy[j] = lane[j * p->inner];
    if (p->inner > 1)
      lane = copy;
    const uint64_t *best = keys;
    if (p->k <= SORTED) {
      collect_few(p, lane, keys);
    } else {
      top_k_collect(p, lane, keys);
      WEFT_TRY(sort(b, keys, keys + p->room, p->k, &best));
    }
    for (size_t j = 0; j < p->k; j++) {
      size_t to = (i / p->inner * p->k + j) * p->inner + i % p->inner;
      uint32_t at = UINT32_MAX - (uint32_t)best[j];
      if (values)
        values[to] = lane[at];
      if (!b->arg[3])
        continue;
      if (p->wide)
        ((int64_t *)b->arg[3])[to] = at;
      else
        ((int32_t *)b->arg[3])[to] = (int32_t)at;
    }
  }
  return WEFT_OK;
}

WEFT_ROWS_KERNEL(top_k, "TopKV2", "top_k", 256);
// SPDX-License-Identifier: Apache-2.0
