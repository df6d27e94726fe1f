// ops/ml/dict_vectorizer.c - Y[0,k] = the value of key vocabulary[k] in the map, 0 or "" where it has none.
// ONNX (ai.onnx.ml) DictVectorizer-1, its vocabulary as an input. Keys that the vocabulary lacks are left
// out; of equal keys the first one counts. n keys and v words cost (n + v) log n.
#include "maps.h"

enum { X, VOCABULARY };

static weft_status dict_vectorizer_infer(weft_infer *it) {
  const weft_shape *words = it->in[VOCABULARY];
  WEFT_TRY(weft__expect_rank(it, VOCABULARY, 1, 1));
  weft_dim n = weft_shape_is_unknown_rank(words) ? -1 : words->dim[0];
  return weft_set_out_shape(it, 0, (weft_dim[2]){1, n}, 2);
}

typedef struct dictionary {
  const weft_tensor *keys;
  const size_t *order;
  size_t n;
} dictionary;

// The place of word i among the keys; -1: it is none of them.
static weft_status dictionary_find(const dictionary *x, const weft_tensor *words, size_t i, weft_diag *d,
                                   int64_t *out) {
  size_t low = 0;
  size_t high = x->n;
  int order = 1;
  while (low < high) {
    size_t middle = low + (high - low) / 2;
    WEFT_TRY(weft__map_key_order(x->keys, x->order[middle], words, i, d, &order));
    if (order < 0)
      low = middle + 1;
    else
      high = middle;
  }
  if (low < x->n)
    WEFT_TRY(weft__map_key_order(x->keys, x->order[low], words, i, d, &order));
  *out = low < x->n && !order ? (int64_t)x->order[low] : -1;
  return WEFT_OK;
}

static int64_t dict_vectorizer_found_at(void *ctx, size_t i) {
  return ((const int64_t *)ctx)[i];
}

static weft_status dict_vectorizer_ref(const weft_call *c) {
  const weft_tensor *keys = weft_map_keys(c->in[X]);
  const weft_tensor *words = c->in[VOCABULARY];
  size_t n = weft__elems(&words->layout.origin);
  size_t bytes;
  size_t *order;
  void *space;
  if (!c->out[0])
    return WEFT_OK;
  if (!keys)
    return weft_fail(c->d, WEFT_E_MISSING, "input 'X': the map has no keys");
  if (keys->dtype != words->dtype) {
    return weft_fail(c->d, WEFT_E_DTYPE, "input 'X' has keys of %s, the vocabulary is %s",
                     weft_dtype_name(keys->dtype), weft_dtype_name(words->dtype));
  }
  if (!weft_mul_size(n, sizeof(int64_t), &bytes))
    return weft_fail(c->d, WEFT_E_OVERFLOW, "%zu words", n);
  WEFT_TRY(c->host->workspace(c, bytes, &space));
  WEFT_TRY(weft__map_order(c, keys, &order));
  dictionary x = {keys, order, weft__elems(&keys->layout.origin)};
  int64_t *found = space;
  for (size_t i = 0; i < n; i++) {
    WEFT_TRY(weft__poll_at(c, i));
    WEFT_TRY(dictionary_find(&x, words, i, c->d, &found[i]));
  }
  return weft__move(c, weft_map_values(c->in[X]), c->out[0], dict_vectorizer_found_at, found, NULL);
}

WEFT_OP(dict_vectorizer) = {
    WEFT_OP_HEAD,
    .name = "DictVectorizer",
    .summary = "the values of given keys of a map",
    .in = PORTS({"X", "T", .kinds = WEFT_KINDS_MAP}, {"vocabulary", NULL, WEFT_DT(INT64) | WEFT_DT(STRING)}),
    .out = PORTS({"Y", "T"}),
    .types = TYPES({"T", WEFT_DT(FLOAT) | WEFT_DT(DOUBLE) | WEFT_DT(INT64) | WEFT_DT(STRING)}),
    .traits = WEFT_SYMBOLIC,
    .infer = dict_vectorizer_infer,
    .ref = dict_vectorizer_ref,
    .examples = WEFT_EXAMPLES(
        "map(str[3]{\"c\",\"a\",\"z\"},f32[3]{1.5,2,9}), str[3]{\"a\",\"b\",\"c\"} -> f32[1,3]{2,0,1.5}",
        "map(i64[1]{1},str[1]{\"q\"}), i64[2]{3,1} -> str[1,2]{\"\",\"q\"}",
        "map(i64[3]{5,5,2},i64[3]{7,8,9}), i64[2]{5,2} -> i64[1,2]{7,9}",
        "map(i64[0],f64[0]), i64[2]{3,1} -> f64[1,2]{0,0}", "map(i64[1]{1},f32[1]{1}), i64[0] -> f32[1,0]",
        "map(str[1]{\"a\"},f32[1]{1}), i64[1]{1} !! E_DTYPE keys of str, the vocabulary is i64",
        "f32[1]{1}, i64[1]{1} !! E_TYPE got a tensor"),
};
// SPDX-License-Identifier: Apache-2.0
