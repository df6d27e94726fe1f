// desc_test.c - R131, R133, R135, R136, R196 to R199, R228 to R247, R249, R250, R357.
#include "check.h"
#include "weft/tensor.h"

static weft_tensor_desc make(weft_dtype t, weft_format f, size_t rank, const weft_dim *dims) {
  weft_tensor_desc x;
  weft_desc_init(&x);
  CHECK_INT(weft_desc_set(&x, t, f, dims, rank), WEFT_OK);
  return x;
}
#define DESC(t, f, ...) make(WEFT_##t, f, sizeof((weft_dim[]){__VA_ARGS__}) / 8, (weft_dim[]){__VA_ARGS__})

static int compatible(weft_tensor_desc a, weft_tensor_desc b, unsigned flags) {
  bool x = false;
  bool y = false;
  CHECK_INT(weft_desc_compatible(&a, &b, flags, &x), WEFT_OK);
  CHECK_INT(weft_desc_compatible(&b, &a, flags, &y), WEFT_OK);
  CHECK_INT(x, y);
  return x;
}

TEST(r198_defaults) {
  weft_tensor_desc x;
  memset(&x, 0xA5, sizeof x);
  weft_desc_init(&x);
  CHECK_INT(x.dtype, WEFT_FLOAT);
  CHECK_INT(x.format, WEFT_ND);
  CHECK_INT(x.origin_format, WEFT_ND);
  CHECK_INT(x.layout.origin.rank, 0);
  CHECK_INT(x.layout.storage.rank, 0);
  CHECK_INT(x.has_range, 0);
  CHECK(!x.name);
}

TEST(r196_r197_r135_fields) {
  weft_tensor_desc x = DESC(FLOAT16, WEFT_ND, 1024, 512);
  CHECK_INT(x.format, 2);
  CHECK_INT(x.dtype, 1);
  CHECK_INT(x.layout.storage.rank, 2);
  CHECK_INT(x.layout.storage.dim[1], 512);
  weft_dim dims[26] = {0};
  CHECK_FAILS(weft_desc_set(&x, WEFT_FLOAT, WEFT_ND, dims, 26), WEFT_E_LIMIT);
  CHECK_INT(x.dtype, 1);
}

TEST(r199_r357_text) {
  char buf[256];
  weft_tensor_desc x = DESC(FLOAT, WEFT_NCHW, 1, 3, 224, 224);
  x.name = "x";
  CHECK_STR(weft_desc_text(&x, buf, sizeof buf),
            "TensorDesc(name=x, shape=[1, 3, 224, 224], dtype=DT_FLOAT, format=NCHW)");
  weft_dim storage[] = {1, 1, 224, 224, 16};
  x.format = WEFT_NC1HWC0;
  CHECK_INT(weft_shape_init(&x.layout.storage, storage, 5), WEFT_OK);
  CHECK_STR(weft_desc_text(&x, buf, sizeof buf),
            "TensorDesc(name=x, shape=[1, 3, 224, 224], dtype=DT_FLOAT, format=NCHW, storage_shape=[1, 1, "
            "224, 224, 16], "
            "storage_format=NC1HWC0)");
  CHECK_STR(weft_desc_text(&x, buf, 12), "TensorDesc(");
}

TEST(r131_r133_ranges) {
  weft_diag d = {0};
  weft_tensor_desc x = DESC(FLOAT, WEFT_ND, -1);
  weft_shape lo = {.rank = 1, .dim = {5}};
  weft_shape hi = {.rank = 1, .dim = {3}};
  weft_shape two = {.rank = 2, .dim = {1, 1}};
  CHECK_FAILS(weft_desc_set_range(&x, &lo, &hi, &d), WEFT_E_RANGE);
  CHECK_HAS(d.text, "min 5 over max 3");
  CHECK_INT(x.has_range, 0);
  hi.dim[0] = -1;
  CHECK_INT(weft_desc_set_range(&x, &lo, &hi, NULL), WEFT_OK);
  CHECK_INT(x.has_range, 1);
  CHECK_FAILS(weft_desc_set_range(&x, &lo, &two, NULL), WEFT_E_SHAPE);
  CHECK_FAILS(weft_desc_set_range(&x, &two, &two, NULL), WEFT_E_SHAPE);
  CHECK(weft_range_contains(1, 64, 1) && weft_range_contains(1, 64, 64));
  CHECK(!weft_range_contains(1, 64, 0) && !weft_range_contains(1, 64, 65));
  CHECK(weft_range_contains(1, -1, INT64_MAX));
}

