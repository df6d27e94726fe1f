// interrupt.c - Ctrl-C while weft works. Python's own handler notes SIGINT and raises KeyboardInterrupt in
// the main thread when control is back there; the one here tells weft to come back soon, too. It concerns the
// main thread alone: an interrupt that comes while that thread is elsewhere is Python's, and what other
// threads run goes on.
#include <signal.h>
#include <time.h>

#include "common.h"

volatile int weft_py_interrupted;
static volatile sig_atomic_t interrupt_waits;  // calls of the main thread inside weft, one within the other
static unsigned long interrupt_main;           // its ident
static struct sigaction interrupt_before;

static void interrupt_handler(int number, siginfo_t *info, void *more) {
  if (interrupt_waits)
    weft_py_interrupted = 1;
  if (interrupt_before.sa_flags & SA_SIGINFO)
    interrupt_before.sa_sigaction(number, info, more);
  else if (interrupt_before.sa_handler != SIG_DFL && interrupt_before.sa_handler != SIG_IGN)
    interrupt_before.sa_handler(number);
}
// At the first call, not at import: who imports weft and never runs it keeps the handlers that were there.
static void interrupt_watch(void) {
  static bool watched;
  struct sigaction now = {.sa_sigaction = interrupt_handler, .sa_flags = SA_SIGINFO | SA_RESTART};
  if (watched)
    return;
  watched = true;
  if (sigaction(SIGINT, NULL, &interrupt_before))
    return;
  if (interrupt_before.sa_handler == SIG_DFL || interrupt_before.sa_handler == SIG_IGN)
    return;  // nobody would raise KeyboardInterrupt
  sigemptyset(&now.sa_mask);
  sigaction(SIGINT, &now, NULL);
}

static bool interrupt_is_main(void) {
  return PyThread_get_thread_ident() == interrupt_main;
}
bool weft_py_enter(void) {
  const bool is_main = interrupt_is_main();
  interrupt_watch();
  if (is_main)
    interrupt_waits++;
  return is_main;
}
void weft_py_leave(bool is_main) {
  if (!is_main)
    return;
  interrupt_waits--;
  if (!interrupt_waits)
    weft_py_interrupted = 0;
}
bool weft_py_again(weft_status s, weft_diag *d) {
  const struct timespec pause = {.tv_nsec = 1000000};
  if (s != WEFT_E_CANCELLED || interrupt_is_main())
    return false;
  Py_BEGIN_ALLOW_THREADS;
  while (weft_py_interrupted)
    nanosleep(&pause, NULL);
  Py_END_ALLOW_THREADS;
  weft_diag_clear(d);
  return true;
}

// The main thread of a forked child is the one that forked.
static PyObject *interrupt_forked(PyObject *module, PyObject *none) {
  (void)module;
  (void)none;
  interrupt_main = PyThread_get_thread_ident();
  interrupt_waits = 0;
  weft_py_interrupted = 0;
  Py_RETURN_NONE;
}
static PyMethodDef interrupt_method = {"after_fork", interrupt_forked, METH_NOARGS, NULL};

static bool interrupt_at_fork(PyObject *module) {
  PyObject *os = PyImport_ImportModule("os");
  PyObject *at_fork = os ? PyObject_GetAttrString(os, "register_at_fork") : NULL;
  PyObject *function = PyCFunction_NewEx(&interrupt_method, module, NULL);
  PyObject *none = PyTuple_New(0);
  PyObject *named = function ? Py_BuildValue("{sO}", "after_in_child", function) : NULL;
  PyObject *done = at_fork && none && named ? PyObject_Call(at_fork, none, named) : NULL;
  const bool ok = done;
  Py_XDECREF(done);
  Py_XDECREF(named);
  Py_XDECREF(none);
  Py_XDECREF(function);
  Py_XDECREF(at_fork);
  Py_XDECREF(os);
  return ok;
}
bool weft_py_interrupts_add(PyObject *module) {
  PyObject *threading = PyImport_ImportModule("threading");
  PyObject *thread = threading ? PyObject_CallMethod(threading, "main_thread", NULL) : NULL;
  PyObject *ident = thread ? PyObject_GetAttrString(thread, "ident") : NULL;
  if (ident)
    interrupt_main = PyLong_AsUnsignedLong(ident);
  Py_XDECREF(ident);
  Py_XDECREF(thread);
  Py_XDECREF(threading);
  return !PyErr_Occurred() && interrupt_at_fork(module);
}
// SPDX-License-Identifier: Apache-2.0
