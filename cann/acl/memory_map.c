// memory_map.c - virtual memory: reserved addresses, memory without an address (a file in memory), and what
// of it is mapped where. Each is a list under the lock; a handle is a number, so that a freed one is known.
#define _GNU_SOURCE
#include <errno.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "state.h"

typedef struct map_memory {
  struct map_memory *next;
  uintptr_t number;
  int file;
  size_t size;
  aclrtPhysicalMemProp prop;
} map_memory;
typedef struct map_part {
  struct map_part *next;
  char *at;
  size_t size;
  uint64_t access;
} map_part;
typedef struct map_range {
  struct map_range *next;
  char *at;
  size_t size;
  map_part *parts;
} map_range;
static map_memory *map_memories;
static map_range *map_ranges;
static uintptr_t map_seen;  // numbers that were given out

static size_t map_unit(void) {
  const long unit = sysconf(_SC_PAGESIZE);
  return unit > 0 ? (size_t)unit : 4096;
}
static aclError map_bad(const char *call, const char *what) {
  return acl_fail(ACL_ERROR_RT_PARAM_INVALID, "%s: %s", call, what);
}
static aclError map_check_size(const char *call, const char *what, size_t size) {
  const size_t unit = map_unit();
  if (size && size % unit == 0 && size <= (size_t)INT64_MAX / 4)
    return ACL_SUCCESS;
  return acl_fail(ACL_ERROR_RT_PARAM_INVALID,
                  "%s: %s of %zu bytes; a multiple of %zu is wanted (aclrtMemGetAllocationGranularity)", call,
                  what, size, unit);
}
static aclError map_check_prop(const char *call, const aclrtPhysicalMemProp *prop) {
  if (!prop)
    return map_bad(call, "prop is NULL");
  const aclrtMemLocation *l = &prop->location;
  const bool host = l->type == ACL_MEM_LOCATION_TYPE_HOST || l->type == ACL_MEM_LOCATION_TYPE_HOST_NUMA;
  if (prop->allocationType != ACL_MEM_ALLOCATION_TYPE_PINNED)
    return map_bad(call, "memory is ACL_MEM_ALLOCATION_TYPE_PINNED, and of no other type");
  if (host || (l->type == ACL_MEM_LOCATION_TYPE_DEVICE && l->id == 0))
    return ACL_SUCCESS;
  return acl_fail(ACL_ERROR_RT_PARAM_INVALID,
                  "%s: memory of place %d, number %u; there is device 0 and the host", call, (int)l->type,
                  l->id);
}

// ---- under the lock ----
static map_memory **map_memory_of(const void *handle) {
  map_memory **m = &map_memories;
  while (*m && (*m)->number != (uintptr_t)handle)
    m = &(*m)->next;
  return m;
}
// The range that holds an address; NULL: none.
static map_range *map_range_of(const void *at) {
  for (map_range *r = map_ranges; r; r = r->next) {
    if ((uintptr_t)at - (uintptr_t)r->at < r->size)
      return r;
  }
  return NULL;
}
// The first part of a range that shares a byte with these.
static map_part **map_part_of(map_range *r, const char *at, size_t size) {
  map_part **p = &r->parts;
  while (*p && ((*p)->at >= at + size || (*p)->at + (*p)->size <= at))
    p = &(*p)->next;
  return p;
}
// The part that begins at an address; NULL: none does.
static map_part *map_part_at(const void *at) {
  map_range *r = map_range_of(at);
  for (map_part *p = r ? r->parts : NULL; p; p = p->next) {
    if (p->at == at)
      return p;
  }
  return NULL;
}
static bool map_nothing(char *at, size_t size) {
  const int how = MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED;
  return mmap(at, size, PROT_NONE, how, -1, 0) != MAP_FAILED;
}

// Bytes that begin in no range are the program's own.
bool acl_map_holds(const void *at, size_t bytes, bool write) {
  const uint64_t wanted = write ? ACL_RT_MEM_ACCESS_FLAGS_READWRITE : ACL_RT_MEM_ACCESS_FLAGS_READ;
  const char *from = at;
  bool whole = true;
  pthread_mutex_lock(&acl_lock);
  map_range *r = map_range_of(at);
  while (r && whole && bytes) {
    const map_part *p = *map_part_of(r, from, 1);
    const size_t have = p ? (size_t)(p->at + p->size - from) : 0;
    whole = have && (p->access & wanted) == wanted;
    from += WEFT_MIN(have, bytes);
    bytes -= WEFT_MIN(have, bytes);
    if (bytes && from == r->at + r->size)
      whole = false;
  }
  pthread_mutex_unlock(&acl_lock);
  return whole;
}

