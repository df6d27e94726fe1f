// conv_transpose.c - ConvTranspose of float, channels first, over one to three axes, alone and with what
// follows it. With a stride of s every
// s-th output along an axis sums the same taps: each such phase of all axes is a convolution of the input
// with strides of 1, by those taps, backwards, whose outputs lie s apart. A phase runs as conv.c does: panels
// of columns, gathered from the input, times filters packed by phases; the sums of a panel stay in scratch
// until they are complete and are then strewn over the output. No product with zeros is made, and no output
// is added to by two blocks.
//
// As in conv.c, groups with filters that are infinite or NaN are summed number by number where there is
// padding.
#include <math.h>

#include "cpu/conv/conv_columns.h"
#include "cpu/conv/conv_transpose.h"
#include "cpu/rows/polled.h"
#include "cpu/rows/rows_ops.h"

enum { SLICE = 512, MARK = 16, KEY_BITS = 4 };  // MARK: numbers in front of a group

typedef weft__transposed_layout layout;
typedef weft__transposed transposed;

// ---- phases ----
// Taps `first`, first + step, ... of an axis, `apart` places of the input from one to the next.
typedef struct axis {
  size_t phase, first, step, taps, apart;
} axis;
typedef struct phase {
  axis a[3];
  size_t k, at;  // steps of a sum; steps of the phases in front
} phase;

static size_t common_divisor(size_t a, size_t b) {
  while (b) {
    size_t rest = a % b;
    a = b;
    b = rest;
  }
  return a;
}

static axis conv_transpose_axis_of(const layout *f, size_t i, size_t r) {
  size_t s = f->stride[i];
  size_t d = f->dilation[i];
  size_t both = common_divisor(s, d);
  axis a = {.phase = r, .step = s / both, .apart = d / both};
  for (size_t k = 0; k < WEFT_MIN(a.step, f->kernel[i]) && !a.taps; k++) {
    if (k * d % s == r) {
      a.first = k;
      a.taps = (f->kernel[i] - 1 - k) / a.step + 1;
    }
  }
  return a;
}

static phase phase_of(const layout *f, size_t p) {
  phase o = {.k = f->inputs};
  for (size_t i = 3, rest = p; i-- > 0; rest /= f->stride[i]) {
    o.a[i] = conv_transpose_axis_of(f, i, rest % f->stride[i]);
    o.k *= o.a[i].taps;
  }
  return o;
}

// The phase with the place of its filters.
static phase placed_phase(const layout *f, size_t p) {
  size_t at = 0;
  for (size_t q = 0; q < p; q++)
    at += phase_of(f, q).k;
  phase o = phase_of(f, p);
  o.at = at;
  return o;
}

// The phase as a convolution, and its first output along each axis. False: no output is of this phase.
static bool conv_transpose_shape_of(const transposed *g, const phase *p, weft__conv_shape *c,
                                    size_t first[3]) {
  *c = (weft__conv_shape){.images = g->images,
                          .groups = g->f.groups,
                          .inputs = g->f.inputs,
                          .outputs = g->f.outputs,
                          .in_size = g->in_size,
                          .out_size = 1,
                          .taps = 1};
  for (size_t i = 0; i < 3; i++) {
    const axis *a = &p->a[i];
    int64_t s = (int64_t)g->f.stride[i];
    int64_t r = (int64_t)a->phase;
    first[i] = (size_t)(((r - g->begin[i]) % s + s) % s);
    if (first[i] >= g->out[i])
      return false;
    c->in[i] = g->in[i];
    c->out[i] = (g->out[i] - first[i] - 1) / g->f.stride[i] + 1;
    c->kernel[i] = a->taps;
    c->stride[i] = 1;
    c->dilation[i] = a->apart;
    int64_t back = a->taps ? (int64_t)((a->taps - 1) * a->apart) : 0;
    c->begin[i] =
        back + ((int64_t)(a->first * g->f.dilation[i]) - r) / s - ((int64_t)first[i] + g->begin[i] - r) / s;
    c->out_size *= c->out[i];
    c->taps *= c->kernel[i];
  }
  return true;
}

// ---- host side ----
static const char *conv_transpose_refuse(const weft_tiling *t) {
  transposed g;
  memset(&g, 0, sizeof g);
  return weft__transposed_read(t, &g);
}

static double conv_transpose_cost(const weft_tiling *t) {
  transposed g;
  memset(&g, 0, sizeof g);
  if (weft__transposed_read(t, &g) || !weft__product_known(t))
    return 1e30;
  return 1000 + 2 * weft__transposed_macs(&g) / 40 +
         (double)(g.images * g.f.groups * g.f.outputs * g.out_size) / 2;
}

