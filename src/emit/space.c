// space.c - blocks of places that become batches, and back. Sizes that are not known yet are read from
// the value's shape.
#include "emit/emit.h"

// The size of axis i of v, times and divided by.
static weft_value *space_size(front_op *o, weft_value *v, int axis, int64_t times, int64_t by) {
  weft_dim dim = front_dim(v, axis);
  if (dim >= 0) {
    dim = dim * times / by;
    return front_list(o, &dim, 1);
  }
  weft_value *n = front_dim_list(o, v, axis);
  if (times != 1)
    n = front_do(o, "Mul", n, front_list(o, &times, 1), NULL);
  return by == 1 ? n : front_do(o, "FloorDiv", n, front_list(o, &by, 1), NULL);
}

static int64_t space_all(front_op *o, const front_blocks *s) {
  int64_t all = 1;
  for (size_t i = 0; i < s->n && !o->failed; i++) {
    if (s->block[i] < 1 || s->block[i] > INT32_MAX / all || s->before[i] < 0 || s->after[i] < 0)
      front_fail(o, WEFT_E_RANGE, "block size %lld, padding %lld and %lld", (long long)s->block[i],
                 (long long)s->before[i], (long long)s->after[i]);
    else
      all *= s->block[i];
  }
  return all;
}

static int space_rank(front_op *o, weft_value *x, const front_blocks *s) {
  int rank = front_rank_of(o, x);
  if (!o->failed && (!s->n || s->n > FRONT_BLOCKS || (int)s->n >= rank || rank + (int)s->n > WEFT_MAX_RANK))
    front_fail(o, WEFT_E_UNSUPPORTED, "%zu block sizes for rank %d", s->n, rank);
  return rank;
}

static weft_value *space_shaped(front_op *o, weft_value *x, weft_value *const *parts, size_t n) {
  return o->failed ? NULL : front_reshape(o, x, front_joined(o, parts, n, 0));
}

weft_value *front_space_to_batch(front_op *o, weft_value *x, const front_blocks *s) {
  int64_t pads[2 * WEFT_MAX_RANK] = {0};
  weft_value *parts[2 * WEFT_MAX_RANK];
  int64_t order[2 * WEFT_MAX_RANK];
  size_t n = 0;
  size_t k = 0;
  int rank = space_rank(o, x, s);
  int64_t all = space_all(o, s);
  if (o->failed)
    return NULL;
  for (size_t i = 0; i < s->n; i++) {
    pads[2 * i + 2] = s->before[i];
    pads[2 * i + 3] = s->after[i];
  }
  const int64_t two[2] = {rank, 2};
  x = front_do(o, "Pad", x, front_reshaped(o, front_list(o, pads, 2 * (size_t)rank), two, 2), NULL);

  parts[n++] = space_size(o, x, 0, 1, 1);
  for (size_t i = 0; i < s->n; i++) {
    parts[n++] = space_size(o, x, (int)i + 1, 1, s->block[i]);
    parts[n++] = front_list(o, &s->block[i], 1);
    order[k++] = 2 + 2 * (int64_t)i;
  }
  order[k++] = 0;
  for (size_t i = 0; i < s->n; i++)
    order[k++] = 1 + 2 * (int64_t)i;
  for (int i = (int)s->n + 1; i < rank; i++) {
    order[k++] = (int64_t)n;
    parts[n++] = space_size(o, x, i, 1, 1);
  }
  weft_value *y = front_permuted(o, space_shaped(o, x, parts, n), order, n);

  n = 0;
  parts[n++] = space_size(o, x, 0, all, 1);
  for (int i = 1; i < rank; i++)
    parts[n++] = space_size(o, x, i, 1, (size_t)i <= s->n ? s->block[i - 1] : 1);
  return space_shaped(o, y, parts, n);
}

weft_value *front_batch_to_space(front_op *o, weft_value *x, const front_blocks *s) {
  weft_value *parts[2 * WEFT_MAX_RANK];
  int64_t order[2 * WEFT_MAX_RANK];
  size_t n = 0;
  size_t k = 0;
  int rank = space_rank(o, x, s);
  int64_t all = space_all(o, s);
  if (o->failed)
    return NULL;
  for (size_t i = 0; i < s->n; i++)
    parts[n++] = front_list(o, &s->block[i], 1);
  parts[n++] = space_size(o, x, 0, 1, all);
  for (int i = 1; i < rank; i++)
    parts[n++] = space_size(o, x, i, 1, 1);
  order[k++] = (int64_t)s->n;
  for (size_t i = 0; i < s->n; i++) {
    order[k++] = (int64_t)(s->n + 1 + i);
    order[k++] = (int64_t)i;
  }
  for (; k < n; k++)
    order[k] = (int64_t)k;
  weft_value *y = front_permuted(o, space_shaped(o, x, parts, n), order, n);

  n = 0;
  parts[n++] = space_size(o, x, 0, 1, all);
  for (int i = 1; i < rank; i++)
    parts[n++] = space_size(o, x, i, (size_t)i <= s->n ? s->block[i - 1] : 1, 1);
  y = space_shaped(o, y, parts, n);
  for (size_t i = 0; i < s->n && !o->failed; i++) {
    int64_t to = s->after[i] ? -s->after[i] : INT64_MAX;
    if (s->before[i] || s->after[i])
      y = front_part(o, y, (int64_t)i + 1, s->before[i], to);
  }
  return y;
}
// SPDX-License-Identifier: Apache-2.0
