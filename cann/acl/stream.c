// stream.c - streams and events. Work is done in the call that asks for it, so a stream holds nothing but
// callbacks that a thread of the program serves.
#include <errno.h>
#include <stdlib.h>
#include <time.h>

#include "state.h"

typedef struct callback {
  struct callback *next;
  aclrtCallback run;
  void *data;
  void *stream;
  bool blocks;
} callback;
static callback *callbacks;  // oldest first, under the lock

static uint64_t stream_self(void) {
  return (uint64_t)pthread_self();
}
uint64_t acl_now_ns(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (uint64_t)t.tv_sec * 1000000000U + (uint64_t)t.tv_nsec;
}
static aclError stream_unknown(const char *call) {
  return acl_fail(ACL_ERROR_RT_STREAM_CONTEXT, "%s: this is no stream, or it was destroyed", call);
}
// NULL and the streams of weft's own runs have nothing to wait for.
static bool stream_plain(aclrtStream stream) {
  return !stream || !acl_handle_ours(stream);
}

// ---- waiting ----
static struct timespec stream_until(int32_t timeout_ms) {
  struct timespec t;
  clock_gettime(CLOCK_REALTIME, &t);
  const int64_t ns = t.tv_nsec + (int64_t)(timeout_ms % 1000) * 1000000;
  t.tv_sec += timeout_ms / 1000 + ns / 1000000000;
  t.tv_nsec = ns % 1000000000;
  return t;
}
// Under the lock. false: the time is over.
static bool stream_sleep(int32_t timeout_ms, const struct timespec *until) {
  if (timeout_ms < 0)
    return !pthread_cond_wait(&acl_changed, &acl_lock);
  return pthread_cond_timedwait(&acl_changed, &acl_lock, until) != ETIMEDOUT;
}

// The oldest callback that this thread serves, of `stream` or (NULL) of any; taken out. Under the lock.
static callback *callback_take(void *stream) {
  for (callback **at = &callbacks; *at; at = &(*at)->next) {
    callback *c = *at;
    const acl_handle *h = acl_handle_find(c->stream, ACL_STREAM);
    const bool mine = h && h->subscribed && h->thread == stream_self();
    if (!mine || (stream && c->stream != stream))
      continue;
    *at = c->next;
    return c;
  }
  return NULL;
}
// Under the lock, which is given up while the callback runs.
static void callback_run(callback *c) {
  pthread_mutex_unlock(&acl_lock);
  c->run(c->data);
  pthread_mutex_lock(&acl_lock);
  acl_handle *h = acl_handle_find(c->stream, ACL_STREAM);
  if (h) {
    h->callbacks--;
    h->blocking -= c->blocks;
  }
  pthread_cond_broadcast(&acl_changed);
  free(c);
}

// Until the stream's callbacks (all, or only those that hold it up) were served.
static aclError stream_wait(const char *call, aclrtStream stream, bool all, int32_t timeout_ms) {
  if (stream_plain(stream))
    return ACL_SUCCESS;
  const struct timespec until = stream_until(WEFT_MAX(timeout_ms, 0));
  bool in_time = true;
  pthread_mutex_lock(&acl_lock);
  acl_handle *h = acl_handle_find(stream, ACL_STREAM);
  const bool known = h;
  while (h && h->subscribed && in_time && (all ? h->callbacks : h->blocking)) {
    callback *own = callback_take(stream);
    if (own)
      callback_run(own);
    else
      in_time = stream_sleep(timeout_ms, &until);
    h = acl_handle_find(stream, ACL_STREAM);
  }
  const bool forsaken = h && !h->subscribed && (all ? h->callbacks : h->blocking);
  pthread_mutex_unlock(&acl_lock);
  if (!known)
    return stream_unknown(call);
  if (forsaken) {
    return acl_fail(ACL_ERROR_STREAM_NOT_SUBSCRIBE,
                    "%s: callbacks of the stream wait, and no thread serves it any more", call);
  }
  if (in_time)
    return ACL_SUCCESS;
  return acl_fail(ACL_ERROR_RT_STREAM_SYNC_TIMEOUT, "%s: callbacks were not served within %d ms", call,
                  timeout_ms);
}
aclError acl_stream_ready(aclrtStream stream) {
  return stream_wait("a call with a stream", stream, false, -1);
}

