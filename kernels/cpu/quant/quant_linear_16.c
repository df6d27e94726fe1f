// quant_linear_16.c - QuantizeLinear and DequantizeLinear between f32 and 16-bit integers, with one scale or
// one for each place of an axis. What the operators compute, bit for bit: quant_16_body.h says how.
#include "cpu/quant/linear_scales.h"
#include "cpu/quant/quant_16.h"

enum { X = WEFT_QUANT_X, SCALE = WEFT_QUANT_SCALE, ZERO = WEFT_QUANT_ZERO };

typedef struct linear_16 {
  const weft__quant_16_ops *ops;
  weft__linear_scales s;
  size_t per;
  bool is_signed;
} linear_16;

static bool is_short(weft_dtype t) {
  return t == WEFT_INT16 || t == WEFT_UINT16;
}

static const char *read_linear_16(const weft_tiling *t, bool to_shorts, linear_16 *l) {
  weft_dtype number = to_shorts ? t->in_dtype[X] : t->out_dtype[0];
  weft_dtype other = to_shorts ? t->out_dtype[0] : t->in_dtype[X];
  if (number != WEFT_FLOAT || !is_short(other) || t->in_dtype[SCALE] != WEFT_FLOAT)
    return "needs f32 and 16-bit integers";
  l->is_signed = other == WEFT_INT16;
  l->ops = weft__quant_16_find(t->host);
  return weft__linear_read(t, to_shorts, &l->s);
}

static const char *refuse_quantize_linear_16(const weft_tiling *t) {
  linear_16 l;
  return read_linear_16(t, true, &l);
}
static const char *refuse_dequantize_linear_16(const weft_tiling *t) {
  linear_16 l;
  return read_linear_16(t, false, &l);
}

static weft_status tile_linear_16(weft_tiling *t, bool to_shorts) {
  linear_16 *l = t->data;
  const char *no = read_linear_16(t, to_shorts, l);
  if (no)
    return t->host->fail(t->d, WEFT_E_KERNEL, "%s", no);
  t->blocks = weft__linear_blocks(&l->s, to_shorts ? 30 : 12, &l->per);
  t->data_bytes = sizeof *l;
  return WEFT_OK;
}
static weft_status tile_quantize_linear_16(weft_tiling *t) {
  return tile_linear_16(t, true);
}
static weft_status tile_dequantize_linear_16(weft_tiling *t) {
  return tile_linear_16(t, false);
}

static void piece_16(const weft_block *b, const weft__linear_part *p) {
  const linear_16 *l = b->data;
  const size_t at = p->at;
  const size_t first = p->first;
  const size_t n = p->n;
  const float scale = ((const float *)b->arg[SCALE])[at];
  const void *z = l->s.has_zero ? b->arg[ZERO] : NULL;
  const void *x = b->arg[X];
  const int32_t zero = !z ? 0 : l->is_signed ? ((const int16_t *)z)[at] : ((const uint16_t *)z)[at];
  void *y = b->arg[l->s.has_zero ? 3 : 2];
  if (p->quantises && l->is_signed)
    l->ops->to_int16((const float *)x + first, (int16_t *)y + first, n, scale, zero);
  else if (p->quantises)
    l->ops->to_uint16((const float *)x + first, (uint16_t *)y + first, n, scale, zero);
  else if (l->is_signed)
    l->ops->from_int16((const int16_t *)x + first, (float *)y + first, n, scale, zero);
  else
    l->ops->from_uint16((const uint16_t *)x + first, (float *)y + first, n, scale, zero);
}

static weft_status run_linear_16(const weft_block *b, bool to_shorts) {
  const linear_16 *l = b->data;
  weft__linear_each(&l->s, l->per, b, to_shorts, piece_16);
  return WEFT_OK;
}
static weft_status run_quantize_linear_16(const weft_block *b) {
  return run_linear_16(b, true);
}
static weft_status run_dequantize_linear_16(const weft_block *b) {
  return run_linear_16(b, false);
}
WEFT_ROWS_KERNEL(quantize_linear_16, "QuantizeLinear", "linear_16", sizeof(linear_16));
WEFT_ROWS_KERNEL(dequantize_linear_16, "DequantizeLinear", "linear_16", sizeof(linear_16));
// SPDX-License-Identifier: Apache-2.0
