// emit.h - primitives into a graph, in short forms: what readers of models and operators that are made of
// others (src/compose) share.
//
//   front_op o = front_op_of(&f, scope, name, type, offset);
//   weft_value *y = front_do(&o, "Relu", x, NULL, NULL);
//   front_name(&o, y, "relu_1");                              // the model's name for it
//   if (o.failed) ...                                         // every step behind a failure does nothing
//
// Every value is inferred as it is appended: ranks, dtypes and small constants are there to be asked for.
// Layer: emit (on infer).
#pragma once
#include "infer/walk.h"
#include "ir/ir.h"

enum { FRONT_SHOWN = 64, FRONT_DEPTH = 24, FRONT_OPERATORS = 48 };

typedef struct front_missing {  // an operator that is not read
  const char *type;
  const char *first;  // where it stands first
  size_t n;
} front_missing;

typedef struct front {  // one reading
  weft_env *env;
  weft_graph *g;
  weft_arena arena;
  const char *framework;  // for messages: "PyTorch"
  const char *file;       // in the graph's arena
  weft_diag *d;
  weft_diag own;
  weft__allowance before;
  uint32_t n_made;                 // numbers of made names
  const char *shown[FRONT_SHOWN];  // problems, a line each
  size_t n_problems;
  bool told;          // the failure at hand is one that another one, which was told, leads to (front_follow)
  weft_status first;  // of them
  weft_diag whole;    // the first one's message
  front_missing missing[FRONT_OPERATORS];
  size_t n_missing, missing_nodes, more_missing;
} front;

// A graph, or the body of a node, that is being filled.
typedef struct front_scope {
  weft_graph *g;
  weft__steps *append;
  uint32_t depth;
} front_scope;
weft_status front_scope_begin(front *f, front_scope *s, weft_graph *g, uint32_t depth);
void front_scope_end(front_scope *s);

// ---- one operator of the model ----
typedef struct front_op {
  front *f;
  front_scope *s;
  const char *name, *type;  // of the model's node; they live until front_end
  const char *where;        // in the framework's source: "model.py:12"; NULL: not known
  uint64_t offset;          // byte in the file; 0: not known
  weft_status failed;
  bool named;  // a primitive has the node's own name already
  const weft_origin *origin;
  size_t n_attrs;
  weft_named_attr attrs[24];
} front_op;

front_op front_op_of(front *f, front_scope *s, const char *name, const char *type, uint64_t offset);
weft_status front_fail(front_op *o, weft_status s, const char *fmt, ...) WEFT_PRINTF(3, 4);
// The same where a value is wanted: NULL.
weft_value *front_none(front_op *o, weft_status s, const char *fmt, ...) WEFT_PRINTF(3, 4);

// The next primitive's attributes. Once the operator has failed nothing happens any more: values are NULL.
void front_set(front_op *o, const char *name, weft_attr value);
void front_set_int(front_op *o, const char *name, int64_t v);
void front_set_bool(front_op *o, const char *name, bool v);
void front_set_float(front_op *o, const char *name, double v);
void front_set_text(front_op *o, const char *name, const char *v);
void front_set_ints(front_op *o, const char *name, const int64_t *v, size_t n);

// A primitive with the attributes set so far. counts: instances per port, NULL where every port has one.
// Gives its first output; the others stand behind it.
weft_value *front_emit(front_op *o, const char *type, weft_value *const *in, size_t n,
                       const weft_use *counts);
// The same without inferring, for nodes whose bodies come after it: front_close infers.
weft_node *front_emit_open(front_op *o, const char *type, weft_value *const *in, size_t n,
                           const weft_use *counts);
void front_close(front_op *o, weft_node *n);
// The operator fails by what was told of a node in one of its bodies: of it nothing is told.
void front_follow(front_op *o);
weft_value *front_do(front_op *o, const char *type, weft_value *a, weft_value *b, weft_value *c);
// Gives a value that this operator made the model's name for it, unless another value has that name.
void front_name(front_op *o, weft_value *v, const char *name);
// A graph output under this name: through an Identity where the value is an input, a constant or an output.
weft_status front_output(front *f, front_scope *s, weft_value *v, const char *name);

