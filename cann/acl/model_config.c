// model_config.c - models loaded and run by a list of options. Of those, what says where a model lies counts;
// what places it in a chip's memory is checked and not used; what a chip's model alone has is refused.
#include <stdlib.h>

#include "model.h"

// A value as its name ends; a name that says nothing takes a number of 4 or 8 bytes.
typedef enum config_kind {
  CONFIG_INT32,
  CONFIG_SIZET,
  CONFIG_PTR,
  CONFIG_NUMBER,
  CONFIG_REFUSED
} config_kind;
typedef struct config_row {
  config_kind kind;
  const char *name;
  const char *why;  // it is refused
} config_row;
static const char config_queues[] = "queues between host and device are not there";
static const char config_parts[] = "weft's models are one file, without the parts of a chip's model";
static const char config_weights[] = "a weft program has its weights in it";

#define CONFIG_ROW(attr, kind, why) [attr] = {kind, #attr, why}
static const config_row config_rows[] = {
    CONFIG_ROW(ACL_MDL_PRIORITY_INT32, CONFIG_INT32, NULL),
    CONFIG_ROW(ACL_MDL_LOAD_TYPE_SIZET, CONFIG_SIZET, NULL),
    CONFIG_ROW(ACL_MDL_PATH_PTR, CONFIG_PTR, NULL),
    CONFIG_ROW(ACL_MDL_MEM_ADDR_PTR, CONFIG_PTR, NULL),
    CONFIG_ROW(ACL_MDL_MEM_SIZET, CONFIG_SIZET, NULL),
    CONFIG_ROW(ACL_MDL_WEIGHT_ADDR_PTR, CONFIG_PTR, NULL),
    CONFIG_ROW(ACL_MDL_WEIGHT_SIZET, CONFIG_SIZET, NULL),
    CONFIG_ROW(ACL_MDL_WORKSPACE_ADDR_PTR, CONFIG_PTR, NULL),
    CONFIG_ROW(ACL_MDL_WORKSPACE_SIZET, CONFIG_SIZET, NULL),
    CONFIG_ROW(ACL_MDL_INPUTQ_NUM_SIZET, CONFIG_REFUSED, config_queues),
    CONFIG_ROW(ACL_MDL_INPUTQ_ADDR_PTR, CONFIG_REFUSED, config_queues),
    CONFIG_ROW(ACL_MDL_OUTPUTQ_NUM_SIZET, CONFIG_REFUSED, config_queues),
    CONFIG_ROW(ACL_MDL_OUTPUTQ_ADDR_PTR, CONFIG_REFUSED, config_queues),
    CONFIG_ROW(ACL_MDL_WORKSPACE_MEM_OPTIMIZE, CONFIG_NUMBER, NULL),
    CONFIG_ROW(ACL_MDL_WEIGHT_PATH_PTR, CONFIG_REFUSED, config_weights),
    CONFIG_ROW(ACL_MDL_MODEL_DESC_PTR, CONFIG_REFUSED, config_parts),
    CONFIG_ROW(ACL_MDL_MODEL_DESC_SIZET, CONFIG_REFUSED, config_parts),
    CONFIG_ROW(ACL_MDL_KERNEL_PTR, CONFIG_REFUSED, config_parts),
    CONFIG_ROW(ACL_MDL_KERNEL_SIZET, CONFIG_REFUSED, config_parts),
    CONFIG_ROW(ACL_MDL_KERNEL_ARGS_PTR, CONFIG_REFUSED, config_parts),
    CONFIG_ROW(ACL_MDL_KERNEL_ARGS_SIZET, CONFIG_REFUSED, config_parts),
    CONFIG_ROW(ACL_MDL_STATIC_TASK_PTR, CONFIG_REFUSED, config_parts),
    CONFIG_ROW(ACL_MDL_STATIC_TASK_SIZET, CONFIG_REFUSED, config_parts),
    CONFIG_ROW(ACL_MDL_DYNAMIC_TASK_PTR, CONFIG_REFUSED, config_parts),
    CONFIG_ROW(ACL_MDL_DYNAMIC_TASK_SIZET, CONFIG_REFUSED, config_parts),
    CONFIG_ROW(ACL_MDL_MEM_MALLOC_POLICY_SIZET, CONFIG_SIZET, NULL),
    CONFIG_ROW(ACL_MDL_FIFO_PTR, CONFIG_REFUSED, config_parts),
    CONFIG_ROW(ACL_MDL_FIFO_SIZET, CONFIG_REFUSED, config_parts),
    CONFIG_ROW(ACL_MDL_WITHOUT_GRAPH_INT32, CONFIG_REFUSED, config_parts),
    CONFIG_ROW(ACL_NPU_PERF_MODE, CONFIG_NUMBER, NULL),
};
static const config_row config_exec_rows[] = {
    CONFIG_ROW(ACL_MDL_STREAM_SYNC_TIMEOUT, CONFIG_NUMBER, NULL),
    CONFIG_ROW(ACL_MDL_EVENT_SYNC_TIMEOUT, CONFIG_NUMBER, NULL),
    CONFIG_ROW(ACL_MDL_WORK_ADDR_PTR, CONFIG_PTR, NULL),
    CONFIG_ROW(ACL_MDL_WORK_SIZET, CONFIG_SIZET, NULL),
    CONFIG_ROW(ACL_MDL_MPAIMID_SIZET, CONFIG_SIZET, NULL),
    CONFIG_ROW(ACL_MDL_AICQOS_SIZET, CONFIG_SIZET, NULL),
    CONFIG_ROW(ACL_MDL_AICOST_SIZET, CONFIG_SIZET, NULL),
    CONFIG_ROW(ACL_MDL_MEC_TIMETHR_SIZET, CONFIG_SIZET, NULL),
    CONFIG_ROW(ACL_MDL_EXEC_PRIORITY_INT32, CONFIG_INT32, NULL),
    CONFIG_ROW(ACL_MDL_NPU_PERF_MODE, CONFIG_NUMBER, NULL),
};
#undef CONFIG_ROW

