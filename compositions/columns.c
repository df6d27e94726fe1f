// compositions/columns.c - columns of windows added up into pictures: Col2Im with PyTorch's attributes.
#include "compose/compose.h"
#include "op/named.h"

// x is [batch, channels * window, windows], or has channels and window as two axes.
static weft_value *columns_flat(weft__composing *c) {
  weft_value *x = weft__composed(c, "x");
  int rank = front_rank_of(c->o, x);
  if (c->o->failed || rank == 3)
    return x;
  if (rank != 4)
    return front_none(c->o, WEFT_E_SHAPE, "input 'x' has rank %d, expected 3 or 4", rank);
  weft_value *last = front_dim_list(c->o, x, 3);
  weft_value *parts[3] = {front_dim_list(c->o, x, 0), NULL, last};
  parts[1] = front_do(c->o, "Mul", front_dim_list(c->o, x, 1), front_dim_list(c->o, x, 2), NULL);
  return front_reshape(c->o, x, front_joined(c->o, parts, 3, 0));
}

static weft_status columns_build(weft__composing *c) {
  front_op *o = c->o;
  weft_ints kernel = weft__ints_named(c->desc, "kernel_size");
  weft_ints padding = weft__ints_named(c->desc, "padding");
  weft_ints dilation = weft__ints_named(c->desc, "dilation");
  weft_ints stride = weft__ints_named(c->desc, "stride");
  weft_value *x = columns_flat(c);
  weft_value *block = kernel.n ? front_list(o, kernel.v, kernel.n)
                               : front_as(o, weft__composed(c, "kernel_size"), WEFT_INT64);
  if (padding.n != 2)
    return front_fail(o, WEFT_E_SHAPE, "attribute 'padding' has %zu elements, expected 2", padding.n);
  const int64_t pads[4] = {padding.v[0], padding.v[1], padding.v[0], padding.v[1]};
  front_set_ints(o, "pads", pads, 4);
  front_set_ints(o, "dilations", dilation.v, dilation.n);
  front_set_ints(o, "strides", stride.v, stride.n);
  weft_value *size = weft__composed(c, "output_size");
  weft__compose_name(c, "y", front_do(o, "Col2Im", x, size, block));
  return o->failed;
}

#define ALONG "dilation=[1,1] padding=[0,0] stride=[1,1]"
WEFT_ROWS(columns) = {
    COMPOSED_READS_BY("Col2im", "columns of windows added up into pictures", "output_size", columns_build,
                      "f32[1,2,2]{1,2,4,8}, i32[2]{1,3} kernel_size=[1,2] " ALONG " -> f32[1,1,1,3]{1,6,8}",
                      "f32[1,2,2], i32[2]{1,3} kernel_size=[1,2] dilation=[1,1] padding=[0] stride=[1,1] !! "
                      "E_SHAPE 'padding'"),
    COMPOSED_READS_BY("Col2ImV2", "columns of windows added up into pictures", "output_size,kernel_size",
                      columns_build,
                      "f32[1,2,2]{1,2,4,8}, i32[2]{1,3}, i32[2]{1,2} " ALONG " -> f32[1,1,1,3]{1,6,8}"),
    {0},
};
// SPDX-License-Identifier: Apache-2.0
