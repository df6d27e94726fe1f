// writer_test.c - the writer of ONNX models that tests use: lengths are as short as they can be, and misuse
// is told.
#include "check.h"
#include "frontend/onnx/model.h"
#include "frontend/onnx/writer.h"

typedef struct fixture {
  weft_arena arena;
  weft_text text;
  weft_diag d;
  onnxw w;
} fixture;

static void setup(fixture *f) {
  weft_allocator a = weft_allocator_default();
  memset(f, 0, sizeof *f);
  weft__arena_init(&f->arena, &a);
  weft__text_init(&f->text, &a);
}

static void teardown(fixture *f) {
  weft__arena_deinit(&f->arena);
  weft__text_deinit(&f->text);
}

TEST(writer_lengths_are_canonical) {
  fixture f;
  setup(&f);
  static char long_name[20000];
  memset(long_name, 'n', sizeof long_name - 1);
  onnxw_init(&f.w, &f.text);
  onnxw_open(&f.w, 1);
  onnxw_open(&f.w, 2);
  onnxw_bytes(&f.w, 3, "ab", 2);
  onnxw_close(&f.w);
  onnxw_close(&f.w);
  CHECK(f.text.n == 8 && !memcmp(f.text.v,
                                 "\x0a\x06\x12\x04\x1a\x02"
                                 "ab",
                                 8));
  f.text.n = 0;
  onnxw_open(&f.w, 1);
  onnxw_str(&f.w, 1, long_name);  // 4 + 19999 bytes: a length of three bytes
  onnxw_close(&f.w);
  CHECK_INT(f.text.n, 1 + 3 + 4 + 19999);
  CHECK(!memcmp(f.text.v, "\x0a\xa3\x9c\x01\x0a\x9f\x9c\x01nn", 10));
  CHECK_INT(onnxw_finish(&f.w, &f.d), WEFT_OK);
  teardown(&f);
}

TEST(writer_misuse_is_reported) {
  fixture f;
  setup(&f);
  onnxw_begin(&f.w, &f.text, 8, 17);
  onnxw_op(&f.w, "Relu", "r", "x", "y");
  onnxw_attr_int(&f.w, "a", 1);
  CHECK_INT(onnxw_finish(&f.w, &f.d), WEFT_E_STATE);
  CHECK_STR(f.d.text, "writing ONNX: node outside a graph or function");
  f.text.n = 0;
  weft_diag_clear(&f.d);
  onnxw_begin(&f.w, &f.text, 8, 17);
  onnxw_graph(&f.w, "g");
  onnxw_attr_graph_end(&f.w);
  CHECK_INT(onnxw_finish(&f.w, &f.d), WEFT_E_STATE);
  f.text.n = 0;
  weft_diag_clear(&f.d);
  onnxw_begin(&f.w, &f.text, 8, 17);
  onnxw_graph(&f.w, "g");
  onnxw_init_f32(&f.w, "big", 2, (int64_t[]){INT64_MAX, 2}, NULL);
  CHECK_INT(onnxw_finish(&f.w, &f.d), WEFT_E_STATE);
  teardown(&f);
}
// SPDX-License-Identifier: Apache-2.0
