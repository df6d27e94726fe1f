// json.c - reads a JSON document (RFC 8259) into a tree in an arena, and refuses everything that is not one.
//
// One pass, recursive to a depth of 64. The values of containers that are still open lie on one stack, their
// keys on another, from where a closed container copies its own into the arena: time and memory are linear.
// What an object with many members was looked through for equal keys with becomes its index. Strings must be
// valid
// UTF-8, escaped surrogates must pair, keys must differ and hold no zero. A byte order mark at the start is
// skipped. Columns count characters. An error is one cause, "line 3, column 7: ...", and a note with the
// path, "at ops[1].type".
#include "base/base.h"
#include "base/chars.h"
#include "base/json.h"
#include "base/json_parser.h"
#include "base/json_text.h"

#include <stdlib.h>

enum { LINEAR_KEYS = 16 };

static weft_status out_of_memory(weft__json_parser *p) {
  return weft__json_fail(p, WEFT_E_NOMEM, "out of memory for the document");
}

static void new_line(weft__json_parser *p) {
  p->line += p->line < UINT32_MAX;
  p->line_start = p->at + 1;
  p->extra = 0;
}

static inline void skip_space(weft__json_parser *p) {
  for (; p->at < p->end && (unsigned char)*p->at <= ' '; p->at++) {
    char c = *p->at;
    if (c == '\n')
      new_line(p);
    else if (c != ' ' && c != '\t' && c != '\r')
      return;
  }
}

static inline bool at_char(const weft__json_parser *p, char c) {
  return p->at < p->end && *p->at == c;
}
static inline bool at_digit(const weft__json_parser *p) {
  return p->at < p->end && *p->at >= '0' && *p->at <= '9';
}

// ---- strings ----

static weft_status check_escape(weft__json_parser *p) {
  const char *at = p->at;
  char c = p->end - at > 1 ? at[1] : '\0';
  if (c && strchr("\"\\/bfnrt", c)) {
    p->at += 2;
    return WEFT_OK;
  }
  if (c != 'u') {
    p->at += p->end - at > 1;
    return weft__json_expected(p, "one of \" \\ / b f n r t u after the backslash");
  }
  int32_t v = weft__json_hex4(at + 2, p->end);
  if (v < 0)
    return weft__json_fail(p, WEFT_E_SYNTAX, "expected four hexadecimal digits after \\u");
  p->at += 6;
  if (v < 0xD800 || v > 0xDFFF)
    return WEFT_OK;
  int32_t low = p->end - at >= 12 && at[6] == '\\' && at[7] == 'u' ? weft__json_hex4(at + 8, p->end) : -1;
  if (v < 0xDC00 && low >= 0xDC00 && low <= 0xDFFF) {
    p->at += 6;
    return WEFT_OK;
  }
  p->at = at;
  return weft__json_fail(p, WEFT_E_SYNTAX, "surrogate \\u%.4s has no partner", at + 2);
}

// Moves from the opening quote behind the closing one; everything between is valid then.
static weft_status check_string(weft__json_parser *p, bool *out_escapes) {
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
      return weft__json_fail(p, WEFT_E_SYNTAX,
                             "control character 0x%02X in a string must be written as an escape", c);
    } else {
      size_t n = weft__utf8_length(p->at, (size_t)(p->end - p->at));
      if (!n)
        return weft__json_fail(p, WEFT_E_SYNTAX, "byte 0x%02X is not valid UTF-8", c);
      p->at += n;
      p->extra += n - 1;
    }
  }
  p->at = start;
  p->extra = extra;
  return weft__json_fail(p, WEFT_E_SYNTAX, "the string that starts here has no closing quote");
}

// Text of the document, zero-terminated. It is shorter than the document: a byte more is no overflow.
static inline char *json_copied(weft__json_parser *p, const char *text, size_t bytes) {
  char *s = weft__arena_alloc(p->arena, bytes + 1, 1);
  if (!s)
    return NULL;
  memcpy(s, text, bytes);
  s[bytes] = '\0';
  return s;
}

