// map_sequence.c - parts of language and signal models as several primitives: rotary embedding, gates, causal convolution
// with a state, caches, windows.
#include "frontend/onnx/map.h"

static weft_value *two_parts(onnx_op *o, weft_value *v) {  // of the last axis; out[0], out[1]
  weft_value *in[2] = {onnx_index(o, -1), v}, *out = NULL;
  uint32_t counts[1] = {2};
  if (o->failed) return NULL;
  onnx_set(o, "num_split", weft_attr_int(2));
  o->failed = onnx_emit(o, "Split", in, 2, &(weft_use){.out_counts = counts}, 0, &out);
  return out;
}

static weft_value *slice(onnx_op *o, weft_value *v, int64_t axis, weft_value *begin, weft_value *end) {
  weft_value *in[4] = {v, begin, end, onnx_list(o, &axis, 1)}, *out = NULL;
  if (!o->failed) o->failed = onnx_emit(o, "StridedSliceV2", in, 4, NULL, 0, &out);
  return out;
}
static weft_value *cut(onnx_op *o, weft_value *v, int64_t axis, int64_t begin, int64_t end) {
  return slice(o, v, axis, onnx_list(o, &begin, 1), onnx_list(o, &end, 1));
}

// cos or sin of every place: rows of the cache by position, a new axis for the heads.
static weft_value *angles(onnx_op *o, weft_value *cache, int64_t rotated, int64_t heads_axis) {
  weft_value *positions = onnx_in(o, 3);
  if (positions && !o->failed) cache = onnx_picked(o, cache, 0, positions);
  if (rotated) cache = cut(o, cache, 2, 0, rotated / 2);
  onnx_set(o, "axes", weft_attr_ints(&heads_axis, 1));
  return onnx_do(o, "Unsqueeze", cache, NULL, NULL);
}

// Pairs of numbers are turned by an angle; a pair is element i and i + half, or neighbours when interleaved.
static weft_value *rotated_pairs(onnx_op *o, weft_value *v, weft_value *c, weft_value *s, bool neighbours) {
  static const int64_t pairs[] = {0, 0, 0, -1, 2}, last = -1;
  weft_value *a, *b;
  if (neighbours) {
    v = onnx_reshaped(o, v, pairs, 5);
    a = onnx_picked(o, v, -1, onnx_index(o, 0)), b = onnx_picked(o, v, -1, onnx_index(o, 1));
  } else {
    v = two_parts(o, v);
    a = v, b = v ? v + 1 : NULL;
  }
  weft_value *turned[2];
  turned[0] = onnx_do(o, "Sub", onnx_do(o, "Mul", c, a, NULL), onnx_do(o, "Mul", s, b, NULL), NULL);
  turned[1] = onnx_do(o, "Add", onnx_do(o, "Mul", s, a, NULL), onnx_do(o, "Mul", c, b, NULL), NULL);
  for (int i = 0; neighbours && i < 2; i++) {
    onnx_set(o, "axes", weft_attr_ints(&last, 1));
    turned[i] = onnx_do(o, "Unsqueeze", turned[i], NULL, NULL);
  }
  v = onnx_joined(o, turned, 2, -1);
  return neighbours ? onnx_reshaped(o, v, pairs, 4) : v;
}

weft_status onnx_rotary_embedding(onnx_op *o) {
  weft_value *x = onnx_arg(o, 0), *c = onnx_arg(o, 1), *s = onnx_arg(o, 2), *v = x;
  int64_t heads = onnx_int(o, "num_heads", 0), size = onnx_int(o, "rotary_embedding_dim", 0);
  bool neighbours = onnx_int(o, "interleaved", 0) != 0;
  int rank = onnx_rank_needed(o, x);
  if (o->failed) return o->failed;
  if ((rank != 3 || heads < 1) && rank != 4)
    return onnx_fail(o, WEFT_E_SHAPE, "expected rank 4, or rank 3 and attribute 'num_heads', got rank %d", rank);
  if (size < 0 || size % 2) return onnx_fail(o, WEFT_E_RANGE, "attribute 'rotary_embedding_dim': %lld", (long long)size);
  if (rank == 3) v = onnx_reshaped(o, x, (int64_t[]){0, 0, heads, -1}, 4);
  int64_t heads_axis = rank == 3 ? 2 : 1;
  c = angles(o, c, size, heads_axis), s = angles(o, s, size, heads_axis);
  weft_value *parts[2] = {size ? cut(o, v, 3, 0, size) : v, NULL};
  parts[0] = rotated_pairs(o, parts[0], c, s, neighbours);
  if (size) parts[1] = cut(o, v, 3, size, INT64_MAX), parts[0] = onnx_joined(o, parts, 2, -1);
  return onnx_result(o, 0, rank == 3 ? onnx_reshaped(o, parts[0], (int64_t[]){0, 0, -1}, 3) : parts[0]);
}

