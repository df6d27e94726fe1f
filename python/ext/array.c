// array.c - numpy's arrays where they lie. The buffer protocol costs 0.1 us an array, ndarray(...) called as
// a class 0.5: an array that is an ndarray itself, of numpy's own type, aligned and in C order is read by its
// fields instead, and made by numpy's C interface. numpy's headers are not needed: of its fields those before
// `flags` have kept their places since 1.7, and a sample tells whether they have here; where they have not,
// or the interface is of a version that nobody has seen, everything goes the other way.
#include "array.h"

typedef struct array_fields {
  PyObject_HEAD char *data;
  int rank;
  Py_ssize_t *dims, *strides;
  PyObject *base, *type;
  int flags;
} array_fields;
enum { ARRAY_C_ORDER = 0x1, ARRAY_ALIGNED = 0x100, ARRAY_WRITEABLE = 0x400 };
enum { ARRAY_VERSION = 0, ARRAY_FROM_TYPE = 94, ARRAY_SET_BASE = 282 };  // places in the interface's table
enum { ARRAY_TYPES = 64 };

typedef PyObject *(*array_make_fn)(PyTypeObject *, PyObject *type, int rank, const Py_ssize_t *dims,
                                   const Py_ssize_t *strides, void *data, int flags, PyObject *of);
typedef int (*array_base_fn)(PyObject *array, PyObject *base);

static PyTypeObject *array_class;
static PyObject *array_types[ARRAY_TYPES];  // numpy's type of each of weft's
static bool array_fields_known;
static array_make_fn array_make_new;
static array_base_fn array_set_base;

// Does the sample, an array of shape (2, 3), have its fields where they are looked for?
static bool array_sample_fits(PyObject *sample, unsigned long long address, PyObject *type) {
  const array_fields *a = (const array_fields *)sample;
  PyObject *bytes = PyObject_GetAttrString((PyObject *)array_class, "__basicsize__");
  const Py_ssize_t size = bytes ? PyLong_AsSsize_t(bytes) : -1;
  Py_XDECREF(bytes);
  if (size < (Py_ssize_t)sizeof *a || Py_TYPE(sample) != array_class)
    return false;
  if ((unsigned long long)(uintptr_t)a->data != address || a->rank != 2 || a->type != type || a->base)
    return false;
  const int flags = ARRAY_C_ORDER | ARRAY_ALIGNED | ARRAY_WRITEABLE;
  return a->dims[0] == 2 && a->dims[1] == 3 && a->strides[1] && (a->flags & flags) == flags;
}
static void array_interface(PyObject *capsule) {
  void **table = PyCapsule_CheckExact(capsule) ? PyCapsule_GetPointer(capsule, NULL) : NULL;
  if (!table)
    return;
  unsigned (*version)(void) = (unsigned (*)(void))table[ARRAY_VERSION];
  const unsigned major = version() >> 24;
  if (major != 1 && major != 2)
    return;
  array_make_new = (array_make_fn)table[ARRAY_FROM_TYPE];
  array_set_base = (array_base_fn)table[ARRAY_SET_BASE];
}
// set_numpy(ndarray, {number of a weft type: numpy's type}, sample, its address, numpy's C interface or None)
PyObject *weft_py_array_set(PyObject *module, PyObject *args) {
  PyObject *type;
  PyObject *types;
  PyObject *sample;
  PyObject *capsule;
  unsigned long long address;
  (void)module;
  if (!PyArg_ParseTuple(args, "O!O!OKO", &PyType_Type, &type, &PyDict_Type, &types, &sample, &address,
                        &capsule))
    return NULL;
  Py_XDECREF((PyObject *)array_class);
  array_class = (PyTypeObject *)Py_NewRef(type);
  array_make_new = NULL;
  for (long i = 0; i < ARRAY_TYPES; i++) {
    PyObject *number = PyLong_FromLong(i);
    Py_XDECREF(array_types[i]);
    array_types[i] = number ? Py_XNewRef(PyDict_GetItemWithError(types, number)) : NULL;
    Py_XDECREF(number);
  }
  if (PyErr_Occurred())
    return NULL;
  array_fields_known = array_sample_fits(sample, address, array_types[WEFT_FLOAT]);
  if (array_fields_known)
    array_interface(capsule);
  if (PyErr_Occurred())
    return NULL;
  return PyBool_FromLong(array_fields_known && array_make_new);
}
static PyObject *array_type_of(weft_dtype t) {
  return (unsigned)t < ARRAY_TYPES ? array_types[t] : NULL;
}

bool weft_py_array_borrow(PyObject *value, weft_dtype want, weft_tensor *t) {
  const array_fields *a = (const array_fields *)value;
  weft_dim dims[WEFT_MAX_RANK];
  const int flags = ARRAY_C_ORDER | ARRAY_ALIGNED;
  if (!array_fields_known || Py_TYPE(value) != array_class || weft_dtype_bits(want) < 8)
    return false;
  if (a->type != array_type_of(want) || (a->flags & flags) != flags || a->rank > WEFT_MAX_RANK)
    return false;
  size_t bytes = weft_dtype_bits(want) / 8;
  for (int i = 0; i < a->rank; i++) {
    dims[i] = a->dims[i];
    bytes *= (size_t)a->dims[i];  // of memory that is there
  }
  return !weft_tensor_borrow(t, want, dims, (size_t)a->rank, a->data, bytes, NULL);
}

static PyObject *array_over_class(PyObject *shape, PyObject *type, PyObject *memory) {
  return shape ? PyObject_CallFunctionObjArgs((PyObject *)array_class, shape, type, memory, NULL) : NULL;
}
PyObject *weft_py_array_over(const weft_tensor *t, PyObject *memory) {
  const weft_shape *s = &t->layout.origin;
  PyObject *type = array_type_of(t->dtype);
  const bool packed = weft_dtype_bits(t->dtype) < 8;
  Py_ssize_t dims[WEFT_MAX_RANK] = {(Py_ssize_t)t->bytes};
  const size_t rank = packed ? 1 : s->rank;
  if (!type)
    return PyErr_Format(PyExc_TypeError, "numpy has no type for %s", weft_dtype_name(t->dtype));
  for (size_t i = 0; !packed && i < rank; i++)
    dims[i] = (Py_ssize_t)s->dim[i];
  if (!array_make_new) {
    PyObject *shape = packed ? Py_BuildValue("(n)", dims[0]) : weft_py_shape(s);
    PyObject *array = array_over_class(shape, type, memory);
    Py_XDECREF(shape);
    return array;
  }
  const int flags = ARRAY_C_ORDER | ARRAY_ALIGNED | ARRAY_WRITEABLE;
  PyObject *array = array_make_new(array_class, Py_NewRef(type), (int)rank, dims, NULL, t->data, flags, NULL);
  if (array && array_set_base(array, Py_NewRef(memory)))
    Py_CLEAR(array);
  return array;
}
// SPDX-License-Identifier: Apache-2.0
