// pool_rows.h - one row of pooling windows that lie inside the input, for the instruction set that this is
// compiled for. NaN wins a maximum.
#include "cpu/vector_math_table.h"
#include "cpu/vector_math.h"

#define OVER_WINDOW(e)                                                      \
  for (size_t r = 0; r < p->rows; r++)                                      \
    for (size_t c = 0; c < p->cols; c++) {                                  \
      const float *x = p->x + r * p->row_step + c * p->col_step;            \
      if (p->stride == 1) {                                                 \
        WEFT_LOOP(size_t i = 0; i < n; i++) {                               \
          const float v = x[i], o = acc[i];                                 \
          acc[i] = (e);                                                     \
        }                                                                   \
      } else if (p->stride == 2) {                                          \
        WEFT_LOOP(size_t i = 0; i < n; i++) {                               \
          const float v = x[2 * i], o = acc[i];                             \
          acc[i] = (e);                                                     \
        }                                                                   \
      } else {                                                              \
        for (size_t i = 0; i < n; i++) {                                    \
          const float v = x[i * p->stride], o = acc[i];                     \
          acc[i] = (e);                                                     \
        }                                                                   \
      }                                                                     \
    }

static void max_pool(const weft__pool_row *p, float *y) {
  const size_t n = p->n;
  float *acc = y;
  for (size_t i = 0; i < n; i++) acc[i] = p->x[i * p->stride];
  OVER_WINDOW(v > o ? v : o == o && v != v ? v : o)
}
static void avg_pool(const weft__pool_row *p, float *y) {
  const size_t n = p->n;
  float *acc = y;
  for (size_t i = 0; i < n; i++) acc[i] = 0;
  OVER_WINDOW(o + v)
  for (size_t i = 0; i < n; i++) acc[i] *= p->scale;
}
