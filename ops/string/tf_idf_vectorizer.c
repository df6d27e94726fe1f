// ops/string/tf_idf_vectorizer.c - counts n-grams of a pool in each row.   AscendIR TfIdfVectorizer, ONNX
// TfIdfVectorizer-9. ngram_counts[k] is where the (k+1)-grams begin in the pool; the i-th n-gram counts in
// column ngram_indexes[i] and weighs weights[i] (1 without weights). An n-gram's words lie 1 to
// max_skip_count + 1 apart; single words are counted once.
#include "string_util.h"

enum { MAX_GRAM, MAX_SKIP, MIN_GRAM, MODE, COUNTS, INDEXES, POOL_INTS, POOL_STRINGS, WEIGHTS };

typedef struct pool {
  weft_ints counts, indexes, ints;
  const weft_attr *strings, *weights;
  size_t n;  // words
  int64_t columns;
  bool idf;  // an n-gram that is there weighs what it weighs, however often it is there
} pool;

typedef struct grams_row {
  size_t from, length;  // elements of the input
  float *out;
} grams_row;

// Where the n-grams of `size` words begin, how many there are, and the number of the first.
static size_t grams(const pool *p, size_t size, size_t *out_n, size_t *out_first) {
  size_t first = 0;
  size_t from = 0;
  size_t n = 0;
  for (size_t k = 0; k < size; k++) {
    from = (size_t)p->counts.v[k];
    size_t end = k + 1 < p->counts.n ? (size_t)p->counts.v[k + 1] : p->n;
    first += n;
    n = (end - from) / (k + 1);
  }
  *out_n = n;
  *out_first = first;
  return from;
}

static weft_status read_pool(const weft_op_desc *desc, pool *p, weft_diag *d) {
  p->counts = weft_node_ints(desc, COUNTS);
  p->indexes = weft_node_ints(desc, INDEXES);
  p->ints = weft_node_ints(desc, POOL_INTS);
  p->strings = weft_attr_at(desc, POOL_STRINGS, WEFT_VT_LIST_STRING);
  p->weights = weft_attr_at(desc, WEIGHTS, WEFT_VT_LIST_FLOAT);
  size_t words = p->strings ? p->strings->n : 0;
  size_t all = 0;
  if (p->ints.n && words)
    return weft_fail(d, WEFT_E_INVALID, "attributes 'pool_int64s' and 'pool_strings' are both given");
  p->n = p->ints.n + words;
  p->columns = 0;
  for (size_t i = 0; i < p->indexes.n; i++) {
    if (p->indexes.v[i] < 0 || p->indexes.v[i] >= INT64_C(1) << 40) {
      return weft_fail(d, WEFT_E_RANGE, "attribute 'ngram_indexes': element %zu is %lld", i,
                       (long long)p->indexes.v[i]);
    }
    p->columns = WEFT_MAX(p->columns, p->indexes.v[i] + 1);
  }
  for (size_t k = 0; k < p->counts.n; k++) {
    int64_t from = p->counts.v[k];
    int64_t end = k + 1 < p->counts.n ? p->counts.v[k + 1] : (int64_t)p->n;
    if (from < 0 || end < from || end > (int64_t)p->n || (end - from) % ((int64_t)k + 1)) {
      return weft_fail(d, WEFT_E_INVALID,
                       "attribute 'ngram_counts': %zu-grams from %lld to %lld of a pool of %zu words", k + 1,
                       (long long)from, (long long)end, p->n);
    }
    all += (size_t)(end - from) / (k + 1);
  }
  if (all != p->indexes.n) {
    return weft_fail(d, WEFT_E_INVALID, "attribute 'ngram_indexes' has %zu elements, the pool %zu n-grams",
                     p->indexes.n, all);
  }
  if (p->weights && p->weights->n && p->weights->n != all) {
    return weft_fail(d, WEFT_E_INVALID, "attribute 'weights' has %zu elements, the pool %zu n-grams",
                     p->weights->n, all);
  }
  int64_t least = weft_node_int(desc, MIN_GRAM);
  int64_t most = weft_node_int(desc, MAX_GRAM);
  if (least > most) {
    return weft_fail(d, WEFT_E_INVALID, "attribute 'min_gram_length' %lld is over max_gram_length %lld",
                     (long long)least, (long long)most);
  }
  return WEFT_OK;
}

