// conv.c - Conv2D of floats, NCHW, with groups, dilation and bias: plain loops, one output channel after the
// other, the channels of all images cut over the cores. Padding adds nothing; sums are made in double and
// rounded once.
#include "npusim/npusim.h"
#include "op_slots.h"

typedef struct record {
  int64_t planes, each;                  // images * outputs
  int64_t outputs, out_group, in_group;  // channels: all outputs, outputs and inputs of one group
  int64_t h, w, y_h, y_w, kh, kw;
  int64_t stride[2], pad[2], dilation[2];  // pad: top, left
  int64_t groups, bias;
} record;

static const char *conv_refuse(const weft_tiling *t) {
  const char *no = weft__npusim_plain(t, WEFT_FLOAT);
  const char *format = weft_node_str(t->desc, WEFT_SLOT_CONV2D_DATA_FORMAT);
  const char *mode = weft_node_str(t->desc, WEFT_SLOT_CONV2D_PAD_MODE);
  if (no)
    return no;
  if (!format || strcmp(format, "NCHW"))
    return "needs NCHW";
  if (mode && strcmp(mode, "SPECIFIC"))
    return "needs pads that are given as numbers";
  if (weft_port_in_count(t->desc, 3))
    return "takes no offset_w";
  return NULL;
}

static double conv_cost(const weft_tiling *t) {
  const weft_shape *f = &t->in[1]->origin;
  return 2.0 * (double)weft__npusim_elems(&t->out[0]->origin) * (double)(f->dim[1] * f->dim[2] * f->dim[3]) /
         4096;
}

static weft_status conv_tile(weft_tiling *t) {
  record *r = t->data;
  const weft_shape *x = &t->in[0]->origin;
  const weft_shape *f = &t->in[1]->origin;
  const weft_shape *y = &t->out[0]->origin;
  weft_ints strides = weft_node_ints(t->desc, WEFT_SLOT_CONV2D_STRIDES);
  weft_ints pads = weft_node_ints(t->desc, WEFT_SLOT_CONV2D_PADS);
  weft_ints dilations = weft_node_ints(t->desc, WEFT_SLOT_CONV2D_DILATIONS);
  r->groups = weft_node_int(t->desc, WEFT_SLOT_CONV2D_GROUPS);
  r->outputs = f->dim[0];
  r->out_group = f->dim[0] / r->groups;
  r->in_group = f->dim[1];
  r->h = x->dim[2];
  r->w = x->dim[3];
  r->y_h = y->dim[2];
  r->y_w = y->dim[3];
  r->kh = f->dim[2];
  r->kw = f->dim[3];
  for (int i = 0; i < 2; i++) {
    r->stride[i] = strides.v[2 + i];
    r->pad[i] = pads.v[2 * i];
    r->dilation[i] = dilations.v[2 + i];
  }
  r->planes = x->dim[0] * r->outputs;
  r->bias = weft_port_in_count(t->desc, 2);
  t->blocks = weft__npusim_cut(r->planes, 1, &r->each);
  t->data_bytes = sizeof *r;
  return WEFT_OK;
}

static double spot(const record *r, const float *x, const float *f, int64_t i, int64_t j) {
  double sum = 0;
  for (int64_t c = 0; c < r->in_group; c++) {
    for (int64_t p = 0; p < r->kh; p++) {
      for (int64_t q = 0; q < r->kw; q++) {
        int64_t h = i * r->stride[0] - r->pad[0] + p * r->dilation[0];
        int64_t w = j * r->stride[1] - r->pad[1] + q * r->dilation[1];
        if (h < 0 || h >= r->h || w < 0 || w >= r->w)
          continue;
        sum += (double)x[(c * r->h + h) * r->w + w] * (double)f[(c * r->kh + p) * r->kw + q];
      }
    }
  }
  return sum;
}

static weft_status conv_run(const weft_block *b) {
  const record *r = b->data;
  const float *x = b->arg[0];
  const float *f = b->arg[1];
  const float *bias = r->bias ? b->arg[2] : NULL;
  float *y = b->arg[r->bias ? 3 : 2];
  int64_t to = WEFT_MIN(r->planes, ((int64_t)b->block + 1) * r->each);
  for (int64_t plane = (int64_t)b->block * r->each; plane < to; plane++) {
    int64_t image = plane / r->outputs;
    int64_t o = plane % r->outputs;
    int64_t group = o / r->out_group;
    const float *from = x + (image * r->groups + group) * r->in_group * r->h * r->w;
    for (int64_t i = 0; i < r->y_h; i++) {
      for (int64_t j = 0; j < r->y_w; j++) {
        double sum = spot(r, from, f + o * r->in_group * r->kh * r->kw, i, j);
        y[(plane * r->y_h + i) * r->y_w + j] = (float)(bias ? sum + (double)bias[o] : sum);
      }
    }
  }
  return WEFT_OK;
}

const weft_kernel weft__npusim_conv2d = {.size = sizeof(weft_kernel),
                                         .op = "Conv2D",
                                         .device = "npusim",
                                         .name = "npusim-conv2d",
                                         .refuse = conv_refuse,
                                         .cost_ns = conv_cost,
                                         .tile = conv_tile,
                                         .run = conv_run};
// SPDX-License-Identifier: Apache-2.0
