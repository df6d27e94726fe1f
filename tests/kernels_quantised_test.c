// kernels_quantised_test.c - ConvInteger, MatMulInteger, QuantizeLinear, DequantizeLinear, MaxPoolV3 of bytes
// and regions of them, plain and in NC1HWC0, by the CPU's kernels, on random shapes (odd sizes, empty ones,
// strides, dilations, paddings, groups), bytes at the ends of their range, zero points at the ends, one
// parameter or one a channel, constant or not: the bits that the interpreter gives, for each instruction set;
// the same with one thread and with several; and by a kernel, not by the reference.
#include <float.h>

#include "base/base.h"
#include "maker.h"

enum { ROUNDS = 150 };
static int style;  // of bytes: 0 any, 1 the ends, 2 small

static int byte(maker *m, bool is_signed) {
  int low = is_signed ? -128 : 0;
  if (style == 1)
    return low + 255 * (int)pick(m, 2);
  return style == 2 ? (is_signed ? -3 : 0) + (int)pick(m, 7) : low + (int)pick(m, 256);
}

static void value(maker *m, weft_dtype t) {
  static const char *const odd[] = {"inf", "nan", "0", "1e30", "-0.25", "1e-39"};
  if (t == WEFT_FLOAT && pick(m, 40) == 0)
    put(m, "%s", odd[pick(m, 6)]);
  else if (t == WEFT_FLOAT)
    put(m, "%g", (double)(1 + pick(m, 1000)) / (style == 1 ? 3e6 : 1e4));
  else if (t == WEFT_INT32)
    put_decimal(m, (int)pick(m, 20001) - 10000, 0);
  else if (t == WEFT_INT16 || t == WEFT_UINT16)
    put_decimal(m, (int)pick(m, 65536) - (t == WEFT_INT16 ? 32768 : 0), 0);
  else
    put_decimal(m, byte(m, t == WEFT_INT8), 0);
}

static void tensor(maker *m, const char *name, weft_dtype t, const int64_t *dim, size_t rank, bool constant) {
  size_t n = 1;
  for (size_t i = 0; i < rank; i++)
    n *= (size_t)dim[i];
  if (constant && n < 150000)
    put_const(m, name, t, dim, rank, value);
  else
    put_input(m, name, t, dim, rank);
}

static void begin(maker *m, uint64_t seed) {
  maker_begin(m, seed);
  style = (int)(seed % 3);
  put(m, "graph \"g\" {\n");
}

static weft_dtype sign(maker *m) {
  return pick(m, 2) ? WEFT_INT8 : WEFT_UINT8;
}

// Bias, zero points, scale and zero point of y, each or none; "" or what stands behind the operands.
static void parameters(maker *m, weft_dtype x, weft_dtype w, int64_t channels, bool *out_scaled) {
  int64_t one = 1;
  bool scaled = *out_scaled = pick(m, 4) != 0;
  bool constant = pick(m, 4) != 0;
  bool many = pick(m, 2);
  bool plain = pick(m, 2);
  tensor(m, "b", WEFT_INT32, &channels, 1, constant);
  tensor(m, "xz", x, &one, pick(m, 2), constant);
  if (plain) {  // as most models have it
    put(m, "const wz: %s[]{%d}\n", weft_dtype_name(w), w == WEFT_INT8 ? 0 : 128);
  } else {
    tensor(m, "wz", w, &channels, many, constant);
  }
  if (!scaled)
    return;
  tensor(m, "s", WEFT_FLOAT, &channels, pick(m, 2), constant);
  tensor(m, "yz", sign(m), &one, pick(m, 2), constant);
}

