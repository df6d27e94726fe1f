// run.h - the inside of an exec. Layer: run (on program and plan).
//
// A function of a program runs in segments. A segment is a range of nodes whose shapes are all known once its
// key is: the shapes of the function's inputs for the first, and what a node before it found out by running
// for the others (the shape of NonZero's output; the contents of a tensor that a Reshape takes its shape
// from). For each key that was seen there is a plan (weft__seg): shapes, small values, kernels, tiling, and
// offsets of one arena. Plans form a tree, as the keys follow each other; running is walking down one path of
// it. A static program is the case of one segment, planned once.
//
// Where a value lies (weft__place): in the caller's input, in a constant, in the arena, in a tensor of its
// own that its kernel allocates (BOX: strings, sequences, shapes that only data decide), in the caller's
// output, or - a view of what moves from run to run - at a pointer that a VIEW launch takes from another
// tensor. NONE: nobody reads it, and its kernel does not write it.
#pragma once
#include "base/budget.h"
#include "base/pool.h"
#include "device/device.h"
#include "plan/plan.h"
#include "plan/streams.h"
#include "program/program.h"
#include "tensor/tensor.h"
#include "weft/run.h"

enum {
  WEFT__AT_CALLER,
  WEFT__AT_CONST,
  WEFT__AT_ARENA,
  WEFT__AT_BOX,
  WEFT__AT_OUTPUT,
  WEFT__AT_VIEW,
  WEFT__AT_NONE
};
typedef struct weft__place {
  uint8_t kind;
  uint8_t space;    // ARENA, BOX, VIEW: in the memory of which device (weft_program.device)
  uint32_t root;    // the value in whose memory this lies (views, parts, what is overwritten); itself: none
  uint32_t output;  // AT_OUTPUT, and AT_BOX that becomes an output: which; WEFT__UNREAD: none
  uint64_t at;      // from the start of what `root` says
  uint64_t offset;  // in the arena, or in the output
} weft__place;

// Are the data numbers, one after the other? Texts, sequences and maps have parts of their own.
static inline bool weft__holds_numbers(uint8_t kind, weft_dtype t) {
  return kind == WEFT_KIND_TENSOR && t != WEFT_STRING;
}

enum { WEFT__SCRATCHES = 64 };  // most of a launch
enum { WEFT__RUN_REF, WEFT__RUN_KERNEL, WEFT__RUN_CALL, WEFT__RUN_VIEW, WEFT__RUN_COPY, WEFT__RUN_MOVE };
// in_place.c: a launch that writes into a state, and what was there.
typedef struct weft__undoing {
  weft_undo noted;
  bool is_noted;  // in this run
} weft__undoing;
typedef struct weft__launch {
  uint8_t kind;
  uint8_t device;          // of all; of MOVE: between the host and which one; 0: the CPU
  bool to_host;            // MOVE
  double cost_ns;          // KERNEL: as it says; 0: it does not
  uint32_t node;           // position in the function
  uint32_t drop, n_drops;  // boxes that nobody needs after it: indexes of weft__seg.drops
  weft_call call;          // REF, CALL; of KERNEL and VIEW the lists of tensors
  weft_call_fn fn;
  weft_block block;  // KERNEL
  weft_block_fn run;
  uint32_t phases;
  uint32_t overwrite;  // KERNEL: weft_tiling.overwrite
  uint32_t skips;      // KERNEL: weft_tiling.skips
  size_t undo_pieces;  // KERNEL: weft_tiling.undo_pieces and so on
  size_t undo_piece_bytes;
  size_t undo_at;
  weft__undoing *undo;        // KERNEL: it writes into a state; NULL: it does not
  uint64_t offset;            // VIEW: from the start of the input; COPY: of the output
  const weft_kernel *kernel;  // KERNEL; CALL: one that finds shapes, or NULL
  const void *const *packed;  // KERNEL: by input; NULL: none is packed
  uint64_t *workspace_at;     // offsets in the arena
  uint64_t *bytes;            // KERNEL: of inputs and outputs (set for devices), then
  const uint64_t *workspace_bytes;
  struct weft__guard *guard;  // checked builds: guard.h
  uint32_t n_workspaces,
      scratches;            // scratches: parts of the last workspace, one for each block that runs; 0: none
  size_t scratch_bytes;     // of a part
  const weft_fact *facts;   // CALL: of the outputs; NULL: inferred each time
  const weft_layout *most;  // CALL by a kernel that finds shapes: the largest of each output
  uint32_t shape_at;        // and on a device: which workspace is the shape buffer
} weft__launch;

