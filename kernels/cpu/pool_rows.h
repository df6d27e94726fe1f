// pool_rows.h - one row of pooling windows that lie inside the input, for the instruction set that this is
// compiled for. Sixteen or eight outputs are made at a time in a register over the whole window; the last ones
// again where their number does not divide, which gives the same. NaN wins a maximum.
#include "cpu/vector_math.h"
#include "cpu/vector_math_table.h"

typedef float v16 __attribute__((vector_size(64)));
typedef int32_t i16 __attribute__((vector_size(64)));
#define PICK __builtin_shufflevector

// Elements 0, 2, 4, ... of x, without reading behind the last of them.
#define EVEN_16(p, q) PICK(p, q, 0, 2, 4, 6, 8, 10, 12, 14, 17, 19, 21, 23, 25, 27, 29, 31)
#define EVEN_8(p, q)  PICK(p, q, 0, 2, 4, 6, 9, 11, 13, 15)
#define LARGER(T, I, v, o) ((T)(((I)(v) & (((v) > (o)) | ((v) != (v)))) | ((I)(o) & ~(((v) > (o)) | ((v) != (v))))))
#define SUM_OF(T, I, v, o) ((o) + (v))

#define OUTPUTS(T, I, N, F, start)                                             \
  for (size_t r = 0; r < p->rows; r++)                                         \
    for (size_t c = 0; c < p->cols; c++) {                                     \
      const float *x = (start) + r * p->row_step + c * p->col_step;            \
      T v, w;                                                                  \
      memcpy(&v, x, sizeof v);                                                 \
      if (p->stride == 2) {                                                    \
        memcpy(&w, x + N - 1, sizeof w);                                       \
        v = EVEN_##N(v, w);                                                    \
      }                                                                        \
      acc = r + c ? F(T, I, v, acc) : v;                                       \
    }

#define POOL(name, F, one, scaled)                                             \
  static void name(const weft__pool_row *p, float *y) {                        \
    size_t at = 0, n = p->n;                                                   \
    if (p->stride <= 2 && n >= 8)                                              \
      for (size_t done = 0; done < n; done = at) {                             \
        if (n >= 16) {                                                         \
          v16 acc = {0};                                                       \
          size_t from = done + 16 > n ? n - 16 : done;                         \
          OUTPUTS(v16, i16, 16, F, p->x + from * p->stride)                    \
          if (scaled) acc *= p->scale;                                         \
          memcpy(y + from, &acc, sizeof acc);                                  \
          at = from + 16;                                                      \
        } else {                                                               \
          vf acc = {0};                                                        \
          size_t from = done + 8 > n ? n - 8 : done;                           \
          OUTPUTS(vf, vi, 8, F, p->x + from * p->stride)                       \
          if (scaled) acc *= p->scale;                                         \
          memcpy(y + from, &acc, sizeof acc);                                  \
          at = from + 8;                                                       \
        }                                                                      \
      }                                                                        \
    for (; at < n; at++) {                                                     \
      float o = p->x[at * p->stride];                                          \
      for (size_t r = 0; r < p->rows; r++)                                     \
        for (size_t c = r ? 0 : 1; c < p->cols; c++) {                         \
          const float v = p->x[at * p->stride + r * p->row_step + c * p->col_step]; \
          o = (one);                                                           \
        }                                                                      \
      y[at] = scaled ? o * p->scale : o;                                       \
    }                                                                          \
  }
POOL(max_pool, LARGER, v > o || v != v ? v : o, 0)
POOL(avg_pool, SUM_OF, o + v, 1)
