// ops/diagonal/diagonals.c - diagonals of matrices taken out, put in, and made into matrices.   AscendIR
// MatrixDiag*, MatrixDiagPart*, MatrixSetDiag* (TensorFlow's), Diag*, DiagPart*, DiagFlat (PyTorch's),
// MatrixBandPart, FillDiagonal. Diagonals k[0] to k[1] of an M x N matrix stand in rows, the highest first;
// shorter ones are padded. Diagonal d holds the places (n - min(d, 0), n + max(d, 0)). align says at which
// side of its row a diagonal that is shorter stands: the first word for those above the main one, the second
// for those below.
#include "dims_move.h"
#include "op/air_rows.h"

enum { MAKE, TAKE, SET };
typedef struct diagonals {
  uint8_t what;
  uint8_t k;    // input that holds k; 0: the main diagonal
  bool sized;   // inputs num_rows and num_cols behind k
  uint8_t pad;  // input that holds the padding; 0: zero
  bool aligns;  // has attribute align; otherwise all stand left
} diagonals;

typedef struct band {
  int64_t low, high;  // diagonals
  int64_t rows, cols;
  int64_t length;  // of a row of diagonals
  bool right[2];   // those above, those below
} band;

static int64_t diagonal_length(const band *b, int64_t d) {
  int64_t n = WEFT_MIN(b->rows + WEFT_MIN(d, 0), b->cols - WEFT_MAX(d, 0));
  return WEFT_MAX(n, 0);
}

static weft_status diagonals_k(weft_diag *d, const int64_t *k, size_t n, band *b) {
  if (n != 1 && n != 2)
    return weft_fail(d, WEFT_E_SHAPE, "input 'k' has %zu elements, expected 1 or 2", n);
  b->low = k[0];
  b->high = k[n - 1];
  if (b->low > b->high || b->low < -INT32_MAX || b->high > INT32_MAX)
    return weft_fail(d, WEFT_E_RANGE, "input 'k': diagonals %lld to %lld", (long long)b->low,
                     (long long)b->high);
  return WEFT_OK;
}

static weft_status diagonals_align(const weft_op_desc *n, weft_diag *d, const diagonals *g, band *b) {
  const char *how = g->aligns ? weft_node_str(n, 0) : "LEFT_LEFT";
  static const char *const words[4] = {"LEFT_LEFT", "LEFT_RIGHT", "RIGHT_LEFT", "RIGHT_RIGHT"};
  for (unsigned i = 0; i < 4; i++) {
    if (!strcmp(how, words[i])) {
      b->right[0] = i >> 1;
      b->right[1] = i & 1;
      return WEFT_OK;
    }
  }
  return weft_fail(d, WEFT_E_INVALID,
                   "attribute 'align': '%s' is none of LEFT_LEFT, LEFT_RIGHT, RIGHT_LEFT, RIGHT_RIGHT", how);
}

// Sizes of the matrix that `length` elements in `rows` rows of diagonals make; -1 in rows or cols: the least.
static weft_status diagonals_sizes(weft_diag *d, band *b, int64_t rows, int64_t cols, int64_t length,
                                   int64_t n) {
  int64_t least_rows = length - WEFT_MIN(b->high, 0);
  int64_t least_cols = length + WEFT_MAX(b->low, 0);
  if (n != b->high - b->low + 1)
    return weft_fail(d, WEFT_E_SHAPE, "%lld diagonals in %lld rows", (long long)(b->high - b->low + 1),
                     (long long)n);
  if (rows < 0 && cols < 0)
    rows = cols = WEFT_MAX(least_rows, least_cols);
  rows = rows < 0 ? least_rows : rows;
  cols = cols < 0 ? least_cols : cols;
  b->rows = rows;
  b->cols = cols;
  b->length = WEFT_MIN(rows + WEFT_MIN(b->high, 0), cols - WEFT_MAX(b->low, 0));
  if (rows < least_rows || cols < least_cols || b->length != length ||
      (rows != least_rows && cols != least_cols))
    return weft_fail(d, WEFT_E_SHAPE, "diagonals of %lld elements do not fit %lld rows and %lld columns",
                     (long long)length, (long long)rows, (long long)cols);
  return WEFT_OK;
}

