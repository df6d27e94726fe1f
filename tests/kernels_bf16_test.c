// kernels_bf16_test.c - products and convolutions with precision_mode=allow_fp32_to_bf16: each element within
// the bound of docs/precision.md of a sum in double, on random data and on data made to be rounded badly, for
// each instruction set, with dot products of bf16 and without; the same bits with 1, 2 and 7 threads; by the
// kernels of bf16. Without the option no such kernel runs. The same for AMX's tiles, in plain C, in every
// mode: three, two parts or one of bf16.
#include <float.h>
#include <stdarg.h>

#include "base/base.h"
#include "run_util.h"

enum { TEXT = 1 << 22, MOST = 1 << 17 };
enum { RANDOM, TIES, CANCEL, WIDE, DENORMAL, INFINITE, KINDS, LARGE = KINDS };

// How operands are rounded, and by what.
typedef struct way {
  const char *isa, *bf16, *option, *gemm, *conv;
  int parts;  // of bf16, on AMX's tiles; 0: without tiles
} way;
static way now;
static const char mode[] = "precision_mode=allow_fp32_to_bf16";

typedef struct maker {
  char text[TEXT];
  size_t n;
  uint64_t state;
} maker;
static maker m;
static float a[MOST], b[MOST], c[MOST];  // operands, a bias

static uint64_t pick(uint64_t n) {
  m.state = m.state * UINT64_C(6364136223846793005) + 1442695040888963407u;
  return (m.state >> 33) % n;
}
static float unit(void) {
  return ((float)pick(200001) - 100000) / 100000;
}
static void put(const char *fmt, ...) {
  va_list v;
  va_start(v, fmt);
  m.n += (size_t)vsnprintf(m.text + m.n, TEXT - m.n, fmt, v);
  va_end(v);
}

// Numbers of a kind: TIES lie just beside the middle of two numbers of bf16, all on the same side; CANCEL are
// pairs that sum to almost nothing; WIDE has all exponents between -30 and 30.
static float number(int kind, size_t i) {
  static float before;
  switch (kind) {
    case TIES:
      return 1 + 1.0f / 256 + 1.0f / 65536;
    case CANCEL:
      return before = i % 2 ? -before * (1 + 1e-5f) : unit() * 100;
    case WIDE:
      return ldexpf(unit(), (int)pick(61) - 30);
    case DENORMAL:
      return pick(2) ? ldexpf(unit(), -130 - (int)pick(15)) : ldexpf(unit(), (int)pick(20) - 60);
    case LARGE:  // the sum of two is too large for float; many round to infinity in bf16
      return pick(3) ? unit() * 1e-3f : (pick(2) ? 1 : -1) * (3.3953e38f + (float)pick(100) * 7e33f);
    default:
      return unit();
  }
}
static void fill(float *to, size_t n, int kind) {
  for (size_t i = 0; i < n; i++)
    to[i] = number(kind, i);
  if (kind != INFINITE)
    return;
  for (size_t i = 0; i < n; i++) {
    if (to[i] == 0)
      to[i] = 0.5f;
  }
  for (int i = 0; i < 2 && n; i++)
    to[pick(n)] = pick(3) ? INFINITY : pick(2) ? -INFINITY : NAN;
}

static int beside(int kind) {  // of the other operand
  return kind == LARGE ? RANDOM : kind;
}

// The sum in double, and what it may be off by.
typedef struct oracle {
  double sum, size;  // size: of the magnitudes of the products of what is rounded
  double parts;      // what those were summed from, when that is more
  double around;     // of the operands' magnitudes
  size_t n;
  size_t filled;  // n, with channels filled up to steps of the tiles
} oracle;
static void add(oracle *o, float x, float y) {
  o->sum += (double)x * y;
  o->size += fabs((double)x * y);
  o->around += fabs((double)x) + fabs((double)y);
  o->n++;
}
static double bound_of(const oracle *o, double bias) {
  static const double rounding[] = {0x1p-7 + 0x1p-16, 0x1p-7 + 0x1p-16, 3.1 * 0x1p-16, 2.1 * 0x1p-24};
  static const double products[] = {1, 1, 3, 6};
  double n = (double)o->n, filled = (double)WEFT_MAX(o->n, o->filled);
  double sums = now.parts ? 1.03 * (filled / 5 + 24) : 1.01 * (n + 3),
         least = now.parts ? 3.1 * o->around + products[now.parts] * (n + 2) : o->around + n;
  return rounding[now.parts] * o->size + sums * 0x1p-24 * (WEFT_MAX(o->size, o->parts) + fabs(bias)) +
         0x1p-126 * least;
}
static bool within(const oracle *o, double bias, float got) {
  double want = o->sum + bias, bound = bound_of(o, bias);
  if (isnan(want))
    return isnan(got);
  if (isinf(want))
    return (double)got == want;
  if (isinf(got))
    return (got > 0 ? want : -want) + bound > (double)FLT_MAX;
  return fabs((double)got - want) <= bound;
}

