// options.h - the options of a sub-command as one table: what parses them also prints them, so that --help
// and parsing cannot disagree.
#pragma once
#include <stddef.h>

#include "runner.h"

typedef enum option_kind {
  OPTION_NOTE,    // a line of help only
  OPTION_FLAG,    // target: a bool, set to true
  OPTION_CHOICE,  // target: an int, set to `is`; the last one given holds
  OPTION_TEXT,    // target: a const char *, the value as it was given
  OPTION_SHAPE,   // target: shape_options; the name is --shape, --range or --dim
  OPTION_RUNNER,  // target: runner_options; the name is one of those that runner_option takes
  OPTION_CALL,    // its value goes to `take`
} option_kind;

// Takes the value of an option; returns an exit status.
typedef int (*option_take_fn)(void *job, const char *usage, const char *value);

typedef struct option {
  const char *name;   // with its dashes. NULL: `help` is printed as it stands
  const char *after;  // what --help writes after the name, " FILE"; NULL: nothing
  const char *help;   // its lines are set in one column; NULL: the line of another option explains it
  option_kind kind;
  size_t target;  // offset in the sub-command's job
  int is;
  option_take_fn take;
} option;

typedef struct options {
  const char *usage;   // what --help prints before the table
  const char *ending;  // and after it
  int column;          // bytes of names and what stands after them, so that help begins in one column
  const option *v;
  size_t n;
  size_t model;  // offset of a const char * in the job: the argument that is not an option
} options;

// Parses the arguments into the job. Not EXIT_OK: said on stderr.
int options_parse(const options *o, void *job, int argc, char **argv);
void options_print(const options *o, FILE *to);
// SPDX-License-Identifier: Apache-2.0