TEST(r136_normalise) {
  weft_tensor_desc x = DESC(FLOAT, WEFT_ND, -1);
  weft_shape three = {.rank = 1, .dim = {3}};
  CHECK_INT(weft_desc_set_range(&x, &three, &three, NULL), WEFT_OK);
  weft_desc_normalise(&x);
  CHECK_INT(x.layout.origin.dim[0], 3);
  CHECK_INT(x.layout.storage.dim[0], 3);
  x = DESC(FLOAT, WEFT_ND, 5, -1);
  weft_desc_normalise(&x);
  CHECK(x.has_range);
  CHECK_INT(x.min.dim[0], 5);
  CHECK_INT(x.max.dim[0], 5);
  CHECK_INT(x.layout.origin.dim[1], -1);
  CHECK_INT(x.min.dim[1], 0);
  CHECK_INT(x.max.dim[1], -1);
  x = DESC(FLOAT, WEFT_ND, -2);
  weft_desc_normalise(&x);
  CHECK(!x.has_range);
}

TEST(r228_r231_compatible) {
  CHECK(compatible(DESC(FLOAT, WEFT_ND, 1, 3), DESC(FLOAT, WEFT_ND, -1, 3), 0));
  CHECK(!compatible(DESC(FLOAT, WEFT_ND, 2, 3), DESC(FLOAT, WEFT_ND, 1, 3), 0));
  CHECK(!compatible(DESC(FLOAT, WEFT_ND, 1, 3), DESC(FLOAT16, WEFT_ND, 1, 3), 0));
  CHECK(!compatible(DESC(FLOAT, WEFT_NCHW, 1, 3), DESC(FLOAT, WEFT_NHWC, 1, 3), 0));
  CHECK(!compatible(DESC(FLOAT, WEFT_ND, 1), DESC(FLOAT, WEFT_ND, 1, 1), 0));
  CHECK(compatible(DESC(FLOAT, WEFT_ND, -1), DESC(FLOAT, WEFT_ND, 7), 0));
  CHECK(compatible(DESC(FLOAT, WEFT_ND, -1, 3), DESC(FLOAT, WEFT_ND, 5, -1), 0));
  CHECK(compatible(DESC(FLOAT, WEFT_ND, WEFT_DIM_SYMBOL_LIMIT - 1), DESC(FLOAT, WEFT_ND, 5), 0));
}

TEST(r229_r230_equal) {
  weft_format c16 = weft_format_make(WEFT_NC1HWC0, 0, 5);
  weft_format c32 = weft_format_make(WEFT_NC1HWC0, 0, 6);
  CHECK_INT(c16, 0x05000003);
  weft_tensor_desc a = DESC(FLOAT, WEFT_ND, 1, 3);
  weft_tensor_desc b = DESC(FLOAT, WEFT_ND, -1, 3);
  weft_tensor_desc c = a;
  CHECK(!weft_desc_equal(&a, &b));
  CHECK(weft_desc_equal(&a, &c));
  a = DESC(FLOAT, c16, 1, 3);
  b = DESC(FLOAT, c32, 1, 3);
  CHECK(!weft_desc_equal(&a, &b));
  CHECK(compatible(a, b, 0));
  a = DESC(FLOAT, WEFT_FRACTAL_Z, 1, 3);
  b = DESC(FLOAT, weft_format_make(WEFT_FRACTAL_Z, 240, 0), 1, 3);
  CHECK(!weft_desc_equal(&a, &b));
  CHECK(compatible(a, b, 0));
}

