// moves.c - operators that only move bytes, planned without a kernel: views, tensors that are cut or joined
// along their outermost axis.
#include "op/infer_node.h"
#include "base/allocated.h"
#include "run/build.h"

static weft_status move(builder *b, uint8_t kind, uint32_t pos, weft_tensor *from, weft_tensor *to,
                        uint64_t offset) {
  weft__launch *l = weft__build_launch(b, kind, pos);
  const weft_tensor **in = WEFT_NEW(&b->s->mem, const weft_tensor *);
  weft_tensor **out = WEFT_NEW(&b->s->mem, weft_tensor *);
  WEFT_TRY(weft__allocated(l && in && out, b->d));
  *in = from;
  *out = to;
  l->call = (weft_call){.size = sizeof l->call,
                        .n_in = 1,
                        .n_out = 1,
                        .desc = &b->f->node[pos]->desc.pub,
                        .in = in,
                        .out = out};
  l->offset = offset;
  return WEFT_OK;
}

// Output i of a node has the bytes of `from` from byte `at` on.
static weft_status plan_view(builder *b, uint32_t from, uint32_t pos, uint32_t i, uint64_t at) {
  uint32_t to = b->f->first_out[pos] + i;
  weft_tensor *in = weft__tensor_of(b->x, b->s, from);
  weft_tensor *out = b->s->tensor[to - b->s->v0];
  const weft__place *p = weft__build_place(b, from);
  uint8_t kind = p ? p->kind : from < b->f->n_in ? WEFT__AT_CALLER : WEFT__AT_CONST;
  weft__place *q = &b->s->place[to - b->s->v0];
  if (q->kind == WEFT__AT_CONST)
    return WEFT_OK;  // known, and shared with other plans
  if (kind == WEFT__AT_CONST) {
    WEFT_TRY(weft__remake_wake(b->x->program->graph, in, true, b->d));
    q->kind = WEFT__AT_CONST;
    q->space = 0;
    out->data = (char *)in->data + at;
    return WEFT_OK;
  }
  q->root = from;
  q->at = at;
  if (kind == WEFT__AT_ARENA)
    return WEFT_OK;
  q->kind = WEFT__AT_VIEW;  // what it is a view of moves from run to run
  return move(b, WEFT__RUN_VIEW, pos, in, out, at);
}

static bool whole_bytes(const weft_tensor *t) {
  return weft__holds_numbers(t->kind, t->dtype) && weft_dtype_bits(t->dtype) >= 8;
}

// Stored alike: their storage shapes can be compared.
static bool same_format(const weft_tensor *a, const weft_tensor *b) {
  return (!weft__format_packed(a->format) && !weft__format_packed(b->format)) || a->format == b->format;
}

// Does `part` go through the whole of `all` in one piece when cut along an axis: is the first dim in which
// they differ preceded by ones only?
static bool consecutive(const weft_shape *part, const weft_shape *all) {
  size_t k = 0;
  if (part->rank != all->rank)
    return false;
  while (k < all->rank && part->dim[k] == 1 && all->dim[k] == 1)
    k++;
  for (size_t i = k + 1; i < all->rank; i++) {
    if (part->dim[i] != all->dim[i])
      return false;
  }
  return k < all->rank && part->dim[k] > 0;
}

