// array.h - numpy's arrays: read where they lie, made over memory of weft's.
#pragma once
#include "common.h"

// Lets the tensor point at the memory of an array of exactly this type, which the caller keeps alive. False:
// it is another object, another type or another order; no error is set, the buffer protocol decides.
bool weft_py_array_borrow(PyObject *value, weft_dtype want, weft_tensor *t);
// An array over a tensor's memory, which `memory` (with a buffer of it) keeps; of elements below a byte its
// bytes. NULL: an error is set.
PyObject *weft_py_array_over(const weft_tensor *t, PyObject *memory);
PyObject *weft_py_array_set(PyObject *module, PyObject *args);
// SPDX-License-Identifier: Apache-2.0
