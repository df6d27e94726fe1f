// symbols_test.c - symbolic dims: interning, laws, bounds, text both ways, limits, hostile text, failing
// memory.
#include "check.h"
#include "weft/shape.h"

static weft_symbols *pool(void) {
  weft_symbols *p = NULL;
  CHECK_INT(weft_symbols_create(NULL, &p), WEFT_OK);
  return p;
}

static weft_dim sym(weft_symbols *p, const char *name) {
  return weft_dim_symbol(p, name, strlen(name), 0, -1);
}

static weft_dim parse(weft_symbols *p, const char *s) {
  weft_dim v = -77;
  weft_diag d = {0};
  weft_status st = weft_dim_parse(p, s, strlen(s), &v, &d);
  if (st)
    check_failed(__FILE__, __LINE__, "'%s' gave %s", s, d.text);
  return v;
}

static const char *text(weft_symbols *p, weft_dim v) {
  static char buf[8192];
  return weft_dim_text(p, v, buf, sizeof buf);
}

#define CHECK_BOUNDS(v, lo, hi)          \
  do {                                   \
    int64_t min, max;                    \
    weft_dim_bounds(p, (v), &min, &max); \
    CHECK_INT(min, lo);                  \
    CHECK_INT(max, hi);                  \
  } while (0)

TEST(plain_numbers) {
  CHECK_INT(weft_dim_add(NULL, 2, 3), 5);
  CHECK_INT(weft_dim_add(NULL, INT64_MAX, 1), -1);
  CHECK_INT(weft_dim_sub(NULL, 3, 2), 1);
  CHECK_INT(weft_dim_sub(NULL, 2, 3), -1);
  CHECK_INT(weft_dim_mul(NULL, 6, 7), 42);
  CHECK_INT(weft_dim_mul(NULL, INT64_C(1) << 32, INT64_C(1) << 32), -1);
  CHECK_INT(weft_dim_mul(NULL, -1, 0), 0);
  CHECK_INT(weft_dim_mul(NULL, 0, -1), 0);
  CHECK_INT(weft_dim_mul(NULL, -1, 3), -1);
  CHECK_INT(weft_dim_floordiv(NULL, 7, 2), 3);
  CHECK_INT(weft_dim_floordiv(NULL, 7, 0), -1);
  CHECK_INT(weft_dim_ceildiv(NULL, 7, 2), 4);
  CHECK_INT(weft_dim_ceildiv(NULL, INT64_MAX, 2), INT64_MAX / 2 + 1);
  CHECK_INT(weft_dim_ceildiv(NULL, 7, -2), -1);
  CHECK_INT(weft_dim_div_exact(NULL, 12, 4), 3);
  CHECK_INT(weft_dim_div_exact(NULL, 12, 5), -1);
  CHECK_INT(weft_dim_div_exact(NULL, 12, 0), -1);
  CHECK_INT(weft_dim_max(NULL, 3, 4), 4);
  CHECK_INT(weft_dim_min(NULL, 3, 4), 3);
  CHECK_INT(weft_dim_max(NULL, 3, -1), -1);
}

TEST(without_pool_symbols_decay) {
  weft_symbols *p = pool();
  weft_dim n = sym(p, "N");
  CHECK(weft_dim_is_symbol(n));
  CHECK(n == WEFT_DIM_SYMBOL_LIMIT - 1);  // the first expression of the pool
  CHECK_INT(sym(NULL, "N"), -1);
  CHECK_INT(weft_dim_add(NULL, n, 1), -1);
  CHECK_INT(weft_dim_sub(NULL, n, n), -1);
  CHECK_INT(weft_dim_mul(NULL, n, 2), -1);
  CHECK_INT(weft_dim_mul(NULL, n, 0), 0);
  CHECK_INT(weft_dim_floordiv(NULL, n, 2), -1);
  CHECK_INT(weft_dim_ceildiv(NULL, n, 2), -1);
  CHECK_INT(weft_dim_div_exact(NULL, n, n), -1);
  CHECK_INT(weft_dim_max(NULL, n, n), -1);
  CHECK_INT(weft_dim_min(NULL, n, 1), -1);
  CHECK_INT(parse(NULL, "2*N+5"), -1);
  CHECK_INT(parse(NULL, "2*3+5"), 11);
  CHECK_INT(parse(NULL, "max(floordiv(7,2),2)"), 3);
  CHECK_STR(text(NULL, n), "-1");
  int64_t lo;
  int64_t hi;
  weft_dim_bounds(NULL, n, &lo, &hi);
  CHECK_INT(lo, 0);
  CHECK_INT(hi, -1);
  weft_symbols_destroy(p);
  weft_symbols_destroy(NULL);
}

