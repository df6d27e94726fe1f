// cli.h - what the sub-commands share. A sub-command is one file with one function and its help text; it uses
// the public headers only. Exit status: 0 success; 1 the work failed (message on stderr); 2 wrong usage; 3
// compared things differ.
#pragma once
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "weft/weft.h"

enum { EXIT_OK = 0, EXIT_FAILED = 1, EXIT_USAGE = 2, EXIT_DIFFERENT = 3 };

typedef struct command {
  const char *name, *line;            // one line for the list of commands
  const char *help;                   // for --help; NULL: `options` prints it
  int (*run)(int argc, char **argv);  // argv[0] is the command's name
  const struct options *options;      // options.h
} command;
extern const command cmd_infer, cmd_show, cmd_run, cmd_diff, cmd_op, cmd_onnx_test, cmd_convert, cmd_compile,
    cmd_bisect, cmd_bench, cmd_atc, cmd_cases, cmd_serve;

// Walks over the arguments: options first come, positional ones are collected. "--name value" and
// "--name=value".
typedef struct args {
  int argc, at;
  char **argv;
  const char *help;
} args;
// Is the argument at hand this option? With value: *value receives it (an error and exit status 2 when it is
// missing).
bool arg_flag(args *a, const char *name);
bool arg_value(args *a, const char *name, const char **value);
bool arg_positional(args *a, const char **value);
// An argument that is none of those that `help` lists: its nearest option is named.
int unexpected(const char *help, const char *given);
// Which of some words did the user mean? The nearest one, "" when none is near.
typedef struct nearest {
  const char *given;
  size_t bytes, least;  // of `given`; edits that are too many
  char word[256];
} nearest;
nearest nearest_to(const char *given, size_t bytes);
void nearest_try(nearest *n, const char *word, size_t bytes);
// No command of `tool` ("weft", "weft op") has this name.
int no_command(const char *tool, const nearest *n);
// One line on stderr: what is wrong, and the command whose --help says more (`help` is its text, NULL:
// weft's).
int usage_error(const char *help, const char *fmt, ...) WEFT_PRINTF(2, 3);

// Environments that are opened afterwards copy the files that they read: --copy.
void copy_files(void);
// SavedModels that are loaded afterwards are read by this signature: --signature.
void take_signature(const char *name);
// Their kernels use this instruction set at most: --isa.
void use_isa(const char *most);
// An environment with warnings on stderr. NULL: printed.
weft_env *open_env(void);
// strict: what only gets a warning otherwise is an error (shapes that the model declares wrongly), and
// branches that never run are checked, too. threads 0: all that there are.
weft_env *open_env_with(bool strict, uint32_t threads);
weft_env *open_env_alone(void);                      // without the packages of the environment's paths
bool path_ends(const char *path, const char *with);  // ".npz", say
// limits.c. Takes --memory and --time out of the arguments: an exit status. What they say, or what holds
// without them. And after an error that a limit caused: which option sets it.
int limits_take(int *argc, char **argv);
const weft_limits *limits_of_tool(void);
void limits_hint(const weft_diag *d);
// For tensors that are read from files: E_NOMEM where they would pass --memory, which limits_explain makes
// E_LIMIT. Of one thread.
const weft_allocator *limits_allocator(void);
weft_status limits_explain(weft_status s, weft_diag *d);
int fail_with(const weft_diag *d);  // prints "weft: error: ..." on stderr, returns EXIT_FAILED
weft_status to_stdout(void *ctx, const char *text, size_t bytes);  // a weft_write_fn

// Reads a graph: ONNX, the text form, the binary form, or the documents' JSON model, by what the file holds.
weft_status load_graph(weft_env *e, const char *path, weft_graph **out, weft_diag *d);
weft_status load_graph_with(weft_env *e, const char *path, const weft_onnx_options *o, weft_graph **out,
                            weft_diag *d);
// For looking only: operators that weft does not have stand there as Unknown, with a warning.
weft_status load_to_look(weft_env *e, const char *path, weft_graph **out, weft_diag *d);
// Reads a whole file into malloc'ed memory.
weft_status read_file(const char *path, char **out, size_t *out_bytes, weft_diag *d);
// A tensor with data from a literal ("f32[2]{1,2}"), a .npy file or a .pb file. Initialised by the callee.
weft_status read_tensor(const char *text, weft_tensor *t, weft_diag *d);
// The same of a value of the graph, so that sequences and optionals come from .pb files, too. v NULL: a
// tensor.
weft_status read_value(const char *text, const weft_value *v, weft_tensor *t, weft_diag *d);
// What --shape, --range and --dim said, in their order.
typedef enum shape_kind { SHAPE_IS, SHAPE_RANGE, SHAPE_DIM } shape_kind;
typedef struct shape_options {
  const char *text[64];
  shape_kind kind[64];
  size_t n;
} shape_options;
// Takes --shape, --range and --dim; 0: taken, -1: none of them, otherwise the exit status.
int shape_option(args *a, shape_options *o);
weft_status set_shapes(weft_graph *g, const shape_options *o, weft_diag *d);
// "batch=4": from now on dims of this name, also where it stands in an expression, can only be 4; the inputs
// themselves are not changed. E_NOT_FOUND: theirs have other names. fixed_dim: what a dim can only be, or -1.
weft_status fix_dim(const weft_graph *g, const char *text, weft_diag *d);
int64_t fixed_dim(const weft_graph *g, weft_dim dim);
// Which options bound the sizes of the first input that the model leaves without a bound.
const char *how_to_bound(const weft_graph *g, char *text, size_t cap);
// Says on stderr that sizes which the model leaves open were made up, and how to give them.
void tell_made_up(const weft_graph *g, const weft_value *v, const weft_dim *dims, size_t rank);
// The largest error of a comparison that passed or failed, with what was allowed: " (largest error ...;
// allowed ...)".
// "" where no numbers were compared. floats: the tolerances are of them; other numbers must be equal.
const char *largest_error(const weft_difference *x, bool floats, double rtol, double atol, char *buf,
                          size_t cap);
// The graph input of this name; E_NOT_FOUND names the inputs that there are. `option` is what the user wrote
// it after.
weft_status find_input(const weft_graph *g, const char *option, const char *name, weft_value **out,
                       weft_diag *d);
// values.c. The value of this name, also one in a body; E_NOT_FOUND names what may have been meant.
weft_status find_value(const weft_graph *g, const char *option, const char *name, const weft_value **out,
                       weft_diag *d);
// The operator of a node, of one that weft does not have the model's name for it.
const char *node_label(const weft_node *n);
// A whole file or nothing of it.
weft_status save_text(const char *path, const char *text, size_t bytes, weft_diag *d);
// .npy; of a map NAME.keys.npy and NAME.values.npy, of a sequence NAME.0.npy and so on.
weft_status write_tensor(const char *path, const weft_tensor *t, weft_diag *d);
void fill_random(weft_tensor *t,
                 uint64_t *state);           // floats in [-1,1), integers 0 and 1 (mostly indices), bools
void print_onnx_types(const weft_graph *g);  // onnx_types.c
// SPDX-License-Identifier: Apache-2.0
