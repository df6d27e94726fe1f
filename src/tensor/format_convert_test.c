// Data are checked against a second model: the offset of a plain position in the packed form, from the
// definition.
#include "check.h"
#include "weft/format.h"

static weft_shape shape(size_t rank, const weft_dim *dims) {
  weft_shape s;
  CHECK_INT(weft_shape_init(&s, dims, rank), WEFT_OK);
  return s;
}
#define SHAPE(...) shape(sizeof((weft_dim[]){__VA_ARGS__}) / sizeof(weft_dim), (weft_dim[]){__VA_ARGS__})

static const char *text_of(const weft_shape *s) {
  static char buf[256];
  return weft_shape_text(s, NULL, buf, sizeof buf);
}

static const char *storage(weft_shape s, weft_format from, weft_format to, int64_t c0) {
  static weft_diag d;
  weft_shape out;
  weft_diag_clear(&d);
  weft_status e = weft_format_storage_shape(&s, from, to, c0, &out, &d);
  return e ? d.text : text_of(&out);
}

static int64_t elems(weft_shape s, weft_format from, weft_format to) {
  weft_diag d = {0};
  weft_shape out;
  int64_t n = -2;
  if (weft_format_storage_shape(&s, from, to, 0, &out, &d) || weft_shape_elems(&out, &n))
    return -3;
  return n;
}

TEST(r253_nc1hwc0_sizes_and_lines) {
  weft_shape s = SHAPE(1, 32, 56, 56);
  CHECK_STR(storage(s, WEFT_NCHW, WEFT_NC1HWC0, 16), "[1,2,56,56,16]");
  int64_t plain = 0;
  int64_t packed = elems(s, WEFT_NCHW, WEFT_NC1HWC0);
  CHECK_INT(weft_shape_elems(&s, &plain), WEFT_OK);
  char line[96];
  snprintf(line, sizeof line, "NCHW storage: %lld elements", (long long)plain);
  CHECK_STR(line, "NCHW storage: 100352 elements");
  snprintf(line, sizeof line, "NC1HWC0 storage: %lld elements (aligned)", (long long)packed);
  CHECK_STR(line, "NC1HWC0 storage: 100352 elements (aligned)");
  snprintf(line, sizeof line, "Format overhead: %lld elements", (long long)(packed - plain));
  CHECK_STR(line, "Format overhead: 0 elements");
}

TEST(r254_overhead) {
  CHECK_INT(elems(SHAPE(1, 3, 224, 224), WEFT_NCHW, WEFT_NC1HWC0), 802816);
  CHECK_INT(802816 - 150528, 652288);
  CHECK_INT(elems(SHAPE(1, 33, 1, 1), WEFT_NCHW, WEFT_NC1HWC0), 48);
  CHECK_INT(elems(SHAPE(2, 17, 2, 2), WEFT_NCHW, WEFT_NC1HWC0), 256);
}

TEST(r258_c0_of_the_word_wins) {
  CHECK_STR(storage(SHAPE(1, 32, 56, 56), WEFT_NCHW, weft_format_make(WEFT_NC1HWC0, 0, 6), 16),
            "[1,1,56,56,32]");
  CHECK_STR(storage(SHAPE(1, 32, 56, 56), WEFT_NCHW, WEFT_NC1HWC0, 32), "[1,1,56,56,32]");
  CHECK_STR(storage(SHAPE(1, 32, 56, 56), WEFT_NCHW, WEFT_NC1HWC0, 0), "[1,2,56,56,16]");
  CHECK_STR(storage(SHAPE(17, 33), WEFT_ND, WEFT_FRACTAL_NZ_C0_32, 16), "[2,2,16,32]");
  CHECK_STR(storage(SHAPE(17, 33), WEFT_ND, WEFT_FRACTAL_NZ_C0_2, 0), "[17,2,16,2]");
}