TEST(r232_r233_r234_edges) {
  weft_tensor_desc zero = DESC(FLOAT, WEFT_ND, 0);
  weft_tensor_desc any = DESC(FLOAT, WEFT_ND, -1);
  weft_tensor_desc rank = DESC(FLOAT, WEFT_ND, -2);
  CHECK(compatible(zero, any, 0));
  CHECK(!compatible(zero, any, WEFT_COMPATIBLE_STRICT_POSITIVE));
  CHECK(compatible(any, any, WEFT_COMPATIBLE_STRICT_POSITIVE));
  CHECK(compatible(zero, zero, WEFT_COMPATIBLE_STRICT_POSITIVE));
  weft_tensor_desc scalar = make(WEFT_FLOAT, WEFT_ND, 0, NULL);
  CHECK(compatible(rank, DESC(FLOAT, WEFT_ND, 4, 4), 0));
  CHECK(compatible(rank, scalar, 0));
  CHECK(!weft_desc_equal(&rank, &scalar));
  bool out = true;
  weft_tensor_desc bad = DESC(FLOAT, WEFT_ND, -5);
  weft_tensor_desc three = DESC(FLOAT, WEFT_ND, 3);
  CHECK_FAILS(weft_desc_compatible(&bad, &three, 0, &out), WEFT_E_INVALID);
  CHECK_FAILS(weft_desc_compatible(&three, &bad, 0, &out), WEFT_E_INVALID);
  bad = DESC(FLOAT, WEFT_ND, -2, 3);
  CHECK_FAILS(weft_desc_compatible(&bad, &three, 0, &out), WEFT_E_INVALID);
  bad.layout.origin.rank = WEFT_RANK_UNSET;
  CHECK_FAILS(weft_desc_compatible(&bad, &three, 0, &out), WEFT_E_INVALID);
}

TEST(r235_r239_not_transitive_and_ranges) {
  weft_tensor_desc any = DESC(FLOAT, WEFT_ND, -1);
  weft_tensor_desc ranged = any;
  CHECK(compatible(DESC(FLOAT, WEFT_ND, 3), any, 0) && compatible(any, DESC(FLOAT, WEFT_ND, 5), 0));
  CHECK(!compatible(DESC(FLOAT, WEFT_ND, 3), DESC(FLOAT, WEFT_ND, 5), 0));
  weft_shape lo = {.rank = 1, .dim = {1}};
  weft_shape hi = {.rank = 1, .dim = {64}};
  CHECK_INT(weft_desc_set_range(&ranged, &lo, &hi, NULL), WEFT_OK);
  CHECK(compatible(any, ranged, 0));
}

static const uint8_t golden[52] = {1,    0, 0, 0, 4, 0, 0, 0, 0, 0, 0,    0, 1, 0, 0, 0, 0, 0,
                                   0,    0, 3, 0, 0, 0, 0, 0, 0, 0, 0xE0, 0, 0, 0, 0, 0, 0, 0,
                                   0xE0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,    0, 0, 0, 0, 0};

TEST(r240_r241_r246_golden_bytes) {
  weft_diag d = {0};
  uint8_t buf[64];
  size_t n = 0;
  size_t used = 0;
  uint32_t version = 0;
  char text[128];
  char line[256];
  weft_tensor_desc x = DESC(FLOAT, WEFT_NCHW, 1, 3, 224, 224);
  weft_tensor_desc y;
  CHECK_OK(weft_desc_save(&x, 1, buf, sizeof buf, &n, &d), &d);
  CHECK_INT(n, 52);
  CHECK(!memcmp(buf, golden, 52));
  CHECK_OK(weft_desc_load(golden, 52, &y, &used, &version, &d), &d);
  CHECK_INT(used, 52);
  snprintf(line, sizeof line, "Deserialized from version %u: shape=%s, dtype=%d, fmt=%u", version,
           weft_shape_text(&y.layout.origin, NULL, text, sizeof text), y.dtype, y.format);
  CHECK_STR(line, "Deserialized from version 1: shape=[1,3,224,224], dtype=0, fmt=0");
  CHECK(weft_desc_equal(&x, &y));
  memset(buf, 7, sizeof buf);
  CHECK_FAILS(weft_desc_save(&x, 1, buf, 51, &n, NULL), WEFT_E_LIMIT);
  CHECK_INT(n, 52);
  CHECK_INT(buf[0], 7);
  CHECK_FAILS(weft_desc_save(&x, 1, NULL, 0, &n, NULL), WEFT_E_LIMIT);
}

