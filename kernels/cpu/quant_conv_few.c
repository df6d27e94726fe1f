// quant_conv_few.c - ConvInteger with few places and long sums, the other way round than quant_conv.c: places
// are rows and filters columns, so that no places are wasted and filters are read once. The input becomes
// lanes of four channels, then tiles of places (signed) with their sums; filters lie in panels of columns
// (unsigned, packed once). Results are turned around as they are stored. Phases: lanes, tiles, sums.
#include "cpu/conv_shape.h"
#include "cpu/quant_lanes.h"

enum { LANES = 0, TILES = 1, NUMBERS = 2, MANY_PLACES = 128, LEAST_SUM = 32 };

typedef struct few {
  const weft__quant_ops *ops;
  weft__quant_input in;
  weft__quant_sum s;
  size_t k, tiles, height, panels, wide, units, group_size, tile_size;
} few;

static const char *read(const weft_tiling *t, few *g) {
  const char *no = weft__quant_conv_read(t, false, &g->s, &g->in);
  const weft__conv_shape *c = &g->in.c;
  if (no || !weft__product_known(t)) return no;
  if (!t->value[g->s.arg[WEFT__SUM_W]]) return "needs constant filters";
  g->ops = weft__quant_find(), g->k = c->inputs * c->taps;
  if (c->out_size > MANY_PLACES || g->k < LEAST_SUM || c->outputs < 2 * g->ops->cols)
    return "needs few places, many filters and long sums";
  size_t vecs = (c->out_size + g->ops->vec - 1) / g->ops->vec;
  return vecs * g->ops->vec * 9 > c->out_size * 10 ? NULL : "needs places that do not fill vectors";
}

static const char *refuse(const weft_tiling *t) {
  few g;
  memset(&g, 0, sizeof g);
  return read(t, &g);
}

static double flops(const few *g) {
  const weft__conv_shape *c = &g->in.c;
  return 2.0 * (double)c->images * (double)c->groups * (double)c->outputs * (double)c->out_size * (double)g->k;
}

static double cost(const weft_tiling *t) {  // below that of quant_conv.c
  few g;
  memset(&g, 0, sizeof g);
  return read(t, &g) ? 1e30 : 1000 + flops(&g) / 80;
}

static weft_status tile(weft_tiling *t) {
  few *g = t->data;
  const char *no = read(t, g);
  if (no) return weft_fail(t->d, WEFT_E_KERNEL, "conv: %s", no);
  t->data_bytes = sizeof *g;
  const weft__conv_shape *c = &g->in.c;
  size_t outer = c->images * c->groups, lanes = 0, tiles = 0, bytes = 0;
  g->tiles = (c->out_size + g->ops->rows - 1) / g->ops->rows;
  g->height = (c->out_size + g->tiles - 1) / g->tiles;
  g->panels = (c->outputs + g->ops->cols - 1) / g->ops->cols, g->wide = g->panels * g->ops->cols;
  g->units = outer * g->panels;
  g->tile_size = g->tiles * g->height * (g->k * g->ops->wide + 1);
  bool fits = weft_mul_size(c->in_size, c->inputs * sizeof(uint32_t), &lanes) &&
              weft_mul_size(lanes, outer, &lanes) &&
              weft_mul_size(g->tile_size, outer * sizeof(int32_t), &tiles) &&
              weft_mul_size(g->wide, g->k + 1, &g->group_size) &&
              weft_mul_size(g->group_size, c->groups * sizeof(uint32_t), &bytes);
  if (!fits)
    return weft_fail(t->d, WEFT_E_OVERFLOW, "conv: %zu groups of %zu x %zu are too large", c->groups,
                     c->outputs, g->k);
  int64_t w = g->s.arg[WEFT__SUM_W];
  t->pack_bytes[w] = bytes;
  t->pack_key[w] = (uint64_t)c->groups << 32 | (uint64_t)1 << 31 | g->ops->cols;
  t->blocks = weft__product_blocks(flops(g), 0, WEFT_MAX(g->units, 1));
  t->phases = 3, t->n_workspaces = 3;
  t->workspace_bytes[LANES] = lanes + 64, t->workspace_bytes[TILES] = tiles + 64;
  t->workspace_bytes[NUMBERS] = c->groups * g->wide * 3 * sizeof(int32_t) + 64;
  return WEFT_OK;
}

// Groups, each: sums of its filters, then panels of quads.
static weft_status pack(const weft_packing *p) {
  const weft_shape *s = &p->in->layout.origin;
  size_t groups = (size_t)(p->key >> 32), cols = p->key & 0xFFFF, channels = (size_t)s->dim[1], taps = 1;
  for (size_t i = 2; i < s->rank; i++) taps *= (size_t)s->dim[i];
  size_t m = (size_t)s->dim[0] / groups, quads = (channels + 3) / 4, wide = (m + cols - 1) / cols * cols;
  uint8_t flip = p->in->dtype == WEFT_INT8 ? 128 : 0;
  int32_t *sums = p->to;
  for (size_t g = 0; g < groups; g++, sums += wide * (quads * taps + 1)) {
    const uint8_t *w = (const uint8_t *)p->in->data + g * m * channels * taps;
    uint8_t *to = (uint8_t *)(sums + wide);
    memset(sums, 0, wide * sizeof *sums);
    for (size_t i = 0; i < m; i++)
      for (size_t k = 0; k < channels * taps; k++) sums[i] += w[i * channels * taps + k] ^ flip;
    for (size_t panel = 0; panel < wide; panel += cols)
      for (size_t q = 0; q < quads * taps; q++)
        for (size_t r = panel; r < panel + cols; r++)
          for (size_t i = 0; i < 4; i++) {
            size_t channel = q / taps * 4 + i;
            *to++ = r < m && channel < channels ? w[(r * channels + channel) * taps + q % taps] ^ flip : 0;
          }
  }
  return WEFT_OK;
}

// Summand, factor of the places' sums, and scale of each filter. Channels that fill up a quad are x_zero, so
// they count as products.
static void numbers(const few *g, const weft_block *b) {
  const weft__conv_shape *c = &g->in.c;
  size_t n = c->groups * g->wide;
  int32_t *add = b->workspace[NUMBERS], *by = add + n;
  float *factor = (float *)(by + n);
  uint32_t zero = (uint32_t)(weft__quant_lane_zero(&g->s, b->arg) - 128);
  memset(add, 0, n * 3 * sizeof *add);
  for (size_t i = 0; i < c->groups * c->outputs; i++) {
    size_t group = i / c->outputs, at = group * g->wide + i % c->outputs;
    const int32_t *sum = (const int32_t *)b->arg[g->s.arg[WEFT__SUM_W]] + group * g->group_size;
    uint32_t w_zero = (uint32_t)(weft__quant_w_zero(&g->s, b->arg, i) + (g->s.w_signed ? 128 : 0));
    uint32_t bias = (uint32_t)weft__quant_bias(&g->s, b->arg, i);
    add[at] = (int32_t)(bias - zero * (uint32_t)sum[i % c->outputs] + (uint32_t)(4 * g->k) * zero * w_zero);
    by[at] = (int32_t)(0 - w_zero);
    if (g->s.bytes) factor[at] = weft__quant_scale(&g->s, b->arg, i);
  }
}

// One tile of places of one group of one image.
static void make_tile(const few *g, const weft_block *b, size_t z, size_t t) {
  const weft__conv_shape *c = &g->c_;
  (void)c, (void)b, (void)z, (void)t;
}