static weft_status parse_string(weft__json_parser *p, const char **out, uint32_t *out_bytes) {
  const char *start = p->at + 1;
  bool escapes = false;
  const char *end = weft__json_plain_end(start, p->end);
  if (end < p->end && *end == '"')
    p->at = end + 1;
  else
    WEFT_TRY(check_string(p, &escapes));
  size_t raw = (size_t)(p->at - 1 - start);
  char *s = json_copied(p, start, raw);
  if (!s)
    return out_of_memory(p);
  *out = s;
  *out_bytes = (uint32_t)(escapes ? weft__json_decode(start, start + raw, s) : raw);
  return WEFT_OK;
}

// ---- numbers and words ----

static weft_status skip_digits(weft__json_parser *p, const char *what) {
  if (!at_digit(p))
    return weft__json_expected(p, what);
  while (at_digit(p))
    p->at++;
  return WEFT_OK;
}

// Behind the digits of a whole number.
static weft_status skip_fraction(weft__json_parser *p) {
  if (at_char(p, '.')) {
    p->at++;
    WEFT_TRY(skip_digits(p, "a digit after '.'"));
  }
  if (!at_char(p, 'e') && !at_char(p, 'E'))
    return WEFT_OK;
  p->at++;
  p->at += at_char(p, '+') || at_char(p, '-');
  return skip_digits(p, "a digit in the exponent");
}

static weft_status json_parse_number(weft__json_parser *p, weft_json *out) {
  const char *start = p->at;
  p->at += at_char(p, '-');
  if (at_char(p, '0')) {
    p->at++;
    if (at_digit(p))
      return weft__json_fail(p, WEFT_E_SYNTAX, "a number must not start with an extra 0");
  } else {
    WEFT_TRY(skip_digits(p, "a digit after '-'"));
  }
  const char *whole_end = p->at;
  WEFT_TRY(skip_fraction(p));
  out->kind = WEFT_JSON_NUMBER;
  out->s_bytes = (uint32_t)(p->at - start);
  out->s = json_copied(p, start, out->s_bytes);
  if (!out->s)
    return out_of_memory(p);
  int64_t i = 0;
  out->is_int = p->at == whole_end && weft__json_whole(out->s, out->s_bytes, &i);
  out->i = i;
  if (out->is_int && (out->i || *out->s != '-')) {
    out->f = (double)out->i;
    return WEFT_OK;
  }
  char text[JSON_SHOWN + 4];
  if (weft__double_parse(out->s, &out->f) && out->f - out->f == 0)
    return WEFT_OK;
  p->at = start;
  return weft__json_fail(p, WEFT_E_RANGE, "number %s is outside the range of a double",
                         weft__json_shown(out->s, out->s_bytes, text));
}

static weft_status parse_word(weft__json_parser *p, weft_json *out) {
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
    char word[JSON_SHOWN + 4];
    if (n < 2)
      return weft__json_expected(p, "a value");
    return weft__json_fail(p, WEFT_E_SYNTAX, "expected a value, got '%s'", weft__json_shown(p->at, n, word));
  }
  p->at = end;
  return WEFT_OK;
}

// ---- containers ----

// The value that starts here becomes the last one of p->open.
static weft_status parse_value(weft__json_parser *p);

// Of an object with many members: a map from its keys to its values, which lies in front of its keys.
typedef struct indexed_keys {
  weft_map map;
  const char *keys[];
} indexed_keys;

static const weft_map *index_of(const weft_json *object) {
  return (const weft_map *)((const char *)object->keys - offsetof(indexed_keys, keys));
}

// An array or object whose items stand on the stacks from here on.
typedef struct container {
  size_t at;    // its own place in p->open
  size_t keys;  // where its keys begin in p->keys
  weft_map *seen;
} container;

