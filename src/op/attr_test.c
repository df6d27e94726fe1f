// attr_test.c - R38, R202, R203, R204, R212, R213 on attribute values; text both ways; copies; hostile text.
#include "check.h"
#include "op/attr.h"

typedef struct fixture {
  weft_allocator a;
  weft_arena arena;
  char text[4096];
} fixture;

static void open_fixture(fixture *f) {
  f->a = weft_allocator_default();
  weft__arena_init(&f->arena, &f->a);
}

static const char *print(fixture *f, const weft_attr *a) {
  weft_text out;
  weft__text_init(&out, &f->a);
  weft_status st = weft_attr_print(a, weft__text_write, &out);
  snprintf(f->text, sizeof f->text, "%s%.*s", st ? weft_status_name(st) : "", (int)out.n, out.v ? out.v : "");
  weft__text_deinit(&out);
  return f->text;
}

static const char *round_trip(fixture *f, weft_attr_type type, const char *text) {
  weft_attr a;
  weft_attr b;
  weft_diag d = {0};
  size_t used = 0;
  if (weft_attr_parse(type, text, strlen(text), &f->arena, &a, &used, &d)) {
    snprintf(f->text, sizeof f->text, "%s", d.text);
    return f->text;
  }
  if (used != strlen(text))
    return "used too little";
  const char *out = print(f, &a);
  if (weft_attr_parse(type, out, strlen(out), &f->arena, &b, NULL, NULL) || !weft_attr_equal(&a, &b))
    return "reads back differently";
  return out;
}

TEST(r38_type_codes_and_names) {
  CHECK_INT(WEFT_VT_INT, 4);
  CHECK_INT(WEFT_VT_LIST_INT, 1004);
  CHECK_STR(weft_attr_type_name(WEFT_VT_LIST_INT), "ListInt");
  CHECK_STR(weft_attr_type_name(999), "None");
  CHECK_INT(weft_attr_type_parse("ListListInt", 11), WEFT_VT_LIST_LIST_INT);
  CHECK_INT(weft_attr_type_parse("ListInt", 7), WEFT_VT_LIST_INT);
  CHECK_INT(weft_attr_type_parse("List", 4), WEFT_VT_NONE);
  CHECK_INT(weft_attr_type_parse("", 0), WEFT_VT_NONE);
}

TEST(r202_r203_typed_values) {
  static const int64_t v[] = {1, 2, 3};
  weft_attr i = weft_attr_int(42);
  weft_attr f = weft_attr_float(3.14f);
  weft_attr s = weft_attr_str("RELU", 4);
  weft_attr l = weft_attr_ints(v, 3);
  weft_attr b = weft_attr_bool(true);
  int64_t iv = 0;
  float fv = 0;
  bool bv = false;
  weft_str sv;
  weft_ints lv;
  weft_diag d = {0};
  CHECK_OK(weft_attr_get_int(&i, &iv, &d), &d);
  CHECK_OK(weft_attr_get_float(&f, &fv, &d), &d);
  CHECK_OK(weft_attr_get_bool(&b, &bv, &d), &d);
  CHECK_OK(weft_attr_get_str(&s, &sv, &d), &d);
  CHECK_OK(weft_attr_get_ints(&l, &lv, &d), &d);
  CHECK(iv == 42 && fv == 3.14f && bv && sv.bytes == 4 && lv.n == 3 && lv.v[2] == 3);
  fixture x;
  open_fixture(&x);
  CHECK_STR(print(&x, &i), "42");
  CHECK_STR(print(&x, &f), "3.14");
  CHECK_STR(print(&x, &s), "\"RELU\"");
  CHECK_STR(print(&x, &l), "[1,2,3]");
  CHECK_STR(print(&x, &b), "true");
  weft__arena_deinit(&x.arena);
}

TEST(r204_never_converts) {
  weft_attr i = weft_attr_int(42);
  float f = 7;
  weft_diag d = {0};
  CHECK_FAILS(weft_attr_get_float(&i, &f, &d), WEFT_E_TYPE);
  CHECK(f == 7);
  CHECK_STR(d.text, "attribute value: expected Float (VT: 2), got Int (VT: 4)");
  bool b = true;
  weft_attr t = weft_attr_dtype(WEFT_INT32);
  int64_t v = 7;
  CHECK_FAILS(weft_attr_get_bool(&i, &b, NULL), WEFT_E_TYPE);
  CHECK_FAILS(weft_attr_get_int(&t, &v, NULL), WEFT_E_TYPE);
  CHECK(v == 7);
}