// ---- memory ----
aclError aclrtMemGetAllocationGranularity(aclrtPhysicalMemProp *prop, aclrtMemGranularityOptions option,
                                          size_t *granularity) {
  static const char *const call = "aclrtMemGetAllocationGranularity";
  if (!granularity)
    return map_bad(call, "the place for the size is NULL");
  if (option != ACL_RT_MEM_ALLOC_GRANULARITY_MINIMUM && option != ACL_RT_MEM_ALLOC_GRANULARITY_RECOMMENDED)
    return map_bad(call, "the least and the recommended size are known, and no other");
  const aclError code = map_check_prop(call, prop);
  if (!code)
    *granularity = map_unit();
  return code;
}
static aclError map_no_memory(const char *call, size_t size) {
  return acl_fail(ACL_ERROR_RT_MEMORY_ALLOCATION, "%s: no memory for %zu bytes: %s", call, size,
                  strerror(errno));
}
aclError aclrtMallocPhysical(aclrtDrvMemHandle *handle, size_t size, const aclrtPhysicalMemProp *prop,
                             uint64_t flags) {
  static const char *const call = "aclrtMallocPhysical";
  if (!handle || flags)
    return map_bad(call, "the place for the handle is NULL, or flags are not 0");
  aclError code = map_check_prop(call, prop);
  if (!code)
    code = map_check_size(call, "memory", size);
  if (code)
    return code;
  map_memory *m = calloc(1, sizeof *m);
  const int file = m ? memfd_create("weft-memory", MFD_CLOEXEC) : -1;
  if (file < 0 || ftruncate(file, (off_t)size)) {
    code = map_no_memory(call, size);
    if (file >= 0)
      close(file);
    free(m);
    return code;
  }
  m->file = file;
  m->size = size;
  m->prop = *prop;
  pthread_mutex_lock(&acl_lock);
  m->number = ++map_seen;
  m->next = map_memories;
  map_memories = m;
  pthread_mutex_unlock(&acl_lock);
  *handle = (void *)m->number;
  return ACL_SUCCESS;
}
static aclError map_unknown(const char *call) {
  return acl_fail(ACL_ERROR_RT_INVALID_HANDLE,
                  "%s: this is no memory of aclrtMallocPhysical, or it was freed before", call);
}
aclError aclrtFreePhysical(aclrtDrvMemHandle handle) {
  pthread_mutex_lock(&acl_lock);
  map_memory **at = map_memory_of(handle);
  map_memory *m = *at;
  if (m)
    *at = m->next;
  pthread_mutex_unlock(&acl_lock);
  if (!m)
    return map_unknown("aclrtFreePhysical");
  close(m->file);
  free(m);
  return ACL_SUCCESS;
}
aclError aclrtMemGetAllocationPropertiesFromHandle(aclrtDrvMemHandle handle, aclrtPhysicalMemProp *prop) {
  if (!prop)
    return acl_missing("aclrtMemGetAllocationPropertiesFromHandle: prop");
  pthread_mutex_lock(&acl_lock);
  const map_memory *m = *map_memory_of(handle);
  if (m)
    *prop = m->prop;
  pthread_mutex_unlock(&acl_lock);
  return m ? ACL_SUCCESS : map_unknown("aclrtMemGetAllocationPropertiesFromHandle");
}

