// move_transposes.c - transposes that undo each other go away, two in a row become one, and one before a
// matrix product becomes its flag. To meet, transposes move: f(T(a), T(b)) becomes T(f(a, b)) for an
// elementwise f, and T2(f(T1(a), c)) becomes f(a, T1^-1(c)) where T2 undoes T1 and c is constant. Exact: the
// same elements meet, sums keep their order.
#include "turn.h"
#include "base/allocated.h"

enum { CHAIN = 8 };

static bool perm_of(const weft_pass_run *r, const weft_value *v, uint8_t p[WEFT_MAX_RANK], size_t *rank) {
  return v && v->node && weft__perm(r, v->node, p, rank);
}
static bool is_identity(const uint8_t *p, size_t rank) {
  for (size_t i = 0; i < rank; i++) {
    if (p[i] != i)
      return false;
  }
  return true;
}
// Only the last two axes change places.
static bool swaps_matrix(const uint8_t *p, size_t rank) {
  return rank >= 2 && is_identity(p, rank - 2) && p[rank - 2] == rank - 1 && p[rank - 1] == rank - 2;
}

// ---- elementwise chains between two transposes ----

typedef struct chain {
  weft_node *node[CHAIN];  // from the second transpose up
  uint32_t main[CHAIN];    // input that leads on
  size_t n;
  weft_value *from;  // input of the first transpose
} chain;

static bool elementwise(const weft_node *n) {
  const uint64_t t = n->desc.proto->op->traits;
  return (t & WEFT_ELEMENTWISE) && !(t & (WEFT_SIDE_EFFECT | WEFT_RANDOM)) && n->desc.pub.n_out == 1 &&
         !n->controls && !n->n_graphs;
}

// Walks from v up to a transpose that `p` undoes; false: there is none.
static bool find_chain(const weft_pass_run *r, weft_value *v, const uint8_t *p, size_t rank, chain *c) {
  uint8_t q[WEFT_MAX_RANK];
  size_t n;
  for (c->n = 0;; c->n++) {
    if (perm_of(r, v, q, &n)) {
      bool undone = n == rank;
      for (size_t i = 0; i < rank && undone; i++)
        undone = q[p[i]] == i;
      c->from = weft__arg(v->node, 0);
      return undone && c->n > 0;
    }
    if (c->n == CHAIN || !v->node || !weft__one_use(v) || !elementwise(v->node))
      return false;
    weft_node *k = v->node;
    uint32_t main = UINT32_MAX;
    for (uint32_t i = 0; i < k->desc.pub.n_in; i++) {
      const weft_value *x = k->in[i].value;
      if (weft__is_known(x) && x->fact.rank <= rank)
        continue;
      if (main != UINT32_MAX)
        return false;
      main = i;
    }
    if (main == UINT32_MAX || !k->in[main].value->fact.set || k->in[main].value->fact.rank != rank)
      return false;
    c->node[c->n] = k;
    c->main[c->n] = main;
    v = k->in[main].value;
  }
}

static weft_status unwind(weft_pass_run *r, weft_node *n, const chain *c, const uint8_t *p, size_t rank) {
  uint8_t back[WEFT_MAX_RANK];
  weft_value *v = c->from;
  weft__turn_back(p, rank, back);
  for (size_t i = c->n; i-- > 0;) {
    const weft_node *k = c->node[i];
    weft_value **in = WEFT_NEW_N(&r->scratch, weft_value *, k->desc.pub.n_in + 1);
    weft_node *made;
    WEFT_TRY(weft__allocated(in, r->d));
    for (uint32_t j = 0; j < k->desc.pub.n_in; j++) {
      if (j == c->main[i])
        in[j] = v;
      else
        WEFT_TRY(weft__turn_constant(r, n, k->in[j].value, back, rank, &in[j]));
    }
    WEFT_TRY(weft__pass_clone(r, n, k, in, &made));
    v = &made->out[0];
  }
  return weft__pass_become(r, n, &n->out[0], v, "two transposes around elementwise operators", NULL);
}

// ---- rules ----