TEST(r259_fractal_nz_shapes) {
  CHECK_STR(storage(SHAPE(17, 33), WEFT_ND, WEFT_FRACTAL_NZ, 16), "[3,2,16,16]");
  CHECK_INT(elems(SHAPE(17, 33), WEFT_ND, WEFT_FRACTAL_NZ), 1536);
  CHECK_STR(storage(SHAPE(17, 33), WEFT_ND, weft_format_make(WEFT_FRACTAL_NZ, 0, 6), 16), "[2,2,16,32]");
  CHECK_STR(storage(SHAPE(5, 2, 17, 33), WEFT_NCHW, WEFT_FRACTAL_NZ, 0), "[5,2,3,2,16,16]");
  CHECK_STR(storage(SHAPE(33), WEFT_ND, WEFT_FRACTAL_NZ, 0), "[3,1,16,16]");
  weft_shape scalar = {0};
  CHECK_HAS(storage(scalar, WEFT_ND, WEFT_FRACTAL_NZ, 0), "needs a rank from 1 to 23, got 0");
}

TEST(r260_unknown_and_zero_dims) {
  CHECK_STR(storage(SHAPE(-1, 32, 56, 56), WEFT_NCHW, WEFT_NC1HWC0, 0), "[-1,2,56,56,16]");
  CHECK_STR(storage(SHAPE(1, -1, 56, 56), WEFT_NCHW, WEFT_NC1HWC0, 0), "[1,-1,56,56,16]");
  CHECK_INT(elems(SHAPE(0, 32, 56, 56), WEFT_NCHW, WEFT_NC1HWC0), 0);
  CHECK_STR(storage(SHAPE(0, 32, 56, 56), WEFT_NCHW, WEFT_NC1HWC0, 0), "[0,2,56,56,16]");
  CHECK_STR(storage(SHAPE(-1, 3, 7, 7), WEFT_NCHW, WEFT_FRACTAL_Z, 0), "[49,-1,16,16]");
  CHECK_STR(storage(SHAPE(64, 3, -1, 7), WEFT_NCHW, WEFT_FRACTAL_Z, 0), "[-1,4,16,16]");
  CHECK_STR(storage(SHAPE(64, 3, -1, 0), WEFT_NCHW, WEFT_FRACTAL_Z, 0), "[0,4,16,16]");
  CHECK_STR(storage(SHAPE(-1, 17, -1), WEFT_ND, WEFT_FRACTAL_NZ, 0), "[-1,-1,2,16,16]");
  weft_dim symbol = WEFT_DIM_SYMBOL_LIMIT - 7;
  weft_diag d = {0};
  weft_shape out;
  weft_shape s = SHAPE(symbol, symbol, symbol, 5);
  CHECK_OK(weft_format_storage_shape(&s, WEFT_NCHW, WEFT_NC1HWC0, 0, &out, &d), &d);
  CHECK_INT(out.dim[0], symbol);  // copied
  CHECK_INT(out.dim[1], -1);      // divided
  CHECK_INT(out.dim[2], symbol);
  CHECK_INT(out.dim[3], 5);
  weft_shape_set_unknown_rank(&s);
  CHECK_OK(weft_format_storage_shape(&s, WEFT_NCHW, WEFT_NC1HWC0, 0, &out, &d), &d);
  CHECK(weft_shape_is_unknown_rank(&out));
  CHECK_OK(weft_format_storage_shape(&s, WEFT_ND, WEFT_FRACTAL_NZ, 0, &out, &d), &d);
  CHECK(weft_shape_is_unknown_rank(&out));
  CHECK_FAILS(weft_format_storage_shape(&s, WEFT_NCDHW, WEFT_NC1HWC0, 0, &out, &d), WEFT_E_FORMAT);
}

