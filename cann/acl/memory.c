// memory.c - memory of the device, which is the program's own, kept by address so that what is freed or
// copied is known to be right.
#include <stdlib.h>

#include "state.h"

enum { PAGE = 4096, BEHIND = 64 };  // bytes that kernels may read behind a block's end
typedef struct block {
  char *at;
  size_t size;
  bool host;
} block;
static block *blocks;  // by address, under the lock
static size_t n_blocks;
static size_t blocks_room;

// The first block that lies above `at`.
static size_t block_above(const char *at) {
  size_t low = 0;
  size_t high = n_blocks;
  while (low < high) {
    const size_t middle = low + (high - low) / 2;
    if ((uintptr_t)blocks[middle].at <= (uintptr_t)at)
      low = middle + 1;
    else
      high = middle;
  }
  return low;
}

static bool block_keep(const block *b) {
  if (n_blocks == blocks_room) {
    const size_t room = blocks_room ? 2 * blocks_room : 64;
    block *more = realloc(blocks, room * sizeof *more);
    if (!more)
      return false;
    blocks = more;
    blocks_room = room;
  }
  const size_t i = block_above(b->at);
  memmove(blocks + i + 1, blocks + i, (n_blocks - i) * sizeof *blocks);
  blocks[i] = *b;
  n_blocks++;
  return true;
}

// Whole pages, as a device gives them: kernels of samples go beyond the end of a small block, and no device
// notices. WEFT_ASC_CHECK=1 does.
static size_t memory_room(size_t size) {
  return (size + BEHIND + PAGE - 1) / PAGE * PAGE;
}

static aclError memory_take(const char *call, void **out, size_t size, bool host) {
  if (!out)
    return acl_fail(ACL_ERROR_INVALID_PARAM, "%s: the place for the address is NULL", call);
  *out = NULL;
  if (!size)
    return acl_fail(ACL_ERROR_RT_PARAM_INVALID, "%s: a block of 0 bytes", call);
  block b = {.size = size, .host = host};
  if (size <= SIZE_MAX - 2 * PAGE)
    b.at = aligned_alloc(64, memory_room(size));
  pthread_mutex_lock(&acl_lock);
  const bool kept = b.at && block_keep(&b);
  pthread_mutex_unlock(&acl_lock);
  if (!kept) {
    free(b.at);
    return acl_fail(ACL_ERROR_RT_MEMORY_ALLOCATION, "%s: no memory for %zu bytes", call, size);
  }
  memset(b.at + size, 0, memory_room(size) - size);
  *out = b.at;
  return ACL_SUCCESS;
}
aclError aclrtMalloc(void **devPtr, size_t size, aclrtMemMallocPolicy policy) {
  (void)policy;
  return memory_take("aclrtMalloc", devPtr, size, false);
}
aclError aclrtMallocAlign32(void **devPtr, size_t size, aclrtMemMallocPolicy policy) {
  return aclrtMalloc(devPtr, size, policy);
}
aclError aclrtMallocCached(void **devPtr, size_t size, aclrtMemMallocPolicy policy) {
  return aclrtMalloc(devPtr, size, policy);
}
aclError aclrtMallocHost(void **hostPtr, size_t size) {
  return memory_take("aclrtMallocHost", hostPtr, size, true);
}
aclError aclrtMemFlush(void *devPtr, size_t size) {
  (void)size;
  return devPtr ? ACL_SUCCESS : acl_missing("aclrtMemFlush: devPtr");
}
aclError aclrtMemInvalidate(void *devPtr, size_t size) {
  (void)size;
  return devPtr ? ACL_SUCCESS : acl_missing("aclrtMemInvalidate: devPtr");
}

static aclError memory_give(const char *call, const char *maker, void *at, bool host) {
  if (!at)
    return acl_fail(ACL_ERROR_INVALID_PARAM, "%s: the address is NULL", call);
  pthread_mutex_lock(&acl_lock);
  const size_t above = block_above(at);
  const bool found = above && blocks[above - 1].at == at && blocks[above - 1].host == host;
  if (found) {
    memmove(blocks + above - 1, blocks + above, (n_blocks - above) * sizeof *blocks);
    n_blocks--;
  }
  pthread_mutex_unlock(&acl_lock);
  if (!found) {
    return acl_fail(ACL_ERROR_RT_PARAM_INVALID, "%s: %p is not what %s gave, or it was freed before", call,
                    at, maker);
  }
  free(at);
  return ACL_SUCCESS;
}
aclError aclrtFree(void *devPtr) {
  return memory_give("aclrtFree", "aclrtMalloc", devPtr, false);
}
aclError aclrtFreeHost(void *hostPtr) {
  return memory_give("aclrtFreeHost", "aclrtMallocHost", hostPtr, true);
}
void acl_memory_free_device(void) {
  size_t left = 0;
  acl_map_free_all();
  pthread_mutex_lock(&acl_lock);
  for (size_t i = 0; i < n_blocks; i++) {
    if (blocks[i].host)
      blocks[left++] = blocks[i];
    else
      free(blocks[i].at);
  }
  n_blocks = left;
  if (!left) {
    free(blocks);
    blocks = NULL;
    blocks_room = 0;
  }
  pthread_mutex_unlock(&acl_lock);
}

