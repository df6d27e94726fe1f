// compositions/attention.h - how operators of attention read their layouts, masks and bands, and hand them to
// PromptFlashAttention; the long form, with all scores at once, is only made for outputs beside the
// attention. Layouts: BSH, SBH, BSND, BNSD and TND, where the rows of all batches stand behind each other and
// running totals of their lengths say where each begins. Masks are 1 where a key is hidden. Layer:
// compositions.
#pragma once
#include <math.h>

#include "air_slots.h"
#include "compose/compose.h"
#include "op/infer_node.h"

typedef struct attention {
  weft__composing *c;
  const char *layout;
  int64_t heads, kv_heads;
  int64_t mode, pre, next;  // sparse_mode and the band
  bool packed;              // TND
} attention;

static const char *const attention_sides[] = {"q", "k", "v"};

// ---- attributes, by name: three operators spell them alike ----
static inline uint32_t attention_slot(const attention *a, const char *name) {
  uint32_t i = 0;
  while (i < a->c->desc->n_attr && strcmp(weft__attr_name(a->c->desc, i), name) != 0)
    i++;
  return i;
}
static inline int64_t attention_int(const attention *a, const char *name) {
  return weft_node_int(a->c->desc, attention_slot(a, name));
}
static inline double attention_float(const attention *a, const char *name) {
  return (double)weft_node_float(a->c->desc, attention_slot(a, name));
}

// Refuses an input that is given: what it would mean is not computed.
static inline weft_status attention_without(weft__composing *c, const char *const *names, size_t n) {
  for (size_t i = 0; i < n; i++) {
    size_t given;
    weft__composed_all(c, names[i], &given);
    if (given)
      return front_fail(c->o, WEFT_E_UNSUPPORTED, "input '%s': attention with it is not computed", names[i]);
  }
  return WEFT_OK;
}

static inline weft_status attention_begin(attention *a, const char *heads, const char *kv_heads) {
  static const char *const known[] = {"BSH", "SBH", "BSND", "BNSD", "TND", "BNSD_BSND"};
  size_t at = 0;
  a->layout = weft_node_str(a->c->desc, attention_slot(a, "input_layout"));
  a->heads = attention_int(a, heads);
  a->kv_heads = kv_heads ? attention_int(a, kv_heads) : 0;
  while (at < WEFT_COUNT(known) && strcmp(known[at], a->layout) != 0)
    at++;
  if (at == WEFT_COUNT(known)) {
    return front_fail(a->c->o, WEFT_E_UNSUPPORTED,
                      "attribute 'input_layout': '%s' is none of BSH, SBH, BSND, BNSD, BNSD_BSND and TND",
                      a->layout);
  }
  a->packed = !strcmp(a->layout, "TND");
  if (a->heads < 1 || a->kv_heads < 0 || a->heads > (1 << 20))
    return front_fail(a->c->o, WEFT_E_RANGE, "attribute '%s': %lld is outside [1, 1048576]", heads,
                      (long long)a->heads);
  return WEFT_OK;
}

