// safetensors.c - weights in files of safetensors: eight bytes that say how long the header is, the header,
// which is JSON with dtype, shape and place of each tensor by its name, and the data. Every place is checked
// against the file before anything is read there; a file that is wrong anywhere changes nothing.
#include <stdlib.h>

#include "base/allocated.h"
#include "base/file.h"
#include "ir/ir.h"
#include "weft/file.h"
#include "weft/weights.h"

enum { SAFE_HEAD = 8, SAFE_MOST = 100000000 };

static const struct {
  const char *name;
  weft_dtype t;
} safe_types[] = {{"F64", WEFT_DOUBLE},
                  {"F32", WEFT_FLOAT},
                  {"F16", WEFT_FLOAT16},
                  {"BF16", WEFT_BF16},
                  {"I64", WEFT_INT64},
                  {"I32", WEFT_INT32},
                  {"I16", WEFT_INT16},
                  {"I8", WEFT_INT8},
                  {"U8", WEFT_UINT8},
                  {"U16", WEFT_UINT16},
                  {"U32", WEFT_UINT32},
                  {"U64", WEFT_UINT64},
                  {"BOOL", WEFT_BOOL},
                  {"F8_E4M3", WEFT_FLOAT8_E4M3FN},
                  {"F8_E5M2", WEFT_FLOAT8_E5M2},
                  {"F8_E8M0", WEFT_FLOAT8_E8M0},
                  {"C64", WEFT_COMPLEX64}};

typedef struct safe {  // one file
  weft_file file;
  weft_allocator alloc;
  weft_arena arena;
  const weft_json *header;
  const uint8_t *data;
  size_t bytes;  // of data
} safe;

static void safe_drop(void *ctx) {
  safe *s = ctx;
  weft_allocator a = s->alloc;
  weft__file_unmap(&s->file);
  weft__arena_deinit(&s->arena);
  weft__free(&a, s, sizeof *s, _Alignof(safe));
}

static weft_status safe_open(safe *s, const char *path, size_t copied, weft_diag *d) {
  uint64_t n = 0;
  weft_json *header;
  WEFT_TRY(weft__file_take(path, copied, &s->file, d));
  if (s->file.bytes < SAFE_HEAD)
    return weft_fail(d, WEFT_E_TRUNCATED, "'%s' has %zu bytes: it is no safetensors file", path,
                     s->file.bytes);
  for (size_t i = 0; i < SAFE_HEAD; i++)
    n |= (uint64_t)s->file.data[i] << (8 * i);
  if (n > SAFE_MOST)
    return weft_fail(d, WEFT_E_LIMIT, "'%s': a header of %llu bytes, at most %d are read", path,
                     (unsigned long long)n, SAFE_MOST);
  if (n > s->file.bytes - SAFE_HEAD)
    return weft_fail(d, WEFT_E_TRUNCATED, "'%s': a header of %llu bytes in a file of %zu", path,
                     (unsigned long long)n, s->file.bytes);
  WEFT_TRY(weft__json_parse((const char *)s->file.data + SAFE_HEAD, (size_t)n, &s->arena, &header, d));
  if (header->kind != WEFT_JSON_OBJECT)
    return weft_fail(d, WEFT_E_SYNTAX, "'%s': its header is no JSON object", path);
  s->header = header;
  s->data = s->file.data + SAFE_HEAD + n;
  s->bytes = s->file.bytes - SAFE_HEAD - (size_t)n;
  return WEFT_OK;
}

// ---- one tensor ----
static weft_status safe_dtype(const weft_json *entry, weft_dtype *out, weft_diag *d) {
  const weft_json *v = weft__json_get(entry, "dtype");
  for (size_t i = 0; v && v->kind == WEFT_JSON_STRING && i < WEFT_COUNT(safe_types); i++) {
    if (strcmp(v->s, safe_types[i].name))
      continue;
    *out = safe_types[i].t;
    return WEFT_OK;
  }
  return weft_fail(d, WEFT_E_DTYPE, "its dtype '%.20s' is not known",
                   v && v->kind == WEFT_JSON_STRING ? v->s : "");
}