static void make_product(maker *m, uint64_t seed) {
  static const int64_t sizes[] = {1, 1, 2, 3, 4, 5, 7, 8, 13, 15, 16, 17, 29, 31, 32, 33, 48, 65, 100};
  static const int64_t inners[] = {0, 1, 2, 3, 4, 7, 16, 33, 64, 255, 256, 257, 2048};
  begin(m, seed);
  int64_t a[4];
  int64_t b[4];
  int64_t height = sizes[pick(m, 19)];
  int64_t width = sizes[pick(m, 19)];
  int64_t inner = inners[pick(m, 13)];
  size_t ra = 0;
  size_t rb = 0;
  if (pick(m, 40) == 0)
    height = 0;
  if (pick(m, 40) == 0)
    width = 0;
  if (pick(m, 2)) {
    for (size_t k = pick(m, 3); k; k--) {
      int64_t d = 1 + (int64_t)pick(m, 3);
      int which = (int)pick(m, 4);
      a[ra++] = which == 1 ? 1 : d;
      b[rb++] = which == 2 ? 1 : d;
    }
  }
  if (pick(m, 3) == 0)
    rb = 0;
  if (ra || pick(m, 8))
    a[ra++] = height;
  a[ra++] = inner;
  b[rb++] = inner;
  b[rb++] = width;
  weft_dtype x = sign(m);
  weft_dtype w = sign(m);
  bool scaled;
  tensor(m, "x", x, a, ra, false);
  tensor(m, "w", w, b, rb, pick(m, 2));
  parameters(m, x, w, width, &scaled);
  put(m, "node p: MatMulInteger(x, w, b, xz, wz%s)%s -> y\noutput y\n}\n", scaled ? ", s, yz" : "",
      scaled && pick(m, 4) == 0 ? " {range=[3,90]}" : "");
}

static void make_conv(maker *m, uint64_t seed) {
  static const int64_t kernels[] = {1, 1, 1, 2, 3, 3, 3, 5, 7};
  begin(m, seed);
  size_t spatial = 1 + pick(m, 3);
  if (spatial != 2 && pick(m, 2))
    spatial = 2;
  int64_t x[5];
  int64_t w[5];
  int64_t stride[3];
  int64_t dilation[3];
  int64_t pads[6];
  int64_t groups = 1 + (int64_t)pick(m, 3);
  bool depthwise = pick(m, 3) == 0;
  bool flat = pick(m, 3) == 0;
  int64_t in = 1 + (int64_t)pick(m, 24);
  int64_t out = 1 + (int64_t)pick(m, 40);
  if (pick(m, 6) == 0)
    out = 64 + (int64_t)pick(m, 70);
  if (depthwise) {
    groups = 1 + (int64_t)pick(m, 9);
    in = 1;
    out = 1 + (int64_t)(pick(m, 4) == 0);
  }
  x[0] = pick(m, 25) ? 1 + (int64_t)pick(m, 2) : 0;
  x[1] = in * groups;
  w[0] = out * groups;
  w[1] = in;
  for (size_t i = 0; i < spatial; i++) {
    int64_t k = flat ? 1 : kernels[pick(m, spatial == 3 ? 6 : 9)];
    stride[i] = flat && pick(m, 2) ? 1 : 1 + (int64_t)pick(m, 3);
    dilation[i] = 1 + (int64_t)(pick(m, 4) == 0) * 2;
    int64_t span = (k - 1) * dilation[i] + 1;
    pads[i] = flat ? 0 : (int64_t)pick(m, (uint64_t)k + 1);
    pads[spatial + i] = flat ? 0 : (int64_t)pick(m, (uint64_t)k + 1);
    x[2 + i] = 1 + (int64_t)pick(m, out >= 64 || spatial == 3 ? 9 : spatial == 1 ? 150 : 40);
    int64_t room = x[2 + i] + pads[i] + pads[spatial + i] - span;
    if (room < 0)
      x[2 + i] -= room;
    w[2 + i] = k;
  }
  weft_dtype tx = sign(m);
  weft_dtype tw = sign(m);
  bool scaled;
  tensor(m, "x", tx, x, spatial + 2, false);
  tensor(m, "w", tw, w, spatial + 2, pick(m, 4) != 0);
  parameters(m, tx, tw, w[0], &scaled);
  put(m, "node p: ConvInteger(x, w, b, xz, wz%s) {", scaled ? ", s, yz" : "");
  put_list(m, "strides", stride, spatial);
  put(m, ", ");
  put_list(m, "dilations", dilation, spatial);
  put(m, ", ");
  put_list(m, "pads", pads, 2 * spatial);
  put(m, ", group=%lld%s} -> y\noutput y\n}\n", (long long)groups,
      scaled && pick(m, 4) == 0 ? ", range=[3,90]" : "");
}

