// launch.c - kernels launched by handle, with arguments as bytes.
#include <stdlib.h>

#include "kernel.h"

aclError acl_launch(const char *call, acl_function *f, weft_asc_packed *p) {
  if (!p->blocks || p->blocks > 65535) {
    return acl_fail(ACL_ERROR_RT_PARAM_INVALID, "%s: kernel '%s': %u blocks; 1 to 65535 are possible", call,
                    f->name, p->blocks);
  }
  const aclError ready = acl_stream_ready(p->stream);
  if (ready)
    return ready;
  const int status = f->entry(p);
  if (status == WEFT_ASC_PACKED_TOO_FEW && p->each) {
    return acl_fail(ACL_ERROR_RT_PARAM_INVALID, "%s: kernel '%s' has %zu arguments, %zu are given", call,
                    f->name, p->n_arguments, p->n_each);
  }
  if (status == WEFT_ASC_PACKED_TOO_FEW) {
    return acl_fail(ACL_ERROR_RT_PARAM_INVALID,
                    "%s: the arguments of kernel '%s' take %zu bytes, %zu are given", call, f->name,
                    p->all_bytes, p->bytes);
  }
  if (status) {
    return acl_fail(
        ACL_ERROR_RT_PARAM_INVALID,
        "%s: kernel '%s' has an argument that is more than bytes (a reference, or an object with a "
        "copy constructor)",
        call, f->name);
  }
  return ACL_SUCCESS;
}
static aclError launch_held(const char *call, const void *handle, weft_asc_packed *p) {
  acl_function *f = acl_function_hold(call, handle);
  if (!f)
    return ACL_ERROR_RT_INVALID_HANDLE;
  const aclError code = acl_launch(call, f, p);
  acl_function_leave(f);
  return code;
}

aclError aclrtLaunchKernelV2(aclrtFuncHandle funcHandle, uint32_t numBlocks, const void *argsData,
                             size_t argsSize, aclrtLaunchKernelCfg *cfg, aclrtStream stream) {
  (void)cfg;
  if (argsSize && !argsData)
    return acl_missing("aclrtLaunchKernel: argsData");
  weft_asc_packed p = {
      .size = sizeof p, .blocks = numBlocks, .stream = stream, .data = argsData, .bytes = argsSize};
  return launch_held("aclrtLaunchKernel", funcHandle, &p);
}
aclError aclrtLaunchKernel(aclrtFuncHandle funcHandle, uint32_t numBlocks, const void *argsData,
                           size_t argsSize, aclrtStream stream) {
  return aclrtLaunchKernelV2(funcHandle, numBlocks, argsData, argsSize, NULL, stream);
}

static aclError launch_fill(char *args, size_t bytes, const aclrtPlaceHolderInfo *holders, size_t n) {
  for (size_t i = 0; i < n; i++) {
    const size_t at = holders[i].addrOffset;
    const size_t data = holders[i].dataOffset;
    if (bytes < sizeof(void *) || at > bytes - sizeof(void *) || data > bytes) {
      return acl_fail(
          ACL_ERROR_RT_PARAM_INVALID,
          "aclrtLaunchKernelWithHostArgs: place holder %zu: address at %zu, data at %zu of %zu bytes", i, at,
          data, bytes);
    }
    char *to = args + data;
    memcpy(args + at, &to, sizeof to);
  }
  return ACL_SUCCESS;
}
aclError aclrtLaunchKernelWithHostArgs(aclrtFuncHandle funcHandle, uint32_t numBlocks, aclrtStream stream,
                                       aclrtLaunchKernelCfg *cfg, void *hostArgs, size_t argsSize,
                                       aclrtPlaceHolderInfo *placeHolderArray, size_t placeHolderNum) {
  (void)cfg;
  if ((argsSize && !hostArgs) || (placeHolderNum && !placeHolderArray))
    return acl_missing("aclrtLaunchKernelWithHostArgs: hostArgs or placeHolderArray");
  char *args = malloc(argsSize + 1);
  if (!args)
    return acl_fail(ACL_ERROR_BAD_ALLOC, "aclrtLaunchKernelWithHostArgs: no memory for %zu bytes", argsSize);
  if (argsSize)
    memcpy(args, hostArgs, argsSize);
  aclError code = launch_fill(args, argsSize, placeHolderArray, placeHolderNum);
  weft_asc_packed p = {
      .size = sizeof p, .blocks = numBlocks, .stream = stream, .data = args, .bytes = argsSize};
  if (!code)
    code = launch_held("aclrtLaunchKernelWithHostArgs", funcHandle, &p);
  free(args);
  return code;
}
aclError aclrtLaunchKernelWithArgsArray(void *func, uint32_t numBlocks, aclrtStream stream,
                                        aclrtLaunchKernelCfg *cfg, void **args) {
  static void *const none[1] = {NULL};
  (void)cfg;
  weft_asc_packed p = {.size = sizeof p,
                       .blocks = numBlocks,
                       .stream = stream,
                       .each = args ? args : none,
                       .n_each = args ? SIZE_MAX : 0};
  return launch_held("aclrtLaunchKernelWithArgsArray", func, &p);
}

