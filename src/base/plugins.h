// plugins.h - finds and loads the plug-ins (plugin.h). They are looked for in one folder: the one that is
// named, or the one that belongs to the library. Nothing of the process changes but the list of its loaded
// libraries, where a plug-in stays once it is there. Layer: base.
#pragma once
#include "base/plugin.h"

typedef enum weft__plugin_id {
  WEFT__PLUGIN_JPEG,
  WEFT__PLUGIN_PNG,
  WEFT__PLUGIN_TIFF,
  WEFT__PLUGIN_JP2,
  WEFT__PLUGIN_WEBP,
  WEFT__PLUGIN_PCRE2,
  WEFT__PLUGIN_ZLIB,
  WEFT__PLUGIN_COUNT
} weft__plugin_id;

typedef struct weft__plugin_about {
  const char *name;     // of the file, without ".so"
  const char *use;      // what it is needed for: "reading JPEG pictures"
  const char *package;  // of Debian, that building it needs
  weft_plugin_kind kind;
} weft__plugin_about;
extern const weft__plugin_about weft__plugin_table[WEFT__PLUGIN_COUNT];

typedef struct weft__plugin_place {
  const char *folder;  // NULL: WEFT_PLUGIN_FOLDER, or else the library's own; "": none
  bool any;            // the folder may be relative, and lie where everybody may write
} weft__plugin_place;

// Loads a plug-in, or finds it again, in about 100 microseconds. Any thread. Errors, which name the file and
// what to do: E_UNSUPPORTED: it is not there or does not load; E_INVALID: where it lies, others might have
// put it; E_ABI: it is of another version.
WEFT_MUST weft_status weft__plugin_load(weft__plugin_id id, const weft__plugin_place *place,
                                        const weft_plugin **out, weft_diag *d);

// ---- for plugins.c ----
enum { WEFT__PLUGIN_PATH = 4096 };
// The folder of weft's own plug-ins: the first that exists of
//   weft/plugins beside the library (or the program that it is linked into),
//   where an installed tool has it (../lib/weft/plugins), and the same without "..",
//   where this weft was to be installed.
// `owner`: the file that weft's code is in. False: there is none; `folder` lists the places that were looked
// at.
bool weft__plugin_own_folder(char folder[WEFT__PLUGIN_PATH], char owner[WEFT__PLUGIN_PATH]);
// Is the program linked without a dynamic linker? It can load nothing then.
bool weft__plugin_static_program(void);
// SPDX-License-Identifier: Apache-2.0
