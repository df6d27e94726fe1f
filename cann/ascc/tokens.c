// tokens.c - C++ as a row of tokens. One walk over the text; nothing is looked up, nothing is kept but the
// row.
#include "tokens.h"

#include <stdlib.h>
#include <string.h>

// Where the walk is.
typedef struct reader {
  ascc_tokens *out;
  const char *text;
  size_t bytes;
  size_t i;
  uint32_t line;
  uint32_t file;
  bool line_start;  // nothing but spaces stood in this line so far
  bool failed;
} reader;

static int reader_at(const reader *r, size_t i) {
  return i < r->bytes ? (unsigned char)r->text[i] : -1;
}
static bool reader_digit(int c) {
  return c >= '0' && c <= '9';
}
static bool reader_name_start(int c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || c == '$' || c >= 128;
}
static bool reader_name(int c) {
  return reader_name_start(c) || reader_digit(c);
}
// The bytes of a line's end that a backslash hides; 0: there is none at i.
static size_t reader_spliced(const reader *r, size_t i) {
  if (reader_at(r, i) != '\\')
    return 0;
  if (reader_at(r, i + 1) == '\n')
    return 2;
  return reader_at(r, i + 1) == '\r' && reader_at(r, i + 2) == '\n' ? 3 : 0;
}

// To byte `end`; counts the lines between.
static void reader_go(reader *r, size_t end) {
  for (; r->i < end && r->i < r->bytes; r->i++) {
    if (r->text[r->i] != '\n')
      continue;
    r->failed |= r->line == UINT32_MAX;
    r->line++;
  }
}

// ---- where things end ----

static size_t reader_comment_end(const reader *r, size_t i) {
  for (i += 2; i < r->bytes; i++) {
    if (r->text[i] == '*' && reader_at(r, i + 1) == '/')
      return i + 2;
  }
  return r->bytes;
}
// The end of the line, which a backslash may carry on.
static size_t reader_line_end(const reader *r, size_t i) {
  while (i < r->bytes && r->text[i] != '\n') {
    const size_t spliced = reader_spliced(r, i);
    i += spliced ? spliced : 1;
  }
  return i;
}
static size_t reader_quoted_end(const reader *r, size_t i) {
  const char quote = r->text[i++];
  while (i < r->bytes && r->text[i] != quote) {
    if (r->text[i] == '\n')
      return i;  // not closed: the compiler will say so
    const size_t spliced = reader_spliced(r, i);
    if (spliced)
      i += spliced;
    else
      i += r->text[i] == '\\' ? 2 : 1;
  }
  return i < r->bytes ? i + 1 : r->bytes;
}
// i: at the quote of R"mark( ... )mark".
static size_t reader_raw_end(const reader *r, size_t i) {
  const size_t mark = i + 1;
  size_t n = 0;
  while (mark + n < r->bytes && n <= 16 && r->text[mark + n] != '(')
    n++;
  if (mark + n >= r->bytes || n > 16)
    return reader_quoted_end(r, i);
  for (size_t j = mark + n + 1; j + n + 1 < r->bytes; j++) {
    const bool closes = r->text[j] == ')' && r->text[j + n + 1] == '"';
    if (closes && !memcmp(r->text + j + 1, r->text + mark, n))
      return j + n + 2;
  }
  return r->bytes;
}
// 1'000, 0x1p-3, 1e+5, .5f
static size_t reader_number_end(const reader *r, size_t i) {
  while (i < r->bytes) {
    const int c = reader_at(r, i);
    const int next = reader_at(r, i + 1);
    const bool exponent = c == 'e' || c == 'E' || c == 'p' || c == 'P';
    if (exponent && (next == '+' || next == '-'))
      i += 2;
    else if (c == '\'' && reader_name(next))
      i += 2;
    else if (reader_name(c) || c == '.')
      i++;
    else
      break;
  }
  return i;
}
static size_t reader_name_end(const reader *r, size_t i) {
  while (i < r->bytes && reader_name(reader_at(r, i)))
    i++;
  return i;
}

// ---- directives ----

static uint32_t reader_file(reader *r, const char *name, size_t n) {
  ascc_text_add(&r->out->files, name, n);
  ascc_text_add(&r->out->files, "", 1);
  r->failed |= r->out->files.failed;
  return r->out->n_files++;
}
static size_t reader_spaces(const reader *r, size_t i) {
  while (reader_at(r, i) == ' ' || reader_at(r, i) == '\t')
    i++;
  return i;
}
// A name in one line, without a zero: others come from no preprocessor.
static bool reader_file_name(const reader *r, size_t i, size_t n) {
  return !memchr(r->text + i, '\n', n) && !memchr(r->text + i, 0, n);
}
// `# 12 "file" 3` and `#line 12 "file"`: the next line is line 12 of that file.
static bool reader_line_directive(reader *r, size_t i, size_t end) {
  i = reader_spaces(r, i + 1);
  if (end - i > 4 && !memcmp(r->text + i, "line", 4))
    i = reader_spaces(r, i + 4);
  uint64_t line = 0;
  const size_t digits = i;
  while (reader_digit(reader_at(r, i)) && line < UINT32_MAX)
    line = line * 10 + (uint64_t)(r->text[i++] - '0');
  if (i == digits || i >= end || line >= UINT32_MAX)
    return false;
  i = reader_spaces(r, i);
  if (reader_at(r, i) == '"' && i < end) {
    const size_t close = reader_quoted_end(r, i);
    const size_t n = close - i >= 2 ? close - i - 2 : 0;
    if (close <= end && n && reader_file_name(r, i + 1, n))
      r->file = reader_file(r, r->text + i + 1, n);
  }
  r->i = end < r->bytes ? end + 1 : end;
  r->line = (uint32_t)line;
  return true;
}
static void reader_directive(reader *r) {
  size_t end = r->i;
  while (end < r->bytes && r->text[end] != '\n') {
    const size_t spliced = reader_spliced(r, end);
    if (r->text[end] == '/' && reader_at(r, end + 1) == '*')
      end = reader_comment_end(r, end);
    else
      end += spliced ? spliced : 1;
  }
  if (!reader_line_directive(r, r->i, end))
    reader_go(r, end);
}

