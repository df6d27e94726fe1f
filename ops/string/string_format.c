// ops/string/string_format.c - a template whose placeholders become the text of tensors.   AscendIR
// StringFormat, as TensorFlow has it: rows in brackets, of each axis at most `summarize` elements from both
// ends, strings in quotes. A float has 6 significant digits where those read back equal, otherwise 9; a
// double 15 or 17. -1 for `summarize` means all elements.
#include "air_slots.h"
#include "cast_text.h"
#include "op/air_rows.h"
#include "string_util.h"

typedef struct format_print {
  weft_strings *list;
  const weft_tensor *t;
  const weft_shape *shape;
  size_t ends;  // elements from each end of an axis
  weft_status failed;
} format_print;

static void format_text(format_print *p, const char *text) {
  weft__strings_add(p->list, text, strlen(text));
}

static size_t format_digits(const char *text) {
  size_t n = 0;
  const char *first = text + strcspn(text, "123456789");
  for (const char *at = first; *at && *at != 'e'; at++)
    n += *at != '.';
  return n;
}

// The shortest text, or a fixed number of digits where that has many.
static void format_float(const format_print *p, double v, char text[WEFT_NUMBER_TEXT]) {
  const bool wide = p->t->dtype == WEFT_DOUBLE;
  const size_t few = wide ? 15 : 6;
  if (format_digits(text) <= few)
    snprintf(text, WEFT_NUMBER_TEXT, "%.*g", (int)few, v);
  else
    snprintf(text, WEFT_NUMBER_TEXT, "%.*g", wide ? 17 : 9, v);
  weft__strings_point(text);
}

static void format_element(format_print *p, size_t i) {
  char text[WEFT_NUMBER_TEXT];
  const char *s;
  size_t bytes;
  if (p->t->dtype == WEFT_STRING) {
    p->failed = p->failed ? p->failed : weft_tensor_string(p->t, i, &s, &bytes, p->list->call->d);
    format_text(p, "\"");
    if (!p->failed)
      weft__strings_add(p->list, s, bytes);
    format_text(p, "\"");
    return;
  }
  if (p->t->dtype == WEFT_BOOL)
    snprintf(text, sizeof text, "%d", weft_load_u64(WEFT_BOOL, p->t->data, i) != 0);
  else
    (void)weft__number_text(p->t->dtype, p->t->data, i, text);
  const double v = weft_dtype_is_float(p->t->dtype) ? weft_load_f64(p->t->dtype, p->t->data, i) : 0;
  if (weft_dtype_is_float(p->t->dtype) && isfinite(v))
    format_float(p, v, text);
  if (isnan(v))
    format_text(p, "nan");
  else if (isinf(v))
    format_text(p, v < 0 ? "-inf" : "inf");
  else
    format_text(p, text);
}

// Between elements of the last axis a space, between others as many ends of line as axes lie within, and the
// brackets that are open as spaces.
static void format_between(format_print *p, size_t axis) {
  if (axis + 1 == p->shape->rank) {
    format_text(p, " ");
    return;
  }
  for (size_t i = 0; i + axis + 1 < p->shape->rank; i++)
    format_text(p, "\n");
  for (size_t i = 0; i <= axis; i++)
    format_text(p, " ");
}

static void format_axis(format_print *p, size_t axis, size_t at) {
  if (axis == p->shape->rank) {
    format_element(p, at);
    return;
  }
  const size_t n = (size_t)p->shape->dim[axis];
  const size_t each = weft__prod(p->shape, axis + 1, p->shape->rank);
  const bool cut = p->ends < n && n - p->ends > p->ends;
  format_text(p, "[");
  for (size_t i = 0; i < n && !p->list->stopped; i++) {
    if (i)
      format_between(p, axis);
    if (cut && i == p->ends) {
      format_text(p, "...");
      i = n - p->ends - 1;
      continue;
    }
    format_axis(p, axis + 1, at + i * each);
  }
  format_text(p, "]");
}

static weft_status format_infer(weft_infer *it) {
  return weft__scalar(it, 0);
}

// The next placeholder from `from` on; NULL: none.
static const char *format_find(const weft_attr *template, const weft_attr *holder, const char *from) {
  const char *end = template->u.s + template->n;
  for (; from < end && (size_t)(end - from) >= holder->n; from++) {
    if (!memcmp(from, holder->u.s, holder->n))
      return from;
  }
  return NULL;
}

