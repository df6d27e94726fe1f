// ops/control/unknown.c - stands in a graph for an operator of a model that weft does not have, so that the
// model can be shown and what does not depend on it can be inferred.   weft's own, made by importers that are
// asked for it. Its outputs are what the model declares of them, otherwise of unknown dtype and rank; nothing
// runs it. `waits`: weft has the operator, but not the one that makes what it reads.
#include "control.h"
#include "op/proto.h"

enum { TYPE = WEFT__STANDS_IN_TYPE, DOMAIN_NAME, DTYPES, SHAPES };

// [-2], as CANN writes it.
static bool unknown_rank(const weft_ints *shape) {
  return shape->n == 1 && shape->v[0] == -2;
}

static weft_status unknown_infer(weft_infer *it) {
  const weft_ints dtypes = weft_node_ints(it->desc, DTYPES);
  const weft_attr *shapes = weft_attr_at(it->desc, SHAPES, WEFT_VT_LIST_LIST_INT);
  for (uint32_t i = 0; i < it->n_out; i++) {
    if (i < dtypes.n && weft_dtype_known(dtypes.v[i]))
      it->out_dtype[i] = (weft_dtype)dtypes.v[i];
    weft_shape_set_unknown_rank(it->out[i]);
    if (shapes && i < shapes->n && it->out_dtype[i] != WEFT_UNDEFINED &&
        !unknown_rank(&shapes->u.int_lists[i]))
      WEFT_TRY(weft_set_out_shape(it, i, shapes->u.int_lists[i].v, shapes->u.int_lists[i].n));
  }
  return WEFT_OK;
}

static weft_status unknown_execute(const weft_call *c) {
  const char *domain = weft_node_str(c->desc, DOMAIN_NAME);
  return weft_fail(c->d, WEFT_E_UNSUPPORTED,
                   "weft has no operator '%s%s%s': a package can bring it (weft op new)", domain,
                   *domain ? "::" : "", weft_node_str(c->desc, TYPE));
}

WEFT_OP(unknown) = {
    WEFT_OP_HEAD, .name = "Unknown", .summary = "an operator that weft does not have",
    .in = PORTS({"x", NULL, WEFT_ANY, .kind = WEFT_DYNAMIC, .kinds = WEFT_ALL_KINDS}),
    .out = PORTS({"y", NULL, WEFT_ANY, .kind = WEFT_DYNAMIC}),
    .attrs = ATTRS({"type", "String"}, {"domain", "String", "\"\""}, {"dtypes", "ListInt", "[]"},
                   {"shapes", "ListListInt", "[]"}, {"waits", "Bool", "false"}),
    .traits = WEFT_ANY_FORMAT | WEFT__STANDS_IN, .infer = unknown_infer, .execute = unknown_execute,
    .examples = WEFT_EXAMPLES("f32[-1] type=\"Foo\" dtypes=[0] shapes=[[3,4]] -> f32[3,4]",
                              "f32[2] type=\"Foo\" dtypes=[0] shapes=[[-2]] -> f32[?]",
                              "f32[1]{1} type=\"Foo\" !! E_UNSUPPORTED weft has no operator 'Foo'"),
};
// SPDX-License-Identifier: Apache-2.0
