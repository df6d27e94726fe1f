// picture.h - pictures out of files in memory: BMP, PNM, TIFF and PNG, as far as they need no library. Files
// are hostile: every read is checked. JPEG, JPEG 2000 and WebP are E_UNSUPPORTED. Layer: ops.
#pragma once
#include "op.h"

typedef struct weft_bytes {
  const uint8_t *v;
  size_t n;
} weft_bytes;
typedef struct weft_picture {
  size_t height, width;
  uint8_t *v;  // height x width x 3: red, green, blue; memory of the call
} weft_picture;

// E_UNSUPPORTED: another format or a form that is not read; E_CORRUPT, E_TRUNCATED; E_LIMIT: over 2^28
// pixels.
weft_status weft__picture_read(const weft_call *c, weft_bytes file, weft_picture *out);
// Memory for out->height x out->width pixels; E_TRUNCATED when the file cannot hold more than `most` of them.
weft_status weft__picture_alloc(const weft_call *c, const char *format, uint64_t most, weft_picture *out);
weft_status weft__picture_cut(const weft_call *c, const char *format);  // fails: E_TRUNCATED

// picture_png.c
weft_status weft__picture_png(const weft_call *c, weft_bytes file, weft_picture *out);