TEST(r242_versions) {
  weft_tensor_desc x = DESC(FLOAT, WEFT_NCHW, 1, 3);
  weft_tensor_desc y;
  uint8_t buf[512];
  size_t n;
  for (uint32_t v = 1; v <= 2; v++) {
    uint32_t got = 0;
    CHECK_INT(weft_desc_save(&x, v, buf, sizeof buf, &n, NULL), WEFT_OK);
    CHECK_INT(weft_desc_load(buf, n, &y, NULL, &got, NULL), WEFT_OK);
    CHECK_INT(got, v);
    CHECK(weft_desc_equal(&x, &y));
  }
  static const uint8_t bad[] = {0, 99, 3, 255};
  for (size_t i = 0; i < sizeof bad; i++) {
    buf[0] = bad[i];
    CHECK_FAILS(weft_desc_load(buf, n, &y, NULL, NULL, NULL), WEFT_E_VERSION);
    CHECK_FAILS(weft_desc_save(&x, bad[i], buf + 8, 100, &n, NULL), WEFT_E_VERSION);
  }
}

TEST(r243_version_2_keeps_everything) {
  weft_diag d = {0};
  uint8_t buf[1024];
  size_t n;
  size_t used;
  bool same = false;
  weft_tensor_desc x = DESC(FLOAT, weft_format_make(WEFT_NC1HWC0, 0, 5), 1, 1, 2, 2, 16);
  weft_tensor_desc y;
  CHECK_OK(weft_desc_save(&x, 1, buf, sizeof buf, &n, &d), &d);
  CHECK_OK(weft_desc_load(buf, n, &y, NULL, NULL, &d), &d);
  CHECK_OK(weft_desc_compatible(&x, &y, 0, &same), &d);
  CHECK(same && !weft_desc_equal(&x, &y));
  CHECK_INT(y.format, 3);
  x = DESC(BF16, weft_format_make(WEFT_NCHW, 0, 0), -1, 3, 224, 224);
  x.format = weft_format_make(WEFT_NC1HWC0, 7, 5);
  x.name = "weights/conv1";
  x.kind = WEFT_KIND_OPTIONAL;
  x.placement = WEFT_ON_DEVICE;
  weft_shape lo = {.rank = 4, .dim = {1, 3, 224, 224}};
  weft_shape hi = {.rank = 4, .dim = {64, 3, 224, -1}};
  CHECK_OK(weft_desc_set_range(&x, &lo, &hi, &d), &d);
  weft_dim storage[] = {-1, 1, 224, 224, 16};
  CHECK_INT(weft_shape_init(&x.layout.storage, storage, 5), WEFT_OK);
  CHECK_OK(weft_desc_save(&x, 2, buf, sizeof buf, &n, &d), &d);
  buf[n] = 0x55;
  CHECK_OK(weft_desc_load(buf, n + 1, &y, &used, NULL, &d), &d);
  CHECK_INT(used, n);
  CHECK(weft_desc_equal(&x, &y));
  CHECK_STR(y.name, "weights/conv1");
  CHECK(y.name > (const char *)buf && y.name < (const char *)buf + n);
  CHECK(y.has_range && weft_shape_equal(&y.min, &lo) && weft_shape_equal(&y.max, &hi));
  CHECK_INT(y.kind, WEFT_KIND_OPTIONAL);
  CHECK_INT(y.placement, WEFT_ON_DEVICE);
  for (size_t i = 0; i < n; i++) {  // every prefix, in memory of its own so that reading past it is seen
    uint8_t *part = malloc(i + 1);
    memcpy(part, buf, i);
    CHECK_FAILS(weft_desc_load(part, i, &y, NULL, NULL, NULL), WEFT_E_TRUNCATED);
    free(part);
  }
  for (size_t i = 0; i < n; i++) {  // every byte changed: any answer, no crash
    for (int bit = 0; bit < 8; bit++) {
      uint8_t *part = malloc(n);
      memcpy(part, buf, n);
      part[i] ^= (uint8_t)(1 << bit);
      weft_status st = weft_desc_load(part, n, &y, NULL, NULL, NULL);
      if (!st && y.name)
        CHECK(strlen(y.name) < n);
      free(part);
    }
  }
}

