// json.c - reads a JSON document (RFC 8259) into a tree in an arena, and refuses everything that is not one.
//
// One pass, recursive to a depth of 64. The members of containers that are still open lie on one stack, from
// where a closed container copies its own into the arena: time and memory are linear. Strings must be valid
// UTF-8, escaped surrogates must pair, keys must differ and hold no zero. A byte order mark at the start is
// skipped. Columns count characters. An error is one cause, "line 3, column 7: ...", and a note with the
// path, "at ops[1].type".
#include "base/base.h"
#include "base/chars.h"
#include "base/json.h"
#include "base/json_text.h"

#include <stdlib.h>

enum { MAX_DEPTH = 64, LINEAR_KEYS = 16, SHOWN_BYTES = 48, KNOWN_KEYS = 64 };

typedef struct member {
  const char *key;  // NULL in an array
  weft_json value;
} member;

typedef struct parser {
  const char *at, *end, *line_start;
  size_t extra;  // bytes since line_start that continue a character
  uint32_t line;
  weft_arena *arena;
  weft_diag *d;
  WEFT_VEC(member) open;
  const char *raw;  // members of this name stay text; NULL: none
  struct {          // keys that came before: most documents repeat few
    const char *s;
    size_t n;
  } known[KNOWN_KEYS];
  size_t depth;
  struct {
    const char *key;  // NULL: an array
    size_t index;
  } path[MAX_DEPTH];
} parser;

static uint32_t column(const parser *p) {
  size_t c = (size_t)(p->at - p->line_start) - p->extra + 1;
  return c < UINT32_MAX ? (uint32_t)c : UINT32_MAX;
}

// Text for a message: short and on one line.
static const char *shown(const char *text, size_t bytes, char out[SHOWN_BYTES + 4]) {
  size_t n = bytes <= SHOWN_BYTES ? bytes : weft__utf8_cut(text, SHOWN_BYTES);
  for (size_t i = 0; i < n; i++)
    out[i] = (char)((unsigned char)text[i] < 0x20 ? '?' : text[i]);
  memcpy(out + n, "...", 4);
  if (n == bytes)
    out[n] = '\0';
  return out;
}

// What stands at the place of an error.
static const char *got(const parser *p, char out[SHOWN_BYTES]) {
  size_t n = weft__utf8_length(p->at, (size_t)(p->end - p->at));
  unsigned char c = p->at < p->end ? (unsigned char)*p->at : 0;
  if (p->at == p->end) {
    snprintf(out, SHOWN_BYTES, "the end of the text");
  } else if (!n || c < 0x20 || c == 0x7F) {
    snprintf(out, SHOWN_BYTES, "byte 0x%02X", c);
  } else {
    snprintf(out, SHOWN_BYTES, "'%.*s'", (int)n, p->at);
  }
  return out;
}

static void note_path(parser *p) {
  char path[1024] = "";
  char key[SHOWN_BYTES + 4];
  size_t at = 0;
  for (size_t i = 0; i < p->depth; i++) {
    const char *k = p->path[i].key;
    if (k) {
      weft__append(path, sizeof path, &at, "%s%s", at ? "." : "", shown(k, strlen(k), key));
    } else if (p->path[i].index != SIZE_MAX) {
      weft__append(path, sizeof path, &at, "[%zu]", p->path[i].index);
    }
  }
  if (at)
    weft_note(p->d, "at %s", path);
}

static weft_status json_fail(parser *p, weft_status s, const char *fmt, ...) WEFT_PRINTF(3, 4);
static weft_status json_fail(parser *p, weft_status s, const char *fmt, ...) {
  char text[512];
  va_list ap;
  if (!p->d || p->d->status)
    return s;
  va_start(ap, fmt);
  vsnprintf(text, sizeof text, fmt, ap);
  va_end(ap);
  weft_fail(p->d, s, "line %u, column %u: %s", (unsigned)p->line, (unsigned)column(p), text);
  note_path(p);
  return s;
}

static weft_status expected(parser *p, const char *what) {
  char c[SHOWN_BYTES];
  return json_fail(p, WEFT_E_SYNTAX, "expected %s, got %s", what, got(p, c));
}

static weft_status out_of_memory(parser *p) {
  return json_fail(p, WEFT_E_NOMEM, "out of memory for the document");
}

