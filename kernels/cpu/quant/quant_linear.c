// quant_linear.c - QuantizeLinear and DequantizeLinear between f32 and bytes, with one scale or one for each
// place of an axis.
#include "cpu/quant/linear_scales.h"
#include "cpu/quant/quant_block.h"
#include "cpu/rows/rows.h"

enum { X = WEFT_QUANT_X, SCALE = WEFT_QUANT_SCALE, ZERO = WEFT_QUANT_ZERO };

typedef struct linear {
  const weft__quant_ops *ops;
  weft__linear_scales s;
  size_t per;
  bool is_signed;
} linear;

static bool quant_linear_is_byte(weft_dtype t) {
  return t == WEFT_INT8 || t == WEFT_UINT8;
}

static const char *quant_linear_read(const weft_tiling *t, bool to_bytes, linear *l) {
  weft_dtype number = to_bytes ? t->in_dtype[X] : t->out_dtype[0];
  weft_dtype byte = to_bytes ? t->out_dtype[0] : t->in_dtype[X];
  if (number != WEFT_FLOAT || !quant_linear_is_byte(byte) || t->in_dtype[SCALE] != WEFT_FLOAT)
    return "needs f32 and bytes";
  l->is_signed = byte == WEFT_INT8;
  l->ops = weft__quant_find(t->host);
  return weft__linear_read(t, to_bytes, &l->s);
}

static const char *refuse_quantize_linear(const weft_tiling *t) {
  linear l;
  return quant_linear_read(t, true, &l);
}
static const char *refuse_dequantize_linear(const weft_tiling *t) {
  linear l;
  return quant_linear_read(t, false, &l);
}

static weft_status quant_linear_make(weft_tiling *t, bool to_bytes) {
  linear *l = t->data;
  const char *no = quant_linear_read(t, to_bytes, l);
  if (no)
    return weft_fail(t->d, WEFT_E_KERNEL, "%s", no);
  t->blocks = weft__linear_blocks(&l->s, to_bytes ? 8 : 5, &l->per);
  t->data_bytes = sizeof *l;
  return WEFT_OK;
}
static weft_status tile_quantize_linear(weft_tiling *t) {
  return quant_linear_make(t, true);
}
static weft_status tile_dequantize_linear(weft_tiling *t) {
  return quant_linear_make(t, false);
}

static void piece(const weft_block *b, const weft__linear_part *p) {
  const linear *l = b->data;
  const size_t at = p->at;
  const size_t first = p->first;
  const size_t n = p->n;
  const float scale = ((const float *)b->arg[SCALE])[at];
  const uint8_t *z = l->s.has_zero ? b->arg[ZERO] : NULL;
  int32_t zero = !z ? 0 : l->is_signed ? (int8_t)z[at] : z[at];
  int32_t low = l->is_signed ? -128 : 0;
  void *y = b->arg[l->s.has_zero ? 3 : 2];
  if (p->quantises) {
    weft__quant_to to = {scale, (float)(low - zero), (float)(low + 255 - zero), zero};
    l->ops->quantize((const float *)b->arg[X] + first, n, &to, (uint8_t *)y + first);
  } else {
    weft__quant_from from = {l->is_signed, zero, scale};
    l->ops->dequantize((const uint8_t *)b->arg[X] + first, n, &from, (float *)y + first);
  }
}

static weft_status run_linear(const weft_block *b, bool to_bytes) {
  const linear *l = b->data;
  weft__linear_each(&l->s, l->per, b, to_bytes, piece);
  return WEFT_OK;
}
static weft_status run_quantize_linear(const weft_block *b) {
  return run_linear(b, true);
}
static weft_status run_dequantize_linear(const weft_block *b) {
  return run_linear(b, false);
}
WEFT_ROWS_KERNEL(quantize_linear, "QuantizeLinear", "linear", sizeof(linear));
WEFT_ROWS_KERNEL(dequantize_linear, "DequantizeLinear", "linear", sizeof(linear));
// SPDX-License-Identifier: Apache-2.0
