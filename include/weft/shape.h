// weft/shape.h - shapes with the bits of gert::Shape, and arithmetic on dims that may be unknown or symbolic.
// Shapes are values: copy with weft_shape_copy, which touches only the live dims. Reentrant.
#pragma once
#include "weft/base.h"
#ifdef __cplusplus
extern "C" {
#endif

// A dim: >= 0 known; -1 unknown; below WEFT_DIM_SYMBOL_LIMIT the handle of an expression in a symbol pool.
typedef int64_t weft_dim;
#define WEFT_DIM_UNKNOWN (-1)
#define WEFT_DIM_UNKNOWN_RANK (-2)
#define WEFT_DIM_SYMBOL_LIMIT (-(INT64_C(1) << 32))
#define WEFT_DIM_INVALID INT64_MIN  // what reading outside the rank gives
// The largest dim that inference takes or gives (E_LIMIT): sums and small multiples of dims stay exact.
#define WEFT_DIM_MOST (INT64_C(1) << 52)
enum { WEFT_MAX_RANK = 25 };

typedef struct weft_shape {
  size_t rank;  // WEFT_RANK_UNSET in an output that no inference function has set yet
  weft_dim dim[WEFT_MAX_RANK];
  uint8_t reserved[40];
} weft_shape;  // 248 bytes; an unknown rank is {rank 1, dim -2}
#define WEFT_RANK_UNSET ((size_t)-1)

// Origin: what the model says. Storage: how the bytes lie. gert::StorageShape, 536 bytes.
typedef struct weft_layout {
  weft_shape origin, storage;
  uint8_t reserved[40];
} weft_layout;

// E_LIMIT over 25
WEFT_API WEFT_MUST weft_status weft_shape_init(weft_shape *s, const weft_dim *dims, size_t rank);
WEFT_API void weft_shape_copy(weft_shape *to, const weft_shape *from);  // the rank and its live dims
WEFT_API void weft_shape_set_scalar(weft_shape *s);  // rank 0
WEFT_API void weft_shape_set_unknown_rank(weft_shape *s);  // not even the rank is known
WEFT_API bool weft_shape_is_unknown_rank(const weft_shape *s);  // see weft_shape_set_unknown_rank
WEFT_API bool weft_shape_is_known(const weft_shape *s);           // rank known and every dim >= 0
WEFT_API weft_dim weft_shape_dim(const weft_shape *s, size_t i);  // WEFT_DIM_INVALID outside the rank
WEFT_API WEFT_MUST weft_status weft_shape_set_dim(weft_shape *s, size_t i, weft_dim v);  // E_RANGE outside
// new dims read -1; E_LIMIT over 25
WEFT_API WEFT_MUST weft_status weft_shape_set_rank(weft_shape *s, size_t rank);
// The rank must have been set first (0 to start): appending to an unset output fails with E_STATE.
WEFT_API WEFT_MUST weft_status weft_shape_append(weft_shape *s, weft_dim v);  // E_LIMIT beyond 25
WEFT_API bool weft_shape_equal(const weft_shape *a, const weft_shape *b);  // rank and live dims
// Elements: 1 for a scalar, 0 with any 0 dim, -1 when a dim or the rank is unknown; E_OVERFLOW.
WEFT_API WEFT_MUST weft_status weft_shape_elems(const weft_shape *s, int64_t *out_elems);
struct weft_symbols;
// "[1,3,224,224]", "[]", "[-1,4]", "[?]" for unknown rank, "[unset]"; symbols by name when a pool is given.
WEFT_API const char *weft_shape_text(const weft_shape *s, const struct weft_symbols *p, char *buf,
                                     size_t cap);

// Checked sizes: false on overflow (or a negative count) and *out untouched.
WEFT_API bool weft_mul_size(size_t a, size_t b, size_t *out);  // a * b
WEFT_API bool weft_add_size(size_t a, size_t b, size_t *out);  // a + b

// ---- dims that may be unknown or symbolic ----
// A pool interns expressions, so that equal expressions have equal handles: `==` on dims then means "known
// equal". Every function takes pool NULL: symbols then decay to -1. Results that overflow int64 are -1.
typedef struct weft_symbols weft_symbols;
WEFT_API WEFT_MUST weft_status weft_symbols_create(const weft_allocator *a, weft_symbols **out);  // E_NOMEM
WEFT_API void weft_symbols_destroy(weft_symbols *p);  // NULL allowed; its handles are dead
// A named symbol, e.g. "batch": the same name gives the same handle. Allowed values are min..max (max -1: no
// bound).
WEFT_API weft_dim weft_dim_symbol(weft_symbols *p, const char *name, size_t name_bytes, int64_t min,
                                  int64_t max);
WEFT_API bool weft_dim_is_known(weft_dim d);   // d >= 0
WEFT_API bool weft_dim_is_symbol(weft_dim d);  // d < WEFT_DIM_SYMBOL_LIMIT
WEFT_API weft_dim weft_dim_add(weft_symbols *p, weft_dim a, weft_dim b);  // a + b
WEFT_API weft_dim weft_dim_sub(weft_symbols *p, weft_dim a, weft_dim b);  // a known negative result is -1
WEFT_API weft_dim weft_dim_mul(weft_symbols *p, weft_dim a, weft_dim b);  // a * b
WEFT_API weft_dim weft_dim_floordiv(weft_symbols *p, weft_dim a, int64_t by);  // by >= 1, otherwise -1
WEFT_API weft_dim weft_dim_ceildiv(weft_symbols *p, weft_dim a, int64_t by);  // rounds up; by >= 1
// -1 unless b is known to divide a
WEFT_API weft_dim weft_dim_div_exact(weft_symbols *p, weft_dim a, weft_dim b);
WEFT_API weft_dim weft_dim_max(weft_symbols *p, weft_dim a, weft_dim b);  // the larger one
WEFT_API weft_dim weft_dim_min(weft_symbols *p, weft_dim a, weft_dim b);  // the smaller one
WEFT_API bool weft_dim_same(weft_dim a, weft_dim b);  // known to be equal: same number or same symbol
// Smallest and largest value; max -1: no bound. Unknown: 0, -1.
WEFT_API void weft_dim_bounds(const weft_symbols *p, weft_dim d, int64_t *out_min, int64_t *out_max);
WEFT_API const char *weft_dim_text(const weft_symbols *p, weft_dim d, char *buf, size_t cap);  // "N+5", "-1"
// Reads "12", "-1", "?", "N", "2*N+5"; E_SYNTAX otherwise.
WEFT_API WEFT_MUST weft_status weft_dim_parse(weft_symbols *p, const char *text, size_t bytes, weft_dim *out,
                                              weft_diag *d);
#ifdef __cplusplus
}
#endif
// SPDX-License-Identifier: Apache-2.0
