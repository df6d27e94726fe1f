// ops/elementwise/cast.c - y = x as dtype dst_type.   AscendIR Cast, ONNX Cast-25.
// Float to integer truncates toward 0 and saturates, NaN gives 0; below a byte it keeps the low bits, as
// ONNX's tests do. Integer to integer wraps. To bool: anything but 0, NaN included. Complex to real drops the
// imaginary part. ext: saturate (float8: beyond the largest value gives it, not inf or NaN) and round_mode
// (float8 E8M0), as in ONNX.
#include "cast_text.h"
#include "dims_value.h"
#include "numeric.h"

enum { DST_TYPE, SATURATE, ROUND_MODE };
#define HIFLOATS (WEFT_DT(HIFLOAT8) | WEFT_DT(HIFLOAT4))
#define CASTABLE (WEFT_STORABLE & ~WEFT_DT(RESOURCE))

// A power of two: `up` rounds away from 0, `down` toward it. Zero is 2^-127, the least.
static uint32_t encode_e8m0(double v, bool saturate, char mode) {
  int exponent;
  if (v != v)
    return 0xFF;
  if (v == 0)
    return 0;
  if (mode == 'n' || isinf(v))
    return weft_float_encode(WEFT_FLOAT8_E8M0, v, saturate);
  double fraction = frexp(fabs(v), &exponent);
  exponent += 127 - (mode == 'd' || fraction == 0.5);
  return exponent < 0 ? 0 : exponent <= 254 ? (uint32_t)exponent : saturate ? 0xFE : 0xFF;
}

static void to_float8(const weft_call *c, void *y, size_t i, double v) {
  const char *mode = weft_node_str(c->desc, ROUND_MODE);
  bool saturate = weft_node_bool(c->desc, SATURATE);
  weft_dtype t = c->out[0]->dtype;
  ((uint8_t *)y)[i] = (uint8_t)(t == WEFT_FLOAT8_E8M0 ? encode_e8m0(v, saturate, mode ? mode[0] : 'u')
                                                      : weft_float_encode(t, v, saturate));
}

// float6 and float4 have no NaN: ONNX's tests want -0, while weft_store_f64 gives the largest value.
static double without_nan(weft_dtype to, double v) {
  const weft_dtype_set finite =
      WEFT_DT(FLOAT6_E3M2) | WEFT_DT(FLOAT6_E2M3) | WEFT_DT(FLOAT4_E2M1) | WEFT_DT(FLOAT4_E1M2);
  return v != v && (finite & WEFT_BIT(to)) ? -0.0 : v;
}

static void cast_element(const weft_call *c, weft_dtype from, weft_dtype to, size_t i) {
  const void *x = c->in[0]->data;
  void *y = c->out[0]->data;
  if (weft_dtype_is_complex(from) || weft_dtype_is_complex(to)) {
    double z[2];
    weft__load_number(from, x, i, z);
    z[0] = without_nan(to, z[0]);
    if (WEFT_FLOAT8S & WEFT_BIT(to))
      to_float8(c, y, i, z[0]);
    else if (to == WEFT_BOOL)
      weft_store_u64(to, y, i, z[0] != 0 || z[1] != 0);
    else
      weft__store_number(to, y, i, z);
  } else if (WEFT_FLOAT8S & WEFT_BIT(to)) {
    to_float8(c, y, i, weft_load_f64(from, x, i));
  } else if (weft_dtype_is_float(from)) {
    if (weft_dtype_is_integer(to) && weft_dtype_bits(to) < 8)
      weft_store_i64(to, y, i, weft_load_i64(from, x, i));
    else
      weft_store_f64(to, y, i, without_nan(to, weft_load_f64(from, x, i)));
  } else if (weft__is_unsigned(from)) {
    weft_store_u64(to, y, i, weft_load_u64(from, x, i));
  } else {
    weft_store_i64(to, y, i, weft_load_i64(from, x, i));
  }
}

