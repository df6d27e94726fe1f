// parse_type.c - types of values in the text form: dtype, shape, formats, storage shape, range, place; and
// symbols.
//   type = ["seq" | "opt" | "resource"] "(" type ")"  |  dtype [shape] [formats] ["storage" shape] ["range"
//   ranges] ["device"]
#include "ir/text.h"
#include "tensor/scan.h"
#include "tensor/symbols.h"
#include "tensor/tensor.h"

// ---- shapes ----

// Bytes of a dim: up to ',' or ']' outside parentheses and quotes. A line's end stops it, so that errors stay
// near.
static size_t dim_bytes(const weft_lexer *l, const char *ends) {
  size_t at = l->at;
  int open = 0;
  bool quoted = false;
  for (; at < l->bytes && l->text[at] != '\n'; at++) {
    char c = l->text[at];
    if (quoted && c == '\\')
      at++;
    else if (c == '"')
      quoted = !quoted;
    else if (quoted)
      continue;
    else if (open <= 0 && c && strchr(ends, c))
      break;
    else if (c == '(')
      open++;
    else if (c == ')')
      open--;
  }
  return WEFT_MIN(at, l->bytes) - l->at;
}

static bool says_unknown(const char *text, size_t n) {
  while (n && strchr(" \t\r", text[n - 1]) && text[n - 1])
    n--;
  return (n == 1 && text[0] == '?') || (n == 2 && !memcmp(text, "-1", 2));
}

// Expressions that the pool cannot hold would become -1 without a word; here they are errors.
static weft_status parse_dim(weft_lexer *l, weft_symbols *pool, const char *ends, weft_dim *out) {
  weft_diag own = {0};
  size_t n = dim_bytes(l, ends);
  weft_status s = weft_dim_parse(pool, l->text + l->at, n, out, &own);
  if (s)
    return weft__lex_fail(l, l->at, s, "%s", own.text);
  if (*out == WEFT_DIM_UNKNOWN && !says_unknown(l->text + l->at, n)) {
    return weft__lex_fail(l, l->at, WEFT_E_LIMIT,
                          "dim '%.*s' cannot be kept: over a limit, negative, or out of memory",
                          (int)WEFT_MIN(n, 60), l->text + l->at);
  }
  l->at += n;
  return WEFT_OK;
}

weft_status weft__parse_shape(weft_lexer *l, weft_symbols *pool, weft_shape *out) {
  weft_shape_set_scalar(out);
  bool lone_question = false;
  WEFT_TRY(weft__lex_expect(l, '[', "before dims"));
  if (weft__lex_char(l, ']'))
    return WEFT_OK;
  do {
    weft_dim v;
    lone_question = weft__lex_peek(l) == '?' && !out->rank;
    size_t at = l->at;
    WEFT_TRY(parse_dim(l, pool, ",]", &v));
    if (weft_shape_append(out, v))
      return weft__lex_fail(l, at, WEFT_E_LIMIT, "a shape of more than %d dims", WEFT_MAX_RANK);
  } while (weft__lex_char(l, ','));
  if (lone_question && out->rank == 1)
    weft_shape_set_unknown_rank(out);
  return weft__lex_expect(l, ']', "behind dims");
}

// "[1..8,3..*]"; a single number stands for both ends.
static weft_status parse_ranges(weft_lexer *l, weft_tensor_desc *out) {
  weft_shape_set_scalar(&out->min);
  weft_shape_set_scalar(&out->max);
  WEFT_TRY(weft__lex_expect(l, '[', "before ranges"));
  if (!weft__lex_char(l, ']')) {
    do {
      int64_t min;
      int64_t max;
      WEFT_TRY(weft__lex_int(l, &min));
      max = min;
      if (weft__lex_char(l, '.')) {
        WEFT_TRY(weft__lex_expect(l, '.', "in a range"));
        if (weft__lex_char(l, '*'))
          max = -1;
        else
          WEFT_TRY(weft__lex_int(l, &max));
      }
      if (weft_shape_append(&out->min, min) || weft_shape_append(&out->max, max))
        return weft__lex_fail(l, l->at, WEFT_E_LIMIT, "a range of more than %d dims", WEFT_MAX_RANK);
    } while (weft__lex_char(l, ','));
    WEFT_TRY(weft__lex_expect(l, ']', "behind ranges"));
  }
  out->has_range = 1;
  return WEFT_OK;
}

// ---- formats ----

// "FRACTAL_Z:240(C0=16)"
static weft_status parse_format(weft_lexer *l, weft_format *out) {
  size_t from = l->at;
  size_t n = 0;
  size_t left = l->bytes - from;
  const char *text = l->text + from;
  while (n < left &&
         (weft__is_alpha((unsigned char)text[n]) || weft__is_digit((unsigned char)text[n]) || text[n] == ':'))
    n++;
  size_t name = n;
  if (n < left && text[n] == '(') {
    while (n < left && text[n] != ')' && text[n] != '\n')
      n++;
    n += n < left && text[n] == ')';
  }
  *out = weft_format_parse(text, n);
  bool reserved = name == 15 && !memcmp(text, "FORMAT_RESERVED", 15);
  if (*out == WEFT_FORMAT_RESERVED && !reserved)
    return weft__lex_fail(l, from, WEFT_E_FORMAT, "'%.*s' is not a format", (int)WEFT_MIN(n, 40), text);
  l->at += n;
  return WEFT_OK;
}

