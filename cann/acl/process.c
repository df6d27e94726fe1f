// process.c - begin and end of AscendCL, and what the last failed call of a thread says.
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "state.h"

pthread_mutex_t acl_lock = PTHREAD_MUTEX_INITIALIZER;
pthread_cond_t acl_changed = PTHREAD_COND_INITIALIZER;

static _Thread_local char process_text[1200];
static _Thread_local char process_given[1200];
static _Thread_local aclError process_code;
static enum { NOT_BEGUN, BEGUN, ENDED } process_state;
static weft_env *process_env;
static size_t process_models;  // that live in it, those of descriptions included

aclError acl_fail(aclError code, const char *format, ...) {
  va_list args;
  va_start(args, format);
  vsnprintf(process_text, sizeof process_text, format, args);
  va_end(args);
  process_code = code;
  return code;
}
aclError acl_missing(const char *what) {
  return acl_fail(ACL_ERROR_INVALID_PARAM, "%s is NULL", what);
}

const char *aclGetRecentErrMsg(void) {
  if (!*process_text)
    return NULL;
  memcpy(process_given, process_text, sizeof process_given);
  *process_text = 0;
  return process_given;
}
aclError aclrtPeekAtLastError(aclrtLastErrLevel level) {
  (void)level;
  return process_code;
}
aclError aclrtGetLastError(aclrtLastErrLevel level) {
  (void)level;
  const aclError code = process_code;
  process_code = ACL_SUCCESS;
  return code;
}

aclError aclInit(const char *configPath) {
  if (configPath && *configPath && access(configPath, R_OK))
    return acl_fail(ACL_ERROR_INVALID_FILE, "aclInit: the configuration '%s' cannot be read", configPath);
  pthread_mutex_lock(&acl_lock);
  const bool again = process_state == BEGUN;
  process_state = BEGUN;
  pthread_mutex_unlock(&acl_lock);
  if (again) {
    return acl_fail(ACL_ERROR_REPEAT_INITIALIZE,
                    "aclInit was called before; call aclFinalize before the next one");
  }
  return ACL_SUCCESS;
}

// Destroys the environment, and the session in it, when nobody is left who needs them.
static void process_end_env(void) {
  pthread_mutex_lock(&acl_lock);
  weft_env *env = process_state == ENDED && !process_models ? process_env : NULL;
  weft_session *session = env ? acl_model_session_take() : NULL;
  if (env)
    process_env = NULL;
  pthread_mutex_unlock(&acl_lock);
  weft_session_destroy(session);
  weft_env_destroy(env);
}
void acl_env_hold(void) {
  pthread_mutex_lock(&acl_lock);
  process_models++;
  pthread_mutex_unlock(&acl_lock);
}
void acl_env_leave(void) {
  pthread_mutex_lock(&acl_lock);
  process_models--;
  pthread_mutex_unlock(&acl_lock);
  process_end_env();
}

aclError aclFinalize(void) {
  pthread_mutex_lock(&acl_lock);
  const int was = process_state;
  if (was == BEGUN)
    process_state = ENDED;
  pthread_mutex_unlock(&acl_lock);
  if (was == NOT_BEGUN)
    return acl_fail(ACL_ERROR_UNINITIALIZE, "aclFinalize: aclInit was not called");
  if (was == ENDED)
    return acl_fail(ACL_ERROR_REPEAT_FINALIZE, "aclFinalize was called before");
  acl_models_unload_all();
  acl_memory_free_device();
  acl_handles_drop_all();
  process_end_env();
  return ACL_SUCCESS;
}
aclError aclFinalizeReference(uint64_t *refCount) {
  const aclError code = aclFinalize();
  if (refCount)
    *refCount = 0;
  return code;
}

static void process_log(void *ctx, int level, const char *text) {
  (void)ctx;
  if (level <= WEFT_LOG_WARNING)
    fprintf(stderr, "weft: %s\n", text);
}
weft_env *acl_env(void) {
  const weft_env_options options = {.size = sizeof options, .log = process_log};
  weft_diag d = {0};
  pthread_mutex_lock(&acl_lock);
  if (!process_env && weft_env_create(&options, &process_env, &d))
    process_env = NULL;
  weft_env *env = process_env;
  pthread_mutex_unlock(&acl_lock);
  if (!env)
    acl_fail(ACL_ERROR_INTERNAL_ERROR, "weft's environment: %s", d.text);
  return env;
}

aclError aclrtGetVersion(int32_t *majorVersion, int32_t *minorVersion, int32_t *patchVersion) {
  if (!majorVersion || !minorVersion || !patchVersion)
    return acl_missing("aclrtGetVersion: a place for the version");
  *majorVersion = ACL_MAJOR_VERSION;
  *minorVersion = ACL_MINOR_VERSION;
  *patchVersion = ACL_PATCH_VERSION;
  return ACL_SUCCESS;
}
aclError aclrtGetRunMode(aclrtRunMode *runMode) {
  if (!runMode)
    return acl_missing("aclrtGetRunMode: runMode");
  *runMode = ACL_HOST;
  return ACL_SUCCESS;
}
const char *aclrtGetSocName(void) {
  const char *name = getenv("WEFT_SOC");
  return name && *name ? name : "weft CPU";
}

aclError aclGetCannAttribute(aclCannAttr cannAttr, int32_t *value) {
  if (!value)
    return acl_missing("aclGetCannAttribute: value");
  if (cannAttr < ACL_CANN_ATTR_INF_NAN || cannAttr > ACL_CANN_ATTR_JIT_COMPILE)
    return acl_fail(ACL_ERROR_INVALID_PARAM, "aclGetCannAttribute: %d is no attribute", (int)cannAttr);
  *value = cannAttr != ACL_CANN_ATTR_JIT_COMPILE;
  return ACL_SUCCESS;
}
aclError aclGetCannAttributeList(const aclCannAttr **cannAttrList, size_t *num) {
  static const aclCannAttr all[] = {ACL_CANN_ATTR_INF_NAN, ACL_CANN_ATTR_BF16};
  if (!cannAttrList || !num)
    return acl_missing("aclGetCannAttributeList: a place for the list");
  *cannAttrList = all;
  *num = WEFT_COUNT(all);
  return ACL_SUCCESS;
}
// SPDX-License-Identifier: Apache-2.0
