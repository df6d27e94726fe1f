// build.c - graphs built and changed from Python. Values and nodes are spoken of by their names, so that
// nothing that Python holds can point at what a change removed.
#include <stdlib.h>
#include <string.h>

#include "common.h"

typedef struct build_node {
  weft_attr_pool *pool;
  weft_named_attr *attrs;
  size_t n_attrs;
  uint32_t *in_counts, *out_counts;
  weft_value **in;
  size_t n_in;
} build_node;

static weft_value *build_value(const weft_graph *g, PyObject *name) {
  const char *text = PyUnicode_Check(name) ? PyUnicode_AsUTF8AndSize(name, NULL) : NULL;
  weft_value *v = text ? weft_graph_find_value(g, text) : NULL;
  if (!v && !PyErr_Occurred())
    PyErr_Format(weft_py_missing, "the graph has no value %R", name);
  return v;
}
static weft_node *build_find_node(const weft_graph *g, const char *name) {
  weft_node *n = weft_graph_find_node(g, name);
  if (!n)
    PyErr_Format(weft_py_missing, "the graph has no node '%s'", name);
  return n;
}
static PyObject *build_done(weft_status s, const weft_diag *d) {
  if (s)
    return weft_py_raise(s, d);
  Py_RETURN_NONE;
}

// ---- inputs, constants, outputs ----
PyObject *weft_py_build_input(weft_graph *g, PyObject *args) {
  const char *name;
  const char *type;
  PyObject *shape;
  weft_dim dims[WEFT_MAX_RANK];
  size_t rank = WEFT_RANK_UNSET;
  weft_diag d = {0};
  if (!PyArg_ParseTuple(args, "ssO", &name, &type, &shape))
    return NULL;
  if (shape != Py_None && !weft_py_dims(g, shape, dims, &rank))
    return NULL;
  const weft_value *v = weft_graph_input(g, name, weft_dtype_parse(type, strlen(type)), dims, rank, &d);
  return v ? PyUnicode_FromString(weft_value_name(v)) : weft_py_raise(d.status, &d);
}
PyObject *weft_py_build_const(weft_graph *g, PyObject *args) {
  const char *name;
  const char *type;
  PyObject *given;
  held_view view = {.held = false};
  weft_tensor t;
  weft_diag d = {0};
  if (!PyArg_ParseTuple(args, "ssO", &name, &type, &given))
    return NULL;
  const weft_tensor_desc want = {
      .name = name, .dtype = weft_dtype_parse(type, strlen(type)), .kind = WEFT_KIND_TENSOR};
  weft_tensor_init(&t, NULL);
  const bool ok = weft_py_tensor_take(given, &want, &t, &view);
  const weft_value *v = ok ? weft_graph_const(g, name, &t, WEFT_CONST_COPY, &d) : NULL;
  weft_tensor_deinit(&t);
  if (view.held)
    PyBuffer_Release(&view.view);
  if (!v)
    return ok ? weft_py_raise(d.status, &d) : NULL;
  return PyUnicode_FromString(weft_value_name(v));
}
PyObject *weft_py_build_output(weft_graph *g, PyObject *name) {
  weft_diag d = {0};
  weft_value *v = build_value(g, name);
  return v ? build_done(weft_graph_output(g, v, &d), &d) : NULL;
}

