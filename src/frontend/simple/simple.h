// simple.h - the insides of the reader of simplified framework models. A model is read into records of ops
// and tensors (read.c); tensors are linked (link.c); each op is translated into a primitive and its
// attributes (types.c, attrs.c, window.c); simple.c makes the graph of that. Records live in one arena until
// the graph is built.
#pragma once
#include "ir/ir.h"

enum { SIMPLE_PLAIN, SIMPLE_PYTORCH, SIMPLE_TENSORFLOW, SIMPLE_MINDSPORE, SIMPLE_FRAMEWORKS };

typedef struct simple_model simple_model;
typedef struct simple_op simple_op;

// A mention of a tensor. After linking, `from` is the mention that holds all that is known of the tensor: the
// producer's output, or the first mention of a graph input.
typedef struct simple_tensor {
  const char *name;         // NULL: an absent optional input
  const weft_shape *shape;  // NULL: not said
  weft_dtype dtype;         // UNDEFINED: not said
  weft_format format;       // WEFT_FORMAT_RESERVED: neither said nor given by simple_formats
  struct simple_tensor *from;
  const simple_op *op;
  weft_value *value;  // of `from` only
  uint32_t index;     // among the inputs or outputs of op
  bool is_output, is_read, says_format;
} simple_tensor;

typedef struct simple_param {  // a named or positional parameter, as the model gives it
  const char *name;
  const weft_json *json;
  int arg;  // position in args; -1: in attrs
  bool used;
} simple_param;

typedef struct simple_type {
  unsigned frameworks;  // bits 1 << SIMPLE_*
  const char *name;     // without prefix
  const char *primitive;
  weft_status (*translate)(
      simple_op *o);    // sets attributes and may choose another primitive; NULL: by name only
  const char *params;   // names of the positional parameters; NULL: none
  const char *dropped;  // parameters that say nothing the graph does not know; NULL: none
} simple_type;

struct simple_op {
  simple_model *m;
  const weft_json *json;
  const char *name, *type;
  size_t index;
  int framework;
  bool keras;
  weft_format layout;      // NCHW or NHWC
  const simple_type *row;  // NULL: `type` is an operator's own name
  const weft_proto *proto;
  simple_tensor *in, *out;
  size_t n_in, n_out;
  simple_param *params;
  size_t n_params;
  weft_named_attr *attrs;  // for the node; room for n_params + SIMPLE_ROOM
  size_t n_attrs, cap_attrs;
  weft_node *node;
};
enum { SIMPLE_ROOM = 16 };

struct simple_model {
  weft_env *env;
  weft_diag *d;
  const char *file, *text;
  size_t bytes;
  weft_arena arena;
  weft_graph *g;
  int framework;
  enum { SIMPLE_BY_ANY, SIMPLE_BY_NAME, SIMPLE_BY_ORDER } connect;
  simple_op *ops;
  size_t n_ops;
  const weft_json *root;
  size_t at_byte;  // cursor of simple_offset
  uint32_t at_line, at_column;
};

extern const char *const simple_framework_names[SIMPLE_FRAMEWORKS];

// ---- read.c ----
// "ops[3]" and the formatted text, which goes on with the path: simple_fail(o, s, ".type missing").
weft_status simple_fail(const simple_op *o, weft_status s, const char *fmt, ...) WEFT_PRINTF(3, 4);
weft_status simple_no_memory(const simple_model *m);
// WEFT_TRY(simple_allocated(p, m)); unless everything that was asked for is there, simple_no_memory.
static inline weft_status simple_allocated(bool all, const simple_model *m) {
  return all ? WEFT_OK : simple_no_memory(m);
}
const char *simple_kind(const weft_json *j);  // "a string"
weft_status simple_read_model(simple_model *m);
uint64_t simple_offset(simple_model *m, const weft_json *j);  // byte offset; calls in the order of the text

// ---- types.c ----
// Finds framework, row and prototype of every op; all unknown types are reported together.
weft_status simple_resolve(simple_model *m);
weft_status simple_primitive(simple_op *o, const char *name);  // chooses the prototype
bool simple_has_word(const char *words, const char *name);  // in a list separated by spaces; words NULL: no

// ---- link.c ----
weft_status simple_link(simple_model *m);
weft_status simple_formats(
    simple_op *o);  // layout of the op and formats of its tensors, where the model has none

// ---- attrs.c ----
weft_status simple_params(simple_op *o);  // attrs and args into o->params
weft_status simple_where(const simple_param *p, const simple_op *o, weft_status s, const char *fmt, ...)
    WEFT_PRINTF(4, 5);  // fails with the parameter's path: "ops[0].attrs.pad: ..."
// The parameter under one of several names; NULL: not given. Giving two of them is E_DUPLICATE.
weft_status simple_take(simple_op *o, const char *names, const simple_param **out);
weft_status simple_take_int(simple_op *o, const char *names, int64_t dflt, int64_t *out);
weft_status simple_take_bool(simple_op *o, const char *names, bool dflt, bool *out);
weft_status simple_set(simple_op *o, const char *name, weft_attr value);
weft_status simple_set_ints(simple_op *o, const char *name, const int64_t *v, size_t n);  // copies
weft_status simple_translate(simple_op *o);  // all attributes of the node
// Attributes as the model gives them, in its order.
weft_status simple_source_attrs(const simple_op *o, weft_named_attr **out, size_t *out_n);

// ---- window.c ----
weft_status simple_conv(simple_op *o);
weft_status simple_max_pool(simple_op *o);
weft_status simple_avg_pool(simple_op *o);
// A number, or a list of 1, 2 or 4 numbers in layout order, as values for height and width.
weft_status simple_pair(const simple_op *o, const simple_param *p, int64_t out[2]);
// The axes of a convolution's filter: "OIHW", "HWIO" or "OHWI"; what fmt says, otherwise the framework's.
const char *simple_filter_axes(const simple_op *o);
void simple_widen(weft_format layout, const int64_t hw[2], int64_t out[4]);
// SPDX-License-Identifier: Apache-2.0
