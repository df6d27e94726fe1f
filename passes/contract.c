// contract.c - see contract.h. A product has labels of both operands that stay (batch axes), labels of one
// side, and those that are summed over. The labels of a side become one axis where the result can be taken
// apart again (at most one of their dims is not known); otherwise, and where it saves a transpose, the first
// of them are batch axes that the other side has with size 1. Of all orders the one that moves the least is
// taken: what lies ready for a product, or turned over as its flags have it, is only looked at in another
// shape. Flattening knows its axes and no dims, so that it is right whatever they turn out to be.
#include "contract.h"

typedef struct list {
  size_t n;
  uint8_t v[2 * WEFT_MAX_RANK];
} list;

typedef struct way {  // one way to multiply x[0] by x[1]
  const weft__operand *x[2];
  // own: labels of one side
  list batch;
  list sum;
  list own[2];
  size_t lead[2];  // so many of `own` are batch axes
  list order[2];   // of the operands before they are flattened
  bool sum_first[2];
  bool turn[2];
  list made;  // order of the product
  double cost;
} way;

static uint64_t bit(uint8_t label) {
  return UINT64_C(1) << label;
}

uint64_t weft__operand_labels(const weft__operand *x) {
  uint64_t set = 0;
  for (size_t i = 0; i < x->rank; i++)
    set |= bit(x->label[i]);
  return set;
}

double weft__labels_size(const weft__contraction *c, uint64_t labels) {
  double n = 1;
  for (uint8_t i = 0; i < WEFT__LABELS; i++) {
    if (labels >> i & 1)
      n *= c->dim[i] < 0 ? 64 : (double)c->dim[i];
  }
  return n;
}

static void contract_put(list *to, const list *from, size_t first, size_t end) {
  for (size_t i = first; i < end; i++)
    to->v[to->n++] = from->v[i];
}
static list labels_in(const weft__operand *x, uint64_t set) {
  list out = {0};
  for (size_t i = 0; i < x->rank; i++) {
    if (set & bit(x->label[i]))
      out.v[out.n++] = x->label[i];
  }
  return out;
}
static bool is_order(const list *l, const weft__operand *x) {
  return l->n == x->rank && !memcmp(l->v, x->label, l->n);
}

// ---- choosing ----

// Can one axis be given back these dims?
static bool splits(const weft__contraction *c, const list *l, size_t first) {
  size_t open = 0;
  size_t zero = 0;
  for (size_t i = first; i < l->n; i++) {
    open += c->dim[l->v[i]] < 0;
    zero += !c->dim[l->v[i]];
  }
  return l->n - first < 2 || !open || (open == 1 && !zero);
}

// What it costs to bring x into the order: twice as much when single elements move.
static double moving(const weft__contraction *c, const weft__operand *x, const list *order) {
  if (is_order(order, x))
    return 0;
  bool rows = x->label[x->rank - 1] == order->v[order->n - 1];
  return weft__labels_size(c, weft__operand_labels(x)) * (rows ? 1 : 2);
}

static list order_of(const way *w, int side, bool sum_first) {
  list out = w->batch;
  contract_put(&out, &w->own[side], 0, w->lead[side]);
  if (sum_first)
    contract_put(&out, &w->sum, 0, w->sum.n);
  contract_put(&out, &w->own[side], w->lead[side], w->own[side].n);
  if (!sum_first)
    contract_put(&out, &w->sum, 0, w->sum.n);
  return out;
}

// Takes the cheaper of both orders of a side; as a product without flags has it where that makes no
// difference.
static void choose_order(const weft__contraction *c, way *w, int side) {
  const weft__operand *x = w->x[side];
  list plain = order_of(w, side, side == 1);
  list turned = order_of(w, side, side == 0);
  double a = moving(c, x, &plain), b = moving(c, x, &turned);
  w->sum_first[side] = b < a ? side == 0 : side == 1;
  w->order[side] = b < a ? turned : plain;
  w->turn[side] = !is_order(&w->order[side], x);
  if (!weft__is_known(x->v))
    w->cost += WEFT_MIN(a, b);  // a constant is moved when it is compiled
}

static void estimate(const weft__contraction *c, way *w, const weft__operand *want) {
  w->cost = 0;
  choose_order(c, w, 0);
  choose_order(c, w, 1);
  w->made = w->batch;
  double all = 0;
  for (int s = 0; s < 2; s++) {
    contract_put(&w->made, &w->own[s], 0, w->lead[s]);
    all += weft__labels_size(c, weft__operand_labels(w->x[s]));
  }
  // Smaller products: hardly worse while there are some rows and columns. Many left matrices by one right one
  // are one product to the kernels, and its result needs no other shape, which keeps it with what follows.
  for (int s = 0; s < 2; s++) {
    uint64_t rest = 0;
    for (size_t i = w->lead[s]; i < w->own[s].n; i++)
      rest |= bit(w->own[s].v[i]);
    contract_put(&w->made, &w->own[s], w->lead[s], w->own[s].n);
    bool one = !s && !w->batch.n && !w->lead[1] && !w->sum_first[0];
    if (w->lead[s] && !one)
      w->cost += all * (weft__labels_size(c, rest) < 16 ? 4 : 0.1);
    w->cost += w->own[s].n > w->lead[s] + 1;
  }
  if (!want)
    return;
  weft__operand y = {.rank = w->made.n};
  list order = {want->rank, {0}};
  memcpy(y.label, w->made.v, y.rank);
  memcpy(order.v, want->label, want->rank);
  w->cost += moving(c, &y, &order);
}

