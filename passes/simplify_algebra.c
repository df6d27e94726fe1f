// simplify_algebra.c - operators that change nothing, or undo each other, are left out. Every rule is exact
// bit for bit, NaN, infinities and the sign of zero included: x + 0 stays for floats, since -0 + 0 is 0,
// while x - 0 and x + -0 go. A rule holds whatever unknown dims turn out to be; formats must agree
// (weft__pass_refuse).
#include "pass/match.h"

#include <math.h>

static bool is_minus_zero(const weft_value *v) {
  double x;
  return weft__number(v, &x) && x == 0 && signbit(x);
}
static bool is_plus_zero(const weft_value *v) {
  double x;
  return weft__number(v, &x) && x == 0 && !signbit(x);
}
static bool is_float(const weft_value *v) {
  return weft_dtype_is_float(v->fact.dtype);
}

// The input that n is equal to when the other one is neutral and broadcasts into it; NULL: no rule holds.
static weft_value *neutral(const weft_node *n, int kind) {
  weft_value *a = weft__arg(n, 0);
  weft_value *b = weft__arg(n, 1);
  bool swaps = kind == WEFT_K_ADD || kind == WEFT_K_MUL;
  for (int i = 0; i < (swaps ? 2 : 1); i++) {
    weft_value *x = i ? b : a;
    weft_value *c = i ? a : b;
    bool holds = false;
    if (!weft__keeps_shape(&x->fact, &c->fact) || !weft__is_real(x->fact.dtype))
      continue;
    switch (kind) {
      case WEFT_K_ADD:
        holds = is_float(x) ? is_minus_zero(c) : weft__is_number(c, 0);
        break;
      case WEFT_K_SUB:
        holds = is_float(x) ? is_plus_zero(c) : weft__is_number(c, 0);
        break;
      default:  // MUL, DIV, REAL_DIV, POW
        holds = weft__is_number(c, 1);
    }
    if (holds)
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
  return to == WEFT_DOUBLE ? bits <= 32 : to == WEFT_FLOAT ? bits <= 16 : to == WEFT_FLOAT16 && bits <= 8;
}

// Cast to the dtype x has; Cast(Cast(x)) where the first one loses nothing.
static weft_status cast(weft_pass_run *r, weft_node *n) {
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
  return kind == WEFT_K_NEG || kind == WEFT_K_LOGICAL_NOT || kind == WEFT_K_BITWISE_NOT ||
         kind == WEFT_K_INVERT;
}
static bool is_idempotent(int kind) {
  return kind == WEFT_K_ABS || kind == WEFT_K_RELU || kind == WEFT_K_RELU6 || kind == WEFT_K_FLOOR ||
         kind == WEFT_K_CEIL || kind == WEFT_K_RINT || kind == WEFT_K_SIGN;
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
static weft_status extremes(weft_pass_run *r, weft_node *n, int kind) {
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
    WEFT_TRY(weft__pass_op(r, n, kind, NULL, 0, both, 2, &made));
    both[0] = weft__arg(m, !second);
    both[1] = made;
    WEFT_TRY(weft__pass_op(r, n, kind, NULL, 0, both, 2, &made));
    return weft__pass_become(r, n, &n->out[0], made, "two bounds in one", NULL);
  }
  return lone_number(r, n);
}

// x / c with c a power of two is x * (1/c), exactly.
static weft_status divide(weft_pass_run *r, weft_node *n) {
  double c;
  int exponent;
  weft_value *x = weft__arg(n, 0);
  weft_value *d = weft__arg(n, 1);
  weft_value *args[2] = {x};
  weft_value *made;
  if (x->fact.dtype != WEFT_FLOAT || d->fact.dtype != WEFT_FLOAT || !weft__number(d, &c) || !isfinite(c) ||
      fabs(frexp(c, &exponent)) != 0.5 || exponent > 120 || exponent < -120)
    return lone_number(r, n);
  args[1] = weft__pass_filled(r, n->graph, "factor", d->fact.dtype, d->fact.dims, d->fact.rank, 1 / c);
  if (!args[1])
    return r->d->status;
  WEFT_TRY(weft__pass_op(r, n, WEFT_K_MUL, NULL, 0, args, 2, &made));
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
  if ((strides && !all_are(strides, 1)) || !x->set || x->unknown_rank)
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

// The value that n is, of the operators that may leave their input as it is; *done says why.
static weft_value *same_as(weft_pass_run *r, weft_node *n, int kind, const char **done) {
  weft_value *x = weft__arg(n, 0);
  const weft_fact *y = &n->out[0].fact;
  switch (kind) {
    case WEFT_K_IDENTITY:
      return *done = "a copy", x;
    case WEFT_K_ADD:
    case WEFT_K_SUB:
    case WEFT_K_MUL:
    case WEFT_K_DIV:
    case WEFT_K_REAL_DIV:
    case WEFT_K_POW:
      return *done = "the other side is neutral", neutral(n, kind);
    case WEFT_K_RANDOM_DROPOUT:
      return *done = "nothing is dropped", drops_nothing(n) ? x : NULL;
    case WEFT_K_PAD:
    case WEFT_K_PAD_V3:
      return *done = "pads nothing", all_are(weft__arg(n, 1), 0) ? x : NULL;
    case WEFT_K_STRIDED_SLICE_V2:
      return *done = "the whole of it", whole_slice(n) ? x : NULL;
    case WEFT_K_SLICE:
    case WEFT_K_EXPAND:
    case WEFT_K_BROADCAST_TO:
      return *done = "the shape it has", weft__same_shape(&x->fact, y) ? x : NULL;
    case WEFT_K_TILE:
      return *done = "repeats once", all_are(weft__arg(n, 1), 1) ? x : NULL;
    case WEFT_K_CONCAT_V2:
    case WEFT_K_CONCAT_D:
      return *done = "joins one tensor", weft_port_in_count(&n->desc.pub, 0) == 1 ? x : NULL;
    case WEFT_K_CONCAT:
      return *done = "joins one tensor",
             weft_port_in_count(&n->desc.pub, 1) == 1 ? weft__port_arg(n, 1) : NULL;
    case WEFT_K_ADD_N:
      return *done = "adds one tensor", n->desc.pub.n_in == 1 ? x : NULL;
    case WEFT_K_SPLIT:
      return *done = "cuts into one part", n->desc.pub.n_out == 1 ? weft__arg(n, 1) : NULL;
    case WEFT_K_SPLIT_V:
    case WEFT_K_SPLIT_D:
      return *done = "cuts into one part", n->desc.pub.n_out == 1 ? x : NULL;
    default:
      break;
  }
  if (undoes_itself(kind) && weft__made_by(r, x, kind))
    return *done = "twice is nothing", weft__arg(x->node, 0);
  if (is_idempotent(kind) && weft__made_by(r, x, kind))
    return *done = "twice is once", x;
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

static weft_status visit(weft_pass_run *r, weft_node *n) {
  const char *done = "";
  int kind = weft__kind(r, n);
  if (!kind || !n->desc.pub.n_in || !n->desc.pub.n_out)
    return WEFT_OK;
  weft_value *v = &n->out[0];
  weft_value *by = same_as(r, n, kind, &done);
  if (!v->uses && !v->n_outputs)
    return WEFT_OK;
  if (by && !weft__contents_known(n))
    return WEFT_OK;
  if (by)
    return weft__pass_become(r, n, v, by, done, NULL);
  switch (kind) {
    case WEFT_K_CAST:
      return cast(r, n);
    case WEFT_K_MAXIMUM:
    case WEFT_K_MINIMUM:
      return extremes(r, n, kind);
    case WEFT_K_DIV:
    case WEFT_K_REAL_DIV:
      return divide(r, n);
    case WEFT_K_ADD:
    case WEFT_K_SUB:
    case WEFT_K_MUL:
    case WEFT_K_POW:
      return lone_number(r, n);
    case WEFT_K_SELECT_V2:
      return select(r, n);
    default:
      return WEFT_OK;
  }
}

WEFT_PASS(simplify_algebra) = {WEFT_PASS_HEAD, "simplify-algebra", "leaves out what changes nothing, exactly",
                               WEFT_PASS_SIMPLIFY, .visit = visit};
// SPDX-License-Identifier: Apache-2.0
