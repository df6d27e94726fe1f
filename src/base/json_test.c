// json_test.c - documents that are read, documents that are refused with place and reason, every allocation
// failed.
#include "base/base.h"
#include "base/json.h"
#include "check.h"

typedef struct doc {
  weft_arena arena;
  weft_diag d;
  weft_json *root;
  weft_status status;
} doc;

static void read_bytes(doc *x, const char *text, size_t bytes) {
  char *exact = malloc(bytes ? bytes : 1);  // without terminator: the sanitizer sees a read beyond the end
  if (bytes)
    memcpy(exact, text, bytes);
  weft__arena_init(&x->arena, NULL);
  weft_diag_clear(&x->d);
  x->root = NULL;
  x->status = weft__json_parse(exact, bytes, &x->arena, &x->root, &x->d);
  free(exact);
  CHECK_INT(x->root != NULL, x->status == WEFT_OK);
  CHECK_INT(x->d.status, x->status);
}

// Reads a document that must be good; close it afterwards.
static const weft_json *good(doc *x, const char *text) {
  static const weft_json none = {0};
  read_bytes(x, text, strlen(text));
  if (!x->status)
    return x->root;
  check_failed(__FILE__, __LINE__, "%s: %s", text, x->d.text);
  return &none;
}

static void close_doc(doc *x) {
  weft__arena_deinit(&x->arena);
}

static void bad_bytes(int line, const char *text, size_t bytes, weft_status s, const char *message) {
  doc x;
  read_bytes(&x, text, bytes);
  if (x.status != s) {
    check_failed(__FILE__, line, "%s gave %s, expected %s", text, weft_status_name(x.status),
                 weft_status_name(s));
  } else if (strcmp(x.d.text, message)) {
    check_failed(__FILE__, line, "%s gave\n  %s\nexpected\n  %s", text, x.d.text, message);
  }
  close_doc(&x);
}

#define BAD(text, message)            bad_bytes(__LINE__, text, strlen(text), WEFT_E_SYNTAX, message)
#define BAD_AS(status, text, message) bad_bytes(__LINE__, text, strlen(text), status, message)
#define BAD_BYTES(text, message)      bad_bytes(__LINE__, text, sizeof(text) - 1, WEFT_E_SYNTAX, message)

TEST(a_document) {
  doc x;
  const weft_json *r = good(&x,
                            "{\n  \"name\": \"net\",\n  \"ops\": [{\"type\": \"Add\"}, {}, []],\n"
                            "  \"ok\": true, \"no\": false, \"nil\": null, \"empty\": \"\"\n}\n");
  CHECK_INT(r->kind, WEFT_JSON_OBJECT);
  CHECK_INT(r->n, 6);
  CHECK_STR(r->keys[1], "ops");
  CHECK_STR(weft__json_get(r, "name")->s, "net");
  const weft_json *ops = weft__json_get(r, "ops");
  CHECK_INT(ops->kind, WEFT_JSON_ARRAY);
  CHECK_INT(ops->n, 3);
  CHECK_INT(ops->line, 3);
  CHECK_INT(ops->column, 10);
  CHECK_STR(weft__json_get(&ops->items[0], "type")->s, "Add");
  CHECK_INT(weft__json_get(&ops->items[0], "type")->column, 20);
  CHECK_INT(ops->items[1].kind, WEFT_JSON_OBJECT);
  CHECK_INT(ops->items[1].n, 0);
  CHECK_INT(ops->items[2].kind, WEFT_JSON_ARRAY);
  CHECK(weft__json_get(r, "ok")->b && !weft__json_get(r, "no")->b);
  CHECK_INT(weft__json_get(r, "nil")->kind, WEFT_JSON_NULL);
  CHECK_STR(weft__json_get(r, "empty")->s, "");
  CHECK(!weft__json_get(r, "absent") && !weft__json_get(ops, "x") && !weft__json_get(NULL, "x"));
  close_doc(&x);
}

