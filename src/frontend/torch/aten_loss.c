// aten_loss.c - losses. Reduction 0 keeps every element, 1 takes the mean, 2 the sum.
#include "frontend/torch/tables.h"

static weft_value *loss_all(front_op *b, const char *type, weft_value *v) {
  return front_rank(v) == 0 ? v : front_reduced(b, type, v, NULL, 0, false);
}

static void loss_give(pt_op *o, weft_value *v) {
  int64_t how = pt_int(o, "reduction", 1);
  pt_result(o, 0, how == 0 ? v : loss_all(&o->b, how == 1 ? "ReduceMean" : "ReduceSum", v));
}

static weft_value *loss_num(front_op *b, const weft_value *like, double v) {
  return like ? front_num(b, like->fact.dtype, v) : NULL;
}

static weft_value *loss_difference(pt_op *o) {
  weft_dtype t = pt_out_type(o, 0);
  weft_value *x = pt_operand(o, "self", t);
  return front_do(&o->b, "Sub", x, pt_operand(o, "target", t), NULL);
}

static void loss_mse(pt_op *o) {
  loss_give(o, front_do(&o->b, "Square", loss_difference(o), NULL, NULL));
}
static void loss_l1(pt_op *o) {
  loss_give(o, front_do(&o->b, "Abs", loss_difference(o), NULL, NULL));
}

// A parabola near 0, lines further out. smooth: scaled so that the lines have the slope 1.
static void loss_bent(pt_op *o, double width, bool smooth) {
  front_op *b = &o->b;
  weft_value *d = front_do(b, "Abs", loss_difference(o), NULL, NULL);
  if (b->failed)
    return;
  if (smooth && width == 0) {
    loss_give(o, d);
    return;
  }
  weft_value *near = front_do(b, "Mul", front_do(b, "Square", d, NULL, NULL),
                              loss_num(b, d, smooth ? 0.5 / width : 0.5), NULL);
  weft_value *far = front_do(b, "Sub", d, loss_num(b, d, 0.5 * width), NULL);
  if (!smooth)
    far = front_do(b, "Mul", far, loss_num(b, d, width), NULL);
  weft_value *in = front_do(b, smooth ? "Less" : "LessEqual", d, loss_num(b, d, width), NULL);
  loss_give(o, front_where(b, in, near, far));
}
static void loss_smooth_l1(pt_op *o) {
  loss_bent(o, pt_float(o, "beta", 1), true);
}
static void loss_huber(pt_op *o) {
  loss_bent(o, pt_float(o, "delta", 1), false);
}

// max(x, 0) - x t + log(1 + e^-|x|); with a weight for positive ones: (1 - t) x + (1 + (w - 1) t)
// softplus(-x)
static void loss_bce_logits(pt_op *o) {
  front_op *b = &o->b;
  weft_dtype t = pt_out_type(o, 0);
  weft_value *x = pt_operand(o, "self", t);
  weft_value *target = pt_operand(o, "target", t);
  weft_value *positive = pt_optional(o, "pos_weight");
  weft_value *weight = pt_optional(o, "weight");
  weft_value *soft = front_do(b, "Softplus", front_do(b, "Neg", x, NULL, NULL), NULL, NULL);
  if (positive) {
    weft_value *more =
        front_do(b, "Mul", front_do(b, "Sub", positive, loss_num(b, x, 1), NULL), target, NULL);
    soft = front_do(b, "Mul", soft, front_do(b, "Add", more, loss_num(b, x, 1), NULL), NULL);
  }
  weft_value *rest = front_do(b, "Mul", x, front_do(b, "Sub", loss_num(b, x, 1), target, NULL), NULL);
  weft_value *v = front_do(b, "Add", rest, soft, NULL);
  loss_give(o, weight ? front_do(b, "Mul", v, weight, NULL) : v);
}

