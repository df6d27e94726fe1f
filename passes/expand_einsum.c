// expand_einsum.c - Einsum becomes what it is made of: sums over axes that one operand has alone, products of
// two operands at a time (BatchMatMulV2, or Mul where nothing is summed over), transposes and views, so that
// packing, fusion, attention and bf16 get to see it. Of three operands or more the order that multiplies
// least is taken. Integers of 32 and 64 bits keep every bit; floats are rounded once for each sum and
// product, where Einsum rounds once in all, and an infinity that meets a 0 or another infinity may give NaN
// in one and not in the other. Halves that would be rounded more than once are computed in f32. Left:
// diagonals of unknown length, unknown ranks, more letters than a tensor has axes, and axes that are summed
// over together when nobody knows whether one of them has size 1 and is broadcast.
#include "contract.h"
#include "base/allocated.h"
#include "einsum.rule.h"
#include "op_slots.h"

enum { MOST = 16, EXHAUSTIVE = 6 };

typedef struct einsum {
  weft__contraction c;
  size_t n;
  weft__operand x[MOST], y;  // y without a value
  uint64_t stays;            // labels of y
  const char *why;           // it is left
} einsum;

static const char *const many_letters = "more than 23 letters, or 16 operands";

// ---- reading ----

typedef struct names {  // labels of the equation in the order they are met
  uint8_t of[WEFT_EINSUM_LABELS];
  size_t n;
} names;

static bool take_label(names *t, uint8_t label, uint8_t *out) {
  for (size_t i = 0; i < t->n; i++) {
    if (t->of[i] == label)
      return *out = (uint8_t)i, true;
  }
  if (t->n == WEFT__LABELS)
    return false;
  t->of[t->n] = label;
  *out = (uint8_t)t->n++;
  return true;
}

static bool take_term(names *t, const weft_einsum_term *term, weft__operand *x) {
  x->rank = term->rank;
  for (size_t k = 0; k < term->rank; k++) {
    if (!take_label(t, term->label[k], &x->label[k]))
      return false;
  }
  return true;
}

static weft_status read_operand(einsum *e, names *t, const char *equation, size_t i, int64_t *dots) {
  weft__operand *x = &e->x[i];
  weft_einsum_term term;
  weft_shape s;
  x->v = weft__arg(e->c.at, (uint32_t)i);
  if (!weft__is_tensor(x->v) || x->v->fact.unknown_rank)
    return e->why = "an operand's rank is not known", WEFT_OK;
  weft__fact_shape(&x->v->fact, &s);
  *dots = WEFT_MAX(*dots, weft__einsum_ellipsis(equation, i, &s));
  WEFT_TRY(weft__einsum_term(e->c.r->d, equation, i, &s, &term));
  if (!take_term(t, &term, x))
    return e->why = many_letters, WEFT_OK;
  for (size_t k = 0; k < x->rank; k++) {
    weft_dim *d = &e->c.dim[x->label[k]];
    if (s.dim[k] != 1 && (*d == 1 || *d == -1 || s.dim[k] >= 0))
      *d = s.dim[k];
  }
  return WEFT_OK;
}

static weft_status read_equation(einsum *e) {
  const char *equation = weft_node_str(&e->c.at->desc.pub, WEFT_SLOT_EINSUM_EQUATION);
  names t = {0};
  weft_einsum_term term;
  int64_t dots = 0;
  for (size_t k = 0; k < WEFT__LABELS; k++)
    e->c.dim[k] = 1;
  for (size_t i = 0; i < e->n && !e->why; i++)
    WEFT_TRY(read_operand(e, &t, equation, i, &dots));
  if (e->why)
    return WEFT_OK;
  WEFT_TRY(weft__einsum_output(e->c.r->d, equation, e->n, dots, &term));
  if (!take_term(&t, &term, &e->y))
    e->why = many_letters;
  e->stays = weft__operand_labels(&e->y);
  return WEFT_OK;
}

