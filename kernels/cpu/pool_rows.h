// pool_rows.h - one row of pooling windows that lie inside the input, for the instruction set that this is
// compiled for. Sixteen or eight outputs are made at a time in a register over the whole window; the last
// ones again where their number does not divide, which gives the same. NaN wins a maximum.
#include "cpu/vector_math.h"
#include "cpu/vector_math_table.h"

typedef float v16 __attribute__((vector_size(64)));
typedef int32_t i16 __attribute__((vector_size(64)));
#define PICK __builtin_shufflevector

// Elements 0, 2, 4, ... of x, without reading behind the last of them.
#define EVEN_16(p, q) PICK(p, q, 0, 2, 4, 6, 8, 10, 12, 14, 17, 19, 21, 23, 25, 27, 29, 31)
#define EVEN_8(p, q)  PICK(p, q, 0, 2, 4, 6, 9, 11, 13, 15)
#define LARGER(T, I, v, o) \
  ((T)(((I)(v) & (((v) > (o)) | ((v) != (v)))) | ((I)(o) & ~(((v) > (o)) | ((v) != (v))))))
#define SUM_OF(T, I, v, o) ((o) + (v))

// N outputs from element `from` on, over the windows' elements x + off[k].
#define STEP_1(T, N, x) memcpy(&v, (x), sizeof v)
#define STEP_2(T, N, x)                \
  do {                                 \
    T w;                               \
    memcpy(&v, (x), sizeof v);         \
    memcpy(&w, (x) + N - 1, sizeof w); \
    v = EVEN_##N(v, w);                \
  } while (0)
#define OUTPUTS(T, I, N, F, STEP, from, scaled) \
  do {                                          \
    const float *x = p->x + (from)*p->stride;   \
    T acc, v;                                   \
    STEP(T, N, x);                              \
    acc = v;                                    \
    for (size_t k = 1; k < taps; k++) {         \
      STEP(T, N, x + off[k]);                   \
      acc = F(T, I, v, acc);                    \
    }                                           \
    if (scaled) acc *= p->scale;                \
    memcpy(y + (from), &acc, sizeof acc);       \
  } while (0)
#define CHUNKS(T, I, N, F, STEP, scaled) \
  for (size_t done = 0; done < n; done += N) OUTPUTS(T, I, N, F, STEP, (done + N > n ? n - N : done), scaled)

enum { TAPS = 128 };
#define POOL(name, F, one, scaled)                                                          \
  static void name(const weft__pool_row *p, float *y) {                                     \
    size_t off[TAPS], taps = 0;                                                             \
    const size_t n = p->n;                                                                  \
    const bool fits = p->rows <= TAPS && p->cols <= TAPS && p->rows * p->cols <= TAPS;      \
    for (size_t r = 0; fits && r < p->rows; r++)                                            \
      for (size_t c = 0; c < p->cols; c++) off[taps++] = r * p->row_step + c * p->col_step; \
    if (fits && n >= 16 && p->stride == 1) {                                                \
      CHUNKS(v16, i16, 16, F, STEP_1, scaled);                                              \
    } else if (fits && n >= 16 && p->stride == 2) {                                         \
      CHUNKS(v16, i16, 16, F, STEP_2, scaled);                                              \
    } else if (fits && n >= 8 && p->stride == 1) {                                          \
      CHUNKS(vf, vi, 8, F, STEP_1, scaled);                                                 \
    } else if (fits && n >= 8 && p->stride == 2) {                                          \
      CHUNKS(vf, vi, 8, F, STEP_2, scaled);                                                 \
    } else {                                                                                \
      for (size_t at = 0; at < n; at++) {                                                   \
        float o = p->x[at * p->stride];                                                     \
        for (size_t r = 0; r < p->rows; r++)                                                \
          for (size_t c = r ? 0 : 1; c < p->cols; c++) {                                    \
            const float v = p->x[at * p->stride + r * p->row_step + c * p->col_step];       \
            o = (one);                                                                      \
          }                                                                                 \
        y[at] = scaled ? o * p->scale : o;                                                  \
      }                                                                                     \
    }                                                                                       \
  }
POOL(max_pool, LARGER, v > o || v != v ? v : o, 0)
POOL(avg_pool, SUM_OF, o + v, 1)