static weft_status diagonals_make_infer(weft_infer *it, const diagonals *g, band *b) {
  const weft_shape *x = it->in[0];
  int64_t size[2][1] = {{-1}, {-1}};
  bool several = b->low != b->high;
  WEFT_TRY(weft__expect_rank(it, 0, 1 + several, WEFT_MAX_RANK - 1));
  for (uint32_t i = 0; i < 2 && g->sized; i++) {
    int64_t n;
    bool known;
    WEFT_TRY(weft__in_ints(it, g->k + 1u + i, size[i], 1, &n, &known));
    if (!known || n != 1)
      return weft__unknown_dims(it, 0, x->rank + !several);
  }
  weft_shape *y = it->out[0];
  size_t last = x->rank - 1;
  weft_dim length = x->dim[last];
  y->rank = x->rank + !several;
  for (size_t i = 0; i + 2 < y->rank; i++)
    y->dim[i] = x->dim[i];
  y->dim[y->rank - 2] = y->dim[y->rank - 1] = -1;
  if (!g->k) {
    y->dim[y->rank - 2] = y->dim[y->rank - 1] = length;
    return WEFT_OK;
  }
  if (length < 0 || (several && x->dim[last - 1] < 0))
    return WEFT_OK;
  WEFT_TRY(diagonals_sizes(it->d, b, size[0][0], size[1][0], length, several ? x->dim[last - 1] : 1));
  y->dim[y->rank - 2] = b->rows;
  y->dim[y->rank - 1] = b->cols;
  return WEFT_OK;
}

static weft_status diagonals_take_infer(weft_infer *it, const diagonals *g, band *b) {
  const weft_shape *x = it->in[0];
  bool several = b->low != b->high;
  WEFT_TRY(weft__expect_rank(it, 0, 2, WEFT_MAX_RANK));
  if (g->what == SET) {
    weft_shape_copy(it->out[0], x);
    return WEFT_OK;
  }
  weft_shape *y = it->out[0];
  y->rank = x->rank - 1 + several;
  for (size_t i = 0; i + 2 < x->rank; i++)
    y->dim[i] = x->dim[i];
  if (several)
    y->dim[y->rank - 2] = b->high - b->low + 1;
  b->rows = x->dim[x->rank - 2];
  b->cols = x->dim[x->rank - 1];
  y->dim[y->rank - 1] = -1;
  if (b->rows < 0 || b->cols < 0) {
    y->dim[y->rank - 1] = weft_dim_same(b->rows, b->cols) && !g->k ? b->rows : -1;
    return WEFT_OK;
  }
  b->length = WEFT_MIN(b->rows + WEFT_MIN(b->high, 0), b->cols - WEFT_MAX(b->low, 0));
  if (b->length < 0 || b->low <= -WEFT_MAX(b->rows, 1) || b->high >= WEFT_MAX(b->cols, 1))
    return weft_fail(it->d, WEFT_E_RANGE, "diagonals %lld to %lld of %lld rows and %lld columns",
                     (long long)b->low, (long long)b->high, (long long)b->rows, (long long)b->cols);
  y->dim[y->rank - 1] = b->length;
  return WEFT_OK;
}

static weft_status diagonals_infer(weft_infer *it) {
  const diagonals *g = it->desc->op->user;
  band b = {0, 0, 0, 0, 0, {false, false}};
  WEFT_TRY(diagonals_align(it->desc, it->d, g, &b));
  if (g->pad)
    WEFT_TRY(weft__expect_rank(it, g->pad, 0, 1));
  const uint32_t same = g->what == SET ? 1 : g->pad;  // input with elements of x's dtype; 0: none
  if (same && it->in_dtype[same] != it->in_dtype[0])
    return weft_fail(it->d, WEFT_E_DTYPE, "input %u and input 0 have different dtypes", same);
  if (weft_shape_is_unknown_rank(it->in[0]))
    return weft__unknown_rank(it, 0);
  if (g->k) {
    int64_t k[2];
    int64_t n;
    bool known;
    WEFT_TRY(weft__in_ints(it, g->k, k, 2, &n, &known));
    bool there = known;
    for (int64_t i = 0; known && i < n; i++)
      there &= k[i] != WEFT_DIM_INVALID && !weft_dim_is_symbol(k[i]);
    if (!there && g->what == SET) {
      weft_shape_copy(it->out[0], it->in[0]);
      return WEFT_OK;
    }
    if (!there)
      return weft__unknown_rank(it, 0);
    WEFT_TRY(diagonals_k(it->d, k, (size_t)n, &b));
  }
  return g->what == MAKE ? diagonals_make_infer(it, g, &b) : diagonals_take_infer(it, g, &b);
}

typedef struct diagonal_map {
  const band *b;
  size_t diags;
} diagonal_map;

