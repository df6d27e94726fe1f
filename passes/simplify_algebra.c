// simplify_algebra.c - operators that change nothing, or undo each other, are left out. Every rule is exact
// bit for bit, NaN, infinities and the sign of zero included: x + 0 stays for floats, since -0 + 0 is 0,
// while x - 0 and x + -0 go. A rule holds whatever unknown dims turn out to be; formats must agree
// (weft__pass_refuse).
#include "pass/match.h"

#include <math.h>
#include <stdlib.h>

static bool is_minus_zero(const weft_value *v) {
  double x;
  return weft__number(v, &x) && x == 0 && signbit(x);
}
static bool is_plus_zero(const weft_value *v) {
  double x;
  return weft__number(v, &x) && x == 0 && !signbit(x);
}
static bool simplify_algebra_is_float(const weft_value *v) {
  return weft_dtype_is_float(v->fact.dtype);
}

static bool adds_nothing(const weft_value *x, const weft_value *c) {
  return simplify_algebra_is_float(x) ? is_minus_zero(c) : weft__is_number(c, 0);
}
static bool subtracts_nothing(const weft_value *x, const weft_value *c) {
  return simplify_algebra_is_float(x) ? is_plus_zero(c) : weft__is_number(c, 0);
}
static bool multiplies_by_one(const weft_value *x, const weft_value *c) {
  (void)x;
  return weft__is_number(c, 1);
}

// The input that n is equal to when the other one is neutral and broadcasts into it; NULL: no rule holds.
static weft_value *neutral(const weft_node *n, int kind) {
  static bool (*const rules[WEFT_K_COUNT])(const weft_value *x, const weft_value *c) = {
      [WEFT_K_ADD] = adds_nothing,           [WEFT_K_SUB] = subtracts_nothing,
      [WEFT_K_MUL] = multiplies_by_one,      [WEFT_K_DIV] = multiplies_by_one,
      [WEFT_K_REAL_DIV] = multiplies_by_one, [WEFT_K_POW] = multiplies_by_one,
  };
  uint32_t sides = weft__kind_in(kind, WEFT_KINDS_SWAPS) ? 2 : 1;
  for (uint32_t i = 0; i < sides; i++) {
    weft_value *x = weft__arg(n, i);
    weft_value *c = weft__arg(n, 1 - i);
    if (!weft__keeps_shape(&x->fact, &c->fact) || !weft__is_real(x->fact.dtype))
      continue;
    if (rules[kind](x, c))
      return x;
  }
  return NULL;
}

// Does a value of `from` survive in `to`, and mean the same to a further cast?
static bool widens(weft_dtype from, weft_dtype to) {
  const weft_dtype_set to_f32 = WEFT_DT(FLOAT16) | WEFT_DT(BF16) | WEFT_DT(FLOAT);
  if (to == WEFT_DOUBLE)
    return ((to_f32 | WEFT_DT(DOUBLE)) & WEFT_BIT(from)) != 0;
  if (to == WEFT_FLOAT)
    return (to_f32 & WEFT_BIT(from)) != 0;
  if (!(WEFT_SET_INTEGER & WEFT_BIT(from)) || !(WEFT_SET_INTEGER & WEFT_BIT(to)))
    return false;
  uint32_t a = weft_dtype_bits(from);
  uint32_t b = weft_dtype_bits(to);
  bool s = weft_dtype_is_signed(from);
  bool t = weft_dtype_is_signed(to);
  return s == t ? a <= b : !s && a < b;
}
// Integers that a float type holds exactly come back unharmed.
static bool holds_integers(weft_dtype from, weft_dtype to) {
  if (!(WEFT_SET_INTEGER & WEFT_BIT(from)))
    return false;
  uint32_t bits = weft_dtype_bits(from);
  static const struct {
    weft_dtype to;
    uint32_t most_bits;
  } floats[] = {{WEFT_DOUBLE, 32}, {WEFT_FLOAT, 16}, {WEFT_FLOAT16, 8}};
  for (size_t i = 0; i < WEFT_COUNT(floats); i++) {
    if (floats[i].to == to)
      return bits <= floats[i].most_bits;
  }
  return false;
}

// Cast to the dtype x has; Cast(Cast(x)) where the first one loses nothing.
static weft_status simplify_algebra_cast(weft_pass_run *r, weft_node *n) {
  weft_value *v = &n->out[0];
  weft_value *x = weft__arg(n, 0);
  const weft_dtype_set odd = WEFT_DT(STRING) | WEFT_DT(BOOL);
  weft_node *before = weft__made_by(r, x, WEFT_K_CAST);
  if (x->fact.dtype == v->fact.dtype)
    return weft__pass_become(r, n, v, x, "a cast to the dtype it has", NULL);
  if (!before)
    return WEFT_OK;
  weft_value *y = weft__arg(before, 0);
  weft_dtype from = y->fact.dtype;
  weft_dtype mid = x->fact.dtype;
  weft_dtype to = v->fact.dtype;
  if (from == to && (widens(from, mid) || holds_integers(from, mid)))
    return weft__pass_become(r, n, v, y, "casts there and back", NULL);
  if (!widens(from, mid) || (odd & WEFT_BIT(to)))
    return WEFT_OK;
  weft_node *made;
  WEFT_TRY(weft__pass_clone(r, n, n, &y, &made));
  return weft__pass_become(r, n, v, &made->out[0], "one cast instead of two", NULL);
}