TEST(scalars_alone_are_documents) {
  doc x;
  CHECK_INT(good(&x, " null ")->kind, WEFT_JSON_NULL);
  close_doc(&x);
  CHECK_STR(good(&x, "\"a\"")->s, "a");
  close_doc(&x);
  CHECK_INT(good(&x, "\t12\r\n")->i, 12);
  close_doc(&x);
  CHECK_INT(good(&x, "\xEF\xBB\xBF[1]")->n, 1);  // byte order mark
  close_doc(&x);
}

TEST(numbers) {
  static const struct {
    const char *text;
    bool is_int;
    int64_t i;
    double f;
  } cases[] = {
      {"0", true, 0, 0},
      {"-0", true, 0, -0.0},
      {"-17", true, -17, -17},
      {"9223372036854775807", true, INT64_MAX, 9223372036854775807.0},
      {"-9223372036854775808", true, INT64_MIN, -9223372036854775808.0},
      {"9223372036854775808", false, 0, 9223372036854775808.0},
      {"-9223372036854775809", false, 0, -9223372036854775809.0},
      {"1.5", false, 0, 1.5},
      {"1e2", false, 0, 100},
      {"1E+2", false, 0, 100},
      {"-2.5e-3", false, 0, -0.0025},
      {"0.0", false, 0, 0},
      {"1e-999", false, 0, 0},
      {"123456789012345678901234567890", false, 0, 123456789012345678901234567890.0},
  };
  for (size_t i = 0; i < WEFT_COUNT(cases); i++) {
    doc x;
    const weft_json *v = good(&x, cases[i].text);
    CHECK_INT(v->kind, WEFT_JSON_NUMBER);
    CHECK_STR(v->s, cases[i].text);
    CHECK_INT(v->s_bytes, strlen(cases[i].text));
    CHECK_INT(v->is_int, cases[i].is_int);
    CHECK_INT(v->i, cases[i].i);
    CHECK(v->f == cases[i].f && !signbit(v->f) == !signbit(cases[i].f));
    close_doc(&x);
  }
}

TEST(numbers_that_are_none) {
  BAD("01", "line 1, column 2: a number must not start with an extra 0");
  BAD("-", "line 1, column 2: expected a digit after '-', got the end of the text");
  BAD("[-x]", "line 1, column 3: expected a digit after '-', got 'x'\n  at [0]");
  BAD("1.", "line 1, column 3: expected a digit after '.', got the end of the text");
  BAD("1.e5", "line 1, column 3: expected a digit after '.', got 'e'");
  BAD("1e", "line 1, column 3: expected a digit in the exponent, got the end of the text");
  BAD("1e+-2", "line 1, column 4: expected a digit in the exponent, got '-'");
  BAD(".5", "line 1, column 1: expected a value, got '.'");
  BAD("+1", "line 1, column 1: expected a value, got '+'");
  BAD("0x10", "line 1, column 2: expected the end of the text after the document, got 'x'");
  BAD("NaN", "line 1, column 1: expected a value, got 'NaN'");
  BAD("-Infinity", "line 1, column 2: expected a digit after '-', got 'I'");
  BAD_AS(WEFT_E_RANGE, "[1, -1e999]",
         "line 1, column 5: number -1e999 is outside the range of a double\n  at [1]");
}

TEST(r334_strings) {
  doc x;
  const weft_json *v =
      good(&x, "\"\\\"\\\\\\/\\b\\f\\n\\r\\t \\u0041\\u00e9\\u7B97\\u5b50 \\uD83D\\uDE00 算子\"");
  CHECK_STR(v->s, "\"\\/\b\f\n\r\t Aé算子 😀 算子");
  CHECK_INT(v->s_bytes, strlen(v->s));
  close_doc(&x);
  v = good(&x, "\"a\\u0000b\"");
  CHECK_INT(v->s_bytes, 3);
  CHECK(!memcmp(v->s, "a\0b", 4));
  close_doc(&x);
  v = good(&x, "{\"算子\": [1, \"é\", 2]}");
  CHECK_STR(v->keys[0], "算子");
  CHECK_INT(v->items[0].items[2].column, 17);  // in characters
  close_doc(&x);
}

