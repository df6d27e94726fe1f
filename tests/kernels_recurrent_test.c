// kernels_recurrent_test.c - CommonRNN, CommonGRU and CommonLSTM by the CPU's kernel against the interpreter,
// on random shapes, directions, options and activations, for each instruction set: each element within 3e-6
// of the largest one per step that is behind it; the same bits with one thread and with several; and by the
// kernel, not by the reference. Of f16 and bf16 with what rounding costs.
#include "base/base.h"
#include "maker.h"

enum { ROUNDS = 150 };
enum { X, W, R, B, LENGTHS, H, C, P, PORTS };

typedef struct sizes {
  int64_t kind, dirs, steps, batch, inputs, hidden;  // kind: 0 RNN, 1 GRU, 2 LSTM
} sizes;
static sizes z;             // of the case
static bool tied;           // w serves as r, too
static const sizes *fixed;  // of all cases, by seed from 5000 on; NULL: at random

static const int64_t gates[] = {1, 3, 4};

#define PICK(m, list) (list)[pick(m, sizeof(list) / sizeof *(list))]

static float number(maker *m, int port) {
  double v = ((double)pick(m, 2001) - 1000) / 1000;
  if (port == W)
    v /= sqrt((double)z.inputs + 1);
  if (port == R)
    v /= sqrt((double)z.hidden);
  return (float)v;
}

static int now;  // the port that is written
static void value(maker *m, weft_dtype t) {
  (void)t;
  put(m, "%.4f", (double)number(m, now));
}

// An input of the layer: a graph input, or a constant.
static void port(maker *m, int p, const int64_t *dim, size_t rank, bool constant) {
  char name[8];
  snprintf(name, sizeof name, "p%d", p);
  now = p;
  if (constant)
    put_const(m, name, WEFT_FLOAT, dim, rank, value);
  else
    put_input(m, name, p == LENGTHS ? WEFT_INT32 : WEFT_FLOAT, dim, rank);
}

static void ports(maker *m, unsigned absent) {
  int64_t g = gates[z.kind] * z.hidden;
  bool constant = g * (z.hidden + z.inputs) * z.dirs < 300000 && pick(m, 3);
  port(m, X, (int64_t[]){z.steps, z.batch, z.inputs}, 3, false);
  port(m, W, (int64_t[]){z.dirs, g, z.inputs}, 3, constant);
  port(m, R, (int64_t[]){z.dirs, g, z.hidden}, 3, constant && pick(m, 8));
  if (!(absent >> B & 1))
    port(m, B, (int64_t[]){z.dirs, 2 * g}, 2, pick(m, 2));
  if (!(absent >> LENGTHS & 1))
    port(m, LENGTHS, (int64_t[]){z.batch}, 1, false);
  if (!(absent >> H & 1))
    port(m, H, (int64_t[]){z.dirs, z.batch, z.hidden}, 3, pick(m, 4) == 0);
  if (!(absent >> C & 1))
    port(m, C, (int64_t[]){z.dirs, z.batch, z.hidden}, 3, false);
  if (!(absent >> P & 1))
    port(m, P, (int64_t[]){z.dirs, 3 * z.hidden}, 2, pick(m, 2));
}

static void options(maker *m) {
  static const char *const acts[] = {
      "Relu",       "Tanh",        "Sigmoid", "Affine",   "LeakyRelu", "ThresholdedRelu",
      "ScaledTanh", "HardSigmoid", "Elu",     "Softsign", "softPlus"};
  int64_t n = (z.kind + 1) * z.dirs;
  put(m, "hidden_size=%lld, direction=\"%s\"", (long long)z.hidden,
      z.dirs == 2  ? "bidirectional"
      : pick(m, 2) ? "reverse"
                   : "forward");
  if (pick(m, 4) == 0)
    put(m, ", clip=%s", pick(m, 2) ? "0.25" : "0.0");
  if (z.kind && pick(m, 2))
    put(m, ", %s=1", z.kind == 1 ? "linear_before_reset" : "input_forget");
  if (pick(m, 2))
    return;
  put(m, ", activations=[");
  for (int64_t i = 0; i < n; i++)
    put(m, "%s\"%s\"", i ? "," : "", PICK(m, acts));
  put(m, "]");
  if (pick(m, 2))
    return;
  put(m, ", activation_alpha=[");
  for (int64_t i = (int64_t)pick(m, 5); i >= 0; i--) {
    put(m, "%s%g", i & 1 ? "0.5" : "0.75", 0.0);
    put(m, i ? "," : "");
  }
  put(m, "], activation_beta=[0.25]");
}

