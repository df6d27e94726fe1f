// kernels_product_test.c - products and convolutions by the CPU's kernels, alone and with what follows them,
// on random shapes (odd sizes, empty ones, every stride, dilation, padding and group), for each instruction
// set: each element within 1e-6 of what the interpreter gives, relative to the sum of its products'
// magnitudes; the same bits with one thread and with several; and by a kernel, not by the reference. Of f16
// and bf16 with what rounding costs: the reference rounds after each operator, the kernels once.
#include "base/base.h"
#include "maker.h"

enum { ROUNDS = 220, WINDOWS = 40 };
static int64_t inner;  // products of a sum

static void value(maker *m, weft_dtype t) {
  (void)t;
  put_decimal(m, ((int64_t)pick(m, 65) - 32) * 3125, 5);  // / 32
}

// A float tensor: a graph input, or a constant.
static void tensor(maker *m, char name, const int64_t *dim, size_t rank, bool constant) {
  const char text[] = {name, 0};
  if (constant)
    put_const(m, text, WEFT_FLOAT, dim, rank, value);
  else
    put_input(m, text, WEFT_FLOAT, dim, rank);
}

static void begin(maker *m, uint64_t seed) {
  maker_begin(m, seed);
  put(m, "graph \"g\" {\n");
}

// An operator, and what stands behind its operand.
static const char *const activations[][2] = {{"Relu", ")"},
                                             {"Relu6", ")"},
                                             {"Sigmoid", ")"},
                                             {"Tanh", ")"},
                                             {"Gelu", ")"},
                                             {"Gelu", ") {approximate=\"none\"}"},
                                             {"HardSwish", ")"},
                                             {"Swish", ")"},
                                             {"HardSigmoid", ")"},
                                             {"LeakyRelu", ") {negative_slope=0.1}"},
                                             {"ClipByValue", ", lo, hi)"}};

// What follows value p of shape dim: nothing, a bias, a residual, an activation, or some of them. Ends the
// graph.
static void follow(maker *m, const int64_t *dim, size_t rank, size_t channel) {
  char from[8] = "p";
  bool residual = pick(m, 3) == 0;
  bool late = pick(m, 2);
  if (pick(m, 3) == 0) {
    int64_t one[8];
    for (size_t i = 0; i < rank; i++)
      one[i] = i == channel ? dim[i] : 1;
    tensor(m, 'b', one + channel, rank - channel, pick(m, 2));
    put(m, "node q: Add(%s, b) -> q\n", from);
    strcpy(from, "q");
  }
  if (residual)
    tensor(m, 'r', dim, rank, false);
  if (residual && !late) {
    put(m, "node s: Add(r, %s) -> s\n", from);
    strcpy(from, "s");
  }
  if (pick(m, 2)) {
    const char *const *step = activations[pick(m, WEFT_COUNT(activations))];
    put(m, "const lo: f32[]{-0.5} const hi: f32[1]{0.75}\nnode t: %s(%s%s -> t\n", step[0], from, step[1]);
    strcpy(from, "t");
  }
  if (residual && late) {
    put(m, "node s: Add(%s, r) -> s\n", from);
    strcpy(from, "s");
  }
  put(m, "node y: Identity(%s) -> y\noutput y\n}\n", from);
}

