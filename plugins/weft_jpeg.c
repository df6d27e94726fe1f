// weft_jpeg.c - JPEG by libjpeg, with its defaults (the slow integer DCT, smooth upsampling), as Pillow
// has them. The library's errors leave by longjmp; between setjmp and there only libjpeg's own frames and
// read_rows() lie, which own nothing. Warnings that mean damaged data are errors, too. A Huffman-coded file
// needs at least one bit for 64 pixels; arithmetic coding has no such bound and is refused.
#include "picture.h"

#include <jpeglib.h>
#include <jerror.h>
#include <setjmp.h>

enum { PIXELS_A_BYTE = 8 * 64, MOST_SCANS = 100 };

typedef struct jpeg {
  struct jpeg_decompress_struct info;
  struct jpeg_error_mgr errors;
  struct jpeg_progress_mgr progress;
  struct jpeg_source_mgr source;
  const weft_plugin_call *c;
  weft_bytes file;
  weft_picture *out;
  weft_status status;
  jmp_buf back;
} jpeg;

static void stop(jpeg *j, weft_status s) {
  j->status = s;
  longjmp(j->back, 1);
}

static void stop_with_text(j_common_ptr info, weft_status s) {
  char text[JMSG_LENGTH_MAX];
  jpeg *j = info->client_data;
  info->err->format_message(info, text);
  stop(j, j->c->fail(j->c->ctx, s, "JPEG: %s", text));
}

static void weft_jpeg_on_error(j_common_ptr info) {
  int code = info->err->msg_code;
  bool form = code == JERR_SOF_UNSUPPORTED || code == JERR_BAD_PRECISION || code == JERR_CONVERSION_NOTIMPL;
  stop_with_text(info, code == JERR_OUT_OF_MEMORY ? WEFT_E_NOMEM
                       : form                     ? WEFT_E_UNSUPPORTED
                                                  : WEFT_E_CORRUPT);
}

static void on_message(j_common_ptr info, int level) {
  int code = info->err->msg_code;
  bool harmless = code == JWRN_EXTRANEOUS_DATA || code == JWRN_JFIF_MAJOR || code == JWRN_ADOBE_XFORM;
  if (level < 0 && !harmless)
    stop_with_text(info, WEFT_E_CORRUPT);
}

static void on_output(j_common_ptr info) {
  (void)info;
}

// Called for each row of blocks that is read or put out.
static void on_progress(j_common_ptr info) {
  jpeg *j = info->client_data;
  weft_status s = weft_plugin_poll(j->c);
  if (s)
    stop(j, s);
  if (j->info.input_scan_number > MOST_SCANS)
    stop(j, j->c->fail(j->c->ctx, WEFT_E_LIMIT, "JPEG: more than %d scans", MOST_SCANS));
}

// ---- the file, which lies in memory as a whole ----
static void begin_source(j_decompress_ptr info) {
  (void)info;
}
static boolean more(j_decompress_ptr info) {
  jpeg *j = info->client_data;
  stop(j, picture_cut(j->c, "JPEG"));
  return FALSE;
}
static void skip(j_decompress_ptr info, long n) {
  if (n <= 0)
    return;
  if ((unsigned long)n > info->src->bytes_in_buffer)
    more(info);
  info->src->next_input_byte += n;
  info->src->bytes_in_buffer -= (size_t)n;
}

// Cyan, magenta, yellow, black; as Adobe's programs write them, inverted.
static void from_cmyk(const uint8_t *in, size_t n, bool inverted, uint8_t *out) {
  for (size_t x = 0; x < n; x++, in += 4) {
    for (size_t e = 0; e < 3; e++) {
      unsigned v = inverted ? in[e] : 255u - in[e];
      unsigned k = inverted ? in[3] : 255u - in[3];
      out[3 * x + e] = (uint8_t)((v * k + 127) / 255);
    }
  }
}

static weft_status read_rows(jpeg *j) {
  struct jpeg_decompress_struct *info = &j->info;
  void *row = NULL;
  jpeg_read_header(info, TRUE);
  if (info->arith_code)
    return j->c->fail(j->c->ctx, WEFT_E_UNSUPPORTED, "JPEG: arithmetic coding is not read");
  j->out->height = info->image_height;
  j->out->width = info->image_width;
  j->out->channels = info->num_components == 1 ? 1 : 3;
  WEFT_TRY(j->c->room(j->c->ctx, PIXELS_A_BYTE, j->out));
  bool ink = info->jpeg_color_space == JCS_CMYK || info->jpeg_color_space == JCS_YCCK;
  info->out_color_space = ink ? JCS_CMYK : JCS_RGB;
  if (ink)
    WEFT_TRY(j->c->scratch(j->c->ctx, 4 * j->out->width, &row));
  jpeg_start_decompress(info);
  while (info->output_scanline < info->output_height) {
    uint8_t *to = j->out->v + 3 * (size_t)info->output_scanline * j->out->width;
    JSAMPROW line = ink ? row : to;
    jpeg_read_scanlines(info, &line, 1);
    if (ink)
      from_cmyk(row, j->out->width, info->saw_Adobe_marker, to);
  }
  jpeg_finish_decompress(info);
  return WEFT_OK;
}

static weft_status weft_jpeg_decode(jpeg *j) {
  if (setjmp(j->back))
    return j->status;
  jpeg_create_decompress(&j->info);
  j->info.client_data = j;
  j->info.src = &j->source;
  j->info.progress = &j->progress;
  return read_rows(j);
}

static weft_status read_jpeg(const weft_plugin_call *c, weft_bytes file, weft_picture *out) {
  jpeg j = {.c = c, .file = file, .out = out};
  j.info.err = jpeg_std_error(&j.errors);
  j.info.client_data = &j;
  j.errors.error_exit = weft_jpeg_on_error;
  j.errors.emit_message = on_message;
  j.errors.output_message = on_output;
  j.progress.progress_monitor = on_progress;
  j.source = (struct jpeg_source_mgr){file.v,      file.n, begin_source, more, skip, jpeg_resync_to_restart,
                                      begin_source};
  weft_status s = weft_jpeg_decode(&j);
  jpeg_destroy_decompress(&j.info);
  return s;
}

PICTURE_PLUGIN("weft_jpeg", read_jpeg);
// SPDX-License-Identifier: Apache-2.0
