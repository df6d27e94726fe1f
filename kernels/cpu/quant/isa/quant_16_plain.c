// quant_16_plain.c - rows between floats and 16-bit integers for every processor, and which table runs here.
#define TABLE weft__quant_16_plain
#include "cpu/quant/quant_16_body.h"

const weft__quant_16_ops *weft__quant_16_find(const weft_host *host) {
  return WEFT__BY_ISA(host, weft__quant_16);
}
// SPDX-License-Identifier: Apache-2.0
