// trees.h - an ensemble of decision trees as arrays, checked once: every walk from a root ends at a leaf.
#pragma once
#include "op.h"

enum {
  WEFT_TREE_LEQ,
  WEFT_TREE_LT,
  WEFT_TREE_GTE,
  WEFT_TREE_GT,
  WEFT_TREE_EQ,
  WEFT_TREE_NEQ,
  WEFT_TREE_MEMBER
};
typedef struct weft_trees {
  size_t n_nodes, n_leaves;
  weft_ints features, true_ids, false_ids, true_leaves, false_leaves, missing_true, targets, roots;
  weft_ints
      votes;  // of each leaf: where its votes in targets and weights begin, and the end; empty: one a leaf
  const weft_tensor *splits, *modes, *weights, *members;  // members NULL: no set membership
  int64_t *member_from;                                   // of each node: where its members begin
} weft_trees;

// Lengths, indices, and that no walk is endless. Makes member_from in a workspace of the call.
weft_status weft__trees_check(const weft_call *c, weft_trees *t, int64_t n_features, int64_t n_targets);
// The leaf that the row of features from element `from` of x reaches in the tree of one root.
size_t weft__trees_leaf(const weft_trees *t, size_t root, const weft_tensor *x, size_t from);
// ONNX's post_transform over one row of scores: 0 none, 1 softmax, 2 logistic, 3 softmax that keeps zeros, 4
// probit.
void weft__scores_transform(double *v, size_t n, int64_t how);
// SPDX-License-Identifier: Apache-2.0
