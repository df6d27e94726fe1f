// tensor_text_test.c - literals both ways, their errors, limits before allocation, hostile text.
#include "check.h"
#include "base/base.h"
#include "tensor/tensor.h"

static const char *printed(const weft_tensor *t, size_t max_elems) {
  static char buf[4096];
  weft_text out;
  weft__text_init(&out, &(weft_allocator){weft_allocator_default().fn, NULL});
  weft_status st = weft_tensor_print(t, max_elems, weft__text_write, &out);
  snprintf(buf, sizeof buf, "%s%.*s", st ? weft_status_name(st) : "", (int)out.n, out.v ? out.v : "");
  weft__text_deinit(&out);
  return buf;
}

static const char *round_trip(const char *text) {
  static char diag[2200];
  weft_diag d = {0};
  weft_tensor t;
  size_t used = 0;
  weft_tensor_init(&t, NULL);
  const char *out = diag;
  if (weft_tensor_parse(text, strlen(text), NULL, &t, &used, &d))
    snprintf(diag, sizeof diag, "%s", d.text);
  else if (used != strlen(text))
    out = "used too little";
  else
    out = printed(&t, 0);
  weft_tensor_deinit(&t);
  return out;
}

static void fails(const char *text, weft_status st, const char *part) {
  check_alloc c = {0};
  weft_allocator a = check_allocator(&c);
  weft_diag d = {0};
  weft_tensor t;
  weft_tensor_init(&t, &a);
  size_t used = 77;
  weft_status got = weft_tensor_parse(text, strlen(text), NULL, &t, &used, &d);
  if (got != st || !strstr(d.text, part))
    check_failed(__FILE__, __LINE__, "'%s' gave %s: %s", text, weft_status_name(got), d.text);
  CHECK_INT(used, 77);
  CHECK_INT(c.live_bytes, 0);
  CHECK(c.peak_bytes < 65536);
}

TEST(reads_and_prints_the_same) {
  static const char *const same[] = {"f32[2,3]{1,2,3,4,5,6}",
                                     "i64[]{7}",
                                     "bool[0]",
                                     "str[2]{\"a\",\"b\"}",
                                     "f32[3]",
                                     "seq(f32[2]{1,2})",
                                     "f32[4]{nan,inf,-inf,-0}",
                                     "bool[2]{true,false}",
                                     "c64[2]{(1,2),(-0.5,nan)}",
                                     "c128[]{(1e+300,0.1)}",
                                     "c32[]{(0.1,-2)}",
                                     "f64[2]{0.1,1e+300}",
                                     "f16[3]{0.1,65504,6e-08}",
                                     "bf16[2]{0.1,3.39e+38}",
                                     "f8e4m3fn[3]{448,0.1,-0}",
                                     "f8e5m2[2]{57344,0.09375}",
                                     "f4e2m1[4]{6,-1.5,0.5,0}",
                                     "f6e3m2[3]{28,0.0625,-1}",
                                     "i8[2]{-128,127}",
                                     "u8[2]{0,255}",
                                     "i16[]{-32768}",
                                     "u16[]{65535}",
                                     "i32[]{-2147483648}",
                                     "u32[]{4294967295}",
                                     "i64[2]{-9223372036854775808,9223372036854775807}",
                                     "u64[]{18446744073709551615}",
                                     "i4[3]{-8,7,-1}",
                                     "u4[3]{15,0,9}",
                                     "i2[5]{-2,1,0,-1,1}",
                                     "u2[]{3}",
                                     "u1[9]{1,0,1,1,0,0,1,0,1}",
                                     "qi8[2]{-1,5}",
                                     "qu16[]{65535}",
                                     "hif8[2]{0x3c,0xff}",
                                     "hif4[2]{0x3,0xf}",
                                     "resource[]{0x1234}",
                                     "str[]{\"\\\"\\\\\\n\\u0001\"}",
                                     "str[2]{\"\",\"\xE7\xAE\x97\"}",
                                     "f32[?]",
                                     "f32[-1,4]",
                                     "f32[0,-1]",
                                     "seq()",
                                     "opt()",
                                     "seq(f32)",
                                     "opt(i64[]{3})",
                                     "seq(f32[1]{1},seq(str[]{\"x\"}),opt(i8))",
                                     "undefined[]",
                                     "f32[3,0]",
                                     "f32[2,1]{3,4}",
                                     "f8e8m0[2]{1,0.25}"};
  for (size_t i = 0; i < sizeof same / sizeof *same; i++)
    CHECK_STR(round_trip(same[i]), same[i]);
}

