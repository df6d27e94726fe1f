// weft/op.h - the operator contract: how an operator is described, inferred and run. The only header an
// operator or a package needs; everything callable here is inline or goes through the host table, so a
// package links against nothing.
//
// An operator is one const weft_op: ports, attributes, and functions. Prototype and functions may be compiled
// apart. Indexes: an IR index counts the declared ports; an instance index counts what a node really has: an
// absent optional port has no instance, a dynamic port has any number. Plain names take instances; `port` in
// a name means IR index. Everything that crosses the border begins with its size (or has its stride in
// weft_op) and is only appended to.
#pragma once
#include "weft/attr.h"
#include "weft/element.h"
#include "weft/tensor.h"
#ifdef __cplusplus
extern "C" {
#endif

enum { WEFT_ABI = 3 };
struct weft_op;
struct weft_host;

// ---- description ----
// port kinds
enum { WEFT_REQUIRED = 0, WEFT_OPTIONAL = 1, WEFT_DYNAMIC = 2 };
// Value dependence: inference, tiling read the values of an input. OPTIONAL: they can do without; they see
// what is known, and nothing waits for what only the run will tell, unless inference finds no shape without.
enum { WEFT_VALUE_INFER = 1, WEFT_VALUE_TILING = 2, WEFT_VALUE_OPTIONAL = 4 };
enum { WEFT_FOLLOW_SHAPE = 1, WEFT_FOLLOW_DTYPE = 2, WEFT_FOLLOW_FORMAT = 4, WEFT_FOLLOW_ALL = 7 };
enum {  // traits: what passes and the harness may rely on
  // inference handles symbolic dims (weft_dim_* only); without it they are shown as -1
  WEFT_SYMBOLIC = 1 << 0,
  // larger input dims never give smaller output dims: ranges come from the corners
  WEFT_MONOTONE = 1 << 1,
  WEFT_ELEMENTWISE = 1 << 2,   // output element i depends on (broadcast) element i of the inputs only
  WEFT_COMMUTATIVE = 1 << 3,   // the first two inputs may be swapped
  WEFT_VIEW = 1 << 4,          // output 0 has the bytes of input 0 in the same order
  WEFT_INPLACE = 1 << 5,       // output 0 may overwrite input 0: a permission
  WEFT_SIDE_EFFECT = 1 << 6,   // never removed, merged or reordered
  WEFT_RANDOM = 1 << 7,        // two runs may differ: never folded or merged
  WEFT_TILED = 1 << 8,         // blocked: needs a tiling function to be complete
  WEFT_DATA_DEPENDENT = 1 << 9,  // the output shape is known only after execution; needs a range (class 3)
  WEFT_ANY_FORMAT = 1 << 11,   // takes inputs in packed storage formats (TransData)
  WEFT_JOIN = 1 << 12,  // output 0 is the inputs of its dtype joined along an axis, in their order (ConcatV2)
  // the outputs, in their order, are the input of their dtype cut along an axis (SplitV)
  WEFT_CUT = 1 << 13,
  // output formats are that of input 0 when the ranks agree (implied by ELEMENTWISE)
  WEFT_KEEP_FORMAT = 1 << 10,
};

typedef struct weft_column {  // entry i of every port together is one supported combination
  weft_dtype dtype;
  weft_format format;
} weft_column;
typedef struct weft_port {
  const char *name;
  const char *type;            // a symbol of .types, or NULL
  weft_dtype_set dtypes;       // without a symbol: what is allowed (0: see columns)
  const weft_column *columns;  // weft_op.n_columns entries, or NULL
  const char *follow;          // outputs: the port it follows
  uint8_t follow_what, kind, min_count /* of DYNAMIC */, value,
      ref /* outputs: 1 + input whose buffer this is */;
  uint8_t incomplete_format;   // set at registration: no format was declared
  uint8_t kinds;               // bits 1 << WEFT_KIND_* of what the port takes or gives; 0: tensors only
  uint8_t reserved[9];         // zero: no hidden padding, so that the stride tells what a package knows
} weft_port;
// A dtype symbol. Bound to inputs: all of them must agree on one member of `set`. Bound to none: read from
// the attribute `from_attr`, or the promotion of the symbols named in `promote` ("T1,T2"), or the only member
// of the set.
typedef struct weft_symbol {
  const char *name;
  weft_dtype_set set;
  const char *promote, *from_attr;
  uint8_t each;  // every instance of a dynamic port may have its own
  uint8_t reserved[7];
} weft_symbol;
// dflt: text of the default; NULL: required. check: NULL or a rule, several joined by ';':
// "min 1", "max 7", "each min 0", "count 4", "count 2,4", "one of RELU|TANH"; a message names the rule and
// the value.
typedef struct weft_attr_decl {
  const char *name, *type, *dflt, *check;
  uint8_t ext;  // appended by weft to AscendIR's prototype; its default gives AscendIR's behaviour
  uint8_t reserved[7];
} weft_attr_decl;

// One use of an operator. Lives as long as its node.
typedef struct weft_port_span {
  uint32_t start, count;  // instances
} weft_port_span;
typedef struct weft_op_desc {
  uint32_t size;
  uint32_t n_in, n_out;             // instances
  uint32_t n_in_ports, n_out_ports;  // declared ports
  uint32_t n_attr;                  // declared attributes; private ones are not counted
  const char *name, *type;          // of the node, of the operator
  const struct weft_op *op;
  const weft_attr *const *attr;     // by declaration order, defaults filled in; NULL when n_attr is 0
  const weft_port_span *in_port, *out_port;  // by IR index
  // what the node has beyond the declared attributes ("_name"), in the order in which it was given
  const weft_named_attr *private_attr;
  uint32_t n_private;
  uint32_t reserved;
  void **kept;  // weft_kept_take and weft_kept_give; NULL: nothing is kept here
} weft_op_desc;

// What an operator derives from a node's description - attributes checked and laid out, tables - may stay
// with the node. It is made by the first call that finds none, taken for the time of a call and given back,
// so that two threads never have it at once. weft drops it (weft_op.drop) when an attribute of the node
// changes, and with the node. Both cost about 5 ns.
// NULL: there is none yet, or another thread has it: make one.
static inline void *weft_kept_take(const weft_op_desc *n) {
  // a weft older than this header does not
  bool knows = n->size >= offsetof(weft_op_desc, kept) + sizeof n->kept;
  return knows && n->kept ? __atomic_exchange_n(n->kept, NULL, __ATOMIC_ACQUIRE) : NULL;
}
// Leaves `kept` with the node. False: there is one already, or this node keeps none; it stays the caller's.
static inline bool weft_kept_give(const weft_op_desc *n, void *kept) {
  bool knows = n->size >= offsetof(weft_op_desc, kept) + sizeof n->kept;
  void *none = NULL;
  return knows && n->kept &&
         __atomic_compare_exchange_n(n->kept, &none, kept, 0, __ATOMIC_RELEASE, __ATOMIC_RELAXED);
}

// ---- contexts ----
enum { WEFT_STAGE_BUILD, WEFT_STAGE_RUN };                                  // when inference happens
enum { WEFT_DATA_NOT_DECLARED, WEFT_DATA_NOT_KNOWN, WEFT_DATA_KNOWN };  // weft_infer.data_state
// Inference of one node: dtype, shape, range and small values. Outputs arrive unset (rank WEFT_RANK_UNSET,
// dims poisoned in checked builds, dtype UNDEFINED): a function sets all of them or fails.
typedef struct weft_infer {
  uint32_t size, n_in, n_out;
  uint32_t stage;
  const weft_op_desc *desc;
  const struct weft_host *host;
  weft_diag *d;
  weft_symbols *symbols;  // for weft_dim_*; NULL: symbols are shown as -1
  const weft_shape *const *in;                        // origin shapes
  const weft_shape *const *in_min, *const *in_max;    // ranges; infer_range only, otherwise NULL
  weft_shape *const *out, *const *out_min, *const *out_max;
  const weft_dtype *in_dtype;
  weft_dtype *out_dtype;
  const weft_format *in_format;    // storage formats
  // WEFT_FORMAT_RESERVED on arrival: leave it, and the framework's rule applies
  weft_format *out_format;
  weft_format *out_origin_format;  // the same
  const weft_tensor *const *value;  // shape, dtype and format always; data NULL: not declared or not known
  const uint8_t *data_state;        // WEFT_DATA_*, per input
  // Small integer values, element by element: a literal above -2^32 (a smaller one is shown as -2^32), a
  // symbol handle, or WEFT_DIM_INVALID for an unknown one. For inputs declared WEFT_VALUE_INFER, and all
  // inputs of an operator with infer_value; v NULL: nothing is known, n 0 then.
  const weft_ints *in_dims;
  weft_dim *const *out_dims;  // infer_value: room for out_dims_cap elements; set *out_dims_n
  int64_t *out_dims_n;        // -1 on arrival
  uint32_t out_dims_cap;
  // Sequences and optionals: dtype and shape are those of the elements (unknown rank when they differ).
  const uint8_t *in_kind;  // WEFT_KIND_*
  uint8_t *out_kind;       // WEFT_KIND_TENSOR on arrival
  void *impl;
} weft_infer;

// A value that goes into or comes out of a sub-graph, for weft_host.infer_graph.
typedef struct weft_described {
  uint32_t size;
  weft_dtype dtype;
  uint8_t kind;
  weft_format format;
  weft_shape shape;
  const weft_tensor *value;  // data known; NULL: not
} weft_described;

// What a fused node computes: operators in order, wired together. Of an input of an operator: >= 0 is output
// 0 of that operator of the region (they have one each), below 0 is input -1-i of the fused node.
typedef struct weft_region_node {
  const weft_op_desc *desc;
  const int32_t *in;  // desc->n_in entries
  weft_dtype dtype;   // of its output
} weft_region_node;
typedef struct weft_region {
  uint32_t size, n_nodes, n_in, n_out;
  const weft_region_node *node;
  const int32_t *out;  // of the fused node, like an input of an operator
} weft_region;

enum {  // what a compile option allows kernels to do to precision
  WEFT_PRECISION_ORIGIN = 0,  // operands are used in the dtype that they have
  // products and convolutions of float may round both operands to bf16; they sum in float
  WEFT_PRECISION_BF16 = 1,
  WEFT_PRECISION_HF32 = 2,    // the same may use 16 bits of their significands (HF32 has 11)
};

// The host side of a kernel, once a shape. May not depend on the number of threads.
typedef struct weft_tiling {
  uint32_t size, n_in, n_out;
  const weft_op_desc *desc;
  const struct weft_host *host;
  weft_diag *d;
  const weft_layout *const *in, *const *out;
  const weft_dtype *in_dtype, *out_dtype;
  const weft_tensor *const *value;
  const void *device;
  uint64_t key;           // kernel variant; 0
  uint32_t blocks;        // block_dim; 0 on arrival
  uint32_t phases;        // barriers between; 1 on arrival
  uint32_t n_workspaces;  // 0
  size_t workspace_bytes[16];
  void *data;  // the opaque record the kernel reads, zeroed, data_cap bytes
  size_t data_cap, data_bytes;
  uint8_t atomic_clean;  // 1 on arrival
  const weft_region *region;  // of a fused node; NULL
  // A constant input (value[i] not NULL, i < 8) that the kernel wants in another layout: so many bytes, made
  // once by `pack` for all plans that ask with the same key. The kernel then finds that memory, 64-byte
  // aligned, as its argument.
  size_t pack_bytes[8];
  uint64_t pack_key[8];
  // bits of inputs that output 0 may lie over when nobody needs them afterwards: equal shapes only
  uint32_t overwrite;
  // how they are stored; packed ones only for kernels with WEFT_KERNEL_PACKED
  const weft_format *in_format, *out_format;
  // 0; memory that a block has while it runs and no longer: as many as run at once, not one a block
  size_t scratch_bytes;
  uint32_t precision;    // WEFT_PRECISION_*: what compiling allowed (docs/precision.md)
  // bits of outputs that the kernel can do without: NULL is its argument for one that nobody reads
  uint32_t skips;
  // bits of inputs whose elements it reads wherever they lie; constants of a mapped file are copied to where
  // they are aligned otherwise
  uint32_t bytewise;
  // A kernel that changes some places of output 0 where it lies over input 0 may change a state in place, if
  // a run that fails can put back what was there: in phase 0, before it changes anything, it notes so many
  // pieces, of so many bytes each, in the weft_undo that the pointer at data + undo_at names. NULL there:
  // nobody wants to know. 0: it cannot tell.
  size_t undo_pieces, undo_piece_bytes, undo_at;
} weft_tiling;

// Where a kernel notes what it overwrites. Every piece is noted, the same one as often as it is named.
typedef struct weft_undo {
  uint64_t *at;  // by piece: from the start of output 0, in bytes
  void *was;     // the pieces, one after the other
} weft_undo;

// Making a packed constant, once a program: from `in` to `to`. Several threads make different ones at once.
typedef struct weft_packing {
  uint32_t size, index;  // which input
  const weft_op_desc *desc;
  const struct weft_host *host;
  weft_diag *d;
  const weft_tensor *in;
  void *to;
  size_t bytes;
  uint64_t key;
  // For kernels with WEFT_KERNEL_PACKS_PIECES, whose in->data may be NULL: bytes [from, from + bytes) of the
  // input's data, whole elements, aligned, until the next call. Cheapest from the front to the back, in
  // pieces of the second cache's size. NULL: out of memory, and `d` says so. The function itself NULL:
  // in->data are there.
  const void *(*read)(const struct weft_packing *p, size_t from, size_t bytes);
  void *impl;
} weft_packing;
// Bytes [from, from + bytes) of the constant, piece by piece or from memory: weft_packing.read, where it is.
static inline const void *weft_packing_read(const weft_packing *p, size_t from, size_t bytes) {
  // a weft older than this header does not
  bool knows = p->size >= offsetof(weft_packing, read) + sizeof p->read;
  return knows && p->read ? p->read(p, from, bytes) : (const char *)p->in->data + from;
}

enum { WEFT_SHAPE_OUT = 9 };
// All that a kernel sees.
typedef struct weft_block {
  uint32_t size, block, blocks, phase;
  uint64_t key;
  const void *data;
  void *const *arg;  // inputs, then outputs, in instance order
  void *const *workspace;
  uint64_t *shape_out;  // of kernels with WEFT_KERNEL_FINDS: WEFT_SHAPE_OUT numbers an output, rank and dims
  void *scratch;   // weft_tiling.scratch_bytes of it, 64-byte aligned, with anything in it
  // bits of outputs that lie in the caller's memory: what is large does better past the caches
  uint32_t given;
} weft_block;
typedef weft_status (*weft_block_fn)(const weft_block *b);
// what stands around the block of a run that may be stopped: block.size tells
typedef struct weft_block_run {
  weft_block block;
  bool (*stopped)(void *of);
  void *of;
} weft_block_run;
// Is the run to end (weft/limits.h)? A block that computes for more than some milliseconds asks now and then,
// and returns what is not WEFT_OK: WEFT_TRY(weft_block_poll(b)), where b is what the kernel was given, not a
// copy of it. Reads the clock, about 30 ns; nothing where there are no limits.
static inline weft_status weft_block_poll(const weft_block *b) {
  const weft_block_run *r = (const weft_block_run *)(const void *)b;
  bool has = b->size >= sizeof *r && r->stopped;
  return has && r->stopped(r->of) ? WEFT_E_CANCELLED : WEFT_OK;
}

// Running one operator: reference kernels find their outputs allocated; execute functions allocate them.
typedef struct weft_call {
  uint32_t size, n_in, n_out;
  const weft_op_desc *desc;
  const struct weft_host *host;
  weft_diag *d;
  void *stream;
  const weft_tensor *const *in;
  weft_tensor *const *out;  // out[i] NULL: nobody reads output i
  void *impl;
} weft_call;

typedef weft_status (*weft_infer_fn)(weft_infer *it);
typedef weft_status (*weft_call_fn)(const weft_call *c);
typedef weft_status (*weft_tile_fn)(weft_tiling *t);

// A node of a program that is saved, for weft_op.save. Dims that are not known are below 0.
typedef struct weft_saved_node {
  const weft_op_desc *desc;
  const weft_described *in;  // desc->n_in
} weft_saved_node;
typedef struct weft_saving {
  uint32_t size, n_nodes;
  const weft_saved_node *node;  // all of the operator, in their order
  weft_write_fn write;  // takes bytes, as often as wanted
  void *ctx;
  const struct weft_host *host;
  weft_diag *d;
} weft_saving;
typedef struct weft_carried {  // what a file gives back, for weft_op.load
  uint32_t size;
  const struct weft_op *op;
  const void *data;
  size_t bytes;
  const struct weft_host *host;
  weft_diag *d;
} weft_carried;

typedef struct weft_op {
  uint32_t size;
  uint16_t port_bytes, attr_bytes, symbol_bytes;  // strides: WEFT_OP_HEAD fills them
  uint16_t version;
  const char *name;
  const char *summary;       // one line: what it computes
  const weft_port *in, *out;  // NULL name ends each list
  const weft_attr_decl *attrs;
  const weft_symbol *types;
  const char *const *graphs;  // sub-graph slots, NULL ends; a leading '*' marks a dynamic one
  uint32_t n_columns;
  uint64_t traits;
  weft_infer_fn infer;        // shapes, and dtypes and formats if it likes
  weft_infer_fn infer_dtype;
  weft_infer_fn infer_range;
  weft_infer_fn infer_value;
  weft_call_fn ref;
  weft_call_fn execute;
  const char *kernel;               // the kernel it needs by name, or NULL
  const char *const *targets;       // device names it declares, NULL ends; NULL: any that has a kernel
  weft_tile_fn tile;                // for the targets above
  const char *const *examples;      // one-line texts, NULL ends; dropped from release builds
  const void *user;                 // the operator's own: functions find it at desc->op->user
  void (*drop)(void *kept);         // destroys what weft_kept_give left with a node; NULL: nothing is kept
  // For packages with many operators. Not NULL: besides this, size, strides and name may be all that is here;
  // whoever first wants the operator gets the rest, once an environment, under its lock. What is returned
  // lives as long as this and has no `describe`. NULL: it failed, and `d` says why.
  const struct weft_op *(*describe)(const struct weft_op *op, const struct weft_host *host, weft_diag *d);
  const char *warning;              // what is doubtful in this description, for the log; NULL: nothing
  // Bytes that a saved program carries for all nodes of the operator: kernels that were compiled, tables.
  // weft does not look at them. `load` gets them before anything of a loaded program runs. NULL: none.
  weft_status (*save)(const weft_saving *s);
  weft_status (*load)(const weft_carried *c);
} weft_op;
#define WEFT_OP_HEAD                                                                                         \
  .size = sizeof(weft_op), .port_bytes = sizeof(weft_port), .attr_bytes = sizeof(weft_attr_decl), \
  .symbol_bytes = sizeof(weft_symbol)
// Descriptor macros (C only): lists with their end mark.
#define WEFT_PORTS(...) ((const weft_port[]){__VA_ARGS__, {0}})
#define WEFT_ATTRS(...) ((const weft_attr_decl[]){__VA_ARGS__, {0}})
#define WEFT_TYPES(...) ((const weft_symbol[]){__VA_ARGS__, {0}})
#define WEFT_COLUMNS(...) ((const weft_column[]){__VA_ARGS__})
#define WEFT_NAMES(...) ((const char *const[]){__VA_ARGS__, NULL})
#ifdef WEFT_WITH_EXAMPLES
#define WEFT_EXAMPLES(...) ((const char *const[]){__VA_ARGS__, NULL})
#else
#define WEFT_EXAMPLES(...) NULL
#endif

// How a device runs an operator; ordered per (op, device): of those that do not refuse, the cheapest wins. A
// region of a fused node is offered to kernels of op "Fused", which look at weft_tiling.region.
typedef struct weft_kernel {
  uint32_t size;
  const char *op, *device, *name;
  size_t tiling_bytes_max;                     // 0: 2048
  const char *(*refuse)(const weft_tiling *t);  // NULL: takes it; otherwise the reason
  double (*cost_ns)(const weft_tiling *t);
  weft_status (*pack)(const weft_packing *p);  // NULL: it never sets pack_bytes
  weft_tile_fn tile;
  weft_block_fn run;
  uint32_t flags;  // WEFT_KERNEL_*
} weft_kernel;
// It looks at the formats of inputs and outputs itself, and takes some that are packed (NC1HWC0); lanes that
// exist only in the packed form are zero when they come and must be zero when they go. Others are never asked
// about packed ones. WEFT_KERNEL_FLOATS: `pack` finds constants of f16 and bf16 widened to float.
// WEFT_KERNEL_PACKS_PIECES: `pack` takes the data through weft_packing_read, so that constants need not be in
// memory as a whole.
// WEFT_KERNEL_FINDS: of an operator with WEFT_DATA_DEPENDENT. weft_tiling.out are the largest shapes that its
// range function gives, and so large are the outputs; the kernel writes those that it found to
// weft_block.shape_out. A device is asked before shapes are known: then dims of weft_tiling.out may be -1,
// which `refuse` and `cost_ns` must take.
enum { WEFT_KERNEL_PACKED = 1, WEFT_KERNEL_FLOATS = 2, WEFT_KERNEL_PACKS_PIECES = 4, WEFT_KERNEL_FINDS = 8 };

// ---- services for operators and packages ----
// A launch by an execute function. It may run at any time until the next sync, on the device that the node
// was placed on: lists and data are copied, `arg` holds memory of this call alone (data of inputs and
// outputs, workspaces), `data` plain numbers.
typedef struct weft_call_launch {
  uint32_t size;
  uint32_t blocks, n_args;
  weft_block_fn run;
  void *const *arg;
  const void *data;
  size_t data_bytes;
  const char *name;  // for errors; NULL: the operator's
  double cost_ns;    // 0: not known
} weft_call_launch;

typedef struct weft_host {
  uint32_t size, abi;
  const char *version;
  weft_status (*fail)(weft_diag *d, weft_status s, const char *fmt, ...) WEFT_PRINTF(3, 4);
  void (*note)(weft_diag *d, const char *fmt, ...) WEFT_PRINTF(2, 3);
  // Execute functions. They run on the host; on a device the data of tensors and workspaces are its memory,
  // which kernels and copy_to_host alone can read. An operator that keeps to that names the device in
  // weft_op.targets.
  weft_status (*out_alloc)(const weft_call *c, uint32_t i, weft_dtype t, const weft_layout *layout,
                           weft_format format);
  // <= what was allocated
  weft_status (*out_set_shape)(const weft_call *c, uint32_t i, const weft_shape *shape);
  // 64-byte aligned, freed after the run
  weft_status (*workspace)(const weft_call *c, size_t bytes, void **out);
  weft_status (*launch)(const weft_call *c, const weft_call_launch *l);
  weft_status (*sync)(const weft_call *c);  // a kernel's failure comes out here
  // Checked. E_STATE: after a launch and before sync outputs and workspaces hold what they held.
  weft_status (*copy_to_host)(const weft_call *c, void *to, const void *from, size_t bytes);
  // operators with sub-graphs: what the outputs of one are when its inputs are these (n_in and n_out are its
  // own counts)
  weft_status (*infer_graph)(weft_infer *it, uint32_t graph, const weft_described *in, uint32_t n_in,
                             weft_described *out, uint32_t n_out);
  // runs one: out[i] are initialised here and the caller's afterwards
  weft_status (*call_graph)(const weft_call *c, uint32_t graph, const weft_tensor *const *in,
                            weft_tensor *const *out);
  // Arithmetic on dims that may be unknown or symbolic; `how` is WEFT_DIMS_*. Inline below: weft_dims_add(it,
  // a, b), ...
  weft_dim (*dim)(weft_symbols *p, uint32_t how, weft_dim a, weft_dim b);
  // what weft's own kernels may use of the machine (weft_env_options.isa)
  const struct weft_machine *machine;
  weft_status (*poll)(const weft_call *c);  // E_LIMIT, E_CANCELLED: the call is to end; use weft_call_poll
} weft_host;
// For reference kernels and execute functions that compute for more than some milliseconds:
// WEFT_TRY(weft_call_poll(c)) now and then, as weft_block_poll in kernels.
static inline weft_status weft_call_poll(const weft_call *c) {
  // a weft older than this header does not
  bool knows = c->host->size >= offsetof(weft_host, poll) + sizeof c->host->poll;
  return knows && c->host->poll ? c->host->poll(c) : WEFT_OK;
}
enum {
  WEFT_DIMS_ADD,
  WEFT_DIMS_SUB,
  WEFT_DIMS_MUL,
  WEFT_DIMS_FLOORDIV,
  WEFT_DIMS_CEILDIV,
  WEFT_DIMS_DIV_EXACT,
  WEFT_DIMS_MAX,
  WEFT_DIMS_MIN,
};

enum { WEFT_SECTION_OP = 1, WEFT_SECTION_KERNEL, WEFT_SECTION_PASS, WEFT_SECTION_DEVICE };
typedef struct weft_section {  // this one never grows: it has no stride of its own
  uint32_t kind, stride, count;  // stride: bytes from item to item; ops are an array of pointers, stride 0
  const void *items;
} weft_section;
typedef struct weft_package {
  uint32_t size, abi;
  const char *name, *version;
  uint32_t n_sections;
  const weft_section *sections;
} weft_package;
// The one symbol a package exports: `const weft_package *weft_package_entry(const weft_host *host)`. NULL:
// refuses.
typedef const weft_package *(*weft_package_entry_fn)(const weft_host *host);
#ifdef __cplusplus
}
#endif

#include "weft/op_inline.h"
// SPDX-License-Identifier: Apache-2.0
