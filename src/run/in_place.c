// in_place.c - states that a run changes where they lie, instead of writing another buffer. A plan allows it
// where a state's new value is what a chain of kernels makes of the old one by changing some places of it,
// each over its input, and nobody reads the old value once the first of them has begun. Each notes what it
// overwrites, a copy of as much as it changes, so that a run that fails puts everything back.
//
// A plan of several segments, streams or devices uses two buffers: there a reader may come after the writer.
#include "base/allocated.h"
#include "run/layout.h"

// What decides about one state: its old value, which comes in, and the memory of the new one.
typedef struct in_place_state {
  uint32_t was;   // a value: the state's input
  uint32_t root;  // the value in whose memory the new one is made
  bool begun;     // a kernel that changes it was found
} in_place_state;

// The value that a launch takes as its input i; WEFT__UNREAD: none.
static uint32_t in_place_input(const layout *y, const weft__launch *l, uint32_t i) {
  const weft_value *v = y->f->node[l->node]->in[i].value;
  return v ? weft__local(y->x->program, v) : WEFT__UNREAD;
}

static bool in_place_lies_in(const layout *y, uint32_t v, uint32_t root) {
  return v != WEFT__UNREAD && weft__layout_root(y, v) == root;
}

// Does a launch make a value in the memory of the new state?
static bool in_place_makes(const layout *y, const weft__launch *l, uint32_t root) {
  const uint32_t end = y->f->first_out[l->node + 1];
  uint32_t v = y->f->first_out[l->node];
  while (v < end && !in_place_lies_in(y, v, root))
    v++;
  return v < end && l->kind != WEFT__RUN_VIEW;
}

// Can a launch put back what it changes, and is that less than the whole?
static bool in_place_undoes(const weft__launch *l) {
  size_t each;
  size_t all;
  if (l->kind != WEFT__RUN_KERNEL || l->phases < 2 || !l->undo_pieces)
    return false;
  if (!(l->overwrite & 1) || l->call.n_out != 1)
    return false;
  if (!weft_add_size(l->undo_piece_bytes, sizeof(uint64_t), &each))
    return false;
  return weft_mul_size(each, l->undo_pieces, &all) && all <= l->call.out[0]->bytes / 2;
}

// Does nobody read the old value, or a part of it, beside or after the launch that changes it first? `from`
// is what that one changes: the old value, or a view of all of it.
static bool in_place_read_before(const layout *y, const weft__launch *first, uint32_t was, uint32_t from) {
  const uint32_t last = y->f->last[was];
  const bool read_later = last != WEFT__UNREAD && last > first->node;
  if (read_later)
    return false;

  for (uint32_t i = 1; i < first->call.n_in; i++) {
    if (in_place_lies_in(y, in_place_input(y, first, i), was))
      return false;
  }

  for (uint32_t v = y->s->v0; v < y->s->v1; v++) {
    const uint32_t needed = v == from ? first->node + 1 : first->node;
    if (y->until[v] >= needed && in_place_lies_in(y, v, was))
      return false;
  }
  return true;
}

// Does it change what the launch before it left there, or first the old value?
static bool in_place_changes(const layout *y, const weft__launch *l, in_place_state *st) {
  const uint32_t from = in_place_input(y, l, 0);
  const bool begun = st->begun;
  if (from == WEFT__UNREAD || !in_place_undoes(l) || weft__layout_at(y, y->f->first_out[l->node]))
    return false;
  if (!weft_shape_equal(&l->call.in[0]->layout.origin, &l->call.out[0]->layout.origin))
    return false;

  st->begun = true;
  if (begun)
    return in_place_lies_in(y, from, st->root);
  const bool whole = in_place_lies_in(y, from, st->was) && !weft__layout_at(y, from);
  return whole && in_place_read_before(y, l, st->was, from);
}

// May output k, the new value of the state that comes in as `was`, be made in its memory?
static bool in_place_fits(const layout *y, uint32_t was, uint32_t k) {
  in_place_state st = {.was = was};
  const uint32_t now = y->f->out[k];
  if (!weft__layout_made(y, now) || weft__layout_at(y, now))
    return false;

  st.root = weft__layout_root(y, now);
  if (!weft__layout_made(y, st.root))
    return false;
  const weft__place *p = weft__layout_place(y, st.root);
  if (p->kind != WEFT__AT_OUTPUT || p->output != k)
    return false;

  for (uint32_t i = 0; i < y->s->n_launches; i++) {
    const weft__launch *l = &y->s->launch[i];
    if (in_place_makes(y, l, st.root) && !in_place_changes(y, l, &st))
      return false;
  }
  return st.begun;
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

// All launches that change the state of output k.
static weft_status in_place_prepare_all(const layout *y, uint32_t k) {
  const uint32_t root = weft__layout_root(y, y->f->out[k]);
  for (uint32_t i = 0; i < y->s->n_launches; i++) {
    if (in_place_makes(y, &y->s->launch[i], root))
      WEFT_TRY(in_place_prepare(y, &y->s->launch[i]));
  }
  return WEFT_OK;
}

static bool in_place_possible(const layout *y) {
  const bool is_root = y->x->fn_index == 0 && y->x->program->n_states;
  const bool is_whole = !y->s->parent && y->s->end == y->f->n_nodes;
  const bool in_order = !y->s->streams && !y->x->open;
  return is_root && is_whole && in_order && !y->x->o.watch;
}

weft_status weft__layout_in_place(layout *y) {
  const weft_program *p = y->x->program;
  if (!in_place_possible(y))
    return WEFT_OK;
  bool *in_place = WEFT_NEW_N(&y->s->mem, bool, (size_t)y->f->n_out + 1);
  WEFT_TRY(weft__allocated(in_place, y->x->d));
  y->s->in_place = in_place;

  uint32_t k = p->n_out;
  for (uint32_t i = 0; i < p->n_states; i++) {
    if (!p->state[i].written)
      continue;
    in_place[k] = in_place_fits(y, p->n_in + i, k);
    if (in_place[k])
      WEFT_TRY(in_place_prepare_all(y, k));
    k++;
  }
  return WEFT_OK;
}

// ---- runs ----
static void in_place_put_back(const weft__launch *l) {
  const weft_undo *noted = &l->undo->noted;
  const size_t piece = l->undo_piece_bytes;
  for (size_t k = 0; k < l->undo_pieces; k++)
    memcpy((char *)l->call.out[0]->data + noted->at[k], (const char *)noted->was + k * piece, piece);
}

// The last one first, and of one launch any order: what is noted twice was the same both times.
void weft__in_place_end(weft__seg *s, bool failed) {
  uint32_t i = s->in_place ? s->n_launches : 0;
  while (i-- > 0) {
    const weft__launch *l = &s->launch[i];
    if (!l->undo)
      continue;
    if (failed && l->undo->is_noted)
      in_place_put_back(l);
    l->undo->is_noted = false;
  }
}
// SPDX-License-Identifier: Apache-2.0
