// picture_pnm.c - PNM with binary samples of 8 bits: P5 (grey) and P6 (color). There is no usual library for
// it.
#include "picture.h"

static bool picture_pnm_read_number(weft_bytes f, size_t *at, uint32_t *out) {
  for (; *at < f.n; ++*at) {
    if (f.v[*at] == '#') {
      while (*at < f.n && f.v[*at] != '\n')
        ++*at;
    } else if (!memchr(" \t\r\n", f.v[*at], 4))
      break;
    if (*at == f.n)
      return false;
  }
  size_t first = *at;
  for (*out = 0; *at < f.n && f.v[*at] >= '0' && f.v[*at] <= '9' && *out < 100000000; ++*at)
    *out = *out * 10 + f.v[*at] - '0';
  return *at > first;
}

weft_status weft__picture_pnm(const weft_call *c, weft_bytes f, weft_picture *out) {
  uint32_t width;
  uint32_t height;
  uint32_t most;
  size_t at = 2;
  size_t each = f.v[1] == '6' ? 3 : 1;
  if (!picture_pnm_read_number(f, &at, &width) || !picture_pnm_read_number(f, &at, &height) ||
      !picture_pnm_read_number(f, &at, &most) || at++ >= f.n)
    return weft__picture_cut(c, "PNM");
  if (!most || most > 255)
    return weft_fail(c->d, WEFT_E_UNSUPPORTED, "PNM: samples up to %u are not read, only up to 255", most);
  if ((uint64_t)width * height > (f.n - at) / each)
    return weft__picture_cut(c, "PNM");
  out->height = height;
  out->width = width;
  out->channels = (uint8_t)each;
  WEFT_TRY(weft__picture_alloc(c, "PNM", f.n, 1, out));
  for (size_t i = 0; i < 3 * out->height * out->width; i++) {
    WEFT_TRY(weft__poll_at(c, i));
    uint32_t v = f.v[at + (each == 3 ? i : i / 3)];
    out->v[i] = (uint8_t)(v >= most ? 255 : (v * 255 + most / 2) / most);
  }
  return WEFT_OK;
}
// SPDX-License-Identifier: Apache-2.0