// The pieces of a tensor that is cut along its outermost axis are views.
static weft_status plan_cut(builder *b, const weft_node *n, uint32_t pos, bool *done) {
  weft_tensor *const *out = &b->s->tensor[b->f->first_out[pos] - b->s->v0];
  uint32_t n_out = n->desc.pub.n_out;
  uint32_t from = 0;
  weft_tensor *in = NULL;
  for (uint32_t i = 0; i < n->desc.pub.n_in && !in; i++) {
    from = weft__local(b->x->program, n->in[i].value);
    in = weft__tensor_of(b->x, b->s, from);
    if (in->dtype != out[0]->dtype || !whole_bytes(in) || !same_format(in, out[0]) ||
        !consecutive(&out[0]->layout.storage, &in->layout.storage))
      in = NULL;
  }
  if (!in)
    return WEFT_OK;
  uint64_t at = 0;
  for (uint32_t i = 0; i < n_out; i++) {
    if (!consecutive(&out[i]->layout.storage, &in->layout.storage))
      return WEFT_OK;
    at += out[i]->bytes;
  }
  if (at != weft__tensor_span(in))
    return WEFT_OK;
  at = 0;
  for (uint32_t i = 0; i < n_out; i++) {
    WEFT_TRY(plan_view(b, from, pos, i, at));
    at += out[i]->bytes;
  }
  return *done = true, WEFT_OK;
}

// May this value be made where it is joined? Its memory must be its own, of this segment, and lie nowhere
// else.
static bool can_lie_in(const builder *b, uint32_t v, uint32_t whole) {
  const weft__place *p = weft__build_place(b, v);
  return p && v >= b->s->v0 && v != whole && p->kind == WEFT__AT_ARENA && p->root == v;
}

// What is joined along the outermost axis is made in place; what cannot be is copied there.
weft_status weft__build_joined(builder *b, const weft_node *n, uint32_t pos, bool *done) {
  uint32_t whole = b->f->first_out[pos];
  weft_tensor *out = b->s->tensor[whole - b->s->v0];
  uint64_t at = 0;
  if (!whole_bytes(out))
    return WEFT_OK;
  for (uint32_t i = 0; i < n->desc.pub.n_in; i++) {
    const weft_tensor *in = weft__tensor_of(b->x, b->s, weft__local(b->x->program, n->in[i].value));
    if (in->dtype != out->dtype || (!in->layout.origin.rank && out->layout.origin.rank))
      continue;  // the axis
    if (!same_format(in, out) || !consecutive(&in->layout.storage, &out->layout.storage))
      return WEFT_OK;
    at += weft__tensor_span(in);
  }
  if (at != out->bytes)
    return WEFT_OK;
  at = 0;
  for (uint32_t i = 0; i < n->desc.pub.n_in; i++) {
    uint32_t v = weft__local(b->x->program, n->in[i].value);
    weft_tensor *in = weft__tensor_of(b->x, b->s, v);
    if (in->dtype != out->dtype || (!in->layout.origin.rank && out->layout.origin.rank))
      continue;
    if (can_lie_in(b, v, whole)) {
      b->s->place[v - b->s->v0].root = whole;
      b->s->place[v - b->s->v0].at = at;
    } else
      WEFT_TRY(move(b, WEFT__RUN_COPY, pos, in, out, at));
    at += weft__tensor_span(in);
  }
  return *done = true, WEFT_OK;
}

// Without a kernel: as a view, or made in place.
weft_status weft__build_moved(builder *b, const weft_node *n, uint32_t pos, bool *done) {
  uint64_t traits = n->desc.proto->op->traits;
  uint32_t from = n->desc.pub.n_in ? weft__local(b->x->program, n->in[0].value) : 0;
  const weft_tensor *out = b->s->tensor[b->f->first_out[pos] - b->s->v0];
  if (traits & (WEFT_JOIN | WEFT_CUT) && b->device)
    return WEFT_OK;
  if (traits & WEFT_JOIN)
    return weft__build_joined(b, n, pos, done);
  if (traits & WEFT_CUT)
    return plan_cut(b, n, pos, done);
  if (!(traits & WEFT_VIEW) || n->desc.pub.n_out != 1 || !n->desc.pub.n_in)
    return WEFT_OK;
  const weft_tensor *in = weft__tensor_of(b->x, b->s, from);
  if (!weft__holds_numbers(in->kind, in->dtype) || weft__tensor_span(in) != out->bytes)
    return WEFT_OK;
  return *done = true, plan_view(b, from, pos, 0, 0);
}
// SPDX-License-Identifier: Apache-2.0
