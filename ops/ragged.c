// ragged.c - see ragged.h.
#include "ragged.h"

weft_status weft__splits_read(const weft_call *c, uint32_t in, size_t elems, weft_splits *out) {
  const weft_tensor *t = c->in[in];
  const size_t n = weft__elems(&t->layout.origin);
  const char *name = weft__in_name(c->desc, in);
  uint64_t *at;
  WEFT_TRY(weft__load_u64s(c, t, &at));
  if (!n)
    return weft_fail(c->d, WEFT_E_SHAPE, "input '%s' has no elements, expected 1 or more", name);
  for (size_t i = 0; i < n; i++) {
    const int64_t least = i ? (int64_t)at[i - 1] : 0;
    WEFT_TRY(weft__poll_at(c, i));
    if ((int64_t)at[i] < least || (!i && at[i]))
      return weft_fail(c->d, WEFT_E_RANGE,
                       "input '%s', element %zu is %lld; splits begin with 0 and do not fall", name, i,
                       (long long)at[i]);
  }
  if (at[n - 1] != elems)
    return weft_fail(c->d, WEFT_E_RANGE, "input '%s' ends with %lld, but there are %zu elements", name,
                     (long long)at[n - 1], elems);
  *out = (weft_splits){n - 1, (const int64_t *)at};
  return WEFT_OK;
}

weft_status weft__splits_rows(const weft_infer *it, uint32_t in, weft_dim *out) {
  WEFT_TRY(weft__expect_rank(it, in, 1, 1));
  *out = -1;
  if (weft_shape_is_unknown_rank(it->in[in]))
    return WEFT_OK;
  const weft_dim n = it->in[in]->dim[0];
  if (n == 0)
    return weft_fail(it->d, WEFT_E_SHAPE, "input '%s' has no elements, expected 1 or more",
                     weft__in_name(it->desc, in));
  *out = n == -1 ? -1 : weft_dim_sub(it->symbols, n, 1);
  return WEFT_OK;
}
// SPDX-License-Identifier: Apache-2.0
