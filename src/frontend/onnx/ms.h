// ms.h - what the files of Microsoft's domains share (ms_*.c). Their operators are ONNX Runtime's own: they
// stand in models that its quantiser, its optimiser and "saved optimised model" wrote. Each file holds the
// functions of one group and, at its end, their rows (a table that tables.c lists). The domains have one
// version, 1; o->m->version is that of ai.onnx, as everywhere. Attributes are checked against
// attributes_ms.inc before a function is called.
#pragma once
#include "frontend/onnx/map.h"

#define ONNX_MS "com.microsoft"

// ms_fused.c
// v through an activation of that name; p: its n parameters, defaults behind them. "": v itself.
weft_value *onnx_ms_activated(onnx_op *o, weft_value *v, weft_str name, const float *p, size_t n);
// Convolution of x, filter and bias (NULL: none), then the sum with `sum` (NULL: none), then `activation`.
weft_value *onnx_ms_conv(onnx_op *o, weft_value *const in[3], weft_value *sum);
// Between [N, C, places...] and [N, places..., C].
weft_value *onnx_ms_channels(onnx_op *o, weft_value *v, bool last);

// ms_qproduct.c
// a times b, of bytes less their zero points (NULL: 0), by both scales, plus the bias (NULL: none): numbers.
weft_value *onnx_ms_integers(onnx_op *o, weft_value *a, weft_value *b, weft_value *const scale[2],
                             weft_value *const zero[2], weft_value *bias);

// ms_nbits.c
// Bytes of two numbers each along the last axis as one number a byte.
weft_value *onnx_ms_halves(onnx_op *o, weft_value *v, bool low_first);
// SPDX-License-Identifier: Apache-2.0
