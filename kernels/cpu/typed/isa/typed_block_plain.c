// typed_block_plain.c - products of double and of integers in vectors that every compiler knows (SSE on
// x86-64, NEON on aarch64), and which table runs here.
#define BYTES 16
#define ROWS  6
#define TABLE weft__typed_plain
#include "cpu/typed/typed_block_body.h"

const weft__typed_ops *weft__typed_find(const weft_host *host, int type) {
  return &(*WEFT__BY_ISA(host, weft__typed))[type];
}
// SPDX-License-Identifier: Apache-2.0
