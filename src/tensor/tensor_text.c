// tensor_text.c - tensors as one line of text: f32[2,3]{1,2,3,4,5,6}, and back.
//   value   = dtype "[" dims "]" [ "{" list "}" ]  |  ("seq"|"opt") "(" (value {"," value} | dtype | ) ")"
//   list    = [element {"," element}] | "*" element | number ".."
//   element = number | nan | inf | true | false | "(" re "," im ")" | "text"; hexadecimal bits for types
//   without arithmetic
// Without braces a tensor has no data, unless it has no elements. A lone "?" between the brackets is an
// unknown rank. Hostile text: a list is allocated only when the text is long enough to hold it, fills end at
// 2^31 elements.
#include <math.h>
#include <stdlib.h>

#include "base/budget.h"
#include "tensor/scan.h"
#include "tensor/symbols.h"
#include "tensor/tensor.h"

#define FILL_LIMIT (INT64_C(1) << 31)

// ---- printing ----

// A narrow float: its exact value when five digits hold it (448, 0.0625), otherwise the shortest decimal that
// rounds to the same bits (0.1).
static const char *narrow_text(weft_dtype t, const void *data, size_t i, char buf[32]) {
  double v = weft_load_f64(t, data, i), short_v;
  char text[48];
  uint8_t code[2] = {0};
  uint64_t bits = weft__bits_get(t, data, i);
  if (isnan(v) || isinf(v))
    return weft__double_text(v, buf);
  snprintf(text, sizeof text, "%.4e", v);
  if (strtod(text, NULL) == v)
    return weft__double_text(v, buf);
  for (int digits = 1; digits <= 9; digits++) {
    snprintf(text, sizeof text, "%.*e", digits - 1, v);
    short_v = strtod(text, NULL);
    weft_store_f64(t, code, 0, short_v);
    if (weft__bits_get(t, code, 0) == bits)
      return weft__double_text(short_v, buf);
  }
  return weft__double_text(v, buf);
}

static const char *real_text(weft_dtype t, const void *data, size_t i, char buf[32]) {
  if (t == WEFT_FLOAT)
    return weft__float_text((float)weft_load_f64(t, data, i), buf);
  if (t == WEFT_DOUBLE)
    return weft__double_text(weft_load_f64(t, data, i), buf);
  return narrow_text(t, data, i, buf);
}

static weft_status print_element(const weft_tensor *t, weft__class class, size_t i, weft_write_fn write,
                                 void *ctx) {
  char re[32];
  char im[32];
  weft_dtype p = weft__dtype_plain(t->dtype);
  const char *text;
  size_t n;
  switch (class) {
    case WEFT__CLASS_INT:
      return weft__writef(write, ctx, "%lld", (long long)weft_load_i64(p, t->data, i));
    case WEFT__CLASS_UINT:
      return weft__writef(write, ctx, "%llu", (unsigned long long)weft_load_u64(p, t->data, i));
    case WEFT__CLASS_BOOL:
      return weft__write_text(write, ctx, weft_load_i64(p, t->data, i) ? "true" : "false");
    case WEFT__CLASS_FLOAT:
      return weft__write_text(write, ctx, real_text(p, t->data, i, re));
    case WEFT__CLASS_COMPLEX:
      return weft__writef(write, ctx, "(%s,%s)", real_text(p, t->data, 2 * i, re),
                          real_text(p, t->data, 2 * i + 1, im));
    case WEFT__CLASS_STRING:
      WEFT_TRY(weft_tensor_string(t, i, &text, &n, NULL));
      return weft__write_quoted(write, ctx, text, n);
    default:
      return weft__writef(write, ctx, "0x%llx", (unsigned long long)weft__bits_get(t->dtype, t->data, i));
  }
}

static weft_status print(const weft_tensor *t, size_t max_elems, int depth, weft_write_fn write, void *ctx);

