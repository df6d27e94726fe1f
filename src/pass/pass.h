// pass.h - what passes and their manager share: a running pass, rewriting, kinds of operators.
// While a pass runs over a graph, the graph is `deferred`: its list is kept in order by placing new nodes
// before the node they stand for, and is sorted once afterwards, so that a rewrite costs what it touches.
// Layer: pass.
#pragma once
#include "infer/walk.h"
#include "ir/ir.h"
#include "weft/pass.h"

// WEFT_PASS(merge_views) = {WEFT_PASS_HEAD, "merge-views", ...};   The order of passes is src/pass/table.c,
// nothing else.
#define WEFT_PASS(symbol) const weft_pass weft__pass_##symbol
extern const weft_pass *const weft__builtin_passes[];  // NULL ends

// Operators that passes know by meaning. A node is of a kind when its operator is weft's own: an operator of
// a package that took over the name is WEFT_K_NONE. What traits say is asked of the operator.
// clang-format off
#define WEFT_KIND_LIST(X)                                                                               \
  X(ABS, "Abs") X(ADD, "Add") X(ADD_N, "AddN") X(AVG_POOL_V2, "AvgPoolV2")                              \
  X(BATCH_MAT_MUL, "BatchMatMulV2") X(BATCH_NORM, "BatchNorm") X(BIAS_ADD, "BiasAdd")                   \
  X(BITWISE_NOT, "BitwiseNot") X(BN_INFERENCE, "BNInference") X(BROADCAST_TO, "BroadcastTo")            \
  X(CAST, "Cast") X(CEIL, "Ceil") X(CLIP, "ClipByValue") X(CLIP_V2, "ClipByValueV2")                    \
  X(CONCAT, "Concat") X(CONCAT_D, "ConcatD") X(CONCAT_V2, "ConcatV2") X(CONV, "Conv")                   \
  X(CONV2D, "Conv2D") X(CONV_TRANSPOSE, "ConvTranspose") X(CONV_INTEGER, "ConvInteger")                 \
  X(DEQUANTIZE_LINEAR, "DequantizeLinear") X(MAT_MUL_INTEGER, "MatMulInteger")                          \
  X(MAX_POOL_V3, "MaxPoolV3") X(QUANTIZE_LINEAR, "QuantizeLinear") X(DIV, "Div") X(ERF, "Erf")          \
  X(EXP, "Exp") X(EXPAND, "Expand") X(EXPAND_DIMS, "ExpandDims") X(EINSUM, "Einsum")                    \
  X(EQUAL, "Equal") X(PROMPT_FLASH_ATTENTION, "PromptFlashAttention")                                   \
  X(FIXED_REQUANT, "FixedRequant") X(FLATTEN, "Flatten") X(FLATTEN_V2, "FlattenV2")                     \
  X(FLOOR, "Floor") X(GELU, "Gelu") X(GEMM, "GEMM") X(HARD_SIGMOID, "HardSigmoid")                      \
  X(HARD_SWISH, "HardSwish") X(IDENTITY, "Identity") X(IF, "If") X(INVERT, "Invert")                    \
  X(LAYER_NORM, "LayerNorm") X(LOGICAL_NOT, "LogicalNot") X(LOOP, "Loop") X(LRN, "LRN")                 \
  X(LRN_GRAD, "LRNGrad") X(MAT_MUL, "MatMulV2") X(MAXIMUM, "Maximum") X(MINIMUM, "Minimum")             \
  X(MUL, "Mul") X(NEG, "Neg") X(PAD, "Pad") X(PAD_V3, "PadV3") X(POW, "Pow")                            \
  X(RANDOM_DROPOUT, "RandomDropout") X(REAL_DIV, "RealDiv") X(RECIPROCAL, "Reciprocal")                 \
  X(REDUCE_MAX, "ReduceMax") X(REDUCE_MEAN, "ReduceMean") X(REDUCE_SUM, "ReduceSum") X(RELU, "Relu")    \
  X(RELU6, "Relu6") X(RESHAPE, "Reshape") X(RESIZE, "Resize") X(RINT, "Rint") X(RSQRT, "Rsqrt")         \
  X(SELECT_V2, "SelectV2") X(SIGMOID, "Sigmoid") X(SIGN, "Sign") X(SLICE, "Slice")                      \
  X(SOFTMAX_V2, "SoftmaxV2") X(SOFTPLUS, "Softplus") X(SPLIT, "Split") X(SPLIT_D, "SplitD")             \
  X(SPLIT_V, "SplitV") X(SQRT, "Sqrt") X(SQUARE, "Square")                                              \
  X(SQUARED_DIFFERENCE, "SquaredDifference") X(SQUEEZE, "Squeeze") X(SQUEEZE_V3, "SqueezeV3")           \
  X(STRIDED_SLICE_V2, "StridedSliceV2") X(SUB, "Sub") X(SWISH, "Swish") X(TANH, "Tanh")                 \
  X(TILE, "Tile") X(TRANSPOSE, "Transpose") X(TRANSPOSE_D, "TransposeD") X(UNSQUEEZE, "Unsqueeze")      \
  X(UNSQUEEZE_V3, "UnsqueezeV3")