// ---- constants ----
weft_value *front_const(front_op *o, const weft_tensor *t);       // copied; equal ones are one
weft_value *front_num(front_op *o, weft_dtype t, double v);       // []
weft_value *front_int(front_op *o, weft_dtype t, int64_t v);      // [], without rounding
weft_value *front_list(front_op *o, const int64_t *v, size_t n);  // INT64 [n]
weft_value *front_floats(front_op *o, const float *v, size_t n);  // FLOAT [n]
weft_value *front_index(front_op *o, int64_t v);                  // INT64 []
// Data that stay where they are: in a file that the graph keeps. E_SHAPE when bytes do not fit the shape.
typedef struct front_data {
  weft_dtype t;
  const weft_dim *dims;
  size_t rank;
  const void *data;
  size_t bytes;
} front_data;
weft_status front_borrow(front *f, weft_graph *g, const char *name, const front_data *data, weft_value **out);
// What stands for a value whose operator failed: an input that is described as the model says.
weft_value *front_stand_in(front_op *o, weft_dtype t, const weft_dim *dims, int rank);

// ---- values ----
int front_rank(const weft_value *v);                                          // -1: not known
int front_rank_of(front_op *o, const weft_value *v);                          // E_UNKNOWN
weft_dim front_dim(const weft_value *v, int axis);                            // known, a symbol, or -1
bool front_same_dim(const weft_value *a, int i, const weft_value *b, int k);  // certainly: two -1 may differ
static inline long long front_shown(weft_dim d) {  // for messages: symbols and unknown sizes are -1
  return d < 0 ? -1 : d;
}
int64_t front_axis(front_op *o, int64_t axis, int rank);  // made non-negative; E_RANGE outside [-rank, rank)
// A constant of one element that is a real number, or a truth value.
bool front_known_number(const weft_value *v, double *out);
bool front_known_ints(const weft_value *v, int64_t *out, size_t most, size_t *n);  // of a small constant
weft_value *front_as(front_op *o, weft_value *v, weft_dtype t);         // v itself when it has that dtype
weft_value *front_shape(front_op *o, weft_value *v);                    // INT64 [rank]
weft_value *front_dim_list(front_op *o, weft_value *v, int64_t axis);   // INT64 [1]
weft_value *front_dim_index(front_op *o, weft_value *v, int64_t axis);  // INT64 []
// Arithmetic of sizes, INT64 [1] or []: Add, Sub, Mul, FloorDiv or FloorMod. Of two that are known comes a
// constant.
weft_value *front_size_of(front_op *o, const char *type, weft_value *a, weft_value *b);
weft_value *front_size_by(front_op *o, const char *type, weft_value *a, int64_t n);  // with a number; [1]
weft_value *front_elems(front_op *o, weft_value *v, int64_t from, int64_t to);  // of axes [from, to): [1]
// The same for a new shape of v that keeps its other axes: -1 where that is what is left for certain, as none
// of the others can be 0.
weft_value *front_span(front_op *o, weft_value *v, int64_t from, int64_t to);
weft_value *front_size_list(front_op *o, weft_value *const *parts, size_t n);           // lists as one
weft_value *front_reshape(front_op *o, weft_value *v, weft_value *shape);               // 0 means 0
weft_value *front_reshaped(front_op *o, weft_value *v, const int64_t *dims, size_t n);  // -1: the rest
weft_value *front_flat(front_op *o, weft_value *v);
weft_value *front_permuted(front_op *o, weft_value *v, const int64_t *order, size_t n);
weft_value *front_swapped(front_op *o, weft_value *v, int64_t a, int64_t b);  // two axes, from 0
weft_value *front_unsqueezed(front_op *o, weft_value *v, int64_t axis);       // from 0
weft_value *front_squeezed(front_op *o, weft_value *v, int64_t axis);
weft_value *front_sliced(front_op *o, weft_value *v, int64_t axis, weft_value *from, weft_value *to,
                         weft_value *step);  // lists of one; step NULL: 1
