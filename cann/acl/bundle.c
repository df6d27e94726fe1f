// bundle.c - several models in one file (weft_cann/bundle_file.h), loaded and unloaded together. A bundle is
// a number, and so is each of its models, which other calls take as they take those of single files.
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include "model.h"
#include "weft_cann/bundle_file.h"

typedef struct bundle {
  struct bundle *next;
  uint32_t id;
  size_t n;
  uint32_t models[];
} bundle;
static bundle *bundles;        // under the lock
static uint32_t bundles_seen;  // numbers that were given out

typedef struct bundle_source {
  const char *path;
  FILE *file;
  uint64_t bytes;
  size_t n;
} bundle_source;

static aclError bundle_bad(const bundle_source *s, const char *why) {
  return acl_fail(ACL_ERROR_PARSE_MODEL, "aclmdlBundleLoadFromFile: '%s': %s", s->path, why);
}

static aclError source_open(const char *path, bundle_source *out) {
  *out = (bundle_source){.path = path, .file = fopen(path, "rb")};
  if (!out->file || fseeko(out->file, 0, SEEK_END)) {
    return acl_fail(ACL_ERROR_INVALID_FILE, "aclmdlBundleLoadFromFile: cannot read '%s': %s", path,
                    strerror(errno));
  }
  const off_t size = ftello(out->file);
  rewind(out->file);
  out->bytes = size > 0 ? (uint64_t)size : 0;
  unsigned char head[WEFT_BUNDLE_HEAD_BYTES];
  if (fread(head, 1, sizeof head, out->file) != sizeof head || !weft_bundle_is(head, sizeof head))
    return bundle_bad(out, "this is no bundle of models; aclmdlLoadFromFile loads a single one");
  if (weft_bundle_get(head + 8) != WEFT_BUNDLE_VERSION)
    return bundle_bad(out, "a bundle of a version that this weft does not read");
  const uint64_t n = weft_bundle_get(head + 16);
  if (!n || n > WEFT_BUNDLE_MOST_MODELS)
    return bundle_bad(out, "it has no models, or more than 1024: the file is damaged");
  out->n = (size_t)n;
  return ACL_SUCCESS;
}

// The bytes of model i, for the caller to free.
static aclError source_read(bundle_source *s, size_t i, unsigned char **out, size_t *out_bytes) {
  unsigned char entry[WEFT_BUNDLE_ENTRY_BYTES];
  const off_t place = (off_t)(WEFT_BUNDLE_HEAD_BYTES + i * WEFT_BUNDLE_ENTRY_BYTES);
  if (fseeko(s->file, place, SEEK_SET) || fread(entry, 1, sizeof entry, s->file) != sizeof entry)
    return bundle_bad(s, "the file ends within its table of models");
  const uint64_t from = weft_bundle_get(entry);
  const uint64_t bytes = weft_bundle_get(entry + 8);
  if (!bytes || from > s->bytes || bytes > s->bytes - from)
    return bundle_bad(s, "a model lies behind the end of the file, which is damaged");
  unsigned char *model = malloc((size_t)bytes);
  if (!model)
    return acl_fail(ACL_ERROR_BAD_ALLOC, "aclmdlBundleLoadFromFile: no memory for a model of %llu bytes",
                    (unsigned long long)bytes);
  if (fseeko(s->file, (off_t)from, SEEK_SET) || fread(model, 1, (size_t)bytes, s->file) != bytes) {
    free(model);
    return bundle_bad(s, "a model cannot be read");
  }
  *out = model;
  *out_bytes = (size_t)bytes;
  return ACL_SUCCESS;
}

static aclError bundle_load_one(bundle_source *s, size_t i, uint32_t id, uint32_t *model) {
  unsigned char *bytes = NULL;
  size_t n = 0;
  acl_model *m = NULL;
  aclError code = source_read(s, i, &bytes, &n);
  if (!code)
    code = acl_model_open("aclmdlBundleLoadFromFile", NULL, bytes, n, &m);
  free(bytes);
  if (code)
    return code;
  m->bundle = id;
  return acl_model_add("aclmdlBundleLoadFromFile", m, model);
}