// Logarithms are at least -100.
static weft_value *loss_log(front_op *b, weft_value *v) {
  return front_do(b, "Maximum", front_do(b, "Log", v, NULL, NULL), loss_num(b, v, -100), NULL);
}
static void loss_bce(pt_op *o) {
  front_op *b = &o->b;
  weft_value *x = pt_tensor(o, "self");
  weft_value *t = pt_tensor(o, "target");
  weft_value *weight = pt_optional(o, "weight");
  weft_value *one = loss_num(b, x, 1);
  weft_value *yes = front_do(b, "Mul", t, loss_log(b, x), NULL);
  weft_value *no = front_do(b, "Mul", front_do(b, "Sub", one, t, NULL),
                            loss_log(b, front_do(b, "Sub", one, x, NULL)), NULL);
  weft_value *v = front_do(b, "Neg", front_do(b, "Add", yes, no, NULL), NULL, NULL);
  loss_give(o, weight ? front_do(b, "Mul", v, weight, NULL) : v);
}

// t (log t - x), and 0 where t is 0.
static void loss_kl(pt_op *o) {
  front_op *b = &o->b;
  weft_value *x = pt_tensor(o, "self");
  weft_value *t = pt_tensor(o, "target");
  if (b->failed)
    return;
  if (pt_bool(o, "log_target", false)) {
    weft_value *e = front_do(b, "Exp", t, NULL, NULL);
    loss_give(o, front_do(b, "Mul", e, front_do(b, "Sub", t, x, NULL), NULL));
    return;
  }
  loss_give(o, front_do(b, "Sub", front_do(b, "Xlogy", t, t, NULL), front_do(b, "Mul", t, x, NULL), NULL));
}

static void loss_soft_margin(pt_op *o) {
  front_op *b = &o->b;
  weft_value *x = pt_tensor(o, "self");
  weft_value *product = front_do(b, "Neg", front_do(b, "Mul", x, pt_tensor(o, "target"), NULL), NULL, NULL);
  loss_give(o, front_do(b, "Softplus", product, NULL, NULL));
}

static void loss_margin_ranking(pt_op *o) {
  front_op *b = &o->b;
  weft_value *x = pt_tensor(o, "input1");
  weft_value *d = front_do(b, "Sub", x, pt_tensor(o, "input2"), NULL);
  weft_value *v = front_do(b, "Neg", front_do(b, "Mul", pt_tensor(o, "target"), d, NULL), NULL, NULL);
  v = front_do(b, "Add", v, loss_num(b, v, pt_float(o, "margin", 0)), NULL);
  loss_give(o, front_do(b, "Relu", v, NULL, NULL));
}

static void loss_hinge(pt_op *o) {
  front_op *b = &o->b;
  weft_value *x = pt_tensor(o, "self");
  weft_value *t = pt_tensor(o, "target");
  weft_value *margin = loss_num(b, x, pt_float(o, "margin", 1));
  weft_value *far = front_do(b, "Relu", front_do(b, "Sub", margin, x, NULL), NULL, NULL);
  weft_value *zero = loss_num(b, x, 0);  // a target that is neither 1 nor -1 counts on both sides
  weft_value *near = front_where(b, front_do(b, "Equal", t, loss_num(b, t, -1), NULL), zero, x);
  far = front_where(b, front_do(b, "Equal", t, loss_num(b, t, 1), NULL), zero, far);
  loss_give(o, front_do(b, "Add", near, far, NULL));
}

// What Stirling's formula gives for log t!, of a t above 1: t log t - t + log(2 pi t) / 2.
static weft_value *loss_stirling(front_op *b, weft_value *t) {
  weft_value *power = front_do(b, "Sub", front_do(b, "Xlogy", t, t, NULL), t, NULL);
  weft_value *root = front_do(b, "Mul", t, loss_num(b, t, 6.283185307179586), NULL);
  root = front_do(b, "Mul", front_do(b, "Log", root, NULL, NULL), loss_num(b, t, 0.5), NULL);
  weft_value *many = front_do(b, "Greater", t, loss_num(b, t, 1), NULL);
  return front_where(b, many, front_do(b, "Add", power, root, NULL), loss_num(b, t, 0));
}

static void loss_poisson(pt_op *o) {
  front_op *b = &o->b;
  weft_dtype type = pt_out_type(o, 0);
  weft_value *x = pt_operand(o, "input", type);
  weft_value *t = pt_operand(o, "target", type);
  double eps = pt_float(o, "eps", 1e-8);
  weft_value *v;
  if (pt_bool(o, "log_input", true))
    v = front_do(b, "Sub", front_do(b, "Exp", x, NULL, NULL), front_do(b, "Mul", t, x, NULL), NULL);
  else {
    weft_value *more = front_do(b, "Add", x, loss_num(b, x, eps), NULL);
    v = front_do(b, "Sub", x, front_do(b, "Mul", t, front_do(b, "Log", more, NULL, NULL), NULL), NULL);
  }
  loss_give(o, pt_bool(o, "full", false) ? front_do(b, "Add", v, loss_stirling(b, t), NULL) : v);
}

