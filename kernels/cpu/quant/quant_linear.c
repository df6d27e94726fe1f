// quant_linear.c - QuantizeLinear and DequantizeLinear between f32 and bytes, with one scale or one for each
// place of an axis, and the region of both around an addition or multiplication: what they compute alone, bit
// for bit, without the floats between.
// Where a way without a division gives the same bytes (quant_blend.h), that is used.
#include <math.h>

#include "cpu/quant/linear_scales.h"
#include "cpu/quant/quant_blend.h"
#include "cpu/quant/quant_blocked.h"
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

// ---- regions ----
typedef struct region {
  const weft__quant_ops *ops;
  weft__quant_pair p;
  weft__quant_blend m;
  bool blends;       // m gives what p does
  uint32_t a, b, y;  // arguments
  size_t n, per;
  size_t channels, places;  // packed; of an image
} region;

static bool quant_linear_number(const weft_tiling *t, int32_t in, float *out) {
  const weft_tensor *v = in < 0 && (uint32_t)(-1 - in) < t->n_in ? t->value[-1 - in] : NULL;
  if (!v || !v->data || v->dtype != WEFT_FLOAT || v->bytes != sizeof *out)
    return false;
  memcpy(out, v->data, sizeof *out);
  return isfinite(*out);
}

static bool zero_point(const weft_tiling *t, const weft_region_node *n, bool is_signed, int32_t *out) {
  *out = 0;
  if (n->desc->n_in <= ZERO)
    return true;
  int32_t in = n->in[ZERO];
  const weft_tensor *v = in < 0 ? t->value[-1 - in] : NULL;
  if (!v || !v->data || v->bytes != 1)
    return false;
  *out = is_signed ? ((const int8_t *)v->data)[0] : ((const uint8_t *)v->data)[0];
  return true;
}

// Node k of the region as numbers from an input of bytes.
static const char *from_bytes(const weft_tiling *t, int32_t k, weft__quant_from *f, uint32_t *out_arg) {
  if (k < 0)
    return "has an operand that is no DequantizeLinear";
  const weft_region_node *n = &t->region->node[k];
  if (strcmp(n->desc->type, "DequantizeLinear"))
    return "has an operand that is no DequantizeLinear";
  if (n->dtype != WEFT_FLOAT || n->in[X] >= 0)
    return "needs f32 from bytes";
  *out_arg = (uint32_t)(-1 - n->in[X]);
  weft_dtype x = t->in_dtype[*out_arg];
  if (!quant_linear_is_byte(x))
    return "needs f32 from bytes";
  f->is_signed = x == WEFT_INT8;
  if (!quant_linear_number(t, n->in[SCALE], &f->scale) || !zero_point(t, n, f->is_signed, &f->zero))
    return "needs one constant scale and zero point";
  return NULL;
}

static const char *read_clip(const weft_tiling *t, const weft_region_node *n, weft__quant_pair *p) {
  if (!strncmp(n->desc->type, "Relu", 4) && n->desc->n_in == 1) {
    p->least = 0;
    p->most = n->desc->type[4] == '6' ? 6.0f : INFINITY;
  } else if (strncmp(n->desc->type, "ClipByValue", 11) || n->desc->n_in != 3 ||
             !quant_linear_number(t, n->in[1], &p->least) || !quant_linear_number(t, n->in[2], &p->most)) {
    return "has an operator that is no step of the region";
  }
  p->clip = true;
  return NULL;
}

static bool is_operator(const weft_region_node *n, const char *type) {
  return !strcmp(n->desc->type, type);
}

