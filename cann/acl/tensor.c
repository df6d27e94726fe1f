// tensor.c - data buffers, element types and descriptions of tensors.
#include <stdlib.h>

#include "state.h"
#include "weft/element.h"

// ---- data buffers ----
aclDataBuffer *aclCreateDataBuffer(void *data, size_t size) {
  aclDataBuffer *b = malloc(sizeof *b);
  if (b)
    *b = (aclDataBuffer){data, size};
  return b;
}
aclError aclDestroyDataBuffer(const aclDataBuffer *dataBuffer) {
  if (!dataBuffer)
    return acl_missing("aclDestroyDataBuffer: dataBuffer");
  free((void *)(uintptr_t)dataBuffer);
  return ACL_SUCCESS;
}
aclError aclUpdateDataBuffer(aclDataBuffer *dataBuffer, void *data, size_t size) {
  if (!dataBuffer)
    return acl_missing("aclUpdateDataBuffer: dataBuffer");
  *dataBuffer = (aclDataBuffer){data, size};
  return ACL_SUCCESS;
}
void *aclGetDataBufferAddr(const aclDataBuffer *dataBuffer) {
  return dataBuffer ? dataBuffer->data : NULL;
}
size_t aclGetDataBufferSizeV2(const aclDataBuffer *dataBuffer) {
  return dataBuffer ? dataBuffer->size : 0;
}
uint32_t aclGetDataBufferSize(const aclDataBuffer *dataBuffer) {
  return (uint32_t)WEFT_MIN(aclGetDataBufferSizeV2(dataBuffer), UINT32_MAX);
}

// ---- types ----
static bool tensor_type(aclDataType type) {
  return (int)type >= 0 && weft_dtype_bits((weft_dtype)type) > 0;
}
size_t aclDataTypeSize(aclDataType dataType) {
  if (!tensor_type(dataType) || dataType == ACL_STRING)
    return 0;
  const uint32_t bits = weft_dtype_bits((weft_dtype)dataType);
  return bits % 8 ? 0 : bits / 8;
}
float aclFloat16ToFloat(aclFloat16 value) {
  return weft_f16_value(value);
}
aclFloat16 aclFloatToFloat16(float value) {
  return weft_f16_code(value);
}

// ---- descriptions ----
static weft_format tensor_format(aclFormat format) {
  return format < 0 ? WEFT_ND : (weft_format)format;
}
static aclError tensor_set(aclTensorDesc *desc, int n, const int64_t *dims) {
  if (!desc)
    return acl_missing("the description of a tensor");
  if (n < 0 || n > WEFT_MAX_RANK || (n && !dims)) {
    return acl_fail(ACL_ERROR_INVALID_PARAM, "a tensor of %d dims; 0 to %d are possible", n, WEFT_MAX_RANK);
  }
  const bool any_rank = n == 1 && dims[0] == -2;
  for (int i = 0; i < n && !any_rank; i++) {
    if (dims[i] < -1)
      return acl_fail(ACL_ERROR_INVALID_PARAM, "dim %d of a tensor is %lld", i, (long long)dims[i]);
  }
  if (weft_desc_set(&desc->desc, desc->desc.dtype, desc->desc.format, dims, (size_t)n))
    return acl_fail(ACL_ERROR_INVALID_PARAM, "%d dims make no shape", n);
  return ACL_SUCCESS;
}
aclTensorDesc *aclCreateTensorDesc(aclDataType dataType, int numDims, const int64_t *dims, aclFormat format) {
  aclTensorDesc *desc = calloc(1, sizeof *desc);
  if (!desc)
    return NULL;
  weft_desc_init(&desc->desc);
  desc->desc.dtype = (int)dataType < 0 ? WEFT_UNDEFINED : (weft_dtype)dataType;
  desc->desc.format = tensor_format(format);
  if (!tensor_set(desc, numDims, dims))
    return desc;
  free(desc);
  return NULL;
}
aclTensorDesc *acl_desc_from(const weft_tensor_desc *from) {
  aclTensorDesc *desc = calloc(1, sizeof *desc);
  if (!desc)
    return NULL;
  desc->desc = *from;
  desc->desc.name = NULL;
  if (from->name)
    aclSetTensorDescName(desc, from->name);
  return desc;
}
void aclDestroyTensorDesc(const aclTensorDesc *desc) {
  if (!desc)
    return;
  free(desc->name);
  free(desc->value);
  free((void *)(uintptr_t)desc);
}