TEST(plain_shapes) {
  CHECK_STR(storage(SHAPE(1, 2, 3, 4), WEFT_NHWC, WEFT_NCHW, 0), "[1,4,2,3]");
  CHECK_STR(storage(SHAPE(3, 4, 5, 6), WEFT_HWCN, WEFT_NCHW, 0), "[6,5,3,4]");
  CHECK_STR(storage(SHAPE(3, 4, 5, 6), WEFT_NCHW, WEFT_CHWN, 0), "[4,5,6,3]");
  CHECK_STR(storage(SHAPE(1, 2, 3, 4, 5), WEFT_NDHWC, WEFT_NCDHW, 0), "[1,5,2,3,4]");
  CHECK_STR(storage(SHAPE(1, 2, 3, 4, 5), WEFT_NCDHW, WEFT_DHWCN, 0), "[3,4,5,2,1]");
  CHECK_STR(storage(SHAPE(7), WEFT_ND, WEFT_NCHW, 0), "[7]");
  CHECK_STR(storage(SHAPE(7, 8), WEFT_NCHW, WEFT_ND, 0), "[7,8]");
  CHECK_STR(storage(SHAPE(7), WEFT_NCHW, WEFT_NCHW, 0), "[7]");
  CHECK_STR(storage(SHAPE(1, 56, 56, 32), WEFT_NHWC, WEFT_NC1HWC0, 0), "[1,2,56,56,16]");
  CHECK_STR(storage(SHAPE(7, 7, 3, 64), WEFT_HWCN, WEFT_FRACTAL_Z, 0), "[49,4,16,16]");
  CHECK_STR(storage(SHAPE(1, 32, 5, 6), WEFT_ND, WEFT_NC1HWC0, 0), "[1,2,5,6,16]");
  weft_diag d = {0};
  weft_shape s = SHAPE(-1, 2, 3, -1);
  weft_shape in_place = s;
  CHECK_OK(weft_format_permute_shape(&in_place, WEFT_NHWC, WEFT_NCHW, &in_place, &d), &d);
  CHECK_STR(text_of(&in_place), "[-1,-1,2,3]");
  CHECK_FAILS(weft_format_permute_shape(&s, WEFT_NCHW, WEFT_NC1HWC0, &in_place, &d), WEFT_E_FORMAT);
}

TEST(shapes_that_fail) {
  weft_diag d = {0};
  weft_shape out;
  weft_shape r3 = SHAPE(1, 2, 3);
  weft_shape r4 = SHAPE(1, 2, 3, 4);
  weft_shape r5 = SHAPE(1, 2, 3, 4, 5);
  CHECK_FAILS(weft_format_storage_shape(&r3, WEFT_NHWC, WEFT_NCHW, 0, &out, &d), WEFT_E_SHAPE);
  CHECK_HAS(d.text, "NHWC to NCHW needs rank 4, got 3");
  CHECK_FAILS(weft_format_storage_shape(&r3, WEFT_NCHW, WEFT_NC1HWC0, 0, &out, NULL), WEFT_E_SHAPE);
  CHECK_FAILS(weft_format_storage_shape(&r3, WEFT_ND, WEFT_FRACTAL_Z, 0, &out, NULL), WEFT_E_SHAPE);
  CHECK_FAILS(weft_format_storage_shape(&r5, WEFT_NCDHW, WEFT_NCHW, 0, &out, NULL), WEFT_E_FORMAT);
  CHECK_FAILS(weft_format_storage_shape(&r5, WEFT_NCDHW, WEFT_NC1HWC0, 0, &out, NULL), WEFT_E_FORMAT);
  weft_diag_clear(&d);
  CHECK_FAILS(weft_format_storage_shape(&r4, WEFT_NCHW, WEFT_FRACTAL_Z_3D, 0, &out, &d), WEFT_E_FORMAT);
  CHECK_HAS(d.text, "no rule leads from NCHW to FRACTAL_Z_3D");
  CHECK_FAILS(weft_format_storage_shape(&r4, WEFT_NCHW, 61444, 0, &out, NULL), WEFT_E_FORMAT);  // groups
  CHECK_FAILS(weft_format_storage_shape(&r4, WEFT_NC1HWC0, WEFT_NCHW, 0, &out, NULL), WEFT_E_FORMAT);
  CHECK_FAILS(weft_format_storage_shape(&r4, 0xFF, WEFT_NCHW, 0, &out, NULL), WEFT_E_FORMAT);
  CHECK_FAILS(weft_format_storage_shape(&r4, WEFT_NCHW, WEFT_NC1HWC0, -1, &out, NULL), WEFT_E_INVALID);
  weft_shape bad = SHAPE(1, -3, 2, 2);
  CHECK_FAILS(weft_format_storage_shape(&bad, WEFT_NCHW, WEFT_NC1HWC0, 0, &out, NULL), WEFT_E_SHAPE);
  bad.rank = WEFT_RANK_UNSET;
  CHECK_FAILS(weft_format_storage_shape(&bad, WEFT_NCHW, WEFT_NC1HWC0, 0, &out, NULL), WEFT_E_SHAPE);
  weft_shape huge = SHAPE(INT64_MAX, INT64_MAX, INT64_MAX, INT64_MAX);
  CHECK_FAILS(weft_format_storage_shape(&huge, WEFT_NCHW, WEFT_NC1HWC0, 0, &out, NULL), WEFT_E_OVERFLOW);
  weft_shape partly = SHAPE(-1, INT64_MAX, INT64_MAX, INT64_MAX);
  CHECK_FAILS(weft_format_storage_shape(&partly, WEFT_NCHW, WEFT_FRACTAL_Z, 0, &out, NULL), WEFT_E_OVERFLOW);
  weft_shape wide = {0};
  CHECK_OK(weft_shape_set_rank(&wide, 24), &d);
  CHECK_FAILS(weft_format_storage_shape(&wide, WEFT_ND, WEFT_FRACTAL_NZ, 0, &out, NULL), WEFT_E_SHAPE);
}

