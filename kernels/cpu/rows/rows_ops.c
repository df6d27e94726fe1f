// rows_ops.c - which table of inner loops runs here.
#include "cpu/rows/rows_ops.h"

const weft__rows_ops *weft__rows_find(const weft_host *host) {
  return WEFT__BY_ISA(host, weft__rows_ops);
}
// SPDX-License-Identifier: Apache-2.0
