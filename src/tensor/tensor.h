// tensor.h - what the tensor layer's own files and the layers above share beyond weft/tensor.h.
// Layer: tensor.
#pragma once
#include "base/base.h"
#include "base/budget.h"
#include "weft/maps.h"
#include "weft/tensor.h"

enum { WEFT__TENSOR_DEPTH = 8 };  // sequences inside sequences

enum { WEFT__KINDS = WEFT_KIND_MAPS + 1 };
// Does a value of this kind hold items instead of data? What an optional sequence holds is one sequence.
static inline bool weft__kind_has_items(uint8_t kind) {
  return kind < WEFT__KINDS && kind != WEFT_KIND_TENSOR && kind != WEFT_KIND_RESOURCE;
}
static inline bool weft__kind_is_map(uint8_t kind) {
  return kind == WEFT_KIND_MAP || kind == WEFT_KIND_MAPS;
}
// Are its items keys and values that belong together? Data may be absent. E_INVALID, E_DTYPE, E_SHAPE.
weft_status weft__map_check(const weft_tensor *t, weft_diag *d);
// What stands before the parenthesis in texts: "seq", "opt", ...; "" for a tensor.
const char *weft__kind_mark(uint8_t kind);
uint8_t weft__kind_of_mark(const char *mark, size_t bytes);  // WEFT_KIND_TENSOR: no kind has it
// The tensor, sequence, ... as a word: "tensor", "optional sequence".
const char *weft__kind_word(uint8_t kind);

// Description i of several side by side; they go by the size of the first (weft/base.h, "Structs that grow").
static inline const weft_tensor_desc *weft__desc_at(const weft_tensor_desc *first, size_t i) {
  size_t stride = first->size ? first->size : sizeof *first;
  return (const weft_tensor_desc *)(const void *)((const char *)first + i * stride);
}
// Does it have all members of weft 0.1, and may others follow it? E_INVALID, with `what` in front of the
// reason.
weft_status weft__desc_check(const weft_tensor_desc *desc, const char *what, weft_diag *d);

// How elements of a dtype are read and written one by one.
typedef enum weft__class {
  WEFT__CLASS_NONE,  // no sized elements
  WEFT__CLASS_INT,   // signed, quantised ones included
  WEFT__CLASS_UINT,
  WEFT__CLASS_BOOL,
  WEFT__CLASS_FLOAT,
  WEFT__CLASS_COMPLEX,
  WEFT__CLASS_STRING,
  WEFT__CLASS_RAW  // bits without arithmetic: hifloat, dual, handles
} weft__class;
weft__class weft__dtype_class(weft_dtype t);
weft_dtype weft__dtype_plain(
    weft_dtype t);  // quantised types give the integer that holds them, complex its parts
// The bits of element `index`, of at most 64 bits; types below a byte lie packed, low bits first.
uint64_t weft__bits_get(weft_dtype t, const void *data, size_t index);
void weft__bits_put(weft_dtype t, void *data, size_t index, uint64_t v);

// Makes `t` a sequence or an optional of `n` empty items, freeing what it held. Items live in t's allocator
// and are freed by weft_tensor_deinit. E_NOMEM leaves t as it was.
weft_status weft__tensor_set_items(weft_tensor *t, uint8_t kind, weft_dtype item_dtype, size_t n,
                                   weft_diag *d);
// weft_tensor_alloc_layout with `over` bytes more of capacity than the data need.
weft_status weft__tensor_alloc_over(weft_tensor *t, weft_dtype dtype, const weft_layout *layout,
                                    weft_format origin_format, weft_format format, size_t over, weft_diag *d);
// A string tensor of `elems` zeroed entries with room for `payload_bytes` after them. Entries are filled by
// the caller.
weft_status weft__tensor_alloc_strings(weft_tensor *t, const weft_dim *dims, size_t rank,
                                       size_t payload_bytes, weft_diag *d);
// weft_tensor_set_strings that a limit of `b`, NULL allowed, ends in the middle: E_LIMIT, E_CANCELLED. Each
// string is `pieces` texts, one after the other, that follow each other in `text`.
typedef struct weft__pieces {
  const char *const *text;
  const size_t *bytes;  // NULL: the texts are zero-terminated
  size_t pieces;        // a string; 1 or more
} weft__pieces;
weft_status weft__tensor_set_pieces(weft_tensor *t, const weft_dim *dims, size_t rank, const weft__pieces *p,
                                    const weft__budget *b, weft_diag *d);
// A tensor without data; its dims may be unknown.
weft_status weft__tensor_describe(weft_tensor *t, weft_dtype dtype, const weft_dim *dims, size_t rank,
                                  weft_diag *d);
// A tensor of a budget's memory is the caller's from now on, items too: the allocator below gave the memory.
void weft__tensor_hand_over(weft_tensor *t, const weft_allocator *to);
// Of a tensor, or of the items of a sequence, which nest WEFT__TENSOR_DEPTH deep at most.
uint64_t weft__tensor_bytes_of_all(const weft_tensor *t);
// Dtype, shapes and formats of `from`, without data.
void weft__tensor_like(weft_tensor *t, const weft_tensor *from);
// Same kind, dtype, shapes, formats and bits; NaN equals NaN, 0 differs from -0.
bool weft__tensor_same(const weft_tensor *a, const weft_tensor *b);
// SPDX-License-Identifier: Apache-2.0
