// ops/string/string_concat.c - z = x followed by y, element by element, with broadcasting.   ONNX
// StringConcat-20. AscendIR has StringJoin, which does not broadcast two shapes.
#include "op.h"

enum { PIECES = 2 };

static weft_status string_concat_ref(const weft_call *c) {
  weft_walk w;
  size_t bytes;
  void *space;
  if (!c->out[0])
    return WEFT_OK;
  const weft_shape *shape = &c->out[0]->layout.origin;
  weft__walk_init(&w, shape);
  weft__walk_operand(&w, 0, &c->in[0]->layout.origin);
  weft__walk_operand(&w, 1, &c->in[1]->layout.origin);
  if (!weft_mul_size(w.n, PIECES * (sizeof(char *) + sizeof(size_t)), &bytes))
    return weft_fail(c->d, WEFT_E_OVERFLOW, "%zu strings do not fit the address space", w.n);
  WEFT_TRY(c->host->workspace(c, bytes, &space));
  const char **text = space;
  size_t *lengths = (size_t *)(text + PIECES * w.n);
  for (; w.i < w.n; weft__walk_next(&w)) {
    WEFT_TRY(weft__poll_at(c, w.i));
    for (size_t k = 0; k < PIECES; k++) {
      size_t at = PIECES * w.i + k;
      WEFT_TRY(weft_tensor_string(c->in[k], w.at[k], &text[at], &lengths[at], c->d));
    }
  }
  return weft__call_set_pieces(c, c->out[0], shape, text, lengths, PIECES);
}

WEFT_OP(string_concat) = {
    WEFT_OP_HEAD,
    .name = "StringConcat",
    .summary = "strings of x followed by those of y",
    .in = PORTS({"X", NULL, WEFT_DT(STRING)}, {"Y", NULL, WEFT_DT(STRING)}),
    .out = PORTS({"Z", NULL, WEFT_DT(STRING)}),
    .traits = WEFT_SYMBOLIC | WEFT_MONOTONE | WEFT_ELEMENTWISE,
    .infer = weft__infer_broadcast,
    .ref = string_concat_ref,
    .examples = WEFT_EXAMPLES(
        "str[2]{\"ab\",\"\"}, str[2]{\"c\",\"d\"} -> str[2]{\"abc\",\"d\"}",
        "str[2,1]{\"a\",\"b\"}, str[2]{\"x\",\"y\"} -> str[2,2]{\"ax\",\"ay\",\"bx\",\"by\"}",
        "str[]{\"a\"}, str[]{\"b\"} -> str[]{\"ab\"}", "str[0,3], str[3]{\"a\",\"b\",\"c\"} -> str[0,3]",
        "str[-1,3], str[3] -> str[-1,3]", "str[2], str[3] !! E_SHAPE dims 2 and 3",
        "str[1]{\"a\"}, f32[1]{1} !! E_DTYPE input 'Y'"),
};
// SPDX-License-Identifier: Apache-2.0
