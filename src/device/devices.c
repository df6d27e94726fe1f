// devices.c - the devices there are: built-in ones, then those of packages; the first of a name counts.
#include "device/device.h"

#include "op/package.h"

static const weft_device *const builtin[] = {&weft__device_cpu, &weft__device_npusim};

// The functions that every device has, by their place in the struct.
#define DEVICE_FN(member) offsetof(weft_device, member)
static const size_t device_functions[] = {
    DEVICE_FN(properties),    DEVICE_FN(open),          DEVICE_FN(close),          DEVICE_FN(alloc),
    DEVICE_FN(free),          DEVICE_FN(stream_create), DEVICE_FN(stream_destroy), DEVICE_FN(stream_sync),
    DEVICE_FN(copy_in),       DEVICE_FN(copy_out),      DEVICE_FN(launch),         DEVICE_FN(event_create),
    DEVICE_FN(event_destroy), DEVICE_FN(event_record),  DEVICE_FN(event_wait),     DEVICE_FN(event_sync),
};

// Has a package filled in all that a device needs?
static bool device_whole(const weft_device *v) {
  if (!v || v->size < sizeof *v)
    return false;
  if (!v->name || !*v->name)
    return false;
  for (size_t i = 0; i < WEFT_COUNT(device_functions); i++) {
    void (*function)(void);
    memcpy(&function, (const char *)v + device_functions[i], sizeof function);
    if (!function)
      return false;
  }
  return true;
}

static const weft_device *devices_device_of(const weft_section *s, size_t k) {
  if (!s->stride)
    return ((const weft_device *const *)s->items)[k];
  return (const weft_device *)((const char *)s->items + k * s->stride);
}

const weft_device *weft_device_at(const weft_env *e, size_t i) {
  if (!e)
    return NULL;
  if (i < WEFT_COUNT(builtin))
    return builtin[i];
  size_t at = WEFT_COUNT(builtin);
  for (size_t p = 0; p < e->packages.n; p++) {
    size_t n = 0;
    const weft_section *s = weft__package_section(e, p, WEFT_SECTION_DEVICE, &n);
    for (size_t k = 0; s && k < n; k++) {
      const weft_device *v = devices_device_of(s, k);
      if (device_whole(v) && at++ == i)
        return v;
    }
  }
  return NULL;
}

const weft_device *weft_device_find(const weft_env *e, const char *name) {
  if (!e || !name)
    return NULL;
  size_t i = 0;
  const weft_device *v = weft_device_at(e, i);
  while (v && strcmp(v->name, name))
    v = weft_device_at(e, ++i);
  return v;
}
// SPDX-License-Identifier: Apache-2.0
