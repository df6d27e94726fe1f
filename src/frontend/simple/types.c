// types.c - which primitive each framework's operator becomes. One table for all frameworks: a line names the
// spelling, the primitive, and the order of positional parameters. A type that has no line is an operator's
// own name, so that operators of packages are reachable from every framework.
#include "frontend/simple/simple.h"

#define ANY   15u
#define PLAIN (1u << SIMPLE_PLAIN)
#define TORCH (1u << SIMPLE_PYTORCH)
#define TF    (1u << SIMPLE_TENSORFLOW)
#define MIND  (1u << SIMPLE_MINDSPORE)
#define CONV_DROPPED \
  "in_channels out_channels out_channel bias has_bias filters use_bias mode weight_init bias_init"

static const simple_type types[] = {
    {TORCH, "Conv2d", "Conv2D", simple_conv,
     "in_channels out_channels kernel_size stride padding dilation groups bias padding_mode", CONV_DROPPED},
    {TORCH, "conv2d", "Conv2D", simple_conv, "stride padding dilation groups"},
    {TF, "conv2d", "Conv2D", simple_conv, "strides padding data_format dilations"},
    {TF, "Conv2D", "Conv2D", simple_conv,
     "filters kernel_size strides padding data_format dilation_rate groups", CONV_DROPPED},
    {MIND, "Conv2d", "Conv2D", simple_conv,
     "in_channels out_channels kernel_size stride pad_mode padding dilation group has_bias weight_init "
     "bias_init "
     "data_format",
     CONV_DROPPED},
    {MIND, "Conv2D", "Conv2D", simple_conv,
     "out_channel kernel_size mode pad_mode pad stride dilation group data_format", CONV_DROPPED},
    {PLAIN, "Conv2D", "Conv2D", simple_conv},
    {PLAIN, "Conv2d", "Conv2D", simple_conv},
    {PLAIN, "conv2d", "Conv2D", simple_conv},
    {TORCH, "MaxPool2d", "MaxPool", simple_max_pool,
     "kernel_size stride padding dilation return_indices ceil_mode"},
    {TORCH, "max_pool2d", "MaxPool", simple_max_pool,
     "kernel_size stride padding dilation ceil_mode return_indices"},
    {TF, "max_pool2d", "MaxPool", simple_max_pool, "ksize strides padding data_format"},
    {TF, "max_pool", "MaxPool", simple_max_pool, "ksize strides padding data_format"},
    {TF, "MaxPool", "MaxPool", simple_max_pool},
    {TF, "MaxPool2D", "MaxPool", simple_max_pool, "pool_size strides padding data_format"},
    {TF, "MaxPooling2D", "MaxPool", simple_max_pool, "pool_size strides padding data_format"},
    {MIND, "MaxPool2d", "MaxPool", simple_max_pool,
     "kernel_size stride pad_mode padding dilation return_indices ceil_mode data_format"},
    {MIND, "MaxPool", "MaxPool", simple_max_pool, "kernel_size strides pad_mode data_format"},
    {PLAIN, "MaxPool", "MaxPool", simple_max_pool},
    {PLAIN, "MaxPool2d", "MaxPool", simple_max_pool},
    {TORCH, "AvgPool2d", "AvgPoolV2", simple_avg_pool,
     "kernel_size stride padding ceil_mode count_include_pad divisor_override"},
    {TORCH, "avg_pool2d", "AvgPoolV2", simple_avg_pool,
     "kernel_size stride padding ceil_mode count_include_pad divisor_override"},
    {TF, "avg_pool2d", "AvgPoolV2", simple_avg_pool, "ksize strides padding data_format"},
    {TF, "avg_pool", "AvgPoolV2", simple_avg_pool, "ksize strides padding data_format"},
    {TF, "AvgPool", "AvgPoolV2", simple_avg_pool},
    {TF, "AveragePooling2D", "AvgPoolV2", simple_avg_pool, "pool_size strides padding data_format"},
    {MIND, "AvgPool2d", "AvgPoolV2", simple_avg_pool,
     "kernel_size stride pad_mode padding ceil_mode count_include_pad divisor_override data_format"},
    {MIND, "AvgPool", "AvgPoolV2", simple_avg_pool, "kernel_size strides pad_mode data_format"},
    {PLAIN, "AvgPool", "AvgPoolV2", simple_avg_pool},
    {PLAIN, "AvgPool2d", "AvgPoolV2", simple_avg_pool},
    {ANY, "ReLU", "Relu", NULL, "inplace", "inplace"},
    {ANY, "relu", "Relu", NULL, NULL, "inplace"},
    {ANY, "ReLU6", "Relu6", NULL, "inplace", "inplace"},
    {ANY, "relu6", "Relu6", NULL, NULL, "inplace"},
    {ANY, "sigmoid", "Sigmoid"},
    {ANY, "tanh", "Tanh"},
    {ANY, "exp", "Exp"},
    {ANY, "log", "Log"},
    {ANY, "sqrt", "Sqrt"},
    {ANY, "rsqrt", "Rsqrt"},
    {ANY, "abs", "Abs"},
    {ANY, "neg", "Neg"},
    {ANY, "negative", "Neg"},
    {ANY, "identity", "Identity"},
    {ANY, "add", "Add"},
    {ANY, "AddV2", "Add"},
    {ANY, "TensorAdd", "Add"},
    {ANY, "sub", "Sub"},
    {ANY, "subtract", "Sub"},
    {ANY, "Subtract", "Sub"},
    {ANY, "mul", "Mul"},
    {ANY, "multiply", "Mul"},
    {ANY, "Multiply", "Mul"},
    {ANY, "div", "RealDiv"},
    {ANY, "divide", "RealDiv"},
    {ANY, "truediv", "RealDiv"},
    {ANY, "maximum", "Maximum"},
    {ANY, "minimum", "Minimum"},
    {ANY, "matmul", "BatchMatMulV2"},
    {ANY, "MatMul", "BatchMatMulV2"},
    {TORCH | TF | MIND, "Softmax", "SoftmaxV2", NULL, "axis"},
    {PLAIN, "Softmax", "SoftmaxV2"},
    {ANY, "softmax", "SoftmaxV2", NULL, "axis"},
    {TORCH | MIND, "Flatten", "FlattenV2", NULL, "start_dim end_dim"},
    {TF, "Flatten", "FlattenV2"},
};

