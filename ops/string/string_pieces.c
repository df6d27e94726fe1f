// ops/string/string_pieces.c - strings out of others and parts of them.   AscendIR StringJoin, Substr,
// ReduceJoin, UnsortedSegmentJoin, as TensorFlow has them. Lengths and places are bytes.
#include "air_slots.h"
#include "axes.h"
#include "op/air_rows.h"
#include "string_util.h"

static void pieces_attr(weft_strings *s, const weft_call *c, uint32_t slot) {
  const weft_attr *a = weft_attr_at(c->desc, slot, WEFT_VT_STRING);
  if (a)
    weft__strings_add(s, a->u.s, a->n);
}

static weft_status pieces_element(weft_strings *s, const weft_call *c, uint32_t in, size_t i) {
  const char *text;
  size_t bytes;
  WEFT_TRY(weft_tensor_string(c->in[in], i, &text, &bytes, c->d));
  weft__strings_add(s, text, bytes);
  return s->stopped;
}

// ---- StringJoin ----
// All shapes are equal but those of scalars.
static weft_status pieces_join_infer(weft_infer *it) {
  weft_shape *out = it->out[0];
  bool open = false;
  weft_shape_set_scalar(out);
  for (uint32_t i = 0; i < it->desc->n_in; i++) {
    const weft_shape *s = it->in[i];
    open |= weft_shape_is_unknown_rank(s);
    if (weft_shape_is_unknown_rank(s) || !s->rank)
      continue;
    if (!out->rank) {
      weft_shape_copy(out, s);
      continue;
    }
    if (s->rank != out->rank)
      return weft_fail(it->d, WEFT_E_SHAPE, "input %u: rank %zu, others have %zu", i, s->rank, out->rank);
    for (size_t k = 0; k < s->rank; k++)
      WEFT_TRY(weft__merge_dim(it, out->dim[k], s->dim[k], "inputs", &out->dim[k]));
  }
  if (open && !out->rank)
    return weft__unknown_rank(it, 0);
  return WEFT_OK;
}

static weft_status pieces_join_ref(const weft_call *c) {
  weft_strings list;
  weft_status st = WEFT_OK;
  if (!c->out[0])
    return WEFT_OK;
  const weft_shape *shape = &c->out[0]->layout.origin;
  const size_t n = weft__elems(shape);
  weft__strings_init(&list, c);
  for (size_t i = 0; !st && i < n; i++) {
    for (uint32_t k = 0; !st && k < c->desc->n_in; k++) {
      if (k)
        pieces_attr(&list, c, WEFT_SLOT_STRING_JOIN_SEPARATOR);
      st = pieces_element(&list, c, k, c->in[k]->layout.origin.rank ? i : 0);
    }
    weft__strings_next(&list);
  }
  return weft__strings_give(&list, shape, st);
}

// ---- Substr ----
static weft_status pieces_substr_infer(weft_infer *it) {
  WEFT_TRY(weft__broadcast(it, it->in[1], it->in[2], it->out[0]));
  return weft__broadcast(it, it->in[0], it->out[0], it->out[0]);
}

// A place below 0 counts from the end; a length below 0, or beyond it, ends there.
static weft_status pieces_substr_add(weft_strings *s, const weft_call *c, const weft_walk *w) {
  const char *text;
  size_t bytes;
  WEFT_TRY(weft_tensor_string(c->in[0], w->at[0], &text, &bytes, c->d));
  const int64_t n = (int64_t)bytes;
  const int64_t place = weft_load_i64(c->in[1]->dtype, c->in[1]->data, w->at[1]);
  const int64_t wants = weft_load_i64(c->in[2]->dtype, c->in[2]->data, w->at[2]);
  if (place < -n || place > n) {
    return weft_fail(c->d, WEFT_E_RANGE, "element %zu: position %lld is outside [%lld, %lld]", w->i,
                     (long long)place, (long long)-n, (long long)n);
  }
  const int64_t from = place < 0 ? place + n : place;
  const int64_t have = n - from;
  weft__strings_add(s, text + from, (size_t)(wants < 0 || wants > have ? have : wants));
  return s->stopped;
}

