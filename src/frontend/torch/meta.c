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

static int64_t schema_number(const weft_json *size) {
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
    int64_t size = schema_number(&sizes->items[i]);
    int64_t stride = schema_number(&strides->items[i]);
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
typedef struct meta_text {
  const char *at, *end;
} meta_text;

static bool meta_word(meta_text *t, const char *word) {
  size_t n = strlen(word);
  if ((size_t)(t->end - t->at) < n || memcmp(t->at, word, n))
    return false;
  t->at += n;
  return true;
}

static bool meta_int(meta_text *t, int64_t *out) {
  enum { MOST_DIGITS = 18 };
  const char *from = t->at;
  int64_t v = 0;
  while (t->at < t->end && *t->at >= '0' && *t->at <= '9' && t->at - from < MOST_DIGITS)
    v = v * 10 + (*t->at++ - '0');
  *out = v;
  return t->at > from && (*from != '0' || t->at - from == 1);
}

// {"as_int": 3}
static bool meta_whole(meta_text *t, int64_t *out) {
  return meta_word(t, "{\"as_int\": ") && meta_int(t, out) && meta_word(t, "}");
}

static bool meta_list(meta_text *t, int64_t out[WEFT_MAX_RANK], size_t *n) {
  *n = 0;
  if (!meta_word(t, "["))
    return false;
  if (meta_word(t, "]"))
    return true;
  do {
    if (*n == WEFT_MAX_RANK || !meta_whole(t, &out[(*n)++]))
      return false;
  } while (meta_word(t, ", "));
  return meta_word(t, "]");
}

static bool meta_type(meta_text *t, weft_dtype *out) {
  int64_t number;
  return meta_word(t, "{\"dtype\": ") && meta_int(t, &number) && meta_word(t, ", ") && pt_dtype(number, out);
}

static bool meta_device(meta_text *t) {
  if (!meta_word(t, ", \"device\": {"))
    return false;
  const char *end = memchr(t->at, '}', (size_t)(t->end - t->at));
  if (end)
    t->at = end + 1;
  return end;
}

static bool meta_plain_view(const weft_json *text, pt_view *v) {
  meta_text t = {text->s, text->s + text->s_bytes};
  size_t strides;
  int64_t layout;
  if (!meta_type(&t, &v->t) || !meta_word(&t, "\"sizes\": ") || !meta_list(&t, v->dims, &v->rank))
    return false;
  if (!meta_word(&t, ", \"requires_grad\": ") || (!meta_word(&t, "true") && !meta_word(&t, "false")))
    return false;
  if (!meta_device(&t) || !meta_word(&t, ", \"strides\": ") || !meta_list(&t, v->strides, &strides))
    return false;
  if (!meta_word(&t, ", \"storage_offset\": ") || !meta_whole(&t, &v->offset))
    return false;
  return meta_word(&t, ", \"layout\": ") && meta_int(&t, &layout) && meta_word(&t, "}") && t.at == t.end &&
         strides == v->rank;
}

weft_status pt_view_of(pt_import *m, const weft_json *text, pt_view *v) {
  const weft_json *meta;
  if (text && text->kind == WEFT_JSON_STRING && meta_plain_view(text, v))
    return WEFT_OK;
  WEFT_TRY(pt_parse_text(m, text, &meta));
  return meta_view(m, meta, v);
}

weft_dtype pt_dtype_of(pt_import *m, pt_value *v) {
  weft_dtype t;
  if (v->meta && v->meta->kind == WEFT_JSON_STRING) {
    meta_text text = {v->meta->s, v->meta->s + v->meta->s_bytes};
    if (meta_type(&text, &t))
      return t;
  }
  return pt_meta_dtype(pt_meta(m, v));
}
// SPDX-License-Identifier: Apache-2.0