weft_status onnx_swiglu(onnx_op *o) {
  weft_value *a = onnx_arg(o, 0), *b = onnx_arg(o, 1);
  float alpha = onnx_float(o, "alpha", 1);
  onnx_set(o, "scale", weft_attr_float(alpha));
  return onnx_result(o, 0, onnx_do(o, "Mul", onnx_do(o, "Swish", a, NULL, NULL), b, NULL));
}

static weft_value *dims_of(onnx_op *o, weft_value *v, int64_t begin, int64_t end) {
  onnx_set(o, "dtype", weft_attr_int(WEFT_INT64));
  onnx_set(o, "start", weft_attr_int(begin));
  onnx_set(o, "end", weft_attr_int(end));
  return onnx_do(o, "Shape", v, NULL, NULL);
}

// A convolution of each channel that sees only what came before; the state is the end of the input that the next call needs.
weft_status onnx_causal_conv(onnx_op *o) {
  weft_value *x = onnx_arg(o, 0), *w = onnx_arg(o, 1), *bias = onnx_in(o, 2), *state = onnx_in(o, 3);
  bool swish = onnx_is(o, "activation", "none", "silu") || onnx_is(o, "activation", "none", "swish");
  if (!o->failed && !swish && !onnx_is(o, "activation", "none", "none"))
    return onnx_fail(o, WEFT_E_INVALID, "attribute 'activation': expected none, silu or swish");
  if (!o->failed && (onnx_rank_needed(o, w) < 1 || w->fact.dims[0] < 1))
    return onnx_fail(o, WEFT_E_UNKNOWN, "the number of channels is not known");
  weft_value *before = onnx_do(o, "Sub", dims_of(o, w, 2, 3), onnx_index(o, 1), NULL);  // kernel - 1, [1]
  if (!state && !o->failed) {
    weft_value *shape = onnx_joined(o, (weft_value *[]){dims_of(o, x, 0, 2), before}, 2, 0);
    state = onnx_do(o, "Fill", shape, o->failed ? NULL : onnx_num(o, x->fact.dtype, 0), NULL);
  }
  weft_value *padded = onnx_joined(o, (weft_value *[]){state, x}, 2, 2);
  if (o->failed) return o->failed;
  onnx_set(o, "group", weft_attr_int(w->fact.dims[0]));
  weft_value *v = onnx_do(o, "Conv", padded, w, bias);
  if (swish) v = onnx_as(o, onnx_do(o, "Swish", onnx_as(o, v, WEFT_FLOAT), NULL, NULL), x->fact.dtype);
  if (onnx_result(o, 0, v) || !onnx_wants(o, 1)) return o->failed;
  weft_value *end = dims_of(o, padded, 2, 3);
  return onnx_result(o, 1, slice(o, padded, 2, onnx_do(o, "Sub", end, before, NULL), end));
}

