// npy_test.c - .npy files: golden headers, both orders, ml_dtypes' names, strings, hostile files.
#include "check.h"
#include "base/base.h"
#include "tensor/tensor.h"

// A file of version 1 with this dict and these data; the caller frees it.
static uint8_t *file(const char *dict, const void *data, size_t bytes, size_t *out_bytes) {
  size_t n = strlen(dict);
  uint8_t *f = malloc(10 + n + bytes + 1);
  memcpy(f, "\x93NUMPY\x01\x00", 8);
  f[8] = (uint8_t)n;
  f[9] = (uint8_t)(n >> 8);
  memcpy(f + 10, dict, n);
  if (bytes)
    memcpy(f + 10 + n, data, bytes);
  *out_bytes = 10 + n + bytes;
  return f;
}

static const char *text_of(const weft_tensor *t) {
  static char buf[2048];
  weft_allocator a = weft_allocator_default();
  weft_text out;
  weft__text_init(&out, &a);
  weft_status st = weft_tensor_print(t, 0, weft__text_write, &out);
  snprintf(buf, sizeof buf, "%s%.*s", st ? weft_status_name(st) : "", (int)out.n, out.v ? out.v : "");
  weft__text_deinit(&out);
  return buf;
}

#define READS(dict, data, expected)                        \
  do {                                                     \
    size_t n_;                                             \
    weft_tensor t_;                                        \
    weft_diag d_ = {0};                                    \
    uint8_t *f_ = file(dict, data, sizeof(data) - 1, &n_); \
    weft_tensor_init(&t_, NULL);                           \
    if (weft_npy_read(f_, n_, &t_, &d_))                   \
      CHECK_STR(d_.text, expected);                        \
    else                                                   \
      CHECK_STR(text_of(&t_), expected);                   \
    weft_tensor_deinit(&t_);                               \
    free(f_);                                              \
  } while (0)

static void refuses(const char *dict, weft_status st, const char *part) {
  check_alloc c = {0};
  weft_allocator a = check_allocator(&c);
  size_t n;
  weft_tensor t;
  weft_diag d = {0};
  uint8_t *f = file(dict, NULL, 0, &n);
  weft_tensor_init(&t, &a);
  weft_status got = weft_npy_read(f, n, &t, &d);
  if (got != st || !strstr(d.text, part))
    check_failed(__FILE__, __LINE__, "%s gave %s: %s", dict, weft_status_name(got), d.text);
  CHECK_INT(c.calls, 0);
  free(f);
}

#define DICT(descr, order, shape) \
  "{'descr': '" descr "', 'fortran_order': " order ", 'shape': " shape ", }      \n"

TEST(reads_numbers) {
  READS(DICT("<f4", "False", "(2,)"), "\0\0\x80\x3f\0\0\0\x40", "f32[2]{1,2}");
  READS(DICT(">f4", "False", "(2,)"), "\x3f\x80\0\0\x40\0\0\0", "f32[2]{1,2}");
  READS(DICT("<f2", "False", "()"), "\0\x3c", "f16[]{1}");
  READS(DICT("|b1", "False", "(3,)"), "\0\1\2", "bool[3]{false,true,true}");
  READS(DICT("|i1", "False", "(2,)"), "\xff\x7f", "i8[2]{-1,127}");
  READS(DICT(">i8", "False", "(1, 1)"), "\0\0\0\0\0\0\1\2", "i64[1,1]{258}");
  READS(DICT("<u2", "False", "(0,)"), "", "u16[0]");
  READS(DICT(">c8", "False", "(1,)"), "\x3f\x80\0\0\x40\0\0\0", "c64[1]{(1,2)}");
  READS("{\"shape\":(2L,),\"descr\":\"<u4\",\"fortran_order\":False}", "\1\0\0\0\2\0\0\0", "u32[2]{1,2}");
  READS(DICT("|u1", "True", "(2, 3)"), "\1\4\2\5\3\6", "u8[2,3]{1,2,3,4,5,6}");
  READS(DICT(">i2", "True", "(2, 2)"), "\0\1\0\3\0\2\0\4", "i16[2,2]{1,2,3,4}");
  READS(DICT("|u1", "True", "(2, 0)"), "", "u8[2,0]");
  READS(DICT("|u1", "False", "(1,)"), "\1trailing", "u8[1]{1}");
}

