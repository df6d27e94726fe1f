// where_like_custom.h - the prototype that graph builders use (R41): includes nothing but weft's public
// headers.
//   x  bool, any shape, ND        y  int64 [true_count, rank(x)], ND: coordinates of the true elements, row
//   by row
#pragma once
#include "weft/graph.h"

#ifdef __cplusplus
extern "C" {
#endif
enum { WHERE_LIKE_CUSTOM_X = 0 };  // IR index of the input
enum { WHERE_LIKE_CUSTOM_Y = 0 };  // IR index of the output

// Appends a WhereLikeCustom node to the graph.
static inline weft_status where_like_custom(weft_graph *g, const char *name, weft_value *x, weft_value **y,
                                            weft_diag *d) {
  return weft_graph_op1(g, "WhereLikeCustom", name, &x, 1, y, d);
}
#ifdef __cplusplus
}
#endif
// SPDX-License-Identifier: Apache-2.0
