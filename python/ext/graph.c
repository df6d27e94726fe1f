// graph.c - models as graphs: what they take and give, what inference finds, how they print.
#include <stdlib.h>
#include <string.h>

#include "common.h"

typedef struct graph_object {
  PyObject_HEAD weft_graph *g;
  PyObject *env;
  held_view data;  // what the graph's constants may lie in
  bool busy;       // a call works on it that has let go of Python's lock
} graph_object;
static PyTypeObject *graph_type;

static void view_release(held_view *v) {
  if (v->held)
    PyBuffer_Release(&v->view);
  v->held = false;
}

// ---- reading ----
weft_graph *weft_py_read(const env_object *env, PyObject *path, PyObject *data, held_view *view) {
  weft_env *e = env->env;
  const weft_onnx_options o = {
      .size = sizeof o, .signature = env->signature ? PyUnicode_AsUTF8AndSize(env->signature, NULL) : NULL};
  weft_graph *g = NULL;
  weft_diag d = {0};
  weft_status s;
  PyObject *bytes = NULL;
  const char *name = NULL;
  if (path != Py_None) {
    if (!PyUnicode_FSConverter(path, &bytes))
      return NULL;
    name = PyBytes_AsString(bytes);
  } else if (PyObject_GetBuffer(data, &view->view, PyBUF_SIMPLE)) {
    return NULL;
  } else {
    view->held = true;
  }
  const void *memory = name ? NULL : view->view.buf;
  const size_t size = name ? 0 : (size_t)view->view.len;
  do {
    WEFT_PY_WITHOUT_LOCK(s = name ? weft_model_load_with(e, name, &o, &g, &d)
                                  : weft_model_read(e, memory, size, "model", &g, &d));
  } while (weft_py_again(s, &d));
  Py_XDECREF(bytes);
  if (!s)
    return g;
  view_release(view);
  weft_py_raise_run(s, &d);
  return NULL;
}