// ---- copies ----
// Does `bytes` from `at` on stay inside the block that it begins in? What no block holds is the program's.
static aclError memory_within(const char *call, const void *at, size_t bytes, bool write) {
  pthread_mutex_lock(&acl_lock);
  const size_t above = block_above(at);
  const block b = above ? blocks[above - 1] : (block){0};
  pthread_mutex_unlock(&acl_lock);
  const uintptr_t offset = (uintptr_t)at - (uintptr_t)b.at;
  if (!acl_map_holds(at, bytes, write)) {
    return acl_fail(ACL_ERROR_RT_PARAM_INVALID,
                    "%s: %zu bytes from %p on are reserved addresses, and not all of them are mapped to %s",
                    call, bytes, at, write ? "write" : "read");
  }
  if (!b.at || offset >= b.size + BEHIND || (offset <= b.size && bytes <= b.size - offset))
    return ACL_SUCCESS;
  return acl_fail(ACL_ERROR_RT_PARAM_INVALID,
                  "%s: %zu bytes from byte %zu on pass the end of a block of %zu bytes", call, bytes,
                  (size_t)offset, b.size);
}
static aclError memory_check(const char *call, const void *to, const void *from, size_t bytes) {
  if (!to || !from)
    return acl_fail(ACL_ERROR_INVALID_PARAM, "%s: the %s is NULL", call, to ? "source" : "destination");
  const aclError code = memory_within(call, to, bytes, true);
  return code ? code : memory_within(call, from, bytes, false);
}
static bool memory_kind(aclrtMemcpyKind kind) {
  return (int)kind >= ACL_MEMCPY_HOST_TO_HOST && (int)kind <= ACL_MEMCPY_INTER_DEVICE_TO_DEVICE;
}

aclError aclrtMemcpy(void *dst, size_t destMax, const void *src, size_t count, aclrtMemcpyKind kind) {
  if (!memory_kind(kind))
    return acl_fail(ACL_ERROR_RT_PARAM_INVALID, "aclrtMemcpy: %d is no kind of copy", (int)kind);
  if (!count)
    return ACL_SUCCESS;
  if (count > destMax) {
    return acl_fail(ACL_ERROR_RT_PARAM_INVALID,
                    "aclrtMemcpy: %zu bytes into a destination that has room for %zu", count, destMax);
  }
  const aclError code = memory_check("aclrtMemcpy", dst, src, count);
  if (!code)
    memmove(dst, src, count);
  return code;
}
aclError aclrtMemcpyAsync(void *dst, size_t destMax, const void *src, size_t count, aclrtMemcpyKind kind,
                          aclrtStream stream) {
  const aclError code = acl_stream_ready(stream);
  return code ? code : aclrtMemcpy(dst, destMax, src, count, kind);
}

// Attributes say where memory is, of the copies from an index on: here it is all the same, but they are read.
static aclError batch_attributes(const aclrtMemcpyBatchAttr *attrs, const size_t *indexes, size_t n,
                                 size_t batches) {
  if (n && (!attrs || !indexes))
    return acl_missing("aclrtMemcpyBatch: attrs or attrsIndexes");
  for (size_t i = 0; i < n; i++) {
    const bool rises = i ? indexes[i] > indexes[i - 1] : indexes[i] == 0;
    if (!rises || indexes[i] >= batches) {
      return acl_fail(
          ACL_ERROR_RT_PARAM_INVALID,
          "aclrtMemcpyBatch: attrsIndexes[%zu] is %zu; they begin with 0, rise and stay below %zu", i,
          indexes[i], batches);
    }
    const int places[2] = {(int)attrs[i].dstLoc.type, (int)attrs[i].srcLoc.type};
    for (int side = 0; side < 2; side++) {
      if (places[side] < ACL_MEM_LOCATION_TYPE_HOST || places[side] > ACL_MEM_LOCATION_TYPE_HOST_NUMA) {
        return acl_fail(ACL_ERROR_RT_PARAM_INVALID, "aclrtMemcpyBatch: attrs[%zu]: %d is no kind of place", i,
                        places[side]);
      }
    }
  }
  return ACL_SUCCESS;
}

