// flex.c - flexbuffers. A value is a slot in what holds it, and a byte that says what it is: small ones stand
// in the slot, of others it says how far before it they lie.
#include "frontend/tflite/flex.h"

enum {  // types, as the format numbers them
  TYPE_NULL,
  TYPE_INT,
  TYPE_UINT,
  TYPE_FLOAT,
  TYPE_KEY,
  TYPE_STRING,
  TYPE_INDIRECT_INT,
  TYPE_INDIRECT_UINT,
  TYPE_INDIRECT_FLOAT,
  TYPE_MAP,
  TYPE_VECTOR,
  TYPE_VECTOR_INT,
  TYPE_VECTOR_UINT,
  TYPE_VECTOR_FLOAT,
  TYPE_VECTOR_KEY,
  TYPE_BLOB = 25,
  TYPE_BOOL,
  TYPE_VECTOR_BOOL = 36
};
enum { FLEX_KEY = 256 };  // bytes of a key, with the zero at its end

static bool flex_uint(const flex *f, size_t at, uint8_t width, uint64_t *out) {
  *out = 0;
  if (at > f->bytes || f->bytes - at < width)
    return false;
  for (uint8_t i = width; i-- > 0;)
    *out = *out << 8 | f->data[at + i];
  return true;
}

static flex_value flex_int(const flex *f, size_t at, uint8_t width, bool sign) {
  uint64_t v;
  if (!flex_uint(f, at, width, &v))
    return (flex_value){.kind = FLEX_BAD};
  const unsigned unused = 64 - 8u * width;
  if (sign && unused)
    v = v >> (8 * width - 1) & 1 ? v | ~UINT64_C(0) << (8 * width) : v;
  return (flex_value){.kind = FLEX_INT, .i = (int64_t)v};
}

static flex_value flex_float(const flex *f, size_t at, uint8_t width) {
  uint64_t bits;
  flex_value v = {.kind = FLEX_FLOAT};
  if (width < 4 || !flex_uint(f, at, width, &bits))
    return (flex_value){.kind = FLEX_BAD};
  const uint32_t low = (uint32_t)bits;
  float single;
  memcpy(&single, &low, sizeof single);
  v.f = (double)single;
  if (width == 8)
    memcpy(&v.f, &bits, sizeof v.f);
  return v;
}

// What a slot points at; false: outside.
static bool flex_follow(const flex *f, size_t at, uint8_t width, size_t *out) {
  uint64_t back;
  if (!flex_uint(f, at, width, &back) || back > at)
    return false;
  *out = at - (size_t)back;
  return true;
}

// A text, or a key, which ends in zero: many may show the same long one, so that their length is bounded.
static flex_value flex_text(const flex *f, size_t at, uint8_t width, bool sized) {
  const size_t room = WEFT_MIN(f->bytes - at, FLEX_KEY);
  uint64_t n = 0;
  if (sized && (at < width || !flex_uint(f, at - width, width, &n)))
    return (flex_value){.kind = FLEX_BAD};
  if (!sized)
    n = strnlen((const char *)f->data + at, room);
  if (sized ? n > f->bytes - at : n == room)
    return (flex_value){.kind = FLEX_BAD};
  return (flex_value){.kind = FLEX_TEXT, .text = (const char *)f->data + at, .n = (size_t)n};
}

static flex_value flex_many(const flex *f, size_t at, uint8_t width, flex_kind kind, uint8_t items) {
  uint64_t n;
  const size_t each = items ? width : width + 1u;
  const bool sized = at >= width && flex_uint(f, at - width, width, &n);
  if (!sized || n > (f->bytes - at) / each || (kind == FLEX_MAP && at < 3u * width))
    return (flex_value){.kind = FLEX_BAD};
  return (flex_value){.kind = kind, .n = (size_t)n, .at = at, .width = width, .items = items};
}

