// picture.c - which format a file has, by its first bytes; what its reader shares with the others.
#include "picture.h"

#include "arrays.h"

enum { ALWAYS = 1 << 20, MOST = 1 << 28 };  // pixels

weft_status weft__picture_alloc(const weft_call *c, const char *format, size_t bytes, size_t per_byte,
                                weft_picture *out) {
  uint64_t height = out->height, width = out->width;
  void *p;
  if (height > MOST || width > MOST || height * width > MOST)
    return weft_fail(c->d, WEFT_E_LIMIT, "%s: a picture of %llu x %llu pixels, at most 2^28 are read", format,
                     (unsigned long long)height, (unsigned long long)width);
  if (height * width > ALWAYS && height * width / per_byte > bytes)
    return weft_fail(c->d, WEFT_E_LIMIT,
                     "%s: a picture of %llu x %llu pixels in %zu bytes: at most 2^20 or %zu a byte are read",
                     format, (unsigned long long)height, (unsigned long long)width, bytes, per_byte);
  WEFT_TRY(weft__scratch(c, out->height * out->width * 3 / 8 + 1, &p));
  out->v = p;
  return WEFT_OK;
}

weft_status weft__picture_cut(const weft_call *c, const char *format) {
  return weft_fail(c->d, WEFT_E_TRUNCATED, "%s: the data end before the picture does", format);
}

weft_status weft__picture_absent(const weft_call *c, const char *format, const char *package) {
  return weft_fail(c->d, WEFT_E_UNSUPPORTED,
                   "%s is not built in: install %s and configure weft with -DWEFT_PICTURES=ON", format,
                   package);
}

static weft_status gif(const weft_call *c, weft_bytes file, weft_picture *out) {
  (void)file, (void)out;
  return weft_fail(c->d, WEFT_E_UNSUPPORTED, "GIF pictures are not read");
}

weft_status weft__picture_read(const weft_call *c, weft_bytes file, weft_picture *out) {
  static const struct {
    const char *magic;
    size_t n;
    weft_status (*read)(const weft_call *c, weft_bytes file, weft_picture *out);
  } formats[] = {{"BM", 2, weft__picture_bmp},
                 {"P5", 2, weft__picture_pnm},
                 {"P6", 2, weft__picture_pnm},
                 {"\xff\xd8\xff", 3, weft__picture_jpeg},
                 {"\x89PNG\r\n\x1a\n", 8, weft__picture_png},
                 {"II*\0", 4, weft__picture_tiff},
                 {"MM\0*", 4, weft__picture_tiff},
                 {"II+\0", 4, weft__picture_tiff},
                 {"MM\0+", 4, weft__picture_tiff},
                 {"\0\0\0\x0cjP  ", 8, weft__picture_jp2},
                 {"\xff\x4f\xff\x51", 4, weft__picture_jp2},
                 {"RIFF", 4, weft__picture_webp},
                 {"GIF8", 4, gif}};
  for (size_t k = 0; k < WEFT_COUNT(formats); k++)
    if (file.n >= formats[k].n && !memcmp(file.v, formats[k].magic, formats[k].n))
      return formats[k].read(c, file, out);
  return weft_fail(
      c->d, WEFT_E_UNSUPPORTED,
      "the %zu bytes are no picture of a known format (BMP, PNM, JPEG, PNG, TIFF, JPEG 2000, WebP)", file.n);
}
