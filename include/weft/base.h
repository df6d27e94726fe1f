// weft/base.h - status codes, diagnostics, allocation and the log: what every other header builds on.
// Nothing here has mutable globals; a diag belongs to one caller and one thread at a time.
#pragma once
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#if defined(_WIN32)
#define WEFT_API
#elif defined(__GNUC__)
#define WEFT_API __attribute__((visibility("default")))
#else
#define WEFT_API
#endif
#if defined(__GNUC__)
#define WEFT_MUST __attribute__((warn_unused_result))
#define WEFT_PRINTF(f, a) __attribute__((format(printf, f, a)))
#else
#define WEFT_MUST
#define WEFT_PRINTF(f, a)
#endif

#ifdef __cplusplus
extern "C" {
#endif

#define WEFT_VERSION_MAJOR 0
#define WEFT_VERSION_MINOR 1
#define WEFT_VERSION_PATCH 0
WEFT_API const char *weft_version(void);  // "0.1.0"

// 0 is success; any other value fails and is kept as it is, a package's own codes included.
// The list is append-only: a code never changes its number.
typedef int32_t weft_status;
#define WEFT_STATUS_LIST(X)                                                            \
  X(OK, 0, "success")                                                                  \
  X(E_NOMEM, 1, "out of memory")                                                       \
  X(E_INVALID, 2, "invalid argument")                                                  \
  X(E_SHAPE, 3, "shapes do not fit")                                                   \
  X(E_DTYPE, 4, "dtype not allowed")                                                   \
  X(E_FORMAT, 5, "format not allowed")                                                 \
  X(E_TYPE, 6, "value of another type")                                                \
  X(E_RANGE, 7, "outside the allowed range")                                           \
  X(E_OVERFLOW, 8, "size overflows")                                                   \
  X(E_NOT_FOUND, 9, "not found")                                                       \
  X(E_EXISTS, 10, "exists already")                                                    \
  X(E_DUPLICATE, 11, "name used twice")                                                \
  X(E_MISSING, 12, "required part missing")                                            \
  X(E_INCOMPLETE, 13, "operator is incomplete")                                        \
  X(E_UNSUPPORTED, 14, "not supported")                                                \
  X(E_VERSION, 15, "version not supported")                                            \
  X(E_TRUNCATED, 16, "data end too early")                                             \
  X(E_CORRUPT, 17, "data are damaged")                                                 \
  X(E_SYNTAX, 18, "syntax error")                                                      \
  X(E_IO, 19, "input/output error")                                                    \
  X(E_LIMIT, 20, "limit exceeded")                                                     \
  X(E_CYCLE, 21, "graph has a cycle")                                                  \
  X(E_UNKNOWN, 22, "value is not known yet")                                           \
  X(E_UNSET, 23, "output was not set")                                                 \
  X(E_ABI, 24, "interface versions do not fit")                                        \
  X(E_KERNEL, 25, "kernel failed")                                                     \
  X(E_DIFFERENT, 26, "compared things differ")                                         \
  X(E_STATE, 27, "not allowed in this state")                                           \
  X(E_CANCELLED, 28, "cancelled")
enum {
#define WEFT_X(name, number, text) WEFT_##name = number,
  WEFT_STATUS_LIST(WEFT_X)
#undef WEFT_X
};
WEFT_API const char *weft_status_name(weft_status s);  // "E_SHAPE"; a package's own code gives "E_PACKAGE"
WEFT_API const char *weft_status_text(weft_status s);  // "shapes do not fit"

// The first cause of a failure and the path that led there. Caller-owned, fixed size, never allocates.
// Text is UTF-8, one line for the cause and one for each note, cut at the end when it does not fit.
enum { WEFT_DIAG_BYTES = 2048 };
typedef struct weft_diag {
  weft_status status;
  uint32_t length;
  char text[WEFT_DIAG_BYTES];
} weft_diag;
WEFT_API void weft_diag_clear(weft_diag *d);  // NULL allowed

// Records the cause unless one is recorded already, and returns `s`, so that `return weft_fail(...)` reads
// well.
WEFT_API weft_status weft_fail(weft_diag *d, weft_status s, const char *fmt, ...) WEFT_PRINTF(3, 4);
// Adds one line of context: "while inferring node 'conv1' (Conv2D)".
WEFT_API void weft_note(weft_diag *d, const char *fmt, ...) WEFT_PRINTF(2, 3);

#define WEFT_TRY(e)                          \
  do {                                       \
    weft_status weft_try_status = (e);       \
    if (weft_try_status) return weft_try_status; \
  } while (0)

// Structs that grow. A struct that begins with `uint32_t size` may get members at its end in a later version;
// every other struct, weft_tensor and a struct that lies in another one stay as they are for as long as the
// library keeps its soname (docs/abi.txt lists them, `make check` compares). Who makes a struct sets its size
// to sizeof. So many bytes of it are read and written, never more, and never more than the reader knows; 0
// stands for the members of weft 0.1.
//   What the maker's header lacks keeps its default; what this weft lacks is neither read nor written.
//   A call that fills a struct leaves in `size` how many bytes it filled.
//   In an array all structs have the size of the first; 0 stands for sizeof in weft 0.1.
// A function that fills a struct without reading it first (weft_desc_init, weft_value_desc) is inline and
// passes sizeof to one named ..._sized: that one is what the library exports.

// One function for all memory: ptr NULL allocates, new_bytes 0 frees (and returns NULL), otherwise resizes.
// align is a power of two and the same for all calls on one block. NULL for a non-zero size means out of
// memory.
typedef void *(*weft_alloc_fn)(void *ctx, void *ptr, size_t old_bytes, size_t new_bytes, size_t align);
typedef struct weft_allocator {
  weft_alloc_fn fn;
  void *ctx;
} weft_allocator;
WEFT_API weft_allocator weft_allocator_default(void);  // malloc, realloc and free

// Where warnings and notices go; the library itself prints nothing.
enum { WEFT_LOG_DEBUG, WEFT_LOG_INFO, WEFT_LOG_WARNING, WEFT_LOG_ERROR };
typedef void (*weft_log_fn)(void *ctx, int level, const char *text);

// How many letters to insert, drop, change or swap with their neighbours to make the first n bytes of `given`
// into `name`, letter case aside: for "did you mean". most + 1 when more than `most` are needed, or when what
// differs is longer than 63 bytes.
WEFT_API size_t weft_name_distance(const char *given, size_t n, const char *name, size_t most);

// Receives text piece by piece; a non-zero return stops the writer and becomes its status.
typedef weft_status (*weft_write_fn)(void *ctx, const char *text, size_t bytes);

#ifdef __cplusplus
}
#endif
// SPDX-License-Identifier: Apache-2.0
