// quant_fixed_mean.c - the region that TFLite's rules make of MEAN over both spatial axes of bytes: int32
// less their zero point, summed, and a FixedRequant to bytes, of NCHW or of NC1HWC0 (C0 = 32). The same bits:
// sums of integers, which wrap, and the operator's own arithmetic for one number a channel. The output is
// plain.
#include "cpu/quant/quant_blocked.h"
#include "cpu/rows/rows.h"
#include "op/infer_node.h"
#include "quant/fixed_requant.rule.h"

enum { C0 = WEFT__BYTES_C0, AXES = 2 };

typedef struct fixed_mean {
  uint32_t x, multiplier, shift, y;  // arguments
  weft__quant_fixed_end end;
  int32_t zero;  // of unsigned bytes
  uint8_t flip;
  size_t images, channels, places, blocks, per;  // blocks: of channels, of one where x is plain
  bool packed, y_signed;
} fixed_mean;

static bool fixed_mean_is_spatial(const weft_tensor *axes) {
  if (!axes || !axes->data || axes->layout.origin.rank > 1 || weft_tensor_elems(axes) != AXES)
    return false;
  int64_t a = weft_load_i64(axes->dtype, axes->data, 0);
  int64_t b = weft_load_i64(axes->dtype, axes->data, 1);
  a += a < 0 ? 4 : 0;
  b += b < 0 ? 4 : 0;
  return (a == 2 && b == 3) || (a == 3 && b == 2);
}

static const char *fixed_mean_chain(const weft_tiling *t, fixed_mean *g) {
  const weft_region *r = t->region;
  if (!r || r->n_nodes < 3 || r->n_out != 1 || r->out[0] != (int32_t)r->n_nodes - 1)
    return "is no mean";
  const weft_region_node *last = &r->node[r->n_nodes - 1];
  const int32_t k = last->in[WEFT_FIXED_X];
  if (strcmp(last->desc->type, "FixedRequant") || k < 0 || strcmp(r->node[k].desc->type, "ReduceSum"))
    return "is no mean";
  if (last->in[WEFT_FIXED_MULTIPLIER] >= 0 || last->in[WEFT_FIXED_SHIFT] >= 0 || r->node[k].in[1] >= 0)
    return "needs numbers from outside";
  g->multiplier = (uint32_t)(-1 - last->in[WEFT_FIXED_MULTIPLIER]);
  g->shift = (uint32_t)(-1 - last->in[WEFT_FIXED_SHIFT]);
  if (t->in[g->multiplier]->origin.rank || t->in[g->shift]->origin.rank)
    return "needs one multiplier and shift";
  if (!fixed_mean_is_spatial(t->value[-1 - r->node[k].in[1]]))
    return "is over other axes than the spatial ones";
  const char *no = weft__quant_fixed_bounds(last->desc, t->out_dtype[0], &g->end);
  return no ? no : weft__quant_fixed_bytes(t, r->node[k].in[0], &g->x, &g->zero);
}

static const char *fixed_mean_read(const weft_tiling *t, fixed_mean *g) {
  memset(g, 0, sizeof *g);
  const char *no = fixed_mean_chain(t, g);
  if (no)
    return no;
  const weft_shape *x = &t->in[g->x]->origin;
  if (weft_shape_is_unknown_rank(x) || x->rank != 4)
    return "needs two spatial axes";
  g->packed = t->in_format && weft__format_packed(t->in_format[g->x]);
  if (g->packed && !weft__is_blocked_bytes(t->in_format[g->x]))
    return "needs C0 = 32";
  if (t->out_format && weft__format_packed(t->out_format[0]))
    return "makes a plain output";
  if (!weft_shape_is_known(x))
    return NULL;
  g->flip = t->in_dtype[g->x] == WEFT_INT8 ? 128 : 0;
  g->zero += g->flip;
  g->images = (size_t)x->dim[0];
  g->channels = (size_t)x->dim[1];
  g->places = (size_t)x->dim[2] * (size_t)x->dim[3];
  g->blocks = g->packed ? (g->channels + C0 - 1) / C0 : g->channels;
  g->y_signed = t->out_dtype[0] == WEFT_INT8;
  return NULL;
}

