// kernels_recurrent_test.c - CommonRNN, CommonGRU and CommonLSTM by the CPU's kernel against the interpreter,
// on random shapes, directions, options and activations, for each instruction set: each element within 3e-6
// of the largest one per step that is behind it; the same bits with one thread and with several; and by the
// kernel, not by the reference.
#include <stdarg.h>

#include "base/base.h"
#include "run_util.h"

enum { TEXT = 1 << 22, PORTS = 8, OUTS = 3, ROUNDS = 150 };
enum { X, W, R, B, LENGTHS, H, C, P };

typedef struct sizes {
  int64_t kind, dirs, steps, batch, inputs, hidden;  // kind: 0 RNN, 1 GRU, 2 LSTM
} sizes;
typedef struct maker {
  char text[TEXT];
  size_t n;
  uint64_t state;
  sizes z;
  bool wild;  // numbers that are none
  size_t n_in;
  int port[PORTS];  // of the graph's inputs, in order
  weft_shape in[PORTS];
} maker;

static const int64_t gates[] = {1, 3, 4};

static uint64_t pick(maker *m, uint64_t n) {
  m->state = m->state * UINT64_C(6364136223846793005) + 1442695040888963407u;
  return (m->state >> 33) % n;
}
#define PICK(m, list) (list)[pick(m, sizeof(list) / sizeof *(list))]

static void put(maker *m, const char *fmt, ...) {
  va_list v;
  va_start(v, fmt);
  m->n += (size_t)vsnprintf(m->text + m->n, TEXT - m->n, fmt, v);
  va_end(v);
}

static float number(maker *m, int port) {
  double v = ((double)pick(m, 2001) - 1000) / 1000;
  if (port == W) v /= sqrt((double)m->z.inputs + 1);
  if (port == R) v /= sqrt((double)m->z.hidden);
  return (float)v;
}

// An input of the layer: a graph input, or a constant.
static void port(maker *m, int p, const int64_t *dim, size_t rank, bool constant) {
  size_t n = 1;
  put(m, "%s p%d: %s[", constant ? "const" : "input", p, p == LENGTHS ? "i32" : "f32");
  for (size_t i = 0; i < rank; i++) put(m, "%s%lld", i ? "," : "", (long long)dim[i]), n *= (size_t)dim[i];
  put(m, "]%s", constant ? "{" : "\n");
  for (size_t i = 0; constant && i < n; i++) put(m, "%s%.4f", i ? "," : "", (double)number(m, p));
  if (constant) put(m, "}\n");
  if (constant || weft_shape_init(&m->in[m->n_in], dim, rank)) return;
  m->port[m->n_in++] = p;
}

static void ports(maker *m, unsigned absent) {
  const sizes *z = &m->z;
  int64_t g = gates[z->kind] * z->hidden;
  bool constant = g * (z->hidden + z->inputs) * z->dirs < 300000 && pick(m, 3);
  port(m, X, (int64_t[]){z->steps, z->batch, z->inputs}, 3, false);
  port(m, W, (int64_t[]){z->dirs, g, z->inputs}, 3, constant);
  port(m, R, (int64_t[]){z->dirs, g, z->hidden}, 3, constant && pick(m, 8));
  if (!(absent >> B & 1)) port(m, B, (int64_t[]){z->dirs, 2 * g}, 2, pick(m, 2));
  if (!(absent >> LENGTHS & 1)) port(m, LENGTHS, (int64_t[]){z->batch}, 1, false);
  if (!(absent >> H & 1)) port(m, H, (int64_t[]){z->dirs, z->batch, z->hidden}, 3, pick(m, 4) == 0);
  if (!(absent >> C & 1)) port(m, C, (int64_t[]){z->dirs, z->batch, z->hidden}, 3, false);
  if (!(absent >> P & 1)) port(m, P, (int64_t[]){z->dirs, 3 * z->hidden}, 2, pick(m, 2));
}

static void options(maker *m) {
  static const char *const acts[] = {
      "Relu",       "Tanh",        "Sigmoid", "Affine",   "LeakyRelu", "ThresholdedRelu",
      "ScaledTanh", "HardSigmoid", "Elu",     "Softsign", "softPlus"};
  const sizes *z = &m->z;
  int64_t n = (z->kind + 1) * z->dirs;
  put(m, "hidden_size=%lld, direction=\"%s\"", (long long)z->hidden,
      z->dirs == 2 ? "bidirectional"
      : pick(m, 2) ? "reverse"
                   : "forward");
  if (pick(m, 4) == 0) put(m, ", clip=%s", pick(m, 2) ? "0.25" : "0.0");
  if (z->kind && pick(m, 2)) put(m, ", %s=1", z->kind == 1 ? "linear_before_reset" : "input_forget");
  if (pick(m, 2)) return;
  put(m, ", activations=[");
  for (int64_t i = 0; i < n; i++) put(m, "%s\"%s\"", i ? "," : "", PICK(m, acts));
  put(m, "]");
  if (pick(m, 2)) return;
  put(m, ", activation_alpha=[");
  for (int64_t i = (int64_t)pick(m, 5); i >= 0; i--)
    put(m, "%s%g", i & 1 ? "0.5" : "0.75", 0.0), put(m, i ? "," : "");
  put(m, "], activation_beta=[0.25]");
}

