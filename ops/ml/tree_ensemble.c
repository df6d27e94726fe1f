// ops/ml/tree_ensemble.c - scores of decision trees: each row of X [N,F] reaches one leaf of every tree, and
// the leaves' weights are joined by target into Y [N,n_targets].   ONNX (ai.onnx.ml) TreeEnsemble-5, its
// tensors as inputs. modes: 0 <=, 1 <, 2 >=, 3 >, 4 ==, 5 !=, 6 member of a set in membership_values (sets
// end with NaN). A NaN feature goes to the true branch where nodes_missing_value_tracks_true says so. A
// target that no leaf reaches scores 0.
// leaf_votes (weft's own): leaf i has the targets and weights [leaf_votes[i], leaf_votes[i+1]); empty: one
// each.
#include "trees.h"

enum { X, SPLITS, MODES, WEIGHTS, MEMBERS };
enum {
  AGGREGATE,
  TARGET_IDS,
  N_TARGETS,
  FALSE_LEAFS,
  FALSE_IDS,
  FEATURE_IDS,
  MISSING,
  TRUE_LEAFS,
  TRUE_IDS,
  POST,
  ROOTS,
  VOTES
};
enum { AVERAGE, SUM, MIN, MAX };

// Lists of the nodes are as long as nodes_splits, that of the leaves as leaf_weights.
static weft_status check_lengths(const weft_infer *it) {
  static const struct {
    const char *name;
    uint32_t slot;
    uint32_t in;
  } lists[] = {{"leaf_targetids", TARGET_IDS, WEIGHTS},
               {"nodes_falseleafs", FALSE_LEAFS, SPLITS},
               {"nodes_falsenodeids", FALSE_IDS, SPLITS},
               {"nodes_featureids", FEATURE_IDS, SPLITS},
               {"nodes_trueleafs", TRUE_LEAFS, SPLITS},
               {"nodes_truenodeids", TRUE_IDS, SPLITS},
               {"nodes_missing_value_tracks_true", MISSING, SPLITS}};
  for (size_t i = 0; i < WEFT_COUNT(lists); i++) {
    const weft_shape *s = it->in[lists[i].in];
    weft_ints v = weft_node_ints(it->desc, lists[i].slot);
    if (lists[i].slot == MISSING && !v.n)
      continue;
    if (!weft_shape_is_unknown_rank(s) && s->rank == 1 && s->dim[0] >= 0 && s->dim[0] != (weft_dim)v.n) {
      return weft_fail(it->d, WEFT_E_SHAPE, "attribute '%s' has %zu elements, input '%s' %lld", lists[i].name,
                       v.n, weft__in_name(it->desc, lists[i].in), (long long)s->dim[0]);
    }
  }
  return WEFT_OK;
}

static weft_status tree_ensemble_infer(weft_infer *it) {
  const weft_shape *x = it->in[X];
  WEFT_TRY(weft__expect_rank(it, X, 2, 2));
  WEFT_TRY(check_lengths(it));
  weft_dim dims[2] = {weft_shape_is_unknown_rank(x) ? -1 : x->dim[0], weft_node_int(it->desc, N_TARGETS)};
  return weft_set_out_shape(it, 0, dims, 2);
}

static void add_leaf(double *score, bool *seen, double weight, int64_t how) {
  if (!*seen)
    *score = weight;
  else if (how == MIN)
    *score = fmin(*score, weight);
  else if (how == MAX)
    *score = fmax(*score, weight);
  else
    *score += weight;
  *seen = true;
}

