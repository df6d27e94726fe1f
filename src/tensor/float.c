// float.c - small floating-point types: weft/element.h's functions, for those who link against the library.
#include "weft/element.h"

uint32_t weft_float_encode(weft_dtype t, double v, bool saturate) {
  return weft_float_code(weft_float_format_of(t), v, saturate);
}

double weft_float_decode(weft_dtype t, uint32_t bits) {
  return weft_float_value(weft_float_format_of(t), bits);
}

uint16_t weft_f16_from_f64(double v) {
  return weft_f16_code_f64(v);
}

uint16_t weft_bf16_from_f64(double v) {
  return weft_bf16_code_f64(v);
}

uint16_t weft_f16_from_f32(float v) {
  return weft_f16_code(v);
}

float weft_f16_to_f32(uint16_t bits) {
  return weft_f16_value(bits);
}

uint16_t weft_bf16_from_f32(float v) {
  return weft_bf16_code(v);
}

float weft_bf16_to_f32(uint16_t bits) {
  return weft_bf16_value(bits);
}
// SPDX-License-Identifier: Apache-2.0