static weft_status from_strings(const weft_call *c) {
  weft_tensor *y = c->out[0];
  size_t n = weft__elems(&y->layout.origin);
  size_t bytes;
  const char *text;
  if ((HIFLOATS | WEFT_SET_COMPLEX) & WEFT_BIT(y->dtype))
    return weft__no_kernel(c, y->dtype);
  for (size_t i = 0; i < n; i++) {
    WEFT_TRY(weft__poll_at(c, i));
    WEFT_TRY(weft_tensor_string(c->in[0], i, &text, &bytes, c->d));
    if (!weft__number_parse(y->dtype, y->data, i, text, bytes)) {
      return weft_fail(c->d, WEFT_E_INVALID, "element %zu: \"%.*s\" is not a number that %s can hold", i,
                       (int)WEFT_MIN(bytes, 40), text, weft_dtype_serial(y->dtype));
    }
  }
  return WEFT_OK;
}

static weft_status to_strings(const weft_call *c) {
  const weft_tensor *x = c->in[0];
  size_t n = weft__elems(&x->layout.origin);
  size_t bytes;
  void *space;
  if (!weft_mul_size(n, sizeof(char *) + sizeof(size_t) + WEFT_NUMBER_TEXT, &bytes))
    return weft_fail(c->d, WEFT_E_OVERFLOW, "the texts of %zu numbers do not fit the address space", n);
  WEFT_TRY(c->host->workspace(c, bytes, &space));
  const char **text = space;
  size_t *lengths = (size_t *)(text + n);
  char(*store)[WEFT_NUMBER_TEXT] = (char(*)[WEFT_NUMBER_TEXT])(lengths + n);
  for (size_t i = 0; i < n; i++) {
    WEFT_TRY(weft__poll_at(c, i));
    if (!weft__number_text(x->dtype, x->data, i, store[i]))
      return weft__no_kernel(c, x->dtype);
    text[i] = store[i];
    lengths[i] = strlen(store[i]);
  }
  return weft__call_set_strings(c, c->out[0], &c->out[0]->layout.origin, text, lengths);
}

static int64_t cast_same(void *ctx, size_t i) {
  (void)ctx;
  return (int64_t)i;
}

static weft_status cast_ref(const weft_call *c) {
  weft_dtype from = c->in[0]->dtype;
  weft_dtype to = c->out[0]->dtype;
  size_t n = weft__elems(&c->in[0]->layout.origin);
  if (from == to && from != WEFT_BOOL)
    return weft__move(c, c->in[0], c->out[0], cast_same, NULL, NULL);
  if (HIFLOATS & WEFT_BIT(from))
    return weft__no_kernel(c, from);
  if (from == WEFT_STRING)
    return from_strings(c);
  if (to == WEFT_STRING)
    return to_strings(c);
  if (HIFLOATS & WEFT_BIT(to))
    return weft__no_kernel(c, to);
  for (size_t i = 0; i < n; i++) {
    WEFT_TRY(weft__poll_at(c, i));
    cast_element(c, from, to, i);
  }
  return WEFT_OK;
}

static weft_status cast_infer(weft_infer *it) {
  int64_t t = weft_node_int(it->desc, DST_TYPE);
  if (!weft_dtype_known(t) || !(CASTABLE & WEFT_BIT(t))) {
    return weft_fail(it->d, WEFT_E_DTYPE,
                     "attribute 'dst_type': %lld is not the number of a dtype to cast to", (long long)t);
  }
  it->out_dtype[0] = (weft_dtype)t;
  return weft__same(it, 0, 0);
}