static weft_status tree_ensemble_ref(const weft_call *c) {
  const weft_op_desc *d = c->desc;
  const weft_tensor *x = c->in[X];
  weft_trees t = {.features = weft_node_ints(d, FEATURE_IDS),
                  .true_ids = weft_node_ints(d, TRUE_IDS),
                  .false_ids = weft_node_ints(d, FALSE_IDS),
                  .true_leaves = weft_node_ints(d, TRUE_LEAFS),
                  .false_leaves = weft_node_ints(d, FALSE_LEAFS),
                  .missing_true = weft_node_ints(d, MISSING),
                  .targets = weft_node_ints(d, TARGET_IDS),
                  .roots = weft_node_ints(d, ROOTS),
                  .votes = weft_node_ints(d, VOTES),
                  .splits = c->in[SPLITS],
                  .modes = c->in[MODES],
                  .weights = c->in[WEIGHTS],
                  .members = c->n_in > MEMBERS ? c->in[MEMBERS] : NULL};
  size_t rows = (size_t)x->layout.origin.dim[0];
  size_t width = (size_t)x->layout.origin.dim[1];
  size_t bytes;
  size_t n = (size_t)weft_node_int(d, N_TARGETS);
  int64_t how = weft_node_int(d, AGGREGATE);
  void *space;
  WEFT_TRY(weft__trees_check(c, &t, (int64_t)width, (int64_t)n));
  if (!c->out[0])
    return WEFT_OK;
  if (!weft_mul_size(n, sizeof(double) + sizeof(bool), &bytes))
    return weft_fail(c->d, WEFT_E_OVERFLOW, "%zu targets", n);
  WEFT_TRY(c->host->workspace(c, bytes, &space));
  double *score = space;
  bool *seen = (bool *)(score + n);
  size_t work = 0;
  for (size_t r = 0; r < rows; r++) {
    WEFT_TRY(weft__poll_work(c, &work, n));
    memset(space, 0, bytes);
    for (size_t k = 0; k < t.roots.n; k++) {
      WEFT_TRY(weft__poll_work(c, &work, 32));
      size_t leaf = weft__trees_leaf(&t, (size_t)t.roots.v[k], x, r * width);
      size_t first = t.votes.n ? (size_t)t.votes.v[leaf] : leaf;
      size_t end = t.votes.n ? (size_t)t.votes.v[leaf + 1] : leaf + 1;
      for (size_t i = first; i < end; i++) {
        size_t target = (size_t)t.targets.v[i];
        add_leaf(&score[target], &seen[target], weft_load_f64(t.weights->dtype, t.weights->data, i), how);
      }
    }
    for (size_t i = 0; how == AVERAGE && i < n && t.roots.n; i++)
      score[i] /= (double)t.roots.n;
    weft__scores_transform(score, n, weft_node_int(d, POST));
    for (size_t i = 0; i < n; i++)
      weft_store_f64(x->dtype, c->out[0]->data, r * n + i, score[i]);
  }
  return WEFT_OK;
}

// x0 <= 1 ? leaf 0 : (x1 > 0 ? leaf 1 : leaf 2)
#define TREE                                                                                             \
  "f64[2]{1,0}, u8[2]{0,3}, f64[3]{10,20,30} leaf_targetids=[0,1,0] n_targets=2 nodes_falseleafs=[0,1] " \
  "nodes_falsenodeids=[1,2] "                                                                            \
  "nodes_featureids=[0,1] nodes_trueleafs=[1,1] nodes_truenodeids=[0,1] "
#define VOTES                                                                                         \
  "f64[2]{1,0}, u8[2]{0,3}, f64[3]{1,2,5} leaf_targetids=[1,1,0] n_targets=2 nodes_falseleafs=[0,1] " \
  "nodes_falsenodeids=[1,2] nodes_featureids=[0,1] nodes_trueleafs=[1,1] nodes_truenodeids=[0,1] "    \
  "tree_roots=[0] "
#define SET                                                                                                  \
  "f32[1]{0}, u8[1]{6}, f32[2]{1,2}, f32[3]{3,5,nan} leaf_targetids=[0,0] n_targets=1 nodes_falseleafs=[1] " \
  "nodes_falsenodeids=[1] nodes_featureids=[0] nodes_trueleafs=[1] nodes_truenodeids=[0] tree_roots=[0] "
