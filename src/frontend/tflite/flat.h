// flat.h - a flatbuffer that checks every step. Each table, vector and text is looked at where it is reached:
// its vtable, its size and every byte of it lie in the file, or the reading fails with the place. What is
// reached is counted, so that a small file whose tables show one vector many times cannot make a large graph.
//
// Why not a library: flatcc, the one for C, is not in Debian 12, and weft depends on libc alone. Its verifier
// and accessors for the whole schema are some 9,000 generated lines; the part that is needed - tables,
// vectors, texts, unions - is this file, and fields are numbers of the schema. A verifier that runs before,
// as theirs does, would look at everything twice, large weights excepted; accessors that check cannot be used
// wrongly. Layer: frontend.
#pragma once
#include "base/base.h"

enum { FLAT_SEEN = 128 };

typedef struct flat {
  const uint8_t *data;
  size_t bytes;
  const weft_file *file;   // that `data` is all of
  size_t seen_at, n_seen;  // bytes that flat_look copied
  uint8_t seen[FLAT_SEEN];
  size_t spent;  // elements that were reached
  weft_status failed;
  weft_diag *d;
} flat;

typedef struct flat_table {  // size 0: there is none, and every field has its default
  size_t at;
  size_t fields;  // where their offsets stand
  uint32_t n_fields, size;
} flat_table;

typedef struct flat_list {
  size_t at;
  size_t n;
} flat_list;

typedef struct flat_text {
  const char *at;
  size_t n;
} flat_text;

// The table that the file begins with. identifier: the four characters behind its place.
flat_table flat_root(flat *f, const char identifier[4]);
flat_table flat_child(flat *f, const flat_table *t, uint32_t field);
flat_list flat_items(flat *f, const flat_table *t, uint32_t field, size_t item_bytes);
flat_table flat_item(flat *f, const flat_list *tables, size_t i);
// The same for a table that lies beside large data, of which nothing else is touched (weft__file_peek).
flat_table flat_item_beside(flat *f, const flat_list *tables, size_t i);
flat_text flat_string(flat *f, const flat_table *t, uint32_t field);
bool flat_has(flat *f, const flat_table *t, uint32_t field);

// Numbers of a table: the default where the field is left out.
int32_t flat_i32(flat *f, const flat_table *t, uint32_t field, int32_t dflt);
uint32_t flat_u32(flat *f, const flat_table *t, uint32_t field, uint32_t dflt);
uint64_t flat_u64(flat *f, const flat_table *t, uint32_t field, uint64_t dflt);
int8_t flat_i8(flat *f, const flat_table *t, uint32_t field, int8_t dflt);
float flat_f32(flat *f, const flat_table *t, uint32_t field, float dflt);

// Numbers of a list; i is below n.
uint32_t flat_u32_at(const flat *f, const flat_list *l, size_t i);
int64_t flat_i64_at(const flat *f, const flat_list *l, size_t i);
float flat_f32_at(const flat *f, const flat_list *l, size_t i);
// SPDX-License-Identifier: Apache-2.0
