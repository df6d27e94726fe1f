// rows_ops_test.c - inner loops over rows, for each instruction set that this machine has.
#include "cpu/rows/rows_ops.h"

#include <math.h>

#include "check.h"

static void each(void (*f)(const weft__rows_ops *v, const char *isa)) {
  f(&weft__rows_ops_plain, "plain");
#if defined(__x86_64__)
  if (weft__cpu_isa(NULL) >= WEFT__ISA_AVX2)
    f(&weft__rows_ops_avx2, "avx2");
  if (weft__cpu_isa(NULL) >= WEFT__ISA_AVX512)
    f(&weft__rows_ops_avx512, "avx512");
#endif
}

// One number of a row that is not below the bound is found wherever it lies.
static void bounds_hold(const weft__rows_ops *v, const char *isa) {
  float x[67];
  static const float odd[] = {4, -4, 5e30f, -INFINITY, NAN};
  for (size_t i = 0; i < WEFT_COUNT(x); i++)
    x[i] = i & 1 ? -3.9999998f : 1e-45f;
  for (size_t n = 0; n <= WEFT_COUNT(x); n++) {
    if (!v->below(x, n, 4))
      check_failed(__FILE__, __LINE__, "%s: %zu numbers are below 4", isa, n);
    for (size_t k = 0; n && k < WEFT_COUNT(odd); k++) {
      size_t at = (n + k * 13) % n;
      float was = x[at];
      x[at] = odd[k];
      if (v->below(x, n, 4))
        check_failed(__FILE__, __LINE__, "%s: %g is not below 4", isa, (double)odd[k]);
      if (v->below(x, n, INFINITY) != (k < 3))
        check_failed(__FILE__, __LINE__, "%s: %g", isa, (double)odd[k]);
      x[at] = was;
    }
  }
}
TEST(rows_below_a_bound) {
  each(bounds_hold);
}
// SPDX-License-Identifier: Apache-2.0