static void make_product(maker *m, uint64_t seed) {
  static const int64_t sizes[] = {1, 1, 2, 3, 4, 5, 7, 8, 13, 15, 16, 17, 29, 31, 32, 33, 48, 65, 100, 160};
  static const int64_t inners[] = {0, 1, 2, 3, 7, 16, 33, 64, 255, 256, 257, 512, 530};
  begin(m, seed);
  int64_t a[4];
  int64_t b[4];
  int64_t y[4];
  int64_t height = sizes[pick(m, 20)];
  int64_t width = sizes[pick(m, 20)];
  inner = inners[pick(m, 13)];
  if (pick(m, 40) == 0)
    height = 0;
  if (pick(m, 40) == 0)
    width = 0;
  if (height * width > 3000)
    inner = WEFT_MIN(inner, 64);
  bool turn_a = pick(m, 4) == 0;
  bool turn_b = pick(m, 2);
  bool batched = pick(m, 2);
  size_t ra = 0;
  size_t rb = 0;
  size_t ry = 0;
  if (batched) {
    for (size_t k = pick(m, 3); k; k--) {
      int64_t d = 1 + (int64_t)pick(m, 3);
      int which = (int)pick(m, 4);
      a[ra++] = which == 1 ? 1 : d;
      b[rb++] = which == 2 ? 1 : d;
      y[ry++] = d;
    }
    if (pick(m, 3) == 0) {
      // no batch on the right
      memcpy(y, a, sizeof a);
      rb = 0;
    }
    if (rb && pick(m, 5) == 0) {
      memcpy(y, b, sizeof b);
      ra = 0;
    }
  }
  a[ra++] = turn_a ? inner : height;
  a[ra++] = turn_a ? height : inner;
  b[rb++] = turn_b ? width : inner;
  b[rb++] = turn_b ? inner : width;
  y[ry++] = height;
  y[ry++] = width;
  bool bias = pick(m, 3) == 0;
  tensor(m, 'x', a, ra, pick(m, 6) == 0);
  tensor(m, 'w', b, rb, pick(m, 2));
  if (bias)
    tensor(m, 'c', &width, 1, pick(m, 2));
  if (!batched && pick(m, 4) == 0) {
    int64_t c[2] = {pick(m, 2) ? height : 1, pick(m, 2) ? width : 1};
    tensor(m, 'e', c, 2, false);
    put(m, "const al: f32[]{0.5} const be: f32[]{%d}\n", (int)pick(m, 3));
    put(m, "node p: GEMM(x, w, e, al, be) {transpose_a=%s, transpose_b=%s} -> p\n", turn_a ? "true" : "false",
        turn_b ? "true" : "false");
  } else {
    put(m, "node p: %s(x, w%s) {%s1=%s, %s2=%s} -> p\n", batched ? "BatchMatMulV2" : "MatMulV2",
        bias ? ", c" : "", batched ? "adj_x" : "transpose_x", turn_a ? "true" : "false",
        batched ? "adj_x" : "transpose_x", turn_b ? "true" : "false");
  }
  follow(m, y, ry, ry - (pick(m, 2) ? 1 : 2));
}

