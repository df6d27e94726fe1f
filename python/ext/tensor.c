// tensor.c - tensors beside Python's arrays: memory of an array is read and written where it lies, and what a
// run gave is an array over weft's memory.
#include <stdlib.h>
#include <string.h>

#include "array.h"
#include "weft/maps.h"

PyTypeObject *weft_py_tensor_type;

// ---- formats of the buffer protocol ----
static const struct {
  weft_dtype dtype;
  const char *format;
} formats[] = {{WEFT_FLOAT, "f"},      {WEFT_DOUBLE, "d"},     {WEFT_INT64, "q"},  {WEFT_INT32, "i"},
               {WEFT_INT8, "b"},       {WEFT_UINT8, "B"},      {WEFT_BOOL, "?"},   {WEFT_FLOAT16, "e"},
               {WEFT_INT16, "h"},      {WEFT_UINT16, "H"},     {WEFT_UINT32, "I"}, {WEFT_UINT64, "Q"},
               {WEFT_COMPLEX64, "Zf"}, {WEFT_COMPLEX128, "Zd"}};
enum { N_FORMATS = sizeof formats / sizeof *formats };

static const char *format_of(weft_dtype t) {
  for (size_t i = 0; i < N_FORMATS; i++) {
    if (formats[i].dtype == t)
      return formats[i].format;
  }
  return "B";  // bytes as they lie: bf16, float8, types below a byte
}
// The type of an array's elements; WEFT_UNDEFINED: none that weft has.
static weft_dtype format_type(const Py_buffer *v) {
  const char *f = v->format ? v->format : "B";
  f += *f == '@' || *f == '=' || *f == '<';
  if (!strcmp(f, "l") || !strcmp(f, "L") || !strcmp(f, "n") || !strcmp(f, "N")) {
    const bool is_signed = *f == 'l' || *f == 'n';
    if (v->itemsize == 8)
      return is_signed ? WEFT_INT64 : WEFT_UINT64;
    return is_signed ? WEFT_INT32 : WEFT_UINT32;
  }
  for (size_t i = 0; i < N_FORMATS; i++) {
    if (!strcmp(formats[i].format, f))
      return formats[i].dtype;
  }
  return WEFT_UNDEFINED;
}

// ---- the type Tensor ----
tensor_object *weft_py_tensor_new(void) {
  allocfunc make = (allocfunc)PyType_GetSlot(weft_py_tensor_type, Py_tp_alloc);
  tensor_object *self = (tensor_object *)make(weft_py_tensor_type, 0);
  if (self)
    weft_tensor_init(&self->t, NULL);
  return self;
}
static void tensor_dealloc(PyObject *self) {
  PyTypeObject *type = Py_TYPE(self);
  weft_tensor_deinit(&((tensor_object *)self)->t);
  freefunc release = (freefunc)PyType_GetSlot(type, Py_tp_free);
  release(self);
  Py_DECREF(type);
}
static size_t tensor_item(const weft_tensor *t) {
  const uint32_t bits = weft_dtype_bits(t->dtype);
  return bits >= 8 ? bits / 8 : 1;
}
static int tensor_buffer(PyObject *o, Py_buffer *v, int flags) {
  tensor_object *self = (tensor_object *)o;
  const weft_tensor *t = &self->t;
  const weft_shape *s = &t->layout.storage;
  const bool bytes = weft_dtype_bits(t->dtype) < 8;
  if (t->kind != WEFT_KIND_TENSOR || t->dtype == WEFT_STRING || !t->data) {
    PyErr_SetString(PyExc_BufferError, "only tensors of numbers have a buffer");
    return -1;
  }
  const size_t item = tensor_item(t);
  const int rank = bytes ? 1 : (int)s->rank;
  Py_ssize_t step = (Py_ssize_t)item;
  for (int i = rank - 1; i >= 0; i--) {
    self->shape[i] = bytes ? (Py_ssize_t)t->bytes : (Py_ssize_t)s->dim[i];
    self->strides[i] = step;
    step *= self->shape[i];
  }
  *v = (Py_buffer){.buf = t->data,
                   .obj = Py_NewRef(o),
                   .len = (Py_ssize_t)t->bytes,
                   .itemsize = (Py_ssize_t)item,
                   .ndim = rank,
                   .format = flags & PyBUF_FORMAT ? (char *)(uintptr_t)format_of(t->dtype) : NULL,
                   .shape = flags & PyBUF_ND ? self->shape : NULL,
                   .strides = (flags & PyBUF_STRIDES) == PyBUF_STRIDES ? self->strides : NULL};
  return 0;
}
static PyType_Slot tensor_slots[] = {{Py_tp_dealloc, tensor_dealloc}, {Py_bf_getbuffer, tensor_buffer}, {0}};
static PyType_Spec tensor_spec = {"weft._weft.Tensor", sizeof(tensor_object), 0,
                                  Py_TPFLAGS_DEFAULT | Py_TPFLAGS_DISALLOW_INSTANTIATION, tensor_slots};
