// guard.h - checked builds: a launch that writes where it may not is caught. Around each launch that runs
// alone (one stream) everything in the arena, and in the caller's outputs, that is not one of its arguments
// is guarded: by AddressSanitizer where the build has it (guard_asan.c: reads, too), otherwise by canaries in
// the 64 bytes before and behind each output and workspace (guard_canary.c). The plan of memory is the same
// in all builds. CMakeLists.txt chooses the file. Layer: run.
#pragma once
#include "run/run.h"

#ifdef WEFT_CHECKED
extern const size_t weft__guard_margin;  // bytes kept before and behind an arena
// Room for the guards of each launch; after its place is known.
weft_status weft__guard_plan(weft_exec *x, weft__seg *s);
void weft__guard_begin(weft_exec *x, weft__seg *s, weft__launch *l);
// Ends what begin began, also when the launch failed. E_KERNEL: it wrote beside its outputs.
weft_status weft__guard_end(weft_exec *x, weft__seg *s, weft__launch *l, weft_status status, weft_diag *d);

// Memory in which a launch was given a part; NULL: the memory is not the exec's to guard.
typedef struct weft__ground {
  char *begin, *end;
} weft__ground;
static inline weft__ground weft__guard_ground(const weft_exec *x, const weft__place *p, size_t margin) {
  if (p->kind == WEFT__AT_ARENA && !p->space)
    return (weft__ground){x->arena - margin, x->arena + x->arena_bytes + margin};
  if (p->kind != WEFT__AT_OUTPUT) return (weft__ground){0};
  const weft_tensor *t = x->out[p->output];
  return (weft__ground){t->data, (char *)t->data + t->bytes};
}
static inline bool weft__guarded(const weft__launch *l) {
  return !l->device && (l->kind == WEFT__RUN_REF || l->kind == WEFT__RUN_KERNEL);
}
#else
enum { weft__guard_margin = 0 };
static inline weft_status weft__guard_plan(weft_exec *x, weft__seg *s) {
  (void)x, (void)s;
  return WEFT_OK;
}
static inline void weft__guard_begin(weft_exec *x, weft__seg *s, weft__launch *l) {
  (void)x, (void)s, (void)l;
}
static inline weft_status weft__guard_end(weft_exec *x, weft__seg *s, weft__launch *l, weft_status status,
                                          weft_diag *d) {
  (void)x, (void)s, (void)l, (void)d;
  return status;
}
#endif
