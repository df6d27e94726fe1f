// ops/signal/dft.c - the discrete Fourier transform along an axis.   ONNX DFT-20. AscendIR has no operator of
// this name.
//   y[k] = sum over n of x[n] exp(-+ 2 pi i k n / N)      + and division by N when inverse
// The last axis of x holds a number (1) or real and imaginary part (2), that of y always two. The signal is
// cut or filled up with zeros to dft_length. onesided takes real numbers and keeps the first N / 2 + 1
// results; inverse and onesided takes such a half, whose mirror it makes, and gives real numbers (last axis
// 1). In double, lane by lane.
#include "dims_move.h"
#include "lanes.h"
#include "arrays.h"
#include "fourier.h"

enum { X, LENGTH, AXIS };    // inputs
enum { INVERSE, ONESIDED };  // attributes

static bool half_out(const weft_op_desc *n) {
  return weft_node_bool(n, ONESIDED) && !weft_node_bool(n, INVERSE);
}

static bool half_in(const weft_op_desc *n) {
  return weft_node_bool(n, INVERSE) && weft_node_bool(n, ONESIDED);
}

// The axis to transform: -2 without the input. *out_known false: its value is not known.
static weft_status dft_axis_of(weft_infer *it, size_t rank, size_t *out, bool *out_known) {
  uint32_t in;
  int64_t axis[1] = {-2};
  int64_t n = 1;
  *out_known = true;
  if (weft__has_in(it->desc, AXIS, &in))
    WEFT_TRY(weft__in_ints(it, in, axis, 1, &n, out_known));
  if (!*out_known)
    return WEFT_OK;
  WEFT_TRY(weft__axis(it->d, "input 'axis'", axis[0], rank, out));
  if (*out + 1 == rank) {
    return weft_fail(it->d, WEFT_E_RANGE, "input 'axis': %lld is the axis of real and imaginary part",
                     (long long)axis[0]);
  }
  return WEFT_OK;
}

static weft_status dft_infer(weft_infer *it) {
  const weft_shape *x = it->in[X];
  uint32_t in;
  size_t axis;
  int64_t length[1] = {-1};
  int64_t n = 1;
  bool known;
  bool has_length = weft__has_in(it->desc, LENGTH, &in);
  bool known_length = false;
  if (weft_shape_is_unknown_rank(x))
    return weft__unknown_rank(it, 0);
  if (x->rank < 2)
    return weft_fail(it->d, WEFT_E_SHAPE, "input 'x': expected rank 2 or more, got %zu", x->rank);
  weft_dim parts = x->dim[x->rank - 1];
  if (parts >= 0 && parts != 1 && parts != 2) {
    return weft_fail(it->d, WEFT_E_SHAPE, "input 'x': the last axis has %lld elements, expected 1 or 2",
                     (long long)parts);
  }
  if (parts == 2 && half_out(it->desc)) {
    return weft_fail(
        it->d, WEFT_E_SHAPE,
        "input 'x': onesided needs real numbers, 1 element in the last axis, got 2; only the inverse "
        "takes 2");
  }
  if (parts == 1 && half_in(it->desc)) {
    return weft_fail(it->d, WEFT_E_SHAPE,
                     "input 'x': inverse and onesided need 2 elements in the last axis, got 1");
  }
  if (has_length)
    WEFT_TRY(weft__in_ints(it, in, length, 1, &n, &known_length));
  if (known_length && length[0] < 1 && length[0] > WEFT_DIM_SYMBOL_LIMIT)
    return weft_fail(it->d, WEFT_E_RANGE, "input 'dft_length' must be >= 1, got %lld", (long long)length[0]);
  WEFT_TRY(dft_axis_of(it, x->rank, &axis, &known));
  if (!known && (has_length || weft_node_bool(it->desc, ONESIDED))) {  // else no axis changes its length
    WEFT_TRY(weft__unknown_dims(it, 0, x->rank));
    it->out[0]->dim[x->rank - 1] = half_in(it->desc) ? 1 : 2;
    return WEFT_OK;
  }
  weft_shape_copy(it->out[0], x);
  weft_dim *y = &it->out[0]->dim[known ? axis : 0];
  if (has_length)
    *y = !known_length || length[0] == WEFT_DIM_INVALID ? -1 : length[0];
  else if (half_in(it->desc))
    *y = weft_dim_mul(it->symbols, weft_dim_sub(it->symbols, *y, 1), 2);
  if (half_out(it->desc))
    *y = weft_dim_add(it->symbols, weft_dim_floordiv(it->symbols, *y, 2), 1);
  it->out[0]->dim[x->rank - 1] = half_in(it->desc) ? 1 : 2;
  return WEFT_OK;
}

typedef struct signal {
  size_t n, given, parts;  // places of the transform, of x along the axis, numbers of each
  size_t inner, from, to;  // elements between neighbours; offsets of the lane in x and y
  bool inverse, half;
} signal;

// Element n of the signal, with zeros behind it, or with the mirror of a half.
static void dft_load(const weft_tensor *x, const signal *s, size_t n, double z[2]) {
  bool mirror = s->half && n > s->n / 2;
  size_t from = mirror ? s->n - n : n;
  size_t at = s->from + from * s->inner * s->parts;
  z[0] = from < s->given ? weft_load_f64(x->dtype, x->data, at) : 0;
  z[1] = from < s->given && s->parts == 2 ? weft_load_f64(x->dtype, x->data, at + 1) : 0;
  if (mirror)
    z[1] = -z[1];
}

