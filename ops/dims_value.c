// dims_value.c - see dims_value.h. An element is a literal, a symbol handle or WEFT_DIM_INVALID for unknown.
// The literal -2^32 stands for everything up to it, and results that low could be taken for handles: both are
// unknown here. A literal -1 is the number, but weft_dim_* mean "unknown" by it, so negative literals never
// reach them.
#include "dims_value.h"

#include "op/proto.h"
#include "tensor/symbols.h"

// A result as the type wraps it; too low to be told from a symbol's handle: unknown.
static int64_t literal(weft_dtype t, uint64_t wrapped) {
  int64_t v = t == WEFT_INT32 ? (int64_t)(int32_t)(uint32_t)wrapped : (int64_t)wrapped;
  return v > WEFT_DIM_SYMBOL_LIMIT ? v : WEFT_DIM_INVALID;
}

static bool unknown(int64_t v) {
  return v == WEFT_DIM_INVALID || v == WEFT_DIM_SYMBOL_LIMIT;
}

static int64_t two_literals(weft__dims_op op, weft_dtype t, int64_t a, int64_t b) {
  switch (op) {
    case WEFT__DIMS_ADD:
      return literal(t, (uint64_t)a + (uint64_t)b);
    case WEFT__DIMS_SUB:
      return literal(t, (uint64_t)a - (uint64_t)b);
    case WEFT__DIMS_MUL:
      return literal(t, (uint64_t)a * (uint64_t)b);
    case WEFT__DIMS_MAX:
      return WEFT_MAX(a, b);
    case WEFT__DIMS_MIN:
      return WEFT_MIN(a, b);
    default:
      break;
  }
  if (b == 0)
    return WEFT_DIM_INVALID;
  if (b == -1)  // C's division of the smallest number traps
    return literal(t, 0 - (uint64_t)a);
  const bool cut_upwards = a % b != 0 && (a < 0) != (b < 0);  // C cuts towards 0
  return op == WEFT__DIMS_FLOORDIV && cut_upwards ? a / b - 1 : a / b;
}

static bool never_negative(const weft_symbols *p, int64_t symbol) {
  size_t index;
  int64_t lo;
  int64_t hi;
  if (!p || !weft__symbol_index(p, symbol, &index))
    return false;
  weft__expr_bounds(p, index, &lo, &hi);
  return lo >= 0;
}

// Result of weft_dim_*: -1 is "unknown" there.
static int64_t of_dim(weft_dim d) {
  return d == WEFT_DIM_UNKNOWN ? WEFT_DIM_INVALID : d;
}

// A symbol with a literal v below 0, which weft_dim_* do not take; `swapped`: v comes first.
static int64_t symbol_and_negative(weft__dims_op op, weft_symbols *p, int64_t symbol, int64_t v,
                                   bool swapped) {
  switch (op) {
    case WEFT__DIMS_ADD:
      return of_dim(weft_dim_sub(p, symbol, -v));
    case WEFT__DIMS_SUB:
      return swapped ? WEFT_DIM_INVALID : of_dim(weft_dim_add(p, symbol, -v));
    case WEFT__DIMS_MAX:
      return never_negative(p, symbol) ? symbol : WEFT_DIM_INVALID;
    case WEFT__DIMS_MIN:
      return never_negative(p, symbol) ? v : WEFT_DIM_INVALID;
    default:
      return WEFT_DIM_INVALID;
  }
}

// At least one is a symbol. weft_dim_floordiv rounds down, as Div does where nothing is negative.
static int64_t divide(weft__dims_op op, weft_symbols *p, int64_t a, int64_t b) {
  if (weft_dim_is_symbol(b))
    return never_negative(p, b) ? of_dim(weft_dim_div_exact(p, a, b)) : WEFT_DIM_INVALID;
  const bool rounds_down = op != WEFT__DIMS_DIV || never_negative(p, a);
  if (b < 1 || !rounds_down)
    return WEFT_DIM_INVALID;
  return of_dim(weft_dim_floordiv(p, a, b));
}

int64_t weft__dims_pair(weft__dims_op op, weft_symbols *p, weft_dtype t, int64_t a, int64_t b) {
  if (unknown(a) || unknown(b))
    return WEFT_DIM_INVALID;
  bool a_is_symbol = weft_dim_is_symbol(a);
  bool b_is_symbol = weft_dim_is_symbol(b);
  if (!a_is_symbol && !b_is_symbol)
    return two_literals(op, t, a, b);
  if (!a_is_symbol && a < 0)
    return symbol_and_negative(op, p, b, a, true);
  if (!b_is_symbol && b < 0)
    return symbol_and_negative(op, p, a, b, false);
  switch (op) {
    case WEFT__DIMS_ADD:
      return of_dim(weft_dim_add(p, a, b));
    case WEFT__DIMS_SUB:
      return of_dim(weft_dim_sub(p, a, b));
    case WEFT__DIMS_MUL:
      return of_dim(weft_dim_mul(p, a, b));
    case WEFT__DIMS_MAX:
      return of_dim(weft_dim_max(p, a, b));
    case WEFT__DIMS_MIN:
      return of_dim(weft_dim_min(p, a, b));
    default:
      return divide(op, p, a, b);
  }
}

