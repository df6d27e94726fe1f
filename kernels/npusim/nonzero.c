// nonzero.c - NonZero, a kernel that finds its output's shape: in the first phase each core counts its own
// elements that are not zero, in the second it writes where they are; the first core writes the shape buffer.
#include "npusim/npusim.h"
#include "op_slots.h"

enum { LEAST = 1024 };  // elements of a core

typedef struct record {  // the tiling data
  int64_t n;
  int64_t each;
  int64_t rank;
  int64_t dim[WEFT_SHAPE_OUT - 1];
  uint64_t mask;  // bits of an element that count: of a float all but the sign
  int32_t bytes;
  int32_t transpose;
} record;

static const char *nonzero_refuse(const weft_tiling *t) {
  const weft_layout *x = t->in[0];
  uint32_t bits = weft_dtype_bits(t->in_dtype[0]);
  if (!weft_shape_is_known(&x->origin))
    return "needs the input's shape";
  if (!weft_shape_equal(&x->origin, &x->storage))
    return "needs plain formats";
  if (x->origin.rank >= WEFT_SHAPE_OUT)
    return "needs a rank of at most 8";
  if (weft_dtype_is_complex(t->in_dtype[0]) || (bits != 8 && bits != 16 && bits != 32 && bits != 64))
    return "needs elements of 8, 16, 32 or 64 bits";
  return t->out_dtype[0] == WEFT_INT64 ? NULL : "needs indices of i64";
}

static double nonzero_cost(const weft_tiling *t) {
  return (double)weft__npusim_elems(&t->in[0]->origin) / 32;
}

static weft_status nonzero_tile(weft_tiling *t) {
  record *r = t->data;
  const weft_shape *x = &t->in[0]->origin;
  uint32_t bits = weft_dtype_bits(t->in_dtype[0]);
  *r = (record){.n = weft__npusim_elems(x), .rank = (int64_t)x->rank, .bytes = (int32_t)bits / 8};
  for (size_t k = 0; k < x->rank; k++)
    r->dim[k] = x->dim[k];
  r->mask = UINT64_MAX >> (64 - bits + weft_dtype_is_float(t->in_dtype[0]));
  r->transpose = weft_node_bool(t->desc, WEFT_SLOT_NON_ZERO_TRANSPOSE);
  t->blocks = weft__npusim_cut(r->n, LEAST, &r->each);
  t->phases = 2;
  t->n_workspaces = 1;
  t->workspace_bytes[0] = t->blocks * sizeof(int64_t);
  t->data_bytes = sizeof *r;
  return WEFT_OK;
}

static bool counts(const record *r, const void *x, int64_t i) {
  uint64_t v = 0;
  switch (r->bytes) {
    case 1:
      v = ((const uint8_t *)x)[i];
      break;
    case 2:
      v = ((const uint16_t *)x)[i];
      break;
    case 4:
      v = ((const uint32_t *)x)[i];
      break;
    default:
      v = ((const uint64_t *)x)[i];
  }
  return (v & r->mask) != 0;
}

static void nonzero_put(const record *r, int64_t *y, int64_t at, int64_t all, int64_t i) {
  for (int64_t k = r->rank; k-- > 0; i /= r->dim[k])
    y[r->transpose ? k * all + at : at * r->rank + k] = i % r->dim[k];
}

static weft_status nonzero_run(const weft_block *b) {
  const record *r = b->data;
  int64_t *found = b->workspace[0];
  int64_t from = (int64_t)b->block * r->each;
  int64_t to = WEFT_MIN(r->n, from + r->each);
  int64_t at = 0;
  int64_t all = 0;
  if (b->phase == 0) {
    found[b->block] = 0;
    for (int64_t i = from; i < to; i++)
      found[b->block] += counts(r, b->arg[0], i);
    return WEFT_OK;
  }
  for (uint32_t k = 0; k < b->blocks; k++) {
    if (k == b->block)
      at = all;
    all += found[k];
  }
  if (!b->block) {
    b->shape_out[0] = 2;
    b->shape_out[1 + !r->transpose] = (uint64_t)r->rank;
    b->shape_out[1 + !!r->transpose] = (uint64_t)all;
  }
  for (int64_t i = from; i < to; i++) {
    if (counts(r, b->arg[0], i))
      nonzero_put(r, b->arg[1], at++, all, i);
  }
  return WEFT_OK;
}

const weft_kernel weft__npusim_nonzero = {.size = sizeof(weft_kernel),
                                          .op = "NonZero",
                                          .device = "npusim",
                                          .name = "npusim-nonzero",
                                          .refuse = nonzero_refuse,
                                          .cost_ns = nonzero_cost,
                                          .tile = nonzero_tile,
                                          .run = nonzero_run,
                                          .flags = WEFT_KERNEL_FINDS};
// SPDX-License-Identifier: Apache-2.0
