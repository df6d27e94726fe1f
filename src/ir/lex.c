// lex.c - tokens of the text form: names, words, punctuation, positions; and names and foreign text written
// safely. Spaces and comments (// and # to the end of the line) stand between any two tokens. Nothing looks
// back: reading a text once is linear; finding line and column counts from the start, once, for the one error
// that ends the reading.
#include "base/chars.h"
#include "ir/text.h"
#include "tensor/scan.h"

// ---- errors ----

static void find_place(const weft_lexer *l, size_t at, size_t *out_line, size_t *out_column) {
  size_t line = 1;
  size_t column = 1;
  for (size_t i = 0; i < at && i < l->bytes; i++) {
    unsigned char c = (unsigned char)l->text[i];
    if (c == '\n') {
      line++;
      column = 1;
    } else if ((c & 0xC0) != 0x80)
      column++;
  }
  *out_line = line;
  *out_column = column;
}

weft_status weft__lex_fail(const weft_lexer *l, size_t at, weft_status s, const char *fmt, ...) {
  char text[WEFT_DIAG_BYTES];
  size_t line;
  size_t column;
  va_list ap;
  if (!l->d || l->d->status)
    return s;
  va_start(ap, fmt);
  vsnprintf(text, sizeof text, fmt, ap);
  va_end(ap);
  find_place(l, at, &line, &column);
  return weft_fail(l->d, s, "%s:%zu:%zu: %s", l->file, line, column, text);
}

weft_status weft__lex_no_memory(const weft_lexer *l) {
  return weft__lex_fail(l, l->at, WEFT_E_NOMEM, "out of memory");
}

const char *weft__lex_here(const weft_lexer *l, char buf[40]) {
  size_t left = l->bytes - l->at;
  size_t n = left ? weft__plain_name(l->text + l->at, left) : 0;
  size_t at = 0;
  if (!left) {
    snprintf(buf, 40, "the end of the text");
    return buf;
  }
  if (!n)
    n = weft__utf8_length(l->text + l->at, left);
  if (!n || (n == 1 && (unsigned char)l->text[l->at] < ' ')) {
    snprintf(buf, 40, "byte 0x%02x", (unsigned char)l->text[l->at]);
    return buf;
  }
  weft__append(buf, 40, &at, "'%.*s'%s", (int)WEFT_MIN(n, 30), l->text + l->at, n > 30 ? "..." : "");
  return buf;
}

// ---- tokens ----

int weft__lex_peek(weft_lexer *l) {
  while (l->at < l->bytes) {
    char c = l->text[l->at];
    bool comment = c == '#' || (c == '/' && l->bytes - l->at >= 2 && l->text[l->at + 1] == '/');
    if (comment) {
      const char *end = memchr(l->text + l->at, '\n', l->bytes - l->at);
      l->at = end ? (size_t)(end - l->text) : l->bytes;
    } else if (c == ' ' || c == '\t' || c == '\n' || c == '\r') {
      l->at++;
    } else {
      return (unsigned char)c;
    }
  }
  return -1;
}

bool weft__lex_char(weft_lexer *l, char c) {
  if (weft__lex_peek(l) != (unsigned char)c)
    return false;
  l->at++;
  return true;
}

bool weft__lex_arrow(weft_lexer *l) {
  if (weft__lex_peek(l) != '-' || l->bytes - l->at < 2 || l->text[l->at + 1] != '>')
    return false;
  l->at += 2;
  return true;
}

weft_status weft__lex_expect(weft_lexer *l, char c, const char *where) {
  char here[40];
  if (weft__lex_char(l, c))
    return WEFT_OK;
  return weft__lex_fail(l, l->at, WEFT_E_SYNTAX, "expected '%c' %s, got %s", c, where,
                        weft__lex_here(l, here));
}

size_t weft__plain_name(const char *text, size_t bytes) {
  size_t n = 1;
  if (!bytes || !weft__is_alpha((unsigned char)text[0]))
    return 0;
  for (; n < bytes; n++) {
    char c = text[n];
    char next = n + 1 < bytes ? text[n + 1] : ' ';
    if ((c == '-' && next == '>') || (c == '/' && next == '/'))
      break;
    if (!weft__is_alpha((unsigned char)c) && !weft__is_digit(c) && c != '.' && c != ':' && c != '/' &&
        c != '-')
      break;
  }
  while (text[n - 1] == ':')
    n--;
  return n;
}

bool weft__lex_word(weft_lexer *l, const char *word) {
  if (weft__lex_peek(l) < 0)
    return false;
  size_t n = weft__plain_name(l->text + l->at, l->bytes - l->at);
  if (n != strlen(word) || memcmp(l->text + l->at, word, n))
    return false;
  l->at += n;
  return true;
}

