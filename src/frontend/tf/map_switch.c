// map_switch.c - conditions of control flow v1 without loops. Switch hands its input to one of several
// branches and Merge takes what arrives. Here all branches are computed, each value knows which branch it
// belongs to, and Merge becomes an If that chooses. Loops (Enter, NextIteration) are refused in graph.c.
#include "base/allocated.h"
#include "frontend/tf/tables.h"

static void switch_give(tf_op *o, size_t i, int64_t n, weft_value *decides) {
  tf_branch *b = WEFT_NEW(&o->m->f.arena, tf_branch);
  if (!b) {
    front_fail(&o->b, WEFT_E_NOMEM, "out of memory");
    return;
  }
  *b = (tf_branch){.decides = decides, .which = (int64_t)i, .n = n, .around = o->in[0].branch};
  tf_value v = o->in[0];
  v.branch = b;
  tf_give_value(o, i, v);
}

// Outputs: where the condition is false, where it is true.
static void switch_two(tf_op *o) {
  weft_value *condition = tf_in(o, 1);
  for (size_t i = 0; i < 2 && !o->b.failed; i++)
    switch_give(o, i, 2, condition);
}

// One for each number; what is outside goes to the last.
static void switch_many(tf_op *o) {
  int64_t n = tf_int(o, "num_outs", 0);
  weft_value *at = tf_in(o, 1);
  if (!o->b.failed && (n < 1 || n > TF_MAX_OUTPUTS))
    front_fail(&o->b, WEFT_E_RANGE, "attribute 'num_outs': %lld", (long long)n);
  for (int64_t i = 0; i < n && !o->b.failed; i++)
    switch_give(o, (size_t)i, n, at);
}

// The inputs of a Merge by the number of their branch. One may be unmarked: a constant of its branch.
static const tf_branch *switch_sort(tf_op *o, weft_value **by) {
  const tf_branch *any = NULL;
  weft_value *unmarked = NULL;
  for (size_t i = 0; i < o->n_in; i++)
    any = o->in[i].branch ? o->in[i].branch : any;
  for (size_t i = 0; i < o->n_in && any && !o->b.failed; i++) {
    const tf_branch *b = o->in[i].branch;
    weft_value *v = tf_in(o, i);
    bool fits = b && b->decides == any->decides && (size_t)b->which < o->n_in && !by[b->which];
    if (fits)
      by[b->which] = v;
    else if (!b && !unmarked)
      unmarked = v;
    else
      any = NULL;
  }
  for (size_t i = 0; i < o->n_in && any; i++) {
    if (!by[i] && !unmarked)
      any = NULL;
    else if (!by[i]) {
      by[i] = unmarked;
      unmarked = NULL;
    }
  }
  return any && any->n == (int64_t)o->n_in ? any : NULL;
}

static void switch_merge(tf_op *o) {
  front_op *b = &o->b;
  weft_value **by = WEFT_NEW_N(&o->m->f.arena, weft_value *, o->n_in + 1);
  if (!by) {
    front_fail(b, WEFT_E_NOMEM, "out of memory");
    return;
  }
  memset(by, 0, (o->n_in + 1) * sizeof *by);
  const tf_branch *branch = switch_sort(o, by);
  if (!b->failed && (!branch || o->n_in < 2))
    front_fail(
        b, WEFT_E_UNSUPPORTED,
        "which condition its inputs belong to is not seen: control flow v1 is read only where Switch and "
        "Merge stand in pairs; export the model as a SavedModel of TensorFlow 2");
  if (b->failed)
    return;
  weft_value *y = by[o->n_in - 1];
  for (size_t i = o->n_in - 1; i-- > 0;) {
    bool two = branch->decides->fact.dtype == WEFT_BOOL;
    weft_value *is = two ? front_do(b, "LogicalNot", branch->decides, NULL, NULL)
                         : front_do(b, "Equal", branch->decides,
                                    front_int(b, branch->decides->fact.dtype, (int64_t)i), NULL);
    y = tf_choose(o, is, by[i], y);
  }
  tf_give_value(o, 0, (tf_value){.kind = TF_TENSOR, .v = y, .branch = branch->around});
  weft_value *at = front_as(b, branch->decides, WEFT_INT32);
  tf_give_value(o, 1, (tf_value){.kind = TF_TENSOR, .v = at, .branch = branch->around});
}

static const tf_row switch_rows[] = {
    {"Merge", NULL, NULL, switch_merge},
    {"Switch", NULL, NULL, switch_two},
    {"_SwitchN", NULL, NULL, switch_many},
};
const tf_rows tf_switch = TF_ROWS(switch_rows);
// SPDX-License-Identifier: Apache-2.0
