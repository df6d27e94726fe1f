// handles.c - numbers that stand for streams, events and contexts. A number holds a place in the table and
// how often the place was used, so that one that was destroyed is never taken for another.
#include <stdlib.h>

#include "state.h"

enum { MOST_HANDLES = 1 << 20, TAG = 0x5757 };
static acl_handle *handles;
static size_t n_handles;
static size_t handles_room;

static void *handle_number(size_t i) {
  const uint64_t number = (uint64_t)TAG << 48 | (uint64_t)(handles[i].generation & 0xFFFFFF) << 20 | i;
  return (void *)(uintptr_t)number;
}
bool acl_handle_ours(const void *handle) {
  return (uint64_t)(uintptr_t)handle >> 48 == TAG;
}
uint32_t acl_handle_number(const void *handle) {
  return (uint32_t)((uintptr_t)handle & (MOST_HANDLES - 1));
}

static bool handles_grow(void) {
  if (n_handles < handles_room)
    return true;
  const size_t room = handles_room ? 2 * handles_room : 16;
  if (room > MOST_HANDLES)
    return false;
  acl_handle *more = realloc(handles, room * sizeof *more);
  if (!more)
    return false;
  handles = more;
  handles_room = room;
  return true;
}

aclError acl_handle_make(acl_kind kind, void **out) {
  pthread_mutex_lock(&acl_lock);
  size_t i = 0;
  while (i < n_handles && handles[i].kind)
    i++;
  const bool room = i < n_handles || handles_grow();
  if (room) {
    const uint32_t generation = i < n_handles ? handles[i].generation + 1 : 1;
    n_handles = WEFT_MAX(n_handles, i + 1);
    handles[i] = (acl_handle){.kind = kind, .generation = generation};
    *out = handle_number(i);
  }
  pthread_mutex_unlock(&acl_lock);
  if (room)
    return ACL_SUCCESS;
  return acl_fail(ACL_ERROR_RT_RESOURCE_ALLOC_FAIL, "there is no room for more streams, events and contexts");
}

acl_handle *acl_handle_find(void *handle, acl_kind kind) {
  const size_t i = acl_handle_number(handle);
  if (!acl_handle_ours(handle) || i >= n_handles || handles[i].kind != kind || handle_number(i) != handle)
    return NULL;
  return &handles[i];
}
acl_handle *acl_handle_at(size_t i) {
  return i < n_handles ? &handles[i] : NULL;
}
static void handle_clear(acl_handle *h) {
  h->kind = ACL_NO_HANDLE;
  free(h->failure);
  h->failure = NULL;
}
void acl_handle_drop(void *handle) {
  handle_clear(&handles[acl_handle_number(handle)]);
}
void acl_handles_drop_all(void) {
  pthread_mutex_lock(&acl_lock);
  for (size_t i = 0; i < n_handles; i++)
    handle_clear(&handles[i]);
  acl_callbacks_drop_all();
  pthread_cond_broadcast(&acl_changed);
  pthread_mutex_unlock(&acl_lock);
}
// SPDX-License-Identifier: Apache-2.0