// An axis of size 1 that is longer elsewhere: it is as good as absent.
static bool is_broadcast(const einsum *e, const weft__operand *x, size_t k) {
  return x->v->fact.dims[k] == 1 && e->c.dim[x->label[k]] != 1;
}

// Axes that products sum over must be equal in all operands that have them.
static const char *bad_sums(const einsum *e) {
  const weft_dim none = WEFT_DIM_INVALID;
  for (uint8_t l = 0; l < WEFT__LABELS; l++) {
    weft_dim first = none;
    for (size_t i = 0; i < e->n && !(e->stays >> l & 1); i++) {
      for (size_t k = 0; k < e->x[i].rank; k++) {
        if (e->x[i].label[k] != l || is_broadcast(e, &e->x[i], k))
          continue;
        weft_dim d = e->x[i].v->fact.dims[k];
        if (first != none && !weft_dim_same(d, first))
          return "an axis that is summed over may be broadcast: its dims are not known to be equal";
        first = d;
      }
    }
  }
  return NULL;
}

// The axis in front of k with the same label; k: there is none.
static size_t same_before(const weft__operand *x, size_t k) {
  for (size_t j = 0; j < k; j++) {
    if (x->label[j] == x->label[k])
      return j;
  }
  return k;
}

static const char *bad_diagonals(const einsum *e) {
  for (size_t i = 0; i < e->n; i++) {
    for (size_t k = 0; k < e->x[i].rank; k++) {
      if (same_before(&e->x[i], k) < k && e->c.dim[e->x[i].label[k]] < 0)
        return "a letter twice in one operand: the length of a diagonal is not known";
    }
  }
  return NULL;
}

static const char *bad_type(const einsum *e) {
  const uint64_t can = WEFT_FLOATS | WEFT_DT(INT32) | WEFT_DT(INT64) | WEFT_DT(UINT32) | WEFT_DT(UINT64);
  return e->n == 1 || (can & WEFT_BIT(e->x[0].v->fact.dtype)) ? NULL
                                                              : "there is no product of these integers";
}

// ---- each operand by itself ----

static weft_status expand_einsum_cast(const einsum *e, weft_value **v, weft_dtype to) {
  weft_named_attr attr = {"dst_type", weft_attr_int(to)};
  return weft__pass_op(
      e->c.r, e->c.at,
      &(weft__pass_new){.kind = WEFT_K_CAST, .attrs = &attr, .n_attrs = 1, .in = v, .n_in = 1}, v);
}

// Axes of an operand, by position: which it loses; those that stay keep their order.
static size_t lose(weft__operand *x, const bool *gone, int64_t *out_axes) {
  size_t n = 0;
  size_t rank = x->rank;
  x->rank = 0;
  for (size_t k = 0; k < rank; k++) {
    if (gone[k])
      out_axes[n++] = (int64_t)k;
    else
      x->label[x->rank++] = x->label[k];
  }
  return n;
}

static weft_status drop_broadcast(const einsum *e, weft__operand *x) {
  bool gone[WEFT_MAX_RANK];
  int64_t axes[WEFT_MAX_RANK];
  for (size_t k = 0; k < x->rank; k++)
    gone[k] = is_broadcast(e, x, k);
  size_t n = lose(x, gone, axes);
  weft_named_attr attr = {"axis", weft_attr_ints(axes, n)};
  return n ? weft__pass_op(e->c.r, e->c.at,
                           &(weft__pass_new){
                               .kind = WEFT_K_SQUEEZE, .attrs = &attr, .n_attrs = 1, .in = &x->v, .n_in = 1},
                           &x->v)
           : WEFT_OK;
}