// A tensor without elements still has a text, of brackets, for each row that its other sizes claim.
static weft_status format_rows(const weft_call *c, const weft_shape *s, size_t ends) {
  enum { MOST = 1 << 16 };
  uint64_t rows = 1;
  for (uint32_t i = 0; i < s->rank && s->dim[i] && rows <= MOST; i++)
    rows *= (uint64_t)WEFT_MIN((uint64_t)s->dim[i], WEFT_MIN((uint64_t)ends, MOST) * 2);
  if (!weft__elems(s) && rows > MOST)
    return weft_fail(c->d, WEFT_E_RANGE, "a tensor without elements has more than %d rows to print", MOST);
  return WEFT_OK;
}

static weft_status format_fill(const weft_call *c, weft_strings *list, const weft_attr *template,
                               const weft_attr *holder) {
  const int64_t most = weft_node_int(c->desc, WEFT_SLOT_STRING_FORMAT_SUMMARIZE);
  const char *from = template->u.s;
  const char *place;
  uint32_t n = 0;
  for (; (place = format_find(template, holder, from)) != NULL; n++) {
    weft__strings_add(list, from, (size_t)(place - from));
    from = place + holder->n;
    if (n >= c->desc->n_in)
      continue;
    format_print p = {.list = list, .t = c->in[n], .shape = &c->in[n]->layout.origin};
    p.ends = most < 0 ? SIZE_MAX : (size_t)most;
    WEFT_TRY(format_rows(c, p.shape, p.ends));
    format_axis(&p, 0, 0);
    WEFT_TRY(p.failed);
  }
  if (n != c->desc->n_in) {
    return weft_fail(c->d, WEFT_E_INVALID, "attribute 'template' has %u placeholders, there are %u inputs", n,
                     c->desc->n_in);
  }
  weft__strings_add(list, from, (size_t)(template->u.s + template->n - from));
  weft__strings_next(list);
  return WEFT_OK;
}

static weft_status format_ref(const weft_call *c) {
  const weft_attr *template = weft_attr_at(c->desc, WEFT_SLOT_STRING_FORMAT_TEMPLATE, WEFT_VT_STRING);
  const weft_attr *holder = weft_attr_at(c->desc, WEFT_SLOT_STRING_FORMAT_PLACEHOLDER, WEFT_VT_STRING);
  weft_strings list;
  if (!c->out[0])
    return WEFT_OK;
  if (!template || !holder || !holder->n)
    return weft_fail(c->d, WEFT_E_RANGE, "attribute 'placeholder' is empty");
  weft__strings_init(&list, c);
  return weft__strings_give(&list, &c->out[0]->layout.origin, format_fill(c, &list, template, holder));
}

WEFT_ROWS(string_format) = {
    {"StringFormat", "a template with the text of tensors",
        WEFT_SYMBOLIC | WEFT_MONOTONE, .infer = format_infer,
     .ref = format_ref,
     .examples = WEFT_EXAMPLES(
         "[i32[10]{0..}] template=\"x: %s!\" -> str[]{\"x: [0 1 2 ... 7 8 9]!\"}",
         "[f32[2,2]{1,-2.5,nan,inf}, str[]{\"a\"}] template=\"%s %s\" -> "
         "str[]{\"[[1 -2.5]\\n [nan inf]] \\\"a\\\"\"}",
         "[bool[1,1,2]{1,0}] template=\"{}\" placeholder=\"{}\" -> str[]{\"[[[1 0]]]\"}",
         "[i64[5]{0..}] summarize=-1 -> str[]{\"[0 1 2 3 4]\"}",
         "[i64[3]{0..}] summarize=1 -> str[]{\"[0 ... 2]\"}",
         "[i32[0]] -> str[]{\"[]\"}", "[i32[2,0]] -> str[]{\"[[]\\n []]\"}", "[f32[-1]] -> str[]",
         "[i32[1099511627776,0]] -> str[]{\"[[]\\n []\\n []\\n ...\\n []\\n []\\n []]\"}",
         "[i32[1099511627776,0]] summarize=-1 !! E_RANGE more than 65536 rows",
         "[i32[]{1}] template=\"x\" !! E_INVALID 0 placeholders",
         "[i32[]{1}] placeholder=\"\" !! E_RANGE attribute 'placeholder'")},
    {0},
};
// SPDX-License-Identifier: Apache-2.0