static weft_status print_items(const weft_tensor *t, size_t max_elems, int depth, weft_write_fn write,
                               void *ctx) {
  if (depth >= WEFT__TENSOR_DEPTH)
    return WEFT_E_LIMIT;
  // opt(seq(f32)) holds an empty sequence, optseq(f32) none
  bool holds = t->kind == WEFT_KIND_OPTIONAL_SEQUENCE && t->n_items;
  WEFT_TRY(weft__writef(write, ctx, "%s(", holds ? "opt" : weft__kind_mark(t->kind)));
  if (!t->n_items && t->item_dtype != WEFT_UNDEFINED)
    WEFT_TRY(weft__write_text(write, ctx, weft_dtype_name(t->item_dtype)));
  for (size_t i = 0; i < t->n_items; i++) {
    if (i)
      WEFT_TRY(weft__write_text(write, ctx, ","));
    WEFT_TRY(print(t->items[i], max_elems, depth + 1, write, ctx));
  }
  return weft__write_text(write, ctx, ")");
}

static weft_status print(const weft_tensor *t, size_t max_elems, int depth, weft_write_fn write, void *ctx) {
  char shape[640];
  if (weft__kind_has_items(t->kind))
    return print_items(t, max_elems, depth, write, ctx);
  WEFT_TRY(weft__write_text(write, ctx, weft_dtype_name(t->dtype)));
  WEFT_TRY(weft__write_text(write, ctx, weft_shape_text(&t->layout.storage, NULL, shape, sizeof shape)));
  int64_t elems = weft_tensor_elems(t);
  int64_t need = elems < 0 ? -1 : weft_dtype_bytes(elems, t->dtype);
  weft__class class = weft__dtype_class(t->dtype);
  if (elems <= 0 || !t->data || t->placement != WEFT_ON_HOST || class == WEFT__CLASS_NONE)
    return WEFT_OK;
  if (need < 0 || (uint64_t)need > t->bytes)
    return WEFT_E_CORRUPT;
  size_t n = max_elems && max_elems < (size_t)elems ? max_elems : (size_t)elems;
  WEFT_TRY(weft__write_text(write, ctx, "{"));
  for (size_t i = 0; i < n; i++) {
    if (i)
      WEFT_TRY(weft__write_text(write, ctx, ","));
    WEFT_TRY(print_element(t, class, i, write, ctx));
  }
  return weft__write_text(write, ctx, n < (size_t)elems ? ", ...}" : "}");
}

weft_status weft_tensor_print(const weft_tensor *t, size_t max_elems, weft_write_fn write, void *ctx) {
  WEFT_NEED(NULL, t);
  WEFT_NEED(NULL, write);
  return print(t, max_elems, 0, write, ctx);
}

// ---- reading ----

typedef struct reader {
  weft_scan s;
  weft_symbols *pool;
} reader;

// The limits of an integer type: bits of the type, and what a token may hold.
static weft_status store_int(reader *r, weft_dtype t, void *data, size_t i, bool negative, uint64_t v) {
  uint32_t bits = weft_dtype_bits(t);
  bool is_signed = weft_dtype_is_signed(t);
  uint64_t max = UINT64_MAX >> (64 - bits + is_signed);
  if (negative ? v > (is_signed ? max + 1 : 0) : v > max) {
    return weft__scan_fail(&r->s, WEFT_E_RANGE, "%s%llu does not fit %s", negative ? "-" : "",
                           (unsigned long long)v, weft_dtype_name(t));
  }
  weft__bits_put(t, data, i, negative ? 0 - v : v);
  return WEFT_OK;
}

static weft_status parse_real(reader *r, weft_dtype t, void *data, size_t i) {
  const char *text;
  double v = 0;
  float f;
  size_t n = weft__scan_number(&r->s, &text);
  if (t == WEFT_FLOAT) {
    if (!weft__token_f32(text, n, &f)) {
      return weft__scan_fail(&r->s, WEFT_E_SYNTAX, "expected a number in f32's range, got '%.*s'",
                             (int)WEFT_MIN(n, 40), text);
    }
    memcpy((char *)data + i * sizeof f, &f, sizeof f);
    return WEFT_OK;
  }
  if (!weft__token_f64(text, n, &v))
    return weft__scan_fail(&r->s, WEFT_E_SYNTAX, "expected a number, got '%.*s'", (int)WEFT_MIN(n, 40), text);
  weft_store_f64(t, data, i, v);
  double back = weft_load_f64(t, data, i);
  if (!isnan(v) && !isinf(v) && (isnan(back) || isinf(back))) {
    return weft__scan_fail(&r->s, WEFT_E_RANGE, "'%.*s' does not fit %s", (int)WEFT_MIN(n, 40), text,
                           weft_dtype_name(t));
  }
  return WEFT_OK;
}

