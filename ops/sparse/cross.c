// ops/sparse/cross.c - every choice of one feature from each column, row by row.   AscendIR SparseCross, as
// TensorFlow computes it. Columns are sparse matrices, whose elements stand row by row, and then dense ones;
// the last one changes fastest. Texts are joined by _X_; with hashed_output their fingerprints are mixed,
// from hash_key on, modulo num_buckets, or 2^63 - 1 where that is 0. internal_type int64 takes a text's
// fingerprint for the text.
#include "air_slots.h"
#include "op/air_rows.h"
#include "sparse.h"
#include "string_util.h"
#include "text_hash.h"

enum { INDICES, VALUES, SHAPES, DENSE };  // ports
enum { FOUND_INDICES, FOUND_VALUES, FOUND_SHAPE };

static weft_status cross_infer(weft_infer *it) {
  it->out_dtype[FOUND_VALUES] = weft_node_dtype(it->desc, WEFT_SLOT_SPARSE_CROSS_OUT_TYPE);
  return weft__sparse_infer_found(it, FOUND_INDICES, FOUND_VALUES, FOUND_SHAPE, 2);
}

typedef struct cross {
  const weft_call *c;
  size_t columns, sparse, rows;
  size_t *first;  // of each column and row, and one more: its first feature
  size_t *pick;   // of each column: which feature of the row
  bool hashed, as_numbers;
  weft_strings *list;  // of texts; NULL: numbers
  size_t work;
} cross;

static size_t cross_start(const cross *x, size_t port) {
  return x->c->desc->in_port[port].start;
}
static const weft_tensor *cross_values(const cross *x, size_t column) {
  return x->c
      ->in[column < x->sparse ? cross_start(x, VALUES) + column : cross_start(x, DENSE) + column - x->sparse];
}

// Where the rows of a sparse column begin.
static weft_status cross_sparse_column(const cross *x, size_t column, size_t *first) {
  const weft_tensor *at = x->c->in[cross_start(x, INDICES) + column];
  const size_t n = weft__elems(&cross_values(x, column)->layout.origin);
  if (at->layout.origin.rank != 2 || at->layout.origin.dim[1] != 2 || (size_t)at->layout.origin.dim[0] != n)
    return weft_fail(x->c->d, WEFT_E_SHAPE, "input 'indices', column %zu: expected shape [%zu,2]", column, n);
  size_t row = 0;
  first[0] = 0;
  for (size_t i = 0; i < n; i++) {
    const int64_t to = weft_load_i64(WEFT_INT64, at->data, 2 * i);
    WEFT_TRY(weft__poll_at(x->c, i));
    if (to < (int64_t)row || to >= (int64_t)x->rows) {
      return weft_fail(x->c->d, WEFT_E_RANGE,
                       "input 'indices', column %zu, element %zu: row %lld behind row %zu of %zu", column, i,
                       (long long)to, row, x->rows);
    }
    while (row < (size_t)to)
      first[++row] = i;
  }
  while (row < x->rows)
    first[++row] = n;
  return WEFT_OK;
}

static weft_status cross_columns(cross *x) {
  for (size_t k = 0; k < x->columns; k++) {
    size_t *first = x->first + k * (x->rows + 1);
    if (k < x->sparse) {
      WEFT_TRY(cross_sparse_column(x, k, first));
      continue;
    }
    const weft_shape *s = &cross_values(x, k)->layout.origin;
    if (s->rank != 2 || (size_t)s->dim[0] != x->rows)
      return weft_fail(x->c->d, WEFT_E_SHAPE, "input 'dense_inputs', %zu: expected %zu rows", k - x->sparse,
                       x->rows);
    for (size_t i = 0; i <= x->rows; i++)
      first[i] = i * (size_t)s->dim[1];
  }
  return WEFT_OK;
}

