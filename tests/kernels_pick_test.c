// kernels_pick_test.c - ArgMaxV2, ArgMin and TopKV2 of f32 by the CPU's kernels against the interpreter, bit
// for bit, on random shapes along every axis, with NaN of both signs, infinities, both zeros and many equal
// numbers; and NonZero against a plain count, for dtypes of every width and ranks 1 to 4.
#include <stdarg.h>

#include "base/base.h"
#include "run_util.h"

enum { ROUNDS = 250 };

static uint64_t pick(uint64_t *state, uint64_t n) {
  *state = *state * UINT64_C(6364136223846793005) + 1442695040888963407u;
  return (*state >> 33) % n;
}

static float number(uint64_t *state, int kind) {
  static const float odd[] = {NAN, -NAN, INFINITY, -INFINITY, 0.0f, -0.0f, 1.0f, -1.0f, 3e38f, 1e-45f};
  if (kind == 1)
    return (float)pick(state, 5) - 2;  // many equal ones
  if (kind == 2 && pick(state, 4) == 0)
    return odd[pick(state, 10)];
  return ((float)pick(state, 20001) - 10000) / 100;
}

typedef struct picked {
  char text[512];
  int64_t dim[3];
  size_t rank;
} picked;

static void make(picked *p, uint64_t *s, int64_t lane, int64_t k) {
  static const int64_t sizes[] = {1, 1, 2, 3, 7, 31, 33, 64, 65, 130, 300};
  int axis;
  char shape[64];
  p->rank = 1 + pick(s, 3);
  axis = (int)pick(s, p->rank);
  for (size_t i = 0; i < p->rank; i++)
    p->dim[i] = sizes[pick(s, p->rank == 3 ? 7 : 11)];
  if (lane)
    p->dim[axis] = lane;
  if (lane && p->rank == 3)
    p->dim[(axis + 1) % 3] = 1;
  size_t at = 0;
  for (size_t i = 0; i < p->rank; i++)
    at += (size_t)snprintf(shape + at, sizeof shape - at, "%s%lld", i ? "," : "", (long long)p->dim[i]);
  if (pick(s, 3) == 0)
    axis -= (int)p->rank;
  int64_t n = p->dim[axis < 0 ? axis + (int)p->rank : axis];
  if (k < 0)
    k = pick(s, 2) ? (int64_t)pick(s, (uint64_t)WEFT_MIN(n, 6) + 1) : (int64_t)pick(s, (uint64_t)n + 1);
  if (pick(s, 3)) {
    snprintf(
        p->text, sizeof p->text,
        "graph \"g\" {\ninput x: f32[%s]\nconst k: i64[]{%lld}\nnode n: TopKV2(x, k) {dim=%d, largest=%s, "
        "indices_dtype=%d} -> y, i\noutput y output i\n}\n",
        shape, (long long)k, axis, pick(s, 2) ? "true" : "false", pick(s, 2) ? 9 : 3);
  } else {
    snprintf(p->text, sizeof p->text,
             "graph \"g\" {\ninput x: f32[%s]\nconst a: i64[]{%d}\nnode n: %s(x, a) {select_last_index=%s, "
             "keep_dims=%s, dtype=%s} -> y\noutput y\n}\n",
             shape, axis, pick(s, 2) ? "ArgMaxV2" : "ArgMin", pick(s, 2) ? "true" : "false",
             pick(s, 2) ? "true" : "false", pick(s, 2) ? "i64" : "i32");
  }
}

static bool by_kernel(const weft_exec *x) {
  const weft_launch_record *r;
  size_t n = weft_exec_profile(x, &r);
  return n == 1 && strcmp(r[0].kernel, "reference");
}

static bool one_case(run_fixture *f, uint64_t seed, int64_t lane, int64_t k) {
  static picked p;
  const weft_exec_options profile = {.size = sizeof profile, .profile = true};
  uint64_t s = seed * 7919 + 1;
  weft_tensor x;
  const weft_tensor *in = &x;
  make(&p, &s, lane, k);
  if (!run_load(f, p.text, &profile))
    return false;
  weft_tensor_init(&x, NULL);
  bool ok = !weft_tensor_alloc(&x, WEFT_FLOAT, p.dim, p.rank, &f->r.d);
  for (size_t i = 0; ok && i < x.bytes / 4; i++)
    ((float *)x.data)[i] = number(&s, (int)(seed % 3));
  ok = ok && run_same_tensors(f, &in, 1, __FILE__, __LINE__);
  if (ok && !(ok = by_kernel(f->x)))
    check_failed(__FILE__, __LINE__, "not by a kernel");
  if (!ok)
    printf("seed %llu: %s", (unsigned long long)seed, p.text);
  weft_tensor_deinit(&x);
  run_drop(f);
  return ok;
}

static void all(const char *isa, uint64_t first) {
  static run_fixture f;
  int bad = 0;
  memset(&f, 0, sizeof f);
  if (!lower_isa(isa) || !rows_open(&f.r, ""))
    return;
  first += check_seed();
  uint64_t end = first + (uint64_t)check_cases(ROUNDS);
  uint64_t end_of_long = first + (uint64_t)(check_long() ? 24 : 8);
  for (uint64_t seed = first; seed < end && bad < 3; seed++)
    bad += !one_case(&f, seed, 0, -1);
  // long lanes; dividing comes to its limit
  for (uint64_t seed = first; seed < end_of_long && bad < 3; seed++)
    bad += !one_case(&f, seed, seed & 1 ? 3001 : 30000, seed & 2 ? 60 : seed & 4 ? 2900 : 1000);
  rows_close(&f.r);
  unsetenv("WEFT_ISA");
}
TEST(picked_plain) {
  all("plain", 0);
}
TEST(picked_avx2) {
  all("avx2", 1000);
}
TEST(picked_avx512) {
  all("avx512", 2000);
}

