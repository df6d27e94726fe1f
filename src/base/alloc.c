// alloc.c - the default allocator, the calls that reach an allocator, vectors and the arena.
// The only file of the library that takes memory from libc: realloc, and posix_memalign where more alignment
// is asked for. tools/check_layers.py bans the calls that do; who else frees what libc made for it stands
// there.
//
// An arena is a list of blocks, newest first; the newest one that is not oversized is bumped. Blocks double
// from 4 KiB to 2 MiB. A request of more than a quarter of the next block gets a block of its own, listed
// behind the bumped one, so that the rest of that is not lost: at most a quarter of a block is wasted for
// each block. An allocator with fn NULL, and a NULL allocator, mean the default one.
// From the default allocator, blocks of more than 1 MiB are multiples of 2 MiB, and the system is asked to
// back them with large pages: a graph of 20,000 nodes spent a third of its import on faults of 4 KiB. What
// such a block has over is bumped when that is more than the bumped block has left.
#define _DEFAULT_SOURCE  // madvise, posix_memalign
#include "base/budget.h"

#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

enum { FIRST_BLOCK_BYTES = 4096, LAST_BLOCK_BYTES = 1 << 21, LARGE_PAGE = 1 << 21, BLOCK_ALIGN = 16 };

#ifdef MADV_HUGEPAGE
static void ask_for_large_pages(void *p, size_t bytes) {
  (void)madvise(p, bytes, MADV_HUGEPAGE);  // a wish: without large pages the memory is as good
}
#else
static void ask_for_large_pages(void *p, size_t bytes) {
  (void)p;
  (void)bytes;
}
#endif

static void *over_aligned(void *ptr, size_t old_bytes, size_t new_bytes, size_t align) {
  void *p;
  if (posix_memalign(&p, align, new_bytes))
    return NULL;
  if (align >= LARGE_PAGE)
    ask_for_large_pages(p, new_bytes / LARGE_PAGE * LARGE_PAGE);
  if (!ptr)
    return p;
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
  if (new_bytes > PTRDIFF_MAX)
    return NULL;  // no object may be larger
  if (align > _Alignof(max_align_t))
    return over_aligned(ptr, old_bytes, new_bytes, align);
  return realloc(ptr, new_bytes);
}

weft_allocator weft_allocator_default(void) {
  weft_allocator a = {default_alloc, NULL};
  return a;
}

static void *alloc_call(const weft_allocator *a, void *p, size_t old_bytes, size_t new_bytes, size_t align) {
  WEFT_ASSERT(align && !(align & (align - 1)));
  if (!a || !a->fn)
    return default_alloc(NULL, p, old_bytes, new_bytes, align);
  return a->fn(a->ctx, p, old_bytes, new_bytes, align);
}

void *weft__alloc(const weft_allocator *a, size_t bytes, size_t align) {
  return alloc_call(a, NULL, 0, bytes ? bytes : 1, align);
}

void *weft__realloc(const weft_allocator *a, void *p, size_t old_bytes, size_t new_bytes, size_t align) {
  size_t had = p && !old_bytes ? 1 : old_bytes;
  return alloc_call(a, p, p ? had : 0, new_bytes ? new_bytes : 1, align);
}

void weft__free(const weft_allocator *a, void *p, size_t bytes, size_t align) {
  if (p)
    alloc_call(a, p, bytes ? bytes : 1, 0, align);
}

void weft__repeat(void *to, const void *one, size_t bytes, size_t n) {
  enum { PIECE = 16 << 10 };  // what is copied stays in the first cache
  char *at = to;
  size_t all = bytes * n;
  for (size_t done = 0, more; done < all; done += more) {
    more = done ? WEFT_MIN(done, PIECE / bytes * bytes + bytes) : bytes;
    more = WEFT_MIN(more, all - done);
    memcpy(at + done, done ? at : one, more);
  }
}

size_t weft__large_align(size_t bytes) {
  return bytes >= LARGE_PAGE ? LARGE_PAGE : 64;
}