TEST(reads_ml_dtypes) {
  READS(DICT("<V2", "False", "(2,)"), "\x80\x3f\0\xc0", "bf16[2]{1,-2}");
  READS(DICT("bfloat16", "False", "(1,)"), "\x80\x3f", "bf16[1]{1}");
  READS(DICT("<f1", "False", "(1,)"), "\x3c", "f8e5m2[1]{1}");
  READS(DICT("float8_e4m3fn", "False", "(1,)"), "\x38", "f8e4m3fn[1]{1}");
  READS(DICT("float8_e8m0fnu", "False", "(1,)"), "\x7f", "f8e8m0[1]{1}");
  READS(DICT("int4", "False", "(3,)"), "\x0f\x07\x08", "i4[3]{-1,7,-8}");
  READS(DICT("int2", "True", "(1, 2)"), "\x03\x01", "i2[1,2]{-1,1}");
  READS(DICT("float4_e2m1fn", "False", "(2,)"), "\x03\x0b", "f4e2m1[2]{1.5,-1.5}");
  refuses(DICT("<V1", "False", "(1,)"), WEFT_E_DTYPE, "one-byte types");
}

TEST(reads_strings) {
  READS(DICT("|S3", "False", "(3,)"), "abc\0\0\0x\0y", "str[3]{\"abc\",\"\",\"x\\u0000y\"}");
  READS(DICT("<U2", "False", "(2,)"), "a\0\0\0\0\0\0\0\x97\x7b\0\0\0\xf6\x01\0",
        "str[2]{\"a\",\"\xE7\xAE\x97\xF0\x9F\x98\x80\"}");
  READS(DICT(">U1", "False", "(1,)"), "\0\0\x7b\x97", "str[1]{\"\xE7\xAE\x97\"}");
  READS(DICT("|S1", "True", "(2, 2)"), "acbd", "str[2,2]{\"a\",\"b\",\"c\",\"d\"}");
  READS(DICT("<U1", "False", "(1,)"), "\0\xd8\0\0", ".npy: 0xd800 is not a code point of Unicode");
  READS(DICT("<U1", "False", "(1,)"), "\0\0\x11\0", ".npy: 0x110000 is not a code point of Unicode");
  READS(DICT("<U0", "False", "(2,)"), "", "str[2]{\"\",\"\"}");
}

TEST(writes_golden_bytes) {
  weft_allocator a = weft_allocator_default();
  weft_text out;
  weft_tensor t;
  weft_diag d = {0};
  weft__text_init(&out, &a);
  weft_tensor_init(&t, NULL);
  CHECK_OK(weft_tensor_parse("f32[2,3]{1,2,3,4,5,6}", 21, NULL, &t, NULL, &d), &d);
  CHECK_OK(weft_npy_write(&t, weft__text_write, &out, &d), &d);
  CHECK_INT(out.n, 128 + 24);
  static const char head[] =
      "\x93NUMPY\x01\x00\x76\x00{'descr': '<f4', 'fortran_order': False, 'shape': (2, 3), }";
  CHECK(!memcmp(out.v, head, sizeof head - 1));
  CHECK_INT(out.v[126], ' ');
  CHECK_INT(out.v[127], '\n');
  CHECK(!memcmp(out.v + 128, "\0\0\x80\x3f", 4));
  weft__text_deinit(&out);
  weft_tensor_deinit(&t);
}