// All leads of both sides.
static void try_leads(const weft__contraction *c, way *w, const weft__operand *want, way *best) {
  for (size_t i = 0; i < WEFT_MAX(w->own[0].n, 1); i++) {
    for (size_t j = 0; j < WEFT_MAX(w->own[1].n, 1); j++) {
      if (!splits(c, &w->own[0], i) || !splits(c, &w->own[1], j))
        continue;
      w->lead[0] = i;
      w->lead[1] = j;
      estimate(c, w, want);
      if (w->cost < best->cost)
        *best = *w;
    }
  }
}

// Orders of labels are tried as the operands and the result have them.
static way contract_choose(const weft__contraction *c, const weft__operand *a, const weft__operand *b,
                           uint64_t keep, const weft__operand *want) {
  uint64_t in_a = weft__operand_labels(a);
  uint64_t in_b = weft__operand_labels(b);
  uint64_t both = in_a & in_b;
  way best = {.cost = 1e300};
  way w;
  for (unsigned k = 0; k < 48; k++) {
    const bool swap = k & 1;
    const bool like_y = want != NULL;
    memset(&w, 0, sizeof w);
    w.x[0] = swap ? b : a;
    w.x[1] = swap ? a : b;
    const weft__operand *by[3] = {like_y ? want : a, a, b};
    w.batch = labels_in(by[k / 16], both & keep);
    w.sum = labels_in(k & 2 ? a : b, both & ~keep);
    w.own[0] = labels_in(k & 4 && like_y ? want : w.x[0], (swap ? in_b : in_a) & ~both);
    w.own[1] = labels_in(k & 8 && like_y ? want : w.x[1], (swap ? in_a : in_b) & ~both);
    try_leads(c, &w, want, &best);
  }
  return best;
}

// ---- making ----

static weft_status flatten(const weft__contraction *c, weft_value **v, size_t first, size_t n) {
  if (n < 2)
    return WEFT_OK;
  weft_named_attr axes[2] = {{"axis", weft_attr_int((int64_t)first)},
                             {"end_axis", weft_attr_int((int64_t)(first + n - 1))}};
  return weft__pass_op(
      c->r, c->at,
      &(weft__pass_new){.kind = WEFT_K_FLATTEN_V2, .attrs = axes, .n_attrs = 2, .in = v, .n_in = 1}, v);
}

// Axis `at` becomes one axis for each label.
static weft_status contract_split(const weft__contraction *c, weft_value **v, size_t at, const list *l,
                                  size_t first) {
  int64_t dims[WEFT_MAX_RANK];
  size_t n = l->n - first;
  if (n < 2)
    return WEFT_OK;
  for (size_t i = 0; i < n; i++)
    dims[i] = c->dim[l->v[first + i]] < 0 ? -1 : c->dim[l->v[first + i]];
  weft_named_attr range[2] = {{"axis", weft_attr_int((int64_t)at)}, {"num_axes", weft_attr_int(1)}};
  weft_value *in[2] = {*v, weft__pass_ints(c->r, c->at->graph, "shape", dims, n)};
  if (!in[1])
    return c->r->d->status;
  return weft__pass_op(
      c->r, c->at,
      &(weft__pass_new){.kind = WEFT_K_RESHAPE, .attrs = range, .n_attrs = 2, .in = in, .n_in = 2}, v);
}

static weft_status insert(const weft__contraction *c, weft_value **v, const int64_t *axes, size_t n) {
  weft_named_attr attr = {"axes", weft_attr_ints(axes, n)};
  return n ? weft__pass_op(c->r, c->at,
                           &(weft__pass_new){
                               .kind = WEFT_K_UNSQUEEZE, .attrs = &attr, .n_attrs = 1, .in = v, .n_in = 1},
                           v)
           : WEFT_OK;
}

weft_status weft__operand_order(const weft__contraction *c, weft__operand *x, const uint8_t *order) {
  uint8_t perm[WEFT_MAX_RANK];
  if (!memcmp(order, x->label, x->rank))
    return WEFT_OK;
  for (size_t i = 0; i < x->rank; i++) {
    for (size_t k = 0; k < x->rank; k++) {
      if (x->label[k] == order[i])
        perm[i] = (uint8_t)k;
    }
  }
  memcpy(x->label, order, x->rank);
  return weft__pass_transpose(c->r, c->at, x->v, perm, x->rank, &x->v);
}