static weft_status parse_complex(reader *r, weft_dtype part, void *data, size_t i) {
  if (!weft__scan_char(&r->s, '(')) {
    weft__bits_put(part, data, 2 * i + 1, 0);
    return parse_real(r, part, data, 2 * i);
  }
  WEFT_TRY(parse_real(r, part, data, 2 * i));
  if (!weft__scan_char(&r->s, ','))
    return weft__scan_fail(&r->s, WEFT_E_SYNTAX, "expected ',' and the imaginary part");
  WEFT_TRY(parse_real(r, part, data, 2 * i + 1));
  return weft__scan_char(&r->s, ')') ? WEFT_OK : weft__scan_fail(&r->s, WEFT_E_SYNTAX, "expected ')'");
}

// Reads one element that is no string into place `i`.
static weft_status parse_element(reader *r, weft_dtype dtype, weft__class class, void *data, size_t i) {
  weft_dtype t = weft__dtype_plain(dtype);
  if (class == WEFT__CLASS_FLOAT)
    return parse_real(r, t, data, i);
  if (class == WEFT__CLASS_COMPLEX)
    return parse_complex(r, t, data, i);
  const char *text;
  bool negative = false;
  uint64_t v;
  size_t n = weft__scan_number(&r->s, &text);
  if (class == WEFT__CLASS_BOOL && n == 4 && !memcmp(text, "true", 4))
    v = 1;
  else if (class == WEFT__CLASS_BOOL && n == 5 && !memcmp(text, "false", 5))
    v = 0;
  else if (!weft__token_int(text, n, &negative, &v)) {
    return weft__scan_fail(&r->s, WEFT_E_SYNTAX, "expected a value of type %s, got '%.*s'",
                           weft_dtype_name(dtype), (int)WEFT_MIN(n, 40), text);
  }
  if (class == WEFT__CLASS_INT || class == WEFT__CLASS_UINT)
    return store_int(r, t, data, i, negative, v);
  uint32_t bits = class == WEFT__CLASS_BOOL ? 1 : weft_dtype_bits(dtype);
  if (negative || v > UINT64_MAX >> (64 - bits)) {
    return weft__scan_fail(&r->s, WEFT_E_RANGE, "'%.*s' does not fit %s", (int)WEFT_MIN(n, 40), text,
                           weft_dtype_name(dtype));
  }
  weft__bits_put(dtype, data, i, v);
  return WEFT_OK;
}

static weft_status tensor_text_expect(reader *r, char c) {
  return weft__scan_char(&r->s, c) ? WEFT_OK : weft__scan_fail(&r->s, WEFT_E_SYNTAX, "expected '%c'", c);
}

static weft_status count_failed(reader *r, size_t got, size_t elems, const weft_shape *s) {
  char text[256];
  return weft__scan_fail(&r->s, WEFT_E_SHAPE, "shape %s needs %zu values, got %s%zu",
                         weft_shape_text(s, NULL, text, sizeof text), elems, got > elems ? "at least " : "",
                         got);
}

// Every element of a list takes two bytes of text but the last, so `elems` is bounded by what is left.
static weft_status parse_list(reader *r, weft_tensor *t, weft_dtype dtype, const weft_shape *s,
                              size_t elems) {
  weft__class class = weft__dtype_class(dtype);
  size_t n = 0;
  uint32_t steps = 0;
  bool empty = weft__scan_char(&r->s, '}');
  if (empty && elems)
    return count_failed(r, 0, elems, s);
  if (elems > (r->s.bytes - r->s.at) / 2 + 1) {
    return weft__scan_fail(&r->s, WEFT_E_SHAPE, "%zu values do not fit the %zu bytes of text left", elems,
                           r->s.bytes - r->s.at);
  }
  WEFT_TRY(weft_tensor_alloc(t, dtype, s->dim, s->rank, r->s.d));
  if (empty)
    return WEFT_OK;
  do {
    if (n == elems)
      return count_failed(r, n + 1, elems, s);
    WEFT_TRY(weft__budget_step(weft__budget_of(&t->alloc), &steps, r->s.d));
    WEFT_TRY(parse_element(r, dtype, class, t->data, n++));
  } while (weft__scan_char(&r->s, ','));
  WEFT_TRY(tensor_text_expect(r, '}'));
  return n == elems ? WEFT_OK : count_failed(r, n, elems, s);
}

