// ops/elementwise/select_v2.c - result = then where condition, else elsewhere.
// AscendIR SelectV2, ONNX Where-16.
// All three broadcast. Elements are copied as they are, whatever the dtype: strings and types below a
// byte, too.
#include "dims_logic.h"

static bool taken(const weft_call *c, const weft_walk *w) {
  return ((const uint8_t *)c->in[0]->data)[w->at[0]] != 0;
}

static weft_status select_strings(const weft_call *c, weft_walk *w) {
  size_t bytes;
  void *space;
  if (!weft_mul_size(w->n, sizeof(char *) + sizeof(size_t), &bytes))
    return weft_fail(c->d, WEFT_E_OVERFLOW, "%zu strings do not fit the address space", w->n);
  WEFT_TRY(c->host->workspace(c, bytes, &space));
  const char **text = space;
  size_t *lengths = (size_t *)(text + w->n);
  for (; w->i < w->n; weft__walk_next(w)) {
    WEFT_TRY(weft__poll_at(c, w->i));
    int k = taken(c, w) ? 1 : 2;
    WEFT_TRY(weft_tensor_string(c->in[k], w->at[k], &text[w->i], &lengths[w->i], c->d));
  }
  return weft__call_set_strings(c, c->out[0], &c->out[0]->layout.origin, text, lengths);
}

static weft_status select_v2_ref(const weft_call *c) {
  weft_walk w;
  weft__walk_init(&w, &c->out[0]->layout.origin);
  for (int k = 0; k < 3; k++)
    weft__walk_operand(&w, k, &c->in[k]->layout.origin);
  if (c->in[1]->dtype == WEFT_STRING)
    return select_strings(c, &w);
  for (; w.i < w.n; weft__walk_next(&w)) {
    WEFT_TRY(weft__poll_at(c, w.i));
    int k = taken(c, &w) ? 1 : 2;
    weft__copy_elem(c->in[k]->dtype, c->out[0]->data, w.i, c->in[k]->data, w.at[k]);
  }
  return WEFT_OK;
}

WEFT_OP(select_v2) = {
    WEFT_OP_HEAD,
    .name = "SelectV2",
    .summary = "result = then where condition, else elsewhere; with broadcasting",
    .in = PORTS({"condition", NULL, WEFT_DT(BOOL)}, {"then", "T"}, {"else", "T"}),
    .out = PORTS({"result", "T"}),
    .types = TYPES({"T", WEFT_STORABLE}),
    .traits = WEFT_SYMBOLIC | WEFT_MONOTONE | WEFT_ELEMENTWISE,
    .infer = weft__infer_broadcast,
    .infer_value = weft__dims_select,
    .ref = select_v2_ref,
    .examples =
        WEFT_EXAMPLES("bool[3]{true,false,true}, f32[3]{1,2,nan}, f32[3]{4,5,6} -> f32[3]{1,5,nan}",
                      "bool[2,1]{true,false}, i64[]{7}, i64[3]{1,2,3} -> i64[2,3]{7,7,7,1,2,3}",
                      "bool[2]{true,false}, str[2]{\"a\",\"b\"}, str[1]{\"long\"} -> str[2]{\"a\",\"long\"}",
                      "bool[3]{true,false,true}, i4[3]{1,2,3}, i4[]{-8} -> i4[3]{1,-8,3}",
                      "bool[1]{true}, c64[1]{(1,2)}, c64[1]{(3,4)} -> c64[1]{(1,2)}",
                      "bool[]{false}, u8[]{1}, u8[]{2} -> u8[]{2}", "bool[-1,3], f32[5,1], f32[] -> f32[5,3]",
                      "bool[0,3], f32[3], f32[] -> f32[0,3]", "bool[0], str[], str[] -> str[0]",
                      "bool[2], f32[3], f32[] !! E_SHAPE do not broadcast",
                      "f32[1]{1}, f32[1]{1}, f32[1]{1} !! E_DTYPE input 'condition'",
                      "bool[2], f32[2], i32[2] !! E_DTYPE input 'else'"),
};
// SPDX-License-Identifier: Apache-2.0
