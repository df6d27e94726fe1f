// map_glue.c - what holds a graph of MindSpore together and computes nothing: tuples, closures, the order of
// side effects. Parameters that are written have a new value from then on.
#include "base/allocated.h"
#include "frontend/mindspore/tables.h"

static void glue_first(ms_op *o) {
  if (!o->n_in)
    front_fail(&o->b, WEFT_E_MISSING, "it has no input");
  else
    o->out = o->in[0];
}

// A parameter as it is at this moment.
static void glue_load(ms_op *o) {
  glue_first(o);
  if (!o->b.failed && o->out.kind == MS_PARAM)
    ms_give(o, o->out.param->v);
}

static void glue_monad(ms_op *o) {
  o->out = (ms_value){.kind = MS_MONAD};
}

static void glue_tuple(ms_op *o) {
  o->out = (ms_value){.kind = MS_TUPLE, .items = o->in, .n = o->n_in};
}

static void glue_item(ms_op *o) {
  int64_t i = ms_int(o, "index", 0);
  ms_value list;
  if (!ms_find(o, "x", &list) || list.kind != MS_TUPLE) {
    front_fail(&o->b, WEFT_E_TYPE, "an item is taken from what is no tuple");
    return;
  }
  i += i < 0 ? (int64_t)list.n : 0;
  if (i < 0 || i >= (int64_t)list.n)
    front_fail(&o->b, WEFT_E_RANGE, "item %lld of a tuple of %zu", (long long)i, list.n);
  else
    o->out = list.items[i];
}

static void glue_partial(ms_op *o) {
  if (!o->n_in || o->in[0].kind != MS_PARTIAL) {
    front_fail(&o->b, WEFT_E_UNSUPPORTED, "arguments are bound to what is no graph");
    return;
  }
  size_t bound = o->in[0].n;
  ms_value f = {.kind = MS_PARTIAL, .graph = o->in[0].graph, .n = bound + o->n_in - 1};
  f.items = WEFT_NEW_N(&o->m->f.arena, ms_value, f.n + 1);
  if (!f.items) {
    front_fail(&o->b, WEFT_E_NOMEM, "out of memory");
    return;
  }
  for (size_t i = 0; i < f.n; i++)
    f.items[i] = i < bound ? o->in[0].items[i] : o->in[i - bound + 1];
  o->out = f;
}

static bool glue_closure(const ms_value *v) {
  return v->kind == MS_PARTIAL || v->kind == MS_SWITCH;
}

static void glue_switch(ms_op *o) {
  if (o->n_in != 3) {
    front_fail(&o->b, WEFT_E_INVALID, "a Switch has %zu inputs, expected 3", o->n_in);
    return;
  }
  if (glue_closure(&o->in[1]) && glue_closure(&o->in[2])) {
    o->out = (ms_value){.kind = MS_SWITCH, .items = o->in, .n = 3};
    return;
  }
  weft_value *x = ms_tensor(o, "true_branch");
  weft_value *y = ms_tensor(o, "false_branch");
  weft_value *condition = ms_operand(o, "condition", WEFT_BOOL);
  ms_give(o, front_where(&o->b, condition, x, y));
}

// One of several closures, by a number; negative ones count from the last.
static void glue_switch_layer(ms_op *o) {
  front_op *b = &o->b;
  ms_value list;
  if (!ms_find(o, "branches", &list) || list.kind != MS_TUPLE || list.n < 1) {
    front_fail(b, WEFT_E_TYPE, "it has no tuple of graphs to choose from");
    return;
  }
  weft_value *index = ms_operand(o, "index", WEFT_INT64);
  index = front_do(b, "FloorMod", index, front_index(b, (int64_t)list.n), NULL);
  ms_value v = list.items[list.n - 1];
  for (size_t i = list.n - 1; i > 0 && !b->failed; i--) {
    ms_value *items = WEFT_NEW_N(&o->m->f.arena, ms_value, 3);
    if (!items) {
      front_fail(b, WEFT_E_NOMEM, "out of memory");
      return;
    }
    weft_value *is = front_do(b, "Equal", index, front_index(b, (int64_t)i - 1), NULL);
    items[0] = (ms_value){.kind = MS_TENSOR, .v = is};
    items[1] = list.items[i - 1];
    items[2] = v;
    v = (ms_value){.kind = MS_SWITCH, .items = items, .n = 3};
  }
  o->out = v;
}

