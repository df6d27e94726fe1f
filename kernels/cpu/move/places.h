// places.h - what index tensors name: elements along an axis, one index each (GatherElements,
// ScatterElements), or slices by tuples of indices (GatherND, ScatterND). Places are numbered as the indices
// lie; each is an offset into the data, counted in elements or slices.
#pragma once
#include "cpu/move/move_ops.h"
#include "cpu/rows/rows.h"

enum { WEFT__PLACES_AXES = 8, WEFT__PLACES_PIECE = 256 };
typedef struct weft__places {
  bool wide, negative;             // indices of 64 bits; counted from the end
  uint32_t axes, each;             // indices of a place: 1, or a tuple's
  size_t n;                        // places
  int64_t dim[WEFT__PLACES_AXES];  // of the axes that the indices of a place go along,
  size_t step[WEFT__PLACES_AXES];  // and offsets from one to the next
  size_t size[WEFT__PLACES_AXES], stride[WEFT__PLACES_AXES];  // axes of the places; offsets along them
  uint32_t
      at;  // of elements: the axis of places that runs along the data's own; UINT32_MAX: they have one each
  bool (*row)(const weft__place_row *r, const void *indices, size_t n, bool more, size_t *out);
} weft__places;

// NULL, or why not: elements of `data` picked along `axis` by `index`, a tensor of its rank.
const char *weft__places_elements(const weft_host *host, weft__places *p, const weft_shape *data,
                                  const weft_shape *index, int64_t axis, weft_dtype type);
// The same for slices of `data` behind the axes of a tuple, the last dim of `index`; in `batch` leading dims
// both run alike. negative: indices may count from the end. *out_slice: elements of one.
typedef struct weft__tuples {
  const weft_shape *data, *index;
  size_t batch;
  bool negative;
  weft_dtype type;  // of the indices
} weft__tuples;
const char *weft__places_tuples(const weft_host *host, weft__places *p, const weft__tuples *of,
                                size_t *out_slice);
// Offsets of places [first, first + n), n up to WEFT__PLACES_PIECE. False: an index is outside.
bool weft__places_find(const weft__places *p, const void *indices, size_t first, size_t n, size_t *out);
// SPDX-License-Identifier: Apache-2.0