static void make(maker *m, uint64_t seed, const sizes *z) {
  static const int64_t hiddens[] = {1, 3, 4, 15, 16, 17, 32, 33, 50}, batches[] = {1, 1, 2, 3, 4, 8, 9, 17},
                       inputs[] = {0, 1, 2, 7, 16, 33}, steps[] = {0, 1, 2, 3, 7};
  static const char *const ops[] = {"CommonRNN", "CommonGRU", "CommonLSTM"};
  m->n = 0, m->n_in = 0, m->state = seed * 977 + 5, m->wild = seed % 4 == 3;
  m->z = (sizes){(int64_t)pick(m, 3), 1 + (int64_t)pick(m, 2), PICK(m, steps),
                 PICK(m, batches),    PICK(m, inputs),         pick(m, 12) ? PICK(m, hiddens) : 128};
  if (pick(m, 40) == 0) m->z.batch = 0;
  if (z) m->z = *z;
  unsigned absent = (unsigned)pick(m, 256) & ~7u;
  if (m->z.kind != 2) absent |= 1u << C | 1u << P;
  put(m, "graph \"g\" {\n");
  ports(m, absent);
  put(m, "node n: %s(", ops[m->z.kind]);
  for (unsigned i = 0; i < (m->z.kind == 2 ? PORTS : C); i++)
    absent >> i & 1 ? put(m, "%s_", i ? ", " : "") : put(m, "%sp%u", i ? ", " : "", i);
  put(m, ") {");
  options(m);
  put(m, "} -> y, h%s\noutput y output h%s\n}\n", m->z.kind == 2 ? ", c" : "",
      m->z.kind == 2 ? " output c" : "");
}

// ---- running ----
typedef struct inputs {
  weft_tensor t[PORTS];
  const weft_tensor *in[PORTS];
} inputs;

static bool fill(maker *m, inputs *o) {
  weft_diag d = {0};
  for (size_t i = 0; i < m->n_in; i++) {
    bool lengths = m->port[i] == LENGTHS;
    weft_tensor *t = &o->t[i];
    weft_tensor_init(t, NULL), o->in[i] = t;
    if (weft_tensor_alloc(t, lengths ? WEFT_INT32 : WEFT_FLOAT, m->in[i].dim, m->in[i].rank, &d))
      return false;
    size_t n = t->bytes / 4;
    for (size_t k = 0; k < n; k++)
      if (lengths)
        ((int32_t *)t->data)[k] = (int32_t)pick(m, (uint64_t)m->z.steps + 1);
      else
        ((float *)t->data)[k] = number(m, m->port[i]);
    if (m->wild && n && m->port[i] == X)
      ((float *)t->data)[pick(m, n)] = pick(m, 2) ? NAN : pick(m, 2) ? INFINITY : -INFINITY;
  }
  return true;
}

static bool near(const weft_tensor *got, const weft_tensor *want, double bound, double *worst) {
  const float *a = got->data, *b = want->data;
  double most = 1;
  for (size_t i = 0; i < want->bytes / sizeof *b; i++)
    if (isfinite(b[i]) && fabs((double)b[i]) > most) most = fabs((double)b[i]);
  for (size_t i = 0; i < want->bytes / sizeof *b; i++) {
    if ((isnan(a[i]) && isnan(b[i])) || a[i] == b[i]) continue;
    double e = fabs((double)a[i] - (double)b[i]) / most;
    if (!(e <= *worst)) *worst = e;
    if (!(e <= bound)) return false;
  }
  return got->bytes == want->bytes;
}

static bool by_kernel(const weft_exec *x) {
  const weft_launch_record *r;
  size_t n = weft_exec_profile(x, &r);
  return n == 1 && !strcmp(r[0].kernel, "recurrent");
}