static aclError stream_synchronize(const char *call, aclrtStream stream, int32_t timeout_ms) {
  const aclError code = stream_wait(call, stream, true, timeout_ms);
  return code ? code : acl_kernel_failure(call, stream);
}
aclError aclrtSynchronizeStream(aclrtStream stream) {
  return stream_synchronize("aclrtSynchronizeStream", stream, -1);
}
aclError aclrtSynchronizeStreamWithTimeout(aclrtStream stream, int32_t timeout) {
  return stream_synchronize("aclrtSynchronizeStreamWithTimeout", stream, timeout);
}

// Are there callbacks that a thread serves?
static bool callbacks_wait(void) {
  bool any = false;
  pthread_mutex_lock(&acl_lock);
  for (const callback *c = callbacks; c && !any; c = c->next) {
    const acl_handle *h = acl_handle_find(c->stream, ACL_STREAM);
    any = h && h->subscribed;
  }
  pthread_mutex_unlock(&acl_lock);
  return any;
}
aclError aclrtSynchronizeDeviceWithTimeout(int32_t timeout) {
  const uint64_t end = acl_now_ns() + (uint64_t)WEFT_MAX(timeout, 0) * 1000000;
  const struct timespec pause = {.tv_nsec = 1000000};
  while (callbacks_wait()) {
    if (timeout >= 0 && acl_now_ns() >= end) {
      return acl_fail(ACL_ERROR_RT_STREAM_SYNC_TIMEOUT,
                      "aclrtSynchronizeDeviceWithTimeout: callbacks were not served within %d ms", timeout);
    }
    pthread_mutex_lock(&acl_lock);
    callback *own = callback_take(NULL);
    if (own)
      callback_run(own);
    pthread_mutex_unlock(&acl_lock);
    if (!own)
      nanosleep(&pause, NULL);
  }
  return acl_kernel_failure_of_any("aclrtSynchronizeDevice");
}
aclError aclrtSynchronizeDevice(void) {
  return aclrtSynchronizeDeviceWithTimeout(-1);
}

// ---- streams ----
aclError aclrtCreateStream(aclrtStream *stream) {
  return stream ? acl_handle_make(ACL_STREAM, stream) : acl_missing("aclrtCreateStream: stream");
}
aclError aclrtCreateStreamWithConfig(aclrtStream *stream, uint32_t priority, uint32_t flag) {
  (void)priority;
  (void)flag;
  return aclrtCreateStream(stream);
}

// Those of a stream; NULL: all. Under the lock.
static void callbacks_drop(const void *stream) {
  for (callback **at = &callbacks; *at;) {
    callback *c = *at;
    if (stream && c->stream != stream) {
      at = &c->next;
      continue;
    }
    *at = c->next;
    free(c);
  }
}
void acl_callbacks_drop_all(void) {
  callbacks_drop(NULL);
}
aclError aclrtDestroyStreamForce(aclrtStream stream) {
  pthread_mutex_lock(&acl_lock);
  const bool known = acl_handle_find(stream, ACL_STREAM);
  if (known) {
    callbacks_drop(stream);
    acl_handle_drop(stream);
    pthread_cond_broadcast(&acl_changed);
  }
  pthread_mutex_unlock(&acl_lock);
  return known ? ACL_SUCCESS : stream_unknown("aclrtDestroyStream");
}
aclError aclrtDestroyStream(aclrtStream stream) {
  if (stream_plain(stream))
    return stream_unknown("aclrtDestroyStream");
  const aclError code = stream_wait("aclrtDestroyStream", stream, true, -1);
  return code == ACL_ERROR_RT_STREAM_CONTEXT ? code : aclrtDestroyStreamForce(stream);
}

