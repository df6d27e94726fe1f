// weft_cann/asc_units.h - the C interface of the register, SIMT and cube units: what libweft_ascendc does for
// asc_reg.h, asc_simt.h and asc_cube.h. asc_core.h has the rest.
#pragma once
#include "weft_cann/asc_core.h"

#ifdef __cplusplus
extern "C" {
#endif

// ---- registers ----

// How many of `bytes` at an on-chip address a register may read: those that its memory has from there on, as
// lanes beyond it are zero. The launch fails where `at` is in no on-chip memory or not a multiple of `align`.
WEFT_ASC uint64_t weft_asc_register_read(const void *from, uint64_t bytes, uint32_t align, weft_asc_at at);
WEFT_ASC void weft_asc_register_write(void *to, uint64_t bytes, uint32_t align, weft_asc_at at);
// n elements of `from` into those of `to`, by AscendC::RoundMode; integers saturate, NaN becomes 0.
WEFT_ASC void weft_asc_register_convert(void *dst, weft_asc_dtype to, const void *src, weft_asc_dtype from,
                                        int round, uint32_t n);

// ---- threads ----

typedef struct weft_asc_thread {
  uint32_t at[3], count[3];  // x, y, z
} weft_asc_thread;
// body(arg) in each of count[0] * count[1] * count[2] threads, at most 2048.
WEFT_ASC void weft_asc_threads_run(void (*body)(void *arg), void *arg, const uint32_t count[3],
                                   weft_asc_at at);
// The thread that calls: outside of weft_asc_threads_run the only one.
WEFT_ASC const weft_asc_thread *weft_asc_thread_current(void);
// Until all threads that have not ended are here; `warp`: those of the caller's 32.
WEFT_ASC void weft_asc_threads_wait(bool warp, weft_asc_at at);
// What thread `lane` of the caller's 32 gave, as all of them call this; the caller's own where there is no
// such thread.
WEFT_ASC uint64_t weft_asc_threads_exchange(uint64_t value, uint32_t lane, weft_asc_at at);

// ---- the cube ----

// What instructions of a core set for those that follow. All zero when its block begins.
typedef struct weft_asc_cube {
  bool hf32;
  bool hf32_to_even;  // how a float becomes one of 11 bits; otherwise ties go towards zero
  struct {
    uint16_t height, width;
    uint8_t pad[4];  // left, right, top, bottom
  } image[2];        // SetFmatrix: of the left and of the right operand
  uint64_t pad_value;
  uint16_t nd_count, nd_from;  // SetFixpipeNz2ndFlag
  uint32_t nd_to;
  uint64_t scale;          // SetFixpipePreQuantFlag
  const uint64_t *scales;  // SetFixPipeConfig: one for each column
} weft_asc_cube;
WEFT_ASC weft_asc_cube *weft_asc_cube_current(void);

// c = a * b + what c, or for each column `bias`, has; in the layouts of L0C, L0A and L0B. A sum is made in
// the order of k, from what was there: floats of floats, 16-bit floats and HF32, int32_t of int8_t (it
// wraps).
typedef struct weft_asc_mmad {
  void *c;
  const void *a, *b, *bias;
  weft_asc_dtype dtype, bias_dtype;  // of a and b; of bias
  uint32_t m, n, k;
  bool add;        // to what c has; otherwise to bias, or zero
  bool a_by_rows;  // fractals of a lie row by row (2201), not column by column (3510)
  bool k_even;     // k is filled up to two fractals of floats
  bool vector;     // m is 1, and a's elements lie one after another
} weft_asc_mmad;
WEFT_ASC void weft_asc_mmad_run(const weft_asc_mmad *c, weft_asc_at at);

// Fractals of 512 bytes: 16 rows of 32 bytes.
typedef struct weft_asc_fractals {
  void *to;
  const void *from;
  bool from_global, transpose;
  uint32_t element;                                  // bytes
  uint32_t rows, columns;                            // of fractals, as `from` has them
  int64_t from_row, from_column, to_row, to_column;  // from one to the next, in bytes
  uint64_t global_bytes;
} weft_asc_fractals;
// Transposed, a square of 16 (of bytes: 32) takes the place of the square; `to_row` and `to_column` are those
// of the transposed fractals' rows and columns.
WEFT_ASC void weft_asc_fractals_run(const weft_asc_fractals *f, weft_asc_at at);

// Patches of an image [C1][H][W][32 bytes] as rows of a matrix: row = place of the patch, column = (c1, place
// in the kernel, c0). Rows and columns from `m_start` and `k_start` on.
typedef struct weft_asc_patches {
  void *to;
  const void *from;
  uint32_t element, height, width, channels;
  uint8_t pad[4];
  uint32_t stride[2], kernel[2], dilation[2];  // height, width
  uint32_t m_start, k_start, m, k;             // in elements
  uint64_t pad_value;
  bool by_rows;    // fractals row by row
  bool transpose;  // for L0B: the matrix's rows are its k
} weft_asc_patches;
WEFT_ASC void weft_asc_patches_run(const weft_asc_patches *p, weft_asc_at at);

// Where element (m, n) of a result goes: m * m_step + n / group * group_step + n % group * n_step elements.
typedef struct weft_asc_places {
  uint64_t m_step, n_step, group_step;
  uint32_t group;
} weft_asc_places;
// Results [m, n], made into another type: each times a scale (for all or for its column, as Fixpipe's 64 bits
// have it), then max(x, 0), then rounded to the nearest.
typedef struct weft_asc_result {
  void *to;
  const void *from;
  weft_asc_dtype to_dtype, from_dtype;
  weft_asc_places to_places, from_places;
  uint32_t m, n;
  bool scaled, relu, to_global;
  uint64_t scale;
  const uint64_t *scales;  // of each column; NULL: `scale` for all
  uint64_t global_bytes;
} weft_asc_result;
WEFT_ASC void weft_asc_result_run(const weft_asc_result *r, weft_asc_at at);

// A matrix wherever it is: `places` of its rows and columns as they are stored.
typedef struct weft_asc_matrix {
  const void *at;
  weft_asc_dtype dtype;
  weft_asc_places places;
  bool global;
  bool transposed;  // the product's rows are its columns
  uint64_t bytes;   // that a GlobalTensor has; UINT64_MAX: not known
} weft_asc_matrix;
// to = a [m, k] * b [k, n] + bias [n], as one step: what matmul objects do. `to` and its types as in a
// result.
typedef struct weft_asc_product {
  weft_asc_matrix a, b, bias;  // bias.at may be NULL
  uint32_t m, n, k;
  weft_asc_result to;  // all but from, m and n
} weft_asc_product;
WEFT_ASC void weft_asc_product_run(const weft_asc_product *p, weft_asc_at at);

// ---- copies in several dimensions ----

// Two loops around a copy between global memory and the chip, the second around the first: how often, and
// bytes from one time to the next. `out`: of copies to global memory. NULL: none.
typedef struct weft_asc_loops {
  uint32_t times[2];
  uint64_t from[2], to[2];
} weft_asc_loops;
WEFT_ASC void weft_asc_copy_loops(bool out, const weft_asc_loops *loops);

// Elements out of global memory; dims[0] is the innermost. Each has `left` and `right` more, which lie
// outside.
typedef struct weft_asc_multicopy {
  void *to;
  const void *from;
  uint32_t element;
  bool nearest;  // outside is the nearest element inside, otherwise `pad`
  uint64_t pad, global_bytes;
  struct {
    uint32_t size, left, right;
    uint64_t from, to;  // from one element to the next, in elements
  } dims[5];
} weft_asc_multicopy;
WEFT_ASC void weft_asc_multicopy_run(const weft_asc_multicopy *c, weft_asc_at at);

#ifdef __cplusplus
}
#endif
// SPDX-License-Identifier: Apache-2.0
