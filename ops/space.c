// space.c - see space.h.
#include "space.h"

weft_image weft__image_axes(const char *data_format) {
  if (data_format && !strcmp(data_format, "NCHW"))
    return (weft_image){0, 2, 3, 1};
  return (weft_image){0, 1, 2, 3};
}
// SPDX-License-Identifier: Apache-2.0
