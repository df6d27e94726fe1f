// channels_first.c - Conv2D, pools and normalisations of tensors whose channels are the last axis (NHWC,
// NDHWC: TensorFlow's and TFLite's) become the same ones with channels first, between transposes: kernels
// know that order, and pack it. sink_transposes.c then lets the transposes meet and cancel. The same
// products and elements meet, but sums of a window and its channels are taken in another order: not bit for
// bit. Needs a known rank. A value of the order ND stands for one of NHWC afterwards.
#include "turn.h"
#include "base/allocated.h"
#include "op_slots.h"

enum { CHANGED = 4 };

static const uint8_t first_orders[2][5] = {{0, 3, 1, 2}, {0, 4, 1, 2, 3}};
static const uint8_t first_lasts[2][5] = {{0, 2, 3, 1}, {0, 2, 3, 4, 1}};
static const uint8_t first_filter[4] = {3, 2, 0, 1};  // HWIO to OIHW

// How one node is made anew.
typedef struct first_change {
  weft_named_attr attr[CHANGED];
  size_t n;
  int64_t list[CHANGED][WEFT_MAX_RANK];
} first_change;

static void first_format(first_change *c, size_t rank) {
  const char *word = rank == 5 ? "NCDHW" : "NCHW";
  c->attr[c->n++] = (weft_named_attr){"data_format", weft_attr_str(word, strlen(word))};
}

// A list with a number for each axis, in the other order; shorter ones are of spatial axes alone.
static void first_list(first_change *c, const weft_node *n, const char *name, size_t rank) {
  const weft_attr *a = weft_node_attr(n, name);
  if (!a || a->n != rank || a->is_default)
    return;
  int64_t *to = c->list[c->n];
  for (size_t i = 0; i < rank; i++)
    to[i] = a->u.ints[first_orders[rank - 4][i]];
  c->attr[c->n++] = (weft_named_attr){name, weft_attr_ints(to, rank)};
}

static weft_status first_make(weft_pass_run *r, weft_node *n, const first_change *c, weft_value *const *in,
                              weft_node **out) {
  weft_use use;
  WEFT_TRY(weft__pass_use(r, n, NULL, &use));
  weft_named_attr *attrs = WEFT_NEW_N(&r->scratch, weft_named_attr, use.n_attrs + c->n);
  WEFT_TRY(weft__allocated(attrs, r->d));
  size_t n_attrs = 0;
  for (size_t i = 0; i < use.n_attrs; i++) {
    bool other = false;
    for (size_t k = 0; k < c->n; k++)
      other |= !strcmp(use.attrs[i].name, c->attr[k].name);
    if (!other)
      attrs[n_attrs++] = use.attrs[i];
  }
  memcpy(attrs + n_attrs, c->attr, c->n * sizeof *attrs);
  use.attrs = attrs;
  use.n_attrs = n_attrs + c->n;
  return weft__pass_add(r, n, n->desc.proto->name, &use, in, n->desc.pub.n_in, out);
}

// The filter as OIHW; where the model turned it to HWIO already, in one step.
static weft_status first_filter_of(weft_pass_run *r, weft_node *n, weft_value **filter) {
  uint8_t p[WEFT_MAX_RANK];
  uint8_t q[WEFT_MAX_RANK];
  size_t rank;
  weft_value *w = *filter;
  memcpy(q, first_filter, sizeof first_filter);
  if (w->node && weft__perm(r, w->node, p, &rank) && rank == 4) {
    for (size_t i = 0; i < 4; i++)
      q[i] = p[first_filter[i]];
    w = weft__arg(w->node, 0);
  }
  return weft__pass_transpose(r, n, w, q, 4, filter);
}

static bool first_wanted(const weft_node *n) {
  const weft_value *x = weft__arg(n, 0);
  const weft_attr *a = weft_node_attr(n, "data_format");
  bool last = a && a->n && a->u.s[a->n - 1] == 'C' && a->u.s[0] == 'N';
  if (!last || !x || !weft__fact_ranked(&x->fact) || !n->out[0].fact.set)
    return false;
  return x->fact.rank == 4 || x->fact.rank == 5;
}

static weft_status channels_first_visit(weft_pass_run *r, weft_node *n) {
  first_change change = {.n = 0};
  weft_value *v = &n->out[0];
  weft_node *made;
  weft_value *back;
  if (!first_wanted(n) || !weft__value_read(v))
    return WEFT_OK;
  for (uint32_t i = 1; i < n->desc.pub.n_out; i++) {
    if (weft__value_read(&n->out[i]))
      return WEFT_OK;
  }
  size_t rank = weft__arg(n, 0)->fact.rank;
  bool conv = weft__kind(r, n) == WEFT_K_CONV2D;
  weft_value **in = WEFT_NEW_N(&r->scratch, weft_value *, n->desc.pub.n_in + 1);
  WEFT_TRY(weft__allocated(in, r->d));
  for (uint32_t i = 0; i < n->desc.pub.n_in; i++)
    in[i] = n->in[i].value;
  WEFT_TRY(weft__pass_transpose(r, n, in[0], first_orders[rank - 4], rank, &in[0]));
  if (conv)
    WEFT_TRY(first_filter_of(r, n, &in[1]));
  first_format(&change, rank);
  first_list(&change, n, "strides", rank);
  first_list(&change, n, conv ? "dilations" : "ksize", rank);
  WEFT_TRY(first_make(r, n, &change, in, &made));
  WEFT_TRY(weft__pass_transpose(r, n, &made->out[0], first_lasts[rank - 4], rank, &back));
  return weft__pass_become(r, n, v, back, "with channels first, between transposes", NULL);
}

WEFT_PASS(channels_first) = {WEFT_PASS_HEAD,
                             "channels-first",
                             "images with channels last as images with channels first",
                             WEFT_PASS_SIMPLIFY,
                             .visit = channels_first_visit,
                             .at = WEFT_NAMES("Conv2D", "MaxPoolV3", "AvgPoolV2", "BatchNorm")};
// SPDX-License-Identifier: Apache-2.0
