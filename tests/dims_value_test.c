// Values through inference: literals, symbols and unknown elements, spread and refused. The inference is laid
// out by hand, so that every element can be chosen.
#include "dims_logic.h"

#include "check.h"

enum { UNKNOWN_AT = -7777 };  // stands for WEFT_DIM_INVALID in these tests

typedef struct bench {
  weft_infer it;
  weft_symbols *p;
  weft_shape in[2], out;
  const weft_shape *in_ptr[2];
  weft_shape *out_ptr[1];
  weft_dtype in_dtype[2], out_dtype[1];
  weft_ints in_dims[2];
  weft_dim store[8], *out_dims[1];
  int64_t n;
} bench;

static void set_shape(weft_shape *s, size_t n, bool scalar) {
  s->rank = scalar ? 0 : 1;
  if (!scalar)
    s->dim[0] = (weft_dim)n;
}

static void begin(bench *b) {
  memset(b, 0, sizeof *b);
  CHECK(weft_symbols_create(NULL, &b->p) == WEFT_OK);
}

static void lay(bench *b, weft_dtype t, weft_ints x, weft_ints y) {
  size_t n = x.n == 1 ? y.n : x.n;
  set_shape(&b->in[0], x.n, x.n == 1);
  set_shape(&b->in[1], y.n, y.n == 1);
  set_shape(&b->out, n, false);
  b->in_ptr[0] = &b->in[0];
  b->in_ptr[1] = &b->in[1];
  b->out_ptr[0] = &b->out;
  b->out_dims[0] = b->store;
  b->in_dtype[0] = b->in_dtype[1] = b->out_dtype[0] = t;
  b->in_dims[0] = x;
  b->in_dims[1] = y;
  b->n = -1;
  b->it = (weft_infer){.size = sizeof b->it,
                       .n_in = 2,
                       .n_out = 1,
                       .symbols = b->p,
                       .in = b->in_ptr,
                       .out = b->out_ptr,
                       .in_dtype = b->in_dtype,
                       .out_dtype = b->out_dtype,
                       .in_dims = b->in_dims,
                       .out_dims = b->out_dims,
                       .out_dims_n = &b->n,
                       .out_dims_cap = 8};
}

static int64_t one_of(bench *b, weft_dtype t, weft__dims_op op, int64_t x, int64_t y) {
  lay(b, t, (weft_ints){&x, 1}, (weft_ints){&y, 1});
  CHECK(weft__dims_binary(&b->it, op) == WEFT_OK);
  CHECK(b->n == 1);
  return b->store[0] == WEFT_DIM_INVALID ? UNKNOWN_AT : b->store[0];
}
static int64_t one(bench *b, weft__dims_op op, int64_t x, int64_t y) {
  return one_of(b, WEFT_INT64, op, x, y);
}

TEST(literals) {
  bench b;
  begin(&b);
  CHECK(one(&b, WEFT__DIMS_ADD, 2, -5) == -3);
  CHECK(one(&b, WEFT__DIMS_SUB, 2, 3) == -1);
  CHECK(one(&b, WEFT__DIMS_MUL, -1, 1) == -1);
  CHECK(one(&b, WEFT__DIMS_MAX, -1, -4) == -1);
  CHECK(one(&b, WEFT__DIMS_MIN, -1, -4) == -4);
  CHECK(one(&b, WEFT__DIMS_DIV, -7, 2) == -3);
  CHECK(one(&b, WEFT__DIMS_FLOORDIV, -7, 2) == -4);
  CHECK(one(&b, WEFT__DIMS_FLOORDIV, 7, -2) == -4);
  CHECK(one(&b, WEFT__DIMS_FLOORDIV, -8, -2) == 4);
  weft_symbols_destroy(b.p);
}

TEST(literals_that_do_not_fit) {
  bench b;
  begin(&b);
  CHECK(one(&b, WEFT__DIMS_DIV, 1, 0) == UNKNOWN_AT);
  CHECK(one(&b, WEFT__DIMS_FLOORDIV, 1, 0) == UNKNOWN_AT);
  CHECK(one(&b, WEFT__DIMS_ADD, INT64_MAX, 1) == UNKNOWN_AT);              // wraps below -2^32
  CHECK(one(&b, WEFT__DIMS_ADD, WEFT_DIM_SYMBOL_LIMIT, 1) == UNKNOWN_AT);  // stands for all smaller ones
  CHECK(one(&b, WEFT__DIMS_SUB, WEFT_DIM_SYMBOL_LIMIT + 1, 1) == UNKNOWN_AT);
  CHECK(one(&b, WEFT__DIMS_ADD, WEFT_DIM_INVALID, 1) == UNKNOWN_AT);
  CHECK(one(&b, WEFT__DIMS_MUL, 0, WEFT_DIM_INVALID) == UNKNOWN_AT);
  CHECK(one_of(&b, WEFT_INT32, WEFT__DIMS_ADD, INT32_MAX, 1) == INT32_MIN);
  CHECK(one_of(&b, WEFT_INT32, WEFT__DIMS_DIV, INT32_MIN, -1) == INT32_MIN);
  weft_symbols_destroy(b.p);
}