// Two axes of one label become one of n * n elements, of which every (n + 1)th is on the diagonal.
static weft_status take_diagonal(const einsum *e, weft__operand *x, size_t j, size_t k) {
  weft_pass_run *r = e->c.r;
  weft_node *at = e->c.at;
  uint8_t perm[WEFT_MAX_RANK];
  size_t n = 0;
  for (size_t i = 0; i < x->rank; i++) {
    if (i != k)
      perm[n++] = (uint8_t)i;
    if (i == j)
      perm[n++] = (uint8_t)k;
  }
  if (k != j + 1)
    WEFT_TRY(weft__pass_transpose(r, at, x->v, perm, x->rank, &x->v));
  memmove(x->label + k, x->label + k + 1, --x->rank - k);
  weft_named_attr both[2] = {{"axis", weft_attr_int((int64_t)j)},
                             {"end_axis", weft_attr_int((int64_t)j + 1)}};
  WEFT_TRY(weft__pass_op(
      r, at,
      &(weft__pass_new){.kind = WEFT_K_FLATTEN_V2, .attrs = both, .n_attrs = 2, .in = &x->v, .n_in = 1},
      &x->v));
  // begin, end, axes, strides; the end is clamped
  const int64_t length = e->c.dim[x->label[j]];
  const int64_t cut[4] = {0, INT64_MAX, (int64_t)j, length + 1};
  weft_value *in[5] = {x->v};
  for (size_t i = 0; i < 4; i++) {
    if (!(in[1 + i] = weft__pass_ints(r, at->graph, "diagonal", &cut[i], 1)))
      return r->d->status;
  }
  return weft__pass_op(r, at, &(weft__pass_new){.kind = WEFT_K_STRIDED_SLICE_V2, .in = in, .n_in = 5}, &x->v);
}

static weft_status take_diagonals(const einsum *e, weft__operand *x) {
  for (size_t k = 0; k < x->rank;) {
    size_t j = same_before(x, k);
    if (j < k)
      WEFT_TRY(take_diagonal(e, x, j, k));
    else
      k++;
  }
  return WEFT_OK;
}

// Labels that are neither in `others` nor in the result.
static bool is_alone(const einsum *e, uint64_t others, uint8_t label) {
  return !((e->stays | others) >> label & 1);
}
static uint64_t labels_of_others(const einsum *e, size_t i) {
  uint64_t set = 0;
  for (size_t k = 0; k < e->n; k++) {
    if (k != i)
      set |= weft__operand_labels(&e->x[k]);
  }
  return set;
}
static bool sums_alone(const einsum *e, size_t i) {
  uint64_t others = labels_of_others(e, i);
  for (size_t k = 0; k < e->x[i].rank; k++) {
    if (is_alone(e, others, e->x[i].label[k]))
      return true;
  }
  return false;
}

static weft_status sum_alone(einsum *e, size_t i) {
  weft__operand *x = &e->x[i];
  uint64_t others = labels_of_others(e, i);
  bool gone[WEFT_MAX_RANK];
  int64_t axes[WEFT_MAX_RANK];
  for (size_t k = 0; k < x->rank; k++)
    gone[k] = is_alone(e, others, x->label[k]);
  size_t n = lose(x, gone, axes);
  if (!n)
    return WEFT_OK;
  weft_value *in[2] = {x->v, weft__pass_ints(e->c.r, e->c.at->graph, "axes", axes, n)};
  if (!in[1])
    return e->c.r->d->status;
  return weft__pass_op(e->c.r, e->c.at, &(weft__pass_new){.kind = WEFT_K_REDUCE_SUM, .in = in, .n_in = 2},
                       &x->v);
}

// ---- the order of products ----

typedef struct pair {
  size_t a, b;
  double cost;
} pair;

static uint64_t kept(uint64_t stays, const uint64_t *set, size_t n, size_t a, size_t b) {
  for (size_t i = 0; i < n; i++) {
    if (i != a && i != b)
      stays |= set[i];
  }
  return stays;
}

