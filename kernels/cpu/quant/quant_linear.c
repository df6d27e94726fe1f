// quant_linear.c - QuantizeLinear and DequantizeLinear between f32 and bytes, with one scale or one for each
// place of an axis, and the region of both around an addition or multiplication: what they compute alone, bit
// for bit, without the floats between.
//
// A sum of two bytes with its rounding is a function of 2^16 pairs. One that needs no division is tried on
// all of them while tiling, and used where it gives the same bytes.
#include <math.h>

#include "cpu/quant/quant_blocked.h"
#include "cpu/rows/rows.h"

enum { X, SCALE, ZERO };
enum { AXIS, BLOCK_SIZE, OUTPUT_DTYPE, SATURATE, PRECISION };
enum { UNKNOWN_DTYPE = 28 };

typedef struct linear {
  const weft__quant_ops *ops;
  size_t n;      // elements
  size_t inner;  // elements behind the axis
  size_t axis;   // places of the axis
  size_t per;    // elements of a block
  bool is_signed;
  bool many;  // a scale for each place of the axis
  bool has_zero;
} linear;

static bool is_byte(weft_dtype t) {
  return t == WEFT_INT8 || t == WEFT_UINT8;
}

// One scale for each place of an axis.
static const char *read_axis(const weft_op_desc *n, const weft_shape *x, const weft_shape *s, linear *l) {
  int64_t axis = weft_node_int(n, AXIS);
  if (axis < 0)
    axis += (int64_t)x->rank;
  const bool there = axis >= 0 && axis < (int64_t)x->rank;
  if (!there || x->dim[axis] != s->dim[0])
    return "needs an axis of the scales";
  l->axis = (size_t)s->dim[0];
  l->inner = weft__rows_prod(x, (size_t)axis + 1, x->rank);
  return NULL;
}

static const char *read_dtypes(const weft_tiling *t, bool to_bytes) {
  const weft_dtype number = to_bytes ? t->in_dtype[X] : t->out_dtype[0];
  const weft_dtype byte = to_bytes ? t->out_dtype[0] : t->in_dtype[X];
  const bool floats = number == WEFT_FLOAT && t->in_dtype[SCALE] == WEFT_FLOAT;
  if (!floats || !is_byte(byte))
    return "needs f32 and bytes";
  if (!to_bytes)
    return NULL;
  const int64_t precision = weft_node_int(t->desc, PRECISION);
  return precision == UNKNOWN_DTYPE || precision == WEFT_FLOAT ? NULL : "needs f32 precision";
}

static const char *read(const weft_tiling *t, bool to_bytes, linear *l) {
  const weft_op_desc *n = t->desc;
  const char *no = read_dtypes(t, to_bytes);
  if (no)
    return no;
  if (!weft__rows_plain(t))
    return "needs known shapes in plain layouts";
  const weft_dtype byte = to_bytes ? t->out_dtype[0] : t->in_dtype[X];
  const weft_shape *x = &t->in[X]->origin;
  const weft_shape *s = &t->in[SCALE]->origin;
  *l = (linear){.n = weft__rows_prod(x, 0, x->rank), .inner = 1, .axis = 1, .is_signed = byte == WEFT_INT8};
  l->has_zero = t->n_in > ZERO;
  l->ops = weft__quant_find(t->host);
  l->many = s->rank == 1 && s->dim[0] != 1;
  const bool in_blocks = l->many && weft_node_int(n, BLOCK_SIZE);
  if (s->rank > 1 || in_blocks)
    return "needs one scale, or one for each place of the axis";
  return l->many ? read_axis(n, x, s, l) : NULL;
}

static const char *refuse_quantize_linear(const weft_tiling *t) {
  linear l;
  return read(t, true, &l);
}
static const char *refuse_dequantize_linear(const weft_tiling *t) {
  linear l;
  return read(t, false, &l);
}

static weft_status make(weft_tiling *t, bool to_bytes) {
  linear *l = t->data;
  const char *no = read(t, to_bytes, l);
  if (no)
    return weft_fail(t->d, WEFT_E_KERNEL, "%s", no);
  t->blocks = weft__rows_blocks((l->n + 63) / 64, to_bytes ? 8 : 5, &l->per);
  l->per *= 64;
  t->data_bytes = sizeof *l;
  return WEFT_OK;
}
static weft_status tile_quantize_linear(weft_tiling *t) {
  return make(t, true);
}
static weft_status tile_dequantize_linear(weft_tiling *t) {
  return make(t, false);
}

static int32_t byte_of(uint8_t bits, bool is_signed) {
  return is_signed ? (int8_t)bits : bits;
}

