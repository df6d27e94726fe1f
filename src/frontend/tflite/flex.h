// flex.h - flexbuffers, as custom operators of TFLite carry their options: a map of names to numbers, texts
// and lists, written from its end. Every place that is read is checked to lie in the bytes; nothing is
// followed twice, and maps within maps are not entered, so that a reading takes no longer than its bytes.
// Layer: frontend.
#pragma once
#include "base/base.h"

typedef struct flex {
  const uint8_t *data;
  size_t bytes;
} flex;

typedef enum flex_kind {
  FLEX_BAD,  // nothing that a flexbuffer may hold, or outside its bytes
  FLEX_NULL,
  FLEX_INT,
  FLEX_FLOAT,
  FLEX_BOOL,
  FLEX_TEXT,
  FLEX_LIST,
  FLEX_MAP
} flex_kind;

typedef struct flex_value {
  flex_kind kind;
  int64_t i;         // INT, BOOL
  double f;          // FLOAT
  const char *text;  // TEXT: n bytes
  size_t n;          // of LIST and MAP, how many
  size_t at;         // of LIST and MAP, where items stand
  uint8_t width;     // bytes of each of them
  uint8_t items;     // type of all of them; 0: each has its own
} flex_value;

flex_value flex_root(const flex *f);
flex_value flex_named(const flex *f, const flex_value *map, const char *name);  // NULL: there is none
flex_value flex_item(const flex *f, const flex_value *of, size_t i);            // i < n, of a list or a map
flex_value flex_key(const flex *f, const flex_value *map, size_t i);            // TEXT
// SPDX-License-Identifier: Apache-2.0