// Of each kind of numbers. In memory that is mapped for each run (guard_pages.cmake) a case takes longer, and
// what it looks for does not depend on the numbers.
#ifdef WEFT_GUARDED
enum { CASES = 5 };
#else
enum { CASES = 20 };
#endif

// ---- running ----
typedef struct graph {
  weft_program *p;
  weft_exec *one, *two, *seven;
} graph;

static bool open_graph(rows *r, const char *option, bool packed, graph *g) {
  const char *list[2];
  size_t n = 0;
  if (option)
    list[n++] = option;
  if (packed)
    list[n++] = "assign-formats.choose=packed";
  weft_compile_options o = {.size = sizeof o, .options = list, .n_options = n};
  weft_exec_options x = {.size = sizeof x, .threads = 1, .profile = true};
  weft_graph *parsed;
  memset(g, 0, sizeof *g);
  weft_status s = weft_graph_parse(r->env, m.text, m.n, "test", &parsed, &r->d);
  if (!s)
    s = weft_compile(parsed, &o, &g->p, &r->d);
  if (!s)
    s = weft_exec_create(g->p, &x, &g->one, &r->d);
  x.threads = 2;
  if (!s)
    s = weft_exec_create(g->p, &x, &g->two, &r->d);
  x.threads = 7;
  if (!s)
    s = weft_exec_create(g->p, &x, &g->seven, &r->d);
  if (s)
    check_failed(__FILE__, __LINE__, "%s", r->d.text);
  return !s;
}
static void close_graph(graph *g) {
  weft_exec_destroy(g->one);
  weft_exec_destroy(g->two);
  weft_exec_destroy(g->seven);
  weft_program_release(g->p);
}

static size_t runs_of(const weft_exec *x, const char *kernel) {
  const weft_launch_record *r;
  size_t n = weft_exec_profile(x, &r);
  size_t found = 0;
  for (size_t i = 0; i < n; i++)
    found += strstr(r[i].kernel, kernel) != NULL;
  return found;
}

// Runs with 1, 2 and 7 threads; the bits must be the same. out is to be deinitialised.
static bool run_graph(rows *r, graph *g, const weft_tensor *const *in, size_t n_in, weft_tensor *out) {
  weft_exec *others[2] = {g->two, g->seven};
  weft_tensor_init(out, NULL);
  weft_status s = weft_exec_run(g->one, in, n_in, &out, 1, &r->d);
  bool same = !s;
  for (size_t i = 0; i < 2 && same; i++) {
    weft_tensor other;
    weft_tensor *list[1] = {&other};
    weft_tensor_init(&other, NULL);
    s = weft_exec_run(others[i], in, n_in, list, 1, &r->d);
    same = !s && out->bytes == other.bytes && (!out->bytes || !memcmp(out->data, other.data, out->bytes));
    if (!s && !same)
      check_failed(__FILE__, __LINE__, "one thread and several give different bits");
    weft_tensor_deinit(&other);
  }
  if (s)
    check_failed(__FILE__, __LINE__, "%s", r->d.text);
  return same;
}

static void put_const(char name, const char *shape, const float *x, size_t n) {
  put("const %c: f32[%s]{", name, shape);
  for (size_t i = 0; i < n; i++)
    put("%s%.9g", i ? "," : "", (double)x[i]);
  put("}\n");
}
static bool borrow(weft_tensor *t, const float *x, const weft_dim *dim, size_t rank) {
  size_t n = 1;
  for (size_t i = 0; i < rank; i++)
    n *= (size_t)dim[i];
  weft_tensor_init(t, NULL);
  return !weft_tensor_borrow(t, WEFT_FLOAT, dim, rank, (void *)(uintptr_t)x, n * sizeof *x, NULL);
}