static const char *refuse_fixed_mean(const weft_tiling *t) {
  fixed_mean g;
  return fixed_mean_read(t, &g);
}

static double cost_fixed_mean(const weft_tiling *t) {
  fixed_mean g;
  if (fixed_mean_read(t, &g))
    return 1e30;
  const double bytes = (double)(g.images * g.channels) * (double)g.places;
  return 300 + bytes / (g.packed ? 12 : 6) + (double)(g.images * g.channels) * 2;
}

static weft_status tile_fixed_mean(weft_tiling *t) {
  fixed_mean *g = t->data;
  const char *no = fixed_mean_read(t, g);
  if (no)
    return weft_fail(t->d, WEFT_E_KERNEL, "fixed-mean: %s", no);
  g->y = t->n_in;
  const double each = (double)g->places * (g->packed ? C0 / 12.0 : 1 / 6.0) + 2;
  t->blocks = weft__rows_blocks(g->images * g->blocks, each, &g->per);
  t->data_bytes = sizeof *g;
  return WEFT_OK;
}

static void fixed_mean_put(const fixed_mean *g, const weft_block *b, size_t at, uint32_t sum) {
  const int64_t multiplier = *(const int32_t *)b->arg[g->multiplier];
  const int64_t shift = weft__fixed_within(*(const int32_t *)b->arg[g->shift], -31, 30);
  const int64_t v = (int32_t)(sum - (uint32_t)g->places * (uint32_t)g->zero);
  const int64_t scaled =
      g->end.twice ? weft__fixed_twice(v, multiplier, shift) : weft__fixed_once(v, multiplier, 31 - shift);
  ((uint8_t *)b->arg[g->y])[at] = (uint8_t)weft__fixed_within(scaled + g->end.zero, g->end.low, g->end.high);
}

static void fixed_mean_packed(const fixed_mean *g, const weft_block *b, size_t unit) {
  const uint8_t *x = (const uint8_t *)b->arg[g->x] + unit * g->places * C0;
  uint32_t sum[C0] = {0};
  for (size_t p = 0; p < g->places; p++, x += C0) {
    for (size_t c = 0; c < C0; c++)
      sum[c] += (uint8_t)(x[c] ^ g->flip);
  }
  const size_t first = unit % g->blocks * C0;
  for (size_t c = 0; c < C0 && first + c < g->channels; c++)
    fixed_mean_put(g, b, unit / g->blocks * g->channels + first + c, sum[c]);
}

static weft_status run_fixed_mean(const weft_block *b) {
  const fixed_mean *g = b->data;
  const size_t last = WEFT_MIN((b->block + 1) * g->per, g->images * g->blocks);
  for (size_t i = b->block * g->per; i < last; i++) {
    if (g->packed) {
      fixed_mean_packed(g, b, i);
      continue;
    }
    const uint8_t *x = (const uint8_t *)b->arg[g->x] + i * g->places;
    uint32_t sum = 0;
    for (size_t p = 0; p < g->places; p++)
      sum += (uint8_t)(x[p] ^ g->flip);
    fixed_mean_put(g, b, i, sum);
  }
  return WEFT_OK;
}
const weft_kernel weft__kernel_fixed_mean = {.size = sizeof(weft_kernel),
                                             .op = "Fused",
                                             .device = "cpu",
                                             .name = "fixed-mean",
                                             .tiling_bytes_max = sizeof(fixed_mean),
                                             .refuse = refuse_fixed_mean,
                                             .cost_ns = cost_fixed_mean,
                                             .tile = tile_fixed_mean,
                                             .run = run_fixed_mean,
                                             .flags = WEFT_KERNEL_PACKED};
// SPDX-License-Identifier: Apache-2.0
