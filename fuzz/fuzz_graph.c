// fuzz_graph.c - any bytes as a graph file. Lengths and checksums are put right first, so that what lies
// behind them is reached; the bytes as they are, are tried too. What loads saves, the file loads to a
// strictly equal graph, and that saves the same bytes; then inference, and save and load again.
#include "graph_file.h"

static void round_trip(weft_env *e, const weft_graph *g, const char *when) {
  weft_diag d = {0};
  weft_graph *b = NULL;
  weft_text file = fuzz_text();
  weft_text file_b = fuzz_text();
  weft_status s = weft_graph_save(g, weft__text_write, &file, &d);
  FUZZ_CHECK(!s || s == WEFT_E_NOMEM, "%s: %s", when, d.text);
  if (!s)
    s = weft_graph_load(e, file.v, file.n, &b, &d);
  FUZZ_CHECK(!s || s == WEFT_E_NOMEM, "%s: %s", when, d.text);
  if (!s)
    s = weft_graph_compare(g, b, WEFT_EQUAL_STRICT, &d);
  FUZZ_CHECK(!s || s == WEFT_E_NOMEM, "%s: %s", when, d.text);
  if (!s)
    s = weft_graph_save(b, weft__text_write, &file_b, &d);
  FUZZ_CHECK(!s || s == WEFT_E_NOMEM, "%s: %s", when, d.text);
  FUZZ_CHECK(s || (file.n == file_b.n && !memcmp(file.v, file_b.v, file.n)), "%s: the files differ", when);
  weft_graph_destroy(b);
  weft__text_deinit(&file);
  weft__text_deinit(&file_b);
}

static void load(weft_env *e, const uint8_t *data, size_t bytes) {
  weft_diag d = {0};
  weft_graph *g = NULL;
  char sink;
  weft_status s = weft_graph_load(e, data, bytes, &g, &d);
  FUZZ_CHECK_DIAG(s, &d);
  FUZZ_CHECK(!s == !!g, "%s", d.text);
  if (!g)
    return;
  round_trip(e, g, "as loaded");
  (void)!weft_graph_print_table(g, fuzz_drop, &sink);
  (void)!weft_graph_print(g, 0, fuzz_drop, &sink);
  weft_diag_clear(&d);
  s = weft_graph_verify(g, NULL, NULL, &d);
  FUZZ_CHECK_DIAG(s, &d);
  weft_diag_clear(&d);
  s = weft_graph_infer(g, NULL, NULL, &d);
  FUZZ_CHECK_DIAG(s, &d);
  round_trip(e, g, "inferred");
  weft_graph_destroy(g);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes) {
  static weft_env *env;
  static fuzz_memory memory;
  weft_env *e = fuzz_env(&env, &memory);
  if (bytes > FUZZ_INPUT_BYTES)
    return 0;
  uint8_t *copy = malloc(bytes ? bytes : 1);
  FUZZ_CHECK(copy, "no memory");
  memory.strict = true;
  load(e, data, bytes);
  if (bytes)
    memcpy(copy, data, bytes);
  fuzz_graph_file(copy, bytes);
  if (bytes && memcmp(copy, data, bytes))
    load(e, copy, bytes);
  free(copy);
  return 0;
}
// SPDX-License-Identifier: Apache-2.0
