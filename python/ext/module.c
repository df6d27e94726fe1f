// module.c - the extension weft._weft: errors, environments, the module. The package's Python stands on it.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common.h"

PyObject *weft_py_error;
PyObject *weft_py_missing;
PyTypeObject *weft_py_env_type;

// ---- errors ----
PyObject *weft_py_raise(weft_status s, const weft_diag *d) {
  const char *code = weft_status_name(s);
  char text[WEFT_DIAG_BYTES];
  snprintf(text, sizeof text, "%s", d && *d->text ? d->text : code);
  PyObject *cause = weft_py_operator_raised(text);
  if (cause && !PyErr_GivenExceptionMatches(cause, PyExc_Exception)) {
    PyErr_SetObject((PyObject *)Py_TYPE(cause), cause);  // KeyboardInterrupt, SystemExit
    Py_DECREF(cause);
    return NULL;
  }
  PyObject *words = PyUnicode_DecodeUTF8(text, (Py_ssize_t)strlen(text), "replace");
  PyObject *e = words ? PyObject_CallFunction(weft_py_error, "Os", words, code) : NULL;
  if (e && cause)
    PyException_SetCause(e, Py_NewRef(cause));
  if (e)
    PyErr_SetObject(weft_py_error, e);
  Py_XDECREF(words);
  Py_XDECREF(cause);
  Py_XDECREF(e);
  return NULL;
}
PyObject *weft_py_raise_run(weft_status s, const weft_diag *d) {
  if (PyErr_Occurred() || PyErr_CheckSignals())
    return NULL;
  if (s == WEFT_E_CANCELLED) {  // in the main thread by Ctrl-C alone, which an operator in Python may have
                                // had first
    PyErr_SetNone(PyExc_KeyboardInterrupt);
    return NULL;
  }
  return weft_py_raise(s, d);
}

// ---- environments ----
static void env_log(void *ctx, int level, const char *text) {
  (void)ctx;
  const char *verbose = getenv("WEFT_VERBOSE");
  if (level < WEFT_LOG_WARNING && !(verbose && *verbose && strcmp(verbose, "0")))
    return;
  PyGILState_STATE gil = PyGILState_Ensure();
  PyObject *type;
  PyObject *value;
  PyObject *trace;
  PyErr_Fetch(&type, &value, &trace);
  if (PyErr_WarnEx(PyExc_UserWarning, text, 1))
    PyErr_WriteUnraisable(NULL);  // warnings are errors here: the call goes on
  PyErr_Restore(type, value, trace);
  PyGILState_Release(gil);
}

static PyObject *env_new(PyTypeObject *type, PyObject *args, PyObject *more) {
  static char *names[] = {"threads",   "isa",  "memory_limit", "time_limit", "strict",
                          "operators", "copy", "signature",    NULL};
  unsigned threads = 0;
  const char *isa = NULL;
  unsigned long long memory = 0;
  double seconds = 0;
  int strict = 0;
  int copy = 0;
  PyObject *operators = NULL;
  PyObject *signature = Py_None;
  weft_diag d = {0};
  if (!PyArg_ParseTupleAndKeywords(args, more, "|IzKdpO!pO", names, &threads, &isa, &memory, &seconds,
                                   &strict, &PyTuple_Type, &operators, &copy, &signature))
    return NULL;
  if (signature != Py_None && !PyUnicode_Check(signature))
    return PyErr_Format(PyExc_TypeError, "a signature is named by its text, not %R", signature);
  if (signature != Py_None && !PyUnicode_AsUTF8AndSize(signature, NULL))
    return NULL;
  const weft_limits limits = {.size = sizeof limits,
                              .memory_limit_bytes = memory,
                              .time_limit_ns = (uint64_t)(seconds * 1e9),
                              .cancel = &weft_py_interrupted};
  const weft_env_options o = {.size = sizeof o,
                              .log = env_log,
                              .threads = threads,
                              .isa = isa,
                              .strict_shapes = strict,
                              .files = copy ? WEFT_FILES_COPY : WEFT_FILES_AUTO,
                              .limits = &limits};
  allocfunc make = (allocfunc)PyType_GetSlot(type, Py_tp_alloc);
  env_object *self = (env_object *)make(type, 0);
  if (!self)
    return NULL;
  weft_status s;
  WEFT_PY_WITHOUT_LOCK(s = weft_env_create(&o, &self->env, &d));
  if (s) {
    self->env = NULL;
    weft_py_raise(s, &d);
  } else if (weft_py_operators_register(self->env, operators)) {
    self->operators = Py_XNewRef(operators);
    self->signature = signature == Py_None ? NULL : Py_NewRef(signature);
    return (PyObject *)self;
  }
  Py_DECREF(self);
  return NULL;
}
static void env_dealloc(PyObject *self) {
  PyTypeObject *type = Py_TYPE(self);
  weft_env *env = ((env_object *)self)->env;
  WEFT_PY_WITHOUT_LOCK(weft_env_destroy(env));
  Py_XDECREF(((env_object *)self)->operators);
  Py_XDECREF(((env_object *)self)->signature);
  freefunc release = (freefunc)PyType_GetSlot(type, Py_tp_free);
  release(self);
  Py_DECREF(type);
}

