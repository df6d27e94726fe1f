// picture.c - which format a file has, and the formats without compression: BMP of 8, 24 and 32 bits, PNM
// (P5, P6), TIFF of 8-bit grey or RGB.
#include "picture.h"

#include "arrays.h"

weft_status weft__picture_alloc(const weft_call *c, const char *format, uint64_t most, weft_picture *out) {
  uint64_t height = out->height, width = out->width;
  void *p;
  if (height > 1u << 28 || width > 1u << 28 || height * width > 1u << 28)
    return weft_fail(c->d, WEFT_E_LIMIT, "a picture of %llu x %llu pixels, at most 2^28 are read",
                     (unsigned long long)height, (unsigned long long)width);
  if (height * width > most) return weft__picture_cut(c, format);  // a small file asks for little memory
  WEFT_TRY(weft__scratch(c, out->height * out->width * 3 / 8 + 1, &p));
  out->v = p;
  return WEFT_OK;
}

weft_status weft__picture_cut(const weft_call *c, const char *format) {
  return weft_fail(c->d, WEFT_E_TRUNCATED, "%s: the data end before the picture does", format);
}

static uint32_t number(const uint8_t *p, size_t n, bool big) {
  uint32_t v = 0;
  for (size_t k = 0; k < n; k++) v = v << 8 | p[big ? k : n - 1 - k];
  return v;
}

// ---- BMP ----
static weft_status bmp(const weft_call *c, weft_bytes f, weft_picture *out) {
  if (f.n < 54) return weft__picture_cut(c, "BMP");
  uint32_t begin = number(f.v + 10, 4, false), head = number(f.v + 14, 4, false),
           width = number(f.v + 18, 4, false);
  uint32_t height = number(f.v + 22, 4, false), depth = number(f.v + 28, 2, false),
           packed = number(f.v + 30, 4, false);
  bool down = height >> 31;
  if (down) height = 0 - height;
  if (head < 40 || packed || (depth != 8 && depth != 24 && depth != 32))
    return weft_fail(c->d, WEFT_E_UNSUPPORTED,
                     "BMP: a header of %u bytes, %u bits, compression %u is not read", head, depth, packed);
  out->height = height, out->width = width;
  WEFT_TRY(weft__picture_alloc(c, "BMP", f.n, out));
  size_t row = ((size_t)width * depth + 31) / 32 * 4, colors = 14 + (size_t)head;
  if (begin > f.n || (height && row > (f.n - begin) / height)) return weft__picture_cut(c, "BMP");
  for (size_t y = 0; y < height; y++)
    for (size_t x = 0; x < width; x++) {
      const uint8_t *p = f.v + begin + (down ? y : height - 1 - y) * row + x * (depth / 8);
      if (depth == 8) {
        if (colors + 4 * (size_t)*p + 4 > f.n) return weft__picture_cut(c, "BMP");
        p = f.v + colors + 4 * (size_t)*p;
      }
      for (size_t e = 0; e < 3; e++) out->v[3 * (y * width + x) + e] = p[2 - e];
    }
  return WEFT_OK;
}

// ---- PNM ----
static bool pnm_number(weft_bytes f, size_t *at, uint32_t *out) {
  for (; *at < f.n; ++*at) {
    if (f.v[*at] == '#')
      while (*at < f.n && f.v[*at] != '\n') ++*at;
    else if (!memchr(" \t\r\n", f.v[*at], 4))
      break;
    if (*at == f.n) return false;
  }
  size_t first = *at;
  for (*out = 0; *at < f.n && f.v[*at] >= '0' && f.v[*at] <= '9' && *out < 100000000; ++*at)
    *out = *out * 10 + f.v[*at] - '0';
  return *at > first;
}

static weft_status pnm(const weft_call *c, weft_bytes f, weft_picture *out) {
  uint32_t width, height, most;
  size_t at = 2, each = f.v[1] == '6' ? 3 : 1;
  if (!pnm_number(f, &at, &width) || !pnm_number(f, &at, &height) || !pnm_number(f, &at, &most) ||
      at++ >= f.n)
    return weft__picture_cut(c, "PNM");
  if (!most || most > 255)
    return weft_fail(c->d, WEFT_E_UNSUPPORTED, "PNM: samples up to %u are not read, only up to 255", most);
  out->height = height, out->width = width;
  WEFT_TRY(weft__picture_alloc(c, "PNM", f.n, out));
  size_t pixels = out->height * out->width;
  if (pixels * each > f.n - at) return weft__picture_cut(c, "PNM");
  for (size_t i = 0; i < 3 * pixels; i++) {
    uint32_t v = f.v[at + (each == 3 ? i : i / 3)];
    out->v[i] = (uint8_t)(v >= most ? 255 : (v * 255 + most / 2) / most);
  }
  return WEFT_OK;
}

// ---- TIFF ----
typedef struct tiff {
  weft_bytes f;
  bool big;
  uint32_t width, height, bits, packed, color, samples, rows, planar;
  size_t strips, n_strips, strip_bytes, sizes, n_sizes, size_bytes;  // lists: place, count, bytes of an entry
} tiff;

