// compose.h - operators that are made of others: what they infer, compute and become when they are compiled
// is what the primitives do that they are written in. A table of rows (op/air_rows.h) holds them:
//
//   WEFT_ROWS(activation_grads) = {
//     COMPOSED("SigmoidGrad", "dy times the derivative at the output y", "z = Mul(dy, Mul(y, Sub(1, y)))",
//              "f32[2]{0.5,1}, f32[2]{2,3} -> f32[2]{0.5,0}"),
//     COMPOSED("ReduceSumD", "sums over axes", "y = ReduceSum(x, list(axes), keep_dims=@keep_dims)", ...),
//     COMPOSED("Moments", "...", "mean, variance = ..."),
//     {0},
//   };
//
// The text is statements between semicolons. `a = Op(x, ...)` names the first output of a primitive, `a, b =
// Op(...)` the first two, `a... = Op(...)` all. A name that is an output port is that output at the end; an
// input port's name is the input, until it is given anew (`var = Add(var, x)`). In an argument's place:
//   x             an input port, or a name given before
//   bias?         the same, absent where the node has no such input
//   x...          all instances of a dynamic port, or of a name given with dots
//   1, 0.5        a constant [], of the dtype of the first input of floats, or else of the first input
//   value         an attribute as a constant [] of that dtype; list(axes) as INT64 [n], int(axis) as INT64 []
//   [0,-1]        INT64 [2]; {a, b}: the values of a dynamic port
//   all(x), axes(dim, x), count(x), onto(x, y), reduced(x), unreduced(x)   see emit/emit.h
//   f32(x) i64(x) i32(x) bool(x) u8(x) f64(x)   casts; out(x) casts to that dtype; as(y, x) casts x to y's
//   dtype name=@attr    an attribute of the primitive, last: one of this operator, or name=1.5, name='text',
//   name=[0,1], name=true
// What attributes or ranks decide is written in C, which may use text for its parts:
//
//   static weft_status moments_build(weft__composing *c) {
//     weft_value *x = weft__composed(c, "x");
//     ...
//     return weft__compose_text(c, keep ? "y = ..." : "y = ...");
//   }
// Failing with E_UNKNOWN says that something is not known yet (front_rank_of does): outputs are of unknown
// rank then. Layer: compose (on emit, interp).
#pragma once
#include "emit/emit.h"
#include "op/air_rows.h"

typedef struct weft__composing weft__composing;
typedef struct weft__composition {
  const char *text;  // or
  weft_status (*build)(weft__composing *c);
  bool updates;  // inputs that get a new value are updated in place, those that are no outputs, too
  bool alike;    // inputs that are given have one shape: broadcasting would hide a mistake
  // halves (f16, bf16) are computed in f32, and rounded once where an output may have their dtype, unless
  // infer_dtype says another for it
  bool wide;
} weft__composition;

// weft_op.infer and .ref of such operators; their `user` is the weft__composition.
weft_status weft__composed_infer(weft_infer *it);
weft_status weft__composed_ref(const weft_call *c);
// Of those whose shapes only the data decide.
weft_status weft__composed_range(weft_infer *it);
weft_status weft__composed_execute(const weft_call *c);
#define COMPOSED_AS(op_name, says, composition, ...)                                          \
  {                                                                                           \
    .name = op_name, .summary = says, .traits = WEFT_SYMBOLIC, .infer = weft__composed_infer, \
    .ref = weft__composed_ref, .user = composition, .examples = WEFT_EXAMPLES(__VA_ARGS__)    \
  }
#define COMPOSED(op_name, says, body, ...) \
  COMPOSED_AS(op_name, says, (&(const weft__composition){.text = body}), __VA_ARGS__)
#define COMPOSED_WIDE(op_name, says, body, ...) \
  COMPOSED_AS(op_name, says, (&(const weft__composition){.text = body, .wide = true}), __VA_ARGS__)
#define COMPOSED_ALIKE(op_name, says, body, ...)                                                      \
  COMPOSED_AS(op_name, says, (&(const weft__composition){.text = body, .wide = true, .alike = true}), \
              __VA_ARGS__)
#define COMPOSED_WIDE_BY(op_name, says, function, ...) \
  COMPOSED_AS(op_name, says, (&(const weft__composition){.build = function, .wide = true}), __VA_ARGS__)
