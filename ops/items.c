// items.c - see items.h. Costs: elements are copied, so an insertion is linear in the whole sequence.
#include "items.h"

void weft__merge_shape(weft_shape *into, const weft_shape *s) {
  if (weft_shape_is_unknown_rank(into))
    return;
  if (weft_shape_is_unknown_rank(s) || into->rank != s->rank) {
    weft_shape_set_unknown_rank(into);
    return;
  }
  for (size_t i = 0; i < s->rank; i++) {
    if (!weft_dim_same(into->dim[i], s->dim[i]))
      into->dim[i] = -1;
  }
}

weft_status weft__items_range(weft_infer *it, weft_infer_fn infer) {
  WEFT_TRY(infer(it));
  const weft_shape *s = it->out[0];
  weft_shape_copy(it->out_min[0], s);
  weft_shape_copy(it->out_max[0], s);
  for (size_t i = 0; !weft_shape_is_unknown_rank(s) && i < s->rank; i++) {
    if (s->dim[i] < 0) {
      it->out_min[0]->dim[i] = 0;
      it->out_max[0]->dim[i] = -1;
    }
  }
  return WEFT_OK;
}

weft_status weft__item_position(const weft_call *c, uint32_t in, size_t n, bool end, size_t *out) {
  int64_t at;
  int64_t least = -(int64_t)n;
  int64_t most = (int64_t)n - !end;
  size_t elems;
  const char *name = weft__in_name(c->desc, in);
  WEFT_TRY(weft__read_ints(c, in, &at, 1, &elems));
  if (elems != 1)
    return weft_fail(c->d, WEFT_E_SHAPE, "input '%s': expected one element, got %zu", name, elems);
  if (most < least)
    return weft_fail(c->d, WEFT_E_RANGE, "input '%s': %lld, but the sequence is empty", name, (long long)at);
  if (at < least || at > most) {
    return weft_fail(c->d, WEFT_E_RANGE, "input '%s': %lld is outside [%lld, %lld]", name, (long long)at,
                     (long long)least, (long long)most);
  }
  *out = (size_t)(at < 0 ? at + (int64_t)n : at);
  return WEFT_OK;
}

weft_status weft__items_make(const weft_call *c, weft_tensor *out, uint8_t kind, weft_dtype t, size_t n) {
  return weft__tensor_set_items(out, kind, t, n, c->d);
}

typedef struct slice_map {
  size_t inner, in_axis, out_axis, from;  // elements behind the axis; its lengths; where the slice begins
} slice_map;
static int64_t slice_at(void *ctx, size_t i) {
  const slice_map *m = ctx;
  size_t rest = i % m->inner;
  size_t along = i / m->inner % m->out_axis;
  size_t outer = i / m->inner / m->out_axis;
  return (int64_t)((outer * m->in_axis + m->from + along) * m->inner + rest);
}

weft_status weft__item_slice(const weft_call *c, const weft_tensor *in, size_t axis, int64_t from,
                             int64_t count, bool drop_axis, weft_tensor *out) {
  const weft_shape *s = &in->layout.origin;
  weft_dim dims[WEFT_MAX_RANK];
  size_t rank = 0;
  slice_map m = {weft__prod(s, axis + 1, s->rank), (size_t)s->dim[axis], (size_t)count, (size_t)from};
  for (size_t i = 0; i < s->rank; i++) {
    if (i != axis || !drop_axis)
      dims[rank++] = i == axis ? count : s->dim[i];
  }
  WEFT_TRY(weft_tensor_alloc(out, in->dtype, dims, rank, c->d));
  return weft__move(c, in, out, slice_at, &m, NULL);
}
// SPDX-License-Identifier: Apache-2.0
