// symbols_text.c - symbolic dims as text: "N+5", "2*seq", "floordiv(H+1,2)", "max(N,1)", and back.
//   sum = ["-"] product {("+"|"-") product}    product = factor {"*" factor}
//   factor = integer | name | "(" sum ")" | (floordiv|ceildiv)(sum, integer) | (max|min)(sum {, sum})
// A name that is no identifier is quoted. What is printed reads back to the same handle. Depth is bounded
// both ways.
#include "tensor/symbols.h"

enum { PARSE_DEPTH = 16 };

// ---- printing ----

static bool plain_name(const char *name, size_t bytes) {
  for (size_t i = 0; i < bytes; i++) {
    if (!weft__is_alpha((unsigned char)name[i]) && (i == 0 || !weft__is_digit((unsigned char)name[i])))
      return false;
  }
  return true;
}

static void append_name(const weft__atom *a, char *buf, size_t cap, size_t *at) {
  if (plain_name(a->name, a->name_bytes)) {
    weft__append(buf, cap, at, "%.*s", (int)a->name_bytes, a->name);
    return;
  }
  weft__append(buf, cap, at, "\"");
  for (size_t i = 0; i < a->name_bytes; i++) {
    unsigned char c = (unsigned char)a->name[i];
    if (c == '"' || c == '\\')
      weft__append(buf, cap, at, "\\%c", c);
    else if (c < 32)
      weft__append(buf, cap, at, "\\u%04x", (unsigned)c);
    else
      weft__append(buf, cap, at, "%c", c);
  }
  weft__append(buf, cap, at, "\"");
}

static void append_expr(const weft_symbols *p, const weft__expr *e, char *buf, size_t cap, size_t *at);

static void append_atom(const weft_symbols *p, const weft__atom *a, char *buf, size_t cap, size_t *at) {
  static const char *const name[] = {"", "floordiv", "max", "min"};
  if (a->kind == WEFT__ATOM_NAME) {
    append_name(a, buf, cap, at);
    return;
  }
  weft__append(buf, cap, at, "%s(", name[a->kind]);
  for (size_t i = 0; i < a->n_args; i++) {
    if (i)
      weft__append(buf, cap, at, ",");
    append_expr(p, p->exprs.v[a->args[i]], buf, cap, at);
  }
  if (a->kind == WEFT__ATOM_FLOORDIV)
    weft__append(buf, cap, at, ",%lld", (long long)a->by);
  weft__append(buf, cap, at, ")");
}

static void append_expr(const weft_symbols *p, const weft__expr *e, char *buf, size_t cap, size_t *at) {
  for (uint32_t i = 0; i < e->n; i++) {
    const weft__term *t = &e->term[i];
    uint64_t size = t->coef < 0 ? 0 - (uint64_t)t->coef : (uint64_t)t->coef;
    weft__append(buf, cap, at, "%s", t->coef < 0 ? "-" : i ? "+" : "");
    if (size != 1)
      weft__append(buf, cap, at, "%llu*", (unsigned long long)size);
    for (uint32_t k = 0; k < t->degree; k++) {
      if (k)
        weft__append(buf, cap, at, "*");
      append_atom(p, p->atoms.v[t->atom[k]], buf, cap, at);
    }
  }
  if (e->constant || !e->n)
    weft__append(buf, cap, at, "%s%lld", e->n && e->constant > 0 ? "+" : "", (long long)e->constant);
}

void weft__dim_append(const weft_symbols *p, weft_dim d, char *buf, size_t cap, size_t *at) {
  size_t index;
  if (weft__symbol_index(p, d, &index))
    append_expr(p, p->exprs.v[index], buf, cap, at);
  else
    weft__append(buf, cap, at, "%lld", weft_dim_is_symbol(d) ? -1LL : (long long)d);
}

const char *weft_dim_text(const weft_symbols *p, weft_dim d, char *buf, size_t cap) {
  size_t at = 0;
  weft__dim_append(p, d, buf, cap, &at);
  return buf;
}

// ---- reading ----

typedef struct parser {
  weft_scan s;
  weft_symbols *p;
  weft_text name;  // scratch for quoted names
} parser;

static weft_status parse_sum(parser *q, int depth, weft__poly *out);

static weft_status parse_int(parser *q, int64_t *out) {
  const char *text;
  q->s.what = "dim";
  weft__scan_space(&q->s);
  size_t from = q->s.at;
  size_t n = 0;
  text = q->s.text + from;
  while (weft__is_digit(weft__scan_peek(&q->s))) {
    q->s.at++;
    n++;
  }
  if (n && weft__token_i64(text, n, out))
    return WEFT_OK;
  q->s.at = from;
  return weft__scan_fail(&q->s, WEFT_E_SYNTAX, n ? "a number over 2^63-1" : "expected a number or a name");
}