aclError aclrtStreamQuery(aclrtStream stream, aclrtStreamStatus *status) {
  if (!status)
    return acl_missing("aclrtStreamQuery: status");
  *status = ACL_STREAM_STATUS_COMPLETE;
  if (stream_plain(stream))
    return ACL_SUCCESS;
  pthread_mutex_lock(&acl_lock);
  const acl_handle *h = acl_handle_find(stream, ACL_STREAM);
  if (h && h->callbacks)
    *status = ACL_STREAM_STATUS_NOT_READY;
  pthread_mutex_unlock(&acl_lock);
  return h ? ACL_SUCCESS : stream_unknown("aclrtStreamQuery");
}
aclError aclrtSetStreamFailureMode(aclrtStream stream, uint64_t mode) {
  if (mode > ACL_STOP_ON_FAILURE) {
    return acl_fail(ACL_ERROR_RT_PARAM_INVALID, "aclrtSetStreamFailureMode: %llu is no mode",
                    (unsigned long long)mode);
  }
  return acl_stream_ready(stream);
}
aclError aclrtStreamGetId(aclrtStream stream, int32_t *streamId) {
  if (!streamId)
    return acl_missing("aclrtStreamGetId: streamId");
  *streamId = stream_plain(stream) ? 0 : 1 + (int32_t)acl_handle_number(stream);
  return acl_stream_ready(stream);
}
aclError aclrtCtxGetCurrentDefaultStream(aclrtStream *stream) {
  if (!stream)
    return acl_missing("aclrtCtxGetCurrentDefaultStream: stream");
  *stream = NULL;
  return ACL_SUCCESS;
}

// ---- callbacks ----
aclError aclrtLaunchHostFunc(aclrtStream stream, aclrtHostFunc fn, void *args) {
  if (!fn)
    return acl_missing("aclrtLaunchHostFunc: fn");
  const aclError code = acl_stream_ready(stream);
  if (!code)
    fn(args);
  return code;
}

aclError aclrtSubscribeReport(uint64_t threadId, aclrtStream stream) {
  pthread_mutex_lock(&acl_lock);
  acl_handle *h = acl_handle_find(stream, ACL_STREAM);
  const bool again = h && h->subscribed;
  if (h && !again) {
    h->subscribed = true;
    h->thread = threadId;
  }
  pthread_mutex_unlock(&acl_lock);
  if (!h)
    return stream_unknown("aclrtSubscribeReport");
  if (again)
    return acl_fail(ACL_ERROR_REPEAT_SUBSCRIBE, "aclrtSubscribeReport: a thread serves this stream already");
  return ACL_SUCCESS;
}
aclError aclrtUnSubscribeReport(uint64_t threadId, aclrtStream stream) {
  pthread_mutex_lock(&acl_lock);
  acl_handle *h = acl_handle_find(stream, ACL_STREAM);
  const bool serves = h && h->subscribed && h->thread == threadId;
  if (serves)
    h->subscribed = false;
  pthread_cond_broadcast(&acl_changed);
  pthread_mutex_unlock(&acl_lock);
  if (!h)
    return stream_unknown("aclrtUnSubscribeReport");
  if (!serves)
    return acl_fail(ACL_ERROR_THREAD_NOT_SUBSCRIBE, "aclrtUnSubscribeReport: that thread does not serve it");
  return ACL_SUCCESS;
}

