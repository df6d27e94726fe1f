// ops/image/decode_pictures.c - the picture in a string.   AscendIR DecodeJpeg, DecodeAndCropJpeg, DecodePng,
// DecodeBmp, DecodeImage, as TensorFlow has them: each reads every format that weft reads (picture.h), of 8
// bits a channel. `channels` 3 is red, green, blue; 1 is gray, of a file that is gray; 0 is what the file
// has,
// where that is one of these. DecodeImage gives f32 between 0 and 1, too.
#include "air_slots.h"
#include "lists.h"
#include "op/air_rows.h"
#include "picture.h"

enum { CROP_WINDOW = 1, CROP_NUMBERS = 4 };

typedef struct picture_use {  // where an operator keeps its attributes; -1: it has none
  int channels, ratio, layout, dtype;
  bool crops;
} picture_use;

static bool pictures_planar(const weft_op_desc *n) {
  const picture_use *use = n->op->user;
  return use->layout >= 0 && !strcmp(weft_node_str(n, (uint32_t)use->layout), "CHW");
}

static weft_status pictures_dims(const weft_op_desc *n, weft_diag *d, weft_dim height, weft_dim width,
                                 weft_dim channels, weft_shape *out) {
  const bool planar = pictures_planar(n);
  const weft_dim dims[3] = {planar ? channels : height, planar ? height : width, planar ? width : channels};
  return weft_shape_init(out, dims, 3) ? weft_fail(d, WEFT_E_SHAPE, "a picture's shape") : WEFT_OK;
}

static weft_status pictures_channels(const weft_op_desc *n, weft_diag *d, weft_dim *out) {
  const picture_use *use = n->op->user;
  const int64_t asked = weft_node_int(n, (uint32_t)use->channels);
  *out = asked ? asked : -1;
  if (asked == 0 || asked == 1 || asked == 3)
    return WEFT_OK;
  return weft_fail(d, WEFT_E_UNSUPPORTED, "attribute 'channels': 0, 1 and 3 are given, not %lld",
                   (long long)asked);
}

static weft_status pictures_infer(weft_infer *it) {
  const picture_use *use = it->desc->op->user;
  weft_dim channels;
  WEFT_TRY(weft__expect_rank(it, 0, 0, 0));
  WEFT_TRY(pictures_channels(it->desc, it->d, &channels));
  if (use->ratio >= 0 && weft_node_int(it->desc, (uint32_t)use->ratio) != 1) {
    return weft_fail(it->d, WEFT_E_UNSUPPORTED,
                     "attribute 'ratio': pictures are not made smaller here, got %lld",
                     (long long)weft_node_int(it->desc, (uint32_t)use->ratio));
  }
  if (use->dtype >= 0)
    it->out_dtype[0] = weft_node_dtype(it->desc, (uint32_t)use->dtype);
  return pictures_dims(it->desc, it->d, -1, -1, channels, it->out[0]);
}

static weft_status pictures_range(weft_infer *it) {
  weft_dim channels;
  WEFT_TRY(pictures_infer(it));
  WEFT_TRY(pictures_channels(it->desc, it->d, &channels));
  const weft_dim least = channels < 0 ? 1 : channels;
  WEFT_TRY(pictures_dims(it->desc, it->d, 0, 0, least, it->out_min[0]));
  return pictures_dims(it->desc, it->d, -1, -1, channels < 0 ? 3 : channels, it->out_max[0]);
}

typedef struct picture_window {
  size_t y, x, height, width;
} picture_window;