// The place in the matrices of an element of the diagonals; -1: it is padding.
static int64_t diagonal_to(void *ctx, size_t at) {
  const diagonal_map *m = ctx;
  const band *b = m->b;
  int64_t slot = (int64_t)(at % (size_t)b->length);
  int64_t d = b->high - (int64_t)(at / (size_t)b->length % m->diags);
  size_t matrix = at / (size_t)b->length / m->diags;
  bool right = d >= 0 ? b->right[0] : b->right[1];
  int64_t n = slot - (right ? b->length - diagonal_length(b, d) : 0);
  if (n < 0 || n >= diagonal_length(b, d))
    return -1;
  return (int64_t)(matrix * (size_t)b->rows + (size_t)(n - WEFT_MIN(d, 0))) * b->cols + n + WEFT_MAX(d, 0);
}

// The elements of `diagonal` to their places in y, where everything else stands already.
static weft_status diagonals_put(const weft_call *c, const weft_tensor *diagonal, weft_tensor *y,
                                 diagonal_map *m) {
  const size_t n = weft__elems(&diagonal->layout.origin);
  for (size_t i = 0; i < n; i++) {
    const int64_t to = diagonal_to(m, i);
    WEFT_TRY(weft__poll_at(c, i));
    if (to >= 0)
      weft__copy_elem(y->dtype, y->data, (size_t)to, diagonal->data, i);
  }
  return WEFT_OK;
}

static weft_status diagonals_make(const weft_call *c, diagonal_map *m, const weft_tensor *pad) {
  weft_tensor *y = c->out[0];
  const size_t n = weft__elems(&y->layout.origin);
  if (!pad && n)
    memset(y->data, 0, y->bytes);
  for (size_t i = 0; pad && i < n; i++) {
    WEFT_TRY(weft__poll_at(c, i));
    weft__copy_elem(y->dtype, y->data, i, pad->data, 0);
  }
  return diagonals_put(c, c->in[0], y, m);
}

static weft_status diagonals_set(const weft_call *c, diagonal_map *m, size_t matrices) {
  const weft_tensor *diagonal = c->in[1];
  const size_t have = weft__elems(&diagonal->layout.origin);
  const size_t want = matrices * m->diags * (size_t)m->b->length;
  if (have != want)
    return weft_fail(c->d, WEFT_E_SHAPE, "input 'diagonal' has %zu elements, its place in x has %zu", have,
                     want);
  WEFT_TRY(weft__copy_all(c));
  return diagonals_put(c, diagonal, c->out[0], m);
}

static weft_status diagonals_ref(const weft_call *c) {
  const diagonals *g = c->desc->op->user;
  const weft_shape *x = &c->in[0]->layout.origin;
  const weft_shape *y = &c->out[0]->layout.origin;
  const weft_shape *matrix = g->what == MAKE ? y : x;
  band b = {0, 0, 0, 0, 0, {false, false}};
  WEFT_TRY(diagonals_align(c->desc, c->d, g, &b));
  if (g->k) {
    int64_t k[2];
    size_t n;
    WEFT_TRY(weft__read_ints(c, g->k, k, 2, &n));
    WEFT_TRY(diagonals_k(c->d, k, n, &b));
  }
  b.rows = matrix->dim[matrix->rank - 2];
  b.cols = matrix->dim[matrix->rank - 1];
  b.length = WEFT_MIN(b.rows + WEFT_MIN(b.high, 0), b.cols - WEFT_MAX(b.low, 0));
  b.length = WEFT_MAX(b.length, 0);
  diagonal_map m = {&b, (size_t)(b.high - b.low + 1)};
  const weft_tensor *pad = g->pad ? c->in[g->pad] : NULL;
  if (pad && weft__elems(&pad->layout.origin) != 1)
    return weft_fail(c->d, WEFT_E_SHAPE, "input 'padding_value' has %zu elements, expected 1",
                     weft__elems(&pad->layout.origin));
  if (!weft_dtype_bits(c->out[0]->dtype))
    return weft__no_kernel(c, c->out[0]->dtype);
  if (g->what == TAKE)
    return weft__move(c, c->in[0], c->out[0], diagonal_to, &m, pad);
  return g->what == MAKE ? diagonals_make(c, &m, pad) : diagonals_set(c, &m, weft__prod(x, 0, x->rank - 2));
}