// ---- products ----
static bool one_product(rows *r, int kind) {
  static const size_t sizes[] = {1, 1, 2, 3, 4, 5, 7, 12, 14, 15, 17, 31, 32, 33, 65, 130};
  static const size_t inners[] = {0, 1, 2, 3, 7, 16, 17, 31, 33, 63, 64, 65, 257, 512, 1030, 2100};
  size_t rows_ = sizes[pick(16)];
  size_t cols = sizes[pick(16)];
  size_t k = inners[pick(16)];
  size_t batch = pick(4) ? 1 : 1 + pick(3);
  while (batch * (rows_ + cols) * k > 60000)
    k /= 2;
  bool turn_a = pick(4) == 0;
  bool turn_b = pick(2);
  bool constant = pick(3);
  bool shared = pick(2);
  bool bias = pick(2);
  size_t nb = shared ? 1 : batch;
  weft_dim da[3] = {(weft_dim)batch, (weft_dim)(turn_a ? k : rows_), (weft_dim)(turn_a ? rows_ : k)};
  weft_dim db[3] = {(weft_dim)nb, (weft_dim)(turn_b ? cols : k), (weft_dim)(turn_b ? k : cols)};
  char shape[64];
  fill(a, batch * rows_ * k, kind);
  fill(b, nb * k * cols, beside(kind));
  fill(c, cols, RANDOM);
  m.n = 0;
  put("graph \"g\" {\ninput a: f32[%d,%d,%d]\n", (int)da[0], (int)da[1], (int)da[2]);
  snprintf(shape, sizeof shape, "%d,%d,%d", (int)db[0], (int)db[1], (int)db[2]);
  if (constant)
    put_const('b', shape, b, nb * k * cols);
  else
    put("input b: f32[%s]\n", shape);
  snprintf(shape, sizeof shape, "%d", (int)cols);
  if (bias)
    put_const('c', shape, c, cols);
  put("node y: BatchMatMulV2(a, b%s) {adj_x1=%s, adj_x2=%s} -> y\noutput y\n}\n", bias ? ", c" : "",
      turn_a ? "true" : "false", turn_b ? "true" : "false");
  graph g;
  weft_tensor ta;
  weft_tensor tb;
  weft_tensor y;
  const weft_tensor *in[2] = {&ta, &tb};
  bool ok = borrow(&ta, a, da, 3) && borrow(&tb, b, db, 3) && open_graph(r, now.option, false, &g);
  if (!ok)
    return false;
  ok = run_graph(r, &g, in, constant ? 1 : 2, &y);
  for (size_t z = 0; ok && z < batch; z++) {
    for (size_t i = 0; ok && i < rows_; i++) {
      for (size_t j = 0; ok && j < cols; j++) {
        oracle o = {0};
        for (size_t t = 0; t < k; t++) {
          add(&o, a[z * rows_ * k + (turn_a ? t * rows_ + i : i * k + t)],
              b[(shared ? 0 : z) * k * cols + (turn_b ? j * k + t : t * cols + j)]);
        }
        float got = ((const float *)y.data)[(z * rows_ + i) * cols + j];
        ok = within(&o, bias ? (double)c[j] : 0, got);
        if (!ok) {
          check_failed(__FILE__, __LINE__,
                       "%zu x (%zux%zu by %zux%zu), [%zu,%zu,%zu]: %.9g, exact %.9g, of %.9g", batch, rows_,
                       k, k, cols, z, i, j, (double)got, o.sum, o.size);
        }
      }
    }
  }
  if (ok && !(ok = runs_of(g.one, now.gemm) == 1))
    check_failed(__FILE__, __LINE__, "not by %s", now.gemm);
  weft_tensor_deinit(&y);
  close_graph(&g);
  return ok;
}

// ---- convolutions ----
typedef struct window {
  size_t images, groups, in, out, h, w, k, stride, dilation, pad, oh, ow;
  bool plain;  // channels first
} window;

static const char winograd[] = "blocked-winograd-bf16";
static bool by_points(const window *v) {
  return !now.parts && v->k == 3 && v->stride == 1 && v->dilation == 1;
}

