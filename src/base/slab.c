// slab.c - memory for constants of a model: from few blocks, so that the system can back them with large
// pages. A first touch of 4 KiB costs half a microsecond, of 2 MiB little more.
//
// Blocks double from 64 KiB, or from 2 MiB when 8 MiB are expected, to 8 MiB and are filled from the
// front; where it is known how much is to come, one block is as large as that, so that nothing is left over.
// A request of 2 MiB and more has one of its own, whole large pages, of which smaller requests get what is
// over. Nothing in a block is used twice: a block goes back when all that was taken from it was given back.
// The head of a block lies apart, so that a block of 2 MiB is one page.
#include "base/base.h"

enum { FIRST = 64 << 10, OWN = 2 << 20, LAST = 8 << 20, ALIGN = 64, LOOK = 64 };

typedef struct weft__slab_block {
  struct weft__slab_block *older, *newer;
  char *data;
  size_t bytes, used;
  uint32_t live;
} block;

void weft__slab_init(weft__slab *s, const weft_allocator *a) {
  *s = (weft__slab){.alloc = *a, .next_bytes = FIRST};
}

void weft__slab_expect(weft__slab *s, size_t bytes) {
  if (bytes >= LAST)
    s->next_bytes = WEFT_MAX(s->next_bytes, OWN);
}

void weft__slab_known(weft__slab *s, size_t bytes) {
  s->known_bytes = bytes;
}

static void free_block(weft__slab *s, block *b) {
  if (b->newer)
    b->newer->older = b->older;
  else
    s->blocks = b->older;
  if (b->older)
    b->older->newer = b->newer;
  weft__free(&s->alloc, b->data, b->bytes, weft__large_align(b->bytes));
  weft__free(&s->alloc, b, sizeof *b, _Alignof(block));
}

void weft__slab_deinit(weft__slab *s) {
  while (s->blocks)
    free_block(s, s->blocks);
}

// Listed in front when it is to be filled, behind the one that is being filled otherwise.
static block *add_block(weft__slab *s, size_t bytes, bool own) {
  block *b = weft__alloc(&s->alloc, sizeof *b, _Alignof(block));
  if (!b)
    return NULL;
  *b = (block){.bytes = bytes, .data = weft__alloc(&s->alloc, bytes, weft__large_align(bytes))};
  if (!b->data) {
    weft__free(&s->alloc, b, sizeof *b, _Alignof(block));
    return NULL;
  }
  block *before = own && s->blocks ? s->blocks : NULL;  // newer than it
  b->newer = before;
  b->older = before ? before->older : s->blocks;
  if (b->older)
    b->older->newer = b;
  if (before)
    before->older = b;
  else
    s->blocks = b;
  return b;
}

void *weft__slab_take(weft__slab *s, size_t bytes, block **out_block) {
  size_t need;
  if (!weft_add_size(bytes, ALIGN - 1, &need))
    return NULL;
  need &= ~(size_t)(ALIGN - 1);
  block *b = s->blocks;
  for (int i = 0; need < OWN && b && b->bytes - b->used < need; i++)
    b = i < LOOK ? b->older : NULL;
  if (need >= OWN) {
    b = add_block(s, weft__large_bytes(need), true);
  } else if (!b && s->known_bytes >= need) {
    b = add_block(s, weft__large_bytes(s->known_bytes), false);
  } else if (!b) {
    while (s->next_bytes < need)
      s->next_bytes *= 2;
    b = add_block(s, s->next_bytes, false);
    if (b && s->next_bytes < LAST)
      s->next_bytes *= 2;
  }
  if (!b)
    return NULL;
  void *p = b->data + b->used;
  b->used += need;
  b->live++;
  if (out_block)
    *out_block = b;
  return p;
}

void weft__slab_give(weft__slab *s, block *b) {
  if (!--b->live)
    free_block(s, b);
}
// SPDX-License-Identifier: Apache-2.0