static void piece(const linear *l, const weft_block *b, bool to_bytes, size_t at, size_t first, size_t n) {
  const float scale = ((const float *)b->arg[SCALE])[at];
  const uint8_t *z = l->has_zero ? b->arg[ZERO] : NULL;
  const int32_t zero = z ? byte_of(z[at], l->is_signed) : 0;
  int32_t low = l->is_signed ? -128 : 0;
  void *y = b->arg[l->has_zero ? 3 : 2];
  if (to_bytes) {
    weft__quant_to to = {scale, (float)(low - zero), (float)(low + 255 - zero), zero};
    l->ops->quantize((const float *)b->arg[X] + first, n, &to, (uint8_t *)y + first);
  } else {
    weft__quant_from from = {l->is_signed, zero, scale};
    l->ops->dequantize((const uint8_t *)b->arg[X] + first, n, &from, (float *)y + first);
  }
}

static weft_status run_linear(const weft_block *b, bool to_bytes) {
  const linear *l = b->data;
  size_t first = b->block * l->per;
  size_t last = WEFT_MIN(first + l->per, l->n);
  while (first < last) {
    size_t row = first / l->inner;
    size_t n = l->many ? WEFT_MIN((row + 1) * l->inner, last) - first : last - first;
    piece(l, b, to_bytes, l->many ? row % l->axis : 0, first, n);
    first += n;
  }
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
  bool blends;  // m gives what p does
  // Arguments of the launch.
  uint32_t a;
  uint32_t b;
  uint32_t y;
  size_t n;
  size_t per;  // elements of a block
  // Of packed images.
  size_t channels;
  size_t places;
} region;

// The value of input `in` of a node of the region, a constant of so many bytes; NULL: it is none.
static const weft_tensor *constant(const weft_tiling *t, int32_t in, size_t bytes) {
  const bool given = in < 0 && (uint32_t)(-1 - in) < t->n_in;
  const weft_tensor *v = given ? t->value[-1 - in] : NULL;
  const bool has_data = v && v->data;
  return has_data && v->bytes == bytes ? v : NULL;
}

static bool number(const weft_tiling *t, int32_t in, float *out) {
  const weft_tensor *v = constant(t, in, sizeof *out);
  if (!v || v->dtype != WEFT_FLOAT)
    return false;
  memcpy(out, v->data, sizeof *out);
  return isfinite(*out);
}

static bool zero_point(const weft_tiling *t, const weft_region_node *n, bool is_signed, int32_t *out) {
  *out = 0;
  if (n->desc->n_in <= ZERO)
    return true;
  const weft_tensor *v = constant(t, n->in[ZERO], 1);
  if (!v)
    return false;
  *out = byte_of(*(const uint8_t *)v->data, is_signed);
  return true;
}

// Node k of the region as numbers from an input of bytes.
static const char *from_bytes(const weft_tiling *t, int32_t k, weft__quant_from *f, uint32_t *out_arg) {
  const weft_region_node *n = k < 0 ? NULL : &t->region->node[k];
  if (!n || strcmp(n->desc->type, "DequantizeLinear") != 0)
    return "has an operand that is no DequantizeLinear";
  if (n->dtype != WEFT_FLOAT || n->in[X] >= 0)
    return "needs f32 from bytes";
  *out_arg = (uint32_t)(-1 - n->in[X]);
  weft_dtype x = t->in_dtype[*out_arg];
  if (!is_byte(x))
    return "needs f32 from bytes";
  f->is_signed = x == WEFT_INT8;
  const bool constant_scale = number(t, n->in[SCALE], &f->scale);
  if (!constant_scale || !zero_point(t, n, f->is_signed, &f->zero))
    return "needs one constant scale and zero point";
  return NULL;
}

static const char *read_clip(const weft_tiling *t, const weft_region_node *n, weft__quant_pair *p) {
  static const char no[] = "has an operator that is no step of the region";
  const uint32_t n_in = n->desc->n_in;
  const bool relu = n_in == 1 && !strncmp(n->desc->type, "Relu", 4);
  const bool clips = n_in == 3 && !strncmp(n->desc->type, "ClipByValue", 11);
  if (relu) {
    p->least = 0;
    p->most = n->desc->type[4] == '6' ? 6.0f : INFINITY;
  } else {
    if (!clips)
      return no;
    if (!number(t, n->in[1], &p->least) || !number(t, n->in[2], &p->most))
      return no;
  }
  p->clip = true;
  return NULL;
}

// The QuantizeLinear at the end.
static const char *read_last(const weft_tiling *t, const weft_region_node *last, weft__quant_to *to) {
  if (strcmp(last->desc->type, "QuantizeLinear") || !is_byte(last->dtype))
    return "does not end with a QuantizeLinear to bytes";
  const bool is_signed = last->dtype == WEFT_INT8;
  const bool any_precision = weft_node_int(last->desc, PRECISION) == UNKNOWN_DTYPE;
  const bool one_scale = any_precision && number(t, last->in[SCALE], &to->scale);
  if (!one_scale || !zero_point(t, last, is_signed, &to->zero))
    return "needs one constant scale and zero point";
  to->low = (float)((is_signed ? -128 : 0) - to->zero);
  to->high = (float)((is_signed ? 127 : 255) - to->zero);
  return last->in[X] < 0 ? "quantises an input" : NULL;
}

