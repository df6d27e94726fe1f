// adaptive.c - pools whose windows cut the input most evenly: from floor(i * in / out) to
// ceil((i + 1) * in / out). Where the windows are of one size they are an ordinary pool; these are not.
#include "base/allocated.h"
#include "emit/emit.h"

static int64_t adaptive_from(int64_t i, int64_t in, int64_t out) {
  return i * in / out;
}
static int64_t adaptive_to(int64_t i, int64_t in, int64_t out) {
  return ((i + 1) * in + out - 1) / out;
}

// The mean along one axis in windows of different sizes: a product with a matrix of their shares.
static weft_value *adaptive_mean(front_op *o, weft_value *v, int axis, int64_t in, int64_t out) {
  weft_tensor t;
  weft_dim dims[2] = {in, out};
  int rank = front_rank(v);
  if (o->failed)
    return NULL;
  weft_tensor_init(&t, &o->f->env->alloc);
  o->failed = weft_tensor_alloc(&t, WEFT_FLOAT, dims, 2, o->f->d);
  for (int64_t i = 0; i < out && !o->failed; i++) {
    int64_t from = adaptive_from(i, in, out);
    int64_t to = adaptive_to(i, in, out);
    for (int64_t k = from; k < to; k++)
      ((float *)t.data)[k * out + i] = 1.0f / (float)(to - from);
  }
  weft_value *shares = front_as(o, front_const(o, &t), v->fact.dtype);
  weft_tensor_deinit(&t);
  v = front_swapped(o, v, axis, rank - 1);
  return front_swapped(o, front_matmul(o, v, shares, false), axis, rank - 1);
}

// The largest along one axis in windows of different sizes: shorter ones repeat their last element.
static weft_value *adaptive_max(front_op *o, weft_value *v, int axis, int64_t in, int64_t out) {
  int64_t longest = 0;
  for (int64_t i = 0; i < out; i++)
    longest = WEFT_MAX(longest, adaptive_to(i, in, out) - adaptive_from(i, in, out));
  int64_t *places = WEFT_NEW_N(&o->f->arena, int64_t, (size_t)(out * longest) + 1);
  if (!o->failed)
    o->failed = weft__allocated(places, o->f->d);
  if (o->failed)
    return NULL;
  for (int64_t i = 0; i < out; i++) {
    for (int64_t k = 0; k < longest; k++)
      places[i * longest + k] = WEFT_MIN(adaptive_from(i, in, out) + k, adaptive_to(i, in, out) - 1);
  }
  const int64_t shape[2] = {out, longest};
  weft_value *at = front_reshaped(o, front_list(o, places, (size_t)(out * longest)), shape, 2);
  weft_value *wide = front_picked(o, v, axis, at);
  int64_t last = axis + 1;
  return front_reduced(o, "ReduceMax", wide, &last, 1, false);
}

weft_value *front_adaptive(front_op *o, weft_value *v, size_t n, const int64_t *want, bool largest) {
  int rank = front_rank(v);
  for (size_t i = 0; i < n && !o->failed; i++) {
    int axis = rank - (int)n + (int)i;
    weft_dim in = front_dim(v, axis);
    if (in == want[i] && in >= 0)
      continue;
    if (want[i] == 1) {
      int64_t one = axis;
      v = front_reduced(o, largest ? "ReduceMax" : "ReduceMean", v, &one, 1, true);
      continue;
    }
    if (in < 1 || want[i] < 1 || want[i] > 65536 || in > (1 << 24) / want[i])
      return front_none(o, WEFT_E_UNSUPPORTED,
                        "an adaptive pool of an axis whose size is known only when the model runs");
    v = largest ? adaptive_max(o, v, axis, in, want[i]) : adaptive_mean(o, v, axis, in, want[i]);
  }
  return v;
}
// SPDX-License-Identifier: Apache-2.0
