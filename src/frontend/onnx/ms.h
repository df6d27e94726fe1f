// ms.h - what the files of Microsoft's domains share (ms_*.c). Their operators are ONNX Runtime's own: they
// stand in models that its quantiser, its optimiser and "saved optimised model" wrote. Each file holds the
// functions of one group and, at its end, their rows (a table that tables.c lists). The domains have one
// version, 1; o->m->version is that of ai.onnx, as everywhere. Attributes are checked against
// attributes_ms.inc before a function is called.
#pragma once
#include "frontend/onnx/map.h"

#define ONNX_MS "com.microsoft"
