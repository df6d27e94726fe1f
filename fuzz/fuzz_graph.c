// fuzz_graph.c - any bytes as a graph file. Lengths and checksums are put right first, so that what lies
// behind them is reached; the bytes as they are, are tried too. What loads saves, the file loads to a
// strictly equal graph, and that saves the same bytes; then inference, and save and load again.
#include "fuzz.h"
#include "ir/file.h"

static uint64_t get(const uint8_t *p, int bytes) {
  uint64_t v = 0;
  for (int i = 0; i < bytes; i++) v |= (uint64_t)p[i] << (8 * i);
  return v;
}
static void put(uint8_t *p, int bytes, uint64_t v) {
  for (int i = 0; i < bytes; i++) p[i] = (uint8_t)(v >> (8 * i));
}

static void put_right(uint8_t *p, size_t bytes) {
  if (bytes < WEFT__FILE_HEAD_BYTES) return;
  memcpy(p, WEFT__FILE_MAGIC, 8);
  put(p + 16, 8, bytes);
  for (size_t at = WEFT__FILE_HEAD_BYTES; bytes - at >= WEFT__FILE_SECTION_BYTES;) {
    uint64_t size = get(p + at + 8, 8);
    if (size > bytes - at - WEFT__FILE_SECTION_BYTES) return;
    put(p + at + 4, 4, weft__crc32(p + at + 8, (size_t)size + 8, weft__crc32(p + at, 4, 0)));
    at += WEFT__FILE_SECTION_BYTES + (size_t)size;
    while (at % WEFT__FILE_ALIGN != WEFT__FILE_HEAD_BYTES && at < bytes) p[at++] = 0;
  }
}

static void round_trip(weft_env *e, const weft_graph *g, const char *when) {
  weft_diag d = {0};
  weft_graph *b = NULL;
  weft_text file = fuzz_text(), file_b = fuzz_text();
  weft_status s = weft_graph_save(g, weft__text_write, &file, &d);
  FUZZ_CHECK(!s || s == WEFT_E_NOMEM, "%s: %s", when, d.text);
  if (!s) s = weft_graph_load(e, file.v, file.n, &b, &d);
  FUZZ_CHECK(!s || s == WEFT_E_NOMEM, "%s: %s", when, d.text);
  if (!s) s = weft_graph_compare(g, b, WEFT_EQUAL_STRICT, &d);
  FUZZ_CHECK(!s || s == WEFT_E_NOMEM, "%s: %s", when, d.text);
  if (!s) s = weft_graph_save(b, weft__text_write, &file_b, &d);
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
  if (!g) return;
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
  if (bytes > FUZZ_INPUT_BYTES) return 0;
  uint8_t *copy = malloc(bytes ? bytes : 1);
  FUZZ_CHECK(copy, "no memory");
  memory.strict = true;
  load(e, data, bytes);
  if (bytes) memcpy(copy, data, bytes);
  put_right(copy, bytes);
  if (bytes && memcmp(copy, data, bytes)) load(e, copy, bytes);
  free(copy);
  return 0;
}
