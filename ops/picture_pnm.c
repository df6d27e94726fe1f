// picture_pnm.c - PNM with binary samples of 8 bits: P5 (grey) and P6 (color). There is no usual library for
// it.
#include "picture.h"

enum { PNM_WIDTH, PNM_HEIGHT, PNM_LARGEST, PNM_NUMBERS };  // of the header, behind its two letters

static bool picture_pnm_is_space(uint8_t v) {
  return memchr(" \t\r\n", v, 4) != NULL;
}
static bool picture_pnm_is_digit(uint8_t v) {
  return v >= '0' && v <= '9';
}

// White space, and comments from a '#' to the end of their line.
static size_t picture_pnm_skip(weft_bytes f, size_t at) {
  bool in_comment = false;
  for (; at < f.n; at++) {
    if (f.v[at] == '#')
      in_comment = true;
    if (!in_comment && !picture_pnm_is_space(f.v[at]))
      break;
    if (f.v[at] == '\n')
      in_comment = false;
  }
  return at;
}

// Digits that would lead far above any size are left to whoever reads on. False: there is none.
static bool picture_pnm_number(weft_bytes f, size_t *at, uint32_t *out) {
  enum { FAR = 100000000 };
  const size_t first = *at = picture_pnm_skip(f, *at);
  *out = 0;
  for (; *at < f.n && picture_pnm_is_digit(f.v[*at]) && *out < FAR; ++*at)
    *out = *out * 10 + f.v[*at] - '0';
  return *at > first;
}

// One byte separates the header from the samples, which begin at *out_samples.
static bool picture_pnm_header(weft_bytes f, uint32_t number[PNM_NUMBERS], size_t *out_samples) {
  size_t at = 2;
  for (int i = 0; i < PNM_NUMBERS; i++) {
    if (!picture_pnm_number(f, &at, &number[i]))
      return false;
  }
  *out_samples = at + 1;
  return at < f.n;
}

weft_status weft__picture_pnm(const weft_call *c, weft_bytes f, weft_picture *out) {
  uint32_t number[PNM_NUMBERS];
  size_t at;
  const size_t each = f.v[1] == '6' ? 3 : 1;
  if (!picture_pnm_header(f, number, &at))
    return weft__picture_cut(c, "PNM");
  const uint32_t most = number[PNM_LARGEST];
  if (!most || most > 255)
    return weft_fail(c->d, WEFT_E_UNSUPPORTED, "PNM: samples up to %u are not read, only up to 255", most);
  if ((uint64_t)number[PNM_WIDTH] * number[PNM_HEIGHT] > (f.n - at) / each)
    return weft__picture_cut(c, "PNM");

  out->height = number[PNM_HEIGHT];
  out->width = number[PNM_WIDTH];
  out->channels = (uint8_t)each;
  WEFT_TRY(weft__picture_alloc(c, "PNM", f.n, 1, out));
  for (size_t i = 0; i < 3 * out->height * out->width; i++) {
    WEFT_TRY(weft__poll_at(c, i));
    const uint32_t v = f.v[at + (each == 3 ? i : i / 3)];
    out->v[i] = (uint8_t)(v >= most ? 255 : (v * 255 + most / 2) / most);
  }
  return WEFT_OK;
}
// SPDX-License-Identifier: Apache-2.0