// ---- sizes ----
static bool sizes_failed(weft_status s, const weft_diag *d) {
  weft_py_raise(s, d);
  return false;
}
bool weft_py_dims(weft_graph *g, PyObject *list, weft_dim *dims, size_t *rank) {
  PyObject *items = PySequence_Tuple(list);
  weft_diag d = {0};
  if (!items && PyErr_ExceptionMatches(PyExc_TypeError)) {
    PyErr_Clear();
    PyErr_Format(PyExc_TypeError, "a shape is a list of dims ([1, 3], [\"batch\", None]), not %R", list);
  }
  const Py_ssize_t n = items ? PyTuple_Size(items) : -1;
  bool ok = n >= 0 && n <= WEFT_MAX_RANK;
  if (items && !ok)
    PyErr_Format(PyExc_ValueError, "a shape of %zd dims; %d are possible", n, WEFT_MAX_RANK);
  for (Py_ssize_t i = 0; ok && i < n; i++) {
    PyObject *item = PyTuple_GetItem(items, i);
    weft_status s = WEFT_OK;
    Py_ssize_t bytes;
    if (item == Py_None) {
      dims[i] = -1;
    } else if (PyUnicode_Check(item)) {
      const char *text = PyUnicode_AsUTF8AndSize(item, &bytes);
      s = text ? weft_dim_parse(weft_graph_symbols(g), text, (size_t)bytes, &dims[i], &d) : WEFT_OK;
      ok = text;
    } else {
      dims[i] = PyLong_AsLongLong(item);
      ok = !PyErr_Occurred();
    }
    if (s)
      ok = sizes_failed(s, &d);
  }
  *rank = ok ? (size_t)n : 0;
  Py_XDECREF(items);
  return ok;
}
static bool no_input(const weft_graph *g, const char *name) {
  PyObject *names = PyList_New(0);
  for (size_t i = 0; names && i < weft_graph_n_inputs(g); i++) {
    PyObject *item = PyUnicode_FromString(weft_value_name(weft_graph_input_at(g, i)));
    if (item)
      PyList_Append(names, item);
    Py_XDECREF(item);
  }
  PyErr_Format(weft_py_missing, "the model has no input '%s'; its inputs: %R", name, names);
  Py_XDECREF(names);
  return false;
}
static bool set_shape(weft_graph *g, PyObject *key, PyObject *list) {
  const char *name = PyUnicode_AsUTF8AndSize(key, NULL);
  weft_dim dims[WEFT_MAX_RANK];
  size_t rank;
  weft_tensor_desc desc;
  weft_diag d = {0};
  if (!name || !weft_py_dims(g, list, dims, &rank))
    return false;
  const int i = weft_graph_find_input(g, name);
  if (i < 0)
    return no_input(g, name);
  weft_value *v = weft_graph_input_at(g, (size_t)i);
  weft_value_desc(v, &desc);
  weft_status s = weft_desc_set(&desc, desc.dtype, desc.format, dims, rank);
  if (!s)
    s = weft_graph_input_reshape(v, &desc, &d);
  return s ? sizes_failed(s, &d) : true;
}
// Adds the names of an input's open dims to a set.
static bool add_dim_names(const weft_graph *g, size_t input, PyObject *names) {
  weft_tensor_desc desc;
  weft_value_desc(weft_graph_input_at(g, input), &desc);
  const weft_shape *s = &desc.layout.origin;
  bool ok = true;
  for (size_t k = 0; ok && !weft_shape_is_unknown_rank(s) && k < (size_t)s->rank; k++) {
    char text[256];
    if (!weft_dim_is_symbol(s->dim[k]))
      continue;
    PyObject *name = PyUnicode_FromString(weft_dim_text(weft_graph_symbols(g), s->dim[k], text, sizeof text));
    ok = name && !PySet_Add(names, name);
    Py_XDECREF(name);
  }
  return ok;
}
bool weft_py_no_dim(const weft_graph *g, const char *name) {
  PyObject *names = PySet_New(NULL);
  bool ok = names;
  for (size_t i = 0; ok && i < weft_graph_n_inputs(g); i++)
    ok = add_dim_names(g, i, names);
  PyObject *list = ok ? PySequence_List(names) : NULL;
  PyObject *comma = list && PySet_Size(names) && !PyList_Sort(list) ? PyUnicode_FromString(", ") : NULL;
  PyObject *listed = comma ? PyUnicode_Join(comma, list) : NULL;
  if (listed)
    PyErr_Format(weft_py_missing,
                 "no input of the model has a dim named '%s', nor is one called so; its open dims: %U", name,
                 listed);
  else if (list && !PyErr_Occurred())
    PyErr_Format(weft_py_missing, "no input of the model has a dim named '%s': no dim of its inputs is open",
                 name);
  Py_XDECREF(listed);
  Py_XDECREF(comma);
  Py_XDECREF(list);
  Py_XDECREF(names);
  return false;
}
// Gives every dim of this name the size; says how many there were.
static weft_status set_dim(weft_graph *g, const char *name, int64_t size, size_t *found, weft_diag *d) {
  for (size_t i = 0; i < weft_graph_n_inputs(g); i++) {
    weft_value *v = weft_graph_input_at(g, i);
    weft_tensor_desc desc;
    bool changed = false;
    weft_value_desc(v, &desc);
    weft_shape *s = &desc.layout.origin;
    for (size_t k = 0; !weft_shape_is_unknown_rank(s) && k < (size_t)s->rank; k++) {
      char text[256];
      const bool is = weft_dim_is_symbol(s->dim[k]) &&
                      !strcmp(weft_dim_text(weft_graph_symbols(g), s->dim[k], text, sizeof text), name);
      if (is)
        s->dim[k] = size;
      changed |= is;
      *found += is;
    }
    desc.layout.storage = *s;
    if (changed)
      WEFT_TRY(weft_graph_input_reshape(v, &desc, d));
  }
  return WEFT_OK;
}
static bool set_size(weft_graph *g, PyObject *key, PyObject *value) {
  const char *name = PyUnicode_AsUTF8AndSize(key, NULL);
  if (name && PyTuple_Check(value))
    return weft_py_set_range(g, name, value);
  const long long size = PyLong_AsLongLong(value);
  size_t found = 0;
  weft_diag d = {0};
  if (!name || PyErr_Occurred())
    return false;
  const weft_status s = set_dim(g, name, size, &found, &d);
  if (s)
    return sizes_failed(s, &d);
  return found || weft_py_no_dim(g, name);
}
static bool is_name(PyObject *key, const char *what) {
  if (!PyUnicode_Check(key))
    PyErr_Format(PyExc_TypeError, "%s is named by its text, not %R", what, key);
  return PyUnicode_Check(key);
}
bool weft_py_set_sizes(weft_graph *g, PyObject *dims, PyObject *shapes) {
  PyObject *key;
  PyObject *value;
  Py_ssize_t at = 0;
  while (shapes && shapes != Py_None && PyDict_Next(shapes, &at, &key, &value)) {
    if (!is_name(key, "an input") || !set_shape(g, key, value))
      return false;
  }
  at = 0;
  while (dims && dims != Py_None && PyDict_Next(dims, &at, &key, &value)) {
    if (!is_name(key, "a dim") || !set_size(g, key, value))
      return false;
  }
  return true;
}