static void skip_space(parser *p) {
  for (; p->at < p->end; p->at++) {
    char c = *p->at;
    if (c == '\n') {
      p->line += p->line < UINT32_MAX;
      p->line_start = p->at + 1;
      p->extra = 0;
    } else if (c != ' ' && c != '\t' && c != '\r') {
      return;
    }
  }
}

static bool at_char(const parser *p, char c) {
  return p->at < p->end && *p->at == c;
}
static bool at_digit(const parser *p) {
  return p->at < p->end && *p->at >= '0' && *p->at <= '9';
}

// ---- strings ----

static weft_status check_escape(parser *p) {
  const char *at = p->at;
  char c = p->end - at > 1 ? at[1] : '\0';
  if (c && strchr("\"\\/bfnrt", c)) {
    p->at += 2;
    return WEFT_OK;
  }
  if (c != 'u') {
    p->at += p->end - at > 1;
    return expected(p, "one of \" \\ / b f n r t u after the backslash");
  }
  int32_t v = weft__json_hex4(at + 2, p->end);
  if (v < 0)
    return json_fail(p, WEFT_E_SYNTAX, "expected four hexadecimal digits after \\u");
  p->at += 6;
  if (v < 0xD800 || v > 0xDFFF)
    return WEFT_OK;
  int32_t low = p->end - at >= 12 && at[6] == '\\' && at[7] == 'u' ? weft__json_hex4(at + 8, p->end) : -1;
  if (v < 0xDC00 && low >= 0xDC00 && low <= 0xDFFF) {
    p->at += 6;
    return WEFT_OK;
  }
  p->at = at;
  return json_fail(p, WEFT_E_SYNTAX, "surrogate \\u%.4s has no partner", at + 2);
}

// Moves from the opening quote behind the closing one; everything between is valid then.
static weft_status check_string(parser *p, bool *out_escapes) {
  const char *start = p->at++;
  size_t extra = p->extra;
  *out_escapes = false;
  for (;;) {
    p->at = weft__json_plain_end(p->at, p->end);
    if (p->at == p->end)
      break;
    unsigned char c = (unsigned char)*p->at;
    if (c == '"') {
      p->at++;
      return WEFT_OK;
    }
    if (c == '\\') {
      *out_escapes = true;
      WEFT_TRY(check_escape(p));
    } else if (c < 0x20) {
      return json_fail(p, WEFT_E_SYNTAX, "control character 0x%02X in a string must be written as an escape",
                       c);
    } else {
      size_t n = weft__utf8_length(p->at, (size_t)(p->end - p->at));
      if (!n)
        return json_fail(p, WEFT_E_SYNTAX, "byte 0x%02X is not valid UTF-8", c);
      p->at += n;
      p->extra += n - 1;
    }
  }
  p->at = start;
  p->extra = extra;
  return json_fail(p, WEFT_E_SYNTAX, "the string that starts here has no closing quote");
}

static weft_status parse_string(parser *p, const char **out, size_t *out_bytes) {
  const char *start = p->at + 1;
  bool escapes;
  WEFT_TRY(check_string(p, &escapes));
  size_t raw = (size_t)(p->at - 1 - start);
  char *s = weft__arena_strdup(p->arena, start, raw);
  if (!s)
    return out_of_memory(p);
  *out = s;
  *out_bytes = escapes ? weft__json_decode(start, start + raw, s) : raw;
  return WEFT_OK;
}

// ---- numbers and words ----

static weft_status skip_digits(parser *p, const char *what) {
  if (!at_digit(p))
    return expected(p, what);
  while (at_digit(p))
    p->at++;
  return WEFT_OK;
}

static weft_status json_parse_number(parser *p, weft_json *out) {
  const char *start = p->at;
  bool whole = true;
  p->at += at_char(p, '-');
  if (at_char(p, '0')) {
    p->at++;
    if (at_digit(p))
      return json_fail(p, WEFT_E_SYNTAX, "a number must not start with an extra 0");
  } else {
    WEFT_TRY(skip_digits(p, "a digit after '-'"));
  }
  if (at_char(p, '.')) {
    whole = false;
    p->at++;
    WEFT_TRY(skip_digits(p, "a digit after '.'"));
  }
  if (at_char(p, 'e') || at_char(p, 'E')) {
    whole = false;
    p->at++;
    p->at += at_char(p, '+') || at_char(p, '-');
    WEFT_TRY(skip_digits(p, "a digit in the exponent"));
  }
  out->kind = WEFT_JSON_NUMBER;
  out->s_bytes = (size_t)(p->at - start);
  out->s = weft__arena_strdup(p->arena, start, out->s_bytes);
  if (!out->s)
    return out_of_memory(p);
  if (whole)
    out->is_int = weft__json_whole(out->s, out->s_bytes, &out->i);
  if (out->is_int && (out->i || *out->s != '-')) {
    out->f = (double)out->i;
    return WEFT_OK;
  }
  char text[SHOWN_BYTES + 4];
  if (weft__double_parse(out->s, &out->f) && out->f - out->f == 0)
    return WEFT_OK;
  p->at = start;
  return json_fail(p, WEFT_E_RANGE, "number %s is outside the range of a double",
                   shown(out->s, out->s_bytes, text));
}