bool weft_py_tensor_add(PyObject *module) {
  weft_py_tensor_type = (PyTypeObject *)PyType_FromSpec(&tensor_spec);
  return weft_py_tensor_type && !PyModule_AddObjectRef(module, "Tensor", (PyObject *)weft_py_tensor_type);
}

// ---- what a run gave ----
PyObject *weft_py_shape(const weft_shape *s) {
  PyObject *tuple = PyTuple_New((Py_ssize_t)s->rank);
  for (size_t i = 0; tuple && i < (size_t)s->rank; i++) {
    PyObject *dim = PyLong_FromLongLong(s->dim[i]);
    if (!dim)
      Py_CLEAR(tuple);
    else
      PyTuple_SetItem(tuple, (Py_ssize_t)i, dim);
  }
  return tuple;
}
static PyObject *strings_list(const weft_tensor *t) {
  const int64_t n = weft_tensor_elems(t);
  PyObject *list = PyList_New((Py_ssize_t)(n > 0 ? n : 0));
  for (int64_t i = 0; list && i < n; i++) {
    const char *text;
    size_t bytes;
    weft_diag d = {0};
    const weft_status s = weft_tensor_string(t, (size_t)i, &text, &bytes, &d);
    PyObject *item =
        s ? weft_py_raise(s, &d) : PyUnicode_DecodeUTF8(text, (Py_ssize_t)bytes, "surrogateescape");
    if (!item)
      Py_CLEAR(list);
    else
      PyList_SetItem(list, (Py_ssize_t)i, item);
  }
  return list;
}
// ("strings", shape, [...]): the package makes an array of objects of it.
static PyObject *strings_value(const weft_tensor *t) {
  PyObject *shape = weft_py_shape(&t->layout.origin);
  PyObject *list = strings_list(t);
  PyObject *value = shape && list ? Py_BuildValue("(sOO)", "strings", shape, list) : NULL;
  Py_XDECREF(shape);
  Py_XDECREF(list);
  return value;
}
// A list of a sequence; of an optional what it holds, or None.
static PyObject *items_value(weft_tensor *t) {
  const bool optional = t->kind == WEFT_KIND_OPTIONAL || t->kind == WEFT_KIND_OPTIONAL_SEQUENCE;
  if (optional && !t->n_items)
    Py_RETURN_NONE;
  PyObject *list = PyList_New(0);
  for (size_t i = 0; list && i < t->n_items; i++) {
    tensor_object *item = weft_py_tensor_new();
    weft_diag d = {0};
    const weft_status s = item ? weft_tensor_copy(&item->t, t->items[i], &d) : WEFT_OK;
    if (s) {
      Py_DECREF((PyObject *)item);
      item = NULL;
      weft_py_raise(s, &d);
    }
    PyObject *value = item ? weft_py_tensor_value(item) : NULL;
    if (!value || PyList_Append(list, value))
      Py_CLEAR(list);
    Py_XDECREF(value);
  }
  if (!list || !optional)
    return list;
  PyObject *only = Py_NewRef(PyList_GetItem(list, 0));
  Py_DECREF(list);
  return only;
}
// ("map", keys, values): values [n] of one map, [N,n] of N of them.
static PyObject *map_value(const weft_tensor *t) {
  PyObject *part[2] = {NULL, NULL};
  for (size_t i = 0; i < 2; i++) {
    const weft_tensor *from = weft_map_item(t, i);
    tensor_object *item = from ? weft_py_tensor_new() : NULL;
    weft_diag d = {0};
    const weft_status s = item ? weft_tensor_copy(&item->t, from, &d) : WEFT_OK;
    if (!s && item) {
      part[i] = weft_py_tensor_value(item);
      continue;
    }
    Py_XDECREF((PyObject *)item);
    if (s)
      weft_py_raise(s, &d);
  }
  PyObject *value = part[0] && part[1] ? Py_BuildValue("(sOO)", "map", part[0], part[1]) : NULL;
  if (!value && !PyErr_Occurred())
    PyErr_SetString(PyExc_TypeError, "a map without keys or values");
  Py_XDECREF(part[0]);
  Py_XDECREF(part[1]);
  return value;
}
static PyObject *array_value(tensor_object *self) {
  const weft_tensor *t = &self->t;
  PyObject *array = weft_py_array_over(t, (PyObject *)self);
  if (!array || weft_dtype_bits(t->dtype) >= 8)
    return array;
  PyObject *whole = weft_py_shape(&t->layout.origin);  // ("i4", shape, bytes): the package unpacks them
  PyObject *value = whole ? Py_BuildValue("(sOO)", weft_dtype_name(t->dtype), whole, array) : NULL;
  Py_XDECREF(whole);
  Py_DECREF(array);
  return value;
}
PyObject *weft_py_tensor_value(tensor_object *self) {
  PyObject *value = NULL;
  if (self->t.kind == WEFT_KIND_MAP || self->t.kind == WEFT_KIND_MAPS)
    value = map_value(&self->t);
  else if (self->t.kind != WEFT_KIND_TENSOR)
    value = items_value(&self->t);
  else if (self->t.dtype == WEFT_STRING)
    value = strings_value(&self->t);
  else
    value = array_value(self);
  Py_DECREF((PyObject *)self);
  return value;
}

