// planes.h - windows that slide over a plane of the input, a channel's, compiled for each instruction set: a
// vector of outputs side by side in a row at a time; a row shorter than a vector costs one. The including
// file includes block_vec.h.
#pragma once

// One column of taps, for the outputs of a row from `first` on.
typedef struct column {
  range in;  // of the outputs: those whose tap lies inside
  evens even;
} column;

WEFT_INLINE size_t chunk_at(const weft__plane *p, size_t i) {
  return i && (i + 1) * VEC > p->out[1] ? p->out[1] - VEC : i * VEC;
}

WEFT_INLINE column column_of(const weft__plane *p, size_t first, size_t tap) {
  int64_t at = (int64_t)(first * p->stride + tap) - p->begin[1];
  size_t n = p->out[1] - first;
  int64_t low;
  int64_t high;
  weft__conv_inside(at, (int64_t)p->stride, (int64_t)p->in[1], (int64_t)(n < VEC ? n : VEC), &low, &high);
  column c = {.in = range_of((size_t)low, (size_t)high)};
  c.even = evens_of(c.in);
  return c;
}

// A row is cut into chunks of VEC outputs, the last of which may overlap the one before; a shorter row is one
// chunk. Returns their number.
WEFT_INLINE size_t find_columns(const weft__plane *p, size_t taps, column *to) {
  size_t chunks = (p->out[1] + VEC - 1) / VEC;
  for (size_t i = 0; i < chunks; i++) {
    for (size_t t = 0; t < taps; t++)
      *to++ = column_of(p, chunk_at(p, i), t);
  }
  return chunks;
}

// Numbers outside are zeros.
WEFT_INLINE vec tap_at(size_t stride, const float *x, const column *c) {
  return stride == 1 ? merge((vec){0}, x, c->in) : merge_evens((vec){0}, x, c->in, c->even);
}
// SPDX-License-Identifier: Apache-2.0
