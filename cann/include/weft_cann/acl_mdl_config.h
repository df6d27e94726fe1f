// weft_cann/acl_mdl_config.h - AscendCL's models loaded and run by a list of options.
//
//   handle = aclmdlCreateConfigHandle();
//   size_t type = ACL_MDL_LOAD_FROM_FILE;
//   aclmdlSetConfigOpt(handle, ACL_MDL_LOAD_TYPE_SIZET, &type, sizeof type);
//   const char *path = "resnet.om";
//   aclmdlSetConfigOpt(handle, ACL_MDL_PATH_PTR, &path, sizeof path);
//   aclmdlLoadWithConfig(handle, &id);
//   aclmdlDestroyConfigHandle(handle);
#pragma once
#include "weft_cann/acl_rt.h"
#ifdef __cplusplus
extern "C" {
#endif
#define ACL_MDL_LOAD_FROM_FILE                 1
#define ACL_MDL_LOAD_FROM_FILE_WITH_MEM        2
#define ACL_MDL_LOAD_FROM_MEM                  3
#define ACL_MDL_LOAD_FROM_MEM_WITH_MEM         4
#define ACL_MDL_LOAD_FROM_FILE_WITH_Q          5
#define ACL_MDL_LOAD_FROM_MEM_WITH_Q           6
#define ACL_WORKSPACE_MEM_OPTIMIZE_DEFAULT     0
#define ACL_WORKSPACE_MEM_OPTIMIZE_INPUTOUTPUT 1
typedef struct aclmdlConfigHandle aclmdlConfigHandle;
typedef struct aclmdlExecConfigHandle aclmdlExecConfigHandle;
// A name's end says what its value is: _INT32 an int32_t, _SIZET a size_t, _PTR an address; where it says
// nothing, a number of 4 or 8 bytes.
typedef enum aclmdlConfigAttr {
  ACL_MDL_PRIORITY_INT32 = 0,
  ACL_MDL_LOAD_TYPE_SIZET,
  ACL_MDL_PATH_PTR,
  ACL_MDL_MEM_ADDR_PTR,
  ACL_MDL_MEM_SIZET,
  ACL_MDL_WEIGHT_ADDR_PTR,
  ACL_MDL_WEIGHT_SIZET,
  ACL_MDL_WORKSPACE_ADDR_PTR,
  ACL_MDL_WORKSPACE_SIZET,
  ACL_MDL_INPUTQ_NUM_SIZET,
  ACL_MDL_INPUTQ_ADDR_PTR,
  ACL_MDL_OUTPUTQ_NUM_SIZET,
  ACL_MDL_OUTPUTQ_ADDR_PTR,
  ACL_MDL_WORKSPACE_MEM_OPTIMIZE,
  ACL_MDL_WEIGHT_PATH_PTR,
  ACL_MDL_MODEL_DESC_PTR,
  ACL_MDL_MODEL_DESC_SIZET,
  ACL_MDL_KERNEL_PTR,
  ACL_MDL_KERNEL_SIZET,
  ACL_MDL_KERNEL_ARGS_PTR,
  ACL_MDL_KERNEL_ARGS_SIZET,
  ACL_MDL_STATIC_TASK_PTR,
  ACL_MDL_STATIC_TASK_SIZET,
  ACL_MDL_DYNAMIC_TASK_PTR,
  ACL_MDL_DYNAMIC_TASK_SIZET,
  ACL_MDL_MEM_MALLOC_POLICY_SIZET,
  ACL_MDL_FIFO_PTR,
  ACL_MDL_FIFO_SIZET,
  ACL_MDL_WITHOUT_GRAPH_INT32,
  ACL_NPU_PERF_MODE,
  ACL_MDL_RESERVED = 65535
} aclmdlConfigAttr;
typedef enum aclmdlExecConfigAttr {
  ACL_MDL_STREAM_SYNC_TIMEOUT = 0,
  ACL_MDL_EVENT_SYNC_TIMEOUT,
  ACL_MDL_WORK_ADDR_PTR,
  ACL_MDL_WORK_SIZET,
  ACL_MDL_MPAIMID_SIZET,
  ACL_MDL_AICQOS_SIZET,
  ACL_MDL_AICOST_SIZET,
  ACL_MDL_MEC_TIMETHR_SIZET,
  ACL_MDL_EXEC_PRIORITY_INT32,
  ACL_MDL_NPU_PERF_MODE
} aclmdlExecConfigAttr;

// NULL: no memory.
WEFT_ACL aclmdlConfigHandle *aclmdlCreateConfigHandle(void);
WEFT_ACL aclError aclmdlDestroyConfigHandle(aclmdlConfigHandle *handle);
// attrValue points at the value, valueSize is its size, and another size is ACL_ERROR_INVALID_PARAM. A path
// is copied; the bytes of a model have to stay until it was loaded. Priorities, memory of the caller and its
// policy are taken and mean nothing here. Queues, weights beside the model and parts of a chip's model are
// ACL_ERROR_FEATURE_UNSUPPORTED.
WEFT_ACL aclError aclmdlSetConfigOpt(aclmdlConfigHandle *handle, aclmdlConfigAttr attr, const void *attrValue,
                                     size_t valueSize);
// ACL_ERROR_FEATURE_UNSUPPORTED: a weft program has its weights in it.
WEFT_ACL aclError aclmdlSetExternalWeightAddress(aclmdlConfigHandle *handle, const char *weightFileName,
                                                 void *devPtr, size_t size);
// As aclmdlLoadFromFile or aclmdlLoadFromMem. The handle may load again. ACL_ERROR_INVALID_PARAM: the load
// type, or what it needs, was not set.
WEFT_ACL aclError aclmdlLoadWithConfig(const aclmdlConfigHandle *handle, uint32_t *modelId);

WEFT_ACL aclmdlExecConfigHandle *aclmdlCreateExecConfigHandle(void);
WEFT_ACL aclError aclmdlDestroyExecConfigHandle(const aclmdlExecConfigHandle *handle);
// Values are checked for their size, and change nothing: a run is over when the call returns, whatever the
// timeout.
WEFT_ACL aclError aclmdlSetExecConfigOpt(aclmdlExecConfigHandle *handle, aclmdlExecConfigAttr attr,
                                         const void *attrValue, size_t valueSize);
#ifdef __cplusplus
}
#endif
// SPDX-License-Identifier: Apache-2.0
