// meta.c - TensorMeta, what the file says of a tensor: dtype, sizes, strides, where it begins in its storage.
// There is one for each value and weight, and few are asked for: they stay text when their document is read.
// Text as torch.export.save writes it is read as it stands; any other becomes JSON first.
#include "frontend/torch/torch.h"

// ---- as JSON ----
weft_status pt_parse_text(pt_import *m, const weft_json *text, const weft_json **out) {
  weft_json *parsed;
  *out = text;
  if (!text || text->kind != WEFT_JSON_STRING)
    return WEFT_OK;
  WEFT_TRY(weft__json_parse(text->s, text->s_bytes, &m->f.arena, &parsed, m->f.d));
  *out = parsed;
  return WEFT_OK;
}

const weft_json *pt_meta(pt_import *m, pt_value *v) {
  if (!v->meta || v->meta->kind != WEFT_JSON_STRING)
    return v->meta;
  weft_status s = pt_parse_text(m, v->meta, &v->meta);
  if (s) {
    weft_note(m->f.d, "in the description of tensor '%.200s'", v->name ? v->name : "?");
    m->broken = s;
    v->meta = NULL;
  }
  return v->meta;
}

weft_dtype pt_meta_dtype(const weft_json *meta) {
  const weft_json *v = weft__json_get(meta, "dtype");
  weft_dtype t;
  return v && v->is_int && pt_dtype(v->i, &t) ? t : (weft_dtype)WEFT_UNDEFINED;
}

int pt_meta_rank(const weft_json *meta) {
  const weft_json *v = weft__json_get(meta, "sizes");
  return v && v->kind == WEFT_JSON_ARRAY && v->n <= WEFT_MAX_RANK ? (int)v->n : -1;
}

static int64_t meta_known(const weft_json *size) {
  const weft_json *v = weft__json_get(size, "as_int");
  return v && v->is_int ? v->i : -1;
}

// Each stride is the product of the sizes behind it; with sizes that are expressions only those of the last
// axis and of numbers can be compared.
bool pt_meta_contiguous(const weft_json *meta) {
  const weft_json *sizes = weft__json_get(meta, "sizes");
  const weft_json *strides = weft__json_get(meta, "strides");
  int64_t want = 1;
  if (!sizes || !strides || sizes->n != strides->n)
    return false;
  for (size_t i = sizes->n; i-- > 0;) {
    int64_t size = meta_known(&sizes->items[i]);
    int64_t stride = meta_known(&strides->items[i]);
    if (size != 1 && want >= 0 && stride >= 0 && stride != want)
      return false;
    if (size < 0 || want < 0)
      want = -1;
    else if (!weft__mul_i64(want, size, &want))
      return false;
  }
  return true;
}

static weft_status meta_number(pt_import *m, const weft_json *v, const char *what, int64_t *out) {
  const weft_json *n = weft__json_get(v, "as_int");
  if (!n || !n->is_int || n->i < 0)
    return weft_fail(m->f.d, WEFT_E_INVALID, "its %s is not a number", what);
  *out = n->i;
  return WEFT_OK;
}

static weft_status meta_view(pt_import *m, const weft_json *meta, pt_view *v) {
  const weft_json *sizes = weft__json_get(meta, "sizes");
  const weft_json *strides = weft__json_get(meta, "strides");
  v->t = pt_meta_dtype(meta);
  if (v->t == WEFT_UNDEFINED)
    return weft_fail(m->f.d, WEFT_E_DTYPE, "its ScalarType is not known");
  if (!sizes || !strides || sizes->n != strides->n || sizes->n > WEFT_MAX_RANK)
    return weft_fail(m->f.d, WEFT_E_INVALID, "its sizes and strides do not fit each other");
  v->rank = sizes->n;
  for (size_t i = 0; i < v->rank; i++) {
    WEFT_TRY(meta_number(m, &sizes->items[i], "size", &v->dims[i]));
    WEFT_TRY(meta_number(m, &strides->items[i], "stride", &v->strides[i]));
  }
  return meta_number(m, weft__json_get(meta, "storage_offset"), "storage_offset", &v->offset);
}

