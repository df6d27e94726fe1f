// tile_rules.h - which instruction of the tile machine an elementwise operator is.
#pragma once
#include "cpu/elementwise/tile.h"
#include "weft/op.h"

enum {
  WEFT__RULE_SAME,    // all inputs and the output of one dtype
  WEFT__RULE_TEST,    // inputs of one dtype, output BOOL
  WEFT__RULE_CHOOSE,  // input 0 BOOL, the others and the output of one dtype
  WEFT__RULE_CAST,
  WEFT__RULE_SUM,   // any number of inputs, added in order
  WEFT__RULE_NAME,  // the output is input 0
};
enum { WEFT__VIEW_NONE, WEFT__VIEW_CHANNEL };  // of input 1
typedef struct weft__tile_rule {
  const char *op;
  uint8_t code, n_in, kind;
  uint8_t n_params;  // float attributes, from slot 0 on
  uint8_t exact;     // a half stays one: nothing to round
  float cost;        // ns an element, about
} weft__tile_rule;
// NULL: the machine does not know the operator.
const weft__tile_rule *weft__tile_rule_of(const char *op);
// What attributes make of the rule: the code; 0 and *why when it is not taken.
uint8_t weft__tile_code(const weft__tile_rule *r, const weft_op_desc *n, const char **why);
// SPDX-License-Identifier: Apache-2.0
