// weft/run.h - running a program. A weft_exec is one place where it runs: an arena, the shapes it has seen,
// counters. One thread uses an exec at a time; any number of execs share a program. A run of shapes that were
// seen before allocates nothing and looks nothing up.
//
//   weft_exec_create(p, NULL, &x, d);
//   weft_exec_run(x, (const weft_tensor *[]){&in}, 1, (weft_tensor *[]){&out}, 1, d);
#pragma once
#include "weft/program.h"
#include "weft/state.h"
#ifdef __cplusplus
extern "C" {
#endif

typedef struct weft_exec weft_exec;
typedef struct weft_exec_options {  // all zero is the default
  uint32_t size;
  uint32_t threads;           // 1: this thread only; otherwise those of the environment
  uint32_t max_shapes;        // plans kept for shapes that were seen; 0: 64. The oldest go first
  size_t memory_limit_bytes;  // 0: none. A run that would pass it is refused with the largest tensors' names
  uint64_t time_limit_ns;     // of one run; 0: none. E_LIMIT, also within a launch (docs/limits.md)
  const volatile int *cancel;  // the run stops with E_CANCELLED soon after this is not 0; NULL: none
  // Called for every value that a launch produced, while its memory holds it. A failure stops the run.
  weft_status (*watch)(void *ctx, const weft_value *v, const weft_tensor *t);
  void *watch_ctx;
  bool profile;  // times of every launch are kept: weft_exec_profile
  // Launches that do not depend on each other may run beside each other, on up to so many streams; 0: 1. Of
  // the CPU no more than it has threads, where the estimated time falls; a program with nodes on a device
  // uses one stream of the CPU and so many of the device. Results are those of one stream, bit for bit. With
  // `watch` launches of the CPU run one after the other. Boxes (strings, sequences, sub-graphs' values) of a
  // segment with several streams are kept to its end.
  uint32_t streams;
  // spread them as if a wait cost nothing, also where that does not pay: for tests and measurements
  bool streams_always;
} weft_exec_options;
// Makes a place to run in; it retains the program. o NULL: the default. Plans nothing yet. E_NOMEM.
WEFT_API WEFT_MUST weft_status weft_exec_create(weft_program *p, const weft_exec_options *o, weft_exec **out,
                                                weft_diag *d);
WEFT_API void weft_exec_destroy(weft_exec *x);  // NULL allowed
// What the program keeps from run to run, where the exec is used alone: it begins with its initial values.
// They live as long as the exec.
WEFT_API weft_states *weft_exec_states(weft_exec *x);  // NULL of NULL

// in[i] is borrowed: its data are read in place, and dtype, rank, dims, ranges and size are checked first.
// out[i] must be initialised (weft_tensor_init). With data: they are written in place when they are large
// enough (E_SHAPE otherwise), and dtype, shape and bytes are set. Without: memory is allocated, and the
// tensor is the caller's afterwards. Outputs must not overlap inputs. After a failure the exec can run again;
// outputs are undefined.
WEFT_API WEFT_MUST weft_status weft_exec_run(weft_exec *x, const weft_tensor *const *in, size_t n_in,
                                             weft_tensor *const *out, size_t n_out, weft_diag *d);

// ---- before the first run ----
// What a run of these shapes needs; nothing is computed and no memory for tensors is taken yet. The first run
// of these shapes finds its plan made.
typedef struct weft_memory_plan {
  uint32_t size;
  // the plan reaches the end. Otherwise the figures are those up to the first shape that depends on data
  bool whole;
  uint64_t constant_bytes;             // shared by all runs of the program
  uint64_t arena_bytes;                // peak of the intermediate tensors
  uint64_t sum_bytes;                  // of them without reuse
  uint64_t bound_bytes;                // the most that is live at once: no plan is smaller
  uint64_t input_bytes, output_bytes;  // the caller's
  uint32_t n_launches;
  uint64_t device_bytes;  // peaks of the intermediate tensors on devices beside the CPU, together
  // prepare_largest: beside the arena, at their largest: tensors whose shapes only the data decide, and what
  // the bodies of control flow take
  uint64_t open_bytes;
  const char *open_value;  // and the first of them; NULL: none. Lives as long as the program
} weft_memory_plan;
// `in` NULL: the program's own shapes, which must be known; otherwise n_in descriptions of the inputs (dtype,
// shape and formats are used), e.g. their ranges' maxima for a bound. E_UNKNOWN names the input whose shape
// is not known.
WEFT_API WEFT_MUST weft_status weft_exec_prepare(weft_exec *x, const weft_tensor_desc *in, size_t n_in,
                                                 weft_memory_plan *out, weft_diag *d);
// Takes and touches the memory that a run of the shapes prepared last needs, starts the environment's
// threads, and tries weft's own kernels for the CPU on zeros, each with a block for every thread: the first
// run is then like the others. Outputs that it finds without memory, and with the default allocator, get
// memory that was touched here; what it leaves of that goes back at its end. Where a plan is not whole
// because a kernel finds a shape, the rest is planned for the largest one, which packs its weights. E_STATE:
// nothing was prepared. E_NOMEM.
WEFT_API WEFT_MUST weft_status weft_exec_warm_up(weft_exec *x, weft_diag *d);
// The same for the largest inputs that their ranges allow: a bound for a graph whose memory grows with its
// inputs. Where the data decide a shape that inference bounds (NonZero), what follows is planned for the
// bound: open_value names it. E_UNKNOWN names the input dim that has no upper bound.
WEFT_API WEFT_MUST weft_status weft_exec_prepare_largest(weft_exec *x, weft_memory_plan *out, weft_diag *d);
// The plan that was prepared or run last: launches in order with kernel, arguments and where they lie. The
// same program and shapes give the same text. E_STATE before the first.
WEFT_API WEFT_MUST weft_status weft_exec_print_plan(const weft_exec *x, weft_write_fn write, void *ctx,
                                                    weft_diag *d);
// Where the memory of the plan prepared or run last goes: what lies in it where it needs most, largest first,
// with bytes, steps (nodes of the program, counted from 1, that its memory is needed from and to), type and
// name. Of plans that go on after a shape that depends on data, the one with the highest peak. E_STATE before
// the first.
WEFT_API WEFT_MUST weft_status weft_exec_print_peak(const weft_exec *x, weft_write_fn write, void *ctx,
                                                    weft_diag *d);

typedef struct weft_exec_stats {
  uint32_t size;
  uint64_t runs, launches;
  uint64_t plans, plan_hits;  // shapes planned; runs of segments that found their plan
  uint64_t infers, tilings;   // nodes inferred and tiled while planning
  uint64_t system_allocs;     // calls to the environment's allocator since the exec was made
  uint64_t arena_bytes;       // held now
  uint64_t peak_bytes;        // arena and dynamic tensors together, at most
} weft_exec_stats;
WEFT_API void weft_exec_get_stats(const weft_exec *x, weft_exec_stats *out);  // since it was made

// One launch of the last run, in order; with weft_exec_options.profile.
typedef struct weft_launch_record {
  uint32_t size;
  uint32_t stream, depth;  // depth: of sub-graphs
  const char *node, *type, *kernel, *device;
  const char *source;  // name of the node in the model; NULL: none
  uint64_t begin_ns, end_ns;  // since the run began
  uint64_t bytes;             // read and written; of what Gather and Slice read from, what they take
  int64_t flops;              // -1: not known
} weft_launch_record;
// How many; they lie side by side, each in record_bytes, until the next run or call. 0 where there is no
// memory for others than sizeof.
WEFT_API size_t weft_exec_profile_sized(const weft_exec *x, const weft_launch_record **out,
                                        size_t record_bytes);
static inline size_t weft_exec_profile(const weft_exec *x, const weft_launch_record **out) {  // with sizeof
  return weft_exec_profile_sized(x, out, sizeof **out);
}
// Chrome's trace event format (chrome://tracing, Perfetto): a device is a process, a stream a thread, both
// named.
WEFT_API WEFT_MUST weft_status weft_exec_write_trace(const weft_exec *x, weft_write_fn write, void *ctx);
#ifdef __cplusplus
}
#endif
// SPDX-License-Identifier: Apache-2.0