// ---- NonZero ----
static bool is_zero(const weft_tensor *x, size_t i) {
  return weft_dtype_is_float(x->dtype) ? weft_load_f64(x->dtype, x->data, i) == 0
                                       : weft_load_i64(x->dtype, x->data, i) == 0;
}

typedef struct shaped {
  int64_t dim[4];
  size_t rank;
} shaped;

// Coordinate k of element i.
static int64_t coordinate(const shaped *a, size_t i, size_t k) {
  for (size_t j = a->rank; --j > k;)
    i /= (size_t)a->dim[j];
  return (int64_t)(i % (size_t)a->dim[k]);
}

static bool right(const weft_tensor *x, const shaped *a, const weft_tensor *y, bool transpose) {
  size_t n = 0;
  size_t at = 0;
  size_t all = (size_t)weft_tensor_elems(x);
  for (size_t i = 0; i < all; i++)
    n += !is_zero(x, i);
  if ((size_t)weft_tensor_elems(y) != a->rank * n)
    return false;
  for (size_t i = 0; i < all; i++) {
    if (is_zero(x, i))
      continue;
    for (size_t k = 0; k < a->rank; k++) {
      if (weft_load_i64(y->dtype, y->data, transpose ? k * n + at : at * a->rank + k) != coordinate(a, i, k))
        return false;
    }
    at++;
  }
  return true;
}

// One element of `few` is not zero.
static void fill_nonzero(weft_tensor *x, uint64_t seed, uint64_t few) {
  for (size_t i = 0; i < (size_t)weft_tensor_elems(x); i++) {
    if (weft_dtype_is_float(x->dtype)) {
      weft_store_f64(x->dtype, x->data, i,
                     pick(&seed, few) ? 0
                     : pick(&seed, 2) ? -0.0
                     : pick(&seed, 2) ? NAN
                                      : 1e-6);
    } else
      weft_store_i64(x->dtype, x->data, i, pick(&seed, few) ? 0 : x->dtype == WEFT_BOOL ? 1 : -128);
  }
}

static void nonzero(run_fixture *f, weft_dtype t, const shaped *a, bool transpose, uint64_t seed) {
  const weft_exec_options profile = {.size = sizeof profile, .profile = true};
  char text[256];
  char shape[64];
  weft_tensor x;
  weft_tensor y;
  weft_tensor *out = &y;
  const weft_tensor *in = &x;
  size_t at = 0;
  for (size_t i = 0; i < a->rank; i++)
    at += (size_t)snprintf(shape + at, sizeof shape - at, "%s%lld", i ? "," : "", (long long)a->dim[i]);
  snprintf(text, sizeof text,
           "graph \"g\" {\ninput x: %s[%s]\nnode n: NonZero(x) {transpose=%s, dtype=%s} -> y\noutput y\n}\n",
           weft_dtype_name(t), shape, transpose ? "true" : "false", seed & 1 ? "i64" : "i32");
  if (!run_load(f, text, &profile))
    return;
  weft_tensor_init(&x, NULL);
  bool ok = !weft_tensor_alloc(&x, t, a->dim, a->rank, &f->r.d);
  for (uint64_t round = 0; ok && round < 2; round++) {  // the second finds another shape by the same plan
    weft_tensor_init(&y, NULL);
    fill_nonzero(&x, seed, round ? 9 : 2);
    ok = !weft_exec_run(f->x, &in, 1, &out, 1, &f->r.d) && right(&x, a, &y, transpose) && by_kernel(f->x);
    weft_tensor_deinit(&y);
  }
  if (!ok)
    check_failed(__FILE__, __LINE__, "%s%s", text, f->r.d.text);
  weft_tensor_deinit(&x);
  run_drop(f);
}

static void nonzeros(const char *isa) {
  static const weft_dtype types[] = {WEFT_BOOL,    WEFT_INT8, WEFT_INT16, WEFT_INT32, WEFT_INT64,
                                     WEFT_FLOAT16, WEFT_BF16, WEFT_FLOAT, WEFT_DOUBLE};
  static const shaped shapes[] = {{{1, 1}, 2},    {{3, 5}, 2},          {{1, 700}, 2},       {{513, 2}, 2},
                                  {{2, 256}, 2},  {{0, 3}, 2},          {{3, 0}, 2},         {{7}, 1},
                                  {{65}, 1},      {{40001}, 1},         {{300, 301}, 2},     {{3, 1, 5}, 3},
                                  {{0, 2, 3}, 3}, {{31, 17, 29, 3}, 4}, {{2, 3, 1, 9999}, 4}};
  static run_fixture f;
  memset(&f, 0, sizeof f);
  if (!lower_isa(isa) || !rows_open(&f.r, ""))
    return;
  for (size_t t = 0; t < WEFT_COUNT(types); t++) {
    for (size_t d = 0; d < WEFT_COUNT(shapes); d++) {
      for (uint64_t k = 0; k < 2; k++)
        nonzero(&f, types[t], &shapes[d], k, t * 100 + d + k * 3);
    }
  }
  rows_close(&f.r);
  unsetenv("WEFT_ISA");
}
TEST(nonzero_plain) {
  nonzeros("plain");
}
TEST(nonzero_avx2) {
  nonzeros("avx2");
}
TEST(nonzero_avx512) {
  nonzeros("avx512");
}
// SPDX-License-Identifier: Apache-2.0
