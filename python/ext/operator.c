// operator.c - operators written in Python: a weft_op whose functions call Python's. Any thread of weft may
// call them: each takes Python's lock for the time of the call. What compute gets are copies, which it may
// keep; what it gives is checked against what inference said, and copied out.
#include <stdlib.h>
#include <string.h>

#include "common.h"

typedef struct operator_object {
  PyObject_HEAD weft_op op;
  PyObject *texts;  // the tuples that hold all strings of the descriptor
  PyObject *infer, *compute, *bound;
  weft_port *in, *out;
  weft_attr_decl *attrs;
  const char **examples;
} operator_object;
static PyTypeObject *operator_type;

// ---- exceptions ----
// One that a function of an operator raised waits here, under the number that the diagnosis names, until the
// call that made weft run it comes back. Those that nobody asks for - a pass tried the operator and went on
// without - make room for later ones.
enum { OPERATOR_WAITING = 32 };
static PyObject *operator_raised;  // {number: exception}
static long operator_number;
#define OPERATOR_MARK "exception #"

static void raised_keep(long number, PyObject *exception) {
  PyObject *key = PyLong_FromLong(number);
  PyObject *old = PyLong_FromLong(number - OPERATOR_WAITING);
  if (key && exception)
    PyDict_SetItem(operator_raised, key, exception);
  if (old && PyDict_Contains(operator_raised, old) == 1)
    PyDict_DelItem(operator_raised, old);
  Py_XDECREF(key);
  Py_XDECREF(old);
  PyErr_Clear();
}
// The exception that is set becomes the failure of a call.
static weft_status operator_failed(const struct weft_host *host, weft_diag *d) {
  PyObject *type;
  PyObject *value;
  PyObject *trace;
  PyErr_Fetch(&type, &value, &trace);
  PyErr_NormalizeException(&type, &value, &trace);
  if (value && trace)
    PyException_SetTraceback(value, trace);
  const long number = ++operator_number;
  raised_keep(number, value);
  PyObject *name = type ? PyObject_GetAttrString(type, "__name__") : NULL;
  PyObject *text = name && value ? PyUnicode_FromFormat("%S: %S", name, value) : NULL;
  const char *words = text ? PyUnicode_AsUTF8AndSize(text, NULL) : NULL;
  // What weft refused on the way (memory, a limit) is the cause, and stays it.
  const weft_status why = d && d->status ? d->status : WEFT_E_KERNEL;
  const weft_status s =
      host->fail(d, why, OPERATOR_MARK "%ld: %s", number, words ? words : "an exception without words");
  PyErr_Clear();
  Py_XDECREF(name);
  Py_XDECREF(text);
  Py_XDECREF(type);
  Py_XDECREF(value);
  Py_XDECREF(trace);
  return s;
}
PyObject *weft_py_operator_raised(char *text) {
  char *mark = strstr(text, OPERATOR_MARK);
  char *end = NULL;
  const long number = mark ? strtol(mark + strlen(OPERATOR_MARK), &end, 10) : 0;
  if (!mark || strncmp(end, ": ", 2))
    return NULL;
  memmove(mark, end + 2, strlen(end + 2) + 1);
  PyObject *key = PyLong_FromLong(number);
  PyObject *exception = key ? PyDict_GetItemWithError(operator_raised, key) : NULL;
  Py_XINCREF(exception);
  if (exception)
    PyDict_DelItem(operator_raised, key);
  Py_XDECREF(key);
  return exception;
}

