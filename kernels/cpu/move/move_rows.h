// move_rows.h - a matrix of elements of 1, 2, 4 or 8 bytes turned over in small squares, for the instruction
// set that this is compiled for.
#include "cpu/simd/vector_math.h"

#define PICK __builtin_shufflevector

typedef uint32_t vu __attribute__((vector_size(32)));

// Elements of T, N by N of them at a time by `block`.
#define TURN(T, N, name, block)                                                                        \
  static void name(const void *x_, size_t x_line, void *y_, size_t y_line, size_t rows, size_t cols) { \
    const T *x = x_;                                                                                   \
    T *y = y_;                                                                                         \
    size_t r = 0;                                                                                      \
    for (; r + N <= rows; r += N) {                                                                    \
      size_t c = 0;                                                                                    \
      for (; c + N <= cols; c += N)                                                                    \
        block(x + r * x_line + c, x_line, y + c * y_line + r, y_line);                                 \
      for (; c < cols; c++)                                                                            \
        for (size_t k = r; k < r + N; k++)                                                             \
          y[c * y_line + k] = x[k * x_line + c];                                                       \
    }                                                                                                  \
    for (; r < rows; r++)                                                                              \
      for (size_t c = 0; c < cols; c++)                                                                \
        y[c * y_line + r] = x[r * x_line + c];                                                         \
  }

#ifdef __AVX512F__
static void eight(const uint32_t *x, size_t x_line, uint32_t *y, size_t y_line) {
  vu a[8];
  vu b[8];
  for (int k = 0; k < 8; k++)
    memcpy(&a[k], x + (size_t)k * x_line, sizeof a[k]);
  for (int k = 0; k < 8; k += 2) {
    b[k] = PICK(a[k], a[k + 1], 0, 8, 1, 9, 4, 12, 5, 13);
    b[k + 1] = PICK(a[k], a[k + 1], 2, 10, 3, 11, 6, 14, 7, 15);
  }
  for (int k = 0; k < 8; k += 4) {
    a[k] = PICK(b[k], b[k + 2], 0, 1, 8, 9, 4, 5, 12, 13);
    a[k + 1] = PICK(b[k], b[k + 2], 2, 3, 10, 11, 6, 7, 14, 15);
    a[k + 2] = PICK(b[k + 1], b[k + 3], 0, 1, 8, 9, 4, 5, 12, 13);
    a[k + 3] = PICK(b[k + 1], b[k + 3], 2, 3, 10, 11, 6, 7, 14, 15);
  }
  for (int k = 0; k < 4; k++) {
    b[k] = PICK(a[k], a[k + 4], 0, 1, 2, 3, 8, 9, 10, 11);
    b[k + 4] = PICK(a[k], a[k + 4], 4, 5, 6, 7, 12, 13, 14, 15);
  }
  for (int k = 0; k < 8; k++)
    memcpy(y + (size_t)k * y_line, &b[k], sizeof b[k]);
}
TURN(uint32_t, 8, turn_squares, eight)
#else
typedef uint32_t vu_quad __attribute__((vector_size(16)));
static inline void four(const uint32_t *x, size_t x_line, uint32_t *y, size_t y_line) {
  vu_quad a[4];
  vu_quad b[4];
  for (int k = 0; k < 4; k++)
    memcpy(&a[k], x + (size_t)k * x_line, sizeof a[k]);
  for (int k = 0; k < 4; k += 2) {
    b[k] = PICK(a[k], a[k + 1], 0, 4, 1, 5);
    b[k + 1] = PICK(a[k], a[k + 1], 2, 6, 3, 7);
  }
  for (int k = 0; k < 2; k++) {
    a[2 * k] = PICK(b[k], b[k + 2], 0, 1, 4, 5);
    a[2 * k + 1] = PICK(b[k], b[k + 2], 2, 3, 6, 7);
  }
  for (int k = 0; k < 4; k++)
    memcpy(y + (size_t)k * y_line, &a[k], sizeof a[k]);
}

// Sixteen rows at a time: whole cache lines are written. The last squares may overlap those before.
static void turn_squares(const void *x_, size_t x_line, void *y_, size_t y_line, size_t rows, size_t cols) {
  const uint32_t *x = x_;
  uint32_t *y = y_;
  for (size_t r = 0; rows < 4 && r < rows; r++) {
    for (size_t c = 0; c < cols; c++)
      y[c * y_line + r] = x[r * x_line + c];
  }
  for (size_t c = 0; rows >= 4 && cols < 4 && c < cols; c++) {
    for (size_t r = 0; r < rows; r++)
      y[c * y_line + r] = x[r * x_line + c];
  }
  if (rows < 4 || cols < 4)
    return;
  for (size_t r = 0; r < rows; r += 16) {
    for (size_t c = 0; c < cols; c += 4) {
      for (size_t k = r; k < rows && k < r + 16; k += 4) {
        const size_t i = k + 4 > rows ? rows - 4 : k;
        const size_t j = c + 4 > cols ? cols - 4 : c;
        four(x + i * x_line + j, x_line, y + j * y_line + i, y_line);
      }
    }
  }
}
#endif

