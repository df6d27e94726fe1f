// weft_cann/acl_op.h - AscendCL's single operators: one operator of the registry, by its name.
//
//   aclopAttr *attr = aclopCreateAttr(); aclopSetAttrInt(attr, "axis", 1);
//   aclopExecuteV2("SoftmaxV2", 1, in_descs, in_buffers, 1, out_descs, out_buffers, attr, stream);
//   aclopDestroyAttr(attr);
//
// Inputs are in the order of the prototype; an optional one that is left out has a description of type
// ACL_DT_UNDEFINED. An operator needs no compiling, so that aclopCompile looks only whether it could run.
#pragma once
#include "weft_cann/acl_rt.h"
#ifdef __cplusplus
extern "C" {
#endif
typedef struct aclopAttr aclopAttr;
typedef struct aclopHandle aclopHandle;
typedef enum aclEngineType { ACL_ENGINE_SYS = 0, ACL_ENGINE_AICORE, ACL_ENGINE_VECTOR } aclopEngineType;
typedef enum aclCompileType { ACL_COMPILE_SYS = 0, ACL_COMPILE_UNREGISTERED } aclopCompileType;

WEFT_ACL aclopAttr *aclopCreateAttr(void);
WEFT_ACL void aclopDestroyAttr(const aclopAttr *attr);
WEFT_ACL aclError aclopSetAttrBool(aclopAttr *attr, const char *attrName, uint8_t attrValue);
WEFT_ACL aclError aclopSetAttrInt(aclopAttr *attr, const char *attrName, int64_t attrValue);
WEFT_ACL aclError aclopSetAttrFloat(aclopAttr *attr, const char *attrName, float attrValue);
WEFT_ACL aclError aclopSetAttrString(aclopAttr *attr, const char *attrName, const char *attrValue);
WEFT_ACL aclError aclopSetAttrDataType(aclopAttr *attr, const char *attrName, aclDataType attrValue);
WEFT_ACL aclError aclopSetAttrListInt(aclopAttr *attr, const char *attrName, int numValues,
                                      const int64_t *values);
WEFT_ACL aclError aclopSetAttrListFloat(aclopAttr *attr, const char *attrName, int numValues,
                                        const float *values);
WEFT_ACL aclError aclopSetAttrListBool(aclopAttr *attr, const char *attrName, int numValues,
                                       const uint8_t *values);
WEFT_ACL aclError aclopSetAttrListString(aclopAttr *attr, const char *attrName, int numValues,
                                         const char **values);
// Infers and runs. The buffers of the outputs must have room; the descriptions of the outputs get the shapes
// that came out. ACL_ERROR_OP_NOT_FOUND, ACL_ERROR_OP_INPUT_NOT_MATCH, ACL_ERROR_OP_OUTPUT_NOT_MATCH,
// ACL_ERROR_OP_ATTR_NOT_MATCH, ACL_ERROR_GE_FAILURE with the operator's own words.
WEFT_ACL aclError aclopExecuteV2(const char *opType, int numInputs, aclTensorDesc *inputDesc[],
                                 aclDataBuffer *inputs[], int numOutputs, aclTensorDesc *outputDesc[],
                                 aclDataBuffer *outputs[], aclopAttr *attr, aclrtStream stream);
// The same; shapes that came out are told nobody.
WEFT_ACL aclError aclopExecute(const char *opType, int numInputs, const aclTensorDesc *const inputDesc[],
                               const aclDataBuffer *const inputs[], int numOutputs,
                               const aclTensorDesc *const outputDesc[], aclDataBuffer *const outputs[],
                               const aclopAttr *attr, aclrtStream stream);
WEFT_ACL aclError aclopCompile(const char *opType, int numInputs, const aclTensorDesc *const inputDesc[],
                               int numOutputs, const aclTensorDesc *const outputDesc[], const aclopAttr *attr,
                               aclopEngineType engineType, aclopCompileType compileFlag, const char *opPath);
WEFT_ACL aclError aclopCompileAndExecute(const char *opType, int numInputs,
                                         const aclTensorDesc *const inputDesc[],
                                         const aclDataBuffer *const inputs[], int numOutputs,
                                         const aclTensorDesc *const outputDesc[],
                                         aclDataBuffer *const outputs[], const aclopAttr *attr,
                                         aclopEngineType engineType, aclopCompileType compileFlag,
                                         const char *opPath, aclrtStream stream);
WEFT_ACL aclError aclopCompileAndExecuteV2(const char *opType, int numInputs, aclTensorDesc *inputDesc[],
                                           aclDataBuffer *inputs[], int numOutputs,
                                           aclTensorDesc *outputDesc[], aclDataBuffer *outputs[],
                                           aclopAttr *attr, aclopEngineType engineType,
                                           aclopCompileType compileFlag, const char *opPath,
                                           aclrtStream stream);
// Type and shape of the outputs, from descriptions; values from the buffers of inputs, or aclSetTensorConst.
WEFT_ACL aclError aclopInferShape(const char *opType, int numInputs, aclTensorDesc *inputDesc[],
                                  aclDataBuffer *inputs[], int numOutputs, aclTensorDesc *outputDesc[],
                                  aclopAttr *attr);
// Not needed: operators come from the registry. The folder must be there.
WEFT_ACL aclError aclopSetModelDir(const char *modelDir);
#ifdef __cplusplus
}
#endif
// SPDX-License-Identifier: Apache-2.0
