// quant_blocked.c - see quant_blocked.h.
#include "cpu/quant/quant_blocked.h"

#include <float.h>

#include "op/infer_node.h"
#include "quant_sum.rule.h"

static const char *read_formats(const weft_tiling *t, weft__quant_blocked *q) {
  int64_t x = q->s.arg[WEFT__SUM_X];
  int64_t w = q->s.arg[WEFT__SUM_W];
  for (uint32_t i = 0; i < t->n_in; i++) {
    if (weft__format_packed(t->in_format[i]) && ((int64_t)i != x || !weft__is_blocked_bytes(t->in_format[i])))
      return "needs NC1HWC0 with C0 = 32, of its input alone";
  }
  q->from_plain = !weft__format_packed(t->in_format[x]);
  if (!weft__product_may_pack(t, w))
    return "needs constant filters";
  if (!weft__quant_w_zero_is(t, &q->s, q->s.w_signed ? 0 : 128))
    return "needs filters whose zero points are known and symmetric";
  return NULL;
}

static const char *refuse_region(const weft_tiling *t) {
  const weft_region *r = t->region;
  const bool fixed = weft__quant_is_fixed(r, "ConvInteger");
  if (!r || !t->in_format || (!fixed && !weft__is_one_operator(r)))
    return "is one operator, packed";
  const weft_op_desc *n = r->node[0].desc;
  if (strcmp(n->type, "ConvInteger") || n->n_in > WEFT__SUM_PORTS)
    return "is another operator";
  return weft__is_blocked_bytes(t->out_format[0]) ? NULL : "makes NC1HWC0 with C0 = 32";
}

static const char *read_sizes(const weft_tiling *t, weft__conv_shape *c) {
  weft__product p;
  weft__quant_shapes(t, WEFT__PRODUCT_CONV, &p);
  if (p.shape[0]->rank != 4)
    return "needs two spatial axes";
  const char *no = weft__conv_sizes(&p, c);
  if (no)
    return no;
  if (weft__conv_is_empty(c))
    return "has nothing to compute";
  if (c->inputs * c->taps > WEFT__QUANT_STEPS)
    return "has sums whose bytes overflow int32";
  return weft__conv_is_large(c) ? "an image of more than 2^26 bytes" : NULL;
}

const char *weft__quant_blocked_read(const weft_tiling *t, weft__quant_blocked *out) {
  weft__quant_inner u;
  memset(out, 0, sizeof *out);
  const char *no = refuse_region(t);
  if (!no)
    no = weft__quant_unpack(t, &u);
  if (!no)
    no = weft__quant_read(&u.t, WEFT_CONV_SUM_RANGE, &out->s);
  if (!no)
    no = weft__quant_read_region(t, 1, &out->s);
  if (no)
    return no;
  if (!out->s.bytes)
    return "makes int32";
  no = read_formats(t, out);
  if (no || !weft__product_known(t))
    return no;
  no = read_sizes(&u.t, &out->c);
  return no ? no : weft__quant_fixed_fits(t, &out->s, out->c.inputs * out->c.taps);
}

// Finite, as weft__quant_scale has it.
static void quant_blocked_factors(const weft__quant_blocked *q, void *const *arg, size_t channel, size_t n,
                                  float *to) {
  enum { ALL = WEFT__BYTES_C0 };
  const float *scale = (const float *)arg[q->s.arg[WEFT__SUM_SCALE]] + (q->s.many_scales ? channel : 0);
  for (size_t i = 0; i < n; i++)
    to[i] = scale[q->s.many_scales ? i : 0];
  for (size_t i = 0; i < ALL; i++) {
    float f = to[i];
    f = f == f ? f : 0;
    f = f > FLT_MAX ? FLT_MAX : f;
    to[i] = f < -FLT_MAX ? -FLT_MAX : f;
  }
}

void weft__quant_blocked_numbers(const weft__quant_blocked *q, void *const *arg, size_t channel, size_t n,
                                 const int32_t *sum, weft__quant_numbers *out) {
  enum { ALL = WEFT__BYTES_C0 };
  int32_t sums[ALL] = {0};
  uint32_t zero = (uint32_t)weft__quant_lane_zero(&q->s, arg);
  memset(out, 0, sizeof *out);
  memcpy(sums, sum, n * sizeof *sum);
  if (q->s.many_bias)
    memcpy(out->add, (const int32_t *)arg[q->s.arg[WEFT__SUM_BIAS]] + channel, n * sizeof *sum);
  else {
    for (size_t i = 0; i < n; i++)
      out->add[i] = weft__quant_bias(&q->s, arg, 0);
  }
  for (size_t i = 0; i < ALL; i++)
    out->add[i] = (int32_t)((uint32_t)out->add[i] - zero * (uint32_t)sums[i]);
  if (!q->s.fixed) {
    quant_blocked_factors(q, arg, channel, n, out->factor);
    return;
  }
  const int32_t *multiplier =
      (const int32_t *)arg[q->s.multiplier_arg] + (q->s.many_multipliers ? channel : 0);
  const int32_t *shift = (const int32_t *)arg[q->s.shift_arg] + (q->s.many_shifts ? channel : 0);
  const size_t each_multiplier = q->s.many_multipliers;
  const size_t each_shift = q->s.many_shifts;
  for (size_t i = 0; i < n; i++)
    out->multiplier[i] = multiplier[i * each_multiplier];
  for (size_t i = 0; i < n; i++)
    out->shift[i] = weft__quant_down(shift[i * each_shift]);
}

