// quant_pair.c - the region of QuantizeLinear behind one or two DequantizeLinear of bytes and their sum or
// product, with a bound: what they compute alone, bit for bit, without the floats between.
// Where a way without a division gives the same bytes (quant_blend.h), that is used.
#include <math.h>

#include "cpu/quant/linear_scales.h"
#include "cpu/quant/quant_region.h"

enum { X = WEFT_QUANT_X, SCALE = WEFT_QUANT_SCALE, ZERO = WEFT_QUANT_ZERO };

typedef struct pair_region {
  weft__quant_region r;
  weft__quant_pair p;
} pair_region;

static bool quant_pair_is_byte(weft_dtype t) {
  return t == WEFT_INT8 || t == WEFT_UINT8;
}

static bool quant_pair_number(const weft_tiling *t, int32_t in, float *out) {
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
  if (!quant_pair_is_byte(x))
    return "needs f32 from bytes";
  f->is_signed = x == WEFT_INT8;
  if (!quant_pair_number(t, n->in[SCALE], &f->scale) || !zero_point(t, n, f->is_signed, &f->zero))
    return "needs one constant scale and zero point";
  return NULL;
}

static const char *read_clip(const weft_tiling *t, const weft_region_node *n, weft__quant_pair *p) {
  if (!strncmp(n->desc->type, "Relu", 4) && n->desc->n_in == 1) {
    p->least = 0;
    p->most = n->desc->type[4] == '6' ? 6.0f : INFINITY;
  } else if (strncmp(n->desc->type, "ClipByValue", 11) || n->desc->n_in != 3 ||
             !quant_pair_number(t, n->in[1], &p->least) || !quant_pair_number(t, n->in[2], &p->most)) {
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
  if (!is_operator(last, "QuantizeLinear") || !quant_pair_is_byte(last->dtype))
    return "does not end with a QuantizeLinear to bytes";
  const bool is_signed = last->dtype == WEFT_INT8;
  const bool usual = weft_node_int(last->desc, WEFT_QUANT_PRECISION) == WEFT_QUANT_NO_DTYPE;
  if (!usual || !quant_pair_number(t, last->in[SCALE], &to->scale) ||
      !zero_point(t, last, is_signed, &to->zero))
    return "needs one constant scale and zero point";
  to->low = (float)((is_signed ? -128 : 0) - to->zero);
  to->high = (float)((is_signed ? 127 : 255) - to->zero);
  return NULL;
}

// Node k: a sum or a product of two, or what makes numbers of bytes by itself.
static const char *read_operands(const weft_tiling *t, int32_t k, pair_region *g) {
  const weft_region_node *n = &t->region->node[k];
  const bool add = is_operator(n, "Add");
  if (!add && !is_operator(n, "Mul")) {
    g->p.op = WEFT__QUANT_ONE;
    const char *no = from_bytes(t, k, &g->p.a, &g->r.a);
    g->r.b = g->r.a;
    return no;
  }
  g->p.op = add ? WEFT__QUANT_ADD : WEFT__QUANT_MUL;
  const char *no = from_bytes(t, n->in[0], &g->p.a, &g->r.a);
  return no ? no : from_bytes(t, n->in[1], &g->p.b, &g->r.b);
}

static bool is_chain(const weft_region *r) {
  const bool right_size = r && r->n_nodes >= 2 && r->n_nodes <= 5;
  return right_size && r->n_out == 1 && r->out[0] == (int32_t)r->n_nodes - 1;
}

static const char *read_region(const weft_tiling *t, pair_region *g) {
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
  q = WEFT_MIN(WEFT_MAX(q, (double)to->low), (double)to->high);
  return (uint8_t)(q - (double)to->low);
}

static void quant_pair_want(const void *of, const uint8_t *a, const uint8_t *b, size_t n, uint8_t *y) {
  const pair_region *g = of;
  g->r.ops->pair(a, b, n, &g->p, y);
}

static bool find_blend(pair_region *g) {
  const weft__quant_pair *p = &g->p;
  const bool two = p->op == WEFT__QUANT_ADD;
  if (p->op == WEFT__QUANT_MUL || g->r.n < (two ? WEFT__BLEND_LEAST : WEFT__BLEND_BYTES))
    return false;
  const double by_a = (double)p->a.scale / (double)p->to.scale;
  const double by_b = two ? (double)p->b.scale / (double)p->to.scale : 0;
  const int32_t flip_a = p->a.is_signed ? 128 : 0;
  const int32_t flip_b = p->b.is_signed ? 128 : 0;
  const double add = -(p->a.zero + flip_a) * by_a - (p->b.zero + flip_b) * by_b;
  const bool to_signed = p->to.zero + p->to.low < 0;
  g->r.m = (weft__quant_blend){.two = two,
                               .zero = (int32_t)-p->to.low,
                               .flip_a = (uint8_t)flip_a,
                               .flip_b = (uint8_t)flip_b,
                               .flip = to_signed ? 128 : 0,
                               .low = p->clip ? bound_of(&p->to, (double)p->least) : 0,
                               .high = p->clip ? bound_of(&p->to, (double)p->most) : 255};
  const weft__quant_trial t = {g->r.ops, by_a, by_b, add, g, quant_pair_want};
  return weft__quant_find_blend(&t, &g->r.m);
}

static const char *refuse_quant_pair(const weft_tiling *t) {
  pair_region g;
  memset(&g, 0, sizeof g);
  const char *no = read_region(t, &g);
  return no ? no : weft__quant_region_refuse(t, &g.r);
}

static weft_status tile_quant_pair(weft_tiling *t) {
  pair_region *g = t->data;
  const char *no = refuse_quant_pair(t);
  if (!no)
    no = read_region(t, g);
  if (no)
    return weft_fail(t->d, WEFT_E_KERNEL, "%s", no);
  weft__quant_region_measure(t, &g->r);
  g->r.blends = find_blend(g);
  weft__quant_region_cut(t, &g->r, 12);
  t->data_bytes = sizeof *g;
  return WEFT_OK;
}

static weft_status run_quant_pair(const weft_block *b) {
  return weft__quant_region_run(b, b->data, quant_pair_want);
}
const weft_kernel weft__kernel_quant_pair = {.size = sizeof(weft_kernel),
                                             .op = "Fused",
                                             .device = "cpu",
                                             .name = "quantised",
                                             .tiling_bytes_max = sizeof(pair_region),
                                             .refuse = refuse_quant_pair,
                                             .tile = tile_quant_pair,
                                             .run = run_quant_pair,
                                             .flags = WEFT_KERNEL_PACKED};
// SPDX-License-Identifier: Apache-2.0
