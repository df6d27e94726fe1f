// program.c - compiled models: compiling, loading, running from any thread, memory, saving.
#include <stdlib.h>
#include <string.h>

#include "program.h"

static PyTypeObject *program_type;

// ---- making ----
static void program_dealloc(PyObject *o) {
  program_object *self = (program_object *)o;
  PyTypeObject *type = Py_TYPE(o);
  WEFT_PY_WITHOUT_LOCK({
    weft_session_destroy(self->session);
    weft_program_release(self->p);
  });
  if (self->data.held)
    PyBuffer_Release(&self->data.view);
  free(self->in);
  free(self->out);
  Py_XDECREF(self->env);
  freefunc release = (freefunc)PyType_GetSlot(type, Py_tp_free);
  release(o);
  Py_DECREF(type);
}
static program_object *program_make(PyObject *env) {
  allocfunc make = (allocfunc)PyType_GetSlot(program_type, Py_tp_alloc);
  program_object *self = (program_object *)make(program_type, 0);
  if (self)
    self->env = Py_NewRef(env);
  return self;
}
// A session around the program, and what it takes and gives. threads: 1, or 0 for those of the environment.
static PyObject *program_ready(program_object *self, unsigned threads) {
  const weft_exec_options exec = {.size = sizeof exec, .threads = threads, .cancel = &weft_py_interrupted};
  const weft_session_options o = {.size = sizeof o, .exec = &exec};
  weft_diag d = {0};
  weft_env *e = ((env_object *)self->env)->env;
  weft_status s;
  WEFT_PY_WITHOUT_LOCK(s = weft_session_create(e, &o, &self->session, &d));
  if (!s)
    s = weft_session_add(self->session, 0, self->p, &d);
  self->n_in = weft_program_n_inputs(self->p);
  self->n_out = weft_program_n_outputs(self->p);
  self->in = calloc(self->n_in + 1, sizeof *self->in);
  self->out = calloc(self->n_out + 1, sizeof *self->out);
  if (!s && self->in && self->out) {
    for (size_t i = 0; i < self->n_in; i++)
      weft_program_input(self->p, i, &self->in[i]);
    for (size_t i = 0; i < self->n_out; i++)
      weft_program_output(self->p, i, &self->out[i]);
    return (PyObject *)self;
  }
  Py_DECREF((PyObject *)self);
  return s ? weft_py_raise(s, &d) : PyErr_NoMemory();
}