static weft_status pieces_substr_ref(const weft_call *c) {
  weft_strings list;
  weft_walk w;
  weft_status st = WEFT_OK;
  if (!c->out[0])
    return WEFT_OK;
  const weft_shape *shape = &c->out[0]->layout.origin;
  weft__walk_init(&w, shape);
  for (int k = 0; k < 3; k++)
    weft__walk_operand(&w, k, &c->in[k]->layout.origin);
  weft__strings_init(&list, c);
  for (; !st && w.i < w.n; weft__walk_next(&w)) {
    st = pieces_substr_add(&list, c, &w);
    weft__strings_next(&list);
  }
  return weft__strings_give(&list, shape, st);
}

// ---- ReduceJoin ----
static weft_status pieces_reduce_infer(weft_infer *it) {
  const weft_shape *s = it->in[0];
  const bool keep = weft_node_bool(it->desc, WEFT_SLOT_REDUCE_JOIN_KEEP_DIMS);
  int64_t axes[WEFT_MAX_RANK];
  int64_t n;
  bool known;
  uint32_t mask;
  WEFT_TRY(weft__in_ints(it, 1, axes, WEFT_MAX_RANK, &n, &known));
  for (int64_t i = 0; known && i < n; i++)
    known = axes[i] > WEFT_DIM_SYMBOL_LIMIT;
  if (weft_shape_is_unknown_rank(s))
    return weft__unknown_rank(it, 0);
  if (!known)
    return keep ? weft__unknown_dims(it, 0, s->rank) : weft__unknown_rank(it, 0);
  WEFT_TRY(weft__axes(it->d, "input 'reduction_indices'", axes, (size_t)n, s->rank, &mask));
  weft_shape *out = it->out[0];
  weft_shape_set_scalar(out);
  for (size_t i = 0; i < s->rank; i++) {
    const bool reduced = mask >> i & 1;
    if (!reduced || keep)
      out->dim[out->rank++] = reduced ? 1 : s->dim[i];
  }
  return WEFT_OK;
}

typedef struct pieces_axes {
  size_t n, axis[WEFT_MAX_RANK];
  size_t stride[WEFT_MAX_RANK];  // of every axis of the input
  size_t elems;                  // joined into one
} pieces_axes;

static weft_status pieces_axes_read(const weft_call *c, pieces_axes *a) {
  const weft_shape *s = &c->in[0]->layout.origin;
  int64_t named[WEFT_MAX_RANK];
  uint32_t mask;
  size_t stride = 1;
  WEFT_TRY(weft__read_ints(c, 1, named, WEFT_MAX_RANK, &a->n));
  WEFT_TRY(weft__axes(c->d, "input 'reduction_indices'", named, a->n, s->rank, &mask));
  for (size_t i = s->rank; i-- > 0;) {
    a->stride[i] = stride;
    stride *= (size_t)s->dim[i];
  }
  a->elems = 1;
  for (size_t k = 0; k < a->n; k++) {
    a->axis[k] = (size_t)(named[k] < 0 ? named[k] + (int64_t)s->rank : named[k]);
    a->elems *= (size_t)s->dim[a->axis[k]];
  }
  return WEFT_OK;
}

// Where output i begins in the input.
static size_t pieces_axes_start(const weft_shape *s, const pieces_axes *a, size_t i) {
  size_t at = 0;
  for (size_t k = s->rank; k-- > 0;) {
    bool reduced = false;
    for (size_t m = 0; m < a->n; m++)
      reduced |= a->axis[m] == k;
    if (reduced)
      continue;
    at += i % (size_t)s->dim[k] * a->stride[k];
    i /= (size_t)s->dim[k];
  }
  return at;
}

