// blocked_depthwise.c - depthwise convolutions of float in NC1HWC0 with a bias and a clip: 16 channels of a
// place at a time, eight places in registers. Taps outside the input are left out.
#include "cpu/blocked_conv.h"
#include "cpu/rows.h"

enum { MOST_TAPS = 1024, MOST_PIECES = 24 };

typedef struct piece {  // places of a row that have the same taps
  uint32_t first, n, w0, w1;
} piece;
typedef struct depthwise {
  const weft__blocked_ops *ops;
  weft__blocked_conv b;
  uint32_t x_arg, w_arg, y_arg;
  int bias;  // argument; -1
  bool one;  // one number for all channels
  float low, high;
  size_t channels, blocks, per, pieces;
  piece piece[MOST_PIECES];
} depthwise;

static const char *steps(depthwise *g) {
  const weft__epilogue *e = &g->b.e;
  uint32_t k = 0;
  g->bias = -1, g->low = -__builtin_inff(), g->high = __builtin_inff();
  if (k < e->n && e->step[k].kind == WEFT__STEP_ADD && !e->step[k].by_col && e->step[k].p == 1.0f)
    g->bias = (int)e->step[k].arg, g->one = !e->step[k].by_row, k++;
  if (k < e->n && e->step[k].kind == WEFT__STEP_CLIP) g->low = e->step[k].p, g->high = e->step[k].q, k++;
  return k == e->n ? NULL : "is followed by more than a bias and a clip";
}

// Taps [*first, *last) of output o along axis i that lie inside.
static void inside(const weft__conv_shape *c, size_t i, size_t o, size_t *first, size_t *last) {
  int64_t at = (int64_t)(o * c->stride[i]) - c->begin[i], step = (int64_t)c->dilation[i],
          k = (int64_t)c->kernel[i];
  int64_t lo = at < 0 ? (-at + step - 1) / step : 0, hi = ((int64_t)c->in[i] - at + step - 1) / step;
  hi = hi < 0 ? 0 : WEFT_MIN(hi, k), lo = WEFT_MIN(lo, hi);
  *first = (size_t)lo, *last = (size_t)hi;
}

// Cuts a row of the output into pieces; false: they are too many.
static bool cut(depthwise *g) {
  const weft__conv_shape *c = &g->b.c;
  g->pieces = 0;
  for (size_t ox = 0; ox < c->out[2]; ox++) {
    size_t w0, w1;
    inside(c, 2, ox, &w0, &w1);
    piece *p = g->pieces ? &g->piece[g->pieces - 1] : NULL;
    if (p && p->w0 == w0 && p->w1 == w1) {
      p->n++;
      continue;
    }
    if (g->pieces == MOST_PIECES) return false;
    g->piece[g->pieces++] = (piece){(uint32_t)ox, 1, (uint32_t)w0, (uint32_t)w1};
  }
  return true;
}

static const char *read(const weft_tiling *t, depthwise *g) {
  memset(g, 0, sizeof *g);
  const char *no = weft__blocked_conv_read(t, &g->b);
  if (no || !weft__product_known(t)) return no;
  const weft__conv_shape *c = &g->b.c;
  if (c->inputs != 1 || c->outputs != 1) return "is not depthwise";
  if (g->b.from_plain) return "needs packed inputs";
  if (c->taps > MOST_TAPS || c->kernel[0] != 1) return "has too many taps";
  if (!c->groups || !c->images || !c->out_size) return "has nothing to compute";
  g->channels = c->groups, g->blocks = (c->groups + WEFT__C0 - 1) / WEFT__C0;
  g->ops = weft__blocked_find();
  return cut(g) ? steps(g) : "has rows of too many kinds of places";
}

static const char *refuse(const weft_tiling *t) {
  depthwise g;
  return read(t, &g);
}

static double block_ns(const depthwise *g) {
  return (double)g->b.c.out_size * (0.7 + (double)g->b.c.taps * 4 / g->ops->vec);
}

static double cost(const weft_tiling *t) {
  depthwise g;
  if (read(t, &g) || !g.ops) return 1e30;
  return 300 + (double)(g.b.c.images * g.blocks) * block_ns(&g);
}

static weft_status tile(weft_tiling *t) {
  depthwise *g = t->data;
  const char *no = read(t, g);
  if (no) return weft_fail(t->d, WEFT_E_KERNEL, "blocked-depthwise: %s", no);
  t->data_bytes = sizeof *g;
  g->x_arg = (uint32_t)g->b.p.arg[0], g->w_arg = (uint32_t)g->b.p.arg[1], g->y_arg = t->n_in;
  t->pack_bytes[g->w_arg] = g->blocks * g->b.c.taps * WEFT__C0 * sizeof(float);
  t->pack_key[g->w_arg] = UINT64_C(1) << 17;
  t->scratch_bytes = g->b.c.taps * (WEFT__C0 * sizeof(float) + sizeof(uint32_t));
  t->blocks = weft__rows_blocks(g->b.c.images * g->blocks, block_ns(g), &g->per);
  return WEFT_OK;
}

