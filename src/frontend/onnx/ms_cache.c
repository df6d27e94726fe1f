// ms_cache.c - caches of keys and values that hold integers of 8 or 4 bits: codes, which are the numbers by a
// scale for the whole tensor, or for each head and channel. What a step adds is rounded once, halves to even;
// attention reads the rounded numbers, those of its own step included. Two codes of 4 bits share a byte, the
// first in the low half, each with 8 added.
#include "frontend/onnx/ms_attend.h"

enum { CACHE_TENSOR = 1, CACHE_CHANNEL };  // one scale for what

static weft_status cache_kind(onnx_op *o, const char *attr, int *out) {
  static const char *const names[] = {"NONE", "PER_TENSOR", "PER_CHANNEL"};
  for (int i = 0; i < (int)WEFT_COUNT(names); i++) {
    *out = i;
    if (onnx_is(o, attr, "NONE", names[i]))
      return WEFT_OK;
    WEFT_TRY(o->failed);
  }
  return onnx_fail(o, WEFT_E_INVALID, "attribute '%s': expected NONE, PER_TENSOR or PER_CHANNEL", attr);
}

// 4 or 8, which the cache's dtype must hold.
static weft_status cache_bits(onnx_op *o, const weft_value *past, int *out) {
  int64_t bits = onnx_int(o, "kv_cache_bit_width", 0);
  WEFT_TRY(o->failed);
  if (bits != 4 && bits != 8) {
    return onnx_fail(o, WEFT_E_INVALID, "attribute 'kv_cache_bit_width': expected 4 or 8, got %lld",
                     (long long)bits);
  }
  weft_dtype want = bits == 4 ? WEFT_UINT8 : WEFT_INT8;
  if (past->fact.dtype != want) {
    return onnx_fail(o, WEFT_E_UNSUPPORTED, "a quantised cache of %lld bits must be %s, got %s",
                     (long long)bits, weft_dtype_name(want), weft_dtype_name(past->fact.dtype));
  }
  *out = (int)bits;
  return WEFT_OK;
}

// [] or [1, heads, 1, size], as keys and values of a cache lie.
static weft_value *cache_scale(onnx_op *o, weft_value *scale, int kind, int64_t heads) {
  const int64_t by_channel[] = {1, heads, 1, -1};
  if (kind == CACHE_TENSOR)
    return onnx_reshaped(o, scale, NULL, 0);
  return onnx_rank(scale) == 4 ? scale : onnx_reshaped(o, scale, by_channel, 4);
}

static weft_status cache_one_scale(onnx_op *o, const weft_value *scale, int kind, const char *attr) {
  weft_dim count = onnx_rank(scale) == 1 ? onnx_dim_at(scale, 0) : 1;
  if (kind != CACHE_TENSOR || count < 0 || count == 1)
    return WEFT_OK;
  return onnx_fail(o, WEFT_E_SHAPE, "attribute '%s' is PER_TENSOR, but its scale has %lld elements", attr,
                   (long long)count);
}

weft_status onnx_ms_codes_of(onnx_op *o, const ms_codes_from *from, int64_t heads, ms_codes *out) {
  weft_value *past = onnx_in(o, from->past);
  weft_value *scale = onnx_in(o, from->scale);
  int kind = 0;
  *out = (ms_codes){0};
  WEFT_TRY(cache_kind(o, from->kind, &kind));
  bool whole = past && !weft_dtype_is_float(past->fact.dtype);
  if (!kind && !whole)
    return WEFT_OK;  // a scale may be given, and is not needed
  if (!kind) {
    return onnx_fail(o, WEFT_E_INVALID, "a cache of %s needs attribute '%s', which is NONE",
                     weft_dtype_name(past->fact.dtype), from->kind);
  }
  if (!past || !scale) {
    return onnx_fail(o, WEFT_E_MISSING, "input %zu, %s: a quantised cache needs it",
                     past ? from->scale : from->past, past ? "its scale, is absent" : "the cache, is absent");
  }
  WEFT_TRY(cache_bits(o, past, &out->bits));
  WEFT_TRY(cache_one_scale(o, scale, kind, from->kind));
  out->scale = onnx_as(o, cache_scale(o, scale, kind, heads), WEFT_FLOAT);
  return o->failed;
}

// Codes of 4 bits, two to a byte along the last axis of four.
static weft_value *cache_paired(onnx_op *o, weft_value *v) {
  weft_dim size = o->failed ? 0 : onnx_dim_at(v, 3);
  if (size > 0 && size % 2) {
    o->failed = onnx_fail(o, WEFT_E_UNSUPPORTED, "the heads of a cache of 4 bits have an even size, got %lld",
                          (long long)size);
  }
  v = onnx_reshaped(o, v, (const int64_t[]){0, 0, 0, -1, 2}, 5);
  weft_value *low = onnx_picked(o, v, 4, onnx_index(o, 0));
  weft_value *high = onnx_picked(o, v, 4, onnx_index(o, 1));
  high = onnx_do(o, "LeftShift", high, onnx_num(o, WEFT_UINT8, 4), NULL);
  return onnx_do(o, "BitwiseOr", low, high, NULL);
}

weft_value *onnx_ms_encoded(onnx_op *o, weft_value *v, const ms_codes *c) {
  if (!c->bits)
    return v;
  double high = c->bits == 4 ? 7 : 127;
  v = onnx_do(o, "Rint", onnx_do(o, "Div", onnx_as(o, v, WEFT_FLOAT), c->scale, NULL), NULL, NULL);
  v = onnx_do(o, "ClipByValueV2", v, onnx_num(o, WEFT_FLOAT, -high - 1), onnx_num(o, WEFT_FLOAT, high));
  if (c->bits == 8)
    return onnx_as(o, v, WEFT_INT8);
  v = onnx_as(o, onnx_do(o, "Add", v, onnx_num(o, WEFT_FLOAT, 8), NULL), WEFT_UINT8);
  return cache_paired(o, v);
}

weft_value *onnx_ms_decoded(onnx_op *o, weft_value *v, const ms_codes *c, weft_dtype t) {
  if (!c->bits)
    return v;
  if (c->bits == 4)
    v = onnx_ms_halves(o, v, true);
  v = onnx_as(o, v, WEFT_FLOAT);
  if (c->bits == 4)
    v = onnx_do(o, "Sub", v, onnx_num(o, WEFT_FLOAT, 8), NULL);
  return onnx_as(o, onnx_do(o, "Mul", v, c->scale, NULL), t);
}
// SPDX-License-Identifier: Apache-2.0