static void sum_at(const window *v, size_t image, size_t channel, size_t oy, size_t ox, oracle *o) {
  size_t first = channel / (v->out / v->groups) * (v->in / v->groups);
  size_t of = v->in / v->groups;
  for (size_t i = 0; i < of; i++) {
    for (size_t ky = 0; ky < v->k; ky++) {
      for (size_t kx = 0; kx < v->k; kx++) {
        size_t y = oy * v->stride + ky * v->dilation - v->pad;
        size_t x = ox * v->stride + kx * v->dilation - v->pad;
        if (y >= v->h || x >= v->w)
          continue;  // below zero, too
        add(o, a[((image * v->in + first + i) * v->h + y) * v->w + x],
            b[((channel * of + i) * v->k + ky) * v->k + kx]);
      }
    }
  }
}

// ---- Winograd's points ----
// Of a window of 4 x 4 numbers, or of 3 x 3 taps in rows of 4: by rows, then by columns. `sizes`: all are
// added.
static void four(const double *d, size_t step, bool taps, bool sizes, double *to) {
  double d0 = d[0], d1 = d[step], d2 = d[2 * step], d3 = taps ? 0 : d[3 * step], minus = sizes ? 1 : -1;
  to[0] = taps ? d0 : d0 + minus * d2;
  to[step] = taps ? (d0 + d1 + d2) / 2 : d1 + d2;
  to[2 * step] = taps ? (d0 + minus * d1 + d2) / 2 : d2 + minus * d1;
  to[3 * step] = taps ? d2 : d1 + minus * d3;
}
static void sixteen(const double *d, bool taps, bool sizes, double *to) {
  double turned[16];
  for (size_t j = 0; j < 4; j++)
    four(d + j, 4, taps, sizes, turned + j);
  for (size_t i = 0; i < 4; i++)
    four(turned + 4 * i, 1, taps, sizes, to + 4 * i);
}

// What the output at (oy, ox) of a window may be off by: the magnitudes of its points' products instead of
// those of its taps. Where the window holds what is not finite: of all its numbers with all its taps.
static void points_at(const window *v, size_t image, size_t channel, size_t oy, size_t ox, oracle *o) {
  size_t first = channel / (v->out / v->groups) * (v->in / v->groups);
  size_t of = v->in / v->groups;
  double size = 0, parts = 0, all = 0, around = 0;
  for (size_t i = 0; i < of; i++) {
    double d[2][16] = {{0}}, g[2][16] = {{0}}, points[4][16], numbers = 0, taps = 0;
    for (size_t k = 0; k < 16; k++) {
      size_t y = oy / 2 * 2 + k / 4 - v->pad;
      size_t x = ox / 2 * 2 + k % 4 - v->pad;
      if (y < v->h && x < v->w)
        d[0][k] = (double)a[((image * v->in + first + i) * v->h + y) * v->w + x];
      if (k / 4 < 3 && k % 4 < 3)
        g[0][k] = (double)b[(channel * of + i) * 9 + k / 4 * 3 + k % 4];
      d[1][k] = fabs(d[0][k]);
      g[1][k] = fabs(g[0][k]);
      numbers += isfinite(d[0][k]) ? d[1][k] : 0;
      taps += g[1][k];
    }
    for (size_t k = 0; k < 2; k++) {
      sixteen(d[k], false, k, points[k]);
      sixteen(g[k], true, k, points[2 + k]);
    }
    for (size_t y = oy % 2; y < oy % 2 + 3; y++) {
      for (size_t k = 4 * y + ox % 2; k < 4 * y + ox % 2 + 3; k++) {
        size += fabs(points[0][k] * points[2][k]);
        parts += points[1][k] * points[3][k];
        around += points[1][k] + points[3][k];
      }
    }
    all += numbers * taps;
  }
  o->size = isfinite(parts) ? size : all;
  o->parts = isfinite(parts) ? parts : all;
  o->around += isfinite(around) ? around : all;
  o->n = 9 * of + 12;
}