// ---- the type Graph ----
static PyObject *graph_new(PyTypeObject *type, PyObject *args, PyObject *more) {
  PyObject *env;
  PyObject *path;
  PyObject *data;
  (void)more;
  if (!PyArg_ParseTuple(args, "O!OO", weft_py_env_type, &env, &path, &data))
    return NULL;
  allocfunc make = (allocfunc)PyType_GetSlot(type, Py_tp_alloc);
  graph_object *self = (graph_object *)make(type, 0);
  if (!self)
    return NULL;
  self->env = Py_NewRef(env);
  self->g = weft_py_read((env_object *)env, path, data, &self->data);
  if (!self->g)
    Py_CLEAR(self);
  return (PyObject *)self;
}
static void graph_dealloc(PyObject *o) {
  graph_object *self = (graph_object *)o;
  PyTypeObject *type = Py_TYPE(o);
  weft_graph_destroy(self->g);
  view_release(&self->data);
  Py_XDECREF(self->env);
  freefunc release = (freefunc)PyType_GetSlot(type, Py_tp_free);
  release(o);
  Py_DECREF(type);
}
// NULL, an error is set: a call that has let go of Python's lock works on the graph, in another thread or
// further up in this one.
static weft_graph *graph_of(PyObject *self) {
  weft_diag d = {0};
  if (!((graph_object *)self)->busy)
    return ((graph_object *)self)->g;
  weft_py_raise(weft_fail(&d, WEFT_E_STATE,
                          "the graph is being inferred or simplified, in another thread or by the call that "
                          "called this: a graph is one thread's while it is built"),
                &d);
  return NULL;
}

static PyObject *graph_infer(PyObject *self, PyObject *args) {
  PyObject *dims = NULL;
  PyObject *shapes = NULL;
  weft_infer_summary sum;
  weft_diag d = {0};
  weft_status s;
  weft_graph *g = graph_of(self);
  if (!g || !PyArg_ParseTuple(args, "|OO", &dims, &shapes) || !weft_py_set_sizes(g, dims, shapes))
    return NULL;
  ((graph_object *)self)->busy = true;
  do {
    WEFT_PY_WITHOUT_LOCK(s = weft_graph_infer(g, NULL, &sum, &d));
  } while (weft_py_again(s, &d));
  ((graph_object *)self)->busy = false;
  if (s)
    return weft_py_raise_run(s, &d);
  return Py_BuildValue("{snsnsnsn}", "nodes", (Py_ssize_t)sum.n_nodes, "values", (Py_ssize_t)sum.n_values,
                       "static", (Py_ssize_t)sum.n_static, "unknown_rank", (Py_ssize_t)sum.n_unknown);
}