typedef struct weft__upload {  // a constant in the memory of a device
  const weft_tensor *of;
  uint8_t device;
  void *at;
} weft__upload;

typedef struct weft__want {  // what tells one continuation from another
  uint32_t value;
  bool contents;  // otherwise the shape
} weft__want;

typedef struct weft__streams {  // of a segment whose launches run on several streams
  weft_stream_plan plan;        // stream 0 hands the launches of devices to them
  uint32_t n_host;              // streams of the host, the first ones
  // by host stream: its launches; of stream 0 those of devices, too
  uint32_t *list;
  uint32_t *first;
  // by stream: its launches by position
  uint32_t *nth;
  uint32_t *nth_first;
  uint32_t *on;                 // by stream: which one of its device
  void **event;                 // by launch of a device that something waits for; NULL
  weft_device_times *times;     // by launch, when profiled
  double serial_ns, finish_ns;  // as estimated: all one after the other; so
} weft__streams;

typedef struct weft__alive {  // a tensor or a workspace that lies in memory at the peak of a plan
  uint64_t bytes;
  uint32_t value;  // WEFT__UNREAD: a workspace of node `first`
  // nodes between which its memory is needed
  uint32_t first;
  uint32_t last;
  uint8_t space;  // device
} weft__alive;
typedef struct weft__seg weft__seg;
struct weft__seg {
  weft__seg *parent, *children, *next;  // next: of the same parent
  const uint8_t *key;
  size_t key_bytes;
  uint32_t first, end;   // nodes
  uint32_t v0, v1;       // values they make
  weft_tensor **tensor;  // by value - v0
  weft__place *place;
  weft__launch *launch;
  uint32_t n_launches;
  weft__want *want;  // of the continuation; none: the function ends here
  uint32_t n_wants;
  uint32_t *given;  // values that lie in outputs
  uint32_t n_given;
  const bool *in_place;  // by output: it is a state that is changed where it lies; NULL: none is
  uint32_t *drops;
  WEFT_VEC(weft_tensor *) known;   // tensors of values found while planning
  WEFT_VEC(weft__upload) uploads;  // of those that devices read
  weft_plan_result plan;
  weft__alive *peak;  // of each device's memory, largest first
  uint32_t n_peak, peak_node;
  uint64_t device_bytes[WEFT__DEVICES];  // of the arenas of devices; [0] unused
  weft__streams *streams;                // NULL: one
  uint32_t generation;                   // of the arena that its pointers are for
  weft_arena mem;
};

enum { WEFT__KEPT_FREE = 1 << 20 };  // bytes: small models have limits for their tensors alone
typedef struct weft__cache {  // an allocator that keeps what is freed, by size: nothing goes back before the
                              // end
  weft_allocator system;
  weft_allocator self;
  weft_allocator blocks;   // the system's, its calls counted: of memory that the budget counts elsewhere
  weft_allocator counted;  // blocks: plans, and whatever else an exec keeps; beyond WEFT__KEPT_FREE the
                           // budget counts them
  weft_allocator tensors;  // self, counted by the budget
  weft__budget *budget;
  void *free[256];
  uint64_t calls;       // of the system's allocator
  uint64_t kept_bytes;  // by `counted`
  uint64_t live_bytes;
} weft__cache;
void weft__cache_init(weft__cache *c, const weft_allocator *system, weft__budget *budget);
bool weft__cache_charges(const weft_allocator *a);  // is it some cache's `tensors`?
void weft__cache_deinit(weft__cache *c);