// Eight by eight in vectors of eight elements in one lane: pairs, pairs of pairs, halves.
#define EIGHT_SHORT(T, V, name)                                        \
  typedef T V __attribute__((vector_size(8 * sizeof(T))));             \
  static void name(const T *x, size_t x_line, T *y, size_t y_line) {   \
    V a[8], b[8];                                                      \
    for (int k = 0; k < 8; k++)                                        \
      memcpy(&a[k], x + (size_t)k * x_line, sizeof(V));                \
    for (int k = 0; k < 8; k += 2) {                                   \
      b[k] = PICK(a[k], a[k + 1], 0, 8, 1, 9, 2, 10, 3, 11);           \
      b[k + 1] = PICK(a[k], a[k + 1], 4, 12, 5, 13, 6, 14, 7, 15);     \
    }                                                                  \
    for (int k = 0; k < 8; k += 4) {                                   \
      a[k] = PICK(b[k], b[k + 2], 0, 1, 8, 9, 2, 3, 10, 11);           \
      a[k + 1] = PICK(b[k], b[k + 2], 4, 5, 12, 13, 6, 7, 14, 15);     \
      a[k + 2] = PICK(b[k + 1], b[k + 3], 0, 1, 8, 9, 2, 3, 10, 11);   \
      a[k + 3] = PICK(b[k + 1], b[k + 3], 4, 5, 12, 13, 6, 7, 14, 15); \
    }                                                                  \
    for (int k = 0; k < 4; k++) {                                      \
      b[2 * k] = PICK(a[k], a[k + 4], 0, 1, 2, 3, 8, 9, 10, 11);       \
      b[2 * k + 1] = PICK(a[k], a[k + 4], 4, 5, 6, 7, 12, 13, 14, 15); \
    }                                                                  \
    for (int k = 0; k < 8; k++)                                        \
      memcpy(y + (size_t)k * y_line, &b[k], sizeof(V));                \
  }
EIGHT_SHORT(uint8_t, v_bytes, eight_bytes)
EIGHT_SHORT(uint16_t, v_shorts, eight_shorts)

typedef uint64_t v_longs __attribute__((vector_size(32)));
static void four_longs(const uint64_t *x, size_t x_line, uint64_t *y, size_t y_line) {
  v_longs a[4];
  v_longs b[4];
  for (int k = 0; k < 4; k++)
    memcpy(&a[k], x + (size_t)k * x_line, sizeof a[k]);
  for (int k = 0; k < 4; k += 2) {
    b[k] = PICK(a[k], a[k + 1], 0, 4, 2, 6);
    b[k + 1] = PICK(a[k], a[k + 1], 1, 5, 3, 7);
  }
  for (int k = 0; k < 2; k++) {
    a[k] = PICK(b[k], b[k + 2], 0, 1, 4, 5);
    a[k + 2] = PICK(b[k], b[k + 2], 2, 3, 6, 7);
  }
  for (int k = 0; k < 4; k++)
    memcpy(y + (size_t)k * y_line, &a[k], sizeof a[k]);
}

TURN(uint8_t, 8, turn_byte_squares, eight_bytes)
TURN(uint16_t, 8, turn_short_squares, eight_shorts)
TURN(uint64_t, 4, turn_long_squares, four_longs)

// Pictures have three channels.
#define TURN_THREE(T, name, squares)                                                                   \
  static void name(const void *x_, size_t x_line, void *y_, size_t y_line, size_t rows, size_t cols) { \
    const T *x = x_;                                                                                   \
    T *y = y_;                                                                                         \
    if (cols == 3 && x_line == 3) {                                                                    \
      WEFT_LOOP(size_t r = 0; r < rows; r++)                                                           \
        y[r] = x[3 * r], y[y_line + r] = x[3 * r + 1], y[2 * y_line + r] = x[3 * r + 2];               \
    } else if (rows == 3 && y_line == 3) {                                                             \
      WEFT_LOOP(size_t c = 0; c < cols; c++)                                                           \
        y[3 * c] = x[c], y[3 * c + 1] = x[x_line + c], y[3 * c + 2] = x[2 * x_line + c];               \
    } else {                                                                                           \
      squares(x, x_line, y, y_line, rows, cols);                                                       \
    }                                                                                                  \
  }
TURN_THREE(uint8_t, turn_bytes, turn_byte_squares)
TURN_THREE(uint16_t, turn_shorts, turn_short_squares)
TURN_THREE(uint32_t, turn_words, turn_squares)
TURN_THREE(uint64_t, turn_longs, turn_long_squares)

static void transpose(const uint32_t *x, size_t x_line, uint32_t *y, size_t y_line, size_t rows,
                      size_t cols) {
  turn_words(x, x_line, y, y_line, rows, cols);
}