// ---- attributes ----
static PyObject *attr_item(const weft_attr *a, size_t i) {
  switch (a->type) {
    case WEFT_VT_LIST_INT:
      return PyLong_FromLongLong(a->u.ints[i]);
    case WEFT_VT_LIST_TYPE:
      return PyUnicode_FromString(weft_dtype_name((weft_dtype)a->u.ints[i]));
    case WEFT_VT_LIST_FLOAT:
      return PyFloat_FromDouble(a->u.floats[i]);
    case WEFT_VT_LIST_BOOL:
      return PyBool_FromLong(a->u.bools[i]);
    case WEFT_VT_LIST_STRING:
      return PyUnicode_DecodeUTF8(a->u.strs[i].text, (Py_ssize_t)a->u.strs[i].bytes, "surrogateescape");
    default:
      return PyErr_Format(PyExc_TypeError, "attributes of type %s", weft_attr_type_name(a->type));
  }
}
static PyObject *attr_list(const weft_attr *a) {
  PyObject *list = PyList_New(0);
  for (size_t i = 0; list && i < a->n; i++) {
    PyObject *item = attr_item(a, i);
    if (!item || PyList_Append(list, item))
      Py_CLEAR(list);
    Py_XDECREF(item);
  }
  return list;
}
static PyObject *operator_tensor(const weft_tensor *t) {
  tensor_object *copy = weft_py_tensor_new();
  weft_diag d = {0};
  const weft_status s = copy ? weft_tensor_copy(&copy->t, t, &d) : WEFT_OK;
  if (!s)
    return copy ? weft_py_tensor_value(copy) : NULL;
  Py_DECREF((PyObject *)copy);
  return weft_py_raise(s, &d);
}
PyObject *weft_py_attr_value(const weft_attr *a) {
  switch (a->type) {
    case WEFT_VT_INT:
      return PyLong_FromLongLong(a->u.i);
    case WEFT_VT_FLOAT:
      return PyFloat_FromDouble(a->u.f);
    case WEFT_VT_BOOL:
      return PyBool_FromLong(a->u.b);
    case WEFT_VT_TYPE:
      return PyUnicode_FromString(weft_dtype_name((weft_dtype)a->u.i));
    case WEFT_VT_STRING:
      return PyUnicode_DecodeUTF8(a->u.s, (Py_ssize_t)a->n, "surrogateescape");
    case WEFT_VT_BYTES:
      return PyBytes_FromStringAndSize(a->u.s, (Py_ssize_t)a->n);
    case WEFT_VT_TENSOR:
      return a->u.tensor ? operator_tensor(a->u.tensor) : Py_NewRef(Py_None);
    default:
      return attr_list(a);
  }
}
static PyObject *attrs_dict(const operator_object *self, const weft_op_desc *n) {
  PyObject *dict = PyDict_New();
  for (uint32_t i = 0; dict && i < n->n_attr; i++) {
    PyObject *value = n->attr[i] ? weft_py_attr_value(n->attr[i]) : Py_NewRef(Py_None);
    if (!value || PyDict_SetItemString(dict, self->attrs[i].name, value))
      Py_CLEAR(dict);
    Py_XDECREF(value);
  }
  return dict;
}

// ---- inputs, port by port: one, None or a list ----
typedef PyObject *(*item_fn)(const void *from, uint32_t i);
static PyObject *operator_port(const operator_object *self, const weft_op_desc *n, uint32_t port,
                               item_fn item, const void *from) {
  const weft_port_span span = n->in_port[port];
  if (self->in[port].kind != WEFT_DYNAMIC)
    return span.count ? item(from, span.start) : Py_NewRef(Py_None);
  PyObject *list = PyList_New(0);
  for (uint32_t i = 0; list && i < span.count; i++) {
    PyObject *value = item(from, span.start + i);
    if (!value || PyList_Append(list, value))
      Py_CLEAR(list);
    Py_XDECREF(value);
  }
  return list;
}
static PyObject *operator_inputs(const operator_object *self, const weft_op_desc *n, item_fn item,
                                 const void *from) {
  PyObject *tuple = PyTuple_New((Py_ssize_t)n->n_in_ports);
  for (uint32_t i = 0; tuple && i < n->n_in_ports; i++) {
    PyObject *value = operator_port(self, n, i, item, from);
    if (!value)
      Py_CLEAR(tuple);
    else
      PyTuple_SetItem(tuple, (Py_ssize_t)i, value);
  }
  return tuple;
}

// ---- inference ----
// Dims of the inference that goes on in this thread: numbers, -1, or handles of symbols below that.
static _Thread_local const weft_infer *operator_infer_now;

