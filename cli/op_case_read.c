// op_case_read.c - tensors and attributes of a case in JSON (op_case.h). Numbers stand in a flat list, a
// complex one as a pair; what JSON has no word for is text ("nan", "inf", "-inf"); large tensors lie in a
// .npz.
#include <inttypes.h>
#include <math.h>

#include "op_case.h"

// ---- tensors ----
static weft_status case_shape(const json *j, weft_dim *dims, size_t *out_rank, weft_diag *d) {
  const json *shape = json_get(j, "shape");
  if (!shape || shape->kind != JSON_LIST || shape->n > WEFT_MAX_RANK)
    return weft_fail(d, WEFT_E_SYNTAX, "'shape' is not a list of at most %d sizes", WEFT_MAX_RANK);
  for (size_t i = 0; i < shape->n; i++) {
    if (shape->items[i].kind != JSON_NUMBER || shape->items[i].whole < 0)
      return weft_fail(d, WEFT_E_SYNTAX, "size %zu of 'shape' is not a number from 0", i);
    dims[i] = shape->items[i].whole;
  }
  *out_rank = shape->n;
  return WEFT_OK;
}

static bool case_real(const json *j, double *out) {
  static const struct {
    const char *word;
    double value;
  } words[] = {{"nan", NAN}, {"inf", INFINITY}, {"-inf", -INFINITY}};
  *out = j->number;
  if (j->kind != JSON_TEXT)
    return j->kind == JSON_NUMBER || j->kind == JSON_BOOL;
  for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
    *out = words[i].value;
    if (!strcmp(j->text, words[i].word))
      return true;
  }
  return false;
}

// Element i of numbers; `bits`: a pattern of 16 bits.
static bool case_number(weft_tensor *t, size_t i, const json *j, bool bits) {
  double v;
  if (weft_dtype_is_float(t->dtype) && !bits) {
    if (!case_real(j, &v))
      return false;
    weft_store_f64(t->dtype, t->data, i, v);
    return true;
  }
  if (j->kind != JSON_NUMBER && j->kind != JSON_BOOL)
    return false;
  const int64_t whole = j->kind == JSON_BOOL ? j->number != 0 : j->whole;
  weft_store_i64(bits ? WEFT_UINT16 : t->dtype, t->data, i, whole);
  return true;
}

static bool case_pair(weft_tensor *t, size_t i, const json *j) {
  const weft_dtype part = t->dtype == WEFT_COMPLEX64 ? WEFT_FLOAT : WEFT_DOUBLE;
  if (j->kind != JSON_LIST || j->n != 2)
    return false;
  for (size_t k = 0; k < 2; k++) {
    double v;
    if (!case_real(&j->items[k], &v))
      return false;
    weft_store_f64(part, t->data, 2 * i + k, v);
  }
  return true;
}

static weft_status case_strings(const json *data, const weft_dim *dims, size_t rank, weft_tensor *t,
                                weft_diag *d) {
  const char **text = calloc(data->n + 1, sizeof *text);
  weft_status s = text ? WEFT_OK : weft_fail(d, WEFT_E_NOMEM, "out of memory");
  for (size_t i = 0; !s && i < data->n; i++) {
    text[i] = data->items[i].text;
    if (data->items[i].kind != JSON_TEXT)
      s = weft_fail(d, WEFT_E_SYNTAX, "element %zu of 'data' is not text", i);
  }
  if (!s)
    s = weft_tensor_set_strings(t, dims, rank, text, NULL, d);
  free(text);
  return s;
}

static weft_status case_elements(const json *j, weft_tensor *t, const json *data, weft_diag *d) {
  const bool pairs = t->dtype == WEFT_COMPLEX64 || t->dtype == WEFT_COMPLEX128;
  const json *flag = json_get(j, "bits");
  const bool bits = flag && flag->number != 0 && t->dtype == WEFT_BF16;
  for (size_t i = 0; i < data->n; i++) {
    const json *item = &data->items[i];
    if (pairs ? !case_pair(t, i, item) : !case_number(t, i, item, bits))
      return weft_fail(d, WEFT_E_SYNTAX, "element %zu of 'data' is no %s", i, weft_dtype_name(t->dtype));
  }
  return WEFT_OK;
}

static int64_t case_product(const weft_dim *dims, size_t rank) {
  int64_t n = 1;
  for (size_t i = 0; i < rank; i++) {
    if (__builtin_mul_overflow(n, dims[i], &n))
      return -1;
  }
  return n;
}

static weft_status case_listed(const json *j, weft_dtype dtype, weft_tensor *t, weft_diag *d) {
  const json *data = json_get(j, "data");
  weft_dim dims[WEFT_MAX_RANK];
  size_t rank;
  if (!data || data->kind != JSON_LIST)
    return weft_fail(d, WEFT_E_SYNTAX, "neither 'data' nor 'file' is there");
  WEFT_TRY(case_shape(j, dims, &rank, d));
  const int64_t elems = case_product(dims, rank);
  if (elems < 0 || (uint64_t)elems != data->n)
    return weft_fail(d, WEFT_E_SHAPE, "'data' has %zu elements, 'shape' %" PRId64, data->n, elems);
  if (dtype == WEFT_STRING)
    return case_strings(data, dims, rank, t, d);
  WEFT_TRY(weft_tensor_alloc(t, dtype, dims, rank, d));
  return case_elements(j, t, data, d);
}