static void make_conv(maker *m, uint64_t seed) {
  static const int64_t kernels[] = {1, 1, 1, 2, 3, 3, 3, 5, 7};
  begin(m, seed);
  size_t spatial = 1 + pick(m, 3);
  if (spatial != 2 && pick(m, 2))
    spatial = 2;
  int64_t x[5];
  int64_t w[5];
  int64_t y[5];
  int64_t stride[3];
  int64_t dilation[3];
  int64_t pads[6];
  int64_t groups = 1 + (int64_t)pick(m, 3);
  bool depthwise = pick(m, 3) == 0;
  bool onnx = spatial != 2 || pick(m, 2);
  int64_t in = 1 + (int64_t)pick(m, 24);
  int64_t out = 1 + (int64_t)pick(m, 40);
  if (pick(m, 6) == 0)
    out = 64 + (int64_t)pick(m, 70);
  if (depthwise) {
    groups = 1 + (int64_t)pick(m, pick(m, 4) ? 9 : 40);
    in = 1;
    out = 1 + (int64_t)(pick(m, 4) == 0);
  }
  x[0] = pick(m, 25) ? 1 + (int64_t)pick(m, 2) : 0;
  x[1] = in * groups;
  w[0] = out * groups;
  w[1] = in;
  y[0] = x[0];
  y[1] = w[0];
  inner = in;
  bool flat = pick(m, 3) == 0;
  for (size_t i = 0; i < spatial; i++) {
    int64_t k = flat ? 1 : spatial == 3 ? kernels[pick(m, 6)] : kernels[pick(m, 9)];
    stride[i] = flat && pick(m, 2) ? 1 : 1 + (int64_t)pick(m, 3);
    dilation[i] = 1 + (int64_t)(pick(m, 4) == 0) * 2;
    int64_t span = (k - 1) * dilation[i] + 1;
    int64_t room;
    pads[i] = flat ? 0 : (int64_t)pick(m, (uint64_t)k + 1);
    pads[spatial + i] = flat ? 0 : (int64_t)pick(m, (uint64_t)k + 1);
    bool far = depthwise && spatial == 1 && !pick(m, 4);  // rows that are cut
    x[2 + i] = (spatial == 3 ? 1 : 2) + (int64_t)pick(m, out >= 64      ? 9
                                                         : far          ? 9000
                                                         : spatial == 1 ? 150
                                                         : spatial == 2 ? 40
                                                                        : 9);
    room = x[2 + i] + pads[i] + pads[spatial + i] - span;
    if (room < 0) {
      x[2 + i] -= room;
      room = 0;
    }
    w[2 + i] = k;
    y[2 + i] = room / stride[i] + 1;
    inner *= k;
  }
  tensor(m, 'x', x, spatial + 2, false);
  tensor(m, 'w', w, spatial + 2, pick(m, 4) != 0);
  bool bias = pick(m, 2);
  if (bias)
    tensor(m, 'c', &w[0], 1, pick(m, 2));
  put(m, "node p: %s(x, w%s) {", onnx ? "Conv" : "Conv2D", bias ? ", c" : "");
  if (onnx) {
    put_list(m, "strides", stride, spatial);
    put(m, ", ");
    put_list(m, "dilations", dilation, spatial);
    put(m, ", ");
    put_list(m, "pads", pads, 2 * spatial);
    put(m, ", group=%lld} -> p\n", (long long)groups);
  } else {
    put(m,
        "strides=[1,1,%lld,%lld], dilations=[1,1,%lld,%lld], pads=[%lld,%lld,%lld,%lld], groups=%lld, "
        "data_format=\"NCHW\"} -> p\n",
        (long long)stride[0], (long long)stride[1], (long long)dilation[0], (long long)dilation[1],
        (long long)pads[0], (long long)pads[2], (long long)pads[1], (long long)pads[3], (long long)groups);
  }
  follow(m, y, spatial + 2, 1);
}

