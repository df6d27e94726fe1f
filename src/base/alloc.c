// alloc.c - the default allocator, the calls that reach an allocator, vectors and the arena.
// The only file of the library with malloc, realloc, aligned_alloc and free.
//
// An arena is a list of blocks, newest first; the newest one that is not oversized is bumped. Blocks double
// from 4 KiB to 1 MiB. A request of more than a quarter of the next block gets a block of its own, listed
// behind the bumped one, so that the rest of that is not lost: at most a quarter of a block is wasted for
// each block. An allocator with fn NULL, and a NULL allocator, mean the default one.
#include "base/base.h"

#include <stdlib.h>

enum { FIRST_BLOCK_BYTES = 4096, LAST_BLOCK_BYTES = 1 << 20, BLOCK_ALIGN = 16 };

typedef struct weft_arena_block {
  struct weft_arena_block *older;
  size_t bytes;       // of the whole block, this header included
  size_t next_bytes;  // of the next block that is not oversized
} arena_block;

enum { HEADER_BYTES = (sizeof(arena_block) + BLOCK_ALIGN - 1) / BLOCK_ALIGN * BLOCK_ALIGN };

static void *over_aligned(void *ptr, size_t old_bytes, size_t new_bytes, size_t align) {
  size_t rounded;
  if (!weft_add_size(new_bytes, align - 1, &rounded) || rounded > PTRDIFF_MAX) return NULL;
  void *p = aligned_alloc(align, rounded & ~(align - 1));
  if (!p || !ptr) return p;
  memcpy(p, ptr, WEFT_MIN(old_bytes, new_bytes));
  free(ptr);
  return p;
}

static void *default_alloc(void *ctx, void *ptr, size_t old_bytes, size_t new_bytes, size_t align) {
  (void)ctx;
  if (!new_bytes) {
    free(ptr);
    return NULL;
  }
  if (new_bytes > PTRDIFF_MAX) return NULL;  // no object may be larger
  if (align > _Alignof(max_align_t)) return over_aligned(ptr, old_bytes, new_bytes, align);
  return realloc(ptr, new_bytes);
}

weft_allocator weft_allocator_default(void) {
  weft_allocator a = {default_alloc, NULL};
  return a;
}

static void *call(const weft_allocator *a, void *p, size_t old_bytes, size_t new_bytes, size_t align) {
  WEFT_ASSERT(align && !(align & (align - 1)));
  if (!a || !a->fn) return default_alloc(NULL, p, old_bytes, new_bytes, align);
  return a->fn(a->ctx, p, old_bytes, new_bytes, align);
}

void *weft__alloc(const weft_allocator *a, size_t bytes, size_t align) {
  return call(a, NULL, 0, bytes ? bytes : 1, align);
}

void *weft__realloc(const weft_allocator *a, void *p, size_t old_bytes, size_t new_bytes, size_t align) {
  size_t had = p && !old_bytes ? 1 : old_bytes;
  return call(a, p, p ? had : 0, new_bytes ? new_bytes : 1, align);
}

void weft__free(const weft_allocator *a, void *p, size_t bytes, size_t align) {
  if (p) call(a, p, bytes ? bytes : 1, 0, align);
}

bool weft__vec_grow(const weft_allocator *a, void **v, size_t *cap, size_t n, size_t item_bytes) {
  size_t wanted, old_bytes, new_bytes;
  if (!weft_add_size(*cap, *cap, &wanted) || n == SIZE_MAX) return false;
  wanted = WEFT_MAX(wanted, n + 1);
  wanted = WEFT_MAX(wanted, 8);
  if (!weft_mul_size(*cap, item_bytes, &old_bytes) || !weft_mul_size(wanted, item_bytes, &new_bytes))
    return false;
  void *p = weft__realloc(a, *v, old_bytes, new_bytes, BLOCK_ALIGN);
  if (!p) return false;
  *v = p;
  *cap = wanted;
  return true;
}

void weft__arena_init(weft_arena *a, const weft_allocator *alloc) {
  weft_arena empty = {.alloc = alloc && alloc->fn ? *alloc : weft_allocator_default()};
  *a = empty;
}

// The arena is empty afterwards and may be used again.
void weft__arena_deinit(weft_arena *a) {
  arena_block *b = a->last;
  while (b) {
    arena_block *older = b->older;
    weft__free(&a->alloc, b, b->bytes, BLOCK_ALIGN);
    b = older;
  }
  a->last = NULL;
  a->at = a->end = NULL;
  a->used_bytes = 0;
}

static void *in_own_block(weft_arena *a, size_t bytes, size_t need, size_t align) {
  size_t total;
  if (!weft_add_size(need, HEADER_BYTES, &total)) return NULL;
  arena_block *b = weft__alloc(&a->alloc, total, BLOCK_ALIGN);
  if (!b) return NULL;
  b->bytes = total;
  if (a->last) {
    b->next_bytes = a->last->next_bytes;
    b->older = a->last->older;
    a->last->older = b;
  } else {
    b->next_bytes = FIRST_BLOCK_BYTES;
    b->older = NULL;
    a->last = b;
    a->at = a->end = (char *)b + total;
  }
  uintptr_t start = (uintptr_t)b + HEADER_BYTES;
  uintptr_t at = (start + (align - 1)) & ~(uintptr_t)(align - 1);
  a->used_bytes += bytes + (at - start);
  return (char *)b + HEADER_BYTES + (at - start);
}

void *weft__arena_alloc_slow(weft_arena *a, size_t bytes, size_t align) {
  WEFT_ASSERT(align && !(align & (align - 1)));
  size_t need = bytes, next = a->last ? a->last->next_bytes : FIRST_BLOCK_BYTES;
  if (align > BLOCK_ALIGN && !weft_add_size(bytes, align, &need)) return NULL;
  if (need > next / 4) return in_own_block(a, bytes, need, align);
  arena_block *b = weft__alloc(&a->alloc, next, BLOCK_ALIGN);
  if (!b) return NULL;
  b->older = a->last;
  b->bytes = next;
  b->next_bytes = next < LAST_BLOCK_BYTES ? next * 2 : next;
  a->last = b;
  a->at = (char *)b + HEADER_BYTES;
  a->end = (char *)b + next;
  return weft__arena_alloc(a, bytes, align);  // fits: need is a quarter of the block at most
}

void *weft__arena_zalloc(weft_arena *a, size_t bytes, size_t align) {
  void *p = weft__arena_alloc(a, bytes, align);
  return p ? memset(p, 0, bytes) : NULL;
}

void *weft__arena_array(weft_arena *a, size_t n, size_t item_bytes, size_t align) {
  size_t bytes;
  return weft_mul_size(n, item_bytes, &bytes) ? weft__arena_zalloc(a, bytes, align) : NULL;
}

char *weft__arena_strdup(weft_arena *a, const char *text, size_t bytes) {
  size_t total;
  if (!weft_add_size(bytes, 1, &total)) return NULL;
  char *p = weft__arena_alloc(a, total, 1);
  if (!p) return NULL;
  if (bytes) memcpy(p, text, bytes);
  p[bytes] = '\0';
  return p;
}
