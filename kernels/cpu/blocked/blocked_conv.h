// blocked_conv.h - what the convolutions that make NC1HWC0 share: the formats that they take, and filters
// whose numbers are needed one by one.
#pragma once
#include "cpu/blocked/blocked.h"
#include "cpu/conv/conv_shape.h"

// A convolution in two spatial axes into NC1HWC0 of float.
typedef struct weft__blocked_conv {
  weft__product p;
  weft__conv_shape c;
  weft__epilogue e;
  bool from_plain;  // the input is NCHW
} weft__blocked_conv;
// Why not; NULL: found, with constant filters; c and e are filled when all shapes are known.
const char *weft__blocked_conv_read(const weft_tiling *t, weft__blocked_conv *out);
// Why a convolution of packed inputs is not done; NULL: its groups are whole blocks of channels, and there is
// something to compute.
const char *weft__blocked_conv_refuse_sizes(const weft__conv_shape *c);
// Operations of a group.
static inline double weft__blocked_conv_flops(const weft__conv_shape *c) {
  return 2.0 * (double)c->images * (double)c->outputs * (double)c->out_size * (double)c->inputs *
         (double)c->taps;
}
// The output at one place of one channel by its definition, before the epilogue: padding is left out. The
// input is one image as it is stored; the filter of tap t of channel i is asked for.
float weft__blocked_conv_exact(const weft__blocked_conv *b, const float *x, size_t place,
                               float (*filter)(const void *ctx, size_t channel, size_t i, size_t t),
                               const void *ctx, size_t channel);

// A kernel of the file's own refuse, cost, pack, tile and run, for packed regions; _BF16: refuse_bf16 and so
// on, and run.
#define WEFT__BLOCKED_KERNEL_OF(symbol, own, operator, kernel, more)                     \
  WEFT__PRODUCT_KERNEL_AS(symbol, own, operator, kernel, more, .pack = own##_pack##more, \
                          .flags = WEFT_KERNEL_PACKED | WEFT_KERNEL_PACKS_PIECES)
#define WEFT__BLOCKED_KERNEL(symbol, own, operator, kernel) \
  WEFT__BLOCKED_KERNEL_OF(symbol, own, operator, kernel, )
#define WEFT__BLOCKED_KERNEL_BF16(symbol, own, operator, kernel) \
  WEFT__BLOCKED_KERNEL_OF(symbol, own, operator, kernel, _bf16)
// SPDX-License-Identifier: Apache-2.0
