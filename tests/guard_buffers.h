// guard_buffers.h - memory that begins or ends beside a page that cannot be touched. One list, of one
// kernel's run.
#pragma once
#include <stdbool.h>
#include <stddef.h>

enum { GUARD_AT_END, GUARD_AT_START };  // where in its pages a buffer lies

typedef struct guard_buffer {
  char *map, *at, *end;  // end: of what may be touched
  size_t mapped, bytes;
} guard_buffer;

// `bytes` full of `garbage`; NULL: no memory, or too many of them.
char *guard_buffers_add(size_t bytes, size_t align, int where, int garbage);
void guard_buffers_drop(void);

// The first one beside which something was written, between it and its guards; NULL: none.
const guard_buffer *guard_buffers_spoiled(void);

// The one in whose pages or guards `p` lies, and its number; NULL: none.
const guard_buffer *guard_buffers_find(const void *p, size_t *out_index);
// SPDX-License-Identifier: Apache-2.0