// Element 0 becomes every element.
static void tensor_text_fill(weft_tensor *t, weft_dtype dtype, size_t elems) {
  uint32_t bits = weft_dtype_bits(dtype);
  if (bits % 8) {
    uint64_t v = weft__bits_get(dtype, t->data, 0);
    for (size_t i = 1; i < elems; i++)
      weft__bits_put(dtype, t->data, i, v);
    return;
  }
  char *data = t->data;
  for (size_t done = bits / 8, all = done * elems; done < all;) {
    size_t n = WEFT_MIN(done, all - done);
    memcpy(data + done, data, n);
    done += n;
  }
}

static weft_status count_up(reader *r, weft_tensor *t, weft_dtype dtype, size_t elems, size_t from) {
  weft__class class = weft__dtype_class(dtype);
  weft_dtype p = weft__dtype_plain(dtype);
  if (class == WEFT__CLASS_FLOAT) {
    double first = weft_load_f64(p, t->data, 0);
    for (size_t i = 1; i < elems; i++)
      weft_store_f64(p, t->data, i, first + (double)i);
    return WEFT_OK;
  }
  if (class != WEFT__CLASS_INT && class != WEFT__CLASS_UINT) {
    r->s.at = from;
    return weft__scan_fail(&r->s, WEFT_E_SYNTAX, "only numbers count up, not %s", weft_dtype_name(dtype));
  }
  bool is_signed = class == WEFT__CLASS_INT;
  int64_t first = is_signed ? weft_load_i64(p, t->data, 0) : 0;
  uint64_t base = is_signed ? (uint64_t)first : weft_load_u64(p, t->data, 0);
  uint64_t max = UINT64_MAX >> (64 - weft_dtype_bits(p) + is_signed);
  if (elems - 1 > max - base)  // modulo 2^64: right for a negative base too
    return weft__scan_fail(&r->s, WEFT_E_RANGE, "counting up over %zu elements leaves %s", elems,
                           weft_dtype_name(dtype));
  for (size_t i = 1; i < elems; i++)
    weft__bits_put(p, t->data, i, base + i);
  return WEFT_OK;
}

static weft_status limit_fill(reader *r, int64_t elems, size_t each_bytes) {
  if (elems <= FILL_LIMIT && (each_bytes == 0 || (uint64_t)elems <= SIZE_MAX / each_bytes))
    return WEFT_OK;
  return weft__scan_fail(&r->s, WEFT_E_LIMIT, "a fill of %lld elements, at most %lld", (long long)elems,
                         (long long)FILL_LIMIT);
}

// "*" element "}" or number ".." "}": element 0 is read into a scratch place first, memory comes when it is
// right.
static weft_status parse_fill(reader *r, weft_tensor *t, weft_dtype dtype, const weft_shape *s, size_t elems,
                              bool up) {
  uint64_t first[2] = {0, 0};
  size_t from = r->s.at;
  WEFT_TRY(limit_fill(r, (int64_t)elems, 0));
  WEFT_TRY(parse_element(r, dtype, weft__dtype_class(dtype), first, 0));
  if (up)
    r->s.at += 2;  // ".."
  WEFT_TRY(tensor_text_expect(r, '}'));
  WEFT_TRY(weft_tensor_alloc(t, dtype, s->dim, s->rank, r->s.d));
  if (!elems)
    return WEFT_OK;
  uint32_t bits = weft_dtype_bits(dtype);
  if (bits % 8)
    weft__bits_put(dtype, t->data, 0, weft__bits_get(dtype, first, 0));
  else
    memcpy(t->data, first, bits / 8);
  if (up)
    return count_up(r, t, dtype, elems, from);
  tensor_text_fill(t, dtype, elems);
  return WEFT_OK;
}

// Does the list open with a number and ".."?
static bool counts_up(const reader *r) {
  weft_scan s = r->s;
  const char *text;
  return weft__scan_number(&s, &text) && s.bytes - s.at >= 2 && s.text[s.at] == '.' &&
         s.text[s.at + 1] == '.';
}