// ---- layouts ----
// 0 in `dims` is the dim that v has there.
static inline weft_value *attention_shaped(attention *a, weft_value *v, const int64_t *dims, size_t n) {
  weft_value *shape = front_list(a->c->o, dims, n);
  front_set_bool(a->c->o, "allowzero", false);
  return front_do(a->c->o, "Reshape", v, shape, NULL);
}
static inline bool attention_is_joined(const attention *a) {
  return strlen(a->layout) == 3 && !a->packed;
}
// The last dim in `heads` parts: -1, or what a known dim gives.
static inline int64_t attention_part(attention *a, const char *port, const weft_value *v, int64_t heads) {
  weft_dim h = front_dim(v, 2);
  if (h < 0)
    return -1;
  if (h % heads) {
    front_fail(a->c->o, WEFT_E_SHAPE, "input '%s': dim 2 is %lld, which %lld heads do not divide", port,
               (long long)h, (long long)heads);
  }
  return h / heads;
}
static inline int64_t attention_heads_of(const attention *a, bool kv) {
  return kv && a->kv_heads ? a->kv_heads : a->heads;
}
// A tensor of the operator's layout as BSND.
static inline weft_value *attention_rows(attention *a, const char *port, weft_value *v, bool kv) {
  front_op *o = a->c->o;
  int64_t heads = attention_heads_of(a, kv);
  int want = attention_is_joined(a) || a->packed ? 3 : 4;
  int rank = front_rank_of(o, v);
  if (o->failed)
    return NULL;
  if (rank != want)
    return front_none(o, WEFT_E_SHAPE, "input '%s': rank %d, and layout %s has %d", port, rank, a->layout,
                      want);
  if (a->packed)
    return front_unsqueezed(o, v, 0);
  if (want == 4)
    return a->layout[1] == 'N' ? front_swapped(o, v, 1, 2) : v;
  if (a->layout[0] == 'S')
    v = front_swapped(o, v, 0, 1);
  const int64_t dims[4] = {0, 0, heads, attention_part(a, port, v, heads)};
  return o->failed ? NULL : attention_shaped(a, v, dims, 4);
}
// And back: BSND in the operator's layout.
static inline weft_value *attention_laid(attention *a, weft_value *v, bool out) {
  front_op *o = a->c->o;
  if (!v)
    return NULL;
  if (a->packed)
    return front_squeezed(o, v, 0);
  if (!attention_is_joined(a)) {
    bool by_head = a->layout[1] == 'N' && !(out && a->layout[4]);
    return by_head ? front_swapped(o, v, 1, 2) : v;
  }
  weft_dim n = front_dim(v, 2);
  weft_dim d = front_dim(v, 3);
  const int64_t dims[3] = {0, 0, n >= 0 && d >= 0 ? n * d : -1};
  v = attention_shaped(a, v, dims, 3);
  return a->layout[0] == 'S' ? front_swapped(o, v, 0, 1) : v;
}

// The number of heads of a layout that has it, where no attribute says it.
static inline weft_status attention_count_heads(attention *a, weft_value *key) {
  front_op *o = a->c->o;
  int rank = front_rank_of(o, key);
  if (o->failed || a->kv_heads)
    return o->failed;
  weft_dim n = a->heads;
  if (attention_is_joined(a)) {  // as many as heads of the query's size fit
    weft_value *q = weft__composed(a->c, "query");
    weft_dim whole = front_dim(q, 2);
    weft_dim part = front_dim(key, 2);
    n = whole < 0 || part < 0 ? -1 : n;
    if (whole > 0 && part > 0 && whole % a->heads == 0 && part % (whole / a->heads) == 0)
      n = part / (whole / a->heads);
  } else if (rank == (a->packed ? 3 : 4))
    n = front_dim(key, !a->packed && a->layout[1] == 'N' ? 1 : rank - 2);
  if (n < 0)
    return front_fail(o, WEFT_E_UNKNOWN, "the number of heads of the keys is not known");
  if (!n || a->heads % n)
    return front_fail(o, WEFT_E_SHAPE, "input 'key': %lld heads, which do not divide the query's %lld",
                      (long long)n, (long long)a->heads);
  a->kv_heads = n;
  return WEFT_OK;
}

// "q", "k", "v" of the ports as BSND.
// "q", "k" and "v" are of as many batches, keys and values as many: broadcasting would hide a mistake.
static inline weft_status attention_agrees(const attention *a) {
  weft_dim batches[3];
  weft_dim steps[3];
  for (size_t i = 0; i < 3; i++) {
    const weft_value *v = weft__composed(a->c, attention_sides[i]);
    batches[i] = front_dim(v, 0);
    steps[i] = front_dim(v, 1);
  }
  for (size_t i = 1; i < 3; i++) {
    if (batches[0] >= 0 && batches[i] >= 0 && batches[0] != batches[i])
      return front_fail(a->c->o, WEFT_E_SHAPE, "input 'query' has %lld batches, input '%s' %lld",
                        (long long)batches[0], i == 1 ? "key" : "value", (long long)batches[i]);
  }
  if (steps[1] >= 0 && steps[2] >= 0 && steps[1] != steps[2])
    return front_fail(a->c->o, WEFT_E_SHAPE, "there are %lld keys and %lld values", (long long)steps[1],
                      (long long)steps[2]);
  return WEFT_OK;
}
static inline weft_status attention_read(attention *a, weft_value *query, weft_value *key,
                                         weft_value *value) {
  weft_value *const in[3] = {query, key, value};
  static const char *const names[] = {"query", "key", "value"};
  WEFT_TRY(attention_count_heads(a, key));
  for (size_t i = 0; i < 3; i++)
    weft__compose_name(a->c, attention_sides[i], attention_rows(a, names[i], in[i], i > 0));
  return a->c->o->failed ? a->c->o->failed : attention_agrees(a);
}