size_t weft__large_bytes(size_t bytes) {
  size_t over = bytes % LARGE_PAGE;
  return over < LARGE_PAGE / 2 || bytes > SIZE_MAX - LARGE_PAGE ? bytes : bytes - over + LARGE_PAGE;
}

void weft__pages_touch(void *p, size_t bytes) {
#ifdef MADV_POPULATE_WRITE
  long page = sysconf(_SC_PAGESIZE);
  uintptr_t mask = page > 0 ? (uintptr_t)page - 1 : 0;
  uintptr_t from = (uintptr_t)p & ~mask;
  uintptr_t to = ((uintptr_t)p + bytes + mask) & ~mask;
  if (mask && bytes)
    (void)madvise((void *)from, (size_t)(to - from), MADV_POPULATE_WRITE);
#else
  (void)p, (void)bytes;
#endif
}

// Whole pages only; an allocator that is not ours may have given memory that must keep what is in it.
void weft__pages_drop(const weft_allocator *a, void *p, size_t bytes) {
#ifdef MADV_DONTNEED
  enum { PAGE = 1 << 16 };  // of no machine is it larger
  uintptr_t from = ((uintptr_t)p + PAGE - 1) & ~(uintptr_t)(PAGE - 1);
  uintptr_t to = ((uintptr_t)p + bytes) & ~(uintptr_t)(PAGE - 1);
  if (weft__alloc_is_default(a) && from < to)
    (void)madvise((void *)from, (size_t)(to - from), MADV_DONTNEED);
#else
  (void)a, (void)p, (void)bytes;
#endif
}

bool weft__alloc_is_default(const weft_allocator *a) {
  const weft_allocator *from = weft__budget_below(a);
  return !from || !from->fn || from->fn == default_alloc;
}

bool weft__vec_grow(const weft_allocator *a, void **v, size_t *cap, size_t n, size_t item_bytes) {
  size_t wanted;
  size_t old_bytes;
  size_t new_bytes;
  if (!weft_add_size(*cap, *cap, &wanted) || n == SIZE_MAX)
    return false;
  wanted = WEFT_MAX(wanted, n + 1);
  wanted = WEFT_MAX(wanted, 8);
  if (!weft_mul_size(*cap, item_bytes, &old_bytes) || !weft_mul_size(wanted, item_bytes, &new_bytes))
    return false;
  void *p = weft__realloc(a, *v, old_bytes, new_bytes, BLOCK_ALIGN);
  if (!p)
    return false;
  *v = p;
  *cap = wanted;
  return true;
}

// ---- the arena ----
typedef struct weft_arena_block {
  struct weft_arena_block *older;
  size_t bytes;  // of the whole block, this header included
  size_t align;  // it was asked for with
} arena_block;

enum { HEADER_BYTES = (sizeof(arena_block) + BLOCK_ALIGN - 1) / BLOCK_ALIGN * BLOCK_ALIGN };

void weft__arena_init(weft_arena *a, const weft_allocator *alloc) {
  weft_arena empty = {.alloc = alloc && alloc->fn ? *alloc : weft_allocator_default()};
  *a = empty;
}

// The arena is empty afterwards and may be used again.
void weft__arena_deinit(weft_arena *a) {
  arena_block *b = a->last;
  while (b) {
    arena_block *older = b->older;
    weft__free(&a->alloc, b, b->bytes, b->align);
    b = older;
  }
  weft_allocator alloc = a->alloc;
  weft__arena_init(a, &alloc);
}

void weft__arena_reset(weft_arena *a) {
  enum { KEPT_MAX = 1 << 16 };
  arena_block *b = a->last;
  if (!b || b->bytes > KEPT_MAX) {
    weft__arena_deinit(a);
    return;
  }
  for (arena_block *old = b->older, *older; old; old = older) {
    older = old->older;
    weft__free(&a->alloc, old, old->bytes, old->align);
  }
  b->older = NULL;
  a->at = (char *)b + HEADER_BYTES;
  a->end = (char *)b + b->bytes;
  a->used_bytes = 0;
}

