// aten_make.c - tensors made of sizes and numbers, and arithmetic on sizes. Sizes are INT64 values of rank 0:
// what is known while reading stays a constant, the rest follows from the shapes of inputs.
#include "frontend/torch/tables.h"

static weft_dtype make_type(pt_op *o, weft_dtype dflt) {
  weft_dtype t = pt_out_type(o, 0);
  return pt_type(o, "dtype", t == WEFT_UNDEFINED ? dflt : t);
}

static void make_filled(pt_op *o, weft_value *shape, weft_value *number) {
  pt_result(o, 0, front_filled(&o->b, shape, number));
}
static weft_value *make_size(pt_op *o) {
  return pt_shape(o, "size");
}
static weft_value *make_like(pt_op *o) {
  return front_shape(&o->b, pt_tensor(o, "self"));
}

static void make_zeros(pt_op *o) {
  weft_value *shape = make_size(o);
  make_filled(o, shape, front_num(&o->b, make_type(o, WEFT_FLOAT), 0));
}
static void make_ones(pt_op *o) {
  weft_value *shape = make_size(o);
  make_filled(o, shape, front_num(&o->b, make_type(o, WEFT_FLOAT), 1));
}
static void make_full(pt_op *o) {
  weft_value *shape = make_size(o);
  make_filled(o, shape, pt_operand(o, "fill_value", make_type(o, WEFT_FLOAT)));
}
static void make_zeros_like(pt_op *o) {
  weft_value *shape = make_like(o);
  make_filled(o, shape, front_num(&o->b, make_type(o, WEFT_FLOAT), 0));
}
static void make_ones_like(pt_op *o) {
  weft_value *shape = make_like(o);
  make_filled(o, shape, front_num(&o->b, make_type(o, WEFT_FLOAT), 1));
}
static void make_full_like(pt_op *o) {
  weft_value *shape = make_like(o);
  make_filled(o, shape, pt_operand(o, "fill_value", make_type(o, WEFT_FLOAT)));
}
static void make_scalar(pt_op *o) {
  pt_result(o, 0, pt_operand(o, "s", make_type(o, WEFT_FLOAT)));
}

// Ranges of small integers are counted in i64.
static void make_arange(pt_op *o) {
  front_op *b = &o->b;
  weft_dtype t = make_type(o, WEFT_INT64);
  weft_dtype in = weft_dtype_is_integer(t) ? (weft_dtype)WEFT_INT64
                  : t == WEFT_DOUBLE       ? t
                                           : (weft_dtype)WEFT_DOUBLE;
  weft_value *from = pt_find(o, "start") ? pt_operand(o, "start", in) : front_num(b, in, 0);
  weft_value *to = pt_operand(o, "end", in);
  weft_value *step = pt_find(o, "step") ? pt_operand(o, "step", in) : front_num(b, in, 1);
  weft_value *v = front_do(b, "Range", from, to, step);
  pt_result(o, 0, front_as(b, v, t));
}

static void make_linspace(pt_op *o) {
  front_op *b = &o->b;
  weft_dtype t = make_type(o, WEFT_FLOAT);
  weft_value *from = pt_operand(o, "start", WEFT_DOUBLE);
  weft_value *to = pt_operand(o, "end", WEFT_DOUBLE);
  weft_value *v = front_do(b, "LinSpace", from, to, pt_size_index(o, "steps", 100));
  pt_result(o, 0, front_as(b, v, t));
}

static void make_logspace(pt_op *o) {
  front_op *b = &o->b;
  weft_dtype t = make_type(o, WEFT_FLOAT);
  weft_value *from = pt_operand(o, "start", WEFT_DOUBLE);
  weft_value *to = pt_operand(o, "end", WEFT_DOUBLE);
  weft_value *v = front_do(b, "LinSpace", from, to, pt_size_index(o, "steps", 100));
  v = front_do(b, "Pow", front_num(b, WEFT_DOUBLE, pt_float(o, "base", 10)), v, NULL);
  pt_result(o, 0, front_as(b, v, t));
}

// Ones where row and column have the same number.
static void make_eye(pt_op *o) {
  front_op *b = &o->b;
  weft_value *n = pt_size_index(o, "n", 0);
  weft_value *m = pt_find(o, "m") ? pt_size_index(o, "m", 0) : n;
  weft_value *rows = front_unsqueezed(b, front_counting(b, n), 1);
  weft_value *same = front_do(b, "Equal", rows, front_counting(b, m), NULL);
  pt_result(o, 0, front_as(b, same, make_type(o, WEFT_FLOAT)));
}

// Rows and columns of a triangle, as a tensor [2, n].
static void make_triangle(pt_op *o, bool upper) {
  int64_t rows = pt_int(o, "row", 0);
  int64_t cols = pt_int(o, "col", 0);
  weft_value *at = front_triangle(&o->b, front_index(&o->b, rows), front_index(&o->b, cols),
                                  pt_int(o, "offset", 0), upper);
  pt_result(o, 0, front_as(&o->b, at, make_type(o, WEFT_INT64)));
}
static void make_tril_indices(pt_op *o) {
  make_triangle(o, false);
}
static void make_triu_indices(pt_op *o) {
  make_triangle(o, true);
}

