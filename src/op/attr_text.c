// attr_text.c - attribute values as text, by their type: 3  3.14  true  "NCHW"  [1,2]  [[1],[2,3]]  f16
// f32[2]{1,2}.
//   list = ("[" | "{") [value {"," value}] ("]" | "}")
// C++ literals of AscendIR's prototypes read too: {1, 1}, 1e-5f, 1.f / 4, DT_FLOAT (also as an Int),
// Tensor(). What is printed reads back equal. Lists collect in a vector of the arena's allocator and move
// into the arena when complete.
#include "op/attr.h"
#include "tensor/scan.h"

typedef struct reader {
  weft_scan s;
  weft_arena *arena;
} reader;

// ---- reading single values ----

static weft_status attr_text_no_memory(reader *r) {
  return weft_fail(r->s.d, WEFT_E_NOMEM, "%s: out of memory", r->s.what);
}

static weft_dtype attr_text_take_dtype(reader *r) {
  const char *text;
  size_t n = weft__scan_ident(&r->s, &text);
  weft_dtype t = weft_dtype_parse(text, n);
  return t;
}

// Did the word before the cursor say "undefined" itself?
static bool says_undefined(const char *text, size_t n) {
  return (n == 9 && !memcmp(text, "undefined", 9)) || (n == 12 && !memcmp(text, "DT_UNDEFINED", 12));
}

static weft_status parse_dtype(reader *r, int64_t *out) {
  weft_scan start = r->s;
  weft_dtype t = attr_text_take_dtype(r);
  weft__scan_space(&start);
  size_t n = r->s.at - start.at;
  if (t == WEFT_UNDEFINED && !says_undefined(start.text + start.at, n)) {
    return weft__scan_fail(&start, WEFT_E_SYNTAX, "expected a dtype, got '%.*s'", (int)WEFT_MIN(n, 40),
                           start.text + start.at);
  }
  *out = t;
  return WEFT_OK;
}

static weft_status parse_int(reader *r, int64_t *out) {
  const char *text;
  weft_scan start = r->s;
  size_t n = weft__scan_number(&r->s, &text);
  size_t digits = n;
  if (n > 3 && !memcmp(text, "DT_", 3)) {
    r->s = start;
    return parse_dtype(r, out);
  }
  while (digits > 1 && digits + 2 > n && (text[digits - 1] | 32) == 'l')
    digits--;
  if (!weft__token_i64(text, digits, out)) {
    return weft__scan_fail(&start, WEFT_E_SYNTAX, "expected an integer of 64 bits, got '%.*s'",
                           (int)WEFT_MIN(n, 40), text);
  }
  return WEFT_OK;
}

static weft_status attr_text_parse_number(reader *r, float *out) {
  const char *text;
  weft_scan start = r->s;
  size_t n = weft__scan_number(&r->s, &text);
  size_t digits = n;
  bool hex = n > 2 && memchr(text, 'x', WEFT_MIN(n, 3));
  bool word = n >= 3 && (!memcmp(text + n - 3, "inf", 3));
  if (n > 1 && !hex && !word && (text[n - 1] | 32) == 'f')
    digits--;
  if (!weft__token_f32(text, digits, out)) {
    return weft__scan_fail(&start, WEFT_E_SYNTAX, "expected a number in f32's range, got '%.*s'",
                           (int)WEFT_MIN(n, 40), text);
  }
  return WEFT_OK;
}

static weft_status parse_float(reader *r, float *out) {
  float below;
  weft_scan before;
  WEFT_TRY(attr_text_parse_number(r, out));
  before = r->s;
  if (!weft__scan_char(&r->s, '/')) {
    r->s = before;  // spaces behind the value are not ours
    return WEFT_OK;
  }
  WEFT_TRY(attr_text_parse_number(r, &below));
  if (below == 0)
    return weft__scan_fail(&r->s, WEFT_E_SYNTAX, "division by zero");
  *out /= below;
  return WEFT_OK;
}

static weft_status parse_bool(reader *r, bool *out) {
  const char *text;
  weft_scan start = r->s;
  size_t n = weft__scan_ident(&r->s, &text);
  *out = n == 4 && !memcmp(text, "true", 4);
  if (!*out && !(n == 5 && !memcmp(text, "false", 5))) {
    return weft__scan_fail(&start, WEFT_E_SYNTAX, "expected true or false, got '%.*s'", (int)WEFT_MIN(n, 40),
                           text);
  }
  return WEFT_OK;
}