static weft_graph *program_graph(program_object *self, PyObject *path, PyObject *data, PyObject *dims,
                                 PyObject *shapes) {
  if (self->data.held)
    PyBuffer_Release(&self->data.view);  // of a try that was cancelled
  self->data.held = false;
  weft_graph *g = weft_py_read((env_object *)self->env, path, data, &self->data);
  if (!g || weft_py_set_sizes(g, dims, shapes))
    return g;
  weft_graph_destroy(g);
  return NULL;
}
// compile(env, path, data, dims, shapes, options, device, threads, progress or None)
static PyObject *program_compile(PyObject *type, PyObject *args) {
  PyObject *env;
  PyObject *path;
  PyObject *data;
  PyObject *dims;
  PyObject *shapes;
  PyObject *options;
  const char *device;
  const char *texts[64];
  unsigned threads;
  weft_py_progress progress = {0};
  weft_diag d = {0};
  weft_status s;
  (void)type;
  if (!PyArg_ParseTuple(args, "O!OOOOO!zIO", weft_py_env_type, &env, &path, &data, &dims, &shapes,
                        &PyTuple_Type, &options, &device, &threads, &progress.call))
    return NULL;
  const Py_ssize_t n = PyTuple_Size(options);
  if (n > 64)
    return PyErr_Format(PyExc_ValueError, "%zd options of the compiler; 64 are possible", n);
  for (Py_ssize_t i = 0; i < n; i++) {
    texts[i] = PyUnicode_AsUTF8AndSize(PyTuple_GetItem(options, i), NULL);
    if (!texts[i])
      return NULL;
  }
  program_object *self = program_make(env);
  const weft_compile_options o = {.size = sizeof o,
                                  .device = device,
                                  .options = texts,
                                  .n_options = (size_t)n,
                                  .stage = progress.call == Py_None ? NULL : weft_py_progress_stage,
                                  .stage_ctx = &progress};
  do {
    weft_graph *g = self ? program_graph(self, path, data, dims, shapes) : NULL;
    if (!g) {
      Py_XDECREF((PyObject *)self);
      return NULL;
    }
    WEFT_PY_WITHOUT_LOCK(s = weft_compile(g, &o, &self->p, &d));  // the graph is given away
  } while (!progress.type && weft_py_again(s, &d));
  if (!s)
    return program_ready(self, threads);
  self->p = NULL;
  Py_DECREF((PyObject *)self);
  return weft_py_progress_raised(&progress) ? NULL : weft_py_raise_run(s, &d);
}
// load(env, path, data, threads): a compiled program; None: the file is none.
static PyObject *program_load(PyObject *type, PyObject *args) {
  PyObject *env;
  PyObject *path;
  PyObject *data;
  PyObject *bytes = NULL;
  unsigned threads;
  weft_diag d = {0};
  weft_status s;
  (void)type;
  if (!PyArg_ParseTuple(args, "O!OOI", weft_py_env_type, &env, &path, &data, &threads))
    return NULL;
  program_object *self = program_make(env);
  if (!self)
    return NULL;
  if (path != Py_None ? !PyUnicode_FSConverter(path, &bytes)
                      : PyObject_GetBuffer(data, &self->data.view, PyBUF_SIMPLE)) {
    Py_DECREF((PyObject *)self);
    return NULL;
  }
  self->data.held = path == Py_None;
  const char *name = bytes ? PyBytes_AsString(bytes) : NULL;
  weft_env *e = ((env_object *)env)->env;
  const void *memory = name ? NULL : self->data.view.buf;
  const size_t size = name ? 0 : (size_t)self->data.view.len;
  do {
    WEFT_PY_WITHOUT_LOCK(s = name ? weft_program_load(e, name, &self->p, &d)
                                  : weft_program_load_memory(e, memory, size, &self->p, &d));
  } while (weft_py_again(s, &d));
  Py_XDECREF(bytes);
  if (!s)
    return program_ready(self, threads);
  self->p = NULL;
  Py_DECREF((PyObject *)self);
  if (s == WEFT_E_SYNTAX)
    Py_RETURN_NONE;
  return weft_py_raise_run(s, &d);
}

