// sink_transposes.c - transposes that put channels last move towards the outputs, through operators that work
// element by element, joins, cuts, padding, reductions and resizing, until they meet one that puts channels
// first again (move_transposes.c) or what needs them: f(T(a), T(b)) becomes T(f(a, b)). Other inputs are
// constants, which are turned while compiling, or have nothing to turn but axes of one element. A transpose
// whose result others read, too, moves only where they let it through as well. Exact but for sums of
// reductions, whose order is another.
#include "turn.h"
#include "base/allocated.h"
#include "op_slots.h"
#include "reduce.rule.h"

typedef struct sunk {
  weft_node *node;
  uint8_t p[WEFT_MAX_RANK];
  size_t rank;
} sunk;

static bool sink_elementwise(const weft_node *n) {
  const uint64_t t = n->desc.proto->op->traits;
  return (t & WEFT_ELEMENTWISE) && !(t & (WEFT_SIDE_EFFECT | WEFT_RANDOM)) && n->desc.pub.n_out == 1 &&
         !n->controls && !n->n_graphs;
}

static bool sink_through(const weft_pass_run *r, const weft_node *n) {
  switch (weft__kind(r, n)) {
    case WEFT_K_TRANSPOSE:
    case WEFT_K_TRANSPOSE_D:
    case WEFT_K_CONCAT_V2:
    case WEFT_K_PAD:
    case WEFT_K_PAD_V3:
    case WEFT_K_REDUCE_MAX:
    case WEFT_K_REDUCE_MEAN:
    case WEFT_K_REDUCE_SUM:
    case WEFT_K_RESIZE:
    case WEFT_K_STRIDED_SLICE_V2:
    case WEFT_K_FIXED_REQUANT:
    case WEFT_K_BIAS_ADD:
      return true;
    default:
      return sink_elementwise(n);
  }
}

// The transpose that makes v, if its channels go last and every reader lets it through.
static bool sink_from(const weft_pass_run *r, const weft_value *v, uint8_t *p, size_t *rank) {
  if (!v || !v->node || v->n_outputs || !weft__perm(r, v->node, p, rank) || !weft__turn_is_last(p, *rank))
    return false;
  for (const weft_use_link *u = v->uses; u; u = u->next) {
    if (!sink_through(r, u->node))
      return false;
  }
  return true;
}

// Input i as it is before the transpose; NULL in *out: it has no such form.
static weft_status sink_input(weft_pass_run *r, const sunk *s, uint32_t i, weft_value **out) {
  uint8_t q[WEFT_MAX_RANK];
  size_t rank;
  weft_value *v = weft__arg(s->node, i);
  *out = NULL;
  if (v->node && weft__perm(r, v->node, q, &rank) && rank == s->rank && !memcmp(q, s->p, rank)) {
    *out = weft__arg(v->node, 0);
    return WEFT_OK;
  }
  if (!weft__fact_ranked(&v->fact) || v->fact.rank > s->rank)
    return WEFT_OK;
  if (!v->fact.rank) {
    *out = v;
    return WEFT_OK;
  }
  if (weft__is_known(v))
    return weft__turn_constant(r, s->node, v, s->p, s->rank, out);
  weft__turn_back(s->p, s->rank, q);
  return weft__turn_is_view(v, q, s->rank) ? weft__turn_view(r, s->node, v, q, s->rank, out) : WEFT_OK;
}

// Can each of the inputs [0, n) be had? Asked before anything is made.
static bool sink_inputs_fit(const weft_pass_run *r, const sunk *s, uint32_t n) {
  for (uint32_t i = 0; i < n; i++) {
    uint8_t q[WEFT_MAX_RANK];
    size_t rank;
    const weft_value *v = weft__arg(s->node, i);
    if (v->node && weft__perm(r, v->node, q, &rank) && rank == s->rank && !memcmp(q, s->p, rank))
      continue;
    if (!weft__fact_ranked(&v->fact) || v->fact.rank > s->rank)
      return false;
    weft__turn_back(s->p, s->rank, q);
    if (v->fact.rank && !weft__is_known(v) && !weft__turn_is_view(v, q, s->rank))
      return false;
  }
  return true;
}

