// options.h - a compiler's command line, taken apart for the two steps of a `.asc` file: it is preprocessed,
// and what was translated is compiled.
#pragma once
#include <stdint.h>

#include "text.h"

// A list of strings that are borrowed, and of texts of its own.
typedef struct ascc_list {
  const char **at;  // NULL behind the last
  size_t count;
  size_t room;
  char **own;
  size_t n_own;
  bool failed;
} ascc_list;
void ascc_list_add(ascc_list *l, const char *string);
void ascc_list_say(ascc_list *l, const char *format, ...) __attribute__((format(printf, 2, 3)));
void ascc_list_add_all(ascc_list *l, const ascc_list *from);
void ascc_list_free(ascc_list *l);

typedef enum ascc_mode {
  ASCC_LINK,
  ASCC_COMPILE,     // -c
  ASCC_ASSEMBLE,    // -S
  ASCC_PREPROCESS,  // -E: gives what is compiled, launches as calls
  ASCC_CHECK,       // -fsyntax-only
  ASCC_DEPENDS,     // -M, -MM
} ascc_mode;

typedef struct ascc_options {
  ascc_mode mode;
  const char *output;    // -o; NULL: not said
  const char *host;      // --host-compiler=; NULL: not said
  uint32_t arch;         // --npu-arch=dav-2201: 2201
  bool writes_depends;   // -MD, -MMD
  bool names_depends;    // -MF
  bool names_target;     // -MT, -MQ
  ascc_list sources;     // in Ascend C
  ascc_list preprocess;  // options of the first step alone
  ascc_list both;        // of both steps
  ascc_list rest;  // everything but `.asc` sources and weft's own options, in order, for the host's compiler;
                   // a source in Ascend C is ASCC_HERE
} ascc_options;
extern const char ASCC_HERE[];

// false: `error` says what is wrong.
bool ascc_options_read(ascc_options *out, const char *const *argv, size_t n, ascc_text *error);
void ascc_options_free(ascc_options *o);
// SPDX-License-Identifier: Apache-2.0
