// map_rules.c - ONNX operators that are one primitive with the same inputs and outputs and with attributes
// under other names, types or defaults: a line for each attribute that the primitive gets.
#include "frontend/onnx/map.h"

typedef enum {
  INT,
  BOOL,
  FLOAT,
  TEXT,
  LIST,
  IS_INT,
  IS_TEXT,
  IS_TRUE
} kind;  // IS_: not an attribute of ONNX
typedef struct rule {
  const char *op;
  int first, last;  // versions; last 0: all later ones
  kind kind;
  const char *from, *to;  // ONNX's name; the primitive's
  double number;          // the default
  const char *text;
} rule;

static const rule rules[] = {
    {"ConcatFromSequence", 1, 0, INT, "axis", "axis"},
    {"ConcatFromSequence", 1, 0, BOOL, "new_axis", "new_axis"},
    {"ConvTranspose", 1, 0, LIST, "kernel_shape", "kernel_shape"},
    {"ConvTranspose", 1, 0, LIST, "strides", "strides"},
    {"ConvTranspose", 1, 0, LIST, "dilations", "dilations"},
    {"ConvTranspose", 1, 0, LIST, "pads", "pads"},
    {"ConvTranspose", 1, 0, LIST, "output_padding", "output_padding"},
    {"ConvTranspose", 1, 0, LIST, "output_shape", "output_shape"},
    {"ConvTranspose", 1, 0, INT, "group", "group", 1},
    {"ConvTranspose", 1, 0, TEXT, "auto_pad", "auto_pad", 0, "NOTSET"},
    {"CumProd", 1, 0, BOOL, "exclusive", "exclusive"},
    {"CumProd", 1, 0, BOOL, "reverse", "reverse"},
    {"CumSum", 1, 0, BOOL, "exclusive", "exclusive"},
    {"CumSum", 1, 0, BOOL, "reverse", "reverse"},
    {"DepthToSpace", 1, 0, INT, "blocksize", "block_size"},
    {"DepthToSpace", 1, 0, TEXT, "mode", "mode", 0, "DCR"},
    {"DepthToSpace", 1, 0, IS_TEXT, NULL, "data_format", 0, "NCHW"},
    {"Elu", 1, 0, FLOAT, "alpha", "alpha", 1},
    {"GatherElements", 1, 0, INT, "axis", "dim"},
    {"GatherND", 1, 0, INT, "batch_dims", "batch_dims"},
    {"GatherND", 1, 0, IS_TRUE, NULL, "negative_index_support"},
    {"Gelu", 1, 0, TEXT, "approximate", "approximate", 0, "none"},
    {"HardSigmoid", 1, 0, FLOAT, "alpha", "alpha", 0.2f},
    {"HardSigmoid", 1, 0, FLOAT, "beta", "beta", 0.5},
    {"InstanceNormalization", 1, 0, FLOAT, "epsilon", "epsilon", 1e-5f},
    {"InstanceNormalization", 1, 0, IS_TEXT, NULL, "data_format", 0, "NCHW"},
    {"IsInf", 1, 0, BOOL, "detect_negative", "detect_negative", 1},
    {"IsInf", 1, 0, BOOL, "detect_positive", "detect_positive", 1},
    {"LeakyRelu", 1, 0, FLOAT, "alpha", "negative_slope", 0.01f},
    {"NonZero", 1, 0, IS_TRUE, NULL, "transpose"},
    {"RegexFullMatch", 1, 0, TEXT, "pattern", "pattern", 0, ""},
    {"ReverseSequence", 1, 0, INT, "batch_axis", "batch_dim", 1},
    {"ReverseSequence", 1, 0, INT, "time_axis", "seq_dim", 0},
    {"Scatter", 1, 0, INT, "axis", "axis"},
    {"ScatterElements", 1, 0, INT, "axis", "axis"},
    {"ScatterElements", 16, 0, TEXT, "reduction", "reduction", 0, "none"},
    {"ScatterND", 16, 0, TEXT, "reduction", "reduction", 0, "none"},
    {"Selu", 1, 5, FLOAT, "alpha", "alpha", 1.6732f},
    {"Selu", 1, 5, FLOAT, "gamma", "gamma", 1.0507f},
    {"Selu", 6, 0, FLOAT, "alpha", "alpha", 1.67326319217681884765625},
    {"Selu", 6, 0, FLOAT, "gamma", "gamma", 1.05070102214813232421875},
    {"Shrink", 1, 0, FLOAT, "bias", "bias", 0},
    {"Shrink", 1, 0, FLOAT, "lambd", "lambd", 0.5},
    {"Size", 1, 0, IS_INT, NULL, "dtype", WEFT_INT64},
    {"SpaceToDepth", 1, 0, INT, "blocksize", "block_size"},
    {"SpaceToDepth", 28, 0, TEXT, "mode", "mode", 0, "DCR"},
    {"SpaceToDepth", 1, 0, IS_TEXT, NULL, "data_format", 0, "NCHW"},
    {"SplitToSequence", 1, 0, INT, "axis", "axis"},
    {"SplitToSequence", 1, 0, BOOL, "keepdims", "keepdims", 1},
    {"StringSplit", 1, 0, TEXT, "delimiter", "delimiter", 0, ""},
    {"StringSplit", 1, 0, INT, "maxsplit", "maxsplit", -1},
    {"Swish", 1, 0, FLOAT, "alpha", "scale", 1},
    {"ThresholdedRelu", 1, 0, FLOAT, "alpha", "alpha", 1},
    {"TopK", 1, 0, INT, "axis", "dim", -1},
    {"TopK", 11, 0, BOOL, "largest", "largest", 1},
    {"TopK", 11, 0, BOOL, "sorted", "sorted", 1},
    {"TopK", 1, 0, IS_INT, NULL, "indices_dtype", WEFT_INT64},
    {"Trilu", 1, 0, INT, "upper", "upper", 1},
};