TEST(r244_r245_hostile) {
  weft_tensor_desc y;
  uint8_t buf[52];
  for (size_t i = 0; i < 52; i++) {
    uint8_t *part = malloc(i + 1);
    memcpy(part, golden, i);
    CHECK_FAILS(weft_desc_load(part, i, &y, NULL, NULL, NULL), WEFT_E_TRUNCATED);
    free(part);
  }
  memcpy(buf, golden, 52);
  buf[4] = 26;
  CHECK_FAILS(weft_desc_load(buf, 52, &y, NULL, NULL, NULL), WEFT_E_LIMIT);
  // 2^60
  buf[4] = 0;
  buf[11] = 0x10;
  CHECK_FAILS(weft_desc_load(buf, 52, &y, NULL, NULL, NULL), WEFT_E_LIMIT);
  memcpy(buf, golden, 52);
  buf[44] = 200;
  CHECK_FAILS(weft_desc_load(buf, 52, &y, NULL, NULL, NULL), WEFT_E_DTYPE);
  buf[44] = 0;
  buf[48] = 99;
  CHECK_FAILS(weft_desc_load(buf, 52, &y, NULL, NULL, NULL), WEFT_E_FORMAT);
  // version 1 has primary formats only
  buf[48] = 0;
  buf[51] = 5;
  CHECK_FAILS(weft_desc_load(buf, 52, &y, NULL, NULL, NULL), WEFT_E_FORMAT);
  memcpy(buf, golden, 52);
  memset(buf + 12, 0xFF, 8);
  buf[12] = 0xFB;  // -5
  CHECK_FAILS(weft_desc_load(buf, 52, &y, NULL, NULL, NULL), WEFT_E_CORRUPT);
  weft_tensor_desc bad = DESC(FLOAT, WEFT_ND, -5);
  size_t n;
  CHECK_FAILS(weft_desc_save(&bad, 1, buf, 52, &n, NULL), WEFT_E_INVALID);
}

TEST(r247_trailing_bytes) {
  weft_tensor_desc y;
  uint8_t buf[53];
  size_t used = 0;
  memcpy(buf, golden, 52);
  buf[52] = 9;
  CHECK_INT(weft_desc_load(buf, 53, &y, &used, NULL, NULL), WEFT_OK);
  CHECK_INT(used, 52);
}

TEST(r249_names_decide) {
  weft_tensor_desc x = DESC(FLOAT16, WEFT_FRACTAL_NZ, 4);
  weft_tensor_desc y;
  uint8_t buf[256];
  size_t n;
  CHECK_INT(weft_desc_save(&x, 2, buf, sizeof buf, &n, NULL), WEFT_OK);
  // version, size, flags, then the dtype's string: length, "DT_FLOAT16", 0; then the origin format's word
  CHECK(!memcmp(buf + 16, "DT_FLOAT16", 11));
  CHECK_INT(buf[27], WEFT_FRACTAL_NZ);
  buf[27] = 77;  // another table's number for FRACTAL_NZ
  CHECK_INT(weft_desc_load(buf, n, &y, NULL, NULL, NULL), WEFT_OK);
  CHECK(weft_desc_equal(&x, &y));
  buf[16] = 'X';
  CHECK_FAILS(weft_desc_load(buf, n, &y, NULL, NULL, NULL), WEFT_E_DTYPE);
  for (int t = 0; t < 64; t++) {  // every dtype and format comes back
    if (!weft_dtype_known(t))
      continue;
    x.dtype = (weft_dtype)t;
    CHECK_INT(weft_desc_save(&x, 2, buf, sizeof buf, &n, NULL), WEFT_OK);
    CHECK_INT(weft_desc_load(buf, n, &y, NULL, NULL, NULL), WEFT_OK);
    CHECK_INT(y.dtype, t);
  }
  for (weft_format f = 0; f <= WEFT_FRACTAL_NZ_C0_8; f++) {
    x.format = f;
    CHECK_INT(weft_desc_save(&x, 2, buf, sizeof buf, &n, NULL), WEFT_OK);
    CHECK_INT(weft_desc_load(buf, n, &y, NULL, NULL, NULL), WEFT_OK);
    CHECK_INT(y.format, f);
  }
}

