// weft_tiff.c - the first picture of a TIFF by libtiff's RGBA interface. The file is read through
// callbacks; messages come through the options of the open file (libtiff 4.5), so that nothing of the process
// changes.
#include "picture.h"

#include <stdarg.h>
#include <tiffio.h>

enum { PIXELS_A_BYTE = 4096, MESSAGE = 200, PIXELS_A_LOOK = 1 << 20 };

typedef struct tiff {
  weft_bytes file;
  uint64_t at;
  bool cut;            // something behind the end was asked for
  char text[MESSAGE];  // the first error
} tiff;

static tmsize_t weft_tiff_read_bytes(thandle_t h, void *to, tmsize_t n) {
  tiff *t = h;
  size_t left = t->at < t->file.n ? t->file.n - (size_t)t->at : 0;
  size_t got = WEFT_MIN((size_t)n, left);
  t->cut |= got < (size_t)n;
  if (got)
    memcpy(to, t->file.v + t->at, got);
  t->at += got;
  return (tmsize_t)got;
}
static tmsize_t write_bytes(thandle_t h, void *from, tmsize_t n) {
  (void)h;
  (void)from;
  (void)n;
  return -1;
}
static toff_t seek(thandle_t h, toff_t to, int whence) {
  tiff *t = h;
  t->at = to + (whence == SEEK_CUR ? t->at : whence == SEEK_END ? t->file.n : 0);
  return t->at;
}
static int close_file(thandle_t h) {
  (void)h;
  return 0;
}
static toff_t size(thandle_t h) {
  return ((tiff *)h)->file.n;
}

static int weft_tiff_on_error(TIFF *lib, void *user, const char *module, const char *fmt, va_list ap) {
  tiff *t = user;
  (void)lib;
  (void)module;
  if (!t->text[0])
    vsnprintf(t->text, sizeof t->text, fmt, ap);
  return 1;
}
static int on_warning(TIFF *lib, void *user, const char *module, const char *fmt, va_list ap) {
  (void)lib;
  (void)user;
  (void)module;
  (void)fmt;
  (void)ap;
  return 1;
}

static weft_status weft_tiff_failed(const weft_plugin_call *c, const tiff *t) {
  if (t->cut)
    return picture_cut(c, "TIFF");
  return c->fail(c->ctx, WEFT_E_CORRUPT, "TIFF: %s", t->text[0] ? t->text : "the data are damaged");
}

// libtiff multiplies colors by an alpha that they are not multiplied by; calling it the other kind keeps
// them.
static void keep_colors(TIFF *lib) {
  uint16_t n = 0;
  uint16_t *kinds = NULL;
  if (!TIFFGetFieldDefaulted(lib, TIFFTAG_EXTRASAMPLES, &n, &kinds) || !n ||
      kinds[0] != EXTRASAMPLE_UNASSALPHA)
    return;
  uint16_t kept[1] = {EXTRASAMPLE_ASSOCALPHA};
  TIFFSetField(lib, TIFFTAG_EXTRASAMPLES, 1, kept);
}

// The rows that libtiff reads at once: strips or rows of tiles, as many as make PIXELS_A_LOOK.
static uint32_t rows_at_once(TIFF *lib, uint32_t width, uint32_t height) {
  uint32_t rows = 0;
  if (TIFFIsTiled(lib))
    TIFFGetField(lib, TIFFTAG_TILELENGTH, &rows);
  else
    TIFFGetFieldDefaulted(lib, TIFFTAG_ROWSPERSTRIP, &rows);
  if (!rows || rows >= height)
    return height;
  uint32_t many = PIXELS_A_LOOK / WEFT_MAX(width, 1) / rows;
  return many > 1 ? rows * many : rows;
}

static bool is_upside_down(uint16_t orientation) {
  return orientation == ORIENTATION_BOTLEFT || orientation == ORIENTATION_BOTRIGHT ||
         orientation == ORIENTATION_LEFTBOT || orientation == ORIENTATION_RIGHTBOT;
}

static weft_status read_pixels(const weft_plugin_call *c, TIFFRGBAImage *image, tiff *t, weft_picture *out) {
  uint32_t rows = rows_at_once(image->tif, image->width, image->height);
  size_t width = out->width;
  void *p;
  WEFT_TRY(c->scratch(c->ctx, rows * width * sizeof(uint32_t), &p));
  uint32_t *pixels = p;
  for (uint32_t y = 0; y < image->height; y += rows) {
    uint32_t n = WEFT_MIN(rows, image->height - y);
    uint32_t first = is_upside_down(image->orientation) ? image->height - y - n : y;
    uint8_t *to = out->v + 3 * first * width;
    WEFT_TRY(weft_plugin_poll(c));
    image->row_offset = (int)y;
    if (!TIFFRGBAImageGet(image, pixels, image->width, n))
      return weft_tiff_failed(c, t);
    for (size_t i = 0; i < n * width; i++) {
      to[3 * i] = (uint8_t)TIFFGetR(pixels[i]);
      to[3 * i + 1] = (uint8_t)TIFFGetG(pixels[i]);
      to[3 * i + 2] = (uint8_t)TIFFGetB(pixels[i]);
    }
  }
  return WEFT_OK;
}

static weft_status read_picture(const weft_plugin_call *c, TIFF *lib, tiff *t, weft_picture *out) {
  char why[1024] = "";
  uint32_t width = 0;
  uint32_t height = 0;
  TIFFRGBAImage image;
  if (!TIFFGetField(lib, TIFFTAG_IMAGEWIDTH, &width) || !TIFFGetField(lib, TIFFTAG_IMAGELENGTH, &height))
    return c->fail(c->ctx, WEFT_E_CORRUPT, "TIFF: the picture has no size");
  out->height = height;
  out->width = width;
  WEFT_TRY(c->room(c->ctx, PIXELS_A_BYTE, out));
  if (!TIFFRGBAImageOK(lib, why))
    return c->fail(c->ctx, WEFT_E_UNSUPPORTED, "TIFF: %s", why);
  keep_colors(lib);
  if (!TIFFRGBAImageBegin(&image, lib, 1, why))
    return c->fail(c->ctx, WEFT_E_UNSUPPORTED, "TIFF: %s", why);
  image.req_orientation = ORIENTATION_TOPLEFT;
  weft_status s = read_pixels(c, &image, t, out);
  TIFFRGBAImageEnd(&image);
  return s;
}

static weft_status read_tiff(const weft_plugin_call *c, weft_bytes file, weft_picture *out) {
  tiff t = {.file = file};
  TIFFOpenOptions *options = TIFFOpenOptionsAlloc();
  if (!options)
    return c->fail(c->ctx, WEFT_E_NOMEM, "TIFF: no memory");
  size_t most = 8 * WEFT_MAX(file.n, 1 << 20);  // bytes in one piece
  TIFFOpenOptionsSetMaxSingleMemAlloc(options, (tmsize_t)(most < file.n ? file.n : most));
  TIFFOpenOptionsSetErrorHandlerExtR(options, weft_tiff_on_error, &t);
  TIFFOpenOptionsSetWarningHandlerExtR(options, on_warning, &t);
  TIFF *lib = TIFFClientOpenExt("", "rm", &t, weft_tiff_read_bytes, write_bytes, seek, close_file, size, NULL,
                                NULL, options);
  TIFFOpenOptionsFree(options);
  if (!lib)
    return weft_tiff_failed(c, &t);
  weft_status s = read_picture(c, lib, &t, out);
  TIFFClose(lib);
  return s;
}

PICTURE_PLUGIN("weft_tiff", read_tiff);
// SPDX-License-Identifier: Apache-2.0