static PyObject *operator_dims(PyObject *module, PyObject *args) {
  unsigned how;
  long long a;
  long long b;
  (void)module;
  if (!PyArg_ParseTuple(args, "ILL", &how, &a, &b))
    return NULL;
  const weft_infer *it = operator_infer_now;
  const bool by_zero = how >= WEFT_DIMS_FLOORDIV && how <= WEFT_DIMS_DIV_EXACT && b < 1;
  return PyLong_FromLongLong(it && !by_zero ? weft_dims(it, how, a, b) : -1);
}
static PyMethodDef operator_functions[] = {{"dims", operator_dims, METH_VARARGS, NULL}, {0}};

static PyObject *described_shape(const weft_infer *it, const weft_shape *s, weft_dtype t) {
  char text[256];
  if (weft_unknown_rank(s))
    return Py_BuildValue("(sOO)", weft_dtype_name(t), Py_None, Py_None);
  PyObject *shape = weft_py_shape(s);
  PyObject *names = PyList_New(0);
  for (size_t k = 0; shape && names && k < s->rank; k++) {
    const bool named = it->symbols && weft_dim_is_symbol(s->dim[k]);
    PyObject *name =
        PyUnicode_FromString(named ? weft_dim_text(it->symbols, s->dim[k], text, sizeof text) : "?");
    if (!name || PyList_Append(names, name))
      Py_CLEAR(names);
    Py_XDECREF(name);
  }
  PyObject *value = shape && names ? Py_BuildValue("(sOO)", weft_dtype_name(t), shape, names) : NULL;
  Py_XDECREF(shape);
  Py_XDECREF(names);
  return value;
}
static PyObject *described_input(const void *from, uint32_t i) {
  const weft_infer *it = from;
  return described_shape(it, it->in[i], it->in_dtype[i]);
}
static PyObject *described_largest(const void *from, uint32_t i) {
  const weft_infer *it = from;
  return described_shape(it, it->in_max[i], it->in_dtype[i]);
}
// What Python found of one output: (type, dims or None).
static bool shape_take(PyObject *value, weft_dtype *dtype, weft_dim *d, size_t *rank) {
  const char *type;
  PyObject *shape;
  if (!PyArg_ParseTuple(value, "sO", &type, &shape))
    return false;
  *dtype = weft_dtype_parse(type, strlen(type));
  *rank = 1;
  d[0] = WEFT_DIM_UNKNOWN_RANK;
  if (shape == Py_None)
    return true;
  const Py_ssize_t n = PyTuple_Check(shape) ? PyTuple_Size(shape) : -1;
  if (n < 0 || n > WEFT_MAX_RANK)
    return PyErr_Format(PyExc_ValueError, "an output of %zd dims; %d are possible", n, WEFT_MAX_RANK), false;
  *rank = (size_t)n;
  for (Py_ssize_t k = 0; k < n; k++)
    d[k] = PyLong_AsLongLong(PyTuple_GetItem(shape, k));
  return !PyErr_Occurred();
}
static bool infer_take(weft_infer *it, PyObject *found, bool largest) {
  weft_dim d[WEFT_MAX_RANK];
  size_t rank;
  weft_dtype t;
  for (uint32_t i = 0; i < it->n_out; i++) {
    if (!shape_take(PyTuple_GetItem(found, (Py_ssize_t)i), &t, d, &rank))
      return false;
    weft_shape *to = largest ? it->out_max[i] : it->out[i];
    to->rank = rank;
    memcpy(to->dim, d, rank * sizeof *d);
    if (!largest) {
      it->out_dtype[i] = t;
      continue;
    }
    it->out_min[i]->rank = rank;
    for (size_t k = 0; k < rank; k++)
      it->out_min[i]->dim[k] = weft_unknown_rank(to) ? d[k] : 0;
  }
  return true;
}
// infer(inputs, attributes, number of outputs) -> ((type, dims), ...)
static bool infer_call(const operator_object *self, weft_infer *it, bool largest) {
  PyObject *inputs = operator_inputs(self, it->desc, largest ? described_largest : described_input, it);
  PyObject *attrs = inputs ? attrs_dict(self, it->desc) : NULL;
  PyObject *found =
      attrs ? PyObject_CallFunction(largest ? self->bound : self->infer, "OOI", inputs, attrs, it->n_out)
            : NULL;
  bool ok = found && PyTuple_Check(found) && (size_t)PyTuple_Size(found) == it->n_out;
  if (found && !ok)
    PyErr_Format(PyExc_TypeError, "infer gives a description for each of %u outputs", it->n_out);
  ok = ok && infer_take(it, found, largest);
  Py_XDECREF(found);
  Py_XDECREF(attrs);
  Py_XDECREF(inputs);
  return ok;
}
static weft_status infer_locked(weft_infer *it, bool largest) {
  const operator_object *self = it->desc->op->user;
  const weft_infer *outer = operator_infer_now;
  PyGILState_STATE lock = PyGILState_Ensure();
  operator_infer_now = it;
  const weft_status s = infer_call(self, it, largest) ? WEFT_OK : operator_failed(it->host, it->d);
  operator_infer_now = outer;
  PyGILState_Release(lock);
  return s;
}
static weft_status operator_infer(weft_infer *it) {
  return infer_locked(it, false);
}
static weft_status operator_largest(weft_infer *it) {
  return infer_locked(it, true);
}

