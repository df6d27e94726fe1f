// fuzz_mindspore.c - any bytes as a MINDIR. What does not begin as one gets such a beginning, so that the
// fuzzer need not find it. What is read is printed, and written as ONNX and read again.
#include "fuzz.h"

static void written_again(weft_env *e, const weft_graph *g) {
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

static void read_model(weft_env *e, const void *data, size_t bytes) {
  weft_diag d = {0};
  weft_graph *g = NULL;
  char sink;
  weft_status s = weft_model_read(e, data, bytes, "fuzz.mindir", &g, &d);
  FUZZ_CHECK_DIAG(s, &d);
  FUZZ_CHECK(!s == !!g, "%s", d.text);
  if (!g)
    return;
  weft_diag_clear(&d);
  s = weft_graph_infer(g, NULL, NULL, &d);
  FUZZ_CHECK_DIAG(s, &d);
  (void)!weft_graph_print(g, 0, fuzz_drop, &sink);
  if (!s)
    written_again(e, g);
  weft_graph_destroy(g);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes) {
  static const char begin[] =
      "\x0a\x03"
      "1.1\x12\x09"
      "MindSpore";
  static weft_env *env;
  static fuzz_memory memory;
  weft_env *e = fuzz_env(&env, &memory);
  const size_t n = sizeof begin - 1;
  if (bytes > FUZZ_INPUT_BYTES)
    return 0;
  if (bytes >= n && !memcmp(data, begin, n)) {
    read_model(e, data, bytes);
    return 0;
  }
  weft_text file = fuzz_text();
  weft__text_add(&file, begin, n);
  weft__text_add(&file, (const char *)data, bytes);
  read_model(e, file.v, file.n);
  weft__text_deinit(&file);
  return 0;
}
// SPDX-License-Identifier: Apache-2.0