typedef struct strings {
  weft_text payload;  // zero-terminated texts, one after the other
  weft_text one;
  WEFT_VEC(weft_string) at;  // places inside the payload
} strings;

static weft_status collect_strings(reader *r, const weft_allocator *a, const weft_shape *s, size_t elems,
                                   bool fills, strings *c) {
  size_t want = fills ? 1 : elems;
  if (!fills && weft__scan_char(&r->s, '}'))
    return elems ? count_failed(r, 0, elems, s) : WEFT_OK;
  do {
    if (c->at.n == want)
      return count_failed(r, c->at.n + 1, elems, s);
    WEFT_TRY(weft__scan_string(&r->s, &c->one));
    if (!WEFT_VEC_ROOM(a, c->at))
      return weft_fail(r->s.d, WEFT_E_NOMEM, "tensor literal: no memory for strings");
    c->at.v[c->at.n++] = (weft_string){(int64_t)c->payload.n, (int64_t)c->one.n};
    weft__text_add(&c->payload, c->one.v ? c->one.v : "", c->one.n);
    weft__text_add(&c->payload, "", 1);
  } while (weft__scan_char(&r->s, ','));
  WEFT_TRY(tensor_text_expect(r, '}'));
  if (c->payload.failed)
    return weft_fail(r->s.d, WEFT_E_NOMEM, "tensor literal: no memory for strings");
  return c->at.n == want ? WEFT_OK : count_failed(r, c->at.n, elems, s);
}

static weft_status parse_strings(reader *r, weft_tensor *t, weft_dtype dtype, const weft_shape *s,
                                 size_t elems) {
  strings c = {0};
  weft_allocator alloc = t->alloc;
  bool fills = weft__scan_char(&r->s, '*');
  if (fills)
    WEFT_TRY(limit_fill(r, (int64_t)elems, sizeof(weft_string)));
  weft__text_init(&c.payload, &alloc);
  weft__text_init(&c.one, &alloc);
  weft_status st = collect_strings(r, &alloc, s, elems, fills, &c);
  if (!st)
    st = weft__tensor_alloc_strings(t, s->dim, s->rank, c.payload.n, r->s.d);
  if (!st) {
    t->dtype = dtype;
    char *data = t->data;
    size_t heads = elems * sizeof(weft_string);
    if (c.payload.n)
      memcpy(data + heads, c.payload.v, c.payload.n);
    for (size_t i = 0; i < elems; i++) {
      weft_string entry = c.at.v[fills ? 0 : i];
      entry.offset += (int64_t)heads;
      memcpy(data + i * sizeof entry, &entry, sizeof entry);
    }
  }
  WEFT_VEC_FREE(&alloc, c.at);
  weft__text_deinit(&c.one);
  weft__text_deinit(&c.payload);
  return st;
}

// The bytes of the next dim: up to ',' or ']' outside parentheses and quotes.
static size_t dim_bytes(const weft_scan *s) {
  size_t at = s->at;
  int open = 0;
  bool quoted = false;
  for (; at < s->bytes; at++) {
    char c = s->text[at];
    if (quoted) {
      if (c == '\\')
        at++;
      else
        quoted = c != '"';
    } else if (c == '"') {
      quoted = true;
    } else if (c == '(') {
      open++;
    } else if (c == ')') {
      open--;
    } else if (open <= 0 && (c == ',' || c == ']')) {
      break;
    }
  }
  return WEFT_MIN(at, s->bytes) - s->at;
}

static weft_status parse_shape(reader *r, weft_shape *s) {
  weft_shape_set_scalar(s);
  WEFT_TRY(tensor_text_expect(r, '['));
  if (weft__scan_char(&r->s, ']'))
    return WEFT_OK;
  bool lone_question = false;
  do {
    weft_dim v;
    weft__scan_space(&r->s);
    size_t n = dim_bytes(&r->s);
    weft_status st = weft_dim_parse(r->pool, r->s.text + r->s.at, n, &v, r->s.d);
    if (st)
      weft_note(r->s.d, "in dim %zu of a tensor literal, byte %zu", s->rank, r->s.at);
    WEFT_TRY(st);
    lone_question = s->rank == 0 && r->s.text[r->s.at] == '?';
    r->s.at += n;
    if (weft_shape_append(s, v))
      return weft__scan_fail(&r->s, WEFT_E_LIMIT, "more than %d dims", WEFT_MAX_RANK);
  } while (weft__scan_char(&r->s, ','));
  if (lone_question)
    weft_shape_set_unknown_rank(s);
  return tensor_text_expect(r, ']');
}