// `planes`: of one channel into a group or few out of it, and large.
static void transposed_of(maker *m, uint64_t seed, bool planes) {
  static const char *const modes[] = {"SAME_UPPER", "SAME_LOWER", "VALID"};
  begin(m, seed);
  size_t spatial = 1 + pick(m, planes ? 2 : 3);
  size_t most = spatial == 3 ? 6 : spatial == 2 ? 14 : 90;
  int64_t x[5];
  int64_t w[5];
  int64_t stride[3];
  int64_t dilation[3];
  int64_t more[3];
  int64_t wanted[3];
  int64_t pads[6];
  int64_t y[5];
  int64_t groups = pick(m, 3) ? 1 : 2 + (int64_t)pick(m, 9);
  int64_t in = 1 + (int64_t)pick(m, groups > 1 ? 3 : 40);
  int64_t out = 1 + (int64_t)pick(m, groups > 1 ? 3 : 40);
  if (pick(m, 12) == 0)
    in = 190;
  if (planes) {
    most = spatial == 2 ? 40 : 1400;
    out = 1 + (int64_t)pick(m, 4);
    in = groups > 1 ? 1 : 1 + (int64_t)pick(m, pick(m, 4) ? 5 : 40);
  }
  x[0] = pick(m, 25) ? 1 + (int64_t)pick(m, 2) : 0;
  x[1] = w[0] = in * groups;
  w[1] = out;
  y[0] = x[0];
  y[1] = out * groups;
  inner = in;
  for (size_t i = 0; i < spatial; i++) {
    int64_t k = 1 + (int64_t)pick(m, spatial == 3 ? 3 : 6);
    stride[i] = 1 + (int64_t)pick(m, 4);
    dilation[i] = pick(m, 3) ? 1 : 2 + (int64_t)pick(m, 2);
    if (planes && pick(m, 8) == 0)
      k += 12;
    if (i == 0 && pick(m, 6) == 0)
      stride[i] = 17;  // packed in each run
    pads[i] = (int64_t)pick(m, (uint64_t)k);
    pads[spatial + i] = (int64_t)pick(m, (uint64_t)k);
    more[i] = (int64_t)pick(m, (uint64_t)WEFT_MAX(stride[i], dilation[i]));
    x[2 + i] = 1 + (int64_t)pick(m, most);
    w[2 + i] = k;
    inner *= k;
    int64_t full = (x[2 + i] - 1) * stride[i] + (k - 1) * dilation[i] + 1;
    if (full - pads[i] - pads[spatial + i] + more[i] < 1)
      pads[i] = pads[spatial + i] = 0;
    y[2 + i] = full - pads[i] - pads[spatial + i] + more[i];
    wanted[i] = 1 + (int64_t)pick(m, (uint64_t)(full + 2));
  }
  tensor(m, 'x', x, spatial + 2, false);
  tensor(m, 'w', w, spatial + 2, pick(m, 4) != 0);
  bool bias = pick(m, 2);
  size_t how = pick(m, 6);  // 0: a mode, 1: the sizes of the output
  if (bias)
    tensor(m, 'c', &y[1], 1, pick(m, 2));
  put(m, "node p: ConvTranspose(x, w%s) {", bias ? ", c" : "");
  put_list(m, "strides", stride, spatial);
  put(m, ", ");
  put_list(m, "dilations", dilation, spatial);
  put(m, ", ");
  if (how > 1) {
    put_list(m, "pads", pads, 2 * spatial);
    put(m, ", ");
  }
  if (how > 1) {
    put_list(m, "output_padding", more, spatial);
    put(m, ", ");
  }
  if (how == 0)
    put(m, "auto_pad=\"%s\", ", modes[pick(m, 3)]);
  if (how == 1) {
    put_list(m, "output_shape", wanted, spatial);
    put(m, ", ");
  }
  put(m, "group=%lld} -> p\n", (long long)groups);
  for (size_t i = 0; i < spatial && how == 1; i++)
    y[2 + i] = wanted[i];
  if (how)
    follow(m, y, spatial + 2, 1);
  else
    put(m, "node y: Identity(p) -> y\noutput y\n}\n");
}
static void make_transposed(maker *m, uint64_t seed) {
  transposed_of(m, seed, false);
}
static void make_transposed_planes(maker *m, uint64_t seed) {
  transposed_of(m, seed, true);
}

// Taps that Winograd's points do not give back: zero, and far below the ones around them.
static void tap(maker *m, weft_dtype t) {
  (void)t;
  uint64_t kind = pick(m, 8);
  put(m, "%.9g", kind == 0 ? 0 : ((double)pick(m, 20001) - 10000) / (kind == 1 ? 1e14 : 1e4));
}

// What Winograd's method is for: 3 x 3 taps, steps of 1, some channels.
static void make_window(maker *m, uint64_t seed) {
  begin(m, seed);
  int64_t images = 1 + (int64_t)pick(m, 2);
  int64_t in = 12 + (int64_t)pick(m, 30);
  int64_t out = 9 + (int64_t)pick(m, 40);
  int64_t x[4] = {images, in, 9 + (int64_t)pick(m, 20), 9 + (int64_t)pick(m, 20)};
  int64_t w[4] = {out, in, 3, 3};
  int64_t pads[4];
  int64_t y[4] = {images, out, 0, 0};
  for (size_t i = 0; i < 4; i++)
    pads[i] = (int64_t)pick(m, 3);
  for (size_t i = 0; i < 2; i++)
    y[2 + i] = x[2 + i] + pads[i] + pads[2 + i] - 2;
  inner = in * 9;
  tensor(m, 'x', x, 4, false);
  put_const(m, "w", WEFT_FLOAT, w, 4, tap);
  put(m, "node p: Conv(x, w) {");
  put_list(m, "pads", pads, 4);
  put(m, "} -> p\n");
  follow(m, y, 4, 1);
}