// ---- Diag of vectors and matrices as PyTorch has them: one diagonal, an attribute ----
static int64_t one_diagonal(const weft_op_desc *n) {
  return n->n_attr ? weft_node_int(n, 0) : 0;
}
static weft_status one_check(weft_diag *d, int64_t k) {
  return k < -INT32_MAX || k > INT32_MAX
             ? weft_fail(d, WEFT_E_RANGE, "attribute 'diagonal' is %lld", (long long)k)
             : WEFT_OK;
}
// flat: DiagFlat, x of any rank as a vector
static weft_status diag_infer(weft_infer *it) {
  bool flat = it->desc->op->user != NULL;
  const weft_shape *x = it->in[0];
  int64_t k = one_diagonal(it->desc);
  WEFT_TRY(one_check(it->d, k));
  if (weft_shape_is_unknown_rank(x))
    return flat ? weft__unknown_dims(it, 0, 2) : weft__unknown_rank(it, 0);
  int64_t n = flat ? 1 : 0;
  if (!flat)
    WEFT_TRY(weft__expect_rank(it, 0, 1, 2));
  weft_shape *y = it->out[0];
  if (x->rank == 2 && !flat) {
    weft_dim rows = weft_dims_add(it, x->dim[0], WEFT_MIN(k, 0));
    weft_dim cols = weft_dims_sub(it, x->dim[1], WEFT_MAX(k, 0));
    y->rank = 1;
    y->dim[0] = weft_dims_max(it, weft_dims_min(it, rows, cols), 0);
    return WEFT_OK;
  }
  weft_dim all = n ? 1 : x->dim[0];
  for (size_t i = 0; flat && i < x->rank; i++)
    all = weft_dims_mul(it, all, x->dim[i]);
  y->rank = 2;
  y->dim[0] = y->dim[1] = weft_dims_add(it, all, k < 0 ? -k : k);
  return WEFT_OK;
}
static weft_status diag_ref(const weft_call *c) {
  bool flat = c->desc->op->user != NULL;
  const weft_shape *x = &c->in[0]->layout.origin;
  int64_t k = one_diagonal(c->desc);
  bool take = x->rank == 2 && !flat;
  const weft_shape *matrix = take ? x : &c->out[0]->layout.origin;
  band b = {.low = k, .high = k, .rows = matrix->dim[0], .cols = matrix->dim[1]};
  b.length = diagonal_length(&b, k);
  diagonal_map m = {&b, 1};
  return take ? weft__move(c, c->in[0], c->out[0], diagonal_to, &m, NULL) : diagonals_make(c, &m, NULL);
}

// DiagPart of a tensor [a, b, a, b]: TensorFlow's
static weft_status diag_part_infer(weft_infer *it) {
  const weft_shape *x = it->in[0];
  if (weft_shape_is_unknown_rank(x))
    return weft__unknown_rank(it, 0);
  if (!x->rank || x->rank % 2)
    return weft_fail(it->d, WEFT_E_SHAPE, "input 'x': rank %zu, expected an even one", x->rank);
  weft_shape *y = it->out[0];
  y->rank = x->rank / 2;
  for (size_t i = 0; i < y->rank; i++)
    WEFT_TRY(weft__merge_dim(it, x->dim[i], x->dim[i + y->rank], "the halves of x's dims", &y->dim[i]));
  return WEFT_OK;
}
static int64_t diag_part_source(void *ctx, size_t at) {
  return (int64_t)(at * (*(const size_t *)ctx + 1));
}
static weft_status diag_part_ref(const weft_call *c) {
  size_t n = weft__elems(&c->out[0]->layout.origin);
  return weft__move(c, c->in[0], c->out[0], diag_part_source, &n, NULL);
}

