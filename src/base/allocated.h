// allocated.h - the one way to pass on that memory ran out.
// Layer: base (libc only).
#pragma once
#include "weft/base.h"

// WEFT_TRY(weft__allocated(p, d)); E_NOMEM unless everything that was asked for is there.
static inline weft_status weft__allocated(bool all, weft_diag *d) {
  return all ? WEFT_OK : weft_fail(d, WEFT_E_NOMEM, "out of memory");
}
// SPDX-License-Identifier: Apache-2.0
