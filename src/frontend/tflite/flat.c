// flat.c - tables, vectors and texts of a flatbuffer. Numbers are little-endian, at any place. The first
// failure stays in f->failed; what is read behind it is empty.
#include "frontend/tflite/flat.h"

static void flat_bad(flat *f, size_t at, const char *what) {
  if (!f->failed)
    f->failed = weft_fail(f->d, WEFT_E_INVALID, "byte %zu: %s (the file has %zu bytes)", at, what, f->bytes);
}

static bool flat_inside(flat *f, size_t at, size_t n, const char *what) {
  if (f->failed)
    return false;
  if (at <= f->bytes && n <= f->bytes - at)
    return true;
  flat_bad(f, at, what);
  return false;
}

// ---- numbers ----
static uint64_t flat_number(const flat *f, size_t at, size_t n) {
  const bool seen = at >= f->seen_at && at - f->seen_at < f->n_seen && f->n_seen - (at - f->seen_at) >= n;
  const uint8_t *p = seen ? f->seen + (at - f->seen_at) : f->data + at;
  uint64_t v = 0;
  for (size_t i = 0; i < n; i++)
    v |= (uint64_t)p[i] << (8 * i);
  return v;
}

static float flat_as_float(uint64_t v) {
  uint32_t bits = (uint32_t)v;
  float x;
  memcpy(&x, &bits, sizeof x);
  return x;
}

// ---- tables ----
static flat_table flat_table_at(flat *f, size_t at) {
  flat_table none = {0};
  flat_table t = {.at = at};
  if (!flat_inside(f, at, 4, "a table goes past the end"))
    return none;
  int64_t vtable = (int64_t)at - (int32_t)(uint32_t)flat_number(f, at, 4);
  if (vtable < 0 || (uint64_t)vtable > f->bytes) {
    flat_bad(f, at, "the table's fields are described outside the file");
    return none;
  }
  if (!flat_inside(f, (size_t)vtable, 4, "a vtable goes past the end"))
    return none;
  size_t vtable_bytes = (size_t)flat_number(f, (size_t)vtable, 2);
  t.size = (uint32_t)flat_number(f, (size_t)vtable + 2, 2);
  if (vtable_bytes < 4 || vtable_bytes % 2 || t.size < 4) {
    flat_bad(f, (size_t)vtable, "a vtable has an impossible size");
    return none;
  }
  if (!flat_inside(f, (size_t)vtable, vtable_bytes, "a vtable goes past the end") ||
      !flat_inside(f, at, t.size, "a table goes past the end"))
    return none;
  t.fields = (size_t)vtable + 4;
  t.n_fields = (uint32_t)(vtable_bytes - 4) / 2;
  return t;
}

// Where the field's n bytes stand; 0: it is left out.
static size_t flat_place(flat *f, const flat_table *t, uint32_t field, size_t n) {
  if (f->failed || !t->size || field >= t->n_fields)
    return 0;
  size_t in = (size_t)flat_number(f, t->fields + 2 * (size_t)field, 2);
  if (!in)
    return 0;
  if (in < 4 || in + n > t->size) {
    flat_bad(f, t->at, "a field lies outside its table");
    return 0;
  }
  return t->at + in;
}

// Where the offset that stands at `at` leads to; 0: nowhere in the file.
static size_t flat_follow(flat *f, size_t at) {
  size_t offset = (size_t)flat_number(f, at, 4);
  if (offset < 4 || offset > f->bytes - at) {
    flat_bad(f, at, "an offset leads out of the file");
    return 0;
  }
  return at + offset;
}

static bool flat_spend(flat *f, size_t at, size_t n) {
  f->spent += n;
  if (f->spent / 4 <= f->bytes)
    return true;
  flat_bad(f, at, "tables and lists show the same bytes many times");
  return false;
}

flat_table flat_root(flat *f, const char identifier[4]) {
  if (!flat_inside(f, 0, 8, "the file is too short"))
    return (flat_table){0};
  if (memcmp(f->data + 4, identifier, 4))
    flat_bad(f, 4, "the file identifier is another one");
  size_t at = f->failed ? 0 : flat_follow(f, 0);
  return at ? flat_table_at(f, at) : (flat_table){0};
}

