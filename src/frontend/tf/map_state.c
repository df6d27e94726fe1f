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

static void state_gather_nd(tf_op *o) {
  weft_value *x = state_value(o);
  tf_give(o, 0, front_do(&o->b, "GatherNd", x, tf_in(o, 1), NULL));
}

// ---- writing ----
static void state_give_now(tf_op *o, size_t i, weft_value *now) {
  if (o->b.failed || i >= o->n_in)
    return;
  tf_variable *v = o->in[i].variable;
  if (o->in[i].kind != TF_RESOURCE || !v || !v->state || v->state->graph != o->s->s.g) {
    front_fail(&o->b, WEFT_E_UNSUPPORTED, "what it writes to is no variable of the signature's function");
    return;
  }
  v->now = now;
}

static void state_assign(tf_op *o) {
  state_give_now(o, 0, tf_in(o, 1));
}
static void state_assign_add(tf_op *o) {
  weft_value *x = state_value(o);
  state_give_now(o, 0, front_do(&o->b, "Add", x, tf_in(o, 1), NULL));
}
static void state_assign_sub(tf_op *o) {
  weft_value *x = state_value(o);
  state_give_now(o, 0, front_do(&o->b, "Sub", x, tf_in(o, 1), NULL));
}
static void state_descend(tf_op *o) {
  weft_value *x = state_value(o);
  weft_value *step = front_do(&o->b, "Mul", tf_in(o, 1), tf_in(o, 2), NULL);
  state_give_now(o, 0, front_do(&o->b, "Sub", x, step, NULL));
}

// Operators of AscendIR whose outputs are the variables that come in first.
static void state_step(tf_op *o, const char *type, size_t n_variables) {
  weft_value *in[TF_MAX_NUMBERS];
  if (o->n_in > TF_MAX_NUMBERS || o->n_in < n_variables) {
    front_fail(&o->b, WEFT_E_INVALID, "%zu inputs", o->n_in);
    return;
  }
  for (size_t i = 0; i < o->n_in && !o->b.failed; i++) {
    bool variable = o->in[i].kind == TF_RESOURCE && o->in[i].variable;
    in[i] = variable ? tf_variable_read(o, o->in[i].variable) : tf_in(o, i);
  }
  if (o->b.failed)
    return;
  weft_value *out = front_emit(&o->b, type, in, o->n_in, NULL);
  for (size_t i = 0; i < n_variables && !o->b.failed; i++)
    state_give_now(o, i, &out[i]);
}
static void state_momentum(tf_op *o) {
  front_set_bool(&o->b, "use_nesterov", tf_bool(o, "use_nesterov", false));
  state_step(o, "ApplyMomentumD", 2);
}
static void state_adam(tf_op *o) {
  front_set_bool(&o->b, "use_nesterov", tf_bool(o, "use_nesterov", false));
  state_step(o, "ApplyAdamD", 3);
}
static void state_scatter(tf_op *o) {
  char type[64];
  snprintf(type, sizeof type, "%.50s", o->node->op + strlen("Resource"));
  state_step(o, type, 1);
}
static void state_scatter_nd(tf_op *o) {
  char type[64];
  weft_value *x = state_value(o);
  snprintf(type, sizeof type, "TensorScatter%.40s", o->node->op + strlen("ResourceScatterNd"));
  state_give_now(o, 0, front_do(&o->b, type, x, tf_in(o, 1), tf_in(o, 2)));
}
static void state_slice(tf_op *o) {
  static const char *const masks[] = {"begin_mask", "end_mask", "ellipsis_mask", "new_axis_mask",
                                      "shrink_axis_mask"};
  for (size_t i = 0; i < WEFT_COUNT(masks); i++)
    front_set_int(&o->b, masks[i], tf_int(o, masks[i], 0));
  state_step(o, "StridedSliceAssign", 1);
}
static void state_initialized(tf_op *o) {
  tf_give(o, 0, front_int(&o->b, WEFT_BOOL, 1));
}

static void state_call(tf_op *o) {
  const char *f = o->node->of->direct ? o->node->op : tf_func(o, "f");
  tf_value *out = NULL;
  size_t n = 0;
  if (!f) {
    front_fail(&o->b, WEFT_E_MISSING, "attribute 'f' is not given");
    return;
  }
  o->b.failed = tf_states_of_call(o, f);
  if (o->b.failed)
    return;
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
    {"AssignAddVariableOp", NULL, NULL, state_assign_add},
    {"AssignSubVariableOp", NULL, NULL, state_assign_sub},
    {"AssignVariableOp", NULL, NULL, state_assign},
    {"CheckNumerics", NULL, NULL, state_first},
    {"CheckNumericsV2", NULL, NULL, state_first},
    {"Const", NULL, NULL, state_const},
    {"Copy", NULL, NULL, state_first},
    {"CopyHost", NULL, NULL, state_first},
    {"DebugIdentity", NULL, NULL, state_first},
    {"DebugIdentityV2", NULL, NULL, state_first},
    {"DebugIdentityV3", NULL, NULL, state_first},
    {"DeepCopy", NULL, NULL, state_first},
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
    {"ResourceGatherNd", NULL, NULL, state_gather_nd},
    {"ResourceApplyAdam", NULL, NULL, state_adam},
    {"ResourceApplyGradientDescent", NULL, NULL, state_descend},
    {"ResourceApplyMomentum", NULL, NULL, state_momentum},
    {"ResourceScatterAdd", NULL, NULL, state_scatter},
    {"ResourceScatterNdAdd", NULL, NULL, state_scatter_nd},
    {"ResourceScatterNdMax", NULL, NULL, state_scatter_nd},
    {"ResourceScatterNdMin", NULL, NULL, state_scatter_nd},
    {"ResourceScatterNdSub", NULL, NULL, state_scatter_nd},
    {"ResourceScatterNdUpdate", NULL, NULL, state_scatter_nd},
    {"ResourceScatterSub", NULL, NULL, state_scatter},
    {"ResourceScatterUpdate", NULL, NULL, state_scatter},
    {"ResourceStridedSliceAssign", NULL, NULL, state_slice},
    {"Snapshot", NULL, NULL, state_first},
    {"StatefulPartitionedCall", NULL, NULL, state_call},
    {"StopGradient", NULL, NULL, state_first},
    {"VarIsInitializedOp", NULL, NULL, state_initialized},
    {"VarHandleOp", NULL, NULL, state_variable},
};
const tf_rows tf_state = TF_ROWS(state_rows);
// SPDX-License-Identifier: Apache-2.0
