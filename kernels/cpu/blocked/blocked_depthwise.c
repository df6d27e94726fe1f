// blocked_depthwise.c - depthwise convolutions of float in NC1HWC0 with a bias and a clip: 16 channels of a
// place at a time, eight places in registers. Taps outside the input are left out: a plane of the output is
// cut into rectangles of places that have the same taps, a large one and those along the edges. Kernels of
// 3 x 3 go along whole rows instead.
#include "cpu/blocked/blocked_conv.h"
#include "cpu/rows/rows.h"

enum { MOST_TAPS = 1024, MOST_PIECES = 24, MOST_TABLE = 1 << 16, MOST_ROWS = 64 };

typedef struct piece {  // places along an axis that have the same taps
  uint32_t first;
  uint32_t n;
  uint32_t t0;
  uint32_t t1;
} piece;
typedef struct depthwise {
  const weft__blocked_ops *ops;
  weft__blocked_conv b;
  uint32_t x_arg, w_arg, y_arg;
  int bias;  // argument; -1
  bool one;  // one number for all channels
  float low, high;
  size_t channels, blocks, bands, units;
  bool nine, right;  // 3 x 3 taps by whole rows; the last place lacks its last column
  size_t pieces[2];  // of rows, of columns
  piece piece[2][MOST_PIECES];
} depthwise;

static const char *blocked_depthwise_steps(depthwise *g) {
  const weft__epilogue *e = &g->b.e;
  uint32_t k = 0;
  g->bias = -1;
  g->low = -__builtin_inff();
  g->high = __builtin_inff();
  if (k < e->n && e->step[k].kind == WEFT__STEP_ADD && !e->step[k].by_col && e->step[k].p == 1.0f) {
    g->bias = (int)e->step[k].arg;
    g->one = !e->step[k].by_row;
    k++;
  }
  if (k < e->n && e->step[k].kind == WEFT__STEP_CLIP) {
    g->low = e->step[k].p;
    g->high = e->step[k].q;
    k++;
  }
  return k == e->n ? NULL : "is followed by more than a bias and a clip";
}

// Taps [*first, *last) of output o along axis i that lie inside.
static void blocked_depthwise_inside(const weft__conv_shape *c, size_t i, size_t o, size_t *first,
                                     size_t *last) {
  int64_t at = (int64_t)(o * c->stride[i]) - c->begin[i];
  int64_t step = (int64_t)c->dilation[i];
  int64_t k = (int64_t)c->kernel[i];
  int64_t lo = at < 0 ? (-at + step - 1) / step : 0;
  int64_t hi = ((int64_t)c->in[i] - at + step - 1) / step;
  hi = hi < 0 ? 0 : WEFT_MIN(hi, k);
  lo = WEFT_MIN(lo, hi);
  *first = (size_t)lo;
  *last = (size_t)hi;
}

static bool same_taps(const weft__conv_shape *c, size_t i, size_t o, const piece *p) {
  size_t first;
  size_t last;
  blocked_depthwise_inside(c, i, o, &first, &last);
  return first == p->t0 && last == p->t1;
}

// Cuts an axis of the output into pieces with the same taps each; false: they are too many. Along the axis
// first and last tap only fall, so that a piece's end is found by halving: an axis may be as long as a file
// says.
static bool blocked_depthwise_cut(depthwise *g, size_t axis) {
  const weft__conv_shape *c = &g->b.c;
  const size_t i = 1 + axis;
  const size_t out = c->out[i];
  g->pieces[axis] = 0;
  if (out > UINT32_MAX)
    return false;
  for (size_t o = 0; o < out;) {
    size_t t0;
    size_t t1;
    size_t end = out;
    size_t same = o;
    if (g->pieces[axis] == MOST_PIECES)
      return false;
    blocked_depthwise_inside(c, i, o, &t0, &t1);
    piece *p = &g->piece[axis][g->pieces[axis]++];
    *p = (piece){(uint32_t)o, 1, (uint32_t)t0, (uint32_t)t1};
    while (end - same > 1) {
      size_t half = same + (end - same) / 2;
      if (same_taps(c, i, half, p))
        same = half;
      else
        end = half;
    }
    p->n = (uint32_t)(end - o);
    o = end;
  }
  return true;
}

static bool is_nine(const weft__conv_shape *c, bool *out_right) {
  for (size_t i = 1; i < 3; i++) {
    if (c->kernel[i] != 3 || c->dilation[i] != 1 || c->stride[i] > 2)
      return false;
  }
  int64_t over = (int64_t)((c->out[2] - 1) * c->stride[2] + 3) - c->begin[2] - (int64_t)c->in[2];
  *out_right = over == 1;
  return over <= 1 && (c->begin[2] == 0 || c->begin[2] == 1);
}