static PyObject *described(const weft_graph *g, weft_value *v) {
  weft_tensor_desc desc;
  weft_value_desc(v, &desc);
  desc.name = weft_value_name(v);
  return weft_py_describe(&desc, weft_graph_symbols(g));
}
typedef weft_value *(*value_at)(const weft_graph *g, size_t i);
static PyObject *values_list(const weft_graph *g, size_t n, value_at at) {
  PyObject *list = PyList_New(0);
  for (size_t i = 0; list && i < n; i++) {
    PyObject *item = described(g, at(g, i));
    if (!item || PyList_Append(list, item))
      Py_CLEAR(list);
    Py_XDECREF(item);
  }
  return list;
}
static PyObject *graph_inputs(PyObject *self, PyObject *none) {
  (void)none;
  const weft_graph *g = graph_of(self);
  return g ? values_list(g, weft_graph_n_inputs(g), weft_graph_input_at) : NULL;
}
static PyObject *graph_outputs(PyObject *self, PyObject *none) {
  (void)none;
  const weft_graph *g = graph_of(self);
  return g ? values_list(g, weft_graph_n_outputs(g), weft_graph_output_at) : NULL;
}

// (name, type, [inputs], [described outputs], multiply-adds)
static PyObject *node_tuple(const weft_graph *g, const weft_node *n) {
  const weft_op_desc *desc = weft_node_desc(n);
  PyObject *in = PyList_New(0);
  PyObject *out = PyList_New(0);
  bool ok = in && out;
  for (uint32_t i = 0; ok && i < desc->n_in; i++) {
    const weft_value *v = weft_node_in(n, i);
    PyObject *name = PyUnicode_FromString(v ? weft_value_name(v) : "");
    ok = name && !PyList_Append(in, name);
    Py_XDECREF(name);
  }
  for (uint32_t i = 0; ok && weft_node_out(n, i); i++) {
    PyObject *item = described(g, weft_node_out(n, i));
    ok = item && !PyList_Append(out, item);
    Py_XDECREF(item);
  }
  PyObject *tuple = NULL;
  if (ok)
    tuple = Py_BuildValue("(ssOOL)", weft_node_name(n), weft_node_type(n), in, out,
                          (long long)weft_node_flops(n));
  Py_XDECREF(in);
  Py_XDECREF(out);
  return tuple;
}
static PyObject *graph_nodes(PyObject *self, PyObject *none) {
  const weft_graph *g = graph_of(self);
  PyObject *list = g ? PyList_New(0) : NULL;
  (void)none;
  for (const weft_node *n = list ? weft_graph_first(g) : NULL; list && n; n = weft_node_next(n)) {
    PyObject *item = node_tuple(g, n);
    if (!item || PyList_Append(list, item))
      Py_CLEAR(list);
    Py_XDECREF(item);
  }
  return list;
}