// A side as the product takes it: batch axes, its leads or those of the other side, a matrix.
static weft_status matrix(const weft__contraction *c, const way *w, int side, weft_value **out) {
  weft__operand x = *w->x[side];
  const list *own = &w->own[side];
  size_t front = w->batch.n + w->lead[side];
  size_t rest = own->n - w->lead[side];
  size_t n = 0;
  size_t first = w->sum_first[side] ? w->sum.n : rest;
  size_t last = w->sum_first[side] ? rest : w->sum.n;
  int64_t ones[2 * WEFT_MAX_RANK];
  if (w->turn[side])
    WEFT_TRY(weft__operand_order(c, &x, w->order[side].v));
  *out = x.v;
  WEFT_TRY(flatten(c, out, front + first, last));
  WEFT_TRY(flatten(c, out, front, first));
  size_t other = w->lead[1 - side];
  size_t before = w->batch.n + (side ? 0 : w->lead[0]);
  if (before)  // in front of all they go without saying
    for (size_t i = 0; i < other; i++)
      ones[n++] = (int64_t)(before + i);
  if (!rest) {
    ones[n] = (int64_t)(front + (before ? other : 0) + w->sum_first[side]);
    n++;
  }
  return insert(c, out, ones, n);
}

static weft_status multiply_matrices(const weft__contraction *c, const way *w, weft__operand *out) {
  weft_value *in[2];
  weft_value *y;
  weft_named_attr adj[2] = {{"adj_x1", weft_attr_bool(w->sum_first[0])},
                            {"adj_x2", weft_attr_bool(!w->sum_first[1])}};
  WEFT_TRY(matrix(c, w, 0, &in[0]));
  WEFT_TRY(matrix(c, w, 1, &in[1]));
  WEFT_TRY(weft__pass_op(
      c->r, c->at,
      &(weft__pass_new){.kind = WEFT_K_BATCH_MAT_MUL, .attrs = adj, .n_attrs = 2, .in = in, .n_in = 2}, &y));
  size_t rows = w->batch.n + w->lead[0] + w->lead[1];
  size_t n = 0;
  int64_t ones[2];
  for (size_t s = 0; s < 2; s++) {
    if (!w->own[s].n)
      ones[n++] = (int64_t)(rows + s);
  }
  weft_named_attr axis = {"axis", weft_attr_ints(ones, n)};
  if (n)
    WEFT_TRY(weft__pass_op(
        c->r, c->at,
        &(weft__pass_new){.kind = WEFT_K_SQUEEZE, .attrs = &axis, .n_attrs = 1, .in = &y, .n_in = 1}, &y));
  if (w->own[1].n)
    WEFT_TRY(contract_split(c, &y, rows + (w->own[0].n > 0), &w->own[1], w->lead[1]));
  if (w->own[0].n)
    WEFT_TRY(contract_split(c, &y, rows, &w->own[0], w->lead[0]));
  *out = (weft__operand){.v = y, .rank = w->made.n};
  memcpy(out->label, w->made.v, w->made.n);
  return WEFT_OK;
}

// Nothing is summed over: both sides with their axes in the places of the result's.
static weft_status multiply_elements(const weft__contraction *c, const weft__operand *a,
                                     const weft__operand *b, const weft__operand *want, weft__operand *out) {
  const weft__operand *x[2] = {a, b};
  weft_value *in[2];
  if (want) {
    *out = *want;
  } else {
    *out = *a;
    list more = labels_in(b, ~weft__operand_labels(a));
    memcpy(out->label + out->rank, more.v, more.n);
    out->rank += more.n;
  }
  for (size_t s = 0; s < 2; s++) {
    uint64_t have = weft__operand_labels(x[s]);
    weft__operand t = *x[s];
    list order = labels_in(out, have);
    int64_t ones[WEFT_MAX_RANK];
    size_t n = 0;
    size_t begun = 0;
    WEFT_TRY(weft__operand_order(c, &t, order.v));
    for (size_t i = 0; i < out->rank; i++) {
      bool here = have & bit(out->label[i]);
      if (!here && begun) {
        ones[n] = (int64_t)(begun + n);
        n++;
      }
      begun += here;
    }
    WEFT_TRY(insert(c, &t.v, ones, n));
    in[s] = t.v;
  }
  return weft__pass_op(c->r, c->at, &(weft__pass_new){.kind = WEFT_K_MUL, .in = in, .n_in = 2}, &out->v);
}

weft_status weft__contract(const weft__contraction *c, const weft__operand *a, const weft__operand *b,
                           uint64_t keep, const weft__operand *want, weft__operand *out) {
  uint64_t sum = weft__operand_labels(a) & weft__operand_labels(b) & ~keep;
  if (!sum)
    return multiply_elements(c, a, b, want, out);
  way w = contract_choose(c, a, b, keep, want);
  WEFT_TRY(multiply_matrices(c, &w, out));
  return want ? weft__operand_order(c, out, want->label) : WEFT_OK;
}
// SPDX-License-Identifier: Apache-2.0
