// weft_cann/acl_launch.h - kernels by name: shared objects with kernels in Ascend C (weft-ascc -shared, or
// aclrtc*, see acl_rtc.h) are loaded, their kernels found and launched. A launch has run when the call
// returns; what a kernel did wrong is the stream's error, which aclrtSynchronizeStream gives.
//
// Arguments lie in a buffer as the members of a struct do, each aligned as its type; too few bytes are an
// error. Handles are checked: what was unloaded is an error and not a crash.
#pragma once
#include "weft_cann/acl_base.h"
#ifdef __cplusplus
extern "C" {
#endif
#define ACL_RT_BINARY_MAGIC_ELF_AICORE      0x43554245U
#define ACL_RT_BINARY_MAGIC_ELF_VECTOR_CORE 0x41415246U
#define ACL_RT_BINARY_MAGIC_ELF_CUBE_CORE   0x41494343U
typedef void *aclrtBinary;
typedef void *aclrtBinHandle;
typedef void *aclrtFuncHandle;
typedef void *aclrtArgsHandle;
typedef void *aclrtParamHandle;
typedef enum aclrtBinaryLoadOptionType {
  ACL_RT_BINARY_LOAD_OPT_LAZY_LOAD = 1,
  ACL_RT_BINARY_LOAD_OPT_LAZY_MAGIC = 2,
  ACL_RT_BINARY_LOAD_OPT_MAGIC = 2,
  ACL_RT_BINARY_LOAD_OPT_CPU_KERNEL_MODE = 3
} aclrtBinaryLoadOptionType;
typedef union aclrtBinaryLoadOptionValue {
  uint32_t isLazyLoad;
  uint32_t magic;
  int32_t cpuKernelMode;
  uint32_t rsv[4];
} aclrtBinaryLoadOptionValue;
typedef struct aclrtBinaryLoadOption {
  aclrtBinaryLoadOptionType type;
  aclrtBinaryLoadOptionValue value;
} aclrtBinaryLoadOption;
typedef struct aclrtBinaryLoadOptions {
  aclrtBinaryLoadOption *options;
  size_t numOpt;
} aclrtBinaryLoadOptions;
typedef enum aclrtEngineType { ACL_RT_ENGINE_TYPE_AIC = 0, ACL_RT_ENGINE_TYPE_AIV } aclrtEngineType;
typedef struct aclrtTimeoutUs {
  uint32_t timeoutLow;
  uint32_t timeoutHigh;
} aclrtTimeoutUs;
typedef enum aclrtLaunchKernelAttrId {
  ACL_RT_LAUNCH_KERNEL_ATTR_SCHEM_MODE = 1,
  ACL_RT_LAUNCH_KERNEL_ATTR_LOCAL_MEMORY_SIZE = 2,
  ACL_RT_LAUNCH_KERNEL_ATTR_DYN_UBUF_SIZE = 2,
  ACL_RT_LAUNCH_KERNEL_ATTR_ENGINE_TYPE = 3,
  ACL_RT_LAUNCH_KERNEL_ATTR_BLOCKDIM_OFFSET = 4,
  ACL_RT_LAUNCH_KERNEL_ATTR_BLOCK_TASK_PREFETCH = 5,
  ACL_RT_LAUNCH_KERNEL_ATTR_DATA_DUMP = 6,
  ACL_RT_LAUNCH_KERNEL_ATTR_TIMEOUT = 7,
  ACL_RT_LAUNCH_KERNEL_ATTR_TIMEOUT_US = 8,
  ACL_RT_LAUNCH_KERNEL_ATTR_ENABLE_PROFILING = 9
} aclrtLaunchKernelAttrId;
typedef union aclrtLaunchKernelAttrValue {
  uint8_t schemMode;
  uint32_t localMemorySize;
  uint32_t dynUBufSize;
  aclrtEngineType engineType;
  uint32_t blockDimOffset;
  uint8_t isBlockTaskPrefetch;
  uint8_t isDataDump;
  uint16_t timeout;
  aclrtTimeoutUs timeoutUs;
  uint8_t enableProfiling;
  uint32_t rsv[4];
} aclrtLaunchKernelAttrValue;
typedef struct aclrtLaunchKernelAttr {
  aclrtLaunchKernelAttrId id;
  aclrtLaunchKernelAttrValue value;
} aclrtLaunchKernelAttr;
// Hints for a device; none means anything to a processor.
typedef struct aclrtLaunchKernelCfg {
  aclrtLaunchKernelAttr *attrs;
  size_t numAttrs;
} aclrtLaunchKernelCfg;
// At addrOffset of the arguments stands the address of what lies at dataOffset of them.
typedef struct aclrtPlaceHolderInfo {
  uint32_t addrOffset;
  uint32_t dataOffset;
} aclrtPlaceHolderInfo;

// A shared object for this machine, from memory (copied) or a file. Options decide nothing.
WEFT_ACL aclError aclrtBinaryLoadFromData(const void *data, size_t length,
                                          const aclrtBinaryLoadOptions *options, aclrtBinHandle *binHandle);
WEFT_ACL aclError aclrtBinaryLoadFromFile(const char *binPath, aclrtBinaryLoadOptions *options,
                                          aclrtBinHandle *binHandle);
// Waits until its kernels have ended. Its functions and lists of arguments are gone.
WEFT_ACL aclError aclrtBinaryUnLoad(aclrtBinHandle binHandle);
// The older way; the data are borrowed until aclrtDestroyBinary.
WEFT_ACL aclrtBinary aclrtCreateBinary(const void *data, size_t dataLen);
WEFT_ACL aclError aclrtDestroyBinary(aclrtBinary binary);
WEFT_ACL aclError aclrtBinaryLoad(const aclrtBinary binary, aclrtBinHandle *binHandle);

// A kernel by the name that its function has in the source. The same kernel, the same handle.
WEFT_ACL aclError aclrtBinaryGetFunction(const aclrtBinHandle binHandle, const char *kernelName,
                                         aclrtFuncHandle *funcHandle);
WEFT_ACL aclError aclrtFunctionGetBinary(const aclrtFuncHandle funcHandle, aclrtBinHandle *binHandle);
WEFT_ACL aclError aclrtGetFunctionName(aclrtFuncHandle funcHandle, uint32_t maxLen, char *name);
WEFT_ACL aclError aclrtFunctionGetParamCount(const void *func, size_t *paramCount);
WEFT_ACL aclError aclrtFunctionGetParamInfo(const void *func, size_t paramIndex, size_t *paramOffset,
                                            size_t *paramSize);

WEFT_ACL aclError aclrtLaunchKernel(aclrtFuncHandle funcHandle, uint32_t numBlocks, const void *argsData,
                                    size_t argsSize, aclrtStream stream);
WEFT_ACL aclError aclrtLaunchKernelV2(aclrtFuncHandle funcHandle, uint32_t numBlocks, const void *argsData,
                                      size_t argsSize, aclrtLaunchKernelCfg *cfg, aclrtStream stream);
WEFT_ACL aclError aclrtLaunchKernelWithHostArgs(aclrtFuncHandle funcHandle, uint32_t numBlocks,
                                                aclrtStream stream, aclrtLaunchKernelCfg *cfg, void *hostArgs,
                                                size_t argsSize, aclrtPlaceHolderInfo *placeHolderArray,
                                                size_t placeHolderNum);
// args[i]: where argument i lies.
WEFT_ACL aclError aclrtLaunchKernelWithArgsArray(void *func, uint32_t numBlocks, aclrtStream stream,
                                                 aclrtLaunchKernelCfg *cfg, void **args);
WEFT_ACL aclError aclrtLaunchKernelWithConfig(aclrtFuncHandle funcHandle, uint32_t numBlocks,
                                              aclrtStream stream, aclrtLaunchKernelCfg *cfg,
                                              aclrtArgsHandle argsHandle, void *reserve);

// A list of arguments, one by one; it lives as long as the function's binary.
WEFT_ACL aclError aclrtKernelArgsInit(aclrtFuncHandle funcHandle, aclrtArgsHandle *argsHandle);
WEFT_ACL aclError aclrtKernelArgsAppend(aclrtArgsHandle argsHandle, void *param, size_t paramSize,
                                        aclrtParamHandle *paramHandle);
// An argument that is the address of a buffer of the list, which GetPlaceHolderBuffer makes.
WEFT_ACL aclError aclrtKernelArgsAppendPlaceHolder(aclrtArgsHandle argsHandle, aclrtParamHandle *paramHandle);
WEFT_ACL aclError aclrtKernelArgsGetPlaceHolderBuffer(aclrtArgsHandle argsHandle,
                                                      aclrtParamHandle paramHandle, size_t dataSize,
                                                      void **bufferAddr);
WEFT_ACL aclError aclrtKernelArgsParaUpdate(aclrtArgsHandle argsHandle, aclrtParamHandle paramHandle,
                                            void *param, size_t paramSize);
WEFT_ACL aclError aclrtKernelArgsFinalize(aclrtArgsHandle argsHandle);
#ifdef __cplusplus
}
#endif
// SPDX-License-Identifier: Apache-2.0