// ---- tokens ----

static void reader_add(reader *r, ascc_kind kind, size_t end) {
  ascc_tokens *out = r->out;
  if (out->count == out->room) {
    const size_t room = out->room ? out->room * 2 : 256;
    ascc_token *at = realloc(out->at, room * sizeof *at);
    if (!at) {
      r->failed = true;
      return;
    }
    out->at = at;
    out->room = room;
  }
  out->at[out->count++] =
      (ascc_token){.at = r->i, .bytes = end - r->i, .line = r->line, .file = r->file, .kind = kind};
  r->line_start = false;
  reader_go(r, end);
}
// A name may be the prefix of a string.
static void reader_word(reader *r) {
  static const char *const prefixes[] = {"L", "u", "U", "u8", "R", "LR", "uR", "UR", "u8R"};
  const size_t end = reader_name_end(r, r->i);
  const size_t n = end - r->i;
  const int quote = reader_at(r, end);
  bool prefix = false;
  for (size_t k = 0; k < sizeof prefixes / sizeof *prefixes; k++)
    prefix |= strlen(prefixes[k]) == n && !memcmp(prefixes[k], r->text + r->i, n);
  if (prefix && quote == '"' && r->text[end - 1] == 'R')
    reader_add(r, ASCC_STRING, reader_raw_end(r, end));
  else if (prefix && quote == '"')
    reader_add(r, ASCC_STRING, reader_quoted_end(r, end));
  else if (prefix && quote == '\'' && r->text[end - 1] != 'R')
    reader_add(r, ASCC_CHARACTER, reader_quoted_end(r, end));
  else
    reader_add(r, ASCC_NAME, end);
}
static void reader_sign(reader *r) {
  const int c = reader_at(r, r->i);
  const int next = reader_at(r, r->i + 1);
  const bool two = (c == ':' && next == ':') || (c == '-' && next == '>');
  reader_add(r, ASCC_SIGN, r->i + (two ? 2 : 1));
}
// Spaces, comments, directives. false: a token starts here.
static bool reader_skip(reader *r) {
  const int c = reader_at(r, r->i);
  const int next = reader_at(r, r->i + 1);
  const size_t spliced = reader_spliced(r, r->i);
  if (c == '\n') {
    reader_go(r, r->i + 1);
    r->line_start = true;
  } else if (c == ' ' || (c >= '\t' && c <= '\r')) {
    r->i++;
  } else if (spliced) {
    reader_go(r, r->i + spliced);
  } else if (c == '/' && next == '/') {
    reader_go(r, reader_line_end(r, r->i));
  } else if (c == '/' && next == '*') {
    reader_go(r, reader_comment_end(r, r->i));
  } else if (c == '#' && r->line_start) {
    reader_directive(r);
  } else {
    return false;
  }
  return true;
}
static void reader_token(reader *r) {
  const int c = reader_at(r, r->i);
  const bool number = reader_digit(c) || (c == '.' && reader_digit(reader_at(r, r->i + 1)));
  if (reader_name_start(c))
    reader_word(r);
  else if (number)
    reader_add(r, ASCC_NUMBER, reader_number_end(r, r->i));
  else if (c == '"')
    reader_add(r, ASCC_STRING, reader_quoted_end(r, r->i));
  else if (c == '\'')
    reader_add(r, ASCC_CHARACTER, reader_quoted_end(r, r->i));
  else
    reader_sign(r);
}

// A name as a string in C spells it.
static uint32_t reader_first_file(reader *r, const char *file) {
  ascc_text name = {0};
  for (const char *c = file; *c; c++) {
    if (*c == '"' || *c == '\\')
      ascc_text_add(&name, "\\", 1);
    ascc_text_add(&name, c, 1);
  }
  const uint32_t number = reader_file(r, ascc_text_string(&name), name.bytes);
  r->failed |= name.failed;
  ascc_text_free(&name);
  return number;
}

bool ascc_tokens_read(ascc_tokens *out, const char *text, size_t bytes, const char *file) {
  *out = (ascc_tokens){.text = text, .bytes = bytes};
  reader r = {.out = out, .text = text, .bytes = bytes, .line = 1, .line_start = true};
  r.file = reader_first_file(&r, file);
  while (r.i < bytes && !r.failed) {
    if (!reader_skip(&r))
      reader_token(&r);
  }
  r.i = bytes;
  reader_add(&r, ASCC_END, bytes);
  if (!r.failed)
    out->count--;
  return !r.failed;
}
void ascc_tokens_free(ascc_tokens *t) {
  free(t->at);
  ascc_text_free(&t->files);
  *t = (ascc_tokens){0};
}
const char *ascc_file_of(const ascc_tokens *t, const ascc_token *token) {
  const char *name = t->files.at;
  for (uint32_t i = 0; i < token->file; i++)
    name += strlen(name) + 1;
  return name;
}
bool ascc_is(const ascc_tokens *t, size_t i, const char *what) {
  if (i >= t->count)
    return false;
  const size_t n = strlen(what);
  return t->at[i].bytes == n && !memcmp(t->text + t->at[i].at, what, n);
}
// SPDX-License-Identifier: Apache-2.0
