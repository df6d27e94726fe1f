// tflite.h - what the files of the TFLite reader share. The file is a flatbuffer (flat.c), which schema.c
// turns into subgraphs of tensors and operators, every number in it checked. Operators stand in an order that
// runs: graph.c takes them one by one, each a row of a table (map_*.c).
//
// A quantised tensor is a value of its integer type. A row that computes gets its inputs as real numbers
// (DequantizeLinear) and gives real numbers, which become integers again (QuantizeLinear): the passes find
// the pairs and take the kernels for bytes. A row that only moves elements (TL_MOVE) works on the integers.
// Layer: frontend.
#pragma once
#include "frontend/front.h"
#include "frontend/tflite/flat.h"
#include "frontend/tflite/flex.h"
#include "frontend/tflite/numbers.h"

enum {
  TL_MAX_OPTIONS = 256,
  TL_MAX_NUMBERS = 64,
  TL_MAX_OUTPUTS = 4096,
  TL_DEPTH = 16,
  TL_MAX_OPERATORS = 1 << 20
};

typedef struct tl_quant {  // n 0: the tensor is not quantised
  size_t n;
  flat_list scales;
  flat_list zero_points;  // none: zeros
  int32_t axis;
} tl_quant;

typedef struct tl_tensor {
  const char *name;
  int type;      // of the schema
  weft_dtype t;  // what a value of it has; UNDEFINED: not read
  int rank;      // -1: not known
  weft_dim dims[WEFT_MAX_RANK];
  const uint8_t *data;  // NULL: no constant
  size_t bytes;
  tl_quant quant;
  flat_table sparsity;  // size 0: the data are all elements
  bool variable;
} tl_tensor;

typedef struct tl_operator {
  int code;
  const char *type;  // "CONV_2D", or the name of a custom operator
  bool custom;
  flat_list in, out;
  flat_table options;
  flat_list custom_options;  // of a custom operator: bytes, a flexbuffer (flex.h)
  size_t index;
} tl_operator;

typedef struct tl_subgraph {
  const char *name;
  size_t index;
  tl_tensor *tensors;
  size_t n_tensors;
  tl_operator *ops;
  size_t n_ops;
  flat_list in, out;
  bool scanned;
} tl_subgraph;

typedef struct tl_signature {
  const char *key;
  size_t subgraph;
  flat_list in, out;  // of TensorMap
} tl_signature;

typedef struct tl_row tl_row;
typedef struct tl_import {
  front f;
  flat file;
  tl_subgraph *subgraphs;
  size_t n_subgraphs;
  tl_signature *signatures;
  size_t n_signatures;
  const tl_row *rows[256];  // by code
  size_t n_run;             // operators so far
} tl_import;

// ---- schema.c ----
weft_status tl_read_model(tl_import *m);
bool tl_dtype(int type, weft_dtype *out);  // of TensorType
const char *tl_type_name(int code);        // "ADD"; NULL: none
const char *tl_text(tl_import *m, flat_text t);
int tl_activation(int code);  // which option is the fused activation; -1: none

// ---- graph.c ----
typedef struct tl_scope {
  tl_import *m;
  front_scope *s;
  tl_subgraph *g;
  weft_value **made;  // for each tensor; NULL: not yet
  uint32_t depth;
} tl_scope;

typedef struct tl_op {
  front_op b;
  tl_scope *s;
  tl_import *m;
  const tl_operator *op;
  const tl_row *row;
} tl_op;

typedef enum tl_how {
  TL_COMPUTE,  // on real numbers
  TL_MOVE,     // elements go from input `of` to the outputs as they are
  TL_RAW       // the row knows
} tl_how;
struct tl_row {
  int code;
  const char *rule;   // a primitive or an expression (front_eval) of x, y, z; NULL: fn
  const char *attrs;  // of the primitive: "axis=i0" ..
  tl_how how;
  uint32_t of;
  void (*fn)(tl_op *o);
};
typedef struct tl_rows {
  const tl_row *v;
  size_t n;
} tl_rows;
extern const tl_rows *const tl_tables[];  // tables.c
extern const size_t tl_table_count;

weft_status tl_scan(tl_import *m, tl_subgraph *g, uint32_t depth);
// Runs a subgraph where it stands, with these values for its inputs.
typedef struct tl_call {
  front_scope *s;
  size_t subgraph;
  weft_value *const *in;
  size_t n;
  uint32_t depth;
  weft_value **out;  // what it gives
  size_t n_out;
} tl_call;
weft_status tl_inline(tl_import *m, tl_call *c);

// ---- sparse.c ----
// A constant that is stored sparsely, with all its elements. out: empty.
weft_status tl_sparse(tl_op *o, const tl_tensor *t, weft_tensor *out);