static container open_container(weft__json_parser *p, weft_json_kind kind) {
  container c = {.at = p->open.n - 1, .keys = p->keys.n};
  p->open.v[c.at].kind = kind;
  return c;
}

static size_t items_of(const weft__json_parser *p, const container *c) {
  return p->open.n - 1 - c->at;
}

// Room for the keys of an object; in front of those of many the map from each to its value.
static const char **room_for_keys(const weft__json_parser *p, const container *c, weft_json *items,
                                  size_t n) {
  if (n <= LINEAR_KEYS)
    return weft__arena_alloc(p->arena, n * sizeof(char *), _Alignof(char *));
  size_t bytes = offsetof(indexed_keys, keys) + n * sizeof(char *);
  indexed_keys *k = weft__arena_alloc(p->arena, bytes, _Alignof(indexed_keys));
  if (!k || weft__map_settle(c->seen, p->arena))
    return NULL;
  for (size_t i = 0; i < n; i++)
    c->seen->entries[i].value = &items[i];
  k->map = *c->seen;
  return k->keys;
}

// Moves the items into the arena. They lie in memory already: their bytes are no overflow.
static weft_status close_container(weft__json_parser *p, const container *c) {
  weft_json *out = &p->open.v[c->at];
  size_t n = items_of(p, c);
  p->depth--;
  p->at++;
  if (!n)
    return WEFT_OK;
  weft_json *items = weft__arena_alloc(p->arena, n * sizeof *items, _Alignof(weft_json));
  if (!items)
    return out_of_memory(p);
  memcpy(items, out + 1, n * sizeof *items);
  if (out->kind == WEFT_JSON_OBJECT) {
    const char **keys = room_for_keys(p, c, items, n);
    if (!keys)
      return out_of_memory(p);
    memcpy(keys, p->keys.v + c->keys, n * sizeof *keys);
    out->keys = keys;
  }
  out->n = n;
  out->items = items;
  p->open.n = c->at + 1;
  p->keys.n = c->keys;
  return WEFT_OK;
}

static weft_status enter_container(weft__json_parser *p) {
  if (p->depth == JSON_DEPTH)
    return weft__json_fail(p, WEFT_E_LIMIT, "nested deeper than %d levels", JSON_DEPTH);
  p->path[p->depth].key = NULL;
  p->path[p->depth].index = SIZE_MAX;
  p->depth++;
  p->at++;
  skip_space(p);
  return WEFT_OK;
}

static weft_status parse_array(weft__json_parser *p) {
  container c = open_container(p, WEFT_JSON_ARRAY);
  WEFT_TRY(enter_container(p));
  if (at_char(p, ']'))
    return close_container(p, &c);
  for (;;) {
    p->path[p->depth - 1].index = items_of(p, &c);
    WEFT_TRY(parse_value(p));
    skip_space(p);
    if (at_char(p, ']'))
      return close_container(p, &c);
    if (!at_char(p, ','))
      return weft__json_expected(p, "',' or ']' after an item");
    p->at++;
  }
}

// Whether no key of the object is equal; many are looked up in c->seen, filled once needed.
static weft_status check_new_key(const weft__json_parser *p, const container *c, const char *key,
                                 bool *out_new) {
  size_t n = p->keys.n - c->keys;
  *out_new = true;
  if (n == 0)
    return WEFT_OK;
  const char *const *keys = p->keys.v + c->keys;
  if (n < LINEAR_KEYS) {
    for (size_t i = 0; i < n; i++)
      *out_new &= *keys[i] != *key || strcmp(keys[i], key) != 0;
    return WEFT_OK;
  }
  for (size_t i = n == LINEAR_KEYS ? 0 : n; i < n; i++)
    WEFT_TRY(weft__map_set(c->seen, keys[i], strlen(keys[i]), c->seen));
  weft_status s = weft__map_add(c->seen, key, strlen(key), c->seen);
  *out_new = s != WEFT_E_EXISTS;
  return *out_new ? s : WEFT_OK;
}

