// map_python.c - what MindSpore's front end leaves of Python where a size is not known: comparisons of tuples
// and of None, truth, text, `raise`. What is known when the model is read is decided then; what is not
// becomes a tensor.
#include <stdarg.h>

#include "base/allocated.h"
#include "frontend/mindspore/tables.h"

enum { PYTHON_TEXT = 400 };  // bytes of a text that is put together

static ms_value python_bool(bool truth) {
  return (ms_value){.kind = MS_BOOL, .i = truth};
}
static ms_value python_tensor(weft_value *v) {
  return (ms_value){.kind = v ? MS_TENSOR : MS_NOTHING, .v = v};
}

// A tensor of one element that is known is that number.
static ms_value python_known(front_op *b, const ms_value *v) {
  ms_value known = *v;
  ms_known_number(b, &known);
  return known;
}

static bool python_none(const ms_value *v) {
  return v->kind == MS_NONE || v->kind == MS_NOTHING;
}

// Is it the size of an axis, known or not? It is what it counts, and none below 0.
static bool python_size(const ms_value *v, weft_dim *out) {
  const weft_fact *f = v->kind == MS_TENSOR ? &v->v->fact : NULL;
  if (!f || !f->elems || f->n_elems != 1)
    return false;
  *out = f->elems[0];
  return weft_dim_is_symbol(*out);
}

// ---- truth ----
static ms_value python_truth(front_op *b, const ms_value *of) {
  const ms_value v = python_known(b, of);
  if (python_none(&v))
    return python_bool(false);
  if (v.kind == MS_TUPLE)
    return python_bool(v.n != 0);
  if (v.kind == MS_TEXT)
    return python_bool(v.text[0] != 0);
  if (ms_is_number(&v))
    return python_bool(v.kind == MS_FLOAT ? v.f != 0 : v.i != 0);

  weft_value *t = ms_tensor_of(b, &v);
  if (!b->failed && !t)
    front_fail(b, WEFT_E_TYPE,
               "it asks for the truth of what is neither a number, a tensor, a tuple nor text");
  return python_tensor(front_as(b, t, WEFT_BOOL));
}

static ms_value python_not(front_op *b, const ms_value *of) {
  const ms_value v = python_truth(b, of);
  if (v.kind != MS_TENSOR)
    return python_bool(!v.i);
  return python_tensor(front_do(b, "LogicalNot", v.v, NULL, NULL));
}

static ms_value python_join(front_op *b, const ms_value *one, const ms_value *other, bool all) {
  const ms_value x = python_truth(b, one);
  const ms_value y = python_truth(b, other);
  if (x.kind != MS_TENSOR)
    return (x.i != 0) == all ? y : x;
  if (y.kind != MS_TENSOR)
    return (y.i != 0) == all ? x : y;
  return python_tensor(front_do(b, all ? "LogicalAnd" : "LogicalOr", x.v, y.v, NULL));
}

// ---- equality ----
static bool python_whole(const weft_value *v) {
  return v && (weft_dtype_is_integer(v->fact.dtype) || v->fact.dtype == WEFT_BOOL);
}

static double python_real(const ms_value *v) {
  return v->kind == MS_FLOAT ? v->f : (double)v->i;
}

// Numbers that are known, and sizes of which that much is. False: that is known only when the model runs.
static bool python_settled(const ms_value *x, const ms_value *y, bool *out) {
  weft_dim n;
  weft_dim m;
  if (ms_is_number(x) && ms_is_number(y)) {
    const bool whole = x->kind != MS_FLOAT && y->kind != MS_FLOAT;
    *out = whole ? x->i == y->i : python_real(x) == python_real(y);
    return true;
  }

  const bool x_is_size = python_size(x, &n);
  const bool y_is_size = python_size(y, &m);
  if (x_is_size && y_is_size && n == m) {
    *out = true;
    return true;
  }
  *out = false;
  if (x_is_size)
    return y->kind == MS_INT && y->i < 0;
  return y_is_size && x->kind == MS_INT && x->i < 0;
}

static ms_value python_equal_numbers(front_op *b, const ms_value *x, const ms_value *y) {
  bool same;
  if (python_settled(x, y, &same))
    return python_bool(same);
  weft_value *v = ms_tensor_of(b, x);
  weft_value *w = ms_tensor_of(b, y);
  const int rank = front_rank(v);
  const int other = front_rank(w);
  if (!b->failed && (rank != 0 || other != 0))
    front_fail(
        b, WEFT_E_UNSUPPORTED,
        "it compares tensors of rank %d and %d, expected single numbers, of rank 0; -1 means not known", rank,
        other);
  const weft_dtype t = python_whole(v) && python_whole(w) ? WEFT_INT64 : WEFT_DOUBLE;
  return python_tensor(front_do(b, "Equal", front_as(b, v, t), front_as(b, w, t), NULL));
}

static ms_value python_equal(front_op *b, const ms_value *x, const ms_value *y, int depth) {
  ms_value all = python_bool(true);
  if (depth > MS_DEPTH)
    front_fail(b, WEFT_E_LIMIT, "a value is nested deeper than %d", MS_DEPTH);
  if (b->failed || python_none(x) || python_none(y))
    return python_bool(python_none(x) && python_none(y));
  if (x->kind == MS_TEXT || y->kind == MS_TEXT)
    return python_bool(x->kind == y->kind && !strcmp(x->text, y->text));
  if (x->kind != MS_TUPLE && y->kind != MS_TUPLE) {
    ms_value v = python_known(b, x);
    ms_value w = python_known(b, y);
    return python_equal_numbers(b, &v, &w);
  }
  if (x->kind != y->kind || x->n != y->n)
    return python_bool(false);
  for (size_t i = 0; i < x->n && !b->failed; i++) {
    ms_value same = python_equal(b, &x->items[i], &y->items[i], depth + 1);
    all = python_join(b, &all, &same, true);
  }
  return all;
}

