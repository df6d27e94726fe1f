// load.h - the MindSpore reader for those who tell files apart. Layer: frontend.
#pragma once
#include "weft/graph.h"

// A MINDIR from memory, which must outlive the graph: parameters stay where they lie. `name` is what messages
// call it. Data that lie in other files are looked for in the folder of `path`; NULL: they are refused.
weft_status weft__ms_read(weft_env *e, const void *data, size_t bytes, const char *name, const char *path,
                          weft_graph **out, weft_diag *d);
// Do the first bytes look like a MINDIR, or like another file of MindSpore's (MindSpore Lite's), which is
// refused with what to do?
bool weft__ms_begins(const void *data, size_t bytes);
// SPDX-License-Identifier: Apache-2.0