static weft_status safe_tensor(const safe *s, const weft_json *entry, weft_tensor *t, weft_diag *d) {
  const weft_json *shape = weft__json_get(entry, "shape");
  const weft_json *place = weft__json_get(entry, "data_offsets");
  weft_dim dims[WEFT_MAX_RANK];
  weft_dtype dtype;
  WEFT_TRY(safe_dtype(entry, &dtype, d));
  bool two = place && place->kind == WEFT_JSON_ARRAY && place->n == 2 && place->items[0].is_int &&
             place->items[1].is_int;
  if (!two || !shape || shape->kind != WEFT_JSON_ARRAY || shape->n > WEFT_MAX_RANK)
    return weft_fail(d, WEFT_E_SYNTAX, "its shape or its data_offsets cannot be read");
  int64_t from = place->items[0].i;
  int64_t to = place->items[1].i;
  if (from < 0 || to < from || (uint64_t)to > s->bytes)
    return weft_fail(d, WEFT_E_CORRUPT, "bytes %lld to %lld pass the %zu bytes of data", (long long)from,
                     (long long)to, s->bytes);
  for (size_t i = 0; i < shape->n; i++) {
    dims[i] = shape->items[i].i;
    if (!shape->items[i].is_int || dims[i] < 0)
      return weft_fail(d, WEFT_E_SYNTAX, "dim %zu of its shape is no size", i);
  }
  return weft_tensor_borrow(t, dtype, dims, shape->n, (void *)(uintptr_t)(s->data + from),
                            (size_t)(to - from), d);
}

// ---- reading ----
static weft_value *safe_constant(const weft_graph *g, const char *name) {
  weft_value *v = weft_graph_find_value(g, name);
  return v && weft_value_origin(v) == WEFT_VALUE_CONST ? v : NULL;
}

static weft_status safe_fits(const weft_value *v, const weft_tensor *t, weft_diag *d) {
  const char *name = weft_value_name(v);
  const weft_shape *s = &t->layout.origin;
  char have[128];
  char want[128];
  weft_tensor_desc desc;
  if (v->fact.dtype != t->dtype)
    return weft_fail(d, WEFT_E_DTYPE, "tensor '%.200s': the file's dtype is %s, the model's %s", name,
                     weft_dtype_serial(t->dtype), weft_dtype_serial(v->fact.dtype));
  bool same = v->fact.rank == s->rank;
  for (size_t i = 0; same && i < s->rank; i++)
    same = v->fact.dims[i] == s->dim[i];
  if (same)
    return WEFT_OK;
  weft_value_desc(v, &desc);
  return weft_fail(d, WEFT_E_SHAPE, "tensor '%.200s': the file's shape is %s, the model's %s", name,
                   weft_shape_text(s, NULL, have, sizeof have),
                   weft_shape_text(&desc.layout.origin, NULL, want, sizeof want));
}

// All are looked at before any is changed.
static weft_status safe_replace(const safe *s, weft_graph *g, bool really, size_t *out_n, weft_diag *d) {
  *out_n = 0;
  for (size_t i = 0; i < s->header->n; i++) {
    const char *name = s->header->keys[i];
    weft_value *v = safe_constant(g, name);
    weft_tensor look;
    weft_tensor *t = &look;
    if (!v)
      continue;
    if (really && !(t = weft__graph_tensor(g)))
      return weft_fail(d, WEFT_E_NOMEM, "out of memory");
    if (!really)
      weft_tensor_init(t, &s->alloc);
    weft_status st = safe_tensor(s, &s->header->items[i], t, d);
    if (st)
      weft_note(d, "in tensor '%.200s'", name);
    WEFT_TRY(st);
    WEFT_TRY(safe_fits(v, t, d));
    ++*out_n;
    if (really)
      v->fact.value = t;
  }
  return WEFT_OK;
}

static weft_status safe_load(safe *s, weft_graph *g, const char *path, size_t *out_n, weft_diag *d) {
  WEFT_TRY(safe_open(s, path, weft__env_copy_most(weft_graph_env(g)), d));
  WEFT_TRY(safe_replace(s, g, false, out_n, d));
  if (!*out_n)
    return weft_fail(d, WEFT_E_NOT_FOUND, "none of the %zu tensors has the name of a constant of the model",
                     s->header->n);
  if (s->file.fd >= 0)
    WEFT_TRY(weft__graph_mapped(g, s->file.data, s->file.bytes, s->file.fd));
  WEFT_TRY(weft_graph_keep(g, safe_drop, s));
  weft__graph_changed(g);
  return safe_replace(s, g, true, out_n, d);
}