static bool one_conv_of(rows *r, int kind, window v) {
  v.h = 6 + pick(9);
  v.w = 7 + pick(15);
  size_t span = (v.k - 1) * v.dilation + 1;
  if (v.h < span)
    v.h = span;
  if (v.w < span)
    v.w = span;
  v.oh = (v.h + 2 * v.pad - span) / v.stride + 1;
  v.ow = (v.w + 2 * v.pad - span) / v.stride + 1;
  weft_dim dx[4] = {(weft_dim)v.images, (weft_dim)v.in, (weft_dim)v.h, (weft_dim)v.w};
  size_t n = v.images * v.in * v.h * v.w;
  size_t weights = v.out * (v.in / v.groups) * v.k * v.k;
  char shape[64];
  fill(a, n, kind);
  fill(b, weights, beside(kind));
  fill(c, v.out, RANDOM);
  m.n = 0;
  put("graph \"g\" {\ninput a: f32[%d,%d,%d,%d]\n", (int)dx[0], (int)dx[1], (int)dx[2], (int)dx[3]);
  snprintf(shape, sizeof shape, "%zu,%zu,%zu,%zu", v.out, v.in / v.groups, v.k, v.k);
  put_const('b', shape, b, weights);
  snprintf(shape, sizeof shape, "%zu", v.out);
  put_const('c', shape, c, v.out);
  put("node y: Conv(a, b, c) {strides=[%zu,%zu], dilations=[%zu,%zu], pads=[%zu,%zu,%zu,%zu], group=%zu} -> "
      "y\n"
      "output y\n}\n",
      v.stride, v.stride, v.dilation, v.dilation, v.pad, v.pad, v.pad, v.pad, v.groups);
  graph g;
  weft_tensor ta;
  weft_tensor y;
  const weft_tensor *in[1] = {&ta};
  if (!borrow(&ta, a, dx, 4) || !open_graph(r, now.option, !v.plain, &g))
    return false;
  bool ok = run_graph(r, &g, in, 1, &y);
  bool points = runs_of(g.one, winograd) == 1;
  bool finite = true;
  for (size_t i = 0; i < weights; i++)
    finite &= isfinite(b[i]);  // otherwise taps are summed
  for (size_t i = 0; ok && i < v.images * v.out * v.oh * v.ow; i++) {
    oracle o = {.filled = (v.in / v.groups + 31) / 32 * 32 * v.k * v.k};
    size_t channel = i / v.ow / v.oh % v.out;
    sum_at(&v, i / v.ow / v.oh / v.out, channel, i / v.ow % v.oh, i % v.ow, &o);
    if (points && finite)
      points_at(&v, i / v.ow / v.oh / v.out, channel, i / v.ow % v.oh, i % v.ow, &o);
    float got = ((const float *)y.data)[i];
    ok = within(&o, (double)c[channel], got);
    if (!ok) {
      check_failed(__FILE__, __LINE__, "%zu: %.9g, exact %.9g + %.9g, of %.9g\n%.300s", i, (double)got, o.sum,
                   (double)c[channel], o.size, m.text + m.n - 150);
    }
  }
  // a few channels are read as they are, or packed
  const char *by = v.plain ? "conv-bf16" : (v.in > 8 && by_points(&v)) || points ? winograd : now.conv;
  if (ok && !(ok = runs_of(g.one, by) == 1))
    check_failed(__FILE__, __LINE__, "not by %s\n%.300s", by, m.text + m.n - 150);
  weft_tensor_deinit(&y);
  close_graph(&g);
  return ok;
}

static bool one_conv(rows *r, int kind) {
  window v = {.images = 1 + pick(2), .groups = pick(4) ? 1 : 2, .k = pick(2) ? 1 : 2 + pick(3)};
  v.in = v.groups == 2 ? 32 : 9 + pick(40);
  v.out = v.groups == 2 ? 64 : 1 + pick(70);
  v.stride = 1 + (pick(3) == 0);
  v.dilation = 1 + (pick(4) == 0);
  v.pad = v.k > 1 ? pick(3) : 0;
  return one_conv_of(r, kind, v);
}

// As they are stored, in groups of any size.
static bool one_plain(rows *r, int kind) {
  static const size_t inner[] = {2, 3, 5, 17, 34, 68, 130, 200};
  window v = {.images = 1 + pick(2), .k = pick(2) ? 1 : 2 + pick(4), .plain = true};
  size_t of = inner[pick(v.k == 1 ? 8 : 5)];
  v.groups = 1 + pick(WEFT_MIN(4, 400 / v.images / of));
  v.in = v.groups * of;
  v.out = v.groups * (1 + pick(35));
  v.stride = 1 + (pick(3) == 0);
  v.dilation = 1 + (pick(4) == 0);
  v.pad = v.k > 1 ? pick(3) : 0;
  return one_conv_of(r, kind, v);
}

