// weft/plugin.h - weft's own plug-ins: small shared libraries that read pictures, match regular expressions
// and unpack deflated data by the library that everybody uses for it, so that weft itself needs nothing but
// libc: weft_jpeg, weft_png, weft_tiff, weft_jp2, weft_webp, weft_pcre2, weft_zlib. They are loaded on first
// use, from weft_env_options.plugin_folder or the folder that belongs to the library (docs/embedding.md;
// CMake's weft_PLUGIN_FOLDER); what is missing is E_UNSUPPORTED and named. Operators come in packages, which
// are another thing (weft/env.h). Any thread.
#pragma once
#include "weft/env.h"
#ifdef __cplusplus
extern "C" {
#endif
WEFT_API size_t weft_plugin_count(void);              // how many there can be
WEFT_API const char *weft_plugin_name(size_t i);      // "weft_png"; "" outside
WEFT_API const char *weft_plugin_use(size_t i);       // "reading PNG pictures"
// Loads plug-in i of the environment now, if it is not yet: to see what is there, or before a process gives
// its rights to open files away. *out_library (NULL allowed): "libpng 1.6.39", with which it was built; it
// stays valid. Errors: E_UNSUPPORTED (it is not there or does not load), E_INVALID (refused for where it
// lies; i), E_ABI (of another version).
WEFT_API WEFT_MUST weft_status weft_plugin_load(weft_env *e, size_t i, const char **out_library,
                                                weft_diag *d);
#ifdef __cplusplus
}
#endif
// SPDX-License-Identifier: Apache-2.0
