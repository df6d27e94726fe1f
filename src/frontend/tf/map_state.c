// map_state.c - constants, variables and calls.
#include "base/allocated.h"
#include "frontend/tf/tables.h"

static void state_const(tf_op *o) {
  char name[400];
  weft_value *v = NULL;
  tf_bytes t = tf_part(o->m, tf_attr(o, "value"), 8);
  if (!t.at) {
    front_fail(&o->b, WEFT_E_MISSING, "attribute 'value' is not given");
    return;
  }
  snprintf(name, sizeof name, "%.300s", o->node->name);
  while (weft_graph_find_value(o->s->s.g, name))
    snprintf(name, sizeof name, "%.300s/const_%u", o->node->name, o->m->f.n_made++);
  o->b.failed = tf_tensor(o->m, o->s->s.g, name, t, &v);
  tf_give(o, 0, v);
}

static void state_same(tf_op *o) {
  for (size_t i = 0; i < o->n_in; i++)
    tf_give_value(o, i, o->in[i]);
}
static void state_first(tf_op *o) {
  if (o->n_in)
    tf_give_value(o, 0, o->in[0]);
}
static void state_nothing(tf_op *o) {
  (void)o;
}

static void state_placeholder(tf_op *o) {
  front_fail(&o->b, WEFT_E_MISSING, "it is no input of the signature");
}

static void state_variable(tf_op *o) {
  tf_import *m = o->m;
  tf_variable *v = weft__map_find(&m->variables, o->node->name, strlen(o->node->name));
  if (!v) {
    v = WEFT_NEW(&m->f.arena, tf_variable);
    if (v)
      v->name = o->node->name;
    if (!v || weft__map_set(&m->variables, v->name, strlen(v->name), v)) {
      front_fail(&o->b, WEFT_E_NOMEM, "out of memory");
      return;
    }
  }
  tf_give_value(o, 0, (tf_value){.kind = TF_RESOURCE, .variable = v});
}

static weft_value *state_value(tf_op *o) {
  if (o->b.failed)
    return NULL;
  if (!o->n_in || o->in[0].kind != TF_RESOURCE || !o->in[0].variable)
    return front_none(&o->b, WEFT_E_TYPE, "input 0 is not a variable");
  return tf_variable_read(o, o->in[0].variable);
}
static void state_read(tf_op *o) {
  tf_give(o, 0, state_value(o));
}
static void state_gather(tf_op *o) {
  weft_value *x = state_value(o);
  front_set_int(&o->b, "batch_dims", tf_int(o, "batch_dims", 0));
  weft_value *axis = front_index(&o->b, tf_int(o, "batch_dims", 0));
  tf_give(o, 0, front_do(&o->b, "GatherV2", x, tf_in(o, 1), axis));
}

static void state_call(tf_op *o) {
  const char *f = tf_func(o, "f");
  tf_value *out = NULL;
  size_t n = 0;
  if (!f) {
    front_fail(&o->b, WEFT_E_MISSING, "attribute 'f' is not given");
    return;
  }
  weft_status s = tf_call(o, f, o->in, o->n_in, &out, &n);
  if (s) {
    o->b.failed = s;
    return;
  }
  for (size_t i = 0; i < n; i++)
    tf_give_value(o, i, out[i]);
}

static const tf_row state_rows[] = {
    {"Assert", NULL, NULL, state_nothing},
    {"CheckNumerics", NULL, NULL, state_first},
    {"Const", NULL, NULL, state_const},
    {"EnsureShape", NULL, NULL, state_first},
    {"Identity", NULL, NULL, state_same},
    {"IdentityN", NULL, NULL, state_same},
    {"NoOp", NULL, NULL, state_nothing},
    {"PartitionedCall", NULL, NULL, state_call},
    {"Placeholder", NULL, NULL, state_placeholder},
    {"PlaceholderWithDefault", NULL, NULL, state_first},
    {"PreventGradient", NULL, NULL, state_first},
    {"ReadVariableOp", NULL, NULL, state_read},
    {"ResourceGather", NULL, NULL, state_gather},
    {"Snapshot", NULL, NULL, state_first},
    {"StatefulPartitionedCall", NULL, NULL, state_call},
    {"StopGradient", NULL, NULL, state_first},
    {"VarHandleOp", NULL, NULL, state_variable},
};
const tf_rows tf_state = TF_ROWS(state_rows);
// SPDX-License-Identifier: Apache-2.0
