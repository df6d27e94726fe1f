// map_quant.c - fake quantisation: numbers are clamped to a range that is nudged so that zero is one of its
// steps, or that begins or ends with a whole number of steps, and rounded to a step.
#include <math.h>

#include "frontend/tf/tables.h"

typedef struct quant_range {
  weft_value *low, *high, *step;
} quant_range;

static weft_value *quant_number(front_op *b, double v) {
  return front_num(b, WEFT_FLOAT, v);
}

// low, high: FLOAT, a number or one for each channel.
static quant_range quant_nudged(front_op *b, weft_value *low, weft_value *high, double least, double most) {
  weft_value *lowest = quant_number(b, least);
  weft_value *highest = quant_number(b, most);
  weft_value *range = front_do(b, "Sub", high, low, NULL);
  weft_value *step = front_do(b, "RealDiv", range, quant_number(b, most - least), NULL);
  weft_value *zero = front_do(b, "Sub", lowest, front_do(b, "RealDiv", low, step, NULL), NULL);
  // within the range the zero point is not negative: half and more goes up
  weft_value *near = front_do(b, "Floor", front_do(b, "Add", zero, quant_number(b, 0.5), NULL), NULL, NULL);
  weft_value *at = front_do(b, "Minimum", front_do(b, "Maximum", near, lowest, NULL), highest, NULL);
  return (quant_range){front_do(b, "Mul", front_do(b, "Sub", lowest, at, NULL), step, NULL),
                       front_do(b, "Mul", front_do(b, "Sub", highest, at, NULL), step, NULL), step};
}

static void quant_fake(tf_op *o, weft_value *low, weft_value *high) {
  front_op *b = &o->b;
  int64_t bits = tf_int(o, "num_bits", 8);
  if (!b->failed && (bits < 2 || bits > 16))
    front_fail(b, WEFT_E_RANGE, "attribute 'num_bits': %lld is outside [2, 16]", (long long)bits);
  if (b->failed)
    return;
  double least = tf_bool(o, "narrow_range", false) ? 1 : 0;
  quant_range r = quant_nudged(b, low, high, least, ldexp(1, (int)bits) - 1);
  weft_value *x = front_do(b, "Minimum", front_do(b, "Maximum", tf_in(o, 0), r.low, NULL), r.high, NULL);
  weft_value *inverse = front_do(b, "Reciprocal", r.step, NULL, NULL);
  weft_value *steps = front_do(b, "Mul", front_do(b, "Sub", x, r.low, NULL), inverse, NULL);
  steps = front_do(b, "Floor", front_do(b, "Add", steps, quant_number(b, 0.5), NULL), NULL, NULL);
  tf_give(o, 0, front_do(b, "Add", front_do(b, "Mul", steps, r.step, NULL), r.low, NULL));
}

static void quant_args(tf_op *o) {
  weft_value *low = quant_number(&o->b, tf_float(o, "min", -6));
  quant_fake(o, low, quant_number(&o->b, tf_float(o, "max", 6)));
}
static void quant_vars(tf_op *o) {
  quant_fake(o, tf_in(o, 1), tf_in(o, 2));
}

// ---- quantised and back, symmetric: zero stays zero ----
typedef struct quant_sides {
  weft_value *low, *high, *scale, *step;
} quant_sides;

