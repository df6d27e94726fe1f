// weft_cann/acl_prof.h - AscendCL's profiling: how long runs of models, operators and kernels take, and what
// the program marks besides.
//
//   aclprofInit(folder, strlen(folder));
//   config = aclprofCreateConfig(devices, 1, ACL_AICORE_NONE, NULL, ACL_PROF_TASK_TIME | ACL_PROF_MSPROFTX);
//   aclprofStart(config); ... aclprofStop(config);
//   aclprofDestroyConfig(config); aclprofFinalize();
//
// Each aclprofStop writes a file into the folder, weft_profile_PROCESS_NUMBER.csv: a line for each run, in
// the order of their ends: what ran ("model", "operator", "kernel", "mark", "range", "step"), its name, its
// number (a model's, a kernel's blocks), begin and duration in microseconds, the thread. Counters of a chip's
// units are not there, and neither are subscriptions, which give a model's operators one by one: `weft bench
// --profile` does. While nothing is recorded, a run costs one look at a flag more.
#pragma once
#include "weft_cann/acl_rt.h"
#ifdef __cplusplus
extern "C" {
#endif
#define ACL_PROF_ACL_API               0x0001ULL
#define ACL_PROF_TASK_TIME             0x0002ULL
#define ACL_PROF_AICORE_METRICS        0x0004ULL
#define ACL_PROF_AICPU                 0x0008ULL
#define ACL_PROF_L2CACHE               0x0010ULL
#define ACL_PROF_HCCL_TRACE            0x0020ULL
#define ACL_PROF_TRAINING_TRACE        0x0040ULL
#define ACL_PROF_MSPROFTX              0x0080ULL
#define ACL_PROF_RUNTIME_API           0x0100ULL
#define ACL_PROF_GE_API_L0             0x0200ULL
#define ACL_PROF_TASK_TIME_L0          0x0800ULL
#define ACL_PROF_TASK_MEMORY           0x1000ULL
#define ACL_PROF_TASK_TIME_L2          0x2000ULL
#define ACL_PROF_OP_ATTR               0x4000ULL
#define ACL_PROF_TASK_TIME_L3          0x8000ULL
#define ACL_PROF_GE_API_L1             0x01000000ULL
#define ACL_PROF_API_STATS             0x400000000ULL
#define ACL_PROF_AICORE_SHAPE          0x800000000ULL
#define ACL_PROF_MAX_OP_NAME_LEN       257
#define ACL_PROF_MAX_OP_TYPE_LEN       65
#define ACL_PROF_TENSOR_DATA_SHAPE_LEN 8
#define ACL_PROF_EVENT_ATTR_VERSION    1
typedef enum aclprofAicoreMetrics {
  ACL_AICORE_ARITHMETIC_UTILIZATION = 0,
  ACL_AICORE_PIPE_UTILIZATION,
  ACL_AICORE_MEMORY_BANDWIDTH,
  ACL_AICORE_L0B_AND_WIDTH,
  ACL_AICORE_RESOURCE_CONFLICT_RATIO,
  ACL_AICORE_MEMORY_UB,
  ACL_AICORE_L2_CACHE,
  ACL_AICORE_PIPE_EXECUTE_UTILIZATION,
  ACL_AICORE_MEMORY_ACCESS,
  ACL_AICORE_NONE = 255
} aclprofAicoreMetrics;
typedef enum aclprofStepTag { ACL_STEP_START = 0, ACL_STEP_END } aclprofStepTag;
typedef enum aclprofConfigType {
  ACL_PROF_ARGS_MIN = 0,
  ACL_PROF_STORAGE_LIMIT = 1,
  ACL_PROF_SYS_HARDWARE_MEM_FREQ = 3,
  ACL_PROF_LLC_MODE,
  ACL_PROF_SYS_IO_FREQ,
  ACL_PROF_SYS_INTERCONNECTION_FREQ,
  ACL_PROF_DVPP_FREQ,
  ACL_PROF_HOST_SYS,
  ACL_PROF_HOST_SYS_USAGE,
  ACL_PROF_HOST_SYS_USAGE_FREQ,
  ACL_PROF_LOW_POWER_FREQ,
  ACL_PROF_SYS_MEM_SERVICEFLOW,
  ACL_PROF_SYS_CPU_FREQ,
  ACL_PROF_OPTYPE,
  ACL_PROF_NTS_METRICS,
  ACL_PROF_PATH,
  ACL_PROF_ARGS_MAX
} aclprofConfigType;
typedef struct aclprofConfig aclprofConfig;
typedef struct aclprofAicoreEvents aclprofAicoreEvents;
typedef struct aclprofSubscribeConfig aclprofSubscribeConfig;
typedef struct aclprofStepInfo aclprofStepInfo;

// The folder has to be there, and length is that of its name. ACL_ERROR_INVALID_FILE,
// ACL_ERROR_PROF_ALREADY_RUN.
WEFT_ACL aclError aclprofInit(const char *profilerResultPath, size_t length);
// ACL_ERROR_PROF_NOT_RUN: aclprofInit was not called. What is recorded still is written first.
WEFT_ACL aclError aclprofFinalize(void);
// What a chip's sampling takes; here it is checked and changes nothing.
WEFT_ACL aclError aclprofSetConfig(aclprofConfigType configType, const char *config, size_t configLength);
// Of dataTypeConfig, runs are recorded for task times and interfaces (ACL_PROF_TASK_TIME, _ACL_API and their
// kin), marks, ranges and steps for ACL_PROF_MSPROFTX. NULL: a device that is not there, or no memory
// (aclGetRecentErrMsg).
WEFT_ACL aclprofConfig *aclprofCreateConfig(uint32_t *deviceIdList, uint32_t deviceNums,
                                            aclprofAicoreMetrics aicoreMetrics,
                                            const aclprofAicoreEvents *aicoreEvents, uint64_t dataTypeConfig);
WEFT_ACL aclError aclprofDestroyConfig(const aclprofConfig *profilerConfig);
WEFT_ACL aclError aclprofStart(const aclprofConfig *profilerConfig);
// ACL_ERROR_PROFILING_FAILURE: the file cannot be written, or some runs did not fit (a million lines are
// kept).
WEFT_ACL aclError aclprofStop(const aclprofConfig *profilerConfig);

// ---- marks ----
// A stamp carries a message of at most 127 bytes. A mark is a moment; a range lasts from its begin to its
// end: aclprofPush and aclprofPop nest within a thread, aclprofRangeStart and aclprofRangeStop may cross
// threads.
WEFT_ACL void *aclprofCreateStamp(void);
WEFT_ACL void aclprofDestroyStamp(void *stamp);
WEFT_ACL aclError aclprofSetStampTraceMessage(void *stamp, const char *msg, uint32_t msgLen);
WEFT_ACL aclError aclprofMark(void *stamp);
WEFT_ACL aclError aclprofPush(void *stamp);
WEFT_ACL aclError aclprofPop(void);
WEFT_ACL aclError aclprofRangeStart(void *stamp, uint32_t *rangeId);
WEFT_ACL aclError aclprofRangeStop(uint32_t rangeId);
// A step from ACL_STEP_START to ACL_STEP_END of the same stepInfo.
WEFT_ACL aclprofStepInfo *aclprofCreateStepInfo(void);
WEFT_ACL void aclprofDestroyStepInfo(aclprofStepInfo *stepinfo);
WEFT_ACL aclError aclprofGetStepTimestamp(aclprofStepInfo *stepInfo, aclprofStepTag tag, aclrtStream stream);

// ---- subscriptions ----
// ACL_ERROR_FEATURE_UNSUPPORTED; NULL.
WEFT_ACL aclprofSubscribeConfig *aclprofCreateSubscribeConfig(int8_t timeInfoSwitch,
                                                              aclprofAicoreMetrics aicoreMetrics, void *fd);
WEFT_ACL aclError aclprofDestroySubscribeConfig(const aclprofSubscribeConfig *profSubscribeConfig);
WEFT_ACL aclError aclprofModelSubscribe(uint32_t modelId, const aclprofSubscribeConfig *profSubscribeConfig);
WEFT_ACL aclError aclprofModelUnSubscribe(uint32_t modelId);
#ifdef __cplusplus
}
#endif
// SPDX-License-Identifier: Apache-2.0