TEST(interned) {
  weft_symbols *p = pool();
  weft_dim n = sym(p, "N");
  weft_dim m = sym(p, "M");
  CHECK(n == sym(p, "N"));
  CHECK(n != m);
  CHECK(weft_dim_same(n, n) && !weft_dim_same(n, m) && weft_dim_same(3, 3) && !weft_dim_same(-1, -1));
  CHECK(weft_dim_add(p, n, 5) == weft_dim_add(p, 5, n));
  CHECK(weft_dim_mul(p, n, m) == weft_dim_mul(p, m, n));
  CHECK(weft_dim_sub(p, weft_dim_add(p, n, 5), 5) == n);
  CHECK_INT(weft_dim_sub(p, n, n), 0);
  CHECK_INT(weft_dim_div_exact(p, n, n), 1);
  // (N+1)*(M+1) - N*M - N - M = 1
  weft_dim v = weft_dim_mul(p, weft_dim_add(p, n, 1), weft_dim_add(p, m, 1));
  v = weft_dim_sub(p, weft_dim_sub(p, weft_dim_sub(p, v, weft_dim_mul(p, n, m)), n), m);
  CHECK_INT(v, 1);
  CHECK(weft_dim_mul(p, n, 1) == n);
  CHECK_INT(weft_dim_mul(p, n, 0), 0);
  CHECK(weft_dim_add(p, n, -1) == -1);
  CHECK(weft_dim_add(p, n, WEFT_DIM_SYMBOL_LIMIT - 1000) == -1);  // a handle of no pool
  CHECK(weft_dim_add(p, n, WEFT_DIM_INVALID) == -1);
  weft_symbols_destroy(p);
}

TEST(division) {
  weft_symbols *p = pool();
  weft_dim n = sym(p, "N");
  weft_dim m = sym(p, "M");
  weft_dim h = sym(p, "H");
  CHECK(weft_dim_floordiv(p, weft_dim_mul(p, n, 6), 3) == weft_dim_mul(p, n, 2));
  CHECK(weft_dim_ceildiv(p, n, 2) == weft_dim_floordiv(p, weft_dim_add(p, n, 1), 2));
  CHECK(weft_dim_floordiv(p, weft_dim_floordiv(p, n, 2), 3) == weft_dim_floordiv(p, n, 6));
  // a strided convolution: floor((H + 2 - 3) / 2) + 1
  weft_dim out = weft_dim_add(p, weft_dim_floordiv(p, weft_dim_sub(p, weft_dim_add(p, h, 2), 3), 2), 1);
  CHECK_STR(text(p, out), "floordiv(H+1,2)");
  CHECK(weft_dim_floordiv(p, weft_dim_add(p, weft_dim_mul(p, n, 4), h), 4) ==
        weft_dim_add(p, n, weft_dim_floordiv(p, h, 4)));
  weft_dim nm = weft_dim_mul(p, n, m);
  CHECK(weft_dim_div_exact(p, nm, n) == m);
  CHECK(weft_dim_div_exact(p, weft_dim_mul(p, nm, 12), weft_dim_mul(p, m, 4)) == weft_dim_mul(p, n, 3));
  CHECK(weft_dim_div_exact(p, weft_dim_add(p, nm, n), weft_dim_add(p, m, 1)) == n);
  CHECK_INT(weft_dim_div_exact(p, n, m), -1);
  CHECK_INT(weft_dim_div_exact(p, n, 2), -1);
  CHECK_INT(weft_dim_div_exact(p, 12, n), -1);
  CHECK_INT(weft_dim_div_exact(p, weft_dim_mul(p, n, 6), n), 6);
  CHECK_INT(weft_dim_div_exact(p, n, 0), -1);
  CHECK_INT(weft_dim_floordiv(p, weft_dim_symbol(p, "small", 5, 0, 3), 4), 0);
  weft_symbols_destroy(p);
}

