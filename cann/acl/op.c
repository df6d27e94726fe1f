// op.c - single operators of the registry, by name.
#include <stdlib.h>
#include <unistd.h>

#include "state.h"

enum { MOST_PORTS = 4096 };
struct aclopAttr {
  weft_named_attr *list;
  size_t n;
};

// ---- attributes ----
aclopAttr *aclopCreateAttr(void) {
  return calloc(1, sizeof(aclopAttr));
}
static void attr_free(const weft_named_attr *a) {
  const weft_attr *v = &a->value;
  free((void *)(uintptr_t)a->name);
  if (v->type == WEFT_VT_LIST_STRING) {
    for (size_t i = 0; i < v->n; i++)
      free((void *)(uintptr_t)v->u.strs[i].text);
  }
  if (v->type >= WEFT_VT_LIST_STRING || v->type == WEFT_VT_STRING)
    free((void *)(uintptr_t)v->u.s);
}
void aclopDestroyAttr(const aclopAttr *attr) {
  if (!attr)
    return;
  for (size_t i = 0; i < attr->n; i++)
    attr_free(&attr->list[i]);
  free(attr->list);
  free((void *)(uintptr_t)attr);
}

// Takes the value's memory over, also on failure.
static aclError attr_set(aclopAttr *attr, const char *name, weft_attr value, bool whole) {
  weft_named_attr a = {.value = value};
  if (attr && name && whole)
    a.name = strdup(name);
  weft_named_attr *list = NULL;
  if (a.name)
    list = realloc(attr->list, (attr->n + 1) * sizeof *list);
  if (list) {
    attr->list = list;
    attr->list[attr->n++] = a;
    return ACL_SUCCESS;
  }
  attr_free(&a);
  if (!attr || !name)
    return acl_missing("an attribute's list or name");
  return acl_fail(ACL_ERROR_BAD_ALLOC, "attribute '%s': no memory, or no values where some were announced",
                  name);
}
// NULL also where n is negative or there are no values.
static void *attr_copy(const void *values, int n, size_t each) {
  if (n < 0 || (n && !values))
    return NULL;
  void *copy = malloc(WEFT_MAX((size_t)n * each, 1));
  if (copy && n)
    memcpy(copy, values, (size_t)n * each);
  return copy;
}

aclError aclopSetAttrBool(aclopAttr *attr, const char *attrName, uint8_t attrValue) {
  return attr_set(attr, attrName, weft_attr_bool(attrValue), true);
}
aclError aclopSetAttrInt(aclopAttr *attr, const char *attrName, int64_t attrValue) {
  return attr_set(attr, attrName, weft_attr_int(attrValue), true);
}
aclError aclopSetAttrFloat(aclopAttr *attr, const char *attrName, float attrValue) {
  return attr_set(attr, attrName, weft_attr_float(attrValue), true);
}
aclError aclopSetAttrDataType(aclopAttr *attr, const char *attrName, aclDataType attrValue) {
  return attr_set(attr, attrName, weft_attr_dtype((weft_dtype)attrValue), true);
}
aclError aclopSetAttrString(aclopAttr *attr, const char *attrName, const char *attrValue) {
  char *copy = attrValue ? strdup(attrValue) : NULL;
  return attr_set(attr, attrName, weft_attr_str(copy, copy ? strlen(copy) : 0), copy);
}
aclError aclopSetAttrListInt(aclopAttr *attr, const char *attrName, int numValues, const int64_t *values) {
  int64_t *copy = attr_copy(values, numValues, sizeof *copy);
  return attr_set(attr, attrName, weft_attr_ints(copy, copy ? (size_t)numValues : 0), copy);
}
aclError aclopSetAttrListFloat(aclopAttr *attr, const char *attrName, int numValues, const float *values) {
  float *copy = attr_copy(values, numValues, sizeof *copy);
  return attr_set(attr, attrName, weft_attr_floats(copy, copy ? (size_t)numValues : 0), copy);
}
aclError aclopSetAttrListBool(aclopAttr *attr, const char *attrName, int numValues, const uint8_t *values) {
  bool *copy = attr_copy(values, numValues, sizeof *copy);
  for (int i = 0; copy && i < numValues; i++)
    copy[i] = values[i] != 0;
  weft_attr a = {.type = WEFT_VT_LIST_BOOL, .n = copy ? (size_t)numValues : 0};
  a.u.bools = copy;
  return attr_set(attr, attrName, a, copy);
}
aclError aclopSetAttrListString(aclopAttr *attr, const char *attrName, int numValues, const char **values) {
  const bool given = numValues >= 0 && (values || !numValues);
  weft_str *copy = given ? calloc((size_t)WEFT_MAX(numValues, 1), sizeof *copy) : NULL;
  bool whole = copy;
  for (int i = 0; copy && i < numValues; i++) {
    copy[i].text = values[i] ? strdup(values[i]) : NULL;
    copy[i].bytes = copy[i].text ? strlen(copy[i].text) : 0;
    whole = whole && copy[i].text;
  }
  return attr_set(attr, attrName, weft_attr_strs(copy, copy ? (size_t)numValues : 0), whole);
}