// A cache with the update written at its batch's place along the axis, or from the front again when it is circular.
weft_status onnx_tensor_scatter(onnx_op *o) {
  weft_value *cache = onnx_arg(o, 0), *update = onnx_arg(o, 1), *starts = onnx_in(o, 2);
  bool circular = onnx_is(o, "mode", "linear", "circular");
  int rank = onnx_rank_needed(o, cache);
  int64_t axis = onnx_axis(o, "axis", -2, rank, rank - 1), column[WEFT_MAX_RANK], batch[WEFT_MAX_RANK];
  if (!o->failed && axis < 1) return onnx_fail(o, WEFT_E_RANGE, "attribute 'axis': %lld is the batch", (long long)axis);
  for (int i = 0; i < rank; i++) column[i] = i == axis ? -1 : 1, batch[i] = i ? 1 : -1;
  weft_value *length = onnx_picked(o, dims_of(o, update, axis, axis + 1), 0, onnx_index(o, 0));
  weft_value *index = onnx_do(o, "Range", onnx_index(o, 0), length, onnx_index(o, 1));
  index = onnx_reshaped(o, index, column, (size_t)rank);
  if (starts) index = onnx_do(o, "Add", index, onnx_reshaped(o, onnx_as(o, starts, WEFT_INT64), batch, (size_t)rank), NULL);
  if (circular) index = onnx_do(o, "FloorMod", index, dims_of(o, cache, axis, axis + 1), NULL);
  index = onnx_do(o, "Expand", index, onnx_shape_of(o, update), NULL);
  onnx_set(o, "axis", weft_attr_int(axis));
  return onnx_result(o, 0, onnx_do(o, "ScatterElements", cache, index, update));
}

// a0 - a1 cos(2 pi n / N) + a2 cos(4 pi n / N); N is the size, one less when the window is symmetric.
weft_status onnx_window(onnx_op *o) {
  static const struct {
    const char *name;
    double a0, a1, a2;
  } kinds[] = {{"BlackmanWindow", 0.42, 0.5, 0.08}, {"HammingWindow", 25.0 / 46, 21.0 / 46, 0}, {"HannWindow", 0.5, 0.5, 0}};
  weft_value *size = onnx_arg(o, 0);
  int64_t periodic = onnx_int(o, "periodic", 1), type = onnx_int(o, "output_datatype", 1);
  size_t k = 0;
  weft_dtype t;
  if (o->failed) return o->failed;
  WEFT_TRY(onnx_dtype(o, type, &t));
  while (k + 1 < WEFT_COUNT(kinds) && strcmp(kinds[k].name, o->map->name)) k++;
  size = onnx_reshaped(o, onnx_as(o, size, WEFT_INT64), NULL, 0);
  weft_value *n = onnx_as(o, onnx_do(o, "Range", onnx_index(o, 0), size, onnx_index(o, 1)), WEFT_DOUBLE);
  weft_value *all = onnx_as(o, periodic ? size : onnx_do(o, "Sub", size, onnx_index(o, 1), NULL), WEFT_DOUBLE);
  weft_value *tau = onnx_num(o, WEFT_DOUBLE, 6.283185307179586476925);
  weft_value *angle = onnx_do(o, "Div", onnx_do(o, "Mul", n, tau, NULL), all, NULL);
  weft_value *v = onnx_do(o, "Mul", onnx_do(o, "Cos", angle, NULL, NULL), onnx_num(o, WEFT_DOUBLE, kinds[k].a1), NULL);
  v = onnx_do(o, "Sub", onnx_num(o, WEFT_DOUBLE, kinds[k].a0), v, NULL);
  if (kinds[k].a2 != 0) {
    weft_value *twice = onnx_do(o, "Cos", onnx_do(o, "Mul", angle, onnx_num(o, WEFT_DOUBLE, 2), NULL), NULL, NULL);
    v = onnx_do(o, "Add", v, onnx_do(o, "Mul", twice, onnx_num(o, WEFT_DOUBLE, kinds[k].a2), NULL), NULL);
  }
  return onnx_result(o, 0, onnx_as(o, v, t));
}

// The axis is an attribute (default 1) up to version 19 and an input (default -2) since.
weft_status onnx_dft(onnx_op *o) {
  weft_value *in[3] = {onnx_arg(o, 0), onnx_in(o, 1), NULL};
  bool inverse = onnx_int(o, "inverse", 0) != 0, onesided = onnx_int(o, "onesided", 0) != 0;
  in[2] = o->m->version >= 20 ? onnx_in(o, 2) : onnx_index(o, onnx_int(o, "axis", 1));
  if (o->failed) return o->failed;
  onnx_set(o, "inverse", weft_attr_bool(inverse));
  onnx_set(o, "onesided", weft_attr_bool(onesided));
  return onnx_emit(o, "DFT", in, 3, NULL, 1, NULL);
}
