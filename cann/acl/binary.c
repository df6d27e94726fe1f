// binary.c - shared objects with kernels. An object from memory lies in a file that has no place in any
// folder.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "kernel.h"

static acl_binary *binaries;  // under the lock

// ---- loading ----

static aclError binary_open(const char *call, const char *path, int file, aclrtBinHandle *out) {
  acl_binary *b = calloc(1, sizeof *b);
  void *library = b ? dlopen(path, RTLD_NOW | RTLD_LOCAL) : NULL;
  if (!library) {
    const char *why = b ? dlerror() : "no memory";
    free(b);
    return acl_fail(ACL_ERROR_INVALID_FILE, "%s: it cannot be loaded: %s", call,
                    why ? why : "no reason is given");
  }
  b->library = library;
  b->file = file;
  pthread_mutex_lock(&acl_lock);
  b->next = binaries;
  binaries = b;
  pthread_mutex_unlock(&acl_lock);
  *out = b;
  return ACL_SUCCESS;
}

static bool binary_write(int file, const char *data, size_t length) {
  while (length) {
    const ssize_t n = write(file, data, length);
    if (n < 0 && errno == EINTR)
      continue;
    if (n <= 0)
      return false;
    data += n;
    length -= (size_t)n;
  }
  return true;
}
// Kernels for the chip come as ELF, too, and are no code of this machine's.
static bool binary_is_ours(const void *data, size_t length) {
  Elf64_Ehdr own;
  Elf64_Ehdr it;
  const int self = open("/proc/self/exe", O_RDONLY | O_CLOEXEC);
  const bool known = self >= 0 && read(self, &own, sizeof own) == (ssize_t)sizeof own;
  if (self >= 0)
    close(self);
  if (length < sizeof it)
    return false;
  memcpy(&it, data, sizeof it);
  const bool elf = !memcmp(it.e_ident, ELFMAG, SELFMAG) && it.e_type == ET_DYN;
  return elf && (!known || it.e_machine == own.e_machine);
}
static aclError binary_from_data(const char *call, const void *data, size_t length, aclrtBinHandle *out) {
  char path[64];
  if (!binary_is_ours(data, length)) {
    return acl_fail(
        ACL_ERROR_INVALID_FILE,
        "%s: %zu bytes that are no shared object for this machine; kernels for a chip do not run here: "
        "compile their source by aclrtcCompileProg or weft-ascc -shared",
        call, length);
  }
  const int file = memfd_create("weft-kernels", MFD_CLOEXEC);
  if (file < 0 || !binary_write(file, data, length)) {
    const int why = errno;
    if (file >= 0)
      close(file);
    return acl_fail(ACL_ERROR_RT_RESOURCE_ALLOC_FAIL, "%s: no file in memory for %zu bytes: %s", call, length,
                    strerror(why));
  }
  snprintf(path, sizeof path, "/proc/self/fd/%d", file);
  const aclError code = binary_open(call, path, file, out);
  if (code)
    close(file);
  return code;
}
aclError aclrtBinaryLoadFromData(const void *data, size_t length, const aclrtBinaryLoadOptions *options,
                                 aclrtBinHandle *binHandle) {
  (void)options;
  if (!data || !binHandle)
    return acl_missing("aclrtBinaryLoadFromData: data or binHandle");
  return binary_from_data("aclrtBinaryLoadFromData", data, length, binHandle);
}
aclError aclrtBinaryLoadFromFile(const char *binPath, aclrtBinaryLoadOptions *options,
                                 aclrtBinHandle *binHandle) {
  char path[4096];
  (void)options;
  if (!binPath || !binHandle)
    return acl_missing("aclrtBinaryLoadFromFile: binPath or binHandle");
  // a name without a folder is a file here, not one that the loader looks for
  const int n = snprintf(path, sizeof path, "%s%s", strchr(binPath, '/') ? "" : "./", binPath);
  if (n < 0 || (size_t)n >= sizeof path || access(path, R_OK))
    return acl_fail(ACL_ERROR_INVALID_FILE, "aclrtBinaryLoadFromFile: '%s' cannot be read", binPath);
  return binary_open("aclrtBinaryLoadFromFile", path, -1, binHandle);
}

// ---- the older way ----

