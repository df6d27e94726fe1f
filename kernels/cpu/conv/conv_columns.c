// conv_columns.c - see conv_columns.h. A tap's columns are pieces of rows of the input, the same for all
// channels: found once, then read channel after channel.
#include "cpu/conv/conv_columns.h"

bool weft__conv_pads(const weft__conv_shape *c) {
  for (size_t i = 0; i < 3; i++) {
    int64_t last =
        (int64_t)((c->out[i] - 1) * c->stride[i] + (c->kernel[i] - 1) * c->dilation[i]) - c->begin[i];
    if (c->begin[i] > 0 || last >= (int64_t)c->in[i])
      return true;
  }
  return false;
}

void weft__conv_one_row(weft__conv_shape *c) {
  for (size_t i = 1; i < 3; i++) {
    const bool own_place = c->in[i] == c->out[i] && !c->begin[i];
    if (c->stride[i] != 1 || !own_place)
      return;
  }
  if (c->taps != 1 || weft__conv_pads(c))
    return;
  c->in[2] *= c->in[1];
  c->out[2] = c->in[2];
  c->in[1] = c->out[1] = 1;
}

size_t weft__conv_slice(const weft__conv_shape *c, size_t most, bool *out_whole_channels) {
  size_t k = c->inputs * c->taps;
  size_t each = c->taps ? most / c->taps : 0;
  *out_whole_channels = each > 0;
  size_t all = each ? c->inputs : k;
  size_t parts = each ? (all + each - 1) / each : (all + most - 1) / most;
  size_t n = parts ? (all + parts - 1) / parts : 1;
  return WEFT_MAX(1, each ? n * c->taps : n);
}

void weft__columns_add(weft__columns *o, size_t first, size_t n, size_t at) {
  const weft__conv_shape *c = o->c;
  for (size_t done = 0; done < n;) {
    size_t p = first + done;
    size_t row = p / c->out[2];
    size_t place = p % c->out[2];
    weft__row_piece *r = &o->row[o->n++];
    r->at = at + done;
    r->n = WEFT_MIN(c->out[2] - place, n - done);
    r->d = (int64_t)(row / c->out[1] * c->stride[0]) - c->begin[0];
    r->h = (int64_t)(row % c->out[1] * c->stride[1]) - c->begin[1];
    r->w = (int64_t)(place * c->stride[2]) - c->begin[2];
    done += r->n;
  }
}

// The pieces of tap (i, j, w). Returns whether all of all rows is inside.
static bool find_pieces(const weft__columns *o, size_t i, size_t j, size_t w, weft__piece *out,
                        size_t *out_n) {
  const weft__conv_shape *c = o->c;
  const int64_t stride = (int64_t)c->stride[2];
  bool whole = true;
  size_t n = 0;
  for (size_t k = 0; k < o->n; k++) {
    const weft__row_piece *r = &o->row[k];
    int64_t d = r->d + (int64_t)(i * c->dilation[0]);
    int64_t h = r->h + (int64_t)(j * c->dilation[1]);
    int64_t first = r->w + (int64_t)(w * c->dilation[2]);
    int64_t low;
    int64_t high;
    weft__conv_inside(first, stride, (int64_t)c->in[2], (int64_t)r->n, &low, &high);
    const bool in_plane = d >= 0 && d < (int64_t)c->in[0];
    const bool in_line = h >= 0 && h < (int64_t)c->in[1];
    const bool inside = in_plane && in_line && low < high;
    whole &= inside && high - low == (int64_t)r->n;
    if (!inside)
      continue;
    int64_t at = (d * (int64_t)c->in[1] + h) * (int64_t)c->in[2] + first + low * stride;
    out[n++] = (weft__piece){o->x + at, (uint32_t)(r->at + (size_t)low), (uint32_t)(r->at + (size_t)low),
                             (uint32_t)(r->at + (size_t)high)};
  }
  *out_n = n;
  return whole;
}

// Rows [k0, k1) of a panel: a tap of all channels at a time, or a row of taps where all of them are inside.
void weft__columns_gather(const weft__columns *o, size_t k0, size_t k1, float *to) {
  const weft__conv_shape *c = o->c;
  size_t wide = o->ops->cols;
  size_t t = 0;
  size_t ignored;
  weft__piece piece[WEFT__GEMM_COLS];
  weft__piece last[WEFT__GEMM_COLS];
  weft__gather s = {.piece = piece,
                    .stride = c->stride[2],
                    .src_outer = c->in_size,
                    .dst_outer = c->taps * wide,
                    .src_inner = c->dilation[2],
                    .dst_inner = wide};
  if (k0 >= k1)
    return;  // taps of no channel: as many as the kernel's shape claims
  for (size_t i = 0; i < c->kernel[0]; i++) {
    for (size_t j = 0; j < c->kernel[1]; j++) {
      for (size_t w = 0; w < c->kernel[2]; w += s.inner, t += s.inner) {
        size_t c0 = k0 > t ? (k0 - t + c->taps - 1) / c->taps : 0;
        size_t c1 = k1 > t ? (k1 - t + c->taps - 1) / c->taps : 0;
        s.inner = 1;
        s.outer = c1 > c0 ? c1 - c0 : 0;
        if (!s.outer)
          continue;
        bool whole = find_pieces(o, i, j, w, piece, &s.n);
        if (whole && !w && o->whole_channels && find_pieces(o, i, j, c->kernel[2] - 1, last, &ignored))
          s.inner = c->kernel[2];
        for (size_t k = 0; k < s.n; k++)
          piece[k].src += c0 * c->in_size;
        o->ops->gather(to + (c0 * c->taps + t - k0) * wide, &s);
      }
    }
  }
}

float weft__conv_exact(const weft__conv_shape *c, const float *x, size_t place,
                       float (*filter)(const void *ctx, size_t row, size_t k), const void *ctx, size_t row) {
  size_t p[3] = {place / c->out[2] / c->out[1], place / c->out[2] % c->out[1], place % c->out[2]};
  double sum = 0;
  for (size_t k = 0; k < c->inputs * c->taps; k++) {
    size_t at;
    if (weft__conv_tap_at(c, p, k % c->taps, &at))
      sum += (double)x[k / c->taps * c->in_size + at] * (double)filter(ctx, row, k);
  }
  return (float)sum;
}
// SPDX-License-Identifier: Apache-2.0
