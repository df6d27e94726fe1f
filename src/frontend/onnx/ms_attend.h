// ms_attend.h - what the attention operators of com.microsoft have in common once query, key and value are
// there (ms_attend.c).
#pragma once
#include "frontend/onnx/ms.h"

// A layout is one of PromptFlashAttention's: "BSH" [batch, sequence, heads * size], "BSND" with the heads
// apart, "BNSD" with the heads in front.
typedef struct ms_side {
  weft_value *v;
  const char *layout;
} ms_side;

enum { MS_ALL = 0, MS_CAUSAL = 2, MS_CAUSAL_FROM_THE_END = 3 };  // PromptFlashAttention's sparse_mode

typedef struct ms_attend {
  ms_side q, k, v;
  int64_t heads, kv_heads;
  weft_value *shift;   // added to the scores, [batch or 1, heads or 1, queries or 1, keys]; NULL: none
  weft_value *hidden;  // BOOL of the same dims: keys that are not seen; NULL: none
  int64_t band;        // MS_...
  float scale;         // 0: one over the square root of the head's size
  float cap;           // scores are bounded by it; 0: not
  weft_value *sink;    // [heads]: one more key with these scores, whose value is 0; NULL: none
} ms_attend;

weft_value *onnx_ms_attend(onnx_op *o, const ms_attend *a);  // [batch, queries, heads * size]
// The scores before the softmax, [batch, heads, queries, keys].
weft_value *onnx_ms_scores(onnx_op *o, const ms_attend *a);
int64_t onnx_ms_heads(onnx_op *o, const char *attr);  // a needed attribute, at least 1
// To "BNSD".
weft_value *onnx_ms_by_head(onnx_op *o, const ms_side *s, int64_t heads);
// Rows of a cache [batch, heads, rows, size]: those before `length` (NULL: all), and `more` behind them.
weft_value *onnx_ms_extended(onnx_op *o, weft_value *cache, weft_value *length, weft_value *more);
// The whole cache with its first rows replaced by these.
weft_value *onnx_ms_overwritten(onnx_op *o, weft_value *cache, weft_value *rows);
// `what` where the condition holds, 0 elsewhere, in the type of `like`.
weft_value *onnx_ms_where(onnx_op *o, weft_value *condition, double what, const weft_value *like);
weft_value *onnx_ms_plus(onnx_op *o, weft_value *a, weft_value *b);  // either may be NULL
// Query, key and value by one product, x w + bias (NULL: none), cut as qkv_hidden_sizes says, or in thirds.
void onnx_ms_project(onnx_op *o, weft_value *x, weft_value *w, weft_value *bias, weft_value *out[3]);
// Three parts of the last axis; sizes NULL: equal ones.
void onnx_ms_thirds(onnx_op *o, weft_value *v, const int64_t *sizes, weft_value *out[3]);
// v and as many numbers of the bias as its last axis has, those behind `from`, which moves on; NULL: 0.
weft_value *onnx_ms_with_bias(onnx_op *o, weft_value *v, weft_value *bias, weft_value *from, weft_value **to);
// A mask of com.microsoft for keys, as a shift: the lengths of sequences, [batch], their ends and begins,
// [2 * batch], or a number for each key, [batch, keys] or [batch, queries, keys], that is above 0 where the
// key is seen.
weft_value *onnx_ms_mask(onnx_op *o, weft_value *mask, weft_value *keys, const ms_side *q);

// ---- ms_cache.c: keys or values that a cache holds as integers ----
typedef struct ms_codes {
  int bits;           // of a code; 0: the cache holds the numbers themselves
  weft_value *scale;  // FLOAT, broadcast to the cache
} ms_codes;
typedef struct ms_codes_from {  // what says so
  size_t past, scale;           // inputs
  const char *kind;             // attribute
} ms_codes_from;
weft_status onnx_ms_codes_of(onnx_op *o, const ms_codes_from *from, int64_t heads, ms_codes *out);
// Between numbers and what a cache holds, [batch, heads, rows, size]; without codes v itself.
weft_value *onnx_ms_encoded(onnx_op *o, weft_value *v, const ms_codes *c);
weft_value *onnx_ms_decoded(onnx_op *o, weft_value *v, const ms_codes *c, weft_dtype t);
// SPDX-License-Identifier: Apache-2.0
