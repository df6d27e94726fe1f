// device.c - the one device, which is this machine's processor, and contexts on it.
#include <unistd.h>

#include "state.h"

static _Thread_local void *device_context;  // current in this thread; NULL: the device's own
static _Thread_local bool device_set;
static char device_own;        // its address stands for the device's own context
static uint32_t device_users;  // aclrtSetDevice less aclrtResetDevice, under the lock

static aclError device_check(const char *call, int64_t id) {
  if (!id)
    return ACL_SUCCESS;
  return acl_fail(ACL_ERROR_RT_INVALID_DEVICEID, "%s: there is no device %lld; the only one is 0", call,
                  (long long)id);
}

aclError aclrtGetDeviceCount(uint32_t *count) {
  if (!count)
    return acl_missing("aclrtGetDeviceCount: count");
  *count = 1;
  return ACL_SUCCESS;
}
aclError aclrtSetDevice(int32_t deviceId) {
  if (device_check("aclrtSetDevice", deviceId))
    return ACL_ERROR_RT_INVALID_DEVICEID;
  pthread_mutex_lock(&acl_lock);
  device_users++;
  pthread_mutex_unlock(&acl_lock);
  device_set = true;
  device_context = NULL;
  return ACL_SUCCESS;
}

static aclError device_reset(const char *call, int32_t id, bool force) {
  if (device_check(call, id))
    return ACL_ERROR_RT_INVALID_DEVICEID;
  pthread_mutex_lock(&acl_lock);
  device_users = force || !device_users ? 0 : device_users - 1;
  pthread_mutex_unlock(&acl_lock);
  if (force) {
    acl_memory_free_device();
    acl_handles_drop_all();
  }
  device_set = false;
  device_context = NULL;
  return ACL_SUCCESS;
}
aclError aclrtResetDevice(int32_t deviceId) {
  return device_reset("aclrtResetDevice", deviceId, false);
}
aclError aclrtResetDeviceForce(int32_t deviceId) {
  return device_reset("aclrtResetDeviceForce", deviceId, true);
}

aclError aclrtGetDevice(int32_t *deviceId) {
  if (!deviceId)
    return acl_missing("aclrtGetDevice: deviceId");
  if (!device_set && !device_context) {
    return acl_fail(ACL_ERROR_RT_CONTEXT_NULL,
                    "aclrtGetDevice: this thread has no device; call aclrtSetDevice(0) in it");
  }
  *deviceId = 0;
  return ACL_SUCCESS;
}
aclError aclrtQueryDeviceStatus(int32_t deviceId, aclrtDeviceStatus *deviceStatus) {
  if (!deviceStatus)
    return acl_missing("aclrtQueryDeviceStatus: deviceStatus");
  *deviceStatus = ACL_RT_DEVICE_STATUS_NORMAL;
  return device_check("aclrtQueryDeviceStatus", deviceId);
}