static bool is_of_texts(const weft__json_parser *p, const char *key) {
  return p->texts && p->texts->each && !strcmp(p->texts->each, key);
}

static bool stays_text(const weft__json_parser *p, const char *key) {
  for (size_t i = 0; p->texts && i < p->texts->n; i++) {
    if (!strcmp(p->texts->names[i], key))
      return true;
  }
  return false;
}

// Steps over a key without escapes, and gives the text of an equal one that came before; where another one
// has its place, that one is forgotten. A key with escapes is left to parse_string: out->s is NULL.
static weft_status known_key(weft__json_parser *p, weft__json_key *out) {
  const char *start = p->at + 1;
  const char *end = weft__json_plain_end(start, p->end);
  *out = (weft__json_key){NULL};
  if (end == p->end || *end != '"' || end == start)
    return WEFT_OK;
  size_t n = (size_t)(end - start);
  size_t k = ((unsigned char)*start * 7u + (unsigned char)end[-1] + n) % JSON_KNOWN;
  if (p->known[k].bytes != n || memcmp(p->known[k].s, start, n)) {
    const char *s = json_copied(p, start, n);
    if (!s)
      return out_of_memory(p);
    p->known[k] = (weft__json_key){s, (uint32_t)n, stays_text(p, s), is_of_texts(p, s)};
  }
  p->at = end + 1;
  *out = p->known[k];
  return WEFT_OK;
}

static weft_status parse_key(weft__json_parser *p, const container *of, weft__json_key *out) {
  char text[JSON_SHOWN + 4];
  char c[JSON_SHOWN];
  bool is_new = true;
  bool has_zero = false;
  skip_space(p);
  if (!at_char(p, '"'))
    return weft__json_expected(p, p->keys.n == of->keys ? "a key in quotes or '}'" : "a key in quotes");
  const char *start = p->at;
  size_t extra = p->extra;
  WEFT_TRY(known_key(p, out));
  if (!out->s) {
    WEFT_TRY(parse_string(p, &out->s, &out->bytes));
    has_zero = strlen(out->s) != out->bytes;
    out->text = stays_text(p, out->s);
    out->each = is_of_texts(p, out->s);
  }
  if (!has_zero && check_new_key(p, of, out->s, &is_new))
    return out_of_memory(p);
  if (has_zero || !is_new) {
    p->at = start;
    p->extra = extra;
    return weft__json_fail(p, has_zero ? WEFT_E_SYNTAX : WEFT_E_DUPLICATE, "key \"%s\" %s",
                           weft__json_shown(out->s, out->bytes, text),
                           has_zero ? "holds \\u0000" : "stands twice in one object");
  }
  skip_space(p);
  if (!at_char(p, ':')) {
    return weft__json_fail(p, WEFT_E_SYNTAX, "expected ':' after key \"%s\", got %s",
                           weft__json_shown(out->s, out->bytes, text), weft__json_got(p, c));
  }
  p->at++;
  return WEFT_OK;
}

// ---- what stays text ----

// Steps over a string without looking at its escapes; false: it has no end.
static bool raw_string(weft__json_parser *p) {
  p->at++;
  for (;;) {
    p->at = weft__json_plain_end(p->at, p->end);
    if (p->at == p->end)
      return false;
    unsigned char c = (unsigned char)*p->at;
    if (c == '\n')
      new_line(p);
    p->extra += (c & 0xC0) == 0x80;
    p->at++;
    if (c == '"')
      return true;
    if (c == '\\' && p->at < p->end)
      p->at++;
  }
}

// Moves to what ends a value at its own depth; false: the text ends before.
static bool raw_value(weft__json_parser *p) {
  size_t depth = 0;
  while ((p->at = weft__json_text_end(p->at, p->end, depth > 0)) < p->end) {
    switch (*p->at) {
      case '"':
        if (!raw_string(p))
          return false;
        continue;
      case '{':
      case '[':
        depth++;
        break;
      case '\n':
        new_line(p);
        break;
      default:  // a comma, or a bracket that closes
        if (!depth)
          return true;
        depth -= *p->at != ',';
    }
    p->at++;
  }
  return false;
}

