// quant_bytes.h - quads stay as they are (WIDE 1), where the machine multiplies bytes.
#pragma once

WEFT_INLINE ivec even(ivec b) {
  return b;
}
WEFT_INLINE ivec odd(ivec b) {
  return b;
}
WEFT_INLINE ivec even_w(ivec w) {
  return w;
}
WEFT_INLINE ivec odd_w(ivec w) {
  return w;
}
// SPDX-License-Identifier: Apache-2.0
