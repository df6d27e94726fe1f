// kernel.h - loaded binaries, their kernels, and lists of arguments.
#pragma once
#include "state.h"
#include "weft_cann/acl_launch.h"
#include "weft_cann/asc_packed.h"

enum { MOST_ARGUMENTS = 256, MOST_ARGUMENT_BYTES = 1 << 20 };

typedef struct acl_binary acl_binary;
typedef struct acl_function {
  struct acl_function *next;
  acl_binary *binary;
  weft_asc_entry_fn entry;
  size_t n;                            // arguments
  uint32_t sizes[2 * MOST_ARGUMENTS];  // offset and size of each
  char name[];
} acl_function;

typedef struct acl_argument {
  void *at;  // the value
  size_t size;
  void *buffer;  // of a place holder
  bool holder;
} acl_argument;
typedef struct acl_arguments {
  struct acl_arguments *next;
  acl_function *function;
  size_t n;
  bool closed;
  acl_argument list[MOST_ARGUMENTS];
} acl_arguments;

struct acl_binary {
  acl_binary *next;
  void *library;
  int file;  // that the library lies in, kept so that no other has its name; -1: a file of the user's
  uint32_t running;
  acl_function *functions;
  acl_arguments *arguments;
};

// Under the lock. NULL: unloaded, or never made.
acl_function *acl_function_find(const void *handle);
acl_arguments *acl_arguments_find(const void *handle);
// The binary stays while a kernel of it runs. NULL: there is no such function, and acl_fail was called.
acl_function *acl_function_hold(const char *call, const void *handle);
void acl_function_leave(acl_function *f);
void acl_arguments_free_all(acl_binary *b);
// Runs it and gives back what was wrong with the call; what the kernel did wrong is the stream's.
aclError acl_launch(const char *call, acl_function *f, weft_asc_packed *p);
// SPDX-License-Identifier: Apache-2.0
