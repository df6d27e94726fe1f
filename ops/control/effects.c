// ops/control/effects.c - operators that give nothing.   AscendIR NoOp, ControlTrigger, Summary, which do
// nothing, and Assert, which fails where an element of its condition is false, as TensorFlow's do.
#include "air_slots.h"
#include "op/air_rows.h"
#include "op.h"

static weft_status effect_infer(weft_infer *it) {
  (void)it;
  return WEFT_OK;
}

static weft_status effect_none(const weft_call *c) {
  (void)c;
  return WEFT_OK;
}

static weft_status effect_assert(const weft_call *c) {
  const weft_tensor *t = c->in[0];
  for (size_t i = 0; i < weft__elems(&t->layout.origin); i++) {
    WEFT_TRY(weft__poll_at(c, i));
    if (!weft_load_i64(t->dtype, t->data, i))
      return weft_fail(c->d, WEFT_E_INVALID,
                       "the assertion does not hold: element %zu of input "
                       "'input_condition' is "
                       "false",
                       i);
  }
  return WEFT_OK;
}

WEFT_ROWS(effects) = {
    {"NoOp", "nothing", WEFT_SYMBOLIC, .infer = effect_infer, .ref = effect_none, .examples =
    WEFT_EXAMPLES("->")},
    {"ControlTrigger", "nothing",
        WEFT_SYMBOLIC, .infer = effect_infer, .ref = effect_none, .examples = WEFT_EXAMPLES("->")},
    {"Summary", "nothing with x",
        WEFT_SYMBOLIC, .infer = effect_infer, .ref = effect_none, .examples = WEFT_EXAMPLES("f32[2]{1,2} "
        "->")},
    {"Assert", "fails where the condition does not hold",
        WEFT_SYMBOLIC, .infer = effect_infer, .ref = effect_assert,
     .examples = WEFT_EXAMPLES("bool[2]{1,1}, [f32[1]{1}] ->",
                               "bool[2]{1,0}, [f32[1]{1}] !! E_INVALID element 1 of input "
                               "'input_condition'")},
    {0},
};
// SPDX-License-Identifier: Apache-2.0
