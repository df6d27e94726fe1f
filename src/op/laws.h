// laws.h - what the files of the laws share: one session over an operator, its report, and random numbers.
#pragma once
#include "op/example.h"
#include "weft/laws.h"

enum { WEFT__LAW_ELEMS = 64 };       // examples below this many elements take part in the costly laws
enum { WEFT__LAW_BYTES = 1 << 22 };  // memory that one random run may ask for
extern const weft_limits weft__law_limits;

typedef struct weft__memory {  // an allocator over another: counts, fills new memory with `fill`, fails on
                               // demand
  weft_allocator under;
  // fail_at 0: never; n: the n-th call from now
  long calls;
  long fail_at;
  long blocks;  // alive
  uint8_t fill;
} weft__memory;
weft_allocator weft__memory_allocator(weft__memory *m);

typedef struct weft__laws {
  weft_env *env;
  weft_env *poor;  // an empty environment over `memory`
  weft__memory memory;
  const weft_proto *proto;
  const weft_laws_options *o;
  weft_laws_result r;
  const weft__example *ex;  // the one at work; NULL: the operator as a whole
  weft__trial trial;        // of the example, when it infers
  weft_fact *known;         // its outputs as inferred with everything known, in `arena`
  uint32_t n_out;
  weft_arena arena;
  uint64_t random;
  uint32_t rounds;
  bool out_of_memory;
  bool strayed;  // law 10 was reported of the reference
  weft_diag *d;
} weft__laws;

// Records a check; when `ok` is false, reports it. `law` is its name: "2 (build and run agree)".
void weft__law(weft__laws *l, bool ok, const char *law, const char *fmt, ...) WEFT_PRINTF(4, 5);
// Tells who listens that a case begins; cheap where nobody does.
void weft__law_begin(const weft__laws *l, const char *fmt, ...) WEFT_PRINTF(2, 3);
uint64_t weft__law_random(weft__laws *l);
static inline uint64_t weft__law_below(weft__laws *l, uint64_t n) {
  return n ? weft__law_random(l) % n : 0;
}
const char *weft__law_fact_text(const weft_symbols *p, const weft_fact *f, char *buf, size_t cap);
weft_fact *weft__law_keep(weft__laws *l, const weft_fact *f,
                          uint32_t n);  // a copy in `arena`; NULL: out of memory
// Less was known this time: does what was inferred fit `known`? `how` says what was different.
void weft__law_consistent(weft__laws *l, weft_status s, const weft_diag *d, const char *law, const char *how);
bool weft__law_value_used(const weft__laws *l, uint32_t i);  // does inference read the value of instance i?
// A map of dims that keeps equal dims equal: distinct values of the example's inputs, with three numbers
// each.
typedef struct weft__dim_map {
  size_t n;
  weft_dim value[64], lo[64], hi[64], pick[64];
} weft__dim_map;
size_t weft__dim_map_at(weft__dim_map *m, weft_dim v);  // index of a value, added when new; 63 when full
// Random elements; `hostile` adds extreme values. Tensors of other kinds stay as they are.
void weft__law_fill(weft__laws *l, weft_tensor *t, bool hostile);
// Tensors for the outputs of the trial's use, made in `arena`; free them with drop_outputs.
weft_tensor *weft__law_outputs(weft__laws *l);
void weft__law_drop(weft__laws *l, weft_tensor *out);
// weft__trial_run, and law 10 where the reference writes what is not its own: once in a session.
weft_status weft__law_run(weft__laws *l, weft__trial *t, weft_tensor *out, const weft_limits *limits,
                          weft_diag *d);

void weft__law_unknown(weft__laws *l);    // 3: dims and ranks not known, symbols
void weft__law_range(weft__laws *l);      // 4
void weft__law_hostile(weft__laws *l);    // 5: random attributes, dtypes and values
void weft__law_memory(weft__laws *l);     // 6
void weft__law_unwritten(weft__laws *l);  // 2: every output byte is written, the same in each run
void weft__law_traits(weft__laws *l);     // 7
void weft__law_catalogue(weft__laws *l);  // 8
// SPDX-License-Identifier: Apache-2.0
