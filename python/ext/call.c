// call.c - what a Model is above: an object whose call with inputs by position, of a model with one plain
// output, goes to the program without a line of Python. Everything else is the method `_call`, which also
// finds the words for what was refused here.
#include "program.h"

typedef struct call_object {
  PyObject_HEAD PyObject *program;  // NULL: `_call` does it
} call_object;
static PyObject *call_name;  // "_call"

static void call_dealloc(PyObject *o) {
  PyTypeObject *type = Py_TYPE(o);
  Py_XDECREF(((call_object *)o)->program);
  freefunc release = (freefunc)PyType_GetSlot(type, Py_tp_free);
  release(o);
  Py_DECREF(type);
}
static PyObject *call_slow(PyObject *o, PyObject *args, PyObject *named) {
  PyObject *method = PyObject_GetAttr(o, call_name);
  PyObject *value = method ? PyObject_Call(method, args, named) : NULL;
  Py_XDECREF(method);
  return value;
}
static bool call_refused(void) {
  return PyErr_ExceptionMatches(PyExc_BufferError) || PyErr_ExceptionMatches(PyExc_TypeError) ||
         PyErr_ExceptionMatches(PyExc_ValueError);
}
static PyObject *call_call(PyObject *o, PyObject *args, PyObject *named) {
  PyObject *program = ((call_object *)o)->program;
  if (!program || named)
    return call_slow(o, args, named);
  Py_INCREF(program);  // a thread that compiles anew may put another in its place
  PyObject *value = weft_py_program_run((program_object *)program, args, Py_None, true);
  Py_DECREF(program);
  if (value)
    return value;
  if (!call_refused())
    return NULL;
  PyErr_Clear();
  return call_slow(o, args, named);
}
// _calls(program or None): whose call this is, a program with one output that needs no conversion.
static PyObject *call_calls(PyObject *o, PyObject *program) {
  call_object *self = (call_object *)o;
  PyObject *old = self->program;
  if (program != Py_None && !weft_py_is_program(program))
    return PyErr_Format(PyExc_TypeError, "a program, or None");
  self->program = program == Py_None ? NULL : Py_NewRef(program);
  Py_XDECREF(old);
  Py_RETURN_NONE;
}
static PyMethodDef call_methods[] = {{"_calls", call_calls, METH_O, NULL}, {0}};
static PyType_Slot call_slots[] = {
    {Py_tp_dealloc, call_dealloc}, {Py_tp_call, call_call}, {Py_tp_methods, call_methods}, {0}};
static PyType_Spec call_spec = {"weft._weft.Callable", sizeof(call_object), 0,
                                Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE, call_slots};
bool weft_py_call_add(PyObject *module) {
  PyObject *type = PyType_FromSpec(&call_spec);
  call_name = PyUnicode_InternFromString("_call");
  return type && call_name && !PyModule_AddObjectRef(module, "Callable", type);
}
// SPDX-License-Identifier: Apache-2.0