// ---- lists of arguments ----

void acl_arguments_free_all(acl_binary *b) {
  while (b->arguments) {
    acl_arguments *a = b->arguments;
    b->arguments = a->next;
    for (size_t i = 0; i < a->n; i++) {
      free(a->list[i].at);
      free(a->list[i].buffer);
    }
    free(a);
  }
}
aclError aclrtKernelArgsInit(aclrtFuncHandle funcHandle, aclrtArgsHandle *argsHandle) {
  if (!argsHandle)
    return acl_missing("aclrtKernelArgsInit: argsHandle");
  acl_arguments *a = calloc(1, sizeof *a);
  if (!a)
    return acl_fail(ACL_ERROR_BAD_ALLOC, "aclrtKernelArgsInit: no memory");
  pthread_mutex_lock(&acl_lock);
  acl_function *f = acl_function_find(funcHandle);
  if (f) {
    a->function = f;
    a->next = f->binary->arguments;
    f->binary->arguments = a;
  }
  pthread_mutex_unlock(&acl_lock);
  if (f) {
    *argsHandle = a;
    return ACL_SUCCESS;
  }
  free(a);
  return acl_fail(ACL_ERROR_RT_INVALID_HANDLE,
                  "aclrtKernelArgsInit: this is no kernel, or its binary was unloaded");
}
static aclError arguments_unknown(const char *call) {
  return acl_fail(ACL_ERROR_RT_INVALID_HANDLE, "%s: this is no list of arguments, or its binary was unloaded",
                  call);
}
// Argument i has the number i + 1.
static acl_argument *arguments_at(acl_arguments *a, aclrtParamHandle param) {
  const size_t i = (size_t)(uintptr_t)param;
  return a && i && i <= a->n ? &a->list[i - 1] : NULL;
}
// Takes `at` over, also on failure.
static aclError arguments_append(const char *call, aclrtArgsHandle handle, const acl_argument *argument,
                                 aclrtParamHandle *param) {
  pthread_mutex_lock(&acl_lock);
  acl_arguments *a = acl_arguments_find(handle);
  const bool room = a && !a->closed && a->n < MOST_ARGUMENTS;
  if (room) {
    a->list[a->n++] = *argument;
    *param = (void *)(uintptr_t)a->n;
  }
  pthread_mutex_unlock(&acl_lock);
  if (room)
    return ACL_SUCCESS;
  free(argument->at);
  if (!a)
    return arguments_unknown(call);
  return acl_fail(ACL_ERROR_RT_PARAM_INVALID, "%s: the list was finalized, or has its %d arguments", call,
                  MOST_ARGUMENTS);
}
aclError aclrtKernelArgsAppend(aclrtArgsHandle argsHandle, void *param, size_t paramSize,
                               aclrtParamHandle *paramHandle) {
  if (!param || !paramHandle || !paramSize || paramSize > MOST_ARGUMENT_BYTES)
    return acl_fail(ACL_ERROR_RT_PARAM_INVALID, "aclrtKernelArgsAppend: NULL, or %zu bytes", paramSize);
  acl_argument argument = {.at = malloc(paramSize), .size = paramSize};
  if (!argument.at)
    return acl_fail(ACL_ERROR_BAD_ALLOC, "aclrtKernelArgsAppend: no memory");
  memcpy(argument.at, param, paramSize);
  return arguments_append("aclrtKernelArgsAppend", argsHandle, &argument, paramHandle);
}
aclError aclrtKernelArgsAppendPlaceHolder(aclrtArgsHandle argsHandle, aclrtParamHandle *paramHandle) {
  if (!paramHandle)
    return acl_missing("aclrtKernelArgsAppendPlaceHolder: paramHandle");
  acl_argument argument = {.at = calloc(1, sizeof(void *)), .size = sizeof(void *), .holder = true};
  if (!argument.at)
    return acl_fail(ACL_ERROR_BAD_ALLOC, "aclrtKernelArgsAppendPlaceHolder: no memory");
  return arguments_append("aclrtKernelArgsAppendPlaceHolder", argsHandle, &argument, paramHandle);
}
aclError aclrtKernelArgsGetPlaceHolderBuffer(aclrtArgsHandle argsHandle, aclrtParamHandle paramHandle,
                                             size_t dataSize, void **bufferAddr) {
  if (!bufferAddr || dataSize > MOST_ARGUMENT_BYTES)
    return acl_fail(ACL_ERROR_RT_PARAM_INVALID, "aclrtKernelArgsGetPlaceHolderBuffer: NULL, or %zu bytes",
                    dataSize);
  void *buffer = calloc(1, dataSize + 64);
  if (!buffer)
    return acl_fail(ACL_ERROR_BAD_ALLOC, "aclrtKernelArgsGetPlaceHolderBuffer: no memory");
  pthread_mutex_lock(&acl_lock);
  acl_argument *argument = arguments_at(acl_arguments_find(argsHandle), paramHandle);
  const bool fresh = argument && argument->holder && !argument->buffer;
  if (fresh) {
    argument->buffer = buffer;
    memcpy(argument->at, &buffer, sizeof buffer);
  }
  pthread_mutex_unlock(&acl_lock);
  if (fresh) {
    *bufferAddr = buffer;
    return ACL_SUCCESS;
  }
  free(buffer);
  return acl_fail(
      ACL_ERROR_RT_INVALID_HANDLE,
      "aclrtKernelArgsGetPlaceHolderBuffer: this is no place holder of the list, or it has its buffer");
}
aclError aclrtKernelArgsParaUpdate(aclrtArgsHandle argsHandle, aclrtParamHandle paramHandle, void *param,
                                   size_t paramSize) {
  if (!param)
    return acl_missing("aclrtKernelArgsParaUpdate: param");
  pthread_mutex_lock(&acl_lock);
  acl_argument *argument = arguments_at(acl_arguments_find(argsHandle), paramHandle);
  const bool fits = argument && argument->size == paramSize && !argument->holder;
  if (fits)
    memcpy(argument->at, param, paramSize);
  pthread_mutex_unlock(&acl_lock);
  if (fits)
    return ACL_SUCCESS;
  return acl_fail(ACL_ERROR_RT_PARAM_INVALID,
                  "aclrtKernelArgsParaUpdate: this is no value of the list, or not one of %zu bytes",
                  paramSize);
}
aclError aclrtKernelArgsFinalize(aclrtArgsHandle argsHandle) {
  pthread_mutex_lock(&acl_lock);
  acl_arguments *a = acl_arguments_find(argsHandle);
  if (a)
    a->closed = true;
  pthread_mutex_unlock(&acl_lock);
  return a ? ACL_SUCCESS : arguments_unknown("aclrtKernelArgsFinalize");
}