static weft_status sink_done(weft_pass_run *r, const sunk *s, weft_value *y) {
  weft_node *n = s->node;
  weft_value *made;
  WEFT_TRY(weft__pass_transpose(r, n, y, s->p, s->rank, &made));
  return weft__pass_become(r, n, &n->out[0], made, "the transpose before it comes after it", NULL);
}

// The first `n` inputs turned, the others as they are but for `other` in the place of input `at`.
static weft_status sink_clone(weft_pass_run *r, const sunk *s, uint32_t n, uint32_t at, weft_value *other,
                              weft_value **out) {
  uint32_t all = s->node->desc.pub.n_in;
  weft_value **in = WEFT_NEW_N(&r->scratch, weft_value *, all + 1);
  weft_node *f;
  WEFT_TRY(weft__allocated(in, r->d));
  for (uint32_t i = 0; i < all; i++) {
    in[i] = weft__arg(s->node, i);
    if (i < n)
      WEFT_TRY(sink_input(r, s, i, &in[i]));
    else if (i == at)
      in[i] = other;
  }
  WEFT_TRY(weft__pass_clone(r, s->node, s->node, in, &f));
  *out = &f->out[0];
  return WEFT_OK;
}

static weft_status sink_point(weft_pass_run *r, const sunk *s, uint32_t n) {
  weft_value *y;
  if (!sink_inputs_fit(r, s, n) || s->node->out[0].fact.rank != s->rank)
    return WEFT_OK;
  WEFT_TRY(sink_clone(r, s, n, UINT32_MAX, NULL, &y));
  return sink_done(r, s, y);
}

// Channels of a bias are those of axis 1 then.
static weft_status sink_bias(weft_pass_run *r, const sunk *s) {
  weft_node *n = s->node;
  weft_node *made;
  const weft_attr *format = weft_node_attr(n, "data_format");
  const char *word = s->rank == 5 ? "NCDHW" : "NCHW";
  weft_named_attr change = {"data_format", weft_attr_str(word, strlen(word))};
  weft_value *in[2] = {weft__arg(weft__arg(n, 0)->node, 0), weft__arg(n, 1)};
  if (!format || !format->n || format->u.s[format->n - 1] != 'C')
    return WEFT_OK;
  WEFT_TRY(weft__pass_remake(r, n, n, &change, in, 2, &made));
  return sink_done(r, s, &made->out[0]);
}

static weft_status sink_concat(weft_pass_run *r, const sunk *s) {
  weft_node *n = s->node;
  uint32_t parts = n->desc.pub.n_in - 1;
  int64_t axis;
  weft_value *y;
  if (weft__ints(weft__arg(n, parts), &axis, 1) != 1 || !sink_inputs_fit(r, s, parts))
    return WEFT_OK;
  axis += axis < 0 ? (int64_t)s->rank : 0;
  if (axis < 0 || axis >= (int64_t)s->rank)
    return WEFT_OK;
  weft_value *at = weft__pass_filled(r, n->graph, "axis", WEFT_INT64, NULL, 0, s->p[axis]);
  WEFT_TRY(weft__pass_made(r, at));
  WEFT_TRY(sink_clone(r, s, parts, parts, at, &y));
  return sink_done(r, s, y);
}

static weft_status sink_pad(weft_pass_run *r, const sunk *s) {
  weft_node *n = s->node;
  const weft_tensor *t = weft__known(weft__arg(n, 1));
  int64_t pads[2 * WEFT_MAX_RANK];
  weft_value *y;
  bool pairs =
      weft__kind(r, n) == WEFT_K_PAD || weft_node_bool(&n->desc.pub, WEFT_SLOT_PAD_V3_PADDINGS_CONTIGUOUS);
  if (!t || !pairs || !weft_dtype_is_integer(t->dtype) || weft_tensor_elems(t) != 2 * (int64_t)s->rank)
    return WEFT_OK;
  for (size_t i = 0; i < s->rank; i++) {
    for (size_t k = 0; k < 2; k++)
      pads[2 * s->p[i] + k] = weft_load_i64(t->dtype, t->data, 2 * i + k);
  }
  weft_value *turned = weft__pass_ints(r, n->graph, "paddings", pads, 2 * s->rank);
  WEFT_TRY(weft__pass_made(r, turned));
  WEFT_TRY(sink_clone(r, s, 1, 1, turned, &y));
  return sink_done(r, s, y);
}