static PyObject *env_operators(PyObject *self, PyObject *none) {
  (void)none;
  weft_env *env = ((env_object *)self)->env;
  PyObject *list = PyList_New(0);
  const size_t n = weft_proto_count(env, false);
  for (size_t i = 0; list && i < n; i++) {
    PyObject *name = PyUnicode_FromString(weft_proto_op(weft_proto_at(env, i, false))->name);
    if (!name || PyList_Append(list, name))
      Py_CLEAR(list);
    Py_XDECREF(name);
  }
  return list;
}
// ((name, kind, types), ...)
static PyObject *proto_ports(const weft_proto *p, uint32_t n,
                             const weft_port *(*at)(const weft_proto *, uint32_t)) {
  PyObject *list = PyList_New(0);
  for (uint32_t i = 0; list && i < n; i++) {
    char types[1024];
    const weft_port *port = at(p, i);
    weft_dtype_set_text(weft_proto_dtypes(p, port), types, sizeof types);
    PyObject *item = Py_BuildValue("(sis)", port->name, (int)port->kind, types);
    if (!item || PyList_Append(list, item))
      Py_CLEAR(list);
    Py_XDECREF(item);
  }
  return list;
}
static PyObject *proto_attrs(const weft_proto *p) {
  PyObject *list = PyList_New(0);
  for (uint32_t i = 0; list && i < weft_proto_n_attr(p); i++) {
    const weft_attr_decl *a = weft_proto_attr(p, i);
    PyObject *item = Py_BuildValue("(sszz)", a->name, a->type, a->dflt, a->check);
    if (!item || PyList_Append(list, item))
      Py_CLEAR(list);
    Py_XDECREF(item);
  }
  return list;
}
// prototype(name) -> (summary, inputs, outputs, attributes, missing)
static PyObject *env_prototype(PyObject *self, PyObject *args) {
  const char *name;
  const weft_proto *p;
  weft_diag d = {0};
  if (!PyArg_ParseTuple(args, "s", &name))
    return NULL;
  const weft_status s = weft_get(((env_object *)self)->env, name, &p, &d);
  if (s)
    return weft_py_raise(s, &d);
  const char *summary = weft_proto_op(p)->summary;
  PyObject *in = proto_ports(p, weft_proto_n_in(p), weft_proto_in);
  PyObject *out = in ? proto_ports(p, weft_proto_n_out(p), weft_proto_out) : NULL;
  PyObject *attrs = out ? proto_attrs(p) : NULL;
  PyObject *tuple =
      attrs ? Py_BuildValue("(sOOOs)", summary ? summary : "", in, out, attrs, weft_proto_missing(p)) : NULL;
  Py_XDECREF(in);
  Py_XDECREF(out);
  Py_XDECREF(attrs);
  return tuple;
}
static void laws_report(void *ctx, const char *text) {
  PyGILState_STATE lock = PyGILState_Ensure();
  PyObject *line = PyUnicode_DecodeUTF8(text, (Py_ssize_t)strlen(text), "replace");
  if (!line || PyList_Append(ctx, line))
    PyErr_Clear();
  Py_XDECREF(line);
  PyGILState_Release(lock);
}
// laws(name) -> (checks, [what was violated])
static PyObject *env_laws(PyObject *self, PyObject *args) {
  const char *name;
  const weft_proto *p;
  weft_diag d = {0};
  weft_laws_result result = {0};
  if (!PyArg_ParseTuple(args, "s", &name))
    return NULL;
  weft_env *env = ((env_object *)self)->env;
  weft_status s = weft_get(env, name, &p, &d);
  PyObject *lines = s ? NULL : PyList_New(0);
  const weft_laws_options o = {.size = sizeof o, .report = laws_report, .report_ctx = lines};
  if (lines)
    WEFT_PY_WITHOUT_LOCK(s = weft_op_laws(env, p, &o, &result, &d));
  PyObject *value = NULL;
  if (s && s != WEFT_E_DIFFERENT)
    weft_py_raise_run(s, &d);
  else if (lines)
    value = Py_BuildValue("(IO)", result.checks, lines);
  Py_XDECREF(lines);
  return value;
}
static PyMethodDef env_methods[] = {{"operators", env_operators, METH_NOARGS, "Names of all operators."},
                                    {"prototype", env_prototype, METH_VARARGS, NULL},
                                    {"laws", env_laws, METH_VARARGS, NULL},
                                    {0}};
