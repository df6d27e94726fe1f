// cast_text.h - numbers from and to the elements of string tensors, as ONNX's Cast defines them. Layer: ops.
#pragma once
#include "op.h"

enum { WEFT_NUMBER_TEXT = 40 };
// The shortest decimal that reads back to the element; NaN, INF, -INF; True and False. false: no number type.
bool weft__number_text(weft_dtype t, const void *data, size_t i, char buf[WEFT_NUMBER_TEXT]);
// With six decimals, as "%f" in the C locale; nan and inf, with their sign.
enum { WEFT_FIXED_TEXT = 64 };
void weft__fixed_text(float v, char buf[WEFT_FIXED_TEXT]);
// Reads one, spaces around it allowed: decimal, hexadecimal; nan, inf, true, false in any case. Fractions are
// truncated for integers. false: no number, or one that the dtype cannot hold.
bool weft__number_parse(weft_dtype t, void *data, size_t i, const char *text, size_t bytes);
// SPDX-License-Identifier: Apache-2.0