// Longest first where one begins another. framework -1: the model's, PyTorch's when it is "simple".
static const struct prefix {
  const char *text;
  int framework;
  bool keras;
} prefixes[] = {
    {"torch.nn.functional.", SIMPLE_PYTORCH},
    {"torch.nn.", SIMPLE_PYTORCH},
    {"torch.", SIMPLE_PYTORCH},
    {"aten::", SIMPLE_PYTORCH},
    {"tf.keras.layers.", SIMPLE_TENSORFLOW, true},
    {"keras.layers.", SIMPLE_TENSORFLOW, true},
    {"tf.raw_ops.", SIMPLE_TENSORFLOW},
    {"tf.math.", SIMPLE_TENSORFLOW},
    {"tf.nn.", SIMPLE_TENSORFLOW},
    {"tf.", SIMPLE_TENSORFLOW},
    {"mindspore.nn.", SIMPLE_MINDSPORE},
    {"mindspore.ops.", SIMPLE_MINDSPORE},
    {"nn.functional.", SIMPLE_PYTORCH},
    {"nn.", -1},
};

bool simple_has_word(const char *words, const char *name) {
  size_t n = strlen(name);
  for (const char *p = words; p && *p && n;) {
    size_t len = strcspn(p, " ");
    if (len == n && !memcmp(p, name, n))
      return true;
    p += len + (p[len] == ' ');
  }
  return false;
}

// Takes the prefix off and finds whose operator it is.
static weft_status strip(simple_op *o, const char **out) {
  int said = o->m->framework;
  *out = o->type;
  o->framework = said;
  for (size_t i = 0; i < WEFT_COUNT(prefixes); i++) {
    size_t n = strlen(prefixes[i].text);
    if (strncmp(o->type, prefixes[i].text, n))
      continue;
    int own = prefixes[i].framework;
    if (own >= 0 && said != SIMPLE_PLAIN && own != said) {
      return simple_fail(o, WEFT_E_INVALID, ".type: '%.80s' is an operator of %s, the model is one of %s",
                         o->type, simple_framework_names[own], simple_framework_names[said]);
    }
    o->framework = own >= 0 ? own : said != SIMPLE_PLAIN ? said : SIMPLE_PYTORCH;
    o->keras = prefixes[i].keras;
    *out = o->type + n;
    return WEFT_OK;
  }
  return WEFT_OK;
}

weft_status simple_primitive(simple_op *o, const char *name) {
  o->proto = weft_find(o->m->env, name);
  if (o->proto)
    return WEFT_OK;
  return simple_fail(o, WEFT_E_UNSUPPORTED, ".type: '%.80s' becomes '%s', which is not registered", o->type,
                     name);
}

static weft_status types_resolve(simple_op *o) {
  const char *name;
  WEFT_TRY(strip(o, &name));
  for (size_t i = 0; i < WEFT_COUNT(types) && !o->row; i++) {
    if (types[i].frameworks & 1u << o->framework && !strcmp(types[i].name, name))
      o->row = &types[i];
  }
  if (o->row)
    return simple_primitive(o, o->row->primitive);
  o->proto = weft_find(o->m->env, o->type);
  if (!o->proto)
    o->proto = weft_find(o->m->env, name);
  // A name of the catalogue may mean something else in another framework.
  if (o->proto && o->framework != SIMPLE_PLAIN && weft_proto_source(o->proto) == WEFT_FROM_CATALOGUE)
    o->proto = NULL;
  return WEFT_OK;
}

// Every operator of the model; those that are not known are collected, the first 20 with their lines.
static weft_status resolve_all(simple_model *m, weft_text *list) {
  size_t missing = 0;
  for (size_t i = 0; i < m->n_ops; i++) {
    simple_op *o = &m->ops[i];
    WEFT_TRY(types_resolve(o));
    if (o->proto || missing++ >= 20)
      continue;
    const char *near = weft__op_nearest(m->env, o->type);
    weft__text_addf(list, "\n  ops[%zu].type: '%.80s' of %s (op '%.60s')%s%s%s", i, o->type,
                    simple_framework_names[o->framework], o->name, near ? "; nearest: '" : "",
                    near ? near : "", near ? "'" : "");
  }
  if (list->failed)
    return simple_no_memory(m);
  if (!missing)
    return WEFT_OK;
  return weft_fail(m->d, WEFT_E_UNSUPPORTED, "%zu op%s of an unknown type:%s%s", missing,
                   missing == 1 ? "" : "s", list->v, missing > 20 ? "\n  ..." : "");
}

weft_status simple_resolve(simple_model *m) {
  weft_text list;
  weft__text_init(&list, &m->env->alloc);
  weft_status s = resolve_all(m, &list);
  weft__text_deinit(&list);
  return s;
}
// SPDX-License-Identifier: Apache-2.0
