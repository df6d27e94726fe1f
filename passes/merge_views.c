// merge_views.c - chains of operators that only give a tensor another shape (Reshape, Squeeze, Unsqueeze,
// Flatten, ExpandDims) become one Reshape of the first tensor, or nothing where the first shape comes back.
// Exact: the elements keep their order. Needs the last shape as a constant: all dims known, or all but one
// and none 0; a Reshape whose shape does not look at its input (no copied dims) just reads the first tensor.
#include "pass/match.h"
#include "op_slots.h"

// Equal shapes: all dims, or all but one, which the number of elements then settles.
static bool gives_back(const weft_fact *x, const weft_fact *y) {
  uint32_t open = 0;
  if (!weft__fact_ranked(x) || !weft__fact_ranked(y) || x->rank != y->rank)
    return false;
  for (uint32_t i = 0; i < x->rank; i++) {
    if (!weft_dim_same(x->dims[i], y->dims[i]))
      open++;
    else if (x->dims[i] <= 0)
      open += 2;  // 0, or a symbol that may be 0: the number of elements says nothing
  }
  if (open <= 1)
    return true;
  for (uint32_t i = 0; i < x->rank; i++) {
    if (!weft_dim_same(x->dims[i], y->dims[i]))
      return false;
  }
  return true;
}

// A Reshape that takes its shape from the second input alone.
static bool is_free(const weft_node *n) {
  int64_t dims[WEFT_MAX_RANK];
  int64_t count = weft__ints(weft__arg(n, 1), dims, WEFT_COUNT(dims));
  const weft_op_desc *d = &n->desc.pub;
  if (weft_node_int(d, WEFT_SLOT_RESHAPE_AXIS) || weft_node_int(d, WEFT_SLOT_RESHAPE_NUM_AXES) != -1)
    return false;
  if (weft_node_bool(d, WEFT_SLOT_RESHAPE_ALLOWZERO))
    return true;
  for (int64_t i = 0; i < count; i++) {
    if (!dims[i])
      return false;
  }
  return count >= 0;
}

static weft_status reshape(weft_pass_run *r, weft_node *n, weft_value *x, const char *done) {
  const weft_fact *y = &n->out[0].fact;
  int64_t dims[WEFT_MAX_RANK];
  uint32_t open = 0;
  uint32_t zero = 0;
  weft_value *args[2] = {x, NULL};
  weft_value *made;
  if (weft__kind(r, n) == WEFT_K_RESHAPE && is_free(n)) {
    args[1] = weft__arg(n, 1);
  } else {
    if (!weft__fact_ranked(y))
      return WEFT_OK;
    for (uint32_t i = 0; i < y->rank; i++) {
      dims[i] = y->dims[i] < 0 ? -1 : y->dims[i];
      open += dims[i] < 0;
      zero += !dims[i];
    }
    if (open > 1 || (open && zero)) {
      weft__pass_skipped(r, n, "a view of a view, but more than one dim of its shape is open");
      return WEFT_OK;
    }
    args[1] = weft__pass_ints(r, n->graph, "shape", dims, y->rank);
    WEFT_TRY(weft__pass_made(r, args[1]));
  }
  WEFT_TRY(weft__pass_op(r, n, &(weft__pass_new){.kind = WEFT_K_RESHAPE, .in = args, .n_in = 2}, &made));
  return weft__pass_become(r, n, &n->out[0], made, done, NULL);
}

static weft_status merge_views_visit(weft_pass_run *r, weft_node *n) {
  if (!weft__kind_is_view(weft__kind(r, n)))
    return WEFT_OK;
  weft_value *v = &n->out[0];
  weft_value *x = weft__arg(n, 0);
  if (!weft__value_read(v) || !weft__contents_known(n))
    return WEFT_OK;
  if (gives_back(&x->fact, &v->fact))
    return weft__pass_become(r, n, v, x, "the shape it has", NULL);
  if (!weft__kind_is_view(weft__kind_by(r, x)) || !weft__contents_known(x->node))
    return WEFT_OK;
  weft_value *y = weft__arg(x->node, 0);
  if (gives_back(&y->fact, &v->fact))
    return weft__pass_become(r, n, v, y, "back to the first shape", NULL);
  return reshape(r, n, y, "one view instead of two");
}

WEFT_PASS(merge_views) = {WEFT_PASS_HEAD,
                          "merge-views",
                          "one change of shape instead of many",
                          WEFT_PASS_SIMPLIFY,
                          .visit = merge_views_visit,
                          .at = WEFT_NAMES("Reshape", "Squeeze", "SqueezeV3", "Unsqueeze", "UnsqueezeV3",
                                           "ExpandDims", "Flatten", "FlattenV2")};
// SPDX-License-Identifier: Apache-2.0