// ---- data ----

static void fill_iota(void *data, size_t n, size_t item) {
  for (size_t i = 0; i < n; i++) {
    uint64_t v = i + 1;
    uint8_t *p = (uint8_t *)data + i * item;
    for (size_t b = 0; b < item; b++)
      p[b] = b < 8 ? (uint8_t)(v >> 8 * b) : 0x77;
  }
}

// The offset of (n, c, h, w) in an order of NCHW.
static size_t plain_at(weft_format f, const weft_dim *nchw, const size_t *at) {
  const char *axes = weft_format_serial(f);
  size_t offset = 0;
  for (; *axes; axes++) {
    size_t k = *axes == 'N' ? 0 : *axes == 'C' ? 1 : *axes == 'H' ? 2 : 3;
    offset = offset * (size_t)nchw[k] + at[k];
  }
  return offset;
}

static size_t packed_at(weft_format f, size_t c0, const weft_dim *nchw, const size_t *at) {
  size_t N = (size_t)nchw[0];
  size_t C = (size_t)nchw[1];
  size_t H = (size_t)nchw[2];
  size_t W = (size_t)nchw[3];
  size_t n = at[0];
  size_t c = at[1];
  size_t h = at[2];
  size_t w = at[3];
  size_t c1 = (C + c0 - 1) / c0;
  size_t n1 = (N + 15) / 16;
  if (f == WEFT_NC1HWC0)
    return (((n * c1 + c / c0) * H + h) * W + w) * c0 + c % c0;
  if (f == WEFT_FRACTAL_Z)
    return ((((c / c0 * H + h) * W + w) * n1 + n / 16) * 16 + n % 16) * c0 + c % c0;
  return plain_at(f, nchw, at);
}

static weft_shape plain_shape(weft_format f, const weft_dim *nchw) {
  weft_shape s = SHAPE(nchw[0], nchw[1], nchw[2], nchw[3]);
  weft_diag d = {0};
  CHECK_INT(weft_format_permute_shape(&s, WEFT_NCHW, f, &s, &d), WEFT_OK);
  return s;
}