// Few places and long sums.
static void make_few(maker *m, uint64_t seed) {
  begin(m, seed);
  int64_t k = pick(m, 3) ? 3 : 1;
  int64_t groups = k == 3 && pick(m, 4) == 0 ? 2 : 1;
  int64_t pad = k == 3 && pick(m, 2);
  int64_t in = k == 3 ? 57 + (int64_t)pick(m, 8) : 513 + (int64_t)pick(m, 30);
  int64_t stride = 1 + (int64_t)pick(m, 2);
  int64_t side = k + (int64_t)pick(m, 6);
  int64_t wide = k + (int64_t)pick(m, 8);
  int64_t out = 64 + (int64_t)pick(m, 30);
  int64_t x[4] = {1 + (int64_t)pick(m, 2), in * groups, side, wide};
  int64_t w[4] = {out * groups, in, k, k};
  weft_dtype tx = sign(m);
  weft_dtype tw = sign(m);
  bool scaled;
  tensor(m, "x", tx, x, 4, false);
  tensor(m, "w", tw, w, 4, true);
  parameters(m, tx, tw, w[0], &scaled);
  put(m,
      "node p: ConvInteger(x, w, b, xz, wz%s) {strides=[%lld,%lld], pads=[%lld,%lld,%lld,%lld], group=%lld} "
      "-> "
      "y\noutput y\n}\n",
      scaled ? ", s, yz" : "", (long long)stride, (long long)stride, (long long)pad, (long long)pad,
      (long long)pad, (long long)pad, (long long)groups);
}

// What is kept in NC1HWC0: a convolution of any kind, then with the parameters that most models have a
// depthwise one, a pool, and a sum of both.
static void make_packed(maker *m, uint64_t seed) {
  static const int64_t channels[] = {1, 3, 16, 17, 24, 32, 33, 64, 70};
  begin(m, seed);
  int64_t in = channels[pick(m, 9)];
  int64_t out = channels[pick(m, 9)];
  int64_t k = 1 + 2 * (int64_t)pick(m, 3);
  if (pick(m, 3) == 0)
    k = 1 + (int64_t)pick(m, 7);
  int64_t pad = (int64_t)pick(m, (uint64_t)k);
  int64_t groups = pick(m, 6) == 0 ? 2 : 1;
  int64_t stride = 1 + (int64_t)pick(m, 3);
  if (groups == 2) {
    in = 32;
    out = 32 * (1 + (int64_t)pick(m, 2));
  }
  int64_t x[4] = {1 + (int64_t)pick(m, 2), in * groups, k + (int64_t)pick(m, 20), k + (int64_t)pick(m, 40)};
  int64_t w[4] = {out * groups, in, k, k};
  int64_t d[4] = {out * groups, 1, 3, 3};
  int64_t one = 1;
  weft_dtype tx = sign(m);
  weft_dtype tw = sign(m);
  weft_dtype ty = sign(m);
  tensor(m, "x", tx, x, 4, false);
  tensor(m, "w", tw, w, 4, true);
  tensor(m, "d", tw, d, 4, true);
  tensor(m, "b", WEFT_INT32, w, 1, true);
  tensor(m, "xz", tx, &one, pick(m, 2), true);
  tensor(m, "yz", ty, &one, pick(m, 2), true);
  put(m, "const wz: %s[]{%d}\n", weft_dtype_name(tw), tw == WEFT_INT8 ? 0 : 128);
  tensor(m, "s", WEFT_FLOAT, w, pick(m, 2), true);
  put(m, "const r: f32[]{0.0123} const q: f32[]{%g}\n", 0.001 * (double)(1 + pick(m, 90)));
  put(m,
      "node c: ConvInteger(x, w, b, xz, wz, s, yz) {strides=[%lld,%lld], pads=[%lld,%lld,%lld,%lld], "
      "group=%lld%s} -> c\n",
      (long long)stride, (long long)stride, (long long)pad, (long long)pad, (long long)pad, (long long)pad,
      (long long)groups, pick(m, 4) == 0 ? ", range=[3,90]" : "");
  put(m, "node e: ConvInteger(c, d, b, yz, wz, s, yz) {strides=[%d,%d], pads=[1,1,1,1], group=%lld} -> e\n",
      1 + (int)pick(m, 2), 1 + (int)pick(m, 2), (long long)w[0]);
  put(m,
      "node p: MaxPoolV3(c) {ksize=[3,3], strides=[%d,%d], pads=[1,1,1,1], padding_mode=\"CALCULATED\"} -> "
      "p\n",
      1 + (int)pick(m, 3), 1 + (int)pick(m, 3));
  put(m,
      "node f: DequantizeLinear(c, r, yz) -> f node g: DequantizeLinear(c, q, yz) -> g\n"
      "node h: Add(f, g) -> h node i: QuantizeLinear(h, q, yz) -> i\noutput e output p output i\n}\n");
}