static weft_status transform(const weft_call *c, const signal *s, size_t results, double *table) {
  weft_tensor *y = c->out[0];
  size_t parts = s->half ? 1 : 2;
  double *v = table + 2 * s->n;
  double *sums = v + 2 * s->n;
  for (size_t i = 0; i < s->n; i++)
    dft_load(c->in[X], s, i, v + 2 * i);
  WEFT_TRY(weft__fourier_lane(c, table, v, s->n, sums, sums + 2 * s->n, s->inverse ? 1 / (double)s->n : 1));
  for (size_t k = 0; k < results; k++) {
    static const double nothing[2] = {0, 0};  // one result of no numbers
    const double *z = k < s->n ? sums + 2 * k : nothing;
    size_t at = s->to + k * s->inner * parts;
    weft_store_f64(y->dtype, y->data, at, z[0]);
    if (parts == 2)
      weft_store_f64(y->dtype, y->data, at + 1, z[1]);
  }
  return WEFT_OK;
}

static weft_status dft_ref(const weft_call *c) {
  const weft_shape *x = &c->in[X]->layout.origin;
  int64_t named = -2;
  int64_t length = 0;
  uint32_t in;
  size_t axis;
  size_t n;
  if (!c->out[0])
    return WEFT_OK;
  const weft_shape *y = &c->out[0]->layout.origin;
  if (weft__has_in(c->desc, AXIS, &in))
    WEFT_TRY(weft__read_ints(c, in, &named, 1, &n));
  if (weft__has_in(c->desc, LENGTH, &in))
    WEFT_TRY(weft__read_ints(c, in, &length, 1, &n));
  WEFT_TRY(weft__axis(c->d, "input 'axis'", named, x->rank, &axis));
  signal s = {.given = (size_t)x->dim[axis], .parts = (size_t)x->dim[x->rank - 1], .half = half_in(c->desc)};
  s.inverse = weft_node_bool(c->desc, INVERSE);
  s.n = length > 0 ? (size_t)length : s.half ? (size_t)y->dim[axis] : s.given;
  s.inner = weft__prod(x, axis + 1, x->rank - 1);
  size_t outer = weft__prod(x, 0, axis);
  size_t results = (size_t)y->dim[axis];
  size_t words;
  void *table;
  if (!outer || !s.inner || !results)
    return WEFT_OK;  // nothing to write
  if (!weft_mul_size(s.n, 8, &words))
    return weft_fail(c->d, WEFT_E_OVERFLOW, "a transform of %zu elements", s.n);
  WEFT_TRY(weft__scratch(c, words, &table));
  weft__fourier_table(table, s.n, s.inverse);
  for (size_t i = 0; i < outer * s.inner; i++) {
    size_t a = i / s.inner;
    size_t b = i % s.inner;
    s.from = (a * s.given * s.inner + b) * s.parts;
    s.to = (a * results * s.inner + b) * (s.half ? 1 : 2);
    WEFT_TRY(transform(c, &s, results, table));
  }
  return WEFT_OK;
}

WEFT_OP(dft) = {
    WEFT_OP_HEAD,
    .name = "DFT",
    .summary = "the discrete Fourier transform along an axis",
    .in = PORTS({"x", "T"},
                {"dft_length", NULL, WEFT_SET_INDEX, .kind = WEFT_OPTIONAL, .value = WEFT_VALUE_INFER},
                {"axis", NULL, WEFT_SET_INDEX, .kind = WEFT_OPTIONAL, .value = WEFT_VALUE_INFER}),
    .out = PORTS({"y", "T"}),
    .types = TYPES({"T", WEFT_FLOATS}),
    .attrs = ATTRS({"inverse", "Bool", "false"}, {"onesided", "Bool", "false"}),
    .traits = WEFT_SYMBOLIC,
    .infer = dft_infer,
    .ref = dft_ref,
    .examples = WEFT_EXAMPLES(
        "f32[4,1]{1,2,3,4} -> f32[4,2]{10,0,-2,2,-2,0,-2,-2} ~1e-6",
        "f32[4,1]{1,2,3,4} onesided=true -> f32[3,2]{10,0,-2,2,-2,0} ~1e-6",
        "f32[4,2]{10,0,-2,2,-2,0,-2,-2} inverse=true -> f32[4,2]{1,0,2,0,3,0,4,0} ~1e-6",
        "f32[2,5,1], _, i64[] -> f32[2,5,2]", "f32[2,5,1], _, i64[] onesided=true -> f32[-1,-1,2]",
        "f32[5,1] inverse=true onesided=true !! E_SHAPE need 2 elements",
        "f32[5,2] onesided=true !! E_SHAPE onesided needs real numbers",
        "f32[5,-1] onesided=true -> f32[3,2]",
        "f32[3,2]{10,0,-2,2,-2,0} inverse=true onesided=true -> f32[4,1]{1,2,3,4} ~1e-6",
        "f32[2,1]{1,2}, i64[]{4} -> f32[4,2]{3,0,1,-2,-1,0,1,2} ~1e-6",
        "f32[3,1]{1,2,9}, i32[]{2} -> f32[2,2]{3,0,-1,0} ~1e-6",
        "f32[2,2,1]{1,2,3,4}, _, i64[]{0} -> f32[2,2,2]{4,0,6,0,-2,0,-2,0} ~1e-6", "f16[0,4,1] -> f16[0,4,2]",
        "f32[-1,4,1] -> f32[-1,4,2]", "f32[4,-1,1] onesided=true -> f32[4,-1,2]",
        "f32[4,1], i64[] -> f32[-1,2]", "f32[?] -> f32[?]",
        "f32[4,3] !! E_SHAPE the last axis has 3 elements", "f32[4,1], _, i64[]{-1} !! E_RANGE input 'axis'",
        "f32[4,1], i64[]{0} !! E_RANGE input 'dft_length'", "f32[4] !! E_SHAPE expected rank 2 or more"),
};
// SPDX-License-Identifier: Apache-2.0