weft_value *front_part(front_op *o, weft_value *v, int64_t axis, int64_t from, int64_t to);
weft_value *front_picked(front_op *o, weft_value *v, int64_t axis, weft_value *index);
weft_value *front_reduced(front_op *o, const char *type, weft_value *v, const int64_t *axes, size_t n,
                          bool keep);  // n 0: all
// Summed over the axes along which `like` was broadcast to v; like's shape.
weft_value *front_summed_onto(front_op *o, weft_value *v, const weft_value *like);
weft_value *front_joined(front_op *o, weft_value *const *v, size_t n, int64_t axis);
// Zeros before and behind what stands along an axis: as many as INT64 [1] says; NULL: none.
weft_value *front_padded(front_op *o, weft_value *v, int64_t axis, weft_value *before, weft_value *behind);
weft_value *front_cut(front_op *o, weft_value *v, int64_t axis, const int64_t *sizes, size_t n);  // n values
weft_value *front_equal_parts(front_op *o, weft_value *v, int64_t axis, size_t n);                // n values
weft_value *front_expanded(front_op *o, weft_value *v, weft_value *shape);  // BroadcastTo
weft_value *front_filled(front_op *o, weft_value *shape, weft_value *number);
bool front_alike(const weft_value *a, const weft_value *b);  // their shapes are known to be the same
// Both with the shape that they broadcast to.
void front_matched(front_op *o, weft_value **a, weft_value **b);
// Two shapes, as lists of sizes, broadcast to one: INT64.
weft_value *front_common_sizes(front_op *o, weft_value *a, weft_value *b);
weft_value *front_counting(front_op *o, weft_value *limit);  // 0, 1, ... limit - 1
weft_value *front_matmul(front_op *o, weft_value *a, weft_value *b, bool transpose_b);
// x with other elements from a place on, INT [rank], moved so that they lie within x.
weft_value *front_slice_updated(front_op *o, weft_value *x, weft_value *update, weft_value *from);
weft_value *front_where(front_op *o, weft_value *condition, weft_value *a, weft_value *b);
// The largest (or smallest) element so far along an axis, and its last place.
weft_value *front_running(front_op *o, weft_value *v, int64_t axis, bool largest, weft_value **at);
weft_value *front_cross(front_op *o, weft_value *x, weft_value *y, int64_t axis);  // of vectors of three
// A size or a distance of the model: -(2^31 - 1) to 2^31 - 1, so that no product of two overflows; otherwise
// a failure, and 0. Of an axis -1 where its size is not known.
int64_t front_bounded(front_op *o, int64_t n);
int64_t front_dim_bounded(front_op *o, const weft_value *v, int axis);
// The padding of SAME along one axis; what is odd stands behind. false: a size is not known.
typedef struct front_axis_window {
  weft_dim in;
  int64_t kernel, stride, dilation;
} front_axis_window;
bool front_same_pads(const front_axis_window *w, int64_t *begin, int64_t *end);

// ---- adaptive pools: adaptive.c ----
typedef struct front_pooled {
  size_t n;                  // the last axes
  const int64_t *want;       // how long they become; negative: as sizes say
  weft_value *const *sizes;  // INT64 [] each; NULL: as long as the axis is
  bool largest;
} front_pooled;
weft_value *front_adaptive(front_op *o, weft_value *v, const front_pooled *p);
// The largest, and where in its plane it stands: INT64.
weft_value *front_adaptive_places(front_op *o, weft_value *v, const front_pooled *p, weft_value **where);

// ---- blocks of places as batches: space.c ----
enum { FRONT_BLOCKS = 4 };
typedef struct front_blocks {
  size_t n;                                                                // axes behind the batch
  int64_t block[FRONT_BLOCKS], before[FRONT_BLOCKS], after[FRONT_BLOCKS];  // padding, or what is cut off
} front_blocks;
weft_value *front_space_to_batch(front_op *o, weft_value *x, const front_blocks *s);
weft_value *front_batch_to_space(front_op *o, weft_value *x, const front_blocks *s);

