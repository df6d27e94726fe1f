// trees.c - see trees.h. A node compares one feature with its split and goes on at the true or the false
// branch, which is a node or a leaf. Checking is linear in the nodes; a walk costs the depth of its tree.
#include "trees.h"

static weft_status same_length(const weft_call *c, const char *name, weft_ints list, size_t n) {
  if (list.n == n)
    return WEFT_OK;
  return weft_fail(c->d, WEFT_E_INVALID, "attribute '%s' has %zu elements, expected %zu", name, list.n, n);
}

static weft_status in_range(const weft_call *c, const char *name, weft_ints list, int64_t limit) {
  for (size_t i = 0; i < list.n; i++) {
    if (list.v[i] < 0 || list.v[i] >= limit) {
      return weft_fail(c->d, WEFT_E_RANGE, "attribute '%s': element %zu is %lld, expected 0 to %lld", name, i,
                       (long long)list.v[i], (long long)limit - 1);
    }
  }
  return WEFT_OK;
}

static weft_status check_branches(const weft_call *c, const weft_trees *t, const char *name, weft_ints ids,
                                  weft_ints leaf) {
  for (size_t i = 0; i < ids.n; i++) {
    int64_t limit = (int64_t)(leaf.v[i] ? t->n_leaves : t->n_nodes);
    if (ids.v[i] < 0 || ids.v[i] >= limit) {
      return weft_fail(c->d, WEFT_E_RANGE, "attribute '%s': element %zu is %lld, but there are %lld %s", name,
                       i, (long long)ids.v[i], (long long)limit, leaf.v[i] ? "leaves" : "nodes");
    }
  }
  return WEFT_OK;
}

// Members of the sets lie one after the other in the order of their nodes, a NaN after each.
static weft_status find_members(const weft_call *c, weft_trees *t) {
  size_t at = 0;
  size_t n = t->members ? weft__elems(&t->members->layout.origin) : 0;
  for (size_t i = 0; i < t->n_nodes; i++) {
    int64_t mode = weft_load_i64(t->modes->dtype, t->modes->data, i);
    if (mode < WEFT_TREE_LEQ || mode > WEFT_TREE_MEMBER) {
      return weft_fail(c->d, WEFT_E_RANGE, "input 'nodes_modes': element %zu is %lld, expected 0 to 6", i,
                       (long long)mode);
    }
    if (mode != WEFT_TREE_MEMBER)
      continue;
    t->member_from[i] = (int64_t)at;
    while (at < n && !isnan(weft_load_f64(t->members->dtype, t->members->data, at)))
      at++;
    if (at == n) {
      return weft_fail(c->d, WEFT_E_INVALID,
                       "input 'membership_values': the set of node %zu does not end with a NaN", i);
    }
    at++;
  }
  return WEFT_OK;
}

enum { UNSEEN, OPEN, DONE };
static weft_status endless(const weft_call *c, size_t node) {
  return weft_fail(c->d, WEFT_E_CYCLE, "node %zu of the trees is its own descendant", node);
}

// Depth first from every root; `stack` holds the open path, `state` what is known of each node.
static weft_status check_cycles(const weft_call *c, const weft_trees *t, uint8_t *state, size_t *stack) {
  for (size_t r = 0; r < t->roots.n; r++) {
    size_t depth = 0;
    if (state[t->roots.v[r]] == UNSEEN) {
      stack[depth++] = (size_t)t->roots.v[r];
      state[t->roots.v[r]] = OPEN;
    }
    while (depth) {
      size_t at = stack[depth - 1];
      size_t next = SIZE_MAX;
      for (int k = 0; k < 2 && next == SIZE_MAX; k++) {
        if (k ? t->false_leaves.v[at] : t->true_leaves.v[at])
          continue;
        size_t to = (size_t)(k ? t->false_ids.v[at] : t->true_ids.v[at]);
        if (state[to] == OPEN)
          return endless(c, to);
        if (state[to] == UNSEEN)
          next = to;
      }
      if (next == SIZE_MAX) {
        state[at] = DONE;
        depth--;
      } else {
        stack[depth++] = next;
        state[next] = OPEN;
      }
    }
  }
  return WEFT_OK;
}

// Where the votes of the leaves begin: from 0 on, never back, up to their number.
static weft_status check_votes(const weft_call *c, const weft_ints *votes, size_t n) {
  for (size_t i = 0; i < votes->n; i++) {
    int64_t least = i ? votes->v[i - 1] : 0;
    int64_t most = i ? (int64_t)n : 0;
    if (votes->v[i] < least || votes->v[i] > most) {
      return weft_fail(c->d, WEFT_E_RANGE,
                       "attribute 'leaf_votes': element %zu is %lld, expected %lld to %lld", i,
                       (long long)votes->v[i], (long long)least, (long long)most);
    }
  }
  return WEFT_OK;
}