// The operator that ends the region: what its numbers become.
static const char *read_end(const weft_tiling *t, const weft_region_node *last, weft__quant_to *to) {
  if (!is_operator(last, "QuantizeLinear") || !quant_linear_is_byte(last->dtype))
    return "does not end with a QuantizeLinear to bytes";
  const bool is_signed = last->dtype == WEFT_INT8;
  const bool usual = weft_node_int(last->desc, WEFT_QUANT_PRECISION) == WEFT_QUANT_NO_DTYPE;
  if (!usual || !quant_linear_number(t, last->in[SCALE], &to->scale) ||
      !zero_point(t, last, is_signed, &to->zero))
    return "needs one constant scale and zero point";
  to->low = (float)((is_signed ? -128 : 0) - to->zero);
  to->high = (float)((is_signed ? 127 : 255) - to->zero);
  return NULL;
}

// Node k: a sum or a product of two, or what makes numbers of bytes by itself.
static const char *read_operands(const weft_tiling *t, int32_t k, region *g) {
  const weft_region_node *n = &t->region->node[k];
  const bool add = is_operator(n, "Add");
  if (!add && !is_operator(n, "Mul")) {
    g->p.op = WEFT__QUANT_ONE;
    const char *no = from_bytes(t, k, &g->p.a, &g->a);
    g->b = g->a;
    return no;
  }
  g->p.op = add ? WEFT__QUANT_ADD : WEFT__QUANT_MUL;
  const char *no = from_bytes(t, n->in[0], &g->p.a, &g->a);
  return no ? no : from_bytes(t, n->in[1], &g->p.b, &g->b);
}

static bool is_chain(const weft_region *r) {
  const bool right_size = r && r->n_nodes >= 2 && r->n_nodes <= 5;
  return right_size && r->n_out == 1 && r->out[0] == (int32_t)r->n_nodes - 1;
}

static const char *read_region(const weft_tiling *t, region *g) {
  const weft_region *r = t->region;
  if (!is_chain(r))
    return "is no chain from DequantizeLinear to QuantizeLinear";
  const weft_region_node *last = &r->node[r->n_nodes - 1];
  const char *no = read_end(t, last, &g->p.to);
  if (no)
    return no;
  int32_t k = last->in[X];
  if (k < 0)
    return "quantises an input";
  const weft_region_node *n = &r->node[k];
  if (n->desc->n_in != 2 && !is_operator(n, "DequantizeLinear")) {
    no = read_clip(t, n, &g->p);
    if (no)
      return no;
    k = n->in[0];
  }
  return k < 0 ? "has an operand that is no DequantizeLinear" : read_operands(t, k, g);
}

// A byte, as it is seen when it is unsigned, of a number.
static uint8_t bound_of(const weft__quant_to *to, double x) {
  double q = rint(x / (double)to->scale);
  q = q < (double)to->low ? (double)to->low : q > (double)to->high ? (double)to->high : q;
  return (uint8_t)(q - (double)to->low);
}

static void quant_linear_pair(const void *of, const uint8_t *a, const uint8_t *b, size_t n, uint8_t *y) {
  const region *g = of;
  g->ops->pair(a, b, n, &g->p, y);
}

static bool find_blend(region *g) {
  const weft__quant_pair *p = &g->p;
  const bool two = p->op == WEFT__QUANT_ADD;
  if (p->op == WEFT__QUANT_MUL || g->n < (two ? WEFT__BLEND_LEAST : WEFT__BLEND_BYTES))
    return false;
  const double by_a = (double)p->a.scale / (double)p->to.scale;
  const double by_b = two ? (double)p->b.scale / (double)p->to.scale : 0;
  const int32_t flip_a = p->a.is_signed ? 128 : 0;
  const int32_t flip_b = p->b.is_signed ? 128 : 0;
  const double add = -(p->a.zero + flip_a) * by_a - (p->b.zero + flip_b) * by_b;
  const bool to_signed = p->to.zero + p->to.low < 0;
  g->m = (weft__quant_blend){.two = two,
                             .zero = (int32_t)-p->to.low,
                             .flip_a = (uint8_t)flip_a,
                             .flip_b = (uint8_t)flip_b,
                             .flip = to_signed ? 128 : 0,
                             .low = p->clip ? bound_of(&p->to, (double)p->least) : 0,
                             .high = p->clip ? bound_of(&p->to, (double)p->most) : 255};
  const weft__quant_trial t = {g->ops, by_a, by_b, add, g, quant_linear_pair};
  return weft__quant_find_blend(&t, &g->m);
}

