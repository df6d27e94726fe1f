// model_desc.c - what a model takes and gives: names, types, dims, sizes.
#include <stdio.h>
#include <stdlib.h>

#include "model.h"
#include "model_desc.h"

aclmdlDesc *aclmdlCreateDesc(void) {
  return calloc(1, sizeof(aclmdlDesc));
}
static void desc_clear(aclmdlDesc *m) {
  free(m->in);
  free(m->out);
  acl_model_leave(m->model);
  *m = (aclmdlDesc){0};
}
aclError aclmdlDestroyDesc(aclmdlDesc *modelDesc) {
  if (!modelDesc)
    return acl_missing("aclmdlDestroyDesc: modelDesc");
  desc_clear(modelDesc);
  free(modelDesc);
  return ACL_SUCCESS;
}

// Takes the model over.
static aclError desc_fill(const char *call, aclmdlDesc *to, acl_model *m) {
  const weft_program *p = m->program;
  desc_clear(to);
  to->model = m;
  to->n_in = weft_program_n_inputs(p);
  to->n_out = weft_program_n_outputs(p);
  to->in = calloc(WEFT_MAX(to->n_in, 1), sizeof *to->in);
  to->out = calloc(WEFT_MAX(to->n_out, 1), sizeof *to->out);
  if (!to->in || !to->out) {
    desc_clear(to);
    return acl_fail(ACL_ERROR_BAD_ALLOC, "%s: no memory", call);
  }
  for (size_t i = 0; i < to->n_in; i++)
    weft_program_input(p, i, &to->in[i]);
  for (size_t i = 0; i < to->n_out; i++)
    weft_program_output(p, i, &to->out[i]);
  return ACL_SUCCESS;
}
aclError aclmdlGetDesc(aclmdlDesc *modelDesc, uint32_t modelId) {
  if (!modelDesc)
    return acl_missing("aclmdlGetDesc: modelDesc");
  acl_model *m = acl_model_use("aclmdlGetDesc", modelId);
  return m ? desc_fill("aclmdlGetDesc", modelDesc, m) : ACL_ERROR_INVALID_MODEL_ID;
}
static aclError desc_open(const char *call, aclmdlDesc *to, const char *path, const void *bytes, size_t n) {
  acl_model *m;
  if (!to || (!path && !bytes))
    return acl_fail(ACL_ERROR_INVALID_PARAM, "%s: no description or no model", call);
  const aclError code = acl_model_open(call, path, bytes, n, &m);
  return code ? code : desc_fill(call, to, m);
}
aclError aclmdlGetDescFromFile(aclmdlDesc *modelDesc, const char *modelPath) {
  return desc_open("aclmdlGetDescFromFile", modelDesc, modelPath, NULL, 0);
}
aclError aclmdlGetDescFromMem(aclmdlDesc *modelDesc, const void *model, size_t modelSize) {
  return desc_open("aclmdlGetDescFromMem", modelDesc, NULL, model, modelSize);
}

size_t aclmdlGetNumInputs(aclmdlDesc *modelDesc) {
  return modelDesc ? modelDesc->n_in : 0;
}
size_t aclmdlGetNumOutputs(aclmdlDesc *modelDesc) {
  return modelDesc ? modelDesc->n_out : 0;
}
static const weft_tensor_desc *desc_in(const aclmdlDesc *m, size_t i) {
  return m && i < m->n_in ? &m->in[i] : NULL;
}
static const weft_tensor_desc *desc_out(const aclmdlDesc *m, size_t i) {
  return m && i < m->n_out ? &m->out[i] : NULL;
}

// Has the model an input whose dims are open?
static bool desc_open_dims(const aclmdlDesc *m) {
  for (size_t i = 0; m && i < m->n_in; i++) {
    if (!weft_shape_is_known(&m->in[i].layout.origin))
      return true;
  }
  return false;
}
static bool desc_dynamic(const aclmdlDesc *m, size_t i) {
  return m && i == m->n_in && desc_open_dims(m);
}

