// typed_block_one.h - the inner loops of one type. The including file says T, NAME(x), BYTES of a vector and
// ROWS of a tile, whose columns are two vectors.
typedef T NAME(vec) __attribute__((vector_size(BYTES)));
typedef T NAME(vec_at) __attribute__((vector_size(BYTES), aligned(sizeof(T)), may_alias));
enum { NAME(LANES) = BYTES / sizeof(T), NAME(COLS) = 2 * NAME(LANES) };

WEFT_INLINE NAME(vec) NAME(load)(const T *x) {
  return *(const NAME(vec_at) *)x;
}

WEFT_INLINE void NAME(tile_of)(const weft__typed_tile *t, const size_t rows) {
  NAME(vec) s[ROWS][2];
  T room[ROWS * NAME(COLS)];
  T *y = t->y;
  const T *a = t->a;
  const T *b = t->b;
  UNROLL
  for (size_t r = 0; r < rows; r++)
    s[r][0] = s[r][1] = (NAME(vec)){0};
  for (size_t k = 0; k < t->k; k++, a += rows, b += NAME(COLS)) {
    const NAME(vec) p = NAME(load)(b), q = NAME(load)(b + NAME(LANES));
    UNROLL
    for (size_t r = 0; r < rows; r++) {
      s[r][0] += p * a[r];
      s[r][1] += q * a[r];
    }
  }
  const bool whole = t->cols == NAME(COLS);
  UNROLL
  for (size_t r = 0; r < rows; r++) {
    T *to = whole ? y + r * t->y_row : room + r * NAME(COLS);
    for (size_t v = 0; v < 2; v++) {
      if (whole && t->more)
        s[r][v] += NAME(load)(to + v * NAME(LANES));
      *(NAME(vec_at) *)(to + v * NAME(LANES)) = s[r][v];
    }
  }
  for (size_t r = 0; r < rows && !whole; r++) {
    for (size_t i = 0; i < t->cols; i++)
      y[r * t->y_row + i] = (t->more ? y[r * t->y_row + i] : 0) + room[r * NAME(COLS) + i];
  }
}

static void NAME(tile)(const weft__typed_tile *t) {
  switch (t->rows) {
    case 1:
      NAME(tile_of)(t, 1);
      break;
    case 2:
      NAME(tile_of)(t, 2);
      break;
    case 3:
      NAME(tile_of)(t, 3);
      break;
    case 4:
      NAME(tile_of)(t, 4);
      break;
    case 5:
      NAME(tile_of)(t, 5);
      break;
    case 6:
      NAME(tile_of)(t, 6);
      break;
#if ROWS > 6
    case 7:
      NAME(tile_of)(t, 7);
      break;
    case 8:
      NAME(tile_of)(t, 8);
      break;
#endif
  }
}

static void NAME(add_rows)(const void *w, size_t w_step, const void *x, size_t x_row, size_t n_k, void *y,
                           size_t n) {
  const T *a = w;
  const T *b = x;
  T *to = y;
  size_t k = 0;
  for (; k + 4 <= n_k; k += 4, b += 4 * x_row) {
    const T p = a[k * w_step];
    const T q = a[(k + 1) * w_step];
    const T r = a[(k + 2) * w_step];
    const T s = a[(k + 3) * w_step];
    WEFT_LOOP(size_t i = 0; i < n; i++) {
      to[i] = (to[i] + p * b[i]) + (q * b[x_row + i] + (r * b[2 * x_row + i] + s * b[3 * x_row + i]));
    }
  }
  for (; k < n_k; k++, b += x_row) {
    const T p = a[k * w_step];
    WEFT_LOOP(size_t i = 0; i < n; i++)
      to[i] += p * b[i];
  }
}

static void NAME(dots)(const void *x, const void *rows, size_t row, size_t n_k, void *y, size_t n) {
  const T *a = x;
  const T *b = rows;
  for (size_t i = 0; i < n; i++, b += row) {
    NAME(vec) s[4] = {{0}};
    T rest = 0;
    size_t k = 0;
    for (; k + 4 * NAME(LANES) <= n_k; k += 4 * NAME(LANES))
      UNROLL
    for (size_t v = 0; v < 4; v++)
      s[v] += NAME(load)(a + k + v * NAME(LANES)) * NAME(load)(b + k + v * NAME(LANES));
    for (; k + NAME(LANES) <= n_k; k += NAME(LANES))
      s[0] += NAME(load)(a + k) * NAME(load)(b + k);
    for (; k < n_k; k++)
      rest += a[k] * b[k];
    s[0] = (s[0] + s[1]) + (s[2] + s[3]);
    UNROLL
    for (size_t v = 0; v < NAME(LANES); v++)
      rest += s[0][v];
    ((T *)y)[i] = rest;
  }
}
#undef T
#undef NAME
// SPDX-License-Identifier: Apache-2.0