// ---- operators made of primitives: made.c ----
weft_value *front_zeta(front_op *o, weft_value *x, weft_value *q);   // Hurwitz's, infinite at all its poles
weft_value *front_polygamma(front_op *o, int64_t n, weft_value *x);  // E_RANGE: n outside 0 to 20
weft_value *front_multigammaln(front_op *o, int64_t p, weft_value *x);  // E_RANGE: p outside 1 to 64
// Rows and columns of the elements of a triangle, INT64 [2, n], of so many rows and columns, INT64 [].
weft_value *front_triangle(front_op *o, weft_value *rows, weft_value *columns, int64_t offset, bool upper);
// Along an axis every element goes `by` places on, around its end; and by half of it, its first element to
// the middle, or back.
weft_value *front_rolled(front_op *o, weft_value *v, int64_t axis, weft_value *by);  // INT64 [1]
weft_value *front_half_rolled(front_op *o, weft_value *v, int64_t axis, bool back);
weft_value *front_matrix_power(front_op *o, weft_value *v, int64_t n);
// The product with a matrix of three diagonals, [.., 1, n] each: below the main one, it, above it.
weft_value *front_tridiagonal(front_op *o, weft_value *const diagonals[3], weft_value *x);
typedef struct front_margin {
  double p, margin;    // p: 1 or 2
  weft_value *weight;  // of each class; NULL: 1
} front_margin;
// v: [N, C] or [C]; gives a loss for each of N.
weft_value *front_multi_margin(front_op *o, weft_value *v, weft_value *target, const front_margin *m);
// v [N, C, ..] at places in planes of n sizes, INT64 [1] each; the rest is 0.
weft_value *front_unpooled(front_op *o, weft_value *v, weft_value *at, weft_value *const *size, size_t n);
// The sizes of v's 1 to 3 axes from axis 2 on times their factors: the whole part of the product in FLOAT.
weft_value *front_scaled_sizes(front_op *o, weft_value *v, const float *by, size_t n);
// Numbers of elements in equal intervals from low to high, of v's dtype; both the same: those of the data.
weft_value *front_histogram(front_op *o, weft_value *v, int64_t bins, double low, double high);
// Channels, axis 1, of groups between each other.
weft_value *front_channel_shuffle(front_op *o, weft_value *v, int64_t groups);
typedef struct front_axis_columns {
  int64_t kernel, dilation, pad, stride;
} front_axis_columns;
// [N, C, H, W] to [N, C kh kw, L]: windows as columns.
weft_value *front_columns(front_op *o, weft_value *v, const front_axis_columns c[2]);

// ---- windows of signals, constants: window.c ----
typedef struct front_window {
  enum { FRONT_HAMMING, FRONT_BLACKMAN, FRONT_BARTLETT, FRONT_KAISER } kind;
  double alpha, beta;  // alpha - beta cos; of Kaiser's: beta
} front_window;
weft_value *front_windowed(front_op *o, const front_window *w, int64_t n, bool periodic, weft_dtype t);

// ---- complex numbers: complex.c ----
bool front_is_complex(const weft_value *v);
weft_value *front_complex_parts(front_op *o, weft_value *v);                // [.., 2], real
weft_value *front_complex_made(front_op *o, weft_value *v);                 // of such
weft_value *front_complex_part(front_op *o, weft_value *v, int64_t which);  // 0 real, 1 imaginary
weft_value *front_complex_of(front_op *o, weft_value *re, weft_value *im);
weft_value *front_complex_abs(front_op *o, weft_value *v);
weft_value *front_complex_angle(front_op *o, weft_value *v);
weft_value *front_complex_conj(front_op *o, weft_value *v);
weft_value *front_complex_spread(front_op *o, weft_value *v);  // as DFT takes it: [.., 1 or 2]
typedef struct front_fourier {
  int64_t axis;
  int64_t n;  // 0: as long as the axis is
  bool inverse, onesided;
  weft_value *length;  // n where only the run knows it, of one element; NULL
} front_fourier;
// v: [.., 1 or 2]; an inverse one divides by its length.
weft_value *front_dft(front_op *o, weft_value *v, const front_fourier *f);
typedef enum front_norm { FRONT_NORM_NONE, FRONT_NORM_ROOT, FRONT_NORM_WHOLE } front_norm;
// The same divided by 1, by the root of its length or by its length, whichever way it goes.
weft_value *front_dft_scaled(front_op *o, weft_value *v, const front_fourier *f, front_norm norm);