// ---- running ----
enum { FEW = 8 };  // inputs and outputs without an allocation
bool weft_py_run_begin(run *r, size_t n_in, size_t n_out, void *few, size_t few_bytes) {
  const size_t each = sizeof(weft_tensor) + sizeof(held_view) + 2 * sizeof(void *);
  const size_t bytes = (n_in + n_out + 1) * each;
  r->n_in = n_in;
  r->n_out = n_out;
  r->memory = bytes <= few_bytes ? NULL : malloc(bytes);
  char *at = r->memory ? r->memory : few;
  if (bytes > few_bytes && !r->memory)
    return PyErr_NoMemory(), false;
  r->in = (void *)at;
  r->placed = r->in + n_in;
  at += (n_in + n_out) * sizeof *r->in;
  r->views = (void *)at;
  at += (n_in + n_out) * sizeof *r->views;
  r->given = (void *)at;
  at += n_in * sizeof *r->given;
  r->out = (void *)at;
  at += n_out * sizeof *r->out;
  r->made = (void *)at;
  for (size_t i = 0; i < n_in; i++)
    weft_tensor_init(&r->in[i], NULL);
  for (size_t i = 0; i < n_in + n_out; i++)
    r->views[i].held = false;
  for (size_t i = 0; i < n_in; i++)
    r->given[i] = &r->in[i];
  for (size_t i = 0; i < n_out; i++) {
    r->made[i] = NULL;
    r->out[i] = NULL;
  }
  return true;
}
void weft_py_run_end(run *r) {
  for (size_t i = 0; i < r->n_in; i++)
    weft_tensor_deinit(&r->in[i]);
  for (size_t i = 0; i < r->n_in + r->n_out; i++) {
    if (r->views[i].held)
      PyBuffer_Release(&r->views[i].view);
  }
  for (size_t i = 0; i < r->n_out; i++) {
    if (r->out[i] == &r->placed[i])
      weft_tensor_deinit(&r->placed[i]);
  }
  for (size_t i = 0; i < r->n_out; i++)
    Py_XDECREF((PyObject *)r->made[i]);
  free(r->memory);
}
bool weft_py_run_outputs(const program_object *self, run *r, PyObject *places) {
  for (size_t i = 0; i < r->n_out; i++) {
    PyObject *place = places == Py_None ? Py_None : PyTuple_GetItem(places, (Py_ssize_t)i);
    const char *name = self->out[i].name ? self->out[i].name : "";
    if (!place)
      return false;
    if (place != Py_None) {
      weft_tensor_init(&r->placed[i], NULL);
      r->out[i] = &r->placed[i];
      if (!weft_py_tensor_place(place, self->out[i].dtype, name, &r->placed[i], &r->views[r->n_in + i]))
        return false;
      continue;
    }
    r->made[i] = weft_py_tensor_new();
    if (!r->made[i])
      return false;
    r->out[i] = &r->made[i]->t;
  }
  return true;
}
static PyObject *run_value(run *r, PyObject *places, size_t i) {
  tensor_object *made = r->made[i];
  r->made[i] = NULL;
  return made ? weft_py_tensor_value(made) : Py_NewRef(PyTuple_GetItem(places, (Py_ssize_t)i));
}
static PyObject *run_values(run *r, PyObject *places) {
  PyObject *tuple = PyTuple_New((Py_ssize_t)r->n_out);
  for (size_t i = 0; tuple && i < r->n_out; i++) {
    PyObject *value = run_value(r, places, i);
    if (!value)
      Py_CLEAR(tuple);
    else
      PyTuple_SetItem(tuple, (Py_ssize_t)i, value);
  }
  return tuple;
}
// An array that the caller gave for an output has that output's shape: a larger one would be filled in part.
bool weft_py_run_fits(const program_object *self, const run *r, PyObject *places) {
  for (size_t i = 0; i < r->n_out; i++) {
    const weft_shape *s = &r->placed[i].layout.origin;
    const Py_buffer *v = &r->views[r->n_in + i].view;
    if (r->made[i])
      continue;
    bool same = (size_t)v->ndim == s->rank;
    for (size_t k = 0; same && k < s->rank; k++)
      same = v->shape[k] == s->dim[k];
    if (same)
      continue;
    PyObject *shape = weft_py_shape(s);
    PyObject *given = PyObject_GetAttrString(PyTuple_GetItem(places, (Py_ssize_t)i), "shape");
    if (shape && given) {
      PyErr_Format(PyExc_ValueError, "output '%s' has the shape %R, the array given for it %R",
                   self->out[i].name ? self->out[i].name : "", shape, given);
    }
    Py_XDECREF(shape);
    Py_XDECREF(given);
    return false;
  }
  return true;
}
bool weft_py_run_inputs(const program_object *self, run *r, PyObject *given) {
  for (size_t i = 0; i < r->n_in; i++) {
    PyObject *value = PyTuple_GetItem(given, (Py_ssize_t)i);
    if (!value || !weft_py_tensor_take(value, &self->in[i], &r->in[i], &r->views[i]))
      return false;
  }
  return true;
}
static PyObject *run_all(program_object *self, run *r, PyObject *given, PyObject *places, bool alone) {
  weft_diag d;
  weft_status s;
  if (!weft_py_run_inputs(self, r, given) || !weft_py_run_outputs(self, r, places))
    return NULL;
  weft_diag_clear(&d);
  do {
    WEFT_PY_WITHOUT_LOCK(s = weft_session_run(self->session, 0, r->given, r->n_in, r->out, r->n_out, &d));
  } while (weft_py_again(s, &d));
  if (s)
    return weft_py_raise_run(s, &d);
  if (!weft_py_run_fits(self, r, places))
    return NULL;
  return alone ? run_value(r, places, 0) : run_values(r, places);
}
// Are there as many inputs and places as the program has?
bool weft_py_run_counts(const program_object *self, PyObject *given, PyObject *places) {
  if ((size_t)PyTuple_Size(given) != self->n_in) {
    PyErr_Format(PyExc_TypeError, "the model takes %zu inputs, %zd are given", self->n_in,
                 PyTuple_Size(given));
    return false;
  }
  if (places != Py_None && (size_t)PyTuple_Size(places) != self->n_out) {
    PyErr_Format(PyExc_TypeError, "the model gives %zu outputs, %zd places are given", self->n_out,
                 PyTuple_Size(places));
    return false;
  }
  return true;
}
bool weft_py_is_program(PyObject *o) {
  return Py_TYPE(o) == program_type;
}
PyObject *weft_py_program_run(program_object *self, PyObject *given, PyObject *places, bool alone) {
  run r;
  // room for a few tensors on the stack
  _Alignas(64) char few[(FEW + 1) * (sizeof(weft_tensor) + sizeof(held_view) + 2 * sizeof(void *))];
  if (!weft_py_run_counts(self, given, places))
    return NULL;
  if (!weft_py_run_begin(&r, self->n_in, self->n_out, few, sizeof few))
    return NULL;
  PyObject *values = run_all(self, &r, given, places, alone && self->n_out == 1);
  weft_py_run_end(&r);
  return values;
}
// run((inputs...), (places...) or None) -> (outputs...)
static PyObject *program_run(PyObject *o, PyObject *const *args, Py_ssize_t n_args) {
  if (n_args != 2 || !PyTuple_Check(args[0]) || (args[1] != Py_None && !PyTuple_Check(args[1])))
    return PyErr_Format(PyExc_TypeError, "run takes a tuple of inputs and a tuple of places or None");
  return weft_py_program_run((program_object *)o, args[0], args[1], false);
}

