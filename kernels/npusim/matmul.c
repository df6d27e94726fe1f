// matmul.c - MatMulV2 of floats, either operand transposed, with a bias of one number a column. Rows are cut
// over the cores; sums are made in double and rounded once, as in the reference.
#include "npusim/npusim.h"
#include "op_slots.h"

typedef struct record {
  int64_t m, n, k, each;
  int64_t a_row, a_col, b_row, b_col;  // strides
  int64_t bias;
} record;

static const char *matmul_refuse(const weft_tiling *t) {
  const char *no = weft__npusim_plain(t, WEFT_FLOAT);
  if (no)
    return no;
  if (weft_port_in_count(t->desc, 3))
    return "takes no offset_w";
  if (weft_port_in_count(t->desc, 2)) {
    const weft_shape *s = &t->in[weft_port_in(t->desc, 2, 0)]->origin;
    if (s->rank != 1 || s->dim[0] != t->out[0]->origin.dim[1])
      return "needs a bias of one number a column";
  }
  return NULL;
}

static double matmul_cost(const weft_tiling *t) {
  const weft_shape *a = &t->in[0]->origin;
  const weft_shape *y = &t->out[0]->origin;
  int64_t k = a->dim[weft_node_bool(t->desc, WEFT_SLOT_MAT_MUL_V2_TRANSPOSE_X1) ? 0 : 1];
  return 2.0 * (double)y->dim[0] * (double)y->dim[1] * (double)k / 4096;
}

static weft_status matmul_tile(weft_tiling *t) {
  record *r = t->data;
  const weft_shape *a = &t->in[0]->origin;
  const weft_shape *b = &t->in[1]->origin;
  const weft_shape *y = &t->out[0]->origin;
  const bool ta = weft_node_bool(t->desc, WEFT_SLOT_MAT_MUL_V2_TRANSPOSE_X1);
  const bool tb = weft_node_bool(t->desc, WEFT_SLOT_MAT_MUL_V2_TRANSPOSE_X2);
  r->m = y->dim[0];
  r->n = y->dim[1];
  r->k = a->dim[ta ? 0 : 1];
  r->a_row = ta ? 1 : a->dim[1];
  r->a_col = ta ? a->dim[1] : 1;
  r->b_row = tb ? 1 : b->dim[1];
  r->b_col = tb ? b->dim[1] : 1;
  r->bias = weft_port_in_count(t->desc, 2);
  t->blocks = weft__npusim_cut(r->m, 1, &r->each);
  t->data_bytes = sizeof *r;
  return WEFT_OK;
}

static weft_status matmul_run(const weft_block *b) {
  const record *r = b->data;
  const float *x = b->arg[0];
  const float *w = b->arg[1];
  const float *bias = r->bias ? b->arg[2] : NULL;
  float *y = b->arg[r->bias ? 3 : 2];
  int64_t to = WEFT_MIN(r->m, ((int64_t)b->block + 1) * r->each);
  for (int64_t i = (int64_t)b->block * r->each; i < to; i++) {
    for (int64_t j = 0; j < r->n; j++) {
      double sum = 0;
      for (int64_t k = 0; k < r->k; k++)
        sum += (double)x[i * r->a_row + k * r->a_col] * (double)w[k * r->b_row + j * r->b_col];
      y[i * r->n + j] = (float)(bias ? sum + (double)bias[j] : sum);
    }
  }
  return WEFT_OK;
}

const weft_kernel weft__npusim_matmul = {.size = sizeof(weft_kernel),
                                         .op = "MatMulV2",
                                         .device = "npusim",
                                         .name = "npusim-matmul",
                                         .refuse = matmul_refuse,
                                         .cost_ns = matmul_cost,
                                         .tile = matmul_tile,
                                         .run = matmul_run};
// SPDX-License-Identifier: Apache-2.0