// False: the filters are too many.
static bool cut_filters(layout *f, size_t rows) {
  f->rows = rows;
  f->tiles = (f->outputs + rows - 1) / rows;
  f->height = f->tiles ? (f->outputs + f->tiles - 1) / f->tiles : 1;
  return weft_mul_size(f->tiles * f->height, f->taps, &f->group_size) &&
         weft_mul_size(f->group_size, f->inputs, &f->group_size) && (f->group_size += MARK);
}

// What packing depends on; 0: it does not fit a key.
static uint64_t conv_transpose_key_of(const layout *f) {
  uint64_t key = f->groups << 8 | f->rows;
  if (f->groups >> 16)
    return 0;
  for (size_t i = 0; i < 3; i++) {
    if (f->stride[i] >> KEY_BITS || f->dilation[i] >> KEY_BITS)
      return 0;
    key = key << 2 * KEY_BITS | f->stride[i] << KEY_BITS | f->dilation[i];
  }
  return key;
}

static weft_status conv_transpose_tile(weft_tiling *t) {
  transposed *g = t->data;
  memset(g, 0, sizeof *g);
  const char *no = weft__transposed_read(t, g);
  if (no)
    return weft_fail(t->d, WEFT_E_KERNEL, "conv: %s", no);
  t->data_bytes = sizeof *g;
  g->rows = weft__conv_ops_find(t->host);
  g->ops = weft__gemm_find(t->host);
  g->vec = weft__rows_find(t->host);
  size_t bytes = 0;
  size_t cols = g->ops->cols;
  if (!cut_filters(&g->f, g->ops->rows) ||
      !weft_mul_size(g->f.group_size, g->f.groups * sizeof(float), &bytes) ||
      !weft_mul_size(g->f.tiles * g->f.height, cols * sizeof(float), &t->scratch_bytes)) {
    return weft_fail(t->d, WEFT_E_OVERFLOW, "conv: filters of %zu groups of %zu x %zu are too large",
                     g->f.groups, g->f.inputs, g->f.outputs);
  }
  size_t outer = WEFT_MAX(1, g->images * g->f.groups * g->f.phases);
  size_t each = g->out_size / g->f.phases;
  size_t want = weft__product_blocks(2 * weft__transposed_macs(g), 0, 64);
  g->parts = weft__parts(WEFT_MAX(1, each / cols), want > 1 ? 2 * want : 1, outer);
  g->units = g->out_size && g->f.outputs ? g->images * g->f.groups * g->f.phases * g->parts : 0;
  uint64_t key = conv_transpose_key_of(&g->f);
  g->packed = key && weft__product_may_pack(t, g->w_arg);
  if (g->packed) {
    t->pack_bytes[g->w_arg] = bytes;
    t->pack_key[g->w_arg] = key;
  } else {
    t->phases = 2;
    t->n_workspaces = 1;
    t->workspace_bytes[0] = bytes;
  }
  t->blocks = weft__product_blocks(2 * weft__transposed_macs(g), 0, WEFT_MAX(g->units, 1));
  return WEFT_OK;
}

// ---- filters ----
// Step k of a sum of phase p: where its filters of one group begin, from output to output f->taps apart.
static size_t step_at(const layout *f, const phase *p, size_t k) {
  size_t at = 0;
  size_t taps = p->a[0].taps * p->a[1].taps * p->a[2].taps;
  size_t t = k % taps;
  size_t stride = 1;
  for (size_t i = 3; i-- > 0; t /= p->a[i].taps, stride *= f->kernel[i])
    at += (p->a[i].first + (p->a[i].taps - 1 - t % p->a[i].taps) * p->a[i].step) * stride;
  return k / taps * f->outputs * f->taps + at;
}

static size_t slice_of(const layout *f, const phase *p, bool *out_whole_channels) {
  return weft__conv_slice(&(weft__conv_shape){.inputs = f->inputs, .taps = f->inputs ? p->k / f->inputs : 0},
                          SLICE, out_whole_channels);
}

// One group: phases, of slices, of tiles of equal shares of the outputs, with room for the highest tile.
static void pack_group(const weft__rows_ops *vec, const layout *f, const float *w, float *to) {
  memset(to, 0, MARK * sizeof *to);
  to[0] = vec->below(w, f->inputs * f->outputs * f->taps, INFINITY) ? 0 : 1;
  to += MARK;
  for (size_t n = 0; n < f->phases; n++) {
    phase p = phase_of(f, n);
    bool whole;
    size_t kc = slice_of(f, &p, &whole);
    for (size_t k0 = 0; k0 < p.k; k0 += kc) {
      for (size_t t = 0; t < f->tiles; t++) {
        size_t first = weft__share(f->outputs, t, f->tiles);
        size_t last = weft__share(f->outputs, t + 1, f->tiles);
        for (size_t k = k0; k < WEFT_MIN(k0 + kc, p.k); k++) {
          const float *from = w + step_at(f, &p, k);
          for (size_t r = first; r < first + f->height; r++)
            *to++ = r < last ? from[r * f->taps] : 0;
        }
      }
    }
  }
}