#define COMPOSED_BY(op_name, says, function, ...) \
  COMPOSED_AS(op_name, says, (&(const weft__composition){.build = function}), __VA_ARGS__)
// Outputs whose dtypes no rule of the prototype decides have that of the input `port`.
#define COMPOSED_LIKE_BY(op_name, says, port, function, ...)                                          \
  {                                                                                                   \
    .name = op_name, .summary = says, .traits = WEFT_SYMBOLIC, .infer = weft__composed_infer,         \
    .ref = weft__composed_ref, .like = port, .user = (&(const weft__composition){.build = function}), \
    .examples = WEFT_EXAMPLES(__VA_ARGS__)                                                            \
  }
// Inference reads the contents of inputs: "shape,axes".
#define COMPOSED_READS(op_name, says, reads, body, ...)                                             \
  {                                                                                                 \
    .name = op_name, .summary = says, .traits = WEFT_SYMBOLIC, .infer = weft__composed_infer,       \
    .ref = weft__composed_ref, .values = reads, .user = (&(const weft__composition){.text = body}), \
    .examples = WEFT_EXAMPLES(__VA_ARGS__)                                                          \
  }
#define COMPOSED_READS_BY(op_name, says, reads, function, ...)                                           \
  {                                                                                                      \
    .name = op_name, .summary = says, .traits = WEFT_SYMBOLIC, .infer = weft__composed_infer,            \
    .ref = weft__composed_ref, .values = reads, .user = (&(const weft__composition){.build = function}), \
    .examples = WEFT_EXAMPLES(__VA_ARGS__)                                                               \
  }
// The data decide the shapes of outputs.
#define COMPOSED_FINDS(op_name, says, body, ...)                                                           \
  {                                                                                                        \
    .name = op_name, .summary = says, .traits = WEFT_SYMBOLIC | WEFT_DATA_DEPENDENT,                       \
    .infer = weft__composed_infer, .infer_range = weft__composed_range, .execute = weft__composed_execute, \
    .user = (&(const weft__composition){.text = body}), .examples = WEFT_EXAMPLES(__VA_ARGS__)             \
  }

struct weft__composing {
  front_op *o;  // front_do and its kin; o->failed
  const weft_op_desc *desc;
  weft_dtype main;                    // of numbers in text
  weft_dtype half;                    // of inputs that are computed in f32; UNDEFINED: none
  weft_dtype *said;                   // of outputs that are rounded, by infer_dtype; NULL: it says nothing
  struct weft__composed_name *names;  // newest first
  weft_value *const *in;              // by instance
  const weft_fact *given;             // what is known of them
};
// An input by its port, or what a name stands for; NULL: absent, or several.
weft_value *weft__composed(const weft__composing *c, const char *name);
weft_value *const *weft__composed_all(const weft__composing *c, const char *name,
                                      size_t *out_n);  // all of a dynamic port
void weft__compose_name(weft__composing *c, const char *name, weft_value *v);
weft_status weft__compose_names(weft__composing *c, const char *name, weft_value *const *v, size_t n);
weft_status weft__compose_text(weft__composing *c, const char *text);
// Two inputs of one port each have one shape, as far as it is known; E_SHAPE names both.
weft_status weft__compose_alike(const weft__composing *c, const char *a, const char *b);

// The primitives of one use of a composed operator as a graph of its own: inputs and outputs are those of the
// node, by instance. `symbols` is lent to the graph until weft__composed_drop. in: facts by instance.
typedef struct weft__composed_graph {
  front f;
  weft_graph *g;
  weft_symbols *own;  // the graph's, while others are lent to it
  // Inputs that get a new value and are no outputs (ApplyAdam's m): `updates` asks for them, the outputs
  // behind those of the node are their new values, updated[i] the instance of input.
  bool updates;
  uint32_t n_updated, updated[8];
} weft__composed_graph;
bool weft__is_composed(const weft_op *op);
weft_status weft__compose_graph(weft_env *e, weft_symbols *symbols, const weft_op_desc *desc,
                                const weft_fact *in, weft__composed_graph *out,
                                weft_diag *d);  // out->updates is read
void weft__composed_drop(weft__composed_graph *g);
// SPDX-License-Identifier: Apache-2.0