// The operator between, at node k, or none.
static const char *read_middle(const weft_tiling *t, int32_t k, region *g) {
  const weft_region_node *n = &t->region->node[k];
  const bool add = !strcmp(n->desc->type, "Add");
  const bool mul = !strcmp(n->desc->type, "Mul");
  if (add || mul) {
    g->p.op = add ? WEFT__QUANT_ADD : WEFT__QUANT_MUL;
    const char *no = from_bytes(t, n->in[0], &g->p.a, &g->a);
    return no ? no : from_bytes(t, n->in[1], &g->p.b, &g->b);
  }
  g->p.op = WEFT__QUANT_ONE;
  const char *no = from_bytes(t, k, &g->p.a, &g->a);
  g->b = g->a;
  return no;
}

static bool is_short_chain(const weft_region *r) {
  const bool right_size = r->n_nodes >= 2 && r->n_nodes <= 5;
  return right_size && r->n_out == 1 && r->out[0] == (int32_t)r->n_nodes - 1;
}

static const char *read_region(const weft_tiling *t, region *g) {
  const weft_region *r = t->region;
  if (!r || !is_short_chain(r))
    return "is no chain from DequantizeLinear to QuantizeLinear";
  const weft_region_node *last = &r->node[r->n_nodes - 1];
  const char *no = read_last(t, last, &g->p.to);
  if (no)
    return no;

  int32_t k = last->in[X];
  const weft_region_node *n = &r->node[k];
  const bool clips = n->desc->n_in != 2 && strcmp(n->desc->type, "DequantizeLinear") != 0;
  if (clips) {
    no = read_clip(t, n, &g->p);
    if (no)
      return no;
    k = n->in[0];
    if (k < 0)
      return "has an operand that is no DequantizeLinear";
  }
  return read_middle(t, k, g);
}

enum {
  LEAST_BLEND = 8192,  // bytes that are worth the trial
  TRIES = 27,
  BYTES = 256,
};

// Does m give what p does, for all bytes?
static bool same_bytes(const region *g) {
  uint8_t a[BYTES];
  uint8_t b[BYTES];
  uint8_t want[BYTES];
  uint8_t got[BYTES];
  for (size_t i = 0; i < BYTES; i++)
    a[i] = b[i] = (uint8_t)i;
  for (size_t k = 0; k < (g->m.two ? BYTES : 1); k++) {
    if (g->m.two)
      memset(a, (int)k, sizeof a);
    g->ops->pair(a, b, BYTES, &g->p, want);
    g->ops->blend(a, b, BYTES, &g->m, got);
    if (memcmp(want, got, BYTES) != 0)
      return false;
  }
  return true;
}

// A neighbour of x: below, itself or above.
static float near(float x, size_t which) {
  if (which == 0)
    return x;
  return nextafterf(x, which == 1 ? INFINITY : -INFINITY);
}

// A byte, as it is seen when it is unsigned, of a number.
static uint8_t bound_of(const weft__quant_to *to, double x) {
  const double low = (double)to->low;
  const double rounded = rint(x / (double)to->scale);
  const double most = WEFT_MIN(rounded, (double)to->high);
  return (uint8_t)(WEFT_MAX(most, low) - low);
}

// Numbers that are so close to halfway between two bytes that the roundings of p matter decide by its last
// bits; the neighbours of the factors get those right, mostly.
static bool find_blend(region *g) {
  const weft__quant_pair *p = &g->p;
  const bool two = p->op == WEFT__QUANT_ADD;
  const size_t least = two ? LEAST_BLEND : BYTES;
  if (p->op == WEFT__QUANT_MUL || g->n < least)
    return false;
  const double by_a = (double)p->a.scale / (double)p->to.scale;
  const double by_b = two ? (double)p->b.scale / (double)p->to.scale : 0;
  const bool moderate = fabs(by_a) < 1024 && fabs(by_b) < 1024;
  if (!moderate)
    return false;
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
  for (size_t i = 0; i < TRIES; i++) {
    g->m.by_a = near((float)by_a, i % 3);
    g->m.by_b = near((float)by_b, i / 3 % 3);
    g->m.add = near((float)add, i / 9);
    if (same_bytes(g))
      return true;
  }
  return false;
}

// Bytes all stored the same way, packed ones in NC1HWC0 with C0 = 32: lanes that are no channels are 0 again
// afterwards.
static bool all_packed(const weft_tiling *t, const region *g) {
  if (!t->in_format)
    return false;
  const bool operands =
      weft__is_blocked_bytes(t->in_format[g->a]) && weft__is_blocked_bytes(t->in_format[g->b]);
  return operands && weft__is_blocked_bytes(t->out_format[0]);
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
  const bool operands_known = weft_shape_is_known(a) && weft_shape_is_known(b);
  if (!operands_known || !weft_shape_is_known(y))
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