static weft_status tf_idf_vectorizer_infer(weft_infer *it) {
  pool p;
  const weft_shape *s = it->in[0];
  WEFT_TRY(weft__expect_rank(it, 0, 0, 2));
  WEFT_TRY(read_pool(it->desc, &p, it->d));
  if (p.n && (it->in_dtype[0] == WEFT_STRING) != (p.ints.n == 0)) {
    return weft_fail(it->d, WEFT_E_DTYPE, "input 'input' is %s, the pool has %s",
                     weft_dtype_serial(it->in_dtype[0]), p.ints.n ? "integers" : "strings");
  }
  if (weft_shape_is_unknown_rank(s))
    return weft__unknown_rank(it, 0);
  weft_dim dims[2] = {s->rank == 2 ? s->dim[0] : p.columns, p.columns};
  return weft_set_out_shape(it, 0, dims, s->rank == 2 ? 2 : 1);
}

static weft_status same_word(const weft_call *c, const pool *p, size_t element, size_t word, bool *out) {
  if (c->in[0]->dtype != WEFT_STRING) {
    *out = weft_load_i64(c->in[0]->dtype, c->in[0]->data, element) == p->ints.v[word];
    return WEFT_OK;
  }
  const char *text;
  size_t bytes;
  WEFT_TRY(weft_tensor_string(c->in[0], element, &text, &bytes, c->d));
  const weft_str *w = &p->strings->u.strs[word];
  *out = w->bytes == bytes && !memcmp(w->text, text, bytes);
  return WEFT_OK;
}

// Counts the n-grams of `size` words that lie `step` apart in a row.
static weft_status tf_idf_vectorizer_count(const weft_call *c, const pool *p, const grams_row *row,
                                           size_t size, size_t step) {
  size_t work = 0;
  size_t n;
  size_t first;
  size_t from = grams(p, size, &n, &first);
  if (row->length == 0 || (size > 1 && step > (row->length - 1) / (size - 1)))
    return WEFT_OK;
  for (size_t at = 0; at + (size - 1) * step < row->length; at++) {
    for (size_t g = 0; g < n; g++) {
      bool same = true;
      WEFT_TRY(weft__poll_work(c, &work, 4));
      for (size_t k = 0; same && k < size; k++)
        WEFT_TRY(same_word(c, p, row->from + at + k * step, from + g * size + k, &same));
      if (!same)
        continue;
      float weight = p->weights && p->weights->n ? p->weights->u.floats[first + g] : 1;
      float *to = &row->out[p->indexes.v[first + g]];
      *to = p->idf ? weight : *to + weight;
    }
  }
  return WEFT_OK;
}

static weft_status tf_idf_vectorizer_ref(const weft_call *c) {
  pool p;
  const weft_shape *s = &c->in[0]->layout.origin;
  const char *mode = weft_node_str(c->desc, MODE);
  if (!c->out[0])
    return WEFT_OK;
  WEFT_TRY(read_pool(c->desc, &p, c->d));
  bool tf = mode && !strcmp(mode, "TF");
  p.idf = mode && !strcmp(mode, "IDF");
  if (tf)
    p.weights = NULL;
  float *out = c->out[0]->data;
  size_t columns = (size_t)p.columns;
  size_t rows = s->rank == 2 ? (size_t)s->dim[0] : 1;
  size_t length = s->rank ? (size_t)s->dim[s->rank - 1] : 1;
  size_t least = (size_t)weft_node_int(c->desc, MIN_GRAM);
  size_t most = (size_t)weft_node_int(c->desc, MAX_GRAM);
  size_t skip = WEFT_MIN((size_t)weft_node_int(c->desc, MAX_SKIP), length);
  memset(out, 0, rows * columns * sizeof *out);
  size_t work = 0;
  for (size_t r = 0; r < rows; r++) {
    const grams_row row = {.from = r * length, .length = length, .out = out + r * columns};
    for (size_t size = least; size <= WEFT_MIN(most, p.counts.n); size++) {
      for (size_t step = 1; step <= (size == 1 ? 1 : skip + 1); step++) {
        WEFT_TRY(weft__poll_work(c, &work, 16));
        WEFT_TRY(tf_idf_vectorizer_count(c, &p, &row, size, step));
      }
    }
  }
  return WEFT_OK;
}

