// map_quant.c - fake quantisation: numbers are clamped to a range that is nudged so that zero is one of its
// steps, and rounded to a step.
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

static const tf_row quant_rows[] = {
    {"FakeQuantWithMinMaxArgs", NULL, NULL, quant_args},
    {"FakeQuantWithMinMaxVars", NULL, NULL, quant_vars},
    {"FakeQuantWithMinMaxVarsPerChannel", NULL, NULL, quant_vars},
};
const tf_rows tf_quant = TF_ROWS(quant_rows);
// SPDX-License-Identifier: Apache-2.0
