// tensor_test.c - R119, R201, strings, ownership, copies, comparison.
#include "check.h"
#include "tensor/tensor.h"

static void from_text(weft_tensor *t, const char *text) {
  weft_diag d = {0};
  size_t used = 0;
  weft_status st = weft_tensor_parse(text, strlen(text), NULL, t, &used, &d);
  if (st || used != strlen(text))
    check_failed(__FILE__, __LINE__, "'%s': %s", text, d.text);
}

static weft_status compare(const char *x, const char *y, double rtol, double atol, weft_diag *d) {
  weft_tensor a;
  weft_tensor b;
  weft_tensor_init(&a, NULL);
  weft_tensor_init(&b, NULL);
  from_text(&a, x);
  from_text(&b, y);
  memset(d, 0, sizeof *d);
  weft_status st = weft_tensor_compare(&a, &b, rtol, atol, d);
  weft_tensor_deinit(&a);
  weft_tensor_deinit(&b);
  return st;
}

TEST(r201_described_without_data) {
  weft_tensor t;
  weft_tensor_init(&t, NULL);
  CHECK_INT(t.size, sizeof t);
  CHECK_INT(t.dtype, WEFT_FLOAT);
  CHECK_INT(t.format, WEFT_ND);
  CHECK_INT(weft_tensor_elems(&t), 1);
  weft_dim dims[] = {2, -1};
  CHECK_INT(weft_tensor_borrow(&t, WEFT_INT64, dims, 2, NULL, 0, NULL), WEFT_OK);
  CHECK(!t.data);
  CHECK_INT(t.dtype, WEFT_INT64);
  CHECK_INT(weft_tensor_elems(&t), -1);
  CHECK(!weft_tensor_i64(&t));
  weft_tensor_deinit(&t);
  weft_tensor_deinit(NULL);
}

TEST(alloc_is_aligned_zeroed_and_freed) {
  check_alloc c = {0};
  weft_allocator a = check_allocator(&c);
  weft_tensor t;
  weft_diag d = {0};
  weft_dim dims[] = {3, 5};
  weft_dim zero[] = {0, 5};
  weft_tensor_init(&t, &a);
  CHECK_OK(weft_tensor_alloc(&t, WEFT_FLOAT, dims, 2, &d), &d);
  CHECK_INT((uintptr_t)t.data % 64, 0);
  CHECK_INT(t.bytes, 60);
  CHECK(t.capacity >= t.bytes && t.owned);
  for (int i = 0; i < 15; i++)
    CHECK(weft_tensor_f32(&t)[i] == 0);
  memset(t.data, 1, t.bytes);
  void *was = t.data;
  CHECK_OK(weft_tensor_alloc(&t, WEFT_INT8, dims, 2, &d), &d);  // fits: the memory stays
  CHECK(t.data == was && ((char *)t.data)[0] == 0);
  CHECK_INT(t.bytes, 15);
  CHECK_OK(weft_tensor_alloc(&t, WEFT_INT4, dims, 2, &d), &d);  // packed: 8 bytes for 15 elements
  CHECK_INT(t.bytes, 8);
  CHECK_OK(weft_tensor_alloc(&t, WEFT_FLOAT, zero, 2, &d), &d);
  CHECK(t.data && t.bytes == 0);
  weft_tensor_deinit(&t);
  weft_tensor_deinit(&t);
  CHECK_INT(c.live_blocks, 0);
  CHECK_INT(c.live_bytes, 0);
  weft_tensor_init(&t, &a);
  CHECK_OK(weft_tensor_alloc(&t, WEFT_FLOAT, zero, 2, &d), &d);
  CHECK(t.data && t.bytes == 0);
  weft_tensor_deinit(&t);
  CHECK_INT(c.live_bytes, 0);
}

