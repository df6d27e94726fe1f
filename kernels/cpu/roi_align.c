// roi_align.c - RoiAlign of float: which numbers of a plane the samples of a region's outputs are made of is
// worked out once, in double as the operator's own rule says, and used for all channels. Samples that are
// more than fit a list are taken list by list.
#include <math.h>

#include "cpu/product.h"
#include "cpu/rows.h"

enum { PLACE, MODE, HEIGHT, WIDTH, RATIO, SCALE };
enum { CORNERS = 4 };
typedef struct plan {
  size_t images, channels, regions, high, wide, pieces;  // pieces: of a region's outputs
  int64_t h, w;
  double scale, ratio;
  bool half, most;  // most: the largest corner of all samples, not their average
  weft_dtype index;
  const weft__vec *vec;
} plan;
// A region: its corner, what an output covers, samples of an output along both axes.
typedef struct region {
  double y, x, high, wide, ny, nx;
} region;

static const char *read(const weft_tiling *t, plan *g) {
  const weft_op_desc *n = t->desc;
  const char *why = weft__rows_f32(t, 2), *mode = weft_node_str(n, MODE), *at = weft_node_str(n, PLACE);
  memset(g, 0, sizeof *g);
  if (why) return why;
  if (t->n_in != 3 || (t->in_dtype[2] != WEFT_INT32 && t->in_dtype[2] != WEFT_INT64))
    return "needs the images' numbers";
  if (!mode || !at) return "no mode";
  const weft_shape *x = &t->in[0]->origin, *y = &t->out[0]->origin;
  g->images = (size_t)x->dim[0], g->channels = (size_t)x->dim[1], g->h = x->dim[2], g->w = x->dim[3];
  g->regions = (size_t)y->dim[0], g->high = (size_t)y->dim[2], g->wide = (size_t)y->dim[3];
  g->scale = (double)weft_node_float(n, SCALE), g->ratio = (double)weft_node_int(n, RATIO);
  g->half = !strcmp(at, "half_pixel"), g->most = !strcmp(mode, "max"), g->index = t->in_dtype[2],
  g->vec = weft__vec_find();
  if (g->h < 1 || g->w < 1 || g->h * g->w > INT32_MAX || !g->regions || !g->channels)
    return "nothing to sample, or too much";
  g->pieces = (g->high * g->wide + WEFT__GATHERED - 1) / WEFT__GATHERED;
  return NULL;
}

static const char *refuse_roi_align(const weft_tiling *t) {
  plan g;
  return read(t, &g);
}

static weft_status tile_roi_align(weft_tiling *t) {
  plan *g = t->data;
  const char *why = read(t, g);
  if (why) return t->host->fail(t->d, WEFT_E_KERNEL, "%s", why);
  size_t per;
  double samples = g->ratio > 0 ? g->ratio * g->ratio : 4;
  t->data_bytes = sizeof *g, t->scratch_bytes = sizeof(weft__gathered);
  t->blocks = weft__rows_blocks(g->regions * g->pieces,
                                WEFT__GATHERED * samples * (double)(10 + 2 * g->channels), &per);
  return WEFT_OK;
}

static weft_status find_region(const plan *g, const weft_block *b, size_t r, region *out) {
  const float *box = (const float *)b->arg[1] + 4 * r;
  double shift = g->half ? 0.5 : 0, x = (double)box[0] * g->scale - shift,
         y = (double)box[1] * g->scale - shift;
  double wide = (double)box[2] * g->scale - shift - x, high = (double)box[3] * g->scale - shift - y;
  if (!g->half) wide = WEFT_MAX(wide, 1), high = WEFT_MAX(high, 1);
  wide /= (double)g->wide, high /= (double)g->high;
  *out = (region){.y = y, .x = x, .high = high, .wide = wide};
  out->ny = g->ratio > 0 ? g->ratio : ceil((double)(float)high);
  out->nx = g->ratio > 0 ? g->ratio : ceil((double)(float)wide);
  out->ny = WEFT_MAX(out->ny, 0), out->nx = WEFT_MAX(out->nx, 0);
  return out->ny * out->nx <= 0x1p24 ? WEFT_OK : WEFT_E_RANGE;
}

