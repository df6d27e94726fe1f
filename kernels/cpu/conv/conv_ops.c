// conv_ops.c - which table runs here.
#include "cpu/conv/conv_ops.h"

const weft__conv_ops *weft__conv_ops_find(const weft_host *host) {
  return WEFT__BY_ISA(host, weft__conv_ops);
}
// SPDX-License-Identifier: Apache-2.0
