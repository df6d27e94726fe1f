// op_expect.h - the list of cases that are not expected to pass, with the reason (`weft op cases --expect`).
#pragma once
#include "cli.h"

typedef struct op_expect {
  char *text;  // the file; entries point into it
  struct op_expect_line {
    const char *op, *reason;
    long number;  // of the case; -1: all of the operator
  } * lines;
  size_t n;
} op_expect;

// Reads a file of lines `OPERATOR CASE REASON`, CASE a number or *; # begins a comment. Adds to what is
// there.
weft_status op_expect_read(op_expect *x, const char *path, weft_diag *d);
// Why this case need not pass; NULL: it must. *out_all: the line speaks of all cases of the operator.
const char *op_expect_find(const op_expect *x, const char *op, size_t number, bool *out_all);
void op_expect_free(op_expect *x);
// SPDX-License-Identifier: Apache-2.0
