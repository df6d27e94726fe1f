// kernels_attention_test.c - attention by the CPU's kernel on random shapes (dims of 1 and 0, every layout,
// groups of heads, masks, shifts with rows of -inf, bands, numbers that are none), for each instruction set:
// each element within 2e-5 of the interpreter's (values reach 2), more for long heads; the same bits with one
// thread and with several; and by the kernel, not by the reference. Of f16 and bf16 with what rounding costs.
// Where operands may be rounded to bf16, of operands that bf16 holds: then weights alone are rounded.
#include "base/base.h"
#include "maker.h"

enum { ROUNDS = 260 };
static int64_t size;  // of a head

static const char *side(maker *m, char name, int64_t b, int64_t n, int64_t s, int64_t d) {
  static const char *const layouts[] = {"BSH", "BSND", "BNSD", "BNDS"};
  size_t which = pick(m, name == 'k' ? 4 : 3);
  const int64_t dims[4][4] = {{b, s, n * d}, {b, s, n, d}, {b, n, s, d}, {b, n, d, s}};
  put_input(m, (char[]){name, 0}, WEFT_FLOAT, dims[which], which ? 4 : 3);
  return layouts[which];
}

static int64_t dim(maker *m, const int64_t *list, uint64_t n) {
  return pick(m, 30) ? list[pick(m, n)] : 0;
}
#define DIM(m, list) dim(m, list, sizeof list / sizeof *list)

static void operand(maker *m, const char *name, weft_dtype type, int64_t b, int64_t n, int64_t s, int64_t t) {
  bool batched = pick(m, 2);
  const int64_t d[4] = {pick(m, 2) ? b : 1, pick(m, 2) ? n : 1, pick(m, 3) ? s : 1, pick(m, 4) ? t : 1};
  put_input(m, name, type, batched ? d : d + 2, batched ? 4 : 2);
}

static void make(maker *m, uint64_t seed) {
  bool few = seed % 3 == 0;
  static const int64_t batches[] = {1, 1, 2, 3};
  static const int64_t heads[] = {1, 1, 2, 3, 4};
  static const int64_t groups[] = {1, 1, 1, 2, 3};
  static const int64_t queries[] = {1, 2, 5, 13, 14, 15, 29, 37, 64, 130};
  static const int64_t decodes[] = {1, 1, 2, 3};
  static const int64_t keys[] = {1, 2, 3, 7, 16, 31, 32, 33, 65, 128, 255, 257, 300, 520};
  static const int64_t sizes[] = {1, 3, 8, 16, 17, 31, 32, 33, 64, 80};
  static const int64_t big[] = {300, 700};
  maker_begin(m, seed);
  int64_t b = DIM(m, batches);
  int64_t kv = heads[pick(m, 5)];
  int64_t n = kv * groups[pick(m, 5)];
  int64_t s = few ? DIM(m, decodes) : DIM(m, queries);
  int64_t t = DIM(m, keys);
  int64_t d = DIM(m, sizes);
  int64_t v = DIM(m, sizes);
  if (pick(m, 30) == 0)
    d = big[pick(m, 2)];
  size = d;
  put(m, "graph \"g\" {\n");
  const char *lq = side(m, 'q', pick(m, 6) ? b : 1, n, s, d);
  const char *lk = side(m, 'k', pick(m, 6) ? b : 1, kv, t, d);
  const char *lv = side(m, 'v', b, kv, t, v);
  bool shift = pick(m, 2);
  bool mask = pick(m, 2);
  if (shift)
    operand(m, "s", WEFT_FLOAT, b, n, s, t);
  if (mask)
    operand(m, "m", pick(m, 2) ? WEFT_BOOL : WEFT_UINT8, b, n, s, t);
  put(m, "node y: PromptFlashAttention(q, k, v%s%s) {num_heads=%lld, num_key_value_heads=%lld, ",
      shift  ? ", s"
      : mask ? ", _"
             : "",
      mask ? ", m" : "", (long long)n, (long long)kv);
  static const char *const outs[] = {"BSH", "BSND", "BNSD"};
  put(m,
      "scale_value=%g, input_layout=\"%s\", key_layout=\"%s\", value_layout=\"%s\", output_layout=\"%s\", ",
      pick(m, 4) ? 0.25 : -1.5, lq, lk, lv, outs[pick(m, 3)]);
  put(m, "inner_precise=%d, sparse_mode=%d, next_tokens=%d", (int)pick(m, 4),
      pick(m, 2) ? 0 : (int)pick(m, 5), pick(m, 3) ? 2147483647 : (int)pick(m, 20) - 4);
  if (pick(m, 3) == 0)
    put(m, ", pre_tokens=%d", (int)pick(m, 20) - 4);
  if (pick(m, 3) == 0)
    put(m, ", mask_value=-1e9");
  put(m, "} -> y\noutput y\n}\n");
}