weft_status weft_weights_load(weft_graph *g, const char *path, size_t *out_n, weft_diag *d) {
  size_t n = 0;
  WEFT_NEED(d, g);
  WEFT_NEED(d, path);
  weft_allocator a = g->root->alloc;
  size_t kept = g->root->keeps.n;
  safe *s = weft__alloc(&a, sizeof *s, _Alignof(safe));
  WEFT_TRY(weft__allocated(s, d));
  *s = (safe){.alloc = a, .file = {.fd = -1}};
  weft__arena_init(&s->arena, &a);
  weft_status st = safe_load(s, g, path, &n, d);
  if (st)
    weft_note(d, "while reading the weights in '%s'", path);
  if (st && g->root->keeps.n == kept)
    safe_drop(s);
  if (out_n)
    *out_n = n;
  return st;
}

// ---- writing ----
static int safe_order(const void *a, const void *b) {
  const weft_value *const *x = a;
  const weft_value *const *y = b;
  return strcmp((*x)->name, (*y)->name);
}

static const char *safe_type(weft_dtype t) {
  for (size_t i = 0; i < WEFT_COUNT(safe_types); i++) {
    if (safe_types[i].t == t)
      return safe_types[i].name;
  }
  return NULL;
}

static size_t safe_bytes(const weft_tensor *t) {
  return (size_t)weft_tensor_elems(t) * (weft_dtype_bits(t->dtype) / 8);
}

static weft_status safe_entry(weft_text *text, const weft_value *v, uint64_t *at, weft_diag *d) {
  const weft_tensor *t = weft_value_data(v);
  const char *type = t && t->kind == WEFT_KIND_TENSOR ? safe_type(t->dtype) : NULL;
  if (!type)
    return weft_fail(d, WEFT_E_DTYPE, "constant '%s' has dtype %s, which safetensors does not have", v->name,
                     weft_dtype_serial(v->fact.dtype));
  weft__text_addf(text, "%s", text->n > SAFE_HEAD + 1 ? "," : "");
  (void)weft__write_quoted(weft__text_write, text, v->name, strlen(v->name));
  weft__text_addf(text, ":{\"dtype\":\"%s\",\"shape\":[", type);
  for (size_t i = 0; i < t->layout.origin.rank; i++)
    weft__text_addf(text, "%s%lld", i ? "," : "", (long long)t->layout.origin.dim[i]);
  weft__text_addf(text, "],\"data_offsets\":[%llu,%llu]}", (unsigned long long)*at,
                  (unsigned long long)(*at + safe_bytes(t)));
  *at += safe_bytes(t);
  return WEFT_OK;
}

static weft_status safe_write(const weft_value *const *v, size_t n, weft_text *text, weft_file_out *f,
                              weft_diag *d) {
  static const char room[SAFE_HEAD] = {0};
  uint64_t at = 0;
  weft__text_add(text, room, SAFE_HEAD);
  weft__text_add(text, "{", 1);
  for (size_t i = 0; i < n; i++)
    WEFT_TRY(safe_entry(text, v[i], &at, d));
  weft__text_add(text, "}", 1);
  while (text->n % SAFE_HEAD && !text->failed)
    weft__text_add(text, " ", 1);
  WEFT_TRY(weft__allocated(!text->failed, d));
  for (size_t i = 0; i < SAFE_HEAD; i++)
    text->v[i] = (char)((uint64_t)(text->n - SAFE_HEAD) >> (8 * i));
  WEFT_TRY(weft_file_write(f, text->v, text->n));
  for (size_t i = 0; i < n; i++) {
    const weft_tensor *t = weft_value_data(v[i]);
    WEFT_TRY(weft_file_write(f, t->data, safe_bytes(t)));
  }
  return WEFT_OK;
}

weft_status weft_weights_save(const weft_graph *g, const char *path, weft_diag *d) {
  weft_file_out *f;
  weft_text text;
  WEFT_NEED(d, g);
  WEFT_NEED(d, path);
  const weft_allocator *a = &g->root->alloc;
  size_t n = 0;
  size_t bytes = (g->consts.n + 1) * sizeof(weft_value *);
  const weft_value **v = weft__alloc(a, bytes, _Alignof(weft_value *));
  WEFT_TRY(weft__allocated(v, d));
  for (size_t i = 0; i < g->consts.n; i++) {
    if (strncmp(g->consts.v[i]->name, "weft/", 5))  // not the reader's own: axes, numbers
      v[n++] = g->consts.v[i];
  }
  qsort(v, n, sizeof *v, safe_order);
  weft__text_init(&text, a);
  weft_status s = weft_file_create(path, &f, d);
  if (!s)
    s = weft_file_finish(f, safe_write(v, n, &text, f, d), d);
  weft__text_deinit(&text);
  weft__free(a, v, bytes, _Alignof(weft_value *));
  return s;
}
// SPDX-License-Identifier: Apache-2.0