TEST(reads_what_people_write) {
  CHECK_STR(round_trip(" DT_FLOAT[ 2 , 2 ]{ 1 , 2.50 , 0x10 , 1e1 }"), "f32[2,2]{1,2.5,16,10}");
  CHECK_STR(round_trip("i32[2]{0xFF,-0x10}"), "i32[2]{255,-16}");
  CHECK_STR(round_trip("f32[]{0x1.8p3}"), "f32[]{12}");
  CHECK_STR(round_trip("f32[3]{.5,5.,+1}"), "f32[3]{0.5,5,1}");
  CHECK_STR(round_trip("c64[2]{1,(2,3)}"), "c64[2]{(1,0),(2,3)}");
  CHECK_STR(round_trip("bool[2]{1,0}"), "bool[2]{true,false}");
  CHECK_STR(round_trip("bool[0]{}"), "bool[0]");
  CHECK_STR(round_trip("str[2]{\"\\u00e9\",\"\\ud83d\\ude00\\x41\"}"),
            "str[2]{\"\xC3\xA9\",\"\xF0\x9F\x98\x80"
            "A\"}");
  CHECK_STR(round_trip("i64[2] "), "used too little");
  CHECK_STR(round_trip("f32[?,2]"), "f32[-1,2]");
}

TEST(fills_and_counts) {
  CHECK_STR(round_trip("f32[4]{*1}"), "f32[4]{1,1,1,1}");
  CHECK_STR(round_trip("i4[5]{*-3}"), "i4[5]{-3,-3,-3,-3,-3}");
  CHECK_STR(round_trip("c64[2]{*(1,2)}"), "c64[2]{(1,2),(1,2)}");
  CHECK_STR(round_trip("str[3]{*\"ab\"}"), "str[3]{\"ab\",\"ab\",\"ab\"}");
  CHECK_STR(round_trip("bool[3]{*true}"), "bool[3]{true,true,true}");
  CHECK_STR(round_trip("f32[0]{*1}"), "f32[0]");
  CHECK_STR(round_trip("f32[4]{0..}"), "f32[4]{0,1,2,3}");
  CHECK_STR(round_trip("f32[3]{0.5..}"), "f32[3]{0.5,1.5,2.5}");
  CHECK_STR(round_trip("i8[2,2]{-2..}"), "i8[2,2]{-2,-1,0,1}");
  CHECK_STR(round_trip("u64[2]{18446744073709551614..}"),
            "u64[2]{18446744073709551614,18446744073709551615}");
  CHECK_STR(round_trip("i64[0]{5..}"), "i64[0]");
  fails("i8[4]{125..}", WEFT_E_RANGE, "leaves i8");
  fails("u8[257]{0..}", WEFT_E_RANGE, "leaves u8");
  fails("bool[2]{0..}", WEFT_E_SYNTAX, "bool");
  fails("str[2]{\"a\"..}", WEFT_E_SYNTAX, "expected '}'");
}

TEST(printing_is_cut) {
  weft_tensor t;
  weft_tensor_init(&t, NULL);
  CHECK_INT(weft_tensor_parse("f32[5]{0..}", 11, NULL, &t, NULL, NULL), WEFT_OK);
  CHECK_STR(printed(&t, 2), "f32[5]{0,1, ...}");
  CHECK_STR(printed(&t, 5), "f32[5]{0,1,2,3,4}");
  t.bytes = 8;
  CHECK_HAS(printed(&t, 0), "E_CORRUPT");
  weft_tensor_deinit(&t);
}