// from (plain) -> to (any) -> from, each element checked, in blocks of exact size.
static void check_data(const weft_dim *nchw, weft_format from, weft_format to, size_t c0, weft_dtype t) {
  weft_diag d = {0};
  size_t item = weft_dtype_bits(t) / 8;
  size_t n = (size_t)(nchw[0] * nchw[1] * nchw[2] * nchw[3]);
  size_t lanes = 0;
  weft_shape origin = plain_shape(from, nchw);
  weft_shape other;
  weft_shape to_plain = plain_shape(from, nchw);
  CHECK_OK(weft_format_storage_shape(&origin, from, to, (int64_t)c0, &other, &d), &d);
  int64_t m = 0;
  CHECK_INT(weft_shape_elems(&other, &m), WEFT_OK);
  // one byte past an aligned address: data may lie anywhere
  uint8_t *block_a = malloc(n * item + 1);
  uint8_t *block_b = malloc((size_t)m * item + 1);
  uint8_t *block_c = malloc(n * item + 1);
  uint8_t *a = block_a + 1;
  uint8_t *b = block_b + 1;
  uint8_t *c = block_c + 1;
  fill_iota(a, n, item);
  memset(b, 0xEE, (size_t)m * item);
  memset(c, 0xEE, n * item);
  CHECK_INT(weft_format_convert(&origin, t, from, a, n * item, to, b, (size_t)m * item, (int64_t)c0, &d),
            WEFT_OK);
  size_t wrong = 0;
  size_t at[4];
  for (at[0] = 0; at[0] < (size_t)nchw[0]; at[0]++) {
    for (at[1] = 0; at[1] < (size_t)nchw[1]; at[1]++) {
      for (at[2] = 0; at[2] < (size_t)nchw[2]; at[2]++) {
        for (at[3] = 0; at[3] < (size_t)nchw[3]; at[3]++) {
          size_t i = plain_at(from, nchw, at);
          size_t j = packed_at(to, c0, nchw, at);
          wrong += memcmp(a + i * item, b + j * item, item) != 0;
        }
      }
    }
  }
  CHECK_INT(wrong, 0);
  for (size_t i = 0; i < (size_t)m; i++) {
    size_t zero = 0;
    for (size_t k = 0; k < item; k++)
      zero += b[i * item + k] == 0;
    lanes += zero == item;
  }
  CHECK_INT(lanes, (size_t)m - n);  // iota starts at 1: zero lanes are the padding and nothing else
  const weft_shape *back = to == WEFT_NC1HWC0 || to == WEFT_FRACTAL_Z ? &to_plain : &other;
  CHECK_INT(weft_format_convert(back, t, to, b, (size_t)m * item, from, c, n * item, (int64_t)c0, &d),
            WEFT_OK);
  CHECK(memcmp(a, c, n * item) == 0);
  free(block_a);
  free(block_b);
  free(block_c);
}

TEST(r255_r263_every_pair_dtype_and_c0) {
  static const weft_dim SHAPES[][4] = {
      {1, 1, 1, 1}, {2, 17, 3, 2}, {1, 16, 2, 3}, {17, 5, 2, 2}, {33, 40, 1, 3}};
  static const weft_format PLAIN[] = {WEFT_NCHW, WEFT_NHWC, WEFT_HWCN, WEFT_CHWN};
  static const weft_format TO[] = {WEFT_NCHW, WEFT_NHWC, WEFT_HWCN, WEFT_CHWN, WEFT_NC1HWC0, WEFT_FRACTAL_Z};
  static const weft_dtype TYPES[] = {WEFT_FLOAT16, WEFT_FLOAT, WEFT_DOUBLE, WEFT_COMPLEX128, WEFT_DUAL};
  static const size_t C0[] = {16, 32, 1, 5};
  for (size_t s = 0; s < 5; s++) {
    for (size_t i = 0; i < 4; i++) {
      for (size_t j = 0; j < 6; j++) {
        for (size_t k = 0; k < 5; k++)
          check_data(SHAPES[s], PLAIN[i], TO[j], C0[(s + k) % 4], TYPES[k]);
      }
    }
  }
  static const weft_dim SMALL[4] = {2, 3, 4, 5};
  for (size_t j = 0; j < 6; j++)
    check_data(SMALL, WEFT_NHWC, TO[j], 16, WEFT_INT8);
}

TEST(r255_exact_offsets) {
  enum { N = 100352 };
  weft_diag d = {0};
  weft_shape s = SHAPE(1, 32, 56, 56);
  float *a = malloc(N * sizeof *a);
  float *b = malloc(N * sizeof *b);
  float *c = malloc(N * sizeof *c);
  for (int i = 0; i < N; i++)
    a[i] = (float)i;
  CHECK_OK(weft_format_convert(&s, WEFT_FLOAT, WEFT_NCHW, a, N * 4, WEFT_NC1HWC0, b, N * 4, 0, &d), &d);
  CHECK_F64(b[50177], 17 * 3136, 0);  // (0,17,0,0)
  CHECK_F64(b[100351], 31 * 3136 + 55 * 56 + 55, 0);
  CHECK_F64(b[1845], 5 * 3136 + 2 * 56 + 3, 0);  // (0,5,2,3)
  CHECK_OK(weft_format_convert(&s, WEFT_FLOAT, WEFT_NC1HWC0, b, N * 4, WEFT_NCHW, c, N * 4, 0, &d), &d);
  CHECK(memcmp(a, c, N * 4) == 0);
  free(a);
  free(b);
  free(c);
}