TEST(alloc_refuses) {
  check_alloc c = {0};
  weft_allocator a = check_allocator(&c);
  weft_tensor t;
  weft_dim big[] = {INT64_C(1) << 40, INT64_C(1) << 40};
  weft_dim large[] = {INT64_MAX / 4};
  weft_dim unknown[] = {-1};
  weft_dim many[26] = {0};
  weft_tensor_init(&t, &a);
  CHECK_FAILS(weft_tensor_alloc(&t, WEFT_FLOAT, big, 2, NULL), WEFT_E_OVERFLOW);
  CHECK_FAILS(weft_tensor_alloc(&t, WEFT_DOUBLE, large, 1, NULL), WEFT_E_OVERFLOW);
  CHECK_FAILS(weft_tensor_alloc(&t, WEFT_FLOAT, unknown, 1, NULL), WEFT_E_SHAPE);
  CHECK_FAILS(weft_tensor_alloc(&t, WEFT_UNDEFINED, NULL, 0, NULL), WEFT_E_DTYPE);
  CHECK_FAILS(weft_tensor_alloc(&t, WEFT_FLOAT, many, 26, NULL), WEFT_E_LIMIT);
  CHECK_INT(c.calls, 0);
  weft_tensor_deinit(&t);
}

TEST(borrowed_memory_stays_the_callers) {
  int32_t data[4] = {1, 2, 3, 4};
  weft_tensor t;
  weft_diag d = {0};
  weft_dim dims[] = {4};
  weft_dim five[] = {5};
  weft_tensor_init(&t, NULL);
  CHECK_OK(weft_tensor_borrow(&t, WEFT_INT32, dims, 1, data, sizeof data, &d), &d);
  CHECK(weft_tensor_i32(&t) == data && !t.owned);
  CHECK(!weft_tensor_i64(&t) && !weft_tensor_f32(&t));  // R119
  CHECK_FAILS(weft_tensor_borrow(&t, WEFT_INT32, five, 1, data, sizeof data, &d), WEFT_E_SHAPE);
  CHECK_HAS(d.text, "i32[5] needs 20 bytes, got 16");
  CHECK_FAILS(weft_tensor_borrow(&t, WEFT_INT32, five, 1, NULL, 20, NULL), WEFT_E_INVALID);
  CHECK(weft_tensor_i32(&t) == data);
  weft_tensor_deinit(&t);
  CHECK_INT(data[3], 4);
}

TEST(layout_with_storage) {
  weft_tensor t;
  weft_diag d = {0};
  weft_dim origin[] = {1, 3, 2, 2};
  weft_dim storage[] = {1, 1, 2, 2, 16};
  weft_layout l;
  CHECK_INT(weft_shape_init(&l.origin, origin, 4), WEFT_OK);
  CHECK_INT(weft_shape_init(&l.storage, storage, 5), WEFT_OK);
  weft_tensor_init(&t, NULL);
  CHECK_OK(weft_tensor_alloc_layout(&t, WEFT_FLOAT16, &l, WEFT_NCHW, WEFT_NC1HWC0, &d), &d);
  CHECK_INT(t.bytes, 128);
  CHECK_INT(weft_tensor_elems(&t), 64);
  CHECK_INT(t.origin_format, WEFT_NCHW);
  CHECK_INT(t.format, WEFT_NC1HWC0);
  CHECK_INT(t.layout.origin.rank, 4);
  weft_tensor_deinit(&t);
}

TEST(strings) {
  check_alloc c = {0};
  weft_allocator a = check_allocator(&c);
  weft_tensor t;
  weft_tensor u;
  weft_diag d = {0};
  const char *text[] = {"a", "", "zero\0in", "\xE7\xAE\x97\xE5\xAD\x90"};
  const char *out;
  size_t bytes[] = {1, 0, 7, 6};
  size_t n;
  weft_dim dims[] = {2, 2};
  weft_tensor_init(&t, &a);
  weft_tensor_init(&u, &a);
  CHECK_OK(weft_tensor_set_strings(&t, dims, 2, text, bytes, &d), &d);
  CHECK_INT(t.dtype, WEFT_STRING);
  CHECK_OK(weft_tensor_copy(&u, &t, &d), &d);
  for (size_t i = 0; i < 4; i++) {
    CHECK_OK(weft_tensor_string(&u, i, &out, &n, &d), &d);
    CHECK(n == bytes[i] && !memcmp(out, text[i], n) && !out[n]);
    CHECK(out >= (char *)u.data && out < (char *)u.data + u.bytes);
  }
  CHECK_FAILS(weft_tensor_string(&t, 4, &out, &n, NULL), WEFT_E_RANGE);
  weft_string bad[] = {{-1, 1},        {0, -1},    {INT64_MAX, 1},
                       {0, INT64_MAX}, {64, 1000}, {(int64_t)t.bytes + 1, 0}};
  for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
    memcpy(t.data, &bad[i], sizeof bad[i]);
    CHECK_FAILS(weft_tensor_string(&t, 0, &out, &n, NULL), WEFT_E_CORRUPT);
  }
  // strings of the tensor itself as input, zero-terminated
  const char *own[1];
  CHECK_OK(weft_tensor_string(&u, 3, &own[0], &n, &d), &d);
  CHECK_OK(weft_tensor_set_strings(&u, NULL, 0, own, NULL, &d), &d);
  CHECK_OK(weft_tensor_string(&u, 0, &out, &n, &d), &d);
  CHECK_STR(out, text[3]);
  own[0] = NULL;
  CHECK_FAILS(weft_tensor_set_strings(&u, NULL, 0, own, NULL, NULL), WEFT_E_INVALID);
  bytes[0] = bytes[1] = SIZE_MAX / 2;
  CHECK_FAILS(weft_tensor_set_strings(&u, dims, 2, text, bytes, NULL), WEFT_E_OVERFLOW);
  CHECK_OK(weft_tensor_alloc(&t, WEFT_STRING, dims, 2, &d), &d);  // empty strings
  CHECK_OK(weft_tensor_string(&t, 3, &out, &n, &d), &d);
  CHECK_INT(n, 0);
  weft_tensor_deinit(&t);
  weft_tensor_deinit(&u);
  CHECK_INT(c.live_bytes, 0);
  weft_tensor_init(&t, NULL);
  CHECK_FAILS(weft_tensor_string(&t, 0, &out, &n, NULL), WEFT_E_DTYPE);
}