WEFT_OP(tree_ensemble) = {
    WEFT_OP_HEAD,
    .name = "TreeEnsemble",
    .summary = "scores of an ensemble of decision trees",
    .in = PORTS({"X", "T"}, {"nodes_splits", "T"}, {"nodes_modes", NULL, WEFT_DT(UINT8)},
                {"leaf_weights", "T"}, {"membership_values", "T", .kind = WEFT_OPTIONAL}),
    .out = PORTS({"Y", "T"}),
    .types = TYPES({"T", WEFT_FLOATS}),
    .attrs = ATTRS({"aggregate_function", "Int", "1", "min 0;max 3"}, {"leaf_targetids", "ListInt", NULL},
                   {"n_targets", "Int", NULL, "min 0;max 16777216"}, {"nodes_falseleafs", "ListInt", NULL},
                   {"nodes_falsenodeids", "ListInt", NULL}, {"nodes_featureids", "ListInt", NULL},
                   {"nodes_missing_value_tracks_true", "ListInt", "{}"}, {"nodes_trueleafs", "ListInt", NULL},
                   {"nodes_truenodeids", "ListInt", NULL}, {"post_transform", "Int", "0", "min 0;max 4"},
                   {"tree_roots", "ListInt", NULL}, {"leaf_votes", "ListInt", "{}", .ext = 1}),
    .traits = WEFT_SYMBOLIC,
    .infer = tree_ensemble_infer,
    .ref = tree_ensemble_ref,
    .examples = WEFT_EXAMPLES(
        "f64[3,2]{1,0,2,1,2,0}, " TREE "tree_roots=[0] -> f64[3,2]{10,0,0,20,30,0}",
        "f64[1,2]{2,1}, " TREE "tree_roots=[0,1] -> f64[1,2]{0,40}",
        "f64[1,2]{2,1}, " TREE "tree_roots=[0,0] aggregate_function=0 -> f64[1,2]{0,20}",
        "f64[1,2]{nan,1}, " TREE
        "tree_roots=[0] nodes_missing_value_tracks_true=[1,0] aggregate_function=3 -> f64[1,2]{10,0}",
        "f64[1,2]{1,1}, " TREE
        "tree_roots=[0] post_transform=1 -> f64[1,2]{0.999954602131298,0.0000453978687024344} ~1e-12",
        "f64[2,2]{2,1,2,0}, " VOTES "leaf_votes=[0,0,1,3] -> f64[2,2]{0,1,5,2}",
        "f64[1,2]{2,1}, " VOTES "leaf_votes=[0,2,1,3] !! E_RANGE attribute 'leaf_votes': element 2 is 1",
        "f64[1,2]{2,1}, " VOTES "leaf_votes=[0,1,2] !! E_RANGE attribute 'nodes_falsenodeids'",
        "f32[3,1]{5,4,3}, " SET "-> f32[3,1]{1,2,1}", "f64[0,2], " TREE "tree_roots=[0] -> f64[0,2]",
        "f32[2,1]{3,4}, f32[1]{3}, u8[1]{4}, f32[2]{0.5,0.975} leaf_targetids=[0,0] n_targets=1 "
        "nodes_falseleafs=[1] "
        "nodes_falsenodeids=[1] nodes_featureids=[0] nodes_trueleafs=[1] nodes_truenodeids=[0] "
        "tree_roots=[0] post_transform=4 "
        "-> f32[2,1]{0,1.959964} ~1e-6",
        "f32[1,1], f32[1], u8[1], f32[1] leaf_targetids=[0] n_targets=1 nodes_falseleafs=[0] "
        "nodes_falsenodeids=[0,0] "
        "nodes_featureids=[0] nodes_trueleafs=[1] nodes_truenodeids=[0] tree_roots=[0] !! E_SHAPE "
        "'nodes_falsenodeids' has 2",
        "f64[1,1]{1}, " TREE "tree_roots=[0] !! E_RANGE attribute 'nodes_featureids': element 1 is 1",
        "f64[1,2]{1,1}, " TREE "tree_roots=[2] !! E_RANGE attribute 'tree_roots'",
        "f32[1,1]{1}, f32[1]{0}, u8[1]{0}, f32[1]{0} leaf_targetids=[0] n_targets=1 nodes_falseleafs=[0] "
        "nodes_falsenodeids=[0] "
        "nodes_featureids=[0] nodes_trueleafs=[1] nodes_truenodeids=[0] tree_roots=[0] !! E_CYCLE node 0"),
};
// SPDX-License-Identifier: Apache-2.0