TEST(r263_nhwc_to_nchw_iota) {
  weft_diag d = {0};
  weft_shape s = SHAPE(1, 2, 3, 4);
  int32_t a[24];
  int32_t b[24];
  for (int i = 0; i < 24; i++)
    a[i] = i;
  CHECK_OK(weft_format_convert(&s, WEFT_INT32, WEFT_NHWC, a, sizeof a, WEFT_NCHW, b, sizeof b, 0, &d), &d);
  for (int c = 0; c < 4; c++) {
    for (int h = 0; h < 2; h++) {
      for (int w = 0; w < 3; w++)
        CHECK_INT(b[(c * 2 + h) * 3 + w], (h * 3 + w) * 4 + c);
    }
  }
  // weights: HWIO (HWCN) to OIHW (NCHW)
  weft_shape hwio = SHAPE(2, 3, 2, 2);
  CHECK_OK(weft_format_convert(&hwio, WEFT_INT32, WEFT_HWCN, a, sizeof a, WEFT_NCHW, b, sizeof b, 0, &d), &d);
  for (int o = 0; o < 2; o++) {
    for (int i = 0; i < 2; i++) {
      for (int hw = 0; hw < 6; hw++)
        CHECK_INT(b[(o * 2 + i) * 6 + hw], (hw * 2 + i) * 2 + o);
    }
  }
}

static void check_nz(size_t batch, size_t M, size_t N, weft_format to, size_t c0) {
  weft_diag d = {0};
  weft_shape s = SHAPE((weft_dim)batch, (weft_dim)M, (weft_dim)N);
  weft_shape out;
  CHECK_OK(weft_format_storage_shape(&s, WEFT_ND, to, 0, &out, &d), &d);
  size_t m1 = (M + 15) / 16;
  size_t n1 = (N + c0 - 1) / c0;
  size_t size = batch * n1 * m1 * 16 * c0;
  size_t plain = batch * M * N;
  uint16_t *a = malloc(plain * 2);
  uint16_t *b = malloc(size * 2);
  uint16_t *c = malloc(plain * 2);
  for (size_t i = 0; i < plain; i++)
    a[i] = (uint16_t)(i + 1);
  memset(b, 0xEE, size * 2);
  CHECK_INT(weft_format_convert(&s, WEFT_FLOAT16, WEFT_ND, a, plain * 2, to, b, size * 2, 0, &d), WEFT_OK);
  size_t wrong = 0;
  size_t used = 0;
  for (size_t i = 0; i < batch; i++) {
    for (size_t m = 0; m < M; m++) {
      for (size_t n = 0; n < N; n++) {
        wrong += b[(((i * n1 + n / c0) * m1 + m / 16) * 16 + m % 16) * c0 + n % c0] != a[(i * M + m) * N + n];
      }
    }
  }
  for (size_t i = 0; i < size; i++)
    used += b[i] != 0;
  CHECK_INT(wrong, 0);
  CHECK_INT(used, plain);
  CHECK_INT(weft_format_convert(&s, WEFT_FLOAT16, to, b, size * 2, WEFT_ND, c, plain * 2, 0, &d), WEFT_OK);
  CHECK(memcmp(a, c, plain * 2) == 0);
  free(a);
  free(b);
  free(c);
}

TEST(r259_fractal_nz_data) {
  check_nz(1, 17, 33, WEFT_FRACTAL_NZ, 16);
  check_nz(1, 17, 33, weft_format_make(WEFT_FRACTAL_NZ, 0, 6), 32);
  check_nz(3, 16, 16, WEFT_FRACTAL_NZ, 16);
  check_nz(2, 1, 5, WEFT_FRACTAL_NZ_C0_4, 4);
  weft_diag d = {0};
  weft_shape s = SHAPE(20);  // as [1,20]
  uint8_t a[20];
  uint8_t b[512];
  uint8_t c[20];
  fill_iota(a, 20, 1);
  CHECK_OK(weft_format_convert(&s, WEFT_INT8, WEFT_ND, a, 20, WEFT_FRACTAL_NZ, b, 512, 0, &d), &d);
  CHECK_INT(b[15], 16);
  CHECK_INT(b[16], 0);
  CHECK_INT(b[256], 17);
  CHECK_INT(b[260], 0);
  CHECK_OK(weft_format_convert(&s, WEFT_INT8, WEFT_FRACTAL_NZ, b, 512, WEFT_ND, c, 20, 0, &d), &d);
  CHECK(memcmp(a, c, 20) == 0);
}