TEST(copies_are_deep) {
  weft_tensor t;
  weft_tensor u;
  weft_diag d = {0};
  weft_tensor_init(&t, NULL);
  weft_tensor_init(&u, NULL);
  from_text(&t, "seq(f32[2]{1,2},seq(i64[]{7}))");
  CHECK_INT(t.kind, WEFT_KIND_SEQUENCE);
  CHECK_INT(t.n_items, 2);
  CHECK_OK(weft_tensor_copy(&u, &t, &d), &d);
  CHECK(weft__tensor_same(&t, &u));
  ((float *)t.items[0]->data)[1] = 9;
  CHECK(weft_tensor_f32(u.items[0])[1] == 2);
  CHECK(!weft__tensor_same(&t, &u));
  CHECK_OK(weft_tensor_copy(&u, u.items[1], &d), &d);  // out of itself
  CHECK_INT(u.kind, WEFT_KIND_SEQUENCE);
  CHECK_OK(weft_tensor_copy(&u, u.items[0], &d), &d);
  CHECK_INT(weft_tensor_i64(&u)[0], 7);
  CHECK_OK(weft_tensor_copy(&u, &u, &d), &d);
  CHECK_INT(weft_tensor_i64(&u)[0], 7);
  from_text(&t, "f32[3]");
  CHECK_OK(weft_tensor_copy(&u, &t, &d), &d);
  CHECK(!u.data && u.dtype == WEFT_FLOAT && weft_tensor_elems(&u) == 3);
  weft_tensor_deinit(&t);
  weft_tensor_deinit(&u);
}

TEST(compare_floats) {
  weft_diag d;
  CHECK_INT(compare("f32[2,3]{1,2,3,4,5,6}", "f32[2,3]{1,2,3,4,5,6}", 0, 0, &d), WEFT_OK);
  CHECK_INT(compare("f32[4]{nan,inf,-inf,0}", "f32[4]{nan,inf,-inf,-0}", 0, 0, &d), WEFT_OK);
  CHECK_INT(compare("f32[]{inf}", "f32[]{-inf}", 1, 1, &d), WEFT_E_DIFFERENT);
  CHECK_INT(compare("f32[]{3e38}", "f32[]{inf}", 1, 1, &d), WEFT_E_DIFFERENT);
  CHECK_INT(compare("f32[]{nan}", "f32[]{1}", 1, 1, &d), WEFT_E_DIFFERENT);
  CHECK_INT(compare("f64[]{1.5}", "f64[]{1}", 0.5, 0, &d), WEFT_OK);
  CHECK_INT(compare("f64[]{1.5}", "f64[]{1}", 0.25, 0.25, &d), WEFT_OK);
  CHECK_INT(compare("f64[]{1.5}", "f64[]{1}", 0.25, 0.125, &d), WEFT_E_DIFFERENT);
  CHECK_INT(compare("f16[3]{1,2.5,9}", "f16[3]{1,2,3}", 0, 0.125, &d), WEFT_E_DIFFERENT);
  CHECK_STR(d.text,
            "compare: element [1] is 2.5, expected 2; 2 of 3 elements differ, by at most 6 at [2] (rtol 0, "
            "atol 0.125)");
  CHECK_INT(compare("c64[2]{(1,2),(3,4)}", "c64[2]{(1,2),(3,4.5)}", 0, 0.5, &d), WEFT_OK);
  CHECK_INT(compare("c64[2]{(1,2),(3,4)}", "c64[2]{(1,2),(3,4.5)}", 0, 0.25, &d), WEFT_E_DIFFERENT);
  CHECK_HAS(d.text, "element [1] is (3,4), expected (3,4.5)");
  CHECK_INT(compare("f32[]{1}", "f32[]{1}", -1, 0, &d), WEFT_E_INVALID);
  CHECK_INT(compare("f32[]{1}", "f32[]{1}", 0, NAN, &d), WEFT_E_INVALID);
}