// The first layers of networks: few channels, large kernels, as they are stored.
static bool one_first(rows *r, int kind) {
  window v = {.images = 1 + pick(2), .groups = 1, .k = 1 + pick(7), .stride = 1 + pick(3), .dilation = 1};
  v.in = 1 + pick(5);
  v.out = 17 + pick(50);
  v.pad = v.k > 1 ? pick(v.k) : 0;
  return one_conv_of(r, kind, v);
}

// For Winograd's method.
static bool one_window(rows *r, int kind) {
  window v = {.images = 1 + pick(2), .groups = pick(4) ? 1 : 2, .k = 3, .stride = 1, .dilation = 1};
  v.in = v.groups == 2 ? 32 : 9 + pick(60);
  v.out = v.groups == 2 ? 64 : 1 + pick(70);
  v.pad = pick(3);
  return one_conv_of(r, kind, v);
}

// ---- attention ----
typedef struct heads {
  size_t n, queries, keys, size, width;  // size: of a key; width: of a value
  double scale;
} heads;

// One row of one head: what it should be, and may be off by; NaN: by more than the weights.
static void attend(const heads *v, size_t head, size_t row, size_t column, double *out, double *bound) {
  const float *q = a + (head * v->queries + row) * v->size;
  double top = -INFINITY, off = 0, sum = 0, y = 0, sizes = 0, most = 0;
  static double score[512];
  for (size_t j = 0; j < v->keys; j++) {
    oracle o = {0};
    for (size_t i = 0; i < v->size; i++)
      add(&o, q[i] * (float)v->scale, b[(head * v->keys + j) * v->size + i]);
    score[j] = o.sum;
    top = fmax(top, o.sum);
    off = fmax(off, bound_of(&o, fabs(o.sum)) + 0x1p-22 * (1 + fabs(o.sum)));
  }
  for (size_t j = 0; j < v->keys; j++) {
    double p = exp(score[j] - top), x = (double)c[(head * v->keys + j) * v->width + column];
    sum += p;
    y += p * x;
    sizes += p * fabs(x);
    most = fmax(most, fabs(x));
  }
  double n = (double)v->keys, grows = exp(2 * off + 0x1p-7 + 0x1p-16 + 1.01 * (n + 20) * 0x1p-24) - 1;
  *out = y / sum;
  *bound = off > 10 ? NAN : sizes / sum * grows + n * 0x1p-124 * (1 + most);
}

static bool one_attention(rows *r, int kind) {
  static const size_t keys[] = {1, 2, 3, 31, 32, 65, 130, 300};
  static const size_t sizes[] = {1, 2, 3, 17, 32, 33, 64, 80};
  static const double scales[KINDS] = {0.125, 0.125, 1e-5, 0x1p-50, 1, 0.125};
  if (kind == INFINITE)
    kind = RANDOM;  // kernels_attention_test.c has those
  heads v = {1 + pick(2), 4 + pick(30), keys[pick(8)], sizes[pick(8)], sizes[pick(8)], scales[kind]};
  const weft_dim n = (weft_dim)v.n;
  const weft_dim of = (weft_dim)v.keys;
  const weft_dim size = (weft_dim)v.size;
  const weft_dim d[3][4] = {
      {1, n, (weft_dim)v.queries, size}, {1, n, of, size}, {1, n, of, (weft_dim)v.width}};
  float *const numbers[3] = {a, b, c};
  graph g;
  weft_tensor t[3];
  weft_tensor y;
  const weft_tensor *in[3] = {&t[0], &t[1], &t[2]};
  m.n = 0;
  put("graph \"g\" {\n");
  for (size_t i = 0; i < 3; i++) {
    fill(numbers[i], v.n * (size_t)(d[i][2] * d[i][3]), kind);
    put("input %c: f32[1,%d,%d,%d]\n", "qkv"[i], (int)n, (int)d[i][2], (int)d[i][3]);
    if (!borrow(&t[i], numbers[i], d[i], 4))
      return false;
  }
  put("node y: PromptFlashAttention(q, k, v) {num_heads=%d, scale_value=%.9g, ", (int)n, v.scale);
  put("input_layout=\"BNSD\"} -> y\noutput y\n}\n");
  if (!open_graph(r, now.option, false, &g))
    return false;
  bool ok = run_graph(r, &g, in, 3, &y);
  for (size_t i = 0; ok && i < v.n * v.queries * v.width; i++) {
    double want, bound, got = (double)((const float *)y.data)[i];
    attend(&v, i / v.width / v.queries, i / v.width % v.queries, i % v.width, &want, &bound);
    ok = isnan(bound) || fabs(got - want) <= bound;
    if (!ok)
      check_failed(__FILE__, __LINE__, "%zu: %.9g, exact %.9g\n%.300s", i, got, want, m.text);
  }
  if (ok)
    CHECK_INT(runs_of(g.one, "attention-bf16"), 1);
  weft_tensor_deinit(&y);
  close_graph(&g);
  return ok;
}

