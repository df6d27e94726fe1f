// ops/string/decode_csv.c - lines of comma-separated values, a tensor a column.   AscendIR DecodeCSV, as
// TensorFlow has it. A field that is empty or equal to `na_value` takes its column's default; an empty
// default
// says that there must be one. Fields in quotes may hold delimiters, and quotes as two of them.
#include "air_slots.h"
#include "cast_text.h"
#include "op/air_rows.h"
#include "string_util.h"

static weft_status csv_infer(weft_infer *it) {
  const uint32_t columns = it->desc->n_in - 1;
  if (it->desc->n_out != columns) {
    return weft_fail(it->d, WEFT_E_INVALID, "%u outputs, but %u 'record_defaults'", it->desc->n_out, columns);
  }
  for (uint32_t k = 0; k < columns; k++) {
    WEFT_TRY(weft__expect_rank(it, 1 + k, 0, 1));
    it->out_dtype[k] = it->in_dtype[1 + k];
    weft_shape_copy(it->out[k], it->in[0]);
  }
  return WEFT_OK;
}

typedef struct csv {  // of one line
  const weft_call *c;
  const char *text;
  size_t bytes, at;
  char delimiter;
  bool quotes;
  int64_t n;  // fields that were read
} csv;

static weft_status csv_begin(const weft_call *c, csv *out) {
  const char *delimiter = weft_node_str(c->desc, WEFT_SLOT_DECODE_CSV_FIELD_DELIM);
  *out = (csv){.c = c, .quotes = weft_node_bool(c->desc, WEFT_SLOT_DECODE_CSV_USE_QUOTE_DELIM)};
  if (!delimiter || strlen(delimiter) != 1)
    return weft_fail(c->d, WEFT_E_RANGE, "attribute 'field_delim': expected one byte, got \"%s\"",
                     delimiter ? delimiter : "");
  out->delimiter = *delimiter;
  return WEFT_OK;
}

// A field without quotes, up to the next delimiter.
static weft_status csv_plain(csv *r, weft_text *out) {
  for (; r->at < r->bytes && r->text[r->at] != r->delimiter; r->at++) {
    const char v = r->text[r->at];
    if (v == '\n' || v == '\r' || (r->quotes && v == '"'))
      return weft_fail(r->c->d, WEFT_E_INVALID,
                       "byte %zu: a quote or an end of line in a field without quotes", r->at);
    weft__text_add(out, &v, 1);
  }
  r->at++;
  return WEFT_OK;
}

static weft_status csv_quoted(csv *r, weft_text *out) {
  for (r->at++; r->at < r->bytes; r->at++) {
    const char next = r->at + 1 < r->bytes ? r->text[r->at + 1] : 0;
    const bool last = r->at + 1 == r->bytes;
    if (r->text[r->at] != '"') {
      weft__text_add(out, r->text + r->at, 1);
      continue;
    }
    if (last || next == r->delimiter) {
      r->at += 2;
      return WEFT_OK;
    }
    if (next != '"')
      return weft_fail(r->c->d, WEFT_E_INVALID, "byte %zu: a quote inside quotes is written as two", r->at);
    weft__text_add(out, "\"", 1);
    r->at++;
  }
  return weft_fail(r->c->d, WEFT_E_INVALID, "a field in quotes has no end");
}

// The next field; false in *out_any: the line is at its end. Behind a last delimiter there is an empty one.
static weft_status csv_next(csv *r, weft_text *out, bool *out_any) {
  out->n = 0;
  while (r->at < r->bytes && (r->text[r->at] == '\n' || r->text[r->at] == '\r'))
    r->at++;
  const bool behind = r->at == r->bytes && r->bytes && r->text[r->bytes - 1] == r->delimiter;
  *out_any = r->at < r->bytes || behind;
  if (!*out_any)
    return WEFT_OK;
  r->n++;
  if (behind) {
    r->at++;
    return WEFT_OK;
  }
  return r->quotes && r->text[r->at] == '"' ? csv_quoted(r, out) : csv_plain(r, out);
}

// Which field of a line is column k.
static weft_status csv_column(const weft_call *c, uint32_t k, int64_t *out_field, int64_t *out_fields) {
  const weft_ints chosen = weft_node_ints(c->desc, WEFT_SLOT_DECODE_CSV_SELECT_COLS);
  const uint32_t columns = c->desc->n_in - 1;
  *out_field = k;
  *out_fields = columns;
  if (!chosen.n)
    return WEFT_OK;
  if (chosen.n != columns) {
    return weft_fail(c->d, WEFT_E_INVALID, "attribute 'select_cols' has %zu numbers, there are %u columns",
                     chosen.n, columns);
  }
  for (size_t i = 0; i < chosen.n; i++) {
    if (chosen.v[i] < 0 || (i && chosen.v[i] <= chosen.v[i - 1]))
      return weft_fail(c->d, WEFT_E_RANGE, "attribute 'select_cols': numbers from 0 that grow are expected");
  }
  *out_field = chosen.v[k];
  *out_fields = -1;
  return WEFT_OK;
}

// Field `wanted` of a line; `fields` -1: there may be others behind it.
static weft_status csv_field(csv *r, int64_t wanted, int64_t fields, weft_text *field, weft_text *other) {
  bool any = true;
  bool found = false;
  while (any && (fields >= 0 || !found)) {
    const bool here = r->n == wanted;
    WEFT_TRY(csv_next(r, here ? field : other, &any));
    found |= here && any;
  }
  if (found && (fields < 0 || r->n == fields))
    return WEFT_OK;
  if (fields >= 0) {
    return weft_fail(r->c->d, WEFT_E_INVALID, "%lld fields, expected %lld", (long long)r->n,
                     (long long)fields);
  }
  return weft_fail(r->c->d, WEFT_E_INVALID, "%lld fields, field %lld is asked for", (long long)r->n,
                   (long long)wanted);
}