TEST(extrema) {
  weft_symbols *p = pool();
  weft_dim n = sym(p, "N");
  weft_dim one = weft_dim_symbol(p, "B", 1, 1, 64);
  CHECK_STR(text(p, weft_dim_max(p, n, 1)), "max(N,1)");
  CHECK(weft_dim_max(p, n, 1) == weft_dim_max(p, 1, n));
  CHECK(weft_dim_max(p, one, 1) == one);
  CHECK_INT(weft_dim_min(p, one, 1), 1);
  CHECK_INT(weft_dim_max(p, one, 64), 64);
  CHECK(weft_dim_max(p, n, n) == n);
  CHECK(weft_dim_max(p, n, weft_dim_add(p, n, 3)) == weft_dim_add(p, n, 3));
  CHECK(weft_dim_max(p, weft_dim_max(p, n, one), 70) == weft_dim_max(p, n, weft_dim_max(p, 70, one)));
  CHECK(weft_dim_max(p, weft_dim_max(p, n, one), n) == weft_dim_max(p, n, one));
  // a difference may be negative inside an expression: it is no proof that it is at least 0
  weft_dim low = weft_dim_sub(p, n, 5);
  CHECK_STR(text(p, weft_dim_max(p, low, 0)), "max(N-5,0)");
  weft_symbols_destroy(p);
}

TEST(bounds) {
  weft_symbols *p = pool();
  weft_dim n = weft_dim_symbol(p, "N", 1, 1, 64);
  weft_dim u = sym(p, "U");
  CHECK_BOUNDS(7, 7, 7);
  CHECK_BOUNDS(-1, 0, -1);
  CHECK_BOUNDS(n, 1, 64);
  CHECK_BOUNDS(u, 0, -1);
  CHECK_BOUNDS(weft_dim_add(p, weft_dim_mul(p, n, 2), 5), 7, 133);
  CHECK_BOUNDS(weft_dim_sub(p, 70, n), 6, 69);
  CHECK_BOUNDS(weft_dim_sub(p, n, 5), 0, 59);
  CHECK_BOUNDS(weft_dim_mul(p, n, n), 1, 4096);
  CHECK_BOUNDS(weft_dim_floordiv(p, weft_dim_add(p, n, 1), 2), 1, 32);
  CHECK_BOUNDS(weft_dim_max(p, n, u), 1, -1);
  CHECK_BOUNDS(weft_dim_min(p, n, u), 0, 64);
  CHECK_BOUNDS(weft_dim_mul(p, n, u), 0, -1);
  CHECK_BOUNDS(weft_dim_sub(p, n, u), 0, 64);
  weft_dim wide = weft_dim_symbol(p, "W", 1, 0, INT64_MAX / 2);
  CHECK_BOUNDS(weft_dim_mul(p, wide, 4), 0, -1);
  CHECK_INT(weft_dim_sub(p, weft_dim_symbol(p, "S", 1, 0, 3), 4), -1);  // known to be negative
  // a name used again narrows; a contradiction leaves the first range
  CHECK(weft_dim_symbol(p, "N", 1, 8, 100) == n);
  CHECK_BOUNDS(n, 8, 64);
  CHECK(weft_dim_symbol(p, "N", 1, 100, -1) == n);
  CHECK_BOUNDS(n, 8, 64);
  CHECK_INT(weft_dim_symbol(p, "X", 1, 5, 4), -1);
  CHECK_INT(weft_dim_symbol(p, "X", 1, -5, 4), -1);
  CHECK_INT(weft_dim_symbol(p, "X", 0, 0, 4), -1);
  weft_symbols_destroy(p);
}

