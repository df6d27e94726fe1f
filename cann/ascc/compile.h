// compile.h - a source in Ascend C through the host's C++ compiler: preprocessed, translated, compiled.
// Preprocessing comes first: launches in macros and headers are seen, what `#if` leaves out is not, and files
// that a source depends on are listed by the compiler itself.
#pragma once
#include "options.h"

// Where weft's headers and libraries are.
typedef struct ascc_home {
  ascc_list includes;   // options
  ascc_list libraries;  // options
} ascc_home;
// Of the tree that `file` (a program or library of weft's) was installed into; else the one that it was built
// in.
void ascc_home_find(ascc_home *home, const char *file);
void ascc_home_free(ascc_home *home);

// The compiler that is called: --host-compiler=, WEFT_ASC_CXX, c++.
const char *ascc_host(const ascc_options *o);

typedef struct ascc_job {
  const ascc_options *options;
  const ascc_home *home;
  const char *source;   // a file's name
  const char *output;   // NULL: as compilers name it
  ascc_text *messages;  // of compilers and weft's own; NULL: compilers' go to stderr
  ascc_text *error;     // what weft itself has to say
  uint32_t seconds;     // for each step; 0: any time
  uint64_t file_bytes;  // for each file; 0: any size
  ascc_list *last;      // more options of the second step; NULL: none
} ascc_job;

// The source as C++ without launches.
int ascc_preprocess(const ascc_job *job, ascc_text *out);
// What the compiler makes of it, in options->mode. The compiler's exit status, 1 with `error`.
int ascc_compile(const ascc_job *job);
// The status of a process as an exit status; says what became of one that gave none.
int ascc_status(int status, const char *program, uint32_t seconds, ascc_text *error);
// SPDX-License-Identifier: Apache-2.0