#define POOL "ngram_counts=[0,2] ngram_indexes=[0,1,2] pool_int64s=[2,3,5,4] "
WEFT_OP(tf_idf_vectorizer) = {
    WEFT_OP_HEAD,
    .name = "TfIdfVectorizer",
    .summary = "counts n-grams of a pool in each row",
    .in = PORTS({"input", NULL, WEFT_SET_INDEX | WEFT_DT(STRING)}),
    .out = PORTS({"output", NULL, WEFT_DT(FLOAT)}),
    .attrs = ATTRS({"max_gram_length", "Int", NULL, "min 1"}, {"max_skip_count", "Int", NULL, "min 0"},
                   {"min_gram_length", "Int", NULL, "min 1"}, {"mode", "String", NULL, "one of TF|IDF|TFIDF"},
                   {"ngram_counts", "ListInt", NULL}, {"ngram_indexes", "ListInt", NULL},
                   {"pool_int64s", "ListInt", "{}"}, {"pool_strings", "ListString", "{}"},
                   {"weights", "ListFloat", "{}"}),
    .traits = WEFT_SYMBOLIC,
    .infer = tf_idf_vectorizer_infer,
    .ref = tf_idf_vectorizer_ref,
    .examples = WEFT_EXAMPLES(
        "i32[6]{2,2,5,4,3,5} max_gram_length=2 max_skip_count=0 min_gram_length=1 mode=\"TF\" " POOL
        "-> f32[3]{2,1,1}",
        "i64[2,3]{5,2,4,5,4,4} max_gram_length=2 max_skip_count=1 min_gram_length=2 mode=\"TF\" " POOL
        "-> f32[2,3]{0,0,1,0,0,2}",
        "i64[3]{2,2,3} max_gram_length=1 max_skip_count=5 min_gram_length=1 mode=\"TFIDF\" "
        "weights=[0.5,3,1] " POOL "-> f32[3]{1,3,0}",
        "i64[3]{2,2,3} max_gram_length=1 max_skip_count=0 min_gram_length=1 mode=\"IDF\" "
        "weights=[0.5,3,1] " POOL "-> f32[3]{0.5,3,0}",
        "str[3]{\"a\",\"b\",\"a\"} max_gram_length=1 max_skip_count=0 min_gram_length=1 mode=\"TF\" "
        "ngram_counts=[0] ngram_indexes=[1,0] "
        "pool_strings=[\"a\",\"c\"] -> f32[2]{0,2}",
        "i64[0] max_gram_length=2 max_skip_count=0 min_gram_length=1 mode=\"TF\" " POOL "-> f32[3]{0,0,0}",
        "i64[-1,4] max_gram_length=2 max_skip_count=0 min_gram_length=1 mode=\"TF\" " POOL "-> f32[-1,3]",
        "i64[1]{1} max_gram_length=1 max_skip_count=0 min_gram_length=1 mode=\"TF\" ngram_counts=[0] "
        "ngram_indexes=[0,1] "
        "pool_int64s=[2] !! E_INVALID attribute 'ngram_indexes' has 2 elements",
        "str[1]{\"a\"} max_gram_length=2 max_skip_count=0 min_gram_length=1 mode=\"TF\" " POOL
        "!! E_DTYPE the pool has integers",
        "i64[1]{1} max_gram_length=1 max_skip_count=0 min_gram_length=2 mode=\"TF\" " POOL
        "!! E_INVALID min_gram_length"),
};
// SPDX-License-Identifier: Apache-2.0
