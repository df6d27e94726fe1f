// weft_webp.c - WebP pictures (one frame) by libwebp. One color needs no bits at all in the lossless form,
// so that what a file can hold is a choice of ours.
#include "picture.h"

#include <webp/decode.h>

enum { PIXELS_A_BYTE = 4096, PIECE = 1 << 15 };  // PIECE: bytes of a file that are decoded at once

static weft_status weft_webp_failed(const weft_plugin_call *c, VP8StatusCode code) {
  switch (code) {
    case VP8_STATUS_NOT_ENOUGH_DATA:
    case VP8_STATUS_SUSPENDED:
      return picture_cut(c, "WebP");
    case VP8_STATUS_OUT_OF_MEMORY:
      return c->fail(c->ctx, WEFT_E_NOMEM, "WebP: no memory");
    case VP8_STATUS_UNSUPPORTED_FEATURE:
      return c->fail(c->ctx, WEFT_E_UNSUPPORTED, "WebP: a form that libwebp does not read");
    default:
      return c->fail(c->ctx, WEFT_E_CORRUPT, "WebP: the data are damaged (libwebp's code %d)", (int)code);
  }
}

// Piece by piece, so that somebody can stop it in between. The data lie in memory as a whole.
static weft_status decode_pieces(const weft_plugin_call *c, weft_bytes file, WebPDecoderConfig *config) {
  WebPIDecoder *decoder = WebPIDecode(NULL, 0, config);
  if (!decoder)
    return weft_webp_failed(c, VP8_STATUS_OUT_OF_MEMORY);
  VP8StatusCode code = VP8_STATUS_SUSPENDED;
  weft_status s = WEFT_OK;
  for (size_t n = 0; !s && n < file.n && code == VP8_STATUS_SUSPENDED;) {
    n += WEFT_MIN(file.n - n, PIECE);
    s = weft_plugin_poll(c);
    if (!s)
      code = WebPIUpdate(decoder, file.v, n);
  }
  WebPIDelete(decoder);
  return s || !code ? s : weft_webp_failed(c, code);
}

static weft_status read_webp(const weft_plugin_call *c, weft_bytes file, weft_picture *out) {
  WebPDecoderConfig config;
  if (!WebPInitDecoderConfig(&config))
    return c->fail(c->ctx, WEFT_E_UNSUPPORTED, "WebP: libwebp has another version than weft was built with");
  VP8StatusCode code = WebPGetFeatures(file.v, file.n, &config.input);
  if (code)
    return weft_webp_failed(c, code);
  if (config.input.has_animation)
    return c->fail(c->ctx, WEFT_E_UNSUPPORTED, "WebP: animations are not read");
  out->height = (size_t)config.input.height;
  out->width = (size_t)config.input.width;
  WEFT_TRY(c->room(c->ctx, PIXELS_A_BYTE, out));
  config.output.colorspace = MODE_RGB;
  config.output.is_external_memory = 1;
  config.output.u.RGBA.rgba = out->v;
  config.output.u.RGBA.stride = 3 * config.input.width;
  config.output.u.RGBA.size = 3 * out->width * out->height;
  weft_status s = decode_pieces(c, file, &config);
  WebPFreeDecBuffer(&config.output);
  return s;
}

PICTURE_PLUGIN("weft_webp", read_webp);
// SPDX-License-Identifier: Apache-2.0