static PyObject *graph_why(PyObject *self, PyObject *args) {
  const char *name;
  text_out text = {0};
  const weft_graph *g = graph_of(self);
  if (!g || !PyArg_ParseTuple(args, "s", &name))
    return NULL;
  const weft_value *v = weft_graph_find_value(g, name);
  if (!v)
    return PyErr_Format(weft_py_missing, "the model has no value '%s'", name);
  const weft_status s = weft_value_why(v, weft_py_collect, &text);
  return weft_py_text(&text, s, NULL);
}
// "text", "json", "dot" or "table"
static PyObject *graph_print(PyObject *self, PyObject *args) {
  const char *form;
  text_out text = {0};
  weft_status s = WEFT_E_INVALID;
  const weft_graph *g = graph_of(self);
  if (!g || !PyArg_ParseTuple(args, "s", &form))
    return NULL;
  if (!strcmp(form, "whole"))
    s = weft_graph_print(g, 0, weft_py_collect, &text);
  else if (!strcmp(form, "text"))
    s = weft_graph_print(g, WEFT_TEXT_NO_DATA, weft_py_collect, &text);
  else if (!strcmp(form, "json"))
    s = weft_graph_print_json(g, weft_py_collect, &text);
  else if (!strcmp(form, "dot"))
    s = weft_graph_print_dot(g, weft_py_collect, &text);
  else if (!strcmp(form, "table"))
    s = weft_graph_print_table(g, weft_py_collect, &text);
  else
    return PyErr_Format(PyExc_ValueError, "no form '%s'; there are text, json, dot and table", form);
  return weft_py_text(&text, s, NULL);
}
static PyObject *graph_meta(PyObject *self, PyObject *none) {
  const weft_graph *g = graph_of(self);
  PyObject *dict = g ? PyDict_New() : NULL;
  (void)none;
  for (size_t i = 0; dict && i < weft_graph_n_meta(g); i++) {
    const weft_meta m = weft_graph_meta_at(g, i);
    PyObject *value = PyUnicode_DecodeUTF8(m.value, (Py_ssize_t)strlen(m.value), "replace");
    if (!value || PyDict_SetItemString(dict, m.key, value))
      Py_CLEAR(dict);
    Py_XDECREF(value);
  }
  return dict;
}
static PyObject *graph_name(PyObject *self, PyObject *none) {
  (void)none;
  const weft_graph *g = graph_of(self);
  return g ? PyUnicode_FromString(weft_graph_name(g)) : NULL;
}