TEST(symbols) {
  bench b;
  begin(&b);
  weft_dim n = weft_dim_symbol(b.p, "N", 1, 1, -1);
  weft_dim m = weft_dim_symbol(b.p, "M", 1, 0, 100);
  CHECK(weft_dim_is_symbol(n) && weft_dim_is_symbol(m));
  CHECK(one(&b, WEFT__DIMS_ADD, n, 5) == weft_dim_add(b.p, n, 5));
  CHECK(one(&b, WEFT__DIMS_ADD, -1, n) == weft_dim_sub(b.p, n, 1));
  CHECK(one(&b, WEFT__DIMS_SUB, n, -3) == weft_dim_add(b.p, n, 3));
  CHECK(one(&b, WEFT__DIMS_SUB, n, n) == 0);
  CHECK(one(&b, WEFT__DIMS_SUB, -3, n) == UNKNOWN_AT);
  CHECK(one(&b, WEFT__DIMS_MUL, n, m) == weft_dim_mul(b.p, n, m));
  CHECK(one(&b, WEFT__DIMS_MUL, n, -2) == UNKNOWN_AT);
  CHECK(one(&b, WEFT__DIMS_DIV, weft_dim_mul(b.p, n, 4), 2) == weft_dim_mul(b.p, n, 2));
  CHECK(one(&b, WEFT__DIMS_FLOORDIV, weft_dim_mul(b.p, n, m), n) == m);
  CHECK(one(&b, WEFT__DIMS_MAX, n, -1) == n);
  CHECK(one(&b, WEFT__DIMS_MIN, n, -1) == -1);
  // N - 5 may be negative: truncation differs from floor there
  weft_dim less = weft_dim_sub(b.p, n, 5);
  CHECK(one(&b, WEFT__DIMS_DIV, less, 2) == UNKNOWN_AT);
  CHECK(one(&b, WEFT__DIMS_FLOORDIV, less, 2) == weft_dim_floordiv(b.p, less, 2));
  CHECK(one(&b, WEFT__DIMS_MAX, less, -1) == UNKNOWN_AT);
  b.it.symbols = NULL;
  weft_symbols_destroy(b.p);
}

TEST(spread_and_refused) {
  bench b;
  int64_t v[3] = {1, WEFT_DIM_INVALID, 3};
  int64_t two[2] = {4, 5};
  int64_t s = 10;
  int64_t none = 0;
  begin(&b);
  lay(&b, WEFT_INT32, (weft_ints){v, 3}, (weft_ints){&s, 1});
  CHECK(weft__dims_binary(&b.it, WEFT__DIMS_SUB) == WEFT_OK);
  CHECK(b.n == 3 && b.store[0] == -9 && b.store[1] == WEFT_DIM_INVALID && b.store[2] == -7);
  lay(&b, WEFT_INT64, (weft_ints){&s, 1}, (weft_ints){&none, 0});
  CHECK(weft__dims_binary(&b.it, WEFT__DIMS_SUB) == WEFT_OK && b.n == 0);
  lay(&b, WEFT_INT64, (weft_ints){v, 3}, (weft_ints){two, 2});
  CHECK(weft__dims_binary(&b.it, WEFT__DIMS_SUB) == WEFT_OK && b.n == -1);
  lay(&b, WEFT_INT64, (weft_ints){v, 3}, (weft_ints){NULL, 0});
  CHECK(weft__dims_binary(&b.it, WEFT__DIMS_SUB) == WEFT_OK && b.n == -1);
  lay(&b, WEFT_FLOAT, (weft_ints){v, 3}, (weft_ints){&s, 1});
  CHECK(weft__dims_binary(&b.it, WEFT__DIMS_SUB) == WEFT_OK && b.n == -1);
  lay(&b, WEFT_INT64, (weft_ints){two, 2}, (weft_ints){two, 2});
  // [2,1] and [2] give [2,2]
  b.in[0].rank = 2;
  b.in[0].dim[0] = 2;
  b.in[0].dim[1] = 1;
  b.out.rank = 2;
  b.out.dim[0] = b.out.dim[1] = 2;
  CHECK(weft__dims_binary(&b.it, WEFT__DIMS_ADD) == WEFT_OK && b.n == -1);
  lay(&b, WEFT_INT64, (weft_ints){v, 3}, (weft_ints){v, 3});
  b.it.out_dims_cap = 2;
  CHECK(weft__dims_binary(&b.it, WEFT__DIMS_ADD) == WEFT_OK && b.n == -1);
  weft_symbols_destroy(b.p);
}