// ---- as text ----
// What was wrong once stays so: the steps behind it do nothing, and the text is read as JSON.
typedef struct meta_text {
  const char *at, *end;
  bool bad;
} meta_text;

static meta_text meta_text_of(const weft_json *v) {
  return (meta_text){v->s, v->s + v->s_bytes, false};
}

// Steps over a word where it stands next.
static bool meta_next(meta_text *t, const char *word) {
  size_t n = strlen(word);
  if (t->bad || (size_t)(t->end - t->at) < n)
    return false;
  bool is = !memcmp(t->at, word, n);
  t->at += is ? n : 0;
  return is;
}

static void meta_word(meta_text *t, const char *word) {
  t->bad |= !meta_next(t, word);
}

static size_t meta_digits(const meta_text *t) {
  enum { MOST_DIGITS = 18 };
  size_t most = WEFT_MIN((size_t)(t->end - t->at), MOST_DIGITS);
  size_t n = 0;
  while (n < most && (unsigned)(t->at[n] - '0') < 10)
    n++;
  return n;
}

static int64_t meta_int(meta_text *t) {
  size_t n = meta_digits(t);
  int64_t v = 0;
  for (size_t i = 0; i < n; i++)
    v = v * 10 + (t->at[i] - '0');
  t->bad |= !n;
  t->bad |= n > 1 && *t->at == '0';
  t->at += n;
  return v;
}

// {"as_int": 3}
static int64_t meta_whole(meta_text *t) {
  meta_word(t, "{\"as_int\": ");
  int64_t v = meta_int(t);
  meta_word(t, "}");
  return v;
}

static size_t meta_list(meta_text *t, int64_t out[WEFT_MAX_RANK]) {
  size_t n = 0;
  meta_word(t, "[");
  if (meta_next(t, "]"))
    return 0;
  do {
    t->bad |= n == WEFT_MAX_RANK;
    if (!t->bad)
      out[n++] = meta_whole(t);
  } while (meta_next(t, ", "));
  meta_word(t, "]");
  return n;
}

static weft_dtype meta_type(meta_text *t) {
  weft_dtype type = WEFT_UNDEFINED;
  meta_word(t, "{\"dtype\": ");
  t->bad |= !pt_dtype(meta_int(t), &type);
  meta_word(t, ", ");
  return type;
}

static void meta_device(meta_text *t) {
  meta_word(t, ", \"device\": {");
  const char *end = memchr(t->at, '}', (size_t)(t->end - t->at));
  t->bad |= !end;
  t->at = end ? end + 1 : t->at;
}

static bool meta_plain_view(const weft_json *text, pt_view *v) {
  meta_text t = meta_text_of(text);
  v->t = meta_type(&t);
  meta_word(&t, "\"sizes\": ");
  v->rank = meta_list(&t, v->dims);
  meta_word(&t, ", \"requires_grad\": ");
  if (!meta_next(&t, "true"))
    meta_word(&t, "false");
  meta_device(&t);
  meta_word(&t, ", \"strides\": ");
  size_t strides = meta_list(&t, v->strides);
  meta_word(&t, ", \"storage_offset\": ");
  v->offset = meta_whole(&t);
  meta_word(&t, ", \"layout\": ");
  (void)meta_int(&t);
  meta_word(&t, "}");
  t.bad |= strides != v->rank;
  return !t.bad && t.at == t.end;
}

weft_status pt_view_of(pt_import *m, const weft_json *text, pt_view *v) {
  const weft_json *meta;
  if (text && text->kind == WEFT_JSON_STRING && meta_plain_view(text, v))
    return WEFT_OK;
  WEFT_TRY(pt_parse_text(m, text, &meta));
  return meta_view(m, meta, v);
}

weft_dtype pt_dtype_of(pt_import *m, pt_value *v) {
  if (v->meta && v->meta->kind == WEFT_JSON_STRING) {
    meta_text text = meta_text_of(v->meta);
    weft_dtype t = meta_type(&text);
    if (!text.bad)
      return t;
  }
  return pt_meta_dtype(pt_meta(m, v));
}
// SPDX-License-Identifier: Apache-2.0