// ---- building ----
// create(env, name): an empty graph
static PyObject *graph_create(PyObject *none, PyObject *args) {
  PyObject *env;
  const char *name;
  weft_diag d = {0};
  (void)none;
  if (!PyArg_ParseTuple(args, "O!s", weft_py_env_type, &env, &name))
    return NULL;
  allocfunc make = (allocfunc)PyType_GetSlot(graph_type, Py_tp_alloc);
  graph_object *self = (graph_object *)make(graph_type, 0);
  if (!self)
    return NULL;
  self->env = Py_NewRef(env);
  const weft_status s = weft_graph_create(((env_object *)env)->env, name, &self->g, &d);
  if (!s)
    return (PyObject *)self;
  self->g = NULL;
  Py_DECREF((PyObject *)self);
  return weft_py_raise(s, &d);
}
static PyObject *graph_add_input(PyObject *self, PyObject *args) {
  weft_graph *g = graph_of(self);
  return g ? weft_py_build_input(g, args) : NULL;
}
static PyObject *graph_add_const(PyObject *self, PyObject *args) {
  weft_graph *g = graph_of(self);
  return g ? weft_py_build_const(g, args) : NULL;
}
static PyObject *graph_add_output(PyObject *self, PyObject *name) {
  weft_graph *g = graph_of(self);
  return g ? weft_py_build_output(g, name) : NULL;
}
static PyObject *graph_add_node(PyObject *self, PyObject *args) {
  weft_graph *g = graph_of(self);
  return g ? weft_py_build_node(g, args) : NULL;
}
static PyObject *graph_attrs(PyObject *self, PyObject *args) {
  weft_graph *g = graph_of(self);
  return g ? weft_py_build_attrs(g, args) : NULL;
}
static PyObject *graph_set_attr(PyObject *self, PyObject *args) {
  weft_graph *g = graph_of(self);
  return g ? weft_py_build_set_attr(g, args) : NULL;
}
static PyObject *graph_remove(PyObject *self, PyObject *args) {
  weft_graph *g = graph_of(self);
  return g ? weft_py_build_remove(g, args) : NULL;
}
static PyObject *graph_replace(PyObject *self, PyObject *args) {
  weft_graph *g = graph_of(self);
  return g ? weft_py_build_replace(g, args) : NULL;
}
static PyObject *graph_simplify(PyObject *self, PyObject *none) {
  (void)none;
  weft_graph *g = graph_of(self);
  if (!g)
    return NULL;
  ((graph_object *)self)->busy = true;
  PyObject *done = weft_py_simplify(g);
  ((graph_object *)self)->busy = false;
  return done;
}
static PyObject *graph_bytes(PyObject *self, PyObject *none) {
  (void)none;
  weft_graph *g = graph_of(self);
  return g ? weft_py_build_bytes(g) : NULL;
}
static PyObject *graph_onnx(PyObject *self, PyObject *none) {
  (void)none;
  weft_graph *g = graph_of(self);
  return g ? weft_py_build_onnx(g) : NULL;
}
static PyObject *graph_data(PyObject *self, PyObject *name) {
  weft_graph *g = graph_of(self);
  return g ? weft_py_build_data(g, name) : NULL;
}
static PyObject *graph_consts(PyObject *self, PyObject *none) {
  (void)none;
  const weft_graph *g = graph_of(self);
  return g ? values_list(g, weft_graph_n_consts(g), weft_graph_const_at) : NULL;
}
static PyObject *graph_value(PyObject *self, PyObject *args) {
  const char *name;
  const weft_graph *g = graph_of(self);
  if (!g || !PyArg_ParseTuple(args, "s", &name))
    return NULL;
  weft_value *v = weft_graph_find_value(g, name);
  return v ? described(g, v) : PyErr_Format(weft_py_missing, "the graph has no value '%s'", name);
}
static PyMethodDef graph_methods[] = {{"create", graph_create, METH_VARARGS | METH_STATIC, NULL},
                                      {"add_input", graph_add_input, METH_VARARGS, NULL},
                                      {"add_const", graph_add_const, METH_VARARGS, NULL},
                                      {"add_output", graph_add_output, METH_O, NULL},
                                      {"add_node", graph_add_node, METH_VARARGS, NULL},
                                      {"attrs", graph_attrs, METH_VARARGS, NULL},
                                      {"set_attr", graph_set_attr, METH_VARARGS, NULL},
                                      {"remove", graph_remove, METH_VARARGS, NULL},
                                      {"replace", graph_replace, METH_VARARGS, NULL},
                                      {"simplify", graph_simplify, METH_NOARGS, NULL},
                                      {"to_bytes", graph_bytes, METH_NOARGS, NULL},
                                      {"onnx", graph_onnx, METH_NOARGS, NULL},
                                      {"data", graph_data, METH_O, NULL},
                                      {"consts", graph_consts, METH_NOARGS, NULL},
                                      {"value", graph_value, METH_VARARGS, NULL},
                                      {"infer", graph_infer, METH_VARARGS, NULL},
                                      {"inputs", graph_inputs, METH_NOARGS, NULL},
                                      {"outputs", graph_outputs, METH_NOARGS, NULL},
                                      {"nodes", graph_nodes, METH_NOARGS, NULL},
                                      {"why", graph_why, METH_VARARGS, NULL},
                                      {"print", graph_print, METH_VARARGS, NULL},
                                      {"meta", graph_meta, METH_NOARGS, NULL},
                                      {"name", graph_name, METH_NOARGS, NULL},
                                      {0}};
static PyType_Slot graph_slots[] = {
    {Py_tp_new, graph_new}, {Py_tp_dealloc, graph_dealloc}, {Py_tp_methods, graph_methods}, {0}};
static PyType_Spec graph_spec = {"weft._weft.Graph", sizeof(graph_object), 0, Py_TPFLAGS_DEFAULT,
                                 graph_slots};
bool weft_py_graph_add(PyObject *module) {
  graph_type = (PyTypeObject *)PyType_FromSpec(&graph_spec);
  return graph_type && !PyModule_AddObjectRef(module, "Graph", (PyObject *)graph_type);
}
// SPDX-License-Identifier: Apache-2.0