static int64_t device_memory(void) {
  return (int64_t)sysconf(_SC_PHYS_PAGES) * sysconf(_SC_PAGESIZE);
}
static int64_t device_cores(void) {
  const long n = sysconf(_SC_NPROCESSORS_ONLN);
  return n > 0 ? n : 1;
}
aclError aclrtGetDeviceInfo(uint32_t deviceId, aclrtDevAttr attr, int64_t *value) {
  if (!value)
    return acl_missing("aclrtGetDeviceInfo: value");
  if (device_check("aclrtGetDeviceInfo", deviceId))
    return ACL_ERROR_RT_INVALID_DEVICEID;
  switch ((int)attr) {
    case ACL_DEV_ATTR_AICPU_CORE_NUM:
    case ACL_DEV_ATTR_AICORE_CORE_NUM:
    case ACL_DEV_ATTR_CUBE_CORE_NUM:
    case ACL_DEV_ATTR_VECTOR_CORE_NUM:
      *value = device_cores();
      return ACL_SUCCESS;
    case ACL_DEV_ATTR_TOTAL_GLOBAL_MEM_SIZE:
      *value = device_memory();
      return ACL_SUCCESS;
    case ACL_DEV_ATTR_L2_CACHE_SIZE:
      *value = sysconf(_SC_LEVEL2_CACHE_SIZE);
      return ACL_SUCCESS;
    case ACL_DEV_ATTR_NPU_ARCH:  // the chip whose limits kernels meet, unless they say another
      *value = 2201;
      return ACL_SUCCESS;
    case ACL_DEV_ATTR_IS_VIRTUAL:
      *value = 0;
      return ACL_SUCCESS;
  }
  return acl_fail(ACL_ERROR_RT_FEATURE_NOT_SUPPORT,
                  "aclrtGetDeviceInfo: attribute %d says nothing of a processor", (int)attr);
}
aclError aclGetDeviceCapability(uint32_t deviceId, aclDeviceInfo deviceInfo, int64_t *value) {
  static const aclrtDevAttr same[] = {ACL_DEV_ATTR_AICORE_CORE_NUM, ACL_DEV_ATTR_VECTOR_CORE_NUM,
                                      ACL_DEV_ATTR_L2_CACHE_SIZE};
  if ((int)deviceInfo < 0 || (size_t)deviceInfo >= WEFT_COUNT(same))
    return acl_fail(ACL_ERROR_INVALID_PARAM, "aclGetDeviceCapability: %d is no such thing", (int)deviceInfo);
  return aclrtGetDeviceInfo(deviceId, same[deviceInfo], value);
}
aclError aclrtGetMemInfo(aclrtMemAttr attr, size_t *free, size_t *total) {
  (void)attr;
  if (!free || !total)
    return acl_missing("aclrtGetMemInfo: a place for the sizes");
  *free = (size_t)sysconf(_SC_AVPHYS_PAGES) * (size_t)sysconf(_SC_PAGESIZE);
  *total = (size_t)device_memory();
  return ACL_SUCCESS;
}
aclError aclrtDeviceCanAccessPeer(int32_t *canAccessPeer, int32_t deviceId, int32_t peerDeviceId) {
  if (!canAccessPeer)
    return acl_missing("aclrtDeviceCanAccessPeer: canAccessPeer");
  *canAccessPeer = 0;
  const aclError code = device_check("aclrtDeviceCanAccessPeer", deviceId);
  return code ? code : device_check("aclrtDeviceCanAccessPeer", peerDeviceId);
}
aclError aclrtDeviceGetStreamPriorityRange(int32_t *leastPriority, int32_t *greatestPriority) {
  if (!leastPriority || !greatestPriority)
    return acl_missing("aclrtDeviceGetStreamPriorityRange: a place for the range");
  *leastPriority = 0;
  *greatestPriority = 0;
  return ACL_SUCCESS;
}

// ---- contexts ----
aclError aclrtCreateContext(aclrtContext *context, int32_t deviceId) {
  if (!context)
    return acl_missing("aclrtCreateContext: context");
  if (device_check("aclrtCreateContext", deviceId))
    return ACL_ERROR_RT_INVALID_DEVICEID;
  const aclError code = acl_handle_make(ACL_CONTEXT, context);
  if (!code)
    device_context = *context;
  return code;
}

static aclError context_check(const char *call, aclrtContext context) {
  pthread_mutex_lock(&acl_lock);
  const bool known = acl_handle_find(context, ACL_CONTEXT);
  pthread_mutex_unlock(&acl_lock);
  if (known)
    return ACL_SUCCESS;
  return acl_fail(ACL_ERROR_RT_CONTEXT_NULL, "%s: this is no context, or it was destroyed", call);
}
aclError aclrtDestroyContext(aclrtContext context) {
  const aclError code = context_check("aclrtDestroyContext", context);
  if (code)
    return code;
  pthread_mutex_lock(&acl_lock);
  acl_handle_drop(context);
  pthread_mutex_unlock(&acl_lock);
  if (device_context == context)
    device_context = NULL;
  return ACL_SUCCESS;
}
aclError aclrtSetCurrentContext(aclrtContext context) {
  if (context == &device_own)
    return aclrtSetDevice(0);
  const aclError code = context_check("aclrtSetCurrentContext", context);
  if (!code)
    device_context = context;
  return code;
}
aclError aclrtGetCurrentContext(aclrtContext *context) {
  if (!context)
    return acl_missing("aclrtGetCurrentContext: context");
  if (!device_context && !device_set) {
    return acl_fail(ACL_ERROR_RT_CONTEXT_NULL,
                    "aclrtGetCurrentContext: this thread has no context; call aclrtSetDevice(0) in it");
  }
  *context = device_context ? device_context : &device_own;
  return ACL_SUCCESS;
}
// SPDX-License-Identifier: Apache-2.0
