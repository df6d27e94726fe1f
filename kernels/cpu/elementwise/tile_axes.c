// tile_axes.c - the axes of a region as the tile machine runs through them: neighbours that all inputs run
// through alike are one. An input then is full, or a number or a line of the inner axis; where that axis is
// short it is spread out in a slot.
#include "cpu/elementwise/tile_builder.h"

// A vector lies along one axis of the output.
static bool vector_dims(weft__tile_builder *b, uint32_t i, size_t rank, weft_dim *out) {
  const weft_shape *s = &b->tiling->in[i]->origin;
  const uint8_t axis = b->view[i].axis;
  if (s->rank != 1 || axis >= rank)
    return weft__tile_no(b, "a bias that is no vector");
  out[axis] = s->dim[0];
  return true;
}

// The dims of input i as the output sees them, right-aligned but for biases.
static bool view_dims(weft__tile_builder *b, uint32_t i, size_t rank, weft_dim *out) {
  const weft_shape *s = &b->tiling->in[i]->origin;
  const weft_shape *y = &b->tiling->out[0]->origin;
  for (size_t k = 0; k < rank; k++)
    out[k] = 1;

  if (b->view[i].form != WEFT__VIEW_NONE) {
    if (!vector_dims(b, i, rank, out))
      return false;
  } else {
    if (s->rank > rank)
      return weft__tile_no(b, "an input of higher rank than the output");
    for (size_t k = 0; k < s->rank; k++)
      out[rank - s->rank + k] = s->dim[k];
  }

  for (size_t k = 0; k < rank; k++) {
    const bool fits = out[k] == 1 || out[k] == y->dim[k];
    if (!fits)
      return weft__tile_no(b, "an input that does not broadcast to the output");
  }
  return true;
}

// By axis of the output: the inputs that are not broadcast along it, one bit each.
static bool varying_inputs(weft__tile_builder *b, uint32_t varies[WEFT_MAX_RANK]) {
  const size_t rank = b->tiling->out[0]->origin.rank;
  weft_dim dims[WEFT_MAX_RANK];
  memset(varies, 0, WEFT_MAX_RANK * sizeof *varies);
  for (uint32_t i = 0; i < b->tiling->n_in; i++) {
    if (!view_dims(b, i, rank, dims))
      return false;
    for (size_t k = 0; k < rank; k++)
      varies[k] |= (uint32_t)(dims[k] != 1) << i;
  }
  return true;
}

// bits[k]: what varies along the merged axis k.
static bool merge_axes(weft__tile_builder *b, uint32_t bits[WEFT__TILE_AXES]) {
  const weft_shape *y = &b->tiling->out[0]->origin;
  uint32_t varies[WEFT_MAX_RANK];
  if (!varying_inputs(b, varies))
    return false;

  b->axes = 0;
  b->n = 1;
  for (size_t k = 0; k < y->rank; k++) {
    const size_t dim = (size_t)y->dim[k];
    b->n *= dim;
    if (dim == 1)
      continue;
    const bool goes_on = b->axes && bits[b->axes - 1] == varies[k];
    if (goes_on) {
      b->dim[b->axes - 1] *= dim;
      continue;
    }
    if (b->axes == WEFT__TILE_AXES)
      return weft__tile_no(b, "more than 8 axes that are broadcast in turn");
    bits[b->axes] = varies[k];
    b->dim[b->axes] = dim;
    b->axes++;
  }

  if (!b->axes) {  // a single number
    bits[0] = 0xFFFFFFFFu;
    b->dim[0] = 1;
    b->axes = 1;
  }
  return true;
}

static void find_strides(weft__tile_builder *b, const uint32_t bits[WEFT__TILE_AXES]) {
  for (uint32_t i = 0; i < b->tiling->n_in; i++) {
    size_t stride = 1;
    for (uint32_t k = b->axes; k-- > 0;) {
      const bool runs = bits[k] >> i & 1;
      b->input[i].stride[k] = runs ? stride : 0;
      if (runs)
        stride *= b->dim[k];
    }
  }
}

static uint8_t tile_axes_mode_of(const weft__tile_builder *b, const weft__tile_input *in) {
  uint32_t running = 0;
  for (uint32_t k = 0; k < b->axes; k++)
    running += in->stride[k] != 0;

  if (running == b->axes)
    return WEFT__TILE_FULL;
  if (!running)
    return WEFT__TILE_POINT;
  if (!b->rows)
    return WEFT__TILE_FILL;
  return in->stride[b->axes - 1] ? WEFT__TILE_LINE : WEFT__TILE_POINT;
}

bool weft__tile_find_axes(weft__tile_builder *b) {
  uint32_t bits[WEFT__TILE_AXES];
  if (!merge_axes(b, bits))
    return false;
  find_strides(b, bits);

  const size_t inner = b->dim[b->axes - 1];
  b->rows = b->axes > 1 && inner >= WEFT__TILE_ROW;
  for (uint32_t i = 0; i < b->tiling->n_in; i++) {
    b->input[i].mode = tile_axes_mode_of(b, &b->input[i]);
    b->in[i].one = b->input[i].mode == WEFT__TILE_POINT;
  }
  return true;
}
// SPDX-License-Identifier: Apache-2.0