typedef struct binary_data {
  const void *data;
  size_t length;
} binary_data;
aclrtBinary aclrtCreateBinary(const void *data, size_t dataLen) {
  binary_data *d = data ? calloc(1, sizeof *d) : NULL;
  if (d)
    *d = (binary_data){data, dataLen};
  return d;
}
aclError aclrtDestroyBinary(aclrtBinary binary) {
  free(binary);
  return binary ? ACL_SUCCESS : acl_missing("aclrtDestroyBinary: binary");
}
aclError aclrtBinaryLoad(const aclrtBinary binary, aclrtBinHandle *binHandle) {
  const binary_data *d = binary;
  if (!d || !binHandle)
    return acl_missing("aclrtBinaryLoad: binary or binHandle");
  return binary_from_data("aclrtBinaryLoad", d->data, d->length, binHandle);
}

// ---- unloading ----

static void binary_free(acl_binary *b) {
  while (b->functions) {
    acl_function *f = b->functions;
    b->functions = f->next;
    free(f);
  }
  acl_arguments_free_all(b);
  dlclose(b->library);
  if (b->file >= 0)
    close(b->file);
  free(b);
}
static acl_binary **binary_place(const void *handle) {
  for (acl_binary **at = &binaries; *at; at = &(*at)->next) {
    if (*at == handle)
      return at;
  }
  return NULL;
}
aclError aclrtBinaryUnLoad(aclrtBinHandle binHandle) {
  pthread_mutex_lock(&acl_lock);
  acl_binary **at = binary_place(binHandle);
  while (at && (*at)->running) {
    pthread_cond_wait(&acl_changed, &acl_lock);
    at = binary_place(binHandle);
  }
  acl_binary *b = at ? *at : NULL;
  if (b)
    *at = b->next;
  pthread_mutex_unlock(&acl_lock);
  if (!b)
    return acl_fail(ACL_ERROR_RT_INVALID_HANDLE, "aclrtBinaryUnLoad: this is no binary, or it was unloaded");
  binary_free(b);
  return ACL_SUCCESS;
}

// This library goes: what nobody unloaded would stay behind, without an owner. A kernel that still runs keeps
// its binary.
__attribute__((destructor)) static void binaries_end(void) {
  for (acl_binary **at = &binaries; *at;) {
    acl_binary *b = *at;
    if (b->running) {
      at = &b->next;
      continue;
    }
    *at = b->next;
    binary_free(b);
  }
}

// ---- functions ----

static acl_function *binary_function(acl_binary *b, const char *name, weft_asc_entry_fn entry) {
  const size_t n = strlen(name) + 1;
  acl_function *f = calloc(1, sizeof *f + n);
  if (!f)
    return NULL;
  weft_asc_packed p = {.size = sizeof p, .sizes = f->sizes, .n_sizes = MOST_ARGUMENTS};
  f->binary = b;
  f->entry = entry;
  memcpy(f->name, name, n);
  entry(&p);
  f->n = p.n_arguments;
  f->next = b->functions;
  b->functions = f;
  return f;
}
static acl_function *binary_known(const acl_binary *b, const char *name) {
  for (acl_function *f = b->functions; f; f = f->next) {
    if (!strcmp(f->name, name))
      return f;
  }
  return NULL;
}
aclError aclrtBinaryGetFunction(const aclrtBinHandle binHandle, const char *kernelName,
                                aclrtFuncHandle *funcHandle) {
  char symbol[1024];
  if (!kernelName || !funcHandle)
    return acl_missing("aclrtBinaryGetFunction: kernelName or funcHandle");
  const int n = snprintf(symbol, sizeof symbol, "weft_asc_entry_%s", kernelName);
  weft_asc_entry_fn entry = NULL;
  acl_function *f = NULL;
  pthread_mutex_lock(&acl_lock);
  acl_binary **at = binary_place(binHandle);
  if (at && n > 0 && (size_t)n < sizeof symbol)
    *(void **)&entry = dlsym((*at)->library, symbol);
  if (entry) {
    f = binary_known(*at, kernelName);
    f = f ? f : binary_function(*at, kernelName, entry);
  }
  pthread_mutex_unlock(&acl_lock);
  if (!at)
    return acl_fail(ACL_ERROR_RT_INVALID_HANDLE,
                    "aclrtBinaryGetFunction: this is no binary, or it was unloaded");
  if (!entry) {
    return acl_fail(
        ACL_ERROR_RT_INVALID_HANDLE,
        "aclrtBinaryGetFunction: the binary has no kernel '%s' that was compiled by aclrtc or weft-ascc, "
        "outside of classes, once, and without template parameters",
        kernelName);
  }
  if (!f)
    return acl_fail(ACL_ERROR_BAD_ALLOC, "aclrtBinaryGetFunction: no memory");
  *funcHandle = f;
  return ACL_SUCCESS;
}