static void weave(const float *x, size_t line, float *y, size_t lines, size_t n) {
  if (lines == 1) {
    memcpy(y, x, n * sizeof *y);
  } else if (lines == 2) {
    WEFT_LOOP(size_t i = 0; i < n; i++) {
      y[2 * i] = x[i];
      y[2 * i + 1] = x[line + i];
    }
  } else if (lines == 4) {
    WEFT_LOOP(size_t i = 0; i < n; i++) {
      y[4 * i] = x[i];
      y[4 * i + 1] = x[line + i];
      y[4 * i + 2] = x[2 * line + i];
      y[4 * i + 3] = x[3 * line + i];
    }
  } else {
    turn_words(x, line, y, lines, lines, n);
  }
}

#if defined(__AVX2__) && !defined(__AVX512F__)
#include <immintrin.h>
static void stream(void *to_, const void *from_, size_t bytes) {
  char *to = to_;
  const char *from = from_;
  const size_t before = ((uintptr_t)0 - (uintptr_t)to) & 63;
  if (bytes < 64 + before) {
    memcpy(to, from, bytes);
    return;
  }
  memcpy(to, from, before);
  to += before;
  from += before;
  bytes -= before;
  for (; bytes >= 64; to += 64, from += 64, bytes -= 64) {
    const __m256i a = _mm256_loadu_si256((const __m256i *)(const void *)from);
    const __m256i b = _mm256_loadu_si256((const __m256i *)(const void *)(from + 32));
    _mm256_stream_si256((__m256i *)(void *)to, a);
    _mm256_stream_si256((__m256i *)(void *)(to + 32), b);
  }
  _mm_sfence();  // before another thread is told that this is done
  memcpy(to, from, bytes);
}
WEFT_INLINE __m256i load_line(const char *from) {
  return _mm256_loadu_si256((const __m256i *)(const void *)from);
}
WEFT_INLINE void store_line(char *to, __m256i v) {
  _mm256_storeu_si256((__m256i *)(void *)to, v);
}
// At least 32 bytes; the last 32 once more where they are not whole vectors.
WEFT_INLINE void short_line(char *to, const char *from, size_t bytes) {
  size_t k = 0;
  for (; k + 128 <= bytes; k += 128) {
    const __m256i a = load_line(from + k);
    const __m256i b = load_line(from + k + 32);
    const __m256i c = load_line(from + k + 64);
    const __m256i d = load_line(from + k + 96);
    store_line(to + k, a);
    store_line(to + k + 32, b);
    store_line(to + k + 64, c);
    store_line(to + k + 96, d);
  }
  if (bytes - k >= 64) {
    const __m256i a = load_line(from + k);
    const __m256i b = load_line(from + k + 32);
    store_line(to + k, a);
    store_line(to + k + 32, b);
    k += 64;
  }
  if (bytes - k >= 32) {
    store_line(to + k, load_line(from + k));
    k += 32;
  }
  if (k < bytes)
    store_line(to + bytes - 32, load_line(from + bytes - 32));
}
static void lines(void *to, size_t to_step, const void *from, size_t from_step, size_t bytes, size_t n) {
  enum { LONG = 1024 };
  uintptr_t y = (uintptr_t)to;
  uintptr_t x = (uintptr_t)from;
  if (bytes >= 32 && bytes < LONG) {
    for (; n; n--, y += to_step, x += from_step)
      short_line((char *)y, (const char *)x, bytes);
  }
  for (; n; n--, y += to_step, x += from_step)
    memcpy((void *)y, (const void *)x, bytes);
}
#else
static void lines(void *to, size_t to_step, const void *from, size_t from_step, size_t bytes, size_t n) {
  uintptr_t y = (uintptr_t)to;
  uintptr_t x = (uintptr_t)from;
  for (; n; n--, y += to_step, x += from_step)
    memcpy((void *)y, (const void *)x, bytes);
}
static void stream(void *to, const void *from, size_t bytes) {
  memcpy(to, from, bytes);
}
#endif

// The last vector of a row may overlap the one before.
static void twice(const void *x_, void *y_, size_t n, size_t rows, size_t times) {
  const char *x = x_;
  char *y = y_;
  const size_t again = (times - 1) * 8 * n;
  for (; rows; rows--, x += 4 * n, y += times * 8 * n) {
    for (size_t i = 0; n >= 8 && i < n; i += 8) {
      vu v;
      if (i + 8 > n)
        i = n - 8;
      memcpy(&v, x + 4 * i, sizeof v);
      const vu low = PICK(v, v, 0, 0, 1, 1, 2, 2, 3, 3);
      const vu high = PICK(v, v, 4, 4, 5, 5, 6, 6, 7, 7);
      char *to = y + 8 * i;
      memcpy(to, &low, sizeof low);
      memcpy(to + sizeof low, &high, sizeof high);
      memcpy(to + again, &low, sizeof low);
      memcpy(to + again + sizeof low, &high, sizeof high);
    }
    for (size_t i = 0; n < 8 && i < n; i++) {
      uint32_t v;
      uint32_t both[2];
      memcpy(&v, x + 4 * i, sizeof v);
      both[0] = both[1] = v;
      memcpy(y + 8 * i, both, sizeof both);
      memcpy(y + again + 8 * i, both, sizeof both);
    }
  }
}
// SPDX-License-Identifier: Apache-2.0