weft_status weft__parse_formats(weft_lexer *l, weft_format *origin, weft_format *storage, bool *out_found) {
  int c = weft__lex_peek(l);
  *out_found = c >= 'A' && c <= 'Z';
  if (!*out_found)
    return WEFT_OK;
  WEFT_TRY(parse_format(l, origin));
  *storage = *origin;
  if (l->at < l->bytes && l->text[l->at] == '/' && !(l->bytes - l->at >= 2 && l->text[l->at + 1] == '/')) {
    l->at++;
    WEFT_TRY(parse_format(l, storage));
  }
  return WEFT_OK;
}

// ---- types ----

static weft_status parse_dtype(weft_lexer *l, weft_dtype *out) {
  char here[40];
  weft__lex_peek(l);
  size_t n = 0;
  const char *text = l->text + l->at;
  while (l->at + n < l->bytes &&
         (weft__is_alpha((unsigned char)text[n]) || (n && weft__is_digit((unsigned char)text[n]))))
    n++;
  *out = weft_dtype_parse(text, n);
  bool undefined = n == 9 && !memcmp(text, "undefined", 9);
  if (!n || (*out == WEFT_UNDEFINED && !undefined))
    return weft__lex_fail(l, l->at, WEFT_E_DTYPE, "expected a dtype, got %s", weft__lex_here(l, here));
  l->at += n;
  return WEFT_OK;
}

static uint8_t take_kind(weft_lexer *l) {
  for (uint8_t kind = WEFT_KIND_TENSOR + 1; kind < WEFT__KINDS; kind++) {
    size_t before = l->at;
    if (weft__lex_word(l, weft__kind_mark(kind))) {
      if (weft__lex_char(l, '('))
        return kind;
      l->at = before;
    }
  }
  return WEFT_KIND_TENSOR;
}

static weft_status parse_plain_type(weft_lexer *l, weft_symbols *pool, weft_tensor_desc *out) {
  bool found;
  weft_shape *origin = &out->layout.origin;
  origin->rank = WEFT_RANK_UNSET;
  WEFT_TRY(parse_dtype(l, &out->dtype));
  if (weft__lex_peek(l) == '[')
    WEFT_TRY(weft__parse_shape(l, pool, origin));
  WEFT_TRY(weft__parse_formats(l, &out->origin_format, &out->format, &found));
  weft_shape_copy(&out->layout.storage, origin);
  if (weft__lex_word(l, "storage"))
    WEFT_TRY(weft__parse_shape(l, pool, &out->layout.storage));
  if (weft__lex_word(l, "range"))
    WEFT_TRY(parse_ranges(l, out));
  if (weft__lex_word(l, "device"))
    out->placement = WEFT_ON_DEVICE;
  return WEFT_OK;
}

weft_status weft__parse_type(weft_lexer *l, weft_symbols *pool, weft_tensor_desc *out) {
  weft_desc_init(out);
  weft__lex_peek(l);
  out->kind = take_kind(l);
  WEFT_TRY(parse_plain_type(l, pool, out));
  return out->kind == WEFT_KIND_TENSOR ? WEFT_OK : weft__lex_expect(l, ')', "behind a type");
}

// ---- symbols ----

weft_status weft__parse_symbol(weft_lexer *l, weft_symbols *pool) {
  const char *name;
  size_t at;
  int64_t min = 0;
  int64_t max = -1;
  weft_dim v;
  if (weft__lex_char(l, '(')) {
    WEFT_TRY(parse_dim(l, pool, ")", &v));
    return weft__lex_expect(l, ')', "behind an expression");
  }
  WEFT_TRY(weft__lex_name(l, "the name of a symbol", &name, &at));
  if (weft__lex_char(l, '[')) {
    WEFT_TRY(weft__lex_int(l, &min));
    WEFT_TRY(weft__lex_expect(l, ',', "between the bounds of a symbol"));
    if (!weft__lex_char(l, '*'))
      WEFT_TRY(weft__lex_int(l, &max));
    WEFT_TRY(weft__lex_expect(l, ']', "behind the bounds of a symbol"));
  }
  if (min < 0 || max < -1 || (max >= 0 && max < min)) {
    return weft__lex_fail(l, at, WEFT_E_RANGE, "symbol '%s': bounds [%lld,%lld], expected 0 <= least <= most",
                          name, (long long)min, (long long)max);
  }
  if (strlen(name) > WEFT__SYMBOL_NAME) {
    return weft__lex_fail(l, at, WEFT_E_LIMIT, "the name of a symbol has %zu bytes, at most %d", strlen(name),
                          WEFT__SYMBOL_NAME);
  }
  if (weft_dim_symbol(pool, name, strlen(name), min, max) == WEFT_DIM_UNKNOWN)
    return weft__lex_fail(l, at, WEFT_E_NOMEM, "symbol '%s': out of memory", name);
  return WEFT_OK;
}
// SPDX-License-Identifier: Apache-2.0