TEST(symbols_in_dims) {
  weft_symbols *p;
  weft_tensor t;
  char buf[256];
  static const char text[] = "f32[batch,max(seq,1)+1,-1,4]";
  weft_tensor_init(&t, NULL);
  CHECK_INT(weft_symbols_create(NULL, &p), WEFT_OK);
  CHECK_INT(weft_tensor_parse(text, strlen(text), p, &t, NULL, NULL), WEFT_OK);
  CHECK_STR(weft_shape_text(&t.layout.origin, p, buf, sizeof buf), "[batch,max(seq,1)+1,-1,4]");
  CHECK_STR(printed(&t, 0), "f32[-1,-1,-1,4]");
  weft_symbols_destroy(p);
  weft_tensor_deinit(&t);
  CHECK_STR(round_trip("f32[N,2]"), "f32[-1,2]");
}

TEST(errors_say_where_and_what) {
  fails("", WEFT_E_SYNTAX, "expected a dtype");
  fails("f33[2]", WEFT_E_SYNTAX, "tensor literal, byte 0 near 'f33[2]': expected a dtype, got 'f33'");
  fails("f32", WEFT_E_SYNTAX, "expected '['");
  fails("f32[2", WEFT_E_SYNTAX, "expected ']'");
  fails("f32[2]{1,2", WEFT_E_SYNTAX, "expected '}'");
  fails("f32[2]{1}", WEFT_E_SHAPE, "shape [2] needs 2 values, got 1");
  fails("f32[2]{1,2,3}", WEFT_E_SHAPE, "shape [2] needs 2 values, got at least 3");
  fails("f32[2]{}", WEFT_E_SHAPE, "got 0");
  fails("f32[2]{1,x}", WEFT_E_SYNTAX, "'x'");
  fails("f32[]{infinity}", WEFT_E_SYNTAX, "infinity");
  fails("f32[]{1e39}", WEFT_E_SYNTAX, "f32's range");
  fails("f16[]{70000}", WEFT_E_RANGE, "'70000' does not fit f16");
  fails("i8[]{300}", WEFT_E_RANGE, "300 does not fit i8");
  fails("i8[]{-129}", WEFT_E_RANGE, "-129 does not fit i8");
  fails("u8[]{-1}", WEFT_E_RANGE, "-1 does not fit u8");
  fails("i4[]{8}", WEFT_E_RANGE, "8 does not fit i4");
  fails("i64[]{9223372036854775808}", WEFT_E_RANGE, "does not fit i64");
  fails("i64[]{18446744073709551616}", WEFT_E_SYNTAX, "i64");
  fails("i32[]{1.5}", WEFT_E_SYNTAX, "1.5");
  fails("bool[]{2}", WEFT_E_RANGE, "bool");
  fails("hif4[]{0x10}", WEFT_E_RANGE, "hif4");
  fails("f32[-1]{1}", WEFT_E_SHAPE, "known shape, got [-1]");
  fails("f32[?]{1}", WEFT_E_SHAPE, "[?]");
  fails("f32[-3]", WEFT_E_SYNTAX, "in dim 0");
  fails("undefined[]{1}", WEFT_E_DTYPE, "no values");
  fails("str[]{a}", WEFT_E_SYNTAX, "double quotes");
  fails("str[]{\"a", WEFT_E_SYNTAX, "closing quote");
  fails("str[]{\"\\q\"}", WEFT_E_SYNTAX, "escape");
  fails("str[]{\"\\ud83d\"}", WEFT_E_SYNTAX, "escape");
  fails("seq(f32[1]{1}", WEFT_E_SYNTAX, "expected ')'");
  fails("seq(x)", WEFT_E_SYNTAX, "'x' is not a dtype");
  fails("opt(f32[],f32[])", WEFT_E_SYNTAX, "one value");
  fails("seq(seq(seq(seq(seq(seq(seq(seq(seq(seq(f32))))))))))", WEFT_E_LIMIT, "nested deeper");
  fails("f32[1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1]", WEFT_E_LIMIT, "25 dims");
}