static weft_status csv_store(const weft_call *c, weft_strings *list, uint32_t k, size_t i,
                             const weft_text *field) {
  const weft_attr *na = weft_attr_at(c->desc, WEFT_SLOT_DECODE_CSV_NA_VALUE, WEFT_VT_STRING);
  const weft_tensor *dflt = c->in[1 + k];
  weft_tensor *y = c->out[k];
  const char *text = field->v ? field->v : "";
  size_t bytes = field->n;
  const bool absent = !bytes || (na && na->n == bytes && !memcmp(na->u.s, text, bytes));
  if (absent && weft_tensor_elems(dflt) < 1)
    return weft_fail(c->d, WEFT_E_MISSING, "field %u is empty, and its column has no default", k);
  if (y->dtype == WEFT_STRING) {
    if (absent)
      WEFT_TRY(weft_tensor_string(dflt, 0, &text, &bytes, c->d));
    weft__strings_add(list, text, bytes);
    weft__strings_next(list);
    return list->stopped;
  }
  if (absent) {
    weft__copy_elem(y->dtype, y->data, i, dflt->data, 0);
    return WEFT_OK;
  }
  const bool whole = weft_dtype_is_float(y->dtype) || !memchr(text, '.', bytes);
  if (whole && weft__number_parse(y->dtype, y->data, i, text, bytes))
    return WEFT_OK;
  return weft_fail(c->d, WEFT_E_INVALID, "field %u, \"%.*s\", is no %s", k, (int)WEFT_MIN(bytes, (size_t)60),
                   text, weft_dtype_name(y->dtype));
}

static weft_status csv_lines(const weft_call *c, uint32_t k, weft_strings *list, weft_text text[2]) {
  const size_t n = weft__elems(&c->in[0]->layout.origin);
  int64_t field;
  int64_t fields;
  size_t work = 0;
  WEFT_TRY(csv_column(c, k, &field, &fields));
  for (size_t i = 0; i < n; i++) {
    csv r;
    WEFT_TRY(csv_begin(c, &r));
    WEFT_TRY(weft_tensor_string(c->in[0], i, &r.text, &r.bytes, c->d));
    WEFT_TRY(weft__poll_work(c, &work, 1 + r.bytes));
    text[0].n = 0;
    weft_status s = csv_field(&r, field, fields, &text[0], &text[1]);
    if (!s && (text[0].failed || text[1].failed))
      s = weft_fail(c->d, WEFT_E_NOMEM, "no memory for a field");
    if (!s)
      s = csv_store(c, list, k, i, &text[0]);
    if (s)
      weft_note(c->d, "in element %zu", i);
    WEFT_TRY(s);
  }
  return WEFT_OK;
}

static weft_status csv_ref(const weft_call *c) {
  weft_status s = WEFT_OK;
  for (uint32_t k = 0; !s && k + 1 < c->desc->n_in; k++) {
    weft_text text[2];
    weft_strings list;
    if (!c->out[k])
      continue;
    weft__text_init(&text[0], weft__call_allocator(c));
    weft__text_init(&text[1], weft__call_allocator(c));
    weft__strings_init_at(&list, c, k);
    s = csv_lines(c, k, &list, text);
    if (c->out[k]->dtype == WEFT_STRING)
      s = weft__strings_give(&list, &c->in[0]->layout.origin, s);
    else
      weft__strings_deinit(&list);
    weft__text_deinit(&text[0]);
    weft__text_deinit(&text[1]);
  }
  return s;
}

WEFT_ROWS(decode_csv) = {
    {"DecodeCSV", "lines of comma-separated values, a tensor a column", WEFT_SYMBOLIC | WEFT_MONOTONE,
     .infer = csv_infer, .ref = csv_ref,
     .examples = WEFT_EXAMPLES(
         "str[2]{\"1,2.5,a\",\"-3,,\\\"b,\\\"\\\"c\\\"\"}, [i32[1]{0}, f32[1]{9}, str[0]] -> "
         "[i32[2]{1,-3}, f32[2]{2.5,9}, str[2]{\"a\",\"b,\\\"c\"}]",
         "str[]{\"1;NA;\"}, [i64[1]{0}, i64[1]{7}, str[1]{\"z\"}] field_delim=\";\" na_value=\"NA\" -> "
         "[i64[]{1}, i64[]{7}, str[]{\"z\"}]",
         "str[1]{\"1,2,3\"}, [f64[1]{0}] select_cols=[1] -> [f64[1]{2}]",
         "str[1]{\"\\\"a\"}, [str[1]{\"\"}] use_quote_delim=false -> [str[1]{\"\\\"a\"}]",
         "str[0], [i32[0]] -> [i32[0]]", "str[-1,2], [f32[1], str[0]] -> [f32[-1,2], str[-1,2]]",
         "str[1]{\"1\"}, [i32[0], i32[0]] -> [_, _] !! E_INVALID 1 fields, expected 2",
         "str[1]{\",\"}, [i32[0], i32[0]] -> [_, _] !! E_MISSING field 0 is empty",
         "str[1]{\"1.5\"}, [i32[0]] !! E_INVALID \"1.5\", is no i32",
         "str[1]{\"a\\\"\"}, [str[0]] !! E_INVALID byte 1",
         "str[1]{\"\\\"a\"}, [str[0]] !! E_INVALID has no end",
         "str[1]{\"a\"}, [str[0]] field_delim=\"::\" !! E_RANGE")},
    {0},
};
// SPDX-License-Identifier: Apache-2.0