// Bytes all stored the same way, packed ones in NC1HWC0 with C0 = 32: lanes that are no channels are 0 again
// afterwards.
static bool all_packed(const weft_tiling *t, const region *g) {
  return t->in_format && weft__is_blocked_bytes(t->in_format[g->a]) &&
         weft__is_blocked_bytes(t->in_format[g->b]) && weft__is_blocked_bytes(t->out_format[0]);
}

static const char *refuse_quant_pair(const weft_tiling *t) {
  region g;
  memset(&g, 0, sizeof g);
  const char *no = read_region(t, &g);
  if (no)
    return no;
  const weft_shape *a = &t->in[g.a]->origin;
  const weft_shape *b = &t->in[g.b]->origin;
  const weft_shape *y = &t->out[0]->origin;
  if (!weft_shape_is_known(a) || !weft_shape_is_known(b) || !weft_shape_is_known(y))
    return NULL;
  if (!all_packed(t, &g) && !weft__rows_plain(t))
    return "needs plain layouts, or NC1HWC0 with C0 = 32";
  return weft_shape_equal(a, y) && weft_shape_equal(b, y) ? NULL : "broadcasts";
}

static weft_status tile_quant_pair(weft_tiling *t) {
  region *g = t->data;
  const char *no = refuse_quant_pair(t);
  if (!no)
    no = read_region(t, g);
  if (no)
    return weft_fail(t->d, WEFT_E_KERNEL, "%s", no);
  const weft_shape *y = &t->out[0]->origin;
  g->ops = weft__quant_find(t->host);
  g->n = weft__rows_prod(y, 0, y->rank);
  if (all_packed(t, g)) {
    g->channels = (size_t)y->dim[1];
    g->places = (size_t)(y->dim[2] * y->dim[3]);
    g->n = (size_t)y->dim[0] * weft__quant_blocked_bytes(g->channels, g->places);
  }
  g->blends = find_blend(g);
  t->blocks = weft__rows_blocks((g->n + 63) / 64, g->blends ? 6 : 12, &g->per);
  g->per *= 64;
  g->y = t->n_in;
  t->data_bytes = sizeof *g;
  t->overwrite = 1u << g->a | 1u << g->b;
  return WEFT_OK;
}

static weft_status run_quant_pair(const weft_block *b) {
  const region *g = b->data;
  size_t first = b->block * g->per;
  size_t last = WEFT_MIN(first + g->per, g->n);
  if (first >= last)
    return WEFT_OK;
  const uint8_t *x = (const uint8_t *)b->arg[g->a] + first;
  const uint8_t *v = (const uint8_t *)b->arg[g->b] + first;
  uint8_t *y = (uint8_t *)b->arg[g->y] + first;
  if (g->blends)
    g->ops->blend(x, v, last - first, &g->m, y);
  else
    g->ops->pair(x, v, last - first, &g->p, y);
  if (g->channels) {
    weft__quant_blocked_clear(b->arg[g->y], first / WEFT__BYTES_C0, last / WEFT__BYTES_C0, g->channels,
                              g->places);
  }
  return WEFT_OK;
}
const weft_kernel weft__kernel_quant_pair = {.size = sizeof(weft_kernel),
                                             .op = "Fused",
                                             .device = "cpu",
                                             .name = "quantised",
                                             .tiling_bytes_max = sizeof(region),
                                             .refuse = refuse_quant_pair,
                                             .tile = tile_quant_pair,
                                             .run = run_quant_pair,
                                             .flags = WEFT_KERNEL_PACKED};
// SPDX-License-Identifier: Apache-2.0