TEST(strings_that_are_none) {
  BAD("[\"abc", "line 1, column 2: the string that starts here has no closing quote\n  at [0]");
  BAD("\"\\", "line 1, column 2: expected one of \" \\ / b f n r t u after the backslash, got '\\'");
  BAD("\"\\x\"", "line 1, column 3: expected one of \" \\ / b f n r t u after the backslash, got 'x'");
  BAD_BYTES("\"\\\0\"",
            "line 1, column 3: expected one of \" \\ / b f n r t u after the backslash, got byte 0x00");
  BAD("\"\\u12g4\"", "line 1, column 2: expected four hexadecimal digits after \\u");
  BAD("\"\\u12", "line 1, column 2: expected four hexadecimal digits after \\u");
  BAD("\"\\uD800\"", "line 1, column 2: surrogate \\uD800 has no partner");
  BAD("\"é\\uDC00\"", "line 1, column 3: surrogate \\uDC00 has no partner");
  BAD("\"\\uD800\\u0041\"", "line 1, column 2: surrogate \\uD800 has no partner");
  BAD("\"\\uD800\\uDC0", "line 1, column 2: surrogate \\uD800 has no partner");
  BAD("\"a\nb\"", "line 1, column 3: control character 0x0A in a string must be written as an escape");
  BAD_BYTES("\"a\0b\"", "line 1, column 3: control character 0x00 in a string must be written as an escape");
  BAD("\"\xC0\xAF\"", "line 1, column 2: byte 0xC0 is not valid UTF-8");
  BAD("\"\xED\xA0\x80\"", "line 1, column 2: byte 0xED is not valid UTF-8");
  BAD("\"\xF4\x90\x80\x80\"", "line 1, column 2: byte 0xF4 is not valid UTF-8");
  BAD("\"\xE7\xAE", "line 1, column 2: byte 0xE7 is not valid UTF-8");
  BAD("'a'", "line 1, column 1: expected a value, got '''");
}

TEST(r277_errors_name_line_column_and_path) {
  BAD("{\n\n  \"op\"}", "line 3, column 7: expected ':' after key \"op\", got '}'");
  BAD("{\"ops\": [{\"type\": \"Add\"}, {\"type\": ]}",
      "line 1, column 36: expected a value, got ']'\n  at ops[1].type");
  BAD("{\"a\": {\"b\": tru}}", "line 1, column 13: expected a value, got 'tru'\n  at a.b");
  BAD("[1, [2, [3, x]]]", "line 1, column 13: expected a value, got 'x'\n  at [1][1][1]");
}

TEST(structure_errors) {
  BAD("", "line 1, column 1: expected a value, got the end of the text");
  BAD(" \n ", "line 2, column 2: expected a value, got the end of the text");
  BAD("[1,]", "line 1, column 4: expected a value, got ']'\n  at [1]");
  BAD("[1 2]", "line 1, column 4: expected ',' or ']' after an item, got '2'\n  at [0]");
  BAD("[", "line 1, column 2: expected a value, got the end of the text\n  at [0]");
  BAD("[1}", "line 1, column 3: expected ',' or ']' after an item, got '}'\n  at [0]");
  BAD("{", "line 1, column 2: expected a key in quotes or '}', got the end of the text");
  BAD("{1: 2}", "line 1, column 2: expected a key in quotes or '}', got '1'");
  BAD("{\"a\": 1,}", "line 1, column 9: expected a key in quotes, got '}'");
  BAD("{\"a\": 1 \"b\"}", "line 1, column 9: expected ',' or '}' after a member, got '\"'\n  at a");
  BAD("{\"a\" 1}", "line 1, column 6: expected ':' after key \"a\", got '1'");
  BAD("[1] x", "line 1, column 5: expected the end of the text after the document, got 'x'");
  BAD("[1] // no", "line 1, column 5: expected the end of the text after the document, got '/'");
  BAD("{} {}", "line 1, column 4: expected the end of the text after the document, got '{'");
  BAD("]", "line 1, column 1: expected a value, got ']'");
  BAD("[\xFF]", "line 1, column 2: expected a value, got byte 0xFF\n  at [0]");
  BAD("[é]", "line 1, column 2: expected a value, got 'é'\n  at [0]");
  BAD_BYTES("[1\0]", "line 1, column 3: expected ',' or ']' after an item, got byte 0x00\n  at [0]");
  BAD("{\"a\\u0000b\": 1}", "line 1, column 2: key \"a?b\" holds \\u0000");
}

