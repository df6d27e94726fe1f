// weft_png.c - PNG by libpng. Chunks that do not change the samples are skipped; gamma is left alone.
// The library's errors leave by longjmp over its own frames and read_rows(), which own nothing: all memory is
// workspace of the call, freed when it ends. A byte of DEFLATE gives at most 1032, of 8 pixels each.
#include "picture.h"

#include <png.h>
#include <setjmp.h>

enum { PIXELS_A_BYTE = 8 * 1032, MOST_WIDTH = 1 << 24 };  // a row is unpacked in one go

typedef struct png {
  png_structp png;
  png_infop info;
  const weft_plugin_call *c;
  weft_bytes rest;
  size_t bytes;  // of the whole file
  weft_picture *out;
  weft_status status;  // the first failure
  jmp_buf back;
} png;

static void weft_png_on_error(png_structp lib, png_const_charp text) {
  png *p = png_get_error_ptr(lib);
  if (!p->status)
    p->status = p->c->fail(p->c->ctx, WEFT_E_CORRUPT, "PNG: %s", text);
  longjmp(p->back, 1);
}

static void on_warning(png_structp lib, png_const_charp text) {
  (void)lib;
  (void)text;
}

static void *weft_png_take(png_structp lib, png_alloc_size_t bytes) {
  png *p = png_get_mem_ptr(lib);
  void *memory;
  weft_status s = p->c->scratch(p->c->ctx, bytes, &memory);
  if (s && !p->status)
    p->status = s;
  return s ? NULL : memory;
}

static void weft_png_drop(png_structp lib, void *memory) {
  (void)lib;
  (void)memory;
}

// The library unpacks some kilobytes between two calls, which are some megabytes at most.
static void weft_png_read_bytes(png_structp lib, png_bytep to, size_t n) {
  png *p = png_get_io_ptr(lib);
  if (!p->status)
    p->status = weft_plugin_poll(p->c);
  if (p->status)
    png_error(lib, "stopped");
  if (n > p->rest.n) {
    if (!p->status)
      p->status = picture_cut(p->c, "PNG");
    png_error(lib, "cut");
  }
  memcpy(to, p->rest.v, n);
  p->rest.v += n;
  p->rest.n -= n;
}

static void weft_png_prepare(png *p) {
  png_set_read_fn(p->png, p, weft_png_read_bytes);
  png_set_user_limits(p->png, MOST_WIDTH, 1 << 28);
  png_set_keep_unknown_chunks(p->png, PNG_HANDLE_CHUNK_NEVER, NULL, -1);
}

static uint8_t weft_png_channels(const png *p) {
  const int type = png_get_color_type(p->png, p->info);
  const bool alpha = (type & PNG_COLOR_MASK_ALPHA) || png_get_valid(p->png, p->info, PNG_INFO_tRNS);
  return (uint8_t)((type & PNG_COLOR_MASK_COLOR ? 3 : 1) + alpha);
}

// To 8-bit RGB: palettes and low depths expanded, 16 bits cut, alpha dropped.
static void transform(png *p) {
  int type = png_get_color_type(p->png, p->info);
  int depth = png_get_bit_depth(p->png, p->info);
  if (type == PNG_COLOR_TYPE_PALETTE)
    png_set_palette_to_rgb(p->png);
  if (type == PNG_COLOR_TYPE_GRAY && depth < 8)
    png_set_expand_gray_1_2_4_to_8(p->png);
  if (depth == 16)
    png_set_strip_16(p->png);
  png_set_strip_alpha(p->png);
  if (!(type & PNG_COLOR_MASK_COLOR))
    png_set_gray_to_rgb(p->png);
}

static weft_status read_rows(png *p) {
  weft_png_prepare(p);
  png_read_info(p->png, p->info);
  p->out->height = png_get_image_height(p->png, p->info);
  p->out->width = png_get_image_width(p->png, p->info);
  p->out->channels = weft_png_channels(p);
  WEFT_TRY(p->c->room(p->c->ctx, PIXELS_A_BYTE, p->out));
  transform(p);
  int passes = png_set_interlace_handling(p->png);
  png_read_update_info(p->png, p->info);
  if (png_get_rowbytes(p->png, p->info) != 3 * p->out->width) {
    return p->c->fail(p->c->ctx, WEFT_E_UNSUPPORTED, "PNG: rows of %zu bytes, expected %zu",
                      (size_t)png_get_rowbytes(p->png, p->info), 3 * p->out->width);
  }
  for (int pass = 0; pass < passes; pass++) {
    for (size_t y = 0; y < p->out->height; y++) {
      WEFT_TRY(weft_plugin_poll(p->c));
      png_read_row(p->png, p->out->v + 3 * y * p->out->width, NULL);
    }
  }
  png_read_end(p->png, NULL);
  return WEFT_OK;
}

static weft_status weft_png_decode(png *p) {
  if (setjmp(p->back))
    return p->status;
  p->png = png_create_read_struct_2(PNG_LIBPNG_VER_STRING, p, weft_png_on_error, on_warning, p, weft_png_take,
                                    weft_png_drop);
  if (p->png)
    p->info = png_create_info_struct(p->png);
  if (!p->info && !p->status)
    return p->c->fail(p->c->ctx, WEFT_E_NOMEM, "PNG: libpng does not start");
  if (p->status)
    return p->status;
  return read_rows(p);
}

static weft_status read_png(const weft_plugin_call *c, weft_bytes file, weft_picture *out) {
  png p = {.c = c, .rest = file, .bytes = file.n, .out = out};
  weft_status s = weft_png_decode(&p);
  png_destroy_read_struct(&p.png, &p.info, NULL);
  return s ? s : p.status;
}

PICTURE_PLUGIN("weft_png", read_png);
// SPDX-License-Identifier: Apache-2.0