// A value as it stands: only its brackets and quotes are looked at.
static weft_status parse_raw(weft__json_parser *p) {
  skip_space(p);
  if (!WEFT_VEC_ROOM(&p->arena->alloc, p->open))
    return out_of_memory(p);
  weft_json *out = &p->open.v[p->open.n++];
  *out = (weft_json){.kind = WEFT_JSON_STRING, .line = p->line, .column = weft__json_column(p), .s = p->at};
  if (!raw_value(p) || p->at == out->s)
    return weft__json_expected(p, "a value");
  out->s_bytes = (uint32_t)(p->at - out->s);
  return WEFT_OK;
}

static weft_status parse_members(weft__json_parser *p, const container *c) {
  bool each = p->each;
  p->each = false;
  WEFT_TRY(enter_container(p));
  if (at_char(p, '}'))
    return close_container(p, c);
  for (;;) {
    weft__json_key key;
    p->path[p->depth - 1].key = NULL;
    WEFT_TRY(parse_key(p, c, &key));
    if (!WEFT_VEC_ROOM(&p->arena->alloc, p->keys))
      return out_of_memory(p);
    p->keys.v[p->keys.n++] = key.s;
    p->path[p->depth - 1].key = key.s;
    p->each = key.each;
    WEFT_TRY(each || key.text ? parse_raw(p) : parse_value(p));
    p->each = false;
    skip_space(p);
    if (at_char(p, '}'))
      return close_container(p, c);
    if (!at_char(p, ','))
      return weft__json_expected(p, "',' or '}' after a member");
    p->at++;
  }
}

static weft_status parse_object(weft__json_parser *p) {
  weft_map seen = {.alloc = p->arena->alloc};
  container c = open_container(p, WEFT_JSON_OBJECT);
  c.seen = &seen;
  weft_status s = parse_members(p, &c);
  if (seen.cap && !seen.in_arena)
    weft__map_deinit(&seen);
  return s;
}

static weft_status parse_value(weft__json_parser *p) {
  skip_space(p);
  if (!WEFT_VEC_ROOM(&p->arena->alloc, p->open))
    return out_of_memory(p);
  weft_json *out = &p->open.v[p->open.n++];
  *out = (weft_json){.line = p->line, .column = weft__json_column(p)};
  if (at_char(p, '{'))
    return parse_object(p);
  if (at_char(p, '['))
    return parse_array(p);
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
  return weft__json_parse_texts(text, bytes, NULL, arena, out, d);
}

weft_status weft__json_parse_texts(const char *text, size_t bytes, const weft__json_texts *texts,
                                   weft_arena *arena, weft_json **out, weft_diag *d) {
  *out = NULL;
  if (!bytes)
    text = "";
  if (bytes >= 3 && !memcmp(text, "\xEF\xBB\xBF", 3)) {
    text += 3;
    bytes -= 3;
  }
  weft__json_parser p = {
      .at = text, .end = text + bytes, .line_start = text, .line = 1, .arena = arena, .d = d, .texts = texts};
  weft_status s = WEFT_OK;
  if (bytes > UINT32_MAX)
    s = weft__json_fail(&p, WEFT_E_LIMIT, "the document has %zu bytes, at most 4 GiB are read", bytes);
  if (!s)
    s = parse_value(&p);
  if (!s) {
    skip_space(&p);
    if (p.at < p.end)
      s = weft__json_expected(&p, "the end of the text after the document");
  }
  weft_json *root = s ? NULL : WEFT_NEW(arena, weft_json);
  if (!s && !root)
    s = out_of_memory(&p);
  if (!s)
    *root = p.open.v[0];
  WEFT_VEC_FREE(&arena->alloc, p.open);
  WEFT_VEC_FREE(&arena->alloc, p.keys);
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