aclError aclrtMemcpyBatch(void **dsts, size_t *destMaxs, void **srcs, size_t *sizes, size_t numBatches,
                          aclrtMemcpyBatchAttr *attrs, size_t *attrsIndexes, size_t numAttrs,
                          size_t *failIndex) {
  if (failIndex)
    *failIndex = SIZE_MAX;
  if (!dsts || !destMaxs || !srcs || !sizes)
    return acl_missing("aclrtMemcpyBatch: dsts, destMaxs, srcs or sizes");
  aclError code = batch_attributes(attrs, attrsIndexes, numAttrs, numBatches);
  for (size_t i = 0; !code && i < numBatches; i++) {
    code = aclrtMemcpy(dsts[i], destMaxs[i], srcs[i], sizes[i], ACL_MEMCPY_DEFAULT);
    if (code && failIndex)
      *failIndex = i;
  }
  return code;
}
aclError aclrtMemcpyBatchAsync(void **dsts, size_t *destMaxs, void **srcs, size_t *sizes, size_t numBatches,
                               aclrtMemcpyBatchAttr *attrs, size_t *attrsIndexes, size_t numAttrs,
                               size_t *failIndex, aclrtStream stream) {
  const aclError code = acl_stream_ready(stream);
  return code ? code
              : aclrtMemcpyBatch(dsts, destMaxs, srcs, sizes, numBatches, attrs, attrsIndexes, numAttrs,
                                 failIndex);
}

aclError aclrtMemcpy2d(void *dst, size_t dpitch, const void *src, size_t spitch, size_t width, size_t height,
                       aclrtMemcpyKind kind) {
  size_t to_bytes;
  size_t from_bytes;
  if (!memory_kind(kind))
    return acl_fail(ACL_ERROR_RT_PARAM_INVALID, "aclrtMemcpy2d: %d is no kind of copy", (int)kind);
  if (width > dpitch || width > spitch) {
    return acl_fail(ACL_ERROR_RT_PARAM_INVALID,
                    "aclrtMemcpy2d: rows of %zu bytes that lie %zu and %zu bytes apart", width, dpitch,
                    spitch);
  }
  if (!width || !height)
    return ACL_SUCCESS;
  if (!weft_mul_size(height, dpitch, &to_bytes) || !weft_mul_size(height, spitch, &from_bytes))
    return acl_fail(ACL_ERROR_RT_PARAM_INVALID, "aclrtMemcpy2d: %zu rows are too many", height);
  const char *call = "aclrtMemcpy2d";
  aclError code = memory_check(call, dst, src, width);
  if (!code)
    code = memory_within(call, dst, to_bytes - dpitch + width, true);
  if (!code)
    code = memory_within(call, src, from_bytes - spitch + width, false);
  for (size_t i = 0; !code && i < height; i++)
    memmove((char *)dst + i * dpitch, (const char *)src + i * spitch, width);
  return code;
}
aclError aclrtMemcpy2dAsync(void *dst, size_t dpitch, const void *src, size_t spitch, size_t width,
                            size_t height, aclrtMemcpyKind kind, aclrtStream stream) {
  const aclError code = acl_stream_ready(stream);
  return code ? code : aclrtMemcpy2d(dst, dpitch, src, spitch, width, height, kind);
}

aclError aclrtMemset(void *devPtr, size_t maxCount, int32_t value, size_t count) {
  if (count > maxCount) {
    return acl_fail(ACL_ERROR_RT_PARAM_INVALID, "aclrtMemset: %zu bytes of a block with room for %zu", count,
                    maxCount);
  }
  if (!count)
    return ACL_SUCCESS;
  const aclError code = memory_check("aclrtMemset", devPtr, devPtr, count);
  if (!code)
    memset(devPtr, value, count);
  return code;
}
aclError aclrtMemsetAsync(void *devPtr, size_t maxCount, int32_t value, size_t count, aclrtStream stream) {
  const aclError code = acl_stream_ready(stream);
  return code ? code : aclrtMemset(devPtr, maxCount, value, count);
}
aclError aclrtHostRegister(void *ptr, uint64_t size, aclrtHostRegisterType type, void **devPtr) {
  (void)type;
  if (!ptr || !devPtr || !size)
    return acl_fail(ACL_ERROR_INVALID_PARAM, "aclrtHostRegister: no memory, or no place for its address");
  *devPtr = ptr;
  return ACL_SUCCESS;
}
aclError aclrtHostUnregister(void *ptr) {
  return ptr ? ACL_SUCCESS : acl_missing("aclrtHostUnregister: ptr");
}
// SPDX-License-Identifier: Apache-2.0
