// cube_load.c - loads into L0A, L0B and L1: fractals as they are or transposed, and patches of images.
#include <string.h>

#include "base/base.h"
#include "check.h"
#include "cube.h"
#include "loops.h"
#include "run.h"
#include "spans.h"

enum { LOAD_ROWS = 16, LOAD_ROW_BYTES = 32, LOAD_FRACTAL_BYTES = 512 };

static void load_check(weft_asc_core *core, const weft_asc_fractals *f, const uint8_t *to,
                       const uint8_t *from, weft_asc_at at) {
  const int pipe = f->from_global ? WEFT_ASC_PIPE_MTE2 : WEFT_ASC_PIPE_MTE1;
  asc_local_span(core, to, LOAD_FRACTAL_BYTES, "LoadData's dst", at);
  if (!f->from_global)
    asc_local_span(core, from, LOAD_FRACTAL_BYTES, "LoadData's src", at);
  if (!core->check)
    return;
  const uint64_t reach = (uint64_t)(from - (const uint8_t *)f->from) + LOAD_FRACTAL_BYTES;
  if (f->from_global && reach > f->global_bytes)
    weft_asc_fail(at, "LoadData: byte %llu of a GlobalTensor that has %llu", (unsigned long long)reach,
                  (unsigned long long)f->global_bytes);
  asc_check_read(core, pipe, from, LOAD_FRACTAL_BYTES, at);
  asc_check_write(core, pipe, to, LOAD_FRACTAL_BYTES, at);
}

// Element (row, column) of the matrix that the fractals make.
static const uint8_t *load_element(const weft_asc_fractals *f, uint32_t row, uint32_t column) {
  const uint32_t wide = LOAD_ROW_BYTES / f->element;
  return (const uint8_t *)f->from + (int64_t)(row / LOAD_ROWS) * f->from_row +
         (int64_t)(column / wide) * f->from_column + row % LOAD_ROWS * LOAD_ROW_BYTES +
         column % wide * f->element;
}

// The fractal (row, column) of the transposed matrix.
static void load_transposed(weft_asc_core *core, const weft_asc_fractals *f, uint32_t row, uint32_t column,
                            weft_asc_at at) {
  const uint32_t wide = LOAD_ROW_BYTES / f->element;
  uint8_t *to = (uint8_t *)f->to + (int64_t)row * f->to_row + (int64_t)column * f->to_column;
  uint8_t fractal[LOAD_FRACTAL_BYTES];
  for (uint32_t i = 0; i < LOAD_ROWS; i++) {
    for (uint32_t j = 0; j < wide; j++)
      memcpy(fractal + i * LOAD_ROW_BYTES + j * f->element,
             load_element(f, column * wide + j, row * LOAD_ROWS + i), f->element);
  }
  load_check(core, f, to,
             load_element(f, column * wide / LOAD_ROWS * LOAD_ROWS, row * LOAD_ROWS / wide * wide), at);
  memcpy(to, fractal, sizeof fractal);
}

static void load_all_transposed(weft_asc_core *core, const weft_asc_fractals *f, weft_asc_at at) {
  const uint32_t wide = LOAD_ROW_BYTES / f->element;
  const uint32_t rows = f->columns * wide, columns = f->rows * LOAD_ROWS;
  if (rows % LOAD_ROWS || columns % wide) {
    weft_asc_fail(at, "LoadData transposes whole squares: %u x %u elements of %u bytes are not made of them",
                  columns, rows, f->element);
    return;
  }
  for (uint32_t row = 0; row < rows / LOAD_ROWS; row++) {
    for (uint32_t column = 0; column < columns / wide; column++)
      load_transposed(core, f, row, column, at);
  }
}

void weft_asc_fractals_run(const weft_asc_fractals *f, weft_asc_at at) {
  weft_asc_core *core = asc_core_now();
  if (!core) {
    weft_asc_fail(at, "LoadData works in a kernel's launch only");
    return;
  }
  if (f->transpose) {
    load_all_transposed(core, f, at);
    return;
  }
  for (uint32_t row = 0; row < f->rows; row++) {
    for (uint32_t column = 0; column < f->columns; column++) {
      uint8_t *to = (uint8_t *)f->to + (int64_t)row * f->to_row + (int64_t)column * f->to_column;
      const uint8_t *from =
          (const uint8_t *)f->from + (int64_t)row * f->from_row + (int64_t)column * f->from_column;
      load_check(core, f, to, from, at);
      memmove(to, from, LOAD_FRACTAL_BYTES);
    }
  }
}