TEST(five_dims_permute) {
  weft_diag d = {0};
  weft_shape s = SHAPE(2, 3, 4, 5, 6);
  weft_shape p;
  enum { N = 720 };
  int16_t a[N];
  int16_t b[N];
  int16_t c[N];
  int16_t e[N];
  for (int i = 0; i < N; i++)
    a[i] = (int16_t)i;
  CHECK_OK(weft_format_convert(&s, WEFT_INT16, WEFT_NCDHW, a, sizeof a, WEFT_NDHWC, b, sizeof b, 0, &d), &d);
  CHECK_INT(b[((((1 * 4 + 2) * 5) + 3) * 6 + 4) * 3 + 2], (((1 * 3 + 2) * 4 + 2) * 5 + 3) * 6 + 4);
  CHECK_OK(weft_format_permute_shape(&s, WEFT_NCDHW, WEFT_NDHWC, &p, &d), &d);
  CHECK_OK(weft_format_convert(&p, WEFT_INT16, WEFT_NDHWC, b, sizeof b, WEFT_DHWCN, c, sizeof c, 0, &d), &d);
  CHECK_INT(c[(((2 * 5 + 3) * 6 + 4) * 3 + 2) * 2 + 1], (((1 * 3 + 2) * 4 + 2) * 5 + 3) * 6 + 4);
  CHECK_OK(weft_format_permute_shape(&p, WEFT_NDHWC, WEFT_DHWCN, &p, &d), &d);
  CHECK_OK(weft_format_convert(&p, WEFT_INT16, WEFT_DHWCN, c, sizeof c, WEFT_NCDHW, e, sizeof e, 0, &d), &d);
  CHECK(memcmp(a, e, sizeof a) == 0);
}

TEST(equal_layouts_are_copied_whole_sub_byte_types_too) {
  weft_diag d = {0};
  weft_shape s = SHAPE(1, 3, 1, 1);
  uint8_t a[2] = {0x21, 0xF3};
  uint8_t b[2] = {0, 0};
  CHECK_OK(weft_format_convert(&s, WEFT_INT4, WEFT_NCHW, a, 2, WEFT_NCHW, b, 2, 0, &d), &d);
  CHECK(memcmp(a, b, 2) == 0);
  CHECK_OK(weft_format_convert(&s, WEFT_INT4, WEFT_NCHW, a, 2, WEFT_ND, b, 2, 0, &d), &d);
  CHECK_FAILS(weft_format_convert(&s, WEFT_INT4, WEFT_NCHW, a, 2, WEFT_NHWC, b, 2, 0, &d),
              WEFT_E_UNSUPPORTED);
  CHECK_HAS(d.text, "NCHW to NHWC of i4");
  weft_shape packed = SHAPE(1, 1, 1, 1, 16);
  uint8_t x[16] = {1, 2, 3};
  uint8_t y[16];
  weft_format c16 = weft_format_make(WEFT_NC1HWC0, 0, 5);
  weft_format c32 = weft_format_make(WEFT_NC1HWC0, 0, 6);
  CHECK_OK(weft_format_convert(&packed, WEFT_INT8, WEFT_NC1HWC0, x, 16, c16, y, 16, 0, &d), &d);
  CHECK(memcmp(x, y, 16) == 0);
  CHECK_FAILS(weft_format_convert(&packed, WEFT_INT8, c16, x, 16, c32, y, 16, 0, NULL), WEFT_E_FORMAT);
}