// What a value is that its slot only points at.
static flex_value flex_pointed(const flex *f, size_t to, uint8_t width, uint8_t type) {
  switch (type) {
    case TYPE_KEY:
    case TYPE_STRING:
      return flex_text(f, to, width, type == TYPE_STRING);
    case TYPE_INDIRECT_INT:
    case TYPE_INDIRECT_UINT:
      return flex_int(f, to, width, type == TYPE_INDIRECT_INT);
    case TYPE_INDIRECT_FLOAT:
      return flex_float(f, to, width);
    case TYPE_MAP:
      return flex_many(f, to, width, FLEX_MAP, 0);
    case TYPE_VECTOR:
      return flex_many(f, to, width, FLEX_LIST, 0);
    case TYPE_VECTOR_INT:
    case TYPE_VECTOR_UINT:
    case TYPE_VECTOR_FLOAT:
    case TYPE_VECTOR_KEY:
      return flex_many(f, to, width, FLEX_LIST, (uint8_t)(type - TYPE_VECTOR_INT + TYPE_INT));
    case TYPE_VECTOR_BOOL:
      return flex_many(f, to, width, FLEX_LIST, TYPE_BOOL);
    default:
      return (flex_value){.kind = FLEX_BAD};
  }
}

static flex_value flex_bool(const flex *f, size_t at, uint8_t width) {
  flex_value v = flex_int(f, at, width, false);
  v.kind = v.kind == FLEX_INT ? FLEX_BOOL : FLEX_BAD;
  return v;
}

// The value in the slot at `at`, which is `width` bytes wide.
static flex_value flex_slot(const flex *f, size_t at, uint8_t width, uint8_t packed) {
  const uint8_t type = packed >> 2;
  const uint8_t own = (uint8_t)(1u << (packed & 3));
  size_t to = 0;
  switch (type) {
    case TYPE_NULL:
      return (flex_value){.kind = FLEX_NULL};
    case TYPE_INT:
    case TYPE_UINT:
      return flex_int(f, at, width, type == TYPE_INT);
    case TYPE_FLOAT:
      return flex_float(f, at, width);
    case TYPE_BOOL:
      return flex_bool(f, at, width);
    default:
      return flex_follow(f, at, width, &to) ? flex_pointed(f, to, own, type) : (flex_value){.kind = FLEX_BAD};
  }
}

flex_value flex_root(const flex *f) {
  const size_t n = f->bytes;
  if (n < 3 || !f->data[n - 1] || f->data[n - 1] > 8 || n - 2 < f->data[n - 1])
    return (flex_value){.kind = FLEX_BAD};
  return flex_slot(f, n - 2 - f->data[n - 1], f->data[n - 1], f->data[n - 2]);
}

flex_value flex_item(const flex *f, const flex_value *of, size_t i) {
  const uint8_t packed = of->items ? (uint8_t)(of->items << 2) : f->data[of->at + of->n * of->width + i];
  return flex_slot(f, of->at + i * of->width, of->width, packed);
}

flex_value flex_key(const flex *f, const flex_value *map, size_t i) {
  size_t keys;
  uint64_t width;
  const bool there = flex_follow(f, map->at - 3u * map->width, map->width, &keys) &&
                     flex_uint(f, map->at - 2u * map->width, map->width, &width);
  if (!there || (width != 1 && width != 2 && width != 4 && width != 8) || i > (f->bytes - keys) / width)
    return (flex_value){.kind = FLEX_BAD};
  return flex_slot(f, keys + i * (size_t)width, (uint8_t)width, TYPE_KEY << 2);
}

flex_value flex_named(const flex *f, const flex_value *map, const char *name) {
  const size_t bytes = strlen(name);
  for (size_t i = 0; map->kind == FLEX_MAP && i < map->n; i++) {
    const flex_value key = flex_key(f, map, i);
    if (key.kind == FLEX_TEXT && key.n == bytes && !memcmp(key.text, name, bytes))
      return flex_item(f, map, i);
  }
  return (flex_value){.kind = FLEX_NULL};
}
// SPDX-License-Identifier: Apache-2.0