flat_table flat_child(flat *f, const flat_table *t, uint32_t field) {
  size_t place = flat_place(f, t, field, 4);
  size_t at = place ? flat_follow(f, place) : 0;
  return at && flat_spend(f, at, 4) ? flat_table_at(f, at) : (flat_table){0};
}

flat_list flat_items(flat *f, const flat_table *t, uint32_t field, size_t item_bytes) {
  flat_list none = {0};
  size_t place = flat_place(f, t, field, 4);
  size_t at = place ? flat_follow(f, place) : 0;
  if (!at || !flat_inside(f, at, 4, "a list goes past the end"))
    return none;
  size_t n = (size_t)flat_number(f, at, 4);
  if (n > (f->bytes - at - 4) / item_bytes) {
    flat_bad(f, at, "a list goes past the end");
    return none;
  }
  return flat_spend(f, at, item_bytes == 1 ? 1 : n) ? (flat_list){at + 4, n} : none;
}

flat_table flat_item(flat *f, const flat_list *tables, size_t i) {
  if (f->failed)
    return (flat_table){0};
  size_t at = flat_follow(f, tables->at + 4 * i);
  return at ? flat_table_at(f, at) : (flat_table){0};
}

flat_table flat_item_beside(flat *f, const flat_list *tables, size_t i) {
  size_t at = f->failed ? 0 : flat_follow(f, tables->at + 4 * i);
  if (!at)
    return (flat_table){0};
  f->seen_at = at;
  f->n_seen = WEFT_MIN(f->bytes - at, sizeof f->seen);
  weft__file_peek(f->file, at, f->seen, f->n_seen);
  return flat_table_at(f, at);
}

flat_text flat_string(flat *f, const flat_table *t, uint32_t field) {
  flat_list l = flat_items(f, t, field, 1);
  if (!l.n || !flat_spend(f, l.at, l.n))
    return (flat_text){"", 0};
  return (flat_text){(const char *)f->data + l.at, l.n};
}

bool flat_has(flat *f, const flat_table *t, uint32_t field) {
  return flat_place(f, t, field, 1) != 0;
}

// ---- numbers of a table ----
int32_t flat_i32(flat *f, const flat_table *t, uint32_t field, int32_t dflt) {
  size_t at = flat_place(f, t, field, 4);
  return at ? (int32_t)(uint32_t)flat_number(f, at, 4) : dflt;
}
uint32_t flat_u32(flat *f, const flat_table *t, uint32_t field, uint32_t dflt) {
  size_t at = flat_place(f, t, field, 4);
  return at ? (uint32_t)flat_number(f, at, 4) : dflt;
}
uint64_t flat_u64(flat *f, const flat_table *t, uint32_t field, uint64_t dflt) {
  size_t at = flat_place(f, t, field, 8);
  return at ? flat_number(f, at, 8) : dflt;
}
int8_t flat_i8(flat *f, const flat_table *t, uint32_t field, int8_t dflt) {
  size_t at = flat_place(f, t, field, 1);
  return at ? (int8_t)(uint8_t)flat_number(f, at, 1) : dflt;
}
float flat_f32(flat *f, const flat_table *t, uint32_t field, float dflt) {
  size_t at = flat_place(f, t, field, 4);
  return at ? flat_as_float(flat_number(f, at, 4)) : dflt;
}

// ---- numbers of a list ----
uint32_t flat_u32_at(const flat *f, const flat_list *l, size_t i) {
  return (uint32_t)flat_number(f, l->at + 4 * i, 4);
}
int64_t flat_i64_at(const flat *f, const flat_list *l, size_t i) {
  return (int64_t)flat_number(f, l->at + 8 * i, 8);
}
float flat_f32_at(const flat *f, const flat_list *l, size_t i) {
  return flat_as_float(flat_number(f, l->at + 4 * i, 4));
}
// SPDX-License-Identifier: Apache-2.0
