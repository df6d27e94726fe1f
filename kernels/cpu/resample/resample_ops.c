// resample_ops.c - which table of inner loops runs here.
#include "cpu/resample/resample_ops.h"

const weft__resample_ops *weft__resample_find(const weft_host *host) {
  return WEFT__BY_ISA(host, weft__resample_ops);
}
// SPDX-License-Identifier: Apache-2.0
