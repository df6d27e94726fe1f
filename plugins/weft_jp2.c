// weft_jp2.c - JPEG 2000 (JP2 files and bare codestreams) by OpenJPEG: grey or RGB, up to 16 bits a
// sample. OpenJPEG cannot be stopped: where somebody may want to, a large picture is decoded in windows, each
// as a picture of its own, which costs about half as much again. The library allocates for what the size
// marker claims - tiles, components, pixels - so that claims are compared with the file before it sees them.
#include "picture.h"

#include <openjpeg.h>

static const char name[] = "JPEG 2000";
enum { PIXELS_A_BYTE = 1024, MOST_COMPONENTS = 4, TILE_BYTES = 14, BUFFER_BYTES = 1 << 16, MESSAGE = 160 };
enum { WINDOW = 512 };

typedef struct jp2 {
  const weft_plugin_call *c;
  weft_bytes file;
  size_t at, begin;  // of reading; of the codestream
  uint32_t tile_width, tile_height, components;
  uint64_t tiles;
  uint32_t layers;
  double precincts;    // of a tile and component
  char text[MESSAGE];  // the first error
} jp2;

static uint32_t be(const uint8_t *p, size_t n) {
  uint32_t v = 0;
  for (size_t k = 0; k < n; k++)
    v = v << 8 | p[k];
  return v;
}

// Where the codestream begins: behind the header of the box 'jp2c'.
static weft_status find_codestream(const jp2 *j, size_t *out) {
  weft_bytes f = j->file;
  *out = 0;
  if (f.v[0])
    return WEFT_OK;
  for (size_t at = 0; f.n - at >= 8;) {
    size_t n = be(f.v + at, 4);
    if (!memcmp(f.v + at + 4, "jp2c", 4)) {
      *out = at + 8;
      if (n != 1)
        return WEFT_OK;
    }
    if (n < 8) {
      return j->c->fail(j->c->ctx, WEFT_E_UNSUPPORTED,
                        "%s: the box at byte %zu has a size of 64 bits or none", name, at);
    }
    if (n > f.n - at)
      break;
    at += n;
  }
  return picture_cut(j->c, name);
}

// The size marker, which comes first: its numbers are those the library will go by.
static weft_status check_size(jp2 *j, weft_picture *out) {
  WEFT_TRY(find_codestream(j, &j->begin));
  size_t at = j->begin;
  if (j->file.n < 42 || at > j->file.n - 42)
    return picture_cut(j->c, name);
  const uint8_t *p = j->file.v + at;
  if (memcmp(p, "\xff\x4f\xff\x51", 4))
    return j->c->fail(j->c->ctx, WEFT_E_CORRUPT, "%s: the size marker is not first in the codestream", name);
  // width, height, their offset, of a tile, its offset
  uint32_t v[8];
  uint32_t components = be(p + 40, 2);
  for (size_t k = 0; k < 8; k++)
    v[k] = be(p + 8 + 4 * k, 4);
  if (v[0] <= v[2] || v[1] <= v[3] || !v[4] || !v[5] || v[6] > v[2] || v[7] > v[3])
    return j->c->fail(j->c->ctx, WEFT_E_CORRUPT, "%s: a size marker that makes no picture", name);
  out->width = v[0] - v[2];
  out->height = v[1] - v[3];
  uint64_t tiles =
      ((uint64_t)(v[0] - v[6]) + v[4] - 1) / v[4] * (((uint64_t)(v[1] - v[7]) + v[5] - 1) / v[5]);
  j->tile_width = WEFT_MIN(v[4], v[0] - v[2]);
  j->tile_height = WEFT_MIN(v[5], v[1] - v[3]);
  j->tiles = tiles;
  j->components = components;
  if (tiles > j->file.n / TILE_BYTES)
    return picture_cut(j->c, name);
  if (!components || components > MOST_COMPONENTS) {
    return j->c->fail(j->c->ctx, WEFT_E_UNSUPPORTED, "%s: %u components, 1 to %d are read", name, components,
                      MOST_COMPONENTS);
  }
  return j->c->room(j->c->ctx, PIXELS_A_BYTE, out);
}

