// quant_region.c - see quant_region.h.
#include "cpu/quant/quant_region.h"

#include "cpu/quant/quant_blocked.h"
#include "cpu/rows/rows.h"

enum { BLENDED_NS = 6 };  // of 64 bytes

// Bytes all stored the same way, packed ones in NC1HWC0 with C0 = 32.
static bool quant_region_packed(const weft_tiling *t, const weft__quant_region *r) {
  return t->in_format && weft__is_blocked_bytes(t->in_format[r->a]) &&
         weft__is_blocked_bytes(t->in_format[r->b]) && weft__is_blocked_bytes(t->out_format[0]);
}

const char *weft__quant_region_refuse(const weft_tiling *t, const weft__quant_region *r) {
  const weft_shape *a = &t->in[r->a]->origin;
  const weft_shape *b = &t->in[r->b]->origin;
  const weft_shape *y = &t->out[0]->origin;
  if (!weft_shape_is_known(a) || !weft_shape_is_known(b) || !weft_shape_is_known(y))
    return NULL;
  if (!quant_region_packed(t, r) && !weft__rows_plain(t))
    return "needs plain layouts, or NC1HWC0 with C0 = 32";
  return weft_shape_equal(a, y) && weft_shape_equal(b, y) ? NULL : "broadcasts";
}

void weft__quant_region_measure(const weft_tiling *t, weft__quant_region *r) {
  const weft_shape *y = &t->out[0]->origin;
  r->ops = weft__quant_find(t->host);
  r->n = weft__rows_prod(y, 0, y->rank);
  if (!quant_region_packed(t, r))
    return;
  r->channels = (size_t)y->dim[1];
  r->places = (size_t)y->dim[2] * (size_t)y->dim[3];
  r->n = (size_t)y->dim[0] * weft__quant_blocked_bytes(r->channels, r->places);
}

void weft__quant_region_cut(weft_tiling *t, weft__quant_region *r, double ns) {
  t->blocks = weft__rows_blocks((r->n + 63) / 64, r->blends ? BLENDED_NS : ns, &r->per);
  r->per *= 64;
  r->y = t->n_in;
  t->overwrite = 1u << r->a | 1u << r->b;
}

// Lanes that are no channels are 0 again afterwards.
weft_status weft__quant_region_run(const weft_block *b, const weft__quant_region *r,
                                   weft__quant_pair_fn pair) {
  const size_t first = b->block * r->per;
  const size_t last = WEFT_MIN(first + r->per, r->n);
  if (first >= last)
    return WEFT_OK;
  const uint8_t *x = (const uint8_t *)b->arg[r->a] + first;
  const uint8_t *v = (const uint8_t *)b->arg[r->b] + first;
  uint8_t *y = (uint8_t *)b->arg[r->y] + first;
  if (r->blends)
    r->ops->blend(x, v, last - first, &r->m, y);
  else
    pair(r, x, v, last - first, y);
  if (r->channels) {
    weft__quant_blocked_clear(b->arg[r->y], first / WEFT__BYTES_C0, last / WEFT__BYTES_C0, r->channels,
                              r->places);
  }
  return WEFT_OK;
}
// SPDX-License-Identifier: Apache-2.0