static weft_status parse_tensor(reader *r, weft_tensor *t, weft_dtype dtype) {
  weft_shape s;
  int64_t elems;
  char text[256];
  weft__class class = weft__dtype_class(dtype);
  WEFT_TRY(parse_shape(r, &s));
  weft_status st = weft_shape_elems(&s, &elems);
  if (st) {
    return weft__scan_fail(&r->s, st, "the elements of %s overflow",
                           weft_shape_text(&s, NULL, text, sizeof text));
  }
  if (weft__scan_peek(&r->s) != '{') {
    if (elems == 0 && class != WEFT__CLASS_NONE)
      return weft_tensor_alloc(t, dtype, s.dim, s.rank, r->s.d);
    return weft__tensor_describe(t, dtype, s.dim, s.rank, r->s.d);
  }
  r->s.at++;
  if (elems < 0) {
    return weft__scan_fail(&r->s, WEFT_E_SHAPE, "values need a known shape, got %s",
                           weft_shape_text(&s, r->pool, text, sizeof text));
  }
  if (class == WEFT__CLASS_NONE)
    return weft__scan_fail(&r->s, WEFT_E_DTYPE, "%s has no values", weft_dtype_name(dtype));
  if (class == WEFT__CLASS_STRING)
    return parse_strings(r, t, dtype, &s, (size_t)elems);
  if (weft__scan_char(&r->s, '*'))
    return parse_fill(r, t, dtype, &s, (size_t)elems, false);
  if (counts_up(r))
    return parse_fill(r, t, dtype, &s, (size_t)elems, true);
  return parse_list(r, t, dtype, &s, (size_t)elems);
}

static weft_status parse_value(reader *r, weft_tensor *t, int depth);

typedef WEFT_VEC(weft_tensor) item_vec;

static weft_status parse_next_item(reader *r, const weft_allocator *alloc, uint8_t kind, item_vec *items,
                                   int depth) {
  const bool map = weft__kind_is_map(kind);
  const size_t most = map ? 2 : 1;  // of what is no sequence
  if (kind != WEFT_KIND_SEQUENCE && items->n == most) {
    return weft__scan_fail(&r->s, WEFT_E_SYNTAX, "%s",
                           map ? "a map holds keys and values" : "an optional holds one value");
  }
  if (!WEFT_VEC_ROOM(alloc, *items))
    return weft_fail(r->s.d, WEFT_E_NOMEM, "tensor literal: no memory for items");
  weft_tensor_init(&items->v[items->n], alloc);
  return parse_value(r, &items->v[items->n++], depth + 1);
}

// The items up to the bracket, one by one; *kind of an optional becomes that of what it holds.
static weft_status parse_each_item(reader *r, const weft_allocator *alloc, const weft_scan *start,
                                   uint8_t *kind, item_vec *items, int depth) {
  do
    WEFT_TRY(parse_next_item(r, alloc, *kind, items, depth));
  while (weft__scan_char(&r->s, ','));
  WEFT_TRY(tensor_text_expect(r, ')'));
  const bool of_sequence = items->v[0].kind == WEFT_KIND_SEQUENCE;
  if (*kind == WEFT_KIND_OPTIONAL && of_sequence)
    *kind = WEFT_KIND_OPTIONAL_SEQUENCE;
  if (*kind == WEFT_KIND_OPTIONAL_SEQUENCE && !of_sequence)
    return weft__scan_fail(start, WEFT_E_SYNTAX, "optseq(...) holds a sequence or nothing");
  return WEFT_OK;
}

static weft_dtype item_dtype_of(const item_vec *items, uint8_t kind) {
  if (!items->n || items->v[0].kind == WEFT_KIND_RESOURCE)
    return WEFT_UNDEFINED;
  return items->v[weft__kind_is_map(kind) && items->n == 2].dtype;
}