// The tensor at its largest; where neither its range nor what its dims are made of bounds one, it stays open.
static weft_tensor_desc desc_largest(const aclmdlDesc *m, const weft_tensor_desc *t) {
  weft_tensor_desc most = *t;
  weft_shape *s = &most.layout.origin;
  for (size_t i = 0; !weft_shape_is_unknown_rank(s) && i < (size_t)s->rank; i++) {
    int64_t least = 0;
    int64_t bound = -1;
    if (s->dim[i] >= 0)
      continue;
    if (t->has_range && i < (size_t)t->max.rank)
      bound = t->max.dim[i];
    if (bound < 0 && weft_dim_is_symbol(s->dim[i]))
      weft_dim_bounds(weft_program_symbols(m->model->program), s->dim[i], &least, &bound);
    s->dim[i] = bound < 0 ? -1 : bound;
  }
  most.layout.storage = *s;
  most.format = most.origin_format;
  return most;
}
static size_t desc_bytes(const aclmdlDesc *m, const weft_tensor_desc *t) {
  if (!t || t->kind != WEFT_KIND_TENSOR || t->dtype == WEFT_STRING)
    return 0;
  const weft_tensor_desc most = desc_largest(m, t);
  const int64_t bytes = weft_desc_bytes(&most);
  return bytes > 0 ? (size_t)bytes : 0;
}
size_t aclmdlGetInputSizeByIndex(aclmdlDesc *modelDesc, size_t index) {
  return desc_dynamic(modelDesc, index) ? sizeof(uint64_t) : desc_bytes(modelDesc, desc_in(modelDesc, index));
}
size_t aclmdlGetOutputSizeByIndex(aclmdlDesc *modelDesc, size_t index) {
  return desc_bytes(modelDesc, desc_out(modelDesc, index));
}

static aclError desc_no_tensor(const char *call, size_t index) {
  return acl_fail(ACL_ERROR_INVALID_PARAM, "%s: the model has no tensor %zu", call, index);
}
static aclError desc_dims(const char *call, const weft_tensor_desc *t, size_t index, aclmdlIODims *dims) {
  if (!dims)
    return acl_fail(ACL_ERROR_INVALID_PARAM, "%s: the place for the dims is NULL", call);
  if (!t)
    return desc_no_tensor(call, index);
  const weft_shape *s = &t->layout.origin;
  *dims = (aclmdlIODims){.dimCount = (size_t)s->rank};
  snprintf(dims->name, sizeof dims->name, "%s", t->name ? t->name : "");
  for (size_t i = 0; i < (size_t)s->rank; i++)
    dims->dims[i] = s->dim[i] >= 0 || weft_shape_is_unknown_rank(s) ? s->dim[i] : -1;
  return ACL_SUCCESS;
}
aclError aclmdlGetInputDims(const aclmdlDesc *modelDesc, size_t index, aclmdlIODims *dims) {
  return desc_dims("aclmdlGetInputDims", desc_in(modelDesc, index), index, dims);
}
aclError aclmdlGetInputDimsV2(const aclmdlDesc *modelDesc, size_t index, aclmdlIODims *dims) {
  return desc_dims("aclmdlGetInputDimsV2", desc_in(modelDesc, index), index, dims);
}
aclError aclmdlGetOutputDims(const aclmdlDesc *modelDesc, size_t index, aclmdlIODims *dims) {
  const weft_tensor_desc *t = desc_out(modelDesc, index);
  if (!t)
    return desc_no_tensor("aclmdlGetOutputDims", index);
  const weft_tensor_desc most = desc_largest(modelDesc, t);
  return desc_dims("aclmdlGetOutputDims", &most, index, dims);
}
aclError aclmdlGetCurOutputDims(const aclmdlDesc *modelDesc, size_t index, aclmdlIODims *dims) {
  const weft_tensor_desc *t = desc_out(modelDesc, index);
  if (!t)
    return desc_no_tensor("aclmdlGetCurOutputDims", index);
  weft_tensor_desc now = *t;
  pthread_mutex_lock(&acl_lock);
  const bool ran = modelDesc->model->last;
  if (ran)
    now.layout.origin = modelDesc->model->last[index];
  pthread_mutex_unlock(&acl_lock);
  return desc_dims("aclmdlGetCurOutputDims", &now, index, dims);
}
aclError aclmdlGetInputDimsRange(const aclmdlDesc *modelDesc, size_t index, aclmdlIODimsRange *dimsRange) {
  const weft_tensor_desc *t = desc_in(modelDesc, index);
  if (!dimsRange)
    return acl_missing("aclmdlGetInputDimsRange: dimsRange");
  if (!t)
    return desc_no_tensor("aclmdlGetInputDimsRange", index);
  const weft_shape *s = &t->layout.origin;
  *dimsRange = (aclmdlIODimsRange){.rangeCount = (size_t)s->rank};
  for (size_t i = 0; i < (size_t)s->rank; i++) {
    const bool known = s->dim[i] >= 0;
    dimsRange->range[i][0] = known ? s->dim[i] : t->has_range ? t->min.dim[i] : 0;
    dimsRange->range[i][1] = known ? s->dim[i] : t->has_range ? t->max.dim[i] : -1;
  }
  return ACL_SUCCESS;
}

