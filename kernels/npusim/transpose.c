// transpose.c - Transpose with a constant permutation, any dtype of 1 to 16 whole bytes. The elements of y
// are cut over the cores; each is looked up by its place.
#include "npusim/npusim.h"
#include "axis.rule.h"

typedef struct record {
  int64_t n, each, rank, bytes;
  int64_t dim[WEFT_MAX_RANK], stride[WEFT_MAX_RANK];  // of y; of x along y's axes
} record;

static bool read_perm(const weft_tiling *t, int64_t *perm) {
  const weft_tensor *v = t->value[1];
  size_t rank = t->in[0]->origin.rank;
  bool seen[WEFT_MAX_RANK] = {false};
  if (!v || !v->data || (v->dtype != WEFT_INT32 && v->dtype != WEFT_INT64))
    return false;
  int64_t n = weft__npusim_elems(&v->layout.origin);
  if (n && n != (int64_t)rank)
    return false;
  for (size_t i = 0; i < rank; i++) {
    int32_t p32;
    int64_t p = (int64_t)(rank - 1 - i);
    if (n && v->dtype == WEFT_INT64)
      memcpy(&p, (const char *)v->data + i * sizeof p, sizeof p);
    if (n && v->dtype == WEFT_INT32) {
      memcpy(&p32, (const char *)v->data + i * sizeof p32, sizeof p32);
      p = p32;
    }
    if (!weft__axis_inside(&p, rank) || seen[p])
      return false;
    seen[p] = true;
    perm[i] = p;
  }
  return true;
}

static const char *transpose_refuse(const weft_tiling *t) {
  int64_t perm[WEFT_MAX_RANK];
  int bits = weft_dtype_bits(t->in_dtype[0]);
  const char *no = weft__npusim_plain(t, WEFT_UNDEFINED);
  if (no)
    return no;
  if (bits < 8 || bits > 128 || t->in_dtype[0] == WEFT_STRING)
    return "needs a dtype of 1 to 16 bytes";
  return read_perm(t, perm) ? NULL : "needs a constant permutation of int32 or int64";
}

static double transpose_cost(const weft_tiling *t) {
  return (double)weft__npusim_elems(&t->out[0]->origin) / 32;
}

static weft_status transpose_tile(weft_tiling *t) {
  record *r = t->data;
  int64_t perm[WEFT_MAX_RANK];
  int64_t stride[WEFT_MAX_RANK];
  int64_t step = 1;
  const weft_shape *x = &t->in[0]->origin;
  if (!read_perm(t, perm))
    return t->host->fail(t->d, WEFT_E_INVALID, "input 'perm' is not a constant permutation");
  for (size_t i = x->rank; i-- > 0; step *= x->dim[i])
    stride[i] = step;
  r->rank = (int64_t)x->rank;
  r->bytes = weft_dtype_bits(t->in_dtype[0]) / 8;
  for (size_t i = 0; i < x->rank; i++) {
    r->dim[i] = x->dim[perm[i]];
    r->stride[i] = stride[perm[i]];
  }
  r->n = weft__npusim_elems(x);
  t->blocks = weft__npusim_cut(r->n, 1024, &r->each);
  t->data_bytes = sizeof *r;
  return WEFT_OK;
}

static weft_status transpose_run(const weft_block *b) {
  const record *r = b->data;
  const char *x = b->arg[0];
  char *y = b->arg[2];
  int64_t to = WEFT_MIN(r->n, ((int64_t)b->block + 1) * r->each);
  for (int64_t i = (int64_t)b->block * r->each; i < to; i++) {
    int64_t rest = i;
    int64_t from = 0;
    for (int64_t k = r->rank; k-- > 0; rest /= r->dim[k])
      from += rest % r->dim[k] * r->stride[k];
    memcpy(y + i * r->bytes, x + from * r->bytes, (size_t)r->bytes);
  }
  return WEFT_OK;
}

const weft_kernel weft__npusim_transpose = {.size = sizeof(weft_kernel),
                                            .op = "Transpose",
                                            .device = "npusim",
                                            .name = "npusim-transpose",
                                            .refuse = transpose_refuse,
                                            .cost_ns = transpose_cost,
                                            .tile = transpose_tile,
                                            .run = transpose_run};
// SPDX-License-Identifier: Apache-2.0