// "c3.npz:name" in the case's folder.
static weft_status case_filed(const char *dir, const char *file, weft_dtype dtype, weft_tensor *t,
                              weft_diag *d) {
  char path[4096];
  weft_npz *z;
  size_t at;
  const char *colon = strrchr(file, ':');
  if (!colon)
    return weft_fail(d, WEFT_E_SYNTAX, "'file' is \"%s\": expected ARCHIVE.npz:NAME", file);
  snprintf(path, sizeof path, "%s/%.*s", dir, (int)(colon - file), file);
  WEFT_TRY(weft_npz_open(path, &z, d));
  weft_npz_set_limit(z, limits_of_tool()->memory_limit_bytes);
  weft_status s = weft_npz_find(z, colon + 1, &at)
                      ? weft_npz_get(z, at, t, d)
                      : weft_fail(d, WEFT_E_NOT_FOUND, "'%s' holds no '%s'", path, colon + 1);
  weft_npz_close(z);
  if (!s && dtype == WEFT_BF16 && t->dtype == WEFT_UINT16)
    t->dtype = WEFT_BF16;
  if (!s && t->dtype != dtype) {
    s = weft_fail(d, WEFT_E_DTYPE, "'%s' is %s, the case says %s", file, weft_dtype_name(t->dtype),
                  weft_dtype_name(dtype));
  }
  return s;
}

weft_status op_case_tensor(const char *dir, const json *j, weft_tensor *t, weft_diag *d) {
  const char *word = json_text(j, "dtype");
  const char *file = json_text(j, "file");
  const weft_dtype dtype = word ? weft_dtype_parse(word, strlen(word)) : WEFT_UNDEFINED;
  weft_tensor_init(t, limits_allocator());
  if (dtype == WEFT_UNDEFINED)
    return weft_fail(d, WEFT_E_SYNTAX, "'dtype' is \"%s\", which is no dtype", word ? word : "");
  return limits_explain(file ? case_filed(dir, file, dtype, t, d) : case_listed(j, dtype, t, d), d);
}

// ---- attributes ----
typedef struct words {  // text that a value is written to
  char text[16384];
  size_t n;
  bool full;
} words;

static void words_add(words *w, const char *text) {
  const size_t n = strlen(text);
  w->full |= n >= sizeof w->text - w->n;
  if (w->full)
    return;
  memcpy(w->text + w->n, text, n + 1);
  w->n += n;
}

static void words_quote(words *w, const char *text) {
  words_add(w, "\"");
  for (; *text; text++) {
    const char one[3] = {*text == '"' || *text == '\\' ? '\\' : *text, *text, 0};
    words_add(w, one[0] == '\\' ? one : one + 1);
  }
  words_add(w, "\"");
}

// In the words of weft_attr_parse.
static void words_value(words *w, const json *j, bool dtypes) {
  char number[64];
  switch (j->kind) {
    case JSON_BOOL:
      words_add(w, j->number != 0 ? "true" : "false");
      break;
    case JSON_NUMBER:
      if ((double)j->whole == j->number)
        snprintf(number, sizeof number, "%" PRId64, j->whole);
      else
        snprintf(number, sizeof number, "%.17g", j->number);
      words_add(w, number);
      break;
    case JSON_TEXT:
      if (dtypes)
        words_add(w, j->text);
      else
        words_quote(w, j->text);
      break;
    default:
      words_add(w, "[");
      for (size_t i = 0; i < j->n; i++) {
        words_add(w, i ? "," : "");
        words_value(w, &j->items[i], dtypes);
      }
      words_add(w, "]");
  }
}

static weft_status case_attr(const char *type, const json *j, weft_attr_pool *pool, weft_attr *out,
                             weft_diag *d) {
  const bool number = j->kind == JSON_TEXT && !strcmp(type, "Float");  // "inf"
  words *w = calloc(1, sizeof *w);
  if (!w)
    return weft_fail(d, WEFT_E_NOMEM, "out of memory");
  words_value(w, j, number || strstr(type, "Type"));
  weft_status s = w->full ? weft_fail(d, WEFT_E_LIMIT, "more than %zu bytes", sizeof w->text)
                          : weft_attr_pool_parse(pool, type, w->text, out, d);
  free(w);
  return s;
}

weft_status op_case_attrs(const weft_proto *p, const json *j, weft_attr_pool *pool, weft_named_attr *out,
                          weft_diag *d) {
  for (size_t i = 0; j && i < j->n; i++) {
    const int slot = weft_proto_find_attr(p, j->keys[i]);
    if (slot < 0)
      return weft_fail(d, WEFT_E_NOT_FOUND, "the operator has no attribute '%s'", j->keys[i]);
    const weft_attr_decl *decl = weft_proto_attr(p, (uint32_t)slot);
    out[i].name = decl->name;
    weft_status s = case_attr(decl->type, &j->items[i], pool, &out[i].value, d);
    if (s)
      weft_note(d, "in attribute '%s'", decl->name);
    WEFT_TRY(s);
  }
  return WEFT_OK;
}
// SPDX-License-Identifier: Apache-2.0