// Integers are multiplied as they are, so that bytes wrap around; t: of the result.
static weft_value *loss_cosine_of(front_op *b, weft_value *x, weft_value *y, weft_dtype t) {
  int64_t last = front_rank_of(b, x) - 1;
  weft_value *product = front_as(b, front_do(b, "Mul", x, y, NULL), t);
  product = front_reduced(b, "ReduceSum", product, &last, 1, false);
  weft_value *size[2] = {x, y};
  for (int i = 0; i < 2; i++) {
    weft_value *square = front_as(b, front_do(b, "Mul", size[i], size[i], NULL), t);
    weft_value *sum = front_reduced(b, "ReduceSum", square, &last, 1, false);
    size[i] = front_do(b, "Add", sum, loss_num(b, sum, 1e-12), NULL);
  }
  weft_value *both = front_do(b, "Sqrt", front_do(b, "Mul", size[0], size[1], NULL), NULL, NULL);
  return front_do(b, "RealDiv", product, both, NULL);
}
// A target that is neither 1 nor -1 counts nothing.
static void loss_cosine(pt_op *o) {
  front_op *b = &o->b;
  weft_value *c = loss_cosine_of(b, pt_tensor(o, "input1"), pt_tensor(o, "input2"), pt_out_type(o, 0));
  weft_value *t = pt_tensor(o, "target");
  weft_value *near = front_do(b, "Sub", loss_num(b, c, 1), c, NULL);
  weft_value *far =
      front_do(b, "Relu", front_do(b, "Sub", c, loss_num(b, c, pt_float(o, "margin", 0)), NULL), NULL, NULL);
  weft_value *same = front_do(b, "Equal", t, loss_num(b, t, 1), NULL);
  weft_value *apart = front_do(b, "Equal", t, loss_num(b, t, -1), NULL);
  loss_give(o, front_where(b, same, near, front_where(b, apart, far, loss_num(b, c, 0))));
}

// Differences of bytes wrap around.
static weft_value *loss_distance(pt_op *o, weft_value *x, weft_value *y) {
  front_op *b = &o->b;
  double p = pt_float(o, "p", 2);
  if (b->failed)
    return NULL;
  const weft_dtype in = pt_promote(x->fact.dtype, y->fact.dtype);
  weft_value *d = front_do(b, "Sub", front_as(b, x, in), front_as(b, y, in), NULL);
  d = front_as(b, d, pt_out_type(o, 0));
  d = front_do(b, "Add", d, loss_num(b, d, pt_float(o, "eps", 1e-6)), NULL);
  return pt_norm_of(b, d, p, &(int64_t){front_rank_of(b, d) - 1}, 1, false);
}
static void loss_triplet(pt_op *o) {
  front_op *b = &o->b;
  weft_value *anchor = pt_tensor(o, "anchor");
  weft_value *positive = pt_tensor(o, "positive");
  weft_value *negative = pt_tensor(o, "negative");
  weft_value *far = loss_distance(o, anchor, negative);
  if (pt_bool(o, "swap", false))
    far = front_do(b, "Minimum", far, loss_distance(o, positive, negative), NULL);
  weft_value *d = front_do(b, "Sub", loss_distance(o, anchor, positive), far, NULL);
  d = front_do(b, "Add", d, loss_num(b, d, pt_float(o, "margin", 1)), NULL);
  loss_give(o, front_do(b, "Relu", d, NULL, NULL));
}

// ---- classes ----
typedef struct classes {
  weft_value *logs;    // log probabilities, classes along `axis`
  weft_value *target;  // numbers of classes
  weft_value *weight;  // of each class; NULL: 1
  int64_t axis, ignore;
} classes;

// 1 where the target counts, or the weight of its class.
static weft_value *loss_counts(front_op *b, const classes *c, weft_value *keep, weft_value *safe) {
  weft_value *ones = front_as(b, keep, c->logs ? c->logs->fact.dtype : (weft_dtype)WEFT_FLOAT);
  return c->weight ? front_do(b, "Mul", ones, front_picked(b, c->weight, 0, safe), NULL) : ones;
}