TEST(limits_before_allocation) {
  fails("f32[99999999999]{*1}", WEFT_E_LIMIT, "99999999999");
  fails("str[99999999999]{*\"a\"}", WEFT_E_LIMIT, "99999999999");
  fails("u8[2147483649]{0..}", WEFT_E_LIMIT, "2147483649");
  fails("f32[99999999999]{1,2}", WEFT_E_SHAPE, "99999999999 values");
  fails("str[99999999999]{\"a\"}", WEFT_E_SHAPE, "needs 99999999999 values, got 1");
  fails("f32[4294967296,4294967296]{*1}", WEFT_E_OVERFLOW, "overflow");
  fails("f32[4294967296,4294967296]", WEFT_E_OVERFLOW, "overflow");
}

TEST(failure_leaves_the_tensor) {
  weft_tensor t;
  weft_tensor_init(&t, NULL);
  CHECK_INT(weft_tensor_parse("i64[]{7}", 8, NULL, &t, NULL, NULL), WEFT_OK);
  CHECK_FAILS(weft_tensor_parse("i64[]{x}", 8, NULL, &t, NULL, NULL), WEFT_E_SYNTAX);
  CHECK_INT(weft_tensor_i64(&t)[0], 7);
  weft_tensor_deinit(&t);
}

// Every prefix and many mutations: any answer, no crash, nothing left behind; what is read prints and reads
// back alike.
TEST(hostile_text) {
  static const char *const seeds[] = {"f32[2,3]{1,2,3,4,5,6}",
                                      "seq(str[2]{\"a\\u0041\",\"b\"},opt(i4[3]{-1..}))",
                                      "c64[N,2*M+max(N,1)]{(1,2),(nan,-inf)}", "f8e4m3fn[4]{*0x1.8p-3}"};
  static const char pool[] = "[]{}(),.\"\\-*0123456789xfnuse+?N ";
  uint32_t seed = 1;
  for (int round = 0; round < 6000; round++) {
    check_alloc c = {0};
    weft_allocator a = check_allocator(&c);
    const char *s = seeds[round % 4];
    size_t n = strlen(s);
    char *text = malloc(n + 1);  // exact, so that reading past the end is seen
    memcpy(text, s, n);
    for (int k = 0; k < 1 + round % 3; k++) {
      seed = seed * 1664525 + 1013904223;
      if (seed >> 31)
        n -= (seed >> 9) % (n > 8 ? 8 : 1);
      else
        text[(seed >> 8) % n] = pool[(seed >> 20) % (sizeof pool - 1)];
    }
    char *exact = malloc(n ? n : 1);
    memcpy(exact, text, n);
    weft_tensor t;
    weft_tensor u;
    weft_tensor_init(&t, &a);
    weft_tensor_init(&u, &a);
    if (!weft_tensor_parse(exact, n, NULL, &t, NULL, NULL)) {
      const char *out = printed(&t, 0);
      if (strlen(out) < 4000) {
        CHECK_INT(weft_tensor_parse(out, strlen(out), NULL, &u, NULL, NULL), WEFT_OK);
        if (!weft__tensor_same(&t, &u))
          check_failed(__FILE__, __LINE__, "'%.*s' prints as %s", (int)n, exact, out);
      }
    }
    weft_tensor_deinit(&t);
    weft_tensor_deinit(&u);
    CHECK_INT(c.live_bytes, 0);
    free(text);
    free(exact);
  }
}
// SPDX-License-Identifier: Apache-2.0
