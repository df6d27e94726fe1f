// ranges.c - what dims of a graph's inputs may be: (least, greatest or None), of a dim by its name in every
// input, or of all dims of an input.
#include <string.h>

#include "common.h"

typedef struct range {
  int64_t min, max;  // max -1: no bound
} range;

// A number, or (least, greatest or None). False: an error is set.
static bool range_read(PyObject *value, const char *name, range *out) {
  PyObject *last = value;
  if (PyTuple_Check(value) && PyTuple_Size(value) == 2) {
    out->min = PyLong_AsLongLong(PyTuple_GetItem(value, 0));
    last = PyTuple_GetItem(value, 1);
  } else {
    out->min = PyLong_AsLongLong(value);
  }
  if (!PyErr_Occurred())
    out->max = last == Py_None ? -1 : PyLong_AsLongLong(last);
  if (PyErr_Occurred()) {
    if (PyErr_ExceptionMatches(PyExc_TypeError))
      PyErr_Format(PyExc_TypeError, "the range of '%s': expected 8, (1, 64) or (1, None), got %R", name,
                   value);
    return false;
  }
  const bool fits = out->min >= 0 && (last == Py_None || out->max >= out->min);
  if (!fits)
    PyErr_Format(PyExc_ValueError, "the range of '%s': %R is empty or below 0", name, value);
  return fits;
}

// Is it one name, which keeps its dim, and not an expression?
static bool range_is_name(const char *text) {
  return !strpbrk(text, "+-*/(), \"");
}
static weft_status range_set(weft_symbols *p, weft_tensor_desc *desc, size_t i, range r, weft_diag *d) {
  char name[256];
  int64_t min;
  int64_t max;
  const weft_dim was = desc->layout.origin.dim[i];
  weft_dim_text(p, was, name, sizeof name);
  weft_dim_bounds(p, was, &min, &max);
  if (weft_dim_is_known(was))
    min = max = was;
  const int64_t least = min > r.min ? min : r.min;
  const int64_t most = max < 0 ? r.max : r.max < 0 || max < r.max ? max : r.max;
  if (most >= 0 && least > most) {
    return weft_fail(d, WEFT_E_RANGE, "dim %zu of input '%s' is %s in the model, never in %lld..%lld", i,
                     desc->name, name, (long long)r.min, (long long)r.max);
  }
  if (weft_dim_is_symbol(was) && range_is_name(name))
    (void)weft_dim_symbol(p, name, strlen(name), least, most);
  desc->min.dim[i] = least;
  desc->max.dim[i] = most;
  if (least == most)
    desc->layout.origin.dim[i] = least;
  return WEFT_OK;
}
// Bounds of dims that no range was given for are those that they have.
static void range_begin(const weft_symbols *p, weft_tensor_desc *desc) {
  const weft_shape *s = &desc->layout.origin;
  for (size_t i = 0; !desc->has_range && i < (size_t)s->rank; i++) {
    weft_dim_bounds(p, s->dim[i], &desc->min.dim[i], &desc->max.dim[i]);
    if (weft_dim_is_known(s->dim[i]))
      desc->min.dim[i] = desc->max.dim[i] = s->dim[i];
  }
  desc->min.rank = desc->max.rank = s->rank;
  desc->has_range = true;
}
static bool range_failed(weft_status s, const weft_diag *d) {
  if (s)
    weft_py_raise(s, d);
  return !s;
}

// Of the input `at`: a range for each dim.
static bool range_of_input(weft_graph *g, int at, const char *name, PyObject *list) {
  weft_value *v = weft_graph_input_at(g, (size_t)at);
  weft_tensor_desc desc;
  weft_diag d = {0};
  range r;
  weft_value_desc(v, &desc);
  desc.name = name;
  const bool known = !weft_shape_is_unknown_rank(&desc.layout.origin);
  if (!known || (size_t)PyTuple_Size(list) != desc.layout.origin.rank) {
    PyErr_Format(PyExc_ValueError, "ranges of input '%s': %zd are given, it has %s%zu dims", name,
                 PyTuple_Size(list), known ? "" : "no known number of dims, ",
                 known ? (size_t)desc.layout.origin.rank : 0);
    return false;
  }
  range_begin(weft_graph_symbols(g), &desc);
  weft_status s = WEFT_OK;
  for (size_t i = 0; !s && i < (size_t)desc.layout.origin.rank; i++) {
    if (!range_read(PyTuple_GetItem(list, (Py_ssize_t)i), name, &r))
      return false;
    s = range_set(weft_graph_symbols(g), &desc, i, r, &d);
  }
  desc.layout.storage = desc.layout.origin;
  if (!s)
    s = weft_graph_input_reshape(v, &desc, &d);
  return range_failed(s, &d);
}
// Of the dims that have this name.
static bool range_of_dim(weft_graph *g, const char *name, range r) {
  size_t found = 0;
  weft_status s = WEFT_OK;
  weft_diag d = {0};
  for (size_t i = 0; !s && i < weft_graph_n_inputs(g); i++) {
    weft_value *v = weft_graph_input_at(g, i);
    weft_tensor_desc desc;
    const size_t before = found;
    weft_value_desc(v, &desc);
    desc.name = weft_value_name(v);
    const weft_shape *shape = &desc.layout.origin;
    for (size_t k = 0; !s && !weft_shape_is_unknown_rank(shape) && k < (size_t)shape->rank; k++) {
      char text[256];
      const bool is = weft_dim_is_symbol(shape->dim[k]) &&
                      !strcmp(weft_dim_text(weft_graph_symbols(g), shape->dim[k], text, sizeof text), name);
      if (!is)
        continue;
      if (found == before)
        range_begin(weft_graph_symbols(g), &desc);
      s = range_set(weft_graph_symbols(g), &desc, k, r, &d);
      found++;
    }
    desc.layout.storage = desc.layout.origin;
    if (!s && found != before)
      s = weft_graph_input_reshape(v, &desc, &d);
  }
  if (!s && !found)
    return weft_py_no_dim(g, name);
  return range_failed(s, &d) && found;
}
bool weft_py_set_range(weft_graph *g, const char *name, PyObject *value) {
  const int at = weft_graph_find_input(g, name);
  range r;
  if (at >= 0)
    return range_of_input(g, at, name, value);
  return range_read(value, name, &r) && range_of_dim(g, name, r);
}
// SPDX-License-Identifier: Apache-2.0