// How many rows all columns have, and room for their beginnings.
static weft_status cross_read(cross *x) {
  const weft_call *c = x->c;
  const weft_op_desc *n = c->desc;
  x->sparse = n->in_port[VALUES].count;
  x->columns = x->sparse + n->in_port[DENSE].count;
  if (n->in_port[INDICES].count != x->sparse || n->in_port[SHAPES].count != x->sparse || !x->columns)
    return weft_fail(c->d, WEFT_E_INVALID, "%u lists of indices, %zu of values, %u shapes, %u dense inputs",
                     n->in_port[INDICES].count, x->sparse, n->in_port[SHAPES].count, n->in_port[DENSE].count);
  for (size_t k = 0; k < x->columns; k++) {
    const weft_tensor *of = k < x->sparse ? c->in[cross_start(x, SHAPES) + k] : cross_values(x, k);
    const bool given = k >= x->sparse ? of->layout.origin.rank == 2 : weft__elems(&of->layout.origin) == 2;
    int64_t rows = !given          ? -1
                   : k < x->sparse ? weft_load_i64(WEFT_INT64, of->data, 0)
                                   : of->layout.origin.dim[0];
    if (rows < 0 || (k && (size_t)rows != x->rows))
      return weft_fail(c->d, WEFT_E_SHAPE, "column %zu: expected a matrix with as many rows as the first one",
                       k);
    x->rows = (size_t)rows;
  }
  size_t words;
  void *space;
  if (!weft_mul_size(x->columns, x->rows + 2, &words) || x->rows + 2 < 2)
    return weft_fail(c->d, WEFT_E_OVERFLOW, "%zu columns of %zu rows", x->columns, x->rows);
  WEFT_TRY(weft__scratch(c, words, &space));
  x->first = space;
  x->pick = x->first + x->columns * (x->rows + 1);
  return cross_columns(x);
}

static size_t cross_features(const cross *x, size_t column, size_t row) {
  const size_t *first = x->first + column * (x->rows + 1) + row;
  return first[1] - first[0];
}

static weft_status cross_count(const cross *x, size_t row, size_t *out) {
  *out = 1;
  for (size_t k = 0; k < x->columns; k++)
    *out = cross_features(x, k, row) ? *out : 0;
  for (size_t k = 0; k < x->columns && *out; k++) {
    if (!weft_mul_size(*out, cross_features(x, k, row), out) || *out > INT32_MAX)
      return weft_fail(x->c->d, WEFT_E_LIMIT, "row %zu has more than 2^31 - 1 crosses", row);
  }
  return WEFT_OK;
}

static uint64_t cross_mixed(uint64_t a, uint64_t b) {
  const uint64_t by = UINT64_C(0xc6a4a7935bd1e995);
  uint64_t v = b * by;
  v = ((a ^ by) ^ ((v ^ v >> 47) * by)) * by;
  v = (v ^ v >> 47) * by;
  return v ^ v >> 47;
}

// The feature of a column that was picked: its text, or its number.
static weft_status cross_feature(cross *x, size_t column, size_t row, const char **text, size_t *bytes,
                                 uint64_t *number) {
  const weft_tensor *t = cross_values(x, column);
  const size_t i = x->first[column * (x->rows + 1) + row] + x->pick[column];
  *text = NULL;
  if (t->dtype != WEFT_STRING)
    return *number = (uint64_t)weft_load_i64(WEFT_INT64, t->data, i), WEFT_OK;
  WEFT_TRY(weft_tensor_string(t, i, text, bytes, x->c->d));
  *number = x->hashed || x->as_numbers ? weft__hash_farm(*text, *bytes) : 0;
  return WEFT_OK;
}

static weft_status cross_one(cross *x, size_t row, size_t at) {
  uint64_t hash = (uint64_t)weft_node_int(x->c->desc, WEFT_SLOT_SPARSE_CROSS_HASH_KEY);
  const int64_t buckets = weft_node_int(x->c->desc, WEFT_SLOT_SPARSE_CROSS_NUM_BUCKETS);
  for (size_t k = 0; k < x->columns; k++) {
    const char *text;
    size_t bytes;
    uint64_t number;
    char digits[24];
    WEFT_TRY(cross_feature(x, k, row, &text, &bytes, &number));
    hash = cross_mixed(hash, number);
    if (!x->list)
      continue;
    if (!text || x->as_numbers) {
      bytes = (size_t)snprintf(digits, sizeof digits, "%lld", (long long)number);
      text = digits;
    }
    weft__strings_add(x->list, "_X_", k ? 3 : 0);
    weft__strings_add(x->list, text, bytes);
  }
  if (x->list)
    return weft__strings_next(x->list), x->list->stopped;
  hash %= buckets > 0 ? (uint64_t)buckets : (uint64_t)INT64_MAX;
  if (x->c->out[FOUND_VALUES])
    weft_store_i64(WEFT_INT64, x->c->out[FOUND_VALUES]->data, at, (int64_t)hash);
  return WEFT_OK;
}