TEST(neg_and_copy) {
  bench b;
  begin(&b);
  weft_dim n = weft_dim_symbol(b.p, "N", 1, 0, -1);
  int64_t v[4] = {INT64_C(1) << 32, n, WEFT_DIM_INVALID, -5};
  int64_t unit = 1;
  lay(&b, WEFT_INT64, (weft_ints){v, 4}, (weft_ints){&unit, 1});
  b.out_dtype[0] = WEFT_INT32;
  CHECK(weft__dims_copy(&b.it) == WEFT_OK);
  CHECK(b.n == 4 && b.store[0] == 0 && b.store[1] == n && b.store[2] == WEFT_DIM_INVALID && b.store[3] == -5);
  lay(&b, WEFT_INT64, (weft_ints){v, 4}, (weft_ints){&unit, 1});
  CHECK(weft__dims_neg(&b.it) == WEFT_OK);
  CHECK(b.n == 4 && b.store[0] == WEFT_DIM_INVALID && b.store[1] == WEFT_DIM_INVALID && b.store[3] == 5);
  b.out_dtype[0] = WEFT_BOOL;
  b.n = -1;
  CHECK(weft__dims_copy(&b.it) == WEFT_OK && b.n == -1);
  weft_symbols_destroy(b.p);
}

// ---- comparisons, choices, reductions ----
static int64_t asked(bench *b, int64_t x, int64_t y, bool lt, bool eq, bool gt) {
  lay(b, WEFT_INT64, (weft_ints){&x, 1}, (weft_ints){&y, 1});
  b->out_dtype[0] = WEFT_BOOL;
  CHECK(weft__dims_compare(&b->it, lt, eq, gt) == WEFT_OK);
  CHECK(b->n == 1);
  return b->store[0] == WEFT_DIM_INVALID ? UNKNOWN_AT : b->store[0];
}

TEST(comparisons_are_known_where_bounds_say_so) {
  bench b;
  begin(&b);
  int64_t n = weft_dim_symbol(b.p, "N", 1, 2, 8);
  int64_t m = weft_dim_symbol(b.p, "M", 1, 8, -1);
  CHECK_INT(asked(&b, n, -1, false, true, false), 0);
  CHECK_INT(asked(&b, -1, n, true, false, true), 1);
  CHECK_INT(asked(&b, n, 9, true, false, false), 1);
  CHECK_INT(asked(&b, n, 8, true, false, false), UNKNOWN_AT);
  CHECK_INT(asked(&b, n, 8, true, true, false), 1);
  CHECK_INT(asked(&b, n, n, false, true, false), 1);
  CHECK_INT(asked(&b, m, n, false, true, true), 1);
  CHECK_INT(asked(&b, m, n, false, true, false), UNKNOWN_AT);
  CHECK_INT(asked(&b, 3, 4, true, false, false), 1);
  CHECK_INT(asked(&b, WEFT_DIM_INVALID, 4, true, false, false), UNKNOWN_AT);
  weft_symbols_destroy(b.p);
}

TEST(products_of_dims_are_expressions) {
  bench b;
  begin(&b);
  int64_t n = weft_dim_symbol(b.p, "N", 1, 2, 8);
  int64_t none = 1;
  int64_t v[3] = {n, 4, 2};
  char text[32];
  lay(&b, WEFT_INT64, (weft_ints){v, 3}, (weft_ints){&none, 1});
  set_shape(&b.out, 1, false);
  CHECK(weft__dims_fold(&b.it, WEFT__DIMS_MUL) == WEFT_OK);
  CHECK_INT(b.n, 1);
  CHECK_STR(weft_dim_text(b.p, b.store[0], text, sizeof text), "8*N");
  set_shape(&b.out, 3, false);  // nothing is reduced
  b.n = -1;
  CHECK(weft__dims_fold(&b.it, WEFT__DIMS_MUL) == WEFT_OK);
  CHECK_INT(b.n, -1);
  weft_symbols_destroy(b.p);
}
// SPDX-License-Identifier: Apache-2.0