// clang-format on
enum {
  WEFT_K_NONE,
#define WEFT_X(id, name) WEFT_K_##id,
  WEFT_KIND_LIST(WEFT_X)
#undef WEFT_X
      WEFT_K_COUNT
};
enum { WEFT_KIND_SLOTS = 256 };  // a power of two, more than twice the kinds

// A set of kinds. Operators that have none are in it together, as WEFT_K_NONE; WEFT_K_ANY is in that of every
// graph.
enum { WEFT_K_ANY = 127 };
typedef struct weft_kinds {
  uint64_t bits[2];
} weft_kinds;
static inline bool weft__kinds_have(const weft_kinds *s, int kind) {
  return s->bits[kind >> 6] >> (kind & 63) & 1;
}
static inline void weft__kinds_put(weft_kinds *s, int kind) {
  s->bits[kind >> 6] |= UINT64_C(1) << (kind & 63);
}
static inline bool weft__kinds_meet(const weft_kinds *a, const weft_kinds *b) {
  return (a->bits[0] & b->bits[0]) | (a->bits[1] & b->bits[1]);
}

typedef struct weft_pass_entry {  // one pass of a run
  const weft_pass *pass;
  bool own;  // one of weft's, not a package's
  bool on;
  bool ran;
  uint64_t version;  // of the graph after its last run: with the same one there is nothing to do
  weft_kinds at;
  weft_kinds needs;
} weft_pass_entry;

struct weft_pass_run {
  const weft_pass_host *host;  // first: weft_pass_services reads it
  weft_env *env;
  weft_graph *root;
  weft_diag *d;
  const weft_optimize_options *o;
  WEFT_VEC(weft_pass_entry) passes;
  const weft_pass *pass;         // running
  const weft_pass_entry *entry;  // its
  bool leaves_fused;             // it does nothing in bodies of fused nodes
  uint32_t precision;            // WEFT_PRECISION_*, by option
  uint64_t limit;                // changes that may be made; UINT64_MAX: any number
  uint64_t version;              // changes so far
  size_t skipped;
  uint64_t looked_at;                // weft_optimize_summary
  unsigned number;                   // of passes that changed something
  uint32_t first_node, first_value;  // ids from here on were made by passes
  size_t folded_bytes;               // constants made by fold-constants
  size_t given_bytes;                // of the constants of the model, plus one; 0: not counted yet
  weft__steps *steps;                // of the graph steps_graph
  weft_graph *steps_graph;
  WEFT_VEC(weft_node *) added;  // by the visit at hand
  WEFT_VEC(weft_node *) stack;  // for removing
  WEFT_VEC(weft_node *) nodes;  // of the sweep at hand: weft__pass_nodes
  WEFT_VEC(uint8_t) kinds;      // theirs
  weft_kinds present;           // all of them
  bool nests;                   // a node has sub-graphs, bodies of fused ones apart
  const weft_graph *listed;     // whose they are, as of version `listed_at`; NULL: of none
  uint64_t listed_at;
  WEFT_VEC(weft_node *) found;  // what a pass that walks by itself looks for
  WEFT_VEC(uint64_t) seen;      // skips that were told: open addressing, 0 is empty
  size_t n_seen;
  bool proven_later;   // weft__passes_done
  bool learnt;         // a value was replaced by one of which something else is known: infer the graph again
  bool own_operators;  // all nodes are of weft's own operators
  weft_arena scratch;  // of one visit
  const weft_proto *fused;               // the operator "Fused"
  const weft_kernel *fused_kernels[64];  // the CPU's for it, when they were asked for
  uint32_t n_fused_kernels;
  const weft_proto *kind_key[WEFT_KIND_SLOTS];
  uint8_t kind_of[WEFT_KIND_SLOTS];
  char text[2048];  // of refuse: each kernel and its reason
};