static void make(maker *m, uint64_t seed) {
  static const int64_t hiddens[] = {1, 3, 4, 15, 16, 17, 32, 33, 50};
  static const int64_t batches[] = {1, 1, 2, 3, 4, 8, 9, 17};
  static const int64_t inputs[] = {0, 1, 2, 7, 16, 33};
  static const int64_t steps[] = {0, 1, 2, 3, 7};
  static const char *const ops[] = {"CommonRNN", "CommonGRU", "CommonLSTM"};
  maker_begin(m, seed);
  z = (sizes){(int64_t)pick(m, 3), 1 + (int64_t)pick(m, 2), PICK(m, steps),
              PICK(m, batches),    PICK(m, inputs),         pick(m, 12) ? PICK(m, hiddens) : 128};
  if (pick(m, 40) == 0)
    z.batch = 0;
  if (fixed)
    z = fixed[seed - 5000];
  unsigned absent = (unsigned)pick(m, 256) & ~7u;
  if (z.kind != 2)
    absent |= 1u << C | 1u << P;
  put(m, "graph \"g\" {\n");
  ports(m, absent);
  put(m, "node n: %s(", ops[z.kind]);
  for (unsigned i = 0; i < (z.kind == 2 ? PORTS : C); i++)
    absent >> i & 1 ? put(m, "%s_", i ? ", " : "") : put(m, "%sp%u", i ? ", " : "", tied && i == R ? W : i);
  put(m, ") {");
  options(m);
  put(m, "} -> y, h%s\noutput y output h%s\n}\n", z.kind == 2 ? ", c" : "", z.kind == 2 ? " output c" : "");
}

// ---- running ----
static void fill(maker *m, size_t input, weft_tensor *t) {
  int p = m->in[input].name[1] - '0';
  size_t n = t->bytes / 4;
  for (size_t k = 0; k < n; k++) {
    if (p == LENGTHS)
      ((int32_t *)t->data)[k] = (int32_t)pick(m, (uint64_t)z.steps + 1);
    else
      ((float *)t->data)[k] = number(m, p);
  }
  if (m->seed % 4 == 3 && n && p == X)
    ((float *)t->data)[pick(m, n)] = pick(m, 2) ? NAN : pick(m, 2) ? INFINITY : -INFINITY;
}

static double off(const maker *m, const weft_tensor *got, const weft_tensor *want, double *out_bound) {
  *out_bound = 3e-6 * (double)(z.steps + 1) + 2 * m->type->unit;
  return floats_off(got, want, true);
}

static bool by_kernel(const weft_launch_record *launch) {
  return is_kernel(launch, "recurrent");
}

static void all(const char *isa, uint64_t first, uint64_t n, const run_float *type) {
  const kernel_law law = {.make = make, .fill = fill, .off = off, .by_kernel = by_kernel, .type = type};
  kernels_hold(&law, isa, first, n);
}
static void random_ones(const char *isa, uint64_t first, const run_float *type) {
  all(isa, first + check_seed(), (uint64_t)check_cases(ROUNDS), type);
}
EACH_ISA(random_layers, random_ones(isa, first, &run_f32))
EACH_ISA(random_layers_of_f16, random_ones(isa, 6000 + first, &run_f16))
EACH_ISA(random_layers_of_bf16, random_ones(isa, 9000 + first, &run_bf16))

// Large ones: units are shared between blocks, a phase a step; inputs are taken in slices; rows in parts.
static void large(const char *isa) {
  static const sizes each[] = {{0, 1, 3, 1, 5, 800},  {0, 2, 2, 2, 5, 730},  {1, 1, 3, 1, 9, 440},
                               {1, 2, 2, 3, 9, 433},  {2, 1, 4, 1, 3, 370},  {2, 2, 3, 3, 3, 368},
                               {2, 1, 2, 9, 3, 380},  {2, 1, 1, 1, 1500, 5}, {1, 1, 60, 9, 2100, 3},
                               {0, 2, 300, 1, 3, 20}, {2, 1, 0, 1, 3, 400}};
  fixed = each;
  all(isa, 5000, WEFT_COUNT(each), &run_f32);
  fixed = NULL;
}
static void same_weights(const char *isa) {
  static const sizes each[] = {{0, 1, 3, 2, 16, 16}, {1, 1, 3, 2, 16, 16}, {2, 1, 3, 2, 16, 16},
                               {1, 2, 3, 1, 33, 33}, {1, 1, 2, 1, 33, 33}, {1, 1, 3, 9, 5, 5}};
  fixed = each;
  tied = true;
  all(isa, 5000, WEFT_COUNT(each), &run_f32);
  fixed = NULL;
  tied = false;
}
EACH_ISA(one_constant_for_both_weights, ((void)first, same_weights(isa)))
EACH_ISA(large_layers, ((void)first, large(isa)))

#define LAYER(dtype, lengths)                                                               \
  "graph \"g\" {\ninput x: " dtype "[2,2,1]\nconst w: " dtype "[1,1,1]{1}\nconst r: " dtype \
  "[1,1,1]{0.5}\n"                                                                          \
  "const l: i32[2]" lengths "\nnode n: CommonRNN(x, w, r, _, l) {hidden_size=1} -> y, h\noutput y\n}\n"
TEST(a_length_that_is_too_large_is_named) {
  static run_fixture f;
  if (!run_open(&f, LAYER("f32", "{2,3}"), NULL, NULL))
    return;
  const char *got = run_text(&f, "f32[2,2,1]{1,2,3,4}");
  CHECK(strstr(got, "E_RANGE") && strstr(got, "element 1 is 3"));
  run_close(&f);
}
TEST(other_dtypes_stay_with_the_reference) {
  static run_fixture f;
  if (!run_open(&f, LAYER("f64", "{2,1}"), NULL, NULL))
    return;
  RUN_SAME(&f, "f64[2,2,1]{1,2,3,4}");
  run_close(&f);
}
// SPDX-License-Identifier: Apache-2.0