aclError aclrtLaunchCallback(aclrtCallback fn, void *userData, aclrtCallbackBlockType blockType,
                             aclrtStream stream) {
  if (!fn)
    return acl_missing("aclrtLaunchCallback: fn");
  callback *c = calloc(1, sizeof *c);
  if (!c)
    return acl_fail(ACL_ERROR_BAD_ALLOC, "aclrtLaunchCallback: no memory");
  *c = (callback){.run = fn, .data = userData, .stream = stream, .blocks = blockType == ACL_CALLBACK_BLOCK};
  pthread_mutex_lock(&acl_lock);
  acl_handle *h = acl_handle_find(stream, ACL_STREAM);
  const bool served = h && h->subscribed;
  if (served) {
    callback **end = &callbacks;
    while (*end)
      end = &(*end)->next;
    *end = c;
    h->callbacks++;
    h->blocking += c->blocks;
    pthread_cond_broadcast(&acl_changed);
  }
  pthread_mutex_unlock(&acl_lock);
  if (served)
    return ACL_SUCCESS;
  free(c);
  if (!h)
    return stream_unknown("aclrtLaunchCallback");
  return acl_fail(ACL_ERROR_STREAM_NOT_SUBSCRIBE,
                  "aclrtLaunchCallback: no thread serves the stream; call aclrtSubscribeReport first");
}

static bool callbacks_expected(void) {  // under the lock: does this thread serve a stream?
  for (size_t i = 0;; i++) {
    const acl_handle *h = acl_handle_at(i);
    if (!h)
      return false;
    if (h->kind == ACL_STREAM && h->subscribed && h->thread == stream_self())
      return true;
  }
}
aclError aclrtProcessReport(int32_t timeout) {
  if (timeout < -1) {
    return acl_fail(ACL_ERROR_INVALID_PARAM, "aclrtProcessReport: %d ms; -1 waits for ever, 0 does not wait",
                    timeout);
  }
  const struct timespec until = stream_until(WEFT_MAX(timeout, 0));
  bool in_time = true;
  pthread_mutex_lock(&acl_lock);
  bool expected = callbacks_expected();
  callback *c = callback_take(NULL);
  while (!c && expected && in_time) {
    in_time = stream_sleep(timeout, &until);
    c = callback_take(NULL);
    expected = callbacks_expected();
  }
  const bool any = c;
  for (; c; c = callback_take(NULL))
    callback_run(c);
  pthread_mutex_unlock(&acl_lock);
  if (any)
    return ACL_SUCCESS;
  if (!expected)
    return acl_fail(ACL_ERROR_THREAD_NOT_SUBSCRIBE, "aclrtProcessReport: this thread serves no stream");
  return acl_fail(ACL_ERROR_WAIT_CALLBACK_TIMEOUT, "aclrtProcessReport: no callback came within %d ms",
                  timeout);
}

