// maps.c - see maps.h. A merge sort from the bottom up: keys come from files and callers, so the worst case
// counts.
#include "maps.h"

static int size_order(size_t a, size_t b) {
  return (a > b) - (a < b);
}

weft_status weft__map_key_order(const weft_tensor *a, size_t i, const weft_tensor *b, size_t k, weft_diag *d,
                                int *out) {
  if (a->dtype != WEFT_STRING) {
    int64_t x = weft_load_i64(a->dtype, a->data, i);
    int64_t y = weft_load_i64(b->dtype, b->data, k);
    *out = (x > y) - (x < y);
    return WEFT_OK;
  }
  const char *x;
  const char *y;
  size_t n;
  size_t m;
  WEFT_TRY(weft_tensor_string(a, i, &x, &n, d));
  WEFT_TRY(weft_tensor_string(b, k, &y, &m, d));
  int order = memcmp(x, y, n < m ? n : m);
  *out = order ? order : size_order(n, m);
  return WEFT_OK;
}

static weft_status merge_runs(const weft_tensor *keys, const size_t *from, size_t *to, size_t begin,
                              size_t middle, size_t end, weft_diag *d) {
  size_t left = begin;
  size_t right = middle;
  for (size_t at = begin; at < end; at++) {
    int order = left < middle ? -1 : 1;
    if (left < middle && right < end)
      WEFT_TRY(weft__map_key_order(keys, from[left], keys, from[right], d, &order));
    to[at] = order <= 0 ? from[left++] : from[right++];
  }
  return WEFT_OK;
}

weft_status weft__map_order(const weft_call *c, const weft_tensor *keys, size_t **out_order) {
  size_t n = weft__elems(&keys->layout.origin);
  size_t work = 0;
  size_t bytes;
  void *space;
  if (!weft_mul_size(n, 2 * sizeof(size_t), &bytes))
    return weft_fail(c->d, WEFT_E_OVERFLOW, "%zu keys", n);
  WEFT_TRY(c->host->workspace(c, bytes, &space));
  size_t *from = space;
  size_t *to = from + n;
  for (size_t i = 0; i < n; i++)
    from[i] = i;
  for (size_t run = 1; run < n; run *= 2) {
    for (size_t begin = 0; begin < n; begin += 2 * run) {
      size_t middle = WEFT_MIN(begin + run, n);
      size_t end = WEFT_MIN(begin + 2 * run, n);
      WEFT_TRY(weft__poll_work(c, &work, 2 * run));
      WEFT_TRY(merge_runs(keys, from, to, begin, middle, end, c->d));
    }
    size_t *other = from;
    from = to;
    to = other;
  }
  *out_order = from;
  return WEFT_OK;
}
// SPDX-License-Identifier: Apache-2.0