// The axis that is named first runs fastest.
static size_t pieces_axes_step(const weft_shape *s, const pieces_axes *a, size_t i) {
  size_t at = 0;
  for (size_t m = 0; m < a->n; m++) {
    const size_t dim = (size_t)s->dim[a->axis[m]];
    at += i % dim * a->stride[a->axis[m]];
    i /= dim;
  }
  return at;
}

static weft_status pieces_reduce_ref(const weft_call *c) {
  pieces_axes a;
  weft_strings list;
  weft_status st = WEFT_OK;
  if (!c->out[0])
    return WEFT_OK;
  WEFT_TRY(pieces_axes_read(c, &a));
  const weft_shape *s = &c->in[0]->layout.origin;
  const weft_shape *shape = &c->out[0]->layout.origin;
  const size_t n = weft__elems(shape);
  weft__strings_init(&list, c);
  for (size_t i = 0; !st && i < n; i++) {
    const size_t start = a.elems ? pieces_axes_start(s, &a, i) : 0;
    for (size_t k = 0; !st && k < a.elems; k++) {
      if (k)
        pieces_attr(&list, c, WEFT_SLOT_REDUCE_JOIN_SEPARATOR);
      st = pieces_element(&list, c, 0, start + pieces_axes_step(s, &a, k));
    }
    weft__strings_next(&list);
  }
  return weft__strings_give(&list, shape, st);
}

// ---- UnsortedSegmentJoin ----
enum { SEGMENT_DATA, SEGMENT_IDS, SEGMENT_COUNT };

static weft_status pieces_segment_infer(weft_infer *it) {
  const weft_shape *s = it->in[SEGMENT_DATA];
  const weft_shape *ids = it->in[SEGMENT_IDS];
  int64_t count = -1;
  int64_t n;
  bool known;
  weft_dim same;
  WEFT_TRY(weft__in_ints(it, SEGMENT_COUNT, &count, 1, &n, &known));
  if (n >= 0 && n != 1)
    return weft_fail(it->d, WEFT_E_SHAPE, "input 'num_segments': expected 1 element, got %lld", (long long)n);
  if (known && count < 0 && count > WEFT_DIM_SYMBOL_LIMIT)
    return weft_fail(it->d, WEFT_E_RANGE, "input 'num_segments': %lld", (long long)count);
  if (weft_shape_is_unknown_rank(s) || weft_shape_is_unknown_rank(ids))
    return weft__unknown_rank(it, 0);
  if (ids->rank > s->rank)
    return weft_fail(it->d, WEFT_E_SHAPE, "input 'segment_ids': rank %zu, 'input' has %zu", ids->rank,
                     s->rank);
  if (1 + s->rank - ids->rank > WEFT_MAX_RANK)
    return weft_fail(it->d, WEFT_E_LIMIT, "the output's rank is over the limit of %d", WEFT_MAX_RANK);
  for (size_t i = 0; i < ids->rank; i++)
    WEFT_TRY(weft__merge_dim(it, s->dim[i], ids->dim[i], "'input' and 'segment_ids'", &same));
  weft_shape *out = it->out[0];
  weft_shape_set_scalar(out);
  out->dim[out->rank++] = known ? count : -1;
  for (size_t i = ids->rank; i < s->rank; i++)
    out->dim[out->rank++] = s->dim[i];
  return WEFT_OK;
}