// ---- custom.c ----
// The options of a custom operator: NULL or a MAP, of at most TL_MAX_OPTIONS, since many operators may share
// one. E_UNSUPPORTED: they are something else.
flex_value tl_options(tl_op *o, flex *f);
// The operator of a package or of the program that a custom operator stands for; NULL: there is none.
const weft_proto *tl_custom_of(const tl_import *m, const tl_operator *op);
void tl_custom(tl_op *o, const weft_proto *p);

// ---- op.c: of an operator ----
size_t tl_n_in(const tl_op *o);
size_t tl_n_out(const tl_op *o);
bool tl_has(const tl_op *o, size_t i);                     // input i is given
const tl_tensor *tl_tensor_in(const tl_op *o, size_t i);   // NULL: none
const tl_tensor *tl_tensor_out(const tl_op *o, size_t i);  // NULL: none
weft_value *tl_raw(tl_op *o, size_t i);                    // as it is; E_MISSING
weft_value *tl_in(tl_op *o, size_t i);  // real numbers where it is quantised, unless TL_MOVE
weft_value *tl_real(tl_op *o, const tl_tensor *t, weft_value *v, const int64_t *order);
weft_value *tl_constant(tl_op *o, const tl_tensor *t);
void tl_give(tl_op *o, size_t i, weft_value *v);      // made integers where the output is quantised
void tl_give_raw(tl_op *o, size_t i, weft_value *v);  // as it is
void tl_give_all(tl_op *o, weft_value *first, size_t n);
weft_value *tl_active(tl_op *o, weft_value *v);  // the fused activation
// Ints of a constant input; E_UNKNOWN.
size_t tl_known(tl_op *o, size_t i, int64_t out[TL_MAX_NUMBERS]);
int64_t tl_int(tl_op *o, uint32_t field, int32_t dflt);
int64_t tl_byte(tl_op *o, uint32_t field, int8_t dflt);  // enums and bools
double tl_float(tl_op *o, uint32_t field, float dflt);
size_t tl_ints(tl_op *o, uint32_t field, int64_t out[TL_MAX_NUMBERS]);
void tl_set_attrs(tl_op *o, const char *rule);
// Puts the operator's inputs into a list of the reading's memory; NULL: it failed.
weft_value **tl_list(tl_op *o, size_t first, size_t *n);

// ---- fixed.c: the interpreter's arithmetic for quantised tensors ----
bool tl_quantised(const tl_tensor *t);
bool tl_is_fixed(const tl_tensor *t);  // one scale, 8 or 16 bits
double tl_scale(const tl_op *o, const tl_tensor *t, size_t i);
int64_t tl_zero(const tl_op *o, const tl_tensor *t);
weft_value *tl_whole(tl_op *o, const tl_tensor *t, weft_value *v, weft_dtype as);  // v - zero point
// FixedRequant, rounding twice or once.
weft_value *tl_scaled(tl_op *o, weft_value *v, const double *scales, size_t n, bool twice);
// The range that output 0 and the fused activation leave; false: output 0 has no such rule.
bool tl_range(tl_op *o, int64_t *low, int64_t *high);
weft_value *tl_scaled_end(tl_op *o, weft_value *v, const double *scales, size_t n, int64_t axis, bool twice);
weft_value *tl_mean_end(tl_op *o, weft_value *sum, double scale, int64_t count);
double *tl_sum_scales(tl_op *o, const tl_tensor *x, const tl_tensor *w, bool rounded, size_t *n);

// ---- map_fixed.c: whole operators by these rules; false: there is none for the tensors at hand ----
typedef struct tl_window {
  int64_t strides[2], dilations[2], groups;
  bool same, depthwise;
} tl_window;
bool tl_fixed_conv(tl_op *o, const tl_window *w);
bool tl_fixed_transposed(tl_op *o, const int64_t strides[2], const int64_t pads[4], const int64_t more[2]);
bool tl_fixed_rows(tl_op *o);    // FULLY_CONNECTED
bool tl_fixed_matmul(tl_op *o);  // BATCH_MATMUL
bool tl_fixed_add(tl_op *o);     // ADD, SUB, SQUARED_DIFFERENCE
bool tl_fixed_leaky(tl_op *o);   // LEAKY_RELU
bool tl_fixed_mul(tl_op *o);
bool tl_fixed_pool(tl_op *o, weft_value *(*pool)(tl_op *o, const char *type, weft_value *x));
bool tl_fixed_mean(tl_op *o);
bool tl_fixed_unary(tl_op *o);  // RELU and its kind, QUANTIZE of integers
// SPDX-License-Identifier: Apache-2.0