// ---- computing ----
static PyObject *input_value(const void *from, uint32_t i) {
  const weft_call *c = from;
  return operator_tensor(c->in[i]);
}
// `found`: outputs have no type yet, and the run compares what they get with what infer said.
static PyObject *compute_types(const weft_call *c, bool found) {
  PyObject *list = PyList_New(0);
  for (uint32_t i = 0; list && i < c->n_out; i++) {
    PyObject *name =
        PyUnicode_FromString(c->out[i] ? weft_dtype_name(found ? WEFT_UNDEFINED : c->out[i]->dtype) : "");
    if (!name || PyList_Append(list, name))
      Py_CLEAR(list);
    Py_XDECREF(name);
  }
  return list;
}
static bool output_differs(uint32_t i, const weft_shape *want, const weft_shape *got) {
  PyObject *a = weft_py_shape(want);
  PyObject *b = weft_py_shape(got);
  if (a && b)
    PyErr_Format(PyExc_ValueError, "compute gave output %u the shape %R, infer said %R", i, b, a);
  Py_XDECREF(a);
  Py_XDECREF(b);
  return false;
}
// Writes what compute gave into output i; `found`: its shape is only known now.
static bool output_put(const weft_call *c, uint32_t i, const weft_tensor *from, bool found) {
  if (found) {
    const weft_layout layout = {.origin = from->layout.origin, .storage = from->layout.origin};
    if (c->host->out_alloc(c, i, from->dtype, &layout, WEFT_ND))
      return PyErr_NoMemory(), false;
  }
  const weft_shape *want = &c->out[i]->layout.origin;
  const weft_shape *got = &from->layout.origin;
  bool same = want->rank == got->rank;
  for (size_t k = 0; same && k < want->rank; k++)
    same = want->dim[k] == got->dim[k];
  if (!same || from->bytes > c->out[i]->bytes)
    return output_differs(i, want, got);
  if (from->bytes)
    memcpy(c->out[i]->data, from->data, from->bytes);
  return true;
}
static bool output_take(const weft_call *c, uint32_t i, weft_dtype type, PyObject *value, bool found) {
  held_view view = {.held = false};
  weft_tensor t;
  const weft_tensor_desc want = {.name = "of compute", .dtype = type, .kind = WEFT_KIND_TENSOR};
  weft_tensor_init(&t, NULL);
  const bool ok = weft_py_tensor_take(value, &want, &t, &view) && output_put(c, i, &t, found);
  weft_tensor_deinit(&t);
  if (view.held)
    PyBuffer_Release(&view.view);
  return ok;
}
// compute(inputs, attributes, types of the outputs, "" where nobody reads one) -> (array, ...)
static bool compute_call(const operator_object *self, const weft_call *c, bool found) {
  PyObject *inputs = operator_inputs(self, c->desc, input_value, c);
  PyObject *attrs = inputs ? attrs_dict(self, c->desc) : NULL;
  PyObject *types = attrs ? compute_types(c, found) : NULL;
  PyObject *values = types ? PyObject_CallFunctionObjArgs(self->compute, inputs, attrs, types, NULL) : NULL;
  bool ok = values && PyTuple_Check(values) && (size_t)PyTuple_Size(values) == c->n_out;
  if (values && !ok)
    PyErr_Format(PyExc_TypeError, "compute gives an array for each of %u outputs", c->n_out);
  for (uint32_t i = 0; ok && i < c->n_out; i++) {
    if (c->out[i])
      ok = output_take(c, i, found ? WEFT_UNDEFINED : c->out[i]->dtype,
                       PyTuple_GetItem(values, (Py_ssize_t)i), found);
  }
  Py_XDECREF(values);
  Py_XDECREF(types);
  Py_XDECREF(attrs);
  Py_XDECREF(inputs);
  return ok;
}
static weft_status compute_locked(const weft_call *c, bool found) {
  const operator_object *self = c->desc->op->user;
  PyGILState_STATE lock = PyGILState_Ensure();
  const weft_status s = compute_call(self, c, found) ? WEFT_OK : operator_failed(c->host, c->d);
  PyGILState_Release(lock);
  return s;
}
static weft_status operator_ref(const weft_call *c) {
  return compute_locked(c, false);
}
static weft_status operator_execute(const weft_call *c) {
  return compute_locked(c, true);
}