static bool undoes_itself(int kind) {
  static const bool all[WEFT_K_COUNT] = {
      [WEFT_K_NEG] = true,
      [WEFT_K_LOGICAL_NOT] = true,
      [WEFT_K_BITWISE_NOT] = true,
      [WEFT_K_INVERT] = true,
  };
  return all[kind];
}
static bool is_idempotent(int kind) {
  static const bool all[WEFT_K_COUNT] = {
      [WEFT_K_ABS] = true,  [WEFT_K_RELU] = true, [WEFT_K_RELU6] = true, [WEFT_K_FLOOR] = true,
      [WEFT_K_CEIL] = true, [WEFT_K_RINT] = true, [WEFT_K_SIGN] = true,
  };
  return all[kind];
}

// A large constant of one number everywhere is that number: nothing large is made or read.
static weft_status lone_number(weft_pass_run *r, weft_node *n) {
  const weft_dtype_set exact = WEFT_DT(FLOAT) | WEFT_DT(FLOAT16) | WEFT_DT(BF16) | WEFT_DT(DOUBLE);
  for (int i = 0; i < 2; i++) {
    weft_value *x = weft__arg(n, i);
    weft_value *c = weft__arg(n, 1 - i);
    weft_value *args[2] = {x, x};
    weft_node *made;
    double number;
    if (c->fact.set && !c->fact.rank)
      continue;
    if (!(exact & WEFT_BIT(c->fact.dtype)) || !weft__keeps_shape(&x->fact, &c->fact))
      continue;
    if (!weft__number(c, &number) || isnan(number))
      continue;
    args[1 - i] = weft__pass_filled(r, n->graph, "number", c->fact.dtype, NULL, 0, number);
    if (!args[1 - i])
      return r->d->status;
    WEFT_TRY(weft__pass_clone(r, n, n, args, &made));
    return weft__pass_become(r, n, &n->out[0], &made->out[0], "one number instead of as many", NULL);
  }
  return WEFT_OK;
}

// Maximum(Maximum(x, c), d) with constants: one with the greater of them; the order of a maximum does not
// matter.
static weft_status extremes(weft_pass_run *r, weft_node *n) {
  int kind = weft__kind(r, n);
  weft_value *a = weft__arg(n, 0);
  weft_value *b = weft__arg(n, 1);
  weft_value *both[2];
  weft_value *made;
  if (a == b)
    return weft__pass_become(r, n, &n->out[0], a, "both sides are the same", NULL);
  for (int i = 0; i < 2; i++) {
    weft_value *inner = i ? b : a;
    weft_value *c = i ? a : b;
    weft_node *m = weft__one_use(inner) ? weft__made_by(r, inner, kind) : NULL;
    if (!m || !weft__is_known(c))
      continue;
    bool second = weft__is_known(weft__arg(m, 1));
    if (!second && !weft__is_known(weft__arg(m, 0)))
      continue;
    both[0] = weft__arg(m, second);
    both[1] = c;
    WEFT_TRY(weft__pass_op(r, n, &(weft__pass_new){.kind = kind, .in = both, .n_in = 2}, &made));
    both[0] = weft__arg(m, !second);
    both[1] = made;
    WEFT_TRY(weft__pass_op(r, n, &(weft__pass_new){.kind = kind, .in = both, .n_in = 2}, &made));
    return weft__pass_become(r, n, &n->out[0], made, "two bounds in one", NULL);
  }
  return lone_number(r, n);
}

// With an inverse that is a normal float, too.
static bool is_power_of_two(double c) {
  int exponent;
  if (!isfinite(c) || fabs(frexp(c, &exponent)) != 0.5)
    return false;
  return abs(exponent) <= 120;
}

// x / c with c a power of two is x * (1/c), exactly.
static weft_status divide(weft_pass_run *r, weft_node *n) {
  double c;
  weft_value *x = weft__arg(n, 0);
  weft_value *d = weft__arg(n, 1);
  weft_value *args[2] = {x};
  weft_value *made;
  bool floats = x->fact.dtype == WEFT_FLOAT && d->fact.dtype == WEFT_FLOAT;
  if (!floats || !weft__number(d, &c) || !is_power_of_two(c))
    return lone_number(r, n);
  args[1] = weft__pass_filled(r, n->graph, "factor", d->fact.dtype, d->fact.dims, d->fact.rank, 1 / c);
  WEFT_TRY(weft__pass_made(r, args[1]));
  WEFT_TRY(weft__pass_op(r, n, &(weft__pass_new){.kind = WEFT_K_MUL, .in = args, .n_in = 2}, &made));
  return weft__pass_become(r, n, &n->out[0], made, "multiplies by the inverse of a power of two", NULL);
}

