// show_svg.h - a graph as one picture that needs nothing else: no graphviz, no fonts, no script.
#pragma once
#include "cli.h"

// Whole or not at all. Not inferred: without the shapes.
weft_status show_svg(const weft_graph *g, const char *path, weft_diag *d);
// SPDX-License-Identifier: Apache-2.0
