// fuzz_safetensors.c - any bytes as weights, for a graph whose two constants are called a and b. What is
// taken is written again and read once more.
#include <unistd.h>

#include "fuzz.h"

static weft_graph *graph_of(weft_env *e) {
  static const char text[] =
      "graph \"g\" {\n"
      "  input x: f32[2]\n"
      "  const a: f32[2]{1,2}\n"
      "  const b: f32[2]{3,4}\n"
      "  node s: Add(x, a) -> s\n"
      "  node y: Mul(s, b) -> y\n"
      "  output y\n"
      "}\n";
  weft_graph *g = NULL;
  weft_diag d = {0};
  weft_status s = weft_graph_parse(e, text, sizeof text - 1, "g.txt", &g, &d);
  FUZZ_CHECK(!s, "%s", d.text);
  return g;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes) {
  static weft_env *env;
  static fuzz_memory memory;
  static char path[64];
  weft_env *e = fuzz_env(&env, &memory);
  weft_diag d = {0};
  size_t n = 0;
  if (bytes > FUZZ_INPUT_BYTES)
    return 0;
  if (!*path)
    snprintf(path, sizeof path, "/tmp/weft_fuzz_%ld.safetensors", (long)getpid());
  FILE *f = fopen(path, "wb");
  FUZZ_CHECK(f && fwrite(data, 1, bytes, f) == bytes && !fclose(f), "%s", path);
  weft_graph *g = graph_of(e);
  weft_status s = weft_weights_load(g, path, &n, &d);
  FUZZ_CHECK_DIAG(s, &d);
  unlink(path);
  if (!s) {
    s = weft_weights_save(g, path, &d);
    FUZZ_CHECK(!s, "%s", d.text);
    s = weft_weights_load(g, path, &n, &d);
    FUZZ_CHECK(!s && n == 2, "%zu tensors, %s", n, d.text);
    unlink(path);
  }
  weft_graph_destroy(g);
  return 0;
}
// SPDX-License-Identifier: Apache-2.0
