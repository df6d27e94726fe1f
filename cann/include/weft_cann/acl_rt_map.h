// weft_cann/acl_rt_map.h - AscendCL's virtual memory: addresses are reserved, memory is taken, and the one is
// mapped at the other.
//
//   aclrtMemGetAllocationGranularity(&prop, ACL_RT_MEM_ALLOC_GRANULARITY_MINIMUM, &unit);
//   aclrtReserveMemAddress(&at, 16 * unit, 0, NULL, 0);
//   aclrtMallocPhysical(&memory, 4 * unit, &prop, 0);
//   aclrtMapMem(at, 4 * unit, 0, memory, 0);
//   ...
//   aclrtUnmapMem(at); aclrtFreePhysical(memory); aclrtReleaseMemAddress(at);
//
// Memory may be mapped at several addresses, and grow beside what is mapped already. Sizes, addresses and
// offsets are multiples of the unit, a page of this machine. A copy that meets a page with nothing mapped is
// an error; a kernel that does is stopped by the system.
#pragma once
#include "weft_cann/acl_rt.h"
#ifdef __cplusplus
extern "C" {
#endif
typedef void *aclrtDrvMemHandle;
typedef enum aclrtMemAllocationType { ACL_MEM_ALLOCATION_TYPE_PINNED = 0 } aclrtMemAllocationType;
typedef enum aclrtMemHandleType {
  ACL_MEM_HANDLE_TYPE_NONE = 0,
  ACL_MEM_HANDLE_TYPE_POSIX = 2
} aclrtMemHandleType;
typedef enum aclrtMemGranularityOptions {
  ACL_RT_MEM_ALLOC_GRANULARITY_MINIMUM = 0,
  ACL_RT_MEM_ALLOC_GRANULARITY_RECOMMENDED,
  ACL_RT_MEM_ALLOC_GRANULARITY_UNDEF = 65535
} aclrtMemGranularityOptions;
typedef enum aclrtMemAccessFlags {
  ACL_RT_MEM_ACCESS_FLAGS_NONE = 0,
  ACL_RT_MEM_ACCESS_FLAGS_READ = 1,
  ACL_RT_MEM_ACCESS_FLAGS_READWRITE = 3
} aclrtMemAccessFlags;
typedef struct aclrtPhysicalMemProp {
  aclrtMemHandleType handleType;
  aclrtMemAllocationType allocationType;
  aclrtMemAttr memAttr;
  aclrtMemLocation location;
  uint64_t reserve;
} aclrtPhysicalMemProp;
typedef struct aclrtMemAccessDesc {
  aclrtMemAccessFlags flags;
  aclrtMemLocation location;
  uint8_t rsv[12];
} aclrtMemAccessDesc;

WEFT_ACL aclError aclrtMemGetAllocationGranularity(aclrtPhysicalMemProp *prop,
                                                   aclrtMemGranularityOptions option, size_t *granularity);
// Memory of zeros. Of prop, where it is and what it is are checked: pinned, on the host or on device 0.
// ACL_ERROR_RT_MEMORY_ALLOCATION
WEFT_ACL aclError aclrtMallocPhysical(aclrtDrvMemHandle *handle, size_t size,
                                      const aclrtPhysicalMemProp *prop, uint64_t flags);
// What is mapped of it stays until it is unmapped.
WEFT_ACL aclError aclrtFreePhysical(aclrtDrvMemHandle handle);
WEFT_ACL aclError aclrtMemGetAllocationPropertiesFromHandle(aclrtDrvMemHandle handle,
                                                            aclrtPhysicalMemProp *prop);
// alignment: 0, or a power of two; expectPtr: NULL, or where the addresses had best begin; flags: 0, or 1
// (large pages), which is the same here.
WEFT_ACL aclError aclrtReserveMemAddress(void **virPtr, size_t size, size_t alignment, void *expectPtr,
                                         uint64_t flags);
// ACL_ERROR_RT_PARAM_INVALID: these addresses were not reserved, or something is mapped there.
WEFT_ACL aclError aclrtReleaseMemAddress(void *virPtr);
// size bytes of the memory, from offset on, to read and write. flags: 0.
WEFT_ACL aclError aclrtMapMem(void *virPtr, size_t size, size_t offset, aclrtDrvMemHandle handle,
                              uint64_t flags);
WEFT_ACL aclError aclrtUnmapMem(void *virPtr);  // where a call of aclrtMapMem began
// Access to what one call mapped, whole; the last of `count` counts, as there is one device.
WEFT_ACL aclError aclrtMemSetAccess(void *virPtr, size_t size, aclrtMemAccessDesc *desc, size_t count);
WEFT_ACL aclError aclrtMemGetAccess(void *virPtr, aclrtMemLocation *location, uint64_t *flag);
// ACL_ERROR_RT_FEATURE_NOT_SUPPORT: memory is not shared between processes.
WEFT_ACL aclError aclrtMemExportToShareableHandle(aclrtDrvMemHandle handle, aclrtMemHandleType handleType,
                                                  uint64_t flags, uint64_t *shareableHandle);
WEFT_ACL aclError aclrtMemImportFromShareableHandle(uint64_t shareableHandle, int32_t deviceId,
                                                    aclrtDrvMemHandle *handle);
WEFT_ACL aclError aclrtMemSetPidToShareableHandle(uint64_t shareableHandle, int32_t *pid, size_t pidNum);
#ifdef __cplusplus
}
#endif
// SPDX-License-Identifier: Apache-2.0
