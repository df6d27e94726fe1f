// items.h - what operators on sequences and optionals share. Such values are immutable: a changed sequence is
// a new one.
#pragma once
#include "op.h"
#include "tensor/tensor.h"

enum {  // weft_port.kinds
  WEFT_KINDS_TENSOR = 1 << WEFT_KIND_TENSOR,
  WEFT_KINDS_SEQUENCE = 1 << WEFT_KIND_SEQUENCE,
  WEFT_KINDS_OPTIONAL = 1 << WEFT_KIND_OPTIONAL | 1 << WEFT_KIND_OPTIONAL_SEQUENCE,
  WEFT_KINDS_ANY = WEFT_KINDS_TENSOR | WEFT_KINDS_SEQUENCE | WEFT_KINDS_OPTIONAL
};

// The description of elements of either shape: dims that differ are unknown, ranks that differ give unknown
// rank.
void weft__merge_shape(weft_shape *into, const weft_shape *s);
// An infer_range for an output whose shape is that of some element: unknown dims are at least 0 and not
// bounded. `infer` is the operator's own function.
weft_status weft__items_range(weft_infer *it, weft_infer_fn infer);
// The scalar integer input `in` as a position in a sequence of n items: [-n, n-1], or [-n, n] with `end`.
weft_status weft__item_position(const weft_call *c, uint32_t in, size_t n, bool end, size_t *out);
// `out` becomes a sequence or an optional of n empty items of the element dtype that inference found for
// input `in`.
weft_status weft__items_make(const weft_call *c, weft_tensor *out, uint8_t kind, weft_dtype t, size_t n);
// The elements of input `in` in [from, from + count) along `axis` as a tensor of its own.
weft_status weft__item_slice(const weft_call *c, const weft_tensor *in, size_t axis, int64_t from,
                             int64_t count, bool drop_axis, weft_tensor *out);
// SPDX-License-Identifier: Apache-2.0
