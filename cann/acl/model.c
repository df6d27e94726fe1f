// model.c - models by number: loading, sizes, unloading.
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "model.h"
#include "weft/model.h"
#include "weft_cann/bundle_file.h"

enum { MOST_MODELS = 1 << 16 };
static acl_model *models[MOST_MODELS];  // by number, from 1 on; under the lock
static uint32_t models_seen;            // numbers that were given out
static weft_session *models_session;    // runs them: a pool of execs for each

static aclError model_code(const char *path, weft_status s) {
  if (path && access(path, R_OK))
    return ACL_ERROR_INVALID_FILE;
  return s == WEFT_E_NOMEM ? ACL_ERROR_BAD_ALLOC : ACL_ERROR_PARSE_MODEL;
}

// What is no program is a model, compiled here.
static weft_status model_compile(weft_env *e, const char *path, const acl_model *m, size_t n,
                                 weft_program **out, weft_diag *d) {
  weft_graph *g;
  if (path)
    WEFT_TRY(weft_model_load(e, path, &g, d));
  else
    WEFT_TRY(weft_model_read(e, m->bytes, n, "model", &g, d));
  return weft_compile(g, NULL, out, d);
}
static bool model_is_bundle(const char *path, const void *bytes, size_t n) {
  unsigned char head[WEFT_BUNDLE_HEAD_BYTES];
  if (!path)
    return weft_bundle_is(bytes, n);
  FILE *file = fopen(path, "rb");
  const size_t have = file ? fread(head, 1, sizeof head, file) : 0;
  if (file)
    fclose(file);
  return weft_bundle_is(head, have);
}
static weft_status model_load(weft_env *e, const char *path, acl_model *m, size_t n, weft_diag *d) {
  const weft_status s = path ? weft_program_load(e, path, &m->program, d)
                             : weft_program_load_memory(e, m->bytes, n, &m->program, d);
  if (s != WEFT_E_SYNTAX)
    return s;
  *d = (weft_diag){0};
  if (model_is_bundle(path, m->bytes, n))
    return weft_fail(d, WEFT_E_SYNTAX, "this is a bundle of models, which aclmdlBundleLoadFromFile loads");
  return model_compile(e, path, m, n, &m->program, d);
}

aclError acl_model_open(const char *call, const char *path, const void *bytes, size_t n, acl_model **out) {
  weft_env *e = acl_env();
  weft_diag d = {0};
  if (!e)
    return ACL_ERROR_INTERNAL_ERROR;
  acl_model *m = calloc(1, sizeof *m);
  if (m && !path) {
    m->bytes = malloc(WEFT_MAX(n, 1));
    if (m->bytes)
      memcpy(m->bytes, bytes, n);
  }
  if (!m || (!path && !m->bytes)) {
    free(m);
    return acl_fail(ACL_ERROR_BAD_ALLOC, "%s: no memory for a model of %zu bytes", call, n);
  }
  m->users = 1;
  acl_env_hold();
  const weft_status s = model_load(e, path, m, n, &d);
  if (!s) {
    *out = m;
    return ACL_SUCCESS;
  }
  free(m->bytes);
  free(m);
  acl_env_leave();
  return acl_fail(model_code(path, s), "%s: %s", call, d.text);
}

void acl_model_leave(acl_model *m) {
  if (!m)
    return;
  pthread_mutex_lock(&acl_lock);
  const bool last = !--m->users;
  pthread_cond_broadcast(&acl_changed);
  pthread_mutex_unlock(&acl_lock);
  if (!last)
    return;
  weft_program_release(m->program);
  free(m->bytes);
  free(m->last);
  free(m);
  acl_env_leave();
}
acl_model *acl_model_use(const char *call, uint32_t id) {
  pthread_mutex_lock(&acl_lock);
  acl_model *m = id < MOST_MODELS ? models[id] : NULL;
  if (m)
    m->users++;
  pthread_mutex_unlock(&acl_lock);
  if (!m)
    acl_fail(ACL_ERROR_INVALID_MODEL_ID, "%s: no model has the number %u, or it was unloaded", call, id);
  return m;
}

// ---- the table ----
weft_session *acl_model_session(void) {
  weft_env *e = acl_env();
  weft_diag d = {0};
  if (!e)
    return NULL;
  pthread_mutex_lock(&acl_lock);
  if (!models_session && weft_session_create(e, NULL, &models_session, &d))
    models_session = NULL;
  weft_session *s = models_session;
  pthread_mutex_unlock(&acl_lock);
  if (!s)
    acl_fail(ACL_ERROR_INTERNAL_ERROR, "%s", d.text);
  return s;
}
static uint32_t model_number(acl_model *m) {
  uint32_t id = 0;
  pthread_mutex_lock(&acl_lock);
  for (uint32_t k = 1; !id && k < MOST_MODELS; k++) {
    const uint32_t at = 1 + (models_seen + k - 1) % (MOST_MODELS - 1);
    id = models[at] ? 0 : at;
  }
  if (id) {
    models[id] = m;
    models_seen = id;
  }
  pthread_mutex_unlock(&acl_lock);
  return id;
}
aclError acl_model_add(const char *call, acl_model *m, uint32_t *modelId) {
  weft_session *s = acl_model_session();
  weft_diag d = {0};
  const uint32_t id = s ? model_number(m) : 0;
  if (!id) {
    acl_model_leave(m);
    return s ? acl_fail(ACL_ERROR_STORAGE_OVER_LIMIT, "%s: %d models are loaded", call, MOST_MODELS - 1)
             : ACL_ERROR_INTERNAL_ERROR;
  }
  if (weft_session_add(s, id, m->program, &d)) {
    pthread_mutex_lock(&acl_lock);
    models[id] = NULL;
    pthread_mutex_unlock(&acl_lock);
    acl_model_leave(m);
    return acl_fail(ACL_ERROR_INTERNAL_ERROR, "%s: %s", call, d.text);
  }
  *modelId = id;
  return ACL_SUCCESS;
}