static const char *blocked_depthwise_read(const weft_tiling *t, depthwise *g) {
  memset(g, 0, sizeof *g);
  const char *no = weft__blocked_conv_read(t, &g->b);
  if (no || !weft__product_known(t))
    return no;
  const weft__conv_shape *c = &g->b.c;
  if (c->inputs != 1 || c->outputs != 1)
    return "is not depthwise";
  if (g->b.from_plain)
    return "needs packed inputs";
  if (c->taps > MOST_TAPS || c->kernel[0] != 1)
    return "has too many taps";
  if (!c->groups || !c->images || !c->out_size)
    return "has nothing to compute";
  g->channels = c->groups;
  g->blocks = (c->groups + WEFT__C0 - 1) / WEFT__C0;
  g->ops = weft__blocked_find(t->host);
  g->nine = is_nine(c, &g->right);
  if (!blocked_depthwise_cut(g, 0) || !blocked_depthwise_cut(g, 1) ||
      g->pieces[0] * g->pieces[1] * c->taps > MOST_TABLE)
    return "has too many kinds of places";
  return blocked_depthwise_steps(g);
}

static const char *blocked_depthwise_refuse(const weft_tiling *t) {
  depthwise g;
  return blocked_depthwise_read(t, &g);
}

static double blocked_depthwise_block_ns(const depthwise *g) {
  if (g->nine)
    return (double)g->b.c.out_size * (0.3 + 12.0 / g->ops->vec) + 6 * (double)g->b.c.out[1];
  return (double)g->b.c.out_size * (0.7 + (double)g->b.c.taps * 2.5 / g->ops->vec) +
         12 * (double)(g->pieces[0] * g->pieces[1]);
}

static double blocked_depthwise_cost(const weft_tiling *t) {
  depthwise g;
  if (blocked_depthwise_read(t, &g) || !g.ops)
    return 1e30;
  return 300 + (double)(g.b.c.images * g.blocks) * blocked_depthwise_block_ns(&g);
}

static weft_status blocked_depthwise_tile(weft_tiling *t) {
  depthwise *g = t->data;
  const char *no = blocked_depthwise_read(t, g);
  if (no)
    return weft_fail(t->d, WEFT_E_KERNEL, "blocked-depthwise: %s", no);
  t->data_bytes = sizeof *g;
  g->x_arg = (uint32_t)g->b.p.arg[0];
  g->w_arg = (uint32_t)g->b.p.arg[1];
  g->y_arg = t->n_in;
  t->pack_bytes[g->w_arg] = g->blocks * g->b.c.taps * WEFT__C0 * sizeof(float);
  t->pack_key[g->w_arg] = UINT64_C(1) << 17;
  t->scratch_bytes = g->pieces[0] * g->pieces[1] * g->b.c.taps * sizeof(weft__tap);
  size_t planes = g->b.c.images * g->blocks;
  size_t per;
  // Twice as many as usual: such layers are short, and a thread that is awake joins in half a microsecond.
  t->blocks = weft__rows_blocks(planes * g->b.c.out[1],
                                2 * blocked_depthwise_block_ns(g) / (double)g->b.c.out[1], &per);
  g->bands = WEFT_MIN(g->b.c.out[1], (2 * t->blocks + planes - 1) / planes);
  if (t->blocks == 1)
    g->bands = 1;
  g->units = planes * g->bands;
  return WEFT_OK;
}

static weft_status blocked_depthwise_pack(const weft_packing *p) {
  const weft_dim *d = p->in->layout.origin.dim;
  const float *w = weft_packing_read(p, 0, p->in->bytes);
  if (!w)
    return WEFT_E_NOMEM;
  size_t channels = (size_t)d[0];
  size_t taps = (size_t)d[2] * (size_t)d[3];
  float *to = p->to;
  for (size_t c = 0; c < channels; c += WEFT__C0) {
    for (size_t t = 0; t < taps; t++) {
      for (size_t k = 0; k < WEFT__C0; k++)
        *to++ = c + k < channels ? w[(c + k) * taps + t] : 0;
    }
  }
  return WEFT_OK;
}

// The taps of a rectangle, as seen from the first of them.
static void find_taps(const depthwise *g, const piece *h, const piece *v, weft__tap *to) {
  const weft__conv_shape *c = &g->b.c;
  for (size_t r = h->t0; r < h->t1; r++) {
    for (size_t q = v->t0; q < v->t1; q++) {
      size_t place = (r - h->t0) * c->dilation[1] * c->in[2] + (q - v->t0) * c->dilation[2];
      *to++ = (weft__tap){(uint32_t)(place * WEFT__C0), (uint32_t)((r * c->kernel[2] + q) * WEFT__C0)};
    }
  }
}