enum { WEFT__STREAMS = 16 };  // of the host, and of each device, at most
typedef struct weft__lane {   // of a host stream that runs
  struct weft_exec *x;
  weft__seg *s;
  uint32_t stream;
  weft_status status;
  uint32_t failed;  // launch
  weft_task task;
  weft_event done;  // launches finished
  weft__call_state *state;
  weft_diag *d;
} weft__lane;
typedef struct weft__own {  // what a host stream beside the first needs for itself
  weft__call_state state;
  weft_call_options options;
  weft_diag diag;
  weft__cache cache;
} weft__own;
typedef struct weft__open {  // a device that this exec has opened
  const weft_device *v;
  void *dev;
  void *stream[WEFT__STREAMS];
  char *arena;
  size_t arena_bytes;
  WEFT_VEC(weft__upload) uploads;  // the program's constants
  uint64_t base_ns;                // of its clock: when this run began
} weft__open;

// ---- states: states.c ----
// What an exec needs to run a program with states; all lists have room for its inputs and outputs. n 0: the
// program has none.
typedef struct weft__bound_states {
  uint32_t n;
  weft_states *kept;               // a session's, or its own
  bool own;                        // destroyed with the exec
  struct weft__state **of;         // by state of the program
  struct weft__state **by_output;  // those that are written: of the outputs behind the caller's
  uint32_t n_written;
  const weft_tensor **in;
  weft_tensor **out;
} weft__bound_states;
weft_status weft__states_create(weft_env *e, weft_states **out, weft_diag *d);
void weft__states_destroy(weft_states *s);  // NULL allowed
// After a fork: nobody runs here but this thread.
void weft__states_settle(weft_states *s);
// Lets them hold those of a program, too. E_INVALID names both programs where a state has another dtype or
// shape.
weft_status weft__states_join(weft_states *s, weft_program *p, weft_diag *d);
// `kept` NULL: the exec gets its own.
weft_status weft__exec_bind_states(weft_exec *x, weft_states *kept, weft_diag *d);
void weft__exec_free_states(weft_exec *x);
// Around a run: waits until nobody else uses them in a way that does not go together, and lists inputs and
// outputs with the states; afterwards what was written is kept, or with a failure dropped.
weft_status weft__exec_take_states(weft_exec *x, const weft_tensor *const *in, weft_tensor *const *out,
                                   weft_diag *d);
weft_status weft__exec_keep_states(weft_exec *x, weft_status status, weft_diag *d);
weft_tensor *weft__exec_state(const weft_exec *x, uint32_t k);  // what the state of output k holds now
// The memory of output k of a run: the caller's, or that of the state which it changes in place.
weft_tensor *weft__exec_out(const weft_exec *x, const weft__seg *s, uint32_t k);

// ---- in_place.c: states that a run changes where they lie ----
// After a run: puts back what a failed one has changed.
void weft__in_place_end(weft__seg *s, bool failed);

// weft_exec_create with states of a session.
weft_status weft__exec_create(weft_program *p, const weft_exec_options *o, weft_states *kept, weft_exec **out,
                              weft_diag *d);

struct weft_exec {
  weft_program *program;
  const weft__fn *fn;
  uint32_t fn_index, depth;
  uint32_t node;  // with sub-graphs, being called
  weft_env *env;
  weft_exec_options o;
  weft_exec *root;         // of the program's exec; itself
  struct weft_pool *pool;  // NULL: this thread only
  weft__cache *cache;      // the root's
  weft__budget budget;     // of the root: what a run holds and how long it may take
  uint64_t handed_bytes;   // of the root: charged for the caller's outputs, to the end of the run
  weft_exec **child;       // of the root: by function
  weft_tensor *in;         // headers of the inputs of this run
  weft_tensor *aligned;  // copies of inputs whose elements cannot be read where they lie; NULL: never needed
  weft_tensor *const *out;  // of this run
  weft_tensor *spare;       // by output; NULL: none, as after the first run
  weft__seg *top, *hot;     // plans by the shapes of the inputs; the one used last
  uint32_t n_segs;
  char *arena;
  size_t arena_bytes;
  weft__open *open;    // of the root: by device of the program; NULL: the program has none
  weft__lane *lane;    // of the root: WEFT__STREAMS; NULL: one stream
  weft__own **own;     // by stream; made when a plan uses it
  uint32_t n_streams;  // of the host, at most
  uint32_t stop;       // set by a stream that fails
  uint32_t generation;
  weft__call_state state;
  weft_call_options call_options;
  size_t live_bytes;
  weft_frame frame;
  bool framed, has_boxes;  // has_boxes: some plan allocates tensors while running
  weft_diag *d;
  weft_diag diag;
  uint64_t begin_ns;
  weft_exec_stats stats;
  WEFT_VEC(weft_launch_record) records;  // of the root
  void *records_as;                      // the same for a caller who knows another size of them
  size_t records_as_bytes;
  weft__bound_states states;  // of the root
  struct {                    // scratch of planning, by the largest node and by value
    weft_arena mem;           // of all that stands here, and of weft_exec.in
    const weft_fact **in;
    weft_fact *fact;
    const weft_tensor **tin;
    weft_tensor **tout;
    weft_fact *out_fact;
    uint32_t *until;  // by value: the last node that needs its memory, views included
  } s;
};