aclDataType aclGetTensorDescType(const aclTensorDesc *desc) {
  return !desc || desc->desc.dtype == WEFT_UNDEFINED ? ACL_DT_UNDEFINED : (aclDataType)desc->desc.dtype;
}
aclFormat aclGetTensorDescFormat(const aclTensorDesc *desc) {
  return desc ? (aclFormat)(desc->desc.format & 0xFF) : ACL_FORMAT_UNDEFINED;
}
size_t aclGetTensorDescSize(const aclTensorDesc *desc) {
  const int64_t bytes = desc ? weft_desc_bytes(&desc->desc) : -1;
  return bytes > 0 ? (size_t)bytes : 0;
}
size_t aclGetTensorDescElementCount(const aclTensorDesc *desc) {
  const int64_t n = desc ? weft_desc_elems(&desc->desc) : -1;
  return n > 0 ? (size_t)n : 0;
}
size_t aclGetTensorDescNumDims(const aclTensorDesc *desc) {
  if (!desc)
    return 0;
  const weft_shape *s = &desc->desc.layout.origin;
  return weft_shape_is_unknown_rank(s) ? (size_t)ACL_UNKNOWN_RANK : (size_t)s->rank;
}
aclError aclGetTensorDescDimV2(const aclTensorDesc *desc, size_t index, int64_t *dimSize) {
  if (!desc || !dimSize)
    return acl_missing("aclGetTensorDescDimV2: the description or the place for the dim");
  const weft_shape *s = &desc->desc.layout.origin;
  if (index >= (size_t)s->rank) {
    return acl_fail(ACL_ERROR_INVALID_PARAM, "aclGetTensorDescDimV2: dim %zu of a tensor of rank %zu", index,
                    (size_t)s->rank);
  }
  *dimSize = s->dim[index] < 0 ? -1 : s->dim[index];
  return ACL_SUCCESS;
}
int64_t aclGetTensorDescDim(const aclTensorDesc *desc, size_t index) {
  int64_t dim;
  return aclGetTensorDescDimV2(desc, index, &dim) ? -1 : dim;
}

void aclSetTensorDescName(aclTensorDesc *desc, const char *name) {
  if (!desc)
    return;
  free(desc->name);
  desc->name = name ? strdup(name) : NULL;
}
const char *aclGetTensorDescName(aclTensorDesc *desc) {
  return desc && desc->name ? desc->name : "";
}
aclError aclSetTensorFormat(aclTensorDesc *desc, aclFormat format) {
  if (!desc)
    return acl_missing("aclSetTensorFormat: desc");
  desc->desc.format = tensor_format(format);
  desc->desc.origin_format = tensor_format(format);
  return ACL_SUCCESS;
}
aclError aclSetTensorShape(aclTensorDesc *desc, int numDims, const int64_t *dims) {
  return tensor_set(desc, numDims, dims);
}
aclError aclSetTensorOriginFormat(aclTensorDesc *desc, aclFormat format) {
  return aclSetTensorFormat(desc, format);
}
aclError aclSetTensorOriginShape(aclTensorDesc *desc, int numDims, const int64_t *dims) {
  return tensor_set(desc, numDims, dims);
}
aclError aclSetTensorStorageFormat(aclTensorDesc *desc, aclFormat format) {
  if (!desc)
    return acl_missing("aclSetTensorStorageFormat: desc");
  if (format == ACL_FORMAT_UNDEFINED || tensor_format(format) == desc->desc.format)
    return ACL_SUCCESS;
  return acl_fail(ACL_ERROR_FORMAT_NOT_MATCH,
                  "a tensor of format %s cannot lie in format %s here; give it in its own",
                  weft_format_serial(desc->desc.format), weft_format_serial(tensor_format(format)));
}
aclError aclSetTensorStorageShape(aclTensorDesc *desc, int numDims, const int64_t *dims) {
  if (!desc || (numDims > 0 && !dims))
    return acl_missing("aclSetTensorStorageShape: desc or dims");
  const weft_shape *s = &desc->desc.layout.origin;
  bool same = numDims == (int)s->rank;
  for (int i = 0; same && i < numDims; i++)
    same = dims[i] == s->dim[i];
  if (same)
    return ACL_SUCCESS;
  return acl_fail(ACL_ERROR_FORMAT_NOT_MATCH,
                  "the storage shape of a tensor differs from its shape; give it in its own format");
}
aclError aclSetTensorConst(aclTensorDesc *desc, void *dataBuffer, size_t length) {
  if (!desc || !dataBuffer || !length)
    return acl_fail(ACL_ERROR_INVALID_PARAM, "aclSetTensorConst: no description or no value");
  void *copy = malloc(length);
  if (!copy)
    return acl_fail(ACL_ERROR_BAD_ALLOC, "aclSetTensorConst: no memory for %zu bytes", length);
  memcpy(copy, dataBuffer, length);
  free(desc->value);
  desc->value = copy;
  desc->value_bytes = length;
  return ACL_SUCCESS;
}
aclError aclSetTensorPlaceMent(aclTensorDesc *desc, aclMemType memType) {
  (void)memType;
  return desc ? ACL_SUCCESS : acl_missing("aclSetTensorPlaceMent: desc");
}
// SPDX-License-Identifier: Apache-2.0