static bool all_are(const weft_value *v, int64_t want) {
  double x;
  const weft_tensor *t = weft__known(v);
  return t && (!weft_tensor_elems(t) || (weft__number(v, &x) && x == (double)want));
}

// begin 0, step 1, and an end that is the dim or further than any.
static bool whole_slice(const weft_node *n) {
  int64_t begin[WEFT_MAX_RANK];
  int64_t end[WEFT_MAX_RANK];
  int64_t axes[WEFT_MAX_RANK];
  const weft_op_desc *desc = &n->desc.pub;
  const weft_fact *x = &weft__arg(n, 0)->fact;
  weft_value *strides = weft__port_arg(n, 4);
  weft_value *listed = weft__port_arg(n, 3);
  for (uint32_t i = 0; i < 5; i++) {
    if (weft_node_int(desc, i))
      return false;
  }
  if ((strides && !all_are(strides, 1)) || !weft__fact_ranked(x))
    return false;
  if (weft__same_shape(x, &n->out[0].fact) && weft__fact_known(x))
    return true;
  int64_t count = weft__ints(weft__arg(n, 1), begin, WEFT_MAX_RANK);
  if (count < 0 || weft__ints(weft__arg(n, 2), end, WEFT_MAX_RANK) != count)
    return false;
  if (listed && weft__ints(listed, axes, WEFT_MAX_RANK) != count)
    return false;
  for (int64_t i = 0; i < count; i++) {
    int64_t axis = !listed ? i : axes[i] < 0 ? axes[i] + x->rank : axes[i];
    if (axis < 0 || axis >= x->rank || begin[i])
      return false;
    if (end[i] < INT32_MAX && !(x->dims[axis] >= 0 && end[i] >= x->dims[axis]))
      return false;
  }
  return true;
}

// Nothing is dropped when not training, or when nothing is to be dropped.
static bool drops_nothing(const weft_node *n) {
  weft_value *ratio = weft__port_arg(n, 1);
  weft_value *training = weft__port_arg(n, 2);
  const weft_tensor *t = weft__known(training);
  if (!training || (t && weft_tensor_elems(t) == 1 && !weft_load_i64(t->dtype, t->data, 0)))
    return true;
  return ratio && weft__is_number(ratio, 0);
}

// What n is where it is one of its inputs; NULL: it is none.
static weft_value *same_first(const weft_node *n) {
  return weft__arg(n, 0);
}
static weft_value *same_dropout(const weft_node *n) {
  return drops_nothing(n) ? weft__arg(n, 0) : NULL;
}
static weft_value *same_pad(const weft_node *n) {
  return all_are(weft__arg(n, 1), 0) ? weft__arg(n, 0) : NULL;
}
static weft_value *same_strided_slice(const weft_node *n) {
  return whole_slice(n) ? weft__arg(n, 0) : NULL;
}
static weft_value *same_by_shape(const weft_node *n) {
  weft_value *x = weft__arg(n, 0);
  return weft__same_shape(&x->fact, &n->out[0].fact) ? x : NULL;
}
static weft_value *same_tile(const weft_node *n) {
  return all_are(weft__arg(n, 1), 1) ? weft__arg(n, 0) : NULL;
}
static weft_value *same_concat(const weft_node *n) {
  return weft_port_in_count(&n->desc.pub, 0) == 1 ? weft__arg(n, 0) : NULL;
}
static weft_value *same_concat_behind_axis(const weft_node *n) {
  return weft_port_in_count(&n->desc.pub, 1) == 1 ? weft__port_arg(n, 1) : NULL;
}
static weft_value *same_add_n(const weft_node *n) {
  return n->desc.pub.n_in == 1 ? weft__arg(n, 0) : NULL;
}
static weft_value *same_split(const weft_node *n) {
  return n->desc.pub.n_out == 1 ? weft__arg(n, 0) : NULL;
}
static weft_value *same_split_behind_axis(const weft_node *n) {
  return n->desc.pub.n_out == 1 ? weft__arg(n, 1) : NULL;
}