// Whether a marker is one of those with a length that may stand in a header (ISO 15444-1, A.2): CAP, COD,
// COC, TLM, PLM, PLT, CPF, QCD, QCC, RGN, POC, PPM, PPT, CRG, COM.
static bool is_header_marker(uint32_t m) {
  static const uint8_t kinds[] = {0x50, 0x52, 0x53, 0x55, 0x57, 0x58, 0x59, 0x5c,
                                  0x5d, 0x5e, 0x5f, 0x60, 0x61, 0x63, 0x64};
  return m >> 8 == 0xff && memchr(kinds, (int)(m & 0xff), sizeof kinds);
}

// A coding style (COD, or COC without layers): notes the greatest counts. The offsets of precincts are left
// out: there may be some more.
static weft_status note_style(jp2 *j, const uint8_t *p, uint32_t n) {
  bool all = p[1] == 0x52;
  if (n < (all ? 12 : 9))
    return picture_cut(j->c, name);
  uint32_t layers = all ? be(p + 6, 2) : 1;
  uint32_t levels = p[all ? 9 : 6];
  uint32_t own = p[all ? 4 : 5] & 1;
  const uint8_t *sizes = p + (all ? 14 : 11);  // two powers of two for each resolution, from the smallest
  if (levels > 32 || (own && n < (all ? 13 : 10) + levels))
    return picture_cut(j->c, name);
  double precincts = 0;  // of a tile and component
  for (uint32_t r = 0; r <= levels; r++) {
    double shrink = (double)(UINT64_C(1) << (levels - r));
    uint32_t power = own ? sizes[r] : 0xff;
    double wide = j->tile_width / shrink / (double)(UINT64_C(1) << (power & 15));
    double high = j->tile_height / shrink / (double)(UINT64_C(1) << (power >> 4));
    precincts += WEFT_MAX(wide, 1) * WEFT_MAX(high, 1);
  }
  j->precincts = WEFT_MAX(j->precincts, precincts);
  j->layers = WEFT_MAX(j->layers, layers);
  return WEFT_OK;
}

// From *at to the marker that ends the header. Not `main`: the header of a tile, which may not change the
// coding style: what packets there are is computed from the main header.
static weft_status skip_header(jp2 *j, size_t *at, uint32_t end, bool main) {
  weft_bytes f = j->file;
  while (*at <= f.n && f.n - *at >= 4) {
    uint32_t marker = be(f.v + *at, 2);
    uint32_t n = be(f.v + *at + 2, 2);
    if (marker == end)
      return WEFT_OK;
    if (!main && (marker == 0xff52 || marker == 0xff53))
      return j->c->fail(j->c->ctx, WEFT_E_UNSUPPORTED, "%s: a tile with a coding style of its own", name);
    if (!is_header_marker(marker) || n < 2) {
      return j->c->fail(j->c->ctx, WEFT_E_CORRUPT, "%s: byte %zu: marker %04x of %u bytes in a header", name,
                        *at, marker, n);
    }
    if (n > f.n - *at - 2)
      break;
    if (marker == 0xff52 || marker == 0xff53)
      WEFT_TRY(note_style(j, f.v + *at, n));
    *at += 2 + (size_t)n;
  }
  return picture_cut(j->c, name);
}

static weft_status check_markers(jp2 *j) {
  weft_bytes f = j->file;
  size_t at = j->begin + 4;
  at += be(f.v + at, 2);
  WEFT_TRY(skip_header(j, &at, 0xff90, true));
  double packets = j->precincts * (double)j->tiles * j->components * j->layers;
  if (packets > (double)f.n)
    return j->c->fail(j->c->ctx, WEFT_E_TRUNCATED, "%s: %.0f packets in %zu bytes", name, packets, f.n);
  while (f.n - at >= TILE_BYTES && be(f.v + at, 2) == 0xff90) {
    size_t part = be(f.v + at + 6, 4);
    size_t data = at + 12;
    if (be(f.v + at + 2, 2) != 10 || (part && part < TILE_BYTES) || part > f.n - at) {
      return j->c->fail(j->c->ctx, WEFT_E_CORRUPT, "%s: byte %zu: a tile part of %zu bytes, %zu are left",
                        name, at, part, f.n - at);
    }
    WEFT_TRY(skip_header(j, &data, 0xff93, false));
    if (!part)
      return WEFT_OK;  // to the end
    if (data - at > part)
      return picture_cut(j->c, name);
    at += part;
  }
  if (f.n - at < 2)
    return picture_cut(j->c, name);
  if (be(f.v + at, 2) != 0xffd9) {
    return j->c->fail(j->c->ctx, WEFT_E_CORRUPT, "%s: byte %zu: marker %04x between tiles", name, at,
                      be(f.v + at, 2));
  }
  return WEFT_OK;
}