static void all(way w, bool (*one)(rows *r, int kind), uint64_t seed) {
  rows r;
  int bad = 0;
  int kinds = w.parts > 1 ? KINDS + 1 : KINDS;
  now = w;
  setenv("WEFT_BF16", w.bf16, 1);
  if (lower_isa(w.isa) && rows_open(&r, "")) {
    m.state = seed + check_seed();
    int n = check_cases(CASES);
    if (one == one_window && !check_long())
      n = 2;  // its oracle is slow
    n *= kinds;
    for (int i = 0; i < n && bad < 3; i++) {
      if (one(&r, i % kinds))
        continue;
      printf("case %d of seed %llu, kind %d, %s, WEFT_BF16=%s, %d parts\n", i,
             (unsigned long long)(seed + check_seed()), i % kinds, w.isa, w.bf16, w.parts);
      bad++;
    }
    rows_close(&r);
  }
  unsetenv("WEFT_ISA");
  unsetenv("WEFT_BF16");
}

static way vectors(const char *isa, const char *bf16) {
  return (way){isa, bf16, mode, "gemm-bf16", "blocked-conv-bf16", 0};
}
static way tiles(const char *option, int parts) {
  return (way){"amx-emulated", "0", option, "gemm-amx", "blocked-conv-amx", parts};
}

#define EACH_SET(name, one)                             \
  TEST(name##_plain) {                                  \
    all(vectors("plain", "0!"), one, 1);                \
  }                                                     \
  TEST(name##_avx2) {                                   \
    all(vectors("avx2", "0!"), one, 2);                 \
  }                                                     \
  TEST(name##_avx512) {                                 \
    all(vectors("avx512", "0!"), one, 3);               \
  }                                                     \
  TEST(name##_avx512_dot_products) {                    \
    all(vectors("avx512", "1!"), one, 4);               \
  }                                                     \
  TEST(name##_amx_of_one_part) {                        \
    all(tiles(mode, 1), one, 5);                        \
  }                                                     \
  TEST(name##_amx_of_two_parts) {                       \
    all(tiles("precision_mode=allow_hf32", 2), one, 6); \
  }                                                     \
  TEST(name##_amx_of_three_parts) {                     \
    all(tiles(NULL, 3), one, 7);                        \
  }
EACH_SET(products, one_product)
EACH_SET(convolutions, one_conv)
#define EACH_VECTOR(name, one)             \
  TEST(name##_plain) {                     \
    all(vectors("plain", "0!"), one, 11);  \
  }                                        \
  TEST(name##_avx2) {                      \
    all(vectors("avx2", "0!"), one, 12);   \
  }                                        \
  TEST(name##_avx512) {                    \
    all(vectors("avx512", "0!"), one, 13); \
  }                                        \
  TEST(name##_avx512_dot_products) {       \
    all(vectors("avx512", "1!"), one, 14); \
  }
EACH_VECTOR(windows, one_window)
EACH_VECTOR(first_layers, one_first)
EACH_VECTOR(plain_convolutions, one_plain)
EACH_VECTOR(attention, one_attention)

// ---- modes ----
static const char two_products[] =
    "graph \"g\" {\ninput a: f32[3,64]\nconst b: f32[64,4]{%s}\n"
    "node h: MatMulV2(a, b) -> h\nnode y: Relu(h) -> y\noutput y\n}\n";

static bool make_two(void) {
  m.n = 0;
  m.state = 5;
  static char numbers[8192];
  size_t n = 0;
  for (int i = 0; i < 256; i++)
    n += (size_t)snprintf(numbers + n, sizeof numbers - n, "%s%.9g", i ? "," : "", (double)unit());
  m.n = (size_t)snprintf(m.text, TEXT, two_products, numbers);
  return m.n < TEXT;
}