static bool python_pair(ms_op *o, ms_value *x, ms_value *y) {
  if (!o->b.failed && o->n_in < 2)
    front_fail(&o->b, WEFT_E_MISSING, "it has %zu inputs, expected 2", o->n_in);
  if (o->b.failed)
    return false;
  *x = o->in[0];
  *y = o->in[1];
  return true;
}

static void python_same(ms_op *o) {
  ms_value x;
  ms_value y;
  if (python_pair(o, &x, &y))
    o->out = python_equal(&o->b, &x, &y, 0);
}
static void python_other(ms_op *o) {
  python_same(o);
  if (!o->b.failed)
    o->out = python_not(&o->b, &o->out);
}
static void python_negated(ms_op *o) {
  if (!o->n_in)
    front_fail(&o->b, WEFT_E_MISSING, "it has no input");
  else
    o->out = python_not(&o->b, &o->in[0]);
}
static void python_joined(ms_op *o, bool all) {
  ms_value x;
  ms_value y;
  if (!python_pair(o, &x, &y))
    return;
  o->out = python_join(&o->b, &x, &y, all);
}
static void python_and(ms_op *o) {
  python_joined(o, true);
}
static void python_or(ms_op *o) {
  python_joined(o, false);
}

// Whether one of a tuple's items is x.
static void python_in(ms_op *o) {
  ms_value x;
  ms_value list;
  if (!python_pair(o, &x, &list))
    return;
  if (list.kind != MS_TUPLE) {
    front_fail(&o->b, WEFT_E_TYPE, "a value is looked for in what is no tuple");
    return;
  }
  o->out = python_bool(false);
  for (size_t i = 0; i < list.n && !o->b.failed; i++) {
    ms_value same = python_equal(&o->b, &x, &list.items[i], 0);
    o->out = python_join(&o->b, &o->out, &same, false);
  }
}

// ---- text ----
static void python_add(char text[PYTHON_TEXT], const char *fmt, ...) WEFT_PRINTF(2, 3);
static void python_add(char text[PYTHON_TEXT], const char *fmt, ...) {
  size_t n = strlen(text);
  va_list args;
  va_start(args, fmt);
  vsnprintf(text + n, PYTHON_TEXT - n, fmt, args);
  va_end(args);
}

// A text of texts and numbers, for messages; '?' where a number is not known.
static void python_text(ms_op *o) {
  char text[PYTHON_TEXT] = "";
  for (size_t i = 0; i < o->n_in && !o->b.failed; i++) {
    ms_value v = python_known(&o->b, &o->in[i]);
    if (v.kind == MS_TEXT)
      python_add(text, "%s", v.text);
    else if (v.kind == MS_BOOL)
      python_add(text, "%s", v.i ? "True" : "False");
    else if (v.kind == MS_INT)
      python_add(text, "%lld", (long long)v.i);
    else if (v.kind == MS_FLOAT)
      python_add(text, "%g", v.f);
    else if (v.kind != MS_MONAD)
      python_add(text, "?");
  }
  char *kept = WEFT_NEW_N(&o->m->f.arena, char, strlen(text) + 1);
  if (!kept) {
    front_fail(&o->b, WEFT_E_NOMEM, "out of memory");
    return;
  }
  memcpy(kept, text, strlen(text) + 1);
  o->out = (ms_value){.kind = MS_TEXT, .text = kept};
}

// Reached only where it is certain: a branch that raises is not taken (control.c).
static void python_raise(ms_op *o) {
  const char *type = o->n_in > 0 && o->in[0].kind == MS_TEXT ? o->in[0].text : "an exception";
  const char *text = o->n_in > 1 && o->in[1].kind == MS_TEXT ? o->in[1].text : "";
  front_fail(&o->b, WEFT_E_INVALID, "the model raises %.40s%s%.300s", type, *text ? ": " : "", text);
}

static const ms_row python_rows[] = {
    {"BoolAnd", NULL, NULL, 0, python_and},        {"BoolEq", NULL, NULL, 0, python_same},
    {"BoolNot", NULL, NULL, 0, python_negated},    {"BoolOr", NULL, NULL, 0, python_or},
    {"InSequence", NULL, NULL, 0, python_in},      {"JoinedStr", NULL, NULL, 0, python_text},
    {"SequenceEqual", NULL, NULL, 0, python_same}, {"bool_and", NULL, NULL, 0, python_and},
    {"bool_eq", NULL, NULL, 0, python_same},       {"bool_not", NULL, NULL, 0, python_negated},
    {"bool_or", NULL, NULL, 0, python_or},         {"is_", NULL, NULL, 0, python_same},
    {"is_not", NULL, NULL, 0, python_other},       {"list_equal", NULL, NULL, 0, python_same},
    {"raise", NULL, NULL, 0, python_raise},        {"string_eq", NULL, NULL, 0, python_same},
    {"tuple_equal", NULL, NULL, 0, python_same},
};
const ms_rows ms_python = MS_ROWS(python_rows);
// SPDX-License-Identifier: Apache-2.0
