// kernel_stream.c - launches of kernels in Ascend C in the order of streams. What a kernel did wrong is kept
// with its stream, as a device would have it: the launch has gone well, and aclrtSynchronizeStream tells.
#include <stdlib.h>

#include "state.h"
#include "weft_cann/asc_core.h"

static _Thread_local char
    kernel_failure[1200];  // of streams that are no handles: NULL, and those of weft's own runs

static bool kernel_stream_plain(const void *stream) {
  return !stream || !acl_handle_ours(stream);
}
// The first failure stays: what comes behind it is often its consequence.
static void kernel_stream_keep(void *stream, const char *text) {
  if (kernel_stream_plain(stream)) {
    if (!*kernel_failure)
      snprintf(kernel_failure, sizeof kernel_failure, "%s", text);
    return;
  }
  char *copy = strdup(text);
  pthread_mutex_lock(&acl_lock);
  acl_handle *h = acl_handle_find(stream, ACL_STREAM);
  if (h && !h->failure) {
    h->failure = copy;
    copy = NULL;
  }
  pthread_mutex_unlock(&acl_lock);
  free(copy);
}
static aclError kernel_failure_tell(const char *call, const char *text) {
  return acl_fail(ACL_ERROR_RT_AICORE_EXCEPTION, "%s: %s", call, text);
}
static aclError kernel_failure_plain(const char *call) {
  if (!*kernel_failure)
    return ACL_SUCCESS;
  const aclError code = kernel_failure_tell(call, kernel_failure);
  *kernel_failure = 0;
  return code;
}
aclError acl_kernel_failure(const char *call, void *stream) {
  if (kernel_stream_plain(stream))
    return kernel_failure_plain(call);
  pthread_mutex_lock(&acl_lock);
  acl_handle *h = acl_handle_find(stream, ACL_STREAM);
  char *text = h ? h->failure : NULL;
  if (h)
    h->failure = NULL;
  pthread_mutex_unlock(&acl_lock);
  const aclError code = text ? kernel_failure_tell(call, text) : ACL_SUCCESS;
  free(text);
  return code;
}
aclError acl_kernel_failure_of_any(const char *call) {
  char *text = NULL;
  pthread_mutex_lock(&acl_lock);
  for (size_t i = 0; acl_handle_at(i) && !text; i++) {
    text = acl_handle_at(i)->failure;
    acl_handle_at(i)->failure = NULL;
  }
  pthread_mutex_unlock(&acl_lock);
  const aclError code = text ? kernel_failure_tell(call, text) : kernel_failure_plain(call);
  free(text);
  return code;
}

static int kernel_stream_run(void *stream, const weft_asc_launch *launch) {
  if (acl_stream_ready(stream))
    return WEFT_ASC_INVALID;
  const uint64_t begin = acl_prof_begin();
  const int status = weft_asc_run(launch);
  acl_prof_end(begin, "kernel", launch->name, launch->blocks);
  if (status)
    kernel_stream_keep(stream, weft_asc_error());
  return status;
}
// Launches come from sources that know nothing of this library: it has to be there before the first.
__attribute__((constructor)) static void kernel_stream_begin(void) {
  weft_asc_set_streams(kernel_stream_run);
}
__attribute__((destructor)) static void kernel_stream_end(void) {
  weft_asc_set_streams(NULL);
}
// SPDX-License-Identifier: Apache-2.0