// The side of the range that takes more steps decides, and moves the other one.
static quant_sides quant_decided(front_op *b, weft_value *low, weft_value *high, double least, double most) {
  weft_value *zero = quant_number(b, 0);
  weft_value *far = quant_number(b, 3.4028234663852886e38);
  weft_value *fewest = quant_number(b, least);
  weft_value *all = quant_number(b, most);
  weft_value *below = front_do(b, "Greater", front_do(b, "Mul", fewest, low, NULL), zero, NULL);
  weft_value *above = front_do(b, "Greater", front_do(b, "Mul", all, high, NULL), zero, NULL);
  weft_value *down = front_where(b, below, front_do(b, "RealDiv", fewest, low, NULL), far);
  weft_value *up = front_where(b, above, front_do(b, "RealDiv", all, high, NULL), far);
  weft_value *lower = front_do(b, "Less", down, up, NULL);
  weft_value *step_down =
      least < 0 ? front_do(b, "RealDiv", low, fewest, NULL) : front_do(b, "ZerosLike", low, NULL, NULL);
  weft_value *step = front_where(b, lower, step_down, front_do(b, "RealDiv", high, all, NULL));
  return (quant_sides){front_where(b, lower, low, front_do(b, "Mul", fewest, step, NULL)),
                       front_where(b, lower, front_do(b, "Mul", all, step, NULL), high),
                       front_where(b, lower, down, up), step};
}

static void quant_and_back(tf_op *o, int64_t bits) {
  front_op *b = &o->b;
  weft_value *x = tf_in(o, 0);
  const int64_t axis = tf_int(o, "axis", -1);
  const bool whole = tf_bool(o, "signed_input", true);
  const bool given = tf_bool(o, "range_given", false);
  if (!b->failed && (bits < 1 || bits > 24 || axis >= 0 || x->fact.dtype != WEFT_FLOAT))
    front_fail(b, WEFT_E_UNSUPPORTED,
               "%lld bits, axis %lld: floats of up to 24 bits and of one range are read", (long long)bits,
               (long long)axis);
  if (b->failed)
    return;
  const double half = ldexp(1, (int)bits - 1);
  const double least = !whole ? 0 : tf_bool(o, "narrow_range", false) ? 1 - half : -half;
  weft_value *low = given ? tf_in(o, 1) : front_reduced(b, "ReduceMin", x, NULL, 0, false);
  weft_value *high = given ? tf_in(o, 2) : front_reduced(b, "ReduceMax", x, NULL, 0, false);
  const quant_sides s = quant_decided(b, low, high, least, whole ? half - 1 : 2 * half - 1);
  if (given)  // a range that x has is left as it is
    x = front_do(b, "Minimum", front_do(b, "Maximum", x, s.low, NULL), s.high, NULL);
  weft_value *steps = front_do(b, "Mul", x, s.scale, NULL);
  if (tf_is(o, "round_mode", "HALF_TO_EVEN", "HALF_UP"))
    steps = front_do(b, "Floor", front_do(b, "Add", steps, quant_number(b, 0.5), NULL), NULL, NULL);
  else
    steps = front_do(b, "Round", steps, NULL, NULL);
  tf_give(o, 0, front_do(b, "Mul", steps, s.step, NULL));
}
static void quant_and_back_attr(tf_op *o) {
  quant_and_back(o, tf_int(o, "num_bits", 8));
}
static void quant_and_back_input(tf_op *o) {
  int64_t bits[TF_MAX_NUMBERS];
  const size_t n = tf_known(o, 3, bits);
  if (!o->b.failed && n != 1)
    front_fail(&o->b, WEFT_E_SHAPE, "num_bits has %zu numbers, expected 1", n);
  if (!o->b.failed)
    quant_and_back(o, bits[0]);
}

static const tf_row quant_rows[] = {
    {"FakeQuantWithMinMaxArgs", NULL, NULL, quant_args},
    {"FakeQuantWithMinMaxVars", NULL, NULL, quant_vars},
    {"FakeQuantWithMinMaxVarsPerChannel", NULL, NULL, quant_vars},
    {"QuantizeAndDequantizeV2", NULL, NULL, quant_and_back_attr},
    {"QuantizeAndDequantizeV3", NULL, NULL, quant_and_back_input},
    {"QuantizeAndDequantizeV4", NULL, NULL, quant_and_back_attr},
};
const tf_rows tf_quant = TF_ROWS(quant_rows);
// SPDX-License-Identifier: Apache-2.0