static void glue_identities(ms_op *o) {
  ms_value v;
  if (ms_find(o, "x", &v))
    o->out = v;
}

static void glue_nothing(ms_op *o) {
  (void)o;
}

// ---- tuples and tensors ----
static void glue_length(ms_op *o) {
  ms_value v;
  if (ms_find(o, "x", &v) && v.kind == MS_TUPLE)
    o->out = (ms_value){.kind = MS_INT, .i = (int64_t)v.n};
  else
    front_fail(&o->b, WEFT_E_TYPE, "the length of what is no tuple is asked for");
}

// A tuple of numbers, or a number, as a tensor.
static void glue_to_tensor(ms_op *o) {
  ms_value v;
  weft_dtype t = ms_type(o, "dtype", WEFT_UNDEFINED);
  bool tuple = ms_find(o, "x", &v) && v.kind == MS_TUPLE;
  if (tuple && v.n && v.items[0].kind == MS_FLOAT) {
    weft_value **in;
    size_t n = ms_tensors(o, "x", &in);
    uint32_t counts[1] = {(uint32_t)n};
    front_set_int(&o->b, "N", (int64_t)n);
    weft_value *all = o->b.failed ? NULL : front_emit(&o->b, "Pack", in, n, &(weft_use){.in_counts = counts});
    ms_give(o, front_as(&o->b, all, t));
    return;
  }
  ms_give(o, tuple ? front_as(&o->b, ms_numbers(o, "x"), t) : ms_operand(o, "x", t));
}

static void glue_to_tuple(ms_op *o) {
  weft_value *v[MS_MAX_NUMBERS];
  weft_value *x = ms_tensor(o, "x");
  weft_dim n = front_dim(x, 0);
  if (!o->b.failed && (n < 0 || n > MS_MAX_NUMBERS))
    front_fail(&o->b, WEFT_E_UNKNOWN, "a tensor of %lld numbers becomes a tuple", front_shown(n));
  for (weft_dim i = 0; i < n && !o->b.failed; i++)
    v[i] = front_picked(&o->b, x, 0, front_index(&o->b, i));
  ms_give_many(o, v, o->b.failed ? 0 : (size_t)n);
}

// ---- parameters ----
// Other tensors are written as Python binds names: what reads the result sees it, what reads the operand does
// not.
static void glue_write(ms_op *o, weft_value *v) {
  if (!o->b.failed && !o->n_in)
    front_fail(&o->b, WEFT_E_MISSING, "it has no input");
  ms_param *p = o->n_in ? o->in[0].param : NULL;
  if (!o->b.failed && p && o->in[0].kind != MS_PARAM)
    front_fail(&o->b, WEFT_E_UNSUPPORTED,
               "it writes to a parameter inside a branch or a loop: let the branch give the value, and write "
               "it behind");
  if (o->b.failed || !v)
    return;
  const weft_value *old = p ? p->v : ms_tensor_of(&o->b, &o->in[0]);
  v = old ? front_as(&o->b, v, old->fact.dtype) : NULL;
  if (o->b.failed)
    return;
  if (p) {
    p->v = v;
    p->changed = true;
  }
  ms_give(o, v);
}