static weft_status parse_word(parser *p, weft_json *out) {
  const char *end = p->at;
  while (end < p->end && ((*end >= 'a' && *end <= 'z') || (*end >= 'A' && *end <= 'Z')))
    end++;
  size_t n = (size_t)(end - p->at);
  if (n == 4 && !memcmp(p->at, "null", 4)) {
    out->kind = WEFT_JSON_NULL;
  } else if ((n == 4 && !memcmp(p->at, "true", 4)) || (n == 5 && !memcmp(p->at, "false", 5))) {
    out->kind = WEFT_JSON_BOOL;
    out->b = n == 4;
  } else {
    char word[SHOWN_BYTES + 4];
    if (n < 2)
      return expected(p, "a value");
    return json_fail(p, WEFT_E_SYNTAX, "expected a value, got '%s'", shown(p->at, n, word));
  }
  p->at = end;
  return WEFT_OK;
}

// ---- containers ----

static weft_status parse_value(parser *p, weft_json *out);

static weft_status push(parser *p, const char *key, const weft_json *value) {
  if (!WEFT_VEC_ROOM(&p->arena->alloc, p->open))
    return out_of_memory(p);
  p->open.v[p->open.n].key = key;
  p->open.v[p->open.n++].value = *value;
  return WEFT_OK;
}

// Of an object with many members: a map from its keys to its values, which lies in front of its keys.
typedef struct indexed_keys {
  weft_map map;
  const char *keys[];
} indexed_keys;

static const weft_map *index_of(const weft_json *object) {
  return (const weft_map *)((const char *)object->keys - offsetof(indexed_keys, keys));
}

static const char **indexed_room(const parser *p, const weft_json *items, size_t base, size_t n) {
  size_t bytes;
  if (!weft_mul_size(n, sizeof(char *), &bytes) || !weft_add_size(bytes, sizeof(indexed_keys), &bytes))
    return NULL;
  indexed_keys *k = weft__arena_alloc(p->arena, bytes, _Alignof(indexed_keys));
  if (!k)
    return NULL;
  weft__map_init(&k->map, &p->arena->alloc);
  bool set = !weft__map_reserve(&k->map, p->arena, n);
  for (size_t i = 0; set && i < n; i++) {
    const char *key = p->open.v[base + i].key;
    set = !weft__map_set(&k->map, key, strlen(key), (void *)(uintptr_t)&items[i]);
  }
  return set ? k->keys : NULL;
}

// Moves the members from `base` on into the arena.
static weft_status close_container(parser *p, size_t base, weft_json *out) {
  size_t n = p->open.n - base;
  p->open.n = base;
  p->depth--;
  p->at++;
  if (!n)
    return WEFT_OK;
  weft_json *items = WEFT_NEW_N(p->arena, weft_json, n);
  const char **keys = NULL;
  if (items && out->kind == WEFT_JSON_OBJECT)
    keys = n > LINEAR_KEYS ? indexed_room(p, items, base, n) : WEFT_NEW_N(p->arena, const char *, n);
  if (!items || (out->kind == WEFT_JSON_OBJECT && !keys))
    return out_of_memory(p);
  for (size_t i = 0; i < n; i++) {
    items[i] = p->open.v[base + i].value;
    if (keys)
      keys[i] = p->open.v[base + i].key;
  }
  out->n = n;
  out->items = items;
  out->keys = keys;
  return WEFT_OK;
}

static weft_status open_container(parser *p) {
  if (p->depth == MAX_DEPTH)
    return json_fail(p, WEFT_E_LIMIT, "nested deeper than %d levels", MAX_DEPTH);
  p->path[p->depth].key = NULL;
  p->path[p->depth].index = SIZE_MAX;
  p->depth++;
  p->at++;
  skip_space(p);
  return WEFT_OK;
}

