// rows.h - what the requirement tests share: an environment whose log is kept, operators called with
// literals, graphs in few lines. A helper that fails reports it and gives NULL or WEFT_E_STATE.
#pragma once
#include "check.h"
#include "weft/interp.h"
#include "weft/laws.h"

#define ROWS_PACKAGES  WEFT_BINARY_DIR "/tests/packages"
#define ROWS_DOCUMENTS ROWS_PACKAGES "/documents"

typedef struct rows {
  weft_env *env;
  weft_diag d;
  char log[1 << 16];  // one line a message
  size_t log_bytes;
  char text[2048];  // of rows_infer
} rows;

// An environment with the packages of `roots` ("": none), without looking at the process's environment
// variables.
bool rows_open(rows *r, const char *roots);
// The same with other options; log and packages are set here.
bool rows_open_with(rows *r, const char *roots, weft_env_options o);
void rows_close(rows *r);
const weft_proto *rows_find(rows *r, const char *op);  // reports an unknown one

// The example line of `op` holds (weft/laws.h).
#define ROWS_EXAMPLE(r, op, line) rows_example(r, op, line, __FILE__, __LINE__)
void rows_example(rows *r, const char *op, const char *line, const char *file, int at);

// Literals joined by ';', "_" for an absent optional one. At most 16.
enum { ROWS_MAX = 16 };
typedef struct rows_tensors {
  weft_tensor t[ROWS_MAX];
  const weft_tensor *in[ROWS_MAX];
  size_t n;
} rows_tensors;
bool rows_read(rows *r, const char *literals, rows_tensors *out);
void rows_free(rows_tensors *t);

// Infers one operator and says what came out: "DT_FLOAT [2,3] ND; DT_INT32 [-1] ND range [0]..[8]", or
// "E_SHAPE: text".
const char *rows_infer(rows *r, const char *op, const weft_use *use, const char *literals, size_t n_out);
// Runs one operator: "f32[2]{1,2}; i32[]{3}", or "E_KERNEL: text".
const char *rows_run(rows *r, const char *op, const weft_use *use, const char *literals, size_t n_out);
// The description as rows_infer writes it.
const char *rows_desc_text(const weft_tensor_desc *desc, char *buf, size_t cap);
const char *rows_value_text(const weft_value *v, char *buf, size_t cap);

// Graphs: NULL on failure, with the reason in r->d.
weft_graph *rows_graph(rows *r, const char *name);
weft_value *rows_input(rows *r, weft_graph *g, const char *name, const char *literal);  // "f32[-1,3]"
// One node with attributes; inputs ended by NULL. Gives output 0.
weft_value *rows_node(rows *r, weft_graph *g, const char *type, const char *name,
                      const weft_named_attr *attrs, size_t n_attrs, ...);
// Infers, marks `v` as the output first. E_... or OK; the message is in r->d.
weft_status rows_finish(rows *r, weft_graph *g, weft_value *v);
// Runs the graph on literals: as rows_run.
const char *rows_run_graph(rows *r, weft_graph *g, const char *literals);
// SPDX-License-Identifier: Apache-2.0