static void glue_assign(ms_op *o) {
  glue_write(o, ms_tensor(o, "value"));
}
static void glue_assign_with(ms_op *o, const char *type) {
  weft_value *x = ms_tensor(o, "x");
  weft_value *y = x ? ms_operand(o, "value", x->fact.dtype) : NULL;
  double alpha = ms_float(o, "alpha", 1);
  if (y && alpha != 1)
    y = front_do(&o->b, "Mul", y, front_num(&o->b, y->fact.dtype, alpha), NULL);
  glue_write(o, front_do(&o->b, type, x, y, NULL));
}
static void glue_assign_add(ms_op *o) {
  glue_assign_with(o, "Add");
}
static void glue_assign_sub(ms_op *o) {
  glue_assign_with(o, "Sub");
}
static void glue_assign_mul(ms_op *o) {
  glue_assign_with(o, "Mul");
}
static void glue_assign_div(ms_op *o) {
  glue_assign_with(o, "RealDiv");
}

// Slices along axis 0, or tuples of places, in a tensor.
static void glue_scatter_with(ms_op *o, const char *type, const char *reduction) {
  front_op *b = &o->b;
  weft_value *x = ms_tensor(o, "x");
  weft_value *places = ms_tensor(o, "index");
  weft_value *updates = x ? ms_operand(o, "updates", x->fact.dtype) : NULL;
  if (strncmp(o->b.type, "ScatterNd", 9))
    places = front_unsqueezed(b, places, front_rank_of(b, places));
  if (type)
    updates = front_do(b, type, updates, NULL, NULL);
  front_set_text(b, "reduction", reduction);
  glue_write(o, front_do(b, "TensorScatterUpdate", x, places, updates));
}
static void glue_scatter(ms_op *o) {
  glue_scatter_with(o, NULL, "none");
}
static void glue_scatter_add(ms_op *o) {
  glue_scatter_with(o, NULL, "add");
}
static void glue_scatter_sub(ms_op *o) {
  glue_scatter_with(o, "Neg", "add");
}
static void glue_scatter_mul(ms_op *o) {
  glue_scatter_with(o, NULL, "mul");
}
static void glue_scatter_div(ms_op *o) {
  glue_scatter_with(o, "Reciprocal", "mul");
}
static void glue_scatter_max(ms_op *o) {
  glue_scatter_with(o, NULL, "max");
}
static void glue_scatter_min(ms_op *o) {
  glue_scatter_with(o, NULL, "min");
}

// Slices along any axis.
static void glue_index_add(ms_op *o) {
  front_op *b = &o->b;
  weft_value *x = ms_tensor(o, "x");
  weft_value *updates = x ? ms_operand(o, "updates", x->fact.dtype) : NULL;
  weft_value *places = front_reshaped(b, ms_tensor(o, "index"), (const int64_t[]){-1, 1}, 2);
  const int64_t axis = front_axis(b, ms_int(o, "axis", 0), front_rank_of(b, x));
  if (axis) {
    x = front_swapped(b, x, 0, axis);
    updates = front_swapped(b, updates, 0, axis);
  }
  front_set_text(b, "reduction", "add");
  weft_value *y = front_do(b, "TensorScatterUpdate", x, places, updates);
  glue_write(o, axis ? front_swapped(b, y, 0, axis) : y);
}

