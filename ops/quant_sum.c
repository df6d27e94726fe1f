// quant_sum.c - see quant_sum.h. The zero points are subtracted first, in int32, and the operators' own
// reference kernels for integers do the rest.
#include "quant_sum.h"

#include "arrays.h"

static bool is_one(const weft_shape *s) {
  return !s->rank || (s->rank == 1 && s->dim[0] == 1);
}

// A parameter: one number, or one for each channel.
static weft_status check_numbers(weft_infer *it, uint32_t port, weft_dim channels, bool many) {
  uint32_t in;
  weft_dim merged;
  if (!weft__has_in(it->desc, port, &in))
    return WEFT_OK;
  const weft_shape *s = it->in[in];
  if (weft_shape_is_unknown_rank(s) || is_one(s) || (s->rank == 1 && s->dim[0] < 0))
    return WEFT_OK;
  if (many && s->rank == 1)
    return weft__merge_dim(it, channels, s->dim[0], "the channels and their parameters", &merged);
  return weft_fail(it->d, WEFT_E_SHAPE, "input '%s': expected one element%s, got %s of rank %zu",
                   port == WEFT_SUM_X_ZERO   ? "x_zero"
                   : port == WEFT_SUM_W_ZERO ? "w_zero"
                   : port == WEFT_SUM_SCALE  ? "scale"
                                             : "y_zero",
                   many ? ", or one a channel" : "", s->rank == 1 ? "several" : "a tensor", s->rank);
}

static weft_status check_dtype(weft_infer *it, uint32_t port, uint32_t of) {
  uint32_t in;
  if (!weft__has_in(it->desc, port, &in) || it->in_dtype[in] == it->in_dtype[of])
    return WEFT_OK;
  return weft_fail(it->d, WEFT_E_DTYPE, "the zero point of input '%s' has dtype %s, it has %s",
                   of ? "w" : "x", weft_dtype_name(it->in_dtype[in]), weft_dtype_name(it->in_dtype[of]));
}

weft_status weft__sum_infer(weft_infer *it, bool last, uint32_t range_slot) {
  const weft_shape *y = it->out[0];
  bool known = !weft_shape_is_unknown_rank(y) && y->rank > (last ? 0u : 1u);
  weft_dim channels = known ? y->dim[last ? y->rank - 1 : 1] : -1;
  if (last && !weft_shape_is_unknown_rank(it->in[1]) && it->in[1]->rank == 1)
    channels = 1;
  uint32_t scale;
  uint32_t zero;
  bool has_scale = weft__has_in(it->desc, WEFT_SUM_SCALE, &scale);
  bool has_zero = weft__has_in(it->desc, WEFT_SUM_Y_ZERO, &zero);
  WEFT_TRY(check_dtype(it, WEFT_SUM_X_ZERO, 0));
  WEFT_TRY(check_dtype(it, WEFT_SUM_W_ZERO, 1));
  WEFT_TRY(check_numbers(it, WEFT_SUM_X_ZERO, channels, false));
  WEFT_TRY(check_numbers(it, WEFT_SUM_W_ZERO, channels, true));
  WEFT_TRY(check_numbers(it, WEFT_SUM_SCALE, channels, true));
  WEFT_TRY(check_numbers(it, WEFT_SUM_Y_ZERO, channels, false));
  if (has_scale != has_zero) {
    return weft_fail(it->d, WEFT_E_INVALID, "inputs 'scale' and 'y_zero' come together, '%s' is missing",
                     has_scale ? "y_zero" : "scale");
  }
  weft_ints range = weft_node_ints(it->desc, range_slot);
  if (range.n && (!has_scale || range.n != 2 || range.v[0] > range.v[1]))
    return weft_fail(it->d, WEFT_E_RANGE, "attribute 'range' is a least and a largest number, with a scale");
  it->out_dtype[0] = has_scale ? it->in_dtype[zero] : WEFT_INT32;
  return WEFT_OK;
}

static const weft_tensor *quant_sum_find(const weft_call *c, uint32_t port) {
  uint32_t in;
  return weft__has_in(c->desc, port, &in) ? c->in[in] : NULL;
}