acl_function *acl_function_find(const void *handle) {
  for (acl_binary *b = binaries; b; b = b->next) {
    for (acl_function *f = b->functions; f; f = f->next) {
      if (f == handle)
        return f;
    }
  }
  return NULL;
}
acl_arguments *acl_arguments_find(const void *handle) {
  for (acl_binary *b = binaries; b; b = b->next) {
    for (acl_arguments *a = b->arguments; a; a = a->next) {
      if (a == handle)
        return a;
    }
  }
  return NULL;
}
acl_function *acl_function_hold(const char *call, const void *handle) {
  pthread_mutex_lock(&acl_lock);
  acl_function *f = acl_function_find(handle);
  if (f)
    f->binary->running++;
  pthread_mutex_unlock(&acl_lock);
  if (!f)
    acl_fail(ACL_ERROR_RT_INVALID_HANDLE, "%s: this is no kernel, or its binary was unloaded", call);
  return f;
}
void acl_function_leave(acl_function *f) {
  pthread_mutex_lock(&acl_lock);
  f->binary->running--;
  pthread_cond_broadcast(&acl_changed);
  pthread_mutex_unlock(&acl_lock);
}

aclError aclrtFunctionGetBinary(const aclrtFuncHandle funcHandle, aclrtBinHandle *binHandle) {
  if (!binHandle)
    return acl_missing("aclrtFunctionGetBinary: binHandle");
  acl_function *f = acl_function_hold("aclrtFunctionGetBinary", funcHandle);
  if (!f)
    return ACL_ERROR_RT_INVALID_HANDLE;
  *binHandle = f->binary;
  acl_function_leave(f);
  return ACL_SUCCESS;
}
aclError aclrtGetFunctionName(aclrtFuncHandle funcHandle, uint32_t maxLen, char *name) {
  if (!name)
    return acl_missing("aclrtGetFunctionName: name");
  acl_function *f = acl_function_hold("aclrtGetFunctionName", funcHandle);
  if (!f)
    return ACL_ERROR_RT_INVALID_HANDLE;
  const size_t n = strlen(f->name);
  const bool fits = n < maxLen;
  if (fits)
    memcpy(name, f->name, n + 1);
  acl_function_leave(f);
  if (fits)
    return ACL_SUCCESS;
  return acl_fail(ACL_ERROR_RT_PARAM_INVALID, "aclrtGetFunctionName: the name takes %zu bytes, %u are there",
                  n + 1, maxLen);
}
aclError aclrtFunctionGetParamCount(const void *func, size_t *paramCount) {
  if (!paramCount)
    return acl_missing("aclrtFunctionGetParamCount: paramCount");
  acl_function *f = acl_function_hold("aclrtFunctionGetParamCount", func);
  if (!f)
    return ACL_ERROR_RT_INVALID_HANDLE;
  *paramCount = f->n;
  acl_function_leave(f);
  return ACL_SUCCESS;
}
aclError aclrtFunctionGetParamInfo(const void *func, size_t paramIndex, size_t *paramOffset,
                                   size_t *paramSize) {
  if (!paramOffset || !paramSize)
    return acl_missing("aclrtFunctionGetParamInfo: paramOffset or paramSize");
  acl_function *f = acl_function_hold("aclrtFunctionGetParamInfo", func);
  if (!f)
    return ACL_ERROR_RT_INVALID_HANDLE;
  const size_t n = f->n < MOST_ARGUMENTS ? f->n : MOST_ARGUMENTS;
  if (paramIndex < n) {
    *paramOffset = f->sizes[2 * paramIndex];
    *paramSize = f->sizes[2 * paramIndex + 1];
  }
  acl_function_leave(f);
  if (paramIndex < n)
    return ACL_SUCCESS;
  return acl_fail(ACL_ERROR_RT_PARAM_INVALID, "aclrtFunctionGetParamInfo: argument %zu of %zu", paramIndex,
                  n);
}
// SPDX-License-Identifier: Apache-2.0
