// fuzz_literal.c - any bytes as a tensor literal, a dim and an attribute of each type. What reads prints, and
// the print reads back to the same.
#include "fuzz.h"
#include "tensor/tensor.h"

// Of it or of an item: the print knows no pool, names of symbols are the graph's to write.
static bool is_symbolic(const weft_tensor *t) {
  for (size_t k = 0; k < t->layout.origin.rank; k++) {
    if (weft_dim_is_symbol(t->layout.origin.dim[k]))
      return true;
  }
  for (size_t i = 0; i < t->n_items; i++) {
    if (is_symbolic(t->items[i]))
      return true;
  }
  return false;
}

static void tensor(const weft_allocator *a, weft_symbols *p, const char *text, size_t bytes) {
  weft_tensor t;
  weft_tensor b;
  weft_diag d = {0};
  size_t used = 0;
  weft_text print = fuzz_text();
  weft_tensor_init(&t, a);
  weft_tensor_init(&b, a);
  weft_status s = weft_tensor_parse(text, bytes, p, &t, &used, &d);
  FUZZ_CHECK_DIAG(s, &d);
  FUZZ_CHECK(s || used <= bytes, "%zu of %zu bytes", used, bytes);
  if (!s && !is_symbolic(&t)) {
    FUZZ_CHECK(!weft_tensor_print(&t, 0, weft__text_write, &print), "print");
    s = weft_tensor_parse(print.v, print.n, p, &b, &used, &d);
    FUZZ_CHECK(!s || s == WEFT_E_NOMEM, "%s in %.*s", d.text, (int)print.n, print.v);
    if (!s) {
      FUZZ_CHECK(used == print.n && weft__tensor_same(&t, &b), "%.*s reads back to another one", (int)print.n,
                 print.v);
    }
  }
  weft__text_deinit(&print);
  weft_tensor_deinit(&t);
  weft_tensor_deinit(&b);
}

static void dim(weft_symbols *p, const char *text, size_t bytes) {
  weft_dim v;
  weft_dim b;
  weft_diag d = {0};
  char print[4096];
  int64_t min;
  int64_t max;
  weft_status s = weft_dim_parse(p, text, bytes, &v, &d);
  FUZZ_CHECK_DIAG(s, &d);
  if (s)
    return;
  weft_dim_bounds(p, v, &min, &max);
  FUZZ_CHECK(min >= 0 && (max == -1 || max >= min), "%lld..%lld", (long long)min, (long long)max);
  weft_dim_text(p, v, print, sizeof print);
  if (strlen(print) + 1 == sizeof print)
    return;  // cut
  s = weft_dim_parse(p, print, strlen(print), &b, &d);
  FUZZ_CHECK(!s && v == b, "%s reads back to another dim: %s", print, d.text);
}

static void attr(const weft_allocator *a, weft_attr_type type, const char *text, size_t bytes) {
  weft_arena arena;
  weft_attr v;
  weft_attr b;
  weft_diag d = {0};
  size_t used = 0;
  weft_text print = fuzz_text();
  weft__arena_init(&arena, a);
  weft_status s = weft_attr_parse(type, text, bytes, &arena, &v, &used, &d);
  FUZZ_CHECK_DIAG(s, &d);
  FUZZ_CHECK(s || used <= bytes, "%zu of %zu bytes", used, bytes);
  if (!s) {
    FUZZ_CHECK(!weft_attr_print(&v, weft__text_write, &print), "print");
    s = weft_attr_parse(type, print.v, print.n, &arena, &b, &used, &d);
    FUZZ_CHECK(!s || s == WEFT_E_NOMEM, "%s in %.*s", d.text, (int)print.n, print.v);
    if (!s) {
      FUZZ_CHECK(used == print.n && weft_attr_equal(&v, &b), "%.*s reads back to another one", (int)print.n,
                 print.v);
    }
  }
  weft__text_deinit(&print);
  weft__arena_deinit(&arena);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes) {
  static const weft_attr_type types[] = {
#define X(name, code, token) WEFT_VT_##name,
      WEFT_ATTR_TYPE_LIST(X)
#undef X
  };
  static fuzz_memory memory;
  weft_allocator a = fuzz_allocator(&memory);
  weft_symbols *p = NULL;
  if (bytes > FUZZ_INPUT_BYTES)
    return 0;
  memory.most = 1 << 17;  // a fill is as large as it likes
  const char *text = (const char *)data;
  FUZZ_CHECK(!weft_symbols_create(&a, &p), "no memory");
  tensor(&a, p, text, bytes);
  tensor(&a, NULL, text, bytes);
  dim(p, text, bytes);
  weft_symbols_destroy(p);
  for (size_t i = 0; i < WEFT_COUNT(types); i++)
    attr(&a, types[i], text, bytes);
  FUZZ_CHECK(!memory.live, "%zu bytes are not freed", memory.live);
  return 0;
}
// SPDX-License-Identifier: Apache-2.0
