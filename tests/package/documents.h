// documents.h - what the operators of the documents' package share: the list of operators, and numbers read
// without the library, because a package links against nothing.
#pragma once
#include <string.h>

#include "weft/op.h"

extern const weft_op documents_add_custom, documents_foo, documents_my_op, documents_custom_conv2d,
    documents_custom_pool, documents_trans_data, documents_dynamic_rnn_v3, documents_unique_like;

// Half precision, round to nearest even. The sum or product of two halves, rounded to float first, rounds
// right.
float documents_half_to_float(uint16_t bits);
uint16_t documents_float_to_half(float v);
float documents_load(weft_dtype t, const void *data, size_t i);  // FLOAT or FLOAT16
void documents_store(weft_dtype t, void *data, size_t i, float v);
size_t documents_elems(const weft_shape *s);  // of a known shape
// The dims of an input as those of an output; an unknown rank stays one.
weft_status documents_same_shape(weft_infer *it, uint32_t out, uint32_t in);
// SPDX-License-Identifier: Apache-2.0