static weft_status apply(onnx_op *o, const rule *r) {
  weft_str text = {r->text, r->text ? strlen(r->text) : 0};
  int64_t i = (int64_t)r->number;
  float f = (float)r->number;
  weft_ints list;
  switch (r->kind) {
    case INT:
    case BOOL:
      WEFT_TRY(onnx_int_attr(o, r->from, i, &i));
      onnx_set(o, r->to, r->kind == INT ? weft_attr_int(i) : weft_attr_bool(i != 0));
      return WEFT_OK;
    case FLOAT:
      WEFT_TRY(onnx_float_attr(o, r->from, f, &f));
      onnx_set(o, r->to, weft_attr_float(f));
      return WEFT_OK;
    case TEXT:
      WEFT_TRY(onnx_str_attr(o, r->from, r->text, &text));
      onnx_set(o, r->to, weft_attr_str(text.text, text.bytes));
      return WEFT_OK;
    case LIST:
      WEFT_TRY(onnx_ints_attr(o, r->from, &list.v, &list.n));
      if (list.v)
        onnx_set(o, r->to, weft_attr_ints(list.v, list.n));
      return WEFT_OK;
    case IS_INT:
      onnx_set(o, r->to, weft_attr_int(i));
      return WEFT_OK;
    case IS_TEXT:
      onnx_set(o, r->to, weft_attr_str(text.text, text.bytes));
      return WEFT_OK;
    case IS_TRUE:
      onnx_set(o, r->to, weft_attr_bool(true));
      return WEFT_OK;
  }
  return WEFT_OK;
}

weft_status onnx_set_by_rules(onnx_op *o) {
  for (size_t i = 0; i < WEFT_COUNT(rules); i++) {
    const rule *r = &rules[i];
    if (!strcmp(r->op, o->map->name) && o->m->version >= r->first && (!r->last || o->m->version <= r->last))
      WEFT_TRY(apply(o, r));
  }
  return WEFT_OK;
}

weft_status onnx_by_rules(onnx_op *o) {
  weft_value *in[8];
  size_t n = o->n->inputs.n;
  if (n > WEFT_COUNT(in))
    return onnx_fail(o, WEFT_E_LIMIT, "%zu inputs, at most %zu are allowed", n, WEFT_COUNT(in));
  for (size_t i = 0; i < n; i++)
    in[i] = onnx_in(o, i);
  while (n && !in[n - 1])
    n--;
  WEFT_TRY(onnx_set_by_rules(o));
  return onnx_emit(o, o->map->primitive, in, n, NULL, o->n->outputs.n, NULL);
}
// SPDX-License-Identifier: Apache-2.0