// ---- what a query sees ----
// "rows", "cols": the places of queries [S, 1] and keys [1, T]; "after": how far the last query's key is
// behind it, [] or of batches or rows.
static inline weft_status attention_places(attention *a) {
  front_op *o = a->c->o;
  weft_value *s = front_counting(o, front_dim_index(o, weft__composed(a->c, "q"), 1));
  weft_value *t = front_counting(o, front_dim_index(o, weft__composed(a->c, "k"), 1));
  weft__compose_name(a->c, "rows", front_unsqueezed(o, s, 1));
  weft__compose_name(a->c, "cols", front_unsqueezed(o, t, 0));
  return weft__compose_text(a->c, "after = Sub(count_k, count_q)");
}
static inline weft_status attention_counts(attention *a) {
  weft__compose_name(a->c, "count_q", front_dim_index(a->c->o, weft__composed(a->c, "q"), 1));
  weft__compose_name(a->c, "count_k", front_dim_index(a->c->o, weft__composed(a->c, "k"), 1));
  return attention_places(a);
}
static inline weft_status attention_hide(attention *a, const char *what) {
  char text[96];
  snprintf(text, sizeof text, "%s = %s%s%s", "hidden",
           weft__composed(a->c, "hidden") ? "LogicalOr(hidden, " : "", what,
           weft__composed(a->c, "hidden") ? ")" : "");
  return weft__compose_text(a->c, text);
}
// Rows of a TND tensor by their batch: "of_q", "of_k", and places within it.
static inline weft_status attention_segments(attention *a, const char *q_lens, const char *k_lens) {
  char text[512];
  if (!weft__composed(a->c, q_lens) || !weft__composed(a->c, k_lens))
    return front_fail(a->c->o, WEFT_E_INVALID, "layout TND needs the inputs '%s' and '%s'", q_lens, k_lens);
  weft__compose_name(a->c, "zero", front_list(a->c->o, (const int64_t[]){0}, 1));
  weft__compose_name(a->c, "ends_q", front_as(a->c->o, weft__composed(a->c, q_lens), WEFT_INT64));
  weft__compose_name(a->c, "ends_k", front_as(a->c->o, weft__composed(a->c, k_lens), WEFT_INT64));
  snprintf(text, sizeof text,
           "of_q = SearchSorted(ends_q, rows, right=true); of_k = SearchSorted(ends_k, cols, right=true); "
           "from_q = ConcatV2({zero, ends_q}, int_0); from_k = ConcatV2({zero, ends_k}, int_0); "
           "len_q = Sub(ConcatV2({ends_q, zero}, int_0), from_q); "
           "len_k = Sub(ConcatV2({ends_k, zero}, int_0), from_k)");
  weft__compose_name(a->c, "int_0", front_index(a->c->o, 0));
  WEFT_TRY(weft__compose_text(a->c, text));
  WEFT_TRY(
      weft__compose_text(a->c,
                         "rows = Sub(rows, Gather(from_q, of_q)); cols = Sub(cols, Gather(from_k, of_k)); "
                         "after = Gather(Sub(len_k, len_q), of_q); apart = NotEqual(of_q, of_k)"));
  return attention_hide(a, "apart");
}
// Keys behind a batch's length are hidden; "after" is of batches.
static inline weft_status attention_lengths(attention *a, const char *q_lens, const char *k_lens) {
  static const int64_t by_batch[4] = {-1, 1, 1, 1};
  weft_value *k = k_lens ? weft__composed(a->c, k_lens) : NULL;
  weft_value *q = q_lens ? weft__composed(a->c, q_lens) : NULL;
  if (!k && !q)
    return WEFT_OK;
  if (q)
    weft__compose_name(a->c, "count_q", attention_shaped(a, front_as(a->c->o, q, WEFT_INT64), by_batch, 4));
  if (k)
    weft__compose_name(a->c, "count_k", attention_shaped(a, front_as(a->c->o, k, WEFT_INT64), by_batch, 4));
  WEFT_TRY(weft__compose_text(a->c, "after = Sub(count_k, count_q); beyond = GreaterEqual(cols, count_k)"));
  return k ? attention_hide(a, "beyond") : WEFT_OK;
}
// atten_mask as BOOL of rank 2 or 4. The forms of causality and bands come with one fixed mask, which says
// nothing that the band does not.
static inline weft_status attention_mask(attention *a) {
  front_op *o = a->c->o;
  weft_value *mask = weft__composed(a->c, "atten_mask");
  if (!mask || a->mode > 1)
    return WEFT_OK;
  int rank = front_rank_of(o, mask);
  if (o->failed)
    return o->failed;
  mask = front_as(o, mask, WEFT_BOOL);
  if (rank == 3)
    mask = front_unsqueezed(o, mask, 1);
  else if (rank != 2 && rank != 4)
    return front_fail(o, WEFT_E_SHAPE, "input 'atten_mask': rank %d, expected 2, 3 or 4", rank);
  weft__compose_name(a->c, "mask", mask);
  return attention_hide(a, "mask");
}
enum { ATTENTION_FAR = INT32_MAX / 2 };  // as wide as a band gets
static inline int64_t attention_tokens(int64_t n) {
  return n > ATTENTION_FAR ? ATTENTION_FAR : n < -ATTENTION_FAR ? -ATTENTION_FAR : n;
}
static inline weft_status attention_band(attention *a, const char *pre, const char *next) {
  a->mode = pre ? attention_int(a, "sparse_mode") : 1;
  if (a->mode < 0 || a->mode > 4)
    return front_fail(a->c->o, WEFT_E_UNSUPPORTED,
                      "attribute 'sparse_mode': %lld is not computed, 0 to 4 are", (long long)a->mode);
  a->pre = pre ? attention_tokens(attention_int(a, pre)) : ATTENTION_FAR;
  a->next = next ? attention_tokens(attention_int(a, next)) : ATTENTION_FAR;
  if (a->mode == 0 && !weft__composed(a->c, "atten_mask"))
    a->mode = 1;
  if (a->mode == 2 || a->mode == 3) {
    a->pre = ATTENTION_FAR;
    a->next = 0;
  }
  return WEFT_OK;
}
// The band as a mask: for the long form, and where lengths move it.
static inline weft_status attention_hide_band(attention *a) {
  front_op *o = a->c->o;
  if (a->mode == 1 || (a->pre == ATTENTION_FAR && a->next == ATTENTION_FAR))
    return WEFT_OK;
  weft__compose_name(a->c, "pre", front_index(o, -a->pre));
  weft__compose_name(a->c, "next", front_index(o, a->next));
  WEFT_TRY(weft__compose_text(a->c, a->mode > 2 ? "d = Sub(cols, Add(rows, after))" : "d = Sub(cols, rows)"));
  WEFT_TRY(weft__compose_text(a->c, "outside = LogicalOr(Less(d, pre), Greater(d, next))"));
  return attention_hide(a, "outside");
}
// real_shift as PromptFlashAttention adds it.
static inline weft_status attention_shift(attention *a, const char *port, bool scaled) {
  weft_value *v = weft__composed(a->c, port);
  if (!v)
    return WEFT_OK;
  v = front_as(a->c->o, v, WEFT_FLOAT);
  if (scaled)
    v = front_do(a->c->o, "Mul", v, front_num(a->c->o, WEFT_FLOAT, attention_float(a, "scale_value")), NULL);
  weft__compose_name(a->c, "shift", v);
  return a->c->o->failed;
}

