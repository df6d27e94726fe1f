// project.h - what the parts of the project generator share: the checked description, and the list of files.
// Layer: op. project_read.c fills in the description, project_op.c and project_graph.c write an operator's
// files, project_text.c has what they write with, project.c the package's files and the public function;
// project_cann*.c write the same project in CANN's C++.
#pragma once
#include "base/base.h"
#include "weft/project.h"

typedef struct project_port {
  const char *name, *upper;  // as given; in capital letters
  uint8_t kind;              // WEFT_REQUIRED, ...
  const weft_dtype *dtype;   // one a column
  const weft_format *format;
} project_port;

typedef struct project_attr {
  const char *name, *upper;
  weft_attr_type type;
  const char *dflt;  // text; NULL: required
} project_attr;

typedef struct project_op {
  const char *type, *snake, *upper;  // AddCustom, add_custom, ADD_CUSTOM
  project_port *in, *out;
  project_attr *attrs;
  size_t n_in, n_out, n_attrs, n_columns;
  bool dtype_open;  // columns do not decide the dtypes of the outputs
  size_t plain;     // the first column without packed formats; n_columns: none
} project_op;

typedef struct project_file {
  const char *path, *text;
  size_t bytes;
  bool executable;
} project_file;

typedef struct project {
  weft_env *env;
  weft_arena arena;  // everything below
  weft_diag *d;
  const char *file_name, *name, *version;
  project_op *ops;
  size_t n_ops;
  WEFT_VEC(project_file) files;  // the vector itself is on the heap
} project;

enum { PROJECT_MAX_OPS = 64, PROJECT_MAX_PORTS = 64, PROJECT_MAX_COLUMNS = 64, PROJECT_MAX_NAME = 63 };

static inline weft_status project_no_memory(const project *p) {
  return weft_fail(p->d, WEFT_E_NOMEM, "out of memory");
}
// WEFT_TRY(project_allocated(x, p)); unless everything that was asked for is there, project_no_memory.
static inline weft_status project_allocated(bool all, const project *p) {
  return all ? WEFT_OK : project_no_memory(p);
}
bool project_identifier(const char *text,
                        size_t bytes);  // a C identifier that begins with a letter, at most 63 long
weft_status project_read(project *p, const char *json, size_t bytes);

// ---- writing ----
// Replaces @op@, @snake@, @UPPER@ (op NULL: not these), @project@ and @version@; any other text stays.
void project_put(const project *p, const project_op *op, weft_text *t, const char *text);
void project_put_c_string(weft_text *t, const char *text);           // in quotes, safe in a C source
const char *project_dtype_c(weft_dtype t);                           // "WEFT_FLOAT16"
const char *project_format_c(weft_format f, char *buf, size_t cap);  // "WEFT_ND"
// A value of each attribute type, as text: for examples of operators with required attributes.
const char *project_sample(weft_attr_type t);
const char *project_stub(const project_op *op);  // what inference of the generated operator fails with
// Takes the text over and empties it; `fmt` makes the path. E_DUPLICATE when the project has the path
// already.
weft_status project_add(project *p, weft_text *t, bool executable, const char *fmt, ...) WEFT_PRINTF(4, 5);
weft_status project_add_text(project *p, const char *path, const char *text);
// CMakeLists.txt: the operators' files are named between head and body.
weft_status project_add_cmake(project *p, const char *head, const char *body);
// What configures, builds, tests and installs; `folder` is where it builds.
weft_status project_add_script(project *p, const char *name, const char *folder);
extern const char PROJECT_STEPS[];                                  // how both README.md lead to their steps
weft_status project_op_files(project *p, const project_op *op);     // op_host/, op_kernel/
weft_status project_graph_files(project *p, const project_op *op);  // op_graph/, tests/
weft_status project_cann_files(project *p);                         // the whole project, in CANN's C++
// SPDX-License-Identifier: Apache-2.0
