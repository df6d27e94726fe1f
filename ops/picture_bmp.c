// picture_bmp.c - BMP of 8, 24 and 32 bits without compression. There is no usual library for it.
#include "picture.h"

static uint32_t picture_bmp_number(const uint8_t *p, size_t n) {
  uint32_t v = 0;
  for (size_t k = 0; k < n; k++)
    v = v << 8 | p[n - 1 - k];
  return v;
}

weft_status weft__picture_bmp(const weft_call *c, weft_bytes f, weft_picture *out) {
  if (f.n < 54)
    return weft__picture_cut(c, "BMP");
  uint32_t begin = picture_bmp_number(f.v + 10, 4);
  uint32_t head = picture_bmp_number(f.v + 14, 4);
  uint32_t width = picture_bmp_number(f.v + 18, 4);
  uint32_t height = picture_bmp_number(f.v + 22, 4);
  uint32_t depth = picture_bmp_number(f.v + 28, 2);
  uint32_t packed = picture_bmp_number(f.v + 30, 4);
  bool down = height >> 31;
  if (down)
    height = 0 - height;
  if (head < 40 || packed || (depth != 8 && depth != 24 && depth != 32)) {
    return weft_fail(c->d, WEFT_E_UNSUPPORTED,
                     "BMP: a header of %u bytes, %u bits, compression %u is not read", head, depth, packed);
  }
  size_t row = ((size_t)width * depth + 31) / 32 * 4;
  size_t colors = 14 + (size_t)head;
  if (begin > f.n || (height && row > (f.n - begin) / height))
    return weft__picture_cut(c, "BMP");
  out->height = height;
  out->width = width;
  out->channels = depth == 32 ? 4 : 3;
  WEFT_TRY(weft__picture_alloc(c, "BMP", f.n, 1, out));
  size_t work = 0;
  for (size_t y = 0; y < height; y++) {
    WEFT_TRY(weft__poll_work(c, &work, width));
    for (size_t x = 0; x < width; x++) {
      const uint8_t *p = f.v + begin + (down ? y : height - 1 - y) * row + x * (depth / 8);
      if (depth == 8) {
        if (colors + 4 * (size_t)*p + 4 > f.n)
          return weft__picture_cut(c, "BMP");
        p = f.v + colors + 4 * (size_t)*p;
      }
      for (size_t e = 0; e < 3; e++)
        out->v[3 * (y * width + x) + e] = p[2 - e];
    }
  }
  return WEFT_OK;
}
// SPDX-License-Identifier: Apache-2.0
