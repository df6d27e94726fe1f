// op.h - the sub-commands of `weft op`.
#pragma once
#include "cli.h"

int op_list(int argc, char **argv);
int op_show(int argc, char **argv);
int op_doctor(int argc, char **argv);
int op_test(int argc, char **argv);
int op_run(int argc, char **argv);
int op_new(int argc, char **argv);      // op_new.c
int op_cases(int argc, char **argv);    // op_cases.c
int op_tile(int argc, char **argv);     // op_tile.c
int op_kernels(int argc, char **argv);  // op_kernels.c
// op_missing.c: says which operators of a model weft does not infer or run. Exit status.
int op_missing(const char *path);
// op_sources.c: says which headers and macros of the sources below the folders, one project, weft does not
// have. Exit status.
int op_sources(char *const *folders, size_t n);
// op_watch.c. From begin to end every case may take so many seconds (0: any number); then the process ends
// with exit status 1, and says which case it was. A fatal signal is preceded by the same word. op_watch_case:
// another began.
void op_watch_begin(double seconds);
void op_watch_case(void *ctx, const char *text);
void op_watch_end(void);
extern const char op_list_help[], op_show_help[], op_doctor_help[], op_test_help[], op_run_help[],
    op_new_help[], op_cases_help[], op_tile_help[], op_kernels_help[];
// SPDX-License-Identifier: Apache-2.0
