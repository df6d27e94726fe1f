// model_form_test.c - a model of any form is read by one function, from a file and from memory.
#include "weft/model.h"

#include <unistd.h>

#include "check.h"
#include "weft/weft.h"

static const char text_form[] = "graph \"g\" { input x: f32[2] node n: Relu(x) -> y output y }";
static const char json_form[] =
    " {\"name\": \"g\", \"framework\": \"pytorch\", \"ops\": [{\"name\": \"n\", \"type\": \"relu\", "
    "\"inputs\": "
    "[{\"name\": \"x\", \"shape\": [2], \"dtype\": \"DT_FLOAT\"}], \"outputs\": [{\"name\": \"y\", "
    "\"shape\": [2], "
    "\"dtype\": \"DT_FLOAT\"}]}]}";
// A ModelProto: ir_version 8; a graph with a node of input x, output y and op_type Relu, named g; x and y;
// opset 13.
static const char onnx_form[] =
    "\x08\x08\x3a\x33\x0a\x0c\x0a\x01x\x12\x01y\x22\x04Relu\x12\x01g"
    "\x5a\x0f\x0a\x01x\x12\x0a\x0a\x08\x08\x01\x12\x04\x0a\x02\x08\x02"
    "\x62\x0f\x0a\x01y\x12\x0a\x0a\x08\x08\x01\x12\x04\x0a\x02\x08\x02\x42\x04\x0a\x00\x10\x0d";

typedef struct bytes {
  char data[4096];
  size_t n;
} bytes;
static weft_status put(void *ctx, const char *data, size_t n) {
  bytes *b = ctx;
  if (n > sizeof b->data - b->n)
    return WEFT_E_LIMIT;
  memcpy(b->data + b->n, data, n);
  b->n += n;
  return WEFT_OK;
}

// As `name`, from memory and from a file: one node n or Relu that reads x.
static void both(weft_env *e, const char *name, const char *data, size_t n) {
  weft_diag d = {0};
  weft_graph *g = NULL;
  char path[64];
  snprintf(path, sizeof path, "/tmp/weft_model_form_%d.%s", (int)getpid(), name);
  FILE *f = fopen(path, "wb");
  CHECK(f && fwrite(data, 1, n, f) == n && !fclose(f));
  for (int file = 0; file < 2; file++) {
    CHECK_OK(file ? weft_model_load(e, path, &g, &d) : weft_model_read(e, data, n, name, &g, &d), &d);
    if (g)
      CHECK_INT(weft_graph_n_nodes(g), 1);
    weft_graph_destroy(g);
    g = NULL;
  }
  remove(path);
}

static void refused(weft_env *e, const char *name, const char *data, size_t n, const char *why) {
  weft_diag d = {0};
  weft_graph *g = NULL;
  CHECK(weft_model_read(e, data, n, name, &g, &d));
  CHECK(!g);
  CHECK_HAS(d.text, why);
}

TEST(a_model_is_known_by_what_it_holds) {
  weft_env *e;
  weft_diag d = {0};
  weft_graph *g;
  static bytes saved;
  if (weft_env_create(NULL, &e, &d))
    return;
  both(e, "any", text_form, sizeof text_form - 1);
  both(e, "weft", text_form, sizeof text_form - 1);
  both(e, "any", json_form, sizeof json_form - 1);
  both(e, "onnx", onnx_form, sizeof onnx_form - 1);
  both(e, "any", onnx_form, sizeof onnx_form - 1);
  CHECK_OK(weft_graph_parse(e, text_form, sizeof text_form - 1, "t", &g, &d), &d);
  saved.n = 0;
  CHECK_OK(weft_graph_save(g, put, &saved, &d), &d);
  weft_graph_destroy(g);
  both(e, "any", saved.data, saved.n);
  refused(e, "p.weft", "WEFTPROG\1\2", 10, "'p.weft' is a program that weft compile made");
  refused(e, "any", "nonsense", 8, "so it was read as ONNX");
  refused(e, "any", "", 0, "the file is empty");
  refused(e, "bad.txt", "nonsense", 8, "bad.txt");
  CHECK(weft_model_load(e, "not-there.any", &g, &d) == WEFT_E_NOT_FOUND);
  CHECK(weft_model_load(e, NULL, &g, &d) == WEFT_E_INVALID);
  weft_env_destroy(e);
}
// SPDX-License-Identifier: Apache-2.0