bool weft__dims_is_index(weft_dtype t) {
  return t == WEFT_INT32 || t == WEFT_INT64;
}

bool weft__dims_at_most_vector(const weft_shape *s) {
  return !weft_shape_is_unknown_rank(s) && s->rank <= 1;
}

bool weft__dims_given(const weft_infer *it, uint32_t i) {
  return it->in_dims[i].v && weft__dims_is_index(it->in_dtype[i]);
}

bool weft__dims_hold(const weft_infer *it, size_t n) {
  int64_t elems;
  if (n > it->out_dims_cap || weft_shape_elems(it->out[0], &elems))
    return false;
  return elems == (int64_t)n;
}

// May `n` elements be the value of output 0, of an index type?
static bool can_hold(const weft_infer *it, size_t n) {
  return weft__dims_is_index(it->out_dtype[0]) && weft__dims_hold(it, n);
}

// Does a literal of the result wrap? ONNX's data propagation refuses that. Literals are above -2^32, so that
// -b exists.
static bool wraps(weft__dims_op op, weft_dtype t, int64_t a, int64_t b) {
  if (unknown(a) || unknown(b) || weft_dim_is_symbol(a) || weft_dim_is_symbol(b))
    return false;
  int64_t v = 0;
  bool fits = true;
  if (op == WEFT__DIMS_ADD)
    fits = weft__add_i64(a, b, &v);
  else if (op == WEFT__DIMS_SUB)
    fits = weft__add_i64(a, -b, &v);
  else if (op == WEFT__DIMS_MUL)
    fits = weft__mul_i64(a, b, &v);
  return !fits || (t == WEFT_INT32 && v != (int32_t)v);
}

// A run wraps, so that known values do; where declarations are binding (weft_env_options.strict_shapes), they
// are wrong.
static weft_status check_wrap(const weft_infer *it, weft__dims_op op, size_t k, int64_t a, int64_t b) {
  static const char *const signs[] = {[WEFT__DIMS_ADD] = "+", [WEFT__DIMS_SUB] = "-", [WEFT__DIMS_MUL] = "*"};
  const bool strict = weft__infer_options(it)->strict_shapes;
  if (!strict || !wraps(op, it->out_dtype[0], a, b))
    return WEFT_OK;
  return weft_fail(it->d, WEFT_E_OVERFLOW, "element %zu: %lld %s %lld does not fit %s", k, (long long)a,
                   signs[op], (long long)b, weft_dtype_serial(it->out_dtype[0]));
}

weft_status weft__dims_binary(weft_infer *it, weft__dims_op op) {
  weft_ints a = it->in_dims[0];
  weft_ints b = it->in_dims[1];
  if (!weft__dims_given(it, 0) || !weft__dims_given(it, 1))
    return WEFT_OK;
  // One element goes with each of the other's, whatever the ranks; otherwise two vectors, pair by pair. What
  // broadcasts in another way has a value that is not kept.
  const bool spread = a.n == 1 || b.n == 1;
  const bool vectors = weft__dims_at_most_vector(it->in[0]) && weft__dims_at_most_vector(it->in[1]);
  const bool pairs = vectors && a.n == b.n;
  const size_t n = a.n == 1 ? b.n : a.n;
  if (!spread && !pairs)
    return WEFT_OK;
  if (!can_hold(it, n))
    return WEFT_OK;
  for (size_t k = 0; k < n; k++) {
    int64_t x = a.v[a.n == 1 ? 0 : k];
    int64_t y = b.v[b.n == 1 ? 0 : k];
    WEFT_TRY(check_wrap(it, op, k, x, y));
    it->out_dims[0][k] = weft__dims_pair(op, it->symbols, it->out_dtype[0], x, y);
  }
  *it->out_dims_n = (int64_t)n;
  return WEFT_OK;
}

weft_status weft__dims_neg(weft_infer *it) {
  weft_ints x = it->in_dims[0];
  if (!weft__dims_given(it, 0) || !can_hold(it, x.n))
    return WEFT_OK;
  for (size_t k = 0; k < x.n; k++) {
    bool number = !unknown(x.v[k]) && !weft_dim_is_symbol(x.v[k]);
    it->out_dims[0][k] = number ? literal(it->out_dtype[0], 0 - (uint64_t)x.v[k]) : WEFT_DIM_INVALID;
  }
  *it->out_dims_n = (int64_t)x.n;
  return WEFT_OK;
}

static int64_t copied(weft_dtype t, int64_t v) {
  if (unknown(v))
    return WEFT_DIM_INVALID;
  return weft_dim_is_symbol(v) ? v : literal(t, (uint64_t)v);
}

weft_status weft__dims_copy(weft_infer *it) {
  weft_ints x = it->in_dims[0];
  if (!weft__dims_given(it, 0) || !can_hold(it, x.n))
    return WEFT_OK;
  for (size_t k = 0; k < x.n; k++) {
    const int64_t v = x.v[k];
    it->out_dims[0][k] = copied(it->out_dtype[0], v);
  }
  *it->out_dims_n = (int64_t)x.n;
  return WEFT_OK;
}
// SPDX-License-Identifier: Apache-2.0
