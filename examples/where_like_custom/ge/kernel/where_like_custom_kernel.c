// where_like_custom_kernel.c - the kernel: one block walks x and writes coordinates of true elements.
#include "where_like_custom_kernel.h"

static weft_status where_like_custom(const weft_block *b) {
  const where_tiling *t = b->data;
  const uint8_t *x = b->arg[0];
  int64_t *y = b->arg[1];
  uint64_t *shape = b->arg[2];
  uint64_t count = 0;
  for (uint64_t i = 0; i < t->elems; i++) {
    if (!x[i])
      continue;
    uint64_t rest = i;
    for (uint64_t k = t->rank; k-- > 0; rest /= t->dim[k])
      y[count * t->rank + k] = (int64_t)(rest % t->dim[k]);
    count++;
  }
  shape[0] = 2;
  shape[1] = count;
  shape[2] = t->rank;
  return WEFT_OK;
}

weft_status where_like_custom_launch(const weft_call *c, const void *x, void *y, void *shape_buffer,
                                     const where_tiling *t) {
  void *arg[3] = {(void *)(uintptr_t)x, y, shape_buffer};
  weft_call_launch l = {.size = sizeof l,
                        .blocks = 1,
                        .n_args = 3,
                        .run = where_like_custom,
                        .arg = arg,
                        .data = t,
                        .data_bytes = sizeof *t,
                        .name = "where_like_custom"};
  return c->host->launch(c, &l);
}
// SPDX-License-Identifier: Apache-2.0
