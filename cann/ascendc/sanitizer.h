// sanitizer.h - what AddressSanitizer and ThreadSanitizer have to know of a switch between stacks. Nothing
// without them.
#pragma once
#include <stddef.h>
#include <stdint.h>
#include <string.h>

typedef struct sanitizer_stack {
  const void *low;
  size_t bytes;
  void *fake;    // AddressSanitizer's stack for locals that outlive their scope
  void *thread;  // ThreadSanitizer's name for it
} sanitizer_stack;

// They know of swapcontext, and take _longjmp to another stack for a mistake.
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
enum { SANITIZER_WATCHES = 1 };
#else
enum { SANITIZER_WATCHES = 0 };
#endif

#if defined(__SANITIZE_ADDRESS__)
#include <sanitizer/asan_interface.h>
#include <sanitizer/common_interface_defs.h>
static inline void sanitizer_stack_make(sanitizer_stack *s, void *low, size_t bytes) {
  s->low = low;
  s->bytes = bytes;
}
static inline void sanitizer_stack_free(sanitizer_stack *s) {
  ASAN_UNPOISON_MEMORY_REGION(s->low, s->bytes);
}
// An abandoned body leaves its locals' borders behind.
static inline void sanitizer_stack_clear(sanitizer_stack *s) {
  ASAN_UNPOISON_MEMORY_REGION(s->low, s->bytes);
  s->fake = NULL;
}
static inline void sanitizer_enter(sanitizer_stack *from, sanitizer_stack *to) {
  __sanitizer_start_switch_fiber(&from->fake, to->low, to->bytes);
}
static inline void sanitizer_leave(sanitizer_stack *from, sanitizer_stack *to) {
  __sanitizer_start_switch_fiber(&from->fake, to->low, to->bytes);
}
// On the new stack: `own` is it (NULL: entered for the first time), `before` learns where one came from.
static inline void sanitizer_arrived(sanitizer_stack *own, sanitizer_stack *before) {
  const void *low = NULL;
  size_t bytes = 0;
  __sanitizer_finish_switch_fiber(own ? own->fake : NULL, &low, &bytes);
  if (!before)
    return;
  before->low = low;
  before->bytes = bytes;
}
#elif defined(__SANITIZE_THREAD__)
#include <sanitizer/tsan_interface.h>
static inline void sanitizer_stack_make(sanitizer_stack *s, void *low, size_t bytes) {
  s->low = low;
  s->bytes = bytes;
  s->thread = __tsan_create_fiber(0);
}
static inline void sanitizer_stack_free(sanitizer_stack *s) {
  __tsan_destroy_fiber(s->thread);
}
static inline void sanitizer_stack_clear(sanitizer_stack *s) {
  __tsan_destroy_fiber(s->thread);
  s->thread = __tsan_create_fiber(0);
}
static inline void sanitizer_enter(sanitizer_stack *from, sanitizer_stack *to) {
  from->thread = __tsan_get_current_fiber();
  to->fake = from->thread;
  __tsan_switch_to_fiber(to->thread, 0);
}
static inline void sanitizer_leave(sanitizer_stack *from, sanitizer_stack *to) {
  (void)to;
  __tsan_switch_to_fiber(from->fake, 0);
}
static inline void sanitizer_arrived(sanitizer_stack *own, sanitizer_stack *before) {
  (void)own;
  (void)before;
}
#else
static inline void sanitizer_stack_make(sanitizer_stack *s, void *low, size_t bytes) {
  s->low = low;
  s->bytes = bytes;
}
static inline void sanitizer_stack_free(sanitizer_stack *s) {
  (void)s;
}
static inline void sanitizer_stack_clear(sanitizer_stack *s) {
  (void)s;
}
static inline void sanitizer_enter(sanitizer_stack *from, sanitizer_stack *to) {
  (void)from;
  (void)to;
}
static inline void sanitizer_leave(sanitizer_stack *from, sanitizer_stack *to) {
  (void)from;
  (void)to;
}
static inline void sanitizer_arrived(sanitizer_stack *own, sanitizer_stack *before) {
  (void)own;
  (void)before;
}
#endif
// SPDX-License-Identifier: Apache-2.0