// Plain text is stepped over eight bytes at a time: what is special is found at each place of a step.
TEST(special_characters_at_every_place) {
  static const struct {
    const char *text;
    weft_status status;
  } special[] = {{"\\n", WEFT_OK},        {"\xc3\xa4", WEFT_OK},   {"\x7f", WEFT_OK},
                 {"\x1f", WEFT_E_SYNTAX}, {"\xff", WEFT_E_SYNTAX}, {"\"", WEFT_E_SYNTAX}};
  for (size_t i = 0; i < WEFT_COUNT(special); i++) {
    for (int at = 0; at < 20; at++) {
      char text[64];
      doc x;
      int n =
          snprintf(text, sizeof text, "\"%.*s%s!~ #[]^aaaa\"", at, "aaaaaaaaaaaaaaaaaaaa", special[i].text);
      read_bytes(&x, text, (size_t)n);
      CHECK_INT(x.status, special[i].status);
      if (x.root && i == 0)
        CHECK(x.root->s_bytes == (size_t)at + 12 && x.root->s[at] == '\n');
      close_doc(&x);
    }
  }
}

// Small objects are looked through, large ones have a map; equal keys of one document are one text.
TEST(members_are_found_in_objects_of_all_sizes) {
  char text[4096];
  for (int n = 1; n < 60; n++) {
    size_t at = (size_t)snprintf(text, sizeof text, "[");
    for (int k = 0; k < 2; k++) {
      at += (size_t)snprintf(text + at, sizeof text - at, k ? ",{" : "{");
      for (int i = 0; i < n; i++)
        at += (size_t)snprintf(text + at, sizeof text - at, "%s\"key%d\":%d", i ? "," : "", i, 100 * k + i);
      at += (size_t)snprintf(text + at, sizeof text - at, "}");
    }
    snprintf(text + at, sizeof text - at, "]");
    doc x;
    const weft_json *r = good(&x, text);
    for (int i = 0; r->n == 2 && i < n; i++) {
      char key[16];
      snprintf(key, sizeof key, "key%d", i);
      const weft_json *v = weft__json_get(&r->items[1], key);
      CHECK_INT(v ? v->i : -1, 100 + i);
    }
    CHECK(r->n == 2 && !weft__json_get(&r->items[0], "key") && !weft__json_get(&r->items[0], ""));
    close_doc(&x);
  }
}

TEST(duplicate_keys) {
  char text[4000];
  doc x;
  BAD_AS(WEFT_E_DUPLICATE, "{\"a\": 1, \"b\": 2, \"\\u0061\": 3}",
         "line 1, column 18: key \"a\" stands twice in one object");
  for (int n = 1; n < 200; n = n < 20 ? n + 1 : n * 2) {
    size_t at = 0;
    weft__append(text, sizeof text, &at, "{\"k\": {\"a0\": 0}");
    for (int i = 0; i < n; i++)
      weft__append(text, sizeof text, &at, ", \"a%d\": %d", i, i);
    size_t before = at;
    weft__append(text, sizeof text, &at, "}");
    CHECK_INT(good(&x, text)->n, n + 1);
    close_doc(&x);
    for (int i = 0; i < n; i++) {
      at = before;
      weft__append(text, sizeof text, &at, ", \"a%d\": 0}", i);
      read_bytes(&x, text, at);
      CHECK_INT(x.status, WEFT_E_DUPLICATE);
      close_doc(&x);
    }
  }
}