// Taps at places beside the input: an axis of one whose only place lies in the padding, with one tap and with
// a plane of them, and as many places as the input has, but others.
static void make_beside(maker *m, uint64_t seed) {
  static const struct {
    int64_t x[5];
    int64_t w[5];
    int64_t y[5];
    int64_t stride[3];
    int64_t pads[6];
  } cases[] = {{{2, 3, 1, 8, 3}, {3, 1, 1, 1, 1}, {2, 3, 1, 8, 3}, {3, 1, 1}, {1, 0, 0, 0, 0, 0}},
               {{2, 5, 1, 1, 64}, {7, 5, 1, 1, 1}, {2, 7, 1, 1, 64}, {2, 1, 1}, {1, 0, 0, 0, 0, 0}},
               {{2, 5, 1, 2, 32}, {7, 5, 1, 1, 1}, {2, 7, 1, 1, 64}, {1, 2, 1}, {0, 0, 16, 0, 0, 16}},
               {{2, 3, 1, 8, 9}, {3, 1, 1, 3, 3}, {2, 3, 1, 8, 9}, {2, 1, 1}, {1, 1, 1, 0, 1, 1}}};
  size_t i = seed % WEFT_COUNT(cases);
  begin(m, seed);
  inner = cases[i].w[1];
  tensor(m, 'x', cases[i].x, 5, false);
  tensor(m, 'w', cases[i].w, 5, pick(m, 2));
  put(m, "node p: Conv(x, w) {");
  put_list(m, "strides", cases[i].stride, 3);
  put(m, ", ");
  put_list(m, "pads", cases[i].pads, 6);
  put(m, ", group=%lld} -> p\n", (long long)(cases[i].x[1] / cases[i].w[1]));
  follow(m, cases[i].y, 5, 1);
}

// ---- running ----
// Numbers in [-1, 1]; now and then one that is no number.
static void fill(maker *m, size_t input, weft_tensor *t) {
  float *p = t->data;
  int64_t n = weft_tensor_elems(t);
  (void)input;
  for (int64_t k = 0; k < n; k++)
    p[k] = ((float)pick(m, 2001) - 1000) / 1000;
  if (m->seed % 4 == 3 && n && pick(m, 2))
    p[pick(m, (uint64_t)n)] = pick(m, 2) ? INFINITY : NAN;
}

static double off(const maker *m, const weft_tensor *got, const weft_tensor *want, double *out_bound) {
  // Before a bias and a residual, numbers may be larger than after them, by 2 at most.
  *out_bound = 2e-6 + 0.5e-6 * (double)(inner + 2) + 3 * m->type->unit * (floats_most(want) + 2);
  return floats_off(got, want, false);
}

static const char *const packed_kernels[] = {"blocked-conv", "blocked-winograd", "blocked-depthwise",
                                             "blocked-move", "blocked-conv-amx"};
static size_t packed_runs[WEFT_COUNT(packed_kernels)];

static bool by_kernel(const weft_launch_record *launch) {
  for (size_t k = 0; k < WEFT_COUNT(packed_kernels); k++)
    packed_runs[k] += is_kernel(launch, packed_kernels[k]);
  return not_reference(launch);
}

// The first of `expected` that has not run; NULL: all have.
static const char *never_run(const bool *expected) {
  for (size_t k = 0; k < WEFT_COUNT(packed_kernels); k++) {
    if (expected[k] && !packed_runs[k])
      return packed_kernels[k];
  }
  return NULL;
}

static void all_of(const char *isa, void (*make)(maker *m, uint64_t seed), uint64_t first, const char *option,
                   const run_float *type) {
  const kernel_law law = {.make = make,
                          .fill = fill,
                          .off = off,
                          .by_kernel = by_kernel,
                          .passes = option != NULL,
                          .option = option,
                          .type = type};
  int most = make == make_window || make == make_beside ? WINDOWS : ROUNDS;
  uint64_t n = (uint64_t)check_cases(most);
  memset(packed_runs, 0, sizeof packed_runs);
  first += check_seed();
  if (!kernels_hold(&law, isa, first, n) || !option || !strstr(option, "packed"))
    return;

  // Few cases need not run every kernel: on to the one that does.
  bool amx = !strcmp(isa, "amx-emulated");
  bool windows = make == make_window;
  const bool expected[WEFT_COUNT(packed_kernels)] = {!windows && !amx, windows && !amx, !windows, !windows,
                                                     amx};
  for (; never_run(expected) && n < (uint64_t)most; n++)
    kernels_hold(&law, isa, first + n, 1);
  if (never_run(expected) && !check_seed())
    check_failed(__FILE__, __LINE__, "%s: never run", never_run(expected));
}