// ---- expressions: expr.c ----
// What an operator's argument is, as the framework gave it.
typedef enum front_kind {
  FRONT_ABSENT,
  FRONT_VALUE,
  FRONT_INT,
  FRONT_FLOAT,
  FRONT_BOOL,
  FRONT_TEXT,
  FRONT_INTS,
  FRONT_ATTR,   // an attribute that is none of these: `attr`
  FRONT_VALUES  // several, of a dynamic port
} front_kind;
typedef struct front_arg {
  front_kind kind;
  weft_value *v;
  int64_t i;
  double f;
  weft_str text;
  weft_ints ints;
  const weft_attr *attr;      // the attribute that it is; NULL
  weft_value *const *values;  // n of them
  size_t n;
} front_arg;
// ---- operators of packages and of the program: custom.c ----
// The operator that a framework's one of this domain ("" for none) and type stands for: "domain::type", then
// "type", each as it is and as operators are named, "add_custom" as "AddCustom". NULL: there is none.
const weft_proto *front_custom_find(weft_env *e, weft_str domain, weft_str type);
typedef struct front_given {
  const char *name;  // of the argument; NULL: an input that goes by its place
  front_arg arg;     // ABSENT: left out; of lists of floats, texts and truths, of dtypes: ATTR
} front_given;
// Such a list: n items that `get` gives, all INT, FLOAT, BOOL or TEXT. ABSENT: of different kinds, or of
// another. Dtypes and others that are attributes already: front_attr_arg.
front_arg front_listed(front_op *o, size_t n, front_arg (*get)(void *ctx, size_t i), void *ctx);
front_arg front_attr_arg(front_op *o, weft_attr value);  // lists in it stay where they are
// The operator with what the model's node gives it: tensors to ports, by name where all have the names of
// ports, else in order; the rest to attributes, by name. n_out: of the node. Gives its first output.
weft_value *front_custom(front_op *o, const weft_proto *p, const front_given *given, size_t n, size_t n_out);

// ---- expressions: rules ----
typedef struct front_rule {
  const char *text;
  front_arg (*find)(void *ctx, const char *name, size_t bytes);  // an argument by its name
  void *ctx;
  weft_dtype type;           // tensors and numbers are cast to it; UNDEFINED: tensors stay what they are
  weft_dtype out;            // what out(x) casts to
  uint32_t outs;             // outputs of a primitive with a dynamic output port, where it stands outermost
  const weft_dtype *number;  // of numbers where `type` is UNDEFINED; NULL: floats are f32, integers i64
} front_rule;
// A mapping written as a line: "Add(self, Mul(other, alpha|1))".
//   Name(x, ..)      a primitive; attributes come last, "name=@argument|default" or "name=1.5",
//   "name='text'", "name=[0,1]" argument         a tensor or a number of the model; "argument|2" has a
//   default; raw(argument): not cast argument?        absent where the model has none; argument...: all of
//   its tensors, for a dynamic port 1.5              a constant of the rule's type [0,-1]           INT64 [2]
//   list(argument)   integers as INT64 [n], lists of them as [n,m]; int(argument): INT64 []
//   as(y, x)         x cast to y's dtype
//   all(x)           all axes of x, INT64 [rank]; axes(argument, x): a list, or all where it is empty
//   onto(x, y)       x summed over the axes along which y was broadcast to it
//   count(x)         how many elements x has, in its dtype
//   reduced(x)       by the argument 'reduction': none, sum, mean, batchmean; unreduced(x): x divided as
//   those divide f32(x) i64(x) bool(x) out(x)   casts
// A product with the number 1 is left out.
weft_value *front_eval(front_op *o, const front_rule *r);
// SPDX-License-Identifier: Apache-2.0
