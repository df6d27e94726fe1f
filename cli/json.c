// json.c - reads JSON (json.h). Texts become UTF-8; a character 0 ends one.
#include "json.h"

enum { JSON_DEPTH = 32 };

typedef struct reader {
  const char *at, *end;
  int depth;
} reader;

static bool json_value(reader *r, json *out);

static void json_space(reader *r) {
  while (r->at < r->end && strchr(" \t\r\n", *r->at))
    r->at++;
}

static bool json_take(reader *r, char c) {
  json_space(r);
  if (r->at == r->end || *r->at != c)
    return false;
  r->at++;
  return true;
}

// The number of four hexadecimal digits at p, which end before `end`; -1: they are none.
static long json_hex(const char *p, const char *end) {
  char digits[5] = {0};
  if (end - p < 4)
    return -1;
  memcpy(digits, p, 4);
  return strspn(digits, "0123456789abcdefABCDEF") == 4 ? strtol(digits, NULL, 16) : -1;
}

static size_t json_utf8(long code, char *to) {
  static const unsigned char first[5] = {0, 0, 0xC0, 0xE0, 0xF0};
  const size_t n = code < 0x80 ? 1 : code < 0x800 ? 2 : code < 0x10000 ? 3 : 4;
  for (size_t i = n; i-- > 1; code >>= 6)
    to[i] = (char)(0x80 | (code & 0x3F));
  to[0] = (char)(n == 1 ? code : first[n] | code);
  return n;
}

// The second half of a pair, where one stands behind the first; -1: none does.
static long json_low_half(const char *p, const char *end) {
  if (end - p <= 2 || p[1] != '\\' || p[2] != 'u')
    return -1;
  const long code = json_hex(p + 3, end);
  return code >> 10 == 0xDC00 >> 10 ? code : -1;
}

// The character behind the backslash at *p, which then is its last byte. An escape that JSON does not have
// stays.
static size_t json_escape(const char **p, const char *end, char *to) {
  static const char names[] = "\"\\/bfnrt";
  static const char bytes[] = "\"\\/\b\f\n\r\t";
  const char c = end - *p > 1 ? (*p)[1] : 0;
  const char *name = c ? strchr(names, c) : NULL;
  if (name) {
    (*p)++;
    to[0] = bytes[name - names];
    return 1;
  }

  long code = c == 'u' ? json_hex(*p + 2, end) : -1;
  if (code < 0) {
    to[0] = **p;
    return 1;
  }
  *p += 5;
  const long low = code >> 10 == 0xD800 >> 10 ? json_low_half(*p, end) : -1;
  if (low >= 0) {
    code = 0x10000 + ((code & 0x3FF) << 10) + (low & 0x3FF);
    *p += 6;
  }
  return json_utf8(code, to);
}

static char *json_string(reader *r) {
  if (!json_take(r, '"'))
    return NULL;
  const char *from = r->at;
  while (r->at < r->end && *r->at != '"')
    r->at += *r->at == '\\' && r->at + 1 < r->end ? 2 : 1;
  if (r->at >= r->end)
    return NULL;
  char *text = malloc((size_t)(r->at - from) + 1);
  size_t n = 0;
  for (const char *p = from; text && p < r->at; p++) {
    if (*p == '\\')
      n += json_escape(&p, r->at, text + n);
    else
      text[n++] = *p;
  }
  if (text)
    text[n] = 0;
  r->at++;
  return text;
}

// Room for one more item, and its key.
static bool json_grow(json *out) {
  if (out->n & (out->n - 1))
    return true;
  size_t room = out->n ? 2 * out->n : 1;
  json *items = realloc(out->items, room * sizeof *items);
  if (!items)
    return false;
  out->items = items;
  char **keys = realloc(out->keys, room * sizeof *keys);
  if (!keys)
    return false;
  out->keys = keys;
  return true;
}

static bool json_items(reader *r, json *out, char end) {
  if (json_take(r, end))
    return true;
  do {
    json item = {JSON_NULL};
    char *key = NULL;
    if (!json_grow(out))
      return false;
    if (out->kind == JSON_OBJECT && (!(key = json_string(r)) || !json_take(r, ':'))) {
      free(key);
      return false;
    }
    bool ok = json_value(r, &item);
    out->keys[out->n] = key;
    out->items[out->n++] = item;
    if (!ok)
      return false;
  } while (json_take(r, ','));
  return json_take(r, end);
}

static bool json_word(reader *r, json *out) {
  static const struct {
    const char *word;
    json_kind kind;
    double number;
  } words[] = {{"true", JSON_BOOL, 1},  {"false", JSON_BOOL, 0},      {"null", JSON_NULL, 0},
               {"NaN", JSON_NUMBER, 0}, {"Infinity", JSON_NUMBER, 0}, {"-Infinity", JSON_NUMBER, 0}};
  for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
    size_t n = strlen(words[i].word);
    if ((size_t)(r->end - r->at) < n || memcmp(r->at, words[i].word, n))
      continue;
    out->kind = words[i].kind;
    out->number = words[i].number;
    r->at += n;
    return true;
  }
  return false;
}

static bool json_digits(reader *r, json *out) {
  char text[64];
  size_t n = 0;
  while (r->at < r->end && n + 1 < sizeof text && strchr("+-.eE0123456789", *r->at))
    text[n++] = *r->at++;
  text[n] = 0;
  char *end;
  out->kind = JSON_NUMBER;
  out->number = strtod(text, &end);
  bool ok = n && !*end;
  bool whole = ok && !strpbrk(text, ".eE");
  if (whole)
    out->whole = *text == '-' ? (int64_t)strtoll(text, NULL, 10) : (int64_t)strtoull(text, NULL, 10);
  return ok;
}

static bool json_value(reader *r, json *out) {
  json_space(r);
  if (r->at == r->end || r->depth >= JSON_DEPTH)
    return false;
  bool ok;
  r->depth++;
  if (*r->at == '"') {
    out->kind = JSON_TEXT;
    ok = (out->text = json_string(r)) != NULL;
  } else if (json_take(r, '{')) {
    out->kind = JSON_OBJECT;
    ok = json_items(r, out, '}');
  } else if (json_take(r, '[')) {
    out->kind = JSON_LIST;
    ok = json_items(r, out, ']');
  } else
    ok = json_word(r, out) || json_digits(r, out);
  r->depth--;
  return ok;
}

bool json_read(const char *text, size_t bytes, json *out) {
  reader r = {text, text + bytes, 0};
  memset(out, 0, sizeof *out);
  return json_value(&r, out);
}

void json_free(json *j) {
  for (size_t i = 0; i < j->n; i++) {
    json_free(&j->items[i]);
    free(j->keys[i]);
  }
  free(j->items);
  free(j->keys);
  free(j->text);
  memset(j, 0, sizeof *j);
}

const json *json_get(const json *object, const char *key) {
  for (size_t i = 0; object && object->kind == JSON_OBJECT && i < object->n; i++) {
    if (!strcmp(object->keys[i], key))
      return &object->items[i];
  }
  return NULL;
}

double json_number(const json *object, const char *key, double dflt) {
  const json *j = json_get(object, key);
  return j && (j->kind == JSON_NUMBER || j->kind == JSON_BOOL) ? j->number : dflt;
}

const char *json_text(const json *object, const char *key) {
  const json *j = json_get(object, key);
  return j && j->kind == JSON_TEXT ? j->text : NULL;
}
// SPDX-License-Identifier: Apache-2.0
