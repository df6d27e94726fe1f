// Room quant: products, convolutions and pools of bytes, quantising, weights of few bits.
// Uses: amx, blocked, conv, gemm, move, rows, simd.
// Kernels: those that its sources name; tools/gen_kernel_table.py makes the table of all rooms.
//
// quant_block.h - the inner loops of products and convolutions of 8-bit integers, one table an instruction
// set: the same source (quant_block_body.h) compiled once for each.
//
// Everything is a product of signed bytes a and unsigned bytes b, four steps of the inner dimension at a
// time: a quad. Operands of the other sign are moved by 128 when they are packed, zero points with them, and
//   sum (a - za)(b - zb) = sum ab - zb * sum a - za * sum b + k * za * zb
// puts both right afterwards. Sums are int32 and wrap, so that the result does not depend on any order: all
// tables give the same bits. b lies in lanes of 32 bits, one for each column; a is one lane for all columns,
// as it is where the machine multiplies bytes (`wide` 1), else as two pairs of 16 bits (`wide` 2): bytes 0
// and 2, then 1 and 3.
//
// Where it does not, quads of packed tiles may lie in `pairs` instead: both operands in 16 bits, steps 0 and
// 1 in a lane and 2 and 3 in the next, so that tiles only multiply and add. Operands are widened once:
// filters when they are packed, the others where they are copied.
#pragma once
#include "cpu/blocked/blocked_sizes.h"
#include "cpu/simd/isa.h"

enum { WEFT__QUANT_ROWS = 14, WEFT__QUANT_COLS = 32 };

// How a tile of sums goes out. With factor:
//   saturate(round(float(sum) * factor) + zero), as bytes; otherwise int32.
// low and high are bounds less the zero point. Arrays begin at the tile's first row or column; those of
// columns may be read to the end of a panel.
typedef struct weft__quant_out {
  void *y;  // its first element
  size_t y_row, rows, cols;
  const int32_t *row_add, *col_add;  // added to the sums; NULL
  const int32_t *row_by, *col_by;    // their products are added; NULL
  const float *factor;               // finite; NULL: none
  bool factor_by_col;                // one a column, otherwise one a row
  float low, high;
  int32_t zero;
} weft__quant_out;

// How numbers become bytes: as weft__quant_out, of a quotient.
typedef struct weft__quant_to {
  float scale, low, high;
  int32_t zero;
} weft__quant_to;
typedef struct weft__quant_from {  // (byte - zero) * scale
  bool is_signed;
  int32_t zero;
  float scale;
} weft__quant_from;
// y = to(op(from a, from b)), then at least `least` and at most `most`, before it is rounded.
enum { WEFT__QUANT_ADD, WEFT__QUANT_MUL, WEFT__QUANT_ONE };
typedef struct weft__quant_pair {
  int op;
  weft__quant_from a, b;
  bool clip;
  float least, most;
  weft__quant_to to;
} weft__quant_pair;

// y = a * by_a + b * by_b + add, rounded to nearest, zero added, at least low and at most high: all bytes are
// unsigned there, signed ones flipped by 128.
typedef struct weft__quant_blend {
  bool two;  // there is a b
  float by_a, by_b, add;
  int32_t zero;
  uint8_t flip_a, flip_b, flip, low, high;
} weft__quant_blend;

// out[i * WEFT__QUANT_COLS + j] = sum over k quads of a, rows side by side, a_k lanes from quad to quad, and
// b, b_k lanes from quad to quad.
typedef struct weft__quant_tile {
  size_t k;
  const int32_t *a;
  size_t a_k;
  const uint32_t *b;
  size_t b_k;
} weft__quant_tile;
typedef void (*weft__quant_tile_fn)(const weft__quant_tile *t, int32_t *out);

// A line of sums, add + sum over 4 * quads taps of w * x[i + at[tap]], for i < n, a multiple of 4 * vec; as
// bytes by the rest, as weft__quant_out has it.
typedef struct weft__quant_line {
  const uint8_t *x;
  const uint32_t *at;
  const int32_t *w;
  size_t quads, n;
  int32_t add;
  float factor, low, high;
  int32_t zero;
} weft__quant_line;