TEST(compare_the_rest) {
  weft_diag d;
  CHECK_INT(compare("i32[2]{1,2}", "i32[2]{1,3}", 1, 1, &d), WEFT_E_DIFFERENT);
  CHECK_HAS(d.text, "element [1] is 2, expected 3; 1 of 2 elements differ, by at most 1 at [1]");
  CHECK_INT(compare("i4[3]{1,-2,3}", "i4[3]{1,-2,3}", 0, 0, &d), WEFT_OK);
  CHECK_INT(compare("bool[2]{true,false}", "bool[2]{true,true}", 0, 0, &d), WEFT_E_DIFFERENT);
  CHECK_INT(compare("str[2]{\"a\",\"b\"}", "str[2]{\"a\",\"b\"}", 0, 0, &d), WEFT_OK);
  CHECK_INT(compare("str[2]{\"a\",\"b\"}", "str[2]{\"a\",\"bc\"}", 0, 0, &d), WEFT_E_DIFFERENT);
  CHECK_HAS(d.text, "element [1] is \"b\", expected \"bc\"");
  CHECK_INT(compare("f32[2]{1,2}", "f64[2]{1,2}", 0, 0, &d), WEFT_E_DIFFERENT);
  CHECK_HAS(d.text, "dtype f32, expected f64");
  CHECK_INT(compare("f32[2]{1,2}", "f32[1,2]{1,2}", 0, 0, &d), WEFT_E_DIFFERENT);
  CHECK_HAS(d.text, "shape [2], expected [1,2]");
  CHECK_INT(compare("f32[2]{1,2}", "f32[2]", 0, 0, &d), WEFT_E_DIFFERENT);
  CHECK_INT(compare("f32[2]", "f32[2]", 0, 0, &d), WEFT_OK);
  CHECK_INT(compare("f32[0]", "f32[0]", 0, 0, &d), WEFT_OK);
  CHECK_INT(compare("seq(f32[]{1},f32[]{2})", "seq(f32[]{1},f32[]{3})", 0, 0, &d), WEFT_E_DIFFERENT);
  CHECK_HAS(d.text, "in item 1");
  CHECK_INT(compare("seq(f32[]{1})", "opt(f32[]{1})", 0, 0, &d), WEFT_E_DIFFERENT);
  CHECK_INT(compare("seq(f32[]{1})", "seq(f32)", 0, 0, &d), WEFT_E_DIFFERENT);
  CHECK_INT(compare("u64[]{18446744073709551615}", "u64[]{18446744073709551614}", 1, 1, &d),
            WEFT_E_DIFFERENT);
}

TEST(same_is_about_bits) {
  static const struct {
    const char *a;
    const char *b;
    bool same;
  } cases[] = {{"f32[2]{nan,1}", "f32[2]{nan,1}", true},
               {"f32[]{0}", "f32[]{-0}", false},
               {"f32[]{nan}", "f32[]{-nan}", true},
               {"str[]{\"a\"}", "str[]{\"a\"}", true},
               {"i4[3]{1,2,3}", "i4[3]{1,2,3}", true},
               {"i4[3]{1,2,3}", "u4[3]{1,2,3}", false},
               {"f32[2]", "f32[2]", true},
               {"f32[2]", "f32[2]{1,2}", false},
               {"f32[2]{1,2}", "f32[2,1]{1,2}", false},
               {"c64[]{(nan,0)}", "c64[]{(-nan,0)}", true}};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    weft_tensor a;
    weft_tensor b;
    weft_tensor_init(&a, NULL);
    weft_tensor_init(&b, NULL);
    from_text(&a, cases[i].a);
    from_text(&b, cases[i].b);
    if (weft__tensor_same(&a, &b) != cases[i].same)
      check_failed(__FILE__, __LINE__, "%s and %s", cases[i].a, cases[i].b);
    weft_tensor_deinit(&a);
    weft_tensor_deinit(&b);
  }
}

