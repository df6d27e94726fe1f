// fixed.c - the interpreter's own arithmetic for quantised tensors: sums of integers less their zero points,
// scaled by a multiplier of 31 bits and a shift (FixedRequant), so that a network gives what the interpreter
// gives, bit for bit. What has no such rule here is computed on real numbers and is within one step.
#include <math.h>
#include "base/allocated.h"
#include "frontend/tflite/tflite.h"

// ---- what is known of a tensor ----
bool tl_quantised(const tl_tensor *t) {
  return t && t->quant.n && weft_dtype_is_integer(t->t);
}

double tl_scale(const tl_op *o, const tl_tensor *t, size_t i) {
  return (double)flat_f32_at(&o->m->file, &t->quant.scales, t->quant.n > 1 ? i : 0);
}

int64_t tl_zero(const tl_op *o, const tl_tensor *t) {
  return t->quant.zero_points.n ? flat_i64_at(&o->m->file, &t->quant.zero_points, 0) : 0;
}

// One scale for the whole tensor, of 8 or 16 bits.
bool tl_is_fixed(const tl_tensor *t) {
  return tl_quantised(t) && t->quant.n == 1 &&
         (t->t == WEFT_INT8 || t->t == WEFT_UINT8 || t->t == WEFT_INT16);
}

// ---- steps ----
weft_value *tl_whole(tl_op *o, const tl_tensor *t, weft_value *v, weft_dtype as) {
  int64_t zero = tl_zero(o, t);
  v = front_as(&o->b, v, as);
  return zero ? front_do(&o->b, "Sub", v, front_int(&o->b, as, zero), NULL) : v;
}

// scale = multiplier * 2^(shift - 31), multiplier of 31 bits.
static void fixed_multiplier(double scale, int32_t *multiplier, int32_t *shift) {
  int exponent = 0;
  double q = frexp(scale, &exponent);
  int64_t fixed = (int64_t)round(q * 2147483648.0);
  if (fixed == INT64_C(1) << 31) {
    fixed /= 2;
    exponent++;
  }
  bool small = exponent < -31;
  *multiplier = small ? 0 : (int32_t)fixed;
  *shift = small ? 0 : (int32_t)exponent;
}

static weft_value *fixed_numbers(tl_op *o, const int32_t *v, size_t n) {
  weft_tensor c;
  weft_dim dim = (weft_dim)n;
  if (o->b.failed)
    return NULL;
  weft_tensor_init(&c, &o->m->f.env->alloc);
  o->b.failed =
      weft_tensor_borrow(&c, WEFT_INT32, &dim, n > 1, (void *)(uintptr_t)v, n * sizeof *v, o->m->f.d);
  weft_value *out = o->b.failed ? NULL : front_const(&o->b, &c);
  weft_tensor_deinit(&c);
  return out;
}

weft_value *tl_scaled(tl_op *o, weft_value *v, const double *scales, size_t n, bool twice) {
  int32_t *numbers = WEFT_NEW_N(&o->m->f.arena, int32_t, 2 * n);
  if (!numbers)
    return front_none(&o->b, WEFT_E_NOMEM, "out of memory");
  for (size_t i = 0; i < n; i++)
    fixed_multiplier(scales[i], &numbers[i], &numbers[n + i]);
  weft_value *multiplier = fixed_numbers(o, numbers, n);
  weft_value *shift = fixed_numbers(o, numbers + n, n);
  front_set_bool(&o->b, "twice", twice);
  return front_do(&o->b, "FixedRequant", v, multiplier, shift);
}

// A sum over `count` elements as their mean: the multiplier takes the division.
static void fixed_mean_multiplier(double scale, int64_t count, int32_t *multiplier, int32_t *shift) {
  int32_t more = 0;
  fixed_multiplier(scale, multiplier, shift);
  while (more < 32 && count >> (more + 1))
    more++;
  more = WEFT_MIN(more, 31 + *shift);
  *multiplier = (int32_t)(((int64_t)*multiplier << more) / count);
  *shift -= more;
}