static weft_status conv_transpose_pack(const weft_packing *p) {
  const weft_shape *s = &p->in->layout.origin;
  uint64_t key = p->key;
  layout f = {.taps = 1, .phases = 1};
  for (size_t i = 3; i-- > 0; key >>= 2 * KEY_BITS) {
    bool there = i + s->rank >= 5;
    f.dilation[i] = key & ((1 << KEY_BITS) - 1);
    f.stride[i] = key >> KEY_BITS & ((1 << KEY_BITS) - 1);
    f.kernel[i] = there ? (size_t)s->dim[i + s->rank - 3] : 1;
    f.taps *= f.kernel[i];
    f.phases *= f.stride[i];
  }
  f.groups = key >> 8;
  f.inputs = (size_t)s->dim[0] / f.groups;
  f.outputs = (size_t)s->dim[1];
  if (!cut_filters(&f, key & 0xFF))
    return WEFT_E_OVERFLOW;
  size_t each = f.inputs * f.outputs * f.taps;
  for (size_t g = 0; g < f.groups; g++) {
    const float *w = weft_packing_read(p, g * each * sizeof *w, each * sizeof *w);
    if (!w)
      return WEFT_E_NOMEM;
    pack_group(weft__rows_find(p->host), &f, w, (float *)p->to + g * f.group_size);
  }
  return WEFT_OK;
}

// ---- running ----
typedef struct unit {
  const transposed *g;
  const weft_block *b;
  phase p;
  weft__conv_shape c;
  size_t first[3], image, row;  // first output of the phase; first channel of the group
  size_t kc;
  const float *x, *w;  // w: of the phase
  float *y;
} unit;

// Sums of outputs [row, row + rows) of a group go to scratch: `more`, to what is there.
static void conv_transpose_leave(const unit *u, float *sums, size_t row, size_t rows, size_t n, bool more,
                                 bool last) {
  size_t cols = u->g->ops->cols;
  weft__tile_out o = {.y = (float *)u->b->scratch + row * cols,
                      .y_row = cols,
                      .rows = rows,
                      .cols = n,
                      .batch = u->image,
                      .row = u->row + row,
                      .more = more,
                      .last = last,
                      .e = &u->g->e,
                      .arg = u->b->arg};
  u->g->ops->finish(sums, &o);
}

static weft_status sum_panel(const unit *u, weft__columns *places, size_t n, size_t *work) {
  _Alignas(64) float panel[SLICE * WEFT__GEMM_COLS], sums[WEFT__GEMM_ROWS * WEFT__GEMM_COLS];
  const layout *f = &u->g->f;
  const weft__gemm_ops *ops = u->g->ops;
  for (size_t k0 = 0; k0 < WEFT_MAX(u->p.k, 1); k0 += u->kc) {
    size_t kc = WEFT_MIN(u->kc, u->p.k - k0);
    WEFT_TRY(weft__block_work(u->b, work, kc * ops->cols * f->tiles));
    weft__columns_gather(places, k0, k0 + kc, panel);
    for (size_t i = 0; i < f->tiles; i++) {
      size_t row = weft__share(f->outputs, i, f->tiles);
      size_t rows = weft__share(f->outputs, i + 1, f->tiles) - row;
      const float *a = u->w + (k0 * f->tiles + i * kc) * f->height;
      const weft__ahead ahead = {(const char *)(a + f->height * kc), 64};
      ops->tile[0][n > ops->vec][rows](&(weft__tile_in){kc, a, 1, f->height, panel, ops->cols, ahead}, sums);
      conv_transpose_leave(u, sums, row, rows, n, k0 > 0, k0 + kc == u->p.k);
    }
  }
  return WEFT_OK;
}

static float conv_transpose_filter_at(const void *ctx, size_t row, size_t k) {
  const unit *u = ctx;
  const layout *f = &u->g->f;
  size_t k0 = k / u->kc * u->kc;
  size_t kc = WEFT_MIN(u->kc, u->p.k - k0);
  size_t t = 0;
  while (weft__share(f->outputs, t + 1, f->tiles) <= row)
    t++;
  return u->w[(k0 * f->tiles + t * kc + k - k0) * f->height + row - weft__share(f->outputs, t, f->tiles)];
}

