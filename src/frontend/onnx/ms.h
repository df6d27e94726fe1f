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
// Between [N, C, places...] and [N, places..., C].
weft_value *onnx_ms_channels(onnx_op *o, weft_value *v, bool last);
