// kernels_product_test.c - products and convolutions by the CPU's kernels, alone and with what follows them,
// on random shapes (odd sizes, empty ones, every stride, dilation, padding and group), for each instruction
// set: each element within 1e-6 of what the interpreter gives, relative to the sum of its products'
// magnitudes; the same bits with one thread and with several; and by a kernel, not by the reference.
#include <stdarg.h>

#include "base/base.h"
#include "run_util.h"

enum { TEXT = 1 << 21, INPUTS = 6, ROUNDS = 220 };

typedef struct maker {
  char text[TEXT];
  size_t n;
  uint64_t state;
  weft_shape in[INPUTS];  // of the inputs, in order
  char name[INPUTS];
  size_t n_in;
  int64_t inner;  // products of a sum
} maker;

static uint64_t pick(maker *m, uint64_t n) {
  m->state = m->state * UINT64_C(6364136223846793005) + 1442695040888963407u;
  return (m->state >> 33) % n;
}

static void put(maker *m, const char *fmt, ...) {
  va_list v;
  va_start(v, fmt);
  m->n += (size_t)vsnprintf(m->text + m->n, TEXT - m->n, fmt, v);
  va_end(v);
}

static void put_dims(maker *m, const int64_t *dim, size_t rank) {
  for (size_t i = 0; i < rank; i++) put(m, "%s%lld", i ? "," : "", (long long)dim[i]);
}

// A float tensor: a graph input, or a constant.
static void tensor(maker *m, char name, const int64_t *dim, size_t rank, bool constant) {
  size_t n = 1;
  for (size_t i = 0; i < rank; i++) n *= (size_t)dim[i];
  put(m, "%s %c: f32[", constant ? "const" : "input", name);
  put_dims(m, dim, rank);
  put(m, "]%s", constant ? "{" : "\n");
  for (size_t i = 0; constant && i < n; i++) put(m, "%s%g", i ? "," : "", ((double)pick(m, 65) - 32) / 32);
  if (constant) put(m, "}\n");
  if (constant) return;
  if (weft_shape_init(&m->in[m->n_in], dim, rank)) return;
  m->name[m->n_in++] = name;
}

static void begin(maker *m, uint64_t seed) {
  m->n = 0, m->n_in = 0, m->state = seed * 977 + 5;
  put(m, "graph \"g\" {\n");
}

static const char *const activations[] = {"Relu(%s)",
                                          "Relu6(%s)",
                                          "Sigmoid(%s)",
                                          "Tanh(%s)",
                                          "Gelu(%s)",
                                          "Gelu(%s) {approximate=\"tanh\"}",
                                          "HardSwish(%s)",
                                          "Swish(%s)",
                                          "HardSigmoid(%s)",
                                          "LeakyRelu(%s) {negative_slope=0.1}",
                                          "ClipByValue(%s, lo, hi)"};

// What follows value p of shape dim: nothing, a bias, a residual, an activation, or some of them. Ends the
// graph.
static void follow(maker *m, const int64_t *dim, size_t rank, size_t channel) {
  char from[8] = "p";
  bool residual = pick(m, 3) == 0, late = pick(m, 2);
  if (pick(m, 3) == 0) {
    int64_t one[8];
    for (size_t i = 0; i < rank; i++) one[i] = i == channel ? dim[i] : 1;
    tensor(m, 'b', one + channel, rank - channel, pick(m, 2));
    put(m, "node q: Add(%s, b) -> q\n", from);
    strcpy(from, "q");
  }
  if (residual) tensor(m, 'r', dim, rank, false);
  if (residual && !late) put(m, "node s: Add(r, %s) -> s\n", from), strcpy(from, "s");
  if (pick(m, 2)) {
    put(m, "const lo: f32[]{-0.5} const hi: f32[1]{0.75}\nnode t: ");
    put(m, activations[pick(m, sizeof activations / sizeof *activations)], from);
    put(m, " -> t\n");
    strcpy(from, "t");
  }
  if (residual && late) put(m, "node s: Add(%s, r) -> s\n", from), strcpy(from, "s");
  put(m, "node y: Identity(%s) -> y\noutput y\n}\n", from);
}