static PyType_Slot env_slots[] = {
    {Py_tp_new, env_new}, {Py_tp_dealloc, env_dealloc}, {Py_tp_methods, env_methods}, {0}};
static PyType_Spec env_spec = {"weft._weft.Env", sizeof(env_object), 0, Py_TPFLAGS_DEFAULT, env_slots};
bool weft_py_env_add(PyObject *module) {
  weft_py_env_type = (PyTypeObject *)PyType_FromSpec(&env_spec);
  return weft_py_env_type && !PyModule_AddObjectRef(module, "Env", (PyObject *)weft_py_env_type);
}

// ---- text ----
weft_status weft_py_collect(void *ctx, const char *text, size_t bytes) {
  text_out *t = ctx;
  if (t->n + bytes > t->room) {
    const size_t room = 2 * t->room + bytes + 256;
    char *v = realloc(t->v, room);
    if (!v)
      return WEFT_E_NOMEM;
    t->v = v;
    t->room = room;
  }
  memcpy(t->v + t->n, text, bytes);
  t->n += bytes;
  return WEFT_OK;
}
PyObject *weft_py_text(text_out *t, weft_status s, const weft_diag *d) {
  PyObject *text =
      s ? weft_py_raise(s, d) : PyUnicode_DecodeUTF8(t->v ? t->v : "", (Py_ssize_t)t->n, "replace");
  free(t->v);
  *t = (text_out){0};
  return text;
}

// ---- the module ----
static bool module_add_missing(PyObject *module) {
  PyObject *show = PyObject_GetAttrString(PyExc_Exception, "__str__");
  PyObject *own = show ? Py_BuildValue("{sO}", "__str__", show) : NULL;
  weft_py_missing = own ? PyErr_NewException("weft.Missing", PyExc_KeyError, own) : NULL;
  Py_XDECREF(show);
  Py_XDECREF(own);
  return weft_py_missing && !PyModule_AddObjectRef(module, "Missing", weft_py_missing);
}
static int module_exec(PyObject *module) {
  weft_py_error = PyErr_NewExceptionWithDoc("weft.Error",
                                            "What weft refuses or cannot do: args are the text and the code.",
                                            PyExc_RuntimeError, NULL);
  if (!weft_py_error || PyModule_AddObjectRef(module, "Error", weft_py_error) || !module_add_missing(module))
    return -1;
  if (!weft_py_interrupts_add(module) || !weft_py_env_add(module) || !weft_py_tensor_add(module) ||
      !weft_py_operator_add(module) || !weft_py_inspect_add(module) || !weft_py_graph_add(module) ||
      !weft_py_program_add(module))
    return -1;
  return PyModule_AddStringConstant(module, "version", weft_version());
}
static PyModuleDef_Slot module_slots[] = {{Py_mod_exec, module_exec}, {0}};
extern PyMethodDef weft_py_module_methods[];
static PyModuleDef module_def = {PyModuleDef_HEAD_INIT, .m_name = "weft._weft",
                                 .m_doc = "The C part of weft.", .m_methods = weft_py_module_methods,
                                 .m_slots = module_slots};
__attribute__((visibility("default"))) PyMODINIT_FUNC PyInit__weft(void) {
  return PyModuleDef_Init(&module_def);
}
// SPDX-License-Identifier: Apache-2.0