TEST(text_round_trip) {
  static const char *const same[] = {"N",
                                     "N+5",
                                     "2*seq",
                                     "floordiv(H+1,2)",
                                     "max(N,1)",
                                     "N-5",
                                     "-N+70",
                                     "2*N*M+N+M+1",
                                     "min(N,M,7)",
                                     "max(floordiv(N,3),min(M,4))",
                                     "\"a b\"",
                                     "\"x\\\"y\"+1",
                                     "N*N",
                                     "floordiv(N-M,2)",
                                     "batch_size",
                                     "max",
                                     "9223372036854775807*N"};
  weft_symbols *p = pool();
  sym(p, "N");
  sym(p, "M");
  for (size_t i = 0; i < sizeof same / sizeof *same; i++) {
    weft_dim v = parse(p, same[i]);
    CHECK_STR(text(p, v), same[i]);
    CHECK(parse(p, text(p, v)) == v);
  }
  CHECK(parse(p, " 2 * (N + M) - N ") == parse(p, "N+2*M"));
  CHECK(parse(p, "ceildiv(N,2)") == parse(p, "floordiv(N+1,2)"));
  CHECK(parse(p, "\"N\"") == sym(p, "N"));
  CHECK_INT(parse(p, "12"), 12);
  CHECK_INT(parse(p, "-1"), -1);
  CHECK_INT(parse(p, " ? "), -1);
  CHECK_INT(parse(p, "N-N+4"), 4);
  CHECK_INT(parse(p, "9223372036854775807"), INT64_MAX);
  CHECK_INT(parse(p, "9223372036854775807*2"), -1);
  weft_symbols_destroy(p);
}

TEST(bad_text) {
  static const char *const bad[] = {"",
                                    " ",
                                    "-2",
                                    "-5",
                                    "3-5",
                                    "N+",
                                    "+N",
                                    "2**N",
                                    "N N",
                                    "(N",
                                    "N)",
                                    "floordiv(N,0)",
                                    "floordiv(N,M)",
                                    "floordiv(N)",
                                    "max(N",
                                    "max()",
                                    "99999999999999999999",
                                    "1.5",
                                    "\"N",
                                    "\"\"",
                                    "??",
                                    "N?",
                                    "floordiv(N,-1)",
                                    "2N"};
  weft_symbols *p = pool();
  weft_dim v = -77;
  for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
    weft_diag d = {0};
    if (weft_dim_parse(p, bad[i], strlen(bad[i]), &v, &d) != WEFT_E_SYNTAX)
      check_failed(__FILE__, __LINE__, "'%s' was read as %s", bad[i], text(p, v));
    CHECK_HAS(d.text, "dim, byte ");
  }
  char deep[4096];
  memset(deep, '(', sizeof deep);
  CHECK_FAILS(weft_dim_parse(p, deep, sizeof deep, &v, NULL), WEFT_E_SYNTAX);
  CHECK_INT(v, -77);
  weft_symbols_destroy(p);
}

TEST(limits_become_unknown) {
  weft_symbols *p = pool();
  weft_dim sum = 0;
  weft_dim product = 1;
  weft_dim nested = sym(p, "N");
  for (int i = 0; i < 40; i++) {
    char name[16];
    snprintf(name, sizeof name, "s%d", i);
    sum = sum < -1 || sum >= 0 ? weft_dim_add(p, sum, sym(p, name)) : sum;
    product = weft_dim_mul(p, product, sym(p, name));
  }
  CHECK_INT(sum, -1);
  CHECK_INT(product, -1);
  for (int i = 0; i < 40; i++)
    nested = weft_dim_max(p, weft_dim_floordiv(p, nested, 3), weft_dim_sub(p, nested, i + 1));
  CHECK_INT(nested, -1);
  // sharing must not make the text explode: f(x)*f(x) nested
  weft_dim wide = sym(p, "W");
  size_t longest = 0;
  for (int i = 0; i < 30 && wide < -1; i++) {
    longest = strlen(text(p, wide)) > longest ? strlen(text(p, wide)) : longest;
    wide = weft_dim_floordiv(p, weft_dim_add(p, weft_dim_mul(p, wide, wide), 1), 3);
  }
  CHECK_INT(wide, -1);
  CHECK(longest < 8000);
  CHECK_INT(weft_dim_mul(p, parse(p, "9223372036854775807*N"), 2), -1);
  weft_symbols_destroy(p);
}