// ---- running ----
typedef struct call {
  const char *name;  // of the call
  const char *type;
  int n_in, n_out;
  const aclTensorDesc *const *in_desc;
  const aclDataBuffer *const *in;
  const aclTensorDesc *const *out_desc;
  const aclopAttr *attr;
  bool infer;  // alone: values are given where there are some
  const weft_proto *proto;
  weft_tensor *tensors;  // inputs
  const weft_tensor **given;
} call;

static aclError call_find(call *c) {
  weft_env *e = acl_env();
  weft_diag d = {0};
  if (!c->type || c->n_in < 0 || c->n_out < 0 || c->n_in > MOST_PORTS || c->n_out > MOST_PORTS)
    return acl_fail(ACL_ERROR_INVALID_PARAM, "%s: no operator, or a wrong number of tensors", c->name);
  if ((c->n_in && !c->in_desc) || (c->n_out && !c->out_desc))
    return acl_fail(ACL_ERROR_INVALID_PARAM, "%s: the descriptions are NULL", c->name);
  if (!e)
    return ACL_ERROR_INTERNAL_ERROR;
  if (weft_get(e, c->type, &c->proto, &d))
    return acl_fail(ACL_ERROR_OP_NOT_FOUND, "%s: %s", c->name, d.text);
  return ACL_SUCCESS;
}

static aclError call_input(const call *c, int i, weft_tensor *t) {
  const aclTensorDesc *desc = c->in_desc[i];
  const aclDataBuffer *b = c->in ? c->in[i] : NULL;
  const weft_shape *s = &desc->desc.layout.origin;
  const int64_t bytes = weft_desc_bytes(&desc->desc);
  weft_diag d = {0};
  t->dtype = desc->desc.dtype;
  t->origin_format = desc->desc.origin_format;
  t->format = desc->desc.format;
  t->layout = desc->desc.layout;
  void *data = b && b->data ? b->data : desc->value;
  const size_t have = b && b->data ? b->size : desc->value_bytes;
  if (c->infer && (!data || bytes < 0))
    return ACL_SUCCESS;
  if (bytes < 0) {
    return acl_fail(ACL_ERROR_OP_INPUT_NOT_MATCH, "%s: the shape of input %d of %s is not known", c->name, i,
                    c->type);
  }
  if (!data || have < (uint64_t)bytes) {
    char text[300];
    return acl_fail(ACL_ERROR_OP_INPUT_NOT_MATCH, "%s: input %d of %s, %s%s, takes %lld bytes; %zu are given",
                    c->name, i, c->type, weft_dtype_name(desc->desc.dtype),
                    weft_shape_text(s, NULL, text, sizeof text), (long long)bytes, data ? have : 0);
  }
  if (weft_tensor_borrow(t, desc->desc.dtype, s->dim, (size_t)s->rank, data, (size_t)bytes, &d))
    return acl_fail(ACL_ERROR_OP_INPUT_NOT_MATCH, "%s: input %d of %s: %s", c->name, i, c->type, d.text);
  t->origin_format = desc->desc.origin_format;
  t->format = desc->desc.format;
  return ACL_SUCCESS;
}
static aclError call_inputs(call *c) {
  const size_t n = (size_t)WEFT_MAX(c->n_in, 1);
  c->tensors = calloc(n, sizeof *c->tensors);
  c->given = calloc(n, sizeof *c->given);
  if (!c->tensors || !c->given)
    return acl_fail(ACL_ERROR_BAD_ALLOC, "%s: no memory", c->name);
  for (int i = 0; i < c->n_in; i++)
    weft_tensor_init(&c->tensors[i], NULL);
  aclError code = ACL_SUCCESS;
  for (int i = 0; !code && i < c->n_in; i++) {
    if (!c->in_desc[i])
      return acl_fail(ACL_ERROR_INVALID_PARAM, "%s: the description of input %d is NULL", c->name, i);
    if (c->in_desc[i]->desc.dtype == WEFT_UNDEFINED)
      continue;  // left out
    code = call_input(c, i, &c->tensors[i]);
    c->given[i] = &c->tensors[i];
  }
  return code;
}
static void call_free(call *c) {
  for (int i = 0; c->tensors && i < c->n_in; i++)
    weft_tensor_deinit(&c->tensors[i]);
  free(c->tensors);
  free(c->given);
}
static weft_use call_use(const call *c) {
  weft_use use = {0};
  if (c->attr) {
    use.attrs = c->attr->list;
    use.n_attrs = c->attr->n;
  }
  return use;
}