// ---- sizes and numbers ----
static void make_sym_size(pt_op *o) {
  weft_value *v = pt_tensor(o, "self");
  int64_t axis = pt_axis(o, "dim", 0, front_rank_of(&o->b, v));
  pt_result(o, 0, front_dim_index(&o->b, v, axis));
}
static void make_sym_numel(pt_op *o) {
  weft_value *v = pt_tensor(o, "self");
  front_set_int(&o->b, "dtype", WEFT_INT64);
  pt_result(o, 0, front_do(&o->b, "Size", v, NULL, NULL));
}
static void make_item(pt_op *o) {
  front_op *b = &o->b;
  weft_value *v = pt_tensor(o, "self");
  weft_dtype t = v ? v->fact.dtype : (weft_dtype)WEFT_UNDEFINED;
  if (weft_dtype_is_integer(t))
    v = front_as(b, v, WEFT_INT64);
  pt_result(o, 0, front_reshaped(b, v, NULL, 0));
}

// Operands of Python's operators, by position; `type`: what both are cast to.
static bool make_two(pt_op *o, weft_value *v[2], weft_dtype *type) {
  front_arg a[2] = {pt_read_arg(o, pt_at(o, 0)), pt_read_arg(o, pt_at(o, 1))};
  weft_dtype t = WEFT_INT64;
  for (int i = 0; i < 2; i++) {
    bool fraction = a[i].kind == FRONT_FLOAT ||
                    (a[i].v && a[i].kind == FRONT_VALUE && (WEFT_BIT(a[i].v->fact.dtype) & WEFT_FLOATS));
    if (fraction)
      t = WEFT_DOUBLE;
  }
  if (*type != WEFT_UNDEFINED)
    t = *type;
  for (int i = 0; i < 2; i++) {
    v[i] = a[i].kind == FRONT_VALUE   ? front_as(&o->b, a[i].v, t)
           : a[i].kind == FRONT_FLOAT ? front_num(&o->b, t, a[i].f)
                                      : front_int(&o->b, t, a[i].i);
  }
  *type = t;
  return !o->b.failed;
}

static void make_binary(pt_op *o, const char *type, weft_dtype t) {
  weft_value *v[2];
  if (make_two(o, v, &t))
    pt_result(o, 0, front_do(&o->b, type, v[0], v[1], NULL));
}
static void make_op_add(pt_op *o) {
  make_binary(o, "Add", WEFT_UNDEFINED);
}
static void make_op_sub(pt_op *o) {
  make_binary(o, "Sub", WEFT_UNDEFINED);
}
static void make_op_mul(pt_op *o) {
  make_binary(o, "Mul", WEFT_UNDEFINED);
}
static void make_op_floordiv(pt_op *o) {
  make_binary(o, "FloorDiv", WEFT_UNDEFINED);
}
static void make_op_mod(pt_op *o) {
  make_binary(o, "FloorMod", WEFT_UNDEFINED);
}
static void make_op_truediv(pt_op *o) {
  make_binary(o, "RealDiv", WEFT_DOUBLE);
}
static void make_op_pow(pt_op *o) {
  make_binary(o, "Pow", WEFT_UNDEFINED);
}
static void make_op_max(pt_op *o) {
  make_binary(o, "Maximum", WEFT_UNDEFINED);
}
static void make_op_min(pt_op *o) {
  make_binary(o, "Minimum", WEFT_UNDEFINED);
}
static void make_op_eq(pt_op *o) {
  make_binary(o, "Equal", WEFT_UNDEFINED);
}
static void make_op_ne(pt_op *o) {
  make_binary(o, "NotEqual", WEFT_UNDEFINED);
}
static void make_op_lt(pt_op *o) {
  make_binary(o, "Less", WEFT_UNDEFINED);
}
static void make_op_le(pt_op *o) {
  make_binary(o, "LessEqual", WEFT_UNDEFINED);
}
static void make_op_gt(pt_op *o) {
  make_binary(o, "Greater", WEFT_UNDEFINED);
}
static void make_op_ge(pt_op *o) {
  make_binary(o, "GreaterEqual", WEFT_UNDEFINED);
}
static void make_op_and(pt_op *o) {
  make_binary(o, "LogicalAnd", WEFT_BOOL);
}
static void make_op_or(pt_op *o) {
  make_binary(o, "LogicalOr", WEFT_BOOL);
}

