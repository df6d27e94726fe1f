// polled.h - for blocks that may take long, because what they go through cannot be cut: steps one after the
// other, lanes that are dealt out by the dozen. Asked at every turn, the clock is read about every 2^20
// operations: far below a millisecond, and far below what can be measured.
#pragma once
#include "weft/op.h"

static inline weft_status weft__block_work(const weft_block *b, size_t *work, size_t more) {
  enum { OPERATIONS = 1 << 20 };
  *work = more < SIZE_MAX - *work ? *work + more : SIZE_MAX;
  if (*work < OPERATIONS)
    return WEFT_OK;
  *work = 0;
  return weft_block_poll(b);
}
// SPDX-License-Identifier: Apache-2.0