static weft_status cross_rows(cross *x) {
  weft_tensor *indices = x->c->out[FOUND_INDICES];
  size_t at = 0;
  for (size_t row = 0; row < x->rows; row++) {
    size_t n;
    WEFT_TRY(cross_count(x, row, &n));
    memset(x->pick, 0, x->columns * sizeof *x->pick);
    for (size_t i = 0; i < n; i++, at++) {
      WEFT_TRY(weft__poll_work(x->c, &x->work, x->columns));
      if (indices) {
        weft_store_i64(WEFT_INT64, indices->data, 2 * at, (int64_t)row);
        weft_store_i64(WEFT_INT64, indices->data, 2 * at + 1, (int64_t)i);
      }
      WEFT_TRY(cross_one(x, row, at));
      for (size_t k = x->columns; k-- > 0 && ++x->pick[k] == cross_features(x, k, row);)
        x->pick[k] = 0;
    }
  }
  return WEFT_OK;
}

static weft_status cross_execute(const weft_call *c) {
  const weft_dtype t = weft_node_dtype(c->desc, WEFT_SLOT_SPARSE_CROSS_OUT_TYPE);
  cross x = {.c = c,
             .hashed = weft_node_bool(c->desc, WEFT_SLOT_SPARSE_CROSS_HASHED_OUTPUT),
             .as_numbers = weft_node_dtype(c->desc, WEFT_SLOT_SPARSE_CROSS_INTERNAL_TYPE) != WEFT_STRING};
  int64_t shape[2] = {0, 0};
  int64_t all = 0;
  weft_strings list;
  if (x.hashed != (t == WEFT_INT64))
    return weft_fail(c->d, WEFT_E_DTYPE, "attribute 'out_type' is %s: numbers are what hashed_output gives",
                     weft_dtype_name(t));
  WEFT_TRY(cross_read(&x));
  shape[0] = (int64_t)x.rows;
  for (size_t row = 0; row < x.rows; row++) {
    size_t n;
    WEFT_TRY(weft__poll_at(c, row));
    WEFT_TRY(cross_count(&x, row, &n));
    shape[1] = WEFT_MAX(shape[1], (int64_t)n);
    all += (int64_t)n;
  }
  WEFT_TRY(weft__found(c, FOUND_INDICES, WEFT_INT64, (int64_t[]){all, 2}, 2));
  WEFT_TRY(weft__found(c, FOUND_VALUES, t, &all, 1));
  WEFT_TRY(weft__found_ints(c, FOUND_SHAPE, WEFT_INT64, shape, 2));
  if (x.hashed || !c->out[FOUND_VALUES])
    return cross_rows(&x);
  weft__strings_init_at(&list, c, FOUND_VALUES);
  x.list = &list;
  weft_status s = cross_rows(&x);
  return weft__strings_give(&list, &c->out[FOUND_VALUES]->layout.origin, s);
}

#define TEXTS " hashed_output=false hash_key=0 out_type=str internal_type=str "
// clang-format off
WEFT_ROWS(sparse_cross) = {
    {"SparseCross", "every choice of one feature from each column",
        WEFT_SYMBOLIC | WEFT_DATA_DEPENDENT, .infer = cross_infer, .infer_range = weft__found_range,
     .execute = cross_execute,
     .examples = WEFT_EXAMPLES(
         "[i64[3,2]{0,0,0,1,1,0}], [str[3]{\"a\",\"b\",\"c\"}], [i64[2]{2,2}], [str[2,1]{\"x\",\"y\"}]"
         " N=1" TEXTS "-> i64[3,2]{0,0,0,1,1,0}, str[3]{\"a_X_x\",\"b_X_x\",\"c_X_y\"}, i64[2]{2,2}",
         "[i64[1,2]{1,0}], [str[1]{\"a\"}], [i64[2]{2,1}], [] N=1" TEXTS
         "-> i64[1,2]{1,0}, str[1]{\"a\"}, i64[2]{2,1}",
         "[i64[1,2]{2,0}], [str[1]{\"a\"}], [i64[2]{2,1}], [] N=1" TEXTS "-> _, _, _ !! E_RANGE row 2",
         "[i64[2,2]{1,0,0,0}], [str[2]{\"a\",\"b\"}], [i64[2]{2,1}], [] N=1" TEXTS "-> _, _, _ !! "
         "E_RANGE behind row 1")},
    {0},
};
// SPDX-License-Identifier: Apache-2.0
