// program.h - what the files of programs share: the object, and one run's tensors.
#pragma once
#include "common.h"

typedef struct program_object {
  PyObject_HEAD weft_program *p;
  weft_session *session;  // of this program alone, as number 0
  PyObject *env;
  held_view data;
  size_t n_in, n_out;
  weft_tensor_desc *in, *out;
} program_object;

// A run: tensors over the arrays that are given, tensors of outputs.
typedef struct run {
  size_t n_in, n_out;
  weft_tensor *in;  // of Python's memory
  const weft_tensor **given;
  held_view *views;      // of inputs, then of outputs
  tensor_object **made;  // outputs that weft allocates; NULL: the caller's array
  weft_tensor *placed;   // over the caller's arrays; only those that `out` names are tensors
  weft_tensor **out;
  void *memory;
} run;

bool weft_py_is_program(PyObject *o);
// Runs with a tuple of inputs and a tuple of places or None; a tuple of outputs, or one output `alone`. NULL:
// an error is set.
PyObject *weft_py_program_run(program_object *self, PyObject *given, PyObject *places, bool alone);
bool weft_py_call_add(PyObject *module);
// Memory for a run; `few`: of the caller, for few tensors. False: an error is set.
bool weft_py_run_begin(run *r, size_t n_in, size_t n_out, void *few, size_t few_bytes);
void weft_py_run_end(run *r);
bool weft_py_run_counts(const program_object *self, PyObject *given, PyObject *places);
bool weft_py_run_inputs(const program_object *self, run *r, PyObject *given);
bool weft_py_run_outputs(const program_object *self, run *r, PyObject *places);
// Have the arrays that were given for outputs the outputs' shapes?
bool weft_py_run_fits(const program_object *self, const run *r, PyObject *places);
// state.c: methods of a program. Arguments stand there.
PyObject *weft_py_states(PyObject *o, PyObject *none);
PyObject *weft_py_state_read(PyObject *o, PyObject *args);
PyObject *weft_py_state_write(PyObject *o, PyObject *args);
PyObject *weft_py_state_reset(PyObject *o, PyObject *args);
PyObject *weft_py_state_file(PyObject *o, PyObject *args);
// bound.c: bind((inputs...), (places...)) -> an object whose run() looks nothing up
PyObject *weft_py_bound_make(PyObject *program, PyObject *args);
bool weft_py_bound_add(void);
// SPDX-License-Identifier: Apache-2.0
