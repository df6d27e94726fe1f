// state.c - what a program keeps from run to run (weft/state.h): described, read, written, from and to files.
#include "program.h"

static weft_states *states_of(PyObject *o) {
  return weft_session_states(((program_object *)o)->session);
}

static PyObject *state_done(weft_status s, const weft_diag *d) {
  if (s)
    return weft_py_raise_run(s, d);
  Py_RETURN_NONE;
}

// states() -> [(name, type, shape, least, greatest), ...]
PyObject *weft_py_states(PyObject *o, PyObject *none) {
  (void)none;
  const weft_symbols *symbols = weft_program_symbols(((program_object *)o)->p);
  weft_tensor_desc desc = {.size = sizeof desc};
  PyObject *list = PyList_New(0);
  for (size_t i = 0; list && weft_states_at(states_of(o), i, &desc); i++) {
    PyObject *item = weft_py_describe(&desc, symbols);
    if (!item || PyList_Append(list, item))
      Py_CLEAR(list);
    Py_XDECREF(item);
  }
  return list;
}

// state_read(name): its value, a copy
PyObject *weft_py_state_read(PyObject *o, PyObject *args) {
  const char *name;
  weft_diag d = {0};
  weft_status s;
  if (!PyArg_ParseTuple(args, "s", &name))
    return NULL;
  tensor_object *t = weft_py_tensor_new();
  if (!t)
    return NULL;
  WEFT_PY_WITHOUT_LOCK(s = weft_states_read(states_of(o), name, &t->t, &d));
  if (!s)
    return weft_py_tensor_value(t);
  Py_DECREF((PyObject *)t);
  return weft_py_raise_run(s, &d);
}

static bool state_describe(PyObject *o, const char *name, weft_tensor_desc *desc) {
  for (size_t i = 0; weft_states_at(states_of(o), i, desc); i++) {
    if (!strcmp(desc->name, name))
      return true;
  }
  PyErr_Format(PyExc_KeyError, "%s", name);
  return false;
}

// state_write(name, array of its type)
PyObject *weft_py_state_write(PyObject *o, PyObject *args) {
  const char *name;
  PyObject *value;
  weft_tensor_desc desc = {.size = sizeof desc};
  weft_tensor t;
  held_view view = {.held = false};
  weft_diag d = {0};
  weft_status s;
  if (!PyArg_ParseTuple(args, "sO", &name, &value) || !state_describe(o, name, &desc))
    return NULL;
  weft_tensor_init(&t, NULL);
  if (!weft_py_tensor_take(value, &desc, &t, &view)) {
    weft_tensor_deinit(&t);
    return NULL;
  }
  WEFT_PY_WITHOUT_LOCK(s = weft_states_write(states_of(o), name, &t, &d));
  weft_tensor_deinit(&t);
  if (view.held)
    PyBuffer_Release(&view.view);
  return state_done(s, &d);
}

// state_reset(name or None)
PyObject *weft_py_state_reset(PyObject *o, PyObject *args) {
  const char *name;
  weft_diag d = {0};
  weft_status s;
  if (!PyArg_ParseTuple(args, "z", &name))
    return NULL;
  WEFT_PY_WITHOUT_LOCK(s = weft_states_reset(states_of(o), name, &d));
  return state_done(s, &d);
}

// state_file(path, save): writes or reads a .safetensors file
PyObject *weft_py_state_file(PyObject *o, PyObject *args) {
  PyObject *path;
  int save;
  weft_diag d = {0};
  weft_status s;
  if (!PyArg_ParseTuple(args, "O&p", PyUnicode_FSConverter, &path, &save))
    return NULL;
  const char *name = PyBytes_AsString(path);
  WEFT_PY_WITHOUT_LOCK(s = save ? weft_states_save(states_of(o), name, &d)
                                : weft_states_load(states_of(o), name, &d));
  Py_DECREF(path);
  return state_done(s, &d);
}
// SPDX-License-Identifier: Apache-2.0
