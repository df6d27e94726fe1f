// tf_saved_test.c - a SavedModel that is written here: which signature is taken, and what is said when there
// is none of that name.
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/base.h"
#include "check.h"
#include "frontend/tf/tf_build.h"
#include "weft/weft.h"

enum { FLOAT = 1 };

static void saved_end(tf_made_bytes *signature, uint32_t field, const char *key, const char *tensor) {
  tf_made_bytes info = {.n = 0};
  tf_made_bytes entry = {.n = 0};
  tf_put_text(&info, 1, tensor);
  tf_put_text(&entry, 1, key);
  tf_put_message(&entry, 2, &info);
  tf_put_message(signature, field, &entry);
}

static void saved_signature(tf_made_bytes *meta, const char *name, const char *tensor) {
  tf_made_bytes signature = {.n = 0};
  tf_made_bytes entry = {.n = 0};
  saved_end(&signature, 1, "x", "x:0");
  saved_end(&signature, 2, "y", tensor);
  tf_put_text(&entry, 1, name);
  tf_put_message(&entry, 2, &signature);
  tf_put_message(meta, 5, &entry);
}

// x, minus x under the signature `first`, and x + x under `second` unless that is NULL.
static tf_made_bytes saved_model(const char *first, const char *second) {
  tf_made_bytes graph = {.n = 0};
  tf_made_bytes meta = {.n = 0};
  tf_made_bytes file = {.n = 0};
  const tf_made_bytes shape = tf_shape_of(2);
  tf_made_bytes x = tf_node_of("x", "Placeholder", NULL, NULL);
  tf_put_type(&x, "dtype", FLOAT);
  tf_put_value(&x, "shape", 7, &shape);
  tf_put_message(&graph, 1, &x);
  const tf_made_bytes less = tf_node_of("less", "Neg", "x", NULL);
  tf_put_message(&graph, 1, &less);
  const tf_made_bytes twice = tf_node_of("twice", "AddV2", "x", "x");
  tf_put_message(&graph, 1, &twice);
  tf_put_message(&meta, 2, &graph);
  saved_signature(&meta, first, "less:0");
  if (second)
    saved_signature(&meta, second, "twice:0");
  tf_put_int(&file, 1, 1);
  tf_put_message(&file, 2, &meta);
  return file;
}

typedef struct saved {
  char folder[64], file[96];
  weft_env *e;
  weft_diag d;
} saved;

static void saved_begin(saved *s, const tf_made_bytes *b) {
  *s = (saved){.folder = "/tmp/weft_saved_XXXXXX"};
  CHECK(mkdtemp(s->folder) != NULL);
  snprintf(s->file, sizeof s->file, "%s/saved_model.pb", s->folder);
  FILE *f = fopen(s->file, "wb");
  CHECK(f && fwrite(b->v, 1, b->n, f) == b->n && !fclose(f));
  CHECK(!weft_env_create(NULL, &s->e, &s->d));
}

static void saved_end_of(saved *s) {
  weft_diag_clear(&s->d);
  weft_env_destroy(s->e);
  unlink(s->file);
  rmdir(s->folder);
}

// The operator that makes the output, or how reading failed.
static weft_status saved_read(saved *s, const char *signature, const char *expected) {
  const weft_onnx_options o = {.size = sizeof o, .signature = signature};
  weft_graph *g = NULL;
  weft_diag_clear(&s->d);
  const weft_status st = weft_model_load_with(s->e, s->folder, &o, &g, &s->d);
  if (g)
    CHECK_STR(weft_node_type(weft_value_node(weft_graph_output_at(g, 0), NULL)), expected);
  weft_graph_destroy(g);
  return st;
}

TEST(tf_signature_by_name) {
  saved s;
  const tf_made_bytes b = saved_model("serving_default", "second");
  saved_begin(&s, &b);
  CHECK_INT(saved_read(&s, NULL, "Neg"), WEFT_OK);
  CHECK_INT(saved_read(&s, "second", "Add"), WEFT_OK);
  CHECK_INT(saved_read(&s, "third", ""), WEFT_E_NOT_FOUND);
  CHECK_HAS(s.d.text, "no signature 'third'; it has: serving_default, second");
  saved_end_of(&s);
}

TEST(tf_a_graph_says_which_signatures_the_model_has) {
  saved s;
  weft_graph *g = NULL;
  tf_made_bytes b = saved_model("serving_default", "__saved_model_init_op");
  saved_begin(&s, &b);
  CHECK_OK(weft_model_load(s.e, s.folder, &g, &s.d), &s.d);
  CHECK_STR(weft_graph_find_meta(g, "tensorflow.signatures"), "serving_default");
  weft_graph_destroy(g);
  saved_end_of(&s);
}

TEST(tf_the_only_signature) {
  saved s;
  const tf_made_bytes one = saved_model("encode", NULL);
  saved_begin(&s, &one);
  CHECK_INT(saved_read(&s, NULL, "Neg"), WEFT_OK);
  saved_end_of(&s);
  const tf_made_bytes two = saved_model("encode", "decode");
  saved_begin(&s, &two);
  CHECK_INT(saved_read(&s, NULL, ""), WEFT_E_NOT_FOUND);
  CHECK_HAS(s.d.text, "it has: encode, decode");
  saved_end_of(&s);
}

TEST(tf_signature_of_what_has_none) {
  saved s;
  weft_graph *g = NULL;
  const tf_made_bytes b = saved_model("serving_default", NULL);
  saved_begin(&s, &b);
  FILE *f = fopen(s.file, "wb");
  CHECK(f && fputs("graph \"g\" {\n  input x: f32[2]\n  output x\n}\n", f) > 0 && !fclose(f));
  char other[128];
  snprintf(other, sizeof other, "%s/g.txt", s.folder);
  CHECK(!rename(s.file, other));
  const weft_onnx_options o = {.size = sizeof o, .signature = "x"};
  CHECK_INT(weft_model_load_with(s.e, other, &o, &g, &s.d), WEFT_E_INVALID);
  CHECK_HAS(s.d.text, "no signatures to choose 'x' from");
  CHECK(g == NULL);
  unlink(other);
  saved_end_of(&s);
}
// SPDX-License-Identifier: Apache-2.0