// The two that should be multiplied first: with the least work in all, or by themselves when there are many.
static pair first_pair(const einsum *e, const uint64_t *set, size_t n) {
  pair best = {0, 1, 1e300};
  uint64_t rest[MOST];
  for (size_t a = 0; a < n; a++) {
    for (size_t b = a + 1; b < n; b++) {
      size_t m = 0;
      double cost = weft__labels_size(&e->c, set[a] | set[b]);
      rest[m++] = (set[a] | set[b]) & kept(e->stays, set, n, a, b);
      for (size_t i = 0; i < n; i++) {
        if (i != a && i != b)
          rest[m++] = set[i];
      }
      if (m > 1 && n <= EXHAUSTIVE)
        cost += first_pair(e, rest, m).cost;
      if (cost < best.cost)
        best = (pair){a, b, cost};
    }
  }
  return best;
}

static weft_status multiply(einsum *e) {
  while (e->n > 1) {
    uint64_t set[MOST];
    for (size_t i = 0; i < e->n; i++)
      set[i] = weft__operand_labels(&e->x[i]);
    pair p = first_pair(e, set, e->n);
    uint64_t keep = kept(e->stays, set, e->n, p.a, p.b);
    weft__operand made;
    WEFT_TRY(weft__contract(&e->c, &e->x[p.a], &e->x[p.b], keep, e->n == 2 ? &e->y : NULL, &made));
    e->x[p.a] = made;
    e->x[p.b] = e->x[--e->n];
  }
  return WEFT_OK;
}

static weft_status expand_einsum_expand(einsum *e) {
  weft_pass_run *r = e->c.r;
  weft_node *n = e->c.at;
  weft_dtype type = n->out[0].fact.dtype;
  bool several = e->n > 2;
  bool halves = type == WEFT_FLOAT16 || type == WEFT_BF16;
  for (size_t i = 0; i < e->n; i++) {
    WEFT_TRY(drop_broadcast(e, &e->x[i]));
    WEFT_TRY(take_diagonals(e, &e->x[i]));
  }
  for (size_t i = 0; i < e->n && e->n > 1; i++)
    several |= sums_alone(e, i);
  for (size_t i = 0; i < e->n; i++) {
    if (several && halves)
      WEFT_TRY(expand_einsum_cast(e, &e->x[i].v, WEFT_FLOAT));
    WEFT_TRY(sum_alone(e, i));
  }
  WEFT_TRY(multiply(e));
  weft__operand *y = &e->x[0];
  WEFT_TRY(weft__operand_order(&e->c, y, e->y.label));
  if (several && halves)
    WEFT_TRY(expand_einsum_cast(e, &y->v, type));
  if (y->v == weft__arg(n, 0))
    WEFT_TRY(weft__pass_op(r, n, &(weft__pass_new){.kind = WEFT_K_IDENTITY, .in = &y->v, .n_in = 1}, &y->v));
  return weft__pass_become(r, n, &n->out[0], y->v, "products, sums and transposes instead of an equation",
                           NULL);
}

static weft_status expand_einsum_visit(weft_pass_run *r, weft_node *n) {
  const weft_value *y = &n->out[0];
  if (weft__kind(r, n) != WEFT_K_EINSUM || !weft__value_read(y))
    return WEFT_OK;
  einsum *e = WEFT_NEW(&r->scratch, einsum);
  WEFT_TRY(weft__allocated(e, r->d));
  e->c.r = r;
  e->c.at = n;
  e->n = n->desc.pub.n_in;
  if (e->n > MOST)
    e->why = many_letters;
  else
    WEFT_TRY(read_equation(e));
  if (!e->why)
    e->why = bad_type(e);
  if (!e->why)
    e->why = bad_sums(e);
  if (!e->why)
    e->why = bad_diagonals(e);
  if (!e->why)
    return weft__pass_may(r) ? expand_einsum_expand(e) : WEFT_OK;
  weft__pass_skipped(r, n, "%s", e->why);
  return WEFT_OK;
}

WEFT_PASS(expand_einsum) = {WEFT_PASS_HEAD,
                            "expand-einsum",
                            "products, sums and transposes for Einsum",
                            WEFT_PASS_SIMPLIFY,
                            .visit = expand_einsum_visit,
                            .at = WEFT_NAMES("Einsum")};
// SPDX-License-Identifier: Apache-2.0
