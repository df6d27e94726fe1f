// picture.c - which format a file has, by its first bytes; what its reader shares with the others.
#include "picture.h"

#include "arrays.h"

enum { ALWAYS = 1 << 20, MOST = 1 << 28 };  // pixels

weft_status weft__picture_alloc(const weft_call *c, const char *format, size_t bytes, size_t per_byte,
                                weft_picture *out) {
  uint64_t height = out->height;
  uint64_t width = out->width;
  void *p;
  if (height > MOST || width > MOST || height * width > MOST) {
    return weft_fail(c->d, WEFT_E_LIMIT, "%s: a picture of %llu x %llu pixels, at most 2^28 are read", format,
                     (unsigned long long)height, (unsigned long long)width);
  }
  if (height * width > ALWAYS && height * width / per_byte > bytes) {
    return weft_fail(c->d, WEFT_E_LIMIT,
                     "%s: a picture of %llu x %llu pixels in %zu bytes: at most 2^20 or %zu a byte are read",
                     format, (unsigned long long)height, (unsigned long long)width, bytes, per_byte);
  }
  WEFT_TRY(weft__scratch(c, out->height * out->width * 3 / 8 + 1, &p));
  out->v = p;
  return WEFT_OK;
}

weft_status weft__picture_cut(const weft_call *c, const char *format) {
  return weft_fail(c->d, WEFT_E_TRUNCATED, "%s: the data end before the picture does", format);
}

static weft_status gif(const weft_call *c, weft_bytes file, weft_picture *out) {
  (void)file;
  (void)out;
  return weft_fail(c->d, WEFT_E_UNSUPPORTED, "GIF pictures are not read");
}

// ---- plug-ins ----
typedef struct picture_task {  // what a plug-in's calls come back to
  const weft_call *c;
  const char *format;
  size_t bytes;  // of the file
} picture_task;

static weft_status task_fail(void *ctx, weft_status s, const char *fmt, ...) {
  const picture_task *t = ctx;
  char text[1024];
  va_list ap;
  va_start(ap, fmt);
  vsnprintf(text, sizeof text, fmt, ap);
  va_end(ap);
  return weft_fail(t->c->d, s, "%s", text);
}

static weft_status task_scratch(void *ctx, size_t bytes, void **out) {
  const picture_task *t = ctx;
  return weft__scratch(t->c, bytes / 8 + 1, out);
}

static weft_status task_room(void *ctx, size_t per_byte, weft_picture *out) {
  const picture_task *t = ctx;
  return weft__picture_alloc(t->c, t->format, t->bytes, per_byte, out);
}

static weft_status task_poll(void *ctx) {
  const picture_task *t = ctx;
  return weft__call_poll(t->c);
}

static weft_status read_by_plugin(const weft_call *c, weft__plugin_id id, const char *format, weft_bytes file,
                                  weft_picture *out) {
  picture_task t = {c, format, file.n};
  const weft_plugin_call call = {&t, task_fail, task_scratch, task_room,
                                 weft__call_is_timed(c) ? task_poll : NULL};
  const weft_plugin *p;
  WEFT_TRY(weft__call_plugin(c, id, &p));
  return p->picture(&call, file, out);
}

typedef struct picture_format {
  const char *magic;
  size_t n;
  weft_status (*read)(const weft_call *c, weft_bytes file, weft_picture *out);  // NULL: the plug-in
  weft__plugin_id plugin;
  const char *name;
} picture_format;

weft_status weft__picture_read(const weft_call *c, weft_bytes file, weft_picture *out) {
  static const picture_format formats[] = {
      {"BM", 2, weft__picture_bmp},
      {"P5", 2, weft__picture_pnm},
      {"P6", 2, weft__picture_pnm},
      {"\xff\xd8\xff", 3, NULL, WEFT__PLUGIN_JPEG, "JPEG"},
      {"\x89PNG\r\n\x1a\n", 8, NULL, WEFT__PLUGIN_PNG, "PNG"},
      {"II*\0", 4, NULL, WEFT__PLUGIN_TIFF, "TIFF"},
      {"MM\0*", 4, NULL, WEFT__PLUGIN_TIFF, "TIFF"},
      {"II+\0", 4, NULL, WEFT__PLUGIN_TIFF, "TIFF"},
      {"MM\0+", 4, NULL, WEFT__PLUGIN_TIFF, "TIFF"},
      {"\0\0\0\x0cjP  ", 8, NULL, WEFT__PLUGIN_JP2, "JPEG 2000"},
      {"\xff\x4f\xff\x51", 4, NULL, WEFT__PLUGIN_JP2, "JPEG 2000"},
      {"RIFF", 4, NULL, WEFT__PLUGIN_WEBP, "WebP"},
      {"GIF8", 4, gif},
  };
  for (size_t k = 0; k < WEFT_COUNT(formats); k++) {
    const picture_format *f = &formats[k];
    if (file.n < f->n || memcmp(file.v, f->magic, f->n))
      continue;
    return f->read ? f->read(c, file, out) : read_by_plugin(c, f->plugin, f->name, file, out);
  }
  return weft_fail(
      c->d, WEFT_E_UNSUPPORTED,
      "the %zu bytes are no picture of a known format (BMP, PNM, JPEG, PNG, TIFF, JPEG 2000, WebP)", file.n);
}
// SPDX-License-Identifier: Apache-2.0
