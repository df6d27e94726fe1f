// pool.h - what the pooling operators share: reading their attributes, output shapes, and a walk over the
// windows. Tensors have 1 to 3 spatial axes, channels first or last by data_format. Layer: ops.
#pragma once
#include "window.h"

typedef struct weft_pool_slots {  // attribute slots; -1: the operator has no such attribute
  int ksize;
  int strides;
  int mode;
  int pads;
  int data_format;
  int global;
  int ceil;
  int dilations;
} weft_pool_slots;
typedef struct weft_pool {
  size_t spatial, first;  // spatial axes; the first of them is axis `first` of the tensor
  weft_pad_mode mode;
  bool global, ceil;
  weft_window w[3];
} weft_pool;
// One window: where it lies in the input, clipped to it.
typedef struct weft_pool_at {
  size_t base;               // element offset of the image and channel
  size_t count[3];           // elements along each axis; a product of 0 is a window that lies in the padding
  size_t first[3], step[3];  // element offset of the first along the axis, and the step
  int64_t padded;            // elements of the window inside the input and its padding
} weft_pool_at;
typedef void (*weft_pool_fn)(const weft_call *c, const weft_pool_at *at, size_t out);

// ksize and strides have one value for each axis of the tensor, in data_format order, those of batch and
// channel being 1, or one for each spatial axis; pads has two for each spatial axis.
weft_status weft__pool_read(weft_diag *d, const weft_op_desc *n, const weft_pool_slots *s, size_t rank,
                            weft_pool *out);
weft_status weft__pool_infer(weft_infer *it, const weft_pool_slots *s);
weft_status weft__pooling_run(const weft_call *c, const weft_pool_slots *s, weft_pool_fn f);
// The place of the largest element in x, the first of equal ones; NaN wins. false: the window has no element.
bool weft__pool_best(const weft_call *c, const weft_pool_at *at, size_t *out);
void weft__pool_max(const weft_call *c, const weft_pool_at *at,
                    size_t out);  // NaN wins; no element: the least value
// SPDX-License-Identifier: Apache-2.0
