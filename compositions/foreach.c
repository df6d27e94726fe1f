// compositions/foreach.c - one operator on each tensor of lists. The text is that of one tensor: a dynamic
// input's name is the tensor at hand, s the scalar, or its element of a list of scalars.
#include "compose/compose.h"

static weft_status foreach_one(weft__composing *c, const char *text, size_t i, weft_value **y) {
  const weft_op_desc *desc = c->desc;
  const char *port = (const char *)desc->op->in;
  for (uint32_t p = 0; p < desc->n_in_ports; p++, port += desc->op->port_bytes) {
    const weft_port *in = (const weft_port *)port;
    if (in->kind != WEFT_DYNAMIC)
      continue;
    weft__compose_name(c, in->name, c->in[desc->in_port[p].start + i]);
  }
  weft_value *all = weft__composed(c, "scalars");
  if (all) {
    weft_value *at = front_index(c->o, (int64_t)i);
    weft__compose_name(c, "s", front_picked(c->o, all, 0, at));
  }
  WEFT_TRY(weft__compose_text(c, text));
  *y = weft__composed(c, "y");
  return c->o->failed;
}

// All lists, scalars too, are as long as the list of results.
static weft_status foreach_lengths(weft__composing *c, uint32_t n) {
  const weft_op_desc *desc = c->desc;
  const char *port = (const char *)desc->op->in;
  weft_value *scalars = weft__composed(c, "scalars");
  for (uint32_t p = 0; p < desc->n_in_ports; p++, port += desc->op->port_bytes) {
    const weft_port *in = (const weft_port *)port;
    if (in->kind == WEFT_DYNAMIC && desc->in_port[p].count != n) {
      return front_fail(c->o, WEFT_E_INVALID, "input '%s' has %u tensors, output 'y' %u: lists are as long",
                        in->name, desc->in_port[p].count, n);
    }
  }
  const weft_dim have = scalars && front_rank(scalars) == 1 ? front_dim(scalars, 0) : -1;
  if (have >= 0 && have != (weft_dim)n)
    return front_fail(c->o, WEFT_E_SHAPE, "input 'scalars' has %lld elements, there are %u tensors",
                      (long long)have, n);
  return WEFT_OK;
}

static weft_status foreach_build(weft__composing *c) {
  const weft__composition *by = c->desc->op->user;
  const weft_op_desc *desc = c->desc;
  uint32_t n = desc->out_port[0].count;
  weft_value **y = WEFT_NEW_N(&c->o->f->arena, weft_value *, (size_t)n + 1);
  WEFT_TRY(foreach_lengths(c, n));
  if (!y)
    return front_fail(c->o, WEFT_E_NOMEM, "out of memory");
  weft_value *one = weft__composed(c, "scalar");
  if (!one)
    one = weft__composed(c, "alpha");
  if (one)
    weft__compose_name(c, "s", front_reshaped(c->o, one, NULL, 0));
  for (uint32_t i = 0; i < n; i++)
    WEFT_TRY(foreach_one(c, by->text, i, &y[i]));
  return weft__compose_names(c, "y", y, n);
}

#define EACH(op_name, says, body, ...)           \
  COMPOSED_AS(op_name, "for each tensor: " says, \
              (&(const weft__composition){.build = foreach_build, .text = body, .wide = true}), __VA_ARGS__)
#define UNARY(name, of) EACH("Foreach" name, of, "y = " of "(x)", "[f32[2], f32[N]] -> [f32[2], f32[N]]")
#define TWO             "[f32[2]{1,2}], [f32[2]{3,4}]"