static void *from_arena(void *ctx, void *ptr, size_t old_bytes, size_t new_bytes, size_t align) {
  void *p = new_bytes ? weft__arena_alloc(ctx, new_bytes, align) : NULL;
  if (p && ptr)
    memcpy(p, ptr, WEFT_MIN(old_bytes, new_bytes));
  return p;
}

// For what is collected on the way: of a short text it stays in the arena, which may be all that is allowed.
static weft_allocator passing(const reader *r) {
  enum { SHORT = 256 };
  return r->s.bytes > SHORT ? r->arena->alloc : (weft_allocator){from_arena, r->arena};
}

static weft_status parse_string(reader *r, weft_str *out) {
  weft_text t;
  const weft_allocator alloc = passing(r);
  weft__text_init(&t, &alloc);
  weft_status st = weft__scan_string(&r->s, &t);
  if (!st) {
    out->bytes = t.n;
    out->text = weft__arena_strdup(r->arena, t.n ? t.v : "", t.n);
    if (!out->text)
      st = attr_text_no_memory(r);
  }
  weft__text_deinit(&t);
  return st;
}

static weft_status parse_tensor(reader *r, const weft_tensor **out) {
  weft_tensor *t = weft__attr_tensor_new(r->arena);
  const char *name;
  size_t used;
  if (!t)
    return attr_text_no_memory(r);
  weft_scan start = r->s;
  size_t n = weft__scan_ident(&r->s, &name);
  if (n == 6 && !memcmp(name, "Tensor", 6) && weft__scan_char(&r->s, '(') && weft__scan_char(&r->s, ')')) {
    *out = t;
    return WEFT_OK;
  }
  r->s = start;
  weft__scan_space(&r->s);
  WEFT_TRY(weft_tensor_parse(r->s.text + r->s.at, r->s.bytes - r->s.at, NULL, t, &used, r->s.d));
  r->s.at += used;
  *out = t;
  return WEFT_OK;
}

// ---- lists ----

static weft_status open_list(reader *r, char *out_close) {
  *out_close = weft__scan_char(&r->s, '[') ? ']' : weft__scan_char(&r->s, '{') ? '}' : 0;
  return *out_close ? WEFT_OK : weft__scan_fail(&r->s, WEFT_E_SYNTAX, "expected a list in [] or {}");
}

static weft_status parse_value(reader *r, weft_attr *out);

// The items up to the end of the list, collected in v as the list has them; n and cap count items.
typedef WEFT_VEC(uint8_t) item_vec;

static weft_status parse_items(reader *r, const weft__list_type *type, const weft_allocator *alloc,
                               item_vec *v) {
  char close;
  WEFT_TRY(open_list(r, &close));
  if (weft__scan_char(&r->s, close))
    return WEFT_OK;
  do {
    weft_attr item = {.type = type->item};
    WEFT_TRY(parse_value(r, &item));
    if (v->n == v->cap && !weft__vec_grow(alloc, (void **)&v->v, &v->cap, v->n, type->item_bytes))
      return attr_text_no_memory(r);
    type->set(v->v, v->n++, &item);
  } while (weft__scan_char(&r->s, ','));
  if (!weft__scan_char(&r->s, close))
    return weft__scan_fail(&r->s, WEFT_E_SYNTAX, "expected ',' or '%c'", close);
  return WEFT_OK;
}

static weft_status keep_items(reader *r, const weft__list_type *type, const item_vec *v, weft_attr *out) {
  void *to = weft__arena_array(r->arena, v->n, type->item_bytes, type->align);
  if (!to)
    return attr_text_no_memory(r);
  if (v->n)
    memcpy(to, v->v, v->n * type->item_bytes);
  out->u.ints = to;  // all lists are pointers there
  out->n = v->n;
  return WEFT_OK;
}