// Under the lock: arguments as they are now; 0: each fits the kernel, else the number of the first that does
// not.
static size_t arguments_collect(const acl_arguments *a, void **each) {
  for (size_t i = 0; i < a->n; i++) {
    each[i] = a->list[i].at;
    if (i < a->function->n && a->list[i].size < a->function->sizes[2 * i + 1])
      return i + 1;
  }
  return 0;
}
aclError aclrtLaunchKernelWithConfig(aclrtFuncHandle funcHandle, uint32_t numBlocks, aclrtStream stream,
                                     aclrtLaunchKernelCfg *cfg, aclrtArgsHandle argsHandle, void *reserve) {
  static const char *const call = "aclrtLaunchKernelWithConfig";
  void *each[MOST_ARGUMENTS];
  weft_asc_packed p = {.size = sizeof p, .blocks = numBlocks, .stream = stream, .each = each};
  (void)cfg;
  (void)reserve;
  pthread_mutex_lock(&acl_lock);
  const acl_arguments *a = acl_arguments_find(argsHandle);
  const bool own = a && a->function == funcHandle;
  const size_t wrong = own ? arguments_collect(a, each) : 0;
  p.n_each = own ? a->n : 0;
  pthread_mutex_unlock(&acl_lock);
  if (!a)
    return arguments_unknown(call);
  if (!own)
    return acl_fail(ACL_ERROR_RT_PARAM_INVALID, "%s: the list of arguments was made for another kernel",
                    call);
  if (wrong)
    return acl_fail(ACL_ERROR_RT_PARAM_INVALID, "%s: argument %zu has fewer bytes than the kernel takes",
                    call, wrong - 1);
  return launch_held(call, funcHandle, &p);
}
// SPDX-License-Identifier: Apache-2.0
