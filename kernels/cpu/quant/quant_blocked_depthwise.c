// quant_blocked_depthwise.c - depthwise ConvInteger to bytes in NC1HWC0: 32 channels of a place at a time,
// four taps mixed into the lanes of a quad. A band of rows of a block of channels is copied first with its
// padding of zero points (signed bytes become unsigned), into room that stays in the nearest caches, so that
// all places have all taps. The input needs to be packed.
//
// Of a 3 x 3 filter a quad is a column of taps, and one of four rows serves two rows of the output: the first
// three taps for one and the last three for the other.
#include "cpu/conv/conv_columns.h"
#include "cpu/quant/quant_blocked.h"
#include "cpu/rows/rows.h"

enum { C0 = WEFT__BYTES_C0, MOST_TAPS = 256, STRIP = 48 * 1024, MOST_STRIP = 4 * 1024 * 1024, COLUMN = 3 };

typedef struct qdepthwise {
  const weft__quant_ops *ops;
  weft__quant_blocked q;
  uint32_t x_arg, w_arg;
  size_t channels, blocks, quads;  // blocks: of channels
  size_t cols, bands, units;       // of the copy; of rows of a plane
  size_t lanes, filters;           // of a quad of taps of a block of channels; sums in front of the quads
  bool columns, pairs;             // quads are columns of taps; rows of the output go in pairs
  uint32_t at[MOST_TAPS], at_pair[4 * COLUMN];
} qdepthwise;

// Number of the tap in a place of a quad; `taps`: none.
static size_t tap_of(size_t quad, size_t i, bool columns, size_t taps) {
  if (columns)
    return i < COLUMN ? i * COLUMN + quad : taps;
  return WEFT_MIN(4 * quad + i, taps);
}

static size_t quant_blocked_depthwise_rows_of(const weft__conv_shape *c,
                                              size_t rows) {  // of the input for so many of the output
  return (rows - 1) * c->stride[1] + (c->kernel[1] - 1) * c->dilation[1] + 1;
}
static size_t cols_of(const weft__conv_shape *c) {
  return (c->out[2] - 1) * c->stride[2] + (c->kernel[2] - 1) * c->dilation[2] + 1;
}

static const char *quant_blocked_depthwise_read(const weft_tiling *t, weft__quant_blocked *q) {
  const char *no = weft__quant_blocked_read(t, q);
  if (no || !weft__product_known(t))
    return no;
  const weft__conv_shape *c = &q->c;
  if (c->inputs != 1 || c->outputs != 1)
    return "is not depthwise";
  if (q->from_plain)
    return "needs packed inputs";
  if (c->taps > MOST_TAPS - 4 || c->kernel[0] != 1)
    return "has too many taps";
  if (c->out[2] < 2)
    return "needs rows of two places";
  size_t row;
  if (!weft_mul_size(cols_of(c), quant_blocked_depthwise_rows_of(c, 1) * C0, &row) || row > MOST_STRIP)
    return "has rows that are too long";
  return NULL;
}

static const char *quant_blocked_depthwise_refuse(const weft_tiling *t) {
  weft__quant_blocked q;
  return quant_blocked_depthwise_read(t, &q);
}

static double quant_blocked_depthwise_block_ns(const weft__conv_shape *c) {  // of a block of channels
  return (double)c->out_size * C0 * (double)(c->taps + 3) / 800 + (double)c->in_size * C0 / 60;
}

static double quant_blocked_depthwise_cost(const weft_tiling *t) {
  weft__quant_blocked q;
  if (quant_blocked_depthwise_read(t, &q) || !weft__product_known(t))
    return 1e30;
  return 300 + (double)(q.c.images * ((q.c.groups + C0 - 1) / C0)) * quant_blocked_depthwise_block_ns(&q.c);
}

static void find_taps(qdepthwise *g) {
  const weft__conv_shape *c = &g->q.c;
  g->columns = c->kernel[1] == COLUMN && c->kernel[2] == COLUMN;
  g->pairs = g->columns && c->stride[1] == 1 && c->stride[2] == 1 && c->dilation[1] == 1;
  for (size_t k = 0; k < 4 * g->quads; k++) {
    size_t tap = tap_of(k / 4, k % 4, g->columns, c->taps);
    size_t down;
    size_t across;
    if (tap == c->taps)
      tap = 0;  // counts nothing
    down = tap / c->kernel[2] * c->dilation[1], across = tap % c->kernel[2] * c->dilation[2];
    g->at[k] = (uint32_t)((down * g->cols + across) * C0);
    if (g->pairs)
      g->at_pair[k] = (uint32_t)((k % 4 * g->cols + k / 4 * c->dilation[2]) * C0);
  }
}