void weft__arena_expect(weft_arena *a, size_t bytes) {
  if (bytes >= LARGE_PAGE && weft__alloc_is_default(&a->alloc))
    a->next_bytes = LAST_BLOCK_BYTES;
}

// A block for `bytes`, in no list yet. NULL: out of memory.
static arena_block *make_block(weft_arena *a, size_t bytes) {
  size_t align = BLOCK_ALIGN;
  if (bytes > LARGE_PAGE / 2 && weft__alloc_is_default(&a->alloc)) {
    align = LARGE_PAGE;
    if (!weft_add_size(bytes, LARGE_PAGE - 1, &bytes))
      return NULL;
    bytes &= ~(size_t)(LARGE_PAGE - 1);
  }
  arena_block *b = weft__alloc(&a->alloc, bytes, align);
  if (b) {
    b->bytes = bytes;
    b->align = align;
  }
  return b;
}

static void bump(weft_arena *a, arena_block *b, char *from) {
  b->older = a->last;
  a->last = b;
  a->at = from;
  a->end = (char *)b + b->bytes;
}

static void *in_own_block(weft_arena *a, size_t bytes, size_t need, size_t align) {
  size_t total;
  if (!weft_add_size(need, HEADER_BYTES, &total))
    return NULL;
  arena_block *b = make_block(a, total);
  if (!b)
    return NULL;
  uintptr_t start = (uintptr_t)b + HEADER_BYTES;
  uintptr_t at = (start + (align - 1)) & ~(uintptr_t)(align - 1);
  char *p = (char *)b + HEADER_BYTES + (at - start);
  a->used_bytes += bytes + (at - start);
  if (b->align == LARGE_PAGE)
    a->next_bytes = LAST_BLOCK_BYTES;  // it holds much: what follows may be large, too
  if (!a->last || (b->align == LARGE_PAGE && b->bytes - total > (size_t)(a->end - a->at))) {
    bump(a, b, p + bytes);
  } else {
    b->older = a->last->older;
    a->last->older = b;
  }
  return p;
}

void *weft__arena_alloc_slow(weft_arena *a, size_t bytes, size_t align) {
  WEFT_ASSERT(align && !(align & (align - 1)));
  size_t need = bytes;
  size_t next = a->next_bytes ? a->next_bytes : FIRST_BLOCK_BYTES;
  if (align > BLOCK_ALIGN && !weft_add_size(bytes, align, &need))
    return NULL;
  if (need > next / 4)
    return in_own_block(a, bytes, need, align);
  arena_block *b = make_block(a, next);
  if (!b)
    return NULL;
  if (next < LAST_BLOCK_BYTES)
    a->next_bytes = next * 2;
  bump(a, b, (char *)b + HEADER_BYTES);
  return weft__arena_alloc(a, bytes, align);  // fits: need is a quarter of the block at most
}

void *weft__arena_zalloc(weft_arena *a, size_t bytes, size_t align) {
  void *p = weft__arena_alloc(a, bytes, align);
  return p ? memset(p, 0, bytes) : NULL;
}

void weft__arena_trim(weft_arena *a, void *p, size_t bytes, size_t needed) {
  if ((char *)p + bytes != a->at)
    return;
  a->at = (char *)p + needed;
  a->used_bytes -= bytes - needed;
}

void *weft__arena_array(weft_arena *a, size_t n, size_t item_bytes, size_t align) {
  size_t bytes;
  return weft_mul_size(n, item_bytes, &bytes) ? weft__arena_zalloc(a, bytes, align) : NULL;
}

char *weft__arena_strdup(weft_arena *a, const char *text, size_t bytes) {
  size_t total;
  if (!weft_add_size(bytes, 1, &total))
    return NULL;
  char *p = weft__arena_alloc(a, total, 1);
  if (!p)
    return NULL;
  if (bytes)
    memcpy(p, text, bytes);
  p[bytes] = '\0';
  return p;
}
// SPDX-License-Identifier: Apache-2.0