static weft_status parse_function(parser *q, int depth, const char *name, size_t bytes, weft__poly *out) {
  bool ceil = bytes == 7 && !memcmp(name, "ceildiv", 7);
  bool max = !memcmp(name, "max", 3);
  WEFT_TRY(parse_sum(q, depth + 1, out));
  if (bytes > 3) {
    int64_t by;
    if (!weft__scan_char(&q->s, ','))
      return weft__scan_fail(&q->s, WEFT_E_SYNTAX, "expected ',' and the divisor");
    WEFT_TRY(parse_int(q, &by));
    if (by < 1) {
      return weft__scan_fail(&q->s, WEFT_E_SYNTAX, "expected a divisor of at least 1, got %lld",
                             (long long)by);
    }
    if (ceil && !weft__add_i64(out->constant, by - 1, &out->constant))
      out->unknown = true;
    weft__poly_floordiv(q->p, out, by);
  } else {
    while (weft__scan_char(&q->s, ',')) {
      weft__poly next;
      WEFT_TRY(parse_sum(q, depth + 1, &next));
      weft__poly_extremum(q->p, max ? WEFT__ATOM_MAX : WEFT__ATOM_MIN, out, &next);
    }
  }
  if (!weft__scan_char(&q->s, ')'))
    return weft__scan_fail(&q->s, WEFT_E_SYNTAX, "expected ',' or ')'");
  return WEFT_OK;
}

static bool is_function(const char *name, size_t n) {
  return (n == 3 && (!memcmp(name, "max", 3) || !memcmp(name, "min", 3))) ||
         (n == 8 && !memcmp(name, "floordiv", 8)) || (n == 7 && !memcmp(name, "ceildiv", 7));
}

static weft_status parse_factor(parser *q, int depth, weft__poly *out) {
  const char *name;
  int64_t v;
  if (weft__scan_char(&q->s, '(')) {
    WEFT_TRY(parse_sum(q, depth + 1, out));
    return weft__scan_char(&q->s, ')') ? WEFT_OK : weft__scan_fail(&q->s, WEFT_E_SYNTAX, "expected ')'");
  }
  size_t n = weft__scan_ident(&q->s, &name);
  if (n && is_function(name, n) && weft__scan_char(&q->s, '('))
    return parse_function(q, depth, name, n, out);
  if (!n && weft__scan_peek(&q->s) == '"') {
    WEFT_TRY(weft__scan_string(&q->s, &q->name));
    name = q->name.v;
    n = q->name.n;
    if (!n)
      return weft__scan_fail(&q->s, WEFT_E_SYNTAX, "an empty name");
  }
  if (n) {
    if (n > WEFT__SYMBOL_NAME)
      return weft__scan_fail(&q->s, WEFT_E_SYNTAX, "a name of %zu bytes, at most %d", n, WEFT__SYMBOL_NAME);
    weft__poly_load(q->p, weft_dim_symbol(q->p, name, n, 0, -1), out);
    return WEFT_OK;
  }
  WEFT_TRY(parse_int(q, &v));
  weft__poly_constant(out, v);
  return WEFT_OK;
}

static weft_status parse_product(parser *q, int depth, weft__poly *out) {
  WEFT_TRY(parse_factor(q, depth, out));
  while (weft__scan_char(&q->s, '*')) {
    weft__poly left = *out;
    weft__poly right;
    WEFT_TRY(parse_factor(q, depth, &right));
    weft__poly_mul(out, &left, &right);
  }
  return WEFT_OK;
}

static weft_status parse_sum(parser *q, int depth, weft__poly *out) {
  if (depth > PARSE_DEPTH)
    return weft__scan_fail(&q->s, WEFT_E_SYNTAX, "nested deeper than %d", PARSE_DEPTH);
  weft__poly next;
  int64_t times = weft__scan_char(&q->s, '-') ? -1 : 1;
  weft__poly_constant(out, 0);
  for (;;) {
    WEFT_TRY(parse_product(q, depth, &next));
    weft__poly_add(out, &next, times);
    if (weft__scan_char(&q->s, '+'))
      times = 1;
    else if (weft__scan_char(&q->s, '-'))
      times = -1;
    else
      return WEFT_OK;
  }
}

weft_status weft_dim_parse(weft_symbols *p, const char *text, size_t bytes, weft_dim *out, weft_diag *d) {
  WEFT_NEED_LIST(d, text, bytes);
  WEFT_NEED(d, out);
  parser q = {.s = {.text = text, .bytes = bytes, .what = "dim", .d = d}, .p = p};
  weft_allocator alloc = p ? p->alloc : weft_allocator_default();
  weft__poly sum;
  weft__scan_space(&q.s);
  while (q.s.bytes > q.s.at && strchr(" \t\r\n", text[q.s.bytes - 1]) && text[q.s.bytes - 1])
    q.s.bytes--;
  size_t n = q.s.bytes - q.s.at;
  if ((n == 1 && text[q.s.at] == '?') || (n == 2 && !memcmp(text + q.s.at, "-1", 2))) {
    *out = WEFT_DIM_UNKNOWN;
    return WEFT_OK;
  }
  weft__text_init(&q.name, &alloc);
  weft_status st = parse_sum(&q, 0, &sum);
  weft__text_deinit(&q.name);
  WEFT_TRY(st);
  if (q.s.at != q.s.bytes)
    return weft__scan_fail(&q.s, WEFT_E_SYNTAX,
                           "expected a number, a name or an expression, and nothing behind it");
  if (!sum.unknown && sum.n == 0 && sum.constant < 0) {
    return weft__scan_fail(&q.s, WEFT_E_SYNTAX, "a dim is -1, ? or not negative, got %lld",
                           (long long)sum.constant);
  }
  *out = weft__poly_finish(p, &sum);
  return WEFT_OK;
}
// SPDX-License-Identifier: Apache-2.0