// ---- the fast form ----
static const char *attention_value_layout(const attention *a) {
  bool known = !a->packed && a->layout[0] == 'B';
  return known ? a->layout : "BSND";
}
// "o": the attention, in the operator's layout. query, key, value: ports, which may stay as they are.
static inline weft_status attention_fast(attention *a, weft_value *const in[3], double scale, bool banded) {
  front_op *o = a->c->o;
  const char *layout = attention_value_layout(a);
  bool direct = !a->packed && a->layout[0] == 'B';
  for (size_t i = 0; i < 3; i++) {
    if (direct)
      weft__compose_name(a->c, attention_sides[i], in[i]);
  }
  weft_value *shift = weft__composed(a->c, "shift");
  if (shift && in[0])
    weft__compose_name(a->c, "shift", front_as(o, shift, in[0]->fact.dtype));
  front_set_int(o, "num_heads", a->heads);
  front_set_int(o, "num_key_value_heads", a->kv_heads);
  front_set_float(o, "scale_value", scale);
  front_set_text(o, "input_layout", layout);
  front_set_int(o, "sparse_mode", banded ? a->mode : 1);
  front_set_int(o, "pre_tokens", a->pre);
  front_set_int(o, "next_tokens", a->next);
  front_set_int(o, "inner_precise", attention_int(a, "inner_precise") & 2);
  WEFT_TRY(weft__compose_text(a->c, "o = PromptFlashAttention(q, k, v, shift?, hidden?)"));
  if (!direct)
    weft__compose_name(a->c, "o", attention_laid(a, weft__composed(a->c, "o"), true));
  return o->failed;
}