// The result into the caller's buffer; its shape into the caller's description.
static aclError call_give(const call *c, int i, const weft_tensor *from, const aclDataBuffer *to) {
  const aclTensorDesc *want = c->out_desc[i];
  if (!want || !to)
    return acl_fail(ACL_ERROR_INVALID_PARAM, "%s: output %d has no description or no buffer", c->name, i);
  if (want->desc.dtype != WEFT_UNDEFINED && want->desc.dtype != from->dtype) {
    return acl_fail(ACL_ERROR_OP_OUTPUT_NOT_MATCH, "%s: output %d of %s is %s, its description says %s",
                    c->name, i, c->type, weft_dtype_name(from->dtype), weft_dtype_name(want->desc.dtype));
  }
  if (from->bytes > to->size || (from->bytes && !to->data)) {
    return acl_fail(ACL_ERROR_OP_OUTPUT_NOT_MATCH, "%s: output %d of %s has %zu bytes, its buffer has %zu",
                    c->name, i, c->type, from->bytes, to->data ? to->size : 0);
  }
  if (from->bytes)
    memcpy(to->data, from->data, from->bytes);
  return ACL_SUCCESS;
}
static aclError call_run(call *c, aclDataBuffer *const *outputs, aclTensorDesc *const *told) {
  const weft_use use = call_use(c);
  weft_diag d = {0};
  weft_tensor *out = calloc((size_t)WEFT_MAX(c->n_out, 1), sizeof *out);
  if (!out)
    return acl_fail(ACL_ERROR_BAD_ALLOC, "%s: no memory", c->name);
  aclError code = ACL_SUCCESS;
  const uint64_t begin = acl_prof_begin();
  if (weft_run_op(acl_env(), c->proto, &use, c->given, (size_t)c->n_in, out, (size_t)c->n_out, NULL, &d))
    code = acl_fail(ACL_ERROR_GE_FAILURE, "%s: %s", c->name, d.text);
  acl_prof_end(begin, "operator", c->type, 0);
  for (int i = 0; !code && i < c->n_out; i++) {
    code = call_give(c, i, &out[i], outputs[i]);
    if (!code && told)
      told[i]->desc.layout = out[i].layout;
  }
  for (int i = 0; i < c->n_out; i++)
    weft_tensor_deinit(&out[i]);
  free(out);
  return code;
}
static aclError call_whole(call *c, aclDataBuffer *const *outputs, aclTensorDesc *const *told,
                           aclrtStream stream) {
  if ((c->n_in && !c->in) || (c->n_out && !outputs))
    return acl_fail(ACL_ERROR_INVALID_PARAM, "%s: the buffers are NULL", c->name);
  aclError code = acl_stream_ready(stream);
  if (!code)
    code = call_find(c);
  if (!code)
    code = call_inputs(c);
  if (!code)
    code = call_run(c, outputs, told);
  call_free(c);
  return code;
}