TEST(r212_ints_are_64_bit) {
  weft_attr a = weft_attr_int(42);
  weft_attr b = weft_attr_int(42LL);
  weft_attr c = weft_attr_int(INT64_MAX);
  fixture x;
  open_fixture(&x);
  CHECK(weft_attr_equal(&a, &b));
  CHECK(!weft_attr_equal(&a, &c));
  CHECK_STR(print(&x, &c), "9223372036854775807");
  CHECK_STR(round_trip(&x, WEFT_VT_INT, "9223372036854775807"), "9223372036854775807");
  CHECK_STR(round_trip(&x, WEFT_VT_INT, "-9223372036854775808"), "-9223372036854775808");
  CHECK_HAS(round_trip(&x, WEFT_VT_INT, "9223372036854775808"), "expected an integer of 64 bits");
  weft__arena_deinit(&x.arena);
}

TEST(r213_copies_are_owned) {
  char text[] = "RELU";
  char part[] = "xy";
  int64_t v[] = {1, 2, 3};
  weft_str strs[] = {{part, 2}, {NULL, 0}};
  weft_ints lists[] = {{v, 2}, {NULL, 0}};
  fixture x;
  open_fixture(&x);
  weft_tensor t;
  weft_tensor_init(&t, NULL);
  CHECK_INT(weft_tensor_parse("f32[2]{1,2}", 11, NULL, &t, NULL, NULL), WEFT_OK);
  const weft_tensor *tensors[] = {&t, &t};
  float floats[] = {1, NAN};
  bool bools[] = {true, false};
  weft_attr in[] = {weft_attr_str(text, 4),
                    weft_attr_ints(v, 3),
                    weft_attr_strs(strs, 2),
                    weft_attr_tensor(&t),
                    weft_attr_floats(floats, 2),
                    {.type = WEFT_VT_LIST_LIST_INT, .n = 2, .u.int_lists = lists},
                    {.type = WEFT_VT_LIST_TENSOR, .n = 2, .u.tensors = tensors},
                    {.type = WEFT_VT_LIST_BOOL, .n = 2, .u.bools = bools},
                    weft_attr_ints(NULL, 0),
                    weft_attr_int(3),
                    {0}};
  weft_attr out[11];
  for (int i = 0; i < 11; i++) {
    CHECK_INT(weft_attr_copy(&in[i], &x.arena, &out[i]), WEFT_OK);
    CHECK(weft_attr_equal(&in[i], &out[i]));
  }
  CHECK_INT(out[0].u.s[4], 0);
  CHECK_INT(out[2].u.strs[0].text[2], 0);
  text[0] = part[0] = 'z';
  v[0] = 9;
  floats[0] = 5;
  bools[1] = true;
  ((float *)t.data)[0] = 7;
  for (int i = 0; i < 8; i++)
    CHECK(!weft_attr_equal(&in[i], &out[i]));
  CHECK_STR(print(&x, &out[0]), "\"RELU\"");
  CHECK_STR(print(&x, &out[5]), "[[1,2],[]]");
  CHECK_STR(print(&x, &out[6]), "[f32[2]{1,2},f32[2]{1,2}]");
  weft_tensor_deinit(&t);
  weft__arena_deinit(&x.arena);
}

TEST(equality) {
  weft_attr nan = weft_attr_float(NAN);
  weft_attr zero = weft_attr_float(0);
  weft_attr minus = weft_attr_float(-0.0f);
  weft_attr i = weft_attr_int(0);
  CHECK(weft_attr_equal(&nan, &nan));
  CHECK(!weft_attr_equal(&zero, &minus));
  CHECK(!weft_attr_equal(&zero, &i));
  weft_attr d = i;
  d.is_default = 1;
  CHECK(weft_attr_equal(&d, &i));
}