static void bundle_free(bundle *b) {
  for (size_t i = 0; i < b->n; i++)
    acl_model_remove("aclmdlBundleUnload", b->models[i]);
  free(b);
}

static aclError bundle_load(bundle_source *s, bundle **out) {
  bundle *b = malloc(sizeof *b + s->n * sizeof *b->models);
  if (!b)
    return acl_fail(ACL_ERROR_BAD_ALLOC, "aclmdlBundleLoadFromFile: no memory for %zu models", s->n);
  pthread_mutex_lock(&acl_lock);
  *b = (bundle){.id = ++bundles_seen};
  pthread_mutex_unlock(&acl_lock);
  for (; b->n < s->n; b->n++) {
    const aclError code = bundle_load_one(s, b->n, b->id, &b->models[b->n]);
    if (!code)
      continue;
    bundle_free(b);
    return code;
  }
  *out = b;
  return ACL_SUCCESS;
}

aclError aclmdlBundleLoadFromFile(const char *modelPath, uint32_t *bundleId) {
  bundle_source s;
  bundle *b = NULL;
  if (!modelPath || !bundleId)
    return acl_fail(ACL_ERROR_INVALID_PARAM, "aclmdlBundleLoadFromFile: no file, or no place for its number");
  aclError code = source_open(modelPath, &s);
  if (!code)
    code = bundle_load(&s, &b);
  if (s.file)
    fclose(s.file);
  if (code)
    return code;
  *bundleId = b->id;
  pthread_mutex_lock(&acl_lock);
  b->next = bundles;
  bundles = b;
  pthread_mutex_unlock(&acl_lock);
  return ACL_SUCCESS;
}

// Under the lock; NULL at the end of the list: no bundle has the number.
static bundle **bundle_place(uint32_t id) {
  bundle **at = &bundles;
  while (*at && (*at)->id != id)
    at = &(*at)->next;
  return at;
}
static aclError bundle_unknown(const char *call, uint32_t id) {
  return acl_fail(ACL_ERROR_INVALID_BUNDLE_MODEL_ID, "%s: no bundle has the number %u, or it was unloaded",
                  call, id);
}

aclError aclmdlBundleGetModelNum(uint32_t bundleId, size_t *modelNum) {
  if (!modelNum)
    return acl_missing("aclmdlBundleGetModelNum: modelNum");
  pthread_mutex_lock(&acl_lock);
  const bundle *b = *bundle_place(bundleId);
  const size_t n = b ? b->n : 0;
  pthread_mutex_unlock(&acl_lock);
  if (!n)
    return bundle_unknown("aclmdlBundleGetModelNum", bundleId);
  *modelNum = n;
  return ACL_SUCCESS;
}
aclError aclmdlBundleGetModelId(uint32_t bundleId, size_t index, uint32_t *modelId) {
  if (!modelId)
    return acl_missing("aclmdlBundleGetModelId: modelId");
  pthread_mutex_lock(&acl_lock);
  const bundle *b = *bundle_place(bundleId);
  const size_t n = b ? b->n : 0;
  const uint32_t id = index < n ? b->models[index] : 0;
  pthread_mutex_unlock(&acl_lock);
  if (!n)
    return bundle_unknown("aclmdlBundleGetModelId", bundleId);
  if (!id)
    return acl_fail(ACL_ERROR_INVALID_PARAM, "aclmdlBundleGetModelId: model %zu of a bundle of %zu", index,
                    n);
  *modelId = id;
  return ACL_SUCCESS;
}
aclError aclmdlBundleUnload(uint32_t bundleId) {
  pthread_mutex_lock(&acl_lock);
  bundle **at = bundle_place(bundleId);
  bundle *b = *at;
  if (b)
    *at = b->next;
  pthread_mutex_unlock(&acl_lock);
  if (!b)
    return bundle_unknown("aclmdlBundleUnload", bundleId);
  bundle_free(b);
  return ACL_SUCCESS;
}
void acl_bundles_unload_all(void) {
  for (;;) {
    pthread_mutex_lock(&acl_lock);
    bundle *b = bundles;
    if (b)
      bundles = b->next;
    pthread_mutex_unlock(&acl_lock);
    if (!b)
      return;
    bundle_free(b);
  }
}
// SPDX-License-Identifier: Apache-2.0