// Packed convolutions of 3 x 3 taps and strides of 1, one after the other.
static void make_windows(maker *m, uint64_t seed) {
  static const int64_t channels[] = {24, 32, 50, 64, 96, 160};
  begin(m, seed);
  int64_t in = channels[pick(m, 6)];
  int64_t out = channels[pick(m, 6)];
  int64_t one = 1;
  int64_t pad[4];
  int64_t x[4] = {1 + (int64_t)pick(m, 2), in, 3 + (int64_t)pick(m, 9), 3 + (int64_t)pick(m, 20)};
  for (int i = 0; i < 4; i++)
    pad[i] = (int64_t)pick(m, 3);
  int64_t v[4] = {in, in, 1, 1};
  int64_t w[4] = {out, in, 3, 3};
  weft_dtype tx = sign(m);
  weft_dtype tw = sign(m);
  weft_dtype ty = sign(m);
  tensor(m, "x", tx, x, 4, false);
  tensor(m, "v", tw, v, 4, true);
  tensor(m, "w", tw, w, 4, true);
  tensor(m, "a", WEFT_INT32, v, 1, true);
  tensor(m, "b", WEFT_INT32, w, 1, true);
  tensor(m, "xz", tx, &one, pick(m, 2), true);
  tensor(m, "yz", ty, &one, pick(m, 2), true);
  put(m, "const wz: %s[]{%d} const q: f32[]{0.002}\n", weft_dtype_name(tw), tw == WEFT_INT8 ? 0 : 128);
  tensor(m, "s", WEFT_FLOAT, w, pick(m, 2), true);
  put(m, "node c: ConvInteger(x, v, a, xz, wz, q, yz) -> c\n");
  put(m, "node e: ConvInteger(c, w, b, yz, wz, s, yz) {pads=[%lld,%lld,%lld,%lld]%s} -> e\noutput e\n}\n",
      (long long)pad[0], (long long)pad[1], (long long)pad[2], (long long)pad[3],
      pick(m, 4) == 0 ? ", range=[3,90]" : "");
}

// QuantizeLinear, DequantizeLinear, MaxPoolV3, and a region of two inputs.
static void make_around(maker *m, uint64_t seed) {
  begin(m, seed);
  int64_t x[4];
  int64_t axis = (int64_t)pick(m, 4);
  for (int i = 0; i < 4; i++)
    x[i] = 1 + (int64_t)pick(m, i < 2 ? 5 : 40);
  if (pick(m, 20) == 0)
    x[pick(m, 4)] = 0;
  bool many = pick(m, 2);
  weft_dtype t = sign(m);
  if (seed % 4 < 2 && pick(m, 3) == 0)
    t = pick(m, 2) ? WEFT_INT16 : WEFT_UINT16;
  switch (seed % 4) {
    case 0:
    case 1:
      tensor(m, "x", seed % 4 ? t : WEFT_FLOAT, x, 4, false);
      tensor(m, "s", WEFT_FLOAT, &x[axis], many, pick(m, 2));
      if (pick(m, 4)) {
        tensor(m, "z", t, &x[axis], many, pick(m, 2));
        put(m, "node p: %sinear(x, s, z) {axis=%lld} -> y\n", seed % 4 ? "DequantizeL" : "QuantizeL",
            (long long)axis - (pick(m, 2) ? 4 : 0));
      } else {
        put(m, "node p: %sinear(x, s) {axis=%lld} -> y\n", seed % 4 ? "DequantizeL" : "QuantizeL",
            (long long)axis);
      }
      break;
    case 2: {
      int64_t k = 1 + (int64_t)pick(m, 4);
      int64_t d = 1 + (int64_t)pick(m, 2);
      int64_t span = (k - 1) * d + 1;
      for (int i = 2; i < 4; i++)
        x[i] = WEFT_MAX(x[i], span);
      static const char *const modes[] = {"CALCULATED", "SAME_UPPER", "SAME_LOWER", "VALID"};
      tensor(m, "x", t, x, 4, false);
      put(m,
          "node p: MaxPoolV3(x) {ksize=[%lld,%lld], strides=[%d,%d], pads=[%d,%d,%d,%d], "
          "padding_mode=\"%s\", ceil_mode=%s, dilations=[%lld,%lld]} -> y\n",
          (long long)k, (long long)k, 1 + (int)pick(m, 3), 1 + (int)pick(m, 3), (int)pick(m, 2),
          (int)pick(m, 2), (int)pick(m, 2), (int)pick(m, 2), modes[pick(m, 4)], pick(m, 2) ? "true" : "false",
          (long long)d, (long long)d);
      break;
    }
    default: {
      static const char *const ops[] = {"Add(c, d)", "Mul(c, d)", "Add(c, d)"};
      weft_dtype u = sign(m);
      weft_dtype v = sign(m);
      bool one = pick(m, 3) == 0;
      if (pick(m, 2)) {
        // as many as are worth looking for a way without a division
        x[1] += 5;
        x[3] += 60;
      }
      tensor(m, "x", t, x, 4, false);
      tensor(m, "w", u, x, 4, false);
      put(m, "const s: f32[]{0.0123} const r: f32[]{0.0345} const q: f32[1]{%g}\n",
          0.001 * (double)(1 + pick(m, 90)));
      put(m, "const sz: %s[]{%d} const rz: %s[]{%d} const qz: %s[1]{%d}\n", weft_dtype_name(t),
          byte(m, t == WEFT_INT8), weft_dtype_name(u), byte(m, u == WEFT_INT8), weft_dtype_name(v),
          byte(m, v == WEFT_INT8));
      put(m, "node c: DequantizeLinear(x, s, sz) -> c\nnode d: DequantizeLinear(w, r, rz) -> d\n");
      if (!one)
        put(m, "node e: %s -> e\n", ops[pick(m, 3)]);
      if (pick(m, 2))
        put(m, "node f: Relu(%s) -> f\n", one ? "c" : "e");
      put(m, "node g: QuantizeLinear(%s, q, qz) -> y\n", strstr(m->text, "Relu") ? "f" : one ? "d" : "e");
    }
  }
  put(m, "output y\n}\n");
}