// The rows of each segment one after the other, in their order: those of segment s are order[ends[s-1]] to
// order[ends[s] - 1].
static weft_status pieces_segment_sort(const weft_call *c, size_t rows, size_t count, size_t **out_ends,
                                       size_t **out_order) {
  const weft_tensor *ids = c->in[SEGMENT_IDS];
  size_t bytes;
  void *space;
  if (!weft_mul_size(rows, sizeof(size_t), &bytes) || count > SIZE_MAX / 16 - bytes / 8)
    return weft_fail(c->d, WEFT_E_OVERFLOW, "%zu segments of %zu rows", count, rows);
  WEFT_TRY(c->host->workspace(c, bytes + (count + 1) * sizeof(size_t), &space));
  size_t *ends = space;
  size_t *order = ends + count + 1;
  memset(ends, 0, (count + 1) * sizeof *ends);
  for (size_t i = 0; i < rows; i++) {
    const int64_t id = weft_load_i64(ids->dtype, ids->data, i);
    if (id >= 0 && (uint64_t)id >= count) {
      return weft_fail(c->d, WEFT_E_RANGE, "input 'segment_ids', element %zu: %lld is outside [0, %zu)", i,
                       (long long)id, count);
    }
    if (id >= 0)
      ends[id + 1]++;
  }
  for (size_t s = 0; s < count; s++)
    ends[s + 1] += ends[s];
  for (size_t i = 0; i < rows; i++) {
    const int64_t id = weft_load_i64(ids->dtype, ids->data, i);
    if (id >= 0)
      order[ends[id]++] = i;
  }
  *out_ends = ends;
  *out_order = order;
  return WEFT_OK;
}

static weft_status pieces_segment_ref(const weft_call *c) {
  weft_strings list;
  weft_status st = WEFT_OK;
  size_t *ends;
  size_t *order;
  if (!c->out[0])
    return WEFT_OK;
  const weft_shape *s = &c->in[SEGMENT_DATA]->layout.origin;
  const weft_shape *shape = &c->out[0]->layout.origin;
  const size_t ranks = c->in[SEGMENT_IDS]->layout.origin.rank;
  const size_t inner = weft__prod(s, ranks, s->rank);
  const size_t count = inner ? (size_t)shape->dim[0] : 0;  // of no strings, no segment and no row
  const size_t rows = inner ? weft__prod(s, 0, ranks) : 0;
  WEFT_TRY(pieces_segment_sort(c, rows, count, &ends, &order));
  weft__strings_init(&list, c);
  for (size_t i = 0; !st && i < count * inner; i++) {
    const size_t segment = i / inner;
    const size_t first = segment ? ends[segment - 1] : 0;
    for (size_t k = first; !st && k < ends[segment]; k++) {
      if (k > first)
        pieces_attr(&list, c, WEFT_SLOT_UNSORTED_SEGMENT_JOIN_SEPARATOR);
      st = pieces_element(&list, c, SEGMENT_DATA, order[k] * inner + i % inner);
    }
    if (!st)
      st = weft__poll_at(c, i);
    weft__strings_next(&list);
  }
  return weft__strings_give(&list, shape, st);
}