static void make_product(maker *m, uint64_t seed) {
  static const int64_t sizes[] = {1, 1, 2, 3, 4, 5, 7, 8, 13, 15, 16, 17, 29, 31, 32, 33, 48, 65, 100};
  static const int64_t inners[] = {0, 1, 2, 3, 7, 16, 33, 64, 255, 256, 257, 512, 530};
  begin(m, seed);
  int64_t a[4], b[4], y[4], height = sizes[pick(m, 19)], width = sizes[pick(m, 19)],
                            inner = inners[pick(m, 13)];
  if (pick(m, 40) == 0) height = 0;
  if (pick(m, 40) == 0) width = 0;
  if (height * width > 3000) inner = WEFT_MIN(inner, 64);
  m->inner = inner;
  bool turn_a = pick(m, 4) == 0, turn_b = pick(m, 2), batched = pick(m, 2);
  size_t ra = 0, rb = 0, ry = 0;
  if (batched) {
    for (size_t k = pick(m, 3); k; k--) {
      int64_t d = 1 + (int64_t)pick(m, 3);
      int which = (int)pick(m, 4);
      a[ra++] = which == 1 ? 1 : d, b[rb++] = which == 2 ? 1 : d;
      y[ry++] = which == 1 || which == 2 ? d : d;
    }
    if (pick(m, 3) == 0) memcpy(y, a, sizeof a), rb = 0;  // no batch on the right
    if (rb && pick(m, 5) == 0) memcpy(y, b, sizeof b), ra = 0;
  }
  a[ra++] = turn_a ? inner : height, a[ra++] = turn_a ? height : inner;
  b[rb++] = turn_b ? width : inner, b[rb++] = turn_b ? inner : width;
  y[ry++] = height, y[ry++] = width;
  bool bias = pick(m, 3) == 0;
  tensor(m, 'x', a, ra, pick(m, 6) == 0);
  tensor(m, 'w', b, rb, pick(m, 2));
  if (bias) tensor(m, 'c', &width, 1, pick(m, 2));
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

static void put_list(maker *m, const char *name, const int64_t *v, size_t n) {
  put(m, "%s=[", name);
  put_dims(m, v, n);
  put(m, "]");
}

static void make_conv(maker *m, uint64_t seed) {
  static const int64_t kernels[] = {1, 1, 1, 2, 3, 3, 3, 5, 7};
  begin(m, seed);
  size_t spatial = 1 + pick(m, 3);
  if (spatial != 2 && pick(m, 2)) spatial = 2;
  int64_t x[5], w[5], y[5], stride[3], dilation[3], pads[6], groups = 1 + (int64_t)pick(m, 3);
  bool depthwise = pick(m, 3) == 0, onnx = spatial != 2 || pick(m, 2);
  int64_t in = 1 + (int64_t)pick(m, 24), out = 1 + (int64_t)pick(m, 40);
  if (pick(m, 6) == 0) out = 64 + (int64_t)pick(m, 70);
  if (depthwise) groups = 1 + (int64_t)pick(m, 9), in = 1, out = 1 + (int64_t)(pick(m, 4) == 0);
  x[0] = pick(m, 25) ? 1 + (int64_t)pick(m, 2) : 0, x[1] = in * groups, w[0] = out * groups, w[1] = in;
  y[0] = x[0], y[1] = w[0], m->inner = in;
  bool flat = pick(m, 3) == 0;
  for (size_t i = 0; i < spatial; i++) {
    int64_t k = flat ? 1 : spatial == 3 ? kernels[pick(m, 6)] : kernels[pick(m, 9)];
    stride[i] = flat && pick(m, 2) ? 1 : 1 + (int64_t)pick(m, 3),
    dilation[i] = 1 + (int64_t)(pick(m, 4) == 0) * 2;
    int64_t span = (k - 1) * dilation[i] + 1, room;
    pads[i] = flat ? 0 : (int64_t)pick(m, (uint64_t)k + 1),
    pads[spatial + i] = flat ? 0 : (int64_t)pick(m, (uint64_t)k + 1);
    x[2 + i] = (spatial == 3 ? 1 : 2) + (int64_t)pick(m, out >= 64      ? 9
                                                         : spatial == 1 ? 150
                                                         : spatial == 2 ? 40
                                                                        : 9);
    room = x[2 + i] + pads[i] + pads[spatial + i] - span;
    if (room < 0) x[2 + i] -= room, room = 0;
    w[2 + i] = k, y[2 + i] = room / stride[i] + 1, m->inner *= k;
  }
  tensor(m, 'x', x, spatial + 2, false);
  tensor(m, 'w', w, spatial + 2, pick(m, 4) != 0);
  bool bias = pick(m, 2);
  if (bias) tensor(m, 'c', &w[0], 1, pick(m, 2));
  put(m, "node p: %s(x, w%s) {", onnx ? "Conv" : "Conv2D", bias ? ", c" : "");
  if (onnx) {
    put_list(m, "strides", stride, spatial), put(m, ", ");
    put_list(m, "dilations", dilation, spatial), put(m, ", ");
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

// What Winograd's method is for: 3 x 3 taps, steps of 1, some channels.
static void make_window(maker *m, uint64_t seed) {
  begin(m, seed);
  int64_t images = 1 + (int64_t)pick(m, 2), in = 12 + (int64_t)pick(m, 30), out = 9 + (int64_t)pick(m, 40);
  int64_t x[4] = {images, in, 9 + (int64_t)pick(m, 20), 9 + (int64_t)pick(m, 20)}, w[4] = {out, in, 3, 3},
          pads[4];
  int64_t y[4] = {images, out, 0, 0};
  for (size_t i = 0; i < 4; i++) pads[i] = (int64_t)pick(m, 3);
  for (size_t i = 0; i < 2; i++) y[2 + i] = x[2 + i] + pads[i] + pads[2 + i] - 2;
  m->inner = in * 9;
  tensor(m, 'x', x, 4, false);
  tensor(m, 'w', w, 4, true);
  put(m, "node p: Conv(x, w) {");
  put_list(m, "pads", pads, 4);
  put(m, "} -> p\n");
  follow(m, y, 4, 1);
}

// ---- running ----
typedef struct inputs {
  weft_tensor t[INPUTS];
  const weft_tensor *in[INPUTS];
  float *memory[INPUTS];
} inputs;

// Numbers in [-1, 1] that begin in the middle of a cache line; now and then one that is no number.
static bool fill(maker *m, inputs *o, bool odd) {
  weft_diag d = {0};
  for (size_t i = 0; i < m->n_in; i++) {
    int64_t n;
    if (weft_shape_elems(&m->in[i], &n)) return false;
    float *p = o->memory[i] = malloc(((size_t)n + 1) * sizeof *p);
    if (!p) return false;
    for (int64_t k = 0; k <= n; k++) p[k] = ((float)pick(m, 2001) - 1000) / 1000;
    if (odd && n && pick(m, 2)) p[1 + pick(m, (uint64_t)n)] = pick(m, 2) ? INFINITY : NAN;
    weft_tensor_init(&o->t[i], NULL);
    if (weft_tensor_borrow(&o->t[i], WEFT_FLOAT, m->in[i].dim, m->in[i].rank, p + 1, (size_t)n * sizeof *p,
                           &d))
      return false;
    o->in[i] = &o->t[i];
  }
  return true;
}

static void release(maker *m, inputs *o) {
  for (size_t i = 0; i < m->n_in; i++) {
    weft_tensor_deinit(&o->t[i]);
    free(o->memory[i]);
  }
}

static bool near(const weft_tensor *got, const weft_tensor *want, double bound, double *worst) {
  const float *a = got->data, *b = want->data;
  for (size_t i = 0; i < want->bytes / sizeof *b; i++) {
    if (isnan(a[i]) && isnan(b[i])) continue;
    if (isinf(b[i]) && a[i] == b[i]) continue;
    double e = fabs((double)a[i] - (double)b[i]);
    if (!(e <= *worst)) *worst = e;
    if (!(e <= bound)) return false;
  }
  return got->bytes == want->bytes;
}

static const char *const packed_kernels[] = {"blocked-conv", "blocked-winograd", "blocked-depthwise",
                                             "blocked-move"};
static size_t packed_runs[4];

static bool kernels_only(const weft_exec *x) {
  const weft_launch_record *r;
  size_t n = weft_exec_profile(x, &r);
  for (size_t i = 0; i < n; i++)
    for (size_t k = 0; k < 4; k++) packed_runs[k] += !strcmp(r[i].kernel, packed_kernels[k]);
  for (size_t i = 0; i < n; i++)
    if (!strcmp(r[i].kernel, "reference") && strcmp(r[i].type, "Identity")) return false;
  return true;
}

static bool one_case(run_fixture *f, maker *m, bool odd) {
  weft_exec_options one = {.size = sizeof one, .threads = 1, .profile = true};
  weft_exec *many = NULL;
  inputs in;
  weft_tensor want, got[2], *out[2] = {&got[0], &got[1]};
  if (!run_load(f, m->text, &one)) return false;
  bool ok = fill(m, &in, odd) && !weft_exec_create(f->p, NULL, &many, &f->r.d);
  weft_tensor_init(&got[0], NULL), weft_tensor_init(&got[1], NULL), weft_tensor_init(&want, NULL);
  weft_status s = ok ? weft_interp_run(f->g, NULL, in.in, m->n_in, &want, 1, &f->r.d) : WEFT_E_STATE;
  if (!s) s = weft_exec_run(f->x, in.in, m->n_in, &out[0], 1, &f->r.d);
  if (!s) s = weft_exec_run(many, in.in, m->n_in, &out[1], 1, &f->r.d);
  double bound = 2e-6 + 0.5e-6 * (double)(m->inner + 2), worst = 0;
  if (s) {
    check_failed(__FILE__, __LINE__, "%s", f->r.d.text);
  } else if (!(ok = near(&got[0], &want, bound, &worst))) {
    check_failed(__FILE__, __LINE__, "differs by %g, allowed are %g", worst, bound);
  } else if (!(ok = got[0].bytes == got[1].bytes && !memcmp(got[0].data, got[1].data, got[0].bytes))) {
    check_failed(__FILE__, __LINE__, "one thread and several give different bits");
  } else if (!(ok = kernels_only(f->x))) {
    check_failed(__FILE__, __LINE__, "not by a kernel");
  }
  ok &= !s;
  if (!ok) printf("%.3000s\n", m->text);
  weft_tensor_deinit(&got[0]), weft_tensor_deinit(&got[1]), weft_tensor_deinit(&want);
  weft_exec_destroy(many);
  release(m, &in);
  run_drop(f);
  return ok;
}

static void all(const char *isa, void (*make)(maker *m, uint64_t seed), uint64_t first, const char *option) {
  static maker m;
  static run_fixture f;
  int bad = 0;
  memset(&f, 0, sizeof f);
  f.passes = option != NULL, f.option = option;
  memset(packed_runs, 0, sizeof packed_runs);
  setenv("WEFT_ISA", isa, 1);
  if (!rows_open(&f.r, "")) return;
  for (uint64_t seed = first; seed < first + (make == make_window ? 40 : ROUNDS) && bad < 3; seed++) {
    make(&m, seed);
    if (one_case(&f, &m, seed % 4 == 3)) continue;
    printf("seed %llu, %s\n", (unsigned long long)seed, isa);
    bad++;
  }
  for (size_t k = 0; option && k < 4; k++)
    if ((k == 1) == (make == make_window) && !packed_runs[k])
      check_failed(__FILE__, __LINE__, "%s: never run", packed_kernels[k]);
  rows_close(&f.r);
  unsetenv("WEFT_ISA");
}

TEST(products_plain) {
  all("plain", make_product, 0, NULL);
}
TEST(products_avx2) {
  all("avx2", make_product, 1000, NULL);
}
TEST(products_avx512) {
  all("avx512", make_product, 2000, NULL);
}
TEST(convolutions_plain) {
  all("plain", make_conv, 0, NULL);
}
TEST(convolutions_avx2) {
  all("avx2", make_conv, 1000, NULL);
}
TEST(convolutions_avx512) {
  all("avx512", make_conv, 2000, NULL);
}
// Stored as NC1HWC0 wherever a kernel takes that.
static const char packed[] = "assign-formats.choose=packed";
TEST(r256_packed_convolutions_plain) {
  all("plain", make_conv, 3000, packed);
}
TEST(r256_packed_convolutions_avx2) {
  all("avx2", make_conv, 4000, packed);
}
TEST(r256_packed_convolutions_avx512) {
  all("avx512", make_conv, 5000, packed);
}
TEST(windows_by_winograd_plain) {
  all("plain", make_window, 6000, packed);
}
TEST(windows_by_winograd_avx2) {
  all("avx2", make_window, 7000, packed);
}
TEST(windows_by_winograd_avx512) {
  all("avx512", make_window, 8000, packed);
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
    if (!run_open(&f, graphs[i], NULL, NULL)) return;
    RUN_SAME(&f, "f32[1,1,2,2]{1,2,3,4}");
    RUN_SAME(&f, "f32[1,1,2,2]{1,2,0,nan}");
    run_close(&f);
  }
}

// What a watcher saw: "c[1,16,8,8] d[1,16,8,8] ".
static weft_status note_shape(void *ctx, const weft_value *v, const weft_tensor *t) {
  char *seen = ctx, shape[128];
  size_t at = strlen(seen);
  weft_shape_text(&t->layout.storage, NULL, shape, sizeof shape);
  snprintf(seen + at, 512 - at, "%s%s ", weft_value_name(v), shape);
  return WEFT_OK;
}

TEST(watchers_see_packed_values_plain_and_by_their_names) {
  static run_fixture f;
  static maker m;
  char seen[512] = "";
  inputs in;
  weft_tensor y, *out[1] = {&y};
  weft_exec_options o = {.size = sizeof o, .watch = note_shape, .watch_ctx = seen};
  begin(&m, 1);
  tensor(&m, 'x', (int64_t[]){1, 16, 8, 8}, 4, false);
  tensor(&m, 'w', (int64_t[]){16, 16, 1, 1}, 4, true);
  put(&m, "node c: Conv(x, w) -> c\nnode r: Relu(c) -> r\nnode d: Conv(r, w) -> d\noutput d\n}\n");
  memset(&f, 0, sizeof f);
  f.passes = true, f.option = packed;
  if (!rows_open(&f.r, "")) return;
  if (run_load(&f, m.text, &o) && fill(&m, &in, false)) {
    weft_tensor_init(&y, NULL);
    CHECK_OK(weft_exec_run(f.x, in.in, 1, out, 1, &f.r.d), &f.r.d);
    CHECK(strstr(seen, "r[1,16,8,8] ") && strstr(seen, "d[1,16,8,8] "));
    weft_tensor_deinit(&y);
    release(&m, &in);
    run_drop(&f);
  }
  rows_close(&f.r);
}
