// apart.h - what one launch writes, set apart for its time: it gets memory of its own between two margins of
// a pattern, and what it wrote beside its own is found there afterwards, whoever uses the memory around the
// true place at the same time. Cost: what is moved is copied. Layer: base.
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#if defined(WEFT__APART)  // tests/guard_apart.cmake: as in a build without AddressSanitizer
#elif defined(__SANITIZE_ADDRESS__)
#define WEFT__BY_ASAN 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define WEFT__BY_ASAN 1
#endif
#endif

enum { WEFT_APART_MARGIN = 64, WEFT_APART_ALIGN = 64 };
enum { WEFT_APART_IN = 1, WEFT_APART_BACK = 2 };
typedef struct weft_apart {  // an output or a workspace
  char *at;                  // its true place; NULL: none
  size_t bytes;
  uint8_t moves;  // IN: the launch needs what is there; BACK: what it writes is needed
  char *copy;     // where it is meanwhile: as far from a multiple of 64 as the true place
} weft_apart;

typedef struct weft_astray {  // what was written beside a part
  uint32_t part;
  bool behind;  // otherwise before it
  // bytes of the margin, counted away from the part: the first and the last that changed
  uint32_t near;
  uint32_t far;
} weft_astray;

// Room for a part of so many bytes; SIZE_MAX: there is none so large. Parts follow each other in the room.
size_t weft__apart_room(size_t bytes);
void weft__apart_begin(weft_apart *p, uint32_t n, void *room);
// Where a byte lies while parts are set apart, and its true place again; what lies in no part stays.
void *weft__apart_of(const weft_apart *p, uint32_t n, const void *at);
void *weft__apart_true(const weft_apart *p, uint32_t n, const void *at);
// Brings back what was written. False: a margin was changed; `out` says where first.
bool weft__apart_end(const weft_apart *p, uint32_t n, weft_astray *out);

// A margin alone, behind what a call allocated for itself: nothing is copied.
void weft__margin_begin(void *margin);
// Its bytes up to the last that changed; 0: none did.
uint32_t weft__margin_changed(const void *margin);
// SPDX-License-Identifier: Apache-2.0