struct aclmdlConfigHandle {
  size_t load_type;  // 0: not set
  char *path;
  const void *model;
  size_t model_bytes;
};
struct aclmdlExecConfigHandle {
  uint32_t options;  // that were set
};

// Is the option there, and does it take a value of so many bytes?
static aclError config_check(const char *call, const config_row *rows, size_t n, int attr, const void *value,
                             size_t bytes) {
  static const size_t sizes[] = {[CONFIG_INT32] = sizeof(int32_t),
                                 [CONFIG_SIZET] = sizeof(size_t),
                                 [CONFIG_PTR] = sizeof(void *),
                                 [CONFIG_NUMBER] = sizeof(int32_t)};
  if (attr < 0 || (size_t)attr >= n)
    return acl_fail(ACL_ERROR_INVALID_PARAM, "%s: there is no option %d; the last one is %zu", call, attr,
                    n - 1);
  const config_row *row = &rows[attr];
  if (row->kind == CONFIG_REFUSED)
    return acl_fail(ACL_ERROR_FEATURE_UNSUPPORTED, "%s: %s: %s", call, row->name, row->why);
  const bool wide = row->kind == CONFIG_NUMBER && bytes == sizeof(int64_t);
  if (bytes != sizes[row->kind] && !wide) {
    return acl_fail(ACL_ERROR_INVALID_PARAM, "%s: the value of %s has %zu bytes, %zu are given", call,
                    row->name, sizes[row->kind], bytes);
  }
  return value ? ACL_SUCCESS : acl_fail(ACL_ERROR_INVALID_PARAM, "%s: %s has no value", call, row->name);
}

// ---- loading ----
aclmdlConfigHandle *aclmdlCreateConfigHandle(void) {
  return calloc(1, sizeof(aclmdlConfigHandle));
}
aclError aclmdlDestroyConfigHandle(aclmdlConfigHandle *handle) {
  if (!handle)
    return acl_missing("aclmdlDestroyConfigHandle: handle");
  free(handle->path);
  free(handle);
  return ACL_SUCCESS;
}

