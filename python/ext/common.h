// common.h - what the files of the extension share. The limited C API of CPython 3.11: one build for 3.11 and
// newer.
#pragma once
#define Py_LIMITED_API 0x030B0000
#define PY_SSIZE_T_CLEAN
#include <Python.h>
#include <stdbool.h>

#include "weft/weft.h"

// ---- errors ----
extern PyObject *weft_py_error;    // weft.Error
extern PyObject *weft_py_missing;  // a KeyError whose text is shown as it is, not as the repr of a key
// Raises weft.Error with the text and the code of a diagnosis; NULL.
PyObject *weft_py_raise(weft_status s, const weft_diag *d);
// The same where a Python error may be set already, as by an interrupt.
PyObject *weft_py_raise_run(weft_status s, const weft_diag *d);

// ---- interrupts and Python's lock ----
// Ctrl-C concerns the main thread alone, as everywhere in Python: this is set by SIGINT while that thread
// waits inside weft, and reset when it comes out. Every environment stops with E_CANCELLED while it is set; a
// call of another thread that it hit is made again (weft_py_again).
extern volatile int weft_py_interrupted;
bool weft_py_interrupts_add(PyObject *module);
// Before and after what runs without Python's lock. Is this the main thread?
bool weft_py_enter(void);
void weft_py_leave(bool is_main);
// A call of this thread was cancelled because the main thread was interrupted: waits until that is over and
// empties the diagnosis. With Python's lock held.
bool weft_py_again(weft_status s, weft_diag *d);
#define WEFT_PY_WITHOUT_LOCK(statement)                 \
  do {                                                  \
    const bool weft_py_is_main = weft_py_enter();       \
    PyThreadState *weft_py_state = PyEval_SaveThread(); \
    statement;                                          \
    PyEval_RestoreThread(weft_py_state);                \
    weft_py_leave(weft_py_is_main);                     \
  } while (0)

// ---- environments ----
typedef struct env_object {
  PyObject_HEAD weft_env *env;
  PyObject *operators;  // a tuple of Operator, which must outlive it
  PyObject *signature;  // of SavedModels that are read: text; NULL: the usual one
} env_object;
extern PyTypeObject *weft_py_env_type;
bool weft_py_env_add(PyObject *module);

// ---- tensors ----
typedef struct tensor_object {
  PyObject_HEAD weft_tensor t;
  Py_ssize_t shape[WEFT_MAX_RANK], strides[WEFT_MAX_RANK];
} tensor_object;
extern PyTypeObject *weft_py_tensor_type;
bool weft_py_tensor_add(PyObject *module);
tensor_object *weft_py_tensor_new(void);
// What a run gave, as Python has it: an array over the tensor's memory, strings, a list of a sequence, ...
// Takes the reference.
PyObject *weft_py_tensor_value(tensor_object *t);
// An argument of a run: the tensor borrows the memory of an array, which the caller keeps as long as the
// tensor and *view holds where it came by the buffer protocol, or copies strings and the items of a list.
// `want` is what the model asks for. False: an error is set.
typedef struct held_view {
  Py_buffer view;
  bool held;
} held_view;
bool weft_py_tensor_take(PyObject *value, const weft_tensor_desc *want, weft_tensor *t, held_view *view);
// The same to write into: shape and type are the run's business.
bool weft_py_tensor_place(PyObject *value, weft_dtype want, const char *name, weft_tensor *t,
                          held_view *view);

// ---- descriptions ----
PyObject *weft_py_shape(const weft_shape *s);  // a tuple of the dims
// (name, type, shape, least, greatest): a dim is a number, a symbol's text or None; bounds None where there
// are none.
PyObject *weft_py_describe(const weft_tensor_desc *desc, const weft_symbols *symbols);

// ---- operators in Python ----
bool weft_py_operator_add(PyObject *module);
// Registers a tuple of Operator; NULL: none. False: an error is set.
bool weft_py_operators_register(weft_env *e, PyObject *operators);
// The exception that the text of a diagnosis speaks of, whose number is taken out of it; NULL: of none.
PyObject *weft_py_operator_raised(char *text);
PyObject *weft_py_attr_value(const weft_attr *a);

// ---- graphs and programs ----
bool weft_py_graph_add(PyObject *module);
bool weft_py_program_add(PyObject *module);
// build.c: what graphs are built and changed by. Arguments stand there.
PyObject *weft_py_build_input(weft_graph *g, PyObject *args);
PyObject *weft_py_build_const(weft_graph *g, PyObject *args);
PyObject *weft_py_build_output(weft_graph *g, PyObject *name);
PyObject *weft_py_build_node(weft_graph *g, PyObject *args);
PyObject *weft_py_build_attrs(weft_graph *g, PyObject *args);
PyObject *weft_py_build_set_attr(weft_graph *g, PyObject *args);
PyObject *weft_py_build_remove(weft_graph *g, PyObject *args);
PyObject *weft_py_build_replace(weft_graph *g, PyObject *args);
PyObject *weft_py_build_bytes(weft_graph *g);
PyObject *weft_py_build_onnx(weft_graph *g);
PyObject *weft_py_build_data(weft_graph *g, PyObject *name);
// Dims as the caller gives them: numbers, texts ("n", "2*n"), None for any. False: an error is set.
bool weft_py_dims(weft_graph *g, PyObject *list, weft_dim *dims, size_t *rank);
// inspect.c
bool weft_py_inspect_add(PyObject *module);
PyObject *weft_py_simplify(weft_graph *g);
// A function of Python that is told what goes on; the first exception in it ends the call.
typedef struct weft_py_progress {
  PyObject *call;
  PyObject *type, *value, *trace;
} weft_py_progress;
weft_status weft_py_progress_stage(void *ctx, const char *name);
bool weft_py_progress_raised(weft_py_progress *p);  // the exception is set
// Reads a model: from `path`, or from `data` when that is not None (kept by *view until the graph is gone).
weft_graph *weft_py_read(const env_object *env, PyObject *path, PyObject *data, held_view *view);
// {"batch": 4} and {"x": [1, 3]}: sizes of dims by their names, of inputs by theirs. False: an error is set.
bool weft_py_set_sizes(weft_graph *g, PyObject *dims, PyObject *shapes);
// Raises: no dim of an input has this name, whose names there are; false.
bool weft_py_no_dim(const weft_graph *g, const char *name);
// A tuple among them: (least, greatest or None) of a dim, a range for each dim of an input.
bool weft_py_set_range(weft_graph *g, const char *name, PyObject *value);
// A weft_write_fn that collects text, and its str.
typedef struct text_out {
  char *v;
  size_t n, room;
} text_out;
weft_status weft_py_collect(void *ctx, const char *text, size_t bytes);
PyObject *weft_py_text(text_out *t, weft_status s, const weft_diag *d);
// SPDX-License-Identifier: Apache-2.0