static weft_status quant_blocked_depthwise_tile(weft_tiling *t) {
  qdepthwise *g = t->data;
  const char *no = quant_blocked_depthwise_read(t, &g->q);
  if (no)
    return weft_fail(t->d, WEFT_E_KERNEL, "blocked-depthwise-bytes: %s", no);
  const weft__conv_shape *c = &g->q.c;
  t->data_bytes = sizeof *g;
  g->ops = weft__quant_find(t->host);
  g->x_arg = (uint32_t)g->q.s.arg[WEFT__SUM_X];
  g->w_arg = (uint32_t)g->q.s.arg[WEFT__SUM_W];
  g->channels = c->groups;
  g->blocks = (g->channels + C0 - 1) / C0;
  g->quads = (c->taps + 3) / 4;
  g->cols = cols_of(c);
  g->lanes = WEFT_MAX(4 * g->ops->vec, C0);
  g->filters = g->blocks * C0;
  find_taps(g);
  size_t planes = c->images * g->blocks;
  size_t per;
  size_t row = g->cols * C0;
  t->blocks = weft__rows_blocks(planes * c->out[1],
                                12 * quant_blocked_depthwise_block_ns(c) / (double)c->out[1], &per);
  g->bands = t->blocks == 1 ? 1 : WEFT_MIN(c->out[1], (2 * t->blocks + planes - 1) / planes);
  size_t most = WEFT_MAX(1, STRIP / row / c->stride[1]);  // rows of a band, about
  g->bands = WEFT_MAX(g->bands, (c->out[1] + most - 1) / most);
  g->units = planes * g->bands;
  size_t quads = g->blocks * g->quads * g->lanes;
  t->pack_bytes[g->w_arg] = (g->filters + (g->columns ? 2 : 1) * quads) * sizeof(int32_t);
  t->pack_key[g->w_arg] = UINT64_C(1) << 17 | g->ops->vec;
  t->scratch_bytes = quant_blocked_depthwise_rows_of(c, (c->out[1] + g->bands - 1) / g->bands) * row;
  return WEFT_OK;
}

// Sums of the filters, then quads of taps of each block of channels; of columns of taps then the same, each
// tap one row further down.
static weft_status quant_blocked_depthwise_pack(const weft_packing *p) {
  const weft_dim *d = p->in->layout.origin.dim;
  const uint8_t *w = weft_packing_read(p, 0, p->in->bytes);
  if (!w)
    return WEFT_E_NOMEM;
  uint8_t flip = p->in->dtype == WEFT_UINT8 ? 128 : 0;
  size_t channels = (size_t)d[0];
  size_t taps = (size_t)d[2] * (size_t)d[3];
  size_t vec = p->key & 0xFF;
  size_t half = WEFT_MIN(4 * vec, C0);
  size_t blocks = (channels + C0 - 1) / C0;
  size_t quads = (taps + 3) / 4;
  bool columns = d[2] == COLUMN && d[3] == COLUMN;
  int32_t *sum = p->to;
  int32_t *to = sum + blocks * C0;
  memset(sum, 0, blocks * C0 * sizeof *sum);
  for (size_t c = 0; c < channels; c++) {
    for (size_t k = 0; k < taps; k++)
      sum[c] += (int8_t)(w[c * taps + k] ^ flip);
  }
  for (size_t down = 0; down < (columns ? 2 : 1); down++) {
    for (size_t first = 0; first < blocks * C0; first += half) {
      for (size_t q = 0; q < quads; q++) {
        for (size_t j = 0; j < 4 * vec; j++, to++) {
          size_t c = first + weft__quant_tap_lane(j, vec);
          uint8_t b[4] = {0};
          for (size_t k = down; c < channels && k < 4; k++) {
            size_t tap = tap_of(q, k - down, columns, taps);
            if (tap < taps)
              b[k] = w[c * taps + tap] ^ flip;
          }
          memcpy(to, b, sizeof b);
        }
      }
    }
  }
  return WEFT_OK;
}