static weft_status sum_exactly(const unit *u, size_t first, size_t n, size_t *work) {
  _Alignas(64) float sums[WEFT__GEMM_COLS] = {0};
  for (size_t row = 0; row < u->g->f.outputs; row++) {
    for (size_t i = 0; i < n; i++) {
      WEFT_TRY(weft__block_work(u->b, work, u->p.k));
      sums[i] = weft__conv_exact(&u->c, u->x, first + i, conv_transpose_filter_at, u, row);
    }
    conv_transpose_leave(u, sums, row, 1, n, false, true);
  }
  return WEFT_OK;
}

// Sums of places [first, first + n) to where they lie in the output.
static void strew(const unit *u, size_t first, size_t n) {
  const transposed *g = u->g;
  const weft__conv_shape *c = &u->c;
  size_t step = g->f.stride[2];
  size_t cols = g->ops->cols;
  for (size_t done = 0, some; done < n; done += some) {
    size_t p = first + done;
    size_t row = p / c->out[2];
    size_t place = p % c->out[2];
    some = WEFT_MIN(c->out[2] - place, n - done);
    size_t d = row / c->out[1] * g->f.stride[0] + u->first[0];
    size_t h = row % c->out[1] * g->f.stride[1] + u->first[1];
    float *y = u->y + (d * g->out[1] + h) * g->out[2] + place * step + u->first[2];
    const float *from = (const float *)u->b->scratch + done;
    for (size_t r = 0; r < g->f.outputs; r++, y += g->out_size, from += cols) {
      if (step == 1)
        memcpy(y, from, some * sizeof *y);
      else if (step == 2) {
        for (size_t j = 0; j < some; j++)
          y[2 * j] = from[j];
      } else {
        for (size_t j = 0; j < some; j++)
          y[j * step] = from[j];
      }
    }
  }
}

static weft_status conv_transpose_run_unit(const transposed *g, const weft_block *b, size_t n, size_t *work) {
  const layout *f = &g->f;
  size_t part = n % g->parts;
  size_t at = n / g->parts % f->phases;
  size_t z = n / g->parts / f->phases;
  size_t group = z % f->groups;
  unit u = {.g = g, .b = b, .p = placed_phase(f, at), .image = z / f->groups, .row = group * f->outputs};
  if (!conv_transpose_shape_of(g, &u.p, &u.c, u.first))
    return WEFT_OK;
  u.x = (const float *)b->arg[g->x_arg] + z * f->inputs * g->in_size;
  u.y = (float *)b->arg[g->y_arg] + z * f->outputs * g->out_size;
  const float *w = (const float *)(g->packed ? b->arg[g->w_arg] : b->workspace[0]) + group * f->group_size;
  u.w = w + MARK + u.p.at * f->tiles * f->height;
  weft__columns places = {.ops = g->rows, .c = &u.c, .x = u.x};
  u.kc = slice_of(f, &u.p, &places.whole_channels);
  bool exact = w[0] != 0 && weft__conv_pads(&u.c);
  size_t cols = g->ops->cols;
  size_t panels = (u.c.out_size + cols - 1) / cols;
  for (size_t j = weft__share(panels, part, g->parts); j < weft__share(panels, part + 1, g->parts); j++) {
    size_t first = j * cols;
    size_t some = WEFT_MIN(cols, u.c.out_size - first);
    places.n = 0;
    weft__columns_add(&places, first, some, 0);
    if (exact)
      WEFT_TRY(sum_exactly(&u, first, some, work));
    else
      WEFT_TRY(sum_panel(&u, &places, some, work));
    strew(&u, first, some);
  }
  return WEFT_OK;
}

static weft_status conv_transpose_run(const weft_block *b) {
  const transposed *g = b->data;
  size_t work = 0;
  if (b->phase == 0 && !g->packed) {
    const layout *f = &g->f;
    for (size_t i = weft__share(f->groups, b->block, b->blocks);
         i < weft__share(f->groups, b->block + 1, b->blocks); i++) {
      pack_group(g->vec, f, (const float *)b->arg[g->w_arg] + i * f->inputs * f->outputs * f->taps,
                 (float *)b->workspace[0] + i * f->group_size);
    }
    return WEFT_OK;
  }
  for (size_t i = weft__share(g->units, b->block, b->blocks);
       i < weft__share(g->units, b->block + 1, b->blocks); i++)
    WEFT_TRY(conv_transpose_run_unit(g, b, i, &work));
  return WEFT_OK;
}

WEFT__PRODUCT_KERNEL(conv_transpose, conv_transpose, "ConvTranspose", "conv");
WEFT__PRODUCT_KERNEL(conv_transpose_fused, conv_transpose, "Fused", "conv-transpose");
// SPDX-License-Identifier: Apache-2.0
