// elementwise.c - Add, Mul, Relu and Sigmoid of floats: equal shapes, or one side a single number. The
// elements are cut over the cores; each core goes through its own in tiles of TILE, as one with a small
// memory would.
#include <math.h>

#include "npusim/npusim.h"

enum { TILE = 2048, ADD, MUL, RELU, SIGMOID };
typedef struct record {  // the tiling data
  int64_t n;
  int64_t each;
  int64_t tile;
  // one: bits of inputs that are a single number
  int32_t what;
  int32_t one;
} record;

static const char *elementwise_refuse(const weft_tiling *t) {
  const char *no = weft__npusim_plain(t, WEFT_FLOAT);
  if (no)
    return no;
  for (uint32_t i = 0; i < t->n_in; i++) {
    if (weft__npusim_elems(&t->in[i]->origin) != 1 &&
        !weft_shape_equal(&t->in[i]->origin, &t->out[0]->origin))
      return "needs inputs of the output's shape, or single numbers";
  }
  return NULL;
}

static double elementwise_cost(const weft_tiling *t) {
  return (double)weft__npusim_elems(&t->out[0]->origin) / 64;
}

static weft_status elementwise_tile(weft_tiling *t, int32_t what) {
  record *r = t->data;
  r->n = weft__npusim_elems(&t->out[0]->origin);
  r->tile = TILE;
  r->what = what;
  for (uint32_t i = 0; i < t->n_in; i++) {
    if (weft__npusim_elems(&t->in[i]->origin) == 1 && r->n != 1)
      r->one |= 1 << i;
  }
  t->blocks = weft__npusim_cut(r->n, TILE, &r->each);
  t->data_bytes = sizeof *r;
  return WEFT_OK;
}
static weft_status tile_add(weft_tiling *t) {
  return elementwise_tile(t, ADD);
}
static weft_status tile_mul(weft_tiling *t) {
  return elementwise_tile(t, MUL);
}
static weft_status tile_relu(weft_tiling *t) {
  return elementwise_tile(t, RELU);
}
static weft_status tile_sigmoid(weft_tiling *t) {
  return elementwise_tile(t, SIGMOID);
}

static void elementwise_one_tile(const record *r, const float *x, const float *x2, float *y, int64_t from,
                                 int64_t to) {
  int64_t one = r->one & 1 ? 0 : 1;
  int64_t one2 = r->one & 2 ? 0 : 1;
  for (int64_t i = from; i < to; i++) {
    switch (r->what) {
      case ADD:
        y[i] = x[i * one] + x2[i * one2];
        break;
      case MUL:
        y[i] = x[i * one] * x2[i * one2];
        break;
      case RELU:
        y[i] = x[i] < 0 ? 0 : x[i];
        break;
      default:
        y[i] = (float)(1 / (1 + exp(-(double)x[i])));
    }
  }
}

static weft_status elementwise_run(const weft_block *b) {
  const record *r = b->data;
  bool two = r->what == ADD || r->what == MUL;
  int64_t from = (int64_t)b->block * r->each;
  int64_t to = WEFT_MIN(r->n, from + r->each);
  for (; from < to; from += r->tile)
    elementwise_one_tile(r, b->arg[0], two ? b->arg[1] : NULL, b->arg[two ? 2 : 1], from,
                         WEFT_MIN(to, from + r->tile));
  return WEFT_OK;
}

#define KERNEL(symbol, type, tiler)                                        \
  const weft_kernel weft__npusim_##symbol = {.size = sizeof(weft_kernel),  \
                                             .op = type,                   \
                                             .device = "npusim",           \
                                             .name = "npusim-" #symbol,    \
                                             .refuse = elementwise_refuse, \
                                             .cost_ns = elementwise_cost,  \
                                             .tile = tiler,                \
                                             .run = elementwise_run}
KERNEL(add, "Add", tile_add);
KERNEL(mul, "Mul", tile_mul);
KERNEL(relu, "Relu", tile_relu);
KERNEL(sigmoid, "Sigmoid", tile_sigmoid);
// SPDX-License-Identifier: Apache-2.0