static aclError load(const char *call, const char *path, const void *bytes, size_t n, uint32_t *modelId) {
  acl_model *m;
  if ((!path && !bytes) || !modelId)
    return acl_fail(ACL_ERROR_INVALID_PARAM, "%s: no model, or no place for its number", call);
  const aclError code = acl_model_open(call, path, bytes, n, &m);
  return code ? code : acl_model_add(call, m, modelId);
}
aclError aclmdlLoadFromFile(const char *modelPath, uint32_t *modelId) {
  return load("aclmdlLoadFromFile", modelPath, NULL, 0, modelId);
}
aclError aclmdlLoadFromMem(const void *model, size_t modelSize, uint32_t *modelId) {
  return load("aclmdlLoadFromMem", NULL, model, modelSize, modelId);
}
aclError aclmdlLoadFromFileWithMem(const char *modelPath, uint32_t *modelId, void *workPtr, size_t workSize,
                                   void *weightPtr, size_t weightSize) {
  (void)workPtr;
  (void)workSize;
  (void)weightPtr;
  (void)weightSize;
  return load("aclmdlLoadFromFileWithMem", modelPath, NULL, 0, modelId);
}
aclError aclmdlLoadFromMemWithMem(const void *model, size_t modelSize, uint32_t *modelId, void *workPtr,
                                  size_t workSize, void *weightPtr, size_t weightSize) {
  (void)workPtr;
  (void)workSize;
  (void)weightPtr;
  (void)weightSize;
  return load("aclmdlLoadFromMemWithMem", NULL, model, modelSize, modelId);
}

aclError acl_model_remove(const char *call, uint32_t id) {
  acl_model *m = acl_model_use(call, id);
  weft_diag d = {0};
  if (!m)
    return ACL_ERROR_INVALID_MODEL_ID;
  pthread_mutex_lock(&acl_lock);
  const bool first = models[id] == m;
  if (first)
    models[id] = NULL;
  pthread_mutex_unlock(&acl_lock);
  if (first) {
    const weft_status s = weft_session_remove(models_session, id, &d);
    (void)s;  // it was put in when it got its number
    acl_model_leave(m);
  }
  acl_model_leave(m);
  return ACL_SUCCESS;
}
aclError aclmdlUnload(uint32_t modelId) {
  acl_model *m = acl_model_use("aclmdlUnload", modelId);
  if (!m)
    return ACL_ERROR_INVALID_MODEL_ID;
  const uint32_t bundle = m->bundle;
  acl_model_leave(m);
  if (bundle) {
    return acl_fail(ACL_ERROR_INVALID_MODEL_ID,
                    "aclmdlUnload: model %u belongs to bundle %u, which aclmdlBundleUnload unloads whole",
                    modelId, bundle);
  }
  return acl_model_remove("aclmdlUnload", modelId);
}
void acl_models_unload_all(void) {
  acl_bundles_unload_all();
  for (uint32_t id = 1; id < MOST_MODELS; id++) {
    pthread_mutex_lock(&acl_lock);
    acl_model *m = models[id];
    pthread_mutex_unlock(&acl_lock);
    if (m)
      aclmdlUnload(id);
  }
}
weft_session *acl_model_session_take(void) {
  weft_session *s = models_session;
  models_session = NULL;
  return s;
}

// ---- sizes ----
static aclError query(const char *call, const char *path, const void *bytes, size_t n, size_t *work,
                      size_t *weight) {
  weft_memory_plan plan = {.size = sizeof plan};
  weft_diag d = {0};
  weft_exec *x;
  acl_model *m;
  if ((!path && !bytes) || !work || !weight)
    return acl_fail(ACL_ERROR_INVALID_PARAM, "%s: no model, or no place for the sizes", call);
  aclError code = acl_model_open(call, path, bytes, n, &m);
  if (code)
    return code;
  weft_status s = weft_exec_create(m->program, NULL, &x, &d);
  if (!s) {
    s = weft_exec_prepare_largest(x, &plan, &d);
    if (s == WEFT_E_UNKNOWN)  // a dim that nothing bounds
      s = WEFT_OK;
    weft_exec_destroy(x);
  }
  acl_model_leave(m);
  if (s)
    return acl_fail(ACL_ERROR_GE_FAILURE, "%s: %s", call, d.text);
  *work = (size_t)(plan.arena_bytes + plan.open_bytes);
  *weight = (size_t)plan.constant_bytes;
  return ACL_SUCCESS;
}
aclError aclmdlQuerySize(const char *fileName, size_t *workSize, size_t *weightSize) {
  return query("aclmdlQuerySize", fileName, NULL, 0, workSize, weightSize);
}
aclError aclmdlQuerySizeFromMem(const void *model, size_t modelSize, size_t *workSize, size_t *weightSize) {
  return query("aclmdlQuerySizeFromMem", NULL, model, modelSize, workSize, weightSize);
}
// SPDX-License-Identifier: Apache-2.0
