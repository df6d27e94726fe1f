// model_gears.c - the sizes that a model was compiled for, from the notes that `weft atc` left in it.
#include <stdlib.h>

#include "model_desc.h"

static const char *gears_of(const aclmdlDesc *m, const char *key) {
  return m && m->model ? weft_graph_find_meta(weft_program_graph(m->model->program), key) : NULL;
}
// The next size of a note, "1,2;3": false at its end.
static bool gear_next(const char **at, uint64_t *size, char *after) {
  char *end;
  if (!*at || !**at)
    return false;
  *size = strtoull(*at, &end, 10);
  *after = *end;
  if (end == *at)
    return false;
  *at = end + (*end != 0);
  return true;
}

aclError aclmdlGetDynamicBatch(const aclmdlDesc *modelDesc, aclmdlBatch *batch) {
  if (!modelDesc || !batch)
    return acl_missing("aclmdlGetDynamicBatch: the description or the place for the sizes");
  const char *at = gears_of(modelDesc, "acl.dynamic_batch_size");
  char after;
  *batch = (aclmdlBatch){0};
  while (batch->batchCount < ACL_MAX_BATCH_NUM && gear_next(&at, &batch->batch[batch->batchCount], &after))
    batch->batchCount++;
  return ACL_SUCCESS;
}
aclError aclmdlGetDynamicHW(const aclmdlDesc *modelDesc, size_t index, aclmdlHW *hw) {
  (void)index;
  if (!modelDesc || !hw)
    return acl_missing("aclmdlGetDynamicHW: the description or the place for the sizes");
  const char *at = gears_of(modelDesc, "acl.dynamic_image_size");
  char after;
  *hw = (aclmdlHW){0};
  while (hw->hwCount < ACL_MAX_HW_NUM && gear_next(&at, &hw->hw[hw->hwCount][0], &after) &&
         gear_next(&at, &hw->hw[hw->hwCount][1], &after))
    hw->hwCount++;
  return ACL_SUCCESS;
}

aclError aclmdlGetInputDynamicGearCount(const aclmdlDesc *modelDesc, size_t index, size_t *gearCount) {
  (void)index;
  if (!modelDesc || !gearCount)
    return acl_missing("aclmdlGetInputDynamicGearCount: the description or the place for the count");
  const char *text = gears_of(modelDesc, "acl.dynamic_dims");
  *gearCount = text != NULL;
  for (; text && *text; text++)
    *gearCount += *text == ';';
  return ACL_SUCCESS;
}

// The dims of all inputs; those that are open come from the note.
static void gear_dims(const aclmdlDesc *m, const char **at, aclmdlIODims *to) {
  *to = (aclmdlIODims){0};
  for (size_t i = 0; i < m->n_in; i++) {
    const weft_shape *s = &m->in[i].layout.origin;
    for (size_t k = 0; k < (size_t)s->rank && to->dimCount < ACL_MAX_DIM_CNT; k++) {
      uint64_t size = 0;
      char after;
      if (s->dim[k] < 0)
        gear_next(at, &size, &after);
      to->dims[to->dimCount++] = s->dim[k] < 0 ? (int64_t)size : s->dim[k];
    }
  }
}
aclError aclmdlGetInputDynamicDims(const aclmdlDesc *modelDesc, size_t index, aclmdlIODims *dims,
                                   size_t gearCount) {
  size_t have = 0;
  if (!dims)
    return acl_missing("aclmdlGetInputDynamicDims: dims");
  const aclError code = aclmdlGetInputDynamicGearCount(modelDesc, index, &have);
  if (code)
    return code;
  if (gearCount < have) {
    return acl_fail(ACL_ERROR_INVALID_PARAM, "aclmdlGetInputDynamicDims: room for %zu gears of %zu",
                    gearCount, have);
  }
  const char *at = gears_of(modelDesc, "acl.dynamic_dims");
  for (size_t i = 0; i < have; i++)
    gear_dims(modelDesc, &at, &dims[i]);
  return ACL_SUCCESS;
}
// SPDX-License-Identifier: Apache-2.0