TEST(round_trips) {
  static const char *const same[] = {"f32[2,3]{1,2,3,4,5,6}",
                                     "f64[]{0.1}",
                                     "f16[3]{1,nan,-inf}",
                                     "bf16[2]{1,-2}",
                                     "bool[2]{true,false}",
                                     "i8[1]{-1}",
                                     "i16[1]{-2}",
                                     "i32[1]{-3}",
                                     "i64[1]{-4}",
                                     "u8[1]{1}",
                                     "u16[1]{2}",
                                     "u32[1]{3}",
                                     "u64[1]{4}",
                                     "c64[1]{(1,2)}",
                                     "c128[1]{(3,4)}",
                                     "f8e4m3fn[3]{1,448,-0}",
                                     "f8e5m2[2]{1,nan}",
                                     "f8e4m3fnuz[1]{1}",
                                     "f8e5m2fnuz[1]{1}",
                                     "f8e8m0[1]{2}",
                                     "i4[3]{-8,7,-1}",
                                     "u4[3]{1,2,15}",
                                     "i2[5]{-2,-1,0,1,0}",
                                     "u2[3]{3,2,1}",
                                     "u1[9]{1,0,1,1,0,0,1,0,1}",
                                     "f4e2m1[3]{6,-0.5,1}",
                                     "f6e3m2[3]{28,1,-2}",
                                     "f6e2m3[3]{7.5,1,-2}",
                                     "str[2,2]{\"a\",\"\",\"long text\",\"\xE7\xAE\x97\"}",
                                     "i32[0,4]",
                                     "i32[1,1,1,1,1,1]{9}",
                                     "str[0]"};
  weft_allocator a = weft_allocator_default();
  for (size_t i = 0; i < sizeof same / sizeof *same; i++) {
    weft_text out;
    weft_tensor t;
    weft_tensor u;
    weft_diag d = {0};
    weft__text_init(&out, &a);
    weft_tensor_init(&t, NULL);
    weft_tensor_init(&u, NULL);
    weft_status st = weft_tensor_parse(same[i], strlen(same[i]), NULL, &t, NULL, &d);
    if (!st)
      st = weft_npy_write(&t, weft__text_write, &out, &d);
    if (!st)
      st = weft_npy_read(out.v, out.n, &u, &d);
    CHECK_STR(st ? d.text : text_of(&u), same[i]);
    CHECK_INT(out.n % 64 == 0 || u.bytes > 0, 1);
    weft_tensor_deinit(&t);
    weft_tensor_deinit(&u);
    weft__text_deinit(&out);
  }
}

TEST(refuses_to_write) {
  static const struct {
    const char *text;
    weft_status st;
  } bad[] = {{"f32[3]", WEFT_E_STATE},      {"seq(f32[]{1})", WEFT_E_UNSUPPORTED},
             {"c32[]{1}", WEFT_E_DTYPE},    {"qi8[]{1}", WEFT_E_DTYPE},
             {"hif8[]{0x1}", WEFT_E_DTYPE}, {"str[]{\"a\\u0000\"}", WEFT_E_DTYPE}};
  weft_allocator a = weft_allocator_default();
  for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
    weft_text out;
    weft_tensor t;
    weft__text_init(&out, &a);
    weft_tensor_init(&t, NULL);
    CHECK_INT(weft_tensor_parse(bad[i].text, strlen(bad[i].text), NULL, &t, NULL, NULL), WEFT_OK);
    CHECK_FAILS(weft_npy_write(&t, weft__text_write, &out, NULL), bad[i].st);
    CHECK_INT(out.n, 0);
    weft_tensor_deinit(&t);
    weft__text_deinit(&out);
  }
}

