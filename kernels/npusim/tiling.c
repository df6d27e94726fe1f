// tiling.c - what the tiling functions of the simulated NPU share.
#include "npusim/npusim.h"

int64_t weft__npusim_elems(const weft_shape *s) {
  int64_t n;
  return weft_shape_elems(s, &n) ? -1 : n;
}

static bool tiling_fits(const weft_layout *l) {
  return weft_shape_is_known(&l->origin) && weft_shape_equal(&l->origin, &l->storage);
}

const char *weft__npusim_plain(const weft_tiling *t, weft_dtype dtype) {
  for (uint32_t i = 0; i < t->n_in + t->n_out; i++) {
    const weft_layout *l = i < t->n_in ? t->in[i] : t->out[i - t->n_in];
    if (dtype != WEFT_UNDEFINED && (i < t->n_in ? t->in_dtype[i] : t->out_dtype[i - t->n_in]) != dtype)
      return dtype == WEFT_FLOAT ? "needs float" : "needs another dtype";
    if (!weft_shape_is_known(&l->origin))
      return "needs shapes that are known when compiling";
    if (!tiling_fits(l))
      return "needs plain formats";
  }
  return NULL;
}

uint32_t weft__npusim_cut(int64_t n, int64_t least, int64_t *out_each) {
  int64_t blocks = (n + least - 1) / least;
  blocks = WEFT_MAX(1, WEFT_MIN(blocks, NPUSIM_CORES));
  *out_each = (n + blocks - 1) / blocks;
  return (uint32_t)(*out_each ? (n + *out_each - 1) / *out_each : 1);
}
// SPDX-License-Identifier: Apache-2.0