TEST(conversions_that_fail_touch_nothing) {
  weft_diag d = {0};
  uint8_t a[64] = {0};
  uint8_t b[64];
  memset(b, 0xEE, sizeof b);
  weft_shape s = SHAPE(1, 3, 1, 1);
  CHECK_FAILS(weft_format_convert(&s, WEFT_INT8, WEFT_NCHW, a, 2, WEFT_NC1HWC0, b, 16, 0, &d),
              WEFT_E_INVALID);
  CHECK_HAS(d.text, "source buffer needs 3 bytes, got 2");
  weft_diag_clear(&d);
  CHECK_FAILS(weft_format_convert(&s, WEFT_INT8, WEFT_NCHW, a, 3, WEFT_NC1HWC0, b, 15, 0, &d),
              WEFT_E_INVALID);
  CHECK_HAS(d.text, "target buffer needs 16 bytes, got 15");
  CHECK_FAILS(weft_format_convert(&s, WEFT_INT8, WEFT_NC1HWC0, a, 15, WEFT_NCHW, b, 3, 0, NULL),
              WEFT_E_INVALID);
  CHECK_FAILS(weft_format_convert(&s, WEFT_INT8, WEFT_NCHW, a, 3, WEFT_ND, b, 2, 0, NULL), WEFT_E_INVALID);
  CHECK_FAILS(weft_format_convert(&s, WEFT_INT8, WEFT_FRACTAL_Z, a, 64, WEFT_NC1HWC0, b, 64, 0, NULL),
              WEFT_E_FORMAT);
  CHECK_FAILS(weft_format_convert(&s, WEFT_UNDEFINED, WEFT_NCHW, a, 3, WEFT_NHWC, b, 3, 0, NULL),
              WEFT_E_DTYPE);
  CHECK_FAILS(weft_format_convert(&s, 77, WEFT_NCHW, a, 3, WEFT_NHWC, b, 3, 0, NULL), WEFT_E_DTYPE);
  CHECK_FAILS(weft_format_convert(&s, WEFT_STRING, WEFT_NCHW, a, 48, WEFT_NHWC, b, 48, 0, NULL),
              WEFT_E_UNSUPPORTED);
  weft_shape unknown = SHAPE(1, -1, 1, 1);
  CHECK_FAILS(weft_format_convert(&unknown, WEFT_INT8, WEFT_NCHW, a, 3, WEFT_NHWC, b, 3, 0, NULL),
              WEFT_E_UNKNOWN);
  weft_shape huge = SHAPE(INT64_MAX / 2, 1, 1, 1);
  CHECK_FAILS(weft_format_convert(&huge, WEFT_DOUBLE, WEFT_NCHW, a, 64, WEFT_NHWC, b, 64, 0, NULL),
              WEFT_E_OVERFLOW);
  CHECK_FAILS(weft_format_convert(&huge, WEFT_INT8, WEFT_NCHW, a, SIZE_MAX, WEFT_NC1HWC0, b, 64, 0, NULL),
              WEFT_E_OVERFLOW);
  CHECK_FAILS(weft_format_convert(&s, WEFT_INT8, WEFT_NCHW, a, 3, WEFT_NC1HWC0, b, 64, INT64_MAX, NULL),
              WEFT_E_INVALID);
  for (size_t i = 0; i < sizeof b; i++)
    CHECK_INT(b[i], 0xEE);
}

TEST(r260_empty_tensors_convert_to_nothing) {
  weft_diag d = {0};
  weft_shape s = SHAPE(0, INT64_MAX, INT64_MAX, 3);
  CHECK_OK(weft_format_convert(&s, WEFT_FLOAT, WEFT_NCHW, NULL, 0, WEFT_NC1HWC0, NULL, 0, 0, &d), &d);
  CHECK_OK(weft_format_convert(&s, WEFT_FLOAT, WEFT_NCHW, NULL, 0, WEFT_NHWC, NULL, 0, 0, &d), &d);
  CHECK_OK(weft_format_convert(&s, WEFT_FLOAT, WEFT_NCHW, NULL, 0, WEFT_ND, NULL, 0, 0, &d), &d);
  CHECK_OK(weft_format_convert(&s, WEFT_FLOAT, WEFT_NC1HWC0, NULL, 0, WEFT_NCHW, NULL, 0, 0, &d), &d);
  weft_shape wide = SHAPE(4, 0, 5, 6);
  CHECK_OK(weft_format_convert(&wide, WEFT_FLOAT, WEFT_NHWC, NULL, 0, WEFT_FRACTAL_Z, NULL, 0, 0, &d), &d);
}
// SPDX-License-Identifier: Apache-2.0
