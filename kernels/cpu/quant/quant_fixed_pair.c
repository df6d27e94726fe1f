// quant_fixed_pair.c - regions of operators on one or two tensors of bytes that TFLite's rules make of ADD,
// SUB, MUL and QUANTIZE: bytes as int32 less their zero point, times a unit, scaled (FixedRequant); their
// sum, difference or product; and a FixedRequant to bytes. The same bits as the operators one by one: all
// numbers on the way are known to be below 2^30 in size.
//
// Where floats give the same bytes (quant_blend.h), these are used.
#include <math.h>

#include "cpu/quant/quant_blocked.h"
#include "cpu/quant/quant_region.h"
#include "quant/fixed_requant.rule.h"

enum { MOST_SIZE = 1 << 30, BYTE = 255 };

typedef struct fixed_region {
  weft__quant_region r;
  weft__quant_fixed_pair p;
} fixed_region;

static bool fixed_pair_is(const weft_region_node *n, const char *type) {
  return !strcmp(n->desc->type, type);
}

// One multiplier and shift.
static const char *fixed_pair_scaling(const weft_tiling *t, const weft_region_node *n,
                                      weft__quant_scaling *out) {
  const weft_tensor *multiplier = weft__quant_one_number(t, n->in[WEFT_FIXED_MULTIPLIER]);
  const weft_tensor *shift = weft__quant_one_number(t, n->in[WEFT_FIXED_SHIFT]);
  const char *no = weft__quant_fixed_numbers(multiplier, shift);
  if (no)
    return no;
  out->multiplier = *(const int32_t *)multiplier->data;
  out->shift = weft__quant_down(*(const int32_t *)shift->data);
  out->twice = weft_node_bool(n->desc, WEFT_FIXED_TWICE);
  return NULL;
}

// A FixedRequant that scales and does nothing else.
static bool fixed_pair_only_scales(const weft_region_node *n) {
  const weft_op_desc *d = n->desc;
  return n->dtype == WEFT_INT32 && !weft_node_int(d, WEFT_FIXED_ZERO_POINT) &&
         weft_node_int(d, WEFT_FIXED_LOW) == INT32_MIN && weft_node_int(d, WEFT_FIXED_HIGH) == INT32_MAX;
}

typedef struct fixed_operand {
  weft__quant_side *side;
  uint32_t arg;
  int64_t size;  // no number is larger
} fixed_operand;

// The bytes that node k makes int32 of.
static const char *fixed_pair_bytes(const weft_tiling *t, int32_t k, int64_t unit, fixed_operand *o) {
  int32_t zero = 0;
  const char *no = weft__quant_fixed_bytes(t, k, &o->arg, &zero);
  if (no)
    return no;
  o->side->flip = t->in_dtype[o->arg] == WEFT_INT8 ? 128 : 0;
  o->side->zero = zero + o->side->flip;
  o->side->unit = (int32_t)unit;
  o->size = (BYTE + (zero < 0 ? -zero : zero)) * (unit < 0 ? -unit : unit);
  return o->size < MOST_SIZE ? NULL : "has numbers of more than 30 bits";
}

static const char *fixed_pair_side(const weft_tiling *t, int32_t k, fixed_operand *o) {
  int64_t unit = 1;
  const weft_region_node *all = t->region->node;
  if (k >= 0 && fixed_pair_is(&all[k], "FixedRequant")) {
    if (!fixed_pair_only_scales(&all[k]))
      return "has an operand with bounds";
    const char *no = fixed_pair_scaling(t, &all[k], &o->side->by);
    if (no)
      return no;
    o->side->scales = true;
    k = all[k].in[WEFT_FIXED_X];
  }
  if (k >= 0 && fixed_pair_is(&all[k], "Mul")) {
    const weft_tensor *by = weft__quant_one_number(t, all[k].in[1]);
    if (!by)
      return "multiplies by what is no constant";
    unit = *(const int32_t *)by->data;
    k = all[k].in[0];
  }
  return fixed_pair_bytes(t, k, unit, o);
}

// The last node, which makes bytes of int32.
static const char *fixed_pair_end(const weft_tiling *t, const weft_region_node *last,
                                  weft__quant_fixed_pair *p) {
  weft__quant_fixed_end end;
  if (!fixed_pair_is(last, "FixedRequant"))
    return "does not end with a FixedRequant";
  const char *no = weft__quant_fixed_bounds(last->desc, t->out_dtype[0], &end);
  if (!no)
    no = fixed_pair_scaling(t, last, &p->end);
  if (no)
    return no;
  p->flip = t->out_dtype[0] == WEFT_INT8 ? 128 : 0;
  p->zero = end.zero + p->flip;
  p->low = (uint8_t)(end.low + p->flip);
  p->most = (uint8_t)(end.high + p->flip);
  return NULL;
}