static weft_status parse_list(reader *r, weft_attr *out) {
  const weft__list_type *type = weft__list_type_of(out->type);
  if (!type) {
    return weft__scan_fail(&r->s, WEFT_E_UNSUPPORTED, "values of type %s (VT: %d) cannot be read",
                           weft_attr_type_name(out->type), out->type);
  }
  const weft_allocator alloc = passing(r);
  item_vec v = {0};
  weft_status st = parse_items(r, type, &alloc, &v);
  if (!st)
    st = keep_items(r, type, &v, out);
  weft__free(&alloc, v.v, v.cap * type->item_bytes, 16);
  return st;
}

static weft_status parse_text(reader *r, weft_attr *out) {
  weft_str s;
  WEFT_TRY(parse_string(r, &s));
  out->u.s = s.text;
  out->n = s.bytes;
  return WEFT_OK;
}

// A value of out->type.
static weft_status parse_value(reader *r, weft_attr *out) {
  switch (out->type) {
    case WEFT_VT_INT:
      return parse_int(r, &out->u.i);
    case WEFT_VT_TYPE:
      return parse_dtype(r, &out->u.i);
    case WEFT_VT_FLOAT:
      return parse_float(r, &out->u.f);
    case WEFT_VT_BOOL:
      return parse_bool(r, &out->u.b);
    case WEFT_VT_TENSOR:
      return parse_tensor(r, &out->u.tensor);
    case WEFT_VT_STRING:
    case WEFT_VT_BYTES:
      return parse_text(r, out);
    default:
      return parse_list(r, out);
  }
}

weft_status weft_attr_parse(weft_attr_type type, const char *text, size_t bytes, weft_arena *arena,
                            weft_attr *out, size_t *out_used, weft_diag *d) {
  WEFT_NEED_LIST(d, text, bytes);
  WEFT_NEED(d, arena);
  WEFT_NEED(d, out);
  reader r = {.s = {.text = text, .bytes = bytes, .what = "attribute value", .d = d}, .arena = arena};
  weft_attr a = {.type = type};
  weft_status st = parse_value(&r, &a);
  if (st) {
    weft_note(d, "in a value of type %s", weft_attr_type_name(type));
    return st;
  }
  *out = a;
  if (out_used)
    *out_used = r.s.at;
  return WEFT_OK;
}

// ---- printing ----

static weft_status print_int(weft_write_fn write, void *ctx, int64_t v) {
  return weft__writef(write, ctx, "%lld", (long long)v);
}

static weft_status print_dtype(weft_write_fn write, void *ctx, int64_t v) {
  if (!weft_dtype_known(v))
    return WEFT_E_DTYPE;
  return weft__write_text(write, ctx, weft_dtype_name((weft_dtype)v));
}

static weft_status print_items(const weft_attr *a, weft_write_fn write, void *ctx) {
  WEFT_TRY(weft__write_text(write, ctx, "["));
  for (size_t i = 0; i < a->n; i++) {
    const weft_attr item = weft__attr_item(a, i);
    if (item.type == WEFT_VT_NONE)
      return WEFT_E_UNSUPPORTED;
    if (i)
      WEFT_TRY(weft__write_text(write, ctx, ","));
    WEFT_TRY(weft_attr_print(&item, write, ctx));
  }
  return weft__write_text(write, ctx, "]");
}

weft_status weft_attr_print(const weft_attr *a, weft_write_fn write, void *ctx) {
  WEFT_NEED(NULL, a);
  WEFT_NEED(NULL, write);
  char buf[32];
  switch (a->type) {
    case WEFT_VT_NONE:
      return weft__write_text(write, ctx, "None");
    case WEFT_VT_INT:
      return print_int(write, ctx, a->u.i);
    case WEFT_VT_TYPE:
      return print_dtype(write, ctx, a->u.i);
    case WEFT_VT_FLOAT:
      return weft__write_text(write, ctx, weft__float_text(a->u.f, buf));
    case WEFT_VT_BOOL:
      return weft__write_text(write, ctx, a->u.b ? "true" : "false");
    case WEFT_VT_STRING:
    case WEFT_VT_BYTES:
      return weft__write_quoted(write, ctx, a->u.s, a->n);
    case WEFT_VT_TENSOR:
      return weft_tensor_print(a->u.tensor, 0, write, ctx);
    default:
      return print_items(a, write, ctx);
  }
}
// SPDX-License-Identifier: Apache-2.0