// t less its zero points, as int32; `inner` elements of t for each of them.
static weft_status centred(const weft_call *c, const weft_tensor *t, const weft_tensor *zero, size_t inner,
                           weft_tensor *out) {
  size_t n = weft__elems(&t->layout.origin);
  size_t zeros = zero ? weft__elems(&zero->layout.origin) : 1;
  void *data;
  WEFT_TRY(weft__scratch(c, n, &data));
  int32_t *v = data;
  for (size_t i = 0; i < n; i++) {
    WEFT_TRY(weft__poll_at(c, i));
    int64_t z = zero ? weft_load_i64(zero->dtype, zero->data, zeros == 1 ? 0 : i / inner % zeros) : 0;
    v[i] = (int32_t)(weft_load_i64(t->dtype, t->data, i) - z);
  }
  *out = *t;
  out->dtype = WEFT_INT32;
  out->data = v;
  out->bytes = n * sizeof *v;
  return WEFT_OK;
}

static int64_t quant_sum_rounded(int32_t sum, float scale) {
  float v = (float)sum * scale;
  return v != v ? 0 : v > 1e6f ? 1000000 : v < -1e6f ? -1000000 : (int64_t)rintf(v);
}

weft_status weft__sum_run(const weft_call *c, bool last, uint32_t range_slot,
                          weft_status (*sums)(const weft_call *c)) {
  weft_tensor *y = c->out[0];
  weft_tensor x;
  weft_tensor w;
  weft_tensor out;
  if (!y)
    return WEFT_OK;
  const weft_tensor *scale = quant_sum_find(c, WEFT_SUM_SCALE);
  const weft_tensor *zero = quant_sum_find(c, WEFT_SUM_Y_ZERO);
  const weft_shape *f = &c->in[1]->layout.origin;
  const weft_shape *s = &y->layout.origin;
  size_t n = weft__elems(s);
  size_t inner = last ? 1 : weft__prod(s, 2, s->rank);
  void *data;
  WEFT_TRY(centred(c, c->in[0], quant_sum_find(c, WEFT_SUM_X_ZERO), 1, &x));
  WEFT_TRY(
      centred(c, c->in[1], quant_sum_find(c, WEFT_SUM_W_ZERO), last ? 1 : weft__prod(f, 1, f->rank), &w));
  WEFT_TRY(weft__scratch(c, n, &data));
  out = *y;
  out.dtype = WEFT_INT32;
  out.data = data;
  out.bytes = n * sizeof(int32_t);
  weft_op_desc desc = *c->desc;
  desc.n_in_ports = 3;
  const weft_tensor *in[3] = {&x, &w, quant_sum_find(c, WEFT_SUM_BIAS)};
  weft_tensor *outs[1] = {&out};
  weft_call call = *c;
  call.desc = &desc;
  call.in = in;
  call.out = outs;
  call.n_in = in[2] ? 3 : 2;
  WEFT_TRY(sums(&call));
  const int32_t *v = data;
  if (!scale) {
    memcpy(y->data, v, n * sizeof *v);
    return WEFT_OK;
  }
  weft_ints range = weft_node_ints(c->desc, range_slot);
  int64_t low = y->dtype == WEFT_INT8 ? -128 : 0;
  int64_t high = low + 255;
  int64_t z = weft_load_i64(zero->dtype, zero->data, 0);
  if (range.n == 2) {
    low = WEFT_MIN(WEFT_MAX(low, range.v[0]), high);
    high = WEFT_MAX(low, WEFT_MIN(high, range.v[1]));
  }
  size_t scales = weft__elems(&scale->layout.origin);
  for (size_t i = 0; i < n; i++) {
    WEFT_TRY(weft__poll_at(c, i));
    float by = (float)weft_load_f64(scale->dtype, scale->data, scales == 1 ? 0 : i / inner % scales);
    int64_t r = quant_sum_rounded(v[i], by) + z;
    weft_store_i64(y->dtype, y->data, i, r < low ? low : r > high ? high : r);
  }
  return WEFT_OK;
}
// SPDX-License-Identifier: Apache-2.0
