// meta_test.c - notes on graphs: kept, printed, saved, never compared (R200's spirit: where a model comes
// from).
#include "check.h"
#include "ir/file.h"

static weft_env *new_env(check_alloc *c) {
  weft_env *e = NULL;
  weft_diag d = {0};
  weft_env_options o = {.package_path = ""};
  if (c)
    o.allocator = check_allocator(c);
  if (weft_env_create(&o, &e, &d))
    check_failed(__FILE__, __LINE__, "environment: %s", d.text);
  return e;
}

static const char source[] =
    "graph \"g\" {\n"
    "  meta \"author\" \"some\\\"body\\n\"\n"
    "  meta \"empty\" \"\"\n"
    "  meta \"a key with spaces\" \"caf\xc3\xa9 \\x01\\xff\"\n"
    "  input c: bool[]\n"
    "  input x: f32[2]\n"
    "  node i: If(c, [x]) {then_branch=graph \"t\" {\n"
    "      meta \"branch\" \"then\"\n"
    "      input a: f32[2]\n"
    "      output a\n"
    "    }, else_branch=graph \"e\" {\n"
    "      meta \"branch\" \"else\"\n"
    "      input a: f32[2]\n"
    "      node neg: Neg(a) -> b\n"
    "      output b\n"
    "    }} -> [y]\n"
    "  output y\n"
    "}\n";

static weft_status parse(weft_env *e, weft_graph **out, weft_diag *d) {
  return weft_graph_parse(e, source, sizeof source - 1, "m", out, d);
}

static const char *note(const weft_graph *g, const char *key) {
  const char *v = weft_graph_find_meta(g, key);
  return v ? v : "(none)";
}

static void check_notes(const weft_graph *g) {
  CHECK_INT(weft_graph_n_meta(g), 3);
  CHECK_STR(weft_graph_meta_at(g, 0).key, "author");
  CHECK_STR(weft_graph_meta_at(g, 0).value, "some\"body\n");
  CHECK_STR(weft_graph_meta_at(g, 1).value, "");
  CHECK_STR(note(g, "a key with spaces"), "caf\xc3\xa9 \x01\xff");
  const weft_node *n = weft_graph_find_node(g, "i");
  CHECK_STR(note(weft_node_graph_at(n, 0), "branch"), "then");
  CHECK_STR(note(weft_node_graph_at(n, 1), "branch"), "else");
}

TEST(notes_are_set_found_and_replaced) {
  weft_env *e = new_env(NULL);
  weft_graph *g;
  weft_diag d = {0};
  CHECK_OK(weft_graph_create(e, "g", &g, &d), &d);
  CHECK_INT(weft_graph_n_meta(g), 0);
  CHECK(!weft_graph_find_meta(g, "a"));
  char key[] = "a";
  char text[] = "1";
  CHECK_OK(weft_graph_set_meta(g, key, text, &d), &d);
  // copied
  key[0] = 'x';
  text[0] = 'x';
  CHECK_OK(weft_graph_set_meta(g, "b", "2", &d), &d);
  CHECK_OK(weft_graph_set_meta(g, "a", "3", &d), &d);
  CHECK_INT(weft_graph_n_meta(g), 2);
  CHECK_STR(weft_graph_meta_at(g, 0).key, "a");
  CHECK_STR(weft_graph_meta_at(g, 0).value, "3");
  CHECK_STR(note(g, "b"), "2");
  CHECK_FAILS(weft_graph_set_meta(g, "", "x", &d), WEFT_E_INVALID);
  CHECK_HAS(d.text, "needs a key");
  CHECK_FAILS(weft_graph_set_meta(g, "k", NULL, NULL), WEFT_E_INVALID);
  for (int i = 0; i < 300; i++) {
    char name[16];
    snprintf(name, sizeof name, "k%d", i);
    CHECK_OK(weft_graph_set_meta(g, name, name, &d), &d);
  }
  CHECK_STR(weft_graph_meta_at(g, 250).key, "k248");
  weft_graph_destroy(g);
  weft_env_destroy(e);
}

TEST(text_form_keeps_notes) {
  weft_env *e = new_env(NULL);
  weft_allocator a = weft_allocator_default();
  weft_graph *g = NULL;
  weft_graph *again = NULL;
  weft_diag d = {0};
  weft_text t;
  weft_text u;
  weft__text_init(&t, &a);
  weft__text_init(&u, &a);
  CHECK_OK(parse(e, &g, &d), &d);
  check_notes(g);
  CHECK_OK(weft_graph_print(g, 0, weft__text_write, &t), &d);
  CHECK_OK(weft_graph_parse(e, t.v, t.n, "again", &again, &d), &d);
  check_notes(again);
  CHECK_OK(weft_graph_print(again, 0, weft__text_write, &u), &d);
  CHECK(t.n == u.n && !memcmp(t.v, u.v, t.n));
  CHECK_OK(weft_graph_set_meta(again, "author", "another", &d), &d);
  CHECK_OK(weft_graph_compare(g, again, WEFT_EQUAL_STRICT, &d), &d);  // not compared
  weft_graph_destroy(g);
  weft_graph_destroy(again);
  weft__text_deinit(&t);
  weft__text_deinit(&u);
  weft_env_destroy(e);
}

