// ops/shape/broadcast_to.c - x repeated to exactly the shape that `shape` says.   AscendIR BroadcastTo.
// x's dims are 1 or those of the shape (right-aligned); the shape never has a lower rank than x.
#include "broadcast.h"

static weft_status broadcast_to_infer(weft_infer *it) {
  const weft_shape *x = it->in[0];
  weft_shape y;
  WEFT_TRY(weft__in_target(it, 1, &y));
  if (!weft_shape_is_unknown_rank(&y) && !weft_shape_is_unknown_rank(x)) {
    bool fits = y.rank >= x->rank;
    for (size_t i = 0; fits && i < x->rank; i++) {
      weft_dim a = x->dim[i];
      weft_dim *b = &y.dim[y.rank - x->rank + i];
      if (*b == -1 && a != 1 && a >= 0)
        *b = a;
      fits = a == 1 || a < 0 || *b < 0 || a == *b;
    }
    char s[256];
    char t[256];
    if (!fits) {
      return weft_fail(it->d, WEFT_E_SHAPE, "x of shape %s does not broadcast to %s",
                       weft_shape_text(x, it->symbols, s, sizeof s),
                       weft_shape_text(&y, it->symbols, t, sizeof t));
    }
  }
  weft_shape_copy(it->out[0], &y);
  return WEFT_OK;
}

WEFT_OP(broadcast_to) = {
    WEFT_OP_HEAD,
    .name = "BroadcastTo",
    .summary = "x repeated to a shape",
    .in = PORTS({"x", "T"}, {"shape", NULL, WEFT_SET_INDEX, .value = WEFT_VALUE_INFER}),
    .out = PORTS({"y", "T"}),
    .types = TYPES({"T", WEFT_STORABLE}),
    .traits = WEFT_SYMBOLIC,
    .infer = broadcast_to_infer,
    .infer_value = weft__broadcast_elems,
    .ref = weft__broadcast_ref,
    .examples = WEFT_EXAMPLES("f32[2,1]{1,2}, i64[3]{2,2,2} -> f32[2,2,2]{1,1,2,2,1,1,2,2}",
                              "f32[]{7}, i32[1]{2} -> f32[2]{7,7}", "f32[1,3], i32[2]{0,3} -> f32[0,3]",
                              "f32[-1,3], i32[2]{5,3} -> f32[5,3]", "f32[2,1], i64[2] -> f32[2,-1]",
                              "f32[2,1], i64[-1] -> f32[?]",
                              "str[1]{\"a\"}, i32[1]{2} -> str[2]{\"a\",\"a\"}",
                              "f32[3], i32[1]{1} !! E_SHAPE [3] does not broadcast to [1]",
                              "f32[1,1], i32[1]{2} !! E_SHAPE",
                              "f32[3], i32[1]{-1} !! E_SHAPE element 0 is -1"),
};
// SPDX-License-Identifier: Apache-2.0
