// inspect.c - models simplified, and compared with what the interpreter or somebody else finds.
#include <stdlib.h>
#include <string.h>

#include "common.h"

// ---- functions of Python that weft tells what it does ----
// An exception in one ends the call: it waits in `ctx` for whoever made it.
weft_status weft_py_progress_stage(void *ctx, const char *name) {
  weft_py_progress *p = ctx;
  PyGILState_STATE lock = PyGILState_Ensure();
  PyObject *done = PyObject_CallFunction(p->call, "s", name);
  if (!done)
    PyErr_Fetch(&p->type, &p->value, &p->trace);
  Py_XDECREF(done);
  PyGILState_Release(lock);
  return p->type ? WEFT_E_CANCELLED : WEFT_OK;
}
static void progress_line(void *ctx, const char *text) {
  weft_py_progress *p = ctx;
  if (!p->type)
    (void)weft_py_progress_stage(ctx, text);
}
bool weft_py_progress_raised(weft_py_progress *p) {
  if (!p->type)
    return false;
  PyErr_Restore(p->type, p->value, p->trace);
  p->type = NULL;
  return true;
}

// ---- converting ----
// convert(env, data, path or None) -> (simplified ONNX model, nodes before, nodes after)
static PyObject *inspect_convert(PyObject *module, PyObject *args) {
  PyObject *env;
  Py_buffer data;
  const char *path;
  text_out out = {0};
  weft_diag d = {0};
  weft_status s;
  weft_convert_summary sum = {0};
  (void)module;
  if (!PyArg_ParseTuple(args, "O!y*z", weft_py_env_type, &env, &data, &path))
    return NULL;
  const weft_convert_options o = {
      .size = sizeof o, .simplify = true, .annotate = true, .path = path, .summary = &sum};
  weft_env *e = ((env_object *)env)->env;
  do {
    out.n = 0;
    WEFT_PY_WITHOUT_LOCK(s = weft_onnx_convert(e, data.buf, (size_t)data.len, path ? path : "model", &o,
                                               weft_py_collect, &out, &d));
  } while (weft_py_again(s, &d));
  PyBuffer_Release(&data);
  PyObject *bytes = s ? weft_py_raise_run(s, &d) : PyBytes_FromStringAndSize(out.v, (Py_ssize_t)out.n);
  free(out.v);
  return bytes ? Py_BuildValue("(Nnn)", bytes, (Py_ssize_t)sum.nodes_before, (Py_ssize_t)sum.nodes_after)
               : NULL;
}
// kind(data, path or None) -> "onnx", "text", "pytorch", ...
static PyObject *inspect_kind(PyObject *module, PyObject *args) {
  Py_buffer data;
  const char *path;
  (void)module;
  if (!PyArg_ParseTuple(args, "y*z", &data, &path))
    return NULL;
  const char *kind = weft_model_kind(data.buf, (size_t)data.len, path);
  PyBuffer_Release(&data);
  return PyUnicode_FromString(kind);
}
// The passes that need no device, over a graph; (nodes before, nodes after).
PyObject *weft_py_simplify(weft_graph *g) {
  weft_optimize_summary sum = {.size = sizeof sum};
  weft_diag d = {0};
  weft_status s;
  WEFT_PY_WITHOUT_LOCK(s = weft_graph_optimize(g, 1U << WEFT_PASS_SIMPLIFY, NULL, &sum, &d));
  if (s)
    return weft_py_raise_run(s, &d);
  return Py_BuildValue("(nn)", (Py_ssize_t)sum.nodes_before, (Py_ssize_t)sum.nodes_after);
}

// ---- bisecting ----
typedef struct inspect_tensors {
  Py_ssize_t n;
  weft_tensor *v;
  const weft_tensor **at;
  const char **names;
  held_view *views;
} inspect_tensors;
static void tensors_end(inspect_tensors *t) {
  for (Py_ssize_t i = 0; t->v && t->views && i < t->n; i++) {
    weft_tensor_deinit(&t->v[i]);
    if (t->views[i].held)
      PyBuffer_Release(&t->views[i].view);
  }
  free(t->v);
  free(t->at);
  free(t->names);
  free(t->views);
}
// ((name, type, array), ...)
static bool tensors_read(inspect_tensors *t, PyObject *given) {
  const size_t n = (size_t)PyTuple_Size(given);
  t->v = calloc(n + 1, sizeof *t->v);
  t->at = calloc(n + 1, sizeof *t->at);
  t->names = calloc(n + 1, sizeof *t->names);
  t->views = calloc(n + 1, sizeof *t->views);
  if (!t->v || !t->at || !t->names || !t->views)
    return PyErr_NoMemory(), false;
  for (; (size_t)t->n < n; t->n++) {
    const Py_ssize_t i = t->n;
    const char *type;
    PyObject *value;
    weft_tensor_init(&t->v[i], NULL);
    if (!PyArg_ParseTuple(PyTuple_GetItem(given, i), "ssO", &t->names[i], &type, &value))
      return false;
    const weft_tensor_desc want = {
        .name = t->names[i], .dtype = weft_dtype_parse(type, strlen(type)), .kind = WEFT_KIND_TENSOR};
    t->at[i] = &t->v[i];
    if (!weft_py_tensor_take(value, &want, &t->v[i], &t->views[i])) {
      t->n++;
      return false;
    }
  }
  return true;
}

