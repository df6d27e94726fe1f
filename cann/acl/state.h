// state.h - what AscendCL keeps for the process: the environment, handles, memory, models; and how a call
// says why it failed.
#pragma once
#include <pthread.h>
#include <stdbool.h>

#include "base/base.h"
#include "weft/compile.h"
#include "weft/session.h"
#include "weft_cann/acl.h"
#include "weft_cann/acl_prof.h"

// Keeps code and text for aclGetRecentErrMsg and gives the code.
aclError acl_fail(aclError code, const char *format, ...) __attribute__((format(printf, 2, 3)));
aclError acl_missing(const char *what);  // an argument that is NULL
uint64_t acl_now_ns(void);               // monotonic

// The one lock of everything below, which no work is done under, and what is signalled when it changes.
extern pthread_mutex_t acl_lock;
extern pthread_cond_t acl_changed;

// The environment of all models and operators, made when it is first needed. NULL: it could not be made, and
// acl_fail was called.
weft_env *acl_env(void);
// A model more or less lives in it: it goes when aclFinalize was called and the last model is gone.
void acl_env_hold(void);
void acl_env_leave(void);

// ---- handles: streams, events, contexts ----
// A handle is a number, never an address, so that a destroyed one is known.
typedef enum acl_kind { ACL_NO_HANDLE, ACL_STREAM, ACL_EVENT, ACL_CONTEXT, ACL_NOTIFY } acl_kind;
typedef struct acl_handle {
  acl_kind kind;
  uint32_t generation;
  bool subscribed;       // streams: a thread serves its callbacks
  uint64_t thread;       // this one
  uint32_t callbacks;    // that wait for it
  uint32_t blocking;     // of them, those that hold up the stream
  bool recorded;         // events and notifies
  uint64_t recorded_ns;  // when
  int32_t device;        // contexts
  char *failure;         // streams: what a kernel did wrong, until it was told
} acl_handle;
aclError acl_handle_make(acl_kind kind, void **out);
// The handle of a kind, under the lock; NULL: destroyed, never made, or of another kind.
acl_handle *acl_handle_find(void *handle, acl_kind kind);
acl_handle *acl_handle_at(size_t i);       // the i-th place of the table, under the lock; NULL: the end
bool acl_handle_ours(const void *handle);  // made by acl_handle_make; otherwise a stream of weft's runs
void acl_handle_drop(void *handle);        // under the lock
void acl_handles_drop_all(void);
void acl_callbacks_drop_all(void);  // under the lock
uint32_t acl_handle_number(const void *handle);
// Ready for the stream's next work: callbacks that hold it up were served. ACL_ERROR_RT_STREAM_CONTEXT
aclError acl_stream_ready(aclrtStream stream);
// What a kernel of the stream did wrong since the last call; ACL_SUCCESS: nothing.
aclError acl_kernel_failure(const char *call, void *stream);
aclError acl_kernel_failure_of_any(const char *call);

// ---- memory ----
// Of the device. Host memory stays: programs read what was computed after the device was reset.
void acl_memory_free_device(void);
// Mapped memory: are all of these bytes mapped to read or write, if they begin in reserved addresses?
bool acl_map_holds(const void *at, size_t bytes, bool write);
void acl_map_free_all(void);

// ---- tensors ----
struct aclDataBuffer {
  void *data;
  size_t size;
};
struct aclTensorDesc {
  weft_tensor_desc desc;
  char *name;
  void *value;  // aclSetTensorConst
  size_t value_bytes;
};
// Under a name; the description is copied. NULL: no memory.
aclTensorDesc *acl_desc_from(const weft_tensor_desc *from);

// ---- profiles ----
// When a run began; 0: nothing is recorded, and acl_prof_end does nothing.
uint64_t acl_prof_begin(void);
void acl_prof_end(uint64_t begin, const char *kind, const char *name, uint64_t number);

// ---- models ----
void acl_models_unload_all(void);
// The session that runs models, for the caller to destroy, under acl_lock. NULL: there is none.
weft_session *acl_model_session_take(void);
// SPDX-License-Identifier: Apache-2.0