TEST(only_the_modes_that_allow_it_round) {
  static const struct {
    const char *option;
    size_t rounds;
  } modes[] = {{NULL, 0},
               {"precision_mode=must_keep_origin_dtype", 0},
               {"precision_mode=force_fp32", 0},
               {"precision_mode=allow_hf32", 0},
               {"precision_mode=allow_fp32_to_bf16", 1},
               {"precision_mode=allow_mix_precision", 1},
               {"precision_mode=allow_mix_precision_bf16", 1}};
  rows r;
  weft_tensor first;
  weft_tensor y;
  weft_tensor ta;
  weft_dim dim[2] = {3, 64};
  setenv("WEFT_BF16", "1!", 1);
  if (!rows_open(&r, "") || !make_two())
    return;
  fill(a, 192, RANDOM);
  const weft_tensor *in[1] = {&ta};
  CHECK(borrow(&ta, a, dim, 2));
  weft_tensor_init(&first, NULL);
  for (size_t i = 0; i < sizeof modes / sizeof *modes; i++) {
    graph g;
    if (!open_graph(&r, modes[i].option, false, &g))
      break;
    CHECK(run_graph(&r, &g, in, 1, i ? &y : &first));
    CHECK_INT(runs_of(g.one, "bf16"), modes[i].rounds);
    if (i) {
      CHECK_INT(!memcmp(y.data, first.data, y.bytes), !modes[i].rounds);
      weft_tensor_deinit(&y);
    }
    close_graph(&g);
  }
  weft_tensor_deinit(&first);
  rows_close(&r);
  unsetenv("WEFT_BF16");
}

TEST(other_modes_are_refused_by_name) {
  static const char *const modes[] = {
      "force_fp16", "allow_fp32_to_fp16", "allow_mix_precision_fp16", "cube_fp16in_fp32out",
      "",           "ALLOW_FP32_TO_BF16"};
  rows r;
  if (!rows_open(&r, ""))
    return;
  for (size_t i = 0; i < sizeof modes / sizeof *modes; i++) {
    char option[64];
    const char *list[1] = {option};
    weft_compile_options o = {.size = sizeof o, .options = list, .n_options = 1};
    weft_graph *g;
    weft_program *p;
    snprintf(option, sizeof option, "precision_mode=%s", modes[i]);
    if (!make_two() || weft_graph_parse(r.env, m.text, m.n, "test", &g, &r.d))
      break;
    CHECK_INT(weft_compile(g, &o, &p, &r.d), WEFT_E_INVALID);
    CHECK(strstr(r.d.text, "must_keep_origin_dtype") != NULL);
    CHECK(strstr(r.d.text, modes[i]) != NULL);
    weft_diag_clear(&r.d);
  }
  rows_close(&r);
}

// A program that was saved is run as it was compiled; compiling without the option forgets what the model
// says.
TEST(a_program_keeps_its_mode) {
  rows r;
  graph g;
  weft_program *back;
  weft_exec *x;
  weft_exec_options o = {.size = sizeof o, .threads = 1, .profile = true};
  weft_tensor y;
  weft_tensor ta;
  weft_tensor *out[1] = {&y};
  const weft_tensor *in[1] = {&ta};
  weft_dim dim[2] = {3, 64};
  weft_text text;
  setenv("WEFT_BF16", "1!", 1);
  if (!rows_open(&r, "") || !make_two() || !open_graph(&r, mode, false, &g))
    return;
  fill(a, 192, RANDOM);
  CHECK(borrow(&ta, a, dim, 2));
  weft__text_init(&text, weft_env_allocator(r.env));
  CHECK_OK(weft_program_save(g.p, weft__text_write, &text, &r.d), &r.d);
  CHECK_OK(weft_program_load_memory(r.env, text.v, text.n, &back, &r.d), &r.d);
  CHECK_OK(weft_exec_create(back, &o, &x, &r.d), &r.d);
  weft_tensor_init(&y, NULL);
  CHECK_OK(weft_exec_run(x, in, 1, out, 1, &r.d), &r.d);
  CHECK_INT(runs_of(x, "gemm-bf16"), 1);
  weft_tensor_deinit(&y);
  weft_exec_destroy(x);
  weft_program_release(back);
  close_graph(&g);
  weft__text_deinit(&text);
  rows_close(&r);
  unsetenv("WEFT_BF16");
}
// SPDX-License-Identifier: Apache-2.0