const char *aclmdlGetInputNameByIndex(const aclmdlDesc *modelDesc, size_t index) {
  const weft_tensor_desc *t = desc_in(modelDesc, index);
  if (desc_dynamic(modelDesc, index))
    return ACL_DYNAMIC_TENSOR_NAME;
  return t && t->name ? t->name : "";
}
const char *aclmdlGetOutputNameByIndex(const aclmdlDesc *modelDesc, size_t index) {
  const weft_tensor_desc *t = desc_out(modelDesc, index);
  return t && t->name ? t->name : "";
}
static aclError desc_index(const char *call, const char *name, int found, size_t *index) {
  if (found < 0)
    return acl_fail(ACL_ERROR_INVALID_PARAM, "%s: the model has no tensor '%s'", call, name);
  *index = (size_t)found;
  return ACL_SUCCESS;
}
aclError aclmdlGetInputIndexByName(const aclmdlDesc *modelDesc, const char *name, size_t *index) {
  const char *call = "aclmdlGetInputIndexByName";
  if (!modelDesc || !modelDesc->model || !name || !index)
    return acl_fail(ACL_ERROR_INVALID_PARAM, "%s: no description, no name or no place for the index", call);
  if (!strcmp(name, ACL_DYNAMIC_TENSOR_NAME) && desc_open_dims(modelDesc)) {
    *index = modelDesc->n_in;
    return ACL_SUCCESS;
  }
  return desc_index(call, name, weft_program_find_input(modelDesc->model->program, name), index);
}
aclError aclmdlGetOutputIndexByName(const aclmdlDesc *modelDesc, const char *name, size_t *index) {
  const char *call = "aclmdlGetOutputIndexByName";
  if (!modelDesc || !modelDesc->model || !name || !index)
    return acl_fail(ACL_ERROR_INVALID_PARAM, "%s: no description, no name or no place for the index", call);
  return desc_index(call, name, weft_program_find_output(modelDesc->model->program, name), index);
}

static aclDataType desc_type(const weft_tensor_desc *t) {
  return t ? (aclDataType)t->dtype : ACL_DT_UNDEFINED;
}
static aclFormat desc_format(const weft_tensor_desc *t) {
  return t ? (aclFormat)(t->origin_format & 0xFF) : ACL_FORMAT_UNDEFINED;
}
aclDataType aclmdlGetInputDataType(const aclmdlDesc *modelDesc, size_t index) {
  return desc_type(desc_in(modelDesc, index));
}
aclDataType aclmdlGetOutputDataType(const aclmdlDesc *modelDesc, size_t index) {
  return desc_type(desc_out(modelDesc, index));
}
aclFormat aclmdlGetInputFormat(const aclmdlDesc *modelDesc, size_t index) {
  return desc_format(desc_in(modelDesc, index));
}
aclFormat aclmdlGetOutputFormat(const aclmdlDesc *modelDesc, size_t index) {
  return desc_format(desc_out(modelDesc, index));
}
// SPDX-License-Identifier: Apache-2.0
