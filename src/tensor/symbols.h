// symbols.h - the symbolic pool's inside: polynomials over atoms, shared by symbols.c (arithmetic) and
// symbols_text.c. Layer: tensor.
#pragma once
#include "base/base.h"
#include "tensor/scan.h"

// Limits: what goes beyond becomes unknown (-1). They bound time, stack and the length of printed text.
enum {
  WEFT__POLY_TERMS = 24,
  WEFT__POLY_DEGREE = 7,       // with 7 a term has no padding: polynomials are hashed as bytes
  WEFT__SYMBOL_ARGS = 8,       // of max and min
  WEFT__SYMBOL_DEPTH = 16,     // functions inside functions
  WEFT__SYMBOL_NODES = 512,    // of one expression written out as a tree
  WEFT__SYMBOL_NAME = 1024,    // bytes of a name
  WEFT__SYMBOL_POOL = 1 << 24  // expressions and atoms of one pool
};
#define WEFT__MINUS_INF INT64_MIN  // as a lower bound
#define WEFT__PLUS_INF  INT64_MAX  // as an upper bound

enum { WEFT__ATOM_NAME, WEFT__ATOM_FLOORDIV, WEFT__ATOM_MAX, WEFT__ATOM_MIN };

typedef struct weft__atom {
  uint32_t id, depth, nodes;
  uint8_t kind;
  int64_t lo, hi;  // of the value, which may be negative inside an expression
  const char *name;
  size_t name_bytes;
  int64_t by;  // FLOORDIV
  size_t n_args;
  const uint32_t *args;  // expressions
} weft__atom;

// Terms are sorted: higher degree first, then by atoms (graded lexicographic); coefficients are never 0.
typedef struct weft__term {
  int64_t coef;
  uint32_t degree;
  uint32_t atom[WEFT__POLY_DEGREE];  // ascending, a power repeats its atom; unused ones are 0
} weft__term;
_Static_assert(sizeof(weft__term) == 40, "terms are hashed as bytes");
typedef struct weft__poly {
  bool unknown;
  uint32_t n;
  int64_t constant;
  weft__term term[WEFT__POLY_TERMS];
} weft__poly;

typedef struct weft__expr {  // an interned polynomial; constant and terms are its key
  uint32_t index;
  uint32_t depth;
  uint32_t nodes;
  uint32_t n;
  int64_t constant;
  weft__term term[];
} weft__expr;

struct weft_symbols {
  weft_allocator alloc;
  weft_arena arena;
  WEFT_VEC(weft__expr *) exprs;
  WEFT_VEC(weft__atom *) atoms;
  weft_map expr_map, name_map, function_map;
};

void weft__poly_constant(weft__poly *to, int64_t v);
void weft__poly_load(const weft_symbols *p, weft_dim d, weft__poly *to);
void weft__poly_add(weft__poly *to, const weft__poly *from, int64_t times);
void weft__poly_mul(weft__poly *out, const weft__poly *a, const weft__poly *b);  // out is neither a nor b
void weft__poly_add_term(weft__poly *to, const weft__term *t);
void weft__poly_add_times_term(weft__poly *to, const weft__poly *from, const weft__term *by);
bool weft__poly_is_zero(const weft__poly *a);
void weft__expr_bounds(const weft_symbols *p, size_t index, int64_t *out_lo, int64_t *out_hi);
void weft__poly_floordiv(weft_symbols *p, weft__poly *a, int64_t by);
void weft__poly_extremum(weft_symbols *p, uint8_t kind, weft__poly *a,
                         const weft__poly *b);  // a = max or min(a, b)
weft_dim weft__poly_finish(weft_symbols *p, const weft__poly *a);

void weft__dim_append(const weft_symbols *p, weft_dim d, char *buf, size_t cap, size_t *at);
void weft__shape_append(const weft_symbols *p, const weft_shape *s, const char *comma, char *buf, size_t cap,
                        size_t *at);
// What an expression comes to: `value` says what a name is, atom `id` between lo and hi (WEFT__PLUS_INF: no
// bound). False: unknown, negative, or past int64.
typedef int64_t (*weft__name_value_fn)(void *ctx, uint32_t id, int64_t lo, int64_t hi);
bool weft__dim_eval(const weft_symbols *p, weft_dim d, weft__name_value_fn value, void *ctx, int64_t *out);
static inline bool weft__symbol_index(const weft_symbols *p, weft_dim d, size_t *out) {
  uint64_t index = (uint64_t)(WEFT_DIM_SYMBOL_LIMIT - 1) - (uint64_t)d;
  if (!p || d >= WEFT_DIM_SYMBOL_LIMIT || index >= p->exprs.n)
    return false;
  *out = (size_t)index;
  return true;
}
// SPDX-License-Identifier: Apache-2.0
