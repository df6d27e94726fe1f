// maps.c - which two items make a map, or a sequence of maps with the same keys (weft/maps.h). That no key
// comes twice is not looked for here: operators that search for keys take the first.
#include "tensor/tensor.h"

static weft_status map_keys(const weft_tensor *keys, weft_diag *d) {
  if (keys->kind != WEFT_KIND_TENSOR || (keys->dtype != WEFT_INT64 && keys->dtype != WEFT_STRING)) {
    return weft_fail(
        d, WEFT_E_DTYPE, "the keys of a map are %s, expected i64 or str",
        keys->kind == WEFT_KIND_TENSOR ? weft_dtype_name(keys->dtype) : weft__kind_word(keys->kind));
  }
  if (keys->layout.origin.rank != 1 || weft_shape_is_unknown_rank(&keys->layout.origin)) {
    return weft_fail(d, WEFT_E_SHAPE, "the keys of a map: expected rank 1, got %zu",
                     keys->layout.origin.rank);
  }
  return WEFT_OK;
}

weft_status weft__map_check(const weft_tensor *t, weft_diag *d) {
  const size_t rank = t->kind == WEFT_KIND_MAPS ? 2 : 1;
  const char *word = weft__kind_word(t->kind);
  if (t->n_items != 2 || !t->items[0] || !t->items[1])
    return weft_fail(d, WEFT_E_INVALID, "a %s has %zu items, expected keys and values", word, t->n_items);
  const weft_tensor *keys = t->items[0];
  const weft_tensor *values = t->items[1];
  const weft_shape *s = &values->layout.origin;
  WEFT_TRY(map_keys(keys, d));
  if (values->kind != WEFT_KIND_TENSOR || values->dtype != t->item_dtype) {
    return weft_fail(d, WEFT_E_DTYPE, "the values of a %s are %s, expected %s", word,
                     weft_dtype_name(values->dtype), weft_dtype_name(t->item_dtype));
  }
  if (weft_shape_is_unknown_rank(s) || s->rank != rank)
    return weft_fail(d, WEFT_E_SHAPE, "the values of a %s: expected rank %zu, got %zu", word, rank, s->rank);
  weft_dim n = keys->layout.origin.dim[0];
  weft_dim each = s->dim[rank - 1];
  if (n >= 0 && each >= 0 && n != each) {
    return weft_fail(d, WEFT_E_SHAPE, "a %s has %lld keys and %lld values for them", word, (long long)n,
                     (long long)each);
  }
  return WEFT_OK;
}
// SPDX-License-Identifier: Apache-2.0