TEST(depth_is_bounded) {
  char text[400];
  doc x;
  for (int pair = 0; pair < 2; pair++) {
    for (int depth = 60; depth < 70; depth++) {
      size_t at = 0;
      for (int i = 0; i < depth; i++)
        weft__append(text, sizeof text, &at, pair ? "{\"\":" : "[");
      if (pair)
        weft__append(text, sizeof text, &at, "1");
      for (int i = 0; i < depth; i++)
        weft__append(text, sizeof text, &at, pair ? "}" : "]");
      read_bytes(&x, text, at);
      CHECK_INT(x.status, depth <= 64 ? WEFT_OK : WEFT_E_LIMIT);
      if (x.status)
        CHECK_HAS(x.d.text, "nested deeper than 64 levels");
      close_doc(&x);
    }
  }
  enum { MANY = 1000000 };
  char *many = malloc(MANY);
  memset(many, '[', MANY);
  read_bytes(&x, many, MANY);
  CHECK_INT(x.status, WEFT_E_LIMIT);
  close_doc(&x);
  free(many);
}

TEST(long_names_are_cut_in_messages) {
  char text[2000];
  doc x;
  size_t at = 0;
  weft__append(text, sizeof text, &at, "{\"");
  for (int i = 0; i < 300; i++)
    weft__append(text, sizeof text, &at, "算");
  weft__append(text, sizeof text, &at, "\" 1}");
  read_bytes(&x, text, at);
  CHECK_HAS(x.d.text, "line 1, column 305: expected ':' after key \"算算");
  CHECK_HAS(x.d.text, "算...\", got '1'");
  CHECK(x.d.length < 300);
  close_doc(&x);
}

// Parts that stay text: by name at any depth, and each member of objects of a name. What stands behind them
// has the place that it would have.
TEST(members_that_stay_text) {
  static const char text[] =
      "{\"all\": {\"a\": {\"x\": 1, \"y\": [2, 3]}, \"b\": \"\\\"]\\\\\" , \"c\\u0064\": 7},\n"
      "\"raw\" :[\"\xc3\xa4,\xc3\xb6\", {\n}] , \"z\": [{\"raw\":null}], \"all2\": {\"a\": 1}}";
  static const char *const names[] = {"raw", "other"};
  static const weft__json_texts texts = {names, WEFT_COUNT(names), "all"};
  weft_arena arena;
  weft_json *r;
  weft_diag d = {0};
  weft__arena_init(&arena, NULL);
  CHECK_OK(weft__json_parse_texts(text, sizeof text - 1, &texts, &arena, &r, &d), &d);
  const weft_json *all = weft__json_get(r, "all");
  CHECK_INT(all->n, 3);
  const weft_json *a = weft__json_get(all, "a");
  CHECK(a->kind == WEFT_JSON_STRING && a->s_bytes == 21 && !memcmp(a->s, "{\"x\": 1, \"y\": [2, 3]}", 21));
  const weft_json *b = weft__json_get(all, "b");
  CHECK(b->kind == WEFT_JSON_STRING && b->s_bytes == 8 && !memcmp(b->s, "\"\\\"]\\\\\" ", 8));
  CHECK(weft__json_get(all, "cd")->s_bytes == 1 && *weft__json_get(all, "cd")->s == '7');
  const weft_json *raw = weft__json_get(r, "raw");
  CHECK_INT(raw->line, 2);
  CHECK_INT(raw->column, 8);
  CHECK_INT(raw->s_bytes, 15);
  const weft_json *z = weft__json_get(r, "z");
  CHECK_INT(z->line, 3);
  CHECK_INT(z->column, 11);
  CHECK_INT(weft__json_get(&z->items[0], "raw")->s_bytes, 4);
  CHECK_INT(weft__json_get(weft__json_get(r, "all2"), "a")->i, 1);
  for (size_t n = 0; n + 1 < sizeof text; n++) {  // cut anywhere it is refused, with a place
    char *exact = malloc(n ? n : 1);
    memcpy(exact, text, n);
    weft_diag_clear(&d);
    CHECK(weft__json_parse_texts(exact, n, &texts, &arena, &r, &d) == WEFT_E_SYNTAX && !r);
    CHECK_HAS(d.text, "line ");
    free(exact);
  }
  weft__arena_deinit(&arena);
}

