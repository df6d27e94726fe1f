// program.h - the inside of a program: an optimised, inferred graph that nobody changes any more, read
// through flat arrays, and what was decided for it: kernels and the plan of the static part. Layer: program
// (on ir and device).
//
// A function is one graph: [0] the root, then its sub-graphs. Its values are numbered inputs first, then
// constants, then the outputs of its nodes in order, so that the values of a range of nodes are a range too.
#pragma once
#include <stdatomic.h>

#include "base/pool.h"
#include "ir/file.h"
#include "ir/states.h"
#include "weft/device.h"
#include "weft/program.h"

typedef struct weft__fn {
  const weft_graph *graph;
  uint32_t n_nodes, n_values, n_in, n_const, n_out;
  const weft_node **node;
  const weft_value **value;
  uint32_t *first_out;  // n_nodes + 1: the first output of node i, as an index of value
  uint32_t *last;  // per value: the last node that reads it; n_nodes: an output of the function; WEFT__UNREAD
  uint32_t *sub;   // per node: the function of its first sub-graph (they follow each other); 0: none
  uint32_t *out;   // n_out: indexes of value
  uint8_t *device;             // per node: index of weft_program.device; NULL: all on the CPU
  uint8_t *copied;             // per node: 1 + the device that it brings its value from; 0: it is no copy
  const weft_region **region;  // per node: of a Fused one whose body is a plain region; NULL otherwise
} weft__fn;
#define WEFT__UNREAD UINT32_MAX

typedef struct weft__pack {  // a constant in the layout of a kernel
  const weft_tensor *of;
  const weft_kernel *kernel;  // NULL: as it is, but aligned
  uint64_t key;
  size_t bytes;
  void *to;
} weft__pack;
typedef struct weft__stored {  // of a file, or for one
  const void *data;
  size_t bytes;
  uint32_t crc;
} weft__stored;

typedef struct weft__piece {  // room for a part of a constant that is packed
  void *data;
  size_t bytes;
} weft__piece;

// A state: it comes in as an input behind the caller's, and goes out, where the program assigns it, as an
// output behind the caller's.
typedef struct weft__program_state {
  const weft_value *in, *first;  // its name, dtype and shape; the constant that it begins with
  bool written;
} weft__program_state;

enum { WEFT__DEVICES = 4 };
struct weft_program {
  atomic_uint refs;
  weft_env *env;
  weft_graph *graph;  // owned
  weft_arena arena;
  uint32_t precision;  // WEFT_PRECISION_*: of the option that it was compiled with
  uint32_t n_devices;  // [0] is the CPU; 1: no other
  const weft_device *device[WEFT__DEVICES];
  uint32_t n_states;
  uint32_t n_in, n_out;  // the caller's; those of fn[0] count states, too
  weft__program_state *state;
  uint32_t n_fns;
  weft__fn *fn;
  uint32_t *local;            // by value id: its index in its function
  uint32_t *number;           // by node id: scratch of making regions
  bool foreign;               // from a file: what it says of values is not trusted, planning infers it again
  weft__weight_list weights;  // of a file: they lie in it, with their checksums
  const uint8_t *weights_data;
  size_t weights_bytes;
  WEFT_VEC(weft__stored) stored;  // packed constants of a file, with their checksums
  bool save_packed;
  void *lock;                         // of what follows
  struct weft__packed *packed;        // newest first
  struct weft__packed **packed_find;  // heads of chains: by tensor, then by where its data lie
  size_t n_packed, packed_slots;      // of each of the two; a power of two, or 0
  weft__slab slab;                    // they lie in
  weft__piece piece;                  // of constants that a plan packs for itself; kept while it is made
};

// Takes the graph, which must be sorted, inferred and verified; it is destroyed with the program, also on
// failure.
weft_status weft__program_make(weft_graph *g, const weft_limits *limits, weft_program **out, weft_diag *d);
static inline uint32_t weft__local(const weft_program *p, const weft_value *v) {
  return p->local[v->id];
}

// A constant of the program's graph that a plan wants in the layout of a kernel (NULL: as it is, but
// aligned).
typedef struct weft__pack_wish {
  const weft_kernel *kernel;
  const weft_op_desc *desc;
  uint32_t in;
  const weft_tensor *t;
  size_t bytes;
  uint64_t key;
  const void **out;  // where it lies goes here
} weft__pack_wish;
// Each is made once for all execs and kept until the program goes; those that are not there yet by the
// threads of the pool (NULL: by this one). On failure none is made, and *out_failed is the first that could
// not be.
weft_status weft__program_pack(weft_program *p, weft_pool *pool, const weft__pack_wish *w, size_t n,
                               size_t *out_failed, weft_diag *d);
// The packing of one alone, into `to`.
weft_status weft__packing_run(weft_program *p, const weft__pack_wish *w, void *to, weft_diag *d);
// In the order of packing. _add: lies in a file.
void weft__packed_each(weft_program *p, void (*fn)(void *ctx, const weft__pack *k), void *ctx);
weft_status weft__packed_add(weft_program *p, const weft__pack *k, weft_diag *d);
uint64_t weft__program_packed_bytes(weft_program *p);
void weft__packed_rest(weft_program *p);  // a plan is made: what packing needed meanwhile goes
weft_status weft__packed_init(weft_program *p);
void weft__packed_deinit(weft_program *p);
// SPDX-License-Identifier: Apache-2.0