// Places [row0, row1) of piece h by those of piece v; p: what all rectangles of a plane share.
static void rectangle(const depthwise *g, weft__taps p, const piece *h, const piece *v, size_t row0,
                      size_t row1) {
  const weft__conv_shape *c = &g->b.c;
  int64_t top = (int64_t)(row0 * c->stride[1] + h->t0 * c->dilation[1]) - c->begin[1];
  int64_t left = (int64_t)(v->first * c->stride[2] + v->t0 * c->dilation[2]) - c->begin[2];
  p.taps = (size_t)(h->t1 - h->t0) * (v->t1 - v->t0);
  if (p.taps)
    p.x += (size_t)(top * (int64_t)c->in[2] + left) * WEFT__C0;
  p.y += (row0 * c->out[2] + v->first) * WEFT__C0;
  p.rows = row1 - row0;
  p.n = v->n;
  p.x_row = c->stride[1] * c->in[2] * WEFT__C0;
  p.x_step = c->stride[2] * WEFT__C0;
  p.y_row = c->out[2] * WEFT__C0;
  p.y_step = WEFT__C0;
  if (p.n == 1) {  // a column: places of one row are done together
    p.n = p.rows;
    p.rows = 1;
    p.x_step = p.x_row;
    p.y_step = p.y_row;
  }
  g->ops->taps(&p);
}

static void band(const depthwise *g, weft__taps *p, size_t row0, size_t row1) {
  const weft__tap *table = p->tap;
  for (size_t i = 0; i < g->pieces[0]; i++) {
    const piece *h = &g->piece[0][i];
    size_t first = WEFT_MAX(row0, h->first);
    size_t last = WEFT_MIN(row1, h->first + h->n);
    for (size_t j = 0; j < g->pieces[1] && first < last; j++) {
      p->tap = table + (i * g->pieces[1] + j) * g->b.c.taps;
      rectangle(g, *p, h, &g->piece[1][j], first, last);
    }
  }
  p->tap = table;
}

static void nine(const depthwise *g, const weft__taps *p, size_t row0, size_t row1) {
  const weft__conv_shape *c = &g->b.c;
  const float *row[2 * MOST_ROWS + 3];
  weft__nine_rows q = {.row = row,
                       .w = p->w,
                       .bias = p->bias,
                       .n = c->out[2],
                       .stride = c->stride[2],
                       .down = c->stride[1],
                       .left = c->begin[2] == 1,
                       .right = g->right,
                       .low = p->low,
                       .high = p->high};
  for (; row0 < row1; row0 += q.rows) {
    q.rows = WEFT_MIN(row1 - row0, MOST_ROWS);
    for (size_t k = 0; k < (q.rows - 1) * q.down + 3; k++) {
      int64_t r = (int64_t)(row0 * q.down + k) - c->begin[1];
      row[k] = r < 0 || r >= (int64_t)c->in[1] ? NULL : p->x + (size_t)r * c->in[2] * WEFT__C0;
    }
    q.y = p->y + row0 * c->out[2] * WEFT__C0;
    g->ops->nine(&q);
  }
}

static weft_status blocked_depthwise_run(const weft_block *b) {
  const depthwise *g = b->data;
  const weft__conv_shape *c = &g->b.c;
  _Alignas(64) float bias[WEFT__C0];
  weft__tap *table = b->scratch;
  weft__taps p = {.bias = bias, .low = g->low, .high = g->high, .tap = table};
  for (size_t i = 0; i < g->pieces[0] * g->pieces[1] && !g->nine; i++)
    find_taps(g, &g->piece[0][i / g->pieces[1]], &g->piece[1][i % g->pieces[1]], table + i * c->taps);
  for (size_t u = weft__share(g->units, b->block, b->blocks);
       u < weft__share(g->units, b->block + 1, b->blocks); u++) {
    size_t i = u / g->bands;
    size_t row0 = weft__share(c->out[1], u % g->bands, g->bands);
    size_t row1 = weft__share(c->out[1], u % g->bands + 1, g->bands);
    size_t channel = i % g->blocks * WEFT__C0;
    size_t n = WEFT_MIN(WEFT__C0, g->channels - channel);
    const float *z = g->bias >= 0 ? b->arg[g->bias] : NULL;
    for (size_t k = 0; k < WEFT__C0; k++)
      bias[k] = z && k < n ? z[g->one ? 0 : channel + k] : 0;
    p.x = (const float *)b->arg[g->x_arg] + i * c->in_size * WEFT__C0;
    p.w = (const float *)b->arg[g->w_arg] + i % g->blocks * c->taps * WEFT__C0;
    p.y = (float *)b->arg[g->y_arg] + i * c->out_size * WEFT__C0;
    if (g->nine)
      nine(g, &p, row0, row1);
    else
      band(g, &p, row0, row1);
    for (size_t k = row0 * c->out[2]; n < WEFT__C0 && k < row1 * c->out[2]; k++) {
      memset(p.y + k * WEFT__C0 + n, 0,
             (WEFT__C0 - n) * sizeof *p.y);  // a clip may lift what are no channels
    }
  }
  return WEFT_OK;
}

WEFT__BLOCKED_KERNEL(blocked_depthwise_fused, blocked_depthwise, "Fused", "blocked-depthwise");
// SPDX-License-Identifier: Apache-2.0