WEFT_ROWS(string_pieces) = {
    {"StringJoin", "strings of several tensors, one after the other", WEFT_SYMBOLIC | WEFT_MONOTONE,
     .infer = pieces_join_infer, .ref = pieces_join_ref,
     .examples = WEFT_EXAMPLES(
         "[str[2]{\"a\",\"b\"}, str[]{\"x\"}, str[2]{\"1\",\"\"}] N=3 separator=\"-\" "
         "-> str[2]{\"a-x-1\",\"b-x-\"}",
         "[str[]{\"a\"}, str[]{\"b\"}] N=2 -> str[]{\"ab\"}", "[str[0,2], str[]{\"b\"}] N=2 -> str[0,2]",
         "[str[-1,3], str[5,-1]] N=2 -> str[5,3]", "[str[?], str[]] N=2 -> str[?]", "[str[2]] N=1 -> str[2]",
         "[str[2], str[3]] N=2 !! E_SHAPE 2 and 3 differ",
         "[str[2], str[1,2]] N=2 !! E_SHAPE input 1: rank 2",
         "[f32[1]{1}] N=1 !! E_DTYPE input 'x'")},
    {"Substr", "parts of strings, by position and length in bytes",
        WEFT_SYMBOLIC | WEFT_MONOTONE | WEFT_ELEMENTWISE,
     .infer = pieces_substr_infer, .ref = pieces_substr_ref,
     .examples = WEFT_EXAMPLES(
         "str[2]{\"Hello\",\"World\"}, i32[]{1}, i32[]{3} -> str[2]{\"ell\",\"orl\"}",
         "str[2]{\"Hello\",\"ab\"}, i64[2]{-2,0}, i64[2]{9,-1} -> str[2]{\"lo\",\"ab\"}",
         "str[]{\"abc\"}, i32[2]{0,3}, i32[2]{1,1} -> str[2]{\"a\",\"\"}",
         "str[0,3], i32[], i32[] -> str[0,3]",
         "str[-1,3], i32[], i32[] -> str[-1,3]",
         "str[1]{\"ab\"}, i32[]{3}, i32[]{1} !! E_RANGE 3 is outside [-2, 2]",
         "str[1]{\"ab\"}, i32[]{-3}, i32[]{1} !! E_RANGE -3 is outside",
         "str[2], i32[3], i32[3] !! E_SHAPE")},
    {"ReduceJoin", "strings along axes, one after the other", WEFT_SYMBOLIC | WEFT_MONOTONE,
     .infer = pieces_reduce_infer, .ref = pieces_reduce_ref, .values = "reduction_indices",
     .examples = WEFT_EXAMPLES(
         "str[2,2]{\"a\",\"b\",\"c\",\"d\"}, i32[]{0} keep_dims=false -> str[2]{\"ac\",\"bd\"}",
         "str[2,2]{\"a\",\"b\",\"c\",\"d\"}, i32[1]{-1} separator=\".\" -> str[2,1]{\"a.b\",\"c.d\"}",
         "str[2,2]{\"a\",\"b\",\"c\",\"d\"}, i32[2]{0,1} keep_dims=false -> str[]{\"acbd\"}",
         "str[2,2]{\"a\",\"b\",\"c\",\"d\"}, i32[2]{1,0} keep_dims=false -> str[]{\"abcd\"}",
         "str[2]{\"a\",\"b\"}, i32[0]{} -> str[2]{\"a\",\"b\"}", "str[2,0], i32[1]{1} -> str[2,1]{\"\",\"\"}",
         "str[-1,3], i32[1]{1} -> str[-1,1]", "str[2,3], i32[1] -> str[-1,-1]",
         "str[2,3], i32[1] keep_dims=false -> str[?]",
         "str[2]{\"a\",\"b\"}, i32[1]{1} !! E_RANGE 1 is outside [-1, 0]")},
    {"UnsortedSegmentJoin", "strings of each segment, one after the other", WEFT_SYMBOLIC | WEFT_MONOTONE,
     .infer = pieces_segment_infer, .ref = pieces_segment_ref, .values = "num_segments",
     .examples = WEFT_EXAMPLES(
         "str[4]{\"a\",\"b\",\"c\",\"d\"}, i32[4]{1,0,1,-1}, i32[]{3} separator=\":\" "
         "-> str[3]{\"b\",\"a:c\",\"\"}",
         "str[2,2]{\"a\",\"b\",\"c\",\"d\"}, i64[2]{0,0}, i32[]{1} -> str[1,2]{\"ac\",\"bd\"}",
         "str[0], i32[0], i32[]{2} -> str[2]{\"\",\"\"}", "str[-1,3], i32[-1], i32[]{4} -> str[4,3]",
         "str[2], i32[2], i32[] -> str[-1]",
         "str[1]{\"a\"}, i32[1]{2}, i32[]{2} !! E_RANGE 2 is outside [0, 2)",
         "str[2], i32[3], i32[]{1} !! E_SHAPE 2 and 3 differ",
         "str[1]{\"a\"}, i32[1]{0}, i32[]{-1} !! E_RANGE -1",
         "str[1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1], i32[], i32[]{1} "
         "!! E_LIMIT over the limit of 25")},
    {0},
};
// SPDX-License-Identifier: Apache-2.0