static weft_status pictures_window(const weft_call *c, const weft_picture *p, picture_window *out) {
  const picture_use *use = c->desc->op->user;
  int64_t v[CROP_NUMBERS];
  size_t n;
  *out = (picture_window){0, 0, p->height, p->width};
  if (!use->crops)
    return WEFT_OK;
  WEFT_TRY(weft__read_ints(c, CROP_WINDOW, v, CROP_NUMBERS, &n));
  if (n != CROP_NUMBERS)
    return weft_fail(c->d, WEFT_E_SHAPE, "input 'crop_window': expected y, x, height, width, got %zu numbers",
                     n);
  const int64_t height = (int64_t)p->height;
  const int64_t width = (int64_t)p->width;
  const bool rows = v[0] >= 0 && v[2] > 0 && v[0] <= height && v[2] <= height - v[0];
  const bool columns = v[1] >= 0 && v[3] > 0 && v[1] <= width && v[3] <= width - v[1];
  if (!rows || !columns) {
    return weft_fail(
        c->d, WEFT_E_RANGE,
        "input 'crop_window': [%lld,%lld] and %lld x %lld are not inside a picture of %lld x %lld",
        (long long)v[0], (long long)v[1], (long long)v[2], (long long)v[3], (long long)height,
        (long long)width);
  }
  *out = (picture_window){(size_t)v[0], (size_t)v[1], (size_t)v[2], (size_t)v[3]};
  return WEFT_OK;
}

// How many channels the output has.
static weft_status pictures_depth(const weft_call *c, const weft_picture *p, weft_dim *out) {
  WEFT_TRY(pictures_channels(c->desc, c->d, out));
  if (*out == 3 || *out == p->channels)
    return WEFT_OK;
  if (*out == 1) {
    return weft_fail(c->d, WEFT_E_UNSUPPORTED,
                     "a file of %u channels as gray: give 'channels' 3 and weigh them in the graph",
                     p->channels);
  }
  *out = p->channels;
  if (*out == 1 || *out == 3)
    return WEFT_OK;
  return weft_fail(c->d, WEFT_E_UNSUPPORTED, "a file with alpha and 'channels' 0: alpha is not read, give 3");
}

static void pictures_store(weft_tensor *y, size_t at, uint8_t v) {
  if (y->dtype == WEFT_FLOAT)
    ((float *)y->data)[at] = (float)v / 255.0f;
  else
    ((uint8_t *)y->data)[at] = v;
}

static weft_status pictures_execute(const weft_call *c) {
  const picture_use *use = c->desc->op->user;
  const weft_dtype t = use->dtype < 0 ? WEFT_UINT8 : weft_node_dtype(c->desc, (uint32_t)use->dtype);
  const bool planar = pictures_planar(c->desc);
  const char *text;
  weft_bytes file;
  weft_picture p = {0};
  picture_window w;
  weft_dim channels;
  weft_shape shape;
  if (!c->out[0])
    return WEFT_OK;
  if (t != WEFT_UINT8 && t != WEFT_FLOAT)
    return weft_fail(c->d, WEFT_E_UNSUPPORTED,
                     "attribute 'dtype': pictures have 8 bits a channel here, not %s", weft_dtype_name(t));
  WEFT_TRY(weft_tensor_string(c->in[0], 0, &text, &file.n, c->d));
  file.v = (const uint8_t *)text;
  WEFT_TRY(weft__picture_read(c, file, &p));
  WEFT_TRY(pictures_window(c, &p, &w));
  WEFT_TRY(pictures_depth(c, &p, &channels));
  WEFT_TRY(pictures_dims(c->desc, c->d, (weft_dim)w.height, (weft_dim)w.width, channels, &shape));
  WEFT_TRY(weft__alloc_found(c, 0, t, &shape, &shape));
  const size_t depth = (size_t)channels;
  for (size_t i = 0; i < w.height * w.width; i++) {
    const size_t from = (w.y + i / w.width) * p.width + w.x + i % w.width;
    WEFT_TRY(weft__poll_at(c, i));
    for (size_t e = 0; e < depth; e++)
      pictures_store(c->out[0], planar ? e * w.height * w.width + i : i * depth + e, p.v[3 * from + e]);
  }
  return WEFT_OK;
}

#define DECODE_PICTURE(op_name, says, ...)                                                            \
  .name = op_name, .summary = says, .traits = WEFT_SYMBOLIC | WEFT_DATA_DEPENDENT,                    \
  .infer = pictures_infer, .infer_range = pictures_range, .execute = pictures_execute,                \
  .user = &(const picture_use) {                                                                      \
    __VA_ARGS__                                                                                       \
  }
