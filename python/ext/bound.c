// bound.c - a program with arrays that stay: each run reads and writes the same memory, and looks nothing up.
#include <stdlib.h>
#include <string.h>

#include "program.h"

typedef struct bound_object {
  PyObject_HEAD program_object *program;
  PyObject *given, *places;
  run r;
  bool begun, runs;
  bool lost;  // an array can be written no more
} bound_object;
static PyTypeObject *bound_type;

static void bound_dealloc(PyObject *o) {
  bound_object *self = (bound_object *)o;
  PyTypeObject *type = Py_TYPE(o);
  if (self->begun)
    weft_py_run_end(&self->r);
  Py_XDECREF(self->given);
  Py_XDECREF(self->places);
  Py_XDECREF((PyObject *)self->program);
  freefunc release = (freefunc)PyType_GetSlot(type, Py_tp_free);
  release(o);
  Py_DECREF(type);
}
PyObject *weft_py_bound_make(PyObject *program, PyObject *args) {
  program_object *p = (program_object *)program;
  PyObject *given;
  PyObject *places;
  if (!PyArg_ParseTuple(args, "O!O!", &PyTuple_Type, &given, &PyTuple_Type, &places) ||
      !weft_py_run_counts(p, given, places))
    return NULL;
  for (size_t i = 0; i < p->n_out; i++) {
    if (PyTuple_GetItem(places, (Py_ssize_t)i) == Py_None)
      return PyErr_Format(PyExc_TypeError, "each output is bound to an array");
  }
  allocfunc make = (allocfunc)PyType_GetSlot(bound_type, Py_tp_alloc);
  bound_object *self = (bound_object *)make(bound_type, 0);
  if (!self)
    return NULL;
  self->program = (program_object *)Py_NewRef(program);
  self->given = Py_NewRef(given);
  self->places = Py_NewRef(places);
  self->begun = weft_py_run_begin(&self->r, p->n_in, p->n_out, NULL, 0);
  if (self->begun && weft_py_run_inputs(p, &self->r, given) && weft_py_run_outputs(p, &self->r, places))
    return (PyObject *)self;
  Py_DECREF((PyObject *)self);
  return NULL;
}
// After a run whose outputs have other shapes, which are those of the tensors now: they are over the arrays
// again.
static void bound_place_again(bound_object *self) {
  run *r = &self->r;
  PyObject *type;
  PyObject *value;
  PyObject *trace;
  PyErr_Fetch(&type, &value, &trace);
  for (size_t i = 0; i < r->n_out; i++) {
    held_view *view = &r->views[r->n_in + i];
    if (r->out[i])
      weft_tensor_deinit(&r->placed[i]);
    r->out[i] = NULL;
    if (view->held)
      PyBuffer_Release(&view->view);
    view->held = false;
  }
  self->lost = !weft_py_run_outputs(self->program, r, self->places);
  if (self->lost)
    PyErr_Clear();  // whoever runs again is told
  PyErr_Restore(type, value, trace);
}
// The tensors are this object's: one run at a time.
static PyObject *bound_run(PyObject *o, PyObject *none) {
  bound_object *self = (bound_object *)o;
  run *r = &self->r;
  weft_session *session = self->program->session;
  weft_diag d;
  weft_status s;
  (void)none;
  weft_diag_clear(&d);
  if (self->runs) {
    s = weft_fail(&d, WEFT_E_STATE, "this binding runs in another thread; each thread needs one of its own");
    return weft_py_raise(s, &d);
  }
  if (self->lost) {
    s = weft_fail(&d, WEFT_E_STATE, "an array of this binding cannot be written any more; bind anew");
    return weft_py_raise(s, &d);
  }
  self->runs = true;
  do {
    WEFT_PY_WITHOUT_LOCK(s = weft_session_run(session, 0, r->given, r->n_in, r->out, r->n_out, &d));
  } while (weft_py_again(s, &d));
  self->runs = false;
  if (s)
    return weft_py_raise_run(s, &d);
  if (weft_py_run_fits(self->program, r, self->places))
    Py_RETURN_NONE;
  bound_place_again(self);
  return NULL;
}
static PyMethodDef bound_methods[] = {{"run", bound_run, METH_NOARGS, NULL}, {0}};
static PyType_Slot bound_slots[] = {{Py_tp_dealloc, bound_dealloc}, {Py_tp_methods, bound_methods}, {0}};
static PyType_Spec bound_spec = {"weft._weft.Bound", sizeof(bound_object), 0,
                                 Py_TPFLAGS_DEFAULT | Py_TPFLAGS_DISALLOW_INSTANTIATION, bound_slots};
bool weft_py_bound_add(void) {
  bound_type = (PyTypeObject *)PyType_FromSpec(&bound_spec);
  return bound_type;
}
// SPDX-License-Identifier: Apache-2.0
