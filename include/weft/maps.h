// weft/maps.h - values that are maps from keys to values, as operators of ai.onnx.ml take and give them
// (ZipMap, CastMap, DictVectorizer). Reentrant; no functions of the library.
//
// Both kinds have two items: the keys, i64[n] or str[n], no key twice, and the values of one dtype.
//   WEFT_KIND_MAP   one map; values [n]. Text: map(str[2]{"a","b"},f32[2]{0.5,0.25})
//   WEFT_KIND_MAPS  a sequence of N maps with the same keys; values [N,n], a map a row. Text:
//                   maps(i64[2]{0,1},f32[3,2]{...})
// Of a description (weft_tensor_desc, weft_infer) dtype and shape are those of the values.
#pragma once
#include "weft/tensor.h"

enum { WEFT_KIND_MAP = WEFT_KIND_OPTIONAL_SEQUENCE + 1, WEFT_KIND_MAPS };

// The items of such a value; NULL for other kinds, and where only the type is known.
static inline const weft_tensor *weft_map_item(const weft_tensor *t, size_t i) {
  bool map = t->kind == WEFT_KIND_MAP || t->kind == WEFT_KIND_MAPS;
  return map && i < t->n_items ? t->items[i] : NULL;
}
// NULL: no map
static inline const weft_tensor *weft_map_keys(const weft_tensor *t) { return weft_map_item(t, 0); }
// NULL: no map
static inline const weft_tensor *weft_map_values(const weft_tensor *t) { return weft_map_item(t, 1); }
// SPDX-License-Identifier: Apache-2.0