#define TWO_PIXELS "str[]{\"P6 2 1 255\\nabcdef\"}"
#define GRAY_PIXEL "str[]{\"P5 1 1 255\\na\"}"
WEFT_ROWS(decode_pictures) = {
    {DECODE_PICTURE("DecodeJpeg", "the picture in a string", WEFT_SLOT_DECODE_JPEG_CHANNELS,
                    WEFT_SLOT_DECODE_JPEG_RATIO, WEFT_SLOT_DECODE_JPEG_DST_IMG_FORMAT, -1),
     .examples = WEFT_EXAMPLES(TWO_PIXELS " -> u8[1,2,3]{97,98,99,100,101,102}",
                               TWO_PIXELS " channels=3 dst_img_format=\"CHW\" -> "
                               "u8[3,1,2]{97,100,98,101,99,102}",
                               GRAY_PIXEL " -> u8[1,1,1]{97}",
                                   GRAY_PIXEL " channels=3 -> u8[1,1,3]{97,97,97}",
                               "str[] channels=1 -> u8[-1,-1,1]",
                               "str[] dst_img_format=\"CHW\" -> u8[-1,-1,-1]",
                               TWO_PIXELS " channels=1 !! E_UNSUPPORTED a file of 3 channels as gray",
                               TWO_PIXELS " channels=4 !! E_UNSUPPORTED attribute 'channels'",
                               TWO_PIXELS " ratio=2 !! E_UNSUPPORTED attribute 'ratio'",
                               "str[]{\"x\"} !! E_UNSUPPORTED", "str[1]{\"x\"} !! E_SHAPE rank 0")},
    {DECODE_PICTURE("DecodeAndCropJpeg", "a part of the picture in a string",
        WEFT_SLOT_DECODE_AND_CROP_JPEG_CHANNELS,
                    WEFT_SLOT_DECODE_AND_CROP_JPEG_RATIO,
                    WEFT_SLOT_DECODE_AND_CROP_JPEG_DST_IMG_FORMAT, -1, true),
     .examples = WEFT_EXAMPLES(TWO_PIXELS ", i32[4]{0,1,1,1} -> u8[1,1,3]{100,101,102}",
                               "str[], i32[4] channels=3 -> u8[-1,-1,3]",
                               TWO_PIXELS ", i32[4]{0,1,1,2} !! E_RANGE not inside a picture of 1 x 2",
                               TWO_PIXELS ", i32[3]{0,1,1} !! E_SHAPE input 'crop_window'")},
    {DECODE_PICTURE("DecodePng", "the picture in a string", WEFT_SLOT_DECODE_PNG_CHANNELS, -1, -1,
                    WEFT_SLOT_DECODE_PNG_DTYPE),
     .examples = WEFT_EXAMPLES(TWO_PIXELS " -> u8[1,2,3]{97,98,99,100,101,102}",
         "str[] channels=1 -> u8[-1,-1,1]",
                               TWO_PIXELS " dtype=u16 !! E_UNSUPPORTED attribute 'dtype'")},
    {DECODE_PICTURE("DecodeBmp", "the picture in a string", WEFT_SLOT_DECODE_BMP_CHANNELS, -1, -1, -1),
     .examples = WEFT_EXAMPLES(TWO_PIXELS " channels=3 -> u8[1,2,3]{97,98,99,100,101,102}",
                               "str[] -> u8[-1,-1,-1]")},
    {DECODE_PICTURE("DecodeImage", "the picture in a string", WEFT_SLOT_DECODE_IMAGE_CHANNELS, -1, -1,
                    WEFT_SLOT_DECODE_IMAGE_DTYPE),
     .examples = WEFT_EXAMPLES(TWO_PIXELS " -> u8[1,2,3]{97,98,99,100,101,102}",
                               "str[]{\"P5 1 1 255\\n3\"} dtype=f32 -> f32[1,1,1]{0.2}",
                               "str[] channels=3 dtype=f32 -> f32[-1,-1,3]")},
    {0},
};
// SPDX-License-Identifier: Apache-2.0