// Axes of the tensor behind the transpose as those before it; false: they are not known.
static bool sink_axes(const sunk *s, int64_t *axes, int64_t count) {
  for (int64_t i = 0; i < count; i++) {
    int64_t axis = axes[i] + (axes[i] < 0 ? (int64_t)s->rank : 0);
    if (axis < 0 || axis >= (int64_t)s->rank)
      return false;
    axes[i] = s->p[axis];
  }
  return count > 0;
}

// The order of what a reduction without its axes leaves.
static bool sink_left(const sunk *s, const int64_t *axes, int64_t count, uint8_t *p, size_t *out_rank) {
  bool gone[WEFT_MAX_RANK] = {false};
  uint8_t place[WEFT_MAX_RANK];
  uint8_t left = 0;
  bool turned = false;
  for (int64_t i = 0; i < count; i++)
    gone[axes[i]] = true;
  for (size_t i = 0; i < s->rank; i++) {
    place[i] = left;
    left += !gone[i];
  }
  *out_rank = 0;
  for (size_t i = 0; i < s->rank; i++) {
    if (gone[s->p[i]])
      continue;
    turned |= place[s->p[i]] != *out_rank;
    p[(*out_rank)++] = place[s->p[i]];
  }
  return turned;
}

static weft_status sink_reduce(weft_pass_run *r, const sunk *s) {
  weft_node *n = s->node;
  int64_t axes[WEFT_MAX_RANK];
  uint8_t p[WEFT_MAX_RANK];
  size_t rank;
  weft_value *y;
  int64_t count = weft__ints(weft__arg(n, 1), axes, WEFT_COUNT(axes));
  if (!sink_axes(s, axes, count))
    return WEFT_OK;
  weft_value *turned = weft__pass_ints(r, n->graph, "axes", axes, (size_t)count);
  WEFT_TRY(weft__pass_made(r, turned));
  WEFT_TRY(sink_clone(r, s, 1, 1, turned, &y));
  if (weft_node_bool(&n->desc.pub, WEFT_REDUCE_KEEP_DIMS))
    return sink_done(r, s, y);
  if (sink_left(s, axes, count, p, &rank))
    WEFT_TRY(weft__pass_transpose(r, n, y, p, rank, &y));
  return weft__pass_become(r, n, &n->out[0], y, "sums in the order before the transpose", NULL);
}

static weft_status sink_resize(weft_pass_run *r, const sunk *s) {
  weft_node *n = s->node;
  const weft_attr *list = weft_node_attr(n, "axes");
  int64_t axes[WEFT_MAX_RANK];
  weft_value *in[4] = {NULL};
  weft_node *made;
  if (!list || !list->n || list->n > s->rank)
    return WEFT_OK;
  memcpy(axes, list->u.ints, list->n * sizeof *axes);
  if (!sink_axes(s, axes, (int64_t)list->n) || weft__port_arg(n, 1))
    return WEFT_OK;
  for (uint32_t i = 0; i < 4; i++)
    in[i] = weft__port_arg(n, i);
  in[0] = weft__arg(in[0]->node, 0);
  weft_named_attr change = {"axes", weft_attr_ints(axes, list->n)};
  WEFT_TRY(weft__pass_remake(r, n, n, &change, in, in[3] ? 4 : 3, &made));
  return sink_done(r, s, &made->out[0]);
}

