// false_plugin.c - plug-ins that weft must refuse; one macro says what is wrong with each (plugins_test.c).
#include "base/plugin.h"

#if defined(FALSE_VERSION)
WEFT_PLUGIN = {.version = WEFT_PLUGIN_VERSION + 1};  // and nothing else that this weft could know
#elif defined(FALSE_FUNCTION)
WEFT_PLUGIN = {.version = WEFT_PLUGIN_VERSION,
               .size = sizeof(weft_plugin),
               .kind = WEFT_PLUGIN_INFLATE,
               .name = "weft_zlib",
               .library = "none"};
#else
typedef int false_plugin_exports_nothing;
#endif
// SPDX-License-Identifier: Apache-2.0
