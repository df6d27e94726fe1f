// told.h - a failure always has a text. Where there was no memory for anything, somebody below may have said
// nothing: public functions give what they got through weft__told. Layer: base.
#pragma once
#include "base/base.h"

static inline weft_status weft__told(weft_status s, weft_diag *d) {
  return s && d && !d->status ? weft_fail(d, s, "%s", weft_status_text(s)) : s;
}
// SPDX-License-Identifier: Apache-2.0
