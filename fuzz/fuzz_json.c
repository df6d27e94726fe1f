// fuzz_json.c - any bytes as JSON, as a simplified model (weft/simple.h), which is inferred and printed, and
// as the description of operators of a new package (weft/project.h).
#include "fuzz.h"
#include "weft/project.h"
#include "weft/simple.h"

static size_t walk(const weft_json *j, int depth) {
  size_t n = 1;
  FUZZ_CHECK(depth <= 64 && j->line && j->column, "depth %d, %u:%u", depth, j->line, j->column);
  if (j->kind == WEFT_JSON_STRING || j->kind == WEFT_JSON_NUMBER)
    FUZZ_CHECK(!j->s[j->s_bytes], "no end");
  if (j->kind != WEFT_JSON_ARRAY && j->kind != WEFT_JSON_OBJECT)
    return n;
  for (size_t i = 0; i < j->n; i++) {
    if (j->kind == WEFT_JSON_OBJECT)
      FUZZ_CHECK(weft__json_get(j, j->keys[i]), "key '%s'", j->keys[i]);
    n += walk(&j->items[i], depth + 1);
  }
  return n;
}

static void read_json(fuzz_memory *memory, const char *text, size_t bytes) {
  weft_allocator a = fuzz_allocator(memory);
  weft_arena arena;
  weft_diag d = {0};
  weft_json *j = NULL;
  weft__arena_init(&arena, &a);
  weft_status s = weft__json_parse(text, bytes, &arena, &j, &d);
  FUZZ_CHECK_DIAG(s, &d);
  if (!s)
    FUZZ_CHECK(walk(j, 0) <= bytes, "more items than bytes");
  weft__arena_deinit(&arena);
}

static weft_status drop_file(void *ctx, const char *path, const char *text, size_t bytes, bool executable) {
  (void)executable;
  FUZZ_CHECK(*path != '/' && !strstr(path, ".."), "%s", path);
  return fuzz_drop(ctx, text, bytes);
}

static void project(weft_env *e, const char *text, size_t bytes) {
  weft_diag d = {0};
  char sink;
  weft_status s = weft_op_project(e, text, bytes, "fuzz.json", NULL, drop_file, &sink, &d);
  FUZZ_CHECK_DIAG(s, &d);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes) {
  static weft_env *env;
  static fuzz_memory memory;
  weft_env *e = fuzz_env(&env, &memory);
  weft_diag d = {0};
  weft_graph *g = NULL;
  char sink;
  if (bytes > FUZZ_INPUT_BYTES)
    return 0;
  read_json(&memory, (const char *)data, bytes);
  fuzz_env(&env, &memory);
  memory.strict = true;
  project(e, (const char *)data, bytes);
  weft_status s = weft_simple_read(e, (const char *)data, bytes, "fuzz.json", &g, &d);
  FUZZ_CHECK_DIAG(s, &d);
  FUZZ_CHECK(!s == !!g, "%s", d.text);
  if (g) {
    weft_diag_clear(&d);
    s = weft_graph_infer(g, NULL, NULL, &d);
    FUZZ_CHECK_DIAG(s, &d);
    (void)!weft_graph_print_table(g, fuzz_drop, &sink);
    (void)!weft_graph_print(g, 0, fuzz_drop, &sink);
    weft_graph_destroy(g);
  }
  return 0;
}
// SPDX-License-Identifier: Apache-2.0
