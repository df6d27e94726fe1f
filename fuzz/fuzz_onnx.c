// fuzz_onnx.c - any bytes as an ONNX model: read, infer, print as table, text, JSON and dot.
#include "fuzz_model.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes) {
  static weft_env *env;
  static fuzz_memory memory;
  weft_env *e = fuzz_env(&env, &memory);
  weft_diag d = {0};
  weft_graph *g = NULL;
  char sink;
  if (bytes > FUZZ_INPUT_BYTES)
    return 0;
  fuzz_register(e);
  memory.strict = true;
  weft_status s = weft_onnx_read(e, data, bytes, "fuzz.onnx", &g, &d);
  FUZZ_CHECK_DIAG(s, &d);
  FUZZ_CHECK(!s == !!g, "%s", d.text);
  if (g) {
    weft_diag_clear(&d);
    weft_infer_options o = {.keep_going = bytes & 1};
    s = weft_graph_infer(g, &o, NULL, &d);
    if (!o.keep_going)
      FUZZ_CHECK_DIAG(s, &d);
    (void)!weft_graph_print_table(g, fuzz_drop, &sink);
    (void)!weft_graph_print(g, 0, fuzz_drop, &sink);
    (void)!weft_graph_print_json(g, fuzz_drop, &sink);
    (void)!weft_graph_print_dot(g, fuzz_drop, &sink);
    for (size_t i = 0; i < weft_graph_n_outputs(g); i++)
      (void)!weft_value_why(weft_graph_output_at(g, i), fuzz_drop, &sink);
    weft_graph_destroy(g);
  }
  return 0;
}
// SPDX-License-Identifier: Apache-2.0