// ---- patches ----

static uint32_t patches_out(uint32_t in, uint32_t pad, uint32_t kernel, uint32_t dilation, uint32_t stride) {
  const uint32_t reach = dilation * (kernel - 1) + 1;
  return in + pad < reach || !stride ? 0 : (in + pad - reach) / stride + 1;
}

// Element (m, k) of the matrix, or NULL: in the padding.
static const uint8_t *patches_element(const weft_asc_patches *p, uint32_t out_width, uint32_t m, uint32_t k) {
  const uint32_t c0 = LOAD_ROW_BYTES / p->element;
  const uint32_t in_kernel = k / c0 % (p->kernel[0] * p->kernel[1]);
  const uint32_t c1 = k / c0 / (p->kernel[0] * p->kernel[1]);
  const int64_t y =
      (int64_t)(m / out_width * p->stride[0]) - p->pad[2] + in_kernel / p->kernel[1] * p->dilation[0];
  const int64_t x =
      (int64_t)(m % out_width * p->stride[1]) - p->pad[0] + in_kernel % p->kernel[1] * p->dilation[1];
  if (y < 0 || x < 0 || y >= p->height || x >= p->width)
    return NULL;
  const uint64_t pixel = ((uint64_t)c1 * p->height + (uint64_t)y) * p->width + (uint64_t)x;
  return (const uint8_t *)p->from + pixel * LOAD_ROW_BYTES + k % c0 * p->element;
}

// Where element (row, column) of a matrix of fractals goes.
static uint8_t *patches_place(const weft_asc_patches *p, uint32_t row, uint32_t column) {
  const uint32_t wide = LOAD_ROW_BYTES / p->element;
  const uint32_t rows = p->transpose ? p->k : p->m, columns = p->transpose ? p->m : p->k;
  const uint32_t fractal = p->by_rows
                               ? row / LOAD_ROWS * ((columns + wide - 1) / wide) + column / wide
                               : column / wide * ((rows + LOAD_ROWS - 1) / LOAD_ROWS) + row / LOAD_ROWS;
  return (uint8_t *)p->to + (size_t)fractal * LOAD_FRACTAL_BYTES + row % LOAD_ROWS * LOAD_ROW_BYTES +
         column % wide * p->element;
}

void weft_asc_patches_run(const weft_asc_patches *p, weft_asc_at at) {
  weft_asc_core *core = asc_core_now();
  const uint32_t width =
      patches_out(p->width, p->pad[0] + p->pad[1], p->kernel[1], p->dilation[1], p->stride[1]);
  if (!core || !width) {
    weft_asc_fail(at, "LoadData of patches: an image of %u x %u has no patch of %u x %u", p->height, p->width,
                  p->kernel[0], p->kernel[1]);
    return;
  }
  const uint32_t c0 = LOAD_ROW_BYTES / p->element;
  const uint64_t image = (uint64_t)((p->channels + c0 - 1) / c0) * p->height * p->width * LOAD_ROW_BYTES;
  asc_local_span(core, p->from, image, "LoadData's src", at);
  asc_local_span(core, p->to, (uint64_t)(p->m + 15) / 16 * 16 * p->k * p->element, "LoadData's dst", at);
  if (core->check) {
    asc_check_read(core, WEFT_ASC_PIPE_MTE1, p->from, image, at);
    asc_check_write(core, WEFT_ASC_PIPE_MTE1, p->to, (uint64_t)(p->m + 15) / 16 * 16 * p->k * p->element, at);
  }
  for (uint32_t m = 0; m < p->m; m++) {
    for (uint32_t k = 0; k < p->k; k++) {
      const uint8_t *from = patches_element(p, width, p->m_start + m, p->k_start + k);
      const bool inside = from && from < (const uint8_t *)p->from + image;
      uint8_t *to = p->transpose ? patches_place(p, k, m) : patches_place(p, m, k);
      memcpy(to, inside ? from : (const uint8_t *)&p->pad_value, p->element);
    }
  }
}
// SPDX-License-Identifier: Apache-2.0