void weft__quant_blocked_put(const weft__quant_sum *s, const weft__quant_numbers *n, size_t from, int32_t *to,
                             size_t lanes) {
  const size_t four = 4 * sizeof *to;
  memcpy(to, n->add + from, four);
  if (!s->fixed) {
    memcpy(to + lanes, n->factor + from, four);
    return;
  }
  memcpy(to + lanes, n->multiplier + from, four);
  memcpy(to + 2 * lanes, n->shift + from, four);
}

void weft__quant_blocked_rows(const weft__quant_sum *s, const int32_t *rows, size_t lanes,
                              weft__quant_panel *p) {
  p->add = rows;
  p->factor = s->fixed ? NULL : (const float *)(rows + lanes);
  p->multiplier = s->fixed ? rows + lanes : NULL;
  p->shift = s->fixed ? rows + 2 * lanes : NULL;
  p->twice = s->twice;
}

void weft__quant_blocked_bounds(const weft__quant_sum *s, void *const *arg, size_t n, size_t lanes,
                                weft__quant_panel *p) {
  weft__quant_out o;
  weft__quant_bounds(s, arg, &o);
  p->flip = s->y_signed ? 128 : 0;
  p->high = o.high;
  p->zero = o.zero + p->flip;
  p->low = (uint8_t)(s->low + p->flip);
  p->most = (uint8_t)(s->high + p->flip);
  memset(p->mask, 255, sizeof p->mask);
  for (size_t i = 0; n < lanes && i < sizeof p->mask; i++)
    p->mask[i] = i % lanes < n ? 255 : 0;
}

typedef uint8_t bytes16 __attribute__((vector_size(16)));
typedef uint8_t bytes16_at __attribute__((vector_size(16), aligned(1), may_alias));

void weft__quant_blocked_clear(uint8_t *y, size_t first, size_t last, size_t channels, size_t places) {
  size_t n = channels % WEFT__BYTES_C0;
  size_t image = weft__quant_blocked_bytes(channels, places) / WEFT__BYTES_C0;
  uint8_t keep[WEFT__BYTES_C0];
  if (!n)
    return;
  for (size_t k = 0; k < WEFT__BYTES_C0; k++)
    keep[k] = k < n ? 255 : 0;
  const bytes16 low = *(const bytes16_at *)keep;
  const bytes16 high = *(const bytes16_at *)(keep + 16);
  for (size_t p = first; p < last;) {
    size_t at = p % image;
    size_t end = WEFT_MIN(last, p - at + image);
    for (p = WEFT_MAX(p, p - at + image - places); p < end; p++) {
      *(bytes16_at *)(y + p * WEFT__BYTES_C0) &= low;
      *(bytes16_at *)(y + p * WEFT__BYTES_C0 + 16) &= high;
    }
    p = end;
  }
}

// Numbers of 16 bits from bytes.
void weft__quant_blocked_widen(const uint8_t *x, size_t n, uint8_t flip, uint8_t *to) {
  const bytes16 none = {0};
  size_t i = 0;
  for (; i + 16 <= n; i += 16, to += 32) {
    const bytes16 v = *(const bytes16_at *)(x + i) ^ flip;
    *(bytes16_at *)to =
        __builtin_shufflevector(v, none, 0, 16, 1, 17, 2, 18, 3, 19, 4, 20, 5, 21, 6, 22, 7, 23);
    *(bytes16_at *)(to + 16) =
        __builtin_shufflevector(v, none, 8, 24, 9, 25, 10, 26, 11, 27, 12, 28, 13, 29, 14, 30, 15, 31);
  }
  for (; i < n; i++, to += 2) {
    const uint16_t v = x[i] ^ flip;
    memcpy(to, &v, sizeof v);
  }
}

static void quant_blocked_pad(const weft__quant_plane *p, uint8_t *to, size_t n) {
  if (p->each == 1) {
    memset(to, p->pad, n);
    return;
  }
  const uint16_t v = p->pad;
  for (size_t i = 0; i < n; i++)
    memcpy(to + 2 * i, &v, sizeof v);
}

static void quant_blocked_copy_row(const weft__quant_plane *p, const uint8_t *x, size_t n, uint8_t *to) {
  if (p->each > 1)
    weft__quant_blocked_widen(x, n, p->flip, to);
  else if (p->flip)
    p->ops->flip(x, n, p->flip, to);
  else if (n)
    memcpy(to, x, n);
}

void weft__quant_blocked_copy(const weft__quant_plane *p, const uint8_t *x, size_t first, size_t last,
                              uint8_t *to) {
  int64_t x0 = WEFT_MAX(p->begin[1], 0);
  int64_t skip = WEFT_MAX(-p->begin[1], 0);
  int64_t n = WEFT_MIN((int64_t)p->cols - x0, (int64_t)p->in[1] - skip);
  if (n < 0) {
    n = 0;
    x0 = WEFT_MIN(x0, (int64_t)p->cols);
  }
  size_t left = (size_t)x0 * p->lane;
  size_t middle = (size_t)n * p->lane;
  size_t all = p->cols * p->lane;
  for (size_t r = first; r < last; r++, to += all * p->each) {
    int64_t from = (int64_t)r - p->begin[0];
    if (from < 0 || from >= (int64_t)p->in[0]) {
      quant_blocked_pad(p, to, all);
      continue;
    }
    const uint8_t *row = x + ((size_t)from * p->in[1] + (size_t)skip) * p->lane;
    quant_blocked_pad(p, to, left);
    quant_blocked_copy_row(p, row, middle, to + left * p->each);
    quant_blocked_pad(p, to + (left + middle) * p->each, all - left - middle);
  }
}
// SPDX-License-Identifier: Apache-2.0
