// blocked_move.c - TransData between plain tensors of rank 4 with channels first and NC1HWC0: a transposition
// of a block of channels by all places for each block, of 16 channels of 16 or 32 bits or of 32 bytes.
#include "cpu/blocked/blocked.h"
#include "cpu/move/move_ops.h"
#include "cpu/rows/rows.h"

typedef struct plan {
  const weft__move_ops *vec;
  size_t images, channels, places, blocks, per;
  size_t bytes, turn, block;  // of a number; which of weft__move_ops.turn; channels of a block
  bool pack;
} plan;

static bool blocked_move_is_plain(weft_format f) {
  return weft_format_primary(f) == WEFT_NCHW || weft_format_primary(f) == WEFT_ND;
}

static bool blocked_move_is_packed(weft_format f, uint32_t bits) {
  return bits == 8 ? weft__is_blocked_bytes(f) : weft__is_blocked(f);
}

static const char *blocked_move_refuse(const weft_tiling *t) {
  if (!t->in_format || t->n_in != 1 || t->n_out != 1)
    return "needs one input, one output";
  uint32_t bits = weft_dtype_bits(t->in_dtype[0]);
  if ((bits != 8 && bits != 16 && bits != 32) || t->in_dtype[0] != t->out_dtype[0])
    return "needs numbers of 8, 16 or 32 bits";
  bool pack = blocked_move_is_plain(t->in_format[0]) && blocked_move_is_packed(t->out_format[0], bits);
  if (!pack && !(blocked_move_is_packed(t->in_format[0], bits) && blocked_move_is_plain(t->out_format[0])))
    return "is from or to NC1HWC0 with C0 = 16, of bytes 32, and channels first";
  const weft_shape *s = &t->in[0]->origin;
  if (!weft_shape_is_known(s) || s->rank != 4)
    return "needs rank 4";
  return NULL;
}

static double blocked_move_cost(const weft_tiling *t) {
  int64_t n = 0;
  if (weft_shape_elems(&t->in[0]->storage, &n))
    return 1e30;
  return 500 + (double)n * (double)weft_dtype_bits(t->in_dtype[0]) / 4 / 12;
}

static weft_status blocked_move_tile(weft_tiling *t) {
  plan *p = t->data;
  const char *no = blocked_move_refuse(t);
  if (no)
    return t->host->fail(t->d, WEFT_E_KERNEL, "blocked-move: %s", no);
  const weft_dim *d = t->in[0]->origin.dim;
  *p = (plan){.vec = weft__move_find(t->host),
              .images = d[2] && d[3] ? (size_t)d[0] : 0,  // pictures of nothing are none
              .channels = (size_t)d[1],
              .places = (size_t)d[2] * (size_t)d[3],
              .bytes = weft_dtype_bits(t->in_dtype[0]) / 8,
              .pack = !blocked_move_is_plain(t->out_format[0])};
  p->turn = p->bytes / 2;
  p->block = p->bytes == 1 ? WEFT__BYTES_C0 : WEFT__C0;
  p->blocks = (p->channels + p->block - 1) / p->block;
  t->data_bytes = sizeof *p;
  t->blocks =
      weft__rows_blocks(p->images * p->blocks, (double)(p->places * p->block * p->bytes) / 6, &p->per);
  return WEFT_OK;
}

static weft_status blocked_move_run(const weft_block *b) {
  const plan *p = b->data;
  size_t all = p->images * p->blocks;
  size_t first = b->block * p->per;
  for (size_t i = first; i < WEFT_MIN(first + p->per, all); i++) {
    size_t c = i % p->blocks * p->block;
    size_t n = WEFT_MIN(p->block, p->channels - c);
    size_t plain = (i / p->blocks * p->channels + c) * p->places;
    size_t packed = i * p->block * p->places;
    const char *from = (const char *)b->arg[0] + (p->pack ? plain : packed) * p->bytes;
    char *to = (char *)b->arg[1] + (p->pack ? packed : plain) * p->bytes;
    if (!p->pack) {
      p->vec->turn[p->turn](from, p->block, to, p->places, p->places, n);
      continue;
    }
    if (n < p->block)
      memset(to, 0, p->block * p->places * p->bytes);
    p->vec->turn[p->turn](from, p->places, to, p->block, n, p->places);
  }
  return WEFT_OK;
}

const weft_kernel weft__kernel_blocked_move = {.size = sizeof(weft_kernel),
                                               .op = "TransData",
                                               .device = "cpu",
                                               .name = "blocked-move",
                                               .refuse = blocked_move_refuse,
                                               .cost_ns = blocked_move_cost,
                                               .tile = blocked_move_tile,
                                               .run = blocked_move_run,
                                               .flags = WEFT_KERNEL_PACKED};
// SPDX-License-Identifier: Apache-2.0