// ---- kinds ----
static inline size_t weft__kind_slot(const weft_proto *p) {
  return (size_t)(((uint64_t)(uintptr_t)p * UINT64_C(0x9E3779B97F4A7C15)) >> 56);
}
static inline int weft__kind_of(const weft_pass_run *r, const weft_proto *p) {
  for (size_t i = weft__kind_slot(p); r->kind_key[i]; i = (i + 1) & (WEFT_KIND_SLOTS - 1)) {
    if (r->kind_key[i] == p)
      return r->kind_of[i];
  }
  return WEFT_K_NONE;
}
static inline int weft__kind(const weft_pass_run *r, const weft_node *n) {
  return weft__kind_of(r, n->desc.proto);
}
const char *weft__kind_type(int kind);  // "Reshape"
// Kind of the node that makes v; WEFT_K_NONE for inputs and constants.
static inline int weft__kind_by(const weft_pass_run *r, const weft_value *v) {
  return v && v->node ? weft__kind(r, v->node) : WEFT_K_NONE;
}

// WEFT_TRY(weft__pass_made(r, v)) where NULL says that making it failed, which is told already.
static inline weft_status weft__pass_made(const weft_pass_run *r, const void *made) {
  return made ? WEFT_OK : r->d->status;
}

// Frees what is in r->scratch: for passes that walk by themselves, between one node and the next.
void weft__pass_forget(weft_pass_run *r);
// ---- what passes call (rewrite.c); the host table has the same functions ----
// Puts all nodes of a graph into r->nodes, in order, and what is known of all; nothing is done when they are
// there since the last change.
weft_status weft__pass_nodes(weft_pass_run *r, const weft_graph *g);
bool weft__pass_may(weft_pass_run *r);
void weft__pass_did(weft_pass_run *r, const weft_node *n, const char *fmt, ...) WEFT_PRINTF(3, 4);
void weft__pass_skipped(weft_pass_run *r, const weft_node *n, const char *fmt, ...) WEFT_PRINTF(3, 4);
weft_status weft__pass_add(weft_pass_run *r, weft_node *at, const char *type, const weft_use *use,
                           weft_value *const *in, size_t n_in, weft_node **out);
// The same with attributes and one output, out[0] of the node.
typedef struct weft__pass_new {
  int kind;
  const weft_named_attr *attrs;
  size_t n_attrs;
  weft_value *const *in;
  size_t n_in;
} weft__pass_new;
weft_status weft__pass_op(weft_pass_run *r, weft_node *at, const weft__pass_new *op, weft_value **out);
// Axis i of *out is axis p[i] of x: TransposeD.
weft_status weft__pass_transpose(weft_pass_run *r, weft_node *at, weft_value *x, const uint8_t *p,
                                 size_t rank, weft_value **out);