// The sum over what counts, divided by how much it is.
static void loss_classes_give(pt_op *o, weft_value *v, weft_value *counts) {
  front_op *b = &o->b;
  int64_t how = pt_int(o, "reduction", 1);
  if (how == 0) {
    pt_result(o, 0, v);
    return;
  }
  weft_value *sum = loss_all(b, "ReduceSum", v);
  pt_result(o, 0, how == 2 ? sum : front_do(b, "RealDiv", sum, loss_all(b, "ReduceSum", counts), NULL));
  if (pt_wants(o, 1) && !b->failed)
    pt_result(o, 1, loss_all(b, "ReduceSum", counts));
}

// What each class gets of a part that is spread over all.
static weft_value *loss_share(front_op *b, const classes *c, const weft_value *like, double part) {
  const weft_dim n = front_dim(c->logs, (int)c->axis);
  if (n > 0 || b->failed)
    return loss_num(b, like, part / (double)n);
  weft_value *all = front_as(b, front_dim_index(b, c->logs, c->axis), like->fact.dtype);
  return front_do(b, "RealDiv", loss_num(b, like, part), all, NULL);
}

static void loss_nll_of(pt_op *o, classes *c, double smoothing) {
  front_op *b = &o->b;
  weft_value *ignored = front_index(b, c->ignore);
  weft_value *target = front_as(b, c->target, WEFT_INT64);
  weft_value *keep = front_do(b, "NotEqual", target, ignored, NULL);
  weft_value *safe = front_where(b, keep, target, front_index(b, 0));
  weft_value *at = front_unsqueezed(b, safe, c->axis);
  front_set_int(b, "dim", c->axis);
  weft_value *picked = front_squeezed(b, front_do(b, "GatherElements", c->logs, at, NULL), c->axis);
  weft_value *counts = loss_counts(b, c, keep, safe);
  weft_value *v = front_do(b, "Neg", front_do(b, "Mul", picked, counts, NULL), NULL, NULL);
  if (smoothing > 0 && !b->failed) {
    weft_value *logs = c->logs;
    if (c->weight) {
      int64_t dims[WEFT_MAX_RANK];
      for (int i = 0; i < front_rank(logs); i++)
        dims[i] = i == c->axis ? -1 : 1;
      logs = front_do(b, "Mul", logs, front_reshaped(b, c->weight, dims, (size_t)front_rank(logs)), NULL);
    }
    weft_value *all = front_do(b, "Neg", front_reduced(b, "ReduceSum", logs, &c->axis, 1, false), NULL, NULL);
    v = front_do(b, "Mul", v, loss_num(b, v, 1 - smoothing), NULL);
    v = front_do(b, "Add", v, front_do(b, "Mul", all, loss_share(b, c, all, smoothing), NULL), NULL);
  }
  v = b->failed ? NULL : front_where(b, keep, v, loss_num(b, v, 0));  // be it NaN what is ignored
  loss_classes_give(o, v, counts);
}

static classes loss_classes(pt_op *o) {
  classes c = {
      .logs = pt_tensor(o, "self"), .target = pt_tensor(o, "target"), .weight = pt_optional(o, "weight")};
  c.axis = front_rank_of(&o->b, c.logs) > 1 ? 1 : 0;
  c.ignore = pt_int(o, "ignore_index", -100);
  return c;
}

static void loss_nll(pt_op *o) {
  classes c = loss_classes(o);
  if (!o->b.failed)
    loss_nll_of(o, &c, 0);
}

// Targets that are probabilities: - sum of t log p, the mean over what is no class.
static void loss_soft_targets(pt_op *o, const classes *c, double smoothing) {
  front_op *b = &o->b;
  weft_value *t = c->target;
  if (smoothing > 0)
    t = front_do(b, "Add", front_do(b, "Mul", t, loss_num(b, t, 1 - smoothing), NULL),
                 loss_share(b, c, t, smoothing), NULL);
  weft_value *v = front_do(b, "Mul", t, c->logs, NULL);
  if (c->weight) {
    int64_t dims[WEFT_MAX_RANK];
    for (int i = 0; i < front_rank(c->logs); i++)
      dims[i] = i == c->axis ? -1 : 1;
    v = front_do(b, "Mul", v, front_reshaped(b, c->weight, dims, (size_t)front_rank(c->logs)), NULL);
  }
  v = front_do(b, "Neg", front_reduced(b, "ReduceSum", v, &c->axis, 1, false), NULL, NULL);
  loss_give(o, v);
}