WEFT_ROWS(foreach) = {
    UNARY("Abs", "Abs"),
    UNARY("Acos", "Acos"),
    UNARY("Asin", "Asin"),
    UNARY("Atan", "Atan"),
    UNARY("Cos", "Cos"),
    UNARY("Cosh", "Cosh"),
    UNARY("Erf", "Erf"),
    UNARY("Erfc", "Erfc"),
    UNARY("Exp", "Exp"),
    UNARY("Expm1", "Expm1"),
    UNARY("Log", "Log"),
    UNARY("Log1p", "Log1p"),
    UNARY("Neg", "Neg"),
    UNARY("Reciprocal", "Reciprocal"),
    UNARY("Sigmoid", "Sigmoid"),
    UNARY("Sign", "Sign"),
    UNARY("Sin", "Sin"),
    UNARY("Sinh", "Sinh"),
    UNARY("Sqrt", "Sqrt"),
    UNARY("Tan", "Tan"),
    UNARY("Tanh", "Tanh"),
    UNARY("Copy", "Identity"),
    EACH("ForeachLog2", "log2", "y = Mul(Log(x), 1.4426950408889634)", "[f32[1]{1}] -> [f32[1]{0}]"),
    EACH("ForeachLog10", "log10", "y = Mul(Log(x), 0.4342944819032518)", "[f32[1]{1}] -> [f32[1]{0}]"),
    EACH("ForeachAddList", "x1 + alpha x2", "y = Add(x1, Mul(x2, as(x1, s)))",
         TWO ", f32[1]{2} -> [f32[2]{7,10}]",
         "[f32[1]], [f32[1], f32[1]], f32[1] -> [_] !! E_INVALID input 'x2' has 2 tensors, output 'y' 1"),
    EACH("ForeachSubList", "x1 - alpha x2", "y = Sub(x1, Mul(x2, as(x1, s)))",
         TWO ", f32[1]{2} -> [f32[2]{-5,-6}]"),
    EACH("ForeachMulList", "x1 x2", "y = Mul(x1, x2)", TWO " -> [f32[2]{3,8}]"),
    EACH("ForeachDivList", "x1 / x2", "y = RealDiv(x1, x2)", TWO " -> [f32[2]{0.33333333,0.5}]"),
    EACH("ForeachMaximumList", "the larger", "y = Maximum(x1, x2)", TWO " -> [f32[2]{3,4}]"),
    EACH("ForeachMinimumList", "the smaller", "y = Minimum(x1, x2)", TWO " -> [f32[2]{1,2}]"),
    EACH("ForeachPowList", "x1 to the power of x2", "y = Pow(x1, x2)", TWO " -> [f32[2]{1,16}]"),
    EACH("ForeachLerpList", "from x1 towards x2",
         "y = SelectV2(Less(Abs(weight), 0.5), Add(x1, Mul(weight, Sub(x2, x1))), Sub(x2, Mul(Sub(x2, x1), "
         "Sub(1, weight))))",
         TWO ", [f32[2]{0.5,0.25}] -> [f32[2]{2,2.5}]"),
    EACH("ForeachLerpScalar", "from x1 towards x2", "y = Add(x1, Mul(as(x1, weight), Sub(x2, x1)))",
         TWO ", f32[1]{0.5} -> [f32[2]{2,3}]"),
    EACH("ForeachAddScalar", "x + scalar", "y = Add(x, as(x, s))",
         "[f32[2]{1,2}], f32[1]{2} -> [f32[2]{3,4}]"),
    EACH("ForeachSubScalar", "x - scalar", "y = Sub(x, as(x, s))",
         "[f32[2]{1,2}], f32[1]{2} -> [f32[2]{-1,0}]"),
    EACH("ForeachMulScalar", "x scalar", "y = Mul(x, as(x, s))", "[f32[2]{1,2}], f32[1]{2} -> [f32[2]{2,4}]"),
    EACH("ForeachDivScalar", "x / scalar", "y = RealDiv(x, as(x, s))",
         "[f32[2]{1,2}], f32[1]{2} -> [f32[2]{0.5,1}]"),
    EACH("ForeachMaximumScalar", "the larger", "y = Maximum(x, as(x, s))",
         "[f32[2]{1,3}], f32[1]{2} -> [f32[2]{2,3}]"),
    EACH("ForeachMinimumScalar", "the smaller", "y = Minimum(x, as(x, s))",
         "[f32[2]{1,3}], f32[1]{2} -> [f32[2]{1,2}]"),
    EACH("ForeachPowScalar", "x to the power of the scalar", "y = Pow(x, as(x, s))",
         "[f32[2]{1,3}], f32[1]{2} -> [f32[2]{1,9}]"),
    EACH("ForeachPowScalarAndTensor", "the scalar to the power of x", "y = Pow(as(x, s), x)",
         "f32[1]{2}, [f32[2]{1,3}] -> [f32[2]{2,8}]"),
    EACH("ForeachAddScalarList", "x + its scalar", "y = Add(x, as(x, s))",
         "[f32[1]{1}, f32[1]{2}], f32[2]{2,3} -> [f32[1]{3}, f32[1]{5}]",
         "[f32[1], f32[1]], f32[3] -> [_, _] !! E_SHAPE 'scalars' has 3 elements, there are 2 tensors"),
    EACH("ForeachSubScalarList", "x - its scalar", "y = Sub(x, as(x, s))",
         "[f32[1]{1}, f32[1]{2}], f32[2]{2,3} -> [f32[1]{-1}, f32[1]{-1}]"),
    EACH("ForeachMulScalarList", "x times its scalar", "y = Mul(x, as(x, s))",
         "[f32[1]{1}, f32[1]{2}], f32[2]{2,3} -> [f32[1]{2}, f32[1]{6}]"),
    EACH("ForeachDivScalarList", "x over its scalar", "y = RealDiv(x, as(x, s))",
         "[f32[1]{1}, f32[1]{3}], f32[2]{2,3} -> [f32[1]{0.5}, f32[1]{1}]"),
    EACH("ForeachMaximumScalarList", "the larger", "y = Maximum(x, as(x, s))",
         "[f32[1]{1}, f32[1]{5}], f32[2]{2,3} -> [f32[1]{2}, f32[1]{5}]"),
    EACH("ForeachMinimumScalarList", "the smaller", "y = Minimum(x, as(x, s))",
         "[f32[1]{1}, f32[1]{5}], f32[2]{2,3} -> [f32[1]{1}, f32[1]{3}]"),
    EACH("ForeachPowScalarList", "x to the power of its scalar", "y = Pow(x, as(x, s))",
         "[f32[1]{1}, f32[1]{2}], f32[2]{2,3} -> [f32[1]{1}, f32[1]{8}]"),
    EACH("ForeachAddcmulScalar", "x1 + scalar x2 x3", "y = Add(x1, Mul(Mul(x2, x3), as(x1, s)))",
         "[f32[1]{1}], [f32[1]{2}], [f32[1]{3}], f32[1]{2} -> [f32[1]{13}]"),
    EACH("ForeachAddcdivScalar", "x1 + scalar x2 / x3", "y = Add(x1, Mul(RealDiv(x2, x3), as(x1, s)))",
         "[f32[1]{1}], [f32[1]{6}], [f32[1]{3}], f32[1]{2} -> [f32[1]{5}]"),
    EACH("ForeachAddcmulList", "x1 + its scalar x2 x3", "y = Add(x1, Mul(Mul(x2, x3), as(x1, s)))",
         "[f32[1]{1}], [f32[1]{2}], [f32[1]{3}], f32[1]{2} -> [f32[1]{13}]"),
    EACH("ForeachAddcdivList", "x1 + its scalar x2 / x3", "y = Add(x1, Mul(RealDiv(x2, x3), as(x1, s)))",
         "[f32[1]{1}], [f32[1]{6}], [f32[1]{3}], f32[1]{2} -> [f32[1]{5}]"),
    EACH("ForeachAddcmulScalarList", "x1 + its scalar x2 x3", "y = Add(x1, Mul(Mul(x2, x3), as(x1, s)))",
         "[f32[1]{1}], [f32[1]{2}], [f32[1]{3}], f32[1]{2} -> [f32[1]{13}]"),
    EACH("ForeachAddcdivScalarList", "x1 + its scalar x2 / x3",
         "y = Add(x1, Mul(RealDiv(x2, x3), as(x1, s)))",
         "[f32[1]{1}], [f32[1]{6}], [f32[1]{3}], f32[1]{2} -> [f32[1]{5}]"),
    {0},
};
// SPDX-License-Identifier: Apache-2.0