// ---- arguments ----
static bool take_failed(weft_status s, const weft_diag *d) {
  weft_py_raise(s, d);
  return false;
}
// The dims of a shape of `n` elements.
static bool strings_shape(PyObject *shape, Py_ssize_t n, weft_dim *dims) {
  const Py_ssize_t rank = PyTuple_Size(shape);
  bool fits = true;
  int64_t elems = 1;
  for (Py_ssize_t i = 0; fits && i < rank; i++) {
    dims[i] = PyLong_AsLongLong(PyTuple_GetItem(shape, i));
    fits = dims[i] >= 0 && !__builtin_mul_overflow(elems, dims[i], &elems);
  }
  if (PyErr_Occurred())
    return false;
  if (!fits || elems != n)
    PyErr_Format(PyExc_ValueError, "%zd strings for an array of the shape %R", n, shape);
  return fits && elems == n;
}
// ("strings", shape, [str or bytes]) as the package makes of arrays of text.
static bool take_strings(PyObject *value, weft_tensor *t) {
  PyObject *shape;
  PyObject *list;
  const char *kind;
  weft_dim dims[WEFT_MAX_RANK];
  weft_diag d = {0};
  if (!PyArg_ParseTuple(value, "sO!O!", &kind, &PyTuple_Type, &shape, &PyList_Type, &list))
    return false;
  const Py_ssize_t rank = PyTuple_Size(shape);
  const Py_ssize_t n = PyList_Size(list);
  if (rank > WEFT_MAX_RANK) {
    PyErr_Format(PyExc_ValueError, "an array of %zd dims", rank);
    return false;
  }
  if (!strings_shape(shape, n, dims))
    return false;
  const char **text = calloc((size_t)(n ? n : 1), sizeof *text);
  size_t *bytes = calloc((size_t)(n ? n : 1), sizeof *bytes);
  bool ok = text && bytes && !PyErr_Occurred();
  for (Py_ssize_t i = 0; ok && i < n; i++) {
    Py_ssize_t size = 0;
    PyObject *item = PyList_GetItem(list, i);
    char *of_bytes = NULL;
    if (PyBytes_Check(item))
      ok = !PyBytes_AsStringAndSize(item, &of_bytes, &size);
    text[i] = of_bytes ? of_bytes : ok ? PyUnicode_AsUTF8AndSize(item, &size) : NULL;
    bytes[i] = (size_t)size;
    ok = text[i];
  }
  const weft_status s = ok ? weft_tensor_set_strings(t, dims, (size_t)rank, text, bytes, &d) : WEFT_OK;
  free(text);
  free(bytes);
  if (!ok && !PyErr_Occurred())
    PyErr_NoMemory();
  return s ? take_failed(s, &d) : ok;
}