WEFT_OP(cast) = {
    WEFT_OP_HEAD,
    .name = "Cast",
    .summary = "y = x as dtype dst_type",
    .in = PORTS({"x", NULL, CASTABLE}),
    .out = PORTS({"y", NULL, CASTABLE}),
    .attrs = ATTRS({"dst_type", "Int"}, {"saturate", "Bool", "true", .ext = 1},
                   {"round_mode", "String", "\"up\"", "one of up|down|nearest", .ext = 1}),
    .traits = WEFT_SYMBOLIC | WEFT_MONOTONE | WEFT_ELEMENTWISE,
    .infer = cast_infer,
    .infer_value = weft__dims_copy,
    .ref = cast_ref,
    .examples = WEFT_EXAMPLES(
        "f32[6]{1.9,-1.9,300,-inf,inf,nan} dst_type=2 -> i8[6]{1,-1,127,-128,127,0}",
        "f32[4]{-9,-8,7.5,9} dst_type=29 -> i4[4]{7,-8,7,-7}",
        "f32[3]{-3,-2,3} dst_type=31 -> i2[3]{1,-2,-1}",
        "f64[2]{-1,1e30} dst_type=10 -> u64[2]{0,18446744073709551615}",
        "i32[3]{300,-1,128} dst_type=2 -> i8[3]{44,-1,-128}",
        "i8[1]{-1} dst_type=10 -> u64[1]{18446744073709551615}",
        "i64[1]{9007199254740993} dst_type=11 -> f64[1]{9007199254740992}",
        "u64[1]{18446744073709551615} dst_type=0 -> f32[1]{1.8446744e19}",
        "f32[4]{0,-0.0,nan,0.1} dst_type=12 -> bool[4]{false,false,true,true}",
        "bool[2]{true,false} dst_type=0 -> f32[2]{1,0}", "f64[1]{2049.0000001} dst_type=1 -> f16[1]{2050}",
        "f32[2]{1e6,nan} dst_type=1 -> f16[2]{inf,nan}", "f32[2]{1,1000000} dst_type=27 -> bf16[2]{1,999424}",
        "f32[4]{1000,-inf,0.3,nan} dst_type=36 -> f8e4m3fn[4]{448,-448,0.3125,nan}",
        "f32[3]{1000,-inf,1} dst_type=36 saturate=false -> f8e4m3fn[3]{nan,nan,1}",
        "f32[2]{inf,1e6} dst_type=35 saturate=false -> f8e5m2[2]{inf,inf}",
        "f16[4]{0,1.1,2,6} dst_type=37 -> f8e8m0[4]{5.877471754111438e-39,2,2,8}",
        "f32[3]{1.1,2,7.9} dst_type=37 round_mode=\"down\" -> f8e8m0[3]{1,2,4}",
        "f32[3]{1.4,1.5,7.9} dst_type=37 round_mode=\"nearest\" -> f8e8m0[3]{1,2,8}",
        "f32[4]{100,0.3,-0.75,nan} dst_type=40 -> f4e2m1[4]{6,0.5,-1,-0.0}",
        "u4[2]{15,3} dst_type=4 -> u8[2]{15,3}", "c64[2]{(1.5,2),(0,1)} dst_type=3 -> i32[2]{1,0}",
        "c64[2]{(0,0),(0,1)} dst_type=12 -> bool[2]{false,true}",
        "f32[1]{1.5} dst_type=16 -> c64[1]{(1.5,0)}",
        "str[5]{\"3.5\",\" 1e-5\",\"-INF\",\"nan\",\"+inf\"} dst_type=0 -> f32[5]{3.5,1e-5,-inf,nan,inf}",
        "str[4]{\"-7\",\"100.5\",\"127\",\"-128\"} dst_type=2 -> i8[4]{-7,100,127,-128}",
        "str[3]{\"true\",\"0\",\"2\"} dst_type=12 -> bool[3]{true,false,true}",
        "f32[5]{0.1,-1,inf,-inf,nan} dst_type=13 -> str[5]{\"0.1\",\"-1\",\"INF\",\"-INF\",\"NaN\"}",
        "i64[2]{-9223372036854775808,7} dst_type=13 -> str[2]{\"-9223372036854775808\",\"7\"}",
        "str[1]{\"a\"} dst_type=13 -> str[1]{\"a\"}", "str[0] dst_type=0 -> f32[0]",
        "f32[0] dst_type=13 -> str[0]",
        "str[2]{\"1\",\"x\"} dst_type=0 !! E_INVALID element 1: \"x\" is not a number that DT_FLOAT can hold",
        "str[1]{\"300\"} dst_type=2 !! E_INVALID \"300\" is not a number that DT_INT8 can hold",
        "f32[1]{1} dst_type=34 !! E_UNSUPPORTED DT_HIFLOAT8",
        "f32[1]{1} dst_type=99 !! E_DTYPE attribute 'dst_type': 99",
        "f32[1]{1} dst_type=23 !! E_DTYPE attribute 'dst_type': 23", "f32[1]{1} !! E_MISSING dst_type",
        "f32[-1,4] dst_type=9 -> i64[-1,4]", "f32[0,3] dst_type=1 -> f16[0,3]",
        "i64[2]{5,-6} dst_type=3 -> i32[2]{5,-6}"),
};
// SPDX-License-Identifier: Apache-2.0