// The value of a polynomial under numbers, by parsing it with the names replaced.
static int64_t value(weft_symbols *p, weft_dim v, int64_t n, int64_t m) {
  char in[8192];
  char out[16384];
  size_t at = 0;
  weft_dim_text(p, v, in, sizeof in);
  for (size_t i = 0; in[i]; i++) {
    if (in[i] == 'N')
      at += (size_t)sprintf(out + at, "%lld", (long long)n);
    else if (in[i] == 'M')
      at += (size_t)sprintf(out + at, "%lld", (long long)m);
    else
      out[at++] = in[i];
  }
  weft_dim r = -77;
  return weft_dim_parse(p, out, at, &r, NULL) ? -1 : r;
}

// Symbolic arithmetic agrees with plain arithmetic wherever the plain result exists and stays inside the
// bounds.
TEST(law_agrees_with_numbers) {
  weft_symbols *p = pool();
  uint32_t seed = 12345;
  for (int round = 0; round < 400; round++) {
    int64_t n = round % 9;
    int64_t m = round % 7;
    int64_t x = n;
    int64_t y = m;
    weft_dim a = weft_dim_symbol(p, "N", 1, 0, 8);
    weft_dim b = weft_dim_symbol(p, "M", 1, 0, 6);
    for (int step = 0; step < 5 && a != -1 && x != -1; step++) {
      seed = seed * 1664525 + 1013904223;
      int64_t k = 1 + (seed >> 8) % 4;
      switch ((seed >> 24) % 7) {
        case 0:
          a = weft_dim_add(p, a, b);
          x = weft_dim_add(NULL, x, y);
          break;
        case 1:
          a = weft_dim_mul(p, a, k);
          x = weft_dim_mul(NULL, x, k);
          break;
        case 2:
          a = weft_dim_floordiv(p, a, k);
          x = weft_dim_floordiv(NULL, x, k);
          break;
        case 3:
          a = weft_dim_ceildiv(p, a, k);
          x = weft_dim_ceildiv(NULL, x, k);
          break;
        case 4:
          a = weft_dim_max(p, a, b);
          x = weft_dim_max(NULL, x, y);
          break;
        case 5:
          a = weft_dim_min(p, a, weft_dim_add(p, b, k));
          x = weft_dim_min(NULL, x, y + k);
          break;
        default:
          a = weft_dim_sub(p, a, k);
          x = weft_dim_sub(NULL, x, k);
          break;
      }
    }
    if (a == -1 || x == -1)
      continue;
    int64_t lo;
    int64_t hi;
    int64_t got = value(p, a, n, m);
    if (got != x) {
      check_failed(__FILE__, __LINE__, "%s at N=%d M=%d is %d, expected %d", text(p, a), (int)n, (int)m,
                   (int)got, (int)x);
    }
    weft_dim_bounds(p, a, &lo, &hi);
    if (x < lo || (hi >= 0 && x > hi))
      check_failed(__FILE__, __LINE__, "%s: %d outside its bounds", text(p, a), (int)x);
    weft_dim again = parse(p, text(p, a));
    if (again != a) {
      char first[1024];
      snprintf(first, sizeof first, "%s", text(p, a));
      check_failed(__FILE__, __LINE__, "%s reads as %s", first, text(p, again));
    }
  }
  weft_symbols_destroy(p);
}

TEST(every_allocation_failed_once) {
  for (long i = 1;; i++) {
    check_alloc c = {.fail_at = i};
    weft_allocator a = check_allocator(&c);
    weft_symbols *p = NULL;
    if (!weft_symbols_create(&a, &p)) {
      weft_dim v = -1;
      char t[] = "max(floordiv(N+M,2),\"q x\"*N)+3";
      if (!weft_dim_parse(p, t, strlen(t), &v, NULL) && v != -1)
        CHECK_STR(text(p, v), "max(floordiv(N+M,2),N*\"q x\")+3");
      weft_symbols_destroy(p);
    }
    CHECK_INT(c.live_blocks, 0);
    CHECK_INT(c.live_bytes, 0);
    if (c.calls < i)
      break;
  }
}
// SPDX-License-Identifier: Apache-2.0