// ---- addresses ----
// size bytes of addresses that begin at a multiple of alignment; NULL: there are none.
static char *map_reserve(void *wanted, size_t size, size_t alignment) {
  const int how = MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE;
  const size_t more = alignment > map_unit() ? alignment : 0;
  char *at = mmap(wanted, size + more, PROT_NONE, how, -1, 0);
  if (at == MAP_FAILED)
    return NULL;
  const size_t before = more ? (alignment - (uintptr_t)at % alignment) % alignment : 0;
  if (before)
    munmap(at, before);
  if (more > before)
    munmap(at + before + size, more - before);
  return at + before;
}
aclError aclrtReserveMemAddress(void **virPtr, size_t size, size_t alignment, void *expectPtr,
                                uint64_t flags) {
  static const char *const call = "aclrtReserveMemAddress";
  if (!virPtr || flags > 1)
    return map_bad(call, "the place for the address is NULL, or flags are neither 0 nor 1");
  if ((alignment & (alignment - 1)) || alignment > (size_t)1 << 40)
    return acl_fail(ACL_ERROR_RT_PARAM_INVALID, "%s: an alignment of %zu; a power of two is wanted", call,
                    alignment);
  const aclError code = map_check_size(call, "addresses", size);
  if (code)
    return code;
  map_range *r = calloc(1, sizeof *r);
  char *at = r ? map_reserve(expectPtr, size, alignment) : NULL;
  if (!at) {
    free(r);
    return map_no_memory(call, size);
  }
  r->at = at;
  r->size = size;
  pthread_mutex_lock(&acl_lock);
  r->next = map_ranges;
  map_ranges = r;
  pthread_mutex_unlock(&acl_lock);
  *virPtr = at;
  return ACL_SUCCESS;
}
aclError aclrtReleaseMemAddress(void *virPtr) {
  bool mapped = false;
  pthread_mutex_lock(&acl_lock);
  map_range **at = &map_ranges;
  while (*at && (*at)->at != virPtr)
    at = &(*at)->next;
  map_range *r = *at;
  if (r)
    mapped = r->parts;
  if (r && !mapped)
    *at = r->next;
  pthread_mutex_unlock(&acl_lock);
  if (!r)
    return map_bad("aclrtReleaseMemAddress", "aclrtReserveMemAddress did not give this address");
  if (mapped)
    return map_bad("aclrtReleaseMemAddress", "memory is mapped there: aclrtUnmapMem comes first");
  munmap(r->at, r->size);
  free(r);
  return ACL_SUCCESS;
}

// ---- mapping ----
// Under the lock. NULL: it is mapped, and `part` belongs to the range; otherwise what is wrong.
static const char *map_make(map_part *part, size_t offset, const map_memory *m) {
  map_range *r = map_range_of(part->at);
  if (!m)
    return "this is no memory of aclrtMallocPhysical, or it was freed before";
  if (offset > m->size || part->size > m->size - offset)
    return "that is more than the memory has";
  if (!r || part->size > r->size - (size_t)(part->at - r->at))
    return "aclrtReserveMemAddress did not give all of these addresses";
  if (*map_part_of(r, part->at, part->size))
    return "memory is mapped there already";
  const int how = MAP_SHARED | MAP_FIXED;
  if (mmap(part->at, part->size, PROT_READ | PROT_WRITE, how, m->file, (off_t)offset) == MAP_FAILED)
    return "the system does not map it";
  part->next = r->parts;
  r->parts = part;
  return NULL;
}
aclError aclrtMapMem(void *virPtr, size_t size, size_t offset, aclrtDrvMemHandle handle, uint64_t flags) {
  static const char *const call = "aclrtMapMem";
  if (flags || (uintptr_t)virPtr % map_unit() || offset % map_unit())
    return map_bad(call, "flags are not 0, or the address or the offset is no multiple of a page");
  const aclError code = map_check_size(call, "memory", size);
  if (code)
    return code;
  map_part *part = calloc(1, sizeof *part);
  if (!part)
    return acl_fail(ACL_ERROR_BAD_ALLOC, "%s: no memory", call);
  *part = (map_part){.at = virPtr, .size = size, .access = ACL_RT_MEM_ACCESS_FLAGS_READWRITE};
  pthread_mutex_lock(&acl_lock);
  const char *wrong = map_make(part, offset, *map_memory_of(handle));
  pthread_mutex_unlock(&acl_lock);
  if (!wrong)
    return ACL_SUCCESS;
  free(part);
  return acl_fail(ACL_ERROR_RT_PARAM_INVALID, "%s: %zu bytes from offset %zu on: %s", call, size, offset,
                  wrong);
}
aclError aclrtUnmapMem(void *virPtr) {
  pthread_mutex_lock(&acl_lock);
  map_part *p = map_part_at(virPtr);
  const bool gone = p && map_nothing(p->at, p->size);
  if (gone) {
    map_part **at = &map_range_of(virPtr)->parts;
    while (*at != p)
      at = &(*at)->next;
    *at = p->next;
  }
  pthread_mutex_unlock(&acl_lock);
  if (!p)
    return map_bad("aclrtUnmapMem", "aclrtMapMem mapped nothing that begins at this address");
  if (!gone)
    return acl_fail(ACL_ERROR_RT_INTERNAL_ERROR, "aclrtUnmapMem: the system does not take it back");
  free(p);
  return ACL_SUCCESS;
}