static const struct same_rule {
  weft_value *(*find)(const weft_node *n);
  const char *done;
} same_rules[WEFT_K_COUNT] = {
    [WEFT_K_IDENTITY] = {same_first, "a copy"},
    [WEFT_K_RANDOM_DROPOUT] = {same_dropout, "nothing is dropped"},
    [WEFT_K_PAD] = {same_pad, "pads nothing"},
    [WEFT_K_PAD_V3] = {same_pad, "pads nothing"},
    [WEFT_K_STRIDED_SLICE_V2] = {same_strided_slice, "the whole of it"},
    [WEFT_K_SLICE] = {same_by_shape, "the shape it has"},
    [WEFT_K_EXPAND] = {same_by_shape, "the shape it has"},
    [WEFT_K_BROADCAST_TO] = {same_by_shape, "the shape it has"},
    [WEFT_K_TILE] = {same_tile, "repeats once"},
    [WEFT_K_CONCAT_V2] = {same_concat, "joins one tensor"},
    [WEFT_K_CONCAT_D] = {same_concat, "joins one tensor"},
    [WEFT_K_CONCAT] = {same_concat_behind_axis, "joins one tensor"},
    [WEFT_K_ADD_N] = {same_add_n, "adds one tensor"},
    [WEFT_K_SPLIT] = {same_split_behind_axis, "cuts into one part"},
    [WEFT_K_SPLIT_V] = {same_split, "cuts into one part"},
    [WEFT_K_SPLIT_D] = {same_split, "cuts into one part"},
};

// Operators with a neutral operand: WEFT_K_ADD and its like.
static bool has_neutral(int kind) {
  return weft__kind_in(kind, WEFT_KINDS_SWAPS | WEFT_KINDS_SUB | WEFT_KINDS_DIV) || kind == WEFT_K_POW;
}

// The value that n is, of the operators that may leave their input as it is; *done says why.
static weft_value *same_as(weft_pass_run *r, weft_node *n, int kind, const char **done) {
  weft_value *x = weft__arg(n, 0);
  if (has_neutral(kind)) {
    *done = "the other side is neutral";
    return neutral(n, kind);
  }
  if (same_rules[kind].find) {
    *done = same_rules[kind].done;
    return same_rules[kind].find(n);
  }
  weft_node *before = weft__made_by(r, x, kind);
  if (before && undoes_itself(kind)) {
    *done = "twice is nothing";
    return weft__arg(before, 0);
  }
  if (before && is_idempotent(kind)) {
    *done = "twice is once";
    return x;
  }
  return NULL;
}

// A condition that is the same everywhere.
static weft_status select(weft_pass_run *r, weft_node *n) {
  const weft_tensor *t = weft__known(weft__arg(n, 0));
  int64_t elems = t && t->dtype == WEFT_BOOL ? weft_tensor_elems(t) : 0;
  const uint8_t *c = t ? t->data : NULL;
  for (int64_t i = 1; i < elems; i++) {
    if (!c[i] != !c[0])
      return WEFT_OK;
  }
  if (elems < 1)
    return WEFT_OK;
  weft_value *x = weft__arg(n, c[0] ? 1 : 2);
  weft_value *other = weft__arg(n, c[0] ? 2 : 1);
  if (!weft__keeps_shape(&x->fact, &other->fact) || !weft__keeps_shape(&x->fact, &weft__arg(n, 0)->fact))
    return WEFT_OK;
  return weft__pass_become(r, n, &n->out[0], x, "the condition is known", NULL);
}

// What is tried where the node is none of its inputs.
static weft_status (*const algebra_rules[WEFT_K_COUNT])(weft_pass_run *r, weft_node *n) = {
    [WEFT_K_CAST] = simplify_algebra_cast,
    [WEFT_K_MAXIMUM] = extremes,
    [WEFT_K_MINIMUM] = extremes,
    [WEFT_K_DIV] = divide,
    [WEFT_K_REAL_DIV] = divide,
    [WEFT_K_ADD] = lone_number,
    [WEFT_K_SUB] = lone_number,
    [WEFT_K_MUL] = lone_number,
    [WEFT_K_POW] = lone_number,
    [WEFT_K_SELECT_V2] = select,
};

static weft_status simplify_algebra_visit(weft_pass_run *r, weft_node *n) {
  const char *done = "";
  int kind = weft__kind(r, n);
  if (!kind || !n->desc.pub.n_in || !n->desc.pub.n_out)
    return WEFT_OK;
  weft_value *v = &n->out[0];
  if (!weft__value_read(v))
    return WEFT_OK;
  weft_value *by = same_as(r, n, kind, &done);
  if (by && weft__contents_known(n))
    return weft__pass_become(r, n, v, by, done, NULL);
  if (by || !algebra_rules[kind])
    return WEFT_OK;
  return algebra_rules[kind](r, n);
}

WEFT_PASS(simplify_algebra) = {WEFT_PASS_HEAD, "simplify-algebra", "leaves out what changes nothing, exactly",
                               WEFT_PASS_SIMPLIFY, .visit = simplify_algebra_visit};
// SPDX-License-Identifier: Apache-2.0
