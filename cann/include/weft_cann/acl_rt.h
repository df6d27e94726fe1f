// weft_cann/acl_rt.h - AscendCL's runtime on the CPU: devices, contexts, streams, events, memory.
//
//   aclInit(NULL); aclrtSetDevice(0); aclrtCreateStream(&stream);
//   aclrtMalloc(&there, bytes, ACL_MEM_MALLOC_HUGE_FIRST);
//   aclrtMemcpy(there, bytes, here, bytes, ACL_MEMCPY_HOST_TO_DEVICE);
//   ...
//   aclrtFree(there); aclrtDestroyStream(stream); aclrtResetDevice(0); aclFinalize();
//
// There is one device, 0, which is this machine's processor. Its memory is the program's own, so that a copy
// in any direction is a copy. A stream does its work before the call returns, in the order of the calls; only
// callbacks that a thread serves (aclrtSubscribeReport) come later. Memory and handles are checked: what was
// freed, or never given out, is an error and not a crash, and a copy may not pass the end of a block that
// aclrtMalloc gave. Calls need no device to be set, because operators run on threads of weft's.
#pragma once
#include "weft_cann/acl_base.h"
#include "weft_cann/acl_error_codes.h"
#include "weft_cann/acl_launch.h"
#ifdef __cplusplus
extern "C" {
#endif
#define ACL_MAJOR_VERSION                 1
#define ACL_MINOR_VERSION                 17
#define ACL_PATCH_VERSION                 0
#define ACL_EVENT_SYNC                    0x00000001U
#define ACL_EVENT_CAPTURE_STREAM_PROGRESS 0x00000002U
#define ACL_EVENT_TIME_LINE               0x00000008U
#define ACL_EVENT_DEVICE_USE_ONLY         0x00000010U
#define ACL_EVENT_EXTERNAL                0x00000020U
#define ACL_EVENT_IPC                     0x00000040U
#define ACL_STREAM_FAST_LAUNCH            0x00000001U
#define ACL_STREAM_FAST_SYNC              0x00000002U
#define ACL_STREAM_PERSISTENT             0x00000004U
#define ACL_STREAM_HUGE                   0x00000008U
#define ACL_STREAM_CPU_SCHEDULE           0x00000010U
#define ACL_STREAM_DEVICE_USE_ONLY        0x00000020U
#define ACL_CONTINUE_ON_FAILURE           0x00000000U
#define ACL_STOP_ON_FAILURE               0x00000001U
typedef enum aclrtRunMode { ACL_DEVICE = 0, ACL_HOST } aclrtRunMode;
typedef enum aclrtEventStatus {
  ACL_EVENT_STATUS_COMPLETE = 0,
  ACL_EVENT_STATUS_NOT_READY,
  ACL_EVENT_STATUS_RESERVED
} aclrtEventStatus;
typedef enum aclrtEventRecordedStatus {
  ACL_EVENT_RECORDED_STATUS_NOT_READY = 0,
  ACL_EVENT_RECORDED_STATUS_COMPLETE
} aclrtEventRecordedStatus;
typedef enum aclrtEventWaitStatus {
  ACL_EVENT_WAIT_STATUS_COMPLETE = 0,
  ACL_EVENT_WAIT_STATUS_NOT_READY,
  ACL_EVENT_WAIT_STATUS_RESERVED = 65535
} aclrtEventWaitStatus;
typedef enum aclrtStreamStatus {
  ACL_STREAM_STATUS_COMPLETE = 0,
  ACL_STREAM_STATUS_NOT_READY,
  ACL_STREAM_STATUS_RESERVED = 65535
} aclrtStreamStatus;
typedef enum aclrtCallbackBlockType { ACL_CALLBACK_NO_BLOCK = 0, ACL_CALLBACK_BLOCK } aclrtCallbackBlockType;
typedef enum aclrtMemcpyKind {
  ACL_MEMCPY_HOST_TO_HOST = 0,
  ACL_MEMCPY_HOST_TO_DEVICE,
  ACL_MEMCPY_DEVICE_TO_HOST,
  ACL_MEMCPY_DEVICE_TO_DEVICE,
  ACL_MEMCPY_DEFAULT,
  ACL_MEMCPY_HOST_TO_BUF_TO_DEVICE,
  ACL_MEMCPY_INNER_DEVICE_TO_DEVICE,
  ACL_MEMCPY_INTER_DEVICE_TO_DEVICE
} aclrtMemcpyKind;
typedef enum aclrtMemMallocPolicy {
  ACL_MEM_MALLOC_HUGE_FIRST = 0,
  ACL_MEM_MALLOC_HUGE_ONLY,
  ACL_MEM_MALLOC_NORMAL_ONLY,
  ACL_MEM_MALLOC_HUGE_FIRST_P2P,
  ACL_MEM_MALLOC_HUGE_ONLY_P2P,
  ACL_MEM_MALLOC_NORMAL_ONLY_P2P,
  ACL_MEM_MALLOC_HUGE1G_ONLY,
  ACL_MEM_MALLOC_HUGE1G_ONLY_P2P,
  ACL_MEM_TYPE_LOW_BAND_WIDTH = 256,
  ACL_MEM_TYPE_HIGH_BAND_WIDTH = 4096,
  ACL_MEM_ACCESS_USER_SPACE_READONLY = 1048576
} aclrtMemMallocPolicy;
typedef enum aclrtHostRegisterType {
  ACL_HOST_REGISTER_MAPPED = 0,
  ACL_HOST_REGISTER_IOMEMORY = 4,
  ACL_HOST_REGISTER_READONLY = 8
} aclrtHostRegisterType;
typedef enum aclrtMemAttr {
  ACL_DDR_MEM = 0,
  ACL_HBM_MEM,
  ACL_DDR_MEM_HUGE,
  ACL_DDR_MEM_NORMAL,
  ACL_HBM_MEM_HUGE,
  ACL_HBM_MEM_NORMAL,
  ACL_DDR_MEM_P2P_HUGE,
  ACL_DDR_MEM_P2P_NORMAL,
  ACL_HBM_MEM_P2P_HUGE,
  ACL_HBM_MEM_P2P_NORMAL,
  ACL_HBM_MEM_HUGE1G,
  ACL_HBM_MEM_P2P_HUGE1G,
  ACL_MEM_NORMAL,
  ACL_MEM_HUGE,
  ACL_MEM_HUGE1G,
  ACL_MEM_P2P_NORMAL,
  ACL_MEM_P2P_HUGE,
  ACL_MEM_P2P_HUGE1G
} aclrtMemAttr;
typedef enum aclrtDeviceStatus {
  ACL_RT_DEVICE_STATUS_NORMAL = 0,
  ACL_RT_DEVICE_STATUS_ABNORMAL,
  ACL_RT_DEVICE_STATUS_END = 65535
} aclrtDeviceStatus;
typedef enum aclrtLastErrLevel { ACL_RT_THREAD_LEVEL = 0 } aclrtLastErrLevel;
typedef enum aclrtDevAttr {
  ACL_DEV_ATTR_AICPU_CORE_NUM = 1,
  ACL_DEV_ATTR_AICORE_CORE_NUM = 101,
  ACL_DEV_ATTR_CUBE_CORE_NUM,
  ACL_DEV_ATTR_VECTOR_CORE_NUM = 201,
  ACL_DEV_ATTR_WARP_SIZE,
  ACL_DEV_ATTR_MAX_THREAD_PER_VECTOR_CORE,
  ACL_DEV_ATTR_LOCAL_MEM_PER_VECTOR_CORE,
  ACL_DEV_ATTR_UBUF_PER_VECTOR_CORE = 204,
  ACL_DEV_ATTR_MAX_GRID_DIM_X,
  ACL_DEV_ATTR_MAX_GRID_DIM_Y,
  ACL_DEV_ATTR_MAX_GRID_DIM_Z,
  ACL_DEV_ATTR_MAX_BLOCK_PER_GRID,
  ACL_DEV_ATTR_MAX_THREADS_PER_BLOCK,
  ACL_DEV_ATTR_MAX_BLOCK_DIM_X,
  ACL_DEV_ATTR_MAX_BLOCK_DIM_Y,
  ACL_DEV_ATTR_MAX_BLOCK_DIM_Z,
  ACL_DEV_ATTR_TOTAL_GLOBAL_MEM_SIZE = 301,
  ACL_DEV_ATTR_L2_CACHE_SIZE,
  ACL_DEV_ATTR_SMP_ID = 401,
  ACL_DEV_ATTR_PHY_CHIP_ID,
  ACL_DEV_ATTR_SUPER_POD_DEVIDE_ID,
  ACL_DEV_ATTR_SUPER_POD_DEVICE_ID = 403,
  ACL_DEV_ATTR_SUPER_POD_SERVER_ID,
  ACL_DEV_ATTR_SUPER_POD_ID,
  ACL_DEV_ATTR_CUST_OP_PRIVILEGE,
  ACL_DEV_ATTR_MAINBOARD_ID,
  ACL_DEV_ATTR_HD_CONNECT_TYPE,
  ACL_DEV_ATTR_DEVICE_FORM_FACTOR,
  ACL_DEV_ATTR_IS_VIRTUAL = 501,
  ACL_DEV_ATTR_NPU_ARCH = 601
} aclrtDevAttr;
typedef void (*aclrtCallback)(void *userData);
typedef void (*aclrtHostFunc)(void *args);

// ---- the process ----
// configPath: NULL, or a file of JSON, of which nothing is used yet (a note in the log says so).
// ACL_ERROR_REPEAT_INITIALIZE when it was called before and not finalised.
WEFT_ACL aclError aclInit(const char *configPath);
// Frees models and device memory that were left; host memory and descriptions of models stay the program's.
// ACL_ERROR_UNINITIALIZE, ACL_ERROR_REPEAT_FINALIZE.
WEFT_ACL aclError aclFinalize(void);
// How many calls of aclInit are left: 0, as there is one.
WEFT_ACL aclError aclFinalizeReference(uint64_t *refCount);
// What the last failed call of this thread says, in plain words; NULL when nothing failed since it was read.
// Valid until the thread's next call.
WEFT_ACL const char *aclGetRecentErrMsg(void);
WEFT_ACL aclError aclrtGetLastError(aclrtLastErrLevel level);  // and forgets it
WEFT_ACL aclError aclrtPeekAtLastError(aclrtLastErrLevel level);
WEFT_ACL aclError aclrtGetVersion(int32_t *majorVersion, int32_t *minorVersion, int32_t *patchVersion);
WEFT_ACL aclError aclrtGetRunMode(aclrtRunMode *runMode);  // ACL_HOST

// ---- devices and contexts ----
WEFT_ACL aclError aclrtGetDeviceCount(uint32_t *count);  // 1
WEFT_ACL aclError aclrtSetDevice(int32_t deviceId);
WEFT_ACL aclError aclrtResetDevice(int32_t deviceId);
// Frees streams, events and memory of the device as well, host memory not.
WEFT_ACL aclError aclrtResetDeviceForce(int32_t deviceId);
WEFT_ACL aclError aclrtGetDevice(int32_t *deviceId);  // ACL_ERROR_RT_CONTEXT_NULL: none is set
WEFT_ACL aclError aclrtQueryDeviceStatus(int32_t deviceId, aclrtDeviceStatus *deviceStatus);
// Cores are the environment's threads, memory is the machine's; what a processor has not is an error.
WEFT_ACL aclError aclrtGetDeviceInfo(uint32_t deviceId, aclrtDevAttr attr, int64_t *value);
WEFT_ACL aclError aclrtDeviceCanAccessPeer(int32_t *canAccessPeer, int32_t deviceId, int32_t peerDeviceId);
WEFT_ACL aclError aclrtDeviceGetStreamPriorityRange(int32_t *leastPriority, int32_t *greatestPriority);
WEFT_ACL aclError aclrtSynchronizeDevice(void);
WEFT_ACL aclError aclrtSynchronizeDeviceWithTimeout(int32_t timeout);
WEFT_ACL aclError aclrtCreateContext(aclrtContext *context, int32_t deviceId);
WEFT_ACL aclError aclrtDestroyContext(aclrtContext context);
WEFT_ACL aclError aclrtSetCurrentContext(aclrtContext context);
WEFT_ACL aclError aclrtGetCurrentContext(aclrtContext *context);

// ---- streams and events ----
WEFT_ACL aclError aclrtCreateStream(aclrtStream *stream);
WEFT_ACL aclError aclrtCreateStreamWithConfig(aclrtStream *stream, uint32_t priority, uint32_t flag);
WEFT_ACL aclError aclrtDestroyStream(aclrtStream stream);
WEFT_ACL aclError aclrtDestroyStreamForce(aclrtStream stream);  // drops its callbacks
// Returns when the work of the stream is done, callbacks included. ACL_ERROR_STREAM_NOT_SUBSCRIBE: they wait,
// and no thread serves them.
WEFT_ACL aclError aclrtSynchronizeStream(aclrtStream stream);
// timeout in ms, -1: none. ACL_ERROR_RT_STREAM_SYNC_TIMEOUT
WEFT_ACL aclError aclrtSynchronizeStreamWithTimeout(aclrtStream stream, int32_t timeout);
WEFT_ACL aclError aclrtStreamQuery(aclrtStream stream, aclrtStreamStatus *status);
WEFT_ACL aclError aclrtSetStreamFailureMode(aclrtStream stream, uint64_t mode);
WEFT_ACL aclError aclrtStreamGetId(aclrtStream stream, int32_t *streamId);
WEFT_ACL aclError aclrtCtxGetCurrentDefaultStream(aclrtStream *stream);  // NULL
// A host function in the order of the stream: here, before the call returns.
WEFT_ACL aclError aclrtLaunchHostFunc(aclrtStream stream, aclrtHostFunc fn, void *args);
// A function that a thread of the program serves by aclrtProcessReport; threadId is its pthread_t.
WEFT_ACL aclError aclrtSubscribeReport(uint64_t threadId, aclrtStream stream);
WEFT_ACL aclError aclrtUnSubscribeReport(uint64_t threadId, aclrtStream stream);
WEFT_ACL aclError aclrtLaunchCallback(aclrtCallback fn, void *userData, aclrtCallbackBlockType blockType,
                                      aclrtStream stream);
// Runs the callbacks of this thread's streams; waits at most timeout ms for one, -1: for ever.
// ACL_ERROR_THREAD_NOT_SUBSCRIBE, ACL_ERROR_WAIT_CALLBACK_TIMEOUT
WEFT_ACL aclError aclrtProcessReport(int32_t timeout);
WEFT_ACL aclError aclrtCreateEvent(aclrtEvent *event);
WEFT_ACL aclError aclrtCreateEventWithFlag(aclrtEvent *event, uint32_t flag);
WEFT_ACL aclError aclrtCreateEventExWithFlag(aclrtEvent *event, uint32_t flag);
WEFT_ACL aclError aclrtDestroyEvent(aclrtEvent event);
WEFT_ACL aclError aclrtRecordEvent(aclrtEvent event, aclrtStream stream);
WEFT_ACL aclError aclrtResetEvent(aclrtEvent event, aclrtStream stream);
WEFT_ACL aclError aclrtStreamWaitEvent(aclrtStream stream, aclrtEvent event);
WEFT_ACL aclError aclrtSynchronizeEvent(aclrtEvent event);
WEFT_ACL aclError aclrtQueryEvent(aclrtEvent event, aclrtEventStatus *status);
WEFT_ACL aclError aclrtQueryEventStatus(aclrtEvent event, aclrtEventRecordedStatus *status);
WEFT_ACL aclError aclrtQueryEventWaitStatus(aclrtEvent event, aclrtEventWaitStatus *status);
// ACL_ERROR_RT_EVENT_TIMESTAMP_INVALID: one was not recorded
WEFT_ACL aclError aclrtEventElapsedTime(float *ms, aclrtEvent startEvent, aclrtEvent endEvent);
WEFT_ACL aclError aclrtEventGetTimestamp(aclrtEvent event, uint64_t *timestamp);  // microseconds

// A flag between streams: record sets it, a wait clears it. Work is done in the call that asks for it, so a
// wait blocks its thread until another one records, or timeout ms are over; 0: for ever.
#define ACL_NOTIFY_DEFAULT         0x00000000U
#define ACL_NOTIFY_DEVICE_USE_ONLY 0x00000001U
WEFT_ACL aclError aclrtCreateNotify(aclrtNotify *notify, uint64_t flag);
WEFT_ACL aclError aclrtDestroyNotify(aclrtNotify notify);
WEFT_ACL aclError aclrtGetNotifyId(aclrtNotify notify, uint32_t *notifyId);
WEFT_ACL aclError aclrtRecordNotify(aclrtNotify notify, aclrtStream stream);
WEFT_ACL aclError aclrtWaitAndResetNotify(aclrtNotify notify, aclrtStream stream, uint32_t timeout);

// ---- memory ----
// 64-byte aligned, with 32 bytes and more behind it that kernels may read; the policy changes nothing. Size 0
// is ACL_ERROR_RT_PARAM_INVALID, no memory ACL_ERROR_RT_MEMORY_ALLOCATION.
WEFT_ACL aclError aclrtMalloc(void **devPtr, size_t size, aclrtMemMallocPolicy policy);
WEFT_ACL aclError aclrtMallocAlign32(void **devPtr, size_t size, aclrtMemMallocPolicy policy);
WEFT_ACL aclError aclrtMallocCached(void **devPtr, size_t size, aclrtMemMallocPolicy policy);
WEFT_ACL aclError aclrtMemFlush(void *devPtr, size_t size);       // nothing to do
WEFT_ACL aclError aclrtMemInvalidate(void *devPtr, size_t size);  // nothing to do
WEFT_ACL aclError aclrtFree(void *devPtr);
WEFT_ACL aclError aclrtMallocHost(void **hostPtr, size_t size);
WEFT_ACL aclError aclrtFreeHost(void *hostPtr);
// count bytes; destMax is what dst has room for, count at most.
WEFT_ACL aclError aclrtMemcpy(void *dst, size_t destMax, const void *src, size_t count, aclrtMemcpyKind kind);
WEFT_ACL aclError aclrtMemcpyAsync(void *dst, size_t destMax, const void *src, size_t count,
                                   aclrtMemcpyKind kind, aclrtStream stream);
// Copies one after the other, until one fails: failIndex (may be NULL) is its number, SIZE_MAX: none of them.
// attrs[k] says where the memory of the copies from attrsIndexes[k] on is.
typedef enum aclrtMemLocationType {
  ACL_MEM_LOCATION_TYPE_HOST = 0,
  ACL_MEM_LOCATION_TYPE_DEVICE = 1,
  ACL_MEM_LOCATION_TYPE_UNREGISTERED = 2,
  ACL_MEM_LOCATION_TYPE_MANAGED = 3,
  ACL_MEM_LOCATION_TYPE_HOST_NUMA = 4
} aclrtMemLocationType;
typedef struct aclrtMemLocation {
  uint32_t id;
  aclrtMemLocationType type;
} aclrtMemLocation;
typedef struct aclrtMemcpyBatchAttr {
  aclrtMemLocation dstLoc;
  aclrtMemLocation srcLoc;
  uint8_t rsv[16];
} aclrtMemcpyBatchAttr;
WEFT_ACL aclError aclrtMemcpyBatch(void **dsts, size_t *destMaxs, void **srcs, size_t *sizes,
                                   size_t numBatches, aclrtMemcpyBatchAttr *attrs, size_t *attrsIndexes,
                                   size_t numAttrs, size_t *failIndex);
WEFT_ACL aclError aclrtMemcpyBatchAsync(void **dsts, size_t *destMaxs, void **srcs, size_t *sizes,
                                        size_t numBatches, aclrtMemcpyBatchAttr *attrs, size_t *attrsIndexes,
                                        size_t numAttrs, size_t *failIndex, aclrtStream stream);
// height rows of width bytes, which lie dpitch and spitch bytes apart.
WEFT_ACL aclError aclrtMemcpy2d(void *dst, size_t dpitch, const void *src, size_t spitch, size_t width,
                                size_t height, aclrtMemcpyKind kind);
WEFT_ACL aclError aclrtMemcpy2dAsync(void *dst, size_t dpitch, const void *src, size_t spitch, size_t width,
                                     size_t height, aclrtMemcpyKind kind, aclrtStream stream);
WEFT_ACL aclError aclrtMemset(void *devPtr, size_t maxCount, int32_t value, size_t count);
WEFT_ACL aclError aclrtMemsetAsync(void *devPtr, size_t maxCount, int32_t value, size_t count,
                                   aclrtStream stream);
WEFT_ACL aclError aclrtGetMemInfo(aclrtMemAttr attr, size_t *free, size_t *total);  // of the machine
// The memory itself: what the host has, the device has.
WEFT_ACL aclError aclrtHostRegister(void *ptr, uint64_t size, aclrtHostRegisterType type, void **devPtr);
WEFT_ACL aclError aclrtHostUnregister(void *ptr);
#ifdef __cplusplus
}
#endif
#include "weft_cann/acl_rt_map.h"
// SPDX-License-Identifier: Apache-2.0
