// space.rule.h - DepthToSpace and SpaceToDepth: which axis is which, and how far apart the pixels of a block
// lie in the channels. Pure: the operators and their kernel move by this.
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <string.h>

// Places of N, H, W, C in a 4-D tensor.
typedef struct weft_image {
  size_t n, h, w, c;
} weft_image;

static inline weft_image weft__image_axes(const char *data_format) {
  if (data_format && !strcmp(data_format, "NCHW"))
    return (weft_image){0, 2, 3, 1};
  return (weft_image){0, 1, 2, 3};
}

// Does the block count in the fast channels (CRD), or in the slow ones (DCR)?
static inline bool weft__block_is_fast(const char *mode) {
  return mode && !strcmp(mode, "CRD");
}

// Channels from a pixel of a b x b block to the one below, to the one beside, and to the same one of the next
// channel of the image, which has `depth` of them.
typedef struct weft_block_steps {
  size_t row, column, channel;
} weft_block_steps;

static inline weft_block_steps weft__block_steps(size_t b, size_t depth, bool fast) {
  if (fast)
    return (weft_block_steps){b, 1, b * b};
  return (weft_block_steps){b * depth, depth, 1};
}
// SPDX-License-Identifier: Apache-2.0