aclError aclopExecute(const char *opType, int numInputs, const aclTensorDesc *const inputDesc[],
                      const aclDataBuffer *const inputs[], int numOutputs,
                      const aclTensorDesc *const outputDesc[], aclDataBuffer *const outputs[],
                      const aclopAttr *attr, aclrtStream stream) {
  call c = {.name = "aclopExecute",
            .type = opType,
            .n_in = numInputs,
            .n_out = numOutputs,
            .in_desc = inputDesc,
            .in = inputs,
            .out_desc = outputDesc,
            .attr = attr};
  return call_whole(&c, outputs, NULL, stream);
}
aclError aclopExecuteV2(const char *opType, int numInputs, aclTensorDesc *inputDesc[],
                        aclDataBuffer *inputs[], int numOutputs, aclTensorDesc *outputDesc[],
                        aclDataBuffer *outputs[], aclopAttr *attr, aclrtStream stream) {
  call c = {.name = "aclopExecuteV2",
            .type = opType,
            .n_in = numInputs,
            .n_out = numOutputs,
            .in_desc = (const aclTensorDesc *const *)inputDesc,
            .in = (const aclDataBuffer *const *)inputs,
            .out_desc = (const aclTensorDesc *const *)outputDesc,
            .attr = attr};
  return call_whole(&c, outputs, outputDesc, stream);
}
aclError aclopCompileAndExecute(const char *opType, int numInputs, const aclTensorDesc *const inputDesc[],
                                const aclDataBuffer *const inputs[], int numOutputs,
                                const aclTensorDesc *const outputDesc[], aclDataBuffer *const outputs[],
                                const aclopAttr *attr, aclopEngineType engineType,
                                aclopCompileType compileFlag, const char *opPath, aclrtStream stream) {
  (void)engineType;
  (void)compileFlag;
  (void)opPath;
  return aclopExecute(opType, numInputs, inputDesc, inputs, numOutputs, outputDesc, outputs, attr, stream);
}
aclError aclopCompileAndExecuteV2(const char *opType, int numInputs, aclTensorDesc *inputDesc[],
                                  aclDataBuffer *inputs[], int numOutputs, aclTensorDesc *outputDesc[],
                                  aclDataBuffer *outputs[], aclopAttr *attr, aclopEngineType engineType,
                                  aclopCompileType compileFlag, const char *opPath, aclrtStream stream) {
  (void)engineType;
  (void)compileFlag;
  (void)opPath;
  return aclopExecuteV2(opType, numInputs, inputDesc, inputs, numOutputs, outputDesc, outputs, attr, stream);
}

// ---- inference ----
static aclError call_infer(call *c, aclTensorDesc *const *told) {
  const weft_use use = call_use(c);
  weft_diag d = {0};
  weft_tensor_desc *out = calloc((size_t)WEFT_MAX(c->n_out, 1), sizeof *out);
  if (!out)
    return acl_fail(ACL_ERROR_BAD_ALLOC, "%s: no memory", c->name);
  const weft_status s =
      weft_infer_op(acl_env(), c->proto, &use, c->given, (size_t)c->n_in, out, (size_t)c->n_out, &d);
  for (int i = 0; !s && told && i < c->n_out; i++) {
    out[i].name = NULL;
    if (told[i])
      told[i]->desc = out[i];
  }
  free(out);
  return s ? acl_fail(ACL_ERROR_GE_FAILURE, "%s: %s", c->name, d.text) : ACL_SUCCESS;
}
static aclError infer_whole(call *c, aclTensorDesc *const *told) {
  c->infer = true;
  aclError code = call_find(c);
  if (!code)
    code = call_inputs(c);
  if (!code)
    code = call_infer(c, told);
  call_free(c);
  return code;
}
aclError aclopInferShape(const char *opType, int numInputs, aclTensorDesc *inputDesc[],
                         aclDataBuffer *inputs[], int numOutputs, aclTensorDesc *outputDesc[],
                         aclopAttr *attr) {
  call c = {.name = "aclopInferShape",
            .type = opType,
            .n_in = numInputs,
            .n_out = numOutputs,
            .in_desc = (const aclTensorDesc *const *)inputDesc,
            .in = (const aclDataBuffer *const *)inputs,
            .out_desc = (const aclTensorDesc *const *)outputDesc,
            .attr = attr};
  return infer_whole(&c, outputDesc);
}
aclError aclopCompile(const char *opType, int numInputs, const aclTensorDesc *const inputDesc[],
                      int numOutputs, const aclTensorDesc *const outputDesc[], const aclopAttr *attr,
                      aclopEngineType engineType, aclopCompileType compileFlag, const char *opPath) {
  (void)engineType;
  (void)compileFlag;
  (void)opPath;
  call c = {.name = "aclopCompile",
            .type = opType,
            .n_in = numInputs,
            .n_out = numOutputs,
            .in_desc = inputDesc,
            .out_desc = outputDesc,
            .attr = attr};
  return infer_whole(&c, NULL);
}
aclError aclopSetModelDir(const char *modelDir) {
  if (!modelDir || access(modelDir, R_OK))
    return acl_fail(ACL_ERROR_INVALID_FILE, "aclopSetModelDir: '%s' cannot be read",
                    modelDir ? modelDir : "");
  return ACL_SUCCESS;
}
// SPDX-License-Identifier: Apache-2.0