#define BAND(op_name, says, reads, ...)                                                  \
  {                                                                                      \
    .name = op_name, .summary = says, .traits = WEFT_SYMBOLIC, .infer = diagonals_infer, \
    .ref = diagonals_ref, .values = reads, .user = &(const diagonals)
#define MATRIX "f32[2,2]{1,2,3,4}"

WEFT_ROWS(diagonals) = {BAND("MatrixDiag", "vectors on the diagonals of matrices", NULL){MAKE, 0, false, 0,
                                                                                         false},
                        .examples = WEFT_EXAMPLES("f32[2]{1,2} -> f32[2,2]{1,0,0,2}",
                                                  "f32[N,3] -> f32[N,3,3]")},
    BAND("MatrixDiagD", "vectors on the diagonals of matrices", NULL){MAKE, 0, false, 0, false},
    .examples = WEFT_EXAMPLES("f32[2]{1,2}, f32[2,2]{0..} -> f32[2,2]{1,0,0,2}")
}
, BAND("MatrixDiagV2", "vectors on diagonals of matrices", "k,num_rows,num_cols"){MAKE, 1, true, 4, false},
    .examples =
        WEFT_EXAMPLES("f32[2]{1,2}, i32[]{1}, i32[]{-1}, i32[]{-1}, f32[]{9} -> f32[3,3]{9,1,9,9,9,2,9,9,9}")
}
, BAND("MatrixDiagV3", "vectors on diagonals of matrices", "k,num_rows,num_cols"){MAKE, 1, true, 4, true},
    .examples =
        WEFT_EXAMPLES("f32[2]{1,2}, i32[]{1}, i32[]{-1}, i32[]{-1}, f32[]{9} -> f32[3,3]{9,1,9,9,9,2,9,9,9}")
}
, BAND("MatrixDiagPart", "the diagonals of matrices", NULL){TAKE, 0, false, 0, false},
    .examples = WEFT_EXAMPLES(MATRIX " -> f32[2]{1,4}", "f32[B,N,N] -> f32[B,N]")
}
, BAND("MatrixDiagPartD", "the diagonals of matrices", NULL){TAKE, 0, false, 0, false},
    .examples = WEFT_EXAMPLES(MATRIX ", f32[2,2]{0..} -> f32[2]{1,4}")
}
, BAND("MatrixDiagPartV2", "diagonals of matrices", "k"){TAKE, 1, false, 2, false},
    .examples = WEFT_EXAMPLES(MATRIX ", i32[2]{0,1}, f32[]{9} -> f32[2,2]{2,9,1,4}")
}
, BAND("MatrixDiagPartV3", "diagonals of matrices", "k"){TAKE, 1, false, 2, true},
    .examples = WEFT_EXAMPLES(MATRIX ", i32[2]{0,1}, f32[]{9} -> f32[2,2]{9,2,1,4}")
}
, BAND("MatrixSetDiag", "matrices with other diagonals", NULL){SET, 0, false, 0, false},
    .examples = WEFT_EXAMPLES(MATRIX ", f32[2]{8,9} -> f32[2,2]{8,2,3,9}")
}
, BAND("MatrixSetDiagD", "matrices with other diagonals", NULL){SET, 0, false, 0, false},
    .examples = WEFT_EXAMPLES(MATRIX ", f32[2]{8,9}, f32[2,2]{0..} -> f32[2,2]{8,2,3,9}")
}
, BAND("MatrixSetDiagV2", "matrices with other diagonals", "k"){SET, 2, false, 0, false},
    .examples = WEFT_EXAMPLES(MATRIX ", f32[1]{8}, i32[]{1} -> f32[2,2]{1,8,3,4}")
}
, BAND("MatrixSetDiagV3", "matrices with other diagonals", "k"){SET, 2, false, 0, true},
    .examples = WEFT_EXAMPLES(MATRIX ", f32[1]{8}, i32[]{1} -> f32[2,2]{1,8,3,4}")
}
,
    {.name = "DiagV2",
     .summary = "the diagonal of a matrix, or a matrix of it",
     .traits = WEFT_SYMBOLIC,
     .infer = diag_infer,
     .ref = diag_ref,
     .examples =
         WEFT_EXAMPLES(MATRIX " diagonal=1 -> f32[1]{2}", "f32[1]{5} diagonal=-1 -> f32[2,2]{0,0,5,0}")},
    {.name = "DiagFlat",
     .summary = "a matrix with x on a diagonal",
     .traits = WEFT_SYMBOLIC,
     .infer = diag_infer,
     .ref = diag_ref,
     .user = "flat",
     .examples = WEFT_EXAMPLES("f32[1,2]{1,2} -> f32[2,2]{1,0,0,2}")},
    {.name = "DiagPart",
     .summary = "the elements whose halves of the index are equal",
     .traits = WEFT_SYMBOLIC,
     .infer = diag_part_infer,
     .ref = diag_part_ref,
     .examples = WEFT_EXAMPLES(MATRIX " -> f32[2]{1,4}")},
    {.name = "DiagPartD",
     .summary = "the elements whose halves of the index are equal",
     .traits = WEFT_SYMBOLIC,
     .infer = diag_part_infer,
     .ref = diag_part_ref,
     .examples = WEFT_EXAMPLES(MATRIX ", f32[2,2]{0..} -> f32[2]{1,4}")},
    {0},
}
;
// SPDX-License-Identifier: Apache-2.0