// ---- nodes ----
static void build_node_end(build_node *b) {
  weft_attr_pool_destroy(b->pool);
  free(b->attrs);
  free(b->in_counts);
  free(b->out_counts);
  free(b->in);
}
// {"axis": "[1]"}: values as text, read by what the operator declares.
static bool build_attr(build_node *b, const weft_proto *p, PyObject *key, PyObject *value) {
  weft_diag d = {0};
  const char *name = PyUnicode_AsUTF8AndSize(key, NULL);
  const char *text = name ? PyUnicode_AsUTF8AndSize(value, NULL) : NULL;
  if (!text)
    return false;
  const int slot = weft_proto_find_attr(p, name);
  if (slot < 0) {
    PyErr_Format(PyExc_TypeError, "operator '%s' has no attribute '%s'", weft_proto_op(p)->name, name);
    return false;
  }
  weft_named_attr *to = &b->attrs[b->n_attrs++];
  const weft_status s =
      weft_attr_pool_parse(b->pool, weft_proto_attr(p, (uint32_t)slot)->type, text, &to->value, &d);
  to->name = name;
  if (s) {
    weft_note(&d, "attribute '%s' of '%s'", name, weft_proto_op(p)->name);
    weft_py_raise(s, &d);
  }
  return !s;
}
static bool build_attrs(build_node *b, const weft_proto *p, PyObject *attrs) {
  PyObject *key;
  PyObject *value;
  Py_ssize_t at = 0;
  b->attrs = calloc((size_t)PyDict_Size(attrs) + 1, sizeof *b->attrs);
  if (!b->attrs || weft_attr_pool_create(NULL, &b->pool))
    return PyErr_NoMemory(), false;
  while (PyDict_Next(attrs, &at, &key, &value)) {
    if (!build_attr(b, p, key, value))
      return false;
  }
  return true;
}
// One port's values: a name, None, or a list of names.
static bool build_port(build_node *b, const weft_graph *g, uint32_t port, PyObject *given) {
  const Py_ssize_t n = PyList_Check(given) ? PyList_Size(given) : given != Py_None;
  weft_value **in = realloc(b->in, (b->n_in + (size_t)n + 1) * sizeof *in);
  if (!in)
    return PyErr_NoMemory(), false;
  b->in = in;
  b->in_counts[port] = (uint32_t)n;
  for (Py_ssize_t i = 0; i < n; i++) {
    weft_value *v = build_value(g, PyList_Check(given) ? PyList_GetItem(given, i) : given);
    if (!v)
      return false;
    b->in[b->n_in++] = v;
  }
  return true;
}
static bool build_ports(build_node *b, const weft_graph *g, const weft_proto *p, PyObject *inputs,
                        PyObject *outs) {
  const uint32_t n_in = weft_proto_n_in(p);
  const uint32_t n_out = weft_proto_n_out(p);
  if ((size_t)PyTuple_Size(inputs) != n_in || (size_t)PyTuple_Size(outs) != n_out) {
    PyErr_Format(PyExc_TypeError, "operator '%s' has %u inputs and %u outputs", weft_proto_op(p)->name, n_in,
                 n_out);
    return false;
  }
  b->in_counts = calloc(n_in + 1, sizeof *b->in_counts);
  b->out_counts = calloc(n_out + 1, sizeof *b->out_counts);
  if (!b->in_counts || !b->out_counts)
    return PyErr_NoMemory(), false;
  for (uint32_t i = 0; i < n_in; i++) {
    if (!build_port(b, g, i, PyTuple_GetItem(inputs, (Py_ssize_t)i)))
      return false;
  }
  for (uint32_t i = 0; i < n_out; i++) {
    const unsigned long n = PyLong_AsUnsignedLong(PyTuple_GetItem(outs, (Py_ssize_t)i));
    if (PyErr_Occurred())
      return false;
    b->out_counts[i] = n > 65536 ? 65536 : (uint32_t)n;
  }
  return true;
}
static PyObject *build_outputs(const weft_node *n) {
  PyObject *list = PyList_New(0);
  for (uint32_t i = 0; list && weft_node_out(n, i); i++) {
    PyObject *name = PyUnicode_FromString(weft_value_name(weft_node_out(n, i)));
    if (!name || PyList_Append(list, name))
      Py_CLEAR(list);
    Py_XDECREF(name);
  }
  return list;
}
// node(operator, name, (port...), {attribute: text}, (count of each output port...)) -> (its name, [names of
// outputs])
PyObject *weft_py_build_node(weft_graph *g, PyObject *args) {
  const char *type;
  const char *name;
  PyObject *inputs;
  PyObject *attrs;
  PyObject *outs;
  const weft_proto *p;
  weft_node *n;
  build_node b = {0};
  weft_diag d = {0};
  if (!PyArg_ParseTuple(args, "ssO!O!O!", &type, &name, &PyTuple_Type, &inputs, &PyDict_Type, &attrs,
                        &PyTuple_Type, &outs))
    return NULL;
  weft_status s = weft_get(weft_graph_env(g), type, &p, &d);
  if (s)
    return weft_py_raise(s, &d);
  PyObject *names = NULL;
  if (build_attrs(&b, p, attrs) && build_ports(&b, g, p, inputs, outs)) {
    const weft_use use = {.name = name,
                          .attrs = b.attrs,
                          .n_attrs = b.n_attrs,
                          .in_counts = b.in_counts,
                          .out_counts = b.out_counts};
    s = weft_graph_add(g, type, &use, b.in, b.n_in, &n, &d);
    names = s ? weft_py_raise(s, &d) : Py_BuildValue("(sN)", weft_node_name(n), build_outputs(n));
  }
  build_node_end(&b);
  return names;
}