#define SCATTER "x index updates"
static const ms_row glue_writes[] = {
    {"Assign", "x value", NULL, 0, glue_assign},
    {"AssignAdd", "x value", NULL, 0, glue_assign_add},
    {"AssignSub", "x value", NULL, 0, glue_assign_sub},
    {"InplaceAddExt", "x value alpha", NULL, 0, glue_assign_add},
    {"InplaceAddsExt", "x value alpha", NULL, 0, glue_assign_add},
    {"InplaceCopy", "x value", NULL, 0, glue_assign},
    {"InplaceDiv", "x value", NULL, 0, glue_assign_div},
    {"InplaceDivs", "x value", NULL, 0, glue_assign_div},
    {"InplaceIndexAdd", SCATTER, NULL, 0, glue_index_add},
    {"InplaceMul", "x value", NULL, 0, glue_assign_mul},
    {"InplaceMuls", "x value", NULL, 0, glue_assign_mul},
    {"InplaceSubExt", "x value alpha", NULL, 0, glue_assign_sub},
    {"InplaceSubScalar", "x value alpha", NULL, 0, glue_assign_sub},
    {"ScatterAdd", SCATTER, NULL, 0, glue_scatter_add},
    {"ScatterNdAdd", SCATTER, NULL, 0, glue_scatter_add},
    {"ScatterSub", SCATTER, NULL, 0, glue_scatter_sub},
    {"ScatterNdSub", SCATTER, NULL, 0, glue_scatter_sub},
    {"ScatterMul", SCATTER, NULL, 0, glue_scatter_mul},
    {"ScatterNdMul", SCATTER, NULL, 0, glue_scatter_mul},
    {"ScatterDiv", SCATTER, NULL, 0, glue_scatter_div},
    {"ScatterNdDiv", SCATTER, NULL, 0, glue_scatter_div},
    {"ScatterMax", SCATTER, NULL, 0, glue_scatter_max},
    {"ScatterNdMax", SCATTER, NULL, 0, glue_scatter_max},
    {"ScatterMin", SCATTER, NULL, 0, glue_scatter_min},
    {"ScatterNdMin", SCATTER, NULL, 0, glue_scatter_min},
    {"ScatterUpdate", SCATTER, NULL, 0, glue_scatter},
    {"ScatterNdUpdate", SCATTER, NULL, 0, glue_scatter},
};

bool ms_writes(const char *type) {
  for (size_t i = 0; i < WEFT_COUNT(glue_writes); i++) {
    if (!strcmp(glue_writes[i].op, type))
      return true;
  }
  return false;
}

// ---- numbers of Python ----
static const ms_row glue_rows[] = {
    {"Assert", NULL, NULL, 0, glue_monad},
    {"Print", NULL, NULL, 0, glue_monad},
    {"SwitchLayer", "index branches", NULL, 0, glue_switch_layer},
    {"Depend", "x", NULL, 0, glue_first},
    {"Identity", "x", NULL, 0, glue_load},
    {"IdentityN", "x", NULL, 0, glue_identities},
    {"ListGetItem", "x index", NULL, 0, glue_item},
    {"list_getitem", "x index", NULL, 0, glue_item},
    {"Load", "x", NULL, 0, glue_load},
    {"MakeList", NULL, NULL, 0, glue_tuple},
    {"MakeTuple", NULL, NULL, 0, glue_tuple},
    {"NoneObj", NULL, NULL, 0, glue_nothing},
    {"Partial", NULL, NULL, 0, glue_partial},
    {"RealMakeTuple", NULL, NULL, 0, glue_tuple},
    {"RealTupleGetItem", "x index", NULL, 0, glue_item},
    {"Return", "x", NULL, 0, glue_first},
    {"ScalarToTensor", "x dtype", NULL, 0, glue_to_tensor},
    {"SequenceLen", "x", NULL, 0, glue_length},
    {"StopGradient", "x", NULL, 0, glue_load},
    {"TensorMove", "x", NULL, 0, glue_load},
    {"Switch", "condition true_branch false_branch", NULL, 0, glue_switch},
    {"TensorToScalar", "x", NULL, 0, glue_load},
    {"TensorToTuple", "x", NULL, 0, glue_to_tuple},
    {"TupleGetItem", "x index", NULL, 0, glue_item},
    {"TupleToTensor", "x dtype", NULL, 0, glue_to_tensor},
    {"ListToTensor", "x dtype", NULL, 0, glue_to_tensor},
    {"UpdateState", NULL, NULL, 0, glue_monad},
    {"make_list", NULL, NULL, 0, glue_tuple},
    {"make_tuple", NULL, NULL, 0, glue_tuple},
    {"return", "x", NULL, 0, glue_first},
    {"tuple_getitem", "x index", NULL, 0, glue_item},
};
const ms_rows ms_glue = MS_ROWS(glue_rows);
const ms_rows ms_state = MS_ROWS(glue_writes);
// SPDX-License-Identifier: Apache-2.0
