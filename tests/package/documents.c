// documents.c - the package of the documents' operators (R351): the entry, and numbers without a library.
#include "documents.h"

float documents_half_to_float(uint16_t bits) {
  uint32_t sign = (uint32_t)(bits & 0x8000) << 16;
  uint32_t exponent = bits >> 10 & 31;
  uint32_t fraction = bits & 1023;
  uint32_t out;
  float v;
  if (exponent == 0) {
    v = (float)fraction / 16777216.0f;  // 2^-24 each
    return sign ? -v : v;
  }
  out = sign | (exponent == 31 ? 0x7F800000u : (exponent + 112) << 23) | fraction << 13;
  memcpy(&v, &out, sizeof v);
  return v;
}

uint16_t documents_float_to_half(float v) {
  uint32_t u;
  uint32_t half;
  memcpy(&u, &v, sizeof u);
  uint16_t sign = (uint16_t)(u >> 16 & 0x8000);
  u &= 0x7FFFFFFF;
  if (u > 0x7F800000)
    return (uint16_t)(sign | 0x7E00);
  if (u >= 0x477FF000)
    return (uint16_t)(sign | 0x7C00);  // rounds past 65504
  if (u < 0x33000001)
    return sign;  // rounds to zero
  int shift = u < 0x38800000 ? 126 - (int)(u >> 23) : 13;
  uint32_t whole = u < 0x38800000 ? (u & 0x7FFFFF) | 0x800000 : u - (112u << 23);
  half = whole >> shift;
  uint32_t rest = whole & ((1u << shift) - 1);
  uint32_t middle = 1u << (shift - 1);
  if (rest > middle || (rest == middle && (half & 1)))
    half++;
  return (uint16_t)(sign | half);
}

float documents_load(weft_dtype t, const void *data, size_t i) {
  return t == WEFT_FLOAT16 ? documents_half_to_float(((const uint16_t *)data)[i]) : ((const float *)data)[i];
}

void documents_store(weft_dtype t, void *data, size_t i, float v) {
  if (t == WEFT_FLOAT16)
    ((uint16_t *)data)[i] = documents_float_to_half(v);
  else
    ((float *)data)[i] = v;
}

size_t documents_elems(const weft_shape *s) {
  size_t n = 1;
  for (size_t i = 0; i < s->rank; i++)
    n *= (size_t)s->dim[i];
  return n;
}

weft_status documents_same_shape(weft_infer *it, uint32_t out, uint32_t in) {
  const weft_shape *x = weft_in_shape(it, in);
  if (!x)
    return it->host->fail(it->d, WEFT_E_MISSING, "input %u is absent", in);
  return weft_set_out_shape(it, out, x->dim, x->rank);
}

static const weft_op *const ops[] = {
    &documents_add_custom,  &documents_foo,        &documents_my_op,          &documents_custom_conv2d,
    &documents_custom_pool, &documents_trans_data, &documents_dynamic_rnn_v3, &documents_unique_like,
};
static const weft_section sections[] = {{WEFT_SECTION_OP, 0, sizeof ops / sizeof *ops, ops}};
static const weft_package package = {sizeof package, WEFT_ABI, "documents", "1.0.0", 1, sections};

WEFT_API const weft_package *weft_package_entry(const weft_host *host);
WEFT_API const weft_package *weft_package_entry(const weft_host *host) {
  return host->abi == WEFT_ABI ? &package : NULL;
}
// SPDX-License-Identifier: Apache-2.0