static void numbers(maker *m, float *p, int64_t n, bool shift, bool odd) {
  for (int64_t k = 0; k < n; k++)
    p[k] = ((float)pick(m, 2001) - 1000) / 500;
  for (int64_t k = 0; shift && k < n; k++) {
    if (pick(m, 3) == 0)
      p[k] = -INFINITY;
  }
  if (shift && pick(m, 3) == 0)  // whole rows of it
    for (int64_t k = 0; k < n / 2; k++)
      p[k] = -INFINITY;
  static const float odds[] = {INFINITY, -INFINITY, NAN, 30.0f};
  if (odd && n && pick(m, 2))
    p[pick(m, (uint64_t)n)] = odds[pick(m, 4)];
}

static void fill(maker *m, size_t i, weft_tensor *t) {
  int64_t n = weft_tensor_elems(t);
  uint64_t sparse = 1 + pick(m, 4);
  bool odd = m->seed % 4 == 3;
  bool value = i == 2;
  if (t->dtype == WEFT_FLOAT)
    numbers(m, t->data, n, m->in[i].name[0] == 's', odd && !value);
  else {
    for (int64_t k = 0; k < n; k++)
      ((uint8_t *)t->data)[k] = pick(m, 5) >= sparse;
  }
  // A value that is none or infinite reaches y from behind any mask: times a weight of 0 it is NaN, times one
  // that floats do not hold an infinite one stays infinite.
  static const float odds[] = {NAN, INFINITY, -INFINITY};
  size_t kind = pick(m, 3);
  if (value && m->seed % 4 == 1 && n) {
    for (size_t k = 1 + pick(m, 3); k; k--)
      ((float *)t->data)[pick(m, (uint64_t)n)] = odds[kind];
  }
}

static double off(const maker *m, const weft_tensor *got, const weft_tensor *want, double *out_bound) {
  *out_bound = 1e-5 * (2 + (double)size / 20) + 4 * m->type->unit;
  return floats_off(got, want, false);
}

static bool by_kernel(const weft_launch_record *launch) {
  return is_kernel(launch, "attention");
}

static void all(const char *isa, uint64_t first, const run_float *type) {
  const kernel_law law = {.make = make, .fill = fill, .off = off, .by_kernel = by_kernel, .type = type};
  kernels_hold(&law, isa, first + check_seed(), (uint64_t)check_cases(ROUNDS));
}
EACH_ISA(attention, all(isa, first, &run_f32))
EACH_ISA(attention_of_f16, all(isa, 3000 + first, &run_f16))
EACH_ISA(attention_of_bf16, all(isa, 6000 + first, &run_bf16))

// ---- operands rounded to bf16 ----
static void fill_short(maker *m, size_t i, weft_tensor *t) {
  fill(m, i, t);
  if (t->dtype != WEFT_FLOAT || m->in[i].name[0] == 's')
    return;
  float *x = t->data;
  for (int64_t k = 0; k < weft_tensor_elems(t); k++)
    x[k] = rintf(x[k] * 32) / 64;  // scaled, too, 8 bits
}

static double off_short(const maker *m, const weft_tensor *got, const weft_tensor *want, double *out_bound) {
  (void)m;
  *out_bound = 0x1.02p-8 + 1e-5 * (2 + (double)size / 20);  // values are at most 1
  return floats_off(got, want, false);
}

static bool by_either(const weft_launch_record *launch) {  // few rows stay float
  return is_kernel(launch, "attention") || is_kernel(launch, "attention-bf16");
}

static void all_short(const char *isa, uint64_t first) {
  const kernel_law law = {.make = make,
                          .fill = fill_short,
                          .off = off_short,
                          .by_kernel = by_either,
                          .passes = true,
                          .empty_by_any = true,
                          .option = "precision_mode=allow_fp32_to_bf16"};
  static const char *const ways[] = {"0!", "1!"};
  for (size_t i = 0; i < 2; i++) {
    setenv("WEFT_BF16", ways[i], 1);
    kernels_hold(&law, isa, first + i * 500 + check_seed(), (uint64_t)check_cases(ROUNDS));
  }
  unsetenv("WEFT_BF16");
}
EACH_ISA(attention_of_rounded, all_short(isa, 9000 + first))
// SPDX-License-Identifier: Apache-2.0