static weft_status parse_array(parser *p, weft_json *out) {
  size_t base = p->open.n;
  WEFT_TRY(open_container(p));
  if (at_char(p, ']'))
    return close_container(p, base, out);
  for (;;) {
    weft_json value;
    p->path[p->depth - 1].index = p->open.n - base;
    WEFT_TRY(parse_value(p, &value));
    WEFT_TRY(push(p, NULL, &value));
    skip_space(p);
    if (at_char(p, ']'))
      return close_container(p, base, out);
    if (!at_char(p, ','))
      return expected(p, "',' or ']' after an item");
    p->at++;
  }
}

// Whether the key stands among the members from `base` on; many members are looked up in `seen`, filled once
// needed.
static weft_status check_new_key(parser *p, size_t base, weft_map *seen, const char *key, bool *out_new) {
  size_t n = p->open.n - base;
  *out_new = true;
  if (n < LINEAR_KEYS) {
    for (size_t i = 0; i < n; i++)
      *out_new &= *p->open.v[base + i].key != *key || strcmp(p->open.v[base + i].key, key) != 0;
    return WEFT_OK;
  }
  for (size_t i = n == LINEAR_KEYS ? 0 : n; i < n; i++) {
    const char *earlier = p->open.v[base + i].key;
    WEFT_TRY(weft__map_set(seen, earlier, strlen(earlier), p));
  }
  *out_new = !weft__map_find(seen, key, strlen(key));
  return *out_new ? weft__map_set(seen, key, strlen(key), p) : WEFT_OK;
}

// Steps over a key without escapes, and gives the text of an equal one that came before; where another one
// has its place, that one is forgotten.
static bool known_key(parser *p, const char **out, size_t *out_bytes) {
  const char *start = p->at + 1;
  const char *end = weft__json_plain_end(start, p->end);
  if (end == p->end || *end != '"' || end == start)
    return false;
  size_t n = (size_t)(end - start);
  size_t k = ((unsigned char)*start * 7u + (unsigned char)end[-1] + n) % KNOWN_KEYS;
  if (p->known[k].n != n || memcmp(p->known[k].s, start, n)) {
    p->known[k].s = weft__arena_strdup(p->arena, start, n);
    p->known[k].n = p->known[k].s ? n : 0;
  }
  if (!p->known[k].n)
    return false;  // parse_string tells it
  p->at = end + 1;
  *out = p->known[k].s;
  *out_bytes = n;
  return true;
}

static weft_status parse_key(parser *p, size_t base, weft_map *seen, const char **out) {
  char text[SHOWN_BYTES + 4];
  char c[SHOWN_BYTES];
  size_t bytes;
  bool is_new = true;
  bool has_zero = false;
  skip_space(p);
  if (!at_char(p, '"'))
    return expected(p, p->open.n == base ? "a key in quotes or '}'" : "a key in quotes");
  const char *start = p->at;
  size_t extra = p->extra;
  if (!known_key(p, out, &bytes)) {
    WEFT_TRY(parse_string(p, out, &bytes));
    has_zero = strlen(*out) != bytes;
  }
  if (!has_zero && check_new_key(p, base, seen, *out, &is_new))
    return out_of_memory(p);
  if (has_zero || !is_new) {
    p->at = start;
    p->extra = extra;
    return json_fail(p, has_zero ? WEFT_E_SYNTAX : WEFT_E_DUPLICATE, "key \"%s\" %s",
                     shown(*out, bytes, text), has_zero ? "holds \\u0000" : "stands twice in one object");
  }
  skip_space(p);
  if (!at_char(p, ':')) {
    return json_fail(p, WEFT_E_SYNTAX, "expected ':' after key \"%s\", got %s", shown(*out, bytes, text),
                     got(p, c));
  }
  p->at++;
  return WEFT_OK;
}

// Steps over a string without looking at its escapes; false: it has no end.
static bool raw_string(parser *p) {
  p->at++;
  for (;;) {
    const char *quote = memchr(p->at, '"', (size_t)(p->end - p->at));
    size_t slashes = 0;
    if (!quote)
      return false;
    while (quote - slashes > p->at && quote[-1 - (ptrdiff_t)slashes] == '\\')
      slashes++;
    p->at = quote + 1;
    if (slashes % 2 == 0)
      return true;
  }
}