// ---- running ----
static void element(maker *m, weft_dtype t, char *p) {
  float f = ((float)pick(m, 20001) - 10000) / 100;
  int32_t i = (int32_t)pick(m, 2001) - 1000;
  uint16_t two = (uint16_t)pick(m, 65536);
  if (t == WEFT_FLOAT && pick(m, 30) == 0)
    f = pick(m, 3) ? (pick(m, 2) ? INFINITY : 2.5F) : NAN;
  if (t == WEFT_FLOAT)
    memcpy(p, &f, 4);
  else if (t == WEFT_INT32)
    memcpy(p, &i, 4);
  else if (t == WEFT_INT16 || t == WEFT_UINT16)
    memcpy(p, &two, 2);
  else
    *p = (char)byte(m, t == WEFT_INT8);
}

static void fill(maker *m, size_t input, weft_tensor *t) {
  size_t n = (size_t)weft_tensor_elems(t);
  size_t each = n ? t->bytes / n : 0;
  (void)input;
  for (size_t k = 0; k < n; k++)
    element(m, t->dtype, (char *)t->data + k * each);
}

// Sums of a row's bytes no longer fit int32: 255 * 8421505 is 2^31 and more. The reference takes them, and
// wraps around.
static void too_long(const char *node, const char *shapes, const weft_dim *x, const weft_dim *w,
                     size_t rank) {
  static run_fixture f;
  const weft_exec_options profile = {.size = sizeof profile, .profile = true};
  const weft_launch_record *ran;
  char text[512];
  weft_tensor t[2];
  weft_tensor y;
  weft_tensor *out[1] = {&y};
  const weft_tensor *in[2] = {&t[0], &t[1]};
  memset(&f, 0, sizeof f);
  snprintf(text, sizeof text, "graph \"g\" {\n%s node y: %s(x, w) -> y output y\n}\n", shapes, node);
  if (!rows_open(&f.r, ""))
    return;
  if (run_load(&f, text, &profile)) {
    for (int i = 0; i < 2; i++) {
      weft_tensor_init(&t[i], NULL);
      CHECK_OK(weft_tensor_alloc(&t[i], WEFT_UINT8, i ? w : x, rank, &f.r.d), &f.r.d);
      memset(t[i].data, 255, t[i].bytes);
    }
    weft_tensor_init(&y, NULL);
    CHECK_OK(weft_exec_run(f.x, in, 2, out, 1, &f.r.d), &f.r.d);
    uint32_t sum = (uint32_t)255 * 255 * (uint32_t)t[0].bytes;
    CHECK_INT(weft_load_i64(y.dtype, y.data, 0), (int32_t)sum);
    CHECK_INT(weft_exec_profile(f.x, &ran), 1);
    CHECK_STR(ran[0].kernel, "reference");
    weft_tensor_deinit(&y);
    weft_tensor_deinit(&t[0]);
    weft_tensor_deinit(&t[1]);
    run_drop(&f);
  }
  rows_close(&f.r);
}
TEST(sums_whose_bytes_overflow_are_left_to_the_reference) {
  const weft_dim row[3] = {1, 8421505, 1};
  const weft_dim column[2] = {8421505, 1};
  too_long("MatMulInteger", "input x: u8[1,8421505] input w: u8[8421505,1]", row, column, 2);
  too_long("ConvInteger", "input x: u8[1,8421505,1] input w: u8[1,8421505,1]", row, row, 3);
}

