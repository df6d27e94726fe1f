// base.h - what the library's own files share: arenas, vectors, maps, text buffers, checked maths, files.
// Layer: base (libc only).
#pragma once
#include <assert.h>
#include <stdio.h>
#include <string.h>

#include "weft/base.h"
#include "weft/shape.h"

#define WEFT_ASSERT(e) assert(e)
#define WEFT_COUNT(a)  (sizeof(a) / sizeof((a)[0]))
#define WEFT_MIN(a, b) ((a) < (b) ? (a) : (b))
#define WEFT_MAX(a, b) ((a) > (b) ? (a) : (b))

// A public function begins with it for every pointer that must not be NULL: E_INVALID names function and
// argument. Internal functions are not called with NULL.
weft_status weft__null_argument(weft_diag *d, const char *function, const char *argument);
#define WEFT_NEED(d, pointer)                              \
  do {                                                     \
    if (!(pointer))                                        \
      return weft__null_argument((d), __func__, #pointer); \
  } while (0)

// The same of a list, which may be NULL where it has no entries.
#define WEFT_NEED_LIST(d, list, n) \
  do {                             \
    if (n)                         \
      WEFT_NEED(d, list);          \
  } while (0)

// ---- structs that grow (weft/base.h): the one way to read and to write them ----
// Copies what the caller's struct holds, `given` (NULL: nothing), over the defaults in `own`, which knows
// `known` bytes. `first`: its bytes in weft 0.1, for a size of 0.
void weft__sized_in(void *own, size_t known, const void *given, size_t first);
// Fills the caller's struct, `out` (NULL allowed), from `own` as far as its size reaches.
void weft__sized_out(void *out, const void *own, size_t known, size_t first);
// The same to a place of so many bytes that holds nothing yet.
void weft__sized_fill(void *out, size_t bytes, const void *own, size_t known);
// Bytes up to the end of a member, the last one that the struct had in weft 0.1.
#define WEFT_SIZE_TO(s, member)        ((size_t)((const char *)(&(s)->member + 1) - (const char *)(s)))
#define WEFT_SIZED_IN(own, o, last)    weft__sized_in((own), sizeof *(own), (o), WEFT_SIZE_TO(own, last))
#define WEFT_SIZED_OUT(out, own, last) weft__sized_out((out), (own), sizeof *(own), WEFT_SIZE_TO(own, last))

// ---- memory ----
void *weft__alloc(const weft_allocator *a, size_t bytes,
                  size_t align);  // NULL when out of memory; 0 bytes gives 1
void *weft__realloc(const weft_allocator *a, void *p, size_t old_bytes, size_t new_bytes, size_t align);
void weft__free(const weft_allocator *a, void *p, size_t bytes, size_t align);  // p NULL allowed
// The alignment that gives `bytes` large pages where that is worth it: 2 MiB from there on, otherwise 64.
size_t weft__large_align(size_t bytes);
// As many, or a little more when that makes the last part a large page.
size_t weft__large_bytes(size_t bytes);
// Touches all pages, what is in them stays: who writes there later does not wait for the system. A wish.
void weft__pages_touch(void *p, size_t bytes);
// What lies there is not needed any more, though it is freed later: the system may have the pages. Only of
// the default allocator.
void weft__pages_drop(const weft_allocator *a, void *p, size_t bytes);

void weft__repeat(void *to, const void *one, size_t bytes, size_t n);  // n times, side by side

// Memory for many constants, from few and large blocks: see slab.c.
typedef struct weft__slab {
  weft_allocator alloc;
  struct weft__slab_block *blocks;  // newest first
  size_t next_bytes, known_bytes;
} weft__slab;
void weft__slab_init(weft__slab *s, const weft_allocator *a);
void weft__slab_expect(weft__slab *s, size_t bytes);  // so much will be taken, about
// Of what comes next so much in requests of less than 2 MiB: a block for them is made as large. 0: not known.
void weft__slab_known(weft__slab *s, size_t bytes);
void weft__slab_deinit(weft__slab *s);
// 64-byte aligned, not zeroed; NULL: out of memory. `out_block` is for giving it back.
void *weft__slab_take(weft__slab *s, size_t bytes, struct weft__slab_block **out_block);
void weft__slab_give(weft__slab *s, struct weft__slab_block *b);

// A bump allocator: everything is freed at once. Blocks double up to 2 MiB. Pointers stay put.
typedef struct weft_arena {
  weft_allocator alloc;
  struct weft_arena_block *last;
  char *at, *end;
  size_t used_bytes;  // handed out, alignment included
  size_t next_bytes;  // of the next block; 0: the first
} weft_arena;
void weft__arena_init(weft_arena *a, const weft_allocator *alloc);
void weft__arena_deinit(weft_arena *a);
// Frees everything but a small block that is used again: for scratch that is taken and left often.
void weft__arena_reset(weft_arena *a);
void weft__arena_expect(weft_arena *a, size_t bytes);  // a hint: about so much will be asked for
void *weft__arena_alloc_slow(weft_arena *a, size_t bytes, size_t align);
static inline void *weft__arena_alloc(weft_arena *a, size_t bytes,
                                      size_t align) {  // not zeroed; NULL: out of memory
  uintptr_t p = ((uintptr_t)a->at + (align - 1)) & ~(uintptr_t)(align - 1);
  if (a->at && bytes <= (uintptr_t)a->end - p && p <= (uintptr_t)a->end) {
    a->used_bytes += bytes + (p - (uintptr_t)a->at);
    a->at = (char *)(p + bytes);
    return (void *)p;
  }
  return weft__arena_alloc_slow(a, bytes, align);
}
// What was allocated last, `bytes` at p, needs only so many: the rest is used again.
void weft__arena_trim(weft_arena *a, void *p, size_t bytes, size_t needed);
void *weft__arena_zalloc(weft_arena *a, size_t bytes, size_t align);
void *weft__arena_array(weft_arena *a, size_t n, size_t item_bytes, size_t align);  // checked product; zeroed
char *weft__arena_strdup(weft_arena *a, const char *text, size_t bytes);            // zero-terminated copy
#define WEFT_NEW(arena, type)      ((type *)weft__arena_zalloc((arena), sizeof(type), _Alignof(type)))
#define WEFT_NEW_N(arena, type, n) ((type *)weft__arena_array((arena), (n), sizeof(type), _Alignof(type)))

// A growable array of T: struct { T *v; size_t n, cap; }. Zero-initialised is empty.
#define WEFT_VEC(T) \
  struct {          \
    T *v;           \
    size_t n, cap;  \
  }
bool weft__vec_grow(const weft_allocator *a, void **v, size_t *cap, size_t n, size_t item_bytes);
// Makes room for one more; false when out of memory. Then: vec.v[vec.n++] = x;
#define WEFT_VEC_ROOM(alloc, vec) \
  ((vec).n < (vec).cap || weft__vec_grow((alloc), (void **)&(vec).v, &(vec).cap, (vec).n, sizeof(*(vec).v)))
#define WEFT_VEC_FREE(alloc, vec) \
  (weft__free((alloc), (vec).v, (vec).cap * sizeof(*(vec).v), 16), (vec).v = NULL, (vec).n = (vec).cap = 0)

// A map from byte strings to pointers. Keys are borrowed: they must outlive the map. Iteration is by
// insertion order.
typedef struct weft_map {
  weft_allocator alloc;
  struct weft_map_entry {
    const char *key;
    size_t key_bytes;
    uint64_t hash;
    void *value;
  } * entries;
  size_t n, cap;    // entries in use, removed ones included (value NULL)
  uint64_t *slots;  // 0: empty; otherwise 1 + entry below 32 bits of its hash; NULL for few entries
  size_t n_slots;
  bool in_arena;  // entries and slots are an arena's: weft__map_reserve
} weft_map;
void weft__map_init(weft_map *m, const weft_allocator *a);
void weft__map_deinit(weft_map *m);
// Room for n entries in an empty map, from an arena that lives as long; what is needed beyond that comes from
// the map's allocator. E_NOMEM: nothing changed.
weft_status weft__map_reserve(weft_map *m, weft_arena *arena, size_t n);
// Moves what the map holds into an arena that lives as long. E_NOMEM: nothing changed.
weft_status weft__map_settle(weft_map *m, weft_arena *arena);
void *weft__map_find(const weft_map *m, const char *key, size_t key_bytes);              // NULL when absent
weft_status weft__map_set(weft_map *m, const char *key, size_t key_bytes, void *value);  // replaces; E_NOMEM
weft_status weft__map_add(weft_map *m, const char *key, size_t key_bytes, void *value);  // E_EXISTS, E_NOMEM
// A key with its hash: for who asks several maps, or one more than once.
typedef struct weft_key {
  const char *text;
  size_t bytes;
  uint64_t hash;
} weft_key;
weft_key weft__key(const char *zero_terminated);
void *weft__map_find_key(const weft_map *m, const weft_key *k);               // NULL when absent
weft_status weft__map_put(weft_map *m, const weft_key *absent, void *value);  // nobody looks; E_NOMEM
// The value that `key` has, or gets here. NULL: out of memory.
void *weft__map_intern(weft_map *m, const char *key, size_t key_bytes, void *value_when_absent);
void weft__map_remove(weft_map *m, const char *key, size_t key_bytes);
// Who adds much and removes much keeps where its entry is: the newest one, after adding. Where entries moved
// since then the key is looked up. The key is the pointer that was added.
static inline uint32_t weft__map_newest(const weft_map *m) {
  return (uint32_t)(m->n - 1);
}
bool weft__map_has_at(const weft_map *m, uint32_t entry, const char *key, const void *value);
void weft__map_remove_at(weft_map *m, uint32_t entry, const char *key);
// Gives the value of `key`, whose entry was this one, another key, which the map does not have. The last
// entry stays in its place and needs no memory; others become the last. E_NOMEM: nothing changed.
weft_status weft__map_rekey_at(weft_map *m, uint32_t entry, const char *key, const weft_key *to);
uint64_t weft__hash(const void *data, size_t bytes);                  // fixed for all platforms
uint32_t weft__crc32(const void *data, size_t bytes, uint32_t seed);  // IEEE polynomial, reflected

// A growing text. After an allocation failure `failed` stays set and further writes do nothing.
typedef struct weft_text {
  weft_allocator alloc;
  char *v;
  size_t n, cap;
  bool failed;
} weft_text;
void weft__text_init(weft_text *t, const weft_allocator *a);
void weft__text_deinit(weft_text *t);
void weft__text_add(weft_text *t, const char *text, size_t bytes);
void weft__text_addf(weft_text *t, const char *fmt, ...) WEFT_PRINTF(2, 3);
weft_status weft__text_write(void *ctx, const char *text, size_t bytes);  // a weft_write_fn over a weft_text

// snprintf that appends at *at and never passes cap; always terminated when cap > 0.
void weft__append(char *buf, size_t cap, size_t *at, const char *fmt, ...) WEFT_PRINTF(4, 5);
size_t weft__put_u32(char *to, uint32_t v);  // its decimal digits, at most 10, without an end; how many
weft_status weft__write_text(weft_write_fn write, void *ctx, const char *zero_terminated);
weft_status weft__writef(weft_write_fn write, void *ctx, const char *fmt, ...)
    WEFT_PRINTF(3, 4);  // < 1 KiB a call
// A string in double quotes with \" \\ \n \t \r \u00XX escapes (JSON's rules); bytes >= 0x80 pass unchanged.
weft_status weft__write_quoted(weft_write_fn write, void *ctx, const char *text, size_t bytes);
// The shortest decimal that reads back to the same float / double: "0.1", "1e+20", "nan", "inf", "-inf".
const char *weft__float_text(float v, char buf[32]);
const char *weft__double_text(double v, char buf[32]);

// ---- checked maths ----
bool weft__mul_i64(int64_t a, int64_t b, int64_t *out);  // false on overflow
bool weft__add_i64(int64_t a, int64_t b, int64_t *out);

// ---- files ----
typedef struct weft_file {  // a whole file mapped read-only
  const uint8_t *data;
  size_t bytes;
  void *map;
  int fd;  // of the map; for weft__file_read_at
} weft_file;
weft_status weft__file_map(const char *path, weft_file *out,
                           weft_diag *d);  // E_NOT_FOUND, E_IO; empty files map to bytes 0
void weft__file_unmap(weft_file *f);
// Takes the file out of the process's memory, not out of the system's; what is read again comes back. A
// kernel that maps 2 MiB around each byte read would otherwise count half a model that nobody has used.
void weft__file_rest(const weft_file *f);
// Bytes [from, from + bytes) of an open file; false: they cannot be read. Beside a first look at mapped pages
// it costs two thirds, and nothing stays in the process.
bool weft__file_read_at(int fd, uint64_t from, void *to, size_t bytes);
// Bytes of the file, which has them. A mapped one is read and not touched: for a header beside large data a
// page fault, which maps its neighbours, too, takes six times as long.
void weft__file_peek(const weft_file *f, size_t at, void *to, size_t bytes);
// The same of bytes of a file that is mapped read-only, and of the whole pages that they touch.
void weft__mapped_rest(const void *from, size_t bytes);

// ---- clock ----
uint64_t weft__now_ns(void);  // monotonic

// ---- JSON (RFC 8259) ----
// Reads a whole document, at most 4 GiB, into a tree in `arena`. Numbers keep their text; depth is bounded by
// 64. Errors name line and column. Duplicate keys are an error.
typedef enum {
  WEFT_JSON_NULL,
  WEFT_JSON_BOOL,
  WEFT_JSON_NUMBER,
  WEFT_JSON_STRING,
  WEFT_JSON_ARRAY,
  WEFT_JSON_OBJECT
} weft_json_kind;
typedef struct weft_json {  // small: a document has very many
  uint8_t kind;             // weft_json_kind
  bool b;
  bool is_int;            // a number without fraction and exponent that fits int64
  uint32_t line, column;  // where it starts, from 1
  uint32_t s_bytes;
  const char *s;  // strings: zero-terminated UTF-8; numbers: their text; others: NULL
  size_t n;       // items of an array, members of an object; others: 0
  union {
    int64_t i;                // of a number that is_int
    const char *const *keys;  // object keys, zero-terminated
  };
  union {
    double f;                 // of a number
    struct weft_json *items;  // array items or object values
  };
} weft_json;
weft_status weft__json_parse(const char *text, size_t bytes, weft_arena *arena, weft_json **out,
                             weft_diag *d);
const weft_json *weft__json_get(const weft_json *object,
                                const char *key);  // NULL when absent or not an object
// SPDX-License-Identifier: Apache-2.0