static inline weft_tensor *weft__tensor_of(const weft_exec *x, const weft__seg *s, uint32_t v) {
  const weft__fn *f = x->fn;
  if (v < f->n_in)
    return &x->in[v];
  if (v < f->n_in + f->n_const)
    return (weft_tensor *)(uintptr_t)f->value[v]->fact.value;
  while (v < s->v0)
    s = s->parent;
  return s->tensor[v - s->v0];
}
// The plan for what follows `parent` (NULL: the beginning) under this key; made when it is new.
weft_status weft__seg_find(weft_exec *x, weft__seg *parent, const void *key, size_t key_bytes,
                           weft__seg **out);
// The same by what a segment asked for: the shapes and contents of values that it, or one before, has made.
weft_status weft__seg_next(weft_exec *x, weft__seg *s, weft__seg **out);
weft_status weft__seg_of_inputs(weft_exec *x, weft__seg **out);  // by the headers in x->in
weft_status weft__seg_build(weft_exec *x, weft__seg *parent, weft__seg *s);
weft_status weft__seg_layout(weft_exec *x, weft__seg *s);  // places, arena offsets
// The largest tensors at the peak of a plan, for a message.
void weft__peak_text(const weft_exec *x, const weft__seg *s, char *text, size_t cap);
void weft__seg_free(weft_exec *x, weft__seg *s);  // and all that follow it
weft__allowance weft__exec_begin(weft_exec *x);   // a call with the limits of its options; weft__budget_end
weft_status weft__exec_run(weft_exec *x, const weft_tensor *const *in, weft_tensor *const *out);
// exec_inputs.c: checks the caller's inputs and finds the plan for their shapes, x->hot.
weft_status weft__exec_bind(weft_exec *x, const weft_tensor *const *in);
// exec_outputs.c: the caller's memory for what a segment writes into outputs.
weft_status weft__exec_outputs(weft_exec *x, const weft__seg *s);
// Output k after a run whose last segment is s, unless it was written in place: handed over where nobody else
// needs the tensor, copied otherwise.
weft_status weft__exec_hand_out(weft_exec *x, weft__seg *s, uint32_t k);
// Into memory that the caller gave.
weft_status weft__exec_copy_out(weft_exec *x, const weft_tensor *t, uint32_t k, weft_tensor *out);
weft_status weft__exec_room(weft_exec *x,
                            weft__seg *s);         // an arena that is large enough; its tensors point there
uint64_t weft__tensor_span(const weft_tensor *t);  // bytes of its storage

// ---- held.c ----
// Where memory was refused: says that it is a limit, and what is in use as long as it is.
weft_status weft__exec_explain(weft_exec *x, const weft__seg *s, weft_status status);

// ---- warm.c: memory that waits for the first run's outputs ----
void weft__spares_free(weft_exec *x);
// For output k, which has no memory and is to be like `like`. false: there is none that fits.
bool weft__spare_take(weft_exec *x, uint32_t k, const weft_tensor *like, weft_tensor *out);