static weft_status quoted(weft_lexer *l, const char *what, bool empty_too, const char **out) {
  weft_diag own = {0};
  weft_scan s = {.text = l->text, .at = l->at, .bytes = l->bytes, .what = what, .d = &own};
  weft_text t;
  weft__text_init(&t, &l->arena->alloc);
  weft_status st = weft__scan_string(&s, &t);
  if (st) {
    weft__lex_fail(l, l->at, st, "%s: a string that cannot be read: %s", what, own.text);
  } else if ((!t.n && !empty_too) || (t.n && memchr(t.v, 0, t.n))) {
    st = weft__lex_fail(l, l->at, WEFT_E_SYNTAX, "%s: %s", what, t.n ? "byte 0 in a name" : "an empty name");
  } else if (!(*out = weft__arena_strdup(l->arena, t.n ? t.v : "", t.n))) {
    st = weft__lex_no_memory(l);
  }
  weft__text_deinit(&t);
  l->at = s.at;
  return st;
}

weft_status weft__lex_quoted(weft_lexer *l, const char *what, const char **out, size_t *out_at) {
  char here[40];
  int c = weft__lex_peek(l);
  *out_at = l->at;
  if (c == '"')
    return quoted(l, what, true, out);
  return weft__lex_fail(l, l->at, WEFT_E_SYNTAX, "expected %s in quotes, got %s", what,
                        weft__lex_here(l, here));
}

weft_status weft__lex_name(weft_lexer *l, const char *what, const char **out, size_t *out_at) {
  char here[40];
  int c = weft__lex_peek(l);
  if (out_at)
    *out_at = l->at;
  if (c == '"')
    return quoted(l, what, false, out);
  size_t n = weft__plain_name(l->text + l->at, l->bytes - l->at);
  if (!n)
    return weft__lex_fail(l, l->at, WEFT_E_SYNTAX, "expected %s, got %s", what, weft__lex_here(l, here));
  if (!(*out = weft__arena_strdup(l->arena, l->text + l->at, n)))
    return weft__lex_no_memory(l);
  l->at += n;
  return WEFT_OK;
}

weft_status weft__lex_int(weft_lexer *l, int64_t *out) {
  char here[40];
  weft__lex_peek(l);
  size_t from = l->at;
  size_t n = from < l->bytes && l->text[from] == '-';
  while (from + n < l->bytes && weft__is_digit((unsigned char)l->text[from + n]))
    n++;
  if (!weft__token_i64(l->text + from, n, out))
    return weft__lex_fail(l, from, WEFT_E_SYNTAX, "expected an integer, got %s", weft__lex_here(l, here));
  l->at += n;
  return WEFT_OK;
}

// ---- writing ----

weft_status weft__write_name(weft_write_fn write, void *ctx, const char *name, size_t bytes) {
  if (bytes && weft__plain_name(name, bytes) == bytes && !(bytes == 1 && *name == '_'))
    return write(ctx, name, bytes);
  return weft__write_quoted_name(write, ctx, name, bytes);
}

weft_status weft__write_quoted_name(weft_write_fn write, void *ctx, const char *name, size_t bytes) {
  size_t from = 0;
  size_t n;
  WEFT_TRY(write(ctx, "\"", 1));
  for (size_t i = 0; i < bytes; i += n ? n : 1) {
    unsigned char c = (unsigned char)name[i];
    n = weft__utf8_length(name + i, bytes - i);
    if (n && c >= ' ' && c != '"' && c != '\\')
      continue;
    if (i > from)
      WEFT_TRY(write(ctx, name + from, i - from));
    if (c == '"' || c == '\\')
      WEFT_TRY(weft__writef(write, ctx, "\\%c", c));
    else if (c == '\n')
      WEFT_TRY(weft__write_text(write, ctx, "\\n"));
    else if (c == '\t')
      WEFT_TRY(weft__write_text(write, ctx, "\\t"));
    else
      WEFT_TRY(weft__writef(write, ctx, n ? "\\u%04x" : "\\x%02x", c));
    from = i + 1;
  }
  if (bytes > from)
    WEFT_TRY(write(ctx, name + from, bytes - from));
  return write(ctx, "\"", 1);
}

// What stands for the character in the output, or NULL when it stands for itself.
static const char *clean_char(unsigned char c, int how, char buf[8]) {
  if (how == WEFT__CLEAN_MARKUP) {
    return c == '&'   ? "&amp;"
           : c == '<' ? "&lt;"
           : c == '>' ? "&gt;"
           : c == '"' ? "&quot;"
           : c < ' '  ? " "
                      : NULL;
  }
  if (c == '"' || c == '\\')
    snprintf(buf, 8, "\\%c", c);
  else if (c < ' ')
    snprintf(buf, 8, "\\u%04x", c);
  else
    return NULL;
  return buf;
}

weft_status weft__write_clean(weft_write_fn write, void *ctx, const char *text, size_t bytes, int how) {
  size_t from = 0;
  size_t n;
  for (size_t i = 0; i < bytes; i += n ? n : 1) {
    char buf[8];
    n = weft__utf8_length(text + i, bytes - i);
    const char *as = n ? clean_char((unsigned char)text[i], how, buf) : "\xEF\xBF\xBD";
    if (!as)
      continue;
    if (i > from)
      WEFT_TRY(write(ctx, text + from, i - from));
    WEFT_TRY(weft__write_text(write, ctx, as));
    from = i + 1;
  }
  return bytes > from ? write(ctx, text + from, bytes - from) : WEFT_OK;
}
// SPDX-License-Identifier: Apache-2.0
