// model.h - a loaded model: its program, shared by the process's table, by runs and by descriptions.
#pragma once
#include "state.h"

typedef struct acl_model {
  weft_program *program;
  void *bytes;       // what it was loaded from, when that was memory
  uint32_t users;    // under the lock
  uint32_t bundle;   // that it came with; 0: none
  weft_shape *last;  // of each output, as the last run found them; NULL before the first. Under the lock
} acl_model;
// From a file, or from `bytes` (copied) when path is NULL. The caller is its one user.
aclError acl_model_open(const char *call, const char *path, const void *bytes, size_t n, acl_model **out);
// One user more: that of a number, NULL with acl_fail called.
acl_model *acl_model_use(const char *call, uint32_t id);
void acl_model_leave(acl_model *m);  // one user less; the last one frees it. NULL allowed
// Gives it a number, and takes it over, also on failure.
aclError acl_model_add(const char *call, acl_model *m, uint32_t *modelId);
aclError acl_model_remove(const char *call, uint32_t id);
weft_session *acl_model_session(void);
void acl_bundles_unload_all(void);
// SPDX-License-Identifier: Apache-2.0