// ---- largest.c ----
// The plan of what follows a segment, as if the shapes that it waits for were the largest. NULL: it is the
// last one, or there is no bound, or no such plan; the run will say why, if it comes to that.
weft__seg *weft__seg_largest(weft_exec *x, weft__seg *s);
// Adds what follows x->hot, planned so, to what was told of it.
void weft__plan_to_the_end(weft_exec *x, weft_memory_plan *m);
// prepare.c: the same for the exec of a sub-graph, from its inputs on, as large as what is known of them
// allows.
weft_status weft__largest_of_body(weft_exec *x, weft_memory_plan *out, weft_diag *d);
// exec.c: where function `fn` of the program runs, made when it is first asked for.
weft_status weft__exec_child(weft_exec *x, uint32_t fn, weft_exec **out);

// ---- rehearse.c: kernels of a plan that has memory, before the first run ----
void weft__rehearse(weft_exec *x, weft__seg *s);

// ---- copies.c: nodes on devices ----
weft_status weft__device_check(weft_exec *x, const weft__seg *s, uint32_t pos);
weft_status weft__device_inputs(weft_exec *x, weft__seg *s, weft__launch *l, const weft_tiling *t);
weft_status weft__device_call(weft_exec *x, weft__seg *s,
                              weft__launch *l);  // constants of an execute function
// ---- launch.c: one launch ----
void weft__launch_arguments(const weft__launch *l);  // a kernel's pointers, as they are in this run
// The same for the device that it runs on.
weft_device_launch weft__launch_for_device(const weft_exec *x, const weft__launch *l,
                                           weft_device_times *times);
weft_status weft__launch_run(weft_exec *x, weft__seg *s, weft__launch *l, weft__call_state *state,
                             weft_diag *d);
// The first n blocks of a kernel on the CPU, of every phase.
weft_status weft__launch_blocks(const weft_exec *x, const weft__launch *l, uint32_t n);
// A node that allocates its outputs; `on`: in the memory of a device.
weft_status weft__launch_call(weft_exec *x, weft__seg *s, weft__launch *l, const weft__call_device *on);
weft_status weft__launch_failed(weft_exec *x, const weft__launch *l, weft_status s, weft_diag *d);
void weft__value_drop(weft_exec *x, weft_tensor *t);
weft_status weft__launch_may(weft_exec *x, const weft__launch *l, weft_diag *d);  // cancelled, too late
// Hands a value to the watcher, unpacked.
weft_status weft__show(weft_exec *x, const weft_value *v, const weft_tensor *t);
int64_t weft__launch_flops(const weft_exec *x, const weft__launch *l);   // count.c; -1: not known
uint64_t weft__launch_bytes(const weft_exec *x, const weft__launch *l);  // read and written
weft_status weft__launch_record(weft_exec *x, const weft__launch *l, uint32_t stream, weft_device_times t);
// ---- execute_on.c: a node that allocates its outputs, on a device; `times`: NULL, or of its launches ----
// A kernel that finds shapes: runs it and brings the shapes to l->block.shape_out.
weft_status weft__find_on(const weft_exec *x, const weft__call_device *on, const weft__launch *l,
                          weft_diag *d);
weft_status weft__execute_on(weft_exec *x, weft__seg *s, weft__launch *l, weft__open *o, void *stream,
                             weft_device_times *times);
// ---- run_streams.c: several streams, devices ----
weft_status weft__streams_init(weft_exec *x, weft_diag *d);
void weft__streams_deinit(weft_exec *x);
weft_status weft__streams_run(weft_exec *x, weft__seg *s);
// Room for what a segment needs of devices: streams, events, arenas.
weft_status weft__streams_make(weft_exec *x, weft__seg *s);
weft_status weft__streams_arenas(weft_exec *x, const weft__seg *s);
void weft__streams_free(weft_exec *x, weft__seg *s);  // the segment's events and constants
// A constant in the memory of a device. `whole_run`: it lives as long as the program.
weft_status weft__upload_of(weft_exec *x, weft__seg *s, uint8_t device, const weft_tensor *t, bool whole_run,
                            const void **out);
// SPDX-License-Identifier: Apache-2.0
