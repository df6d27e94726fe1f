// tables.h - the families of TensorFlow's operators, a file each.
#pragma once
#include "frontend/tf/tf.h"

#define TF_ROWS(array) \
  { array, WEFT_COUNT(array) }
extern const tf_rows tf_math;   // element by element
extern const tf_rows tf_data;   // elements arranged anew, chosen, made
extern const tf_rows tf_nn;     // convolutions, pools, norms, resizing
extern const tf_rows tf_image;  // boxes of pictures, dilation
extern const tf_rows tf_quant;  // fake quantisation
extern const tf_rows tf_linear;
extern const tf_rows tf_signal;       // complex numbers, Fourier transforms
extern const tf_rows tf_tables_text;  // hash tables, text
extern const tf_rows tf_state;        // constants, variables, calls
extern const tf_rows tf_flow;         // If, Case
extern const tf_rows tf_while;        // While
extern const tf_rows tf_lists;        // TensorLists
extern const tf_rows tf_switch;       // control flow v1
extern const tf_rows tf_segment;      // rows chosen by numbers, lists of tensors
extern const tf_rows tf_ragged;       // ragged and sparse tensors, several at once
extern const tf_rows tf_same;         // AscendIR has them under the same name

// ---- map_flow.c ----
// a where the condition is true, otherwise b; they need not have one shape.
weft_value *tf_choose(tf_op *o, weft_value *condition, weft_value *a, weft_value *b);

// ---- map_list.c ----
// A list of zeros. item_shape: INT64 [rank].
weft_value *tf_list_filled(front_op *b, const tf_list *l, weft_value *item_shape);
// SPDX-License-Identifier: Apache-2.0
