// walk.c - loops of reference kernels: strided walks with broadcasting, and movement of whole elements.
#include "op.h"

void weft__walk_init(weft_walk *w, const weft_shape *shape) {
  memset(w, 0, sizeof *w);
  w->rank = shape->rank;
  w->n = 1;
  for (size_t i = 0; i < w->rank; i++) {
    w->dim[i] = (size_t)shape->dim[i];
    w->n *= w->dim[i];
  }
}

void weft__walk_operand(weft_walk *w, int k, const weft_shape *operand) {
  size_t stride = 1;
  for (size_t i = operand->rank; i-- > 0;) {
    size_t axis = w->rank - operand->rank + i;
    w->stride[k][axis] = operand->dim[i] == 1 ? 0 : stride;
    stride *= (size_t)operand->dim[i];
  }
}

size_t weft__elems(const weft_shape *s) {
  return weft__prod(s, 0, s->rank);
}

size_t weft__prod(const weft_shape *s, size_t from, size_t to) {
  size_t n = 1;
  for (size_t i = from; i < to; i++)
    n *= (size_t)s->dim[i];
  return n;
}

size_t weft__elem_bytes(weft_dtype t) {
  return weft_dtype_bits(t) / 8;
}

void weft__copy_elem(weft_dtype t, void *dst, size_t di, const void *src, size_t si) {
  uint32_t bits = weft_dtype_bits(t);
  switch (bits) {  // sizes that the compiler knows are one instruction
    case 8:
      memcpy((char *)dst + di, (const char *)src + si, 1);
      return;
    case 16:
      memcpy((char *)dst + di * 2, (const char *)src + si * 2, 2);
      return;
    case 32:
      memcpy((char *)dst + di * 4, (const char *)src + si * 4, 4);
      return;
    case 64:
      memcpy((char *)dst + di * 8, (const char *)src + si * 8, 8);
      return;
    default:
      break;
  }
  if (bits % 8 == 0) {
    size_t n = bits / 8;
    memcpy((char *)dst + di * n, (const char *)src + si * n, n);
    return;
  }
  for (uint32_t k = 0; k < bits; k++) {  // packed low bits first
    size_t from = si * bits + k;
    size_t to = di * bits + k;
    uint8_t bit = ((const uint8_t *)src)[from / 8] >> (from % 8) & 1;
    uint8_t *byte = (uint8_t *)dst + to / 8;
    *byte = (uint8_t)((*byte & ~(1u << (to % 8))) | (unsigned)bit << (to % 8));
  }
}

weft_status weft__no_kernel(const weft_call *c, weft_dtype t) {
  return weft_fail(c->d, WEFT_E_UNSUPPORTED, "no reference kernel for dtype %s", weft_dtype_serial(t));
}

weft_status weft__read_ints(const weft_call *c, uint32_t in, int64_t *out, size_t cap, size_t *out_n) {
  const weft_tensor *t = c->in[in];
  size_t n = weft__elems(&t->layout.origin);
  if (t->dtype != WEFT_INT32 && t->dtype != WEFT_INT64) {
    return weft_fail(c->d, WEFT_E_DTYPE, "input '%s': expected DT_INT32 or DT_INT64, got %s",
                     weft__in_name(c->desc, in), weft_dtype_serial(t->dtype));
  }
  if (n > cap) {
    return weft_fail(c->d, WEFT_E_LIMIT, "input '%s': %zu elements, at most %zu are allowed",
                     weft__in_name(c->desc, in), n, cap);
  }
  for (size_t i = 0; i < n; i++)
    out[i] = weft_load_i64(t->dtype, t->data, i);
  *out_n = n;
  return WEFT_OK;
}

// String tensors: sizes first, then one allocation, then the bytes.
static weft_status move_strings(const weft_call *c, const weft_tensor *in, weft_tensor *out, weft_map_fn map,
                                void *ctx, const weft_tensor *fill) {
  size_t n = weft__elems(&out->layout.origin);
  size_t bytes;
  const char **text = NULL;
  size_t *lengths;
  weft_status s = WEFT_OK;
  void *space = NULL;
  if (!weft_mul_size(n, sizeof *text + sizeof *lengths, &bytes))
    return weft_fail(c->d, WEFT_E_OVERFLOW, "%zu strings", n);
  WEFT_TRY(c->host->workspace(c, bytes, &space));
  text = space;
  lengths = (size_t *)(text + n);
  for (size_t i = 0; i < n && !s; i++) {
    int64_t k = map(ctx, i);
    WEFT_TRY(weft__poll_at(c, i));
    text[i] = "";
    lengths[i] = 0;
    if (k >= 0)
      s = weft_tensor_string(in, (size_t)k, &text[i], &lengths[i], c->d);
    else if (fill)
      s = weft_tensor_string(fill, 0, &text[i], &lengths[i], c->d);
  }
  if (s)
    return s;
  return weft__call_set_strings(c, out, &out->layout.origin, text, lengths);
}

weft_status weft__move(const weft_call *c, const weft_tensor *in, weft_tensor *out, weft_map_fn map,
                       void *ctx, const weft_tensor *fill) {
  if (in->dtype == WEFT_STRING)
    return move_strings(c, in, out, map, ctx, fill);
  size_t n = weft__elems(&out->layout.origin);
  uint32_t bits = weft_dtype_bits(in->dtype);
  if (!bits)
    return weft__no_kernel(c, in->dtype);
  uint64_t zero[2] = {0, 0};
  const void *pad = fill ? fill->data : zero;
  for (size_t i = 0; i < n; i++) {
    int64_t k = map(ctx, i);
    WEFT_TRY(weft__poll_at(c, i));
    if (k >= 0)
      weft__copy_elem(in->dtype, out->data, i, in->data, (size_t)k);
    else
      weft__copy_elem(in->dtype, out->data, i, pad, 0);
  }
  return WEFT_OK;
}
// SPDX-License-Identifier: Apache-2.0