static bool compare(maker *m, run_fixture *f, weft_exec *many, inputs *in) {
  weft_tensor want[OUTS], one[OUTS], two[OUTS], *out[2][OUTS];
  size_t n = m->z.kind == 2 ? 3 : 2;
  double bound = 3e-6 * (double)(m->z.steps + 1), worst = 0;
  for (size_t i = 0; i < n; i++) {
    weft_tensor_init(&one[i], NULL), weft_tensor_init(&two[i], NULL), weft_tensor_init(&want[i], NULL);
    out[0][i] = &one[i], out[1][i] = &two[i];
  }
  weft_status s = weft_interp_run(f->g, NULL, in->in, m->n_in, want, n, &f->r.d);
  if (!s) s = weft_exec_run(f->x, in->in, m->n_in, out[0], n, &f->r.d);
  if (!s) s = weft_exec_run(many, in->in, m->n_in, out[1], n, &f->r.d);
  bool ok = !s;
  if (s) check_failed(__FILE__, __LINE__, "%s", f->r.d.text);
  for (size_t i = 0; ok && i < n; i++) {
    if (!(ok = near(&one[i], &want[i], bound, &worst)))
      check_failed(__FILE__, __LINE__, "output %zu differs by %g, allowed are %g", i, worst, bound);
    else if (!(ok = !one[i].bytes || !memcmp(one[i].data, two[i].data, one[i].bytes)))
      check_failed(__FILE__, __LINE__, "output %zu: one thread and several give different bits", i);
  }
  if (ok && !(ok = by_kernel(f->x))) check_failed(__FILE__, __LINE__, "not by the kernel");
  for (size_t i = 0; i < n; i++)
    weft_tensor_deinit(&one[i]), weft_tensor_deinit(&two[i]), weft_tensor_deinit(&want[i]);
  return ok;
}

static bool one_case(run_fixture *f, maker *m) {
  weft_exec_options one = {.size = sizeof one, .threads = 1, .profile = true};
  weft_exec *many = NULL;
  inputs in;
  if (!run_load(f, m->text, &one)) return false;
  bool ok = fill(m, &in) && !weft_exec_create(f->p, NULL, &many, &f->r.d) && compare(m, f, many, &in);
  const char *node = strstr(m->text, "node n");
  if (!ok)
    printf("%lld steps, batch %lld, %lld inputs: %.500s\n", (long long)m->z.steps, (long long)m->z.batch,
           (long long)m->z.inputs, node ? node : "");
  weft_exec_destroy(many);
  for (size_t i = 0; i < m->n_in; i++) weft_tensor_deinit(&in.t[i]);
  run_drop(f);
  return ok;
}

static void all(const char *isa, uint64_t first, uint64_t n, const sizes *z) {
  static maker m;
  static run_fixture f;
  int bad = 0;
  memset(&f, 0, sizeof f);
  setenv("WEFT_ISA", isa, 1);
  if (!rows_open(&f.r, "")) return;
  for (uint64_t seed = first; seed < first + n && bad < 3; seed++) {
    make(&m, seed, z ? &z[seed - first] : NULL);
    if (one_case(&f, &m)) continue;
    printf("seed %llu, %s\n", (unsigned long long)seed, isa);
    bad++;
  }
  rows_close(&f.r);
  unsetenv("WEFT_ISA");
}

TEST(random_layers_plain) {
  all("plain", 0, ROUNDS, NULL);
}
TEST(random_layers_avx2) {
  all("avx2", 1000, ROUNDS, NULL);
}
TEST(random_layers_avx512) {
  all("avx512", 2000, ROUNDS, NULL);
}
// Large ones: units are shared between blocks, a phase a step; inputs are taken in slices; rows in parts.
TEST(large_layers) {
  static const sizes large[] = {{0, 1, 3, 1, 5, 800},  {0, 2, 2, 2, 5, 730},  {1, 1, 3, 1, 9, 440},
                                {1, 2, 2, 3, 9, 433},  {2, 1, 4, 1, 3, 370},  {2, 2, 3, 3, 3, 368},
                                {2, 1, 2, 9, 3, 380},  {2, 1, 1, 1, 1500, 5}, {1, 1, 60, 9, 2100, 3},
                                {0, 2, 300, 1, 3, 20}, {2, 1, 0, 1, 3, 400}};
  for (int i = 0; i < 3; i++)
    all((const char *const[]){"plain", "avx2", "avx512"}[i], 5000, sizeof large / sizeof *large, large);
}

#define LAYER(dtype, lengths)                                                               \
  "graph \"g\" {\ninput x: " dtype "[2,2,1]\nconst w: " dtype "[1,1,1]{1}\nconst r: " dtype \
  "[1,1,1]{0.5}\n"                                                                          \
  "const l: i32[2]" lengths "\nnode n: CommonRNN(x, w, r, _, l) {hidden_size=1} -> y, h\noutput y\n}\n"
TEST(a_length_that_is_too_large_is_named) {
  static run_fixture f;
  if (!run_open(&f, LAYER("f32", "{2,3}"), NULL, NULL)) return;
  const char *got = run_text(&f, "f32[2,2,1]{1,2,3,4}");
  CHECK(strstr(got, "E_RANGE") && strstr(got, "element 1 is 3"));
  run_close(&f);
}
TEST(other_dtypes_stay_with_the_reference) {
  static run_fixture f;
  if (!run_open(&f, LAYER("f64", "{2,1}"), NULL, NULL)) return;
  RUN_SAME(&f, "f64[2,2,1]{1,2,3,4}");
  run_close(&f);
}