// ---- access ----
aclError aclrtMemSetAccess(void *virPtr, size_t size, aclrtMemAccessDesc *desc, size_t count) {
  static const char *const call = "aclrtMemSetAccess";
  if (!desc || !count)
    return map_bad(call, "no access is given");
  const uint64_t access = (uint64_t)desc[count - 1].flags;
  const bool write = access == ACL_RT_MEM_ACCESS_FLAGS_READWRITE;
  const bool read = write || access == ACL_RT_MEM_ACCESS_FLAGS_READ;
  if (!read && access != ACL_RT_MEM_ACCESS_FLAGS_NONE)
    return acl_fail(ACL_ERROR_RT_PARAM_INVALID, "%s: %d is no kind of access", call, (int)access);
  pthread_mutex_lock(&acl_lock);
  map_part *p = map_part_at(virPtr);
  const bool whole = p && p->size == size;
  const bool set = whole && !mprotect(virPtr, size, (read ? PROT_READ : 0) | (write ? PROT_WRITE : 0));
  if (set)
    p->access = access;
  pthread_mutex_unlock(&acl_lock);
  if (set)
    return ACL_SUCCESS;
  return map_bad(call, "these bytes are not what one call of aclrtMapMem mapped");
}
aclError aclrtMemGetAccess(void *virPtr, aclrtMemLocation *location, uint64_t *flag) {
  if (!location || !flag)
    return acl_missing("aclrtMemGetAccess: location or flag");
  pthread_mutex_lock(&acl_lock);
  map_range *r = map_range_of(virPtr);
  const map_part *p = r ? *map_part_of(r, virPtr, 1) : NULL;
  if (p)
    *flag = p->access;
  pthread_mutex_unlock(&acl_lock);
  return p ? ACL_SUCCESS : map_bad("aclrtMemGetAccess", "no memory is mapped at this address");
}

// What is left goes with the device.
void acl_map_free_all(void) {
  pthread_mutex_lock(&acl_lock);
  while (map_ranges) {
    map_range *r = map_ranges;
    map_ranges = r->next;
    while (r->parts) {
      map_part *p = r->parts;
      r->parts = p->next;
      free(p);
    }
    munmap(r->at, r->size);
    free(r);
  }
  while (map_memories) {
    map_memory *m = map_memories;
    map_memories = m->next;
    close(m->file);
    free(m);
  }
  pthread_mutex_unlock(&acl_lock);
}

// ---- other processes ----
static aclError map_not_shared(const char *call) {
  return acl_fail(ACL_ERROR_RT_FEATURE_NOT_SUPPORT, "%s: memory is not shared between processes", call);
}
aclError aclrtMemExportToShareableHandle(aclrtDrvMemHandle handle, aclrtMemHandleType handleType,
                                         uint64_t flags, uint64_t *shareableHandle) {
  (void)handle;
  (void)handleType;
  (void)flags;
  (void)shareableHandle;
  return map_not_shared("aclrtMemExportToShareableHandle");
}
aclError aclrtMemImportFromShareableHandle(uint64_t shareableHandle, int32_t deviceId,
                                           aclrtDrvMemHandle *handle) {
  (void)shareableHandle;
  (void)deviceId;
  (void)handle;
  return map_not_shared("aclrtMemImportFromShareableHandle");
}
aclError aclrtMemSetPidToShareableHandle(uint64_t shareableHandle, int32_t *pid, size_t pidNum) {
  (void)shareableHandle;
  (void)pid;
  (void)pidNum;
  return map_not_shared("aclrtMemSetPidToShareableHandle");
}
// SPDX-License-Identifier: Apache-2.0
