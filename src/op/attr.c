// attr.c - attribute values: names of types, reading, equality, deep copies.
// A value is a tag and a union; `n` counts a list's elements or a string's bytes. Reading never converts.
#include "op/attr.h"

#include <math.h>

const char *weft_attr_type_name(weft_attr_type t) {
  switch (t) {
#define WEFT_X(name, code, token) \
  case code:                      \
    return token;
    WEFT_ATTR_TYPE_LIST(WEFT_X)
#undef WEFT_X
    default:
      return "None";
  }
}

weft_attr_type weft_attr_type_parse(const char *token, size_t bytes) {
  if (bytes && !token)
    return WEFT_VT_NONE;
#define WEFT_X(name, code, text)                                           \
  if (bytes == sizeof(text) - 1 && !memcmp(token, text, sizeof(text) - 1)) \
    return code;
  WEFT_ATTR_TYPE_LIST(WEFT_X)
#undef WEFT_X
  return WEFT_VT_NONE;
}

// ---- equality ----

static bool same_float(float a, float b) {
  return (isnan(a) && isnan(b)) || !memcmp(&a, &b, sizeof a);
}

static bool attr_same_bytes(const void *a, const void *b, size_t bytes) {
  return !bytes || a == b || !memcmp(a, b, bytes);
}

static bool same_elements(const weft_attr *a, const weft_attr *b) {
  const weft__list_type *type = weft__list_type_of(a->type);
  if (a->n != b->n || (a->n && !type))
    return false;
  weft_attr x = {.type = type ? type->item : WEFT_VT_NONE};
  weft_attr y = x;
  for (size_t i = 0; i < a->n; i++) {
    type->get(a, i, &x);
    type->get(b, i, &y);
    if (!weft_attr_equal(&x, &y))
      return false;
  }
  return true;
}

bool weft_attr_equal(const weft_attr *a, const weft_attr *b) {
  if (!a || !b)
    return false;
  if (a->type != b->type)
    return false;
  switch (a->type) {
    case WEFT_VT_NONE:
      return true;
    case WEFT_VT_INT:
    case WEFT_VT_TYPE:
      return a->u.i == b->u.i;
    case WEFT_VT_FLOAT:
      return same_float(a->u.f, b->u.f);
    case WEFT_VT_BOOL:
      return a->u.b == b->u.b;
    case WEFT_VT_STRING:
    case WEFT_VT_BYTES:
      return a->n == b->n && attr_same_bytes(a->u.s, b->u.s, a->n);
    case WEFT_VT_TENSOR:
      return weft__tensor_same(a->u.tensor, b->u.tensor);
    default:
      return same_elements(a, b);
  }
}

// ---- typed reading ----

static weft_status attr_expect(const weft_attr *a, weft_attr_type type, weft_diag *d) {
  if (a->type == type)
    return WEFT_OK;
  return weft_fail(d, WEFT_E_TYPE, "attribute value: expected %s (VT: %d), got %s (VT: %d)",
                   weft_attr_type_name(type), type, weft_attr_type_name(a->type), a->type);
}

weft_status weft_attr_get_int(const weft_attr *a, int64_t *out, weft_diag *d) {
  WEFT_NEED(d, a);
  WEFT_NEED(d, out);
  WEFT_TRY(attr_expect(a, WEFT_VT_INT, d));
  *out = a->u.i;
  return WEFT_OK;
}

weft_status weft_attr_get_float(const weft_attr *a, float *out, weft_diag *d) {
  WEFT_NEED(d, a);
  WEFT_NEED(d, out);
  WEFT_TRY(attr_expect(a, WEFT_VT_FLOAT, d));
  *out = a->u.f;
  return WEFT_OK;
}

weft_status weft_attr_get_bool(const weft_attr *a, bool *out, weft_diag *d) {
  WEFT_NEED(d, a);
  WEFT_NEED(d, out);
  WEFT_TRY(attr_expect(a, WEFT_VT_BOOL, d));
  *out = a->u.b;
  return WEFT_OK;
}

