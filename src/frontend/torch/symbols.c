// symbols.c - sizes that are expressions. They are written as sympy's srepr, "Add(Mul(Integer(2),
// Symbol('s10', positive=True, integer=True)), Integer(1))". Symbols become symbols of the graph: equal names
// are equal sizes. An expression that is not read is an unknown size.
#include "frontend/torch/torch.h"

enum { SYMBOLS_DEPTH = 16 };

typedef struct symbols {
  pt_import *m;
  const char *at;
  int depth;
} symbols;

static void symbols_space(symbols *s) {
  while (*s->at == ' ' || *s->at == ',')
    s->at++;
}

static bool symbols_take(symbols *s, const char *word) {
  size_t n = strlen(word);
  symbols_space(s);
  if (strncmp(s->at, word, n))
    return false;
  s->at += n;
  return true;
}

static bool symbols_integer(symbols *s, int64_t *out) {
  symbols_space(s);
  bool minus = *s->at == '-';
  s->at += minus;
  if (*s->at < '0' || *s->at > '9')
    return false;
  int64_t v = 0;
  for (; *s->at >= '0' && *s->at <= '9'; s->at++) {
    if (!weft__mul_i64(v, 10, &v) || !weft__add_i64(v, *s->at - '0', &v))
      return false;
  }
  *out = minus ? -v : v;
  return true;
}

// The end of range_constraints for a symbol.
static int64_t symbols_bound(const weft_json *range, const char *key, int64_t dflt) {
  const weft_json *v = weft__json_get(range, key);
  return v && v->kind == WEFT_JSON_NUMBER && v->is_int && v->i >= 0 ? v->i : dflt;
}

static bool symbols_name(symbols *s, weft_dim *out) {
  char name[128];
  if (*s->at != '\'')
    return false;
  const char *from = s->at + 1;
  const char *end = strchr(from, '\'');
  if (!end || end == from || (size_t)(end - from) >= sizeof name)
    return false;
  size_t n = (size_t)(end - from);
  memcpy(name, from, n);
  name[n] = 0;
  const weft_json *range = weft__json_get(weft__json_get(s->m->program, "range_constraints"), name);
  int64_t most = symbols_bound(range, "max_val", -1);
  int64_t least = symbols_bound(range, "min_val", 0);
  if (least <= 2)  // torch.export writes 2 of any size and runs the program with 0 and 1, too
    least = 0;
  *out = weft_dim_symbol(weft_graph_symbols(s->m->f.g), name, n, least, most < least ? -1 : most);
  s->at = end + 1 + strcspn(end + 1, ")");
  if (*s->at != ')')
    return false;
  s->at++;
  return true;
}

static bool symbols_value(symbols *s, weft_dim *out, int64_t *number, bool *is_number);

// Sums and products of what is read; a negative number in a sum, too.
static bool symbols_fold(symbols *s, bool product, weft_dim *out) {
  weft_symbols *pool = weft_graph_symbols(s->m->f.g);
  weft_dim all = -1;
  int64_t number = product ? 1 : 0;
  bool any = false;
  while (!symbols_take(s, ")")) {
    weft_dim d;
    int64_t v;
    bool is_number;
    if (!*s->at || !symbols_value(s, &d, &v, &is_number))
      return false;
    if (is_number) {
      if (!(product ? weft__mul_i64(number, v, &number) : weft__add_i64(number, v, &number)))
        return false;
      continue;
    }
    all = !any ? d : product ? weft_dim_mul(pool, all, d) : weft_dim_add(pool, all, d);
    any = true;
  }
  if (!any)
    all = product ? 1 : 0;
  if (product && number < 0)
    return false;
  *out = product       ? weft_dim_mul(pool, all, number)
         : number >= 0 ? weft_dim_add(pool, all, number)
                       : weft_dim_sub(pool, all, -number);
  return *out != -1;
}

static bool symbols_floordiv(symbols *s, weft_dim *out) {
  weft_dim a;
  weft_dim b;
  int64_t by;
  int64_t v;
  bool number;
  if (!symbols_value(s, &a, &v, &number) || number || !symbols_value(s, &b, &by, &number) || !number ||
      by < 1 || !symbols_take(s, ")"))
    return false;
  *out = weft_dim_floordiv(weft_graph_symbols(s->m->f.g), a, by);
  return *out != -1;
}

static bool symbols_value(symbols *s, weft_dim *out, int64_t *number, bool *is_number) {
  *is_number = false;
  if (s->depth >= SYMBOLS_DEPTH)
    return false;
  s->depth++;
  bool read = false;
  if (symbols_take(s, "Integer(")) {
    *is_number = true;
    read = symbols_integer(s, number) && symbols_take(s, ")");
  } else if (symbols_take(s, "Symbol("))
    read = symbols_name(s, out);
  else if (symbols_take(s, "Add("))
    read = symbols_fold(s, false, out);
  else if (symbols_take(s, "Mul("))
    read = symbols_fold(s, true, out);
  else if (symbols_take(s, "FloorDiv("))
    read = symbols_floordiv(s, out);
  s->depth--;
  return read;
}

weft_dim pt_dim(pt_import *m, const weft_json *size) {
  const weft_json *v = weft__json_get(size, "as_int");
  if (v && v->kind == WEFT_JSON_NUMBER && v->is_int)
    return v->i >= 0 ? v->i : -1;
  const char *text = pt_text(weft__json_get(size, "as_expr"), "expr_str");
  symbols s = {.m = m, .at = text};
  weft_dim out;
  int64_t number;
  bool is_number;
  if (!text || !symbols_value(&s, &out, &number, &is_number) || *s.at)
    return -1;
  return !is_number ? out : number >= 0 ? number : -1;
}
// SPDX-License-Identifier: Apache-2.0