// Moves the items into t; *items keeps what could not be.
static weft_status keep_items(reader *r, weft_tensor *t, uint8_t kind, weft_dtype dtype, item_vec *items) {
  WEFT_TRY(weft__tensor_set_items(t, kind, dtype, items->n, r->s.d));
  for (size_t i = 0; i < items->n; i++)
    *t->items[i] = items->v[i];
  items->n = 0;
  return WEFT_OK;
}

// A dtype alone between the brackets: no items, but what they would be. *out_dtype UNDEFINED: something else.
static weft_status parse_bare_items(reader *r, weft_dtype *out_dtype) {
  const char *name;
  weft_scan start = r->s;
  size_t n = weft__scan_ident(&r->s, &name);
  *out_dtype = WEFT_UNDEFINED;
  if (!n || !weft__scan_char(&r->s, ')')) {
    r->s = start;
    return WEFT_OK;
  }
  *out_dtype = weft_dtype_parse(name, n);
  if (*out_dtype == WEFT_UNDEFINED)
    return weft__scan_fail(&start, WEFT_E_SYNTAX, "'%.*s' is not a dtype", (int)WEFT_MIN(n, 40), name);
  return WEFT_OK;
}

static weft_status parse_some_items(reader *r, weft_tensor *t, uint8_t kind, int depth, item_vec *items) {
  weft_scan start = r->s;
  if (!weft__scan_char(&r->s, ')'))
    WEFT_TRY(parse_each_item(r, &t->alloc, &start, &kind, items, depth));
  WEFT_TRY(keep_items(r, t, kind, item_dtype_of(items, kind), items));
  return weft__kind_is_map(kind) ? weft__map_check(t, r->s.d) : WEFT_OK;
}

// The items of "seq(" or "opt(", which is taken already. They are read one by one into `t`, which grows by
// moving.
static weft_status parse_items(reader *r, weft_tensor *t, uint8_t kind, int depth) {
  item_vec items = {0};
  weft_allocator alloc = t->alloc;
  weft_dtype dtype;
  WEFT_TRY(parse_bare_items(r, &dtype));
  if (dtype != WEFT_UNDEFINED)
    return weft__tensor_set_items(t, kind, dtype, 0, r->s.d);
  weft_status st = parse_some_items(r, t, kind, depth, &items);
  for (size_t i = 0; i < items.n; i++)
    weft_tensor_deinit(&items.v[i]);
  WEFT_VEC_FREE(&alloc, items);
  return st;
}

static weft_status parse_value(reader *r, weft_tensor *t, int depth) {
  const char *name;
  if (depth > WEFT__TENSOR_DEPTH)
    return weft__scan_fail(&r->s, WEFT_E_LIMIT, "nested deeper than %d", WEFT__TENSOR_DEPTH);
  weft_scan start = r->s;
  size_t n = weft__scan_ident(&r->s, &name);
  uint8_t kind = weft__kind_of_mark(name, n);
  if (weft__kind_has_items(kind) && weft__scan_char(&r->s, '('))
    return parse_items(r, t, kind, depth);
  weft_dtype dtype = weft_dtype_parse(name, n);
  if (!n || (dtype == WEFT_UNDEFINED && !(n == 9 && !memcmp(name, "undefined", 9))))
    return weft__scan_fail(&start, WEFT_E_SYNTAX, "expected a dtype, got '%.*s'", (int)WEFT_MIN(n, 40), name);
  return parse_tensor(r, t, dtype);
}

weft_status weft_tensor_parse(const char *text, size_t bytes, weft_symbols *p, weft_tensor *t,
                              size_t *out_used, weft_diag *d) {
  WEFT_NEED_LIST(d, text, bytes);
  WEFT_NEED(d, t);
  reader r = {.s = {.text = text, .bytes = bytes, .what = "tensor literal", .d = d}, .pool = p};
  weft_tensor fresh;
  weft_tensor_init(&fresh, &t->alloc);
  weft_status st = parse_value(&r, &fresh, 0);
  if (st) {
    weft_tensor_deinit(&fresh);
    return st;
  }
  weft_tensor_deinit(t);
  *t = fresh;
  if (out_used)
    *out_used = r.s.at;
  return WEFT_OK;
}
// SPDX-License-Identifier: Apache-2.0
