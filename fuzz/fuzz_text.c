// fuzz_text.c - any bytes as the text form of a graph. What parses prints, and the print parses to a strictly
// equal graph that prints the same; the same again after inference; both graphs infer alike.
#include "fuzz.h"

// The text of `g`, which must parse to an equal graph. E_NOMEM is no failure: the text may be bounded by
// memory.
static weft_graph *again(weft_env *e, const weft_graph *g, const char *when) {
  weft_diag d = {0};
  weft_graph *b = NULL;
  weft_text text = fuzz_text();
  weft_text text_b = fuzz_text();
  FUZZ_CHECK(!weft_graph_print(g, 0, weft__text_write, &text), "%s", when);
  weft_status s = weft_graph_parse(e, text.v, text.n, "printed", &b, &d);
  FUZZ_CHECK(!s || s == WEFT_E_NOMEM, "%s: %s\nin\n%.*s", when, d.text, (int)text.n, text.v);
  if (b) {
    s = weft_graph_compare(g, b, WEFT_EQUAL_STRICT, &d);
    FUZZ_CHECK(!s || s == WEFT_E_NOMEM, "%s: %s\nin\n%.*s", when, d.text, (int)text.n, text.v);
    FUZZ_CHECK(!weft_graph_print(b, 0, weft__text_write, &text_b), "%s", when);
    fuzz_same(&text, &text_b, when);
  }
  weft__text_deinit(&text);
  weft__text_deinit(&text_b);
  return b;
}

static weft_text table_of(const weft_graph *g) {
  weft_text t = fuzz_text();
  FUZZ_CHECK(!weft_graph_print_table(g, weft__text_write, &t), "table");
  return t;
}

static void compare_inferred(weft_env *e, weft_graph *g, weft_graph *b, fuzz_memory *memory) {
  weft_diag d = {0};
  weft_diag db = {0};
  memory->most = memory->live + FUZZ_LIVE_BYTES;
  memory->strict = true;
  weft_status s = weft_graph_infer(g, NULL, NULL, &d);
  FUZZ_CHECK_DIAG(s, &d);
  if (b) {
    weft_status sb = weft_graph_infer(b, NULL, NULL, &db);
    FUZZ_CHECK(s == sb, "infers as %s '%s', its copy as %s '%s'", weft_status_name(s), d.text,
               weft_status_name(sb), db.text);
    weft_text t = table_of(g);
    weft_text tb = table_of(b);
    fuzz_same(&t, &tb, "tables");
    weft__text_deinit(&t);
    weft__text_deinit(&tb);
  }
  memory->strict = false;
  weft_graph_destroy(again(e, g, "after inference"));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes) {
  static weft_env *env;
  static fuzz_memory memory;
  weft_env *e = fuzz_env(&env, &memory);
  weft_diag d = {0};
  weft_graph *g = NULL;
  if (bytes > FUZZ_INPUT_BYTES)
    return 0;
  memory.most = memory.live + (4 << 20);  // a fill is as large as it likes
  weft_status s = weft_graph_parse(e, (const char *)data, bytes, "fuzz.weft", &g, &d);
  FUZZ_CHECK_DIAG(s, &d);
  FUZZ_CHECK(!s == !!g, "%s", d.text);
  if (g) {
    memory.most = memory.live + FUZZ_LIVE_BYTES;
    weft_graph *b = again(e, g, "as parsed");
    compare_inferred(e, g, b, &memory);
    weft_graph_destroy(b);
    weft_graph_destroy(g);
  }
  return 0;
}
// SPDX-License-Identifier: Apache-2.0