TEST(text_round_trips) {
  static const struct {
    weft_attr_type type;
    const char *in;
    const char *out;
  } cases[] = {{WEFT_VT_INT, "3", "3"},
               {WEFT_VT_INT, "-0x10", "-16"},
               {WEFT_VT_INT, "3LL", "3"},
               {WEFT_VT_INT, "DT_INT8", "2"},
               {WEFT_VT_FLOAT, "3.14", "3.14"},
               {WEFT_VT_FLOAT, "1e-5f", "1e-05"},
               {WEFT_VT_FLOAT, "0", "0"},
               {WEFT_VT_FLOAT, "1.f / 4", "0.25"},
               {WEFT_VT_FLOAT, "-inf", "-inf"},
               {WEFT_VT_FLOAT, "nan", "nan"},
               {WEFT_VT_FLOAT, "1E-8", "1e-08"},
               {WEFT_VT_FLOAT, "0x1f", "31"},
               {WEFT_VT_BOOL, "true", "true"},
               {WEFT_VT_BOOL, "false", "false"},
               {WEFT_VT_STRING, "\"NCHW\"", "\"NCHW\""},
               {WEFT_VT_STRING, "\"\"", "\"\""},
               {WEFT_VT_STRING, "\"a\\\"b\\n\"", "\"a\\\"b\\n\""},
               {WEFT_VT_BYTES, "\"\\x00\\xff\"", "\"\\u0000\xFF\""},
               {WEFT_VT_LIST_INT, "[1,2]", "[1,2]"},
               {WEFT_VT_LIST_INT, "{1, 1, 1, 1}", "[1,1,1,1]"},
               {WEFT_VT_LIST_INT, "{ -1 }", "[-1]"},
               {WEFT_VT_LIST_INT, "{}", "[]"},
               {WEFT_VT_LIST_FLOAT, "{1.f / 4, 1.f / 8}", "[0.25,0.125]"},
               {WEFT_VT_LIST_FLOAT, "{ 0.75f, 1.33f }", "[0.75,1.33]"},
               {WEFT_VT_LIST_BOOL, "{true, false, false}", "[true,false,false]"},
               {WEFT_VT_LIST_STRING, "{\"no_filter\"}", "[\"no_filter\"]"},
               {WEFT_VT_LIST_LIST_INT, "{{}, {}}", "[[],[]]"},
               {WEFT_VT_LIST_LIST_INT, "[[1],[2,3]]", "[[1],[2,3]]"},
               {WEFT_VT_TYPE, "DT_FLOAT", "f32"},
               {WEFT_VT_TYPE, "f16", "f16"},
               {WEFT_VT_TYPE, "DT_UNDEFINED", "undefined"},
               {WEFT_VT_LIST_TYPE, "[f16,DT_BOOL]", "[f16,bool]"},
               {WEFT_VT_TENSOR, "f32[2]{1,2}", "f32[2]{1,2}"},
               {WEFT_VT_TENSOR, "Tensor()", "f32[]"},
               {WEFT_VT_LIST_TENSOR, "[f32[2]{1,2},i64[]{3}]", "[f32[2]{1,2},i64[]{3}]"}};
  fixture x;
  open_fixture(&x);
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
    CHECK_STR(round_trip(&x, cases[i].type, cases[i].in), cases[i].out);
  weft_attr a;
  size_t used = 0;
  CHECK_INT(weft_attr_parse(WEFT_VT_FLOAT, "1.5 axis=3", 10, &x.arena, &a, &used, NULL), WEFT_OK);
  CHECK_INT(used, 3);
  weft__arena_deinit(&x.arena);
}

