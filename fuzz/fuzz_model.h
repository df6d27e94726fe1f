// fuzz_model.h - what is done with a model that a reader of a framework's files has read, whichever it is:
// inferred, printed, and written as ONNX and read again.
#pragma once
#include "fuzz.h"
#include "weft/op.h"

// An operator of the program, for nodes that the readers' tables do not have: attributes of every kind, and a
// list among its inputs.
static weft_status fuzz_custom_infer(weft_infer *it) {
  return weft_set_out_shape(it, 0, NULL, 0);
}
static const weft_op fuzz_custom = {
    WEFT_OP_HEAD,
    .name = "Mixed",
    .in = WEFT_PORTS({.name = "x", .dtypes = WEFT_DT(FLOAT)},
                     {.name = "more", .dtypes = WEFT_DT(FLOAT), .kind = WEFT_DYNAMIC},
                     {.name = "y", .dtypes = WEFT_DT(FLOAT), .kind = WEFT_OPTIONAL}),
    .out = WEFT_PORTS({.name = "z", .dtypes = WEFT_DT(FLOAT)}),
    .attrs =
        WEFT_ATTRS({"scale", "Float", "1"}, {"times", "Int", "1"}, {"odd", "Bool", "false"},
                   {"label", "String", "\"\""}, {"sizes", "ListInt", "[]"}, {"parts", "ListFloat", "[]"},
                   {"names", "ListString", "[]"}, {"kind", "Type", "float"}, {"flags", "ListBool", "[]"}),
    .infer = fuzz_custom_infer};

static inline void fuzz_register(weft_env *e) {
  weft_diag d = {0};
  if (!weft_find(e, fuzz_custom.name))
    FUZZ_CHECK(!weft_register(e, &fuzz_custom, 0, &d), "%s", d.text);
}

static inline void fuzz_written_again(weft_env *e, const weft_graph *g) {
  weft_text file = fuzz_text();
  weft_diag d = {0};
  weft_graph *again = NULL;
  weft_status s = weft_onnx_write(g, weft__text_write, &file, &d);
  FUZZ_CHECK_DIAG(s, &d);
  if (!s) {
    weft_diag_clear(&d);
    s = weft_onnx_read(e, file.v, file.n, "written.onnx", &again, &d);
    FUZZ_CHECK_DIAG(s, &d);
  }
  weft_graph_destroy(again);
  weft__text_deinit(&file);
}

static inline void fuzz_look_at(weft_env *e, weft_graph *g) {
  weft_diag d = {0};
  char sink;
  weft_status s = weft_graph_infer(g, NULL, NULL, &d);
  FUZZ_CHECK_DIAG(s, &d);
  (void)!weft_graph_print(g, 0, fuzz_drop, &sink);
  if (!s)
    fuzz_written_again(e, g);
}

// Bytes of a file, whose form is found by what it holds.
static inline void fuzz_read_model(weft_env *e, const void *data, size_t bytes, const char *name) {
  weft_diag d = {0};
  weft_graph *g = NULL;
  fuzz_register(e);
  weft_status s = weft_model_read(e, data, bytes, name, &g, &d);
  FUZZ_CHECK_DIAG(s, &d);
  FUZZ_CHECK(!s == !!g, "%s", d.text);
  if (g)
    fuzz_look_at(e, g);
  weft_graph_destroy(g);
}
// SPDX-License-Identifier: Apache-2.0