static weft_status pack(const weft_packing *p) {
  const weft_dim *d = p->in->layout.origin.dim;
  const float *w = p->in->data;
  size_t channels = (size_t)d[0], taps = (size_t)(d[2] * d[3]);
  float *to = p->to;
  for (size_t c = 0; c < channels; c += WEFT__C0)
    for (size_t t = 0; t < taps; t++)
      for (size_t k = 0; k < WEFT__C0; k++) *to++ = c + k < channels ? w[(c + k) * taps + t] : 0;
  return WEFT_OK;
}

typedef struct spot {
  const float *x, *w, *bias;
  float *some;  // room for filters of some taps
  uint32_t *at;
  size_t h0, h1, w0, w1;
} spot;

// n places of a row that have the same taps, the first at (oy, ox).
static void places(const depthwise *g, const spot *s, float *y, size_t oy, size_t ox, size_t n) {
  const weft__conv_shape *c = &g->b.c;
  size_t k = 0, wide = s->w1 - s->w0;
  for (size_t r = s->h0; r < s->h1; r++)
    for (size_t q = s->w0; q < s->w1; q++)
      s->at[k++] =
          (uint32_t)(((r - s->h0) * c->dilation[1] * c->in[2] + (q - s->w0) * c->dilation[2]) * WEFT__C0);
  const float *w = s->w + s->h0 * c->kernel[2] * WEFT__C0;
  if (wide < c->kernel[2]) {
    for (size_t r = 0; r < s->h1 - s->h0; r++)
      memcpy(s->some + r * wide * WEFT__C0, w + (r * c->kernel[2] + s->w0) * WEFT__C0,
             wide * WEFT__C0 * sizeof *w);
    w = s->some;
  }
  int64_t top = (int64_t)(oy * c->stride[1] + s->h0 * c->dilation[1]) - c->begin[1],
          left = (int64_t)(ox * c->stride[2] + s->w0 * c->dilation[2]) - c->begin[2];
  const float *x = k ? s->x + (size_t)(top * (int64_t)c->in[2] + left) * WEFT__C0 : s->x;
  g->ops->taps(x, c->stride[2] * WEFT__C0, s->at, w, k, y + ox * WEFT__C0, n, s->bias, g->low, g->high);
}

static void row(const depthwise *g, spot *s, float *y, size_t oy) {
  inside(&g->b.c, 1, oy, &s->h0, &s->h1);
  for (size_t i = 0; i < g->pieces; i++) {
    s->w0 = g->piece[i].w0, s->w1 = g->piece[i].w1;
    places(g, s, y, oy, g->piece[i].first, g->piece[i].n);
  }
}

static weft_status run(const weft_block *b) {
  const depthwise *g = b->data;
  const weft__conv_shape *c = &g->b.c;
  size_t first = b->block * g->per;
  _Alignas(64) float bias[WEFT__C0];
  spot s = {.some = b->scratch, .bias = bias};
  s.at = (uint32_t *)(s.some + c->taps * WEFT__C0);
  for (size_t i = first; i < WEFT_MIN(first + g->per, c->images * g->blocks); i++) {
    size_t channel = i % g->blocks * WEFT__C0, n = WEFT_MIN(WEFT__C0, g->channels - channel);
    const float *z = g->bias >= 0 ? b->arg[g->bias] : NULL;
    for (size_t k = 0; k < WEFT__C0; k++) bias[k] = z && k < n ? z[g->one ? 0 : channel + k] : 0;
    s.x = (const float *)b->arg[g->x_arg] + i * c->in_size * WEFT__C0;
    s.w = (const float *)b->arg[g->w_arg] + i % g->blocks * c->taps * WEFT__C0;
    float *y = (float *)b->arg[g->y_arg] + i * c->out_size * WEFT__C0;
    for (size_t o = 0; o < c->out[1]; o++) row(g, &s, y + o * c->out[2] * WEFT__C0, o);
    for (size_t p = 0; n < WEFT__C0 && p < c->out_size; p++)  // a clip may lift lanes that are no channels
      memset(y + p * WEFT__C0 + n, 0, (WEFT__C0 - n) * sizeof *y);
  }
  return WEFT_OK;
}

WEFT__BLOCKED_KERNEL(blocked_depthwise_fused, "blocked-depthwise");