// ---- events ----
aclError aclrtCreateEvent(aclrtEvent *event) {
  return event ? acl_handle_make(ACL_EVENT, event) : acl_missing("aclrtCreateEvent: event");
}
aclError aclrtCreateEventWithFlag(aclrtEvent *event, uint32_t flag) {
  (void)flag;
  return aclrtCreateEvent(event);
}
aclError aclrtCreateEventExWithFlag(aclrtEvent *event, uint32_t flag) {
  return aclrtCreateEventWithFlag(event, flag);
}
static aclError event_unknown(const char *call) {
  return acl_fail(ACL_ERROR_RT_INVALID_HANDLE, "%s: this is no event, or it was destroyed", call);
}
// A copy of the event as it is; `mark` (when not NULL) says what becomes of it.
static aclError event_look(const char *call, aclrtEvent event, const bool *mark, acl_handle *out) {
  const uint64_t now = acl_now_ns();
  pthread_mutex_lock(&acl_lock);
  acl_handle *h = acl_handle_find(event, ACL_EVENT);
  if (h && mark) {
    h->recorded = *mark;
    h->recorded_ns = now;
  }
  if (h)
    *out = *h;
  pthread_mutex_unlock(&acl_lock);
  return h ? ACL_SUCCESS : event_unknown(call);
}
aclError aclrtDestroyEvent(aclrtEvent event) {
  pthread_mutex_lock(&acl_lock);
  const bool known = acl_handle_find(event, ACL_EVENT);
  if (known)
    acl_handle_drop(event);
  pthread_mutex_unlock(&acl_lock);
  return known ? ACL_SUCCESS : event_unknown("aclrtDestroyEvent");
}
aclError aclrtRecordEvent(aclrtEvent event, aclrtStream stream) {
  const bool recorded = true;
  acl_handle h;
  const aclError code = acl_stream_ready(stream);
  return code ? code : event_look("aclrtRecordEvent", event, &recorded, &h);
}
aclError aclrtResetEvent(aclrtEvent event, aclrtStream stream) {
  const bool recorded = false;
  acl_handle h;
  const aclError code = acl_stream_ready(stream);
  return code ? code : event_look("aclrtResetEvent", event, &recorded, &h);
}
// What was recorded is over, and what was not has nothing to wait for.
aclError aclrtStreamWaitEvent(aclrtStream stream, aclrtEvent event) {
  acl_handle h;
  const aclError code = acl_stream_ready(stream);
  return code ? code : event_look("aclrtStreamWaitEvent", event, NULL, &h);
}
aclError aclrtSynchronizeEvent(aclrtEvent event) {
  acl_handle h;
  return event_look("aclrtSynchronizeEvent", event, NULL, &h);
}
// `status`: where the caller wants the answer; `argument` names it in a message.
static aclError event_query(const char *call, const char *argument, aclrtEvent event, const void *status,
                            bool *out_recorded) {
  acl_handle h = {0};
  if (!status)
    return acl_missing(argument);
  const aclError code = event_look(call, event, NULL, &h);
  *out_recorded = h.recorded;
  return code;
}
aclError aclrtQueryEvent(aclrtEvent event, aclrtEventStatus *status) {
  bool recorded = false;
  const aclError code = event_query("aclrtQueryEvent", "aclrtQueryEvent: status", event, status, &recorded);
  if (status)
    *status = recorded ? ACL_EVENT_STATUS_COMPLETE : ACL_EVENT_STATUS_NOT_READY;
  return code;
}
aclError aclrtQueryEventStatus(aclrtEvent event, aclrtEventRecordedStatus *status) {
  bool recorded = false;
  const aclError code =
      event_query("aclrtQueryEventStatus", "aclrtQueryEventStatus: status", event, status, &recorded);
  if (status)
    *status = recorded ? ACL_EVENT_RECORDED_STATUS_COMPLETE : ACL_EVENT_RECORDED_STATUS_NOT_READY;
  return code;
}
aclError aclrtQueryEventWaitStatus(aclrtEvent event, aclrtEventWaitStatus *status) {
  acl_handle h = {0};
  if (!status)
    return acl_missing("aclrtQueryEventWaitStatus: status");
  *status = ACL_EVENT_WAIT_STATUS_COMPLETE;
  return event_look("aclrtQueryEventWaitStatus", event, NULL, &h);
}
aclError aclrtEventGetTimestamp(aclrtEvent event, uint64_t *timestamp) {
  acl_handle h = {0};
  if (!timestamp)
    return acl_missing("aclrtEventGetTimestamp: timestamp");
  const aclError code = event_look("aclrtEventGetTimestamp", event, NULL, &h);
  if (code)
    return code;
  if (!h.recorded) {
    return acl_fail(ACL_ERROR_RT_EVENT_TIMESTAMP_INVALID,
                    "the event was not recorded; call aclrtRecordEvent first");
  }
  *timestamp = h.recorded_ns / 1000;
  return ACL_SUCCESS;
}
aclError aclrtEventElapsedTime(float *ms, aclrtEvent startEvent, aclrtEvent endEvent) {
  uint64_t start;
  uint64_t end;
  if (!ms)
    return acl_missing("aclrtEventElapsedTime: ms");
  aclError code = aclrtEventGetTimestamp(startEvent, &start);
  if (!code)
    code = aclrtEventGetTimestamp(endEvent, &end);
  if (code)
    return code;
  if (end < start) {
    return acl_fail(ACL_ERROR_RT_EVENT_TIMESTAMP_REVERSAL,
                    "aclrtEventElapsedTime: the end was recorded before the start");
  }
  *ms = (float)(end - start) / 1000;
  return ACL_SUCCESS;
}

