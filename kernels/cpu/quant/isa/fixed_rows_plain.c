// fixed_rows_plain.c - rows of sums scaled by whole numbers for every processor, and which table runs here.
#define TABLE weft__fixed_plain
#include "cpu/quant/fixed_rows_body.h"

const weft__fixed_ops *weft__fixed_find(const weft_host *host) {
  return WEFT__BY_ISA(host, weft__fixed);
}
// SPDX-License-Identifier: Apache-2.0