static weft_status sink_slice(weft_pass_run *r, const sunk *s) {
  weft_node *n = s->node;
  weft_value *in[5] = {NULL};
  int64_t axes[WEFT_MAX_RANK];
  weft_node *made;
  for (uint32_t i = 0; i < 5; i++)
    in[i] = weft__port_arg(n, i);
  const weft_op_desc *d = &n->desc.pub;
  bool plain = !weft_node_int(d, WEFT_SLOT_STRIDED_SLICE_V2_ELLIPSIS_MASK) &&
               !weft_node_int(d, WEFT_SLOT_STRIDED_SLICE_V2_NEW_AXIS_MASK) &&
               !weft_node_int(d, WEFT_SLOT_STRIDED_SLICE_V2_SHRINK_AXIS_MASK);
  if (!plain || !weft__fact_ranked(&in[1]->fact) || in[1]->fact.rank != 1)
    return WEFT_OK;
  int64_t count = in[1]->fact.dims[0];
  if (in[3])
    count = weft__ints(in[3], axes, WEFT_COUNT(axes));
  else {
    for (int64_t i = 0; i < WEFT_MIN(count, (int64_t)s->rank); i++)
      axes[i] = i;
  }
  if (count > (int64_t)s->rank || !sink_axes(s, axes, count))
    return WEFT_OK;
  in[3] = weft__pass_ints(r, n->graph, "axes", axes, (size_t)count);
  WEFT_TRY(weft__pass_made(r, in[3]));
  in[0] = weft__arg(in[0]->node, 0);
  WEFT_TRY(weft__pass_remake(r, n, n, NULL, in, in[4] ? 5 : 4, &made));
  return sink_done(r, s, &made->out[0]);
}

// A transpose that moves nothing but axes of one element.
static weft_status sink_view(weft_pass_run *r, weft_node *n) {
  uint8_t p[WEFT_MAX_RANK];
  uint8_t q[WEFT_MAX_RANK];
  size_t rank;
  weft_value *y;
  weft_value *x = weft__arg(n, 0);
  if (!weft__perm(r, n, p, &rank))
    return WEFT_OK;
  weft__turn_back(p, rank, q);
  if (!(weft__turn_is_last(p, rank) || weft__turn_is_last(q, rank)) || !weft__turn_is_view(x, p, rank))
    return WEFT_OK;
  WEFT_TRY(weft__turn_view(r, n, x, p, rank, &y));
  return weft__pass_become(r, n, &n->out[0], y, "moves axes of one element: a view", NULL);
}

static weft_status sink_at(weft_pass_run *r, const sunk *s) {
  switch (weft__kind(r, s->node)) {
    case WEFT_K_CONCAT_V2:
      return sink_concat(r, s);
    case WEFT_K_PAD:
    case WEFT_K_PAD_V3:
      return sink_pad(r, s);
    case WEFT_K_REDUCE_MAX:
    case WEFT_K_REDUCE_MEAN:
    case WEFT_K_REDUCE_SUM:
      return sink_reduce(r, s);
    case WEFT_K_RESIZE:
      return sink_resize(r, s);
    case WEFT_K_STRIDED_SLICE_V2:
      return sink_slice(r, s);
    case WEFT_K_BIAS_ADD:
      return sink_bias(r, s);
    case WEFT_K_FIXED_REQUANT: {  // one multiplier for all
      bool one = weft__arg(s->node, 1)->fact.rank == 0 && weft__arg(s->node, 2)->fact.rank == 0;
      return one ? sink_point(r, s, 1) : WEFT_OK;
    }
    default:
      return sink_point(r, s, s->node->desc.pub.n_in);
  }
}

static weft_status sink_transposes_visit(weft_pass_run *r, weft_node *n) {
  sunk s = {.node = n};
  int kind = weft__kind(r, n);
  if (n->desc.pub.n_out != 1 || !weft__value_read(&n->out[0]))
    return WEFT_OK;
  if (kind == WEFT_K_TRANSPOSE || kind == WEFT_K_TRANSPOSE_D)
    return sink_view(r, n);
  if (!sink_through(r, n))
    return WEFT_OK;
  uint32_t looked = sink_elementwise(n) || kind == WEFT_K_CONCAT_V2 ? n->desc.pub.n_in : 1;
  for (uint32_t i = 0; i < looked; i++) {
    if (sink_from(r, weft__arg(n, i), s.p, &s.rank))
      return sink_at(r, &s);
  }
  return WEFT_OK;
}

WEFT_PASS(sink_transposes) = {WEFT_PASS_HEAD,
                              "sink-transposes",
                              "transposes of images move on until they meet",
                              WEFT_PASS_SIMPLIFY,
                              .visit = sink_transposes_visit,
                              .needs = WEFT_NAMES("Transpose", "TransposeD")};
// SPDX-License-Identifier: Apache-2.0