TEST(bits_of_any_width) {
  static const weft_dtype types[] = {WEFT_UINT1,   WEFT_INT2,  WEFT_INT4, WEFT_FLOAT6_E3M2, WEFT_INT8,
                                     WEFT_FLOAT16, WEFT_INT32, WEFT_DUAL, WEFT_INT64};
  for (size_t k = 0; k < sizeof types / sizeof *types; k++) {
    uint8_t data[64] = {0};
    uint32_t bits = weft_dtype_bits(types[k]);
    uint64_t mask = UINT64_MAX >> (64 - bits);
    size_t n = 64 * 8 / bits;
    for (size_t i = 0; i < n; i++)
      weft__bits_put(types[k], data, i, i * UINT64_C(0x9E3779B97F4A7C15) >> 3);
    for (size_t i = 0; i < n; i++)
      CHECK(weft__bits_get(types[k], data, i) == (i * UINT64_C(0x9E3779B97F4A7C15) >> 3 & mask));
  }
}

TEST(every_allocation_failed_once) {
  static const char text[] = "seq(f32[2]{1,2},str[2]{\"a\",\"b\"},seq(i64[]{7}),opt(i8))";
  for (long i = 1;; i++) {
    check_alloc c = {.fail_at = i};
    weft_allocator a = check_allocator(&c);
    weft_tensor t;
    weft_tensor u;
    weft_diag d = {0};
    weft_tensor_init(&t, &a);
    weft_tensor_init(&u, &a);
    weft_status st = weft_tensor_parse(text, strlen(text), NULL, &t, NULL, &d);
    if (!st)
      st = weft_tensor_copy(&u, &t, &d);
    if (!st)
      CHECK(weft__tensor_same(&t, &u));
    weft_tensor_deinit(&t);
    weft_tensor_deinit(&u);
    CHECK_INT(c.live_blocks, 0);
    CHECK_INT(c.live_bytes, 0);
    if (c.calls < i)
      break;
    CHECK_INT(st, WEFT_E_NOMEM);
  }
}

TEST(a_tensor_describes_itself) {
  weft_tensor t;
  weft_tensor_desc y;
  weft_diag d = {0};
  const weft_dim dims[] = {2, 3};
  weft_tensor_init(&t, NULL);
  CHECK_OK(weft_tensor_alloc(&t, WEFT_INT8, dims, 2, &d), &d);
  t.origin_format = WEFT_NCHW;
  memset(&y, 0xff, sizeof y);
  weft_tensor_describe(&t, &y);
  CHECK_INT(y.size, sizeof y);
  CHECK_INT(y.dtype, WEFT_INT8);
  CHECK_INT(y.kind, WEFT_KIND_TENSOR);
  CHECK_INT(y.origin_format, WEFT_NCHW);
  CHECK_INT(y.format, WEFT_ND);
  CHECK(!y.name && !y.has_range);
  CHECK_INT(weft_desc_elems(&y), 6);
  CHECK_INT(weft_desc_bytes(&y), (int64_t)t.bytes);
  weft_tensor_deinit(&t);
}

// A sequence has the dtype of its items; their shapes may differ.
TEST(a_sequence_describes_its_items) {
  weft_tensor t;
  weft_tensor_desc y;
  weft_diag d = {0};
  size_t used;
  static const char text[] = "seq(f16[2]{1,2},f16[3]{1,2,3})";
  weft_tensor_init(&t, NULL);
  CHECK_OK(weft_tensor_parse(text, strlen(text), NULL, &t, &used, &d), &d);
  weft_tensor_describe(&t, &y);
  CHECK_INT(y.kind, WEFT_KIND_SEQUENCE);
  CHECK_INT(y.dtype, WEFT_FLOAT16);
  CHECK(weft_shape_is_unknown_rank(&y.layout.origin));
  weft_tensor_deinit(&t);
}
// SPDX-License-Identifier: Apache-2.0