// A node like n (no sub-graphs) with other inputs.
weft_status weft__pass_clone(weft_pass_run *r, weft_node *at, const weft_node *n, weft_value *const *in,
                             weft_node **out);
// The same with its inputs by declared port, NULL for absent optional ones, and one attribute changed (NULL:
// none).
weft_status weft__pass_remake(weft_pass_run *r, weft_node *at, const weft_node *n,
                              const weft_named_attr *change, weft_value *const *in, size_t n_in,
                              weft_node **out);
weft_value *weft__pass_const(weft_pass_run *r, weft_graph *g, const char *stem, const weft_tensor *t,
                             int how);
// A constant of 64-bit integers, or one element of a real type.
weft_value *weft__pass_ints(weft_pass_run *r, weft_graph *g, const char *stem, const int64_t *v, size_t n);
weft_value *weft__pass_filled(weft_pass_run *r, weft_graph *g, const char *stem, weft_dtype t,
                              const weft_dim *dims, size_t rank, double v);
const char *weft__pass_refuse(weft_pass_run *r, const weft_value *v, const weft_value *by);
weft_status weft__pass_replace(weft_pass_run *r, weft_value *v, weft_value *by);
// replace, did and the rest of a rewrite that gives one value for another: tells `done`, or tells why not and
// removes what was made for `by` alone. *out_done NULL allowed.
weft_status weft__pass_become(weft_pass_run *r, weft_node *n, weft_value *v, weft_value *by, const char *done,
                              bool *out_done);
// Removes nodes that nothing uses, from n on towards the inputs.
weft_status weft__pass_prune(weft_pass_run *r, weft_node *n);
const char *weft__pass_option(weft_pass_run *r, const char *name);

// Copies the nodes of sub-graph `sub`, or of a graph of another root, before `at`, with in[i] for its inputs;
// out[i] are its outputs.
// Sub-graphs are copied whole. E_UNSUPPORTED, nothing told: it has control edges.
weft_status weft__pass_inline(weft_pass_run *r, weft_node *at, const weft_graph *sub, weft_value *const *in,
                              weft_value **out);
// A node like n with only some of its inputs, outputs, and those of its sub-graphs: keep_in and keep_out by
// instance, sub_in and sub_out by position, the same for every sub-graph.
typedef struct weft__trim {
  const bool *keep_in, *keep_out, *sub_in, *sub_out;
} weft__trim;
weft_status weft__pass_trim(weft_pass_run *r, weft_node *n, const weft__trim *t, weft_node **out);

// ---- inside src/pass ----
bool weft__pass_effect(const weft_node *n);  // side effects, sub-graphs included
// A name that `names` does not have from `stem`; `made`: which has a number already.
void weft__pass_name(weft_pass_run *r, const weft_map *names, const char *stem, bool made, char *buf,
                     size_t cap);
weft_status weft__pass_infer(weft_pass_run *r, weft_node *n);  // a new node
// How n is used: attributes and counts, in the scratch; `change` NULL: no attribute is another.
weft_status weft__pass_use(weft_pass_run *r, const weft_node *n, const weft_named_attr *change,
                           weft_use *out);
weft_status weft__passes_list(weft_pass_run *r);     // fills r->passes: built-in and packages'
void weft__passes_kinds(weft_pass_run *r);           // what they are at and need, after weft__pass_kinds
weft_status weft__passes_options(weft_pass_run *r);  // reads o->options

// weft_graph_optimize in several calls: changes and passes are counted on.
typedef struct weft__passes_done {
  uint64_t changes;
  unsigned number;
  bool proven_later;  // the caller verifies the graph when all is done
} weft__passes_done;
weft_status weft__graph_optimize(weft_graph *g, unsigned stages, const weft_optimize_options *o,
                                 weft__passes_done *done, weft_optimize_summary *out, weft_diag *d);
void weft__pass_kinds(weft_pass_run *r);
extern const weft_pass_host weft__pass_host;
// SPDX-License-Identifier: Apache-2.0
