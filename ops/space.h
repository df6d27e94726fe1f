// space.h - blocks of pixels to and from channels. Layer: ops.
#pragma once
#include "dims_move.h"

// Places of N, H, W, C in a 4-D tensor; E_FORMAT when data_format is neither NHWC nor NCHW.
typedef struct weft_image {
  size_t n, h, w, c;
} weft_image;
weft_image weft__image_axes(const char *data_format);
// SPDX-License-Identifier: Apache-2.0
