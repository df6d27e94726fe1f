// weft_cann/aclnn.h - tensors, scalars and lists of the two-phase calls (aclnnop/), which libweft_opapi has
// for each operator of AscendIR: aclnnXGetWorkspaceSize checks the tensors and makes an executor, aclnnX runs
// it once and frees it. Arguments: inputs, attributes, outputs, by the operator's prototype.
//
//   uint64_t bytes = 0;
//   aclOpExecutor *executor = NULL;
//   aclnnAddGetWorkspaceSize(x1, x2, y, &bytes, &executor);   // 0, or aclGetRecentErrMsg says what is wrong
//   aclnnAdd(NULL, bytes, executor, stream);
#pragma once
#include <stdbool.h>

#include "weft_cann/acl_base.h"
#ifdef __cplusplus
extern "C" {
#endif

typedef int32_t aclnnStatus;
typedef struct aclTensor aclTensor;
typedef struct aclTensorList aclTensorList;
typedef struct aclScalar aclScalar;
typedef struct aclScalarList aclScalarList;
typedef struct aclIntArray aclIntArray;
typedef struct aclFloatArray aclFloatArray;
typedef struct aclBoolArray aclBoolArray;
typedef struct aclOpExecutor aclOpExecutor;

enum {
  ACLNN_SUCCESS = 0,
  ACLNN_ERR_PARAM_NULLPTR = 161001,
  ACLNN_ERR_PARAM_INVALID = 161002,
  ACLNN_ERR_RUNTIME_ERROR = 361001,
  ACLNN_ERR_INNER = 561000,
};

// A view of `tensorData`, which stays the caller's: element (i, j) lies at offset + i * stride[0] + j *
// stride[1] elements. stride NULL: one after another. storageDims: of all that lies there; NULL: viewDims.
// NULL: a rank above 8, a negative dim, or no memory.
WEFT_ACL aclTensor *aclCreateTensor(const int64_t *viewDims, uint64_t viewDimsNum, aclDataType dataType,
                                    const int64_t *stride, int64_t offset, aclFormat format,
                                    const int64_t *storageDims, uint64_t storageDimsNum, void *tensorData);
WEFT_ACL aclnnStatus aclDestroyTensor(const aclTensor *tensor);
// The list owns its tensors, and destroys them.
WEFT_ACL aclTensorList *aclCreateTensorList(const aclTensor *const *value, uint64_t size);
WEFT_ACL aclnnStatus aclDestroyTensorList(const aclTensorList *array);
WEFT_ACL aclScalar *aclCreateScalar(void *value, aclDataType dataType);
WEFT_ACL aclnnStatus aclDestroyScalar(const aclScalar *scalar);
// Values are copied.
WEFT_ACL aclIntArray *aclCreateIntArray(const int64_t *value, uint64_t size);
WEFT_ACL aclnnStatus aclDestroyIntArray(const aclIntArray *array);
WEFT_ACL aclFloatArray *aclCreateFloatArray(const float *value, uint64_t size);
WEFT_ACL aclnnStatus aclDestroyFloatArray(const aclFloatArray *array);
WEFT_ACL aclBoolArray *aclCreateBoolArray(const bool *value, uint64_t size);
WEFT_ACL aclnnStatus aclDestroyBoolArray(const aclBoolArray *array);

WEFT_ACL aclnnStatus aclGetViewShape(const aclTensor *tensor, int64_t **viewDims, uint64_t *viewDimsNum);
WEFT_ACL aclnnStatus aclGetDataType(const aclTensor *tensor, aclDataType *dataType);
WEFT_ACL aclnnStatus aclGetIntArraySize(const aclIntArray *array, uint64_t *size);
WEFT_ACL aclnnStatus aclGetTensorListSize(const aclTensorList *tensorList, uint64_t *size);

// An executor that is run more than once, and its end. A tensor that it was made with may get other data.
WEFT_ACL aclnnStatus aclSetAclOpExecutorRepeatable(aclOpExecutor *executor);
WEFT_ACL aclnnStatus aclDestroyAclOpExecutor(aclOpExecutor *executor);

// What the calls of aclnnop/ stand on. An argument in the order of the prototype.
typedef enum weft_aclnn_kind {
  WEFT_ACLNN_IN,
  WEFT_ACLNN_OUT,
  WEFT_ACLNN_IN_LIST,
  WEFT_ACLNN_OUT_LIST,
  WEFT_ACLNN_INT,
  WEFT_ACLNN_FLOAT,
  WEFT_ACLNN_BOOL,
  WEFT_ACLNN_STRING,
  WEFT_ACLNN_TYPE,
  WEFT_ACLNN_INTS,
  WEFT_ACLNN_FLOATS,
  WEFT_ACLNN_BOOLS,
} weft_aclnn_kind;
typedef struct weft_aclnn_argument {
  weft_aclnn_kind kind;
  const char *name;
  const void *pointer;
  int64_t i;
  double f;
} weft_aclnn_argument;
WEFT_ACL aclnnStatus weft_aclnn_prepare(const char *type, const weft_aclnn_argument *arguments, size_t n,
                                        uint64_t *workspaceSize, aclOpExecutor **executor);
WEFT_ACL aclnnStatus weft_aclnn_run(const char *type, void *workspace, uint64_t workspaceSize,
                                    aclOpExecutor *executor, aclrtStream stream);
#ifdef __cplusplus
}
#endif
// SPDX-License-Identifier: Apache-2.0
