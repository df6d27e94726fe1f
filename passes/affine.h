// affine.h - operators that multiply and shift each channel by a number of its own: BatchNorm and BNInference
// (not training), Mul, Div, Add, Sub and BiasAdd with constants that vary along the channels only.
#pragma once
#include "pass/match.h"

enum { WEFT__AFFINE_MOST = 1 << 22 };  // channels: numbers for each are kept, and a model may claim any
typedef struct weft__affine {          // one number a channel
  double *scale, *shift;
  bool scales;  // the operator is one that may multiply
} weft__affine;

bool weft__is_nhwc(const weft_node *n);  // by the attribute data_format
bool weft__is_affine(int kind);          // may it be one of them?
// Element for each channel of a constant that broadcasts against the result along nothing but the channels.
bool weft__per_channel(const weft_value *c, size_t rank, size_t axis, size_t channels, double *out);
// What n does to its input `main`, by channel along axis y_axis; false: something else. Room for `channels`
// in out and space.
bool weft__affine_read(const weft_node *n, int kind, uint32_t main, size_t channels, size_t y_axis,
                       weft__affine *out, double *space);
// SPDX-License-Identifier: Apache-2.0