// ---- changing ----
PyObject *weft_py_build_attrs(weft_graph *g, PyObject *args) {
  const char *name;
  if (!PyArg_ParseTuple(args, "s", &name))
    return NULL;
  const weft_node *n = build_find_node(g, name);
  PyObject *dict = n ? PyDict_New() : NULL;
  for (size_t i = 0; dict && i < weft_node_n_attrs(n); i++) {
    const char *key;
    const weft_attr *a = weft_node_attr_at(n, i, &key);
    PyObject *value = weft_py_attr_value(a);
    if (!value)
      PyErr_Clear();  // lists of lists and of tensors: shown by `text`
    else
      PyDict_SetItemString(dict, key, value);
    Py_XDECREF(value);
  }
  return dict;
}
PyObject *weft_py_build_set_attr(weft_graph *g, PyObject *args) {
  const char *name;
  PyObject *attrs;
  build_node b = {0};
  weft_diag d = {0};
  if (!PyArg_ParseTuple(args, "sO!", &name, &PyDict_Type, &attrs))
    return NULL;
  weft_node *n = build_find_node(g, name);
  bool ok = n && build_attrs(&b, weft_node_proto(n), attrs);
  for (size_t i = 0; ok && i < b.n_attrs; i++) {
    const weft_status s = weft_node_set_attr(n, b.attrs[i].name, &b.attrs[i].value, &d);
    ok = !s;
    if (s)
      weft_py_raise(s, &d);
  }
  build_node_end(&b);
  return ok ? Py_NewRef(Py_None) : NULL;
}
// remove(node): E_STATE while its outputs are used
PyObject *weft_py_build_remove(weft_graph *g, PyObject *args) {
  const char *name;
  weft_diag d = {0};
  if (!PyArg_ParseTuple(args, "s", &name))
    return NULL;
  weft_node *n = build_find_node(g, name);
  return n ? build_done(weft_node_remove(n, &d), &d) : NULL;
}
// replace(value, by): all uses and outputs
PyObject *weft_py_build_replace(weft_graph *g, PyObject *args) {
  PyObject *name;
  PyObject *by_name;
  weft_diag d = {0};
  if (!PyArg_ParseTuple(args, "OO", &name, &by_name))
    return NULL;
  weft_value *v = build_value(g, name);
  weft_value *by = v ? build_value(g, by_name) : NULL;
  weft_status s = by ? weft_value_replace(v, by, &d) : WEFT_OK;
  if (by && !s)
    s = weft_graph_sort(g, &d);
  return by ? build_done(s, &d) : NULL;
}
static PyObject *build_written(weft_graph *g,
                               weft_status (*write)(const weft_graph *, weft_write_fn, void *, weft_diag *)) {
  text_out out = {0};
  weft_diag d = {0};
  weft_status s = weft_graph_sort(g, &d);
  if (!s)
    s = write(g, weft_py_collect, &out, &d);
  PyObject *bytes = s ? weft_py_raise(s, &d) : PyBytes_FromStringAndSize(out.v, (Py_ssize_t)out.n);
  free(out.v);
  return bytes;
}
PyObject *weft_py_build_bytes(weft_graph *g) {
  return build_written(g, weft_graph_save);
}
PyObject *weft_py_build_onnx(weft_graph *g) {
  return build_written(g, weft_onnx_write);
}
// A constant, or a value that inference found; None: not known.
PyObject *weft_py_build_data(weft_graph *g, PyObject *name) {
  const weft_value *v = build_value(g, name);
  const weft_tensor *t = v ? weft_value_data(v) : NULL;
  weft_diag d = {0};
  if (!t)
    return v ? Py_NewRef(Py_None) : NULL;
  tensor_object *copy = weft_py_tensor_new();
  const weft_status s = copy ? weft_tensor_copy(&copy->t, t, &d) : WEFT_OK;
  if (!s)
    return copy ? weft_py_tensor_value(copy) : NULL;
  Py_DECREF((PyObject *)copy);
  return weft_py_raise(s, &d);
}
// SPDX-License-Identifier: Apache-2.0