// ---- what it is ----
static PyObject *ports(const program_object *self, const weft_tensor_desc *v, size_t n) {
  PyObject *list = PyList_New(0);
  for (size_t i = 0; list && i < n; i++) {
    PyObject *item = weft_py_describe(&v[i], weft_program_symbols(self->p));
    if (!item || PyList_Append(list, item))
      Py_CLEAR(list);
    Py_XDECREF(item);
  }
  return list;
}
static PyObject *program_inputs(PyObject *o, PyObject *none) {
  (void)none;
  program_object *self = (program_object *)o;
  return ports(self, self->in, self->n_in);
}
static PyObject *program_outputs(PyObject *o, PyObject *none) {
  (void)none;
  program_object *self = (program_object *)o;
  return ports(self, self->out, self->n_out);
}
static PyObject *plan_dict(const weft_memory_plan *m) {
  return Py_BuildValue("{sKsKsKsKsKsIsOsz}", "intermediate", (unsigned long long)m->arena_bytes, "constants",
                       (unsigned long long)m->constant_bytes, "inputs", (unsigned long long)m->input_bytes,
                       "outputs", (unsigned long long)m->output_bytes, "open",
                       (unsigned long long)m->open_bytes, "launches", m->n_launches, "whole",
                       m->whole ? Py_True : Py_False, "open_value", m->open_value);
}
// Descriptions of the inputs with shapes ((dims, ...), ...), to be freed; NULL and no error for None. False:
// an error.
static bool shapes_of(const program_object *self, PyObject *shapes, weft_tensor_desc **out) {
  *out = NULL;
  if (shapes == Py_None)
    return true;
  if (!PyTuple_Check(shapes) || (size_t)PyTuple_Size(shapes) != self->n_in) {
    PyErr_Format(PyExc_TypeError, "a shape for each of %zu inputs is needed", self->n_in);
    return false;
  }
  weft_tensor_desc *in = calloc(self->n_in + 1, sizeof *in);
  if (!in)
    return PyErr_NoMemory(), false;
  for (size_t i = 0; i < self->n_in && !PyErr_Occurred(); i++) {
    PyObject *tuple = PyTuple_GetItem(shapes, (Py_ssize_t)i);
    weft_dim dims[WEFT_MAX_RANK];
    const Py_ssize_t rank = PyTuple_Check(tuple) ? PyTuple_Size(tuple) : -1;
    in[i] = self->in[i];
    for (Py_ssize_t k = 0; k < rank && k < WEFT_MAX_RANK; k++)
      dims[k] = PyLong_AsLongLong(PyTuple_GetItem(tuple, k));
    const bool fits = rank >= 0 && rank <= WEFT_MAX_RANK && !PyErr_Occurred();
    if (!fits || weft_desc_set(&in[i], in[i].dtype, in[i].format, dims, (size_t)rank))
      PyErr_Format(PyExc_ValueError, "input '%s' has no such shape",
                   self->in[i].name ? self->in[i].name : "");
  }
  if (!PyErr_Occurred()) {
    *out = in;
    return true;
  }
  free(in);
  return false;
}
typedef enum plan_form { PLAN_BYTES, PLAN_LAUNCHES, PLAN_PEAK } plan_form;
static weft_status plan_make(const program_object *self, const weft_tensor_desc *in, plan_form form,
                             weft_memory_plan *m, text_out *text, weft_diag *d) {
  weft_exec *x;
  WEFT_TRY(weft_exec_create(self->p, NULL, &x, d));
  weft_status s = in ? weft_exec_prepare(x, in, self->n_in, m, d) : weft_exec_prepare_largest(x, m, d);
  if (!s && form == PLAN_LAUNCHES)
    s = weft_exec_print_plan(x, weft_py_collect, text, d);
  if (!s && form == PLAN_PEAK)
    s = weft_exec_print_peak(x, weft_py_collect, text, d);
  weft_exec_destroy(x);
  return s;
}
// plan(shapes or None, form): what a run with inputs of these shapes needs, or with the largest: 0 bytes, as
// a dict; 1 its launches, 2 what lies in memory at its peak, as text.
static PyObject *program_plan(PyObject *o, PyObject *args) {
  const program_object *self = (program_object *)o;
  PyObject *shapes;
  int form;
  weft_tensor_desc *in;
  weft_memory_plan m = {.size = sizeof m};
  weft_diag d = {0};
  text_out text = {0};
  weft_status s;
  if (!PyArg_ParseTuple(args, "Oi", &shapes, &form) || !shapes_of(self, shapes, &in))
    return NULL;
  do {
    text.n = 0;
    WEFT_PY_WITHOUT_LOCK(s = plan_make(self, in, (plan_form)form, &m, &text, &d));
  } while (weft_py_again(s, &d));
  free(in);
  if (form != PLAN_BYTES)
    return weft_py_text(&text, s, &d);
  return s ? weft_py_raise_run(s, &d) : plan_dict(&m);
}
static PyObject *program_save(PyObject *o, PyObject *args) {
  program_object *self = (program_object *)o;
  PyObject *path;
  int packed;
  weft_diag d = {0};
  weft_status s;
  if (!PyArg_ParseTuple(args, "O&p", PyUnicode_FSConverter, &path, &packed))
    return NULL;
  if (packed)
    weft_program_keep_packed(self->p, true);
  const char *name = PyBytes_AsString(path);
  do {
    WEFT_PY_WITHOUT_LOCK(s = weft_program_save_file(self->p, name, &d));
  } while (weft_py_again(s, &d));
  Py_DECREF(path);
  if (s)
    return weft_py_raise_run(s, &d);
  Py_RETURN_NONE;
}
static PyObject *program_bytes(PyObject *o, PyObject *none) {
  text_out out = {0};
  weft_diag d = {0};
  (void)none;
  const weft_status s = weft_program_save(((program_object *)o)->p, weft_py_collect, &out, &d);
  PyObject *bytes = s ? weft_py_raise(s, &d) : PyBytes_FromStringAndSize(out.v, (Py_ssize_t)out.n);
  free(out.v);
  return bytes;
}
// profile((inputs...)): ([(node, type, kernel, begin, end, bytes, multiply-adds), ...], trace as JSON) of one
// run, after one to warm up.
static PyObject *profile_list(const weft_exec *x) {
  const weft_launch_record *v;
  const size_t n = weft_exec_profile(x, &v);
  PyObject *list = PyList_New(0);
  for (size_t i = 0; list && i < n; i++) {
    PyObject *item = Py_BuildValue("(sssKKKL)", v[i].source ? v[i].source : v[i].node, v[i].type, v[i].kernel,
                                   (unsigned long long)v[i].begin_ns, (unsigned long long)v[i].end_ns,
                                   (unsigned long long)v[i].bytes, (long long)v[i].flops);
    if (!item || PyList_Append(list, item))
      Py_CLEAR(list);
    Py_XDECREF(item);
  }
  return list;
}
static PyObject *profile_trace(const weft_exec *x) {
  text_out text = {0};
  weft_diag d = {0};
  const weft_status s = weft_exec_write_trace(x, weft_py_collect, &text);
  return weft_py_text(&text, s, &d);
}
static PyObject *profile_run(program_object *self, run *r, PyObject *given) {
  const weft_exec_options o = {.size = sizeof o, .profile = true, .cancel = &weft_py_interrupted};
  weft_exec *x = NULL;
  weft_diag d = {0};
  if (!weft_py_run_inputs(self, r, given) || !weft_py_run_outputs(self, r, Py_None))
    return NULL;
  weft_status s = weft_exec_create(self->p, &o, &x, &d);
  for (int k = 0; !s && k < 2; k++) {
    do {
      WEFT_PY_WITHOUT_LOCK(s = weft_exec_run(x, r->given, r->n_in, r->out, r->n_out, &d));
    } while (weft_py_again(s, &d));
  }
  PyObject *list = s ? weft_py_raise_run(s, &d) : profile_list(x);
  PyObject *trace = list ? profile_trace(x) : NULL;
  PyObject *both = trace ? Py_BuildValue("(OO)", list, trace) : NULL;
  Py_XDECREF(list);
  Py_XDECREF(trace);
  weft_exec_destroy(x);
  return both;
}
static PyObject *program_profile(PyObject *o, PyObject *args) {
  program_object *self = (program_object *)o;
  PyObject *given;
  run r;
  if (!PyArg_ParseTuple(args, "O!", &PyTuple_Type, &given) || (size_t)PyTuple_Size(given) != self->n_in)
    return PyErr_Occurred() ? NULL : PyErr_Format(PyExc_TypeError, "the model takes %zu inputs", self->n_in);
  if (!weft_py_run_begin(&r, self->n_in, self->n_out, NULL, 0))
    return NULL;
  PyObject *list = profile_run(self, &r, given);
  weft_py_run_end(&r);
  return list;
}
static PyObject *program_describe(PyObject *o, PyObject *none) {
  (void)none;
  const program_object *self = (program_object *)o;
  return Py_BuildValue("(ss)", weft_program_name(self->p), weft_program_target(self->p));
}
static PyMethodDef program_methods[] = {
    {"compile", program_compile, METH_VARARGS | METH_STATIC, NULL},
    {"load", program_load, METH_VARARGS | METH_STATIC, NULL},
    {"run", (PyCFunction)(void (*)(void))program_run, METH_FASTCALL, NULL},
    {"bind", weft_py_bound_make, METH_VARARGS, NULL},
    {"inputs", program_inputs, METH_NOARGS, NULL},
    {"outputs", program_outputs, METH_NOARGS, NULL},
    {"plan", program_plan, METH_VARARGS, NULL},
    {"profile", program_profile, METH_VARARGS, NULL},
    {"save", program_save, METH_VARARGS, NULL},
    {"to_bytes", program_bytes, METH_NOARGS, NULL},
    {"describe", program_describe, METH_NOARGS, NULL},
    {"states", weft_py_states, METH_NOARGS, NULL},
    {"state_read", weft_py_state_read, METH_VARARGS, NULL},
    {"state_write", weft_py_state_write, METH_VARARGS, NULL},
    {"state_reset", weft_py_state_reset, METH_VARARGS, NULL},
    {"state_file", weft_py_state_file, METH_VARARGS, NULL},
    {0}};
static PyType_Slot program_slots[] = {
    {Py_tp_dealloc, program_dealloc}, {Py_tp_methods, program_methods}, {0}};
static PyType_Spec program_spec = {"weft._weft.Program", sizeof(program_object), 0,
                                   Py_TPFLAGS_DEFAULT | Py_TPFLAGS_DISALLOW_INSTANTIATION, program_slots};
bool weft_py_program_add(PyObject *module) {
  program_type = (PyTypeObject *)PyType_FromSpec(&program_spec);
  return program_type && weft_py_bound_add() && weft_py_call_add(module) &&
         !PyModule_AddObjectRef(module, "Program", (PyObject *)program_type);
}
// SPDX-License-Identifier: Apache-2.0