TEST(bad_headers) {
  refuses("", WEFT_E_SYNTAX, ".npy header, byte 0 (its end): expected '{'");
  refuses("{", WEFT_E_SYNTAX, "quoted text");
  refuses("{}", WEFT_E_SYNTAX, "'descr' is missing");
  refuses("{'descr': '<f4', 'fortran_order': False, }", WEFT_E_SYNTAX, "'shape' is missing");
  refuses("{'descr': '<f4', 'descr': '<f4', }", WEFT_E_SYNTAX, "stands twice");
  refuses("{'descr': '<f4', 'other': 1}", WEFT_E_SYNTAX, "unknown key 'other'");
  refuses("{'descr': '<f4' 'shape': ()}", WEFT_E_SYNTAX, "expected ','");
  refuses("{'descr': '<f4", WEFT_E_SYNTAX, "closing quote");
  refuses("{'descr': [('a', '<f4')], }", WEFT_E_DTYPE, "structured");
  refuses(DICT("|O", "False", "(1,)"), WEFT_E_DTYPE, "'|O'");
  refuses(DICT("<f16", "False", "(1,)"), WEFT_E_DTYPE, "'<f16'");
  refuses(DICT("<M8[ns]", "False", "(1,)"), WEFT_E_DTYPE, "M8");
  refuses(DICT("", "False", "(1,)"), WEFT_E_DTYPE, "''");
  refuses(DICT("<U99999999999", "False", "(1,)"), WEFT_E_DTYPE, "U9");
  refuses(DICT("<f4", "0", "(1,)"), WEFT_E_SYNTAX, "True or False");
  refuses(DICT("<f4", "False", "(1)"), WEFT_E_SYNTAX, "',)'");
  refuses(DICT("<f4", "False", "(-1,)"), WEFT_E_SYNTAX, "'-1'");
  refuses(DICT("<f4", "False", "(1 2)"), WEFT_E_SYNTAX, "in the shape");
  refuses(DICT("<f4", "False", "(1.5,)"), WEFT_E_SYNTAX, "'1.5'");
  refuses(DICT("<f4", "False", "[1]"), WEFT_E_SYNTAX, "'('");
  refuses(DICT("<f4", "False", "(1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1)"), WEFT_E_LIMIT,
          "25 dims");
  refuses(DICT("<f4", "False", "(1,)") "x", WEFT_E_SYNTAX, "behind the header");
  refuses(DICT("<f4", "False", "(1,)"), WEFT_E_TRUNCATED, "needs 4 bytes of data, 0 are there");
  refuses(DICT("<f4", "False", "(9223372036854775807, 9)"), WEFT_E_OVERFLOW, "overflow");
  refuses(DICT("<f4", "False", "(4611686018427387904,)"), WEFT_E_OVERFLOW, "overflow");
  refuses(DICT("<f4", "False", "(2305843009213693951,)"), WEFT_E_TRUNCATED, "needs 9223372036854775804");
  refuses(DICT("<f4", "False", "(99999999999,)"), WEFT_E_TRUNCATED, "needs 399999999996");
  refuses(DICT("|S0", "False", "(99999999999,)"), WEFT_E_LIMIT, "99999999999 empty strings");
}

TEST(bad_files) {
  weft_tensor t;
  weft_diag d = {0};
  size_t n;
  uint8_t *f = file(DICT("<f4", "False", "(2,)"), "\0\0\x80\x3f\0\0\0\x40", 8, &n);
  weft_tensor_init(&t, NULL);
  for (size_t i = 0; i < n; i++) {  // every prefix
    uint8_t *part = malloc(i + 1);
    memcpy(part, f, i);
    CHECK_FAILS(weft_npy_read(part, i, &t, NULL), WEFT_E_TRUNCATED);
    free(part);
  }
  CHECK_FAILS(weft_npy_read(NULL, 0, &t, NULL), WEFT_E_TRUNCATED);
  f[6] = 9;
  CHECK_FAILS(weft_npy_read(f, n, &t, &d), WEFT_E_VERSION);
  CHECK_HAS(d.text, "version 9.0");
  f[6] = 1;
  f[0] = 'P';
  CHECK_FAILS(weft_npy_read(f, n, &t, NULL), WEFT_E_SYNTAX);
  f[0] = 0x93;
  f[8] = 0xFF;
  f[9] = 0xFF;
  CHECK_FAILS(weft_npy_read(f, n, &t, NULL), WEFT_E_TRUNCATED);
  free(f);
  // versions 2 and 3 have a length of four bytes
  static const char v2[] =
      "\x93NUMPY\x02\x00\x39\x00\x00\x00{'descr': '|u1', 'fortran_order': False, 'shape': (1,)} \n\x07";
  CHECK_INT(sizeof v2 - 1, 12 + 0x39 + 1);
  char copy[sizeof v2];
  memcpy(copy, v2, sizeof v2);
  for (char v = 2; v <= 3; v++) {
    copy[6] = v;
    memset(&d, 0, sizeof d);
    CHECK_OK(weft_npy_read(copy, sizeof v2 - 1, &t, &d), &d);
    CHECK_STR(text_of(&t), "u8[1]{7}");
  }
  weft_tensor_deinit(&t);
}