static int fixed_pair_op(const weft_region_node *n) {
  if (n->desc->n_in != 2 || n->in[0] < 0 || n->in[1] < 0)
    return WEFT__FIXED_ONE;
  return fixed_pair_is(n, "Add")   ? WEFT__FIXED_ADD
         : fixed_pair_is(n, "Sub") ? WEFT__FIXED_SUB
         : fixed_pair_is(n, "Mul") ? WEFT__FIXED_MUL
                                   : WEFT__FIXED_ONE;
}

static const char *fixed_pair_read(const weft_tiling *t, fixed_region *g) {
  const weft_region *r = t->region;
  memset(g, 0, sizeof *g);
  if (!r || r->n_nodes < 2 || r->n_out != 1 || r->out[0] != (int32_t)r->n_nodes - 1)
    return "is no chain from bytes to FixedRequant";
  const weft_region_node *last = &r->node[r->n_nodes - 1];
  fixed_operand a = {.side = &g->p.a};
  fixed_operand b = {.side = &g->p.b};
  const char *no = fixed_pair_end(t, last, &g->p);
  if (no)
    return no;
  const int32_t k = last->in[WEFT_FIXED_X];
  g->p.op = k < 0 ? WEFT__FIXED_ONE : fixed_pair_op(&r->node[k]);
  const bool one = g->p.op == WEFT__FIXED_ONE;
  no = fixed_pair_side(t, one ? k : r->node[k].in[0], &a);
  if (!no && !one)
    no = fixed_pair_side(t, r->node[k].in[1], &b);
  if (no)
    return no;
  g->r.a = a.arg;
  g->r.b = one ? a.arg : b.arg;
  // A scaling makes no number larger, but for its rounding.
  const int64_t size = g->p.op == WEFT__FIXED_MUL ? (a.size + 1) * (b.size + 1) : a.size + b.size + 2;
  return size < MOST_SIZE ? NULL : "has numbers of more than 30 bits";
}

static const char *refuse_fixed_pair(const weft_tiling *t) {
  fixed_region g;
  const char *no = fixed_pair_read(t, &g);
  return no ? no : weft__quant_region_refuse(t, &g.r);
}

static void fixed_pair_want(const void *of, const uint8_t *a, const uint8_t *b, size_t n, uint8_t *y) {
  const fixed_region *g = of;
  g->r.ops->fixed_pair(a, b, n, &g->p, y);
}

static double fixed_pair_factor(const weft__quant_scaling *s) {
  return ldexp((double)s->multiplier, -31 - s->shift);
}
static double fixed_pair_factor_of(const weft__quant_side *s) {
  return s->unit * (s->scales ? fixed_pair_factor(&s->by) : 1);
}

static bool fixed_pair_find_blend(fixed_region *g) {
  const weft__quant_fixed_pair *p = &g->p;
  const bool two = p->op != WEFT__FIXED_ONE;
  if (p->op == WEFT__FIXED_MUL || g->r.n < (two ? WEFT__BLEND_LEAST : WEFT__BLEND_BYTES))
    return false;
  const double end = fixed_pair_factor(&p->end);
  const double by_a = fixed_pair_factor_of(&p->a) * end;
  const double by_b = two ? fixed_pair_factor_of(&p->b) * (p->op == WEFT__FIXED_SUB ? -end : end) : 0;
  g->r.m = (weft__quant_blend){.two = two,
                               .zero = p->zero,
                               .flip_a = p->a.flip,
                               .flip_b = p->b.flip,
                               .flip = p->flip,
                               .low = p->low,
                               .high = p->most};
  const double add = -p->a.zero * by_a - p->b.zero * by_b;
  const weft__quant_trial t = {g->r.ops, by_a, by_b, add, g, fixed_pair_want};
  return weft__quant_find_blend(&t, &g->r.m);
}

static weft_status tile_fixed_pair(weft_tiling *t) {
  fixed_region *g = t->data;
  const char *no = refuse_fixed_pair(t);
  if (!no)
    no = fixed_pair_read(t, g);
  if (no)
    return weft_fail(t->d, WEFT_E_KERNEL, "fixed-pair: %s", no);
  weft__quant_region_measure(t, &g->r);
  g->r.blends = fixed_pair_find_blend(g);
  weft__quant_region_cut(t, &g->r, 40);
  t->data_bytes = sizeof *g;
  return WEFT_OK;
}

static weft_status run_fixed_pair(const weft_block *b) {
  return weft__quant_region_run(b, b->data, fixed_pair_want);
}
const weft_kernel weft__kernel_fixed_pair = {.size = sizeof(weft_kernel),
                                             .op = "Fused",
                                             .device = "cpu",
                                             .name = "fixed-pair",
                                             .tiling_bytes_max = sizeof(fixed_region),
                                             .refuse = refuse_fixed_pair,
                                             .tile = tile_fixed_pair,
                                             .run = run_fixed_pair,
                                             .flags = WEFT_KERNEL_PACKED};
// SPDX-License-Identifier: Apache-2.0
