// move_ops.c - which table of inner loops runs here.
#include "cpu/move/move_ops.h"

const weft__move_ops *weft__move_find(const weft_host *host) {
  return WEFT__BY_ISA(host, weft__move_ops);
}
// SPDX-License-Identifier: Apache-2.0