weft_status weft_attr_get_str(const weft_attr *a, weft_str *out, weft_diag *d) {
  WEFT_NEED(d, a);
  WEFT_NEED(d, out);
  WEFT_TRY(attr_expect(a, WEFT_VT_STRING, d));
  *out = (weft_str){a->u.s, a->n};
  return WEFT_OK;
}

weft_status weft_attr_get_ints(const weft_attr *a, weft_ints *out, weft_diag *d) {
  WEFT_NEED(d, a);
  WEFT_NEED(d, out);
  WEFT_TRY(attr_expect(a, WEFT_VT_LIST_INT, d));
  *out = (weft_ints){a->u.ints, a->n};
  return WEFT_OK;
}

// ---- copies ----

// An arena seen as an allocator: freeing does nothing, resizing copies.
static void *arena_memory(void *ctx, void *ptr, size_t old_bytes, size_t new_bytes, size_t align) {
  if (!new_bytes)
    return NULL;
  if (ptr && new_bytes <= old_bytes)
    return ptr;
  void *p = weft__arena_alloc(ctx, new_bytes, align);
  if (p && ptr)
    memcpy(p, ptr, old_bytes);
  return p;
}

weft_tensor *weft__attr_tensor_new(weft_arena *arena) {
  weft_allocator a = {arena_memory, arena};
  weft_tensor *t = WEFT_NEW(arena, weft_tensor);
  if (t)
    weft_tensor_init(t, &a);
  return t;
}

static weft_status copy_tensor(const weft_tensor *from, weft_arena *arena, const weft_tensor **out) {
  weft_tensor *t = weft__attr_tensor_new(arena);
  if (!t)
    return WEFT_E_NOMEM;
  WEFT_TRY(weft_tensor_copy(t, from, NULL));
  *out = t;
  return WEFT_OK;
}

static weft_status copy_text(const weft_attr *a, weft_arena *arena, const char **out) {
  *out = weft__arena_strdup(arena, a->n ? a->u.s : "", a->n);
  return *out ? WEFT_OK : WEFT_E_NOMEM;
}

static weft_status copy_list(const weft_attr *a, weft_arena *arena, weft_attr *out) {
  const weft__list_type *type = weft__list_type_of(a->type);
  if (!type)
    return WEFT_E_UNSUPPORTED;
  void *to = weft__arena_array(arena, a->n, type->item_bytes, type->align);
  if (!to)
    return WEFT_E_NOMEM;
  if (type->plain && a->n)
    memcpy(to, a->u.ints, a->n * type->item_bytes);
  for (size_t i = 0; !type->plain && i < a->n; i++) {
    weft_attr item = weft__attr_item(a, i);
    WEFT_TRY(weft_attr_copy(&item, arena, &item));
    type->set(to, i, &item);
  }
  out->u.ints = to;  // all lists are pointers there
  return WEFT_OK;
}

weft_status weft_attr_copy(const weft_attr *a, weft_arena *arena, weft_attr *out) {
  WEFT_NEED(NULL, a);
  WEFT_NEED(NULL, arena);
  WEFT_NEED(NULL, out);
  weft_attr c = *a;
  switch (a->type) {
    case WEFT_VT_NONE:
    case WEFT_VT_INT:
    case WEFT_VT_TYPE:
    case WEFT_VT_FLOAT:
    case WEFT_VT_BOOL:
      break;
    case WEFT_VT_STRING:
    case WEFT_VT_BYTES:
      WEFT_TRY(copy_text(a, arena, &c.u.s));
      break;
    case WEFT_VT_TENSOR:
      WEFT_TRY(copy_tensor(a->u.tensor, arena, &c.u.tensor));
      break;
    default:
      WEFT_TRY(copy_list(a, arena, &c));
  }
  *out = c;
  return WEFT_OK;
}
// SPDX-License-Identifier: Apache-2.0
