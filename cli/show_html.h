// show_html.h - a graph as one HTML page that needs nothing else.
#pragma once
#include "cli.h"

// show_page.html without its marks: what stands before, between and behind graph, constants and plan.
// Generated.
typedef struct show_part {
  const char *text;
  size_t bytes;
} show_part;
extern const show_part show_page[4];

// Whole or not at all. Not inferred: without the shapes. plan: what weft_exec_print_plan gave of the program
// whose graph it is, for launches and memory; NULL: none.
weft_status show_html(const weft_graph *g, const char *plan, const char *path, weft_diag *d);
// SPDX-License-Identifier: Apache-2.0