static aclError config_path(aclmdlConfigHandle *handle, const void *value) {
  const char *path;
  memcpy(&path, value, sizeof path);
  char *copy = path ? strdup(path) : NULL;
  if (!path)
    return acl_missing("aclmdlSetConfigOpt: the path");
  if (!copy)
    return acl_fail(ACL_ERROR_BAD_ALLOC, "aclmdlSetConfigOpt: no memory");
  free(handle->path);
  handle->path = copy;
  return ACL_SUCCESS;
}
static aclError config_load_type(aclmdlConfigHandle *handle, const void *value) {
  size_t type;
  memcpy(&type, value, sizeof type);
  if (type == ACL_MDL_LOAD_FROM_FILE_WITH_Q || type == ACL_MDL_LOAD_FROM_MEM_WITH_Q)
    return acl_fail(ACL_ERROR_FEATURE_UNSUPPORTED, "aclmdlSetConfigOpt: load type %zu: %s", type,
                    config_queues);
  if (type < ACL_MDL_LOAD_FROM_FILE || type > ACL_MDL_LOAD_FROM_MEM_WITH_MEM)
    return acl_fail(ACL_ERROR_INVALID_PARAM, "aclmdlSetConfigOpt: %zu is no load type; 1 to 4 are", type);
  handle->load_type = type;
  return ACL_SUCCESS;
}
aclError aclmdlSetConfigOpt(aclmdlConfigHandle *handle, aclmdlConfigAttr attr, const void *attrValue,
                            size_t valueSize) {
  static const size_t n = sizeof config_rows / sizeof *config_rows;
  if (!handle)
    return acl_missing("aclmdlSetConfigOpt: handle");
  const aclError code = config_check("aclmdlSetConfigOpt", config_rows, n, (int)attr, attrValue, valueSize);
  if (code)
    return code;
  switch (attr) {
    case ACL_MDL_LOAD_TYPE_SIZET:
      return config_load_type(handle, attrValue);
    case ACL_MDL_PATH_PTR:
      return config_path(handle, attrValue);
    case ACL_MDL_MEM_ADDR_PTR:
      memcpy(&handle->model, attrValue, sizeof handle->model);
      return ACL_SUCCESS;
    case ACL_MDL_MEM_SIZET:
      memcpy(&handle->model_bytes, attrValue, sizeof handle->model_bytes);
      return ACL_SUCCESS;
    default:
      return ACL_SUCCESS;
  }
}
aclError aclmdlSetExternalWeightAddress(aclmdlConfigHandle *handle, const char *weightFileName, void *devPtr,
                                        size_t size) {
  (void)devPtr;
  (void)size;
  if (!handle)
    return acl_missing("aclmdlSetExternalWeightAddress: handle");
  return acl_fail(ACL_ERROR_FEATURE_UNSUPPORTED, "aclmdlSetExternalWeightAddress: '%s': %s",
                  weightFileName ? weightFileName : "", config_weights);
}

aclError aclmdlLoadWithConfig(const aclmdlConfigHandle *handle, uint32_t *modelId) {
  static const char *const call = "aclmdlLoadWithConfig";
  acl_model *m;
  if (!handle || !modelId)
    return acl_missing("aclmdlLoadWithConfig: the handle or the place for the model's number");
  if (!handle->load_type)
    return acl_fail(ACL_ERROR_INVALID_PARAM, "%s: ACL_MDL_LOAD_TYPE_SIZET was not set", call);
  const bool file = handle->load_type <= ACL_MDL_LOAD_FROM_FILE_WITH_MEM;
  if (file && !handle->path)
    return acl_fail(ACL_ERROR_INVALID_PARAM, "%s: ACL_MDL_PATH_PTR was not set", call);
  if (!file && (!handle->model || !handle->model_bytes)) {
    return acl_fail(ACL_ERROR_INVALID_PARAM, "%s: ACL_MDL_MEM_ADDR_PTR or ACL_MDL_MEM_SIZET was not set",
                    call);
  }
  const aclError code =
      acl_model_open(call, file ? handle->path : NULL, handle->model, file ? 0 : handle->model_bytes, &m);
  return code ? code : acl_model_add(call, m, modelId);
}

// ---- running ----
aclmdlExecConfigHandle *aclmdlCreateExecConfigHandle(void) {
  return calloc(1, sizeof(aclmdlExecConfigHandle));
}
aclError aclmdlDestroyExecConfigHandle(const aclmdlExecConfigHandle *handle) {
  if (!handle)
    return acl_missing("aclmdlDestroyExecConfigHandle: handle");
  free((void *)(uintptr_t)handle);
  return ACL_SUCCESS;
}
aclError aclmdlSetExecConfigOpt(aclmdlExecConfigHandle *handle, aclmdlExecConfigAttr attr,
                                const void *attrValue, size_t valueSize) {
  static const size_t n = sizeof config_exec_rows / sizeof *config_exec_rows;
  if (!handle)
    return acl_missing("aclmdlSetExecConfigOpt: handle");
  const aclError code =
      config_check("aclmdlSetExecConfigOpt", config_exec_rows, n, (int)attr, attrValue, valueSize);
  if (!code)
    handle->options |= 1u << (unsigned)attr;
  return code;
}
aclError aclmdlExecuteV2(uint32_t modelId, const aclmdlDataset *input, aclmdlDataset *output,
                         aclrtStream stream, const aclmdlExecConfigHandle *handle) {
  (void)handle;
  return aclmdlExecuteAsync(modelId, input, output, stream);
}
aclError aclmdlExecuteAsyncV2(uint32_t modelId, const aclmdlDataset *input, aclmdlDataset *output,
                              aclrtStream stream, const aclmdlExecConfigHandle *handle) {
  (void)handle;
  return aclmdlExecuteAsync(modelId, input, output, stream);
}
// SPDX-License-Identifier: Apache-2.0