// ---- the end of an operator ----
static int64_t fixed_quantum(double x, double scale, int64_t zero) {
  double v = round(x / scale) + (double)zero;
  return v < -1e9 ? -1000000000 : v > 1e9 ? 1000000000 : (int64_t)v;
}

// What the fused activation leaves of the range of the integers.
bool tl_range(tl_op *o, int64_t *low, int64_t *high) {
  const tl_tensor *t = tl_tensor_out(o, 0);
  if (!tl_is_fixed(t) || !(tl_scale(o, t, 0) > 0))
    return false;
  int field = tl_activation(o->op->code);
  int64_t how = field < 0 ? 0 : tl_byte(o, (uint32_t)field, 0);
  double scale = tl_scale(o, t, 0);
  int64_t zero = tl_zero(o, t);
  *low = t->t == WEFT_INT8 ? -128 : t->t == WEFT_UINT8 ? 0 : -32768;
  *high = t->t == WEFT_INT8 ? 127 : t->t == WEFT_UINT8 ? 255 : 32767;
  if (how == 1 || how == 3)
    *low = WEFT_MAX(*low, zero);
  if (how == 2)
    *low = WEFT_MAX(*low, fixed_quantum(-1, scale, zero));
  if (how == 2 || how == 3)
    *high = WEFT_MIN(*high, fixed_quantum(how == 2 ? 1 : 6, scale, zero));
  return how <= 3;
}

static void fixed_end_attrs(tl_op *o, int64_t low, int64_t high) {
  const tl_tensor *t = tl_tensor_out(o, 0);
  front_set_int(&o->b, "low", low);
  front_set_int(&o->b, "high", high);
  front_set_int(&o->b, "zero_point", tl_zero(o, t));
  front_set_int(&o->b, "output_dtype", t->t);
}

weft_value *tl_mean_end(tl_op *o, weft_value *sum, double scale, int64_t count) {
  int64_t low;
  int64_t high;
  int32_t numbers[2];
  if (o->b.failed || !tl_range(o, &low, &high))
    return NULL;
  fixed_mean_multiplier(scale, count, &numbers[0], &numbers[1]);
  weft_value *multiplier = fixed_numbers(o, &numbers[0], 1);
  weft_value *shift = fixed_numbers(o, &numbers[1], 1);
  fixed_end_attrs(o, low, high);
  front_set_bool(&o->b, "twice", true);
  return front_do(&o->b, "FixedRequant", sum, multiplier, shift);
}

weft_value *tl_scaled_end(tl_op *o, weft_value *v, const double *scales, size_t n, int64_t axis, bool twice) {
  int64_t low;
  int64_t high;
  if (o->b.failed || !tl_range(o, &low, &high))
    return NULL;
  if (n > 1)
    front_set_int(&o->b, "axis", axis);
  fixed_end_attrs(o, low, high);
  return tl_scaled(o, v, scales, n, twice);
}

// Scales of a product's sums, one for each channel that has its own. rounded: where the interpreter
// multiplies two scales as floats.
double *tl_sum_scales(tl_op *o, const tl_tensor *x, const tl_tensor *w, bool rounded, size_t *n) {
  const tl_tensor *y = tl_tensor_out(o, 0);
  double *scales = WEFT_NEW_N(&o->m->f.arena, double, w->quant.n);
  *n = w->quant.n;
  if (!scales) {
    front_fail(&o->b, WEFT_E_NOMEM, "out of memory");
    return NULL;
  }
  for (size_t i = 0; i < *n; i++) {
    double product = tl_scale(o, x, 0) * tl_scale(o, w, i);
    scales[i] = (*n > 1 || !rounded ? product : (double)(float)product) / tl_scale(o, y, 0);
  }
  return scales;
}
// SPDX-License-Identifier: Apache-2.0