// ---- notifies ----
static aclError notify_unknown(const char *call) {
  return acl_fail(ACL_ERROR_RT_PARAM_INVALID, "%s: this is no notify, or it was destroyed", call);
}

aclError aclrtCreateNotify(aclrtNotify *notify, uint64_t flag) {
  if (!notify)
    return acl_missing("aclrtCreateNotify: notify");
  if (flag > ACL_NOTIFY_DEVICE_USE_ONLY) {
    return acl_fail(ACL_ERROR_RT_PARAM_INVALID, "aclrtCreateNotify: flag %llu is none of ACL_NOTIFY_...",
                    (unsigned long long)flag);
  }
  return acl_handle_make(ACL_NOTIFY, notify);
}
aclError aclrtDestroyNotify(aclrtNotify notify) {
  pthread_mutex_lock(&acl_lock);
  const bool known = acl_handle_find(notify, ACL_NOTIFY);
  if (known) {
    acl_handle_drop(notify);
    pthread_cond_broadcast(&acl_changed);
  }
  pthread_mutex_unlock(&acl_lock);
  return known ? ACL_SUCCESS : notify_unknown("aclrtDestroyNotify");
}
aclError aclrtGetNotifyId(aclrtNotify notify, uint32_t *notifyId) {
  if (!notifyId)
    return acl_missing("aclrtGetNotifyId: notifyId");
  pthread_mutex_lock(&acl_lock);
  const bool known = acl_handle_find(notify, ACL_NOTIFY);
  pthread_mutex_unlock(&acl_lock);
  *notifyId = known ? acl_handle_number(notify) : 0;
  return known ? ACL_SUCCESS : notify_unknown("aclrtGetNotifyId");
}
aclError aclrtRecordNotify(aclrtNotify notify, aclrtStream stream) {
  const aclError code = acl_stream_ready(stream);
  if (code)
    return code;
  pthread_mutex_lock(&acl_lock);
  acl_handle *h = acl_handle_find(notify, ACL_NOTIFY);
  if (h) {
    h->recorded = true;
    pthread_cond_broadcast(&acl_changed);
  }
  pthread_mutex_unlock(&acl_lock);
  return h ? ACL_SUCCESS : notify_unknown("aclrtRecordNotify");
}
aclError aclrtWaitAndResetNotify(aclrtNotify notify, aclrtStream stream, uint32_t timeout) {
  const aclError code = acl_stream_ready(stream);
  if (code)
    return code;
  const int32_t limit = timeout ? (int32_t)WEFT_MIN(timeout, (uint32_t)INT32_MAX) : -1;
  const struct timespec until = stream_until(WEFT_MAX(limit, 0));
  bool in_time = true;
  pthread_mutex_lock(&acl_lock);
  acl_handle *h = acl_handle_find(notify, ACL_NOTIFY);
  while (h && !h->recorded && in_time) {
    in_time = stream_sleep(limit, &until);
    h = acl_handle_find(notify, ACL_NOTIFY);
  }
  const bool there = h && h->recorded;
  if (there)
    h->recorded = false;
  pthread_mutex_unlock(&acl_lock);
  if (!h)
    return notify_unknown("aclrtWaitAndResetNotify");
  if (there)
    return ACL_SUCCESS;
  return acl_fail(ACL_ERROR_RT_STREAM_SYNC_TIMEOUT,
                  "aclrtWaitAndResetNotify: nobody recorded the notify within %u ms; a stream's work is done "
                  "in the call that asks for it, so the wait comes behind the record, or in another thread",
                  timeout);
}
// SPDX-License-Identifier: Apache-2.0