static void all(const char *isa, void (*make)(maker *m, uint64_t seed), uint64_t first, const char *option) {
  all_of(isa, make, first, option, &run_f32);
}

EACH_ISA(products, all(isa, make_product, first, NULL))
// With the passes, what follows a product goes into its kernel.
EACH_ISA(products_and_what_follows, all(isa, make_product, 3000 + first, "fuse-epilogue=1"))
EACH_ISA(convolutions, all(isa, make_conv, first, NULL))
EACH_ISA(transposed_convolutions, all(isa, make_transposed, first, NULL))
EACH_ISA(transposed_convolutions_by_planes, all(isa, make_transposed_planes, 25000 + first, NULL))
EACH_ISA(transposed_planes_and_what_follows,
         all(isa, make_transposed_planes, 28000 + first, "fuse-epilogue=1"))
EACH_ISA(places_beside_the_input, all(isa, make_beside, first, NULL))
// AMX's tiles in plain C, three parts of bf16.
TEST(products_amx) {
  all("amx-emulated", make_product, 500, NULL);
}
// Stored as NC1HWC0 wherever a kernel takes that.
static const char packed[] = "assign-formats.choose=packed";
EACH_ISA(r256_packed_convolutions, all(isa, make_conv, 3000 + first, packed))
EACH_ISA(windows_by_winograd, all(isa, make_window, 6000 + first, packed))
TEST(r256_packed_convolutions_amx) {
  all("amx-emulated", make_conv, 9000, packed);
}
TEST(windows_by_amx) {
  all("amx-emulated", make_window, 9500, packed);
}
// Of f16 and bf16: each instruction set has its own conversions.
EACH_ISA(products_of_f16, all_of(isa, make_product, 10000 + first, NULL, &run_f16))
EACH_ISA(transposed_convolutions_of_f16, all_of(isa, make_transposed, 22000 + first, NULL, &run_f16))
EACH_ISA(convolutions_of_bf16, all_of(isa, make_conv, 13000 + first, NULL, &run_bf16))
EACH_ISA(packed_convolutions_of_f16, all_of(isa, make_conv, 16000 + first, packed, &run_f16))
TEST(products_of_bf16) {
  all_of("avx512", make_product, 19000, NULL, &run_bf16);
}
TEST(packed_convolutions_of_bf16) {
  all_of("plain", make_conv, 19500, packed, &run_bf16);
}
TEST(windows_by_winograd_of_bf16) {
  all_of("avx512", make_window, 20000, packed, &run_bf16);
}

// ---- weights that are read in several pieces while they are packed ----
static weft_dtype large_type;

static void make_large(maker *m, uint64_t seed) {
  bool turned = seed % 2;
  const int64_t x[2] = {3, 301};
  const int64_t w[2] = {turned ? 333 : 301, turned ? 301 : 333};
  begin(m, seed);
  put_input(m, "x", large_type, x, 2);
  put_const(m, "w", large_type, w, 2, value);
  put(m, "node y: MatMulV2(x, w) {transpose_x2=%s} -> y\noutput y\n}\n", turned ? "true" : "false");
}

static void fill_large(maker *m, size_t input, weft_tensor *t) {
  int64_t n = weft_tensor_elems(t);
  (void)input;
  for (int64_t k = 0; k < n; k++)
    weft_store_f64(t->dtype, t->data, (size_t)k, ((double)pick(m, 129) - 64) / 64);
}