// `shape`: of elements below a byte, whose bytes the array holds; NULL: the array's own.
static bool borrow(const Py_buffer *v, weft_dtype type, PyObject *shape, const char *name, weft_tensor *t) {
  weft_dim dims[WEFT_MAX_RANK];
  weft_diag d = {0};
  const Py_ssize_t rank = shape ? PyTuple_Size(shape) : v->ndim;
  if (rank < 0 || rank > WEFT_MAX_RANK) {
    PyErr_Format(PyExc_ValueError, "input '%s': an array of %zd dims; %d are possible", name, rank,
                 WEFT_MAX_RANK);
    return false;
  }
  for (Py_ssize_t i = 0; i < rank; i++)
    dims[i] = shape ? PyLong_AsLongLong(PyTuple_GetItem(shape, i)) : v->shape[i];
  if (PyErr_Occurred())
    return false;
  const weft_status s = weft_tensor_borrow(t, type, dims, (size_t)rank, v->buf, (size_t)v->len, &d);
  if (s)
    weft_note(&d, "input '%s'", name);
  return s ? take_failed(s, &d) : true;
}
// Arrays of types that the buffer protocol does not know come as ("raw", type, array of unsigned numbers),
// those of elements below a byte with their shape behind.
static bool take_raw(PyObject *value, weft_dtype *type, PyObject **array, PyObject **shape) {
  const char *kind;
  const char *dtype;
  if (!PyArg_ParseTuple(value, "ssO|O!", &kind, &dtype, array, &PyTuple_Type, shape))
    return false;
  *type = weft_dtype_parse(dtype, strlen(dtype));
  return true;
}
static bool wrong_type(const char *name, weft_dtype got, const Py_buffer *v, weft_dtype want) {
  if (got == WEFT_UNDEFINED)
    PyErr_Format(PyExc_TypeError, "input '%s': elements of format '%s' are none that weft has", name,
                 v->format);
  else
    PyErr_Format(PyExc_TypeError, "input '%s' is %s, the model takes %s: array.astype('%s') makes it so",
                 name, weft_dtype_name(got), weft_dtype_name(want),
                 want == WEFT_FLOAT    ? "float32"
                 : want == WEFT_DOUBLE ? "float64"
                                       : weft_dtype_name(want));
  return false;
}
static bool take(PyObject *value, weft_dtype want, const char *name, int flags, weft_tensor *t,
                 held_view *held) {
  weft_dtype raw = WEFT_UNDEFINED;
  PyObject *array = value;
  PyObject *shape = NULL;
  if (PyTuple_Check(value) && !take_raw(value, &raw, &array, &shape))
    return false;
  if (PyObject_GetBuffer(array, &held->view, flags))
    return false;
  held->held = true;
  const weft_dtype got = raw == WEFT_UNDEFINED ? format_type(&held->view) : raw;
  if (got == WEFT_UNDEFINED || (got != want && want != WEFT_UNDEFINED))
    return wrong_type(name, got, &held->view, want);
  return borrow(&held->view, got, shape, name, t);
}
// One item more: a copy of what the value holds.
static bool add_item(weft_tensor *t, PyObject *value, const weft_tensor_desc *want, size_t room) {
  held_view view = {.held = false};
  weft_tensor borrowed;
  weft_diag d = {0};
  if (!t->items)
    t->items = t->alloc.fn(t->alloc.ctx, NULL, 0, room * sizeof *t->items, _Alignof(weft_tensor *));
  weft_tensor *item =
      t->items ? t->alloc.fn(t->alloc.ctx, NULL, 0, sizeof *item, _Alignof(weft_tensor)) : NULL;
  if (!item)
    return PyErr_NoMemory(), false;
  weft_tensor_init(item, &t->alloc);
  t->items[t->n_items++] = item;
  weft_tensor_init(&borrowed, NULL);
  bool ok = weft_py_tensor_take(value, want, &borrowed, &view);
  const weft_status s = ok ? weft_tensor_copy(item, &borrowed, &d) : WEFT_OK;
  weft_tensor_deinit(&borrowed);
  if (view.held)
    PyBuffer_Release(&view.view);
  return s ? take_failed(s, &d) : ok;
}
// A sequence is a list; an optional is a value or None.
static bool take_items(PyObject *value, const weft_tensor_desc *want, weft_tensor *t) {
  weft_tensor_desc item = *want;
  const bool sequence = want->kind == WEFT_KIND_SEQUENCE;
  item.kind = want->kind == WEFT_KIND_OPTIONAL_SEQUENCE ? WEFT_KIND_SEQUENCE : WEFT_KIND_TENSOR;
  t->kind = want->kind;
  t->dtype = want->dtype;
  t->item_dtype = want->dtype;
  if (!sequence)
    return value == Py_None || add_item(t, value, &item, 1);
  if (!PyList_Check(value)) {
    PyErr_Format(PyExc_TypeError, "input '%s' is a sequence: a list of arrays", want->name ? want->name : "");
    return false;
  }
  const Py_ssize_t n = PyList_Size(value);
  for (Py_ssize_t i = 0; i < n; i++) {
    if (!add_item(t, PyList_GetItem(value, i), &item, (size_t)n))
      return false;
  }
  return true;
}
bool weft_py_tensor_take(PyObject *value, const weft_tensor_desc *want, weft_tensor *t, held_view *held) {
  if (want->kind == WEFT_KIND_TENSOR && weft_py_array_borrow(value, want->dtype, t))
    return true;
  if (want->kind != WEFT_KIND_TENSOR && want->kind <= WEFT_KIND_OPTIONAL_SEQUENCE)
    return take_items(value, want, t);
  if (PyTuple_Check(value) && PyTuple_Size(value) == 3) {
    PyObject *kind = PyTuple_GetItem(value, 0);
    if (PyUnicode_Check(kind) && !PyUnicode_CompareWithASCIIString(kind, "strings"))
      return take_strings(value, t);
  }
  return take(value, want->dtype, want->name ? want->name : "", PyBUF_FORMAT | PyBUF_C_CONTIGUOUS, t, held);
}
bool weft_py_tensor_place(PyObject *value, weft_dtype want, const char *name, weft_tensor *t,
                          held_view *held) {
  return take(value, want, name, PyBUF_FORMAT | PyBUF_C_CONTIGUOUS | PyBUF_WRITABLE, t, held);
}

