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
static struct sigaction interrupt_before,
    interrupt_first;  // handlers that ours has replaced: now, and at first
static volatile sig_atomic_t interrupt_deep, interrupt_wanted;
static PyObject *interrupt_getsignal, *interrupt_default;  // signal.getsignal, signal.default_int_handler

// One that was put in place after ours may call ours, which must not call it again: it calls the first.
static void interrupt_handler(int number, siginfo_t *info, void *more) {
  const struct sigaction *next = interrupt_deep ? &interrupt_first : &interrupt_before;
  if (interrupt_waits && interrupt_wanted)
    weft_py_interrupted = 1;
  interrupt_deep++;
  if (next->sa_flags & SA_SIGINFO)
    next->sa_sigaction(number, info, more);
  else if (next->sa_handler != SIG_DFL && next->sa_handler != SIG_IGN)
    next->sa_handler(number);
  interrupt_deep--;
}

// Would Python raise KeyboardInterrupt? A handler of the program's own decides for itself, when the run is
// over.
static bool interrupt_is_pythons(void) {
  PyObject *type;
  PyObject *value;
  PyObject *trace;
  PyErr_Fetch(&type, &value, &trace);
  PyObject *now = PyObject_CallFunction(interrupt_getsignal, "i", SIGINT);
  const bool is = now == interrupt_default;
  Py_XDECREF(now);
  PyErr_Restore(type, value, trace);
  return is;
}
static void interrupt_install(bool first) {
  struct sigaction now = {.sa_sigaction = interrupt_handler, .sa_flags = SA_SIGINFO | SA_RESTART};
  sigemptyset(&now.sa_mask);
  if (!sigaction(SIGINT, &now, &interrupt_before) && first)
    interrupt_first = interrupt_before;
}
// Not at import: who imports weft and never runs it keeps the handlers that were there. And again and again,
// as asyncio.run and others put Python's handler in the place of ours; a look costs a system call, so that
// there is one a tick of the coarse clock (4 ms).
static void interrupt_watch(void) {
  static struct timespec looked;
  static bool installed;
  struct timespec now;
  struct sigaction is;
  clock_gettime(CLOCK_MONOTONIC_COARSE, &now);
  if (now.tv_nsec == looked.tv_nsec && now.tv_sec == looked.tv_sec)
    return;
  looked = now;
  interrupt_wanted = interrupt_is_pythons();
  if (!interrupt_wanted || sigaction(SIGINT, NULL, &is))
    return;
  if ((is.sa_flags & SA_SIGINFO) && is.sa_sigaction == interrupt_handler)
    return;
  interrupt_install(!installed);
  installed = true;
}

static bool interrupt_is_main(void) {
  return PyThread_get_thread_ident() == interrupt_main;
}
bool weft_py_enter(void) {
  const bool is_main = interrupt_is_main();
  if (is_main) {
    interrupt_watch();
    interrupt_waits++;
  }
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
  PyObject *signals = PyImport_ImportModule("signal");
  interrupt_getsignal = signals ? PyObject_GetAttrString(signals, "getsignal") : NULL;
  interrupt_default = signals ? PyObject_GetAttrString(signals, "default_int_handler") : NULL;
  Py_XDECREF(signals);
  return !PyErr_Occurred() && interrupt_at_fork(module);
}
// SPDX-License-Identifier: Apache-2.0