// The panels of a block of channels: one, two where a vector of bytes is half a block; `rows` is where their
// numbers go.
static void make_panels(const qdepthwise *g, const weft_block *b, size_t block, int32_t *rows,
                        weft__quant_panel *to) {
  size_t all = 4 * g->ops->vec;
  size_t channel = block * C0;
  size_t n = WEFT_MIN(C0, g->channels - channel);
  weft__quant_numbers numbers;
  weft__quant_blocked_numbers(&g->q, b->arg, channel, n, (const int32_t *)b->arg[g->w_arg] + channel,
                              &numbers);
  for (size_t first = 0; first < C0; first += all, to++, rows += WEFT__QUANT_PANEL_ROWS * all) {
    weft__quant_blocked_bounds(&g->q.s, b->arg, n > first ? n - first : 0, WEFT_MIN(all, C0), to);
    weft__quant_blocked_rows(&g->q.s, rows, all, to);
    for (size_t j = 0; j < all; j += 4) {
      const size_t from = first + weft__quant_tap_lane(j, g->ops->vec);
      weft__quant_blocked_put(&g->q.s, &numbers, from, rows + j, all);
    }
  }
}

static void quant_blocked_depthwise_run_unit(const qdepthwise *g, const weft_block *b, size_t u) {
  const weft__conv_shape *c = &g->q.c;
  size_t plane = u / g->bands;
  size_t block = plane % g->blocks;
  size_t row0 = weft__share(c->out[1], u % g->bands, g->bands);
  size_t row1 = weft__share(c->out[1], u % g->bands + 1, g->bands);
  size_t row = g->cols * C0;
  weft__quant_panel panels[C0 / 16];
  _Alignas(64) int32_t rows[WEFT__QUANT_PANEL_ROWS * 2 * C0];
  make_panels(g, b, block, rows, panels);
  const weft__quant_plane p = {.ops = g->ops,
                               .lane = C0,
                               .each = 1,
                               .in = {c->in[1], c->in[2]},
                               .begin = {c->begin[1], c->begin[2]},
                               .cols = g->cols,
                               .flip = weft__quant_flip(&g->q.s, g->q.s.x_signed),
                               .pad = (uint8_t)weft__quant_lane_zero(&g->q.s, b->arg)};
  uint8_t *copy = b->scratch;
  size_t first = row0 * c->stride[1];
  weft__quant_blocked_copy(&p, (const uint8_t *)b->arg[g->x_arg] + plane * c->in_size * C0, first,
                           first + quant_blocked_depthwise_rows_of(c, row1 - row0), copy);
  weft__quant_taps t = {.x_step = c->stride[2] * C0,
                        .at = g->at,
                        .quads = g->quads,
                        .w = (const int32_t *)b->arg[g->w_arg] + g->filters + block * g->quads * g->lanes,
                        .panel = panels,
                        .n = c->out[2],
                        .y_down = c->out[2] * C0};
  if (g->pairs)
    t.w_down = t.w + g->blocks * g->quads * g->lanes;
  for (size_t r = row0, n; r < row1; r += n) {
    n = g->pairs && r + 1 < row1 ? 2 : 1;
    t.x = copy + (r - row0) * c->stride[1] * row;
    t.y = (uint8_t *)b->arg[g->q.s.y_arg] + (plane * c->out_size + r * c->out[2]) * C0;
    t.at = n > 1 ? g->at_pair : g->at;
    (n > 1 ? g->ops->packed_taps_rows : g->ops->packed_taps)(&t);
  }
}

static weft_status quant_blocked_depthwise_run(const weft_block *b) {
  const qdepthwise *g = b->data;
  for (size_t i = weft__share(g->units, b->block, b->blocks);
       i < weft__share(g->units, b->block + 1, b->blocks); i++)
    quant_blocked_depthwise_run_unit(g, b, i);
  return WEFT_OK;
}

WEFT__QUANT_BLOCKED_KERNEL(quant_blocked_depthwise, quant_blocked_depthwise, "Fused",
                           "blocked-depthwise-bytes");
// SPDX-License-Identifier: Apache-2.0