// ---- the long form: all scores ----
// A head of keys for each of the query's, [B, N, T, D].
static inline weft_value *attention_spread(attention *a, weft_value *v) {
  front_op *o = a->c->o;
  int64_t group = a->heads / attention_heads_of(a, true);
  if (group > 1) {
    weft_dim d = front_dim(v, 3);
    const int64_t whole[4] = {0, 0, a->heads, d >= 0 ? d : -1};
    const int64_t times[5] = {1, 1, 1, group, 1};
    v = front_do(o, "Tile", front_unsqueezed(o, v, 3), front_list(o, times, 5), NULL);
    v = attention_shaped(a, v, whole, 4);
  }
  return front_swapped(o, front_as(o, v, WEFT_FLOAT), 1, 2);
}
// "s": scores of q, k [B, N, S, T] in f32, masked; "q4", "k4", "v4" by head.
static inline weft_status attention_scores(attention *a, double scale) {
  front_op *o = a->c->o;
  a->c->main = WEFT_FLOAT;
  weft__compose_name(a->c, "q4", front_swapped(o, front_as(o, weft__composed(a->c, "q"), WEFT_FLOAT), 1, 2));
  weft__compose_name(a->c, "k4", attention_spread(a, weft__composed(a->c, "k")));
  weft__compose_name(a->c, "v4", attention_spread(a, weft__composed(a->c, "v")));
  weft__compose_name(a->c, "scale_by", front_num(o, WEFT_FLOAT, scale));
  weft__compose_name(a->c, "least", front_num(o, WEFT_FLOAT, -INFINITY));
  WEFT_TRY(weft__compose_text(a->c, "s = Mul(BatchMatMulV2(q4, k4, adj_x2=true), scale_by)"));
  if (weft__composed(a->c, "shift"))
    WEFT_TRY(weft__compose_text(a->c, "s = Add(s, f32(shift))"));
  WEFT_TRY(attention_hide_band(a));
  if (weft__composed(a->c, "hidden"))
    WEFT_TRY(weft__compose_text(a->c, "s = SelectV2(hidden, least, s)"));
  return weft__compose_text(a->c,
                            "most = ReduceMax(s, [-1], keep_dims=true); "
                            "all = ReduceSum(Exp(Sub(s, most)), [-1], keep_dims=true)");
}
static inline weft_status attention_prepare(attention *a, const char *q_lens, const char *k_lens) {
  WEFT_TRY(attention_counts(a));
  WEFT_TRY(a->packed ? attention_segments(a, q_lens, k_lens) : attention_lengths(a, q_lens, k_lens));
  return attention_mask(a);
}
// SPDX-License-Identifier: Apache-2.0