// ---- what the library calls ----
static OPJ_SIZE_T weft_jp2_read_bytes(void *to, OPJ_SIZE_T n, void *user) {
  jp2 *j = user;
  size_t got = WEFT_MIN(n, j->file.n - j->at);
  if (!got)
    return (OPJ_SIZE_T)-1;
  memcpy(to, j->file.v + j->at, got);
  j->at += got;
  return got;
}
static OPJ_OFF_T skip(OPJ_OFF_T n, void *user) {
  jp2 *j = user;
  if (n < 0 || (uint64_t)n > j->file.n - j->at)
    return -1;
  j->at += (size_t)n;
  return n;
}
static OPJ_BOOL seek(OPJ_OFF_T to, void *user) {
  jp2 *j = user;
  if (to < 0 || (uint64_t)to > j->file.n)
    return OPJ_FALSE;
  j->at = (size_t)to;
  return OPJ_TRUE;
}
static void weft_jp2_on_error(const char *text, void *user) {
  jp2 *j = user;
  size_t n = strcspn(text, "\r\n");
  if (!j->text[0])
    snprintf(j->text, sizeof j->text, "%.*s", (int)WEFT_MIN(n, MESSAGE - 1), text);
}
static void on_message(const char *text, void *user) {
  (void)text;
  (void)user;
}

// ---- samples ----
// A part of the picture, from its corner on.
typedef struct jp2_window {
  size_t x, y, width, height;
} jp2_window;

static weft_status check_image(const jp2 *j, const opj_image_t *image, const jp2_window *part) {
  OPJ_COLOR_SPACE s = image->color_space;
  if (s != OPJ_CLRSPC_SRGB && s != OPJ_CLRSPC_GRAY && s != OPJ_CLRSPC_UNSPECIFIED &&
      s != OPJ_CLRSPC_UNKNOWN) {
    return j->c->fail(j->c->ctx, WEFT_E_UNSUPPORTED, "%s: color space %d, only grey and RGB are read", name,
                      (int)s);
  }
  for (size_t k = 0; k < image->numcomps && k < 3; k++) {
    const opj_image_comp_t *p = &image->comps[k];
    if (p->w != part->width || p->h != part->height || p->prec < 1 || p->prec > 16) {
      return j->c->fail(j->c->ctx, WEFT_E_UNSUPPORTED,
                        "%s: component %zu is %u x %u of %u bits, expected %zu x %zu of at most 16", name, k,
                        p->h, p->w, p->prec, part->height, part->width);
    }
    if (!p->data)
      return j->c->fail(j->c->ctx, WEFT_E_CORRUPT, "%s: component %zu has no samples", name, k);
  }
  return WEFT_OK;
}

static void copy_row(const opj_image_comp_t *p, const int32_t *from, size_t n, uint8_t *to) {
  int64_t most = (INT64_C(1) << p->prec) - 1;
  int64_t base = p->sgnd ? INT64_C(1) << (p->prec - 1) : 0;
  for (size_t i = 0; i < n; i++) {
    int64_t v = WEFT_MAX(0, WEFT_MIN(from[i] + base, most));
    to[3 * i] = (uint8_t)(p->prec > 8 ? v >> (p->prec - 8) : v * 255 / most);
  }
}