weft_status weft__trees_check(const weft_call *c, weft_trees *t, int64_t n_features, int64_t n_targets) {
  size_t n_votes = weft__elems(&t->weights->layout.origin);
  size_t bytes;
  size_t n = t->n_nodes = weft__elems(&t->splits->layout.origin);
  t->n_leaves = t->votes.n ? t->votes.n - 1 : n_votes;
  WEFT_TRY(check_votes(c, &t->votes, n_votes));
  void *space;
  void *states;
  if (weft__elems(&t->modes->layout.origin) != n) {
    return weft_fail(c->d, WEFT_E_SHAPE, "input 'nodes_modes' has %zu elements, 'nodes_splits' %zu",
                     weft__elems(&t->modes->layout.origin), n);
  }
  WEFT_TRY(same_length(c, "nodes_featureids", t->features, n));
  WEFT_TRY(same_length(c, "nodes_truenodeids", t->true_ids, n));
  WEFT_TRY(same_length(c, "nodes_falsenodeids", t->false_ids, n));
  WEFT_TRY(same_length(c, "nodes_trueleafs", t->true_leaves, n));
  WEFT_TRY(same_length(c, "nodes_falseleafs", t->false_leaves, n));
  if (t->missing_true.n)
    WEFT_TRY(same_length(c, "nodes_missing_value_tracks_true", t->missing_true, n));
  WEFT_TRY(same_length(c, "leaf_targetids", t->targets, n_votes));
  WEFT_TRY(in_range(c, "nodes_featureids", t->features, n_features));
  WEFT_TRY(in_range(c, "leaf_targetids", t->targets, n_targets));
  WEFT_TRY(in_range(c, "tree_roots", t->roots, (int64_t)n));
  WEFT_TRY(check_branches(c, t, "nodes_truenodeids", t->true_ids, t->true_leaves));
  WEFT_TRY(check_branches(c, t, "nodes_falsenodeids", t->false_ids, t->false_leaves));
  if (!weft_mul_size(n, sizeof(int64_t), &bytes))
    return weft_fail(c->d, WEFT_E_OVERFLOW, "%zu nodes", n);
  WEFT_TRY(c->host->workspace(c, bytes, &space));
  WEFT_TRY(c->host->workspace(c, n, &states));
  WEFT_TRY(check_cycles(c, t, states, space));
  t->member_from = space;
  return find_members(c, t);
}

static bool is_member(const weft_trees *t, size_t node, double v) {
  for (size_t i = (size_t)t->member_from[node];; i++) {
    double m = weft_load_f64(t->members->dtype, t->members->data, i);
    if (isnan(m))
      return false;
    if (m == v)
      return true;
  }
}

static bool goes_true(const weft_trees *t, size_t node, double v) {
  double split = weft_load_f64(t->splits->dtype, t->splits->data, node);
  if (isnan(v) && t->missing_true.n && t->missing_true.v[node])
    return true;
  switch (weft_load_i64(t->modes->dtype, t->modes->data, node)) {
    case WEFT_TREE_LEQ:
      return v <= split;
    case WEFT_TREE_LT:
      return v < split;
    case WEFT_TREE_GTE:
      return v >= split;
    case WEFT_TREE_GT:
      return v > split;
    case WEFT_TREE_EQ:
      return v == split;
    case WEFT_TREE_NEQ:
      return v != split;
    default:
      return is_member(t, node, v);
  }
}

size_t weft__trees_leaf(const weft_trees *t, size_t root, const weft_tensor *x, size_t from) {
  for (size_t at = root;;) {
    bool yes = goes_true(t, at, weft_load_f64(x->dtype, x->data, from + (size_t)t->features.v[at]));
    size_t to = (size_t)(yes ? t->true_ids.v[at] : t->false_ids.v[at]);
    if (yes ? t->true_leaves.v[at] : t->false_leaves.v[at])
      return to;
    at = to;
  }
}

// ---- scores ----

static void softmax(double *v, size_t n, bool keep_zeros) {
  double most = -INFINITY, sum = 0;
  for (size_t i = 0; i < n; i++)
    most = fmax(most, v[i]);
  for (size_t i = 0; i < n; i++) {
    if (!keep_zeros || v[i] != 0)
      v[i] = exp(v[i] - most);
    sum += v[i];
  }
  for (size_t i = 0; i < n && sum != 0; i++)
    v[i] /= sum;
}

// The x whose erf is y: a start from elementary functions, then Newton's steps.
static double erf_inverse(double y) {
  if (!(y > -1 && y < 1))
    return y == 1 ? INFINITY : y == -1 ? -INFINITY : NAN;
  double l = log((1 - y) * (1 + y)), a = 0.147, b = 2 / (3.14159265358979323846 * a) + l / 2;
  double x = copysign(sqrt(sqrt(b * b - l / a) - b), y);
  for (int i = 0; i < 4; i++)
    x -= (erf(x) - y) / (1.12837916709551257390 * exp(-x * x));
  return x;
}

void weft__scores_transform(double *v, size_t n, int64_t how) {
  if (how == 1 || how == 3)
    softmax(v, n, how == 3);
  for (size_t i = 0; i < n && how == 2; i++)
    v[i] = 1 / (1 + exp(-v[i]));
  for (size_t i = 0; i < n && how == 4; i++)
    v[i] = 1.41421356237309504880 * erf_inverse(2 * v[i] - 1);
}
// SPDX-License-Identifier: Apache-2.0
