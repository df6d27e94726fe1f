// ops/data/range.c - start + i*delta before limit.   AscendIR Range, ONNX Range-11.
// Up to limit when is_closed. Element i is start + i*delta in double, rounded once, or in the integer type.
// delta 0, NaN and infinite lengths fail; a limit on the wrong side gives an empty tensor.
#include "dims_move.h"

enum { IS_CLOSED };
enum { START, LIMIT, DELTA };

static weft_status too_long(weft_diag *d) {
  return weft_fail(d, WEFT_E_LIMIT, "the range has more than 2^48 elements, or no end");
}

static weft_status count_floats(weft_diag *d, const double v[3], bool closed, int64_t *out) {
  if (isnan(v[0]) || isnan(v[1]) || isnan(v[2]))
    return weft_fail(d, WEFT_E_INVALID, "start, limit or delta is NaN");
  if (v[DELTA] == 0)
    return weft_fail(d, WEFT_E_INVALID, "input 'delta': 0");
  double steps = (v[LIMIT] - v[START]) / v[DELTA];
  double n = closed ? floor(steps) + 1 : ceil(steps);
  if (isnan(n) || n > 281474976710656.0)
    return too_long(d);
  *out = n > 0 ? (int64_t)n : 0;
  return WEFT_OK;
}

static weft_status count_ints(weft_diag *d, const int64_t v[3], bool closed, int64_t *out) {
  int64_t start = v[START];
  int64_t limit = v[LIMIT];
  int64_t delta = v[DELTA];
  if (!delta)
    return weft_fail(d, WEFT_E_INVALID, "input 'delta': 0");
  bool none = delta > 0 ? start > limit : start < limit;
  *out = 0;
  if (none || (!closed && start == limit))
    return WEFT_OK;
  uint64_t gap = delta > 0 ? (uint64_t)limit - (uint64_t)start : (uint64_t)start - (uint64_t)limit;
  uint64_t by = delta > 0 ? (uint64_t)delta : 0 - (uint64_t)delta;
  uint64_t n = closed ? gap / by : (gap - 1) / by;
  if (n >= UINT64_C(1) << 48)
    return too_long(d);
  *out = (int64_t)n + 1;
  return WEFT_OK;
}

static weft_status range_count(weft_diag *d, weft_dtype t, const void *const data[3], bool closed,
                               int64_t *out) {
  double f[3];
  int64_t i[3];
  for (int k = 0; k < 3; k++) {
    if (weft_dtype_is_float(t))
      f[k] = weft_load_f64(t, data[k], 0);
    else
      i[k] = weft_load_i64(t, data[k], 0);
  }
  return weft_dtype_is_float(t) ? count_floats(d, f, closed, out) : count_ints(d, i, closed, out);
}

// From a known start in known steps up to a symbol.
static weft_dim symbolic(const weft_infer *it) {
  int64_t v[3];
  for (uint32_t k = 0; k < 3; k++) {
    if (!it->in_dims[k].v || it->in_dims[k].n != 1)
      return -1;
    v[k] = it->in_dims[k].v[0];
  }
  if (!weft__is_literal(v[START]) || !weft__is_literal(v[DELTA]) || v[START] < 0 || v[DELTA] < 1 ||
      !weft_dim_is_symbol(v[LIMIT]) || weft_node_bool(it->desc, IS_CLOSED))
    return -1;
  weft_dim gap =
      v[START] ? weft_dim_max(it->symbols, weft_dim_sub(it->symbols, v[LIMIT], v[START]), 0) : v[LIMIT];
  return weft_dim_ceildiv(it->symbols, gap, v[DELTA]);
}

static weft_status range_infer(weft_infer *it) {
  const void *data[3];
  bool known = true;
  int64_t n;
  for (uint32_t k = 0; k < 3; k++) {
    if (weft_shape_is_known(it->in[k]) && (weft_shape_elems(it->in[k], &n) || n != 1))
      return weft_fail(it->d, WEFT_E_SHAPE, "input '%s': expected one element", weft__in_name(it->desc, k));
    data[k] = it->value[k]->data;
    known = known && data[k];
  }
  WEFT_TRY(weft__unknown_dims(it, 0, 1));
  if (!known) {
    it->out[0]->dim[0] = symbolic(it);
    return WEFT_OK;
  }
  return range_count(it->d, it->in_dtype[0], data, weft_node_bool(it->desc, IS_CLOSED), &it->out[0]->dim[0]);
}

static weft_status range_ref(const weft_call *c) {
  weft_dtype t = c->in[0]->dtype;
  weft_tensor *y = c->out[0];
  size_t n = y ? weft__elems(&y->layout.origin) : 0;
  for (size_t i = 0; i < n; i++) {
    WEFT_TRY(weft__poll_at(c, i));
    if (weft_dtype_is_float(t)) {
      double start = weft_load_f64(t, c->in[START]->data, 0), delta = weft_load_f64(t, c->in[DELTA]->data, 0);
      weft_store_f64(t, y->data, i, i ? start + (double)i * delta : start);
    } else {
      uint64_t start = (uint64_t)weft_load_i64(t, c->in[START]->data, 0);
      weft_store_i64(t, y->data, i, (int64_t)(start + i * (uint64_t)weft_load_i64(t, c->in[DELTA]->data, 0)));
    }
  }
  return WEFT_OK;
}

WEFT_OP(range) = {
    WEFT_OP_HEAD,
    .name = "Range",
    .summary = "numbers at equal steps",
    .in = PORTS({"start", "T", .value = WEFT_VALUE_INFER}, {"limit", "T", .value = WEFT_VALUE_INFER},
                {"delta", "T", .value = WEFT_VALUE_INFER}),
    .out = PORTS({"y", "T"}),
    .types = TYPES({"T", WEFT_FLOATS | WEFT_DT(INT16) | WEFT_SET_INDEX}),
    .attrs = ATTRS({"is_closed", "Bool", "false"}),
    .traits = WEFT_SYMBOLIC,
    .infer = range_infer,
    .ref = range_ref,
    .examples = WEFT_EXAMPLES("i32[]{1}, i32[]{6}, i32[]{2} -> i32[3]{1,3,5}",
                              "f32[]{0}, f32[]{1}, f32[]{0.25} -> f32[4]{0,0.25,0.5,0.75}",
                              "i64[]{3}, i64[]{0}, i64[]{-2} -> i64[2]{3,1}",
                              "i32[1]{1}, i32[1]{5}, i32[1]{2} is_closed=true -> i32[3]{1,3,5}",
                              "f32[]{2}, f32[]{1}, f32[]{1} -> f32[0]",
                              "i32[]{0}, i32[]{0}, i32[]{1} is_closed=true -> i32[1]{0}",
                              "i32[], i32[]{5}, i32[]{1} -> i32[-1]", "f32[], f32[], f32[] -> f32[-1]",
                              "i32[]{0}, i32[]{5}, i32[]{0} !! E_INVALID input 'delta': 0",
                              "f32[]{0}, f32[]{nan}, f32[]{1} !! E_INVALID NaN",
                              "f32[]{0}, f32[]{inf}, f32[]{1} !! E_LIMIT",
                              "i32[2]{0,0}, i32[]{1}, i32[]{1} !! E_SHAPE input 'start'",
                              "i64[]{-9223372036854775808}, i64[]{9223372036854775807}, i64[]{1} !! E_LIMIT"),
};
// SPDX-License-Identifier: Apache-2.0
