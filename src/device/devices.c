// devices.c - the devices there are: built-in ones, then those of packages; the first of a name counts.
#include "device/device.h"

#include "op/package.h"

static const weft_device *const builtin[] = {&weft__device_cpu, &weft__device_npusim};

static bool whole(const weft_device *v) {
  return v && v->size >= sizeof *v && v->name && *v->name && v->properties && v->open && v->close &&
         v->alloc && v->free && v->stream_create && v->stream_destroy && v->stream_sync && v->copy_in &&
         v->copy_out && v->launch && v->event_create && v->event_destroy && v->event_record &&
         v->event_wait && v->event_sync;
}

const weft_device *weft_device_at(const weft_env *e, size_t i) {
  if (!e)
    return NULL;
  if (i < WEFT_COUNT(builtin))
    return builtin[i];
  size_t at = WEFT_COUNT(builtin);
  for (size_t p = 0; p < e->packages.n; p++) {
    size_t n;
    const weft_section *s = weft__package_section(e, p, WEFT_SECTION_DEVICE, &n);
    for (size_t k = 0; s && k < n; k++) {
      const weft_device *v = s->stride ? (const weft_device *)((const char *)s->items + k * s->stride)
                                       : ((const weft_device *const *)s->items)[k];
      if (whole(v) && at++ == i)
        return v;
    }
  }
  return NULL;
}

const weft_device *weft_device_find(const weft_env *e, const char *name) {
  if (!e || !name)
    return NULL;
  const weft_device *v;
  for (size_t i = 0; (v = weft_device_at(e, i)) != NULL; i++) {
    if (!strcmp(v->name, name))
      return v;
  }
  return NULL;
}
// SPDX-License-Identifier: Apache-2.0