TEST(text_errors) {
  static const struct {
    weft_attr_type type;
    weft_status st;
    const char *text;
    const char *part;
  } cases[] = {{WEFT_VT_INT, WEFT_E_SYNTAX, "1.5", "attribute value, byte 0 near '1.5': expected an integer"},
               {WEFT_VT_INT, WEFT_E_SYNTAX, "", "in a value of type Int"},
               {WEFT_VT_INT, WEFT_E_SYNTAX, "LL", "integer"},
               {WEFT_VT_BOOL, WEFT_E_SYNTAX, "1", "true or false"},
               {WEFT_VT_FLOAT, WEFT_E_SYNTAX, "f", "number"},
               {WEFT_VT_FLOAT, WEFT_E_SYNTAX, "1/0", "zero"},
               {WEFT_VT_FLOAT, WEFT_E_SYNTAX, "1e99", "range"},
               {WEFT_VT_STRING, WEFT_E_SYNTAX, "NCHW", "double quotes"},
               {WEFT_VT_LIST_INT, WEFT_E_SYNTAX, "[1,2", "expected ',' or ']'"},
               {WEFT_VT_LIST_INT, WEFT_E_SYNTAX, "[1,2}", "expected ',' or ']'"},
               {WEFT_VT_LIST_INT, WEFT_E_SYNTAX, "3", "list"},
               {WEFT_VT_LIST_LIST_INT, WEFT_E_SYNTAX, "[1]", "list"},
               {WEFT_VT_TYPE, WEFT_E_SYNTAX, "f33", "'f33'"},
               {WEFT_VT_LIST_LIST_FLOAT, WEFT_E_UNSUPPORTED, "[[1]]", "ListListFloat"},
               {WEFT_VT_NONE, WEFT_E_UNSUPPORTED, "1", "None"},
               {WEFT_VT_TENSOR, WEFT_E_LIMIT, "f32[99999999999]{*1}", "99999999999"},
               {777, WEFT_E_UNSUPPORTED, "1", "777"}};
  fixture x;
  open_fixture(&x);
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    weft_attr a = weft_attr_int(77);
    weft_diag d = {0};
    weft_status st =
        weft_attr_parse(cases[i].type, cases[i].text, strlen(cases[i].text), &x.arena, &a, NULL, &d);
    if (st != cases[i].st || !strstr(d.text, cases[i].part))
      check_failed(__FILE__, __LINE__, "'%s' gave %s: %s", cases[i].text, weft_status_name(st), d.text);
    CHECK_INT(a.u.i, 77);
  }
  weft__arena_deinit(&x.arena);
}

TEST(every_allocation_failed_once) {
  static const struct {
    weft_attr_type type;
    const char *text;
  } cases[] = {{WEFT_VT_LIST_STRING, "[\"a\",\"bc\"]"},
               {WEFT_VT_LIST_LIST_INT, "[[1],[2,3]]"},
               {WEFT_VT_LIST_TENSOR, "[str[1]{\"a\"},seq(f32[]{1})]"}};
  for (size_t k = 0; k < 3; k++) {
    for (long i = 1;; i++) {
      check_alloc c = {.fail_at = i};
      weft_allocator a = check_allocator(&c);
      weft_arena arena;
      weft_attr v;
      weft_attr w;
      weft__arena_init(&arena, &a);
      weft_status st =
          weft_attr_parse(cases[k].type, cases[k].text, strlen(cases[k].text), &arena, &v, NULL, NULL);
      if (!st)
        st = weft_attr_copy(&v, &arena, &w);
      if (!st)
        CHECK(weft_attr_equal(&v, &w));
      weft__arena_deinit(&arena);
      CHECK_INT(c.live_bytes, 0);
      if (c.calls < i)
        break;
      CHECK_INT(st, WEFT_E_NOMEM);
    }
  }
}

TEST(hostile_text) {
  static const char *const seeds[] = {"[[1,-2],{3}]", "[\"a\\u0041\",\"b\"]", "[f32[2]{1,2},Tensor()]",
                                      "{1.f / 4, 1e-5f}"};
  static const weft_attr_type types[] = {WEFT_VT_LIST_LIST_INT, WEFT_VT_LIST_STRING, WEFT_VT_LIST_TENSOR,
                                         WEFT_VT_LIST_FLOAT};
  static const char pool[] = "[]{}(),.\"\\-*/0123456789xfnuse+? ";
  uint32_t seed = 3;
  for (int round = 0; round < 4000; round++) {
    fixture x;
    weft_attr a;
    size_t n = strlen(seeds[round % 4]);
    open_fixture(&x);
    char *text = malloc(n);
    memcpy(text, seeds[round % 4], n);
    for (int k = 0; k < 1 + round % 3; k++) {
      seed = seed * 1664525 + 1013904223;
      text[(seed >> 8) % n] = pool[(seed >> 20) % (sizeof pool - 1)];
    }
    if (!weft_attr_parse(types[round % 4], text, n, &x.arena, &a, NULL, NULL))
      print(&x, &a);
    weft__arena_deinit(&x.arena);
    free(text);
  }
}
// SPDX-License-Identifier: Apache-2.0