// A value as it stands: only its brackets and quotes are looked at.
static weft_status parse_raw(parser *p, weft_json *out) {
  size_t depth = 0;
  skip_space(p);
  *out = (weft_json){.kind = WEFT_JSON_STRING, .line = p->line, .column = column(p), .s = p->at};
  while (p->at < p->end) {
    char c = *p->at;
    if (!depth && (c == ',' || c == '}' || c == ']'))
      break;
    if (c == '"') {
      if (!raw_string(p))
        break;
      continue;
    }
    depth += c == '{' || c == '[';
    depth -= c == '}' || c == ']';
    if (c == '\n') {
      p->line++;
      p->line_start = p->at + 1;
      p->extra = 0;
    }
    p->at++;
  }
  out->s_bytes = (size_t)(p->at - out->s);
  return out->s_bytes && p->at < p->end ? WEFT_OK : expected(p, "a value");
}

static weft_status parse_members(parser *p, weft_map *seen, weft_json *out) {
  size_t base = p->open.n;
  WEFT_TRY(open_container(p));
  if (at_char(p, '}'))
    return close_container(p, base, out);
  for (;;) {
    weft_json value;
    const char *key;
    p->path[p->depth - 1].key = NULL;
    WEFT_TRY(parse_key(p, base, seen, &key));
    p->path[p->depth - 1].key = key;
    WEFT_TRY(p->raw && !strcmp(p->raw, key) ? parse_raw(p, &value) : parse_value(p, &value));
    WEFT_TRY(push(p, key, &value));
    skip_space(p);
    if (at_char(p, '}'))
      return close_container(p, base, out);
    if (!at_char(p, ','))
      return expected(p, "',' or '}' after a member");
    p->at++;
  }
}

static weft_status parse_object(parser *p, weft_json *out) {
  weft_map seen;
  weft__map_init(&seen, &p->arena->alloc);
  weft_status s = parse_members(p, &seen, out);
  if (seen.cap)
    weft__map_deinit(&seen);
  return s;
}

static weft_status parse_value(parser *p, weft_json *out) {
  skip_space(p);
  weft_json empty = {.line = p->line, .column = column(p)};
  *out = empty;
  if (at_char(p, '{')) {
    out->kind = WEFT_JSON_OBJECT;
    return parse_object(p, out);
  }
  if (at_char(p, '[')) {
    out->kind = WEFT_JSON_ARRAY;
    return parse_array(p, out);
  }
  if (at_char(p, '"')) {
    out->kind = WEFT_JSON_STRING;
    return parse_string(p, &out->s, &out->s_bytes);
  }
  if (at_char(p, '-') || at_digit(p))
    return json_parse_number(p, out);
  return parse_word(p, out);
}

weft_status weft__json_parse(const char *text, size_t bytes, weft_arena *arena, weft_json **out,
                             weft_diag *d) {
  return weft__json_parse_raw(text, bytes, NULL, arena, out, d);
}

weft_status weft__json_parse_raw(const char *text, size_t bytes, const char *raw, weft_arena *arena,
                                 weft_json **out, weft_diag *d) {
  *out = NULL;
  if (!bytes)
    text = "";
  if (bytes >= 3 && !memcmp(text, "\xEF\xBB\xBF", 3)) {
    text += 3;
    bytes -= 3;
  }
  parser p = {
      .at = text, .end = text + bytes, .line_start = text, .line = 1, .arena = arena, .d = d, .raw = raw};
  weft_json *root = WEFT_NEW(arena, weft_json);
  weft_status s = root ? parse_value(&p, root) : out_of_memory(&p);
  if (!s) {
    skip_space(&p);
    if (p.at < p.end)
      s = expected(&p, "the end of the text after the document");
  }
  WEFT_VEC_FREE(&arena->alloc, p.open);
  if (!s)
    *out = root;
  return s;
}

const weft_json *weft__json_get(const weft_json *object, const char *key) {
  if (!object || object->kind != WEFT_JSON_OBJECT)
    return NULL;
  if (object->n > LINEAR_KEYS)
    return weft__map_find(index_of(object), key, strlen(key));
  for (size_t i = 0; i < object->n; i++) {
    if (object->keys[i][0] == key[0] && !strcmp(object->keys[i], key))
      return &object->items[i];
  }
  return NULL;
}
// SPDX-License-Identifier: Apache-2.0
