// load.h - the TensorFlow reader for those who tell files apart. Layer: frontend.
#pragma once
#include "weft/graph.h"

// A frozen GraphDef from memory, which must outlive the graph: constants stay where they lie.
weft_status weft__tf_read(weft_env *e, const void *data, size_t bytes, const char *name, weft_graph **out,
                          weft_diag *d);
// A file: a frozen GraphDef, or a SavedModel (its folder, or saved_model.pb in it), which the graph keeps.
// signature NULL: serving_default, or the only one.
weft_status weft__tf_load(weft_env *e, const char *path, const char *signature, weft_graph **out,
                          weft_diag *d);
// Do the first bytes look like a GraphDef?
bool weft__tf_begins(const void *data, size_t bytes);
// SPDX-License-Identifier: Apache-2.0