// ---- bytes in NC1HWC0 ----
// How the sums of a panel of channels become bytes: summands, which the sums begin with, and factors are in
// the order of the panel's lanes, at most 64. Bytes are unsigned on the way: bounds and zero point are moved
// by 128 where they are signed, and flip then is 128. Bytes whose mask is 0 become 0; it is 255 elsewhere.
// In place of factors there may be whole numbers, as FixedRequant has them: sums are below 2^30 in size,
// multipliers not below 0, and shifts, to the right, from 0 to 31.
typedef struct weft__quant_panel {
  const int32_t *add;
  const float *factor;                // NULL: by multipliers, or not at all
  const int32_t *multiplier, *shift;  // NULL: by factors
  bool twice;                         // of multipliers: rounded before the shift, too
  uint8_t mask[64];
  float high;  // less the zero point
  int32_t zero;
  uint8_t low, most, flip;
} weft__quant_panel;
// One such number, for all sums; the rest of the panel's.
typedef struct weft__quant_scaling {
  int32_t multiplier, shift;
  bool twice;
} weft__quant_scaling;
// y = end(op(side(a), side(b))), of sides (byte - zero) * unit, which go by a scaling where they have one.
enum { WEFT__FIXED_ADD, WEFT__FIXED_SUB, WEFT__FIXED_MUL, WEFT__FIXED_ONE };
typedef struct weft__quant_side {
  uint8_t flip;  // bytes are unsigned then
  int32_t zero, unit;
  bool scales;
  weft__quant_scaling by;
} weft__quant_side;
typedef struct weft__quant_fixed_pair {
  int op;
  weft__quant_side a, b;
  weft__quant_scaling end;
  int32_t zero;  // of unsigned bytes, as low and most
  uint8_t low, most, flip;
} weft__quant_fixed_pair;
// Tiles of places, side by side in the output, by the 2 * vec channels of a panel. A tile's places lie in one
// row, or half of them in one and half in the next.
typedef struct weft__quant_packed {
  const uint8_t *x;
  const uint32_t *at;        // from x, where each run of quads begins
  size_t x_row, x_down;      // bytes of the input from place to place, and to the second half of them
  size_t tiles, x_tile;      // one and more; bytes from tile to tile
  size_t runs[2], steps[2];  // first runs[0] runs of steps[0] quads, then the others
  const int32_t *w;  // quads of filters, 2 * vec side by side; of pairs the first ones, then the others
  const weft__quant_panel *panel;
  uint8_t *y;
  const char *ahead;  // 64 bytes (of pairs 128) are fetched each step, ahead_step further each time
  size_t ahead_step;
} weft__quant_packed;
typedef void (*weft__quant_packed_fn)(const weft__quant_packed *t);
// Tiles of rows of bytes, x_row apart in x and y_row numbers in y, by n columns of a panel. As bytes as
// before, without a mask; without factors as int32, whose columns are in order.
typedef struct weft__quant_product {
  weft__quant_packed p;
  size_t y_row, n;
} weft__quant_product;
typedef void (*weft__quant_product_fn)(const weft__quant_product *t);
// Bytes of b in a panel's order as lanes of pairs, the two of a quad `apart` lanes from each other.
static inline void weft__quant_widen(const int8_t b[4], int32_t *to, size_t apart) {
  for (size_t i = 0; i < 2; i++)
    to[i * apart] = (int32_t)((uint32_t)(uint16_t)b[2 * i] | (uint32_t)(uint16_t)(int16_t)b[2 * i + 1] << 16);
}
// Which channel of its panel lies in lane j: what pack makes of two vectors.
static inline size_t weft__quant_lane(size_t j, size_t vec) {
  return j % vec / 4 * 8 + j / vec * 4 + j % 4;
}
// n places (two at least) of a row of a block of channels: the sums over quads of taps, whose first channel
// lies at[tap] behind the place's x. Filters, and the panels of 4 * vec lanes (one, but two where vec is 4):
// channel weft__quant_tap_lane(j) in lane j.
typedef struct weft__quant_taps {
  const uint8_t *x;
  size_t x_step;
  const uint32_t *at;
  size_t quads;
  const int32_t *w;
  const weft__quant_panel *panel;
  uint8_t *y;
  size_t n;
  const int32_t *w_down;  // of the row behind it: other filters over the same taps, y_down bytes further
  size_t y_down;
} weft__quant_taps;
static inline size_t weft__quant_tap_lane(size_t j, size_t vec) {
  return j % vec / 4 * 16 % WEFT__BYTES_C0 + j / vec * 4 + j % 4;
}

// Points of n windows of 4 x 4 places of a block of channels, side by side in a row and two places apart, as
// quant_blocked_winograd.c has them: 16 bits each, WEFT__BYTES_C0 of a window side by side.
typedef struct weft__quant_window {
  const uint8_t *x;
  size_t x_row, n;
  int16_t flip, zero;  // 0 or 128; four times the zero point
  uint8_t *to;
  size_t point;  // bytes from point to point
} weft__quant_window;
// Sums of points of a panel's channels to 2 x 2 places a window, of which so many are there.
typedef struct weft__quant_places {
  const int32_t *m;
  size_t point, n;  // numbers from point to point
  const weft__quant_panel *panel;
  uint8_t *y;
  size_t y_row, cols, rows;
} weft__quant_places;

