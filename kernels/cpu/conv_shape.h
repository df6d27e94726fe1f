// conv_shape.h - a convolution of float, channels first, over three spatial axes (leading ones where there
// are fewer), as conv.c and depthwise.c see it.
#pragma once
#include "cpu/product.h"

typedef struct weft__conv_shape {
  size_t images, groups, inputs, outputs;  // channels of one group
  size_t in[3], out[3], kernel[3], stride[3], dilation[3];
  int64_t begin[3];                // padding
  size_t in_size, out_size, taps;  // numbers of one channel; of a kernel
} weft__conv_shape;
// Why not; NULL: found, and filled when all shapes are known.
const char *weft__conv_read(const weft_tiling *t, weft__product *p, weft__conv_shape *c, weft__epilogue *e);
// The same from p's descriptor, kind (Conv or Conv2D) and shapes, which are all known; dtypes are not looked
// at.
const char *weft__conv_sizes(const weft__product *p, weft__conv_shape *c);
bool weft__conv_is_depthwise(const weft__conv_shape *c);  // and depthwise.c takes it
