// plugin.h - between weft and its plug-ins: small shared libraries of weft's own (plugins/), each of which
// reads one kind of data by the library that everybody uses for it. So weft itself needs nothing but libc,
// and what is missing is named when it is asked for. A plug-in calls no function of weft: what it needs comes
// with weft_plugin_call. Both sides are built from this header, not always on the same day: weft refuses a
// plug-in of another version. Layer: base; plug-ins include this, and of weft's other headers only macros and
// inline functions.
#pragma once
#include "weft/base.h"

enum { WEFT_PLUGIN_VERSION = 3 };  // of all that stands here
typedef enum weft_plugin_kind {
  WEFT_PLUGIN_PICTURE = 1,
  WEFT_PLUGIN_REGEX = 2,
  WEFT_PLUGIN_INFLATE = 3
} weft_plugin_kind;

typedef struct weft_bytes {
  const uint8_t *v;
  size_t n;
} weft_bytes;
typedef struct weft_picture {
  size_t height, width;
  uint8_t *v;        // height x width x 3: red, green, blue; memory of the call
  uint8_t channels;  // of the file: 1 or 3, 2 or 4 with alpha; 0: nobody says
} weft_picture;

// What weft does for a plug-in while it works. Not called by several threads at once.
typedef struct weft_plugin_call {
  void *ctx;
  // Records the failure unless one is recorded already, and returns `s`.
  weft_status (*fail)(void *ctx, weft_status s, const char *fmt, ...) WEFT_PRINTF(3, 4);
  // Pictures: memory that is freed when the call ends, zeroed and aligned for anything.
  weft_status (*scratch)(void *ctx, size_t bytes, void **out);
  // Pictures: memory for the pixels of `out`, whose height and width are set. More than 2^20 pixels and more
  // than `per_byte` for each byte of the file are E_LIMIT.
  weft_status (*room)(void *ctx, size_t per_byte, weft_picture *out);
  // E_LIMIT or E_CANCELLED, recorded, when the work is to end: asked every some milliseconds. NULL: nobody
  // stops it.
  weft_status (*poll)(void *ctx);
} weft_plugin_call;

static inline weft_status weft_plugin_poll(const weft_plugin_call *c) {
  return c->poll ? c->poll(c->ctx) : WEFT_OK;
}

typedef struct weft_pattern {
  const char *text;
  size_t bytes;
  bool search;  // false: for matches of whole texts
} weft_pattern;
typedef struct weft_found {
  bool any;
  size_t begin, end;  // of a search
} weft_found;

// A plug-in exports one of these, WEFT_PLUGIN = {...}.
typedef struct weft_plugin {
  uint32_t version;     // WEFT_PLUGIN_VERSION
  uint32_t size;        // sizeof(weft_plugin)
  uint32_t kind;        // WEFT_PLUGIN_*
  const char *name;     // "weft_png"
  const char *library;  // what it was built with: "libpng 1.6.39"
  // WEFT_PLUGIN_PICTURE
  weft_status (*picture)(const weft_plugin_call *c, weft_bytes file, weft_picture *out);
  // WEFT_PLUGIN_REGEX; see ops/regex.h. The memory of *out comes from `a`, which is copied and has a
  // function.
  weft_status (*regex_compile)(const weft_plugin_call *c, const weft_allocator *a, const weft_pattern *p,
                               void **out);
  weft_status (*regex_match)(const weft_plugin_call *c, void *regex, weft_bytes text, bool *out);
  weft_status (*regex_search)(const weft_plugin_call *c, void *regex, weft_bytes text, size_t from,
                              weft_found *out);
  // The first match from `from` on by the order of the pattern's alternatives, of a pattern to search with:
  // all of it and groups 1 to n - 1.
  weft_status (*regex_groups)(const weft_plugin_call *c, void *regex, weft_bytes text, size_t from,
                              weft_found *out, size_t n);
  void (*regex_free)(void *regex);
  // WEFT_PLUGIN_INFLATE: unpacks `data` into exactly `bytes` at `out`; see tensor/inflate.h.
  weft_status (*inflate)(const weft_plugin_call *c, weft_bytes data, uint8_t *out, size_t bytes);
} weft_plugin;
#if defined(__GNUC__)
#define WEFT_PLUGIN __attribute__((visibility("default"))) const weft_plugin weft_plugin_exported
#else
#define WEFT_PLUGIN const weft_plugin weft_plugin_exported
#endif
// SPDX-License-Identifier: Apache-2.0
