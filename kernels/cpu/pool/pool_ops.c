// pool_ops.c - which table runs here.
#include "cpu/pool/pool_ops.h"

const weft__pool_ops *weft__pool_ops_find(const weft_host *host) {
  return WEFT__BY_ISA(host, weft__pool_ops);
}
// SPDX-License-Identifier: Apache-2.0