static void loss_cross_entropy(pt_op *o) {
  front_op *b = &o->b;
  classes c = loss_classes(o);
  double smoothing = pt_float(o, "label_smoothing", 0);
  if (b->failed)
    return;
  front_set_ints(b, "axes", &c.axis, 1);
  c.logs = front_do(b, "LogSoftmaxV2", c.logs, NULL, NULL);
  if (b->failed)
    return;
  if (WEFT_BIT(c.target->fact.dtype) & WEFT_FLOATS)
    loss_soft_targets(o, &c, smoothing);
  else
    loss_nll_of(o, &c, smoothing);
}

static void loss_multi_margin(pt_op *o) {
  weft_value *v = pt_tensor(o, "self");
  weft_value *target = pt_tensor(o, "target");
  const front_margin m = {
      .p = pt_float(o, "p", 1), .margin = pt_float(o, "margin", 1), .weight = pt_optional(o, "weight")};
  loss_give(o, front_multi_margin(&o->b, v, target, &m));
}

// Labels stand first in a row of targets, and -1 ends them.
static void loss_multilabel_margin(pt_op *o) {
  static const char *const names[] = {"none", "mean", "sum"};
  front_op *b = &o->b;
  weft_value *x = pt_tensor(o, "self");
  weft_value *target = front_as(b, pt_tensor(o, "target"), WEFT_INT32);
  int64_t how = pt_int(o, "reduction", 1);
  if (!b->failed && (how < 0 || how > 2))
    front_fail(b, WEFT_E_RANGE, "reduction %lld", (long long)how);
  if (b->failed)
    return;
  bool number = front_rank_of(b, x) == 0;
  x = number ? front_flat(b, x) : x;
  target = front_rank_of(b, target) == 0 ? front_flat(b, target) : target;
  front_set_text(b, "reduction", names[how]);
  weft_value *y = front_do(b, "MultilabelMarginLoss", x, target, NULL);
  pt_result(o, 0, y);
  if (o->n_out > 1 && y && pt_wants(o, 1))
    pt_result(o, 1, front_as(b, y + 1, pt_out_type(o, 1)));
}

static const pt_row loss_rows[] = {
    {"multilabel_margin_loss", NULL, 0, loss_multilabel_margin, 0},
    {"multilabel_margin_loss_forward", NULL, 0, loss_multilabel_margin, 0},
    {"mse_loss", NULL, 0, loss_mse, 0},
    {"l1_loss", NULL, 0, loss_l1, 0},
    {"smooth_l1_loss", NULL, 0, loss_smooth_l1, 0},
    {"huber_loss", NULL, 0, loss_huber, 0},
    {"binary_cross_entropy_with_logits", NULL, 0, loss_bce_logits, 0},
    {"binary_cross_entropy", NULL, 0, loss_bce, 0},
    {"kl_div", NULL, 0, loss_kl, 0},
    {"soft_margin_loss", NULL, 0, loss_soft_margin, 0},
    {"margin_ranking_loss", NULL, 0, loss_margin_ranking, 0},
    {"hinge_embedding_loss", NULL, 0, loss_hinge, 0},
    {"poisson_nll_loss", NULL, 0, loss_poisson, 0},
    {"cosine_embedding_loss", NULL, 0, loss_cosine, 0},
    {"triplet_margin_loss", NULL, 0, loss_triplet, 0},
    {"multi_margin_loss", NULL, 0, loss_multi_margin, 0},
    {"nll_loss", NULL, 0, loss_nll, 0},
    {"nll_loss_nd", NULL, 0, loss_nll, 0},
    {"nll_loss2d", NULL, 0, loss_nll, 0},
    {"nll_loss_forward", NULL, 0, loss_nll, 0},
    {"nll_loss2d_forward", NULL, 0, loss_nll, 0},
    {"cross_entropy_loss", NULL, 0, loss_cross_entropy, 0},
};
const pt_rows pt_loss = PT_ROWS(loss_rows);
// SPDX-License-Identifier: Apache-2.0