// Changed bytes anywhere: any answer, no crash, never more memory than the file justifies.
TEST(hostile_files) {
  static const char *const dicts[] = {DICT("<f4", "True", "(2, 3)"), DICT("|S4", "False", "(6,)"),
                                      DICT("<U1", "True", "(3, 2)"), DICT("int4", "True", "(4, 6)")};
  uint8_t data[24];
  uint32_t seed = 7;
  for (int round = 0; round < 4000; round++) {
    check_alloc c = {0};
    weft_allocator a = check_allocator(&c);
    size_t n;
    weft_tensor t;
    memset(data, round & 3, sizeof data);
    uint8_t *f = file(dicts[round % 4], data, sizeof data, &n);
    for (int k = 0; k < 1 + round % 4; k++) {
      seed = seed * 1664525 + 1013904223;
      f[10 + (seed >> 8) % (n - 10)] = (uint8_t) "0123456789'(),: SUfi<>|TF"[(seed >> 20) % 25];
    }
    weft_tensor_init(&t, &a);
    if (!weft_npy_read(f, n, &t, NULL))
      text_of(&t);
    weft_tensor_deinit(&t);
    CHECK_INT(c.live_bytes, 0);
    CHECK(c.peak_bytes < 20 * n);
    free(f);
  }
}

TEST(load_and_save) {
  weft_tensor t;
  weft_tensor u;
  weft_diag d = {0};
  char path[256];
  snprintf(path, sizeof path, "/tmp/weft_npy_test_%p.npy", (void *)&t);
  weft_tensor_init(&t, NULL);
  weft_tensor_init(&u, NULL);
  CHECK_OK(weft_tensor_parse("i4[2,2]{1,-2,3,-4}", 18, NULL, &t, NULL, &d), &d);
  CHECK_OK(weft_npy_save(path, &t, &d), &d);
  CHECK_OK(weft_npy_load(path, &u, &d), &d);
  CHECK(weft__tensor_same(&t, &u));
  remove(path);
  CHECK_FAILS(weft_npy_load(path, &u, &d), WEFT_E_NOT_FOUND);
  CHECK_FAILS(weft_npy_save("/nonexistent/x.npy", &t, NULL), WEFT_E_IO);
  weft_tensor_deinit(&t);
  weft_tensor_deinit(&u);
}

TEST(every_allocation_failed_once) {
  size_t n;
  uint8_t *f = file(DICT("|S4", "False", "(6,)"), "abcdefghijklmnopqrstuvwx", 24, &n);
  for (long i = 1;; i++) {
    check_alloc c = {.fail_at = i};
    weft_allocator a = check_allocator(&c);
    weft_tensor t;
    weft_tensor_init(&t, &a);
    weft_status st = weft_npy_read(f, n, &t, NULL);
    weft_tensor_deinit(&t);
    CHECK_INT(c.live_bytes, 0);
    if (c.calls < i)
      break;
    CHECK_INT(st, WEFT_E_NOMEM);
  }
  free(f);
}
// SPDX-License-Identifier: Apache-2.0