static bool tiff_list(const tiff *t, const uint8_t *entry, size_t *out_at, size_t *out_n, size_t *out_bytes) {
  uint32_t type = number(entry + 2, 2, t->big), n = number(entry + 4, 4, t->big);
  *out_bytes = type == 3 ? 2 : type == 1 ? 1 : 4, *out_n = n;
  size_t inside = (size_t)(entry + 8 - t->f.v);
  *out_at = n <= 4 / *out_bytes ? inside : number(entry + 8, 4, t->big);
  return *out_at <= t->f.n && n <= (t->f.n - *out_at) / *out_bytes;
}

static bool tiff_entry(tiff *t, const uint8_t *entry) {
  size_t at, n, bytes;
  uint32_t tag = number(entry, 2, t->big), *to;
  if (tag == 273) return tiff_list(t, entry, &t->strips, &t->n_strips, &t->strip_bytes);
  if (tag == 279) return tiff_list(t, entry, &t->sizes, &t->n_sizes, &t->size_bytes);
  switch (tag) {
    case 256:
      to = &t->width;
      break;
    case 257:
      to = &t->height;
      break;
    case 258:
      to = &t->bits;
      break;
    case 259:
      to = &t->packed;
      break;
    case 262:
      to = &t->color;
      break;
    case 277:
      to = &t->samples;
      break;
    case 278:
      to = &t->rows;
      break;
    case 284:
      to = &t->planar;
      break;
    default:
      return true;
  }
  if (!tiff_list(t, entry, &at, &n, &bytes) || !n) return false;
  *to = number(t->f.v + at, bytes, t->big);
  return true;
}

static weft_status tiff_rows(const weft_call *c, const tiff *t, weft_picture *out) {
  size_t row = (size_t)t->width * t->samples;
  for (size_t y = 0; y < t->height; y++) {
    size_t strip = y / t->rows, within = y % t->rows;
    if (strip >= t->n_strips) return weft__picture_cut(c, "TIFF");
    size_t at = number(t->f.v + t->strips + strip * t->strip_bytes, t->strip_bytes, t->big);
    if (at > t->f.n || within >= (t->f.n - at) / WEFT_MAX(row, 1)) return weft__picture_cut(c, "TIFF");
    const uint8_t *p = t->f.v + at + within * row;
    for (size_t x = 0; x < t->width; x++)
      for (size_t e = 0; e < 3; e++) {
        uint8_t v = p[x * t->samples + (t->samples >= 3 ? e : 0)];
        out->v[3 * (y * t->width + x) + e] = t->color ? v : (uint8_t)(255 - v);
      }
  }
  return WEFT_OK;
}

static weft_status tiff_read(const weft_call *c, weft_bytes f, weft_picture *out) {
  tiff t = {
      .f = f, .big = f.v[0] == 'M', .bits = 1, .packed = 1, .samples = 1, .rows = UINT32_MAX, .planar = 1};
  if (f.n < 8) return weft__picture_cut(c, "TIFF");
  size_t at = number(f.v + 4, 4, t.big), n;
  if (at > f.n || f.n - at < 2) return weft__picture_cut(c, "TIFF");
  n = number(f.v + at, 2, t.big), at += 2;
  if (n > (f.n - at) / 12) return weft__picture_cut(c, "TIFF");
  for (size_t k = 0; k < n; k++)
    if (!tiff_entry(&t, f.v + at + 12 * k)) return weft__picture_cut(c, "TIFF");
  bool grey = t.color <= 1 && t.samples >= 1 && t.samples <= 2,
       rgb = t.color == 2 && t.samples >= 3 && t.samples <= 4;
  if (t.bits != 8 || t.packed != 1 || t.planar != 1 || (!grey && !rgb))
    return weft_fail(c->d, WEFT_E_UNSUPPORTED,
                     "TIFF: %u samples of %u bits, compression %u, photometric %u, planes %u is not read",
                     t.samples, t.bits, t.packed, t.color, t.planar);
  if (!t.rows) return weft_fail(c->d, WEFT_E_CORRUPT, "TIFF: strips of 0 rows");
  out->height = t.height, out->width = t.width;
  WEFT_TRY(weft__picture_alloc(c, "TIFF", f.n, out));
  return tiff_rows(c, &t, out);
}

weft_status weft__picture_read(const weft_call *c, weft_bytes f, weft_picture *out) {
  static const struct {
    const char *magic;
    size_t n;
    const char *name;
  } others[] = {{"\xff\xd8\xff", 3, "JPEG"},
                {"\0\0\0\x0cjP  ", 8, "JPEG 2000"},
                {"RIFF", 4, "WebP"},
                {"GIF8", 4, "GIF"}};
  if (f.n >= 8 && !memcmp(f.v, "\x89PNG\r\n\x1a\n", 8)) return weft__picture_png(c, f, out);
  if (f.n >= 2 && !memcmp(f.v, "BM", 2)) return bmp(c, f, out);
  if (f.n >= 3 && (!memcmp(f.v, "P5", 2) || !memcmp(f.v, "P6", 2))) return pnm(c, f, out);
  if (f.n >= 4 && (!memcmp(f.v, "II*\0", 4) || !memcmp(f.v, "MM\0*", 4))) return tiff_read(c, f, out);
  for (size_t k = 0; k < WEFT_COUNT(others); k++)
    if (f.n >= others[k].n && !memcmp(f.v, others[k].magic, others[k].n))
      return weft_fail(c->d, WEFT_E_UNSUPPORTED, "%s pictures are not read", others[k].name);
  return weft_fail(c->d, WEFT_E_UNSUPPORTED,
                   "the data are no picture of a known format (BMP, PNM, TIFF, PNG)");
}
