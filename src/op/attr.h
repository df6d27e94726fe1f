// attr.h - what goes over attribute values: the types of lists, memory of tensors.
// Layer: op.
#pragma once
#include "base/base.h"
#include "tensor/tensor.h"
#include "weft/attr.h"

// An empty tensor in the arena whose memory comes from there too: it is never deinit'ed. NULL: out of memory.
weft_tensor *weft__attr_tensor_new(weft_arena *arena);

// What the elements of a list are (attr_list.c).
typedef struct weft__list_type {
  weft_attr_type type;
  weft_attr_type item;                                           // of an element
  bool plain;                                                    // elements point at nothing
  size_t item_bytes, align;                                      // of an element in the list's array
  void (*get)(const weft_attr *list, size_t i, weft_attr *out);  // the value; out->type is set already
  void (*set)(void *array, size_t i, const weft_attr *item);
} weft__list_type;
// NULL: not a list, or one that weft does not read.
const weft__list_type *weft__list_type_of(weft_attr_type type);
// Element i as an attribute of its own, which points into the list. WEFT_VT_NONE: not a list that weft reads.
weft_attr weft__attr_item(const weft_attr *a, size_t i);
// SPDX-License-Identifier: Apache-2.0
