// in_place.c - states that a run changes where they lie, instead of writing another buffer. A plan allows it
// where a state's new value is what a chain of kernels makes of the old one by changing some places of it, each
// over its input, and nobody reads the old value once the first of them has begun. Each notes what it
// overwrites, a copy of as much as it changes, so that a run that fails puts everything back.
//
// A plan of several segments, streams or devices uses two buffers: there a reader may come after the writer.
#include "base/allocated.h"
#include "run/layout.h"

// What decides about one state: its old value, which comes in, and the memory of the new one.
typedef struct in_place_state {
  uint32_t was;      // a value: the state's input
  uint32_t root;     // the value in whose memory the new one is made
  uint32_t writers;  // kernels found so far
} in_place_state;

// Does a launch make a value in the memory of the new state?
static bool in_place_makes(const layout *y, const weft__launch *l, uint32_t root) {
  if (l->kind == WEFT__RUN_VIEW)
    return false;
  for (uint32_t v = y->f->first_out[l->node]; v < y->f->first_out[l->node + 1]; v++) {
    if (weft__layout_root(y, v) == root)
      return true;
  }
  return false;
}

// Can a launch put back what it changes, and is that less than the whole?
static bool in_place_undoes(const weft__launch *l) {
  size_t each;
  size_t all;
  const bool notes = l->kind == WEFT__RUN_KERNEL && l->phases > 1 && l->undo_pieces && (l->overwrite & 1);
  if (!notes || l->call.n_out != 1 || !weft_add_size(l->undo_piece_bytes, sizeof(uint64_t), &each) ||
      !weft_mul_size(each, l->undo_pieces, &all))
    return false;
  return all <= l->call.out[0]->bytes / 2;
}

// Does nobody read the old value, or a part of it, beside or after the launch that changes it first? `from` is
// what that one changes: the old value, or a view of all of it.
static bool in_place_read_before(const layout *y, const weft__launch *first, uint32_t was, uint32_t from) {
  const weft_node *n = y->f->node[first->node];
  const uint32_t last = y->f->last[was];
  if (last > first->node && last != WEFT__UNREAD)
    return false;
  for (uint32_t i = 1; i < n->desc.pub.n_in; i++) {
    if (n->in[i].value && weft__layout_root(y, weft__local(y->x->program, n->in[i].value)) == was)
      return false;
  }
  for (uint32_t v = y->s->v0; v < y->s->v1; v++) {
    const bool later = y->until[v] > first->node || (y->until[v] == first->node && v != from);
    if (weft__layout_root(y, v) == was && later)
      return false;
  }
  return true;
}

// Does it change what the launch before it left there, or first the old value?
static bool in_place_changes(const layout *y, const weft__launch *l, in_place_state *st) {
  const weft_node *n = y->f->node[l->node];
  const uint32_t to = y->f->first_out[l->node];
  if (!in_place_undoes(l) || weft__layout_at(y, to) || !n->in[0].value)
    return false;
  if (!weft_shape_equal(&l->call.in[0]->layout.origin, &l->call.out[0]->layout.origin))
    return false;
  const uint32_t from = weft__local(y->x->program, n->in[0].value);
  if (st->writers++)
    return weft__layout_root(y, from) == st->root;
  return weft__layout_root(y, from) == st->was && !weft__layout_at(y, from) &&
         in_place_read_before(y, l, st->was, from);
}

// May output k, the new value of the state that comes in as `was`, be made in its memory?
static bool in_place_fits(const layout *y, uint32_t was, uint32_t k) {
  in_place_state st = {.was = was};
  const uint32_t now = y->f->out[k];
  if (!weft__layout_made(y, now) || weft__layout_at(y, now))
    return false;
  st.root = weft__layout_root(y, now);
  const weft__place *p = weft__layout_place(y, st.root);
  if (!weft__layout_made(y, st.root) || p->kind != WEFT__AT_OUTPUT || p->output != k)
    return false;
  for (uint32_t i = 0; i < y->s->n_launches; i++) {
    const weft__launch *l = &y->s->launch[i];
    if (in_place_makes(y, l, st.root) && !in_place_changes(y, l, &st))
      return false;
  }
  return st.writers > 0;
}

static weft_status in_place_prepare(const layout *y, weft__launch *l) {
  weft_arena *a = &y->s->mem;
  weft__undoing *u = WEFT_NEW(a, weft__undoing);
  WEFT_TRY(weft__allocated(u, y->x->d));
  u->noted.at = WEFT_NEW_N(a, uint64_t, l->undo_pieces);
  u->noted.was = weft__arena_alloc(a, l->undo_pieces * l->undo_piece_bytes, 64);
  WEFT_TRY(weft__allocated(u->noted.at && u->noted.was, y->x->d));
  u->is_noted = false;
  l->undo = u;
  const weft_undo *noted = &u->noted;
  memcpy((char *)(uintptr_t)l->block.data + l->undo_at, &noted, sizeof noted);
  return WEFT_OK;
}

weft_status weft__layout_in_place(layout *y) {
  weft_exec *x = y->x;
  const weft_program *p = x->program;
  const bool whole = !y->s->parent && y->s->end == y->f->n_nodes;
  if (!p->n_states || x->fn_index || !whole || y->s->streams || x->open || x->o.watch)
    return WEFT_OK;
  bool *in_place = WEFT_NEW_N(&y->s->mem, bool, (size_t)y->f->n_out + 1);
  WEFT_TRY(weft__allocated(in_place, x->d));
  y->s->in_place = in_place;
  uint32_t k = p->n_out;
  for (uint32_t i = 0; i < p->n_states; i++) {
    if (!p->state[i].written)
      continue;
    in_place[k] = in_place_fits(y, p->n_in + i, k);
    const uint32_t root = weft__layout_root(y, y->f->out[k]);
    for (uint32_t j = 0; in_place[k] && j < y->s->n_launches; j++) {
      if (in_place_makes(y, &y->s->launch[j], root))
        WEFT_TRY(in_place_prepare(y, &y->s->launch[j]));
    }
    k++;
  }
  return WEFT_OK;
}

// ---- runs ----
// The last one first, and of one launch any order: what is noted twice was the same both times.
void weft__in_place_end(weft__seg *s, bool failed) {
  for (uint32_t i = s->in_place ? s->n_launches : 0; i-- > 0;) {
    const weft__launch *l = &s->launch[i];
    weft__undoing *u = l->undo;
    if (!u || !u->is_noted)
      continue;
    const size_t piece = l->undo_piece_bytes;
    for (size_t k = 0; failed && k < l->undo_pieces; k++)
      memcpy((char *)l->call.out[0]->data + u->noted.at[k], (const char *)u->noted.was + k * piece, piece);
    u->is_noted = false;
  }
}
// SPDX-License-Identifier: Apache-2.0
