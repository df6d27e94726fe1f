// show_html.h - a graph as one HTML page that needs nothing else.
#pragma once
#include "cli.h"

// show_page.html without its marks: before the graph, between graph and constants, after them. Generated.
typedef struct show_part {
  const char *text;
  size_t bytes;
} show_part;
extern const show_part show_page[3];

// Whole or not at all. Not inferred: without the shapes.
weft_status show_html(const weft_graph *g, const char *path, weft_diag *d);