// The corners of sample (i, k) of an output, as taps [t, t + 4) of number `at` of the list.
static void corners(const plan *g, double y, double x, double by, weft__gathered *to, size_t t, size_t at) {
  bool inside = y >= -1 && y <= (double)g->h && x >= -1 && x <= (double)g->w;
  y = WEFT_MAX(y, 0), x = WEFT_MAX(x, 0);
  int64_t y0 = inside ? WEFT_MIN((int64_t)y, g->h - 1) : 0, x0 = inside ? WEFT_MIN((int64_t)x, g->w - 1) : 0,
          y1 = WEFT_MIN(y0 + 1, g->h - 1), x1 = WEFT_MIN(x0 + 1, g->w - 1);
  double ly = y0 < y1 ? y - (double)y0 : 0, lx = x0 < x1 ? x - (double)x0 : 0;
  const double weight[CORNERS] = {(1 - ly) * (1 - lx), (1 - ly) * lx, ly * (1 - lx), ly * lx};
  const int64_t from[CORNERS] = {y0 * g->w + x0, y0 * g->w + x1, y1 * g->w + x0, y1 * g->w + x1};
  for (size_t k = 0; k < CORNERS; k++)
    to->at[t + k][at] = (uint32_t)from[k], to->w[t + k][at] = inside ? (float)(weight[k] / by) : 0;
}

// Samples [first, last) of outputs [from, from + n) of a region.
static void list(const plan *g, const region *r, size_t first, size_t last, size_t from, size_t n,
                 weft__gathered *to) {
  size_t nx = (size_t)r->nx;
  to->taps = (last - first) * CORNERS;
  for (size_t s = first; s < last; s++)
    for (size_t i = 0; i < n; i++) {
      double row = (double)((from + i) / g->wide), column = (double)((from + i) % g->wide);
      double y = r->y + row * r->high + ((double)(s / nx) + 0.5) * r->high / r->ny,
             x = r->x + column * r->wide + ((double)(s % nx) + 0.5) * r->wide / r->nx;
      corners(g, y, x, g->most ? 1 : r->ny * r->nx, to, (s - first) * CORNERS, i);
    }
}

static weft_status run_piece(const plan *g, const weft_block *b, size_t at, size_t piece) {
  enum { SAMPLES = WEFT__GATHERED_TAPS / CORNERS };
  size_t spots = g->high * g->wide, from = piece * WEFT__GATHERED, n = WEFT_MIN(WEFT__GATHERED, spots - from),
         plane = (size_t)(g->h * g->w);
  int64_t image = weft_load_i64(g->index, b->arg[2], at);
  region r;
  if (image < 0 || image >= (int64_t)g->images) return WEFT_E_RANGE;
  WEFT_TRY(find_region(g, b, at, &r));
  const float *x = (const float *)b->arg[0] + (size_t)image * g->channels * plane;
  float *y = (float *)b->arg[3] + at * g->channels * spots + from;
  size_t samples = (size_t)(r.ny * r.nx), first = 0;
  do {  // once without samples, too
    size_t last = WEFT_MIN(first + SAMPLES, samples);
    list(g, &r, first, last, from, n, b->scratch);
    for (size_t c = 0; c < g->channels; c++)
      (g->most ? g->vec->gathered_most : g->vec->gathered)(x + c * plane, b->scratch, y + c * spots, n,
                                                           first > 0);
    first = last;
  } while (first < samples);
  return WEFT_OK;
}

static weft_status run_roi_align(const weft_block *b) {
  const plan *g = b->data;
  size_t units = g->regions * g->pieces, last = weft__share(units, b->block + 1, b->blocks);
  for (size_t u = weft__share(units, b->block, b->blocks); u < last; u++)
    WEFT_TRY(run_piece(g, b, u / g->pieces, u % g->pieces));
  return WEFT_OK;
}

WEFT_ROWS_KERNEL(roi_align, "RoiAlign", "gathered", sizeof(plan));