typedef struct inspect_model {
  const env_object *env;
  PyObject *path, *data, *dims, *shapes;
  held_view view;
  PyObject *type, *value, *trace;
} inspect_model;
static weft_status inspect_read(void *ctx, weft_graph **out, weft_diag *d) {
  inspect_model *m = ctx;
  PyGILState_STATE lock = PyGILState_Ensure();
  if (m->view.held)
    PyBuffer_Release(&m->view.view);  // bytes, which the arguments of the call keep alive
  m->view.held = false;
  *out = weft_py_read(m->env, m->path, m->data, &m->view);
  if (*out && !weft_py_set_sizes(*out, m->dims, m->shapes)) {
    weft_graph_destroy(*out);
    *out = NULL;
  }
  if (!*out)
    PyErr_Fetch(&m->type, &m->value, &m->trace);
  PyGILState_Release(lock);
  return *out ? WEFT_OK : weft_fail(d, WEFT_E_INVALID, "the model cannot be read again");
}
static PyObject *inspect_result(const weft_bisect_result *r) {
  return Py_BuildValue("{sOsOsKsssssssssssssssdsdsdsKsKssss}", "differs", r->differs ? Py_True : Py_False,
                       "by_passes", r->by_passes ? Py_True : Py_False, "compared",
                       (unsigned long long)r->compared, "value", r->value, "node", r->node, "operator",
                       r->type, "kernel", r->kernel, "source", r->source, "inputs", r->inputs, "text",
                       r->text, "max_error", r->max_error, "got", r->got, "want", r->want, "change",
                       (unsigned long long)r->change, "changes", (unsigned long long)r->n_changes, "pass",
                       r->pass, "report", r->report);
}
// bisect(env, path, data, dims, shapes, inputs, given, rtol, atol, threads, progress or None) -> dict
static PyObject *inspect_bisect(PyObject *module, PyObject *args) {
  PyObject *env;
  inspect_model m = {0};
  PyObject *inputs;
  PyObject *given;
  double rtol;
  double atol;
  unsigned threads;
  weft_py_progress progress = {0};
  weft_diag d = {0};
  weft_status s = WEFT_OK;
  inspect_tensors in = {0};
  inspect_tensors want = {0};
  weft_bisect_result r = {.size = sizeof r};
  (void)module;
  if (!PyArg_ParseTuple(args, "O!OOOOO!O!ddIO", weft_py_env_type, &env, &m.path, &m.data, &m.dims, &m.shapes,
                        &PyTuple_Type, &inputs, &PyTuple_Type, &given, &rtol, &atol, &threads,
                        &progress.call))
    return NULL;
  m.env = (env_object *)env;
  const bool ok = tensors_read(&in, inputs) && tensors_read(&want, given);
  const weft_bisect_options o = {.size = sizeof o,
                                 .rtol = rtol,
                                 .atol = atol,
                                 .threads = threads,
                                 .progress = progress.call == Py_None ? NULL : progress_line,
                                 .progress_ctx = &progress,
                                 .given_names = want.n ? want.names : NULL,
                                 .given = want.n ? want.at : NULL,
                                 .n_given = (size_t)want.n};
  if (ok)
    WEFT_PY_WITHOUT_LOCK(s = weft_bisect(inspect_read, &m, in.at, (size_t)in.n, &o, &r, &d));
  tensors_end(&in);
  tensors_end(&want);
  if (m.view.held)
    PyBuffer_Release(&m.view.view);
  if (!ok || weft_py_progress_raised(&progress)) {
    Py_XDECREF(m.type);
    return NULL;
  }
  if (m.type) {
    PyErr_Restore(m.type, m.value, m.trace);
    return NULL;
  }
  return s ? weft_py_raise_run(s, &d) : inspect_result(&r);
}
static PyMethodDef inspect_functions[] = {{"convert", inspect_convert, METH_VARARGS, NULL},
                                          {"kind", inspect_kind, METH_VARARGS, NULL},
                                          {"bisect", inspect_bisect, METH_VARARGS, NULL},
                                          {0}};
bool weft_py_inspect_add(PyObject *module) {
  return !PyModule_AddFunctions(module, inspect_functions);
}
// SPDX-License-Identifier: Apache-2.0
