// picture.h - what plug-ins that read pictures share. Files are hostile: a picture much larger than its file
// could hold is refused before memory is asked for, and damaged data are an error, never a grey area. Alpha
// is dropped, 16 bits are cut to 8.
#pragma once
#include "base/base.h"
#include "base/plugin.h"

static inline weft_status picture_cut(const weft_plugin_call *c, const char *format) {
  return c->fail(c->ctx, WEFT_E_TRUNCATED, "%s: the data end before the picture does", format);
}

// A plug-in's descriptor; WEFT_PLUGIN_LIBRARY comes from the build (cmake/plugins.cmake).
#define PICTURE_PLUGIN(name_, read)              \
  WEFT_PLUGIN = {.version = WEFT_PLUGIN_VERSION, \
                 .size = sizeof(weft_plugin),    \
                 .kind = WEFT_PLUGIN_PICTURE,    \
                 .name = (name_),                \
                 .library = WEFT_PLUGIN_LIBRARY, \
                 .picture = (read)}
// SPDX-License-Identifier: Apache-2.0