static const char *const packed_kernels[] = {"blocked-conv-bytes", "blocked-depthwise-bytes",
                                             "blocked-pool-bytes", "blocked-move"};
static size_t packed_runs[WEFT_COUNT(packed_kernels)], windows_runs;
static bool by_kernel(const weft_launch_record *launch) {
  for (size_t k = 0; k < WEFT_COUNT(packed_kernels); k++)
    packed_runs[k] += is_kernel(launch, packed_kernels[k]);
  windows_runs += is_kernel(launch, "blocked-winograd-bytes");
  return not_reference(launch);
}

static void all(const char *isa, const char *vnni, void (*make)(maker *m, uint64_t seed), uint64_t first) {
  bool packed = make == make_packed;
  bool windows = make == make_windows;
  bool pairs = !strcmp(isa, "avx2") && !strcmp(vnni, "0");
  const kernel_law law = {.make = make,
                          .fill = fill,
                          .by_kernel = packed || windows ? by_kernel : not_reference,
                          .empty_by_any = true,
                          .passes = packed || windows || make == make_around,
                          .option = packed || windows ? "assign-formats.choose=packed" : NULL};
  memset(packed_runs, 0, sizeof packed_runs);
  windows_runs = 0;
  setenv("WEFT_VNNI", vnni, 1);
  int cases = check_cases(make == make_few ? ROUNDS / 10 : windows ? ROUNDS / 5 : ROUNDS);  // large ones
  const bool here = kernels_hold(&law, isa, first + check_seed(), (uint64_t)cases);
  unsetenv("WEFT_VNNI");
  if (check_seed())
    return;  // a few cases of any seed need not run every kernel
  for (size_t k = 0; here && packed && k < WEFT_COUNT(packed_kernels); k++) {
    if (!packed_runs[k])
      check_failed(__FILE__, __LINE__, "%s: never run", packed_kernels[k]);
  }
  if (here && windows && pairs)
    CHECK(windows_runs > 0);
}

#if defined(__aarch64__)
#define EACH_SET(name, make)      \
  TEST(name##_neon) {             \
    all("neon", "0", make, 0);    \
  }                               \
  TEST(name##_dot) {              \
    all("neon", "1", make, 1000); \
  }                               \
  TEST(name##_i8mm) {             \
    all("neon", "2", make, 2000); \
  }
#else
#define EACH_SET(name, make)        \
  TEST(name##_plain) {              \
    all("plain", "0", make, 0);     \
  }                                 \
  TEST(name##_avx2) {               \
    all("avx2", "0", make, 1000);   \
  }                                 \
  TEST(name##_avx2_vnni) {          \
    all("avx2", "1", make, 2000);   \
  }                                 \
  TEST(name##_avx512) {             \
    all("avx512", "0", make, 3000); \
  }                                 \
  TEST(name##_avx512_vnni) {        \
    all("avx512", "1", make, 4000); \
  }
#endif
#define AMX(name, make)                   \
  TEST(name##_amx) {                      \
    all("amx-emulated", "1", make, 5000); \
  }
AMX(products, make_product)
AMX(convolutions, make_conv)
EACH_SET(products, make_product)
EACH_SET(convolutions, make_conv)
EACH_SET(few_places, make_few)
EACH_SET(packed, make_packed)
EACH_SET(windows, make_windows)
EACH_SET(around, make_around)
// SPDX-License-Identifier: Apache-2.0