TEST(wrong_notes_are_named) {
  static const struct {
    const char *text;
    const char *message;
  } wrong[] = {{"graph \"g\" {\n  meta \"a\" b\n}", "m:2:12: expected the text of a note in quotes, got 'b'"},
               {"graph \"g\" {\n  meta \"a\" }", "m:2:12: expected the text of a note in quotes, got '}'"},
               {"graph \"g\" {\n  meta \"\" \"x\"\n}", "m:2:8: the key of a note: an empty name"},
               {"graph \"g\" {\n  meta a \"x\\u0000\"\n}", "m:2:10: the text of a note: byte 0"},
               {"graph \"g\" {\n  meta a \"x", "m:2:10: the text of a note: a string that cannot be read"}};
  weft_env *e = new_env(NULL);
  for (size_t i = 0; i < WEFT_COUNT(wrong); i++) {
    weft_graph *g;
    weft_diag d = {0};
    CHECK(weft_graph_parse(e, wrong[i].text, strlen(wrong[i].text), "m", &g, &d));
    CHECK_HAS(d.text, wrong[i].message);
  }
  weft_env_destroy(e);
}

static uint64_t get(const uint8_t *p, size_t n) {
  uint64_t v = 0;
  for (size_t i = 0; i < n; i++)
    v |= (uint64_t)p[i] << 8 * i;
  return v;
}

static uint8_t *find_section(weft_text *t, const char *tag) {
  for (size_t at = 48; at < t->n;
       at = (at + 16 + (size_t)get((uint8_t *)t->v + at + 8, 8) + 79) / 64 * 64 - 16) {
    if (!memcmp(t->v + at, tag, 4))
      return (uint8_t *)t->v + at;
  }
  return NULL;
}

TEST(graph_file_keeps_notes) {
  check_alloc c = {0};
  weft_env *e = new_env(&c);
  weft_allocator a = weft_allocator_default();
  weft_graph *g = NULL;
  weft_graph *again = NULL;
  weft_diag d = {0};
  weft_text t;
  weft_text u;
  weft__text_init(&t, &a);
  weft__text_init(&u, &a);
  CHECK_OK(parse(e, &g, &d), &d);
  CHECK_OK(weft_graph_save(g, weft__text_write, &t, &d), &d);
  CHECK_OK(weft_graph_load(e, t.v, t.n, &again, &d), &d);
  check_notes(again);
  CHECK_OK(weft_graph_save(again, weft__text_write, &u, &d), &d);
  CHECK(t.n == u.n && !memcmp(t.v, u.v, t.n));
  weft_graph_destroy(g);
  weft_graph_destroy(again);
  // Hostile: every byte of the section damaged behind a right checksum never crashes and leaks nothing.
  uint8_t *head = find_section(&t, "meta");
  CHECK(head != NULL);
  long blocks = c.live_blocks;
  size_t n = head ? (size_t)get(head + 8, 8) : 0;
  size_t failed = 0;
  for (size_t i = 0; i < 3 * n; i++) {
    static const uint8_t flips[] = {1, 0x80, 0xff};
    uint8_t *p = head + 16 + i / 3;
    uint8_t was = *p;
    *p ^= flips[i % 3];
    uint32_t crc = weft__crc32(head + 8, n + 8, weft__crc32(head, 4, 0));
    for (size_t k = 0; k < 4; k++)
      head[4 + k] = (uint8_t)(crc >> 8 * k);
    weft_diag own = {0};
    weft_status s = weft_graph_load(e, t.v, t.n, &again, &own);
    failed += s != WEFT_OK;
    if (!s)
      weft_graph_destroy(again);
    *p = was;
  }
  CHECK(failed > n);
  CHECK_INT(c.live_blocks, blocks);
  weft__text_deinit(&t);
  weft__text_deinit(&u);
  weft_env_destroy(e);
}

TEST(every_allocation_fails_once) {
  for (long i = 1;; i++) {
    check_alloc c = {0};
    weft_env *e = new_env(&c);
    weft_graph *g = NULL;
    weft_diag d = {0};
    c.calls = 0;
    c.fail_at = i;
    weft_status s = parse(e, &g, &d);
    for (int k = 0; !s && k < 20; k++) {
      char key[16];
      snprintf(key, sizeof key, "n%d", k);
      s = weft_graph_set_meta(g, key, key, &d);
    }
    bool reached = c.calls >= i;
    c.fail_at = 0;
    CHECK(!s || s == WEFT_E_NOMEM);
    weft_graph_destroy(g);
    weft_env_destroy(e);
    CHECK_INT(c.live_blocks, 0);
    if (!reached)
      break;
  }
}
// SPDX-License-Identifier: Apache-2.0
