// ms_activation.c - elementwise operators of com.microsoft.
#include "frontend/onnx/ms.h"

// x * sigmoid(alpha * x)
static weft_status quick_gelu(onnx_op *o) {
  weft_value *x = onnx_arg(o, 0);
  onnx_set(o, "scale", weft_attr_float(onnx_float(o, "alpha", 1.702f)));
  return onnx_result(o, 0, onnx_do(o, "Swish", x, NULL, NULL));
}

static const onnx_mapping activation_rows[] = {
    {"Gelu", 1, 0, "Gelu", NULL, ONNX_MS},
    {"QuickGelu", 1, 0, "Swish", quick_gelu, ONNX_MS},
};
const onnx_mappings weft__onnx_ms_activation = ONNX_MAPPINGS(activation_rows);