static double off_large(const maker *m, const weft_tensor *got, const weft_tensor *want, double *out_bound) {
  (void)m;
  *out_bound = large_type == WEFT_FLOAT16 ? 0x1p-10 : large_type == WEFT_BF16 ? 0x1p-7 : 2e-5;
  return floats_off(got, want, true);
}

static void large(const char *isa, weft_dtype t) {
  const kernel_law law = {
      .make = make_large, .fill = fill_large, .off = off_large, .by_kernel = not_reference};
  large_type = t;
  kernels_hold(&law, isa, 0, 2);
}

EACH_ISA(large_weights, ((void)first, large(isa, WEFT_FLOAT)))
EACH_ISA(large_weights_of_f16, ((void)first, large(isa, WEFT_FLOAT16)))
EACH_ISA(large_weights_of_bf16, ((void)first, large(isa, WEFT_BF16)))
TEST(large_weights_amx) {
  large("amx-emulated", WEFT_FLOAT);
}

TEST(filters_that_are_no_numbers_do_not_touch_the_padding) {
  static run_fixture f;
  static const char *const graphs[] = {
      "graph \"g\" {\ninput x: f32[1,1,2,2]\nconst w: f32[1,1,3,3]{inf,1,1,1,1,1,1,1,1}\n"
      "node p: Conv(x, w) {pads=[1,1,1,1]} -> p\nnode q: Relu(p) -> y\noutput y\n}\n",
      "graph \"g\" {\ninput x: f32[1,1,2,2]\nconst w: f32[4,1,3,3]{inf,1,1,1,1,1,1,1,1,"
      "1,1,1,1,1,1,1,1,nan,0,0,0,0,1,0,0,0,0,1,2,3,4,5,6,7,8,9}\nnode p: Conv(x, w) {pads=[1,1,1,1]} -> y\n"
      "output y\n}\n"};
  for (int i = 0; i < 2; i++) {
    if (!run_open(&f, graphs[i], NULL, NULL))
      return;
    RUN_SAME(&f, "f32[1,1,2,2]{1,2,3,4}");
    RUN_SAME(&f, "f32[1,1,2,2]{1,2,0,nan}");
    run_close(&f);
  }
}

// What a watcher saw: "c[1,16,8,8] d[1,16,8,8] ".
static weft_status note_shape(void *ctx, const weft_value *v, const weft_tensor *t) {
  char *seen = ctx;
  char shape[128];
  size_t at = strlen(seen);
  weft_shape_text(&t->layout.storage, NULL, shape, sizeof shape);
  snprintf(seen + at, 512 - at, "%s%s ", weft_value_name(v), shape);
  return WEFT_OK;
}

TEST(watchers_see_packed_values_plain_and_by_their_names) {
  static run_fixture f;
  static maker m;
  char seen[512] = "";
  maker_inputs in;
  weft_tensor y;
  weft_tensor *out[1] = {&y};
  const kernel_law law = {.fill = fill};
  weft_exec_options o = {.size = sizeof o, .watch = note_shape, .watch_ctx = seen};
  begin(&m, 1);
  tensor(&m, 'x', (int64_t[]){1, 16, 8, 8}, 4, false);
  tensor(&m, 'w', (int64_t[]){16, 16, 1, 1}, 4, true);
  put(&m, "node c: Conv(x, w) -> c\nnode r: Relu(c) -> r\nnode d: Conv(r, w) -> d\noutput d\n}\n");
  memset(&f, 0, sizeof f);
  f.passes = true;
  f.option = packed;
  if (!rows_open(&f.r, ""))
    return;
  if (run_load(&f, m.text, &o) && maker_fill(&m, &law, &in)) {
    weft_tensor_init(&y, NULL);
    CHECK_OK(weft_exec_run(f.x, in.in, 1, out, 1, &f.r.d), &f.r.d);
    CHECK(strstr(seen, "r[1,16,8,8] ") && strstr(seen, "d[1,16,8,8] "));
    weft_tensor_deinit(&y);
    maker_release(&m, &in);
    run_drop(&f);
  }
  rows_close(&f.r);
}
// SPDX-License-Identifier: Apache-2.0
