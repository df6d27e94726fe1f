// bf16_case.c - see bf16_case.h.
#include "bf16_case.h"

#include <stdarg.h>

#include "base/base.h"

bf16_case bf16;
const char bf16_mode[] = "precision_mode=allow_fp32_to_bf16";

uint64_t bf16_pick(uint64_t n) {
  bf16.state = bf16.state * UINT64_C(6364136223846793005) + 1442695040888963407u;
  return (bf16.state >> 33) % n;
}
float bf16_unit(void) {
  return ((float)bf16_pick(200001) - 100000) / 100000;
}
void bf16_put(const char *fmt, ...) {
  va_list v;
  va_start(v, fmt);
  bf16.n += (size_t)vsnprintf(bf16.text + bf16.n, BF16_TEXT - bf16.n, fmt, v);
  va_end(v);
}

// Numbers of a kind.
static float number(int kind, size_t i) {
  static float before;
  switch (kind) {
    case TIES:
      return 1 + 1.0f / 256 + 1.0f / 65536;
    case CANCEL:
      return before = i % 2 ? -before * (1 + 1e-5f) : bf16_unit() * 100;
    case WIDE:
      return ldexpf(bf16_unit(), (int)bf16_pick(61) - 30);
    case DENORMAL:
      return bf16_pick(2) ? ldexpf(bf16_unit(), -130 - (int)bf16_pick(15))
                          : ldexpf(bf16_unit(), (int)bf16_pick(20) - 60);
    case LARGE:  // the sum of two is too large for float; many round to infinity in bf16
      return bf16_pick(3) ? bf16_unit() * 1e-3f
                          : (bf16_pick(2) ? 1 : -1) * (3.3953e38f + (float)bf16_pick(100) * 7e33f);
    default:
      return bf16_unit();
  }
}
void bf16_fill(float *to, size_t n, int kind) {
  for (size_t i = 0; i < n; i++)
    to[i] = number(kind, i);
  if (kind != INFINITE)
    return;
  for (size_t i = 0; i < n; i++) {
    if (to[i] == 0)
      to[i] = 0.5f;
  }
  for (int i = 0; i < 2 && n; i++)
    to[bf16_pick(n)] = bf16_pick(3) ? INFINITY : bf16_pick(2) ? -INFINITY : NAN;
}

int bf16_beside(int kind) {  // of the other operand
  return kind == LARGE ? RANDOM : kind;
}

// Of each kind of numbers. In memory that is mapped for each run (guard_pages.cmake) a case takes longer, and
// what it looks for does not depend on the numbers; nor on the threads, as each kernel is run by hand.
#ifdef WEFT_GUARDED
enum { CASES = 5, OTHERS = 0 };
#else
enum { CASES = 20, OTHERS = 2 };
#endif

// ---- running ----
bool bf16_open(rows *r, const char *option, bool packed, bf16_graph *g) {
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
  weft_status s = weft_graph_parse(r->env, bf16.text, bf16.n, "test", &parsed, &r->d);
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
void bf16_close(bf16_graph *g) {
  weft_exec_destroy(g->one);
  weft_exec_destroy(g->two);
  weft_exec_destroy(g->seven);
  weft_program_release(g->p);
}

size_t bf16_runs_of(const weft_exec *x, const char *kernel) {
  const weft_launch_record *r;
  size_t n = weft_exec_profile(x, &r);
  size_t found = 0;
  for (size_t i = 0; i < n; i++)
    found += strstr(r[i].kernel, kernel) != NULL;
  return found;
}

bool bf16_run(rows *r, bf16_graph *g, const weft_tensor *const *in, size_t n_in, weft_tensor *out) {
  weft_exec *others[2] = {g->two, g->seven};
  weft_tensor_init(out, NULL);
  weft_status s = weft_exec_run(g->one, in, n_in, &out, 1, &r->d);
  bool same = !s;
  for (int i = 0; i < OTHERS && same; i++) {
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

void bf16_put_const(char name, const char *shape, const float *x, size_t n) {
  bf16_put("const %c: f32[%s]{", name, shape);
  for (size_t i = 0; i < n; i++)
    bf16_put("%s%.9g", i ? "," : "", (double)x[i]);
  bf16_put("}\n");
}
bool bf16_borrow(weft_tensor *t, const float *x, const weft_dim *dim, size_t rank) {
  size_t n = 1;
  for (size_t i = 0; i < rank; i++)
    n *= (size_t)dim[i];
  weft_tensor_init(t, NULL);
  return !weft_tensor_borrow(t, WEFT_FLOAT, dim, rank, (void *)(uintptr_t)x, n * sizeof *x, NULL);
}

void bf16_all(bf16_way w, bool (*one)(rows *r, int kind), uint64_t seed) {
  rows r;
  int bad = 0;
  int kinds = w.parts > 1 ? KINDS + 1 : KINDS;
  bf16.way = w;
  setenv("WEFT_BF16", w.bf16, 1);
  if (lower_isa(w.isa) && rows_open(&r, "")) {
    bf16.state = seed + check_seed();
    int n = check_cases(CASES) * kinds;
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

bf16_way bf16_vectors(const char *isa, const char *set) {
  return (bf16_way){isa, set, bf16_mode, "gemm-bf16", "blocked-conv-bf16", 0};
}
bf16_way bf16_tiles(const char *option, int parts) {
  return (bf16_way){"amx-emulated", "0", option, "gemm-amx", "blocked-conv-amx", parts};
}
// SPDX-License-Identifier: Apache-2.0