// One operand, by position, as a value of rank 0.
static weft_value *make_one(pt_op *o, weft_dtype t) {
  front_arg a = pt_read_arg(o, pt_at(o, 0));
  if (a.kind == FRONT_VALUE)
    return front_as(&o->b, a.v, t);
  return a.kind == FRONT_FLOAT ? front_num(&o->b, t == WEFT_UNDEFINED ? (weft_dtype)WEFT_DOUBLE : t, a.f)
                               : front_int(&o->b, t == WEFT_UNDEFINED ? (weft_dtype)WEFT_INT64 : t, a.i);
}
static void make_op_neg(pt_op *o) {
  pt_result(o, 0, front_do(&o->b, "Neg", make_one(o, WEFT_UNDEFINED), NULL, NULL));
}
static void make_op_not(pt_op *o) {
  pt_result(o, 0, front_do(&o->b, "LogicalNot", make_one(o, WEFT_BOOL), NULL, NULL));
}
static void make_op_float(pt_op *o) {
  pt_result(o, 0, make_one(o, WEFT_DOUBLE));
}
static void make_op_int(pt_op *o, const char *type) {
  weft_value *v = make_one(o, WEFT_UNDEFINED);
  if (v && (WEFT_BIT(v->fact.dtype) & WEFT_FLOATS) && type)
    v = front_do(&o->b, type, v, NULL, NULL);
  pt_result(o, 0, front_as(&o->b, v, WEFT_INT64));
}
static void make_op_trunc(pt_op *o) {
  make_op_int(o, NULL);
}
static void make_op_floor(pt_op *o) {
  make_op_int(o, "Floor");
}
static void make_op_ceil(pt_op *o) {
  make_op_int(o, "Ceil");
}
static void make_op_round(pt_op *o) {
  make_op_int(o, "Round");
}

static const pt_row make_rows[] = {
    {"zeros", NULL, 0, make_zeros, 0},
    {"ones", NULL, 0, make_ones, 0},
    {"full", NULL, 0, make_full, 0},
    {"empty", NULL, 0, make_zeros, 0},
    {"empty_strided", NULL, 0, make_zeros, 0},
    {"empty_permuted", NULL, 0, make_zeros, 0},
    {"new_zeros", NULL, 0, make_zeros, 0},
    {"new_ones", NULL, 0, make_ones, 0},
    {"new_full", NULL, 0, make_full, 0},
    {"new_empty", NULL, 0, make_zeros, 0},
    {"new_empty_strided", NULL, 0, make_zeros, 0},
    {"zeros_like", NULL, 0, make_zeros_like, 0},
    {"ones_like", NULL, 0, make_ones_like, 0},
    {"full_like", NULL, 0, make_full_like, 0},
    {"empty_like", NULL, 0, make_zeros_like, 0},
    {"scalar_tensor", NULL, 0, make_scalar, 0},
    {"arange", NULL, 0, make_arange, 0},
    {"linspace", NULL, 0, make_linspace, 0},
    {"logspace", NULL, 0, make_logspace, 0},
    {"eye", NULL, 0, make_eye, 0},
    {"tril_indices", NULL, 0, make_tril_indices, 0},
    {"triu_indices", NULL, 0, make_triu_indices, 0},
    {"sym_size", NULL, 0, make_sym_size, 0},
    {"sym_numel", NULL, 0, make_sym_numel, 0},
    {"item", NULL, 0, make_item, 0},
    {"_local_scalar_dense", NULL, 0, make_item, 0},
    {"_operator.add", NULL, 0, make_op_add, 0},
    {"_operator.sub", NULL, 0, make_op_sub, 0},
    {"_operator.mul", NULL, 0, make_op_mul, 0},
    {"_operator.floordiv", NULL, 0, make_op_floordiv, 0},
    {"_operator.mod", NULL, 0, make_op_mod, 0},
    {"_operator.truediv", NULL, 0, make_op_truediv, 0},
    {"_operator.pow", NULL, 0, make_op_pow, 0},
    {"_operator.neg", NULL, 0, make_op_neg, 0},
    {"_operator.eq", NULL, 0, make_op_eq, 0},
    {"_operator.ne", NULL, 0, make_op_ne, 0},
    {"_operator.lt", NULL, 0, make_op_lt, 0},
    {"_operator.le", NULL, 0, make_op_le, 0},
    {"_operator.gt", NULL, 0, make_op_gt, 0},
    {"_operator.ge", NULL, 0, make_op_ge, 0},
    {"_operator.and_", NULL, 0, make_op_and, 0},
    {"_operator.or_", NULL, 0, make_op_or, 0},
    {"torch.sym_max", NULL, 0, make_op_max, 0},
    {"torch.sym_min", NULL, 0, make_op_min, 0},
    {"torch.sym_float", NULL, 0, make_op_float, 0},
    {"torch.sym_int", NULL, 0, make_op_trunc, 0},
    {"torch.sym_not", NULL, 0, make_op_not, 0},
    {"math.trunc", NULL, 0, make_op_trunc, 0},
    {"math.floor", NULL, 0, make_op_floor, 0},
    {"math.ceil", NULL, 0, make_op_ceil, 0},
    {"builtins.round", NULL, 0, make_op_round, 0},
};
const pt_rows pt_make = PT_ROWS(make_rows);
// SPDX-License-Identifier: Apache-2.0