static weft_status on_transpose(weft_pass_run *r, weft_node *n) {
  uint8_t p[WEFT_MAX_RANK];
  uint8_t q[WEFT_MAX_RANK];
  size_t rank;
  size_t before;
  weft_value *x = weft__arg(n, 0);
  weft_value *v = &n->out[0];
  weft_value *made;
  chain c;
  if (!weft__perm(r, n, p, &rank)) {
    weft__pass_skipped(r, n, "the order of its axes is not known");
    return WEFT_OK;
  }
  if (is_identity(p, rank))
    return weft__pass_become(r, n, v, x, "the order it has", NULL);
  if (perm_of(r, x, q, &before) && before == rank) {
    weft_value *y = weft__arg(x->node, 0);
    for (size_t i = 0; i < rank; i++)
      p[i] = q[p[i]];
    if (is_identity(p, rank))
      return weft__pass_become(r, n, v, y, "back to the first order", NULL);
    WEFT_TRY(weft__pass_transpose(r, n, y, p, rank, &made));
    return weft__pass_become(r, n, v, made, "one transpose instead of two", NULL);
  }
  return find_chain(r, x, p, rank, &c) ? unwind(r, n, &c, p, rank) : WEFT_OK;
}

// f(T(a), T(b)) with one order and both of full rank; at least one of the transposes goes away with it.
static weft_status on_binary(weft_pass_run *r, weft_node *n) {
  uint8_t p[WEFT_MAX_RANK];
  uint8_t q[WEFT_MAX_RANK];
  size_t rank;
  size_t other;
  weft_value *a = weft__arg(n, 0);
  weft_value *b = weft__arg(n, 1);
  weft_value *in[2];
  weft_value *made;
  weft_node *f;
  if (!perm_of(r, a, p, &rank) || !perm_of(r, b, q, &other) || rank != other || memcmp(p, q, rank))
    return WEFT_OK;
  if (a != b && !weft__one_use(a) && !weft__one_use(b))
    return WEFT_OK;
  if (a == b && (a->n_uses > 2 || a->n_outputs))
    return WEFT_OK;
  in[0] = weft__arg(a->node, 0);
  in[1] = weft__arg(b->node, 0);
  WEFT_TRY(weft__pass_clone(r, n, n, in, &f));
  WEFT_TRY(weft__pass_transpose(r, n, &f->out[0], p, rank, &made));
  return weft__pass_become(r, n, &n->out[0], made, "two transposes of its inputs become one of its output",
                           NULL);
}

// Operands of products: a transpose of the last two axes is the flag in slot `i`.
static weft_status on_product(weft_pass_run *r, weft_node *n) {
  static const char *const flags[][2] = {
      {"adj_x1", "adj_x2"}, {"transpose_x1", "transpose_x2"}, {"transpose_a", "transpose_b"}};
  int kind = weft__kind(r, n);
  const char *const *flag = flags[kind == WEFT_K_BATCH_MAT_MUL ? 0 : kind == WEFT_K_MAT_MUL ? 1 : 2];
  uint8_t p[WEFT_MAX_RANK];
  size_t rank;
  for (uint32_t i = 0; i < 2 && weft__pass_may(r); i++) {
    weft_value *x = weft__arg(n, i);
    if (!perm_of(r, x, p, &rank) || !swaps_matrix(p, rank))
      continue;
    weft_attr turned = weft_attr_bool(!weft_node_bool(&n->desc.pub, i));
    weft_node *before = x->node;
    weft__pass_did(r, n, "the transpose '%s' of an operand is a flag", weft__node_name(before));
    WEFT_TRY(weft_node_set_attr(n, flag[i], &turned, r->d));
    WEFT_TRY(weft_node_set_in(n, i, weft__arg(before, 0), r->d));
    WEFT_TRY(weft__pass_prune(r, before));
  }
  return WEFT_OK;
}

static weft_status move_transposes_visit(weft_pass_run *r, weft_node *n) {
  int kind = weft__kind(r, n);
  if (n->desc.pub.n_out != 1 || !weft__value_read(&n->out[0]))
    return WEFT_OK;
  switch (kind) {
    case WEFT_K_TRANSPOSE:
    case WEFT_K_TRANSPOSE_D:
      return on_transpose(r, n);
    case WEFT_K_BATCH_MAT_MUL:
    case WEFT_K_MAT_MUL:
    case WEFT_K_GEMM:
      return on_product(r, n);
    default:
      return n->desc.pub.n_in == 2 && elementwise(n) ? on_binary(r, n) : WEFT_OK;
  }
}

WEFT_PASS(move_transposes) = {WEFT_PASS_HEAD,
                              "move-transposes",
                              "lets transposes cancel or become flags",
                              WEFT_PASS_SIMPLIFY,
                              .visit = move_transposes_visit,
                              .needs = WEFT_NAMES("Transpose", "TransposeD")};
// SPDX-License-Identifier: Apache-2.0