// ---- the type Operator ----
static void operator_dealloc(PyObject *o) {
  operator_object *self = (operator_object *)o;
  PyTypeObject *type = Py_TYPE(o);
  free(self->in);
  free(self->out);
  free(self->attrs);
  free(self->examples);
  Py_XDECREF(self->texts);
  Py_XDECREF(self->infer);
  Py_XDECREF(self->compute);
  Py_XDECREF(self->bound);
  freefunc release = (freefunc)PyType_GetSlot(type, Py_tp_free);
  release(o);
  Py_DECREF(type);
}
static bool operator_types(const char *text, weft_dtype_set *out) {
  *out = *text ? 0 : WEFT_SET_ORDINARY | WEFT_FLOAT8S;
  while (*text) {
    const size_t n = strcspn(text, "|");
    const weft_dtype t = weft_dtype_parse(text, n);
    if (t == WEFT_UNDEFINED)
      return PyErr_Format(PyExc_ValueError, "no type '%s'", text), false;
    *out |= WEFT_BIT(t);
    text += n + (text[n] == '|');
  }
  return true;
}
// ((name, kind, types), ...)
static weft_port *operator_ports(PyObject *tuple) {
  const Py_ssize_t n = PyTuple_Size(tuple);
  weft_port *ports = calloc((size_t)n + 1, sizeof *ports);
  if (!ports)
    PyErr_NoMemory();
  for (Py_ssize_t i = 0; ports && i < n; i++) {
    const char *types;
    if (!PyArg_ParseTuple(PyTuple_GetItem(tuple, i), "sbs", &ports[i].name, &ports[i].kind, &types) ||
        !operator_types(types, &ports[i].dtypes)) {
      free(ports);
      return NULL;
    }
  }
  return ports;
}
// ((name, type, default or None, check or None), ...)
static weft_attr_decl *operator_attrs(PyObject *tuple) {
  const Py_ssize_t n = PyTuple_Size(tuple);
  weft_attr_decl *v = calloc((size_t)n + 1, sizeof *v);
  if (!v)
    PyErr_NoMemory();
  for (Py_ssize_t i = 0; v && i < n; i++) {
    if (!PyArg_ParseTuple(PyTuple_GetItem(tuple, i), "sszz", &v[i].name, &v[i].type, &v[i].dflt,
                          &v[i].check)) {
      free(v);
      return NULL;
    }
  }
  return v;
}
static const char **operator_examples(PyObject *tuple) {
  const Py_ssize_t n = PyTuple_Size(tuple);
  const char **v = calloc((size_t)n + 1, sizeof *v);
  if (!v)
    PyErr_NoMemory();
  for (Py_ssize_t i = 0; v && i < n; i++) {
    v[i] = PyUnicode_AsUTF8AndSize(PyTuple_GetItem(tuple, i), NULL);
    if (!v[i]) {
      free(v);
      return NULL;
    }
  }
  return v;
}
// Operator(name, summary, inputs, outputs, attributes, examples, pure, infer, compute, bound or None)
static PyObject *operator_new(PyTypeObject *type, PyObject *args, PyObject *more) {
  const char *name;
  const char *summary;
  PyObject *in;
  PyObject *out;
  PyObject *attrs;
  PyObject *examples;
  PyObject *infer;
  PyObject *compute;
  PyObject *bound;
  int pure;
  (void)more;
  if (!PyArg_ParseTuple(args, "ssO!O!O!O!pOOO", &name, &summary, &PyTuple_Type, &in, &PyTuple_Type, &out,
                        &PyTuple_Type, &attrs, &PyTuple_Type, &examples, &pure, &infer, &compute, &bound))
    return NULL;
  allocfunc make = (allocfunc)PyType_GetSlot(type, Py_tp_alloc);
  operator_object *self = (operator_object *)make(type, 0);
  if (!self)
    return NULL;
  self->texts = Py_NewRef(args);
  self->infer = Py_NewRef(infer);
  self->compute = Py_NewRef(compute);
  self->bound = Py_NewRef(bound);
  const bool found = bound != Py_None;
  self->in = operator_ports(in);
  self->out = self->in ? operator_ports(out) : NULL;
  self->attrs = self->out ? operator_attrs(attrs) : NULL;
  self->examples = self->attrs ? operator_examples(examples) : NULL;
  if (!self->examples) {
    Py_DECREF((PyObject *)self);
    return NULL;
  }
  const uint64_t traits =
      WEFT_SYMBOLIC | (pure ? 0 : WEFT_RANDOM | WEFT_SIDE_EFFECT) | (found ? WEFT_DATA_DEPENDENT : 0);
  self->op = (weft_op){WEFT_OP_HEAD,
                       .name = name,
                       .summary = summary,
                       .in = self->in,
                       .out = self->out,
                       .attrs = self->attrs,
                       .traits = traits,
                       .infer = operator_infer,
                       .infer_range = found ? operator_largest : NULL,
                       .ref = found ? NULL : operator_ref,
                       .execute = found ? operator_execute : NULL,
                       .examples = self->examples,
                       .user = self};
  return (PyObject *)self;
}
bool weft_py_operators_register(weft_env *e, PyObject *operators) {
  const Py_ssize_t n = operators ? PyTuple_Size(operators) : 0;
  for (Py_ssize_t i = 0; i < n; i++) {
    PyObject *item = PyTuple_GetItem(operators, i);
    weft_diag d = {0};
    if (!PyObject_TypeCheck(item, operator_type))
      return PyErr_Format(PyExc_TypeError, "operators are of the type Operator"), false;
    const weft_status s = weft_register(e, &((operator_object *)item)->op, 0, &d);
    if (s)
      return weft_py_raise(s, &d), false;
  }
  return true;
}
static PyType_Slot operator_slots[] = {{Py_tp_new, operator_new}, {Py_tp_dealloc, operator_dealloc}, {0}};
static PyType_Spec operator_spec = {"weft._weft.Operator", sizeof(operator_object), 0, Py_TPFLAGS_DEFAULT,
                                    operator_slots};
bool weft_py_operator_add(PyObject *module) {
  operator_raised = PyDict_New();
  operator_type = (PyTypeObject *)PyType_FromSpec(&operator_spec);
  return operator_raised && operator_type && !PyModule_AddFunctions(module, operator_functions) &&
         !PyModule_AddObjectRef(module, "Operator", (PyObject *)operator_type);
}
// SPDX-License-Identifier: Apache-2.0