typedef struct weft__quant_ops {
  const char *name;
  uint32_t vec, rows, cols, wide;  // lanes of a vector; of a tile; cols is 2 * vec
  bool pairs;                      // packed tiles take pairs, and product_pairs is there
  uint8_t moved;  // 128: bytes that are said to be unsigned, and zero points with them, are 128 less: signed
  weft__quant_tile_fn tile[2][WEFT__QUANT_ROWS + 1];  // number of vectors less one, number of rows
  void (*finish)(const int32_t *tile, const weft__quant_out *o);
  void (*taps)(const weft__quant_line *l, uint8_t *y);
  void (*taps_sums)(const weft__quant_line *l, int32_t *y);
  // [1]: places lie beside each other. Then their number.
  weft__quant_packed_fn packed[2][WEFT__QUANT_ROWS + 1];
  // The same of an even number of them in two rows, by half of it.
  weft__quant_packed_fn packed_rows[2][WEFT__QUANT_ROWS / 2 + 1];
  weft__quant_product_fn product[WEFT__QUANT_ROWS + 1];  // number of rows
  weft__quant_product_fn product_pairs[WEFT__QUANT_ROWS + 1];
  void (*packed_taps)(const weft__quant_taps *t);
  void (*packed_taps_rows)(const weft__quant_taps *t);  // two rows; x_step is WEFT__BYTES_C0
  void (*window)(const weft__quant_window *t);          // with pairs, otherwise NULL
  void (*places)(const weft__quant_places *t);
  void (*quantize)(const float *x, size_t n, const weft__quant_to *to, uint8_t *y);
  void (*dequantize)(const uint8_t *x, size_t n, const weft__quant_from *from, float *y);
  void (*pair)(const uint8_t *a, const uint8_t *b, size_t n, const weft__quant_pair *p, uint8_t *y);
  void (*flip)(const uint8_t *x, size_t n, uint8_t flip, uint8_t *y);  // y = x ^ flip
  void (*blend)(const uint8_t *a, const uint8_t *b, size_t n, const weft__quant_blend *m, uint8_t *y);
  void (*fixed_pair)(const uint8_t *a, const uint8_t *b, size_t n, const weft__quant_fixed_pair *p,
                     uint8_t *y);
} weft__quant_ops;
extern const weft__quant_ops weft__quant_plain, weft__quant_avx2, weft__quant_avx2_vnni, weft__quant_avx512,
    weft__quant_avx512_vnni, weft__quant_neon, weft__quant_neon_dot, weft__quant_neon_i8mm;
const weft__quant_ops *weft__quant_find(const weft_host *host);  // of weft__cpu_isa and weft__cpu_bytes

// Four rows of n bytes side by side in lanes. flip: 0, or 128 to change
// signs.
void weft__quant_lanes(const uint8_t *const row[4], size_t n, uint8_t flip, uint32_t *to);
// `rows` rows of k bytes, to become quads of left operands of tiles: row r's from to + r * wide on, `step`
// lanes from quad to quad; zeros fill up the last one. flip: as before, to signed bytes, whose sums out_sum
// gets.
typedef struct weft__quant_left {
  const uint8_t *x;
  size_t rows, k;
  uint8_t flip;
  uint32_t wide;
  int32_t *to;
  size_t step;
} weft__quant_left;
void weft__quant_turn(const weft__quant_left *given, int32_t *out_sum);
// n columns of k rows, `row` bytes apart, of a right operand; flip as before, to bytes that are said to be
// signed when `moved` is 128, unsigned when it is 0.
typedef struct weft__quant_right {
  const uint8_t *b;
  size_t row, k, n;
  uint8_t flip, moved;
} weft__quant_right;
// The quads of steps i.. of at most WEFT__QUANT_COLS columns, a lane each, zeros behind row k. The columns'
// bytes are added to out_sum.
void weft__quant_columns(const weft__quant_right *from, size_t i, uint32_t *to, int32_t *out_sum);
// Quads of a panel of 2 * vec columns, a multiple of 4: in the order of lanes when `order`, widened when
// `pairs`. Returns the place behind them.
int32_t *weft__quant_put_quads(const uint32_t *quads, size_t vec, bool order, bool pairs, int32_t *to);
// Equal shares of rows among tiles, without a division for each: the first `more` tiles have one row more.
typedef struct weft__quant_shares {
  size_t least, more;
} weft__quant_shares;
static inline weft__quant_shares weft__quant_shares_of(size_t rows, size_t tiles) {
  return (weft__quant_shares){tiles ? rows / tiles : 0, tiles ? rows % tiles : 0};
}
static inline size_t weft__quant_row(weft__quant_shares s, size_t tile) {
  return s.least * tile + (tile < s.more ? tile : s.more);
}
// Quad of four signed bytes in a's form; returns lanes written.
static inline size_t weft__quant_quad(uint32_t wide, const int8_t b[4], int32_t *to) {
  if (wide == 1) {
    memcpy(to, b, 4);
    return 1;
  }
  to[0] = (int32_t)((uint32_t)(uint16_t)(int16_t)b[0] | (uint32_t)(uint16_t)(int16_t)b[2] << 16);
  to[1] = (int32_t)((uint32_t)(uint16_t)(int16_t)b[1] | (uint32_t)(uint16_t)(int16_t)b[3] << 16);
  return 2;
}
// SPDX-License-Identifier: Apache-2.0