static const char sample[] =
    "{\"name\": \"net 算子 \\u00e9\", \"ops\": [{\"type\": \"Add\", \"in\": [1, 2.5, -3e7, true, false, "
    "null]}, {}],"
    "\"a\":1,\"b\":1,\"c\":1,\"d\":1,\"e\":1,\"f\":1,\"g\":1,\"h\":1,\"i\":1,\"j\":1,\"k\":1,\"l\":1,\"m\":1,"
    "\"n\":1,\"o\":1,\"p\":1,\"q\":1,\"r\":[[[\"deep\"]]]}";

TEST(r333_every_prefix_and_every_changed_byte) {
  char text[sizeof sample];
  doc x;
  for (size_t n = 0; n < sizeof sample - 1; n++) {
    read_bytes(&x, sample, n);
    CHECK_INT(x.status, WEFT_E_SYNTAX);
    close_doc(&x);
    for (int c = 0; c < 256; c++) {
      memcpy(text, sample, sizeof text);
      text[n] = (char)c;
      read_bytes(&x, text, sizeof text - 1);
      close_doc(&x);
    }
  }
}

TEST(every_allocation_failed_once) {
  static char text[20000];
  size_t at = 0;
  weft__append(text, sizeof text, &at, "[%s", sample);
  for (int i = 0; i < 500; i++)
    weft__append(text, sizeof text, &at, ",{\"key %d\": \"%d\"}", i, i);
  weft__append(text, sizeof text, &at, "]");
  for (long fail_at = 1;; fail_at++) {
    check_alloc count = {.fail_at = fail_at};
    weft_allocator a = check_allocator(&count);
    weft_arena arena;
    weft_diag d = {0};
    weft_json *root = NULL;
    weft__arena_init(&arena, &a);
    weft_status s = weft__json_parse(text, at, &arena, &root, &d);
    CHECK_INT(s, count.calls >= fail_at ? WEFT_E_NOMEM : WEFT_OK);
    CHECK_INT(root == NULL, s != WEFT_OK);
    if (s)
      CHECK_HAS(d.text, "out of memory for the document");
    weft__arena_deinit(&arena);
    CHECK_INT(count.live_blocks, 0);
    CHECK_INT(count.live_bytes, 0);
    if (!s)
      break;
  }
}

TEST(memory_is_linear) {
  enum { N = 50000 };
  char *text = malloc(N * 12 + 100);
  size_t at = 0;
  size_t cap = N * 12 + 100;
  check_alloc count = {0};
  weft_allocator a = check_allocator(&count);
  weft_arena arena;
  weft_diag d = {0};
  weft_json *root = NULL;
  weft__append(text, cap, &at, "{\"x\": 0");
  for (int i = 0; i < N; i++)
    weft__append(text, cap, &at, ",\"%d\":1", i);
  weft__append(text, cap, &at, "}");
  weft__arena_init(&arena, &a);
  CHECK_INT(weft__json_parse(text, at, &arena, &root, &d), WEFT_OK);
  CHECK(root && root->n == N + 1);
  CHECK(count.peak_bytes < N * 1000);
  weft__arena_deinit(&arena);
  CHECK_INT(count.live_blocks, 0);
  free(text);
}
// SPDX-License-Identifier: Apache-2.0