static void weft_jp2_copy(const opj_image_t *image, const jp2_window *part, weft_picture *out) {
  for (size_t e = 0; e < 3; e++) {
    const opj_image_comp_t *p = &image->comps[image->numcomps >= 3 ? e : 0];
    for (size_t y = 0; y < part->height; y++) {
      size_t to = (part->y + y) * out->width + part->x;
      copy_row(p, p->data + y * part->width, part->width, out->v + 3 * to + e);
    }
  }
}

// False: it lies outside of what the library can address.
static bool set_window(opj_codec_t *codec, opj_image_t *image, const jp2_window *part,
                       const weft_picture *out) {
  if (part->width == out->width && part->height == out->height)
    return true;
  // from the corner of the picture's grid
  int64_t x = (int64_t)image->x0 + (int64_t)part->x;
  int64_t y = (int64_t)image->y0 + (int64_t)part->y;
  int64_t right = x + (int64_t)part->width;
  int64_t bottom = y + (int64_t)part->height;
  if (right > INT32_MAX || bottom > INT32_MAX)
    return false;
  return opj_set_decode_area(codec, image, (int32_t)x, (int32_t)y, (int32_t)right, (int32_t)bottom);
}

static weft_status weft_jp2_decode(jp2 *j, opj_codec_t *codec, opj_stream_t *stream, const jp2_window *part,
                                   weft_picture *out) {
  opj_dparameters_t how;
  opj_image_t *image = NULL;
  opj_set_default_decoder_parameters(&how);
  opj_set_error_handler(codec, weft_jp2_on_error, j);
  opj_set_warning_handler(codec, on_message, j);
  opj_set_info_handler(codec, on_message, j);
  opj_stream_set_user_data(stream, j, NULL);
  opj_stream_set_user_data_length(stream, j->file.n);
  opj_stream_set_read_function(stream, weft_jp2_read_bytes);
  opj_stream_set_skip_function(stream, skip);
  opj_stream_set_seek_function(stream, seek);
  weft_status s = WEFT_OK;
  bool good = opj_setup_decoder(codec, &how) && opj_read_header(stream, codec, &image);
  bool whole = part->height == out->height && part->width == out->width;
  good = good && set_window(codec, image, part, out) && opj_decode(codec, stream, image);
  if (!good || (whole && !opj_end_decompress(codec, stream)))
    s = j->c->fail(j->c->ctx, WEFT_E_CORRUPT, "%s: %s", name, j->text[0] ? j->text : "the data are damaged");
  if (!s)
    s = check_image(j, image, part);
  if (!s)
    weft_jp2_copy(image, part, out);
  opj_image_destroy(image);
  return s;
}

static weft_status read_window(jp2 *j, const jp2_window *part, weft_picture *out) {
  const weft_plugin_call *c = j->c;
  WEFT_TRY(weft_plugin_poll(c));
  j->at = 0;
  opj_codec_t *codec = opj_create_decompress(j->file.v[0] ? OPJ_CODEC_J2K : OPJ_CODEC_JP2);
  opj_stream_t *stream = opj_stream_create(BUFFER_BYTES, OPJ_TRUE);
  weft_status s = codec && stream ? weft_jp2_decode(j, codec, stream, part, out)
                                  : c->fail(c->ctx, WEFT_E_NOMEM, "%s: no memory for the decoder", name);
  opj_stream_destroy(stream);
  opj_destroy_codec(codec);
  return s;
}

static weft_status read_jp2(const weft_plugin_call *c, weft_bytes file, weft_picture *out) {
  jp2 j = {.c = c, .file = file};
  WEFT_TRY(check_size(&j, out));
  WEFT_TRY(check_markers(&j));
  size_t width = c->poll ? WINDOW : out->width;
  size_t height = c->poll ? WINDOW : out->height;
  for (size_t y = 0; y < out->height; y += height) {
    for (size_t x = 0; x < out->width; x += width) {
      const jp2_window part = {x, y, WEFT_MIN(width, out->width - x), WEFT_MIN(height, out->height - y)};
      WEFT_TRY(read_window(&j, &part, out));
    }
  }
  return WEFT_OK;
}

PICTURE_PLUGIN("weft_jp2", read_jp2);
// SPDX-License-Identifier: Apache-2.0