TEST(r250_special_shapes) {
  static const uint8_t end[8] = {1, 0, 0, 0, 3, 0, 0, 0};
  uint8_t buf[512];
  size_t n;
  weft_tensor_desc y;
  weft_tensor_desc cases[4] = {make(WEFT_FLOAT, WEFT_ND, 0, NULL), DESC(FLOAT16, WEFT_NC1HWC0, -1, 16),
                               DESC(FLOAT, WEFT_ND, -2), DESC(INT64, WEFT_ND, 0, 7)};
  static const size_t sizes[4] = {20, 36, 28, 36};
  for (int i = 0; i < 4; i++) {
    CHECK_INT(weft_desc_save(&cases[i], 1, buf, sizeof buf, &n, NULL), WEFT_OK);
    CHECK_INT(n, sizes[i]);
    if (i == 1)
      CHECK(!memcmp(buf + 28, end, 8));
    CHECK_INT(weft_desc_load(buf, n, &y, NULL, NULL, NULL), WEFT_OK);
    CHECK(weft_desc_equal(&cases[i], &y));
    CHECK_INT(weft_desc_save(&cases[i], 2, buf, sizeof buf, &n, NULL), WEFT_OK);
    CHECK_INT(weft_desc_load(buf, n, &y, NULL, NULL, NULL), WEFT_OK);
    CHECK(weft_desc_equal(&cases[i], &y));
  }
  weft_tensor_desc unset = cases[0];
  unset.layout.origin.rank = unset.layout.storage.rank = WEFT_RANK_UNSET;
  CHECK_FAILS(weft_desc_save(&unset, 1, buf, sizeof buf, &n, NULL), WEFT_E_LIMIT);
  CHECK_INT(weft_desc_save(&unset, 2, buf, sizeof buf, &n, NULL), WEFT_OK);
  CHECK_INT(weft_desc_load(buf, n, &y, NULL, NULL, NULL), WEFT_OK);
  CHECK(weft_desc_equal(&unset, &y));
  weft_tensor_desc symbolic =
      DESC(FLOAT, WEFT_ND, WEFT_DIM_SYMBOL_LIMIT - 3, 4);  // handles are nothing outside a pool
  CHECK_INT(weft_desc_save(&symbolic, 2, buf, sizeof buf, &n, NULL), WEFT_OK);
  CHECK_INT(weft_desc_load(buf, n, &y, NULL, NULL, NULL), WEFT_OK);
  CHECK_INT(y.layout.origin.dim[0], -1);
}

TEST(elements_and_bytes_of_a_description) {
  weft_tensor_desc x = DESC(FLOAT16, WEFT_ND, 2, 3);
  CHECK_INT(weft_desc_elems(&x), 6);
  CHECK_INT(weft_desc_bytes(&x), 12);
  x.dtype = WEFT_INT4;  // packed
  CHECK_INT(weft_desc_bytes(&x), 3);
  x.dtype = WEFT_STRING;
  CHECK_INT(weft_desc_bytes(&x), 96);
  x.dtype = WEFT_UNDEFINED;
  CHECK_INT(weft_desc_elems(&x), 6);
  CHECK_INT(weft_desc_bytes(&x), -1);
  x.dtype = WEFT_FLOAT;
  x.layout.storage.dim[0] = 4;  // stored larger than the model says
  CHECK_INT(weft_desc_elems(&x), 6);
  CHECK_INT(weft_desc_bytes(&x), 48);
  x.kind = WEFT_KIND_SEQUENCE;
  CHECK_INT(weft_desc_bytes(&x), -1);
}

TEST(what_is_not_known_has_no_count) {
  weft_tensor_desc x = DESC(FLOAT, WEFT_ND, -1, 3);
  CHECK_INT(weft_desc_elems(&x), -1);
  CHECK_INT(weft_desc_bytes(&x), -1);
  x = DESC(FLOAT, WEFT_ND, INT64_MAX, 3);
  CHECK_INT(weft_desc_elems(&x), -1);
  x = DESC(FLOAT, WEFT_ND, INT64_MAX, 1);
  CHECK_INT(weft_desc_elems(&x), INT64_MAX);
  CHECK_INT(weft_desc_bytes(&x), -1);
  x = DESC(FLOAT, WEFT_ND, INT64_MAX, 0);
  CHECK_INT(weft_desc_elems(&x), 0);
  CHECK_INT(weft_desc_bytes(&x), 0);
  weft_shape_set_unknown_rank(&x.layout.origin);
  CHECK_INT(weft_desc_elems(&x), -1);
  x.layout.origin.rank = WEFT_RANK_UNSET;
  CHECK_INT(weft_desc_elems(&x), -1);
  weft_desc_init(&x);
  CHECK_INT(weft_desc_elems(&x), 1);
  CHECK_INT(weft_desc_bytes(&x), 4);
}
// SPDX-License-Identifier: Apache-2.0