// ---- descriptions ----
static PyObject *dim_value(weft_dim dim, const weft_symbols *symbols) {
  char text[256];
  if (dim >= 0)
    return PyLong_FromLongLong(dim);
  if (weft_dim_is_symbol(dim) && symbols)
    return PyUnicode_FromString(weft_dim_text(symbols, dim, text, sizeof text));
  Py_RETURN_NONE;
}
static PyObject *dims_value(const weft_shape *s, const weft_symbols *symbols, bool bound) {
  if (s->rank > WEFT_MAX_RANK || weft_shape_is_unknown_rank(s))
    Py_RETURN_NONE;  // not inferred yet, or not known
  PyObject *tuple = PyTuple_New((Py_ssize_t)s->rank);
  for (size_t i = 0; tuple && i < (size_t)s->rank; i++) {
    PyObject *dim = bound && s->dim[i] < 0 ? Py_NewRef(Py_None) : dim_value(s->dim[i], symbols);
    if (!dim)
      Py_CLEAR(tuple);
    else
      PyTuple_SetItem(tuple, (Py_ssize_t)i, dim);
  }
  return tuple;
}
PyObject *weft_py_describe(const weft_tensor_desc *desc, const weft_symbols *symbols) {
  static const char *const kinds[] = {"tensor", "sequence", "optional", "resource", "optional sequence",
                                      "map",    "maps"};
  PyObject *shape = dims_value(&desc->layout.origin, symbols, false);
  PyObject *least = desc->has_range ? dims_value(&desc->min, NULL, true) : Py_NewRef(Py_None);
  PyObject *most = desc->has_range ? dims_value(&desc->max, NULL, true) : Py_NewRef(Py_None);
  PyObject *value = NULL;
  if (shape && least && most)
    value = Py_BuildValue("(sssOOO)", desc->name ? desc->name : "", weft_dtype_name(desc->dtype),
                          desc->kind < sizeof kinds / sizeof *kinds ? kinds[desc->kind] : "other", shape,
                          least, most);
  Py_XDECREF(shape);
  Py_XDECREF(least);
  Py_XDECREF(most);
  return value;
}

PyMethodDef weft_py_module_methods[] = {{"set_numpy", weft_py_array_set, METH_VARARGS,
                                         "numpy.ndarray, and its type for each number of a weft type."},
                                        {0}};
// SPDX-License-Identifier: Apache-2.0
